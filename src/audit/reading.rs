//! What an operand of COMPARE reads along a path.

use super::coordinate::{Coordinate, common_span};
use super::facts::{Column, Fact, Facts};
use super::order::Edges;
use super::query::{Operand, Steps};
use super::returns::Leg;
use super::spans::Span;
use std::collections::BTreeSet;

/// A value in a reading.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Read {
    Node(u32),
    /// In the base unit.
    Span(Span),
}

/// The values at the end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) values: BTreeSet<Read>,
    /// Whether a ONE step on the way is contested.
    pub(super) contested: bool,
}

impl Reading {
    pub(super) fn spans(&self) -> Vec<&Span> {
        let values = self.values.iter();
        values
            .filter_map(|value| match value {
                Read::Span(span) => Some(span),
                Read::Node(_) => None,
            })
            .collect()
    }

    /// The single value, if there is one and nothing is contested.
    pub(super) fn single(&self) -> Option<&Read> {
        match (self.contested, self.values.len()) {
            (false, 1) => self.values.first(),
            _ => None,
        }
    }
}

/// The reading of an operand.
pub(super) fn reading_of(facts: &Facts, operand: &Operand, by: &Steps) -> Reading {
    let value = match operand {
        Operand::Node(node) => Read::Node(*node),
        Operand::Span(span) => Read::Span(span.clone()),
        Operand::Instance(x) => return reading_at(facts, *x, by),
    };
    Reading {
        values: BTreeSet::from([value]),
        contested: false,
    }
}

fn reading_at(facts: &Facts, x: u32, by: &Steps) -> Reading {
    let columns = by.dimensions.iter().filter_map(|&d| facts.column(d));
    let columns: Vec<&Column> = columns.collect();
    let mut reading = Reading {
        values: BTreeSet::new(),
        contested: false,
    };
    let Some((last, before)) = columns.split_last() else {
        return reading;
    };
    let mut at = BTreeSet::from([x]);
    for column in before {
        let mut next = BTreeSet::new();
        for &y in &at {
            let coordinate = Coordinate::new(column, y);
            reading.contested |= column.one && coordinate.any_contested();
            next.extend(legs(&coordinate).iter().map(|fact| fact.value));
        }
        at = next;
    }
    for y in at {
        let coordinate = Coordinate::new(last, y);
        reading.contested |= last.one && coordinate.any_contested();
        let values = last_legs(&coordinate);
        if is_whole(&coordinate) {
            reading
                .values
                .extend(common_span(last, &values).map(Read::Span));
        } else if last.is_measured() {
            let spans = values.iter().filter_map(|fact| last.span(fact.value));
            reading.values.extend(spans.cloned().map(Read::Span));
        } else {
            let nodes = values.iter().map(|fact| Read::Node(fact.value));
            reading.values.extend(nodes);
        }
    }
    reading
}

/// Whether a coordinate is one interval: what all its positives have in common.
fn is_whole(coordinate: &Coordinate<'_>) -> bool {
    let column = coordinate.column;
    column.one && column.is_measured() && !coordinate.any_contested()
}

/// The predicates that the values of the last step are read from.
fn last_legs<'f>(coordinate: &Coordinate<'f>) -> Vec<&'f Fact> {
    match is_whole(coordinate) {
        true => coordinate.positives.iter().collect(),
        false => legs(coordinate),
    }
}

/// The predicates that a step of a reading goes along, ascending: contested
/// values of ONE steps too.
pub(super) fn legs<'f>(coordinate: &Coordinate<'f>) -> Vec<&'f Fact> {
    let mut legs = coordinate.step(0.0);
    if coordinate.column.one {
        legs.extend(coordinate.contested());
    }
    legs.sort_by_key(|fact| fact.value);
    legs
}

/// Every walk of a reading, sorted by its predicates.
pub(super) fn reading_walks(facts: &Facts, x: u32, by: &Steps) -> Vec<Vec<Leg>> {
    let mut walks: Vec<(u32, Vec<Leg>)> = vec![(x, Vec::new())];
    for (k, &d) in by.dimensions.iter().enumerate() {
        let Some(column) = facts.column(d) else {
            continue;
        };
        let is_last = k + 1 == by.dimensions.len();
        let mut longer = Vec::new();
        for (y, walk) in walks {
            let coordinate = Coordinate::new(column, y);
            let facts = match is_last {
                true => last_legs(&coordinate),
                false => legs(&coordinate),
            };
            for fact in facts {
                let mut next = walk.clone();
                next.push((d, *fact));
                longer.push((fact.value, next));
            }
        }
        walks = longer;
    }
    walks.into_iter().map(|(_, walk)| walk).collect()
}

/// How the values of two readings lie to each other.
pub(super) struct Lying<'a> {
    pub(super) column: &'a Column,
    pub(super) left: &'a Reading,
    pub(super) right: &'a Reading,
}

impl Lying<'_> {
    pub(super) fn equal(&self) -> bool {
        self.left.values == self.right.values && !self.left.contested && !self.right.contested
    }

    /// Whether every value of the left lies below every one of the right.
    pub(super) fn below(&self) -> bool {
        self.each(|a, b| self.is_below(a, b))
    }

    pub(super) fn above(&self) -> bool {
        self.each(|a, b| self.is_below(b, a))
    }

    fn each(&self, holds: impl Fn(&Read, &Read) -> bool) -> bool {
        let right = &self.right.values;
        let mut left = self.left.values.iter();
        left.all(|a| right.iter().all(|b| holds(a, b)))
    }

    fn is_below(&self, a: &Read, b: &Read) -> bool {
        match (a, b) {
            (Read::Span(a), Read::Span(b)) => a.high < b.low,
            (Read::Node(a), Read::Node(b)) => {
                super::coordinate::strictly_below(self.column, *a, *b)
            }
            _ => false,
        }
    }

    /// Whether no value of one has anything in common with one of the other,
    /// over a closed order.
    pub(super) fn exclusive(&self) -> bool {
        self.column.graph.closed && self.each(|a, b| !self.could_be_one(a, b))
    }

    fn could_be_one(&self, a: &Read, b: &Read) -> bool {
        match (a, b) {
            (Read::Span(a), Read::Span(b)) => a.meet(b).is_some(),
            (Read::Node(a), Read::Node(b)) => {
                a == b || !self.column.graph.common_lower(&[*a, *b]).is_empty()
            }
            _ => true,
        }
    }

    /// Whether a value of one is at or below one of the other.
    pub(super) fn overlap(&self) -> bool {
        !self.each(|a, b| !self.is_within(a, b) && !self.is_within(b, a))
    }

    fn is_within(&self, a: &Read, b: &Read) -> bool {
        match (a, b) {
            (Read::Span(a), Read::Span(b)) => a.lies_in(b),
            (Read::Node(a), Read::Node(b)) => {
                self.column.graph.at_or_below(*a, *b, Edges::Certain(0.0))
            }
            _ => false,
        }
    }

    /// Along the line: whether every end of the left, as `pick` takes it, lies
    /// as `holds` says to every end of the right.
    pub(super) fn ends(&self, holds: impl Fn(&Span, &Span) -> bool) -> bool {
        self.each(|a, b| match (a, b) {
            (Read::Span(a), Read::Span(b)) => holds(a, b),
            _ => false,
        })
    }
}

/// Whether a value could not turn out to be a more specific one.
pub(super) fn is_fixed(column: &Column, value: &Read) -> bool {
    match value {
        Read::Span(span) => span.is_point(),
        Read::Node(node) => column.is_fixed(*node),
    }
}
