//! The beginning of a file: what it is, and which of its bytes count.
#![deny(clippy::indexing_slicing)]

use super::format::{FORMAT, MAGIC};
use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Start {
    magic: [u8; 8],
    pub(super) version: u32,
    zero: u32,
}

impl Start {
    pub(super) fn new() -> Start {
        Start {
            magic: MAGIC,
            version: FORMAT,
            zero: 0,
        }
    }
}

/// What makes the bytes of a file a lattice. The slot of a generation is the one whose
/// number is its remainder by two, so that the other one stays as it was. A change writes
/// a copy of its slot behind the table of contents before it writes the slot: where a slot
/// is damaged, that tells whether it was the latest.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Slot {
    pub(super) generation: u64,
    pub(super) table: u64,
    pub(super) table_length: u64,
    pub(super) file_length: u64,
    pub(super) table_hash: [u8; 32],
    pub(super) hash: [u8; 32],
}

impl Slot {
    pub(super) fn hash_with(&self, start: &Start) -> [u8; 32] {
        let unsigned = Slot {
            hash: [0; 32],
            ..*self
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytemuck::bytes_of(start));
        hasher.update(bytemuck::bytes_of(&unsigned));
        *hasher.finalize().as_bytes()
    }

    /// Whether it is as it was written.
    pub(super) fn is_whole(&self, start: &Start) -> bool {
        self.hash == self.hash_with(start)
    }

    /// The slot that counts of a file; none if that cannot be told.
    pub(super) fn latest(slots: &[Slot], start: &Start, file: &[u8]) -> Option<Slot> {
        let whole = slots.iter().filter(|slot| slot.is_whole(start));
        let latest = *whole.clone().max_by_key(|slot| slot.generation)?;
        if whole.count() == slots.len() {
            return Some(latest);
        }
        let copy = file.len().checked_sub(size_of::<Slot>())?;
        let copy: Option<Slot> = bytemuck::try_pod_read_unaligned(file.get(copy..)?).ok();
        let copy = copy.filter(|copy| copy.is_whole(start));
        let at_its_end = latest.file_length == file.len() as u64;
        match copy {
            Some(copy) if copy.generation == latest.generation => Some(latest),
            // The change was written whole; what is missing is to make it valid.
            Some(copy) if copy.generation == latest.generation + 1 => Some(copy),
            None if latest.generation == 1 && at_its_end => Some(latest),
            _ => None,
        }
    }
}
