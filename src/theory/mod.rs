//! What the order theory says about the dimensions of a lattice: CHECK, WIDTH,
//! INDEPENDENCE, CONCEPTS, IMPLICATIONS, SUGGEST.
//!
//! `Lattice + dimensions → Report`: plain data with names, which the program prints
//! and a program reads as JSON. The mathematics is in [`crate::order`]; here values
//! get their numbers there, and what is found gets its names back. Which instances
//! have a value is asked of the engine, so that a concept's extent is what the MEET
//! of its values answers.

mod check;
mod concepts;
mod defects;
mod implications;
mod independence;
mod named;
mod ordered;
mod suggest;
mod table;
mod width;

pub use check::{
    Ambiguity, Checked, Distributivity, Duplicate, Legitimacy, Triple, Uncovered, Undefined,
    Uniqueness, check,
};
pub use concepts::{ConceptLine, Concepts, MOST_CONCEPTS, Neighbours, concepts};
pub use implications::{ImplicationLine, Implications, MOST_IMPLICATIONS, implications};
pub use independence::{IndependenceReport, independence, joint_order};
pub use named::Named;
pub use ordered::{NoOrder, Ordered};
pub use suggest::{Suggestion, Suggestions, suggest};
pub use table::{Valued, context};
pub use width::{WidthReport, width};

use crate::engine::RunError;
use serde::Serialize;

/// What one of the statements found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// CHECK.
    Check(Box<Checked>),
    /// WIDTH.
    Width(WidthReport),
    /// INDEPENDENCE.
    Independence(IndependenceReport),
    /// CONCEPTS.
    Concepts(Concepts),
    /// IMPLICATIONS.
    Implications(Implications),
    /// SUGGEST.
    Suggest(Suggestions),
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum TheoryError {
    /// The dimension has no order that could be looked at.
    #[error(transparent)]
    NoOrder(#[from] NoOrder),
    /// It is larger than can be held.
    #[error("{0}")]
    TooLarge(String),
    /// The budget is spent, or the file cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
}
