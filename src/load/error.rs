//! Why a file could not be loaded.

use crate::lattice::BuildError;
use crate::syntax::Diagnostic;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What makes a file no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotText {
    /// Bytes that are not UTF-8.
    Utf8,
    /// A byte 0.
    Nul,
    /// It begins as UTF-16 does.
    Utf16,
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotText::Utf8 => "bytes that are not UTF-8",
            NotText::Nul => "a NUL byte",
            NotText::Utf16 => "UTF-16 instead of UTF-8",
        })
    }
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The document.
    pub document: String,
    /// The line, from 1; 0 where the form has no lines to name.
    pub line: u64,
    /// The byte at which the line, or the fault in it, begins.
    pub offset: u64,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.document, self.reason),
            line => write!(f, "{}:{line}: {}", self.document, self.reason),
        }
    }
}

/// Why a file, or a statement, could not be loaded. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No such file.
    #[error("{} does not exist; check the path", .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// A folder in place of a file.
    #[error("{} is a folder; name the files in it", .path.display())]
    IsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses access.
    #[error("{} may not be read; check its permissions", .path.display())]
    Permission {
        /// The path.
        path: PathBuf,
    },
    /// Reading failed midway.
    #[error("{} could not be read: {message}", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's words.
        message: String,
    },
    /// The file's ending says nothing about its form.
    #[error(
        "{}: the ending says nothing about the form; say TRIPLES, NTRIPLES, TABLE, JSONL, CONTEXT, LQ, OBO, RDF, WORDNET or EDGES",
        .path.display()
    )]
    UnknownForm {
        /// The path.
        path: PathBuf,
    },
    /// The form is read by a part of the program that is not compiled in.
    #[error(
        "{document}: this program was built without reading {form}; build it with the feature `{feature}`"
    )]
    NotCompiled {
        /// The document.
        document: String,
        /// The form.
        form: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },
    /// The file is no text.
    #[error("{document}: {what} at byte {offset} (line {line}); convert the file to UTF-8 text")]
    NotText {
        /// The document.
        document: String,
        /// The byte.
        offset: u64,
        /// The line.
        line: u64,
        /// What is there.
        what: NotText,
    },
    /// A line that could not be used, where such a line stops the load.
    #[error("{0}")]
    BadLine(BadLine),
    /// The table as a whole does not fit: its header, its key, its columns.
    #[error("{document}: {reason}")]
    Table {
        /// The document.
        document: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// LQ that is wrong.
    #[error("{}", first_message(document, text, diagnostics))]
    Script {
        /// The document.
        document: String,
        /// Its text, which the diagnostics point into.
        text: String,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// A declaration that the file needs is refused.
    #[error("{document}: {error}")]
    Build {
        /// The document.
        document: String,
        /// Why.
        error: BuildError,
    },
    /// Files that load each other in a circle, or too deeply.
    #[error("{document} loads itself, directly or through other files: {chain}")]
    Circle {
        /// The document.
        document: String,
        /// The files, each loading the next.
        chain: String,
    },
    /// The work was interrupted.
    #[error("interrupted; nothing was changed")]
    Cancelled,
}

fn first_message(document: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let Some((first, rest)) = diagnostics.split_first() else {
        return format!("{document}: the text cannot be read");
    };
    let place = match first.span() {
        Some(span) => format!("{document}:{}", line_of(text, span.start)),
        None => document.to_owned(),
    };
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!("{place}: {first}{more}")
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

impl LoadError {
    /// The variant that fits a system error at `path`.
    pub(super) fn from_io(path: &Path, error: &io::Error) -> LoadError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LoadError::NotFound { path },
            io::ErrorKind::IsADirectory => LoadError::IsDirectory { path },
            io::ErrorKind::PermissionDenied => LoadError::Permission { path },
            _ => LoadError::Io {
                path,
                message: error.to_string(),
            },
        }
    }

    /// Whether the file's content is at fault, so that it can be set aside while
    /// the other files are loaded.
    pub fn is_content(&self) -> bool {
        matches!(
            self,
            LoadError::NotText { .. }
                | LoadError::BadLine(_)
                | LoadError::Table { .. }
                | LoadError::Script { .. }
                | LoadError::Build { .. }
        )
    }
}
