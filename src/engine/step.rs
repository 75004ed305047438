//! One test of the values of one dimension: for a recorded value, for a
//! coordinate, for all instances at once.

use super::coordinate::{Coordinate, Recorded, Scale, Shape, Side};
use super::order::Edges;
use crate::lattice::{DateInterval, NumberInterval};
use crate::plan::Region;
use roaring::RoaringBitmap;

/// One of several things that a value may be.
#[derive(Clone, Debug)]
pub(super) enum Alternative {
    /// At or (strict) below a node.
    Node { node: u32, strict: bool },
    /// In a region.
    Region(Region),
}

/// What is tested.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Any of these makes it certain.
    pub certain: Vec<Alternative>,
    /// These too must be excluded for it to be excluded.
    pub possible: Vec<Alternative>,
    /// No other alternative can exist; otherwise nothing is excluded.
    pub closed: bool,
    /// Whether anything can be certain; not where a bound is unknown.
    pub decided: bool,
}

impl Wanted {
    /// Exactly these alternatives.
    pub(super) fn exactly(certain: Vec<Alternative>) -> Self {
        Wanted {
            certain,
            possible: Vec::new(),
            closed: true,
            decided: true,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Alternative> {
        self.certain.iter().chain(&self.possible)
    }
}

/// A test on the scale of its dimension.
pub(super) struct StepTest<'l> {
    pub scale: Scale<'l>,
    pub wanted: Wanted,
    pub one: bool,
    pub complete: bool,
    pub confidence: f64,
}

impl StepTest<'_> {
    /// ONE over a closed order: coordinates have sides.
    pub(super) fn has_sides(&self) -> bool {
        self.one && self.scale.is_closed()
    }

    /// Whether a recorded value makes the alternative certain.
    pub(super) fn satisfies(&self, value: u32, alternative: &Alternative) -> bool {
        match (&self.scale, alternative) {
            (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                if *strict {
                    order.lt(value, *node)
                } else {
                    order.le(value, *node)
                }
            }
            (Scale::Numbers(list), Alternative::Region(Region::Number(region))) => list
                .get(value as usize)
                .is_some_and(|interval| region.contains(interval)),
            (Scale::Dates(list), Alternative::Region(Region::Date(region))) => list
                .get(value as usize)
                .is_some_and(|interval| region.contains(interval)),
            _ => false,
        }
    }

    /// Whether the true value could satisfy the alternative if it lies below
    /// all these values (over a closed order).
    fn compatible(&self, values: &[u32], alternative: &Alternative) -> bool {
        match (&self.scale, alternative) {
            (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                let mut lower = order.lower(*node, *strict, Edges::All);
                for &value in values {
                    lower &= order.down(value, Edges::All).as_ref();
                }
                !lower.is_empty()
            }
            (Scale::Numbers(list), Alternative::Region(Region::Number(region))) => {
                number_intersection(list, values).is_some_and(|interval| region.meets(&interval))
            }
            (Scale::Dates(list), Alternative::Region(Region::Date(region))) => {
                date_intersection(list, values).is_some_and(|interval| region.meets(&interval))
            }
            _ => false,
        }
    }

    /// Whether the denial of a value denies the alternative.
    fn denied(&self, value: u32, alternative: &Alternative) -> bool {
        match (&self.scale, alternative) {
            (Scale::Ordered(order), Alternative::Node { node, .. }) => order.le(*node, value),
            (Scale::Numbers(list), Alternative::Region(Region::Number(region))) => list
                .get(value as usize)
                .is_some_and(|interval| region.within(interval)),
            (Scale::Dates(list), Alternative::Region(Region::Date(region))) => list
                .get(value as usize)
                .is_some_and(|interval| region.within(interval)),
            _ => false,
        }
    }

    /// The recorded values that make the test certain.
    pub(super) fn satisfying(&self, recorded: &[u32]) -> RoaringBitmap {
        let mut set = RoaringBitmap::new();
        if !self.wanted.decided {
            return set;
        }
        for alternative in &self.wanted.certain {
            match (&self.scale, alternative) {
                (
                    Scale::Ordered(order),
                    Alternative::Node {
                        node,
                        strict: false,
                    },
                ) if order.is_flat() => {
                    set.insert(*node);
                }
                (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                    set |= order.lower(*node, *strict, Edges::Certain);
                }
                _ => {
                    for &value in recorded {
                        if self.satisfies(value, alternative) {
                            set.insert(value);
                        }
                    }
                }
            }
        }
        set
    }

    /// The recorded values that do not exclude the test (over a closed order).
    pub(super) fn compatible_values(&self, recorded: &[u32]) -> RoaringBitmap {
        let mut set = RoaringBitmap::new();
        for alternative in self.wanted.all() {
            match (&self.scale, alternative) {
                (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                    let lower = order.lower(*node, *strict, Edges::All);
                    set |= order.above_any(&lower);
                }
                _ => {
                    for &value in recorded {
                        if self.compatible(&[value], alternative) {
                            set.insert(value);
                        }
                    }
                }
            }
        }
        set
    }

    /// Whether the test is certain at a coordinate.
    pub(super) fn certain_at(&self, coordinate: &Coordinate) -> bool {
        self.wanted
            .certain
            .iter()
            .any(|alternative| self.certain_alternative(coordinate, alternative))
    }

    /// Whether one alternative is certain at a coordinate.
    pub(super) fn certain_alternative(
        &self,
        coordinate: &Coordinate,
        alternative: &Alternative,
    ) -> bool {
        if !self.wanted.decided {
            return false;
        }
        match &coordinate.shape {
            Shape::Sides(sides) => sides
                .iter()
                .all(|side| self.side_satisfies(coordinate, side, alternative)),
            Shape::Loose { .. } => coordinate
                .loose_positives(self.confidence)
                .any(|r| self.satisfies(r.value, alternative)),
        }
    }

    fn side_satisfies(&self, c: &Coordinate, side: &Side, alternative: &Alternative) -> bool {
        match &self.scale {
            Scale::Ordered(_) => c
                .counting(side, self.confidence)
                .any(|r| self.satisfies(r.value, alternative)),
            _ => {
                let values: Vec<u32> = c.counting(side, self.confidence).map(|r| r.value).collect();
                self.interval_satisfies(&values, alternative)
            }
        }
    }

    /// Whether the intersection of recorded intervals lies in the region.
    fn interval_satisfies(&self, values: &[u32], alternative: &Alternative) -> bool {
        match (&self.scale, alternative) {
            (Scale::Numbers(list), Alternative::Region(Region::Number(region))) => {
                number_intersection(list, values).is_some_and(|interval| region.contains(&interval))
            }
            (Scale::Dates(list), Alternative::Region(Region::Date(region))) => {
                date_intersection(list, values).is_some_and(|interval| region.contains(&interval))
            }
            _ => false,
        }
    }

    /// Whether the test is excluded at a coordinate.
    pub(super) fn excluded_at(&self, coordinate: &Coordinate) -> bool {
        self.wanted.closed
            && self
                .wanted
                .all()
                .all(|alternative| self.excluded_alternative(coordinate, alternative))
    }

    /// Whether one alternative is excluded at a coordinate.
    pub(super) fn excluded_alternative(
        &self,
        coordinate: &Coordinate,
        alternative: &Alternative,
    ) -> bool {
        if coordinate.positives.is_empty() && self.complete {
            return true;
        }
        match &coordinate.shape {
            Shape::Sides(sides) => sides
                .iter()
                .all(|side| self.side_excludes(coordinate, side, alternative).is_some()),
            Shape::Loose { .. } => {
                self.denying(coordinate, alternative).is_some()
                    || (self.complete
                        && self.scale.is_closed()
                        && !coordinate
                            .positives
                            .iter()
                            .any(|r| self.compatible(&[r.value], alternative)))
            }
        }
    }

    /// The first uncontested negative that denies an alternative.
    pub(super) fn denying<'c>(
        &self,
        coordinate: &'c Coordinate,
        alternative: &Alternative,
    ) -> Option<&'c Recorded> {
        coordinate
            .loose_negatives(self.confidence)
            .find(|r| self.denied(r.value, alternative))
    }

    /// What of a side excludes an alternative: its first negative that does,
    /// else all its positives that count; `None` if it does not.
    pub(super) fn side_excludes<'c>(
        &self,
        coordinate: &'c Coordinate,
        side: &'c Side,
        alternative: &Alternative,
    ) -> Option<Excluding<'c>> {
        if let Some(negative) = coordinate
            .denying(side, self.confidence)
            .find(|r| self.denied(r.value, alternative))
        {
            return Some(Excluding::Negative(negative));
        }
        let positives: Vec<&Recorded> = coordinate.counting(side, self.confidence).collect();
        let values: Vec<u32> = positives.iter().map(|r| r.value).collect();
        (!values.is_empty() && !self.compatible(&values, alternative))
            .then_some(Excluding::Positives(positives))
    }
}

/// What of a side excludes a test.
pub(super) enum Excluding<'c> {
    Negative(&'c Recorded),
    Positives(Vec<&'c Recorded>),
}

/// The intersection of some intervals; `None` if there are none or no point.
pub(super) fn number_intersection(
    list: &[NumberInterval],
    values: &[u32],
) -> Option<NumberInterval> {
    let mut intervals = values.iter().filter_map(|&v| list.get(v as usize));
    let first = intervals.next()?.clone();
    intervals.try_fold(first, |a, b| a.intersect(b))
}

/// The intersection of some intervals; `None` if there are none or no day.
pub(super) fn date_intersection(list: &[DateInterval], values: &[u32]) -> Option<DateInterval> {
    let mut intervals = values.iter().filter_map(|&v| list.get(v as usize));
    let first = *intervals.next()?;
    intervals.try_fold(first, |a, b| a.intersect(b))
}
