//! The engine and the independent checker reach the same verdict, and write the
//! same certificate, on random lattices and queries.
#![allow(clippy::unwrap_used)]

mod common;

use common::generate::{cases, lattice_strategy, shown_query_strategy};
use latweave::audit::{Facts, certificate, check, evaluate};
use latweave::engine::{Budget, answer, certify, certify_hits, prepare};
use latweave::verdict::{Answer, Members, Outcome};
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

    #[test]
    fn a_hit_alone_is_certified_as_it_is_among_all(sketch in lattice_strategy(), queries in prop::collection::vec(shown_query_strategy(), 8)) {
        let lattice = sketch.lattice();
        for query in queries {
            let mut whole = Vec::new();
            let verdict = certify(&lattice, &query.0, &Budget::default(), &mut whole).unwrap();
            let Ok(plan) = prepare(&lattice, &query.0).unwrap() else {
                continue;
            };
            let Outcome::Answer(Answer::Set(set)) = &verdict.outcome else {
                continue;
            };
            let whole: serde_json::Value = serde_json::from_slice(&whole).unwrap();
            let Some(hits) = whole["steps"].as_array().unwrap().last().unwrap()["hits"].as_array() else {
                continue;
            };
            let (true, Members::Instances(all)) = (whole["steps"].as_array().unwrap().last().unwrap()["returns"].is_null(), &set.members) else {
                continue;
            };
            prop_assert_eq!(all.len() as usize, hits.len());
            let instances = all.iter().map(latweave::lattice::InstanceId);
            // From the end, so that nothing rests on the hits before it.
            let some: Vec<_> = instances.collect::<Vec<_>>().into_iter().rev().take(3).collect();
            let mut alone = Vec::new();
            certify_hits(&lattice, &plan, some, &Budget::default(), &mut alone).unwrap();
            let alone: Vec<serde_json::Value> = serde_json::from_slice(&alone).unwrap();
            prop_assert_eq!(alone, hits.iter().rev().take(3).cloned().collect::<Vec<_>>());
        }
    }
}
