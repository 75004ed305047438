//! What tables and JSON Lines have in common: rows of cells under named columns.

use crate::load::LoadError;
use crate::load::job::Job;
use std::ops::Range;

/// A cell that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::load) struct Cell<'r> {
    /// Its column, an index into [`Rows::columns`].
    pub column: usize,
    /// What it says, trimmed.
    pub text: &'r str,
    /// Whether it is a string by its own word, as in JSON, and no number.
    pub string: bool,
    /// Whether it stands in an array.
    pub array: bool,
}

/// Where the text of a cell stands in that of all cells.
#[derive(Clone, Debug)]
struct Placed {
    column: usize,
    range: Range<usize>,
    string: bool,
    array: bool,
}

/// A row, and the lines that it stands in. One is filled again and again, so that
/// reading a file makes no new strings.
#[derive(Clone, Debug, Default)]
pub(in crate::load) struct Row {
    /// The number of its first line.
    pub line: u64,
    /// Its first byte.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
    /// The lines verbatim.
    pub text: String,
    cells: Cells,
}

/// The cells of a row, empty ones left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    texts: String,
    placed: Vec<Placed>,
}

impl Cells {
    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.placed.clear();
    }

    /// Adds a cell, unless it is blank.
    pub(super) fn push(&mut self, cell: Cell<'_>) {
        let text = cell.text.trim();
        if text.is_empty() {
            return;
        }
        let start = self.texts.len();
        self.texts.push_str(text);
        self.placed.push(Placed {
            column: cell.column,
            range: start..self.texts.len(),
            string: cell.string,
            array: cell.array,
        });
    }
}

impl Row {
    /// The cells in their order, empty ones left out.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.cells.placed.iter().map(|placed| Cell {
            column: placed.column,
            text: self
                .cells
                .texts
                .get(placed.range.clone())
                .unwrap_or_default(),
            string: placed.string,
            array: placed.array,
        })
    }

    /// The cells of one column.
    pub fn of_column(&self, column: usize) -> impl Iterator<Item = Cell<'_>> {
        self.cells().filter(move |cell| cell.column == column)
    }

    /// The lines, and the cells to be filled from them.
    pub(super) fn parts(&mut self) -> (&str, &mut Cells) {
        (&self.text, &mut self.cells)
    }
}

/// The rows of a file, which can be read more than once. Lines that make no row
/// are told at the first reading only.
pub(in crate::load) trait Rows {
    /// Reads the next row; false if there is none.
    fn next(&mut self, job: &mut Job<'_>, row: &mut Row) -> Result<bool, LoadError>;
    /// The columns, once all rows have been read.
    fn columns(&self) -> &[String];
    /// Begins again.
    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError>;
    /// The same rows, if they can be taken apart beside one another.
    fn in_batches(&mut self) -> Option<&mut super::CsvRows> {
        None
    }
}
