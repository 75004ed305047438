//! What both workloads have in common: files of whole numbers, and what is true of
//! the answers.

use super::BenchError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// An answer in short: how many ids it has, and the CRC-32 of the ids, ascending, as
/// little-endian numbers of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
pub struct Signature(pub u64, pub u32);

impl Signature {
    /// The signature of some ids, which are sorted on the way.
    pub fn of(ids: &mut [u32]) -> Signature {
        ids.sort_unstable();
        let mut hasher = crc32fast::Hasher::new();
        for id in ids.iter() {
            hasher.update(&id.to_le_bytes());
        }
        Signature(ids.len() as u64, hasher.finalize())
    }
}

/// Opens a file of a workload.
pub(super) fn open(path: &Path, hint: &'static str) -> Result<BufReader<File>, BenchError> {
    if !path.exists() {
        let path = path.to_owned();
        return Err(BenchError::NotFound { path, hint });
    }
    let file = File::open(path).map_err(BenchError::at(path))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Reads a file that is one JSON document.
pub(super) fn json<T: DeserializeOwned>(path: &Path, hint: &'static str) -> Result<T, BenchError> {
    serde_json::from_reader(open(path, hint)?).map_err(|error| BenchError::BadFile {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

/// Reads a file of JSON documents, one a line.
pub(super) fn json_lines<T: DeserializeOwned>(
    path: &Path,
    hint: &'static str,
) -> Result<Vec<T>, BenchError> {
    let mut all = Vec::new();
    lines(path, hint, |_, line| {
        all.push(serde_json::from_str(line).map_err(|error| error.to_string())?);
        Ok(())
    })?;
    Ok(all)
}

/// Refuses a workload whose truth does not fit its queries.
pub(super) fn same_length(folder: &Path, queries: usize, truth: usize) -> Result<(), BenchError> {
    if queries == truth {
        return Ok(());
    }
    Err(BenchError::BadFile {
        path: folder.join("truth.json"),
        reason: format!("it tells of {truth} answers, and queries.jsonl has {queries} queries"),
    })
}

/// Reads a table of whole numbers with a header; an empty cell is none.
pub(super) fn numbers<const N: usize>(
    path: &Path,
    hint: &'static str,
    header: [&str; N],
    mut row: impl FnMut([Option<u32>; N]) -> Result<(), String>,
) -> Result<(), BenchError> {
    lines(path, hint, |number, line| {
        let mut cells = [None; N];
        let mut rest = line.split(',');
        if number == 1 {
            return match rest.by_ref().eq(header) {
                true => Ok(()),
                false => Err(format!("the header is to be {}", header.join(","))),
            };
        }
        for cell in &mut cells {
            *cell = match rest.next() {
                Some("") => None,
                Some(text) => Some(text.parse().map_err(|_| format!("{text} is no number"))?),
                None => return Err(format!("{N} cells are due")),
            };
        }
        match rest.next() {
            None => row(cells),
            Some(_) => Err(format!("{N} cells are due")),
        }
    })
}

fn lines(
    path: &Path,
    hint: &'static str,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), BenchError> {
    for (at, line) in open(path, hint)?.lines().enumerate() {
        let line = line.map_err(BenchError::at(path))?;
        each(at + 1, &line).map_err(|reason| BenchError::BadLine {
            path: path.to_owned(),
            line: at + 1,
            reason,
        })?;
    }
    Ok(())
}

/// A stream of numbers that is the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a bound, 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts things in an order that only the seed tells.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for k in (1..all.len()).rev() {
            let other = self.below(k + 1);
            all.swap(k, other);
        }
    }
}

/// The numbers below a count, shuffled.
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    Draw::new(seed).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_sorted_ids() {
        // As Python's zlib.crc32 of the bytes 01000000 02000000.
        assert_eq!(Signature::of(&mut [2, 1]), Signature(2, 0x0381_177C));
        assert_eq!(Signature::of(&mut []), Signature(0, 0));
    }

    #[test]
    fn draws_stay_below_their_bound_and_a_shuffle_loses_nothing() {
        let mut draw = Draw::new(1);
        assert!((0..1000).all(|_| draw.below(7) < 7 && draw.unit() < 1.0));
        assert_eq!(draw.below(0), 0);
        let mut order = shuffled(100, 5);
        assert_ne!(order, shuffled(100, 6));
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
