//! Scripts and sessions: the statements of a text, run in order over a lattice.
//!
//! An embedder needs four names: [`Lattice`], [`Script`], [`Verdict`] and
//! [`Answer`].
//!
//! ```no_run
//! use latweave::{Lattice, Script};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lattice = Lattice::open("films.lattice".as_ref())?;
//! let verdict = Script::parse("MEET written_by = $who")?
//!     .bind("who", "Quentin Tarantino")
//!     .run(&lattice)?;
//! for hit in verdict.hits(&lattice) {
//!     for saying in hit.evidence() {
//!         println!("{} because “{}” ({})", hit.name(), saying.text, saying.place);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] is what a script runs in: it also takes declarations and facts,
//! keeps LETs, and gives an [`Output`] for every statement. Nothing in this room
//! prints.

#![deny(clippy::indexing_slicing)]

pub mod because;
pub mod chain;
mod error;
pub mod expect;
mod hits;
mod inquiry;
mod knowledge;
pub mod lint;
pub mod listing;
mod look;
mod output;
pub mod picture;
#[allow(clippy::module_inception)]
mod script;
mod session;
pub mod words;

pub use crate::lattice::Lattice;
pub use crate::verdict::{Answer, Verdict};
pub use because::{Reasons, Saying};
pub use error::ScriptError;
pub use hits::{Hit, Hits};
pub use inquiry::Inquiry;
pub use output::Output;
pub use script::{Binding, Script};
pub use session::{Session, Watcher};
