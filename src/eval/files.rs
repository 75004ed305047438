//! Reading the files of a benchmark.

use super::EvalError;
use std::io;
use std::path::Path;

/// The text of a file, without a byte order mark. `hint` says what should be
/// there if it is not.
pub(super) fn read(path: &Path, hint: &str) -> Result<String, EvalError> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => EvalError::NotFound {
            path: path.to_path_buf(),
            hint: hint.to_owned(),
        },
        _ => EvalError::Unreadable {
            path: path.to_path_buf(),
            error,
        },
    })?;
    Ok(match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Makes errors for the lines of one file.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub path: &'a Path,
    pub line: usize,
}

impl At<'_> {
    /// The line is wrong, for this reason.
    pub fn bad(&self, reason: impl Into<String>) -> EvalError {
        EvalError::BadLine {
            path: self.path.to_path_buf(),
            line: self.line,
            reason: reason.into(),
        }
    }
}
