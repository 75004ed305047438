//! FACT: what is said of an instance, and the words that say it.

use super::refusal::{Refusal, refused};
use super::{Context, who};
use crate::lattice::{
    BuildError, Builder, DateInterval, Decimal, DimKey, FactValue, InstKey, KindSpec,
    NumberInterval, SourceKey, Who, date_from_text, number_from_text,
};
use crate::load::names;
use crate::syntax::codes::Code;
use crate::syntax::tree::{Defect, DefectKind, Fact, Name, Source, Span, Term};
use crate::syntax::{Diagnostic, print_word};

/// Records a fact.
pub(super) fn fact(
    builder: &mut Builder,
    fact: &Fact,
    span: Span,
    context: &mut Context<'_>,
) -> Result<(), Refusal> {
    let Some(source) = &fact.source else {
        let message = "a fact needs the words that state it";
        let refusal = Diagnostic::error(Code::E200, message).label(span, "no SOURCE");
        let help = "add SOURCE \"…\", with FROM and AT where they are known";
        return Err(refusal.help(help).into());
    };
    let confidence = match &fact.confidence {
        Some(text) => text.parse::<f64>().map_err(|_| {
            let message = format!("`{text}` is not a confidence");
            Diagnostic::error(Code::E212, message).label(span, "a number from 0 to 1")
        })?,
        None => 1.0,
    };
    let subject = instance(builder, &fact.subject)?;
    let source = source_key(builder, source, span, context)?;
    for assignment in &fact.assignments {
        let d = dimension(builder, &assignment.dimension)?;
        for term in &assignment.values {
            let value = value(builder, d, term)?;
            builder
                .add_fact(
                    subject,
                    d,
                    value.as_fact(),
                    assignment.denied,
                    confidence,
                    source,
                )
                .map_err(|error| refused(&error, span_of(term)))?;
            context.report.facts += 1;
        }
    }
    Ok(())
}

/// Keeps a defect of a taxonomy. The edges of a cycle are edges too.
pub(super) fn defect(
    builder: &mut Builder,
    defect: &Defect,
    span: Span,
    context: &mut Context<'_>,
) -> Result<(), Refusal> {
    let d = dimension(builder, &defect.dimension)?;
    let source = match &defect.source {
        Some(source) => Some(source_key(builder, source, span, context)?),
        None => None,
    };
    let done = match &defect.kind {
        DefectKind::Cycle { upper, lower } => {
            builder.admit_cycle_edge(d, &upper.text, &lower.text, source)
        }
        DefectKind::Undefined { term, user } => {
            builder.note_parent(d, &term.text, &user.text, source)
        }
        DefectKind::Duplicate { term } => builder.note_duplicate(d, &term.text, source),
    };
    done.map_err(|error| refused(&error, span).into())
}

/// The dimension of this name, exactly.
pub(super) fn dimension(builder: &Builder, name: &Name) -> Result<DimKey, Refusal> {
    if let Some(d) = builder.dimension(&name.text) {
        return Ok(d);
    }
    if name.text == "name" {
        let message = "`name` is built in, and no fact states it";
        let refusal = Diagnostic::error(Code::E211, message).label(name.span, "built in");
        let help = "name the instance behind FACT, or give it another name with ALIAS";
        return Err(refusal.help(help).into());
    }
    let known = builder.dimensions().map(|(_, spec)| spec.name.as_str());
    let near = names::nearest(&name.text, known);
    let message = format!("there is no dimension \"{}\"", name.text);
    let refusal = Diagnostic::error(Code::E201, message).label(name.span, "not declared");
    let help = match near.first() {
        Some(near) => format!("the nearest is \"{near}\"; or declare it with DIMENSION"),
        None => format!(
            "declare it first, as in DIMENSION {} TEXT",
            print_word(&name.text)
        ),
    };
    Err(refusal.help(help).into())
}

/// The instance that a term names, created if absent.
pub(super) fn instance(builder: &mut Builder, term: &Term) -> Result<InstKey, Refusal> {
    of_term(term, |who| builder.instance(who))
}

/// The instance that a term declares; a name without an id is its id.
pub(super) fn declared_instance(builder: &mut Builder, term: &Term) -> Result<InstKey, Refusal> {
    of_term(term, |who| builder.declare_instance(who))
}

fn of_term(
    term: &Term,
    instance: impl FnOnce(Who<'_>) -> Result<InstKey, BuildError>,
) -> Result<InstKey, Refusal> {
    let span = span_of(term);
    let Some(who) = who(term) else {
        let message = "this names no instance";
        let refusal = Diagnostic::error(Code::E203, message).label(span, "not a name");
        return Err(refusal
            .help("write a name in quotes, or an id behind @")
            .into());
    };
    instance(who).map_err(|error| refused(&error, span).into())
}

/// A value that owns what it needs.
enum Value<'t> {
    Term(&'t str),
    Instance(InstKey),
    Number(NumberInterval),
    Date(DateInterval),
    Text(&'t str),
}

impl<'t> Value<'t> {
    fn as_fact(&self) -> FactValue<'t> {
        match self {
            Value::Term(name) => FactValue::Term(name),
            Value::Instance(key) => FactValue::Instance(*key),
            Value::Number(number) => FactValue::Number(number.clone()),
            Value::Date(date) => FactValue::Date(*date),
            Value::Text(text) => FactValue::Text(text),
        }
    }
}

/// A value as its dimension takes it.
fn value<'t>(builder: &mut Builder, d: DimKey, term: &'t Term) -> Result<Value<'t>, Refusal> {
    let spec = builder.spec(d);
    let dimension = spec.name.clone();
    match (&spec.kind, term) {
        (_, Term::Parameter { .. } | Term::Hole { .. }) => {
            let message = "a fact states a value, and this stands for one";
            let refusal = Diagnostic::error(Code::E203, message).label(span_of(term), "no value");
            Err(refusal.into())
        }
        (KindSpec::Entity { .. }, _) => instance(builder, term).map(Value::Instance),
        (KindSpec::Taxonomy, Term::Name(name)) if builder.has_value(d, &name.text) => {
            Ok(Value::Term(&name.text))
        }
        (KindSpec::Taxonomy, Term::Name(name)) => {
            Err(unknown_value(builder, d, &dimension, name).into())
        }
        (KindSpec::Text, Term::Name(name)) => Ok(Value::Text(&name.text)),
        (KindSpec::Number { unit }, _) => {
            let unit = unit.clone();
            number(builder, &dimension, unit.as_deref(), term).map(Value::Number)
        }
        (KindSpec::Date, _) => date(&dimension, term).map(Value::Date),
        (KindSpec::Taxonomy | KindSpec::Text, _) => {
            let message = format!("dimension \"{dimension}\" takes words, and this is none");
            let refusal = Diagnostic::error(Code::E203, message).label(span_of(term), "not a word");
            Err(refusal.help("put it in quotes if the word is meant").into())
        }
    }
}

fn unknown_value(builder: &Builder, d: DimKey, dimension: &str, name: &Name) -> Diagnostic {
    let near = names::nearest(&name.text, builder.values(d));
    let message = format!("taxonomy \"{dimension}\" has no value \"{}\"", name.text);
    let refusal = Diagnostic::error(Code::E202, message).label(name.span, "not declared");
    match near.first() {
        Some(near) => refusal.help(format!("the nearest is \"{near}\"; or declare it")),
        None => refusal.help(format!(
            "declare it, as in DIMENSION {} TAXONOMY {}",
            print_word(dimension),
            print_word(&name.text)
        )),
    }
}

fn wrong_kind(dimension: &str, takes: &str, term: &Term) -> Refusal {
    let message = format!("dimension \"{dimension}\" takes {takes}");
    Diagnostic::error(Code::E203, message)
        .label(span_of(term), "another kind")
        .into()
}

fn unreadable(error: impl std::fmt::Display, term: &Term) -> Refusal {
    Diagnostic::error(Code::E210, error.to_string())
        .label(span_of(term), "not read")
        .into()
}

fn number(
    builder: &Builder,
    dimension: &str,
    unit: Option<&str>,
    term: &Term,
) -> Result<NumberInterval, Refusal> {
    let (interval, written) = match term {
        Term::Number { text, unit, .. } => (
            NumberInterval::point(Decimal::parse(text).map_err(|e| unreadable(e, term))?),
            unit.as_ref().map(|unit| unit.text.clone()),
        ),
        // A token such as 0012 looks like a year, and is a number here.
        Term::Date { text, .. } => match Decimal::parse(text) {
            Ok(number) => (NumberInterval::point(number), None),
            Err(_) => return Err(wrong_kind(dimension, "numbers, not dates", term)),
        },
        Term::Range {
            low: Some(low),
            high: Some(high),
            ..
        } => number_range(builder, dimension, low, high)?,
        Term::Range { .. } => {
            let refusal = wrong_kind(dimension, "numbers, and a range of them has two ends", term);
            return Err(refusal);
        }
        Term::Name(name) if name.quoted => {
            let reading = number_from_text(&name.text).map_err(|e| unreadable(e, term))?;
            if let Some(why) = reading.unclear {
                return Err(unreadable(why, term));
            }
            (reading.value, reading.unit)
        }
        _ => return Err(wrong_kind(dimension, "numbers, as 5 or 5..8", term)),
    };
    let Some(from) = written else {
        return Ok(interval);
    };
    let Some(to) = unit else {
        let message = format!("dimension \"{dimension}\" has no unit, and the number has `{from}`");
        let refusal = Diagnostic::error(Code::E204, message).label(span_of(term), "with a unit");
        let help = format!("declare it as NUMBER UNIT {from}, or leave the unit out");
        return Err(refusal.help(help).into());
    };
    if from == to {
        return Ok(interval);
    }
    let converted = builder.units().convert(&interval, &from, to);
    converted.map_err(|error| {
        let help = "declare units as in UNIT km = 1000 m, or USE std.units";
        let refusal = Diagnostic::error(Code::E204, error.to_string());
        refusal
            .label(span_of(term), "in this unit")
            .help(help)
            .into()
    })
}

/// Both ends; a unit behind the upper end holds for both.
fn number_range(
    builder: &Builder,
    dimension: &str,
    low: &Term,
    high: &Term,
) -> Result<(NumberInterval, Option<String>), Refusal> {
    let written = |term: &Term| match term {
        Term::Number { unit, .. } => unit.as_ref().map(|unit| unit.text.clone()),
        _ => None,
    };
    let bare = |term: &Term| match term {
        Term::Number { text, span, .. } => Term::Number {
            text: text.clone(),
            unit: None,
            span: *span,
        },
        other => other.clone(),
    };
    let (low_unit, high_unit) = (written(low), written(high));
    if low_unit.is_some() && low_unit != high_unit {
        return Err(wrong_kind(
            dimension,
            "a range in one unit, written behind it",
            low,
        ));
    }
    let low_end = number(builder, dimension, None, &bare(low))?;
    let high_end = number(builder, dimension, None, &bare(high))?;
    let interval = NumberInterval::new(low_end.low, high_end.high);
    let interval = interval.map_err(|error| unreadable(error, low))?;
    Ok((interval, high_unit))
}

fn date(dimension: &str, term: &Term) -> Result<DateInterval, Refusal> {
    match term {
        Term::Date { text, .. }
        | Term::Number {
            text, unit: None, ..
        } => DateInterval::parse(text).map_err(|error| unreadable(error, term)),
        Term::Name(name) if name.quoted => {
            let reading = date_from_text(&name.text).map_err(|e| unreadable(e, term))?;
            match reading.unclear {
                Some(why) => Err(unreadable(why, term)),
                None => Ok(reading.value),
            }
        }
        Term::Range { low, high, .. } => {
            let first = match low {
                Some(low) => date(dimension, low)?.first,
                None => DateInterval::EARLIEST,
            };
            let last = match high {
                Some(high) => date(dimension, high)?.last,
                None => DateInterval::LATEST,
            };
            DateInterval::new(first, last).map_err(|error| unreadable(error, term))
        }
        _ => Err(wrong_kind(
            dimension,
            "dates, as 1914-12-14, 1914..1918 or \"14 December 1914\"",
            term,
        )),
    }
}

/// The words that state a fact. Without FROM they stand in the LQ text itself,
/// where the string is, or else the statement.
fn source_key(
    builder: &mut Builder,
    source: &Source,
    span: Span,
    context: &mut Context<'_>,
) -> Result<SourceKey, Refusal> {
    let (document, range, line) = match &source.from {
        Some(document) => (document.as_str(), source.at, source.line),
        None => {
            let place = place_of(context.text, &source.text, span);
            let range = source.at.unwrap_or((place.start as u64, place.end as u64));
            let line = source.line;
            let line = line.unwrap_or_else(|| context.lines.line_of(place.start));
            (context.document, Some(range), Some(line))
        }
    };
    builder
        .source(&source.text, document, range, line)
        .map_err(|error| refused(&error, span).into())
}

/// Where the words of a source stand in a statement: between its last quotes that
/// hold them, else all of the statement.
fn place_of(text: &str, words: &str, span: Span) -> Span {
    let statement = text.get(span.start..span.end).unwrap_or_default();
    let quoted = format!("\"{words}\"");
    match statement.rfind(&quoted) {
        Some(at) => {
            let start = span.start + at + 1;
            Span::new(start, start + words.len())
        }
        None => span,
    }
}

/// Where a term stands.
fn span_of(term: &Term) -> Span {
    match term {
        Term::Name(name) => name.span,
        Term::Id { span, .. }
        | Term::Named { span, .. }
        | Term::Number { span, .. }
        | Term::Date { span, .. }
        | Term::Range { span, .. }
        | Term::Parameter { span, .. }
        | Term::Hole { span, .. } => *span,
    }
}
