//! Why a benchmark could not be run.

use crate::engine::RunError;
use crate::lattice::{BuildError, SaveError, StoreError};
use crate::load::LoadError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a benchmark reached no report. An answer that differs is no error: it is
/// told in the report.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file of the workload is not there.
    #[error("{} does not exist; a workload has {hint}", .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
        /// What should be there.
        hint: &'static str,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line is not what the workload's form says.
    #[error("{}:{line}: {reason}", .path.display())]
    BadLine {
        /// The path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A whole file is not what the workload's form says.
    #[error("{}: {reason}", .path.display())]
    BadFile {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file could not be loaded into a lattice.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What was loaded could not be put in order.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The lattice's file could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A lattice could not be made and written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A workload in several sizes was to be read from a folder.
    #[error("growth makes its workloads; leave out --data")]
    NotMade,
    /// A query was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A query's text is not what the language reads: a fault of this program.
    #[error("the query {text} cannot be read: {reason}")]
    Query {
        /// The query.
        text: String,
        /// What the parser says.
        reason: String,
    },
    /// SQLite said no.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A cell of SQLite is not what was put there.
    #[error("SQLite: {0}")]
    Cell(#[from] rusqlite::types::FromSqlError),
    /// The process that asks DuckDB failed.
    #[error("DuckDB: {0}")]
    DuckDb(String),
    /// The caller said stop.
    #[error("the benchmark was cancelled")]
    Cancelled,
}

impl BenchError {
    /// Names the path that an error is about.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> BenchError {
        let path = path.to_owned();
        move |error| BenchError::File { path, error }
    }
}
