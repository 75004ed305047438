//! The instances that have a value that passes a test: from postings, or by looking
//! at each of a few candidates.

use super::RunError;
use super::coordinate::Scale;
use super::order::{Edges, Order};
use super::run::Run;
use super::step::{Alternative, StepTest};
use crate::lattice::blocks::{members, set_of};
use crate::lattice::{DimensionId, Gathering, InstanceId, Posting, ValueId};
use crate::order::DownTest;
use crate::plan::{NumberRegion, Region};
use roaring::RoaringBitmap;
use std::ops::Range;

/// A look at one instance costs as much as reading so many from a posting.
const LOOK: u64 = 8;
/// So many candidates are looked at before the clock is.
const CHUNK: usize = 1024;
/// Candidates are looked at one by one for at most so many alternatives.
const FEW_ALTERNATIVES: usize = 4;

/// Reading a posting takes no more than looking at the bits of all instances, which are
/// so many at a time.
const BITS: u64 = 32;

/// By alternative: the recorded values that lie in its region, as ranges of places among
/// them; none of a node.
type Places = Vec<Vec<Range<usize>>>;

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
        let alternatives = test.wanted.certain.iter();
        let places: Places = alternatives.map(|a| self.places(test, d, a)).collect();
        if let Some(candidates) = within
            && self.is_cheaper_to_look(test, d, &places, candidates.len())
        {
            let found = self.looked_at(test, d, &places, &members(candidates))?;
            return Ok(set_of(&found));
        }
        let relation = self.lattice.positive(d);
        if test.confidence <= relation.least_confidence() {
            let gathering = self.read_postings(test, d, &places)?;
            return Ok(match within {
                Some(within) => gathering.into_set_of(within),
                None => gathering.into_set(),
            });
        }
        let mut found = self.counting(test, d)?;
        if let Some(within) = within {
            found &= within;
        }
        Ok(found)
    }

    /// The same, of what has been found so far or of all, without making a set of it.
    pub(super) fn narrowed(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        so_far: Option<Gathering<'l>>,
    ) -> Result<Gathering<'l>, RunError> {
        let count = self.lattice.instance_count();
        if !test.wanted.decided {
            return Ok(Gathering::among(count));
        }
        let alternatives = test.wanted.certain.iter();
        let places: Places = alternatives.map(|a| self.places(test, d, a)).collect();
        let Some(candidates) = so_far else {
            return self.gathered(test, d, &places);
        };
        if self.is_cheaper_to_look(test, d, &places, candidates.most() as u64) {
            let candidates = candidates.into_list();
            let found = self.looked_at(test, d, &places, &candidates)?;
            return Ok(Gathering::of_list(count, found));
        }
        Ok(candidates.met(self.gathered(test, d, &places)?))
    }

    fn gathered(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        places: &Places,
    ) -> Result<Gathering<'l>, RunError> {
        if test.confidence <= self.lattice.positive(d).least_confidence() {
            return self.read_postings(test, d, places);
        }
        let mut found = Gathering::among(self.lattice.instance_count());
        found.add(Posting::Set(self.counting(test, d)?));
        Ok(found)
    }

    fn read_postings(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        places: &Places,
    ) -> Result<Gathering<'l>, RunError> {
        let relation = self.lattice.positive(d);
        let mut found = Gathering::among(self.lattice.instance_count());
        for (alternative, places) in test.wanted.certain.iter().zip(places) {
            self.meter.tick()?;
            match (&test.scale, alternative) {
                (Scale::Ordered(order), Alternative::Node { node, strict }) => {
                    match (order.as_ref(), strict) {
                        (Order::Flat, true) => {}
                        (Order::Flat, false) => found.add(relation.holders(ValueId(*node))),
                        (Order::Dag(dag), strict) => {
                            relation.gather_below(dag, *node, *strict, &mut found);
                        }
                        (Order::Within(_), strict) => {
                            for value in &order.lower(*node, *strict, Edges::Certain) {
                                self.meter.tick()?;
                                found.add(relation.holders(ValueId(value)));
                            }
                        }
                    }
                }
                (_, Alternative::Region(_)) => {
                    for range in places {
                        self.meter.tick()?;
                        relation.gather_range(range.clone(), &mut found);
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
        places: &Places,
        candidates: u64,
    ) -> bool {
        let walks = matches!(&test.scale, Scale::Ordered(order) if matches!(order.as_ref(), Order::Within(_)));
        if walks || test.wanted.certain.len() > FEW_ALTERNATIVES {
            return false;
        }
        let bits = u64::from(self.lattice.instance_count()) / BITS;
        let read: u64 = test
            .wanted
            .certain
            .iter()
            .zip(places)
            .map(|(alternative, places)| self.about(test, d, alternative, places).min(bits))
            .sum();
        candidates.saturating_mul(LOOK) < read
    }

    /// About how many instances one alternative has.
    fn about(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        alternative: &Alternative,
        places: &[Range<usize>],
    ) -> u64 {
        let relation = self.lattice.positive(d);
        match (&test.scale, alternative) {
            (Scale::Ordered(order), Alternative::Node { node, .. }) => match order.as_ref() {
                Order::Dag(dag) => relation.estimate_below(dag, *node),
                _ => relation.holder_count(ValueId(*node)),
            },
            (_, Alternative::Region(_)) => {
                let ranges = places.iter().cloned();
                ranges.map(|range| relation.estimate_range(range)).sum()
            }
            _ => 0,
        }
    }

    fn looked_at(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        places: &Places,
        candidates: &[u32],
    ) -> Result<Vec<u32>, RunError> {
        let relation = self.lattice.positive(d);
        let values = relation.distinct_values();
        let alternatives = test.wanted.certain.iter().zip(places);
        let passing: Vec<Passing<'_>> = alternatives
            .map(|(alternative, places)| Passing::of(test, alternative, values, places))
            .collect();
        let passes = |value: u32| passing.iter().any(|one| one.contains(value));
        let mut found = Vec::new();
        for candidates in candidates.chunks(CHUNK) {
            self.meter.check()?;
            if test.confidence > relation.least_confidence() {
                let has = |x: &&u32| {
                    let row = relation.of(InstanceId(**x));
                    let counts = |k| relation.confidence(row.predicate(k)) >= test.confidence;
                    let mut values = row.values().iter().enumerate();
                    values.any(|(k, &value)| passes(value) && counts(k))
                };
                found.extend(candidates.iter().filter(has));
                continue;
            }
            match passing.as_slice() {
                [Passing::Range(range)] => {
                    relation.holding(candidates, |v| range.contains(&v), &mut found);
                }
                [Passing::Below(below)] => {
                    relation.holding(candidates, |v| below.contains(v), &mut found);
                }
                _ => relation.holding(candidates, passes, &mut found),
            }
        }
        Ok(found)
    }

    /// The recorded values that lie in a region, as ranges of places among them; none of
    /// a node.
    fn places(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        alternative: &Alternative,
    ) -> Vec<Range<usize>> {
        if !matches!(alternative, Alternative::Region(_)) {
            return Vec::new();
        }
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

/// Which recorded values pass an alternative.
enum Passing<'t> {
    /// These: of a scale they are one range or a few.
    Range(Range<u32>),
    Ranges(Vec<Range<u32>>),
    /// Those below a node of a taxonomy.
    Below(DownTest<'t>),
    /// Those of which the test says so.
    Tested(&'t StepTest<'t>, &'t Alternative),
}

impl<'t> Passing<'t> {
    fn of(
        test: &'t StepTest<'_>,
        alternative: &'t Alternative,
        values: &[u32],
        places: &[Range<usize>],
    ) -> Passing<'t> {
        match (&test.scale, alternative) {
            (_, Alternative::Region(_)) => {
                let ranges = places
                    .iter()
                    .filter_map(|places| value_range(values, places));
                let mut ranges: Vec<Range<u32>> = ranges.collect();
                match ranges.len() {
                    1 => Passing::Range(ranges.pop().unwrap_or_default()),
                    _ => Passing::Ranges(ranges),
                }
            }
            (
                Scale::Ordered(order),
                Alternative::Node {
                    node,
                    strict: false,
                },
            ) => {
                let below = match order.as_ref() {
                    Order::Flat => return Passing::Range(*node..node.saturating_add(1)),
                    Order::Dag(dag) => dag.down_test(*node),
                    Order::Within(_) => None,
                };
                below.map_or(Passing::Tested(test, alternative), Passing::Below)
            }
            _ => Passing::Tested(test, alternative),
        }
    }

    fn contains(&self, value: u32) -> bool {
        match self {
            Passing::Range(range) => range.contains(&value),
            Passing::Ranges(ranges) => ranges.iter().any(|range| range.contains(&value)),
            Passing::Below(below) => below.contains(value),
            Passing::Tested(test, alternative) => test.satisfies(value, alternative),
        }
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
