//! Runs every script under `examples/`: each query says what it expects, and each
//! source names words that are there.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::audit;
use latweave::engine::Budget;
use latweave::lattice::{EvidenceId, Lattice};
use latweave::script::{Output, Session};
use latweave::syntax::tree::{Compare, Query, StatementKind};
use latweave::syntax::{format_text, parse, print_query};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// All scripts under a folder, sorted.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(scripts(&path));
        } else if path.extension().is_some_and(|ending| ending == "lq") && !is_vocabulary(&path) {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Words for planners speak of dimensions that another script declares, so they cannot be
/// run alone; the plans made with them are tested elsewhere.
fn is_vocabulary(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with("vocabulary.lq"))
}

/// Runs a script over an empty lattice and has every verdict checked; what is wrong
/// with it, and how many expectations held.
fn run(path: &Path) -> (Vec<String>, usize) {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let tree = match parse(&text) {
        Ok(tree) => tree,
        Err(told) => {
            return (
                told.iter().map(|d| d.render(&name, &text, false)).collect(),
                0,
            );
        }
    };
    let mut session = Session::new(Lattice::empty());
    session.set_budget(Budget::unlimited().with_time(Duration::from_secs(60)));
    session.begin_text(&name, &text, path.parent().unwrap());
    let (mut faults, mut held) = (Vec::new(), 0);
    for statement in &tree.statements {
        match session.execute(statement) {
            Ok(Output::Expectation(Some(difference))) => {
                let told = difference.diagnostic(statement.span);
                faults.push(told.render(&name, &text, false));
            }
            Ok(Output::Expectation(None)) => held += 1,
            Ok(Output::Verdict(verdict)) => {
                let mut certificate = Vec::new();
                session.certify(&mut certificate).unwrap().unwrap();
                if let Err(refused) = audit::check(session.settled(), certificate.as_slice()) {
                    faults.push(format!(
                        "{name}: {}: {refused}",
                        print_query(&verdict.query)
                    ));
                }
            }
            Ok(_) => {}
            Err(error) => faults.push(format!("{name}: {error}")),
        }
    }
    (faults, held)
}

#[test]
fn every_expectation_is_met() {
    let mut held = BTreeMap::new();
    let mut faults = Vec::new();
    for path in scripts(&examples()) {
        let (wrong, count) = run(&path);
        faults.extend(wrong);
        held.insert(path.strip_prefix(examples()).unwrap().to_path_buf(), count);
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    for (path, count) in &held {
        println!("{count:>4}  {}", path.display());
    }
    let all: usize = held.values().sum();
    println!("{all:>4}  in all");
    assert!(all >= 230, "only {all} expectations");
    // What only declares or states something has nothing to expect.
    let silent: Vec<String> = held
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(path, _)| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        silent,
        ["animals", "zoo", "films", "capitals", "geography", "schema"]
    );
}

#[test]
fn every_query_expects_something() {
    for path in scripts(&examples()) {
        let tree = parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let kinds: Vec<&StatementKind> = tree.statements.iter().map(|s| &s.kind).collect();
        for (k, kind) in kinds.iter().enumerate() {
            let checked = matches!(kinds.get(k + 1), Some(StatementKind::Expect(_)));
            let asks = matches!(kind, StatementKind::Query(_));
            assert!(
                !asks || checked,
                "{}: query {k} expects nothing",
                path.display()
            );
        }
    }
}

#[test]
fn scripts_are_in_canonical_form() {
    for path in scripts(&examples()) {
        let text = fs::read_to_string(&path).unwrap();
        let formatted = format_text(&text).unwrap();
        assert!(
            text == formatted,
            "{}: run `latweave fmt` on it",
            path.display()
        );
    }
}

/// Every reason and every form of COMPARE is in the story of geography.
#[test]
fn geography_reaches_everything() {
    let folder = examples().join("geography");
    let text: String = scripts(&folder)
        .iter()
        .map(|p| fs::read_to_string(p).unwrap())
        .collect();
    for code in [
        "empty-lattice",
        "unknown-dimension",
        "unknown-value",
        "unknown-name",
        "mismatch",
        "ambiguous",
        "missing",
        "incomparable",
        "conflict",
        "empty",
        "derived",
        "declined",
    ] {
        assert!(text.contains(&format!("EXPECT ABSTAIN {code}\n")), "{code}");
    }
    let tree = parse(&fs::read_to_string(folder.join("compare.lq")).unwrap()).unwrap();
    let mut forms = BTreeMap::new();
    for statement in &tree.statements {
        if let StatementKind::Query(Query::Compare(compare)) = &statement.kind {
            *forms.entry(form(compare)).or_insert(0) += 1;
        }
    }
    let found: Vec<&str> = forms.keys().copied().collect();
    assert_eq!(
        found,
        [
            "bound",
            "condition",
            "extremum",
            "order",
            "relation",
            "sets"
        ],
        "{forms:?}"
    );
}

fn form(compare: &Compare) -> &'static str {
    match compare {
        Compare::Holds { .. } => "condition",
        Compare::Bound { .. } => "bound",
        Compare::Extremum { .. } => "extremum",
        Compare::Order { .. } => "order",
        Compare::Relate { by: Some(_), .. } => "relation",
        Compare::Relate { by: None, .. } => "sets",
    }
}

/// The words behind a SOURCE are the bytes that it names.
#[test]
fn sources_quote_their_documents() {
    for (story, main) in [
        ("animals", "animals.lq"),
        ("animals", "zoo.lq"),
        ("films", "films.lq"),
        ("geography", "geography.lq"),
    ] {
        let folder = examples().join(story);
        let text = format!("LOAD LQ \"{main}\"");
        let lattice = latweave::Script::parse(&text)
            .unwrap()
            .relative_to(&folder)
            .build()
            .unwrap();
        let mut checked = 0;
        for e in 0..lattice.counts().evidence {
            let evidence = lattice.evidence(EvidenceId(e as u32)).unwrap();
            let (start, end) = evidence.range.unwrap();
            let bytes = fs::read(folder.join(&evidence.document)).unwrap();
            let found = bytes.get(start as usize..end as usize).unwrap();
            assert_eq!(
                String::from_utf8_lossy(found),
                evidence.text,
                "{}",
                evidence.document
            );
            let line = bytes[..start as usize]
                .iter()
                .filter(|b| **b == b'\n')
                .count()
                + 1;
            assert_eq!(evidence.line, Some(line as u64), "{}", evidence.text);
            checked += 1;
        }
        assert!(checked > 10, "{story}: {checked}");
    }
}

/// The programs that embed the library say what they are to say. Cargo builds them
/// for a run of all tests.
#[test]
fn programs_run() {
    let built = std::env::current_exe().unwrap();
    let folder = built.ancestors().nth(2).unwrap().join("examples");
    for (name, said) in [
        (
            "embed",
            "Moby Dick: “Moby Dick is a white sperm whale of the open sea.” (notes.txt:1)",
        ),
        ("embed", "  refused: empty"),
        (
            "explain",
            "\nforged: the certificate differs from the lattice at byte ",
        ),
    ] {
        let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if !program.exists() {
            println!("skipped: {name} is not built");
            continue;
        }
        let output = std::process::Command::new(program).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(said), "{name}: {text}");
    }
}

/// What the documentation says of the zoo's table: nothing but its form was changed.
#[test]
fn the_zoo_is_the_zoo() {
    let data = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = data.join("zoo/zoo.data");
    let Ok(original) = fs::read_to_string(&path) else {
        println!(
            "skipped: {} is not there; set LATWEAVE_DATA",
            path.display()
        );
        return;
    };
    let ours = fs::read_to_string(examples().join("animals/zoo.csv")).unwrap();
    let types = [
        "mammal",
        "bird",
        "reptile",
        "fish",
        "amphibian",
        "insect",
        "other invertebrate",
    ];
    let rows: Vec<String> = original
        .lines()
        .filter(|line| line.starts_with('('))
        .map(|line| {
            let words: Vec<&str> = line.trim_matches(['(', ')']).split_whitespace().collect();
            let word = |(k, word): (usize, &&str)| match (k, *word) {
                (0 | 13, word) => word.to_owned(),
                (17, number) => types[number.parse::<usize>().unwrap() - 1].to_owned(),
                (_, "1") => "yes".to_owned(),
                _ => "no".to_owned(),
            };
            words
                .iter()
                .enumerate()
                .map(word)
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect();
    assert_eq!(rows.len(), 101);
    assert_eq!(ours.lines().skip(1).collect::<Vec<_>>(), rows);
}
