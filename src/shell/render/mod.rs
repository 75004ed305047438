//! Results in the form that was asked for.

mod advice;
mod answer;
mod json;
mod listing;
mod refusal;
mod sheet;
mod sound;
mod theory;

pub use refusal::Refusal;
pub use sheet::{FIRST_ROWS, Heading, Row, Sheet, more_rows};

use super::args::Format;
use super::terminal::{Paint, count_of, plain};
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::script::Output;
use crate::verdict::Verdict;
use std::io::{self, Write};
use std::time::Duration;

/// How results are printed.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The form.
    pub format: Format,
    /// Colours.
    pub paint: Paint,
    /// Columns of the terminal; `None` for a pipe or a file.
    pub width: Option<usize>,
    /// Rows shown at most.
    pub limit: Option<usize>,
    /// Whether `.all` shows the rest.
    pub repl: bool,
}

impl Manner {
    /// For a pipe: everything, without colour.
    pub fn whole(format: Format) -> Manner {
        Manner {
            format,
            paint: Paint::PLAIN,
            width: None,
            limit: None,
            repl: false,
        }
    }
}

/// Prints what a statement gave. `time` is told where a person reads along;
/// `budget` bounds what looking up the evidence may take.
///
/// # Errors
/// If the output cannot be written, or the lattice turns out to be damaged: then what
/// was read of the damage is not printed.
pub fn print(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    output: &Output,
    time: Option<Duration>,
    budget: &Budget,
) -> io::Result<()> {
    let mut sound = Sound::new(out, lattice);
    put(&mut sound, manner, lattice, output, time, budget)?;
    sound.flush()
}

/// A question, as it is told with its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The question.
    pub text: &'a str,
    /// The statements of its plan.
    pub plan: Option<&'a str>,
    /// How the answer has moved, for programs.
    pub moved: Option<&'a serde_json::Value>,
}

/// Prints the verdict of a question, with its plan.
///
/// # Errors
/// As [`print`].
pub fn asked(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    question: &Question<'_>,
    verdict: &Verdict,
    time: Option<Duration>,
    budget: &Budget,
) -> io::Result<()> {
    let mut sound = Sound::new(out, lattice);
    match manner.format {
        Format::Json => json::asked(&mut sound, lattice, question, verdict, true)?,
        Format::Jsonl => json::asked(&mut sound, lattice, question, verdict, false)?,
        Format::Csv | Format::Tsv => {
            answer::print(&mut sound, manner, lattice, verdict, time, budget)?;
        }
        Format::Md => {
            if let Some(plan) = question.plan {
                writeln!(sound, "```lq\n{}\n```\n", plan.trim_end())?;
            }
            answer::print(&mut sound, manner, lattice, verdict, time, budget)?;
        }
        Format::Table => {
            for line in question.plan.unwrap_or_default().lines() {
                writeln!(sound, "{}", manner.paint.faint(&plain(line)))?;
            }
            if question.plan.is_some() {
                writeln!(sound)?;
            }
            answer::print(&mut sound, manner, lattice, verdict, time, budget)?;
        }
    }
    sound.flush()
}

fn put(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    output: &Output,
    time: Option<Duration>,
    budget: &Budget,
) -> io::Result<()> {
    match manner.format {
        Format::Json => json::print(out, lattice, output, true),
        Format::Jsonl => json::print(out, lattice, output, false),
        _ => match output {
            Output::Verdict(verdict) => answer::print(out, manner, lattice, verdict, time, budget),
            Output::Listing(listing) => listing::print(out, manner, lattice, *listing),
            Output::Description(description) => listing::describe(out, manner, description),
            Output::Report(report) => theory::print(out, manner, report),
            Output::Explanation(explanation) => match manner.format {
                Format::Csv | Format::Tsv => Ok(()),
                Format::Md => writeln!(out, "```text\n{}\n```", explanation.to_string().trim_end()),
                _ => writeln!(out, "{}", explanation.to_string().trim_end()),
            },
            Output::Loaded(_) | Output::Opened { .. } => match manner.format {
                Format::Table if manner.repl => told(out, manner, output),
                _ => Ok(()),
            },
            Output::Done | Output::Expectation(_) => Ok(()),
        },
    }
}

/// Whether a statement gave a result: something to print in a machine's form.
pub fn is_result(output: &Output) -> bool {
    matches!(
        output,
        Output::Verdict(_)
            | Output::Listing(_)
            | Output::Description(_)
            | Output::Explanation(_)
            | Output::Report(_)
    )
}

/// What a statement did to the lattice, in one line.
fn told(out: &mut dyn Write, manner: &Manner, output: &Output) -> io::Result<()> {
    let line = match output {
        Output::Loaded(report) => count_of(report.facts, "fact", "facts"),
        Output::Opened { path, hash, counts } => format!(
            "{}: {}, {} ({})",
            plain(&path.display().to_string()),
            count_of(counts.instances, "instance", "instances"),
            count_of(counts.predicates, "fact", "facts"),
            hash
        ),
        _ => return Ok(()),
    };
    writeln!(out, "{}", manner.paint.faint(&line))
}

/// Prints a sheet in the form that was asked for; tells what was left out.
pub fn print_sheet(out: &mut dyn Write, manner: &Manner, sheet: Sheet<'_>) -> io::Result<()> {
    match manner.format {
        Format::Csv => sheet.separated(out, false),
        Format::Tsv => sheet.separated(out, true),
        Format::Md => sheet.markdown(out),
        _ => {
            let left_out = sheet.table(out, manner.paint, manner.width, manner.limit)?;
            if left_out > 0 {
                let line = more_rows(left_out, manner.repl);
                writeln!(out, "{}", manner.paint.faint(&line))?;
            }
            Ok(())
        }
    }
}

use sound::Sound;

pub use listing::in_words as dimension_in_words;
