//! A path of relations as an LQ query, in text.
//!
//! What a hop reaches is written as a condition on where it ends, on the inverse:
//! what `a` is directed by is what `directed = "a"` holds for.

use super::question::{Hop, Question};
use crate::lattice::{DimensionId, Lattice};
use crate::syntax::print::{print_word, quote};

/// The plan of a question over this lattice. Relations that the lattice lacks stay
/// in it, for the engine to refuse.
pub(super) fn plan(question: &Question, lattice: &Lattice) -> String {
    let topic = quote(&question.topic);
    let without = format!(" AND name != {topic}");
    let mut reached: Option<String> = None;
    for hop in &question.path {
        let from = match &reached {
            None => format!("= {topic}"),
            Some(query) => format!("IN ({query})"),
        };
        let step = Step::of(hop, lattice);
        let mut query = match &step {
            Step::Condition(dimension) => format!("MEET {dimension} {from}"),
            Step::Return(dimension, _) => format!("MEET name {from} RETURN {dimension}"),
        };
        match step {
            _ if !question.drop_topic => {}
            Step::Condition(_) => query += &without,
            Step::Return(_, true) => query = format!("MEET name IN ({query}){without}"),
            // Values of another kind than ENTITY are never the topic.
            Step::Return(_, false) => {}
        }
        reached = Some(query);
    }
    reached.unwrap_or_default()
}

/// How one hop is written.
enum Step {
    /// As a condition on this dimension of the thing that is reached.
    Condition(String),
    /// As the values of this dimension, which are instances or are not.
    Return(String, bool),
}

impl Step {
    fn of(hop: &Hop, lattice: &Lattice) -> Step {
        let Some(d) = lattice.find_dimension(&hop.relation) else {
            return match hop.backward {
                true => Step::Condition(print_word(&hop.relation)),
                false => Step::Return(print_word(&hop.relation), true),
            };
        };
        let name = |d: DimensionId| print_word(&lattice.dimension(d).name);
        let dimension = lattice.dimension(d);
        match (hop.backward, dimension.inverse) {
            (true, _) => Step::Condition(name(d)),
            (false, Some(inverse)) => Step::Condition(name(inverse)),
            (false, None) => Step::Return(name(d), dimension.is_entity()),
        }
    }
}
