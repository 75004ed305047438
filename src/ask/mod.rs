//! Questions in English: planners that write LQ.
//!
//! ```text
//! question ─ words ─► Words ─ chart (lexicon, names, extents) ─► readings
//!          ─ compose ─► Query, printed as LQ: the plan
//! ```
//!
//! Everything behind the plan is the way of any other query.

#![deny(clippy::indexing_slicing)]

mod chart;
mod compose;
mod extents;
mod lexicon;
mod names;
mod planner;
mod sorts;
mod vocabulary;
mod wording;
mod words;

pub use planner::{Planner, Reading, Understood};
pub use vocabulary::{Pattern, Vocabulary};
pub use wording::{Hole, HoleKind, Piece, Wording};
