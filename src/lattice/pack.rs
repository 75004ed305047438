//! Arrays in bytes: how every section is laid out inside.
//!
//! A section is a sequence of arrays, each a length (u64) and its elements, padded
//! with zeros to a multiple of 8 bytes. Little endian, so that a reader casts the
//! bytes in place and copies nothing.
#![deny(clippy::indexing_slicing)]

use super::nearest::Sorted;
use super::pages::{Array, Pages, Span};
use bytemuck::Pod;

#[cfg(target_endian = "big")]
compile_error!("lattice files are read in place and are little endian");

/// Writes arrays.
#[derive(Default)]
pub(super) struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    pub(super) fn array<T: Pod>(&mut self, elements: &[T]) -> &mut Packer {
        let length = elements.len() as u64;
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(bytemuck::cast_slice(elements));
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self
    }

    /// Strings, as an array of where each ends and one of bytes. `None` if there
    /// are more than 4 GiB of them.
    pub(super) fn strings<'a>(&mut self, strings: impl Iterator<Item = &'a str>) -> Option<()> {
        let mut offsets = vec![0u32];
        let mut bytes = Vec::new();
        for string in strings {
            bytes.extend_from_slice(string.as_bytes());
            offsets.push(u32::try_from(bytes.len()).ok()?);
        }
        self.array(&offsets).array(&bytes);
        Some(())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// What arrays can be written into.
pub(super) trait Arrays {
    /// Writes an array.
    fn array_of<T: Pod>(&mut self, elements: &[T]);
    /// Writes so many strings. `None` if there are more than 4 GiB of them.
    fn strings_of<'a, I: Iterator<Item = &'a str>>(
        &mut self,
        count: usize,
        strings: impl Fn() -> I,
    ) -> Option<()>;
}

impl Arrays for Packer {
    fn array_of<T: Pod>(&mut self, elements: &[T]) {
        self.array(elements);
    }

    fn strings_of<'a, I: Iterator<Item = &'a str>>(
        &mut self,
        _: usize,
        strings: impl Fn() -> I,
    ) -> Option<()> {
        self.strings(strings())
    }
}

/// Reads arrays; `None` wherever the bytes are not what a [`Packer`] writes.
pub(super) struct Unpacker<'a> {
    pages: Pages<'a>,
    at: usize,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(pages: Pages<'a>) -> Unpacker<'a> {
        Unpacker { pages, at: 0 }
    }

    /// Bytes that have been checked as a whole.
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Unpacker<'a> {
        Unpacker::new(Pages::checked(bytes))
    }

    /// Where the next array lies.
    pub(super) fn span<T: Pod>(&mut self) -> Option<Span> {
        let start = self.at.checked_add(8)?;
        let length = self.pages.get(self.at..start)?.first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let size = length.checked_mul(size_of::<T>())?;
        let end = start.checked_add(size.checked_next_multiple_of(8)?)?;
        if end > self.pages.len() {
            return None;
        }
        self.at = end;
        Some(Span { start, length })
    }

    /// An array in place, checked where it is read; the bytes must be aligned to 8.
    pub(super) fn array<T: Pod>(&mut self) -> Option<Array<'a, T>> {
        let span = self.span::<T>()?;
        Some(Array::at(self.pages, span))
    }

    /// A whole array in place, checked now.
    pub(super) fn slice<T: Pod>(&mut self) -> Option<&'a [T]> {
        let array = self.array()?;
        let all = array.all();
        (all.len() == array.len()).then_some(all)
    }

    /// A copy of an array, wherever its bytes lie.
    pub(super) fn copied<T: Pod>(&mut self) -> Option<Vec<T>> {
        let span = self.span::<T>()?;
        let end = span.start + span.length * size_of::<T>();
        self.pages.get(span.start..end).map(copied)
    }

    pub(super) fn strings(&mut self) -> Option<Strings<'a>> {
        let (offsets, bytes) = (self.array()?, self.array()?);
        Some(Strings { offsets, bytes })
    }

    /// Whether everything has been read.
    pub(super) fn is_done(&self) -> bool {
        self.at == self.pages.len()
    }
}

/// The elements that lie in these bytes, wherever those are.
pub(super) fn copied<T: Pod>(bytes: &[u8]) -> Vec<T> {
    bytes
        .chunks_exact(size_of::<T>().max(1))
        .map(bytemuck::pod_read_unaligned)
        .collect()
}

/// Strings in place.
#[derive(Clone, Copy)]
pub(super) struct Strings<'a> {
    offsets: Array<'a, u32>,
    bytes: Array<'a, u8>,
}

impl<'a> Strings<'a> {
    /// None.
    pub(super) fn empty() -> Strings<'a> {
        Strings {
            offsets: Array::empty(),
            bytes: Array::empty(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// A string; empty if there is none.
    pub(super) fn get(&self, at: usize) -> &'a str {
        let range = self.offsets.row(at);
        std::str::from_utf8(self.bytes.range(range)).unwrap_or("")
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |at| self.get(at))
    }

    /// Whether every string can be read.
    pub(super) fn is_sound(&self) -> bool {
        let (offsets, bytes) = (self.offsets.all(), self.bytes.all());
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        are_offsets(offsets, self.bytes.len())
            && bytes.len() == self.bytes.len()
            && offsets.iter().all(|&at| text.is_char_boundary(at as usize))
    }

    /// Whether the strings are sound, distinct and in byte order.
    pub(super) fn is_sorted_set(&self) -> bool {
        self.is_sound() && (1..self.len()).all(|at| self.get(at - 1) < self.get(at))
    }
}

impl Sorted for Strings<'_> {
    fn count(&self) -> usize {
        self.len()
    }
    fn key(&self, at: usize) -> &str {
        self.get(at)
    }
}

/// Whether the array starts at 0, never falls and ends at `length`.
pub(super) fn are_offsets(offsets: &[u32], length: usize) -> bool {
    offsets.first() == Some(&0)
        && offsets.is_sorted()
        && offsets.last().is_some_and(|&end| end as usize == length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_nothing_else() {
        let mut packer = Packer::default();
        packer.array(&[1u32, 2, 3]).array(&[0.5f64]);
        packer.strings(["", "日本", "b"].into_iter()).unwrap();
        let bytes = packer.finish();
        let words: Vec<u64> = copied(&bytes);
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let mut unpacker = Unpacker::of_bytes(bytes);
        assert_eq!(unpacker.slice::<u32>().unwrap(), [1, 2, 3]);
        assert_eq!(unpacker.copied::<f64>().unwrap(), [0.5]);
        let strings = unpacker.strings().unwrap();
        assert!(unpacker.is_done() && strings.is_sound() && !strings.is_sorted_set());
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["", "日本", "b"]);
        assert_eq!(strings.get(9), "");
        for length in 0..bytes.len() {
            let mut unpacker = Unpacker::of_bytes(&bytes[..length]);
            let all = unpacker.slice::<u32>().is_some()
                && unpacker.slice::<f64>().is_some()
                && unpacker.strings().is_some();
            assert!(!all, "{length}");
        }
        let mut packer = Packer::default();
        packer.array(&[0u32, 1, 3]).array("é.".as_bytes());
        let words: Vec<u64> = copied(&packer.finish());
        let bad = Unpacker::of_bytes(bytemuck::cast_slice(&words))
            .strings()
            .unwrap();
        assert!(!bad.is_sound());
        assert_eq!(bad.get(0), "");
    }
}
