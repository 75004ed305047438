//! COMPARE between sets: their certain members, and what could change the answer.

use super::RunError;
use super::compare::OrReason;
use super::run::Run;
use crate::lattice::Value;
use crate::plan::SetOperand;
use crate::syntax::tree::Relation;
use crate::verdict::{Answer, Caveat, Members, Reason};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// A set to compare: its certain and possible members, and whether it is closed.
struct Compared {
    certain: Members,
    possible: Members,
    closed: bool,
}

impl<'l> Run<'l> {
    pub(super) fn relate_sets(
        &self,
        left: &SetOperand,
        relation: Relation,
        right: &SetOperand,
    ) -> Result<OrReason<Answer>, RunError> {
        let mut reasons = Vec::new();
        for operand in [left, right] {
            if let SetOperand::Query(id) = operand {
                reasons.extend(self.evaluated(*id)?.reason().cloned());
            }
        }
        if let Some(reason) = Reason::first_class(reasons) {
            return Ok(Err(reason));
        }
        let (a, b) = (self.compared(left)?, self.compared(right)?);
        let (value, caveat) = match relation {
            Relation::Equal => same(&a, &b),
            Relation::Unequal => {
                let (value, caveat) = same(&a, &b);
                (!value, caveat)
            }
            Relation::AtMost => subset(&a, &b),
            Relation::AtLeast => subset(&b, &a),
            Relation::Less => strict_subset(&a, &b),
            Relation::Greater => strict_subset(&b, &a),
            Relation::Overlaps => overlapping(&a, &b),
        };
        Ok(Ok(Answer::Truth { value, caveat }))
    }

    fn compared(&self, operand: &SetOperand) -> Result<Compared, RunError> {
        match operand {
            SetOperand::Instances(list) => Ok(Compared {
                certain: Members::Instances(list.iter().map(|i| i.0).collect()),
                possible: Members::Instances(RoaringBitmap::new()),
                closed: true,
            }),
            SetOperand::Query(id) => Ok(Compared {
                certain: self.evaluated(*id)?.certain().clone(),
                possible: self.possible(*id)?.as_ref().clone(),
                closed: self.is_closed(*id)?,
            }),
        }
    }
}

/// Members as bare keys, so that sets of one kind can be intersected.
enum Keys {
    Numbers(RoaringBitmap),
    Words(BTreeSet<String>),
}

impl Keys {
    fn of(members: &Members) -> Keys {
        match members {
            Members::Instances(set) | Members::Values(_, set) => Keys::Numbers(set.clone()),
            Members::Texts(set) => Keys::Words(set.clone()),
            Members::Interval(_, value) => Keys::Words(BTreeSet::from([interval_word(value)])),
        }
    }
    fn minus(&self, other: &Members) -> Keys {
        match (self, other) {
            (Keys::Numbers(a), Members::Instances(b) | Members::Values(_, b)) => {
                Keys::Numbers(a - b)
            }
            (Keys::Words(a), Members::Texts(b)) => Keys::Words(a - b),
            (Keys::Words(a), Members::Interval(_, value)) => {
                Keys::Words(a - &BTreeSet::from([interval_word(value)]))
            }
            (Keys::Numbers(a), _) => Keys::Numbers(a.clone()),
            (Keys::Words(a), _) => Keys::Words(a.clone()),
        }
    }
    fn and(&self, other: &Members) -> Keys {
        match (self, other) {
            (Keys::Numbers(a), Members::Instances(b) | Members::Values(_, b)) => {
                Keys::Numbers(a & b)
            }
            (Keys::Words(a), Members::Texts(b)) => Keys::Words(a & b),
            (Keys::Words(a), Members::Interval(_, value)) => {
                Keys::Words(a & &BTreeSet::from([interval_word(value)]))
            }
            _ => Keys::Numbers(RoaringBitmap::new()),
        }
    }
    fn or(self, other: Keys) -> Keys {
        match (self, other) {
            (Keys::Numbers(a), Keys::Numbers(b)) => Keys::Numbers(a | b),
            (Keys::Words(a), Keys::Words(b)) => Keys::Words(&a | &b),
            (Keys::Numbers(a), rest) | (rest, Keys::Numbers(a)) if a.is_empty() => rest,
            (first, _) => first,
        }
    }
    fn is_empty(&self) -> bool {
        match self {
            Keys::Numbers(set) => set.is_empty(),
            Keys::Words(set) => set.is_empty(),
        }
    }
}

/// An interval that nothing records, as a key beside those of recorded values.
fn interval_word(value: &Value) -> String {
    match value {
        Value::Number(interval) => interval.to_string(),
        Value::Date(interval) => interval.to_string(),
        Value::Term(word) | Value::Text(word) => word.clone(),
        Value::Instance(i) => i.0.to_string(),
    }
}

/// A caveat that names the instances; of other members it only says that the
/// set may have more.
fn caveat_of(like: &Members, could_change: &Keys, unclosed: bool) -> Caveat {
    let (named, more) = match (like, could_change) {
        (Members::Instances(_), Keys::Numbers(set)) => (set.clone(), false),
        (_, keys) => (RoaringBitmap::new(), !keys.is_empty()),
    };
    Caveat {
        could_change: named,
        unclosed: unclosed || more,
        ..Caveat::default()
    }
}

fn subset(a: &Compared, b: &Compared) -> (bool, Caveat) {
    let outside = Keys::of(&a.certain).minus(&b.certain);
    if outside.is_empty() {
        let more = Keys::of(&a.possible).minus(&b.certain);
        return (true, caveat_of(&a.certain, &more, !a.closed));
    }
    let definite = b.closed && !outside.minus(&b.possible).is_empty();
    if definite {
        return (false, Caveat::default());
    }
    (
        false,
        caveat_of(&a.certain, &outside.and(&b.possible), !b.closed),
    )
}

fn either(a: &Compared, b: &Compared) -> Caveat {
    let possible = Keys::of(&a.possible).or(Keys::of(&b.possible));
    caveat_of(&a.certain, &possible, !a.closed || !b.closed)
}

fn same(a: &Compared, b: &Compared) -> (bool, Caveat) {
    let only_a = Keys::of(&a.certain).minus(&b.certain);
    let only_b = Keys::of(&b.certain).minus(&a.certain);
    if only_a.is_empty() && only_b.is_empty() {
        return (true, either(a, b));
    }
    let definite = (b.closed && !only_a.minus(&b.possible).is_empty())
        || (a.closed && !only_b.minus(&a.possible).is_empty());
    (
        false,
        if definite {
            Caveat::default()
        } else {
            either(a, b)
        },
    )
}

fn strict_subset(a: &Compared, b: &Compared) -> (bool, Caveat) {
    let outside = Keys::of(&a.certain).minus(&b.certain).is_empty();
    let more = !Keys::of(&b.certain).minus(&a.certain).is_empty();
    (outside && more, either(a, b))
}

fn overlapping(a: &Compared, b: &Compared) -> (bool, Caveat) {
    if !Keys::of(&a.certain).and(&b.certain).is_empty() {
        return (true, Caveat::default());
    }
    let (pa, pb) = (Keys::of(&a.possible), Keys::of(&b.possible));
    let more = pa
        .and(&b.certain)
        .or(pa.and(&b.possible))
        .or(pb.and(&a.certain));
    (false, caveat_of(&a.certain, &more, !a.closed || !b.closed))
}
