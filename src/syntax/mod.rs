//! Text to tree and back: parser, formatter, diagnostics.

pub mod tree;
