//! Why a benchmark could not be run.

use crate::engine::RunError;
use std::io;
use std::path::PathBuf;

/// Why a benchmark reached no report. A question that abstains is no error.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file of the benchmark is not there.
    #[error("{} does not exist; {hint}", .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
        /// What should be there.
        hint: String,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line is not what the benchmark's form says.
    #[error("{}:{line}: {reason}", .path.display())]
    BadLine {
        /// The path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Two files that go together have not the same number of lines.
    #[error(
        "{} has {left} lines and {} has {right}; line n of the second is the type of line n of the first",
        .path.display(), .other.display()
    )]
    Uneven {
        /// The questions.
        path: PathBuf,
        /// Their types.
        other: PathBuf,
        /// Lines of the first.
        left: usize,
        /// Lines of the second.
        right: usize,
    },
    /// The benchmark has no questions of so many hops.
    #[error("{benchmark} has no questions of {hops} hops; it has those of {known}")]
    NoSuchHops {
        /// The benchmark.
        benchmark: super::Benchmark,
        /// What was asked for.
        hops: u8,
        /// What there is.
        known: &'static str,
    },
    /// A plan is not what the language reads: a fault of this program.
    #[error("the plan of \"{question}\" cannot be read: {reason} (the plan: {plan})")]
    Plan {
        /// The question.
        question: String,
        /// Its plan.
        plan: String,
        /// What the parser says.
        reason: String,
    },
    /// A plan was stopped.
    #[error("at \"{question}\": {error}")]
    Run {
        /// The question.
        question: String,
        /// Why.
        error: RunError,
    },
    /// A lattice could not be read without some of its predicates.
    #[error("at \"{question}\": the lattice is damaged; build it anew")]
    Hiding {
        /// The question.
        question: String,
    },
    /// What was learned for a fold is no LQ: a fault of this program.
    #[error("what was learned for fold {fold} is no LQ, which is a defect")]
    Learned {
        /// The fold, from 1.
        fold: usize,
    },
    /// Folds were asked for where nothing is learned.
    #[error("{folds} folds cannot be made: 2 to 100 are possible, of the embedded planner")]
    NoFolds {
        /// How many.
        folds: usize,
    },
    /// No file of questions was named.
    #[error("no questions are named; give their file with --questions")]
    NoQuestions,
    /// The benchmark has no plans of its own.
    #[error("{benchmark} has no oracle plans; use --planner embedded or keywords")]
    NoOracle {
        /// The benchmark.
        benchmark: super::Benchmark,
    },
    /// The file with what has been graded cannot be read or written.
    #[error("{} cannot be used to resume: {error}", .path.display())]
    Journal {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file with what has been graded is that of another run.
    #[error(
        "{} is not from this run: other questions, another configuration or another \
         form of file; name another file, or delete it to start anew", .path.display()
    )]
    OtherRun {
        /// The path.
        path: PathBuf,
    },
    /// A file is no report.
    #[error("{} is no report of eval: {reason}", .path.display())]
    NoReport {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The configuration is not the frozen one.
    #[error(
        "the configuration is not that of {}: {changed} changed ({present}, frozen {frozen})",
        .path.display()
    )]
    Thawed {
        /// The report.
        path: PathBuf,
        /// The hash in it.
        frozen: String,
        /// The present hash.
        present: String,
        /// What has changed.
        changed: String,
    },
    /// The caller said stop.
    #[error("the run was cancelled")]
    Cancelled,
}
