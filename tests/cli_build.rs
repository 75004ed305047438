//! `latweave build`: whole or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;

use cli_support::Place;
use std::process::Stdio;
use std::time::{Duration, Instant};

const TRIPLES: &str = "Rome\tin\tItaly\tRome is in Italy.\nOslo\tin\tNorway\tOslo is in Norway.\n";

#[test]
fn triples_tables_and_scripts_make_a_lattice() {
    let place = Place::new();
    place.write("kb.txt", TRIPLES);
    place.write(
        "films.csv",
        "title,year,minutes,director\nOne,1999,90,Ann\nTwo,2001,120,Bob\n",
    );
    place.write(
        "people.lq",
        "DIMENSION born DATE ONE\nFACT Ann born = 1960 SOURCE \"Ann, 1960\"\n",
    );
    let done = place.run(&[
        "build",
        "-o",
        "a.lattice",
        "kb.txt",
        "films.csv",
        "people.lq",
        "--one",
        "in",
        "--key",
        "title",
    ]);
    snapshot!("cli_build", done.text());
    assert_eq!(place.run(&["check", "a.lattice"]).status, 0);
}

#[test]
fn a_schema_comes_first() {
    let place = Place::new();
    place.write("kb.txt", TRIPLES);
    place.write("schema.lq", "DIMENSION in ENTITY ONE AKA \"lies in\"\n");
    let schema = "DIMENSION \"in\" ENTITY ONE AKA \"lies in\"\n";
    place.write("schema.lq", schema);
    let done = place.run(&[
        "build",
        "-o",
        "a.lattice",
        "kb.txt",
        "--schema",
        "schema.lq",
    ]);
    assert_eq!(done.status, 0, "{}", done.text());
    let done = place.run(&["run", "-l", "a.lattice", "-c", "MEET \"lies in\" = Italy"]);
    assert!(done.stdout.contains("Rome"), "{}", done.text());
}

#[test]
fn a_bad_line_stops_skips_or_sets_aside() {
    let place = Place::new();
    place.write("good.txt", TRIPLES);
    place.write(
        "bad.txt",
        "Rome\tin\tItaly\nonly one field\nOslo\tin\tNorway\n",
    );
    place.write("nul.txt", b"A\0B");
    let build = |more: &[&str]| {
        let all = ["build", "-o", "a.lattice", "good.txt", "bad.txt", "nul.txt"];
        place.run(&[&all[..], more].concat())
    };
    let mut text = String::new();
    let done = build(&[]);
    assert_eq!(done.status, 1);
    assert_eq!(place.files(), ["bad.txt", "good.txt", "nul.txt"]);
    text.push_str(&format!("=== stop\n{}", done.text()));
    let done = build(&["--on-error", "quarantine"]);
    assert_eq!(done.status, 4);
    text.push_str(&format!("=== quarantine\n{}", done.text()));
    let done = place.run(&[
        "build",
        "-o",
        "a.lattice",
        "good.txt",
        "bad.txt",
        "--on-error",
        "skip",
    ]);
    assert_eq!(done.status, 4);
    text.push_str(&format!("=== skip\n{}", done.text()));
    snapshot!("cli_build_bad", text);
}

#[test]
fn a_build_that_fails_leaves_the_old_file() {
    let place = Place::new();
    place.write("kb.txt", TRIPLES);
    assert_eq!(place.run(&["build", "-o", "a.lattice", "kb.txt"]).status, 0);
    let before = std::fs::read(place.path("a.lattice")).unwrap();
    place.write("cycle.lq", "DIMENSION d TAXONOMY a > b > a");
    let done = place.run(&["build", "-o", "a.lattice", "kb.txt", "cycle.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_build_cycle", done.text());
    assert_eq!(std::fs::read(place.path("a.lattice")).unwrap(), before);
    assert_eq!(place.files(), ["a.lattice", "cycle.lq", "kb.txt"]);
}

/// A cycle of thousands is told by its ends, where it stops a build and where it does not.
#[test]
fn a_long_cycle_is_shortened() {
    let place = Place::new();
    let rows: Vec<String> = (0..5_000)
        .map(|k| format!("t{:04},t{k:04}", (k + 1) % 5_000))
        .collect();
    place.write("is_a.csv", format!("child,parent\n{}\n", rows.join("\n")));
    let build = |more: &[&str]| {
        let command = ["build", "-o", "c.lattice", "is_a.csv", "--form", "edges"];
        place.run(&[&command[..], more].concat())
    };
    let (stopped, skipped) = (build(&[]), build(&["--on-error", "skip"]));
    assert_eq!((stopped.status, skipped.status), (1, 4));
    snapshot!(
        "cli_build_long_cycle",
        format!("=== stop\n{}=== skip\n{}", stopped.text(), skipped.text())
    );
    // CHECK has it whole in JSON.
    let check = |format| {
        let command = [
            "run",
            "-l",
            "c.lattice",
            "-c",
            "CHECK is_a",
            "--format",
            format,
        ];
        place.run(&command).stdout
    };
    snapshot!("cli_run_check_long_cycle", check("table"));
    let json: serde_json::Value = serde_json::from_str(&check("json")).unwrap();
    let cycles = json["check"]["cycles"].as_array().unwrap();
    assert_eq!(cycles.len(), 1);
    assert_eq!(cycles[0].as_array().unwrap().len(), 5_001);
    assert_eq!(json["check"].get("uncovered"), None);
}

#[test]
fn what_cannot_be_read_or_written_is_told_first() {
    let place = Place::new();
    place.write("kb.txt", TRIPLES);
    place.write("folder/x", "");
    let mut text = String::new();
    for arguments in [
        &["build", "-o", "folder", "kb.txt"][..],
        &["build", "-o", "no/such/a.lattice", "kb.txt"],
        &["build", "-o", "a.lattice", "nothing.txt"],
        &["build", "-o", "a.lattice", "folder"],
        &["build", "-o", "a.lattice", "kb.xyz"],
        &["build", "-o", "a.lattice"],
    ] {
        place.write("kb.xyz", TRIPLES);
        text.push_str(&format!(
            "=== {}\n{}",
            arguments.join(" "),
            place.run(arguments).text()
        ));
    }
    snapshot!("cli_build_paths", text);
}

#[test]
fn an_empty_file_is_told() {
    let place = Place::new();
    place.write("empty.txt", "");
    place.write("blank.txt", " \n\n");
    let done = place.run(&["build", "-o", "a.lattice", "empty.txt", "blank.txt"]);
    snapshot!("cli_build_empty", done.text());
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_nothing_behind() {
    let place = Place::new();
    let mut lines = String::new();
    for k in 0..400_000 {
        lines.push_str(&format!(
            "subject {k}\trelation\tobject {}\tSource {k}\n",
            k % 1000
        ));
    }
    place.write("big.txt", lines);
    let mut child = place
        .command(&["build", "-o", "a.lattice", "big.txt"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let asked = Instant::now();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(place.files(), ["big.txt"]);
}

#[test]
fn the_same_files_make_the_same_lattice() {
    let place = Place::new();
    place.write("a.txt", TRIPLES);
    place.write("b.txt", "Bern\tin\tSwitzerland\tBern is in Switzerland.\n");
    assert_eq!(
        place
            .run(&["build", "-o", "1.lattice", "a.txt", "b.txt"])
            .status,
        0
    );
    assert_eq!(
        place
            .run(&["build", "-o", "2.lattice", "b.txt", "a.txt"])
            .status,
        0
    );
    let done = place.run(&["diff", "1.lattice", "2.lattice"]);
    assert!(
        done.stdout.starts_with("both say the same"),
        "{}",
        done.text()
    );
}

#[test]
fn a_form_is_told_by_the_ending_or_by_a_flag() {
    let place = Place::new();
    place.write("kb.tsv", TRIPLES);
    place.write("kb.dat", TRIPLES);
    let mut text = String::new();
    for arguments in [
        &["build", "-o", "a.lattice", "kb.tsv"][..],
        &["build", "-o", "a.lattice", "kb.tsv", "--form", "triples"],
        &["build", "-o", "a.lattice", "kb.dat"],
        &["build", "-o", "a.lattice", "kb.dat", "--form", "triples"],
    ] {
        text.push_str(&format!(
            "=== {}\n{}",
            arguments.join(" "),
            place.run(arguments).text()
        ));
    }
    snapshot!("cli_build_form", text);
}

#[test]
fn a_wish_that_fits_no_file_is_an_error() {
    let place = Place::new();
    place.write("kb.txt", TRIPLES);
    place.write("films.csv", "title,year\nOne,1999\nTwo,2001\n");
    place.write("people.csv", "person,born\nAnn,1960\n");
    place.write("load.lq", "LOAD TABLE \"films.csv\" KEY titel\n");
    let mut text = String::new();
    for more in [
        &["--key", "titel"][..],
        &["--key", "title,born"],
        &["--one", "yeer"],
        &["--key", "title", "--one", "in"],
    ] {
        let all = [
            "build",
            "-o",
            "a.lattice",
            "kb.txt",
            "films.csv",
            "people.csv",
        ];
        let done = place.run(&[&all[..], more].concat());
        text.push_str(&format!("=== {}\n{}", more.join(" "), done.text()));
    }
    let done = place.run(&["build", "-o", "b.lattice", "load.lq"]);
    text.push_str(&format!("=== load.lq\n{}", done.text()));
    assert!(!place.files().contains(&"b.lattice".to_owned()));
    snapshot!("cli_build_wishes", text);
}

#[test]
fn cells_that_name_half_a_key_are_told_in_any_order() {
    let place = Place::new();
    place.write(
        "city.csv",
        "city_name,state_name,people\nSpringfield,Illinois,5\nSpringfield,Ohio,7\n",
    );
    place.write(
        "state.csv",
        "state,capital\nIllinois,Springfield\nOhio,Columbus\n",
    );
    let city = "LOAD TABLE \"city.csv\" KEY city_name, state_name\n";
    let state = "LOAD TABLE \"state.csv\" COLUMN capital ENTITY city\n";
    place.write("1.lq", format!("{city}{state}"));
    place.write("2.lq", format!("{state}{city}"));
    for script in ["1.lq", "2.lq"] {
        let done = place.run(&["build", "-o", "a.lattice", script]);
        assert!(
            done.text().contains("2 cells of \"capital\" name no row of \"city\" (its key has 2 columns: city_name, state_name)"),
            "{}",
            done.text()
        );
    }
}
