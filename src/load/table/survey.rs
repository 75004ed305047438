//! The first reading of a table: what its columns hold.

use super::batch::{Batch, Looking, Work};
use super::plan::Key;
use super::rows::{Cell, Row, Rows};
use crate::lattice::{Precision, date_from_text, number_from_text};
use crate::load::job::Job;
use crate::load::{LoadError, names};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};
use std::hash::BuildHasher;

/// So many cells of a column are remembered, so that none is read again.
const MOST_REMEMBERED: usize = 1 << 14;
/// The longest cell that is remembered, in bytes.
const LONGEST_REMEMBERED: usize = 64;

/// What has been seen of one column.
#[derive(Clone, Debug)]
pub(super) struct ColumnSurvey {
    /// Cells that say something.
    pub cells: u64,
    /// Rows that say something in it.
    pub rows: u64,
    /// Whether every cell is plainly a number.
    pub numbers: bool,
    /// Whether every cell is a date.
    pub dates: bool,
    /// Whether some cell is a date with a month, or in words.
    pub clear_date: bool,
    /// Whether some cell has a point that can only be a decimal point.
    pub decimals: bool,
    /// Whether rows of one key, or one row, have different values.
    pub differs: bool,
    /// Whether different rows of one key have different values.
    pub rows_differ: bool,
    /// Whether some cell stands in an array.
    pub arrays: bool,
    /// Whether every cell is a date, or looks like one.
    date_like: bool,
    /// The first cell that only looks like one.
    no_date: Option<String>,
    /// Cells that have been read; none that is a string by its own word.
    read: HashSet<Box<str>>,
}

impl ColumnSurvey {
    fn new() -> ColumnSurvey {
        ColumnSurvey {
            cells: 0,
            rows: 0,
            numbers: true,
            dates: true,
            clear_date: false,
            decimals: false,
            differs: false,
            rows_differ: false,
            arrays: false,
            date_like: true,
            no_date: None,
            read: HashSet::new(),
        }
    }

    /// `NUMBER`, `DATE` or `TEXT`; none if no cell says anything.
    pub fn kind(&self) -> Option<&'static str> {
        match self.cells {
            0 => None,
            _ if self.numbers => Some("NUMBER"),
            _ if self.dates && self.clear_date => Some("DATE"),
            _ => Some("TEXT"),
        }
    }

    /// The first cell that cannot be read in a column of what looks like dates.
    pub fn unread_date(&self) -> Option<&str> {
        self.no_date
            .as_deref()
            .filter(|_| self.date_like && self.kind() == Some("TEXT"))
    }

    fn note(&mut self, cell: Cell<'_>) {
        self.cells += 1;
        self.arrays |= cell.array;
        let text = cell.text;
        let settled = !self.numbers && !self.dates && !self.date_like;
        // Most cells of most columns of numbers: nothing is left to find out.
        let whole = !self.dates && !self.date_like && !cell.string && is_whole(text);
        if settled || whole || (!cell.string && self.read.contains(text)) {
            return;
        }
        if self.date_like && date_from_text(text).is_err() {
            self.date_like = date_like(text);
            self.no_date.get_or_insert_with(|| text.to_owned());
        }
        if self.numbers {
            self.note_number(text, cell.string);
        }
        if self.dates {
            match date_from_text(text) {
                Ok(date) => {
                    let year = text.len() == 4 && date.value.precision() == Precision::Year;
                    self.clear_date |= !year;
                }
                Err(_) => self.dates = false,
            }
        }
        let room = self.read.len() < MOST_REMEMBERED && text.len() <= LONGEST_REMEMBERED;
        if room && !cell.string {
            self.read.insert(text.into());
        }
    }

    fn note_number(&mut self, text: &str, string: bool) {
        if !string && is_whole(text) {
            return;
        }
        match number_from_text(text) {
            Ok(number) if !string && number.unit.is_none() && is_plain(text) => {
                self.decimals |= number.unclear.is_none() && text.contains('.');
            }
            _ => self.numbers = false,
        }
    }
}

impl ColumnSurvey {
    /// What goes for a part that comes behind this one: what is settled already need
    /// not be looked at in it.
    fn beginning(&self) -> ColumnSurvey {
        ColumnSurvey {
            numbers: self.numbers,
            dates: self.dates,
            date_like: self.date_like,
            ..ColumnSurvey::new()
        }
    }

    /// Takes in what was seen behind this.
    fn absorb(&mut self, next: ColumnSurvey) {
        self.cells += next.cells;
        self.rows += next.rows;
        // A column that holds something else before is not asked about the rest.
        self.decimals |= self.numbers && next.decimals;
        self.clear_date |= self.dates && next.clear_date;
        if self.date_like && self.no_date.is_none() {
            self.no_date = next.no_date;
        }
        self.numbers &= next.numbers;
        self.dates &= next.dates;
        self.date_like &= next.date_like;
        self.differs |= next.differs;
        self.rows_differ |= next.rows_differ;
        self.arrays |= next.arrays;
    }
}

/// Whether a text is plainly a whole number.
fn is_whole(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && text.len() < 18 && (text.len() == 1 || !text.starts_with('0'))
}

/// Whether a number is written as numbers are, and not as a code (`007`) or in
/// words (`5 to 8`).
fn is_plain(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+', '\u{2212}']);
    let code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let made_of_signs = digits
        .chars()
        .all(|c| c.is_ascii_digit() || "., '’eE+-\u{a0}\u{2009}\u{202f}".contains(c));
    let exponent_only = !digits.contains('-') || digits.contains(['e', 'E']);
    !code && made_of_signs && exponent_only
}

/// Whether a text is made as `12/31/2020` is.
fn date_like(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let made_so = |mark: char| {
        let parts: Vec<&str> = text.split(mark).collect();
        let [first, middle, last] = *parts else {
            return false;
        };
        let (first, middle, last) = (first.trim(), middle.trim(), last.trim());
        let short = |part: &str| matches!(part.len(), 1 | 2);
        let year = |part: &str| part.len() == 4 || (mark == '/' && part.len() == 2);
        [first, middle, last].into_iter().all(digits)
            && short(middle)
            && ((short(first) && year(last)) || (first.len() == 4 && short(last)))
    };
    ['/', '.', '-'].into_iter().any(made_so)
}

/// What has been seen of a table.
pub(super) struct Survey {
    pub columns: Vec<ColumnSurvey>,
    pub rows: u64,
    /// The hashes of the keys so far, and of those that several rows have.
    keys: HashTable<u64>,
    repeated: HashSet<u64>,
    hasher: DefaultHashBuilder,
    /// What the header has as its second cell, if it could be a triple.
    relation: Option<String>,
    /// Rows that have the same there.
    relation_rows: u64,
}

impl Survey {
    pub fn new() -> Survey {
        Survey {
            columns: Vec::new(),
            rows: 0,
            keys: HashTable::new(),
            repeated: HashSet::new(),
            hasher: DefaultHashBuilder::default(),
            relation: None,
            relation_rows: 0,
        }
    }

    /// Of a table with this header.
    pub fn of_header(header: &[String]) -> Survey {
        let triple = matches!(header.len(), 3 | 4);
        Survey {
            relation: header.get(1).filter(|_| triple).cloned(),
            ..Survey::new()
        }
    }

    /// Whether many rows have the header's second cell as their second cell.
    pub fn header_is_a_triple(&self) -> bool {
        let rows = self.relation_rows;
        rows > 0 && (rows >= 10 || rows * 10 >= self.rows)
    }

    /// Takes all rows that are left. Where several have one key the file is read once
    /// more, to compare them.
    pub fn read(
        &mut self,
        job: &mut Job<'_>,
        rows: &mut dyn Rows,
        key: Option<&Key>,
    ) -> Result<(), LoadError> {
        if let Some(batches) = rows.in_batches() {
            let mut known = Known {
                key: key.cloned(),
                hasher: self.hasher.clone(),
                relation: self.relation.clone(),
                columns: Vec::new(),
            };
            batches.work(job, &mut known, self)?;
        } else {
            let (mut row, mut id) = (Row::default(), String::new());
            while rows.next(job, &mut row)? {
                self.note(&row);
                if key.is_some_and(|key| key.id(&row, "", &mut id)) {
                    self.note_key(self.hasher.hash_one(id.as_str()));
                }
            }
        }
        self.keys = HashTable::new();
        match key {
            Some(key) if !self.repeated.is_empty() => self.compare(job, rows, key),
            _ => Ok(()),
        }
    }

    /// Takes a row.
    fn note(&mut self, row: &Row) {
        self.rows += 1;
        if let Some(relation) = &self.relation {
            let same = row.of_column(1).next().is_some_and(|c| c.text == *relation);
            self.relation_rows += u64::from(same);
        }
        let mut before: Option<Cell<'_>> = None;
        for cell in row.cells() {
            if self.columns.len() <= cell.column {
                self.columns.resize(cell.column + 1, ColumnSurvey::new());
            }
            let Some(column) = self.columns.get_mut(cell.column) else {
                continue;
            };
            column.note(cell);
            // The cells of one column follow one another.
            match before.filter(|before| before.column == cell.column) {
                None => column.rows += 1,
                Some(before) => {
                    column.differs |=
                        names::fold_spaces(before.text) != names::fold_spaces(cell.text);
                }
            }
            before = Some(cell);
        }
    }

    fn note_key(&mut self, hash: u64) {
        let entry = self.keys.entry(hash, |&key| key == hash, |&key| key);
        match entry {
            hashbrown::hash_table::Entry::Occupied(_) => {
                self.repeated.insert(hash);
            }
            hashbrown::hash_table::Entry::Vacant(entry) => {
                entry.insert(hash);
            }
        }
    }

    /// Reads all rows again, and compares those of one key with the first of it.
    fn compare(
        &mut self,
        job: &mut Job<'_>,
        rows: &mut dyn Rows,
        key: &Key,
    ) -> Result<(), LoadError> {
        rows.rewind(job)?;
        // Per key the hash of each column's first value; 0 for none.
        let mut firsts: HashMap<u64, Box<[u64]>> = HashMap::with_capacity(self.repeated.len());
        let (mut row, mut id) = (Row::default(), String::new());
        let mut values: Vec<u64> = Vec::new();
        while rows.next(job, &mut row)? {
            if !key.id(&row, "", &mut id) {
                continue;
            }
            let hash = self.hasher.hash_one(id.as_str());
            if !self.repeated.contains(&hash) {
                continue;
            }
            values.clear();
            values.resize(self.columns.len(), 0);
            for cell in row.cells() {
                let folded = names::fold_spaces(cell.text);
                if let Some(value) = values.get_mut(cell.column) {
                    *value = self.hasher.hash_one(folded.as_ref()) | 1;
                }
            }
            let first = firsts
                .entry(hash)
                .or_insert_with(|| vec![0; values.len()].into_boxed_slice());
            for ((first, value), column) in first.iter_mut().zip(&values).zip(&mut self.columns) {
                match (*first, *value) {
                    (_, 0) => {}
                    (0, value) => *first = value,
                    (first, value) => {
                        column.differs |= first != value;
                        column.rows_differ |= first != value;
                    }
                }
            }
        }
        Ok(())
    }
}

/// What the survey of a batch goes by.
pub(super) struct Known {
    key: Option<Key>,
    hasher: DefaultHashBuilder,
    relation: Option<String>,
    /// What is settled of the columns.
    columns: Vec<ColumnSurvey>,
}

impl Work for Survey {
    /// The survey of the batch, and the hashes of its keys.
    type Found = (Survey, Vec<u64>);
    type Known = Known;

    fn look(known: &Known, rows: &mut Looking<'_>) -> (Survey, Vec<u64>) {
        let mut survey = Survey {
            columns: known.columns.iter().map(ColumnSurvey::beginning).collect(),
            relation: known.relation.clone(),
            ..Survey::new()
        };
        let (mut row, mut id, mut keys) = (Row::default(), String::new(), Vec::new());
        while rows.row(&mut row).is_some() {
            survey.note(&row);
            if known
                .key
                .as_ref()
                .is_some_and(|key| key.id(&row, "", &mut id))
            {
                keys.push(known.hasher.hash_one(id.as_str()));
            }
        }
        (survey, keys)
    }

    fn take(
        &mut self,
        _: &mut Job<'_>,
        _: &Known,
        _: &Batch,
        (survey, keys): (Survey, Vec<u64>),
    ) -> Result<(), LoadError> {
        self.rows += survey.rows;
        self.relation_rows += survey.relation_rows;
        if self.columns.len() < survey.columns.len() {
            let columns = survey.columns.len();
            self.columns.resize(columns, ColumnSurvey::new());
        }
        for (column, next) in self.columns.iter_mut().zip(survey.columns) {
            column.absorb(next);
        }
        keys.into_iter().for_each(|hash| self.note_key(hash));
        Ok(())
    }

    fn settle(&mut self, known: &mut Known) {
        known.columns = self.columns.iter().map(ColumnSurvey::beginning).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(cells: &[&str]) -> Option<&'static str> {
        let mut column = ColumnSurvey::new();
        for text in cells {
            column.note(Cell {
                column: 0,
                text,
                string: false,
                array: false,
            });
        }
        column.kind()
    }

    #[test]
    fn kinds_are_found_from_all_cells() {
        for (cells, expected) in [
            (&[][..], None),
            (&["950", "1,200", "-5", "−5", "1.5", "1e6"], Some("NUMBER")),
            (&["1914", "1918"], Some("NUMBER")),
            (&["1914", "1918-11"], Some("DATE")),
            (
                &["1914-12-14", "20th century", "14 December 1914"],
                Some("DATE"),
            ),
            (&["12", "1914-12"], Some("TEXT")),
            (&["007", "12"], Some("TEXT")),
            (&["0", "0.5", "10"], Some("NUMBER")),
            (&["5 km"], Some("TEXT")),
            (&["5 to 8"], Some("TEXT")),
            (&["5-8"], Some("TEXT")),
            (&["1e-6"], Some("NUMBER")),
            (&["1.2 million"], Some("TEXT")),
            (&["03/04/2001"], Some("TEXT")),
            (&["whale", "5"], Some("TEXT")),
        ] {
            assert_eq!(kind(cells), expected, "{cells:?}");
        }
    }
}
