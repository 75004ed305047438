//! An order given by edges, walked breadth first. Without edges it is flat.

use super::facts::Fact;
use crate::lattice::PredicateId;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// An edge from a lower to an upper value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) confidence: f64,
    pub(super) contested: bool,
    /// The predicate that records it; none if the taxonomy declares it.
    pub(super) predicate: Option<PredicateId>,
}

impl Edge {
    pub(super) fn declared() -> Edge {
        Edge {
            confidence: 1.0,
            contested: false,
            predicate: None,
        }
    }

    pub(super) fn recorded(fact: &Fact, contested: bool) -> Edge {
        Edge {
            confidence: fact.confidence,
            contested,
            predicate: Some(fact.predicate),
        }
    }
}

/// Which edges are walked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edges {
    /// Those that are not contested and count at a confidence.
    Certain(f64),
    /// All that are recorded.
    All,
}

impl Edges {
    fn takes(self, edge: &Edge) -> bool {
        match self {
            Edges::Certain(t) => !edge.contested && edge.confidence >= t,
            Edges::All => true,
        }
    }
}

/// The values of one dimension and the edges between them.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// Whether what has no recorded common lower bound has none.
    pub(super) closed: bool,
    upper: HashMap<u32, Vec<(u32, Edge)>>,
    lower: HashMap<u32, Vec<(u32, Edge)>>,
}

impl Graph {
    pub(super) fn new(closed: bool) -> Graph {
        Graph {
            closed,
            upper: HashMap::new(),
            lower: HashMap::new(),
        }
    }

    /// Adds an edge; edges are added in ascending order.
    pub(super) fn add(&mut self, lower: u32, upper: u32, edge: Edge) {
        self.upper.entry(lower).or_default().push((upper, edge));
        self.lower.entry(upper).or_default().push((lower, edge));
    }

    /// Whether no edge orders anything and none could.
    pub(super) fn is_flat(&self) -> bool {
        self.closed && self.upper.is_empty()
    }

    /// Whether an edge leads into `value` from another value.
    pub(super) fn has_below(&self, value: u32) -> bool {
        let lower = self.lower.get(&value);
        lower.is_some_and(|edges| edges.iter().any(|(from, _)| *from != value))
    }

    /// Everything above one of `from`, those included.
    pub(super) fn up(&self, from: impl IntoIterator<Item = u32>, edges: Edges) -> HashSet<u32> {
        reach(&self.upper, from, edges)
    }

    /// Everything below one of `from`, those included.
    pub(super) fn down(&self, from: impl IntoIterator<Item = u32>, edges: Edges) -> HashSet<u32> {
        reach(&self.lower, from, edges)
    }

    /// Whether `a ⊑ b`.
    pub(super) fn at_or_below(&self, a: u32, b: u32, edges: Edges) -> bool {
        a == b || (self.upper.contains_key(&a) && self.up([a], edges).contains(&b))
    }

    /// The values below every one of `of`, along all recorded edges.
    pub(super) fn common_lower(&self, of: &[u32]) -> HashSet<u32> {
        let Some((first, rest)) = of.split_first() else {
            return HashSet::new();
        };
        let mut common = self.down([*first], Edges::All);
        for value in rest {
            let below = self.down([*value], Edges::All);
            common.retain(|l| below.contains(l));
        }
        common
    }

    /// Those of a set that have no other of it strictly below (`lowest`) or
    /// strictly above them.
    pub(super) fn extremes(&self, set: &BTreeSet<u32>, lowest: bool) -> Vec<u32> {
        let certain = Edges::Certain(0.0);
        let ups: HashMap<u32, HashSet<u32>> =
            set.iter().map(|&v| (v, self.up([v], certain))).collect();
        let le = |a: u32, b: u32| ups.get(&a).is_some_and(|up| up.contains(&b));
        set.iter()
            .copied()
            .filter(|&v| {
                !set.iter().any(|&w| {
                    let (a, b) = if lowest { (w, v) } else { (v, w) };
                    le(a, b) && !le(b, a)
                })
            })
            .collect()
    }

    /// The maximal values of a set along the edges within it: those that are equal to
    /// one another together.
    pub(super) fn tops(&self, set: &BTreeSet<u32>, edges: Edges) -> BTreeSet<Vec<u32>> {
        let above = |from: u32| {
            let mut seen = BTreeSet::from([from]);
            let mut queue = vec![from];
            while let Some(at) = queue.pop() {
                for (next, edge) in self.upper.get(&at).into_iter().flatten() {
                    if edges.takes(edge) && set.contains(next) && seen.insert(*next) {
                        queue.push(*next);
                    }
                }
            }
            seen
        };
        set.iter()
            .map(|&v| (v, above(v)))
            .filter(|(v, over)| over.iter().all(|w| above(*w).contains(v)))
            .map(|(_, class)| class.into_iter().collect())
            .collect()
    }

    /// Whether an edge is contested.
    pub(super) fn has_contested(&self) -> bool {
        self.upper
            .values()
            .flatten()
            .any(|(_, edge)| edge.contested)
    }

    /// The shortest chain from `a` up to `b`, the least of them, each value
    /// with the edge that led to it.
    pub(super) fn chain(&self, a: u32, b: u32, edges: Edges) -> Vec<(u32, Option<Edge>)> {
        let mut distance: HashMap<u32, usize> = HashMap::from([(b, 0)]);
        let mut queue = VecDeque::from([(b, 0usize)]);
        while let Some((at, steps)) = queue.pop_front() {
            for (next, edge) in self.lower.get(&at).into_iter().flatten() {
                if edges.takes(edge) && !distance.contains_key(next) {
                    distance.insert(*next, steps + 1);
                    queue.push_back((*next, steps + 1));
                }
            }
        }
        let mut chain = vec![(a, None)];
        let mut at = a;
        while at != b {
            let Some(left) = distance.get(&at).and_then(|steps| steps.checked_sub(1)) else {
                break;
            };
            let next = self.upper.get(&at).into_iter().flatten();
            let next = next
                .filter(|(v, edge)| edges.takes(edge) && distance.get(v) == Some(&left))
                .min_by_key(|(v, _)| *v);
            let Some(&(v, edge)) = next else { break };
            chain.push((v, Some(edge)));
            at = v;
        }
        chain
    }
}

fn reach(
    neighbours: &HashMap<u32, Vec<(u32, Edge)>>,
    from: impl IntoIterator<Item = u32>,
    edges: Edges,
) -> HashSet<u32> {
    let mut seen: HashSet<u32> = HashSet::new();
    let mut queue: Vec<u32> = from.into_iter().filter(|v| seen.insert(*v)).collect();
    while let Some(at) = queue.pop() {
        for (next, edge) in neighbours.get(&at).into_iter().flatten() {
            if edges.takes(edge) && seen.insert(*next) {
                queue.push(*next);
            }
        }
    }
    seen
}
