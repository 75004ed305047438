//! Why a condition is certain or excluded for one instance.
//!
//! The choices that a proof has (which predicate, which path, which element) are
//! made canonically: the first in the order of values, so that everyone who
//! derives the proof derives the same bytes.

use super::RunError;
use super::coordinate::{Coordinate, Recorded, Scale, Shape};
use super::proof::{By, PredicateRef, Proof, Shown, SideProof, read_predicate};
use super::run::Run;
use super::step::{Alternative, StepTest};
use super::truth::{Ask, Rest};
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::plan::{BoundPart, Condition, NameTest, QueryId, Test};
use crate::syntax::tree::{Constraint, Path, SetExpression, Span, Term};
use crate::syntax::{print_constraint, print_query, print_term};
use crate::verdict::Members;
use roaring::RoaringBitmap;
use std::rc::Rc;

impl<'l> Run<'l> {
    /// Whether a condition is certain for one instance.
    fn is_certain(&self, c: &Condition, x: InstanceId, ask: Ask) -> Result<bool, RunError> {
        let only = RoaringBitmap::from_iter([x.0]);
        Ok(!self.certain(c, ask, Some(&only))?.is_empty())
    }

    pub(super) fn is_excluded(
        &self,
        c: &Condition,
        x: InstanceId,
        ask: Ask,
    ) -> Result<bool, RunError> {
        let only = RoaringBitmap::from_iter([x.0]);
        Ok(!self.excluded(c, ask, Some(&only))?.is_empty())
    }

    /// The proof that a condition is certain for an instance; it is.
    pub(super) fn prove(&self, c: &Condition, x: InstanceId, ask: Ask) -> Result<Proof, RunError> {
        let text = condition_text(c);
        let certain = |by| Proof {
            shown: Shown::Certain,
            text,
            bounds: Vec::new(),
            by,
        };
        Ok(match c {
            Condition::All(list, _) => {
                let all: Result<Vec<Proof>, RunError> =
                    list.iter().map(|c| self.prove(c, x, ask)).collect();
                certain(By::All(all?))
            }
            Condition::Any(list, _) => {
                for member in list {
                    if self.is_certain(member, x, ask)? {
                        let one = self.prove(member, x, ask)?;
                        return Ok(certain(By::One(Box::new(one))));
                    }
                }
                certain(By::Nothing)
            }
            Condition::Not(inner, _) => certain(By::Not(Box::new(self.refute(inner, x, ask)?))),
            Condition::Possibly(inner, _) => {
                let so = if self.is_certain(inner, x, ask)? {
                    self.prove(inner, x, ask)?
                } else {
                    Proof {
                        shown: Shown::Possible,
                        text: condition_text(inner),
                        bounds: Vec::new(),
                        by: By::Nothing,
                    }
                };
                certain(By::So(Box::new(so)))
            }
            Condition::Name { test, .. } => certain(self.by_name(test, x)),
            Condition::Walk {
                path,
                test,
                sources,
            } => self.prove_walk(Rest { path, test }, sources, x, ask)?,
        })
    }

    pub(super) fn by_name(&self, test: &NameTest, x: InstanceId) -> By {
        match test {
            NameTest::In(set) => By::Among(self.set_text(*set)),
            NameTest::Called(_) | NameTest::Has => By::Called(self.names_at(x)),
        }
    }

    /// The name of an instance, then its aliases.
    fn names_at(&self, x: InstanceId) -> Vec<String> {
        let mut names = vec![self.lattice.name(x).to_owned()];
        names.extend(self.lattice.aliases(x).into_iter().map(str::to_owned));
        names
    }

    pub(super) fn set_text(&self, id: QueryId) -> String {
        self.plan
            .step(id)
            .map_or_else(String::new, |step| print_query(&step.query))
    }

    /// A step test, built once for each test of the plan.
    pub(super) fn cached_test(
        &self,
        d: DimensionId,
        test: &Test,
        ask: Ask,
        excluding: bool,
    ) -> Result<Rc<StepTest<'l>>, RunError> {
        let key = (
            std::ptr::from_ref(test) as usize,
            ask.confidence.to_bits(),
            excluding,
        );
        if let Some(known) = self.tests.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let built = Rc::new(self.step_test(d, test, ask, excluding)?);
        self.tests.borrow_mut().insert(key, Rc::clone(&built));
        Ok(built)
    }

    pub(super) fn read_all_of(
        &self,
        d: DimensionId,
        denied: bool,
        list: &[&Recorded],
    ) -> Result<Vec<super::proof::Predicate>, RunError> {
        list.iter()
            .map(|r| {
                read_predicate(
                    self.lattice,
                    PredicateRef {
                        dimension: d,
                        denied,
                        predicate: r.predicate,
                    },
                )
            })
            .collect()
    }

    fn prove_walk(
        &self,
        rest: Rest<'_>,
        sources: &[Constraint],
        x: InstanceId,
        ask: Ask,
    ) -> Result<Proof, RunError> {
        let text = texts(sources);
        let certain = |by| Proof {
            shown: Shown::Certain,
            text,
            bounds: Vec::new(),
            by,
        };
        let Some((&d, further)) = rest.path.split_first() else {
            return Ok(match rest.test {
                Test::Name(test) => certain(self.by_name(test, x)),
                _ => certain(By::Nothing),
            });
        };
        let c = self.coordinate(d, x);
        if further.is_empty() && !matches!(rest.test, Test::Name(_)) {
            let mut proof = certain(self.certain_by(d, rest.test, sources, &c, ask)?);
            proof.bounds = self.bound_values(rest.test)?;
            return Ok(proof);
        }
        let after = Rest {
            path: further,
            test: rest.test,
        };
        let shorter = shorten(sources);
        let holds = |r: &Recorded| -> Result<bool, RunError> {
            let only = RoaringBitmap::from_iter([r.value]);
            Ok(!self.certain_walk(after, ask, Some(&only))?.is_empty())
        };
        let mut sides = Vec::new();
        for candidates in self.groups(&c, ask) {
            for r in candidates {
                if holds(r)? {
                    let mut side = SideProof::of(self.read_all_of(d, false, &[r])?);
                    side.then = Some(Box::new(self.prove_walk(
                        after,
                        &shorter,
                        InstanceId(r.value),
                        ask,
                    )?));
                    sides.push(side);
                    break;
                }
            }
        }
        Ok(certain(plain_sides(sides)))
    }

    /// The positives that may show something: of each side those that count, or
    /// the uncontested ones that do.
    fn groups<'c>(&self, c: &'c Coordinate, ask: Ask) -> Vec<Vec<&'c Recorded>> {
        match &c.shape {
            Shape::Sides(sides) => sides
                .iter()
                .map(|side| c.counting(side, ask.confidence).collect())
                .collect(),
            Shape::Loose { .. } => vec![c.loose_positives(ask.confidence).collect()],
        }
    }

    fn certain_by(
        &self,
        d: DimensionId,
        test: &Test,
        sources: &[Constraint],
        c: &Coordinate,
        ask: Ask,
    ) -> Result<By, RunError> {
        if matches!(test, Test::Has) {
            let mut sides = Vec::new();
            for group in self.groups(c, ask) {
                let first: Vec<&Recorded> = group.into_iter().take(1).collect();
                sides.push(SideProof::of(self.read_all_of(d, false, &first)?));
            }
            return Ok(plain_sides(sides));
        }
        let step = self.cached_test(d, test, ask, false)?;
        let (among, named) = match test {
            Test::In(set) => (Some(self.set_text(*set)), true),
            Test::Nodes { elements, .. } => {
                let several =
                    elements.len() > 1 || elements.iter().any(|element| element.nodes.len() > 1);
                (None, several || is_braces(sources))
            }
            _ => (None, is_braces(sources)),
        };
        let found = step
            .wanted
            .certain
            .iter()
            .position(|alternative| step.certain_alternative(c, alternative));
        let Some((k, alternative)) = found.and_then(|k| Some((k, step.wanted.certain.get(k)?)))
        else {
            return Ok(By::Nothing);
        };
        Ok(By::Sides {
            among,
            element: if named {
                Some(self.element_text(d, test, k)?)
            } else {
                None
            },
            sides: self.sides_for(d, &step, c, alternative, ask)?,
        })
    }

    /// What the sets that bound came to.
    pub(super) fn bound_values(&self, test: &Test) -> Result<Vec<Value>, RunError> {
        let mut values = Vec::new();
        let Test::Bounds(parts) = test else {
            return Ok(values);
        };
        for part in parts {
            if let BoundPart::Set { set, .. } = part
                && let Some((_, value)) = self.bound_value(*set)?
            {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// One of several nodes that are called alike: an instance by its id, a
    /// value by its name.
    pub(super) fn node_term(&self, d: DimensionId, node: u32) -> Term {
        if self.lattice.dimension(d).is_entity() {
            return Term::Id {
                id: self.lattice.id(InstanceId(node)).to_owned(),
                span: Span::default(),
            };
        }
        let value = self.lattice.value(d, ValueId(node));
        let text = crate::verdict::print_value(self.lattice, &value);
        Term::Name(crate::syntax::tree::Name {
            quoted: !crate::syntax::words::is_bare(&text),
            text,
            span: Span::default(),
        })
    }

    /// The printed element that an alternative of a test stands for.
    fn element_text(&self, d: DimensionId, test: &Test, k: usize) -> Result<String, RunError> {
        Ok(match test {
            Test::Nodes { elements, .. } => {
                let mut at = 0;
                for element in elements {
                    if k < at + element.nodes.len() {
                        let node = element.nodes.get(k - at).copied().unwrap_or(0);
                        return Ok(if element.nodes.len() > 1 {
                            print_term(&self.node_term(d, node))
                        } else {
                            print_term(&element.term)
                        });
                    }
                    at += element.nodes.len();
                }
                String::new()
            }
            Test::Regions(list) => list
                .get(k)
                .map_or_else(String::new, |(term, _)| print_term(term)),
            Test::In(set) => match &self.firm_members(*set)? {
                Members::Instances(set) => set
                    .select(k as u32)
                    .map_or_else(String::new, |i| id_text(self.lattice.id(InstanceId(i)))),
                Members::Values(e, set) => set.select(k as u32).map_or_else(String::new, |v| {
                    let value = self.lattice.value(*e, ValueId(v));
                    crate::verdict::print_value(self.lattice, &value)
                }),
                Members::Texts(set) => set.iter().nth(k).cloned().unwrap_or_default(),
                Members::Interval(_, value) => crate::verdict::print_value(self.lattice, value),
            },
            Test::Bounds(_) | Test::Has | Test::Name(_) => String::new(),
        })
    }

    fn sides_for(
        &self,
        d: DimensionId,
        step: &StepTest<'l>,
        c: &Coordinate,
        alternative: &Alternative,
        ask: Ask,
    ) -> Result<Vec<SideProof>, RunError> {
        let mut sides = Vec::new();
        for group in self.groups(c, ask) {
            let whole =
                matches!(c.shape, Shape::Sides(_)) && !matches!(step.scale, Scale::Ordered(_));
            let by: Vec<&Recorded> = if whole {
                group
            } else {
                group
                    .into_iter()
                    .find(|r| step.satisfies(r.value, alternative))
                    .into_iter()
                    .collect()
            };
            let mut side = SideProof::of(self.read_all_of(d, false, &by)?);
            if let (Scale::Ordered(order), Alternative::Node { node, .. }, [r]) =
                (&step.scale, alternative, by.as_slice())
                && !matches!(self.lattice.dimension(d).kind, crate::lattice::Kind::Text)
                && (self.chains || !matches!(order.as_ref(), super::order::Order::Dag(_)))
            {
                let path = order.path_up(r.value, *node).unwrap_or_default();
                side.path = path
                    .iter()
                    .map(|&v| self.lattice.value(d, ValueId(v)))
                    .collect();
                side.edges = self.edges(d, &path)?;
            }
            sides.push(side);
        }
        Ok(sides)
    }

    /// The predicates of the WITHIN relation along a path.
    pub(super) fn edges(
        &self,
        d: DimensionId,
        path: &[u32],
    ) -> Result<Vec<super::proof::Predicate>, RunError> {
        let Some(within) = self.lattice.dimension(d).within() else {
            return Ok(Vec::new());
        };
        let relation = self.lattice.positive(within);
        let mut edges = Vec::new();
        for (a, b) in path.iter().zip(path.iter().skip(1)) {
            if let Some(predicate) = relation.of(InstanceId(*a)).find(ValueId(*b)) {
                edges.push(read_predicate(
                    self.lattice,
                    PredicateRef {
                        dimension: within,
                        denied: false,
                        predicate,
                    },
                )?);
            }
        }
        Ok(edges)
    }
}

pub(super) fn plain_sides(sides: Vec<SideProof>) -> By {
    By::Sides {
        among: None,
        element: None,
        sides,
    }
}

/// The printed constraint of a condition; joined bounds with AND between them.
pub(super) fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Walk { sources, .. } => texts(sources),
        other => print_constraint(other.source()),
    }
}

pub(super) fn texts(sources: &[Constraint]) -> String {
    sources
        .iter()
        .map(print_constraint)
        .collect::<Vec<_>>()
        .join(" AND ")
}

/// The constraints with the first step of their path left out.
pub(super) fn shorten(sources: &[Constraint]) -> Vec<Constraint> {
    let shorter = |path: &Path| Path {
        steps: path.steps.iter().skip(1).cloned().collect(),
        span: path.span,
    };
    sources
        .iter()
        .map(|source| match source.clone() {
            Constraint::Test {
                path,
                operator,
                operand,
                span,
            } => Constraint::Test {
                path: shorter(&path),
                operator,
                operand,
                span,
            },
            Constraint::In { path, set, span } => Constraint::In {
                path: shorter(&path),
                set,
                span,
            },
            Constraint::Has { path, span } => Constraint::Has {
                path: shorter(&path),
                span,
            },
            other => other,
        })
        .collect()
}

/// Whether the constraint is `path IN {…}`.
pub(super) fn is_braces(sources: &[Constraint]) -> bool {
    matches!(
        sources,
        [Constraint::In {
            set: SetExpression::Elements { .. },
            ..
        }]
    )
}

fn id_text(id: &str) -> String {
    print_term(&Term::Id {
        id: id.to_owned(),
        span: Span::default(),
    })
}
