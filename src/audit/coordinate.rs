//! What one instance says on one dimension: sides, contested values, and the
//! values that a step of a path leads to.

use super::facts::{Column, Fact};
use super::order::Edges;
use super::spans::{Span, meet_of};
use std::collections::BTreeSet;

/// A largest set of predicates that one true value could satisfy: places in
/// the positives and in the negatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub(super) positives: Vec<usize>,
    pub(super) negatives: Vec<usize>,
}

/// The predicates of an instance on a dimension, weighed against each other.
#[derive(Debug)]
pub(super) struct Coordinate<'f> {
    pub(super) column: &'f Column,
    pub(super) positives: &'f [Fact],
    pub(super) negatives: &'f [Fact],
    /// Over a ONE dimension with a closed order: its sides, ascending.
    pub(super) sides: Vec<Side>,
    /// Which positives are contested.
    contested: Vec<bool>,
    /// Which negatives are (not meant for dimensions with sides).
    contested_negatives: Vec<bool>,
}

impl<'f> Coordinate<'f> {
    pub(super) fn new(column: &'f Column, x: u32) -> Coordinate<'f> {
        Coordinate::along(column, x, Edges::Certain(0.0))
    }

    fn along(column: &'f Column, x: u32, denials: Edges) -> Coordinate<'f> {
        let positives = column.positives(x);
        let negatives = column.negatives(x);
        let mut coordinate = Coordinate {
            column,
            positives,
            negatives,
            sides: Vec::new(),
            contested: vec![false; positives.len()],
            contested_negatives: vec![false; negatives.len()],
        };
        if column.has_sides() {
            coordinate.sides = sides(column, positives, negatives);
            for (k, contested) in coordinate.contested.iter_mut().enumerate() {
                *contested = !coordinate.sides.iter().all(|s| s.positives.contains(&k));
            }
        } else if !negatives.is_empty() {
            for (k, a) in positives.iter().enumerate() {
                for (j, n) in negatives.iter().enumerate() {
                    if at_or_below(column, a.value, n.value, denials) {
                        coordinate.contested[k] = true;
                        coordinate.contested_negatives[j] = true;
                    }
                }
            }
        }
        coordinate
    }

    /// Whether positive `k` is contested.
    pub(super) fn is_contested(&self, k: usize) -> bool {
        self.contested.get(k).copied().unwrap_or(false)
    }

    /// Whether any positive is contested.
    pub(super) fn any_contested(&self) -> bool {
        self.contested.contains(&true)
    }

    /// The uncontested positives that count at `t` (without sides).
    pub(super) fn firm(&self, t: f64) -> impl Iterator<Item = &'f Fact> {
        self.positives
            .iter()
            .enumerate()
            .filter(move |(k, fact)| !self.is_contested(*k) && fact.confidence >= t)
            .map(|(_, fact)| fact)
    }

    /// The uncontested negatives that count at `t` (without sides).
    pub(super) fn firm_denials(&self, t: f64) -> impl Iterator<Item = &'f Fact> {
        self.negatives
            .iter()
            .zip(&self.contested_negatives)
            .filter(move |(fact, contested)| !**contested && fact.confidence >= t)
            .map(|(fact, _)| fact)
    }

    /// The positives of a side that count at `t`, ascending.
    pub(super) fn of_side(&self, side: &Side, t: f64) -> Vec<&'f Fact> {
        pick(self.positives, &side.positives, t)
    }

    /// The negatives of a side that count at `t`, ascending.
    pub(super) fn denials_of_side(&self, side: &Side, t: f64) -> Vec<&'f Fact> {
        pick(self.negatives, &side.negatives, t)
    }

    /// The values that a step leads to: of the uncontested positives (those in
    /// every side) the most specific ones, and of these those that count at
    /// `t`.
    pub(super) fn step(&self, t: f64) -> Vec<&'f Fact> {
        let firm: Vec<&Fact> = self.firm(f64::NEG_INFINITY).collect();
        firm.iter()
            .copied()
            .filter(|fact| fact.confidence >= t)
            .filter(|fact| {
                !firm
                    .iter()
                    .any(|other| strictly_below(self.column, other.value, fact.value))
            })
            .collect()
    }

    /// The uncontested positives (those in every side) that count at `t`.
    pub(super) fn recorded(&self, t: f64) -> impl Iterator<Item = &'f Fact> {
        self.firm(f64::NEG_INFINITY)
            .filter(move |fact| fact.confidence >= t)
    }

    /// The contested positives, ascending.
    pub(super) fn contested(&self) -> Vec<&'f Fact> {
        let all = self.positives.iter().enumerate();
        all.filter(|(k, _)| self.is_contested(*k))
            .map(|(_, fact)| fact)
            .collect()
    }
}

fn pick<'f>(facts: &'f [Fact], places: &[usize], t: f64) -> Vec<&'f Fact> {
    places
        .iter()
        .filter_map(|&k| facts.get(k))
        .filter(|fact| fact.confidence >= t)
        .collect()
}

/// Which positives of `from` are contested as edges: judged along all recorded
/// edges, so that an order may be built from itself.
pub(super) fn contested_edges(column: &Column, from: u32) -> Vec<bool> {
    Coordinate::along(column, from, Edges::All).contested
}

/// Whether value `a ⊑ b`.
pub(super) fn at_or_below(column: &Column, a: u32, b: u32, edges: Edges) -> bool {
    if column.is_measured() {
        return match (column.span(a), column.span(b)) {
            (Some(a), Some(b)) => a.lies_in(b),
            _ => false,
        };
    }
    column.graph.at_or_below(a, b, edges)
}

/// Whether value `a ⊏ b`: below, and not equal in a cycle.
pub(super) fn strictly_below(column: &Column, a: u32, b: u32) -> bool {
    let certain = Edges::Certain(0.0);
    a != b && at_or_below(column, a, b, certain) && !at_or_below(column, b, a, certain)
}

/// The sides of a ONE coordinate over a closed order, ascending.
fn sides(column: &Column, positives: &[Fact], negatives: &[Fact]) -> Vec<Side> {
    let all = Side {
        positives: (0..positives.len()).collect(),
        negatives: (0..negatives.len()).collect(),
    };
    if positives.is_empty() || (positives.len() == 1 && negatives.is_empty()) {
        return vec![all];
    }
    let mut found: BTreeSet<Side> = if column.is_measured() {
        measured_sides(column, positives, negatives)
    } else {
        ordered_sides(column, positives, negatives)
    };
    found.insert(Side {
        positives: Vec::new(),
        negatives: all.negatives.clone(),
    });
    if found.contains(&all) {
        return vec![all];
    }
    let found: Vec<Side> = found.into_iter().collect();
    found
        .iter()
        .filter(|side| {
            !found
                .iter()
                .any(|other| other != *side && covers(other, side))
        })
        .cloned()
        .collect()
}

fn covers(large: &Side, small: &Side) -> bool {
    small.positives.iter().all(|k| large.positives.contains(k))
        && small.negatives.iter().all(|k| large.negatives.contains(k))
}

/// What each interval from a low to a high end of the positives satisfies.
fn measured_sides(column: &Column, positives: &[Fact], negatives: &[Fact]) -> BTreeSet<Side> {
    let spans: Vec<&Span> = positives
        .iter()
        .filter_map(|p| column.span(p.value))
        .collect();
    let mut found = BTreeSet::new();
    for low in &spans {
        for high in &spans {
            if low.low > high.high {
                continue;
            }
            let candidate = Span {
                low: low.low.clone(),
                high: high.high.clone(),
            };
            let within = |fact: &Fact| {
                column
                    .span(fact.value)
                    .is_some_and(|s| candidate.lies_in(s))
            };
            found.insert(satisfied(positives, negatives, within));
        }
    }
    found
}

/// What each value below a positive satisfies, along all recorded edges.
fn ordered_sides(column: &Column, positives: &[Fact], negatives: &[Fact]) -> BTreeSet<Side> {
    let graph = &column.graph;
    let mut found = BTreeSet::new();
    for candidate in positives {
        let above = graph.up([candidate.value], Edges::All);
        let side = satisfied(positives, negatives, |fact| above.contains(&fact.value));
        let whole =
            side.positives.len() == positives.len() && side.negatives.len() == negatives.len();
        found.insert(side);
        if whole {
            return found;
        }
    }
    for candidate in graph.down(positives.iter().map(|p| p.value), Edges::All) {
        let above = graph.up([candidate], Edges::All);
        found.insert(satisfied(positives, negatives, |fact| {
            above.contains(&fact.value)
        }));
    }
    found
}

/// The positives above a value and the negatives not above it.
fn satisfied(positives: &[Fact], negatives: &[Fact], above: impl Fn(&Fact) -> bool) -> Side {
    let places = |facts: &[Fact], wanted: bool| {
        let all = facts.iter().enumerate();
        all.filter(|(_, fact)| above(fact) == wanted)
            .map(|(k, _)| k)
            .collect()
    };
    Side {
        positives: places(positives, true),
        negatives: places(negatives, false),
    }
}

/// The common interval of the positives of a measured ONE coordinate.
pub(super) fn common_span(column: &Column, facts: &[&Fact]) -> Option<Span> {
    let spans: Vec<&Span> = facts
        .iter()
        .filter_map(|fact| column.span(fact.value))
        .collect();
    meet_of(&spans)
}
