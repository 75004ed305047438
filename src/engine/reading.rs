//! What an operand of COMPARE reads along its path, and how two readings lie.

use super::RunError;
use super::coordinate::Scale;
use super::order::Order;
use super::run::Run;
use super::sets::in_base;
use super::step::{date_intersection, number_intersection};
use crate::lattice::{
    DateInterval, Decimal, DimensionId, InstanceId, Kind, NumberInterval, Value, ValueId,
};
use crate::plan::{By, Literal, NumberRegion, Operand, Region};
use crate::verdict::Who;
use std::collections::BTreeSet;

/// One value of a reading. Numbers are in the base unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Point {
    /// A node of a TAXONOMY, ENTITY or TEXT dimension.
    Node(u32),
    /// An interval.
    Number(NumberInterval),
    /// An interval.
    Date(DateInterval),
}

impl Point {
    /// The smallest interval over both.
    pub(super) fn hull(&self, other: &Point) -> Option<Point> {
        match (self, other) {
            (Point::Number(a), Point::Number(b)) => Some(Point::Number(a.hull(b))),
            (Point::Date(a), Point::Date(b)) => Some(Point::Date(a.hull(b))),
            _ => None,
        }
    }

    /// What both have in common.
    pub(super) fn intersect(&self, other: &Point) -> Option<Point> {
        match (self, other) {
            (Point::Number(a), Point::Number(b)) => a.intersect(b).map(Point::Number),
            (Point::Date(a), Point::Date(b)) => a.intersect(b).map(Point::Date),
            _ => None,
        }
    }
}

/// An interval as a value, as it is.
pub(super) fn bare(point: &Point) -> Value {
    match point {
        Point::Node(v) => Value::Text(v.to_string()),
        Point::Number(interval) => Value::Number(interval.clone()),
        Point::Date(interval) => Value::Date(*interval),
    }
}

/// What an operand reads.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// Who reads it.
    pub who: Who,
    /// The values, in the order of their kind.
    pub values: BTreeSet<Point>,
    /// Contested positives of ONE steps were followed.
    pub contested: bool,
}

impl Reading {
    /// The instance that reads it, if it is one.
    pub(super) fn instance(&self) -> Option<InstanceId> {
        match &self.who {
            Who::Instance(i) => Some(*i),
            Who::Value(..) | Who::Plan { .. } => None,
        }
    }

    /// The least low and the greatest high end, for NUMBER.
    fn number_span(&self) -> Option<NumberInterval> {
        let mut span: Option<NumberInterval> = None;
        for point in &self.values {
            let Point::Number(interval) = point else {
                return None;
            };
            span = Some(span.map_or_else(|| interval.clone(), |s| s.hull(interval)));
        }
        span
    }

    fn date_span(&self) -> Option<DateInterval> {
        let mut span: Option<DateInterval> = None;
        for point in &self.values {
            let Point::Date(interval) = point else {
                return None;
            };
            span = Some(span.map_or(*interval, |s| s.hull(interval)));
        }
        span
    }
}

/// How the values of two readings lie along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Every high of the first is below every low of the second.
    pub below: bool,
    /// Every low of the first is above every high of the second.
    pub above: bool,
    /// Every high of the first is at most every low of the second.
    pub at_most: bool,
    /// Every low of the first is at least every high of the second.
    pub at_least: bool,
}

/// How two readings lie along a line; `None` where their values have none.
pub(super) fn line(a: &Reading, b: &Reading) -> Option<Line> {
    fn of<T: Ord>(low_a: &T, high_a: &T, low_b: &T, high_b: &T) -> Line {
        Line {
            below: high_a < low_b,
            above: low_a > high_b,
            at_most: high_a <= low_b,
            at_least: low_a >= high_b,
        }
    }
    if let (Some(a), Some(b)) = (a.number_span(), b.number_span()) {
        return Some(of(&a.low, &a.high, &b.low, &b.high));
    }
    if let (Some(a), Some(b)) = (a.date_span(), b.date_span()) {
        return Some(of(&a.first, &a.last, &b.first, &b.last));
    }
    None
}

impl<'l> Run<'l> {
    /// What an operand reads.
    pub(super) fn read(&self, operand: &Operand, by: &By) -> Result<Reading, RunError> {
        match operand {
            Operand::Instance { instance, .. } => self.read_instance(*instance, by),
            Operand::Value(_, literal) => Ok(Reading {
                who: self.who_value(by.dimension(), literal),
                values: point_of(literal).into_iter().collect(),
                contested: false,
            }),
        }
    }

    /// A value written in the query, as one who reads it.
    pub(super) fn who_value(&self, d: DimensionId, literal: &Literal) -> Who {
        let printed = point_of(literal).map_or_else(String::new, |point| {
            crate::verdict::print_value(self.lattice, &self.show_point(d, &point))
        });
        Who::Value(printed, self.lattice.dimension(d).name.clone())
    }

    /// What an instance reads along a path.
    pub(super) fn read_instance(&self, x: InstanceId, by: &By) -> Result<Reading, RunError> {
        let mut contested = false;
        let mut frontier = BTreeSet::from([x.0]);
        let mut values = BTreeSet::new();
        for (k, &d) in by.steps.iter().enumerate() {
            let last = k + 1 == by.steps.len();
            let mut next = BTreeSet::new();
            for &y in &frontier {
                self.meter.tick()?;
                if last {
                    self.read_last(d, InstanceId(y), &mut values, &mut contested);
                } else {
                    next.extend(self.followed(d, InstanceId(y), &mut contested));
                }
            }
            frontier = next;
        }
        Ok(Reading {
            who: Who::Instance(x),
            values,
            contested,
        })
    }

    /// The values of a step as RETURN gives them, and contested ones of ONE.
    pub(super) fn followed(&self, d: DimensionId, x: InstanceId, contested: &mut bool) -> Vec<u32> {
        let step = self.step_values(d, x, 0.0);
        let mut values = step.values;
        if self.lattice.dimension(d).is_one() && !step.contested.is_empty() {
            *contested = true;
            values.extend(step.contested);
            values.sort_unstable();
        }
        values
    }

    /// The positives that the value of the last step is read from: those that
    /// are followed; of an uncontested number or date of a ONE dimension all, for
    /// its value is what they have in common.
    pub(super) fn read_from(
        &self,
        d: DimensionId,
        x: InstanceId,
        contested: &mut bool,
    ) -> Vec<u32> {
        let mut disagreeing = false;
        let followed = self.followed(d, x, &mut disagreeing);
        *contested |= disagreeing;
        let dimension = self.lattice.dimension(d);
        let measured = matches!(dimension.kind, Kind::Number { .. } | Kind::Date);
        match measured && dimension.is_one() && !disagreeing {
            true => self.lattice.positive(d).of(x).values().to_vec(),
            false => followed,
        }
    }

    fn read_last(
        &self,
        d: DimensionId,
        x: InstanceId,
        values: &mut BTreeSet<Point>,
        contested: &mut bool,
    ) {
        let mut disagreeing = false;
        let from = self.read_from(d, x, &mut disagreeing);
        *contested |= disagreeing;
        let whole = self.lattice.dimension(d).is_one() && !disagreeing;
        match (&self.scale(d, 0.0), whole) {
            (Scale::Numbers(list), true) => {
                let joined = number_intersection(list, &from);
                values.extend(joined.map(|i| Point::Number(in_base(self.lattice, d, &i))));
            }
            (Scale::Dates(list), true) => {
                values.extend(date_intersection(list, &from).map(Point::Date));
            }
            _ => values.extend(from.iter().filter_map(|&v| self.point(d, v))),
        }
    }

    /// A recorded value as a point.
    fn point(&self, d: DimensionId, v: u32) -> Option<Point> {
        match self.lattice.dimension(d).kind {
            Kind::Number { .. } => self
                .lattice
                .numbers(d)
                .get(v as usize)
                .map(|i| Point::Number(in_base(self.lattice, d, i))),
            Kind::Date => self
                .lattice
                .dates(d)
                .get(v as usize)
                .map(|i| Point::Date(*i)),
            _ => Some(Point::Node(v)),
        }
    }

    /// A point as people see it; numbers in the dimension's unit. (One that
    /// was written in another unit and has no finite decimal there stays in the
    /// base unit.)
    pub(super) fn show_point(&self, d: DimensionId, point: &Point) -> Value {
        match point {
            Point::Node(v) => self.lattice.value(d, ValueId(*v)),
            Point::Number(interval) => self
                .exact_value(d, point)
                .unwrap_or_else(|| Value::Number(interval.clone())),
            Point::Date(interval) => Value::Date(*interval),
        }
    }

    /// A point as a value of its dimension; none where that has no finite decimal in
    /// the dimension's unit.
    pub(super) fn exact_value(&self, d: DimensionId, point: &Point) -> Option<Value> {
        let interval = match point {
            Point::Node(v) => return Some(self.lattice.value(d, ValueId(*v))),
            Point::Date(interval) => return Some(Value::Date(*interval)),
            Point::Number(interval) => interval,
        };
        let factor = super::sets::factor(self.lattice, d);
        let back = |n: &Decimal| match &factor {
            None => Some(n.clone()),
            Some(factor) => n.checked_div(factor),
        };
        Some(Value::Number(NumberInterval {
            low: back(&interval.low)?,
            high: back(&interval.high)?,
        }))
    }

    /// A reading's values, printed and sorted.
    pub(super) fn print_reading(&self, d: DimensionId, reading: &Reading) -> Vec<String> {
        let mut texts: Vec<String> = reading
            .values
            .iter()
            .map(|point| crate::verdict::print_value(self.lattice, &self.show_point(d, point)))
            .collect();
        texts.sort();
        texts.dedup();
        texts
    }

    /// Whether a point could not be a more specific one.
    pub(super) fn is_fixed_point(&self, order: &Order<'_>, point: &Point) -> bool {
        match point {
            Point::Node(v) => order.is_fixed(*v),
            Point::Number(interval) => interval.is_point(),
            Point::Date(interval) => interval.first == interval.last,
        }
    }

    /// Whether two points have no common lower bound, over a closed order.
    pub(super) fn exclusive(&self, order: &Order<'_>, a: &Point, b: &Point) -> bool {
        use super::order::Edges;
        match (a, b) {
            (Point::Node(a), Point::Node(b)) => {
                order.is_closed()
                    && order
                        .down(*a, Edges::All)
                        .is_disjoint(order.down(*b, Edges::All).as_ref())
            }
            (Point::Number(a), Point::Number(b)) => a.intersect(b).is_none(),
            (Point::Date(a), Point::Date(b)) => a.intersect(b).is_none(),
            _ => true,
        }
    }

    /// Whether `a ⊑ b`.
    pub(super) fn point_le(&self, order: &Order<'_>, a: &Point, b: &Point) -> bool {
        match (a, b) {
            (Point::Node(a), Point::Node(b)) => order.le(*a, *b),
            (Point::Number(a), Point::Number(b)) => b.contains(a),
            (Point::Date(a), Point::Date(b)) => b.contains(a),
            _ => false,
        }
    }

    /// The steps of a path that are neither ONE nor COMPLETE.
    pub(super) fn unsure_steps(&self, by: &By) -> Vec<DimensionId> {
        self.open_steps(&by.steps)
            .into_iter()
            .filter(|&d| !self.lattice.dimension(d).is_one())
            .collect()
    }

    /// Whether every step of a path is ONE.
    pub(super) fn is_single(&self, by: &By) -> bool {
        by.steps.iter().all(|&d| self.lattice.dimension(d).is_one())
    }

    /// Whether a contradiction stands on the way of a path from an instance.
    pub(super) fn contested_on(
        &self,
        path: &[DimensionId],
        x: InstanceId,
    ) -> Result<bool, RunError> {
        let mut frontier = BTreeSet::from([x.0]);
        for &d in path {
            let mut next = BTreeSet::new();
            for &y in &frontier {
                self.meter.tick()?;
                let c = self.coordinate(d, InstanceId(y));
                if c.is_contested() {
                    return Ok(true);
                }
                next.extend(c.positives.iter().map(|r| r.value));
            }
            frontier = next;
        }
        Ok(false)
    }
}

pub(super) fn point_of(literal: &Literal) -> Option<Point> {
    match literal {
        Literal::Node(v) => Some(Point::Node(*v)),
        Literal::Region(Region::Number(NumberRegion {
            low: Some((low, _)),
            high: Some((high, _)),
            ..
        })) => NumberInterval::new(low.clone(), high.clone())
            .ok()
            .map(Point::Number),
        Literal::Region(Region::Date(region)) => {
            let first = i32::try_from(region.first?).ok()?;
            let last = i32::try_from(region.last?).ok()?;
            DateInterval::new(first, last).ok().map(Point::Date)
        }
        Literal::Region(_) => None,
    }
}
