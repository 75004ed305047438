//! Where something stands, or would stand, in the sorted lists of a base.
#![deny(clippy::indexing_slicing)]

use super::delta::Text;
use super::editor::Place;
use crate::lattice::snapshot::Lattice;
use crate::lattice::{
    DimensionId, Evidence, EvidenceId, InstanceId, NumberInterval, Value, ValueId,
};
use std::cmp::Ordering;
use std::ops::Range;

/// The place of something in a sorted list of which one element at a time is compared
/// with it. None if an element cannot be read.
fn place(range: Range<u32>, compare: impl Fn(u32) -> Option<Ordering>) -> Option<Place> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle)? {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => {
                return Some(Place {
                    at: middle,
                    found: true,
                });
            }
            Ordering::Greater => high = middle,
        }
    }
    Some(Place {
        at: low,
        found: false,
    })
}

impl Lattice {
    /// Where an instance stands among those of the base.
    pub(super) fn place_of_instance(&self, name: &str, id: &str) -> Place {
        let compare = |at: u32| {
            let i = InstanceId(at);
            Some((self.name(i), self.id(i)).cmp(&(name, id)))
        };
        place(0..self.instance_count(), compare).unwrap_or(Place {
            at: 0,
            found: false,
        })
    }

    /// Where a value stands among those of the base; none if its dimension is of another
    /// kind.
    pub(super) fn place_of_value(&self, d: DimensionId, value: &Value) -> Option<Place> {
        let count = u32::try_from(self.value_count(d)).ok()?;
        match value {
            Value::Number(number) => place(0..count, |at| {
                let found = self.number_at(d, ValueId(at))?;
                Some(found.cmp(number))
            }),
            Value::Date(date) => {
                let dates = self.dates(d);
                place(0..dates.len() as u32, |at| {
                    Some(dates.get(at as usize)?.cmp(date))
                })
            }
            Value::Text(text) => place(0..count, |at| {
                Some(self.text(d, ValueId(at)).cmp(text.as_str()))
            }),
            Value::Term(name) => {
                let taxonomy = self.taxonomy(d)?;
                place(0..count, |at| {
                    Some(taxonomy.name(ValueId(at)).cmp(name.as_str()))
                })
            }
            Value::Instance(_) => None,
        }
    }

    /// A number, without reading the others.
    fn number_at(&self, d: DimensionId, v: ValueId) -> Option<NumberInterval> {
        match self.value(d, v) {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Where a piece of source text stands among those of the base; none if one cannot be
    /// read.
    pub(super) fn place_of_evidence(&self, text: &Text) -> Option<Place> {
        let range = self.evidence_of(&text.document)?;
        place(range, |at| {
            let found: Evidence = self.evidence(EvidenceId(at)).ok()?;
            let place = (found.range, found.line, found.text.as_str());
            Some(place.cmp(&(text.range, text.line, text.text.as_str())))
        })
    }
}
