//! What is asked of one input, for each fuzz target. `tests/corpus.rs` asks it of all
//! the inputs that are kept, on every run of the tests.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod engine;
mod load;
mod script;
mod store;
mod text;
#[path = "../../tests/differential/world.rs"]
mod world;

/// Takes one input, and panics if something does not hold of it.
pub type Body = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Body); 6] = [
    ("engine", engine::agree),
    ("format", text::format_again),
    ("load", load::load_file),
    ("parse", text::parse_any),
    ("script", script::run),
    ("store", store::read),
];

/// Runs one input through the target of a name.
pub fn run(target: &str, bytes: &[u8]) {
    let found = TARGETS.iter().find(|(name, _)| *name == target);
    let (_, body) = found.unwrap_or_else(|| panic!("there is no fuzz target `{target}`"));
    body(bytes);
}
