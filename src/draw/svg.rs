//! A picture as SVG.

use super::layout::{DETAIL_STEP, Frame, LABEL_STEP, Layout, PADDING, Route};
use super::{DETAIL_SIZE, LABEL_SIZE, Mark, Node, Picture};
use std::fmt::Write;

/// How far before and behind a corner an edge starts to turn.
const ROUND: f64 = 6.0;
/// From the top of a line to the line that letters stand on, in sizes of the font.
const BASELINE: f64 = 0.95;

/// The colours, by day and by night. Every mark is told by its border as well.
const STYLE: &str = "\
.lw-ground{fill:#fff}
.lw-edge{fill:none;stroke:#8a94a3;stroke-width:1.2;stroke-linejoin:round}
.lw-box{fill:#f8fafc;stroke:#5b6675;stroke-width:1}
.lw-root .lw-box{fill:#e6ecf4}
.lw-focus .lw-box{fill:#ffefc9;stroke:#8a5a00;stroke-width:2.5}
.lw-answer .lw-box{fill:#d9f2e3;stroke:#1b6b3f;stroke-width:2}
.lw-contested .lw-box{fill:#fde2e1;stroke:#a02622;stroke-width:1.5;stroke-dasharray:5 3}
.lw-label{fill:#14181f}
.lw-detail{fill:#4a5463}
@media (prefers-color-scheme:dark){
.lw-ground{fill:#14181f}
.lw-edge{stroke:#7d8796}
.lw-box{fill:#1f2630;stroke:#8a94a3}
.lw-root .lw-box{fill:#2a3442}
.lw-focus .lw-box{fill:#4a3a10;stroke:#f2c14e}
.lw-answer .lw-box{fill:#153a27;stroke:#5fcf92}
.lw-contested .lw-box{fill:#4a1d1b;stroke:#ff8d86}
.lw-label{fill:#eef2f7}
.lw-detail{fill:#b3bdca}
}
";

/// Writes a picture that was laid out.
pub fn write(picture: &Picture, layout: &Layout) -> String {
    let mut out = String::new();
    let (width, height) = (number(layout.width.ceil()), number(layout.height.ceil()));
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" text-anchor=\"middle\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escaped(&picture.title));
    let _ = writeln!(
        out,
        "<desc>{} and {}; what lies above is more general.</desc>",
        counted(layout.frames.len(), "node"),
        counted(layout.routes.len(), "edge"),
    );
    let _ = writeln!(out, "<style>\n{STYLE}</style>");
    let _ = writeln!(
        out,
        "<rect class=\"lw-ground\" width=\"{width}\" height=\"{height}\"/>"
    );
    for (at, route) in layout.routes.iter().enumerate() {
        let before = layout.routes[..at].iter().rev();
        let before = before.take_while(|other| other.upper == route.upper);
        edge(&mut out, route, &fresh(route, before));
    }
    for (at, (node, frame)) in picture.nodes.iter().zip(&layout.frames).enumerate() {
        boxed(&mut out, at, node, frame);
    }
    out.push_str("</svg>\n");
    out
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The part of an edge that was not drawn with edges from the same node: edges to a list
/// share their lines, and a line drawn twice looks thicker.
fn fresh<'r>(route: &Route, before: impl Iterator<Item = &'r Route>) -> Vec<(f64, f64)> {
    let points = &route.points;
    let shared = |other: &Route| {
        let same = points.iter().zip(&other.points).take_while(|(a, b)| a == b);
        let same = same.count();
        let corner = *points.get(same.checked_sub(1)?)?;
        let (mine, theirs) = (
            along(corner, *points.get(same)?),
            along(corner, *other.points.get(same)?),
        );
        let together = if mine.0 == theirs.0 {
            mine.1.min(theirs.1)
        } else {
            0.0
        };
        Some((same - 1, together)).filter(|_| same > 1 || together > 0.0)
    };
    let most = before
        .filter_map(shared)
        .max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let Some((corner, together)) = most else {
        return points.clone();
    };
    let ((dx, dy), _) = along(points[corner], points[corner + 1]);
    // Where the other turned off, it left the line a little before.
    let together = (together - ROUND).max(0.0);
    let start = (
        points[corner].0 + f64::from(dx) * together,
        points[corner].1 + f64::from(dy) * together,
    );
    let mut fresh = vec![start];
    fresh.extend(points[corner + 1..].iter().filter(|&&point| point != start));
    fresh
}

/// The direction of an upright or level line, and its length; no direction for another.
fn along(from: (f64, f64), to: (f64, f64)) -> ((i8, i8), f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let sign = |d: f64| if d > 0.0 { 1 } else { -1 };
    if dx == 0.0 && dy != 0.0 {
        ((0, sign(dy)), dy.abs())
    } else if dy == 0.0 && dx != 0.0 {
        ((sign(dx), 0), dx.abs())
    } else {
        ((0, 0), 0.0)
    }
}

/// An edge, with its corners rounded.
fn edge(out: &mut String, route: &Route, points: &[(f64, f64)]) {
    let _ = write!(
        out,
        "<path class=\"lw-edge\" data-edge=\"{} {}\" d=\"",
        route.upper, route.lower
    );
    for (at, &point) in points.iter().enumerate() {
        let around = (at > 0).then(|| points.get(at + 1)).flatten();
        match around {
            None => {
                let _ = write!(out, "{}{}", if at == 0 { 'M' } else { 'L' }, pair(point));
            }
            Some(&after) => {
                let (from, to) = (towards(point, points[at - 1]), towards(point, after));
                let _ = write!(out, "L{}Q{} {}", pair(from), pair(point), pair(to));
            }
        }
    }
    out.push_str("\"/>\n");
}

/// A point a little way from a corner, but not past the middle of the line.
fn towards(corner: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
    let length = (dx * dx + dy * dy).sqrt();
    let part = if length > 0.0 {
        (ROUND / length).min(0.5)
    } else {
        0.0
    };
    (corner.0 + dx * part, corner.1 + dy * part)
}

fn boxed(out: &mut String, at: usize, node: &Node, frame: &Frame) {
    let class = match node.mark {
        Mark::Plain => "",
        Mark::Root => " lw-root",
        Mark::Focus => " lw-focus",
        Mark::Answer => " lw-answer",
        Mark::Contested => " lw-contested",
    };
    let _ = write!(out, "<g class=\"lw-node{class}\" data-node=\"{at}\">");
    let _ = write!(out, "<title>{}</title>", escaped(&told(node)));
    let round = if frame.label.is_empty() && frame.detail.is_empty() {
        frame.width / 2.0
    } else {
        5.0
    };
    let _ = write!(
        out,
        "<rect class=\"lw-box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        number(frame.x),
        number(frame.y),
        number(frame.width),
        number(frame.height),
        number(round),
    );
    let middle = frame.x + frame.width / 2.0;
    let mut y = frame.y + PADDING.1;
    let parts = [
        ("lw-label", &frame.label, LABEL_SIZE, LABEL_STEP),
        ("lw-detail", &frame.detail, DETAIL_SIZE, DETAIL_STEP),
    ];
    for (class, lines, size, step) in parts {
        for line in lines {
            let _ = write!(
                out,
                "<text class=\"{class}\" font-size=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
                number(size),
                number(middle),
                number(y + size * BASELINE),
                escaped(line),
            );
            y += step;
        }
    }
    out.push_str("</g>\n");
}

/// All that is known of a node: what a reader hears, and sees beside the pointer.
fn told(node: &Node) -> String {
    let mut told = node.label.clone();
    if let Some(detail) = &node.detail {
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(detail);
    }
    if let Some(word) = node.mark.word() {
        told.push_str(&format!(" ({word})"));
    }
    told
}

fn pair(point: (f64, f64)) -> String {
    format!("{} {}", number(point.0), number(point.1))
}

/// A number with one digit after the point at most.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    let tenths = tenths.abs();
    match tenths % 10 {
        0 => format!("{sign}{}", tenths / 10),
        digit => format!("{sign}{}.{digit}", tenths / 10),
    }
}

/// A text as XML has it; characters that no XML may hold are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(' '),
            '\u{0}'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => {
                escaped.push('\u{FFFD}');
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_digit() {
        let all: Vec<String> = [0.0, -0.04, 1.25, -2.0, 12.96].map(number).to_vec();
        assert_eq!(all, ["0", "0", "1.3", "-2", "13"]);
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escaped("a<b>&\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;\u{FFFD} ");
    }
}
