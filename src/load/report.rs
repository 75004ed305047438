//! What loading a file did.

use super::BadLine;
use super::seen::Seen;
use crate::lattice::{Builder, CyclePath, Cycles, Multiplicity};

/// How many bad lines and warnings are listed; all are counted.
const MOST_LISTED: usize = 1000;

/// A column and what it became: as its dimension is declared, else as its cells show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferredColumn {
    /// The table.
    pub table: String,
    /// The column's header.
    pub column: String,
    /// The dimension that it fills.
    pub dimension: String,
    /// `NUMBER`, `DATE`, `TEXT`, `ENTITY` or, if declared, `TAXONOMY`.
    pub kind: &'static str,
    /// Whether one instance has one value or several.
    pub multiplicity: Multiplicity,
    /// Whether the dimension was declared before.
    pub declared: bool,
}

/// What loading did: counts, and everything that was not taken as it stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What lines state, repeated lines not counted. Two lines that state the same
    /// are two here, and one fact of the lattice.
    pub facts: u64,
    /// Lines read.
    pub lines: u64,
    /// Lines that say again, word for word, what an earlier line of the file says.
    pub repeated: u64,
    /// The first bad lines that were skipped.
    pub skipped: Vec<BadLine>,
    /// How many bad lines were skipped.
    pub skipped_count: u64,
    /// Files set aside as a whole, and why.
    pub quarantined: Vec<(String, String)>,
    /// What should be looked at, though it was taken.
    pub warnings: Vec<String>,
    /// How many such warnings there were.
    pub warning_count: u64,
    /// The columns of the tables, and what they became.
    pub inferred: Vec<InferredColumn>,
    /// The relations declared on the way, with the name of the inverse if any.
    pub relations: Vec<(String, Option<String>)>,
    /// The cycles of taxonomies whose members became one value.
    pub cycles: Vec<CyclePath>,
    /// What is judged once all files are loaded.
    pub(super) seen: Seen,
}

impl Report {
    /// Whether everything was taken (exit code 0 rather than 4).
    pub fn is_whole(&self) -> bool {
        self.skipped_count == 0 && self.quarantined.is_empty() && self.cycles.is_empty()
    }

    /// Adds what another file's loading did.
    pub fn absorb(&mut self, other: Report) {
        self.facts += other.facts;
        self.lines += other.lines;
        self.repeated += other.repeated;
        self.skipped_count += other.skipped_count;
        self.warning_count += other.warning_count;
        self.skipped.extend(other.skipped);
        self.skipped.truncate(MOST_LISTED);
        self.warnings.extend(other.warnings);
        self.warnings.truncate(MOST_LISTED);
        self.quarantined.extend(other.quarantined);
        self.inferred.extend(other.inferred);
        self.relations.extend(other.relations);
        self.cycles.extend(other.cycles);
        self.seen.absorb(other.seen);
    }

    /// Notes the cycles of the taxonomies, if their members become one value. Called
    /// once all files are loaded, since a later one may close a cycle.
    pub fn note_cycles(&mut self, builder: &Builder) {
        if builder.cycles() == Cycles::Merge {
            self.cycles = builder.cycle_paths();
        }
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warning_count += 1;
        if self.warnings.len() < MOST_LISTED {
            self.warnings.push(warning);
        }
    }

    pub(super) fn skip(&mut self, line: BadLine) {
        self.skipped_count += 1;
        if self.skipped.len() < MOST_LISTED {
            self.skipped.push(line);
        }
    }
}
