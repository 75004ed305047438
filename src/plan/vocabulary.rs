//! The words of a lattice that a plan may use, for the grammar of plans.

use crate::lattice::{Kind, Lattice};
use crate::syntax::gbnf::{Vocabulary, WordKind};

/// The dimensions and units of a lattice, and these names and ids: the ones that a
/// question speaks of. Without any, a plan may name what it likes.
pub fn vocabulary(lattice: &Lattice, names: &[String], ids: &[String]) -> Vocabulary {
    let mut words = Vocabulary {
        names: names.iter().cloned().collect(),
        ids: ids.iter().cloned().collect(),
        ..Vocabulary::default()
    };
    for dimension in lattice.dimensions() {
        let kind = match &dimension.kind {
            Kind::Taxonomy => WordKind::Taxonomy,
            Kind::Entity { .. } => WordKind::Entity,
            Kind::Date => WordKind::Date,
            Kind::Text => WordKind::Text,
            Kind::Number { unit } => {
                words.units.extend(unit.clone());
                WordKind::Number
            }
        };
        words.dimensions.insert((dimension.name.clone(), kind));
    }
    for (name, _, base) in lattice.units().iter() {
        words.units.extend([name.to_owned(), base.to_owned()]);
    }
    words
}
