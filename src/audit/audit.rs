//! The checker at work on one query: facts, and what has been found out so far.

use super::facts::{Column, Facts};
use super::meet::MeetRun;
use super::query::Literal;
use super::sets::SetValue;
use super::truth::Aim;
use crate::lattice::Lattice;
use crate::verdict::Reason;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

type Found<T> = RefCell<HashMap<String, Result<Rc<T>, Reason>>>;

/// The facts and the lattice they were read from, with results by the text of
/// the query that they belong to.
pub(super) struct Audit<'a> {
    pub(super) facts: &'a Facts,
    pub(super) lattice: &'a Lattice,
    pub(super) sets: Found<SetValue>,
    pub(super) meets: Found<MeetRun>,
    aims: RefCell<HashMap<(String, u32, u64), Rc<Aim>>>,
}

impl<'a> Audit<'a> {
    pub(super) fn new(facts: &'a Facts, lattice: &'a Lattice) -> Audit<'a> {
        Audit {
            facts,
            lattice,
            sets: RefCell::default(),
            meets: RefCell::default(),
            aims: RefCell::default(),
        }
    }

    /// A value of a dimension, ready to be held against coordinates.
    pub(super) fn aim(&self, column: &Column, value: u32, t: f64) -> Rc<Aim> {
        if column.graph.is_flat() {
            return Rc::new(Aim::new(column, &Literal::Node(value), false, t));
        }
        let key = (column.name.clone(), value, t.to_bits());
        if let Some(aim) = self.aims.borrow().get(&key) {
            return Rc::clone(aim);
        }
        let aim = Rc::new(Aim::new(column, &Literal::Node(value), false, t));
        self.aims.borrow_mut().insert(key, Rc::clone(&aim));
        aim
    }
}
