//! CSV and TSV. In TSV quotes are ordinary characters.

use super::rows::{Cell, Row, Rows};
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

struct OwnLine {
    text: String,
    number: u64,
    start: u64,
    end: u64,
}

/// The rows of a CSV or TSV file.
pub(in crate::load) struct CsvRows {
    lines: Lines,
    /// Lines read ahead behind a quote that was never closed.
    ahead: VecDeque<OwnLine>,
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
            lines: Lines::open(path)?,
            ahead: VecDeque::new(),
            parser: parser(b',', true),
            record: csv::StringRecord::new(),
            separator: b',',
            quotes: true,
            columns: Vec::new(),
            first_reading: true,
            unclosed: 0,
        };
        let Some(line) = rows.filled_line(job)? else {
            return Ok(None);
        };
        rows.separator = separator(&line.text, tabs);
        rows.quotes = rows.separator != b'\t';
        if !tabs && rows.separator != b',' {
            let shown = if rows.separator == b'\t' { "TAB" } else { ";" };
            job.warn(format_args!(
                "the header has no comma; cells are separated by {shown}"
            ));
        }
        rows.parser = parser(rows.separator, rows.quotes);
        let header = rows.whole_record(job, line)?;
        let header = header.ok_or_else(|| {
            job.table_error("a quote in the header is never closed; close it".to_owned())
        })?;
        rows.columns = checked_header(job, rows.parse(&header.text, job)?)?;
        Ok(Some(rows))
    }

    /// The next line that is text; what is not is told and passed over.
    fn line(&mut self, job: &mut Job<'_>) -> Result<Option<OwnLine>, LoadError> {
        if let Some(line) = self.ahead.pop_front() {
            return Ok(Some(line));
        }
        while let Some(line) = self.lines.next()? {
            job.tick(line.end)?;
            job.report.lines += u64::from(self.first_reading);
            let (number, start, end) = (line.number, line.start, line.end);
            match line.text {
                Ok(text) => {
                    let text = text.to_owned();
                    return Ok(Some(OwnLine {
                        text,
                        number,
                        start,
                        end,
                    }));
                }
                Err(fault) if self.first_reading => job.fault(fault, number, start)?,
                Err(_) => {}
            }
        }
        Ok(None)
    }

    fn filled_line(&mut self, job: &mut Job<'_>) -> Result<Option<OwnLine>, LoadError> {
        while let Some(line) = self.line(job)? {
            if !line.text.trim().is_empty() {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The lines that belong to the record which begins in `first`; none if it
    /// opens a quote that is never closed.
    fn whole_record(
        &mut self,
        job: &mut Job<'_>,
        first: OwnLine,
    ) -> Result<Option<OwnLine>, LoadError> {
        let mut quotes = Quotes::new(self.separator);
        if !self.quotes || !quotes.open_after(&first.text) {
            return Ok(Some(first));
        }
        let mut record = first;
        let mut further = VecDeque::new();
        loop {
            let next = self.line(job)?;
            let Some(next) = next.filter(|n| record.text.len() + n.text.len() < LONGEST_LINE)
            else {
                break;
            };
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
            further.push_back(next);
            if !open {
                return Ok(Some(record));
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
            job.bad(record.number, record.start, reason)?;
        }
        Ok(None)
    }

    fn parse(&mut self, text: &str, job: &Job<'_>) -> Result<Vec<String>, LoadError> {
        let feed = self.parser.get_mut();
        feed.bytes.clear();
        feed.given = 0;
        feed.bytes.extend_from_slice(text.as_bytes());
        feed.bytes.push(b'\n');
        self.parser
            .read_record(&mut self.record)
            .map_err(|error| job.table_error(format!("a row cannot be read: {error}")))?;
        Ok(self.record.iter().map(str::to_owned).collect())
    }
}

impl Rows for CsvRows {
    fn next(&mut self, job: &mut Job<'_>) -> Result<Option<Row>, LoadError> {
        loop {
            let Some(line) = self.filled_line(job)? else {
                return Ok(None);
            };
            let Some(record) = self.whole_record(job, line)? else {
                continue;
            };
            let cells = self.parse(&record.text, job)?;
            if cells.len() != self.columns.len() {
                if self.first_reading {
                    let reason = format!(
                        "{} cells, and the header has {}; make them as many",
                        cells.len(),
                        self.columns.len()
                    );
                    job.bad(record.number, record.start, reason)?;
                }
                continue;
            }
            return Ok(Some(Row {
                line: record.number,
                start: record.start,
                end: record.end,
                text: record.text,
                cells: filled(cells),
            }));
        }
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError> {
        self.lines = Lines::open(&job.request.path)?;
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

fn filled(cells: Vec<String>) -> Vec<Cell> {
    let trimmed = cells.into_iter().enumerate().map(|(column, text)| Cell {
        column,
        text: text.trim().to_owned(),
        string: false,
        array: false,
    });
    trimmed.filter(|cell| !cell.text.is_empty()).collect()
}

fn checked_header(job: &Job<'_>, header: Vec<String>) -> Result<Vec<String>, LoadError> {
    let mut seen = HashSet::new();
    let mut columns = Vec::with_capacity(header.len());
    for (at, column) in header.iter().enumerate() {
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
