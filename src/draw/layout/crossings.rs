//! The order of the vertices on each level, with few crossings of edges.
//!
//! Sweeps down and up that sort each level by the mean place of the neighbours (Sugiyama,
//! Tagawa and Toda, 1981), each followed by exchanges of neighbours that help (Gansner et al.,
//! 1993); the best order that was met is kept.

use super::graph::Graph;

/// Sweeps at most.
const SWEEPS: usize = 32;
/// Sweeps without a better order, after which there are no more.
const PATIENCE: usize = 8;
/// Passes of exchanges after a sweep.
const PASSES: usize = 6;
/// About how many edges all sweeps together may look at: what bounds the time.
const WORK: usize = 20_000_000;

/// Orders the levels.
pub fn reduce(graph: &mut Graph) {
    let mut place = vec![0; graph.level.len()];
    for level in &graph.levels {
        number(level, &mut place);
    }
    let mut least = crossings(graph, &place);
    let mut best = graph.levels.clone();
    let mut stale = 0;
    let edges: usize = graph.down.iter().map(Vec::len).sum();
    let sweeps = SWEEPS.min(WORK / (edges + 1) / (PASSES + 2)).max(2);
    for sweep in 0..sweeps {
        if least == 0 || stale == PATIENCE {
            break;
        }
        sort_levels(graph, &mut place, sweep % 2 == 0, sweep % 4 > 1);
        for _ in 0..PASSES {
            if !exchange(graph, &mut place) {
                break;
            }
        }
        let count = crossings(graph, &place);
        if count < least {
            (least, stale) = (count, 0);
            best.clone_from(&graph.levels);
        } else {
            stale += 1;
        }
    }
    graph.levels = best;
}

fn number(level: &[usize], place: &mut [usize]) {
    for (at, &v) in level.iter().enumerate() {
        place[v] = at;
    }
}

/// Sorts each level by the means of the neighbours on the level before. Equals keep their order,
/// or are `turned`. A vertex without such neighbours stays where it is.
fn sort_levels(graph: &mut Graph, place: &mut [usize], downward: bool, turned: bool) {
    let depth = graph.levels.len();
    for step in 1..depth {
        let at = if downward { step } else { depth - 1 - step };
        let mut level = std::mem::take(&mut graph.levels[at]);
        let towards = if downward { &graph.up } else { &graph.down };
        let mut moved: Vec<(f64, usize)> = Vec::new();
        let mut slots = Vec::new();
        for (slot, &v) in level.iter().enumerate() {
            let near = &towards[v];
            if !near.is_empty() {
                let sum: usize = near.iter().map(|&w| place[w]).sum();
                moved.push((sum as f64 / near.len() as f64, v));
                slots.push(slot);
            }
        }
        if turned {
            moved.reverse();
        }
        moved.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (slot, (_, v)) in slots.into_iter().zip(moved) {
            level[slot] = v;
        }
        number(&level, place);
        graph.levels[at] = level;
    }
}

/// Exchanges neighbours on a level where that saves crossings. Says whether it did.
fn exchange(graph: &mut Graph, place: &mut [usize]) -> bool {
    let mut helped = false;
    for at in 0..graph.levels.len() {
        let mut level = std::mem::take(&mut graph.levels[at]);
        for right in 1..level.len() {
            let (v, w) = (level[right - 1], level[right]);
            let (mut now, mut then) = (0, 0);
            for towards in [&graph.up, &graph.down] {
                let near = |v: usize| -> Vec<usize> {
                    let mut near: Vec<usize> = towards[v].iter().map(|&n| place[n]).collect();
                    near.sort_unstable();
                    near
                };
                let (of_v, of_w) = (near(v), near(w));
                now += inversions(&of_v, &of_w);
                then += inversions(&of_w, &of_v);
            }
            if then < now {
                level.swap(right - 1, right);
                (place[v], place[w]) = (right, right - 1);
                helped = true;
            }
        }
        graph.levels[at] = level;
    }
    helped
}

/// How many pairs of a left and a right place are in the wrong order. Both lists ascend.
fn inversions(left: &[usize], right: &[usize]) -> usize {
    let mut before = 0;
    left.iter()
        .map(|l| {
            while right.get(before).is_some_and(|r| r < l) {
                before += 1;
            }
            before
        })
        .sum()
}

/// All crossings, by counting inversions in a tree of sums (Barth, Jünger and Mutzel, 2002).
fn crossings(graph: &Graph, place: &[usize]) -> usize {
    let mut count = 0;
    for pair in graph.levels.windows(2) {
        let [upper, lower] = pair else { continue };
        let mut sums = vec![0usize; lower.len() + 1];
        let mut before = 0;
        for &v in upper {
            let mut near: Vec<usize> = graph.down[v].iter().map(|&w| place[w]).collect();
            near.sort_unstable();
            for &at in &near {
                count += before - sum_to(&sums, at + 1);
            }
            for &at in &near {
                add(&mut sums, at + 1);
            }
            before += near.len();
        }
    }
    count
}

fn add(sums: &mut [usize], mut at: usize) {
    while at < sums.len() {
        sums[at] += 1;
        at += at & at.wrapping_neg();
    }
}

fn sum_to(sums: &[usize], mut at: usize) -> usize {
    let mut sum = 0;
    while at > 0 {
        sum += sums[at];
        at &= at - 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[0, 3], &[1, 2]), 2);
        assert_eq!(inversions(&[1], &[1, 1]), 0);
        assert_eq!(inversions(&[2, 2], &[1, 2]), 2);
    }

    /// A tangle of two levels: the count equals that of all pairs, and it is undone.
    #[test]
    fn crossings_are_counted_and_undone() {
        let mut graph = Graph {
            level: vec![0, 0, 0, 1, 1, 1],
            up: vec![vec![], vec![], vec![], vec![2], vec![1, 2], vec![0]],
            down: vec![vec![5], vec![4], vec![3, 4], vec![], vec![], vec![]],
            levels: vec![vec![0, 1, 2], vec![3, 4, 5]],
            ..Graph::default()
        };
        let mut place = vec![0; 6];
        for level in &graph.levels {
            number(level, &mut place);
        }
        assert_eq!(crossings(&graph, &place), 4);
        reduce(&mut graph);
        for level in &graph.levels {
            number(level, &mut place);
        }
        assert_eq!(crossings(&graph, &place), 0);
    }
}
