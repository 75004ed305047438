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
        let introduced = named(&lattice.introduced(concept), attributes);
        let residents = named(residents, objects);
        let is_top = lattice.upper(concept).is_empty();
        picture
            .nodes
            .push(concept_node(&introduced, &residents, is_top));
        let lower = lattice.lower(concept).iter();
        picture.edges.extend(lower.map(|&lower| (concept, lower)));
    }
    picture
}

/// A concept with the attributes that it introduces and the objects that are at home in it.
pub fn concept_node(introduces: &[String], objects: &[String], is_top: bool) -> Node {
    let mut node = Node::new(few(introduces));
    if !objects.is_empty() {
        node.detail = Some(few(objects));
    }
    if is_top {
        node.mark = Mark::Root;
    }
    node
}

fn named(numbers: &[u32], names: &[String]) -> Vec<String> {
    let name = |&number: &u32| match names.get(number as usize) {
        Some(name) => name.clone(),
        None => number.to_string(),
    };
    numbers.iter().map(name).collect()
}

/// The first names, and how many more there are.
fn few(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_NAMES).cloned().collect();
    if names.len() > MOST_NAMES {
        shown.push(format!("and {} more", names.len() - MOST_NAMES));
    }
    shown.join(", ")
}
