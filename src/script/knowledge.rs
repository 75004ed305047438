//! Statements that change what is known.

use super::error::ScriptError;
use super::output::Output;
use super::session::{Session, Watcher, store_error};
use crate::engine::Budget;
use crate::lattice::{BuildError, Builder, Checkpoint, Lattice};
use crate::load::lq::Refusal;
use crate::load::{self, LoadError, Options, Progress, Report};
use crate::syntax::tree::{Span, Statement, StatementKind};
use crate::syntax::{Code, Diagnostic};
use std::ops::ControlFlow;

/// How many statements are taken back one by one in search of the one at fault.
const SEARCHED: usize = 64;

/// What is stated in the session. It outlives the queries between statements:
/// what a name or a column stands for is settled by everything that is stated,
/// not by what happened to be there when something was asked.
pub(super) struct Pending {
    builder: Builder,
    /// What each statement since the last query can be taken back to, and where
    /// it stands in the present text.
    marks: Vec<(Checkpoint, Option<Span>)>,
}

impl Pending {
    /// Whether something was stated since the last query.
    pub(super) fn is_news(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Freezes everything. What cannot be frozen is taken back up to the
    /// statement at fault, which is told; no lattice if none is found.
    pub(super) fn freeze(&mut self) -> (Option<Lattice>, Option<Diagnostic>) {
        let error = match self.builder.freeze() {
            Ok(lattice) => {
                self.settle();
                return (Some(lattice), None);
            }
            Err(error) => error,
        };
        let mut at_fault = None;
        for _ in 0..SEARCHED {
            let Some((checkpoint, span)) = self.marks.pop() else {
                break;
            };
            at_fault = span;
            self.builder.rollback(checkpoint);
            if let Ok(lattice) = self.builder.freeze() {
                self.settle();
                return (Some(lattice), Some(build_error(&error, at_fault)));
            }
        }
        (None, Some(build_error(&error, at_fault)))
    }

    /// What was stated stays.
    fn settle(&mut self) {
        while let Some((checkpoint, _)) = self.marks.pop() {
            self.builder.release(checkpoint);
        }
    }
}

impl Session {
    fn builder(&mut self, span: Span) -> Result<&mut Pending, ScriptError> {
        if self.pending.is_none() {
            let builder =
                Builder::from_lattice(self.settled()).map_err(|error| store_error(&error, span))?;
            self.pending = Some(Pending {
                builder,
                marks: Vec::new(),
            });
        }
        match &mut self.pending {
            Some(pending) => Ok(pending),
            None => Err(ScriptError::Cancelled),
        }
    }

    /// Admits a statement that changes what is known, or leaves all as it was.
    pub(super) fn admit(&mut self, statement: &Statement) -> Result<Output, ScriptError> {
        // The watcher is lent to the loader and comes back with the result.
        let watcher = std::mem::replace(&mut self.watcher, Box::new(|_, _| {}));
        let mut progress = Watched {
            budget: self.budget.clone(),
            watcher,
        };
        let done = self.apply(statement, &mut progress);
        self.watcher = progress.watcher;
        done
    }

    fn apply(
        &mut self,
        statement: &Statement,
        progress: &mut Watched,
    ) -> Result<Output, ScriptError> {
        let line = self.text.line_of(statement.span.start);
        let text = self.text.clone();
        let options = Options::default();
        let mut report = Report::default();
        let pending = self.builder(statement.span)?;
        let checkpoint = pending.builder.checkpoint();
        let mut context = load::lq::Context::new(
            &text.name,
            &text.words,
            &text.folder,
            &options,
            progress,
            &mut report,
        )
        .from_line(statement.span.start, line);
        match load::lq::apply(&mut pending.builder, statement, &mut context) {
            Ok(()) => {
                pending.marks.push((checkpoint, Some(statement.span)));
                self.changed = true;
                Ok(output(statement, report))
            }
            Err(refusal) => {
                pending.builder.rollback(checkpoint);
                Err(refused(refusal, statement.span))
            }
        }
    }

    /// Says that spans of earlier statements belong to another text.
    pub(super) fn forget_spans(&mut self) {
        for (_, span) in self.pending.iter_mut().flat_map(|p| &mut p.marks) {
            *span = None;
        }
    }
}

/// Tells the watcher, and stops loading where the budget is cancelled.
struct Watched {
    budget: Budget,
    watcher: Watcher,
}

impl Progress for Watched {
    fn tick(&mut self, bytes: u64, facts: u64) -> ControlFlow<()> {
        (self.watcher)(bytes, facts);
        if self.budget.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn output(statement: &Statement, report: Report) -> Output {
    match &statement.kind {
        StatementKind::Load(_) | StatementKind::Retract { .. } => Output::Loaded(Box::new(report)),
        _ => Output::Done,
    }
}

fn build_error(error: &BuildError, span: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::E206, error.to_string());
    match span {
        Some(span) => diagnostic.label(span, "this statement is taken back"),
        None => diagnostic,
    }
}

fn refused(refusal: Refusal, span: Span) -> ScriptError {
    match refusal {
        Refusal::Statement(diagnostic) => (*diagnostic).into(),
        Refusal::File(LoadError::Cancelled) => ScriptError::Cancelled,
        Refusal::File(LoadError::Script {
            document,
            text,
            diagnostics,
        }) => ScriptError::Loaded {
            name: document,
            text,
            diagnostics,
        },
        Refusal::File(error) => Diagnostic::error(Code::E410, error.to_string())
            .label(span, "nothing of it was kept")
            .into(),
    }
}
