//! CONCEPTS: which sets of values are had together, and how they stand to each other.

use super::table::{Table, Valued};
use super::{Named, TheoryError};
use crate::draw::{Picture, concept_node};
use crate::engine::{Budget, Meter, RunError};
use crate::lattice::{DimensionId, Lattice};
use crate::order::concepts::{ConceptLattice, Ended, Limits};
use serde::Serialize;
use std::ops::ControlFlow;

/// Up to how many concepts are listed: past it the report says so, and lists none,
/// for the neighbours of a part would be wrong.
pub const MOST_CONCEPTS: u64 = 250_000;

/// The concepts of some dimensions (Ganter and Wille, 1999).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concepts {
    /// The dimensions.
    pub dimensions: Vec<String>,
    /// Instances with a value on one of them.
    pub instances: u64,
    /// Values that some instance certainly has.
    pub values: u64,
    /// In how many instances a concept is found at least.
    pub support: u64,
    /// The number of concepts; if not `whole`, there are more.
    pub found: u64,
    /// Whether that is all of them.
    pub whole: bool,
    /// The concepts by falling support: what lies above one stands before it.
    pub concepts: Vec<ConceptLine>,
}

/// One concept: instances, and all values that they have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConceptLine {
    /// How many instances have all of its values.
    pub support: u64,
    /// Its values, without those that lie above another one.
    pub values: Vec<Valued>,
    /// Those of its values that no concept above has.
    pub introduces: Vec<Valued>,
    /// The instances that have no more than these values.
    pub own: Vec<Named>,
    /// Its neighbours.
    #[serde(flatten)]
    pub neighbours: Neighbours,
}

/// The next concepts, by their place in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Neighbours {
    /// The more general ones.
    pub above: Vec<u32>,
    /// The more specific ones.
    pub below: Vec<u32>,
}

/// The concepts of some dimensions that at least `support` instances have.
///
/// # Errors
/// If the instances × values do not fit in memory, or the budget is spent.
pub fn concepts(
    lattice: &Lattice,
    dimensions: &[DimensionId],
    support: u64,
    budget: &Budget,
) -> Result<Concepts, TheoryError> {
    let meter = Meter::new(budget);
    let table = Table::of(lattice, dimensions, budget)?;
    let mut report = Concepts {
        dimensions: names(lattice, dimensions),
        instances: table.objects.len() as u64,
        values: table.attributes.len() as u64,
        support,
        found: 0,
        whole: true,
        concepts: Vec::new(),
    };
    let tick = || going(&meter);
    match ConceptLattice::new(&table.context, support, Limits::most(MOST_CONCEPTS), tick) {
        Ok(found) => {
            report.found = found.len() as u64;
            report.concepts = lines(lattice, &table, &found, &meter)?;
        }
        Err(outcome) => {
            if outcome.ended == Ended::Stopped {
                meter.check()?;
            }
            report.found = outcome.found;
            report.whole = false;
        }
    }
    Ok(report)
}

impl Concepts {
    /// The lattice of the concepts: each value is written at the highest concept that has
    /// it, each instance at the lowest.
    pub fn picture(&self) -> Picture {
        let mut picture = Picture::new(format!(
            "{} concepts of {}",
            self.found,
            self.dimensions.join(", ")
        ));
        let word = |valued: &Valued| match self.dimensions.as_slice() {
            [_] => valued.value.to_string(),
            _ => valued.to_string(),
        };
        for (concept, line) in (0u32..).zip(&self.concepts) {
            let introduces: Vec<String> = line.introduces.iter().map(word).collect();
            let own: Vec<String> = line.own.iter().map(Named::to_string).collect();
            let is_top = line.neighbours.above.is_empty();
            picture.nodes.push(concept_node(&introduces, &own, is_top));
            let below = line.neighbours.below.iter();
            picture.edges.extend(below.map(|&below| (concept, below)));
        }
        picture
    }
}

/// Goes on as long as the budget lasts.
pub(super) fn going(meter: &Meter) -> ControlFlow<()> {
    match meter.tick() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

pub(super) fn names(lattice: &Lattice, dimensions: &[DimensionId]) -> Vec<String> {
    let name = |d: &DimensionId| lattice.dimension(*d).name.clone();
    dimensions.iter().map(name).collect()
}

fn lines(
    lattice: &Lattice,
    table: &Table<'_>,
    found: &ConceptLattice,
    meter: &Meter,
) -> Result<Vec<ConceptLine>, RunError> {
    let mut own: Vec<Vec<Named>> = vec![Vec::new(); found.len()];
    for (&x, home) in table.objects.iter().zip(found.homes(&table.context)) {
        meter.tick()?;
        if let Some(list) = home.and_then(|home| own.get_mut(home as usize)) {
            list.push(Named::instance(lattice, x));
        }
    }
    let line = |(c, own): (u32, Vec<Named>)| {
        Ok(ConceptLine {
            support: found.support(c),
            values: table.valued(&table.most_specific(found.intent(c), meter)?),
            introduces: table.valued(&found.introduced(c)),
            own,
            neighbours: Neighbours {
                above: found.upper(c).to_vec(),
                below: found.lower(c).to_vec(),
            },
        })
    };
    (0u32..).zip(own).map(line).collect()
}
