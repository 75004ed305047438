//! Which words stand for which dimension: expectation and maximisation over wordings
//! and their paths (the first alignment model of Brown et al., 1993, without its
//! empty word: words that say nothing are those that stand for no one dimension).

use super::align::Aligned;
use crate::ask::planner::Planner;
use crate::ask::words::stem;
use crate::lattice::{DimensionId, Lattice};
use std::collections::{BTreeMap, BTreeSet};

/// What words stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Words {
    /// Words for dimensions: the dimension, the word, in how many wordings it stands.
    pub dimensions: Vec<(DimensionId, String, usize)>,
    /// Words that say nothing, and in how many wordings they stand.
    pub nothing: Vec<(String, usize)>,
}

/// So often expectation and maximisation take turns.
const ROUNDS: usize = 30;
/// A word stands for a dimension if this much of it does.
const CLEAR: f64 = 0.8;
/// And if it stands in so few wordings about anything else.
const LOYAL: f64 = 0.9;

/// A word's surface forms and where it stands.
#[derive(Default)]
struct Seen {
    forms: BTreeMap<String, usize>,
    wordings: usize,
    /// In how many wordings it stands beside which dimension.
    beside: BTreeMap<DimensionId, usize>,
}

pub(super) fn associate(aligned: &[Aligned], planner: &Planner, lattice: &Lattice) -> Words {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut bags: Vec<(Vec<String>, Vec<DimensionId>)> = Vec::new();
    for one in aligned {
        let dimensions: BTreeSet<DimensionId> =
            one.path.steps.iter().map(|step| step.dimension).collect();
        let mut bag = BTreeSet::new();
        for word in one.wording.words.iter().flatten() {
            if planner.is_function_word(word) {
                continue;
            }
            let entry = seen.entry(stem(word)).or_default();
            *entry.forms.entry(word.clone()).or_default() += 1;
            if bag.insert(stem(word)) {
                entry.wordings += 1;
                for d in &dimensions {
                    *entry.beside.entry(*d).or_default() += 1;
                }
            }
        }
        bags.push((bag.into_iter().collect(), dimensions.into_iter().collect()));
    }
    let shares = shares(&bags);
    let mut words = Words::default();
    for (stem, seen) in &seen {
        let Some(of) = shares.get(stem) else { continue };
        let best = of.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        let Some((d, share)) = best else { continue };
        let form = seen.forms.iter().max_by_key(|(form, n)| (**n, std::cmp::Reverse(*form)));
        let Some((form, _)) = form else { continue };
        let beside = seen.beside.get(d).copied().unwrap_or(0) as f64;
        if *share >= CLEAR && beside >= LOYAL * seen.wordings as f64 {
            if !planner.names_dimension(form, *d) {
                words.dimensions.push((*d, form.clone(), seen.wordings));
            }
        } else if seen.beside.len() >= 2 && seen.wordings >= 3 {
            words.nothing.push((form.clone(), seen.wordings));
        }
    }
    words.dimensions.sort_by(|a, b| {
        let name = |d: DimensionId| &lattice.dimension(d).name;
        (name(a.0), std::cmp::Reverse(a.2), &a.1).cmp(&(name(b.0), std::cmp::Reverse(b.2), &b.1))
    });
    words
        .nothing
        .sort_by(|a, b| (std::cmp::Reverse(a.1), &a.0).cmp(&(std::cmp::Reverse(b.1), &b.0)));
    words
}

/// How much of each word stands for which dimension.
fn shares(
    bags: &[(Vec<String>, Vec<DimensionId>)],
) -> BTreeMap<String, BTreeMap<DimensionId, f64>> {
    let mut shares: BTreeMap<String, BTreeMap<DimensionId, f64>> = BTreeMap::new();
    for (bag, dimensions) in bags {
        for word in bag {
            let of = shares.entry(word.clone()).or_default();
            of.extend(dimensions.iter().map(|d| (*d, 1.0)));
        }
    }
    for of in shares.values_mut() {
        let count = of.len() as f64;
        of.values_mut().for_each(|share| *share = 1.0 / count);
    }
    for _ in 0..ROUNDS {
        let mut counts: BTreeMap<&str, BTreeMap<DimensionId, f64>> = BTreeMap::new();
        for (bag, dimensions) in bags {
            for d in dimensions {
                let share = |word: &String| shares.get(word).and_then(|of| of.get(d)).copied();
                let total: f64 = bag.iter().filter_map(share).sum();
                if total <= 0.0 {
                    continue;
                }
                for word in bag {
                    let part = share(word).unwrap_or(0.0) / total;
                    *counts.entry(word).or_default().entry(*d).or_default() += part;
                }
            }
        }
        let next = counts.into_iter().map(|(word, of)| {
            let total: f64 = of.values().sum();
            let of = of.into_iter().map(|(d, n)| (d, n / total.max(f64::MIN_POSITIVE)));
            (word.to_owned(), of.collect())
        });
        shares = next.collect();
    }
    shares
}
