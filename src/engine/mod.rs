//! A plan and a lattice to a verdict: MEET, COMPARE, ABSTAIN.
//!
//! `Plan → run → Verdict`, and on request its certificate. The page "Exact
//! meaning" of the book fixes what is certain, excluded and possible; this room
//! computes it from postings, for all instances at once.

mod bound;
mod budget;
mod certificate;
mod compare;
mod completed;
mod conflict;
mod coordinate;
mod explain;
mod extents;
mod extremum;
mod firm;
mod having;
mod lookup;
mod meet;
mod order;
mod proof;
mod prove;
mod prover;
mod reading;
mod reading_proof;
mod refute;
mod returns;
mod run;
mod set_compare;
mod sets;
mod step;
mod truth;

pub use budget::{Budget, Meter};
pub use certificate::CERTIFICATE_VERSION;
pub use explain::{ConditionExplanation, Explanation, MeetExplanation, StepExplanation};
pub use extents::{CertainOrder, Extents};
pub use proof::{
    By, Hit, Predicate, PredicateRef, Proof, Returned, Shown, SideProof, SourceText, read_predicate,
};
pub use prover::{Prover, contested};

use crate::lattice::{InstanceId, Lattice, StoreError};
use crate::plan::{Plan, QueryId, Step, StepKind, resolve};
use crate::syntax::stack::{SHALLOW, query_depth, with_room};
use crate::syntax::tree::{self, Constraint, Operand, Query, SetExpression, Side};
use crate::verdict::{Abstention, Answer, Outcome, Verdict};
use roaring::RoaringBitmap;
use run::Run;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// Why a query reached no verdict. None of these is an abstention.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The caller said stop.
    #[error("the query was cancelled")]
    Cancelled,
    /// The time that the budget allows has passed.
    #[error(
        "the query ran out of time: it took more than {}; raise the limit or narrow the query",
        seconds(.limit)
    )]
    OutOfTime {
        /// The limit.
        limit: Duration,
    },
    /// Intermediate results grew past the budget.
    #[error(
        "the query ran out of memory: its intermediate results exceed {limit} bytes; raise the limit or narrow the query"
    )]
    OutOfMemory {
        /// The limit in bytes.
        limit: u64,
    },
    /// The query nests so deeply that the machine has no stack for it.
    #[error(
        "the query nests too deeply for the memory at hand; write its inner queries as LETs of fewer levels"
    )]
    NoRoom,
    /// The statement has no meaning yet.
    #[error("{what} is not in this version")]
    NotInThisVersion {
        /// The statement.
        what: &'static str,
    },
    /// The lattice's file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The certificate cannot be written.
    #[error("the certificate cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

fn seconds(limit: &Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

/// Resolves a canonical query (see [`crate::syntax::canonical`]) and runs it.
///
/// # Errors
/// [`RunError`]; unknown words and the like are abstentions, not errors.
pub fn answer(lattice: &Lattice, query: &Query, budget: &Budget) -> Result<Verdict, RunError> {
    match prepare(lattice, query)? {
        Ok(plan) => run(lattice, &plan, budget),
        Err(verdict) => Ok(verdict),
    }
}

/// Resolves a canonical query once, to be run many times: a plan, or the
/// abstention why there is none.
///
/// # Errors
/// [`RunError::NotInThisVersion`] for READ, [`RunError::Store`] for a damaged file.
pub fn prepare(lattice: &Lattice, query: &Query) -> Result<Result<Plan, Verdict>, RunError> {
    intact(lattice, roomy(query, || prepared(lattice, query)))
}

/// What came of a lattice, unless it turned out to be damaged where it was read.
fn intact<T>(lattice: &Lattice, result: Result<T, RunError>) -> Result<T, RunError> {
    lattice.intact()?;
    result
}

/// Does the work on a stack that is deep enough for the query.
fn roomy<T: Send>(
    query: &Query,
    work: impl FnOnce() -> Result<T, RunError> + Send,
) -> Result<T, RunError> {
    with_room(query_depth(query), work).unwrap_or(Err(RunError::NoRoom))
}

fn prepared(lattice: &Lattice, query: &Query) -> Result<Result<Plan, Verdict>, RunError> {
    if has_read(query) {
        return Err(RunError::NotInThisVersion { what: "READ" });
    }
    let query = Arc::new(query.clone());
    Ok(resolve(lattice, &query).map_err(|reason| Verdict {
        query,
        outcome: Outcome::Abstention(Abstention { reason }),
        called: Vec::new(),
        completed: Vec::new(),
    }))
}

/// Runs a plan over the lattice that it was resolved against.
///
/// # Errors
/// [`RunError`]
pub fn run(lattice: &Lattice, plan: &Plan, budget: &Budget) -> Result<Verdict, RunError> {
    let verdict = roomy(&plan.query, || executed(lattice, plan, budget));
    intact(lattice, verdict)
}

fn executed(lattice: &Lattice, plan: &Plan, budget: &Budget) -> Result<Verdict, RunError> {
    let whole = QueryId(plan.steps.len().saturating_sub(1));
    let lax = Run::new(lattice, plan, budget, true);
    if let Some(reason) = lax.ambiguous_operands()? {
        return Ok(Verdict {
            query: Arc::clone(&plan.query),
            outcome: Outcome::Abstention(Abstention { reason }),
            called: Vec::new(),
            completed: Vec::new(),
        });
    }
    let evaluated = lax.evaluated(whole)?;
    let needed = if has_possibly(&plan.query) && plan.step(whole).is_some_and(Step::has_hits) {
        let strict = Run::new(lattice, plan, budget, false);
        Some(evaluated.hits() - strict.evaluated(whole)?.hits())
    } else {
        None
    };
    let completed = completed::completed(&lax, plan)?;
    drop(evaluated);
    let mut outcome = lax.into_outcome(whole)?;
    if let (Outcome::Answer(answer), Some(needed)) = (&mut outcome, needed) {
        mark(answer, needed);
    }
    Ok(Verdict {
        query: Arc::clone(&plan.query),
        outcome,
        called: plan.called.clone(),
        completed,
    })
}

/// Runs a canonical query and writes the certificate of its verdict, one piece
/// after the other.
///
/// # Errors
/// [`RunError`]; [`RunError::Write`] if the writer fails.
pub fn certify(
    lattice: &Lattice,
    query: &Query,
    budget: &Budget,
    out: &mut dyn Write,
) -> Result<Verdict, RunError> {
    let plan = match prepare(lattice, query)? {
        Ok(plan) => plan,
        Err(verdict) => {
            certificate::write(lattice, &verdict, None, out)?;
            return intact(lattice, Ok(verdict));
        }
    };
    let verdict = run(lattice, &plan, budget)?;
    if query_depth(query) <= SHALLOW {
        let execution = Run::new(lattice, &plan, budget, true);
        certificate::write(lattice, &verdict, Some((&execution, &plan)), out)?;
        return intact(lattice, Ok(verdict));
    }
    // The writer need not be one that another thread may use.
    let bytes = roomy(query, || {
        let mut bytes = Vec::new();
        let execution = Run::new(lattice, &plan, budget, true);
        certificate::write(lattice, &verdict, Some((&execution, &plan)), &mut bytes)?;
        Ok(bytes)
    })?;
    out.write_all(&bytes)?;
    intact(lattice, Ok(verdict))
}

/// Writes hits of a MEET with their proofs, as they stand in the certificate of the
/// whole answer: a JSON array. What is written and what it costs depends on these
/// hits alone, however many there are beside them.
///
/// The instances are to be hits of the plan's outermost query, as [`run`] gave them;
/// this is not looked up again. Of any other query the array is empty.
///
/// # Errors
/// [`RunError`]; [`RunError::Write`] if the writer fails.
pub fn certify_hits(
    lattice: &Lattice,
    plan: &Plan,
    hits: impl IntoIterator<Item = InstanceId>,
    budget: &Budget,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let hits: Vec<InstanceId> = hits.into_iter().collect();
    let bytes = roomy(&plan.query, || {
        let mut bytes = Vec::new();
        let execution = Run::new(lattice, plan, budget, true);
        certificate::write_hits(&execution, &hits, &mut bytes)?;
        Ok(bytes)
    })?;
    out.write_all(&bytes)?;
    Ok(())
}

/// How a canonical query would be answered, without running it.
///
/// # Errors
/// As [`prepare`].
pub fn explain(lattice: &Lattice, query: &Query) -> Result<Explanation, RunError> {
    let explained = roomy(query, || match prepared(lattice, query)? {
        Ok(plan) => explain::explain(lattice, Ok(&plan)),
        Err(verdict) => explain::explain(lattice, Err(&verdict)),
    });
    intact(lattice, explained)
}

/// Why an instance is a hit of a MEET: one proof per constraint of its
/// outermost AND-list. `None` if the query is no MEET or the instance no hit.
///
/// # Errors
/// [`RunError`]
pub fn because(
    lattice: &Lattice,
    plan: &Plan,
    instance: InstanceId,
    budget: &Budget,
) -> Result<Option<Hit>, RunError> {
    let whole = QueryId(plan.steps.len().saturating_sub(1));
    let Some(StepKind::Meet(meet)) = plan.step(whole).map(|step| &step.kind) else {
        return Ok(None);
    };
    let execution = Run::new(lattice, plan, budget, true);
    if !execution.evaluated(whole)?.hits().contains(instance.0) {
        return Ok(None);
    }
    let ask = truth::Ask {
        confidence: meet.confidence,
    };
    let hit = execution.hit(&meet.conditions, instance, ask);
    intact(lattice, hit.map(Some))
}

/// Marks the hits that hold only thanks to POSSIBLY.
fn mark(answer: &mut Answer, hits: RoaringBitmap) {
    match answer {
        Answer::Set(set) => set.possibly = hits,
        Answer::Rows(rows) => rows.possibly = hits,
        Answer::Count { possibly, .. } => *possibly = hits,
        Answer::Truth { .. } | Answer::Order { .. } => {}
    }
}

/// Whether a READ stands anywhere in a query.
fn has_read(query: &Query) -> bool {
    any_query(query, &|query| matches!(query, Query::Read(_)))
}

/// Whether a POSSIBLY stands anywhere in a query.
fn has_possibly(query: &Query) -> bool {
    any_query(query, &|query| match query {
        Query::Meet(meet) => {
            any_constraint(&meet.constraint, &|c| matches!(c, Constraint::Possibly(..)))
        }
        _ => false,
    })
}

/// Whether a test holds for a query or one inside it.
fn any_query(query: &Query, test: &dyn Fn(&Query) -> bool) -> bool {
    if test(query) {
        return true;
    }
    let in_set = |set: &SetExpression| match set {
        SetExpression::Query { query, .. } => any_query(query, test),
        _ => false,
    };
    let in_constraint = |constraint: &Constraint| {
        any_constraint(constraint, &|c| match c {
            Constraint::Test {
                operand: Operand::Query { query, .. },
                ..
            } => any_query(query, test),
            Constraint::In { set, .. } => in_set(set),
            _ => false,
        })
    };
    match query {
        Query::Meet(meet) => in_constraint(&meet.constraint),
        Query::Compare(tree::Compare::Relate { left, right, .. }) => {
            [left, right].into_iter().any(|side| match side {
                Side::Set(set) => in_set(set),
                Side::Term(_) => false,
            })
        }
        Query::Compare(tree::Compare::Holds { constraint, .. }) => in_constraint(constraint),
        Query::Compare(tree::Compare::Extremum {
            of: tree::Candidates::Set(set),
            ..
        }) => in_set(set),
        _ => false,
    }
}

/// Whether a test holds for a constraint or one inside it (not in its sets).
fn any_constraint(constraint: &Constraint, test: &dyn Fn(&Constraint) -> bool) -> bool {
    test(constraint)
        || match constraint {
            Constraint::And(list, _) | Constraint::Or(list, _) => {
                list.iter().any(|c| any_constraint(c, test))
            }
            Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => {
                any_constraint(inner, test)
            }
            _ => false,
        }
}
