//! A file line by line, in bounded memory.

use super::files::{Files, Input};
use super::{LoadError, NotText};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line that is read, in bytes.
pub const LONGEST_LINE: usize = 16 << 20;

/// What is wrong with a line as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is longer than [`LONGEST_LINE`]; so many bytes.
    TooLong(u64),
    /// It is no text, at this byte of the file.
    NotText(NotText, u64),
}

/// A line without its line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The text, or what is wrong with it.
    pub text: Result<&'a str, Fault>,
    /// Its number, from 1.
    pub number: u64,
    /// Its first byte in the file.
    pub start: u64,
    /// One past its last byte, its line break not included.
    pub end: u64,
}

/// Reads lines one after another into one buffer.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Input>,
    buffer: Vec<u8>,
    number: u64,
    offset: u64,
}

impl Lines {
    /// Opens a file.
    pub fn open(files: &Files, path: &Path, document: &str) -> Result<Lines, LoadError> {
        let file = files.open(path, document)?;
        Ok(Lines {
            path: path.to_path_buf(),
            reader: BufReader::with_capacity(1 << 16, file),
            buffer: Vec::new(),
            number: 0,
            offset: 0,
        })
    }

    /// The next line; none at the end of the file.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, LoadError> {
        self.buffer.clear();
        let limit = LONGEST_LINE as u64 + 2;
        let read = (&mut self.reader)
            .take(limit)
            .read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|error| LoadError::from_io(&self.path, &error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut start = self.offset;
        self.offset += read as u64;
        let ended = self.buffer.last() == Some(&b'\n');
        let mut body = self.buffer.as_slice();
        if ended {
            body = body.strip_suffix(b"\n").unwrap_or(body);
            body = body.strip_suffix(b"\r").unwrap_or(body);
        }
        let mut skip = 0;
        if self.number == 1 && body.starts_with(b"\xEF\xBB\xBF") {
            skip = 3;
            start += 3;
        }
        let length = body.len() - skip;
        if length > LONGEST_LINE {
            let rest = if ended { 0 } else { self.skip_line()? };
            let bytes = length as u64 + rest;
            return Ok(Some(Line {
                text: Err(Fault::TooLong(bytes)),
                number: self.number,
                start,
                end: start + bytes,
            }));
        }
        let body = self.buffer.get(skip..skip + length).unwrap_or_default();
        Ok(Some(Line {
            text: checked(body, start, self.number == 1),
            number: self.number,
            start,
            end: start + length as u64,
        }))
    }

    /// Reads on to the end of the line and keeps nothing of it.
    fn skip_line(&mut self) -> Result<u64, LoadError> {
        let mut skipped = 0u64;
        loop {
            self.buffer.clear();
            let read = (&mut self.reader)
                .take(1 << 16)
                .read_until(b'\n', &mut self.buffer)
                .map_err(|error| LoadError::from_io(&self.path, &error))?;
            skipped += read as u64;
            self.offset += read as u64;
            if read == 0 || self.buffer.last() == Some(&b'\n') {
                return Ok(skipped);
            }
        }
    }
}

/// A whole file that is to be text, without a byte order mark.
pub(super) fn whole_text(files: &Files, path: &Path, document: &str) -> Result<String, LoadError> {
    let mut bytes = Vec::new();
    let read = files.open(path, document)?.read_to_end(&mut bytes);
    read.map_err(|error| LoadError::from_io(path, &error))?;
    match checked(&bytes, 0, true) {
        Ok(_) => {}
        Err(Fault::NotText(what, offset)) => {
            let before = bytes.get(..usize::try_from(offset).unwrap_or(0));
            let breaks = before
                .unwrap_or_default()
                .iter()
                .filter(|b| **b == b'\n')
                .count();
            return Err(LoadError::NotText {
                document: document.to_owned(),
                offset,
                line: breaks as u64 + 1,
                what,
            });
        }
        Err(Fault::TooLong(_)) => {}
    }
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

fn checked(body: &[u8], start: u64, first: bool) -> Result<&str, Fault> {
    if first && (body.starts_with(b"\xFF\xFE") || body.starts_with(b"\xFE\xFF")) {
        return Err(Fault::NotText(NotText::Utf16, start));
    }
    let text = std::str::from_utf8(body)
        .map_err(|error| Fault::NotText(NotText::Utf8, start + error.valid_up_to() as u64))?;
    if body.contains(&0) {
        let at = body.iter().position(|byte| *byte == 0).unwrap_or_default();
        return Err(Fault::NotText(NotText::Nul, start + at as u64));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: &[u8]) -> Vec<(Result<String, Fault>, u64, u64, u64)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut lines = Lines::open(&Files::default(), file.path(), "").unwrap();
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let text = line.text.map(str::to_owned);
            all.push((text, line.number, line.start, line.end));
        }
        assert_eq!(lines.offset, bytes.len() as u64);
        all
    }

    #[test]
    fn byte_order_mark_and_carriage_returns() {
        assert_eq!(
            read(b"\xEF\xBB\xBFa\r\n\r\nb\rc\n\nd"),
            [
                (Ok("a".to_owned()), 1, 3, 4),
                (Ok(String::new()), 2, 6, 6),
                (Ok("b\rc".to_owned()), 3, 8, 11),
                (Ok(String::new()), 4, 12, 12),
                (Ok("d".to_owned()), 5, 13, 14),
            ]
        );
        assert!(read(b"").is_empty());
    }

    #[test]
    fn what_is_no_text_is_named_with_its_byte() {
        let faults: Vec<_> = read(b"ok\nA\xFFB\nA\0B\n")
            .into_iter()
            .map(|l| l.0)
            .collect();
        assert_eq!(
            faults,
            [
                Ok("ok".to_owned()),
                Err(Fault::NotText(NotText::Utf8, 4)),
                Err(Fault::NotText(NotText::Nul, 8)),
            ]
        );
        assert_eq!(
            read(b"\xFF\xFEa\0")[0].0,
            Err(Fault::NotText(NotText::Utf16, 0))
        );
    }

    #[test]
    fn a_line_of_20_mib_is_passed_over() {
        let mut bytes = vec![b'x'; 20 << 20];
        bytes.extend_from_slice(b"\nok\n");
        let lines = read(&bytes);
        assert_eq!(lines[0].0, Err(Fault::TooLong((20 << 20) + 1)));
        assert_eq!(lines[1].0, Ok("ok".to_owned()));
        assert_eq!(lines[1].2, (20 << 20) + 1);
        let mut bytes = vec![b'x'; LONGEST_LINE];
        bytes.extend_from_slice(b"\r\n");
        assert!(read(&bytes)[0].0.is_ok());
    }
}
