//! Plans as files: what a planner wrote for a question, kept with what it was written
//! for, and run again without it.
//!
//! ```text
//! question ─ planner ─► PlanFile ─ answer ─► Asked          ask
//!                          │  └─ expected ─► EXPECT         what it gave
//!                       Cache, by Head
//! text ─ PlanFile::read ─► PlanFile ─ answer ─► Asked       replay
//! ```

mod answer;
mod cache;
mod expected;
mod file;

pub use answer::{Asked, PlanError, answer, cells, not_understood, refuse_drift};
pub use cache::{Cache, CacheError, Kept};
pub use expected::{MOST_EXPECTED, expected};
pub use file::{EMBEDDED, Head, PlanFile, one_line, vocabulary_hash};
