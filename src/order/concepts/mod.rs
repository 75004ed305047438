//! Formal concepts: the objects and attributes of a context that belong together, which
//! of them cover which, and what the attributes imply.
//!
//! ```text
//! crosses ─► Context ─ count ────────► how many concepts
//!                    ─ enumerate ────► each concept, streamed
//!                    ─ ConceptLattice::new ─► all concepts and their covers
//!                    ─ implications, stem_basis ─► the implications that give all others
//! ```
//!
//! Of a context with objects `G` and attributes `M`, a *concept* is a pair of an *extent*
//! `A ⊆ G` and an *intent* `B ⊆ M` where `B` is all that the objects of `A` share and `A`
//! all objects that have `B` (Ganter and Wille, *Formal Concept Analysis*, 1999). A
//! context of n objects can have 2^n concepts: every search takes [`Limits`], streams or
//! says that it is not whole, and stops where it is asked to. A streaming search holds its
//! present path: at most as many levels as there are objects or attributes, each with two
//! sets of bits and 8 bytes for each attribute that is still to be tried.
//!
//! A context takes `2 · objects · attributes` bits ([`Context::bytes`]); a search makes one
//! copy of it, [`count`] of a context with more attributes than objects two.

mod bits;
mod context;
mod covers;
mod enumerate;
mod implications;
mod ranked;
mod stem;
mod walk;

pub use context::{Context, TooLarge};
pub use covers::ConceptLattice;
pub use enumerate::{ConceptRef, Ended, Limits, Outcome, count, enumerate};
pub use implications::{Implication, Implications};
pub use stem::{implications, stem_basis};
