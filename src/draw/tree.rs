//! A picture as lines of text.

use super::reduced::Reduced;
use super::{Picture, text};
use std::collections::VecDeque;

/// How a tree is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeStyle {
    /// The columns of a line at most; a longer label is cut.
    pub width: Option<usize>,
    /// Whether the lines are drawn with ASCII characters alone. Labels stay as they are.
    pub ascii: bool,
}

impl Default for TreeStyle {
    /// Lines as long as the labels, drawn with box characters.
    fn default() -> TreeStyle {
        TreeStyle {
            width: None,
            ascii: false,
        }
    }
}

/// The most levels below each other where no width is given. What lies deeper follows as a
/// tree of its own, so that the whole grows with the nodes and not with their square.
const DEEPEST: usize = 40;
/// Columns of a level.
const STEP: usize = 3;
/// The fewest columns for a label.
const NARROWEST: usize = 16;

/// What the lines are drawn with.
struct Signs {
    branch: &'static str,
    last: &'static str,
    line: &'static str,
    above: &'static str,
    below: &'static str,
    ellipsis: &'static str,
    dot: &'static str,
}

const BOX: Signs = Signs {
    branch: "├─ ",
    last: "└─ ",
    line: "│  ",
    above: "↑ ",
    below: "↓ ",
    ellipsis: "…",
    dot: "·",
};

const ASCII: Signs = Signs {
    branch: "|- ",
    last: "`- ",
    line: "|  ",
    above: "^ ",
    below: "v ",
    ellipsis: "...",
    dot: ".",
};

/// A node that is still to be written: its place in the lines above it is known.
struct Waiting {
    node: u32,
    depth: usize,
    last: bool,
}

/// Writes the covers of a picture from its uppermost nodes down.
pub fn write(picture: &Picture, order: &Reduced, style: &TreeStyle) -> String {
    let signs = if style.ascii { &ASCII } else { &BOX };
    let deepest = match style.width {
        Some(width) => (width.saturating_sub(NARROWEST) / STEP).clamp(1, DEEPEST),
        None => DEEPEST,
    };
    let mut writer = Writer {
        picture,
        order,
        signs,
        width: style.width,
        written: vec![false; order.len()],
        put_off: vec![false; order.len()],
        open: Vec::new(),
        out: String::new(),
    };
    let uppermost = (0..order.len() as u32).filter(|&n| order.parents[n as usize].is_empty());
    for root in uppermost {
        let mut deeper = VecDeque::from([root]);
        while let Some(start) = deeper.pop_front() {
            // It may have come up again at less depth meanwhile.
            if writer.written[start as usize] {
                continue;
            }
            writer.tree(start, deepest, &mut deeper);
        }
    }
    writer.out
}

struct Writer<'p> {
    picture: &'p Picture,
    order: &'p Reduced,
    signs: &'static Signs,
    width: Option<usize>,
    written: Vec<bool>,
    put_off: Vec<bool>,
    /// For each level above, whether its line goes on.
    open: Vec<bool>,
    out: String,
}

impl Writer<'_> {
    /// One tree; what lies too deep is put off.
    fn tree(&mut self, start: u32, deepest: usize, deeper: &mut VecDeque<u32>) {
        let mut stack = vec![Waiting {
            node: start,
            depth: 0,
            last: true,
        }];
        while let Some(Waiting { node, depth, last }) = stack.pop() {
            self.open.truncate(depth.saturating_sub(1));
            let children = &self.order.children[node as usize];
            let label = self.label(node);
            if self.written[node as usize] {
                self.line(depth, last, self.signs.above, &label, " (above)");
                continue;
            }
            if depth == deepest && !children.is_empty() {
                self.line(depth, last, self.signs.below, &label, " (below)");
                if !std::mem::replace(&mut self.put_off[node as usize], true) {
                    deeper.push_back(node);
                }
                continue;
            }
            self.written[node as usize] = true;
            self.line(depth, last, "", &label, &self.detail(node));
            if depth > 0 {
                self.open.push(!last);
            }
            let lowest = children.last().copied();
            stack.extend(children.iter().rev().map(|&child| Waiting {
                node: child,
                depth: depth + 1,
                last: Some(child) == lowest,
            }));
        }
        self.open.clear();
    }

    fn label(&self, node: u32) -> String {
        let label = text::line(&self.picture.nodes[node as usize].label);
        match label.trim() {
            "" => self.signs.dot.to_string(),
            label => label.to_string(),
        }
    }

    /// What is said of a node after its label.
    fn detail(&self, node: u32) -> String {
        let node = &self.picture.nodes[node as usize];
        let detail = text::line(node.detail.as_deref().unwrap_or(""));
        let mut said = match detail.trim() {
            "" => String::new(),
            detail => format!("  {detail}"),
        };
        if let Some(word) = node.mark.word() {
            said.push_str(&format!("  ({word})"));
        }
        said
    }

    /// One line: the lines of the levels above, a sign, the label as far as there is room, and
    /// what is said of it.
    fn line(&mut self, depth: usize, last: bool, sign: &str, label: &str, said: &str) {
        let mut before = String::new();
        for &open in &self.open {
            before.push_str(if open { self.signs.line } else { "   " });
        }
        if depth > 0 {
            before.push_str(if last {
                self.signs.last
            } else {
                self.signs.branch
            });
        }
        before.push_str(sign);
        let line = match self.width {
            None => format!("{before}{label}{said}"),
            Some(width) => {
                let room = width.saturating_sub(text::columns(&before));
                let room_of_label = room
                    .saturating_sub(text::columns(said))
                    .max(NARROWEST.min(room));
                let label = text::cut(label, room_of_label, self.signs.ellipsis);
                let rest = room.saturating_sub(text::columns(&label));
                format!(
                    "{before}{label}{}",
                    text::cut(said, rest, self.signs.ellipsis)
                )
            }
        };
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}
