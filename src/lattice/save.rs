//! From a builder straight to a file.

use super::builder::Builder;
use super::document_table::Table;
use super::format::Writer;
use super::hash::content_hash_of;
use super::resolve::resolve;
use super::timings::{Clock, Stage, Timings};
use super::{ContentHash, Counts, SaveError, StoreError, WriteLock};
use std::path::Path;

/// What has been written to a file.
#[derive(Clone, Copy, Debug)]
pub struct Built {
    /// How much there is of everything.
    pub counts: Counts,
    /// The hash of all that the lattice says.
    pub content_hash: ContentHash,
    /// How long each stage took.
    pub timings: Timings,
}

impl Builder {
    /// Freezes and saves at once: the same bytes as [`Builder::freeze`] and
    /// [`super::Lattice::save`], in less memory, since the builder is used up on the
    /// way and the file is never in memory as a whole. Between two stages `stopped` is
    /// asked whether to go on.
    ///
    /// # Errors
    /// As those two, or if the caller asked to stop. The file is as it was then.
    pub fn save(
        self,
        path: &Path,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Built, SaveError> {
        super::pool::divided(move || self.save_here(path, None, stopped))
    }

    /// As [`Builder::save`], to the file of a lock that is held already.
    ///
    /// # Errors
    /// As [`Builder::save`].
    pub fn save_locked(
        self,
        lock: WriteLock,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Built, SaveError> {
        let path = lock.path().to_path_buf();
        super::pool::divided(move || self.save_here(&path, Some(lock), stopped))
    }

    fn save_here(
        mut self,
        path: &Path,
        lock: Option<WriteLock>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Built, SaveError> {
        let going = || match stopped() {
            true => Err(SaveError::Stopped),
            false => Ok(()),
        };
        let failed = |error: std::io::Error| StoreError::from_io(path, &error);
        self.intact()?;
        let clock = Clock::default();
        let spill = self.lean()?;
        let resolved = resolve(&self)?;
        let homes = self.homes();
        let kept = Table::of(&self)?;
        self.forget_lookups();
        let frozen = self.frozen(resolved, homes, spill, &clock)?;
        going()?;
        let state = self.hash(&frozen, &clock)?;
        going()?;
        let counts = frozen.counts();
        let mut lock = match lock {
            Some(lock) => lock,
            None => WriteLock::wait(path)?,
        };
        let mut writer = Writer::into_file(lock.begin().map_err(failed)?);
        self.write_first(&frozen, &mut writer, &clock)?;
        going()?;
        let rest = frozen.into_rest(&self, kept);
        let sources = self.into_sources();
        rest.write(&sources, &state, &mut writer, &clock)?;
        drop(sources);
        going()?;
        clock.time(Stage::Writing, || {
            writer.finish(path)?;
            lock.put_in_place().map_err(failed)
        })?;
        Ok(Built {
            counts,
            content_hash: content_hash_of(&state.to_bytes()),
            timings: clock.timings(),
        })
    }

    /// Gives back the memory for finding what has been said.
    fn forget_lookups(&mut self) {
        self.strings.forget_index();
        self.roles = super::roles::Roles::default();
        self.claims = Vec::new();
        self.claims_before = std::collections::HashMap::new();
        self.undo = Vec::new();
    }

    /// Gives back the memory for everything but sources.
    fn into_sources(self) -> super::sources::Sources {
        self.sources
    }
}
