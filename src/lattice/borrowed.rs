//! Values of taxonomies that a builder takes from a lattice when they are named: so that a
//! document can be read for itself, without all that other documents declare.

use super::ValueId;
use super::builder::{Builder, DimKey};
use super::fold::one_space;
use super::snapshot::Lattice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is borrowed from a lattice.
#[derive(Clone, Default)]
pub(super) struct Borrowed {
    from: Option<Lattice>,
    /// The values that have been taken over, ascending.
    terms: Vec<u32>,
    /// Whether it could not be told whether a value is one.
    unsure: Arc<AtomicBool>,
}

impl Borrowed {
    pub(super) fn from(lattice: &Lattice) -> Borrowed {
        Borrowed {
            from: Some(lattice.clone()),
            ..Borrowed::default()
        }
    }

    /// All values of a taxonomy that could be taken over.
    pub(super) fn values(&self, dimension: &str) -> impl Iterator<Item = &str> {
        let lattice = self.from.as_ref();
        let of = lattice.and_then(|lattice| lattice.taxonomy(lattice.find_dimension(dimension)?));
        let all = of.into_iter();
        all.flat_map(|of| (0..of.len() as u32).map(|v| of.name(ValueId(v))))
    }

    /// How many values have been taken over.
    pub(super) fn terms(&self) -> usize {
        self.terms.len()
    }

    /// This value is taken over.
    pub(super) fn take(&mut self, term: u32) {
        self.terms.push(term);
    }

    /// Only the first `kept` values of all are left.
    pub(super) fn truncate(&mut self, kept: usize) {
        let left = self.terms.partition_point(|&term| (term as usize) < kept);
        self.terms.truncate(left);
    }

    /// Whether it could not be told of some word whether it is a value.
    pub(super) fn is_unsure(&self) -> bool {
        self.unsure.load(Ordering::Relaxed)
    }
}

impl Builder {
    /// Whether the lattice that is borrowed from has a value of this name.
    pub(super) fn can_borrow(&self, d: DimKey, name: &str) -> bool {
        let Some(lattice) = &self.borrowed.from else {
            return false;
        };
        let of = lattice.find_dimension(&self.spec(d).name);
        let Some(taxonomy) = of.and_then(|d| lattice.taxonomy(d)) else {
            return false;
        };
        let name = one_space(name);
        let found = taxonomy.find(&name);
        let is_name = found.iter().any(|&v| taxonomy.name(v) == name);
        // Values that became one have left their names as synonyms.
        let is_synonym = |&v| taxonomy.synonyms(v).iter().any(|word| *word == name);
        if !is_name && found.iter().any(is_synonym) {
            self.borrowed.unsure.store(true, Ordering::Relaxed);
        }
        is_name
    }
}
