//! Saving a lattice: whole, or not at all, and one writer of a file at a time.
//!
//! The bytes go to `.NAME.lattice-new` beside the file, which then takes its place.
//! Whoever writes it holds a lock on it, which ends with the process: one without a
//! lock was left behind, and is used or removed by the next writer in the folder.
//! Readers take no lock.

use super::{Lattice, StoreError};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long [`Lattice::save`] waits for another writer of the same file.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a lock is tried before the file is called busy.
const TRIES: usize = 5;
const SUFFIX: &str = ".lattice-new";

impl Lattice {
    /// The bytes that [`Lattice::save`] writes.
    pub fn as_bytes(&self) -> &[u8] {
        self.image().bytes()
    }

    /// Writes the lattice to a file, which appears whole or stays as it was: the
    /// bytes go to a new file in the same folder, which then takes its place. If
    /// another program is writing the same file, waits for it for half a minute.
    ///
    /// # Errors
    /// If the lattice itself is damaged, the system refuses (the disk may be full), or
    /// another program goes on writing the file.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        WriteLock::wait(path)?.save(self)
    }
}

/// The right to write one file, for whoever reads it, adds to it and saves it: as
/// long as it is held, others are told that the file is busy. Readers are not
/// hindered.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    target: PathBuf,
    folder: PathBuf,
    new: PathBuf,
    file: File,
    /// Whether the new file has taken the place of the old one.
    done: bool,
}

impl WriteLock {
    /// Takes the lock of a file, which need not exist yet.
    ///
    /// # Errors
    /// If another one holds it ([`StoreError::Busy`]), the file is read-only
    /// ([`StoreError::ReadOnly`]) or the system refuses.
    pub fn take(path: &Path) -> Result<WriteLock, StoreError> {
        if path.is_dir() {
            return Err(StoreError::IsDirectory {
                path: path.to_path_buf(),
            });
        }
        let failed = |error: io::Error| StoreError::from_io(path, &error);
        if let Ok(there) = std::fs::metadata(path) {
            let path = path.to_path_buf();
            // A device or a pipe would be replaced by a file of its name.
            if !there.is_file() {
                let message = "it is a device or a pipe, not a file".to_owned();
                return Err(StoreError::Io { path, message });
            }
            // The folder may let it be replaced; it was protected all the same.
            if there.permissions().readonly() {
                return Err(StoreError::ReadOnly { path });
            }
        }
        // A link stays a link, to the new content.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let (new, file) = opened(&folder, &target).map_err(failed)?;
        let Some(file) = file else {
            let path = path.to_path_buf();
            return Err(StoreError::Busy { path });
        };
        Ok(WriteLock {
            path: path.to_path_buf(),
            target,
            folder,
            new,
            file,
            done: false,
        })
    }

    /// Takes the lock of a file, for which it waits half a minute if another one holds
    /// it.
    ///
    /// # Errors
    /// As [`WriteLock::take`].
    pub fn wait(path: &Path) -> Result<WriteLock, StoreError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match WriteLock::take(path) {
                Err(StoreError::Busy { .. }) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                taken => return taken,
            }
        }
    }

    /// The file itself, where the path is a link.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a lattice to the file, and gives the lock back.
    ///
    /// # Errors
    /// As [`Lattice::save`].
    pub fn save(mut self, lattice: &Lattice) -> Result<(), StoreError> {
        // Damage is not to be copied under a new name.
        if !lattice.image().is_made_here() {
            lattice.verify_pages()?;
        }
        self.replace(lattice)
            .map_err(|error| StoreError::from_io(&self.path, &error))
    }

    fn replace(&mut self, lattice: &Lattice) -> io::Result<()> {
        self.begin()?.write_all(lattice.as_bytes())?;
        self.put_in_place()
    }

    /// The new file, empty.
    pub(super) fn begin(&mut self) -> io::Result<File> {
        sweep(&self.folder, &self.new);
        if let Ok(metadata) = std::fs::metadata(&self.target) {
            self.file.set_permissions(metadata.permissions())?;
        }
        self.file.set_len(0)?;
        self.file.try_clone()
    }

    /// Lets the new file take the place of the old one.
    pub(super) fn put_in_place(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.new, &self.target)?;
        self.done = true;
        sync_folder(&self.folder)
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // The name is given up before the lock: the next writer makes a new file.
        if !self.done {
            let _ = std::fs::remove_file(&self.new);
        }
    }
}

/// The new file for a target; none if another writer holds it.
fn opened(folder: &Path, target: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let named = |middle: &str| {
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(middle);
        name.push(SUFFIX);
        folder.join(name)
    };
    let new = named("");
    for _ in 0..TRIES {
        match locked(&new, true)? {
            Locked::Yes(file) => return Ok((new, Some(file))),
            // Who removes what was left behind holds the lock for a moment.
            Locked::No => std::thread::sleep(Duration::from_millis(1)),
            // Some network file systems have none. There each process has a file of
            // its own, and the last one to finish wins.
            Locked::NoLocks => {
                let own = named(&format!(".{}", std::process::id()));
                let file = OpenOptions::new().write(true).create_new(true).open(&own);
                return match file {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((own, None)),
                    file => Ok((own, Some(file?))),
                };
            }
        }
    }
    Ok((new, None))
}

enum Locked {
    Yes(File),
    No,
    NoLocks,
}

/// The file of this name, empty or left behind, with a lock.
fn locked(new: &Path, create: bool) -> io::Result<Locked> {
    let file = OpenOptions::new()
        .write(true)
        .create(create)
        .truncate(false)
        .open(new)?;
    match file.try_lock() {
        Ok(()) if is_at(&file, new)? => Ok(Locked::Yes(file)),
        // Between opening and locking another writer has finished with it.
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(Locked::No),
        Err(TryLockError::Error(_)) => Ok(Locked::NoLocks),
    }
}

/// Whether an open file is the one of this name, and of no other.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    let named = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named?,
    };
    if named.is_symlink() || open.nlink() > 1 {
        let what = format!("{} is a link and in the way; remove it", path.display());
        return Err(io::Error::other(what));
    }
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Whether an open file is the one of this name, as far as can be told.
#[cfg(not(unix))]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    let named = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named?,
    };
    let same = |a: io::Result<_>, b: io::Result<_>| matches!((a, b), (Ok(a), Ok(b)) if a == b);
    Ok(open.len() == named.len()
        && same(open.created(), named.created())
        && same(open.modified(), named.modified()))
}

/// Removes what killed writers of other files in the folder have left behind. What
/// cannot be locked has a living writer; what cannot be removed does no harm.
fn sweep(folder: &Path, own: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = entry.path();
        let is_left = name.starts_with('.') && name.ends_with(SUFFIX) && path != own;
        if is_left && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // Locked until it is gone, so that no writer takes it up meanwhile.
            if let Ok(Locked::Yes(_lock)) = locked(&path, false) {
                let _ = std::fs::remove_file(&path);
            }
        }
    }
}

/// Makes the new name outlast a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
