//! A value as people and programs read it.

use crate::lattice::{DimensionId, InstanceId, Lattice, ValueId};
use crate::verdict::print_value;
use serde::Serialize;
use std::fmt;

/// A value by its word in LQ, and its label where that says more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Named {
    /// What stands for it in a query: a taxonomy's value, `@id` of an instance
    /// whose name is not its id, a printed number or date.
    pub value: String,
    /// The name of the instance with that id; of a taxonomy loaded from an
    /// ontology the label of the term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Named {
    /// An instance.
    pub fn instance(lattice: &Lattice, i: u32) -> Named {
        let i = InstanceId(i);
        let (name, id) = (lattice.name(i), lattice.id(i));
        match name == id {
            true => Named {
                value: name.to_owned(),
                label: None,
            },
            false => Named {
                value: format!("@{id}"),
                label: Some(name.to_owned()),
            },
        }
    }

    /// The value with this number; of an ENTITY dimension an instance.
    pub fn of(lattice: &Lattice, d: DimensionId, v: u32) -> Named {
        if lattice.dimension(d).is_entity() {
            return Named::instance(lattice, v);
        }
        let value = print_value(lattice, &lattice.value(d, ValueId(v)));
        let label = lattice
            .taxonomy(d)
            .and_then(|_| lattice.by_id(&value))
            .map(|i| lattice.name(i).to_owned())
            .filter(|name| *name != value);
        Named { value, label }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => write!(f, "{} ({label})", self.value),
            None => f.write_str(&self.value),
        }
    }
}
