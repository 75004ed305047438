//! CSV and TSV. In TSV quotes are ordinary characters.

use super::rows::{Cell, Cells, Row, Rows};
use crate::load::job::Job;
use crate::load::lines::{LONGEST_LINE, Lines};
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

/// The rows of a CSV or TSV file.
pub(in crate::load) struct CsvRows {
    lines: Lines,
    /// Lines read ahead behind a quote that was never closed.
    ahead: VecDeque<Row>,
    parser: csv::Reader<Feed>,
    record: csv::StringRecord,
    separator: u8,
    quotes: bool,
    columns: Vec<String>,
    first_reading: bool,
    unclosed: usize,
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
            lines: job.lines()?,
            ahead: VecDeque::new(),
            parser: parser(b',', true),
            record: csv::StringRecord::new(),
            separator: b',',
            quotes: true,
            columns: Vec::new(),
            first_reading: true,
            unclosed: 0,
        };
        let mut header = Row::default();
        if !rows.filled_line(job, &mut header)? {
            return Ok(None);
        }
        rows.separator = separator(&header.text, tabs);
        rows.quotes = rows.separator != b'\t';
        if !tabs && rows.separator != b',' {
            let shown = if rows.separator == b'\t' { "TAB" } else { ";" };
            job.warn(format_args!(
                "the header has no comma; cells are separated by {shown}"
            ));
        }
        rows.parser = parser(rows.separator, rows.quotes);
        if !rows.whole_record(job, &mut header)? {
            let reason = "a quote in the header is never closed; close it";
            return Err(job.table_error(reason.to_owned()));
        }
        rows.parse(&header.text, job)?;
        rows.columns = checked_header(job, rows.record.iter())?;
        Ok(Some(rows))
    }

    /// Reads the next line that is text; what is not is told and passed over. False
    /// at the end of the file.
    fn line(&mut self, job: &mut Job<'_>, into: &mut Row) -> Result<bool, LoadError> {
        if let Some(line) = self.ahead.pop_front() {
            *into = line;
            return Ok(true);
        }
        while let Some(line) = self.lines.next()? {
            job.tick(line.end)?;
            job.report.lines += u64::from(self.first_reading);
            match line.text {
                Ok(text) => {
                    into.text.clear();
                    into.text.push_str(text);
                    (into.line, into.start, into.end) = (line.number, line.start, line.end);
                    return Ok(true);
                }
                Err(fault) if self.first_reading => job.fault(fault, line.number, line.start)?,
                Err(_) => {}
            }
        }
        Ok(false)
    }

    fn filled_line(&mut self, job: &mut Job<'_>, into: &mut Row) -> Result<bool, LoadError> {
        while self.line(job, into)? {
            if !into.text.trim().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the lines that belong to the record which begins in this one; false if it
    /// opens a quote that is never closed.
    fn whole_record(&mut self, job: &mut Job<'_>, record: &mut Row) -> Result<bool, LoadError> {
        let mut quotes = Quotes::new(self.separator);
        if !self.quotes || !record.text.contains('"') || !quotes.open_after(&record.text) {
            return Ok(true);
        }
        let mut further = VecDeque::new();
        let mut next = Row::default();
        while self.line(job, &mut next)? {
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
        self.unclosed += 1;
        if self.unclosed > MOST_UNCLOSED {
            return Err(job.table_error(format!(
                "more than {MOST_UNCLOSED} quotes are never closed; if quotes are ordinary characters here, save the table as .tsv"
            )));
        }
        if self.first_reading {
            let reason = "a quote that opens here is never closed; close it, or double it inside a quoted cell".to_owned();
            job.bad(record.line, record.start, reason)?;
        }
        Ok(false)
    }

    /// Reads the cells of a record into `self.record`.
    fn parse(&mut self, text: &str, job: &Job<'_>) -> Result<(), LoadError> {
        let feed = self.parser.get_mut();
        feed.bytes.clear();
        feed.given = 0;
        feed.bytes.extend_from_slice(text.as_bytes());
        feed.bytes.push(b'\n');
        self.parser
            .read_record(&mut self.record)
            .map_err(|error| job.table_error(format!("a row cannot be read: {error}")))?;
        Ok(())
    }

    /// Reads the cells of a record; how many there are, empty ones included.
    fn cells(&mut self, row: &mut Row, job: &Job<'_>) -> Result<usize, LoadError> {
        let (text, cells) = row.parts();
        cells.clear();
        let special = |byte: u8| byte == b'\r' || (byte == b'"' && self.quotes);
        if !text.bytes().any(special) {
            return Ok(fill(cells, text.split(char::from(self.separator))));
        }
        self.parse(text, job)?;
        Ok(fill(cells, self.record.iter()))
    }
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
        while self.filled_line(job, row)? {
            if !self.whole_record(job, row)? {
                continue;
            }
            let count = self.cells(row, job)?;
            if count == self.columns.len() {
                return Ok(true);
            }
            if self.first_reading {
                let reason = format!(
                    "{count} cells, and the header has {}; make them as many",
                    self.columns.len()
                );
                job.bad(row.line, row.start, reason)?;
            }
        }
        Ok(false)
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError> {
        self.lines = job.lines()?;
        self.ahead.clear();
        self.parser = parser(self.separator, self.quotes);
        self.first_reading = false;
        self.unclosed = 0;
        // The header once more.
        while let Some(line) = self.lines.next()? {
            let Ok(text) = line.text else { continue };
            if text.trim().is_empty() {
                continue;
            }
            let mut quotes = Quotes::new(self.separator);
            let mut open = self.quotes && quotes.open_after(text);
            while open && let Some(line) = self.lines.next()? {
                open = line.text.is_ok_and(|text| quotes.open_after(text));
            }
            break;
        }
        Ok(())
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
