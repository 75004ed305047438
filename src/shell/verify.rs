//! `latweave verify`: a certificate checked by code that shares nothing with the
//! engine.

use super::args::Verify;
use super::source::{open, unreadable};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::audit::{self, Refused};
use crate::script::{expect, words};
use std::fs::File;
use std::io::{self, BufReader, Write};

/// Characters of the plan and of the verdict that are shown.
const SHOWN: usize = 300;

/// Runs `latweave verify`.
pub fn run(arguments: &Verify, terminal: &Terminal) -> Result<Exit, Failure> {
    let path = &arguments.certificate;
    let refused = |error: &io::Error| unreadable(path, error);
    let file = File::open(path).map_err(|error| refused(&error))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(refused(&io::ErrorKind::IsADirectory.into()));
    }
    let lattice = open(Some(&arguments.lattice))?;
    let name = plain(&path.display().to_string());
    let mut out = io::stdout().lock();
    match audit::check(&lattice, BufReader::new(file)) {
        Ok(checked) => {
            writeln!(out, "{}: {name}", terminal.paint.good("accepted"))?;
            let plan = words::shortened(&checked.plan, SHOWN);
            writeln!(out, "  {}", plain(&plan))?;
            let verdict = words::shortened(&expect::found(&lattice, &checked.verdict), SHOWN);
            writeln!(out, "  {}", plain(&verdict))?;
            Ok(Exit::Done)
        }
        Err(Refused::Read(error)) => Err(refused(&error)),
        Err(Refused::Lattice(error)) => Err(Failure::new(error)),
        Err(refusal) => {
            writeln!(out, "{}: {name}", terminal.paint.bad("refused"))?;
            writeln!(out, "  {}", plain(&refusal.to_string()))?;
            Ok(Exit::Failed)
        }
    }
}
