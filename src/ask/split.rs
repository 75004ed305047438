//! The two parts of a set of questions: one to learn on, one to be measured on.

use super::examples::Example;
use std::collections::BTreeMap;

/// Which part of a set of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    All,
    /// The nine tenths that may be learned on.
    Training,
    /// The tenth that is held back.
    Held,
}

/// The seed of the split.
pub const SEED: u64 = 88;

/// Of every stratum one in so many is held back.
const HELD: usize = 10;

/// The questions of a part, in their order. Strata are questions with about the same
/// number of answers; within one, those whose text has the smallest hashes are held.
/// Questions that read alike are in the same part.
pub fn part_of<T>(all: Vec<T>, part: Part, example: impl Fn(&T) -> (&str, usize)) -> Vec<T> {
    if part == Part::All {
        return all;
    }
    let mut strata: BTreeMap<usize, Vec<(blake3::Hash, usize)>> = BTreeMap::new();
    for (at, one) in all.iter().enumerate() {
        let (question, answers) = example(one);
        strata
            .entry(stratum(answers))
            .or_default()
            .push((rank(question), at));
    }
    let mut held = vec![false; all.len()];
    for members in strata.values_mut() {
        members.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()).then(a.1.cmp(&b.1)));
        let count = members.len().div_ceil(HELD);
        let last = members.get(count.saturating_sub(1)).map(|(hash, _)| *hash);
        for (hash, at) in members.iter() {
            let within = last.is_some_and(|last| hash.as_bytes() <= last.as_bytes());
            if let Some(slot) = held.get_mut(*at) {
                *slot = within;
            }
        }
    }
    let wanted = part == Part::Held;
    let parts = all.into_iter().zip(held);
    parts
        .filter(|(_, held)| *held == wanted)
        .map(|(one, _)| one)
        .collect()
}

/// The examples of a part.
pub fn examples_of(all: Vec<Example>, part: Part) -> Vec<Example> {
    part_of(all, part, |example| {
        (&example.question, example.answers.len())
    })
}

/// One, two, up to five, up to ten, more.
pub fn stratum(answers: usize) -> usize {
    match answers {
        0..=2 => answers,
        3..=5 => 3,
        6..=10 => 6,
        _ => 11,
    }
}

fn rank(question: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&SEED.to_le_bytes());
    hasher.update(question.as_bytes());
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_all_of_it_and_share_nothing() {
        let all: Vec<(String, usize)> = (0..1000)
            .map(|k| (format!("q{}", k % 900), k % 14))
            .collect();
        let part = |part| part_of(all.clone(), part, |(text, n)| (text, *n));
        let (training, held) = (part(Part::Training), part(Part::Held));
        assert_eq!(training.len() + held.len(), 1000);
        assert!((100..130).contains(&held.len()), "{}", held.len());
        assert!(held.iter().all(|one| !training.contains(one)));
        assert_eq!(part(Part::All).len(), 1000);
    }
}
