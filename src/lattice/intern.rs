//! Strings kept once and told apart by small numbers.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// The number of an interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StringKey(pub(super) u32);

/// "No string", for arrays indexed by or holding keys.
pub(super) const NONE: u32 = u32::MAX;

/// Where things of each hash are in some array: a hash table of 20 bytes a thing
/// that leaves the things themselves where they are.
#[derive(Clone, Default)]
pub(super) struct HashIndex {
    /// The latest thing of each hash; earlier ones are chained by `next`.
    latest: HashMap<u64, u32, BuildHasherDefault<Already>>,
    next: Vec<u32>,
}

impl HashIndex {
    /// The thing of this hash for which `is_it` holds.
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = *self.latest.get(&hash)?;
        while at != NONE {
            if is_it(at) {
                return Some(at);
            }
            at = self.next.get(at as usize).copied().unwrap_or(NONE);
        }
        None
    }

    /// Takes up the next thing. `None` if there is no number left for it.
    pub(super) fn push(&mut self, hash: u64) -> Option<u32> {
        let key = u32::try_from(self.next.len())
            .ok()
            .filter(|&key| key != NONE)?;
        let before = self.latest.insert(hash, key).unwrap_or(NONE);
        self.next.push(before);
        Some(key)
    }
}

/// Strings in one buffer. A string takes its bytes and about 30 more.
#[derive(Clone, Default)]
pub(super) struct Interner {
    bytes: String,
    ends: Vec<usize>,
    index: HashIndex,
    hasher: RandomState,
}

impl Interner {
    /// The number of strings.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string of a key; empty for a key of another interner.
    pub(super) fn get(&self, key: StringKey) -> &str {
        let index = key.0 as usize;
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or("")
    }

    /// The key of a string that is already here.
    pub(super) fn find(&self, text: &str) -> Option<StringKey> {
        let hash = self.hasher.hash_one(text);
        self.index
            .find(hash, |key| self.get(StringKey(key)) == text)
            .map(StringKey)
    }

    /// The key of a string, which is added if it is new. `None` if there is no
    /// key left.
    pub(super) fn intern(&mut self, text: &str) -> Option<StringKey> {
        if let Some(key) = self.find(text) {
            return Some(key);
        }
        let key = self.index.push(self.hasher.hash_one(text))?;
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        Some(StringKey(key))
    }
}

/// The identity on hashes that are already hashes.
#[derive(Clone, Copy, Default)]
pub(super) struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = n;
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
    }
}
