//! IMPLICATIONS: what always holds together.

use super::TheoryError;
use super::concepts::{going, names};
use super::table::{Table, Valued};
use crate::engine::{Budget, Meter, RunError};
use crate::lattice::{DimensionId, Lattice};
use crate::order::concepts::{Ended, Implication, Limits, stem_basis};
use serde::Serialize;

/// Up to how many implications are listed; past it the report says so.
pub const MOST_IMPLICATIONS: u64 = 100_000;

/// The stem basis of some dimensions (Guigues and Duquenne, 1986): from these, and
/// from the orders of the dimensions, follows every implication that holds in what is
/// recorded, and none of them follows from the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Implications {
    /// The dimensions.
    pub dimensions: Vec<String>,
    /// Instances with a value on one of them.
    pub instances: u64,
    /// Values that some instance certainly has.
    pub values: u64,
    /// In how many instances a premise is found at least.
    pub support: u64,
    /// The size of the whole basis, with those that say no more than the orders.
    pub basis: u64,
    /// Whether the basis is whole.
    pub whole: bool,
    /// Those that say more than the orders, by falling support.
    pub implications: Vec<ImplicationLine>,
}

/// Every instance with all of `premise` has all of `conclusion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImplicationLine {
    /// How many instances have the premise; 0: none has, so it holds of nothing.
    pub support: u64,
    /// The premise, without what lies above another value in it.
    pub premise: Vec<Valued>,
    /// What follows, without what follows by order.
    pub conclusion: Vec<Valued>,
}

/// The implications of some dimensions whose premise at least `support` instances
/// have.
///
/// # Errors
/// If the instances × values do not fit in memory, or the budget is spent.
pub fn implications(
    lattice: &Lattice,
    dimensions: &[DimensionId],
    support: u64,
    budget: &Budget,
) -> Result<Implications, TheoryError> {
    let meter = Meter::new(budget);
    let table = Table::of(lattice, dimensions, budget)?;
    let most = Limits::most(MOST_IMPLICATIONS);
    let (found, outcome) = stem_basis(&table.context, support, most, || going(&meter));
    if outcome.ended == Ended::Stopped {
        meter.check()?;
    }
    let lines = found.list().iter();
    let lines: Result<Vec<_>, _> = lines
        .filter_map(|implication| line(&table, implication, &meter).transpose())
        .collect();
    Ok(Implications {
        dimensions: names(lattice, dimensions),
        instances: table.objects.len() as u64,
        values: table.attributes.len() as u64,
        support,
        basis: outcome.found,
        whole: outcome.is_whole(),
        implications: lines?,
    })
}

/// What an implication says beyond the orders; none if nothing.
fn line(
    table: &Table<'_>,
    implication: &Implication,
    meter: &Meter,
) -> Result<Option<ImplicationLine>, RunError> {
    let premise = &implication.premise;
    let by_order = |b: u32| premise.iter().any(|&a| table.implies_by_order(a, b));
    let more: Vec<u32> = implication
        .conclusion
        .iter()
        .copied()
        .filter(|&b| !by_order(b))
        .collect();
    let conclusion = table.valued(&table.most_specific(&more, meter)?);
    if conclusion.is_empty() {
        return Ok(None);
    }
    Ok(Some(ImplicationLine {
        support: implication.support,
        premise: table.valued(&table.most_specific(premise, meter)?),
        conclusion,
    }))
}
