//! MEET: inner queries, conflicts, hits, and why there are none.

use super::RunError;
use super::conflict::conflicts;
use super::run::Run;
use super::sets::Evaluated;
use super::truth::Ask;
use crate::plan::{BoundPart, Condition, Conjunct, Meet, QueryId, Test, join_bounds};
use crate::syntax::{print_constraint, print_query};
use crate::verdict::{Ambiguity, Members, Needed, Reason, Who};
use roaring::RoaringBitmap;

/// So many conjuncts are tried in each combination that is asked for; for more the set of
/// each is read once.
const FEW_CONJUNCTS: usize = 4;

impl<'l> Run<'l> {
    /// Runs a MEET.
    pub(super) fn meet(&self, meet: &Meet) -> Result<Evaluated, RunError> {
        let none = RoaringBitmap::new;
        let inner = self.inner_reason(&meet.inner, &meet.conditions)?;
        let found = conflicts(self, &meet.conditions)?;
        let conflict = (!found.is_empty()).then_some(Reason::Conflict(found));
        if let Some(reason) = Reason::first_class(inner.into_iter().chain(conflict).collect()) {
            return Ok(Evaluated::abstained(reason, none(), false));
        }
        let ask = Ask {
            confidence: meet.confidence,
        };
        let hits = self.certain_all(&meet.conditions, ask, None)?;
        self.meter.spend(hits.serialized_size() as u64)?;
        if hits.is_empty() {
            let constraints = self.irreducible(&meet.conjuncts, ask)?;
            return Ok(Evaluated::abstained(
                Reason::Empty { constraints },
                none(),
                false,
            ));
        }
        self.give_back(meet, hits)
    }

    /// The reason that inner queries pass on, of the first class.
    pub(super) fn inner_reason(
        &self,
        inner: &[QueryId],
        conditions: &[Condition],
    ) -> Result<Option<Reason>, RunError> {
        let mut reasons = Vec::new();
        for &id in inner {
            reasons.extend(self.evaluated(id)?.passed_on().cloned());
        }
        let mut bounds = Vec::new();
        conditions
            .iter()
            .for_each(|c| sets_as_bounds(c, &mut bounds));
        for id in bounds {
            let certain = self.bounding_members(id)?;
            if certain.len() > 1 {
                let mut readings = self.readings_of(&certain);
                readings.sort();
                reasons.push(Reason::Ambiguous(vec![Ambiguity {
                    word: self
                        .plan
                        .step(id)
                        .map_or_else(String::new, |step| print_query(&step.query)),
                    readings,
                }]));
            }
        }
        Ok(Reason::first_class(reasons))
    }

    /// The members of a set as readings.
    fn readings_of(&self, members: &Members) -> Vec<Who> {
        match members {
            Members::Instances(set) => set
                .iter()
                .map(|i| Who::Instance(crate::lattice::InstanceId(i)))
                .collect(),
            Members::Texts(set) => set
                .iter()
                .map(|text| Who::Value(text.clone(), "name".to_owned()))
                .collect(),
            Members::Interval(d, value) => vec![Who::Value(
                crate::verdict::print_value(self.lattice, value),
                self.lattice.dimension(*d).name.clone(),
            )],
            Members::Values(d, set) => set
                .iter()
                .map(|v| {
                    let value = self.lattice.value(*d, crate::lattice::ValueId(v));
                    Who::Value(
                        crate::verdict::print_value(self.lattice, &value),
                        self.lattice.dimension(*d).name.clone(),
                    )
                })
                .collect(),
        }
    }

    /// An irreducible unsatisfiable part of an AND-list: each conjunct is
    /// dropped in turn if the rest still has no hit. With it, how many hits
    /// dropping each of what is left would give.
    fn irreducible(&self, conjuncts: &[Conjunct], ask: Ask) -> Result<Vec<Needed>, RunError> {
        let joined = join_bounds(conjuncts);
        let kept = if conjuncts.len() <= FEW_CONJUNCTS || joined.len() != conjuncts.len() {
            self.irreducible_lists(conjuncts, ask)?
        } else {
            self.irreducible_sets(&joined, ask)?
        };
        Ok(kept
            .into_iter()
            .filter_map(|(k, hits_without)| {
                Some(Needed {
                    constraint: print_constraint(conjuncts.get(k)?.source()),
                    hits_without,
                })
            })
            .collect())
    }

    /// Where each conjunct has a set of its own: with the intersections of what
    /// comes after each, every question is one intersection.
    fn irreducible_sets(
        &self,
        conditions: &[Condition],
        ask: Ask,
    ) -> Result<Vec<(usize, u64)>, RunError> {
        let mut sets = Vec::with_capacity(conditions.len());
        for condition in conditions {
            self.meter.check()?;
            let set = self.certain(condition, ask, None)?;
            self.meter.spend(set.serialized_size() as u64)?;
            sets.push(set);
        }
        let after = self.intersections_after(&sets)?;
        let mut before = self.universe(None);
        let mut kept = Vec::new();
        for (k, (set, after)) in sets.iter().zip(after.iter().skip(1)).enumerate() {
            self.meter.check()?;
            if !before.is_disjoint(after) {
                before &= set;
                kept.push(k);
            }
        }
        let left: Vec<RoaringBitmap> = kept.iter().filter_map(|&k| sets.get(k).cloned()).collect();
        let after = self.intersections_after(&left)?;
        let mut before = self.universe(None);
        let mut needed = Vec::with_capacity(kept.len());
        for ((k, set), after) in kept.into_iter().zip(&left).zip(after.iter().skip(1)) {
            needed.push((k, before.intersection_len(after)));
            before &= set;
        }
        Ok(needed)
    }

    /// For each set the intersection of it and all after it; at the end that of
    /// none, which is everything.
    fn intersections_after(&self, sets: &[RoaringBitmap]) -> Result<Vec<RoaringBitmap>, RunError> {
        let mut after = vec![self.universe(None)];
        for set in sets.iter().rev() {
            let next = after
                .last()
                .map_or_else(RoaringBitmap::new, |last| last & set);
            self.meter.spend(next.serialized_size() as u64)?;
            after.push(next);
        }
        after.reverse();
        Ok(after)
    }

    /// What is left is tried as a whole each time: where bounds on one path are met by
    /// one value together, and where there are few, since the narrowest of those that are
    /// left is looked at first and no wide set is read.
    fn irreducible_lists(
        &self,
        conjuncts: &[Conjunct],
        ask: Ask,
    ) -> Result<Vec<(usize, u64)>, RunError> {
        let hits = |kept: &[usize]| -> Result<RoaringBitmap, RunError> {
            let list = kept.iter().filter_map(|&k| conjuncts.get(k));
            self.certain_all(&join_bounds(list), ask, None)
        };
        let mut kept: Vec<usize> = (0..conjuncts.len()).collect();
        for k in 0..conjuncts.len() {
            self.meter.check()?;
            let without: Vec<usize> = kept.iter().copied().filter(|&j| j != k).collect();
            if hits(&without)?.is_empty() {
                kept = without;
            }
        }
        let mut needed = Vec::with_capacity(kept.len());
        for &k in &kept {
            self.meter.check()?;
            let without: Vec<usize> = kept.iter().copied().filter(|&j| j != k).collect();
            needed.push((k, hits(&without)?.len()));
        }
        Ok(needed)
    }
}

/// The sets whose only member a condition takes as a bound.
fn sets_as_bounds(condition: &Condition, found: &mut Vec<QueryId>) {
    match condition {
        Condition::All(list, _) | Condition::Any(list, _) => {
            list.iter().for_each(|c| sets_as_bounds(c, found));
        }
        Condition::Not(inner, _) | Condition::Possibly(inner, _) => sets_as_bounds(inner, found),
        Condition::Name { .. } => {}
        Condition::Walk { test, .. } => {
            if let Test::Bounds(parts) = test {
                for part in parts {
                    if let BoundPart::Set { set, .. } = part
                        && !found.contains(set)
                    {
                        found.push(*set);
                    }
                }
            }
        }
    }
}
