//! `latweave add`, `remove` and `show --documents`: what they print, and what they leave.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cli_support;

use cli_support::{ANIMALS, Place};

fn place() -> Place {
    let place = Place::with_animals();
    place.write("more.txt", "Laika\tflew in\tSputnik 2\n");
    place.write("bridges.csv", "bridge,length\nPont Neuf,232\n");
    place
}

#[test]
fn documents_come_and_go() {
    let place = place();
    let mut told = String::new();
    let steps: [&[&str]; 9] = [
        &["show", "animals.lattice", "--documents"],
        &["add", "animals.lattice", "more.txt", "bridges.csv"],
        &["add", "animals.lattice", "more.txt"],
        &["add", "animals.lattice", "bridges.csv", "--key", "bridge"],
        &["show", "animals.lattice", "--documents", "--format", "csv"],
        &[
            "show",
            "animals.lattice",
            "--documents",
            "--format",
            "jsonl",
        ],
        &["remove", "animals.lattice", "more.text"],
        &["remove", "animals.lattice", "more.txt", "bridges.csv"],
        &["remove", "animals.lattice", "animals.lq"],
    ];
    for step in steps {
        told.push_str(&format!("$ {}\n", step.join(" ")));
        told.push_str(&place.run(step).text());
    }
    snapshot!("cli_change", told);
}

#[test]
fn what_is_wrong_leaves_the_lattice_as_it_was() {
    let place = place();
    place.write("bad.csv", "bridge,length\nPont Neuf\n");
    place.write("bad.txt", b"Ann\tknows\tA\xFFB\n");
    place.write("strange.dat", "?");
    place.write("not.lattice", "not a lattice");
    let before = std::fs::read(place.path("animals.lattice")).unwrap();
    let mut told = String::new();
    let steps: [&[&str]; 8] = [
        &["add", "animals.lattice", "more.txt", "bad.csv"],
        &["add", "animals.lattice", "missing.txt"],
        &["add", "animals.lattice", "strange.dat"],
        &["add", "animals.lattice", "bridges.csv", "--key", "brigde"],
        &[
            "add",
            "animals.lattice",
            "animals.lattice",
            "--form",
            "triples",
        ],
        &["add", "none.lattice", "more.txt"],
        &["add", "not.lattice", "more.txt"],
        &["remove", "animals.lattice"],
    ];
    for step in steps {
        told.push_str(&format!("$ {}\n", step.join(" ")));
        told.push_str(&place.run(step).text());
        assert!(std::fs::read(place.path("animals.lattice")).unwrap() == before);
    }
    told.push_str("$ add … --on-error quarantine\n");
    let aside = [
        "add",
        "animals.lattice",
        "bad.txt",
        "more.txt",
        "--on-error",
        "quarantine",
    ];
    told.push_str(&place.run(&aside).text());
    snapshot!("cli_change_wrong", told);
}

/// A pipe can be read once, and that is enough.
#[cfg(unix)]
#[test]
fn a_pipe_is_a_document() {
    let place = Place::new();
    place.write("animals.lq", ANIMALS);
    let table = "bridge,span\nPont Neuf,232\nTower Bridge,244\n";
    let arguments = ["build", "-o", "x.lattice", "--form", "table", "/dev/stdin"];
    let done = place.run_with(&arguments, table);
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(done.stdout.contains("2 instances"), "{}", done.text());
    let done = place.run(&["add", "x.lattice", "animals.lq"]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert_eq!(place.run(&["remove", "x.lattice", "/dev/stdin"]).status, 0);
    let checked = place.run(&["check", "x.lattice"]);
    assert_eq!(checked.status, 0, "{}", checked.text());
}

#[test]
fn help_tells_by_examples() {
    let place = Place::new();
    snapshot!("cli_help_add", place.run(&["add", "--help"]).text());
    snapshot!("cli_help_remove", place.run(&["remove", "--help"]).text());
}
