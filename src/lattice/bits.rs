//! Sets as a bit for each number, 64 in a word: counted, intersected and listed with the
//! instructions that a processor has for it.
#![deny(clippy::indexing_slicing)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm512_add_epi32, _mm512_maskz_compress_epi32, _mm512_set1_epi32};

/// Whether the processor counts and lists bits with registers of sixteen numbers.
#[cfg(target_arch = "x86_64")]
fn is_wide() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
        && std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("bmi1")
}

/// Calls a function of this module in the form for processors that have the instructions,
/// else in the form for all.
macro_rules! fastest {
    ($plain:ident, $able:ident, $wide:ident, $($argument:expr),*) => {{
        #[cfg(target_arch = "x86_64")]
        if is_wide() {
            // SAFETY: the processor has the instructions that this is made of.
            #[allow(unsafe_code)]
            return unsafe { $wide($($argument),*) };
        } else if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("bmi1")
        {
            // SAFETY: the processor has the instructions that this is made of.
            #[allow(unsafe_code)]
            return unsafe { $able($($argument),*) };
        }
        $plain($($argument),*)
    }};
}

/// How many bits are set.
pub(super) fn count(words: &[u64]) -> usize {
    fastest!(counted, counted_able, counted_wide, words)
}

#[inline(always)]
fn counted(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn counted_able(words: &[u64]) -> usize {
    counted(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn counted_wide(words: &[u64]) -> usize {
    counted(words)
}

/// Keeps the bits that are set in both; how many these are.
pub(super) fn intersect(words: &mut [u64], with: &[u64]) -> usize {
    fastest!(intersected, intersected_able, intersected_wide, words, with)
}

#[inline(always)]
fn intersected(words: &mut [u64], with: &[u64]) -> usize {
    let mut count = 0;
    for (word, with) in words.iter_mut().zip(with) {
        *word &= with;
        count += word.count_ones() as usize;
    }
    count
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn intersected_able(words: &mut [u64], with: &[u64]) -> usize {
    intersected(words, with)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt,bmi1")]
fn intersected_wide(words: &mut [u64], with: &[u64]) -> usize {
    intersected(words, with)
}

/// Sets the bits of numbers.
pub(super) fn put(words: &mut [u64], list: &[u32]) {
    for &x in list {
        if let Some(word) = words.get_mut(x as usize / 64) {
            *word |= 1 << (x % 64);
        }
    }
}

/// Adds the numbers whose bits are set, from `base` on, of which there are `count`.
pub(super) fn list(base: u32, words: &[u64], count: usize, out: &mut Vec<u32>) {
    let start = out.len();
    if list_of(base, words.iter().copied(), count, out).is_none() {
        out.truncate(start);
    }
}

/// So many numbers are gathered before they are added.
const ROOM: usize = 1 << 10;

/// The same of words one after another; none if there are not so many.
pub(super) fn list_of(
    base: u32,
    words: impl ExactSizeIterator<Item = u64>,
    count: usize,
    out: &mut Vec<u32>,
) -> Option<()> {
    let start = out.len();
    out.reserve(count);
    #[cfg(target_arch = "x86_64")]
    if count > words.len() && is_wide() {
        // SAFETY: the processor has the instructions that this is made of.
        #[allow(unsafe_code)]
        unsafe {
            listed_wide(base, words, out);
        }
        return (out.len() == start + count).then_some(());
    }
    listed(base, words, out);
    (out.len() == start + count).then_some(())
}

/// Few bits of a word are set as a rule: its first is written down before it is known
/// whether there is one, which is as often wrong to guess as right.
fn listed(base: u32, words: impl Iterator<Item = u64>, out: &mut Vec<u32>) {
    let mut gathered = [0u32; ROOM + 65];
    let mut next = 0;
    let mut low = base;
    for word in words {
        if let Some(slot) = gathered.get_mut(next) {
            *slot = low.wrapping_add(word.trailing_zeros());
        }
        next += usize::from(word != 0);
        let mut rest = word & word.wrapping_sub(1);
        while rest != 0 {
            if let Some(slot) = gathered.get_mut(next) {
                *slot = low.wrapping_add(rest.trailing_zeros());
            }
            rest &= rest - 1;
            next += 1;
        }
        low = low.wrapping_add(64);
        if next >= ROOM {
            out.extend_from_slice(gathered.get(..next).unwrap_or(&[]));
            next = 0;
        }
    }
    out.extend_from_slice(gathered.get(..next).unwrap_or(&[]));
}

/// Where many are set: sixteen at a time, those that are set moved together.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,popcnt")]
fn listed_wide(base: u32, words: impl Iterator<Item = u64>, out: &mut Vec<u32>) {
    let steps = bytemuck::cast([0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let mut gathered = [0u32; ROOM + 64 + 16];
    let (mut next, mut low) = (0, base);
    for word in words {
        for quarter in 0..4 {
            let bits = (word >> (16 * quarter)) as u16;
            let from = low.wrapping_add(16 * quarter);
            let numbers = _mm512_add_epi32(steps, _mm512_set1_epi32(from.cast_signed()));
            let numbers = _mm512_maskz_compress_epi32(bits, numbers);
            let slots = gathered.get_mut(next..).unwrap_or_default();
            if let Some(slots) = slots.first_chunk_mut::<16>() {
                *slots = bytemuck::cast(numbers);
            }
            next += bits.count_ones() as usize;
        }
        low = low.wrapping_add(64);
        if next >= ROOM {
            out.extend_from_slice(gathered.get(..next).unwrap_or(&[]));
            next = 0;
        }
    }
    out.extend_from_slice(gathered.get(..next).unwrap_or(&[]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_form_counts_intersects_and_lists_the_same(
            seeds in prop::collection::vec((any::<u64>(), any::<u64>(), 0u32..4), 0..80),
            base in 0u32..1000,
        ) {
            // From empty words to full ones.
            let thinned = |word: u64, with: u64, how: u32| match how {
                0 => 0,
                1 => word & with & with.rotate_left(7) & word.rotate_left(31),
                2 => word,
                _ => word | with,
            };
            let words: Vec<u64> = seeds.iter().map(|&(a, b, how)| thinned(a, b, how)).collect();
            let with: Vec<u64> = seeds.iter().map(|&(a, b, how)| thinned(b, a, how)).collect();
            let listed = |words: &[u64]| -> Vec<u32> {
                let bits = (0..64 * words.len() as u32).filter(|n| words[*n as usize / 64] >> (n % 64) & 1 == 1);
                bits.map(|n| base + n).collect()
            };
            let expected = listed(&words);
            prop_assert_eq!(count(&words), expected.len());
            prop_assert_eq!(counted(&words), expected.len());
            let mut out = vec![7];
            list(base, &words, expected.len(), &mut out);
            prop_assert_eq!(&out[1..], expected.as_slice());
            let mut plain = Vec::new();
            super::listed(base, words.iter().copied(), &mut plain);
            prop_assert_eq!(&plain, &expected);
            #[cfg(target_arch = "x86_64")]
            if is_wide() {
                let mut wide = Vec::new();
                // SAFETY: the processor has the instructions that this is made of.
                #[allow(unsafe_code)]
                unsafe { listed_wide(base, words.iter().copied(), &mut wide) };
                prop_assert_eq!(&wide, &expected);
            }
            prop_assert_eq!(list_of(base, words.iter().copied(), expected.len() + 1, &mut Vec::new()), None);
            let (mut both, mut plain) = (words.clone(), words.clone());
            let met: Vec<u64> = words.iter().zip(&with).map(|(a, b)| a & b).collect();
            prop_assert_eq!(intersect(&mut both, &with), counted(&met));
            prop_assert_eq!(intersected(&mut plain, &with), counted(&met));
            prop_assert_eq!(&both, &met);
            prop_assert_eq!(&plain, &met);
        }
    }
}
