//! The arguments of `ask`, `plan`, `replay` and `learn`.

use super::{Format, Limits, QuestionPart};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Whom a question is put to.
#[derive(Args, Debug)]
pub struct Asking {
    /// The question, in English
    #[arg(value_name = "QUESTION")]
    pub question: String,

    /// The lattice to ask. Where `NAME.vocabulary.lq` stands beside `NAME.lattice`, the
    /// question is read with the words in it too
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// A file with a vocabulary; may be given again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub vocabulary: Vec<PathBuf>,

    /// Tell on standard error which files were read and where the plan comes from
    #[arg(short, long)]
    pub verbose: bool,
}

/// `latweave ask`.
#[derive(Args, Debug)]
pub struct Ask {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub asking: Asking,

    /// The folder that plans are kept in; `$LATWEAVE_CACHE` if absent, else
    /// `latweave/plans` in `$XDG_CACHE_HOME` or `~/.cache`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,

    /// Plan anew and keep nothing
    #[arg(long)]
    pub no_cache: bool,

    /// The form of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Format,

    /// Print all rows on a terminal too
    #[arg(long)]
    pub all: bool,

    /// Exit with 3 if the verdict is an abstention
    #[arg(long)]
    pub exit_abstain: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,
}

/// `latweave plan`.
#[derive(Args, Debug)]
pub struct Plan {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub asking: Asking,

    /// Where the plan is written; standard output if absent
    #[arg(short, long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// `latweave replay`.
#[derive(Args, Debug)]
pub struct Replay {
    /// Plans, or folders with plans (*.lq), which are run in the order of their names
    #[arg(value_name = "PLAN", required = true, value_hint = ValueHint::AnyPath)]
    pub plans: Vec<PathBuf>,

    /// The lattice that the plans were written for
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// Run plans that were written for another lattice too, and show how their answers
    /// have moved
    #[arg(long)]
    pub drift: bool,

    /// The form of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Format,

    /// Print all rows on a terminal too
    #[arg(long)]
    pub all: bool,

    /// Exit with 3 if the last verdict is an abstention
    #[arg(long)]
    pub exit_abstain: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,
}

/// `latweave learn`.
#[derive(Args, Debug)]
pub struct Learn {
    /// The lattice that answers the questions
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// A file of questions with their answers: JSON Lines, or lines of
    /// `question TAB answer|answer`; may be given again
    #[arg(long, required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub questions: Vec<PathBuf>,

    /// Which part of the questions; the split is stratified and has seed 88
    #[arg(long, value_enum, default_value_t = QuestionPart::All, value_name = "PART")]
    pub part: QuestionPart,

    /// A file with a vocabulary that is known before; may be given again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub vocabulary: Vec<PathBuf>,

    /// Where the vocabulary is written; standard output if absent. `NAME.vocabulary.lq`
    /// beside `NAME.lattice` is where `ask` looks for it
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}
