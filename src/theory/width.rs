//! WIDTH: how many values of a dimension can be pairwise incomparable.

use super::{Named, Ordered, TheoryError};
use crate::engine::{Budget, Meter};
use crate::lattice::{DimensionId, Lattice};
use crate::order;
use serde::Serialize;

/// A largest antichain, and as many chains that cover the dimension: each proves
/// that the other cannot be improved (Dilworth, 1950).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WidthReport {
    /// The dimension.
    pub dimension: String,
    /// Values; members of a cycle count as one.
    pub values: u64,
    /// The width.
    pub width: u64,
    /// So many pairwise incomparable values.
    pub antichain: Vec<Named>,
    /// So many chains, each from general to specific; every value is in one.
    pub chains: Vec<Vec<Named>>,
}

/// The width of a dimension.
///
/// # Errors
/// If it has no order of named values, or the budget is spent.
pub fn width(
    lattice: &Lattice,
    d: DimensionId,
    budget: &Budget,
) -> Result<WidthReport, TheoryError> {
    let meter = Meter::new(budget);
    let why = "and of those any number can lie side by side";
    let ordered = Ordered::of(lattice, d, why)?;
    let Some(found) = order::width(ordered.dag(), &mut || meter.check().is_err()) else {
        meter.check()?;
        return Err(TheoryError::TooLarge("the search was stopped".to_owned()));
    };
    Ok(WidthReport {
        dimension: lattice.dimension(d).name.clone(),
        values: ordered.dag().len() as u64,
        width: found.antichain.len() as u64,
        chains: found
            .chains
            .iter()
            .map(|chain| ordered.all_named(chain.iter().copied()))
            .collect(),
        antichain: ordered.all_named(found.antichain),
    })
}
