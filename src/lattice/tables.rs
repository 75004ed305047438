//! The values of each dimension, and the catalogue, as bytes.
#![deny(clippy::indexing_slicing)]

use super::pack::{Packer, Strings, Unpacker, are_offsets};
use super::relation::row_of;
use super::snapshot::Counts;
use super::{DateInterval, Decimal, Dimension, Kind, NumberInterval, Taxonomy, Units};
use crate::order::Dag;
use serde::{Deserialize, Serialize};

/// A taxonomy as it is written: sorted names, sorted synonyms of each, edges.
#[derive(Default)]
pub(super) struct Terms<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) synonyms: Vec<Vec<&'a str>>,
    /// Upper and lower, ascending.
    pub(super) edges: Vec<(u32, u32)>,
}

impl Terms<'_> {
    pub(super) fn pack(&self) -> Option<Vec<u8>> {
        let mut offsets = vec![0u32];
        let mut total = 0u32;
        for words in &self.synonyms {
            total = total.checked_add(u32::try_from(words.len()).ok()?)?;
            offsets.push(total);
        }
        let upper: Vec<u32> = self.edges.iter().map(|(upper, _)| *upper).collect();
        let lower: Vec<u32> = self.edges.iter().map(|(_, lower)| *lower).collect();
        let mut packer = Packer::default();
        packer.strings(self.names.iter().copied())?;
        packer.array(&offsets);
        packer.strings(self.synonyms.iter().flatten().copied())?;
        packer.array(&upper).array(&lower);
        Some(packer.finish())
    }
}

/// The taxonomy in a section; `None` if it is not what [`Terms::pack`] writes.
pub(super) fn taxonomy(section: &[u8]) -> Option<Taxonomy> {
    let mut unpacker = Unpacker::of_bytes(section);
    let names = unpacker.strings()?;
    let offsets: &[u32] = unpacker.slice()?;
    let words = unpacker.strings()?;
    let (upper, lower): (&[u32], &[u32]) = (unpacker.slice()?, unpacker.slice()?);
    let count = names.len();
    let below = |nodes: &[u32]| nodes.iter().all(|&node| (node as usize) < count);
    let sound = unpacker.is_done()
        && names.is_sorted_set()
        && words.is_sound()
        && offsets.len() == count + 1
        && are_offsets(offsets, words.len())
        && upper.len() == lower.len()
        && below(upper)
        && below(lower);
    if !sound {
        return None;
    }
    let places: Vec<u32> = (0..words.len() as u32).collect();
    let synonyms = (0..count)
        .map(|v| {
            let of = row_of(offsets, &places, v);
            of.iter()
                .map(|&at| words.get(at as usize).to_owned())
                .collect()
        })
        .collect();
    let edges: Vec<(u32, u32)> = upper.iter().copied().zip(lower.iter().copied()).collect();
    let dag = Dag::new(u32::try_from(count).ok()?, &edges).ok()?;
    Some(Taxonomy::new(
        names.iter().map(str::to_owned).collect(),
        synonyms,
        dag,
    ))
}

/// The section of a NUMBER dimension's values, ascending.
pub(super) fn pack_numbers(numbers: &[NumberInterval]) -> Option<Vec<u8>> {
    let texts: Vec<String> = numbers.iter().map(NumberInterval::to_string).collect();
    pack_texts(texts.iter().map(String::as_str))
}

pub(super) fn numbers(section: &[u8]) -> Option<Vec<NumberInterval>> {
    let texts = texts(section).filter(Strings::is_sound)?;
    let numbers: Option<Vec<NumberInterval>> = texts
        .iter()
        .map(|text| NumberInterval::parse(text).ok())
        .collect();
    numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b))
}

/// The section of a DATE dimension's values, ascending.
pub(super) fn pack_dates(dates: &[DateInterval]) -> Vec<u8> {
    let days: Vec<i32> = dates
        .iter()
        .flat_map(|date| [date.first, date.last])
        .collect();
    let mut packer = Packer::default();
    packer.array(&days);
    packer.finish()
}

pub(super) fn dates(section: &[u8]) -> Option<Vec<DateInterval>> {
    let mut unpacker = Unpacker::of_bytes(section);
    let days: &[i32] = unpacker.slice()?;
    let (pairs, []) = days.as_chunks::<2>() else {
        return None;
    };
    let dates: Option<Vec<DateInterval>> = pairs
        .iter()
        .map(|&[first, last]| DateInterval::new(first, last).ok())
        .collect();
    dates.filter(|dates| unpacker.is_done() && dates.is_sorted_by(|a, b| a < b))
}

/// The section of strings.
pub(super) fn pack_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    let mut packer = Packer::default();
    packer.strings(texts)?;
    Some(packer.finish())
}

pub(super) fn texts(section: &[u8]) -> Option<Strings<'_>> {
    let mut unpacker = Unpacker::of_bytes(section);
    let strings = unpacker.strings()?;
    unpacker.is_done().then_some(strings)
}

/// What is read when a lattice is opened.
pub(super) struct Catalogue {
    pub(super) counts: Counts,
    pub(super) dimensions: Vec<Dimension>,
    pub(super) stated: Vec<Stated>,
    pub(super) units: Units,
}

/// What was said of a dimension and what was only concluded, so that a later
/// declaration is judged as if it had come with the others.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Stated {
    /// Whether it was declared, rather than named as an inverse.
    pub(super) dimension: bool,
    /// Whether ONE or MANY was said.
    pub(super) multiplicity: bool,
}

#[derive(Serialize, Deserialize)]
struct Written {
    counts: Counts,
    dimensions: Vec<Dimension>,
    stated: Vec<Stated>,
    /// Name, factor and base.
    units: Vec<(String, String, String)>,
}

impl Catalogue {
    pub(super) fn pack(self) -> Option<Vec<u8>> {
        let units = self.units.iter();
        let written = Written {
            counts: self.counts,
            units: units
                .map(|(name, factor, base)| (name.into(), factor.to_string(), base.into()))
                .collect(),
            dimensions: self.dimensions,
            stated: self.stated,
        };
        serde_json::to_vec(&written).ok()
    }

    pub(super) fn unpack(section: &[u8]) -> Option<Catalogue> {
        let written: Written = serde_json::from_slice(section).ok()?;
        let mut units = Units::new();
        for (name, factor, base) in &written.units {
            units
                .define(name, Decimal::parse(factor).ok()?, base)
                .ok()?;
        }
        let catalogue = Catalogue {
            counts: written.counts,
            dimensions: written.dimensions,
            stated: written.stated,
            units,
        };
        catalogue.is_sound().then_some(catalogue)
    }

    fn is_sound(&self) -> bool {
        let dimensions = &self.dimensions;
        let relation =
            |d: super::DimensionId| dimensions.get(d.index()).is_some_and(Dimension::is_entity);
        dimensions.is_sorted_by(|a, b| a.name < b.name)
            && dimensions.len() <= usize::from(u16::MAX)
            && self.stated.len() == dimensions.len()
            && dimensions.iter().all(|dimension| {
                let back =
                    |e: super::DimensionId| dimensions.get(e.index()).and_then(|e| e.inverse);
                dimension.within().is_none_or(relation)
                    && dimension.inverse.is_none_or(|e| {
                        dimension.is_entity()
                            && back(e)
                                .and_then(|d| dimensions.get(d.index()))
                                .is_some_and(|d| d.name == dimension.name)
                    })
                    && match &dimension.kind {
                        Kind::Number { unit: Some(unit) } => self.units.knows(unit),
                        _ => true,
                    }
            })
    }
}
