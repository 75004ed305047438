//! A picture in the language of Graphviz.

use super::reduced::Reduced;
use super::{Mark, Picture, text};
use std::fmt::Write;

/// Columns after which a label goes to the next line.
const COLUMNS: usize = 24;
/// Lines of a label or a detail; the whole of it is in the tooltip.
const LINES: usize = 6;

/// Writes the covers of a picture.
pub fn write(picture: &Picture, order: &Reduced) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {{");
    let _ = writeln!(
        out,
        "  graph [rankdir=TB, label={}, labelloc=t];",
        quoted(&picture.title)
    );
    out.push_str(
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", \
         fontsize=13];\n  edge [arrowhead=none];\n",
    );
    for (at, node) in picture.nodes.iter().enumerate() {
        let label = text::wrap(&text::line(&node.label), COLUMNS, LINES);
        let detail = text::line(node.detail.as_deref().unwrap_or(""));
        let lines = [label, text::wrap(&detail, COLUMNS, LINES)].concat();
        let _ = write!(out, "  n{at} [label={}", quoted(&lines.join("\n")));
        let whole = [text::line(&node.label), detail].join("\n");
        let _ = write!(out, ", tooltip={}", quoted(whole.trim_matches('\n')));
        if lines.is_empty() {
            out.push_str(", shape=circle, width=0.15, fixedsize=true");
        }
        out.push_str(match node.mark {
            Mark::Plain => "",
            Mark::Root => ", fillcolor=\"#eef2f7\"",
            Mark::Focus => ", penwidth=2.5, fillcolor=\"#ffefc9\"",
            Mark::Answer => ", peripheries=2, fillcolor=\"#d9f2e3\"",
            Mark::Contested => ", style=\"rounded,filled,dashed\", fillcolor=\"#fde2e1\"",
        });
        out.push_str("];\n");
    }
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for (node, depth) in order.depths().into_iter().enumerate() {
        let depth = depth as usize;
        if levels.len() <= depth {
            levels.resize(depth + 1, Vec::new());
        }
        levels[depth].push(node);
    }
    for level in levels.iter().filter(|level| level.len() > 1) {
        out.push_str("  { rank=same;");
        for node in level {
            let _ = write!(out, " n{node};");
        }
        out.push_str(" }\n");
    }
    for (upper, lower) in order.edges() {
        let _ = writeln!(out, "  n{upper} -> n{lower};");
    }
    out.push_str("}\n");
    out
}

/// A quoted string that shows as the text: backslashes start escapes there, and `&` names
/// characters.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_is_escaped() {
        assert_eq!(quoted("a\"b\\N&lt;\n\u{7}"), r#""a\"b\\N&amp;lt;\n ""#);
    }
}
