//! `latweave fmt`: scripts in their canonical form.

use super::args::Fmt;
use super::run::worse;
use super::source::{Source, write_whole};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::syntax::format_text;
use std::io::{self, Write};
use std::path::Path;

/// Runs `latweave fmt`.
pub fn run(arguments: &Fmt, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for path in &arguments.scripts {
        let source = Source::read(path)?;
        exit = worse(exit, one(&source, path, arguments.check, terminal)?);
    }
    Ok(exit)
}

fn one(source: &Source, path: &Path, check: bool, terminal: &Terminal) -> Result<Exit, Failure> {
    let formatted = match format_text(&source.text) {
        Ok(text) => text,
        Err(diagnostics) => {
            source.tell(terminal, &diagnostics);
            return Ok(Exit::Failed);
        }
    };
    let standard_input = path == Path::new("-");
    if check {
        if formatted == source.text {
            return Ok(Exit::Done);
        }
        let line = first_difference(&source.text, &formatted);
        let name = plain(&source.name);
        eprintln!("{name}:{line}: not in canonical form; `latweave fmt {name}` writes it");
        return Ok(Exit::Failed);
    }
    if standard_input {
        io::stdout().lock().write_all(formatted.as_bytes())?;
    } else if formatted != source.text {
        write_whole(path, |out| {
            out.write_all(formatted.as_bytes())
                .map_err(|error| super::source::unwritable(path, &error))
        })?;
    }
    Ok(Exit::Done)
}

/// The first line, from 1, that formatting changes.
fn first_difference(a: &str, b: &str) -> usize {
    let same = a
        .split('\n')
        .zip(b.split('\n'))
        .take_while(|(a, b)| a == b)
        .count();
    same + 1
}
