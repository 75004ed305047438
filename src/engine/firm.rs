//! What a constraint may take from a set: the members that it has in every
//! completion of the recorded facts, and the bound that it sets in all of them.

use super::RunError;
use super::bound::Asked;
use super::extremum::instances_of;
use super::run::Run;
use super::sets::{caveat_of, number_region};
use crate::lattice::{DateInterval, DimensionId, InstanceId, NumberInterval, Value, ValueId};
use crate::plan::{
    By, Compare, DateRegion, QueryId, Region, ReturnPath, Returns, SetOperand, StepKind,
};
use crate::syntax::tree::Operator;
use crate::verdict::Members;
use roaring::RoaringBitmap;

/// What a bound denotes whose value is not known exactly.
pub(super) struct Bound {
    /// What it denotes whatever the exact value is; none if nothing.
    pub inner: Option<Region>,
    /// What it denotes for some exact value.
    pub outer: Region,
}

impl Run<'_> {
    /// Whether the recorded members of a set are its members in every completion
    /// of the facts. Those of a MEET are. A bound is not where an operand could be more
    /// specific or its order is not settled. The winners of an extremum are not where
    /// another candidate may come to win, or wide intervals tie.
    fn is_firm(&self, id: QueryId) -> Result<bool, RunError> {
        let Some(StepKind::Compare(compare)) = self.plan.step(id).map(|step| &step.kind) else {
            return Ok(true);
        };
        if let Some(asked) = Asked::of(compare) {
            return self.is_firm_bound(asked);
        }
        let Compare::Extremum { of, by, .. } = compare.as_ref() else {
            return Ok(true);
        };
        let evaluated = self.evaluated(id)?;
        let settled = caveat_of(&evaluated)
            .is_none_or(|caveat| caveat.could_change.is_empty() && !caveat.equal_as_recorded);
        Ok(settled && self.is_settled(of, by)?)
    }

    /// Whether only possible candidates, and no unrecorded value, can change an
    /// extremum.
    pub(super) fn is_settled(&self, of: &SetOperand, by: &By) -> Result<bool, RunError> {
        // A count is only taken along steps that are COMPLETE.
        if !by.count && !self.unsure_steps(by).is_empty() {
            return Ok(false);
        }
        if let SetOperand::Query(id) = of
            && !self.is_firm(*id)?
        {
            return Ok(false);
        }
        self.walks_are_fixed(self.all_candidates(of)?, by)
    }

    /// Whether every value on the way of all readings is fixed, of a count also those
    /// at its end: a more specific one would lead elsewhere.
    fn walks_are_fixed(&self, from: RoaringBitmap, by: &By) -> Result<bool, RunError> {
        let steps = match by.steps.split_last() {
            Some((_, before)) if !by.count => before,
            _ => &by.steps,
        };
        let mut frontier = from;
        for &d in steps {
            let scale = self.scale(d, 0.0);
            let mut next = RoaringBitmap::new();
            for x in &frontier {
                self.meter.tick()?;
                next.extend(self.followed(d, InstanceId(x), &mut false));
            }
            if !next.iter().all(|value| scale.is_fixed(value)) {
                return Ok(false);
            }
            frontier = next;
        }
        Ok(true)
    }

    /// The certain and the possible candidates of an extremum.
    pub(super) fn all_candidates(&self, of: &SetOperand) -> Result<RoaringBitmap, RunError> {
        Ok(match of {
            SetOperand::Instances(list) => list.iter().map(|i| i.0).collect(),
            SetOperand::Query(id) => {
                let certain = instances_of(self.evaluated(*id)?.certain());
                certain | instances_of(self.possible(*id)?.as_ref())
            }
        })
    }

    /// The members that a set has in every completion: what a constraint may take
    /// for certain. Every recorded value is one: a value that a more specific one
    /// displaces from the answer would else be lost by learning more.
    pub(super) fn firm_members(&self, id: QueryId) -> Result<Members, RunError> {
        if !self.is_firm(id)? {
            return Ok(Members::Instances(RoaringBitmap::new()));
        }
        let evaluated = self.evaluated(id)?;
        match self.returned_path(id) {
            Some((path, _)) if path.steps.iter().all(|&d| self.is_flat(d)) => {
                Ok(evaluated.certain().clone())
            }
            Some((path, confidence)) => {
                let ends = self.recorded_ends(&path.steps, evaluated.hits(), confidence)?;
                self.members_at(path, ends)
            }
            None => Ok(evaluated.certain().clone()),
        }
    }

    /// The members that a set may have besides.
    pub(super) fn other_members(&self, id: QueryId) -> Result<Members, RunError> {
        let possible = self.possible(id)?.as_ref().clone();
        match self.is_firm(id)? {
            true => Ok(without(possible, &self.firm_members(id)?)),
            false => Ok(joined(possible, self.evaluated(id)?.certain())),
        }
    }

    /// The one path that a query returns, and the confidence it asks for.
    fn returned_path(&self, id: QueryId) -> Option<(&ReturnPath, f64)> {
        match self.plan.step(id).map(|step| &step.kind)? {
            StepKind::Meet(meet) => match &meet.returns {
                Returns::Path(path) => Some((path, meet.confidence)),
                _ => None,
            },
            StepKind::Compare(compare) => match compare.as_ref() {
                Compare::Extremum {
                    returns: Returns::Path(path),
                    ..
                } => Some((path, 0.0)),
                _ => None,
            },
            StepKind::Decline(_) => None,
        }
    }

    /// The values at the end of a path along every uncontested positive that
    /// counts, the most specific ones or not.
    fn recorded_ends(
        &self,
        steps: &[DimensionId],
        from: &RoaringBitmap,
        confidence: f64,
    ) -> Result<RoaringBitmap, RunError> {
        let mut frontier = from.clone();
        for &d in steps {
            let mut next = RoaringBitmap::new();
            for x in &frontier {
                self.meter.tick()?;
                let coordinate = self.coordinate(d, InstanceId(x));
                let counting = coordinate.agreed().filter(|r| r.confidence >= confidence);
                next.extend(counting.map(|r| r.value));
            }
            self.meter.spend(next.serialized_size() as u64)?;
            frontier = next;
        }
        Ok(frontier)
    }

    /// The members of a set that could be a bound: those that RETURN gives.
    pub(super) fn bounding_members(&self, id: QueryId) -> Result<Members, RunError> {
        match self.is_firm(id)? {
            true => Ok(self.evaluated(id)?.certain().clone()),
            false => Ok(Members::Instances(RoaringBitmap::new())),
        }
    }

    /// The value that a set denotes as a bound; `None` where it is unknown: where
    /// there is no certain member, or where another one is possible or may be
    /// unrecorded. A set with several certain members has been refused before.
    pub(super) fn bound_value(
        &self,
        set: QueryId,
    ) -> Result<Option<(DimensionId, Value)>, RunError> {
        let certain = self.bounding_members(set)?;
        let only = certain.len() == 1 && self.other_members(set)?.is_empty();
        if !only || !self.is_known(set, true)? {
            return Ok(None);
        }
        Ok(match &certain {
            Members::Values(e, values) => values
                .min()
                .map(|value| (*e, self.lattice.value(*e, ValueId(value)))),
            Members::Interval(e, value) => Some((*e, value.clone())),
            Members::Instances(_) | Members::Texts(_) => None,
        })
    }

    /// What a set denotes as a bound; `None` where it is unknown.
    pub(super) fn bound_of(
        &self,
        d: DimensionId,
        operator: Operator,
        set: QueryId,
    ) -> Result<Option<Bound>, RunError> {
        let Some((e, value)) = self.bound_value(set)? else {
            return Ok(None);
        };
        Ok(match &value {
            Value::Number(interval) => {
                let ends =
                    [&interval.low, &interval.high].map(|end| NumberInterval::point(end.clone()));
                let denotes = |interval| number_region(self.lattice, d, e, interval, operator);
                let bound = Bound::new(operator, denotes(interval), ends.each_ref().map(denotes));
                Some(bound)
            }
            Value::Date(interval) => {
                let ends = [interval.first, interval.last].map(|day| DateInterval {
                    first: day,
                    last: day,
                });
                let denotes = |interval| Region::Date(DateRegion::of(operator, interval));
                let bound = Bound::new(operator, denotes(interval), ends.each_ref().map(denotes));
                Some(bound)
            }
            _ => None,
        })
    }
}

impl Bound {
    /// From what `operator` denotes with an interval, and with its ends.
    fn new(operator: Operator, whole: Region, [low, high]: [Region; 2]) -> Bound {
        let exact = low == high;
        let (inner, outer) = match operator {
            Operator::Less | Operator::AtMost => (Some(low), high),
            Operator::Greater | Operator::AtLeast => (Some(high), low),
            Operator::Is | Operator::IsNot => (exact.then_some(low), whole),
        };
        Bound { inner, outer }
    }
}

/// The members of both sets, which are of one kind; a set without members has
/// any.
fn joined(a: Members, b: &Members) -> Members {
    match (a, b) {
        (Members::Instances(a), Members::Instances(b)) => Members::Instances(a | b),
        (Members::Values(d, a), Members::Values(_, b)) => Members::Values(d, a | b),
        (Members::Texts(mut a), Members::Texts(b)) => {
            a.extend(b.iter().cloned());
            Members::Texts(a)
        }
        (a, b) if b.is_empty() => a,
        (_, b) => b.clone(),
    }
}

/// The members of a set that are not in another one of its kind.
fn without(a: Members, b: &Members) -> Members {
    match (a, b) {
        (Members::Instances(a), Members::Instances(b)) => Members::Instances(a - b),
        (Members::Values(d, a), Members::Values(_, b)) => Members::Values(d, a - b),
        (Members::Texts(mut a), Members::Texts(b)) => {
            a.retain(|text| !b.contains(text));
            Members::Texts(a)
        }
        (a, _) => a,
    }
}
