//! The changed rows of one dimension and polarity.
#![deny(clippy::indexing_slicing)]

use crate::lattice::relation::row_of;
use roaring::RoaringBitmap;
use std::ops::Range;
use std::sync::OnceLock;

/// A value with the sources that say so, all by their present numbers.
pub(super) type Present = (u32, Vec<(u32, f64)>);

/// Whole rows of some instances, which hide those of the base.
#[derive(Debug, Default)]
pub(in crate::lattice) struct Rows {
    /// The instances with such a row, ascending; it may be empty.
    subjects: Vec<u32>,
    offsets: Vec<u32>,
    values: Vec<u32>,
    source_offsets: Vec<u32>,
    sources: Vec<(u32, f64)>,
    /// The same as a set.
    pub(super) touched: RoaringBitmap,
    /// Each value with those that have it, ascending.
    holders: Vec<(u32, Vec<u32>)>,
    /// Those with two or more values.
    pub(super) multiple: RoaringBitmap,
    /// Rows of these instances that have some predicate.
    pub(super) filled: usize,
    /// Predicates and rows of the base that are hidden.
    pub(super) hidden: (usize, usize),
    /// The distinct values of base and changed rows.
    pub(super) keys: OnceLock<Vec<u32>>,
}

impl Rows {
    /// From rows by instance, ascending, with their values ascending.
    pub(super) fn new(rows: Vec<(u32, Vec<Present>)>, hidden: (usize, usize)) -> Rows {
        let mut all = Rows {
            hidden,
            offsets: vec![0],
            source_offsets: vec![0],
            ..Rows::default()
        };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (subject, row) in rows {
            all.subjects.push(subject);
            all.touched.insert(subject);
            all.filled += usize::from(!row.is_empty());
            if row.len() > 1 {
                all.multiple.insert(subject);
            }
            for (value, sources) in row {
                pairs.push((value, subject));
                all.values.push(value);
                all.sources.extend(sources);
                all.source_offsets.push(all.sources.len() as u32);
            }
            all.offsets.push(all.values.len() as u32);
        }
        pairs.sort_unstable();
        for same in pairs.chunk_by(|a, b| a.0 == b.0) {
            if let Some(&(value, _)) = same.first() {
                let subjects = same.iter().map(|(_, subject)| *subject).collect();
                all.holders.push((value, subjects));
            }
        }
        all
    }

    /// The number of predicates.
    pub(super) fn predicates(&self) -> usize {
        self.values.len()
    }

    /// The instances with a row here, ascending.
    pub(super) fn subjects(&self) -> &[u32] {
        &self.subjects
    }

    /// The row of an instance, with the number of its first predicate; none if its row is
    /// that of the base.
    #[inline]
    pub(super) fn of(&self, subject: u32) -> Option<(&[u32], u32)> {
        let k = self.subjects.binary_search(&subject).ok()?;
        let first = self.offsets.get(k).copied().unwrap_or(0);
        Some((row_of(&self.offsets, &self.values, k), first))
    }

    pub(super) fn subject(&self, p: u32) -> Option<u32> {
        let k = self.offsets.partition_point(|&start| start <= p);
        k.checked_sub(1).and_then(|k| self.subjects.get(k)).copied()
    }

    pub(super) fn value(&self, p: u32) -> Option<u32> {
        self.values.get(p as usize).copied()
    }

    pub(super) fn sources(&self, p: u32) -> &[(u32, f64)] {
        let at = p as usize;
        match (self.source_offsets.get(at), self.source_offsets.get(at + 1)) {
            (Some(&start), Some(&end)) => {
                let range: Range<usize> = start as usize..end as usize;
                self.sources.get(range).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// The instances of these rows that have a value, ascending.
    pub(super) fn holders(&self, value: u32) -> &[u32] {
        let found = self.holders.binary_search_by_key(&value, |(v, _)| *v);
        let found = found.ok().and_then(|at| self.holders.get(at));
        found.map_or(&[], |(_, subjects)| subjects)
    }

    /// Each value of these rows with those that have it, ascending.
    pub(super) fn by_value(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let all = self.holders.iter();
        all.map(|(value, subjects)| (*value, subjects.as_slice()))
    }

    /// The least confidence of any predicate; 1 if there is none.
    pub(super) fn least_confidence(&self) -> f64 {
        let of = |p: u32| {
            let sources = self.sources(p).iter();
            sources.map(|(_, sure)| *sure).fold(0.0, f64::max)
        };
        (0..self.values.len() as u32).map(of).fold(1.0, f64::min)
    }
}
