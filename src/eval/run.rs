//! Questions to verdicts to figures, on all cores.

use super::answer::{Answerer, Asked};
use super::configuration::{self, Configuration};
use super::folds::Folds;
use super::grade::{Contestants, Graded, grade};
use super::journal::Journal;
use super::keywords::Keywords;
use super::question::Question;
use super::report::{Counted, Figures, Parts, Report, counted};
use super::{Benchmark, EvalError, PlannerKind, Task, metaqa, pathquestion, qa};
use crate::ask::{Part, Planner, part_of};
use crate::engine::Budget;
use crate::lattice::Lattice;
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
    check(task)?;
    let (questions, split) = match task.benchmark {
        Benchmark::MetaQa => (metaqa::questions(task)?, task.split.clone()),
        Benchmark::PathQuestion => (pathquestion::questions(task, lattice)?, "all".to_owned()),
        Benchmark::GeoQuery => (qa::geoquery(task)?, task.split.clone()),
        Benchmark::Qa => (qa::questions(task)?, "all".to_owned()),
    };
    let (questions, held) = parted(task, questions);
    let configuration = Configuration::of(task, lattice);
    let graded = graded(task, &questions, lattice, budget, &configuration, progress)?;
    let Counted {
        all,
        hops,
        sizes,
        leak,
        misses,
        unanswerable,
        support_removed,
        ceiling,
        keywords,
        leaks,
    } = counted(&questions, &graded);
    let parts = match (&task.frozen, task.part) {
        (Some(path), _) => Some(configuration::against(path, &configuration, &all)?),
        (None, Part::All) => Some(parts(&questions, &graded, &held)),
        (None, _) => None,
    };
    let differences = graded.into_iter().filter_map(|graded| graded.difference);
    Ok(Report {
        benchmark: task.benchmark,
        split,
        part: match task.part {
            Part::All => "all",
            Part::Training => "training",
            Part::Held => "held",
        },
        lattice: lattice.content_hash().to_string(),
        plans: task.planner.word(),
        configuration,
        abstained: all.abstained,
        all,
        hops,
        sizes,
        leak,
        misses,
        unanswerable,
        support_removed,
        ceiling,
        keywords,
        parts,
        differences: differences.collect(),
        leaks,
    })
}

/// Refuses what cannot be run.
fn check(task: &Task) -> Result<(), EvalError> {
    let has_oracle = matches!(task.benchmark, Benchmark::MetaQa | Benchmark::PathQuestion);
    if matches!(task.planner, PlannerKind::Oracle) && !has_oracle {
        return Err(EvalError::NoOracle {
            benchmark: task.benchmark,
        });
    }
    if task.benchmark == Benchmark::Qa && task.questions.is_empty() {
        return Err(EvalError::NoQuestions);
    }
    let learns = matches!(task.planner, PlannerKind::Embedded(_));
    match task.folds {
        Some(folds) if !learns || !(2..=100).contains(&folds) => Err(EvalError::NoFolds { folds }),
        _ => Ok(()),
    }
}

/// The questions of the part that is asked for, as they are to be asked, and which of
/// them the split holds back. Each number of hops is split by itself.
fn parted(task: &Task, questions: Vec<Question>) -> (Vec<Question>, Vec<bool>) {
    let mut levels: BTreeMap<u8, Vec<(usize, Question)>> = BTreeMap::new();
    for (at, question) in questions.into_iter().enumerate() {
        levels
            .entry(question.hops)
            .or_default()
            .push((at, question));
    }
    let (mut questions, mut held) = (Vec::new(), Vec::new());
    for level in levels.into_values() {
        let places: Vec<(usize, &str, usize)> = level
            .iter()
            .map(|(at, question)| (*at, question.text.as_str(), question.gold.len()))
            .collect();
        let behind = part_of(places, Part::Held, |(_, text, answers)| (text, *answers));
        let behind: BTreeSet<usize> = behind.into_iter().map(|(at, ..)| at).collect();
        for (at, question) in level {
            let is_held = behind.contains(&at);
            if task.part == Part::All || (task.part == Part::Held) == is_held {
                questions.push(question);
                held.push(is_held);
            }
        }
    }
    if task.no_brackets {
        for question in questions.iter_mut().filter(|q| !q.topic.is_empty()) {
            let bracketed = format!("[{}]", question.topic);
            question.text = question.text.replace(&bracketed, &question.topic);
        }
    }
    (questions, held)
}

/// The figures of both parts where all questions were asked.
fn parts(questions: &[Question], graded: &[Graded], held: &[bool]) -> Parts {
    let of = |wanted: bool| {
        let all = questions.iter().zip(graded).zip(held);
        let part =
            all.filter(|((question, _), held)| **held == wanted && !question.gold.is_empty());
        Figures::of(part.map(|((_, graded), _)| &graded.score))
    };
    Parts::new(of(false), of(true))
}

/// Who writes the plans of which question.
enum Planners {
    Oracle,
    One(Box<Planner>),
    Folds(Folds),
    Keywords,
}

impl Planners {
    fn new(task: &Task, questions: &[Question], lattice: &Lattice) -> Result<Planners, EvalError> {
        Ok(match (&task.planner, task.folds) {
            (PlannerKind::Oracle, _) => Planners::Oracle,
            (PlannerKind::Keywords, _) => Planners::Keywords,
            (PlannerKind::Embedded(embedded), Some(folds)) => {
                Planners::Folds(Folds::new(folds, questions, embedded, lattice)?)
            }
            (PlannerKind::Embedded(embedded), None) => {
                Planners::One(Box::new(Planner::new(lattice, &embedded.vocabulary)))
            }
        })
    }

    /// Who answers the question with a number.
    fn of<'a>(&'a self, question: usize, keywords: Option<&'a Keywords>) -> Answerer<'a> {
        let embedded = match self {
            Planners::One(planner) => Some(planner.as_ref()),
            Planners::Folds(folds) => folds.planner(question),
            Planners::Oracle | Planners::Keywords => None,
        };
        match (embedded, keywords) {
            (Some(planner), _) => Answerer::Embedded(planner),
            (None, Some(keywords)) if matches!(self, Planners::Keywords) => {
                Answerer::Keywords(keywords)
            }
            _ => Answerer::Oracle,
        }
    }
}

/// The hash of all that graded questions depend on.
fn run_hash(task: &Task, questions: &[Question], configuration: &Configuration) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(&configuration.hash);
    add(&format!("{} {}", task.remove_support, task.baselines));
    for question in questions {
        add(&question.text);
        question.gold.iter().for_each(|name| add(name));
    }
    format!("b3:{}", hasher.finalize().to_hex())
}

/// The graded questions, in their order.
fn graded(
    task: &Task,
    questions: &[Question],
    lattice: &Lattice,
    budget: &Budget,
    configuration: &Configuration,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Vec<Graded>, EvalError> {
    let run = run_hash(task, questions, configuration);
    let (mut journal, mut done) = match &task.resume {
        Some(path) => {
            let (journal, done) = Journal::open(path, &run)?;
            (Some(journal), done)
        }
        None => (None, BTreeMap::new()),
    };
    let portions: Vec<&[Question]> = questions.chunks(PORTION).collect();
    done.retain(|k, graded| portions.get(*k).is_some_and(|p| p.len() == graded.len()));
    let open: Vec<usize> = (0..portions.len())
        .filter(|k| !done.contains_key(k))
        .collect();
    if !open.is_empty() {
        let searched = task.baselines || matches!(task.planner, PlannerKind::Keywords);
        let keywords = searched.then(|| Keywords::new(lattice));
        let planners = Planners::new(task, questions, lattice)?;
        let asked = Asked {
            benchmark: task.benchmark,
            lattice,
            budget,
        };
        let beside = keywords.as_ref().filter(|_| task.baselines);
        let work = |k: usize| -> Result<Vec<Graded>, EvalError> {
            let portion = portions.get(k).copied().unwrap_or_default();
            let numbered = (k * PORTION..).zip(portion);
            let graded = numbered.map(|(number, question)| {
                let contestants = Contestants {
                    answerer: planners.of(number, keywords.as_ref()),
                    keywords: beside.map(Answerer::Keywords),
                };
                grade(task, asked, contestants, question)
            });
            graded.collect()
        };
        let total = questions.len() as u64;
        let mut count: u64 = done.values().map(|graded| graded.len() as u64).sum();
        parallel(task, &open, &work, &mut |k, graded| {
            if let Some(journal) = &mut journal {
                journal.keep(k, &graded)?;
            }
            count += graded.len() as u64;
            progress(count, total);
            done.insert(k, graded);
            Ok(())
        })?;
    }
    Ok(done.into_values().flatten().collect())
}

/// Does the work of some portions on all cores; `take` is given what is done, as it is
/// done. The first portion that fails, in their order, is told.
fn parallel(
    task: &Task,
    open: &[usize],
    work: &(dyn Fn(usize) -> Result<Vec<Graded>, EvalError> + Sync),
    take: &mut dyn FnMut(usize, Vec<Graded>) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = task.threads.unwrap_or(cores).clamp(1, 64);
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let mut failed: Option<(usize, EvalError)> = None;
    let worker = |sender: mpsc::Sender<(usize, Result<Vec<Graded>, EvalError>)>| {
        while !stop.load(Ordering::Relaxed) {
            let Some(&k) = open.get(next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            if sender.send((k, work(k))).is_err() {
                return;
            }
        }
    };
    let worker = &worker;
    thread::scope(|scope| {
        let begun = (0..threads).take_while(|_| {
            let sender = sender.clone();
            let thread = thread::Builder::new();
            thread.spawn_scoped(scope, move || worker(sender)).is_ok()
        });
        // The machine may give no threads: this one does the work then.
        if begun.count() == 0 {
            worker(sender.clone());
        }
        drop(sender);
        for (k, graded) in receiver {
            let taken = graded.and_then(|graded| take(k, graded));
            if let Err(error) = taken {
                stop.store(true, Ordering::Relaxed);
                if failed.as_ref().is_none_or(|(first, _)| k < *first) {
                    failed = Some((k, error));
                }
            }
        }
    });
    failed.map_or(Ok(()), |(_, error)| Err(error))
}
