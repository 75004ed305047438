//! Questions to verdicts to figures, on all cores.

use super::plan::plan;
use super::question::{Question, answer_set};
use super::report::{Difference, Figures, Report};
use super::score::{Score, score};
use super::{Benchmark, EvalError, PlannerKind, Task, metaqa, pathquestion};
use crate::ask::{Reading, Understood, part_of};
use crate::engine::{self, Budget, RunError};
use crate::lattice::Lattice;
use crate::syntax::{Diagnostic, canonical, parse_query};
use crate::verdict::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// So many questions are handed to a thread at once.
const PORTION: usize = 64;

/// Runs a benchmark. The budget is that of each single query; its cancellation
/// ends the run. `progress` is told how many questions of how many are done.
///
/// # Errors
/// [`EvalError`]; an abstention is no error, it is counted.
pub fn run(
    task: &Task,
    lattice: &Lattice,
    budget: &Budget,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, EvalError> {
    let (questions, split) = match task.benchmark {
        Benchmark::MetaQa => (metaqa::questions(task)?, task.split.clone()),
        Benchmark::PathQuestion => (pathquestion::questions(task, lattice)?, "all".to_owned()),
    };
    let questions = held_or_not(task, questions);
    let results = results(task, &questions, lattice, budget, progress)?;
    let mut levels: BTreeMap<u8, Vec<&Score>> = BTreeMap::new();
    let mut differences = Vec::new();
    for (question, result) in questions.iter().zip(&results) {
        levels.entry(question.hops).or_default().push(&result.score);
        differences.extend(result.difference.clone());
    }
    let figures = |(hops, scores): (u8, Vec<&Score>)| (hops, Figures::of(scores.into_iter()));
    Ok(Report {
        benchmark: task.benchmark,
        split,
        lattice: lattice.content_hash().to_string(),
        plans: match task.planner {
            PlannerKind::Oracle => "oracle",
            PlannerKind::Embedded(_) => "embedded",
        },
        all: Figures::of(results.iter().map(|result| &result.score)),
        hops: levels.into_iter().map(figures).collect(),
        differences,
    })
}

/// The questions of the part that is asked for, as they are to be asked.
fn held_or_not(task: &Task, questions: Vec<Question>) -> Vec<Question> {
    let mut levels: BTreeMap<u8, Vec<Question>> = BTreeMap::new();
    for question in questions {
        levels.entry(question.hops).or_default().push(question);
    }
    let parts = levels
        .into_values()
        .flat_map(|all| part_of(all, task.part, |q| (&q.text, q.gold.len())));
    let mut questions: Vec<Question> = parts.collect();
    if task.no_brackets {
        for question in &mut questions {
            let bracketed = format!("[{}]", question.topic);
            question.text = question.text.replace(&bracketed, &question.topic);
        }
    }
    questions
}

/// How one question went.
struct Graded {
    score: Score,
    difference: Option<Difference>,
}

/// What a thread has done: the portion's number, and its results in order.
type Portion = (usize, Result<Vec<Graded>, EvalError>);

/// The results, in the order of the questions.
fn results(
    task: &Task,
    questions: &[Question],
    lattice: &Lattice,
    budget: &Budget,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Graded>, EvalError> {
    let portions: Vec<&[Question]> = questions.chunks(PORTION).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = task.threads.unwrap_or(cores).clamp(1, 64);
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel::<Portion>();
    let total = questions.len() as u64;
    let mut done: BTreeMap<usize, Vec<Graded>> = BTreeMap::new();
    let mut failed: Option<(usize, EvalError)> = None;
    thread::scope(|scope| {
        let work = |sender: mpsc::Sender<Portion>| {
            while !stop.load(Ordering::Relaxed) {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(portion) = portions.get(k) else {
                    return;
                };
                let results = portion.iter().map(|q| result(task, q, lattice, budget));
                if sender.send((k, results.collect())).is_err() {
                    return;
                }
            }
        };
        let begun = (0..threads).take_while(|_| {
            let sender = sender.clone();
            let thread = thread::Builder::new();
            thread.spawn_scoped(scope, move || work(sender)).is_ok()
        });
        // The machine may give no threads: this one does the work then.
        if begun.count() == 0 {
            work(sender.clone());
        }
        drop(sender);
        let mut count = 0;
        for (k, results) in receiver {
            match results {
                Ok(results) => {
                    count += results.len() as u64;
                    progress(count, total);
                    done.insert(k, results);
                }
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    if failed.as_ref().is_none_or(|(first, _)| k < *first) {
                        failed = Some((k, error));
                    }
                }
            }
        }
    });
    match failed {
        Some((_, error)) => Err(error),
        None => Ok(done.into_values().flatten().collect()),
    }
}

fn result(
    task: &Task,
    question: &Question,
    lattice: &Lattice,
    budget: &Budget,
) -> Result<Graded, EvalError> {
    let plans: Result<Vec<String>, &'static str> = match &task.planner {
        PlannerKind::Oracle => Ok(vec![plan(question, lattice)]),
        PlannerKind::Embedded(planner) => match planner.read(&question.text) {
            Understood::Readings(readings) => Ok(readings.iter().map(Reading::plan).collect()),
            Understood::Not(_) => Err("not-understood"),
        },
    };
    let mut found: Option<Result<Vec<String>, &'static str>> = None;
    for plan in plans.iter().flatten() {
        let answer = ask(plan, lattice, budget).map_err(|error| match error {
            Asked::Run(RunError::Cancelled) => EvalError::Cancelled,
            Asked::Run(error) => EvalError::Run {
                question: question.text.clone(),
                error,
            },
            Asked::Read(reason) => EvalError::Plan {
                question: question.text.clone(),
                plan: plan.clone(),
                reason,
            },
        })?;
        // Best readings that answer differently are no answer.
        found = match found {
            Some(other) if other != answer => Some(Err("ambiguous")),
            _ => Some(answer),
        };
    }
    let refused = plans.as_ref().err().copied();
    let found = found.unwrap_or(Err(refused.unwrap_or("not-understood")));
    let score = score(found.as_deref().ok(), &question.gold);
    let difference = (!score.set_equal).then(|| {
        let names = found.as_deref().unwrap_or_default();
        Difference {
            hops: question.hops,
            question: question.text.clone(),
            plan: plans.unwrap_or_default().join("; "),
            refused: found.as_ref().err().copied(),
            extra: without(names, &question.gold),
            lacking: without(&question.gold, names),
        }
    });
    Ok(Graded { score, difference })
}

fn without(names: &[String], others: &[String]) -> Vec<String> {
    let others: BTreeSet<&String> = others.iter().collect();
    let rest = names.iter().filter(|name| !others.contains(name));
    rest.cloned().collect()
}

/// Why a plan has no verdict.
enum Asked {
    Read(String),
    Run(RunError),
}

/// The names that answer a plan, or the code of its abstention.
fn ask(
    plan: &str,
    lattice: &Lattice,
    budget: &Budget,
) -> Result<Result<Vec<String>, &'static str>, Asked> {
    let told = |diagnostic: &Diagnostic| Asked::Read(diagnostic.message.clone());
    let query = parse_query(plan).map_err(|diagnostics| match diagnostics.first() {
        Some(first) => told(first),
        None => Asked::Read(String::new()),
    })?;
    let query = canonical(&query, &BTreeMap::new(), &BTreeMap::new()).map_err(|d| told(&d))?;
    let verdict = engine::answer(lattice, &query, budget).map_err(Asked::Run)?;
    Ok(match verdict.outcome {
        Outcome::Answer(answer) => Ok(answer_set(answer.names(lattice).iter().map(String::as_str))),
        Outcome::Abstention(abstention) => Err(abstention.reason.code()),
    })
}
