//! A reading as a query: patterns with their holes filled, nested sets written flat
//! where that changes nothing.

use super::chart::{Chart, Filler, Meaning};
use super::lexicon::{MAX_HOLES, paths_of};
use super::sorts::Filled;
use crate::syntax::print_path;
use crate::syntax::tree::{
    By, Candidates, Compare, Constraint, Meet, Name, Operand, Operator, Path, Query, Return,
    SetExpression, Side, Span, Term,
};
use std::collections::BTreeSet;

/// A reading as a query; none if a hole holds what cannot stand there.
pub(super) fn query(chart: &Chart<'_>, item: u32) -> Option<Query> {
    match &chart.item(item)?.meaning {
        Meaning::Name(_) => None,
        Meaning::Value(d, v) => {
            let taxonomy = chart.lattice().taxonomy(*d)?;
            Some(meet(test(
                &chart.lattice().dimension(*d).name,
                Term::Name(bare(taxonomy.name(*v))),
            )))
        }
        Meaning::Pattern(number, fillers) => pattern(chart, *number, fillers),
    }
}

fn pattern(chart: &Chart<'_>, number: u32, fillers: &[Option<Filler>; MAX_HOLES]) -> Option<Query> {
    let pattern = chart.lexicon().patterns.get(number as usize)?;
    let writer = Writer {
        chart,
        filled: Filled {
            pattern,
            fillers: *fillers,
        },
    };
    if let Some(hole) = pattern.identity() {
        let Some(Filler::Item(item)) = fillers.get(hole).copied().flatten() else {
            return None;
        };
        return query(chart, item);
    }
    writer.query(&pattern.query)
}

struct Writer<'c, 'a> {
    chart: &'c Chart<'a>,
    filled: Filled<'c>,
}

/// What a hole becomes.
enum Put {
    Term(Term),
    Query(Query),
}

impl Writer<'_, '_> {
    fn put(&self, hole: &str) -> Option<Put> {
        match self.filled.filler(hole)? {
            Filler::Dimension(_) => None,
            Filler::Number(at) => {
                let word = self.chart.words.words.get(at as usize)?;
                Some(Put::Term(Term::Number {
                    text: word.text.clone(),
                    unit: None,
                    span: Span::default(),
                }))
            }
            Filler::Item(item) => self.item(item),
        }
    }

    fn item(&self, item: u32) -> Option<Put> {
        match &self.chart.item(item)?.meaning {
            Meaning::Name(link) => Some(Put::Term(self.name(*link)?)),
            Meaning::Pattern(number, fillers) => {
                let inner = self.chart.lexicon().patterns.get(*number as usize)?;
                // What is left as it is may be a name.
                match inner
                    .identity()
                    .and_then(|hole| fillers.get(hole)?.as_ref())
                {
                    Some(Filler::Item(inner)) => self.item(*inner),
                    _ => query(self.chart, item).map(Put::Query),
                }
            }
            Meaning::Value(..) => query(self.chart, item).map(Put::Query),
        }
    }

    /// The name as asked, where the lattice finds it so; else as the lattice has it.
    fn name(&self, link: usize) -> Option<Term> {
        let link = self.chart.name(link)?;
        let lattice = self.chart.lattice();
        let found = lattice.called(&link.text).instances;
        let first = link.instances.first();
        Some(match first {
            Some(first) if !found.contains(first) => name(lattice.name(*first)),
            _ => name(&link.text),
        })
    }

    fn query(&self, query: &Query) -> Option<Query> {
        Some(match query {
            Query::Meet(meet) => Query::Meet(self.meet(meet)?),
            Query::Compare(compare) => Query::Compare(self.compare(compare)?),
            Query::Abstain { .. } => query.clone(),
            Query::Read(_) => return None,
        })
    }

    fn meet(&self, meet: &Meet) -> Option<Meet> {
        let mut conditions = Vec::new();
        self.conditions(&meet.constraint, &mut conditions)?;
        let returns = match &meet.returns {
            None => None,
            Some(Return::Paths(paths)) => {
                let paths: Option<Vec<Path>> = paths.iter().map(|path| self.path(path)).collect();
                Some(Return::Paths(paths?))
            }
            Some(Return::Count(None)) => Some(Return::Count(None)),
            Some(Return::Count(Some(path))) => Some(Return::Count(Some(self.path(path)?))),
        };
        Some(flat(conditions, meet.confidence.clone(), returns))
    }

    /// The members of an AND-list.
    fn conditions(&self, constraint: &Constraint, all: &mut Vec<Constraint>) -> Option<()> {
        match constraint {
            Constraint::And(list, _) => list.iter().try_for_each(|one| self.conditions(one, all)),
            other => {
                all.push(self.constraint(other)?);
                Some(())
            }
        }
    }

    fn constraint(&self, constraint: &Constraint) -> Option<Constraint> {
        let span = Span::default();
        Some(match constraint {
            Constraint::And(..) => {
                let mut all = Vec::new();
                self.conditions(constraint, &mut all)?;
                Constraint::And(all, span)
            }
            Constraint::Or(list, _) => {
                let list: Option<Vec<_>> = list.iter().map(|one| self.constraint(one)).collect();
                Constraint::Or(list?, span)
            }
            Constraint::Not(inner, _) => Constraint::Not(Box::new(self.constraint(inner)?), span),
            Constraint::Possibly(inner, _) => {
                Constraint::Possibly(Box::new(self.constraint(inner)?), span)
            }
            Constraint::Has { path, .. } => Constraint::Has {
                path: self.path(path)?,
                span,
            },
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            } => self.test(self.path(path)?, *operator, operand)?,
            Constraint::In { path, set, .. } => Constraint::In {
                path: self.path(path)?,
                set: self.set(set)?,
                span,
            },
        })
    }

    fn test(&self, path: Path, operator: Operator, operand: &Operand) -> Option<Constraint> {
        let put = match operand {
            Operand::Query { query, .. } => Put::Query(self.query(query)?),
            Operand::Term(term) => self.term(term)?,
        };
        let span = Span::default();
        Some(match (put, operator) {
            (Put::Term(term), _) => Constraint::Test {
                path,
                operator,
                operand: Operand::Term(term),
                span,
            },
            (Put::Query(query), Operator::Is) => within(path, query),
            (Put::Query(query), Operator::IsNot) => {
                Constraint::Not(Box::new(within(path, query)), span)
            }
            (Put::Query(query), _) => Constraint::Test {
                path,
                operator,
                operand: Operand::Query {
                    query: Box::new(query),
                    span,
                },
                span,
            },
        })
    }

    fn term(&self, term: &Term) -> Option<Put> {
        match term {
            Term::Hole { name, .. } => self.put(name),
            other => Some(Put::Term(other.clone())),
        }
    }

    fn set(&self, set: &SetExpression) -> Option<SetExpression> {
        Some(match set {
            SetExpression::Query { query, .. } => parenthesised(self.query(query)?),
            other => other.clone(),
        })
    }

    fn path(&self, path: &Path) -> Option<Path> {
        let steps = path.steps.iter().map(|step| {
            if step.text == "name" {
                return Some(step.clone());
            }
            let d = self.filled.dimension(&step.text, self.chart)?;
            Some(bare(&self.chart.lattice().dimension(d).name))
        });
        let mut steps: Vec<Name> = steps.collect::<Option<_>>()?;
        if steps.len() > 1 {
            steps.retain(|step| step.text != "name");
        }
        Some(Path {
            steps,
            span: Span::default(),
        })
    }

    fn by(&self, by: &By) -> Option<By> {
        Some(By {
            count: by.count,
            path: self.path(&by.path)?,
            span: Span::default(),
        })
    }

    fn side(&self, side: &Side) -> Option<Side> {
        Some(match side {
            Side::Term(term) => match self.term(term)? {
                Put::Term(term) => Side::Term(term),
                Put::Query(query) => Side::Set(parenthesised(query)),
            },
            Side::Set(set) => Side::Set(self.set(set)?),
        })
    }

    fn only_term(&self, term: &Term) -> Option<Term> {
        match self.term(term)? {
            Put::Term(term) => Some(term),
            Put::Query(_) => None,
        }
    }

    fn compare(&self, compare: &Compare) -> Option<Compare> {
        let span = Span::default();
        Some(match compare {
            Compare::Relate {
                left,
                relation,
                right,
                by,
                ..
            } => Compare::Relate {
                left: self.side(left)?,
                relation: *relation,
                right: self.side(right)?,
                by: match by {
                    None => None,
                    Some(by) => Some(self.by(by)?),
                },
                span,
            },
            Compare::Holds {
                subject,
                constraint,
                ..
            } => Compare::Holds {
                subject: self.only_term(subject)?,
                constraint: self.constraint(constraint)?,
                span,
            },
            Compare::Extremum {
                extreme,
                of,
                by,
                returns,
                ..
            } => Compare::Extremum {
                extreme: *extreme,
                of: self.candidates(of)?,
                by: self.by(by)?,
                returns: match returns {
                    None => None,
                    Some(paths) => Some(
                        paths
                            .iter()
                            .map(|path| self.path(path))
                            .collect::<Option<_>>()?,
                    ),
                },
                span,
            },
            Compare::Bound {
                operation, of, by, ..
            } => Compare::Bound {
                operation: *operation,
                of: of
                    .iter()
                    .map(|term| self.only_term(term))
                    .collect::<Option<_>>()?,
                by: self.by(by)?,
                span,
            },
            Compare::Order {
                left, right, by, ..
            } => Compare::Order {
                left: self.only_term(left)?,
                right: self.only_term(right)?,
                by: self.by(by)?,
                span,
            },
        })
    }

    fn candidates(&self, of: &Candidates) -> Option<Candidates> {
        match of {
            Candidates::Set(set) => Some(Candidates::Set(self.set(set)?)),
            Candidates::Terms(terms) => match terms.as_slice() {
                [only] => Some(match self.term(only)? {
                    Put::Term(term) => Candidates::Terms(vec![term]),
                    Put::Query(query) => Candidates::Set(parenthesised(query)),
                }),
                terms => {
                    let terms: Option<Vec<Term>> =
                        terms.iter().map(|term| self.only_term(term)).collect();
                    Some(Candidates::Terms(terms?))
                }
            },
        }
    }
}

/// `MEET conditions …`, with sets that are named by conditions alone written flat.
fn flat(conditions: Vec<Constraint>, confidence: Option<String>, returns: Option<Return>) -> Meet {
    let mut all: Vec<Constraint> = Vec::new();
    let mut pass: Option<Return> = None;
    let count = conditions.len();
    for condition in conditions {
        match opened(condition) {
            Ok(meet) if count == 1 && returns.is_none() && meet.returns.is_some() => {
                pass.clone_from(&meet.returns);
                all.extend(listed(meet.constraint));
            }
            Ok(meet) if meet.returns.is_none() && apart(&all, &meet.constraint) => {
                all.extend(listed(meet.constraint));
            }
            Ok(meet) => all.push(within(path_of("name"), Query::Meet(*meet))),
            Err(other) => all.push(*other),
        }
    }
    let mut conditions = Vec::new();
    for condition in all {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    let span = Span::default();
    let constraint = match conditions.len() {
        1 => conditions.remove(0),
        _ => Constraint::And(conditions, span),
    };
    Meet {
        constraint,
        confidence,
        returns: returns.or(pass),
        span,
    }
}

/// The MEET that a condition `name IN (MEET …)` holds, or the condition.
fn opened(condition: Constraint) -> Result<Box<Meet>, Box<Constraint>> {
    match condition {
        Constraint::In {
            path,
            set: SetExpression::Query { query, span },
            span: all,
        } => {
            let is_name = path.steps.len() == 1 && path.steps.iter().all(|s| s.text == "name");
            match *query {
                Query::Meet(meet) if is_name && meet.confidence.is_none() => Ok(Box::new(meet)),
                query => Err(Box::new(Constraint::In {
                    path,
                    set: SetExpression::Query {
                        query: Box::new(query),
                        span,
                    },
                    span: all,
                })),
            }
        }
        other => Err(Box::new(other)),
    }
}

/// Whether no path stands in both: several bounds on one path in one list are one
/// range, so they stay apart where they were apart.
fn apart(all: &[Constraint], more: &Constraint) -> bool {
    let paths = |constraint: &Constraint| -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let query = meet(constraint.clone());
        paths_of(&query, &mut |path| {
            found.insert(print_path(path));
        });
        found.remove("name");
        found
    };
    let more = paths(more);
    all.iter().all(|one| paths(one).is_disjoint(&more))
}

fn listed(constraint: Constraint) -> Vec<Constraint> {
    match constraint {
        Constraint::And(list, _) => list,
        other => vec![other],
    }
}

/// `path IN (query)`; `path = x` where the query only names x.
fn within(path: Path, query: Query) -> Constraint {
    let span = Span::default();
    if let Query::Meet(inner) = &query
        && let (None, None) = (&inner.returns, &inner.confidence)
        && let Constraint::Test {
            path: inner_path,
            operator: Operator::Is,
            operand: operand @ Operand::Term(_),
            ..
        } = &inner.constraint
        && let [step] = inner_path.steps.as_slice()
        && step.text == "name"
    {
        return Constraint::Test {
            path,
            operator: Operator::Is,
            operand: operand.clone(),
            span,
        };
    }
    Constraint::In {
        path,
        set: parenthesised(query),
        span,
    }
}

fn parenthesised(query: Query) -> SetExpression {
    SetExpression::Query {
        query: Box::new(query),
        span: Span::default(),
    }
}

fn meet(constraint: Constraint) -> Query {
    Query::Meet(Meet {
        constraint,
        confidence: None,
        returns: None,
        span: Span::default(),
    })
}

fn test(dimension: &str, value: Term) -> Constraint {
    Constraint::Test {
        path: path_of(dimension),
        operator: Operator::Is,
        operand: Operand::Term(value),
        span: Span::default(),
    }
}

fn path_of(step: &str) -> Path {
    Path {
        steps: vec![bare(step)],
        span: Span::default(),
    }
}

fn bare(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        quoted: false,
        span: Span::default(),
    }
}

fn name(text: &str) -> Term {
    Term::Name(Name {
        text: text.to_owned(),
        quoted: true,
        span: Span::default(),
    })
}
