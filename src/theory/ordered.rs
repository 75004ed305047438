//! The order of a dimension's values, whatever its kind, as numbered nodes.

use super::Named;
use super::check::Uncovered;
use crate::lattice::{DimensionId, Kind, Lattice};
use crate::order::{Components, CycleLimits, Cycles, Dag, components, cycles};
use std::collections::BTreeMap;

/// A dimension whose values have no order that these statements look at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "dimension \"{dimension}\" is a {kind}: its values are intervals, ordered by inclusion, {why}; ask about a TAXONOMY or an ENTITY dimension"
)]
pub struct NoOrder {
    /// The dimension.
    pub dimension: String,
    /// NUMBER or DATE.
    pub kind: &'static str,
    /// Why the statement has nothing to find there.
    pub why: &'static str,
}

/// The values of a dimension as nodes of an order.
pub struct Ordered<'l> {
    lattice: &'l Lattice,
    dimension: DimensionId,
    /// Per node the values that it stands for, ascending: one, or the members of a
    /// cycle, which are equal.
    members: Vec<Vec<u32>>,
    /// The node of each value.
    nodes: BTreeMap<u32, u32>,
    order: Order<'l>,
    cycles: Cycles,
}

enum Order<'l> {
    Borrowed(&'l Dag),
    Owned(Box<Dag>),
}

impl<'l> Ordered<'l> {
    /// The order of a dimension, and `why` whoever asks has no use for that of intervals: of a
    /// TAXONOMY all its values, of an ENTITY or TEXT
    /// dimension the recorded ones, with those above them along WITHIN.
    ///
    /// # Errors
    /// [`NoOrder`] for NUMBER and DATE.
    pub fn of(
        lattice: &'l Lattice,
        d: DimensionId,
        why: &'static str,
    ) -> Result<Ordered<'l>, NoOrder> {
        let no_order = |kind| {
            Err(NoOrder {
                dimension: lattice.dimension(d).name.clone(),
                kind,
                why,
            })
        };
        match lattice.dimension(d).kind {
            Kind::Number { .. } => return no_order("NUMBER"),
            Kind::Date => return no_order("DATE"),
            _ => {}
        }
        if let Some(taxonomy) = lattice.taxonomy(d) {
            let values = 0..taxonomy.dag().len() as u32;
            return Ok(Ordered {
                lattice,
                dimension: d,
                members: values.clone().map(|v| vec![v]).collect(),
                nodes: values.map(|v| (v, v)).collect(),
                order: Order::Borrowed(taxonomy.dag()),
                cycles: Cycles::default(),
            });
        }
        Ok(Ordered::along(lattice, d))
    }

    /// The order along the relation that an ENTITY dimension stands WITHIN.
    fn along(lattice: &'l Lattice, d: DimensionId) -> Ordered<'l> {
        let mut values: Vec<u32> = lattice.recorded_values(d).to_vec();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        if let Some(r) = lattice.dimension(d).within() {
            let relation = lattice.positive(r);
            for (lower, above) in relation.rows() {
                edges.extend(above.values().iter().map(|&upper| (upper, lower.0)));
            }
            values.extend(edges.iter().flat_map(|&(a, b)| [a, b]));
        }
        values.sort_unstable();
        values.dedup();
        let place: BTreeMap<u32, u32> = values.iter().copied().zip(0u32..).collect();
        let numbered: Vec<(u32, u32)> = edges
            .iter()
            .filter_map(|(a, b)| Some((*place.get(a)?, *place.get(b)?)))
            .collect();
        let count = values.len() as u32;
        let merged = components(count, &numbered);
        let members = members(&merged, &values);
        let nodes = (0u32..)
            .zip(&members)
            .flat_map(|(node, of)| of.iter().map(move |&v| (v, node)))
            .collect();
        let between = numbered
            .iter()
            .filter_map(|&(a, b)| Some((merged.of(a)?, merged.of(b)?)))
            .filter(|(a, b)| a != b)
            .collect::<Vec<_>>();
        let order = Dag::new(merged.len() as u32, &between).unwrap_or_default();
        let mut found = cycles(count, &numbered, CycleLimits::default());
        let value = |place: &u32| values.get(*place as usize).copied().unwrap_or(*place);
        for path in &mut found.paths {
            *path = path.iter().map(value).collect();
        }
        Ordered {
            lattice,
            dimension: d,
            members,
            nodes,
            order: Order::Owned(Box::new(order)),
            cycles: found,
        }
    }

    /// The lattice.
    pub fn lattice(&self) -> &'l Lattice {
        self.lattice
    }

    /// The dimension.
    pub fn dimension(&self) -> DimensionId {
        self.dimension
    }

    /// The order of the nodes.
    pub fn dag(&self) -> &Dag {
        match &self.order {
            Order::Borrowed(dag) => dag,
            Order::Owned(dag) => dag,
        }
    }

    /// The node of a value; none if it does not occur.
    pub fn node(&self, value: u32) -> Option<u32> {
        self.nodes.get(&value).copied()
    }

    /// A node by the first value that it stands for.
    pub fn named(&self, node: u32) -> Named {
        let first = self.members.get(node as usize).and_then(|of| of.first());
        Named::of(self.lattice, self.dimension, first.copied().unwrap_or(node))
    }

    /// A value of the dimension by its number.
    pub fn named_value(&self, value: u32) -> Named {
        Named::of(self.lattice, self.dimension, value)
    }

    /// Several nodes, in their order.
    pub fn all_named(&self, nodes: impl IntoIterator<Item = u32>) -> Vec<Named> {
        nodes.into_iter().map(|node| self.named(node)).collect()
    }

    /// The cycles of the relation that orders the dimension, as paths that end
    /// where they begin; their members are equal.
    pub fn cycles(&self) -> Vec<Vec<Named>> {
        let close = |path: &Vec<u32>| {
            let first = path.first().copied();
            let values = path.iter().copied().chain(first);
            values
                .map(|v| Named::of(self.lattice, self.dimension, v))
                .collect()
        };
        self.cycles.paths.iter().map(close).collect()
    }

    /// What these cycles do not show.
    pub(super) fn uncovered(&self) -> Option<Uncovered> {
        Uncovered::of(&self.cycles)
    }
}

fn members(merged: &Components, values: &[u32]) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); merged.len()];
    for (place, &value) in (0u32..).zip(values) {
        let of = merged.of(place);
        if let Some(of) = of.and_then(|of| members.get_mut(of as usize)) {
            of.push(value);
        }
    }
    members
}
