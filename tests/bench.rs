//! `latweave bench` on small workloads: every answer is compared with what is true,
//! by whoever is there to answer. Times are not looked at.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used)]

mod cli_support;

use cli_support::Place;
use serde_json::Value;

fn report(place: &Place, arguments: &[&str]) -> Value {
    let done = place.run(&[&["bench"], arguments, &["--rounds", "1", "--json"]].concat());
    assert_eq!(done.status, 0, "{}", done.text());
    serde_json::from_str(&done.stdout).unwrap()
}

/// The levels that a contestant has times at, with the kinds of queries.
fn levels(report: &Value, name: &str) -> Vec<String> {
    let levels = report["levels"].as_array().unwrap().iter();
    let with_times = levels.filter(|level| level["times"][name].is_object());
    with_times
        .map(|level| level["level"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn everyone_agrees_on_taxa() {
    let place = Place::new();
    let report = report(&place, &["taxa", "--instances", "1500", "--queries", "60"]);
    let check = |name: &str| {
        (
            &report["checks"][name]["compared"],
            &report["checks"][name]["differing"],
        )
    };
    assert_eq!(check("latweave"), (&300.into(), &0.into()), "{report:#}");
    assert_eq!(check("SQLite"), (&240.into(), &0.into()), "{report:#}");
    assert_eq!(
        levels(&report, "latweave"),
        ["text", "set", "ids", "names", "certificate"]
    );
    assert_eq!(levels(&report, "SQLite"), ["text", "set", "ids", "names"]);
    match report["absent"].as_array().unwrap().as_slice() {
        [] => {
            assert_eq!(check("DuckDB"), (&180.into(), &0.into()), "{report:#}");
            assert_eq!(levels(&report, "DuckDB"), ["set", "ids", "names"]);
        }
        [absent] => assert_eq!(absent[0], "DuckDB"),
        several => panic!("{several:?}"),
    }
    assert_eq!(report["store"]["instances"], 1500);
    let kinds = report["levels"][0]["queries"].as_object().unwrap();
    let kinds: Vec<&String> = kinds.keys().collect();
    assert_eq!(kinds, ["all", "empty", "huge", "mid", "narrow", "range"]);
}

#[test]
fn everyone_agrees_on_hops() {
    let place = Place::new();
    let report = report(&place, &["hops", "--instances", "250", "--queries", "40"]);
    let check = |name: &str| {
        (
            &report["checks"][name]["compared"],
            &report["checks"][name]["differing"],
        )
    };
    assert_eq!(check("latweave"), (&600.into(), &0.into()), "{report:#}");
    assert_eq!(check("SQLite"), (&480.into(), &0.into()), "{report:#}");
    if report["absent"].as_array().unwrap().is_empty() {
        assert_eq!(check("DuckDB"), (&240.into(), &0.into()), "{report:#}");
    }
    let aims = report["aims"].as_array().unwrap();
    assert_eq!(aims.len(), 3, "{aims:?}");
}

#[test]
fn an_answer_that_is_not_true_is_told_and_fails_the_run() {
    let place = Place::new();
    let made = [
        "taxa",
        "--instances",
        "300",
        "--queries",
        "20",
        "--keep",
        "kept",
        "--no-duckdb",
    ];
    report(&place, &made);
    let mut truth: Vec<(u64, u32)> =
        serde_json::from_str(&place.read("kept/taxa/truth.json")).unwrap();
    truth[0].0 += 1;
    place.write(
        "kept/taxa/truth.json",
        serde_json::to_string(&truth).unwrap(),
    );
    let again = [
        "bench",
        "taxa",
        "--data",
        "kept/taxa",
        "--keep",
        "kept",
        "--reuse",
        "--rounds",
        "1",
        "--no-duckdb",
    ];
    let done = place.run(&again);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(
        done.stdout.contains("answers are not true"),
        "{}",
        done.stdout
    );
    assert!(
        done.stdout.contains("DuckDB    left out: not asked for"),
        "{}",
        done.stdout
    );
}

#[test]
fn a_folder_without_a_workload_is_told() {
    let place = Place::new();
    let done = place.run(&["bench", "hops", "--data", "nowhere"]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(
        done.stderr
            .contains("does not exist; a workload has triples.csv"),
        "{}",
        done.stderr
    );
    place.write("bad/meta.json", r#"{"relations": ["r", "r_inv"]}"#);
    place.write("bad/triples.csv", "s,r,o\n0,0,1\n0,7,1\n");
    let done = place.run(&["bench", "hops", "--data", "bad"]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(done.stderr.contains("triples.csv:3: "), "{}", done.stderr);
}
