//! A temporary file for what does not fit into memory.
//!
//! It has no name, or loses it as soon as it is open: whatever ends the process, the
//! system takes it back.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that grows at its end. What has been put stays as it is.
#[derive(Debug)]
pub(super) struct Spill {
    file: Shared,
    end: AtomicU64,
}

impl Spill {
    /// A new file in a folder.
    pub(super) fn create(folder: &Path) -> io::Result<Arc<Spill>> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Arc::new(Spill {
            file: Shared::of(file),
            end: AtomicU64::new(0),
        }))
    }

    /// Puts bytes at the end; where they start.
    pub(super) fn put(&self, bytes: &[u8]) -> io::Result<u64> {
        let start = self.reserve(bytes.len() as u64);
        self.fill(bytes, start)?;
        Ok(start)
    }

    /// Room for so many bytes at the end; where it starts. They are put by
    /// [`Spill::fill`].
    pub(super) fn reserve(&self, length: u64) -> u64 {
        self.end.fetch_add(length, Ordering::Relaxed)
    }

    /// Puts bytes where there is room for them.
    pub(super) fn fill(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.file.write(bytes, at)
    }

    /// Reads bytes that have been put.
    pub(super) fn read(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read(into, at)
    }
}

/// A file that several threads read at places of their own.
#[cfg(unix)]
#[derive(Debug)]
struct Shared(File);

#[cfg(unix)]
impl Shared {
    fn of(file: File) -> Shared {
        Shared(file)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, bytes, at)
    }

    fn read(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, into, at)
    }
}

/// A file that several threads read at places of their own, one after another.
#[cfg(not(unix))]
#[derive(Debug)]
struct Shared(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Shared {
    fn of(file: File) -> Shared {
        Shared(std::sync::Mutex::new(file))
    }

    fn at(&self, at: u64) -> io::Result<std::sync::MutexGuard<'_, File>> {
        use std::io::Seek;
        let mut file = self.0.lock().unwrap_or_else(|error| error.into_inner());
        file.seek(io::SeekFrom::Start(at))?;
        Ok(file)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        io::Write::write_all(&mut *self.at(at)?, bytes)
    }

    fn read(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        io::Read::read_exact(&mut *self.at(at)?, into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read_and_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::create(folder.path()).unwrap();
        assert_eq!(spill.put(b"abc").unwrap(), 0);
        assert_eq!(spill.reserve(2), 3);
        spill.fill(b"e", 4).unwrap();
        spill.fill(b"d", 3).unwrap();
        let mut bytes = [0; 4];
        spill.read(&mut bytes, 1).unwrap();
        assert_eq!(&bytes, b"bcde");
        assert!(spill.read(&mut bytes, 2).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
