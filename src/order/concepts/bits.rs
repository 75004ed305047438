//! Sets of small numbers as blocks of 64 bits.

/// How many blocks hold `count` bits.
pub(super) fn blocks(count: usize) -> usize {
    count.div_ceil(64)
}

/// Puts a number into the set.
pub(super) fn insert(set: &mut [u64], number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

/// Whether a number is in the set.
pub(super) fn contains(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 != 0
}

/// Makes the set `0..count`.
pub(super) fn fill(set: &mut [u64], count: usize) {
    for (k, block) in set.iter_mut().enumerate() {
        let left = count.saturating_sub(k * 64);
        *block = if left >= 64 { !0 } else { (1 << left) - 1 };
    }
}

/// How many numbers are in the set.
pub(super) fn size(set: &[u64]) -> u64 {
    set.iter().map(|block| u64::from(block.count_ones())).sum()
}

/// Whether the one set lies in the other.
pub(super) fn is_subset(part: &[u64], whole: &[u64]) -> bool {
    part.iter().zip(whole).all(|(a, b)| a & !b == 0)
}

/// Keeps in the set what is in the other one too.
pub(super) fn intersect(set: &mut [u64], other: &[u64]) {
    for (a, b) in set.iter_mut().zip(other) {
        *a &= b;
    }
}

/// The numbers of a set, ascending.
pub(super) fn numbers(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(k, &block)| {
        let mut left = block;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(k * 64 + bit)
        })
    })
}

/// A matrix of bits, row after row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matrix {
    blocks: usize,
    bits: Vec<u64>,
}

impl Matrix {
    /// An empty matrix of so many rows and columns.
    pub fn new(rows: usize, columns: usize) -> Matrix {
        let blocks = blocks(columns);
        Matrix {
            blocks,
            bits: vec![0; rows * blocks],
        }
    }

    /// How many blocks a row has.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.blocks..(row + 1) * self.blocks]
    }

    /// All rows, one after another.
    pub fn all(&self) -> &[u64] {
        &self.bits
    }

    /// Sets one bit.
    pub fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.blocks + column / 64] |= 1 << (column % 64);
    }
}
