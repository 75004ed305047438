//! The one layout of a lattice, in memory and in a file.
//!
//! ```text
//! 0    magic "LATWEAVE", format version (u32), zero (u32)
//! 16   two equal header slots of 96 bytes: generation, offset and length of the
//!      table of contents, length of the file (u64 each), BLAKE3 of the table, and
//!      BLAKE3 of the 16 + 64 bytes that say this
//! 208  sections, each padded with zeros to a multiple of 8 bytes
//! ...  table of contents: per section its kind and dimension (u32 each), offset,
//!      length (u64 each) and BLAKE3 of its padded bytes
//! ```
//!
//! Every byte is covered by some hash, and the table is covered by the header's.
#![deny(clippy::indexing_slicing)]

use super::{StoreError, pack};
use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) const MAGIC: [u8; 8] = *b"LATWEAVE";
/// The version of the format; other versions are not read.
pub(super) const FORMAT: u32 = 2;
const HEADER: usize = size_of::<Start>() + 2 * size_of::<Slot>();
/// The dimension of a section that belongs to none.
pub(super) const NO_DIMENSION: u32 = u32::MAX;

/// What a section holds, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum Part {
    Catalogue = 1,
    Names,
    Ids,
    Aliases,
    NameIndex,
    Terms,
    Numbers,
    Dates,
    Texts,
    Positive,
    Negative,
    EvidenceIndex,
    EvidenceBlocks,
    Defects,
    ContentHash,
}

impl Part {
    /// The sections that every lattice has, whatever its dimensions.
    const ALWAYS: [Part; 8] = [
        Part::Catalogue,
        Part::Names,
        Part::Ids,
        Part::Aliases,
        Part::NameIndex,
        Part::EvidenceIndex,
        Part::EvidenceBlocks,
        Part::ContentHash,
    ];

    fn described(self) -> &'static str {
        match self {
            Part::Catalogue => "catalogue",
            Part::Names => "names",
            Part::Ids => "ids",
            Part::Aliases => "aliases",
            Part::NameIndex => "index of names",
            Part::Terms => "taxonomy",
            Part::Numbers => "numbers",
            Part::Dates => "dates",
            Part::Texts => "strings",
            Part::Positive => "facts",
            Part::Negative => "denials",
            Part::EvidenceIndex => "index of source texts",
            Part::EvidenceBlocks => "source texts",
            Part::Defects => "defects",
            Part::ContentHash => "content hash",
        }
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Start {
    magic: [u8; 8],
    version: u32,
    zero: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    generation: u64,
    table: u64,
    table_length: u64,
    file_length: u64,
    table_hash: [u8; 32],
    hash: [u8; 32],
}

impl Slot {
    fn hash_with(&self, start: &Start) -> [u8; 32] {
        let unsigned = Slot {
            hash: [0; 32],
            ..*self
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytemuck::bytes_of(start));
        hasher.update(bytemuck::bytes_of(&unsigned));
        *hasher.finalize().as_bytes()
    }
}

/// An entry of the table of contents.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Entry {
    part: u32,
    dimension: u32,
    offset: u64,
    length: u64,
    hash: [u8; 32],
}

enum Bytes {
    Owned(Vec<u64>),
    Mapped(Mmap),
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Owned(words) => bytemuck::cast_slice(words),
            Bytes::Mapped(map) => map,
        }
    }
}

/// A lattice's bytes, whose header and table of contents have been checked.
pub(super) struct Image {
    bytes: Bytes,
    path: PathBuf,
    entries: Vec<Entry>,
    /// Whether the section's hash is right; found out at first use.
    right: Vec<OnceLock<bool>>,
    /// Whether this process has made it.
    made: bool,
}

impl Image {
    /// Maps a file.
    pub(super) fn open(path: &Path) -> Result<Image, StoreError> {
        let failed = |error: io::Error| StoreError::from_io(path, &error);
        // Asked before opening: opening a pipe would wait for a writer.
        let metadata = std::fs::metadata(path).map_err(failed)?;
        let owned = path.to_path_buf();
        if metadata.is_dir() {
            return Err(StoreError::IsDirectory { path: owned });
        }
        if !metadata.is_file() {
            return Err(StoreError::NotALattice { path: owned });
        }
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() == 0 {
            return Err(StoreError::Empty { path: owned });
        }
        // Sound as long as nobody changes the file in place. `save` never does: it
        // renames a new file over the old one, which stays mapped as it was. Where
        // another program writes into it, the hashes find what has been read, and
        // every index is checked before use.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        Image::checked(Bytes::Mapped(map), owned)
    }

    /// Copies bytes, which need not be aligned, and may come from anywhere.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Image, StoreError> {
        let path = PathBuf::from("(memory)");
        // The copy below is padded to whole words.
        if !bytes.len().is_multiple_of(8) {
            table_of(bytes, &path)?;
            let section = "length".to_owned();
            return Err(StoreError::Damaged { path, section });
        }
        Image::checked(Bytes::Owned(pack::copied(bytes)), path)
    }

    fn checked(bytes: Bytes, path: PathBuf) -> Result<Image, StoreError> {
        let entries = table_of(bytes.all(), &path)?;
        let right = entries.iter().map(|_| OnceLock::new()).collect();
        Ok(Image {
            bytes,
            path,
            entries,
            right,
            made: false,
        })
    }

    /// An image without sections.
    pub(super) fn nothing() -> Image {
        Image {
            bytes: Bytes::Owned(Vec::new()),
            path: PathBuf::new(),
            entries: Vec::new(),
            right: Vec::new(),
            made: true,
        }
    }

    /// Whether this process has made the bytes, so that they cannot be damaged.
    pub(super) fn is_made_here(&self) -> bool {
        self.made
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    /// Whether both header slots are as they were written; one suffices to open.
    /// (An image without sections has none.)
    pub(super) fn header_is_whole(&self) -> bool {
        let bytes = self.bytes();
        if bytes.is_empty() {
            return true;
        }
        let Some(header) = bytes.get(..HEADER) else {
            return false;
        };
        let (start, slots) = header.split_at(size_of::<Start>());
        let Ok(start) = bytemuck::try_pod_read_unaligned::<Start>(start) else {
            return false;
        };
        let slots: Vec<Slot> = pack::copied(slots);
        slots.iter().all(|slot| slot.hash == slot.hash_with(&start))
    }

    /// The error for a damaged section.
    pub(super) fn damaged(&self, section: impl Into<String>) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            section: section.into(),
        }
    }

    /// What to call a section in a message.
    pub(super) fn described(&self, part: Part, dimension: Option<&str>) -> String {
        match dimension {
            Some(name) => format!("{} of \"{name}\"", part.described()),
            None => part.described().to_owned(),
        }
    }

    /// The bytes of a section whose hash is right. `Ok(None)` if there is no such
    /// section, an error if it is damaged.
    pub(super) fn section(&self, part: Part, dimension: u32) -> Result<Option<&[u8]>, Wrong> {
        let Some(at) = self.find(part, dimension) else {
            return Ok(None);
        };
        let right = self.right.get(at).ok_or(Wrong)?;
        let sound = *right.get_or_init(|| self.is_right(at));
        if !sound {
            return Err(Wrong);
        }
        self.raw(at).map(Some).ok_or(Wrong)
    }

    /// The bytes of a section, whatever its hash: for parts with hashes of their own.
    pub(super) fn unchecked(&self, part: Part) -> Option<&[u8]> {
        self.raw(self.find(part, NO_DIMENSION)?)
    }

    fn find(&self, part: Part, dimension: u32) -> Option<usize> {
        self.entries
            .binary_search_by_key(&(part as u32, dimension), |e| (e.part, e.dimension))
            .ok()
    }

    fn raw(&self, at: usize) -> Option<&[u8]> {
        let entry = self.entries.get(at)?;
        self.bytes()
            .get(entry.offset as usize..(entry.offset + entry.length) as usize)
    }

    fn is_right(&self, at: usize) -> bool {
        let hash = self.entries.get(at).and_then(|entry| {
            let end = (entry.offset + entry.length).next_multiple_of(8);
            let padded = self.bytes().get(entry.offset as usize..end as usize)?;
            Some(*blake3::hash(padded).as_bytes() == entry.hash)
        });
        hash.unwrap_or(false)
    }
}

/// Bytes that are not what they should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrong;

/// Checks the header and reads the table of contents.
fn table_of(bytes: &[u8], path: &Path) -> Result<Vec<Entry>, StoreError> {
    let owned = || path.to_path_buf();
    let damaged = |section: &str| StoreError::Damaged {
        path: owned(),
        section: section.into(),
    };
    let found = bytes.len() as u64;
    if !bytes.starts_with(&MAGIC) {
        return Err(match MAGIC.starts_with(bytes) {
            true => StoreError::Truncated {
                path: owned(),
                expected: HEADER as u64,
                found,
            },
            false => StoreError::NotALattice { path: owned() },
        });
    }
    let Some(header) = bytes.get(..HEADER) else {
        return Err(StoreError::Truncated {
            path: owned(),
            expected: HEADER as u64,
            found,
        });
    };
    let (start, slots) = header.split_at(size_of::<Start>());
    let start: Start = bytemuck::try_pod_read_unaligned(start).map_err(|_| damaged("header"))?;
    if start.version != FORMAT {
        return Err(StoreError::OtherVersion {
            path: owned(),
            found: start.version,
            expected: FORMAT,
        });
    }
    let slots: Vec<Slot> = pack::copied(slots);
    let slot = slots
        .into_iter()
        .filter(|slot| slot.hash == slot.hash_with(&start))
        .max_by_key(|slot| slot.generation)
        .ok_or_else(|| damaged("header"))?;
    if found < slot.file_length {
        return Err(StoreError::Truncated {
            path: owned(),
            expected: slot.file_length,
            found,
        });
    }
    let table = usize::try_from(slot.table)
        .ok()
        .and_then(|at| bytes.get(at..))
        .filter(|table| table.len() as u64 == slot.table_length && found == slot.file_length)
        .filter(|table| *blake3::hash(table).as_bytes() == slot.table_hash)
        .ok_or_else(|| damaged("table of contents"))?;
    let entries: Vec<Entry> = pack::copied(table);
    let well_formed = entries.len() as u64 * size_of::<Entry>() as u64 == slot.table_length
        && are_in_place(&entries, slot.table)
        && Part::ALWAYS.iter().all(|part| {
            let key = (*part as u32, NO_DIMENSION);
            entries
                .binary_search_by_key(&key, |e| (e.part, e.dimension))
                .is_ok()
        });
    match well_formed {
        true => Ok(entries),
        false => Err(damaged("table of contents")),
    }
}

/// Whether the sections follow one another without a gap up to the table.
fn are_in_place(entries: &[Entry], table: u64) -> bool {
    let mut end = HEADER as u64;
    for entry in entries {
        let next = entry.offset.checked_add(entry.length);
        match next.and_then(|next| next.checked_next_multiple_of(8)) {
            Some(next) if entry.offset == end => end = next,
            _ => return false,
        }
    }
    end == table && entries.is_sorted_by_key(|e| (e.part, e.dimension))
}

/// Puts sections one after another, in memory or into a file.
pub(super) struct Writer {
    sink: Sink,
    /// How many bytes there are so far.
    length: u64,
    entries: Vec<Entry>,
}

enum Sink {
    Memory(Vec<u64>),
    /// With what went wrong first, after which nothing is written.
    File(File, io::Result<()>),
}

impl Writer {
    /// A writer into memory.
    pub(super) fn new() -> Writer {
        Writer {
            sink: Sink::Memory(vec![0; HEADER / 8]),
            length: HEADER as u64,
            entries: Vec::new(),
        }
    }

    /// A writer into an empty file.
    pub(super) fn into_file(file: File) -> Writer {
        let mut writer = Writer {
            sink: Sink::File(file, Ok(())),
            length: 0,
            entries: Vec::new(),
        };
        writer.put(&[0; HEADER]);
        writer
    }

    /// Appends bytes, padded with zeros to whole words.
    fn put(&mut self, bytes: &[u8]) {
        let padding = bytes.len().next_multiple_of(8) - bytes.len();
        self.length += (bytes.len() + padding) as u64;
        match &mut self.sink {
            Sink::Memory(words) => {
                let before = words.len();
                words.resize(before + bytes.len().div_ceil(8), 0);
                let added = words.get_mut(before..).unwrap_or(&mut []);
                let room: &mut [u8] = bytemuck::cast_slice_mut(added);
                if let Some(room) = room.get_mut(..bytes.len()) {
                    room.copy_from_slice(bytes);
                }
            }
            Sink::File(file, done) => {
                let zeros = [0; 8];
                let padding = zeros.get(..padding).unwrap_or(&[]);
                if done.is_ok() {
                    *done = file.write_all(bytes).and_then(|()| file.write_all(padding));
                }
            }
        }
    }

    /// Appends a section; they come in the order of [`Part`], then of dimensions.
    pub(super) fn section(&mut self, part: Part, dimension: u32, bytes: &[u8]) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytes);
        let padding = bytes.len().next_multiple_of(8) - bytes.len();
        hasher.update([0; 8].get(..padding).unwrap_or(&[]));
        self.entries.push(Entry {
            part: part as u32,
            dimension,
            offset: self.length,
            length: bytes.len() as u64,
            hash: *hasher.finalize().as_bytes(),
        });
        self.put(bytes);
    }

    /// Writes the table of contents and the header. An image if they were written
    /// into memory; `path` is what a file is called in errors.
    pub(super) fn finish(mut self, path: &Path) -> Result<Option<Image>, StoreError> {
        let entries = std::mem::take(&mut self.entries);
        let table: &[u8] = bytemuck::cast_slice(&entries);
        let start = Start {
            magic: MAGIC,
            version: FORMAT,
            zero: 0,
        };
        let offset = self.length;
        let mut slot = Slot {
            generation: 1,
            table: offset,
            table_length: table.len() as u64,
            file_length: offset + table.len() as u64,
            table_hash: *blake3::hash(table).as_bytes(),
            hash: [0; 32],
        };
        slot.hash = slot.hash_with(&start);
        let slots = [slot, slot];
        let header = [bytemuck::bytes_of(&start), bytemuck::cast_slice(&slots)].concat();
        self.put(table);
        match self.sink {
            Sink::Memory(mut words) => {
                let all: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
                if let Some(room) = all.get_mut(..HEADER) {
                    room.copy_from_slice(&header);
                }
                let mut image = Image::checked(Bytes::Owned(words), PathBuf::new())?;
                image.made = true;
                // Hashed a moment ago.
                image.right.iter().for_each(|right| {
                    let _ = right.set(true);
                });
                Ok(Some(image))
            }
            Sink::File(mut file, done) => {
                let done = done.and_then(|()| file.rewind());
                let done = done.and_then(|()| file.write_all(&header));
                done.map_err(|error| StoreError::from_io(path, &error))?;
                Ok(None)
            }
        }
    }
}
