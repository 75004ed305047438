//! Edge lists: the columns of their headers, their defects, and a chain of 500,000.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::ontology::{Files, abstains, defects, figures, names, parents, taxonomy};
use latweave::lattice::Fault;
use latweave::load::{ColumnRequest, Form, Request};
use std::fmt::Write;

fn edges(request: &mut Request) {
    request.form = Some(Form::Edges);
}

#[test]
fn a_header_says_which_value_lies_below_which() {
    for text in [
        "child,parent\nwhale,mammal\norca,whale\n",
        "parent,child\nmammal,whale\nwhale,orca\n",
        "Narrower,Broader\nwhale,mammal\norca,whale\n",
        "upper\tlower\nmammal\twhale\nwhale\torca\n",
    ] {
        let files = Files::new();
        files.put("kind.csv", text);
        let lattice = files
            .load(&["kind.csv"], edges)
            .unwrap()
            .0
            .freeze()
            .unwrap();
        assert_eq!(figures(&lattice, "kind"), (3, 2, 1, 0), "{text}");
        assert_eq!(names(&lattice, "MEET kind < mammal"), ["orca", "whale"]);
    }
}

#[test]
fn labels_synonyms_and_several_parents() {
    let files = Files::new();
    files.put(
        "stars.csv",
        "id,parents,label,synonyms,note\ns1,,star,\"sun|fixed star\",x\ns2,s1,variable star,,x\n\
         s3,s1|s2|s9,\"Cepheid, classical\",,x\n",
    );
    let (builder, report) = files.load(&["stars.csv"], edges).unwrap();
    let lattice = builder.freeze().unwrap();
    assert!(
        report.warnings[0].contains("left out: note"),
        "{:?}",
        report.warnings
    );
    assert_eq!(parents(&lattice, "stars", "s3"), ["s1", "s2", "s9"]);
    assert_eq!(
        names(&lattice, "MEET stars < sun"),
        ["Cepheid, classical", "variable star"]
    );
    assert_eq!(names(&lattice, "MEET name = \"fixed star\""), ["star"]);
    // Each id is to have a row.
    let fault = Fault::Undefined {
        term: "s9".to_owned(),
        user: "s3".to_owned(),
    };
    assert_eq!(defects(&lattice, "stars"), [(fault, Some(4))]);
    common::ontology::keeps_everything(&lattice);
}

#[test]
fn columns_may_be_named_and_must_be_there() {
    let files = Files::new();
    files.put("staff.csv", "kid,boss\nAnn,Bob\n");
    let error = files.load(&["staff.csv"], edges).err().unwrap().to_string();
    assert!(error.contains("COLUMN kid AS child"), "{error}");
    let column = |column: &str, role: &str| ColumnRequest {
        column: column.to_owned(),
        dimension: Some(role.to_owned()),
        entity: None,
    };
    let named = |request: &mut Request| {
        edges(request);
        request.columns = vec![column("kid", "child"), column("boss", "parent")];
    };
    let lattice = files
        .load(&["staff.csv"], named)
        .unwrap()
        .0
        .freeze()
        .unwrap();
    assert_eq!(names(&lattice, "MEET staff < Bob"), ["Ann"]);
    let wrong = |request: &mut Request| {
        edges(request);
        request.columns = vec![column("chief", "parent")];
    };
    let error = files.load(&["staff.csv"], wrong).err().unwrap().to_string();
    assert!(error.contains("no column \"chief\""), "{error}");
}

#[test]
fn circles_stop_or_become_one_value() {
    let text = "child,parent\na,b\nb,a\nc,c\nd,a\n,x\n";
    let files = Files::new();
    files.put("k.csv", text);
    assert!(files.load(&["k.csv"], edges).is_err());
    let files = Files::skipping();
    files.put("k.csv", text);
    let (builder, report) = files.load(&["k.csv"], edges).unwrap();
    let lattice = builder.freeze().unwrap();
    assert_eq!((report.cycles.len(), report.skipped_count), (2, 1));
    assert_eq!(figures(&lattice, "k"), (3, 1, 2, 3));
    assert_eq!(names(&lattice, "MEET k = b"), ["a", "b", "d"]);
    assert_eq!(abstains(&lattice, "MEET k = x"), "unknown-value");
}

/// A chain of half a million loads, answers and is dropped on a small stack.
#[test]
fn a_taxonomy_of_half_a_million_levels_takes_a_small_stack() {
    const DEPTH: usize = 500_000;
    let deep = || {
        let mut text = String::from("child,parent\n");
        for k in 1..DEPTH {
            writeln!(text, "v{k},v{}", k - 1).unwrap();
        }
        let files = Files::new();
        files.put("deep.csv", &text);
        let (builder, _) = files.load(&["deep.csv"], edges).unwrap();
        drop(text);
        let lattice = builder.freeze().unwrap();
        drop(builder);
        let (_, taxonomy) = taxonomy(&lattice, "deep");
        assert_eq!(taxonomy.len(), DEPTH);
        // Space grows linearly: a fact of some 20 bytes of text takes some 100.
        let path = files.folder.path().join("deep.lattice");
        lattice.save(&path).unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len() as usize;
        assert!(bytes < 150 * DEPTH, "{bytes}");
        let lattice = latweave::Lattice::open(&path).unwrap();
        let verdict = latweave::Script::parse("MEET deep <= v0").unwrap();
        let verdict = verdict.run(&lattice).unwrap();
        assert_eq!(verdict.hits(&lattice).count(), DEPTH);
        let last = latweave::Script::parse("MEET deep <= v499990").unwrap();
        let last = last.run(&lattice).unwrap();
        assert_eq!(last.hits(&lattice).count(), 10);
        let order = latweave::Script::parse("COMPARE v499999, v3 BY deep").unwrap();
        let order = order.run(&lattice).unwrap().to_json(&lattice);
        assert_eq!(order["order"], "less", "{order}");
    };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    small.spawn(deep).unwrap().join().unwrap();
}
