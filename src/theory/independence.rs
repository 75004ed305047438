//! INDEPENDENCE: do two dimensions say different things?

use super::{Ordered, TheoryError};
use crate::draw::{MOST_NODES, Node, Picture};
use crate::engine::{Budget, Extents, RunError};
use crate::lattice::{DimensionId, InstanceId, Lattice};
use crate::order::{self, Case, IndependenceError, PRODUCT_LIMIT};
use serde::Serialize;

/// How independent two dimensions are, from 0 to 1, by the widths of the observed
/// joint order (see [`crate::order::independence`] for the measure and its limits).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IndependenceReport {
    /// The two dimensions.
    pub dimensions: [String; 2],
    /// 1 if all pairs of observed values occur, 0 if one dimension determines the
    /// other monotonically; `None` where there is nothing to measure.
    pub independence: Option<f64>,
    /// `widths`, `unordered`, `constant` or `empty`: how it was made.
    pub case: &'static str,
    /// Instances with a value on both.
    pub instances: u64,
    /// Different pairs of values.
    pub pairs: u64,
    /// Different values on each.
    pub values: [u64; 2],
    /// The widths of the orders of these values.
    pub widths: [u64; 2],
    /// The widths of the observed pairs and of all pairs; then the same with the
    /// second dimension upside down.
    pub joint: [[u64; 2]; 2],
}

/// Why intervals are of no use here.
const WHY: &str = "and INDEPENDENCE compares orders of named values";

/// The independence of two dimensions.
///
/// # Errors
/// If one has no order of named values, their product is too large, or the budget
/// is spent.
pub fn independence(
    lattice: &Lattice,
    a: DimensionId,
    b: DimensionId,
    budget: &Budget,
) -> Result<IndependenceReport, TheoryError> {
    let extents = Extents::new(lattice, budget);
    let (first, second) = (Ordered::of(lattice, a, WHY)?, Ordered::of(lattice, b, WHY)?);
    let (pairs, instances) = observed(&extents, &first, &second)?;
    let mut stop = || extents.meter().check().is_err();
    let found = order::independence(first.dag(), second.dag(), &pairs, PRODUCT_LIMIT, &mut stop);
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            extents.meter().check()?;
            return Err(too_large(&error));
        }
    };
    let name = |d| lattice.dimension(d).name.clone();
    Ok(IndependenceReport {
        dimensions: [name(a), name(b)],
        independence: found.value,
        case: match found.case {
            Case::Widths => "widths",
            Case::Unordered => "unordered",
            Case::Constant => "constant",
            Case::Empty => "empty",
        },
        instances,
        pairs: found.pairs as u64,
        values: [found.values.0 as u64, found.values.1 as u64],
        widths: [found.widths.0 as u64, found.widths.1 as u64],
        joint: [found.upright, found.reversed].map(|joint| [joint.observed, joint.product]),
    })
}

/// The pairs of nodes that the instances have on two dimensions, and how many
/// instances have one.
fn observed(
    extents: &Extents<'_>,
    first: &Ordered<'_>,
    second: &Ordered<'_>,
) -> Result<(Vec<(u32, u32)>, u64), RunError> {
    let mut pairs = Vec::new();
    let mut instances = 0;
    for x in first.lattice().positive(first.dimension()).subjects() {
        extents.meter().tick()?;
        let nodes = |ordered: &Ordered<'_>| -> Vec<u32> {
            let values = extents.values(ordered.dimension(), InstanceId(x));
            values.iter().filter_map(|&v| ordered.node(v)).collect()
        };
        let (left, right) = (nodes(first), nodes(second));
        instances += u64::from(!left.is_empty() && !right.is_empty());
        pairs.extend(
            left.iter()
                .flat_map(|&x| right.iter().map(move |&y| (x, y))),
        );
    }
    Ok((pairs, instances))
}

/// The observed joint order of two dimensions: its nodes are the pairs of values that
/// some instance has, its order that of both.
///
/// # Errors
/// If one has no order of named values, there are more pairs than are drawn, or the
/// budget is spent.
pub fn joint_order(
    lattice: &Lattice,
    a: DimensionId,
    b: DimensionId,
    budget: &Budget,
) -> Result<Picture, TheoryError> {
    let extents = Extents::new(lattice, budget);
    let (first, second) = (Ordered::of(lattice, a, WHY)?, Ordered::of(lattice, b, WHY)?);
    let (mut pairs, _) = observed(&extents, &first, &second)?;
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.len() > MOST_NODES {
        return Err(TheoryError::TooLarge(format!(
            "{} pairs of values occur, and up to {MOST_NODES} are drawn",
            pairs.len()
        )));
    }
    let name = |d| lattice.dimension(d).name.clone();
    let mut picture = Picture::new(format!("{} × {} as observed", name(a), name(b)));
    for (k, &(x, y)) in (0u32..).zip(&pairs) {
        let label = format!("{}, {}", first.named(x), second.named(y));
        picture.nodes.push(Node::new(label));
        for (l, &(u, v)) in (0u32..).zip(&pairs) {
            extents.meter().tick()?;
            if k != l && first.dag().le(u, x) && second.dag().le(v, y) {
                picture.edges.push((k, l));
            }
        }
    }
    Ok(picture)
}

fn too_large(error: &IndependenceError) -> TheoryError {
    TheoryError::TooLarge(error.to_string())
}
