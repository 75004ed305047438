//! The predicates of one dimension and polarity, as columns.

use super::{EvidenceId, InstanceId, PredicateId, ValueId};
use roaring::RoaringBitmap;
use std::sync::LazyLock;

static NO_INSTANCES: LazyLock<RoaringBitmap> = LazyLock::new(RoaringBitmap::new);

/// The predicates of one dimension and polarity, sorted by (instance, value). It
/// borrows the lattice's own arrays and is cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Relation<'a> {
    pub(super) columns: Columns<'a>,
    pub(super) multiple: &'a RoaringBitmap,
    pub(super) least: f64,
}

/// The arrays of a relation. Compressed rows twice: values by instance, and
/// instances by value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'a> {
    /// Instances that have a value, ascending.
    pub(super) subjects: &'a [u32],
    /// Row `k` is `values[offsets[k]..offsets[k + 1]]`.
    pub(super) offsets: &'a [u32],
    pub(super) values: &'a [u32],
    /// Values that some instance has, ascending.
    pub(super) heads: &'a [u32],
    /// The holders of `heads[k]` are `holders[holder_offsets[k]..holder_offsets[k + 1]]`.
    pub(super) holder_offsets: &'a [u32],
    pub(super) holders: &'a [u32],
    /// Where the sources of each predicate start; empty if each has exactly one.
    pub(super) source_offsets: &'a [u32],
    pub(super) sources: &'a [u32],
    /// One per source; empty if all are 1.
    pub(super) confidences: &'a [f64],
}

impl Columns<'_> {
    pub(super) const EMPTY: Columns<'static> = Columns {
        subjects: &[],
        offsets: &[0],
        values: &[],
        heads: &[],
        holder_offsets: &[0],
        holders: &[],
        source_offsets: &[],
        sources: &[],
        confidences: &[],
    };
}

/// Row `k` of compressed rows; empty if there is none.
pub(super) fn row_of<'a>(offsets: &[u32], entries: &'a [u32], k: usize) -> &'a [u32] {
    match (offsets.get(k), offsets.get(k + 1)) {
        (Some(&start), Some(&end)) => entries.get(start as usize..end as usize).unwrap_or(&[]),
        _ => &[],
    }
}

impl<'a> Relation<'a> {
    /// A relation without predicates.
    pub(super) fn empty() -> Relation<'a> {
        Relation {
            columns: Columns::EMPTY,
            multiple: &NO_INSTANCES,
            least: 1.0,
        }
    }

    /// The distinct instances with at least one predicate, ascending.
    pub fn subjects(&self) -> &'a [u32] {
        self.columns.subjects
    }

    /// The row of `subjects()[rank]`; empty if there is none.
    pub fn row(&self, rank: usize) -> Row<'a> {
        Row {
            values: row_of(self.columns.offsets, self.columns.values, rank),
            first: self.columns.offsets.get(rank).copied().unwrap_or(0),
        }
    }

    /// The row of an instance; empty if nothing is recorded.
    pub fn of(&self, i: InstanceId) -> Row<'a> {
        match self.columns.subjects.binary_search(&i.0) {
            Ok(rank) => self.row(rank),
            Err(_) => Row {
                values: &[],
                first: 0,
            },
        }
    }

    /// The instances of which exactly this value is recorded, ascending.
    pub fn holders(&self, v: ValueId) -> &'a [u32] {
        match self.columns.heads.binary_search(&v.0) {
            Ok(k) => row_of(self.columns.holder_offsets, self.columns.holders, k),
            Err(_) => &[],
        }
    }

    /// The distinct values, ascending.
    pub fn distinct_values(&self) -> &'a [u32] {
        self.columns.heads
    }

    /// The values of all rows, one row after another; indexed by [`PredicateId`].
    pub fn values(&self) -> &'a [u32] {
        self.columns.values
    }

    /// Where the rows start in [`Relation::values`], and the end of the last one.
    pub fn offsets(&self) -> &'a [u32] {
        self.columns.offsets
    }

    /// The instances with two or more distinct values.
    pub fn multiple(&self) -> &'a RoaringBitmap {
        self.multiple
    }

    /// The least confidence of any predicate; 1 if there is none.
    pub fn least_confidence(&self) -> f64 {
        self.least
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        self.columns.values.len()
    }

    /// Whether there is no predicate.
    pub fn is_empty(&self) -> bool {
        self.columns.values.is_empty()
    }

    /// The instance that a predicate is about.
    pub fn subject(&self, p: PredicateId) -> Option<InstanceId> {
        let after = self.columns.offsets.partition_point(|&start| start <= p.0);
        let rank = after.checked_sub(1)?;
        self.columns.subjects.get(rank).map(|&i| InstanceId(i))
    }

    /// The confidence of a predicate, from 0 to 1: the greatest of its sources'.
    pub fn confidence(&self, p: PredicateId) -> f64 {
        if self.columns.confidences.is_empty() {
            return 1.0;
        }
        let of = self.source_range(p);
        let confidences = self.columns.confidences.get(of).unwrap_or(&[]);
        confidences.iter().copied().fold(0.0, f64::max)
    }

    /// The sources of a predicate, ascending, with the confidence of each.
    pub fn sources(&self, p: PredicateId) -> Vec<(EvidenceId, f64)> {
        let of = self.source_range(p);
        let sources = self.columns.sources.get(of.clone()).unwrap_or(&[]);
        let confidence = |k: usize| self.columns.confidences.get(k).copied().unwrap_or(1.0);
        of.zip(sources)
            .map(|(k, &e)| (EvidenceId(e), confidence(k)))
            .collect()
    }

    fn source_range(&self, p: PredicateId) -> std::ops::Range<usize> {
        let p = p.index();
        if self.columns.source_offsets.is_empty() {
            return p..p.saturating_add(1);
        }
        let offset = |k: usize| {
            self.columns
                .source_offsets
                .get(k)
                .map_or(0, |&at| at as usize)
        };
        offset(p)..offset(p.saturating_add(1))
    }
}

/// The predicates of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    values: &'a [u32],
    first: u32,
}

impl<'a> Row<'a> {
    /// The values, ascending.
    pub fn values(&self) -> &'a [u32] {
        self.values
    }

    /// The predicate of `values()[k]`.
    pub fn predicate(&self, k: usize) -> PredicateId {
        PredicateId(
            self.first
                .saturating_add(u32::try_from(k).unwrap_or(u32::MAX)),
        )
    }

    /// The predicate that has a value.
    pub fn find(&self, v: ValueId) -> Option<PredicateId> {
        self.values
            .binary_search(&v.0)
            .ok()
            .map(|k| self.predicate(k))
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}
