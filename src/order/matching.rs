//! A maximum matching of comparable nodes, with no closure made: the engine of widths.
//!
//! In the bipartite graph of an order every node is twice, once as an upper and once as a lower end,
//! and an upper end is joined to every lower end strictly below it. A matching of size *k*
//! links *n* nodes into *n* − *k* chains, and König's theorem (1931) turns a maximum one into an
//! antichain of *n* − *k* nodes (Dilworth, 1950; Fulkerson, 1956).
//!
//! The graph has as many edges as the order has comparable pairs, so it is never made. Hopcroft
//! and Karp's algorithm (1973) works in rounds: distances from all free upper ends, then
//! disjoint shortest augmenting paths. Both can walk the edges of the DAG itself:
//! * *Distances.* If a lower end has been reached, so has everything below it, at no
//!   greater distance: a walk down from an upper end stops at what was reached before. Each edge is walked at most
//!   twice in a round.
//! * *Paths.* From an upper end at distance *d* the lower ends at *d* + 1 are
//!   sought. Whatever lies between them is at *d* + 1 as well (it is reached from the same end, and had it been
//!   nearer, so would be what lies below it). So a walk stays among the nodes of one
//!   distance. It tries all untried neighbours before it walks through tried ones, drops an
//!   edge for good when nothing untried is left behind it, and when one edge
//!   is left to a node, links the node to what is behind that edge (union by links, with halved ways): a long
//!   chain of tried nodes is not walked again for every path.
//!
//! Nodes may also be only ways between others ("gaps"): they are walked through and never matched. So the
//! comparabilities of a set of nodes need no edges of their own either. Space is
//! linear in nodes.

/// A DAG whose edges lead down.
pub(super) trait Downward {
    /// The number of nodes, gaps included.
    fn len(&self) -> usize;
    /// The k-th node in an order that puts lower before upper.
    fn lower_first(&self, k: usize) -> u32;
    /// Whether a node is to be matched, and no gap.
    fn member(&self, node: u32) -> bool;
    /// The k-th lower neighbour of a node.
    fn child(&self, node: u32, k: u32) -> Option<u32>;
}

pub(super) const FREE: u32 = u32::MAX;
const UNREACHED: u32 = u32::MAX;

/// A maximum matching.
pub(super) struct Matching<'a, G: Downward> {
    graph: &'a G,
    /// The lower end matched to each upper end.
    pub(super) below: Vec<u32>,
    /// The upper end matched to each lower end.
    pub(super) above: Vec<u32>,
    /// The distance at which each lower end was reached in this round.
    reached: Vec<u32>,
    /// Which lower ends have been tried in this round.
    tried: Vec<bool>,
    /// The next neighbour to try from each node, as an upper end and as a way through.
    untried: [Vec<u32>; 2],
    /// The next neighbour to walk through, once all were tried.
    through: [Vec<u32>; 2],
    /// The neighbour after that which still leads somewhere.
    after: Vec<u32>,
    /// Which of the two comes next.
    turn: Vec<bool>,
    /// The node that stands for a way through with one edge left.
    link: Vec<u32>,
    /// The ways through with nothing untried behind them.
    dead: Vec<bool>,
}

/// A node on a path: as an upper end that looks for a partner, or walked through.
#[derive(Clone, Copy)]
struct Step {
    node: u32,
    role: usize,
    /// The distance of the lower ends that are sought.
    seeks: u32,
}

const UPPER_END: usize = 0;
const THROUGH: usize = 1;

impl<'a, G: Downward> Matching<'a, G> {
    /// `None` if `stop` said so.
    pub(super) fn maximum(graph: &'a G, stop: &mut dyn FnMut() -> bool) -> Option<Self> {
        let count = graph.len();
        let mut matching = Matching {
            graph,
            below: vec![FREE; count],
            above: vec![FREE; count],
            reached: vec![UNREACHED; count],
            tried: vec![false; count],
            untried: [vec![0; count], vec![0; count]],
            through: [vec![0; count], vec![0; count]],
            after: vec![0; count],
            turn: vec![false; count],
            link: vec![FREE; count],
            dead: vec![false; count],
        };
        matching.greedy();
        loop {
            if stop() {
                return None;
            }
            if !matching.distances() {
                return Some(matching);
            }
            matching.augment(stop)?;
        }
    }

    /// How many members there are and how many of them are matched downwards: their
    /// difference is the width.
    pub(super) fn width(&self) -> usize {
        (0..self.graph.len())
            .filter(|&node| self.graph.member(node as u32) && self.below[node] == FREE)
            .count()
    }

    /// A largest antichain, ascending: by König the nodes whose upper end can be
    /// reached from a free one and whose lower end cannot.
    pub(super) fn antichain(&self) -> Vec<u32> {
        (0..self.graph.len() as u32)
            .filter(|&node| {
                let lower = self.below[node as usize];
                self.graph.member(node)
                    && self.reached[node as usize] == UNREACHED
                    && (lower == FREE || self.reached[lower as usize] != UNREACHED)
            })
            .collect()
    }

    /// A start that is maximum in a forest: each node, lower before upper, takes the
    /// first free lower end that one of its lower neighbours offers, those with few parents
    /// before those with many.
    fn greedy(&mut self) {
        let count = self.graph.len();
        let mut parents = vec![0u32; count];
        for node in 0..count as u32 {
            let mut k = 0;
            while let Some(child) = self.graph.child(node, k) {
                parents[child as usize] += 1;
                k += 1;
            }
        }
        let mut offered = vec![FREE; count];
        for k in 0..count {
            let node = self.graph.lower_first(k);
            let mut best: Option<(u32, u32)> = None;
            let mut k = 0;
            while let Some(child) = self.graph.child(node, k) {
                k += 1;
                let offer = offered[child as usize];
                if offer != FREE && self.above[offer as usize] == FREE {
                    let key = (parents[child as usize], offer);
                    best = Some(best.map_or(key, |best| best.min(key)));
                }
            }
            if self.graph.member(node) {
                offered[node as usize] = node;
                if let Some((_, lower)) = best {
                    self.below[node as usize] = lower;
                    self.above[lower as usize] = node;
                }
            } else if let Some((_, lower)) = best {
                offered[node as usize] = lower;
            }
        }
    }

    /// Finds the distance of every lower end up to the nearest free one; whether there is one.
    fn distances(&mut self) -> bool {
        self.reached.fill(UNREACHED);
        let mut layer: Vec<u32> = (0..self.graph.len() as u32)
            .filter(|&node| self.graph.member(node) && self.below[node as usize] == FREE)
            .collect();
        let mut distance = 0;
        let mut stack = Vec::new();
        while !layer.is_empty() {
            distance += 1;
            let mut deeper = Vec::new();
            let mut free = false;
            for upper in layer {
                // What was reached itself has been walked down from already.
                if self.reached[upper as usize] == UNREACHED {
                    stack.push(upper);
                }
                while let Some(node) = stack.pop() {
                    let mut k = 0;
                    while let Some(child) = self.graph.child(node, k) {
                        k += 1;
                        if self.reached[child as usize] != UNREACHED {
                            continue;
                        }
                        self.reached[child as usize] = distance;
                        stack.push(child);
                        if self.graph.member(child) {
                            match self.above[child as usize] {
                                FREE => free = true,
                                upper => deeper.push(upper),
                            }
                        }
                    }
                }
            }
            if free {
                return true;
            }
            layer = deeper;
        }
        false
    }

    /// Augments along disjoint shortest paths until there is none left.
    fn augment(&mut self, stop: &mut dyn FnMut() -> bool) -> Option<()> {
        self.tried.fill(false);
        self.dead.fill(false);
        self.link.fill(FREE);
        self.after.fill(0);
        self.turn.fill(false);
        for next in self.untried.iter_mut().chain(&mut self.through) {
            next.fill(0);
        }
        let mut path: Vec<Step> = Vec::new();
        let mut steps = 0u64;
        for k in 0..self.graph.len() {
            let start = self.graph.lower_first(k);
            if !self.graph.member(start) || self.below[start as usize] != FREE {
                continue;
            }
            path.clear();
            path.push(Step {
                node: start,
                role: UPPER_END,
                seeks: 1,
            });
            while let Some(&top) = path.last() {
                steps += 1;
                if steps.is_multiple_of(1 << 20) && stop() {
                    return None;
                }
                if self.advance(top, &mut path) {
                    self.flip(&path);
                    break;
                }
            }
        }
        Some(())
    }

    /// Takes the next step from the end of a path, or takes the end back; whether the
    /// path now ends in a free lower end.
    fn advance(&mut self, top: Step, path: &mut Vec<Step>) -> bool {
        let at = top.node as usize;
        while let Some(child) = self.graph.child(top.node, self.untried[top.role][at]) {
            self.untried[top.role][at] += 1;
            let lower = child as usize;
            let open = self.reached[lower] == top.seeks && !self.tried[lower];
            if !open || !self.graph.member(child) {
                continue;
            }
            self.tried[lower] = true;
            path.push(Step {
                node: child,
                role: THROUGH,
                seeks: top.seeks,
            });
            let upper = self.above[lower];
            if upper != FREE {
                path.push(Step {
                    node: upper,
                    role: UPPER_END,
                    seeks: top.seeks + 1,
                });
            }
            return upper == FREE;
        }
        match self.open_from(top.node, self.through[top.role][at], top.seeks) {
            None => {
                path.pop();
                if top.role == THROUGH {
                    self.dead[at] = true;
                }
            }
            Some((k, mut onward)) => {
                self.through[top.role][at] = k;
                if top.role == THROUGH {
                    let from = self.after[at].max(k + 1);
                    if let Some((k, other)) = self.open_from(top.node, from, top.seeks) {
                        self.after[at] = k;
                        // By turns, so that the shorter side is soon done with.
                        self.turn[at] = !self.turn[at];
                        if self.turn[at] {
                            onward = other;
                        }
                    } else {
                        self.link[at] = onward;
                        path.pop();
                    }
                }
                path.push(Step {
                    node: onward,
                    role: THROUGH,
                    seeks: top.seeks,
                });
            }
        }
        false
    }

    /// The first neighbour of a node, from the k-th on, with something untried behind it
    /// perhaps, and the node that stands for it.
    fn open_from(&mut self, node: u32, mut k: u32, seeks: u32) -> Option<(u32, u32)> {
        loop {
            let child = self.graph.child(node, k)?;
            if self.reached[child as usize] == seeks {
                let onward = self.stands_for(child);
                if !self.dead[onward as usize] {
                    return Some((k, onward));
                }
            }
            k += 1;
        }
    }

    /// The end of the links from a node.
    fn stands_for(&mut self, mut node: u32) -> u32 {
        loop {
            let next = self.link[node as usize];
            if next == FREE {
                return node;
            }
            let over = self.link[next as usize];
            if over == FREE {
                return next;
            }
            self.link[node as usize] = over;
            node = over;
        }
    }

    /// Matches each upper end on a path to the last node before the next one.
    fn flip(&mut self, path: &[Step]) {
        let mut upper = None;
        for (k, step) in path.iter().enumerate() {
            if step.role == UPPER_END {
                upper = Some(step.node);
            }
            let ends = path.get(k + 1).is_none_or(|next| next.role == UPPER_END);
            if let (Some(upper), true, THROUGH) = (upper, ends, step.role) {
                self.below[upper as usize] = step.node;
                self.above[step.node as usize] = upper;
            }
        }
    }
}
