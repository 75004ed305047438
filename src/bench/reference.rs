//! What is true of the answers, found by plain scans: one row after the other, one
//! edge after the other, with nothing prepared. Slow, and easy to believe.

use super::hops::Hops;
use super::measure::FIRST;
use super::taxa::{Constraint, Edges, Taxa};
use super::workload::Signature;
use std::collections::BTreeSet;

/// What a workload knows about the answers to its queries.
pub trait Truth {
    /// The answer to a query in short.
    fn signature(&self, query: usize) -> Option<Signature>;
    /// Whether an id belongs to the answer to a query.
    fn is_hit(&self, query: usize, id: u32) -> bool;
    /// Whether a text is one that a source says of an id.
    fn says(&self, id: u32, text: &str) -> bool;
}

/// What is wrong with the first hits of a query, as names with a source text.
pub fn first_wrong<'a>(
    truth: &dyn Truth,
    query: usize,
    rows: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<String> {
    let mut ids = BTreeSet::new();
    for (name, text) in rows {
        let Some(id) = name.parse().ok().filter(|id| truth.is_hit(query, *id)) else {
            return Some(format!("{name} is no hit"));
        };
        if !truth.says(id, text) {
            return Some(format!("no source says \"{text}\" of {name}"));
        }
        ids.insert(id);
    }
    let due = truth
        .signature(query)
        .map_or(0, |signature| signature.0)
        .min(FIRST as u64);
    let shown = ids.len() as u64;
    (shown != due).then(|| format!("{shown} hits are shown in place of {due}"))
}

/// First hits as [`Given`](super::measure::Given) has them: a name, TAB, a text.
pub(super) fn shown_rows(shown: &str) -> impl Iterator<Item = (&str, &str)> {
    shown
        .lines()
        .map(|line| line.split_once('\t').unwrap_or((line, "")))
}

/// The truth of the workload `taxa`.
pub struct TaxaTruth<'t> {
    taxa: &'t Taxa,
    /// By taxonomy and value: the values directly above it.
    above: Vec<Vec<Vec<u32>>>,
    /// By taxonomy and value: the values directly below it.
    below: Vec<Vec<Vec<u32>>>,
}

impl<'t> TaxaTruth<'t> {
    /// The truth of a workload.
    pub fn new(taxa: &'t Taxa) -> TaxaTruth<'t> {
        TaxaTruth {
            taxa,
            above: taxa.taxonomies.iter().map(Edges::above).collect(),
            below: taxa.taxonomies.iter().map(Edges::below).collect(),
        }
    }

    /// The ids that answer a query, by a scan of all rows.
    pub fn scan(&self, query: usize) -> Vec<u32> {
        let Some(query) = self.taxa.queries.get(query) else {
            return Vec::new();
        };
        let below: Vec<Option<Vec<bool>>> = query
            .constraints
            .iter()
            .map(|constraint| self.at_or_below(constraint))
            .collect();
        let rows = self.taxa.rows.iter().zip(0u32..);
        let hits = rows.filter(|(row, _)| {
            let mut all = query.constraints.iter().zip(&below);
            all.all(|(constraint, below)| {
                let cell = row.get(constraint.column()).copied().flatten();
                match below {
                    Some(below) => cell.is_some_and(|cell| below.get(cell as usize) == Some(&true)),
                    None => is_equal(constraint, cell),
                }
            })
        });
        hits.map(|(_, id)| id).collect()
    }

    /// Which values of a taxonomy are the one asked for, or lie below it; none
    /// for a column that is no taxonomy.
    fn at_or_below(&self, constraint: &Constraint) -> Option<Vec<bool>> {
        let Constraint::Value { value, .. } = constraint else {
            return None;
        };
        let below = self.below.get(constraint.column())?;
        let mut reached = vec![false; below.len()];
        let mut open = vec![*value];
        while let Some(value) = open.pop() {
            let Some(mark) = reached.get_mut(value as usize) else {
                continue;
            };
            if !std::mem::replace(mark, true) {
                open.extend(below.get(value as usize).into_iter().flatten());
            }
        }
        Some(reached)
    }
}

/// Whether a way leads up from a value to another.
fn climbs(above: &[Vec<u32>], from: u32, to: u32) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(value) = open.pop() {
        if value == to {
            return true;
        }
        let next = above.get(value as usize).into_iter().flatten();
        open.extend(next.filter(|next| seen.insert(**next)));
    }
    false
}

/// Whether a flat value or a year is what a constraint asks for.
fn is_equal(constraint: &Constraint, cell: Option<u32>) -> bool {
    cell.is_some_and(|cell| match constraint {
        Constraint::Value { value, .. } => cell == *value,
        Constraint::Years { low, high, .. } => (*low..=*high).contains(&cell),
    })
}

impl Truth for TaxaTruth<'_> {
    fn signature(&self, query: usize) -> Option<Signature> {
        self.taxa.truth.get(query).copied()
    }

    fn is_hit(&self, query: usize, id: u32) -> bool {
        let query = self.taxa.queries.get(query);
        let row = self.taxa.rows.get(id as usize);
        query.zip(row).is_some_and(|(query, row)| {
            query.constraints.iter().all(|constraint| {
                let cell = row.get(constraint.column()).copied().flatten();
                match (constraint, self.above.get(constraint.column())) {
                    (Constraint::Value { value, .. }, Some(above)) => {
                        cell.is_some_and(|cell| climbs(above, cell, *value))
                    }
                    _ => is_equal(constraint, cell),
                }
            })
        })
    }

    fn says(&self, id: u32, text: &str) -> bool {
        self.taxa.line(id).as_deref() == Some(text)
    }
}

/// The truth of the workload `hops`.
pub struct HopsTruth<'h> {
    hops: &'h Hops,
    /// By thing: relation and other end, the inverse relations too.
    next: Vec<Vec<(u32, u32)>>,
}

impl<'h> HopsTruth<'h> {
    /// The truth of a workload.
    pub fn new(hops: &'h Hops) -> HopsTruth<'h> {
        let mut next = vec![Vec::new(); hops.things];
        let forward = hops.triples.iter().copied();
        let backward = hops
            .triples
            .iter()
            .map(|&(s, r, o)| (o, hops.inverse(r), s));
        for (s, r, o) in forward.chain(backward) {
            if let Some(next) = next.get_mut(s as usize) {
                next.push((r, o));
            }
        }
        HopsTruth { hops, next }
    }

    /// By thing: relation and other end, the inverse relations too.
    pub fn next(&self) -> &[Vec<(u32, u32)>] {
        &self.next
    }

    /// The ids that a chain of hops reaches, ascending.
    pub fn walk(&self, query: usize) -> BTreeSet<u32> {
        let Some(query) = self.hops.queries.get(query) else {
            return BTreeSet::new();
        };
        let mut at = BTreeSet::from([query.start]);
        for relation in &query.path {
            let steps = at.iter().filter_map(|thing| self.next.get(*thing as usize));
            let steps = steps.flatten().filter(|(r, _)| r == relation);
            at = steps.map(|(_, other)| *other).collect();
        }
        at
    }
}

impl Truth for HopsTruth<'_> {
    fn signature(&self, query: usize) -> Option<Signature> {
        self.hops.truth.get(query).copied()
    }

    fn is_hit(&self, query: usize, id: u32) -> bool {
        self.walk(query).contains(&id)
    }

    fn says(&self, id: u32, text: &str) -> bool {
        let line = |s: u32, r: u32, o: u32| self.hops.line((s, r, o)).as_deref() == Some(text);
        let next = self.next.get(id as usize).into_iter().flatten();
        next.into_iter().any(
            |&(r, other)| match (r as usize) < self.hops.relations.len() {
                true => line(id, r, other),
                false => line(other, self.hops.inverse(r), id),
            },
        )
    }
}
