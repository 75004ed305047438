//! Checking all of a lattice: what [`Lattice::intact`] tells of what has been read,
//! for everything.
#![deny(clippy::indexing_slicing)]

use super::columns::{self, Around, Facts, Record};
use super::evidence::Piece;
use super::format::{NO_DIMENSION, Part};
use super::hash::content_hash_of;
use super::pack::{Packer, Unpacker};
use super::posting::Grouped;
use super::snapshot::Lattice;
use super::{DimensionId, EvidenceId, InstanceId, Kind, Relation, StoreError, names, tables};

/// What stands for "no source".
pub(super) const NO_SOURCE: u32 = u32::MAX;

impl Lattice {
    /// Checks every page of every section against its checksum.
    ///
    /// # Errors
    /// If one is damaged.
    pub(super) fn verify_pages(&self) -> Result<(), StoreError> {
        for (part, dimension) in self.image().sections() {
            let section = self.image().section(part, dimension);
            section.map_err(|_| self.damaged(part, dimension))?;
        }
        Ok(())
    }

    /// Checks everything: every checksum; that each section is what would be written for
    /// what is read from it; and the content hash.
    ///
    /// # Errors
    /// If anything is damaged.
    pub fn verify_all(&self) -> Result<(), StoreError> {
        self.verify_pages()?;
        let image = self.image();
        if !image.header_is_whole() || !image.is_padded_with_zeros() {
            return Err(image.damaged("header"));
        }
        let base = self.base();
        base.verify_base()?;
        if self.over().is_some() {
            self.require(self.changes_are_sound(), Part::Delta, NO_DIMENSION)?;
            self.verify_content_hash(Part::Delta)?;
        }
        self.require(self.documents_are_sound(), Part::Documents, NO_DIMENSION)?;
        self.intact()
    }

    /// Checks the sections of the base.
    fn verify_base(&self) -> Result<(), StoreError> {
        self.verify_names()?;
        for (d, dimension) in (0u16..).map(DimensionId).zip(self.dimensions()) {
            self.verify_values(d, &dimension.kind)?;
            for part in [Part::Positive, Part::Negative] {
                self.verify_relation(d, part)?;
            }
        }
        self.check_evidence()
            .map_err(|_| self.damaged(Part::EvidenceBlocks, NO_DIMENSION))?;
        self.verify_content_hash(Part::ContentHash)?;
        self.require(self.mentions_are_sound(), Part::Mentions, NO_DIMENSION)
    }

    /// Whether what has changed is counted right and as it would be written.
    fn changes_are_sound(&self) -> bool {
        let counts = self.counts();
        let dimensions = || (0u16..).map(DimensionId).zip(self.dimensions());
        let primary = dimensions().filter(|(_, dimension)| dimension.primary);
        let predicates: usize = primary
            .map(|(d, _)| self.positive(d).len() + self.negative(d).len())
            .sum();
        let valued = dimensions().filter(|(_, dimension)| !dimension.is_entity());
        let values: usize = valued.map(|(d, _)| self.value_count(d)).sum();
        let held = dimensions().all(|(d, dimension)| {
            dimension.is_entity() || self.taxonomy(d).is_some() || self.has_all_held(d)
        });
        counts.predicates == predicates as u64
            && counts.values == values as u64
            && counts.documents == self.documents().len() as u64
            && counts.dimensions == self.base().counts().dimensions
            && held
    }

    /// Whether each value of a dimension is recorded or denied of some instance.
    fn has_all_held(&self, d: DimensionId) -> bool {
        let mut all: Vec<u32> = self.positive(d).distinct_values().to_vec();
        all.extend(self.negative(d).distinct_values());
        all.sort_unstable();
        all.dedup();
        all.len() == self.value_count(d)
    }

    fn require(&self, holds: bool, part: Part, dimension: u32) -> Result<(), StoreError> {
        match holds {
            true => Ok(()),
            false => Err(self.damaged(part, dimension)),
        }
    }

    /// Whether a section is what its own content would be written as.
    fn is_written(
        &self,
        part: Part,
        dimension: u32,
        bytes: Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let found = self.image().section(part, dimension).ok().flatten();
        let same = bytes.is_some_and(|bytes| found == Some(bytes.as_slice()));
        self.require(same, part, dimension)
    }

    fn verify_names(&self) -> Result<(), StoreError> {
        let names = self.names();
        let count = self.instance_count() as usize;
        let sorted = (1..names.len()).all(|at| names.get(at - 1) <= names.get(at));
        let sound = names.len() == count && names.is_sound() && sorted;
        self.require(sound, Part::Names, NO_DIMENSION)?;
        let all = || (0..self.instance_count()).map(InstanceId);
        let ids: Option<Vec<(u32, &str)>> = self.ids().map(|ids| ids.all());
        let declared: Vec<u32> = all()
            .filter(|i| self.is_declared(*i))
            .map(|i| i.0)
            .collect();
        let below = |ids: &[(u32, &str)]| {
            ids.is_sorted_by(|a, b| a.0 < b.0) && ids.iter().all(|(i, _)| (*i as usize) < count)
        };
        let ids = ids.filter(|ids| below(ids));
        let ids = ids.and_then(|ids| {
            let instances: Vec<u32> = ids.iter().map(|(i, _)| *i).collect();
            let id = |i: u32| {
                let at = ids.binary_search_by_key(&i, |(i, _)| *i);
                at.ok().and_then(|at| ids.get(at)).map_or("", |(_, id)| *id)
            };
            let mut packer = Packer::default();
            names::write_ids(&mut packer, &instances, id, &declared)?;
            Some(packer.finish())
        });
        self.is_written(Part::Ids, NO_DIMENSION, ids)?;
        let aliases: Vec<(u32, &str)> = all()
            .flat_map(|i| self.aliases(i).into_iter().map(move |word| (i.0, word)))
            .collect();
        let sorted = aliases.is_sorted_by(|a, b| a < b);
        self.require(sorted, Part::Aliases, NO_DIMENSION)?;
        self.is_written(Part::Aliases, NO_DIMENSION, names::pack_aliases(&aliases))?;
        let index = names::pack_index(names.iter(), &aliases);
        self.is_written(Part::NameIndex, NO_DIMENSION, index)
    }

    fn verify_values(&self, d: DimensionId, kind: &Kind) -> Result<(), StoreError> {
        let dimension = u32::from(d.0);
        let (part, sound) = match kind {
            Kind::Taxonomy => (Part::Terms, self.taxonomy(d).is_some()),
            Kind::Number { .. } => (Part::Numbers, self.has_values(d)),
            Kind::Date => (Part::Dates, self.has_values(d)),
            Kind::Text => {
                let section = self.image().section(Part::Texts, dimension).ok().flatten();
                let texts = section.and_then(tables::texts);
                (
                    Part::Texts,
                    texts.is_some_and(|texts| texts.is_sorted_set()),
                )
            }
            Kind::Entity { .. } => return Ok(()),
        };
        self.require(sound, part, dimension)?;
        self.require(self.defects_of(d).is_some(), Part::Defects, dimension)
    }

    fn verify_relation(&self, d: DimensionId, part: Part) -> Result<(), StoreError> {
        let dimension = u32::from(d.0);
        let there = self.image().section(part, dimension);
        if matches!(there, Ok(None)) {
            return Ok(());
        }
        let relation = match part {
            Part::Negative => self.negative(d),
            _ => self.positive(d),
        };
        let (instances, values) = (self.instance_count(), self.value_count(d));
        let evidence = self.counts().evidence;
        let records = records(&relation);
        let known = |record: &Record| {
            record.subject < instances
                && (record.value as usize) < values
                && u64::from(record.source) < evidence
        };
        let sound = records.len() >= relation.len() && records.iter().all(known);
        self.require(sound, part, dimension)?;
        let sources = self
            .image()
            .section(Part::Sources, NO_DIMENSION)
            .ok()
            .flatten();
        let sources =
            sources.and_then(|section| Unpacker::of_bytes(section).slice().map(<[u32]>::to_vec));
        let bytes = sources.map(|sources| {
            let around = Around {
                instances: instances as usize,
                grouped: self.grouped(d, part),
                sources: &sources,
            };
            columns::pack(Facts::of(records), around)
        });
        self.is_written(part, dimension, bytes)
    }

    /// Which unions of postings are kept of a relation.
    fn grouped(&self, d: DimensionId, part: Part) -> Grouped<'_> {
        match (part, &self.dimension(d).kind, self.taxonomy(d)) {
            (Part::Positive, _, Some(taxonomy)) => Grouped::Below(taxonomy.dag()),
            (Part::Positive, Kind::Number { .. } | Kind::Date, _) => Grouped::Scale,
            _ => Grouped::Not,
        }
    }

    /// Whether the recorded hash is that of what the lattice says, computed anew.
    /// A file whose checksums all fit can still lie about this.
    fn verify_content_hash(&self, part: Part) -> Result<(), StoreError> {
        let wrong = || self.damaged(part, NO_DIMENSION);
        let count = u32::try_from(self.counts().evidence).map_err(|_| wrong())?;
        let mut all = Vec::new();
        for e in 0..count {
            all.push(self.evidence(EvidenceId(e))?);
        }
        let piece = |e: EvidenceId| {
            all.get(e.index()).map(|evidence| Piece {
                document: &evidence.document,
                range: evidence.range,
                line: evidence.line,
                text: &evidence.text,
            })
        };
        let state = super::content::state(self, piece).to_bytes();
        match content_hash_of(&state) == self.content_hash() {
            true => Ok(()),
            false => Err(wrong()),
        }
    }
}

/// Every predicate with each of its sources.
fn records(relation: &Relation<'_>) -> Vec<Record> {
    let mut records = Vec::new();
    for (i, row) in relation.rows() {
        for (k, &value) in row.values().iter().enumerate() {
            let sources = relation.sources(row.predicate(k));
            records.extend(sources.into_iter().map(|(e, confidence)| Record {
                subject: i.0,
                value,
                source: e.0,
                confidence,
            }));
        }
    }
    records
}
