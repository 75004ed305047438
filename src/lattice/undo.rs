//! Taking back what a failing statement or file has added, and what a document says.

use super::builder::{Builder, Dim, Fact, Inst};
use super::defect::Note;
use super::documents::DocumentMark;
use super::fact_store::Facts;
use super::intern::{NONE, StringKey};
use super::{BuildError, Units};

/// What a checkpoint cannot take back by cutting arrays to their former length.
#[derive(Clone)]
pub(super) enum Undo {
    Dimension(u32, Box<Dim>),
    Instance(u32, Inst),
    Units(Units),
    Retracted(Box<Retracted>),
}

/// What a document's retraction has changed.
#[derive(Clone)]
pub(super) struct Retracted {
    /// All facts as they were.
    facts: Facts,
    /// The instances taken out.
    instances: Vec<u32>,
    /// The edges that lost their source, with it.
    edges: Vec<(usize, u32)>,
    /// All notes as they were.
    notes: Vec<Note>,
}

/// What an open checkpoint says of arrays that are not to forget it.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) facts: usize,
    pub(super) instances: usize,
}

/// A state of a builder that can be returned to. Checkpoints nest: the latest one
/// is rolled back or released first.
#[derive(Debug)]
#[must_use = "a checkpoint keeps a log until it is rolled back or released"]
pub struct Checkpoint {
    undo: usize,
    dims: usize,
    terms: usize,
    edges: usize,
    synonyms: usize,
    instances: usize,
    claims: usize,
    aliases: usize,
    facts: usize,
    notes: usize,
    touched: usize,
    documents: DocumentMark,
}

impl Builder {
    /// Marks the present state.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.marks.push(Mark {
            facts: self.facts.len(),
            instances: self.instances.len(),
        });
        Checkpoint {
            undo: self.undo.len(),
            dims: self.dims.len(),
            terms: self.terms.len(),
            edges: self.edges.len(),
            synonyms: self.synonyms.len(),
            instances: self.instances.len(),
            claims: self.claims.len(),
            aliases: self.aliases.len(),
            facts: self.facts.len(),
            notes: self.notes.len(),
            touched: self.uncounted.touched.len(),
            documents: self.documents.mark(),
        }
    }

    /// Keeps what was done since the checkpoint.
    pub fn release(&mut self, checkpoint: Checkpoint) {
        self.close_checkpoint();
        self.shorten_log(checkpoint.touched);
    }

    fn close_checkpoint(&mut self) {
        self.marks.pop();
        if self.marks.is_empty() {
            self.undo.clear();
        }
    }

    /// Takes back what was done since the checkpoint. Keys given out since then
    /// stand for nothing.
    pub fn rollback(&mut self, checkpoint: Checkpoint) {
        while self.undo.len() > checkpoint.undo {
            match self.undo.pop() {
                Some(Undo::Dimension(key, before)) => {
                    if let Some(dim) = self.dims.get_mut(key as usize) {
                        *dim = *before;
                    }
                }
                Some(Undo::Instance(key, before)) => {
                    if let Some(inst) = self.instances.get_mut(key as usize) {
                        *inst = before;
                    }
                }
                Some(Undo::Units(before)) => self.units = before,
                Some(Undo::Retracted(retracted)) => self.bring_back(*retracted),
                None => break,
            }
        }
        self.notes.truncate(checkpoint.notes);
        self.facts.truncate(checkpoint.facts);
        self.aliases.truncate(checkpoint.aliases);
        self.synonyms.truncate(checkpoint.synonyms);
        self.edges.truncate(checkpoint.edges);
        self.unclaim(checkpoint.claims);
        while self.instances.len() > checkpoint.instances {
            let key = self.instances.len() as u32 - 1;
            if self.instances.last().is_some_and(|inst| inst.alive) {
                self.unlink(key);
            }
            self.instances.pop();
        }
        self.unsee(checkpoint.touched);
        self.borrowed.truncate(checkpoint.terms);
        self.documents.go_back(checkpoint.documents);
        for term in self.terms.drain(checkpoint.terms.min(self.terms.len())..) {
            self.term_by_name.remove(&term);
        }
        for dim in self.dims.drain(checkpoint.dims.min(self.dims.len())..) {
            self.dim_by_name.remove(&dim.spec.name);
        }
        self.close_checkpoint();
    }

    /// Takes out every fact's source in a document, and each predicate that has no
    /// other. An instance that is left with no fact about it, none that names it,
    /// and no alias goes too, if this document spoke of it and it is not declared: a
    /// fresh build without the document would not have it. (Names and aliases that
    /// come from the document stay, and so do the edges of a taxonomy with what they
    /// make one value.) The defects that the document shows go too; of an edge on a
    /// cycle only that this document states it. Returns the number of facts and
    /// defects taken out.
    pub fn retract_document(&mut self, document: &str) -> usize {
        let Some(document) = self.strings.find(document) else {
            return 0;
        };
        let Some(of_document) = self.sources_of(document) else {
            return 0;
        };
        let gone = |source: u32| of_document.get(source as usize) == Some(&true);
        let before = self.facts.clone();
        let Ok(taken) = self.facts.take(|fact| gone(fact.source)) else {
            return 0;
        };
        let instances = self.left_alone(&taken);
        instances.iter().for_each(|&key| self.unlink(key));
        let notes = self.notes.clone();
        let edges = self.forget_defects(gone);
        let count = taken.len() + edges.len() + (notes.len() - self.notes.len());
        if count > 0 {
            self.note_change();
        }
        if !self.marks.is_empty() && count > 0 {
            self.undo.push(Undo::Retracted(Box::new(Retracted {
                facts: before,
                instances,
                edges,
                notes,
            })));
        }
        count
    }

    /// By source, whether it is of a document. None if they cannot be read.
    fn sources_of(&self, document: StringKey) -> Option<Vec<bool>> {
        let mut reader = self.sources.reader();
        let keys = 0..self.sources.len() as u32;
        keys.map(|key| Some(reader.get(key).ok()??.document == document))
            .collect()
    }

    fn bring_back(&mut self, retracted: Retracted) {
        self.notes = retracted.notes;
        for (at, source) in retracted.edges {
            if let Some(edge) = self.edges.get_mut(at) {
                edge.source = source;
            }
        }
        self.facts = retracted.facts;
        retracted
            .instances
            .into_iter()
            .for_each(|key| self.link(key));
    }

    /// Takes the sources for which `gone` holds from edges and notes; the edges that
    /// lost theirs, with it.
    fn forget_defects(&mut self, is_gone: impl Fn(u32) -> bool) -> Vec<(usize, u32)> {
        self.notes.retain(|note| !is_gone(note.source));
        let mut edges = Vec::new();
        for (at, edge) in self.edges.iter_mut().enumerate() {
            if is_gone(edge.source) {
                edges.push((at, edge.source));
                edge.source = NONE;
            }
        }
        edges
    }

    /// The instances of the facts taken out that nothing speaks of any more.
    fn left_alone(&self, taken: &[Fact]) -> Vec<u32> {
        let mut lost = vec![false; self.instances.len()];
        let mut mark = |fact: &Fact, value: bool| {
            let object = self.is_entity(fact.dimension).then_some(fact.value);
            for key in std::iter::once(fact.subject).chain(object) {
                if let Some(slot) = lost.get_mut(key as usize) {
                    *slot = value;
                }
            }
        };
        taken.iter().for_each(|fact| mark(fact, true));
        let kept = self.facts.view().each(None, |columns| {
            columns.iter().for_each(|fact| mark(&fact, false));
        });
        // What is not known to be alone stays.
        if kept.is_err() {
            return Vec::new();
        }
        for (key, word) in &self.aliases {
            let own = self.instances.get(*key as usize).map(|inst| inst.name);
            if let Some(slot) = lost.get_mut(*key as usize).filter(|_| own != Some(*word)) {
                *slot = false;
            }
        }
        (0u32..)
            .zip(lost)
            .zip(&self.instances)
            .filter(|((_, lost), inst)| *lost && !inst.is_declared())
            .map(|((key, _), _)| key)
            .collect()
    }

    /// Whether the values of a dimension are instances.
    pub(super) fn is_entity(&self, dimension: u16) -> bool {
        let dim: Result<&Dim, BuildError> = self.dim(u32::from(dimension));
        dim.is_ok_and(|dim| matches!(dim.spec.kind, super::KindSpec::Entity { .. }))
    }
}
