//! EXPECT: does the verdict say what a script expects?

use super::words;
use crate::lattice::{
    DateInterval, Decimal, DimensionId, InstanceId, Kind, Lattice, NumberInterval, Value, ValueId,
    fold,
};
use crate::syntax::tree::{Expectation, OrderWord, Span, Term};
use crate::syntax::{Code, Diagnostic, print_term};
use crate::verdict::{Answer, Members, Outcome, RowColumn, RowsAnswer, Verdict};
use std::collections::BTreeSet;

/// The codes of all abstentions, in the order in which the first that applies is
/// the reason.
pub const ABSTENTIONS: &[&str] = &[
    "not-understood",
    "empty-lattice",
    "unknown-dimension",
    "unknown-value",
    "unknown-name",
    "mismatch",
    "ambiguous",
    "missing",
    "incomparable",
    "conflict",
    "empty",
    "derived",
    "unsupported",
    "declined",
];

/// How an expectation and a verdict differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// What was expected, in short.
    pub expected: String,
    /// What the verdict says, in short.
    pub found: String,
    /// Elements that were expected and are not there.
    pub missing: Vec<String>,
    /// Elements that are there and were not expected.
    pub unexpected: Vec<String>,
}

impl Difference {
    /// The difference as an error at the EXPECT statement.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        let mut notes = Vec::new();
        if !self.missing.is_empty() {
            notes.push(format!("not found: {}", first_of(&self.missing)));
        }
        if !self.unexpected.is_empty() {
            notes.push(format!("not expected: {}", first_of(&self.unexpected)));
        }
        let message = if notes.is_empty() {
            format!("expected {}, found {}", self.expected, self.found)
        } else {
            "what was found is not what was expected".to_string()
        };
        if notes.is_empty() {
            notes.push(format!("found {}", self.found));
        }
        Diagnostic::error(Code::E409, message).label(span, notes.join("; "))
    }
}

/// The first of some elements, and how many there are besides.
fn first_of(elements: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut shown: Vec<String> = elements.iter().take(SHOWN).cloned().collect();
    if elements.len() > SHOWN {
        shown.push(format!("{} more", elements.len() - SHOWN));
    }
    shown.join(", ")
}

/// Compares a verdict with an expectation; `None` if it says just that.
pub fn compare(
    lattice: &Lattice,
    expectation: &Expectation,
    verdict: &Verdict,
) -> Option<Difference> {
    let held = match (&verdict.outcome, expectation) {
        (Outcome::Abstention(found), Expectation::Abstain(code)) => code
            .as_ref()
            .is_none_or(|code| code.text.eq_ignore_ascii_case(found.reason.code())),
        (Outcome::Answer(Answer::Truth { value, .. }), Expectation::Truth(expected)) => {
            value == expected
        }
        (Outcome::Answer(Answer::Order { word, .. }), Expectation::Order(expected)) => {
            word == expected
        }
        (Outcome::Answer(answer), Expectation::Count(expected)) => {
            size(answer).is_some_and(|n| n.to_string() == *expected)
        }
        (Outcome::Answer(Answer::Set(set)), Expectation::Set(terms)) => {
            return members(lattice, terms, &set.members);
        }
        (Outcome::Answer(Answer::Rows(found)), Expectation::Rows(rows)) => {
            return rows_differ(lattice, rows, found);
        }
        _ => false,
    };
    (!held).then(|| Difference {
        expected: told(expectation),
        found: found(lattice, verdict),
        ..Difference::default()
    })
}

/// The number of members or rows, or the count itself.
fn size(answer: &Answer) -> Option<u64> {
    match answer {
        Answer::Set(set) => Some(set.members.len()),
        Answer::Rows(rows) => Some(rows.rows.len() as u64),
        Answer::Count { count, .. } => Some(*count),
        Answer::Truth { .. } | Answer::Order { .. } => None,
    }
}

/// LESS, GREATER, EQUAL or INCOMPARABLE.
pub fn order_word(word: OrderWord) -> &'static str {
    match word {
        OrderWord::Less => "LESS",
        OrderWord::Greater => "GREATER",
        OrderWord::Equal => "EQUAL",
        OrderWord::Incomparable => "INCOMPARABLE",
    }
}

fn told(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Set(terms) => format!("a set of {}", terms.len()),
        Expectation::Rows(rows) => format!("{} rows", rows.len()),
        Expectation::Count(n) => format!("COUNT {n}"),
        Expectation::Truth(true) => "TRUE".to_string(),
        Expectation::Truth(false) => "FALSE".to_string(),
        Expectation::Order(word) => order_word(*word).to_string(),
        Expectation::Abstain(None) => "ABSTAIN".to_string(),
        Expectation::Abstain(Some(code)) => format!("ABSTAIN {}", code.text),
    }
}

/// A verdict in one line.
pub fn found(lattice: &Lattice, verdict: &Verdict) -> String {
    const SHOWN: usize = 8;
    let answer = match &verdict.outcome {
        Outcome::Abstention(abstention) => return format!("ABSTAIN {}", abstention.reason.code()),
        Outcome::Answer(answer) => answer,
    };
    match answer {
        Answer::Truth { value, .. } => value.to_string().to_uppercase(),
        Answer::Order { word, .. } => order_word(*word).to_string(),
        Answer::Count { count, .. } => format!("COUNT {count}"),
        Answer::Set(set) => {
            let shown: Vec<String> = member_cells(lattice, &set.members).take(SHOWN).collect();
            braces(shown, set.members.len())
        }
        Answer::Rows(rows) => {
            let shown = rows.rows.iter().take(SHOWN);
            let shown: Vec<String> = shown.map(|row| row_cells(lattice, row)).collect();
            format!("ROWS {}", braces(shown, rows.rows.len() as u64))
        }
    }
}

fn braces(mut shown: Vec<String>, all: u64) -> String {
    let rest = all.saturating_sub(shown.len() as u64);
    if rest > 0 {
        shown.push(format!("{rest} more"));
    }
    format!("{{ {} }}", shown.join(", "))
}

fn row_cells(lattice: &Lattice, row: &[Option<Value>]) -> String {
    let cells: Vec<String> = row
        .iter()
        .map(|cell| match cell {
            Some(value) => words::cell(lattice, value),
            None => "NULL".to_string(),
        })
        .collect();
    format!("({})", cells.join(", "))
}

/// The members of a set as they are printed, in order.
pub fn member_cells<'a>(
    lattice: &'a Lattice,
    members: &'a Members,
) -> Box<dyn Iterator<Item = String> + 'a> {
    match members {
        Members::Instances(set) => {
            Box::new(set.iter().map(|i| words::instance(lattice, InstanceId(i))))
        }
        Members::Values(d, set) => Box::new(
            set.iter()
                .map(|v| words::value_cell(lattice, *d, ValueId(v))),
        ),
        Members::Texts(set) => Box::new(set.iter().cloned()),
        Members::Interval(_, value) => Box::new(std::iter::once(words::cell(lattice, value))),
    }
}

/// Compares a set with the elements that are expected. An element that names
/// several members stands for all of them.
fn members(lattice: &Lattice, terms: &[Term], found: &Members) -> Option<Difference> {
    let mut difference = Difference::default();
    match found {
        Members::Instances(set) => {
            let mut named = roaring::RoaringBitmap::new();
            for term in terms {
                let of_term: Vec<u32> = instances(lattice, term)
                    .into_iter()
                    .map(|i| i.0)
                    .filter(|i| set.contains(*i))
                    .collect();
                if of_term.is_empty() {
                    difference.missing.push(print_term(term));
                }
                named.extend(of_term);
            }
            let rest = (set - &named).into_iter();
            difference.unexpected = rest
                .map(|i| words::instance(lattice, InstanceId(i)))
                .collect();
        }
        Members::Values(d, set) => {
            let mut named = roaring::RoaringBitmap::new();
            for term in terms {
                let hit = set
                    .iter()
                    .filter(|v| is_value(lattice, term, &lattice.value(*d, ValueId(*v)), Some(*d)));
                let of_term: Vec<u32> = hit.collect();
                if of_term.is_empty() {
                    difference.missing.push(print_term(term));
                }
                named.extend(of_term);
            }
            let rest = (set - &named).into_iter();
            difference.unexpected = rest
                .map(|v| words::value_cell(lattice, *d, ValueId(v)))
                .collect();
        }
        Members::Interval(d, value) => {
            let meant = |term: &Term| is_value(lattice, term, value, Some(*d));
            let missing = terms.iter().filter(|term| !meant(term));
            difference.missing = missing.map(print_term).collect();
            if !terms.iter().any(meant) {
                difference.unexpected = vec![words::cell(lattice, value)];
            }
        }
        Members::Texts(set) => {
            let expected: BTreeSet<String> = terms.iter().map(text).collect();
            difference.missing = expected.difference(set).cloned().collect();
            difference.unexpected = set.difference(&expected).cloned().collect();
        }
    }
    differs(
        difference,
        format!("a set of {}", terms.len()),
        format!("a set of {}", found.len()),
    )
}

fn differs(mut difference: Difference, expected: String, found: String) -> Option<Difference> {
    if difference.missing.is_empty() && difference.unexpected.is_empty() {
        return None;
    }
    difference.expected = expected;
    difference.found = found;
    Some(difference)
}

/// The instances that an element of EXPECT may mean.
fn instances(lattice: &Lattice, term: &Term) -> Vec<InstanceId> {
    match term {
        Term::Id { id, .. } | Term::Named { id, .. } => lattice.by_id(id).into_iter().collect(),
        other => lattice.called(&text(other)).instances,
    }
}

/// The words of a term, without quotes.
fn text(term: &Term) -> String {
    match term {
        Term::Name(name) => name.text.clone(),
        other => print_term(other),
    }
}

/// Whether a value is the one that a term of EXPECT writes down.
fn is_value(lattice: &Lattice, term: &Term, value: &Value, d: Option<DimensionId>) -> bool {
    match value {
        Value::Instance(i) => instances(lattice, term).contains(i),
        Value::Term(name) => {
            let word = text(term);
            let synonym = || d.and_then(|d| lattice.taxonomy(d)).map(|t| t.find(&word));
            *name == word
                || synonym().is_some_and(|all| {
                    all.iter().any(|v| {
                        d.and_then(|d| lattice.taxonomy(d))
                            .is_some_and(|t| t.name(*v) == name)
                    })
                })
        }
        Value::Number(n) => number(lattice, term, d).as_ref() == Some(n),
        Value::Date(date) => date_of(term).as_ref() == Some(date),
        Value::Text(found) => *found == text(term) || fold(found) == fold(&text(term)),
    }
}

/// A number or range as written, in the unit of the dimension.
fn number(lattice: &Lattice, term: &Term, d: Option<DimensionId>) -> Option<NumberInterval> {
    let (interval, unit) = number_as_written(term)?;
    let own = d.and_then(|d| match &lattice.dimension(d).kind {
        Kind::Number { unit } => unit.clone(),
        _ => None,
    });
    match (unit, own) {
        (Some(from), Some(to)) if from != to => lattice.units().convert(&interval, &from, &to).ok(),
        _ => Some(interval),
    }
}

fn number_as_written(term: &Term) -> Option<(NumberInterval, Option<String>)> {
    match term {
        Term::Number { text, unit, .. } => {
            let n = Decimal::parse(text).ok()?;
            Some((
                NumberInterval::point(n),
                unit.as_ref().map(|u| u.text.clone()),
            ))
        }
        Term::Range { low, high, .. } => {
            let (low, unit) = number_as_written(low.as_deref()?)?;
            let (high, other) = number_as_written(high.as_deref()?)?;
            let interval = NumberInterval::new(low.low, high.high).ok()?;
            Some((interval, other.or(unit)))
        }
        Term::Name(name) => {
            let n = Decimal::parse(&name.text).ok()?;
            Some((NumberInterval::point(n), None))
        }
        _ => None,
    }
}

fn date_of(term: &Term) -> Option<DateInterval> {
    match term {
        Term::Date { text, .. }
        | Term::Number {
            text, unit: None, ..
        } => DateInterval::parse(text).ok(),
        Term::Range { low, high, .. } => {
            let low = date_of(low.as_deref()?)?;
            let high = date_of(high.as_deref()?)?;
            DateInterval::new(low.first, high.last).ok()
        }
        Term::Name(name) => DateInterval::parse(&name.text).ok(),
        _ => None,
    }
}

/// Compares rows with those expected.
fn rows_differ(
    lattice: &Lattice,
    expected: &[Vec<Option<Term>>],
    found: &RowsAnswer,
) -> Option<Difference> {
    let mut difference = Difference::default();
    let mut met = vec![false; found.rows.len()];
    for row in expected {
        let mut any = false;
        for (candidate, met) in found.rows.iter().zip(&mut met) {
            if is_row(lattice, row, candidate, &found.columns) {
                any = true;
                *met = true;
            }
        }
        if !any {
            difference.missing.push(expected_row(row));
        }
    }
    let left = found.rows.iter().zip(&met).filter(|(_, met)| !**met);
    difference.unexpected = left.map(|(row, _)| row_cells(lattice, row)).collect();
    let told = |n: usize| format!("{n} rows");
    differs(difference, told(expected.len()), told(found.rows.len()))
}

fn is_row(
    lattice: &Lattice,
    expected: &[Option<Term>],
    found: &[Option<Value>],
    columns: &[RowColumn],
) -> bool {
    expected.len() == found.len()
        && expected
            .iter()
            .zip(found)
            .zip(columns)
            .all(|((e, f), column)| match (e, f) {
                (None, None) => true,
                (Some(term), Some(value)) => is_value(lattice, term, value, column.dimension),
                _ => false,
            })
}

fn expected_row(row: &[Option<Term>]) -> String {
    let cells: Vec<String> = row
        .iter()
        .map(|cell| cell.as_ref().map_or("NULL".to_string(), print_term))
        .collect();
    format!("({})", cells.join(", "))
}
