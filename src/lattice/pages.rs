//! Bytes that are checked page by page, each when it is first read.
#![deny(clippy::indexing_slicing)]

use bytemuck::Pod;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The length of a page; the last one of a section may be shorter.
pub(super) const PAGE: usize = 1 << 14;
/// The length of a checksum: BLAKE3, cut.
pub(super) const SUM: usize = 16;

/// The checksum of a page.
pub(super) fn sum_of(page: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    let hash = blake3::hash(page);
    for (to, from) in sum.iter_mut().zip(hash.as_bytes()) {
        *to = *from;
    }
    sum
}

/// The checksums of all pages of some bytes.
pub(super) fn sums_of(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(PAGE).flat_map(sum_of).collect()
}

/// Which pages of a section have been found to be as they were written.
#[derive(Default)]
pub(super) struct Good {
    bits: Vec<AtomicU64>,
    /// Nothing needs checking: the bytes were made by this process.
    trusted: bool,
}

impl Good {
    /// Nothing is known yet of a section of this length.
    pub(super) fn unknown(length: usize) -> Good {
        let words = length.div_ceil(PAGE).div_ceil(64);
        Good {
            bits: (0..words).map(|_| AtomicU64::new(0)).collect(),
            trusted: false,
        }
    }

    /// The bytes were made a moment ago.
    pub(super) fn trusted() -> Good {
        Good {
            bits: Vec::new(),
            trusted: true,
        }
    }

    #[inline]
    fn has(&self, page: usize) -> bool {
        let word = self.bits.get(page / 64);
        word.is_some_and(|word| word.load(Ordering::Acquire) >> (page % 64) & 1 == 1)
    }

    fn put(&self, page: usize) {
        if let Some(word) = self.bits.get(page / 64) {
            word.fetch_or(1 << (page % 64), Ordering::AcqRel);
        }
    }
}

/// The bytes of a section with what is needed to check them. What turns out to be
/// damaged reads as nothing, and is remembered in `damaged`: whoever has read asks
/// for it before using what came of it.
#[derive(Clone, Copy)]
pub(super) struct Pages<'a> {
    bytes: &'a [u8],
    /// One of [`SUM`] bytes per page.
    sums: &'a [u8],
    good: &'a Good,
    damaged: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);
static TRUSTED: Good = Good {
    bits: Vec::new(),
    trusted: true,
};

impl<'a> Pages<'a> {
    pub(super) fn new(
        bytes: &'a [u8],
        sums: &'a [u8],
        good: &'a Good,
        damaged: &'a AtomicBool,
    ) -> Pages<'a> {
        Pages {
            bytes,
            sums,
            good,
            damaged,
        }
    }

    /// Bytes that have been checked as a whole.
    pub(super) fn checked(bytes: &'a [u8]) -> Pages<'a> {
        Pages {
            bytes,
            sums: &[],
            good: &TRUSTED,
            damaged: &NEVER,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of a range, whose pages are checked; none if one is damaged or the
    /// range does not lie within.
    #[inline]
    pub(super) fn get(&self, range: Range<usize>) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(range.clone())?;
        if self.good.trusted || self.are_good(&range) {
            return Some(bytes);
        }
        None
    }

    #[inline]
    fn are_good(&self, range: &Range<usize>) -> bool {
        if range.is_empty() {
            return true;
        }
        let pages = range.start / PAGE..(range.end - 1) / PAGE + 1;
        pages
            .into_iter()
            .all(|page| self.good.has(page) || self.check(page))
    }

    #[cold]
    fn check(&self, page: usize) -> bool {
        let start = page * PAGE;
        let end = (start + PAGE).min(self.bytes.len());
        let sum = self.sums.get(page * SUM..(page + 1) * SUM);
        let right = match (self.bytes.get(start..end), sum) {
            (Some(bytes), Some(sum)) => sum_of(bytes) == *sum,
            _ => false,
        };
        match right {
            true => self.good.put(page),
            false => self.damaged.store(true, Ordering::Release),
        }
        right
    }

    /// Remembers that what was read cannot be.
    pub(super) fn report(&self) {
        self.damaged.store(true, Ordering::Release);
    }
}

/// Where an array lies in a section: its first byte, and how many elements it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) length: usize,
}

/// An array in a section, checked where it is read.
#[derive(Clone, Copy)]
pub(super) struct Array<'a, T> {
    pages: Pages<'a>,
    all: &'a [T],
    /// Where the array starts in the section, in bytes.
    start: usize,
}

impl<T> std::fmt::Debug for Array<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Array({})", self.all.len())
    }
}

impl<'a, T: Pod> Array<'a, T> {
    /// An array of none.
    pub(super) fn empty() -> Array<'a, T> {
        Array {
            pages: Pages::checked(&[]),
            all: &[],
            start: 0,
        }
    }

    /// The array at a place of a section; an empty one if it does not fit there.
    #[inline]
    pub(super) fn at(pages: Pages<'a>, span: Span) -> Array<'a, T> {
        let end = span
            .start
            .saturating_add(span.length.saturating_mul(size_of::<T>()));
        let bytes = pages.bytes.get(span.start..end).unwrap_or(&[]);
        Array {
            pages,
            all: bytemuck::try_cast_slice(bytes).unwrap_or(&[]),
            start: span.start,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// An element; none if there is none or its page is damaged.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<T> {
        let element = self.all.get(at)?;
        // Arrays start at multiples of 8, as pages do: an element lies on one page.
        let page = (self.start + at * size_of::<T>()) / PAGE;
        let good = self.pages.good.trusted || self.pages.good.has(page);
        (good || self.pages.check(page)).then_some(*element)
    }

    /// Some elements; none if one of their pages is damaged.
    #[inline]
    pub(super) fn range(&self, range: Range<usize>) -> &'a [T] {
        let Some(found) = self.all.get(range.clone()) else {
            self.pages.report();
            return &[];
        };
        let start = self.start + range.start * size_of::<T>();
        let bytes = start..start + size_of_val(found);
        match self.pages.good.trusted || self.pages.are_good(&bytes) {
            true => found,
            false => &[],
        }
    }

    /// All elements; none if a page is damaged.
    pub(super) fn all(&self) -> &'a [T] {
        self.range(0..self.all.len())
    }

    /// The first place from which on `holds` is false, as of a sorted array.
    pub(super) fn partition_point(&self, holds: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.all.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).is_some_and(|element| holds(&element)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

impl<'a, T: Pod + Ord> Array<'a, T> {
    /// The place of an element of an ascending array.
    pub(super) fn find(&self, element: T) -> Option<usize> {
        let at = self.partition_point(|e| *e < element);
        (self.get(at) == Some(element)).then_some(at)
    }
}

impl<'a> Array<'a, u32> {
    /// The first place at or after `from` in an ascending array whose element is not
    /// below this one. Near places are found soonest.
    pub(super) fn seek(&self, from: usize, element: u32) -> usize {
        let below = |at: usize| self.get(at).is_some_and(|e| e < element);
        let (mut low, mut step) = (from, 1);
        while below(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(self.len().max(low));
        while low < high {
            let middle = low + (high - low) / 2;
            match below(middle) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// Row `k` of compressed rows whose starts this array holds: a range of places.
    #[inline]
    pub(super) fn row(&self, k: usize) -> Range<usize> {
        match (self.get(k), self.get(k + 1)) {
            (Some(start), Some(end)) if start <= end => start as usize..end as usize,
            (Some(_), Some(_)) => {
                self.pages.report();
                0..0
            }
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_page_reads_as_nothing_and_is_remembered() {
        let numbers: Vec<u64> = (0..5000).collect();
        let mut words = numbers.clone();
        let sums = sums_of(bytemuck::cast_slice(&words));
        words[3000] ^= 1;
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let (good, damaged) = (Good::unknown(bytes.len()), AtomicBool::new(false));
        let pages = Pages::new(bytes, &sums, &good, &damaged);
        let array: Array<'_, u64> = Array::at(
            pages,
            Span {
                start: 0,
                length: 5000,
            },
        );
        assert_eq!(array.get(7), Some(7));
        assert_eq!(array.range(10..2000), &numbers[10..2000]);
        assert!(!damaged.load(Ordering::Acquire));
        assert_eq!(array.get(2500), None);
        assert!(damaged.load(Ordering::Acquire));
        assert!(array.all().is_empty());
        assert_eq!(array.get(4999), Some(4999));
        assert_eq!(array.get(5000), None);
    }
}
