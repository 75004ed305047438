//! A relation as bytes.
#![deny(clippy::indexing_slicing)]

use super::pack::{Packer, Unpacker, are_offsets, is_set_below};
use super::relation::{Columns, row_of};
use roaring::RoaringBitmap;

/// A predicate from one source, with the lattice's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) subject: u32,
    pub(super) value: u32,
    pub(super) source: u32,
    pub(super) confidence: f64,
}

impl Record {
    fn key(&self) -> (u32, u32, u32) {
        (self.subject, self.value, self.source)
    }
}

/// The section of a relation. The same predicate from the same source keeps the
/// greatest confidence.
pub(super) fn pack(mut records: Vec<Record>) -> Vec<u8> {
    records.sort_unstable_by(|a, b| {
        a.key()
            .cmp(&b.key())
            .then(b.confidence.total_cmp(&a.confidence))
    });
    records.dedup_by_key(|record| record.key());
    let mut subjects: Vec<u32> = Vec::new();
    let mut offsets: Vec<u32> = Vec::new();
    let mut values: Vec<u32> = Vec::new();
    let mut source_offsets: Vec<u32> = Vec::new();
    let mut last = None;
    for (at, record) in (0u32..).zip(&records) {
        if subjects.last() != Some(&record.subject) {
            subjects.push(record.subject);
            offsets.push(values.len() as u32);
        }
        if last != Some((record.subject, record.value)) {
            values.push(record.value);
            source_offsets.push(at);
            last = Some((record.subject, record.value));
        }
    }
    offsets.push(values.len() as u32);
    source_offsets.push(records.len() as u32);
    if values.len() == records.len() {
        source_offsets.clear();
    }
    let sources: Vec<u32> = records.iter().map(|record| record.source).collect();
    let confidences: Vec<f64> = match records.iter().all(|record| record.confidence == 1.0) {
        true => Vec::new(),
        false => records.iter().map(|record| record.confidence).collect(),
    };
    drop(records);
    let (heads, holder_offsets, holders) = transposed(&subjects, &offsets, &values);
    let mut packer = Packer::default();
    packer
        .array(&subjects)
        .array(&offsets)
        .array(&values)
        .array(&heads)
        .array(&holder_offsets)
        .array(&holders)
        .array(&source_offsets)
        .array(&sources)
        .array(&confidences);
    packer.finish()
}

/// The rows by value: the distinct values, where their rows start, and the rows.
fn transposed(subjects: &[u32], offsets: &[u32], values: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(values.len());
    for (rank, &subject) in subjects.iter().enumerate() {
        pairs.extend(
            row_of(offsets, values, rank)
                .iter()
                .map(|&value| (value, subject)),
        );
    }
    pairs.sort_unstable();
    let (mut heads, mut starts) = (Vec::new(), Vec::new());
    for (at, &(value, _)) in (0u32..).zip(&pairs) {
        if heads.last() != Some(&value) {
            heads.push(value);
            starts.push(at);
        }
    }
    starts.push(pairs.len() as u32);
    (
        heads,
        starts,
        pairs.into_iter().map(|(_, subject)| subject).collect(),
    )
}

/// The columns in a section.
pub(super) fn unpack(section: &[u8]) -> Option<Columns<'_>> {
    let mut unpacker = Unpacker::new(section);
    let columns = Columns {
        subjects: unpacker.array()?,
        offsets: unpacker.array()?,
        values: unpacker.array()?,
        heads: unpacker.array()?,
        holder_offsets: unpacker.array()?,
        holders: unpacker.array()?,
        source_offsets: unpacker.array()?,
        sources: unpacker.array()?,
        confidences: unpacker.array()?,
    };
    unpacker.is_done().then_some(columns)
}

/// What is found out about a relation when its section is checked.
pub(super) struct Summary {
    /// Instances with two or more values.
    pub(super) multiple: RoaringBitmap,
    /// The least confidence of a predicate.
    pub(super) least: f64,
}

/// How many there are of what the columns refer to.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) instances: usize,
    pub(super) values: usize,
    pub(super) evidence: usize,
}

/// Checks the columns; `None` if they are not what [`pack`] writes.
pub(super) fn check(columns: &Columns<'_>, bounds: Bounds) -> Option<Summary> {
    let predicates = columns.values.len();
    let rows = columns.subjects.len();
    let sound = is_set_below(columns.subjects, bounds.instances)
        && columns.offsets.len() == rows + 1
        && are_offsets(columns.offsets, predicates)
        && is_set_below(columns.heads, bounds.values)
        && columns.holder_offsets.len() == columns.heads.len() + 1
        && are_offsets(columns.holder_offsets, predicates)
        && columns.holders.len() == predicates
        && columns
            .sources
            .iter()
            .all(|&e| (e as usize) < bounds.evidence)
        && sources_are_sound(columns);
    if !sound {
        return None;
    }
    let multiple = transposes(columns)?;
    Some(Summary {
        multiple,
        least: least_confidence(columns)?,
    })
}

fn sources_are_sound(columns: &Columns<'_>) -> bool {
    let predicates = columns.values.len();
    let sources = columns.sources.len();
    let offsets = columns.source_offsets;
    let placed = match offsets.is_empty() {
        true => sources == predicates,
        false => {
            offsets.len() == predicates + 1
                && are_offsets(offsets, sources)
                && offsets.is_sorted_by(|a, b| a < b)
                && (0..predicates)
                    .all(|p| row_of(offsets, columns.sources, p).is_sorted_by(|a, b| a < b))
        }
    };
    let confidences = columns.confidences;
    placed
        && (confidences.is_empty() || confidences.len() == sources)
        && confidences.iter().all(|c| (0.0..=1.0).contains(c))
}

/// Checks that every row has ascending values and that the rows by value say the
/// same as the rows by instance. Gives the instances with several values.
fn transposes(columns: &Columns<'_>) -> Option<RoaringBitmap> {
    let mut multiple = RoaringBitmap::new();
    // Instances come in ascending order, so each is the next holder of its value.
    let mut next = columns.holder_offsets.to_vec();
    for (rank, &subject) in columns.subjects.iter().enumerate() {
        let row = row_of(columns.offsets, columns.values, rank);
        if row.is_empty() || !row.is_sorted_by(|a, b| a < b) {
            return None;
        }
        if row.len() > 1 {
            multiple.insert(subject);
        }
        for value in row {
            let k = columns.heads.binary_search(value).ok()?;
            let at = next.get_mut(k)?;
            let end = *columns.holder_offsets.get(k + 1)?;
            if *at >= end || columns.holders.get(*at as usize) != Some(&subject) {
                return None;
            }
            *at += 1;
        }
    }
    Some(multiple)
}

fn least_confidence(columns: &Columns<'_>) -> Option<f64> {
    if columns.confidences.is_empty() {
        return Some(1.0);
    }
    if columns.source_offsets.is_empty() {
        return Some(columns.confidences.iter().copied().fold(1.0, f64::min));
    }
    let mut least = 1.0f64;
    for pair in columns.source_offsets.windows(2) {
        let &[start, end] = pair else { return None };
        let of = columns.confidences.get(start as usize..end as usize)?;
        least = least.min(of.iter().copied().fold(0.0, f64::max));
    }
    Some(least)
}
