//! Which level each node lies on.

use crate::draw::reduced::Reduced;

/// The level of each node: the length of the longest way down to it; then a node with more lower
/// than upper neighbours goes down as far as it can, which shortens edges. What lies above
/// is on a smaller level.
pub fn ranks(order: &Reduced) -> Vec<u32> {
    let mut ranks = order.depths();
    for &node in order.downward.iter().rev() {
        let node = node as usize;
        if order.children[node].len() > order.parents[node].len() {
            let below = order.children[node]
                .iter()
                .map(|&c| ranks[c as usize])
                .min();
            ranks[node] = below.map_or(ranks[node], |rank| rank - 1);
        }
    }
    ranks
}

/// How many levels all edges pass together.
pub fn bends(order: &Reduced, ranks: &[u32]) -> usize {
    let passed = order
        .edges()
        .map(|(a, b)| ranks[b as usize] - ranks[a as usize] - 1);
    passed.map(|levels| levels as usize).sum()
}
