//! The lattice: dimensions, instances, predicates and their evidence.
//!
//! A [`Lattice`] is an immutable snapshot, cheap to clone. A [`Builder`] takes
//! facts in any order and freezes them into a snapshot whose bytes and content
//! hash do not depend on that order.

mod builder;
mod catalogue;
mod columns;
mod content;
mod date;
mod defect;
mod error;
mod evidence;
mod fact_store;
mod facts;
mod faults;
mod fold;
mod format;
mod freeze;
mod hash;
mod hashing;
mod homes;
mod ids;
mod instances;
mod intern;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod listing;
mod merge;
mod names;
mod nearest;
mod number;
mod pack;
mod pages;
mod pool;
mod posting;
mod ranks;
mod reading;
mod relation;
mod resolve;
mod roles;
mod room;
mod save;
mod snapshot;
mod sorted;
mod sources;
mod spec;
mod spill;
mod store;
mod stream;
mod strict;
mod tables;
mod taxonomy;
mod thaw;
mod timings;
mod undo;
mod unit;
mod value;
mod value_tables;
mod verify;
mod words;

pub use builder::{Builder, DimKey, FactValue, InstKey, LONGEST_SOURCE, SourceKey, ValueKey, Who};
pub use catalogue::{Dimension, Kind, Multiplicity};
pub use date::{DateError, DateInterval, Precision};
pub use defect::{Defect, Fault};
pub use error::{BuildError, SaveError, StoreError};
pub use evidence::{Document, Evidence};
pub use fold::fold;
pub use hash::ContentHash;
pub use ids::{DimensionId, EvidenceId, InstanceId, PredicateId, ValueId};
pub use merge::{CyclePath, Cycles, ends};
pub use names::{Called, Level};
pub use number::{Decimal, MOST_DIGITS, NumberError, NumberInterval};
pub(crate) use pool::beside;
pub use posting::Posting;
pub use reading::{Reading, date_from_text, number_from_text};
pub use relation::{Relation, Row};
pub use save::Built;
pub use snapshot::{Counts, Lattice};
pub use spec::{DimensionSpec, KindSpec};
pub use store::WriteLock;
pub use taxonomy::Taxonomy;
pub use timings::Timings;
pub use undo::Checkpoint;
pub use unit::{UnitError, Units};
pub use value::Value;
