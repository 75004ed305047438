//! CHECK: may a dimension go live?

use super::defects::Defects;
use super::{Named, Ordered, TheoryError};
use crate::engine::{Budget, Meter};
use crate::lattice::{DimensionId, Kind, Lattice};
use crate::order::{self, Count, Dag, Shape};
use serde::Serialize;

/// What CHECK found about a dimension (paper, section 3.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The dimension.
    pub dimension: String,
    /// Its kind: `TAXONOMY`, `ENTITY WITHIN located_in` …
    pub kind: String,
    /// Values; members of a cycle count as one.
    pub values: u64,
    /// Covering edges as declared or recorded, without repetitions.
    pub edges: u64,
    /// Values with nothing above them.
    pub roots: Vec<Named>,
    /// Values with several parents.
    pub several_parents: u64,
    /// The length of a longest chain, in values.
    pub depth: u64,
    /// Cycles as closed paths: each value lies above the next. Their members are one
    /// value, or equal.
    pub cycles: Vec<Vec<Named>>,
    /// What of the cycles is not listed, where there are too many to list them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncovered: Option<Uncovered>,
    /// Parents that no source defines.
    pub undefined: Vec<Undefined>,
    /// Terms that are defined twice in one document.
    pub duplicates: Vec<Duplicate>,
    /// Whether every two values with a common lower bound have a greatest one.
    pub meets: Uniqueness,
    /// Whether the distributive law holds.
    pub law: Distributivity,
    /// What follows.
    pub verdict: Legitimacy,
    /// Whether the dimension is STRICT: it would not be there if it failed.
    pub strict: bool,
}

/// What the listed cycles do not show: listing them reached its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Uncovered {
    /// Recorded edges that lie on a cycle, and on no listed one.
    pub edges: u64,
    /// Values that lie on a cycle, and on no listed one.
    pub values: u64,
}

impl Uncovered {
    /// None if every edge of a cycle is shown.
    pub(super) fn of(found: &order::Cycles) -> Option<Uncovered> {
        (!found.left.is_empty()).then(|| Uncovered {
            edges: found.left.len() as u64,
            values: found.left_nodes().len() as u64,
        })
    }
}

/// A parent that no source defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undefined {
    /// The parent.
    pub term: String,
    /// A term that names it.
    pub by: String,
    /// Where, as `document:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A term that is defined twice in one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Duplicate {
    /// The term.
    pub term: String,
    /// Where it is defined again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What a check comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Legitimacy {
    /// Meets are unique and the law holds: the dimension is legitimate as it is.
    Legitimate,
    /// Something fails: the dimension is used through its completion.
    Completed,
    /// A limit was reached before it was known.
    Undecided,
}

/// Whether meets are unique.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uniqueness {
    /// `None` where a limit was reached before it was known.
    pub unique: Option<bool>,
    /// Pairs with several maximal common lower bounds.
    pub ambiguous: u64,
    /// Whether all of them were counted.
    pub exact: bool,
    /// The first such pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Ambiguity>,
}

/// Two values whose meet is not one value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ambiguity {
    /// The two values.
    pub pair: [Named; 2],
    /// Their maximal common lower bounds: the name of their meet in the completion.
    pub maximal: Vec<Named>,
}

/// Whether `x ∧ (y ∨ z) = (x ∧ y) ∨ (x ∧ z)`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distributivity {
    /// `None` where a limit was reached before it was known.
    pub holds: Option<bool>,
    /// Triples that break it.
    pub violated: u64,
    /// Whether all of them were counted.
    pub exact: bool,
    /// Triples that were compared; `None` where the covers alone decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<u64>,
    /// Triples that lack a unique meet or join.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// Whether these are all triples, or only those that several parents let fail.
    pub all: bool,
    /// The first that breaks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Triple>,
}

/// Three values that break the distributive law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Triple {
    /// The value that is distributed.
    pub x: Named,
    /// One of the others.
    pub y: Named,
    /// The other one.
    pub z: Named,
    /// `x ∧ (y ∨ z)`.
    pub left: Named,
    /// `(x ∧ y) ∨ (x ∧ z)`, strictly below.
    pub right: Named,
    /// `M3` or `N5`, where the order has one that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<&'static str>,
    /// Its five values: bottom, the three in the middle, top. Of N5 the first two in
    /// the middle are the chain, the lower one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sublattice: Vec<Named>,
}

/// Checks a dimension.
///
/// # Errors
/// If it has no order of named values, or the budget is spent.
pub fn check(lattice: &Lattice, d: DimensionId, budget: &Budget) -> Result<Checked, TheoryError> {
    let meter = Meter::new(budget);
    let why = "where a meet is an intersection and always unique";
    let ordered = Ordered::of(lattice, d, why)?;
    let dag = ordered.dag();
    let Some(found) = order::check(dag, &mut || meter.check().is_err()) else {
        meter.check()?;
        return Err(TheoryError::TooLarge("the check was stopped".to_owned()));
    };
    let defects = Defects::of(&ordered)?;
    let nodes = || 0..dag.len() as u32;
    let dimension = lattice.dimension(d);
    let meets = uniqueness(&ordered, &found.meets);
    let law = distributivity(&ordered, &found.law);
    let verdict = match (meets.unique, law.holds) {
        (Some(true), Some(true)) => Legitimacy::Legitimate,
        (Some(false), _) | (_, Some(false)) => Legitimacy::Completed,
        _ => Legitimacy::Undecided,
    };
    Ok(Checked {
        dimension: dimension.name.clone(),
        kind: kind_of(lattice, d),
        values: dag.len() as u64,
        edges: nodes().map(|node| dag.parents(node).len() as u64).sum(),
        roots: ordered.all_named(nodes().filter(|&node| dag.parents(node).is_empty())),
        several_parents: nodes().filter(|&node| dag.parents(node).len() > 1).count() as u64,
        depth: depth(dag),
        cycles: defects.cycles,
        uncovered: defects.uncovered,
        undefined: defects.undefined,
        duplicates: defects.duplicates,
        meets,
        law,
        verdict,
        strict: dimension.strict,
    })
}

fn kind_of(lattice: &Lattice, d: DimensionId) -> String {
    match &lattice.dimension(d).kind {
        Kind::Taxonomy => "TAXONOMY".to_owned(),
        Kind::Entity { within: Some(r) } => {
            format!("ENTITY WITHIN {}", lattice.dimension(*r).name)
        }
        Kind::Entity { within: None } => "ENTITY".to_owned(),
        _ => "TEXT".to_owned(),
    }
}

fn counted(count: Count) -> (u64, bool) {
    match count {
        Count::Exact(count) => (count, true),
        Count::AtLeast(count) => (count, false),
    }
}

fn uniqueness(ordered: &Ordered<'_>, meets: &order::Meets) -> Uniqueness {
    let (ambiguous, exact) = counted(meets.ambiguous);
    Uniqueness {
        unique: meets.ambiguous.none(),
        ambiguous,
        exact,
        first: meets.first.as_ref().map(|first| Ambiguity {
            pair: [ordered.named(first.a), ordered.named(first.b)],
            maximal: ordered.all_named(first.maximal.iter().copied()),
        }),
    }
}

fn distributivity(ordered: &Ordered<'_>, law: &order::Law) -> Distributivity {
    let (violated, exact) = counted(law.violated);
    let name = |node| ordered.named(node);
    Distributivity {
        holds: law.violated.none(),
        violated,
        exact,
        checked: law.triples.map(|triples| triples.checked),
        skipped: law.triples.map(|triples| triples.skipped),
        all: law.triples.is_some_and(|triples| triples.all),
        first: law.first.as_ref().map(|first| Triple {
            x: name(first.x),
            y: name(first.y),
            z: name(first.z),
            left: name(first.left),
            right: name(first.right),
            shape: first.sublattice.as_ref().map(|found| match found.shape {
                Shape::M3 => "M3",
                Shape::N5 => "N5",
            }),
            sublattice: first.sublattice.as_ref().map_or(Vec::new(), |found| {
                let [a, b, c] = found.middle;
                ordered.all_named([found.bottom, a, b, c, found.top])
            }),
        }),
    }
}

/// The number of values on a longest chain.
fn depth(dag: &Dag) -> u64 {
    let count = dag.len() as u32;
    let mut waiting: Vec<u32> = (0..count).map(|v| dag.parents(v).len() as u32).collect();
    let mut level: Vec<u64> = vec![1; count as usize];
    let mut ready: Vec<u32> = (0..count).filter(|&v| dag.parents(v).is_empty()).collect();
    let mut deepest = 0;
    while let Some(node) = ready.pop() {
        let own = level.get(node as usize).copied().unwrap_or(0);
        deepest = deepest.max(own);
        for &child in dag.children(node) {
            if let Some(level) = level.get_mut(child as usize) {
                *level = (*level).max(own + 1);
            }
            if let Some(left) = waiting.get_mut(child as usize) {
                *left -= 1;
                if *left == 0 {
                    ready.push(child);
                }
            }
        }
    }
    deepest
}
