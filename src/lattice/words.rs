//! The dimensions of a lattice, and how they are found by a word.
#![deny(clippy::indexing_slicing)]

use super::fold::fold;
use super::nearest::{Sorted, nearest};
use super::snapshot::Lattice;
use super::{Dimension, DimensionId, Kind, Multiplicity, Units};

/// The folded names and wordings of dimensions.
#[derive(Default)]
pub(super) struct DimensionWords {
    keys: Vec<String>,
    /// Whether it is an AKA, and the dimension.
    members: Vec<Vec<(bool, DimensionId)>>,
}

impl Sorted for DimensionWords {
    fn count(&self) -> usize {
        self.keys.len()
    }
    fn key(&self, at: usize) -> &str {
        self.keys.get(at).map_or("", String::as_str)
    }
}

impl Lattice {
    /// The dimensions, sorted by name; a [`DimensionId`] is an index into them.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.catalogue().dimensions
    }

    /// A dimension; a nameless one if there is none of this number.
    pub fn dimension(&self, d: DimensionId) -> &Dimension {
        static NAMELESS: Dimension = Dimension {
            name: String::new(),
            kind: Kind::Text,
            multiplicity: Multiplicity::Many,
            complete: false,
            inverse: None,
            primary: true,
            strict: false,
            aka: Vec::new(),
        };
        self.dimensions().get(d.index()).unwrap_or(&NAMELESS)
    }

    /// The dimension that a word stands for: by name, by folded name, by another
    /// wording, by a folded other wording. None where several fit equally well.
    pub fn find_dimension(&self, word: &str) -> Option<DimensionId> {
        let exact = self
            .dimensions()
            .binary_search_by(|d| d.name.as_str().cmp(word));
        if let Ok(at) = exact {
            return Some(DimensionId(at as u16));
        }
        let words = self.dimension_words();
        let members = words.members.get(words.find(&fold(word))?)?;
        let of = |aka: bool| {
            members
                .iter()
                .filter(move |(a, _)| *a == aka)
                .map(|(_, d)| *d)
        };
        let level = |found: Vec<DimensionId>| match found.as_slice() {
            [] => None,
            [only] => Some(Some(*only)),
            _ => Some(None),
        };
        let says_so = |d: &DimensionId| self.dimension(*d).aka.iter().any(|aka| aka == word);
        level(of(false).collect())
            .or_else(|| level(of(true).filter(says_so).collect()))
            .or_else(|| level(of(true).collect()))
            .flatten()
    }

    /// At most five names or wordings of dimensions that resemble a word.
    pub fn nearest_dimensions(&self, word: &str) -> Vec<String> {
        let words = self.dimension_words();
        nearest(words, word, |at| {
            let key = words.key(at);
            let members = words.members.get(at).into_iter().flatten();
            members
                .flat_map(|&(aka, d)| {
                    let dimension = self.dimension(d);
                    let name = (!aka).then(|| dimension.name.clone());
                    let akas = dimension
                        .aka
                        .iter()
                        .filter(move |word| aka && fold(word) == key);
                    name.into_iter().chain(akas.cloned())
                })
                .collect()
        })
    }

    fn dimension_words(&self) -> &DimensionWords {
        self.by_word().get_or_init(|| {
            let mut all: Vec<(String, bool, DimensionId)> = Vec::new();
            for (d, dimension) in (0u16..).map(DimensionId).zip(self.dimensions()) {
                all.push((fold(&dimension.name), false, d));
                all.extend(dimension.aka.iter().map(|aka| (fold(aka), true, d)));
            }
            all.sort();
            all.dedup();
            let mut words = DimensionWords::default();
            for (key, aka, d) in all {
                if words.keys.last() != Some(&key) {
                    words.keys.push(key);
                    words.members.push(Vec::new());
                }
                if let Some(members) = words.members.last_mut() {
                    members.push((aka, d));
                }
            }
            words
        })
    }

    /// The units of measure.
    pub fn units(&self) -> &Units {
        &self.catalogue().units
    }
}
