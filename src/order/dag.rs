//! A finite partial order given by its covering edges, general to specific.
//!
//! Every down-set is kept as a few intervals over the preorder of a spanning
//! forest (Agrawal, Borgida and Jagadish, 1989): a tree needs one interval per
//! node, and each further parent adds at most a few. `a ⊑ b` is then a binary
//! search, and a down-set is read without a walk.
//!
//! The space is linear in nodes and edges whatever the order. Where the lists of
//! intervals would outgrow that (a wide order in which nearly everything has several unrelated
//! parents), the lists of the upper nodes are made shorter by closing gaps. Such a
//! list still refuses at once; where it does not refuse, a walk decides.

use super::adjacency::Adjacency;
use super::ranges::{self, Range};
use super::spanning::{self, Budget, Forest, Intervals};
use roaring::RoaringBitmap;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// A cycle that keeps a graph from being an order: each node is an upper
/// neighbour of the next, and the last of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle(pub Vec<u32>);

/// A finite partial order on the nodes `0..len`, from general to specific.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    parents: Adjacency,
    children: Adjacency,
    forest: Forest,
    /// Position of each node in an order that puts upper before lower.
    place: Vec<u32>,
    intervals: Intervals,
}

/// See [`Dag::down_test`].
#[derive(Clone, Copy, Debug)]
pub struct DownTest<'d> {
    ranks: &'d [u32],
    ranges: &'d [Range],
}

impl DownTest<'_> {
    /// Whether a node lies there.
    #[inline]
    pub fn contains(&self, node: u32) -> bool {
        let Some(&rank) = self.ranks.get(node as usize) else {
            return false;
        };
        match self.ranges {
            [(low, high)] => (*low..=*high).contains(&rank),
            several => ranges::contains(several, rank),
        }
    }
}

impl Dag {
    /// The order on `nodes` nodes with the edges `(upper, lower)`, in any order
    /// and with repetitions.
    ///
    /// # Errors
    /// A [`Cycle`] if the edges have one (the one through the smallest node that
    /// lies on a cycle). Edges to nodes outside `0..nodes` are left out.
    pub fn new(nodes: u32, edges: &[(u32, u32)]) -> Result<Dag, Cycle> {
        Dag::within(nodes, edges, Budget::of(nodes as usize))
    }

    fn within(nodes: u32, edges: &[(u32, u32)], budget: Budget) -> Result<Dag, Cycle> {
        let count = nodes as usize;
        let edges: Vec<(u32, u32)> = edges
            .iter()
            .copied()
            .filter(|&(a, b)| a < nodes && b < nodes)
            .collect();
        let parents = Adjacency::new(count, edges.iter().map(|&(a, b)| (b, a)).collect());
        let children = Adjacency::new(count, edges);
        let topological = spanning::topological(count, &parents, &children)?;
        let forest = Forest::new(&parents, &topological);
        let intervals = Intervals::new(&children, &forest, &topological, budget);
        let mut place = vec![0; count];
        for (position, &node) in topological.iter().enumerate() {
            place[node as usize] = position as u32;
        }
        Ok(Dag {
            parents,
            children,
            forest,
            place,
            intervals,
        })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// The upper neighbours of a node, ascending.
    pub fn parents(&self, node: u32) -> &[u32] {
        self.parents.of(node)
    }

    /// The lower neighbours of a node, ascending.
    pub fn children(&self, node: u32) -> &[u32] {
        self.children.of(node)
    }

    /// How many intervals the order keeps, and for how many nodes they are coarse:
    /// what it costs beside its edges (8 bytes an interval).
    pub fn intervals(&self) -> (usize, u64) {
        self.intervals.size()
    }

    /// The nodes, lower before upper.
    pub fn lower_first(&self) -> Vec<u32> {
        let mut order = self.topological();
        order.reverse();
        order
    }

    /// The nodes, upper before lower.
    pub(super) fn topological(&self) -> Vec<u32> {
        let mut order = vec![0; self.len()];
        for (node, &position) in self.place.iter().enumerate() {
            order[position as usize] = node as u32;
        }
        order
    }

    /// Where a node comes among all, upper before lower; the last for a node
    /// that is not there.
    pub(super) fn place(&self, node: u32) -> u32 {
        self.place.get(node as usize).copied().unwrap_or(u32::MAX)
    }

    /// The preorder number of a node that is there.
    pub(super) fn rank(&self, node: u32) -> Option<u32> {
        self.forest.rank.get(node as usize).copied()
    }

    /// The node of a preorder number.
    pub(super) fn node_at(&self, rank: u32) -> Option<u32> {
        self.forest.node.get(rank as usize).copied()
    }

    /// The ranks of the down-set of a node, exactly.
    pub(super) fn below(&self, b: u32) -> Cow<'_, [Range]> {
        if self.intervals.exact(b) {
            return Cow::Borrowed(self.intervals.of(b));
        }
        let mut found: Vec<Range> = Vec::new();
        let mut compact = 1 << 16;
        let mut seen = RoaringBitmap::from_iter([b]);
        let mut stack = vec![b];
        while let Some(node) = stack.pop() {
            found.extend(self.subtree(node));
            for &child in self.children(node) {
                if self.intervals.exact(child) {
                    found.extend_from_slice(self.intervals.of(child));
                } else if seen.insert(child) {
                    stack.push(child);
                }
            }
            // The same pieces come from many sides: keep one of each.
            if found.len() > compact {
                ranges::normalise(&mut found);
                compact = (found.len() * 2).max(1 << 16);
            }
        }
        ranges::normalise(&mut found);
        Cow::Owned(found)
    }

    /// How many steps [`Dag::below`] takes at most, roughly.
    pub(super) fn cost(&self, b: u32) -> u64 {
        match self.intervals.exact(b) {
            true => self.intervals.of(b).len() as u64,
            false => self.len() as u64,
        }
    }

    /// The ranks of the subtree of a node in the spanning forest.
    pub(super) fn subtree(&self, node: u32) -> Option<Range> {
        let node = node as usize;
        Some((*self.forest.rank.get(node)?, *self.forest.last.get(node)?))
    }

    /// The nodes of a set of ranks.
    pub(super) fn nodes_of(&self, ranks: &[Range]) -> RoaringBitmap {
        let mut nodes: Vec<u32> = Vec::with_capacity(ranges::count(ranks) as usize);
        for &(low, high) in ranks {
            if let Some(slice) = self.forest.node.get(low as usize..=high as usize) {
                nodes.extend_from_slice(slice);
            }
        }
        nodes.sort_unstable();
        nodes.into_iter().collect()
    }

    /// Whether `a ⊑ b`: `a` is `b` or below it.
    pub fn le(&self, a: u32, b: u32) -> bool {
        let Some(rank) = self.rank(a) else {
            return false;
        };
        if !ranges::contains(self.intervals.of(b), rank) {
            return false;
        }
        self.intervals.exact(b) || self.climbs(a, b)
    }

    /// What tells of one node after the other whether it is `b` or below it; none where
    /// only a walk tells.
    pub fn down_test(&self, b: u32) -> Option<DownTest<'_>> {
        self.intervals.exact(b).then(|| DownTest {
            ranks: &self.forest.rank,
            ranges: self.intervals.of(b),
        })
    }

    /// Whether a way up from `a` reaches `b`, whose list of intervals is coarse.
    fn climbs(&self, a: u32, b: u32) -> bool {
        let Some((low, high)) = self.subtree(b) else {
            return false;
        };
        let mut seen = HashSet::from([a]);
        let mut stack = vec![a];
        while let Some(node) = stack.pop() {
            let rank = self.forest.rank[node as usize];
            if (low..=high).contains(&rank) {
                return true;
            }
            for &parent in self.parents(node) {
                if self.place(parent) >= self.place(b)
                    && ranges::contains(self.intervals.of(b), self.forest.rank[parent as usize])
                    && seen.insert(parent)
                {
                    stack.push(parent);
                }
            }
        }
        false
    }

    /// The down-set of `b`: every `a ⊑ b`, `b` included.
    pub fn down(&self, b: u32) -> RoaringBitmap {
        self.nodes_of(&self.below(b))
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

    /// The ranks of the nodes below every one of `of`; all ranks if `of` is empty.
    pub(super) fn common_below(&self, of: &[u32]) -> Vec<Range> {
        let Some((first, rest)) = of.split_first() else {
            return match self.len() {
                0 => Vec::new(),
                count => vec![(0, count as u32 - 1)],
            };
        };
        let mut common = self.below(*first).into_owned();
        for &node in rest {
            if common.is_empty() {
                break;
            }
            common = ranges::intersection(&common, &self.below(node));
        }
        common
    }

    /// The nodes below every one of `of`; all nodes if `of` is empty.
    pub fn common_lower(&self, of: &[u32]) -> RoaringBitmap {
        self.nodes_of(&self.common_below(of))
    }

    /// The nodes above every one of `of`; all nodes if `of` is empty.
    pub fn common_upper(&self, of: &[u32]) -> RoaringBitmap {
        let Some((first, rest)) = of.split_first() else {
            return (0..self.len() as u32).collect();
        };
        let mut common = self.up(*first);
        for &node in rest {
            if common.is_empty() {
                break;
            }
            common &= self.up(node);
        }
        common
    }

    /// Whether some node lies below every one of `of`.
    pub fn compatible(&self, of: &[u32]) -> bool {
        match of {
            [] => !self.is_empty(),
            [only] => (*only as usize) < self.len(),
            [a, b] => {
                ranges::meet(self.intervals.of(*a), self.intervals.of(*b))
                    && (self.intervals.exact(*a) && self.intervals.exact(*b)
                        || ranges::meet(&self.below(*a), &self.below(*b)))
            }
            _ => !self.common_below(of).is_empty(),
        }
    }

    /// The maximal elements of a set, ascending: for the common lower bounds of
    /// two nodes, the members that name their Dedekind–MacNeille cut.
    ///
    /// Upper ones are met first, and each strikes out what lies below it among the
    /// ranks of the set: *k* log *k* steps for *k* elements, and one search for
    /// each interval of a maximal element.
    pub fn maximal(&self, set: &RoaringBitmap) -> Vec<u32> {
        let ranks = self.ranks_of(set);
        let mut upper_first: Vec<(u32, u32, u32)> = set
            .iter()
            .filter_map(|node| Some((self.place(node), self.rank(node)?, node)))
            .collect();
        upper_first.sort_unstable();
        // The next rank at or after each that is not struck out.
        let mut alive: Vec<u32> = (0..=ranks.len() as u32).collect();
        let mut maximal = Vec::new();
        for (_, rank, node) in upper_first {
            let at = ranks.partition_point(|&other| other < rank) as u32;
            if next_alive(&mut alive, at) != at {
                continue;
            }
            maximal.push(node);
            for &(low, high) in self.below(node).iter() {
                let mut at = ranks.partition_point(|&other| other < low) as u32;
                loop {
                    at = next_alive(&mut alive, at);
                    match ranks.get(at as usize) {
                        Some(&other) if other <= high => alive[at as usize] = at + 1,
                        _ => break,
                    }
                }
            }
        }
        maximal.sort_unstable();
        maximal
    }

    /// The minimal elements of a set, ascending: those with nothing else of the
    /// set in their intervals.
    pub fn minimal(&self, set: &RoaringBitmap) -> Vec<u32> {
        let ranks = self.ranks_of(set);
        set.iter()
            .filter(|&node| {
                let mut inside = 0;
                for &(low, high) in self.below(node).iter() {
                    inside += ranks.partition_point(|&other| other <= high)
                        - ranks.partition_point(|&other| other < low);
                    if inside > 1 {
                        return false;
                    }
                }
                inside == 1
            })
            .collect()
    }

    /// The ranks of a set of nodes, ascending.
    fn ranks_of(&self, set: &RoaringBitmap) -> Vec<u32> {
        let mut ranks: Vec<u32> = set.iter().filter_map(|node| self.rank(node)).collect();
        ranks.sort_unstable();
        ranks
    }

    /// A shortest chain of edges from `a` up to `b`, both included; the least
    /// such chain in the order of node numbers. `None` unless `a ⊑ b`.
    pub fn path_up(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        if !self.le(a, b) {
            return None;
        }
        // Distances down from b, so that the walk up from a can take the least
        // parent that is one step nearer.
        let mut distance = HashMap::from([(b, 0u32)]);
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

/// The first position at or after `at` that is not struck out; halves the way of the next search.
fn next_alive(alive: &mut [u32], mut at: u32) -> u32 {
    while let Some(&next) = alive.get(at as usize) {
        if next == at {
            break;
        }
        let over = alive.get(next as usize).copied().unwrap_or(next);
        alive[at as usize] = over;
        at = over;
    }
    at
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
            let below = reachable(n, &edges);
            // With room for every interval, and with hardly any.
            for budget in [Budget::of(n as usize), Budget { whole: 0, coarse: 1 }, Budget { whole: 12, coarse: 2 }] {
            let dag = Dag::within(n, &edges, budget).unwrap();
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
        }

        #[test]
        fn extremal_elements_are_extremal((n, edges) in dags(), picks in prop::collection::vec(0u32..14, 0..8)) {
            let dag = Dag::within(n, &edges, Budget { whole: 12, coarse: 1 }).unwrap();
            let set: RoaringBitmap = picks.into_iter().filter(|&x| x < n).collect();
            let naive: Vec<u32> = set.iter().filter(|&a| !set.iter().any(|b| b != a && dag.le(a, b))).collect();
            prop_assert_eq!(dag.maximal(&set), naive);
            let naive: Vec<u32> = set.iter().filter(|&a| !set.iter().any(|b| b != a && dag.le(b, a))).collect();
            prop_assert_eq!(dag.minimal(&set), naive);
        }
    }

    #[test]
    fn a_wide_order_of_many_parents_stays_within_its_budget() {
        let (n, mut state) = (4_000u32, 88_172_645_463_325_252u64);
        let mut below = |limit: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % u64::from(limit)) as u32
        };
        let edges: Vec<(u32, u32)> = (1..n).flat_map(|k| [k; 3]).map(|k| (below(k), k)).collect();
        let budget = Budget {
            whole: 20_000,
            coarse: 4,
        };
        let dag = Dag::within(n, &edges, budget).unwrap();
        let (intervals, coarse) = dag.intervals();
        assert!(coarse > 0 && intervals <= 20_000 + 4 * n as usize);
        let down = dag.down(5);
        for a in 0..n {
            assert_eq!(dag.le(a, 5), dag.up(a).contains(5));
            assert_eq!(dag.le(a, 5), down.contains(a));
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
