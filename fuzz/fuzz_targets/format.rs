//! What parses is formatted to a text that parses to the same statements, with the
//! same comments, and formatting again changes nothing.
#![no_main]

use latweave::syntax::{format, format_text, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(tree) = parse(text) else {
        return;
    };
    for (once, kept) in [(format(&tree), false), (format_text(text).unwrap_or_default(), true)] {
        let back = parse(&once).unwrap_or_else(|errors| panic!("{once}\n{errors:?}"));
        assert_eq!(back.statements, tree.statements, "{once}");
        let texts = |comments: &[latweave::syntax::tree::Comment]| {
            comments.iter().map(|comment| comment.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&back.comments), texts(&tree.comments), "{once}");
        let twice = if kept { format_text(&once).unwrap_or_default() } else { format(&back) };
        assert_eq!(twice, once);
    }
});
