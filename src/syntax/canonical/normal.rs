//! The normal spelling of a part that is closed already.

use crate::syntax::amount::normal_decimal;
use crate::syntax::print::print_constraint;
use crate::syntax::tree::{By, Constraint, Name, Path, Span, Term};
use crate::syntax::words::{is_bare, is_bare_unit};

pub(super) fn negated(constraint: Constraint, span: Span) -> Constraint {
    match constraint {
        Constraint::Not(inner, _) => *inner,
        other => Constraint::Not(Box::new(other), span),
    }
}

pub(super) fn possibly(constraint: Constraint, span: Span) -> Constraint {
    match constraint {
        already @ Constraint::Possibly(..) => already,
        other => Constraint::Possibly(Box::new(other), span),
    }
}

/// Adds a part, or the parts of a list with the same connective.
pub(super) fn absorb(part: Constraint, and: bool, flat: &mut Vec<Constraint>) {
    match part {
        Constraint::And(inner, _) if and => flat.extend(inner),
        Constraint::Or(inner, _) if !and => flat.extend(inner),
        other => flat.push(other),
    }
}

/// Sorted by text, each once; a list of one is its item.
pub(super) fn joined(mut list: Vec<Constraint>, and: bool, span: Span) -> Constraint {
    list.sort_by_cached_key(print_constraint);
    list.dedup();
    if list.len() == 1
        && let Some(only) = list.pop()
    {
        return only;
    }
    if and {
        Constraint::And(list, span)
    } else {
        Constraint::Or(list, span)
    }
}

pub(super) fn bare(name: &Name, can_be: impl Fn(&str) -> bool) -> Name {
    Name {
        text: name.text.clone(),
        quoted: !can_be(&name.text),
        span: name.span,
    }
}

pub(super) fn path(path: &Path) -> Path {
    // `RETURN count` alone would count, so this name keeps its quotes.
    let lone = path.steps.len() == 1;
    let can_be = |text: &str| is_bare(text) && !(lone && text.eq_ignore_ascii_case("COUNT"));
    Path {
        steps: path.steps.iter().map(|step| bare(step, can_be)).collect(),
        span: path.span,
    }
}

pub(super) fn along(by: &By) -> By {
    By {
        count: by.count,
        path: path(&by.path),
        span: by.span,
    }
}

/// A term without variables, in its normal spelling.
pub(super) fn normal(term: &Term) -> Term {
    match term {
        Term::Name(name) => Term::Name(bare(name, is_bare)),
        Term::Named { name, id, span } => Term::Named {
            name: bare(name, is_bare),
            id: id.clone(),
            span: *span,
        },
        Term::Number { text, unit, span } => Term::Number {
            text: normal_decimal(text),
            unit: unit.as_ref().map(|unit| bare(unit, is_bare_unit)),
            span: *span,
        },
        Term::Range { low, high, span } => {
            let end = |term: &Option<Box<Term>>| term.as_ref().map(|term| Box::new(normal(term)));
            Term::Range {
                low: end(low),
                high: end(high),
                span: *span,
            }
        }
        Term::Date { text, span } => Term::Date {
            text: text.trim_start_matches('+').to_owned(),
            span: *span,
        },
        other => other.clone(),
    }
}
