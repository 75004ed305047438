//! What the loaders share: the builder, the report, progress, and bad lines.

use super::files::{Files, Input};
use super::lines::{Fault, LONGEST_LINE, Line, Lines};
use super::{BadLine, LoadError, NotText, OnError, Options, Progress, Report, Request};
use crate::lattice::{
    BuildError, Builder, DimKey, DimensionSpec, FactValue, InstKey, Multiplicity, SourceKey,
    ValueKey,
};
use std::collections::BTreeMap;

/// How many bytes are read between two ticks.
pub(super) const TICK: u64 = 64 << 10;

/// The loading of one file.
pub(super) struct Job<'a> {
    pub builder: &'a mut Builder,
    pub request: &'a Request,
    pub options: &'a Options,
    pub files: &'a Files,
    pub report: Report,
    unclear: BTreeMap<String, (u64, u64, String)>,
    progress: &'a mut dyn Progress,
    ticked: u64,
}

impl<'a> Job<'a> {
    pub fn new(
        builder: &'a mut Builder,
        request: &'a Request,
        options: &'a Options,
        progress: &'a mut dyn Progress,
        files: &'a Files,
    ) -> Job<'a> {
        Job {
            builder,
            request,
            options,
            files,
            report: Report::default(),
            unclear: BTreeMap::new(),
            progress,
            ticked: 0,
        }
    }

    /// The report, with what could be read in several ways as its last warnings.
    pub fn take_report(&mut self) -> Report {
        for (what, (count, line, why)) in std::mem::take(&mut self.unclear) {
            let plural = if count == 1 { "value" } else { "values" };
            self.warn(format_args!(
                "{count} {plural} of \"{what}\" can be read in another way; the first, in line {line}: {why}"
            ));
        }
        std::mem::take(&mut self.report)
    }

    /// Keeps the file, if files are kept.
    pub fn keep(&mut self) -> Result<(), LoadError> {
        self.files.keep(self.request, self.progress)
    }

    /// Opens the file.
    pub fn open(&self) -> Result<Input, LoadError> {
        self.files.open(&self.request.path, &self.request.document)
    }

    /// The lines of the file, from the first on.
    pub fn lines(&self) -> Result<Lines, LoadError> {
        Lines::open(self.files, &self.request.path, &self.request.document)
    }

    /// A value of a column or relation that could be read in another way.
    pub fn unclear(&mut self, what: &str, line: u64, why: &str) {
        match self.unclear.get_mut(what) {
            Some((count, _, _)) => *count += 1,
            None => {
                self.unclear
                    .insert(what.to_owned(), (1, line, why.to_owned()));
            }
        }
    }

    /// Tells how far the reading is; an error if it is to end.
    pub fn tick(&mut self, bytes: u64) -> Result<(), LoadError> {
        if bytes < self.ticked + TICK && bytes >= self.ticked {
            return Ok(());
        }
        self.ticked = bytes;
        if let Err(error) = self.builder.intact() {
            return Err(self.refused(error));
        }
        if self.progress.tick(bytes, self.report.facts).is_break() {
            return Err(LoadError::Cancelled);
        }
        Ok(())
    }

    /// A line that cannot be used: an error, or listed and passed over.
    pub fn bad(&mut self, line: u64, offset: u64, reason: String) -> Result<(), LoadError> {
        let bad = BadLine {
            document: self.request.document.clone(),
            line,
            offset,
            reason,
        };
        if self.options.on_error != OnError::Skip {
            return Err(LoadError::BadLine(bad));
        }
        self.report.skip(bad);
        Ok(())
    }

    /// A line that is no text, or too long.
    pub fn fault(&mut self, fault: Fault, line: u64, start: u64) -> Result<(), LoadError> {
        match fault {
            Fault::TooLong(bytes) => {
                let mib = LONGEST_LINE >> 20;
                let reason = format!(
                    "the line has {bytes} bytes, and lines of up to {mib} MiB are read; check its line breaks"
                );
                self.bad(line, start, reason)
            }
            Fault::NotText(what, offset) if self.options.on_error == OnError::Skip => {
                self.bad(line, offset, format!("{what} at byte {offset}"))
            }
            Fault::NotText(what, offset) => Err(self.not_text(what, offset, line)),
        }
    }

    fn not_text(&self, what: NotText, offset: u64, line: u64) -> LoadError {
        LoadError::NotText {
            document: self.request.document.clone(),
            offset,
            line,
            what,
        }
    }

    /// The text of a line; none if it is bad and passed over, or blank.
    pub fn text<'l>(&mut self, line: &Line<'l>) -> Result<Option<&'l str>, LoadError> {
        match line.text {
            Ok(text) if text.trim().is_empty() => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(fault) => self.fault(fault, line.number, line.start).map(|()| None),
        }
    }

    /// A refused declaration, as an error of this file.
    pub fn refused(&self, error: BuildError) -> LoadError {
        LoadError::Build {
            document: self.request.document.clone(),
            error,
        }
    }

    /// A form that is not compiled in.
    #[cfg(not(all(feature = "obo", feature = "rdf")))]
    pub fn not_compiled(&self, form: &'static str, feature: &'static str) -> LoadError {
        LoadError::NotCompiled {
            document: self.request.document.clone(),
            form,
            feature,
        }
    }

    /// Something wrong with the table as a whole.
    pub fn table_error(&self, reason: String) -> LoadError {
        LoadError::Table {
            document: self.request.document.clone(),
            reason,
        }
    }

    /// Something that was taken, and should be looked at.
    pub fn warn(&mut self, what: impl std::fmt::Display) {
        self.report
            .warn(format!("{}: {what}", self.request.document));
    }

    /// Takes a dimension for what the file shows it to be, unless it is declared.
    pub fn infer(
        &mut self,
        spec: DimensionSpec,
        shown: Option<Multiplicity>,
    ) -> Result<DimKey, LoadError> {
        self.builder
            .infer_dimension(spec, shown)
            .map_err(|error| self.refused(error))
    }

    /// Whether a relation or column is said to have one value.
    pub fn is_one(&self, name: &str) -> bool {
        let one = self.request.one.iter().chain(&self.options.one);
        one.into_iter().any(|word| word == name)
    }

    /// Records a fact with a value that the builder knows.
    pub fn fact_of(
        &mut self,
        subject: InstKey,
        dimension: DimKey,
        value: ValueKey,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        self.builder
            .add_fact_of(subject, dimension, value, false, 1.0, source)?;
        self.report.facts += 1;
        Ok(())
    }

    /// Records a fact.
    pub fn fact(
        &mut self,
        subject: InstKey,
        dimension: DimKey,
        value: FactValue<'_>,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        self.builder
            .add_fact(subject, dimension, value, false, 1.0, source)?;
        self.report.facts += 1;
        Ok(())
    }
}
