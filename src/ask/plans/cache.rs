//! Plans that are kept, so that a question is planned once: a folder of files, each
//! named by the hash of its head.

use super::file::{Head, PlanFile};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A folder of plans.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What is kept under a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing.
    Nothing,
    /// The plan.
    Plan(Box<PlanFile>),
    /// A file that is not the plan that was put there: damaged or edited.
    Altered(PathBuf),
}

/// A plan that could not be read or kept.
#[derive(Debug, Error)]
#[error("{} could not be {what}: {error}", path.display())]
pub struct CacheError {
    path: PathBuf,
    what: &'static str,
    error: io::Error,
}

impl Cache {
    /// The cache in a folder. The folder is made when the first plan is put there.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
        }
    }

    /// Where the plan of a head is kept.
    pub fn path(&self, head: &Head) -> PathBuf {
        self.folder.join(head.key()).with_extension("lq")
    }

    /// What is kept under a head.
    ///
    /// # Errors
    /// If a file is there and cannot be read.
    pub fn get(&self, head: &Head) -> Result<Kept, CacheError> {
        let path = self.path(head);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::Nothing),
            Err(error) => return Err(told(&path, "read", error)),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return Ok(Kept::Altered(path));
        };
        let plan = PlanFile::read(&text);
        Ok(match plan.head == *head && plan.is_sealed() {
            true => Kept::Plan(Box::new(plan)),
            false => Kept::Altered(path),
        })
    }

    /// Keeps a plan, in place of what was kept under its head. Whoever reads meanwhile
    /// sees the one or the other, whole.
    ///
    /// # Errors
    /// If the file or its folder cannot be written.
    pub fn put(&self, plan: &PlanFile) -> Result<PathBuf, CacheError> {
        let path = self.path(&plan.head);
        let folder: &Path = &self.folder;
        let unwritten = |error| told(&path, "written", error);
        fs::create_dir_all(folder).map_err(|error| told(folder, "made", error))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(unwritten)?;
        file.write_all(plan.text().as_bytes()).map_err(unwritten)?;
        file.persist(&path)
            .map_err(|error| unwritten(error.error))?;
        Ok(path)
    }
}

fn told(path: &Path, what: &'static str, error: io::Error) -> CacheError {
    CacheError {
        path: path.to_path_buf(),
        what,
        error,
    }
}
