//! Values and sets.

use super::Builder;
use crate::syntax::amount::{Amount, classify, compare_decimals, day_of, may_be_year};
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::foreign;
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::tree::{Name, SetExpression, Span, Term};

/// What a term in braces means where it stands.
pub(super) enum Braced {
    /// A value: a term without braces, or a hole inside PATTERN.
    Value(Term),
    /// `{x}` outside PATTERN, where a set may stand: its one element.
    Element(Name, Span),
}

impl Builder<'_> {
    /// A value; braces are a hole inside PATTERN and an error elsewhere.
    pub(super) fn term(&mut self, pair: Pair<'_>) -> Option<Term> {
        match self.braced(pair)? {
            Braced::Value(term) => Some(term),
            Braced::Element(name, span) => {
                let shown = self.text_of(span);
                self.report(
                    Diagnostic::error(
                        Code::E021,
                        format!("`{shown}` is a hole, and stands outside PATTERN"),
                    )
                    .label(span, "no wording to take it from")
                    .help(format!(
                        "a value is written without braces, a value from the caller as \
                             `${}`, a set behind IN",
                        name.text
                    )),
                );
                Some(Term::Name(name))
            }
        }
    }

    /// An instance.
    pub(super) fn subject(&mut self, pair: Pair<'_>) -> Option<Term> {
        self.term(pair)
    }

    /// A value, where a set in braces may stand as well.
    pub(super) fn braced(&mut self, pair: Pair<'_>) -> Option<Braced> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        Some(Braced::Value(match inner.as_rule() {
            Rule::amount => self.amount(inner)?,
            Rule::called => self.called(inner)?,
            Rule::id => Term::Id {
                id: self.id(inner)?,
                span,
            },
            Rule::hole => return self.hole(inner, span),
            Rule::parameter => {
                let name = inner.into_inner().next()?.as_str().to_owned();
                Term::Parameter { name, span }
            }
            Rule::foreign_number => {
                let quoted = crate::syntax::print::quote(inner.as_str());
                self.report(
                    Diagnostic::error(Code::E010, "a name that is a number is quoted")
                        .label(span, "an instance is named here")
                        .help(format!("write {quoted}"))
                        .fix(span, quoted),
                );
                Term::Name(Name {
                    text: inner.as_str().to_owned(),
                    quoted: true,
                    span,
                })
            }
            Rule::foreign_variable => {
                self.report(foreign::variable(inner.as_str(), span));
                Term::Parameter {
                    name: inner.as_str().trim_start_matches('?').to_owned(),
                    span,
                }
            }
            _ => return None,
        }))
    }

    fn hole(&mut self, pair: Pair<'_>, span: Span) -> Option<Braced> {
        let mut parts = pair.into_inner();
        let name = self.name(parts.next()?)?;
        let kind = parts.next().map(|kind| kind.as_str().to_owned());
        if self.in_pattern || kind.is_some() {
            if !self.in_pattern {
                self.report(
                    Diagnostic::error(Code::E021, "a hole stands outside PATTERN")
                        .label(span, "no wording to take it from")
                        .help("only the right side of a PATTERN has holes"),
                );
            }
            return Some(Braced::Value(Term::Hole {
                name: name.text,
                kind,
                span,
            }));
        }
        Some(Braced::Element(name, span))
    }

    fn called(&mut self, pair: Pair<'_>) -> Option<Term> {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let name = self.name(parts.next()?)?;
        Some(match parts.next() {
            Some(id) => Term::Named {
                name,
                id: self.id(id)?,
                span,
            },
            None => Term::Name(name),
        })
    }

    fn id(&mut self, pair: Pair<'_>) -> Option<String> {
        let inner = pair.into_inner().next()?;
        match inner.as_rule() {
            Rule::string => self.literal_text(&inner),
            _ => Some(inner.as_str().to_owned()),
        }
    }

    /// A number or date with its unit, a parameter, or a range of them.
    pub(super) fn amount(&mut self, pair: Pair<'_>) -> Option<Term> {
        let span = self.span(&pair);
        let (mut low, mut high, mut unit, mut range) = (None, None, None, false);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::dots => range = true,
                Rule::unit => unit = Some(self.name(part.into_inner().next()?)?),
                Rule::quantity if range => high = Some(self.quantity(part)?),
                Rule::quantity => low = Some(self.quantity(part)?),
                Rule::foreign_spaced => {
                    range = true;
                    self.spaced_range(span);
                    high = Some(self.quantity(part.into_inner().next()?)?);
                }
                _ => return None,
            }
        }
        if range {
            self.range(low, high, unit, span)
        } else {
            self.single(low?, unit, span)
        }
    }

    fn spaced_range(&mut self, span: Span) {
        let tight: String = self.text_of(span).split_whitespace().collect();
        self.report(
            Diagnostic::error(Code::E016, "a range is written without white space")
                .label(span, "read as several things")
                .help(format!("LQ writes `{tight}`"))
                .fix(span, tight),
        );
    }

    fn single(&mut self, value: Term, unit: Option<Name>, span: Span) -> Option<Term> {
        match (value, unit) {
            (value, None) => Some(value),
            (Term::Number { text, .. }, unit) => Some(Term::Number { text, unit, span }),
            (value, Some(unit)) => {
                let what = match value {
                    Term::Date { .. } => "date",
                    _ => "parameter",
                };
                let message = format!("a {what} takes no unit, and `{}` follows it", unit.text);
                self.report(
                    Diagnostic::error(Code::E014, message)
                        .label(unit.span, "read as a unit")
                        .help("a name of several words is quoted"),
                );
                Some(value)
            }
        }
    }

    fn quantity(&mut self, pair: Pair<'_>) -> Option<Term> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        let token = inner.as_str();
        let text = match inner.as_rule() {
            Rule::parameter => {
                let name = inner.into_inner().next()?.as_str().to_owned();
                return Some(Term::Parameter { name, span });
            }
            Rule::foreign_thousands => {
                self.report(thousands(token, span, self.in_list));
                token.replace(',', "")
            }
            Rule::foreign_fraction => {
                let whole = token.replacen('.', "0.", 1);
                self.report(
                    Diagnostic::error(
                        Code::E014,
                        format!("`{token}` lacks a digit before the point"),
                    )
                    .label(span, "incomplete number")
                    .help(format!("LQ writes `{whole}`"))
                    .fix(span, whole.clone()),
                );
                whole
            }
            _ => match classify(token, span) {
                Ok(Amount::Date(text)) => return Some(Term::Date { text, span }),
                Ok(Amount::Number(text)) => text,
                Err(diagnostic) => {
                    self.report(*diagnostic);
                    "0".to_owned()
                }
            },
        };
        Some(Term::Number {
            text,
            unit: None,
            span,
        })
    }

    fn range(
        &mut self,
        low: Option<Term>,
        high: Option<Term>,
        unit: Option<Name>,
        span: Span,
    ) -> Option<Term> {
        let (mut low, mut high) = (low, high);
        // Beside a date four digits are a year.
        if matches!(high, Some(Term::Date { .. })) {
            low = low.map(as_year);
        }
        if matches!(low, Some(Term::Date { .. })) {
            high = high.map(as_year);
        }
        if let (Some(low), Some(high)) = (&low, &high)
            && let Some(diagnostic) = range_fault(low, high, span)
        {
            self.report(diagnostic);
        }
        let mut attach = |end: Option<Term>| match end {
            Some(end @ Term::Number { span, .. }) => self.single(end, unit.clone(), span),
            Some(end @ Term::Parameter { .. }) => Some(end),
            Some(end) => self.single(end, unit.clone(), span),
            None => None,
        };
        let (low, high) = (attach(low), attach(high));
        Some(Term::Range {
            low: low.map(Box::new),
            high: high.map(Box::new),
            span,
        })
    }

    /// The elements of braces.
    pub(super) fn elements(&mut self, braces: Pair<'_>) -> Option<Vec<Term>> {
        match braces.into_inner().next() {
            Some(list) => self.terms(list),
            None => Some(Vec::new()),
        }
    }

    pub(super) fn terms(&mut self, list: Pair<'_>) -> Option<Vec<Term>> {
        let outside = std::mem::replace(&mut self.in_list, true);
        let mut terms = Some(Vec::new());
        for pair in list.into_inner() {
            if pair.as_rule() == Rule::trailing_comma {
                self.trailing_comma(&pair);
                continue;
            }
            let term = self.term(pair);
            terms = terms.zip(term).map(|(mut terms, term)| {
                terms.push(term);
                terms
            });
        }
        self.in_list = outside;
        terms
    }

    /// A set in braces that must have elements.
    pub(super) fn filled_braces(&mut self, braces: Pair<'_>) -> Option<SetExpression> {
        let span = self.span(&braces);
        let elements = self.elements(braces)?;
        if elements.is_empty() {
            self.report(
                Diagnostic::error(Code::E027, "this set has no elements")
                    .label(span, "nothing can be in it")
                    .help("write its elements, `{a, b}`; only EXPECT compares with `{}`"),
            );
        }
        Some(SetExpression::Elements { elements, span })
    }

    /// What stands behind IN; `word` is the IN itself.
    pub(super) fn set(&mut self, pair: Pair<'_>, word: Span) -> Option<SetExpression> {
        let span = self.span(&pair);
        let inner = pair.into_inner().next()?;
        Some(match inner.as_rule() {
            Rule::braces => self.filled_braces(inner)?,
            Rule::parenthesised => SetExpression::Query {
                query: Box::new(self.parenthesised(inner)?),
                span,
            },
            Rule::foreign_list | Rule::foreign_words => {
                let list = match inner.as_rule() {
                    Rule::foreign_list => inner.into_inner().next()?,
                    _ => inner,
                };
                let elements = self.terms(list)?;
                let shown = self
                    .text_of(span)
                    .trim_start_matches('(')
                    .trim_end_matches(')');
                let fixed = format!("{{{}}}", shown.trim());
                self.report(
                    Diagnostic::error(Code::E046, "a set stands in braces")
                        .label(span, "a list")
                        .help("parentheses hold conditions and queries")
                        .fix(span, fixed),
                );
                SetExpression::Elements { elements, span }
            }
            Rule::amount => match self.amount(inner)? {
                range @ Term::Range { .. } => SetExpression::Range(range),
                Term::Parameter { name, span } => SetExpression::Parameter { name, span },
                other => {
                    self.not_a_set(span, word);
                    SetExpression::Range(other)
                }
            },
            Rule::foreign_in_string => {
                self.not_a_set(span, word);
                SetExpression::Elements {
                    elements: Vec::new(),
                    span,
                }
            }
            Rule::word => SetExpression::Variable(self.name(inner)?),
            _ => return None,
        })
    }

    fn not_a_set(&mut self, span: Span, word: Span) {
        let shown = self.text_of(span);
        self.report(
            Diagnostic::error(
                Code::E026,
                format!("IN needs a set, and `{shown}` is one value"),
            )
            .label(span, "one value")
            .help(format!(
                "one value is tested with `= {shown}`; a set is `{{{shown}, …}}`"
            ))
            .fix_described(word, "=", "write `=` in place of `IN`"),
        );
    }
}

fn as_year(term: Term) -> Term {
    match term {
        Term::Number {
            text,
            unit: None,
            span,
        } if may_be_year(&text) => Term::Date { text, span },
        other => other,
    }
}

fn range_fault(low: &Term, high: &Term, span: Span) -> Option<Diagnostic> {
    match (low, high) {
        (Term::Number { text: low, .. }, Term::Number { text: high, .. }) => {
            compare_decimals(low, high)
                .is_gt()
                .then(|| backwards(low, high, span))
        }
        (Term::Date { text: low, .. }, Term::Date { text: high, .. }) => {
            let (first, last) = (day_of(low, false).ok()?, day_of(high, true).ok()?);
            (first > last).then(|| backwards(low, high, span))
        }
        (Term::Parameter { .. }, _) | (_, Term::Parameter { .. }) => None,
        _ => Some(
            Diagnostic::error(
                Code::E016,
                "one end of the range is a date and the other is not",
            )
            .label(span, "mixed ends")
            .help("both ends are numbers, or both are dates"),
        ),
    }
}

fn backwards(low: &str, high: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::E015,
        format!("the range runs backwards: `{low}` lies after `{high}`"),
    )
    .label(span, "from high to low")
    .help("the lower end comes first")
    .fix(span, format!("{high}..{low}"))
}

fn thousands(token: &str, span: Span, in_list: bool) -> Diagnostic {
    let number = token.replace(',', "");
    let values = token.replace(',', ", ");
    let values = if in_list {
        values
    } else {
        format!("{{{values}}}")
    };
    let diagnostic = Diagnostic::error(
        Code::E014,
        format!("`{token}` can be one number or several"),
    )
    .label(span, "a comma inside digits")
    .help(format!(
        "one number is `{number}`; several values are `{values}`"
    ));
    // Among other values several may be meant.
    if in_list {
        diagnostic
    } else {
        diagnostic.fix(span, number)
    }
}
