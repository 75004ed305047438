//! Statements that ask: they change nothing, so many can run at once.

use super::error::ScriptError;
use super::listing::{self, Description, Listing};
use super::look::Look;
use super::output::Output;
use super::session::{run_error, store_error, unknown};
use crate::engine::{self, Budget};
use crate::lattice::{Lattice, StoreError};
use crate::syntax::tree::{Query, Showing, Span, Statement, StatementKind, Term};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A statement that asks, with all that it needs: the lattice as it stood before it,
/// its LETs written out, its parameters bound. It comes from
/// [`Session::inquiry`](super::Session::inquiry).
#[derive(Clone, Debug)]
pub struct Inquiry<'t> {
    pub(super) statement: &'t Statement,
    /// The query of the statement, closed.
    pub(super) query: Option<Query>,
    pub(super) lattice: Lattice,
    pub(super) budget: Budget,
}

/// Whether a statement asks, and neither changes the session nor speaks of the verdict
/// before it.
pub(super) fn inquires(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Query(_)
            | StatementKind::Explain(_)
            | StatementKind::Show(_)
            | StatementKind::Describe(_)
            | StatementKind::Check(_)
            | StatementKind::Width(_)
            | StatementKind::Independence(..)
            | StatementKind::Concepts(_)
            | StatementKind::Implications(_)
            | StatementKind::Suggest(_)
    )
}

impl<'t> Inquiry<'t> {
    /// The statement that asks.
    pub fn statement(&self) -> &'t Statement {
        self.statement
    }

    /// Whether [`Session::inquiry`](super::Session::inquiry) makes one of a statement.
    pub fn is_made_of(statement: &Statement) -> bool {
        inquires(&statement.kind)
    }

    /// The lattice that is asked.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Stops with [`ScriptError::Cancelled`] also when this flag becomes true.
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.budget = self.budget.with_cancel(flag);
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// As [`Session::execute`](super::Session::execute).
    pub fn run(&self) -> Result<Output, ScriptError> {
        let output = self.executed();
        match self.lattice.intact() {
            Ok(()) => output,
            Err(error) => Err(store_error(&error, self.statement.span)),
        }
    }

    fn executed(&self) -> Result<Output, ScriptError> {
        let span = self.statement.span;
        match (&self.statement.kind, &self.query) {
            (StatementKind::Query(_), Some(query)) => self.ask(query, span),
            (StatementKind::Explain(_), Some(query)) => self.explain(query, span),
            (StatementKind::Suggest(_), Some(query)) => self.look(&Look::Suggest(query), span),
            (StatementKind::Show(showing), _) => self.show(showing),
            (StatementKind::Describe(term), _) => self.describe(term, span),
            (StatementKind::Check(name), _) => self.look(&Look::Check(name), span),
            (StatementKind::Width(name), _) => self.look(&Look::Width(name), span),
            (StatementKind::Independence(a, b), _) => self.look(&Look::Independence(a, b), span),
            (StatementKind::Concepts(across), _) => self.look(&Look::Concepts(across), span),
            (StatementKind::Implications(across), _) => {
                self.look(&Look::Implications(across), span)
            }
            // No other statement is made an inquiry.
            _ => Ok(Output::Done),
        }
    }

    fn ask(&self, query: &Query, span: Span) -> Result<Output, ScriptError> {
        let verdict = engine::answer(&self.lattice, query, &self.budget)
            .map_err(|error| run_error(error, span))?;
        // Whoever shows the verdict reads these: better told now than shown wrong.
        verdict.read_words(&self.lattice);
        Ok(Output::Verdict(Box::new(verdict)))
    }

    fn explain(&self, query: &Query, span: Span) -> Result<Output, ScriptError> {
        let explanation =
            engine::explain(&self.lattice, query).map_err(|error| run_error(error, span))?;
        Ok(Output::Explanation(Box::new(explanation)))
    }

    fn look(&self, look: &Look<'_>, span: Span) -> Result<Output, ScriptError> {
        let report = look.at(&self.lattice, &self.budget, span)?;
        Ok(Output::Report(Arc::new(report)))
    }

    fn show(&self, showing: &Showing) -> Result<Output, ScriptError> {
        let listing = match showing {
            Showing::Dimensions => Listing::Dimensions,
            Showing::Instances => Listing::Instances,
            Showing::Documents => Listing::Documents,
            Showing::Dimension(name) => match self.lattice.find_dimension(&name.text) {
                Some(d) => Listing::Values(d),
                None => {
                    let near = self.lattice.nearest_dimensions(&name.text);
                    return Err(unknown(&name.text, "dimension", near, name.span));
                }
            },
        };
        Ok(Output::Listing(listing))
    }

    fn describe(&self, term: &Term, span: Span) -> Result<Output, ScriptError> {
        let lattice = &self.lattice;
        let store = |error: StoreError| store_error(&error, span);
        let (word, found) = match term {
            Term::Id { id, .. } | Term::Named { id, .. } => {
                (id.as_str(), lattice.by_id(id).into_iter().collect())
            }
            Term::Name(name) => (name.text.as_str(), lattice.called(&name.text).instances),
            Term::Number { text, .. } | Term::Date { text, .. } => {
                (text.as_str(), lattice.called(text).instances)
            }
            _ => ("", Vec::new()),
        };
        let description = match lattice.find_dimension(word) {
            Some(d) if !matches!(term, Term::Id { .. }) && found.is_empty() => {
                Description::Dimension(Box::new(listing::dimension_line(lattice, d)))
            }
            _ if found.is_empty() => {
                let mut near = lattice.nearest_names(word);
                near.extend(lattice.nearest_dimensions(word));
                return Err(unknown(word, "instance or dimension", near, span));
            }
            _ => {
                let portraits = found.into_iter().map(|i| listing::portrait(lattice, i));
                Description::Instances(portraits.collect::<Result<_, _>>().map_err(store)?)
            }
        };
        Ok(Output::Description(Box::new(description)))
    }
}
