//! Words and literals of a query, looked up in the lattice.

use super::region::{DateRegion, NumberRegion, Region};
use super::resolve::Resolver;
use super::{Element, Literal, NO_NODE};
use crate::lattice::{
    DateInterval, Decimal, DimensionId, InstanceId, Kind, NumberInterval, date_from_text,
    number_from_text,
};
use crate::syntax::print_term;
use crate::syntax::tree::{Operator, Term};
use crate::verdict::{Ambiguity, Contrast, Reason, Unknown, Who};

/// The lower-case word for a kind.
pub(crate) fn kind_word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Taxonomy => "taxonomy",
        Kind::Entity { .. } => "entity",
        Kind::Number { .. } => "number",
        Kind::Date => "date",
        Kind::Text => "text",
    }
}

/// The text of a term that may be a name: names, and numbers and dates spelled
/// as typed. Units, ranges and ids are none.
pub(crate) fn word_of(term: &Term) -> Option<&str> {
    match term {
        Term::Name(name) => Some(&name.text),
        Term::Number {
            text, unit: None, ..
        }
        | Term::Date { text, .. } => Some(text),
        _ => None,
    }
}

impl Resolver<'_> {
    pub(super) fn problem(&mut self, reason: Reason) {
        self.problems.push(reason);
    }

    pub(super) fn mismatch(&mut self, what: &str, left: String, right: String) {
        self.problem(Reason::Mismatch(vec![Contrast {
            what: what.to_owned(),
            left,
            right,
        }]));
    }

    /// `<dimension> is <kind>`.
    pub(super) fn is_kind(&self, d: DimensionId) -> String {
        let dimension = self.lattice.dimension(d);
        format!("{} is {}", dimension.name, kind_word(&dimension.kind))
    }

    /// The instances that a term names, the first level that has any; a
    /// problem if there is none.
    pub(super) fn instances(&mut self, term: &Term) -> Option<Vec<InstanceId>> {
        let found = match term {
            Term::Id { id, .. } | Term::Named { id, .. } => {
                self.lattice.by_id(id).into_iter().collect()
            }
            _ => match word_of(term) {
                Some(word) => self.lattice.called(word).instances,
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
        let word = match term {
            Term::Id { id, .. } | Term::Named { id, .. } => format!("@{id}"),
            _ => word_of(term).map_or_else(|| print_term(term), str::to_owned),
        };
        let nearest = self.lattice.nearest_names(word.trim_start_matches('@'));
        self.problem(Reason::UnknownName(vec![Unknown {
            word,
            dimension: None,
            nearest,
        }]));
    }

    /// Notes that a word stands for several instances.
    pub(super) fn note_called(&mut self, term: &Term, instances: &[InstanceId]) {
        if let (Some(word), true) = (word_of(term), instances.len() > 1) {
            self.called.insert(word.to_owned(), instances.to_vec());
        }
    }

    /// The only instance that a term names; problems if none or several.
    pub(super) fn one_instance(&mut self, term: &Term) -> Option<InstanceId> {
        let found = self.instances(term)?;
        match found.as_slice() {
            [only] => Some(*only),
            several => {
                let readings = several.iter().map(|&i| Who::Instance(i)).collect();
                self.ambiguous(term, readings);
                None
            }
        }
    }

    pub(super) fn ambiguous(&mut self, term: &Term, mut readings: Vec<Who>) {
        readings.sort();
        let word = word_of(term).map_or_else(|| print_term(term), str::to_owned);
        self.problem(Reason::Ambiguous(vec![Ambiguity { word, readings }]));
    }

    /// The nodes of a TAXONOMY, ENTITY or TEXT dimension that a term names.
    pub(super) fn element(&mut self, d: DimensionId, term: &Term, text: &str) -> Option<Element> {
        let kind = self.lattice.dimension(d).kind.clone();
        if let Term::Number { unit: Some(_), .. } = term {
            let name = self.lattice.dimension(d).name.clone();
            self.mismatch("unit", print_term(term), format!("{name} has no unit"));
            return None;
        }
        let nodes = match kind {
            Kind::Entity { .. } => {
                let found = self.entity(d, term, text)?;
                self.note_called(term, &found);
                found.into_iter().map(|i| i.0).collect()
            }
            Kind::Taxonomy => self.taxonomy_values(d, term, text)?,
            Kind::Text => match word_of(term) {
                Some(word) => vec![match self.lattice.find_text(d, word) {
                    Some(v) => v.0,
                    None => self.unrecorded(word),
                }],
                None => return self.wrong_value(d, text),
            },
            Kind::Number { .. } | Kind::Date => return self.wrong_value(d, text),
        };
        Some(Element {
            term: term.clone(),
            nodes,
        })
    }

    /// A node in no order for a text that nothing records; the same for the
    /// same text, so that two different texts conflict.
    fn unrecorded(&mut self, word: &str) -> u32 {
        let next = NO_NODE - u32::try_from(self.unrecorded.len()).unwrap_or(0);
        *self.unrecorded.entry(word.to_owned()).or_insert(next)
    }

    fn wrong_value<T>(&mut self, d: DimensionId, text: &str) -> Option<T> {
        let right = self.is_kind(d);
        self.mismatch("value", text.to_owned(), right);
        None
    }

    /// A name in an ENTITY constraint resolves first among the dimension's
    /// own values, level by level, then among all instances.
    fn entity(&mut self, d: DimensionId, term: &Term, text: &str) -> Option<Vec<InstanceId>> {
        if matches!(term, Term::Range { .. }) {
            return self.wrong_value(d, text);
        }
        if let Some(word) = word_of(term) {
            let relation = self.lattice.positive(d);
            for level in self.lattice.called_by_level(word) {
                let among: Vec<InstanceId> = level
                    .into_iter()
                    .filter(|i| relation.holder_count(crate::lattice::ValueId(i.0)) > 0)
                    .collect();
                if !among.is_empty() {
                    return Some(among);
                }
            }
        }
        self.instances(term)
    }

    fn taxonomy_values(&mut self, d: DimensionId, term: &Term, text: &str) -> Option<Vec<u32>> {
        let Some(word) = word_of(term) else {
            return self.wrong_value(d, text);
        };
        let lattice = self.lattice;
        let taxonomy = lattice.taxonomy(d)?;
        let found: Vec<u32> = taxonomy.find(word).into_iter().map(|v| v.0).collect();
        if found.is_empty() {
            let nearest = taxonomy.nearest(word);
            self.problem(Reason::UnknownValue(vec![Unknown {
                word: word.to_owned(),
                dimension: Some(lattice.dimension(d).name.clone()),
                nearest,
            }]));
            return None;
        }
        Some(found)
    }

    /// What `operator term` denotes on a NUMBER or DATE dimension.
    pub(super) fn region(
        &mut self,
        d: DimensionId,
        operator: Operator,
        term: &Term,
        text: &str,
    ) -> Option<Region> {
        match self.lattice.dimension(d).kind.clone() {
            Kind::Number { unit } => self.number_region(d, unit.as_deref(), operator, term, text),
            Kind::Date => {
                if let Term::Range { low, high, .. } = term {
                    return self.date_range(d, operator, low.as_deref(), high.as_deref(), text);
                }
                let Some(interval) = date_of(term) else {
                    return self.wrong_value(d, text);
                };
                Some(Region::Date(DateRegion::of(operator, &interval)))
            }
            _ => self.wrong_value(d, text),
        }
    }

    fn date_range(
        &mut self,
        d: DimensionId,
        operator: Operator,
        low: Option<&Term>,
        high: Option<&Term>,
        text: &str,
    ) -> Option<Region> {
        let mut region = DateRegion {
            first: None,
            last: None,
        };
        if let Some(low) = low {
            let Some(interval) = date_of(low) else {
                return self.wrong_value(d, text);
            };
            region.first = Some(interval.first.into());
        }
        if let Some(high) = high {
            let Some(interval) = date_of(high) else {
                return self.wrong_value(d, text);
            };
            region.last = Some(interval.last.into());
        }
        let region = match (operator, region.first, region.last) {
            (Operator::Is | Operator::IsNot, ..) => region,
            (Operator::AtMost, _, Some(_)) => DateRegion {
                first: None,
                ..region
            },
            (Operator::Less, Some(first), _) => DateRegion {
                first: None,
                last: Some(first - 1),
            },
            (Operator::AtLeast, Some(_), _) => DateRegion {
                last: None,
                ..region
            },
            (Operator::Greater, _, Some(last)) => DateRegion {
                first: Some(last + 1),
                last: None,
            },
            _ => return self.wrong_value(d, text),
        };
        Some(Region::Date(region))
    }

    fn number_region(
        &mut self,
        d: DimensionId,
        unit: Option<&str>,
        operator: Operator,
        term: &Term,
        text: &str,
    ) -> Option<Region> {
        let factor = unit
            .and_then(|unit| self.lattice.units().to_base(&Decimal::one(), unit))
            .map(|(factor, _)| factor)
            .filter(|factor| *factor != Decimal::one());
        if let Term::Range { low, high, .. } = term {
            let mut region = NumberRegion {
                low: None,
                high: None,
                factor: factor.clone(),
            };
            if let Some(low) = low {
                let interval = self.number(d, unit, &factor, low, text)?;
                region.low = Some((interval.low, true));
            }
            if let Some(high) = high {
                let interval = self.number(d, unit, &factor, high, text)?;
                region.high = Some((interval.high, true));
            }
            let open = |end: super::region::End| end.map(|(at, _)| (at, false));
            match (operator, &region.low, &region.high) {
                (Operator::Is | Operator::IsNot, ..) => {}
                (Operator::AtMost, _, Some(_)) => region.low = None,
                (Operator::AtLeast, Some(_), _) => region.high = None,
                (Operator::Less, Some(_), _) => region.high = open(region.low.take()),
                (Operator::Greater, _, Some(_)) => region.low = open(region.high.take()),
                _ => return self.wrong_value(d, text),
            }
            return Some(Region::Number(region));
        }
        let interval = self.number(d, unit, &factor, term, text)?;
        Some(Region::Number(NumberRegion::of(
            operator, &interval, factor,
        )))
    }

    /// A number in the base unit of a dimension.
    fn number(
        &mut self,
        d: DimensionId,
        unit: Option<&str>,
        factor: &Option<Decimal>,
        term: &Term,
        text: &str,
    ) -> Option<NumberInterval> {
        let read = match term {
            Term::Number { text, unit, .. } => Decimal::parse(text).ok().map(|n| {
                (
                    NumberInterval::point(n),
                    unit.as_ref().map(|u| u.text.clone()),
                )
            }),
            Term::Name(name) => number_from_text(&name.text)
                .ok()
                .filter(|reading| reading.unclear.is_none())
                .map(|reading| (reading.value, reading.unit)),
            _ => None,
        };
        let Some((interval, written)) = read else {
            return self.wrong_value(d, text);
        };
        let factor = match &written {
            None => factor.clone(),
            Some(word) => {
                let units = self.lattice.units();
                let fits = unit.is_some_and(|unit| units.same_quantity(word, unit));
                let Some((factor, _)) = units.to_base(&Decimal::one(), word).filter(|_| fits)
                else {
                    let name = self.lattice.dimension(d).name.clone();
                    let right = match unit {
                        Some(unit) => format!("{name} is in {unit}"),
                        None => format!("{name} has no unit"),
                    };
                    self.mismatch("unit", print_term(term), right);
                    return None;
                };
                Some(factor)
            }
        };
        match factor {
            None => Some(interval),
            Some(factor) => {
                match (
                    interval.low.checked_mul(&factor),
                    interval.high.checked_mul(&factor),
                ) {
                    (Some(low), Some(high)) => Some(NumberInterval { low, high }),
                    _ => self.wrong_value(d, text),
                }
            }
        }
    }

    /// A term as a value of the dimension that a COMPARE goes along, without a
    /// word of complaint if it is none. ENTITY values are instances and looked
    /// up as such.
    pub(super) fn value_of(&mut self, d: DimensionId, term: &Term) -> Option<Literal> {
        let silent = self.problems.len();
        let literal = match self.lattice.dimension(d).kind {
            Kind::Entity { .. } => None,
            Kind::Text => word_of(term)
                .and_then(|word| self.lattice.find_text(d, word))
                .map(|v| Literal::Node(v.0)),
            Kind::Taxonomy => match self.taxonomy_values(d, term, "").as_deref() {
                Some([only]) => Some(Literal::Node(*only)),
                _ => None,
            },
            Kind::Number { .. } | Kind::Date => {
                self.region(d, Operator::Is, term, "").map(Literal::Region)
            }
        };
        self.problems.truncate(silent);
        literal
    }
}

/// A date token, a year of four digits, or quoted date words that have one
/// clear reading.
fn date_of(term: &Term) -> Option<DateInterval> {
    match term {
        Term::Date { text, .. } => DateInterval::parse(text).ok(),
        Term::Number {
            text, unit: None, ..
        } if is_year(text) => DateInterval::parse(text).ok(),
        Term::Name(name) => DateInterval::parse(&name.text).ok().or_else(|| {
            date_from_text(&name.text)
                .ok()
                .filter(|reading| reading.unclear.is_none())
                .map(|reading| reading.value)
        }),
        _ => None,
    }
}

/// Four digits, with a minus before them for years before 1 BC.
fn is_year(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit())
}
