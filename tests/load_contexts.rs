//! Formal contexts in Burmeister's form: what is read, what is refused with which words, what
//! comes back after writing, and what becomes of one in a lattice.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{Builder, Lattice, Value, ValueId};
use latweave::load::cxt::{FormalContext, read_cxt, write_cxt};
use latweave::load::{LoadError, OnError, Options, Report, Request, Silent, dump, load};
use proptest::prelude::*;
use std::path::Path;

const PONDS: &str = "B\n\n2\n3\n\nfrog\nwater reed\nlives in \"water\"\non land\ngreen\nXX.\nX.X\n";

fn ponds() -> FormalContext {
    FormalContext {
        name: String::new(),
        objects: vec!["frog".to_owned(), "water reed".to_owned()],
        attributes: ["lives in \"water\"", "on land", "green"]
            .map(str::to_owned)
            .to_vec(),
        rows: vec![vec![0, 1], vec![0, 2]],
    }
}

#[test]
fn the_form_in_its_variants() {
    assert_eq!(read_cxt(PONDS.as_bytes()).unwrap(), ponds());
    let variants = [
        PONDS.replace('\n', "\r\n"),
        format!("\u{feff}{PONDS}"),
        PONDS.trim_end().to_owned(),
        format!("{PONDS}\n \n\n"),
        PONDS.replace("XX.\nX.X", "xx.  \nx.X\t"),
        // No line for the name; no blank line behind the counts; blank lines elsewhere.
        PONDS.replace("B\n\n", "B\n"),
        PONDS.replace("3\n\n", "3\n"),
        PONDS
            .replace("reed\n", "reed\n\n")
            .replace("green\n", "green\n\n"),
        PONDS.replace("B\n\n", "B\n\n\n"),
        PONDS.replace("2\n3", " 2 \n 3\n"),
    ];
    for variant in variants {
        assert_eq!(read_cxt(variant.as_bytes()), Ok(ponds()), "{variant:?}");
    }
    let named = PONDS.replace("B\n\n", "B\nponds of 1999\n");
    assert_eq!(read_cxt(named.as_bytes()).unwrap().name, "ponds of 1999");
}

#[test]
fn numbers_as_names_are_told_from_counts_by_what_fits() {
    let text = "B\n3\n2\n1\n2\n3\n4\n5\n..\nX.\nXX\n";
    let context = read_cxt(text.as_bytes()).unwrap();
    assert_eq!(
        (context.objects.len(), context.attributes),
        (3, vec!["4".to_owned(), "5".to_owned()])
    );
    let text = "B\n3\n2\n1\n\n7\n8\n9\n.\nX\n";
    let context = read_cxt(text.as_bytes()).unwrap();
    assert_eq!((context.name.as_str(), context.objects.len()), ("3", 2));
}

#[test]
fn what_does_not_fit_is_told_with_its_line() {
    let cases: [(&[u8], u64, &str); 16] = [
        (b"", 1, "the file is empty"),
        (b"\n\n", 1, "the file is empty"),
        (
            b"C\n\n1\n1\n\na\nb\nX\n",
            1,
            "begins with a line \"B\", and here stands \"C\"",
        ),
        (b"B\n\nx\n1\n\na\nb\nX\n", 3, "here stands \"x\""),
        (b"B\n\n1\n-1\n\na\nb\nX\n", 4, "here stands \"-1\""),
        (b"B\n", 1, "the number of objects"),
        (
            b"B\n\n1\n2\n\na\nb\nc\nX\n",
            9,
            "the row of \"a\" has 1 cells, and there are 2 attributes",
        ),
        (b"B\n\n1\n2\n\na\nb\nc\nXX.\n", 9, "has 3 cells"),
        (
            b"B\n\n1\n2\n\na\nb\nc\nX?\n",
            9,
            "has '?' as cell 2; write X",
        ),
        (
            "B\n\n1\n2\n\na\nb\nc\nXé\n".as_bytes(),
            9,
            "has 'é' as cell 2",
        ),
        (
            b"B\n\n2\n2\n\na\nb\nc\nd\nX.\n",
            10,
            "the file ends here: 2 objects and 2 attributes take 6 lines",
        ),
        (
            b"B\n\n1\n2\n\na\nb\nc\nX.\nXX\n",
            10,
            "take 4 lines of names and rows, and 5 follow line 4",
        ),
        (
            b"B\n\n1\n1\n\na\nb\nc\nX.\n",
            8,
            "correct the counts, or take this line out",
        ),
        (
            b"B\n\n4000000000\n4000000000\n\na\n",
            3,
            "more than a file of 28 bytes can hold",
        ),
        (
            b"B\n\n99999999999\n1\n\na\n",
            3,
            "here stands \"99999999999\"",
        ),
        (
            b"B\n\n1\n1\n\na\nM\xFChle\nX\n",
            7,
            "bytes that are not UTF-8; convert the file to UTF-8 text",
        ),
    ];
    for (text, line, words) in cases {
        let error = read_cxt(text).unwrap_err();
        let shown = String::from_utf8_lossy(text);
        assert_eq!(error.line, line, "{shown:?}: {error}");
        assert!(error.to_string().contains(words), "{shown:?}: {error}");
        assert!(error.to_string().starts_with(&format!("line {line}: ")));
    }
    assert!(
        read_cxt(b"\xFF\xFEB\0")
            .unwrap_err()
            .reason
            .contains("UTF-16")
    );
    assert!(
        read_cxt(b"B\n\n1\n1\n\na\0\nb\nX\n")
            .unwrap_err()
            .reason
            .contains("NUL")
    );
}

#[test]
fn what_the_form_cannot_hold_is_not_written() {
    for name in ["a\nb", "a\r", "\0"] {
        let mut context = ponds();
        context.objects[1] = name.to_owned();
        assert!(
            write_cxt(&context)
                .unwrap_err()
                .reason
                .contains("rename it")
        );
    }
    let mut context = ponds();
    context.rows[0].push(3);
    assert!(
        write_cxt(&context)
            .unwrap_err()
            .reason
            .contains("attribute 3")
    );
    context.rows.pop();
    assert!(
        write_cxt(&context)
            .unwrap_err()
            .reason
            .contains("1 rows and 2 objects")
    );
}

fn names(most: usize) -> impl Strategy<Value = Vec<String>> {
    let name = "[0-9]{0,2}|B|[X.]{1,4}|[ \"'a-zé\u{feff}]{0,6}|\\PC{0,8}";
    prop::collection::vec(
        name.prop_filter("NUL", |name| !name.contains('\0')),
        0..=most,
    )
}

fn formal() -> impl Strategy<Value = FormalContext> {
    (
        names(1),
        names(6),
        names(6),
        prop::collection::vec(any::<u8>(), 6),
    )
        .prop_map(|(name, objects, attributes, cells)| FormalContext {
            name: name.into_iter().next().unwrap_or_default(),
            rows: (0..objects.len())
                .map(|object| {
                    let all = 0..attributes.len() as u32;
                    all.filter(|a| cells[object] >> a & 1 != 0).collect()
                })
                .collect(),
            objects,
            attributes,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(context in formal()) {
        let text = write_cxt(&context).unwrap();
        prop_assert_eq!(&read_cxt(text.as_bytes()).unwrap(), &context, "{}", text);
        let windows = text.replace('\n', "\r\n");
        prop_assert_eq!(&read_cxt(windows.as_bytes()).unwrap(), &context, "{}", text);
    }

    #[test]
    fn no_bytes_are_too_much(mut text in formal().prop_map(|c| write_cxt(&c).unwrap().into_bytes()),
        changes in prop::collection::vec((any::<u16>(), any::<u8>(), 0u8..3), 1..4)) {
        for (at, byte, kind) in changes {
            let at = at as usize % text.len().max(1);
            match kind {
                0 if !text.is_empty() => text[at] = byte,
                1 => text.truncate(at),
                _ => text.insert(at, byte),
            }
        }
        if let Ok(context) = read_cxt(&text) {
            let again = write_cxt(&context);
            prop_assert!(again.is_err() || read_cxt(again.unwrap().as_bytes()) == Ok(context));
        }
    }
}

// -------------------------------------------------------------------- in a lattice

fn take(
    builder: &mut Builder,
    name: &str,
    text: &str,
    options: &Options,
) -> Result<Report, LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let request = Request {
        document: name.to_owned(),
        ..Request::new(path)
    };
    load(builder, &request, options, &mut Silent)
}

fn values(lattice: &Lattice, name: &str, dimension: &str) -> Vec<String> {
    let d = lattice.find_dimension(dimension).unwrap();
    let called = lattice.called(name).instances;
    assert_eq!(called.len(), 1, "{name}");
    let row = lattice.positive(d).of(called[0]);
    let text = |value: &u32| match lattice.value(d, ValueId(*value)) {
        Value::Term(text) => text,
        other => panic!("{other:?}"),
    };
    let mut all: Vec<String> = row.values().iter().map(text).collect();
    all.sort();
    all
}

#[test]
fn objects_attributes_and_crosses() {
    let text = PONDS
        .replace("2\n3", "3\n3")
        .replace("reed\n", "reed\nstone\n")
        + "...\n";
    let mut builder = Builder::new();
    let report = take(&mut builder, "ponds.cxt", &text, &Options::default()).unwrap();
    assert_eq!(
        (report.facts, report.lines, report.warning_count),
        (4, 3, 0)
    );
    let lattice = builder.freeze().unwrap();
    assert_eq!(
        values(&lattice, "water reed", "attribute"),
        ["green", "lives in \"water\""]
    );
    assert!(values(&lattice, "stone", "attribute").is_empty());
    let d = lattice.find_dimension("attribute").unwrap();
    let dimension = lattice.dimension(d);
    assert!(dimension.complete && !dimension.is_one());
    let relation = lattice.positive(d);
    let row = relation.of(lattice.called("frog").instances[0]);
    for k in 0..2 {
        let (evidence, _) = relation.sources(row.predicate(k))[0];
        let evidence = lattice.evidence(evidence).unwrap();
        assert_eq!((evidence.text.as_str(), evidence.line), ("XX.", Some(12)));
        assert_eq!(evidence.document, "ponds.cxt");
        let (start, end) = evidence.range.unwrap();
        assert_eq!(&text[start as usize..end as usize], "XX.");
    }
    let mut dumped = Vec::new();
    dump(&lattice, &mut dumped).unwrap();
    let mut again = Builder::new();
    let dumped = String::from_utf8(dumped).unwrap();
    take(&mut again, "dump.lq", &dumped, &Options::default()).unwrap();
    assert_eq!(
        again.freeze().unwrap().content_hash(),
        lattice.content_hash()
    );
}

#[test]
fn a_context_of_others_loads_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contexts");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "cxt") {
            continue;
        }
        let context = read_cxt(&std::fs::read(&path).unwrap()).unwrap();
        let mut builder = Builder::new();
        let request = Request::new(&path);
        let report = load(&mut builder, &request, &Options::default(), &mut Silent).unwrap();
        let crosses: usize = context.rows.iter().map(Vec::len).sum();
        assert_eq!(report.facts, crosses as u64);
        let lattice = builder.freeze().unwrap();
        for (object, row) in context.objects.iter().zip(&context.rows) {
            let mut expected: Vec<&str> = row
                .iter()
                .map(|a| context.attributes[*a as usize].trim())
                .collect();
            expected.sort_unstable();
            assert_eq!(
                values(&lattice, object.trim(), "attribute"),
                expected,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn a_statement_names_the_dimension_and_a_declaration_stands() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ponds.data"), PONDS).unwrap();
    let script =
        "DIMENSION lives TAXONOMY MANY\nLOAD CONTEXT \"ponds.data\" COLUMN attribute AS lives\n";
    let path = folder.path().join("ponds.lq");
    std::fs::write(&path, script).unwrap();
    let mut builder = Builder::new();
    load(
        &mut builder,
        &Request::new(&path),
        &Options::default(),
        &mut Silent,
    )
    .unwrap();
    let lattice = builder.freeze().unwrap();
    let dimension = lattice.dimension(lattice.find_dimension("lives").unwrap());
    assert!(!dimension.complete);
    assert_eq!(
        values(&lattice, "frog", "lives"),
        ["lives in \"water\"", "on land"]
    );
    assert!(lattice.find_dimension("attribute").is_none());

    let mut builder = Builder::new();
    take(
        &mut builder,
        "a.lq",
        "DIMENSION attribute DATE",
        &Options::default(),
    )
    .unwrap();
    let error = take(&mut builder, "ponds.cxt", PONDS, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("is no TAXONOMY"), "{error}");
}

#[test]
fn bad_lines_stop_the_load_or_are_passed_over() {
    let skip = Options {
        on_error: OnError::Skip,
        ..Options::default()
    };
    let cases = [
        (
            PONDS.replace("X.X", "X."),
            12,
            "the row of \"water reed\" has 2 cells",
        ),
        (
            PONDS.replace("water reed", "frog"),
            7,
            "a second object is called \"frog\"",
        ),
        (
            PONDS.replace("green", "on  land"),
            10,
            "a second attribute is called \"on land\"",
        ),
        (
            PONDS.replace("water reed", "\"\""),
            7,
            "the object's name is empty",
        ),
    ];
    for (text, line, words) in cases {
        let mut builder = Builder::new();
        match take(&mut builder, "p.cxt", &text, &Options::default()).unwrap_err() {
            LoadError::BadLine(bad) => {
                assert_eq!((bad.line, bad.document.as_str()), (line, "p.cxt"));
                assert!(bad.reason.contains(words), "{bad}");
            }
            other => panic!("{other}"),
        }
        assert_eq!(builder.dimensions().count(), 0, "nothing is kept");
        let report = take(&mut builder, "p.cxt", &text, &skip).unwrap();
        assert_eq!(report.skipped_count, 1);
        assert_eq!(report.skipped[0].line, line);
        let lattice = builder.freeze().unwrap();
        assert_eq!(
            values(&lattice, "frog", "attribute"),
            ["lives in \"water\"", "on land"]
        );
    }
    // What is no context at all cannot be passed over line by line.
    let error = take(&mut Builder::new(), "p.cxt", "a\n", &skip).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("p.cxt:1: a context in Burmeister's form"),
        "{error}"
    );
    let set_aside = Options {
        on_error: OnError::Quarantine,
        ..Options::default()
    };
    let report = take(&mut Builder::new(), "p.cxt", "a\n", &set_aside).unwrap();
    assert_eq!(report.quarantined.len(), 1);
}

#[test]
fn a_second_context_in_one_dimension_is_worth_a_warning() {
    let mut builder = Builder::new();
    take(&mut builder, "a.cxt", PONDS, &Options::default()).unwrap();
    let report = take(&mut builder, "b.cxt", PONDS, &Options::default()).unwrap();
    assert_eq!(report.warning_count, 1);
    assert!(report.warnings[0].contains("COLUMN attribute AS another_name"));
}

#[test]
fn a_context_comes_out_as_it_went_in() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contexts/livingbeings_en.cxt");
    let given = read_cxt(&std::fs::read(&path).unwrap()).unwrap();
    let mut builder = Builder::new();
    load(
        &mut builder,
        &Request::new(path),
        &Options::default(),
        &mut Silent,
    )
    .unwrap();
    let lattice = builder.freeze().unwrap();
    let d = lattice.find_dimension("attribute").unwrap();
    let budget = latweave::engine::Budget::unlimited();
    let out = latweave::theory::context(&lattice, &[d], &budget).unwrap();
    let out = read_cxt(write_cxt(&out).unwrap().as_bytes()).unwrap();
    let crosses = |context: &FormalContext| -> std::collections::BTreeSet<(String, String)> {
        let rows = context.objects.iter().zip(&context.rows);
        rows.flat_map(|(object, row)| {
            let names = row.iter().map(|&a| context.attributes[a as usize].clone());
            names.map(|a| (object.clone(), a)).collect::<Vec<_>>()
        })
        .collect()
    };
    assert_eq!(crosses(&given), crosses(&out));
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    assert_eq!(sorted(&given.objects), sorted(&out.objects));
    assert_eq!(sorted(&given.attributes), sorted(&out.attributes));
}
