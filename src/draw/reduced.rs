//! The order behind a picture: without cycles, and without edges that follow from others.

use super::{DrawError, Picture};
use crate::order::Dag;

/// A picture's order by its covers.
pub struct Reduced {
    /// The upper neighbours of each node, ascending.
    pub parents: Vec<Vec<u32>>,
    /// The lower neighbours of each node, ascending.
    pub children: Vec<Vec<u32>>,
    /// All nodes, upper before lower; the smallest number first where there is a choice of
    /// one level.
    pub downward: Vec<u32>,
}

impl Reduced {
    /// The covers of a picture's order.
    ///
    /// # Errors
    /// A cycle, or a node that is not there.
    pub fn of(picture: &Picture) -> Result<Reduced, DrawError> {
        let nodes = picture.nodes.len();
        let ends = picture.edges.iter().flat_map(|&(a, b)| [a, b]);
        if let Some(node) = ends.into_iter().find(|&node| node as usize >= nodes) {
            return Err(DrawError::NoSuchNode { node, nodes });
        }
        let dag = Dag::new(nodes as u32, &picture.edges).map_err(|cycle| {
            let label = |&node: &u32| picture.nodes[node as usize].label.clone();
            DrawError::Cycle(cycle.0.iter().map(label).collect())
        })?;
        Ok(Reduced::covers(&dag))
    }

    /// Aho, Garey and Ullman (1972): an edge follows from others exactly where another
    /// parent lies below its upper end.
    fn covers(dag: &Dag) -> Reduced {
        let nodes = dag.len();
        let mut parents: Vec<Vec<u32>> = Vec::with_capacity(nodes);
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        for node in 0..nodes as u32 {
            let declared = dag.parents(node);
            let kept = match declared {
                [] | [_] => declared.to_vec(),
                several => dag.minimal(&several.iter().copied().collect()),
            };
            for &parent in &kept {
                children[parent as usize].push(node);
            }
            parents.push(kept);
        }
        let downward = downward(&parents, &children);
        Reduced {
            parents,
            children,
            downward,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The length of the longest way down to each node from a node without parents.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.len()];
        for &node in &self.downward {
            let above = self.parents[node as usize].iter();
            let depth = above.map(|&parent| depths[parent as usize] + 1).max();
            depths[node as usize] = depth.unwrap_or(0);
        }
        depths
    }

    /// The covers `(upper, lower)`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let upper = (0u32..).zip(&self.children);
        upper.flat_map(|(a, lower)| lower.iter().map(move |&b| (a, b)))
    }
}

/// Kahn's order (1962), level by level.
fn downward(parents: &[Vec<u32>], children: &[Vec<u32>]) -> Vec<u32> {
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut order: Vec<u32> = (0..parents.len() as u32)
        .filter(|&node| parents[node as usize].is_empty())
        .collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &child in &children[node as usize] {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                order.push(child);
            }
        }
    }
    order
}
