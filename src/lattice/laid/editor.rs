//! Changing what lies over a base.
#![deny(clippy::indexing_slicing)]

use super::delta::{Delta, Flags, Given, Known, Link, Said, Text};
use super::overlay::Over;
use crate::lattice::snapshot::Lattice;
use crate::lattice::{DimensionId, EvidenceId, InstanceId, Relation, Row, Value, ValueId};
use std::collections::HashMap;

/// A lattice and what is to lie over its base.
pub(super) struct Editor<'a> {
    pub(super) now: &'a Lattice,
    base: &'a Lattice,
    pub(super) delta: Delta,
    /// The pieces of evidence that were looked up, so that each is looked up once.
    texts: HashMap<Text, Link>,
    pub(super) values_added: u64,
    /// Those of taxonomies among them.
    pub(super) terms_added: Vec<(DimensionId, String)>,
    pub(super) evidence_added: u64,
    pub(super) instances_added: u64,
}

/// Something that stands in a sorted list of the base, or would stand there.
pub(in crate::lattice) struct Place {
    /// Its number, or that of the first behind it.
    pub(in crate::lattice) at: u32,
    pub(in crate::lattice) found: bool,
}

impl<'a> Editor<'a> {
    pub(super) fn new(now: &'a Lattice) -> Editor<'a> {
        let delta = match now.over() {
            Some(over) => over.overlay.delta.clone(),
            None => Delta {
                counts: now.counts(),
                state: now.hash_state().to_vec(),
                ..Delta::default()
            },
        };
        Editor {
            now,
            base: now.base(),
            delta,
            texts: HashMap::new(),
            values_added: 0,
            terms_added: Vec::new(),
            evidence_added: 0,
            instances_added: 0,
        }
    }

    fn over(&self) -> Option<&'a Over> {
        self.now.over()
    }

    pub(super) fn instance(&self, i: InstanceId) -> Link {
        match self.over() {
            Some(over) => over.overlay.instances.link(i.0),
            None => Link::Base(i.0),
        }
    }

    fn piece(&self, e: EvidenceId) -> Link {
        match self.over() {
            Some(over) => over.overlay.evidence.link(e.0),
            None => Link::Base(e.0),
        }
    }

    fn value_now(&self, d: DimensionId, v: u32) -> Link {
        if self.now.dimension(d).is_entity() {
            return self.instance(InstanceId(v));
        }
        let dimension = self.over().and_then(|over| over.dimension(d));
        match dimension {
            Some(dimension) if !dimension.values.renumbering.is_identity() => {
                dimension.values.link(v)
            }
            _ => Link::Base(v),
        }
    }

    /// A row as links.
    pub(super) fn said(&self, d: DimensionId, relation: &Relation<'_>, row: &Row<'_>) -> Vec<Said> {
        let values = row.values().iter().enumerate();
        let said = values.map(|(k, &v)| {
            let sources = relation.sources(row.predicate(k)).into_iter();
            let sources = sources.map(|(e, sure)| (self.piece(e), sure)).collect();
            (self.value_now(d, v), sources)
        });
        said.collect()
    }

    /// Adds an instance that is not there now.
    pub(super) fn add_instance(&mut self, name: &str, id: &str) -> Link {
        self.instances_added += 1;
        let place = self.base.place_of_instance(name, id);
        if place.found {
            self.delta.instances.removed.remove(&place.at);
            return Link::Base(place.at);
        }
        let known = Known {
            name: name.to_owned(),
            id: id.to_owned(),
        };
        self.delta.instances.add(place.at, known)
    }

    pub(super) fn set_flags(&mut self, link: Link, flags: Flags) {
        self.delta.flags.insert(link, flags);
    }

    /// A piece of evidence, which is added if it is not there.
    pub(super) fn evidence(&mut self, text: Text) -> Option<Link> {
        if let Some(&link) = self.texts.get(&text) {
            return Some(link);
        }
        let place = self.base.place_of_evidence(&text)?;
        let link = if place.found {
            if self.delta.evidence.removed.remove(&place.at) {
                self.evidence_added += 1;
            }
            Link::Base(place.at)
        } else {
            let slots = (0u32..).zip(&self.delta.evidence.added);
            let mut same = slots.filter_map(|(slot, added)| {
                let (before, there) = added.as_ref()?;
                (*before == place.at && *there == text).then_some(slot)
            });
            match same.next() {
                Some(slot) => Link::Slot(slot),
                None => {
                    self.evidence_added += 1;
                    self.delta.evidence.add(place.at, text.clone())
                }
            }
        };
        self.texts.insert(text, link);
        Some(link)
    }

    fn is_term(&self, d: DimensionId, value: &Value) -> bool {
        let place = self.base.place_of_value(d, value);
        place.is_some_and(|place| place.found)
    }

    /// A value that is no instance, which is added if it is not there. None if it cannot
    /// be added.
    pub(super) fn value(&mut self, d: DimensionId, value: &Value) -> Option<Link> {
        let given = match value {
            // Whether the order is legitimate would have to be asked anew.
            Value::Term(_) if self.now.dimension(d).strict && !self.is_term(d, value) => {
                return None;
            }
            Value::Term(name) => Given::Term(name.clone()),
            Value::Instance(_) => return None,
            Value::Number(number) => Given::Number(number.to_string()),
            Value::Date(date) => Given::Date(date.first, date.last),
            Value::Text(text) => Given::Text(text.clone()),
        };
        let place = self.base.place_of_value(d, value)?;
        let values = &mut self.delta.dimensions.entry(d.0).or_default().values;
        if place.found {
            if values.removed.remove(&place.at) {
                self.values_added += 1;
                if let Value::Term(name) = value {
                    self.terms_added.push((d, name.clone()));
                }
            }
            return Some(Link::Base(place.at));
        }
        let slots = (0u32..).zip(&values.added);
        let mut same = slots.filter_map(|(slot, added)| {
            let (before, there) = added.as_ref()?;
            (*before == place.at && *there == given).then_some(slot)
        });
        if let Some(slot) = same.next() {
            return Some(Link::Slot(slot));
        }
        self.values_added += 1;
        if let Value::Term(name) = value {
            self.terms_added.push((d, name.clone()));
        }
        Some(values.add(place.at, given))
    }

    pub(super) fn set_row(&mut self, d: DimensionId, denied: bool, subject: Link, row: Vec<Said>) {
        let [positive, negative] = &mut self.delta.dimensions.entry(d.0).or_default().rows;
        let rows = if denied { negative } else { positive };
        // An added instance hides nothing.
        match (row.is_empty(), subject) {
            (true, Link::Slot(_)) => rows.remove(&subject),
            _ => rows.insert(subject, row),
        };
    }

    /// Takes out values that nobody has any more, if they are of a kind that goes then.
    /// `links` are those that some row has lost; `laid` is how things are now.
    pub(super) fn forget_values(&mut self, d: DimensionId, links: &[Link], laid: &Lattice) -> u64 {
        let Some(dimension) = laid.over().and_then(|over| over.dimension(d)) else {
            return 0;
        };
        let mut gone = 0;
        for &link in links {
            let present = match (link, dimension.values.renumbering.is_identity()) {
                (Link::Base(base), true) => Some(base),
                (link, _) => dimension.values.present(link),
            };
            let Some(v) = present.map(ValueId) else {
                continue;
            };
            let held = [laid.positive(d), laid.negative(d)];
            if held.iter().all(|relation| relation.holders(v).is_empty()) {
                let values = &mut self.delta.dimensions.entry(d.0).or_default().values;
                values.remove(link);
                gone += 1;
            }
        }
        gone
    }
}
