//! What a builder knows by name, for suggestions.

use super::builder::{Builder, DimKey};

impl Builder {
    /// The values of a taxonomy, in the order of declaration, and then those that can be
    /// borrowed.
    pub fn values(&self, d: DimKey) -> impl Iterator<Item = &str> {
        let own = self.terms.iter().filter(move |(of, _)| *of == d.0);
        let own = own.map(|(_, name)| self.strings.get(*name));
        own.chain(self.borrowed.values(&self.spec(d).name))
    }
}
