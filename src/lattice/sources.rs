//! Where a builder keeps the sources: as one stream of bytes, of which the first part
//! may lie in a temporary file.
//!
//! A source takes the length of what follows, a byte that says what is known, its
//! document, the start and length of its range, its line, and its text. Numbers take 7
//! bits a byte.

use super::intern::StringKey;
use super::spill::Spill;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Sources in a group, of which one is found by walking through it.
const GROUP: u32 = 16;
/// How much of a file is read at once where sources are read one after another.
const WINDOW: u64 = 1 << 16;
const HAS_RANGE: u8 = 1;
const HAS_LINE: u8 = 2;

/// A source as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source<'a> {
    pub(super) document: StringKey,
    pub(super) range: Option<(u64, u64)>,
    pub(super) line: Option<u64>,
    pub(super) text: &'a str,
}

/// All sources of a builder, in the order in which they came.
#[derive(Clone, Default)]
pub(super) struct Sources {
    count: u32,
    /// Where each group starts in the stream.
    groups: Vec<u64>,
    /// The parts of the stream that lie in a file, one behind another.
    parts: Vec<Part>,
    /// Where the rest of the stream starts.
    rest_start: u64,
    rest: Vec<u8>,
    /// Where the latest source starts in the rest.
    latest: usize,
    /// The document of the latest source.
    pub(super) latest_document: Option<StringKey>,
}

#[derive(Clone)]
struct Part {
    start: u64,
    spill: Arc<Spill>,
    at: u64,
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn number_length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

impl<'a> Source<'a> {
    fn put(&self, bytes: &mut Vec<u8>) {
        let (start, end) = self.range.unwrap_or((0, 0));
        let document = u64::from(self.document.0);
        let mut length = 1 + number_length(document) + self.text.len();
        if self.range.is_some() {
            length += number_length(start) + number_length(end - start);
        }
        if let Some(line) = self.line {
            length += number_length(line);
        }
        put_number(bytes, length as u64);
        let range = if self.range.is_some() { HAS_RANGE } else { 0 };
        let line = if self.line.is_some() { HAS_LINE } else { 0 };
        bytes.push(range | line);
        put_number(bytes, document);
        if self.range.is_some() {
            put_number(bytes, start);
            put_number(bytes, end - start);
        }
        if let Some(line) = self.line {
            put_number(bytes, line);
        }
        bytes.extend_from_slice(self.text.as_bytes());
    }

    /// The source in these bytes, its length not included.
    fn of(mut bytes: &'a [u8]) -> Option<Source<'a>> {
        let (&known, rest) = bytes.split_first()?;
        bytes = rest;
        let document = StringKey(u32::try_from(take_number(&mut bytes)?).ok()?);
        let mut range = None;
        if known & HAS_RANGE != 0 {
            let start = take_number(&mut bytes)?;
            range = Some((start, start.checked_add(take_number(&mut bytes)?)?));
        }
        let line = match known & HAS_LINE {
            0 => None,
            _ => Some(take_number(&mut bytes)?),
        };
        Some(Source {
            document,
            range,
            line,
            text: std::str::from_utf8(bytes).ok()?,
        })
    }
}

impl Sources {
    /// The number of sources.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// Makes room for so many sources more, of so many bytes.
    pub(super) fn reserve(&mut self, count: usize, bytes: usize) {
        self.groups.reserve(count / GROUP as usize);
        self.rest.reserve(bytes);
    }

    /// Adds a source, whose range does not end before it starts, unless it is the one
    /// that was added last. None if there is no number left for it.
    pub(super) fn push(&mut self, source: Source<'_>) -> Option<u32> {
        let (key, start) = (self.count, self.rest.len());
        self.latest_document = Some(source.document);
        source.put(&mut self.rest);
        let (before, new) = self.rest.split_at_checked(start)?;
        if key > 0 && before.get(self.latest..) == Some(new) {
            self.rest.truncate(start);
            return Some(key - 1);
        }
        self.count = key.checked_add(1).filter(|&next| next != u32::MAX)?;
        if key.is_multiple_of(GROUP) {
            self.groups.push(self.rest_start + start as u64);
        }
        self.latest = start;
        Some(key)
    }

    /// The length of the stream.
    fn length(&self) -> u64 {
        self.rest_start + self.rest.len() as u64
    }

    /// How much of the stream lies in memory.
    pub(super) fn unspilled(&self) -> usize {
        self.rest.len()
    }

    /// Moves all whole groups to a file.
    pub(super) fn spill(&mut self, spill: &Arc<Spill>) -> io::Result<()> {
        let whole = match self.count % GROUP {
            0 => self.length(),
            _ => self.groups.last().copied().unwrap_or(0),
        };
        let length = whole.saturating_sub(self.rest_start) as usize;
        let Some(bytes) = self.rest.get(..length).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        self.parts.push(Part {
            start: self.rest_start,
            spill: spill.clone(),
            at: spill.put(bytes)?,
        });
        // Not what is left moved to the start: its room would stay taken.
        self.rest = self.rest.split_off(length);
        self.latest = self.latest.saturating_sub(length);
        self.rest_start = whole;
        Ok(())
    }

    /// Where a group lies in the stream.
    fn group(&self, key: u32) -> Option<Range<u64>> {
        let at = (key / GROUP) as usize;
        let start = *self.groups.get(at)?;
        let end = self.groups.get(at + 1).copied();
        Some(start..end.unwrap_or_else(|| self.length()))
    }

    /// Reads sources; best in their order.
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            sources: self,
            window: Vec::new(),
            window_start: 0,
            next: (0, 0),
        }
    }
}

/// Reads sources one after another.
pub(super) struct Reader<'a> {
    sources: &'a Sources,
    /// The bytes of the stream that were read from the file last.
    window: Vec<u8>,
    window_start: u64,
    /// The source behind the one that was read last, and where it lies.
    next: (u32, u64),
}

impl Reader<'_> {
    /// A source; none if no source has this key.
    pub(super) fn get(&mut self, key: u32) -> io::Result<Option<Source<'_>>> {
        if key >= self.sources.count {
            return Ok(None);
        }
        let Some(group) = self.sources.group(key) else {
            return Ok(None);
        };
        let sequential = key == self.next.0;
        let (mut at, mut walked) = match sequential {
            true => (self.next.1, key),
            false => (group.start, key - key % GROUP),
        };
        self.load(&group, sequential)?;
        let malformed = || io::Error::other("a temporary file is not as it was written");
        let whole = self.bytes(at).ok_or_else(malformed)?;
        let mut rest = whole;
        loop {
            let length = take_number(&mut rest).ok_or_else(malformed)?;
            let (source, behind) = rest
                .split_at_checked(length as usize)
                .ok_or_else(malformed)?;
            rest = behind;
            if walked == key {
                at += (whole.len() - rest.len()) as u64;
                let next = (key + 1, at);
                // Found again, since what was found cannot be kept beside the change.
                let found = (at - source.len() as u64, source.len());
                self.next = next;
                let bytes = self.bytes(found.0).and_then(|bytes| bytes.get(..found.1));
                return bytes.and_then(Source::of).map(Some).ok_or_else(malformed);
            }
            walked += 1;
        }
    }

    /// Whether the group lies in memory, or in the window.
    fn load(&mut self, group: &Range<u64>, sequential: bool) -> io::Result<()> {
        let sources = self.sources;
        let window_end = self.window_start + self.window.len() as u64;
        if group.start >= sources.rest_start
            || (group.start >= self.window_start && group.end <= window_end)
        {
            return Ok(());
        }
        let behind = sources
            .parts
            .partition_point(|part| part.start <= group.start);
        let part = behind.checked_sub(1).and_then(|at| sources.parts.get(at));
        let Some(part) = part else {
            return Ok(());
        };
        let part_end = sources
            .parts
            .get(behind)
            .map_or(sources.rest_start, |p| p.start);
        let end = match sequential {
            true => part_end.min(group.end.max(group.start + WINDOW)),
            false => group.end,
        };
        self.window.resize((end - group.start) as usize, 0);
        self.window_start = group.start;
        let at = part.at + (group.start - part.start);
        part.spill.read(&mut self.window, at)
    }

    /// The bytes of the stream from a place on, as far as they are at hand.
    fn bytes(&self, at: u64) -> Option<&[u8]> {
        let sources = self.sources;
        match at.checked_sub(sources.rest_start) {
            Some(at) => sources.rest.get(at as usize..),
            None => {
                let at = at.checked_sub(self.window_start)?;
                self.window.get(at as usize..)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(n: u32) -> (StringKey, Option<(u64, u64)>, Option<u64>, String) {
        let big = u64::from(n) << (n % 50);
        (
            StringKey(n / 100),
            (!n.is_multiple_of(3)).then_some((big, big + u64::from(n))),
            (!n.is_multiple_of(4)).then_some(big),
            "é".repeat(n as usize % 90),
        )
    }

    #[test]
    fn sources_come_back_from_memory_and_file_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::create(folder.path()).unwrap();
        let mut sources = Sources::default();
        for n in 0..2000 {
            let (document, range, line, text) = source(n);
            let text = &text;
            let key = sources.push(Source {
                document,
                range,
                line,
                text,
            });
            assert_eq!(key, Some(n));
            if n == 7 || n == 900 || n == 1500 {
                sources.spill(&spill).unwrap();
            }
        }
        assert!(sources.unspilled() < 100_000);
        let (document, range, line, text) = source(1999);
        let text = &text;
        let again = sources.push(Source {
            document,
            range,
            line,
            text,
        });
        assert_eq!((again, sources.len()), (Some(1999), 2000));
        let forward = 0..2000;
        let scattered = (0..2000).map(|n| n * 77 % 2000);
        for order in [forward.collect::<Vec<u32>>(), scattered.collect()] {
            let mut reader = sources.reader();
            for n in order {
                let found = reader.get(n).unwrap().unwrap();
                let (document, range, line, text) = source(n);
                assert_eq!((found.document, found.range), (document, range), "{n}");
                assert_eq!((found.line, found.text), (line, text.as_str()), "{n}");
            }
        }
        assert_eq!(sources.reader().get(2000).unwrap(), None);
        let ends = (StringKey(1), Some((u64::MAX, u64::MAX)), Some(u64::MAX));
        let key = sources.push(Source {
            document: ends.0,
            range: ends.1,
            line: ends.2,
            text: "x",
        });
        let mut reader = sources.reader();
        let found = reader.get(key.unwrap()).unwrap().unwrap();
        assert_eq!((found.document, found.range, found.line), ends);
    }
}
