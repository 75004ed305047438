//! Benchmarks: question files to plans, plans to verdicts, verdicts to figures.
//!
//! ```text
//! files ── metaqa, pathquestion, qa ──► Question { text, path, gold }
//!       ── answer (oracle plan, embedded planner, keywords) ──► names, or an abstention
//!       ── grade: score, miss; support: the same without what the answer rests on
//!       ── report ──► figures, table, Markdown, JSON
//! ```
//!
//! *Oracle* plans follow the path of relations that the benchmark's authors give for
//! each question. They are written as LQ text and take the way of any other query, so
//! that what they measure is the language and the engine, not a planner: they are the
//! ceiling of every planner.

#![deny(clippy::indexing_slicing)]

mod answer;
mod configuration;
mod error;
mod files;
mod folds;
mod grade;
mod journal;
mod keywords;
mod metaqa;
mod miss;
mod normal;
mod pathquestion;
mod plan;
mod qa;
mod question;
mod report;
mod run;
mod score;
mod support;
mod table;

pub use configuration::Configuration;
pub use error::EvalError;
pub use miss::Miss;
pub use report::{Difference, Figures, Leak, Parts, Refusals, Report, SupportRemoved};
pub use run::run;

use crate::ask::{Part, Vocabulary};
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
    /// GeoQuery: `questions_SPLIT.jsonl`, with the SQL of each question.
    GeoQuery,
    /// Any questions with answers: JSON Lines.
    Qa,
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Benchmark::MetaQa => "MetaQA",
            Benchmark::PathQuestion => "PathQuestion",
            Benchmark::GeoQuery => "GeoQuery",
            Benchmark::Qa => "questions",
        })
    }
}

/// Who writes the plans.
#[derive(Clone)]
pub enum PlannerKind {
    /// The benchmark's annotation.
    Oracle,
    /// The embedded planner.
    Embedded(Box<Embedded>),
    /// Nobody: a search for the words of the question.
    Keywords,
}

impl PlannerKind {
    fn word(&self) -> &'static str {
        match self {
            PlannerKind::Oracle => "oracle",
            PlannerKind::Embedded(_) => "embedded",
            PlannerKind::Keywords => "keywords",
        }
    }
}

/// What the embedded planner reads with.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The words, those of English too.
    pub vocabulary: Vocabulary,
    /// The hash of the files that the vocabulary was read from, if there were any.
    pub hash: Option<String>,
}

impl Embedded {
    /// English and the texts of files, which stay with it as their hash.
    pub fn new<'a>(vocabulary: Vocabulary, texts: impl IntoIterator<Item = &'a str>) -> Embedded {
        let mut hasher = blake3::Hasher::new();
        let mut some = false;
        for text in texts {
            some = true;
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Embedded {
            vocabulary,
            hash: some.then(|| format!("b3:{}", hasher.finalize().to_hex())),
        }
    }
}

/// What is to be run.
#[derive(Clone)]
pub struct Task {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The folder with its files.
    pub data: PathBuf,
    /// The files of [`Benchmark::Qa`].
    pub questions: Vec<PathBuf>,
    /// The split of MetaQA or GeoQuery, such as `dev`. The others have none.
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
    /// Whether each question is also asked with the last hop of its answer hidden.
    pub remove_support: bool,
    /// Whether the benchmark's own plans and a keyword search are run beside.
    pub baselines: bool,
    /// By how many folds a vocabulary is learned on the questions of other templates.
    pub folds: Option<usize>,
    /// The report of the part that the configuration was frozen with.
    pub frozen: Option<PathBuf>,
    /// Where what has been graded is kept, so that an interrupted run goes on.
    pub resume: Option<PathBuf>,
    /// How many threads work; one for each core if absent.
    pub threads: Option<usize>,
}

impl Task {
    /// All questions of a split with the benchmark's own plans, with a thread for each
    /// core.
    pub fn new(benchmark: Benchmark, data: impl Into<PathBuf>, split: impl Into<String>) -> Task {
        Task {
            benchmark,
            data: data.into(),
            questions: Vec::new(),
            split: split.into(),
            hops: None,
            part: Part::All,
            no_brackets: false,
            planner: PlannerKind::Oracle,
            remove_support: false,
            baselines: false,
            folds: None,
            frozen: None,
            resume: None,
            threads: None,
        }
    }
}
