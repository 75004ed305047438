//! COMPARE between two sets, and what could change its answer.

use super::query::SetKind;
use super::sets::SetValue;
use super::spans::Span;
use crate::syntax::tree::Relation;
use crate::verdict::{Answer, Caveat};
use std::collections::BTreeSet;

/// Members as plain words, whatever they are.
struct Side {
    certain: BTreeSet<String>,
    possible: BTreeSet<String>,
    closed: bool,
}

impl Side {
    fn of(set: &SetValue) -> Side {
        let words = |nodes: &BTreeSet<u32>, texts: &BTreeSet<String>, interval: &Option<Span>| {
            let nodes = nodes.iter().map(|node| format!("#{node}"));
            let texts = texts.iter().map(|text| format!("\"{text}"));
            let interval = interval
                .iter()
                .map(|span| format!("~{}..{}", span.low, span.high));
            nodes.chain(texts).chain(interval).collect()
        };
        Side {
            certain: words(&set.certain, &set.texts, &set.interval),
            possible: words(&set.possible, &set.possible_texts, &set.possible_interval),
            closed: set.closed,
        }
    }

    fn could_hold(&self, word: &str) -> bool {
        self.certain.contains(word) || self.possible.contains(word)
    }
}

/// What could change an answer.
struct Doubt {
    members: BTreeSet<String>,
    unclosed: bool,
}

/// Compares the certain members of two sets of one kind.
pub(super) fn compare(
    kind: SetKind,
    left: &SetValue,
    relation: Relation,
    right: &SetValue,
) -> Answer {
    let (a, b) = (Side::of(left), Side::of(right));
    let (value, doubt) = match relation {
        Relation::Equal => equal(&a, &b),
        Relation::Unequal => {
            let (value, doubt) = equal(&a, &b);
            (!value, doubt)
        }
        Relation::Overlaps => overlaps(&a, &b),
        Relation::AtMost => at_most(&a, &b),
        Relation::AtLeast => at_most(&b, &a),
        Relation::Less => less(&a, &b),
        Relation::Greater => less(&b, &a),
    };
    Answer::Truth {
        value,
        caveat: caveat(kind, doubt),
    }
}

fn caveat(kind: SetKind, doubt: Doubt) -> Caveat {
    let numbers = doubt
        .members
        .iter()
        .filter_map(|word| word.strip_prefix('#')?.parse::<u32>().ok());
    Caveat {
        could_change: match kind {
            SetKind::Instances => numbers.collect(),
            _ => Default::default(),
        },
        unclosed: doubt.unclosed || (kind != SetKind::Instances && !doubt.members.is_empty()),
        ..Caveat::default()
    }
}

fn everything_open(a: &Side, b: &Side) -> Doubt {
    Doubt {
        members: a.possible.union(&b.possible).cloned().collect(),
        unclosed: !a.closed || !b.closed,
    }
}

fn nothing_open() -> Doubt {
    Doubt {
        members: BTreeSet::new(),
        unclosed: false,
    }
}

fn equal(a: &Side, b: &Side) -> (bool, Doubt) {
    if a.certain == b.certain {
        return (true, everything_open(a, b));
    }
    let settled = |x: &Side, y: &Side| y.closed && x.certain.iter().any(|word| !y.could_hold(word));
    let doubt = match settled(a, b) || settled(b, a) {
        true => nothing_open(),
        false => everything_open(a, b),
    };
    (false, doubt)
}

fn overlaps(a: &Side, b: &Side) -> (bool, Doubt) {
    if a.certain.intersection(&b.certain).next().is_some() {
        return (true, nothing_open());
    }
    let shared = |x: &Side, y: &Side| {
        let members = x.possible.iter().filter(|word| y.could_hold(word));
        members.cloned().collect::<BTreeSet<String>>()
    };
    let mut members = shared(a, b);
    members.extend(shared(b, a));
    let unclosed = !a.closed || !b.closed;
    (false, Doubt { members, unclosed })
}

fn at_most(a: &Side, b: &Side) -> (bool, Doubt) {
    let counter: BTreeSet<String> = a.certain.difference(&b.certain).cloned().collect();
    if counter.is_empty() {
        let outside = a.possible.difference(&b.certain).cloned();
        let doubt = Doubt {
            members: outside.collect(),
            unclosed: !a.closed,
        };
        return (true, doubt);
    }
    let all_possible = counter.iter().all(|word| b.possible.contains(word));
    let members = match all_possible || !b.closed {
        true => counter
            .into_iter()
            .filter(|word| b.possible.contains(word))
            .collect(),
        false => BTreeSet::new(),
    };
    let unclosed = !b.closed;
    (false, Doubt { members, unclosed })
}

fn less(a: &Side, b: &Side) -> (bool, Doubt) {
    let value = a.certain.is_subset(&b.certain) && a.certain != b.certain;
    (value, everything_open(a, b))
}
