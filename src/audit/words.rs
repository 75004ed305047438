//! Words and literals, looked up: instances, values, numbers and dates.

use super::facts::{Column, factor_of, in_base};
use super::query::{Element, Literal, NOWHERE};
use super::resolve::{Resolver, is_kind};
use super::spans::{Region, Span};
use crate::lattice::{
    DateInterval, Decimal, DimensionId, Kind, Lattice, NumberInterval, ValueId, date_from_text,
    number_from_text,
};
use crate::syntax::print_term;
use crate::syntax::tree::{self, Operator, Term};
use crate::verdict::{Reason, Unknown};

/// The word that a term spells; none for ids, ranges and numbers with a unit.
pub(super) fn spelled(term: &Term) -> Option<&str> {
    match term {
        Term::Name(name) => Some(&name.text),
        Term::Number {
            text, unit: None, ..
        }
        | Term::Date { text, .. } => Some(text),
        _ => None,
    }
}

/// The word of a term for a person.
pub(super) fn word(term: &Term) -> String {
    match term {
        Term::Id { id, .. } | Term::Named { id, .. } => format!("@{id}"),
        _ => spelled(term).map_or_else(|| print_term(term), str::to_owned),
    }
}

/// `@id` of an instance.
pub(super) fn id_term(lattice: &Lattice, instance: u32) -> Term {
    Term::Id {
        id: lattice.id(crate::lattice::InstanceId(instance)).to_owned(),
        span: tree::Span::default(),
    }
}

/// The name of a taxonomy's value as a term.
fn value_term(column: &Column, lattice: &Lattice, d: DimensionId, value: u32) -> Option<Term> {
    debug_assert!(matches!(column.kind, Kind::Taxonomy));
    let name = lattice.taxonomy(d)?.name(ValueId(value)).to_owned();
    Some(Term::Name(tree::Name {
        text: name,
        quoted: false,
        span: tree::Span::default(),
    }))
}

impl Resolver<'_> {
    /// The instances that a term names, ascending.
    pub(super) fn instances(&mut self, term: &Term) -> Option<Vec<u32>> {
        let found: Vec<u32> = match term {
            Term::Id { id, .. } | Term::Named { id, .. } => {
                self.lattice.by_id(id).into_iter().map(|i| i.0).collect()
            }
            _ => match spelled(term) {
                Some(word) => {
                    let called = self.lattice.called(word);
                    called.instances.into_iter().map(|i| i.0).collect()
                }
                None => Vec::new(),
            },
        };
        if found.is_empty() {
            self.unknown_name(term);
            return None;
        }
        Some(found)
    }

    pub(super) fn unknown_name(&mut self, term: &Term) {
        let word = word(term);
        let nearest = self.lattice.nearest_names(word.trim_start_matches('@'));
        self.problem(Reason::UnknownName(vec![Unknown {
            word,
            dimension: None,
            nearest,
        }]));
    }

    /// The instances called so, each an element; noted if there are several.
    pub(super) fn called(&mut self, term: &Term) -> Option<Vec<Element>> {
        let found = self.instances(term)?;
        Some(self.as_elements(term, found))
    }

    fn as_elements(&mut self, term: &Term, found: Vec<u32>) -> Vec<Element> {
        if let Some(word) = spelled(term) {
            self.note(word, &found);
        }
        let several = found.len() > 1;
        let elements = found.into_iter().map(|i| Element {
            literal: Literal::Node(i),
            term: match several {
                true => id_term(self.lattice, i),
                false => term.clone(),
            },
            shared: several.then(|| term.clone()),
        });
        elements.collect()
    }

    /// What a term names on a TAXONOMY, ENTITY or TEXT dimension.
    pub(super) fn nodes(
        &mut self,
        d: DimensionId,
        term: &Term,
        text: &str,
    ) -> Option<Vec<Element>> {
        let column = self.column(d)?;
        if let Term::Number { unit: Some(_), .. } = term {
            let right = format!("{} has no unit", column.name);
            self.mismatch("unit", print_term(term), right);
            return None;
        }
        let named = matches!(term, Term::Id { .. } | Term::Named { .. });
        match (&column.kind, spelled(term)) {
            (Kind::Entity { .. }, None) if named => self.called(term),
            (Kind::Entity { .. }, Some(word)) => self.entity(column, term, word),
            (Kind::Taxonomy, Some(word)) => self.taxonomy_values(d, column, term, word),
            (Kind::Text, Some(word)) => {
                let node = match self.lattice.find_text(d, word) {
                    Some(value) => value.0,
                    None => self.unrecorded(word),
                };
                Some(vec![Element {
                    literal: Literal::Node(node),
                    term: term.clone(),
                    shared: None,
                }])
            }
            _ => self.wrong_value(column, text),
        }
    }

    /// A number for a text that no instance records.
    fn unrecorded(&mut self, text: &str) -> u32 {
        let known = self.unrecorded.iter().position(|known| known == text);
        let place = known.unwrap_or_else(|| {
            self.unrecorded.push(text.to_owned());
            self.unrecorded.len() - 1
        });
        NOWHERE.saturating_sub(u32::try_from(place).unwrap_or(u32::MAX))
    }

    fn wrong_value<T>(&mut self, column: &Column, text: &str) -> Option<T> {
        self.mismatch("value", text.to_owned(), is_kind(column));
        None
    }

    /// A name resolves first among the values of the dimension, level by level;
    /// then among all instances.
    fn entity(&mut self, column: &Column, term: &Term, word: &str) -> Option<Vec<Element>> {
        for level in super::names::levels(self.lattice, word) {
            let found: Vec<u32> = level
                .into_iter()
                .filter(|i| column.recorded.contains(i))
                .collect();
            if !found.is_empty() {
                return Some(self.as_elements(term, found));
            }
        }
        self.called(term)
    }

    fn taxonomy_values(
        &mut self,
        d: DimensionId,
        column: &Column,
        term: &Term,
        word: &str,
    ) -> Option<Vec<Element>> {
        let taxonomy = self.lattice.taxonomy(d)?;
        let found = taxonomy.find(word);
        if found.is_empty() {
            let nearest = taxonomy.nearest(word);
            self.problem(Reason::UnknownValue(vec![Unknown {
                word: word.to_owned(),
                dimension: Some(column.name.clone()),
                nearest,
            }]));
            return None;
        }
        let several = found.len() > 1;
        let lattice = self.lattice;
        let elements = found.into_iter().map(|v| Element {
            literal: Literal::Node(v.0),
            term: match several {
                true => value_term(column, lattice, d, v.0).unwrap_or_else(|| term.clone()),
                false => term.clone(),
            },
            shared: several.then(|| term.clone()),
        });
        Some(elements.collect())
    }

    /// What `operator term` denotes on a NUMBER or DATE dimension.
    pub(super) fn bound(
        &mut self,
        d: DimensionId,
        operator: Operator,
        term: &Term,
        text: &str,
    ) -> Option<Region> {
        let column = self.column(d)?;
        let span = match term {
            Term::Range {
                low: Some(low),
                high: Some(high),
                ..
            } => {
                let low = self.point(column, low, text);
                let high = self.point(column, high, text);
                let (low, high) = (low?.low, high?.high);
                if low > high {
                    return self.wrong_value(column, text);
                }
                Span { low, high }
            }
            term => self.point(column, term, text)?,
        };
        Some(Region::of(operator, &span, column.kind == Kind::Date))
    }

    /// The points of a value or a range.
    pub(super) fn range(&mut self, d: DimensionId, term: &Term, text: &str) -> Option<Region> {
        let column = self.column(d)?;
        let Term::Range { low, high, .. } = term else {
            return self
                .point(column, term, text)
                .map(|span| Region::of_span(&span));
        };
        let mut end = |end: &Option<Box<Term>>| match end {
            None => Some(None),
            Some(term) => self.point(column, term, text).map(Some),
        };
        let (low, high) = (end(low), end(high));
        Some(Region::between(low?.as_ref(), high?.as_ref()))
    }

    /// A number or date as an interval, in the base unit.
    pub(super) fn point(&mut self, column: &Column, term: &Term, text: &str) -> Option<Span> {
        let Kind::Number { unit } = &column.kind else {
            let date = date(term).filter(|_| column.kind == Kind::Date);
            return match date {
                Some(date) => Some(Span::of_date(&date)),
                None => self.wrong_value(column, text),
            };
        };
        let Some((number, written)) = number(term) else {
            return self.wrong_value(column, text);
        };
        let number = Span::of_number(&number);
        let Some(written) = written else {
            return Some(in_base(&number, column.factor.as_ref()));
        };
        let units = self.lattice.units();
        let fits = unit
            .as_deref()
            .is_some_and(|unit| units.same_quantity(&written, unit));
        if !fits {
            let right = match unit {
                Some(unit) => format!("{} is in {unit}", column.name),
                None => format!("{} has no unit", column.name),
            };
            self.mismatch("unit", print_term(term), right);
            return None;
        }
        let factor = factor_of(self.lattice, &written);
        Some(in_base(&number, factor.as_ref()))
    }
}

/// A number token, or quoted words that read as one number clearly.
fn number(term: &Term) -> Option<(NumberInterval, Option<String>)> {
    match term {
        Term::Number { text, unit, .. } => {
            let number = NumberInterval::point(Decimal::parse(text).ok()?);
            Some((number, unit.as_ref().map(|unit| unit.text.clone())))
        }
        Term::Name(name) => {
            let reading = number_from_text(&name.text).ok()?;
            match reading.unclear {
                None => Some((reading.value, reading.unit)),
                Some(_) => None,
            }
        }
        _ => None,
    }
}

/// A date token, a year of four digits, or quoted words that read as one date
/// clearly.
fn date(term: &Term) -> Option<DateInterval> {
    match term {
        Term::Date { text, .. } => DateInterval::parse(text).ok(),
        Term::Number {
            text, unit: None, ..
        } if is_year(text) => DateInterval::parse(text).ok(),
        Term::Name(name) => match DateInterval::parse(&name.text) {
            Ok(date) => Some(date),
            Err(_) => {
                let reading = date_from_text(&name.text).ok()?;
                reading.unclear.is_none().then_some(reading.value)
            }
        },
        _ => None,
    }
}

/// Four digits, with a minus before them for years before 1 BC.
fn is_year(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())
}
