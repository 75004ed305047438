//! The check of an order that is too large for every triple.
//!
//! Write *C* for the nodes with several upper covers, and *A* for everything at or above one of
//! them: the *core*. Outside the core the order is a forest.
//!
//! **Meets.** Let *x* and *z* be incomparable, and *c* maximal among their common lower
//! bounds. A way up from *c* to *x* and one to *z* part at *c* itself, for otherwise their first
//! common step would be a larger lower bound. So *c* ∈ *C*, and *x*, *z* ∈ *A*: every ambiguous pair and
//! every meet of incomparable nodes is found by going up from *C*.
//!
//! **The law.** Let *x* ∧ (*y* ∨ *z*) ≠ (*x* ∧ *y*) ∨ (*x* ∧ *z*), where every term exists. (The right
//! side is always at or below the left.)
//! 1. *y* and *z* are incomparable: of *y* ⊑ *z* both sides are *x* ∧ *z*.
//! 2. *x* is below neither: of *x* ⊑ *y* both sides are *x*.
//! 3. *x* is not above both: then *y* ∨ *z* ⊑ *x*, and both sides are *y* ∨ *z*.
//! 4. So one of them, say *z*, is incomparable with *x*; *x* ∧ *z* exists, hence *x*, *z* ∈ *A*.
//!    The other is incomparable with *x* too, hence *y* ∈ *A*, or *y* ⊏ *x*.
//! 5. Let *y* ⊏ *x* lie outside *A*. Then *y* has one upper cover *v* ⊑ *x*, and what lies above *y* is
//!    *y* and what lies above *v*. Neither *z* nor *x* ∧ *z* ∈ *A* lies at or below *y* (it would draw
//!    *y* into *A*), nor *y* at or below them (else *y* ⊑ *z*); so *y* ∨ *z* = *v* ∨ *z* and *y* ∨ (*x* ∧ *z*) = *v* ∨
//!    (*x* ∧ *z*): (*x*, *v*, *z*) breaks the law as well, with the same two sides. By repetition so does (*x*, *v*, *z*)
//!    for the first *v* ∈ *A* above *y*; it is not *x*, because of 2.
//!
//! So some triple fails exactly if one within *A* does that consists of *x*, a *z* incomparable with *x* with
//! a meet, and a *y* that is such a node too or lies below *x*; and the failing triples
//! outside *A* are counted by how many nodes hang below each *y* as in 5. In a forest *C* is
//! empty and nothing can fail.

use super::bounds;
use super::confluent::Core;
use super::dag::Dag;
use super::distributive::{Ambiguous, Count, Law, Legitimacy, Meets, Triples, Violation};
use super::local;

/// How much [`check_restricted`] may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// Edges followed and nodes compared, for meets and for the law each. Past it, what was
    /// found so far is the report, and its counts are [`Count::AtLeast`].
    pub steps: u64,
}

impl Default for CheckLimits {
    /// Four hundred million steps, some seconds: for WordNet's nouns a twentieth is enough.
    fn default() -> Self {
        CheckLimits { steps: 400_000_000 }
    }
}

/// Checks an order by its core: the part where several parents make ambiguity and failure
/// possible. `None` if `stop` said so.
///
/// Every meet of incomparable nodes is a node with several upper covers, and both lie above it;
/// of a triple that breaks the law all but perhaps one node lie in that core as well, and that
/// one may be replaced by the first core node above it. What remains is walked: for each core
/// node the meets with its partners, and for each of these the joins. An order in which all
/// meets of *siblings* are unique needs no walk for its meets, and a distributive lattice none at all.
pub fn check_restricted(
    dag: &Dag,
    limits: CheckLimits,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Legitimacy> {
    let core = Core::new(dag);
    let mut check = Check {
        row: Row::new(core.nodes.len()),
        joins: Joins::new(core.nodes.len()),
        core: &core,
        limit: limits.steps,
        ambiguous: 0,
        first_pair: None,
        checked: 0,
        skipped: 0,
        violated: 0,
        first_triple: None,
    };
    let siblings = local::ambiguous_siblings(&core, limits.steps, stop)?;
    let meets = match siblings {
        local::Siblings::AllUnique => Meets {
            first: None,
            ambiguous: Count::Exact(0),
        },
        local::Siblings::Ambiguous(a, b) => check.all_pairs(Some((a, b)), stop)?,
        local::Siblings::NotKnown => check.all_pairs(None, stop)?,
    };
    let lattice = meets.ambiguous == Count::Exact(0) && local::is_bounded(dag);
    let law = match lattice.then(|| local::is_distributive_lattice(dag)) {
        Some(true) => Law {
            first: None,
            violated: Count::Exact(0),
            triples: None,
        },
        breaks => check.all_triples(breaks == Some(false), stop)?,
    };
    Some(Legitimacy { meets, law })
}

/// The maximal common lower bounds of one member *x* with every member that shares one.
struct Row {
    round: u32,
    /// The last round in which a member was touched, or found above *x*.
    touched_in: Vec<u32>,
    above_in: Vec<u32>,
    /// The members above something in *C* below *x*, but not above *x*; lower first.
    touched: Vec<u32>,
    /// Whether a touched member lies below *x*, by its place in `touched`.
    below: Vec<bool>,
    /// Where the bounds of a touched member start and end.
    span: Vec<(u32, u32)>,
    bounds: Vec<u32>,
    steps: u64,
}

impl Row {
    fn new(count: usize) -> Row {
        Row {
            round: 0,
            touched_in: vec![0; count],
            above_in: vec![0; count],
            touched: Vec::new(),
            below: Vec::new(),
            span: vec![(0, 0); count],
            bounds: Vec::new(),
            steps: 0,
        }
    }

    fn bounds(&self, z: u32) -> &[u32] {
        if self.touched_in[z as usize] != self.round {
            return &[];
        }
        let (start, end) = self.span[z as usize];
        &self.bounds[start as usize..end as usize]
    }

    /// The meet of *x* with a member that is not above it.
    fn meet(&self, z: u32) -> Option<u32> {
        match self.bounds(z) {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn fill(&mut self, core: &Core, x: u32) {
        self.round += 1;
        self.touched.clear();
        self.below.clear();
        self.bounds.clear();
        let mut stack = vec![x];
        self.above_in[x as usize] = self.round;
        while let Some(node) = stack.pop() {
            for &parent in core.parents.of(node) {
                self.steps += 1;
                if self.above_in[parent as usize] != self.round {
                    self.above_in[parent as usize] = self.round;
                    stack.push(parent);
                }
            }
        }
        self.steps += core.dag.cost(core.nodes[x as usize]);
        for &(low, high) in core.dag.below(core.nodes[x as usize]).iter() {
            let from = core.confluent.partition_point(|&(rank, _)| rank < low);
            for &(rank, local) in &core.confluent[from..] {
                if rank > high {
                    break;
                }
                self.touch(local, &mut stack);
            }
        }
        while let Some(node) = stack.pop() {
            for &parent in core.parents.of(node) {
                self.steps += 1;
                self.touch(parent, &mut stack);
            }
        }
        self.touched.sort_unstable_by(|a, b| b.cmp(a));
        let mut list = Vec::new();
        for &z in &self.touched {
            let below = core.le(z, x);
            self.below.push(below);
            list.clear();
            if below {
                list.push(z);
            } else {
                for &child in core.children.of(z) {
                    list.extend_from_slice(self.bounds(child));
                    self.steps += 1;
                }
                // Sorting is part of it.
                self.steps += 4 * list.len() as u64;
                list.sort_unstable();
                list.dedup();
                self.steps += core.keep_maximal(&mut list);
            }
            let start = self.bounds.len() as u32;
            self.bounds.extend_from_slice(&list);
            self.span[z as usize] = (start, self.bounds.len() as u32);
        }
    }

    fn touch(&mut self, node: u32, stack: &mut Vec<u32>) {
        let at = node as usize;
        if self.touched_in[at] != self.round && self.above_in[at] != self.round {
            self.touched_in[at] = self.round;
            self.touched.push(node);
            // Its bounds are not known before all below it are.
            self.span[at] = (0, 0);
            stack.push(node);
        }
    }
}

/// Joins with one member at a time, by walks up that end where the other's up-set begins.
struct Joins {
    round: u32,
    marked_in: Vec<u32>,
    walk: u32,
    seen_in: Vec<u32>,
    stack: Vec<u32>,
    reached: Vec<u32>,
    steps: u64,
}

impl Joins {
    fn new(count: usize) -> Joins {
        Joins {
            round: 0,
            marked_in: vec![0; count],
            walk: 0,
            seen_in: vec![0; count],
            stack: Vec::new(),
            reached: Vec::new(),
            steps: 0,
        }
    }

    /// Marks what lies above a member.
    fn with(&mut self, core: &Core, z: u32) {
        self.round += 1;
        self.marked_in[z as usize] = self.round;
        self.stack.push(z);
        while let Some(node) = self.stack.pop() {
            for &parent in core.parents.of(node) {
                self.steps += 1;
                if self.marked_in[parent as usize] != self.round {
                    self.marked_in[parent as usize] = self.round;
                    self.stack.push(parent);
                }
            }
        }
    }

    /// The join of the marked member with another.
    fn join(&mut self, core: &Core, y: u32) -> Option<u32> {
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.seen_in.fill(0);
            self.walk = 1;
        }
        self.reached.clear();
        self.stack.push(y);
        while let Some(node) = self.stack.pop() {
            self.steps += 1;
            if self.marked_in[node as usize] == self.round {
                self.reached.push(node);
                continue;
            }
            for &parent in core.parents.of(node) {
                if self.seen_in[parent as usize] != self.walk {
                    self.seen_in[parent as usize] = self.walk;
                    self.stack.push(parent);
                }
            }
        }
        // The least upper bound comes after all others.
        let least = self.reached.iter().copied().max()?;
        self.steps += self.reached.len() as u64;
        self.reached
            .iter()
            .all(|&other| core.le(least, other))
            .then_some(least)
    }
}

struct Check<'a> {
    core: &'a Core<'a>,
    row: Row,
    joins: Joins,
    limit: u64,
    ambiguous: u64,
    first_pair: Option<Ambiguous>,
    /// Of the triples in the core that may fail: those compared, and those that lack a
    /// meet or join.
    checked: u64,
    skipped: u64,
    violated: u64,
    first_triple: Option<(u32, u32, u32, u32, u32)>,
}

impl Check<'_> {
    fn node(&self, local: u32) -> u32 {
        self.core.nodes[local as usize]
    }

    /// The members by node number, with no step done yet.
    fn begin(&mut self) -> Vec<u32> {
        self.row.steps = 0;
        self.joins.steps = 0;
        let mut members: Vec<u32> = (0..self.core.nodes.len() as u32).collect();
        members.sort_unstable_by_key(|&local| self.node(local));
        members
    }

    fn past_limit(&self) -> bool {
        self.row.steps + self.joins.steps > self.limit
    }

    /// Counts every ambiguous pair; `known` is one, if any is known.
    fn all_pairs(
        &mut self,
        known: Option<(u32, u32)>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Meets> {
        for x in self.begin() {
            if stop() {
                return None;
            }
            if self.past_limit() {
                // A pair that is known is the one to name if the walk came to none.
                let found = self.ambiguous.max(u64::from(known.is_some()));
                let named = known.map(|(a, b)| Ambiguous {
                    a,
                    b,
                    maximal: bounds::meet(self.core.dag, a, b).members().to_vec(),
                });
                return Some(Meets {
                    first: self.first_pair.take().or(named),
                    ambiguous: Count::AtLeast(found),
                });
            }
            self.row.fill(self.core, x);
            self.pairs(x);
        }
        Some(Meets {
            first: self.first_pair.take(),
            ambiguous: Count::Exact(self.ambiguous),
        })
    }

    /// Compares every triple that may fail; `breaks` if it is known that one does.
    fn all_triples(&mut self, breaks: bool, stop: &mut dyn FnMut() -> bool) -> Option<Law> {
        let mut whole = true;
        for x in self.begin() {
            if stop() {
                return None;
            }
            whole = !self.past_limit();
            if whole {
                self.row.fill(self.core, x);
                whole = self.triples(x, stop)?;
            }
            if !whole {
                break;
            }
        }
        let first = self.first_triple.take();
        Some(Law {
            first: first.map(|found| Violation::new(self.core.dag, found)),
            violated: match whole {
                true => Count::Exact(self.violated),
                false => Count::AtLeast(self.violated.max(u64::from(breaks))),
            },
            triples: Some(Triples {
                checked: self.checked,
                skipped: self.skipped,
                all: false,
            }),
        })
    }

    /// Counts the ambiguous pairs of *x* with larger nodes.
    fn pairs(&mut self, x: u32) {
        let a = self.node(x);
        let partners: Vec<u32> = self
            .row
            .touched
            .iter()
            .copied()
            .filter(|&z| self.node(z) > a && self.row.bounds(z).len() > 1)
            .collect();
        self.ambiguous += partners.len() as u64;
        if self.first_pair.is_some() {
            return;
        }
        let Some(&z) = partners.iter().min_by_key(|&&z| self.node(z)) else {
            return;
        };
        let mut maximal: Vec<u32> = self.row.bounds(z).iter().map(|&k| self.node(k)).collect();
        maximal.sort_unstable();
        self.first_pair = Some(Ambiguous {
            a,
            b: self.node(z),
            maximal,
        });
    }

    /// Compares the triples of *x*. `Some(false)` if the limit was reached, `None` if
    /// `stop` said so.
    fn triples(&mut self, x: u32, stop: &mut dyn FnMut() -> bool) -> Option<bool> {
        let mut beside = Vec::new();
        let mut below = Vec::new();
        let mut ambiguous = 0u64;
        for (&z, &is_below) in self.row.touched.iter().zip(&self.row.below) {
            if is_below {
                below.push(z);
            } else if self.row.meet(z).is_some() {
                beside.push(z);
            } else {
                ambiguous += 1;
            }
        }
        // With one of these, whatever the other node is, a meet is missing.
        let (below_count, beside_count) = (below.len() as u64, beside.len() as u64);
        self.skipped += ambiguous * (below_count + beside_count);
        self.skipped += ambiguous * ambiguous.saturating_sub(1) / 2;
        let mut least = None;
        let mut asked = 0;
        for (k, &z) in beside.iter().enumerate() {
            if self.past_limit() {
                self.settle(x, least);
                return Some(false);
            }
            // Asking may cost a system call.
            if self.joins.steps - asked > 1 << 20 {
                asked = self.joins.steps;
                if stop() {
                    return None;
                }
            }
            self.joins_of(x, z, &below, &beside[..k], &mut least);
        }
        self.settle(x, least);
        Some(true)
    }

    fn settle(&mut self, x: u32, least: Option<Failure>) {
        if let (None, Some(failure)) = (&self.first_triple, least) {
            let ((y, z), left, right) = failure;
            self.first_triple = Some((self.node(x), y, z, self.node(left), self.node(right)));
        }
    }

    /// Compares the triples of *x* and *z* with every *y* below *x* and every earlier *y* beside it.
    fn joins_of(
        &mut self,
        x: u32,
        z: u32,
        below: &[u32],
        beside: &[u32],
        least: &mut Option<Failure>,
    ) {
        let Some(meet_z) = self.row.meet(z) else {
            return;
        };
        self.joins.with(self.core, z);
        let mut failed: Vec<(u32, u32, u32)> = Vec::new();
        for &y in below.iter().chain(beside) {
            let (Some(join), Some(meet_y)) = (self.joins.join(self.core, y), self.row.meet(y))
            else {
                self.skipped += 1;
                continue;
            };
            if join == y || join == z {
                self.checked += 1;
                continue;
            }
            let left = if self.row.above_in[join as usize] == self.row.round {
                x
            } else {
                match self.row.meet(join) {
                    Some(left) => left,
                    None => {
                        self.skipped += 1;
                        continue;
                    }
                }
            };
            if left != meet_y && left != meet_z {
                failed.push((y, left, meet_y));
            } else {
                self.checked += 1;
            }
        }
        // What is left are the candidates; their right sides are joins with x ∧ z.
        if failed.is_empty() {
            return;
        }
        self.joins.with(self.core, meet_z);
        for (y, left, meet_y) in failed {
            let Some(right) = self.joins.join(self.core, meet_y) else {
                self.skipped += 1;
                continue;
            };
            self.checked += 1;
            if right == left {
                continue;
            }
            let (count, first) = if meet_y == y {
                self.core.hanging[y as usize]
            } else {
                (1, self.node(y))
            };
            self.violated += count;
            let pair = (first.min(self.node(z)), first.max(self.node(z)));
            if least.is_none_or(|(known, _, _)| pair < known) {
                *least = Some((pair, left, right));
            }
        }
    }
}

/// The nodes *y* and *z* of a failing triple, and both sides by local number.
type Failure = ((u32, u32), u32, u32);
