//! Documents that are added to a lattice file, or taken out of it, without building it
//! anew: where what they say concerns nothing that other documents say.

use super::change::{Change, ChangeError, Outcome, Plan, Step};
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

/// The lattice with what is planned done in place; none if it has to be built anew. What
/// is wrong with a document is then told by that, which knows all that is said.
pub(super) fn in_place(
    lattice: &Lattice,
    plan: &Plan,
    change: &Change,
    progress: &mut dyn Progress,
) -> Option<InPlace> {
    if !lattice.keeps_documents() {
        return None;
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
        done.take_out(at, lattice)?;
    }
    for step in &plan.steps {
        if let Step::Load(request) = *step {
            done.put(request, lattice, change, progress)?;
        }
    }
    done.report.warn_of_references();
    let outcomes = &plan.outcomes;
    let aside = outcomes
        .iter()
        .any(|(_, outcome)| *outcome == Outcome::SetAside);
    (!aside && done.report.quarantined.is_empty()).then_some(done)
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
    ) -> Option<()> {
        let request = change.add.get(request)?;
        let length = std::fs::metadata(&request.path).ok()?.len();
        if length > LARGEST {
            return None;
        }
        let mut builder = Builder::seeded(&self.lattice).ok()?;
        let report = load(&mut builder, request, &change.options, progress).ok()?;
        let document = builder.latest_document()?.clone();
        if !document.plain || document.more_evidence || document.files.len() != 1 {
            return None;
        }
        let said = builder.freeze().ok()?;
        self.lattice = self.lattice.with_document(&said)?;
        if report
            .wish_without_file(&change.options, &builder)
            .is_some()
        {
            return None;
        }
        self.report.absorb(report);
        // One that replaces another takes its place.
        let place = lattice.find_kept_document(&document.name);
        let place = place.filter(|at| self.gone.contains(at));
        self.put.push((place, document));
        Some(())
    }

    /// Writes the change; false if it cannot be written so.
    pub(super) fn write(&self, lock: &mut WriteLock) -> Result<bool, ChangeError> {
        Ok(self.lattice.append_changes(lock, &self.gone, &self.put)?)
    }
}
