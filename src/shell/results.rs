//! What the statements of a run gave, printed as it comes or at the end.

use super::args::Format;
use super::check::finding;
use super::render::{self, Manner};
use super::source::Source;
use super::terminal::Failure;
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::script::{Output, ScriptError};
use crate::syntax::Diagnostic;
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// Prints results as they come, or the last one at the end.
pub struct Results {
    /// How each is printed.
    pub manner: Manner,
    /// What looking up the evidence may take.
    pub budget: Budget,
    last: Option<(Output, Lattice)>,
    error: Option<Value>,
    printed: bool,
    /// So many bytes of the next result have been printed.
    skip: usize,
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
            skip: 0,
            stopped: false,
        }
    }

    /// Whether every result is printed as it comes.
    pub fn come_one_by_one(&self) -> bool {
        !matches!(self.manner.format, Format::Json | Format::Csv | Format::Tsv)
    }

    /// An empty line between results for people; called before each.
    pub fn separate(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.manner.format != Format::Jsonl {
            if self.printed {
                writeln!(out)?;
            }
            self.printed = true;
        }
        Ok(())
    }

    /// So many bytes of the next result have been printed already.
    pub fn skip(&mut self, bytes: usize) {
        self.skip = bytes;
    }

    /// One more result.
    pub fn take(
        &mut self,
        output: Output,
        lattice: &Lattice,
        time: Option<Duration>,
    ) -> Result<(), Failure> {
        if !self.come_one_by_one() {
            if render::is_result(&output) {
                self.last = Some((output, lattice.clone()));
            }
            return Ok(());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        let skip = std::mem::take(&mut self.skip);
        if render::is_result(&output) && skip == 0 {
            self.separate(&mut out)?;
        }
        let mut out = Rest { out, skip };
        render::print(&mut out, &self.manner, lattice, &output, time, &self.budget)?;
        out.flush()?;
        Ok(())
    }

    /// The script ends before its last statement: for a program that is the
    /// result.
    pub fn stop(&mut self, name: &str, text: &str, diagnostics: &[Diagnostic]) {
        self.stopped = true;
        if matches!(self.manner.format, Format::Json | Format::Jsonl) {
            let all: Vec<_> = diagnostics.iter().map(|d| finding(name, text, d)).collect();
            self.last = None;
            let mut error = json!({ "error": { "diagnostics": all } });
            error.sort_all_objects();
            self.error = Some(error);
        }
    }

    /// As [`Results::stop`], for an error that a statement gave.
    pub fn stop_at(&mut self, source: &Source, error: &ScriptError) {
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

/// A writer that leaves out what has been written before.
struct Rest<W> {
    out: W,
    skip: usize,
}

impl<W: Write> Write for Rest<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        self.out
            .write_all(bytes.get(skipped..).unwrap_or_default())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
