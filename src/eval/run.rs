//! Questions to verdicts to figures, on all cores.

use super::plan::plan;
use super::question::{Question, answer_set};
use super::report::{Difference, Figures, Report};
use super::score::{Score, score};
use super::{Benchmark, EvalError, Task, metaqa, pathquestion};
use crate::engine::{self, Budget, RunError};
use crate::lattice::{InstanceId, Lattice, ValueId};
use crate::syntax::{Diagnostic, canonical, parse_query};
use crate::verdict::{Answer, Members, Outcome, print_value};
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
        plans: "oracle",
        all: Figures::of(results.iter().map(|result| &result.score)),
        hops: levels.into_iter().map(figures).collect(),
        differences,
    })
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
                let results = portion.iter().map(|q| result(q, lattice, budget));
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

fn result(question: &Question, lattice: &Lattice, budget: &Budget) -> Result<Graded, EvalError> {
    let plan = plan(question, lattice);
    let found = ask(&plan, lattice, budget).map_err(|error| match error {
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
    let score = score(found.as_deref().ok(), &question.gold);
    let difference = (!score.set_equal).then(|| {
        let names = found.as_deref().unwrap_or_default();
        Difference {
            hops: question.hops,
            question: question.text.clone(),
            plan,
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
        Outcome::Answer(answer) => Ok(names(&answer, lattice)),
        Outcome::Abstention(abstention) => Err(abstention.reason.code()),
    })
}

/// The names of a set. Oracle plans have no other answers.
fn names(answer: &Answer, lattice: &Lattice) -> Vec<String> {
    let Answer::Set(set) = answer else {
        return Vec::new();
    };
    match &set.members {
        Members::Instances(ids) => {
            let names = ids.iter().map(|i| lattice.name(InstanceId(i)));
            answer_set(names)
        }
        Members::Values(d, ids) => {
            let values = ids.iter().map(|v| lattice.value(*d, ValueId(v)));
            let printed: Vec<String> = values.map(|value| print_value(lattice, &value)).collect();
            answer_set(printed.iter().map(String::as_str))
        }
        Members::Interval(_, value) => {
            answer_set(std::iter::once(print_value(lattice, value).as_str()))
        }
        Members::Texts(texts) => answer_set(texts.iter().map(String::as_str)),
    }
}
