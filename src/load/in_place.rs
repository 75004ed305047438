//! Documents that are added to a lattice file, or taken out of it, without building it
//! anew: where what they say concerns nothing that other documents say.

use super::change::{Change, ChangeError, Plan, Step};
use super::documents::{load, load_again};
use super::{Progress, Report};
use crate::lattice::{Builder, KeptDocument, Lattice, WriteLock};
use std::collections::BTreeSet;

/// A document with more bytes is not looked at for itself: to build anew costs no more.
const LARGEST: u64 = 1 << 20;

/// A lattice with a change in it that is not written yet.
pub(super) struct InPlace {
    pub(super) lattice: Lattice,
    pub(super) report: Report,
    gone: BTreeSet<usize>,
    put: Vec<(Option<usize>, KeptDocument)>,
}

/// The lattice with what is planned done in place; none if it has to be built anew.
///
/// # Errors
/// If a document that is to be added cannot be loaded.
pub(super) fn in_place(
    lattice: &Lattice,
    plan: &Plan,
    change: &Change,
    progress: &mut dyn Progress,
) -> Result<Option<InPlace>, ChangeError> {
    match planned(lattice, plan, change, progress) {
        Ok(done) => Ok(Some(done)),
        Err(Not::Here) => Ok(None),
        Err(Not::AtAll(error)) => Err(error),
    }
}

/// Why a change is not done in place.
enum Not {
    /// The lattice has to be built anew.
    Here,
    /// Neither way.
    AtAll(ChangeError),
}

fn planned(
    lattice: &Lattice,
    plan: &Plan,
    change: &Change,
    progress: &mut dyn Progress,
) -> Result<InPlace, Not> {
    if !lattice.keeps_documents() {
        return Err(Not::Here);
    }
    let mut done = InPlace {
        lattice: lattice.clone(),
        report: Report::default(),
        gone: BTreeSet::new(),
        put: Vec::new(),
    };
    let kept: BTreeSet<usize> = plan.kept().collect();
    let gone = (0..lattice.kept_document_count()).filter(|at| !kept.contains(at));
    done.gone = gone.collect();
    for at in done.gone.clone() {
        done.take_out(at, lattice).ok_or(Not::Here)?;
    }
    for step in &plan.steps {
        if let Step::Load(request) = *step {
            done.put(request, lattice, change, progress)?;
        }
    }
    if !change.add.is_empty() {
        let builder = Builder::seeded(&done.lattice).map_err(|_| Not::Here)?;
        if let Some(wrong) = done.report.wish_without_file(&change.options, &builder) {
            return Err(Not::AtAll(ChangeError::Wish(wrong)));
        }
    }
    done.report.warn_of_references();
    Ok(done)
}

impl InPlace {
    /// Takes out what the document at a place says.
    fn take_out(&mut self, at: usize, lattice: &Lattice) -> Option<()> {
        let document = lattice.kept_document(at).ok()?;
        let length: u64 = document.files.iter().map(|file| file.bytes.length()).sum();
        let is_whole = !document.more_evidence && document.files.len() == 1;
        if !document.plain || !is_whole || length > LARGEST {
            return None;
        }
        let mut builder = Builder::seeded(&self.lattice).ok()?;
        load_again(&mut builder, &document, &mut super::Silent).ok()?;
        builder.latest_document()?;
        let said = builder.freeze().ok()?;
        let is_sole = |name: &str| {
            document.evidence.iter().any(|own| own == name)
                && !lattice.others_give_evidence(name, at)
        };
        let terms = document.terms.iter();
        let terms = terms.filter(|(d, term)| !lattice.others_state(d, term, at));
        let terms: Vec<(String, String)> = terms.cloned().collect();
        self.lattice = self.lattice.without_document(&said, &is_sole, &terms)?;
        Some(())
    }

    /// Adds what a document says.
    fn put(
        &mut self,
        request: usize,
        lattice: &Lattice,
        change: &Change,
        progress: &mut dyn Progress,
    ) -> Result<(), Not> {
        let request = change.add.get(request).ok_or(Not::Here)?;
        // What comes from a pipe comes once.
        let there = std::fs::metadata(&request.path).map_err(|_| Not::Here)?;
        if !there.is_file() || there.len() > LARGEST {
            return Err(Not::Here);
        }
        let mut builder = Builder::seeded(&self.lattice).map_err(|_| Not::Here)?;
        let loaded = load(&mut builder, request, &change.options, progress);
        let report = loaded.map_err(|error| match builder.is_unsure() {
            true => Not::Here,
            // What one document alone contradicts is contradicted by all as well.
            false => Not::AtAll(ChangeError::Load(error)),
        })?;
        let document = self.said_by(&builder).ok_or(Not::Here)?;
        self.report.absorb(report);
        // One that replaces another takes its place.
        let place = lattice.find_kept_document(&document.name);
        let place = place.filter(|at| self.gone.contains(at));
        self.put.push((place, document));
        Ok(())
    }

    /// Lays what a builder has been told by one document over the lattice.
    fn said_by(&mut self, builder: &Builder) -> Option<KeptDocument> {
        let document = builder.latest_document()?.clone();
        if !document.plain || document.more_evidence || document.files.len() != 1 {
            return None;
        }
        let said = builder.freeze().ok()?;
        self.lattice = self.lattice.with_document(&said)?;
        Some(document)
    }

    /// Writes the change; false if it cannot be written so.
    pub(super) fn write(&self, lock: &mut WriteLock) -> Result<bool, ChangeError> {
        Ok(self.lattice.append_changes(lock, &self.gone, &self.put)?)
    }
}
