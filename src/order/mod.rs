//! The mathematics of one dimension: a DAG, ⊑, common bounds, extremal elements.
//! Nodes are numbers; this room knows no names, no files and no text.

pub mod concepts;
mod dag;

pub use dag::{Cycle, Dag};
