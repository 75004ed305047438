//! `latweave eval`: a benchmark over a lattice.

use super::args::{self, Eval};
use super::ask::{part, vocabulary};
use super::progress::LINE_EVERY;
use super::run::budget;
use super::source::{Source, open, unwritable};
use super::terminal::{Exit, Failure, Terminal, grouped};
use crate::eval::{self, Benchmark, Embedded, EvalError, PlannerKind, Report, Task};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

/// Runs `latweave eval`.
pub fn run(arguments: &Eval, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    let _busy = terminal.interrupt.begin();
    let task = task(arguments, terminal)?;
    let mut bar = Bar::new(terminal);
    let limits = budget(&arguments.limits, terminal);
    let report = eval::run(&task, &lattice, &limits, &mut |done, total| {
        bar.tick(done, total)
    });
    bar.bar.finish_and_clear();
    let report = match report {
        Ok(report) => report,
        Err(EvalError::Cancelled) => {
            if let Some(path) = &arguments.resume {
                eprintln!("stopped; the same command goes on from {}", path.display());
            }
            return Ok(Exit::Interrupted);
        }
        Err(error) => return Err(Failure::new(error)),
    };
    write!(io::stdout().lock(), "{report}")?;
    let put = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
        Some(path) => fs::write(path, text()).map_err(|error| unwritable(path, &error)),
        None => Ok(()),
    };
    put(&arguments.misses, &|| misses(&report))?;
    put(&arguments.report, &|| report.to_json())?;
    put(&arguments.markdown, &|| report.to_markdown())?;
    Ok(Exit::Done)
}

fn task(arguments: &Eval, terminal: &Terminal) -> Result<Task, Failure> {
    let planner = match arguments.planner {
        args::PlannerKind::Oracle => PlannerKind::Oracle,
        args::PlannerKind::Keywords => PlannerKind::Keywords,
        args::PlannerKind::Embedded => {
            let vocabulary = vocabulary(&arguments.vocabulary, terminal)?;
            let mut texts = Vec::new();
            for path in &arguments.vocabulary {
                texts.push(Source::read(path)?.text);
            }
            let texts = texts.iter().map(|text| text.as_ref());
            PlannerKind::Embedded(Box::new(Embedded::new(vocabulary, texts)))
        }
    };
    let benchmark = match arguments.benchmark {
        args::Benchmark::Metaqa => Benchmark::MetaQa,
        args::Benchmark::Pathquestion => Benchmark::PathQuestion,
        args::Benchmark::Geoquery => Benchmark::GeoQuery,
        args::Benchmark::Qa => Benchmark::Qa,
    };
    let data = match (&arguments.data, benchmark) {
        (Some(data), _) => data.clone(),
        (None, Benchmark::Qa) => PathBuf::new(),
        (None, _) => return Err(Failure::new("the benchmark's folder is wanted: --data DIR")),
    };
    Ok(Task {
        questions: arguments.questions.clone(),
        hops: arguments.hops,
        part: part(arguments.part),
        no_brackets: arguments.no_brackets,
        planner,
        remove_support: arguments.remove_support,
        baselines: arguments.baselines,
        folds: arguments.folds,
        frozen: arguments.frozen.clone(),
        resume: arguments.resume.clone(),
        threads: arguments.threads.map(usize::from),
        ..Task::new(benchmark, data, &arguments.split)
    })
}

/// What went wrong, as JSON Lines: first the answers that are not gold, then what was
/// answered without support.
fn misses(report: &Report) -> String {
    let line = |miss: serde_json::Result<String>| miss.unwrap_or_default() + "\n";
    let differences = report.differences.iter().map(serde_json::to_string);
    let leaks = report.leaks.iter().map(serde_json::to_string);
    differences.chain(leaks).map(line).collect()
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
