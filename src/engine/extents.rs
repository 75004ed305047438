//! For one value after the other, which instances certainly have it: what the
//! statements about whole dimensions are computed from.

use super::RunError;
use super::budget::{Budget, Meter};
use super::order::Order;
use super::run::Run;
use super::step::{Alternative, Wanted};
use super::truth::Ask;
use crate::lattice::{DimensionId, InstanceId, Kind, Lattice};
use crate::plan::{DateRegion, NumberRegion, Plan, Region};
use crate::syntax::tree::{Operator, Query, Span};
use roaring::RoaringBitmap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// A plan without steps: nothing but single values is asked.
static NOTHING: LazyLock<Plan> = LazyLock::new(|| Plan {
    query: Arc::new(Query::Abstain {
        words: String::new(),
        span: Span::default(),
    }),
    steps: Vec::new(),
    called: Vec::new(),
});

/// What is certain of the order of a dimension's values: the order by which
/// [`Extents::certain`] finds what has something below a value. Contested edges of a
/// WITHIN relation order nothing in it.
pub struct CertainOrder<'l>(Rc<Order<'l>>);

impl CertainOrder<'_> {
    /// Whether `a ⊑ b` for certain.
    pub fn le(&self, a: u32, b: u32) -> bool {
        self.0.le(a, b)
    }
}

/// Reads which instances have a value, as `MEET d = v` would answer.
pub struct Extents<'l> {
    run: Run<'l>,
}

impl<'l> Extents<'l> {
    /// For a lattice, within a budget.
    pub fn new(lattice: &'l Lattice, budget: &Budget) -> Extents<'l> {
        Extents {
            run: Run::new(lattice, &NOTHING, budget, true),
        }
    }

    /// The budget that is being used.
    pub fn meter(&self) -> &Meter {
        &self.run.meter
    }

    /// The instances for which `d = v` is certain; `v` is a value's number, of an
    /// ENTITY dimension an instance's.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn certain(&self, d: DimensionId, v: u32) -> Result<RoaringBitmap, RunError> {
        self.run.certain_step(&self.test(d, v), d, None)
    }

    /// The instances for which `d = v` is excluded.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn excluded(&self, d: DimensionId, v: u32) -> Result<RoaringBitmap, RunError> {
        self.run.excluded_step(&self.test(d, v), d, None)
    }

    /// The order of a TAXONOMY, ENTITY or TEXT dimension; of others, equality.
    pub fn order(&self, d: DimensionId) -> CertainOrder<'l> {
        CertainOrder(self.run.order(d, 0.0))
    }

    /// The values of a dimension that RETURN gives for an instance, ascending.
    pub fn values(&self, d: DimensionId, x: InstanceId) -> Vec<u32> {
        self.run.step_values(d, x, 0.0).values
    }

    fn test(&self, d: DimensionId, v: u32) -> super::step::StepTest<'l> {
        let lattice = self.run.lattice;
        let node = Alternative::Node {
            node: v,
            strict: false,
        };
        let wanted = match lattice.dimension(d).kind {
            Kind::Number { .. } => lattice
                .numbers(d)
                .get(v as usize)
                .map(|interval| Region::Number(NumberRegion::of(Operator::Is, interval, None))),
            Kind::Date => lattice
                .dates(d)
                .get(v as usize)
                .map(|interval| Region::Date(DateRegion::of(Operator::Is, interval))),
            _ => None,
        };
        let wanted = wanted.map_or(node, Alternative::Region);
        let ask = Ask { confidence: 0.0 };
        self.run.step(d, Wanted::exactly(vec![wanted]), ask)
    }
}
