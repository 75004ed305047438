//! A session: a lattice that statements ask and change, one after the other.

use super::error::ScriptError;
use super::expect;
use super::inquiry::{Inquiry, inquires};
use super::knowledge::Pending;
use super::output::Output;
use crate::engine::{self, Budget, RunError};
use crate::lattice::{Lattice, StoreError};
use crate::syntax::tree::{Expectation, Query, Span, Statement, StatementKind};
use crate::syntax::{Code, Diagnostic, Parameter, canonical};
use crate::theory;
use crate::verdict::Verdict;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs statements over a lattice. What they state becomes part of the lattice
/// before the next query; a statement that fails changes nothing.
pub struct Session {
    lattice: Lattice,
    pub(super) pending: Option<Pending>,
    /// Whether the lattice holds more than the file that it came from.
    pub(super) changed: bool,
    lets: BTreeMap<String, Query>,
    parameters: BTreeMap<String, Parameter>,
    pub(super) text: Text,
    verdict: Option<(Verdict, Lattice)>,
    /// What the last statement about whole dimensions found, if no query came after.
    report: Option<Arc<theory::Report>>,
    pub(super) budget: Budget,
    pub(super) watcher: Watcher,
}

/// Is told how many bytes of a file were read and how many facts were in them.
pub type Watcher = Box<dyn FnMut(u64, u64)>;

/// The text that statements stand in.
#[derive(Clone, Default)]
pub(super) struct Text {
    pub name: String,
    pub words: Arc<str>,
    pub folder: PathBuf,
    /// A place and its line, to count lines on from.
    pub counted: (usize, u64),
}

impl Text {
    /// The line of a place, counted on from the last one.
    pub fn line_of(&mut self, place: usize) -> u64 {
        let (at, line) = self.counted;
        let (at, line) = if place < at { (0, 1) } else { (at, line) };
        let between = self.words.as_bytes().get(at..place).unwrap_or_default();
        let breaks = between.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.counted = (place, line + breaks);
        self.counted.1
    }
}

impl Session {
    /// A session over a lattice.
    pub fn new(lattice: Lattice) -> Session {
        Session {
            lattice,
            pending: None,
            changed: false,
            lets: BTreeMap::new(),
            parameters: BTreeMap::new(),
            text: Text::default(),
            verdict: None,
            report: None,
            budget: Budget::unlimited(),
            watcher: Box::new(|_, _| {}),
        }
    }

    /// Limits each query.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Who is told how far the loading of a file is.
    pub fn set_watcher(&mut self, watcher: Watcher) {
        self.watcher = watcher;
    }

    /// Says which text the next statements stand in: its name, its words and
    /// the folder that files named in it are relative to.
    pub fn begin_text(&mut self, name: &str, text: &str, folder: &Path) {
        self.text = Text {
            name: name.to_string(),
            words: text.into(),
            folder: folder.to_path_buf(),
            counted: (0, 1),
        };
        self.forget_spans();
    }

    /// Binds `$name`.
    pub fn bind(&mut self, name: impl Into<String>, value: impl Into<Parameter>) {
        self.parameters.insert(name.into(), value.into());
    }

    /// The lattice with everything that was stated so far.
    pub fn lattice(&mut self) -> Result<&Lattice, ScriptError> {
        self.settle()?;
        Ok(&self.lattice)
    }

    /// The lattice as it was at the last query or [`Session::settle`].
    pub fn settled(&self) -> &Lattice {
        &self.lattice
    }

    /// Replaces the lattice; what was stated is forgotten, LETs are kept.
    pub fn replace(&mut self, lattice: Lattice) {
        self.lattice = lattice;
        self.pending = None;
        self.changed = false;
    }

    /// Forgets what has been read of the lattice: damage comes out anew, at the statement
    /// that reads it.
    ///
    /// # Errors
    /// If what is needed to read it at all is damaged.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        self.lattice = self.lattice.afresh()?;
        Ok(())
    }

    /// Whether statements have changed the lattice since it was opened.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Says that the lattice has been saved as it is.
    pub fn mark_saved(&mut self) {
        self.changed = false;
    }

    /// The names of all LETs.
    pub fn let_names(&self) -> impl Iterator<Item = &str> {
        self.lets.keys().map(String::as_str)
    }

    /// The last verdict, and the lattice that it speaks of.
    pub fn report(&self) -> Option<&theory::Report> {
        self.report.as_deref()
    }

    /// The last verdict, and the lattice that it is about.
    pub fn verdict(&self) -> Option<(&Verdict, &Lattice)> {
        self.verdict.as_ref().map(|(v, l)| (v, l))
    }

    /// The last verdict, taken out.
    pub fn take_verdict(&mut self) -> Option<Verdict> {
        self.verdict.take().map(|(verdict, _)| verdict)
    }

    /// Forgets the last verdict, so that no EXPECT can speak of it.
    pub fn forget_verdict(&mut self) {
        self.verdict = None;
    }

    /// Writes the certificate of the last verdict. `None` if there is none.
    pub fn certify(&self, out: &mut dyn Write) -> Option<Result<Verdict, RunError>> {
        let (verdict, lattice) = self.verdict.as_ref()?;
        Some(engine::certify(lattice, &verdict.query, &self.budget, out))
    }

    /// Makes what was stated since the last query part of the lattice.
    pub fn settle(&mut self) -> Result<(), ScriptError> {
        let Some(pending) = self.pending.as_mut().filter(|p| p.is_news()) else {
            return Ok(());
        };
        let (lattice, refused) = pending.freeze();
        match lattice {
            Some(lattice) => self.lattice = lattice,
            // Nothing that was stated since can be kept.
            None => self.pending = None,
        }
        refused.map_or(Ok(()), |diagnostic| Err(diagnostic.into()))
    }

    /// Runs one statement.
    ///
    /// # Errors
    /// What is wrong with it, with its file, or with what was stated before it. That the
    /// lattice turned out to be damaged comes before anything concluded from it.
    pub fn execute(&mut self, statement: &Statement) -> Result<Output, ScriptError> {
        let output = self.executed(statement);
        match self.lattice.intact() {
            Ok(()) => output,
            Err(error) => Err(store_error(&error, statement.span)),
        }
    }

    fn executed(&mut self, statement: &Statement) -> Result<Output, ScriptError> {
        let span = statement.span;
        if matches!(statement.kind, StatementKind::Query(_)) {
            self.forget_answer();
        }
        if let Some(inquiry) = self.inquiry(statement)? {
            let found = inquiry.run();
            self.conclude(&inquiry, &found);
            return found;
        }
        match &statement.kind {
            StatementKind::Open {
                file,
                at,
                file_span,
            } => self.open(file, at.as_deref(), *file_span),
            StatementKind::Let { name, query } => {
                let query = self.close(query)?;
                self.lets.insert(name.text.clone(), query);
                Ok(Output::Done)
            }
            StatementKind::Expect(expectation) => self.expect(expectation, span),
            // Words for planners: they say nothing of the world.
            StatementKind::PatternQuestion { .. } => Ok(Output::Done),
            StatementKind::PatternText { .. } => Err(not_yet("PATTERN TEXT", span)),
            _ => self.admit(statement),
        }
    }

    /// The statement as one that can be run apart from the session, on any thread and
    /// beside others; [`Session::conclude`] brings back what it gave. `None` if it is
    /// one that changes the session, or EXPECT, which speaks of the verdict before it.
    ///
    /// # Errors
    /// As [`Session::execute`]: what is wrong with its LETs and parameters, or with what
    /// was stated before it.
    pub fn inquiry<'t>(
        &mut self,
        statement: &'t Statement,
    ) -> Result<Option<Inquiry<'t>>, ScriptError> {
        if !inquires(&statement.kind) {
            return Ok(None);
        }
        let query = match &statement.kind {
            StatementKind::Query(query)
            | StatementKind::Explain(query)
            | StatementKind::Suggest(query) => Some(self.close(query)?),
            _ => None,
        };
        self.settle()?;
        Ok(Some(Inquiry {
            statement,
            query,
            lattice: self.lattice.clone(),
            budget: self.budget.clone(),
        }))
    }

    /// Takes what an inquiry gave for what the session was told last: EXPECT and
    /// certificates speak of it. Inquiries are brought back in the order of the text.
    pub fn conclude(&mut self, inquiry: &Inquiry<'_>, found: &Result<Output, ScriptError>) {
        match found {
            Ok(Output::Verdict(verdict)) => {
                self.report = None;
                self.verdict = Some((Verdict::clone(verdict), inquiry.lattice.clone()));
            }
            Ok(Output::Report(report)) => self.report = Some(Arc::clone(report)),
            Ok(_) => {}
            Err(_) if matches!(inquiry.statement.kind, StatementKind::Query(_)) => {
                self.forget_answer();
            }
            Err(_) => {}
        }
    }

    /// A query that fails leaves nothing that could be taken for its answer.
    fn forget_answer(&mut self) {
        self.verdict = None;
        self.report = None;
    }

    /// The query with its LETs written out and its parameters bound.
    fn close(&self, query: &Query) -> Result<Query, ScriptError> {
        canonical(query, &self.lets, &self.parameters).map_err(ScriptError::from)
    }

    /// Looks up the words of a query without running it: the abstention that
    /// this alone gives, if any.
    pub(super) fn resolve(
        &mut self,
        query: &Query,
        span: Span,
    ) -> Result<Option<Verdict>, ScriptError> {
        let query = self.close(query)?;
        self.settle()?;
        match engine::prepare(&self.lattice, &query) {
            Ok(Ok(_)) => Ok(None),
            Ok(Err(verdict)) => Ok(Some(verdict)),
            Err(error) => Err(run_error(error, span)),
        }
    }

    fn expect(&self, expectation: &Expectation, span: Span) -> Result<Output, ScriptError> {
        let Some((verdict, lattice)) = &self.verdict else {
            return Err(Diagnostic::error(
                Code::E402,
                "there is no verdict that EXPECT could check",
            )
            .label(span, "no query stands before it")
            .help("write the query before EXPECT")
            .into());
        };
        let difference = expect::compare(lattice, expectation, verdict);
        Ok(Output::Expectation(difference.map(Box::new)))
    }

    fn open(&mut self, file: &str, at: Option<&str>, span: Span) -> Result<Output, ScriptError> {
        if self.changed || self.pending.as_ref().is_some_and(|p| p.is_news()) {
            return Err(
                Diagnostic::error(Code::E303, "OPEN would lose what was stated before it")
                    .label(span, "this lattice would take the place of the present one")
                    .help("write OPEN before any declaration, fact or LOAD")
                    .into(),
            );
        }
        let path = self.text.folder.join(file);
        let lattice = Lattice::open(&path).map_err(|error| store_error(&error, span))?;
        let hash = lattice.content_hash();
        if let Some(pin) = at
            && !hash.matches_prefix(pin)
        {
            return Err(drift(&path, pin, &hash.to_string(), span));
        }
        let counts = lattice.counts();
        self.replace(lattice);
        Ok(Output::Opened { path, hash, counts })
    }
}

fn not_yet(what: &str, span: Span) -> ScriptError {
    Diagnostic::error(Code::E401, format!("{what} is not in this version"))
        .label(span, "it can be written, and not yet run")
        .into()
}

pub(super) fn unknown(word: &str, what: &str, near: Vec<String>, span: Span) -> ScriptError {
    let error = Diagnostic::error(Code::E404, format!("no {what} is called “{word}”"))
        .label(span, "not in this lattice");
    if near.is_empty() {
        return error.into();
    }
    let quoted: Vec<String> = near.iter().take(5).map(|n| format!("“{n}”")).collect();
    error
        .help(format!("did you mean {}?", super::words::either(&quoted)))
        .into()
}

/// A store error at a statement.
pub(super) fn store_error(error: &StoreError, span: Span) -> ScriptError {
    Diagnostic::error(Code::E301, error.to_string())
        .label(span, "not opened")
        .into()
}

fn drift(path: &Path, pin: &str, found: &str, span: Span) -> ScriptError {
    Diagnostic::error(
        Code::E302,
        format!("{} is not the lattice that is pinned here", path.display()),
    )
    .label(span, format!("pinned {pin}, found {found}"))
    .help(
        "open the lattice that was meant, or write the new hash if the change is wanted; \
         a prefix of at least 8 hexadecimal digits will do",
    )
    .into()
}

/// An error of the engine at a statement.
pub(super) fn run_error(error: RunError, span: Span) -> ScriptError {
    let code = match &error {
        RunError::Cancelled => return ScriptError::Cancelled,
        RunError::OutOfTime { .. } => Code::E405,
        RunError::OutOfMemory { .. } => Code::E406,
        RunError::NotInThisVersion { .. } => Code::E401,
        RunError::Store(store) => return store_error(store, span),
        _ => Code::E400,
    };
    Diagnostic::error(code, error.to_string())
        .label(span, "no verdict was reached")
        .into()
}
