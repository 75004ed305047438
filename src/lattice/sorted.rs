//! The facts of a dimension with ranks for keys, sorted.

use super::columns::{Facts, Record};
use super::fact_store::{Columns, FactView};
use super::intern::NONE;
use super::ranks::Ranks;
use super::resolve::Resolved;
use super::spill::Spill;
use super::value_tables::Values;
use bytemuck::Pod;
use rayon::prelude::*;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Facts that are read at once.
const STEP: usize = 1 << 18;
/// Instances whose facts are read at once.
pub(super) const BATCH: u32 = 1 << 12;

/// The predicates of one dimension and polarity with their sources, sorted by subject,
/// value and source, each once.
pub(super) struct Sorted {
    count: usize,
    /// The number of distinct predicates.
    pub(super) predicates: u64,
    /// Where the facts of each batch of instances start, and the end of the last.
    starts: Vec<usize>,
    data: Data,
}

enum Data {
    Memory(Arrays<'static>),
    /// All subjects, all values, all sources and, if it says so, all confidences.
    File(Arc<Spill>, u64, bool),
}

/// The facts of some instances, as columns.
#[derive(Default)]
pub(super) struct Arrays<'a> {
    pub(super) subjects: Cow<'a, [u32]>,
    pub(super) values: Cow<'a, [u32]>,
    pub(super) sources: Cow<'a, [u32]>,
    /// One for each; none if all are 1.
    confidences: Cow<'a, [f64]>,
}

impl Arrays<'_> {
    pub(super) fn confidence(&self, at: usize) -> f64 {
        self.confidences.get(at).copied().unwrap_or(1.0)
    }

    fn part(&self, range: Range<usize>) -> Arrays<'_> {
        Arrays {
            subjects: Cow::Borrowed(self.subjects.get(range.clone()).unwrap_or(&[])),
            values: Cow::Borrowed(self.values.get(range.clone()).unwrap_or(&[])),
            sources: Cow::Borrowed(self.sources.get(range.clone()).unwrap_or(&[])),
            confidences: Cow::Borrowed(self.confidences.get(range).unwrap_or(&[])),
        }
    }
}

/// Facts in any order.
enum Unsorted {
    /// Subject, value and source, where every confidence is 1.
    Sure(Vec<[u32; 3]>),
    Weighted(Vec<Record>),
}

impl Unsorted {
    fn push(&mut self, record: Record) {
        match self {
            Unsorted::Sure(list) if record.confidence == 1.0 => {
                list.push([record.subject, record.value, record.source]);
            }
            Unsorted::Sure(list) => {
                let mut weighted: Vec<Record> = list.drain(..).map(sure).collect();
                weighted.push(record);
                *self = Unsorted::Weighted(weighted);
            }
            Unsorted::Weighted(list) => list.push(record),
        }
    }

    /// Sorts. The same predicate from the same source keeps the greatest confidence.
    fn sort(&mut self) {
        match self {
            Unsorted::Sure(list) => {
                list.par_sort_unstable();
                list.dedup();
            }
            Unsorted::Weighted(list) => {
                let key = |record: &Record| (record.subject, record.value, record.source);
                list.par_sort_unstable_by(|a, b| {
                    let order = key(a).cmp(&key(b));
                    order.then(b.confidence.total_cmp(&a.confidence))
                });
                list.dedup_by_key(|record| key(record));
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Unsorted::Sure(list) => list.len(),
            Unsorted::Weighted(list) => list.len(),
        }
    }

    fn is_weighted(&self) -> bool {
        matches!(self, Unsorted::Weighted(_))
    }

    /// The subject, the value and the source of each.
    fn keys(&self) -> Box<dyn Iterator<Item = [u32; 3]> + '_> {
        match self {
            Unsorted::Sure(list) => Box::new(list.iter().copied()),
            Unsorted::Weighted(list) => {
                let key = |record: &Record| [record.subject, record.value, record.source];
                Box::new(list.iter().map(key))
            }
        }
    }

    fn column(&self, at: fn(&[u32; 3]) -> u32) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Unsorted::Sure(list) => Box::new(list.iter().map(at)),
            Unsorted::Weighted(_) => Box::new(self.keys().map(move |keys| at(&keys))),
        }
    }

    fn confidences(&self) -> impl Iterator<Item = f64> {
        let list = match self {
            Unsorted::Sure(_) => &[][..],
            Unsorted::Weighted(list) => list,
        };
        list.iter().map(|record| record.confidence)
    }

    /// All columns, one after another.
    fn arrays(&self) -> Arrays<'static> {
        let [subjects, values, sources] = COLUMNS.map(|at| Cow::Owned(self.column(at).collect()));
        Arrays {
            subjects,
            values,
            sources,
            confidences: Cow::Owned(self.confidences().collect()),
        }
    }

    /// Puts all columns into a file, one after another; where they start.
    fn spilled(&self, spill: &Spill) -> io::Result<u64> {
        let width = if self.is_weighted() { 20 } else { 12 };
        let start = spill.reserve(width * self.len() as u64);
        let mut at = start;
        for column in COLUMNS {
            put_column(spill, self.column(column), &mut at)?;
        }
        put_column(spill, self.confidences(), &mut at)?;
        Ok(start)
    }
}

/// What of a predicate stands in each column.
const COLUMNS: [fn(&[u32; 3]) -> u32; 3] = [|keys| keys[0], |keys| keys[1], |keys| keys[2]];

/// Puts a column into a file, some of it at a time.
fn put_column<T: Pod>(
    spill: &Spill,
    mut column: impl Iterator<Item = T>,
    at: &mut u64,
) -> io::Result<()> {
    let mut some: Vec<T> = Vec::with_capacity(STEP);
    loop {
        some.clear();
        some.extend(column.by_ref().take(STEP));
        if some.is_empty() {
            return Ok(());
        }
        let bytes: &[u8] = bytemuck::cast_slice(&some);
        spill.fill(bytes, *at)?;
        *at += bytes.len() as u64;
    }
}

fn sure([subject, value, source]: [u32; 3]) -> Record {
    Record {
        subject,
        value,
        source,
        confidence: 1.0,
    }
}

impl Sorted {
    fn of(mut unsorted: Unsorted, spill: Option<&Arc<Spill>>) -> io::Result<Sorted> {
        unsorted.sort();
        let count = unsorted.len();
        let mut starts = Vec::new();
        for (at, subject) in unsorted.column(|keys| keys[0]).enumerate() {
            let batch = (subject / BATCH) as usize;
            if starts.len() <= batch {
                starts.resize(batch + 1, at);
            }
        }
        starts.push(count);
        let mut predicates = 0;
        let mut before = None;
        for [subject, value, _] in unsorted.keys() {
            predicates += u64::from(before != Some((subject, value)));
            before = Some((subject, value));
        }
        let data = match spill {
            Some(spill) if count > 0 => {
                let at = unsorted.spilled(spill)?;
                Data::File(spill.clone(), at, unsorted.is_weighted())
            }
            _ => Data::Memory(unsorted.arrays()),
        };
        Ok(Sorted {
            count,
            predicates,
            starts,
            data,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The facts of a batch of instances.
    pub(super) fn batch(&self, batch: u32) -> io::Result<Arrays<'_>> {
        let start = |at: usize| self.starts.get(at).copied().unwrap_or(self.count);
        self.part(start(batch as usize)..start(batch as usize + 1))
    }

    fn part(&self, range: Range<usize>) -> io::Result<Arrays<'_>> {
        let (spill, at, weighted) = match &self.data {
            Data::Memory(arrays) => return Ok(arrays.part(range)),
            Data::File(spill, at, weighted) => (spill, *at, *weighted),
        };
        let column = |column: usize| -> io::Result<Cow<'static, [u32]>> {
            let mut words = vec![0u32; range.len()];
            let from = at + 4 * (column * self.count + range.start) as u64;
            spill.read(bytemuck::cast_slice_mut(&mut words), from)?;
            Ok(Cow::Owned(words))
        };
        let mut confidences = vec![0f64; if weighted { range.len() } else { 0 }];
        if weighted {
            let from = at + (12 * self.count + 8 * range.start) as u64;
            spill.read(bytemuck::cast_slice_mut(&mut confidences), from)?;
        }
        Ok(Arrays {
            subjects: column(0)?,
            values: column(1)?,
            sources: column(2)?,
            confidences: Cow::Owned(confidences),
        })
    }

    /// The subject and the source of each, a part at a time.
    pub(super) fn each(&self, mut see: impl FnMut(u32, u32)) -> io::Result<()> {
        for start in (0..self.count).step_by(STEP) {
            let part = self.part(start..self.count.min(start + STEP))?;
            let pairs = part.subjects.iter().zip(part.sources.iter());
            pairs.for_each(|(&subject, &source)| see(subject, source));
        }
        Ok(())
    }

    /// All facts, as they are packed.
    pub(super) fn into_facts(self) -> io::Result<Facts> {
        let all = match self.data {
            Data::Memory(arrays) => arrays,
            Data::File(..) => self.part(0..self.count)?,
        };
        Ok(Facts {
            subjects: all.subjects.into_owned(),
            values: all.values.into_owned(),
            sources: all.sources.into_owned(),
            confidences: all.confidences.into_owned(),
        })
    }
}

/// What is recorded in a dimension, and what is denied.
pub(super) struct Relations {
    pub(super) positive: Sorted,
    pub(super) negative: Sorted,
}

/// What relations are made from.
pub(super) struct Sorting<'a> {
    pub(super) facts: &'a FactView,
    pub(super) resolved: &'a Resolved,
    pub(super) ranks: &'a Ranks,
    pub(super) values: &'a Values<'a>,
    /// Where they are to go, if they would take too much memory.
    pub(super) spill: Option<&'a Arc<Spill>>,
}

impl Sorting<'_> {
    /// The relations of every dimension. A fact of a dimension is one of its inverse
    /// too, turned round.
    pub(super) fn relations(&self) -> io::Result<Vec<Relations>> {
        let dimensions = 0..self.resolved.dimensions.len();
        match self.spill {
            Some(_) => dimensions.map(|d| self.of(d)).collect(),
            None => dimensions.into_par_iter().map(|d| self.of(d)).collect(),
        }
    }

    fn of(&self, d: usize) -> io::Result<Relations> {
        Ok(Relations {
            positive: self.of_polarity(d, false)?,
            negative: self.of_polarity(d, true)?,
        })
    }

    fn of_polarity(&self, d: usize, denied: bool) -> io::Result<Sorted> {
        let inverse = self.resolved.dimensions.get(d).and_then(|of| of.inverse);
        let inverse = inverse.map(|inverse| inverse.index());
        let keys = [Some(d), inverse].map(|d| d.and_then(|d| self.resolved.key(d)));
        let counts = keys.into_iter().flatten();
        let counts = counts.map(|key| self.facts.count(key, denied));
        let mut unsorted = Unsorted::Sure(Vec::with_capacity(counts.sum()));
        for (key, turned) in keys.into_iter().zip([false, true]) {
            let Some(key) = key else { continue };
            self.facts.each(Some(key), |columns| {
                if columns.denied == denied {
                    let ranked = self.ranked(columns, d, turned);
                    ranked.for_each(|record| unsorted.push(record));
                }
            })?;
        }
        Sorted::of(unsorted, self.spill)
    }

    /// Facts with ranks, but for those whose instance is gone.
    fn ranked(
        &self,
        columns: &Columns<'_>,
        d: usize,
        turned: bool,
    ) -> impl Iterator<Item = Record> {
        let known = |rank: u32| (rank != NONE).then_some(rank);
        let table = self.values.translation(d);
        columns.iter().filter_map(move |fact| {
            let value = match table {
                Some(table) => table.get(fact.value)?,
                None => known(self.ranks.instance(fact.value))?,
            };
            let subject = known(self.ranks.instance(fact.subject))?;
            let (subject, value) = if turned {
                (value, subject)
            } else {
                (subject, value)
            };
            Some(Record {
                subject,
                value,
                source: known(self.ranks.source(fact.source))?,
                confidence: fact.confidence,
            })
        })
    }
}
