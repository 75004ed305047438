//! Every example and every script of the suite as it is seen at each stage: its
//! formatted text, and of each query the tree, the plan and the verdict.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::engine;
use latweave::script::{Output, Session};
use latweave::syntax::tree::{Statement, StatementKind};
use latweave::syntax::{canonical, format_text, parse};
use latweave::{Lattice, Script};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn scripts(folder: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "lq"))
        .collect();
    all.sort();
    all
}

/// A tree without its spans, on one line.
fn tree(statement: &Statement) -> String {
    fn without_spans(json: &mut serde_json::Value) {
        match json {
            serde_json::Value::Object(map) => {
                map.remove("span");
                map.retain(|_, value| !is_span(value));
                map.values_mut().for_each(without_spans);
            }
            serde_json::Value::Array(list) => {
                list.retain(|value| !is_span(value));
                list.iter_mut().for_each(without_spans);
            }
            _ => {}
        }
    }
    fn is_span(json: &serde_json::Value) -> bool {
        json.as_object().is_some_and(|map| {
            map.len() == 2 && map.contains_key("start") && map.contains_key("end")
        })
    }
    let mut json = serde_json::to_value(&statement.kind).unwrap();
    without_spans(&mut json);
    // Whatever order serde_json is built to keep.
    json.sort_all_objects();
    json.to_string()
}

/// What a script looks like at each stage.
fn stages(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let parsed = parse(&text).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let mut session = Session::new(Lattice::empty());
    session.begin_text(&name, &text, path.parent().unwrap());
    let mut lets = BTreeMap::new();
    let mut seen = format!("formatted\n{}\n", format_text(&text).unwrap());
    for statement in &parsed.statements {
        let output = session.execute(statement);
        match &statement.kind {
            StatementKind::Let { name, query } => {
                let closed = canonical(query, &lets, &BTreeMap::new()).unwrap();
                lets.insert(name.text.clone(), closed);
            }
            StatementKind::Query(query) => {
                let closed = canonical(query, &lets, &BTreeMap::new()).unwrap();
                writeln!(seen, "tree    {}", tree(statement)).unwrap();
                let Ok(Output::Verdict(verdict)) = output else {
                    panic!("{}: {:?}", path.display(), output.err());
                };
                let lattice = session.lattice().unwrap();
                write!(seen, "{}", engine::explain(lattice, &closed).unwrap()).unwrap();
                writeln!(seen, "verdict {}\n", verdict.to_json(lattice)).unwrap();
            }
            _ => {}
        }
    }
    seen
}

fn snapshots_of(folder: &str) {
    let snapshots = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");
    let story = Path::new(folder)
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    for path in scripts(folder) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({
            snapshot_path => snapshots,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(format!("stages_{story}_{name}"), stages(&path));
        });
    }
}

#[test]
fn the_suite_at_each_stage() {
    snapshots_of("tests/suite");
}

#[test]
fn the_animals_at_each_stage() {
    snapshots_of("examples/animals");
}

#[test]
fn geography_at_each_stage() {
    snapshots_of("examples/geography");
}

/// A script that only states things has nothing to show but its text.
#[test]
fn formatting_is_settled() {
    for folder in ["tests/suite", "examples/animals", "examples/geography"] {
        for path in scripts(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(format_text(&text).unwrap(), text, "{}", path.display());
        }
    }
    assert!(Script::parse("MEET a = b").is_ok());
}
