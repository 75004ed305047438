//! Why an answer is not the gold set: one class for each miss.

use super::answer::Found;
use super::score::Score;
use crate::lattice::{DimensionId, Lattice};
use crate::verdict::print_value;
use serde::{Deserialize, Serialize};

/// The class of a miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Miss {
    /// No plan was found, or several that answer differently.
    NotUnderstood,
    /// The plan names a dimension that the lattice lacks, or that cannot take what the
    /// plan does with it.
    Dimension,
    /// The plan names an instance or a value that the lattice lacks.
    Name,
    /// Nothing satisfies the plan, though a gold name is in the lattice.
    NoHitInLattice,
    /// Nothing satisfies the plan, and no gold name is in the lattice.
    NoHitNotInLattice,
    /// The plan's constraints have no common lower bound.
    Conflict,
    /// The plan declines, or the answer would have to be computed.
    Declined,
    /// An answer in which no name is gold.
    WrongHit,
    /// An answer that has gold names, and lacks some or has others beside.
    PartialHit,
}

impl Miss {
    /// Every class, in the order of the report.
    pub const ALL: [Miss; 9] = [
        Miss::NotUnderstood,
        Miss::Dimension,
        Miss::Name,
        Miss::NoHitInLattice,
        Miss::NoHitNotInLattice,
        Miss::Conflict,
        Miss::Declined,
        Miss::WrongHit,
        Miss::PartialHit,
    ];

    /// The class in words.
    pub fn words(self) -> &'static str {
        match self {
            Miss::NotUnderstood => "not understood",
            Miss::Dimension => "dimension",
            Miss::Name => "name",
            Miss::NoHitInLattice => "no hit, an answer in the lattice",
            Miss::NoHitNotInLattice => "no hit, no answer in the lattice",
            Miss::Conflict => "conflict",
            Miss::Declined => "declined",
            Miss::WrongHit => "wrong hit",
            Miss::PartialHit => "partial hit",
        }
    }

    /// The class of what is not the gold set.
    pub(super) fn of(found: &Found, score: &Score, gold: &[String], lattice: &Lattice) -> Miss {
        let code = match found {
            Ok(_) if score.any_hit() => return Miss::PartialHit,
            Ok(_) => return Miss::WrongHit,
            Err(code) => *code,
        };
        match code {
            "not-understood" | "ambiguous" => Miss::NotUnderstood,
            "unknown-dimension" | "mismatch" => Miss::Dimension,
            "unknown-name" | "unknown-value" => Miss::Name,
            "conflict" => Miss::Conflict,
            "declined" | "derived" | "unsupported" => Miss::Declined,
            // `empty`, `missing`, `incomparable`, `empty-lattice`.
            _ => match gold.iter().any(|name| is_in(lattice, name)) {
                true => Miss::NoHitInLattice,
                false => Miss::NoHitNotInLattice,
            },
        }
    }
}

/// Whether a lattice has something that is called so: an instance or a value.
fn is_in(lattice: &Lattice, name: &str) -> bool {
    if !lattice.called(name).instances.is_empty() {
        return true;
    }
    let dimensions = (0u16..).map(DimensionId).zip(lattice.dimensions());
    let mut values = dimensions.filter(|(_, dimension)| !dimension.is_entity());
    values.any(|(d, _)| {
        if let Some(taxonomy) = lattice.taxonomy(d) {
            return !taxonomy.find(name).is_empty();
        }
        lattice.find_text(d, name).is_some()
            || lattice.recorded_values(d).iter().any(|&v| {
                let value = lattice.value(d, crate::lattice::ValueId(v));
                super::normal::folded(&print_value(lattice, &value)) == *name
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::score::score;
    use super::*;

    #[test]
    fn every_code_has_a_class() {
        let lattice = Lattice::empty();
        let gold = ["b".to_owned()];
        let class = |found: Found| {
            let score = score(found.as_deref().ok(), &gold);
            Miss::of(&found, &score, &gold, &lattice)
        };
        for (code, miss) in [
            ("not-understood", Miss::NotUnderstood),
            ("ambiguous", Miss::NotUnderstood),
            ("unknown-dimension", Miss::Dimension),
            ("mismatch", Miss::Dimension),
            ("unknown-name", Miss::Name),
            ("unknown-value", Miss::Name),
            ("conflict", Miss::Conflict),
            ("declined", Miss::Declined),
            ("derived", Miss::Declined),
            ("empty", Miss::NoHitNotInLattice),
            ("missing", Miss::NoHitNotInLattice),
            ("incomparable", Miss::NoHitNotInLattice),
            ("empty-lattice", Miss::NoHitNotInLattice),
        ] {
            assert_eq!(class(Err(code)), miss, "{code}");
        }
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(class(Ok(names(&["a", "b"]))), Miss::PartialHit);
        assert_eq!(class(Ok(names(&["a"]))), Miss::WrongHit);
    }
}
