//! Sections that are put together as they are written.
#![deny(clippy::indexing_slicing)]

use super::format::Writer;
use super::pack::Arrays;
use super::pages::{PAGE, sums_of};
use bytemuck::Pod;
use rayon::prelude::*;

/// The checksums of all pages of some bytes, made by all threads.
pub(super) fn sums_beside(bytes: &[u8]) -> Vec<u8> {
    // Outside of a pool there is this thread alone.
    if bytes.len() < STREAMED || rayon::current_thread_index().is_none() {
        return sums_of(bytes);
    }
    let some = bytes.par_chunks(64 * PAGE).map(sums_of);
    some.collect::<Vec<Vec<u8>>>().concat()
}

/// So much of a section that is streamed is written at once: whole pages.
const STREAMED: usize = 64 * PAGE;

/// A section that is being written.
pub(super) struct Stream<'w> {
    writer: &'w mut Writer,
    /// What is not written yet; all before are whole pages.
    pages: Vec<u8>,
    sums: Vec<u8>,
    length: u64,
}

impl<'w> Stream<'w> {
    pub(super) fn new(writer: &'w mut Writer) -> Stream<'w> {
        Stream {
            writer,
            pages: Vec::with_capacity(STREAMED + PAGE),
            sums: Vec::new(),
            length: 0,
        }
    }

    /// Writes what is left; the checksums, and the length.
    pub(super) fn finish(mut self) -> (Vec<u8>, u64) {
        self.flush();
        (self.sums, self.length)
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.pages.extend_from_slice(bytes);
        if self.pages.len() >= STREAMED {
            let whole = self.pages.len() / PAGE * PAGE;
            let rest = self.pages.split_off(whole);
            self.flush();
            self.pages = rest;
        }
    }

    fn flush(&mut self) {
        self.sums.extend_from_slice(&sums_beside(&self.pages));
        self.writer.put(&self.pages);
        self.pages.clear();
    }

    /// An array, as a [`super::pack::Packer`] writes it, of so many elements.
    fn elements<T: Pod>(&mut self, length: usize, elements: impl Iterator<Item = T>) {
        self.put(&(length as u64).to_le_bytes());
        elements.for_each(|element| self.put(bytemuck::bytes_of(&element)));
        self.pad();
    }

    fn pad(&mut self) {
        let zeros = self.length.next_multiple_of(8) - self.length;
        self.put([0; 8].get(..zeros as usize).unwrap_or(&[]));
    }
}

impl Arrays for Stream<'_> {
    fn array_of<T: Pod>(&mut self, elements: &[T]) {
        self.put(&(elements.len() as u64).to_le_bytes());
        self.put(bytemuck::cast_slice(elements));
        self.pad();
    }

    fn strings_of<'a, I: Iterator<Item = &'a str>>(
        &mut self,
        count: usize,
        strings: impl Fn() -> I,
    ) -> Option<()> {
        let mut end = 0u64;
        let ends = strings().map(|string| {
            end += string.len() as u64;
            end as u32
        });
        self.elements(count + 1, std::iter::once(0).chain(ends));
        u32::try_from(end).ok()?;
        self.put(&end.to_le_bytes());
        strings().for_each(|string| self.put(string.as_bytes()));
        self.pad();
        Some(())
    }
}
