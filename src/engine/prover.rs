//! Proofs and contradictions on demand, for showing them beside an answer.

use super::budget::Budget;
use super::coordinate::Shape;
use super::proof::{Hit, Returned};
use super::run::Run;
use super::{RunError, truth};
use crate::lattice::{DimensionId, InstanceId, Lattice, PredicateId};
use crate::plan::{Plan, QueryId, Returns, StepKind};
use crate::syntax::tree::{Query, Span};
use crate::verdict::{Answer, Members, Outcome, Verdict};
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Proves hits of one MEET, one after the other: the query itself is evaluated
/// once. The proofs leave out the chains of taxonomies, which no source states.
pub struct Prover<'l> {
    execution: Run<'l>,
    /// The hits, where the verdict is at hand.
    hits: Option<&'l RoaringBitmap>,
}

impl<'l> Prover<'l> {
    /// A prover for the outermost query of a plan.
    pub fn new(lattice: &'l Lattice, plan: &'l Plan, budget: &Budget) -> Prover<'l> {
        Prover {
            execution: Run::new(lattice, plan, budget, true).without_chains(),
            hits: None,
        }
    }

    /// The same where the plan's verdict is at hand: what hits are is read there, and
    /// the outermost query is not evaluated again.
    pub fn of_verdict(
        lattice: &'l Lattice,
        plan: &'l Plan,
        verdict: &'l Verdict,
        budget: &Budget,
    ) -> Prover<'l> {
        let hits = match (&verdict.outcome, plan.steps.last().map(|step| &step.kind)) {
            (Outcome::Answer(Answer::Set(set)), Some(StepKind::Meet(meet))) => {
                match (&set.members, &meet.returns) {
                    (Members::Instances(hits), Returns::Instances) => Some(hits),
                    _ => None,
                }
            }
            _ => None,
        };
        Prover {
            hits,
            ..Prover::new(lattice, plan, budget)
        }
    }

    /// Why an instance is a hit: one proof per constraint of the outermost
    /// AND-list. `None` if the query is no MEET or the instance no hit.
    ///
    /// # Errors
    /// [`RunError`]
    pub fn because(&self, instance: InstanceId) -> Result<Option<Hit>, RunError> {
        let plan = self.execution.plan;
        let whole = QueryId(plan.steps.len().saturating_sub(1));
        let Some(StepKind::Meet(meet)) = plan.step(whole).map(|step| &step.kind) else {
            return Ok(None);
        };
        let is_hit = match self.hits {
            Some(hits) => hits.contains(instance.0),
            None => self.execution.evaluated(whole)?.hits().contains(instance.0),
        };
        if !is_hit {
            return Ok(None);
        }
        let ask = truth::Ask {
            confidence: meet.confidence,
        };
        self.execution
            .hit(&meet.conditions, instance, ask)
            .map(Some)
    }

    /// The values that a RETURN of one path gives, with the first walk to each.
    /// None for any other query.
    ///
    /// # Errors
    /// [`RunError`]
    pub fn returned(&self) -> Result<Vec<Returned>, RunError> {
        let plan = self.execution.plan;
        let whole = QueryId(plan.steps.len().saturating_sub(1));
        let Some(StepKind::Meet(meet)) = plan.step(whole).map(|step| &step.kind) else {
            return Ok(Vec::new());
        };
        let Returns::Path(path) = &meet.returns else {
            return Ok(Vec::new());
        };
        let evaluated = self.execution.evaluated(whole)?;
        self.execution
            .returned(path, evaluated.hits(), meet.confidence)
    }
}

/// The recorded predicates of an instance on a dimension that contradict each
/// other: those that hold, and those that deny.
pub fn contested(
    lattice: &Lattice,
    d: DimensionId,
    instance: InstanceId,
) -> (Vec<PredicateId>, Vec<PredicateId>) {
    let nothing = Query::Abstain {
        words: String::new(),
        span: Span::default(),
    };
    let plan = Plan {
        query: Arc::new(nothing),
        steps: Vec::new(),
        called: Vec::new(),
    };
    let execution = Run::new(lattice, &plan, &Budget::unlimited(), true);
    let coordinate = execution.coordinate(d, instance);
    let (holds, denies): (Vec<bool>, Vec<bool>) = match &coordinate.shape {
        Shape::Sides(sides) => {
            let positive = |k| sides.iter().all(|side| side.positives.contains(&k));
            let negative = |k| sides.iter().all(|side| side.negatives.contains(&k));
            (
                (0..coordinate.positives.len())
                    .map(|k| !positive(k))
                    .collect(),
                (0..coordinate.negatives.len())
                    .map(|k| !negative(k))
                    .collect(),
            )
        }
        Shape::Loose {
            positives,
            negatives,
        } => (positives.clone(), negatives.clone()),
    };
    let of = |recorded: &[super::coordinate::Recorded], contested: &[bool]| {
        let pairs = recorded.iter().zip(contested);
        pairs
            .filter(|(_, is)| **is)
            .map(|(r, _)| r.predicate)
            .collect()
    };
    (
        of(&coordinate.positives, &holds),
        of(&coordinate.negatives, &denies),
    )
}
