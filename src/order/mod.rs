//! The mathematics of one dimension: a DAG, ⊑, common bounds, extremal elements.
//! Nodes are numbers; this room knows no names, no files and no text.

mod adjacency;
mod dag;
mod ranges;
mod spanning;

pub use dag::{Cycle, Dag};
