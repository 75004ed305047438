//! The documents that a builder has loaded, kept so that they can be loaded again: to add
//! to them, or to take one out.

use super::Multiplicity;
use super::Units;
use super::builder::{Builder, Dim};
use super::intern::StringKey;
use super::kept::{Keeper, KeptBytes};
use super::merge::Cycles;
use super::spec::DimensionSpec;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How many names of evidence are listed of one document.
const MOST_EVIDENCE: usize = 64;
/// How many values of taxonomies are listed of one document.
const MOST_TERMS: usize = 16;

/// A document that was loaded, with everything to load it again.
#[derive(Clone, Debug)]
pub struct KeptDocument {
    /// What it is called: its path as it was given.
    pub name: String,
    /// How it was loaded, in the words of whoever loaded it.
    pub settings: String,
    /// Its file, and then those that it loads.
    pub files: Vec<KeptFile>,
    /// Whether loading it changed nothing but facts, sources and instances.
    pub plain: bool,
    /// The documents that its sources name, in the order in which they came.
    pub evidence: Vec<String>,
    /// Whether its sources name more than those.
    pub more_evidence: bool,
    /// The values of taxonomies that it states without saying where they stand: dimension
    /// and name.
    pub terms: Vec<(String, String)>,
    /// The taxonomies of which it states more than that.
    pub orders: Vec<String>,
    /// How many facts its lines state.
    pub statements: u64,
    /// How many of its lines were passed over.
    pub skipped: u64,
}

/// A file of a document.
#[derive(Clone, Debug)]
pub struct KeptFile {
    /// Its path, seen from where the document's is seen from.
    pub name: String,
    /// What is in it.
    pub bytes: KeptBytes,
}

/// The documents of a builder.
#[derive(Clone, Default)]
pub(super) struct Documents {
    pub(super) kept: Vec<KeptDocument>,
    /// Where the latest one of each name is.
    places: HashMap<String, usize>,
    pub(super) keeper: Keeper,
    /// The one that is being loaded.
    pub(super) open: Option<Open>,
    /// How things stood when the last one had been loaded.
    after: State,
    /// Whether something was said that stands in none of them.
    is_loose: bool,
    /// How often something changed that is not told by the length of an array.
    pub(super) changes: u64,
}

/// A document that is being loaded.
#[derive(Clone)]
pub(super) struct Open {
    before: State,
    evidence: Vec<StringKey>,
    more_evidence: bool,
    terms: Vec<(u32, StringKey)>,
    orders: Vec<u32>,
    /// How many instances there were before.
    pub(super) first: u32,
    /// The open checkpoints around a statement of it.
    pub(super) marks: usize,
}

/// What a checkpoint remembers of documents.
#[derive(Debug)]
pub(super) struct DocumentMark {
    kept: usize,
    changes: u64,
}

/// How much has been said.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct State {
    order: Order,
    terms: usize,
    instances: usize,
    claims: usize,
    facts: usize,
}

/// How much has been said that is neither fact nor instance.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Order {
    changes: u64,
    edges: usize,
    synonyms: usize,
    aliases: usize,
    notes: usize,
}

impl Documents {
    /// Those of a builder that keeps to so many bytes of memory.
    pub(super) fn within(memory: usize, folder: &Path) -> Documents {
        Documents {
            keeper: Keeper::within(memory, folder),
            ..Documents::default()
        }
    }

    pub(super) fn mark(&self) -> DocumentMark {
        DocumentMark {
            kept: self.kept.len(),
            changes: self.changes,
        }
    }

    /// What was said since is taken back. Documents that have been loaded since are not
    /// counted any more as if they had not been: then none are kept.
    pub(super) fn go_back(&mut self, mark: DocumentMark) {
        self.changes = mark.changes;
        if self.kept.len() > mark.kept {
            self.kept.truncate(mark.kept);
            self.places.clear();
            self.is_loose = true;
        }
    }

    /// Whether a document is there already as it is.
    fn has(&self, document: &KeptDocument) -> bool {
        let there = self.places.get(&document.name);
        let there = there.and_then(|&at| self.kept.get(at));
        there.is_some_and(|there| there.is_loaded_as(document))
    }

    fn put(&mut self, document: KeptDocument) {
        self.places.insert(document.name.clone(), self.kept.len());
        self.kept.push(document);
    }
}

impl KeptDocument {
    /// Whether another is the same file, loaded in the same way.
    fn is_loaded_as(&self, other: &KeptDocument) -> bool {
        let file =
            |(a, b): (&KeptFile, &KeptFile)| a.name == b.name && a.bytes.hash == b.bytes.hash;
        self.settings == other.settings
            && self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(file)
    }
}

impl Builder {
    /// What keeps the bytes of a document that is to be loaded; none if something was
    /// said that no document says, so that documents could not say all of it again.
    pub(crate) fn keeper(&mut self) -> Option<Keeper> {
        self.look_for_loose();
        let documents = &mut self.documents;
        (!documents.is_loose).then(|| std::mem::take(&mut documents.keeper))
    }

    /// Takes back what [`Builder::keeper`] gave.
    pub(crate) fn put_back(&mut self, keeper: Keeper) {
        self.documents.keeper = keeper;
    }

    /// From here on a document speaks.
    pub(crate) fn begin_document(&mut self) {
        self.look_for_loose();
        self.count_mentions();
        self.documents.open = Some(Open {
            before: self.state(),
            evidence: Vec::new(),
            more_evidence: false,
            terms: Vec::new(),
            orders: Vec::new(),
            first: self.instances.len() as u32,
            marks: self.marks.len() + 1,
        });
    }

    /// The document has been loaded; what was kept of it, if anything was. One that was
    /// loaded before just so is no other document.
    pub(crate) fn end_document(&mut self, kept: Option<KeptDocument>) {
        match &kept {
            Some(document) if self.documents.has(document) => self.forget_mentions(),
            _ => self.count_mentions(),
        }
        let after = self.state();
        let Some(open) = self.documents.open.take() else {
            return;
        };
        self.documents.after = after;
        let Some(mut document) = kept else {
            self.documents.is_loose = true;
            return;
        };
        if self.documents.has(&document) {
            return;
        }
        document.plain = open.before.order == after.order && open.orders.is_empty();
        let dimension = |&key: &u32| Some(self.dim(key).ok()?.spec.name.clone());
        let terms = open.terms.iter();
        let terms = terms
            .filter_map(|(key, term)| Some((dimension(key)?, self.strings.get(*term).to_owned())));
        document.terms = terms.collect();
        document.orders = open.orders.iter().filter_map(dimension).collect();
        let names = open.evidence.iter();
        document.evidence = names.map(|&key| self.strings.get(key).into()).collect();
        document.more_evidence = open.more_evidence;
        self.documents.put(document);
    }

    /// The document could not be loaded, and was rolled back.
    pub(crate) fn abandon_document(&mut self) {
        self.forget_mentions();
        self.documents.open = None;
        self.documents.after = self.state();
    }

    fn look_for_loose(&mut self) {
        let documents = &self.documents;
        if documents.open.is_none() && documents.after != self.state() {
            self.documents.is_loose = true;
        }
    }

    /// The documents that say all that was said; none if something else was said too.
    pub(super) fn kept(&self) -> Option<&[KeptDocument]> {
        let documents = &self.documents;
        let whole = !documents.is_loose && documents.after == self.state();
        whole.then_some(documents.kept.as_slice())
    }

    /// Whether it could not be told of some word whether it is a value of what is borrowed
    /// from.
    pub(crate) fn is_unsure(&self) -> bool {
        self.borrowed.is_unsure()
    }

    /// The document that was loaded last, if all that was said is kept and could be read
    /// without knowing more than what was borrowed.
    pub(crate) fn latest_document(&self) -> Option<&KeptDocument> {
        let sure = !self.is_unsure();
        self.kept()?.last().filter(|_| sure)
    }

    /// A source that names a document.
    pub(super) fn note_evidence(&mut self, document: StringKey) {
        let Some(open) = &mut self.documents.open else {
            return;
        };
        if open.evidence.last() == Some(&document) || open.evidence.contains(&document) {
            return;
        }
        match open.evidence.len() < MOST_EVIDENCE {
            true => open.evidence.push(document),
            false => open.more_evidence = true,
        }
    }

    /// A value of a taxonomy is stated, without its place in the order.
    pub(super) fn note_term(&mut self, dimension: u32, term: StringKey) {
        let Some(open) = &mut self.documents.open else {
            return;
        };
        if open.terms.contains(&(dimension, term)) {
            return;
        }
        match open.terms.len() < MOST_TERMS {
            true => open.terms.push((dimension, term)),
            false => self.note_order(dimension),
        }
    }

    /// More is stated of a taxonomy than values by themselves.
    pub(super) fn note_order(&mut self, dimension: u32) {
        if let Some(open) = &mut self.documents.open
            && !open.orders.contains(&dimension)
        {
            open.orders.push(dimension);
        }
    }

    fn state(&self) -> State {
        State {
            order: Order {
                changes: self.documents.changes,
                edges: self.edges.len(),
                synonyms: self.synonyms.len(),
                aliases: self.aliases.len(),
                notes: self.notes.len(),
            },
            terms: self.terms.len() - self.borrowed.terms(),
            instances: self.instances.len(),
            claims: self.claims.len(),
            facts: self.facts.len(),
        }
    }

    /// Something changed that the lengths of arrays do not tell.
    pub(super) fn note_change(&mut self) {
        self.documents.changes += 1;
    }

    /// What has been declared, so that it can be said again.
    pub(super) fn declarations(&self) -> Declarations {
        let noted: HashSet<u32> = self.notes.iter().map(|note| note.dimension).collect();
        let dimensions = (0u32..).zip(&self.dims).map(|(at, dim)| Declared {
            spec: dim.spec.clone(),
            declared: dim.declared,
            inferred: dim.inferred,
            shown: dim.shown,
            noted: noted.contains(&at),
        });
        Declarations {
            dimensions: dimensions.collect(),
            merging: self.cycles == Cycles::Merge,
        }
    }

    /// A builder in which the same is declared, and nothing else is said.
    pub(super) fn with(declarations: &Declarations, units: &Units) -> Option<Builder> {
        let mut builder = Builder::new();
        builder.units = units.clone();
        for declared in &declarations.dimensions {
            let dim = Dim {
                spec: declared.spec.clone(),
                declared: declared.declared,
                inferred: declared.inferred,
                shown: declared.shown,
            };
            builder.put_dimension(dim).ok()?;
        }
        if declarations.merging {
            builder.set_cycles(Cycles::Merge);
        }
        builder.documents.after = builder.state();
        Some(builder)
    }
}

/// What has been declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declarations {
    /// In the order in which they came.
    pub(super) dimensions: Vec<Declared>,
    /// Whether the members of a cycle become one value.
    pub(super) merging: bool,
}

/// A dimension as a builder knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Declared {
    pub(super) spec: DimensionSpec,
    pub(super) declared: bool,
    pub(super) inferred: bool,
    pub(super) shown: Option<Multiplicity>,
    /// Whether defects have been noted of it.
    pub(super) noted: bool,
}
