//! `latweave run`: scripts, one after the other, in one session.

use super::args::{Format, Limits, Run};
use super::batch::run_source;
use super::check::is_lattice;
use super::draw;
use super::render::{FIRST_ROWS, Manner};
use super::results::Results;
use super::source::{Source, not_one_of, open, write_whole};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::engine::{Budget, RunError};
use crate::script::{Binding, Session};
use crate::syntax::parse;
use crate::verdict::Outcome;
use std::path::Path;

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
        let ran = run_source(
            &mut session,
            source,
            &mut results,
            arguments.threads,
            terminal,
        );
        exit = worse(exit, uncertified(ran, arguments)?);
        if exit == Exit::Interrupted {
            return Ok(exit);
        }
        if results.stopped {
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
        threads: None,
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
        Exit::Spent => 4,
        Exit::Usage => 5,
        Exit::Interrupted => 6,
    };
    if grave(b) > grave(a) { b } else { a }
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
        Some(Err(error)) => Err(error.into()),
    })
}
