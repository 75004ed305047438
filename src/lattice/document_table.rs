//! The documents that a lattice keeps, as it is written: a table of what is known of each,
//! found by its place or its name, and blocks of their bytes.
#![deny(clippy::indexing_slicing)]

use super::append::Sections;
use super::borrowed::Borrowed;
use super::builder::Builder;
use super::documents::{Declarations, KeptDocument, KeptFile};
use super::evidence::too_long;
use super::format::{NO_DIMENSION, Part, Writer};
use super::kept::{Block, KeptBytes, Place};
use super::pack::{Packer, Strings, Unpacker};
use super::pages::Array;
use super::snapshot::Lattice;
use super::{BuildError, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is known of a document beside its name.
#[derive(Serialize, Deserialize)]
struct Record {
    settings: Box<RawValue>,
    files: Vec<FileRecord>,
    plain: bool,
    evidence: Vec<String>,
    more_evidence: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    terms: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    orders: Vec<String>,
    statements: u64,
    skipped: u64,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    name: String,
    length: u64,
    /// In hexadecimal digits.
    hash: String,
    /// Its first block, and how many it has.
    blocks: (u64, u64),
}

/// The documents of a lattice that is to be written.
pub(super) struct Table {
    section: Vec<u8>,
    blocks: Vec<Block>,
}

impl Table {
    /// The table of what a builder keeps; none if its documents do not say all of it.
    pub(super) fn of(builder: &Builder) -> Result<Option<Table>, BuildError> {
        let Some(documents) = builder.kept() else {
            return Ok(None);
        };
        let section = pack(documents, &builder.declarations());
        let blocks = documents.iter().flat_map(|document| &document.files);
        let blocks = blocks.flat_map(|file| file.bytes.blocks.iter().cloned());
        Ok(Some(Table {
            section: section.ok_or_else(|| too_long("bytes about documents"))?,
            blocks: blocks.collect(),
        }))
    }

    pub(super) fn write(&self, writer: &mut Writer) -> std::io::Result<()> {
        writer.section(Part::Documents, NO_DIMENSION, &self.section);
        let mut done = Ok(());
        writer.streamed(Part::DocumentBlocks, NO_DIMENSION, |stream| {
            for block in &self.blocks {
                match block.compressed() {
                    Ok(bytes) => stream.put(&bytes),
                    Err(error) => {
                        done = Err(error);
                        return None;
                    }
                }
            }
            Some(())
        });
        done
    }
}

/// What is known of a document beside its name, as it is written.
fn record_of(document: &KeptDocument, files: Vec<FileRecord>) -> Option<String> {
    let record = Record {
        settings: RawValue::from_string(document.settings.clone()).ok()?,
        files,
        plain: document.plain,
        evidence: document.evidence.clone(),
        more_evidence: document.more_evidence,
        terms: document.terms.clone(),
        orders: document.orders.clone(),
        statements: document.statements,
        skipped: document.skipped,
    };
    serde_json::to_string(&record).ok()
}

fn pack(documents: &[KeptDocument], declarations: &Declarations) -> Option<Vec<u8>> {
    let (mut records, mut places, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let mut end = 0;
    for document in documents {
        let mut files = Vec::new();
        for file in &document.files {
            files.push(FileRecord {
                name: file.name.clone(),
                length: file.bytes.length,
                hash: blake3::Hash::from(file.bytes.hash).to_hex().to_string(),
                blocks: (lengths.len() as u64, file.bytes.blocks.len() as u64),
            });
            for block in file.bytes.blocks.iter() {
                let start = end;
                end += block.compressed_length() as u64;
                places.push([start, end]);
                lengths.push(block.length);
            }
        }
        records.push(record_of(document, files)?);
    }
    let names = documents.iter().map(|document| document.name.as_str());
    let named: Vec<(&str, Cow<'_, str>)> = names.zip(records.into_iter().map(Cow::from)).collect();
    let declarations = serde_json::to_string(declarations).ok()?;
    packed(&named, &places, &lengths, &declarations)
}

/// The table of documents with what is known of each, of the blocks and of what was
/// declared.
fn packed(
    documents: &[(&str, Cow<'_, str>)],
    places: &[[u64; 2]],
    lengths: &[u32],
    declarations: &str,
) -> Option<Vec<u8>> {
    let mut by_name: Vec<u32> = (0..u32::try_from(documents.len()).ok()?).collect();
    by_name.sort_by_key(|&at| documents.get(at as usize).map(|(name, _)| name));
    let mut packer = Packer::default();
    packer.strings(documents.iter().map(|(name, _)| *name))?;
    packer.array(&by_name);
    packer.strings(documents.iter().map(|(_, record)| record.as_ref()))?;
    packer.array(places).array(lengths);
    packer.strings(std::iter::once(declarations))?;
    Some(packer.finish())
}

/// Blocks of documents behind those that are there.
struct Splice {
    places: Vec<[u64; 2]>,
    lengths: Vec<u32>,
    /// Where the last block ends.
    end: u64,
    blocks: Vec<u8>,
}

impl Splice {
    /// Puts a document's blocks behind the others; what is known of it.
    fn record(&mut self, document: &KeptDocument) -> Option<String> {
        let mut files = Vec::new();
        for file in &document.files {
            files.push(FileRecord {
                name: file.name.clone(),
                length: file.bytes.length,
                hash: blake3::Hash::from(file.bytes.hash).to_hex().to_string(),
                blocks: (self.lengths.len() as u64, file.bytes.blocks.len() as u64),
            });
            for block in file.bytes.blocks.iter() {
                let bytes = block.compressed().ok()?;
                let start = self.end;
                self.end += bytes.len() as u64;
                self.places.push([start, self.end]);
                self.lengths.push(block.length);
                self.blocks.extend_from_slice(&bytes);
            }
        }
        record_of(document, files)
    }
}

/// The table in place.
struct View<'a> {
    names: Strings<'a>,
    /// The documents in the order of their names.
    by_name: Array<'a, u32>,
    records: Strings<'a>,
    /// Where each block starts and ends among all.
    places: Array<'a, [u64; 2]>,
    lengths: Array<'a, u32>,
    declarations: Strings<'a>,
}

impl<'a> View<'a> {
    fn of(mut unpacker: Unpacker<'a>) -> Option<View<'a>> {
        let view = View {
            names: unpacker.strings()?,
            by_name: unpacker.array()?,
            records: unpacker.strings()?,
            places: unpacker.array()?,
            lengths: unpacker.array()?,
            declarations: unpacker.strings()?,
        };
        let shaped = unpacker.is_done()
            && view.names.len() == view.by_name.len()
            && view.names.len() == view.records.len()
            && view.places.len() == view.lengths.len()
            && view.declarations.len() == 1;
        shaped.then_some(view)
    }

    fn document(&self, at: usize, lattice: &Lattice) -> Option<KeptDocument> {
        let record: Record = serde_json::from_str(self.records.get(at)).ok()?;
        let file = |file: FileRecord| {
            let (first, count) = file.blocks;
            let last = first.checked_add(count)?;
            let blocks: Option<Vec<Block>> =
                (first..last).map(|k| self.block(k, lattice)).collect();
            Some(KeptFile {
                name: file.name,
                bytes: KeptBytes {
                    blocks: blocks?.into(),
                    length: file.length,
                    hash: *blake3::Hash::from_hex(&file.hash).ok()?.as_bytes(),
                },
            })
        };
        let files: Option<Vec<KeptFile>> = record.files.into_iter().map(file).collect();
        Some(KeptDocument {
            name: self.names.get(at).to_owned(),
            settings: record.settings.get().to_owned(),
            files: files?,
            plain: record.plain,
            evidence: record.evidence,
            more_evidence: record.more_evidence,
            terms: record.terms,
            orders: record.orders,
            statements: record.statements,
            skipped: record.skipped,
        })
    }

    fn block(&self, at: u64, lattice: &Lattice) -> Option<Block> {
        let at = usize::try_from(at).ok()?;
        let [start, end] = self.places.get(at)?;
        let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        (start <= end).then_some(Block {
            length: self.lengths.get(at)?,
            place: Place::Lattice(lattice.clone(), range),
        })
    }

    fn find(&self, name: &str) -> Option<usize> {
        let name_of = |at: u32| self.names.get(at as usize);
        let at = self.by_name.partition_point(|&at| name_of(at) < name);
        let at = self.by_name.get(at)?;
        (name_of(at) == name).then_some(at as usize)
    }
}

/// The documents that a lattice was made from, if it keeps them.
impl Lattice {
    /// Whether the lattice keeps the documents that it was made from, so that one can be
    /// added or taken out.
    pub fn keeps_documents(&self) -> bool {
        let section = self.image().pages(Part::Documents, NO_DIMENSION);
        !matches!(section, Ok(None))
    }

    /// How many documents the lattice keeps.
    pub fn kept_document_count(&self) -> usize {
        self.document_view().map_or(0, |view| view.names.len())
    }

    /// The names of the documents that the lattice keeps, in the order in which they were
    /// loaded.
    pub fn kept_names(&self) -> impl Iterator<Item = &str> {
        let names = self.document_view().map(|view| view.names);
        names.into_iter().flat_map(Strings::iter)
    }

    /// The place of a document that the lattice keeps, by its name.
    pub fn find_kept_document(&self, name: &str) -> Option<usize> {
        self.document_view()?.find(name)
    }

    /// A document that the lattice keeps.
    ///
    /// # Errors
    /// If what is known of it is damaged, or there is none at this place.
    pub fn kept_document(&self, at: usize) -> Result<KeptDocument, StoreError> {
        let document = self
            .document_view()
            .and_then(|view| view.document(at, self));
        document.ok_or_else(|| self.damaged(Part::Documents, NO_DIMENSION))
    }

    /// All documents that the lattice keeps, in the order in which they were loaded.
    ///
    /// # Errors
    /// If what is known of one is damaged.
    pub fn kept_documents(&self) -> Result<Vec<KeptDocument>, StoreError> {
        if self.keeps_documents() && self.document_view().is_none() {
            return Err(self.damaged(Part::Documents, NO_DIMENSION));
        }
        let count = self.kept_document_count();
        (0..count).map(|at| self.kept_document(at)).collect()
    }

    fn document_view(&self) -> Option<View<'_>> {
        self.view(Part::Documents, NO_DIMENSION, View::of)
    }

    /// The sections of blocks in the order in which they were written: that of the base,
    /// and then those of added documents.
    fn block_sections(&self) -> impl Iterator<Item = u32> {
        let all = self.image().sections();
        let added = all.filter(|(part, of)| *part == Part::DocumentBlocks && *of != NO_DIMENSION);
        std::iter::once(NO_DIMENSION).chain(added.map(|(_, of)| of))
    }

    /// Some bytes of the blocks; none if they are damaged.
    pub(super) fn document_blocks(&self, range: Range<usize>) -> Option<&[u8]> {
        let mut start = 0;
        for section in self.block_sections() {
            let pages = self.image().pages(Part::DocumentBlocks, section).ok()??;
            if range.start >= start && range.end <= start + pages.len() {
                return pages.get(range.start - start..range.end - start);
            }
            start += pages.len();
        }
        None
    }

    /// The sections that say which documents there are once some are taken out and others
    /// are put: at the place of one, or behind all.
    pub(super) fn spliced_documents(
        &self,
        gone: &BTreeSet<usize>,
        put: &[(Option<usize>, KeptDocument)],
    ) -> Option<Sections> {
        let view = self.document_view()?;
        let mut splice = Splice {
            places: view.places.all().to_vec(),
            lengths: view.lengths.all().to_vec(),
            end: 0,
            blocks: Vec::new(),
        };
        for section in self.block_sections() {
            let pages = self.image().pages(Part::DocumentBlocks, section).ok()??;
            splice.end += pages.len() as u64;
        }
        let mut documents: Vec<(&str, Cow<'_, str>)> = Vec::new();
        for at in 0..view.names.len() {
            let there = put.iter().find(|(place, _)| *place == Some(at));
            match there {
                Some((_, document)) => {
                    documents.push((&document.name, splice.record(document)?.into()));
                }
                None if gone.contains(&at) => {}
                None => documents.push((view.names.get(at), view.records.get(at).into())),
            }
        }
        for (_, document) in put.iter().filter(|(place, _)| place.is_none()) {
            documents.push((&document.name, splice.record(document)?.into()));
        }
        let declarations = view.declarations.get(0);
        let table = packed(&documents, &splice.places, &splice.lengths, declarations)?;
        let mut sections = vec![(Part::Documents, NO_DIMENSION, table)];
        if !splice.blocks.is_empty() {
            let last = self
                .block_sections()
                .filter(|&of| of != NO_DIMENSION)
                .last();
            let next = last.map_or(0, |last| last + 1);
            sections.push((Part::DocumentBlocks, next, splice.blocks));
        }
        Some(sections)
    }

    /// What was declared when the lattice was made; none if it keeps no documents.
    pub(super) fn declarations(&self) -> Option<Declarations> {
        serde_json::from_str(self.document_view()?.declarations.get(0)).ok()
    }

    /// Whether some document but the one at a place may give evidence that names a document
    /// so.
    pub(crate) fn others_give_evidence(&self, name: &str, but: usize) -> bool {
        self.others_say(name, but, |record| {
            record.more_evidence || record.evidence.iter().any(|own| own == name)
        })
    }

    /// Whether some document but the one at a place may state a value of a taxonomy.
    pub(crate) fn others_state(&self, dimension: &str, term: &str, but: usize) -> bool {
        let of = (dimension.to_owned(), term.to_owned());
        let either = [dimension, term];
        either.into_iter().any(|word| {
            self.others_say(word, but, |record| {
                record.orders.iter().any(|own| own == dimension) || record.terms.contains(&of)
            })
        })
    }

    /// Whether something holds of the record of a document but the one at a place, of
    /// those that have a word in them, or more words than they list.
    fn others_say(&self, word: &str, but: usize, holds: impl Fn(&Record) -> bool) -> bool {
        let quoted = serde_json::to_string(word).ok();
        let Some((view, quoted)) = self.document_view().zip(quoted) else {
            return true;
        };
        let mut others = (0..view.names.len()).filter(|&at| at != but);
        others.any(|at| {
            let record = view.records.get(at);
            let concerns = record.contains(&quoted) || record.contains("\"more_evidence\":true");
            concerns && serde_json::from_str(record).map_or(true, |record| holds(&record))
        })
    }

    /// The names of the dimensions of which defects have been noted; none if the lattice
    /// keeps no documents.
    pub(super) fn noted_dimensions(&self) -> Option<BTreeSet<String>> {
        let declared = self.declarations()?.dimensions.into_iter();
        let noted = declared.filter(|declared| declared.noted);
        Some(noted.map(|declared| declared.spec.name).collect())
    }

    /// Whether both sections are as their content would be written.
    pub(super) fn documents_are_sound(&self) -> bool {
        let image = self.image();
        let table = image.section(Part::Documents, NO_DIMENSION);
        let blocks = image.section(Part::DocumentBlocks, NO_DIMENSION);
        let (table, blocks) = match (table, blocks) {
            (Ok(None), Ok(None)) => return true,
            (Ok(Some(table)), Ok(Some(blocks))) => (table, blocks),
            _ => return false,
        };
        let (Ok(documents), Some(declarations)) = (self.kept_documents(), self.declarations())
        else {
            return false;
        };
        let files = || documents.iter().flat_map(|document| &document.files);
        let lengths = files().flat_map(|file| file.bytes.blocks.iter());
        let length: usize = lengths.map(Block::compressed_length).sum();
        // What was taken out stays among the blocks until the lattice is built anew.
        let written = self.over().is_some()
            || (length == blocks.len()
                && pack(&documents, &declarations).is_some_and(|bytes| bytes == table));
        written && files().all(|file| file.bytes.are_whole())
    }
}

impl Builder {
    /// A builder that knows the dimensions and units of a lattice exactly as the one that
    /// made it, and the values of its taxonomies when they are named; nothing else. What a
    /// document says beside them is what it says.
    ///
    /// # Errors
    /// If the lattice keeps no documents, or what it knows of them is damaged.
    pub fn seeded(lattice: &Lattice) -> Result<Builder, StoreError> {
        let builder = lattice
            .declarations()
            .and_then(|declarations| Builder::with(&declarations, lattice.units()));
        let mut builder = builder.ok_or_else(|| lattice.damaged(Part::Documents, NO_DIMENSION))?;
        builder.borrowed = Borrowed::from(lattice);
        Ok(builder)
    }
}
