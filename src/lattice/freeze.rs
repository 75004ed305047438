//! From facts in any order to the bytes of a lattice.
//!
//! Everything is numbered by its rank in a canonical order, so that the bytes do
//! not depend on the order of the facts, nor on how many threads there are.

use super::BuildError;
use super::builder::Builder;
use super::columns::{self, Around};
use super::defect::{self, Defect};
use super::document_table;
use super::evidence::{Blocks, Packing, Piece, too_long};
use super::fact_store::FactView;
use super::faults::{defects, faults};
use super::format::{NO_DIMENSION, Part, Writer};
use super::hash::LtHash;
use super::hashing;
use super::intern::StringKey;
use super::mentions;
use super::merge;
use super::names;
use super::pack::{Arrays, Packer};
use super::posting::Grouped;
use super::ranks::{Instances, Ranks};
use super::resolve::{Resolved, resolve};
use super::snapshot::{Counts, Lattice};
use super::sorted::{Relations, Sorted, Sorting};
use super::sources::{Source, Sources};
use super::spill::Spill;
use super::tables::Catalogue;
use super::timings::{Clock, Stage, Timings};
use super::value_tables::{Table, Values};
use super::verify::NO_SOURCE;
use crate::order::Dag;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What is to be written, in canonical order.
pub(super) struct Frozen<'a> {
    pub(super) resolved: Resolved,
    pub(super) ranks: Ranks,
    pub(super) values: Values<'a>,
    /// By dimension.
    pub(super) relations: Vec<Relations>,
    /// By dimension.
    pub(super) defects: Vec<Vec<Defect>>,
    pub(super) named: Named<'a>,
    /// Where what is made goes if memory is short.
    spill: Option<Arc<Spill>>,
}

/// What instances are called beside their names.
pub(super) struct Named<'a> {
    /// The instances that would stay if all facts went, ascending.
    pub(super) declared: Vec<u32>,
    /// Instance and alias, ascending.
    pub(super) aliases: Vec<(u32, &'a str)>,
}

/// What a temporary file could not keep.
pub(super) fn lost(error: io::Error) -> BuildError {
    BuildError::Spill {
        message: error.to_string(),
    }
}

impl Builder {
    /// The lattice of all that has been said, which does not depend on the order in
    /// which it was said. The builder can go on afterwards.
    ///
    /// # Errors
    /// If a name stands for several instances, a taxonomy has a cycle, a dimension is
    /// ordered by something that is no relation, or a limit of the format is passed.
    pub fn freeze(&self) -> Result<Lattice, BuildError> {
        self.freeze_timed().map(|(lattice, _)| lattice)
    }

    /// As [`Builder::freeze`], with the time that each stage took.
    ///
    /// # Errors
    /// As [`Builder::freeze`].
    pub fn freeze_timed(&self) -> Result<(Lattice, Timings), BuildError> {
        super::pool::divided(|| self.freeze_here())
    }

    fn freeze_here(&self) -> Result<(Lattice, Timings), BuildError> {
        let layout = |error: super::StoreError| BuildError::Layout {
            why: error.to_string(),
        };
        self.intact()?;
        let clock = Clock::default();
        let frozen = self.frozen(resolve(self)?, self.homes(), None, &clock)?;
        let mut writer = Writer::new();
        let state = self.hash(&frozen, &clock)?;
        self.write_first(&frozen, &mut writer, &clock)?;
        let rest = frozen.into_rest(self, document_table::Table::of(self)?);
        rest.write(&self.sources, &state, &mut writer, &clock)?;
        let image = writer.finish(Path::new("")).map_err(layout)?;
        let image = image.ok_or_else(|| BuildError::Layout {
            why: "it was written into no file".to_owned(),
        })?;
        let lattice = Lattice::from_image(image).map_err(layout)?;
        Ok((lattice, clock.timings()))
    }

    /// Everything in its order. What would take too much memory goes to a file, if one
    /// is given.
    pub(super) fn frozen(
        &self,
        resolved: Resolved,
        homes: Result<Vec<u32>, BuildError>,
        spill: Option<Arc<Spill>>,
        clock: &Clock,
    ) -> Result<Frozen<'_>, BuildError> {
        let orders = merge::orders(self, &resolved)?;
        let facts = self.facts.view();
        let instances = clock.time(Stage::Names, || Instances::of(self, homes?))?;
        clock.time(Stage::Sorting, || {
            let faults = faults(self, &facts, &resolved, &orders, &instances).map_err(lost)?;
            let ranks = Ranks::of(self, &facts, instances, &faults).map_err(lost)?;
            let values = Values::of(self, &facts, &resolved, orders, &ranks).map_err(lost)?;
            let sorting = Sorting {
                facts: &facts,
                resolved: &resolved,
                ranks: &ranks,
                values: &values,
                spill: spill.as_ref(),
            };
            let relations = sorting.relations().map_err(lost)?;
            let defects = faults.iter().map(|list| defects(list, &ranks)).collect();
            let named = Named {
                declared: self.declared(&facts, &ranks)?,
                aliases: self.ranked_aliases(&ranks),
            };
            Ok(Frozen {
                relations,
                defects,
                named,
                resolved,
                ranks: ranks.without_keys(),
                values,
                spill: spill.clone(),
            })
        })
    }

    pub(super) fn hash(&self, frozen: &Frozen<'_>, clock: &Clock) -> Result<LtHash, BuildError> {
        let state = clock.time(Stage::Hashing, || hashing::state(self, frozen));
        state.map_err(lost)
    }

    /// Writes what needs the builder's strings: the sections up to the values.
    pub(super) fn write_first(
        &self,
        frozen: &Frozen<'_>,
        writer: &mut Writer,
        clock: &Clock,
    ) -> Result<(), BuildError> {
        let catalogue = frozen
            .catalogue()
            .pack()
            .ok_or_else(|| BuildError::Layout {
                why: "the catalogue cannot be written".to_owned(),
            })?;
        writer.section(Part::Catalogue, NO_DIMENSION, &catalogue);
        clock.time(Stage::Names, || self.write_names(frozen, writer))?;
        clock.time(Stage::Postings, || frozen.values.write(writer))
    }

    pub(super) fn piece<'s>(&'s self, source: Source<'s>) -> Piece<'s> {
        Piece {
            document: self.strings.get(source.document),
            range: source.range,
            line: source.line,
            text: source.text,
        }
    }

    pub(super) fn name_and_id(&self, key: u32) -> (&str, &str) {
        match self.instances.get(key as usize) {
            Some(inst) => (self.strings.get(inst.name), self.strings.get(inst.id)),
            None => ("", ""),
        }
    }

    /// The ranks of the instances that would stay if all facts went: those that are
    /// declared, have an alias, or that no fact names but by a word for them.
    fn declared(&self, facts: &FactView, ranks: &Ranks) -> Result<Vec<u32>, BuildError> {
        let mut named = vec![false; self.instances.len()];
        let mut mark = |key: u32| {
            if let Some(slot) = named.get_mut(key as usize) {
                *slot = true;
            }
        };
        let read = facts.each(None, |columns| {
            columns.subjects().iter().for_each(|&key| mark(key));
            if self.is_entity(columns.dimension) {
                columns.values().iter().for_each(|&key| mark(key));
            }
        });
        read.map_err(lost)?;
        let named = |key: &u32| named.get(*key as usize) == Some(&true);
        let mut stays: Vec<bool> = ranks.instances.iter().map(|key| !named(key)).collect();
        let aliased = self.aliases.iter().filter_map(|&(key, word)| {
            let home = ranks.instances.get(ranks.instance(key) as usize)?;
            let own = self.instances.get(*home as usize)?.name == word;
            (!own).then_some(key)
        });
        let declared = (0u32..)
            .zip(&self.instances)
            .filter(|(_, inst)| inst.is_declared());
        for key in aliased.chain(declared.map(|(key, _)| key)) {
            if let Some(slot) = stays.get_mut(ranks.instance(key) as usize) {
                *slot = true;
            }
        }
        let ranked = (0u32..).zip(stays).filter(|(_, stays)| *stays);
        Ok(ranked.map(|(rank, _)| rank).collect())
    }

    fn ranked_aliases(&self, ranks: &Ranks) -> Vec<(u32, &str)> {
        let aliases = self.aliases.iter().filter_map(|&(key, word)| {
            let rank = ranks.instance(key);
            let of = *ranks.instances.get(rank as usize)?;
            let own = self.instances.get(of as usize)?.name == word;
            (!own).then(|| (rank, self.strings.get(word)))
        });
        let mut aliases: Vec<(u32, &str)> = aliases.collect();
        aliases.sort_unstable();
        aliases.dedup();
        aliases
    }

    fn write_names(&self, frozen: &Frozen<'_>, writer: &mut Writer) -> Result<(), BuildError> {
        let named = &frozen.named;
        let keys = &frozen.ranks.instances;
        let long = || too_long("bytes of names");
        let names = || keys.iter().map(|&key| self.name_and_id(key).0);
        let mut written = || {
            writer.streamed(Part::Names, NO_DIMENSION, |stream| {
                stream.strings_of(keys.len(), names)
            })?;
            self.write_ids(frozen, writer)
        };
        let index_of = || names::pack_index(names(), &named.aliases);
        let (written, index) = match frozen.spill.is_some() {
            true => (written(), None),
            false => {
                let (written, index) = rayon::join(written, index_of);
                (written, Some(index))
            }
        };
        written.ok_or_else(long)?;
        let aliases = names::pack_aliases(&named.aliases);
        writer.section(Part::Aliases, NO_DIMENSION, &aliases.ok_or_else(long)?);
        let index = index.unwrap_or_else(index_of).ok_or_else(long)?;
        writer.section(Part::NameIndex, NO_DIMENSION, &index);
        Ok(())
    }

    fn write_ids(&self, frozen: &Frozen<'_>, writer: &mut Writer) -> Option<()> {
        let keys = &frozen.ranks.instances;
        let named_by = |rank: u32| {
            let key = keys.get(rank as usize).copied();
            self.name_and_id(key.unwrap_or(u32::MAX))
        };
        let own = |rank: &u32| {
            let (name, id) = named_by(*rank);
            name != id
        };
        let instances: Vec<u32> = (0..keys.len() as u32).filter(own).collect();
        writer.streamed(Part::Ids, NO_DIMENSION, |stream| {
            let id = |rank| named_by(rank).1;
            names::write_ids(stream, &instances, id, &frozen.named.declared)
        })
    }
}

impl Frozen<'_> {
    pub(super) fn counts(&self) -> Counts {
        let of_primary = |(of, relations): (&super::Dimension, &Relations)| {
            let both = relations.positive.predicates + relations.negative.predicates;
            if of.primary { both } else { 0 }
        };
        let dimensions = &self.resolved.dimensions;
        let predicates = dimensions.iter().zip(&self.relations).map(of_primary);
        Counts {
            dimensions: dimensions.len() as u64,
            instances: self.ranks.instances.len() as u64,
            values: self.values.count(),
            // A fact and its inverse are counted once.
            predicates: predicates.sum(),
            evidence: self.ranks.sources.len() as u64,
            documents: self.ranks.documents.len() as u64,
        }
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue {
            counts: self.counts(),
            dimensions: self.resolved.dimensions.clone(),
            stated: self.resolved.stated.clone(),
            units: self.resolved.units.clone(),
        }
    }

    /// What is left to write, which needs the builder's strings no more.
    pub(super) fn into_rest(self, builder: &Builder, kept: Option<document_table::Table>) -> Rest {
        let documents = self.ranks.documents.iter();
        let documents = documents.map(|&key| (key, builder.strings.get(key).to_owned()));
        Rest {
            mentions: builder.mentions(&self.ranks.instances),
            kept,
            documents: documents.collect(),
            sources: self.ranks.sources,
            instances: self.ranks.instances.len(),
            groupings: self.values.tables.iter().map(Grouping::of).collect(),
            relations: self.relations,
            defects: self.defects,
            spill: self.spill,
        }
    }
}

/// What is left to write behind the values.
pub(super) struct Rest {
    documents: HashMap<StringKey, String>,
    sources: Vec<u32>,
    instances: usize,
    /// By dimension.
    groupings: Vec<Grouping>,
    relations: Vec<Relations>,
    defects: Vec<Vec<Defect>>,
    /// By instance, how many documents speak of it.
    mentions: Vec<u8>,
    /// The documents that say all of it.
    kept: Option<document_table::Table>,
    spill: Option<Arc<Spill>>,
}

/// What unions of postings are kept of a dimension.
enum Grouping {
    Not,
    Below(Box<Dag>),
    Scale,
}

impl Grouping {
    fn of(table: &Table<'_>) -> Grouping {
        match table {
            Table::Terms(terms) => {
                let dag = Dag::new(terms.names.len() as u32, &terms.edges);
                dag.map_or(Grouping::Not, |dag| Grouping::Below(Box::new(dag)))
            }
            Table::Numbers(_) | Table::Dates(_) => Grouping::Scale,
            Table::Entities | Table::Texts(_) => Grouping::Not,
        }
    }

    fn grouped(&self, part: Part) -> Grouped<'_> {
        match (part, self) {
            (Part::Positive, Grouping::Below(dag)) => Grouped::Below(dag),
            (Part::Positive, Grouping::Scale) => Grouped::Scale,
            _ => Grouped::Not,
        }
    }
}

/// The source of each instance: the least of those of its predicates.
fn sources_of(relations: &[Relations], instances: usize) -> io::Result<Vec<u32>> {
    let mut sources = vec![NO_SOURCE; instances];
    for sorted in relations.iter().flat_map(|r| [&r.positive, &r.negative]) {
        sorted.each(|subject, source| {
            if let Some(slot) = sources.get_mut(subject as usize) {
                *slot = source.min(*slot);
            }
        })?;
    }
    Ok(sources)
}

impl Rest {
    pub(super) fn write(
        self,
        sources: &Sources,
        state: &LtHash,
        writer: &mut Writer,
        clock: &Clock,
    ) -> Result<(), BuildError> {
        let (documents, keys) = (self.documents, self.sources);
        let lean = self.spill.is_some();
        let blocks = Blocks::new(self.spill.as_ref());
        let evidence = move || {
            let packed = || evidence(sources, &keys, &documents, blocks);
            clock.time(Stage::Evidence, packed)
        };
        let (relations, groupings) = (self.relations, self.groupings);
        let reading = || sources_of(&relations, self.instances);
        let instance_sources = clock.time(Stage::Postings, reading).map_err(lost)?;
        let postings = || {
            let write = || write_relations(relations, &groupings, &instance_sources, lean, writer);
            clock.time(Stage::Postings, write).map_err(lost)
        };
        let (evidence, postings) = rayon::join(evidence, postings);
        postings?;
        let (index, blocks) = evidence?;
        writer.section(Part::EvidenceIndex, NO_DIMENSION, &index);
        drop(index);
        blocks.write(writer).map_err(lost)?;
        let mut packer = Packer::default();
        packer.array(&instance_sources);
        writer.section(Part::Sources, NO_DIMENSION, &packer.finish());
        for (d, defects) in (0u32..).zip(&self.defects) {
            if !defects.is_empty() {
                let section = defect::pack(defects).ok_or_else(|| too_long("bytes of defects"))?;
                writer.section(Part::Defects, d, &section);
            }
        }
        writer.section(Part::ContentHash, NO_DIMENSION, &state.to_bytes());
        let Some(kept) = self.kept else {
            return Ok(());
        };
        let mentions = mentions::pack(&self.mentions);
        writer.section(Part::Mentions, NO_DIMENSION, &mentions);
        kept.write(writer).map_err(lost)
    }
}

/// The index and the blocks of evidence.
fn evidence(
    sources: &Sources,
    keys: &[u32],
    documents: &HashMap<StringKey, String>,
    blocks: Blocks,
) -> Result<(Vec<u8>, Blocks), BuildError> {
    let mut packing = Packing::new(blocks);
    let mut reader = sources.reader();
    for &key in keys {
        if let Some(source) = reader.get(key).map_err(lost)? {
            packing.push(&Piece {
                document: documents.get(&source.document).map_or("", String::as_str),
                range: source.range,
                line: source.line,
                text: source.text,
            })?;
        }
    }
    packing.finish()
}

/// Packs as many relations at a time as there are threads; one after another if there
/// is no room for more.
fn write_relations(
    relations: Vec<Relations>,
    groupings: &[Grouping],
    sources: &[u32],
    lean: bool,
    writer: &mut Writer,
) -> io::Result<()> {
    let mut positive = Vec::new();
    let mut negative = Vec::new();
    for (d, relations) in (0u32..).zip(relations) {
        positive.push((Part::Positive, d, relations.positive));
        negative.push((Part::Negative, d, relations.negative));
    }
    let all = positive.into_iter().chain(negative);
    let mut all = all.filter(|(_, _, sorted)| !sorted.is_empty());
    let at_once = if lean {
        1
    } else {
        rayon::current_num_threads()
    };
    loop {
        let few: Vec<(Part, u32, Sorted)> = all.by_ref().take(at_once).collect();
        if few.is_empty() {
            return Ok(());
        }
        let packed = few.into_par_iter().map(|(part, d, sorted)| {
            let around = Around {
                instances: sources.len(),
                grouped: groupings
                    .get(d as usize)
                    .map_or(Grouped::Not, |grouping| grouping.grouped(part)),
                sources,
            };
            let section = columns::pack(sorted.into_facts()?, around);
            Ok::<_, io::Error>((part, d, section))
        });
        let packed: Vec<_> = packed.collect::<io::Result<_>>()?;
        for (part, d, section) in packed {
            writer.section(part, d, &section);
        }
    }
}
