//! The graph that is laid out: blocks and bends on levels.

use crate::draw::reduced::Reduced;
use std::collections::BTreeMap;

/// What is placed as one: a node, or small trees below one node as a list. Its origin is where
/// edges from above enter.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its nodes.
    pub cells: Vec<Cell>,
    /// How far it reaches to the left of its origin.
    pub left: f64,
    /// How far it reaches to the right.
    pub right: f64,
    /// How far it reaches down.
    pub height: f64,
}

/// A node in a block.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The node.
    pub node: u32,
    /// The node of the same block that it hangs on.
    pub on: Option<u32>,
    /// The left border of its box.
    pub x: f64,
    /// The upper border of its box.
    pub y: f64,
    /// The way of an edge to the box: from the origin of the block, or from the box that it
    /// hangs on.
    pub way: Vec<(f64, f64)>,
}

/// An edge between blocks with its bends, from above.
#[derive(Clone, Debug)]
pub struct Chain {
    pub upper: usize,
    pub lower: usize,
    pub bends: Vec<usize>,
}

/// Blocks and bends, which are numbered one after the other and are called vertices.
#[derive(Debug, Default)]
pub struct Graph {
    pub blocks: Vec<Block>,
    pub chains: Vec<Chain>,
    /// The level of each vertex.
    pub level: Vec<usize>,
    pub left: Vec<f64>,
    pub right: Vec<f64>,
    /// Neighbours on the level above.
    pub up: Vec<Vec<usize>>,
    /// Neighbours on the level below.
    pub down: Vec<Vec<usize>>,
    /// The vertices of each level, from the left.
    pub levels: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of blocks that hang together, in an order that a walk down gives.
    pub fn new(order: &Reduced, ranks: &[u32], blocks: Vec<Block>) -> Graph {
        let rank = |block: &Block| block.cells.iter().map(|c| ranks[c.node as usize]).min();
        let top = blocks.iter().filter_map(rank).min().unwrap_or(0);
        let mut graph = Graph::default();
        let mut block_of = BTreeMap::new();
        for (v, block) in blocks.iter().enumerate() {
            block_of.extend(block.cells.iter().map(|cell| (cell.node, v)));
            let level = rank(block).unwrap_or(top) - top;
            graph.vertex(level as usize, block.left, block.right);
        }
        for (v, block) in blocks.iter().enumerate() {
            // What hangs in a list has one parent above it; one edge leads to all of it.
            let above = block.cells.first().map(|c| &order.parents[c.node as usize]);
            for parent in above.into_iter().flatten() {
                if let Some(&upper) = block_of.get(parent) {
                    graph.chain(upper, v);
                }
            }
        }
        graph.blocks = blocks;
        graph.walk();
        graph
    }

    fn vertex(&mut self, level: usize, left: f64, right: f64) -> usize {
        self.level.push(level);
        self.left.push(left);
        self.right.push(right);
        self.up.push(Vec::new());
        self.down.push(Vec::new());
        self.level.len() - 1
    }

    fn chain(&mut self, upper: usize, lower: usize) {
        let passed = self.level[upper] + 1..self.level[lower];
        let bends: Vec<usize> = passed.map(|level| self.vertex(level, 0.0, 0.0)).collect();
        let mut above = upper;
        for below in bends.iter().copied().chain([lower]) {
            self.down[above].push(below);
            self.up[below].push(above);
            above = below;
        }
        self.chains.push(Chain {
            upper,
            lower,
            bends,
        });
    }

    /// All vertices.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        0..self.level.len()
    }

    /// Whether a vertex is a bend.
    pub fn is_bend(&self, vertex: usize) -> bool {
        vertex >= self.blocks.len()
    }

    /// Puts the vertices of each level in the order in which a depth-first walk down meets
    /// them: a tree is then without crossings.
    fn walk(&mut self) {
        let deepest = self.level.iter().max().map_or(0, |level| level + 1);
        self.levels = vec![Vec::new(); deepest];
        let mut seen = vec![false; self.level.len()];
        for root in 0..self.blocks.len() {
            let mut stack = if self.up[root].is_empty() {
                vec![root]
            } else {
                Vec::new()
            };
            while let Some(v) = stack.pop() {
                if !std::mem::replace(&mut seen[v], true) {
                    self.levels[self.level[v]].push(v);
                    stack.extend(self.down[v].iter().rev());
                }
            }
        }
    }
}
