//! The lattice: dimensions, instances, predicates and their evidence.
//!
//! A [`Lattice`] is an immutable snapshot, cheap to clone. A [`Builder`] takes
//! facts in any order and freezes them into a snapshot whose bytes and content
//! hash do not depend on that order.

mod catalogue;
mod date;
mod ids;
mod number;
mod reading;
mod unit;
mod value;

pub use catalogue::{Dimension, Kind, Multiplicity};
pub use date::{DateError, DateInterval, Precision};
pub use ids::{DimensionId, EvidenceId, InstanceId, PredicateId, ValueId};
pub use number::{Decimal, MOST_DIGITS, NumberError, NumberInterval};
pub use reading::{Reading, date_from_text, number_from_text};
pub use unit::{UnitError, Units};
pub use value::Value;
