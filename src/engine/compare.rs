//! COMPARE between two operands and of one condition.

use super::RunError;
use super::bound::Asked;
use super::order::Order;
use super::reading::{Point, Reading, line};
use super::run::Run;
use super::sets::Evaluated;
use super::truth::Ask;
use crate::lattice::{InstanceId, NumberInterval, Value};
use crate::plan::resolve::path_text;
use crate::plan::{By, Compare, Condition, Operand, QueryId, Test};
use crate::syntax::print_constraint;
use crate::syntax::tree::{Constraint, OrderWord, Relation};
use crate::verdict::{Answer, Caveat, Derivation, Members, Reason, Who};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// An outcome on the way: a value, or the reason of an abstention.
pub(super) type OrReason<T> = Result<T, Reason>;

impl<'l> Run<'l> {
    /// Runs a COMPARE.
    pub(super) fn compare(&self, compare: &Compare) -> Result<Evaluated, RunError> {
        let none = RoaringBitmap::new;
        let outcome = match compare {
            Compare::Relate {
                left,
                relation,
                right,
                by,
            } => self.relate(left, *relation, right, by)?,
            Compare::Order { left, right, by } => self.order_of(left, right, by)?,
            Compare::Holds {
                subject,
                condition,
                inner,
            } => self.holds(*subject, condition, inner)?,
            Compare::Sets {
                left,
                relation,
                right,
            } => self.relate_sets(left, *relation, right)?,
            Compare::Extremum {
                extreme,
                of,
                by,
                returns,
            } => return self.extremum(*extreme, of, by, returns),
            Compare::Bound { .. } => match Asked::of(compare) {
                Some(asked) => return self.bound(asked),
                None => Err(Reason::EmptyLattice),
            },
        };
        Ok(match outcome {
            Ok(answer) => Evaluated::answered(answer, none(), Members::Instances(none())),
            Err(reason) => Evaluated::abstained(reason, none(), false),
        })
    }

    /// Both readings, or why there are none: an ambiguous operand, a missing
    /// value, a count that is not one.
    fn readings(
        &self,
        left: &Operand,
        right: &Operand,
        by: &By,
    ) -> Result<OrReason<(Reading, Reading)>, RunError> {
        let mut reasons = Vec::new();
        let mut readings = Vec::new();
        for operand in [left, right] {
            let reading = self.read(operand, by)?;
            reasons.extend(self.two_meanings(operand, &reading, by));
            readings.push(reading);
        }
        if by.count {
            reasons.extend(self.uncountable(by, 0, &readings)?);
            for reading in &mut readings {
                counted(reading);
            }
        }
        let lacking: Vec<InstanceId> = readings
            .iter()
            .filter(|reading| reading.values.is_empty())
            .filter_map(Reading::instance)
            .collect();
        if !lacking.is_empty() {
            reasons.push(self.missing(by, lacking));
        }
        if let Some(reason) = Reason::first_class(reasons) {
            return Ok(Err(reason));
        }
        let mut both = readings.into_iter();
        Ok(match (both.next(), both.next()) {
            (Some(left), Some(right)) => Ok((left, right)),
            _ => Err(self.missing(by, Vec::new())),
        })
    }

    pub(super) fn missing(&self, by: &By, mut instances: Vec<InstanceId>) -> Reason {
        instances.sort();
        instances.dedup();
        Reason::Missing {
            path: by.text.clone(),
            instances,
        }
    }

    /// Why the values of a path cannot be counted.
    pub(super) fn uncountable(
        &self,
        by: &By,
        possible: u64,
        readings: &[Reading],
    ) -> Result<Option<Reason>, RunError> {
        let mut from: Vec<Derivation> = self
            .open_steps(&by.steps)
            .into_iter()
            .map(|d| Derivation::Open(self.lattice.dimension(d).name.clone()))
            .collect();
        if possible > 0 {
            from.push(Derivation::Possible(possible));
        }
        for reading in readings {
            if let Some(x) = reading.instance()
                && self.returns_contested(&by.steps, x)?
            {
                from.push(Derivation::Contested);
                break;
            }
        }
        from.sort();
        Ok((!from.is_empty()).then(|| Reason::Derived {
            what: by.text.clone(),
            from,
        }))
    }

    /// A refusal to prefer either side.
    pub(super) fn incomparable(&self, by: &By, readings: &[&Reading]) -> Reason {
        let d = by.dimension();
        let sides = readings
            .iter()
            .map(|reading| (reading.who.clone(), self.print_reading(d, reading)))
            .collect();
        Reason::Incomparable {
            path: by.text.clone(),
            contested: readings.iter().any(|reading| reading.contested),
            sides,
        }
    }

    fn relate(
        &self,
        left: &Operand,
        relation: Relation,
        right: &Operand,
        by: &By,
    ) -> Result<OrReason<Answer>, RunError> {
        let (left, right) = match self.readings(left, right, by)? {
            Ok(both) => both,
            Err(reason) => return Ok(Err(reason)),
        };
        let order = self.order(by.dimension(), 0.0);
        let truth = match relation {
            Relation::Equal => self.equal(&left, &right, by, &order),
            Relation::Unequal => self.equal(&left, &right, by, &order).map(|equal| !equal),
            Relation::Overlaps => self.overlap(&left, &right, &order),
            Relation::Less => self.less(&left, &right, &order),
            Relation::AtMost => self.at_most(&left, &right, &order),
            Relation::Greater => self.less(&right, &left, &order),
            Relation::AtLeast => self.at_most(&right, &left, &order),
        };
        Ok(match truth {
            Some(value) => Ok(Answer::Truth {
                value,
                caveat: self.caveat(relation, value, &left, &right, by),
            }),
            None => Err(self.incomparable(by, &[&left, &right])),
        })
    }

    /// What could change a result: more values of an open step, except that two
    /// readings share one; finer values of readings that are equal.
    fn caveat(&self, relation: Relation, value: bool, a: &Reading, b: &Reading, by: &By) -> Caveat {
        let by_equality = relation != Relation::Overlaps && self.are_equal(a, b);
        let shared = relation == Relation::Overlaps && value;
        let order = self.order(by.dimension(), 0.0);
        Caveat {
            open: if shared {
                Vec::new()
            } else {
                self.unsure_steps(by)
            },
            equal_as_recorded: by_equality
                && a.values
                    .iter()
                    .any(|point| !self.is_fixed_point(&order, point)),
            ..Caveat::default()
        }
    }

    fn are_equal(&self, a: &Reading, b: &Reading) -> bool {
        !a.contested && !b.contested && a.values == b.values
    }

    fn are_exclusive(&self, a: &Reading, b: &Reading, order: &Order<'_>) -> bool {
        a.values
            .iter()
            .all(|x| b.values.iter().all(|y| self.exclusive(order, x, y)))
    }

    fn equal(&self, a: &Reading, b: &Reading, by: &By, order: &Order<'_>) -> Option<bool> {
        if self.are_equal(a, b) {
            return Some(true);
        }
        if self.is_single(by) || by.count {
            return self.are_exclusive(a, b, order).then_some(false);
        }
        (!a.contested && !b.contested).then_some(false)
    }

    fn overlap(&self, a: &Reading, b: &Reading, order: &Order<'_>) -> Option<bool> {
        if a.contested || b.contested {
            return None;
        }
        Some(a.values.iter().any(|x| {
            b.values
                .iter()
                .any(|y| self.point_le(order, x, y) || self.point_le(order, y, x))
        }))
    }

    /// Whether every value of one lies strictly below every value of the other,
    /// in the order of a TAXONOMY or ENTITY dimension.
    fn strictly_below(&self, a: &Reading, b: &Reading, order: &Order<'_>) -> bool {
        a.values.iter().all(|x| {
            b.values.iter().all(|y| match (x, y) {
                (Point::Node(x), Point::Node(y)) => order.lt(*x, *y),
                _ => false,
            })
        })
    }

    fn less(&self, a: &Reading, b: &Reading, order: &Order<'_>) -> Option<bool> {
        if self.are_equal(a, b) {
            return Some(false);
        }
        if let Some(line) = line(a, b) {
            return match (line.below, line.at_least) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
        }
        if self.strictly_below(a, b, order) {
            return Some(true);
        }
        (self.strictly_below(b, a, order) || self.are_exclusive(a, b, order)).then_some(false)
    }

    fn at_most(&self, a: &Reading, b: &Reading, order: &Order<'_>) -> Option<bool> {
        if self.are_equal(a, b) {
            return Some(true);
        }
        if let Some(line) = line(a, b) {
            return match (line.at_most, line.above) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
        }
        if self.strictly_below(a, b, order) {
            return Some(true);
        }
        (self.strictly_below(b, a, order) || self.are_exclusive(a, b, order)).then_some(false)
    }

    fn order_of(
        &self,
        left: &Operand,
        right: &Operand,
        by: &By,
    ) -> Result<OrReason<Answer>, RunError> {
        let (left, right) = match self.readings(left, right, by)? {
            Ok(both) => both,
            Err(reason) => return Ok(Err(reason)),
        };
        if left.contested || right.contested {
            return Ok(Err(self.incomparable(by, &[&left, &right])));
        }
        let order = self.order(by.dimension(), 0.0);
        let (below, above) = match line(&left, &right) {
            Some(line) => (line.below, line.above),
            None => (
                self.strictly_below(&left, &right, &order),
                self.strictly_below(&right, &left, &order),
            ),
        };
        let caveat = self.caveat(Relation::Equal, true, &left, &right, by);
        let word = if self.are_equal(&left, &right) {
            OrderWord::Equal
        } else if below {
            OrderWord::Less
        } else if above {
            OrderWord::Greater
        } else {
            OrderWord::Incomparable
        };
        let (join, meet) = self.bounds_of(&left, &right, by, &order);
        Ok(Ok(Answer::Order {
            word,
            join,
            meet,
            dimension: (!by.count).then(|| by.dimension()),
            caveat,
        }))
    }

    /// The join and the meet of two single values.
    fn bounds_of(
        &self,
        a: &Reading,
        b: &Reading,
        by: &By,
        order: &Order<'_>,
    ) -> (Vec<Value>, Vec<Value>) {
        let (1, 1, Some(x), Some(y)) = (
            a.values.len(),
            b.values.len(),
            a.values.first(),
            b.values.first(),
        ) else {
            return (Vec::new(), Vec::new());
        };
        let d = by.dimension();
        if let Some((hull, meet)) = hull_and_meet([x, y].into_iter()) {
            let show = |point: Point| {
                if by.count {
                    super::reading::bare(&point)
                } else {
                    self.show_point(d, &point)
                }
            };
            return (
                hull.map(show).into_iter().collect(),
                meet.map(show).into_iter().collect(),
            );
        }
        match (x, y) {
            (Point::Node(x), Point::Node(y)) => {
                let (join, meet) = order.join_and_meet(*x, *y);
                let show = |list: Vec<u32>| -> Vec<Value> {
                    list.into_iter()
                        .map(|v| self.show_point(d, &Point::Node(v)))
                        .collect()
                };
                (show(join), show(meet))
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    fn holds(
        &self,
        subject: InstanceId,
        condition: &Condition,
        inner: &[QueryId],
    ) -> Result<OrReason<Answer>, RunError> {
        if let Some(reason) = self.inner_reason(inner, std::slice::from_ref(condition))? {
            return Ok(Err(reason));
        }
        let ask = Ask { confidence: 0.0 };
        let only = RoaringBitmap::from_iter([subject.0]);
        let truth = |value| {
            Ok(Ok(Answer::Truth {
                value,
                caveat: Caveat::default(),
            }))
        };
        if !self.certain(condition, ask, Some(&only))?.is_empty() {
            return truth(true);
        }
        if !self.excluded(condition, ask, Some(&only))?.is_empty() {
            return truth(false);
        }
        Ok(Err(self.undecided(subject, condition)?))
    }

    /// Why a condition is neither certain nor excluded for an instance.
    fn undecided(&self, subject: InstanceId, condition: &Condition) -> Result<Reason, RunError> {
        let source = condition.source();
        let path = match source {
            Constraint::Test { path, .. }
            | Constraint::In { path, .. }
            | Constraint::Has { path, .. } => path_text(path),
            other => print_constraint(other),
        };
        let missing = Reason::Missing {
            path: path.clone(),
            instances: vec![subject],
        };
        // `!=` is NOT of `=`.
        let tested = match condition {
            Condition::Not(inner, _) => inner,
            other => other,
        };
        let (steps, name) = match tested {
            Condition::Walk { path, test, .. } => (path, matches!(test, Test::Name(_))),
            _ => return Ok(missing),
        };
        let Some(&d) = steps.last() else {
            return Ok(missing);
        };
        let contested = self.contested_on(steps, subject)?;
        let ends = self.printed_ends(steps, name, subject)?;
        if !contested && (ends.is_empty() || !self.lattice.dimension(d).is_one()) {
            return Ok(missing);
        }
        Ok(Reason::Incomparable {
            path,
            contested,
            sides: vec![(Who::Instance(subject), ends)],
        })
    }
}

/// The hull and the intersection of intervals, `None` for other values.
pub(super) fn hull_and_meet<'p>(
    mut points: impl Iterator<Item = &'p Point>,
) -> Option<(Option<Point>, Option<Point>)> {
    let first = points.next()?;
    if matches!(first, Point::Node(_)) {
        return None;
    }
    let start = (Some(first.clone()), Some(first.clone()));
    Some(points.fold(start, |(hull, meet), next| {
        (
            hull.and_then(|a| a.hull(next)),
            meet.and_then(|a| a.intersect(next)),
        )
    }))
}

/// A reading as the number of its values.
pub(super) fn counted(reading: &mut Reading) {
    let count =
        crate::lattice::Decimal::from_i64(i64::try_from(reading.values.len()).unwrap_or(i64::MAX));
    reading.values = BTreeSet::from([Point::Number(NumberInterval::point(count))]);
}
