//! Runs every script of `tests/suite` and checks what it expects of itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::engine::Budget;
use latweave::script::{Output, Session};
use latweave::syntax::parse;
use std::path::Path;
use std::time::Duration;

/// Everything that is wrong with a script.
fn faults(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let tree = match parse(&text) {
        Ok(tree) => tree,
        Err(diagnostics) => return diagnostics.iter().map(|d| d.to_string()).collect(),
    };
    let name = path.display().to_string();
    let mut session = Session::new(latweave::Lattice::empty());
    session.set_budget(Budget::unlimited().with_time(Duration::from_secs(20)));
    session.begin_text(&name, &text, path.parent().unwrap());
    let mut faults = Vec::new();
    for statement in &tree.statements {
        match session.execute(statement) {
            Ok(Output::Expectation(Some(difference))) => {
                let diagnostic = difference.diagnostic(statement.span);
                faults.push(diagnostic.render(&name, &text, false));
            }
            Ok(_) => {}
            Err(error) => faults.push(format!("{name}: {error}")),
        }
    }
    faults
}

fn scripts() -> Vec<std::path::PathBuf> {
    let folder = Path::new("tests/suite");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "lq"))
        .collect();
    all.sort();
    all
}

#[test]
fn every_script_says_what_it_expects() {
    let all = scripts();
    assert!(all.len() > 25, "the suite is there");
    let faults: Vec<String> = all.iter().flat_map(|path| faults(path)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_abstention_but_those_of_planners_and_readers_is_in_the_suite() {
    let text: String = scripts()
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
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
}
