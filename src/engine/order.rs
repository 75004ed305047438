//! The order of one dimension's values, whatever its kind.

use super::coordinate::{Scale, coordinate};
use crate::lattice::{DimensionId, InstanceId, Kind, Lattice, Relation, ValueId};
use crate::order::Dag;
use roaring::RoaringBitmap;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Which edges of a WITHIN relation take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Edges {
    /// Those that are uncontested and count at the confidence asked: they
    /// order for certain.
    Certain,
    /// Those that are uncontested, whatever their confidence.
    Uncontested,
    /// All recorded ones: what could order.
    All,
}

/// The order of a TAXONOMY, ENTITY or TEXT dimension. (NUMBER and DATE compare
/// intervals instead.)
pub(super) enum Order<'l> {
    /// Only equal values are comparable.
    Flat,
    /// A taxonomy.
    Dag(&'l Dag),
    /// The closure of a relation between instances.
    Within(Box<Within<'l>>),
}

pub(super) struct Within<'l> {
    relation: Relation<'l>,
    /// Edges that are contested on the relation.
    contested: HashSet<(u32, u32)>,
    /// Which edges order for certain: all of them only while it is found out
    /// which are contested.
    trusted: Edges,
    confidence: f64,
    closed: bool,
    /// The relation is flat: a recorded edge leads to the very value.
    exact: bool,
    reached: RefCell<HashMap<(u32, bool, Edges), Rc<RoaringBitmap>>>,
}

impl<'l> Order<'l> {
    /// The order of dimension `d`, by edges of at least `confidence`.
    pub(super) fn of(lattice: &'l Lattice, d: DimensionId, confidence: f64) -> Self {
        let dimension = lattice.dimension(d);
        match &dimension.kind {
            Kind::Taxonomy => match lattice.taxonomy(d) {
                Some(taxonomy) => Order::Dag(taxonomy.dag()),
                None => Order::Flat,
            },
            Kind::Entity { within: Some(r) } => Order::Within(Box::new(Within {
                relation: lattice.positive(*r),
                contested: contested_edges(lattice, *r),
                trusted: Edges::Certain,
                confidence,
                closed: lattice.dimension(*r).complete,
                exact: lattice.dimension(*r).within().is_none(),
                reached: RefCell::default(),
            })),
            _ => Order::Flat,
        }
    }

    /// The order by all recorded edges, which tells which edges are contested.
    fn as_recorded(lattice: &'l Lattice, d: DimensionId) -> Self {
        match lattice.dimension(d).within() {
            Some(r) => Order::Within(Box::new(Within {
                relation: lattice.positive(r),
                contested: HashSet::new(),
                trusted: Edges::All,
                confidence: 0.0,
                closed: lattice.dimension(r).complete,
                exact: lattice.dimension(r).within().is_none(),
                reached: RefCell::default(),
            })),
            None => Order::Flat,
        }
    }

    /// Whether a missing common lower bound is evidence.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Order::Flat | Order::Dag(_) => true,
            Order::Within(within) => within.closed,
        }
    }

    pub(super) fn is_flat(&self) -> bool {
        matches!(self, Order::Flat)
    }

    /// Whether `a ⊑ b` for certain.
    pub(super) fn le(&self, a: u32, b: u32) -> bool {
        match self {
            _ if a == b => true,
            Order::Flat => false,
            Order::Dag(dag) => dag.le(a, b),
            Order::Within(within) => within.reach(a, true, within.trusted).contains(b),
        }
    }

    /// Whether `a ⊏ b` for certain.
    pub(super) fn lt(&self, a: u32, b: u32) -> bool {
        a != b && self.le(a, b) && !self.up(b, Edges::Uncontested).contains(a)
    }

    /// Every value at or below `b`.
    pub(super) fn down(&self, b: u32, edges: Edges) -> Rc<RoaringBitmap> {
        match self {
            Order::Flat => Rc::new(RoaringBitmap::from_iter([b])),
            Order::Dag(dag) => {
                let mut set = dag.down(b);
                set.insert(b);
                Rc::new(set)
            }
            Order::Within(within) => within.reach(b, false, edges),
        }
    }

    /// Whether anything plainly lies at or below `b`, or strictly below it: told without
    /// listing what does.
    pub(super) fn has_lower(&self, b: u32, strict: bool) -> bool {
        match self {
            Order::Flat => !strict,
            Order::Dag(dag) if strict => !dag.children(b).is_empty(),
            Order::Dag(dag) => (b as usize) < dag.len(),
            Order::Within(_) => false,
        }
    }

    /// Every value at or below `b`, or strictly below it.
    pub(super) fn lower(&self, b: u32, strict: bool, edges: Edges) -> RoaringBitmap {
        let down = self.down(b, edges);
        if !strict {
            return down.as_ref().clone();
        }
        // Members of a cycle are equal: what lies above b as well is no less.
        // (That they are equal needs no witness of any confidence.)
        let up = self.up(b, Edges::Uncontested);
        down.as_ref() - up.as_ref()
    }

    /// Every value at or above `a`.
    pub(super) fn up(&self, a: u32, edges: Edges) -> Rc<RoaringBitmap> {
        match self {
            Order::Flat => Rc::new(RoaringBitmap::from_iter([a])),
            Order::Dag(dag) => {
                let mut set = dag.up(a);
                set.insert(a);
                Rc::new(set)
            }
            Order::Within(within) => within.reach(a, true, edges),
        }
    }

    /// Every value with something of `lower` at or below it.
    pub(super) fn above_any(&self, lower: &RoaringBitmap) -> RoaringBitmap {
        let neighbours = |node: u32| -> Vec<u32> {
            match self {
                Order::Flat => Vec::new(),
                Order::Dag(dag) => dag.parents(node).to_vec(),
                Order::Within(within) => within.relation.of(InstanceId(node)).values().to_vec(),
            }
        };
        let mut set = lower.clone();
        let mut stack: Vec<u32> = lower.iter().collect();
        while let Some(node) = stack.pop() {
            for next in neighbours(node) {
                if set.insert(next) {
                    stack.push(next);
                }
            }
        }
        set
    }

    /// Whether the value could not be a more specific one.
    pub(super) fn is_fixed(&self, value: u32) -> bool {
        match self {
            Order::Flat => true,
            Order::Dag(dag) => dag.children(value).is_empty(),
            Order::Within(within) => {
                within.closed
                    && within
                        .relation
                        .holders(ValueId(value))
                        .to_vec()
                        .iter()
                        .all(|&x| x == value)
            }
        }
    }

    /// Of some values those that have no other one strictly below them.
    pub(super) fn most_specific(&self, values: &[u32]) -> Vec<u32> {
        if self.is_flat() || values.len() < 2 {
            return values.to_vec();
        }
        values
            .iter()
            .copied()
            .filter(|&a| !values.iter().any(|&b| self.lt(b, a)))
            .collect()
    }

    /// A shortest chain from `a` up to `b`, the least in the order of values.
    pub(super) fn path_up(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        match self {
            _ if a == b => Some(vec![a]),
            Order::Flat => None,
            Order::Dag(dag) => dag.path_up(a, b),
            Order::Within(within) => within.path_up(a, b),
        }
    }

    /// The values of a set that have no other one of it strictly above them.
    pub(super) fn maximal(&self, set: &RoaringBitmap) -> Vec<u32> {
        match self {
            Order::Dag(dag) => dag.maximal(set),
            _ => set
                .iter()
                .filter(|&x| !set.iter().any(|y| self.lt(x, y)))
                .collect(),
        }
    }

    /// The maximal values of a set that holds what lies below its members along these
    /// edges: those that are equal to one another together, each list ascending, the
    /// lists by their first.
    pub(super) fn tops(&self, down_set: &RoaringBitmap, edges: Edges) -> Vec<Vec<u32>> {
        match self {
            Order::Flat => down_set.iter().map(|v| vec![v]).collect(),
            Order::Dag(dag) => dag.maximal(down_set).into_iter().map(|v| vec![v]).collect(),
            Order::Within(within) => within.tops(down_set, edges),
        }
    }

    /// The values of a set that have no other one of it strictly below them.
    pub(super) fn minimal(&self, set: &RoaringBitmap) -> Vec<u32> {
        match self {
            Order::Dag(dag) => dag.minimal(set),
            _ => set
                .iter()
                .filter(|&x| !set.iter().any(|y| self.lt(y, x)))
                .collect(),
        }
    }

    /// Whether no edge could be learned, lost, or turn out to lead to a more specific
    /// value.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            Order::Flat | Order::Dag(_) => true,
            Order::Within(within) => within.closed && within.exact && within.contested.is_empty(),
        }
    }

    /// The minimal values above both, and the maximal ones below both.
    pub(super) fn join_and_meet(&self, a: u32, b: u32) -> (Vec<u32>, Vec<u32>) {
        let up = self.up(a, Edges::Certain).as_ref() & self.up(b, Edges::Certain).as_ref();
        let down = self.down(a, Edges::Certain).as_ref() & self.down(b, Edges::Certain).as_ref();
        (self.minimal(&up), self.maximal(&down))
    }
}

/// The edges of a relation that are contested on it, in the order that all its
/// recorded edges make.
fn contested_edges(lattice: &Lattice, r: DimensionId) -> HashSet<(u32, u32)> {
    let (positive, negative) = (lattice.positive(r), lattice.negative(r));
    let scale = Scale::Ordered(Rc::new(Order::as_recorded(lattice, r)));
    let one = lattice.dimension(r).is_one();
    let mut doubtful = negative.subjects();
    if one && scale.is_closed() {
        doubtful |= positive.multiple();
    }
    let mut contested = HashSet::new();
    for x in doubtful {
        let c = coordinate(&scale, one, positive, negative, InstanceId(x));
        let agreed: Vec<u32> = c.agreed().map(|r| r.value).collect();
        contested.extend(
            c.positives
                .iter()
                .filter(|r| !agreed.contains(&r.value))
                .map(|r| (x, r.value)),
        );
    }
    contested
}

impl Within<'_> {
    /// Whether the edge from `x` up to `y` orders for certain.
    fn counts(&self, x: u32, y: u32, edges: Edges) -> bool {
        if self.contested.contains(&(x, y)) {
            return false;
        }
        edges == Edges::Uncontested
            || self.confidence <= self.relation.least_confidence()
            || self
                .relation
                .of(InstanceId(x))
                .find(ValueId(y))
                .is_some_and(|p| self.relation.confidence(p) >= self.confidence)
    }

    fn neighbours(&self, node: u32, upward: bool, edges: Edges) -> impl Iterator<Item = u32> + '_ {
        let list = if upward {
            self.relation.of(InstanceId(node)).values().to_vec()
        } else {
            self.relation.holders(ValueId(node)).to_vec()
        };
        list.into_iter().filter(move |&other| {
            edges == Edges::All
                || if upward {
                    self.counts(node, other, edges)
                } else {
                    self.counts(other, node, edges)
                }
        })
    }

    fn reach(&self, start: u32, upward: bool, edges: Edges) -> Rc<RoaringBitmap> {
        let key = (start, upward, edges);
        if let Some(known) = self.reached.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut set = RoaringBitmap::from_iter([start]);
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            for next in self.neighbours(node, upward, edges) {
                if set.insert(next) {
                    stack.push(next);
                }
            }
        }
        let set = Rc::new(set);
        self.reached.borrow_mut().insert(key, Rc::clone(&set));
        set
    }

    /// As [`Order::tops`], in time linear in the edges: whatever has something else
    /// above it is reached from there, so what is reached last from no one before is on top.
    fn tops(&self, down_set: &RoaringBitmap, edges: Edges) -> Vec<Vec<u32>> {
        let mut starts = Vec::new();
        let mut reached = RoaringBitmap::new();
        for start in down_set {
            if !reached.contains(start) {
                starts.push(start);
                self.sweep(start, false, edges, down_set, &mut reached);
            }
        }
        reached.clear();
        let mut classes = Vec::new();
        for &start in starts.iter().rev() {
            if reached.contains(start) {
                continue;
            }
            self.sweep(start, false, edges, down_set, &mut reached);
            // What lies above a maximal value within the set is equal to it.
            let mut class = RoaringBitmap::new();
            self.sweep(start, true, edges, down_set, &mut class);
            classes.push(class.iter().collect());
        }
        classes.sort();
        classes
    }

    /// Adds what is reached from a value within a set.
    fn sweep(
        &self,
        start: u32,
        upward: bool,
        edges: Edges,
        within: &RoaringBitmap,
        reached: &mut RoaringBitmap,
    ) {
        let mut stack = vec![start];
        reached.insert(start);
        while let Some(node) = stack.pop() {
            for next in self.neighbours(node, upward, edges) {
                if within.contains(next) && reached.insert(next) {
                    stack.push(next);
                }
            }
        }
    }

    fn path_up(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        // Distances down from b; then the least neighbour that is one nearer.
        let mut distance = HashMap::from([(b, 0u32)]);
        let mut level = vec![b];
        let mut steps = 0;
        while !level.is_empty() && !distance.contains_key(&a) {
            steps += 1;
            let mut next = Vec::new();
            for node in level {
                for lower in self.neighbours(node, false, Edges::Certain) {
                    if let std::collections::hash_map::Entry::Vacant(slot) = distance.entry(lower) {
                        slot.insert(steps);
                        next.push(lower);
                    }
                }
            }
            level = next;
        }
        let mut path = vec![a];
        let mut node = a;
        while node != b {
            let here = *distance.get(&node)?;
            node = self
                .neighbours(node, true, Edges::Certain)
                .find(|upper| distance.get(upper).is_some_and(|&d| d + 1 == here))?;
            path.push(node);
        }
        Some(path)
    }
}
