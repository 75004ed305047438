//! The width of an order: its largest antichain, and as few chains as cover it.

use super::dag::Dag;
use super::matching::{Downward, FREE, Matching};

/// A largest antichain and a smallest partition into chains. Both have the same size
/// (Dilworth, 1950), so each proves that the other is best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Width {
    /// Nodes no two of which are comparable, ascending.
    pub antichain: Vec<u32>,
    /// Chains from upper to lower, ordered by their first nodes; every node is in one.
    /// Neighbours in a chain are comparable, but there need be no edge between them.
    pub chains: Vec<Vec<u32>>,
}

impl Width {
    /// The number of nodes in the antichain, and of chains.
    pub fn size(&self) -> usize {
        self.antichain.len()
    }
}

/// The width of an order, by a maximum matching of comparable nodes (Hopcroft and Karp)
/// and König's theorem. The comparable pairs are never listed: space is linear in nodes
/// and edges, and each of at most about √*n* rounds walks every edge a few times. `None` if
/// `stop` said so.
pub fn width(dag: &Dag, stop: &mut dyn FnMut() -> bool) -> Option<Width> {
    let graph = Whole {
        upper_first: dag.topological(),
        dag,
    };
    let matching = Matching::maximum(&graph, stop)?;
    let mut chains = Vec::with_capacity(matching.width());
    for start in 0..dag.len() as u32 {
        if matching.above[start as usize] != FREE {
            continue;
        }
        let mut chain = vec![start];
        let mut lower = matching.below[start as usize];
        while lower != FREE {
            chain.push(lower);
            lower = matching.below[lower as usize];
        }
        chains.push(chain);
    }
    Some(Width {
        antichain: matching.antichain(),
        chains,
    })
}

/// An order with every node a member.
struct Whole<'a> {
    dag: &'a Dag,
    upper_first: Vec<u32>,
}

impl Downward for Whole<'_> {
    fn len(&self) -> usize {
        self.upper_first.len()
    }
    fn lower_first(&self, k: usize) -> u32 {
        self.upper_first[self.upper_first.len() - 1 - k]
    }
    fn member(&self, _: u32) -> bool {
        true
    }
    fn child(&self, node: u32, k: u32) -> Option<u32> {
        self.dag.children(node).get(k as usize).copied()
    }
}
