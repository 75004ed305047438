//! Values, and the parameters that stand for them.

use super::normal::normal;
use super::{Fallible, Parameter, Writer};
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::layout::span_of;
use crate::syntax::print::print_term;
use crate::syntax::tree::{Span, Term};

impl<'c> Writer<'c> {
    /// Elements sorted, repeated ones dropped, parameters of several values spread.
    pub(super) fn elements(&mut self, list: &[Term]) -> Fallible<Vec<Term>> {
        let mut terms = self.spread(list)?;
        terms.sort_by_cached_key(print_term);
        terms.dedup();
        Ok(terms)
    }

    /// The operands of a bound: their order and their number change nothing.
    pub(super) fn operands(&mut self, list: &[Term], span: Span) -> Fallible<Vec<Term>> {
        let operands = self.elements(list)?;
        if operands.is_empty() {
            return Err(Box::new(
                Diagnostic::error(Code::E052, "bounds are those of at least one value")
                    .label(span, "the parameter holds none")
                    .help("bind it to one value or more"),
            ));
        }
        Ok(operands)
    }

    pub(super) fn spread(&mut self, list: &[Term]) -> Fallible<Vec<Term>> {
        let mut terms = Vec::with_capacity(list.len());
        for term in list {
            if let Term::Parameter { name, span } = term
                && let Parameter::Many(values) = self.bound(name, *span)?
            {
                self.count(values.len(), *span)?;
                for value in values {
                    terms.push(self.value(value, name, *span)?);
                }
                continue;
            }
            self.count(1, Span::default())?;
            terms.push(self.term(term)?);
        }
        Ok(terms)
    }

    pub(super) fn bound(&self, name: &str, span: Span) -> Fallible<&'c Parameter> {
        self.parameters.get(name).ok_or_else(|| {
            Box::new(
                Diagnostic::error(Code::E050, format!("the parameter `${name}` has no value"))
                    .label(span, "nothing is bound to it")
                    .help("bind it where the query is run"),
            )
        })
    }

    /// A bound value: normal, and a value indeed.
    pub(super) fn value(&self, term: &Term, name: &str, span: Span) -> Fallible<Term> {
        let open = |term: &Term| matches!(term, Term::Parameter { .. } | Term::Hole { .. });
        let ends = match term {
            Term::Range { low, high, .. } => [low.as_deref(), high.as_deref()],
            _ => [None, None],
        };
        if open(term) || ends.into_iter().flatten().any(open) {
            return Err(Box::new(
                Diagnostic::error(
                    Code::E052,
                    format!("the parameter `${name}` is bound to no value"),
                )
                .label(span, "bound to a parameter or hole")
                .help("bind it to a name, number, date or range"),
            ));
        }
        Ok(normal(term))
    }

    pub(super) fn term(&self, term: &Term) -> Fallible<Term> {
        match term {
            Term::Parameter { name, span } => match self.bound(name, *span)? {
                Parameter::One(value) => self.value(value, name, *span),
                Parameter::Many(_) => Err(Box::new(
                    Diagnostic::error(
                        Code::E052,
                        format!("`${name}` holds several values, and one is needed"),
                    )
                    .label(*span, "one value is needed")
                    .help(format!("several values fit behind IN: `d IN ${name}`")),
                )),
            },
            Term::Range { low, high, span } => {
                let end = |term: &Option<Box<Term>>| match term {
                    Some(term) => self.end(term).map(|term| Some(Box::new(term))),
                    None => Ok(None),
                };
                let (low, high) = (end(low)?, end(high)?);
                Ok(Term::Range {
                    low,
                    high,
                    span: *span,
                })
            }
            other => Ok(normal(other)),
        }
    }

    /// The end of a range: a number or a date.
    fn end(&self, term: &Term) -> Fallible<Term> {
        let value = self.term(term)?;
        if matches!(value, Term::Number { .. } | Term::Date { .. }) {
            return Ok(value);
        }
        Err(Box::new(
            Diagnostic::error(Code::E052, "the end of a range is a number or a date")
                .label(span_of(term), "bound to something else")
                .help("bind it to a number or a date"),
        ))
    }
}
