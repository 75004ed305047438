//! CSV and TSV. In TSV quotes are ordinary characters.

use super::batch::{Batch, Seen, Work, look};
use super::rows::{Cell, Cells, Row, Rows};
use crate::lattice::beside;
use crate::load::job::Job;
use crate::load::lines::{Fault, LONGEST_LINE, Lines};
use crate::load::{LoadError, names};
use std::collections::{HashSet, VecDeque};
use std::io::Read;

/// After so many quotes that are never closed a file is given up.
const MOST_UNCLOSED: usize = 100;

/// Hands a record at a time to the CSV reader.
#[derive(Default)]
struct Feed {
    bytes: Vec<u8>,
    given: usize,
}

impl Read for Feed {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut rest = self.bytes.get(self.given..).unwrap_or_default();
        let read = rest.read(into)?;
        self.given += read;
        Ok(read)
    }
}

/// What stands next in a file.
pub(super) enum Found {
    /// A record, whose lines are put down.
    Record,
    /// A line that opens a quote which is never closed.
    Unclosed,
    /// Nothing any more.
    End,
}

/// The records of a file, one after another. Knows nothing of their cells, and tells
/// nobody what is wrong: that is kept until somebody asks.
pub(super) struct Records {
    lines: Lines,
    /// Lines read ahead behind a quote that was never closed.
    ahead: VecDeque<Row>,
    separator: u8,
    quotes: bool,
    /// How many lines have been read.
    pub(super) read: u64,
    /// One past the last byte that has been read.
    pub(super) end: u64,
    /// Lines that are no text, with their numbers and first bytes.
    pub(super) faults: Vec<(Fault, u64, u64)>,
}

impl Records {
    fn of(lines: Lines, separator: u8, quotes: bool) -> Records {
        Records {
            lines,
            ahead: VecDeque::new(),
            separator,
            quotes,
            read: 0,
            end: 0,
            faults: Vec::new(),
        }
    }

    /// Reads the next line that is text, and notes what is not. False at the end of the
    /// file.
    fn line(&mut self, into: &mut Row) -> Result<bool, LoadError> {
        if let Some(line) = self.ahead.pop_front() {
            *into = line;
            return Ok(true);
        }
        while let Some(line) = self.lines.next()? {
            self.read += 1;
            self.end = line.end;
            match line.text {
                Ok(text) => {
                    into.text.clear();
                    into.text.push_str(text);
                    (into.line, into.start, into.end) = (line.number, line.start, line.end);
                    return Ok(true);
                }
                Err(fault) => self.faults.push((fault, line.number, line.start)),
            }
        }
        Ok(false)
    }

    /// What takes these records apart.
    pub(super) fn splitter(&self) -> Splitter {
        Splitter::new(self.separator, self.quotes)
    }

    /// Reads the next record, all its lines; blank lines between records are passed over.
    pub(super) fn next(&mut self, into: &mut Row) -> Result<Found, LoadError> {
        while self.line(into)? {
            if !into.text.trim().is_empty() {
                return match self.whole(into)? {
                    true => Ok(Found::Record),
                    false => Ok(Found::Unclosed),
                };
            }
        }
        Ok(Found::End)
    }

    /// Adds the lines that belong to the record which begins in this one; false if it
    /// opens a quote that is never closed.
    fn whole(&mut self, record: &mut Row) -> Result<bool, LoadError> {
        let mut quotes = Quotes::new(self.separator);
        if !self.quotes || !has(&record.text, b'"') || !quotes.open_after(&record.text) {
            return Ok(true);
        }
        let mut further = VecDeque::new();
        let mut next = Row::default();
        while self.line(&mut next)? {
            if record.text.len() + next.text.len() >= LONGEST_LINE {
                break;
            }
            // The line break as it stands in the file.
            let line_break = if next.start - record.end > 1 {
                "\r\n"
            } else {
                "\n"
            };
            record.text.push_str(line_break);
            record.text.push_str(&next.text);
            record.end = next.end;
            let open = quotes.open_after(&next.text);
            further.push_back(std::mem::take(&mut next));
            if !open {
                return Ok(true);
            }
        }
        further.append(&mut self.ahead);
        self.ahead = further;
        Ok(false)
    }
}

/// Takes records apart.
pub(super) struct Splitter {
    parser: csv::Reader<Feed>,
    record: csv::StringRecord,
    separator: u8,
    quotes: bool,
}

impl Splitter {
    pub(super) fn new(separator: u8, quotes: bool) -> Splitter {
        Splitter {
            parser: parser(separator, quotes),
            record: csv::StringRecord::new(),
            separator,
            quotes,
        }
    }

    /// Reads the cells of a record into `self.record`.
    fn parse(&mut self, text: &str) -> Result<(), String> {
        let feed = self.parser.get_mut();
        feed.bytes.clear();
        feed.given = 0;
        feed.bytes.extend_from_slice(text.as_bytes());
        feed.bytes.push(b'\n');
        let read = self.parser.read_record(&mut self.record);
        let read = read.map_err(|error| format!("a row cannot be read: {error}"));
        read.map(|_| ())
    }

    /// Reads the cells of a record; how many there are, empty ones included. An error
    /// is a sentence.
    pub(super) fn cells(&mut self, row: &mut Row) -> Result<usize, String> {
        let (text, cells) = row.parts();
        cells.clear();
        if has(text, b'\r') || (self.quotes && has(text, b'"')) {
            self.parse(text)?;
            return Ok(fill(cells, self.record.iter()));
        }
        Ok(fill(cells, pieces(text, self.separator)))
    }
}

/// Whether a text has an ASCII character.
fn has(text: &str, byte: u8) -> bool {
    text.as_bytes().contains(&byte)
}

/// The parts of a text between separators.
fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        match text.bytes().position(|byte| byte == separator) {
            // A separator is ASCII, so that both sides are text.
            Some(at) => {
                rest = text.get(at + 1..);
                text.get(..at)
            }
            None => {
                rest = None;
                Some(text)
            }
        }
    })
}

/// The rows of a CSV or TSV file.
pub(in crate::load) struct CsvRows {
    records: Records,
    splitter: Splitter,
    columns: Vec<String>,
    telling: Telling,
}

/// What is told of what is wrong.
struct Telling {
    /// Only then lines that make no row are told.
    first_reading: bool,
    /// Quotes so far that are never closed.
    unclosed: usize,
}

impl Telling {
    /// Tells of a line that is no text.
    fn fault(
        &self,
        job: &mut Job<'_>,
        fault: Fault,
        line: u64,
        start: u64,
    ) -> Result<(), LoadError> {
        match self.first_reading {
            true => job.fault(fault, line, start),
            false => Ok(()),
        }
    }

    /// Tells of a quote that is never closed.
    fn unclosed(&mut self, job: &mut Job<'_>, line: u64, start: u64) -> Result<(), LoadError> {
        self.unclosed += 1;
        if self.unclosed > MOST_UNCLOSED {
            return Err(job.table_error(format!(
                "more than {MOST_UNCLOSED} quotes are never closed; if quotes are ordinary characters here, save the table as .tsv"
            )));
        }
        if self.first_reading {
            let reason = "a quote that opens here is never closed; close it, or double it inside a quoted cell".to_owned();
            job.bad(line, start, reason)?;
        }
        Ok(())
    }

    /// Tells of a record that has not as many cells as the header, or cannot be read.
    fn odd(
        &self,
        job: &mut Job<'_>,
        cells: Result<usize, String>,
        columns: usize,
        (line, start): (u64, u64),
    ) -> Result<(), LoadError> {
        let count = cells.map_err(|reason| job.table_error(reason))?;
        if self.first_reading {
            let reason = format!("{count} cells, and the header has {columns}; make them as many");
            job.bad(line, start, reason)?;
        }
        Ok(())
    }

    /// Counts lines that were read.
    fn read(&self, job: &mut Job<'_>, lines: u64) {
        job.report.lines += if self.first_reading { lines } else { 0 };
    }
}

impl CsvRows {
    /// Opens the file of a job and reads its header; none if the file is empty.
    pub fn open(job: &mut Job<'_>) -> Result<Option<CsvRows>, LoadError> {
        let path = &job.request.path;
        let tabs = path
            .extension()
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| matches!(ending.to_ascii_lowercase().as_str(), "tsv" | "tab"));
        let mut rows = CsvRows {
            records: Records::of(job.lines()?, b',', true),
            splitter: Splitter::new(b',', true),
            columns: Vec::new(),
            telling: Telling {
                first_reading: true,
                unclosed: 0,
            },
        };
        let mut header = Row::default();
        loop {
            let there = rows.records.line(&mut header)?;
            rows.tell(job)?;
            match there {
                false => return Ok(None),
                true if header.text.trim().is_empty() => {}
                true => break,
            }
        }
        let separator = separator(&header.text, tabs);
        let quotes = separator != b'\t';
        if !tabs && separator != b',' {
            let shown = if separator == b'\t' { "TAB" } else { ";" };
            job.warn(format_args!(
                "the header has no comma; cells are separated by {shown}"
            ));
        }
        (rows.records.separator, rows.records.quotes) = (separator, quotes);
        rows.splitter = Splitter::new(separator, quotes);
        let whole = rows.records.whole(&mut header)?;
        rows.tell(job)?;
        if !whole {
            rows.telling.unclosed(job, header.line, header.start)?;
            let reason = "a quote in the header is never closed; close it";
            return Err(job.table_error(reason.to_owned()));
        }
        let parsed = rows.splitter.parse(&header.text);
        parsed.map_err(|reason| job.table_error(reason))?;
        rows.columns = checked_header(job, rows.splitter.record.iter())?;
        Ok(Some(rows))
    }

    /// Tells what was wrong with the lines that were read last, and how far the reading
    /// is.
    fn tell(&mut self, job: &mut Job<'_>) -> Result<(), LoadError> {
        let read = std::mem::take(&mut self.records.read);
        self.telling.read(job, read);
        job.tick(self.records.end)?;
        let faults = std::mem::take(&mut self.records.faults).into_iter();
        for (fault, line, start) in faults {
            self.telling.fault(job, fault, line, start)?;
        }
        Ok(())
    }

    /// What takes its records apart.
    pub(super) fn splitter(&self) -> Splitter {
        self.records.splitter()
    }

    /// Does work with all rows that are left.
    pub(super) fn work<W: Work>(
        &mut self,
        job: &mut Job<'_>,
        known: &mut W::Known,
        work: &mut W,
    ) -> Result<(), LoadError> {
        let mut seen: Vec<Seen<W::Found>> = Vec::new();
        loop {
            let mut next = Ok(Vec::new());
            let (records, telling) = (&mut self.records, &mut self.telling);
            let (columns, present) = (self.columns.len(), &*known);
            let taken = beside(
                || next = look::<W>(records, columns, present),
                || {
                    let mut seen = seen.drain(..);
                    seen.try_for_each(|seen| {
                        tell_batch(job, telling, columns, &seen.batch, seen.odd)?;
                        work.take(job, present, &seen.batch, seen.found)?;
                        job.tick(seen.batch.end)
                    })
                },
            );
            taken?;
            work.settle(known);
            seen = next?;
            if seen.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Tells what is wrong in a batch, in its order.
fn tell_batch(
    job: &mut Job<'_>,
    telling: &mut Telling,
    columns: usize,
    batch: &Batch,
    odd: Vec<(usize, Result<usize, String>)>,
) -> Result<(), LoadError> {
    telling.read(job, batch.read);
    let mut odd = odd.into_iter().peekable();
    for trouble in &batch.troubles {
        // A record comes behind the troubles that stand before it.
        while let Some((at, cells)) = odd.next_if(|(at, _)| *at < trouble.before) {
            let (line, start, _) = batch.place(at);
            telling.odd(job, cells, columns, (line, start))?;
        }
        let (line, start) = (trouble.line, trouble.start);
        match trouble.fault {
            Some(fault) => telling.fault(job, fault, line, start)?,
            None => telling.unclosed(job, line, start)?,
        }
    }
    odd.try_for_each(|(at, cells)| {
        let (line, start, _) = batch.place(at);
        telling.odd(job, cells, columns, (line, start))
    })
}

/// Puts down the cells of a row; how many there are, empty ones included.
fn fill<'t>(cells: &mut Cells, texts: impl Iterator<Item = &'t str>) -> usize {
    let mut count = 0;
    for text in texts {
        cells.push(Cell {
            column: count,
            text,
            string: false,
            array: false,
        });
        count += 1;
    }
    count
}

impl Rows for CsvRows {
    fn next(&mut self, job: &mut Job<'_>, row: &mut Row) -> Result<bool, LoadError> {
        loop {
            let found = self.records.next(row)?;
            self.tell(job)?;
            match found {
                Found::End => return Ok(false),
                Found::Unclosed => {
                    self.telling.unclosed(job, row.line, row.start)?;
                    continue;
                }
                Found::Record => {}
            }
            let (cells, columns) = (self.splitter.cells(row), self.columns.len());
            if cells == Ok(columns) {
                return Ok(true);
            }
            self.telling
                .odd(job, cells, columns, (row.line, row.start))?;
        }
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError> {
        let (separator, quotes) = (self.records.separator, self.records.quotes);
        self.records = Records::of(job.lines()?, separator, quotes);
        self.telling = Telling {
            first_reading: false,
            unclosed: 0,
        };
        // The header once more, whose lines are no news.
        self.records.next(&mut Row::default())?;
        self.records.faults.clear();
        self.records.read = 0;
        Ok(())
    }

    fn in_batches(&mut self) -> Option<&mut CsvRows> {
        Some(self)
    }
}

fn parser(separator: u8, quotes: bool) -> csv::Reader<Feed> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .quoting(quotes)
        .from_reader(Feed::default())
}

/// A `.csv` whose header has no comma is separated by what it does have.
fn separator(header: &str, tabs: bool) -> u8 {
    if tabs {
        return b'\t';
    }
    let has = |c: char| header.contains(c);
    match (has(','), has('\t'), has(';')) {
        (true, _, _) => b',',
        (false, true, _) => b'\t',
        (false, false, true) => b';',
        (false, false, false) => b',',
    }
}

fn checked_header<'h>(
    job: &Job<'_>,
    header: impl Iterator<Item = &'h str>,
) -> Result<Vec<String>, LoadError> {
    let mut seen = HashSet::new();
    let mut columns = Vec::new();
    for (at, column) in header.enumerate() {
        let column = names::fold_spaces(column).into_owned();
        if column.is_empty() {
            return Err(job.table_error(format!(
                "column {} of the header has no name; give it one",
                at + 1
            )));
        }
        if !seen.insert(column.clone()) {
            return Err(job.table_error(format!(
                "the header has column \"{column}\" twice; rename one of them"
            )));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Whether a record goes on in the next line. A quote opens a cell only at its
/// beginning.
struct Quotes {
    separator: u8,
    inside: bool,
}

impl Quotes {
    fn new(separator: u8) -> Quotes {
        Quotes {
            separator,
            inside: false,
        }
    }

    fn open_after(&mut self, line: &str) -> bool {
        let mut cell_begins = !self.inside;
        let mut bytes = line.bytes().peekable();
        while let Some(byte) = bytes.next() {
            if self.inside {
                if byte == b'"' && bytes.next_if_eq(&b'"').is_none() {
                    self.inside = false;
                }
            } else if byte == b'"' && cell_begins {
                self.inside = true;
            }
            cell_begins = !self.inside && byte == self.separator;
        }
        self.inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_open_only_at_the_beginning_of_a_cell() {
        for (line, open) in [
            ("a,b", false),
            ("20\" pipe,is,part", false),
            ("\"K T\" Theatre,in", false),
            ("a,\"b", true),
            ("a,\"b,c\",d", false),
            ("a,\"b\"\"c", true),
            ("a,\"b\"\"\"", false),
            ("\"", true),
            ("\"\"", false),
            ("a,\"\"", false),
        ] {
            assert_eq!(Quotes::new(b',').open_after(line), open, "{line}");
        }
        let mut quotes = Quotes::new(b',');
        assert!(quotes.open_after("a,\"b"));
        assert!(quotes.open_after("c,\"\"x"));
        assert!(!quotes.open_after("c\",d"));
    }
}
