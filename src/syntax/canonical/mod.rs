//! One spelling for one meaning: LETs written out, parameters bound, operands
//! sorted. What a verdict prints, and what two queries are compared by.

mod normal;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::amount::normal_decimal;
use super::diagnostic::{Code, Diagnostic};
use super::failure::nearest;
use super::layout::span_of_query;
use super::print::{print_query, print_term};
use super::scan::depth_of;
use super::size::size_of;
use super::stack::{query_depth, with_room};
use super::tree::{
    Candidates, Compare, Constraint, Meet, Name, Operand, Operator, Path, Query, Return,
    SetExpression, Side, Span, Term,
};
use super::{MAX_DEPTH, MAX_NODES};
use normal::{absorb, along, joined, negated, path, possibly};

/// What a caller binds to `$x`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parameter {
    /// One value.
    One(Term),
    /// Several values, for IN and braces.
    Many(Vec<Term>),
}

/// The canonical form of a query: LETs written out, parameters substituted, equal
/// connectives flattened, operands and elements sorted by their text with repeated
/// ones dropped, `!=` as NOT of `=`, double NOT and POSSIBLY removed, numbers
/// without superfluous signs and zeros, names bare where they can be.
///
/// `lets` holds canonical queries. The result is closed: it names no LET and no
/// parameter, and is to be read where no LET is in scope.
///
/// # Errors
///
/// E050 for an unbound parameter, E051 if the query grows past [`MAX_NODES`], E052
/// if a parameter does not fit its place, E053 if a word behind IN names no LET,
/// E007 if the result nests too deeply.
pub fn canonical(
    query: &Query,
    lets: &BTreeMap<String, Query>,
    parameters: &BTreeMap<String, Parameter>,
) -> Result<Query, Diagnostic> {
    let work = || closed(query, lets, parameters);
    with_room(query_depth(query), work).unwrap_or_else(|| Err(too_deep(query)))
}

fn closed(
    query: &Query,
    lets: &BTreeMap<String, Query>,
    parameters: &BTreeMap<String, Parameter>,
) -> Result<Query, Diagnostic> {
    let mut writer = Writer {
        lets,
        parameters,
        sizes: BTreeMap::new(),
        nodes: 0,
    };
    let result = writer.query(query).map_err(|fault| *fault)?;
    if query_depth(&result) > MAX_DEPTH && depth_of(&print_query(&result)) > MAX_DEPTH {
        return Err(too_deep(query));
    }
    Ok(result)
}

fn too_deep(query: &Query) -> Diagnostic {
    let message = format!("with its LETs written out the query nests more than {MAX_DEPTH} deep");
    Diagnostic::error(Code::E007, message)
        .label(span_of_query(query), "too deep")
        .help("use fewer LETs that build on one another")
}

type Fallible<T> = Result<T, Box<Diagnostic>>;

struct Writer<'c> {
    lets: &'c BTreeMap<String, Query>,
    parameters: &'c BTreeMap<String, Parameter>,
    /// The size of each LET used, counted once.
    sizes: BTreeMap<&'c str, usize>,
    nodes: usize,
}

impl<'c> Writer<'c> {
    fn count(&mut self, nodes: usize, span: Span) -> Fallible<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            let message =
                format!("with its LETs written out the query has more than {MAX_NODES} parts");
            return Err(Box::new(
                Diagnostic::error(Code::E051, message)
                    .label(span, "the limit is passed here")
                    .help("LETs that use one another several times double at every step"),
            ));
        }
        Ok(())
    }

    /// The query that a bare name stands for.
    fn variable(&mut self, name: &Name) -> Fallible<Option<Query>> {
        if name.quoted {
            return Ok(None);
        }
        let Some((key, query)) = self.lets.get_key_value(&name.text) else {
            return Ok(None);
        };
        let size = *self
            .sizes
            .entry(key.as_str())
            .or_insert_with(|| size_of(query));
        self.count(size, name.span)?;
        Ok(Some(query.clone()))
    }

    fn set_of(&mut self, name: &Name) -> Fallible<Option<SetExpression>> {
        let query = self.variable(name)?;
        Ok(query.map(|query| SetExpression::Query {
            query: Box::new(query),
            span: name.span,
        }))
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        let diagnostic = Diagnostic::error(Code::E053, format!("no LET is called `{}`", name.text))
            .label(name.span, "a set is needed here");
        let known: Vec<String> = self.lets.keys().map(|key| key.to_uppercase()).collect();
        let meant = nearest(&name.text, &known);
        let meant =
            meant.and_then(|upper| self.lets.keys().find(|key| key.to_uppercase() == upper));
        match meant {
            Some(meant) => diagnostic
                .help(format!("did you mean `{meant}`?"))
                .fix(name.span, meant.clone()),
            None => diagnostic.help(format!(
                "one value is tested with `= {0}`; a set is `{{{0}, …}}`",
                name.text
            )),
        }
    }

    fn query(&mut self, query: &Query) -> Fallible<Query> {
        self.count(1, span_of_query(query))?;
        Ok(match query {
            Query::Meet(meet) => Query::Meet(Meet {
                constraint: self.constraint(&meet.constraint)?,
                confidence: meet.confidence.as_deref().map(normal_decimal),
                returns: meet.returns.as_ref().map(|returns| match returns {
                    Return::Paths(list) => Return::Paths(list.iter().map(path).collect()),
                    Return::Count(counted) => Return::Count(counted.as_ref().map(path)),
                }),
                span: meet.span,
            }),
            Query::Compare(compare) => Query::Compare(self.compare(compare)?),
            Query::Abstain { .. } | Query::Read(_) => query.clone(),
        })
    }

    /// Only hands on: a small frame, since conditions nest.
    fn constraint(&mut self, constraint: &Constraint) -> Fallible<Constraint> {
        match constraint {
            Constraint::And(list, span) => self.list(list, true, *span),
            Constraint::Or(list, span) => self.list(list, false, *span),
            Constraint::Not(inner, span) => {
                let inner = self.constraint(inner)?;
                Ok(negated(inner, *span))
            }
            Constraint::Possibly(inner, span) => {
                let inner = self.constraint(inner)?;
                Ok(possibly(inner, *span))
            }
            Constraint::Test {
                path,
                operator,
                operand,
                span,
            } => self.test(path, *operator, operand, *span),
            Constraint::In { path, set, span } => self.membership(path, set, *span),
            Constraint::Has { path: steps, span } => {
                self.count(1, *span)?;
                Ok(Constraint::Has {
                    path: path(steps),
                    span: *span,
                })
            }
        }
    }

    fn list(&mut self, list: &[Constraint], and: bool, span: Span) -> Fallible<Constraint> {
        let mut flat = Vec::with_capacity(list.len());
        for part in list {
            let part = self.constraint(part)?;
            absorb(part, and, &mut flat);
        }
        Ok(joined(flat, and, span))
    }

    fn test(
        &mut self,
        steps: &Path,
        operator: Operator,
        operand: &Operand,
        span: Span,
    ) -> Fallible<Constraint> {
        self.count(1, span)?;
        let operand = self.operand(operand)?;
        let path = path(steps);
        if operator == Operator::IsNot {
            let test = Constraint::Test {
                path,
                operator: Operator::Is,
                operand,
                span,
            };
            return Ok(negated(test, span));
        }
        Ok(Constraint::Test {
            path,
            operator,
            operand,
            span,
        })
    }

    fn membership(
        &mut self,
        steps: &Path,
        set: &SetExpression,
        span: Span,
    ) -> Fallible<Constraint> {
        self.count(1, span)?;
        let set = self.set(set)?;
        Ok(Constraint::In {
            path: path(steps),
            set,
            span,
        })
    }

    fn operand(&mut self, operand: &Operand) -> Fallible<Operand> {
        match operand {
            Operand::Query { query, span } => Ok(Operand::Query {
                query: Box::new(self.query(query)?),
                span: *span,
            }),
            Operand::Term(term) => {
                if let Term::Name(name) = term
                    && let Some(query) = self.variable(name)?
                {
                    return Ok(Operand::Query {
                        query: Box::new(query),
                        span: name.span,
                    });
                }
                Ok(Operand::Term(self.term(term)?))
            }
        }
    }

    fn set(&mut self, set: &SetExpression) -> Fallible<SetExpression> {
        match set {
            SetExpression::Elements { elements, span } => Ok(SetExpression::Elements {
                elements: self.elements(elements)?,
                span: *span,
            }),
            SetExpression::Query { query, span } => Ok(SetExpression::Query {
                query: Box::new(self.query(query)?),
                span: *span,
            }),
            SetExpression::Range(term) => Ok(SetExpression::Range(self.term(term)?)),
            SetExpression::Variable(name) => match self.set_of(name)? {
                Some(set) => Ok(set),
                None => Err(Box::new(self.unknown(name))),
            },
            SetExpression::Parameter { name, span } => match self.bound(name, *span)? {
                Parameter::One(term @ Term::Range { .. }) => {
                    Ok(SetExpression::Range(self.value(term, name, *span)?))
                }
                _ => {
                    let whole = [Term::Parameter {
                        name: name.clone(),
                        span: *span,
                    }];
                    Ok(SetExpression::Elements {
                        elements: self.elements(&whole)?,
                        span: *span,
                    })
                }
            },
        }
    }

    fn side(&mut self, side: &Side) -> Fallible<Side> {
        Ok(match side {
            Side::Set(set) => Side::Set(self.set(set)?),
            Side::Term(term) => {
                if let Term::Name(name) = term
                    && let Some(set) = self.set_of(name)?
                {
                    return Ok(Side::Set(set));
                }
                if let Term::Parameter { name, span } = term
                    && let Parameter::Many(_) = self.bound(name, *span)?
                {
                    let elements = self.elements(std::slice::from_ref(term))?;
                    return Ok(Side::Set(SetExpression::Elements {
                        elements,
                        span: *span,
                    }));
                }
                Side::Term(self.term(term)?)
            }
        })
    }

    fn compare(&mut self, compare: &Compare) -> Fallible<Compare> {
        Ok(match compare {
            Compare::Relate {
                left,
                relation,
                right,
                by,
                span,
            } => {
                let (left, right) = (self.side(left)?, self.side(right)?);
                if let (None, Side::Term(term), _) | (None, _, Side::Term(term)) =
                    (by, &left, &right)
                {
                    return Err(without_by(term, *span).into());
                }
                Compare::Relate {
                    left,
                    relation: *relation,
                    right,
                    by: by.as_ref().map(along),
                    span: *span,
                }
            }
            Compare::Holds {
                subject,
                constraint,
                span,
            } => Compare::Holds {
                subject: self.term(subject)?,
                constraint: self.held(constraint)?,
                span: *span,
            },
            Compare::Extremum {
                extreme,
                of,
                by,
                returns,
                span,
            } => Compare::Extremum {
                extreme: *extreme,
                of: self.candidates(of)?,
                by: along(by),
                returns: returns.as_ref().map(|list| list.iter().map(path).collect()),
                span: *span,
            },
            Compare::Bound {
                operation,
                of,
                by,
                span,
            } => Compare::Bound {
                operation: *operation,
                of: self.operands(of, *span)?,
                by: along(by),
                span: *span,
            },
            Compare::Order {
                left,
                right,
                by,
                span,
            } => Compare::Order {
                left: self.term(left)?,
                right: self.term(right)?,
                by: along(by),
                span: *span,
            },
        })
    }

    /// The constraint of COMPARE stays a test: its `!=` is not turned round.
    fn held(&mut self, constraint: &Constraint) -> Fallible<Constraint> {
        match constraint {
            Constraint::Test {
                path: steps,
                operator: Operator::IsNot,
                operand,
                span,
            } => {
                let operand = self.operand(operand)?;
                let (path, operator) = (path(steps), Operator::IsNot);
                Ok(Constraint::Test {
                    path,
                    operator,
                    operand,
                    span: *span,
                })
            }
            other => self.constraint(other),
        }
    }

    fn candidates(&mut self, candidates: &Candidates) -> Fallible<Candidates> {
        match candidates {
            Candidates::Set(set) => Ok(Candidates::Set(self.set(set)?)),
            Candidates::Terms(list) => {
                if let [Term::Name(name)] = list.as_slice()
                    && let Some(set) = self.set_of(name)?
                {
                    return Ok(Candidates::Set(set));
                }
                Ok(Candidates::Terms(self.spread(list)?))
            }
        }
    }
}

/// A word that is no set, compared as if it were one.
fn without_by(term: &Term, span: Span) -> Diagnostic {
    Diagnostic::error(Code::E054, "the dimension to compare along is missing")
        .label(span, "this comparison needs BY")
        .help(format!(
            "add BY and a dimension, as in `COMPARE {} = … BY born`; without BY only sets are \
             compared: a LET, a query in parentheses, or braces",
            print_term(term)
        ))
}
