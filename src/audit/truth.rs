//! Certain, excluded or possible: one literal against one coordinate, and the
//! connectives.

use super::coordinate::{Coordinate, Side, common_span};
use super::facts::{Column, Fact};
use super::order::Edges;
use super::query::Literal;
use super::spans::Region;
use std::collections::HashSet;

/// What a constraint is for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Certain,
    Excluded,
    Possible,
}

impl Truth {
    pub(super) fn of(certain: bool, excluded: bool) -> Truth {
        match (certain, excluded) {
            (true, _) => Truth::Certain,
            (false, true) => Truth::Excluded,
            (false, false) => Truth::Possible,
        }
    }

    pub(super) fn not(self) -> Truth {
        match self {
            Truth::Certain => Truth::Excluded,
            Truth::Excluded => Truth::Certain,
            Truth::Possible => Truth::Possible,
        }
    }

    pub(super) fn all(of: impl IntoIterator<Item = Truth>) -> Truth {
        let mut all = Truth::Certain;
        for truth in of {
            all = match (all, truth) {
                (Truth::Excluded, _) | (_, Truth::Excluded) => Truth::Excluded,
                (Truth::Possible, _) | (_, Truth::Possible) => Truth::Possible,
                _ => Truth::Certain,
            };
        }
        all
    }

    pub(super) fn any(of: impl IntoIterator<Item = Truth>) -> Truth {
        Truth::all(of.into_iter().map(Truth::not)).not()
    }
}

/// A literal, ready to be held against coordinates.
#[derive(Debug)]
pub(super) enum Aim {
    Nodes {
        /// Values that are the literal or below it, as far as edges count.
        below: HashSet<u32>,
        /// Values that are the literal or above it, as far as edges count.
        above: HashSet<u32>,
        /// What could be the literal or below it.
        lower: HashSet<u32>,
        /// Values that have something of `lower` at or below them.
        touching: HashSet<u32>,
    },
    Points(Region),
}

impl Aim {
    /// `strict`: what lies below the literal and is not the literal.
    pub(super) fn new(column: &Column, literal: &Literal, strict: bool, t: f64) -> Aim {
        let node = match literal {
            Literal::Points(region) => return Aim::Points(region.clone()),
            Literal::Node(node) => *node,
        };
        let graph = &column.graph;
        let mut below = graph.down([node], Edges::Certain(t));
        let mut lower = graph.down([node], Edges::All);
        if strict {
            let same = graph.up([node], Edges::Certain(0.0));
            below.retain(|v| !same.contains(v));
            lower.retain(|v| !same.contains(v));
        }
        Aim::Nodes {
            below,
            above: graph.up([node], Edges::Certain(t)),
            touching: graph.up(lower.iter().copied(), Edges::All),
            lower,
        }
    }

    /// Whether the facts, taken together, put the true value there.
    pub(super) fn met_by(&self, column: &Column, facts: &[&Fact]) -> bool {
        match self {
            Aim::Nodes { below, .. } => facts.iter().any(|fact| below.contains(&fact.value)),
            Aim::Points(region) => {
                common_span(column, facts).is_some_and(|span| region.holds(&span))
            }
        }
    }

    /// Whether the facts, taken together, leave room for it.
    fn has_room(&self, column: &Column, facts: &[&Fact]) -> bool {
        match self {
            Aim::Points(region) => {
                common_span(column, facts).is_some_and(|span| region.touches(&span))
            }
            Aim::Nodes {
                lower, touching, ..
            } => match facts {
                [] => true,
                [fact] => touching.contains(&fact.value),
                several => {
                    let values: Vec<u32> = several.iter().map(|fact| fact.value).collect();
                    let common = column.graph.common_lower(&values);
                    common.iter().any(|value| lower.contains(value))
                }
            },
        }
    }

    /// Whether a denial covers all of it.
    pub(super) fn denied_by(&self, column: &Column, denial: &Fact) -> bool {
        match self {
            Aim::Nodes { above, .. } => above.contains(&denial.value),
            Aim::Points(region) => {
                let span = column.span(denial.value);
                span.is_some_and(|span| region.lies_in(span))
            }
        }
    }

    /// The positives of a side that, counting at `t`, leave no room for it.
    pub(super) fn shut_out_by(&self, column: &Column, counted: &[&Fact]) -> bool {
        !counted.is_empty() && !self.has_room(column, counted)
    }

    /// One step: the truth of it for a coordinate.
    pub(super) fn judge(&self, coordinate: &Coordinate<'_>, t: f64) -> Truth {
        let column = coordinate.column;
        if !column.has_sides() {
            let met = |fact: &Fact| self.met_by(column, &[fact]);
            let denied = |fact: &Fact| self.denied_by(column, fact);
            let certain = coordinate.firm(t).any(met);
            let excluded = coordinate.firm_denials(t).any(denied)
                || (column.complete && self.has_no_room(coordinate));
            return Truth::of(certain, excluded);
        }
        let sides = &coordinate.sides;
        let certain = sides
            .iter()
            .all(|side| self.met_by(column, &coordinate.of_side(side, t)));
        let excluded = (coordinate.positives.is_empty() && column.complete)
            || sides.iter().all(|side| {
                let mut denials = coordinate.denials_of_side(side, t).into_iter();
                denials.any(|denial| self.denied_by(column, denial))
                    || self.shut_out_by(column, &coordinate.of_side(side, t))
            });
        Truth::of(certain, excluded)
    }

    /// Whether no recorded value could be it or more specific; over an open
    /// order that shows only where none is recorded.
    fn has_no_room(&self, coordinate: &Coordinate<'_>) -> bool {
        let column = coordinate.column;
        match column.graph.closed {
            false => coordinate.positives.is_empty(),
            true => !coordinate
                .positives
                .iter()
                .any(|fact| self.has_room(column, &[fact])),
        }
    }
}

/// One step: whether a value is recorded.
pub(super) fn judge_has(coordinate: &Coordinate<'_>, t: f64) -> Truth {
    let column = coordinate.column;
    let certain = match column.has_sides() {
        true => coordinate
            .sides
            .iter()
            .all(|side| !coordinate.of_side(side, t).is_empty()),
        false => coordinate.firm(t).next().is_some(),
    };
    Truth::of(certain, coordinate.positives.is_empty() && column.complete)
}

/// One step of a path: what the rest of the path is for the values decides.
pub(super) fn judge_step(
    coordinate: &Coordinate<'_>,
    t: f64,
    rest: impl Fn(u32) -> Truth,
) -> Truth {
    let column = coordinate.column;
    let certain_by = |fact: &Fact| rest(fact.value) == Truth::Certain;
    let excluded_by =
        |fact: &Fact| rest(fact.value) == Truth::Excluded && column.is_fixed(fact.value);
    let by_completeness = column.complete && coordinate.positives.iter().all(excluded_by);
    if !column.has_sides() {
        return Truth::of(coordinate.firm(t).any(certain_by), by_completeness);
    }
    let mut sides = coordinate.sides.iter();
    let certain = sides.all(|side| coordinate.of_side(side, t).into_iter().any(certain_by));
    Truth::of(
        certain,
        by_completeness
            || coordinate
                .sides
                .iter()
                .all(|side| side_excludes(coordinate, side, t, &rest)),
    )
}

/// Whether a side excludes a path: the rest of it is excluded for all of its
/// values, one of which counts and could not be more specific.
fn side_excludes(
    coordinate: &Coordinate<'_>,
    side: &Side,
    t: f64,
    rest: &impl Fn(u32) -> Truth,
) -> bool {
    let out = |fact: &&Fact| rest(fact.value) == Truth::Excluded;
    let fixed = |fact: &&Fact| coordinate.column.is_fixed(fact.value);
    let all = coordinate.of_side(side, f64::NEG_INFINITY);
    all.iter().all(out) && coordinate.of_side(side, t).iter().any(fixed)
}
