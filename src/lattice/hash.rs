//! The content hash: one number for all that a lattice says, in any order.
//!
//! LtHash16 (Bellare and Micciancio, 1997; Lewi et al., 2019, estimate at least 200
//! bits for these parameters): every element becomes 1,024 numbers of 16 bits, and
//! the hash of a set is their sum, so that an element can be added or taken out
//! without looking at the others.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use blake3::hazmat::{HasherExt, hash_derive_key_context};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::LazyLock;

const LANES: usize = 1024;
const CONTEXT: &str = "latweave v1 content hash element";
const STATE_CONTEXT: &str = "latweave v1 content hash state";

static KEY: LazyLock<[u8; 32]> = LazyLock::new(|| hash_derive_key_context(CONTEXT));

/// The sum of the elements so far.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LtHash {
    lanes: Box<[u16; LANES]>,
}

impl Default for LtHash {
    fn default() -> Self {
        LtHash {
            lanes: Box::new([0; LANES]),
        }
    }
}

impl LtHash {
    /// Adds an element.
    pub(super) fn add(&mut self, element: &Element) {
        self.add_bytes(&element.bytes);
    }

    fn add_bytes(&mut self, element: &[u8]) {
        let mut bytes = [0u8; 2 * LANES];
        let mut hasher = blake3::Hasher::new_from_context_key(&KEY);
        hasher.update(element);
        hasher.finalize_xof().fill(&mut bytes);
        for (lane, pair) in self.lanes.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *lane = lane.wrapping_add(u16::from_le_bytes(*pair));
        }
    }

    /// The hash of a stored state; none if it is not one.
    pub(super) fn from_bytes(state: &[u8]) -> Option<LtHash> {
        let (pairs, []) = state.as_chunks::<2>() else {
            return None;
        };
        let mut hash = LtHash::default();
        if pairs.len() != LANES {
            return None;
        }
        for (lane, pair) in hash.lanes.iter_mut().zip(pairs) {
            *lane = u16::from_le_bytes(*pair);
        }
        Some(hash)
    }

    /// What is left if a sum of elements is taken out.
    pub(super) fn minus(mut self, other: &LtHash) -> LtHash {
        for (lane, less) in self.lanes.iter_mut().zip(other.lanes.iter()) {
            *lane = lane.wrapping_sub(*less);
        }
        self
    }

    /// The sum of both.
    pub(super) fn plus(mut self, other: &LtHash) -> LtHash {
        for (lane, more) in self.lanes.iter_mut().zip(other.lanes.iter()) {
            *lane = lane.wrapping_add(*more);
        }
        self
    }

    /// The state as it is stored.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.lanes
            .iter()
            .flat_map(|lane| lane.to_le_bytes())
            .collect()
    }

    /// The printed form.
    #[cfg(test)]
    fn finish(&self) -> ContentHash {
        content_hash_of(&self.to_bytes())
    }
}

/// Adds up elements, some at a time.
pub(super) struct Adding {
    /// The elements that are not yet in the sums, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    sums: Box<Sums>,
    /// The sum of those that were added one by one.
    alone: LtHash,
}

/// The sums of what elements are stretched to, as many blocks of it at once give them:
/// word by word of eight blocks, then of the next eight.
pub(super) type Sums = [[u16; 16]; 64];

/// Elements that are added at once.
const AT_ONCE: usize = 16;

impl Default for Adding {
    fn default() -> Adding {
        Adding {
            bytes: Vec::new(),
            ends: Vec::new(),
            sums: Box::new([[0; 16]; 64]),
            alone: LtHash::default(),
        }
    }
}

impl Adding {
    /// Adds an element.
    pub(super) fn add(&mut self, element: &Element) {
        self.bytes.extend_from_slice(&element.bytes);
        self.ends.push(self.bytes.len());
        if self.ends.len() == AT_ONCE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut start = 0;
        let texts = self.ends.iter().map(|&end| {
            let text = self.bytes.get(start..end).unwrap_or(&[]);
            start = end;
            text
        });
        let texts: Vec<&[u8]> = texts.collect();
        #[cfg(target_arch = "x86_64")]
        let added = lanes::add_all(&KEY, &texts, &mut self.sums);
        #[cfg(not(target_arch = "x86_64"))]
        let added = false;
        if !added {
            texts.iter().for_each(|text| self.alone.add_bytes(text));
        }
        self.bytes.clear();
        self.ends.clear();
    }

    /// The sum.
    pub(super) fn finish(mut self) -> LtHash {
        self.flush();
        let mut hash = LtHash::default();
        // A block has 32 numbers, two in each of its words.
        for (block, numbers) in hash.lanes.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            for (word, pair) in numbers.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let sums = self.sums.get(block / 8 * 16 + word);
                let sums = sums.and_then(|sums| sums.as_chunks::<2>().0.get(block % 8));
                *pair = sums.copied().unwrap_or_default();
            }
        }
        hash.plus(&self.alone)
    }
}

/// The content hash of a stored state.
pub(super) fn content_hash_of(state: &[u8]) -> ContentHash {
    ContentHash(blake3::derive_key(STATE_CONTEXT, state))
}

/// The canonical bytes of one element: a tag, then fields each told from the next
/// by its length.
#[derive(Default)]
pub(super) struct Element {
    bytes: Vec<u8>,
}

impl Element {
    /// Starts anew, with the kind of the element.
    pub(super) fn start(&mut self, tag: &str) {
        self.bytes.clear();
        self.text(tag);
    }
    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
    pub(super) fn number(&mut self, n: u64) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }
    pub(super) fn flag(&mut self, flag: bool) {
        self.bytes.push(u8::from(flag));
    }
    /// Bytes of an element that have been written elsewhere.
    pub(super) fn part(&mut self, part: &Element) {
        self.bytes.extend_from_slice(&part.bytes);
    }
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }
    pub(super) fn optional(&mut self, text: Option<&str>) {
        self.flag(text.is_some());
        self.text(text.unwrap_or(""));
    }
    pub(super) fn texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) {
        self.number(texts.len() as u64);
        texts.for_each(|text| self.text(text));
    }
}

/// A hash of all that a lattice says. Lattices that say the same have the same one,
/// however they were built; printed as `b3:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub(super) [u8; 32]);

/// How many hexadecimal digits a prefix of a hash needs to pin a content: with
/// fewer, a change would too often go unnoticed.
pub const SHORTEST_PIN: usize = 8;

impl ContentHash {
    /// Whether the printed hash begins with `prefix`, which is `b3:` and at least
    /// one hexadecimal digit, in either case.
    pub fn matches_prefix(&self, prefix: &str) -> bool {
        let Some(digits) = prefix.strip_prefix("b3:") else {
            return false;
        };
        let hex = self.to_string();
        let same = hex
            .get(3..3 + digits.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(digits));
        digits.len() >= SHORTEST_PIN && same
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("b3:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ContentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("b3:").unwrap_or("");
        let hash = blake3::Hash::from_hex(digits)
            .map_err(|_| serde::de::Error::custom("a content hash is b3: and 64 digits"))?;
        Ok(ContentHash(*hash.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_at_once_add_up_to_the_same() {
        let lengths = (0..80).chain([1000, 1023, 1024, 1025, 1088, 2047, 2048, 2049, 5000]);
        let elements: Vec<Element> = lengths
            .map(|length: usize| Element {
                bytes: (0..length).map(|n| (n * 7 + length) as u8).collect(),
            })
            .collect();
        for count in 0..elements.len() {
            for some in [&elements[..count], &elements[count..]] {
                let (mut adding, mut alone) = (Adding::default(), LtHash::default());
                some.iter().for_each(|element| adding.add(element));
                some.iter().for_each(|element| alone.add(element));
                assert!(adding.finish() == alone, "{count}");
            }
        }
    }

    #[test]
    fn order_does_not_matter_and_elements_do() {
        let element = |word: &str| {
            let mut element = Element::default();
            element.start("t");
            element.text(word);
            element
        };
        let sum = |words: &[&str]| {
            let mut state = LtHash::default();
            words.iter().for_each(|word| state.add(&element(word)));
            state.finish()
        };
        assert_eq!(sum(&["a", "b"]), sum(&["b", "a"]));
        assert_ne!(sum(&["a", "b"]), sum(&["a"]));
        assert_ne!(sum(&["a", "a"]), sum(&["a"]));
        let hash = sum(&["a"]);
        let text = hash.to_string();
        assert_eq!(text.len(), 67);
        assert!(hash.matches_prefix(&text) && hash.matches_prefix(&text[..11]));
        assert!(
            !hash.matches_prefix("b3:")
                && !hash.matches_prefix(&text[..10])
                && !hash.matches_prefix("b3:é")
        );
        assert!(!hash.matches_prefix(&format!("{text}0")));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(serde_json::from_str::<ContentHash>(&json).unwrap(), hash);
    }
}
