//! Bytes as choices: a small lattice and queries over it. The engine and the checker's
//! evaluator reach the same verdict, and the checker accepts the certificate.

use super::world::{Dice, build, query, world};
use latweave::engine::{self, Budget};
use latweave::lattice::Lattice;
use latweave::syntax::tree::Query;
use latweave::syntax::{canonical, parse_query};
use latweave::{audit, syntax};
use std::time::Duration;

/// More choices than this say nothing new.
const LONGEST: usize = 2048;

/// The lattice is chosen by the bytes from the first on, the query by those from the
/// last back: so that either can change without the other.
pub fn agree(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let text = world(&mut Dice::of_bytes(bytes.to_vec())).text();
    let asked = query(&mut Dice::of_bytes(bytes.iter().rev().copied().collect()));
    // Nested too deep, or a range from a later to an earlier end.
    let Ok(query) = parse_query(&asked) else {
        return;
    };
    let none = (Default::default(), Default::default());
    let Ok(query) = canonical(&query, &none.0, &none.1) else {
        return;
    };
    check(&build(&text), &query, &text);
}

/// The engine and the checker agree on a canonical query.
pub fn check(lattice: &Lattice, query: &Query, text: &str) {
    let shown = || format!("{text}\n{}", syntax::print_query(query));
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    let facts = audit::Facts::read(lattice).unwrap();
    let got = match engine::answer(lattice, query, &budget) {
        Ok(got) => got,
        Err(engine::RunError::NotInThisVersion { .. }) => return,
        Err(error) => panic!("{error}\n{}", shown()),
    };
    let wanted = match audit::evaluate(&facts, lattice, query) {
        Ok(wanted) => wanted,
        Err(audit::AuditError::LongPath(_)) => return,
        Err(error) => panic!("{error}\n{}", shown()),
    };
    if got != wanted {
        let (got, wanted) = (got.to_json(lattice), wanted.to_json(lattice));
        panic!("{}\nengine:  {got}\nchecker: {wanted}", shown());
    }
    let mut certificate = Vec::new();
    engine::certify(lattice, query, &budget, &mut certificate).unwrap();
    if let Err(why) = audit::check(lattice, certificate.as_slice()) {
        panic!("{}\n{why}", shown());
    }
}
