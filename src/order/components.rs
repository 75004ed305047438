//! Strongly connected components.

/// The strongly connected component of each of `0..nodes`: two nodes have the same
/// number where each is reached from the other along `edges`, which are taken as
/// directed. Edges to other nodes are left out. Linear in nodes and edges, without
/// recursion (Tarjan, 1972).
pub fn components(nodes: u32, edges: &[(u32, u32)]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = nodes as usize;
    let inside = || edges.iter().filter(|&&(a, b)| a < nodes && b < nodes);
    let mut offsets = vec![0usize; count + 1];
    for &(from, _) in inside() {
        offsets[from as usize + 1] += 1;
    }
    for node in 0..count {
        offsets[node + 1] += offsets[node];
    }
    let mut targets = vec![0u32; offsets[count]];
    let mut free = offsets.clone();
    for &(from, to) in inside() {
        targets[free[from as usize]] = to;
        free[from as usize] += 1;
    }
    let mut component = vec![NONE; count];
    let (mut index, mut low) = (vec![NONE; count], vec![0u32; count]);
    // The next edge of each node that is being visited.
    let mut next = offsets.clone();
    let (mut visiting, mut open): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let (mut visited, mut found) = (0u32, 0u32);
    for root in 0..nodes {
        if index[root as usize] != NONE {
            continue;
        }
        visiting.push(root);
        while let Some(&node) = visiting.last() {
            let at = node as usize;
            if index[at] == NONE {
                (index[at], low[at]) = (visited, visited);
                visited += 1;
                open.push(node);
            }
            if next[at] < offsets[at + 1] {
                let to = targets[next[at]] as usize;
                next[at] += 1;
                if index[to] == NONE {
                    visiting.push(to as u32);
                } else if component[to] == NONE {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            visiting.pop();
            if let Some(&above) = visiting.last() {
                low[above as usize] = low[above as usize].min(low[at]);
            }
            if low[at] == index[at] {
                while let Some(member) = open.pop() {
                    component[member as usize] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_mutual_reachability(
            (n, edges) in (1u32..10).prop_flat_map(|n| {
                (Just(n), prop::collection::vec((0..n, 0..n), 0..25))
            })
        ) {
            let count = n as usize;
            let mut reached = vec![vec![false; count]; count];
            for (k, row) in reached.iter_mut().enumerate() {
                row[k] = true;
            }
            for &(a, b) in &edges {
                reached[a as usize][b as usize] = true;
            }
            for k in 0..count {
                for a in 0..count {
                    for b in 0..count {
                        reached[a][b] |= reached[a][k] && reached[k][b];
                    }
                }
            }
            let component = components(n, &edges);
            for a in 0..count {
                for b in 0..count {
                    let together = reached[a][b] && reached[b][a];
                    prop_assert_eq!(component[a] == component[b], together);
                }
            }
        }
    }

    #[test]
    fn a_long_cycle_takes_no_stack() {
        let n = 500_000;
        let edges: Vec<(u32, u32)> = (0..n).map(|k| (k, (k + 1) % n)).collect();
        let component = components(n, &edges);
        assert!(component.iter().all(|&c| c == component[0]));
        let mut apart = components(n, &edges[1..]);
        apart.sort_unstable();
        apart.dedup();
        assert_eq!(apart.len(), n as usize);
    }
}
