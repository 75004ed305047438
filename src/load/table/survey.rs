//! The first reading of a table: what its columns hold.

use super::rows::{Cell, Row};
use crate::lattice::{Precision, date_from_text, number_from_text};
use crate::load::names;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

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

    fn note(&mut self, cell: &Cell) {
        self.cells += 1;
        let text = cell.text.as_str();
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
    }

    fn note_number(&mut self, text: &str, string: bool) {
        match number_from_text(text) {
            Ok(number) if !string && number.unit.is_none() && is_plain(text) => {
                self.decimals |= number.unclear.is_none() && text.contains('.');
            }
            _ => self.numbers = false,
        }
    }
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

/// What has been seen of a table.
pub(super) struct Survey {
    pub columns: Vec<ColumnSurvey>,
    pub rows: u64,
    /// Per key the hash of each column's first value; 0 for none.
    firsts: HashMap<u64, Box<[u64]>>,
    hasher: RandomState,
}

impl Survey {
    pub fn new() -> Survey {
        Survey {
            columns: Vec::new(),
            rows: 0,
            firsts: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// Takes a row; `key` names its instance, if it has one.
    pub fn note(&mut self, row: &Row, key: Option<&str>) {
        self.rows += 1;
        let width = row.cells.iter().map(|cell| cell.column + 1).max();
        let width = width.unwrap_or(0).max(self.columns.len());
        self.columns.resize(width, ColumnSurvey::new());
        let mut values: Vec<u64> = vec![0; width];
        for cell in &row.cells {
            let (Some(column), Some(value)) = (
                self.columns.get_mut(cell.column),
                values.get_mut(cell.column),
            ) else {
                continue;
            };
            column.note(cell);
            let folded = names::fold_spaces(&cell.text);
            let hash = self.hasher.hash_one(folded.as_ref()) | 1;
            column.rows += u64::from(*value == 0);
            column.differs |= *value != 0 && *value != hash;
            *value = hash;
        }
        if let Some(key) = key {
            self.compare(self.hasher.hash_one(key), values);
        }
    }

    /// Compares a row with what the first row of its key said.
    fn compare(&mut self, key: u64, values: Vec<u64>) {
        let Some(firsts) = self.firsts.get_mut(&key) else {
            self.firsts.insert(key, values.into_boxed_slice());
            return;
        };
        if firsts.len() < values.len() {
            let mut longer = firsts.to_vec();
            longer.resize(values.len(), 0);
            *firsts = longer.into_boxed_slice();
        }
        for ((first, value), column) in firsts.iter_mut().zip(&values).zip(&mut self.columns) {
            match (*first, *value) {
                (_, 0) => {}
                (0, value) => *first = value,
                (first, value) => column.differs |= first != value,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(cells: &[&str]) -> Option<&'static str> {
        let mut column = ColumnSurvey::new();
        for text in cells {
            column.note(&Cell {
                column: 0,
                text: (*text).to_owned(),
                string: false,
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
