//! One execution of a plan: its memory, and what its queries have given so far.

use super::RunError;
use super::budget::{Budget, Meter};
use super::order::Order;
use super::sets::Evaluated;
use super::step::StepTest;
use crate::lattice::{DimensionId, Lattice};
use crate::plan::{Plan, QueryId, StepKind};
use crate::verdict::{Members, Outcome};
use roaring::RoaringBitmap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// One execution of a plan over a lattice.
pub(super) struct Run<'l> {
    pub lattice: &'l Lattice,
    pub plan: &'l Plan,
    pub meter: Meter,
    /// POSSIBLY admits what is merely possible; otherwise it is read as its
    /// constraint alone, to tell which hits need it.
    pub lax: bool,
    /// Whether proofs tell the chain of a taxonomy from a value up to the one that is
    /// asked for. What is shown beside an answer does without: it may be as long as
    /// the taxonomy is deep, for every hit.
    pub chains: bool,
    pub orders: RefCell<HashMap<(DimensionId, u64), Rc<Order<'l>>>>,
    pub irregular: RefCell<HashMap<DimensionId, Rc<RoaringBitmap>>>,
    /// Step tests by the address of their test, confidence and purpose.
    pub tests: RefCell<HashMap<(usize, u64, bool), Rc<StepTest<'l>>>>,
    results: RefCell<Vec<Option<Rc<Evaluated>>>>,
    possible: RefCell<HashMap<QueryId, Rc<Members>>>,
}

impl<'l> Run<'l> {
    pub(super) fn new(lattice: &'l Lattice, plan: &'l Plan, budget: &Budget, lax: bool) -> Self {
        Run {
            lattice,
            plan,
            meter: Meter::new(budget),
            lax,
            chains: true,
            orders: RefCell::default(),
            irregular: RefCell::default(),
            tests: RefCell::default(),
            results: RefCell::new(vec![None; plan.steps.len()]),
            possible: RefCell::default(),
        }
    }

    /// The same without the chains of taxonomies in its proofs.
    pub(super) fn without_chains(mut self) -> Self {
        self.chains = false;
        self
    }

    /// What a query of the plan gives; computed once. Inner queries stand before
    /// outer ones: taken in this order none waits for another, however deep they
    /// nest.
    pub(super) fn evaluated(&self, id: QueryId) -> Result<Rc<Evaluated>, RunError> {
        let is_known = matches!(self.results.borrow().get(id.0), Some(Some(_)));
        if !is_known {
            for inner in 0..id.0 {
                self.one(QueryId(inner))?;
            }
        }
        self.one(id)
    }

    fn one(&self, id: QueryId) -> Result<Rc<Evaluated>, RunError> {
        if let Some(Some(known)) = self.results.borrow().get(id.0) {
            return Ok(Rc::clone(known));
        }
        self.meter.check()?;
        let evaluated = match self.plan.step(id).map(|step| &step.kind) {
            Some(StepKind::Meet(meet)) => self.meet(meet)?,
            Some(StepKind::Compare(compare)) => self.compare(compare)?,
            Some(StepKind::Decline(words)) => Evaluated::declined(words),
            None => Evaluated::declined("this query is not part of the plan"),
        };
        let evaluated = Rc::new(evaluated);
        if let Some(slot) = self.results.borrow_mut().get_mut(id.0) {
            *slot = Some(Rc::clone(&evaluated));
        }
        Ok(evaluated)
    }

    /// What a query of the plan ends in, once nothing else is asked: large sets are not
    /// copied.
    pub(super) fn into_outcome(self, id: QueryId) -> Result<Outcome, RunError> {
        let evaluated = self.evaluated(id)?;
        drop(self);
        Ok(match Rc::try_unwrap(evaluated) {
            Ok(evaluated) => evaluated.outcome,
            Err(shared) => shared.outcome.clone(),
        })
    }

    /// The size of a set that is already known.
    pub(super) fn known_size(&self, id: QueryId) -> Option<u64> {
        self.results
            .borrow()
            .get(id.0)?
            .as_ref()
            .map(|evaluated| evaluated.certain().len())
    }

    /// The possible members of a query's set; computed once.
    pub(super) fn possible(&self, id: QueryId) -> Result<Rc<Members>, RunError> {
        if let Some(known) = self.possible.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let members = Rc::new(self.possible_members(id)?);
        self.possible.borrow_mut().insert(id, Rc::clone(&members));
        Ok(members)
    }
}
