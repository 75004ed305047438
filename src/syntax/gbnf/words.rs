//! The words that are none of a list, as a grammar without look-ahead says it.

use super::form::{Form, in_class};
use std::collections::{BTreeMap, BTreeSet};

/// What may begin a word, and what may go on with one. LQ's words have other letters
/// too; a name with such is quoted.
const FIRST: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const LATER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/// The rules of the words that are none of `excluded`, in any case of letters; the
/// first is `name`. A word is told from its beginnings: one rule for each beginning
/// that it may share with an excluded one.
pub(super) fn other_words(name: &str, excluded: &BTreeSet<String>) -> BTreeMap<String, Form> {
    let mut rules = BTreeMap::new();
    let rest = format!("{name}-rest");
    rules.insert(rest.clone(), class(LATER.chars()).repeat(0, None));
    let mut beginnings: BTreeSet<String> = BTreeSet::new();
    for word in excluded {
        for (end, letter) in word.char_indices() {
            beginnings.insert(word[..end + letter.len_utf8()].to_ascii_uppercase());
        }
    }
    let all: Vec<String> = std::iter::once(String::new())
        .chain(beginnings.iter().cloned())
        .collect();
    for beginning in all {
        let letters = if beginning.is_empty() { FIRST } else { LATER };
        let mut ways = Vec::new();
        let mut free = Vec::new();
        for letter in letters.chars() {
            let longer = format!("{beginning}{letter}");
            if beginnings.contains(&longer) {
                let next = Form::Rule(rule_name(name, &longer));
                ways.push(Form::sequence(vec![class([letter].into_iter()), next]));
            } else {
                free.push(letter);
            }
        }
        if !free.is_empty() {
            let free = class(free.into_iter());
            ways.push(Form::sequence(vec![free, Form::Rule(rest.clone())]));
        }
        let is_word = !beginning.is_empty();
        if is_word && !excluded.contains(&beginning) {
            ways.push(Form::EMPTY);
        }
        rules.insert(rule_name(name, &beginning), Form::choice(ways));
    }
    rules
}

/// Rules are numbered by letters that GBNF allows in their names.
fn rule_name(name: &str, beginning: &str) -> String {
    if beginning.is_empty() {
        return name.to_owned();
    }
    format!(
        "{name}-{}",
        beginning.replace('_', "-").to_ascii_lowercase()
    )
}

/// A class of these letters in both cases.
fn class(letters: impl Iterator<Item = char>) -> Form {
    let mut both: Vec<char> = letters
        .flat_map(|letter| [letter, letter.to_ascii_lowercase()])
        .collect();
    both.sort_unstable();
    both.dedup();
    let mut text = String::new();
    let mut at = 0;
    while let Some(&first) = both.get(at) {
        let mut last = first;
        while let Some(&next) = both
            .get(at + 1)
            .filter(|next| **next as u32 == last as u32 + 1)
        {
            last = next;
            at += 1;
        }
        text.push_str(&in_class(first));
        if last != first {
            text.push('-');
            text.push_str(&in_class(last));
        }
        at += 1;
    }
    Form::Class(text)
}
