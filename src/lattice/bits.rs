//! Sets as a bit for each number, 64 in a word: counted, intersected and listed with the
//! instructions that a processor has for it.
#![deny(clippy::indexing_slicing)]

/// Calls a function of this module in the form for processors that have the instructions,
/// else in the form for all.
macro_rules! fastest {
    ($plain:ident, $able:ident, $($argument:expr),*) => {{
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
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
    fastest!(counted, counted_able, words)
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

/// Keeps the bits that are set in both; how many these are.
pub(super) fn intersect(words: &mut [u64], with: &[u64]) -> usize {
    fastest!(intersected, intersected_able, words, with)
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

/// Adds the numbers whose bits are set, from `base` on, of which there are `count`.
pub(super) fn list(base: u32, words: &[u64], count: usize, out: &mut Vec<u32>) {
    let start = out.len();
    if list_of(base, words.iter().copied(), count, out).is_none() {
        out.truncate(start);
    }
}

/// The same of words one after another; none if there are not so many.
pub(super) fn list_of(
    base: u32,
    words: impl Iterator<Item = u64>,
    count: usize,
    out: &mut Vec<u32>,
) -> Option<()> {
    let start = out.len();
    out.resize(start + count, 0);
    let room = out.get_mut(start..)?;
    let mut next = 0;
    for (mut word, low) in words.zip((base..).step_by(64)) {
        while word != 0 {
            *room.get_mut(next)? = low + word.trailing_zeros();
            word &= word - 1;
            next += 1;
        }
    }
    (next == count).then_some(())
}
