//! Instances × values as a formal context.

use super::{Named, TheoryError};
use crate::engine::{Budget, CertainOrder, Extents, Meter, RunError};
use crate::lattice::{DimensionId, Kind, Lattice};
use crate::load::cxt::FormalContext;
use crate::order::concepts::Context;
use roaring::RoaringBitmap;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// How many bytes the two matrices of a context may take.
const CONTEXT_BYTES: u64 = 256 << 20;

/// A value of a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Valued {
    /// The dimension.
    pub dimension: Arc<str>,
    /// The value.
    #[serde(flatten)]
    pub value: Arc<Named>,
}

impl fmt::Display for Valued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.dimension, self.value)
    }
}

/// A formal context over a lattice. An instance is an object if it has a value on one
/// of the dimensions; a value is an attribute if some instance certainly has it or
/// something below it, and the instances that do are those that `MEET d = v` finds.
/// A COMPLETE dimension says what is not had as well: then every instance is an object,
/// and every one of its values an attribute.
pub struct Table<'l> {
    /// Which object has which attribute.
    pub context: Context,
    /// The instance of each object, ascending.
    pub objects: Vec<u32>,
    /// The dimension and value of each attribute, ascending.
    pub attributes: Vec<(DimensionId, u32)>,
    /// The attributes with their names; many concepts share one.
    names: Vec<Valued>,
    lattice: &'l Lattice,
    /// What is certain of the orders of those dimensions that have named values.
    orders: Vec<(DimensionId, CertainOrder<'l>)>,
}

impl<'l> Table<'l> {
    /// The context of some dimensions.
    ///
    /// # Errors
    /// If it would not fit in memory, or the budget is spent.
    pub fn of(
        lattice: &'l Lattice,
        dimensions: &[DimensionId],
        budget: &Budget,
    ) -> Result<Table<'l>, TheoryError> {
        let reader = Extents::new(lattice, budget);
        let (mut attributes, mut extents) = (Vec::new(), Vec::new());
        let mut objects = RoaringBitmap::new();
        for &d in dimensions {
            for v in candidates(lattice, d) {
                let extent = reader.certain(d, v)?;
                if extent.is_empty() && !lattice.dimension(d).complete {
                    continue;
                }
                reader.meter().spend(extent.serialized_size() as u64)?;
                objects |= &extent;
                attributes.push((d, v));
                extents.push(extent);
            }
        }
        // What a COMPLETE dimension does not record is not had.
        if dimensions.iter().any(|&d| lattice.dimension(d).complete) {
            objects.insert_range(0..lattice.instance_count());
        }
        let objects: Vec<u32> = objects.iter().collect();
        let place = |x: u32| objects.binary_search(&x).ok().map(|at| at as u32);
        let crosses = (0u32..).zip(&extents).flat_map(|(attribute, extent)| {
            let places = extent.iter().filter_map(place);
            places.map(move |object| (object, attribute))
        });
        let (rows, columns) = (objects.len() as u32, attributes.len() as u32);
        let context = Context::new(rows, columns, crosses, CONTEXT_BYTES)
            .map_err(|error| TheoryError::TooLarge(error.to_string()))?;
        reader.meter().check()?;
        Ok(Table {
            context,
            objects,
            names: attributes
                .iter()
                .map(|&(d, v)| Valued {
                    dimension: lattice.dimension(d).name.as_str().into(),
                    value: Arc::new(Named::of(lattice, d, v)),
                })
                .collect(),
            attributes,
            lattice,
            orders: dimensions
                .iter()
                .filter(|&&d| {
                    let kind = &lattice.dimension(d).kind;
                    !matches!(kind, Kind::Number { .. } | Kind::Date)
                })
                .map(|&d| (d, reader.order(d)))
                .collect(),
        })
    }

    /// Some attributes by their dimensions and values.
    pub fn valued(&self, attributes: &[u32]) -> Vec<Valued> {
        let of = |&a: &u32| self.names.get(a as usize).cloned();
        attributes.iter().filter_map(of).collect()
    }

    /// Whether every instance with attribute `a` has `b` because `b` lies above `a` in
    /// the order of one dimension.
    pub fn implies_by_order(&self, a: u32, b: u32) -> bool {
        let attribute = |a: u32| self.attributes.get(a as usize).copied();
        let (Some((d, v)), Some((e, w))) = (attribute(a), attribute(b)) else {
            return false;
        };
        if d != e {
            return false;
        }
        if let Some((_, order)) = self.orders.iter().find(|(known, _)| *known == d) {
            return order.le(v, w);
        }
        let (numbers, dates) = (self.lattice.numbers(d), self.lattice.dates(d));
        let (v, w) = (v as usize, w as usize);
        match self.lattice.dimension(d).kind {
            Kind::Number { .. } => {
                matches!((numbers.get(v), numbers.get(w)), (Some(v), Some(w)) if w.contains(v))
            }
            _ => matches!((dates.get(v), dates.get(w)), (Some(v), Some(w)) if w.contains(v)),
        }
    }

    /// Of some attributes those that no other one of them implies by order; of equal
    /// ones the first.
    ///
    /// # Errors
    /// If the budget is spent: every pair is compared.
    pub fn most_specific(&self, attributes: &[u32], meter: &Meter) -> Result<Vec<u32>, RunError> {
        let mut kept = Vec::new();
        for &b in attributes {
            let mut beaten = false;
            for &a in attributes {
                meter.tick()?;
                beaten = a != b
                    && self.implies_by_order(a, b)
                    && (a < b || !self.implies_by_order(b, a));
                if beaten {
                    break;
                }
            }
            if !beaten {
                kept.push(b);
            }
        }
        Ok(kept)
    }
}

/// The values that some instance may have: all of a taxonomy, the recorded ones of
/// other dimensions and, along WITHIN, whatever lies above something.
fn candidates(lattice: &Lattice, d: DimensionId) -> Vec<u32> {
    if let Some(taxonomy) = lattice.taxonomy(d) {
        return (0..taxonomy.dag().len() as u32).collect();
    }
    let mut values = lattice.recorded_values(d).to_vec();
    if let Some(r) = lattice.dimension(d).within() {
        values.extend_from_slice(lattice.recorded_values(r));
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// The instances × values of some dimensions as a context with names, for other
/// programs: one dimension's values by their words, those of several as `d = v`. Every
/// instance is an object, with and without a value.
///
/// # Errors
/// If it would not fit in memory, or the budget is spent.
pub fn context(
    lattice: &Lattice,
    dimensions: &[DimensionId],
    budget: &Budget,
) -> Result<FormalContext, TheoryError> {
    let table = Table::of(lattice, dimensions, budget)?;
    let attributes: Vec<u32> = (0..table.attributes.len() as u32).collect();
    let word = |valued: Valued| match dimensions {
        [_] => valued.value.value.clone(),
        _ => format!("{} = {}", valued.dimension, valued.value.value),
    };
    let instances = 0..lattice.instance_count();
    let rows = instances
        .clone()
        .map(|x| match table.objects.binary_search(&x) {
            Ok(object) => table.context.intent(&[object as u32]),
            Err(_) => Vec::new(),
        });
    Ok(FormalContext {
        name: String::new(),
        objects: instances
            .map(|x| Named::instance(lattice, x).value)
            .collect(),
        attributes: table.valued(&attributes).into_iter().map(word).collect(),
        rows: rows.collect(),
    })
}
