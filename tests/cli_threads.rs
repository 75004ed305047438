//! Whatever the number of threads, the words are the same: results, errors, expectations,
//! and where a script ends.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cli_support;

use cli_support::Place;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const THREADS: [&str; 3] = ["1", "2", "5"];

/// What the program says in its folder with so many threads: status, output, errors.
fn said(folder: &Path, arguments: &[&str], threads: &str) -> (Option<i32>, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_latweave"))
        .args(arguments)
        .args(["--threads", threads])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

/// The same with every number of threads; what that is.
fn alike(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let [one, more @ ..] = THREADS;
    let expected = said(folder, arguments, one);
    for threads in more {
        let found = said(folder, arguments, threads);
        assert_eq!(found, expected, "{arguments:?} with {threads} threads");
    }
    expected
}

fn scripts(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scripts(&path, all);
        } else if path.extension().is_some_and(|e| e == "lq") {
            all.push(path);
        }
    }
}

#[test]
fn every_script_of_the_examples_and_the_suite_says_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    scripts(&root.join("examples"), &mut all);
    scripts(&root.join("tests/suite"), &mut all);
    all.sort();
    assert!(all.len() > 40, "{}", all.len());
    for (k, script) in all.iter().enumerate() {
        let form = ["table", "jsonl", "json", "csv", "tsv", "md"][k % 6];
        alike(root, &["run", script.to_str().unwrap(), "--format", form]);
    }
    for form in ["text", "tap"] {
        let (status, out, _) = alike(root, &["test", "tests/suite", "examples", "--format", form]);
        assert_eq!(status, Some(0), "{out}");
    }
}

/// What stands before an error is printed, and nothing that stands behind it.
#[test]
fn an_error_ends_the_script_in_its_place() {
    let place = Place::with_animals();
    let many = "MEET species = whale\n".repeat(40);
    let behind = "MEET species = dog\n".repeat(40);
    for (wrong, status, word) in [
        ("DESCRIBE Nobody", 1, "E404"),
        ("MEET species = $unbound", 1, "$unbound"),
        ("LET a = MEET species = $unbound", 1, "$unbound"),
        ("FACT Keiko species = $x SOURCE \"s\"", 1, "E"),
        ("LOAD \"nothing.csv\"", 1, "nothing.csv"),
        ("OPEN \"nothing.lattice\"", 1, "nothing.lattice"),
        ("CHECK born", 1, "E412"),
    ] {
        let script = format!("{many}{wrong}\n{behind}");
        place.write("script.lq", script);
        let run = ["run", "-l", "animals.lattice", "script.lq"];
        let (code, out, errors) = alike(&place.path("."), &run);
        assert_eq!(code, Some(status), "{wrong}: {errors}");
        assert!(errors.contains(word), "{wrong}: {errors}");
        assert_eq!(out.matches("Moby Dick").count() / 2, 40, "{wrong}: {out}");
        assert!(!out.contains("Laika"), "{wrong}");
        let as_lines = [&run[..], &["--format", "jsonl"]].concat();
        let (_, out, _) = alike(&place.path("."), &as_lines);
        assert_eq!(out.lines().count(), 41, "{wrong}: with the error");
    }
}

/// An expectation speaks of the verdict before it, and one that fails ends nothing.
#[test]
fn expectations_speak_of_the_verdict_before_them() {
    let place = Place::with_animals();
    let mut script = String::new();
    for k in 0..60 {
        let (who, what) = match k % 3 {
            0 => ("dog", "{ Laika }"),
            1 => ("orca", "{ Keiko }"),
            _ => ("bird", "ABSTAIN empty"),
        };
        script += &format!("MEET species = {who}\nSHOW DIMENSIONS\nEXPECT {what}\n");
        if k % 20 == 19 {
            script += "EXPECT { Laika }\n";
        }
    }
    place.write("script.lq", script);
    let run = ["run", "-l", "animals.lattice", "script.lq"];
    let (status, _, errors) = alike(&place.path("."), &run);
    assert_eq!(status, Some(1));
    assert_eq!(errors.matches("E409").count(), 2, "{errors}");
    let (status, out, _) = alike(
        &place.path("."),
        &["test", "-l", "animals.lattice", "script.lq"],
    );
    assert_eq!(status, Some(1), "{out}");
}

/// The last verdict is that of the last query: its certificate and the exit status.
#[test]
fn the_last_verdict_is_the_last_of_the_text() {
    let place = Place::with_animals();
    let many = "MEET species = whale\n".repeat(30);
    let run = ["run", "-l", "animals.lattice", "script.lq", "--certificate"];
    place.write("script.lq", format!("{many}MEET species = dog"));
    for threads in THREADS {
        let name = format!("{threads}.json");
        let arguments = [&run[..], &[&name]].concat();
        assert_eq!(said(&place.path("."), &arguments, threads).0, Some(0));
        assert_eq!(place.read(&name), place.read("1.json"));
    }
    assert!(place.read("1.json").contains("Laika"));
    place.write("script.lq", format!("{many}MEET species = bird"));
    let abstain = [
        "run",
        "-l",
        "animals.lattice",
        "script.lq",
        "--exit-abstain",
    ];
    assert_eq!(alike(&place.path("."), &abstain).0, Some(3));
}

/// A lattice in which some queries are slow and large.
fn with_star() -> Place {
    let place = Place::new();
    let rows: Vec<String> = (0..20_000)
        .map(|k| format!("hub|link|leaf {k}\n"))
        .collect();
    place.write("star.txt", rows.concat());
    let done = place.run(&["build", "-o", "star.lattice", "star.txt"]);
    assert_eq!(done.status, 0, "{}", done.text());
    place
}

/// So many pairs that no machine makes them all within the limits of these tests.
const SLOW: &str = "MEET name = hub RETURN link, link.link_inverse.link\n";

/// What SHOW says takes no time that is bounded, so the place of the error is certain.
#[test]
fn the_budget_is_that_of_each_query() {
    let place = with_star();
    let script = format!(
        "{}{SLOW}SHOW DOCUMENTS\n{SLOW}",
        "SHOW DIMENSIONS\n".repeat(20)
    );
    place.write("script.lq", script);
    let run = [
        "run",
        "-l",
        "star.lattice",
        "script.lq",
        "--format",
        "jsonl",
    ];
    for (limit, code) in [
        (["--time-limit", "200ms"], "E405"),
        (["--memory-limit", "1MB"], "E406"),
    ] {
        let arguments = [&run[..], &limit].concat();
        let (status, out, errors) = alike(&place.path("."), &arguments);
        assert_eq!(status, Some(5), "{errors}");
        assert!(errors.contains(code), "{errors}");
        assert_eq!(out.lines().count(), 21, "with the error");
        assert!(!out.contains("abstain"), "{out}");
    }
    // Many that fit in the budget fit in it beside each other.
    let many = "MEET name = hub RETURN link.link_inverse\n".repeat(40);
    place.write("script.lq", many);
    let arguments = [&run[..], &["--memory-limit", "64MB"]].concat();
    let (status, out, errors) = alike(&place.path("."), &arguments);
    assert_eq!((status, out.lines().count()), (Some(0), 40), "{errors}");
}

#[cfg(unix)]
mod ctrl_c {
    use super::*;
    use std::io::Read;
    use std::process::Child;

    fn begun(place: &Place, script: String, more: &[&str]) -> Child {
        place.write("script.lq", script);
        let run = ["run", "-l", "star.lattice", "script.lq"];
        let mut child = place
            .command(&[&run[..], more].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.unwrap().success());
        child
    }

    /// What runs on other threads ends too.
    #[test]
    fn ends_all_that_is_run() {
        let place = with_star();
        let script = format!("SHOW DIMENSIONS\n{}", SLOW.repeat(30));
        let limit = ["--threads", "5", "--memory-limit", "300MB"];
        let mut child = begun(&place, script, &limit);
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }

    /// Nobody reads on, so what is printed is never done.
    #[test]
    fn ends_what_is_printed() {
        let place = with_star();
        let script = "MEET name = hub RETURN link\n".repeat(30);
        let mut child = begun(&place, script, &["--threads", "5"]);
        let stdout = child.stdout.take();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(stdout);
    }
}

/// Damage that a later statement comes upon first is told where the text comes upon it.
#[test]
fn damage_is_told_in_its_place() {
    let place = Place::new();
    let rows: Vec<String> = (0..4_000)
        .map(|k| format!("thing {k}|relation {}|thing {}\n", k % 5, k * 7 % 4_000))
        .collect();
    place.write("many.txt", rows.concat());
    let done = place.run(&["build", "-o", "many.lattice", "many.txt"]);
    assert_eq!(done.status, 0, "{}", done.text());
    let mut script = String::new();
    for k in 0..60 {
        let value = k * 7 % 4_000;
        script += &format!("MEET \"relation {}\" = \"thing {value}\"\n", k % 5);
        if k % 9 == 0 {
            script += &format!("EXPECT COUNT 1\nLET known{k} = MEET \"relation 1\" = x\n");
        }
    }
    for k in 0..5 {
        script += &format!("MEET HAS \"relation {k}\"\n");
    }
    script += "FACT x \"relation 1\" = y SOURCE \"x\"\nMEET HAS \"relation 1\"\n";
    place.write("script.lq", script);
    let whole = std::fs::read(place.path("many.lattice")).unwrap();
    let mut told = 0;
    for k in 0..24 {
        let mut altered = whole.clone();
        let at = (whole.len() / 24) * k + 7 * k;
        altered[at] ^= 4;
        place.write("altered.lattice", altered);
        let run = ["run", "-l", "altered.lattice", "script.lq"];
        let (status, ..) = alike(&place.path("."), &run);
        told += usize::from(status == Some(1));
    }
    assert!(told > 10, "{told}");
}

/// Who takes no more ends the run quietly.
#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let place = with_star();
    place.write("script.lq", "MEET name = hub RETURN link\n".repeat(100));
    for threads in THREADS {
        let run = [
            "run",
            "-l",
            "star.lattice",
            "script.lq",
            "--threads",
            threads,
        ];
        let mut child = place
            .command(&run)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0));
        assert!(done.stderr.is_empty(), "{:?}", done.stderr);
    }
}

#[test]
fn no_threads_is_wrong_usage() {
    let place = Place::with_animals();
    let done = place.run(&["run", "-c", "SHOW DIMENSIONS", "--threads", "0"]);
    assert_eq!(done.status, 2, "{}", done.text());
}

/// A statement of any kind, right or wrong.
fn statement() -> impl Strategy<Value = String> {
    let species = prop::sample::select(vec!["animal", "whale", "orca", "dog", "bird", "unicorn"]);
    let query = species.prop_map(|value| format!("MEET species = {value}"));
    prop_oneof![
        12 => query.clone(),
        2 => query.clone().prop_map(|query| format!("EXPLAIN {query}")),
        2 => query.clone().prop_map(|query| format!("LET known = {query}")),
        2 => Just("MEET name IN known".to_owned()),
        2 => query.prop_map(|query| format!("SUGGEST {query}")),
        3 => prop::sample::select(vec![
            "EXPECT { Keiko, \"Moby Dick\" }", "EXPECT ABSTAIN", "EXPECT COUNT 1",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "SHOW DIMENSIONS", "SHOW species", "SHOW INSTANCES", "DESCRIBE Keiko",
            "CHECK species", "WIDTH species", "CONCEPTS species, habitat",
            "COMPARE Keiko, Laika BY born", "ABSTAIN \"no\"",
        ]).prop_map(str::to_owned),
        2 => (0..3_u8).prop_map(|k| {
            format!("FACT \"Whale {k}\" species = whale SOURCE \"Whale {k} is one.\" FROM \"w.txt\"")
        }),
        1 => prop::sample::select(vec![
            "DESCRIBE Nobody", "MEET species = $unbound", "RETRACT DOCUMENT \"w.txt\"",
            "FACT Keiko length = long SOURCE \"s\"", "CHECK born", "USE nothing",
            "DIMENSION species NUMBER", "OPEN \"animals.lattice\"",
        ]).prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        rng_seed: prop::test_runner::RngSeed::Fixed(88),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_script_says_the_same(
        statements in prop::collection::vec(statement(), 1..80),
        form in prop::sample::select(vec!["table", "jsonl", "json", "md"]),
    ) {
        let place = Place::with_animals();
        place.write("script.lq", statements.join("\n"));
        let run = ["run", "-l", "animals.lattice", "script.lq", "--format", form];
        alike(&place.path("."), &run);
    }
}
