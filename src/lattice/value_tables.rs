//! The values of each dimension in canonical order, and the ranks of their keys.

use super::builder::Builder;
use super::evidence::too_long;
use super::fact_store::FactView;
use super::format::{Part, Writer};
use super::intern::{NONE, StringKey};
use super::merge::Order;
use super::ranks::Ranks;
use super::resolve::Resolved;
use super::tables::{self, Terms};
use super::{BuildError, DateInterval, Kind, NumberInterval};
use hashbrown::HashMap;
use std::io;

/// The values of each dimension in canonical order, and the ranks of their keys.
pub(super) struct Values<'a> {
    pub(super) tables: Vec<Table<'a>>,
    /// By dimension; none for ENTITY.
    translations: Vec<Option<Translation>>,
}

pub(super) enum Table<'a> {
    Terms(Terms<'a>),
    Entities,
    Numbers(Vec<NumberInterval>),
    Dates(Vec<DateInterval>),
    Texts(Vec<&'a str>),
}

impl Table<'_> {
    fn len(&self) -> usize {
        match self {
            Table::Terms(terms) => terms.names.len(),
            Table::Entities => 0,
            Table::Numbers(numbers) => numbers.len(),
            Table::Dates(dates) => dates.len(),
            Table::Texts(texts) => texts.len(),
        }
    }
}

/// The ranks of keys.
pub(super) enum Translation {
    /// The first key, and the ranks from it on.
    Dense(u32, Vec<u32>),
    /// Where keys lie far apart.
    Sparse(HashMap<u32, u32>),
}

impl Translation {
    /// From keys, which come once each, with their ranks.
    fn of(pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Translation {
        let count = pairs.clone().count();
        let keys = || pairs.clone().map(|(key, _)| key);
        let first = keys().min().unwrap_or(0);
        let span = (keys().max().unwrap_or(0) - first) as usize + 1;
        if span > 4 * count + 1024 {
            return Translation::Sparse(pairs.collect());
        }
        let mut ranks = vec![NONE; span];
        for (key, rank) in pairs {
            if let Some(slot) = ranks.get_mut((key - first) as usize) {
                *slot = rank;
            }
        }
        Translation::Dense(first, ranks)
    }

    pub(super) fn get(&self, key: u32) -> Option<u32> {
        match self {
            Translation::Sparse(ranks) => ranks.get(&key).copied(),
            Translation::Dense(first, ranks) => {
                let at = key.checked_sub(*first)?;
                let rank = ranks.get(at as usize).copied();
                rank.filter(|&rank| rank != NONE)
            }
        }
    }
}

impl<'a> Values<'a> {
    pub(super) fn of(
        builder: &'a Builder,
        facts: &FactView,
        resolved: &Resolved,
        orders: Vec<Option<Order<'a>>>,
        ranks: &Ranks,
    ) -> io::Result<Values<'a>> {
        let mut values = Values {
            tables: Vec::with_capacity(orders.len()),
            translations: Vec::with_capacity(orders.len()),
        };
        for ((d, dimension), order) in (0..).zip(&resolved.dimensions).zip(orders) {
            let (table, translation) = match (order, &dimension.kind) {
                (Some(order), _) => {
                    let pairs = order.values.iter().map(|(&term, &value)| (term, value));
                    let translation = Translation::of(pairs);
                    let terms = Terms {
                        names: order.names,
                        synonyms: order.synonyms,
                        edges: order.edges,
                    };
                    (Table::Terms(terms), Some(translation))
                }
                (None, Kind::Entity { .. } | Kind::Taxonomy) => (Table::Entities, None),
                (None, kind) => {
                    let mut keys = used_keys(builder, facts, resolved.key(d), kind, ranks)?;
                    let table = table_of(builder, kind, &mut keys);
                    let pairs = keys.iter().copied().zip(0u32..);
                    (table, Some(Translation::of(pairs)))
                }
            };
            values.tables.push(table);
            values.translations.push(translation);
        }
        Ok(values)
    }

    /// The ranks of a dimension's keys; none for ENTITY.
    pub(super) fn translation(&self, d: usize) -> Option<&Translation> {
        self.translations.get(d)?.as_ref()
    }

    /// The number of values in all.
    pub(super) fn count(&self) -> u64 {
        self.tables.iter().map(|table| table.len() as u64).sum()
    }

    pub(super) fn write(&self, writer: &mut Writer) -> Result<(), BuildError> {
        let long = || too_long("bytes of values");
        for part in [Part::Terms, Part::Numbers, Part::Dates, Part::Texts] {
            for (d, table) in (0u32..).zip(&self.tables) {
                let section = match (part, table) {
                    (Part::Terms, Table::Terms(terms)) => terms.pack().ok_or_else(long)?,
                    (Part::Numbers, Table::Numbers(numbers)) => {
                        tables::pack_numbers(numbers).ok_or_else(long)?
                    }
                    (Part::Dates, Table::Dates(dates)) => tables::pack_dates(dates),
                    (Part::Texts, Table::Texts(texts)) => {
                        tables::pack_texts(texts.iter().copied()).ok_or_else(long)?
                    }
                    _ => continue,
                };
                writer.section(part, d, &section);
            }
        }
        Ok(())
    }
}

/// The keys of the values that some instance has, ascending.
fn used_keys(
    builder: &Builder,
    facts: &FactView,
    dimension: Option<u16>,
    kind: &Kind,
    ranks: &Ranks,
) -> io::Result<Vec<u32>> {
    let count = match kind {
        Kind::Number { .. } => builder.numbers.len(),
        Kind::Date => builder.dates.len(),
        _ => builder.strings.len(),
    };
    let mut used = vec![0u64; count.div_ceil(64)];
    if dimension.is_some() {
        facts.each(dimension, |columns| {
            for (&subject, &value) in columns.subjects().iter().zip(columns.values()) {
                let word = used.get_mut(value as usize / 64);
                if let Some(word) = word.filter(|_| ranks.instance(subject) != NONE) {
                    *word |= 1 << (value % 64);
                }
            }
        })?;
    }
    let bits = |(at, &word): (u32, &u64)| {
        let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
        bits.map(move |bit| 64 * at + bit)
    };
    Ok((0u32..).zip(&used).flat_map(bits).collect())
}

/// The values of these keys, and the keys, in canonical order.
fn table_of<'a>(builder: &'a Builder, kind: &Kind, keys: &mut [u32]) -> Table<'a> {
    match kind {
        Kind::Number { .. } => {
            let number = |key: &u32| builder.numbers.get(*key as usize);
            keys.sort_by_key(number);
            Table::Numbers(keys.iter().filter_map(number).cloned().collect())
        }
        Kind::Date => {
            let date = |key: &u32| builder.dates.get(*key as usize);
            keys.sort_by_key(date);
            Table::Dates(keys.iter().filter_map(date).copied().collect())
        }
        _ => {
            let text = |key: &u32| builder.strings.get(StringKey(*key));
            keys.sort_by_key(text);
            Table::Texts(keys.iter().map(text).collect())
        }
    }
}
