//! Whether an order may serve as a dimension: are its meets unique, and does the
//! distributive law hold?
//!
//! Both are asked of the partial order itself; no bottom and no top is adjoined (with a
//! bottom even three siblings would fail, as M3).
//!
//! * **Meets.** A pair is *ambiguous* if it has common lower bounds and no greatest one.
//!   A pair without common lower bounds is not.
//! * **The law** is *x* ∧ (*y* ∨ *z*) = (*x* ∧ *y*) ∨ (*x* ∧ *z*) for every node *x* and
//!   every two nodes *y*, *z* (in either order it says the same). A triple for which one of the meets
//!   and joins in it does not exist as a node is skipped.
//!
//! A lattice is distributive exactly if it has no sublattice like the diamond M3 or the
//! pentagon N5 (Birkhoff, 1934; Davey and Priestley, 2002, theorem 4.10). [`Sublattice`] is
//! that proof where it is found; in a partial order a triple may break the law though the
//! meets and joins that the theorem needs do not exist, and then the triple is the proof.

use super::bounds;
use super::dag::Dag;
pub use super::restricted::{CheckLimits, check_restricted};
use std::collections::HashSet;

/// What [`check`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legitimacy {
    /// About meets.
    pub meets: Meets,
    /// About the distributive law.
    pub law: Law,
}

/// Which pairs have no unique meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meets {
    /// The least ambiguous pair, if there is one.
    pub first: Option<Ambiguous>,
    /// How many ambiguous pairs there are.
    pub ambiguous: Count,
}

/// Two nodes with common lower bounds and no greatest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// The smaller node.
    pub a: u32,
    /// The larger node.
    pub b: u32,
    /// The maximal lower bounds of both, ascending; at least two.
    pub maximal: Vec<u32>,
}

/// Which triples break the distributive law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law {
    /// The triple that breaks it with the least *x*, then *y*, then *z*, if there is one. (If a limit
    /// was reached, a triple with the least *x* that was looked at.)
    pub first: Option<Violation>,
    /// How many triples break it.
    pub violated: Count,
    /// How many triples have every meet and join that the law needs, and how many lack one:
    /// of all *n*·*n*(*n*−1)/2, or of those within the core that the restricted check looks at
    /// because several parents let them fail. `None` where the covers alone decide.
    pub triples: Option<Triples>,
}

/// How the triples divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triples {
    /// Those that were compared.
    pub checked: u64,
    /// Those for which a meet or join does not exist.
    pub skipped: u64,
    /// Whether all triples were divided, or only those that several parents let fail.
    pub all: bool,
}

/// A number that may have been counted only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// All were counted.
    Exact(u64),
    /// A limit was reached: at least so many.
    AtLeast(u64),
}

impl Count {
    /// Whether there are none: not known where a limit was reached before one was found.
    pub fn none(self) -> Option<bool> {
        match self {
            Count::Exact(count) => Some(count == 0),
            Count::AtLeast(0) => None,
            Count::AtLeast(_) => Some(false),
        }
    }
}

impl Legitimacy {
    /// Whether every two nodes with a common lower bound have a greatest one; `None` if a
    /// limit was reached before that was known.
    pub fn meets_unique(&self) -> Option<bool> {
        self.meets.ambiguous.none()
    }

    /// Whether no triple breaks the distributive law; `None` if a limit was reached
    /// before that was known.
    pub fn distributive(&self) -> Option<bool> {
        self.law.violated.none()
    }
}

/// A triple that breaks the distributive law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The node that is distributed.
    pub x: u32,
    /// The smaller of the two others.
    pub y: u32,
    /// The larger of the two others.
    pub z: u32,
    /// *x* ∧ (*y* ∨ *z*).
    pub left: u32,
    /// (*x* ∧ *y*) ∨ (*x* ∧ *z*), strictly below `left`.
    pub right: u32,
    /// Five nodes that show it, if the order has them.
    pub sublattice: Option<Sublattice>,
}

/// The two lattices that no distributive lattice contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The diamond: three nodes, every two with one meet and one join.
    M3,
    /// The pentagon: a node beside a chain of two, with one meet and one join with both.
    N5,
}

/// Five nodes that are M3 or N5 under the meets and joins of the order itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sublattice {
    /// Which of the two.
    pub shape: Shape,
    /// The meet of the middle nodes.
    pub bottom: u32,
    /// M3: the three atoms. N5: the lower and the upper node of the chain, then the node
    /// beside it.
    pub middle: [u32; 3],
    /// The join of the middle nodes.
    pub top: u32,
}

/// Up to this many nodes [`check`] looks at every triple.
pub const FULL_CHECK: usize = 320;

/// Checks an order: every triple of a small one ([`check_full`]), and in a large one only
/// what several parents make possible ([`check_restricted`]). Both give the same verdict,
/// witnesses and counts, except that only the first divides all triples into checked and skipped,
/// the second those that may fail.
/// `None` if `stop` said so.
pub fn check(dag: &Dag, stop: &mut dyn FnMut() -> bool) -> Option<Legitimacy> {
    if dag.len() <= FULL_CHECK {
        check_full(dag, stop)
    } else {
        check_restricted(dag, CheckLimits::default(), stop)
    }
}

const MISSING: u32 = u32::MAX;

/// Checks every pair and every triple by tables of meets and joins from bitsets: *n*³/2
/// look-ups after *n*³/64 steps for the tables, and 8*n*² bytes. For up to some hundreds of nodes.
/// `None` if `stop` said so.
pub fn check_full(dag: &Dag, stop: &mut dyn FnMut() -> bool) -> Option<Legitimacy> {
    let tables = Tables::new(dag, stop)?;
    let count = tables.count;
    let mut first = None;
    let mut ambiguous = 0;
    for a in 0..count {
        for b in a + 1..count {
            if tables.ambiguous[a * count + b] {
                ambiguous += 1;
                first.get_or_insert((a as u32, b as u32));
            }
        }
    }
    let first = first.map(|(a, b)| Ambiguous {
        a,
        b,
        maximal: bounds::meet(dag, a, b).members().to_vec(),
    });
    Some(Legitimacy {
        meets: Meets {
            first,
            ambiguous: Count::Exact(ambiguous),
        },
        law: tables.law(dag, stop)?,
    })
}

/// The meet and the join of every two nodes, by node number.
struct Tables {
    count: usize,
    meet: Vec<u32>,
    join: Vec<u32>,
    ambiguous: Vec<bool>,
}

impl Tables {
    fn new(dag: &Dag, stop: &mut dyn FnMut() -> bool) -> Option<Tables> {
        let order = dag.topological();
        let count = order.len();
        let words = count.div_ceil(64);
        // Bit k is the k-th node, upper before lower: the greatest lower bound is the
        // first common lower one or there is none, the least upper bound the last.
        let mut down = vec![0u64; count * words];
        let mut up = vec![0u64; count * words];
        for (a, &lower) in order.iter().enumerate() {
            for (b, &upper) in order.iter().enumerate().take(a + 1) {
                if dag.le(lower, upper) {
                    down[b * words + a / 64] |= 1 << (a % 64);
                    up[a * words + b / 64] |= 1 << (b % 64);
                }
            }
        }
        let row =
            |table: &'_ [u64], k: usize| -> Vec<u64> { table[k * words..(k + 1) * words].to_vec() };
        let mut tables = Tables {
            count,
            meet: vec![MISSING; count * count],
            join: vec![MISSING; count * count],
            ambiguous: vec![false; count * count],
        };
        for (a, &node_a) in order.iter().enumerate() {
            if stop() {
                return None;
            }
            for (b, &node_b) in order.iter().enumerate() {
                let at = node_a as usize * count + node_b as usize;
                let common = shared(&row(&down, a), &row(&down, b));
                if let Some(best) = first_bit(&common) {
                    if common == row(&down, best) {
                        tables.meet[at] = order[best];
                    } else {
                        tables.ambiguous[at] = true;
                    }
                }
                let common = shared(&row(&up, a), &row(&up, b));
                if let Some(best) = last_bit(&common)
                    && common == row(&up, best)
                {
                    tables.join[at] = order[best];
                }
            }
        }
        Some(tables)
    }

    fn meet(&self, a: u32, b: u32) -> Option<u32> {
        let best = *self.meet.get(a as usize * self.count + b as usize)?;
        (best != MISSING).then_some(best)
    }

    fn join(&self, a: u32, b: u32) -> Option<u32> {
        let best = *self.join.get(a as usize * self.count + b as usize)?;
        (best != MISSING).then_some(best)
    }

    fn law(&self, dag: &Dag, stop: &mut dyn FnMut() -> bool) -> Option<Law> {
        let count = self.count as u32;
        let mut first = None;
        let mut violated = 0;
        let mut triples = Triples {
            checked: 0,
            skipped: 0,
            all: true,
        };
        for x in 0..count {
            if stop() {
                return None;
            }
            for y in 0..count {
                for z in y + 1..count {
                    let Some((left, right)) = self.sides(x, y, z) else {
                        triples.skipped += 1;
                        continue;
                    };
                    triples.checked += 1;
                    if left != right {
                        violated += 1;
                        first.get_or_insert((x, y, z, left, right));
                    }
                }
            }
        }
        Some(Law {
            first: first.map(|found| Violation::new(dag, found)),
            violated: Count::Exact(violated),
            triples: Some(triples),
        })
    }

    /// Both sides of the law, where every meet and join in it exists.
    fn sides(&self, x: u32, y: u32, z: u32) -> Option<(u32, u32)> {
        let left = self.meet(x, self.join(y, z)?)?;
        let right = self.join(self.meet(x, y)?, self.meet(x, z)?)?;
        Some((left, right))
    }
}

fn shared(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn first_bit(words: &[u64]) -> Option<usize> {
    let k = words.iter().position(|&word| word != 0)?;
    Some(k * 64 + words[k].trailing_zeros() as usize)
}

fn last_bit(words: &[u64]) -> Option<usize> {
    let k = words.iter().rposition(|&word| word != 0)?;
    Some(k * 64 + 63 - words[k].leading_zeros() as usize)
}

impl Violation {
    /// The violation by (x, y, z, left, right), with the five nodes that show it.
    pub(super) fn new(dag: &Dag, found: (u32, u32, u32, u32, u32)) -> Violation {
        let (x, y, z, left, right) = found;
        Violation {
            x,
            y,
            z,
            left,
            right,
            sublattice: sublattice(dag, [x, y, z]),
        }
    }
}

/// How many nodes are made from a triple in the search for M3 and N5.
const GENERATED: usize = 128;

/// M3 or N5 among the nodes that meets and joins make from three nodes, nearest to the
/// three first: in a lattice a triple that breaks the law makes one of them.
///
/// Made breadth first up to 128 nodes; the terms that the classical proof needs are among
/// the first few dozen (a modular lattice of three generators has at most 28 elements: Dedekind, 1900).
pub fn sublattice(dag: &Dag, of: [u32; 3]) -> Option<Sublattice> {
    let mut made = of.to_vec();
    let mut known: HashSet<u32> = made.iter().copied().collect();
    let mut next = 1;
    while next < made.len() && made.len() < GENERATED {
        for k in 0..next {
            let (a, b) = (made[k], made[next]);
            for bound in [bounds::meet(dag, a, b), bounds::join(dag, a, b)] {
                if let Some(node) = bound.unique()
                    && known.insert(node)
                {
                    made.push(node);
                }
            }
        }
        next += 1;
    }
    let table: Vec<Vec<Option<(u32, u32)>>> = made
        .iter()
        .map(|&a| made.iter().map(|&b| incomparable(dag, a, b)).collect())
        .collect();
    for side in 0..made.len() {
        for a in 0..made.len() {
            let Some((bottom, top)) = table[side][a] else {
                continue;
            };
            for b in 0..a {
                if table[side][b] != Some((bottom, top)) {
                    continue;
                }
                let (shape, middle) = if table[a][b] == Some((bottom, top)) {
                    (Shape::M3, [made[side], made[b], made[a]])
                } else if dag.le(made[a], made[b]) {
                    (Shape::N5, [made[a], made[b], made[side]])
                } else if dag.le(made[b], made[a]) {
                    (Shape::N5, [made[b], made[a], made[side]])
                } else {
                    continue;
                };
                return Some(Sublattice {
                    shape,
                    bottom,
                    middle,
                    top,
                });
            }
        }
    }
    None
}

/// The meet and the join of two incomparable nodes, where both exist.
fn incomparable(dag: &Dag, a: u32, b: u32) -> Option<(u32, u32)> {
    if dag.le(a, b) || dag.le(b, a) {
        return None;
    }
    Some((
        bounds::meet(dag, a, b).unique()?,
        bounds::join(dag, a, b).unique()?,
    ))
}
