//! From a plan to what a question gets: one answer, or the reason why there is none.

use super::file::PlanFile;
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::script::expect::{Difference, member_cells};
use crate::script::words::cell;
use crate::script::{Output, ScriptError, Session};
use crate::syntax::tree::{Query, Span, Statement, StatementKind};
use crate::syntax::{Code, Diagnostic, parse, print_query};
use crate::verdict::{Abstention, Ambiguity, Answer, Outcome, Reason, Verdict, Who};
use std::sync::Arc;
use thiserror::Error;

/// What a question gets.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The plan. None where there is none.
    pub plan: Option<PlanFile>,
    /// The verdict.
    pub verdict: Verdict,
    /// For each EXPECT of the plan that does not hold: how the verdict before it differs.
    pub differences: Vec<Difference>,
    /// Whether the plan says what it expects.
    pub expects: bool,
    steps: Vec<Step>,
}

/// A statement of a plan that is no EXPECT, and what it gave if it is a query.
#[derive(Clone, Debug)]
struct Step {
    /// As it stands in the plan.
    words: String,
    /// The query in one line.
    query: String,
    verdict: Option<Verdict>,
}

/// Why a plan gives no verdict.
#[derive(Clone, Debug, Error)]
pub enum PlanError {
    /// A statement is wrong, or could not be run.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The plan was written for another lattice.
    #[error("{0}")]
    Drift(Box<Diagnostic>),
}

impl From<Diagnostic> for PlanError {
    fn from(diagnostic: Diagnostic) -> PlanError {
        PlanError::Script(diagnostic.into())
    }
}

/// What a question gets that no planner understood.
pub fn not_understood(question: &str, part: &str) -> Asked {
    let text = part.to_owned();
    Asked {
        plan: None,
        verdict: refused(question, Reason::NotUnderstood { text }),
        differences: Vec::new(),
        expects: false,
        steps: Vec::new(),
    }
}

/// The verdict about a question itself.
fn refused(question: &str, reason: Reason) -> Verdict {
    let query = Query::Abstain {
        words: question.to_owned(),
        span: Span::default(),
    };
    Verdict {
        query: Arc::new(query),
        outcome: Outcome::Abstention(Abstention { reason }),
        called: Vec::new(),
        completed: Vec::new(),
    }
}

/// Runs a plan. Where it is several readings of a question, they have to agree.
///
/// # Errors
/// If a statement is wrong, does more than ask, or reaches a limit.
pub fn answer(lattice: &Lattice, plan: PlanFile, budget: &Budget) -> Result<Asked, PlanError> {
    let tree = parse(plan.source()).map_err(ScriptError::Text)?;
    let mut session = Session::new(lattice.clone());
    session.set_budget(budget.clone());
    let mut steps = Vec::new();
    let mut differences = Vec::new();
    let mut expects = false;
    for statement in &tree.statements {
        only_asks(statement)?;
        let output = session.execute(statement)?;
        if let Output::Expectation(difference) = output {
            expects = true;
            differences.extend(difference.map(|difference| *difference));
            continue;
        }
        let words = plan.source().get(statement.span.start..statement.span.end);
        let query = match &statement.kind {
            StatementKind::Query(query) => print_query(query),
            _ => String::new(),
        };
        steps.push(Step {
            words: words.unwrap_or_default().to_owned(),
            query,
            verdict: match output {
                Output::Verdict(verdict) => Some(*verdict),
                _ => None,
            },
        });
    }
    let mut verdicts = steps.iter().filter_map(|step| {
        let verdict = step.verdict.as_ref()?;
        Some((step.query.as_str(), verdict))
    });
    let verdict = match plan.readings > 1 {
        true => agreed(lattice, &plan.head.question, &verdicts.collect::<Vec<_>>()),
        false => verdicts.next_back().map(|(_, verdict)| verdict.clone()),
    };
    let Some(verdict) = verdict else {
        let asks_nothing = Diagnostic::error(Code::E403, "the plan asks nothing")
            .label(Span::default(), "no query stands here")
            .help("write a query, such as MEET, into it");
        return Err(asks_nothing.into());
    };
    Ok(Asked {
        plan: Some(plan),
        verdict,
        differences,
        expects,
        steps,
    })
}

/// A plan asks; what would change a lattice, or open another, is no part of one.
fn only_asks(statement: &Statement) -> Result<(), Diagnostic> {
    match &statement.kind {
        StatementKind::Query(_) | StatementKind::Let { .. } | StatementKind::Expect(_) => Ok(()),
        _ => Err(
            Diagnostic::error(Code::E408, "a plan asks, and does nothing else")
                .label(statement.span, "this is no query, LET or EXPECT")
                .help("take it out of the plan, or run the file with `latweave run`"),
        ),
    }
}

/// The verdict that all readings give; that they differ, if they do.
fn agreed(lattice: &Lattice, question: &str, read: &[(&str, &Verdict)]) -> Option<Verdict> {
    let ((_, first), others) = read.split_first()?;
    let outcome = told(lattice, first);
    if others
        .iter()
        .all(|(_, other)| told(lattice, other) == outcome)
    {
        return Some(Verdict::clone(first));
    }
    let reading = |(plan, verdict): &(&str, &Verdict)| Who::Plan {
        plan: (*plan).to_owned(),
        answer: told(lattice, verdict).1,
    };
    let mut readings: Vec<Who> = read.iter().map(reading).collect();
    readings.sort();
    Some(refused(
        question,
        Reason::Ambiguous(vec![Ambiguity {
            word: question.to_owned(),
            readings,
        }]),
    ))
}

/// A verdict as it is compared with that of another reading: whether it is an answer,
/// and what it says.
fn told(lattice: &Lattice, verdict: &Verdict) -> (bool, Vec<String>) {
    let mut cells = cells(lattice, verdict);
    cells.sort();
    cells.dedup();
    (verdict.answer().is_some(), cells)
}

/// What a verdict says: each member or row, or its one word.
pub fn cells(lattice: &Lattice, verdict: &Verdict) -> Vec<String> {
    match &verdict.outcome {
        Outcome::Abstention(abstention) => vec![format!("ABSTAIN {}", abstention.reason.code())],
        Outcome::Answer(Answer::Set(set)) => member_cells(lattice, &set.members).collect(),
        Outcome::Answer(Answer::Rows(rows)) => {
            let row = |row: &Vec<Option<_>>| {
                let cells = row.iter().map(|value| match value {
                    Some(value) => cell(lattice, value),
                    None => "NULL".to_owned(),
                });
                format!("({})", cells.collect::<Vec<_>>().join(", "))
            };
            rows.rows.iter().map(row).collect()
        }
        Outcome::Answer(_) => vec![crate::script::expect::found(lattice, verdict)],
    }
}

/// Refuses a plan that was written for another lattice, or that does not say for which.
///
/// # Errors
/// If the lattice is not that of the plan.
pub fn refuse_drift(plan: &PlanFile, lattice: &Lattice) -> Result<(), Diagnostic> {
    let found = lattice.content_hash();
    let planned = &plan.head.lattice;
    let span = plan.lattice_span.unwrap_or_default();
    if planned.is_empty() {
        return Err(Diagnostic::error(
            Code::E302,
            "the plan does not say for which lattice it was written",
        )
        .label(span, "no line “-- lattice: b3:…” stands at the head")
        .help("write the line, or run the file with `latweave run -l`"));
    }
    if found.matches_prefix(planned) {
        return Ok(());
    }
    Err(Diagnostic::error(
        Code::E302,
        "the lattice is not the one that the plan was written for",
    )
    .label(span, format!("planned over {planned}, found {found}"))
    .help("name the lattice that was meant; with --drift the plan is run all the same"))
}

impl Asked {
    /// The plan with what each of its queries gave, as EXPECT behind it. Where LQ has no
    /// words for that, without. `None` if there is no plan.
    pub fn plan_with_answers(&self, lattice: &Lattice) -> Option<PlanFile> {
        let plan = self.plan.as_ref()?;
        let mut text = String::new();
        for step in &self.steps {
            text += &step.words;
            text.push('\n');
            let verdict = step.verdict.as_ref();
            if let Some(expected) = verdict.and_then(|v| super::expected(lattice, v)) {
                text += &expected;
                text.push('\n');
            }
        }
        Some(PlanFile::new(plan.head.clone(), plan.readings, &text))
    }
}
