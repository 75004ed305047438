//! From a canonical query to a plan, or to the reason why there is none.

use super::{
    BoundPart, Compare, Condition, Conjunct, Meet, NameTest, Plan, QueryId, ReturnPath, Returns,
    Step, StepKind, Test, join_bounds,
};
use crate::lattice::{DimensionId, InstanceId, Kind, Lattice};
use crate::syntax::tree::{self, Constraint, Operator, Path, Query, SetExpression, Term};
use crate::syntax::{print_constraint, print_name, print_query};
use crate::verdict::{CalledSo, Reason, Unknown};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Looks every word of a canonical query up in a lattice.
///
/// # Errors
/// The reason of the first class that applies, with all of that class: an empty
/// lattice, unknown words, mismatches, ambiguous operands. A READ has no plan;
/// the caller has refused it before.
pub fn resolve(lattice: &Lattice, query: &Arc<Query>) -> Result<Plan, Reason> {
    if let Query::Abstain { words, .. } = query.as_ref() {
        return Ok(Plan {
            query: Arc::clone(query),
            steps: vec![Step {
                query: Arc::clone(query),
                kind: StepKind::Decline(words.clone()),
            }],
            called: Vec::new(),
        });
    }
    if lattice.is_empty() {
        return Err(Reason::EmptyLattice);
    }
    let mut resolver = Resolver {
        lattice,
        problems: Vec::new(),
        called: BTreeMap::new(),
        steps: Vec::new(),
        by_text: HashMap::new(),
        inner: Vec::new(),
        unrecorded: HashMap::new(),
    };
    resolver.query(query);
    if let Some(reason) = Reason::first_class(resolver.problems) {
        return Err(reason);
    }
    Ok(Plan {
        query: Arc::clone(query),
        steps: resolver.steps,
        called: resolver
            .called
            .into_iter()
            .map(|(word, instances)| CalledSo { word, instances })
            .collect(),
    })
}

/// What the members of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetKind {
    Instances,
    Values(DimensionId),
    Texts,
    NotASet,
}

pub(super) struct Resolver<'l> {
    pub(super) lattice: &'l Lattice,
    pub(super) problems: Vec<Reason>,
    pub(super) called: BTreeMap<String, Vec<InstanceId>>,
    steps: Vec<Step>,
    by_text: HashMap<String, QueryId>,
    /// The inner queries of the query being resolved.
    inner: Vec<QueryId>,
    /// Nodes that stand for texts that nothing records.
    pub(super) unrecorded: HashMap<String, u32>,
}

/// A resolved path.
pub(super) struct Walked {
    pub(super) steps: Vec<DimensionId>,
    pub(super) name: bool,
}

impl Resolver<'_> {
    /// Resolves a query and those in it. `None` where a problem was noted.
    fn query(&mut self, query: &Query) -> Option<QueryId> {
        let text = print_query(query);
        if let Some(&id) = self.by_text.get(&text) {
            return Some(id);
        }
        let outer = std::mem::take(&mut self.inner);
        let kind = match query {
            Query::Meet(meet) => self.meet(meet).map(StepKind::Meet),
            Query::Compare(compare) => self
                .compare(compare, &text)
                .map(|compare| StepKind::Compare(Box::new(compare))),
            Query::Abstain { words, .. } => Some(StepKind::Decline(words.clone())),
            Query::Read(_) => None,
        };
        self.inner = outer;
        let id = QueryId(self.steps.len());
        self.steps.push(Step {
            query: Arc::new(query.clone()),
            kind: kind?,
        });
        self.by_text.insert(text, id);
        Some(id)
    }

    pub(super) fn inner_query(&mut self, query: &Query) -> Option<QueryId> {
        let id = self.query(query)?;
        if !self.inner.contains(&id) {
            self.inner.push(id);
        }
        Some(id)
    }

    pub(super) fn take_inner(&mut self) -> Vec<QueryId> {
        let mut inner = std::mem::take(&mut self.inner);
        inner.sort();
        inner
    }

    fn meet(&mut self, meet: &tree::Meet) -> Option<Meet> {
        let list: &[Constraint] = match &meet.constraint {
            Constraint::And(list, _) => list,
            single => std::slice::from_ref(single),
        };
        let conjuncts = self.conjuncts(list);
        let returns = match &meet.returns {
            None => Some(Returns::Instances),
            Some(tree::Return::Count(None)) => Some(Returns::Count(None)),
            Some(tree::Return::Count(Some(path))) => self
                .return_path(path)
                .map(|path| Returns::Count(Some(path))),
            Some(tree::Return::Paths(paths)) => self.return_paths(paths),
        };
        let confidence = meet
            .confidence
            .as_deref()
            .and_then(|text| text.parse::<f64>().ok())
            .unwrap_or(0.0);
        let conjuncts = conjuncts?;
        Some(Meet {
            conditions: join_bounds(&conjuncts),
            conjuncts,
            confidence,
            returns: returns?,
            inner: self.take_inner(),
        })
    }

    pub(super) fn return_paths(&mut self, paths: &[Path]) -> Option<Returns> {
        let mut resolved: Vec<Option<ReturnPath>> =
            paths.iter().map(|path| self.return_path(path)).collect();
        if resolved.len() == 1 {
            return resolved.pop().flatten().map(Returns::Path);
        }
        resolved
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .map(Returns::Rows)
    }

    fn return_path(&mut self, path: &Path) -> Option<ReturnPath> {
        let walked = self.path(path)?;
        Some(ReturnPath {
            steps: walked.steps,
            name: walked.name,
            text: path_text(path),
        })
    }

    /// All of a list, so that every problem in it is noted.
    fn conjuncts(&mut self, list: &[Constraint]) -> Option<Vec<Conjunct>> {
        let all: Vec<Option<Conjunct>> = list.iter().map(|c| self.conjunct(c)).collect();
        all.into_iter().collect()
    }

    fn conditions(&mut self, list: &[Constraint]) -> Option<Vec<Condition>> {
        let all: Vec<Option<Condition>> = list.iter().map(|c| self.condition(c)).collect();
        all.into_iter().collect()
    }

    fn conjunct(&mut self, constraint: &Constraint) -> Option<Conjunct> {
        match self.condition(constraint)? {
            Condition::Walk {
                path,
                test: Test::Bounds(parts),
                ..
            } => parts.into_iter().next().map(|part| Conjunct::Bound {
                path,
                part,
                source: constraint.clone(),
            }),
            other => Some(Conjunct::Other(other)),
        }
    }

    pub(super) fn condition(&mut self, constraint: &Constraint) -> Option<Condition> {
        let source = constraint.clone();
        match constraint {
            // The condition of a COMPARE keeps its `!=`.
            Constraint::Test {
                path,
                operator: Operator::IsNot,
                operand,
                span,
            } => {
                let is = Constraint::Test {
                    path: path.clone(),
                    operator: Operator::Is,
                    operand: operand.clone(),
                    span: *span,
                };
                self.condition(&is)
                    .map(|c| Condition::Not(Box::new(c), source))
            }
            Constraint::And(list, _) => {
                let conjuncts = self.conjuncts(list)?;
                Some(Condition::All(join_bounds(&conjuncts), source))
            }
            Constraint::Or(list, _) => self
                .conditions(list)
                .map(|list| Condition::Any(list, source)),
            Constraint::Not(inner, _) => self
                .condition(inner)
                .map(|c| Condition::Not(Box::new(c), source)),
            Constraint::Possibly(inner, _) => self
                .condition(inner)
                .map(|c| Condition::Possibly(Box::new(c), source)),
            Constraint::Has { path, .. } => {
                let walked = self.path(path)?;
                Some(finish(walked, NameTest::Has, Test::Has, source))
            }
            Constraint::In { path, set, .. } => self.membership(path, set, source),
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            } => self.test(path, *operator, operand, source),
        }
    }

    fn test(
        &mut self,
        path: &Path,
        operator: Operator,
        operand: &tree::Operand,
        source: Constraint,
    ) -> Option<Condition> {
        let term = match operand {
            tree::Operand::Query { query, .. } => {
                return self.test_of_set(path, operator, query, source);
            }
            tree::Operand::Term(term) => term,
        };
        let walked = self.path(path)?;
        let text = print_constraint(&source);
        let is = matches!(operator, Operator::Is | Operator::IsNot);
        if walked.name {
            if !is {
                self.mismatch("operator", text, "name is text".to_owned());
                return None;
            }
            let found = self.instances(term)?;
            self.note_called(term, &found);
            return Some(name_condition(walked, NameTest::Called(found), source));
        }
        let d = walked.steps.last().copied()?;
        let test = match self.lattice.dimension(d).kind {
            Kind::Number { .. } | Kind::Date => {
                let region = self.region(d, operator, term, &text)?;
                if is {
                    Test::Regions(vec![(term.clone(), region)])
                } else {
                    Test::Bounds(vec![BoundPart::Literal(region)])
                }
            }
            Kind::Taxonomy | Kind::Entity { .. } | Kind::Text => {
                let ordered = !matches!(self.lattice.dimension(d).kind, Kind::Text);
                let fits = is || (ordered && matches!(operator, Operator::AtMost | Operator::Less));
                if !fits {
                    let right = self.is_kind(d);
                    self.mismatch("operator", text, right);
                    return None;
                }
                Test::Nodes {
                    elements: vec![self.element(d, term, &text)?],
                    strict: operator == Operator::Less,
                }
            }
        };
        Some(Condition::Walk {
            path: walked.steps,
            test,
            sources: vec![source],
        })
    }

    /// `d > (MEET …)`: a bound by the only member. `d = (MEET …)` is
    /// `d IN (MEET …)`.
    fn test_of_set(
        &mut self,
        path: &Path,
        operator: Operator,
        query: &Query,
        source: Constraint,
    ) -> Option<Condition> {
        let walked = self.path(path);
        let set = self.inner_query(query);
        let (walked, set) = (walked?, set?);
        if matches!(operator, Operator::Is | Operator::IsNot) {
            return self.member_of(walked, set, query, source);
        }
        let text = print_constraint(&source);
        let Some(&d) = walked.steps.last().filter(|_| !walked.name) else {
            self.mismatch("operator", text, "name is text".to_owned());
            return None;
        };
        if !matches!(
            self.lattice.dimension(d).kind,
            Kind::Number { .. } | Kind::Date
        ) {
            let right = self.is_kind(d);
            self.mismatch("operator", text, right);
            return None;
        }
        self.fits(d, set, query)?;
        Some(Condition::Walk {
            path: walked.steps,
            test: Test::Bounds(vec![BoundPart::Set { operator, set }]),
            sources: vec![source],
        })
    }

    fn membership(
        &mut self,
        path: &Path,
        set: &SetExpression,
        source: Constraint,
    ) -> Option<Condition> {
        match set {
            SetExpression::Query { query, .. } => {
                let walked = self.path(path);
                let id = self.inner_query(query);
                self.member_of(walked?, id?, query, source)
            }
            SetExpression::Elements { elements, .. } => self.one_of(path, elements, source),
            SetExpression::Range(term) => {
                let walked = self.path(path)?;
                let text = print_constraint(&source);
                if walked.name {
                    self.mismatch("operator", text, "name is text".to_owned());
                    return None;
                }
                let d = walked.steps.last().copied()?;
                if !matches!(
                    self.lattice.dimension(d).kind,
                    Kind::Number { .. } | Kind::Date
                ) {
                    let right = self.is_kind(d);
                    self.mismatch("operator", text, right);
                    return None;
                }
                let region = self.region(d, Operator::Is, term, &text)?;
                Some(Condition::Walk {
                    path: walked.steps,
                    test: Test::Bounds(vec![BoundPart::Literal(region)]),
                    sources: vec![source],
                })
            }
            // The canonical form has neither.
            SetExpression::Variable(_) | SetExpression::Parameter { .. } => None,
        }
    }

    /// `path IN {…}`.
    fn one_of(&mut self, path: &Path, terms: &[Term], source: Constraint) -> Option<Condition> {
        let walked = self.path(path)?;
        let text = print_constraint(&source);
        if walked.name {
            let found: Vec<Option<Vec<InstanceId>>> = terms
                .iter()
                .map(|term| {
                    let found = self.instances(term)?;
                    self.note_called(term, &found);
                    Some(found)
                })
                .collect();
            let mut all: Vec<InstanceId> = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
            all.sort_unstable();
            all.dedup();
            return Some(name_condition(walked, NameTest::Called(all), source));
        }
        let d = walked.steps.last().copied()?;
        let test = if matches!(
            self.lattice.dimension(d).kind,
            Kind::Number { .. } | Kind::Date
        ) {
            let regions: Vec<Option<_>> = terms
                .iter()
                .map(|term| {
                    let region = self.region(d, Operator::Is, term, &text)?;
                    Some((term.clone(), region))
                })
                .collect();
            Test::Regions(regions.into_iter().collect::<Option<Vec<_>>>()?)
        } else {
            let elements: Vec<Option<_>> = terms
                .iter()
                .map(|term| self.element(d, term, &text))
                .collect();
            Test::Nodes {
                elements: elements.into_iter().collect::<Option<Vec<_>>>()?,
                strict: false,
            }
        };
        Some(Condition::Walk {
            path: walked.steps,
            test,
            sources: vec![source],
        })
    }

    /// `path IN (query)`.
    fn member_of(
        &mut self,
        walked: Walked,
        set: QueryId,
        query: &Query,
        source: Constraint,
    ) -> Option<Condition> {
        if walked.name {
            let fits = match self.set_kind(set) {
                SetKind::Instances | SetKind::Texts => true,
                SetKind::Values(d) => matches!(self.lattice.dimension(d).kind, Kind::Text),
                SetKind::NotASet => false,
            };
            if !fits {
                self.mismatch("set", print_query(query), "name is text".to_owned());
                return None;
            }
            return Some(name_condition(walked, NameTest::In(set), source));
        }
        let d = walked.steps.last().copied()?;
        self.fits(d, set, query)?;
        Some(Condition::Walk {
            path: walked.steps,
            test: Test::In(set),
            sources: vec![source],
        })
    }

    /// Whether the members of a set can be values of a dimension.
    fn fits(&mut self, d: DimensionId, set: QueryId, query: &Query) -> Option<()> {
        let lattice = self.lattice;
        let fits = match (self.set_kind(set), &lattice.dimension(d).kind) {
            (SetKind::Instances, Kind::Entity { .. }) | (SetKind::Texts, Kind::Text) => true,
            (SetKind::Values(e), Kind::Taxonomy) => d == e,
            (SetKind::Values(e), Kind::Number { unit }) => match &lattice.dimension(e).kind {
                Kind::Number { unit: other } => match (unit, other) {
                    (None, None) => true,
                    (Some(a), Some(b)) => lattice.units().same_quantity(a, b),
                    _ => false,
                },
                _ => false,
            },
            (SetKind::Values(e), Kind::Date) => lattice.dimension(e).kind == Kind::Date,
            (SetKind::Values(e), Kind::Text) => lattice.dimension(e).kind == Kind::Text,
            _ => false,
        };
        if fits {
            return Some(());
        }
        let right = self.is_kind(d);
        self.mismatch("set", print_query(query), right);
        None
    }

    pub(super) fn set_kind(&self, id: QueryId) -> SetKind {
        let returns = match self.steps.get(id.0).map(|step| &step.kind) {
            Some(StepKind::Meet(meet)) => &meet.returns,
            Some(StepKind::Compare(compare)) => match compare.as_ref() {
                Compare::Extremum { returns, .. } => returns,
                Compare::Bound { by, .. } => {
                    let d = by.dimension();
                    return match self.lattice.dimension(d).is_entity() {
                        true => SetKind::Instances,
                        false => SetKind::Values(d),
                    };
                }
                _ => return SetKind::NotASet,
            },
            _ => return SetKind::NotASet,
        };
        match returns {
            Returns::Instances => SetKind::Instances,
            Returns::Path(path) if path.name => SetKind::Texts,
            Returns::Path(path) => match path.steps.last() {
                Some(&d) if self.lattice.dimension(d).is_entity() => SetKind::Instances,
                Some(&d) => SetKind::Values(d),
                None => SetKind::NotASet,
            },
            Returns::Rows(_) | Returns::Count(_) => SetKind::NotASet,
        }
    }

    /// Looks up the steps of a path.
    pub(super) fn path(&mut self, path: &Path) -> Option<Walked> {
        let mut steps = Vec::with_capacity(path.steps.len());
        let mut name = false;
        let mut known = true;
        let last = path.steps.len().saturating_sub(1);
        for (k, step) in path.steps.iter().enumerate() {
            if step.text == "name" && k == last {
                name = true;
                continue;
            }
            let Some(d) = self.lattice.find_dimension(&step.text) else {
                known = false;
                if step.text == "name" {
                    self.mismatch("path step", path_text(path), "name is text".to_owned());
                    continue;
                }
                let nearest = self.lattice.nearest_dimensions(&step.text);
                self.problem(Reason::UnknownDimension(vec![Unknown {
                    word: step.text.clone(),
                    dimension: None,
                    nearest,
                }]));
                continue;
            };
            if k < last && !self.lattice.dimension(d).is_entity() {
                known = false;
                let right = self.is_kind(d);
                self.mismatch("path step", path_text(path), right);
            }
            steps.push(d);
        }
        known.then_some(Walked { steps, name })
    }
}

/// A name test at the end of a path: of the instance itself, or of the
/// instances that the steps lead to.
fn name_condition(walked: Walked, test: NameTest, source: Constraint) -> Condition {
    if walked.steps.is_empty() {
        Condition::Name { test, source }
    } else {
        Condition::Walk {
            path: walked.steps,
            test: Test::Name(test),
            sources: vec![source],
        }
    }
}

fn finish(walked: Walked, name: NameTest, test: Test, source: Constraint) -> Condition {
    if walked.name {
        name_condition(walked, name, source)
    } else {
        Condition::Walk {
            path: walked.steps,
            test,
            sources: vec![source],
        }
    }
}

/// A path as it is printed.
pub(crate) fn path_text(path: &Path) -> String {
    path.steps
        .iter()
        .map(print_name)
        .collect::<Vec<_>>()
        .join(".")
}
