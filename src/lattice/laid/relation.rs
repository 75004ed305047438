//! The predicates of one dimension and polarity as they are now: those of the base,
//! with what has changed laid over them.
#![deny(clippy::indexing_slicing)]

use super::renumber::{Origin, Renumbering};
use super::rows::Rows;
use crate::lattice::posting::Posting;
use crate::lattice::relation::{Row, Stored};
use crate::lattice::{EvidenceId, Gathering, InstanceId, PredicateId, ValueId};
use crate::order::Dag;
use roaring::RoaringBitmap;
use std::ops::Range;

/// The predicates of one dimension and polarity, by instance and by value. It borrows
/// the lattice and is cheap to copy.
#[derive(Clone, Copy)]
pub struct Relation<'a> {
    stored: Stored<'a>,
    /// None where nothing has changed, not even a number.
    laid: Option<Laid<'a>>,
}

/// What lies over a stored relation.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct Laid<'a> {
    pub(super) rows: &'a Rows,
    pub(super) instances: &'a Renumbering,
    pub(super) values: &'a Renumbering,
    pub(super) evidence: &'a Renumbering,
    /// The order of the base, where that has other numbers.
    pub(super) dag: Option<&'a Dag>,
}

impl Laid<'_> {
    fn is_nothing(&self) -> bool {
        self.rows.touched.is_empty()
            && self.rows.hidden == (0, 0)
            && self.instances.is_identity()
            && self.values.is_identity()
            && self.evidence.is_identity()
    }

    /// The order and the node of the base for those of now; none if the base has no such
    /// node.
    fn in_base<'d>(&'d self, dag: &'d Dag, node: u32) -> Option<(&'d Dag, u32)> {
        match self.dag {
            None => Some((dag, node)),
            Some(dag) => Some((dag, self.values.base(node)?)),
        }
    }

    /// A set of the base by its present numbers, without those whose row has changed.
    fn kept(&self, set: RoaringBitmap) -> RoaringBitmap {
        let mut set = self.instances.present_set(set);
        set -= &self.rows.touched;
        set
    }
}

impl<'a> Relation<'a> {
    pub(in crate::lattice) fn new(stored: Stored<'a>, laid: Option<Laid<'a>>) -> Relation<'a> {
        let laid = laid.filter(|laid| !laid.is_nothing());
        Relation { stored, laid }
    }

    /// The number of instances with at least one predicate.
    pub fn subject_count(&self) -> usize {
        let stored = self.stored.subject_count();
        match self.laid {
            None => stored,
            Some(laid) => stored.saturating_sub(laid.rows.hidden.1) + laid.rows.filled,
        }
    }

    /// The instances with at least one predicate, ascending, each with its row.
    pub fn rows(&self) -> impl Iterator<Item = (InstanceId, Row<'a>)> + use<'a> {
        let relation = *self;
        let mut stored = self.stored.rows().filter_map(move |(i, row)| {
            let Some(laid) = relation.laid else {
                return Some((i, row));
            };
            let i = laid.instances.present(i.0)?;
            let kept = !laid.rows.touched.contains(i);
            kept.then(|| (InstanceId(i), row.renumbered(laid.values)))
        });
        let changed: &[u32] = relation.laid.map_or(&[], |laid| laid.rows.subjects());
        let mut changed = changed.iter().filter_map(move |&i| {
            let row = relation.of(InstanceId(i));
            (!row.is_empty()).then_some((InstanceId(i), row))
        });
        let (mut next, mut next_changed) = (stored.next(), changed.next());
        std::iter::from_fn(move || {
            let from_changed = match (&next, &next_changed) {
                (Some((a, _)), Some((b, _))) => b < a,
                (None, Some(_)) => true,
                _ => false,
            };
            match from_changed {
                true => std::mem::replace(&mut next_changed, changed.next()),
                false => std::mem::replace(&mut next, stored.next()),
            }
        })
    }

    /// The instances with at least one predicate.
    pub fn subjects(&self) -> RoaringBitmap {
        let stored = self.stored.subjects();
        let Some(laid) = self.laid else {
            return stored;
        };
        let mut set = laid.kept(stored);
        let changed = laid.rows.by_value();
        changed.for_each(|(_, subjects)| set.extend(subjects.iter().copied()));
        set
    }

    /// The row of an instance; empty if nothing is recorded.
    #[inline]
    pub fn of(&self, i: InstanceId) -> Row<'a> {
        let Some(laid) = self.laid else {
            return self.stored.of(i);
        };
        if let Some((values, first)) = laid.rows.of(i.0) {
            let split = self.stored.predicate_space();
            return Row::new(values, split.saturating_add(first));
        }
        match laid.instances.origin(i.0) {
            Origin::Base(base) => self.stored.of(InstanceId(base)).renumbered(laid.values),
            Origin::Added(_) => Row::EMPTY,
        }
    }

    /// The instances of which exactly this value is recorded.
    pub fn holders(&self, v: ValueId) -> Posting<'a> {
        let Some(laid) = self.laid else {
            return self.stored.holders(v);
        };
        let base = laid.values.base(v.0);
        let stored = base.map_or(Posting::List(&[]), |v| self.stored.holders(ValueId(v)));
        let changed = laid.rows.holders(v.0);
        if changed.is_empty() && laid.instances.is_identity() && laid.rows.touched.is_empty() {
            return stored;
        }
        let mut set = laid.kept(stored.to_set());
        set.extend(changed.iter().copied());
        Posting::Set(set)
    }

    /// How many instances have exactly this value.
    pub fn holder_count(&self, v: ValueId) -> u64 {
        match self.laid {
            None => self.stored.holder_count(v),
            Some(_) => self.holders(v).len() as u64,
        }
    }

    /// The distinct values, ascending.
    pub fn distinct_values(&self) -> &'a [u32] {
        let Some(laid) = self.laid else {
            return self.stored.distinct_values();
        };
        laid.rows.keys.get_or_init(|| {
            // Those of hidden rows may have nobody left.
            let stored = self.stored.distinct_values().iter();
            let present = stored.filter_map(|&v| laid.values.present(v));
            let mut all: Vec<u32> = present.collect();
            all.extend(laid.rows.by_value().map(|(v, _)| v));
            all.sort_unstable();
            all.dedup();
            if laid.rows.hidden.0 > 0 {
                all.retain(|&v| self.is_held(laid, v));
            }
            all
        })
    }

    /// Whether some instance has a value. Most values have more holders than rows are
    /// hidden.
    fn is_held(&self, laid: Laid<'a>, v: u32) -> bool {
        if !laid.rows.holders(v).is_empty() {
            return true;
        }
        let base = laid.values.base(v);
        let count = base.map_or(0, |v| self.stored.holder_count(ValueId(v)));
        count > laid.rows.hidden.1 as u64 || !self.holders(ValueId(v)).is_empty()
    }

    /// Adds the candidates with a value that passes, in their order.
    pub fn holding(&self, candidates: &[u32], passes: impl Fn(u32) -> bool, found: &mut Vec<u32>) {
        if self.laid.is_none() {
            return self.stored.holding(candidates, passes, found);
        }
        let has = |x: &&u32| {
            let row = self.of(InstanceId(**x));
            row.values().iter().any(|v| passes(*v))
        };
        found.extend(candidates.iter().filter(has));
    }

    /// Gathers the instances of which exactly one of these values is recorded, which
    /// come in ascending order.
    pub fn gather_holders(
        &self,
        values: impl IntoIterator<Item = u32>,
        gathering: &mut Gathering<'a>,
    ) {
        match self.laid {
            None => self.stored.gather_holders(values, gathering),
            Some(_) => values
                .into_iter()
                .for_each(|v| gathering.add(self.holders(ValueId(v)))),
        }
    }

    /// Gathers the instances with a value at or below a node of the taxonomy that the
    /// dimension's values are of; or strictly below it.
    pub fn gather_below(&self, dag: &Dag, node: u32, strict: bool, gathering: &mut Gathering<'a>) {
        let Some(laid) = self.laid else {
            return self.stored.gather_below(dag, node, strict, gathering);
        };
        if let Some((dag, node)) = laid.in_base(dag, node) {
            let mut stored = Gathering::among(laid.instances.base_len());
            self.stored.gather_below(dag, node, strict, &mut stored);
            gathering.add(Posting::Set(laid.kept(stored.into_set())));
        }
        for (v, subjects) in laid.rows.by_value() {
            let below = if v == node { !strict } else { dag.le(v, node) };
            if below {
                gathering.add(Posting::List(subjects));
            }
        }
    }

    /// About how many instances have a value at or below a node.
    pub fn estimate_below(&self, dag: &Dag, node: u32) -> u64 {
        let Some(laid) = self.laid else {
            return self.stored.estimate_below(dag, node);
        };
        let base = laid.in_base(dag, node);
        base.map_or(0, |(dag, node)| self.stored.estimate_below(dag, node))
    }

    /// Gathers the instances with one of some values of a scale, which are given as a
    /// range of places in [`Relation::distinct_values`].
    pub fn gather_range(&self, places: Range<usize>, gathering: &mut Gathering<'a>) {
        let Some(laid) = self.laid else {
            return self.stored.gather_range(places, gathering);
        };
        let values = self.distinct_values().get(places).unwrap_or(&[]);
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
            return;
        };
        // Those of the base between the same two values.
        let keys = self.stored.distinct_values();
        let (low, high) = (laid.values.base_from(first), laid.values.base_after(last));
        let start = keys.partition_point(|&key| key < low);
        let end = keys.partition_point(|&key| key < high);
        let mut stored = Gathering::among(laid.instances.base_len());
        self.stored.gather_range(start..end.max(start), &mut stored);
        gathering.add(Posting::Set(laid.kept(stored.into_set())));
        let changed = laid.rows.by_value();
        for (_, subjects) in changed.filter(|(v, _)| (first..=last).contains(v)) {
            gathering.add(Posting::List(subjects));
        }
    }

    /// About how many instances have one of some values of a scale.
    pub fn estimate_range(&self, places: Range<usize>) -> u64 {
        self.stored.estimate_range(places)
    }

    /// The instances with two or more distinct values.
    pub fn multiple(&self) -> RoaringBitmap {
        let stored = self.stored.multiple();
        match self.laid {
            None => stored,
            Some(laid) => laid.kept(stored) | &laid.rows.multiple,
        }
    }

    /// Whether some instance has two or more distinct values.
    pub fn has_multiple(&self) -> bool {
        match self.laid {
            None => self.stored.has_multiple(),
            Some(_) => !self.multiple().is_empty(),
        }
    }

    /// A confidence that every predicate has at least: the least of any, as long as no
    /// predicate of the base has gone.
    pub fn least_confidence(&self) -> f64 {
        let stored = self.stored.least_confidence();
        self.laid
            .map_or(stored, |laid| stored.min(laid.rows.least_confidence()))
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        let stored = self.stored.len();
        match self.laid {
            None => stored,
            Some(laid) => stored.saturating_sub(laid.rows.hidden.0) + laid.rows.predicates(),
        }
    }

    /// Whether there is no predicate.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The changed rows and the number of a predicate among them.
    fn changed(&self, p: PredicateId) -> Option<(Laid<'a>, u32)> {
        let laid = self.laid?;
        let at = p.0.checked_sub(self.stored.predicate_space())?;
        Some((laid, at))
    }

    /// The instance that a predicate is about.
    pub fn subject(&self, p: PredicateId) -> Option<InstanceId> {
        if let Some((laid, at)) = self.changed(p) {
            return laid.rows.subject(at).map(InstanceId);
        }
        let base = self.stored.subject(p)?;
        match self.laid {
            None => Some(base),
            Some(laid) => laid.instances.present(base.0).map(InstanceId),
        }
    }

    /// The value that a predicate gives.
    pub fn value(&self, p: PredicateId) -> Option<ValueId> {
        if let Some((laid, at)) = self.changed(p) {
            return laid.rows.value(at).map(ValueId);
        }
        let base = self.stored.value(p)?;
        match self.laid {
            None => Some(base),
            Some(laid) => laid.values.present(base.0).map(ValueId),
        }
    }

    /// The confidence of a predicate, from 0 to 1: the greatest of its sources'.
    pub fn confidence(&self, p: PredicateId) -> f64 {
        match self.changed(p) {
            Some((laid, at)) => {
                let sources = laid.rows.sources(at).iter();
                sources.map(|(_, sure)| *sure).fold(0.0, f64::max)
            }
            None => self.stored.confidence(p),
        }
    }

    /// The sources of a predicate, ascending, with the confidence of each.
    pub fn sources(&self, p: PredicateId) -> Vec<(EvidenceId, f64)> {
        if let Some((laid, at)) = self.changed(p) {
            let sources = laid.rows.sources(at).iter();
            return sources.map(|&(e, sure)| (EvidenceId(e), sure)).collect();
        }
        let stored = self.stored.sources(p);
        let Some(laid) = self.laid else {
            return stored;
        };
        let present = stored.into_iter().filter_map(|(e, sure)| {
            let e = laid.evidence.present(e.0)?;
            Some((EvidenceId(e), sure))
        });
        present.collect()
    }
}
