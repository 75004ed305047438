//! LQ statements that say something, from files and one by one.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{Builder, DimensionSpec, KindSpec, Lattice, ValueId};
use latweave::load::lq::{Context, MODULES, Refusal, apply};
use latweave::load::{LoadError, OnError, Options, Report, Request, Silent, load};
use latweave::syntax::{Code, Statements};
use std::path::Path;

/// Applies the statements of a text one by one.
fn told(text: &str) -> Result<(Builder, Report), Refusal> {
    let mut builder = Builder::new();
    let (options, mut silent, mut report) = (Options::default(), Silent, Report::default());
    let folder = Path::new(".");
    let mut context = Context::new("t.lq", text, folder, &options, &mut silent, &mut report);
    for parsed in Statements::new(text) {
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        for statement in &parsed.statements {
            apply(&mut builder, statement, &mut context)?;
        }
    }
    Ok((builder, report))
}

fn lattice(text: &str) -> Lattice {
    let (builder, _) = told(text).unwrap_or_else(|error| panic!("{error}"));
    builder.freeze().unwrap()
}

fn refused(text: &str) -> (Code, String, String) {
    match told(text) {
        Err(Refusal::Statement(diagnostic)) => {
            let span = diagnostic.span().unwrap();
            let help = diagnostic.help.clone().unwrap_or_default();
            (diagnostic.code, text[span.start..span.end].to_owned(), help)
        }
        Err(Refusal::File(error)) => panic!("{error}"),
        Ok(_) => panic!("taken: {text}"),
    }
}

/// What a help says to write is LQ, whatever the name is.
#[test]
fn a_name_in_a_help_is_written_as_lq_reads_it() {
    for (name, dimension) in [
        ("colour", "colour"),
        ("a \"b\"", r#""a \"b\"""#),
        ("AND", "\"AND\""),
    ] {
        let quoted = latweave::syntax::print::quote(name);
        let (code, _, help) = refused(&format!("FACT x {quoted} = y SOURCE \"s\""));
        let declaration = format!("DIMENSION {dimension} TEXT");
        assert_eq!(code, Code::E201);
        assert_eq!(help, format!("declare it first, as in {declaration}"));
        told(&declaration).unwrap_or_else(|error| panic!("{error}"));
        let (code, _, help) = refused(&format!(
            "DIMENSION {quoted} TAXONOMY p > q FACT x {quoted} = {quoted} SOURCE \"s\""
        ));
        let declaration = format!("DIMENSION {dimension} TAXONOMY {dimension}");
        assert_eq!(code, Code::E202);
        assert_eq!(help, format!("declare it, as in {declaration}"));
        told(&declaration).unwrap_or_else(|error| panic!("{error}"));
        // The builder's own words too.
        let mut builder = Builder::new();
        let d = builder
            .declare_dimension(DimensionSpec::new(name, KindSpec::Taxonomy))
            .unwrap();
        let error = builder.add_synonym(d, name, "z").unwrap_err().to_string();
        let (_, declaration) = error.split_once("as in ").unwrap();
        told(declaration).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn facts_of_every_kind() {
    let lattice = lattice(
        r#"UNIT km = 1000 m
DIMENSION species TAXONOMY ONE
  animal > mammal > whale, orca
DIMENSION habitat TAXONOMY aquatic, terrestrial
DIMENSION born DATE ONE
DIMENSION length NUMBER UNIT m ONE
DIMENSION directed_by ENTITY MANY INVERSE directed
DIMENSION note TEXT
SYNONYM "killer whale" = orca IN species
FACT "Moby Dick" species = whale, habitat = {aquatic, terrestrial}, species != orca,
  born = 1851-10-18, length = 0.02 km, note = "a white whale"
  CONFIDENCE 0.9 SOURCE "Moby Dick is a whale." FROM "moby.txt" AT 0..21 LINE 1
FACT "D" born = -0012-11-29 SOURCE "x"
FACT "E" born = 1914..1918 SOURCE "x"
FACT "F" born = "20th century", length = "1.2 km" SOURCE "x"
FACT "G" born = 1800.., length = 5..8 km SOURCE "x"
FACT "H" born = 1914 SOURCE "x"
FACT "Jaws" directed_by = "Steven Spielberg" SOURCE "x"
FACT "springfield" @"city/springfield" note = x SOURCE "x"
FACT @"city/springfield" note = y SOURCE "x"
INSTANCE "Nobody" AKA "No one"
ALIAS "Robert Zimmerman", Bob = "Bob Dylan"
"#,
    );
    let born = lattice.find_dimension("born").unwrap();
    let length = lattice.find_dimension("length").unwrap();
    let shown = |name: &str, d| {
        let i = lattice.called(name).instances[0];
        let v = ValueId(lattice.positive(d).of(i).values()[0]);
        match lattice.value(d, v) {
            latweave::lattice::Value::Date(date) => date.to_string(),
            latweave::lattice::Value::Number(number) => number.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(shown("D", born), "-0012-11-29");
    assert_eq!(shown("E", born), "1914..1918");
    assert_eq!(shown("F", born), "1901..2000");
    assert_eq!(shown("G", born), "1800..9999");
    assert_eq!(shown("H", born), "1914");
    assert_eq!(shown("Moby Dick", length), "20");
    assert_eq!(shown("F", length), "1200");
    assert_eq!(shown("G", length), "5000..8000");
    let spring = lattice.by_id("city/springfield").unwrap();
    assert_eq!(lattice.name(spring), "springfield");
    let note = lattice.find_dimension("note").unwrap();
    assert_eq!(lattice.positive(note).of(spring).len(), 2);
    assert_eq!(
        lattice.called("Bob").instances,
        lattice.called("Bob Dylan").instances
    );
    let species = lattice.find_dimension("species").unwrap();
    let moby = lattice.called("Moby Dick").instances[0];
    let negative = lattice.negative(species);
    assert_eq!(negative.confidence(negative.of(moby).predicate(0)), 0.9);
    let directed = lattice.find_dimension("directed").unwrap();
    assert_eq!(lattice.positive(directed).len(), 1);
}

#[test]
fn a_source_without_from_points_into_the_script() {
    let text = "DIMENSION d TEXT\n\nFACT \"é\" d = x\n  SOURCE \"é is x.\"\n";
    let lattice = lattice(text);
    let d = lattice.find_dimension("d").unwrap();
    let relation = lattice.positive(d);
    let (evidence, _) = relation.sources(relation.rows().next().unwrap().1.predicate(0))[0];
    let evidence = lattice.evidence(evidence).unwrap();
    let (start, end) = evidence.range.unwrap();
    assert_eq!(&text[start as usize..end as usize], "é is x.");
    assert_eq!(
        (evidence.document.as_str(), evidence.line),
        ("t.lq", Some(4))
    );
}

#[test]
fn refusals_point_and_help() {
    let head = "DIMENSION species TAXONOMY whale\nDIMENSION born DATE\nDIMENSION n NUMBER\nDIMENSION m NUMBER UNIT m\nDIMENSION t TEXT\nDIMENSION r ENTITY\n";
    for (text, code, at, help) in [
        (
            "FACT a species = whale",
            Code::E200,
            "FACT a species = whale",
            "SOURCE",
        ),
        (
            "FACT a specie = whale SOURCE \"x\"",
            Code::E201,
            "specie",
            "\"species\"",
        ),
        (
            "FACT a name = whale SOURCE \"x\"",
            Code::E211,
            "name",
            "ALIAS",
        ),
        (
            "FACT a species = whales SOURCE \"x\"",
            Code::E202,
            "whales",
            "\"whale\"",
        ),
        ("FACT a species = 5 SOURCE \"x\"", Code::E203, "5", "quotes"),
        (
            "FACT a born = yesterday SOURCE \"x\"",
            Code::E203,
            "yesterday",
            "",
        ),
        (
            "FACT a born = \"c. 1914\" SOURCE \"x\"",
            Code::E210,
            "\"c. 1914\"",
            "",
        ),
        (
            "FACT a born = \"03/04/2001\" SOURCE \"x\"",
            Code::E210,
            "\"03/04/2001\"",
            "",
        ),
        (
            "FACT a born = \"1900s\" SOURCE \"x\"",
            Code::E210,
            "\"1900s\"",
            "",
        ),
        (
            "FACT a n = \"1.200\" SOURCE \"x\"",
            Code::E210,
            "\"1.200\"",
            "",
        ),
        (
            "FACT a n = 5 km SOURCE \"x\"",
            Code::E204,
            "5 km",
            "UNIT km",
        ),
        (
            "FACT a m = 5 km SOURCE \"x\"",
            Code::E204,
            "5 km",
            "std.units",
        ),
        (
            "FACT a n = 1914-12-14 SOURCE \"x\"",
            Code::E203,
            "1914-12-14",
            "",
        ),
        ("FACT a n = 5.. SOURCE \"x\"", Code::E203, "5..", ""),
        ("FACT a t = 5 SOURCE \"x\"", Code::E203, "5", "quotes"),
        ("FACT a r = 5 SOURCE \"x\"", Code::E203, "5", "@"),
        (
            "FACT a t = x SOURCE \" \"",
            Code::E212,
            "FACT a t = x SOURCE \" \"",
            "",
        ),
        (
            "INSTANCE s @a\nINSTANCE s @b\nFACT s t = x SOURCE \"x\"",
            Code::E205,
            "s",
            "",
        ),
        ("DIMENSION born NUMBER", Code::E206, "born", ""),
        ("DIMENSION name TEXT", Code::E211, "name", ""),
        (
            "DIMENSION x DATE\nFACT a x = $p SOURCE \"x\"",
            Code::E203,
            "$p",
            "",
        ),
        (
            "MEET species = whale",
            Code::E207,
            "MEET species = whale",
            "latweave run",
        ),
        ("USE std.tim", Code::E208, "std.tim", "std.time"),
        ("SYNONYM w = orca IN species", Code::E202, "orca", ""),
    ] {
        let (found, place, helped) = refused(&format!("{head}{text}\n"));
        assert_eq!((found, place.as_str()), (code, at), "{text}");
        assert!(helped.contains(help), "{text}: {helped}");
    }
}

#[test]
fn a_refused_statement_changes_nothing() {
    let head = "DIMENSION t TEXT\nDIMENSION r ENTITY\nFACT a t = x SOURCE \"x\"\n";
    let (mut builder, _) = told(head).unwrap();
    let before = builder.freeze().unwrap().content_hash();
    let (options, mut silent, mut report) = (Options::default(), Silent, Report::default());
    let text = "FACT b r = c, t = 5 SOURCE \"y\"";
    let mut context = Context::new(
        "t.lq",
        text,
        Path::new("."),
        &options,
        &mut silent,
        &mut report,
    );
    for parsed in Statements::new(text) {
        apply(&mut builder, &parsed.statements[0], &mut context).unwrap_err();
    }
    assert_eq!(report.facts, 0);
    assert_eq!(builder.freeze().unwrap().content_hash(), before);
}

#[test]
fn modules_stand_together() {
    let all: String = MODULES
        .iter()
        .map(|(name, _)| format!("USE {name}\n"))
        .collect();
    let lattice = lattice(&all);
    assert!(lattice.units().same_quantity("mi", "km"));
    assert!(lattice.find_dimension("birthplace").is_some());
    let again = format!("{all}{all}");
    assert_eq!(
        told(&again).unwrap().0.freeze().unwrap().content_hash(),
        lattice.content_hash()
    );
}

fn put(folder: &Path, name: &str, text: &str) -> Request {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    Request {
        document: name.to_owned(),
        ..Request::new(path)
    }
}

#[test]
fn files_load_files_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "sub/kb.txt", "a|r|b\n");
    put(folder.path(), "sub/city.csv", "city,state,size\nx,y,5\n");
    put(
        folder.path(),
        "sub/schema.lq",
        "DIMENSION r ENTITY ONE INVERSE r_of\n",
    );
    let main = put(
        folder.path(),
        "sub/main.lq",
        "LOAD \"schema.lq\"\nLOAD TRIPLES \"kb.txt\"\nLOAD TABLE \"city.csv\" AS town KEY city, state COLUMN size AS area OMIT state\nRETRACT FROM \"none\"\n",
    );
    let mut builder = Builder::new();
    let report = load(&mut builder, &main, &Options::default(), &mut Silent).unwrap();
    assert_eq!(report.warning_count, 1, "{report:?}");
    let lattice = builder.freeze().unwrap();
    assert!(lattice.by_id("town/x/y").is_some());
    assert!(lattice.find_dimension("area").is_some() && lattice.find_dimension("state").is_none());
    assert!(
        lattice
            .dimension(lattice.find_dimension("r").unwrap())
            .is_one()
    );
    assert!(lattice.find_dimension("r_inverse").is_none());
    assert_eq!(lattice.documents()[0].name, "sub/city.csv");
}

#[test]
fn files_that_load_themselves_are_named() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "b.lq", "LOAD \"a.lq\"\n");
    let a = put(folder.path(), "a.lq", "LOAD \"b.lq\"\n");
    let error = load(&mut Builder::new(), &a, &Options::default(), &mut Silent).unwrap_err();
    assert!(matches!(error, LoadError::Circle { .. }), "{error}");
}

#[test]
fn all_that_is_wrong_with_a_file_is_told_and_nothing_kept() {
    let folder = tempfile::tempdir().unwrap();
    let text = "DIMENSION t TEXT\nFACT a t = 5 SOURCE \"x\"\nFACT b t = x SOURCE \"x\"\nFACT c t =\nFACT d u = x SOURCE \"x\"\n";
    let request = put(folder.path(), "x.lq", text);
    let mut builder = Builder::new();
    let error = load(&mut builder, &request, &Options::default(), &mut Silent).unwrap_err();
    assert!(error.to_string().starts_with("x.lq:2: [E203]"), "{error}");
    match error {
        LoadError::Script {
            diagnostics,
            text: kept,
            ..
        } => {
            assert_eq!(diagnostics.len(), 3);
            assert_eq!(kept, text);
        }
        other => panic!("{other}"),
    }
    assert!(builder.freeze().unwrap().is_empty());
    let skip = Options {
        on_error: OnError::Skip,
        ..Options::default()
    };
    let report = load(&mut builder, &request, &skip, &mut Silent).unwrap();
    let lines: Vec<u64> = report.skipped.iter().map(|bad| bad.line).collect();
    assert_eq!((report.facts, report.skipped_count), (1, 3));
    assert_eq!(lines, [2, 4, 5]);
}
