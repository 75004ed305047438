//! The one definition of the command line: parser, help, man page and
//! completions all come from it.

mod ask;
mod build;
mod eval;
mod model;
mod values;

pub use ask::{Ask, Asking, Learn, Plan, Replay};
pub use build::{Add, Build, Loading, OnError, Remove, SourceForm, Working};
pub use eval::{Benchmark, Eval, PlannerKind};
pub use model::{ModelApi, ModelGrammar, Models};
pub use values::{duration, size};

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use values::parameter;

/// The program's arguments.
#[derive(Parser, Debug)]
#[command(
    name = "latweave",
    version,
    about = "Ask a knowledge lattice in LQ: answers with their evidence, refusals with their reason",
    after_help = "\
Without a command the REPL starts; where standard input is no terminal, the script is read from it.

Exit status: 0 a verdict was reached (an abstention is one), 1 a script, expectation or input is \
wrong, 2 wrong usage, 3 the last verdict was an abstention (only with --exit-abstain), 4 done in \
part, as asked, 5 a limit of time or memory was reached, 130 interrupted.",
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true
)]
pub struct Arguments {
    /// When to colour what is printed
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub color: Color,

    /// The lattice that the REPL works on; an empty one if absent
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: Option<PathBuf>,

    /// What is to be done
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// When to colour.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// At a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The form of what is printed.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Aligned tables, for people
    #[default]
    Table,
    /// The script's answer as one JSON document
    Json,
    /// Every result as one line of JSON
    Jsonl,
    /// The rows of the script's answer, separated by commas
    Csv,
    /// The rows of the script's answer, separated by tabs
    Tsv,
    /// Markdown tables
    Md,
}

/// The form of a picture.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// Boxes and edges, as SVG
    Svg,
    /// In the language of Graphviz
    Dot,
    /// A tree of text lines
    Tree,
}

/// The form of a report of `check`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Findings {
    /// For people
    #[default]
    Text,
    /// One JSON array
    Json,
}

/// The form of a report of `test`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Report {
    /// For people
    #[default]
    Text,
    /// Test Anything Protocol, version 14
    Tap,
    /// JUnit XML
    Junit,
}

/// What can be done.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run scripts, in one session
    Run(Run),
    /// Build a lattice from files
    Build(Build),
    /// Add documents to a lattice, or replace those that have changed
    Add(Add),
    /// Take documents out of a lattice
    Remove(Remove),
    /// Run scripts with EXPECT and report like a test runner
    Test(Test),
    /// Look for mistakes in scripts, or for damage in lattices
    Check(Check),
    /// Format scripts
    Fmt(Fmt),
    /// Check a certificate independently of the engine
    Verify(Verify),
    /// Show what is inside a lattice
    Show(Show),
    /// Write a whole lattice as LQ
    Dump(Dump),
    /// Show what two lattices say differently
    Diff(Diff),
    /// Tell the story of an error, warning or abstention code
    Explain(Explain),
    /// Ask a question in English
    Ask(Ask),
    /// Print the plan of a question, as LQ
    Plan(Plan),
    /// Run plans that were kept, without a planner
    Replay(Replay),
    /// Learn a vocabulary from questions and their answers
    Learn(Learn),
    /// Print the grammar of LQ, or that of plans for constrained decoding
    Grammar(Grammar),
    /// Run a benchmark over a lattice
    Eval(Eval),
    /// Measure speed beside SQLite and DuckDB, every answer checked
    #[cfg(feature = "bench")]
    Bench(Bench),
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the man page, in roff
    Man,
}

/// `latweave run`.
#[derive(Args, Debug)]
pub struct Run {
    /// The scripts, in order; `-` is standard input
    #[arg(value_name = "SCRIPT", required_unless_present = "text", value_hint = ValueHint::FilePath)]
    pub scripts: Vec<PathBuf>,

    /// LQ to run, after the scripts
    #[arg(short = 'c', long = "command", value_name = "TEXT")]
    pub text: Vec<String>,

    /// The lattice to ask; an empty one if absent
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: Option<PathBuf>,

    /// Bind $NAME to a value: a number, date, range, @id or "quoted string" as LQ
    /// writes them, any other text as a name. Given again, it binds several values
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub parameters: Vec<(String, String)>,

    /// The form of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Format,

    /// Print all rows on a terminal too
    #[arg(long)]
    pub all: bool,

    /// Write the certificate of the script's answer to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub certificate: Option<PathBuf>,

    /// Draw what the script's answer follows from, to a file that ends in .svg, .dot or .txt
    #[arg(long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub draw: Option<PathBuf>,

    /// Exit with status 3 if the script's answer is an abstention
    #[arg(long)]
    pub exit_abstain: bool,

    /// Threads that run statements which ask; one for each core if absent. What is
    /// printed is the same
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,
}

/// Bounds on each query. Reaching one is an error, never an abstention.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Longest time for one query, such as 10s, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Largest memory for the sets of one query, such as 512MB or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory_limit: Option<u64>,
}

/// `latweave test`.
#[derive(Args, Debug)]
pub struct Test {
    /// Folders (searched for .lq files) or scripts
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,

    /// The lattice that each script starts with; an empty one if absent
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: Option<PathBuf>,

    /// The form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Report,

    /// Threads that run scripts; one for each core if absent. What is printed is the same
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: Limits,
}

/// `latweave check`.
#[derive(Args, Debug)]
pub struct Check {
    /// Scripts to lint (`-` is standard input), or .lattice files of which every byte is checked
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// A lattice in which the names are looked up; unknown ones are warnings
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: Option<PathBuf>,

    /// The form of the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Findings,
}

/// `latweave fmt`.
#[derive(Args, Debug)]
pub struct Fmt {
    /// Write nothing; exit with status 1 if a script is not in canonical form
    #[arg(long)]
    pub check: bool,

    /// The scripts; `-` formats standard input to standard output
    #[arg(value_name = "SCRIPT", required = true, value_hint = ValueHint::FilePath)]
    pub scripts: Vec<PathBuf>,
}

/// `latweave verify`.
#[derive(Args, Debug)]
pub struct Verify {
    /// The certificate
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: PathBuf,

    /// The lattice it speaks of
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,
}

/// `latweave show`.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("one").args(["what", "concepts", "query"]))]
pub struct Show {
    /// The lattice
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// List the documents that the lattice keeps, for `latweave add` and `latweave remove`
    #[arg(long, conflicts_with_all = ["what", "concepts", "query", "draw"])]
    pub documents: bool,

    /// A dimension or an instance; the whole lattice in short if absent
    #[arg(value_name = "DIMENSION|INSTANCE")]
    pub what: Option<String>,

    /// Show the formal concepts of these dimensions
    #[arg(long, value_name = "DIMENSION,…", value_delimiter = ',')]
    pub concepts: Vec<String>,

    /// Only concepts of at least so many instances; all if absent
    #[arg(long, value_name = "N", requires = "concepts", conflicts_with_all = ["what", "query"])]
    pub support: Option<u64>,

    /// Show the answer of this query, such as 'MEET species = whale'
    #[arg(long, value_name = "LQ")]
    pub query: Option<String>,

    /// The form of what is printed
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORM",
        conflicts_with = "draw"
    )]
    pub format: Format,

    /// Print all rows on a terminal too
    #[arg(long)]
    pub all: bool,

    /// Draw the order of the dimension, the lattice of the concepts, or what the answer
    /// follows from: to a file that ends in .svg, .dot or .txt, or to standard output (`-`,
    /// or no OUT), there as a tree unless --as says otherwise
    #[arg(long, value_name = "OUT", num_args = 0..=1, default_missing_value = "-",
          requires = "one", value_hint = ValueHint::FilePath)]
    pub draw: Option<PathBuf>,

    /// The form of the picture, whatever OUT is called
    #[arg(long = "as", value_enum, value_name = "FORM", requires = "draw")]
    pub drawing: Option<Drawing>,

    /// Draw a part of the dimension: all that lies above this value, and what lies below it
    #[arg(long, value_name = "VALUE", requires_all = ["draw", "what"],
          conflicts_with_all = ["concepts", "query"])]
    pub around: Option<String>,

    /// So many levels below the value that is drawn around; all if absent
    #[arg(long, value_name = "N", requires = "around")]
    pub levels: Option<u32>,
}

/// `latweave dump`.
#[derive(Args, Debug)]
pub struct Dump {
    /// The lattice
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// Where to write; standard output if absent
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Write instances × values of these dimensions as a formal context (Burmeister's
    /// .cxt) instead of LQ
    #[arg(long, value_name = "DIMENSION,…", value_delimiter = ',')]
    pub context: Vec<String>,
}

/// `latweave diff`.
#[derive(Args, Debug)]
pub struct Diff {
    /// The old lattice
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub old: PathBuf,

    /// The new lattice
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub new: PathBuf,

    /// The form of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub format: Findings,
}

/// `latweave explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// Such as E012, W003 or conflict; all codes if absent
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// `latweave grammar`.
#[derive(Args, Debug)]
pub struct Grammar {
    /// Print the grammar of plans as GBNF, which servers of language models decode by
    #[arg(long)]
    pub gbnf: bool,

    /// A lattice, to whose dimensions and units plans are narrowed
    #[arg(short, long, value_name = "FILE", requires = "gbnf", value_hint = ValueHint::FilePath)]
    pub lattice: Option<PathBuf>,
}

/// Which part of a set of questions.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuestionPart {
    /// All of it
    #[default]
    All,
    /// Nine tenths, to learn on
    Training,
    /// The tenth that is held back
    Held,
}

/// A workload that `bench` measures.
#[cfg(feature = "bench")]
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Instances with values in taxonomies; queries of one to four constraints
    Taxa,
    /// Triples; chains of one to three hops
    Hops,
    /// taxa in three sizes, a tenth of the instances, these and ten times as many: what
    /// grows with what
    Growth,
}

/// `latweave bench`.
#[cfg(feature = "bench")]
#[derive(Args, Debug)]
pub struct Bench {
    /// The workload
    #[arg(value_enum, value_name = "WORKLOAD")]
    pub workload: Workload,

    /// The folder with the workload's files; a workload is made if absent
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,

    /// Make a workload of so many instances, or films of hops; 1,200,000 or 16,500 if absent
    #[arg(long, value_name = "N", conflicts_with = "data")]
    pub instances: Option<usize>,

    /// Make so many queries, of hops for each length
    #[arg(
        long,
        default_value_t = 1000,
        value_name = "N",
        conflicts_with = "data"
    )]
    pub queries: usize,

    /// Make the workload from another seed
    #[arg(long, default_value_t = 1, value_name = "N", conflicts_with = "data")]
    pub seed: u64,

    /// Each query is timed so often, and its median counts
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub rounds: usize,

    /// Keep the workload, the lattice and the databases of the peers in a folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub keep: Option<PathBuf>,

    /// Use what the folder of --keep has of these, as it is
    #[arg(long, requires = "keep")]
    pub reuse: bool,

    /// Leave DuckDB out; it is asked where python3 has its module
    #[arg(long)]
    pub no_duckdb: bool,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
