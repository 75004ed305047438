//! `latweave bench`: speed beside peers.

use super::args::{Bench, Workload};
use super::progress::LINE_EVERY;
use super::terminal::{Exit, Failure, Interrupt, Terminal};
use crate::bench::{self, BenchError, Data, Task, Watcher};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Instant;

/// Runs `latweave bench`.
pub fn run(arguments: &Bench, terminal: &Terminal) -> Result<Exit, Failure> {
    let temporary;
    let folder = match &arguments.keep {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
            folder.clone()
        }
        None => {
            temporary = tempfile::tempdir()
                .map_err(|error| Failure::new(format!("no folder can be made: {error}")))?;
            temporary.path().to_owned()
        }
    };
    let task = Task {
        data: match &arguments.data {
            Some(folder) => Data::Folder(folder.clone()),
            None => Data::Made {
                instances: arguments.instances,
                queries: arguments.queries,
                seed: arguments.seed,
            },
        },
        folder,
        reuse: arguments.reuse,
        rounds: arguments.rounds,
        duckdb: !arguments.no_duckdb,
    };
    let _busy = terminal.interrupt.begin();
    let mut line = Line::new(terminal);
    let report = match arguments.workload {
        Workload::Taxa => bench::taxa(&task, &mut line).map(Told::of),
        Workload::Hops => bench::hops(&task, &mut line).map(Told::of),
        Workload::Growth => bench::growth(&task, &mut line).map(Told::Growth),
    };
    line.bar.finish_and_clear();
    let told = match report {
        Ok(told) => told,
        Err(BenchError::Cancelled) => return Ok(Exit::Interrupted),
        Err(error) => return Err(Failure::new(error)),
    };
    let (text, agrees) = match (told, arguments.json) {
        (Told::Report(report), true) => (report.to_json(), report.agrees()),
        (Told::Report(report), false) => (report.to_string(), report.agrees()),
        (Told::Growth(growth), true) => (growth.to_json(), growth.agrees()),
        (Told::Growth(growth), false) => (growth.to_string(), growth.agrees()),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if agrees { Exit::Done } else { Exit::Failed })
}

/// What a run found.
enum Told {
    Report(Box<bench::Report>),
    Growth(bench::Growth),
}

impl Told {
    fn of(report: bench::Report) -> Told {
        Told::Report(Box::new(report))
    }
}

/// What is being done.
struct Line<'t> {
    bar: ProgressBar,
    interrupt: &'t Interrupt,
    terminal: bool,
    last: Instant,
}

impl<'t> Line<'t> {
    fn new(terminal: &'t Terminal) -> Line<'t> {
        let bar = match terminal.error_interactive {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Line {
            bar,
            interrupt: &terminal.interrupt,
            terminal: terminal.error_interactive,
            last: Instant::now(),
        }
    }
}

impl Watcher for Line<'_> {
    fn tick(&mut self, what: &str) -> ControlFlow<()> {
        if self.interrupt.asked() {
            return ControlFlow::Break(());
        }
        if self.terminal {
            self.bar.set_message(what.to_owned());
            self.bar.tick();
        } else if self.last.elapsed() >= LINE_EVERY {
            self.last = Instant::now();
            eprintln!("{what}");
        }
        ControlFlow::Continue(())
    }
}
