//! Source text, in compressed blocks.
//!
//! Evidence is sorted by document, range, line and text. A block holds at most 32
//! pieces and is found through an index, so that one answer does not read the text of
//! all.
#![deny(clippy::indexing_slicing)]

use super::format::{NO_DIMENSION, Part, Writer, Wrong};
use super::freeze::lost;
use super::nearest::Sorted;
use super::pack::{Packer, Strings, Unpacker};
use super::pages::{Array, Pages};
use super::snapshot::Lattice;
use super::spill::Spill;
use super::{BuildError, EvidenceId, StoreError};
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use zstd::bulk::Decompressor;

/// Most pieces of evidence in a block.
const ROWS: usize = 32;
/// A block is closed once it holds so many bytes.
const ENOUGH: usize = 1 << 18;
/// No block is longer: one text of the greatest length behind others.
const LONGEST_BLOCK: usize = super::LONGEST_SOURCE + 2 * ENOUGH;
const LEVEL: i32 = 3;
/// Blocks that are kept decompressed.
const CACHED: usize = 8;
/// What stands for "none" in the columns of a block.
const NO_RANGE: (u64, u64) = (u64::MAX, 0);
const NO_LINE: u64 = u64::MAX;

/// A piece of source text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evidence {
    /// The document, as it was named when it was loaded.
    pub document: String,
    /// Half-open range of bytes in the document, if known.
    pub range: Option<(u64, u64)>,
    /// Line in the document, if known.
    pub line: Option<u64>,
    /// The text, byte for byte.
    pub text: String,
}

/// A document that evidence comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// How many pieces of evidence it gives.
    pub evidence_count: u32,
}

/// A piece of evidence that is to be written.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) document: &'a str,
    pub(super) range: Option<(u64, u64)>,
    pub(super) line: Option<u64>,
    pub(super) text: &'a str,
}

/// Makes the index and the blocks of evidence, which comes in canonical order.
pub(super) struct Packing {
    documents: Vec<(String, u32)>,
    index: Index,
    blocks: Blocks,
    block: Block,
    /// Blocks that are full and not compressed yet.
    full: Vec<Vec<u8>>,
    count: u32,
}

/// So many blocks are compressed beside one another.
const AT_ONCE: usize = 128;

/// Compressed blocks, one behind another.
pub(super) enum Blocks {
    /// In memory.
    Memory(Vec<u8>),
    /// In parts of a temporary file: where each starts, and its length.
    File(Arc<Spill>, Vec<(u64, usize)>),
}

impl Blocks {
    pub(super) fn new(spill: Option<&Arc<Spill>>) -> Blocks {
        match spill {
            Some(spill) => Blocks::File(spill.clone(), Vec::new()),
            None => Blocks::Memory(Vec::new()),
        }
    }

    fn push(&mut self, some: &[Vec<u8>]) -> io::Result<()> {
        match self {
            Blocks::Memory(all) => some.iter().for_each(|block| all.extend_from_slice(block)),
            Blocks::File(spill, parts) => {
                let bytes = some.concat();
                parts.push((spill.put(&bytes)?, bytes.len()));
            }
        }
        Ok(())
    }

    /// Writes their section.
    pub(super) fn write(self, writer: &mut Writer) -> io::Result<()> {
        let part = Part::EvidenceBlocks;
        let (spill, parts) = match self {
            Blocks::Memory(all) => {
                writer.section(part, NO_DIMENSION, &all);
                return Ok(());
            }
            Blocks::File(spill, parts) => (spill, parts),
        };
        let mut failed = None;
        let mut bytes = Vec::new();
        writer.streamed(part, NO_DIMENSION, |stream| {
            for (at, length) in parts {
                bytes.resize(length, 0);
                failed = spill.read(&mut bytes, at).err();
                if failed.is_some() {
                    return None;
                }
                stream.put(&bytes);
            }
            Some(())
        });
        failed.map_or(Ok(()), Err)
    }
}

fn failed(error: io::Error) -> BuildError {
    BuildError::Layout {
        why: error.to_string(),
    }
}

impl Packing {
    pub(super) fn new(blocks: Blocks) -> Packing {
        Packing {
            documents: Vec::new(),
            index: Index {
                firsts: vec![0],
                ends: vec![0],
                ..Index::default()
            },
            blocks,
            block: Block::default(),
            full: Vec::new(),
            count: 0,
        }
    }

    pub(super) fn push(&mut self, piece: &Piece<'_>) -> Result<(), BuildError> {
        match self.documents.last_mut() {
            Some((name, count)) if name == piece.document => *count += 1,
            _ => self.documents.push((piece.document.to_owned(), 1)),
        }
        self.block.push(piece);
        self.count += 1;
        if self.block.lines.len() == ROWS || self.block.text.len() >= ENOUGH {
            self.close_block();
        }
        if self.full.len() == AT_ONCE {
            self.compress()?;
        }
        Ok(())
    }

    fn close_block(&mut self) {
        let raw = std::mem::take(&mut self.block).pack();
        self.index.lengths.push(raw.len() as u32);
        self.index.firsts.push(self.count);
        self.full.push(raw);
    }

    /// Compresses the blocks that are full.
    fn compress(&mut self) -> Result<(), BuildError> {
        let full = std::mem::take(&mut self.full);
        let compressed = full.par_iter().map_init(
            || zstd::bulk::Compressor::new(LEVEL),
            |compressor, raw| match compressor {
                Ok(compressor) => compressor.compress(raw),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            },
        );
        let compressed: Vec<Vec<u8>> = compressed.collect::<io::Result<_>>().map_err(failed)?;
        let mut end = self.index.ends.last().copied().unwrap_or(0);
        for block in &compressed {
            end += block.len() as u64;
            self.index.ends.push(end);
        }
        self.blocks.push(&compressed).map_err(lost)
    }

    /// The index and the blocks.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Blocks), BuildError> {
        if !self.block.lines.is_empty() {
            self.close_block();
        }
        self.compress()?;
        Ok((self.index.pack(&self.documents)?, self.blocks))
    }
}

/// Columns of the pieces in one block.
#[derive(Default)]
struct Block {
    starts: Vec<u64>,
    ends: Vec<u64>,
    lines: Vec<u64>,
    text_ends: Vec<u32>,
    text: String,
}

impl Block {
    fn push(&mut self, piece: &Piece<'_>) {
        let (start, end) = piece.range.unwrap_or(NO_RANGE);
        self.starts.push(start);
        self.ends.push(end);
        self.lines.push(piece.line.unwrap_or(NO_LINE));
        self.text.push_str(piece.text);
        self.text_ends.push(self.text.len() as u32);
    }

    fn pack(self) -> Vec<u8> {
        let mut packer = Packer::default();
        packer
            .array(&self.starts)
            .array(&self.ends)
            .array(&self.lines)
            .array(&self.text_ends)
            .array(self.text.as_bytes());
        packer.finish()
    }

    /// The block of `rows` pieces that these bytes are.
    fn unpack(bytes: &[u8], rows: usize) -> Option<Block> {
        let mut unpacker = Unpacker::of_bytes(bytes);
        let block = Block {
            starts: unpacker.copied()?,
            ends: unpacker.copied()?,
            lines: unpacker.copied()?,
            text_ends: unpacker.copied()?,
            text: String::from_utf8(unpacker.copied()?).ok()?,
        };
        let lengths = [
            block.starts.len(),
            block.ends.len(),
            block.lines.len(),
            block.text_ends.len(),
        ];
        (unpacker.is_done() && lengths == [rows; 4]).then_some(block)
    }

    fn piece(&self, at: usize, document: &str) -> Option<Evidence> {
        let (start, end) = (*self.starts.get(at)?, *self.ends.get(at)?);
        let line = *self.lines.get(at)?;
        let from = match at.checked_sub(1) {
            Some(before) => *self.text_ends.get(before)?,
            None => 0,
        };
        let text = self
            .text
            .get(from as usize..*self.text_ends.get(at)? as usize)?;
        Some(Evidence {
            document: document.to_owned(),
            range: (start <= end).then_some((start, end)),
            line: (line != NO_LINE).then_some(line),
            text: text.to_owned(),
        })
    }
}

/// Where the blocks are, as it is written.
#[derive(Default)]
struct Index {
    firsts: Vec<u32>,
    ends: Vec<u64>,
    lengths: Vec<u32>,
}

impl Index {
    fn pack(&self, documents: &[(String, u32)]) -> Result<Vec<u8>, BuildError> {
        let mut packer = Packer::default();
        let mut offsets = vec![0u32];
        let mut total = 0;
        for (_, count) in documents {
            total += count;
            offsets.push(total);
        }
        packer
            .strings(documents.iter().map(|(name, _)| name.as_str()))
            .ok_or_else(|| too_long("bytes of document names"))?;
        packer
            .array(&offsets)
            .array(&self.firsts)
            .array(&self.ends)
            .array(&self.lengths);
        Ok(packer.finish())
    }
}

/// The error for a table of strings beyond the limit of the format.
pub(super) fn too_long(what: &'static str) -> BuildError {
    let limit = u64::from(u32::MAX);
    BuildError::TooMany {
        what,
        found: limit + 1,
        limit,
    }
}

/// Where the blocks are, in place.
#[derive(Clone, Copy)]
pub(super) struct IndexView<'a> {
    documents: Strings<'a>,
    /// Where the evidence of each document starts.
    offsets: Array<'a, u32>,
    /// The first piece of each block, and how many there are in all.
    firsts: Array<'a, u32>,
    ends: Array<'a, u64>,
    lengths: Array<'a, u32>,
}

impl<'a> IndexView<'a> {
    pub(super) fn of(mut unpacker: Unpacker<'a>) -> Option<IndexView<'a>> {
        let view = IndexView {
            documents: unpacker.strings()?,
            offsets: unpacker.array()?,
            firsts: unpacker.array()?,
            ends: unpacker.array()?,
            lengths: unpacker.array()?,
        };
        let blocks = view.lengths.len();
        let shaped = unpacker.is_done()
            && view.offsets.len() == view.documents.len() + 1
            && view.firsts.len() == blocks + 1
            && view.ends.len() == blocks + 1;
        shaped.then_some(view)
    }

    /// The number of pieces.
    pub(super) fn count(&self) -> usize {
        let last = self.firsts.len().checked_sub(1);
        last.and_then(|last| self.firsts.get(last))
            .map_or(0, |count| count as usize)
    }

    pub(super) fn documents(&self) -> Vec<Document> {
        (0..self.documents.len())
            .map(|at| Document {
                name: self.documents.get(at).to_owned(),
                evidence_count: self.offsets.row(at).len() as u32,
            })
            .collect()
    }

    /// The pieces of a document: an empty range where they would be, if there are none.
    fn of_document(&self, name: &str) -> Range<u32> {
        let at = self.documents.place(name);
        let start = self.offsets.get(at).unwrap_or(0);
        match at < self.documents.len() && self.documents.get(at) == name {
            true => start..self.offsets.get(at + 1).unwrap_or(start),
            false => start..start,
        }
    }

    fn document(&self, piece: u32) -> &'a str {
        let after = self.offsets.partition_point(|&start| start <= piece);
        after.checked_sub(1).map_or("", |at| self.documents.get(at))
    }

    /// Reads one block; `None` if it is damaged.
    fn block(&self, blocks: Pages<'a>, at: usize) -> Option<Block> {
        let (start, end) = (self.ends.get(at)?, self.ends.get(at + 1)?);
        let compressed = blocks.get(start as usize..end as usize)?;
        let length = self.lengths.get(at)? as usize;
        if length > LONGEST_BLOCK {
            return None;
        }
        let raw = decompressed(compressed, length)?;
        let rows = self.firsts.get(at + 1)?.checked_sub(self.firsts.get(at)?)?;
        Block::unpack(&raw, rows as usize)
    }
}

/// The bytes of a block, of which there are so many. A decompressor is worth as much time
/// as some blocks: each thread keeps one.
fn decompressed(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
    thread_local! {
        static READY: Cell<Option<Decompressor<'static>>> = const { Cell::new(None) };
    }
    let ready = READY.take();
    let mut decompressor = match ready {
        Some(ready) => ready,
        None => Decompressor::new().ok()?,
    };
    let raw = decompressor.decompress(compressed, length);
    READY.set(Some(decompressor));
    raw.ok()
}

/// The blocks read last, latest first.
#[derive(Default)]
pub(super) struct Cache {
    blocks: Mutex<VecDeque<(usize, Arc<Block>)>>,
}

impl Cache {
    fn get(&self, at: usize) -> Option<Arc<Block>> {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks
            .iter()
            .find(|(k, _)| *k == at)
            .map(|(_, block)| block.clone())
    }

    fn put(&self, at: usize, block: Arc<Block>) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.push_front((at, block));
        blocks.truncate(CACHED);
    }
}

impl Lattice {
    /// A piece of source text.
    ///
    /// # Errors
    /// If the block that holds it is damaged, or no evidence has this number.
    pub fn evidence(&self, e: EvidenceId) -> Result<Evidence, StoreError> {
        if let Some(over) = self.over() {
            return over.evidence(e);
        }
        let damaged = || {
            self.image()
                .damaged(self.image().described(Part::EvidenceBlocks, None))
        };
        let index = self.evidence_index().ok_or_else(damaged)?;
        let after = index.firsts.partition_point(|&first| first <= e.0);
        let at = after.checked_sub(1).ok_or_else(damaged)?;
        let block = match self.cache().get(at) {
            Some(block) => block,
            None => {
                let blocks = self.evidence_blocks().ok_or_else(damaged)?;
                let block = Arc::new(index.block(blocks, at).ok_or_else(damaged)?);
                self.cache().put(at, block.clone());
                block
            }
        };
        let first = index.firsts.get(at).unwrap_or(0);
        block
            .piece((e.0 - first) as usize, index.document(e.0))
            .ok_or_else(damaged)
    }

    /// The pieces of evidence of the base that stem from a document: an empty range where
    /// they would be, if there are none.
    pub(super) fn evidence_of(&self, document: &str) -> Option<Range<u32>> {
        Some(self.base().evidence_index()?.of_document(document))
    }

    fn evidence_blocks(&self) -> Option<Pages<'_>> {
        let pages = self.image().pages(Part::EvidenceBlocks, NO_DIMENSION);
        pages.ok().flatten()
    }

    /// The documents that evidence comes from, by name.
    pub fn documents(&self) -> Vec<Document> {
        if let Some(over) = self.over() {
            return over.documents();
        }
        self.evidence_index()
            .map_or_else(Vec::new, |index| index.documents())
    }

    /// Reads every block.
    pub(super) fn check_evidence(&self) -> Result<(), Wrong> {
        let index = self.evidence_index().ok_or(Wrong)?;
        let blocks = self.evidence_blocks().ok_or(Wrong)?;
        for at in 0..index.lengths.len() {
            let block = index.block(blocks, at).ok_or(Wrong)?;
            for row in 0..block.lines.len() {
                block.piece(row, "").ok_or(Wrong)?;
            }
        }
        Ok(())
    }
}
