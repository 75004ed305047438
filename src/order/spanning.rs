//! The spanning forest of an order and the intervals that its preorder gives.
//!
//! A node has one interval of its own, its subtree, and inherits one for each
//! piece of its down-set that lies elsewhere. Which forest is chosen decides how
//! many pieces there are: each node goes under its parent of *greatest depth*
//! (the longest way from a root), because the subtree of a deep parent lies
//! inside the down-sets of the shallow ones. A chain with any further edges
//! thus keeps one interval per node, where the first parent would give up to
//! half as many intervals as nodes. The tallest subtree is numbered first, so that the
//! side branches of a long chain lie side by side behind it.

use super::adjacency::Adjacency;
use super::dag::Cycle;
use super::ranges::{self, Range};

/// Upper before lower, or a cycle.
pub(super) fn topological(
    count: usize,
    parents: &Adjacency,
    children: &Adjacency,
) -> Result<Vec<u32>, Cycle> {
    let mut waiting: Vec<u32> = (0..count as u32)
        .map(|node| parents.of(node).len() as u32)
        .collect();
    let mut order: Vec<u32> = (0..count as u32)
        .filter(|&node| waiting[node as usize] == 0)
        .collect();
    let mut next = 0;
    while next < order.len() {
        let node = order[next];
        next += 1;
        for &child in children.of(node) {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                order.push(child);
            }
        }
    }
    if order.len() == count {
        return Ok(order);
    }
    // Every node left has a parent left: walking up from any of them runs into
    // a cycle. Start at the smallest.
    let Some(start) = (0..count as u32).find(|&node| waiting[node as usize] > 0) else {
        return Ok(order);
    };
    let mut position = std::collections::HashMap::new();
    let mut walk: Vec<u32> = Vec::new();
    let mut node = start;
    loop {
        if let Some(&from) = position.get(&node) {
            let mut cycle: Vec<u32> = walk.split_off(from);
            cycle.reverse();
            let least = (0..cycle.len()).min_by_key(|&k| cycle[k]).unwrap_or(0);
            cycle.rotate_left(least);
            return Err(Cycle(cycle));
        }
        position.insert(node, walk.len());
        walk.push(node);
        match parents
            .of(node)
            .iter()
            .copied()
            .find(|&parent| waiting[parent as usize] > 0)
        {
            Some(parent) => node = parent,
            None => return Err(Cycle(walk)),
        }
    }
}

/// A spanning forest, by the preorder numbers ("ranks") of its nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    /// Preorder number of each node.
    pub(super) rank: Vec<u32>,
    /// Node of each preorder number.
    pub(super) node: Vec<u32>,
    /// The last preorder number in the subtree of each node.
    pub(super) last: Vec<u32>,
}

const NO_PARENT: u32 = u32::MAX;

impl Forest {
    /// Each node under its deepest parent, the least of several.
    pub(super) fn new(parents: &Adjacency, topological: &[u32]) -> Forest {
        let count = topological.len();
        let mut depth = vec![0u32; count];
        let mut above = vec![NO_PARENT; count];
        for &node in topological {
            for &parent in parents.of(node) {
                let below = depth[parent as usize] + 1;
                if below > depth[node as usize] {
                    depth[node as usize] = below;
                    above[node as usize] = parent;
                }
            }
        }
        let mut height = vec![0u32; count];
        let mut size = vec![1u32; count];
        for &node in topological.iter().rev() {
            let parent = above[node as usize];
            if parent != NO_PARENT {
                let up = parent as usize;
                height[up] = height[up].max(height[node as usize] + 1);
                size[up] += size[node as usize];
            }
        }
        // Tallest first; each node starts where the earlier ones of its parent end.
        let mut by_height: Vec<u32> = (0..count as u32).collect();
        by_height.sort_by_key(|&node| std::cmp::Reverse(height[node as usize]));
        // `free` is the next rank under each node; the roots share one counter.
        // A parent is taller than its children, so its rank is known by then.
        let mut forest = Forest {
            rank: vec![0; count],
            node: vec![0; count],
            last: vec![0; count],
        };
        let mut free = vec![0u32; count];
        let mut free_root = 0u32;
        for node in by_height {
            let parent = above[node as usize];
            let start = match parent {
                NO_PARENT => &mut free_root,
                parent => &mut free[parent as usize],
            };
            let rank = *start;
            *start += size[node as usize];
            free[node as usize] = rank + 1;
            forest.rank[node as usize] = rank;
            forest.node[rank as usize] = node;
            forest.last[node as usize] = rank + size[node as usize] - 1;
        }
        forest
    }
}

/// How much the intervals of an order may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// The number of intervals up to which every list is kept whole.
    pub(super) whole: usize,
    /// The length to which a list is cut once there are more.
    pub(super) coarse: usize,
}

impl Budget {
    /// Sixteen intervals a node and four million more (32 MiB): far more than a
    /// taxonomy needs, and linear.
    pub(super) fn of(count: usize) -> Budget {
        Budget {
            whole: 4_000_000 + 16 * count,
            coarse: 16,
        }
    }
}

/// The down-set of every node as intervals of ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct Intervals {
    /// Where the list of each node starts and ends in `all`.
    span: Vec<(usize, usize)>,
    all: Vec<Range>,
    /// The nodes whose list holds more than their down-set.
    coarse: roaring::RoaringBitmap,
}

impl Intervals {
    /// The lists, lower nodes first.
    pub(super) fn new(
        children: &Adjacency,
        forest: &Forest,
        topological: &[u32],
        budget: Budget,
    ) -> Intervals {
        let mut made = Intervals {
            span: vec![(0, 0); topological.len()],
            all: Vec::with_capacity(topological.len()),
            coarse: roaring::RoaringBitmap::new(),
        };
        let mut list: Vec<Range> = Vec::new();
        for &node in topological.iter().rev() {
            let rank = forest.rank[node as usize];
            list.clear();
            list.push((rank, forest.last[node as usize]));
            let mut coarse = false;
            for &child in children.of(node) {
                coarse |= made.coarse.contains(child);
                list.extend_from_slice(made.of(child));
            }
            ranges::normalise(&mut list);
            if made.all.len() + list.len() > budget.whole {
                coarse |= ranges::coarsen(&mut list, budget.coarse);
            }
            if coarse {
                made.coarse.insert(node);
            }
            let start = made.all.len();
            made.all.extend_from_slice(&list);
            made.span[node as usize] = (start, made.all.len());
        }
        made.all.shrink_to_fit();
        made
    }

    /// The list of a node: its down-set, or more where it is coarse.
    pub(super) fn of(&self, node: u32) -> &[Range] {
        match self.span.get(node as usize) {
            Some(&(start, end)) => &self.all[start..end],
            None => &[],
        }
    }

    /// Whether the list of a node is exactly its down-set.
    pub(super) fn exact(&self, node: u32) -> bool {
        !self.coarse.contains(node)
    }

    /// How many intervals there are, and how many nodes have coarse lists.
    pub(super) fn size(&self) -> (usize, u64) {
        (self.all.len(), self.coarse.len())
    }
}
