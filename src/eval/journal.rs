//! What has been graded so far, so that an interrupted run goes on where it stopped.
//!
//! JSON Lines: the first says which run this is; each other is a portion of questions,
//! by the number of its first. A line that was cut off is done again.

use super::EvalError;
use super::grade::Graded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A portion as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    portion: usize,
    graded: Vec<Graded>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The hash of all that the run depends on.
    run: String,
}

/// A file with what has been graded.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of a run, and what is in it; it is begun if there is none.
    pub fn open(
        path: &Path,
        run: &str,
    ) -> Result<(Journal, BTreeMap<usize, Vec<Graded>>), EvalError> {
        let failed = |error: io::Error| EvalError::Journal {
            path: path.to_path_buf(),
            error,
        };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let mut done = BTreeMap::new();
        let mut whole = String::new();
        let mut lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        if let Some(first) = lines.next() {
            let head: Option<Head> = serde_json::from_str(first).ok();
            if head.is_none_or(|head| head.run != run) {
                return Err(EvalError::OtherRun {
                    path: path.to_path_buf(),
                });
            }
            whole += first;
            for line in lines {
                let Ok(kept) = serde_json::from_str::<Kept>(line) else {
                    break;
                };
                whole += line;
                done.insert(kept.portion, kept.graded);
            }
        } else {
            if !text.is_empty() {
                return Err(EvalError::OtherRun {
                    path: path.to_path_buf(),
                });
            }
            whole = line_of(&Head {
                run: run.to_owned(),
            });
        }
        // What was cut off goes.
        if whole != text {
            fs::write(path, &whole).map_err(failed)?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        let path = path.to_path_buf();
        Ok((Journal { path, file }, done))
    }

    /// Keeps a portion.
    pub fn keep(&mut self, portion: usize, graded: &[Graded]) -> Result<(), EvalError> {
        let line = line_of(&Kept {
            portion,
            graded: graded.to_vec(),
        });
        let kept = self.file.write_all(line.as_bytes());
        kept.map_err(|error| EvalError::Journal {
            path: self.path.clone(),
            error,
        })
    }
}

/// A line of JSON. Plain data can always be written.
fn line_of(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}
