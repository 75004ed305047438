//! Strings kept once and told apart by small numbers.

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;

/// The number of an interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StringKey(pub(super) u32);

/// "No string", for arrays indexed by or holding keys.
pub(super) const NONE: u32 = u32::MAX;

/// Strings in one buffer. A string takes its bytes and about 8 more.
#[derive(Clone, Default)]
pub(super) struct Interner {
    texts: Texts,
    /// The keys, found by the hashes of their strings.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// The buffer, and how long each string is.
#[derive(Clone, Default)]
struct Texts {
    bytes: String,
    /// Where each group of strings starts.
    starts: Vec<usize>,
    /// The length of each string, or [`LONG`].
    lengths: Vec<u8>,
    /// The lengths of long strings.
    long: HashMap<u32, u32>,
}

/// Strings in a group.
const GROUP: usize = 16;
/// Strings of so many bytes are long.
const LONG: u8 = u8::MAX;

impl Texts {
    /// The length of a string.
    fn length(&self, key: usize) -> usize {
        match self.lengths.get(key) {
            Some(&LONG) => self
                .long
                .get(&(key as u32))
                .map_or(0, |length| *length as usize),
            Some(length) => usize::from(*length),
            None => 0,
        }
    }

    #[inline]
    fn get(&self, key: u32) -> &str {
        let at = key as usize;
        let Some(&start) = self.starts.get(at / GROUP) else {
            return "";
        };
        let first = at / GROUP * GROUP;
        let before = self.lengths.get(first..at).unwrap_or(&[]);
        let skipped = match before.contains(&LONG) {
            false => before.iter().map(|length| usize::from(*length)).sum(),
            true => (first..at).map(|key| self.length(key)).sum::<usize>(),
        };
        let start = start + skipped;
        self.bytes.get(start..start + self.length(at)).unwrap_or("")
    }

    /// Adds a string; none if there is no number left for it.
    fn push(&mut self, text: &str) -> Option<u32> {
        let key = u32::try_from(self.lengths.len()).ok()?;
        let length = u32::try_from(text.len()).ok()?;
        if key == NONE {
            return None;
        }
        if self.lengths.len().is_multiple_of(GROUP) {
            self.starts.push(self.bytes.len());
        }
        self.bytes.push_str(text);
        let short = u8::try_from(length).ok().filter(|&length| length != LONG);
        if short.is_none() {
            self.long.insert(key, length);
        }
        self.lengths.push(short.unwrap_or(LONG));
        Some(key)
    }
}

impl Interner {
    /// The number of strings.
    pub(super) fn len(&self) -> usize {
        self.texts.lengths.len()
    }

    /// The string of a key; empty for a key of another interner.
    pub(super) fn get(&self, key: StringKey) -> &str {
        self.texts.get(key.0)
    }

    /// Makes room for so many strings more, of so many bytes.
    pub(super) fn expect(&mut self, count: usize, bytes: usize) {
        self.texts.bytes.reserve(bytes);
        self.texts.lengths.reserve(count);
        self.texts.starts.reserve(count / GROUP);
        let (texts, hasher) = (&self.texts, &self.hasher);
        self.index
            .reserve(count, |key| hasher.hash_one(texts.get(*key)));
    }

    /// Gives back the memory for finding strings: none is found any more.
    pub(super) fn forget_index(&mut self) {
        self.index = HashTable::new();
    }

    /// The bytes that they take in memory.
    pub(super) fn size(&self) -> usize {
        let texts = &self.texts;
        let starts = 8 * texts.starts.len();
        texts.bytes.len() + texts.lengths.len() + starts + 5 * self.index.capacity()
    }

    /// The key of a string that is already here.
    pub(super) fn find(&self, text: &str) -> Option<StringKey> {
        let hash = self.hasher.hash_one(text);
        self.index
            .find(hash, |&key| self.texts.get(key) == text)
            .copied()
            .map(StringKey)
    }

    /// The key of a string, which is added if it is new. `None` if there is no
    /// key left.
    pub(super) fn intern(&mut self, text: &str) -> Option<StringKey> {
        use hashbrown::hash_table::Entry;
        let hash = self.hasher.hash_one(text);
        let (texts, hasher) = (&mut self.texts, &self.hasher);
        let rehash = |key: &u32| hasher.hash_one(texts.get(*key));
        match self
            .index
            .entry(hash, |&key| texts.get(key) == text, rehash)
        {
            Entry::Occupied(entry) => Some(StringKey(*entry.get())),
            Entry::Vacant(entry) => {
                let key = texts.push(text)?;
                entry.insert(key);
                Some(StringKey(key))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_key() {
        let mut interner = Interner::default();
        let words = ["", "a", "b", "", "日本", "a"];
        let keys: Vec<_> = words.iter().map(|w| interner.intern(w).unwrap()).collect();
        assert_eq!(keys[0], keys[3]);
        assert_eq!(keys[1], keys[5]);
        assert_eq!(interner.len(), 4);
        for (word, key) in words.iter().zip(&keys) {
            assert_eq!(interner.get(*key), *word);
            assert_eq!(interner.find(word), Some(*key));
        }
        assert_eq!(interner.find("c"), None);
        assert_eq!(interner.get(StringKey(77)), "");
        let many: Vec<String> = (0..1000).map(|n| format!("{n}")).collect();
        let keys: Vec<_> = many.iter().map(|w| interner.intern(w).unwrap()).collect();
        for (word, key) in many.iter().zip(&keys) {
            assert_eq!(interner.get(*key), word);
            assert_eq!(interner.find(word), Some(*key));
        }
        assert_eq!(interner.len(), 1004);
    }

    #[test]
    fn strings_of_any_length_come_back() {
        let mut interner = Interner::default();
        let many: Vec<String> = (0..400)
            .map(|n| format!("{n}").repeat(n * 7 % 100))
            .collect();
        let keys: Vec<_> = many.iter().map(|w| interner.intern(w).unwrap()).collect();
        for (word, key) in many.iter().zip(&keys) {
            assert_eq!(interner.get(*key), word);
            assert_eq!(interner.find(word), Some(*key));
        }
    }
}
