//! What has changed since a file's base was written, laid over the base.
//!
//! Adding a document to millions of instances must not write millions again. A change
//! is therefore a short section behind the base: whole rows of the instances that the
//! document speaks of, new instances, values and pieces of evidence, and those that are
//! gone ([`delta`]). Numbers stay ranks in canonical order, as in a lattice that was built at
//! once: what is in the base is found by its number there, which is translated on the way
//! ([`renumber`]). So whoever reads a lattice sees no difference.
#![deny(clippy::indexing_slicing)]

mod change;
mod delta;
mod editor;
mod hidden;
mod mentioned;
mod naming;
mod overlay;
mod places;
mod relation;
mod renumber;
mod rows;
mod write;

pub(super) use delta::Delta;
pub use hidden::Recorded;
pub(super) use overlay::{Over, Overlay};
pub use relation::Relation;
pub(super) use renumber::Renumbering;
