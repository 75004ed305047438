//! COMPARE: two operands, one constraint, two sets, the order of two.

use super::audit::Audit;
use super::coordinate::Coordinate;
use super::facts::Column;
use super::order::Edges;
use super::query::{Asked, Compare, Condition, Members, Operand, Steps, Test};
use super::reading::{Lying, Read, Reading, is_fixed, reading_of};
use super::spans::Span;
use super::truth::Truth;
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::syntax::tree::{OrderWord, Relation};
use crate::verdict::{Abstention, Answer, Caveat, Outcome, Reason, Who};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Audit<'_> {
    /// What a COMPARE ends in.
    pub(super) fn compare_outcome(&self, asked: &Arc<Asked>, compare: &Compare) -> Outcome {
        let found = match compare {
            Compare::Relate {
                left,
                relation,
                right,
                by,
            } => self.relate(left, *relation, right, by),
            Compare::Order { left, right, by } => self.order(left, right, by),
            Compare::RelateCounts {
                left,
                relation,
                right,
                by,
            } => self.relate_counts(*left, *relation, *right, by),
            Compare::OrderCounts { left, right, by } => self.order_counts(*left, *right, by),
            Compare::Holds { subject, condition } => self.holds(*subject, condition),
            Compare::Sets {
                left,
                relation,
                right,
            } => self.relate_sets(left, *relation, right),
            Compare::Extremum { .. } => self.extremum_answer(asked),
            Compare::Bound(bound) => self.bound_answer(bound),
        };
        match found {
            Ok(answer) => Outcome::Answer(answer),
            Err(reason) => Outcome::Abstention(Abstention { reason }),
        }
    }

    /// The readings of two operands; `missing` if one has no value.
    fn readings(
        &self,
        left: &Operand,
        right: &Operand,
        by: &Steps,
    ) -> Result<(Reading, Reading), Reason> {
        let read = |operand| reading_of(self.facts, operand, by);
        let (a, b) = (read(left), read(right));
        let mut without: Vec<InstanceId> = Vec::new();
        for (operand, reading) in [(left, &a), (right, &b)] {
            if let (Operand::Instance(x), true) = (operand, reading.values.is_empty()) {
                without.push(InstanceId(*x));
            }
        }
        without.sort_unstable();
        without.dedup();
        if without.is_empty() {
            return Ok((a, b));
        }
        Err(Reason::Missing {
            path: by.text.clone(),
            instances: without,
        })
    }

    fn relate(
        &self,
        left: &Operand,
        relation: Relation,
        right: &Operand,
        by: &Steps,
    ) -> Result<Answer, Reason> {
        let (a, b) = self.readings(left, right, by)?;
        let Some((_, column)) = self.last_of(by) else {
            return Err(Reason::EmptyLattice);
        };
        let lying = Lying {
            column,
            left: &a,
            right: &b,
        };
        let value = match relation {
            Relation::Equal => self.are_equal(&lying, by),
            Relation::Unequal => self.are_equal(&lying, by).map(|equal| !equal),
            Relation::Overlaps => (!a.contested && !b.contested).then(|| lying.overlap()),
            Relation::Less => is_less(&lying),
            Relation::AtMost => is_at_most(&lying),
            Relation::Greater => is_less(&turned(&lying)),
            Relation::AtLeast => is_at_most(&turned(&lying)),
        };
        let Some(value) = value else {
            return Err(self.incomparable(left, right, by, &a, &b));
        };
        let caveat = self.caveat(relation, value, &lying, by);
        Ok(Answer::Truth { value, caveat })
    }

    fn are_equal(&self, lying: &Lying<'_>, by: &Steps) -> Option<bool> {
        if lying.equal() {
            return Some(true);
        }
        if self.is_single(by) {
            return lying.exclusive().then_some(false);
        }
        match lying.left.contested || lying.right.contested {
            true => None,
            false => Some(false),
        }
    }

    /// Why an answer holds only as recorded.
    fn caveat(&self, relation: Relation, value: bool, lying: &Lying<'_>, by: &Steps) -> Caveat {
        let by_equality = lying.equal() && relation != Relation::Overlaps;
        let shared = relation == Relation::Overlaps && value;
        let mut all = lying.left.values.iter();
        let fixed = all.all(|v| is_fixed(lying.column, v));
        Caveat {
            open: match shared {
                true => Vec::new(),
                false => self.open_steps(by),
            },
            equal_as_recorded: by_equality && !fixed,
            ..Caveat::default()
        }
    }

    fn incomparable(
        &self,
        left: &Operand,
        right: &Operand,
        by: &Steps,
        a: &Reading,
        b: &Reading,
    ) -> Reason {
        let side = |operand: &Operand, reading: &Reading| {
            let values = self.printed_reading(by, reading);
            (self.who(operand, by), values)
        };
        Reason::Incomparable {
            path: by.text.clone(),
            contested: a.contested || b.contested,
            sides: vec![side(left, a), side(right, b)],
        }
    }

    pub(super) fn who(&self, operand: &Operand, by: &Steps) -> Who {
        match operand {
            Operand::Instance(x) => Who::Instance(InstanceId(*x)),
            operand => {
                let reading = reading_of(self.facts, operand, by);
                let printed = self.printed_reading(by, &reading).concat();
                let dimension = self.last_of(by).map(|(_, column)| column.name.clone());
                Who::Value(printed, dimension.unwrap_or_default())
            }
        }
    }

    /// The values of a reading, printed, sorted.
    pub(super) fn printed_reading(&self, by: &Steps, reading: &Reading) -> Vec<String> {
        let Some((d, _)) = self.last_of(by) else {
            return Vec::new();
        };
        let mut values: Vec<String> = reading
            .values
            .iter()
            .map(|value| self.printed_read(d, value))
            .collect();
        values.sort();
        values.dedup();
        values
    }

    /// The last step of a path.
    pub(super) fn last_of(&self, by: &Steps) -> Option<(DimensionId, &Column)> {
        let d = by.dimensions.last().copied()?;
        self.facts.column(d).map(|column| (d, column))
    }

    fn is_single(&self, by: &Steps) -> bool {
        let mut columns = by.dimensions.iter().filter_map(|&d| self.facts.column(d));
        columns.all(|column| column.one)
    }

    /// The steps that are neither COMPLETE nor ONE, ascending.
    pub(super) fn open_steps(&self, by: &Steps) -> Vec<DimensionId> {
        let open = by.dimensions.iter().copied().filter(|&d| {
            let column = self.facts.column(d);
            column.is_some_and(|column| !column.complete && !column.one)
        });
        let open: BTreeSet<DimensionId> = open.collect();
        open.into_iter().collect()
    }

    fn order(&self, left: &Operand, right: &Operand, by: &Steps) -> Result<Answer, Reason> {
        let (a, b) = self.readings(left, right, by)?;
        let Some((d, column)) = self.last_of(by) else {
            return Err(Reason::EmptyLattice);
        };
        if a.contested || b.contested {
            return Err(self.incomparable(left, right, by, &a, &b));
        }
        let lying = Lying {
            column,
            left: &a,
            right: &b,
        };
        let word = match (lying.below(), lying.above(), lying.equal()) {
            (_, _, true) => OrderWord::Equal,
            (true, ..) => OrderWord::Less,
            (_, true, _) => OrderWord::Greater,
            _ => OrderWord::Incomparable,
        };
        let (join, meet) = self.bounds_of(d, column, &a, &b);
        let caveat = self.caveat(Relation::Equal, true, &lying, by);
        Ok(Answer::Order {
            word,
            join,
            meet,
            dimension: Some(d),
            caveat,
        })
    }

    /// Join and meet of two readings.
    fn bounds_of(
        &self,
        d: DimensionId,
        column: &Column,
        a: &Reading,
        b: &Reading,
    ) -> (Vec<Value>, Vec<Value>) {
        if column.is_measured() {
            let (Some(Read::Span(x)), Some(Read::Span(y))) = (a.single(), b.single()) else {
                return (Vec::new(), Vec::new());
            };
            let as_values = |span: Option<Span>| {
                let value = span.and_then(|span| self.span_value(column, &span));
                value.into_iter().collect()
            };
            return (as_values(Some(x.hull(y))), as_values(x.meet(y)));
        }
        let (Some(Read::Node(x)), Some(Read::Node(y))) = (a.single(), b.single()) else {
            return (Vec::new(), Vec::new());
        };
        let common = |up: bool| -> BTreeSet<u32> {
            let reach = |v: u32| match up {
                true => column.graph.up([v], Edges::Certain(0.0)),
                false => column.graph.down([v], Edges::Certain(0.0)),
            };
            let of_y = reach(*y);
            reach(*x).into_iter().filter(|v| of_y.contains(v)).collect()
        };
        let as_values = |nodes: Vec<u32>| {
            let values = nodes.into_iter().map(|v| self.lattice.value(d, ValueId(v)));
            values.collect()
        };
        (
            as_values(column.graph.extremes(&common(true), true)),
            as_values(column.graph.extremes(&common(false), false)),
        )
    }

    fn holds(&self, subject: u32, condition: &Condition) -> Result<Answer, Reason> {
        let judged = self.judge(condition, 0.0)?;
        let truth = judged.truths.get(subject as usize);
        match truth.copied().unwrap_or(Truth::Possible) {
            Truth::Certain => Ok(plain_truth(true)),
            Truth::Excluded => Ok(plain_truth(false)),
            Truth::Possible => Err(self.undecided(subject, condition)),
        }
    }

    /// Why the truth of a condition is open for an instance.
    fn undecided(&self, x: u32, condition: &Condition) -> Reason {
        let Some(test) = test_of(condition) else {
            return Reason::EmptyLattice;
        };
        let path = &test.path;
        let mut at = BTreeSet::from([x]);
        let mut contested = false;
        let mut many = false;
        for column in path.dimensions.iter().filter_map(|&d| self.facts.column(d)) {
            let mut next = BTreeSet::new();
            for &y in &at {
                let coordinate = Coordinate::new(column, y);
                contested |= coordinate.any_contested();
                next.extend(coordinate.positives.iter().map(|fact| fact.value));
            }
            at = next;
            many = !column.one;
        }
        if !contested && (at.is_empty() || many) {
            return Reason::Missing {
                path: path.text.clone(),
                instances: vec![InstanceId(x)],
            };
        }
        Reason::Incomparable {
            path: path.text.clone(),
            contested,
            sides: vec![(Who::Instance(InstanceId(x)), self.printed_ends(x, path))],
        }
    }

    fn relate_sets(
        &self,
        left: &Members,
        relation: Relation,
        right: &Members,
    ) -> Result<Answer, Reason> {
        let (a, b) = match (self.operand_set(left), self.operand_set(right)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                let reasons = [a.err(), b.err()].into_iter().flatten().collect();
                let first = Reason::first_class(reasons);
                return Err(first.unwrap_or(Reason::EmptyLattice));
            }
        };
        let kind = self.kind_of(left);
        Ok(super::set_compare::compare(kind, &a, relation, &b))
    }
}

/// The test of `Test`, `In`, `Has` or their negation.
fn test_of(condition: &Condition) -> Option<&Test> {
    match condition {
        Condition::Test(test) => Some(test),
        Condition::Not(inner, _) | Condition::Possibly(inner, _) => test_of(inner),
        Condition::All(list, _) | Condition::Any(list, _) => list.iter().find_map(test_of),
    }
}

fn plain_truth(value: bool) -> Answer {
    Answer::Truth {
        value,
        caveat: Caveat::default(),
    }
}

fn turned<'a>(lying: &Lying<'a>) -> Lying<'a> {
    Lying {
        column: lying.column,
        left: lying.right,
        right: lying.left,
    }
}

fn is_less(lying: &Lying<'_>) -> Option<bool> {
    if lying.below() {
        return Some(true);
    }
    let not = match lying.column.is_measured() {
        true => lying.equal() || lying.ends(|a, b| a.low >= b.high),
        false => lying.equal() || lying.above() || lying.exclusive(),
    };
    not.then_some(false)
}

fn is_at_most(lying: &Lying<'_>) -> Option<bool> {
    let measured = lying.column.is_measured();
    if lying.below() || lying.equal() || (measured && lying.ends(|a, b| a.high <= b.low)) {
        return Some(true);
    }
    let not = match measured {
        true => lying.ends(|a, b| a.low > b.high),
        false => lying.above() || lying.exclusive(),
    };
    not.then_some(false)
}
