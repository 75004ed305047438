//! Widths and independence against every subset of small orders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/orders.rs"]
mod orders;

use latweave::order::{
    Case, Dag, Independence, IndependenceError, PRODUCT_LIMIT, Width, independence, width,
};
use orders::{Plain, dag, edges, taxonomies};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn of(dag: &Dag) -> Width {
    width(dag, &mut || false).unwrap()
}

/// The antichain is one, the chains are chains and cover every node once, and both are of one size.
fn proves_itself(dag: &Dag, found: &Width) {
    assert_eq!(found.antichain.len(), found.chains.len());
    assert!(found.antichain.is_sorted());
    let antichain = found.antichain.iter().copied().collect();
    assert_eq!(dag.maximal(&antichain), found.antichain);
    let mut seen = vec![false; dag.len()];
    for chain in &found.chains {
        for pair in chain.windows(2) {
            assert!(pair[0] != pair[1] && dag.le(pair[1], pair[0]), "{pair:?}");
        }
        for &node in chain {
            assert!(!std::mem::replace(&mut seen[node as usize], true));
        }
    }
    assert!(seen.iter().all(|&seen| seen));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_width_is_the_largest_antichain_of_all((n, edges) in edges(12)) {
        let order = dag(n, &edges);
        let found = of(&order);
        proves_itself(&order, &found);
        prop_assert_eq!(found.size(), Plain::new(n, &edges).width());
    }

    #[test]
    fn larger_orders_prove_themselves((n, edges) in prop_oneof![edges(80), taxonomies(80)]) {
        let order = dag(n, &edges);
        proves_itself(&order, &of(&order));
    }
}

#[test]
fn the_width_of_nothing_is_nothing() {
    assert_eq!(of(&dag(0, &[])).size(), 0);
}

#[test]
fn a_width_can_be_stopped() {
    assert!(width(&dag(3, &[(0, 2), (1, 2)]), &mut || true).is_none());
}

#[test]
fn deep_orders_on_a_small_stack() {
    orders::on_a_small_stack(|| {
        let n = 500_000u32;
        let chain: Vec<(u32, u32)> = (1..n).map(|k| (k - 1, k)).collect();
        let chain = dag(n, &chain);
        let found = of(&chain);
        assert_eq!((found.size(), found.chains[0].len()), (1, n as usize));

        // Many tops above a chain with a leaf at every node: all ways from tops to leaves
        // lie along the chain, which must not be walked for each.
        let third = n / 3;
        let tops = (0..third).map(|k| (k, third));
        let chain = (third..2 * third - 1).map(|k| (k, k + 1));
        let leaves = (third..2 * third).map(|k| (k, k + third));
        let comb = dag(
            3 * third,
            &tops.chain(chain).chain(leaves).collect::<Vec<_>>(),
        );
        let found = of(&comb);
        assert_eq!(found.size(), third as usize);
        proves_itself(&comb, &found);

        // Two chains with rungs: the greedy start takes rungs and must be mended.
        let ladder: Vec<(u32, u32)> = (0..n / 2)
            .flat_map(|k| {
                [
                    (2 * k, 2 * k + 1),
                    (2 * k, 2 * k + 2),
                    (2 * k + 1, 2 * k + 3),
                ]
            })
            .filter(|&(_, lower)| lower < n)
            .collect();
        let ladder = dag(n, &ladder);
        let found = of(&ladder);
        assert_eq!(found.size(), 2);
        proves_itself(&ladder, &found);
    });
}

#[test]
fn the_nouns_of_wordnet() {
    let Some((n, edges)) = orders::wordnet() else {
        return;
    };
    let order = dag(n, &edges);
    let start = std::time::Instant::now();
    let found = of(&order);
    println!(
        "width {} of {n} nodes in {:?}",
        found.size(),
        start.elapsed()
    );
    proves_itself(&order, &found);
}

fn measured(a: &Dag, b: &Dag, pairs: &[(u32, u32)]) -> Independence {
    independence(a, b, pairs, PRODUCT_LIMIT, &mut || false).unwrap()
}

/// The width of pairs under the product of two orders, the second one perhaps upside down, by
/// every subset.
fn joint_width(a: &Plain, b: &Plain, pairs: &[(u32, u32)], reversed: bool) -> usize {
    let mut relation = Vec::new();
    for (i, p) in pairs.iter().enumerate() {
        for (j, q) in pairs.iter().enumerate() {
            let second = if reversed {
                b.le(q.1, p.1)
            } else {
                b.le(p.1, q.1)
            };
            if i != j && a.le(p.0, q.0) && second {
                relation.push((j as u32, i as u32));
            }
        }
    }
    Plain::new(pairs.len() as u32, &relation).width()
}

/// Two orders and some pairs of their nodes.
type Observed = (
    (u32, Vec<(u32, u32)>),
    (u32, Vec<(u32, u32)>),
    Vec<(u32, u32)>,
);

fn observed(nodes: u32, most: usize) -> impl Strategy<Value = Observed> {
    (edges(nodes), edges(nodes)).prop_flat_map(move |(a, b)| {
        let pairs = prop::collection::vec((0..a.0, 0..b.0), 0..most);
        (Just(a), Just(b), pairs)
    })
}

fn every_pair(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let (a, b): (BTreeSet<u32>, BTreeSet<u32>) = pairs.iter().copied().unzip();
    a.iter()
        .flat_map(|&x| b.iter().map(move |&y| (x, y)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn joint_widths_are_the_largest_antichains_of_all((a, b, pairs) in observed(4, 10)) {
        let found = measured(&dag(a.0, &a.1), &dag(b.0, &b.1), &pairs);
        let (a, b) = (Plain::new(a.0, &a.1), Plain::new(b.0, &b.1));
        let distinct: Vec<_> = BTreeSet::from_iter(pairs.clone()).into_iter().collect();
        prop_assert_eq!(found.pairs, distinct.len());
        for (joint, reversed) in [(found.upright, false), (found.reversed, true)] {
            prop_assert_eq!(joint.observed as usize, joint_width(&a, &b, &distinct, reversed));
            if every_pair(&pairs).len() <= 12 {
                let width = joint_width(&a, &b, &every_pair(&pairs), reversed);
                prop_assert_eq!(joint.product as usize, width);
            }
        }
    }

    #[test]
    fn it_is_between_0_and_1_symmetric_and_blind_to_names((a, b, pairs) in observed(8, 24)) {
        let (da, db) = (dag(a.0, &a.1), dag(b.0, &b.1));
        let found = measured(&da, &db, &pairs);
        prop_assert!(found.value.is_none_or(|value| (0.0..=1.0).contains(&value)));
        let swapped: Vec<_> = pairs.iter().map(|&(x, y)| (y, x)).collect();
        let swapped = measured(&db, &da, &swapped);
        prop_assert_eq!((found.value, found.case), (swapped.value, swapped.case));
        // Numbered from the other end.
        let turn = |n: u32, edges: &[(u32, u32)]| -> Vec<(u32, u32)> {
            edges.iter().map(|&(x, y)| (n - 1 - x, n - 1 - y)).collect()
        };
        let renamed: Vec<_> = pairs.iter().map(|&(x, y)| (a.0 - 1 - x, y)).collect();
        prop_assert_eq!(measured(&dag(a.0, &turn(a.0, &a.1)), &db, &renamed), found);
    }

    #[test]
    fn it_is_1_when_all_pairs_occur((a, b, pairs) in observed(7, 12)) {
        let (a, b) = (dag(a.0, &a.1), dag(b.0, &b.1));
        let found = measured(&a, &b, &every_pair(&pairs));
        let several = found.values.0 > 1 && found.values.1 > 1;
        prop_assert_eq!(found.value, several.then_some(1.0));
    }

    /// Monotone maps are made by merging nodes of A with nodes above them.
    #[test]
    fn it_is_0_when_one_determines_the_other_monotonically(
        (n, edges) in edges(9),
        lifts in prop::collection::vec(any::<prop::sample::Index>(), 9),
        upside_down in any::<bool>(),
    ) {
        let a = dag(n, &edges);
        // The join with a fixed up-set's edge: x goes to the number of picked down-sets it is in,
        // paired with a coarser picture of itself.
        let picks: Vec<u32> = lifts.iter().take(3).map(|pick| pick.index(n as usize) as u32).collect();
        let image = |x: u32| picks.iter().enumerate().map(|(k, &p)| u32::from(!a.le(x, p)) << k).sum::<u32>();
        // B is the cube of the three answers, by inclusion.
        let cube: Vec<(u32, u32)> = (0..8u32)
            .flat_map(|s| (0..3).filter(move |k| s >> k & 1 == 0).map(move |k| (s | 1 << k, s)))
            .map(|(upper, lower)| if upside_down { (lower, upper) } else { (upper, lower) })
            .collect();
        let pairs: Vec<_> = (0..n).map(|x| (x, image(x))).collect();
        let found = measured(&a, &dag(8, &cube), &pairs);
        if found.case != Case::Constant {
            prop_assert_eq!(found.value, Some(0.0), "{:?}", found);
        }
    }
}

#[test]
fn flat_dimensions_count_pairs() {
    let flat = |n| dag(n, &[]);
    let diagonal: Vec<_> = (0..4).map(|k| (k, k)).collect();
    assert_eq!(measured(&flat(4), &flat(4), &diagonal).value, Some(0.0));
    let half = [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 2),
        (3, 3),
        (2, 3),
        (3, 2),
    ];
    let found = measured(&flat(4), &flat(4), &half);
    assert_eq!((found.value, found.case), (Some(4.0 / 12.0), Case::Widths));
    // So many values that their product could not be walked.
    let many: Vec<_> = (0..50_000).map(|k| (k, k)).collect();
    assert_eq!(
        measured(&flat(50_000), &flat(50_000), &many).value,
        Some(0.0)
    );
}

#[test]
fn a_flat_dimension_beside_a_chain_sets_the_chain_aside() {
    let years = dag(3, &[(0, 1), (1, 2)]);
    let flat = dag(2, &[]);
    let value = |pairs: &[(u32, u32)]| {
        let found = measured(&flat, &years, pairs);
        assert_eq!(found.case, Case::Unordered);
        found.value
    };
    assert_eq!(value(&[(0, 0), (1, 2)]), Some(0.0));
    assert_eq!(value(&[(0, 0), (1, 2), (0, 2)]), Some(0.5));
    assert_eq!(value(&every_pair(&[(0, 0), (1, 1)])), Some(1.0));
}

#[test]
fn what_has_no_measure_says_so() {
    let chain = dag(3, &[(0, 1), (1, 2)]);
    let found = measured(&chain, &chain, &[]);
    assert_eq!((found.value, found.case), (None, Case::Empty));
    let found = measured(&chain, &chain, &[(0, 0), (0, 1)]);
    assert_eq!((found.value, found.case), (None, Case::Constant));
    let error = independence(&chain, &chain, &[(0, 3)], 9, &mut || false).unwrap_err();
    assert_eq!(error, IndependenceError::NoSuchNode { pair: (0, 3) });
    let pairs = [(0, 0), (1, 1), (2, 2)];
    let error = independence(&chain, &chain, &pairs, 8, &mut || false).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("3 × 3 pairs of values are more than 8"),
        "{error}"
    );
    let error = independence(&chain, &chain, &pairs, 9, &mut || true).unwrap_err();
    assert_eq!(error, IndependenceError::Stopped);
}
