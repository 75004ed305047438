//! Every code tells its story truly; every foreign form is answered in LQ's words.

// Tests may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::syntax::{Code, Diagnostic, Severity, explain, parse, parse_lenient};

fn told(text: &str) -> Vec<Diagnostic> {
    parse_lenient(text).1
}

fn rendered(text: &str) -> String {
    told(text)
        .iter()
        .map(|diagnostic| diagnostic.render("query.lq", text, false))
        .collect()
}

/// Snapshots live beside the others of the project.
fn snapshot(name: &str, texts: &[&str]) {
    let mut out = String::new();
    for text in texts {
        out.push_str(&format!("{text}\n\n{}\n", rendered(text)));
    }
    insta::with_settings!({
        snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!(name, out); });
}

#[test]
fn stories_are_true() {
    for code in Code::ALL {
        let story = explain(code.name()).unwrap();
        assert!(story.lines().count() > 6, "{code}: {story}");
        assert!(!story.contains(" you "), "{code} says you");
        let in_syntax = code.name() < "E100" || code.name().starts_with('W');
        if in_syntax && !code.wrong().is_empty() {
            let diagnostics = told(code.wrong());
            assert_eq!(
                diagnostics.first().map(|d| d.code),
                Some(*code),
                "{}",
                rendered(code.wrong())
            );
        }
        if in_syntax && !code.right().is_empty() {
            assert_eq!(rendered(code.right()), "", "{code}");
        }
    }
    assert_eq!(explain("e012"), explain("E012"));
    assert_eq!(explain("E9999"), None);
}

/// Applies fixes until none is left; each must help.
fn repaired(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..20 {
        let Some(fix) = told(&text)
            .into_iter()
            .find_map(|diagnostic| diagnostic.fix)
        else {
            break;
        };
        text.replace_range(fix.span.start..fix.span.end, &fix.replacement);
    }
    text
}

#[test]
fn certain_fixes_repair() {
    for (wrong, right) in [
        ("MEET kind is state", "MEET kind = state"),
        ("MEET kind is not state", "MEET kind != state"),
        (
            "MEET HAS a AND kind equals state",
            "MEET HAS a AND kind = state",
        ),
        ("MEET height is greater than 5", "MEET height > 5"),
        (
            "FACT Joe Strummer instrument = guitar SOURCE \"s\"",
            "FACT \"Joe Strummer\" instrument = guitar SOURCE \"s\"",
        ),
        (
            "FACT Joe favourite instrument = guitar SOURCE \"s\"",
            "FACT Joe \"favourite instrument\" = guitar SOURCE \"s\"",
        ),
        (
            "FACT Joe instrument guitar SOURCE \"s\"",
            "FACT Joe instrument = guitar SOURCE \"s\"",
        ),
        ("MEET a == 1", "MEET a = 1"),
        (
            "MEET a = 1 && b = 2 && c = 3",
            "MEET a = 1 AND b = 2 AND c = 3",
        ),
        ("MEET a = 1 || b = 2", "MEET a = 1 OR b = 2"),
        ("MEET !a = 1", "MEET NOT a = 1"),
        ("MEET a <> 1", "MEET a != 1"),
        (
            "MEET a ≤ 1 AND b ≥ 2 AND c ≠ 3 AND d ∈ {e}",
            "MEET a <= 1 AND b >= 2 AND c != 3 AND d IN {e}",
        ),
        ("MEET a = 'x y'", "MEET a = \"x y\""),
        ("MEET a = `x`", "MEET a = \"x\""),
        ("MEET a = “x”", "MEET a = \"x\""),
        ("MEET a IN {b, c,}", "MEET a IN {b, c}"),
        ("MEET a IN (b, c)", "MEET a IN {b, c}"),
        ("MEET a = {b, c}", "MEET a IN {b, c}"),
        ("MEET a != {b, c}", "MEET NOT a IN {b, c}"),
        ("MEET a IN \"b\"", "MEET a = \"b\""),
        ("MEET a NOT IN {b}", "MEET NOT a IN {b}"),
        ("MEET a IS NULL", "MEET NOT HAS a"),
        ("MEET a IS NOT NULL", "MEET HAS a"),
        ("MEET a BETWEEN 1 AND 2", "MEET a IN 1..2"),
        ("MEET a > 1,200", "MEET a > 1200"),
        ("MEET a > −5", "MEET a > -5"),
        ("MEET a = .5", "MEET a = 0.5"),
        ("MEET a IN 5 .. 6", "MEET a IN 5..6"),
        ("MEET a IN 6..5", "MEET a IN 5..6"),
        ("MEET a = 1914-1-5", "MEET a = 1914-01-05"),
        ("MEET a = killer whale", "MEET a = \"killer whale\""),
        ("MEET a = O'Connor", "MEET a = \"O'Connor\""),
        ("MEET a = Check", "MEET a = \"Check\""),
        ("FIND a = b", "MEET a = b"),
        ("a = b", "MEET a = b"),
        ("MEET WHERE a = b", "MEET  a = b"),
        ("MEET a = b LIMIT 5", "MEET a = b "),
        ("MET a = b", "MEET a = b"),
        ("MEET a = b RETRUN c", "MEET a = b RETURN c"),
        ("MEET a = b ANDc = d", "MEET a = b AND c = d"),
        ("DIMENTION a DATE", "DIMENSION a DATE"),
        ("DIMENSION a TAXONMY", "DIMENSION a TAXONOMY"),
        ("# x\nMEET a = b // y", "-- x\nMEET a = b -- y"),
        (
            "FACT a b = c, d SOURCE \"s\"",
            "FACT a b = {c, d} SOURCE \"s\"",
        ),
        (
            "FACT a b IN {c, d} SOURCE \"s\"",
            "FACT a b = {c, d} SOURCE \"s\"",
        ),
        ("MEET a = \"x\\'y\"", "MEET a = \"x'y\""),
        (
            "MEET a = b CONFIDENCE > 0.5",
            "MEET a = b CONFIDENCE >= 0.5",
        ),
    ] {
        let fixed = repaired(wrong);
        assert_eq!(fixed, right, "{}", rendered(wrong));
        assert!(parse(&fixed).is_ok(), "{}", rendered(&fixed));
    }
}

#[test]
fn foreign_operators() {
    snapshot(
        "syntax_foreign_operators",
        &[
            "MEET species == whale",
            "MEET a = 1 && b = 2",
            "MEET a = 1 || b = 2",
            "MEET !(a = 1)",
            "MEET a <> 1",
            "MEET a ≤ 1 AND b ≥ 2 AND c ≠ 3 AND d ∈ {e, f}",
            "MEET a = 1, b = 2",
            "MEET name LIKE \"Moby%\"",
            "MEET name =~ \"Moby\"",
            "MEET species NOT IN {whale}",
            "MEET born IS NULL AND died IS NOT NULL",
            "MEET born BETWEEN 1914 AND 1920",
            "MEET species IN (whale, orca)",
        ],
    );
}

#[test]
fn foreign_statements() {
    snapshot(
        "syntax_foreign_statements",
        &[
            "SELECT director FROM films WHERE title = 'Alien'",
            "FIND species = whale",
            "FIND all whales",
            "MEET WHERE species = whale",
            "MEET species = whale WHERE habitat = aquatic",
            "MATCH (f)-[:directed_by]->(p) RETURN p",
            "?- parent(X, Y).",
            "ancestor(X, Y) :- parent(X, Y).",
            "PREFIX ex: <http://example.org/>",
            "MEET ?film directed_by = ?x",
            "MEET directed_by = ?x",
            "MEET species = whale LIMIT 10",
            "MEET species = whale ORDER BY length DESC",
            "MEET species = whale TOP 3",
            "COMPARE MAX OF (MEET species = whale) BY length LIMIT 1",
            "MEET drinks = tea AS OF 2023-09-21",
            "species = whale",
        ],
    );
}

#[test]
fn foreign_tokens() {
    snapshot(
        "syntax_foreign_tokens",
        &[
            "MEET name = 'Moby Dick'",
            "MEET name = `Moby`",
            "MEET name = “Moby Dick”",
            "MEET species IN {whale, orca,}",
            "MEET population > 1,200",
            "MEET temperature > −5",
            "MEET years = 1914–1918",
            "# a comment\nMEET a = b // another\n/* and\n more */",
            "MEET a = b--c",
            "MEET a = 5 --c\n  AND d = 6--c",
            "MEET name = O'Connor",
            "MEET tag = #29",
        ],
    );
}

#[test]
fn mistakes() {
    snapshot(
        "syntax_mistakes",
        &[
            "MEET",
            "MEET species",
            "MEET species =",
            "MEET species = whale AND",
            "MEET (species = whale",
            "MEET species = whale)",
            "MEET species IN {whale, orca",
            "MEET species IN {whale)",
            "MEET name = \"Moby Dick",
            "MEET a = 1 AND b = 2 OR c = 3",
            "MEET species = killer whale",
            "MEET width = 5",
            "MEET a = b RETRUN c",
            "DIMENTION species TAXONOMY",
            "DIMENSION born DAET ONE",
            "DIMENSION species TAXONOMY\n  a > b, c > d",
            "DIMENSION habitat TAXONOMY\n  aquatic, terrestrial\n  amphibious",
            "DIMENSION born DATE UNIT km",
            "DIMENSION born DATE ONE MANY",
            "DIMENSION born DATE whale",
            "FACT \"Frog\" habitat = aquatic, terrestrial SOURCE \"Both.\"",
            "FACT \"Ada\" born > 1800 SOURCE \"After 1800.\"",
            "FACT \"Ada\" mother.born = 1800 SOURCE \"1800.\"",
            "FACT \"Ada\" born = 1800 CONFIDENCE 80 SOURCE \"1800.\"",
            "MEET born = 1914-13",
            "MEET born = 1914-02-30",
            "MEET born = 1914-1-5",
            "MEET phone = 555-1234",
            "MEET height = 12km",
            "MEET height = 1e3",
            "MEET born IN 1914 .. 1920",
            "MEET born IN 1920..1914",
            "MEET born IN 5..1914-12",
            "MEET species IN whale, orca",
            "MEET species IN \"whale\"",
            "MEET species IN 5",
            "MEET species = {whale, orca}",
            "MEET species IN {}",
            "MEET name = {f}",
            "COMPARE \"A\"",
            "COMPARE \"A\" BY born",
            "COMPARE \"A\" AND \"B\" BY born",
            "EXPECT",
            "LET x = y",
            "LOAD kb.txt",
            "USE std.",
            "",
            "@",
            "MEET a = \"\\q\"",
        ],
    );
}

#[test]
fn mistakes_about_whole_dimensions() {
    snapshot(
        "syntax_mistakes_theory",
        &[
            "CONCEPTS d SUPPORT 1.5",
            "CONCEPTS d SUPPORT 1,500",
            "CONCEPTS d, e SUPPORT -1",
            "IMPLICATIONS d SUPPORT 50%",
            "IMPLICATIONS d support many WIDTH d",
            "CONCEPTS d SUPPORT \"2\"",
            "CONCEPTS d SUPPORT",
            "CONCEPTS support 2",
            "COMPARE MEET OF BY d",
            "COMPARE join OF\n  by d",
            "COMPARE MAX OF BY born",
            "COMPARE MEET OF",
            "COMPARE MEET OF a BY",
        ],
    );
}

#[test]
fn columns_are_right_in_any_script() {
    snapshot(
        "syntax_unicode",
        &[
            "MEET 名前 = \"日本語型名\" AND 種 == クジラ",
            "MEET a = \"🐋🐋\" AND b == c",
            "\tMEET\ta\t==\tb",
            "MEET a = b\r\nMEET c == d\r\n",
            "MEET 日本語 = \"unclosed 日本語型名",
            "MEET a = e\u{301}\u{200B}",
            "\u{FEFF}MEET a == b",
        ],
    );
}

#[test]
fn spans_outside_the_text_are_tamed() {
    use latweave::syntax::tree::Span;
    for text in ["", "日", "a\r\n", "🐋🐋"] {
        for start in 0..12 {
            for end in 0..12 {
                let diagnostic =
                    Diagnostic::error(Code::E001, "x").label(Span::new(start, end), "y");
                assert!(diagnostic.render("t", text, true).contains("E001"));
            }
        }
    }
    assert!(
        Diagnostic::error(Code::E001, "x")
            .render("t", "", false)
            .contains("E001")
    );
}

#[test]
fn several_errors_at_once_and_good_statements_kept() {
    let text = "MEET a == b\nMEET c = d\nFACT x y = z SOURCE \"open\nLET e = MEET f = g\nMEET h = (\nCHECK i\nMEET j = k)\nWIDTH l\n";
    let (tree, diagnostics) = parse_lenient(text);
    let codes: Vec<&str> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.name())
        .collect();
    assert_eq!(codes, ["E030", "E003", "E004", "E004"]);
    assert!(
        diagnostics
            .iter()
            .all(|diagnostic| diagnostic.severity == Severity::Error)
    );
    assert_eq!(tree.statements.len(), 4);
    // The missing quote is found where it is missing, and not lines later.
    assert_eq!(
        diagnostics[1].span().unwrap().start,
        text.find("\"open").unwrap()
    );
    let text =
        "FACT a b = c SOURCE \"open\nFACT d e = f SOURCE \"fine\"\nFACT g h = i SOURCE \"fine\"\n";
    let (tree, diagnostics) = parse_lenient(text);
    assert_eq!((tree.statements.len(), diagnostics.len()), (2, 1));
    assert_eq!(
        diagnostics[0].span().unwrap().start,
        text.find("\"open").unwrap()
    );
}

#[test]
fn json_is_stable() {
    let text = "MEET a == b AND c = 1 OR d = 2";
    let all: Vec<serde_json::Value> = told(text).iter().map(Diagnostic::to_json).collect();
    let json = serde_json::to_string_pretty(&all).unwrap();
    insta::with_settings!({
        snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("syntax_json", json); });
    let back: Vec<Diagnostic> = serde_json::from_str(&json).unwrap();
    assert_eq!(back.len(), 2);
}
