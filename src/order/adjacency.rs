//! The neighbours of every node in two arrays.

/// Adjacency lists in one array.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// The lists of `nodes` nodes, each ascending and without repetitions. Both
    /// ends of every pair must lie in `0..nodes`.
    pub(super) fn new(nodes: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0u32; nodes + 1];
        for &(from, _) in &pairs {
            offsets[from as usize + 1] += 1;
        }
        for k in 0..nodes {
            offsets[k + 1] += offsets[k];
        }
        Adjacency {
            offsets,
            targets: pairs.into_iter().map(|(_, to)| to).collect(),
        }
    }

    /// The neighbours of a node; none for a node that is not there.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        if node + 1 >= self.offsets.len() {
            return &[];
        }
        &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}
