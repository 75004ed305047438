//! `latweave run`: scripts, one after the other, in one session.

use super::args::{Format, Limits, Run};
use super::check::{finding, is_lattice};
use super::draw;
use super::progress::Watch;
use super::render::{self, FIRST_ROWS, Manner};
use super::report;
use super::source::{Source, not_one_of, open, write_whole};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::engine::{Budget, RunError};
use crate::lattice::Lattice;
use crate::script::{Binding, Output, ScriptError, Session};
use crate::syntax::tree::{Statement, StatementKind};
use crate::syntax::{Diagnostic, parse, parse_lenient};
use crate::verdict::Outcome;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Runs `latweave run`.
pub fn run(arguments: &Run, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut sources = Vec::new();
    for path in &arguments.scripts {
        sources.push(script(path)?);
    }
    for text in &arguments.text {
        sources.push(Source::typed("<command>", text));
    }
    let mut session = session(arguments, terminal)?;
    let mut results = Results::new(
        manner(arguments, terminal),
        budget(&Limits::default(), terminal),
    );
    let mut exit = Exit::Done;
    let drawing = arguments.draw.as_deref().map(draw::form_of).transpose()?;
    for path in arguments.certificate.iter().chain(&arguments.draw) {
        let scripts = arguments.scripts.iter().map(|script| script.as_path());
        not_one_of(
            path,
            arguments.lattice.as_deref().into_iter().chain(scripts),
        )?;
    }
    for source in &sources {
        let ran = run_source(&mut session, source, &mut results, terminal);
        exit = worse(exit, uncertified(ran, arguments)?);
        if exit == Exit::Interrupted {
            return Ok(exit);
        }
        if exit == Exit::Failed && results.stopped {
            break;
        }
    }
    let finished = results.finish().map(|()| exit);
    uncertified(finished, arguments)?;
    if let Some(path) = &arguments.certificate
        && !results.stopped
    {
        certificate(&session, path, terminal)?;
    }
    if let (Some(path), Some(form)) = (&arguments.draw, drawing)
        && !results.stopped
    {
        draw::chain(&session, path, form, &arguments.limits, terminal)?;
    }
    let abstained = session
        .verdict()
        .is_some_and(|(v, _)| matches!(v.outcome, Outcome::Abstention(_)));
    if exit == Exit::Done && arguments.exit_abstain && abstained {
        exit = Exit::Abstained;
    }
    Ok(exit)
}

/// A reader who went away ends the run quietly, unless a certificate or a picture
/// was to follow.
fn uncertified(ran: Result<Exit, Failure>, arguments: &Run) -> Result<Exit, Failure> {
    match (
        ran,
        arguments.certificate.as_ref().or(arguments.draw.as_ref()),
    ) {
        (Err(Failure::Pipe), Some(path)) => Err(Failure::with_help(
            format!(
                "the output was closed before the end, so {} was not written",
                path.display()
            ),
            "let the output be read to its end, or send it to a file",
        )),
        (ran, _) => ran,
    }
}

/// Reads a script; of what is none it says what to do with it.
fn script(path: &Path) -> Result<Source, Failure> {
    let name = plain(&path.display().to_string());
    if is_lattice(path) && path.is_file() {
        return Err(Failure::with_help(
            format!("{name} is a lattice, no script"),
            format!("use -l: latweave run -l {name} -c 'SHOW DIMENSIONS'"),
        ));
    }
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let is_data = ["csv", "tsv", "jsonl", "nt", "cxt"].contains(&ending.to_lowercase().as_str());
    if is_data && path.is_file() {
        return Err(Failure::with_help(
            format!("{name} holds data and is no script"),
            format!(
                "build it (latweave build -o data.lattice {name}), or load it in a script (LOAD \
                 \"{name}\")"
            ),
        ));
    }
    if path != Path::new("-") && !path.exists() {
        let text = path.to_str().unwrap_or("");
        if parse(text).is_ok_and(|tree| !tree.statements.is_empty()) {
            return Err(Failure::with_help(
                format!("there is no file “{name}”, and it reads as LQ"),
                "use -c for a text: latweave run -c 'MEET …'",
            ));
        }
    }
    Source::read(path)
}

/// Runs what stands in standard input as `run -` does.
pub fn run_standard_input(lattice: Option<&Path>, terminal: &Terminal) -> Result<Exit, Failure> {
    let arguments = Run {
        scripts: vec!["-".into()],
        text: Vec::new(),
        lattice: lattice.map(Path::to_path_buf),
        parameters: Vec::new(),
        format: Format::Table,
        all: false,
        certificate: None,
        draw: None,
        exit_abstain: false,
        limits: Limits::default(),
    };
    run(&arguments, terminal)
}

fn manner(arguments: &Run, terminal: &Terminal) -> Manner {
    let person = terminal.interactive;
    Manner {
        format: arguments.format,
        paint: terminal.paint,
        width: terminal.width,
        limit: (person && !arguments.all).then_some(FIRST_ROWS),
        repl: false,
    }
}

fn session(arguments: &Run, terminal: &Terminal) -> Result<Session, Failure> {
    let lattice = open(arguments.lattice.as_deref())?;
    let mut session = Session::new(lattice);
    session.set_budget(budget(&arguments.limits, terminal));
    let mut names: Vec<&str> = arguments
        .parameters
        .iter()
        .map(|(n, _)| n.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut values: Vec<Binding> = arguments
            .parameters
            .iter()
            .filter(|(n, _)| n == name)
            .map(|(_, value)| Binding::read(value))
            .collect();
        match (values.pop(), values.is_empty()) {
            (Some(only), true) => session.bind(name, only),
            (last, _) => {
                values.extend(last);
                session.bind(name, Binding::several(values));
            }
        }
    }
    Ok(session)
}

/// The budget that flags and Ctrl-C set.
pub fn budget(limits: &Limits, terminal: &Terminal) -> Budget {
    let mut budget = Budget::unlimited().with_cancel(terminal.interrupt.flag());
    if let Some(time) = limits.time_limit {
        budget = budget.with_time(time);
    }
    if let Some(bytes) = limits.memory_limit {
        budget = budget.with_memory(bytes);
    }
    budget
}

/// The graver of two ends.
pub fn worse(a: Exit, b: Exit) -> Exit {
    let grave = |exit: Exit| match exit {
        Exit::Done => 0,
        Exit::Abstained => 1,
        Exit::Partly => 2,
        Exit::Failed => 3,
        Exit::Usage => 4,
        Exit::Interrupted => 5,
    };
    if grave(b) > grave(a) { b } else { a }
}

/// Prints results as they come, or the last one at the end.
pub struct Results {
    manner: Manner,
    budget: Budget,
    last: Option<(Output, Lattice)>,
    error: Option<Value>,
    printed: bool,
    /// Whether a script ended before its last statement.
    pub stopped: bool,
}

impl Results {
    /// Nothing yet.
    pub fn new(manner: Manner, budget: Budget) -> Results {
        Results {
            manner,
            budget,
            last: None,
            error: None,
            printed: false,
            stopped: false,
        }
    }

    /// One more result.
    fn take(
        &mut self,
        output: Output,
        lattice: &Lattice,
        time: Option<Duration>,
    ) -> Result<(), Failure> {
        match self.manner.format {
            Format::Json | Format::Csv | Format::Tsv => {
                if render::is_result(&output) {
                    self.last = Some((output, lattice.clone()));
                }
                Ok(())
            }
            _ => {
                let mut out = BufWriter::new(io::stdout().lock());
                if render::is_result(&output) && self.manner.format != Format::Jsonl {
                    if self.printed {
                        writeln!(out)?;
                    }
                    self.printed = true;
                }
                render::print(&mut out, &self.manner, lattice, &output, time, &self.budget)?;
                out.flush()?;
                Ok(())
            }
        }
    }

    /// The script ends before its last statement: for a program that is the
    /// result.
    fn stop(&mut self, name: &str, text: &str, diagnostics: &[Diagnostic]) {
        self.stopped = true;
        if matches!(self.manner.format, Format::Json | Format::Jsonl) {
            let all: Vec<_> = diagnostics.iter().map(|d| finding(name, text, d)).collect();
            self.last = None;
            self.error = Some(json!({ "error": { "diagnostics": all } }));
        }
    }

    /// As [`Results::stop`], for an error that a statement gave.
    fn stop_at(&mut self, source: &Source, error: &ScriptError) {
        match error {
            ScriptError::Text(diagnostics) => self.stop(&source.name, &source.text, diagnostics),
            ScriptError::Loaded {
                name,
                text,
                diagnostics,
            } => self.stop(name, text, diagnostics),
            ScriptError::Cancelled => self.stopped = true,
        }
    }

    /// The end: what waited is printed.
    pub fn finish(&mut self) -> Result<(), Failure> {
        if let Some(error) = self.error.take() {
            let mut out = io::stdout().lock();
            let told = match self.manner.format {
                Format::Json => format!("{error:#}"),
                _ => error.to_string(),
            };
            writeln!(out, "{told}")?;
        }
        if let Some((output, lattice)) = self.last.take() {
            let mut out = BufWriter::new(io::stdout().lock());
            render::print(
                &mut out,
                &self.manner,
                &lattice,
                &output,
                None,
                &self.budget,
            )?;
            out.flush()?;
        }
        Ok(())
    }
}

/// Runs one text to its end, or to its first error.
pub fn run_source(
    session: &mut Session,
    source: &Source,
    results: &mut Results,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let (tree, diagnostics) = parse_lenient(&source.text);
    if source.tell(terminal, &diagnostics) {
        results.stop(&source.name, &source.text, &diagnostics);
        return Ok(Exit::Failed);
    }
    session.begin_text(&source.name, &source.text, &source.folder);
    let mut exit = Exit::Done;
    for statement in &tree.statements {
        let started = Instant::now();
        let done = execute(session, statement, terminal);
        let output = match done {
            Ok(output) => output,
            Err(error) => {
                results.stop_at(source, &error);
                return Ok(source.tell_error(terminal, &error));
            }
        };
        let time = terminal.interactive.then(|| started.elapsed());
        if let Output::Expectation(Some(difference)) = &output {
            source.tell(terminal, &[difference.diagnostic(statement.span)]);
            exit = Exit::Failed;
        }
        if let Output::Loaded(told) = &output {
            report::warnings(told, terminal);
        }
        let lattice = match &output {
            Output::Verdict(_) => session.verdict().map(|(_, l)| l.clone()),
            _ => None,
        };
        let lattice = lattice.unwrap_or_else(|| session.settled().clone());
        results.take(output, &lattice, time)?;
    }
    if let Err(error) = session.settle() {
        results.stop_at(source, &error);
        return Ok(source.tell_error(terminal, &error));
    }
    Ok(exit)
}

/// Runs one statement; Ctrl-C stops it, and the loading of a file is shown.
pub fn execute(
    session: &mut Session,
    statement: &Statement,
    terminal: &Terminal,
) -> Result<Output, ScriptError> {
    let _busy = terminal.interrupt.begin();
    if !matches!(statement.kind, StatementKind::Load(_)) {
        return session.execute(statement);
    }
    let watch = Rc::new(RefCell::new(Watch::new(terminal)));
    let watcher = watch.clone();
    session.set_watcher(Box::new(move |bytes, facts| {
        watcher.borrow_mut().tick(bytes, facts);
    }));
    let done = session.execute(statement);
    session.set_watcher(Box::new(|_, _| {}));
    watch.borrow_mut().clear();
    done
}

/// Writes the certificate of the last verdict.
pub fn certificate(session: &Session, path: &Path, terminal: &Terminal) -> Result<(), Failure> {
    if session.verdict().is_none() {
        return Err(Failure::with_help(
            "there is no verdict to certify",
            "run a query first",
        ));
    }
    let _busy = terminal.interrupt.begin();
    write_whole(path, |out| match session.certify(out) {
        None | Some(Ok(_)) => Ok(()),
        Some(Err(RunError::Cancelled)) => Err(Failure::interrupted("no certificate was written")),
        Some(Err(error)) => Err(Failure::new(error)),
    })
}
