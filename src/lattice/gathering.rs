//! Instances gathered from postings.
#![deny(clippy::indexing_slicing)]

use super::bits::{self, put};
use super::blocks::{Block, Blocks, after, filter, members, set_of, set_of_words, write_out};
use super::posting::Posting;
use roaring::RoaringBitmap;

/// A list of more than one in so many instances is kept as bits.
const LISTED: usize = 1024;
/// A shorter list is never kept as bits.
const FEW: usize = 64;
/// Candidates are looked up one by one if they are so many times fewer than what they
/// are looked up in.
const FEWER: u64 = 8;

/// Instances as they are gathered from postings, in any order and with repetitions: a
/// bitmap where it lies as long as there is one alone, a list as long as they are few,
/// else a bit for each instance.
pub struct Gathering<'a> {
    instances: usize,
    only: Option<Posting<'a>>,
    list: Vec<u32>,
    words: Vec<u64>,
    /// How many were added, each as often as it was.
    added: usize,
}

impl<'a> Gathering<'a> {
    /// None yet of so many; what is not among them is left out.
    pub fn among(instances: u32) -> Gathering<'a> {
        Gathering {
            instances: instances as usize,
            only: None,
            list: Vec::new(),
            words: Vec::new(),
            added: 0,
        }
    }

    /// Some of so many, ascending.
    pub fn of_list(instances: u32, list: Vec<u32>) -> Gathering<'a> {
        Gathering {
            added: list.len(),
            list,
            ..Gathering::among(instances)
        }
    }

    /// A number that there are at most.
    pub fn most(&self) -> usize {
        self.added
    }

    /// The bytes that they take in memory.
    pub fn size(&self) -> u64 {
        let only = match &self.only {
            Some(Posting::Set(set)) => set.serialized_size(),
            _ => 0,
        };
        (only + size_of_val(self.list.as_slice()) + size_of_val(self.words.as_slice())) as u64
    }

    /// Whether nothing has been added.
    pub fn is_empty(&self) -> bool {
        self.only.is_none() && self.list.is_empty() && self.words.is_empty()
    }

    /// Adds instances.
    pub fn add(&mut self, posting: Posting<'a>) {
        self.added += posting.len();
        match posting {
            Posting::List(list) if self.words.is_empty() => self.list_more(list),
            Posting::List(list) => put(&mut self.words, list),
            Posting::Set(set) if self.words.is_empty() && set.len() <= FEW as u64 => {
                self.list_more(&members(&set));
            }
            Posting::Set(set) => {
                self.spread();
                put(&mut self.words, &members(&set));
            }
            Posting::Bitmap(..) if self.is_empty() => self.only = Some(posting),
            Posting::Bitmap(bytes, _) => {
                self.spread();
                put_bitmap(&mut self.words, bytes);
            }
        }
    }

    /// Lists instances while they are few.
    fn list_more(&mut self, list: &[u32]) {
        self.list.extend_from_slice(list);
        if self.only.is_some() || self.list.len() > (self.instances / LISTED).max(FEW) {
            self.spread();
        }
    }

    /// Adds the instances of the one posting that are not of the other, which is part
    /// of it.
    pub fn add_difference(&mut self, whole: Posting<'a>, part: Posting<'a>) {
        self.added += whole.len().saturating_sub(part.len());
        if self.is_empty() {
            self.spread();
            let put = |words: &mut Vec<u64>, posting| match posting {
                Posting::List(list) => flip(words, list),
                Posting::Bitmap(bytes, _) => flip_bitmap(words, bytes),
                Posting::Set(set) => flip(words, &members(&set)),
            };
            put(&mut self.words, whole);
            put(&mut self.words, part);
            return;
        }
        let mut difference = Gathering::among(self.instances as u32);
        difference.add_difference(whole, part);
        self.spread();
        for (word, more) in self.words.iter_mut().zip(&difference.words) {
            *word |= more;
        }
    }

    /// Turns what there is into bits.
    fn spread(&mut self) {
        if self.words.is_empty() {
            self.words = vec![0; self.instances.div_ceil(64)];
        }
        put(&mut self.words, &self.list);
        self.list.clear();
        if let Some(Posting::Bitmap(bytes, _)) = self.only.take() {
            put_bitmap(&mut self.words, bytes);
        }
    }

    /// What was gathered.
    pub fn into_set(mut self) -> RoaringBitmap {
        if let Some(only) = self.only {
            return only.to_set();
        }
        if !self.words.is_empty() {
            return set_of_words(&self.words);
        }
        self.list.sort_unstable();
        self.list.dedup();
        set_of(&self.list)
    }

    /// What was gathered, ascending.
    pub fn into_list(mut self) -> Vec<u32> {
        if let Some(only) = self.only {
            let mut list = Vec::with_capacity(only.len());
            if let Posting::Bitmap(bytes, _) = only
                && write_out(bytes, &mut list).is_some()
            {
                return list;
            }
            return only.to_vec();
        }
        if !self.words.is_empty() {
            let mut list = Vec::new();
            bits::list(0, &self.words, bits::count(&self.words), &mut list);
            return list;
        }
        if !self.list.is_sorted() {
            self.list.sort_unstable();
        }
        self.list.dedup();
        self.list
    }

    /// What was gathered both here and there.
    pub fn met(self, other: Gathering<'a>) -> Gathering<'a> {
        let (few, mut many) = match self.added <= other.added {
            true => (self, other),
            false => (other, self),
        };
        let instances = few.instances;
        let sparse = few.added.saturating_mul(FEWER as usize) < instances;
        if sparse || few.is_list() || many.is_list() {
            let mut found = Vec::new();
            many.find(&few.into_list(), &mut found);
            return Gathering::of_list(instances as u32, found);
        }
        let mut both = few;
        both.spread();
        many.spread();
        both.added = bits::intersect(&mut both.words, &many.words);
        both
    }

    fn is_list(&self) -> bool {
        self.only.is_none() && self.words.is_empty()
    }

    /// Adds those of some candidates, ascending, that were gathered.
    fn find(self, candidates: &[u32], found: &mut Vec<u32>) {
        if let Some(Posting::Bitmap(bytes, _)) = self.only {
            looked_up(bytes, candidates, found);
        } else if !self.words.is_empty() {
            let has = |x: u32| {
                let word = self.words.get(x as usize / 64);
                word.is_some_and(|word| word >> (x % 64) & 1 == 1)
            };
            filter(candidates, has, found);
        } else {
            let list = self.into_list();
            let mut rest = list.as_slice();
            for &x in candidates {
                rest = after(rest, |at| *at < x);
                match rest.first() {
                    Some(&at) if at == x => found.push(x),
                    Some(_) => {}
                    None => return,
                }
            }
        }
    }

    /// What was gathered of some candidates.
    pub fn into_set_of(self, candidates: &RoaringBitmap) -> RoaringBitmap {
        let few = candidates.len().saturating_mul(FEWER);
        let mut found = Vec::new();
        if let Some(Posting::Bitmap(bytes, count)) = self.only
            && few < u64::from(count)
        {
            looked_up(bytes, &members(candidates), &mut found);
            return set_of(&found);
        }
        if few < 64 * self.words.len() as u64 {
            let has = |x: u32| {
                let word = self.words.get(x as usize / 64);
                word.is_some_and(|word| word >> (x % 64) & 1 == 1)
            };
            filter(&members(candidates), has, &mut found);
            return set_of(&found);
        }
        let mut set = self.into_set();
        set &= candidates;
        set
    }
}

fn flip(words: &mut [u64], list: &[u32]) {
    for &x in list {
        if let Some(word) = words.get_mut(x as usize / 64) {
            *word ^= 1 << (x % 64);
        }
    }
}

fn put_bitmap(words: &mut [u64], bytes: &[u8]) {
    each_block(words, bytes, |word, bits| *word |= bits);
}

fn flip_bitmap(words: &mut [u64], bytes: &[u8]) {
    each_block(words, bytes, |word, bits| *word ^= bits);
}

/// Joins a bitmap with the words of its blocks.
#[inline(always)]
fn each_block(words: &mut [u64], bytes: &[u8], join: impl Fn(&mut u64, u64)) {
    let blocks = Blocks::of(bytes).into_iter().flatten();
    for (base, block) in blocks {
        let Some(words) = words.get_mut(base as usize / 64..) else {
            return;
        };
        match block {
            Block::List(list) => {
                for low in list {
                    let low = u16::from_le_bytes(*low);
                    if let Some(word) = words.get_mut(usize::from(low) / 64) {
                        join(word, 1 << (low % 64));
                    }
                }
            }
            Block::Bits(bits, _) => {
                for (word, bits) in words.iter_mut().zip(bits) {
                    join(word, u64::from_le_bytes(*bits));
                }
            }
            Block::Ranges(ranges) => {
                for &[a, b, c, d] in ranges {
                    let first = usize::from(u16::from_le_bytes([a, b]));
                    let last = first + usize::from(u16::from_le_bytes([c, d]));
                    for at in first / 64..=last / 64 {
                        let from = first.saturating_sub(at * 64);
                        let to = (last - at * 64).min(63);
                        let bits = (u64::MAX << from) & (u64::MAX >> (63 - to));
                        if let Some(word) = words.get_mut(at) {
                            join(word, bits);
                        }
                    }
                }
            }
        }
    }
}

/// Adds the candidates that are in a bitmap.
fn looked_up(bytes: &[u8], candidates: &[u32], found: &mut Vec<u32>) {
    let mut rest = candidates;
    for (base, block) in Blocks::of(bytes).into_iter().flatten() {
        let from = rest.partition_point(|x| *x < base);
        let to = rest.partition_point(|x| *x <= base | 0xFFFF);
        block.meet(rest.get(from..to).unwrap_or(&[]), found);
        rest = rest.get(to..).unwrap_or(&[]);
        if rest.is_empty() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of some of so many, in each form that a posting has.
    fn gathered<'a>(set: &'a RoaringBitmap, bytes: &'a [u8]) -> Vec<Gathering<'a>> {
        let mut forms = Vec::new();
        let count = set.len() as u32;
        forms.push(Gathering::of_list(INSTANCES, set.iter().collect()));
        for postings in [
            vec![Posting::Bitmap(bytes, count)],
            vec![Posting::Set(set.clone())],
            vec![Posting::Bitmap(bytes, count), Posting::Bitmap(bytes, count)],
        ] {
            let mut gathering = Gathering::among(INSTANCES);
            postings
                .into_iter()
                .for_each(|posting| gathering.add(posting));
            forms.push(gathering);
        }
        forms
    }

    const INSTANCES: u32 = 200_000;

    #[test]
    fn whatever_forms_meet_what_both_have_is_left() {
        let every =
            |from: u32, step: usize| -> RoaringBitmap { (from..INSTANCES).step_by(step).collect() };
        let mut sets = vec![
            RoaringBitmap::new(),
            RoaringBitmap::from_iter([0, INSTANCES - 1]),
        ];
        sets.extend([1, 3, 50, 900].map(|step| every(5, step)));
        sets.push(RoaringBitmap::from_iter(60_000..140_000));
        let bytes: Vec<Vec<u8>> = sets
            .iter()
            .map(|set| {
                let mut bytes = Vec::new();
                let mut set = set.clone();
                set.optimize();
                set.serialize_into(&mut bytes).unwrap();
                bytes
            })
            .collect();
        for (a, a_bytes) in sets.iter().zip(&bytes) {
            for (b, b_bytes) in sets.iter().zip(&bytes) {
                for k in 0..16 {
                    let pair = || {
                        let a = gathered(a, a_bytes).swap_remove(k / 4);
                        let b = gathered(b, b_bytes).swap_remove(k % 4);
                        (a, b)
                    };
                    let (first, second) = pair();
                    let both = first.met(second);
                    assert!(both.most() as u64 >= (a & b).len());
                    assert_eq!(both.into_set(), a & b, "{k}");
                    let (first, second) = pair();
                    let list = first.met(second).into_list();
                    assert_eq!(list, (a & b).iter().collect::<Vec<u32>>(), "{k}");
                }
            }
        }
    }
}
