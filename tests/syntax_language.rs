//! The language page, read and written: every form, every trap, canonical forms.

// Tests may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use latweave::syntax::tree::*;
use latweave::syntax::{
    Code, Parameter, canonical, format, format_text, is_incomplete, parse, parse_lenient,
    parse_query, print_query,
};

fn code(text: &str) -> &'static str {
    match parse(text) {
        Ok(tree) => panic!("{text} parses: {tree:#?}"),
        Err(errors) => errors[0].code.name(),
    }
}

fn one(text: &str) -> StatementKind {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    assert_eq!(tree.statements.len(), 1, "{text}");
    tree.statements.into_iter().next().unwrap().kind
}

fn meet(text: &str) -> Meet {
    match one(text) {
        StatementKind::Query(Query::Meet(meet)) => meet,
        other => panic!("{other:#?}"),
    }
}

fn value(text: &str) -> Term {
    match meet(&format!("MEET d = {text}")).constraint {
        Constraint::Test {
            operand: Operand::Term(term),
            ..
        } => term,
        other => panic!("{other:#?}"),
    }
}

fn bare(text: &str) -> Name {
    Name {
        text: text.into(),
        quoted: false,
        span: Span::default(),
    }
}

/// Every LQ form of the language page.
const PAGE: &str = r#"
-- knowledge
DIMENSION species TAXONOMY ONE
  animal > mammal > whale, orca, dog, bat
  animal > bird, fish
DIMENSION habitat TAXONOMY ONE aquatic, terrestrial, amphibious
DIMENSION born DATE ONE AKA "date of birth", "birth date"
DIMENSION directed_by ENTITY MANY INVERSE directed AKA "director"
DIMENSION borders ENTITY COMPLETE INVERSE borders
DIMENSION born_in ENTITY WITHIN located_in ONE
DIMENSION height NUMBER UNIT m ONE
SYNONYM "killer whale", "Orcinus orca" = orca IN species
ALIAS "Robert Zimmerman" = "Bob Dylan"
INSTANCE "springfield" @"city/springfield" AKA "Springfield, Illinois"
UNIT km = 1000 m
FACT "Moby Dick" species = whale, habitat = aquatic
  SOURCE "Moby Dick is a white sperm whale of the open sea." FROM "moby.txt" AT 0..49
FACT "Lee" played_for != "China" CONFIDENCE 0.9 SOURCE "Lee never played for China." LINE 3
FACT @m1 born = 1914-12-14..1914-12-20, genre = {drama, "film noir"} SOURCE "x"
RETRACT FROM "moby.txt"

-- asking
LET films = MEET written_by = "Quentin Tarantino"
MEET name IN films RETURN directed_by
MEET acted_in IN (MEET starred_actors = "Raymonde") AND name != "Raymonde"
EXPLAIN MEET species <= mammal AND habitat = aquatic
MEET born > (MEET name = "A" RETURN born) OR height >= 12.5 km
MEET POSSIBLY species = whale AND NOT HAS born CONFIDENCE >= 0.8 RETURN COUNT
MEET name = $x AND genre IN $genres RETURN directed_by.born, name
COMPARE "A" = "B" BY nationality
COMPARE "Moby Dick" BY species = mammal
COMPARE MAX OF "A", "B" BY born
COMPARE MIN OF (MEET genre = drama) BY directed_by.born RETURN name
COMPARE MAX OF films BY COUNT starred_actors
COMPARE "A", "B" BY species
COMPARE films <= others
COMPARE x OVERLAPS y
COMPARE {"A", "B"} = (MEET genre = drama)
READ "Who performs III?" TOP 5
READ "Who?" TOP 5 -> "Stanton Moore" FROM "p12" QUOTE "III is an album by\n  Stanton Moore"
ABSTAIN "nobody can know"

-- checking
EXPECT { "Moby Dick" }          -- also TRUE, FALSE, LESS, COUNT 3, ROWS { … }
EXPECT {}
EXPECT TRUE EXPECT FALSE EXPECT LESS EXPECT GREATER EXPECT EQUAL EXPECT INCOMPARABLE
EXPECT COUNT 3
EXPECT ROWS { (a, b), (c, NULL) }
EXPECT ABSTAIN conflict
EXPECT ABSTAIN
CHECK species        WIDTH species        CONCEPTS species, habitat
SHOW DIMENSIONS      DESCRIBE "Moby Dick"
SHOW INSTANCES SHOW DOCUMENTS SHOW species

-- modules
OPEN "films.lattice" AT "b3:9f2c…"      -- pins the content: replay refuses drift
USE std.time
LOAD TRIPLES "kb.txt"
LOAD TABLE "films.csv" AS film KEY id COLUMN director AS directed_by ENTITY person, year OMIT notes ONE title
LOAD "x.lq"
PATTERN QUESTION "who directed {f}" => MEET name = {f} RETURN directed_by
PATTERN QUESTION "older, {a} or {b}" => COMPARE MIN OF {a}, {b} BY born
PATTERN QUESTION "is {a} among {b}" => MEET name IN {b, "c"} AND genre = {a}
PATTERN TEXT "{p} was born in {c} on {d:DATE}" => FACT {p} born_in = {c}, born = {d}
PATTERN TEXT "{a} married {b}" =>
  FACT {a} spouse = {b},
  FACT {b} spouse = {a}
"#;

#[test]
fn the_page_reads_and_its_layout_is_stable() {
    let tree = parse(PAGE).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let once = format(&tree);
    assert_eq!(parse(&once).unwrap(), tree);
    assert_eq!(format(&parse(&once).unwrap()), once);
    let kept = format_text(PAGE).unwrap();
    assert_eq!(format_text(&kept).unwrap(), kept);
    insta::with_settings!({
        snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("syntax_page", once); });
    // Spans cut out what the statements say.
    for statement in &tree.statements {
        let text = &PAGE[statement.span.start..statement.span.end];
        assert_eq!(one(text), statement.kind, "{text}");
    }
}

#[test]
fn keywords_are_atomic() {
    // White space between a keyword and its look-ahead, words that begin with one.
    for text in [
        "MEET android = x AND orders = y",
        "MEET a = b\tAND\n\n c = d",
        "MEET not_a = b",
        "MEET hash = nothing AND inside = incoming",
        "meet a = b and not c in {d} return e",
        "MEET one = two AND from = max AND at = count",
        "LET retrospective = MEET a = b",
    ] {
        assert!(parse(text).is_ok(), "{text}: {:#?}", parse(text));
    }
    assert_eq!(code("MEET a = b ANDc = d"), "E011");
    assert_eq!(code("MEETa = b"), "E048");
    assert_eq!(code("MEET a = b AND-c = d"), "E011");
}

#[test]
fn comments_need_space_before_them() {
    assert_eq!(value("sci--fi"), Term::Name(bare("sci--fi")));
    assert_eq!(code("MEET a=5--3"), "E013");
    assert_eq!(code("MEET a = \"b\"--c"), "E043");
    let tree = parse("--first\nMEET a = b --second\n --third").unwrap();
    let comments: Vec<(&str, bool)> = tree
        .comments
        .iter()
        .map(|comment| (comment.text.as_str(), comment.own_line))
        .collect();
    assert_eq!(
        comments,
        [("first", true), ("second", false), ("third", true)]
    );
    assert!(parse("MEET a = b -- \" ( ; FACT").is_ok());
}

#[test]
fn numbers_units_and_ranges() {
    let number = |text: &str| Term::Number {
        text: text.into(),
        unit: None,
        span: Span::default(),
    };
    assert_eq!(value("-12.50"), number("-12.50"));
    assert_eq!(value("1914"), number("1914"));
    let unit = Some(bare("Monkeys"));
    assert_eq!(
        value("12 Monkeys"),
        Term::Number {
            text: "12".into(),
            unit,
            span: Span::default()
        }
    );
    for (text, low, high) in [
        ("1..5", Some("1"), Some("5")),
        ("1.5..2.5", Some("1.5"), Some("2.5")),
        ("..5", None, Some("5")),
        ("5..", Some("5"), None),
        ("-5..-3", Some("-5"), Some("-3")),
    ] {
        let end = |text: Option<&str>| text.map(|text| Box::new(number(text)));
        assert_eq!(
            value(text),
            Term::Range {
                low: end(low),
                high: end(high),
                span: Span::default()
            }
        );
    }
    // Beside a date four digits are a year.
    let date = |text: &str| {
        Some(Box::new(Term::Date {
            text: text.into(),
            span: Span::default(),
        }))
    };
    assert_eq!(
        value("1914..1915-06"),
        Term::Range {
            low: date("1914"),
            high: date("1915-06"),
            span: Span::default()
        }
    );
    assert_eq!(
        print_query(&parse_query("MEET d IN 5..6 km").unwrap()),
        "MEET d IN 5..6 km"
    );
    // A keyword behind a number is no unit.
    assert_eq!(
        meet("MEET d = 5 CONFIDENCE >= 0.5").confidence.as_deref(),
        Some("0.5")
    );
    for (text, expected) in [
        ("1914-13", "E013"),
        ("1914-02-29", "E013"),
        ("1914-1-5", "E013"),
        ("555-1234", "E013"),
        ("12:30", "E013"),
        ("1,200", "E014"),
        ("1e3", "E014"),
        ("12km", "E014"),
        ("5 .. 6", "E016"),
        ("5.. 6", "E016"),
        ("6..5", "E015"),
        ("1915..1914-12-31", "E015"),
        ("5..1914-12", "E016"),
        ("−5", "E029"),
        ("1914–1918", "E029"),
    ] {
        assert_eq!(code(&format!("MEET d = {text}")), expected, "{text}");
    }
    // Overlapping ends run forward.
    assert!(parse("MEET d IN 1914-12-14..1914-12").is_ok());
}

#[test]
fn chains_and_lists() {
    let dimension = |text: &str| match one(text) {
        StatementKind::Dimension(declared) => declared,
        other => panic!("{other:#?}"),
    };
    let declared =
        dimension("DIMENSION d TAXONOMY ONE a, b,\n  c -- more\n  c > e > f,\n    g\n  b > h");
    let shape: Vec<(usize, usize)> = declared
        .chains
        .iter()
        .map(|chain| (chain.upper.len(), chain.last.len()))
        .collect();
    assert_eq!(shape, [(0, 3), (2, 2), (1, 1)]);
    assert_eq!(declared.one, Some(true));
    // Flags in any order, on any line; their words may be values.
    let declared = dimension("DIMENSION d ENTITY INVERSE e\n  COMPLETE AKA x, y MANY WITHIN z");
    assert!(declared.complete && declared.one == Some(false) && declared.inverse.is_some());
    assert_eq!(
        dimension("DIMENSION d TAXONOMY one > complete")
            .chains
            .len(),
        1
    );
    let tree = parse("DIMENSION h NUMBER\n  UNIT m\nUNIT m = 1 m").unwrap();
    assert_eq!(tree.statements.len(), 2);
    for (text, expected) in [
        ("DIMENSION d TAXONOMY\n  a > b, c > d", "E018"),
        (
            "DIMENSION d TAXONOMY\n  aquatic, terrestrial\n  amphibious",
            "E019",
        ),
        ("DIMENSION d TAXONOMY\n  a > b\n  c", "E019"),
        ("DIMENSION d TAXONOMY\n  a > b c > d", "E010"),
        ("DIMENSION d TAXONOMY\n  a, b,", "E045"),
        ("DIMENSION d DATE a", "E024"),
        ("DIMENSION d DATE WITHIN e", "E024"),
        ("DIMENSION d DATE ONE ONE", "E024"),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
    let warnings = parse_lenient("DIMENSION d TAXONOMY COMPLET\n  a > b").1;
    assert_eq!(warnings[0].code, Code::W001);
    assert!(parse("DIMENSION d TAXONOMY COMPLET\n  a > b").is_ok());
}

#[test]
fn braces_are_sets_behind_in_and_holes_in_patterns() {
    assert_eq!(code("MEET a = {b}"), "E021");
    assert_eq!(code("MEET a = {b, c}"), "E020");
    assert_eq!(code("MEET a IN {}"), "E027");
    assert!(matches!(
        meet("MEET a IN {b}").constraint,
        Constraint::In {
            set: SetExpression::Elements { .. },
            ..
        }
    ));
    let StatementKind::PatternQuestion { query, .. } =
        one("PATTERN QUESTION \"{f}\" => MEET a = {f} AND b IN {f}")
    else {
        panic!()
    };
    assert_eq!(print_query(&query), "MEET a = {f} AND b IN {f}");
    let Query::Meet(Meet {
        constraint: Constraint::And(parts, _),
        ..
    }) = query
    else {
        panic!()
    };
    assert!(matches!(
        &parts[0],
        Constraint::Test {
            operand: Operand::Term(Term::Hole { .. }),
            ..
        }
    ));
    assert!(
        matches!(&parts[1], Constraint::In { set: SetExpression::Elements { elements, .. }, .. } if matches!(elements[0], Term::Name(_)) || matches!(elements[0], Term::Hole { .. }))
    );
    let StatementKind::Fact(fact) = one("FACT a b = {c} SOURCE \"s\"") else {
        panic!()
    };
    assert_eq!(fact.assignments[0].values, [Term::Name(bare("c"))]);
}

#[test]
fn connectives_are_lists_and_do_not_mix() {
    let Constraint::And(parts, _) = meet("MEET a = 1 AND b = 2 AND c = 3").constraint else {
        panic!()
    };
    assert_eq!(parts.len(), 3);
    assert_eq!(code("MEET a = 1 AND b = 2 OR c = 3"), "E012");
    assert_eq!(code("MEET a = 1 OR b = 2 AND c = 3"), "E012");
    assert!(parse("MEET (a = 1 AND b = 2) OR c = 3").is_ok());
    assert!(parse("MEET ((((a = 1))))").is_ok());
}

#[test]
fn facts() {
    for (text, expected) in [
        ("FACT a b = c, d SOURCE \"s\"", "E022"),
        ("FACT a b > 5 SOURCE \"s\"", "E023"),
        ("FACT a b.c = d SOURCE \"s\"", "E023"),
        ("FACT a b = c, SOURCE \"s\"", "E045"),
        ("FACT a b = c CONFIDENCE 1.01 SOURCE \"s\"", "E017"),
        ("FACT a b = c CONFIDENCE -1 SOURCE \"s\"", "E017"),
        ("FACT 1984 b = c SOURCE \"s\"", "E010"),
        ("FACT a b = c SOURCE \"s\" AT 5..3", "E015"),
        ("FACT a b = 1,200 SOURCE \"s\"", "E014"),
        (
            "FACT a b = c SOURCE \"s\" AT 99999999999999999999..3",
            "E014",
        ),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
    let StatementKind::Fact(fact) = one("FACT a b = c") else {
        panic!()
    };
    assert_eq!(fact.source, None);
}

#[test]
fn names_round_trip() {
    for name in [
        "O'Connor",
        "\"Weird Al\" Yankovic",
        "a\\b",
        "#29",
        "Medical Condition",
        "Adastra (UK)",
        "]})",
        "",
        "\0\u{1b}\r\n\t",
        "\u{2028}\u{202e}",
    ] {
        let printed = latweave::syntax::print::quote(name);
        let Term::Name(back) = value(&printed) else {
            panic!()
        };
        assert_eq!(back.text, name);
        assert!(!printed.contains(['\n', '\r', '\u{202e}']));
    }
}

#[test]
fn incomplete_texts() {
    for text in [
        "MEET",
        "MEET a",
        "MEET a =",
        "MEET a = b AND",
        "MEET (a = b",
        "MEET a IN {b,",
        "LET x =",
        "LET x =\n",
        "FACT a b = c SOURCE \"open",
        "COMPARE \"A\",",
        "EXPECT {",
        "PATTERN TEXT \"x\" =>",
        "MEET a = b; MEET",
        "MEET a = b -- note\n AND -- more\n",
        "EXPLAIN",
        "READ",
        "DIMENSION d",
        "MEET name = \"a\nMEET b",
    ] {
        assert!(is_incomplete(text), "{text}");
    }
    for text in [
        "",
        "  ",
        "-- only a comment",
        "MEET a = b",
        "MEET a = b;",
        "MEET a = b)",
        "MEET ; a",
        "MEET a = = b",
        "MEET (\nFACT a b = c",
        "SELECT",
        "MEET a = b AND;",
    ] {
        assert!(!is_incomplete(text), "{text}");
    }
}

#[test]
fn statements_end_at_the_next() {
    let text = "MEET a = b MEET c = d; MEET e = f;;\nCHECK g WIDTH h\nLET x =\n  MEET a\n  = b\nMEET n IN (\nMEET a = b\n)\nEXPECT\nABSTAIN conflict\nEXPLAIN\nMEET a = b";
    let kinds = parse(text).unwrap().statements;
    assert_eq!(kinds.len(), 9);
    assert_eq!(parse("").unwrap().statements, []);
    assert_eq!(parse(" ; ;\n").unwrap().statements, []);
    assert!(parse_query("MEET a = b; ").is_ok());
    assert_eq!(parse_query("").unwrap_err()[0].code, Code::E028);
    assert_eq!(
        parse_query("MEET a = b MEET c = d").unwrap_err()[0].code,
        Code::E028
    );
    assert_eq!(parse_query("CHECK a").unwrap_err()[0].code, Code::E028);
}

fn scope(lets: &[(&str, &str)]) -> BTreeMap<String, Query> {
    let mut scope = BTreeMap::new();
    for (name, text) in lets {
        let query = canonical(&parse_query(text).unwrap(), &scope, &BTreeMap::new()).unwrap();
        scope.insert((*name).to_owned(), query);
    }
    scope
}

fn normal(text: &str, lets: &[(&str, &str)]) -> String {
    match canonical(&parse_query(text).unwrap(), &scope(lets), &BTreeMap::new()) {
        Ok(query) => print_query(&query),
        Err(fault) => fault.code.name().to_owned(),
    }
}

#[test]
fn canonical_forms() {
    for (text, expected) in [
        ("MEET b = 2 AND a = 1 AND b = 2.0", "MEET a = 1 AND b = 2"),
        (
            "MEET a = 1 AND (b = 2 AND (c = 3 AND a = 1))",
            "MEET a = 1 AND b = 2 AND c = 3",
        ),
        (
            "MEET a = 1 OR (b = 2 AND a = +1)",
            "MEET a = 1 OR (a = 1 AND b = 2)",
        ),
        ("MEET (a = 1 OR a = 1) AND (a = 1)", "MEET a = 1"),
        ("MEET a != 1", "MEET NOT a = 1"),
        ("MEET NOT a != 1", "MEET a = 1"),
        ("MEET NOT NOT NOT a = 1", "MEET NOT a = 1"),
        (
            "MEET NOT NOT (b = 1 AND a = 1) AND c = 1",
            "MEET a = 1 AND b = 1 AND c = 1",
        ),
        ("MEET POSSIBLY POSSIBLY a = 1", "MEET POSSIBLY a = 1"),
        ("MEET a IN {c, b, \"c\"}", "MEET a IN {b, c}"),
        ("MEET a IN {b}", "MEET a IN {b}"),
        (
            "MEET a = \"whale\" AND \"b\" = \"killer whale\"",
            "MEET a = whale AND b = \"killer whale\"",
        ),
        (
            "MEET a = -0 AND b = 007.50 km AND c IN +1..2.0",
            "MEET a = 0 AND b = 7.5 km AND c IN 1..2",
        ),
        (
            "MEET a = 1 CONFIDENCE >= 0.80 RETURN c, b",
            "MEET a = 1 CONFIDENCE >= 0.8 RETURN c, b",
        ),
        ("MEET a = 1 RETURN \"count\"", "MEET a = 1 RETURN \"count\""),
        ("COMPARE \"b\" = \"a\" BY \"c\"", "COMPARE b = a BY c"),
        (
            "COMPARE {\"b\", a} = (MEET b = 1 AND a = 1)",
            "COMPARE {a, b} = (MEET a = 1 AND b = 1)",
        ),
        ("MEET a IN films", "E053"),
        ("COMPARE a > b", "E054"),
        ("COMPARE {a} = b", "E054"),
        ("MEET a = $x", "E050"),
    ] {
        assert_eq!(normal(text, &[]), expected, "{text}");
    }
}

#[test]
fn lets_are_written_out() {
    let lets = [("a", "MEET x = 1"), ("b", "MEET y IN a")];
    for (text, expected) in [
        ("MEET name IN b", "MEET name IN (MEET y IN (MEET x = 1))"),
        ("MEET d > a", "MEET d > (MEET x = 1)"),
        ("MEET d = \"a\" AND e IN {a}", "MEET d = a AND e IN {a}"),
        (
            "COMPARE a OVERLAPS {\"b\"}",
            "COMPARE (MEET x = 1) OVERLAPS {b}",
        ),
        ("COMPARE MAX OF a BY c", "COMPARE MAX OF (MEET x = 1) BY c"),
        ("COMPARE MAX OF a, b BY c", "COMPARE MAX OF a, b BY c"),
        ("COMPARE z BY d IN a", "COMPARE z BY d IN (MEET x = 1)"),
    ] {
        assert_eq!(normal(text, &lets), expected, "{text}");
        let inline = parse_query(expected).unwrap();
        assert_eq!(
            print_query(&canonical(&inline, &BTreeMap::new(), &BTreeMap::new()).unwrap()),
            expected
        );
    }
    let fault = canonical(
        &parse_query("MEET x IN filmz").unwrap(),
        &scope(&[("films", "MEET a = b")]),
        &BTreeMap::new(),
    );
    assert_eq!(fault.unwrap_err().fix.unwrap().replacement, "films");
}

#[test]
fn doubling_lets_are_bounded() {
    let mut lets = BTreeMap::new();
    let mut last = parse_query("MEET a = b").unwrap();
    let mut refused = None;
    for step in 0..64 {
        let name = format!("x{step}");
        lets.insert(name.clone(), last.clone());
        let text = format!("MEET n IN {name} OR m IN {name}");
        match canonical(&parse_query(&text).unwrap(), &lets, &BTreeMap::new()) {
            Ok(next) => last = next,
            Err(fault) => {
                refused = Some(fault.code);
                break;
            }
        }
    }
    assert_eq!(refused, Some(Code::E051));
    // A long line of single uses passes the depth instead.
    let mut lets = BTreeMap::new();
    lets.insert("x".to_owned(), parse_query("MEET a = b").unwrap());
    let fault = (0..1_000).find_map(|_| {
        match canonical(
            &parse_query("MEET n IN x").unwrap(),
            &lets,
            &BTreeMap::new(),
        ) {
            Ok(next) => {
                lets.insert("x".to_owned(), next);
                None
            }
            Err(fault) => Some(fault.code),
        }
    });
    assert_eq!(fault, Some(Code::E007));
}

#[test]
fn parameters_are_values() {
    let name = |text: &str| {
        Term::Name(Name {
            text: text.into(),
            quoted: true,
            span: Span::default(),
        })
    };
    let bind = |text: &str, parameter: Parameter| {
        let parameters = BTreeMap::from([("x".to_owned(), parameter)]);
        let lets = scope(&[("films", "MEET a = b")]);
        match canonical(&parse_query(text).unwrap(), &lets, &parameters) {
            Ok(query) => print_query(&query),
            Err(fault) => fault.code.name().to_owned(),
        }
    };
    let nasty = "\" OR 1 = 1 -- ";
    assert_eq!(
        bind("MEET a = $x", Parameter::One(name(nasty))),
        "MEET a = \"\\\" OR 1 = 1 -- \""
    );
    // Never a LET, whatever it is called.
    assert_eq!(
        bind("MEET a = $x", Parameter::One(name("films"))),
        "MEET a = films"
    );
    assert_eq!(
        bind("MEET a IN $x", Parameter::One(name("b"))),
        "MEET a IN {b}"
    );
    assert_eq!(
        bind("MEET a IN $x", Parameter::One(value("5..6"))),
        "MEET a IN 5..6"
    );
    assert_eq!(
        bind(
            "MEET a IN $x",
            Parameter::Many(vec![name("c"), name("b"), name("c")])
        ),
        "MEET a IN {b, c}"
    );
    assert_eq!(
        bind(
            "MEET a IN {d, $x}",
            Parameter::Many(vec![name("c"), name("b")])
        ),
        "MEET a IN {b, c, d}"
    );
    assert_eq!(
        bind("MEET a IN $x..9", Parameter::One(value("5"))),
        "MEET a IN 5..9"
    );
    assert_eq!(bind("MEET a IN $x..9", Parameter::One(name("b"))), "E052");
    assert_eq!(
        bind("MEET a = $x", Parameter::Many(vec![name("b")])),
        "E052"
    );
    assert_eq!(bind("MEET a = $x", Parameter::One(value("$y"))), "E052");
    assert_eq!(
        bind(
            "COMPARE MAX OF $x BY d",
            Parameter::Many(vec![name("b"), name("a")])
        ),
        "COMPARE MAX OF b, a BY d"
    );
    assert_eq!(
        bind(
            "COMPARE $x OVERLAPS films",
            Parameter::Many(vec![name("b"), name("a")])
        ),
        "COMPARE {a, b} OVERLAPS (MEET a = b)"
    );
}

/// The MEET of a bound begins no statement, wherever the line breaks.
#[test]
fn the_meet_of_a_bound_may_begin_a_line() {
    let text = "COMPARE -- of two\nMEET OF a, b BY d\nMEET x = y";
    let tree = parse(text).unwrap();
    assert_eq!(tree.statements.len(), 2);
    assert_eq!(
        format_text("COMPARE\n join of b,\n a by d").unwrap(),
        "COMPARE JOIN OF b, a BY d\n"
    );
    // JOIN is a word like any other where it stands for itself.
    assert!(parse("COMPARE join, join = join BY join").is_err());
    assert!(parse("COMPARE join, of BY join").is_ok());
    assert!(parse("COMPARE JOIN OF (MEET x = y) BY d").is_err());
    assert!(parse("COMPARE MEET OF a, b BY COUNT d").is_err());
}
