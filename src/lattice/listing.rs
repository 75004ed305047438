//! What a builder knows by name, for suggestions.

use super::builder::{Builder, DimKey};

impl Builder {
    /// The values of a taxonomy, in the order of declaration.
    pub fn values(&self, d: DimKey) -> impl Iterator<Item = &str> {
        self.terms
            .iter()
            .filter(move |(of, _)| *of == d.0)
            .map(|(_, name)| self.strings.get(*name))
    }
}
