//! What has changed since the base of a file was written.
//!
//! A change is kept as whole rows: for each instance that a document has spoken of, and
//! each dimension in which it did, all that is said there now. What is in the base is
//! named by its number there, which never changes; what was added has a slot, whose
//! number does not change either. So a later change touches only what it speaks of.
#![deny(clippy::indexing_slicing)]

use crate::lattice::snapshot::Counts;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Something of the base, by its number, or something added, by its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::lattice) enum Link {
    Base(u32),
    Slot(u32),
}

/// What was added to a list of the base, and what of it is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::lattice) struct Slots<T> {
    /// With the number in the base before which each stands; empty ones are gone.
    pub(super) added: Vec<Option<(u32, T)>>,
    pub(super) removed: BTreeSet<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots {
            added: Vec::new(),
            removed: BTreeSet::new(),
        }
    }
}

impl<T> Slots<T> {
    /// Adds an element that stands before one of the base.
    pub(super) fn add(&mut self, before: u32, element: T) -> Link {
        let slot = self.added.len() as u32;
        self.added.push(Some((before, element)));
        Link::Slot(slot)
    }

    pub(super) fn remove(&mut self, link: Link) {
        match link {
            Link::Base(base) => {
                self.removed.insert(base);
            }
            Link::Slot(slot) => {
                if let Some(slot) = self.added.get_mut(slot as usize) {
                    *slot = None;
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.iter().all(Option::is_none)
    }
}

/// What an instance is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::lattice) struct Known {
    pub(super) name: String,
    pub(super) id: String,
}

/// A piece of source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::lattice) struct Text {
    pub(super) document: String,
    pub(super) range: Option<(u64, u64)>,
    pub(super) line: Option<u64>,
    pub(super) text: String,
}

/// A value of a dimension whose values are those that some fact has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lattice) enum Given {
    /// A number, as it is written.
    Number(String),
    /// First and last day.
    Date(i32, i32),
    Text(String),
    /// A value of a taxonomy that stands by itself.
    Term(String),
}

/// A value with the sources that say so and how sure each is.
pub(super) type Said = (Link, Vec<(Link, f64)>);

/// What has changed in a dimension.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::lattice) struct DimensionDelta {
    pub(super) values: Slots<Given>,
    /// Whole rows: what is recorded, and what is denied.
    pub(super) rows: [BTreeMap<Link, Vec<Said>>; 2],
}

/// What is known of an instance beside its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lattice) struct Flags {
    /// See [`crate::lattice::Lattice::is_declared`].
    pub(in crate::lattice) declared: bool,
    /// How many documents mention it; see `Mentions`.
    pub(in crate::lattice) mentions: u8,
}

/// What has changed since the base was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::lattice) struct Delta {
    pub(super) counts: Counts,
    /// The state of the content hash.
    pub(super) state: Vec<u8>,
    pub(super) instances: Slots<Known>,
    pub(super) evidence: Slots<Text>,
    pub(super) dimensions: BTreeMap<u16, DimensionDelta>,
    pub(super) flags: BTreeMap<Link, Flags>,
}

impl Delta {
    /// As it is written.
    pub(in crate::lattice) fn pack(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// What [`Delta::pack`] wrote; `None` for anything else.
    pub(in crate::lattice) fn unpack(bytes: &[u8]) -> Option<Delta> {
        let (delta, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(delta)
    }
}
