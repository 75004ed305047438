//! Intervals and regions, as plain pairs of ends. Days are counted as numbers.

use crate::lattice::{DateInterval, Decimal, NumberInterval};
use crate::syntax::tree::Operator;

/// A closed interval.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Span {
    pub(super) low: Decimal,
    pub(super) high: Decimal,
}

impl Span {
    pub(super) fn of_number(number: &NumberInterval) -> Span {
        Span {
            low: number.low.clone(),
            high: number.high.clone(),
        }
    }

    pub(super) fn of_date(date: &DateInterval) -> Span {
        Span {
            low: Decimal::from_i64(i64::from(date.first)),
            high: Decimal::from_i64(i64::from(date.last)),
        }
    }

    /// Its two ends, as points.
    pub(super) fn ends(&self) -> (Span, Span) {
        let point = |at: &Decimal| Span {
            low: at.clone(),
            high: at.clone(),
        };
        (point(&self.low), point(&self.high))
    }

    pub(super) fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Whether all of `self` lies in `other`.
    pub(super) fn lies_in(&self, other: &Span) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub(super) fn meet(&self, other: &Span) -> Option<Span> {
        let low = (&self.low).max(&other.low).clone();
        let high = (&self.high).min(&other.high).clone();
        (low <= high).then_some(Span { low, high })
    }

    pub(super) fn hull(&self, other: &Span) -> Span {
        Span {
            low: (&self.low).min(&other.low).clone(),
            high: (&self.high).max(&other.high).clone(),
        }
    }
}

/// The common part of intervals; `None` if there is none, or no interval.
pub(super) fn meet_of(spans: &[&Span]) -> Option<Span> {
    let (first, rest) = spans.split_first()?;
    let mut common = (*first).clone();
    for span in rest {
        common = common.meet(span)?;
    }
    Some(common)
}

/// A point where a region ends, and whether the point belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    at: Decimal,
    closed: bool,
}

/// A set of points without a gap; no end: it does not end there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Region {
    low: Option<End>,
    high: Option<End>,
}

impl Region {
    /// All points.
    pub(super) fn everything() -> Region {
        Region {
            low: None,
            high: None,
        }
    }

    pub(super) fn of_span(span: &Span) -> Region {
        Region::between(Some(span), Some(span))
    }

    /// From the low end of one to the high end of the other.
    pub(super) fn between(low: Option<&Span>, high: Option<&Span>) -> Region {
        let end = |at: &Decimal| End {
            at: at.clone(),
            closed: true,
        };
        Region {
            low: low.map(|span| end(&span.low)),
            high: high.map(|span| end(&span.high)),
        }
    }

    /// What `operator span` denotes. `days`: points are whole days, and every
    /// region ends with a day that belongs to it.
    pub(super) fn of(operator: Operator, span: &Span, days: bool) -> Region {
        let closed = |at: &Decimal| {
            Some(End {
                at: at.clone(),
                closed: true,
            })
        };
        let open = |at: &Decimal, step: i64| {
            let neighbour = days.then(|| neighbour(at, step)).flatten();
            match neighbour {
                Some(at) => Some(End { at, closed: true }),
                None => Some(End {
                    at: at.clone(),
                    closed: false,
                }),
            }
        };
        let (low, high) = match operator {
            Operator::Is | Operator::IsNot => (closed(&span.low), closed(&span.high)),
            Operator::AtMost => (None, closed(&span.high)),
            Operator::Less => (None, open(&span.low, -1)),
            Operator::AtLeast => (closed(&span.low), None),
            Operator::Greater => (open(&span.high, 1), None),
        };
        Region { low, high }
    }

    pub(super) fn meet(&self, other: &Region) -> Region {
        let low = match (&self.low, &other.low) {
            (Some(a), Some(b)) if a.at == b.at => Some(End {
                at: a.at.clone(),
                closed: a.closed && b.closed,
            }),
            (Some(a), Some(b)) => Some(if a.at > b.at { a.clone() } else { b.clone() }),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let high = match (&self.high, &other.high) {
            (Some(a), Some(b)) if a.at == b.at => Some(End {
                at: a.at.clone(),
                closed: a.closed && b.closed,
            }),
            (Some(a), Some(b)) => Some(if a.at < b.at { a.clone() } else { b.clone() }),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Region { low, high }
    }

    /// Whether there is a point in it.
    pub(super) fn has_points(&self) -> bool {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => {
                low.at < high.at || (low.at == high.at && low.closed && high.closed)
            }
            _ => true,
        }
    }

    /// Whether all of the interval lies in it.
    pub(super) fn holds(&self, span: &Span) -> bool {
        let above = match &self.low {
            None => true,
            Some(low) => span.low > low.at || (low.closed && span.low == low.at),
        };
        let below = match &self.high {
            None => true,
            Some(high) => span.high < high.at || (high.closed && span.high == high.at),
        };
        above && below
    }

    /// Whether a point of the interval lies in it.
    pub(super) fn touches(&self, span: &Span) -> bool {
        self.meet(&Region::of_span(span)).has_points()
    }

    /// Whether it ends on both sides and both ends lie in the interval.
    pub(super) fn lies_in(&self, span: &Span) -> bool {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => span.low <= low.at && high.at <= span.high,
            _ => false,
        }
    }
}

/// The day before or after. Days are small whole numbers, so this is exact.
fn neighbour(day: &Decimal, step: i64) -> Option<Decimal> {
    let day: i64 = day.to_string().parse().ok()?;
    Some(Decimal::from_i64(day.checked_add(step)?))
}
