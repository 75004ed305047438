//! COMPARE: operands, candidates and sets, looked up.

use super::resolve::{Resolver, SetKind, path_text};
use super::{By, Compare, Operand, Returns, SetOperand};
use crate::lattice::{InstanceId, Kind};
use crate::syntax::tree::{self, Candidates, Operator, Relation, SetExpression, Side, Term};
use crate::syntax::{print_name, print_query, print_term};
use crate::verdict::Who;

impl Resolver<'_> {
    fn by(&mut self, by: &tree::By) -> Option<By> {
        let walked = self.path(&by.path)?;
        let text = path_text(&by.path);
        if walked.name {
            self.mismatch("step by", text, "name has no order".to_owned());
            return None;
        }
        Some(By {
            steps: walked.steps,
            count: by.count,
            text,
        })
    }

    pub(super) fn compare(&mut self, compare: &tree::Compare, text: &str) -> Option<Compare> {
        match compare {
            tree::Compare::Relate {
                left,
                relation,
                right,
                by: Some(by),
                ..
            } => {
                let by = self.by(by);
                let (Side::Term(left), Side::Term(right)) = (left, right) else {
                    self.mismatch("sets", text.to_owned(), "a set has no BY".to_owned());
                    return None;
                };
                let by = by?;
                let left = self.operand(left, &by);
                let right = self.operand(right, &by);
                self.ordered(&by, *relation, text)?;
                Some(Compare::Relate {
                    left: left?,
                    relation: *relation,
                    right: right?,
                    by,
                })
            }
            tree::Compare::Relate {
                left,
                relation,
                right,
                by: None,
                ..
            } => self.compare_sets(left, *relation, right),
            tree::Compare::Holds {
                subject,
                constraint,
                ..
            } => {
                let subject = self.one_instance(subject);
                let condition = self.condition(constraint);
                Some(Compare::Holds {
                    subject: subject?,
                    condition: condition?,
                    inner: self.take_inner(),
                })
            }
            tree::Compare::Extremum {
                extreme,
                of,
                by,
                returns,
                ..
            } => {
                let by = self.by(by);
                let of = self.candidates(of);
                let returns = match returns {
                    None => Some(Returns::Instances),
                    Some(paths) => self.return_paths(paths),
                };
                let by = by?;
                if let Some(of) = &of
                    && self.operand_kind(of) != SetKind::Instances
                {
                    let right = "candidates are instances".to_owned();
                    self.mismatch("set", text.to_owned(), right);
                    return None;
                }
                let d = by.dimension();
                let ordered = matches!(
                    self.lattice.dimension(d).kind,
                    Kind::Number { .. } | Kind::Date
                );
                if !by.count && !ordered {
                    let right = self.is_kind(d);
                    self.mismatch("no order", text.to_owned(), right);
                    return None;
                }
                Some(Compare::Extremum {
                    extreme: *extreme,
                    of: of?,
                    by,
                    returns: returns?,
                })
            }
            tree::Compare::Bound {
                operation, of, by, ..
            } => {
                let by = self.by(by)?;
                let found: Vec<Option<Operand>> =
                    of.iter().map(|term| self.operand(term, &by)).collect();
                Some(Compare::Bound {
                    operation: *operation,
                    of: found.into_iter().collect::<Option<Vec<_>>>()?,
                    texts: of.iter().map(print_term).collect(),
                    by,
                })
            }
            tree::Compare::Order {
                left, right, by, ..
            } => {
                let by = self.by(by)?;
                let left = self.operand(left, &by);
                let right = self.operand(right, &by);
                self.ordered(&by, Relation::Less, text)?;
                Some(Compare::Order {
                    left: left?,
                    right: right?,
                    by,
                })
            }
        }
    }

    /// Whether the relation can be asked along the path's last dimension.
    fn ordered(&mut self, by: &By, relation: Relation, text: &str) -> Option<()> {
        let d = by.dimension();
        let order = !matches!(
            relation,
            Relation::Equal | Relation::Unequal | Relation::Overlaps
        );
        let flat = match self.lattice.dimension(d).kind {
            Kind::Text => true,
            Kind::Entity { within } => within.is_none(),
            _ => false,
        };
        if order && flat && !by.count {
            let right = self.is_kind(d);
            self.mismatch("no order", text.to_owned(), right);
            return None;
        }
        Some(())
    }

    /// An operand: an instance; where there is none, a value of the dimension, unless
    /// values are counted.
    fn operand(&mut self, term: &Term, by: &By) -> Option<Operand> {
        if by.count {
            return Some(Operand::Instance {
                instance: self.one_instance(term)?,
                also: None,
            });
        }
        let d = by.dimension();
        let value = self.value_of(d, term);
        if value.is_none() && is_measure(term) {
            // No name at all: what is wrong with it as a value is the problem.
            let text = print_term(term);
            match self.lattice.dimension(d).kind {
                Kind::Number { .. } | Kind::Date => {
                    self.region(d, Operator::Is, term, &text);
                }
                _ => {
                    self.element(d, term, &text);
                }
            }
            return None;
        }
        let before = self.problems.len();
        let instances = match term {
            Term::Range { .. } => None,
            _ => self.instances(term),
        };
        match (instances.as_deref(), value) {
            (None, Some(literal)) => {
                self.problems.truncate(before);
                Some(Operand::Value(term.clone(), literal))
            }
            (None, None) => {
                if self.problems.len() == before {
                    self.unknown_name(term);
                }
                None
            }
            (Some([only]), also) => Some(Operand::Instance {
                instance: *only,
                also: also.map(|literal| (term.clone(), literal)),
            }),
            (Some(several), _) => {
                let readings = several.iter().map(|&i| Who::Instance(i)).collect();
                self.ambiguous(term, readings);
                None
            }
        }
    }

    fn candidates(&mut self, of: &Candidates) -> Option<SetOperand> {
        match of {
            Candidates::Set(set) => self.set_operand(&Side::Set(set.clone())),
            Candidates::Terms(terms) => {
                let found: Vec<Option<InstanceId>> =
                    terms.iter().map(|term| self.one_instance(term)).collect();
                let mut all = found.into_iter().collect::<Option<Vec<_>>>()?;
                all.sort_unstable();
                all.dedup();
                Some(SetOperand::Instances(all))
            }
        }
    }

    fn compare_sets(&mut self, left: &Side, relation: Relation, right: &Side) -> Option<Compare> {
        let a = self.set_operand(left);
        let b = self.set_operand(right);
        let (a, b) = (a?, b?);
        if self.operand_kind(&a) != self.operand_kind(&b)
            || self.operand_kind(&a) == SetKind::NotASet
        {
            self.mismatch("sets", side_text(left), side_text(right));
            return None;
        }
        Some(Compare::Sets {
            left: a,
            relation,
            right: b,
        })
    }

    fn operand_kind(&self, operand: &SetOperand) -> SetKind {
        match operand {
            SetOperand::Instances(_) => SetKind::Instances,
            SetOperand::Query(id) => self.set_kind(*id),
        }
    }

    fn set_operand(&mut self, side: &Side) -> Option<SetOperand> {
        match side {
            Side::Set(SetExpression::Query { query, .. }) => {
                let id = self.inner_query(query)?;
                if self.set_kind(id) == SetKind::NotASet {
                    self.mismatch("set", print_query(query), "not a set".to_owned());
                    return None;
                }
                Some(SetOperand::Query(id))
            }
            Side::Set(SetExpression::Elements { elements, .. }) => self.listed(elements),
            Side::Term(term) => self.listed(std::slice::from_ref(term)),
            Side::Set(_) => None,
        }
    }

    fn listed(&mut self, terms: &[Term]) -> Option<SetOperand> {
        let found: Vec<Option<Vec<InstanceId>>> = terms
            .iter()
            .map(|term| {
                let found = self.instances(term)?;
                self.note_called(term, &found);
                Some(found)
            })
            .collect();
        let mut all = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
        all.sort_unstable();
        all.dedup();
        Some(SetOperand::Instances(all))
    }
}

/// Whether a term is a quantity or a range, which nothing is called.
fn is_measure(term: &Term) -> bool {
    matches!(
        term,
        Term::Range { .. } | Term::Number { unit: Some(_), .. }
    )
}

fn side_text(side: &Side) -> String {
    match side {
        Side::Term(term) => print_term(term),
        Side::Set(SetExpression::Query { query, .. }) => format!("({})", print_query(query)),
        Side::Set(SetExpression::Elements { elements, .. }) => {
            let list: Vec<String> = elements.iter().map(print_term).collect();
            format!("{{{}}}", list.join(", "))
        }
        Side::Set(SetExpression::Variable(name)) => print_name(name),
        Side::Set(SetExpression::Range(term)) => print_term(term),
        Side::Set(SetExpression::Parameter { name, .. }) => format!("${name}"),
    }
}
