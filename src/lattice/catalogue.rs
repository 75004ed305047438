//! What a lattice is about: its dimensions and units, without any fact.

use super::DimensionId;
use serde::{Deserialize, Serialize};

/// The kind of a dimension, which decides its values and their order
/// (language page, section 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Kind {
    /// Named values under a DAG.
    Taxonomy,
    /// Instances; ordered by the closure of relation `within`, else flat.
    Entity {
        /// The ordering relation.
        within: Option<DimensionId>,
    },
    /// Closed intervals of exact decimals.
    Number {
        /// The unit that numbers without one are in.
        unit: Option<String>,
    },
    /// Closed intervals of days.
    Date,
    /// Strings, flat.
    Text,
}

/// How many true values an instance has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Multiplicity {
    /// One true value.
    One,
    /// Several.
    Many,
}

/// A declared dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Its kind.
    #[serde(flatten)]
    pub kind: Kind,
    /// ONE or MANY.
    pub multiplicity: Multiplicity,
    /// Whether what is not recorded is false.
    pub complete: bool,
    /// The inverse dimension, itself if symmetric.
    pub inverse: Option<DimensionId>,
    /// Whether this one is the side that `dump` writes: the declared side of a
    /// pair, the smaller name where both are declared.
    pub primary: bool,
    /// Whether it must pass CHECK to be used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Other wordings, sorted.
    pub aka: Vec<String>,
}

impl Dimension {
    /// Whether an instance has one true value.
    pub fn is_one(&self) -> bool {
        self.multiplicity == Multiplicity::One
    }
    /// Whether values are instances.
    pub fn is_entity(&self) -> bool {
        matches!(self.kind, Kind::Entity { .. })
    }
    /// The relation that orders an ENTITY dimension.
    pub fn within(&self) -> Option<DimensionId> {
        match self.kind {
            Kind::Entity { within } => within,
            _ => None,
        }
    }
}
