//! Regions of a NUMBER or DATE dimension: what bounds, ranges and `=` denote.

use crate::lattice::{DateInterval, Decimal, NumberInterval};
use crate::syntax::tree::Operator;
use serde::Serialize;

/// A connected set of points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Region {
    /// Of a NUMBER dimension.
    Number(NumberRegion),
    /// Of a DATE dimension.
    Date(DateRegion),
}

impl Region {
    /// The points in both; `None` for regions of different kinds.
    pub fn intersect(&self, other: &Region) -> Option<Region> {
        match (self, other) {
            (Region::Number(a), Region::Number(b)) => Some(Region::Number(a.intersect(b))),
            (Region::Date(a), Region::Date(b)) => Some(Region::Date(a.intersect(*b))),
            _ => None,
        }
    }
    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        match self {
            Region::Number(region) => region.is_empty(),
            Region::Date(region) => region.is_empty(),
        }
    }
}

/// One end of a region: where, and whether the point itself belongs to it.
pub type End = Option<(Decimal, bool)>;

/// A set of decimals between two ends. `None` is unbounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberRegion {
    /// The lower end, in the base unit.
    pub low: End,
    /// The upper end, in the base unit.
    pub high: End,
    /// What the dimension's numbers are multiplied by to be in the base unit.
    pub factor: Option<Decimal>,
}

impl NumberRegion {
    /// What `operator interval` denotes (`=`: the interval itself).
    pub fn of(operator: Operator, interval: &NumberInterval, factor: Option<Decimal>) -> Self {
        let (low, high) = (&interval.low, &interval.high);
        let (low, high) = match operator {
            Operator::Is | Operator::IsNot => {
                (Some((low.clone(), true)), Some((high.clone(), true)))
            }
            Operator::AtMost => (None, Some((high.clone(), true))),
            Operator::Less => (None, Some((low.clone(), false))),
            Operator::AtLeast => (Some((low.clone(), true)), None),
            Operator::Greater => (Some((high.clone(), false)), None),
        };
        NumberRegion { low, high, factor }
    }

    fn scaled(&self, interval: &NumberInterval) -> NumberInterval {
        match &self.factor {
            None => interval.clone(),
            // Factors are positive and products are exact; one that has too
            // many digits stays unscaled only if it could never be written.
            Some(factor) => match (
                interval.low.checked_mul(factor),
                interval.high.checked_mul(factor),
            ) {
                (Some(low), Some(high)) => NumberInterval { low, high },
                _ => interval.clone(),
            },
        }
    }

    /// Whether the interval, in the dimension's unit, lies in the region.
    pub fn contains(&self, interval: &NumberInterval) -> bool {
        let interval = self.scaled(interval);
        let above = match &self.low {
            None => true,
            Some((end, true)) => interval.low >= *end,
            Some((end, false)) => interval.low > *end,
        };
        let below = match &self.high {
            None => true,
            Some((end, true)) => interval.high <= *end,
            Some((end, false)) => interval.high < *end,
        };
        above && below
    }

    /// Whether the interval, in the dimension's unit, has a point in the region.
    pub fn meets(&self, interval: &NumberInterval) -> bool {
        let interval = self.scaled(interval);
        let with = NumberRegion {
            low: Some((interval.low, true)),
            high: Some((interval.high, true)),
            factor: None,
        };
        !self.intersect(&with).is_empty()
    }

    /// Whether the region is bounded on both sides and lies in the interval,
    /// which is in the dimension's unit: a denial of the interval excludes it.
    pub fn within(&self, interval: &NumberInterval) -> bool {
        let interval = self.scaled(interval);
        match (&self.low, &self.high) {
            (Some((low, _)), Some((high, _))) => *low >= interval.low && *high <= interval.high,
            _ => false,
        }
    }

    /// The points in both.
    pub fn intersect(&self, other: &NumberRegion) -> NumberRegion {
        NumberRegion {
            low: tighter(&self.low, &other.low, |a, b| a > b),
            high: tighter(&self.high, &other.high, |a, b| a < b),
            factor: self.factor.clone().or_else(|| other.factor.clone()),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Some((low, low_closed)), Some((high, high_closed))) => {
                low > high || (low == high && !(*low_closed && *high_closed))
            }
            _ => false,
        }
    }
}

fn tighter(a: &End, b: &End, beats: impl Fn(&Decimal, &Decimal) -> bool) -> End {
    match (a, b) {
        (None, end) | (end, None) => end.clone(),
        (Some((at, closed)), Some((other, other_closed))) => {
            if at == other {
                Some((at.clone(), *closed && *other_closed))
            } else if beats(at, other) {
                a.clone()
            } else {
                b.clone()
            }
        }
    }
}

/// A set of whole days, both ends included; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DateRegion {
    /// The first day.
    pub first: Option<i64>,
    /// The last day.
    pub last: Option<i64>,
}

impl DateRegion {
    /// What `operator interval` denotes (`=`: the interval itself).
    pub fn of(operator: Operator, interval: &DateInterval) -> Self {
        let (first, last) = (i64::from(interval.first), i64::from(interval.last));
        let (first, last) = match operator {
            Operator::Is | Operator::IsNot => (Some(first), Some(last)),
            Operator::AtMost => (None, Some(last)),
            Operator::Less => (None, Some(first - 1)),
            Operator::AtLeast => (Some(first), None),
            Operator::Greater => (Some(last + 1), None),
        };
        DateRegion { first, last }
    }

    /// Whether the interval lies in the region.
    pub fn contains(self, interval: &DateInterval) -> bool {
        self.first
            .is_none_or(|first| i64::from(interval.first) >= first)
            && self
                .last
                .is_none_or(|last| i64::from(interval.last) <= last)
    }

    /// Whether the interval has a day in the region.
    pub fn meets(self, interval: &DateInterval) -> bool {
        let with = DateRegion {
            first: Some(interval.first.into()),
            last: Some(interval.last.into()),
        };
        !self.intersect(with).is_empty()
    }

    /// Whether the region is bounded on both sides and lies in the interval.
    pub fn within(self, interval: &DateInterval) -> bool {
        match (self.first, self.last) {
            (Some(first), Some(last)) => {
                first >= i64::from(interval.first) && last <= i64::from(interval.last)
            }
            _ => false,
        }
    }

    /// The days in both.
    pub fn intersect(self, other: DateRegion) -> DateRegion {
        DateRegion {
            first: match (self.first, other.first) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            last: match (self.last, other.last) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }

    /// Whether there is no day.
    pub fn is_empty(self) -> bool {
        matches!((self.first, self.last), (Some(first), Some(last)) if first > last)
    }
}
