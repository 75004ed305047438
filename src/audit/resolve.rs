//! Words of a canonical query, looked up: a query in the checker's own form, or
//! the reason why there is none.

use super::AuditError;
use super::facts::{Column, Facts};
use super::query::{
    Asked, Bound, Compare, Condition, Element, Form, Literal, Meet, Returns, Steps, Test, What,
};
use crate::lattice::{DimensionId, InstanceId, Kind, Lattice};
use crate::syntax::print::{print_constraint, print_path, print_query};
use crate::syntax::tree::{self, Constraint, Operator, Path, Query, Term};
use crate::verdict::{CalledSo, Contrast, Reason, Unknown};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most steps of one path. The checker follows a path step by step, and a
/// text from a stranger must not lead it too far.
const MOST_STEPS: usize = 1000;

/// What looking words up ends in.
pub(super) enum Resolved {
    Asked(Arc<Asked>, Vec<CalledSo>),
    /// The words do not fit the lattice.
    Refused(Reason),
}

/// Looks every word of a closed canonical query up.
pub(super) fn resolve(
    lattice: &Lattice,
    facts: &Facts,
    query: &Query,
) -> Result<Resolved, AuditError> {
    if let Query::Abstain { words, .. } = query {
        let reason = Reason::Declined {
            words: words.clone(),
        };
        return Ok(Resolved::Refused(reason));
    }
    let mut resolver = Resolver {
        lattice,
        facts,
        problems: Vec::new(),
        unrecorded: Vec::new(),
        called: BTreeSet::new(),
        made: HashMap::new(),
        inner: Vec::new(),
        error: None,
    };
    let asked = resolver.query(query);
    if let Some(error) = resolver.error {
        return Err(error);
    }
    if lattice.is_empty() {
        return Ok(Resolved::Refused(Reason::EmptyLattice));
    }
    if let Some(reason) = Reason::first_class(resolver.problems) {
        return Ok(Resolved::Refused(reason));
    }
    match asked {
        Some(asked) => Ok(Resolved::Asked(
            asked,
            resolver.called.into_iter().collect(),
        )),
        None => Err(AuditError::NotClosed),
    }
}

pub(super) struct Resolver<'l> {
    pub(super) lattice: &'l Lattice,
    pub(super) facts: &'l Facts,
    problems: Vec<Reason>,
    /// Texts that no instance records.
    pub(super) unrecorded: Vec<String>,
    called: BTreeSet<CalledSo>,
    made: HashMap<String, Option<Arc<Asked>>>,
    inner: Vec<Arc<Asked>>,
    error: Option<AuditError>,
}

impl<'l> Resolver<'l> {
    pub(super) fn problem(&mut self, reason: Reason) {
        self.problems.push(reason);
    }

    pub(super) fn mismatch(&mut self, what: &str, left: String, right: String) {
        self.problem(Reason::Mismatch(vec![Contrast {
            what: what.to_owned(),
            left,
            right,
        }]));
    }

    /// Runs a search whose problems do not matter.
    pub(super) fn quietly<T>(&mut self, search: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.problems.len();
        let found = search(self);
        self.problems.truncate(before);
        found
    }

    /// Notes what makes the query one that is not evaluated at all.
    pub(super) fn fail(&mut self, error: AuditError) {
        self.error.get_or_insert(error);
    }

    pub(super) fn column(&mut self, d: DimensionId) -> Option<&'l Column> {
        self.facts.column(d)
    }

    pub(super) fn note(&mut self, word: &str, instances: &[u32]) {
        if instances.len() > 1 {
            self.called.insert(CalledSo {
                word: word.to_owned(),
                instances: instances.iter().map(|&i| InstanceId(i)).collect(),
            });
        }
    }

    /// A query, made once for each distinct text.
    fn query(&mut self, query: &Query) -> Option<Arc<Asked>> {
        let text = print_query(query);
        if let Some(made) = self.made.get(&text) {
            return made.clone();
        }
        let outer = std::mem::take(&mut self.inner);
        let form = match query {
            Query::Meet(meet) => self.meet(meet).map(Form::Meet),
            Query::Compare(compare) => self.compare(compare, &text).map(Form::Compare),
            Query::Abstain { words, .. } => Some(Form::Decline(words.clone())),
            Query::Read(_) => {
                self.fail(AuditError::Reading);
                None
            }
        };
        let inner = std::mem::replace(&mut self.inner, outer);
        let made = form.map(|form| {
            Arc::new(Asked {
                text: text.clone(),
                query: query.clone(),
                form,
                inner,
            })
        });
        self.made.insert(text, made.clone());
        made
    }

    /// A query inside the one at hand.
    pub(super) fn inner_query(&mut self, query: &Query) -> Option<Arc<Asked>> {
        let asked = self.query(query)?;
        if !self.inner.iter().any(|known| known.text == asked.text) {
            self.inner.push(Arc::clone(&asked));
        }
        Some(asked)
    }

    fn meet(&mut self, meet: &tree::Meet) -> Option<Meet> {
        let list = match &meet.constraint {
            Constraint::And(list, _) => self.conditions(list),
            single => self.condition(single).map(|condition| vec![condition]),
        };
        let returns = match &meet.returns {
            None => Some(Returns::Instances),
            Some(tree::Return::Count(None)) => Some(Returns::Count(None)),
            Some(tree::Return::Count(Some(path))) => {
                self.path(path).map(|path| Returns::Count(Some(path)))
            }
            Some(tree::Return::Paths(paths)) => self.return_paths(paths),
        };
        let confidence = meet.confidence.as_deref().map(str::parse::<f64>);
        Some(Meet {
            list: list?,
            confidence: confidence.and_then(Result::ok).unwrap_or(0.0),
            returns: returns?,
        })
    }

    pub(super) fn return_paths(&mut self, paths: &[Path]) -> Option<Returns> {
        let found: Vec<Option<Steps>> = paths.iter().map(|path| self.path(path)).collect();
        let found: Option<Vec<Steps>> = found.into_iter().collect();
        found.map(Returns::Paths)
    }

    fn conditions(&mut self, list: &[Constraint]) -> Option<Vec<Condition>> {
        let found: Vec<Option<Condition>> = list.iter().map(|c| self.condition(c)).collect();
        found.into_iter().collect()
    }

    pub(super) fn condition(&mut self, constraint: &Constraint) -> Option<Condition> {
        let source = constraint.clone();
        match constraint {
            Constraint::And(list, _) => Some(Condition::All(self.conditions(list)?, source)),
            Constraint::Or(list, _) => Some(Condition::Any(self.conditions(list)?, source)),
            Constraint::Not(inner, _) => {
                Some(Condition::Not(Box::new(self.condition(inner)?), source))
            }
            Constraint::Possibly(inner, _) => Some(Condition::Possibly(
                Box::new(self.condition(inner)?),
                source,
            )),
            Constraint::Has { path, .. } => {
                let path = self.path(path)?;
                Some(test(path, What::Has, source))
            }
            Constraint::In { path, set, .. } => self.membership(path, set, source),
            Constraint::Test {
                path,
                operator: Operator::IsNot,
                operand,
                span,
            } => {
                let positive = Constraint::Test {
                    path: path.clone(),
                    operator: Operator::Is,
                    operand: operand.clone(),
                    span: *span,
                };
                let inner = self.related(path, Operator::Is, operand, positive)?;
                Some(Condition::Not(Box::new(inner), source))
            }
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            } => self.related(path, *operator, operand, source),
        }
    }

    /// `path operator operand`.
    fn related(
        &mut self,
        path: &Path,
        operator: Operator,
        operand: &tree::Operand,
        source: Constraint,
    ) -> Option<Condition> {
        match operand {
            tree::Operand::Term(term) => {
                let path = self.path(path)?;
                let what = self.related_to(&path, operator, term, &print_constraint(&source))?;
                Some(test(path, what, source))
            }
            tree::Operand::Query { query, .. } => {
                let path = self.path(path);
                let asked = self.inner_query(query);
                let (path, asked) = (path?, asked?);
                if operator == Operator::Is {
                    self.takes_set(&path, &asked)?;
                    return Some(test(path, What::In(asked), source));
                }
                self.measured(&path, &print_constraint(&source))?;
                self.takes_set(&path, &asked)?;
                let bounds = What::Bounds(vec![Bound::Only(operator, asked)]);
                Some(test(path, bounds, source))
            }
        }
    }

    fn related_to(
        &mut self,
        path: &Steps,
        operator: Operator,
        term: &Term,
        text: &str,
    ) -> Option<What> {
        let among = |elements| What::Among {
            elements,
            listed: false,
        };
        let Some(column) = self.end(path) else {
            if operator != Operator::Is {
                self.mismatch("operator", text.to_owned(), "name is text".to_owned());
                return None;
            }
            return self.called(term).map(among);
        };
        let d = path.dimensions.last().copied()?;
        match column.kind {
            Kind::Number { .. } | Kind::Date if operator == Operator::Is => {
                let region = self.range(d, term, text)?;
                Some(among(vec![Element {
                    literal: Literal::Points(region),
                    term: term.clone(),
                    shared: None,
                }]))
            }
            Kind::Number { .. } | Kind::Date => {
                let region = self.bound(d, operator, term, text)?;
                Some(What::Bounds(vec![Bound::Literal(region)]))
            }
            Kind::Taxonomy | Kind::Entity { .. }
                if matches!(operator, Operator::Is | Operator::AtMost) =>
            {
                self.nodes(d, term, text).map(among)
            }
            Kind::Taxonomy | Kind::Entity { .. } if operator == Operator::Less => {
                self.nodes(d, term, text).map(What::Below)
            }
            Kind::Text if operator == Operator::Is => self.nodes(d, term, text).map(among),
            _ => {
                let right = is_kind(column);
                self.mismatch("operator", text.to_owned(), right);
                None
            }
        }
    }

    /// Looks up the steps of a path.
    pub(super) fn path(&mut self, path: &Path) -> Option<Steps> {
        let text = print_path(path);
        if path.steps.len() > MOST_STEPS {
            self.fail(AuditError::LongPath(MOST_STEPS));
            return None;
        }
        let mut found = Some(Steps {
            dimensions: Vec::new(),
            name: false,
            text: text.clone(),
        });
        let last = path.steps.len().saturating_sub(1);
        for (k, step) in path.steps.iter().enumerate() {
            if step.text == "name" {
                match (k == last, found.as_mut()) {
                    (true, Some(found)) => found.name = true,
                    (true, None) => {}
                    (false, _) => {
                        self.mismatch("path step", text.clone(), "name is text".to_owned());
                        found = None;
                    }
                }
                continue;
            }
            let Some(d) = self.lattice.find_dimension(&step.text) else {
                let nearest = self.lattice.nearest_dimensions(&step.text);
                self.problem(Reason::UnknownDimension(vec![Unknown {
                    word: step.text.clone(),
                    dimension: None,
                    nearest,
                }]));
                found = None;
                continue;
            };
            let column = self.column(d)?;
            if k < last && !column.is_entity() {
                self.mismatch("path step", text.clone(), is_kind(column));
                found = None;
            }
            if let Some(found) = found.as_mut() {
                found.dimensions.push(d);
            }
        }
        found
    }

    /// `COMPARE …`; see `resolve_compare`.
    fn compare(&mut self, compare: &tree::Compare, text: &str) -> Option<Compare> {
        super::resolve_compare::compare(self, compare, text)
    }
}

pub(super) fn test(path: Steps, what: What, source: Constraint) -> Condition {
    Condition::Test(Test {
        path,
        what,
        source: vec![source],
    })
}

/// `<dimension> is <kind>`.
pub(super) fn is_kind(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Taxonomy => "taxonomy",
        Kind::Entity { .. } => "entity",
        Kind::Number { .. } => "number",
        Kind::Date => "date",
        Kind::Text => "text",
    };
    format!("{} is {kind}", column.name)
}
