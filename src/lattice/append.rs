//! Sections behind those of a file: a change that takes as long as what it writes.
//!
//! The new sections and a new table of contents are appended; then the header slot that
//! is not in use is written. Until that is done, and whatever happens before, the other
//! slot says how things were, and readers that have the file open go on reading that.
#![deny(clippy::indexing_slicing)]

use super::format::{Entry, Image, Part, Writer};
use super::header::{Slot, Start};
use super::pages::sums_of;
use super::{StoreError, WriteLock};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Sections that are to be written: what they hold, of which dimension, and their bytes.
pub(super) type Sections = Vec<(Part, u32, Vec<u8>)>;

/// However little else there is, so many bytes may be of no use.
const SLACK: u64 = 1 << 20;

impl Image {
    /// Whether so much of the file is of no use any more that it is to be written without.
    pub(super) fn is_slack(&self) -> bool {
        let unused = self.slot.file_length.saturating_sub(self.used());
        unused > SLACK + self.used() / 2
    }

    /// Writes the sections of this image and others, which take the place of those of the
    /// same kind, to the file of a lock, and nothing else.
    ///
    /// # Errors
    /// If a section is damaged or the system refuses; the file is as it was.
    pub(super) fn rewrite(
        &self,
        lock: &mut WriteLock,
        sections: &Sections,
    ) -> Result<(), StoreError> {
        let path = lock.path().to_path_buf();
        let failed = |error: io::Error| StoreError::from_io(&path, &error);
        let mut all: BTreeMap<(Part, u32), &[u8]> = BTreeMap::new();
        for (part, dimension) in self.sections() {
            let damaged = || self.damaged(self.described(part, None));
            let section = self.section(part, dimension).map_err(|_| damaged())?;
            all.insert((part, dimension), section.ok_or_else(damaged)?);
        }
        for (part, dimension, bytes) in sections {
            all.insert((*part, *dimension), bytes);
        }
        let mut writer = Writer::into_file(lock.begin().map_err(failed)?);
        for ((part, dimension), bytes) in all {
            writer.section(part, dimension, bytes);
        }
        writer.finish(&path)?;
        lock.put_in_place().map_err(failed)
    }

    /// Puts sections behind those of the file that this is an image of, which nobody else
    /// may change meanwhile. They take the place of those of the same kind.
    ///
    /// # Errors
    /// If the system refuses; the file says what it said before.
    pub(super) fn append(&self, path: &Path, sections: &Sections) -> Result<(), StoreError> {
        let failed = |error: io::Error| StoreError::from_io(path, &error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(failed)?;
        let end = self.slot.file_length;
        let written = self.write_behind(&mut file, sections);
        if written.is_err() {
            // What was written is behind the end, and harms nobody; it need not stay.
            let _ = file.set_len(end);
        }
        written.map_err(failed)
    }

    fn write_behind(&self, file: &mut File, sections: &Sections) -> io::Result<()> {
        // A change that was broken off may have left bytes there.
        file.set_len(self.slot.file_length)?;
        file.seek(SeekFrom::End(0))?;
        let mut length = self.slot.file_length;
        let pad = |file: &mut File, length: &mut u64| {
            let zeros = length.next_multiple_of(8) - *length;
            *length += zeros;
            file.write_all([0u8; 8].get(..zeros as usize).unwrap_or(&[]))
        };
        let replaced = |entry: &Entry| {
            let same = |(part, dimension, _): &(Part, u32, Vec<u8>)| {
                (*part as u32, *dimension) == (entry.part, entry.dimension)
            };
            sections.iter().any(same)
        };
        let kept = self.entries.iter().filter(|entry| !replaced(entry));
        let mut entries: Vec<Entry> = kept.copied().collect();
        pad(file, &mut length)?;
        for (part, dimension, bytes) in sections {
            let sums = sums_of(bytes);
            entries.push(Entry {
                part: *part as u32,
                dimension: *dimension,
                offset: length,
                length: bytes.len() as u64,
                hash: *blake3::hash(&sums).as_bytes(),
            });
            file.write_all(bytes)?;
            length += bytes.len() as u64;
            pad(file, &mut length)?;
            file.write_all(&sums)?;
            length += sums.len() as u64;
        }
        entries.sort_by_key(|entry| (entry.part, entry.dimension));
        let table: &[u8] = bytemuck::cast_slice(&entries);
        let slot = self.next_slot(length, table);
        file.write_all(table)?;
        file.write_all(bytemuck::bytes_of(&slot))?;
        // The slot must not come to the disk before what it speaks of.
        file.sync_all()?;
        let which = slot.generation % 2;
        let at = size_of::<Start>() as u64 + which * size_of::<Slot>() as u64;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytemuck::bytes_of(&slot))?;
        file.sync_all()
    }

    /// The slot of the next generation.
    fn next_slot(&self, table_at: u64, table: &[u8]) -> Slot {
        let start = Start::new();
        let mut slot = Slot {
            generation: self.slot.generation + 1,
            table: table_at,
            table_length: table.len() as u64,
            file_length: table_at + table.len() as u64,
            table_hash: *blake3::hash(table).as_bytes(),
            hash: [0; 32],
        };
        slot.hash = slot.hash_with(&start);
        slot
    }
}
