//! From the numbers that things have in the base to those that they have now.
#![deny(clippy::indexing_slicing)]

use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// Where something that has a number now comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lattice) enum Origin {
    /// The base, with this number there.
    Base(u32),
    /// What was added, in the order of the present numbers.
    Added(u32),
}

/// What has been added to a sorted list and taken out of it. Both lists are short;
/// numbers are translated in the logarithm of their lengths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lattice) struct Renumbering {
    /// How many there are in the base.
    base: u32,
    /// For each element that was added, before which number of the base it stands.
    before: Vec<u32>,
    /// For each element that was added, its present number.
    added: Vec<u32>,
    /// The numbers of the base that are gone.
    removed: Vec<u32>,
    /// For each that is gone, how many of those that stay stand before it.
    kept_before: Vec<u32>,
}

impl Renumbering {
    /// From how many there are in the base, before which of them each new element
    /// stands (ascending), and which are gone.
    pub(super) fn new(base: u32, before: Vec<u32>, removed: &BTreeSet<u32>) -> Renumbering {
        let removed: Vec<u32> = removed.iter().copied().collect();
        let gone_before = |b: u32| removed.partition_point(|&gone| gone < b) as u32;
        let added = (0u32..).zip(&before);
        let added = added.map(|(k, &b)| b - gone_before(b) + k).collect();
        let kept_before = (0u32..).zip(&removed).map(|(k, &gone)| gone - k).collect();
        Renumbering {
            base,
            before,
            added,
            removed,
            kept_before,
        }
    }

    /// Whether every number is what it was.
    #[inline]
    pub(in crate::lattice) fn is_identity(&self) -> bool {
        self.before.is_empty() && self.removed.is_empty()
    }

    /// How many there are in the base.
    pub(super) fn base_len(&self) -> u32 {
        self.base
    }

    /// How many there are now.
    pub(in crate::lattice) fn len(&self) -> u32 {
        self.base + self.before.len() as u32 - self.removed.len() as u32
    }

    /// The present number of one of the base; none if it is gone.
    #[inline]
    pub(in crate::lattice) fn present(&self, base: u32) -> Option<u32> {
        if self.is_identity() {
            return Some(base);
        }
        let gone = self.removed.partition_point(|&gone| gone < base);
        if self.removed.get(gone) == Some(&base) {
            return None;
        }
        let before = self.before.partition_point(|&b| b <= base);
        Some(base - gone as u32 + before as u32)
    }

    /// The number in the base from which on everything stands at or behind a present
    /// number.
    pub(super) fn base_from(&self, present: u32) -> u32 {
        match self.origin(present) {
            Origin::Base(base) => base,
            Origin::Added(k) => self.before.get(k as usize).copied().unwrap_or(self.base),
        }
    }

    /// The number in the base from which on everything stands behind a present number.
    pub(super) fn base_after(&self, present: u32) -> u32 {
        match self.origin(present) {
            Origin::Base(base) => base + 1,
            Origin::Added(k) => self.before.get(k as usize).copied().unwrap_or(self.base),
        }
    }

    /// The present number of the `k`th that was added.
    pub(in crate::lattice) fn of_added(&self, k: u32) -> Option<u32> {
        self.added.get(k as usize).copied()
    }

    /// Where the one with a present number comes from.
    #[inline]
    pub(in crate::lattice) fn origin(&self, present: u32) -> Origin {
        if self.is_identity() {
            return Origin::Base(present);
        }
        let before = self.added.partition_point(|&added| added < present);
        if self.added.get(before) == Some(&present) {
            return Origin::Added(before as u32);
        }
        let kept = present - before as u32;
        let gone = self.kept_before.partition_point(|&before| before <= kept);
        Origin::Base(kept + gone as u32)
    }

    /// The number in the base of one that comes from there.
    #[inline]
    pub(in crate::lattice) fn base(&self, present: u32) -> Option<u32> {
        match self.origin(present) {
            Origin::Base(base) => Some(base),
            Origin::Added(_) => None,
        }
    }

    /// The present numbers of a set of the base, without those that are gone.
    pub(in crate::lattice) fn present_set(&self, set: RoaringBitmap) -> RoaringBitmap {
        if self.is_identity() {
            return set;
        }
        // One walk along both lists, since the set comes in order.
        let (mut gone, mut before) = (0, 0);
        let present = set.into_iter().filter_map(|b| {
            while self.removed.get(gone).is_some_and(|&removed| removed < b) {
                gone += 1;
            }
            while self.before.get(before).is_some_and(|&at| at <= b) {
                before += 1;
            }
            let stays = self.removed.get(gone) != Some(&b);
            stays.then_some(b - gone as u32 + before as u32)
        });
        RoaringBitmap::from_sorted_iter(present).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_there_and_back(
            base in 0u32..40,
            before in prop::collection::vec(0u32..=40, 0..8),
            removed in prop::collection::btree_set(0u32..40, 0..8),
        ) {
            let mut before: Vec<u32> = before.into_iter().map(|b| b.min(base)).collect();
            before.sort_unstable();
            let removed: BTreeSet<u32> = removed.into_iter().filter(|&r| r < base).collect();
            let renumbering = Renumbering::new(base, before.clone(), &removed);
            // As it would be by writing the list down.
            let mut list = Vec::new();
            for b in 0..=base {
                for (k, _) in (0u32..).zip(&before).filter(|(_, at)| **at == b) {
                    list.push(Origin::Added(k));
                }
                if b < base && !removed.contains(&b) {
                    list.push(Origin::Base(b));
                }
            }
            prop_assert_eq!(renumbering.len() as usize, list.len());
            for (present, origin) in (0u32..).zip(&list) {
                prop_assert_eq!(renumbering.origin(present), *origin);
                match *origin {
                    Origin::Base(b) => prop_assert_eq!(renumbering.present(b), Some(present)),
                    Origin::Added(k) => prop_assert_eq!(renumbering.of_added(k), Some(present)),
                }
            }
            for gone in &removed {
                prop_assert_eq!(renumbering.present(*gone), None);
            }
            let all: RoaringBitmap = (0..base).collect();
            let kept = list.iter().zip(0u32..).filter(|(o, _)| matches!(o, Origin::Base(_)));
            let kept: RoaringBitmap = kept.map(|(_, present)| present).collect();
            prop_assert_eq!(renumbering.present_set(all), kept);
        }
    }
}
