//! A vocabulary from examples: questions with their answers, over a lattice.
//!
//! ```text
//! examples ─ wordings ─► Wording ─ align ─► Aligned { wording, candidate paths }
//!          ─ associate ─► words for dimensions, words that say nothing; the path meant
//!          ─ induce ─► patterns for what these do not explain
//! ```
//!
//! Everything is counted and nothing is drawn: the same examples give the same text.

mod align;
mod associate;
mod induce;
mod path;

use super::examples::Example;
use super::vocabulary::Vocabulary;
use crate::lattice::Lattice;
use crate::syntax::Diagnostic;
use align::{align, wordings};
use rayon::prelude::*;

pub use induce::Learned;

/// Learns a vocabulary. `known` is what is known before, such as English.
///
/// # Errors
/// If what was learned is no LQ, which is a defect of this program.
pub fn learn(
    lattice: &Lattice,
    examples: &[Example],
    known: &Vocabulary,
) -> Result<Learned, Vec<Diagnostic>> {
    let mut planner = super::planner::Planner::new(lattice, known);
    let wordings = wordings(examples, &planner);
    let total = wordings.len();
    let aligned: Vec<align::Aligned> = wordings
        .into_par_iter()
        .filter_map(|wording| align(wording, lattice))
        .collect();
    let (words, meant) = associate::associate(&aligned, &planner, lattice);
    induce::induce(lattice, &meant, total, &words, known, &mut planner)
}
