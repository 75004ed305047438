//! Instances and sources in canonical order.

use super::BuildError;
use super::builder::Builder;
use super::defect::Fault;
use super::fact_store::FactView;
use super::intern::{NONE, StringKey};
use super::names::MOST_INSTANCES;
use super::sources::Source;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::io;

/// Instances in canonical order.
pub(super) struct Instances {
    /// Keys by rank.
    pub(super) keys: Vec<u32>,
    /// Ranks by key.
    ranks: Vec<u32>,
}

/// The first bytes of a text, as a number of the same order.
fn prefix(text: &str) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text.as_bytes()) {
        *to = *from;
    }
    u64::from_be_bytes(bytes)
}

impl Instances {
    /// From the instance that each key is in the end.
    pub(super) fn of(builder: &Builder, homes: Vec<u32>) -> Result<Instances, BuildError> {
        // Most names differ in their first bytes, which lie beside one another here.
        let mut all: Vec<(u64, u32)> = (0u32..)
            .zip(&builder.instances)
            .zip(&homes)
            .filter(|((key, inst), home)| inst.alive && key == *home)
            .map(|((key, inst), _)| (prefix(builder.strings.get(inst.name)), key))
            .collect();
        if all.len() > MOST_INSTANCES {
            return Err(BuildError::TooMany {
                what: "instances",
                found: all.len() as u64,
                limit: MOST_INSTANCES as u64,
            });
        }
        all.par_sort_unstable_by(|a, b| {
            let whole = || builder.name_and_id(a.1).cmp(&builder.name_and_id(b.1));
            a.0.cmp(&b.0).then_with(whole)
        });
        let keys: Vec<u32> = all.into_iter().map(|(_, key)| key).collect();
        let own = inverted(&keys, builder.instances.len());
        let mut ranks = homes;
        for rank in &mut ranks {
            *rank = own.get(*rank as usize).copied().unwrap_or(NONE);
        }
        Ok(Instances { ranks, keys })
    }

    /// The key of the instance that a key is in the end.
    pub(super) fn home(&self, key: u32) -> Option<u32> {
        let rank = *self.ranks.get(key as usize)?;
        self.keys.get(rank as usize).copied()
    }
}

/// Instances and sources in canonical order.
pub(super) struct Ranks {
    /// Keys by rank.
    pub(super) instances: Vec<u32>,
    /// Ranks by key.
    instance_ranks: Vec<u32>,
    /// Keys by rank; of several keys of one source the least.
    pub(super) sources: Vec<u32>,
    source_ranks: Vec<u32>,
    /// The documents that have some source, by name.
    pub(super) documents: Vec<StringKey>,
}

impl Ranks {
    pub(super) fn of(
        builder: &Builder,
        facts: &FactView,
        instances: Instances,
        faults: &[Vec<(Fault, u32)>],
    ) -> io::Result<Ranks> {
        let used = used_sources(builder, facts, faults)?;
        let sorted = SortedSources::of(builder, &used)?;
        Ok(Ranks {
            instance_ranks: instances.ranks,
            instances: instances.keys,
            source_ranks: sorted.ranks,
            sources: sorted.keys,
            documents: sorted.documents,
        })
    }

    pub(super) fn instance(&self, key: u32) -> u32 {
        self.instance_ranks
            .get(key as usize)
            .copied()
            .unwrap_or(NONE)
    }

    /// Gives back the memory for finding ranks by keys.
    pub(super) fn without_keys(self) -> Ranks {
        Ranks {
            instance_ranks: Vec::new(),
            source_ranks: Vec::new(),
            ..self
        }
    }

    pub(super) fn source(&self, key: u32) -> u32 {
        self.source_ranks.get(key as usize).copied().unwrap_or(NONE)
    }
}

/// The place of each of `0..count` in a list.
fn inverted(list: &[u32], count: usize) -> Vec<u32> {
    let mut places = vec![NONE; count];
    for (place, &key) in (0u32..).zip(list) {
        if let Some(slot) = places.get_mut(key as usize) {
            *slot = place;
        }
    }
    places
}

/// By key, whether some fact or fault has the source.
fn used_sources(
    builder: &Builder,
    facts: &FactView,
    faults: &[Vec<(Fault, u32)>],
) -> io::Result<Vec<bool>> {
    let mut used = vec![false; builder.sources.len()];
    let mut mark = |source: u32| {
        if let Some(slot) = used.get_mut(source as usize) {
            *slot = true;
        }
    };
    facts.each(None, |columns| {
        columns.sources().iter().for_each(|&source| mark(source));
    })?;
    let shown = faults.iter().flatten().map(|(_, source)| *source);
    shown.for_each(mark);
    Ok(used)
}

/// Used sources in canonical order, equal ones as one.
struct SortedSources {
    keys: Vec<u32>,
    ranks: Vec<u32>,
    documents: Vec<StringKey>,
}

/// Where a source stands in its document.
type Place = (Option<(u64, u64)>, Option<u64>);

/// The sources of a document.
struct OfDocument {
    keys: Vec<u32>,
    last: Option<Place>,
    /// Whether each stands behind the one before it.
    ascends: bool,
}

impl Default for OfDocument {
    fn default() -> OfDocument {
        OfDocument {
            keys: Vec::new(),
            last: None,
            ascends: true,
        }
    }
}

impl OfDocument {
    fn add(&mut self, key: u32, place: Place) {
        self.ascends &= self.last.is_none_or(|last| last < place);
        self.last = Some(place);
        self.keys.push(key);
    }
}

impl SortedSources {
    fn of(builder: &Builder, used: &[bool]) -> io::Result<SortedSources> {
        let mut sorted = SortedSources {
            keys: Vec::new(),
            ranks: vec![NONE; used.len()],
            documents: Vec::new(),
        };
        let documents = SortedSources::by_document(builder, used)?;
        for (document, of) in documents {
            sorted.documents.push(document);
            match of.ascends {
                true => sorted.add_all(of.keys),
                false => sorted.add_document(builder, of.keys)?,
            }
        }
        Ok(sorted)
    }

    /// The keys of each document, ascending; the documents by name.
    fn by_document(builder: &Builder, used: &[bool]) -> io::Result<Vec<(StringKey, OfDocument)>> {
        let mut documents: HashMap<StringKey, OfDocument> = HashMap::new();
        let mut latest: Option<(StringKey, OfDocument)> = None;
        let mut reader = builder.sources.reader();
        for (key, _) in (0u32..).zip(used).filter(|(_, used)| **used) {
            let Some(source) = reader.get(key)? else {
                continue;
            };
            if latest.as_ref().map(|(document, _)| *document) != Some(source.document) {
                let of = documents.remove(&source.document).unwrap_or_default();
                documents.extend(latest.replace((source.document, of)));
            }
            if let Some((_, of)) = &mut latest {
                of.add(key, (source.range, source.line));
            }
        }
        documents.extend(latest);
        let mut documents: Vec<(StringKey, OfDocument)> = documents.into_iter().collect();
        documents.sort_unstable_by_key(|(document, _)| builder.strings.get(*document));
        Ok(documents)
    }

    /// Adds the sources of a document, which are in order and distinct.
    fn add_all(&mut self, keys: Vec<u32>) {
        let first = self.keys.len() as u32;
        for (rank, &key) in (first..).zip(&keys) {
            if let Some(slot) = self.ranks.get_mut(key as usize) {
                *slot = rank;
            }
        }
        match self.keys.is_empty() {
            true => self.keys = keys,
            false => self.keys.extend(keys),
        }
    }

    fn add_document(&mut self, builder: &Builder, keys: Vec<u32>) -> io::Result<()> {
        // As a file is read its sources come in order.
        let keys = match in_order(builder, &keys)? {
            true => keys,
            false => ordered(builder, &keys)?,
        };
        let mut reader = builder.sources.reader();
        let mut before: Option<(Place, String)> = None;
        for key in keys {
            let Some(source) = reader.get(key)? else {
                continue;
            };
            let place = (source.range, source.line);
            let same = before
                .as_ref()
                .is_some_and(|(at, text)| *at == place && text == source.text);
            if !same {
                self.keys.push(key);
                let (at, text) = before.get_or_insert_with(|| (place, String::new()));
                *at = place;
                text.clear();
                text.push_str(source.text);
            }
            if let Some(slot) = self.ranks.get_mut(key as usize) {
                *slot = self.keys.len() as u32 - 1;
            }
        }
        Ok(())
    }
}

fn compared(a: &Source<'_>, b: &Source<'_>) -> Ordering {
    (a.range, a.line, a.text).cmp(&(b.range, b.line, b.text))
}

/// Whether the sources of a document are in canonical order.
fn in_order(builder: &Builder, keys: &[u32]) -> io::Result<bool> {
    let (mut first, mut second) = (builder.sources.reader(), builder.sources.reader());
    for pair in keys.windows(2) {
        let &[before, after] = pair else { continue };
        let pair = first.get(before)?.zip(second.get(after)?);
        if pair.is_some_and(|(before, after)| compared(&before, &after).is_gt()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The sources of a document in canonical order.
fn ordered(builder: &Builder, keys: &[u32]) -> io::Result<Vec<u32>> {
    let mut reader = builder.sources.reader();
    let mut all: Vec<(Place, u32)> = Vec::with_capacity(keys.len());
    for &key in keys {
        if let Some(source) = reader.get(key)? {
            all.push(((source.range, source.line), key));
        }
    }
    all.par_sort_unstable();
    let mut sorted = Vec::with_capacity(all.len());
    for alike in all.chunk_by(|a, b| a.0 == b.0) {
        let start = sorted.len();
        sorted.extend(alike.iter().map(|(_, key)| *key));
        if alike.len() > 1 {
            let mut texts = Vec::with_capacity(alike.len());
            for (_, key) in alike {
                let source = reader.get(*key)?;
                texts.push((source.map_or(String::new(), |s| s.text.to_owned()), *key));
            }
            texts.sort_unstable();
            sorted.truncate(start);
            sorted.extend(texts.into_iter().map(|(_, key)| key));
        }
    }
    Ok(sorted)
}
