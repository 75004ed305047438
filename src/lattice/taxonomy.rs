//! A taxonomy: named values, their synonyms and their order.

use super::ValueId;
use super::fold::fold;
use super::nearest::{Sorted, nearest};
use crate::order::Dag;
use std::sync::OnceLock;

/// The values of a TAXONOMY dimension; a [`ValueId`] is the rank of a name.
#[derive(Debug)]
pub struct Taxonomy {
    names: Vec<String>,
    synonyms: Vec<Vec<String>>,
    dag: Dag,
    folded: OnceLock<Folded>,
}

/// The folded wordings, each with the values that have it as name or synonym.
#[derive(Debug, Default)]
struct Folded {
    keys: Vec<String>,
    /// Ascending; a name before a synonym.
    values: Vec<Vec<(bool, ValueId)>>,
}

impl Sorted for Folded {
    fn count(&self) -> usize {
        self.keys.len()
    }
    fn key(&self, at: usize) -> &str {
        self.keys.get(at).map_or("", String::as_str)
    }
}

impl Taxonomy {
    /// Sorted distinct names, sorted synonyms of each, and their order.
    pub(super) fn new(names: Vec<String>, synonyms: Vec<Vec<String>>, dag: Dag) -> Taxonomy {
        Taxonomy {
            names,
            synonyms,
            dag,
            folded: OnceLock::new(),
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether it has no value.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a value; empty for one of another dimension.
    pub fn name(&self, v: ValueId) -> &str {
        self.names.get(v.index()).map_or("", String::as_str)
    }

    /// The other words for a value, sorted.
    pub fn synonyms(&self, v: ValueId) -> &[String] {
        self.synonyms.get(v.index()).map_or(&[], Vec::as_slice)
    }

    /// The order; a node is the number of a value.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The values that a word stands for: the one of that name; else those whose
    /// name folds alike; else those with that synonym; else those with a synonym
    /// that folds alike. Ascending.
    pub fn find(&self, word: &str) -> Vec<ValueId> {
        if let Ok(at) = self.names.binary_search_by(|name| name.as_str().cmp(word)) {
            return vec![ValueId(at as u32)];
        }
        let folded = self.folded();
        let Some(values) = folded
            .find(&fold(word))
            .and_then(|at| folded.values.get(at))
        else {
            return Vec::new();
        };
        let of = |synonym: bool| -> Vec<ValueId> {
            values
                .iter()
                .filter(|(s, _)| *s == synonym)
                .map(|(_, v)| *v)
                .collect()
        };
        let names = of(false);
        if !names.is_empty() {
            return names;
        }
        let synonyms = of(true);
        let exact: Vec<ValueId> = synonyms
            .iter()
            .copied()
            .filter(|&v| self.synonyms(v).iter().any(|s| s == word))
            .collect();
        if exact.is_empty() { synonyms } else { exact }
    }

    /// At most five names or synonyms that resemble a word, nearest first.
    pub fn nearest(&self, word: &str) -> Vec<String> {
        let folded = self.folded();
        nearest(folded, word, |at| self.wordings(folded, at))
    }

    /// Every name and synonym behind a folded wording, sorted.
    fn wordings(&self, folded: &Folded, at: usize) -> Vec<String> {
        let key = folded.key(at);
        let mut words: Vec<String> = Vec::new();
        for &(synonym, v) in folded.values.get(at).into_iter().flatten() {
            match synonym {
                false => words.push(self.name(v).to_owned()),
                true => words.extend(self.synonyms(v).iter().filter(|s| fold(s) == key).cloned()),
            }
        }
        words.sort();
        words.dedup();
        words
    }

    /// Made at first use: most queries name a value exactly.
    fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| {
            let names = (0u32..)
                .zip(&self.names)
                .map(|(v, name)| (fold(name), false, ValueId(v)));
            let synonyms = (0u32..).zip(&self.synonyms).flat_map(|(v, words)| {
                words.iter().map(move |word| (fold(word), true, ValueId(v)))
            });
            let mut all: Vec<(String, bool, ValueId)> = names.chain(synonyms).collect();
            all.sort();
            all.dedup();
            let mut folded = Folded::default();
            for (key, synonym, v) in all {
                if folded.keys.last() != Some(&key) {
                    folded.keys.push(key);
                    folded.values.push(Vec::new());
                }
                if let Some(values) = folded.values.last_mut() {
                    values.push((synonym, v));
                }
            }
            folded
        })
    }
}
