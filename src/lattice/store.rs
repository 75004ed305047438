//! Saving a lattice: whole, or not at all.

use super::{Lattice, StoreError};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

impl Lattice {
    /// The bytes that [`Lattice::save`] writes.
    pub fn as_bytes(&self) -> &[u8] {
        self.image().bytes()
    }

    /// Writes the lattice to a file, which appears whole or stays as it was: the
    /// bytes go to a new file in the same folder, which then takes its place.
    ///
    /// # Errors
    /// If the lattice itself is damaged, or the system refuses; the disk may be full.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        // Damage is not to be copied under a new name.
        self.verify_all()?;
        if path.is_dir() {
            return Err(StoreError::IsDirectory {
                path: path.to_path_buf(),
            });
        }
        // A link stays a link, to the new content.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        self.replace(&target)
            .map_err(|error| StoreError::from_io(path, &error))
    }

    fn replace(&self, target: &Path) -> io::Result<()> {
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".lattice-").suffix(".new");
        if let Some(permissions) = permissions(target) {
            builder.permissions(permissions);
        }
        let mut file = builder.tempfile_in(&folder)?;
        file.write_all(self.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(target).map_err(|error| error.error)?;
        sync_folder(&folder)
    }
}

/// Those of the file that is replaced, else what a new file usually gets.
fn permissions(target: &Path) -> Option<Permissions> {
    match std::fs::metadata(target) {
        Ok(metadata) => Some(metadata.permissions()),
        Err(_) => usual(),
    }
}

#[cfg(unix)]
fn usual() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<Permissions> {
    None
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
