//! The one layout of a lattice, in memory and in a file.
//!
//! ```text
//! 0    magic "LATWEAVE", format version (u32), zero (u32)
//! 16   two equal header slots of 96 bytes: generation, offset and length of the
//!      table of contents, length of the file (u64 each), BLAKE3 of the table, and
//!      BLAKE3 of the 16 + 64 bytes that say this
//! 208  sections, each padded with zeros to a multiple of 8 bytes and followed by a
//!      checksum of 16 bytes for each of its pages of 16 KiB
//! ...  table of contents: per section its kind and dimension (u32 each), offset,
//!      length (u64 each) and BLAKE3 of its checksums
//! ```
//!
//! Every byte is covered by some hash, and the table is covered by the header's. A page
//! is checked when it is first read, so that a question costs no more than what it
//! looks at.
#![deny(clippy::indexing_slicing)]

use super::header::{Slot, Start};
use super::pack::Unpacker;
use super::pages::{Good, PAGE, Pages, SUM};
pub(super) use super::part::Part;
use super::stream::{Stream, sums_beside};
use super::{InstanceId, StoreError, pack};
use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const MAGIC: [u8; 8] = *b"LATWEAVE";
/// The version of the format; other versions are not read.
pub(super) const FORMAT: u32 = 3;
const HEADER: usize = size_of::<Start>() + 2 * size_of::<Slot>();
/// The dimension of a section that belongs to none.
pub(super) const NO_DIMENSION: u32 = u32::MAX;

/// An entry of the table of contents.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) part: u32,
    pub(super) dimension: u32,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) hash: [u8; 32],
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
    bytes: Arc<Bytes>,
    path: PathBuf,
    pub(super) entries: Vec<Entry>,
    /// The header slot that says so.
    pub(super) slot: Slot,
    /// Which pages of each section are right; none if its checksums are damaged.
    good: Vec<OnceLock<Option<Good>>>,
    /// Whether something in the section has turned out to be damaged.
    damaged: Vec<AtomicBool>,
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
        let mut mapped = 0;
        loop {
            #[allow(unsafe_code)]
            let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
            let before = std::mem::replace(&mut mapped, map.len());
            match Image::checked(Arc::new(Bytes::Mapped(map)), owned.clone()) {
                // Between mapping and reading the header a change may have been made
                // valid, whose bytes are behind the end of the map.
                Err(StoreError::Truncated { .. }) if mapped > before => {}
                image => return image,
            }
        }
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
        Image::checked(Arc::new(Bytes::Owned(pack::copied(bytes))), path)
    }

    fn checked(bytes: Arc<Bytes>, path: PathBuf) -> Result<Image, StoreError> {
        let (slot, entries) = table_of(bytes.all(), &path)?;
        Ok(Image {
            slot,
            good: entries.iter().map(|_| OnceLock::new()).collect(),
            damaged: entries.iter().map(|_| AtomicBool::new(false)).collect(),
            bytes,
            path,
            entries,
            made: false,
        })
    }

    /// The same bytes, of which nothing has been read.
    pub(super) fn afresh(&self) -> Result<Image, StoreError> {
        Image::checked(Arc::clone(&self.bytes), self.path.clone())
    }

    /// An image without sections.
    pub(super) fn nothing() -> Image {
        Image {
            bytes: Arc::new(Bytes::Owned(Vec::new())),
            path: PathBuf::new(),
            entries: Vec::new(),
            slot: Slot::zeroed(),
            good: Vec::new(),
            damaged: Vec::new(),
            made: true,
        }
    }

    /// Whether this process has made the bytes, so that they cannot be damaged.
    pub(super) fn is_made_here(&self) -> bool {
        self.made
    }

    /// How many bytes header, sections and table of contents take.
    pub(super) fn used(&self) -> u64 {
        let sections = self.entries.iter().filter_map(Place::of);
        let sections: usize = sections
            .map(|place| place.sums.end - place.bytes.start)
            .sum();
        HEADER as u64 + sections as u64 + self.slot.table_length
    }

    /// All bytes that have been made valid; others may follow, of a change that was
    /// broken off.
    pub(super) fn bytes(&self) -> &[u8] {
        let all = self.bytes.all();
        let length = usize::try_from(self.slot.file_length).unwrap_or(usize::MAX);
        all.get(..length).unwrap_or(all)
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
        slots.iter().all(|slot| slot.is_whole(&start))
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

    /// The bytes of a section, all of which are checked now. `Ok(None)` if there is no
    /// such section, an error if it is damaged.
    pub(super) fn section(&self, part: Part, dimension: u32) -> Result<Option<&[u8]>, Wrong> {
        let Some(pages) = self.pages(part, dimension)? else {
            return Ok(None);
        };
        pages.get(0..pages.len()).map(Some).ok_or(Wrong)
    }

    /// The pages of a section, each of which is checked when it is read. `Ok(None)` if
    /// there is no such section, an error if its checksums are damaged.
    pub(super) fn pages(&self, part: Part, dimension: u32) -> Result<Option<Pages<'_>>, Wrong> {
        let Some(at) = self.find(part, dimension) else {
            return Ok(None);
        };
        let place = self.place(at).ok_or(Wrong)?;
        let all = self.bytes();
        let bytes = all.get(place.bytes).ok_or(Wrong)?;
        let sums = all.get(place.sums).ok_or(Wrong)?;
        let (good, damaged) = (self.good.get(at), self.damaged.get(at));
        let (good, damaged) = (good.ok_or(Wrong)?, damaged.ok_or(Wrong)?);
        let good = good.get_or_init(|| {
            let entry = self.entries.get(at)?;
            let right = *blake3::hash(sums).as_bytes() == entry.hash;
            right.then(|| Good::unknown(bytes.len()))
        });
        match good {
            Some(good) => Ok(Some(Pages::new(bytes, sums, good, damaged))),
            None => {
                damaged.store(true, Ordering::Release);
                Err(Wrong)
            }
        }
    }

    /// The kind and dimension of every section.
    pub(super) fn sections(&self) -> impl Iterator<Item = (Part, u32)> {
        self.entries
            .iter()
            .map(|entry| (Part::of(entry.part), entry.dimension))
    }

    /// The kind and dimension of a section in which something has been damaged, if that
    /// has come out so far.
    pub(super) fn first_damaged(&self) -> Option<(Part, u32)> {
        let at = self
            .damaged
            .iter()
            .position(|damaged| damaged.load(Ordering::Acquire))?;
        let entry = self.entries.get(at)?;
        Some((Part::of(entry.part), entry.dimension))
    }

    /// Remembers that a section holds what cannot be.
    pub(super) fn report(&self, part: Part, dimension: u32) {
        let at = self.find(part, dimension);
        if let Some(damaged) = at.and_then(|at| self.damaged.get(at)) {
            damaged.store(true, Ordering::Release);
        }
    }

    /// The source that all predicates of an instance have which have none of their own.
    pub(super) fn source_of(&self, i: InstanceId) -> Option<u32> {
        let pages = self.pages(Part::Sources, NO_DIMENSION).ok()??;
        Unpacker::new(pages).array()?.get(i.index())
    }

    fn find(&self, part: Part, dimension: u32) -> Option<usize> {
        self.entries
            .binary_search_by_key(&(part as u32, dimension), |e| (e.part, e.dimension))
            .ok()
    }

    fn place(&self, at: usize) -> Option<Place> {
        Place::of(self.entries.get(at)?)
    }

    /// Checks every byte that is not a section's.
    pub(super) fn is_padded_with_zeros(&self) -> bool {
        (0..self.entries.len()).all(|at| {
            let padding = self
                .place(at)
                .and_then(|place| self.bytes().get(place.bytes.end..place.sums.start));
            padding.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
        })
    }
}

/// Where a section and its checksums lie.
struct Place {
    bytes: Range<usize>,
    sums: Range<usize>,
}

impl Place {
    fn of(entry: &Entry) -> Option<Place> {
        let start = usize::try_from(entry.offset).ok()?;
        let length = usize::try_from(entry.length).ok()?;
        let end = start.checked_add(length)?;
        let sums = end.checked_next_multiple_of(8)?;
        let sums_end = sums.checked_add(length.div_ceil(PAGE).checked_mul(SUM)?)?;
        Some(Place {
            bytes: start..end,
            sums: sums..sums_end,
        })
    }
}

/// Bytes that are not what they should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrong;

/// Checks the header and reads the table of contents.
fn table_of(bytes: &[u8], path: &Path) -> Result<(Slot, Vec<Entry>), StoreError> {
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
    let slot = Slot::latest(&slots, &start, bytes).ok_or_else(|| damaged("header"))?;
    if found < slot.file_length {
        return Err(StoreError::Truncated {
            path: owned(),
            expected: slot.file_length,
            found,
        });
    }
    let whole = usize::try_from(slot.file_length).ok();
    let table = usize::try_from(slot.table)
        .ok()
        .and_then(|at| bytes.get(at..whole?))
        .filter(|table| table.len() as u64 == slot.table_length)
        .filter(|table| *blake3::hash(table).as_bytes() == slot.table_hash)
        .ok_or_else(|| damaged("table of contents"))?;
    let entries: Vec<Entry> = pack::copied(table);
    let well_formed = entries.len() as u64 * size_of::<Entry>() as u64 == slot.table_length
        && are_in_place(&entries, &slot)
        && Part::ALWAYS.iter().all(|part| {
            let key = (*part as u32, NO_DIMENSION);
            entries
                .binary_search_by_key(&key, |e| (e.part, e.dimension))
                .is_ok()
        });
    match well_formed {
        true => Ok((slot, entries)),
        false => Err(damaged("table of contents")),
    }
}

/// Whether the sections follow one another up to the table. What has been replaced
/// leaves gaps; before any change there is none.
fn are_in_place(entries: &[Entry], slot: &Slot) -> bool {
    let mut places: Vec<&Entry> = entries.iter().collect();
    places.sort_by_key(|entry| entry.offset);
    let mut end = HEADER;
    for entry in places {
        let follows = |start: usize| match slot.generation {
            0 | 1 => start == end,
            _ => start >= end && start.is_multiple_of(8),
        };
        match Place::of(entry) {
            Some(place) if follows(place.bytes.start) => end = place.sums.end,
            _ => return false,
        }
    }
    let fits = match slot.generation {
        0 | 1 => end as u64 == slot.table,
        _ => end as u64 <= slot.table,
    };
    let ordered = entries.is_sorted_by(|a, b| (a.part, a.dimension) < (b.part, b.dimension));
    fits && ordered
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
    pub(super) fn put(&mut self, bytes: &[u8]) {
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
        let sums = sums_beside(bytes);
        self.entries.push(Entry {
            part: part as u32,
            dimension,
            offset: self.length,
            length: bytes.len() as u64,
            hash: *blake3::hash(&sums).as_bytes(),
        });
        self.put(bytes);
        self.put(&sums);
    }

    /// Appends a section that is put together as it is written. None if what writes it
    /// gives none: then the file is not to be finished.
    pub(super) fn streamed(
        &mut self,
        part: Part,
        dimension: u32,
        write: impl FnOnce(&mut Stream<'_>) -> Option<()>,
    ) -> Option<()> {
        let offset = self.length;
        let mut stream = Stream::new(self);
        write(&mut stream)?;
        let (sums, length) = stream.finish();
        self.entries.push(Entry {
            part: part as u32,
            dimension,
            offset,
            length,
            hash: *blake3::hash(&sums).as_bytes(),
        });
        self.put(&sums);
        Some(())
    }

    /// Writes the table of contents and the header. An image if they were written
    /// into memory; `path` is what a file is called in errors.
    pub(super) fn finish(mut self, path: &Path) -> Result<Option<Image>, StoreError> {
        let entries = std::mem::take(&mut self.entries);
        let table: &[u8] = bytemuck::cast_slice(&entries);
        let start = Start::new();
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
                let mut image = Image::checked(Arc::new(Bytes::Owned(words)), PathBuf::new())?;
                image.made = true;
                // Hashed a moment ago.
                image.good.iter().for_each(|good| {
                    let _ = good.set(Some(Good::trusted()));
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
