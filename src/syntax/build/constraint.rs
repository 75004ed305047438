//! Conditions.

use super::Builder;
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::foreign;
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::tree::{Constraint, Operand, Operator, Path, SetExpression, Span, Term};

impl Builder<'_> {
    /// A list of factors joined by AND or by OR, not by both.
    pub(super) fn constraint(&mut self, pair: Pair<'_>) -> Option<Constraint> {
        let span = self.span(&pair);
        let mut factors = Vec::new();
        let (mut first_and, mut first_or) = (None, None);
        for part in pair.into_inner() {
            if part.as_rule() != Rule::connective {
                factors.push(self.factor(part)?);
                continue;
            }
            let place = self.span(&part);
            let inner = part.into_inner().next()?;
            let and = match inner.as_rule() {
                Rule::k_and => true,
                Rule::k_or => false,
                _ => {
                    let (and, diagnostic) = foreign::connective(inner.as_str(), place);
                    self.report(diagnostic);
                    and
                }
            };
            let first = if and { &mut first_and } else { &mut first_or };
            first.get_or_insert(place);
        }
        if let (Some(and), Some(or)) = (first_and, first_or) {
            let (early, late) = if and.start < or.start {
                (and, or)
            } else {
                (or, and)
            };
            self.report(
                Diagnostic::error(Code::E012, "AND and OR are mixed without parentheses")
                    .label(late, "which comes first?")
                    .label(early, "this one, or the other")
                    .help("parentheses say it: `(a AND b) OR c`, or `a AND (b OR c)`"),
            );
        }
        if factors.len() == 1 {
            return factors.pop();
        }
        Some(if first_or.is_some() {
            Constraint::Or(factors, span)
        } else {
            Constraint::And(factors, span)
        })
    }

    fn factor(&mut self, pair: Pair<'_>) -> Option<Constraint> {
        let span = self.span(&pair);
        let mut prefixes = Vec::new();
        let mut parts = pair.into_inner();
        let inner = loop {
            let part = parts.next()?;
            if part.as_rule() != Rule::prefix {
                break part;
            }
            let place = self.span(&part);
            let word = part.into_inner().next()?;
            match word.as_rule() {
                Rule::k_possibly => prefixes.push((true, place)),
                Rule::k_not => prefixes.push((false, place)),
                _ => {
                    self.report(foreign::not(word.as_str(), place));
                    prefixes.push((false, place));
                }
            }
        };
        let mut constraint = match inner.as_rule() {
            Rule::group => self.group(inner)?,
            Rule::has => self.has(inner)?,
            Rule::test => self.test(inner)?,
            _ => return None,
        };
        for (possibly, place) in prefixes.into_iter().rev() {
            let whole = place.to(span);
            constraint = if possibly {
                Constraint::Possibly(Box::new(constraint), whole)
            } else {
                Constraint::Not(Box::new(constraint), whole)
            };
        }
        Some(constraint)
    }

    /// The span of a list in parentheses takes them in.
    fn group(&mut self, pair: Pair<'_>) -> Option<Constraint> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        Some(match self.constraint(inner)? {
            Constraint::And(list, _) => Constraint::And(list, span),
            Constraint::Or(list, _) => Constraint::Or(list, span),
            other => other,
        })
    }

    pub(super) fn has(&mut self, pair: Pair<'_>) -> Option<Constraint> {
        let span = self.span(&pair);
        let path = pair
            .into_inner()
            .find(|part| part.as_rule() == Rule::path)?;
        Some(Constraint::Has {
            path: self.path(path)?,
            span,
        })
    }

    fn test(&mut self, pair: Pair<'_>) -> Option<Constraint> {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let path = self.path(parts.next()?)?;
        self.tail(path, parts.next()?, span)
    }

    /// What follows the path of a test.
    pub(super) fn tail(&mut self, path: Path, tail: Pair<'_>, span: Span) -> Option<Constraint> {
        let inner = tail.into_inner().next()?;
        match inner.as_rule() {
            Rule::in_tail => {
                let mut parts = inner.into_inner();
                let word = parts.next()?;
                let place = self.span(&word);
                if word.as_rule() == Rule::foreign_element {
                    let diagnostic = Diagnostic::error(Code::E030, "`∈` is no operator of LQ");
                    self.report(diagnostic.label(place, "IN is meant").fix(place, "IN"));
                }
                let set = self.set(parts.next()?, place)?;
                Some(Constraint::In { path, set, span })
            }
            Rule::operator_tail => self.operator_tail(path, inner, span),
            _ => self.foreign_tail(path, inner, span),
        }
    }

    fn operator_tail(&mut self, path: Path, pair: Pair<'_>, span: Span) -> Option<Constraint> {
        let mut parts = pair.into_inner();
        let sign = parts.next()?;
        let place = self.span(&sign);
        let operator = self.operator(&sign)?;
        let right = parts.next()?;
        let right_span = self.span(&right);
        let inner = right.into_inner().next()?;
        let operand = match inner.as_rule() {
            Rule::parenthesised => {
                let query = Box::new(self.parenthesised(inner)?);
                Operand::Query {
                    query,
                    span: right_span,
                }
            }
            Rule::term => Operand::Term(self.term(inner)?),
            Rule::braces => {
                let set = self.filled_braces(inner)?;
                self.braces_behind_operator(&path, operator, place, right_span);
                return Some(Constraint::In { path, set, span });
            }
            _ => return None,
        };
        Some(Constraint::Test {
            path,
            operator,
            operand,
            span,
        })
    }

    fn braces_behind_operator(&mut self, path: &Path, operator: Operator, sign: Span, set: Span) {
        let shown = self.text_of(sign);
        let diagnostic = Diagnostic::error(
            Code::E020,
            format!("behind `{shown}` stands one value, not a set"),
        )
        .label(set, "a set")
        .label(sign, "wants one value");
        let path_text = self.text_of(path.span);
        self.report(match operator {
            Operator::Is => diagnostic
                .help(format!("LQ writes `{path_text} IN {{…}}`"))
                .fix(sign, "IN"),
            Operator::IsNot => diagnostic
                .help(format!("LQ writes `NOT {path_text} IN {{…}}`"))
                .fix(path.span.to(sign), format!("NOT {path_text} IN")),
            _ => diagnostic.help("compare with one value, or with a query in parentheses"),
        });
    }

    /// An operator, of LQ or of another language.
    pub(super) fn operator(&mut self, pair: &Pair<'_>) -> Option<Operator> {
        let span = self.span(pair);
        Some(match pair.as_str() {
            "=" => Operator::Is,
            "!=" => Operator::IsNot,
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            ">" => Operator::Greater,
            ">=" => Operator::AtLeast,
            sign => {
                let (operator, diagnostic) = foreign::operator(sign, span);
                self.report(diagnostic);
                operator
            }
        })
    }

    fn foreign_tail(&mut self, path: Path, pair: Pair<'_>, span: Span) -> Option<Constraint> {
        let path_text = self.text_of(path.span);
        let rule = pair.as_rule();
        let whole = self.span(&pair);
        let parts: Vec<Pair<'_>> = pair.into_inner().collect();
        let has = |rule: Rule| parts.iter().find(|part| part.as_rule() == rule);
        match rule {
            Rule::foreign_not_in => {
                let (not, word) = (self.span(has(Rule::k_not)?), self.span(has(Rule::k_in)?));
                let head = path.span.to(word);
                self.report(foreign::not_in(path_text, head, not.to(word)));
                let set = self.set(has(Rule::set)?.clone(), word)?;
                let inner = Constraint::In { path, set, span };
                return Some(Constraint::Not(Box::new(inner), span));
            }
            Rule::foreign_null => {
                self.report(foreign::null(path_text, has(Rule::k_not).is_some(), span));
            }
            Rule::foreign_like => {
                let word = has(Rule::like_word)?;
                let place = self.span(word);
                self.report(foreign::partial_text(word.as_str(), place));
            }
            Rule::foreign_between => {
                let word = self.span(has(Rule::between_word)?);
                self.between(word, whole, &parts)?;
            }
            _ => return None,
        }
        Some(Constraint::Has { path, span })
    }

    fn between(&mut self, word: Span, whole: Span, parts: &[Pair<'_>]) -> Option<()> {
        let mut ends = parts.iter().filter(|part| part.as_rule() == Rule::term);
        let (low, high) = (ends.next()?.clone(), ends.next()?.clone());
        let (low, high) = (self.term(low)?, self.term(high)?);
        let text = |term: &Term| match term {
            Term::Number {
                text, unit: None, ..
            }
            | Term::Date { text, .. } => Some(text.clone()),
            _ => None,
        };
        let range = text(&low)
            .zip(text(&high))
            .map(|(low, high)| format!("{low}..{high}"));
        self.report(foreign::between(word, range.map(|range| (whole, range))));
        Some(())
    }

    /// The set or the operand of a query in parentheses.
    pub(super) fn set_of_query(&mut self, pair: Pair<'_>) -> Option<SetExpression> {
        let span = self.span(&pair);
        Some(SetExpression::Query {
            query: Box::new(self.parenthesised(pair)?),
            span,
        })
    }
}
