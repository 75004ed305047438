//! `latweave grammar`: the form of LQ, and the form of plans for a decoder.

use super::args::Grammar;
#[cfg(feature = "models")]
use super::source::open;
use super::terminal::{Exit, Failure};
use std::io::{self, Write};

/// The grammar as it is written.
const LANGUAGE: &str = include_str!("../../grammar/lq.pest");

/// Runs `latweave grammar`.
pub fn run(arguments: &Grammar) -> Result<Exit, Failure> {
    let text = match arguments.gbnf {
        false => LANGUAGE.to_owned(),
        true => for_decoders(arguments)?,
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

#[cfg(feature = "models")]
fn for_decoders(arguments: &Grammar) -> Result<String, Failure> {
    use crate::plan::vocabulary;
    use crate::syntax::gbnf::{Vocabulary, gbnf};
    let words = match &arguments.lattice {
        Some(file) => vocabulary(&open(Some(file))?, &[], &[]),
        None => Vocabulary::default(),
    };
    gbnf(&words).map_err(Failure::new)
}

#[cfg(not(feature = "models"))]
fn for_decoders(_: &Grammar) -> Result<String, Failure> {
    Err(Failure::with_help(
        "this program was built without models",
        "build it with `--features models`",
    ))
}
