//! The ids of a set, written out as fast as they can be.
//!
//! A bitmap's iterator gives one id after the other, with a decision at each. Here
//! the bitmap is taken apart block by block: its serialized form (the portable one of
//! the Roaring format) holds up to 65,536 ids in each block as a list, as ranges or
//! as bits, and each of these is written out in a loop of its own. That takes an
//! eighth to a fifth of the time.

use roaring::RoaringBitmap;

/// Writes the ids of sets out; keeps its room from set to set.
#[derive(Clone, Debug, Default)]
pub struct IdWriter {
    bytes: Vec<u8>,
}

/// The number that a serialized bitmap begins with, if some blocks are ranges.
const WITH_RANGES: u32 = 12347;
/// The number that it begins with otherwise.
const WITHOUT_RANGES: u32 = 12346;
/// From so many blocks on their places are told even where some are ranges.
const TOLD_PLACES: usize = 4;
/// A block of more ids is kept as bits.
const MOST_LISTED: usize = 4096;
/// The bytes of a block of bits.
const BITS: usize = 8192;
/// From so many ids on the bits are read by bytes, each with all its ids at once.
const DENSE: usize = 8192;

/// By byte: the places of its bits, ascending.
static PLACES: [[u8; 8]; 256] = places();

#[allow(clippy::indexing_slicing)]
const fn places() -> [[u8; 8]; 256] {
    let mut all = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut next) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                all[byte][next] = bit;
                next += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
}

impl IdWriter {
    /// Adds the ids of a set, ascending, to what is in `out`.
    pub fn write(&mut self, set: &RoaringBitmap, out: &mut Vec<u32>) {
        self.bytes.clear();
        let start = out.len();
        out.reserve(set.len() as usize + 8);
        // Writing to memory does not fail.
        let written = set.serialize_into(&mut self.bytes).is_ok();
        if !written || blocks(&self.bytes, out).is_none() {
            out.truncate(start);
            out.extend(set.iter());
        }
    }
}

/// Writes out all blocks of a serialized bitmap; none if it is no such thing.
fn blocks(bytes: &[u8], out: &mut Vec<u32>) -> Option<()> {
    let mut rest = bytes;
    let first = number(take(&mut rest, 4)?)?;
    let (count, ranges) = match (first & 0xFFFF, first) {
        (WITH_RANGES, _) => {
            let count = (first >> 16) as usize + 1;
            (count, Some(take(&mut rest, count.div_ceil(8))?))
        }
        (_, WITHOUT_RANGES) => (number(take(&mut rest, 4)?)? as usize, None),
        _ => return None,
    };
    let heads = take(&mut rest, 4 * count)?;
    if ranges.is_none() || count >= TOLD_PLACES {
        take(&mut rest, 4 * count)?;
    }
    for (at, head) in heads.chunks_exact(4).enumerate() {
        let (high, count) = head.split_at(2);
        let base = half(high)? << 16;
        let count = half(count)? as usize + 1;
        let is_range = |ranges: &[u8]| Some(ranges.get(at / 8)? >> (at % 8) & 1 == 1);
        if ranges.and_then(is_range).unwrap_or(false) {
            let ranges = half(take(&mut rest, 2)?)? as usize;
            for range in take(&mut rest, 4 * ranges)?.chunks_exact(4) {
                let (low, length) = range.split_at(2);
                let low = base + half(low)?;
                out.extend(low..=low + half(length)?);
            }
        } else if count <= MOST_LISTED {
            let list = take(&mut rest, 2 * count)?;
            let ids = list.as_chunks::<2>().0.iter();
            out.extend(ids.map(|low| base | u32::from(u16::from_le_bytes(*low))));
        } else {
            let words = take(&mut rest, BITS)?.as_chunks::<8>().0;
            match count < DENSE {
                true => sparse(base, words, out),
                false => dense(base, words, count, out)?,
            }
        }
    }
    Some(())
}

/// Writes out bits, one after the other.
fn sparse(base: u32, words: &[[u8; 8]], out: &mut Vec<u32>) {
    for (word, low) in words.iter().zip((base..).step_by(64)) {
        let mut word = u64::from_le_bytes(*word);
        while word != 0 {
            out.push(low + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

/// Writes out bits, a byte at a time: eight ids are written at once, of which those
/// that the byte has not are written over by the next.
fn dense(base: u32, words: &[[u8; 8]], count: usize, out: &mut Vec<u32>) -> Option<()> {
    let start = out.len();
    out.resize(start + count + 8, 0);
    let room = out.get_mut(start..)?;
    let mut next = 0;
    for (word, low) in words.iter().zip((base..).step_by(64)) {
        for (k, byte) in (0u32..).zip(word) {
            let low = low + 8 * k;
            let places = PLACES.get(usize::from(*byte))?;
            let slot = room.get_mut(next..next + 8)?;
            for (id, place) in slot.iter_mut().zip(places) {
                *id = low + u32::from(*place);
            }
            next += byte.count_ones() as usize;
        }
    }
    out.truncate(start + count);
    (next == count).then_some(())
}

/// The first bytes of some, which are then taken away from them.
fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, behind) = rest.split_at_checked(count)?;
    *rest = behind;
    Some(first)
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.first_chunk()?))
}

fn half(bytes: &[u8]) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(*bytes.first_chunk()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(set: &RoaringBitmap) -> Vec<u32> {
        let mut writer = IdWriter::default();
        let mut out = vec![7];
        writer.write(set, &mut out);
        assert_eq!(out.remove(0), 7);
        let mut bytes = Vec::new();
        set.serialize_into(&mut bytes).unwrap();
        let mut taken_apart = Vec::new();
        blocks(&bytes, &mut taken_apart).expect("the form is known");
        assert_eq!(taken_apart, out);
        out
    }

    #[test]
    fn ids_are_those_of_the_iterator_whatever_the_blocks_are() {
        let every =
            |step: usize, count: u32| -> RoaringBitmap { (0..count).step_by(step).collect() };
        let mut sets = vec![
            RoaringBitmap::new(),
            RoaringBitmap::from_iter([0, 65_535, 65_536, u32::MAX]),
            every(1, 200_000),
            every(2, 200_000),
            every(3, 1_000_000),
            every(9, 1_000_000),
            every(12, 1_000_000),
            every(100, 1_000_000),
        ];
        for set in sets.clone() {
            let mut ranges = set | RoaringBitmap::from_iter(500_000..700_000);
            ranges.optimize();
            sets.push(ranges);
        }
        for set in &sets {
            assert_eq!(written(set), set.iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_bytes_are_no_bitmap() {
        assert_eq!(blocks(&[], &mut Vec::new()), None);
        assert_eq!(blocks(&[1, 2, 3, 4, 5], &mut Vec::new()), None);
        assert_eq!(
            blocks(&[58, 48, 0, 0, 255, 255, 255, 255], &mut Vec::new()),
            None
        );
    }
}
