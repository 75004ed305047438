//! Declarations of dimensions, and how two declarations of one agree.

use super::{BuildError, Multiplicity};
use serde::{Deserialize, Serialize};

/// What a dimension is declared to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionSpec {
    /// Its name: any string but an empty one and `name`.
    pub name: String,
    /// Its kind.
    pub kind: KindSpec,
    /// ONE or MANY; MANY where nobody says.
    pub multiplicity: Option<Multiplicity>,
    /// Whether what is not recorded is false.
    pub complete: bool,
    /// The inverse dimension, by name.
    pub inverse: Option<String>,
    /// Whether it must pass CHECK to be used.
    pub strict: bool,
    /// Other wordings.
    pub aka: Vec<String>,
}

impl DimensionSpec {
    /// A dimension of which nothing is said but its name and kind.
    pub fn new(name: impl Into<String>, kind: KindSpec) -> DimensionSpec {
        DimensionSpec {
            name: name.into(),
            kind,
            multiplicity: None,
            complete: false,
            inverse: None,
            strict: false,
            aka: Vec::new(),
        }
    }

    /// What both declarations say together: what one leaves open the other may
    /// say, and what both say must be the same.
    pub(super) fn merged(&self, other: &DimensionSpec) -> Result<DimensionSpec, BuildError> {
        let conflict = || BuildError::Redeclared {
            dimension: self.name.clone(),
            first: self.wording(),
            second: other.wording(),
        };
        let mut aka = self.aka.clone();
        aka.extend(other.aka.iter().cloned());
        aka.sort();
        aka.dedup();
        Ok(DimensionSpec {
            name: self.name.clone(),
            kind: self.kind.merged(&other.kind).ok_or_else(conflict)?,
            multiplicity: either(self.multiplicity, other.multiplicity).ok_or_else(conflict)?,
            complete: self.complete || other.complete,
            inverse: either(self.inverse.clone(), other.inverse.clone()).ok_or_else(conflict)?,
            strict: self.strict || other.strict,
            aka,
        })
    }

    /// The declaration as it is written in LQ, without its name.
    pub(super) fn wording(&self) -> String {
        let mut text = self.kind.word().to_owned();
        match &self.kind {
            KindSpec::Number { unit: Some(unit) } => text.push_str(&format!(" UNIT {unit}")),
            KindSpec::Entity {
                within: Some(within),
            } => text.push_str(&format!(" WITHIN {within}")),
            _ => {}
        }
        match self.multiplicity {
            Some(Multiplicity::One) => text.push_str(" ONE"),
            Some(Multiplicity::Many) => text.push_str(" MANY"),
            None => {}
        }
        if let Some(inverse) = &self.inverse {
            text.push_str(&format!(" INVERSE {inverse}"));
        }
        text
    }
}

/// The kind of a dimension, with what it refers to by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KindSpec {
    /// Named values under a DAG.
    Taxonomy,
    /// Instances.
    Entity {
        /// The relation that orders them, which may be declared later.
        within: Option<String>,
    },
    /// Closed intervals of exact decimals.
    Number {
        /// The unit that numbers without one are in.
        unit: Option<String>,
    },
    /// Closed intervals of days.
    Date,
    /// Strings.
    Text,
}

impl KindSpec {
    /// The keyword.
    pub(super) fn word(&self) -> &'static str {
        match self {
            KindSpec::Taxonomy => "TAXONOMY",
            KindSpec::Entity { .. } => "ENTITY",
            KindSpec::Number { .. } => "NUMBER",
            KindSpec::Date => "DATE",
            KindSpec::Text => "TEXT",
        }
    }

    /// What such a dimension takes, for messages.
    pub(super) fn takes(&self) -> &'static str {
        match self {
            KindSpec::Taxonomy => "the name of a value",
            KindSpec::Entity { .. } => "an instance",
            KindSpec::Number { .. } => "a number",
            KindSpec::Date => "a date",
            KindSpec::Text => "a string",
        }
    }

    pub(super) fn merged(&self, other: &KindSpec) -> Option<KindSpec> {
        match (self, other) {
            (KindSpec::Entity { within: a }, KindSpec::Entity { within: b }) => {
                let within = either(a.clone(), b.clone())?;
                Some(KindSpec::Entity { within })
            }
            // A unit cannot be added later: the numbers so far had none.
            _ => (self == other).then(|| self.clone()),
        }
    }
}

/// What one of two says, if the other says nothing or the same.
fn either<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<Option<T>> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => Some(a.or(b)),
    }
}
