//! Text to tree and back: parser, formatter, diagnostics.
//!
//! ```text
//! text ── scan ──► chunks ── grammar (pest) ──► pairs ── build ──► Tree
//!              one statement each, bounded           spans of the whole text
//! Tree ── format ──► text          Query ── canonical ──► Query ── print ──► text
//! ```
//!
//! Nothing in this room knows a lattice, and nothing panics, whatever the text.

#![deny(clippy::indexing_slicing)]

mod amount;
mod build;
pub mod canonical;
pub mod codes;
pub mod diagnostic;
mod failure;
mod foreign;
pub mod format;
#[cfg(feature = "models")]
pub mod gbnf;
mod grammar;
mod layout;
mod parse;
pub mod print;
mod scan;
mod size;
pub(crate) mod stack;
pub mod tree;
pub mod words;

pub use canonical::{Parameter, canonical};
pub use codes::{Code, explain};
pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use format::{format, format_text};
pub use parse::{Parsed, Statements, is_incomplete, parse, parse_lenient, parse_query};
pub use print::{
    print_constraint, print_name, print_path, print_query, print_statement, print_term, print_word,
};
pub use tree::Tree;

/// How deep parentheses, braces, NOT and POSSIBLY may nest.
pub const MAX_DEPTH: usize = 256;
/// How many bytes one string may have, quotes and escapes included.
pub const MAX_STRING: usize = 16 << 20;
/// How many bytes a text may have.
pub const MAX_TEXT: usize = 2 << 30;
/// How many statements a text may have.
pub const MAX_STATEMENTS: usize = 50_000_000;
/// How many nodes a query may have once its LETs are written out.
pub const MAX_NODES: usize = 1_000_000;
/// After so many errors the rest of a text is not looked at.
pub const MAX_ERRORS: usize = 1_000;
