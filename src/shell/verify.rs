//! `latweave verify`: a certificate checked by code that shares nothing with the
//! engine.

use super::args::Verify;
use super::source::{open, unreadable};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::audit;
use std::fs;
use std::io::{self, Write};

/// Runs `latweave verify`.
pub fn run(arguments: &Verify, terminal: &Terminal) -> Result<Exit, Failure> {
    let path = &arguments.certificate;
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let lattice = open(Some(&arguments.lattice))?;
    let _busy = terminal.interrupt.begin();
    let mut out = io::stdout().lock();
    match audit::check(&lattice, bytes.as_slice()) {
        Ok(_) => {
            let word = terminal.paint.good("accepted");
            writeln!(out, "{word}: {}", plain(&path.display().to_string()))?;
            Ok(Exit::Done)
        }
        Err(refusal) => {
            let word = terminal.paint.bad("refused");
            writeln!(out, "{word}: {}", plain(&path.display().to_string()))?;
            writeln!(out, "  {}", plain(&refusal.to_string()))?;
            Ok(Exit::Failed)
        }
    }
}
