//! The words of IN: braces, ranges and inner queries.

use super::AuditError;
use super::facts::{Column, Facts};
use super::query::{
    Asked, Bound, Compare, Condition, Element, Form, Literal, Returns, SetKind, Steps, What,
};
use super::resolve::{Resolver, is_kind, test};
use crate::lattice::{DimensionId, Kind};
use crate::syntax::print::print_constraint;
use crate::syntax::tree::{Constraint, Path, SetExpression, Term};

impl<'l> Resolver<'l> {
    pub(super) fn membership(
        &mut self,
        path: &Path,
        set: &SetExpression,
        source: Constraint,
    ) -> Option<Condition> {
        match set {
            SetExpression::Elements { elements, .. } => {
                let path = self.path(path)?;
                let elements = self.elements(&path, elements, &print_constraint(&source))?;
                let what = What::Among {
                    elements,
                    listed: true,
                };
                Some(test(path, what, source))
            }
            SetExpression::Query { query, .. } => {
                let path = self.path(path);
                let asked = self.inner_query(query);
                let (path, asked) = (path?, asked?);
                self.takes_set(&path, &asked)?;
                Some(test(path, What::In(asked), source))
            }
            SetExpression::Range(term) => {
                let path = self.path(path)?;
                let text = print_constraint(&source);
                let d = self.measured(&path, &text)?;
                let region = self.range(d, term, &text)?;
                Some(test(
                    path,
                    What::Bounds(vec![Bound::Literal(region)]),
                    source,
                ))
            }
            SetExpression::Variable(_) | SetExpression::Parameter { .. } => {
                self.fail(AuditError::NotClosed);
                None
            }
        }
    }

    fn elements(&mut self, path: &Steps, terms: &[Term], text: &str) -> Option<Vec<Element>> {
        let found: Vec<Option<Vec<Element>>> = terms
            .iter()
            .map(|term| match self.end(path) {
                None => self.called(term),
                Some(column) if column.is_measured() => {
                    let d = path.dimensions.last().copied()?;
                    let region = self.range(d, term, text)?;
                    Some(vec![Element {
                        literal: Literal::Points(region),
                        term: term.clone(),
                        shared: None,
                    }])
                }
                Some(_) => {
                    let d = path.dimensions.last().copied()?;
                    self.nodes(d, term, text)
                }
            })
            .collect();
        let found: Option<Vec<Vec<Element>>> = found.into_iter().collect();
        found.map(|lists| lists.concat())
    }

    /// The column of the last step; none where the path ends in `name`.
    pub(super) fn end(&mut self, path: &Steps) -> Option<&'l Column> {
        match path.name {
            true => None,
            false => path.dimensions.last().and_then(|&d| self.column(d)),
        }
    }

    /// A path that ends in NUMBER or DATE, else a mismatch.
    pub(super) fn measured(&mut self, path: &Steps, text: &str) -> Option<DimensionId> {
        let right = match self.end(path) {
            Some(column) if column.is_measured() => return path.dimensions.last().copied(),
            Some(column) => is_kind(column),
            None => "name is text".to_owned(),
        };
        self.mismatch("operator", text.to_owned(), right);
        None
    }

    /// Whether the members of a set can be values at the end of a path.
    pub(super) fn takes_set(&mut self, path: &Steps, asked: &Asked) -> Option<()> {
        let kind = self.set_kind(asked);
        let text_set = |resolver: &mut Self| match kind {
            SetKind::Texts => true,
            SetKind::Values(e) => {
                matches!(resolver.column(e).map(|c| &c.kind), Some(Kind::Text))
            }
            _ => false,
        };
        let (fits, right) = match self.end(path) {
            None => (
                kind == SetKind::Instances || text_set(self),
                "name is text".to_owned(),
            ),
            Some(column) => {
                let fits = match (&column.kind, kind) {
                    (Kind::Entity { .. }, SetKind::Instances) => true,
                    (Kind::Text, _) => text_set(self),
                    (Kind::Taxonomy, SetKind::Values(e)) => path.dimensions.last() == Some(&e),
                    (Kind::Date, SetKind::Values(e)) => {
                        self.column(e).map(|c| &c.kind) == Some(&Kind::Date)
                    }
                    (Kind::Number { unit }, SetKind::Values(e)) => {
                        let other = self.column(e).map(|c| &c.kind);
                        self.same_unit(unit.as_deref(), other)
                    }
                    _ => false,
                };
                (fits, is_kind(column))
            }
        };
        if !fits {
            self.mismatch("set", asked.text.clone(), right);
        }
        fits.then_some(())
    }

    fn same_unit(&self, unit: Option<&str>, other: Option<&Kind>) -> bool {
        match (unit, other) {
            (None, Some(Kind::Number { unit: None })) => true,
            (Some(a), Some(Kind::Number { unit: Some(b) })) => {
                self.lattice.units().same_quantity(a, b)
            }
            _ => false,
        }
    }

    /// What the members of a query's answer are.
    pub(super) fn set_kind(&self, asked: &Asked) -> SetKind {
        kind_of_set(self.facts, asked)
    }
}

/// What the members of a query's answer are.
pub(super) fn kind_of_set(facts: &Facts, asked: &Asked) -> SetKind {
    let returns = match &asked.form {
        Form::Meet(meet) => &meet.returns,
        Form::Compare(Compare::Extremum { returns, .. }) => returns,
        Form::Compare(Compare::Bound(bound)) => {
            return match bound.by.dimensions.last() {
                Some(&d) if facts.column(d).is_some_and(Column::is_entity) => SetKind::Instances,
                Some(&d) => SetKind::Values(d),
                None => SetKind::None,
            };
        }
        _ => return SetKind::None,
    };
    match returns {
        Returns::Instances => SetKind::Instances,
        Returns::Paths(paths) => match paths.as_slice() {
            [path] if path.name => SetKind::Texts,
            [path] => match path.dimensions.last() {
                Some(&d) if facts.column(d).is_some_and(Column::is_entity) => SetKind::Instances,
                Some(&d) => SetKind::Values(d),
                None => SetKind::None,
            },
            _ => SetKind::None,
        },
        Returns::Count(_) => SetKind::None,
    }
}
