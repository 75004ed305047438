//! The same with registers of sixteen words, on processors with AVX-512: sixteen blocks at
//! once, and a turned word in one instruction.

use super::{IV, Link, Root, Step, links, root_of, take, words_of};
use crate::lattice::hash::Sums;
use std::arch::x86_64::{
    __m512i, _mm256_add_epi16, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_extracti64x4_epi64,
    _mm512_ror_epi32, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_xor_si512,
};

/// Blocks that are compressed at once.
pub(super) const LANES: usize = 16;

/// One word of each of sixteen blocks.
type Words = __m512i;

#[inline]
#[target_feature(enable = "avx512f")]
fn same(word: u32) -> Words {
    _mm512_set1_epi32(word.cast_signed())
}

/// A step of a round on four words of the state.
macro_rules! mixed {
    ($a:ident, $b:ident, $c:ident, $d:ident, $x:expr, $y:expr) => {
        $a = _mm512_add_epi32(_mm512_add_epi32($a, $b), $x);
        $d = _mm512_ror_epi32::<16>(_mm512_xor_si512($d, $a));
        $c = _mm512_add_epi32($c, $d);
        $b = _mm512_ror_epi32::<12>(_mm512_xor_si512($b, $c));
        $a = _mm512_add_epi32(_mm512_add_epi32($a, $b), $y);
        $d = _mm512_ror_epi32::<8>(_mm512_xor_si512($d, $a));
        $c = _mm512_add_epi32($c, $d);
        $b = _mm512_ror_epi32::<7>(_mm512_xor_si512($b, $c));
    };
}

/// The state after seven rounds, from the chained words, the last four words and a block
/// each.
#[inline]
#[target_feature(enable = "avx512f")]
fn rounds(chained: &[Words; 8], last: [Words; 4], mut m: [Words; 16]) -> [Words; 16] {
    let [
        mut a0,
        mut a1,
        mut a2,
        mut a3,
        mut b0,
        mut b1,
        mut b2,
        mut b3,
    ] = *chained;
    let [mut c0, mut c1, mut c2, mut c3] = [same(IV[0]), same(IV[1]), same(IV[2]), same(IV[3])];
    let [mut d0, mut d1, mut d2, mut d3] = last;
    for _ in 0..7 {
        mixed!(a0, b0, c0, d0, m[0], m[1]);
        mixed!(a1, b1, c1, d1, m[2], m[3]);
        mixed!(a2, b2, c2, d2, m[4], m[5]);
        mixed!(a3, b3, c3, d3, m[6], m[7]);
        mixed!(a0, b1, c2, d3, m[8], m[9]);
        mixed!(a1, b2, c3, d0, m[10], m[11]);
        mixed!(a2, b3, c0, d1, m[12], m[13]);
        mixed!(a3, b0, c1, d2, m[14], m[15]);
        m = [
            m[2], m[6], m[3], m[10], m[7], m[0], m[4], m[13], m[1], m[11], m[12], m[5], m[9],
            m[14], m[15], m[8],
        ];
    }
    [
        a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3,
    ]
}

/// The chained words of up to sixteen chunks.
#[inline]
#[target_feature(enable = "avx512f")]
fn chained(key: &[u32; 8], links: &[Link<'_>; LANES]) -> [[u32; 8]; LANES] {
    let mut of_each = [*key; LANES];
    let most = links.iter().map(|link| link.blocks).max().unwrap_or(0);
    for at in 0..most {
        let step = Step::of(at, links, &of_each);
        let state = rounds(
            &bytemuck::cast(step.before),
            bytemuck::cast(step.last),
            bytemuck::cast(step.message),
        );
        let (first, second) = state.split_at(8);
        for (word, (a, b)) in first.iter().zip(second).enumerate() {
            let fresh = bytemuck::cast(_mm512_xor_si512(*a, *b));
            take(word, fresh, (at, links), &mut of_each);
        }
    }
    of_each
}

/// Adds what each of up to sixteen texts is stretched to.
#[target_feature(enable = "avx512f,avx512bw,avx2")]
pub(super) fn add_texts(key: &[u8; 32], texts: &[&[u8]], sums: &mut Sums) {
    let [first, second] = links(texts);
    let words = words_of(key);
    let (first, second) = (chained(&words, &first), chained(&words, &second));
    for ((text, left), right) in texts.iter().zip(first).zip(second) {
        stretch(&root_of(key, text, left, right), sums);
    }
}

/// Adds what a text is stretched to.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx2")]
fn stretch(root: &Root, sums: &mut Sums) {
    let (mut chained, mut message) = ([same(0); 8], [same(0); 16]);
    for (to, word) in chained.iter_mut().zip(root.chained) {
        *to = same(word);
    }
    for (to, word) in message.iter_mut().zip(root.block) {
        *to = same(word);
    }
    let steps: Words = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (group, sums) in (0u32..).zip(sums.as_chunks_mut::<32>().0) {
        let last = [
            _mm512_add_epi32(steps, same(group * LANES as u32)),
            same(0),
            same(root.length),
            same(root.flags),
        ];
        let state = rounds(&chained, last, message);
        let (first, second) = state.split_at(8);
        // The sums of the first eight blocks, and those of the others.
        let (near, far) = sums.split_at_mut(16);
        let words = first.iter().zip(second).map(|(a, b)| (*a, *b));
        let words = words.chain(second.iter().zip(&chained).map(|(b, c)| (*b, *c)));
        for ((near, far), (a, b)) in near.iter_mut().zip(far).zip(words) {
            let word = _mm512_xor_si512(a, b);
            let low = _mm256_add_epi16(bytemuck::cast(*near), _mm512_castsi512_si256(word));
            let high = _mm512_extracti64x4_epi64::<1>(word);
            let high = _mm256_add_epi16(bytemuck::cast(*far), high);
            (*near, *far) = (bytemuck::cast(low), bytemuck::cast(high));
        }
    }
}
