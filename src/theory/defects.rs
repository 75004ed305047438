//! What is wrong with a taxonomy as its sources state it.

use super::check::{Duplicate, Uncovered, Undefined};
use super::{Named, Ordered, TheoryError};
use crate::engine::RunError;
use crate::lattice::{Defect, Fault, Lattice};
use crate::order::{CycleLimits, cycles};

/// The defects of a dimension, by kind.
pub(super) struct Defects {
    /// Closed paths: each value lies above the next. Every recorded edge of a cycle
    /// lies on one of them, unless it is counted as uncovered.
    pub cycles: Vec<Vec<Named>>,
    pub uncovered: Option<Uncovered>,
    pub undefined: Vec<Undefined>,
    pub duplicates: Vec<Duplicate>,
}

impl Defects {
    /// Reads them.
    pub(super) fn of(ordered: &Ordered<'_>) -> Result<Defects, TheoryError> {
        let lattice = ordered.lattice();
        let mut found = Defects {
            cycles: ordered.cycles(),
            uncovered: ordered.uncovered(),
            undefined: Vec::new(),
            duplicates: Vec::new(),
        };
        let mut edges: Vec<(&str, &str)> = Vec::new();
        for defect in lattice.defects(ordered.dimension()) {
            let place = || place(lattice, defect);
            match &defect.fault {
                Fault::CycleEdge { upper, lower } => edges.push((upper, lower)),
                Fault::Undefined { term, user } => found.undefined.push(Undefined {
                    term: term.clone(),
                    by: user.clone(),
                    place: place()?,
                }),
                Fault::Duplicate { term } => found.duplicates.push(Duplicate {
                    term: term.clone(),
                    place: place()?,
                }),
            }
        }
        let (closed, uncovered) = closed(lattice, &edges);
        found.cycles.extend(closed);
        found.uncovered = found.uncovered.or(uncovered);
        Ok(found)
    }
}

fn place(lattice: &Lattice, defect: &Defect) -> Result<Option<String>, TheoryError> {
    let Some(evidence) = defect.evidence else {
        return Ok(None);
    };
    let evidence = lattice.evidence(evidence).map_err(RunError::from)?;
    Ok(Some(match evidence.line {
        Some(line) => format!("{}:{line}", evidence.document),
        None => evidence.document.to_string(),
    }))
}

/// The closed paths of recorded edges between words that are one value by now.
fn closed(lattice: &Lattice, edges: &[(&str, &str)]) -> (Vec<Vec<Named>>, Option<Uncovered>) {
    let mut words: Vec<&str> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    words.sort_unstable();
    words.dedup();
    let number = |word: &str| words.binary_search(&word).ok().map(|at| at as u32);
    let numbered: Vec<(u32, u32)> = edges
        .iter()
        .filter_map(|&(a, b)| Some((number(a)?, number(b)?)))
        .collect();
    let found = cycles(words.len() as u32, &numbered, CycleLimits::default());
    let named = |&node: &u32| {
        let value = words.get(node as usize).copied().unwrap_or("").to_owned();
        let instance = lattice.by_id(&value);
        let label = instance.map(|i| lattice.name(i).to_owned());
        Named {
            label: label.filter(|label| *label != value),
            value,
        }
    };
    let close = |path: &Vec<u32>| path.iter().chain(path.first()).map(named).collect();
    let closed = found.paths.iter().map(close).collect();
    (closed, Uncovered::of(&found))
}
