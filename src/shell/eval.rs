//! `latweave eval`: a benchmark over a lattice.

use super::args::{self, Eval};
use super::ask::{part, vocabulary};
use super::progress::LINE_EVERY;
use super::run::budget;
use super::source::{open, unwritable};
use super::terminal::{Exit, Failure, Terminal, grouped};
use crate::ask::Planner;
use crate::eval::{self, Benchmark, EvalError, PlannerKind, Task};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, Write};
use std::time::Instant;

/// Runs `latweave eval`.
pub fn run(arguments: &Eval, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    let _busy = terminal.interrupt.begin();
    let planner = match arguments.planner {
        args::PlannerKind::Oracle => PlannerKind::Oracle,
        args::PlannerKind::Embedded => {
            let vocabulary = vocabulary(&arguments.vocabulary, terminal)?;
            PlannerKind::Embedded(Box::new(Planner::new(&lattice, &vocabulary)))
        }
    };
    let benchmark = match arguments.benchmark {
        args::Benchmark::Metaqa => Benchmark::MetaQa,
        args::Benchmark::Pathquestion => Benchmark::PathQuestion,
    };
    let task = Task {
        hops: arguments.hops,
        part: part(arguments.part),
        no_brackets: arguments.no_brackets,
        planner,
        threads: arguments.threads.map(usize::from),
        ..Task::new(benchmark, &arguments.data, &arguments.split)
    };
    let mut bar = Bar::new(terminal);
    let limits = budget(&arguments.limits, terminal);
    let report = eval::run(&task, &lattice, &limits, &mut |done, total| {
        bar.tick(done, total)
    });
    bar.bar.finish_and_clear();
    let report = match report {
        Ok(report) => report,
        Err(EvalError::Cancelled) => return Ok(Exit::Interrupted),
        Err(error) => return Err(Failure::new(error)),
    };
    write!(io::stdout().lock(), "{report}")?;
    if let Some(path) = &arguments.misses {
        let lines = report.differences.iter().map(|miss| {
            let mut line = serde_json::to_string(miss).unwrap_or_default();
            line.push('\n');
            line
        });
        fs::write(path, lines.collect::<String>()).map_err(|error| unwritable(path, &error))?;
    }
    if let Some(path) = &arguments.report {
        fs::write(path, report.to_json()).map_err(|error| unwritable(path, &error))?;
    }
    Ok(Exit::Done)
}

/// How many questions are done.
struct Bar {
    bar: ProgressBar,
    terminal: bool,
    last_line: Instant,
}

impl Bar {
    fn new(terminal: &Terminal) -> Bar {
        Bar {
            bar: ProgressBar::hidden(),
            terminal: terminal.error_interactive,
            last_line: Instant::now(),
        }
    }

    fn tick(&mut self, done: u64, total: u64) {
        if !self.terminal {
            if self.last_line.elapsed() >= LINE_EVERY {
                self.last_line = Instant::now();
                eprintln!("{} of {} questions", grouped(done), grouped(total));
            }
            return;
        }
        if self.bar.is_hidden() {
            self.bar = ProgressBar::new(total);
            if let Ok(style) =
                ProgressStyle::with_template("{wide_bar} {pos} of {len} questions, {eta} left")
            {
                self.bar.set_style(style);
            }
        }
        self.bar.set_position(done);
    }
}
