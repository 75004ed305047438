//! Strings kept once and told apart by small numbers.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The number of an interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StringKey(pub(super) u32);

/// "No string", for arrays indexed by or holding keys.
pub(super) const NONE: u32 = u32::MAX;

/// Strings in one buffer. A string takes its bytes and about 10 more.
#[derive(Clone, Default)]
pub(super) struct Interner {
    texts: Texts,
    /// The keys, found by the hashes of their strings.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// The buffer, and where each string ends.
#[derive(Clone, Default)]
struct Texts {
    bytes: String,
    /// Where each group of strings starts.
    starts: Vec<usize>,
    /// Where each string ends, from the start of its group.
    ends: Vec<u32>,
}

/// Strings in a group.
const GROUP: usize = 64;

impl Texts {
    fn get(&self, key: u32) -> &str {
        let at = key as usize;
        let Some((&start, &end)) = self.starts.get(at / GROUP).zip(self.ends.get(at)) else {
            return "";
        };
        let before = match at % GROUP {
            0 => 0,
            _ => self.ends.get(at - 1).copied().unwrap_or(0),
        };
        self.bytes
            .get(start + before as usize..start + end as usize)
            .unwrap_or("")
    }

    /// Adds a string; none if there is no number left for it.
    fn push(&mut self, text: &str) -> Option<u32> {
        let key = u32::try_from(self.ends.len()).ok()?;
        let start = match self.ends.len() % GROUP {
            0 => self.bytes.len(),
            _ => *self.starts.last()?,
        };
        let end = u32::try_from(self.bytes.len() + text.len() - start).ok()?;
        if key == NONE {
            return None;
        }
        if self.ends.len().is_multiple_of(GROUP) {
            self.starts.push(start);
        }
        self.bytes.push_str(text);
        self.ends.push(end);
        Some(key)
    }
}

impl Interner {
    /// The number of strings.
    pub(super) fn len(&self) -> usize {
        self.texts.ends.len()
    }

    /// The string of a key; empty for a key of another interner.
    pub(super) fn get(&self, key: StringKey) -> &str {
        self.texts.get(key.0)
    }

    /// Makes room for finding so many strings more.
    pub(super) fn expect(&mut self, count: usize) {
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
        texts.bytes.len() + 4 * texts.ends.len() + 5 * self.index.capacity()
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
}
