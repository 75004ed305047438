//! Paths of relations through a lattice, from a thing to an answer.

use crate::lattice::{DimensionId, InstanceId, Lattice, ValueId};
use crate::syntax::print::print_word;
use crate::verdict::print_value;
use std::collections::BTreeSet;

/// One step: along a dimension, or against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Step {
    pub dimension: DimensionId,
    pub backward: bool,
}

/// Steps from a thing, and whether the thing itself is dropped after each of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Path {
    pub steps: Vec<Step>,
    pub drop: bool,
}

/// What a path reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Instances(Vec<u32>),
    Values(DimensionId, Vec<u32>),
}

/// Sets of more members are not walked on from: no question means them.
const TOO_MANY: usize = 20_000;

impl Reached {
    pub(super) fn len(&self) -> usize {
        match self {
            Reached::Instances(all) | Reached::Values(_, all) => all.len(),
        }
    }

    pub(super) fn names(&self, lattice: &Lattice) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Reached::Instances(all) => all
                .iter()
                .map(|i| lattice.name(InstanceId(*i)).to_owned())
                .collect(),
            Reached::Values(d, all) => all
                .iter()
                .map(|v| print_value(lattice, &lattice.value(*d, ValueId(*v))))
                .collect(),
        };
        names.sort();
        names.dedup();
        names
    }
}

/// Every step that leads somewhere from these, with what it reaches.
pub(super) fn steps(lattice: &Lattice, from: &[u32]) -> Vec<(Step, Reached)> {
    let mut all = Vec::new();
    for (d, dimension) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
        if !dimension.primary {
            continue;
        }
        for backward in [false, true] {
            let step = Step {
                dimension: d,
                backward,
            };
            let reached = walk(lattice, from, step);
            if reached.len() > 0 {
                all.push((step, reached));
            }
        }
    }
    all
}

/// What one step reaches; nothing if that is too much.
pub(super) fn walk(lattice: &Lattice, from: &[u32], step: Step) -> Reached {
    let d = step.dimension;
    let is_entity = lattice.dimension(d).is_entity();
    let relation = lattice.positive(d);
    let mut found = BTreeSet::new();
    for &i in from {
        match (step.backward, is_entity) {
            (false, _) => found.extend(relation.of(InstanceId(i)).values().iter().copied()),
            (true, true) => found.extend(relation.holders(ValueId(i)).to_vec()),
            (true, false) => {}
        }
        if found.len() > TOO_MANY {
            return Reached::Instances(Vec::new());
        }
    }
    let found: Vec<u32> = found.into_iter().collect();
    match is_entity {
        true => Reached::Instances(found),
        false => Reached::Values(d, found),
    }
}

impl Path {
    /// What the path reaches from a thing.
    pub(super) fn reach(&self, lattice: &Lattice, topic: &[u32]) -> Reached {
        let mut here = topic.to_vec();
        let mut reached = Reached::Instances(Vec::new());
        for step in &self.steps {
            reached = walk(lattice, &here, *step);
            if let Reached::Instances(all) = &mut reached {
                if self.drop {
                    all.retain(|i| !topic.contains(i));
                }
                here.clone_from(all);
            } else {
                here.clear();
            }
        }
        reached
    }

    /// The path as a query about `{x}`.
    pub(super) fn query(&self, lattice: &Lattice) -> String {
        let mut reached: Option<String> = None;
        for step in &self.steps {
            let dimension = lattice.dimension(step.dimension);
            let word = print_word(&dimension.name);
            let from = match &reached {
                None => "= {x}".to_owned(),
                Some(query) => format!("IN ({query})"),
            };
            let drop = self.drop && dimension.is_entity();
            reached = Some(match (step.backward, drop) {
                (true, false) => format!("MEET {word} {from}"),
                (true, true) => format!("MEET {word} {from} AND name != {{x}}"),
                (false, false) => format!("MEET name {from} RETURN {word}"),
                (false, true) => {
                    format!("MEET name IN (MEET name {from} RETURN {word}) AND name != {{x}}")
                }
            });
        }
        reached.unwrap_or_default()
    }
}
