//! `latweave build`: files to a lattice, whole or not at all.

use super::args::{self, Build, Loading, SourceForm};
use super::progress::LINE_EVERY;
use super::report;
use super::source::{Source, not_one_of};
use super::terminal::{Exit, Failure, Terminal, count_of, grouped, plain, spent};
use crate::lattice::{BuildError, Builder, Built, SaveError, StoreError, Timings};
use crate::load::{self, LoadError, OnError, Options, Progress, Report, Request};
use crate::script::ScriptError;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs `latweave build`.
pub fn run(arguments: &Build, terminal: &Terminal) -> Result<Exit, Failure> {
    let started = Instant::now();
    check_output(&arguments.output)?;
    not_one_of(
        &arguments.output,
        arguments.sources.iter().map(|s| s.as_path()),
    )?;
    let busy = terminal.interrupt.begin();
    let mut work = Work::new(arguments, terminal);
    let pool = arguments.working.threads.map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        pool.build().map_err(Failure::new)
    });
    let pool = pool.transpose()?;
    let loaded = match &pool {
        Some(pool) => pool.install(|| work.load(arguments)),
        None => work.load(arguments),
    };
    let (report, reading) = (loaded?, started.elapsed());
    let saved = match &pool {
        Some(pool) => pool.install(|| work.save(arguments)),
        None => work.save(arguments),
    };
    let built = saved?;
    work.bar.finish_and_clear();
    drop(busy);
    report::warnings(&report, terminal);
    if built.counts.is_empty() {
        terminal.warn("nothing was loaded: the lattice is empty");
    }
    let mut out = io::stdout().lock();
    report::inferred(&report, &mut out, terminal)?;
    let time = terminal.interactive.then(|| started.elapsed());
    told(&mut out, &arguments.output, &built, &report, time)?;
    if arguments.working.timings {
        timed(&mut out, reading, &built.timings)?;
    }
    Ok(if report.is_whole() {
        Exit::Done
    } else {
        Exit::Partly
    })
}

/// Nothing is read for an hour only to find that it cannot be written.
fn check_output(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::with_help(
            format!("{} is a folder", path.display()),
            "name the lattice file to write, as in -o films.lattice",
        ));
    }
    if std::fs::metadata(path).is_ok_and(|there| there.permissions().readonly()) {
        let path = path.to_path_buf();
        return Err(Failure::new(StoreError::ReadOnly { path }));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::with_help(
            format!(
                "{} could not be written: its folder does not exist",
                path.display()
            ),
            "make the folder first",
        ));
    }
    Ok(())
}

fn told(
    out: &mut dyn Write,
    path: &Path,
    built: &Built,
    report: &Report,
    time: Option<Duration>,
) -> io::Result<()> {
    let counts = built.counts;
    writeln!(out, "{}", report::in_short(report))?;
    let time = time.map_or(String::new(), |time| format!(", in {}", spent(time)));
    writeln!(
        out,
        "{}: {}, {}, {}{time}",
        plain(&path.display().to_string()),
        count_of(counts.instances, "instance", "instances"),
        count_of(counts.predicates, "distinct fact", "distinct facts"),
        count_of(counts.dimensions, "dimension", "dimensions"),
    )?;
    writeln!(out, "{}", built.content_hash)
}

/// How long each stage took.
pub fn timed(out: &mut dyn Write, reading: Duration, timings: &Timings) -> io::Result<()> {
    let stages = [
        ("reading", reading),
        ("names", timings.names),
        ("sorting", timings.sorting),
        ("postings", timings.postings),
        ("evidence", timings.evidence),
        ("hashing", timings.hashing),
        ("writing", timings.writing),
    ];
    for (stage, time) in stages {
        writeln!(out, "{stage:>10}  {:.2} s", time.as_secs_f64())?;
    }
    Ok(())
}

struct Work<'t> {
    builder: Builder,
    options: Options,
    bar: ProgressBar,
    terminal: &'t Terminal,
    before: u64,
    facts: u64,
    files: (usize, usize),
    last_line: Instant,
    total: u64,
}

impl<'t> Work<'t> {
    fn new(arguments: &Build, terminal: &'t Terminal) -> Work<'t> {
        let sizes = arguments.schema.iter().chain(&arguments.sources);
        let total = sizes
            .filter_map(|p| std::fs::metadata(p).ok())
            .map(|m| m.len())
            .sum();
        Work {
            builder: Builder::within(arguments.working.memory, &folder_of(&arguments.output)),
            options: options(&arguments.loading),
            bar: bar(total, terminal),
            terminal,
            before: 0,
            facts: 0,
            files: (0, arguments.sources.len()),
            last_line: Instant::now(),
            total,
        }
    }

    fn load(&mut self, arguments: &Build) -> Result<Report, Failure> {
        let mut whole = Report::default();
        if let Some(path) = &arguments.schema {
            let mut request = Request::new(path);
            request.form = Some(load::Form::Lq);
            request.schema = true;
            let loaded = self.load_one(&request);
            whole.absorb(loaded.map_err(|error| self.refused(error, None))?);
        }
        for path in &arguments.sources {
            let mut request = Request::new(path);
            request.form = arguments.loading.form.map(form);
            let loaded = self.load_one(&request);
            whole.absorb(loaded.map_err(|error| self.refused(error, Some(path)))?);
            self.files.0 += 1;
        }
        if let Some(wrong) = whole.wish_without_file(&self.options, &self.builder) {
            self.bar.finish_and_clear();
            return Err(Failure::with_help(plain(&wrong), "nothing was written"));
        }
        whole.warn_of_references();
        whole.note_cycles(&self.builder);
        Ok(whole)
    }

    fn load_one(&mut self, request: &Request) -> Result<Report, LoadError> {
        let options = self.options.clone();
        let mut builder = std::mem::take(&mut self.builder);
        let done = load::load(&mut builder, request, &options, self);
        self.builder = builder;
        let report = done?;
        self.facts += report.facts;
        self.before += std::fs::metadata(&request.path).map_or(0, |m| m.len());
        Ok(report)
    }

    fn refused(&self, error: LoadError, path: Option<&Path>) -> Failure {
        self.bar.finish_and_clear();
        refused(error, path, self.terminal)
    }

    fn save(&mut self, arguments: &Build) -> Result<Built, Failure> {
        self.bar.set_position(self.total);
        self.bar.set_message("putting in order");
        let builder = std::mem::take(&mut self.builder);
        let interrupt = &self.terminal.interrupt;
        let saved = builder.save(&arguments.output, &|| interrupt.asked());
        saved.map_err(|error| {
            self.bar.finish_and_clear();
            match error {
                SaveError::Build(BuildError::Cycle(_)) => Failure::with_help(
                    plain(&error.to_string()),
                    "nothing was written; --on-error skip or quarantine makes the members of a cycle one value, and keeps its edges as defects",
                ),
                SaveError::Stopped => interrupted(),
                other => Failure::new(other),
            }
        })
    }
}

/// How files are to be loaded.
pub fn options(loading: &Loading) -> Options {
    Options {
        on_error: match loading.on_error {
            args::OnError::Stop => OnError::Stop,
            args::OnError::Skip => OnError::Skip,
            args::OnError::Quarantine => OnError::Quarantine,
        },
        one: loading.one.clone(),
        key: loading.key.clone(),
        edges: loading.edges.clone(),
        language: loading.language.clone(),
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

impl Progress for Work<'_> {
    fn tick(&mut self, bytes_done: u64, facts: u64) -> ControlFlow<()> {
        if self.terminal.interrupt.asked() {
            return ControlFlow::Break(());
        }
        let done = self.before + bytes_done;
        self.bar.set_position(done.min(self.total));
        let facts = grouped(self.facts + facts);
        if self.terminal.error_interactive {
            let (file, files) = self.files;
            self.bar.set_message(format!(
                "file {} of {files}, {facts} statements",
                (file + 1).min(files)
            ));
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let (file, files) = self.files;
            let percent = (done * 100).checked_div(self.total).unwrap_or(0).min(100);
            eprintln!("{percent} %: {file} of {files} files read, {facts} statements");
        }
        ControlFlow::Continue(())
    }
}

pub fn bar(total: u64, terminal: &Terminal) -> ProgressBar {
    if !terminal.error_interactive {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total);
    let template = "{bar:24} {percent:>3} %  {msg}  {bytes_per_sec}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar
}

pub fn interrupted() -> Failure {
    Failure::interrupted("nothing was written")
}

pub fn form(form: SourceForm) -> load::Form {
    match form {
        SourceForm::Triples => load::Form::Triples,
        SourceForm::Ntriples => load::Form::NTriples,
        SourceForm::Table => load::Form::Table,
        SourceForm::Jsonl => load::Form::JsonLines,
        SourceForm::Context => load::Form::Context,
        SourceForm::Lq => load::Form::Lq,
        SourceForm::Obo => load::Form::Obo,
        SourceForm::Rdf => load::Form::Rdf,
        SourceForm::Wordnet => load::Form::WordNet,
        SourceForm::Edges => load::Form::Edges,
    }
}

/// Tells why a file of the command line, or one that it loads, could not be loaded.
pub fn refused(error: LoadError, given: Option<&Path>, terminal: &Terminal) -> Failure {
    match error {
        LoadError::UnknownForm { path } if path.is_dir() => Failure::with_help(
            format!("{} is a folder", plain(&path.display().to_string())),
            "name the files in it",
        ),
        LoadError::UnknownForm { path } if given == Some(&path) => Failure::with_help(
            format!(
                "{}: the ending says nothing about the form",
                plain(&path.display().to_string())
            ),
            "name it: --form triples, ntriples, table, jsonl, context, lq, obo, rdf, wordnet or edges",
        ),
        LoadError::Table { .. } => {
            Failure::with_help(plain(&error.to_string()), "nothing was written")
        }
        LoadError::Cancelled => interrupted(),
        LoadError::Script {
            document,
            text,
            diagnostics,
        } => {
            let source = Source::typed(&document, "");
            let error = ScriptError::Loaded {
                name: document,
                text,
                diagnostics,
            };
            Failure::Told(source.tell_error(terminal, &error))
        }
        LoadError::BadLine(_) | LoadError::NotText { .. } => Failure::with_help(
            plain(&error.to_string()),
            "nothing was written; --on-error skip leaves out such lines, --on-error quarantine such files",
        ),
        other => Failure::new(plain(&other.to_string())),
    }
}
