//! The arguments of `eval`.

use super::{Limits, QuestionPart};
use clap::{Args, ValueEnum, ValueHint};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// A benchmark that `eval` runs.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benchmark {
    /// MetaQA
    Metaqa,
    /// PathQuestion
    Pathquestion,
    /// GeoQuery
    Geoquery,
    /// Any questions with their answers
    Qa,
}

/// Where the plans of a benchmark come from.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlannerKind {
    /// The words of a vocabulary
    #[default]
    Embedded,
    /// The benchmark's own annotation
    Oracle,
    /// No plans: a search for the words of the question
    Keywords,
}

/// `latweave eval`.
#[derive(Args, Debug)]
pub struct Eval {
    /// The benchmark
    #[arg(value_enum, value_name = "BENCHMARK")]
    pub benchmark: Benchmark,

    /// Where the plans come from
    #[arg(
        long,
        alias = "plans",
        value_enum,
        default_value_t,
        value_name = "PLANNER"
    )]
    pub planner: PlannerKind,

    /// A file with a vocabulary, for the embedded planner; may be given again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub vocabulary: Vec<PathBuf>,

    /// Which part of the questions; the split is stratified and has seed 88
    #[arg(long, value_enum, default_value_t, value_name = "PART")]
    pub part: QuestionPart,

    /// Write the questions whose answers are not the gold sets to a file, as JSON Lines
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub misses: Option<PathBuf>,

    /// Take brackets around names out of the questions
    #[arg(long)]
    pub no_brackets: bool,

    /// Also ask each question with the last hop of its answer hidden, and expect an
    /// abstention
    #[arg(long)]
    pub remove_support: bool,

    /// Also run the benchmark's own plans, as the ceiling, and a search for the words of
    /// the questions
    #[arg(long)]
    pub baselines: bool,

    /// Learn a vocabulary by cross-validation in N folds, on the questions of other
    /// templates
    #[arg(long, value_name = "N")]
    pub folds: Option<usize>,

    /// The report of the training part; the configuration is to be the same, and the
    /// drift is told
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub frozen: Option<PathBuf>,

    /// Keep what has been graded in a file, and go on from there after an interruption
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub resume: Option<PathBuf>,

    /// The folder with the benchmark's files
    #[arg(
        long,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        required_unless_present = "questions"
    )]
    pub data: Option<PathBuf>,

    /// A file of questions with their answers, for qa: JSON Lines with question and
    /// answers or answer; may be given again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub questions: Vec<PathBuf>,

    /// The split
    #[arg(long, value_name = "NAME", default_value = "dev")]
    pub split: String,

    /// Only questions of so many hops
    #[arg(long, value_name = "N")]
    pub hops: Option<u8>,

    /// The lattice to ask
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// Threads that work; one for each core if absent
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,

    /// Write the report to a file, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,

    /// Write the report to a file, as Markdown
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub markdown: Option<PathBuf>,
}
