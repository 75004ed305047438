//! The instances that have a value that passes a test: from postings, or by looking
//! at each of a few candidates.

use super::RunError;
use super::coordinate::Scale;
use super::order::{Edges, Order};
use super::run::Run;
use super::step::{Alternative, StepTest};
use crate::lattice::{DimensionId, InstanceId, ValueId};
use crate::plan::{NumberRegion, Region};
use roaring::RoaringBitmap;
use std::ops::Range;

/// A look at one instance costs as much as reading so many from a posting.
const LOOK: u64 = 24;
/// Candidates are looked at one by one for at most so many alternatives.
const FEW_ALTERNATIVES: usize = 4;

impl<'l> Run<'l> {
    /// The instances with a recorded value, counting at the confidence, that makes the
    /// test certain, whatever else is recorded of them.
    pub(super) fn having(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        if !test.wanted.decided {
            return Ok(RoaringBitmap::new());
        }
        if let Some(candidates) = within
            && self.is_cheaper_to_look(test, d, candidates)
        {
            return self.looked_at(test, d, candidates);
        }
        let relation = self.lattice.positive(d);
        let mut found = match test.confidence <= relation.least_confidence() {
            true => self.read_postings(test, d)?,
            false => self.counting(test, d)?,
        };
        if let Some(within) = within {
            found &= within;
        }
        Ok(found)
    }

    fn read_postings(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
    ) -> Result<RoaringBitmap, RunError> {
        let relation = self.lattice.positive(d);
        let mut found = RoaringBitmap::new();
        for alternative in &test.wanted.certain {
            self.meter.tick()?;
            match (&test.scale, alternative) {
                (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                    match (order.as_ref(), strict) {
                        (Order::Flat, true) => {}
                        (Order::Flat, false) => {
                            relation.holders(ValueId(*node)).add_to(&mut found);
                        }
                        (Order::Dag(dag), strict) => {
                            relation.add_below(dag, *node, *strict, &mut found);
                        }
                        (Order::Within(_), strict) => {
                            for value in &order.lower(*node, *strict, Edges::Certain) {
                                self.meter.tick()?;
                                relation.holders(ValueId(value)).add_to(&mut found);
                            }
                        }
                    }
                }
                (_, Alternative::Region(_)) => {
                    for range in self.places(test, d, alternative) {
                        self.meter.tick()?;
                        relation.add_range(range, &mut found);
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// The same where not every predicate counts.
    fn counting(&self, test: &StepTest<'l>, d: DimensionId) -> Result<RoaringBitmap, RunError> {
        let relation = self.lattice.positive(d);
        let values = test.satisfying(relation.distinct_values());
        let mut found = RoaringBitmap::new();
        for value in &values {
            self.meter.tick()?;
            let holders = relation.holders(ValueId(value)).to_vec().into_iter();
            found.extend(holders.filter(|&x| {
                let row = relation.of(InstanceId(x));
                let predicate = row.find(ValueId(value));
                predicate.is_some_and(|p| relation.confidence(p) >= test.confidence)
            }));
        }
        Ok(found)
    }

    fn is_cheaper_to_look(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        candidates: &RoaringBitmap,
    ) -> bool {
        let walks = matches!(&test.scale, Scale::Ordered(order) if matches!(order.as_ref(), Order::Within(_)));
        if walks || test.wanted.certain.len() > FEW_ALTERNATIVES {
            return false;
        }
        let read: u64 = test
            .wanted
            .certain
            .iter()
            .map(|alternative| self.about(test, d, alternative))
            .sum();
        candidates.len().saturating_mul(LOOK) < read
    }

    /// About how many instances one alternative has.
    fn about(&self, test: &StepTest<'l>, d: DimensionId, alternative: &Alternative) -> u64 {
        let relation = self.lattice.positive(d);
        match (&test.scale, alternative) {
            (Scale::Ordered(order), Alternative::Node { node, .. }) => match order.as_ref() {
                Order::Dag(dag) => relation.estimate_below(dag, *node),
                _ => relation.holder_count(ValueId(*node)),
            },
            (_, Alternative::Region(_)) => {
                let ranges = self.places(test, d, alternative).into_iter();
                ranges.map(|range| relation.estimate_range(range)).sum()
            }
            _ => 0,
        }
    }

    fn looked_at(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        candidates: &RoaringBitmap,
    ) -> Result<RoaringBitmap, RunError> {
        let relation = self.lattice.positive(d);
        let counts = test.confidence <= relation.least_confidence();
        // Of a scale the values that pass are one range or a few.
        let values = relation.distinct_values();
        let passing: Vec<Vec<Range<u32>>> = test
            .wanted
            .certain
            .iter()
            .map(|alternative| {
                let ranges = self.places(test, d, alternative).into_iter();
                ranges
                    .filter_map(|places| value_range(values, &places))
                    .collect()
            })
            .collect();
        let passes = |value: u32| {
            test.wanted.certain.iter().zip(&passing).any(
                |(alternative, ranges)| match alternative {
                    Alternative::Node { .. } => test.satisfies(value, alternative),
                    Alternative::Region(_) => ranges.iter().any(|range| range.contains(&value)),
                },
            )
        };
        let mut found = Vec::new();
        for x in candidates {
            self.meter.tick()?;
            let row = relation.of(InstanceId(x));
            let has = row.values().iter().enumerate().any(|(k, &value)| {
                passes(value)
                    && (counts || relation.confidence(row.predicate(k)) >= test.confidence)
            });
            if has {
                found.push(x);
            }
        }
        Ok(RoaringBitmap::from_sorted_iter(found).unwrap_or_default())
    }

    /// The recorded values that lie in a region, as ranges of places among them.
    pub(super) fn places(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        alternative: &Alternative,
    ) -> Vec<Range<usize>> {
        let recorded = self.lattice.positive(d).distinct_values();
        let whole = match (&test.scale, alternative) {
            (Scale::Numbers(list), Alternative::Region(Region::Number(region)))
                if self.lattice.are_points(d) && region.factor.is_none() =>
            {
                let start = list.partition_point(|n| !reaches(region, n));
                let end = list.partition_point(|n| !exceeds(region, n));
                Some(start..end.max(start))
            }
            (Scale::Dates(list), Alternative::Region(Region::Date(region)))
                if self.lattice.are_points(d) =>
            {
                let first = |first: i64| {
                    move |date: &crate::lattice::DateInterval| i64::from(date.first) < first
                };
                let start = region.first.map_or(0, |at| list.partition_point(first(at)));
                let end = region.last.map_or(list.len(), |at| {
                    list.partition_point(first(at.saturating_add(1)))
                });
                Some(start..end.max(start))
            }
            _ => None,
        };
        if let Some(values) = whole {
            let place = |value: usize| recorded.partition_point(|&v| (v as usize) < value);
            let range = place(values.start)..place(values.end);
            return if range.is_empty() {
                Vec::new()
            } else {
                vec![range]
            };
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (place, &value) in recorded.iter().enumerate() {
            if !test.satisfies(value, alternative) {
                continue;
            }
            match ranges.last_mut() {
                Some(range) if range.end == place => range.end = place + 1,
                _ => ranges.push(place..place + 1),
            }
        }
        ranges
    }
}

/// The numbers of the values at a range of places.
fn value_range(values: &[u32], places: &Range<usize>) -> Option<Range<u32>> {
    let last = places.end.checked_sub(1)?;
    // What lies between two recorded values and is not recorded is never met.
    Some(*values.get(places.start)?..values.get(last)?.checked_add(1)?)
}

/// Whether a number is not below a region.
fn reaches(region: &NumberRegion, number: &crate::lattice::NumberInterval) -> bool {
    match &region.low {
        None => true,
        Some((end, true)) => number.low >= *end,
        Some((end, false)) => number.low > *end,
    }
}

/// Whether a number is above a region.
fn exceeds(region: &NumberRegion, number: &crate::lattice::NumberInterval) -> bool {
    match &region.high {
        None => false,
        Some((end, true)) => number.low > *end,
        Some((end, false)) => number.low >= *end,
    }
}
