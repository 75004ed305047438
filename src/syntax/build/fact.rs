//! FACT: what is said of an instance, and by whom.

use super::Builder;
use super::term::Braced;
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::tree::{Assignment, Fact, Operator, Source, Span, Term};

impl Builder<'_> {
    pub(super) fn fact(&mut self, pair: Pair<'_>) -> Option<Fact> {
        let (mut subject, mut confidence, mut source) = (None, None, None);
        let mut assignments: Vec<Assignment> = Vec::new();
        let mut last_value = Span::default();
        let mut stray: Vec<Span> = Vec::new();
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::subject => subject = Some(self.subject(part)?),
                Rule::assignment => {
                    self.stray(last_value, &std::mem::take(&mut stray));
                    let (assignment, value) = self.assignment(part)?;
                    assignments.push(assignment);
                    last_value = value;
                }
                Rule::stray_value => stray.push(span),
                Rule::fact_comma => self.trailing_comma(&part),
                Rule::confidence => {
                    self.once(confidence.is_some(), span);
                    let number = part
                        .into_inner()
                        .find(|part| part.as_rule() == Rule::numeric)?;
                    confidence = Some(self.confidence_token(&number)?);
                }
                Rule::source => {
                    self.once(source.is_some(), span);
                    source = Some(self.source(part)?);
                }
                _ => {}
            }
        }
        self.stray(last_value, &stray);
        Some(Fact {
            subject: subject?,
            assignments,
            confidence,
            source,
        })
    }

    fn once(&mut self, again: bool, span: Span) {
        if again {
            self.report(
                Diagnostic::error(Code::E023, "a FACT says this once")
                    .label(span, "a second time")
                    .help("state another FACT for another source or confidence"),
            );
        }
    }

    /// Values behind a comma that should be in braces with the one before.
    fn stray(&mut self, first: Span, stray: &[Span]) {
        let Some(last) = stray.last() else {
            return;
        };
        let whole = Span::new(first.start, last.end);
        let shown: String = self
            .text_of(whole)
            .trim_matches(['{', '}'])
            .replace('}', "");
        self.report(
            Diagnostic::error(
                Code::E022,
                "after a comma in FACT comes `dimension = value`",
            )
            .label(Span::new(first.end, last.end), "only a value")
            .help(format!("several values of one dimension are `{{{shown}}}`"))
            .fix(whole, format!("{{{shown}}}")),
        );
    }

    /// An assignment, and where its value stands.
    fn assignment(&mut self, pair: Pair<'_>) -> Option<(Assignment, Span)> {
        let mut parts = pair.into_inner();
        let path = self.path(parts.next()?)?;
        let sign = parts.next()?;
        let place = self.span(&sign);
        let denied = self.assigns(&sign, place)?;
        let value = parts.next()?;
        let value_span = self.span(&value);
        let values = self.values(value.into_inner().next()?, value_span)?;
        if path.steps.len() > 1 {
            self.report(
                Diagnostic::error(
                    Code::E023,
                    "a FACT gives values to the instance itself, not along a path",
                )
                .label(path.span, "a path")
                .help("state the FACT of the instance that the path leads to"),
            );
        }
        let dimension = path.steps.into_iter().next()?;
        Some((
            Assignment {
                dimension,
                denied,
                values,
            },
            value_span,
        ))
    }

    /// Whether the sign denies; reports what is neither `=` nor `!=`.
    fn assigns(&mut self, sign: &Pair<'_>, place: Span) -> Option<bool> {
        if sign.as_rule() == Rule::k_in {
            let diagnostic =
                Diagnostic::error(Code::E023, "a FACT says `dimension = value`, not IN");
            self.report(
                diagnostic
                    .label(place, "`=` is meant")
                    .help("several values are `dimension = {a, b}`")
                    .fix(place, "="),
            );
            return Some(false);
        }
        match self.operator(sign)? {
            Operator::Is => Some(false),
            Operator::IsNot => Some(true),
            _ => {
                let shown = self.text_of(place);
                self.report(
                    Diagnostic::error(
                        Code::E023,
                        format!("a FACT does not compare with `{shown}`"),
                    )
                    .label(place, "`=` or `!=` is needed")
                    .help("what is known only roughly is a range: `born = 1800..`"),
                );
                Some(false)
            }
        }
    }

    fn values(&mut self, pair: Pair<'_>, span: Span) -> Option<Vec<Term>> {
        if pair.as_rule() == Rule::term {
            return Some(vec![match self.braced(pair)? {
                Braced::Value(term) => term,
                Braced::Element(name, _) => Term::Name(name),
            }]);
        }
        if self.in_pattern {
            self.report(
                Diagnostic::error(
                    Code::E020,
                    "inside PATTERN braces are a hole, and this is no hole",
                )
                .label(span, "read as a hole")
                .help("write `d = {a}, d = {b}` for several holes"),
            );
        }
        let values = self.elements(pair)?;
        if values.is_empty() {
            self.report(
                Diagnostic::error(Code::E027, "a FACT without a value says nothing")
                    .label(span, "no value")
                    .help("write the values: `{a, b}`"),
            );
        }
        Some(values)
    }

    pub(super) fn source(&mut self, pair: Pair<'_>) -> Option<Source> {
        let mut source = Source::default();
        let (mut from, mut at, mut line) = (false, false, false);
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::literal => source.text = self.literal(part)?,
                Rule::source_from => {
                    self.once(std::mem::replace(&mut from, true), span);
                    let text = part
                        .into_inner()
                        .find(|part| part.as_rule() == Rule::literal)?;
                    source.from = Some(self.literal(text)?);
                }
                Rule::source_at => {
                    self.once(std::mem::replace(&mut at, true), span);
                    source.at = Some(self.byte_range(part)?);
                }
                Rule::source_line => {
                    self.once(std::mem::replace(&mut line, true), span);
                    let digits = part
                        .into_inner()
                        .find(|part| part.as_rule() == Rule::digits)?;
                    source.line = Some(self.whole_number(&digits, digits.as_str())?);
                }
                _ => {}
            }
        }
        Some(source)
    }

    fn byte_range(&mut self, pair: Pair<'_>) -> Option<(u64, u64)> {
        let range = pair
            .into_inner()
            .find(|part| part.as_rule() == Rule::byte_range)?;
        let (low, high) = range.as_str().split_once("..")?;
        let (low, high) = (
            self.whole_number(&range, low)?,
            self.whole_number(&range, high)?,
        );
        if low > high {
            let span = self.span(&range);
            self.report(
                Diagnostic::error(Code::E015, "the byte range runs backwards")
                    .label(span, "from high to low")
                    .help("a byte range is half-open, `first..end`"),
            );
        }
        Some((low, high))
    }
}
