//! The words of COMPARE.

use super::audit::Audit;
use super::bound::BoundOf;
use super::query::{Compare, Members, Operand, Returns, SetKind, Steps};
use super::reading::reading_of;
use super::resolve::{Resolver, is_kind};
use super::spans::Span;
use super::words::{spelled, word};
use crate::lattice::{DimensionId, InstanceId, Kind};
use crate::syntax::tree::{self, Candidates, Relation, SetExpression, Side, Term};
use crate::syntax::{print_query, print_term};
use crate::verdict::{Ambiguity, Reason, Who};

/// Looks up `COMPARE …`.
pub(super) fn compare(
    resolver: &mut Resolver<'_>,
    compare: &tree::Compare,
    text: &str,
) -> Option<Compare> {
    match compare {
        tree::Compare::Relate {
            left,
            relation,
            right,
            by: Some(by),
            ..
        } => {
            let count = by.count;
            let by = resolver.by(by);
            let (Side::Term(left), Side::Term(right)) = (left, right) else {
                resolver.mismatch("sets", text.to_owned(), "a set has no BY".to_owned());
                return None;
            };
            let by = by?;
            if count {
                let (left, right) = resolver.counted_operands(left, right)?;
                return Some(Compare::RelateCounts {
                    left,
                    relation: *relation,
                    right,
                    by,
                });
            }
            let (left, right, by) = resolver.operands(left, right, by, *relation, text)?;
            Some(Compare::Relate {
                left,
                relation: *relation,
                right,
                by,
            })
        }
        tree::Compare::Relate {
            left,
            relation,
            right,
            by: None,
            ..
        } => resolver.sets(left, *relation, right),
        tree::Compare::Holds {
            subject,
            constraint,
            ..
        } => {
            let subject = resolver.only(subject);
            let condition = resolver.condition(constraint);
            Some(Compare::Holds {
                subject: subject?,
                condition: condition?,
            })
        }
        tree::Compare::Extremum {
            extreme,
            of,
            by,
            returns,
            ..
        } => {
            let steps = resolver.by(by);
            let of = resolver.candidates(of);
            let returns = match returns {
                None => Some(Returns::Instances),
                Some(paths) => resolver.return_paths(paths),
            };
            let steps = steps?;
            if !by.count {
                resolver.along_a_line(&steps, text)?;
            }
            Some(Compare::Extremum {
                extreme: *extreme,
                of: of?,
                by: steps,
                count: by.count,
                returns: returns?,
            })
        }
        tree::Compare::Bound {
            operation, of, by, ..
        } => {
            let by = resolver.by(by)?;
            let found: Vec<Option<Operand>> =
                of.iter().map(|term| resolver.operand(term, &by)).collect();
            Some(Compare::Bound(BoundOf {
                operation: *operation,
                of: found.into_iter().collect::<Option<Vec<Operand>>>()?,
                texts: of.iter().map(print_term).collect(),
                by,
            }))
        }
        tree::Compare::Order {
            left, right, by, ..
        } => {
            let count = by.count;
            let by = resolver.by(by)?;
            if count {
                let (left, right) = resolver.counted_operands(left, right)?;
                return Some(Compare::OrderCounts { left, right, by });
            }
            let (left, right, by) = resolver.operands(left, right, by, Relation::Less, text)?;
            Some(Compare::Order { left, right, by })
        }
    }
}

impl Resolver<'_> {
    fn by(&mut self, by: &tree::By) -> Option<Steps> {
        let path = self.path(&by.path)?;
        if path.name {
            self.mismatch("step by", path.text, "name has no order".to_owned());
            return None;
        }
        Some(path)
    }

    /// NUMBER and DATE have a largest and a smallest.
    fn along_a_line(&mut self, by: &Steps, text: &str) -> Option<()> {
        let column = by.dimensions.last().and_then(|&d| self.column(d))?;
        if !column.is_measured() {
            self.mismatch("no order", text.to_owned(), is_kind(column));
            return None;
        }
        Some(())
    }

    fn operands(
        &mut self,
        left: &Term,
        right: &Term,
        by: Steps,
        relation: Relation,
        text: &str,
    ) -> Option<(Operand, Operand, Steps)> {
        let left = self.operand(left, &by);
        let right = self.operand(right, &by);
        let column = by.dimensions.last().and_then(|&d| self.column(d))?;
        let flat = match column.kind {
            Kind::Text => true,
            Kind::Entity { within } => within.is_none(),
            _ => false,
        };
        let ordering = !matches!(
            relation,
            Relation::Equal | Relation::Unequal | Relation::Overlaps
        );
        if flat && ordering {
            self.mismatch("no order", text.to_owned(), is_kind(column));
            return None;
        }
        Some((left?, right?, by))
    }

    /// Two instances whose values are counted.
    fn counted_operands(&mut self, left: &Term, right: &Term) -> Option<(u32, u32)> {
        let left = self.only(left);
        let right = self.only(right);
        Some((left?, right?))
    }

    /// An instance; where there is none, a value of the dimension.
    fn operand(&mut self, term: &Term, by: &Steps) -> Option<Operand> {
        let d = by.dimensions.last().copied()?;
        let value = self.quietly(|resolver| resolver.value(d, term));
        let measure = matches!(
            term,
            Term::Range { .. } | Term::Number { unit: Some(_), .. }
        );
        if value.is_none() && measure {
            let text = print_term(term);
            match self.column(d)?.kind {
                Kind::Number { .. } | Kind::Date => {
                    self.bound(d, tree::Operator::Is, term, &text);
                }
                _ => {
                    self.nodes(d, term, &text);
                }
            }
            return None;
        }
        let found = match value {
            Some(_) => self.quietly(|resolver| resolver.instances(term)),
            None => self.instances(term),
        };
        match (found.as_deref(), value) {
            (None, value) => value,
            (Some([only]), None) => Some(Operand::Instance(*only)),
            (Some([only]), Some(value)) => {
                let reading = reading_of(self.facts, &Operand::Instance(*only), by);
                let plain = reading_of(self.facts, &value, by);
                if reading.values == plain.values && !reading.contested {
                    return Some(Operand::Instance(*only));
                }
                let printed = Audit::new(self.facts, self.lattice).who(&value, by);
                self.ambiguous(term, vec![Who::Instance(InstanceId(*only)), printed]);
                None
            }
            (Some(several), _) => {
                let readings = several.iter().map(|&i| Who::Instance(InstanceId(i)));
                self.ambiguous(term, readings.collect());
                None
            }
        }
    }

    fn ambiguous(&mut self, term: &Term, mut readings: Vec<Who>) {
        readings.sort();
        let word = word(term);
        self.problem(Reason::Ambiguous(vec![Ambiguity { word, readings }]));
    }

    /// A term as a value of a dimension that is no relation.
    fn value(&mut self, d: DimensionId, term: &Term) -> Option<Operand> {
        let column = self.column(d)?;
        match column.kind {
            Kind::Entity { .. } => None,
            Kind::Text => {
                let text = self.lattice.find_text(d, spelled(term)?)?;
                Some(Operand::Node(text.0))
            }
            Kind::Taxonomy => match self.lattice.taxonomy(d)?.find(spelled(term)?).as_slice() {
                [only] => Some(Operand::Node(only.0)),
                _ => None,
            },
            Kind::Number { .. } | Kind::Date => match term {
                Term::Range {
                    low: Some(low),
                    high: Some(high),
                    ..
                } => {
                    let low = self.point(column, low, "")?.low;
                    let high = self.point(column, high, "")?.high;
                    (low <= high).then_some(Operand::Span(Span { low, high }))
                }
                Term::Range { .. } => None,
                term => self.point(column, term, "").map(Operand::Span),
            },
        }
    }

    /// The only instance that a term names.
    fn only(&mut self, term: &Term) -> Option<u32> {
        match self.instances(term)?.as_slice() {
            [only] => Some(*only),
            several => {
                let readings = several.iter().map(|&i| Who::Instance(InstanceId(i)));
                self.ambiguous(term, readings.collect());
                None
            }
        }
    }

    fn candidates(&mut self, of: &Candidates) -> Option<Members> {
        match of {
            Candidates::Terms(terms)
            | Candidates::Set(SetExpression::Elements {
                elements: terms, ..
            }) => {
                let found: Vec<Option<u32>> = terms.iter().map(|term| self.only(term)).collect();
                let mut all = found.into_iter().collect::<Option<Vec<u32>>>()?;
                all.sort_unstable();
                all.dedup();
                Some(Members::Listed(all))
            }
            Candidates::Set(set) => {
                let members = self.members(&Side::Set(set.clone()))?;
                if let Members::Asked(asked) = &members
                    && self.set_kind(asked) != SetKind::Instances
                {
                    let right = "not a set of instances".to_owned();
                    self.mismatch("set", asked.text.clone(), right);
                    return None;
                }
                Some(members)
            }
        }
    }

    fn sets(&mut self, left: &Side, relation: Relation, right: &Side) -> Option<Compare> {
        let a = self.members(left);
        let b = self.members(right);
        let (a, b) = (a?, b?);
        if self.kind_of(&a) != self.kind_of(&b) {
            self.mismatch("sets", side_text(left), side_text(right));
            return None;
        }
        Some(Compare::Sets {
            left: a,
            relation,
            right: b,
        })
    }

    fn kind_of(&self, members: &Members) -> SetKind {
        match members {
            Members::Listed(_) => SetKind::Instances,
            Members::Asked(asked) => self.set_kind(asked),
        }
    }

    fn members(&mut self, side: &Side) -> Option<Members> {
        match side {
            Side::Set(SetExpression::Query { query, .. }) => {
                let asked = self.inner_query(query)?;
                if self.set_kind(&asked) == SetKind::None {
                    self.mismatch("set", asked.text.clone(), "not a set".to_owned());
                    return None;
                }
                Some(Members::Asked(asked))
            }
            Side::Set(SetExpression::Elements { elements, .. }) => self.listed(elements),
            Side::Term(term) => self.listed(std::slice::from_ref(term)),
            Side::Set(_) => None,
        }
    }

    fn listed(&mut self, terms: &[Term]) -> Option<Members> {
        let found: Vec<Option<Vec<u32>>> = terms
            .iter()
            .map(|term| {
                let found = self.instances(term)?;
                if let Some(word) = spelled(term) {
                    self.note(word, &found);
                }
                Some(found)
            })
            .collect();
        let mut all = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
        all.sort_unstable();
        all.dedup();
        Some(Members::Listed(all))
    }
}

fn side_text(side: &Side) -> String {
    match side {
        Side::Term(term) => print_term(term),
        Side::Set(SetExpression::Query { query, .. }) => format!("({})", print_query(query)),
        Side::Set(SetExpression::Elements { elements, .. }) => {
            let list: Vec<String> = elements.iter().map(print_term).collect();
            format!("{{{}}}", list.join(", "))
        }
        Side::Set(SetExpression::Range(term)) => print_term(term),
        Side::Set(SetExpression::Variable(name)) => name.text.clone(),
        Side::Set(SetExpression::Parameter { name, .. }) => format!("${name}"),
    }
}
