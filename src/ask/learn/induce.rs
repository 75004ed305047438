//! Patterns for the wordings that words for dimensions do not explain, and all of it
//! as LQ.

use super::align::{Aligned, Sample, f1};
use super::associate::Words;
use crate::ask::planner::{Planner, Understood};
use crate::ask::vocabulary::Vocabulary;
use crate::engine::{self, Budget};
use crate::lattice::Lattice;
use crate::syntax::print::{print_word, quote};
use crate::syntax::tree::Query;
use crate::syntax::{Diagnostic, canonical};
use crate::verdict::Outcome;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The vocabulary, as LQ.
    pub text: String,
    /// How many wordings the examples have.
    pub wordings: usize,
    /// How many of them a path through the lattice explains.
    pub explained: usize,
    /// How many patterns were written.
    pub patterns: usize,
    /// How many words for dimensions.
    pub words: usize,
}

pub(super) fn induce(
    lattice: &Lattice,
    aligned: &[Aligned],
    wordings: usize,
    words: &Words,
    known: &Vocabulary,
    planner: &mut Planner,
) -> Result<Learned, Vec<Diagnostic>> {
    let mut text = spoken(words, lattice);
    let mut vocabulary = known.clone().and(Vocabulary::read(&text)?);
    planner.set_vocabulary(&vocabulary);
    let mut order: Vec<&Aligned> = aligned.iter().collect();
    order.sort_by(|a, b| {
        let key = |one: &Aligned| (one.path.steps.len(), one.wording.words.len());
        key(a)
            .cmp(&key(b))
            .then(b.wording.count.cmp(&a.wording.count))
            .then(a.wording.words.cmp(&b.wording.words))
    });
    let mut patterns = 0;
    for one in order {
        if understood(one, lattice, planner) {
            continue;
        }
        let mut statement = String::new();
        let wording: Vec<&str> = one
            .wording
            .words
            .iter()
            .map(|word| word.as_deref().unwrap_or("{x}"))
            .collect();
        let _ = writeln!(
            statement,
            "-- {} question{}, fit {:.2}\nPATTERN QUESTION {} =>\n  {}",
            one.wording.count,
            if one.wording.count == 1 { "" } else { "s" },
            one.fit,
            quote(&wording.join(" ")),
            one.path.query(lattice),
        );
        vocabulary = vocabulary.and(Vocabulary::read(&statement)?);
        planner.set_vocabulary(&vocabulary);
        text.push_str(&statement);
        patterns += 1;
    }
    Ok(Learned {
        text: crate::syntax::format_text(&text)?,
        wordings,
        explained: aligned.len(),
        patterns,
        words: words.dimensions.len(),
    })
}

/// Words for dimensions and words that say nothing, as LQ.
fn spoken(words: &Words, lattice: &Lattice) -> String {
    let mut text = String::new();
    let mut by_dimension: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for (d, word, count) in &words.dimensions {
        let name = lattice.dimension(*d).name.as_str();
        by_dimension.entry(name).or_default().push((word, *count));
    }
    for (dimension, words) in by_dimension {
        let counts: Vec<String> = words.iter().map(|(w, n)| format!("{w} {n}")).collect();
        let quoted: Vec<String> = words.iter().map(|(word, _)| quote(word)).collect();
        let _ = writeln!(
            text,
            "-- wordings: {}\nDIMENSION {} AKA {}",
            counts.join(", "),
            print_word(dimension),
            quoted.join(", ")
        );
    }
    if !words.nothing.is_empty() {
        let counts: Vec<String> = words.nothing.iter().map(|(w, n)| format!("{w} {n}")).collect();
        let all: Vec<&str> = words.nothing.iter().map(|(word, _)| word.as_str()).collect();
        let _ = writeln!(
            text,
            "-- words that stand for no one dimension; wordings: {}\n\
             PATTERN QUESTION \"({}) {{x}}\" => MEET name = {{x}}",
            counts.join(", "),
            all.join("|")
        );
    }
    text
}

/// Whether the questions of a wording are answered as well as its path does.
fn understood(one: &Aligned, lattice: &Lattice, planner: &Planner) -> bool {
    let understood = |sample: &Sample| {
        let Understood::Readings(readings) = planner.read(&sample.question) else {
            return false;
        };
        let [reading] = readings.as_slice() else {
            return false;
        };
        let reached = one.path.reach(lattice, &sample.topic).names(lattice);
        answer(&reading.query, lattice).is_some_and(|found| {
            f1(&found, &sample.answers) >= f1(&reached, &sample.answers) - 1e-9
        })
    };
    one.wording.samples.par_iter().all(understood)
}

/// The names that answer a query.
fn answer(query: &Query, lattice: &Lattice) -> Option<Vec<String>> {
    let query = canonical(query, &BTreeMap::new(), &BTreeMap::new()).ok()?;
    let budget = Budget::unlimited();
    let verdict = engine::answer(lattice, &query, &budget).ok()?;
    match &verdict.outcome {
        Outcome::Answer(found) => Some(found.names(lattice)),
        Outcome::Abstention(_) => None,
    }
}
