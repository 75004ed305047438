//! What an application would prepare for a peer that knows no taxonomies: numbers
//! for the values such that what lies at or below one is a few intervals, and how
//! many instances there are below each.

use crate::bench::BenchError;
use crate::bench::taxa::Edges;
use std::path::Path;

/// A taxonomy prepared for interval queries.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    /// By value: its place in the preorder of the tree that first parents span.
    pub place: Vec<u32>,
    /// By value: the places at or below it, as disjoint ranges, ends included.
    pub ranges: Vec<Vec<(u32, u32)>>,
}

impl Intervals {
    /// Numbers the values of a taxonomy.
    ///
    /// # Errors
    /// If its edges have a cycle.
    pub fn new(edges: &Edges, name: &str) -> Result<Intervals, BenchError> {
        let order = from_above(edges).ok_or_else(|| BenchError::BadFile {
            path: Path::new(&format!("{name}_edges.csv")).to_owned(),
            reason: "the edges have a cycle".to_owned(),
        })?;
        let place = preorder(edges);
        let below = edges.below();
        let mut ranges: Vec<Vec<(u32, u32)>> = vec![Vec::new(); edges.values];
        for value in order.into_iter().rev() {
            let of = |value: u32| place.get(value as usize).copied().unwrap_or(0);
            let mut all = vec![(of(value), of(value))];
            for child in below.get(value as usize).into_iter().flatten() {
                all.extend(ranges.get(*child as usize).into_iter().flatten());
            }
            if let Some(ranges) = ranges.get_mut(value as usize) {
                *ranges = merged(all);
            }
        }
        Ok(Intervals { place, ranges })
    }

    /// By value: how many of some values lie at or below it.
    pub fn totals(&self, values: impl Iterator<Item = u32>) -> Vec<u64> {
        let mut at = vec![0u64; self.place.len() + 1];
        for value in values {
            let place = self.place.get(value as usize);
            if let Some(count) = place.and_then(|place| at.get_mut(*place as usize + 1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut at {
            sum += *count;
            *count = sum;
        }
        let before = |place: u32| at.get(place as usize).copied().unwrap_or(sum);
        let ranges = self.ranges.iter();
        ranges
            .map(|ranges| ranges.iter().map(|(a, b)| before(b + 1) - before(*a)).sum())
            .collect()
    }
}

/// All values, parents before children; none if there is a cycle.
fn from_above(edges: &Edges) -> Option<Vec<u32>> {
    let mut waiting: Vec<usize> = edges.above().iter().map(Vec::len).collect();
    let below = edges.below();
    let roots = (0u32..).zip(&waiting).filter(|(_, parents)| **parents == 0);
    let mut order: Vec<u32> = roots.map(|(value, _)| value).collect();
    let mut next = 0;
    while let Some(value) = order.get(next).copied() {
        next += 1;
        for child in below.get(value as usize).into_iter().flatten() {
            let parents = waiting.get_mut(*child as usize)?;
            *parents -= 1;
            if *parents == 0 {
                order.push(*child);
            }
        }
    }
    (order.len() == edges.values).then_some(order)
}

/// By value: its place, depth first, when each hangs below its first parent only.
fn preorder(edges: &Edges) -> Vec<u32> {
    let above = edges.above();
    let mut below = vec![Vec::new(); edges.values];
    let mut open = Vec::new();
    for (value, parents) in (0u32..).zip(&above) {
        match parents.first() {
            Some(parent) => below
                .get_mut(*parent as usize)
                .into_iter()
                .for_each(|below: &mut Vec<u32>| below.push(value)),
            None => open.push(value),
        }
    }
    open.reverse();
    let mut place = vec![0; edges.values];
    let mut next = 0;
    while let Some(value) = open.pop() {
        if let Some(place) = place.get_mut(value as usize) {
            *place = next;
        }
        next += 1;
        open.extend(below.get(value as usize).into_iter().flatten().rev());
    }
    place
}

/// Ranges without overlaps and without neighbours that touch.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (a, b) in ranges {
        match all.last_mut() {
            Some(last) if a <= last.1.saturating_add(1) => last.1 = last.1.max(b),
            _ => all.push((a, b)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 above 1 and 2; 3 below both of these; 4 alone.
    fn diamond() -> Edges {
        Edges {
            values: 5,
            edges: vec![(1, 0), (2, 0), (3, 1), (3, 2)],
        }
    }

    #[test]
    fn ranges_hold_what_lies_below_and_nothing_else() {
        let intervals = Intervals::new(&diamond(), "t").unwrap();
        let values = |of: usize| -> Vec<u32> {
            let within = |place: u32| {
                intervals.ranges[of]
                    .iter()
                    .any(|r| (r.0..=r.1).contains(&place))
            };
            (0..5)
                .filter(|v| within(intervals.place[*v as usize]))
                .collect()
        };
        assert_eq!(values(0), [0, 1, 2, 3]);
        assert_eq!(values(1), [1, 3]);
        assert_eq!(values(2), [2, 3]);
        assert_eq!(values(3), [3]);
        assert_eq!(values(4), [4]);
        assert_eq!(intervals.totals([3, 3, 2, 4].into_iter()), [3, 2, 3, 2, 1]);
    }

    #[test]
    fn a_cycle_is_refused() {
        let edges = Edges {
            values: 2,
            edges: vec![(0, 1), (1, 0)],
        };
        assert!(Intervals::new(&edges, "t").is_err());
    }
}
