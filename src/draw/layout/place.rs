//! The coordinates.
//!
//! Across, the squares of what edges run aside are made small, edges through bends counting more
//! (the weights of Gansner et al., 1993), while vertices keep their order and distance. Level
//! by level this is an isotonic regression, which the pooling of neighbours that violate it solves
//! exactly (Ayer et al., 1955); taking the levels in turn tends to the best of all, because
//! the objective is smooth and convex and no constraint spans levels. At last the bends of long
//! edges are made upright where there is room.

use super::graph::{Chain, Graph};

/// Between two boxes, a box and a bend, two bends.
const GAP: [f64; 3] = [18.0, 14.0, 12.0];
/// Rounds over all levels, down and up, at most.
const ROUNDS: usize = 150;
/// The movement of pixels below which there is no further round.
const STILL: f64 = 0.05;
/// Between two levels, at least and at most.
const BETWEEN: (f64, f64) = (34.0, 110.0);
/// How much of the way aside of an edge is added between its levels.
const SLOPE: f64 = 0.08;
/// About how many vertices all rounds together may look at: what bounds the time.
const WORK: usize = 40_000_000;

/// The place of each vertex across.
pub fn across(graph: &Graph) -> Vec<f64> {
    let apart: Vec<Vec<f64>> = graph.levels.iter().map(|l| apart(graph, l)).collect();
    let mut x = vec![0.0; graph.level.len()];
    for (level, apart) in graph.levels.iter().zip(&apart) {
        let middle = apart.last().map_or(0.0, |last| last / 2.0);
        for (&v, at) in level.iter().zip(apart) {
            x[v] = at - middle;
        }
    }
    let depth = graph.levels.len();
    let rounds = ROUNDS.min(WORK / (x.len() + 1)).max(4);
    for _ in 0..rounds {
        let mut moved: f64 = 0.0;
        for at in (0..depth).chain((0..depth).rev()) {
            moved = moved.max(settle(graph, &graph.levels[at], &apart[at], &mut x));
        }
        if moved < STILL {
            break;
        }
    }
    let mut slot = vec![0; x.len()];
    for level in &graph.levels {
        for (at, &v) in level.iter().enumerate() {
            slot[v] = at;
        }
    }
    for chain in &graph.chains {
        straighten(graph, chain, &slot, &apart, &mut x);
    }
    x
}

/// The least distance of each vertex of a level from the first.
fn apart(graph: &Graph, level: &[usize]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut before: Option<usize> = None;
    level
        .iter()
        .map(|&v| {
            if let Some(w) = before {
                let bends = usize::from(graph.is_bend(v)) + usize::from(graph.is_bend(w));
                sum += graph.right[w] + graph.left[v] + GAP[bends];
            }
            before = Some(v);
            sum
        })
        .collect()
}

/// Some vertices of a level that stand as close as they may.
struct Pool {
    weight: f64,
    /// Of the wishes, less the least distances.
    sum: f64,
    count: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Places a level best while all others stay. Says how far a vertex moved at most.
fn settle(graph: &Graph, level: &[usize], apart: &[f64], x: &mut [f64]) -> f64 {
    let mut pools: Vec<Pool> = Vec::new();
    for (&v, at) in level.iter().zip(apart) {
        let (mut weight, mut sum) = (0.0, 0.0);
        for &w in graph.up[v].iter().chain(&graph.down[v]) {
            let of_edge = match (graph.is_bend(v), graph.is_bend(w)) {
                (true, true) => 8.0,
                (false, false) => 1.0,
                _ => 2.0,
            };
            weight += of_edge;
            sum += of_edge * x[w];
        }
        if weight == 0.0 {
            (weight, sum) = (1.0, x[v]);
        }
        let mut pool = Pool {
            weight,
            sum: sum - weight * at,
            count: 1,
        };
        while let Some(left) = pools.pop_if(|left| left.mean() > pool.mean()) {
            pool.weight += left.weight;
            pool.sum += left.sum;
            pool.count += left.count;
        }
        pools.push(pool);
    }
    let mut moved: f64 = 0.0;
    let fitted = pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.mean(), pool.count));
    for ((&v, at), mean) in level.iter().zip(apart).zip(fitted) {
        moved = moved.max((x[v] - mean - at).abs());
        x[v] = mean + at;
    }
    moved
}

/// Makes the bends of an edge upright, as many in a row as the neighbours leave room for.
fn straighten(graph: &Graph, chain: &Chain, slot: &[usize], apart: &[Vec<f64>], x: &mut [f64]) {
    let room = |v: usize, x: &[f64]| {
        let (level, at) = (&graph.levels[graph.level[v]], slot[v]);
        let apart = &apart[graph.level[v]];
        let left = at
            .checked_sub(1)
            .map(|l| x[level[l]] + apart[at] - apart[l]);
        let right = level
            .get(at + 1)
            .map(|&w| x[w] - (apart[at + 1] - apart[at]));
        // Where rounding leaves no room at all, it stays.
        let left = left.unwrap_or(f64::NEG_INFINITY).min(x[v]);
        (left, right.unwrap_or(f64::INFINITY).max(x[v]))
    };
    let mut rest = &chain.bends[..];
    while let Some(&first) = rest.first() {
        let (mut low, mut high) = room(first, x);
        let mut sum = x[first];
        let mut length = 1;
        for &bend in &rest[1..] {
            let (left, right) = room(bend, x);
            if left.max(low) > right.min(high) {
                break;
            }
            (low, high) = (left.max(low), right.min(high));
            sum += x[bend];
            length += 1;
        }
        let (row, others) = rest.split_at(length);
        // Straight on from the node above or below, if it lies that way.
        let mean = sum / length as f64;
        let ends = [x[chain.lower], x[chain.upper]];
        let near = |end: &f64| *end >= low && *end <= high && (end - mean).abs() < 24.0;
        let at = ends.into_iter().find(near).unwrap_or(mean);
        for &bend in row {
            x[bend] = at.clamp(low, high);
        }
        rest = others;
    }
}

/// The upper and the lower border of each level: as high as its highest block, and
/// farther from the next the more its edges run aside.
pub fn bands(graph: &Graph, across: &[f64]) -> Vec<(f64, f64)> {
    let mut bands = Vec::with_capacity(graph.levels.len());
    let mut top = 0.0;
    for level in &graph.levels {
        let (mut height, mut aside): (f64, f64) = (0.0, 0.0);
        for &v in level {
            height = height.max(graph.blocks.get(v).map_or(0.0, |block| block.height));
            for &w in &graph.down[v] {
                aside = aside.max((across[v] - across[w]).abs());
            }
        }
        bands.push((top, top + height));
        top += height + (BETWEEN.0 + SLOPE * aside).min(BETWEEN.1);
    }
    bands
}
