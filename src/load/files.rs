//! Where loaders find files: on the disk; on the disk, and kept as they are read; or among
//! those that were kept.

use super::{LoadError, Progress, Request};
use crate::lattice::{Keeper, KeptFile, KeptReader};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where files are. Clones share what is kept.
#[derive(Clone, Default)]
pub(super) struct Files(Option<Rc<RefCell<Shelf>>>);

struct Shelf {
    files: Vec<KeptFile>,
    /// What keeps a file that is read from the disk; without it no other files are there.
    keeper: Option<Keeper>,
}

/// A file that is open.
pub(super) enum Input {
    Disk(File),
    Kept(KeptReader),
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Disk(file) => file.read(into),
            Input::Kept(kept) => kept.read(into),
        }
    }
}

impl Files {
    /// Those of the disk, each of which is read once and kept, and then read from there:
    /// what is kept is what was loaded, whatever happens to the file meanwhile.
    pub fn keeping(keeper: Keeper) -> Files {
        Files::of(Vec::new(), Some(keeper))
    }

    /// Those that were kept, and no others.
    pub fn kept(files: Vec<KeptFile>) -> Files {
        Files::of(files, None)
    }

    fn of(files: Vec<KeptFile>, keeper: Option<Keeper>) -> Files {
        Files(Some(Rc::new(RefCell::new(Shelf { files, keeper }))))
    }

    /// What is kept, in the order in which it was read first.
    pub fn files(&self) -> Vec<KeptFile> {
        let shelf = self.0.as_ref();
        shelf.map_or_else(Vec::new, |shelf| shelf.borrow().files.clone())
    }

    /// Gives back what keeps files.
    pub fn into_keeper(self) -> Option<Keeper> {
        self.0?.borrow_mut().keeper.take()
    }

    /// Opens a file, which is known by the name of its document wherever it lies.
    pub fn open(&self, path: &Path, name: &str) -> Result<Input, LoadError> {
        self.opened(path, name, &mut || true)
    }

    /// Reads a file that is to be kept, so that opening it takes no time.
    pub fn keep(&self, request: &Request, progress: &mut dyn Progress) -> Result<(), LoadError> {
        if self.0.is_none() {
            return Ok(());
        }
        let mut going = || progress.tick(0, 0).is_continue();
        self.opened(&request.path, &request.document, &mut going)
            .map(drop)
    }

    fn opened(
        &self,
        path: &Path,
        name: &str,
        going: &mut dyn FnMut() -> bool,
    ) -> Result<Input, LoadError> {
        let Some(shelf) = &self.0 else {
            return on_disk(path).map(Input::Disk);
        };
        let mut shelf = shelf.borrow_mut();
        if let Some(file) = shelf.files.iter().find(|file| file.name == name) {
            return Ok(Input::Kept(file.bytes.open()));
        }
        let Some(keeper) = &mut shelf.keeper else {
            let path = path.to_path_buf();
            return Err(LoadError::NotFound { path });
        };
        let mut file = on_disk(path)?;
        let kept = keeper.keep(&mut file, going);
        let kept = kept.map_err(|error| LoadError::from_io(path, &error))?;
        let bytes = kept.ok_or(LoadError::Cancelled)?;
        let input = Input::Kept(bytes.open());
        let name = name.to_owned();
        shelf.files.push(KeptFile { name, bytes });
        Ok(input)
    }

    /// Whether there is such a file.
    pub fn is_there(&self, path: &Path, name: &str) -> bool {
        let Some(shelf) = &self.0 else {
            return path.is_file();
        };
        let shelf = shelf.borrow();
        let kept = shelf.files.iter().any(|file| file.name == name);
        kept || (shelf.keeper.is_some() && path.is_file())
    }

    /// The path by which a file is known that has several.
    pub fn real(&self, path: &Path) -> Result<PathBuf, LoadError> {
        let on_disk = match &self.0 {
            Some(shelf) => shelf.borrow().keeper.is_some(),
            None => true,
        };
        if !on_disk {
            return Ok(path.to_path_buf());
        }
        path.canonicalize()
            .map_err(|error| LoadError::from_io(path, &error))
    }
}

fn on_disk(path: &Path) -> Result<File, LoadError> {
    let failed = |error: io::Error| LoadError::from_io(path, &error);
    let file = File::open(path).map_err(failed)?;
    match file.metadata().map_err(failed)?.is_dir() {
        true => Err(LoadError::IsDirectory {
            path: path.to_path_buf(),
        }),
        false => Ok(file),
    }
}
