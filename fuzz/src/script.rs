//! Any text, run as a script: what it states becomes a lattice, what it asks is
//! answered as the checker answers it, and the lattice can be told and built again.

use super::engine;
use latweave::Lattice;
use latweave::engine::Budget;
use latweave::load::dump;
use latweave::script::{Output, Script, Session};
use latweave::syntax::parse_lenient;
use latweave::syntax::tree::StatementKind;
use std::path::Path;
use std::time::Duration;

/// Statements that read files are passed over.
pub fn run(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let (tree, _) = parse_lenient(text);
    let mut session = Session::new(Lattice::empty());
    session.begin_text("fuzz.lq", text, Path::new(""));
    session.set_budget(Budget::unlimited().with_time(Duration::from_secs(10)));
    for statement in &tree.statements {
        if let StatementKind::Load(_) | StatementKind::Open { .. } = statement.kind {
            continue;
        }
        let Ok(output) = session.execute(statement) else {
            continue;
        };
        if let Output::Verdict(verdict) = output {
            engine::check(session.settled(), &verdict.query, text);
        }
    }
    // What is refused only when it is frozen is not part of the lattice.
    let _ = session.settle();
    tell_again(session.settled());
}

/// A lattice that is told as LQ and built again is the same.
pub fn tell_again(lattice: &Lattice) {
    let mut told = Vec::new();
    dump(lattice, &mut told).unwrap();
    let told = String::from_utf8(told).unwrap();
    let again = Script::parse(&told).and_then(|script| script.build());
    let again = again.unwrap_or_else(|error| panic!("{error}\n{told}"));
    assert_eq!(again.content_hash(), lattice.content_hash(), "{told}");
}
