//! `latweave grammar`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;
#[cfg(feature = "models")]
#[path = "common/gbnf.rs"]
mod reading;

use cli_support::Place;
#[cfg(feature = "models")]
use reading::Grammar;

#[test]
fn the_grammar_is_the_file() {
    let done = Place::new().run(&["grammar"]);
    assert_eq!(done.status, 0);
    assert_eq!(done.stdout, include_str!("../grammar/lq.pest"));
}

#[cfg(feature = "models")]
#[test]
fn a_lattice_narrows_the_grammar_of_plans() {
    let place = Place::with_animals();
    let done = place.run(&["grammar", "--gbnf", "-l", "animals.lattice"]);
    assert_eq!((done.status, done.stderr.as_str()), (0, ""));
    let narrowed = Grammar::read(&done.stdout);
    let free = place.run(&["grammar", "--gbnf"]);
    assert_eq!(free.status, 0);
    let free = Grammar::read(&free.stdout);
    for (plan, both) in [
        ("MEET species <= \"whale\" AND length > 10 m", true),
        ("COMPARE \"Keiko\", \"Laika\" BY born", true),
        ("MEET colour = \"white\"", false),
        ("MEET born.species = \"whale\"", false),
    ] {
        assert_eq!(narrowed.accepts(plan), both, "{plan}");
        // The words of no lattice have no units.
        assert!(free.accepts(&plan.replace(" m", "")), "{plan}");
    }
    assert!(!narrowed.accepts("MEET species > \"whale\""));
}

#[test]
fn a_lattice_narrows_nothing_else() {
    let done = Place::with_animals().run(&["grammar", "-l", "animals.lattice"]);
    assert_eq!(done.status, 2);
    assert!(done.stderr.contains("--gbnf"), "{}", done.stderr);
}

#[cfg(feature = "models")]
#[test]
fn a_lattice_that_is_not_there_is_told() {
    let done = Place::new().run(&["grammar", "--gbnf", "-l", "none.lattice"]);
    assert_eq!(done.status, 1);
    assert!(done.stderr.contains("none.lattice"), "{}", done.stderr);
}
