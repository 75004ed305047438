//! `latweave add` and `latweave remove`: documents into a lattice and out of it.

use super::args::{Add, Remove, Working};
use super::build::{bar, form, interrupted, options, refused, timed};
use super::progress::LINE_EVERY;
use super::report;
use super::source::not_one_of;
use super::terminal::{Exit, Failure, Terminal, count_of, grouped, plain, spent};
use crate::lattice::{BuildError, Counts, Lattice, SaveError};
use crate::load::{self, Change, ChangeError, Changed, Means, Outcome, Progress, Request};
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs `latweave add`.
pub fn add(arguments: &Add, terminal: &Terminal) -> Result<Exit, Failure> {
    let sources = arguments.sources.iter().map(PathBuf::as_path);
    not_one_of(&arguments.lattice, sources)?;
    let request = |path: &PathBuf| Request {
        form: arguments.loading.form.map(form),
        ..Request::new(path)
    };
    let change = Change {
        add: arguments.sources.iter().map(request).collect(),
        options: options(&arguments.loading),
        remove: Vec::new(),
    };
    run(&arguments.lattice, &change, arguments.working, terminal)
}

/// Runs `latweave remove`.
pub fn remove(arguments: &Remove, terminal: &Terminal) -> Result<Exit, Failure> {
    let change = Change {
        remove: arguments.sources.clone(),
        ..Change::default()
    };
    run(&arguments.lattice, &change, arguments.working, terminal)
}

fn run(
    path: &Path,
    change: &Change,
    working: Working,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let started = Instant::now();
    let busy = terminal.interrupt.begin();
    let mut watch = Watch::new(path, change, terminal);
    let interrupt = &terminal.interrupt;
    let means = Means {
        memory: working.memory,
        threads: working.threads,
        stopped: &|| interrupt.asked(),
    };
    let done = load::change(path, change, means, &mut watch);
    watch.bar.finish_and_clear();
    drop(busy);
    let changed = done.map_err(|error| failure(error, change, terminal))?;
    report::warnings(&changed.report, terminal);
    let mut out = io::stdout().lock();
    report::inferred(&changed.report, &mut out, terminal)?;
    let time = terminal.interactive.then(|| started.elapsed());
    told(&mut out, path, &changed, time)?;
    if working.timings
        && let Some(built) = &changed.built
    {
        timed(&mut out, watch.read.unwrap_or_default(), &built.timings)?;
    }
    Ok(match changed.report.is_whole() {
        true => Exit::Done,
        false => Exit::Partly,
    })
}

/// What became of each document, and what there is now.
fn told(
    out: &mut dyn Write,
    path: &Path,
    changed: &Changed,
    time: Option<Duration>,
) -> io::Result<()> {
    for (name, outcome) in &changed.documents {
        let outcome = match outcome {
            Outcome::Added => "added",
            Outcome::Replaced => "replaced",
            Outcome::Unchanged => "is there already; nothing changed",
            Outcome::Removed => "removed",
            Outcome::SetAside => "set aside",
        };
        writeln!(out, "{}: {outcome}", plain(name))?;
    }
    if changed.report.lines > 0 {
        writeln!(out, "{}", report::in_short(&changed.report))?;
    }
    let time = time.map_or(String::new(), |time| format!(", in {}", spent(time)));
    let (before, after) = (changed.before, changed.after);
    let was = |count: fn(&Counts) -> u64| match (count(&before), count(&after)) {
        (before, after) if before == after => String::new(),
        (before, _) => format!(" ({} before)", grouped(before)),
    };
    writeln!(
        out,
        "{}: {}{}, {}{}, {}{time}",
        plain(&path.display().to_string()),
        count_of(after.instances, "instance", "instances"),
        was(|counts| counts.instances),
        count_of(after.predicates, "distinct fact", "distinct facts"),
        was(|counts| counts.predicates),
        count_of(after.dimensions, "dimension", "dimensions"),
    )?;
    writeln!(out, "{}", changed.content_hash)
}

/// Tells why nothing was changed.
fn failure(error: ChangeError, change: &Change, terminal: &Terminal) -> Failure {
    const AS_IT_WAS: &str = "the lattice is as it was";
    match error {
        ChangeError::Load(load::LoadError::Cancelled) | ChangeError::Save(SaveError::Stopped) => {
            interrupted()
        }
        ChangeError::Load(error) => {
            let given = match &error {
                load::LoadError::UnknownForm { path } => {
                    change.add.iter().find(|request| request.path == *path)
                }
                _ => None,
            };
            refused(error, given.map(|request| request.path.as_path()), terminal)
        }
        ChangeError::Save(SaveError::Build(BuildError::Cycle(_))) => Failure::with_help(
            plain(&error.to_string()),
            "the lattice is as it was; --on-error skip or quarantine makes the members of a cycle one value, and keeps its edges as defects",
        ),
        ChangeError::Again { .. }
        | ChangeError::Save(SaveError::Build(_))
        | ChangeError::Wish(_) => Failure::with_help(plain(&error.to_string()), AS_IT_WAS),
        other => Failure::new(plain(&other.to_string())),
    }
}

/// Tells how far the work is.
struct Watch<'t> {
    terminal: &'t Terminal,
    bar: ProgressBar,
    total: u64,
    started: Instant,
    last_line: Instant,
    /// How long reading took, as far as it was.
    read: Option<Duration>,
}

impl<'t> Watch<'t> {
    fn new(path: &Path, change: &Change, terminal: &'t Terminal) -> Watch<'t> {
        let added = change.add.iter();
        let added = added.filter_map(|request| std::fs::metadata(&request.path).ok());
        // Looking through all documents takes time where there are many.
        let kept = match terminal.error_interactive {
            true => kept_bytes(path),
            false => 0,
        };
        let total = kept + added.map(|there| there.len()).sum::<u64>();
        Watch {
            terminal,
            bar: bar(total, terminal),
            total,
            started: Instant::now(),
            last_line: Instant::now(),
            read: None,
        }
    }
}

/// How many bytes the documents of a lattice have; 0 if that cannot be told.
fn kept_bytes(path: &Path) -> u64 {
    let documents = Lattice::open(path).and_then(|lattice| lattice.kept_documents());
    let files = documents.unwrap_or_default();
    let files = files.iter().flat_map(|document| document.files.first());
    files.map(|file| file.bytes.length()).sum()
}

impl Progress for Watch<'_> {
    fn tick(&mut self, bytes_done: u64, facts: u64) -> ControlFlow<()> {
        if self.terminal.interrupt.asked() {
            return ControlFlow::Break(());
        }
        self.read = Some(self.started.elapsed());
        self.bar.set_position(bytes_done.min(self.total));
        if self.terminal.error_interactive {
            self.bar
                .set_message(format!("{} statements", grouped(facts)));
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let megabytes = bytes_done / 1_000_000;
            eprintln!("{megabytes} MB read, {} statements", grouped(facts));
        }
        ControlFlow::Continue(())
    }
}
