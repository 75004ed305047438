//! A relation as bytes.
//!
//! By instance: where no instance has two values and few have none, one number per
//! instance, as narrow as the values allow; else compressed rows. By value: a posting
//! each, and unions of them. Sources: none where each predicate's is that of its
//! instance (a row of a table), else one or several per predicate.
#![deny(clippy::indexing_slicing)]

use super::pack::{Packer, Unpacker};
use super::pages::{Pages, Span};
use super::posting::{Grouped, PostingLayout, PostingWriter, groups, prefixes};
use super::relation::row_of;
use bytemuck::{Pod, Zeroable};
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

/// What a relation stands among.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// How many instances there are.
    pub(super) instances: usize,
    /// Which unions of postings are kept.
    pub(super) grouped: Grouped<'a>,
    /// The source of each instance: the least of those of its predicates.
    pub(super) sources: &'a [u32],
}

/// The fixed part of a section.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Head {
    /// Bytes of a number of the column; 0 for compressed rows.
    width: u32,
    /// Whether each predicate has the one source of its instance.
    shared: u32,
    predicates: u64,
    subjects: u64,
    least: f64,
}

/// A column is written if at least one in so many instances has a value.
const SPARSEST: usize = 4;

/// Predicates with their sources, sorted by subject, value and source, each once.
pub(super) struct Facts {
    pub(super) subjects: Vec<u32>,
    pub(super) values: Vec<u32>,
    pub(super) sources: Vec<u32>,
    /// One for each; none if all are 1.
    pub(super) confidences: Vec<f64>,
}

impl Facts {
    /// Sorts. The same predicate from the same source keeps the greatest confidence.
    pub(super) fn of(mut records: Vec<Record>) -> Facts {
        records.sort_unstable_by(|a, b| {
            a.key()
                .cmp(&b.key())
                .then(b.confidence.total_cmp(&a.confidence))
        });
        records.dedup_by_key(|record| record.key());
        Facts {
            subjects: records.iter().map(|record| record.subject).collect(),
            values: records.iter().map(|record| record.value).collect(),
            sources: records.iter().map(|record| record.source).collect(),
            confidences: records.iter().map(|record| record.confidence).collect(),
        }
    }

    /// Leaves subject and value of each predicate once, and tells where the sources of
    /// each start; nothing if each has one.
    fn source_offsets(&mut self) -> Vec<u32> {
        let repeated = |k: &usize| {
            let of = |list: &[u32]| match list.get(k.saturating_sub(1)..=*k) {
                Some([before, at]) => before == at,
                _ => false,
            };
            of(&self.subjects) && of(&self.values)
        };
        let count = self.subjects.len();
        if !(0..count).any(|k| repeated(&k)) {
            return Vec::new();
        }
        let first: Vec<usize> = (0..count).filter(|k| !repeated(k)).collect();
        for list in [&mut self.subjects, &mut self.values] {
            *list = first.iter().filter_map(|k| list.get(*k).copied()).collect();
        }
        let mut offsets: Vec<u32> = first.into_iter().map(|k| k as u32).collect();
        offsets.push(count as u32);
        offsets
    }
}

/// The section of a relation.
pub(super) fn pack(mut facts: Facts, around: Around<'_>) -> Vec<u8> {
    let mut source_offsets = facts.source_offsets();
    let Facts {
        subjects,
        values,
        mut sources,
        mut confidences,
    } = facts;
    let single = source_offsets.is_empty();
    let mut pairs = subjects.iter().zip(&sources);
    let shared = single && pairs.all(|(s, e)| around.sources.get(*s as usize) == Some(e));
    if shared {
        sources = Vec::new();
    }
    if confidences.iter().all(|confidence| *confidence == 1.0) {
        confidences = Vec::new();
    }
    let distinct = subjects.chunk_by(|a, b| a == b).count();
    let width = width(distinct, &values, around.instances);
    let head = Head {
        width,
        shared: u32::from(shared),
        predicates: values.len() as u64,
        subjects: distinct as u64,
        least: least_confidence(&source_offsets, &confidences),
    };
    let mut packer = Packer::default();
    packer.array(&[head]);
    match width {
        0 => {
            let (heads, offsets) = compressed(&subjects);
            packer.array(&heads).array(&offsets).array(&values)
        }
        1 => packer.array(&column(&subjects, &values, around.instances, |v| v as u8)),
        2 => packer.array(&column(&subjects, &values, around.instances, |v| v as u16)),
        _ => packer.array(&column(&subjects, &values, around.instances, |v| v)),
    };
    let rows = subjects.chunk_by(|a, b| a == b);
    let several = rows.filter(|row| row.len() > 1);
    let multiple: RoaringBitmap = several.filter_map(|row| row.first().copied()).collect();
    let mut bytes = Vec::new();
    if !multiple.is_empty() {
        let _ = multiple.serialize_into(&mut bytes);
    }
    packer.array(&bytes);
    // A predicate of a column has the number of its instance.
    match (width > 0, single) {
        (true, true) => {
            sources = spread(&subjects, &sources, around.instances, 0);
            confidences = spread(&subjects, &confidences, around.instances, 1.0);
        }
        (true, false) => source_offsets = starts(&subjects, &source_offsets, around.instances),
        (false, _) => {}
    }
    packer
        .array(&source_offsets)
        .array(&sources)
        .array(&confidences);
    drop((source_offsets, sources, confidences));
    let (heads, holder_offsets, holders) = transposed(&subjects, &values);
    drop((subjects, values));
    let mut postings = PostingWriter::default();
    for (k, &value) in heads.iter().enumerate() {
        postings.push(value, row_of(&holder_offsets, &holders, k));
    }
    postings.pack(&mut packer);
    let row = |k: usize| row_of(&holder_offsets, &holders, k);
    let instances = around.instances;
    groups(around.grouped, instances, &heads, row).pack(&mut packer);
    let of = (instances, heads.len());
    prefixes(around.grouped, !multiple.is_empty(), of, row).pack(&mut packer);
    packer.finish()
}

/// The distinct subjects, and where the row of each starts.
fn compressed(subjects: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut heads, mut offsets, mut at) = (Vec::new(), vec![0], 0);
    for row in subjects.chunk_by(|a, b| a == b) {
        heads.extend(row.first());
        at += row.len() as u32;
        offsets.push(at);
    }
    (heads, offsets)
}

/// How wide a column is to be; 0 if there is to be none.
fn width(subjects: usize, values: &[u32], instances: usize) -> u32 {
    if subjects != values.len() || subjects * SPARSEST < instances {
        return 0;
    }
    match values.iter().max() {
        None => 0,
        Some(&value) if value < u32::from(u8::MAX) => 1,
        Some(&value) if value < u32::from(u16::MAX) => 2,
        Some(_) => 4,
    }
}

/// Per instance one more than its value, or 0.
fn column<T: Pod>(
    subjects: &[u32],
    values: &[u32],
    instances: usize,
    narrow: impl Fn(u32) -> T,
) -> Vec<T> {
    let mut column = vec![T::zeroed(); instances];
    for (&subject, &value) in subjects.iter().zip(values) {
        if let Some(slot) = column.get_mut(subject as usize) {
            *slot = narrow(value.saturating_add(1));
        }
    }
    column
}

/// One entry per instance; nothing stays nothing.
fn spread<T: Copy>(subjects: &[u32], entries: &[T], instances: usize, none: T) -> Vec<T> {
    if entries.is_empty() {
        return Vec::new();
    }
    let mut all = vec![none; instances];
    for (&subject, &entry) in subjects.iter().zip(entries) {
        if let Some(slot) = all.get_mut(subject as usize) {
            *slot = entry;
        }
    }
    all
}

/// Where the row of each instance starts, from where those of some start.
fn starts(subjects: &[u32], offsets: &[u32], instances: usize) -> Vec<u32> {
    let mut all = Vec::with_capacity(instances + 1);
    let mut rank = 0;
    for i in 0..=instances {
        all.push(offsets.get(rank).copied().unwrap_or(0));
        rank += usize::from(subjects.get(rank).is_some_and(|&s| s as usize == i));
    }
    all
}

/// The rows by value: the distinct values, where their rows start, and the rows.
fn transposed(subjects: &[u32], values: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    // Counting sort: instances come in ascending order.
    let most = values.iter().max().map_or(0, |&value| value as usize + 1);
    let mut starts = vec![0u32; most + 1];
    for &value in values {
        if let Some(count) = starts.get_mut(value as usize + 1) {
            *count += 1;
        }
    }
    let heads: Vec<u32> = (0u32..)
        .zip(starts.iter().skip(1))
        .filter(|(_, count)| **count > 0)
        .map(|(value, _)| value)
        .collect();
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut next = starts.clone();
    let mut holders = vec![0u32; values.len()];
    for (&subject, &value) in subjects.iter().zip(values) {
        if let Some(at) = next.get_mut(value as usize) {
            if let Some(slot) = holders.get_mut(*at as usize) {
                *slot = subject;
            }
            *at += 1;
        }
    }
    let mut ends: Vec<u32> = heads
        .iter()
        .filter_map(|&value| starts.get(value as usize).copied())
        .collect();
    ends.push(values.len() as u32);
    (heads, ends, holders)
}

fn least_confidence(source_offsets: &[u32], confidences: &[f64]) -> f64 {
    if confidences.is_empty() {
        return 1.0;
    }
    if source_offsets.is_empty() {
        return confidences.iter().copied().fold(1.0, f64::min);
    }
    let mut least = 1.0f64;
    for pair in source_offsets.windows(2) {
        let &[start, end] = pair else { continue };
        let of = confidences.get(start as usize..end as usize).unwrap_or(&[]);
        least = least.min(of.iter().copied().fold(0.0, f64::max));
    }
    least
}

/// Where the arrays of a relation lie, and what its fixed part says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) rows: RowsLayout,
    pub(super) multiple: Span,
    pub(super) source_offsets: Span,
    pub(super) sources: Span,
    pub(super) confidences: Span,
    /// Whether each predicate has the one source of its instance.
    pub(super) shared: bool,
    pub(super) postings: PostingLayout,
    pub(super) groups: PostingLayout,
    pub(super) prefixes: PostingLayout,
    pub(super) predicates: usize,
    pub(super) subjects: usize,
    pub(super) least: f64,
}

/// The values by instance.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowsLayout {
    /// Row `k` of `subjects[k]` is `values[offsets[k]..offsets[k + 1]]`.
    Compressed {
        subjects: Span,
        offsets: Span,
        values: Span,
    },
    /// Per instance one more than its value, or 0, in so many bytes.
    Column { width: u32, numbers: Span },
}

/// The layout of a section; `None` if it does not have this form. What is in its
/// arrays is checked where it is read.
pub(super) fn layout(pages: Pages<'_>) -> Option<Layout> {
    let mut unpacker = Unpacker::new(pages);
    let head: Head = unpacker.array()?.get(0)?;
    let width = head.width;
    let rows = match width {
        0 => RowsLayout::Compressed {
            subjects: unpacker.span::<u32>()?,
            offsets: unpacker.span::<u32>()?,
            values: unpacker.span::<u32>()?,
        },
        1 => RowsLayout::Column {
            width,
            numbers: unpacker.span::<u8>()?,
        },
        2 => RowsLayout::Column {
            width,
            numbers: unpacker.span::<u16>()?,
        },
        4 => RowsLayout::Column {
            width,
            numbers: unpacker.span::<u32>()?,
        },
        _ => return None,
    };
    let layout = Layout {
        rows,
        multiple: unpacker.span::<u8>()?,
        source_offsets: unpacker.span::<u32>()?,
        sources: unpacker.span::<u32>()?,
        confidences: unpacker.span::<f64>()?,
        shared: head.shared == 1,
        postings: PostingLayout::of(&mut unpacker)?,
        groups: PostingLayout::of(&mut unpacker)?,
        prefixes: PostingLayout::of(&mut unpacker)?,
        predicates: usize::try_from(head.predicates).ok()?,
        subjects: usize::try_from(head.subjects).ok()?,
        least: head.least,
    };
    (unpacker.is_done() && (0.0..=1.0).contains(&head.least)).then_some(layout)
}
