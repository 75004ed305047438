//! Sections behind those of a file: a change that takes as long as what it writes.
//!
//! The new sections and a new table of contents are appended; then the header slot that
//! is not in use is written. Until that is done, and whatever happens before, the other
//! slot says how things were, and readers that have the file open go on reading that.
#![deny(clippy::indexing_slicing)]

use super::StoreError;
use super::format::{Entry, Image, Part, Slot, Start};
use super::pages::sums_of;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Sections that are to be written: what they hold, of which dimension, and their bytes.
pub(super) type Sections = Vec<(Part, u32, Vec<u8>)>;

impl Image {
    /// How many bytes of the file are of no use any more.
    pub(super) fn unused(&self) -> u64 {
        self.slot.file_length.saturating_sub(self.used())
    }

    /// Puts sections behind those of the file that this is an image of, which nobody else
    /// may change meanwhile. They take the place of those of the same kind, and sections
    /// of the kinds in `without` go.
    ///
    /// # Errors
    /// If the system refuses; the file says what it said before.
    pub(super) fn append(
        &self,
        path: &Path,
        sections: Sections,
        without: &[Part],
    ) -> Result<(), StoreError> {
        let failed = |error: io::Error| StoreError::from_io(path, &error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(failed)?;
        let end = self.slot.file_length;
        let written = self.write_behind(&mut file, sections, without);
        if written.is_err() {
            // What was written is behind the end, and harms nobody; it need not stay.
            let _ = file.set_len(end);
        }
        written.map_err(failed)
    }

    fn write_behind(&self, file: &mut File, sections: Sections, without: &[Part]) -> io::Result<()> {
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
            sections.iter().any(same) || without.iter().any(|part| *part as u32 == entry.part)
        };
        let kept = self.entries.iter().filter(|entry| !replaced(entry));
        let mut entries: Vec<Entry> = kept.copied().collect();
        pad(file, &mut length)?;
        for (part, dimension, bytes) in &sections {
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
        file.write_all(table)?;
        // The slot must not come to the disk before what it speaks of.
        file.sync_all()?;
        self.turn(file, length, table)
    }

    /// Writes the header slot that is not in use.
    fn turn(&self, file: &mut File, table_at: u64, table: &[u8]) -> io::Result<()> {
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
        let which = slot.generation % 2;
        let at = size_of::<Start>() as u64 + which * size_of::<Slot>() as u64;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytemuck::bytes_of(&slot))?;
        file.sync_all()
    }
}
