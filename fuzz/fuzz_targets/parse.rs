//! No text makes the parser panic; every diagnostic points into the text, on
//! character boundaries, and renders.
#![no_main]

use latweave::syntax::{is_incomplete, parse_lenient};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (tree, diagnostics) = parse_lenient(text);
    is_incomplete(text);
    for diagnostic in &diagnostics {
        let labels = diagnostic.labels.iter().map(|label| label.span);
        let fix = diagnostic.fix.iter().map(|fix| fix.span);
        for span in labels.chain(fix) {
            assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
        }
        assert_ne!(diagnostic.code.name(), "E099");
        diagnostic.render("fuzz.lq", text, false);
        diagnostic.to_json();
    }
    for statement in &tree.statements {
        assert!(text.get(statement.span.start..statement.span.end).is_some());
    }
});
