//! The mathematics of one dimension: a DAG, ⊑, common bounds, extremal elements.
//! Nodes are numbers; this room knows no names, no files and no text.

mod adjacency;
mod bounds;
mod components;
mod confluent;
mod dag;
mod distributive;
mod independence;
mod local;
mod matching;
mod ranges;
mod restricted;
mod spanning;
mod width;

pub use bounds::{Bound, Cut, join, join_of, meet, meet_of};
pub use components::{Components, CycleLimits, Cycles, components, cycles};
pub use dag::{Cycle, Dag};
pub use distributive::{
    Ambiguous, CheckLimits, Count, FULL_CHECK, Law, Legitimacy, Meets, Shape, Sublattice, Triples,
    Violation, check, check_full, check_restricted, sublattice,
};
pub use independence::{Case, Independence, IndependenceError, Joint, PRODUCT_LIMIT, independence};
pub use width::{Width, width};
