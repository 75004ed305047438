//! What is placed as one block: a node, or small trees below one node as a list.

use super::Frame;
use super::graph::{Block, Cell};
use crate::draw::reduced::Reduced;

/// The fewest nodes that are hung as a list.
const FEWEST: usize = 3;
/// From the line that boxes hang on to the boxes.
const BRANCH: f64 = 12.0;
/// From the left border of a box to the line that its children hang on.
const INDENT: f64 = 10.0;
/// Between a column and the line of the next.
const BESIDE: f64 = 14.0;
/// Between two boxes of a column, and above the first.
const BELOW: f64 = 6.0;

/// A node in a list, in the order of the list.
struct Entry {
    node: u32,
    /// The entry that it hangs on; none for those that hang on the node above the list.
    on: Option<usize>,
    /// How many hang above it in the list.
    depth: usize,
}

/// The blocks of a part. Trees of at most `largest` nodes that hang on one node alone are hung in lists
/// below it, in columns of about the height `tallest`; with `largest` 0 there are none.
pub fn blocks(
    order: &Reduced,
    frames: &[Frame],
    part: &[u32],
    largest: usize,
    tallest: f64,
) -> Vec<Block> {
    let sizes = tree_sizes(order);
    let mut hung = vec![false; order.len()];
    let mut blocks: Vec<Block> = Vec::new();
    let mut lists = Vec::new();
    let inside = |node: &&u32| part.binary_search(node).is_ok();
    for &node in order.downward.iter().filter(inside) {
        if hung[node as usize] {
            continue;
        }
        let children = order.children[node as usize].iter().copied();
        let small = |&child: &u32| {
            let alone = order.parents[child as usize].len() == 1;
            alone && sizes[child as usize].is_some_and(|size| size <= largest)
        };
        let entries = entries(order, children.filter(small).collect());
        if entries.len() >= FEWEST {
            for entry in &entries {
                hung[entry.node as usize] = true;
            }
            lists.push(list(&entries, frames, tallest));
        }
    }
    let alone = part.iter().filter(|&&node| !hung[node as usize]);
    blocks.extend(alone.map(|&node| single(node, &frames[node as usize])));
    blocks.extend(lists);
    blocks
}

/// The sizes of the down-sets that are trees: no node in them but the first has a second parent.
fn tree_sizes(order: &Reduced) -> Vec<Option<usize>> {
    let mut sizes: Vec<Option<usize>> = vec![None; order.len()];
    for &node in order.downward.iter().rev() {
        let below = order.children[node as usize].iter().map(|&child| {
            let alone = order.parents[child as usize].len() == 1;
            sizes[child as usize].filter(|_| alone)
        });
        sizes[node as usize] = below.sum::<Option<usize>>().map(|below| below + 1);
    }
    sizes
}

/// Trees from above to below, each node before what hangs on it.
fn entries(order: &Reduced, roots: Vec<u32>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut stack: Vec<(u32, Option<usize>, usize)> =
        roots.iter().rev().map(|&node| (node, None, 0)).collect();
    while let Some((node, on, depth)) = stack.pop() {
        let at = entries.len();
        entries.push(Entry { node, on, depth });
        let children = order.children[node as usize].iter().rev();
        stack.extend(children.map(|&child| (child, Some(at), depth + 1)));
    }
    entries
}

fn single(node: u32, frame: &Frame) -> Block {
    let half = frame.width / 2.0;
    Block {
        cells: vec![Cell {
            node,
            on: None,
            x: -half,
            y: 0.0,
            way: vec![(0.0, 0.0)],
        }],
        left: half,
        right: half,
        height: frame.height,
    }
}

/// Trees in columns. An edge comes in above, runs along the top to the column's line, down
/// the line, and aside to the box; what hangs on a box does so by a line of its own below it.
fn list(entries: &[Entry], frames: &[Frame], tallest: f64) -> Block {
    let columns = columns(entries, frames, tallest);
    let header = if columns.len() == 1 { 0.0 } else { BELOW };
    let mut block = Block::default();
    let mut line = 0.0;
    for (at, column) in columns.iter().enumerate() {
        let mut y = header;
        for at in column.clone() {
            let entry = &entries[at];
            let frame = &frames[entry.node as usize];
            y += BELOW;
            let middle = y + frame.height / 2.0;
            let x = line + BRANCH + entry.depth as f64 * (INDENT + BRANCH);
            let mut way = Vec::new();
            if let Some(on) = entry.on {
                let upper: &Cell = &block.cells[on];
                let bottom = upper.y + frames[upper.node as usize].height;
                way.push((upper.x + INDENT, bottom));
            } else {
                way.push((line, BELOW));
            }
            way.extend([(x - BRANCH, middle), (x, middle)]);
            block.cells.push(Cell {
                node: entry.node,
                on: entry.on.map(|on| entries[on].node),
                x,
                y,
                way,
            });
            y += frame.height;
            block.right = block.right.max(x + frame.width);
        }
        block.height = block.height.max(y);
        if at + 1 < columns.len() {
            line = block.right + BESIDE;
        }
    }
    enter(
        &mut block,
        if columns.len() == 1 { 0.0 } else { line / 2.0 },
        header,
    );
    block
}

/// Moves the origin to where edges enter.
fn enter(block: &mut Block, origin: f64, header: f64) {
    for cell in &mut block.cells {
        cell.x -= origin;
        for point in &mut cell.way {
            point.0 -= origin;
        }
        if cell.on.is_none() {
            cell.way.splice(0..0, [(0.0, 0.0), (0.0, header)]);
        }
    }
    block.left = origin;
    block.right -= origin;
}

/// Which entries stand in which column: about equally high, trees whole.
fn columns(entries: &[Entry], frames: &[Frame], tallest: f64) -> Vec<std::ops::Range<usize>> {
    let high = |entry: &Entry| frames[entry.node as usize].height + BELOW;
    let total: f64 = entries.iter().map(high).sum();
    let most = total / (total / tallest).ceil().max(1.0);
    let mut columns = Vec::new();
    let (mut start, mut height) = (0, 0.0);
    for (at, entry) in entries.iter().enumerate() {
        if entry.depth == 0 && at > start && height + high(entry) / 2.0 > most {
            columns.push(start..at);
            (start, height) = (at, 0.0);
        }
        height += high(entry);
    }
    columns.push(start..entries.len());
    columns
}
