//! How independent two dimensions are, by the widths of their observed joint order.
//!
//! # The measure
//!
//! Let *P* be the set of observed pairs (*a*, *b*), *A* and *B* the values that occur in it, each
//! with the order it has in its dimension. *P* is ordered as part of the product: (*a*, *b*) ⊑ (*a*′, *b*′) if
//! *a* ⊑ *a*′ and *b* ⊑ *b*′. With *w* for the width (the size of a largest antichain) and
//! *m* = max(*w*(*A*), *w*(*B*)) let
//!
//! > *I* = (*w*(*P*) − *m*) / (*w*(*A* × *B*) − *m*).
//!
//! The same is computed with *B* turned upside down, and the independence is the smaller of
//! both: values that fall as others rise are as little independent as values that rise with them.
//!
//! # What it keeps, and why
//!
//! * **Between 0 and 1.** The projection *P* → *A* is monotone and onto. A monotone map onto an order
//!   cannot raise the width: choose a preimage for each member of an antichain; if two of them were comparable, so were
//!   the members. Hence *m* ≤ *w*(*P*), and *w*(*P*) ≤ *w*(*A* × *B*) because *P* is a part.
//! * **Symmetric.** Swapping the factors is an isomorphism of the products, and turning *A* upside down
//!   instead of *B* turns the whole product upside down, which keeps its width.
//! * **Unchanged by renaming.** It depends on the two orders up to isomorphism.
//! * **1 when all pairs occur**: then *P* = *A* × *B*, either way up.
//! * **0 when one dimension determines the other monotonically**: if *b* = *f*(*a*) with *f* monotone, *a* ↦ (*a*, *f*(*a*)) is an
//!   isomorphism of *A* and *P*, so *w*(*P*) = *w*(*A*), and *w*(*B*) ≤ *w*(*A*) as above: *w*(*P*) = *m*. If *f* is
//!   antitone, the same holds with *B* upside down.
//!
//! # Where the formula has no denominator
//!
//! If both orders have width 2 or more, *w*(*A* × *B*) ≥ *w*(*A*)·*w*(*B*) > *m*. So let *B* be a chain of *k* values; then
//! *w*(*A* × *B*) is the size of the largest union of *k* antichains of *A* (Saks, 1979). It is *w*(*A*) only if *k* = 1
//! or *A* has nothing outside its largest antichain. Two cases are left:
//! * **A dimension with one value** ([`Case::Constant`]): all pairs occur *and* the value is determined. There is no
//!   measure.
//! * **An antichain beside a chain** ([`Case::Unordered`]; a flat list beside years, say): *A* × *B* is as many separate
//!   chains as *A* has values, and every *P* has the same width. The order of the chain is then set aside: all pairs are
//!   incomparable, the width of *P* is their number, and *I* = (|*P*| − |*A*|) / (|*A*|·|*B*| − |*A*|). It is 0 exactly if *A*
//!   determines *B* (every map from an antichain is monotone; monotone the other way is only a constant), and 1 exactly if all pairs occur.
//!
//! # Its limits
//!
//! * Neither end is a proof: 0 only says that the pairs are as narrow as determination would make them (any
//!   chain of pairs between two chains is), 1 only that some widest antichain of the product has
//!   occurred. It does not look at how often a pair occurs.
//! * Determination that is not monotone may score anything up to 1.
//! * It depends on what was observed: a value or pair that is missing for lack of data counts as
//!   missing. Pairs that one instance has several values for are pairs like others.
//! * Numbers of different pairs of dimensions can be compared only with care, because *m* and
//!   *w*(*A* × *B*) differ.

use super::adjacency::Adjacency;
use super::dag::Dag;
use super::matching::{Downward, Matching};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What [`independence`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Independence {
    /// From 0 (as narrow as monotone determination makes it) to 1 (as wide as if all
    /// pairs occurred); `None` where there is no measure.
    pub value: Option<f64>,
    /// How the value was made.
    pub case: Case,
    /// The number of different observed pairs.
    pub pairs: usize,
    /// The numbers of different values observed in the two dimensions.
    pub values: (usize, usize),
    /// The widths of the orders of these values.
    pub widths: (usize, usize),
    /// The widths of the joint order as it is.
    pub upright: Joint,
    /// The widths with the second dimension upside down.
    pub reversed: Joint,
}

/// The widths of a joint order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Of the observed pairs.
    pub observed: u64,
    /// Of all pairs of observed values.
    pub product: u64,
}

/// How an independence was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// By the widths of the joint order.
    Widths,
    /// One dimension is an antichain and the other a chain: by the number of pairs.
    Unordered,
    /// Some dimension has one value only: there is no measure.
    Constant,
    /// Nothing was observed: there is no measure.
    Empty,
}

/// Why there is no independence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndependenceError {
    /// A pair names a node that its dimension does not have.
    NoSuchNode {
        /// The pair.
        pair: (u32, u32),
    },
    /// The product of the observed values has more pairs than the limit.
    TooLarge {
        /// The numbers of different values observed.
        values: (usize, usize),
        /// The limit on their product.
        limit: u64,
    },
    /// It was stopped.
    Stopped,
}

impl std::fmt::Display for IndependenceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            IndependenceError::NoSuchNode { pair: (a, b) } => {
                write!(
                    f,
                    "the pair ({a}, {b}) has a node that its dimension does not have"
                )
            }
            IndependenceError::TooLarge {
                values: (a, b),
                limit,
            } => write!(
                f,
                "{a} × {b} pairs of values are more than {limit}: ask about fewer values, or raise the limit"
            ),
            IndependenceError::Stopped => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for IndependenceError {}

/// The number of pairs of values up to which [`independence`] looks at a product unless
/// told otherwise: about 50 bytes are needed for each.
pub const PRODUCT_LIMIT: u64 = 4_000_000;

/// The independence of two dimensions with the given observed pairs of nodes, in any order
/// and with repetitions.
///
/// Widths are those of [`super::width`], by walks on the product of the covering edges of both orders, so the
/// space is |*A*|·|*B*| and not its square; where one order is an antichain, the product falls apart into
/// copies of the other and needs only |*P*|.
///
/// # Errors
/// A node that is not there; more than `limit` pairs in the product of two orders
/// neither of which is an antichain; or `stop` said so.
pub fn independence(
    a: &Dag,
    b: &Dag,
    pairs: &[(u32, u32)],
    limit: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Independence, IndependenceError> {
    let there = |&&(x, y): &&(u32, u32)| (x as usize) < a.len() && (y as usize) < b.len();
    if let Some(&pair) = pairs.iter().find(|pair| !there(pair)) {
        return Err(IndependenceError::NoSuchNode { pair });
    }
    let pairs: BTreeSet<(u32, u32)> = pairs.iter().copied().collect();
    let left = Part::new(a, &pairs.iter().map(|pair| pair.0).collect());
    let right = Part::new(b, &pairs.iter().map(|pair| pair.1).collect());
    let widths = (left.width(stop)?, right.width(stop)?);
    let values = (left.len(), right.len());
    let mut joint = |second: &Part| joint(&left, second, &pairs, limit, stop);
    let upright = joint(&right)?;
    // An antichain is its own reverse.
    let reversed = if left.is_antichain() || right.is_antichain() {
        upright
    } else {
        joint(&right.reversed())?
    };
    let (case, value) = judge(pairs.len(), values, widths, [upright, reversed]);
    Ok(Independence {
        value,
        case,
        pairs: pairs.len(),
        values,
        widths,
        upright,
        reversed,
    })
}

fn judge(
    pairs: usize,
    values: (usize, usize),
    widths: (usize, usize),
    joints: [Joint; 2],
) -> (Case, Option<f64>) {
    if pairs == 0 {
        return (Case::Empty, None);
    }
    if values.0 == 1 || values.1 == 1 {
        return (Case::Constant, None);
    }
    let scaled = |part: u64, least: u64, most: u64| (part - least) as f64 / (most - least) as f64;
    let least = widths.0.max(widths.1) as u64;
    if joints.iter().any(|joint| joint.product <= least) {
        let product = values.0 as u64 * values.1 as u64;
        // The antichain is the wide one.
        return (Case::Unordered, Some(scaled(pairs as u64, least, product)));
    }
    let value = joints
        .iter()
        .map(|joint| scaled(joint.observed, least, joint.product))
        .fold(1.0, f64::min);
    (Case::Widths, Some(value))
}

/// The widths of the observed pairs and of all pairs of two parts.
fn joint(
    left: &Part,
    right: &Part,
    pairs: &BTreeSet<(u32, u32)>,
    limit: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Joint, IndependenceError> {
    let cells: Vec<(u32, u32)> = pairs
        .iter()
        .filter_map(|&(x, y)| Some((left.local(x)?, right.local(y)?)))
        .collect();
    if left.is_antichain() {
        return fibres(right, left.len(), cells, stop);
    }
    if right.is_antichain() {
        let turned = cells.into_iter().map(|(x, y)| (y, x)).collect();
        return fibres(left, right.len(), turned, stop);
    }
    let size = left.len() as u64 * right.len() as u64;
    if size > limit || size >= u64::from(u32::MAX) {
        return Err(IndependenceError::TooLarge {
            values: (left.len(), right.len()),
            limit,
        });
    }
    let mut product = Product {
        left,
        right,
        members: None,
    };
    let whole = matched(&product, stop)?;
    let mut members = vec![false; size as usize];
    for (x, y) in cells {
        members[product.cell(x, y) as usize] = true;
    }
    product.members = Some(members);
    Ok(Joint {
        observed: matched(&product, stop)?,
        product: whole,
    })
}

/// The same for an antichain of `copies` values beside a part: each of its values has its
/// own copy of the part. The cells are (value of the antichain, value of the part).
fn fibres(
    part: &Part,
    copies: usize,
    mut cells: Vec<(u32, u32)>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Joint, IndependenceError> {
    cells.sort_unstable();
    let mut observed = 0;
    for fibre in cells.chunk_by(|one, other| one.0 == other.0) {
        observed += if part.is_antichain() {
            fibre.len() as u64
        } else {
            let set = fibre.iter().map(|&(_, y)| y).collect();
            part.within(&set).width(stop)? as u64
        };
    }
    Ok(Joint {
        observed,
        product: copies as u64 * part.width(stop)? as u64,
    })
}

fn matched(
    graph: &impl Downward,
    stop: &mut dyn FnMut() -> bool,
) -> Result<u64, IndependenceError> {
    match Matching::maximum(graph, stop) {
        Some(matching) => Ok(matching.width() as u64),
        None => Err(IndependenceError::Stopped),
    }
}

/// Some nodes of an order, numbered anew with upper before lower, and edges that say
/// which lie below which.
struct Part {
    /// (node, new number), ascending.
    numbers: Vec<(u32, u32)>,
    parents: Adjacency,
    children: Adjacency,
    edges: usize,
}

impl Part {
    fn new(dag: &Dag, set: &BTreeSet<u32>) -> Part {
        Part::of(set, |node| dag.parents(node), |node| dag.place(node))
    }

    /// The part of some of these nodes, given by their new numbers.
    fn within(&self, set: &BTreeSet<u32>) -> Part {
        Part::of(set, |node| self.parents.of(node), |node| node)
    }

    /// The nodes of a set in an order with these parents, in which an upper node has a
    /// smaller place than a lower one.
    fn of<'a>(
        set: &BTreeSet<u32>,
        parents: impl Fn(u32) -> &'a [u32],
        place: impl Fn(u32) -> u32,
    ) -> Part {
        let mut numbers: Vec<(u32, u32)> = Vec::with_capacity(set.len());
        let mut edges = Vec::new();
        // For every node at or above the set, where the members that are met first on the
        // ways up from it stand in `fronts`; a node with one parent shares the parent's.
        let mut span: HashMap<u32, (usize, usize)> = HashMap::new();
        let mut fronts: Vec<u32> = Vec::new();
        for node in upper_first(set, &parents, &place) {
            let front = match parents(node) {
                [] => (0, 0),
                [only] => span.get(only).copied().unwrap_or((0, 0)),
                several => {
                    let mut met: BTreeSet<u32> = BTreeSet::new();
                    for parent in several {
                        let (start, end) = span.get(parent).copied().unwrap_or((0, 0));
                        met.extend(&fronts[start..end]);
                    }
                    let start = fronts.len();
                    fronts.extend(met);
                    (start, fronts.len())
                }
            };
            if !set.contains(&node) {
                span.insert(node, front);
                continue;
            }
            let new = numbers.len() as u32;
            numbers.push((node, new));
            edges.extend(fronts[front.0..front.1].iter().map(|&upper| (upper, new)));
            span.insert(node, (fronts.len(), fronts.len() + 1));
            fronts.push(new);
        }
        numbers.sort_unstable();
        Part {
            edges: edges.len(),
            parents: Adjacency::new(numbers.len(), edges.iter().map(|&(a, b)| (b, a)).collect()),
            children: Adjacency::new(numbers.len(), edges),
            numbers,
        }
    }

    /// Upside down.
    fn reversed(&self) -> Part {
        let last = self.len().saturating_sub(1) as u32;
        let mut edges = Vec::with_capacity(self.edges);
        for upper in 0..self.len() as u32 {
            for &lower in self.children.of(upper) {
                edges.push((last - lower, last - upper));
            }
        }
        Part {
            numbers: self
                .numbers
                .iter()
                .map(|&(node, number)| (node, last - number))
                .collect(),
            parents: Adjacency::new(self.len(), edges.iter().map(|&(a, b)| (b, a)).collect()),
            children: Adjacency::new(self.len(), edges),
            edges: self.edges,
        }
    }

    fn local(&self, node: u32) -> Option<u32> {
        let at = self.numbers.binary_search_by_key(&node, |&(node, _)| node);
        at.ok().map(|at| self.numbers[at].1)
    }

    fn is_antichain(&self) -> bool {
        self.edges == 0
    }

    fn width(&self, stop: &mut dyn FnMut() -> bool) -> Result<usize, IndependenceError> {
        Ok(matched(self, stop)? as usize)
    }
}

impl Downward for Part {
    fn len(&self) -> usize {
        self.numbers.len()
    }
    fn lower_first(&self, k: usize) -> u32 {
        (self.numbers.len() - 1 - k) as u32
    }
    fn member(&self, _: u32) -> bool {
        true
    }
    fn child(&self, node: u32, k: u32) -> Option<u32> {
        self.children.of(node).get(k as usize).copied()
    }
}

/// The nodes at or above a set, upper first.
fn upper_first<'a>(
    set: &BTreeSet<u32>,
    parents: &impl Fn(u32) -> &'a [u32],
    place: &impl Fn(u32) -> u32,
) -> Vec<u32> {
    let mut found: HashSet<u32> = set.iter().copied().collect();
    let mut all: Vec<u32> = set.iter().copied().collect();
    let mut next = 0;
    while let Some(&node) = all.get(next) {
        next += 1;
        all.extend(parents(node).iter().filter(|&&parent| found.insert(parent)));
    }
    all.sort_unstable_by_key(|&node| place(node));
    all
}

/// The product of two parts, row by row; all its cells, or those that were observed with
/// the others as gaps.
struct Product<'a> {
    left: &'a Part,
    right: &'a Part,
    members: Option<Vec<bool>>,
}

impl Product<'_> {
    fn cell(&self, x: u32, y: u32) -> u32 {
        x * self.right.len() as u32 + y
    }
}

impl Downward for Product<'_> {
    fn len(&self) -> usize {
        self.left.len() * self.right.len()
    }
    fn lower_first(&self, k: usize) -> u32 {
        // Rows and columns are numbered upper before lower, so cells are too.
        (self.len() - 1 - k) as u32
    }
    fn member(&self, node: u32) -> bool {
        match &self.members {
            Some(members) => members[node as usize],
            None => true,
        }
    }
    fn child(&self, node: u32, k: u32) -> Option<u32> {
        let width = self.right.len() as u32;
        let (x, y) = (node / width, node % width);
        let across = self.right.children.of(y);
        match across.get(k as usize) {
            Some(&lower) => Some(self.cell(x, lower)),
            None => {
                let k = k as usize - across.len();
                Some(self.cell(*self.left.children.of(x).get(k)?, y))
            }
        }
    }
}
