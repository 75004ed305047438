//! Unique meets and the distributive law: both checks against the definition, and against
//! each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/orders.rs"]
mod orders;

use latweave::order::{
    CheckLimits, Count, Dag, Legitimacy, Shape, Sublattice, check, check_full, check_restricted,
};
use orders::{Plain, dag, edges, lattices, taxonomies};
use proptest::prelude::*;

fn full(dag: &Dag) -> Legitimacy {
    check_full(dag, &mut || false).unwrap()
}

fn restricted(dag: &Dag) -> Legitimacy {
    check_restricted(dag, CheckLimits::default(), &mut || false).unwrap()
}

/// The verdict by definition: the first ambiguous pair and failing triple, and how many.
struct Naive {
    pairs: Vec<(u32, u32, Vec<u32>)>,
    triples: Vec<(u32, u32, u32, u32, u32)>,
    checked: u64,
    skipped: u64,
}

fn naive(plain: &Plain) -> Naive {
    let mut found = Naive {
        pairs: Vec::new(),
        triples: Vec::new(),
        checked: 0,
        skipped: 0,
    };
    for a in plain.nodes() {
        for b in a + 1..plain.n {
            let maximal = plain.maximal(&plain.lower(&[a, b]));
            if maximal.len() > 1 {
                found.pairs.push((a, b, maximal));
            }
        }
    }
    for x in plain.nodes() {
        for y in plain.nodes() {
            for z in y + 1..plain.n {
                let sides = || {
                    let left = plain.meet(x, plain.join(y, z)?)?;
                    let right = plain.join(plain.meet(x, y)?, plain.meet(x, z)?)?;
                    Some((left, right))
                };
                match sides() {
                    None => found.skipped += 1,
                    Some((left, right)) => {
                        found.checked += 1;
                        if left != right {
                            found.triples.push((x, y, z, left, right));
                        }
                    }
                }
            }
        }
    }
    found
}

/// Whether five nodes are the lattice they are said to be, by definition.
fn is_sublattice(plain: &Plain, five: &Sublattice) -> bool {
    let [a, b, c] = five.middle;
    let both = |p, q| {
        plain.meet(p, q) == Some(five.bottom)
            && plain.join(p, q) == Some(five.top)
            && !plain.le(p, q)
            && !plain.le(q, p)
    };
    both(a, c)
        && both(b, c)
        && match five.shape {
            Shape::M3 => both(a, b),
            Shape::N5 => a != b && plain.le(a, b),
        }
}

fn agrees(n: u32, edges: &[(u32, u32)]) -> Result<(), TestCaseError> {
    let (order, plain) = (dag(n, edges), Plain::new(n, edges));
    let (full, expected) = (full(&order), naive(&plain));
    let pair = full
        .meets
        .first
        .clone()
        .map(|pair| (pair.a, pair.b, pair.maximal));
    prop_assert_eq!(pair.as_ref(), expected.pairs.first());
    prop_assert_eq!(
        full.meets.ambiguous,
        Count::Exact(expected.pairs.len() as u64)
    );
    let first = full.law.first.clone();
    let triple = first.as_ref().map(|f| (f.x, f.y, f.z, f.left, f.right));
    prop_assert_eq!(triple.as_ref(), expected.triples.first());
    prop_assert_eq!(
        full.law.violated,
        Count::Exact(expected.triples.len() as u64)
    );
    let triples = full.law.triples.unwrap();
    prop_assert_eq!(
        (triples.checked, triples.skipped),
        (expected.checked, expected.skipped)
    );
    if let Some(five) = first.and_then(|first| first.sublattice) {
        prop_assert!(is_sublattice(&plain, &five), "{:?}", five);
    }
    // The restricted check gives the same, but for the division of the triples.
    let mut other = restricted(&order);
    if let Some(core) = other.law.triples {
        prop_assert!(
            !core.all && core.checked <= triples.checked && core.skipped <= triples.skipped
        );
    }
    other.law.triples = full.law.triples;
    prop_assert_eq!(other, full);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn both_checks_are_the_definition_on_random_orders((n, edges) in edges(11)) {
        agrees(n, &edges)?;
    }

    #[test]
    fn both_checks_are_the_definition_on_taxonomies((n, edges) in taxonomies(13)) {
        agrees(n, &edges)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn both_checks_agree_on_larger_taxonomies((n, edges) in taxonomies(60)) {
        let order = dag(n, &edges);
        let (full, mut other) = (full(&order), restricted(&order));
        other.law.triples = full.law.triples;
        prop_assert_eq!(other, full);
    }

    /// Where every meet and join exists, a broken law always has its five nodes.
    #[test]
    fn in_a_lattice_the_five_nodes_are_found((n, edges) in lattices(false)) {
        agrees(n, &edges)?;
        let found = full(&dag(n, &edges));
        prop_assert_eq!(found.meets_unique(), Some(true));
        if let Some(first) = found.law.first {
            prop_assert!(is_sublattice(&Plain::new(n, &edges), &first.sublattice.unwrap()));
        }
    }

    #[test]
    fn rings_of_sets_are_distributive((n, edges) in lattices(true)) {
        agrees(n, &edges)?;
        prop_assert_eq!(full(&dag(n, &edges)).distributive(), Some(true));
    }
}

#[test]
fn the_two_forbidden_lattices_are_found() {
    let m3 = dag(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    let found = check(&m3, &mut || false).unwrap();
    assert_eq!(found.meets_unique(), Some(true));
    assert_eq!(found.distributive(), Some(false));
    let five = found.law.first.unwrap().sublattice.unwrap();
    assert_eq!((five.shape, five.bottom, five.top), (Shape::M3, 4, 0));
    assert_eq!(found.law.violated, Count::Exact(3));

    let n5 = dag(5, &[(0, 1), (1, 2), (2, 4), (0, 3), (3, 4)]);
    let five = check(&n5, &mut || false)
        .unwrap()
        .law
        .first
        .unwrap()
        .sublattice
        .unwrap();
    let expected = Sublattice {
        shape: Shape::N5,
        bottom: 4,
        middle: [2, 1, 3],
        top: 0,
    };
    assert_eq!(five, expected);
}

#[test]
fn trees_and_products_of_chains_pass() {
    let three_siblings = dag(4, &[(0, 1), (0, 2), (0, 3)]);
    let found = check(&three_siblings, &mut || false).unwrap();
    assert_eq!(
        (found.meets_unique(), found.distributive()),
        (Some(true), Some(true))
    );

    let small = grid(7);
    for found in [full(&small), restricted(&small)] {
        assert_eq!(
            (found.meets_unique(), found.distributive()),
            (Some(true), Some(true))
        );
    }
    assert_eq!(full(&small).law.triples.unwrap().skipped, 0);
    // Too large for pairs, let alone triples: decided by siblings and covers.
    let found = check(&grid(150), &mut || false).unwrap();
    assert_eq!(
        (found.meets_unique(), found.distributive()),
        (Some(true), Some(true))
    );
}

/// The product of two chains of equal length.
fn grid(side: u32) -> Dag {
    let across = (0..side * side)
        .filter(|k| k % side < side - 1)
        .map(|k| (k, k + 1));
    let down = (0..side * (side - 1)).map(|k| (k, k + side));
    dag(side * side, &across.chain(down).collect::<Vec<_>>())
}

#[test]
fn a_pair_with_two_maximal_lower_bounds_is_named_with_them() {
    let found = check(&dag(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]), &mut || false).unwrap();
    let first = found.meets.first.unwrap();
    assert_eq!((first.a, first.b, first.maximal), (0, 1, vec![2, 3]));
}

#[test]
fn a_limit_leaves_open_what_was_not_seen() {
    let m3 = dag(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    let found = check_restricted(&m3, CheckLimits { steps: 0 }, &mut || false).unwrap();
    assert_eq!(
        (found.law.violated, found.distributive()),
        (Count::AtLeast(0), None)
    );
    assert!(check_restricted(&m3, CheckLimits::default(), &mut || true).is_none());
    assert!(check_full(&m3, &mut || true).is_none());
}

#[test]
fn a_deep_chain_with_further_edges_is_decided_on_a_small_stack() {
    orders::on_a_small_stack(|| {
        let n = 200_000u32;
        let edges: Vec<(u32, u32)> = (1..n)
            .flat_map(|k| [(k - 1, k), (k / 2, k)])
            .filter(|(a, b)| a != b)
            .collect();
        let found = check(&dag(n, &edges), &mut || false).unwrap();
        assert_eq!(
            (found.meets_unique(), found.distributive()),
            (Some(true), Some(true))
        );
    });
}

#[test]
fn the_nouns_of_wordnet_are_decided() {
    let Some((n, edges)) = orders::wordnet() else {
        return;
    };
    let order = dag(n, &edges);
    let start = std::time::Instant::now();
    let found = check(&order, &mut || false).unwrap();
    println!("{n} nodes in {:?}: {found:#?}", start.elapsed());
    assert_eq!(n, 82_115);
    assert_eq!(
        (found.meets_unique(), found.distributive()),
        (Some(false), Some(false))
    );
    let first = found.meets.first.unwrap();
    assert_eq!(
        order.maximal(&order.common_lower(&[first.a, first.b])),
        first.maximal
    );
}
