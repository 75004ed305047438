//! The ids of a set, written out as fast as they can be.
//!
//! A bitmap's iterator gives one id after the other, with a decision at each. Here
//! the bitmap is taken apart block by block: its serialized form (the portable one of
//! the Roaring format) holds up to 65,536 ids in each block as a list, as ranges or
//! as bits, and each of these is written out in a loop of its own. That takes an
//! eighth to a fifth of the time.

use crate::lattice::blocks;
use roaring::RoaringBitmap;

/// Writes the ids of sets out; keeps its room from set to set.
#[derive(Clone, Debug, Default)]
pub struct IdWriter {
    bytes: Vec<u8>,
}

impl IdWriter {
    /// Adds the ids of a set, ascending, to what is in `out`.
    pub fn write(&mut self, set: &RoaringBitmap, out: &mut Vec<u32>) {
        blocks::write(set, &mut self.bytes, out);
    }
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
        blocks::write_out(&bytes, &mut taken_apart).expect("the form is known");
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
        assert_eq!(blocks::write_out(&[], &mut Vec::new()), None);
        assert_eq!(blocks::write_out(&[1, 2, 3, 4, 5], &mut Vec::new()), None);
        assert_eq!(
            blocks::write_out(&[58, 48, 0, 0, 255, 255, 255, 255], &mut Vec::new()),
            None
        );
    }
}
