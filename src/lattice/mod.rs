//! The lattice: dimensions, instances, predicates and their evidence.
//!
//! A [`Lattice`] is an immutable snapshot, cheap to clone. A [`Builder`] takes
//! facts in any order and freezes them into a snapshot whose bytes and content
//! hash do not depend on that order.

mod catalogue;
mod date;
mod ids;
mod number;
mod value;

pub use catalogue::{Dimension, Kind, Multiplicity};
pub use date::DateInterval;
pub use ids::{DimensionId, EvidenceId, InstanceId, PredicateId, ValueId};
pub use number::{Decimal, NumberInterval};
pub use value::Value;
