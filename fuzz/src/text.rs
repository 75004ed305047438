//! Any text: parsed, and formatted where it can be.

use latweave::syntax::tree::Comment;
use latweave::syntax::{format, format_text, is_incomplete, parse, parse_lenient};

/// No text makes the parser panic; every diagnostic points into the text, on
/// character boundaries, and renders.
pub fn parse_any(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
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
        let span = statement.span;
        assert!(text.get(span.start..span.end).is_some(), "{statement:?}");
    }
}

/// What parses is formatted to a text that parses to the same statements, with the
/// same comments, and formatting again changes nothing.
pub fn format_again(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let Ok(tree) = parse(text) else {
        return;
    };
    let kept = format_text(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    for (once, kept) in [(format(&tree), false), (kept, true)] {
        let back = parse(&once).unwrap_or_else(|errors| panic!("{once}\n{errors:?}"));
        assert_eq!(back.statements, tree.statements, "{once}");
        let texts = |comments: &[Comment]| {
            let texts = comments.iter().map(|comment| comment.text.clone());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(texts(&back.comments), texts(&tree.comments), "{once}");
        let twice = match kept {
            true => format_text(&once).unwrap_or_else(|errors| panic!("{errors:?}")),
            false => format(&back),
        };
        assert_eq!(twice, once);
    }
}
