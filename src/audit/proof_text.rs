//! The texts in a proof: constraints with the rest of their path, or with one
//! element of many.

use crate::syntax::print::print_constraint;
use crate::syntax::tree::{Constraint, Operand, Operator, Path, Term};

/// Constraints with the rest of their path, joined as one member.
pub(super) fn rest_text(source: &[Constraint], step: usize) -> String {
    let texts: Vec<String> = source
        .iter()
        .map(|constraint| print_constraint(&with_rest(constraint, step)))
        .collect();
    texts.join(" AND ")
}

fn rest_of(path: &Path, step: usize) -> Path {
    Path {
        steps: path.steps.iter().skip(step).cloned().collect(),
        span: path.span,
    }
}

fn with_rest(constraint: &Constraint, step: usize) -> Constraint {
    match constraint {
        Constraint::Test {
            path,
            operator,
            operand,
            span,
        } => Constraint::Test {
            path: rest_of(path, step),
            operator: *operator,
            operand: operand.clone(),
            span: *span,
        },
        Constraint::In { path, set, span } => Constraint::In {
            path: rest_of(path, step),
            set: set.clone(),
            span: *span,
        },
        Constraint::Has { path, span } => Constraint::Has {
            path: rest_of(path, step),
            span: *span,
        },
        other => other.clone(),
    }
}

/// The constraint with one element as its operand.
pub(super) fn one_of_text(source: &[Constraint], step: usize, term: &Term) -> String {
    let (path, operator) = match source.first() {
        Some(Constraint::Test { path, operator, .. }) => (path, *operator),
        Some(Constraint::In { path, .. } | Constraint::Has { path, .. }) => (path, Operator::Is),
        _ => return String::new(),
    };
    print_constraint(&Constraint::Test {
        path: rest_of(path, step),
        operator,
        operand: Operand::Term(term.clone()),
        span: Default::default(),
    })
}
