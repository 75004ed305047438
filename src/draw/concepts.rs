//! A concept lattice as a picture.

use super::{Mark, Node, Picture};
use crate::order::concepts::{ConceptLattice, Context};

/// Names of one node that are written; the rest is counted.
const MOST_NAMES: usize = 4;

/// The concept lattice of a context. Each attribute is written once, at the highest concept that
/// has it, each object once, at the lowest: a concept has the attributes written at it and
/// above, and the objects at it and below (Ganter and Wille, 1999).
///
/// Attributes are labels, objects details. A concept that introduces neither is a dot.
/// A name that is absent is its number.
pub fn concept_picture(
    lattice: &ConceptLattice,
    context: &Context,
    objects: &[String],
    attributes: &[String],
) -> Picture {
    let mut at_home: Vec<Vec<u32>> = vec![Vec::new(); lattice.len()];
    for (object, home) in (0u32..).zip(lattice.homes(context)) {
        if let Some(home) = home {
            at_home[home as usize].push(object);
        }
    }
    let mut picture = Picture::new(format!(
        "{} concepts of {} objects and {} attributes",
        lattice.len(),
        context.objects(),
        context.attributes(),
    ));
    for (concept, residents) in (0u32..).zip(&at_home) {
        let mut node = Node::new(named(&lattice.introduced(concept), attributes));
        if !residents.is_empty() {
            node.detail = Some(named(residents, objects));
        }
        if lattice.upper(concept).is_empty() {
            node.mark = Mark::Root;
        }
        picture.nodes.push(node);
        let lower = lattice.lower(concept).iter();
        picture.edges.extend(lower.map(|&lower| (concept, lower)));
    }
    picture
}

fn named(numbers: &[u32], names: &[String]) -> String {
    let name = |&number: &u32| match names.get(number as usize) {
        Some(name) => name.clone(),
        None => number.to_string(),
    };
    let mut shown: Vec<String> = numbers.iter().take(MOST_NAMES).map(name).collect();
    if numbers.len() > MOST_NAMES {
        shown.push(format!("and {} more", numbers.len() - MOST_NAMES));
    }
    shown.join(", ")
}
