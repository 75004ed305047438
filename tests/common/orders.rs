//! Small orders and the plainest possible answers about them, for the suites of the order room.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::order::Dag;
use proptest::prelude::*;
use std::path::PathBuf;

/// Random DAGs of up to `nodes` nodes: every edge goes from a smaller to a larger
/// number, then the numbers are shuffled.
pub fn edges(nodes: u32) -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (1..=nodes).prop_flat_map(|n| {
        (
            prop::collection::vec((0..n, 0..n), 0..(n * 5 / 2) as usize),
            Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
        )
            .prop_map(move |(pairs, names)| {
                let edges = pairs
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| (names[a.min(b) as usize], names[a.max(b) as usize]))
                    .collect();
                (n, edges)
            })
    })
}

/// Trees with a few further parents, the shape of taxonomies.
pub fn taxonomies(nodes: u32) -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (2..=nodes).prop_flat_map(|n| {
        (
            prop::collection::vec(any::<prop::sample::Index>(), n as usize),
            prop::collection::vec((0..n, 0..n), 0..5),
            Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
        )
            .prop_map(move |(parents, further, names)| {
                let tree = (1..n as usize).map(|k| (parents[k].index(k) as u32, k as u32));
                let further = further
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| (a.min(b), a.max(b)));
                let edges = tree
                    .chain(further)
                    .map(|(a, b)| (names[a as usize], names[b as usize]))
                    .collect();
                (n, edges)
            })
    })
}

/// Random lattices: the sets that some sets of up to five things make by intersection, and
/// by union too where `unions` (which makes them distributive), ordered by inclusion.
pub fn lattices(unions: bool) -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    prop::collection::btree_set(0u32..32, 1..8).prop_map(move |mut sets| {
        loop {
            let all: Vec<u32> = sets.iter().copied().collect();
            for &a in &all {
                for &b in &all {
                    sets.insert(a & b);
                    sets.extend(unions.then_some(a | b));
                }
            }
            if sets.len() == all.len() {
                break;
            }
        }
        sets.extend((!unions).then_some(31));
        // Mixed up, so that the numbers do not follow the order.
        let mut sets: Vec<u32> = sets.into_iter().collect();
        sets.sort_by_key(|set| (set * 13 + 5) % 32);
        let mut edges = Vec::new();
        for (i, a) in sets.iter().enumerate() {
            for (j, b) in sets.iter().enumerate() {
                if i != j && a | b == *a {
                    edges.push((i as u32, j as u32));
                }
            }
        }
        (sets.len() as u32, edges)
    })
}

/// An order as the table of its relation.
pub struct Plain {
    pub n: u32,
    le: Vec<Vec<bool>>,
}

impl Plain {
    pub fn new(n: u32, edges: &[(u32, u32)]) -> Plain {
        let size = n as usize;
        let mut le = vec![vec![false; size]; size];
        for (k, row) in le.iter_mut().enumerate() {
            row[k] = true;
        }
        for &(upper, lower) in edges {
            le[lower as usize][upper as usize] = true;
        }
        for k in 0..size {
            for a in 0..size {
                for b in 0..size {
                    if le[a][k] && le[k][b] {
                        le[a][b] = true;
                    }
                }
            }
        }
        Plain { n, le }
    }

    pub fn le(&self, a: u32, b: u32) -> bool {
        self.le[a as usize][b as usize]
    }

    pub fn nodes(&self) -> impl Iterator<Item = u32> + Clone {
        0..self.n
    }

    /// The nodes below every one of a set.
    pub fn lower(&self, of: &[u32]) -> Vec<u32> {
        let below = |c: u32| of.iter().all(|&x| self.le(c, x));
        self.nodes().filter(|&c| below(c)).collect()
    }

    /// The nodes above every one of a set.
    pub fn upper(&self, of: &[u32]) -> Vec<u32> {
        let above = |c: u32| of.iter().all(|&x| self.le(x, c));
        self.nodes().filter(|&c| above(c)).collect()
    }

    pub fn maximal(&self, set: &[u32]) -> Vec<u32> {
        let top = |a: u32| !set.iter().any(|&b| a != b && self.le(a, b));
        set.iter().copied().filter(|&a| top(a)).collect()
    }

    pub fn minimal(&self, set: &[u32]) -> Vec<u32> {
        let low = |a: u32| !set.iter().any(|&b| a != b && self.le(b, a));
        set.iter().copied().filter(|&a| low(a)).collect()
    }

    pub fn meet(&self, a: u32, b: u32) -> Option<u32> {
        match self.maximal(&self.lower(&[a, b])).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    pub fn join(&self, a: u32, b: u32) -> Option<u32> {
        match self.minimal(&self.upper(&[a, b])).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The size of a largest antichain, by trying every subset.
    pub fn width(&self) -> usize {
        let comparable: Vec<u32> = self
            .nodes()
            .map(|a| {
                let others = self
                    .nodes()
                    .filter(|&b| a != b && (self.le(a, b) || self.le(b, a)));
                others.map(|b| 1u32 << b).sum()
            })
            .collect();
        (0u32..1 << self.n)
            .filter(|set| {
                self.nodes()
                    .all(|a| set >> a & 1 == 0 || set & comparable[a as usize] == 0)
            })
            .map(|set| set.count_ones() as usize)
            .max()
            .unwrap_or(0)
    }
}

/// Runs a test on a thread with a stack of 1 MiB.
pub fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(test)
        .unwrap()
        .join()
        .unwrap();
}

/// The noun taxonomy of WordNet 3.0, where its files are.
pub fn wordnet() -> Option<(u32, Vec<(u32, u32)>)> {
    let root = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = root.join("wordnet-3.0/data.noun");
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: no WordNet at {}", path.display());
        return None;
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut numbers = std::collections::BTreeMap::new();
    let mut pointers = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(' ')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let next = numbers.len() as u32;
        numbers.insert(fields[0], next);
        let words = usize::from_str_radix(fields[3], 16).unwrap();
        let count: usize = fields[4 + 2 * words].parse().unwrap();
        for pointer in fields[5 + 2 * words..].chunks(4).take(count) {
            if matches!(pointer[0], "@" | "@i") {
                pointers.push((pointer[1], fields[0]));
            }
        }
    }
    let edges = pointers
        .into_iter()
        .map(|(upper, lower)| (numbers[upper], numbers[lower]))
        .collect();
    Some((numbers.len() as u32, edges))
}

/// The order of given edges, which must have no cycle.
pub fn dag(n: u32, edges: &[(u32, u32)]) -> Dag {
    Dag::new(n, edges).unwrap()
}
