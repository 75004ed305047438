//! What several test suites share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod generate;
pub mod ontology;

use latweave::lattice::{Builder, Lattice};
use latweave::load::Options;
use latweave::load::lq::{Context, apply, is_knowledge};
use latweave::syntax::tree::{Query, StatementKind};
use latweave::syntax::{canonical, parse};
use std::collections::BTreeMap;
use std::path::Path;

/// A lattice from LQ text.
pub fn lattice(text: &str) -> Lattice {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let mut builder = Builder::new();
    let options = Options::default();
    let mut progress = latweave::load::Silent;
    let mut report = latweave::load::Report::default();
    let mut context = Context::new(
        "test.lq",
        text,
        Path::new("."),
        &options,
        &mut progress,
        &mut report,
    );
    for statement in &tree.statements {
        assert!(is_knowledge(&statement.kind), "{statement:?}");
        if let Err(refusal) = apply(&mut builder, statement, &mut context) {
            panic!("{refusal:?}");
        }
    }
    builder.freeze().unwrap()
}

/// The last query of an LQ text, with its LETs written out.
pub fn query(text: &str) -> Query {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    let mut lets = BTreeMap::new();
    let mut last = None;
    for statement in tree.statements {
        match statement.kind {
            StatementKind::Let { name, query } => {
                let query = canonical(&query, &lets, &BTreeMap::new()).unwrap();
                lets.insert(name.text, query);
            }
            StatementKind::Query(query) => {
                last = Some(canonical(&query, &lets, &BTreeMap::new()).unwrap());
            }
            other => panic!("no query: {other:?}"),
        }
    }
    last.unwrap()
}
