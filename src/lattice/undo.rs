//! Taking back what a failing statement or file has added, and what a document says.

use super::builder::{Builder, Dim, Fact, Inst, Source};
use super::defect::Note;
use super::intern::NONE;
use super::{BuildError, Units};

/// What a checkpoint cannot take back by cutting arrays to their former length.
#[derive(Clone)]
pub(super) enum Undo {
    Dimension(u32, Box<Dim>),
    Instance(u32, Inst),
    Units(Units),
    Retracted {
        /// The facts taken out, with their former places, ascending.
        facts: Vec<(usize, Fact)>,
        /// The number of facts that were left.
        left: usize,
        /// The instances taken out.
        instances: Vec<u32>,
        /// The edges that lost their source, with it.
        edges: Vec<(usize, u32)>,
        /// All notes as they were.
        notes: Vec<Note>,
    },
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
}

impl Builder {
    /// Marks the present state.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.open_checkpoints += 1;
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
        }
    }

    /// Keeps what was done since the checkpoint.
    pub fn release(&mut self, _checkpoint: Checkpoint) {
        self.close_checkpoint();
    }

    fn close_checkpoint(&mut self) {
        self.open_checkpoints = self.open_checkpoints.saturating_sub(1);
        if self.open_checkpoints == 0 {
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
                Some(Undo::Retracted {
                    facts,
                    left,
                    instances,
                    edges,
                    notes,
                }) => {
                    self.notes = notes;
                    for (at, source) in edges {
                        if let Some(edge) = self.edges.get_mut(at) {
                            edge.source = source;
                        }
                    }
                    self.facts.truncate(left);
                    self.facts = merged(std::mem::take(&mut self.facts), facts);
                    instances.into_iter().for_each(|key| self.link(key));
                }
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
        let mut taken = Vec::new();
        let mut kept = Vec::with_capacity(self.facts.len());
        for (at, fact) in self.facts.drain(..).enumerate() {
            let source = self.sources.get(fact.source as usize);
            match source.is_some_and(|source| source.document == document) {
                true => taken.push((at, fact)),
                false => kept.push(fact),
            }
        }
        self.facts = kept;
        let instances = self.left_alone(&taken);
        instances.iter().for_each(|&key| self.unlink(key));
        let before = self.notes.clone();
        let edges = self.forget_defects(|source| source.document == document);
        let count = taken.len() + edges.len() + (before.len() - self.notes.len());
        if self.open_checkpoints > 0 && count > 0 {
            self.undo.push(Undo::Retracted {
                facts: taken,
                left: self.facts.len(),
                instances,
                edges,
                notes: before,
            });
        }
        count
    }

    /// Takes the sources for which `gone` holds from edges and notes; the edges that
    /// lost theirs, with it.
    fn forget_defects(&mut self, gone: impl Fn(&Source) -> bool) -> Vec<(usize, u32)> {
        let sources = &self.sources;
        let is_gone = |key: u32| sources.get(key as usize).is_some_and(&gone);
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
    fn left_alone(&self, taken: &[(usize, Fact)]) -> Vec<u32> {
        let mut lost = vec![false; self.instances.len()];
        let mut mark = |fact: &Fact, value: bool| {
            let object = self.is_entity(fact).then_some(fact.value);
            for key in std::iter::once(fact.subject).chain(object) {
                if let Some(slot) = lost.get_mut(key as usize) {
                    *slot = value;
                }
            }
        };
        taken.iter().for_each(|(_, fact)| mark(fact, true));
        self.facts.iter().for_each(|fact| mark(fact, false));
        for (key, word) in &self.aliases {
            let own = self.instances.get(*key as usize).map(|inst| inst.name);
            if let Some(slot) = lost.get_mut(*key as usize).filter(|_| own != Some(*word)) {
                *slot = false;
            }
        }
        (0u32..)
            .zip(lost)
            .zip(&self.instances)
            .filter(|((_, lost), inst)| *lost && !inst.declared)
            .map(|((key, _), _)| key)
            .collect()
    }

    pub(super) fn is_entity(&self, fact: &Fact) -> bool {
        let dim: Result<&Dim, BuildError> = self.dim(u32::from(fact.dimension));
        dim.is_ok_and(|dim| matches!(dim.spec.kind, super::KindSpec::Entity { .. }))
    }
}

/// Both lists, the second at its places.
fn merged(kept: Vec<Fact>, taken: Vec<(usize, Fact)>) -> Vec<Fact> {
    let mut all = Vec::with_capacity(kept.len() + taken.len());
    let mut kept = kept.into_iter();
    for (at, fact) in taken {
        all.extend(kept.by_ref().take(at - all.len().min(at)));
        all.push(fact);
    }
    all.extend(kept);
    all
}
