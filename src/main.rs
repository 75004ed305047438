//! The program `latweave`.
fn main() {}
