//! A finite partial order given by its covering edges, general to specific.
//!
//! Every down-set is kept as a few intervals over the preorder of a spanning
//! forest (Agrawal, Borgida and Jagadish, 1989): a tree needs one interval per
//! node, and each further parent adds at most a few. `a ⊑ b` is then a binary
//! search, and a down-set is read without a walk.

use roaring::RoaringBitmap;
use std::collections::VecDeque;

/// A cycle that keeps a graph from being an order: each node is an upper
/// neighbour of the next, and the last of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle(pub Vec<u32>);

/// Adjacency lists in one array.
#[derive(Clone, Debug, Default)]
struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    fn new(nodes: usize, mut pairs: Vec<(u32, u32)>) -> Self {
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
    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        if node + 1 >= self.offsets.len() {
            return &[];
        }
        &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}

/// A finite partial order on the nodes `0..len`, from general to specific.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    parents: Adjacency,
    children: Adjacency,
    /// Preorder number of each node.
    rank: Vec<u32>,
    /// Node of each preorder number.
    node: Vec<u32>,
    /// Where the intervals of a node start in `intervals`.
    offsets: Vec<u32>,
    /// Disjoint, ascending, closed intervals of preorder numbers: the down-sets.
    intervals: Vec<(u32, u32)>,
}

impl Dag {
    /// The order on `nodes` nodes with the edges `(upper, lower)`, in any order
    /// and with repetitions.
    ///
    /// # Errors
    /// A [`Cycle`] if the edges have one (the one through the smallest node that
    /// lies on a cycle). Edges to nodes outside `0..nodes` are left out.
    pub fn new(nodes: u32, edges: &[(u32, u32)]) -> Result<Dag, Cycle> {
        let count = nodes as usize;
        let edges: Vec<(u32, u32)> = edges
            .iter()
            .copied()
            .filter(|&(a, b)| a < nodes && b < nodes)
            .collect();
        let children = Adjacency::new(count, edges.clone());
        let parents = Adjacency::new(count, edges.into_iter().map(|(a, b)| (b, a)).collect());
        let topological = topological(count, &parents, &children)?;
        let (rank, node) = preorder(count, &parents, &children);
        let (offsets, intervals) = down_intervals(count, &children, &rank, &topological);
        Ok(Dag {
            parents,
            children,
            rank,
            node,
            offsets,
            intervals,
        })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.rank.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.rank.is_empty()
    }

    /// The upper neighbours of a node, ascending.
    pub fn parents(&self, node: u32) -> &[u32] {
        self.parents.of(node)
    }

    /// The lower neighbours of a node, ascending.
    pub fn children(&self, node: u32) -> &[u32] {
        self.children.of(node)
    }

    fn intervals_of(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        if node >= self.rank.len() {
            return &[];
        }
        &self.intervals[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    /// Whether `a ⊑ b`: `a` is `b` or below it.
    pub fn le(&self, a: u32, b: u32) -> bool {
        let Some(&rank) = self.rank.get(a as usize) else {
            return false;
        };
        let intervals = self.intervals_of(b);
        let after = intervals.partition_point(|&(low, _)| low <= rank);
        after > 0 && intervals[after - 1].1 >= rank
    }

    /// The down-set of `b`: every `a ⊑ b`, `b` included.
    pub fn down(&self, b: u32) -> RoaringBitmap {
        let mut set = RoaringBitmap::new();
        for &(low, high) in self.intervals_of(b) {
            for &node in &self.node[low as usize..=high as usize] {
                set.insert(node);
            }
        }
        set
    }

    /// The up-set of `a`: every `b ⊒ a`, `a` included.
    pub fn up(&self, a: u32) -> RoaringBitmap {
        let mut set = RoaringBitmap::new();
        if (a as usize) >= self.len() {
            return set;
        }
        let mut stack = vec![a];
        set.insert(a);
        while let Some(node) = stack.pop() {
            for &parent in self.parents(node) {
                if set.insert(parent) {
                    stack.push(parent);
                }
            }
        }
        set
    }

    /// The nodes below every one of `of`; all nodes if `of` is empty.
    pub fn common_lower(&self, of: &[u32]) -> RoaringBitmap {
        let mut sets = of.iter().map(|&node| self.down(node));
        let Some(mut common) = sets.next() else {
            return (0..self.len() as u32).collect();
        };
        for set in sets {
            common &= set;
        }
        common
    }

    /// The nodes above every one of `of`; all nodes if `of` is empty.
    pub fn common_upper(&self, of: &[u32]) -> RoaringBitmap {
        let mut sets = of.iter().map(|&node| self.up(node));
        let Some(mut common) = sets.next() else {
            return (0..self.len() as u32).collect();
        };
        for set in sets {
            common &= set;
        }
        common
    }

    /// Whether some node lies below every one of `of`.
    pub fn compatible(&self, of: &[u32]) -> bool {
        match of {
            [] => !self.is_empty(),
            [only] => (*only as usize) < self.len(),
            [a, b] => {
                self.le(*a, *b)
                    || self.le(*b, *a)
                    || intervals_meet(self.intervals_of(*a), self.intervals_of(*b))
            }
            _ => !self.common_lower(of).is_empty(),
        }
    }

    /// The maximal elements of a set, ascending: for the common lower bounds of
    /// two nodes, the members that name their Dedekind–MacNeille cut.
    pub fn maximal(&self, set: &RoaringBitmap) -> Vec<u32> {
        // In a down-set an element is maximal where no parent is inside; in any
        // other set an ancestor may be inside though no parent is.
        set.iter()
            .filter(|&a| {
                let mut above = self.up(a);
                above.remove(a);
                above.is_disjoint(set)
            })
            .collect()
    }

    /// The minimal elements of a set, ascending.
    pub fn minimal(&self, set: &RoaringBitmap) -> Vec<u32> {
        set.iter()
            .filter(|&a| {
                let mut below = self.down(a);
                below.remove(a);
                below.is_disjoint(set)
            })
            .collect()
    }

    /// A shortest chain of edges from `a` up to `b`, both included; the least
    /// such chain in the order of node numbers. `None` unless `a ⊑ b`.
    pub fn path_up(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        if !self.le(a, b) {
            return None;
        }
        // Distances down from b, so that the walk up from a can take the least
        // parent that is one step nearer.
        let mut distance = std::collections::HashMap::from([(b, 0u32)]);
        let mut queue = VecDeque::from([b]);
        while let Some(node) = queue.pop_front() {
            if node == a {
                break;
            }
            let next = distance.get(&node).copied().unwrap_or(0) + 1;
            for &child in self.children(node) {
                if self.le(a, child) && !distance.contains_key(&child) {
                    distance.insert(child, next);
                    queue.push_back(child);
                }
            }
        }
        let mut path = vec![a];
        let mut node = a;
        while node != b {
            let here = distance.get(&node).copied()?;
            node = self
                .parents(node)
                .iter()
                .copied()
                .find(|parent| distance.get(parent).is_some_and(|&d| d + 1 == here))?;
            path.push(node);
        }
        Some(path)
    }
}

/// Whether two ascending lists of closed intervals share a point.
fn intervals_meet(mut a: &[(u32, u32)], mut b: &[(u32, u32)]) -> bool {
    while let (Some(&(low_a, high_a)), Some(&(low_b, high_b))) = (a.first(), b.first()) {
        if high_a < low_b {
            a = &a[1..];
        } else if high_b < low_a {
            b = &b[1..];
        } else {
            return true;
        }
    }
    false
}

/// Upper before lower, or a cycle.
fn topological(count: usize, parents: &Adjacency, children: &Adjacency) -> Result<Vec<u32>, Cycle> {
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

/// Preorder of the spanning forest that gives each node its first parent.
fn preorder(count: usize, parents: &Adjacency, children: &Adjacency) -> (Vec<u32>, Vec<u32>) {
    let mut rank = vec![0u32; count];
    let mut node_at = Vec::with_capacity(count);
    let mut stack: Vec<u32> = (0..count as u32)
        .rev()
        .filter(|&node| parents.of(node).is_empty())
        .collect();
    while let Some(node) = stack.pop() {
        rank[node as usize] = node_at.len() as u32;
        node_at.push(node);
        for &child in children.of(node).iter().rev() {
            if parents.of(child).first() == Some(&node) {
                stack.push(child);
            }
        }
    }
    (rank, node_at)
}

/// The down-set of each node as disjoint intervals, lower nodes first.
fn down_intervals(
    count: usize,
    children: &Adjacency,
    rank: &[u32],
    topological: &[u32],
) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    for &node in topological.iter().rev() {
        let mut all = vec![(rank[node as usize], rank[node as usize])];
        for &child in children.of(node) {
            all.extend_from_slice(&of[child as usize]);
        }
        all.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(all.len().min(4));
        for (low, high) in all {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        of[node as usize] = merged;
    }
    let mut offsets = Vec::with_capacity(count + 1);
    let mut intervals = Vec::new();
    offsets.push(0);
    for list in of {
        intervals.extend(list);
        offsets.push(intervals.len() as u32);
    }
    (offsets, intervals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random DAGs: every edge goes from a smaller to a larger number, then the
    /// numbers are shuffled.
    fn dags() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
        (2u32..14).prop_flat_map(|n| {
            (
                Just(n),
                prop::collection::vec((0..n, 0..n), 0..30),
                Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
            )
                .prop_map(|(n, pairs, names)| {
                    let edges = pairs
                        .into_iter()
                        .filter(|(a, b)| a != b)
                        .map(|(a, b)| (names[a.min(b) as usize], names[a.max(b) as usize]))
                        .collect();
                    (n, edges)
                })
        })
    }

    fn reachable(n: u32, edges: &[(u32, u32)]) -> Vec<Vec<bool>> {
        let n = n as usize;
        let mut below = vec![vec![false; n]; n];
        for (k, row) in below.iter_mut().enumerate() {
            row[k] = true;
        }
        for &(a, b) in edges {
            below[b as usize][a as usize] = true;
        }
        for k in 0..n {
            for a in 0..n {
                for b in 0..n {
                    if below[a][k] && below[k][b] {
                        below[a][b] = true;
                    }
                }
            }
        }
        below
    }

    proptest! {
        #[test]
        fn agrees_with_the_closure((n, edges) in dags()) {
            let dag = Dag::new(n, &edges).unwrap();
            let below = reachable(n, &edges);
            for a in 0..n {
                for b in 0..n {
                    prop_assert_eq!(dag.le(a, b), below[a as usize][b as usize]);
                    prop_assert_eq!(dag.down(b).contains(a), below[a as usize][b as usize]);
                    prop_assert_eq!(dag.up(a).contains(b), below[a as usize][b as usize]);
                    let shared = (0..n).any(|c| below[c as usize][a as usize] && below[c as usize][b as usize]);
                    prop_assert_eq!(dag.compatible(&[a, b]), shared);
                    match dag.path_up(a, b) {
                        Some(path) => {
                            prop_assert_eq!((path[0], path[path.len() - 1]), (a, b));
                            for pair in path.windows(2) {
                                prop_assert!(edges.contains(&(pair[1], pair[0])));
                            }
                        }
                        None => prop_assert!(!below[a as usize][b as usize]),
                    }
                }
            }
        }

        #[test]
        fn extremal_elements_are_extremal((n, edges) in dags(), picks in prop::collection::vec(0u32..14, 0..8)) {
            let dag = Dag::new(n, &edges).unwrap();
            let set: RoaringBitmap = picks.into_iter().filter(|&x| x < n).collect();
            let naive: Vec<u32> = set.iter().filter(|&a| !set.iter().any(|b| b != a && dag.le(a, b))).collect();
            prop_assert_eq!(dag.maximal(&set), naive);
            let naive: Vec<u32> = set.iter().filter(|&a| !set.iter().any(|b| b != a && dag.le(b, a))).collect();
            prop_assert_eq!(dag.minimal(&set), naive);
        }
    }

    #[test]
    fn a_cycle_is_named_whole() {
        assert_eq!(
            Dag::new(4, &[(0, 1), (1, 2), (2, 3), (3, 1)]).unwrap_err(),
            Cycle(vec![1, 2, 3])
        );
        assert_eq!(Dag::new(1, &[(0, 0)]).unwrap_err(), Cycle(vec![0]));
    }
}
