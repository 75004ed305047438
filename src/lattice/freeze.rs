//! From facts in any order to the bytes of a lattice.
//!
//! Everything is numbered by its rank in a canonical order, so that the bytes do
//! not depend on the order of the facts.

use super::builder::{Builder, Fact, Source};
use super::columns::{self, Around, Record};
use super::content;
use super::defect::{self, Fault};
use super::evidence::{self, Piece, too_long};
use super::faults::{defects, faults};
use super::format::{NO_DIMENSION, Part, Writer};
use super::intern::{NONE, StringKey};
use super::merge::{self, Order};
use super::names::{self, MOST_INSTANCES};
use super::pack::Packer;
use super::posting::Grouped;
use super::resolve::{Resolved, resolve};
use super::snapshot::{Counts, Lattice};
use super::tables::{self, Catalogue, Terms};
use super::verify::NO_SOURCE;
use super::{BuildError, DateInterval, Kind, NumberInterval};
use crate::order::Dag;
use std::collections::HashMap;

impl Builder {
    /// The lattice of all that has been said, which does not depend on the order in
    /// which it was said. The builder can go on afterwards.
    ///
    /// # Errors
    /// If a name stands for several instances, a taxonomy has a cycle, a dimension is
    /// ordered by something that is no relation, or a limit of the format is passed.
    pub fn freeze(&self) -> Result<Lattice, BuildError> {
        let resolved = resolve(self)?;
        let orders = merge::orders(self, &resolved)?;
        let instances = Instances::of(self)?;
        let faults = faults(self, &resolved, &orders, &instances);
        let ranks = Ranks::of(self, instances, &faults);
        let mut writer = Writer::new();
        let values = Values::of(self, &resolved, orders, &ranks);
        let buckets = records(self, &resolved, &ranks, &values);
        let catalogue = Catalogue {
            counts: Counts {
                dimensions: resolved.dimensions.len() as u64,
                instances: ranks.instances.len() as u64,
                values: values.count(&resolved),
                predicates: buckets.predicates(&resolved),
                evidence: ranks.sources.len() as u64,
                documents: ranks.documents,
            },
            dimensions: resolved.dimensions.clone(),
            stated: resolved.stated.clone(),
            units: resolved.units.clone(),
        };
        let catalogue = catalogue.pack().ok_or_else(|| BuildError::Layout {
            why: "the catalogue cannot be written".to_owned(),
        })?;
        writer.section(Part::Catalogue, NO_DIMENSION, &catalogue);
        self.write_names(&ranks, &mut writer)?;
        values.write(&resolved, &mut writer)?;
        let grouping = values.groupings(&resolved);
        drop(values);
        let sources = buckets.sources(ranks.instances.len());
        buckets.write(&mut writer, &grouping, &sources);
        drop(grouping);
        let pieces = ranks.sources.iter().filter_map(|&key| {
            let source = self.sources.get(key as usize)?;
            Some(self.piece(source))
        });
        let (index, blocks) = evidence::pack(pieces)?;
        writer.section(Part::EvidenceIndex, NO_DIMENSION, &index);
        writer.section(Part::EvidenceBlocks, NO_DIMENSION, &blocks);
        drop((index, blocks));
        let mut packer = Packer::default();
        packer.array(&sources);
        writer.section(Part::Sources, NO_DIMENSION, &packer.finish());
        for (d, faults) in (0u32..).zip(&faults) {
            let defects = defects(faults, &ranks);
            if !defects.is_empty() {
                let section = defect::pack(&defects).ok_or_else(|| too_long("bytes of defects"))?;
                writer.section(Part::Defects, d, &section);
            }
        }
        self.sealed(writer, &ranks)
    }

    /// Adds the content hash, which is taken from the lattice as it reads.
    fn sealed(&self, mut writer: Writer, ranks: &Ranks) -> Result<Lattice, BuildError> {
        let layout = |error: super::StoreError| BuildError::Layout {
            why: error.to_string(),
        };
        writer.section(Part::ContentHash, NO_DIMENSION, &[]);
        let lattice = Lattice::from_image(writer.finish().map_err(layout)?).map_err(layout)?;
        let state = content::state(&lattice, |e| {
            let key = ranks.sources.get(e.index())?;
            self.sources
                .get(*key as usize)
                .map(|source| self.piece(source))
        });
        let image = lattice.into_image().ok_or_else(|| BuildError::Layout {
            why: "its bytes are in use".to_owned(),
        })?;
        let mut writer = image.without_last();
        writer.section(Part::ContentHash, NO_DIMENSION, &state.to_bytes());
        Lattice::from_image(writer.finish().map_err(layout)?).map_err(layout)
    }

    fn piece(&self, source: &Source) -> Piece<'_> {
        Piece {
            document: self.strings.get(source.document),
            range: source.range(),
            line: source.line(),
            text: self.text_of(source),
        }
    }

    fn name_and_id(&self, key: u32) -> (&str, &str) {
        match self.instances.get(key as usize) {
            Some(inst) => (self.strings.get(inst.name), self.strings.get(inst.id)),
            None => ("", ""),
        }
    }

    /// The ranks of the instances that would stay if all facts went: those that are
    /// declared, have an alias, or that no fact names but by a word for them.
    fn declared(&self, ranks: &Ranks) -> Vec<u32> {
        let mut stays = vec![true; ranks.instances.len()];
        let mut mark = |rank: u32, value: bool| {
            if let Some(slot) = stays.get_mut(rank as usize) {
                *slot = value;
            }
        };
        let mentioned = |key: u32| {
            let rank = ranks.instance(key);
            let own = ranks.instances.get(rank as usize) == Some(&key);
            own.then_some(rank)
        };
        for fact in &self.facts {
            let object = self.is_entity(fact).then_some(fact.value);
            let keys = std::iter::once(fact.subject).chain(object);
            keys.filter_map(mentioned)
                .for_each(|rank| mark(rank, false));
        }
        let aliased = self.aliases.iter().filter_map(|&(key, word)| {
            let home = ranks.instances.get(ranks.instance(key) as usize)?;
            let own = self.instances.get(*home as usize)?.name == word;
            (!own).then_some(key)
        });
        let declared = (0u32..)
            .zip(&self.instances)
            .filter(|(_, inst)| inst.declared);
        aliased
            .chain(declared.map(|(key, _)| key))
            .for_each(|key| mark(ranks.instance(key), true));
        (0u32..)
            .zip(stays)
            .filter(|(_, stays)| *stays)
            .map(|(rank, _)| rank)
            .collect()
    }

    fn write_names(&self, ranks: &Ranks, writer: &mut Writer) -> Result<(), BuildError> {
        let all = || ranks.instances.iter().map(|&key| self.name_and_id(key));
        let long = || too_long("bytes of names");
        let section = tables::pack_texts(all().map(|(name, _)| name)).ok_or_else(long)?;
        writer.section(Part::Names, NO_DIMENSION, &section);
        let ids: Vec<(u32, &str)> = (0u32..)
            .zip(all())
            .filter(|(_, (name, id))| name != id)
            .map(|(rank, (_, id))| (rank, id))
            .collect();
        writer.section(
            Part::Ids,
            NO_DIMENSION,
            &names::pack_ids(&ids, &self.declared(ranks)).ok_or_else(long)?,
        );
        let mut aliases: Vec<(u32, &str)> = self
            .aliases
            .iter()
            .filter_map(|&(key, word)| {
                let rank = ranks.instance(key);
                let of = *ranks.instances.get(rank as usize)?;
                let own = self.instances.get(of as usize)?.name == word;
                (!own).then(|| (rank, self.strings.get(word)))
            })
            .collect();
        aliases.sort_unstable();
        aliases.dedup();
        let section = names::pack_aliases(&aliases).ok_or_else(long)?;
        writer.section(Part::Aliases, NO_DIMENSION, &section);
        let names = all().map(|(name, _)| name);
        let section = names::pack_index(names, &aliases).ok_or_else(long)?;
        writer.section(Part::NameIndex, NO_DIMENSION, &section);
        Ok(())
    }
}

/// Instances in canonical order.
pub(super) struct Instances {
    /// Keys by rank.
    keys: Vec<u32>,
    /// Ranks by key.
    ranks: Vec<u32>,
}

impl Instances {
    fn of(builder: &Builder) -> Result<Instances, BuildError> {
        let homes = builder.homes()?;
        let mut keys: Vec<u32> = (0u32..)
            .zip(&builder.instances)
            .zip(&homes)
            .filter(|((key, inst), home)| inst.alive && key == *home)
            .map(|((key, _), _)| key)
            .collect();
        if keys.len() > MOST_INSTANCES {
            return Err(BuildError::TooMany {
                what: "instances",
                found: keys.len() as u64,
                limit: MOST_INSTANCES as u64,
            });
        }
        keys.sort_by(|&a, &b| builder.name_and_id(a).cmp(&builder.name_and_id(b)));
        let own = inverted(&keys, builder.instances.len());
        let at_home = |home: &u32| own.get(*home as usize).copied().unwrap_or(NONE);
        Ok(Instances {
            ranks: homes.iter().map(at_home).collect(),
            keys,
        })
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
    instances: Vec<u32>,
    /// Ranks by key.
    instance_ranks: Vec<u32>,
    sources: Vec<u32>,
    source_ranks: Vec<u32>,
    documents: u64,
}

impl Ranks {
    fn of(builder: &Builder, instances: Instances, faults: &[Vec<(Fault, u32)>]) -> Ranks {
        let (sources, documents) = sorted_sources(builder, faults);
        Ranks {
            instance_ranks: instances.ranks,
            instances: instances.keys,
            source_ranks: inverted(&sources, builder.sources.len()),
            sources,
            documents,
        }
    }

    fn instance(&self, key: u32) -> u32 {
        self.instance_ranks
            .get(key as usize)
            .copied()
            .unwrap_or(NONE)
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

/// The sources of some fact or fault in canonical order, and how many documents they
/// are of.
fn sorted_sources(builder: &Builder, faults: &[Vec<(Fault, u32)>]) -> (Vec<u32>, u64) {
    let mut used = vec![false; builder.sources.len()];
    let facts = builder.facts.iter().map(|fact| fact.source);
    let shown = faults.iter().flatten().map(|(_, source)| *source);
    for source in facts.chain(shown) {
        if let Some(slot) = used.get_mut(source as usize) {
            *slot = true;
        }
    }
    let all = || {
        (0u32..)
            .zip(&builder.sources)
            .zip(&used)
            .filter(|(_, used)| **used)
    };
    // Documents are ranked first: their names are compared once, not per source.
    let mut documents: Vec<StringKey> = all().map(|((_, source), _)| source.document).collect();
    documents.sort_unstable();
    documents.dedup();
    documents.sort_by_key(|&document| builder.strings.get(document));
    let ranks: HashMap<StringKey, u32> = documents.iter().copied().zip(0u32..).collect();
    let mut sources: Vec<(u32, u32)> = all()
        .map(|((key, source), _)| (ranks.get(&source.document).copied().unwrap_or(NONE), key))
        .collect();
    sources.sort_by(|a, b| {
        let place = |&(document, key): &(u32, u32)| {
            let source = builder.sources.get(key as usize);
            let at = source.map(|s| (s.range(), s.line(), builder.text_of(s)));
            (document, at)
        };
        place(a).cmp(&place(b))
    });
    (
        sources.into_iter().map(|(_, key)| key).collect(),
        documents.len() as u64,
    )
}

/// The values of each dimension in canonical order, and the ranks of their keys.
struct Values<'a> {
    tables: Vec<Table<'a>>,
    /// By dimension: rank of a key. None for ENTITY.
    ranks: Vec<HashMap<u32, u32>>,
}

enum Table<'a> {
    Terms(Terms<'a>),
    Entities,
    Numbers(Vec<NumberInterval>),
    Dates(Vec<DateInterval>),
    Texts(Vec<&'a str>),
}

impl<'a> Values<'a> {
    fn of(
        builder: &'a Builder,
        resolved: &Resolved,
        orders: Vec<Option<Order<'a>>>,
        ranks: &Ranks,
    ) -> Self {
        let count = resolved.dimensions.len();
        let mut keys: Vec<Vec<u32>> = vec![Vec::new(); count];
        for fact in &builder.facts {
            let d = resolved.id(u32::from(fact.dimension));
            let numbered = resolved.dimensions.get(d).is_some_and(|dimension| {
                !matches!(dimension.kind, Kind::Taxonomy | Kind::Entity { .. })
            });
            if let (true, Some(keys)) = (
                numbered && ranks.instance(fact.subject) != NONE,
                keys.get_mut(d),
            ) {
                keys.push(fact.value);
            }
        }
        let mut values = Values {
            tables: Vec::with_capacity(count),
            ranks: Vec::new(),
        };
        let all = resolved.dimensions.iter().zip(keys).zip(orders);
        for ((dimension, mut keys), order) in all {
            if let Some(order) = order {
                values.ranks.push(order.values);
                values.tables.push(Table::Terms(Terms {
                    names: order.names,
                    synonyms: order.synonyms,
                    edges: order.edges,
                }));
                continue;
            }
            keys.sort_unstable();
            keys.dedup();
            let table = match &dimension.kind {
                Kind::Entity { .. } | Kind::Taxonomy => Table::Entities,
                Kind::Number { .. } => {
                    keys.sort_by_key(|&key| builder.numbers.get(key as usize));
                    let of = keys
                        .iter()
                        .filter_map(|&key| builder.numbers.get(key as usize));
                    Table::Numbers(of.cloned().collect())
                }
                Kind::Date => {
                    keys.sort_by_key(|&key| builder.dates.get(key as usize));
                    let of = keys
                        .iter()
                        .filter_map(|&key| builder.dates.get(key as usize));
                    Table::Dates(of.copied().collect())
                }
                Kind::Text => {
                    keys.sort_by_key(|&key| builder.strings.get(StringKey(key)));
                    Table::Texts(
                        keys.iter()
                            .map(|&key| builder.strings.get(StringKey(key)))
                            .collect(),
                    )
                }
            };
            values.tables.push(table);
            values.ranks.push(keys.into_iter().zip(0u32..).collect());
        }
        values
    }

    /// What unions of postings the order of each dimension asks for.
    fn groupings(&self, resolved: &Resolved) -> Vec<Grouping> {
        debug_assert_eq!(self.tables.len(), resolved.dimensions.len());
        self.tables
            .iter()
            .map(|table| match table {
                Table::Terms(terms) => {
                    let dag = Dag::new(terms.names.len() as u32, &terms.edges);
                    dag.map_or(Grouping::Not, |dag| Grouping::Below(Box::new(dag)))
                }
                Table::Numbers(_) | Table::Dates(_) => Grouping::Scale,
                Table::Entities | Table::Texts(_) => Grouping::Not,
            })
            .collect()
    }

    fn count(&self, resolved: &Resolved) -> u64 {
        let of = |table: &Table<'_>| match table {
            Table::Terms(terms) => terms.names.len(),
            Table::Entities => 0,
            Table::Numbers(numbers) => numbers.len(),
            Table::Dates(dates) => dates.len(),
            Table::Texts(texts) => texts.len(),
        };
        debug_assert_eq!(self.tables.len(), resolved.dimensions.len());
        self.tables.iter().map(|table| of(table) as u64).sum()
    }

    fn write(&self, resolved: &Resolved, writer: &mut Writer) -> Result<(), BuildError> {
        let long = || too_long("bytes of values");
        debug_assert_eq!(self.tables.len(), resolved.dimensions.len());
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

/// What unions of postings are kept of a dimension.
enum Grouping {
    Not,
    Below(Box<Dag>),
    Scale,
}

/// The facts of each dimension and polarity, with ranks for keys.
struct Buckets {
    positive: Vec<Vec<Record>>,
    negative: Vec<Vec<Record>>,
}

fn records(builder: &Builder, resolved: &Resolved, ranks: &Ranks, values: &Values<'_>) -> Buckets {
    let count = resolved.dimensions.len();
    let inverse = |d: usize| resolved.dimensions.get(d)?.inverse.map(|e| e.index());
    // Counted first: growing the lists would take twice the memory.
    let mut sizes = vec![[0usize; 2]; count];
    for fact in &builder.facts {
        let d = resolved.id(u32::from(fact.dimension));
        for d in [Some(d), inverse(d)].into_iter().flatten() {
            if let Some(size) = sizes
                .get_mut(d)
                .and_then(|s| s.get_mut(usize::from(fact.denied)))
            {
                *size += 1;
            }
        }
    }
    let mut buckets = Buckets {
        positive: sizes.iter().map(|s| Vec::with_capacity(s[0])).collect(),
        negative: sizes.iter().map(|s| Vec::with_capacity(s[1])).collect(),
    };
    for fact in &builder.facts {
        let d = resolved.id(u32::from(fact.dimension));
        let Some(record) = record(fact, d, resolved, ranks, values) else {
            continue;
        };
        buckets.put(d, fact.denied, record);
        if let Some(e) = inverse(d) {
            let turned = Record {
                subject: record.value,
                value: record.subject,
                ..record
            };
            buckets.put(e, fact.denied, turned);
        }
    }
    buckets
}

/// A fact with ranks; none if its instance is gone.
fn record(
    fact: &Fact,
    d: usize,
    resolved: &Resolved,
    ranks: &Ranks,
    values: &Values<'_>,
) -> Option<Record> {
    let known = |rank: u32| (rank != NONE).then_some(rank);
    let value = match resolved.dimensions.get(d)?.kind {
        Kind::Entity { .. } => known(ranks.instance(fact.value))?,
        _ => *values.ranks.get(d)?.get(&fact.value)?,
    };
    Some(Record {
        subject: known(ranks.instance(fact.subject))?,
        value,
        source: known(ranks.source(fact.source))?,
        confidence: fact.confidence,
    })
}

impl Buckets {
    fn put(&mut self, d: usize, denied: bool, record: Record) {
        let side = if denied {
            &mut self.negative
        } else {
            &mut self.positive
        };
        if let Some(bucket) = side.get_mut(d) {
            bucket.push(record);
        }
    }

    /// The number of predicates, a fact and its inverse counted once.
    fn predicates(&self, resolved: &Resolved) -> u64 {
        let of = |side: &Vec<Vec<Record>>| -> u64 {
            resolved
                .dimensions
                .iter()
                .zip(side)
                .filter(|(dimension, _)| dimension.primary)
                .map(|(_, records)| distinct(records))
                .sum()
        };
        of(&self.positive) + of(&self.negative)
    }

    /// The source of each instance: the least of those of its predicates.
    fn sources(&self, instances: usize) -> Vec<u32> {
        let mut sources = vec![NO_SOURCE; instances];
        let sides = self.positive.iter().chain(&self.negative);
        for record in sides.flatten() {
            if let Some(slot) = sources.get_mut(record.subject as usize) {
                *slot = record.source.min(*slot);
            }
        }
        sources
    }

    fn write(self, writer: &mut Writer, groupings: &[Grouping], sources: &[u32]) {
        for (part, side) in [
            (Part::Positive, self.positive),
            (Part::Negative, self.negative),
        ] {
            for ((d, records), grouping) in (0u32..).zip(side).zip(groupings) {
                if records.is_empty() {
                    continue;
                }
                let grouped = match (part, grouping) {
                    (Part::Positive, Grouping::Below(dag)) => Grouped::Below(dag),
                    (Part::Positive, Grouping::Scale) => Grouped::Scale,
                    _ => Grouped::Not,
                };
                let around = Around {
                    instances: sources.len(),
                    grouped,
                    sources,
                };
                writer.section(part, d, &columns::pack(records, around));
            }
        }
    }
}

fn distinct(records: &[Record]) -> u64 {
    let mut pairs: Vec<(u32, u32)> = records.iter().map(|r| (r.subject, r.value)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len() as u64
}
