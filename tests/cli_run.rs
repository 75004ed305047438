//! `latweave run`: what it prints, and how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;

use cli_support::Place;
use std::process::Stdio;

fn ask(text: &str) -> String {
    let place = Place::with_animals();
    place
        .run(&["run", "-l", "animals.lattice", "-c", text])
        .text()
}

#[test]
fn an_answer_comes_with_its_evidence() {
    snapshot!(
        "cli_run_answer",
        ask("MEET species <= mammal AND habitat = aquatic")
    );
}

#[test]
fn every_kind_of_answer_has_its_form() {
    let all = [
        "MEET species = mammal RETURN born",
        "MEET species = mammal RETURN species, born, length",
        "MEET HAS species RETURN COUNT",
        "MEET name = Springfield",
        "COMPARE Keiko BY species = mammal",
        "COMPARE Keiko BY habitat = terrestrial",
        "COMPARE Keiko, Laika BY species",
        "COMPARE \"Moby Dick\" OVERLAPS Keiko BY habitat",
        "COMPARE Keiko = Laika BY habitat",
        "COMPARE MAX OF (MEET HAS length) BY length",
        "MEET POSSIBLY species = orca AND habitat = aquatic",
        "MEET POSSIBLY born = 1955 AND species = dog",
    ];
    let mut text = String::new();
    for query in all {
        text.push_str(&format!("=== {query}\n{}\n", ask(query)));
    }
    snapshot!("cli_run_kinds", text);
}

#[test]
fn what_is_no_script_says_what_to_do_with_it() {
    let place = Place::with_animals();
    place.write("table.csv", "a,b\n1,2\n");
    let mut text = String::new();
    for arguments in [
        &["run", "animals.lattice"][..],
        &["run", "MEET species = whale"],
        &["run", "table.csv"],
        &["run", "nothing.lq"],
        &["animals.lattice"],
        &["animals.lq"],
    ] {
        let done = place.run(arguments);
        text.push_str(&format!("=== {arguments:?}\n{}\n", done.text()));
    }
    snapshot!("cli_run_no_script", text);
}

const RIVERS: &str = r#"UNIT m = 1 m
UNIT km = 1000 m
DIMENSION kind TAXONOMY ONE
  thing > river, state
DIMENSION length NUMBER UNIT km ONE
DIMENSION population NUMBER ONE
DIMENSION city ENTITY MANY
DIMENSION ruler ENTITY ONE
FACT "Rhine" kind = river, length = 1200, city = Basel SOURCE "The Rhine is a river."
FACT "Rhine" city = Cologne SOURCE "Cologne lies on the Rhine."
FACT "Elbe" kind = river, city = Dresden SOURCE "The Elbe flows through Dresden."
FACT "Oder" kind = river SOURCE "The Oder is a river."
FACT "Oder" city = Basel SOURCE "Basel lies on the Oder."
FACT Saxony kind = state, population = 4000000, ruler = Augustus SOURCE "Saxony."
"#;

#[test]
fn what_is_told_says_what_stands_in_the_way() {
    let place = Place::new();
    place.write("rivers.lq", RIVERS);
    let all = [
        // The words of a walk, of a name, and of the condition that says most.
        "COMPARE MAX OF (MEET HAS length) BY length RETURN city",
        "COMPARE MAX OF (MEET HAS length) BY length RETURN name",
        "MEET name = Rhine",
        "MEET kind = river RETURN name",
        "MEET kind = river RETURN name, length",
        "MEET kind = river AND city = Basel",
        // Abstentions.
        "COMPARE Rhine BY city = Dresden",
        "COMPARE Rhine BY city IN {Dresden, Oder}",
        "COMPARE Oder BY length > 5",
        "COMPARE MAX OF (MEET kind = river) BY length",
        "COMPARE MAX OF (MEET kind = state) BY length",
        "COMPARE MIN OF Elbe, Rhine BY length",
        "MEET kind = river RETURN ruler",
        "MEET kind = state RETURN ruler.length",
        "MEET kind = river RETURN ruler.length",
        "MEET kind = river AND city != Cologne",
        "MEET kind = river RETURN COUNT",
        "MEET kind = river AND length > 5 RETURN COUNT",
        "MEET population > 5 km",
        "MEET length > 5 parsecs",
        "MEET ruler > Augustus",
        "MEET length > Rhine",
        "MEET name = state",
    ];
    let mut text = String::new();
    for query in all {
        let done = place.run(&["run", "rivers.lq", "-c", query]);
        text.push_str(&format!("=== {query}\n{}\n", done.text()));
    }
    snapshot!("cli_run_hints", text);
}

#[test]
fn every_abstention_says_why_and_what_may_help() {
    let all = [
        "MEET specis = whale",
        "MEET species = wale",
        "MEET name = Kieko",
        "MEET species = wale AND habitat = aquatik",
        "MEET species > mammal",
        "COMPARE Springfield BY habitat = aquatic",
        "MEET name = \"Moby Dick\" RETURN born",
        "COMPARE Keiko < \"Moby Dick\" BY born",
        "MEET name = Laika RETURN born",
        "COMPARE Keiko < \"Moby Dick\" BY species",
        "MEET species = bird AND species = whale",
        "MEET species = dog AND habitat = aquatic",
        "MEET species = bird",
        "MEET HAS habitat RETURN COUNT habitat",
        "ABSTAIN \"this asks for an opinion\"",
    ];
    let mut text = String::new();
    for query in all {
        text.push_str(&format!("=== {query}\n{}\n", ask(query)));
    }
    snapshot!("cli_run_abstentions", text);
}

#[test]
fn an_empty_lattice_abstains() {
    let place = Place::new();
    let done = place.run(&["run", "-c", "MEET species = whale"]);
    assert_eq!(done.status, 0);
    assert!(
        done.stdout.contains("abstain: empty-lattice"),
        "{}",
        done.stdout
    );
}

#[test]
fn machines_get_their_forms() {
    let place = Place::with_animals();
    let mut text = String::new();
    for format in ["json", "jsonl", "csv", "tsv", "md"] {
        for query in [
            "MEET species = mammal; MEET species = mammal RETURN species, born",
            "MEET species = wale",
            "COMPARE Keiko, Laika BY species",
            "SHOW DOCUMENTS",
        ] {
            let done = place.run(&[
                "run",
                "-l",
                "animals.lattice",
                "--format",
                format,
                "-c",
                query,
            ]);
            text.push_str(&format!("=== {format}: {query}\n{}\n", done.text()));
        }
    }
    snapshot!("cli_run_formats", text);
}

#[test]
fn the_lattice_can_be_looked_at() {
    snapshot!(
        "cli_run_show",
        ask(
            "SHOW DIMENSIONS SHOW INSTANCES SHOW DOCUMENTS SHOW species DESCRIBE Laika DESCRIBE Keiko DESCRIBE born DESCRIBE Springfield"
        )
    );
}

#[test]
fn explain_tells_how_a_query_is_run() {
    snapshot!(
        "cli_run_explain",
        ask("EXPLAIN MEET species <= mammal AND habitat = aquatic")
    );
}

#[test]
fn scripts_run_in_one_session() {
    let place = Place::with_animals();
    place.write(
        "first.lq",
        "OPEN \"animals.lattice\"\nLET sea = MEET habitat = aquatic\n",
    );
    place.write(
        "sub/second.lq",
        "MEET name IN sea AND species = orca\nEXPECT { Keiko }\n",
    );
    let done = place.run(&["run", "first.lq", "sub/second.lq"]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(done.stdout.contains("Keiko"));
}

#[test]
fn files_are_found_beside_the_script() {
    let place = Place::with_animals();
    place.write(
        "sub/a.lq",
        "OPEN \"../animals.lattice\"\nMEET species = orca\n",
    );
    let done = place.run(&["run", "sub/a.lq"]);
    assert_eq!(done.status, 0, "{}", done.text());
}

#[test]
fn standard_input_is_a_script() {
    let place = Place::with_animals();
    for arguments in [
        &["run", "-l", "animals.lattice", "-"][..],
        &["-l", "animals.lattice"],
    ] {
        let done = place.run_with(arguments, "\u{feff}MEET species = orca\r\n");
        assert_eq!(done.status, 0, "{}", done.text());
        assert!(done.stdout.contains("Keiko"), "{}", done.text());
    }
}

#[test]
fn parameters_are_values_and_never_text() {
    let place = Place::with_animals();
    let ask = |query: &str, value: &str| {
        place.run(&[
            "run",
            "-l",
            "animals.lattice",
            "--format",
            "csv",
            "-c",
            query,
            "-p",
            value,
        ])
    };
    assert!(
        ask("MEET name = $who", "who=Moby Dick")
            .stdout
            .contains("Moby Dick")
    );
    assert!(
        ask("MEET born = $year", "year=1976")
            .stdout
            .contains("Keiko")
    );
    assert!(
        ask("MEET length > $l", "l=100 cm")
            .stderr
            .contains("mismatch")
    );
    // This is a name that nothing bears, not a condition.
    let done = ask("MEET name = $who", "who=Keiko OR species = dog");
    assert!(done.stderr.contains("unknown-name"), "{}", done.text());
    let done = ask("MEET name = $who", "who=\"Keiko\" -- x");
    assert!(done.stderr.contains("unknown-name"), "{}", done.text());
    let query = ["run", "-l", "animals.lattice", "-c", "MEET name IN $all"];
    let done = place.run(&[&query[..], &["-p", "all=Keiko", "-p", "all=Laika"]].concat());
    assert!(done.stdout.contains("2 instances"), "{}", done.text());
    snapshot!("cli_run_unbound", place.run(&query).text());
}

#[test]
fn an_expectation_that_fails_is_told_and_the_run_goes_on() {
    let place = Place::with_animals();
    place.write(
        "a.lq",
        "OPEN \"animals.lattice\"\nMEET species = whale\nEXPECT { Keiko, Laika }\n\
         MEET species = wale\nEXPECT ABSTAIN conflict\nCOMPARE Keiko BY species = dog\nEXPECT TRUE\n\
         MEET species = dog RETURN species, born\nEXPECT ROWS { (dog, 1954) }\n",
    );
    let done = place.run(&["run", "a.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_run_expectations", done.text());
}

#[test]
fn a_mistake_is_drawn_where_it_stands() {
    let place = Place::new();
    for (k, text) in [
        "MEET species == whale\nMEET name = 'Moby'\n",
        "EXPECT TRUE",
        "CHECK species",
        "USE std.unit",
        "DIMENSION 日本 TAXONOMY ONE\n  動物 > 鯨\nFACT 白鯨 日本 = 鮫 SOURCE \"白鯨は鮫。\"\n",
        "DIMENSION d TAXONOMY a > b\nDIMENSION d TAXONOMY b > a\nMEET d = a\n",
        "LOAD \"nothing.csv\"",
        "DESCRIBE Nobody",
        "OPEN \"nothing.lattice\"",
    ]
    .iter()
    .enumerate()
    {
        place.write("a.lq", text);
        let done = place.run(&["run", "a.lq"]);
        assert_eq!(done.status, 1, "{}", done.text());
        snapshot!(format!("cli_run_mistake_{k}"), done.text());
    }
}

#[test]
fn what_was_good_before_a_mistake_is_kept() {
    let place = Place::new();
    let script = "DIMENSION d TAXONOMY ONE\n  a > b\nFACT x d = b SOURCE \"x is b\"\nMEET d = a\n\
                  FACT y d = c SOURCE \"y is c\"\nMEET d = b\n";
    let done = place.run_with(&["run", "-"], script);
    assert_eq!(done.status, 1);
    assert!(done.stdout.contains("1 instance"), "{}", done.text());
    assert!(done.stderr.contains("E202"), "{}", done.text());
}

#[test]
fn a_program_reads_why_a_script_ended() {
    let place = Place::with_animals();
    let script = "MEET species = orca; MEET species == dog";
    for (form, script) in [
        ("json", script),
        ("jsonl", script),
        ("json", "MEET species = orca; FACT x species = dog"),
    ] {
        let done = place.run(&[
            "run",
            "-l",
            "animals.lattice",
            "--format",
            form,
            "-c",
            script,
        ]);
        assert_eq!(done.status, 1);
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let first = &json["error"]["diagnostics"][0];
        assert!(first["code"].is_string() && first["line"] == 1, "{json}");
    }
}

#[test]
fn a_pin_refuses_another_content() {
    let place = Place::with_animals();
    place.write(
        "a.lq",
        "OPEN \"animals.lattice\" AT \"b3:0123\"\nMEET species = orca\n",
    );
    let done = place.run(&["run", "a.lq"]);
    assert_eq!(done.status, 1);
    snapshot!("cli_run_drift", done.text());
    let lattice = latweave::Lattice::open(&place.path("animals.lattice")).unwrap();
    let hash = lattice.content_hash().to_string();
    for pin in [hash.as_str(), &hash[..12]] {
        place.write(
            "a.lq",
            format!("OPEN \"animals.lattice\" AT \"{pin}\"\nMEET species = orca\n"),
        );
        assert_eq!(place.run(&["run", "a.lq"]).status, 0);
    }
}

#[test]
fn open_loses_nothing() {
    let place = Place::with_animals();
    let script = "DIMENSION d TEXT\nOPEN \"animals.lattice\"\n";
    let done = place.run_with(&["run", "-"], script);
    assert_eq!(done.status, 1);
    assert!(done.stderr.contains("E303"), "{}", done.text());
}

#[test]
fn exit_statuses_tell_the_end() {
    let place = Place::with_animals();
    let run = |more: &[&str]| {
        place
            .run(&[&["run", "-l", "animals.lattice"][..], more].concat())
            .status
    };
    assert_eq!(run(&["-c", "MEET species = orca"]), 0);
    assert_eq!(run(&["-c", "MEET species = wale"]), 0);
    assert_eq!(run(&["-c", "MEET species = wale", "--exit-abstain"]), 3);
    assert_eq!(
        run(&[
            "-c",
            "MEET species = wale; MEET species = orca",
            "--exit-abstain"
        ]),
        0
    );
    assert_eq!(run(&["-c", "MEET species ="]), 1);
    assert_eq!(run(&["nothing.lq"]), 1);
    assert_eq!(run(&["--no-such-flag"]), 2);
    assert_eq!(run(&[]), 2);
    assert_eq!(place.run(&["no-such-command"]).status, 2);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let place = Place::with_animals();
    let query = ["run", "-l", "animals.lattice", "-c", "MEET species = orca"];
    assert!(!place.run(&query).stdout.contains('\u{1b}'));
    let coloured = place.run(&[&query[..], &["--color", "always"]].concat());
    assert!(coloured.stdout.contains('\u{1b}'));
    let plain = place.run(&[&query[..], &["--color", "never"]].concat());
    assert!(!plain.stdout.contains('\u{1b}'));
}

#[test]
fn names_cannot_drive_the_terminal() {
    let place = Place::new();
    let script = "DIMENSION d TEXT\nFACT \"a\u{1b}[2Jb\" d = \"\u{7}\" SOURCE \"\u{1b}[31mred\"\n\
                  MEET HAS d\nSHOW INSTANCES\nDESCRIBE \"a\u{1b}[2Jb\"\nMEET name = \"\u{1b}x\"\n";
    let done = place.run_with(&["run", "-"], script);
    assert!(!done.stdout.contains('\u{1b}'), "{}", done.text());
    assert!(done.stdout.contains("a\\u{1b}[2Jb"), "{}", done.text());
}

#[test]
fn a_broken_pipe_is_quiet() {
    let place = Place::with_animals();
    let mut child = place
        .command(&["run", "-l", "animals.lattice", "-c", "SHOW INSTANCES"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let place = Place::with_animals();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = place
        .command(&["run", "-l", "animals.lattice", "-c", "SHOW INSTANCES"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.starts_with("error: the output cannot be written"),
        "{told}"
    );
}

#[test]
fn texts_that_are_no_text_are_refused_with_their_place() {
    let place = Place::new();
    place.write("a.lq", b"MEET a = \x41\xff\x42");
    place.write("folder/x", "");
    let mut text = String::new();
    for name in ["a.lq", "folder", "nothing.lq"] {
        text.push_str(&place.run(&["run", name]).text());
    }
    snapshot!("cli_run_unreadable", text);
}

#[test]
fn a_certificate_is_written_whole() {
    let place = Place::with_animals();
    let query = [
        "run",
        "-l",
        "animals.lattice",
        "-c",
        "MEET species = orca",
        "--certificate",
    ];
    let done = place.run(&[&query[..], &["c.json"]].concat());
    assert_eq!(done.status, 0, "{}", done.text());
    let certificate = place.read("c.json");
    assert!(
        certificate.starts_with("{\"certificate\":1,"),
        "{certificate}"
    );
    let done = place.run(&[&query[..], &["no/such/folder/c.json"]].concat());
    assert_eq!(done.status, 1);
    let done = place.run(&["run", "-c", "SHOW DIMENSIONS", "--certificate", "d.json"]);
    assert_eq!(done.status, 1);
    assert!(
        done.stderr.contains("no verdict to certify"),
        "{}",
        done.text()
    );
    assert_eq!(place.files(), ["animals.lattice", "animals.lq", "c.json"]);
}

#[test]
fn a_time_limit_is_an_error_and_no_abstention() {
    let place = Place::new();
    let mut script = String::from("DIMENSION knows ENTITY MANY\n");
    for k in 0..400 {
        let all: Vec<String> = (1..20).map(|d| format!("p{}", (k + d * 7) % 400)).collect();
        script.push_str(&format!(
            "FACT p{k} knows = {{{}}} SOURCE \"s\"\n",
            all.join(", ")
        ));
    }
    place.write("a.lq", script);
    assert_eq!(place.run(&["build", "-o", "a.lattice", "a.lq"]).status, 0);
    let path = ["knows"; 60].join(".");
    let query = format!("MEET HAS knows RETURN {path}, {path}.knows");
    let arguments = [
        "run",
        "-l",
        "a.lattice",
        "-c",
        &query,
        "--time-limit",
        "50ms",
    ];
    let done = place.run(&arguments);
    assert_eq!(done.status, 5, "{}", done.text());
    assert!(done.stderr.contains("E405"), "{}", done.text());
    assert!(!done.stdout.contains("abstain"), "{}", done.text());
}

/// A ring of 2,000 with a chord over each of its members: every edge lies on a cycle, and the
/// shortest are a thousand long, so not all can be listed. A small ring comes behind them.
#[test]
fn what_the_listed_cycles_do_not_show_is_counted() {
    let place = Place::new();
    let mut rows = String::new();
    for k in 0..2_000 {
        for step in [1, 2] {
            rows += &format!("m{k:04}|within|m{:04}\n", (k + step) % 2_000);
        }
    }
    rows += "x|within|y\ny|within|x\nshop|at|m0000\n";
    place.write("ring.txt", rows);
    place.write(
        "ring.lq",
        "DIMENSION within ENTITY MANY DIMENSION at ENTITY MANY WITHIN within LOAD \"ring.txt\"",
    );
    let check = |format| {
        let command = ["run", "ring.lq", "-c", "CHECK at", "--format", format];
        let done = place.run(&command);
        assert_eq!(done.status, 0, "{}", done.stderr);
        done.stdout
    };
    let json: serde_json::Value = serde_json::from_str(&check("json")).unwrap();
    let found = &json["check"];
    let cycles = found["cycles"].as_array().unwrap();
    let mut shown = std::collections::BTreeSet::new();
    let word = |named: &serde_json::Value| named["value"].as_str().unwrap().to_owned();
    for cycle in cycles {
        for pair in cycle.as_array().unwrap().windows(2) {
            shown.insert((word(&pair[0]), word(&pair[1])));
        }
    }
    assert!(shown.len() < 4_002, "all are shown");
    assert_eq!(found["uncovered"]["edges"], 4_002 - shown.len());
    assert_eq!(found["uncovered"]["values"], 2);
    let table = check("table");
    let line = table.lines().find(|line| line.contains("not listed"));
    snapshot!("cli_run_check_uncovered", line.unwrap().trim_end());
}
