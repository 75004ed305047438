//! Rows in batches: one thread divides a file into records, all look at batches of them,
//! and meanwhile what was found in the batches before is taken in.
//!
//! ```text
//! records ──► batches ──► look, several at once ──► take, one after another, in order
//! ```
//!
//! What is taken in depends neither on the number of threads nor on where a batch ends.

use super::csv::{Found, Records, Splitter};
use super::rows::Row;
use crate::load::LoadError;
use crate::load::job::Job;
use crate::load::lines::Fault;
use rayon::prelude::*;

/// Records in a full batch.
const RECORDS: usize = 1 << 14;
/// A batch with so many bytes is full too.
const BYTES: usize = 1 << 20;
/// Batches that are looked at beside one another.
const AT_ONCE: usize = 4;

/// Where a record stands.
struct Place {
    line: u64,
    start: u64,
    end: u64,
    /// Where its text ends among those of the batch.
    text_end: usize,
}

/// Something that is wrong.
pub(super) struct Trouble {
    /// The record before which it stands.
    pub before: usize,
    /// A line that is no text, or else a quote that is never closed.
    pub fault: Option<Fault>,
    pub line: u64,
    pub start: u64,
}

/// Some records that follow one another.
#[derive(Default)]
pub(super) struct Batch {
    texts: String,
    places: Vec<Place>,
    pub(super) troubles: Vec<Trouble>,
    /// How many lines were read for it.
    pub(super) read: u64,
    /// One past the last byte that was read for it.
    pub(super) end: u64,
}

impl Batch {
    /// The next records; none at the end of the file.
    fn of(records: &mut Records) -> Result<Option<Batch>, LoadError> {
        let (mut batch, mut row) = (Batch::default(), Row::default());
        while batch.places.len() < RECORDS && batch.texts.len() < BYTES {
            let found = records.next(&mut row)?;
            let before = batch.places.len();
            let faults = records.faults.drain(..);
            batch
                .troubles
                .extend(faults.map(|(fault, line, start)| Trouble {
                    before,
                    fault: Some(fault),
                    line,
                    start,
                }));
            match found {
                Found::End => break,
                Found::Unclosed => batch.troubles.push(Trouble {
                    before,
                    fault: None,
                    line: row.line,
                    start: row.start,
                }),
                Found::Record => {
                    batch.texts.push_str(&row.text);
                    batch.places.push(Place {
                        line: row.line,
                        start: row.start,
                        end: row.end,
                        text_end: batch.texts.len(),
                    });
                }
            }
        }
        (batch.read, batch.end) = (std::mem::take(&mut records.read), records.end);
        let nothing = batch.places.is_empty() && batch.troubles.is_empty() && batch.read == 0;
        Ok((!nothing).then_some(batch))
    }

    /// The text of a record.
    pub(super) fn text(&self, at: usize) -> &str {
        let start = at.checked_sub(1).and_then(|before| self.places.get(before));
        let start = start.map_or(0, |place| place.text_end);
        let end = self.places.get(at).map_or(start, |place| place.text_end);
        self.texts.get(start..end).unwrap_or("")
    }

    /// The line of a record, its first byte and one past its last.
    pub(super) fn place(&self, at: usize) -> (u64, u64, u64) {
        let place = self.places.get(at);
        place.map_or((0, 0, 0), |place| (place.line, place.start, place.end))
    }

    /// Takes a record apart into a row; how many cells it has, empty ones included.
    pub(super) fn row(
        &self,
        at: usize,
        splitter: &mut Splitter,
        row: &mut Row,
    ) -> Result<usize, String> {
        row.text.clear();
        row.text.push_str(self.text(at));
        (row.line, row.start, row.end) = self.place(at);
        splitter.cells(row)
    }
}

/// What is done with the batches of a file.
pub(super) trait Work {
    /// What is found in a batch.
    type Found: Send;
    /// What looking goes by. It stays as it is while batches are looked at.
    type Known: Sync;

    /// Looks at the rows of a batch.
    fn look(known: &Self::Known, rows: &mut Looking<'_>) -> Self::Found;

    /// Takes in what was found in a batch.
    fn take(
        &mut self,
        job: &mut Job<'_>,
        known: &Self::Known,
        batch: &Batch,
        found: Self::Found,
    ) -> Result<(), LoadError>;

    /// Called when no batch is being looked at.
    fn settle(&mut self, _known: &mut Self::Known) {}
}

/// The rows of a batch, one after another.
pub(super) struct Looking<'b> {
    batch: &'b Batch,
    splitter: Splitter,
    columns: usize,
    next: usize,
    odd: Vec<(usize, Result<usize, String>)>,
}

impl Looking<'_> {
    /// The next row, and which record it is; none behind the last one. A record that
    /// has not as many cells as there are columns is no row.
    pub(super) fn row(&mut self, row: &mut Row) -> Option<usize> {
        while self.next < self.batch.places.len() {
            let at = self.next;
            self.next += 1;
            match self.batch.row(at, &mut self.splitter, row) {
                Ok(count) if count == self.columns => return Some(at),
                odd => self.odd.push((at, odd)),
            }
        }
        None
    }
}

/// A batch and what was found in it.
pub(super) struct Seen<F> {
    pub(super) batch: Batch,
    pub(super) found: F,
    /// The records that are no rows: how many cells they have, or why these cannot be
    /// read.
    pub(super) odd: Vec<(usize, Result<usize, String>)>,
}

/// Reads some batches and looks at them; none at the end of the file.
pub(super) fn look<W: Work>(
    records: &mut Records,
    columns: usize,
    known: &W::Known,
) -> Result<Vec<Seen<W::Found>>, LoadError> {
    let mut batches = Vec::with_capacity(AT_ONCE);
    while batches.len() < AT_ONCE
        && let Some(batch) = Batch::of(records)?
    {
        batches.push((batch, records.splitter()));
    }
    let look = |(batch, splitter): (Batch, Splitter)| {
        let mut looking = Looking {
            batch: &batch,
            splitter,
            columns,
            next: 0,
            odd: Vec::new(),
        };
        let found = W::look(known, &mut looking);
        let odd = looking.odd;
        Seen { batch, found, odd }
    };
    // Outside of a pool there is this thread alone.
    Ok(match rayon::current_thread_index() {
        Some(_) => batches.into_par_iter().map(look).collect(),
        None => batches.into_iter().map(look).collect(),
    })
}
