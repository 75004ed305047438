//! Numbers that stand for things of one lattice. They mean nothing in another.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $repr:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub $repr);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A dimension: its rank among the lattice's dimensions sorted by name.
    DimensionId,
    u16
);
id!(
    /// An instance: its rank among the lattice's instances sorted by name, then
    /// id. Ascending ids are therefore the canonical order of answers.
    InstanceId,
    u32
);
id!(
    /// A value of one dimension, in the canonical order of that dimension's kind:
    /// TAXONOMY: rank of the name; ENTITY: the number of the instance; NUMBER and
    /// DATE: rank of the interval by (lo, hi) among the distinct recorded ones;
    /// TEXT: rank of the string among the distinct recorded ones.
    ValueId,
    u32
);
id!(
    /// A recorded predicate: its position in the table of its dimension and
    /// polarity.
    PredicateId,
    u32
);
id!(
    /// A piece of source text; ascending ids are the canonical order of sources.
    EvidenceId,
    u32
);
