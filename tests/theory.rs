//! CHECK, WIDTH, INDEPENDENCE, CONCEPTS, IMPLICATIONS and SUGGEST against what queries
//! answer, and against published examples.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::generate::{cases, lattice_strategy};
use common::lattice;
use latweave::Lattice;
use latweave::engine::Budget;
use latweave::lattice::DimensionId;
use latweave::script::{Output, Session};
use latweave::syntax::parse_query;
use latweave::syntax::print::quote;
use latweave::theory::{self, Legitimacy, Report, TheoryError, Valued};
use latweave::verdict::{Answer, Members, Outcome};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn dimension(lattice: &Lattice, name: &str) -> DimensionId {
    lattice.find_dimension(name).unwrap()
}

/// The ids of the certain hits of a MEET.
fn hits(lattice: &Lattice, query: &str) -> BTreeSet<String> {
    let query = parse_query(query).unwrap_or_else(|e| panic!("{query}: {e:?}"));
    let verdict = latweave::engine::answer(lattice, &query, &Budget::unlimited()).unwrap();
    match verdict.outcome {
        Outcome::Answer(Answer::Set(set)) => match set.members {
            Members::Instances(all) => all
                .iter()
                .map(|i| lattice.id(latweave::lattice::InstanceId(i)).to_owned())
                .collect(),
            other => panic!("{other:?}"),
        },
        Outcome::Abstention(_) => BTreeSet::new(),
        Outcome::Answer(other) => panic!("{other:?}"),
    }
}

/// A value as a constraint.
fn asked(value: &Valued) -> String {
    let word = &value.value.value;
    let numeric = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let operand = match word.strip_prefix('@') {
        Some(id) => format!("@{}", quote(id)),
        // A number, with its unit if it has one, or a date.
        None if numeric && ["size", "mass", "born"].contains(&&*value.dimension) => word.clone(),
        None => quote(word),
    };
    format!("{} = {operand}", value.dimension)
}

fn all_of(values: &[Valued]) -> String {
    let constraints: Vec<String> = values.iter().map(asked).collect();
    constraints.join(" AND ")
}

const ANIMALS: &str = r#"
DIMENSION species TAXONOMY ONE
  animal > mammal > whale, dog, bat
  animal > bird > eagle
  animal > flyer > bat, eagle
DIMENSION habitat TAXONOMY ONE aquatic, terrestrial
DIMENSION sound TEXT
DIMENSION knows ENTITY MANY
DIMENSION at ENTITY WITHIN knows
DIMENSION size NUMBER
FACT Moby species = whale, habitat = aquatic, sound = song SOURCE "a" FROM "a"
FACT Keiko species = whale, habitat = aquatic, sound = song SOURCE "a" FROM "a"
FACT Free habitat = aquatic, sound = song SOURCE "a" FROM "a"
FACT Rex species = dog, habitat = terrestrial, knows = Fido SOURCE "a" FROM "a"
FACT Fido species = dog, habitat = terrestrial, knows = Rex SOURCE "a" FROM "a"
FACT Rex at = Fido, size = 3 SOURCE "a" FROM "a"
FACT Eddy species = eagle SOURCE "a" FROM "a"
"#;

fn run(lattice: &Lattice, statement: &str) -> Report {
    let script = latweave::syntax::parse(statement).unwrap();
    let mut session = Session::new(lattice.clone());
    session.begin_text("test", statement, std::path::Path::new("."));
    let [statement] = script.statements.as_slice() else {
        panic!("{statement}")
    };
    match session
        .execute(statement)
        .unwrap_or_else(|e| panic!("{e:?}"))
    {
        Output::Report(report) => Report::clone(&report),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tree_with_a_shared_leaf_is_legitimate_and_one_with_two_is_not() {
    let animals = lattice(ANIMALS);
    let Report::Check(found) = run(&animals, "CHECK species") else {
        panic!()
    };
    assert_eq!(found.verdict, Legitimacy::Legitimate);
    assert_eq!(
        (
            found.values,
            found.edges,
            found.depth,
            found.several_parents
        ),
        (8, 9, 3, 2)
    );
    assert!(found.cycles.is_empty());

    let more = lattice(
        &ANIMALS
            .replace(
                "mammal > whale, dog, bat",
                "mammal > whale, dog, bat, colugo",
            )
            .replace("flyer > bat, eagle", "flyer > bat, eagle, colugo"),
    );
    let Report::Check(found) = run(&more, "CHECK species") else {
        panic!()
    };
    assert_eq!(found.verdict, Legitimacy::Completed);
    let first = found.meets.first.unwrap();
    assert_eq!(
        first.pair.map(|n| n.value),
        ["flyer".to_owned(), "mammal".to_owned()]
    );
    let maximal: Vec<String> = first.maximal.into_iter().map(|n| n.value).collect();
    assert_eq!(maximal, ["bat", "colugo"]);
    assert_eq!(found.meets.ambiguous, 1);
}

#[test]
fn the_members_of_a_cycle_are_equal_and_told() {
    let animals = lattice(ANIMALS);
    let Report::Check(found) = run(&animals, "CHECK at") else {
        panic!()
    };
    assert_eq!(found.kind, "ENTITY WITHIN knows");
    let cycle: Vec<&str> = found.cycles[0].iter().map(|n| n.value.as_str()).collect();
    assert_eq!(cycle, ["Fido", "Rex", "Fido"]);
    assert_eq!(found.values, 1);
}

#[test]
fn a_width_is_proved_by_as_many_chains() {
    let animals = lattice(ANIMALS);
    let Report::Width(found) = run(&animals, "WIDTH species") else {
        panic!()
    };
    assert_eq!(
        (found.width, found.antichain.len(), found.chains.len()),
        (4, 4, 4)
    );
    assert_eq!(
        found.chains.iter().map(Vec::len).sum::<usize>() as u64,
        found.values
    );
}

#[test]
fn what_determines_another_is_not_independent_of_it() {
    let animals = lattice(ANIMALS);
    let Report::Independence(found) = run(&animals, "INDEPENDENCE species, habitat") else {
        panic!()
    };
    assert_eq!(
        (found.independence, found.instances, found.pairs),
        (Some(0.0), 4, 2)
    );
    let all = lattice(
        "DIMENSION a TAXONOMY ONE x, y\nDIMENSION b TAXONOMY ONE u, v\n\
         FACT p a = x, b = u SOURCE \"s\"\nFACT q a = x, b = v SOURCE \"s\"\n\
         FACT r a = y, b = u SOURCE \"s\"\nFACT s a = y, b = v SOURCE \"s\"\n",
    );
    let Report::Independence(found) = run(&all, "INDEPENDENCE a, b") else {
        panic!()
    };
    assert_eq!(found.independence, Some(1.0));
}

#[test]
fn a_suggestion_finds_what_the_query_misses() {
    let animals = lattice(ANIMALS);
    let Report::Suggest(found) = run(&animals, "SUGGEST MEET species = whale") else {
        panic!()
    };
    assert_eq!(found.hits, 2);
    let with: Vec<String> = found
        .suggestions
        .iter()
        .map(|s| s.with.to_string())
        .collect();
    assert_eq!(with, ["habitat = aquatic", "sound = song"]);
    for suggestion in &found.suggestions {
        assert_eq!(
            (suggestion.together, suggestion.more, suggestion.only),
            (2, 1, true)
        );
        assert_eq!(hits(&animals, &suggestion.query).len(), 3);
    }
    // Whatever is found with an excluded value is no companion.
    let Report::Suggest(found) = run(&animals, "SUGGEST MEET habitat = aquatic") else {
        panic!()
    };
    assert!(
        found
            .suggestions
            .iter()
            .all(|s| s.with.value.value != "animal")
    );
}

#[test]
fn numbers_have_no_order_of_names() {
    let animals = lattice(ANIMALS);
    let size = dimension(&animals, "size");
    let refused = theory::check(&animals, size, &Budget::unlimited());
    assert!(
        matches!(refused, Err(TheoryError::NoOrder(_))),
        "{refused:?}"
    );
    let all = Budget::unlimited();
    let why = |refused: Option<TheoryError>| refused.unwrap().to_string();
    // Each statement says why it has nothing to find there.
    for (text, part) in [
        (
            why(theory::check(&animals, size, &all).err()),
            "a meet is an intersection",
        ),
        (
            why(theory::width(&animals, size, &all).err()),
            "any number can lie side by side",
        ),
        (
            why(theory::independence(&animals, size, size, &all).err()),
            "INDEPENDENCE compares orders of named values",
        ),
    ] {
        assert!(
            text.starts_with("dimension \"size\" is a NUMBER: "),
            "{text}"
        );
        assert!(text.contains(part), "{text}");
    }
    // As attributes of concepts they are as good as any.
    let found = theory::concepts(&animals, &[size], 1, &Budget::unlimited()).unwrap();
    assert_eq!((found.found, found.instances), (1, 1));
}

#[test]
fn a_cancelled_look_is_an_error_and_no_report() {
    let animals = lattice(ANIMALS);
    let budget = Budget::unlimited().with_cancel(Arc::new(AtomicBool::new(true)));
    let species = dimension(&animals, "species");
    assert!(theory::concepts(&animals, &[species], 1, &budget).is_err());
    assert!(theory::implications(&animals, &[species], 1, &budget).is_err());
    assert!(
        theory::suggest(
            &animals,
            &parse_query("MEET species = dog").unwrap(),
            &budget
        )
        .is_err()
    );
}

/// Twenty-one objects of which each lacks one of as many attributes.
#[test]
fn a_contranominal_context_answers_at_once_and_is_not_listed() {
    let count = 21;
    let mut text = String::from("DIMENSION mark TAXONOMY MANY\n");
    let names: Vec<String> = (0..count).map(|k| format!("a{k}")).collect();
    text += &format!("  {}\n", names.join(", "));
    for object in 0..count {
        let with: Vec<&str> = (0..count)
            .filter(|k| *k != object)
            .map(|k| names[k].as_str())
            .collect();
        text += &format!(
            "FACT o{object} mark = {{{}}} SOURCE \"row\"\n",
            with.join(", ")
        );
    }
    let lattice = lattice(&text);
    assert_eq!(
        hits(&lattice, "MEET mark = a0 AND mark = a1").len(),
        count - 2
    );
    let mark = dimension(&lattice, "mark");
    let found = theory::concepts(&lattice, &[mark], 0, &Budget::unlimited()).unwrap();
    assert!(!found.whole && found.concepts.is_empty());
    assert!(found.found >= theory::MOST_CONCEPTS);
    // With a support there are few enough.
    let found = theory::concepts(&lattice, &[mark], 19, &Budget::unlimited()).unwrap();
    assert!(found.whole);
    assert_eq!(found.found, 1 + 21 + 210);
}

proptest! {
    #![proptest_config(cases(60))]

    /// The instances of a concept are the hits of the MEET of its values.
    #[test]
    fn a_concept_is_what_the_meet_of_its_values_finds(sketch in lattice_strategy()) {
        let lattice = sketch.lattice();
        let names = ["species", "role", "tag", "part", "size"];
        let dimensions: Vec<DimensionId> = names.iter().map(|n| dimension(&lattice, n)).collect();
        let found = theory::concepts(&lattice, &dimensions, 1, &Budget::unlimited()).unwrap();
        prop_assert!(found.whole);
        for (k, concept) in found.concepts.iter().enumerate() {
            if concept.values.is_empty() {
                prop_assert_eq!(concept.support, found.instances);
                continue;
            }
            let extent = hits(&lattice, &format!("MEET {}", all_of(&concept.values)));
            prop_assert_eq!(extent.len() as u64, concept.support, "{:?}", concept);
            for &above in &concept.neighbours.above {
                let wider = &found.concepts[above as usize];
                prop_assert!(wider.support > concept.support && (above as usize) < k);
                prop_assert!(wider.neighbours.below.contains(&(k as u32)));
            }
        }
        let own: usize = found.concepts.iter().map(|c| c.own.len()).sum();
        prop_assert_eq!(own as u64, found.instances);
    }

    /// Whatever has the premise has the conclusion.
    #[test]
    fn implications_hold_of_what_is_found(sketch in lattice_strategy()) {
        let lattice = sketch.lattice();
        let names = ["species", "role", "tag", "lives"];
        let dimensions: Vec<DimensionId> = names.iter().map(|n| dimension(&lattice, n)).collect();
        let found = theory::implications(&lattice, &dimensions, 1, &Budget::unlimited()).unwrap();
        for line in found.implications.iter().filter(|line| !line.premise.is_empty()) {
            let premise = hits(&lattice, &format!("MEET {}", all_of(&line.premise)));
            let conclusion = hits(&lattice, &format!("MEET {}", all_of(&line.conclusion)));
            prop_assert_eq!(premise.len() as u64, line.support);
            prop_assert!(premise.is_subset(&conclusion), "{:?}", line);
        }
    }

    /// A suggestion finds what the query finds, and as many more as it says.
    #[test]
    fn a_suggestion_says_what_it_adds(sketch in lattice_strategy(), value in 0..6usize) {
        let lattice = sketch.lattice();
        let words = ["animal", "mammal", "bird", "whale", "bat", "stone"];
        let text = format!("MEET species = {}", words[value]);
        let query = parse_query(&text).unwrap();
        let before = hits(&lattice, &text);
        let found = theory::suggest(&lattice, &query, &Budget::unlimited()).unwrap();
        prop_assert_eq!(found.hits, before.len() as u64);
        for suggestion in &found.suggestions {
            let after = hits(&lattice, &suggestion.query);
            prop_assert!(before.is_subset(&after));
            prop_assert_eq!((after.len() - before.len()) as u64, suggestion.more);
            let companion = hits(&lattice, &format!("MEET {}", asked(&suggestion.with)));
            let not = hits(&lattice, &format!("MEET NOT species = {}", words[value]));
            prop_assert!(companion.is_disjoint(&not));
            prop_assert_eq!(companion.intersection(&before).count() as u64, suggestion.together);
        }
    }
}

#[test]
fn what_a_complete_dimension_does_not_record_is_not_had() {
    let lattice = lattice(
        "DIMENSION mark TAXONOMY MANY COMPLETE x, y\nDIMENSION note TAXONOMY MANY p, q\n\
         INSTANCE b\nFACT a mark = x, note = p SOURCE \"row\"\n",
    );
    let budget = Budget::unlimited();
    let of = |name| dimension(&lattice, name);
    let found = theory::concepts(&lattice, &[of("mark")], 0, &budget).unwrap();
    assert_eq!((found.found, found.instances, found.values), (3, 2, 2));
    // Silence says nothing elsewhere.
    let found = theory::concepts(&lattice, &[of("note")], 0, &budget).unwrap();
    assert_eq!((found.found, found.instances, found.values), (1, 1, 1));
    let context = theory::context(&lattice, &[of("mark")], &budget).unwrap();
    assert_eq!(context.attributes, ["x", "y"]);
    assert_eq!(context.rows, [vec![0], vec![]]);
}

#[test]
fn what_cannot_be_widened_is_told() {
    let animals = lattice(ANIMALS);
    let refused = |query: &str| match run(&animals, query) {
        Report::Suggest(found) => found.refused,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused("SUGGEST COMPARE Rex, Fido BY size"),
        Some("no-meet")
    );
    assert_eq!(
        refused("SUGGEST MEET colour = red"),
        Some("unknown-dimension")
    );
    assert_eq!(refused("SUGGEST MEET species = dog"), None);
}
