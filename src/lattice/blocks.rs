//! Serialized roaring bitmaps, read block by block where they lie: nothing is copied
//! that is not asked for.
//!
//! <https://github.com/RoaringBitmap/RoaringFormatSpec>
#![deny(clippy::indexing_slicing)]

use super::bits;
use roaring::RoaringBitmap;
use std::io;

/// The number that a bitmap begins with, if some blocks are ranges.
const WITH_RANGES: u32 = 12347;
/// The number that it begins with otherwise.
const WITHOUT_RANGES: u32 = 12346;
/// From so many blocks on their places are told even where some are ranges.
const TOLD_PLACES: usize = 4;
/// A block of more members is kept as bits.
const MOST_LISTED: usize = 4096;
/// The bytes of a block of bits.
const BITS: usize = 8192;

/// A list is spread into bits for candidates that are more than one in so many of its
/// members.
const MANY: usize = 4;

/// The blocks of a bitmap, each with the number that its first place stands for. What
/// is no bitmap has none from where that shows.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<'a> {
    heads: &'a [[u8; 4]],
    /// A bit per block: whether it is ranges.
    ranges: &'a [u8],
    rest: &'a [u8],
    at: usize,
}

/// The members that agree in their upper halves, by the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block<'a> {
    /// Ascending.
    List(&'a [[u8; 2]]),
    /// A bit each, in words, and how many there are.
    Bits(&'a [[u8; 8]], usize),
    /// The first of each range, and how many follow it.
    Ranges(&'a [[u8; 4]]),
}

impl<'a> Blocks<'a> {
    /// The blocks of these bytes; none if they do not begin like a bitmap.
    pub(crate) fn of(bytes: &'a [u8]) -> Option<Blocks<'a>> {
        let mut rest = bytes;
        let first = u32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?);
        let (count, ranges) = match (first & 0xFFFF, first) {
            (WITH_RANGES, _) => {
                let count = (first >> 16) as usize + 1;
                (count, take(&mut rest, count.div_ceil(8))?)
            }
            (_, WITHOUT_RANGES) => {
                let count = u32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?);
                (count as usize, &[][..])
            }
            _ => return None,
        };
        let size = count.checked_mul(4)?;
        let heads = take(&mut rest, size)?.as_chunks().0;
        if ranges.is_empty() || count >= TOLD_PLACES {
            take(&mut rest, size)?;
        }
        Some(Blocks {
            heads,
            ranges,
            rest,
            at: 0,
        })
    }

    /// Whether all blocks have been read.
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.heads.len()
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = (u32, Block<'a>);

    #[inline]
    fn next(&mut self) -> Option<(u32, Block<'a>)> {
        let [a, b, c, d] = *self.heads.get(self.at)?;
        let base = u32::from(u16::from_le_bytes([a, b])) << 16;
        let count = usize::from(u16::from_le_bytes([c, d])) + 1;
        let ranges = self.ranges.get(self.at / 8);
        let block = if ranges.is_some_and(|bits| bits >> (self.at % 8) & 1 == 1) {
            let ranges = u16::from_le_bytes(*take(&mut self.rest, 2)?.first_chunk()?);
            Block::Ranges(take(&mut self.rest, 4 * usize::from(ranges))?.as_chunks().0)
        } else if count <= MOST_LISTED {
            Block::List(take(&mut self.rest, 2 * count)?.as_chunks().0)
        } else {
            Block::Bits(take(&mut self.rest, BITS)?.as_chunks().0, count)
        };
        self.at += 1;
        Some((base, block))
    }
}

impl Block<'_> {
    /// Adds those of some candidates, which ascend and have this upper half, that are
    /// members.
    pub(crate) fn meet(&self, candidates: &[u32], found: &mut Vec<u32>) {
        match self {
            Block::Bits(words, _) => {
                let has = |x: u32| {
                    let word = words.get(usize::from(x as u16) / 64);
                    word.is_some_and(|word| u64::from_le_bytes(*word) >> (x % 64) & 1 == 1)
                };
                filter(candidates, has, found);
            }
            Block::List(list) if candidates.len() * MANY > list.len() => {
                let mut words = [0u64; BITS / 8];
                for low in *list {
                    let low = u16::from_le_bytes(*low);
                    if let Some(word) = words.get_mut(usize::from(low) / 64) {
                        *word |= 1 << (low % 64);
                    }
                }
                let has = |x: u32| {
                    let word = words.get(usize::from(x as u16) / 64);
                    word.is_some_and(|word| word >> (x % 64) & 1 == 1)
                };
                filter(candidates, has, found);
            }
            Block::List(list) => {
                let mut rest = *list;
                for &x in candidates {
                    rest = after(rest, |at| u16::from_le_bytes(*at) < x as u16);
                    match rest.first() {
                        Some(at) if u16::from_le_bytes(*at) == x as u16 => found.push(x),
                        Some(_) => {}
                        None => return,
                    }
                }
            }
            Block::Ranges(ranges) => {
                let mut rest = *ranges;
                let first = |&[a, b, _, _]: &[u8; 4]| u16::from_le_bytes([a, b]);
                let last = |range: &[u8; 4]| {
                    let [_, _, c, d] = *range;
                    first(range).saturating_add(u16::from_le_bytes([c, d]))
                };
                for &x in candidates {
                    rest = after(rest, |range| last(range) < x as u16);
                    match rest.first() {
                        Some(range) if first(range) <= x as u16 => found.push(x),
                        Some(_) => {}
                        None => return,
                    }
                }
            }
        }
    }
}

/// What is left of a list without those at its start that are before something. It is
/// near as a rule.
pub(super) fn after<T>(list: &[T], before: impl Fn(&T) -> bool) -> &[T] {
    let mut step = 1;
    while list.get(step - 1).is_some_and(&before) {
        step *= 2;
    }
    let (low, high) = (step / 2, list.len().min(step));
    let near = list.get(low..high).unwrap_or(&[]);
    list.get(low + near.partition_point(before)..)
        .unwrap_or(&[])
}

/// Adds the candidates that pass: without a decision at each, which is as often wrong as
/// right.
#[inline(always)]
pub(crate) fn filter(candidates: &[u32], passes: impl Fn(u32) -> bool, found: &mut Vec<u32>) {
    let start = found.len();
    found.resize(start + candidates.len(), 0);
    let room = found.get_mut(start..).unwrap_or(&mut []);
    let mut next = 0;
    for &x in candidates {
        if let Some(slot) = room.get_mut(next) {
            *slot = x;
        }
        next += usize::from(passes(x));
    }
    found.truncate(start + next);
}

/// Adds the members of a set, ascending, to what is in `out`; `bytes` is room to work in.
pub(crate) fn write(set: &RoaringBitmap, bytes: &mut Vec<u8>, out: &mut Vec<u32>) {
    let start = out.len();
    out.reserve(set.len() as usize + 8);
    let size = set.serialized_size();
    if bytes.len() < size {
        bytes.resize(size, 0);
    }
    let written = bytes.get_mut(..size).and_then(|rest| {
        let room = Room { rest };
        set.serialize_into(room).ok()
    });
    let bytes = written.and_then(|()| bytes.get(..size));
    if bytes.and_then(|bytes| write_out(bytes, out)).is_none() {
        out.truncate(start);
        out.extend(set.iter());
    }
}

/// Room of a known size. A set is written into it number by number, and each of these
/// is one instruction where the length is known when this is compiled.
struct Room<'b> {
    rest: &'b mut [u8],
}

impl io::Write for Room<'_> {
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline(always)]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        let Some((room, rest)) = rest.split_at_mut_checked(bytes.len()) else {
            return Err(io::ErrorKind::WriteZero.into());
        };
        match (room.first_chunk_mut::<2>(), bytes.first_chunk::<2>()) {
            (Some(to), Some(from)) if bytes.len() == 2 => *to = *from,
            _ => match (room.first_chunk_mut::<8>(), bytes.first_chunk::<8>()) {
                (Some(to), Some(from)) if bytes.len() == 8 => *to = *from,
                _ => room.copy_from_slice(bytes),
            },
        }
        self.rest = rest;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The members of a set, ascending.
pub(crate) fn members(set: &RoaringBitmap) -> Vec<u32> {
    let mut members = Vec::new();
    write(set, &mut Vec::new(), &mut members);
    members
}

/// The set of some numbers, which ascend.
pub(crate) fn set_of(numbers: &[u32]) -> RoaringBitmap {
    let mut form = Form::with_room(2 * numbers.len());
    for block in numbers.chunk_by(|a, b| a >> 16 == b >> 16) {
        let high = block.first().map_or(0, |x| x >> 16) as u16;
        if block.len() <= MOST_LISTED {
            form.list(high, block.iter().map(|x| *x as u16));
            continue;
        }
        let mut words = [0u64; BITS / 8];
        for x in block {
            if let Some(word) = words.get_mut(usize::from(*x as u16) / 64) {
                *word |= 1 << (x % 64);
            }
        }
        form.bits(high, &words, block.len());
    }
    // What ascends can be read back.
    form.set()
        .unwrap_or_else(|| numbers.iter().copied().collect())
}

/// The set of the numbers whose bits are set.
pub(crate) fn set_of_words(words: &[u64]) -> RoaringBitmap {
    // Most blocks are bits: these are taken over as they are.
    if bits::count(words) > MOST_LISTED * words.len() / (BITS / 8) {
        return RoaringBitmap::from_lsb0_bytes(0, bytemuck::cast_slice(words));
    }
    let mut form = Form::default();
    let mut listed = Vec::new();
    for (high, block) in words.chunks(BITS / 8).enumerate() {
        match bits::count(block) {
            0 => {}
            count if count <= MOST_LISTED => {
                listed.clear();
                bits::list(0, block, count, &mut listed);
                form.list(high as u16, listed.iter().map(|x| *x as u16));
            }
            count => form.bits(high as u16, block, count),
        }
    }
    form.set()
        .unwrap_or_else(|| RoaringBitmap::from_lsb0_bytes(0, bytemuck::cast_slice(words)))
}

/// The serialized form of a bitmap while it is made, block by block.
#[derive(Default)]
struct Form {
    heads: Vec<u16>,
    places: Vec<u32>,
    bodies: Vec<u16>,
}

impl Form {
    fn with_room(bytes: usize) -> Form {
        Form {
            bodies: Vec::with_capacity(bytes / 2),
            ..Form::default()
        }
    }

    fn block(&mut self, high: u16, count: usize) {
        self.heads.extend([high, count.saturating_sub(1) as u16]);
        self.places.push(2 * self.bodies.len() as u32);
    }

    /// Adds a block of at most [`MOST_LISTED`] members.
    fn list(&mut self, high: u16, members: impl ExactSizeIterator<Item = u16>) {
        self.block(high, members.len());
        self.bodies.extend(members);
    }

    /// Adds a block of more.
    fn bits(&mut self, high: u16, words: &[u64], count: usize) {
        self.block(high, count);
        let end = self.bodies.len() + BITS / 2;
        self.bodies.extend_from_slice(bytemuck::cast_slice(words));
        // The last block may be cut short.
        self.bodies.resize(end, 0);
    }

    fn set(self) -> Option<RoaringBitmap> {
        let start = (8 + 8 * self.places.len()) as u32;
        let mut bytes = Vec::with_capacity(start as usize + 2 * self.bodies.len());
        bytes.extend_from_slice(&WITHOUT_RANGES.to_le_bytes());
        bytes.extend_from_slice(&(self.places.len() as u32).to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&self.heads));
        let places = self.places.iter();
        bytes.extend(places.flat_map(|place| (start + place).to_le_bytes()));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.bodies));
        // It was made a moment ago, so that nothing of it needs to be checked.
        RoaringBitmap::deserialize_unchecked_from(bytes.as_slice()).ok()
    }
}

/// Writes out all blocks of a serialized bitmap; none if it is no such thing.
pub(crate) fn write_out(bytes: &[u8], out: &mut Vec<u32>) -> Option<()> {
    let mut blocks = Blocks::of(bytes)?;
    for (base, block) in blocks.by_ref() {
        match block {
            Block::List(list) => {
                out.extend(
                    list.iter()
                        .map(|low| base | u32::from(u16::from_le_bytes(*low))),
                );
            }
            Block::Bits(words, count) => {
                let words = words.iter().map(|word| u64::from_le_bytes(*word));
                bits::list_of(base, words, count, out)?;
            }
            Block::Ranges(ranges) => {
                for &[a, b, c, d] in ranges {
                    let low = base + u32::from(u16::from_le_bytes([a, b]));
                    out.extend(low..=low + u32::from(u16::from_le_bytes([c, d])));
                }
            }
        }
    }
    blocks.is_done().then_some(())
}

/// The first bytes of some, which are then taken away from them.
fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, behind) = rest.split_at_checked(count)?;
    *rest = behind;
    Some(first)
}
