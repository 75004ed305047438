//! Statements that change what is known.

use super::error::ScriptError;
use super::output::Output;
use super::session::{Session, store_error};
use crate::lattice::{BuildError, Builder, Checkpoint, Lattice};
use crate::load::{self, LoadError, Report};
use crate::syntax::tree::{Path as TreePath, Span, Statement, StatementKind};
use crate::syntax::{Code, Diagnostic, parse};

/// How many statements are taken back one by one in search of the one at fault.
const SEARCHED: usize = 64;

/// What was stated since the last query.
pub(super) struct Pending {
    builder: Builder,
    /// What each statement can be taken back to, and where it stands in the
    /// present text.
    marks: Vec<(Checkpoint, Option<Span>)>,
}

impl Pending {
    /// Freezes everything. What cannot be frozen is taken back up to the
    /// statement at fault, which is told.
    pub(super) fn freeze(mut self, before: &Lattice) -> (Lattice, Option<Diagnostic>) {
        let error = match self.builder.freeze() {
            Ok(lattice) => return (lattice, None),
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
                return (lattice, Some(build_error(&error, at_fault)));
            }
        }
        (before.clone(), Some(build_error(&error, at_fault)))
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
        let base = self.base.clone();
        let cancelled = self.budget.clone();
        let pending = self.builder(statement.span)?;
        let checkpoint = pending.builder.checkpoint();
        let done = load::lq::apply(&mut pending.builder, statement, &base, &mut || {
            cancelled.is_cancelled()
        });
        match done {
            Ok(report) => {
                pending.marks.push((checkpoint, Some(statement.span)));
                self.changed = true;
                Ok(output(statement, report))
            }
            Err(error) => {
                pending.builder.rollback(checkpoint);
                if pending.marks.is_empty() {
                    self.pending = None;
                }
                Err(load_error(error, statement.span))
            }
        }
    }

    /// Says that spans of earlier statements belong to another text.
    pub fn begin_text(&mut self) {
        for (_, span) in self.pending.iter_mut().flat_map(|p| &mut p.marks) {
            *span = None;
        }
    }

    /// Runs a module that comes with the program.
    pub(super) fn use_module(&mut self, path: &TreePath) -> Result<Output, ScriptError> {
        let steps: Vec<&str> = path.steps.iter().map(|s| s.text.as_str()).collect();
        let name = steps.join(".");
        let Some((_, text)) = MODULES.iter().find(|(module, _)| *module == name) else {
            let known: Vec<String> = MODULES.iter().map(|(m, _)| (*m).to_string()).collect();
            return Err(Diagnostic::error(Code::E407, format!("there is no module {name}"))
                .label(path.span, "")
                .help(format!("the modules are {}", super::words::both(&known)))
                .into());
        };
        let parsed = parse(text).map_err(|diagnostics| ScriptError::Loaded {
            name: name.clone(),
            text: (*text).to_string(),
            diagnostics,
        })?;
        for statement in &parsed.statements {
            let placed = Statement {
                kind: statement.kind.clone(),
                span: path.span,
            };
            self.admit(&placed)?;
        }
        Ok(Output::Done)
    }
}

/// The modules that come with the program.
pub(super) const MODULES: &[(&str, &str)] =
    &[("std.units", include_str!("../../stdlib/units.lq"))];

fn output(statement: &Statement, report: Report) -> Output {
    match &statement.kind {
        StatementKind::Load(_) => Output::Loaded(Box::new(report)),
        StatementKind::Retract { from } => Output::Retracted {
            document: from.clone(),
            facts: report.facts as usize,
        },
        _ => Output::Done,
    }
}

fn build_error(error: &BuildError, span: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::E202, error.to_string());
    match span {
        Some(span) => diagnostic.label(span, "this statement is taken back"),
        None => diagnostic,
    }
}

fn load_error(error: LoadError, span: Span) -> ScriptError {
    match error {
        LoadError::Cancelled => ScriptError::Cancelled,
        LoadError::Script {
            document,
            text,
            diagnostics,
        } => ScriptError::Loaded {
            name: document,
            text,
            diagnostics,
        },
        LoadError::Build { error, .. } => build_error(&error, Some(span)).into(),
        other => Diagnostic::error(Code::E201, other.to_string())
            .label(span, "")
            .into(),
    }
}
