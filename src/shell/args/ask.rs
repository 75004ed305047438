//! The arguments of `ask`, `plan` and `learn`.

use super::{Format, Limits, QuestionPart};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Whom a question is put to.
#[derive(Args, Debug)]
pub struct Asking {
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,

    /// The lattice to ask
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// A file with a vocabulary; may be given again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub vocabulary: Vec<PathBuf>,
}

/// `latweave ask`.
#[derive(Args, Debug)]
pub struct Ask {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub asking: Asking,

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

    /// Where the vocabulary is written; standard output if absent
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}
