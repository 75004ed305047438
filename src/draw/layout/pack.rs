//! Parts that hang not together, side by side and below each other.

use super::Piece;

/// Between two parts.
const GAP: f64 = 30.0;
/// Between two nodes that stand alone.
const GAP_ALONE: f64 = 14.0;
/// The width that is aimed at, in heights: about that of a screen.
const ASPECT: f64 = 1.6;

/// Where the parts lie.
pub struct Packed {
    pub width: f64,
    pub height: f64,
    /// The upper left corner of each part.
    pub corners: Vec<(f64, f64)>,
}

impl Packed {
    /// The height of the screen, as wide as they are, that shows all of it.
    pub fn needs(&self) -> f64 {
        self.height.max(self.width / ASPECT)
    }
}

/// Sets parts in rows, in the order given.
pub fn pack(pieces: &[Piece]) -> Packed {
    let gap = |piece: &Piece| match piece.corners.len() {
        1 => GAP_ALONE,
        _ => GAP,
    };
    let area: f64 = pieces
        .iter()
        .map(|p| (p.width + gap(p)) * (p.height + gap(p)))
        .sum();
    let widest = pieces.iter().map(|p| p.width).fold(0.0, f64::max);
    let aim = widest.max((area * ASPECT).sqrt());
    let mut packed = Packed {
        width: 0.0,
        height: 0.0,
        corners: Vec::with_capacity(pieces.len()),
    };
    let (mut x, mut y, mut row): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for piece in pieces {
        if x > 0.0 && x + piece.width > aim {
            (x, y, row) = (0.0, y + row + gap(piece), 0.0);
        }
        packed.corners.push((x, y));
        packed.width = packed.width.max(x + piece.width);
        row = row.max(piece.height);
        packed.height = y + row;
        x += piece.width + gap(piece);
    }
    packed
}
