//! Changes of a lattice file, and how they are written.
#![deny(clippy::indexing_slicing)]

use super::change::{added, removed};
use crate::lattice::format::{NO_DIMENSION, Part};
use crate::lattice::snapshot::Lattice;
use crate::lattice::{KeptDocument, StoreError, WriteLock};
use std::collections::BTreeSet;

/// Changes of so many bytes, and some more over a large base, are laid over it; with more
/// the lattice is built anew.
const MOST_CHANGES: usize = 1 << 18;

impl Lattice {
    /// This lattice and what one more document says, which `said` says alone; none if it
    /// has to be built anew. The file is as it was.
    pub(crate) fn with_document(&self, said: &Lattice) -> Option<Lattice> {
        let delta = added(self, said)?;
        self.base().laid_under(delta).ok()
    }

    /// This lattice without what a document says, which `said` says alone; none if it has
    /// to be built anew. `is_sole` tells whether no other document states evidence of a
    /// name, and `terms` are the values of taxonomies (dimension and name) that no other
    /// document states. The file is as it was.
    pub(crate) fn without_document(
        &self,
        said: &Lattice,
        is_sole: &dyn Fn(&str) -> bool,
        terms: &[(String, String)],
    ) -> Option<Lattice> {
        let delta = removed(self, said, is_sole, terms)?;
        self.base().laid_under(delta).ok()
    }

    /// Writes what lies over the base of a file behind it, with the documents that it has
    /// then: those of it but for some, and others at their places or behind all. False
    /// if that cannot be said so.
    ///
    /// # Errors
    /// If the system refuses; the file says what it said before.
    pub(crate) fn append_changes(
        &self,
        lock: &mut WriteLock,
        gone: &BTreeSet<usize>,
        put: &[(Option<usize>, KeptDocument)],
    ) -> Result<bool, StoreError> {
        let documents = self.spliced_documents(gone, put);
        let delta = self.over().and_then(|over| over.overlay.delta.pack());
        let Some((mut sections, delta)) = documents.zip(delta) else {
            return Ok(false);
        };
        // With more than that it takes long to lay it over the base.
        if delta.len() > MOST_CHANGES + self.image().bytes().len() / 64 {
            return Ok(false);
        }
        sections.push((Part::Delta, NO_DIMENSION, delta));
        match self.image().is_slack() {
            true => self.image().rewrite(lock, &sections)?,
            false => self.image().append(lock.target(), &sections)?,
        }
        Ok(true)
    }
}
