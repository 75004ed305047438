//! Changes as they are read: by present numbers.
#![deny(clippy::indexing_slicing)]

use super::delta::{Delta, Flags, Given, Known, Link, Said, Slots, Text};
use super::relation::{Laid, Relation};
use super::renumber::{Origin, Renumbering};
use super::rows::{Present, Rows};
use crate::lattice::relation::Stored;
use crate::lattice::snapshot::Lattice;
use crate::lattice::{
    ContentHash, DateInterval, Defect, DimensionId, Document, Evidence, EvidenceId, InstanceId,
    Kind, NumberInterval, StoreError, Taxonomy, Value, ValueId,
};
use crate::order::Dag;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// A base and what lies over it.
pub(in crate::lattice) struct Over {
    pub(super) base: Lattice,
    pub(super) overlay: Overlay,
}

/// What was added to a list, in order, and the numbers that all have now.
pub(super) struct Added<T> {
    pub(super) renumbering: Renumbering,
    pub(super) elements: Vec<T>,
    /// By slot, the place among the elements.
    places: Vec<Option<u32>>,
    /// By place, the slot.
    slots: Vec<u32>,
}

impl<T> Default for Added<T> {
    fn default() -> Self {
        Added {
            renumbering: Renumbering::default(),
            elements: Vec::new(),
            places: Vec::new(),
            slots: Vec::new(),
        }
    }
}

impl<T: Clone> Added<T> {
    /// `key` is what elements between the same two of the base are ordered by.
    fn of<K: Ord>(base: u32, slots: &Slots<T>, key: impl Fn(&T) -> Option<K>) -> Option<Added<T>> {
        let filled = (0u32..).zip(&slots.added);
        let filled = filled.filter_map(|(slot, added)| Some((slot, added.as_ref()?)));
        let keyed = filled.map(|(slot, (before, element))| {
            let before = (*before <= base).then_some(*before)?;
            Some((before, key(element)?, slot, element))
        });
        let mut all: Vec<(u32, K, u32, &T)> = keyed.collect::<Option<_>>()?;
        all.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        if slots.removed.last().is_some_and(|&last| last >= base) {
            return None;
        }
        let mut places = vec![None; slots.added.len()];
        for (place, (_, _, slot, _)) in (0u32..).zip(&all) {
            if let Some(of_slot) = places.get_mut(*slot as usize) {
                *of_slot = Some(place);
            }
        }
        let before = all.iter().map(|(before, ..)| *before).collect();
        Some(Added {
            renumbering: Renumbering::new(base, before, &slots.removed),
            places,
            slots: all.iter().map(|(_, _, slot, _)| *slot).collect(),
            elements: all
                .into_iter()
                .map(|(.., element)| element.clone())
                .collect(),
        })
    }
}

impl<T> Added<T> {
    /// The present number of what is linked; none if it is gone.
    pub(super) fn present(&self, link: Link) -> Option<u32> {
        match link {
            Link::Base(base) => self.renumbering.present(base),
            Link::Slot(slot) => {
                let place = (*self.places.get(slot as usize)?)?;
                self.renumbering.of_added(place)
            }
        }
    }

    /// What links to the one with a present number.
    pub(super) fn link(&self, present: u32) -> Link {
        match self.renumbering.origin(present) {
            Origin::Base(base) => Link::Base(base),
            Origin::Added(k) => Link::Slot(self.slots.get(k as usize).copied().unwrap_or(u32::MAX)),
        }
    }
}

/// Changes by present numbers.
pub(in crate::lattice) struct Overlay {
    pub(super) delta: Delta,
    pub(super) instances: Added<Known>,
    /// The instances of the base that are gone.
    pub(super) gone: Vec<u32>,
    /// The folded names of added instances, each with its place among them, ascending.
    pub(super) folded: Vec<(String, u32)>,
    pub(super) evidence: Added<Text>,
    documents: OnceLock<Vec<Document>>,
    pub(super) dimensions: Vec<DimensionOverlay>,
    flags: HashMap<u32, Flags>,
}

/// What has changed in a dimension, by present numbers.
#[derive(Default)]
pub(super) struct DimensionOverlay {
    /// Of a dimension whose values are those that some fact has.
    pub(super) values: Added<Given>,
    rows: [Rows; 2],
    numbers: OnceLock<(Vec<NumberInterval>, bool)>,
    dates: OnceLock<(Vec<DateInterval>, bool)>,
    taxonomy: OnceLock<Option<Box<Taxonomy>>>,
    defects: OnceLock<Vec<Defect>>,
}

/// What values are ordered by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(NumberInterval),
    Date(DateInterval),
    Text(String),
}

fn key_of(given: &Given) -> Option<Key> {
    Some(match value_of(given)? {
        Value::Number(number) => Key::Number(number),
        Value::Date(date) => Key::Date(date),
        Value::Text(text) | Value::Term(text) => Key::Text(text),
        Value::Instance(_) => return None,
    })
}

pub(super) fn value_of(given: &Given) -> Option<Value> {
    Some(match given {
        Given::Number(text) => Value::Number(NumberInterval::parse(text).ok()?),
        Given::Date(first, last) => Value::Date(DateInterval::new(*first, *last).ok()?),
        Given::Text(text) => Value::Text(text.clone()),
        Given::Term(name) => Value::Term(name.clone()),
    })
}

impl Overlay {
    /// Changes of a base by present numbers; none if they do not fit it.
    pub(in crate::lattice) fn of(delta: Delta, base: &Lattice) -> Option<Overlay> {
        let instances = Added::of(base.instance_count(), &delta.instances, |known| {
            Some(known.clone())
        })?;
        let count = u32::try_from(base.counts().evidence).ok()?;
        let evidence = Added::of(count, &delta.evidence, |text| Some(text.clone()))?;
        let folded = (0u32..).zip(&instances.elements);
        let mut folded: Vec<(String, u32)> = folded
            .map(|(k, known)| (crate::lattice::fold(&known.name), k))
            .collect();
        folded.sort_unstable();
        let mut overlay = Overlay {
            gone: delta.instances.removed.iter().copied().collect(),
            instances,
            folded,
            evidence,
            documents: OnceLock::new(),
            dimensions: Vec::new(),
            flags: HashMap::new(),
            delta: Delta::default(),
        };
        let flags = delta.flags.iter();
        overlay.flags = flags
            .filter_map(|(link, flags)| Some((overlay.instances.present(*link)?, *flags)))
            .collect();
        let dimensions = base.dimensions().len();
        if delta
            .dimensions
            .keys()
            .any(|&d| usize::from(d) >= dimensions)
        {
            return None;
        }
        for d in (0..dimensions as u16).map(DimensionId) {
            let of_dimension = overlay.dimension_of(d, &delta, base)?;
            overlay.dimensions.push(of_dimension);
        }
        overlay.delta = delta;
        Some(overlay)
    }

    fn dimension_of(
        &self,
        d: DimensionId,
        delta: &Delta,
        base: &Lattice,
    ) -> Option<DimensionOverlay> {
        let Some(of_dimension) = delta.dimensions.get(&d.0) else {
            return Some(DimensionOverlay::default());
        };
        let is_entity = base.dimension(d).is_entity();
        let values = match (&base.dimension(d).kind, of_dimension.values.is_empty()) {
            (Kind::Taxonomy, true) => Added::default(),
            (Kind::Number { .. } | Kind::Date | Kind::Text | Kind::Taxonomy, _) => {
                let count = u32::try_from(base.value_count(d)).ok()?;
                Added::of(count, &of_dimension.values, key_of)?
            }
            (Kind::Entity { .. }, true) => Added::default(),
            (Kind::Entity { .. }, false) => return None,
        };
        let value = |link: Link| match (is_entity, link) {
            (true, link) => self.instances.present(link),
            (false, Link::Base(base)) if values.renumbering.is_identity() => Some(base),
            (false, link) => values.present(link),
        };
        let [positive, negative] = &of_dimension.rows;
        let rows = [
            self.rows_of(positive, base.positive(d), value)?,
            self.rows_of(negative, base.negative(d), value)?,
        ];
        Some(DimensionOverlay {
            values,
            rows,
            ..DimensionOverlay::default()
        })
    }

    fn rows_of(
        &self,
        changed: &BTreeMap<Link, Vec<Said>>,
        base: Relation<'_>,
        value: impl Fn(Link) -> Option<u32>,
    ) -> Option<Rows> {
        let mut hidden = (0, 0);
        let mut rows: Vec<(u32, Vec<Present>)> = Vec::with_capacity(changed.len());
        for (link, row) in changed {
            if let Link::Base(i) = link {
                let length = base.of(InstanceId(*i)).len();
                hidden = (hidden.0 + length, hidden.1 + usize::from(length > 0));
            }
            let Some(subject) = self.instances.present(*link) else {
                continue;
            };
            let mut present: Vec<Present> = Vec::with_capacity(row.len());
            for (link, sources) in row {
                let sources = sources.iter();
                let sources = sources.map(|(e, sure)| Some((self.evidence.present(*e)?, *sure)));
                let mut sources: Vec<(u32, f64)> = sources.collect::<Option<_>>()?;
                sources.sort_by_key(|(e, _)| *e);
                present.push((value(*link)?, sources));
            }
            present.sort_by_key(|(value, _)| *value);
            rows.push((subject, present));
        }
        rows.sort_by_key(|(subject, _)| *subject);
        Some(Rows::new(rows, hidden))
    }
}

impl Over {
    pub(in crate::lattice) fn new(base: Lattice, overlay: Overlay) -> Over {
        Over { base, overlay }
    }

    pub(in crate::lattice) fn base(&self) -> &Lattice {
        &self.base
    }

    pub(in crate::lattice) fn counts(&self) -> crate::lattice::Counts {
        self.overlay.delta.counts
    }

    pub(in crate::lattice) fn content_hash(&self) -> ContentHash {
        crate::lattice::hash::content_hash_of(&self.overlay.delta.state)
    }

    /// How many instances there are by number, whatever the counts say.
    pub(in crate::lattice) fn fits(&self) -> bool {
        let counts = self.counts();
        let evidence = u64::from(self.overlay.evidence.renumbering.len());
        let instances = u64::from(self.overlay.instances.renumbering.len());
        counts.instances == instances && counts.evidence == evidence
    }

    pub(super) fn dimension(&self, d: DimensionId) -> Option<&DimensionOverlay> {
        self.overlay.dimensions.get(d.index())
    }

    /// What lies over a stored relation.
    pub(in crate::lattice) fn laid<'a>(
        &'a self,
        d: DimensionId,
        denied: bool,
        stored: Stored<'a>,
    ) -> Relation<'a> {
        let Some(dimension) = self.dimension(d) else {
            return Relation::new(stored, None);
        };
        let [positive, negative] = &dimension.rows;
        let laid = Laid {
            rows: if denied { negative } else { positive },
            instances: &self.overlay.instances.renumbering,
            values: self.numbering(d, dimension),
            dag: match self.has_own_values(d) {
                true => self.base.taxonomy(d).map(Taxonomy::dag),
                false => None,
            },
            evidence: &self.overlay.evidence.renumbering,
        };
        Relation::new(stored, Some(laid))
    }

    /// The numbers of a dimension's values.
    fn numbering<'a>(&'a self, d: DimensionId, dimension: &'a DimensionOverlay) -> &'a Renumbering {
        match self.base.dimension(d).is_entity() {
            true => &self.overlay.instances.renumbering,
            false => &dimension.values.renumbering,
        }
    }

    /// Whether the values of a dimension are those of the base.
    pub(in crate::lattice) fn has_own_values(&self, d: DimensionId) -> bool {
        let dimension = self.dimension(d);
        dimension.is_some_and(|dimension| !dimension.values.renumbering.is_identity())
    }

    pub(in crate::lattice) fn value_count(&self, d: DimensionId) -> usize {
        match self.dimension(d) {
            Some(_) if self.base.dimension(d).is_entity() => {
                self.overlay.instances.renumbering.len() as usize
            }
            Some(dimension) if self.has_own_values(d) => {
                dimension.values.renumbering.len() as usize
            }
            _ => self.base.value_count(d),
        }
    }

    /// A value by its present number.
    pub(in crate::lattice) fn value(&self, d: DimensionId, v: ValueId) -> Value {
        if self.base.dimension(d).is_entity() {
            return Value::Instance(InstanceId(v.0));
        }
        let Some(dimension) = self.dimension(d) else {
            return self.base.value(d, v);
        };
        match dimension.values.renumbering.origin(v.0) {
            Origin::Base(base) => self.base.value(d, ValueId(base)),
            Origin::Added(k) => {
                let given = dimension.values.elements.get(k as usize);
                given
                    .and_then(value_of)
                    .unwrap_or_else(|| Value::Text(String::new()))
            }
        }
    }

    /// The numbers of a dimension and whether all are points.
    pub(in crate::lattice) fn numbers(&self, d: DimensionId) -> &(Vec<NumberInterval>, bool) {
        static NONE: (Vec<NumberInterval>, bool) = (Vec::new(), true);
        let Some(dimension) = self.dimension(d) else {
            return &NONE;
        };
        dimension.numbers.get_or_init(|| {
            let base = self.base.numbers(d).iter().cloned();
            let added = dimension.values.elements.iter().filter_map(value_of);
            let added = added.filter_map(|value| match value {
                Value::Number(number) => Some(number),
                _ => None,
            });
            let merged = merged(&dimension.values.renumbering, base, added);
            let points = merged.iter().all(NumberInterval::is_point);
            (merged, points)
        })
    }

    /// The dates of a dimension and whether all are points.
    pub(in crate::lattice) fn dates(&self, d: DimensionId) -> &(Vec<DateInterval>, bool) {
        static NONE: (Vec<DateInterval>, bool) = (Vec::new(), true);
        let Some(dimension) = self.dimension(d) else {
            return &NONE;
        };
        dimension.dates.get_or_init(|| {
            let base = self.base.dates(d).iter().copied();
            let added = dimension.values.elements.iter().filter_map(value_of);
            let added = added.filter_map(|value| match value {
                Value::Date(date) => Some(date),
                _ => None,
            });
            let merged = merged(&dimension.values.renumbering, base, added);
            let points = merged.iter().all(|date| date.first == date.last);
            (merged, points)
        })
    }

    /// The taxonomy of a dimension, with the values that were added.
    pub(in crate::lattice) fn taxonomy(&self, d: DimensionId) -> Option<&Taxonomy> {
        let base = self.base.taxonomy(d)?;
        let dimension = self.dimension(d)?;
        let numbering = &dimension.values.renumbering;
        if numbering.is_identity() {
            return Some(base);
        }
        let taxonomy = dimension.taxonomy.get_or_init(|| {
            let values = || (0..base.len() as u32).map(ValueId);
            let names = values().map(|v| (base.name(v).to_owned(), base.synonyms(v).to_vec()));
            let added = dimension.values.elements.iter().map(|given| match given {
                Given::Term(name) => (name.clone(), Vec::new()),
                _ => (String::new(), Vec::new()),
            });
            let (names, synonyms) = merged(numbering, names, added).into_iter().unzip();
            let edges = values().flat_map(|v| {
                let parents = base.dag().parents(v.0).iter();
                parents.filter_map(move |&parent| {
                    Some((numbering.present(parent)?, numbering.present(v.0)?))
                })
            });
            let mut edges: Vec<(u32, u32)> = edges.collect();
            edges.sort_unstable();
            let dag = Dag::new(numbering.len(), &edges).ok()?;
            Some(Box::new(Taxonomy::new(names, synonyms, dag)))
        });
        taxonomy.as_deref()
    }

    pub(in crate::lattice) fn text(&self, d: DimensionId, v: ValueId) -> &str {
        let Some(dimension) = self.dimension(d) else {
            return self.base.text(d, v);
        };
        match dimension.values.renumbering.origin(v.0) {
            Origin::Base(base) => self.base.text(d, ValueId(base)),
            Origin::Added(k) => match dimension.values.elements.get(k as usize) {
                Some(Given::Text(text)) => text,
                _ => "",
            },
        }
    }

    pub(in crate::lattice) fn find_text(&self, d: DimensionId, text: &str) -> Option<ValueId> {
        let dimension = self.dimension(d)?;
        let numbering = &dimension.values.renumbering;
        let base = self.base.find_text(d, text);
        let base = base.and_then(|v| numbering.present(v.0));
        let added = || {
            let all = (0u32..).zip(&dimension.values.elements);
            let mut same = all.filter(|(_, given)| matches!(given, Given::Text(t) if t == text));
            same.next().and_then(|(k, _)| numbering.of_added(k))
        };
        base.or_else(added).map(ValueId)
    }

    /// The defects of a dimension, with the present numbers of their evidence.
    pub(in crate::lattice) fn defects(&self, d: DimensionId) -> Option<&[Defect]> {
        let base = self.base.defects_of(d)?;
        let evidence = &self.overlay.evidence.renumbering;
        if evidence.is_identity() || base.is_empty() {
            return Some(base);
        }
        let present = |defect: &Defect| Defect {
            fault: defect.fault.clone(),
            evidence: defect
                .evidence
                .and_then(|e| evidence.present(e.0))
                .map(EvidenceId),
        };
        let defects = &self.dimension(d)?.defects;
        Some(defects.get_or_init(|| base.iter().map(present).collect()))
    }

    pub(in crate::lattice) fn evidence(&self, e: EvidenceId) -> Result<Evidence, StoreError> {
        match self.overlay.evidence.renumbering.origin(e.0) {
            Origin::Base(base) => self.base.evidence(EvidenceId(base)),
            Origin::Added(k) => match self.overlay.evidence.elements.get(k as usize) {
                Some(text) => Ok(Evidence {
                    document: text.document.clone(),
                    range: text.range,
                    line: text.line,
                    text: text.text.clone(),
                }),
                None => self.base.evidence(EvidenceId(u32::MAX)),
            },
        }
    }

    /// The documents that evidence comes from, by name.
    pub(in crate::lattice) fn documents(&self) -> Vec<Document> {
        let all = self.overlay.documents.get_or_init(|| {
            let mut counts: BTreeMap<String, i64> = BTreeMap::new();
            let mut starts: Vec<(u32, String)> = Vec::new();
            let mut start = 0;
            for document in self.base.documents() {
                starts.push((start, document.name.clone()));
                start += document.evidence_count;
                counts.insert(document.name, i64::from(document.evidence_count));
            }
            for &gone in &self.overlay.delta.evidence.removed {
                let at = starts.partition_point(|(start, _)| *start <= gone);
                let of = at.checked_sub(1).and_then(|at| starts.get(at));
                if let Some(count) = of.and_then(|(_, name)| counts.get_mut(name)) {
                    *count -= 1;
                }
            }
            for text in &self.overlay.evidence.elements {
                *counts.entry(text.document.clone()).or_default() += 1;
            }
            let left = counts.into_iter().filter(|(_, count)| *count > 0);
            left.map(|(name, count)| Document {
                name,
                evidence_count: u32::try_from(count).unwrap_or(u32::MAX),
            })
            .collect()
        });
        all.clone()
    }

    pub(super) fn flags(&self, i: InstanceId) -> Option<Flags> {
        self.overlay.flags.get(&i.0).copied()
    }
}

/// What stays of a list and what was added to it, in order.
fn merged<T>(
    renumbering: &Renumbering,
    base: impl Iterator<Item = T>,
    added: impl Iterator<Item = T>,
) -> Vec<T> {
    let kept = (0u32..).zip(base);
    let mut all: Vec<(u32, T)> = kept
        .filter_map(|(b, element)| Some((renumbering.present(b)?, element)))
        .collect();
    let added = (0u32..).zip(added);
    all.extend(added.filter_map(|(k, element)| Some((renumbering.of_added(k)?, element))));
    all.sort_by_key(|(present, _)| *present);
    all.into_iter().map(|(_, element)| element).collect()
}
