//! A part of an order: what lies around one node.

use crate::order::Dag;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Some nodes of an order, and the order among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The nodes, ascending.
    pub members: Vec<u32>,
    /// Edges `(upper, lower)` that give the order among the members, as places in `members`.
    pub edges: Vec<(u32, u32)>,
    /// For each member, how many lower neighbours are left out.
    pub left_out: Vec<u32>,
}

/// All of an order.
pub fn whole(dag: &Dag) -> View {
    let members: Vec<u32> = (0..dag.len() as u32).collect();
    let lower = |&a: &u32| dag.children(a).iter().map(move |&b| (a, b));
    View {
        edges: members.iter().flat_map(lower).collect(),
        left_out: vec![0; members.len()],
        members,
    }
}

/// All that lies above a node, and what lies at most so many levels below it (all of it if
/// none are named). Empty if the node is not there.
pub fn around(dag: &Dag, centre: u32, levels: Option<u32>) -> View {
    if centre as usize >= dag.len() {
        return View::default();
    }
    let above = dag.up(centre);
    let mut below = BTreeSet::from([centre]);
    let mut waiting = VecDeque::from([(centre, 0)]);
    while let Some((node, level)) = waiting.pop_front() {
        if levels.is_some_and(|most| level >= most) {
            continue;
        }
        for &child in dag.children(node) {
            if below.insert(child) {
                waiting.push_back((child, level + 1));
            }
        }
    }
    let members: Vec<u32> = below
        .iter()
        .copied()
        .chain(&above)
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .collect();
    let place: BTreeMap<u32, u32> = members.iter().copied().zip(0..).collect();
    let mut edges = Vec::new();
    let mut left_out = vec![0; members.len()];
    for (at, &node) in (0u32..).zip(&members) {
        let uppers = nearest(dag, node, &place);
        edges.extend(uppers.into_iter().map(|upper| (upper, at)));
        if below.contains(&node) {
            let out = |child: &&u32| !place.contains_key(child);
            left_out[at as usize] = dag.children(node).iter().filter(out).count() as u32;
        }
    }
    View {
        members,
        edges,
        left_out,
    }
}

/// The places of the members that are reached first on all ways up from a node: a way may
/// lead through nodes that are left out.
fn nearest(dag: &Dag, node: u32, place: &BTreeMap<u32, u32>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut stack = dag.parents(node).to_vec();
    while let Some(upper) = stack.pop() {
        match place.get(&upper) {
            Some(&at) => {
                found.insert(at);
            }
            None if seen.insert(upper) => stack.extend(dag.parents(upper)),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_above_and_some_below() {
        // 0 > 1 > 2 > 3 > 4, 1 > 5, and 0 > 6 > 3.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (0, 6), (6, 3)];
        let dag = Dag::new(7, &edges).unwrap();
        let view = around(&dag, 2, Some(1));
        assert_eq!(view.members, [0, 1, 2, 3]);
        // 3 lies below 0 by way of 6 as well, which is left out.
        assert_eq!(view.edges, [(0, 1), (1, 2), (0, 3), (2, 3)]);
        assert_eq!(view.left_out, [0, 0, 0, 1]);
        assert_eq!(around(&dag, 1, None).members, [0, 1, 2, 3, 4, 5]);
        assert_eq!(around(&dag, 9, None), View::default());
        assert_eq!(whole(&dag).members.len(), 7);
    }

    /// A short way in the order may have a long one beside it that leaves the part.
    #[test]
    fn the_order_among_the_members_is_kept() {
        let edges = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 5), (5, 2)];
        let dag = Dag::new(6, &edges).unwrap();
        let view = around(&dag, 0, Some(2));
        assert_eq!(view.members, [0, 1, 2, 3, 4]);
        let part = Dag::new(5, &view.edges).unwrap();
        for (a, &of_a) in (0u32..).zip(&view.members) {
            for (b, &of_b) in (0u32..).zip(&view.members) {
                assert_eq!(part.le(a, b), dag.le(of_a, of_b), "{of_a} {of_b}");
            }
        }
    }
}
