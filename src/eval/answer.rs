//! A question to plans, and plans to the names that answer it.

use super::keywords::Keywords;
use super::normal::folded;
use super::plan::plan;
use super::question::{Question, answer_set};
use super::{Benchmark, EvalError};
use crate::ask::{Planner, Reading, Understood};
use crate::engine::{self, Budget, RunError};
use crate::lattice::Lattice;
use crate::syntax::tree::Query;
use crate::syntax::{Diagnostic, canonical, parse_query};
use crate::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;

/// Who answers.
#[derive(Clone, Copy)]
pub(super) enum Answerer<'a> {
    /// The benchmark's own path, as a plan.
    Oracle,
    /// The words of a vocabulary.
    Embedded(&'a Planner),
    /// A search for the words of the question, with no plan.
    Keywords(&'a Keywords),
}

/// What is answered: the names, or the code of the abstention.
pub(super) type Found = Result<Vec<String>, &'static str>;

/// What there is to ask, and how names are compared.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub benchmark: Benchmark,
    pub lattice: &'a Lattice,
    pub budget: &'a Budget,
}

/// An answer with the plans that gave it; without a plan, none.
pub(super) struct Answered {
    pub plans: Vec<String>,
    pub found: Found,
}

impl Asked<'_> {
    /// Answers a question.
    pub fn answer(self, by: Answerer<'_>, question: &Question) -> Result<Answered, EvalError> {
        let plans = match by {
            Answerer::Oracle if question.path.is_empty() => Err("not-understood"),
            Answerer::Oracle => Ok(vec![plan(question, self.lattice)]),
            Answerer::Embedded(planner) => match planner.read(&question.text) {
                Understood::Readings(readings) => Ok(readings.iter().map(Reading::plan).collect()),
                Understood::Not(_) => Err("not-understood"),
            },
            Answerer::Keywords(keywords) => {
                let found = self.compared(keywords.answer(&question.text));
                return Ok(Answered {
                    plans: Vec::new(),
                    found: match found.is_empty() {
                        true => Err("empty"),
                        false => Ok(found),
                    },
                });
            }
        };
        Ok(match plans {
            Ok(plans) => Answered {
                found: self.run(&plans, question)?,
                plans,
            },
            Err(code) => Answered {
                plans: Vec::new(),
                found: Err(code),
            },
        })
    }

    /// What plans answer. Best readings that answer differently are no answer.
    pub fn run(self, plans: &[String], question: &Question) -> Result<Found, EvalError> {
        let mut found: Option<Found> = None;
        for plan in plans {
            let answer = self.verdict(plan, question)?.1;
            let answer = match answer.outcome {
                Outcome::Answer(answer) => Ok(self.compared(answer.names(self.lattice))),
                Outcome::Abstention(abstention) => Err(abstention.reason.code()),
            };
            found = match found {
                Some(other) if other != answer => Some(Err("ambiguous")),
                _ => Some(answer),
            };
        }
        Ok(found.unwrap_or(Err("not-understood")))
    }

    /// The verdict of a plan, and its query in canonical form.
    pub fn verdict(self, plan: &str, question: &Question) -> Result<(Query, Verdict), EvalError> {
        let told = |diagnostic: Option<&Diagnostic>| EvalError::Plan {
            question: question.text.clone(),
            plan: plan.to_owned(),
            reason: diagnostic.map_or_else(String::new, |first| first.message.clone()),
        };
        let query = parse_query(plan).map_err(|diagnostics| told(diagnostics.first()))?;
        let query = canonical(&query, &BTreeMap::new(), &BTreeMap::new())
            .map_err(|diagnostic| told(Some(&diagnostic)))?;
        let verdict = engine::answer(self.lattice, &query, self.budget);
        let verdict = verdict.map_err(|error| stopped(error, question))?;
        Ok((query, verdict))
    }

    /// Names as they are compared with the gold: where the questions were not made from
    /// the lattice's own names, without case and with numbers in one form.
    fn compared(self, names: Vec<String>) -> Vec<String> {
        match self.benchmark {
            Benchmark::MetaQa | Benchmark::PathQuestion => {
                answer_set(names.iter().map(String::as_str))
            }
            Benchmark::GeoQuery | Benchmark::Qa => {
                let folded: Vec<String> = names.iter().map(|name| folded(name)).collect();
                answer_set(folded.iter().map(String::as_str))
            }
        }
    }
}

/// A plan was stopped at a question.
pub(super) fn stopped(error: RunError, question: &Question) -> EvalError {
    match error {
        RunError::Cancelled => EvalError::Cancelled,
        error => EvalError::Run {
            question: question.text.clone(),
            error,
        },
    }
}
