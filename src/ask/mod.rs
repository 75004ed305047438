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
mod examples;
mod extents;
mod learn;
mod lexicon;
mod names;
mod planner;
pub mod plans;
mod sorts;
mod split;
mod vocabulary;
mod wording;
mod words;

pub use examples::{Example, ExamplesError, answer_set, read as read_examples};
pub(crate) use examples::{Written, listed};
pub use learn::{Learned, learn};
pub use planner::{Planner, Reading, Understood};
pub use split::{Part, SEED, examples_of, part_of, stratum};
pub use vocabulary::{Pattern, Vocabulary};
pub use wording::{Hole, HoleKind, Piece, Wording};
