//! The other commands: test, check, fmt, verify, show, dump, diff, explain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;

use cli_support::{ANIMALS, Place};

#[test]
fn tests_are_reported_like_tests() {
    let place = Place::with_animals();
    place.write(
        "t/good.lq",
        "OPEN \"../animals.lattice\"\nMEET species = orca\nEXPECT { Keiko }\n",
    );
    place.write(
        "t/deep/bad.lq",
        "OPEN \"../../animals.lattice\"\nMEET species = orca\nEXPECT { Laika }\n",
    );
    place.write("t/broken.lq", "MEET species =\n");
    place.write("t/no_test.lq", "SHOW DIMENSIONS\n");
    place.write("t/notes.txt", "not a script");
    for format in ["text", "tap"] {
        let done = place.run(&["test", "t", "--format", format]);
        assert_eq!(done.status, 1);
        snapshot!(format!("cli_test_{format}"), done.text());
    }
    let junit = place.run(&["test", "t", "--format", "junit"]).stdout;
    assert!(
        junit.contains("<testsuite name=\"latweave\" tests=\"3\" failures=\"2\">"),
        "{junit}"
    );
    assert_eq!(place.run(&["test", "t/good.lq"]).status, 0);
    assert_eq!(place.run(&["test", "t/no_test.lq"]).status, 1);
    assert_eq!(place.run(&["test", "nowhere"]).status, 1);
}

#[test]
fn tests_can_start_from_a_lattice() {
    let place = Place::with_animals();
    place.write("t/a.lq", "MEET species = orca\nEXPECT { Keiko }\n");
    let done = place.run(&["test", "t", "-l", "animals.lattice"]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(
        done.stdout.ends_with("1 passed, 0 failed\n"),
        "{}",
        done.text()
    );
}

#[test]
fn scripts_are_checked() {
    let place = Place::with_animals();
    place.write(
        "a.lq",
        "LET unused = MEET species = orca\nEXPECT TRUE\nMEET species = wale AND specis = whale\n\
         MEET species = wale\nMEET name = $who\nMEET species > mammal\nCOMPARE Springfield BY species = orca\n",
    );
    let done = place.run(&["check", "a.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_check", done.text());
    snapshot!(
        "cli_check_names",
        place
            .run(&["check", "a.lq", "-l", "animals.lattice"])
            .text()
    );
    let json = place
        .run(&["check", "a.lq", "-l", "animals.lattice", "--format", "json"])
        .stdout;
    let all: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &all[0];
    for key in [
        "file", "line", "column", "code", "severity", "message", "labels",
    ] {
        assert!(!first[key].is_null(), "{key}: {json}");
    }
}

#[test]
fn what_a_script_certainly_gets_wrong_is_found_without_running_it() {
    let place = Place::new();
    place.write(
        "wrong.lq",
        "USE std.units\nDIMENSION species TAXONOMY ONE whale, bat\nDIMENSION born DATE ONE\n\
         FACT Keiko species = wale SOURCE \"Keiko was a whale.\"\nFACT Keiko born = 1976\n\
         FACT Keiko borne = 1976 SOURCE \"Keiko, born in 1976.\"\nMEET species = whale\n\
         EXPECT ABSTAIN mising\nEXPECT ABSTAIN nothing\nEXPECT ABSTAIN empty\n",
    );
    let done = place.run(&["check", "wrong.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_check_wrong", done.text());
    // Where words may come from elsewhere nothing is certain but the source.
    place.write(
        "part.lq",
        "LOAD \"schema.lq\"\nDIMENSION born DATE ONE\nFACT Keiko borne = 1976 SOURCE \"b\"\n",
    );
    place.write("facts.lq", "FACT Keiko borne = 1976 SOURCE \"b\"\n");
    for file in ["part.lq", "facts.lq"] {
        assert_eq!(place.run(&["check", file]).text(), "status: 0\n");
    }
}

#[test]
fn a_script_that_declares_its_own_words_is_sound() {
    let place = Place::with_animals();
    place.write(
        "own.lq",
        format!("{ANIMALS}MEET species = orca\nEXPECT {{ Keiko }}\n"),
    );
    for arguments in [
        &["check", "own.lq"][..],
        &["check", "own.lq", "-l", "animals.lattice"],
    ] {
        let done = place.run(arguments);
        assert_eq!(done.text(), "status: 0\n");
    }
}

#[test]
fn scripts_are_formatted() {
    let place = Place::new();
    place.write(
        "a.lq",
        "meet  species=whale   and habitat = aquatic -- here\n",
    );
    let done = place.run(&["fmt", "--check", "a.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_fmt_check", done.text());
    assert_eq!(place.run(&["fmt", "a.lq"]).text(), "status: 0\n");
    assert_eq!(
        place.read("a.lq"),
        "MEET species = whale AND habitat = aquatic -- here\n"
    );
    assert_eq!(place.run(&["fmt", "--check", "a.lq"]).text(), "status: 0\n");
    let done = place.run_with(&["fmt", "-"], "meet a=1");
    assert_eq!(done.stdout, "MEET a = 1\n");
    place.write("bad.lq", "MEET a =");
    assert_eq!(place.run(&["fmt", "bad.lq"]).status, 1);
    assert_eq!(place.read("bad.lq"), "MEET a =");
}

#[test]
fn certificates_are_verified() {
    let place = Place::with_animals();
    let query = "MEET species <= mammal AND habitat = aquatic";
    let run = [
        "run",
        "-l",
        "animals.lattice",
        "-c",
        query,
        "--certificate",
        "c.json",
    ];
    assert_eq!(place.run(&run).status, 0);
    let done = place.run(&["verify", "c.json", "-l", "animals.lattice"]);
    assert_eq!(done.status, 0, "{}", done.text());
    snapshot!("cli_verify", done.text());
    place.write(
        "c.json",
        place
            .read("c.json")
            .replace("Keiko was an orca", "Keiko was no orca"),
    );
    let done = place.run(&["verify", "c.json", "-l", "animals.lattice"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_verify_refused", done.text());
    let done = place.run(&["verify", "nothing.json", "-l", "animals.lattice"]);
    assert_eq!(done.status, 1);
}

#[test]
fn a_lattice_is_shown() {
    let place = Place::with_animals();
    let mut text = String::new();
    for what in [
        &[][..],
        &["species"],
        &["Laika"],
        &["@il/springfield"],
        &["@\"il/springfield\""],
        &["Springfield (@\"ma/springfield\")"],
        &["speces"],
        &["Kieko"],
    ] {
        let done = place.run(&[&["show", "animals.lattice"][..], what].concat());
        text.push_str(&format!("=== {what:?}\n{}\n", done.text()));
    }
    snapshot!("cli_show", text);
}

#[test]
fn a_dump_builds_the_same_lattice_again() {
    let place = Place::with_animals();
    let done = place.run(&["dump", "animals.lattice", "-o", "dump.lq"]);
    assert_eq!(done.text(), "status: 0\n");
    assert_eq!(
        place.run(&["dump", "animals.lattice"]).stdout,
        place.read("dump.lq")
    );
    assert_eq!(
        place
            .run(&["build", "-o", "again.lattice", "dump.lq"])
            .status,
        0
    );
    let done = place.run(&["diff", "animals.lattice", "again.lattice"]);
    assert!(
        done.stdout.starts_with("both say the same"),
        "{}",
        done.text()
    );
}

#[test]
fn two_lattices_are_compared() {
    let place = Place::with_animals();
    let changed = ANIMALS
        .replace("born = 1976", "born = 1977")
        .replace("mammal > whale, dog", "mammal > whale, dog, bat")
        .replace("keiko.txt\" LINE 2", "keiko.txt\" LINE 3")
        .replace("\"ma/springfield\"", "\"or/springfield\"");
    place.write("b.lq", changed);
    assert_eq!(place.run(&["build", "-o", "b.lattice", "b.lq"]).status, 0);
    let done = place.run(&["diff", "animals.lattice", "b.lattice"]);
    assert_eq!(done.status, 0);
    snapshot!("cli_diff", done.text());
    let json = place
        .run(&["diff", "animals.lattice", "b.lattice", "--format", "json"])
        .stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["same"], false);
    assert!(value["changes"].as_array().unwrap().len() > 5, "{json}");
}

#[test]
fn codes_have_stories() {
    let place = Place::new();
    snapshot!("cli_explain", place.run(&["explain", "E012"]).text());
    snapshot!(
        "cli_explain_abstention",
        place.run(&["explain", "Conflict"]).text()
    );
    snapshot!(
        "cli_explain_unknown",
        place.run(&["explain", "E1O2"]).text()
    );
    let all = place.run(&["explain"]).stdout;
    assert!(
        all.contains("empty-lattice") && all.contains("E001"),
        "{all}"
    );
}

#[test]
fn help_lists_what_there_is() {
    let place = Place::new();
    snapshot!("cli_help", place.run(&["--help"]).text());
    snapshot!("cli_help_run", place.run(&["run", "--help"]).text());
    snapshot!("cli_help_build", place.run(&["build", "--help"]).text());
    snapshot!("cli_usage", place.run(&["run", "--formt", "json"]).text());
    let version = place.run(&["--version"]).stdout;
    assert_eq!(version, format!("latweave {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_and_the_man_page_come_from_the_same_list() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = place.run(&["completions", shell]);
        assert_eq!(done.status, 0);
        assert!(done.stdout.contains("exit-abstain"), "{shell}");
    }
    let page = place.run(&["man"]).stdout;
    assert!(
        page.contains("exit\\-abstain") && page.contains(".TH"),
        "{page}"
    );
}

/// A benchmark runs from its files to its table and its report.
#[test]
fn a_benchmark_prints_its_table_and_writes_its_report() {
    let place = Place::new();
    place.write("kb.txt", "Night|directed_by|Ada\nDay|directed_by|Ada\n");
    let data = "data/1-hop/";
    place.write(&format!("{data}qa_dev.txt"), "who directed [Night]\tAda\n");
    place.write(&format!("{data}qa_dev_qtype.txt"), "movie_to_director\n");
    place.run(&["build", "-o", "kb.lattice", "kb.txt"]);
    let done = place.run(&[
        "eval",
        "metaqa",
        "--plans",
        "oracle",
        "--data",
        "data",
        "--split",
        "dev",
        "--hops",
        "1",
        "-l",
        "kb.lattice",
        "--report",
        "r.json",
    ]);
    assert_eq!(done.status, 0, "{}", done.text());
    let report: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    assert_eq!(report["all"]["n"], 1);
    assert_eq!(report["hops"]["1"]["set_equal"], 1.0);
}
