//! Files to facts: what people's real files look like, and what must become of
//! them. Numbers are those of the field cases.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{
    Builder, DimensionId, DimensionSpec, InstanceId, KindSpec, Lattice, Multiplicity, Relation,
    Value,
};
use latweave::load::{ColumnRequest, LoadError, OnError, Options, Report, Request, Silent, load};
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tempfile::TempDir;

struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(TempDir::new().unwrap())
    }
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> Request {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        Request {
            document: name.to_owned(),
            ..Request::new(path)
        }
    }
}

fn with(on_error: OnError) -> Options {
    Options {
        on_error,
        ..Options::default()
    }
}

fn take(builder: &mut Builder, request: &Request) -> Report {
    load(builder, request, &Options::default(), &mut Silent).unwrap()
}

fn one(bytes: impl AsRef<[u8]>, name: &str) -> (Lattice, Report) {
    let files = Files::new();
    let mut builder = Builder::new();
    let report = take(&mut builder, &files.put(name, bytes));
    (builder.freeze().unwrap(), report)
}

fn fails(bytes: impl AsRef<[u8]>, name: &str) -> LoadError {
    let files = Files::new();
    let request = files.put(name, bytes);
    load(
        &mut Builder::new(),
        &request,
        &Options::default(),
        &mut Silent,
    )
    .unwrap_err()
}

fn dim(lattice: &Lattice, name: &str) -> DimensionId {
    lattice
        .find_dimension(name)
        .unwrap_or_else(|| panic!("no dimension {name}"))
}

fn instance(lattice: &Lattice, name: &str) -> InstanceId {
    let called = lattice.called(name).instances;
    assert_eq!(called.len(), 1, "{name}");
    called[0]
}

/// The values of an instance as text, sorted.
fn values(lattice: &Lattice, name: &str, dimension: &str) -> Vec<String> {
    let d = dim(lattice, dimension);
    let row = lattice.positive(d).of(instance(lattice, name));
    let shown = |v: &u32| match lattice.value(d, latweave::lattice::ValueId(*v)) {
        Value::Term(text) | Value::Text(text) => text,
        Value::Instance(i) => lattice.name(i).to_owned(),
        Value::Number(n) => n.to_string(),
        Value::Date(d) => d.to_string(),
    };
    let mut all: Vec<String> = row.values().iter().map(shown).collect();
    all.sort();
    all
}

fn sources_of(relation: Relation<'_>, i: InstanceId) -> usize {
    let row = relation.of(i);
    (0..row.len())
        .map(|k| relation.sources(row.predicate(k)).len())
        .sum()
}

#[test]
fn triples_of_both_forms_with_their_lines_as_evidence() {
    for text in [
        "Kismet|directed_by|William Dieterle\n",
        "Kismet\tdirected_by\tWilliam Dieterle\r\n",
    ] {
        let (lattice, report) = one(text, "kb.txt");
        assert_eq!(report.facts, 1);
        assert_eq!(
            report.relations,
            [(
                "directed_by".to_owned(),
                Some("directed_by_inverse".to_owned())
            )]
        );
        assert_eq!(
            values(&lattice, "Kismet", "directed_by"),
            ["William Dieterle"]
        );
        assert_eq!(
            values(&lattice, "William Dieterle", "directed_by_inverse"),
            ["Kismet"]
        );
        let d = dim(&lattice, "directed_by");
        let relation = lattice.positive(d);
        let row = relation.of(instance(&lattice, "Kismet"));
        let (evidence, confidence) = relation.sources(row.predicate(0))[0];
        let evidence = lattice.evidence(evidence).unwrap();
        assert_eq!(evidence.text, text.trim_end());
        assert_eq!(evidence.document, "kb.txt");
        assert_eq!(evidence.range, Some((0, text.trim_end().len() as u64)));
        assert_eq!(evidence.line, Some(1));
        assert_eq!(confidence, 1.0);
    }
}

#[test]
fn a_fourth_field_is_the_source() {
    let text = "Ada\tborn_in\tLondon\tAda was born in London.\n";
    let (lattice, _) = one(text, "kb.tsv.txt");
    let relation = lattice.positive(dim(&lattice, "born_in"));
    let row = relation.of(instance(&lattice, "Ada"));
    let evidence = lattice
        .evidence(relation.sources(row.predicate(0))[0].0)
        .unwrap();
    assert_eq!(evidence.text, "Ada was born in London.");
    let (start, end) = evidence.range.unwrap();
    assert_eq!(&text[start as usize..end as usize], evidence.text);
}

#[test]
fn case_8_names_are_taken_as_they_are() {
    let names = [
        "O'Connor",
        "\"Weird Al\" Yankovic",
        "a\\b",
        "#29",
        "Medical Condition",
        "Adastra (UK)",
        "]})",
        "日本語型名",
    ];
    let text: String = names
        .iter()
        .map(|name| format!("{name}\tis\tx\n"))
        .collect();
    let (lattice, report) = one(text, "names.txt");
    assert_eq!(report.facts, names.len() as u64);
    for name in names {
        assert_eq!(values(&lattice, name, "is"), ["x"], "{name}");
    }
    assert!(
        matches!(fails("a\tb\tc\n\tis\tx\n", "x.txt"), LoadError::BadLine(bad) if bad.line == 2)
    );
}

#[test]
fn case_10_white_space_and_entities_in_names() {
    let text =
        "Ada  Lovelace\tknows\t&quot;Al&quot;\nAda\u{a0}Lovelace\tknows\tR&amp;D\n“ ”\tknows\tx\n";
    let files = Files::new();
    let request = files.put("names.txt", text);
    let mut builder = Builder::new();
    let report = load(&mut builder, &request, &with(OnError::Skip), &mut Silent).unwrap();
    assert_eq!((report.facts, report.skipped_count), (2, 1));
    assert_eq!(report.skipped[0].line, 3);
    assert!(report.skipped[0].reason.contains("empty"));
    let lattice = builder.freeze().unwrap();
    assert_eq!(values(&lattice, "Ada Lovelace", "knows"), ["\"Al\"", "R&D"]);
    // What the source says is left as it is.
    let relation = lattice.positive(dim(&lattice, "knows"));
    let row = relation.of(instance(&lattice, "Ada Lovelace"));
    let texts: BTreeSet<String> = (0..2)
        .map(|k| {
            lattice
                .evidence(relation.sources(row.predicate(k))[0].0)
                .unwrap()
                .text
        })
        .collect();
    assert!(texts.contains("Ada  Lovelace\tknows\t&quot;Al&quot;"));
}

#[test]
fn case_10_a_quoted_cell_may_break_the_line() {
    let (lattice, _) = one(
        "person,field\n\"Ada\nLovelace\",maths\nAda Lovelace,poetry\n",
        "p.csv",
    );
    assert_eq!(lattice.instance_count(), 1);
    assert_eq!(
        values(&lattice, "Ada Lovelace", "field"),
        ["maths", "poetry"]
    );
}

#[test]
fn case_13_quotes_in_tab_separated_text_are_literal() {
    let text = "\"K T\" Theatre\tin\tGR\n20\" pipe\tis\tpart\nok\tis\tok\n";
    let (lattice, report) = one(text, "kb.txt");
    assert_eq!(report.facts, 3);
    assert_eq!(values(&lattice, "\"K T\" Theatre", "in"), ["GR"]);
    let (lattice, report) = one(
        "name\tin\n\"K T\" Theatre\tGR\n20\" pipe\tFR\n\"open\tIT\n",
        "t.tsv",
    );
    assert_eq!(report.skipped_count, 0);
    assert_eq!(values(&lattice, "20\" pipe", "in"), ["FR"]);
    assert_eq!(values(&lattice, "\"open", "in"), ["IT"]);
    // One answer, "Paris, Texas", not two.
    let (lattice, _) = one("film,place\n\"Paris, Texas\",\"Paris, Texas\"\n", "f.csv");
    assert_eq!(values(&lattice, "Paris, Texas", "place"), ["Paris, Texas"]);
}

#[test]
fn case_13_a_separator_too_many_is_a_bad_line() {
    assert!(
        matches!(fails("a|b|c\nParis|Texas|is|film\n", "kb.txt"), LoadError::BadLine(bad) if bad.line == 2)
    );
    assert!(matches!(fails("a|b|c\na|b\n", "kb.txt"), LoadError::BadLine(bad) if bad.line == 2));
}

#[test]
fn case_14_byte_order_mark_and_carriage_returns() {
    let (lattice, _) = one(b"\xEF\xBB\xBFstate,capital\r\nTexas,Austin\r\n", "s.csv");
    assert_eq!(values(&lattice, "Texas", "capital"), ["Austin"]);
    let relation = lattice.positive(dim(&lattice, "capital"));
    let row = relation.of(instance(&lattice, "Texas"));
    let evidence = lattice
        .evidence(relation.sources(row.predicate(0))[0].0)
        .unwrap();
    assert_eq!(
        (evidence.text.as_str(), evidence.range),
        ("Texas,Austin", Some((18, 30)))
    );
}

#[test]
fn case_14_what_is_no_text_is_set_aside_by_name_and_byte() {
    for (bytes, offset) in [
        (&b"a|b|c\nA\xFFB|b|c\n"[..], 7),
        (&b"a|b|c\nA\0B|b|c\n"[..], 7),
        (b"a|b|c\n\xED\xA0\x80|b|c\n", 6),
    ] {
        let files = Files::new();
        let (bad, good) = (
            files.put("bad.txt", bytes),
            files.put("good.txt", "x|b|c\n"),
        );
        let error = load(&mut Builder::new(), &bad, &Options::default(), &mut Silent).unwrap_err();
        match &error {
            LoadError::NotText {
                document,
                offset: at,
                line,
                ..
            } => {
                assert_eq!((document.as_str(), *at, *line), ("bad.txt", offset, 2));
            }
            other => panic!("{other}"),
        }
        let mut builder = Builder::new();
        let mut report = load(&mut builder, &bad, &with(OnError::Quarantine), &mut Silent).unwrap();
        report.absorb(take(&mut builder, &good));
        assert_eq!(report.quarantined[0].0, "bad.txt");
        assert!(
            report.quarantined[0].1.contains(&format!("byte {offset}")),
            "{report:?}"
        );
        assert!(!report.is_whole());
        let mut fresh = Builder::new();
        take(&mut fresh, &good);
        assert_eq!(
            builder.freeze().unwrap().content_hash(),
            fresh.freeze().unwrap().content_hash()
        );
        let report = load(&mut Builder::new(), &bad, &with(OnError::Skip), &mut Silent).unwrap();
        assert_eq!((report.facts, report.skipped_count), (1, 1));
    }
}

#[test]
fn case_15_lengths_and_emptiness() {
    for (bytes, name) in [
        ("", "e.txt"),
        ("  \n\r\n\t\n", "w.txt"),
        ("", "e.csv"),
        ("", "e.jsonl"),
        ("\n", "e.nt"),
        ("a,b\n", "h.csv"),
    ] {
        let (lattice, report) = one(bytes, name);
        assert!(lattice.is_empty(), "{name}");
        assert_eq!(report.warning_count, 1, "{name}: {report:?}");
    }
    let mut long = "a|b|c\n".to_owned();
    long.push_str(&"x".repeat(20 << 20));
    long.push_str("\nd|b|c\n");
    for name in ["long.txt", "long.csv", "long.jsonl", "long.nt"] {
        let files = Files::new();
        let request = files.put(name, &long);
        let error = load(
            &mut Builder::new(),
            &request,
            &Options::default(),
            &mut Silent,
        );
        let error = error.unwrap_err().to_string();
        if name == "long.txt" {
            assert!(
                error.contains("16 MiB") && error.contains("long.txt:2"),
                "{error}"
            );
        }
    }
    let files = Files::new();
    let request = files.put("long.txt", &long);
    let report = load(
        &mut Builder::new(),
        &request,
        &with(OnError::Skip),
        &mut Silent,
    )
    .unwrap();
    assert_eq!((report.facts, report.skipped_count), (2, 1));
}

#[test]
fn case_16_dates_keep_their_precision() {
    let text = "who,born\nA,1990\nB,1990-06-01\nC,20th century\nD,-0012-11-29\n";
    let (lattice, report) = one(text, "b.csv");
    assert_eq!(report.inferred[0].kind, "DATE");
    assert_eq!(values(&lattice, "A", "born"), ["1990"]);
    assert_eq!(values(&lattice, "B", "born"), ["1990-06-01"]);
    assert_eq!(values(&lattice, "C", "born"), ["1901..2000"]);
    assert_eq!(values(&lattice, "D", "born"), ["-0012-11-29"]);
}

#[test]
fn case_17_numbers_as_people_write_them() {
    let mut builder = Builder::new();
    let mut spec = DimensionSpec::new("size", KindSpec::Number { unit: None });
    spec.multiplicity = Some(Multiplicity::One);
    builder.declare_dimension(spec).unwrap();
    let files = Files::new();
    let text = "what\tsize\na\t950\nb\t1,200\nc\t1.2 million\nd\t−5\ne\t-4–1\nf\t1.200\n";
    let report = take(&mut builder, &files.put("sizes.tsv", text));
    assert_eq!(report.warning_count, 1, "{report:?}");
    assert!(report.warnings[0].contains("line 7") && report.warnings[0].contains("1.200"));
    let lattice = builder.freeze().unwrap();
    for (name, value) in [
        ("a", "950"),
        ("b", "1200"),
        ("c", "1200000"),
        ("d", "-5"),
        ("e", "-4..1"),
        ("f", "1.2"),
    ] {
        assert_eq!(values(&lattice, name, "size"), [value]);
    }
    let (_, report) = one("what,size\na,950\nb,\"1,200\"\n", "s.csv");
    assert_eq!(report.inferred[0].kind, "NUMBER");
    // A point that is a decimal point elsewhere in the column is one here.
    let (_, report) = one("what,size\na,3.14159\nb,1.200\n", "s.csv");
    assert_eq!(
        (report.inferred[0].kind, report.warning_count),
        ("NUMBER", 0)
    );
}

#[test]
fn case_18_one_fact_two_sources_and_paths_are_identity() {
    let files = Files::new();
    let documents = ["a.txt", "copy.txt", "x/readme.txt", "y/readme.txt"];
    let requests = documents.map(|name| files.put(name, "Rome|in|Italy\n"));
    let mut builder = Builder::new();
    for request in &requests {
        take(&mut builder, request);
    }
    let lattice = builder.freeze().unwrap();
    let relation = lattice.positive(dim(&lattice, "in"));
    assert_eq!(relation.len(), 1);
    assert_eq!(sources_of(relation, instance(&lattice, "Rome")), 4);
    assert_eq!(lattice.documents().len(), 4);
    builder.retract_document("x/readme.txt");
    let left = builder.freeze().unwrap();
    let mut fresh = Builder::new();
    for request in [&requests[3], &requests[1], &requests[0]] {
        take(&mut fresh, request);
    }
    assert_eq!(left.content_hash(), fresh.freeze().unwrap().content_hash());
}

#[test]
fn case_30_kinds_keep_counts_apart() {
    let files = Files::new();
    let mut builder = Builder::new();
    let mut text = "id,author\n1,a\n2,b\n3,c\n4,d\n4,d\n".to_owned();
    for i in 0..200 {
        text.push_str(&format!("4,author {i}\n"));
    }
    take(&mut builder, &files.put("issue.csv", text));
    take(&mut builder, &files.put("pr.csv", "id,author\n1,a\n2,b\n"));
    let lattice = builder.freeze().unwrap();
    let kind = dim(&lattice, "kind");
    let issue = lattice.taxonomy(kind).unwrap().find("issue")[0];
    assert_eq!(lattice.positive(kind).holders(issue).len(), 4);
    let four = lattice.by_id("issue/4").unwrap();
    let authors = dim(&lattice, "author");
    assert_eq!(lattice.positive(authors).of(four).len(), 201);
    assert_eq!(lattice.dimension(authors).multiplicity, Multiplicity::Many);
    assert_eq!(lattice.dimension(kind).multiplicity, Multiplicity::One);
}

#[test]
fn case_32_direction_is_kept() {
    let (lattice, _) = one("A1\ttransfers_to\tB2\nB2\ttransfers_to\tC3\n", "t.txt");
    assert_eq!(values(&lattice, "B2", "transfers_to"), ["C3"]);
    assert_eq!(values(&lattice, "B2", "transfers_to_inverse"), ["A1"]);
    assert!(values(&lattice, "C3", "transfers_to").is_empty());
}

#[test]
fn repeated_lines_count_once_and_relations_may_be_declared() {
    let files = Files::new();
    let mut builder = Builder::new();
    let mut spec = DimensionSpec::new("born", KindSpec::Date);
    spec.multiplicity = Some(Multiplicity::One);
    builder.declare_dimension(spec).unwrap();
    let mut request = files.put("kb.txt", "Ada|born|10 December 1815\nAda|mother|Annabella\nAda|mother|Annabella\nAda|name|Ada King\n");
    request.one.push("mother".to_owned());
    let report = take(&mut builder, &request);
    assert_eq!(
        (report.facts, report.repeated, report.warning_count),
        (2, 1, 1)
    );
    let lattice = builder.freeze().unwrap();
    assert_eq!(values(&lattice, "Ada", "born"), ["1815-12-10"]);
    assert!(lattice.dimension(dim(&lattice, "mother")).is_one());
    assert_eq!(lattice.name(instance(&lattice, "Ada King")), "Ada");
    let request = files.put("bad.txt", "Ada|born|yesterday\n");
    let error = load(
        &mut Builder::from_lattice(&lattice).unwrap(),
        &request,
        &Options::default(),
        &mut Silent,
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("bad.txt:1: dimension \"born\": `yesterday` is not a date")
    );
}

#[test]
fn keys_columns_and_tables_that_belong_together() {
    let files = Files::new();
    let mut builder = Builder::new();
    let state = files.put(
        "state.csv",
        "state_name,population,capital\ntexas,100,austin\nohio,200,columbus\n",
    );
    let mut city = files.put(
        "city.csv",
        "city_name,population,state_name\nportland,1,oregon\nportland,2,maine\naustin,3,texas\n",
    );
    city.key = vec!["city_name".to_owned(), "state_name".to_owned()];
    city.columns = vec![ColumnRequest {
        column: "state_name".to_owned(),
        dimension: Some("lies_in".to_owned()),
        entity: Some("state".to_owned()),
    }];
    let mut borders = files.put(
        "border_info.csv",
        "state_name,border\ntexas,oklahoma\ntexas,louisiana\n",
    );
    borders.table = Some("state".to_owned());
    for request in [&state, &city, &borders] {
        take(&mut builder, request);
    }
    let lattice = builder.freeze().unwrap();
    assert_eq!(lattice.called("portland").instances.len(), 2);
    let maine = lattice.by_id("city/portland/maine").unwrap();
    let lies_in = dim(&lattice, "lies_in");
    let state = lattice.positive(lies_in).of(maine).values()[0];
    assert_eq!(lattice.id(InstanceId(state)), "state/maine");
    assert_eq!(values(&lattice, "maine", "kind"), ["state"]);
    assert_eq!(
        values(&lattice, "texas", "border"),
        ["louisiana", "oklahoma"]
    );
    assert_eq!(values(&lattice, "texas", "population"), ["100"]);
    assert!(!lattice.dimension(dim(&lattice, "border")).is_one());
    assert!(lattice.find_dimension("city_name").is_none());
}

#[test]
fn units_in_cells_are_converted() {
    let files = Files::new();
    let mut builder = Builder::new();
    builder
        .add_unit("km", "1000".parse().unwrap(), "m")
        .unwrap();
    let kind = KindSpec::Number {
        unit: Some("m".to_owned()),
    };
    builder
        .declare_dimension(DimensionSpec::new("length", kind))
        .unwrap();
    take(
        &mut builder,
        &files.put("r.csv", "river,length\nA,5 km\nB,1.5–2 km\nC,70\n"),
    );
    let request = files.put("bad.csv", "river,length\nD,5 furlong\n");
    let error = load(&mut builder, &request, &Options::default(), &mut Silent).unwrap_err();
    assert!(error.to_string().contains("furlong"), "{error}");
    let lattice = builder.freeze().unwrap();
    assert_eq!(values(&lattice, "A", "length"), ["5000"]);
    assert_eq!(values(&lattice, "B", "length"), ["1500..2000"]);
    assert_eq!(values(&lattice, "C", "length"), ["70"]);
    assert!(lattice.called("D").instances.is_empty());
}

#[test]
fn tables_that_do_not_stand() {
    for (text, part) in [
        ("a,,c\n1,2,3\n", "column 2"),
        ("a,b,a\n1,2,3\n", "twice"),
        ("a,b\n1,2,3\n", "t.csv:2: 3 cells"),
        ("a,b\n1\n", "t.csv:2: 1 cells"),
        ("a,b\n\"1,2\n3,4\n", "t.csv:2: a quote"),
        ("a,b\n,2\n", "key \"a\" is empty"),
        ("\"a,b\n", "never closed"),
    ] {
        let error = fails(text, "t.csv").to_string();
        assert!(error.contains(part), "{error}");
    }
    // Past a quote that is never closed the rest is read.
    let files = Files::new();
    let request = files.put("t.csv", "a,b\n\"1,2\n3,4\n5,6\n");
    let mut builder = Builder::new();
    let report = load(&mut builder, &request, &with(OnError::Skip), &mut Silent).unwrap();
    assert_eq!((report.skipped_count, report.skipped[0].line), (1, 2));
    assert_eq!(builder.freeze().unwrap().instance_count(), 2);
    let mut request = files.put("t.csv", "state,b\n1,2\n");
    request.key.push("sate".to_owned());
    let error = load(
        &mut Builder::new(),
        &request,
        &Options::default(),
        &mut Silent,
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("the nearest is \"state\""),
        "{error}"
    );
}

#[test]
fn a_failed_load_leaves_the_builder_as_it_was() {
    let files = Files::new();
    let mut builder = Builder::new();
    take(&mut builder, &files.put("a.txt", "a|b|c\n"));
    let before = builder.freeze().unwrap().content_hash();
    for (name, text) in [
        ("x.txt", "d|e|f\nbad\n"),
        ("x.csv", "k,v\n1,2\n1\n"),
        ("x.jsonl", "{\"a\": 1}\nno\n"),
        ("x.nt", "<a:b> <a:c> <a:d> .\nno\n"),
    ] {
        load(
            &mut builder,
            &files.put(name, text),
            &Options::default(),
            &mut Silent,
        )
        .unwrap_err();
        assert_eq!(builder.freeze().unwrap().content_hash(), before, "{name}");
    }
}

#[test]
fn json_lines_are_rows() {
    let text = r#"{"name": "Ada", "born": "1815-12-10", "fields": ["maths", "poetry"], "age": 36, "zip": "007", "dead": true, "x": null}
{"name": "Bob", "born": "1990", "age": 1.50}
"#;
    let (lattice, report) = one(text, "people.jsonl");
    let kinds: Vec<(&str, &str)> = report
        .inferred
        .iter()
        .map(|c| (c.column.as_str(), c.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("born", "DATE"),
            ("fields", "TEXT"),
            ("age", "NUMBER"),
            ("zip", "TEXT"),
            ("dead", "TEXT")
        ]
    );
    assert_eq!(values(&lattice, "Ada", "fields"), ["maths", "poetry"]);
    assert!(!lattice.dimension(dim(&lattice, "fields")).is_one());
    assert_eq!(values(&lattice, "Bob", "age"), ["1.5"]);
    assert_eq!(lattice.id(instance(&lattice, "Ada")), "people/Ada");
    // An id is the key, and a name the name.
    let (lattice, _) = one("{\"id\": \"Q7\", \"name\": \"Ada\", \"n\": 1}\n", "p.jsonl");
    assert_eq!(lattice.name(lattice.by_id("p/Q7").unwrap()), "Ada");
    assert!(
        matches!(fails("{\"a\": {\"b\": 1}}\n", "x.jsonl"), LoadError::BadLine(bad) if bad.reason.contains("an object"))
    );
}

#[test]
fn n_triples_are_typed() {
    let text = r#"# a comment
<http://x.org/e/Ada_L> <http://x.org/p/knows> <http://x.org/e/Bob%20B> .
<http://x.org/e/Ada_L> <http://www.w3.org/2000/01/rdf-schema#label> "Ada Lovelace"@en .
<http://x.org/e/Ada_L> <http://x.org/p/born> "1815-12-10"^^<http://www.w3.org/2001/XMLSchema#date> .
<http://x.org/e/Ada_L> <http://x.org/p/height> "1.65"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://x.org/e/Ada_L> <http://x.org/p/mixed> "text" .
<http://x.org/e/Ada_L> <http://x.org/p/mixed> _:b0 .
<http://x.org/e/Ada_L> <http://x.org/q#knows> "maths"@de .
"#;
    let (lattice, report) = one(text, "g.nt");
    assert_eq!(report.facts, 6);
    let ada = lattice.by_id("http://x.org/e/Ada_L").unwrap();
    assert_eq!(lattice.name(ada), "Ada_L");
    assert_eq!(lattice.aliases(ada), ["Ada Lovelace"]);
    assert_eq!(values(&lattice, "Ada_L", "born"), ["1815-12-10"]);
    assert_eq!(values(&lattice, "Ada_L", "height"), ["1.65"]);
    assert_eq!(values(&lattice, "Ada_L", "mixed_text"), ["text"]);
    assert_eq!(values(&lattice, "Ada_L", "mixed"), ["_:b0"]);
    // Two predicates that share their last segment keep their whole IRIs.
    assert_eq!(values(&lattice, "Ada_L", "http://x.org/p/knows"), ["Bob B"]);
    assert_eq!(values(&lattice, "Ada_L", "http://x.org/q#knows"), ["maths"]);
    assert!(
        lattice
            .dimension(dim(&lattice, "born"))
            .aka
            .contains(&"http://x.org/p/born".to_owned())
    );
    assert!(matches!(
        fails(
            "<a:b> <a:c> \"1815-13\"^^<http://www.w3.org/2001/XMLSchema#date> .\n",
            "x.nt"
        ),
        LoadError::BadLine(_)
    ));
    assert!(matches!(
        fails("<a:b> <a:c> .\n", "x.nt"),
        LoadError::BadLine(_)
    ));
}

#[test]
fn order_of_loading_changes_nothing() {
    let files = Files::new();
    let requests = [
        files.put("a.txt", "a|r|b\nb|s|c\n"),
        files.put("b.txt", "b|r|c\na|r|b\n"),
        files.put("c.csv", "k,v,w\n1,x,3\n2,y,4\n"),
        files.put("d.nt", "<u:x> <u:p> <u:y> .\n"),
    ];
    let built = |order: &[usize]| {
        let mut builder = Builder::new();
        order
            .iter()
            .for_each(|i| drop(take(&mut builder, &requests[*i])));
        builder.freeze().unwrap().content_hash()
    };
    let first = built(&[0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        assert_eq!(built(&order), first);
    }
}

#[test]
fn work_can_be_interrupted() {
    struct Stop(u32);
    impl latweave::load::Progress for Stop {
        fn tick(&mut self, _: u64, _: u64) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 > 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let text: String = (0..50_000).map(|i| format!("a{i}|r|b{i}\n")).collect();
    let files = Files::new();
    let mut builder = Builder::new();
    let request = files.put("big.txt", text);
    let error = load(&mut builder, &request, &Options::default(), &mut Stop(0)).unwrap_err();
    assert!(matches!(error, LoadError::Cancelled));
    assert!(builder.freeze().unwrap().is_empty());
}

#[test]
fn files_that_are_not_there() {
    let missing = Request::new(PathBuf::from("no/such/file.txt"));
    let error = |request| {
        load(
            &mut Builder::new(),
            &request,
            &Options::default(),
            &mut Silent,
        )
        .unwrap_err()
    };
    assert!(matches!(error(missing), LoadError::NotFound { .. }));
    let files = Files::new();
    let folder = Request {
        form: Some(latweave::load::Form::Triples),
        ..Request::new(files.0.path())
    };
    assert!(matches!(error(folder), LoadError::IsDirectory { .. }));
    assert!(matches!(
        error(files.put("x.bin", "a")),
        LoadError::UnknownForm { .. }
    ));
}

#[test]
fn an_array_of_one_value_is_many() {
    let text =
        "{\"title\": \"A\", \"tags\": [\"x\"], \"year\": 1}\n{\"title\": \"B\", \"year\": 2}\n";
    let (lattice, _) = one(text, "films.jsonl");
    assert!(!lattice.dimension(dim(&lattice, "tags")).is_one());
    assert!(lattice.dimension(dim(&lattice, "year")).is_one());
}

#[test]
fn rows_merged_by_a_defaulted_key_are_told() {
    let text = "city,state,people\nSpringfield,Illinois,5\nRome,Italy,9\nSpringfield,Ohio,7\n";
    let (_, report) = one(text, "cities.csv");
    assert_eq!(
        report.warnings,
        [
            "cities.csv: 2 rows share their city with another row but differ in state, people; is --key city state meant? (--key city if they are one)"
        ]
    );
    // Rows that only repeat or complete each other are one thing.
    let (_, report) = one("a,b,c\nx,1,\nx,,2\nx,1,2\n", "t.csv");
    assert_eq!(report.warning_count, 0);
    // No column tells these apart.
    let (_, report) = one("a,b,c\nx,1,p\nx,2,q\nx,3,p\n", "t.csv");
    assert_eq!(
        report.warnings,
        [
            "t.csv: 3 rows share their a with another row but differ in b, c; which columns identify a row? (--key a if they are one)"
        ]
    );
}

#[test]
fn merged_rows_are_as_wanted_where_a_key_or_many_says_so() {
    let files = Files::new();
    let mut request = files.put("cities.csv", "city,state\nA,x\nA,y\n");
    let mut builder = Builder::new();
    let mut state = DimensionSpec::new("state", KindSpec::Text);
    state.multiplicity = Some(Multiplicity::Many);
    builder.declare_dimension(state).unwrap();
    let report = take(&mut builder, &request);
    assert_eq!(report.warning_count, 0);
    assert!(report.inferred[0].declared);
    request.key = vec!["city".to_owned()];
    assert_eq!(take(&mut Builder::new(), &request).warning_count, 0);
}

#[test]
fn dates_that_are_not_read_are_told() {
    for (cells, told) in [
        ("12/31/2020\n1/2/2020", true),
        ("31.12.2020\n12/31/2020", false),
        ("1.2.3\n1.2.4", false),
        ("12/31/2020\nunknown", false),
        ("whale\ndog", false),
    ] {
        let rows: String = cells
            .lines()
            .enumerate()
            .map(|(k, cell)| format!("{k},{cell}\n"))
            .collect();
        let (_, report) = one(format!("id,when\n{rows}"), "t.csv");
        let found = report
            .warnings
            .iter()
            .any(|w| w.contains("looks like dates"));
        assert_eq!(
            found, told,
            "{cells}: {:?} {:?}",
            report.warnings, report.inferred
        );
    }
}

#[test]
fn a_header_that_is_a_triple_is_told() {
    let told = |text: &str| {
        let (_, report) = one(text, "kb.tsv");
        report
            .warnings
            .iter()
            .any(|w| w.contains("looks like a triple"))
    };
    assert!(told("Rome\tin\tItaly\nOslo\tin\tNorway\n"));
    assert!(!told("city\tin\tpeople\nOslo\tNorway\t5\n"));
    assert!(!told("city\tin\nOslo\tin\n"));
}

#[test]
fn lines_without_a_separator_are_not_measured_by_the_first() {
    let error = fails("a, b, c\nx, y, z\n", "t.txt").to_string();
    assert_eq!(
        error,
        "t.txt:1: 1 of 3 fields; write subject, relation and object separated by TAB or |; a table with commas is named .csv, or built with --form table"
    );
    let error = fails("a|b|c\nx\n", "t.txt").to_string();
    assert_eq!(
        error,
        "t.txt:2: 1 of 3 fields; write subject, relation and object separated by |, as the file's first line is"
    );
}
