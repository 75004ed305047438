//! A document laid over a lattice, or taken off it, without building anew.
//!
//! What a document says is read into a lattice of its own. Where each of its instances
//! is one of the whole lattice, or a new one that nothing there could be taken for, its
//! rows join those that are there. Where a document would change what other documents
//! mean (a name that stands for something else now, an order, a declaration), this gives
//! up, and the lattice is built anew.
#![deny(clippy::indexing_slicing)]

use super::delta::{Delta, Flags, Link, Text};
use super::editor::Editor;
use super::mentioned::Counters;
use crate::lattice::content::{instance_element, term};
use crate::lattice::evidence::Piece;
use crate::lattice::hash::{Element, LtHash};
use crate::lattice::snapshot::Lattice;
use crate::lattice::{DimensionId, Evidence, EvidenceId, InstanceId, Relation, Value, ValueId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What rows gain or lose: by dimension, polarity and subject, the values, and with each
/// its sources.
type Rows = BTreeMap<(DimensionId, bool, Link), Gathered>;

/// The values of a row, and with each its sources.
type Gathered = BTreeMap<Link, BTreeMap<Link, f64>>;

/// An instance that a document speaks of.
struct Spoken {
    link: Link,
    /// Its present number; none if it is new.
    now: Option<InstanceId>,
    /// How the document mentions it.
    counters: Counters,
}

/// A document and the lattice that it joins or leaves.
struct Change<'a> {
    editor: Editor<'a>,
    now: &'a Lattice,
    said: &'a Lattice,
    /// By number in what the document says.
    spoken: Vec<Spoken>,
    /// The present numbers of those that are there.
    numbers: HashMap<Link, InstanceId>,
    /// By number in what the document says.
    evidence: Vec<Link>,
    rows: Rows,
    /// The instances whose element of the content hash may change: present numbers before.
    before: BTreeSet<InstanceId>,
    touched: BTreeSet<Link>,
    terms_gone: Vec<(DimensionId, String)>,
}

/// What lies over the base once a document has been added; none if the lattice has to be
/// built anew. `said` is what the document says.
pub(in crate::lattice) fn added(now: &Lattice, said: &Lattice) -> Option<Delta> {
    let mut change = Change::of(now, said)?;
    change.meet_all(true)?;
    change.state_terms()?;
    change.look_up_evidence()?;
    change.collect_rows()?;
    change.join_rows()?;
    change.mention(Counters::plus)?;
    change.finish(0)
}

/// What lies over the base once a document has been taken out; none if the lattice has to
/// be built anew. `is_sole` tells whether no other document states evidence of a name, and
/// `terms` are the values of taxonomies that no other document states.
pub(in crate::lattice) fn removed(
    now: &Lattice,
    said: &Lattice,
    is_sole: &dyn Fn(&str) -> bool,
    terms: &[(String, String)],
) -> Option<Delta> {
    let mut change = Change::of(now, said)?;
    change.meet_all(false)?;
    if !said
        .documents()
        .iter()
        .all(|document| is_sole(&document.name))
    {
        return None;
    }
    change.look_up_evidence()?;
    if change.editor.evidence_added > 0 {
        return None;
    }
    change.collect_rows()?;
    change.part_rows()?;
    let gone = change.mention_less()?;
    let evidence: BTreeSet<Link> = change.evidence.iter().copied().collect();
    for link in &evidence {
        change.editor.delta.evidence.remove(*link);
    }
    change.editor.delta.counts.evidence -= evidence.len() as u64;
    change.retract_terms(terms)?;
    change.finish(gone)
}

impl<'a> Change<'a> {
    fn of(now: &'a Lattice, said: &'a Lattice) -> Option<Change<'a>> {
        // What it says is read with the dimensions of the whole.
        let same = now.dimensions() == said.dimensions();
        // A fact may define a term that others name as a parent, which is a defect else.
        let noted = now.noted_dimensions()?;
        let mut ordered = (0u16..).map(DimensionId).zip(said.dimensions());
        let harmless = ordered.all(|(d, dimension)| {
            let says = !said.positive(d).is_empty() || !said.negative(d).is_empty();
            said.defects(d).is_empty() && !(says && noted.contains(&dimension.name))
        });
        (same && harmless).then(|| Change {
            editor: Editor::new(now),
            now,
            said,
            spoken: Vec::new(),
            numbers: HashMap::new(),
            evidence: Vec::new(),
            rows: Rows::new(),
            before: BTreeSet::new(),
            touched: BTreeSet::new(),
            terms_gone: Vec::new(),
        })
    }

    /// Finds every instance of the document among all.
    fn meet_all(&mut self, may_be_new: bool) -> Option<()> {
        for i in (0..self.said.instance_count()).map(InstanceId) {
            if !self.said.aliases(i).is_empty() {
                return None;
            }
            let counters = Counters::of(self.said.mentions(i));
            let (name, id) = (self.said.name(i), self.said.id(i));
            let now = self.meet(name, id, counters)?;
            let link = match now {
                Some(now) => self.editor.instance(now),
                None if may_be_new => self.editor.add_instance(name, id),
                None => return None,
            };
            self.before.extend(now);
            self.touched.insert(link);
            self.numbers.extend(now.map(|now| (link, now)));
            self.spoken.push(Spoken {
                link,
                now,
                counters,
            });
        }
        Some(())
    }

    /// The instance that the document means; `Some(None)` if it is one that is not there,
    /// and `None` if others could be meant as well, now or by what is said elsewhere.
    fn meet(&self, name: &str, id: &str, counters: Counters) -> Option<Option<InstanceId>> {
        let named = self.now.named(name);
        let aliased = |word: &str, own: Option<InstanceId>| {
            let [_, _, alias] = self.now.called_by_level(word);
            let mut others = alias.into_iter().filter(|i| Some(*i) != own);
            others.any(|i| self.now.aliases(i).contains(&word))
        };
        let by_id = self.now.by_id(id);
        if !counters.is_mentioned() {
            // Known by its name alone: whatever is called so.
            return match (named.as_slice(), self.now.by_id(name)) {
                ([only], of_id) => {
                    let clear = of_id.is_none_or(|i| i == *only) && !aliased(name, Some(*only));
                    clear.then_some(Some(*only))
                }
                ([], None) => (!aliased(name, None)).then_some(None),
                _ => None,
            };
        }
        match by_id {
            Some(i) => {
                let named_so = !counters.is_named() || self.now.name(i) == name;
                let alone = named.len() <= 1 && !aliased(name, Some(i)) && !aliased(id, Some(i));
                (named_so && alone).then_some(Some(i))
            }
            None => {
                let words = [name, id].into_iter();
                let free = words.into_iter().all(|word| {
                    self.now.named(word).is_empty()
                        && self.now.by_id(word).is_none()
                        && !aliased(word, None)
                });
                free.then_some(None)
            }
        }
    }

    /// Adds the values of taxonomies that the document states and that are not there.
    fn state_terms(&mut self) -> Option<()> {
        for d in (0..self.said.dimensions().len() as u16).map(DimensionId) {
            let Some(taxonomy) = self.said.taxonomy(d) else {
                continue;
            };
            for v in (0..taxonomy.len() as u32).map(ValueId) {
                let plain =
                    taxonomy.synonyms(v).is_empty() && taxonomy.dag().parents(v.0).is_empty();
                let term = Value::Term(taxonomy.name(v).to_owned());
                let link = plain.then(|| self.editor.value(d, &term));
                link.flatten()?;
            }
        }
        Some(())
    }

    /// Takes values of taxonomies out that nobody states any more. None if something would
    /// be said with one of them, or about it.
    fn retract_terms(&mut self, terms: &[(String, String)]) -> Option<()> {
        if terms.is_empty() {
            return Some(());
        }
        let laid = self.laid()?;
        for (dimension, name) in terms {
            let d = self.now.find_dimension(dimension)?;
            let taxonomy = laid.taxonomy(d)?;
            let found = taxonomy.find(name);
            let v = found.into_iter().find(|&v| taxonomy.name(v) == name)?;
            let by_itself = taxonomy.synonyms(v).is_empty()
                && taxonomy.dag().parents(v.0).is_empty()
                && taxonomy.dag().children(v.0).is_empty();
            let held = [laid.positive(d), laid.negative(d)];
            let unheld = held.iter().all(|relation| relation.holders(v).is_empty());
            if !by_itself || !unheld || self.now.dimension(d).strict {
                return None;
            }
            let link = self.editor.value(d, &Value::Term(name.clone()))?;
            let values = &mut self.editor.delta.dimensions.entry(d.0).or_default().values;
            values.remove(link);
            self.editor.delta.counts.values -= 1;
            self.terms_gone.push((d, name.clone()));
        }
        Some(())
    }

    fn look_up_evidence(&mut self) -> Option<()> {
        let count = u32::try_from(self.said.counts().evidence).ok()?;
        for e in (0..count).map(EvidenceId) {
            let Evidence {
                document,
                range,
                line,
                text,
            } = self.said.evidence(e).ok()?;
            let text = Text {
                document,
                range,
                line,
                text,
            };
            let link = self.editor.evidence(text)?;
            self.evidence.push(link);
        }
        Some(())
    }

    /// The rows of the document as links.
    fn collect_rows(&mut self) -> Option<()> {
        let said = self.said;
        for d in (0..said.dimensions().len() as u16).map(DimensionId) {
            for (denied, relation) in [(false, said.positive(d)), (true, said.negative(d))] {
                for (i, row) in relation.rows() {
                    let subject = self.spoken.get(i.index())?.link;
                    for (k, &v) in row.values().iter().enumerate() {
                        let value = match said.value(d, ValueId(v)) {
                            Value::Instance(i) => self.spoken.get(i.index())?.link,
                            value => self.editor.value(d, &value)?,
                        };
                        let own = self.rows.entry((d, denied, subject)).or_default();
                        let sources = own.entry(value).or_default();
                        for (e, sure) in relation.sources(row.predicate(k)) {
                            let link = *self.evidence.get(e.index())?;
                            let before = sources.entry(link).or_insert(sure);
                            *before = before.max(sure);
                        }
                    }
                }
            }
        }
        Some(())
    }

    fn relation(&self, d: DimensionId, denied: bool) -> Relation<'a> {
        match denied {
            true => self.now.negative(d),
            false => self.now.positive(d),
        }
    }

    /// The row that an instance has now.
    fn row_now(&self, d: DimensionId, denied: bool, subject: Link) -> Gathered {
        let relation = self.relation(d, denied);
        let said = match self.numbers.get(&subject) {
            Some(&i) => self.editor.said(d, &relation, &relation.of(i)),
            None => Vec::new(),
        };
        let said = said.into_iter();
        said.map(|(value, sources)| (value, sources.into_iter().collect()))
            .collect()
    }

    /// Lets the rows of the document join those that are there.
    fn join_rows(&mut self) -> Option<()> {
        for ((d, denied, subject), gained) in std::mem::take(&mut self.rows) {
            let mut row = self.row_now(d, denied, subject);
            let count = row.len();
            for (value, sources) in gained {
                let own = row.entry(value).or_default();
                for (link, sure) in sources {
                    let before = own.entry(link).or_insert(sure);
                    *before = before.max(sure);
                }
            }
            self.put_row(d, denied, subject, row, count);
        }
        Some(())
    }

    /// Takes the rows of the document out of those that are there.
    fn part_rows(&mut self) -> Option<()> {
        for ((d, denied, subject), lost) in std::mem::take(&mut self.rows) {
            let mut row = self.row_now(d, denied, subject);
            let count = row.len();
            for (value, sources) in lost {
                let own = row.get_mut(&value)?;
                for link in sources.keys() {
                    own.remove(link)?;
                }
                if own.is_empty() {
                    row.remove(&value);
                }
            }
            self.put_row(d, denied, subject, row, count);
        }
        Some(())
    }

    /// Puts a row that had so many predicates.
    fn put_row(
        &mut self,
        d: DimensionId,
        denied: bool,
        subject: Link,
        row: Gathered,
        before: usize,
    ) {
        if self.now.dimension(d).primary {
            let predicates = &mut self.editor.delta.counts.predicates;
            *predicates = (*predicates + row.len() as u64).saturating_sub(before as u64);
        }
        let row = row.into_iter();
        let row = row.map(|(value, sources)| (value, sources.into_iter().collect()));
        self.editor.set_row(d, denied, subject, row.collect());
    }

    /// Counts the document's mentions of its instances in.
    fn mention(&mut self, counted: fn(Counters, Counters) -> Counters) -> Option<()> {
        let laid = self.laid()?;
        for (link, counters, now) in self.merged_spoken() {
            let before = now.map_or(Counters::default(), |i| Counters::of(self.now.mentions(i)));
            let after = counted(before, counters);
            let i = laid
                .over()
                .and_then(|over| over.overlay.instances.present(link))?;
            self.set_flags(link, InstanceId(i), after, &laid);
        }
        Some(())
    }

    /// Counts the document's mentions of its instances out, and lets those go of which
    /// nobody speaks any more. How many those are.
    fn mention_less(&mut self) -> Option<u64> {
        let laid = self.laid()?;
        let mut gone = 0;
        for (link, counters, now) in self.merged_spoken() {
            let now = now?;
            let before = Counters::of(self.now.mentions(now));
            let after = before.minus(counters)?;
            let i = laid
                .over()
                .and_then(|over| over.overlay.instances.present(link))?;
            let i = InstanceId(i);
            let aliased = !self.now.aliases(now).is_empty();
            let has_facts = has_facts(&laid, i);
            if !after.is_mentioned() && !has_facts && !aliased {
                self.let_go(link, now);
                gone += 1;
                continue;
            }
            // Its name came from the document alone, or another is as good now.
            let renamed = counters.is_named() && (!after.is_named() || aliased);
            let anonymous = !after.is_mentioned() && self.now.name(now) != self.now.id(now);
            if renamed || anonymous {
                return None;
            }
            self.set_flags(link, i, after, &laid);
        }
        Some(gone)
    }

    /// The spoken instances, each once: a document may name one in two ways.
    fn merged_spoken(&self) -> Vec<(Link, Counters, Option<InstanceId>)> {
        let mut all: BTreeMap<Link, (Counters, Option<InstanceId>)> = BTreeMap::new();
        for spoken in &self.spoken {
            let (counters, now) = all
                .entry(spoken.link)
                .or_insert((Counters::default(), spoken.now));
            *counters = counters.either(spoken.counters);
            *now = now.or(spoken.now);
        }
        let all = all.into_iter();
        all.map(|(link, (counters, now))| (link, counters, now))
            .collect()
    }

    fn set_flags(&mut self, link: Link, i: InstanceId, counters: Counters, laid: &Lattice) {
        // As `Builder::declared` has it: a fact by the id, or by a name that is the id.
        let is_named_by_facts =
            counters.is_used() || (!counters.is_mentioned() && has_facts(laid, i));
        let aliased = !laid.aliases(i).is_empty();
        let flags = Flags {
            declared: counters.is_declared() || aliased || !is_named_by_facts,
            mentions: counters.byte(),
        };
        self.editor.set_flags(link, flags);
    }

    /// Takes an instance out of which nothing is said any more.
    fn let_go(&mut self, link: Link, now: InstanceId) {
        for d in (0..self.now.dimensions().len() as u16).map(DimensionId) {
            for denied in [false, true] {
                // Its rows in the base are hidden.
                if !self.relation(d, denied).of(now).is_empty() {
                    self.editor.set_row(d, denied, link, Vec::new());
                }
            }
        }
        self.editor.delta.flags.remove(&link);
        self.editor.delta.instances.remove(link);
    }

    fn laid(&self) -> Option<Lattice> {
        let mut delta = self.editor.delta.clone();
        // Between two steps the counts are not yet right.
        let evidence = delta.evidence.added.iter().flatten().count() as u64;
        let base = self.now.base().counts();
        delta.counts.evidence = base.evidence + evidence - delta.evidence.removed.len() as u64;
        let instances = delta.instances.added.iter().flatten().count() as u64;
        delta.counts.instances = base.instances + instances - delta.instances.removed.len() as u64;
        self.now.base().laid_under(delta).ok()
    }

    /// Lets values go that nobody has, and brings counts and hash up to date.
    fn finish(mut self, gone: u64) -> Option<Delta> {
        let values_gone = self.forget_values()?;
        let documents = self.documents_changed()?;
        let counts = &mut self.editor.delta.counts;
        counts.instances = counts.instances + self.editor.instances_added - gone;
        counts.values = counts.values + self.editor.values_added - values_gone;
        counts.evidence += self.editor.evidence_added;
        counts.documents = counts.documents.checked_add_signed(documents)?;
        let laid = self.laid()?;
        if !self.agrees(&laid) {
            return None;
        }
        let state = LtHash::from_bytes(&self.editor.delta.state)?;
        let after = self.touched.iter().filter_map(|link| {
            let over = laid.over()?;
            over.overlay.instances.present(*link).map(InstanceId)
        });
        let less = elements(self.now, self.before.iter().copied())?;
        let less = less.plus(&self.terms(&self.terms_gone));
        let more = elements(&laid, after)?;
        let more = more.plus(&self.terms(&self.editor.terms_added));
        self.editor.delta.state = state.minus(&less).plus(&more).to_bytes();
        Some(self.editor.delta)
    }

    /// The sum of the elements of values that stand by themselves.
    fn terms(&self, terms: &[(DimensionId, String)]) -> LtHash {
        let mut sum = LtHash::default();
        let mut element = Element::default();
        for (d, name) in terms {
            let dimension = &self.now.dimension(*d).name;
            let none = || std::iter::empty::<&str>();
            term(dimension, name, none(), none(), &mut element);
            sum.add(&element);
        }
        sum
    }

    fn agrees(&self, laid: &Lattice) -> bool {
        let (own, counted) = (self.editor.delta.counts, laid.counts());
        own.instances == counted.instances && own.evidence == counted.evidence
    }

    /// How many values went with the rows that were taken out.
    fn forget_values(&mut self) -> Option<u64> {
        let laid = self.laid()?;
        let mut lost: BTreeMap<DimensionId, HashSet<Link>> = BTreeMap::new();
        for d in (0..self.said.dimensions().len() as u16).map(DimensionId) {
            for relation in [self.said.positive(d), self.said.negative(d)] {
                for &v in relation.distinct_values() {
                    match self.said.value(d, ValueId(v)) {
                        Value::Instance(_) | Value::Term(_) => {}
                        value => {
                            let link = self.editor.value(d, &value)?;
                            lost.entry(d).or_default().insert(link);
                        }
                    }
                }
            }
        }
        let mut gone = 0;
        for (d, links) in lost {
            let links: Vec<Link> = links.into_iter().collect();
            gone += self.editor.forget_values(d, &links, &laid);
        }
        Some(gone)
    }

    /// How many documents of evidence there are more.
    fn documents_changed(&self) -> Option<i64> {
        let mut more = 0;
        for document in self.said.documents() {
            let before = self.count_of(
                &self.now.over().map(|over| &over.overlay.delta),
                &document.name,
            )?;
            let after = self.count_of(&Some(&self.editor.delta), &document.name)?;
            more += i64::from(after > 0) - i64::from(before > 0);
        }
        Some(more)
    }

    /// How many pieces of evidence stem from a document.
    fn count_of(&self, delta: &Option<&Delta>, document: &str) -> Option<usize> {
        let range = self.now.evidence_of(document)?;
        let Some(delta) = delta else {
            return Some(range.len());
        };
        let removed = delta.evidence.removed.range(range.clone()).count();
        let added = delta.evidence.added.iter().flatten();
        let added = added.filter(|(_, text)| text.document == document).count();
        Some(range.len() - removed + added)
    }
}

/// Whether something is said of an instance, or it is said of something.
fn has_facts(lattice: &Lattice, i: InstanceId) -> bool {
    let dimensions = (0..lattice.dimensions().len() as u16).map(DimensionId);
    dimensions.into_iter().any(|d| {
        let relations = [lattice.positive(d), lattice.negative(d)];
        let is_value = lattice.dimension(d).is_entity();
        relations.iter().any(|relation| {
            !relation.of(i).is_empty() || (is_value && !relation.holders(ValueId(i.0)).is_empty())
        })
    })
}

/// The sum of the elements of some instances.
fn elements(lattice: &Lattice, of: impl Iterator<Item = InstanceId>) -> Option<LtHash> {
    let mut sum = LtHash::default();
    let mut element = Element::default();
    for i in of {
        let mut pieces: BTreeMap<EvidenceId, Evidence> = BTreeMap::new();
        for d in (0..lattice.dimensions().len() as u16).map(DimensionId) {
            for relation in [lattice.positive(d), lattice.negative(d)] {
                let row = relation.of(i);
                for k in 0..row.len() {
                    for (e, _) in relation.sources(row.predicate(k)) {
                        if let Entry::Vacant(vacant) = pieces.entry(e) {
                            vacant.insert(lattice.evidence(e).ok()?);
                        }
                    }
                }
            }
        }
        let piece = |e: EvidenceId| {
            pieces.get(&e).map(|evidence| Piece {
                document: &evidence.document,
                range: evidence.range,
                line: evidence.line,
                text: &evidence.text,
            })
        };
        instance_element(lattice, i, &piece, &mut element);
        sum.add(&element);
    }
    Some(sum)
}
