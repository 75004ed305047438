//! Where a graph is no order: its strongly connected components and closed paths
//! that show every edge within them.

use super::adjacency::Adjacency;

/// The strongly connected components of a graph: two nodes are in one component
/// if each can be reached from the other.
///
/// Components are numbered by their smallest node, ascending; so the numbers, like
/// the members, do not depend on the order of the edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    of: Vec<u32>,
    offsets: Vec<u32>,
    members: Vec<u32>,
}

impl Components {
    /// The number of components.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no component, that is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The component of a node, if the node is there.
    pub fn of(&self, node: u32) -> Option<u32> {
        self.of.get(node as usize).copied()
    }

    /// Whether both nodes are there and in one component.
    pub fn together(&self, a: u32, b: u32) -> bool {
        self.of(a)
            .is_some_and(|component| self.of(b) == Some(component))
    }

    /// The members of a component, ascending; none for one that is not there.
    pub fn members(&self, component: u32) -> &[u32] {
        let component = component as usize;
        match (self.offsets.get(component), self.offsets.get(component + 1)) {
            (Some(&start), Some(&end)) => &self.members[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The components with more than one member, in their order. (A single node
    /// with an edge to itself is a cycle too, and no component of this kind.)
    pub fn merged(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len() as u32)
            .map(|component| self.members(component))
            .filter(|members| members.len() > 1)
    }
}

const UNSEEN: u32 = u32::MAX;

/// The strongly connected components of the graph on `0..nodes` with the edges
/// `(from, to)`; edges to nodes outside are left out.
///
/// Tarjan's algorithm (1972) with a stack of its own in place of recursion: linear
/// in time and space, at any depth.
pub fn components(nodes: u32, edges: &[(u32, u32)]) -> Components {
    let next = inside(nodes, edges);
    let count = nodes as usize;
    let mut number = vec![UNSEEN; count];
    let mut low = vec![UNSEEN; count];
    let mut root = vec![UNSEEN; count];
    let mut open: Vec<u32> = Vec::new();
    // A node that is being visited, and how many of its edges are done.
    let mut walk: Vec<(u32, u32)> = Vec::new();
    let mut numbered = 0;
    for start in 0..nodes {
        if number[start as usize] != UNSEEN {
            continue;
        }
        walk.push((start, 0));
        while let Some((node, done)) = walk.pop() {
            let here = node as usize;
            if done == 0 {
                number[here] = numbered;
                low[here] = numbered;
                numbered += 1;
                open.push(node);
            }
            let mut done = done as usize;
            let mut deeper = None;
            while let Some(&to) = next.of(node).get(done) {
                done += 1;
                if number[to as usize] == UNSEEN {
                    deeper = Some(to);
                    break;
                }
                if root[to as usize] == UNSEEN {
                    low[here] = low[here].min(number[to as usize]);
                }
            }
            if let Some(to) = deeper {
                walk.push((node, done as u32));
                walk.push((to, 0));
                continue;
            }
            if low[here] == number[here] {
                while let Some(member) = open.pop() {
                    root[member as usize] = node;
                    if member == node {
                        break;
                    }
                }
            }
            if let Some(&(above, _)) = walk.last() {
                low[above as usize] = low[above as usize].min(low[here]);
            }
        }
    }
    numbered_by_least(root)
}

/// Components from a representative of each node.
fn numbered_by_least(root: Vec<u32>) -> Components {
    let mut number = vec![UNSEEN; root.len()];
    let mut of = Vec::with_capacity(root.len());
    let mut sizes: Vec<u32> = Vec::new();
    for &representative in &root {
        let component = &mut number[representative as usize];
        if *component == UNSEEN {
            *component = sizes.len() as u32;
            sizes.push(0);
        }
        sizes[*component as usize] += 1;
        of.push(*component);
    }
    let mut offsets = Vec::with_capacity(sizes.len() + 1);
    let mut total = 0;
    offsets.push(0);
    for size in sizes {
        total += size;
        offsets.push(total);
    }
    let mut free = offsets.clone();
    let mut members = vec![0; of.len()];
    for (node, &component) in of.iter().enumerate() {
        let at = &mut free[component as usize];
        members[*at as usize] = node as u32;
        *at += 1;
    }
    Components {
        of,
        offsets,
        members,
    }
}

fn inside(nodes: u32, edges: &[(u32, u32)]) -> Adjacency {
    let pairs = edges
        .iter()
        .copied()
        .filter(|&(a, b)| a < nodes && b < nodes)
        .collect();
    Adjacency::new(nodes as usize, pairs)
}

/// How much [`cycles`] may do: it stops listing at the first edge past a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleLimits {
    /// Nodes over all listed paths. The first path is listed whatever its length,
    /// so that a single cycle of any length is shown.
    pub nodes: usize,
    /// Edges looked at in the search for paths, beyond the first.
    pub steps: u64,
}

impl Default for CycleLimits {
    /// A million nodes listed, forty million edges looked at: a second or two.
    fn default() -> Self {
        CycleLimits {
            nodes: 1_000_000,
            steps: 40_000_000,
        }
    }
}

/// Closed paths that show the edges within components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// Simple closed paths, each from its smallest node: every node has an edge to
    /// the next, and the last to the first. Ordered by the edge each was listed for.
    pub paths: Vec<Vec<u32>>,
    /// The edges within components that lie on no listed path because a limit was
    /// reached; empty if none was.
    pub left: Vec<(u32, u32)>,
}

impl Cycles {
    /// The nodes of components that lie on no listed path because a limit was reached,
    /// ascending.
    pub fn left_nodes(&self) -> Vec<u32> {
        let mut listed: Vec<u32> = self.paths.iter().flatten().copied().collect();
        listed.sort_unstable();
        let ends = self.left.iter().flat_map(|&(a, b)| [a, b]);
        let mut nodes: Vec<u32> = ends
            .filter(|node| listed.binary_search(node).is_err())
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

/// Closed paths such that every edge within a strongly connected component lies on at
/// least one: for each edge that no earlier path shows, smallest first, the shortest
/// cycle through it, and among the shortest the one with the smallest nodes.
///
/// At most one path for an edge, so never the exponentially many cycles that a
/// component may have; still *m* edges can need *m* paths as long as the component,
/// hence the [`CycleLimits`]. Edges outside `0..nodes` are left out.
pub fn cycles(nodes: u32, edges: &[(u32, u32)], limits: CycleLimits) -> Cycles {
    let within = within(edges, &components(nodes, edges));
    let mut search = Search::new(nodes, &within);
    let mut shown = vec![false; within.len()];
    let mut found = Cycles::default();
    let mut listed = 0;
    for k in 0..within.len() {
        if shown[k] {
            continue;
        }
        let (a, b) = within[k];
        let more = found.paths.is_empty() || search.steps < limits.steps;
        let path = if more { search.shortest(b, a) } else { None };
        let path =
            path.filter(|path| found.paths.is_empty() || listed + path.len() <= limits.nodes);
        let Some(path) = path else {
            found.left = (k..within.len())
                .filter(|&k| !shown[k])
                .map(|k| within[k])
                .collect();
            break;
        };
        for (k, &from) in path.iter().enumerate() {
            let to = path[(k + 1) % path.len()];
            if let Ok(at) = within.binary_search(&(from, to)) {
                shown[at] = true;
            }
        }
        listed += path.len();
        found.paths.push(from_least(path));
    }
    found
}

/// One closed path for each strongly connected component that has an edge within it: the
/// shortest cycle through the smallest such edge, as [`cycles`] lists it. Ordered by these
/// edges. Linear in time and space, so without limits.
pub fn cycle_of_each(nodes: u32, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let components = components(nodes, edges);
    let within = within(edges, &components);
    let mut search = Search::new(nodes, &within);
    let mut told = vec![false; components.len()];
    let mut paths = Vec::new();
    for &(a, b) in &within {
        let Some(component) = components.of(a) else {
            continue;
        };
        if std::mem::replace(&mut told[component as usize], true) {
            continue;
        }
        paths.extend(search.shortest(b, a).map(from_least));
    }
    paths
}

/// The edges within components, ascending and without repetitions.
fn within(edges: &[(u32, u32)], components: &Components) -> Vec<(u32, u32)> {
    let mut within: Vec<(u32, u32)> = edges
        .iter()
        .copied()
        .filter(|&(a, b)| components.together(a, b))
        .collect();
    within.sort_unstable();
    within.dedup();
    within
}

/// A closed path turned so that it starts at its smallest node.
fn from_least(mut path: Vec<u32>) -> Vec<u32> {
    let least = (0..path.len()).min_by_key(|&k| path[k]).unwrap_or(0);
    path.rotate_left(least);
    path
}

/// Breadth-first searches that share their tables.
struct Search {
    next: Adjacency,
    round: u32,
    /// The last round in which a node was seen.
    seen: Vec<u32>,
    from: Vec<u32>,
    queue: Vec<u32>,
    steps: u64,
}

impl Search {
    fn new(nodes: u32, edges: &[(u32, u32)]) -> Search {
        Search {
            next: Adjacency::new(nodes as usize, edges.to_vec()),
            round: 0,
            seen: vec![0; nodes as usize],
            from: vec![0; nodes as usize],
            queue: Vec::new(),
            steps: 0,
        }
    }

    /// The shortest path from one node to another, both included; the least of the
    /// shortest, because the queue keeps the nodes of one distance in the order of
    /// their least paths.
    fn shortest(&mut self, start: u32, goal: u32) -> Option<Vec<u32>> {
        self.round += 1;
        self.queue.clear();
        self.queue.push(start);
        self.seen[start as usize] = self.round;
        let mut head = 0;
        while self.seen[goal as usize] != self.round {
            let node = *self.queue.get(head)?;
            head += 1;
            for &to in self.next.of(node) {
                self.steps += 1;
                if self.seen[to as usize] != self.round {
                    self.seen[to as usize] = self.round;
                    self.from[to as usize] = node;
                    self.queue.push(to);
                }
            }
        }
        let mut path = vec![goal];
        let mut node = goal;
        while node != start {
            node = self.from[node as usize];
            path.push(node);
        }
        path.reverse();
        Some(path)
    }
}
