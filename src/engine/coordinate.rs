//! Where one instance sits on one dimension: its recorded values, which of them
//! are contested, and the sides of a contested ONE coordinate.

use super::order::{Edges, Order};
use crate::lattice::{
    DateInterval, DimensionId, InstanceId, Kind, Lattice, NumberInterval, PredicateId, Relation,
};
use std::collections::BTreeSet;

/// A recorded predicate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    pub value: u32,
    pub predicate: PredicateId,
    pub confidence: f64,
}

/// A largest set of predicates that one true value could satisfy, as positions
/// in the coordinate's lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub positives: Vec<usize>,
    pub negatives: Vec<usize>,
}

/// How contradictions within a coordinate show.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// ONE over a closed order; a single side unless contested.
    Sides(Vec<Side>),
    /// MANY, or ONE over an open order: each predicate by itself.
    Loose {
        /// Per positive, whether a negative denies it.
        positives: Vec<bool>,
        /// Per negative, whether a positive contradicts it.
        negatives: Vec<bool>,
    },
}

/// The predicates of one instance on one dimension.
#[derive(Clone, Debug)]
pub(super) struct Coordinate {
    pub positives: Vec<Recorded>,
    pub negatives: Vec<Recorded>,
    pub shape: Shape,
}

/// The values of a dimension with the means to compare them.
pub(super) enum Scale<'l> {
    /// TAXONOMY, ENTITY, TEXT.
    Ordered(std::rc::Rc<Order<'l>>),
    /// NUMBER.
    Numbers(&'l [NumberInterval]),
    /// DATE.
    Dates(&'l [DateInterval]),
}

impl<'l> Scale<'l> {
    /// The scale of dimension `d`; `order` is used where it has one.
    pub(super) fn of(lattice: &'l Lattice, d: DimensionId, order: std::rc::Rc<Order<'l>>) -> Self {
        match lattice.dimension(d).kind {
            Kind::Number { .. } => Scale::Numbers(lattice.numbers(d)),
            Kind::Date => Scale::Dates(lattice.dates(d)),
            _ => Scale::Ordered(order),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        match self {
            Scale::Ordered(order) => order.is_closed(),
            _ => true,
        }
    }

    /// Whether `a ⊑ b` among recorded values.
    pub(super) fn le(&self, a: u32, b: u32) -> bool {
        match self {
            Scale::Ordered(order) => order.le(a, b),
            Scale::Numbers(list) => match (list.get(a as usize), list.get(b as usize)) {
                (Some(a), Some(b)) => b.contains(a),
                _ => false,
            },
            Scale::Dates(list) => match (list.get(a as usize), list.get(b as usize)) {
                (Some(a), Some(b)) => b.contains(a),
                _ => false,
            },
        }
    }

    /// Of some values those that have no other one strictly below them.
    pub(super) fn most_specific(&self, values: &[u32]) -> Vec<u32> {
        match self {
            Scale::Ordered(order) => order.most_specific(values),
            _ => values
                .iter()
                .copied()
                .filter(|&a| !values.iter().any(|&b| b != a && self.le(b, a)))
                .collect(),
        }
    }

    /// Whether the value could not be a more specific one.
    pub(super) fn is_fixed(&self, value: u32) -> bool {
        match self {
            Scale::Ordered(order) => order.is_fixed(value),
            Scale::Numbers(list) => list
                .get(value as usize)
                .is_some_and(NumberInterval::is_point),
            Scale::Dates(list) => list
                .get(value as usize)
                .is_some_and(|interval| interval.first == interval.last),
        }
    }

    /// The signatures of the values that could be true: for each, which
    /// positives hold and which negatives do.
    fn signatures(&self, positives: &[Recorded], negatives: &[Recorded]) -> BTreeSet<Side> {
        match self {
            Scale::Ordered(order) => {
                let downs = |list: &[Recorded]| -> Vec<_> {
                    list.iter()
                        .map(|r| order.down(r.value, Edges::All))
                        .collect()
                };
                let (above, denied) = (downs(positives), downs(negatives));
                let mut seen = BTreeSet::new();
                for set in &above {
                    for l in set.iter() {
                        seen.insert(Side {
                            positives: positions(&above, |down| down.contains(l)),
                            negatives: positions(&denied, |down| !down.contains(l)),
                        });
                    }
                }
                seen
            }
            Scale::Numbers(list) => {
                let at = |r: &Recorded| list.get(r.value as usize).cloned();
                let ends = |r: &Recorded| at(r).map(|i| (i.low, i.high));
                interval_signatures(positives, negatives, ends)
            }
            Scale::Dates(list) => {
                let ends = |r: &Recorded| list.get(r.value as usize).map(|i| (i.first, i.last));
                interval_signatures(positives, negatives, ends)
            }
        }
    }
}

fn positions<T>(list: &[T], holds: impl Fn(&T) -> bool) -> Vec<usize> {
    list.iter()
        .enumerate()
        .filter(|(_, item)| holds(item))
        .map(|(k, _)| k)
        .collect()
}

/// Largest consistent sets of intervals come about at an interval from the low
/// end of one to the high end of another.
fn interval_signatures<T: Ord + Clone>(
    positives: &[Recorded],
    negatives: &[Recorded],
    ends: impl Fn(&Recorded) -> Option<(T, T)>,
) -> BTreeSet<Side> {
    let above: Vec<(T, T)> = positives.iter().filter_map(&ends).collect();
    let denied: Vec<(T, T)> = negatives.iter().filter_map(&ends).collect();
    let mut seen = BTreeSet::new();
    for (low, _) in &above {
        for (_, high) in &above {
            if low > high {
                continue;
            }
            let inside = |(a, b): &(T, T)| a <= low && high <= b;
            seen.insert(Side {
                positives: positions(&above, inside),
                negatives: positions(&denied, |interval| !inside(interval)),
            });
        }
    }
    seen
}

/// Reads the coordinate of an instance on a dimension.
pub(super) fn coordinate(
    scale: &Scale<'_>,
    one: bool,
    positive: Relation<'_>,
    negative: Relation<'_>,
    x: InstanceId,
) -> Coordinate {
    let positives = recorded(positive, x);
    let negatives = recorded(negative, x);
    let shape = if one && scale.is_closed() {
        Shape::Sides(sides(scale, &positives, &negatives))
    } else {
        Shape::Loose {
            positives: positives
                .iter()
                .map(|a| negatives.iter().any(|n| scale.le(a.value, n.value)))
                .collect(),
            negatives: negatives
                .iter()
                .map(|n| positives.iter().any(|a| scale.le(a.value, n.value)))
                .collect(),
        }
    };
    Coordinate {
        positives,
        negatives,
        shape,
    }
}

fn recorded(relation: Relation<'_>, x: InstanceId) -> Vec<Recorded> {
    let row = relation.of(x);
    row.values()
        .iter()
        .enumerate()
        .map(|(k, &value)| {
            let predicate = row.predicate(k);
            Recorded {
                value,
                predicate,
                confidence: relation.confidence(predicate),
            }
        })
        .collect()
}

/// The maximal signatures, sorted.
fn sides(scale: &Scale<'_>, positives: &[Recorded], negatives: &[Recorded]) -> Vec<Side> {
    let all = Side {
        positives: (0..positives.len()).collect(),
        negatives: (0..negatives.len()).collect(),
    };
    if positives.is_empty() || (positives.len() == 1 && negatives.is_empty()) {
        return vec![all];
    }
    let mut seen = scale.signatures(positives, negatives);
    if seen.contains(&all) {
        return vec![all];
    }
    // A value that nobody recorded satisfies every denial.
    seen.insert(Side {
        positives: Vec::new(),
        negatives: all.negatives,
    });
    let within = |a: &Side, b: &Side| {
        a.positives.iter().all(|p| b.positives.contains(p))
            && a.negatives.iter().all(|n| b.negatives.contains(n))
    };
    seen.iter()
        .filter(|a| !seen.iter().any(|b| *a != b && within(a, b)))
        .cloned()
        .collect()
}

impl Coordinate {
    /// Whether recorded predicates contradict each other.
    pub(super) fn is_contested(&self) -> bool {
        match &self.shape {
            Shape::Sides(sides) => sides.len() > 1,
            Shape::Loose { positives, .. } => positives.iter().any(|&contested| contested),
        }
    }

    /// The positives of a side that count at a confidence.
    pub(super) fn counting<'a>(
        &'a self,
        side: &'a Side,
        confidence: f64,
    ) -> impl Iterator<Item = &'a Recorded> {
        side.positives
            .iter()
            .filter_map(|&k| self.positives.get(k))
            .filter(move |r| r.confidence >= confidence)
    }

    /// The negatives of a side that count at a confidence.
    pub(super) fn denying<'a>(
        &'a self,
        side: &'a Side,
        confidence: f64,
    ) -> impl Iterator<Item = &'a Recorded> {
        side.negatives
            .iter()
            .filter_map(|&k| self.negatives.get(k))
            .filter(move |r| r.confidence >= confidence)
    }

    /// Positives that can be relied on: those that lie in every side, or that
    /// no negative denies.
    pub(super) fn agreed(&self) -> impl Iterator<Item = &Recorded> {
        let agreed = |k: &usize| match &self.shape {
            Shape::Sides(sides) => sides.iter().all(|side| side.positives.contains(k)),
            Shape::Loose { positives, .. } => positives.get(*k) == Some(&false),
        };
        self.positives
            .iter()
            .enumerate()
            .filter(move |(k, _)| agreed(k))
            .map(|(_, r)| r)
    }

    /// Uncontested positives that count (of a loose coordinate).
    pub(super) fn loose_positives(&self, confidence: f64) -> impl Iterator<Item = &Recorded> {
        self.agreed().filter(move |r| r.confidence >= confidence)
    }

    /// Uncontested negatives that count (of a loose coordinate).
    pub(super) fn loose_negatives(&self, confidence: f64) -> impl Iterator<Item = &Recorded> {
        self.negatives
            .iter()
            .enumerate()
            .filter(|(k, _)| match &self.shape {
                Shape::Loose { negatives, .. } => negatives.get(*k) == Some(&false),
                Shape::Sides(_) => false,
            })
            .map(|(_, r)| r)
            .filter(move |r| r.confidence >= confidence)
    }
}
