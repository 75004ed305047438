//! Burmeister's form of a formal context (`.cxt`), read and written.
//!
//! ```text
//! B
//! the context's name, or nothing
//! 2             objects
//! 3             attributes
//!
//! whale         one object a line
//! dog
//! swims         one attribute a line
//! has fur
//! barks
//! X..           one row an object: X has it, . has it not
//! .XX
//! ```
//!
//! Programs differ in the lines that are empty, and some leave the name's line out: what
//! fits the counts is taken.

use super::NotText;
use std::fmt;
use std::ops::Range;

/// A formal context with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormalContext {
    /// Its name; mostly empty.
    pub name: String,
    /// The objects' names.
    pub objects: Vec<String>,
    /// The attributes' names.
    pub attributes: Vec<String>,
    /// For each object the numbers of its attributes, ascending.
    pub rows: Vec<Vec<u32>>,
}

/// Why a text is no context, or a context cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CxtError {
    /// The line, from 1; 0 where a context cannot be written.
    pub line: u64,
    /// The byte at which the line, or the fault in it, begins.
    pub offset: u64,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for CxtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

impl std::error::Error for CxtError {}

/// Reads a context. A byte order mark, carriage returns and blank lines at the end are passed over.
///
/// # Errors
/// If the bytes are no UTF-8 text, or the counts, names and rows do not fit together.
pub fn read_cxt(bytes: &[u8]) -> Result<FormalContext, CxtError> {
    let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let skipped = bytes.len() - body.len();
    let not_text = |what: NotText, at: usize| {
        let before = body.get(..at).unwrap_or_default();
        CxtError {
            line: before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1,
            offset: (skipped + at) as u64,
            reason: format!("{what}; convert the file to UTF-8 text"),
        }
    };
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(not_text(NotText::Utf16, 0));
    }
    let text =
        std::str::from_utf8(body).map_err(|error| not_text(NotText::Utf8, error.valid_up_to()))?;
    if let Some(at) = body.iter().position(|byte| *byte == 0) {
        return Err(not_text(NotText::Nul, at));
    }
    let placed = parse(text).and_then(checked);
    let placed = placed.map_err(|mut error| {
        error.offset += skipped as u64;
        error
    })?;
    Ok(placed.into_context())
}

/// Writes a context so that [`read_cxt`] gives the same again.
///
/// # Errors
/// If a name holds a line break, which the form has no way to write, or a row names an
/// attribute that is not there.
pub fn write_cxt(context: &FormalContext) -> Result<String, CxtError> {
    let refused = |reason: String| CxtError {
        line: 0,
        offset: 0,
        reason,
    };
    let names = context.objects.iter().chain(&context.attributes);
    if let Some(name) = names
        .chain([&context.name])
        .find(|n| n.contains(['\n', '\r', '\0']))
    {
        return Err(refused(format!(
            "the name {name:?} holds a line break or a NUL, which .cxt cannot hold; rename it"
        )));
    }
    let (objects, attributes) = (context.objects.len(), context.attributes.len());
    if context.rows.len() != objects {
        let rows = context.rows.len();
        return Err(refused(format!(
            "there are {rows} rows and {objects} objects; give each object one row"
        )));
    }
    let mut text = format!("B\n{}\n{objects}\n{attributes}\n\n", context.name);
    for name in context.objects.iter().chain(&context.attributes) {
        text.push_str(name);
        text.push('\n');
    }
    for (row, object) in context.rows.iter().zip(&context.objects) {
        let mut cells = vec!['.'; attributes];
        for &attribute in row {
            let Some(cell) = cells.get_mut(attribute as usize) else {
                return Err(refused(format!(
                    "the row of {object:?} names attribute {attribute}, and there are {attributes}; numbers start at 0"
                )));
            };
            *cell = 'X';
        }
        text.extend(cells);
        text.push('\n');
    }
    Ok(text)
}

/// A line of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Without its line break.
    pub text: &'a str,
    /// From 1.
    pub number: u64,
    /// Its first byte.
    pub start: usize,
}

impl Line<'_> {
    /// One past its last byte, white space at its end not included.
    pub fn end(&self) -> usize {
        self.start + self.text.trim_end().len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn wrong(&self, reason: String) -> CxtError {
        CxtError {
            line: self.number,
            offset: self.start as u64,
            reason,
        }
    }
}

/// A context whose names and rows are the lines that state them.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    /// Whether blank lines stand where the form has them.
    is_usual: bool,
    pub name: &'a str,
    pub objects: Vec<Line<'a>>,
    pub attributes: Vec<Line<'a>>,
    pub rows: Vec<Line<'a>>,
}

impl Placed<'_> {
    /// Whether every row has a cell for each attribute.
    fn is_whole(&self) -> bool {
        let attributes = self.attributes.len();
        let mut rows = self.rows.iter();
        rows.all(|row| wrong_row(row, attributes).is_none())
    }

    fn into_context(self) -> FormalContext {
        let names = |lines: &[Line<'_>]| lines.iter().map(|line| line.text.to_owned()).collect();
        FormalContext {
            name: self.name.to_owned(),
            objects: names(&self.objects),
            attributes: names(&self.attributes),
            rows: self.rows.iter().map(|row| crosses(row).collect()).collect(),
        }
    }
}

/// The numbers of the attributes that a row has.
pub(super) fn crosses<'a>(row: &Line<'a>) -> impl Iterator<Item = u32> + 'a {
    let cells = row.text.bytes().enumerate();
    let crosses = cells.filter(|(_, cell)| matches!(cell, b'X' | b'x'));
    crosses.map(|(attribute, _)| attribute as u32)
}

/// Finds the parts of a text by their lines; the rows' cells are not looked at.
pub(super) fn parse(text: &str) -> Result<Placed<'_>, CxtError> {
    let lines = lines(text);
    let Some((first, rest)) = lines.split_first().filter(|_| end(&lines) > 0) else {
        return Err(CxtError {
            line: 1,
            offset: 0,
            reason: "the file is empty; a context begins with a line \"B\"".to_owned(),
        });
    };
    if first.text.trim() != "B" {
        return Err(first.wrong(format!(
            "a context in Burmeister's form begins with a line \"B\", and here stands \"{}\"",
            shortened(first.text)
        )));
    }
    let heads = heads(rest);
    let fits: Vec<Placed<'_>> = heads.iter().flat_map(|head| head.fits(rest)).collect();
    let whole = fits.iter().position(|placed| placed.is_whole());
    // Of layouts with wrong rows the usual one is meant.
    let usual = || fits.iter().position(|placed| placed.is_usual);
    if let Some(place) = whole.or_else(usual) {
        return fits
            .into_iter()
            .nth(place)
            .ok_or_else(|| no_counts(rest, first));
    }
    match heads.first() {
        Some(head) => Err(head.complaint(rest, text.len())),
        None => Err(no_counts(rest, first)),
    }
}

/// The lines of a text; what follows the last line break is one if it is not empty.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').zip(1..).map(|(whole, number)| {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = Line {
            text: line.strip_suffix('\r').unwrap_or(line),
            number,
            start,
        };
        start += whole.len();
        line
    });
    lines.collect()
}

/// One past the last line that is not blank.
fn end(lines: &[Line<'_>]) -> usize {
    let last = lines.iter().rposition(|line| !line.is_blank());
    last.map_or(0, |last| last + 1)
}

/// The name and the counts, and how many lines behind "B" they take.
struct Head<'a> {
    name: &'a str,
    objects: Line<'a>,
    attributes: Line<'a>,
    counts: (usize, usize),
    taken: usize,
}

/// The readings of the lines behind "B": with a line for the name, and without one.
fn heads<'a>(rest: &[Line<'a>]) -> Vec<Head<'a>> {
    let head = |name: &'a str, at: usize| {
        let (objects, attributes) = (*rest.get(at)?, *rest.get(at + 1)?);
        Some(Head {
            name,
            counts: (count(&objects)?, count(&attributes)?),
            objects,
            attributes,
            taken: at + 2,
        })
    };
    let name = rest.first().map_or("", |line| line.text);
    let blank = rest.iter().take_while(|line| line.is_blank()).count();
    let mut heads: Vec<Head<'a>> = [head(name, 1), head("", 0)].into_iter().flatten().collect();
    if heads.is_empty() {
        heads.extend(head("", blank));
    }
    heads
}

fn count(line: &Line<'_>) -> Option<usize> {
    let digits = line.text.trim();
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .parse()
        .ok()
        .filter(|count| plain && *count <= u32::MAX as usize)
}

impl<'a> Head<'a> {
    /// How many lines the names and rows take; none if that is beyond all numbers.
    fn wanted(&self) -> Option<usize> {
        let (objects, attributes) = self.counts;
        objects.checked_mul(2)?.checked_add(attributes)
    }

    /// The parts, where there are as many lines as they take: behind one blank line, as the
    /// form wants it, or without it, or with blank lines anywhere between.
    fn fits(&self, rest: &[Line<'a>]) -> Vec<Placed<'a>> {
        let (Some(wanted), Some(body)) = (self.wanted(), rest.get(self.taken..)) else {
            return Vec::new();
        };
        let usual = match body.split_first() {
            Some((first, behind)) if first.is_blank() => behind,
            _ => body,
        };
        let filled: Vec<Line<'a>> = body.iter().filter(|l| !l.is_blank()).copied().collect();
        let mut fits = Vec::new();
        for (lines, is_usual) in [(usual, true), (body, false), (&filled, false)] {
            if end(lines) <= wanted
                && let Some(lines) = lines.get(..wanted)
            {
                fits.extend(self.split(lines, is_usual));
            }
        }
        fits
    }

    fn split(&self, lines: &[Line<'a>], is_usual: bool) -> Option<Placed<'a>> {
        let (objects, attributes) = self.counts;
        let part = |range: Range<usize>| lines.get(range).map(<[Line<'a>]>::to_vec);
        Some(Placed {
            is_usual,
            name: self.name,
            objects: part(0..objects)?,
            attributes: part(objects..objects + attributes)?,
            rows: part(objects + attributes..lines.len())?,
        })
    }

    /// Why the lines do not fit the counts.
    fn complaint(&self, rest: &[Line<'a>], bytes: usize) -> CxtError {
        let (objects, attributes) = self.counts;
        let cells = objects.checked_mul(attributes);
        let Some(wanted) = self
            .wanted()
            .filter(|_| cells.is_some_and(|cells| cells <= bytes))
        else {
            return self.objects.wrong(format!(
                "{objects} objects and {attributes} attributes are more than a file of {bytes} bytes can hold; correct the counts"
            ));
        };
        let body = rest.get(self.taken..).unwrap_or_default();
        let blank = usize::from(body.first().is_some_and(Line::is_blank));
        let lines = body.get(blank..).unwrap_or_default();
        let end = end(lines);
        match lines.get(wanted) {
            Some(_) if end > wanted => {
                // A line too many, or the counts too small: the first that cannot be a row tells.
                let rows = lines.iter().skip(objects + attributes);
                let odd = rows
                    .take(objects)
                    .find(|line| wrong_row(line, attributes).is_some());
                let at = odd.or(lines.get(wanted)).unwrap_or(&self.objects);
                at.wrong(format!(
                    "{objects} objects and {attributes} attributes take {wanted} lines of names and rows, and {end} follow line {}; correct the counts, or take this line out",
                    self.attributes.number
                ))
            }
            _ => {
                let last = lines
                    .get(..end)
                    .and_then(<[Line<'a>]>::last)
                    .unwrap_or(&self.attributes);
                last.wrong(format!(
                    "the file ends here: {objects} objects and {attributes} attributes take {wanted} lines of names and rows, and {end} follow line {}; correct the counts, or write the rest",
                    self.attributes.number
                ))
            }
        }
    }
}

/// No two lines behind "B" are counts.
fn no_counts(rest: &[Line<'_>], first: &Line<'_>) -> CxtError {
    let filled: Vec<&Line<'_>> = rest
        .iter()
        .filter(|line| !line.is_blank())
        .take(2)
        .collect();
    let odd = filled.iter().rev().find(|line| count(line).is_none());
    let at = odd.copied().or(filled.last().copied()).unwrap_or(first);
    at.wrong(format!(
        "behind \"B\" and the line of the name stand the number of objects and the number of attributes, each on a line of its own; here stands \"{}\"",
        shortened(at.text)
    ))
}

/// The parts, if every row has a cell for each attribute.
fn checked(placed: Placed<'_>) -> Result<Placed<'_>, CxtError> {
    let attributes = placed.attributes.len();
    for (row, object) in placed.rows.iter().zip(&placed.objects) {
        if let Some(reason) = wrong_row(row, attributes) {
            return Err(row.wrong(format!(
                "the row of \"{}\" {reason}",
                shortened(object.text)
            )));
        }
    }
    Ok(placed)
}

/// What keeps a line from being a row.
pub(super) fn wrong_row(line: &Line<'_>, attributes: usize) -> Option<String> {
    let text = line.text.trim_end();
    if let Some((at, other)) = text
        .char_indices()
        .find(|(_, c)| !matches!(c, 'X' | 'x' | '.'))
    {
        let cell = text.get(..at).unwrap_or_default().len() + 1;
        return Some(format!(
            "has {other:?} as cell {cell}; write X where the object has the attribute, and . where not"
        ));
    }
    let cells = text.len();
    (cells != attributes).then(|| {
        format!("has {cells} cells, and there are {attributes} attributes; write X or . for each")
    })
}

/// So much of a text as a message shows.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
