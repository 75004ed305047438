//! Greatest lower and least upper bounds, and what stands for them where there is
//! none: the cuts of the Dedekind–MacNeille completion.
//!
//! The completion (MacNeille, 1937) is the smallest complete lattice that holds an
//! order: its elements are the sets *A* with *A* = *A*ᵘˡ, where *X*ᵘ are the common
//! upper bounds of *X* and *X*ˡ the common lower ones. There can be exponentially many, so none is made before
//! it is asked for, and each is kept by the maximal members of *A* alone: they determine *A*, and
//! for an element of the order they are that one element.

use super::dag::Dag;
use super::ranges::{self, Range};
use roaring::RoaringBitmap;

/// What bounds some nodes in the order itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// There is no common bound at all.
    None,
    /// The greatest lower (or least upper) bound.
    Unique(u32),
    /// There are common bounds but no best one: the maximal lower (or minimal upper)
    /// ones, at least two, ascending.
    Cut(Vec<u32>),
}

impl Bound {
    fn new(extremal: Vec<u32>) -> Bound {
        match extremal.as_slice() {
            [] => Bound::None,
            [only] => Bound::Unique(*only),
            _ => Bound::Cut(extremal),
        }
    }

    /// The bound where it is a single node.
    pub fn unique(&self) -> Option<u32> {
        match self {
            Bound::Unique(node) => Some(*node),
            _ => None,
        }
    }

    /// The best bounds, ascending: none, one or several.
    pub fn members(&self) -> &[u32] {
        match self {
            Bound::None => &[],
            Bound::Unique(node) => std::slice::from_ref(node),
            Bound::Cut(nodes) => nodes,
        }
    }
}

/// The greatest lower bound of two nodes, or their maximal lower bounds.
pub fn meet(dag: &Dag, a: u32, b: u32) -> Bound {
    meet_of(dag, &[a, b])
}

/// The least upper bound of two nodes, or their minimal upper bounds.
pub fn join(dag: &Dag, a: u32, b: u32) -> Bound {
    join_of(dag, &[a, b])
}

/// The greatest lower bound of several nodes; of none, the greatest node.
pub fn meet_of(dag: &Dag, of: &[u32]) -> Bound {
    if let Some(&least) = of.iter().find(|&&a| of.iter().all(|&b| dag.le(a, b))) {
        return Bound::Unique(least);
    }
    Bound::new(maximal_ranks(dag, &dag.common_below(of)))
}

/// The least upper bound of several nodes; of none, the least node.
pub fn join_of(dag: &Dag, of: &[u32]) -> Bound {
    if let Some(&greatest) = of.iter().find(|&&a| of.iter().all(|&b| dag.le(b, a))) {
        return Bound::Unique(greatest);
    }
    Bound::new(minimal_upper(dag, of))
}

/// The maximal nodes of a down-set that is given by ranks, ascending.
///
/// A down-set holds the subtree of each of its nodes, so only the topmost node of each
/// piece of the spanning forest can be maximal, and is if no parent lies inside.
pub(super) fn maximal_ranks(dag: &Dag, down_set: &[Range]) -> Vec<u32> {
    let inside = |node: u32| {
        dag.rank(node)
            .is_some_and(|rank| ranges::contains(down_set, rank))
    };
    let mut maximal = Vec::new();
    for &(low, high) in down_set {
        let mut at = low;
        while at <= high {
            let Some(node) = dag.node_at(at) else { break };
            if !dag.parents(node).iter().any(|&parent| inside(parent)) {
                maximal.push(node);
            }
            match dag.subtree(node) {
                Some((_, last)) => at = last + 1,
                None => break,
            }
        }
    }
    maximal.sort_unstable();
    maximal
}

/// The minimal common upper bounds of some nodes, ascending.
fn minimal_upper(dag: &Dag, of: &[u32]) -> Vec<u32> {
    let upper = dag.common_upper(of);
    // In an up-set what is not minimal is a parent of something inside.
    let mut minimal = upper.clone();
    for node in &upper {
        for &parent in dag.parents(node) {
            minimal.remove(parent);
        }
    }
    minimal.iter().collect()
}

/// An element of the Dedekind–MacNeille completion, named by the maximal members of
/// its lower set, ascending. Equal cuts of one order have equal names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    maximal: Vec<u32>,
}

impl Cut {
    /// The cut that stands for a node. A node that is not there gives the least cut.
    pub fn principal(dag: &Dag, node: u32) -> Cut {
        Cut::meet_of(dag, &[node])
    }

    /// The meet of some nodes in the completion: its lower set are their common lower
    /// bounds. Of no nodes it is the greatest cut; its lower set is everything.
    pub fn meet_of(dag: &Dag, nodes: &[u32]) -> Cut {
        Cut::from_ranks(dag, &dag.common_below(nodes))
    }

    /// The join of some nodes in the completion, the least cut that holds them all: its
    /// lower set is what lies below each of their common upper bounds. Where there are no
    /// upper bounds it is the greatest cut. Nodes that are not there count for nothing.
    pub fn join_of(dag: &Dag, nodes: &[u32]) -> Cut {
        let there: RoaringBitmap = nodes
            .iter()
            .copied()
            .filter(|&node| (node as usize) < dag.len())
            .collect();
        let upper = minimal_upper(dag, &dag.maximal(&there));
        Cut::meet_of(dag, &upper)
    }

    fn from_ranks(dag: &Dag, lower: &[Range]) -> Cut {
        Cut {
            maximal: maximal_ranks(dag, lower),
        }
    }

    /// The maximal members of the lower set, ascending: the name of the cut. There are
    /// none only where the lower set is empty: at the bottom of the completion of an
    /// order without a least node.
    pub fn maximal(&self) -> &[u32] {
        &self.maximal
    }

    /// The node that the cut stands for, if it is an element of the order itself.
    pub fn node(&self) -> Option<u32> {
        match self.maximal.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn ranks(&self, dag: &Dag) -> Vec<Range> {
        let mut ranks = Vec::new();
        for &node in &self.maximal {
            ranks.extend_from_slice(&dag.below(node));
        }
        ranges::normalise(&mut ranks);
        ranks
    }

    /// The lower set: every node at or below the cut.
    pub fn lower(&self, dag: &Dag) -> RoaringBitmap {
        dag.nodes_of(&self.ranks(dag))
    }

    /// The minimal nodes at or above the cut, ascending; none above a cut that joins
    /// nodes without a common upper bound.
    pub fn upper(&self, dag: &Dag) -> Vec<u32> {
        minimal_upper(dag, &self.maximal)
    }

    /// Whether this cut is at or below another of the same order.
    pub fn le(&self, dag: &Dag, other: &Cut) -> bool {
        self.maximal
            .iter()
            .all(|&a| other.maximal.iter().any(|&b| dag.le(a, b)))
    }

    /// The meet of two cuts: the intersection of their lower sets.
    pub fn meet(&self, dag: &Dag, other: &Cut) -> Cut {
        Cut::from_ranks(
            dag,
            &ranges::intersection(&self.ranks(dag), &other.ranks(dag)),
        )
    }

    /// The join of two cuts: the least cut that holds both lower sets.
    pub fn join(&self, dag: &Dag, other: &Cut) -> Cut {
        let both: Vec<u32> = self.maximal.iter().chain(&other.maximal).copied().collect();
        Cut::join_of(dag, &both)
    }
}
