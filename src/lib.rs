//! latweave: ask a knowledge lattice in LQ; every answer carries its proof.
//!
//! The way of a query, one room after another:
//!
//! ```text
//! text → syntax::parse → Tree → plan::resolve(&Catalogue) → Plan
//!      → engine::run(&Lattice) → Verdict → shell::render | audit::check
//! ```

pub mod audit;
pub mod engine;
pub mod eval;
pub mod lattice;
pub mod load;
pub mod order;
pub mod plan;
pub mod script;
pub mod shell;
pub mod syntax;
pub mod verdict;

pub use lattice::Lattice;
pub use script::Script;
pub use verdict::{Answer, Verdict};
