//! Queries.

use super::Builder;
use super::term::Braced;
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::foreign;
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::tree::{
    By, Candidates, Compare, Constraint, Extreme, Meet, Operation, Operator, Path, Query, Read,
    ReadRecord, Relation, Return, SetExpression, Side, Span, Term,
};

impl Builder<'_> {
    pub(super) fn query(&mut self, pair: Pair<'_>) -> Option<Query> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        Some(match inner.as_rule() {
            Rule::meet => Query::Meet(self.meet(inner)?),
            Rule::compare => Query::Compare(self.compare(inner)?),
            Rule::abstain => {
                let words = inner
                    .into_inner()
                    .find(|part| part.as_rule() == Rule::literal)?;
                Query::Abstain {
                    words: self.literal(words)?,
                    span,
                }
            }
            Rule::read => Query::Read(self.read(inner)?),
            _ => return None,
        })
    }

    pub(super) fn parenthesised(&mut self, pair: Pair<'_>) -> Option<Query> {
        let inner = pair.into_inner().next()?;
        self.query(inner)
    }

    fn meet(&mut self, pair: Pair<'_>) -> Option<Meet> {
        let span = self.span(&pair);
        let (mut constraint, mut confidence, mut returns) = (None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::k_meet => {}
                Rule::foreign_where => {
                    let place = self.span(&part);
                    self.report(foreign::where_word(place));
                }
                Rule::constraint => constraint = Some(self.constraint(part)?),
                Rule::least_confidence => confidence = Some(self.least_confidence(part)?),
                Rule::returns => returns = Some(self.returns(part)?),
                Rule::foreign_clause => self.foreign_clause(part)?,
                _ => return None,
            }
        }
        Some(Meet {
            constraint: constraint?,
            confidence,
            returns,
            span,
        })
    }

    fn least_confidence(&mut self, pair: Pair<'_>) -> Option<String> {
        let mut text = None;
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::operator if part.as_str() != ">=" => self.report(
                    Diagnostic::error(Code::E017, "CONFIDENCE in MEET is a lower bound")
                        .label(span, "not a lower bound")
                        .help("LQ writes `CONFIDENCE >= 0.8`")
                        .fix(span, ">="),
                ),
                Rule::numeric => text = Some(self.confidence_token(&part)?),
                _ => {}
            }
        }
        text
    }

    fn returns(&mut self, pair: Pair<'_>) -> Option<Return> {
        let inner = pair
            .into_inner()
            .find(|part| part.as_rule() != Rule::k_return)?;
        if inner.as_rule() == Rule::path_list {
            return Some(Return::Paths(self.paths(inner)?));
        }
        let path = inner.into_inner().find(|part| part.as_rule() == Rule::path);
        Some(Return::Count(match path {
            Some(path) => Some(self.path(path)?),
            None => None,
        }))
    }

    fn foreign_clause(&mut self, pair: Pair<'_>) -> Option<()> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        let rule = inner.as_rule();
        let word = inner.into_inner().next()?;
        let place = self.span(&word);
        self.report(match rule {
            Rule::foreign_limit => foreign::limit(word.as_str(), span),
            Rule::foreign_order => foreign::order(word.as_str(), span),
            Rule::foreign_as_of => foreign::as_of(span),
            _ => foreign::where_clause(place),
        });
        Some(())
    }

    fn compare(&mut self, pair: Pair<'_>) -> Option<Compare> {
        let span = self.span(&pair);
        let inner = pair
            .into_inner()
            .find(|part| part.as_rule() != Rule::k_compare)?;
        if inner.as_rule() == Rule::extremum {
            return self.extremum(inner, span);
        }
        if inner.as_rule() == Rule::bound {
            return self.bound(inner, span);
        }
        let mut parts = inner.into_inner();
        let left = self.side(parts.next()?)?;
        let rest = parts.next()?;
        match rest.as_rule() {
            Rule::relate => self.relate(left, rest, span),
            Rule::order => self.order(left, rest, span),
            Rule::condition => self.condition(left, rest, span),
            _ => None,
        }
    }

    fn side(&mut self, pair: Pair<'_>) -> Option<Side> {
        let inner = pair.into_inner().next()?;
        Some(match inner.as_rule() {
            Rule::parenthesised => Side::Set(self.set_of_query(inner)?),
            Rule::braces => Side::Set(self.filled_braces(inner)?),
            _ => match self.braced(inner)? {
                Braced::Value(term) => Side::Term(term),
                Braced::Element(name, span) => Side::Set(SetExpression::Elements {
                    elements: vec![Term::Name(name)],
                    span,
                }),
            },
        })
    }

    fn relate(&mut self, left: Side, pair: Pair<'_>, span: Span) -> Option<Compare> {
        let (mut relation, mut right, mut by) = (None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::k_overlaps => relation = Some(Relation::Overlaps),
                Rule::side => right = Some(self.side(part)?),
                Rule::by => by = Some(self.by(part)?),
                _ => relation = Some(relation_of(self.operator(&part)?)),
            }
        }
        Some(Compare::Relate {
            left,
            relation: relation?,
            right: right?,
            by,
            span,
        })
    }

    fn order(&mut self, left: Side, pair: Pair<'_>, span: Span) -> Option<Compare> {
        let (mut right, mut by) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::side => right = Some(self.side(part)?),
                _ => by = Some(self.by(part)?),
            }
        }
        let left = self.only_term(left, "an order is asked of two instances or values")?;
        let right = self.only_term(right?, "an order is asked of two instances or values")?;
        Some(Compare::Order {
            left,
            right,
            by: by?,
            span,
        })
    }

    fn only_term(&mut self, side: Side, message: &str) -> Option<Term> {
        match side {
            Side::Term(term) => Some(term),
            Side::Set(set) => {
                let span = match set {
                    SetExpression::Elements { span, .. } | SetExpression::Query { span, .. } => {
                        span
                    }
                    _ => return None,
                };
                self.report(
                    Diagnostic::error(Code::E025, message)
                        .label(span, "a set")
                        .help("sets are compared with `=`, `<=` or OVERLAPS"),
                );
                None
            }
        }
    }

    fn condition(&mut self, left: Side, pair: Pair<'_>, span: Span) -> Option<Compare> {
        let whole = self.span(&pair);
        let subject = self.only_term(left, "a condition is tested on one instance")?;
        let mut path: Option<Path> = None;
        let mut constraint: Option<Constraint> = None;
        for part in pair.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::has => constraint = Some(self.has(part)?),
                Rule::path => path = Some(self.path(part)?),
                Rule::tail => {
                    let path = path.take()?;
                    let span = path.span.to(place);
                    constraint = Some(self.tail(path, part, span)?);
                }
                Rule::by_count => self.report(
                    Diagnostic::error(Code::E025, "a condition of COMPARE does not count")
                        .label(place, "COUNT has no place here")
                        .help(
                            "counts are compared between two operands: `COMPARE a < b BY COUNT p`",
                        ),
                ),
                _ => {}
            }
        }
        let Some(constraint) = constraint else {
            self.report(
                Diagnostic::error(
                    Code::E025,
                    "COMPARE has one operand and nothing to test on it",
                )
                .label(whole, "an operator and a value are missing behind this")
                .help(
                    "write `COMPARE a BY d = v`, `COMPARE a = b BY d` or `COMPARE a, b BY d`; \
                         what is recorded is asked with `MEET name = a RETURN d`",
                ),
            );
            return None;
        };
        Some(Compare::Holds {
            subject,
            constraint,
            span,
        })
    }

    fn extremum(&mut self, pair: Pair<'_>, span: Span) -> Option<Compare> {
        let (mut extreme, mut of, mut by, mut returns) = (None, None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::extreme => {
                    let word = part.into_inner().next()?;
                    let max = word.as_rule() == Rule::k_max;
                    extreme = Some(if max { Extreme::Max } else { Extreme::Min });
                }
                Rule::candidates => of = Some(self.candidates(part)?),
                Rule::by => by = Some(self.by(part)?),
                Rule::return_paths => {
                    let list = part
                        .into_inner()
                        .find(|part| part.as_rule() == Rule::path_list)?;
                    returns = Some(self.paths(list)?);
                }
                Rule::foreign_clause => self.foreign_clause(part)?,
                _ => return None,
            }
        }
        Some(Compare::Extremum {
            extreme: extreme?,
            of: of?,
            by: by?,
            returns,
            span,
        })
    }

    fn bound(&mut self, pair: Pair<'_>, span: Span) -> Option<Compare> {
        let (mut operation, mut of, mut by) = (None, None, None);
        for part in pair.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::operation => {
                    let word = part.into_inner().next()?;
                    let meet = word.as_rule() == Rule::k_meet;
                    operation = Some(if meet {
                        Operation::Meet
                    } else {
                        Operation::Join
                    });
                }
                Rule::candidates => match self.candidates(part)? {
                    Candidates::Terms(list)
                    | Candidates::Set(SetExpression::Elements { elements: list, .. }) => {
                        of = Some(list);
                    }
                    Candidates::Set(_) => self.report(
                        Diagnostic::error(Code::E025, "bounds are those of single values")
                            .label(place, "a set")
                            .help("list the values: `COMPARE MEET OF a, b BY d`"),
                    ),
                },
                Rule::by => by = Some((self.by(part)?, place)),
                _ => return None,
            }
        }
        let (by, place) = by?;
        if by.count {
            self.report(
                Diagnostic::error(
                    Code::E025,
                    "a number of values has no bounds in a dimension",
                )
                .label(place, "COUNT has no place here")
                .help("write `BY` and a path, as in `COMPARE JOIN OF a, b BY species`"),
            );
        }
        Some(Compare::Bound {
            operation: operation?,
            of: of?,
            by,
            span,
        })
    }

    fn candidates(&mut self, pair: Pair<'_>) -> Option<Candidates> {
        let inner = pair.into_inner().next()?;
        match inner.as_rule() {
            Rule::parenthesised => return Some(Candidates::Set(self.set_of_query(inner)?)),
            Rule::braces => return Some(Candidates::Set(self.filled_braces(inner)?)),
            _ => {}
        }
        let mut items: Vec<Pair<'_>> = inner.clone().into_inner().collect();
        if items.len() == 1
            && let Some(item) = items.pop()
        {
            return Some(match self.braced(item)? {
                Braced::Value(term) => Candidates::Terms(vec![term]),
                Braced::Element(name, span) => Candidates::Set(SetExpression::Elements {
                    elements: vec![Term::Name(name)],
                    span,
                }),
            });
        }
        Some(Candidates::Terms(self.terms(inner)?))
    }

    fn by(&mut self, pair: Pair<'_>) -> Option<By> {
        let span = self.span(&pair);
        let (mut count, mut path) = (false, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::by_count => count = true,
                Rule::path => path = Some(self.path(part)?),
                _ => {}
            }
        }
        Some(By {
            count,
            path: path?,
            span,
        })
    }

    fn read(&mut self, pair: Pair<'_>) -> Option<Read> {
        let span = self.span(&pair);
        let (mut question, mut top, mut record) = (None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::literal => question = Some(self.literal(part)?),
                Rule::top => {
                    let digits = part
                        .into_inner()
                        .find(|part| part.as_rule() == Rule::digits)?;
                    top = Some(digits.as_str().to_owned());
                }
                Rule::record => record = Some(self.record(part)?),
                _ => {}
            }
        }
        Some(Read {
            question: question?,
            top,
            record,
            span,
        })
    }

    fn record(&mut self, pair: Pair<'_>) -> Option<ReadRecord> {
        let mut texts = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::literal);
        let (answer, from, quote) = (texts.next()?, texts.next()?, texts.next()?);
        Some(ReadRecord {
            answer: self.literal(answer)?,
            from: self.literal(from)?,
            quote: self.literal(quote)?,
        })
    }
}

fn relation_of(operator: Operator) -> Relation {
    match operator {
        Operator::Is => Relation::Equal,
        Operator::IsNot => Relation::Unequal,
        Operator::Less => Relation::Less,
        Operator::AtMost => Relation::AtMost,
        Operator::Greater => Relation::Greater,
        Operator::AtLeast => Relation::AtLeast,
    }
}
