//! Sets of numbers as ascending, disjoint, closed intervals that do not touch.

/// One closed interval.
pub(super) type Range = (u32, u32);

/// Whether a number lies in one of the intervals.
pub(super) fn contains(set: &[Range], number: u32) -> bool {
    let after = set.partition_point(|&(low, _)| low <= number);
    after > 0 && set[after - 1].1 >= number
}

/// Whether two sets share a number.
pub(super) fn meet(mut a: &[Range], mut b: &[Range]) -> bool {
    while let (Some(&(low_a, high_a)), Some(&(low_b, high_b))) = (a.first(), b.first()) {
        if high_a < low_b {
            a = &a[1..];
        } else if high_b < low_a {
            b = &b[1..];
        } else {
            return true;
        }
    }
    false
}

/// What two sets share.
pub(super) fn intersection(mut a: &[Range], mut b: &[Range]) -> Vec<Range> {
    let mut shared = Vec::new();
    while let (Some(&(low_a, high_a)), Some(&(low_b, high_b))) = (a.first(), b.first()) {
        let (low, high) = (low_a.max(low_b), high_a.min(high_b));
        if low <= high {
            shared.push((low, high));
        }
        if high_a <= high_b {
            a = &a[1..];
        } else {
            b = &b[1..];
        }
    }
    shared
}

/// Sorts any list of intervals and joins those that overlap or touch.
pub(super) fn normalise(all: &mut Vec<Range>) {
    all.sort_unstable();
    all.dedup_by(|next, last| {
        let touches = next.0 <= last.1.saturating_add(1);
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
}

/// Closes the narrowest gaps until at most `limit` intervals (at least one) are
/// left: a set that holds the given one. Says whether it had to.
pub(super) fn coarsen(set: &mut Vec<Range>, limit: usize) -> bool {
    let limit = limit.max(1);
    if set.len() <= limit {
        return false;
    }
    let mut gaps: Vec<(u32, usize)> = (1..set.len())
        .map(|k| (set[k].0 - set[k - 1].1, k))
        .collect();
    gaps.sort_unstable();
    gaps.truncate(set.len() - limit);
    let mut closed = vec![false; set.len()];
    for (_, k) in gaps {
        closed[k] = true;
    }
    let mut k = 0;
    set.dedup_by(|next, last| {
        k += 1;
        if closed[k] {
            last.1 = next.1;
        }
        closed[k]
    });
    true
}

/// How many numbers a set holds.
pub(super) fn count(set: &[Range]) -> u64 {
    set.iter()
        .map(|&(low, high)| u64::from(high - low) + 1)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ranges(numbers: &BTreeSet<u32>) -> Vec<Range> {
        let mut all = numbers.iter().map(|&x| (x, x)).collect();
        normalise(&mut all);
        all
    }

    fn numbers(ranges: &[Range]) -> BTreeSet<u32> {
        ranges.iter().flat_map(|&(low, high)| low..=high).collect()
    }

    proptest! {
        #[test]
        fn intervals_are_sets(
            a in prop::collection::btree_set(0u32..40, 0..30),
            b in prop::collection::btree_set(0u32..40, 0..30),
            limit in 1usize..8,
        ) {
            let (ra, rb) = (ranges(&a), ranges(&b));
            prop_assert_eq!(numbers(&ra), a.clone());
            prop_assert_eq!(count(&ra), a.len() as u64);
            let shared: BTreeSet<u32> = a.intersection(&b).copied().collect();
            prop_assert_eq!(meet(&ra, &rb), !shared.is_empty());
            prop_assert_eq!(numbers(&intersection(&ra, &rb)), shared);
            for x in 0..40 {
                prop_assert_eq!(contains(&ra, x), a.contains(&x));
            }
            let mut wide = ra.clone();
            prop_assert_eq!(coarsen(&mut wide, limit), ra.len() > limit);
            prop_assert!(wide.len() <= limit);
            prop_assert!(numbers(&wide).is_superset(&a));
        }
    }
}
