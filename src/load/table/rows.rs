//! What tables and JSON Lines have in common: rows of cells under named columns.

use crate::load::LoadError;
use crate::load::job::Job;

/// A cell that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) struct Cell {
    /// Its column, an index into [`Rows::columns`].
    pub column: usize,
    /// What it says, trimmed.
    pub text: String,
    /// Whether it is a string by its own word, as in JSON, and no number.
    pub string: bool,
    /// Whether it stands in an array.
    pub array: bool,
}

/// A row, and the lines that it stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::load) struct Row {
    /// The number of its first line.
    pub line: u64,
    /// Its first byte.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
    /// The lines verbatim.
    pub text: String,
    /// Its cells, empty ones left out.
    pub cells: Vec<Cell>,
}

/// The rows of a file, which can be read more than once. Lines that make no row
/// are told at the first reading only.
pub(in crate::load) trait Rows {
    /// The next row.
    fn next(&mut self, job: &mut Job<'_>) -> Result<Option<Row>, LoadError>;
    /// The columns, once all rows have been read.
    fn columns(&self) -> &[String];
    /// Begins again.
    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError>;
}
