//! What an answer rests on in its last hop, and the lattice without it.
//!
//! Where the benchmark gives the path to the answer, its last hop is taken, whatever
//! the planner makes of the question: from all that the hops before it reach to all
//! that it reaches, but for the topic where the benchmark drops that. Where there is no
//! path, what the planner's own answer rests on is taken: of a MEET that returns
//! values the last step to them, of any other MEET what proves its hits.

use super::EvalError;
use super::answer::{Asked, Found, stopped};
use super::plan::plan;
use super::question::{Hop, Question};
use crate::engine;
use crate::lattice::{DimensionId, InstanceId, Lattice, Recorded, Value, ValueId};
use crate::syntax::tree::{Query, Return};
use crate::verdict::{Answer, Members, Outcome, Verdict};
use std::collections::BTreeSet;

/// So often what still proves a hit is hidden too, before that is given up: a hit may
/// have several values that each suffice.
const MOST_ROUNDS: usize = 64;

/// What came of a question without the support of its answer.
pub(super) enum Unsupported {
    /// There is nothing that could be hidden: no predicate carries the answer.
    NotRemovable,
    /// It was asked again.
    Asked(Found),
}

/// Asks a question again, by the same plans, where the predicates of the last hop are
/// hidden.
pub(super) fn without_support(
    asked: Asked<'_>,
    question: &Question,
    plans: &[String],
) -> Result<Unsupported, EvalError> {
    let hidden = match question.path.is_empty() {
        false => of_path(asked, question)?,
        true => of_plans(asked, question, plans)?,
    };
    if hidden.is_empty() {
        return Ok(Unsupported::NotRemovable);
    }
    let lattice = view(asked.lattice, &hidden, question)?;
    let asked = Asked {
        lattice: &lattice,
        ..asked
    };
    Ok(Unsupported::Asked(asked.run(plans, question)?))
}

fn view(
    lattice: &Lattice,
    hidden: &BTreeSet<Recorded>,
    question: &Question,
) -> Result<Lattice, EvalError> {
    let damaged = || EvalError::Hiding {
        question: question.text.clone(),
    };
    lattice.hiding(hidden).ok_or_else(damaged)
}

/// The last hop of the benchmark's path.
fn of_path(asked: Asked<'_>, question: &Question) -> Result<BTreeSet<Recorded>, EvalError> {
    let lattice = asked.lattice;
    let Some((last, before)) = question.path.split_last() else {
        return Ok(BTreeSet::new());
    };
    let Some(d) = lattice.find_dimension(&last.relation) else {
        return Ok(BTreeSet::new());
    };
    let topic: BTreeSet<InstanceId> = lattice
        .called(&question.topic)
        .instances
        .into_iter()
        .collect();
    let from = match before.is_empty() {
        true => topic.clone(),
        false => reached(asked, question, before)?,
    };
    let dropped = |i: InstanceId| question.drop_topic && topic.contains(&i);
    let relation = lattice.positive(d);
    let is_entity = lattice.dimension(d).is_entity();
    let mut found = BTreeSet::new();
    // Only instances can be walked to from behind.
    let from = from.into_iter().filter(|_| is_entity || !last.backward);
    for i in from {
        if last.backward {
            let value = ValueId(i.0);
            let holders = relation.holders(value).to_set();
            let holders = holders.iter().map(InstanceId);
            found.extend(holders.filter(|&x| !dropped(x)).map(|x| (d, x, value)));
        } else {
            let row = relation.of(i);
            let values = row.values().iter().map(|&v| ValueId(v));
            let ends = values.filter(|v| !(is_entity && dropped(InstanceId(v.0))));
            found.extend(ends.map(|v| (d, i, v)));
        }
    }
    Ok(found)
}

/// What the hops before the last reach.
fn reached(
    asked: Asked<'_>,
    question: &Question,
    before: &[Hop],
) -> Result<BTreeSet<InstanceId>, EvalError> {
    let shorter = Question {
        path: before.to_vec(),
        ..question.clone()
    };
    let (_, verdict) = asked.verdict(&plan(&shorter, asked.lattice), question)?;
    Ok(members(asked.lattice, &verdict))
}

/// The instances of an answer; none if it has others, or is none.
fn members(lattice: &Lattice, verdict: &Verdict) -> BTreeSet<InstanceId> {
    let Outcome::Answer(Answer::Set(set)) = &verdict.outcome else {
        return BTreeSet::new();
    };
    match &set.members {
        Members::Instances(all) => all.iter().map(InstanceId).collect(),
        Members::Values(d, all) if lattice.dimension(*d).is_entity() => {
            all.iter().map(InstanceId).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// What the answers of plans rest on, until nothing is answered any more; nothing if
/// that cannot be reached.
fn of_plans(
    asked: Asked<'_>,
    question: &Question,
    plans: &[String],
) -> Result<BTreeSet<Recorded>, EvalError> {
    let mut hidden = BTreeSet::new();
    for plan in plans {
        for _ in 0..MOST_ROUNDS {
            let lattice = view(asked.lattice, &hidden, question)?;
            let more = of_plan(
                Asked {
                    lattice: &lattice,
                    ..asked
                },
                question,
                plan,
            )?;
            let known = hidden.len();
            hidden.extend(more);
            if hidden.len() == known {
                break;
            }
        }
    }
    Ok(hidden)
}

/// What the answer of a plan rests on.
fn of_plan(
    asked: Asked<'_>,
    question: &Question,
    plan: &str,
) -> Result<BTreeSet<Recorded>, EvalError> {
    let (query, verdict) = asked.verdict(plan, question)?;
    let Query::Meet(meet) = &query else {
        return Ok(BTreeSet::new());
    };
    let path = match &meet.returns {
        None => return of_hits(asked, question, &query, &verdict),
        Some(Return::Paths(paths)) => paths.first(),
        // A count rests on all that could be counted.
        Some(Return::Count(_)) => None,
    };
    let Some((last, before)) = path.and_then(|path| path.steps.split_last()) else {
        return Ok(BTreeSet::new());
    };
    let mut shorter = meet.clone();
    shorter.returns = match (before.is_empty(), path) {
        (false, Some(path)) => {
            let mut path = path.clone();
            path.steps.pop();
            Some(Return::Paths(vec![path]))
        }
        _ => None,
    };
    let from = engine::answer(asked.lattice, &Query::Meet(shorter), asked.budget);
    let from = from.map_err(|error| stopped(error, question))?;
    let Some(d) = asked.lattice.find_dimension(&last.text) else {
        return Ok(BTreeSet::new());
    };
    let relation = asked.lattice.positive(d);
    let rows = members(asked.lattice, &from).into_iter().flat_map(|i| {
        let values = relation.of(i).values().to_vec();
        values.into_iter().map(move |v| (d, i, ValueId(v)))
    });
    Ok(rows.collect())
}

/// What proves the hits of a MEET.
fn of_hits(
    asked: Asked<'_>,
    question: &Question,
    query: &Query,
    verdict: &Verdict,
) -> Result<BTreeSet<Recorded>, EvalError> {
    let lattice = asked.lattice;
    let prepared = engine::prepare(lattice, query).map_err(|error| stopped(error, question))?;
    let Ok(plan) = prepared else {
        return Ok(BTreeSet::new());
    };
    let mut found = BTreeSet::new();
    for hit in members(lattice, verdict) {
        let proofs = engine::because(lattice, &plan, hit, asked.budget);
        let proofs = proofs.map_err(|error| stopped(error, question))?;
        let proofs = proofs.map(|hit| hit.because).unwrap_or_default();
        for predicate in proofs.iter().flat_map(|proof| proof.predicates()) {
            if !predicate.denied {
                let of = (predicate.dimension, predicate.instance);
                found.extend(recorded(lattice, of, &predicate.value));
            }
        }
    }
    Ok(found)
}

/// A predicate by its numbers.
fn recorded(
    lattice: &Lattice,
    (d, i): (DimensionId, InstanceId),
    value: &Value,
) -> Option<Recorded> {
    let relation = lattice.positive(d);
    let row = relation.of(i);
    let mut same = row.values().iter().map(|&v| ValueId(v));
    let v = same.find(|&v| lattice.value(d, v) == *value)?;
    Some((d, i, v))
}
