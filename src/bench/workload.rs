//! What both workloads have in common: files of whole numbers, and what is true of
//! the answers.

use super::BenchError;
use super::generate::Draw;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// An answer in short: how many ids it has, and the CRC-32 of the ids, ascending, as
/// little-endian numbers of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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

/// Writes a file.
pub(super) fn write(
    path: &Path,
    what: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), BenchError> {
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        what(&mut out)?;
        out.flush()
    };
    write().map_err(BenchError::at(path))
}

/// Writes values as JSON, one a line.
pub(super) fn write_json<T: Serialize>(path: &Path, all: &[T]) -> Result<(), BenchError> {
    write(path, |out| {
        for value in all {
            serde_json::to_writer(&mut *out, value)?;
            writeln!(out)?;
        }
        Ok(())
    })
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
    fn a_shuffle_loses_nothing() {
        let mut order = shuffled(100, 5);
        assert_ne!(order, shuffled(100, 6));
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
