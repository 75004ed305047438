//! latweave: ask a knowledge lattice in LQ; every answer carries its proof, every
//! refusal its reason.
//!
//! An embedder needs four names: [`Lattice`], [`Script`], [`Verdict`], [`Answer`].
//!
//! ```
//! use latweave::{Answer, Script};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A lattice from LQ; `Lattice::open` opens one from a file.
//! let lattice = Script::parse(
//!     r#"DIMENSION species TAXONOMY ONE
//!          animal > mammal > whale, dog
//!        DIMENSION habitat TAXONOMY ONE aquatic, terrestrial
//!        FACT "Keiko" species = whale, habitat = aquatic
//!          SOURCE "Keiko was an orca of the sea." FROM "keiko.txt" LINE 1"#,
//! )?
//! .build()?;
//!
//! // A script with a parameter, which is bound as a value and never pasted.
//! let question = Script::parse("MEET species = $kind AND habitat = aquatic")?;
//! let verdict = question.clone().bind("kind", "mammal").run(&lattice)?;
//! assert!(matches!(verdict.answer(), Some(Answer::Set(_))));
//! for hit in verdict.hits(&lattice) {
//!     assert_eq!(hit.name(), "Keiko");
//!     assert_eq!(hit.evidence()[0].text, "Keiko was an orca of the sea.");
//!     assert_eq!(hit.evidence()[0].place, "keiko.txt:1");
//! }
//!
//! // A refusal is a verdict too, with a reason that a program can read.
//! let verdict = question.bind("kind", "dog").run(&lattice)?;
//! assert_eq!(verdict.hits(&lattice).count(), 0);
//! assert_eq!(verdict.abstention().unwrap().reason.code(), "empty");
//! # Ok(())
//! # }
//! ```
//!
//! # The way of a query
//!
//! ```text
//! text ─ syntax::parse ─► Tree ─ syntax::canonical ─► Query      one spelling for one meaning
//!      ─ plan::resolve(&Lattice) ─► Plan | Reason                every word is known, or why not
//!      ─ engine::run(&Lattice, &Plan) ─► Verdict                 meet, compare, abstain
//!      ─ engine::certify ─► certificate ─ audit::check ─► accepted | refused
//! ```
//!
//! A question in English takes one step before: [`ask::Planner`] reads it as LQ text by the
//! words of a vocabulary.
//!
//! No step looks back. A [`script::Session`] takes the statements of a text this way
//! one by one, and what they state into a new [`Lattice`] before the next query.
//!
//! # The rooms, from the ground up
//!
//! | room | what happens there |
//! | --- | --- |
//! | [`order`] | the mathematics of dimensions: ⊑, bounds, completion, width, concepts |
//! | [`draw`] | a labelled order → its picture as SVG, DOT and text tree |
//! | [`syntax`] | text ⇄ tree: grammar, formatter, diagnostics and their codes |
//! | [`model`] | language models behind one trait: Ollama, OpenAI-compatible, recorded |
//! | [`lattice`] | dimensions, instances, predicates, evidence; the file, its content hash |
//! | [`verdict`] | what a query ends in, as data, and its JSON |
//! | [`load`] | files → facts, documents into a lattice file and out of it, and a lattice → LQ |
//! | [`plan`] | a query with every word resolved against one lattice |
//! | [`engine`] | plan → verdict, its certificate, its explanation |
//! | [`audit`] | certificate → accepted or refused, by code that shares none with the engine |
//! | [`theory`] | what the order theory says about dimensions: CHECK, WIDTH, CONCEPTS … |
//! | [`script`] | scripts and sessions: what an embedder uses |
//! | [`ask`] | questions in English → LQ: planner, vocabulary, learning, plan files |
//! | [`eval`] | benchmarks: files → runs → reports |
//! | `bench` | speed beside peers: workloads → contestants → times |
//! | [`shell`] | the program; the only room that prints |
//!
//! A room calls only rooms above it in this table. What a query means is fixed in the
//! book, on the page "Exact meaning"; its form in `grammar/lq.pest`.

#![warn(missing_docs)]

pub mod ask;
pub mod audit;
#[cfg(feature = "bench")]
pub mod bench;
pub mod draw;
pub mod engine;
pub mod eval;
pub mod lattice;
pub mod load;
pub mod model;
pub mod order;
pub mod plan;
pub mod script;
pub mod shell;
pub mod syntax;
pub mod theory;
pub mod verdict;

pub use lattice::Lattice;
pub use script::Script;
pub use verdict::{Answer, Verdict};

/// Runs the Rust examples of the README and the book as tests.
#[cfg(doctest)]
#[allow(rustdoc::invalid_codeblock_attributes)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/src/embedding.md")]
    struct Embedding;
    #[doc = include_str!("../docs/src/models.md")]
    struct Models;
    #[doc = include_str!("../docs/src/pictures.md")]
    struct Pictures;
}
