//! An answer beside the gold answer.

use super::normal::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How one answer did, in whole numbers: what is kept and read again is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Score {
    /// Whether there was an answer rather than an abstention.
    pub resolved: bool,
    /// Whether the two sets are equal.
    pub set_equal: bool,
    /// Whether the two sets are equal under the normalisation of text.
    pub em: bool,
    /// The names.
    pub names: Overlap,
    /// The normalised words of all names.
    pub words: Overlap,
}

/// How much two bags of things share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Overlap {
    /// How many are in both.
    pub common: u32,
    /// How many are in the answer.
    pub found: u32,
    /// How many are gold.
    pub gold: u32,
}

impl Overlap {
    /// The share of the answer that is gold.
    pub fn precision(self) -> f64 {
        share(self.common, self.found)
    }

    /// The share of the gold that is in the answer.
    pub fn recall(self) -> f64 {
        share(self.common, self.gold)
    }

    /// The harmonic mean of the two.
    pub fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        match self.common {
            0 => 0.0,
            _ => 2.0 * precision * recall / (precision + recall),
        }
    }
}

impl Score {
    /// Whether one name of the answer is gold.
    pub fn any_hit(&self) -> bool {
        self.names.common > 0
    }

    /// Whether all of the gold is in the answer.
    pub fn complete(&self) -> bool {
        self.resolved && self.names.common == self.names.gold
    }

    /// The greater of EM and the F1 of the words: where the normalisation takes all words
    /// out, equal texts overlap in nothing.
    pub fn f1_star(&self) -> f64 {
        self.words.f1().max(f64::from(u8::from(self.em)))
    }
}

/// Compares an answer with the gold, both sorted and free of repetitions; an
/// abstention scores 0 throughout.
pub(super) fn score(found: Option<&[String]>, gold: &[String]) -> Score {
    let Some(found) = found else {
        return Score::default();
    };
    let is_gold = |name: &&String| gold.binary_search(name).is_ok();
    let (em, words) = as_text(found, gold);
    Score {
        resolved: true,
        set_equal: found == gold,
        em,
        names: Overlap {
            common: count(found.iter().filter(is_gold).count()),
            found: count(found.len()),
            gold: count(gold.len()),
        },
        words,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn share(part: u32, of: u32) -> f64 {
    match of {
        0 => 0.0,
        of => f64::from(part) / f64::from(of),
    }
}

/// Whether the sets of normalised names are equal, and what all their words share.
fn as_text(found: &[String], gold: &[String]) -> (bool, Overlap) {
    let normal = |names: &[String]| {
        let mut all: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
        all.sort();
        all.dedup();
        all
    };
    let (found, gold) = (normal(found), normal(gold));
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for word in gold.iter().flatten() {
        *left.entry(word).or_default() += 1;
    }
    let mut common = 0;
    for word in found.iter().flatten() {
        if let Some(left) = left.get_mut(word.as_str()).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    let size = |names: &[Vec<String>]| count(names.iter().map(Vec::len).sum());
    let words = Overlap {
        common,
        found: size(&found),
        gold: size(&gold),
    };
    (found == gold, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn sets_are_compared() {
        let gold = names("b c d e");
        let same = score(Some(&gold), &gold);
        assert!(same.set_equal && same.complete() && same.names.f1() == 1.0);
        let part = score(Some(&names("b x")), &gold);
        assert_eq!((part.names.precision(), part.names.recall()), (0.5, 0.25));
        assert!((part.names.f1() - 1.0 / 3.0).abs() < 1e-12);
        assert!(part.any_hit() && !part.set_equal);
        let more = score(Some(&names("b c d e x")), &gold);
        assert!(more.complete() && !more.set_equal && more.names.recall() == 1.0);
        let wrong = score(Some(&names("x")), &gold);
        assert!(wrong.resolved && !wrong.any_hit() && wrong.names.f1() == 0.0 && !wrong.complete());
        assert_eq!(score(None, &gold), Score::default());
    }

    #[test]
    fn text_is_compared_by_its_words() {
        let one = |found: &str, gold: &str| {
            let score = score(Some(&[found.to_owned()]), &[gold.to_owned()]);
            (score.em, score.words.f1(), score.f1_star())
        };
        assert_eq!(one("The Hobbit", "hobbit"), (true, 1.0, 1.0));
        // What has no words can match and overlap in nothing.
        assert_eq!(one("The", "an"), (true, 0.0, 1.0));
        assert_eq!(one("The", "The"), (true, 0.0, 1.0));
        let (em, f1, star) = one("Stanton Moore Trio", "Stanton Moore");
        assert!(!em && (f1 - 0.8).abs() < 1e-12 && f1 == star);
    }
}
