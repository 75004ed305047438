//! The predicates of one dimension and polarity.
#![deny(clippy::indexing_slicing)]

use super::blocks::filter;
use super::columns::{Layout, RowsLayout};
use super::format::Image;
use super::gathering::Gathering;
use super::laid::Renumbering;
use super::pages::{Array, Pages};
use super::posting::{Posting, PostingTable, group_key};
use super::{EvidenceId, InstanceId, PredicateId, ValueId};
use crate::order::Dag;
use bytemuck::Pod;
use roaring::RoaringBitmap;
use std::ops::Range;

/// The values of so many places are counted one by one.
const FEW_PLACES: usize = 16;
/// Members of a group on each level of a scale, as a power of two.
const FAN_BITS: u32 = 4;

/// The predicates of one dimension and polarity as they are stored, by instance and by
/// value. It borrows the lattice's bytes and is cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a>(Option<Section<'a>>);

#[derive(Clone, Copy)]
struct Section<'a> {
    pages: Pages<'a>,
    layout: &'a Layout,
    image: &'a Image,
}

/// Row `k` of compressed rows; empty if there is none.
pub(super) fn row_of<'a>(offsets: &[u32], entries: &'a [u32], k: usize) -> &'a [u32] {
    match (offsets.get(k), offsets.get(k + 1)) {
        (Some(&start), Some(&end)) => entries.get(start as usize..end as usize).unwrap_or(&[]),
        _ => &[],
    }
}

/// Adds the candidates whose number in a column, less one, passes.
#[inline(always)]
fn numbered<T: Pod + Into<u32>>(
    numbers: Array<'_, T>,
    candidates: &[u32],
    passes: impl Fn(u32) -> bool,
    found: &mut Vec<u32>,
) {
    let passes = |x: u32| {
        let number: u32 = numbers.get(x as usize).map_or(0, T::into);
        (number != 0) & passes(number.wrapping_sub(1))
    };
    filter(candidates, passes, found);
}

impl<'a> Section<'a> {
    fn postings(&self) -> PostingTable<'a> {
        PostingTable::new(self.pages, &self.layout.postings)
    }

    fn groups(&self) -> PostingTable<'a> {
        PostingTable::new(self.pages, &self.layout.groups)
    }

    /// One more than the value of an instance in a column, or 0.
    #[inline]
    fn number(&self, width: u32, numbers: super::pages::Span, i: usize) -> u32 {
        let pages = self.pages;
        let number = match width {
            1 => Array::<u8>::at(pages, numbers).get(i).map(u32::from),
            2 => Array::<u16>::at(pages, numbers).get(i).map(u32::from),
            _ => Array::<u32>::at(pages, numbers).get(i),
        };
        number.unwrap_or(0)
    }

    fn compressed(
        &self,
        k: usize,
        offsets: super::pages::Span,
        values: super::pages::Span,
    ) -> Row<'a> {
        let range = Array::<u32>::at(self.pages, offsets).row(k);
        let first = range.start as u32;
        Row {
            values: Values::Several(Array::<u32>::at(self.pages, values).range(range)),
            first,
        }
    }

    fn of(&self, i: u32) -> Row<'a> {
        match self.layout.rows {
            RowsLayout::Column { width, numbers } => {
                match self.number(width, numbers, i as usize).checked_sub(1) {
                    Some(value) => Row {
                        values: Values::Single([value]),
                        first: i,
                    },
                    None => Row::EMPTY,
                }
            }
            RowsLayout::Compressed {
                subjects,
                offsets,
                values,
            } => match Array::<u32>::at(self.pages, subjects).find(i) {
                Some(k) => self.compressed(k, offsets, values),
                None => Row::EMPTY,
            },
        }
    }

    fn source_range(&self, p: usize) -> Range<usize> {
        match self.layout.source_offsets.length {
            0 => p..p.saturating_add(1),
            _ => Array::<u32>::at(self.pages, self.layout.source_offsets).row(p),
        }
    }

    fn confidences(&self) -> Array<'a, f64> {
        Array::at(self.pages, self.layout.confidences)
    }
}

impl<'a> Stored<'a> {
    pub(super) fn new(pages: Pages<'a>, layout: &'a Layout, image: &'a Image) -> Stored<'a> {
        Stored(Some(Section {
            pages,
            layout,
            image,
        }))
    }

    /// A relation without predicates.
    pub(super) fn empty() -> Stored<'a> {
        Stored(None)
    }

    /// The number of instances with at least one predicate.
    pub(super) fn subject_count(&self) -> usize {
        self.0.map_or(0, |section| section.layout.subjects)
    }

    /// The instances with at least one predicate, ascending, each with its row.
    pub(super) fn rows(&self) -> impl Iterator<Item = (InstanceId, Row<'a>)> + use<'a> {
        let section = self.0;
        let count = match section.map(|section| section.layout.rows) {
            None => 0,
            Some(RowsLayout::Compressed { subjects, .. }) => subjects.length,
            Some(RowsLayout::Column { numbers, .. }) => numbers.length,
        };
        (0..count).filter_map(move |k| {
            let section = section?;
            let (i, row) = match section.layout.rows {
                RowsLayout::Compressed {
                    subjects,
                    offsets,
                    values,
                } => {
                    let i = Array::<u32>::at(section.pages, subjects).get(k)?;
                    (i, section.compressed(k, offsets, values))
                }
                RowsLayout::Column { .. } => (k as u32, section.of(k as u32)),
            };
            (!row.is_empty()).then_some((InstanceId(i), row))
        })
    }

    /// The instances with at least one predicate.
    pub(super) fn subjects(&self) -> RoaringBitmap {
        match self.0 {
            Some(Section {
                pages,
                layout:
                    Layout {
                        rows: RowsLayout::Compressed { subjects, .. },
                        ..
                    },
                ..
            }) => {
                let subjects = Array::<u32>::at(pages, *subjects).all();
                subjects.iter().copied().collect()
            }
            _ => {
                let all = self.rows().map(|(i, _)| i.0);
                RoaringBitmap::from_sorted_iter(all).unwrap_or_default()
            }
        }
    }

    /// The row of an instance; empty if nothing is recorded.
    #[inline]
    pub(super) fn of(&self, i: InstanceId) -> Row<'a> {
        self.0.map_or(Row::EMPTY, |section| section.of(i.0))
    }

    /// Adds the candidates with a value that passes, in their order.
    pub(super) fn holding(
        &self,
        candidates: &[u32],
        passes: impl Fn(u32) -> bool,
        found: &mut Vec<u32>,
    ) {
        let Some(section) = self.0 else {
            return;
        };
        let pages = section.pages;
        match section.layout.rows {
            RowsLayout::Column { width: 1, numbers } => {
                numbered(Array::<u8>::at(pages, numbers), candidates, passes, found);
            }
            RowsLayout::Column { width: 2, numbers } => {
                numbered(Array::<u16>::at(pages, numbers), candidates, passes, found);
            }
            RowsLayout::Column { numbers, .. } => {
                numbered(Array::<u32>::at(pages, numbers), candidates, passes, found);
            }
            RowsLayout::Compressed { .. } => {
                let has = |x: &&u32| section.of(**x).values().iter().any(|v| passes(*v));
                found.extend(candidates.iter().filter(has));
            }
        }
    }

    /// The instances of which exactly this value is recorded.
    pub(super) fn holders(&self, v: ValueId) -> Posting<'a> {
        let posting = self.0.and_then(|section| section.postings().of(v.0));
        posting.unwrap_or(Posting::List(&[]))
    }

    /// How many instances have exactly this value.
    pub(super) fn holder_count(&self, v: ValueId) -> u64 {
        let count = self.0.and_then(|section| section.postings().count(v.0));
        count.unwrap_or(0).into()
    }

    /// The distinct values, ascending.
    pub(super) fn distinct_values(&self) -> &'a [u32] {
        self.0
            .map_or(&[], |section| section.postings().keys().all())
    }

    /// Gathers the instances of which exactly one of these values is recorded, which
    /// come in ascending order.
    pub(super) fn gather_holders(
        &self,
        values: impl IntoIterator<Item = u32>,
        gathering: &mut Gathering<'a>,
    ) {
        let Some(section) = self.0 else {
            return;
        };
        let postings = section.postings();
        let keys = postings.keys();
        let mut at = 0;
        for value in values {
            at = keys.seek(at, value);
            if keys.get(at) == Some(value) {
                gathering.add(postings.at(at));
            }
        }
    }

    /// Gathers the instances with a value at or below a node of the taxonomy that the
    /// dimension's values are of; or strictly below it.
    pub(super) fn gather_below(
        &self,
        dag: &Dag,
        node: u32,
        strict: bool,
        gathering: &mut Gathering<'a>,
    ) {
        let Some(section) = self.0 else {
            return;
        };
        let (postings, groups) = (section.postings(), section.groups());
        let mut seen = RoaringBitmap::new();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            let own = strict && next == node;
            if !own && let Some(all) = groups.of(next) {
                gathering.add(all);
                continue;
            }
            if !own && let Some(holders) = postings.of(next) {
                gathering.add(holders);
            }
            let children = dag.children(next).iter().copied();
            // A tree needs no memory of where one has been.
            stack.extend(children.filter(|&c| dag.parents(c).len() < 2 || seen.insert(c)));
        }
    }

    /// About how many instances have a value at or below a node.
    pub(super) fn estimate_below(&self, dag: &Dag, node: u32) -> u64 {
        const MOST: usize = 64;
        let Some(section) = self.0 else {
            return 0;
        };
        let (postings, groups) = (section.postings(), section.groups());
        let mut stack = vec![node];
        let (mut about, mut looked) = (0u64, 0);
        while let Some(next) = stack.pop() {
            looked += 1;
            if let Some(all) = groups.count(next) {
                about += u64::from(all);
                continue;
            }
            about += u64::from(postings.count(next).unwrap_or(0));
            if looked < MOST {
                stack.extend(dag.children(next));
            }
        }
        about
    }

    /// Gathers the instances with one of some values of a scale, which are given as a
    /// range of places in [`Stored::distinct_values`].
    pub(super) fn gather_range(&self, places: Range<usize>, gathering: &mut Gathering<'a>) {
        let Some(section) = self.0 else {
            return;
        };
        let prefixes = PostingTable::new(section.pages, &section.layout.prefixes);
        let keys = prefixes.keys().all();
        let first = keys.partition_point(|&key| (key as usize) < places.start);
        let last = keys.partition_point(|&key| key as usize <= places.end);
        // The prefix before the first value is empty.
        let lower = match places.start {
            0 => Some((0, None)),
            _ => keys.get(first).map(|&key| (key as usize, Some(first))),
        };
        let upper = last
            .checked_sub(1)
            .and_then(|k| Some((*keys.get(k)? as usize, k)));
        match (lower, upper) {
            (Some((start, below)), Some((end, above))) if start < end => {
                match below {
                    Some(below) => {
                        gathering.add_difference(prefixes.at(above), prefixes.at(below));
                    }
                    None => gathering.add(prefixes.at(above)),
                }
                self.gather_groups(section, places.start..start, gathering);
                self.gather_groups(section, end..places.end, gathering);
            }
            _ => self.gather_groups(section, places, gathering),
        }
    }

    fn gather_groups(
        &self,
        section: Section<'a>,
        places: Range<usize>,
        gathering: &mut Gathering<'a>,
    ) {
        let (postings, groups) = (section.postings(), section.groups());
        let end = places.end.min(postings.len());
        let mut at = places.start;
        while at < end {
            // The largest kept group that starts here and does not go too far.
            let mut level = 0;
            while let Some(size) = 1usize.checked_shl(FAN_BITS * (level + 1))
                && at.is_multiple_of(size)
                && (at + size <= end || end == postings.len())
                && level < 6
                && groups
                    .count(group_key(level + 1, (at / size) as u32))
                    .is_some()
            {
                level += 1;
            }
            if level == 0 {
                gathering.add(postings.at(at));
                at += 1;
                continue;
            }
            let size = 1usize << (FAN_BITS * level);
            if let Some(group) = groups.of(group_key(level, (at / size) as u32)) {
                gathering.add(group);
            }
            at += size;
        }
    }

    /// About how many instances have one of some values of a scale.
    pub(super) fn estimate_range(&self, places: Range<usize>) -> u64 {
        let Some(section) = self.0 else {
            return 0;
        };
        let postings = section.postings();
        let end = places.end.min(postings.len());
        if end.saturating_sub(places.start) <= FEW_PLACES {
            let counts = (places.start..end).filter_map(|k| postings.count_at(k));
            return counts.map(u64::from).sum();
        }
        let prefixes = PostingTable::new(section.pages, &section.layout.prefixes);
        let (keys, all) = (prefixes.keys(), postings.len().max(1));
        // As many as the last prefix before a place has.
        let before = |place: usize| match keys.partition_point(|key| *key as usize <= place) {
            0 => 0,
            k => u64::from(prefixes.count_at(k - 1).unwrap_or(0)),
        };
        match prefixes.len() {
            0 => (self.len() as u64).saturating_mul((end - places.start) as u64) / all as u64,
            _ => before(end).saturating_sub(before(places.start)),
        }
    }

    /// The instances with two or more distinct values.
    pub(super) fn multiple(&self) -> RoaringBitmap {
        let Some(section) = self.0 else {
            return RoaringBitmap::new();
        };
        let bytes = Array::<u8>::at(section.pages, section.layout.multiple).all();
        if bytes.is_empty() {
            return RoaringBitmap::new();
        }
        RoaringBitmap::deserialize_from(bytes).unwrap_or_else(|_| {
            section.pages.report();
            RoaringBitmap::new()
        })
    }

    /// Whether some instance has two or more distinct values.
    pub(super) fn has_multiple(&self) -> bool {
        self.0
            .is_some_and(|section| section.layout.multiple.length > 0)
    }

    /// The least confidence of any predicate; 1 if there is none.
    pub(super) fn least_confidence(&self) -> f64 {
        self.0.map_or(1.0, |section| section.layout.least)
    }

    /// One more than the greatest number that a predicate may have.
    pub(super) fn predicate_space(&self) -> u32 {
        let space = self.0.map_or(0, |section| match section.layout.rows {
            RowsLayout::Column { numbers, .. } => numbers.length,
            RowsLayout::Compressed { .. } => section.layout.predicates,
        });
        u32::try_from(space).unwrap_or(u32::MAX)
    }

    /// The number of predicates.
    pub(super) fn len(&self) -> usize {
        self.0.map_or(0, |section| section.layout.predicates)
    }

    /// The instance that a predicate is about.
    pub(super) fn subject(&self, p: PredicateId) -> Option<InstanceId> {
        let section = self.0?;
        match section.layout.rows {
            RowsLayout::Column { .. } => Some(InstanceId(p.0)),
            RowsLayout::Compressed {
                subjects, offsets, ..
            } => {
                let offsets = Array::<u32>::at(section.pages, offsets);
                let rank = offsets
                    .partition_point(|&start| start <= p.0)
                    .checked_sub(1)?;
                let subject = Array::<u32>::at(section.pages, subjects).get(rank);
                subject.map(InstanceId)
            }
        }
    }

    /// The value that a predicate gives.
    pub(super) fn value(&self, p: PredicateId) -> Option<ValueId> {
        let section = self.0?;
        let value = match section.layout.rows {
            RowsLayout::Column { width, numbers } => {
                section.number(width, numbers, p.index()).checked_sub(1)
            }
            RowsLayout::Compressed { values, .. } => {
                Array::<u32>::at(section.pages, values).get(p.index())
            }
        };
        value.map(ValueId)
    }

    /// The confidence of a predicate, from 0 to 1: the greatest of its sources'.
    pub(super) fn confidence(&self, p: PredicateId) -> f64 {
        let Some(section) = self.0.filter(|s| s.layout.confidences.length > 0) else {
            return 1.0;
        };
        let of = section.confidences().range(section.source_range(p.index()));
        of.iter().copied().fold(0.0, f64::max)
    }

    /// The sources of a predicate, ascending, with the confidence of each.
    pub(super) fn sources(&self, p: PredicateId) -> Vec<(EvidenceId, f64)> {
        let Some(section) = self.0 else {
            return Vec::new();
        };
        let range = section.source_range(p.index());
        let confidences: &[f64] = match section.layout.confidences.length {
            0 => &[],
            _ => section.confidences().range(range.clone()),
        };
        let confidence = |k: usize| confidences.get(k).copied().unwrap_or(1.0);
        let sources: Vec<u32> = match section.layout.shared {
            true => {
                let subject = self.subject(p);
                let source = subject.and_then(|i| section.image.source_of(i));
                source.into_iter().collect()
            }
            false => Array::<u32>::at(section.pages, section.layout.sources)
                .range(range)
                .to_vec(),
        };
        let of = sources.into_iter().enumerate();
        of.map(|(k, e)| (EvidenceId(e), confidence(k))).collect()
    }
}

/// The predicates of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    values: Values<'a>,
    first: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Values<'a> {
    Single([u32; 1]),
    Several(&'a [u32]),
    /// By other numbers than those that are stored.
    Renumbered(Box<[u32]>),
}

impl<'a> Row<'a> {
    pub(super) const EMPTY: Row<'static> = Row {
        values: Values::Several(&[]),
        first: 0,
    };

    /// Of values, ascending, and the predicate of the first of them.
    pub(super) fn new(values: &'a [u32], first: u32) -> Row<'a> {
        Row {
            values: Values::Several(values),
            first,
        }
    }

    /// The same row by the present numbers of its values, all of which are still there.
    pub(super) fn renumbered(self, renumbering: &Renumbering) -> Row<'a> {
        if renumbering.is_identity() {
            return self;
        }
        let present = |v: &u32| renumbering.present(*v);
        let values = match self.values {
            Values::Single([v]) => Values::Single([present(&v).unwrap_or(u32::MAX)]),
            values => Values::Renumbered(values.all().iter().filter_map(present).collect()),
        };
        Row { values, ..self }
    }
}

impl Values<'_> {
    fn all(&self) -> &[u32] {
        match self {
            Values::Single(value) => value,
            Values::Several(values) => values,
            Values::Renumbered(values) => values,
        }
    }
}

impl Row<'_> {
    /// The values, ascending.
    #[inline]
    pub fn values(&self) -> &[u32] {
        self.values.all()
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
        let found = self.values().binary_search(&v.0);
        found.ok().map(|k| self.predicate(k))
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        self.values().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values().is_empty()
    }
}
