//! `latweave check`: mistakes in scripts, damage in lattices.

use super::args::{Check, Findings};
use super::run::worse;
use super::source::{Source, open, position};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::lattice::Lattice;
use crate::script::lint;
use crate::syntax::{Diagnostic, Severity, parse_lenient};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Runs `latweave check`.
pub fn run(arguments: &Check, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = match &arguments.lattice {
        Some(path) => Some(open(Some(path))?),
        None => None,
    };
    let mut exit = Exit::Done;
    let mut findings = Collected::new(arguments.format);
    for path in &arguments.files {
        let end = if is_lattice(path) {
            whole(path, terminal, &mut findings)?
        } else {
            script(path, lattice.as_ref(), terminal, &mut findings)?
        };
        exit = worse(exit, end);
    }
    findings.finish()?;
    Ok(exit)
}

/// Whether a file says of itself that it is a lattice.
pub(super) fn is_lattice(path: &Path) -> bool {
    let mut start = [0_u8; 8];
    let read = std::fs::File::open(path)
        .and_then(|mut file| io::Read::read_exact(&mut file, &mut start))
        .is_ok();
    (read && &start == b"LATWEAVE") || path.extension().is_some_and(|e| e == "lattice")
}

/// Checks every byte of a lattice.
fn whole(path: &Path, terminal: &Terminal, findings: &mut Collected) -> Result<Exit, Failure> {
    let checked = Lattice::open(path).and_then(|lattice| lattice.verify_all());
    let name = path.display().to_string();
    match (checked, findings.format) {
        (Ok(()), Findings::Text) => {
            let word = terminal.paint.good("sound");
            writeln!(io::stdout().lock(), "{word}: {}", plain(&name))?;
            Ok(Exit::Done)
        }
        (Ok(()), Findings::Json) => Ok(Exit::Done),
        (Err(error), Findings::Text) => {
            terminal.tell(Failure::new(error));
            Ok(Exit::Failed)
        }
        (Err(error), Findings::Json) => {
            findings.all.push(json!({
                "file": name, "message": error.to_string(), "severity": "error",
            }));
            Ok(Exit::Failed)
        }
    }
}

fn script(
    path: &Path,
    lattice: Option<&Lattice>,
    terminal: &Terminal,
    findings: &mut Collected,
) -> Result<Exit, Failure> {
    let source = Source::read(path)?;
    let (tree, mut diagnostics) = parse_lenient(&source.text);
    diagnostics.extend(lint::script(&tree));
    diagnostics.extend(match lattice {
        Some(lattice) => lint::names(&tree, &source.text, lattice),
        None => lint::knowledge(&tree, &source.text),
    });
    diagnostics.sort_by_key(|d| d.span().map(|span| span.start));
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match findings.format {
        Findings::Text => {
            source.tell_all(terminal, &diagnostics);
        }
        Findings::Json => findings.take(&source, &diagnostics),
    }
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// A finding for a program: the diagnostic with its file, line and column.
pub(super) fn finding(name: &str, text: &str, diagnostic: &Diagnostic) -> Value {
    let mut value = diagnostic.to_json();
    if let Value::Object(fields) = &mut value {
        fields.insert("file".to_string(), Value::String(name.to_string()));
        if let Some(span) = diagnostic.span() {
            let (line, column) = position(text, span.start);
            fields.insert("line".to_string(), line.into());
            fields.insert("column".to_string(), column.into());
        }
    }
    value.sort_all_objects();
    value
}

/// Findings for a program, collected.
struct Collected {
    format: Findings,
    all: Vec<Value>,
}

impl Collected {
    fn new(format: Findings) -> Collected {
        Collected {
            format,
            all: Vec::new(),
        }
    }
}

impl Collected {
    fn take(&mut self, source: &Source, diagnostics: &[Diagnostic]) {
        self.all.extend(
            diagnostics
                .iter()
                .map(|d| finding(&source.name, &source.text, d)),
        );
    }

    fn finish(&self) -> Result<(), Failure> {
        if self.format == Findings::Json {
            let mut out = io::stdout().lock();
            serde_json::to_writer_pretty(&mut out, &self.all).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Ok(())
    }
}
