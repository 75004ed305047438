//! An answer beside the gold answer.

/// How one answer did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    /// Whether there was an answer rather than an abstention.
    pub resolved: bool,
    /// Whether one name of it is gold.
    pub any_hit: bool,
    /// The share of it that is gold.
    pub precision: f64,
    /// The share of the gold that is in it.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
    /// Whether the two sets are equal.
    pub set_equal: bool,
}

/// Compares an answer with the gold, both sorted and free of repetitions; an
/// abstention scores 0 throughout.
pub(super) fn score(found: Option<&[String]>, gold: &[String]) -> Score {
    let Some(found) = found else {
        return Score::default();
    };
    let common = found
        .iter()
        .filter(|name| gold.binary_search(name).is_ok())
        .count();
    let share = |of: usize| match of {
        0 => 0.0,
        of => common as f64 / of as f64,
    };
    let (precision, recall) = (share(found.len()), share(gold.len()));
    Score {
        resolved: true,
        any_hit: common > 0,
        precision,
        recall,
        f1: match common {
            0 => 0.0,
            _ => 2.0 * precision * recall / (precision + recall),
        },
        set_equal: found == gold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &str) -> Vec<String> {
        words.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn sets_are_compared() {
        let gold = names("a b c d");
        let same = score(Some(&gold), &gold);
        assert!(same.set_equal && same.f1 == 1.0);
        let part = score(Some(&names("a x")), &gold);
        assert_eq!((part.precision, part.recall), (0.5, 0.25));
        assert!((part.f1 - 1.0 / 3.0).abs() < 1e-12 && part.any_hit && !part.set_equal);
        let wrong = score(Some(&names("x")), &gold);
        assert!(wrong.resolved && !wrong.any_hit && wrong.f1 == 0.0);
        assert_eq!(score(None, &gold), Score::default());
    }
}
