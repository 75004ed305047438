//! What the truth of a condition is computed from: scales, coordinates, tests
//! with their sets evaluated.

use super::RunError;
use super::coordinate::{Coordinate, Scale, coordinate};
use super::order::Order;
use super::run::Run;
use super::sets::members_as_alternatives;
use super::step::{Alternative, StepTest, Wanted};
use super::truth::Ask;
use crate::lattice::{DimensionId, InstanceId};
use crate::plan::{BoundPart, Region, Test};
use roaring::RoaringBitmap;
use std::rc::Rc;

impl<'l> Run<'l> {
    /// The coordinate of an instance on a dimension (by all edges, whatever the
    /// confidence: CONFIDENCE changes no coordinate).
    pub(super) fn coordinate(&self, d: DimensionId, x: InstanceId) -> Coordinate {
        coordinate(
            &self.scale(d, 0.0),
            self.lattice.dimension(d).is_one(),
            self.lattice.positive(d),
            self.lattice.negative(d),
            x,
        )
    }

    /// The scale of a dimension by edges of at least a confidence.
    pub(super) fn scale(&self, d: DimensionId, confidence: f64) -> Scale<'l> {
        Scale::of(self.lattice, d, self.order(d, confidence))
    }

    /// The order of a dimension by edges of at least a confidence.
    pub(super) fn order(&self, d: DimensionId, confidence: f64) -> Rc<Order<'l>> {
        let key = (d, confidence.to_bits());
        Rc::clone(
            self.orders
                .borrow_mut()
                .entry(key)
                .or_insert_with(|| Rc::new(Order::of(self.lattice, d, confidence))),
        )
    }

    /// A step of a walk, without a test of its own.
    pub(super) fn entity_test(&self, d: DimensionId, ask: Ask) -> StepTest<'l> {
        self.step(d, Wanted::exactly(Vec::new()), ask)
    }

    pub(super) fn step(&self, d: DimensionId, wanted: Wanted, ask: Ask) -> StepTest<'l> {
        let dimension = self.lattice.dimension(d);
        StepTest {
            scale: self.scale(d, ask.confidence),
            wanted,
            one: dimension.is_one(),
            complete: dimension.complete,
            confidence: ask.confidence,
        }
    }

    /// A test at the end of a path, with its sets evaluated. Possible members
    /// of a set matter only to exclude.
    pub(super) fn step_test(
        &self,
        d: DimensionId,
        test: &Test,
        ask: Ask,
        excluding: bool,
    ) -> Result<StepTest<'l>, RunError> {
        let wanted = match test {
            Test::Nodes { elements, strict } => Wanted::exactly(
                elements
                    .iter()
                    .flat_map(|element| &element.nodes)
                    .map(|&node| Alternative::Node {
                        node,
                        strict: *strict,
                    })
                    .collect(),
            ),
            Test::Regions(list) => Wanted::exactly(
                list.iter()
                    .map(|(_, region)| Alternative::Region(region.clone()))
                    .collect(),
            ),
            Test::Bounds(parts) => self.bounds(d, parts)?,
            Test::In(id) => {
                let certain = members_as_alternatives(self.lattice, d, &self.firm_members(*id)?);
                let (possible, closed) = if excluding {
                    let possible = self.other_members(*id)?;
                    (
                        members_as_alternatives(self.lattice, d, &possible),
                        self.is_closed(*id)?,
                    )
                } else {
                    (Vec::new(), false)
                };
                Wanted {
                    certain,
                    possible,
                    closed,
                    decided: true,
                }
            }
            Test::Has | Test::Name(_) => Wanted::exactly(Vec::new()),
        };
        Ok(self.step(d, wanted, ask))
    }

    /// Bounds joined into one region: the one where all of them certainly hold, and
    /// the one outside which some does not.
    fn bounds(&self, d: DimensionId, parts: &[BoundPart]) -> Result<Wanted, RunError> {
        let (mut inner, mut outer) = (None, None);
        let mut decided = true;
        for part in parts {
            match part {
                BoundPart::Literal(region) => {
                    narrow(&mut inner, region.clone());
                    narrow(&mut outer, region.clone());
                }
                BoundPart::Set { operator, set } => match self.bound_of(d, *operator, *set)? {
                    Some(bound) => {
                        decided &= bound.inner.is_some();
                        if let Some(region) = bound.inner {
                            narrow(&mut inner, region);
                        }
                        narrow(&mut outer, bound.outer);
                    }
                    None => decided = false,
                },
            }
        }
        let closed = outer.is_some();
        let loose = outer.filter(|region| inner.as_ref() != Some(region));
        Ok(Wanted {
            certain: inner.map(Alternative::Region).into_iter().collect(),
            possible: loose.map(Alternative::Region).into_iter().collect(),
            closed,
            decided,
        })
    }

    /// Instances whose coordinate postings alone do not tell.
    pub(super) fn irregular(&self, d: DimensionId) -> Rc<RoaringBitmap> {
        if let Some(known) = self.irregular.borrow().get(&d) {
            return Rc::clone(known);
        }
        let mut set = self.lattice.negative(d).subjects();
        let dimension = self.lattice.dimension(d);
        if dimension.is_one() && self.scale(d, 0.0).is_closed() {
            set |= self.lattice.positive(d).multiple();
        }
        let set = Rc::new(set);
        self.irregular.borrow_mut().insert(d, Rc::clone(&set));
        set
    }
}

/// Intersects a region, which is everything as long as there is none.
fn narrow(region: &mut Option<Region>, by: Region) {
    *region = Some(match region.take() {
        None => by,
        Some(region) => region.intersect(&by).unwrap_or(by),
    });
}
