//! Bounds, cuts, components and cycles against the plainest possible reference, and every
//! part of the order room on deep orders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/orders.rs"]
mod orders;

use latweave::order::{
    Bound, Cut, CycleLimits, Dag, components, cycle_of_each, cycles, join, join_of, meet, meet_of,
};
use orders::{Plain, dag, edges, on_a_small_stack};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The bound that some extremal elements make.
fn bound(extremal: Vec<u32>) -> Bound {
    match extremal.as_slice() {
        [] => Bound::None,
        [only] => Bound::Unique(*only),
        _ => Bound::Cut(extremal),
    }
}

/// Every cut of a small order, as lower sets: what the definition gives for each subset.
fn completion(plain: &Plain) -> BTreeSet<Vec<u32>> {
    (0u32..1 << plain.n)
        .map(|set| {
            plain
                .nodes()
                .filter(|k| set >> k & 1 == 1)
                .collect::<Vec<_>>()
        })
        .map(|set| plain.lower(&plain.upper(&set)))
        .collect()
}

fn lower(dag: &Dag, cut: &Cut) -> Vec<u32> {
    cut.lower(dag).iter().collect()
}

/// The cut with a lower set.
fn cut(dag: &Dag, set: &[u32]) -> Cut {
    let cut = Cut::join_of(dag, set);
    assert_eq!(lower(dag, &cut), set);
    cut
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bounds_are_by_definition((n, edges) in edges(12), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..5)) {
        let (order, plain) = (dag(n, &edges), Plain::new(n, &edges));
        for a in 0..n {
            for b in 0..n {
                prop_assert_eq!(meet(&order, a, b), bound(plain.maximal(&plain.lower(&[a, b]))));
                prop_assert_eq!(join(&order, a, b), bound(plain.minimal(&plain.upper(&[a, b]))));
            }
        }
        let of: Vec<u32> = picks.iter().map(|pick| pick.index(n as usize) as u32).collect();
        prop_assert_eq!(meet_of(&order, &of), bound(plain.maximal(&plain.lower(&of))));
        prop_assert_eq!(join_of(&order, &of), bound(plain.minimal(&plain.upper(&of))));
        let (below, above) = (Cut::meet_of(&order, &of), Cut::join_of(&order, &of));
        prop_assert_eq!(lower(&order, &below), plain.lower(&of));
        prop_assert_eq!(lower(&order, &above), plain.lower(&plain.upper(&of)));
        prop_assert_eq!(below.maximal(), plain.maximal(&plain.lower(&of)));
        prop_assert_eq!(above.upper(&order), plain.minimal(&plain.upper(&of)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Cuts are the completion: a lattice with the meets and joins of their lower sets.
    #[test]
    fn cuts_are_the_completion((n, edges) in edges(7)) {
        let (order, plain) = (dag(n, &edges), Plain::new(n, &edges));
        let sets: Vec<Vec<u32>> = completion(&plain).into_iter().collect();
        let cuts: Vec<Cut> = sets.iter().map(|set| cut(&order, set)).collect();
        for (a, cut_a) in sets.iter().zip(&cuts) {
            for (b, cut_b) in sets.iter().zip(&cuts) {
                let within = a.iter().all(|x| b.contains(x));
                prop_assert_eq!(cut_a.le(&order, cut_b), within);
                prop_assert_eq!(cut_a == cut_b, a == b);
                let both: Vec<u32> = a.iter().copied().filter(|x| b.contains(x)).collect();
                prop_assert_eq!(lower(&order, &cut_a.meet(&order, cut_b)), both);
                let either: Vec<u32> = a.iter().chain(b).copied().collect();
                let least = plain.lower(&plain.upper(&either));
                prop_assert_eq!(lower(&order, &cut_a.join(&order, cut_b)), least);
            }
        }
        for node in 0..n {
            let principal = Cut::principal(&order, node);
            prop_assert_eq!(principal.node(), Some(node));
            prop_assert_eq!(lower(&order, &principal), plain.lower(&[node]));
        }
    }
}

/// Which nodes reach which in any graph.
fn reaches(n: u32, edges: &[(u32, u32)]) -> Plain {
    let turned: Vec<_> = edges.iter().map(|&(a, b)| (b, a)).collect();
    Plain::new(n, &turned)
}

/// The length of a shortest closed path through an edge, by breadth first search.
fn shortest(n: u32, edges: &[(u32, u32)], (a, b): (u32, u32)) -> usize {
    let mut layer = BTreeSet::from([b]);
    for length in 1..=n as usize {
        if layer.contains(&a) {
            return length;
        }
        layer = edges
            .iter()
            .filter(|(from, _)| layer.contains(from))
            .map(|&(_, to)| to)
            .collect();
    }
    panic!("no closed path")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn components_and_cycles_of_any_graph(
        (n, edges) in (1u32..10).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..22))),
        turn in any::<prop::sample::Index>(),
    ) {
        let found = components(n, &edges);
        let reach = reaches(n, &edges);
        for a in 0..n {
            for b in 0..n {
                prop_assert_eq!(found.together(a, b), reach.le(a, b) && reach.le(b, a));
            }
            prop_assert!(found.members(found.of(a).unwrap()).contains(&a));
        }
        let firsts: Vec<u32> = (0..found.len() as u32).map(|k| found.members(k)[0]).collect();
        prop_assert!(firsts.is_sorted());
        prop_assert!(found.merged().all(|members| members.len() > 1 && members.is_sorted()));

        let listed = cycles(n, &edges, CycleLimits::default());
        prop_assert!(listed.left.is_empty());
        let mut shown = BTreeSet::new();
        for path in &listed.paths {
            let different: BTreeSet<u32> = path.iter().copied().collect();
            prop_assert_eq!(different.len(), path.len());
            prop_assert_eq!(different.first(), path.first());
            let steps: Vec<_> = (0..path.len()).map(|k| (path[k], path[(k + 1) % path.len()])).collect();
            prop_assert!(steps.iter().all(|step| edges.contains(step)));
            // It was listed for an edge that no earlier one shows, and is shortest for it.
            let news: Vec<_> = steps.iter().filter(|step| !shown.contains(*step)).collect();
            prop_assert!(news.iter().any(|&&step| shortest(n, &edges, step) == path.len()));
            shown.extend(steps);
        }
        let within: BTreeSet<_> = edges.iter().copied().filter(|&(a, b)| found.together(a, b)).collect();
        prop_assert_eq!(&shown, &within);
        prop_assert_eq!(listed.paths.is_empty(), Dag::new(n, &edges).is_ok());
        // One of each component is the first that is listed of it.
        let mut told = BTreeSet::new();
        let first = listed.paths.iter().filter(|path| told.insert(found.of(path[0])));
        prop_assert_eq!(cycle_of_each(n, &edges), first.cloned().collect::<Vec<_>>());

        // The order of the edges does not matter.
        let mut turned = edges.clone();
        if !turned.is_empty() {
            let middle = turn.index(turned.len());
            turned.rotate_left(middle);
        }
        prop_assert_eq!(components(n, &turned), found);
        prop_assert_eq!(cycles(n, &turned, CycleLimits::default()), listed);
    }
}

#[test]
fn cycles_past_a_limit_are_left_and_said() {
    let edges = [(0, 1), (1, 2), (2, 0), (3, 3), (4, 5), (5, 4)];
    let listed = cycles(
        6,
        &edges,
        CycleLimits {
            nodes: 4,
            steps: 100,
        },
    );
    assert_eq!(listed.paths, [vec![0, 1, 2], vec![3]]);
    assert_eq!(listed.left, [(4, 5), (5, 4)]);
    assert_eq!(listed.left_nodes(), [4, 5]);
    // The first is listed in any case.
    let listed = cycles(6, &edges, CycleLimits { nodes: 0, steps: 0 });
    assert_eq!(listed.paths, [vec![0, 1, 2]]);
    assert_eq!(listed.left.len(), 3);
    assert_eq!(listed.left_nodes(), [3, 4, 5]);
    // A node on a listed path is shown, though an edge of it is not.
    let tangled = [(0, 1), (0, 2), (1, 0), (2, 0), (2, 1)];
    let listed = cycles(3, &tangled, CycleLimits { nodes: 0, steps: 0 });
    assert_eq!(listed.paths, [vec![0, 1]]);
    assert_eq!(listed.left, [(0, 2), (2, 0), (2, 1)]);
    assert_eq!(listed.left_nodes(), [2]);
}

#[test]
fn what_is_not_there_bounds_nothing() {
    let order = dag(2, &[(0, 1)]);
    assert_eq!(meet(&order, 0, 9), Bound::None);
    assert_eq!(join(&order, 9, 9), Bound::None);
    assert_eq!(Cut::join_of(&order, &[9, 1]).node(), Some(1));
    assert!(Cut::meet_of(&dag(0, &[]), &[]).maximal().is_empty());
    assert_eq!(components(1, &[(0, 7), (7, 0)]).len(), 1);
    assert_eq!(
        cycles(1, &[(0, 7), (7, 0)], CycleLimits::default())
            .paths
            .len(),
        0
    );
}

#[test]
fn a_graph_a_million_deep_on_a_small_stack() {
    on_a_small_stack(|| {
        let n = 1_000_000;
        let mut edges: Vec<(u32, u32)> = (1..n).map(|k| (k - 1, k)).collect();
        assert_eq!(components(n, &edges).len(), n as usize);
        edges.push((n - 1, 0));
        let found = components(n, &edges);
        assert_eq!((found.len(), found.members(0).len()), (1, n as usize));
        let listed = cycles(n, &edges, CycleLimits::default());
        assert_eq!((listed.paths.len(), listed.left.len()), (1, 0));
        assert_eq!(listed.paths[0], (0..n).collect::<Vec<_>>());
        assert_eq!(Dag::new(n, &edges).unwrap_err().0.len(), n as usize);
    });
}

/// A source of numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(limit)) as u32
    }
}

#[test]
fn deep_orders_are_linear_on_a_small_stack() {
    const N: u32 = 500_000;
    let mut numbers = Numbers(88_172_645_463_325_252);
    let chain = (1..N).map(|k| (k - 1, k));
    let shapes: Vec<(&str, Vec<(u32, u32)>)> = vec![
        ("chain", chain.clone().collect()),
        (
            "also under the one before",
            chain.clone().chain((2..N).map(|k| (k - 2, k))).collect(),
        ),
        (
            "also under a random one",
            chain
                .clone()
                .chain((2..N).map(|k| (numbers.below(k), k)))
                .collect(),
        ),
        (
            "ladder",
            (0..N / 2)
                .flat_map(|k| {
                    [
                        (2 * k, 2 * k + 1),
                        (2 * k, 2 * k + 2),
                        (2 * k + 1, 2 * k + 3),
                    ]
                })
                .filter(|&(_, lower)| lower < N)
                .collect(),
        ),
        (
            "crossed ladder",
            (2..N)
                .flat_map(|k| [(k - 2, k), ((k - 2) ^ 1, k)])
                .collect(),
        ),
    ];
    for (name, edges) in shapes {
        on_a_small_stack(move || {
            let order = dag(N, &edges);
            let (intervals, coarse) = order.intervals();
            println!("{name}: {intervals} intervals");
            assert!(
                intervals <= 2 * N as usize && coarse == 0,
                "{name}: {intervals}"
            );
            let last = N - 2;
            assert!(order.le(last, 0) && !order.le(0, last));
            let (up, down) = (order.up(last), order.down(last));
            assert_eq!(up.intersection_len(&down), 1);
            assert!(up.len() + down.len() >= u64::from(N / 2));
            let path = order.path_up(last, 0).unwrap();
            assert!(
                path.windows(2)
                    .all(|pair| order.parents(pair[0]).contains(&pair[1]))
            );
            assert_eq!(meet(&order, 0, last), Bound::Unique(last));
            assert_eq!(join(&order, 0, last), Bound::Unique(0));
            if name != "ladder" {
                return;
            }
            let all = (0..N).collect();
            let (top, bottom) = (order.maximal(&all), order.minimal(&all));
            assert!(top.iter().all(|&node| order.parents(node).is_empty()));
            assert!(bottom.iter().all(|&node| order.children(node).is_empty()));
        });
    }
}
