//! The mathematics of one dimension: a DAG, ⊑, common bounds, extremal elements.
//! Nodes are numbers; this room knows no names, no files and no text.

mod components;
mod dag;

pub use components::components;
pub use dag::{Cycle, Dag};
