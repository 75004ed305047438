//! The engine and the independent checker reach the same verdict, and write the
//! same certificate, on random lattices and queries.
#![allow(clippy::unwrap_used)]

mod common;

use common::generate::{cases, lattice_strategy, shown_query_strategy};
use latweave::audit::{Facts, certificate, check, evaluate};
use latweave::engine::{Budget, answer, certify};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn verdicts_agree(sketch in lattice_strategy(), queries in prop::collection::vec(shown_query_strategy(), 8)) {
        let lattice = sketch.lattice();
        let facts = Facts::read(&lattice).unwrap();
        for query in queries {
            let ours = evaluate(&facts, &lattice, &query.0).unwrap();
            let theirs = answer(&lattice, &query.0, &Budget::default()).unwrap();
            prop_assert_eq!(&ours, &theirs, "\naudit (left), engine (right): {:?}", query);
        }
    }

    #[test]
    fn certificates_agree(sketch in lattice_strategy(), queries in prop::collection::vec(shown_query_strategy(), 8)) {
        let lattice = sketch.lattice();
        let facts = Facts::read(&lattice).unwrap();
        for query in queries {
            let mut ours = Vec::new();
            certificate(&facts, &lattice, &query.0, &mut ours).unwrap();
            let mut theirs = Vec::new();
            certify(&lattice, &query.0, &Budget::default(), &mut theirs).unwrap();
            let ours = String::from_utf8(ours).unwrap();
            let theirs = String::from_utf8(theirs).unwrap();
            prop_assert_eq!(&ours, &theirs, "\naudit (left), engine (right): {:?}", query);
            prop_assert!(check(&lattice, theirs.as_bytes()).is_ok());
        }
    }
}
