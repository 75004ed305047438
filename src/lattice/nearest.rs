//! Near misses: the entries of a sorted list that resemble a word.

use super::fold::fold;

/// How many names are suggested.
const SUGGESTED: usize = 5;
/// A longer word is looked for as a beginning only, in characters.
const LONGEST: usize = 64;
/// Rows of the distance table that one search computes at most.
const MOST_ROWS: usize = 4_000_000;

/// Strings in byte order.
pub(super) trait Sorted {
    fn count(&self) -> usize;
    fn key(&self, at: usize) -> &str;

    /// The first place whose key is not below `word`.
    fn place(&self, word: &str) -> usize {
        first(0, self.count(), |at| self.key(at) >= word)
    }

    /// The place of a key.
    fn find(&self, word: &str) -> Option<usize> {
        let at = self.place(word);
        (at < self.count() && self.key(at) == word).then_some(at)
    }
}

/// The first of `low..high` where `test` holds, which holds from there on.
fn first(mut low: usize, mut high: usize, test: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low) / 2;
        match test(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

/// At most five entries that resemble `word`: by (edit distance, name), then those
/// that begin with it. `shown` gives the wordings behind a key.
pub(super) fn nearest(
    keys: &impl Sorted,
    word: &str,
    shown: impl Fn(usize) -> Vec<String>,
) -> Vec<String> {
    let word = fold(word);
    let close = resembling(keys, &word)
        .into_iter()
        .flat_map(|(distance, at)| shown(at).into_iter().map(move |name| (distance, name)))
        .collect();
    let beginning = (keys.place(&word)..keys.count())
        .take_while(|&at| !word.is_empty() && keys.key(at).starts_with(&word))
        .flat_map(&shown);
    suggested(close, beginning)
}

/// The places of the keys that a folded word may be meant for, with their distance.
pub(super) fn resembling(keys: &impl Sorted, word: &str) -> Vec<(u8, usize)> {
    within(keys, word, reach(word))
}

/// At most five of what resembles a word, by (distance, name), then of what begins
/// with it; each once.
pub(super) fn suggested(
    mut close: Vec<(u8, String)>,
    beginning: impl Iterator<Item = String>,
) -> Vec<String> {
    close.sort();
    let mut names: Vec<String> = Vec::new();
    for name in close.into_iter().map(|(_, name)| name).chain(beginning) {
        if names.len() == SUGGESTED {
            break;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// How many edits a word of this length may be off.
fn reach(word: &str) -> u8 {
    match word.chars().count() {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    }
}

/// The places of the keys at most `limit` insertions, deletions, replacements and
/// exchanges of neighbouring characters away, with their distance. The list is walked like a trie: keys
/// share the rows of their common beginning, and where a beginning is too far off
/// already, all keys that have it are skipped.
fn within(keys: &impl Sorted, word: &str, limit: u8) -> Vec<(u8, usize)> {
    let word: Vec<char> = word.chars().collect();
    let mut found = Vec::new();
    if word.is_empty() || word.len() > LONGEST {
        return found;
    }
    let mut rows: Vec<Vec<u8>> = vec![(0..=word.len() as u8).collect()];
    let mut path: Vec<char> = Vec::new();
    let mut computed = 0;
    let mut at = 0;
    'keys: while at < keys.count() && computed < MOST_ROWS {
        let key = keys.key(at);
        let shared = key.chars().zip(&path).take_while(|(a, b)| a == *b).count();
        path.truncate(shared);
        rows.truncate(shared + 1);
        for (start, c) in key.char_indices().skip(shared) {
            let row = next_row(&rows, &path, &word, c);
            computed += 1;
            // An exchange of neighbours reaches back to the row before the last.
            let hopeless = least(Some(&row)) > limit && least(rows.last()) >= limit;
            if hopeless {
                let beginning = key.get(..start + c.len_utf8()).unwrap_or(key);
                at = skip(keys, at, beginning);
                continue 'keys;
            }
            rows.push(row);
            path.push(c);
        }
        if let Some(&distance) = rows.last().and_then(|row| row.last())
            && distance <= limit
        {
            found.push((distance, at));
        }
        at += 1;
    }
    found
}

fn least(row: Option<&Vec<u8>>) -> u8 {
    row.and_then(|row| row.iter().min().copied())
        .unwrap_or(u8::MAX)
}

/// The row of the distance table for the key `path` and `c`; `rows` are those before.
fn next_row(rows: &[Vec<u8>], path: &[char], word: &[char], c: char) -> Vec<u8> {
    let row: &[u8] = rows.last().map_or(&[], Vec::as_slice);
    let exchanged = match (rows, path) {
        ([.., row, _], [.., before]) => Some((row, *before)),
        _ => None,
    };
    let mut left = row.first().copied().unwrap_or(0).saturating_add(1);
    let mut next = Vec::with_capacity(row.len());
    next.push(left);
    let mut last = None;
    for ((at, pair), &wanted) in row.windows(2).enumerate().zip(word) {
        let &[diagonal, above] = pair else {
            break;
        };
        left = (diagonal + u8::from(wanted != c))
            .min(above.saturating_add(1))
            .min(left.saturating_add(1));
        if let (Some((row, before)), Some(last)) = (exchanged, last)
            && (before, c) == (wanted, last)
            && let Some(distance) = at.checked_sub(1).and_then(|at| row.get(at))
        {
            left = left.min(distance.saturating_add(1));
        }
        next.push(left);
        last = Some(wanted);
    }
    next
}

/// The first place after `at` whose key does not have this beginning.
fn skip(keys: &impl Sorted, at: usize, beginning: &str) -> usize {
    let count = keys.count();
    let mut step = 1;
    while at + step < count && keys.key(at + step).starts_with(beginning) {
        step *= 2;
    }
    let low = at + step / 2;
    let high = (at + step).min(count);
    first(low.max(at + 1), high, |k| {
        !keys.key(k).starts_with(beginning)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct List(Vec<String>);
    impl Sorted for List {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn key(&self, at: usize) -> &str {
            &self.0[at]
        }
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            words in prop::collection::btree_set("[abé]{0,6}", 0..40),
            word in "[abé]{1,6}",
            limit in 0u8..3,
        ) {
            let keys = List(words.into_iter().collect());
            let naive: Vec<(u8, usize)> = keys.0.iter().enumerate()
                .map(|(at, key)| (strsim::osa_distance(key, &word) as u8, at))
                .filter(|&(distance, _)| distance <= limit)
                .collect();
            prop_assert_eq!(within(&keys, &word, limit), naive);
        }
    }

    #[test]
    fn suggestions_are_few_and_in_order() {
        let keys = List(
            ["abba", "abbey", "abbey road", "abby", "zebra"]
                .map(String::from)
                .to_vec(),
        );
        let shown = |at: usize| vec![keys.0[at].to_uppercase()];
        assert_eq!(
            nearest(&keys, "Abbey", shown),
            ["ABBEY", "ABBY", "ABBA", "ABBEY ROAD"]
        );
        assert!(nearest(&keys, "", shown).is_empty());
        assert!(nearest(&keys, &"x".repeat(1000), shown).is_empty());
    }
}
