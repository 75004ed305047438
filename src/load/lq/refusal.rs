//! Why a statement is refused, with the place in its text.

use crate::lattice::BuildError;
use crate::load::LoadError;
use crate::syntax::Diagnostic;
use crate::syntax::codes::Code;
use crate::syntax::tree::Span;

/// Why a statement is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The statement is at fault.
    #[error(transparent)]
    Statement(Box<Diagnostic>),
    /// A file that it loads is.
    #[error(transparent)]
    File(#[from] LoadError),
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Refusal {
        Refusal::Statement(Box::new(diagnostic))
    }
}

/// What the builder refuses, at a place.
pub(super) fn refused(error: &BuildError, span: Span) -> Diagnostic {
    Diagnostic::error(code(error), error.to_string()).label(span, "refused")
}

/// A declaration that the builder refuses.
pub(super) fn declaration(error: &BuildError, name: Span, all: Span) -> Diagnostic {
    let at = if name.end > name.start { name } else { all };
    refused(error, at)
}

fn code(error: &BuildError) -> Code {
    match error {
        BuildError::EmptyName { .. } | BuildError::ReservedName | BuildError::Renamed { .. } => {
            Code::E211
        }
        BuildError::Redeclared { .. }
        | BuildError::Inferred { .. }
        | BuildError::DeclaredLate { .. }
        | BuildError::InverseOfValues { .. }
        | BuildError::NotARelation { .. }
        | BuildError::SelfEdge { .. }
        | BuildError::StrictValues { .. }
        | BuildError::Cycle(_)
        | BuildError::Illegitimate { .. } => Code::E206,
        BuildError::WrongKind { .. } => Code::E203,
        BuildError::UnknownValue { .. } => Code::E202,
        BuildError::Ambiguous { .. } => Code::E205,
        BuildError::EmptySource { .. }
        | BuildError::SourceTooLong { .. }
        | BuildError::Range { .. }
        | BuildError::Confidence { .. } => Code::E212,
        BuildError::Unit(_) => Code::E204,
        BuildError::Number { .. } => Code::E210,
        _ => Code::E213,
    }
}
