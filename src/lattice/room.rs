//! How much memory a builder may take, and what it does when that is not enough.

use super::BuildError;
use super::builder::{Builder, Claim, Inst};
use super::documents::Documents;
use super::mentions::Touched;
use super::spill::Spill;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is kept in memory in any case, in bytes: less is not worth a file.
const LEAST: usize = 16 << 20;
/// Facts or sources between two looks at the memory.
pub(super) const LOOK: usize = 1 << 12;

/// A budget, and where to put what does not fit in it.
#[derive(Clone, Debug)]
pub(super) struct Room {
    memory: usize,
    folder: PathBuf,
    /// The temporary file, once there is one.
    spill: Option<Arc<Spill>>,
    /// Why something could not be put there.
    failed: Option<String>,
}

impl Room {
    /// More bytes of facts and sources are not kept in memory.
    pub(super) fn most_unspilled(&self) -> usize {
        self.memory / 2
    }
}

impl Builder {
    /// A builder that keeps to so many bytes of memory, as far as it can: names stay in
    /// memory, facts and sources go to a temporary file in a folder. The file has no
    /// name, and is gone with the builder or the process.
    pub fn within(memory: u64, folder: &Path) -> Builder {
        Builder {
            room: Some(Room {
                memory: usize::try_from(memory).unwrap_or(usize::MAX),
                folder: folder.to_path_buf(),
                spill: None,
                failed: None,
            }),
            documents: Documents::within(usize::try_from(memory).unwrap_or(usize::MAX), folder),
            ..Builder::default()
        }
    }

    /// Whether everything that was said could be kept.
    ///
    /// # Errors
    /// [`BuildError::Spill`] if a temporary file was needed and could not be written.
    pub fn intact(&self) -> Result<(), BuildError> {
        let failed = self.room.as_ref().and_then(|room| room.failed.clone());
        failed.map_or(Ok(()), |message| Err(BuildError::Spill { message }))
    }

    /// The bytes of memory that names take.
    fn size_of_names(&self) -> usize {
        self.strings.size()
            + self.instances.len() * size_of::<Inst>()
            + self.claims.len() * size_of::<Claim>()
            + self.roles.size()
            + self.uncounted.touched.len() * size_of::<Touched>()
            + self.documents.keeper.used()
    }

    /// The bytes of memory that could go to a file.
    fn size_of_rest(&self) -> usize {
        self.facts.size() + self.sources.unspilled()
    }

    /// Puts facts and sources into the file if they take too much memory.
    pub(super) fn make_room(&mut self) {
        let Some(room) = &self.room else {
            return;
        };
        let rest = self.size_of_rest();
        let least = LEAST.min(room.memory / 8);
        if rest > least && rest + self.size_of_names() > room.most_unspilled() {
            self.put_away();
        }
    }

    fn put_away(&mut self) {
        self.facts.seal(self.marks.iter().map(|mark| mark.facts));
        let Some(room) = &mut self.room else {
            return;
        };
        if room.failed.is_some() {
            return;
        }
        let spill = match &room.spill {
            Some(spill) => Ok(spill.clone()),
            None => Spill::create(&room.folder),
        };
        let done = spill.and_then(|spill| {
            room.spill = Some(spill.clone());
            self.facts.spill(&spill)?;
            self.sources.spill(&spill)
        });
        if let Err(error) = done {
            room.failed = Some(error.to_string());
        }
    }

    /// The file for what is made while everything is put in order, if that would take
    /// too much memory otherwise.
    pub(super) fn lean(&mut self) -> Result<Option<Arc<Spill>>, BuildError> {
        let size = self.size_of_rest() + self.size_of_names();
        let roomy = |room: &Room| room.spill.is_none() && size < room.memory / 8 * 3;
        if self.room.as_ref().is_none_or(roomy) {
            return Ok(None);
        }
        self.put_away();
        self.intact()?;
        Ok(self.room.as_ref().and_then(|room| room.spill.clone()))
    }
}
