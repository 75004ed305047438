//! The laws that every layout of a picture keeps.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::draw::{Frame, Layout, Picture};
use std::collections::BTreeSet;

fn apart(a: &Frame, b: &Frame) -> bool {
    a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y
}

/// Whether a line touches a box (Liang and Barsky, 1984).
fn touches(from: (f64, f64), to: (f64, f64), frame: &Frame) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave): (f64, f64) = (0.0, 1.0);
    for (d, low) in [
        (-dx, from.0 - frame.x),
        (dx, frame.x + frame.width - from.0),
        (-dy, from.1 - frame.y),
        (dy, frame.y + frame.height - from.1),
    ] {
        if d == 0.0 {
            if low < 0.0 {
                return false;
            }
        } else if d < 0.0 {
            enter = enter.max(low / d);
        } else {
            leave = leave.min(low / d);
        }
    }
    enter <= leave
}

/// Whether a point lies on the border of a box.
fn on_border(point: (f64, f64), frame: &Frame) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let (right, bottom) = (frame.x + frame.width, frame.y + frame.height);
    let within = |at: f64, low: f64, high: f64| at > low - 1e-6 && at < high + 1e-6;
    (near(point.0, frame.x) || near(point.0, right)) && within(point.1, frame.y, bottom)
        || (near(point.1, frame.y) || near(point.1, bottom)) && within(point.0, frame.x, right)
}

/// The laws that every layout keeps.
pub fn assert_lawful(picture: &Picture, layout: &Layout, covers: Option<&BTreeSet<(u32, u32)>>) {
    assert_eq!(layout.frames.len(), picture.nodes.len());
    for (at, frame) in layout.frames.iter().enumerate() {
        assert!(frame.x >= 0.0 && frame.x + frame.width <= layout.width);
        assert!(frame.y >= 0.0 && frame.y + frame.height <= layout.height);
        for (other, later) in layout.frames.iter().enumerate().skip(at + 1) {
            assert!(
                apart(frame, later),
                "boxes {at} and {other}: {frame:?} {later:?}"
            );
        }
    }
    if let Some(covers) = covers {
        let drawn: Vec<(u32, u32)> = layout.routes.iter().map(|r| (r.upper, r.lower)).collect();
        assert_eq!(drawn, covers.iter().copied().collect::<Vec<_>>());
    }
    for route in &layout.routes {
        let (upper, lower) = (
            &layout.frames[route.upper as usize],
            &layout.frames[route.lower as usize],
        );
        assert!(on_border(route.points[0], upper), "{route:?} {upper:?}");
        assert!(
            on_border(*route.points.last().unwrap(), lower),
            "{route:?} {lower:?}"
        );
        assert!(upper.y + upper.height < lower.y, "edges lead down");
        for pair in route.points.windows(2) {
            assert!(pair[0].1 <= pair[1].1, "an edge turns back up: {route:?}");
            for (at, frame) in layout.frames.iter().enumerate() {
                let own = at as u32 == route.upper || at as u32 == route.lower;
                assert!(
                    own || !touches(pair[0], pair[1], frame),
                    "{route:?} runs through the box of {at}"
                );
            }
        }
    }
}
