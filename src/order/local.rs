//! Two questions about a whole order that its neighbours answer.

use super::bounds::maximal_ranks;
use super::confluent::Core;
use super::dag::Dag;
use super::ranges::{self, Range};

/// What the meets of siblings say.
pub(super) enum Siblings {
    /// All meets of the order are unique.
    AllUnique,
    /// These two nodes have common lower bounds and no greatest one (the smaller first).
    Ambiguous(u32, u32),
    /// The limit was reached.
    NotKnown,
}

/// Looks at the meets of siblings, and of roots, in the core of an order.
///
/// If every two nodes with a common upper neighbour have a unique meet or no common
/// lower bound, so have any two nodes. This is the lemma of Björner, Edelman and Ziegler (1990,
/// lemma 2.1) upside down, for the order with a bottom (the meet of what has no common lower bound)
/// and a top (the upper neighbour of the roots) adjoined. `None` if `stop` said so.
pub(super) fn ambiguous_siblings(
    core: &Core,
    limit: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Siblings> {
    let count = core.nodes.len() as u32;
    let places = Places::new(core);
    let roots: Vec<u32> = (0..count)
        .filter(|&member| core.parents.of(member).is_empty())
        .collect();
    let families = (0..count).map(|member| core.children.of(member));
    let mut steps = 0;
    for family in families.chain([roots.as_slice()]) {
        if family.len() < 2 {
            continue;
        }
        if stop() {
            return None;
        }
        let below: Vec<_> = family
            .iter()
            .map(|&member| core.dag.below(core.nodes[member as usize]))
            .collect();
        for (k, &a) in family.iter().enumerate() {
            for (j, &b) in family.iter().enumerate().take(k) {
                steps +=
                    core.dag.cost(core.nodes[a as usize]) + core.dag.cost(core.nodes[b as usize]);
                if steps > limit {
                    return Some(Siblings::NotKnown);
                }
                if core.le(a, b) || core.le(b, a) {
                    continue;
                }
                let common = ranges::intersection(&below[k], &below[j]);
                let Some(best) = places.first(&common) else {
                    continue;
                };
                // What is first among the common lower bounds is greatest if they are no
                // more than what lies below it.
                steps += core.dag.cost(best);
                let best = core.dag.below(best);
                if ranges::count(&best) != ranges::count(&common) {
                    let (a, b) = (core.nodes[a as usize], core.nodes[b as usize]);
                    return Some(Siblings::Ambiguous(a.min(b), a.max(b)));
                }
            }
        }
    }
    Some(Siblings::AllUnique)
}

/// The node that comes first, upper before lower, in any interval of ranks: a segment
/// tree of least places.
struct Places {
    count: usize,
    least: Vec<(u32, u32)>,
}

impl Places {
    fn new(core: &Core) -> Places {
        let dag = core.dag;
        let count = if core.nodes.is_empty() { 0 } else { dag.len() };
        let mut least = vec![(u32::MAX, u32::MAX); 2 * count];
        for rank in 0..count {
            if let Some(node) = dag.node_at(rank as u32) {
                least[count + rank] = (dag.place(node), node);
            }
        }
        for k in (1..count).rev() {
            least[k] = least[2 * k].min(least[2 * k + 1]);
        }
        Places { count, least }
    }

    fn first(&self, set: &[Range]) -> Option<u32> {
        let mut best = (u32::MAX, u32::MAX);
        for &(low, high) in set {
            let (mut low, mut high) = (low as usize + self.count, high as usize + 1 + self.count);
            while low < high {
                if low % 2 == 1 {
                    best = best.min(self.least[low]);
                    low += 1;
                }
                if high % 2 == 1 {
                    high -= 1;
                    best = best.min(self.least[high]);
                }
                low /= 2;
                high /= 2;
            }
        }
        (best.0 != u32::MAX).then_some(best.1)
    }
}

/// Whether an order has a greatest and a least node: with unique meets it is a lattice.
pub(super) fn is_bounded(dag: &Dag) -> bool {
    let all = dag.common_below(&[]);
    let ends = |node: &u32| dag.children(*node).is_empty();
    maximal_ranks(dag, &all).len() == 1 && (0..dag.len() as u32).filter(ends).count() == 1
}

/// Whether a lattice is distributive: exactly if all maximal chains have one length, and as
/// many nodes have one upper cover, and as many have one lower cover, as a maximal chain has steps
/// (Markowsky, 1992, theorem 17: a graded extremal lattice is distributive; Birkhoff, 1937, for
/// the converse).
pub(super) fn is_distributive_lattice(dag: &Dag) -> bool {
    let mut depth = vec![0u32; dag.len()];
    let mut lower_covers = vec![0u32; dag.len()];
    let mut one_upper = 0;
    let mut length = 0;
    for node in dag.topological() {
        let parents = dag.parents(node);
        let covers = match parents.len() {
            0 | 1 => parents.to_vec(),
            _ => dag.minimal(&parents.iter().copied().collect()),
        };
        one_upper += u32::from(covers.len() == 1);
        for (k, &cover) in covers.iter().enumerate() {
            lower_covers[cover as usize] += 1;
            let below = depth[cover as usize] + 1;
            if k > 0 && depth[node as usize] != below {
                return false;
            }
            depth[node as usize] = below;
        }
        length = length.max(depth[node as usize]);
    }
    let one_lower = lower_covers.iter().filter(|&&covers| covers == 1).count();
    one_upper == length && one_lower as u32 == length
}
