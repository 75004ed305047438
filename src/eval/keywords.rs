//! The floor: a search for the words of a question, with neither plan nor order.
//!
//! Each recorded predicate is a line of words: its instance, dimension and value. The
//! lines that fit the question best by Okapi BM25 (Robertson et al. 1994; k1 = 1.2,
//! b = 0.75) answer it, with whichever of instance and value it does not mention.

use super::normal::words;
use crate::lattice::{DimensionId, Lattice, ValueId};
use crate::verdict::print_value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Scores that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// An index of the predicates by their words.
#[derive(Default)]
pub(super) struct Keywords {
    lines: Vec<Line>,
    names: Names,
    /// By word, the lines that have it, ascending, each with how often.
    postings: HashMap<String, Vec<(u32, u32)>>,
    mean_length: f64,
}

/// A predicate: the numbers of two names, and how many words it has.
struct Line {
    instance: u32,
    value: u32,
    length: u32,
}

/// Names by number, each once.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, u32>,
    all: Vec<(String, Vec<String>)>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.all.push((name.to_owned(), words(name)));
        number
    }

    fn words(&self, number: u32) -> &[String] {
        let named = self.all.get(number as usize);
        named.map_or(&[], |(_, words)| words)
    }
}

impl Keywords {
    /// The index of all that a lattice records.
    pub fn new(lattice: &Lattice) -> Keywords {
        let mut index = Keywords::default();
        let dimensions = (0u16..).map(DimensionId).zip(lattice.dimensions());
        for (d, dimension) in dimensions.filter(|(_, dimension)| dimension.primary) {
            let spoken = words(&dimension.name.replace('_', " "));
            for (i, row) in lattice.positive(d).rows() {
                for &v in row.values() {
                    let value = print_value(lattice, &lattice.value(d, ValueId(v)));
                    index.add(lattice.name(i), &spoken, &value);
                }
            }
        }
        let total: u64 = index.lines.iter().map(|line| u64::from(line.length)).sum();
        index.mean_length = total as f64 / (index.lines.len().max(1)) as f64;
        index
    }

    fn add(&mut self, instance: &str, dimension: &[String], value: &str) {
        let number = self.lines.len() as u32;
        let (instance, value) = (self.names.number(instance), self.names.number(value));
        let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
        let (of_instance, of_value) = (self.names.words(instance), self.names.words(value));
        for word in of_instance.iter().chain(dimension).chain(of_value) {
            *counts.entry(word).or_default() += 1;
        }
        let length = counts.values().sum();
        for (word, count) in counts {
            match self.postings.get_mut(word) {
                Some(lines) => lines.push((number, count)),
                None => {
                    self.postings.insert(word.clone(), vec![(number, count)]);
                }
            }
        }
        self.lines.push(Line {
            instance,
            value,
            length,
        });
    }

    /// What the lines that fit best say beyond the question; nothing if no word fits.
    pub fn answer(&self, question: &str) -> Vec<String> {
        let asked = words(question);
        let scores = self.scores(&asked);
        let best = scores.iter().copied().fold(0.0, f64::max);
        if best <= 0.0 {
            return Vec::new();
        }
        let fits = scores.iter().zip(&self.lines);
        let mut found = BTreeSet::new();
        for (_, line) in fits.filter(|(score, _)| **score >= best - EQUAL) {
            let is_told = |number: u32| {
                let words = self.names.words(number);
                !words.is_empty() && asked.windows(words.len()).any(|part| part == words)
            };
            let (instance, value) = (is_told(line.instance), is_told(line.value));
            let said = match (instance, value) {
                (true, true) => continue,
                (false, true) => line.instance,
                (_, false) => line.value,
            };
            if let Some((name, _)) = self.names.all.get(said as usize) {
                found.insert(name.clone());
            }
        }
        found.into_iter().collect()
    }

    /// By line, how well it fits.
    fn scores(&self, asked: &[String]) -> Vec<f64> {
        let count = self.lines.len() as f64;
        let mut scores = vec![0.0; self.lines.len()];
        let distinct: BTreeSet<&String> = asked.iter().collect();
        for word in distinct {
            let lines = self.postings.get(word).map_or(&[][..], Vec::as_slice);
            let having = lines.len() as f64;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for &(number, times) in lines {
                let at = number as usize;
                if let (Some(score), Some(line)) = (scores.get_mut(at), self.lines.get(at)) {
                    let length = 1.0 - B + B * f64::from(line.length) / self.mean_length;
                    let times = f64::from(times);
                    *score += rarity * times * (K1 + 1.0) / (times + K1 * length);
                }
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_lines_answer() {
        let mut index = Keywords::default();
        let by = words("directed by");
        index.add("Kismet", &by, "William Dieterle");
        index.add("Salome", &by, "William Dieterle");
        index.add("Kismet", &words("has genre"), "Musical");
        index.mean_length = 4.0;
        assert_eq!(index.answer("who directed Kismet?"), ["William Dieterle"]);
        assert_eq!(
            index.answer("what was directed by William Dieterle"),
            ["Kismet", "Salome"]
        );
        assert!(index.answer("why?").is_empty());
    }
}
