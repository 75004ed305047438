//! BLAKE3 of many short texts at once, each stretched to 2 KiB and summed up, on
//! processors with AVX2.
//!
//! What the library does one block after another is done here for eight at a time: the
//! blocks of eight texts, and then eight blocks of what a text is stretched to; sixteen
//! where the processor has AVX-512. The result is the library's, to the byte.

mod wide;

use super::hash::Sums;
use blake3::hazmat::{HasherExt, left_subtree_len};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_or_si256, _mm256_set1_epi32,
    _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_xor_si256,
};

/// Blocks that are compressed at once.
const LANES: usize = 8;
/// A block, and a chunk of blocks, in bytes.
const BLOCK: usize = 64;
const CHUNK: usize = 1024;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;
const DERIVE_KEY_MATERIAL: u32 = 64;

const IV: [u32; 4] = [0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A];

/// One word of each of eight blocks.
type Words = __m256i;

/// Where the bytes of words come from that are turned to the right by 16 and by 8 bits.
const BY_16: [u8; 32] = turning(2);
const BY_8: [u8; 32] = turning(1);

const fn turning(bytes: u8) -> [u8; 32] {
    let mut from = [0; 32];
    let mut at = 0;
    while at < 32 {
        let byte = at as u8 % 16;
        from[at] = byte / 4 * 4 + (byte + bytes) % 4;
        at += 1;
    }
    from
}

#[inline]
#[target_feature(enable = "avx2")]
fn same(word: u32) -> Words {
    _mm256_set1_epi32(word.cast_signed())
}

/// The same words turned to the right.
macro_rules! turned {
    ($words:expr, 16) => {
        _mm256_shuffle_epi8($words, bytemuck::cast(BY_16))
    };
    ($words:expr, 8) => {
        _mm256_shuffle_epi8($words, bytemuck::cast(BY_8))
    };
    ($words:expr, $right:literal, $left:literal) => {
        _mm256_or_si256(
            _mm256_srli_epi32::<$right>($words),
            _mm256_slli_epi32::<$left>($words),
        )
    };
}

/// A step of a round on four words of the state.
macro_rules! mixed {
    ($a:ident, $b:ident, $c:ident, $d:ident, $x:expr, $y:expr) => {
        $a = _mm256_add_epi32(_mm256_add_epi32($a, $b), $x);
        $d = turned!(_mm256_xor_si256($d, $a), 16);
        $c = _mm256_add_epi32($c, $d);
        $b = turned!(_mm256_xor_si256($b, $c), 12, 20);
        $a = _mm256_add_epi32(_mm256_add_epi32($a, $b), $y);
        $d = turned!(_mm256_xor_si256($d, $a), 8);
        $c = _mm256_add_epi32($c, $d);
        $b = turned!(_mm256_xor_si256($b, $c), 7, 25);
    };
}

/// The state after seven rounds, from the chained words, the last four words and a block
/// each.
#[inline]
#[target_feature(enable = "avx2")]
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

/// What the last compression of a text takes.
#[derive(Clone, Copy, Default)]
struct Root {
    chained: [u32; 8],
    block: [u32; 16],
    length: u32,
    flags: u32,
}

/// A chunk whose blocks are to be chained.
#[derive(Clone, Copy, Default)]
struct Link<'t> {
    bytes: &'t [u8],
    /// Its number in its text.
    number: u32,
    /// How many of its blocks; the last one is left out where it is the root.
    blocks: usize,
}

/// The words of the block at the beginning of some bytes, which may be short.
fn block_of(bytes: &[u8]) -> [u32; 16] {
    let mut block = [0; BLOCK];
    match bytes.first_chunk::<BLOCK>() {
        Some(whole) => block = *whole,
        None => block
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from),
    }
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The `at`th block of each of some chunks, word by word.
struct Step<const N: usize> {
    message: [[u32; N]; 16],
    last: [[u32; N]; 4],
    before: [[u32; N]; 8],
}

impl<const N: usize> Step<N> {
    #[inline(always)]
    fn of(at: usize, links: &[Link<'_>; N], chained: &[[u32; 8]; N]) -> Step<N> {
        let mut step = Step {
            message: [[0; N]; 16],
            last: [[0; N]; 4],
            before: [[0; N]; 8],
        };
        for (lane, (link, chained)) in links.iter().zip(chained).enumerate() {
            let Some(bytes) = link.bytes.get(at * BLOCK..).filter(|_| at < link.blocks) else {
                continue;
            };
            let length = bytes.len().min(BLOCK);
            let start = if at == 0 { CHUNK_START } else { 0 };
            let end = if bytes.len() <= BLOCK { CHUNK_END } else { 0 };
            let flags = DERIVE_KEY_MATERIAL | start | end;
            put(&mut step.message, lane, &block_of(bytes));
            put(
                &mut step.last,
                lane,
                &[link.number, 0, length as u32, flags],
            );
            put(&mut step.before, lane, chained);
        }
        step
    }
}

/// Takes over a word of the chunks that have an `at`th block.
#[inline(always)]
fn take<const N: usize>(
    word: usize,
    fresh: [u32; N],
    (at, links): (usize, &[Link<'_>; N]),
    of_each: &mut [[u32; 8]; N],
) {
    for ((chained, link), fresh) in of_each.iter_mut().zip(links).zip(fresh) {
        if let Some(slot) = chained.get_mut(word).filter(|_| at < link.blocks) {
            *slot = fresh;
        }
    }
}

/// The chained words of up to eight chunks.
#[inline]
#[target_feature(enable = "avx2")]
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
            let fresh = bytemuck::cast(_mm256_xor_si256(*a, *b));
            take(word, fresh, (at, links), &mut of_each);
        }
    }
    of_each
}

/// Puts the words of a block into its lane.
#[inline(always)]
fn put<const N: usize>(to: &mut [[u32; N]], lane: usize, words: &[u32]) {
    for (to, word) in to.iter_mut().zip(words) {
        if let Some(slot) = to.get_mut(lane) {
            *slot = *word;
        }
    }
}

/// Adds what a text is stretched to.
#[inline]
#[target_feature(enable = "avx2")]
fn stretch(root: &Root, sums: &mut Sums) {
    let (mut chained, mut message) = ([same(0); 8], [same(0); 16]);
    for (to, word) in chained.iter_mut().zip(root.chained) {
        *to = same(word);
    }
    for (to, word) in message.iter_mut().zip(root.block) {
        *to = same(word);
    }
    let steps: Words = bytemuck::cast([0u32, 1, 2, 3, 4, 5, 6, 7]);
    for (group, sums) in (0u32..).zip(sums.as_chunks_mut::<16>().0) {
        let last = [
            _mm256_add_epi32(steps, same(group * LANES as u32)),
            same(0),
            same(root.length),
            same(root.flags),
        ];
        let state = rounds(&chained, last, message);
        let (first, second) = state.split_at(8);
        let (low, high) = sums.split_at_mut(8);
        for (sum, (a, b)) in low.iter_mut().zip(first.iter().zip(second)) {
            let sums = _mm256_add_epi16(bytemuck::cast(*sum), _mm256_xor_si256(*a, *b));
            *sum = bytemuck::cast(sums);
        }
        for (sum, (b, c)) in high.iter_mut().zip(second.iter().zip(&chained)) {
            let sums = _mm256_add_epi16(bytemuck::cast(*sum), _mm256_xor_si256(*b, *c));
            *sum = bytemuck::cast(sums);
        }
    }
}

/// The key of a context, as words.
pub(super) fn words_of(key: &[u8; 32]) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The words of two chained halves as the block of their parent.
fn parent(key: &[u32; 8], left: [u32; 8], right: [u32; 8]) -> Root {
    let mut block = [0; 16];
    let both = left.iter().chain(&right);
    block
        .iter_mut()
        .zip(both)
        .for_each(|(to, word)| *to = *word);
    Root {
        chained: *key,
        block,
        length: BLOCK as u32,
        flags: DERIVE_KEY_MATERIAL | PARENT | ROOT,
    }
}

/// The root of a text of more than two chunks.
fn long(key: &[u8; 32], text: &[u8]) -> Root {
    let (left, right) = text.split_at(left_subtree_len(text.len() as u64) as usize);
    let half = |bytes: &[u8], offset: usize| {
        let mut hasher = blake3::Hasher::new_from_context_key(key);
        hasher.set_input_offset(offset as u64);
        words_of(&hasher.update(bytes).finalize_non_root())
    };
    parent(&words_of(key), half(left, 0), half(right, left.len()))
}

/// The root of a text of one chunk, from what its blocks but the last are chained to.
fn short(text: &[u8], chained: [u32; 8]) -> Root {
    let before = text.len().saturating_sub(1) / BLOCK * BLOCK;
    let last = text.get(before..).unwrap_or(&[]);
    let start = if before == 0 { CHUNK_START } else { 0 };
    Root {
        chained,
        block: block_of(last),
        length: last.len() as u32,
        flags: DERIVE_KEY_MATERIAL | start | CHUNK_END | ROOT,
    }
}

/// The first chunk of each of some texts, and the second.
fn links<'t, const N: usize>(texts: &[&'t [u8]]) -> [[Link<'t>; N]; 2] {
    let mut links = [[Link::default(); N]; 2];
    let [first, second] = &mut links;
    for ((text, first), second) in texts.iter().zip(first).zip(second) {
        let blocks = text.len().div_ceil(BLOCK);
        match text.len() {
            0..=CHUNK => {
                *first = Link {
                    bytes: text,
                    number: 0,
                    blocks: blocks.saturating_sub(1),
                };
            }
            length if length <= 2 * CHUNK => {
                let (left, right) = text.split_at(CHUNK);
                let full = CHUNK / BLOCK;
                for (link, bytes, number, blocks) in
                    [(first, left, 0, full), (second, right, 1, blocks - full)]
                {
                    *link = Link {
                        bytes,
                        number,
                        blocks,
                    };
                }
            }
            _ => {}
        }
    }
    links
}

/// The root of a text from what its chunks are chained to.
fn root_of(key: &[u8; 32], text: &[u8], left: [u32; 8], right: [u32; 8]) -> Root {
    match text.len() {
        0..=CHUNK => short(text, left),
        length if length <= 2 * CHUNK => parent(&words_of(key), left, right),
        _ => long(key, text),
    }
}

/// Adds what each of up to eight texts is stretched to.
#[target_feature(enable = "avx2")]
fn add_texts(key: &[u8; 32], texts: &[&[u8]], sums: &mut Sums) {
    let [first, second] = links(texts);
    let words = words_of(key);
    let (first, second) = (chained(&words, &first), chained(&words, &second));
    for ((text, left), right) in texts.iter().zip(first).zip(second) {
        stretch(&root_of(key, text, left, right), sums);
    }
}

/// Adds what each of some texts is stretched to, in the mode of BLAKE3 that derives keys,
/// by the key of its context. False, and nothing is done, if the processor has not the
/// instructions for it.
pub(super) fn add_all(key: &[u8; 32], texts: &[&[u8]], sums: &mut Sums) -> bool {
    let able = std::arch::is_x86_feature_detected!("avx2");
    let wide = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw");
    if wide && able {
        for texts in texts.chunks(wide::LANES) {
            // SAFETY: the processor has the instructions that this is made of.
            #[allow(unsafe_code)]
            unsafe {
                wide::add_texts(key, texts, sums);
            }
        }
        return true;
    }
    for texts in texts.chunks(LANES).filter(|_| able) {
        // SAFETY: the processor has the instructions that this is made of.
        #[allow(unsafe_code)]
        unsafe {
            add_texts(key, texts, sums);
        }
    }
    able
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_give_the_same_sums() {
        let able = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw");
        if !able {
            eprintln!("skipped: this processor has no AVX-512");
            return;
        }
        let key = [7; 32];
        let texts: Vec<Vec<u8>> = (0..40usize)
            .map(|n| (0..n * 97).map(|at| (at * 31 + n) as u8).collect())
            .collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let (mut narrow, mut wide) = ([[3u16; 16]; 64], [[3u16; 16]; 64]);
        // SAFETY: the processor has the instructions that these are made of.
        #[allow(unsafe_code)]
        unsafe {
            for texts in texts.chunks(LANES) {
                add_texts(&key, texts, &mut narrow);
            }
            for texts in texts.chunks(wide::LANES) {
                wide::add_texts(&key, texts, &mut wide);
            }
        }
        assert!(narrow == wide);
    }
}
