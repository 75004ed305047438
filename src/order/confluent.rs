//! The core of an order: what lies at or above the nodes with several upper covers.

use super::adjacency::Adjacency;
use super::dag::Dag;
use roaring::RoaringBitmap;

const OUTSIDE: u32 = u32::MAX;

/// The core, numbered upper before lower ("local" numbers).
pub(super) struct Core<'a> {
    pub(super) dag: &'a Dag,
    /// The node of each local number.
    pub(super) nodes: Vec<u32>,
    pub(super) parents: Adjacency,
    pub(super) children: Adjacency,
    /// The members with several upper covers, by rank: (rank, local number).
    pub(super) confluent: Vec<(u32, u32)>,
    /// How many nodes count as this one when they lie below *x* (itself, and those outside
    /// whose first member above is this one), and the least of them.
    pub(super) hanging: Vec<(u64, u32)>,
}

impl Core<'_> {
    pub(super) fn new(dag: &Dag) -> Core<'_> {
        let order = dag.topological();
        let mut confluent = RoaringBitmap::new();
        for &node in &order {
            let parents = dag.parents(node);
            if parents.len() > 1 && dag.minimal(&parents.iter().copied().collect()).len() > 1 {
                confluent.insert(node);
            }
        }
        let mut inside = vec![false; order.len()];
        for &node in order.iter().rev() {
            if confluent.contains(node) {
                inside[node as usize] = true;
            }
            if inside[node as usize] {
                for &parent in dag.parents(node) {
                    inside[parent as usize] = true;
                }
            }
        }
        let mut nodes = Vec::new();
        let mut local = vec![OUTSIDE; order.len()];
        let mut hanging: Vec<(u64, u32)> = Vec::new();
        // The member that stands for each node outside.
        let mut stands = vec![OUTSIDE; order.len()];
        for &node in &order {
            if inside[node as usize] {
                local[node as usize] = nodes.len() as u32;
                stands[node as usize] = nodes.len() as u32;
                nodes.push(node);
                hanging.push((1, node));
                continue;
            }
            // Its one upper cover lies below its other upper neighbours.
            let cover = dag.parents(node).iter().max_by_key(|&&p| dag.place(p));
            let member = cover.map_or(OUTSIDE, |&cover| stands[cover as usize]);
            stands[node as usize] = member;
            if let Some((count, least)) = hanging.get_mut(member as usize) {
                *count += 1;
                *least = node.min(*least);
            }
        }
        let mut edges = Vec::new();
        for (lower, &node) in nodes.iter().enumerate() {
            for &parent in dag.parents(node) {
                edges.push((local[parent as usize], lower as u32));
            }
        }
        let mut by_rank: Vec<(u32, u32)> = confluent
            .iter()
            .filter_map(|node| Some((dag.rank(node)?, local[node as usize])))
            .collect();
        by_rank.sort_unstable();
        Core {
            dag,
            parents: Adjacency::new(nodes.len(), edges.iter().map(|&(a, b)| (b, a)).collect()),
            children: Adjacency::new(nodes.len(), edges),
            nodes,
            confluent: by_rank,
            hanging,
        }
    }

    pub(super) fn le(&self, a: u32, b: u32) -> bool {
        a >= b && self.dag.le(self.nodes[a as usize], self.nodes[b as usize])
    }

    /// The greatest of some members that are sorted upper first: the maximal ones.
    pub(super) fn keep_maximal(&self, sorted: &mut Vec<u32>) -> u64 {
        if sorted.len() > 48 {
            let set = sorted.iter().map(|&k| self.nodes[k as usize]).collect();
            let kept: RoaringBitmap = self.dag.maximal(&set).into_iter().collect();
            sorted.retain(|&k| kept.contains(self.nodes[k as usize]));
            return set.len() * 64;
        }
        let mut steps = 0;
        let mut kept = 0;
        for k in 0..sorted.len() {
            let candidate = sorted[k];
            steps += kept as u64 + 1;
            if !sorted[..kept]
                .iter()
                .any(|&above| self.le(candidate, above))
            {
                sorted[kept] = candidate;
                kept += 1;
            }
        }
        sorted.truncate(kept);
        steps
    }
}
