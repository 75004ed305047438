//! The grammar of plans for constrained decoding: what follows from it is LQ, and what
//! people ask follows from it.
#![cfg(feature = "models")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/gbnf.rs"]
mod reading;

use latweave::syntax::gbnf::{Vocabulary, WordKind, gbnf};
use latweave::syntax::tree::StatementKind;
use latweave::syntax::{canonical, parse, print_query};
use reading::Grammar;
use std::collections::{BTreeMap, BTreeSet};

/// How many plans are drawn from each grammar.
const DRAWN: u64 = 1500;

fn vocabulary(dimensions: &[(&str, WordKind)], units: &[&str], names: &[&str]) -> Vocabulary {
    let all = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    Vocabulary {
        dimensions: dimensions
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), *kind))
            .collect(),
        units: all(units),
        names: all(names),
        ids: Default::default(),
    }
}

fn animals() -> Vocabulary {
    use WordKind::{Date, Entity, Number, Taxonomy, Text};
    vocabulary(
        &[
            ("species", Taxonomy),
            ("lives in", Entity),
            ("born", Date),
            ("length", Number),
            ("note", Text),
        ],
        &["m", "AS", "sea mile"],
        &[
            "whale",
            "Moby Dick",
            "O'Connor",
            "a\\b",
            "\"Weird Al\" Yankovic",
            "]})",
            "IN",
            "x",
        ],
    )
}

/// Names that are words of the language, or nothing a word can be.
fn awkward() -> Vocabulary {
    use WordKind::{Date, Entity, Number, Taxonomy};
    vocabulary(
        &[
            ("count", Number),
            ("in", Entity),
            ("where", Taxonomy),
            ("is", Date),
            ("name", Entity),
            ("a.b", Entity),
            ("\u{200b}", Taxonomy),
            ("like", Entity),
            ("日本", Taxonomy),
            ("max", Date),
            ("x", Entity),
        ],
        &["LIMIT", "5"],
        &["MEET", "x", "日本語", "😀\n", " "],
    )
}

fn only(kind: WordKind) -> Vocabulary {
    vocabulary(&[("it", kind)], &[], &[])
}

/// Parsed, and canonical: no LET is missing, nothing is compared that cannot be.
#[track_caller]
fn is_plan(text: &str) {
    let tree = parse(text).unwrap_or_else(|told| panic!("{text}\n{told:#?}"));
    let mut lets = BTreeMap::new();
    for statement in &tree.statements {
        let query = match &statement.kind {
            StatementKind::Let { query, .. } | StatementKind::Query(query) => query,
            _ => panic!("{text}"),
        };
        let query = canonical(query, &lets, &BTreeMap::new());
        let query = query.unwrap_or_else(|told| panic!("{text}\n{told:#?}"));
        if let StatementKind::Let { name, .. } = &statement.kind {
            lets.insert(name.text.clone(), query);
        }
    }
    let last = tree.statements.last().map(|last| &last.kind);
    assert!(matches!(last, Some(StatementKind::Query(_))), "{text}");
}

fn every_plan_parses(vocabulary: &Vocabulary) {
    let grammar = Grammar::read(&gbnf(vocabulary).unwrap());
    for seed in 0..DRAWN {
        is_plan(&grammar.draw(seed));
    }
}

#[test]
fn every_plan_of_a_lattice_parses() {
    every_plan_parses(&animals());
}

#[test]
fn every_plan_with_awkward_names_parses() {
    every_plan_parses(&awkward());
}

#[test]
fn every_plan_of_any_words_parses() {
    every_plan_parses(&Vocabulary::default());
}

#[test]
fn every_plan_of_one_dimension_parses() {
    use WordKind::{Date, Entity, Number, Taxonomy, Text};
    for kind in [Taxonomy, Entity, Number, Date, Text] {
        every_plan_parses(&only(kind));
    }
}

#[test]
fn what_people_ask_follows_from_it() {
    let narrowed = Grammar::read(&gbnf(&animals()).unwrap());
    let free = Grammar::read(&gbnf(&vocabulary(&[], &["m"], &[])).unwrap());
    for plan in [
        r#"MEET name = "Moby Dick" RETURN born"#,
        r#"MEET species <= "whale" AND length > 5.5 m RETURN COUNT"#,
        r#"MEET (species = "whale" OR species = "x") AND NOT HAS born RETURN born, length"#,
        r#"MEET "lives in"."lives in".born >= 1914-12-14 RETURN COUNT species"#,
        r#"MEET name IN (MEET species = "whale" RETURN "lives in") AND name != "Moby Dick""#,
        r#"MEET species IN {"whale", "x"} CONFIDENCE >= 0.8"#,
        r#"MEET born < (MEET name = "Moby Dick" RETURN born)"#,
        r#"COMPARE "Moby Dick" = "whale" BY species"#,
        r#"COMPARE "Moby Dick", "whale" BY species"#,
        r#"COMPARE "Moby Dick" BY species = "whale""#,
        r#"COMPARE "Moby Dick" < "whale" BY COUNT "lives in""#,
        r#"COMPARE MAX OF (MEET species = "whale") BY born RETURN name"#,
        r#"COMPARE MIN OF "Moby Dick", "x" BY "lives in".length"#,
        r#"COMPARE JOIN OF "whale", "x" BY species"#,
        r#"COMPARE (MEET HAS born) OVERLAPS (MEET HAS length)"#,
        "LET x = MEET HAS born\nMEET \"lives in\" IN x",
        "LET x = MEET HAS born\nLET y = MEET name IN x RETURN \"lives in\"\nCOMPARE x = y",
        r#"ABSTAIN "the question asks for an opinion""#,
    ] {
        is_plan(plan);
        assert!(narrowed.accepts(plan), "{plan}");
        assert!(free.accepts(plan), "{plan}");
    }
}

#[test]
fn what_is_not_at_hand_does_not_follow() {
    let grammar = Grammar::read(&gbnf(&animals()).unwrap());
    for plan in [
        "MEET colour = \"whale\"",
        "MEET species = \"shark\"",
        "MEET species > \"whale\"",
        "MEET born = \"whale\"",
        "MEET length = \"whale\"",
        "MEET born.length = 5",
        "MEET species = \"whale\" AND HAS born OR HAS length",
        "MEET name IN x",
        "MEET length = 5 miles",
        "MEET born = 1900-02-29",
        "MEET length = 05",
        "COMPARE \"x\"",
        "READ \"what is it\"",
        "MEET species = $x",
        "The plan is MEET HAS born",
        "meet HAS born",
        "",
    ] {
        assert!(!grammar.accepts(plan), "{plan}");
    }
}

#[test]
fn no_bare_word_is_reserved() {
    let grammar = Grammar::read(&gbnf(&Vocabulary::default()).unwrap());
    let accepted = |word: &str| grammar.accepts(&format!("MEET HAS {word}"));
    for word in [
        "born",
        "inside",
        "_",
        "not2",
        "i",
        "Androgyne",
        "a_b",
        "me",
        "meets",
        "_by",
    ] {
        assert!(accepted(word), "{word}");
    }
    let starters = latweave::syntax::words::STARTERS.iter();
    for word in starters.chain(latweave::syntax::words::CONNECTIVES) {
        assert!(!accepted(word), "{word}");
        assert!(!accepted(&word.to_lowercase()), "{word}");
        assert!(accepted(&format!("{word}s_")), "{word}");
    }
}

#[test]
fn nesting_ends() {
    let grammar = Grammar::read(&gbnf(&animals()).unwrap());
    assert!(grammar.accepts("MEET (((HAS born)))"));
    assert!(!grammar.accepts("MEET ((((HAS born))))"));
}

/// Quotes and `@` as the grammar of plans has them: values are always quoted.
fn with_quoted_values(query: &str, ids: &mut BTreeSet<String>) -> String {
    let mut out = String::new();
    // What a value stands behind; behind IN it is a LET.
    let behind = ["=", "!=", "<", "<=", ">", ">=", "OVERLAPS", "OF", "COMPARE"];
    let mut before = String::new();
    for token in tokens(query) {
        let word = token.trim();
        let is_word = word.starts_with(|c: char| c.is_alphabetic());
        let is_value = behind.contains(&before.as_str()) || before == ",";
        let keyword = ["MAX", "MIN", "MEET", "JOIN"].contains(&word);
        if let Some(id) = word.strip_prefix('@') {
            let id = id.trim_matches('"').to_owned();
            out.push_str(&token.replace(word, &format!("@\"{id}\"")));
            ids.insert(id);
        } else if is_word && is_value && !keyword {
            out.push_str(&token.replace(word, &format!("\"{word}\"")));
        } else {
            out.push_str(&token);
        }
        // Behind RETURN a comma parts paths.
        if word == "RETURN" {
            before = "RETURN".to_owned();
        } else if !word.is_empty()
            && (before != "RETURN" || ["AND", "OR", "(", ")"].contains(&word))
        {
            before = word.to_owned();
        }
    }
    out
}

/// Words, strings, signs, each with the white space before it.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut token = String::new();
    let mut in_string = false;
    for letter in text.chars() {
        let alone = "(){},".contains(letter) && !in_string;
        if !in_string && (alone || letter == ' ') && !token.trim().is_empty() {
            all.push(std::mem::take(&mut token));
        }
        if letter == '"' {
            in_string = !in_string;
        }
        token.push(letter);
        if alone {
            all.push(std::mem::take(&mut token));
        }
    }
    all.push(token);
    all
}

/// The questions of the examples follow from the grammar, once their values are quoted.
#[test]
fn the_queries_of_the_examples_follow_from_it() {
    let mut plans = BTreeSet::new();
    let mut words = vocabulary(&[], &["m", "ft", "km", "mi", "kg"], &[]);
    for folder in [
        "examples/animals",
        "examples/geography",
        "examples/ontology",
    ] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "lq") {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            for statement in parse(&text).unwrap().statements {
                // One that names a LET is covered above.
                if let StatementKind::Query(query) = &statement.kind
                    && let Ok(query) = canonical(query, &BTreeMap::new(), &BTreeMap::new())
                {
                    plans.insert(with_quoted_values(&print_query(&query), &mut words.ids));
                }
            }
        }
    }
    let grammar = Grammar::read(&gbnf(&words).unwrap());
    let refused: Vec<&String> = plans.iter().filter(|plan| !grammar.accepts(plan)).collect();
    // An example of what does not fit: a relation has no greater values.
    assert_eq!(refused, ["MEET borders > \"texas\""]);
    assert!(plans.len() > 150, "{}", plans.len());
}
