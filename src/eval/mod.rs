//! Benchmarks: question files to plans, plans to verdicts, verdicts to figures.
//!
//! ```text
//! files ── metaqa, pathquestion ──► Question { topic, hops, gold }
//!       ── plan ──► LQ text ── syntax, engine ──► Verdict ── score ──► Report
//! ```
//!
//! The plans are *oracle* plans: they follow the path of relations that the
//! benchmark's authors give for each question. They are written as LQ text and
//! take the way of any other query, so that what is measured is the language and
//! the engine, not a planner.

#![deny(clippy::indexing_slicing)]

mod error;
mod files;
mod metaqa;
mod pathquestion;
mod plan;
mod question;
mod report;
mod run;
mod score;

pub use error::EvalError;
pub use report::{Difference, Figures, Report};
pub use run::run;

use crate::ask::{Part, Planner};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// A set of questions with their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Benchmark {
    /// MetaQA: `{1,2,3}-hop/qa_SPLIT.txt` and `qa_SPLIT_qtype.txt`.
    MetaQa,
    /// PathQuestion: `PQ-2H.txt` and `PQ-3H.txt`.
    PathQuestion,
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Benchmark::MetaQa => "MetaQA",
            Benchmark::PathQuestion => "PathQuestion",
        })
    }
}

/// Who writes the plans.
pub enum PlannerKind {
    /// The benchmark's annotation.
    Oracle,
    /// The embedded planner.
    Embedded(Box<Planner>),
}

/// What is to be run.
pub struct Task {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The folder with its files.
    pub data: PathBuf,
    /// The split of MetaQA, such as `dev`. PathQuestion has none.
    pub split: String,
    /// Only the questions of so many hops. If absent, those of all of MetaQA, and
    /// those of PathQuestion whose topics the lattice knows.
    pub hops: Option<u8>,
    /// Which part of the questions.
    pub part: Part,
    /// Whether brackets around names are taken out of the questions.
    pub no_brackets: bool,
    /// Who writes the plans.
    pub planner: PlannerKind,
    /// How many threads work; one for each core if absent.
    pub threads: Option<usize>,
}

impl Task {
    /// All questions of a split, with a thread for each core.
    pub fn new(benchmark: Benchmark, data: impl Into<PathBuf>, split: impl Into<String>) -> Task {
        Task {
            benchmark,
            data: data.into(),
            split: split.into(),
            hops: None,
            part: Part::All,
            no_brackets: false,
            planner: PlannerKind::Oracle,
            threads: None,
        }
    }
}
