//! What a statement gives back.

use super::expect::Difference;
use super::listing::{Description, Listing};
use crate::engine::Explanation;
use crate::lattice::{ContentHash, Counts};
use crate::load::Report;
use crate::theory;
use crate::verdict::Verdict;
use std::path::PathBuf;
use std::sync::Arc;

/// What a statement gives back. Nothing of it is printed here.
#[derive(Clone, Debug)]
pub enum Output {
    /// A declaration, a fact, a LET, a USE: there is nothing to show.
    Done,
    /// A lattice was opened.
    Opened {
        /// The file.
        path: PathBuf,
        /// Its content hash.
        hash: ContentHash,
        /// What it holds.
        counts: Counts,
    },
    /// A file was loaded, or a document retracted.
    Loaded(Box<Report>),
    /// A query was answered, or refused with a reason.
    Verdict(Box<Verdict>),
    /// How a query would be run.
    Explanation(Box<Explanation>),
    /// An expectation held (`None`) or did not.
    Expectation(Option<Box<Difference>>),
    /// SHOW.
    Listing(Listing),
    /// DESCRIBE.
    Description(Box<Description>),
    /// CHECK, WIDTH, INDEPENDENCE, CONCEPTS, IMPLICATIONS, SUGGEST.
    Report(Arc<theory::Report>),
}
