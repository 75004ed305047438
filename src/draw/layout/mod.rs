//! Where everything lies.

mod crossings;
mod graph;
mod pack;
mod place;
mod ranks;
mod stacks;

use super::reduced::Reduced;
use super::{DETAIL_SIZE, DrawError, LABEL_SIZE, MOST_BENDS, MOST_NODES, Node, Picture, text};
use graph::{Block, Graph};
use pack::Packed;

/// Columns after which a label or detail goes to the next line.
const COLUMNS: usize = 24;
/// Lines of a label; what is longer is cut there.
const LABEL_LINES: usize = 3;
/// Lines of a detail.
const DETAIL_LINES: usize = 2;
/// From a line of a label to the next, and of a detail.
pub(super) const LABEL_STEP: f64 = 16.0;
/// From a line of a detail to the next.
pub(super) const DETAIL_STEP: f64 = 14.0;
/// Between a text and the border of its box: beside it, and above and below.
pub(super) const PADDING: (f64, f64) = (10.0, 6.0);
/// The diameter of a node without a text.
const DOT: f64 = 14.0;
/// Around the whole picture.
const MARGIN: f64 = 16.0;
/// A picture that is wider than this, and than twice its height, hangs small trees in lists.
const WIDE: f64 = 1_400.0;
/// How large a tree may be that is hung in a list: what is tried.
const HUNG: [usize; 5] = [1, 4, 9, 18, 36];
/// The height of a column of a list after which there are more columns: what is tried.
const TALL: [f64; 3] = [140.0, 260.0, 420.0];

/// A picture's boxes and edges, in pixels from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The width of the whole.
    pub width: f64,
    /// The height of the whole.
    pub height: f64,
    /// The box of each node.
    pub frames: Vec<Frame>,
    /// The edges that are drawn, by upper, then lower node.
    pub routes: Vec<Route>,
}

/// The box of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its left border.
    pub x: f64,
    /// Its upper border.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The lines of its label.
    pub label: Vec<String>,
    /// The lines of its detail.
    pub detail: Vec<String>,
}

/// A drawn edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The more general node.
    pub upper: u32,
    /// The more specific node.
    pub lower: u32,
    /// From the box of the upper to the box of the lower: corners joined by straight lines.
    pub points: Vec<(f64, f64)>,
}

/// A part that hangs together, at its own origin.
struct Piece {
    width: f64,
    height: f64,
    /// Each node's upper left corner.
    corners: Vec<(u32, f64, f64)>,
    routes: Vec<Route>,
}

/// Lays a picture out.
pub fn layout(picture: &Picture) -> Result<Layout, DrawError> {
    let nodes = picture.nodes.len();
    if nodes > MOST_NODES {
        return Err(DrawError::TooManyNodes { nodes });
    }
    let order = Reduced::of(picture)?;
    let ranks = ranks::ranks(&order);
    if ranks::bends(&order, &ranks) > MOST_BENDS {
        return Err(DrawError::TooManyBends);
    }
    let mut frames: Vec<Frame> = picture.nodes.iter().map(frame).collect();
    let parts = parts(&order);
    let arranged = |largest: usize, tallest: f64| -> (Vec<Piece>, Packed) {
        let piece = |part: &Vec<u32>| {
            let blocks = stacks::blocks(&order, &frames, part, largest, tallest);
            piece(&order, &frames, &ranks, blocks)
        };
        let pieces: Vec<Piece> = parts.iter().map(piece).collect();
        let packed = pack::pack(&pieces);
        (pieces, packed)
    };
    let (mut pieces, mut packed) = arranged(0, 0.0);
    if packed.width > WIDE && packed.width > 2.0 * packed.height {
        let tried = HUNG
            .iter()
            .flat_map(|&largest| TALL.map(|tallest| (largest, tallest)));
        for (largest, tallest) in tried {
            let other = arranged(largest, tallest);
            if other.1.needs() < packed.needs() {
                (pieces, packed) = other;
            }
        }
    }
    let mut routes = Vec::new();
    for (piece, &(x, y)) in pieces.into_iter().zip(&packed.corners) {
        let (x, y) = (x + MARGIN, y + MARGIN);
        for (node, left, top) in piece.corners {
            let frame = &mut frames[node as usize];
            (frame.x, frame.y) = (x + left, y + top);
        }
        routes.extend(piece.routes.into_iter().map(|mut route| {
            for point in &mut route.points {
                *point = (point.0 + x, point.1 + y);
            }
            route
        }));
    }
    routes.sort_by_key(|route| (route.upper, route.lower));
    Ok(Layout {
        width: packed.width + 2.0 * MARGIN,
        height: packed.height + 2.0 * MARGIN,
        frames,
        routes,
    })
}

/// The box of a node, with its lines, at no place yet.
fn frame(node: &Node) -> Frame {
    let label = text::wrap(&text::line(&node.label), COLUMNS, LABEL_LINES);
    let detail = node.detail.as_deref().unwrap_or("");
    let detail = text::wrap(&text::line(detail), COLUMNS, DETAIL_LINES);
    if label.is_empty() && detail.is_empty() {
        return Frame {
            width: DOT,
            height: DOT,
            ..Frame::default()
        };
    }
    let wide = |lines: &[String], size: f64| {
        let widths = lines.iter().map(|line| text::width(line, size));
        widths.fold(0.0, f64::max)
    };
    let text_width = wide(&label, LABEL_SIZE).max(wide(&detail, DETAIL_SIZE));
    let text_height = label.len() as f64 * LABEL_STEP + detail.len() as f64 * DETAIL_STEP;
    Frame {
        width: (text_width + 2.0 * PADDING.0).max(36.0).ceil(),
        height: text_height + 2.0 * PADDING.1,
        label,
        detail,
        ..Frame::default()
    }
}

/// The nodes that hang together, each part ascending; the largest first, then by the smallest node.
fn parts(order: &Reduced) -> Vec<Vec<u32>> {
    let mut seen = vec![false; order.len()];
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for start in 0..order.len() as u32 {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let mut part = vec![start];
        let mut next = 0;
        while let Some(&node) = part.get(next) {
            next += 1;
            let (up, down) = (
                &order.parents[node as usize],
                &order.children[node as usize],
            );
            for &other in up.iter().chain(down) {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    part.push(other);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), part.first().copied()));
    parts
}

/// Lays one part out.
fn piece(order: &Reduced, frames: &[Frame], ranks: &[u32], blocks: Vec<Block>) -> Piece {
    let mut graph = Graph::new(order, ranks, blocks);
    crossings::reduce(&mut graph);
    let across = place::across(&graph);
    let bands = place::bands(&graph, &across);
    let left = graph.vertices().map(|v| across[v] - graph.left[v]);
    let left = left.fold(f64::INFINITY, f64::min);
    let right = graph.vertices().map(|v| across[v] + graph.right[v]);
    let right = right.fold(f64::NEG_INFINITY, f64::max);
    let drops = drops(&graph);
    let at = |v: usize| (across[v] - left, bands[graph.level[v]].0 + drops[v]);
    let mut corners = Vec::new();
    for (v, block) in graph.blocks.iter().enumerate() {
        let (x, y) = at(v);
        corners.extend(block.cells.iter().map(|c| (c.node, x + c.x, y + c.y)));
    }
    let mut routes = Vec::new();
    for chain in &graph.chains {
        let upper = &graph.blocks[chain.upper].cells[0];
        let (x, y) = at(chain.upper);
        let leaves = y + upper.y + frames[upper.node as usize].height;
        let mut points = vec![(x, leaves), (x, bands[graph.level[chain.upper]].1)];
        for &bend in &chain.bends {
            let x = across[bend] - left;
            let (top, bottom) = bands[graph.level[bend]];
            points.extend([(x, top), (x, bottom)]);
        }
        let (x, y) = at(chain.lower);
        points.push((x, bands[graph.level[chain.lower]].0));
        for cell in &graph.blocks[chain.lower].cells {
            let inner = cell.way.iter().map(|&(dx, dy)| (x + dx, y + dy));
            let outer = points.iter().copied().filter(|_| cell.on.is_none());
            routes.push(Route {
                upper: cell.on.unwrap_or(upper.node),
                lower: cell.node,
                points: without_repetition(outer.chain(inner).collect()),
            });
        }
    }
    Piece {
        width: right - left,
        height: bands.last().map_or(0.0, |band| band.1),
        corners,
        routes,
    }
}

/// How far each vertex lies below the top of its level: single nodes are centred on the
/// highest of them; lists hang from the top.
fn drops(graph: &Graph) -> Vec<f64> {
    let mut drops = vec![0.0; graph.level.len()];
    for level in &graph.levels {
        let single = |&v: &usize| graph.blocks.get(v).filter(|block| block.cells.len() == 1);
        let heights = level.iter().filter_map(single).map(|block| block.height);
        let highest = heights.fold(0.0, f64::max);
        for v in level {
            if let Some(block) = single(v) {
                drops[*v] = (highest - block.height) / 2.0;
            }
        }
    }
    drops
}

/// The corners alone: no point twice, and none amid an upright line.
fn without_repetition(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for point in points {
        if let [.., before, last] = kept[..]
            && before.0 == last.0
            && last.0 == point.0
        {
            kept.pop();
        }
        if kept.last() != Some(&point) {
            kept.push(point);
        }
    }
    kept
}
