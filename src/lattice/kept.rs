//! The bytes of documents, kept in compressed blocks.

use super::Lattice;
use super::spill::Spill;
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of a file are in one block; in the last one fewer.
const BLOCK: usize = 1 << 20;
/// Blocks that are compressed beside one another.
const AT_ONCE: usize = 4;
/// The least level: of tables of numbers, which are the bulk of most lattices, it makes
/// less than the levels up to 6, in half the time.
const LEVEL: i32 = 1;
/// How much of all memory compressed documents may take.
const SHARE: usize = 16;
/// What is kept in memory in any case: less is not worth a file.
const LEAST: usize = 1 << 18;

/// A block, and the length of what it holds.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) length: u32,
    pub(super) place: Place,
}

/// Where the compressed bytes of a block are.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Memory(Arc<[u8]>),
    Spilled(Arc<Spill>, u64, usize),
    /// In the section of a lattice.
    Lattice(Lattice, Range<usize>),
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its kept bytes are damaged")
}

impl Block {
    /// Its compressed bytes.
    pub(super) fn compressed(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.place {
            Place::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Place::Spilled(spill, at, length) => {
                let mut bytes = vec![0; *length];
                spill.read(&mut bytes, *at)?;
                Ok(Cow::Owned(bytes))
            }
            Place::Lattice(lattice, range) => {
                let bytes = lattice.document_blocks(range.clone());
                bytes.map(Cow::Borrowed).ok_or_else(damaged)
            }
        }
    }

    /// The length of its compressed bytes.
    pub(super) fn compressed_length(&self) -> usize {
        match &self.place {
            Place::Memory(bytes) => bytes.len(),
            Place::Spilled(_, _, length) => *length,
            Place::Lattice(_, range) => range.len(),
        }
    }

    /// What it holds.
    fn raw(&self) -> io::Result<Vec<u8>> {
        let length = self.length as usize;
        if length > BLOCK {
            return Err(damaged());
        }
        let raw = zstd::bulk::decompress(&self.compressed()?, length);
        raw.ok()
            .filter(|raw| raw.len() == length)
            .ok_or_else(damaged)
    }
}

/// The bytes of a file. Cloning them is cheap.
#[derive(Clone, Debug)]
pub struct KeptBytes {
    pub(super) blocks: Arc<[Block]>,
    pub(super) length: u64,
    pub(super) hash: [u8; 32],
}

impl KeptBytes {
    /// How many there are.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Their BLAKE3.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Reads them from the first on.
    pub fn open(&self) -> KeptReader {
        KeptReader {
            bytes: self.clone(),
            next: 0,
            raw: Vec::new(),
            read: 0,
        }
    }

    /// Whether they are what was kept.
    pub(super) fn are_whole(&self) -> bool {
        let mut hasher = blake3::Hasher::new();
        let mut length = 0;
        for block in self.blocks.iter() {
            let Ok(raw) = block.raw() else {
                return false;
            };
            length += raw.len() as u64;
            hasher.update(&raw);
        }
        length == self.length && *hasher.finalize().as_bytes() == self.hash
    }
}

/// Reads kept bytes one after another.
#[derive(Debug)]
pub struct KeptReader {
    bytes: KeptBytes,
    next: usize,
    raw: Vec<u8>,
    read: usize,
}

impl Read for KeptReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.raw.len() {
            let Some(block) = self.bytes.blocks.get(self.next) else {
                return Ok(0);
            };
            (self.raw, self.read) = (block.raw()?, 0);
            self.next += 1;
        }
        let mut rest = self.raw.get(self.read..).unwrap_or_default();
        let read = rest.read(into)?;
        self.read += read;
        Ok(read)
    }
}

/// Keeps bytes, in memory as long as there is enough, and in a temporary file then.
#[derive(Clone, Debug, Default)]
pub struct Keeper {
    /// How much memory there is, and where to put the rest; without it no end of it.
    room: Option<(usize, PathBuf)>,
    used: usize,
    spill: Option<Arc<Spill>>,
}

impl Keeper {
    pub(super) fn within(memory: usize, folder: &Path) -> Keeper {
        Keeper {
            room: Some((LEAST.max(memory / SHARE), folder.to_path_buf())),
            ..Keeper::default()
        }
    }

    /// How much memory is taken.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Reads to the end and keeps what is read; nothing if `going` says to stop, which is
    /// asked before each block.
    ///
    /// # Errors
    /// If it cannot be read, or not be kept.
    pub fn keep(
        &mut self,
        from: &mut dyn Read,
        going: &mut dyn FnMut() -> bool,
    ) -> io::Result<Option<KeptBytes>> {
        let mut hasher = blake3::Hasher::new();
        let (mut blocks, mut length) = (Vec::new(), 0);
        loop {
            let mut some = Vec::with_capacity(AT_ONCE);
            while some.len() < AT_ONCE {
                if !going() {
                    return Ok(None);
                }
                let mut raw = Vec::new();
                (&mut *from).take(BLOCK as u64).read_to_end(&mut raw)?;
                if raw.is_empty() {
                    break;
                }
                hasher.update(&raw);
                length += raw.len() as u64;
                some.push(raw);
            }
            if some.is_empty() {
                break;
            }
            let compressed = some.par_iter();
            let compressed = compressed.map(|raw| zstd::bulk::compress(raw, LEVEL));
            let compressed: io::Result<Vec<Vec<u8>>> = compressed.collect();
            for (raw, compressed) in some.iter().zip(compressed?) {
                blocks.push(Block {
                    length: raw.len() as u32,
                    place: self.placed(compressed)?,
                });
            }
        }
        Ok(Some(KeptBytes {
            blocks: blocks.into(),
            length,
            hash: *hasher.finalize().as_bytes(),
        }))
    }

    fn placed(&mut self, compressed: Vec<u8>) -> io::Result<Place> {
        if let Some((memory, folder)) = &self.room
            && self.used + compressed.len() > *memory
        {
            let failed = |error: io::Error| {
                io::Error::other(format!("a temporary file could not be written ({error})"))
            };
            let spill = match &self.spill {
                Some(spill) => spill.clone(),
                None => {
                    let made = Spill::create(folder).map_err(failed)?;
                    self.spill.insert(made).clone()
                }
            };
            let at = spill.put(&compressed).map_err(failed)?;
            return Ok(Place::Spilled(spill, at, compressed.len()));
        }
        self.used += compressed.len();
        Ok(Place::Memory(compressed.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        // Random bytes, of which compression makes no fewer.
        let mut bytes = vec![0; 3 * BLOCK + 5];
        let mut random = blake3::Hasher::new().finalize_xof();
        random.fill(&mut bytes);
        for mut keeper in [Keeper::default(), Keeper::within(1 << 10, folder.path())] {
            let kept = keeper.keep(&mut bytes.as_slice(), &mut || true).unwrap();
            let kept = kept.unwrap();
            let mut read = Vec::new();
            kept.open().read_to_end(&mut read).unwrap();
            assert!(read == bytes && kept.are_whole());
            assert_eq!(kept.length(), bytes.len() as u64);
            assert_eq!(kept.hash(), *blake3::hash(&bytes).as_bytes());
            let none = keeper.keep(&mut [].as_slice(), &mut || true).unwrap();
            assert_eq!(none.unwrap().length(), 0);
            let stopped = keeper.keep(&mut bytes.as_slice(), &mut || false).unwrap();
            assert!(stopped.is_none());
        }
    }
}
