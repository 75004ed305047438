//! What can stand where: the types that a lattice shows.
//!
//! A lattice declares no types. What a dimension leads from and to is seen in its
//! facts: two places fit together if what stands in the one also stands in the other.

use crate::lattice::{DimensionId, InstanceId, Lattice, ValueId};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// One side of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Extent {
    /// The instances that have a value in it.
    Subjects(DimensionId),
    /// The instances that are values of it.
    Objects(DimensionId),
    /// The instances at a value of a taxonomy, or below it.
    Below(DimensionId, ValueId),
}

/// Two places whose cosine (Ochiai, 1957: what they share, over the geometric mean of
/// their sizes) is less do not fit together: chance alone gives some things the names
/// of others.
const SHARED: f64 = 0.03;

/// The extents of a lattice, each computed when it is first needed.
pub(super) struct Extents {
    lattice: Lattice,
    sides: Vec<[OnceLock<Arc<RoaringBitmap>>; 2]>,
}

/// How extents fit, as found so far.
#[derive(Default)]
pub(super) struct Fits {
    below: HashMap<Extent, Arc<RoaringBitmap>>,
    pairs: HashMap<(Extent, Extent), bool>,
}

impl Extents {
    pub(super) fn new(lattice: &Lattice) -> Extents {
        let sides = lattice.dimensions().iter();
        Extents {
            lattice: lattice.clone(),
            sides: sides.map(|_| Default::default()).collect(),
        }
    }

    fn set(&self, extent: Extent, fits: &mut Fits) -> Arc<RoaringBitmap> {
        let (d, side) = match extent {
            Extent::Subjects(d) => (d, 0),
            Extent::Objects(d) => (d, 1),
            Extent::Below(d, v) => {
                let set = fits.below.entry(extent);
                return Arc::clone(set.or_insert_with(|| Arc::new(self.below(d, v))));
            }
        };
        let cell = self.sides.get(d.index()).and_then(|sides| sides.get(side));
        match cell {
            None => Arc::default(),
            Some(cell) => Arc::clone(cell.get_or_init(|| Arc::new(self.side(d, side == 0)))),
        }
    }

    fn side(&self, d: DimensionId, subjects: bool) -> RoaringBitmap {
        let relation = self.lattice.positive(d);
        match subjects {
            true => relation.subjects(),
            false if self.lattice.dimension(d).is_entity() => {
                relation.distinct_values().iter().copied().collect()
            }
            false => RoaringBitmap::new(),
        }
    }

    fn below(&self, d: DimensionId, v: ValueId) -> RoaringBitmap {
        let Some(taxonomy) = self.lattice.taxonomy(d) else {
            return RoaringBitmap::new();
        };
        let relation = self.lattice.positive(d);
        let mut set = RoaringBitmap::new();
        for value in relation.distinct_values() {
            if taxonomy.dag().le(*value, v.0) {
                set |= relation.holders(ValueId(*value)).to_set();
            }
        }
        set
    }

    /// Whether an instance stands in an extent.
    pub(super) fn has(&self, extent: Extent, i: InstanceId, fits: &mut Fits) -> bool {
        self.set(extent, fits).contains(i.0)
    }

    /// Whether what stands in the one may stand in the other.
    pub(super) fn fit(&self, a: Extent, b: Extent, fits: &mut Fits) -> bool {
        if a == b {
            return true;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(known) = fits.pairs.get(&pair) {
            return *known;
        }
        let (left, right) = (self.set(a, fits), self.set(b, fits));
        let shared = left.intersection_len(&right) as f64;
        let mean = (left.len() as f64 * right.len() as f64).sqrt();
        let fit = shared > 0.0 && shared >= SHARED * mean;
        fits.pairs.insert(pair, fit);
        fit
    }
}
