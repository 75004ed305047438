//! Texts that are large, deep or hostile end in linear time and a clear error.

// Tests may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::syntax::tree::{Constraint, Query, StatementKind};
use latweave::syntax::{
    Code, MAX_DEPTH, Statements, canonical, format, is_incomplete, parse, parse_lenient,
};

fn small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap()
}

fn code(text: &str) -> Code {
    parse(text).unwrap_err()[0].code
}

#[test]
fn hostile_nesting_is_a_clean_error() {
    let deep = 100_000;
    for text in [
        "(".repeat(deep),
        format!("MEET {}", "(".repeat(deep)),
        format!("MEET {}a = b{}", "(".repeat(deep), ")".repeat(deep)),
        format!("MEET {}a = b", "NOT ".repeat(deep)),
        format!("MEET {}a = b", "POSSIBLY NOT\n".repeat(deep)),
        format!("MEET {}a = b", "!".repeat(deep)),
        format!("MEET a IN {}", "{".repeat(deep)),
        format!("MEET a IN {}", "(MEET a IN ".repeat(deep)),
        format!("EXPECT {}", "{(".repeat(deep)),
    ] {
        small_stack(move || {
            assert_eq!(code(&text), Code::E007);
            assert!(!is_incomplete(&text));
        });
    }
}

#[test]
fn the_deepest_allowed_nesting_fits_a_small_stack() {
    small_stack(|| {
        for text in [
            format!(
                "MEET {}a = b{}",
                "(".repeat(MAX_DEPTH),
                ")".repeat(MAX_DEPTH)
            ),
            format!("MEET {}a = b", "NOT ".repeat(MAX_DEPTH)),
            format!(
                "MEET {}a = b{}",
                "x IN (MEET ".repeat(MAX_DEPTH),
                ")".repeat(MAX_DEPTH)
            ),
            format!(
                "MEET {}a = b{}",
                "(x = y OR ".repeat(MAX_DEPTH),
                ")".repeat(MAX_DEPTH)
            ),
            format!(
                "MEET {}a = b{}",
                "NOT (x = y OR ".repeat(MAX_DEPTH / 2),
                ")".repeat(MAX_DEPTH / 2)
            ),
            format!(
                "COMPARE MAX OF ({}MEET c = d{}) BY e",
                "COMPARE MIN OF (".repeat(100),
                ") BY f".repeat(100)
            ),
        ] {
            let tree = parse(&text).unwrap();
            let shown = format(&tree);
            assert_eq!(parse(&shown).unwrap(), tree);
            let StatementKind::Query(query) = &tree.statements[0].kind else {
                panic!()
            };
            let normal = canonical(query, &Default::default(), &Default::default()).unwrap();
            drop(normal.clone());
        }
    });
}

#[test]
fn long_lists_are_flat_and_linear() {
    let count = 100_000;
    let list: Vec<String> = (0..count).map(|n| format!("a{n} = b")).collect();
    let text = format!("MEET {}", list.join(" AND "));
    let tree = small_stack(move || parse(&text)).unwrap();
    let StatementKind::Query(Query::Meet(meet)) = &tree.statements[0].kind else {
        panic!()
    };
    let Constraint::And(parts, _) = &meet.constraint else {
        panic!()
    };
    assert_eq!(parts.len(), count);
    assert_eq!(parse(&format(&tree)).unwrap(), tree);
    let query = Query::Meet(meet.clone());
    canonical(&query, &Default::default(), &Default::default()).unwrap();

    let elements: Vec<String> = (0..count / 5).map(|n| format!("\"e {n}\"")).collect();
    let tree = parse(&format!("MEET a IN {{{}}}", elements.join(","))).unwrap();
    assert_eq!(parse(&format(&tree)).unwrap(), tree);
}

#[test]
fn a_large_dump_streams() {
    let mut text = String::new();
    for n in 0..20_000 {
        text.push_str(&format!(
            "FACT \"Moby Dick {n}\" species = whale, habitat = aquatic\n  SOURCE \"A white sperm \
             whale of the open sea; it says ; and -- and FACT {n}.\" FROM \"moby.txt\" AT 0..49\n"
        ));
    }
    let mut count = 0;
    for parsed in Statements::new(&text) {
        assert_eq!(parsed.diagnostics, []);
        for statement in &parsed.statements {
            assert!(text[statement.span.start..].starts_with("FACT"));
        }
        // One at a time: this is what bounds memory.
        assert!(parsed.statements.len() <= 1);
        count += parsed.statements.len();
    }
    assert_eq!(count, 20_000);
}

#[test]
fn many_errors_do_not_square() {
    let lines = "FACT a b = c SOURCE \"open\n".repeat(50_000);
    assert!(parse_lenient(&lines).1.len() >= 1_000);
    let lines = "MEET a = = b\n".repeat(50_000);
    assert!(parse_lenient(&lines).1.len() >= 1_000);
    let line = "MEET a = b -- c \n".repeat(5_000);
    assert!(parse(&line).is_ok());
    let one_line = "CHECK a ".repeat(50_000);
    assert_eq!(parse(&one_line).unwrap().statements.len(), 50_000);
    let blanks = format!("MEET a = b{}AND c = d", " ".repeat(1_000_000));
    assert!(parse(&blanks).is_ok());
    let comments = format!("MEET a = b{}AND c = d", " -- x\n".repeat(100_000));
    let tree = parse(&comments).unwrap();
    assert_eq!(parse(&format(&tree)).unwrap().comments.len(), 100_000);
    let hyphens = format!("MEET a{} = b", "-".repeat(1_000_000));
    assert!(parse(&hyphens).is_err());
}

#[test]
fn fourteen_and_two_hundred_parentheses_cost_the_same_each() {
    // Alternatives that share a prefix would double at every step.
    for depth in [14, 60, 200] {
        let text = format!(
            "MEET {}(a = b AND c = d){}",
            "(e = f OR ".repeat(depth),
            ")".repeat(depth)
        );
        small_stack(move || parse(&text).unwrap());
    }
}
