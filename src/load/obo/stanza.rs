//! An OBO file stanza by stanza.

use crate::load::LoadError;
use crate::load::job::Job;
use crate::load::lines::Lines;

/// What a stanza describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The lines before the first stanza.
    Header,
    Term,
    Typedef,
    Instance,
    /// Something that OBO does not have.
    Other,
}

/// A line that says something, without its indentation.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub text: String,
    pub line: u64,
    pub start: u64,
    pub end: u64,
}

/// The lines of a stanza, and of its headline.
#[derive(Debug)]
pub(super) struct Stanza {
    pub kind: Kind,
    pub line: u64,
    pub start: u64,
    pub clauses: Vec<Clause>,
}

/// Reads stanzas one after another.
pub(super) struct Stanzas {
    lines: Lines,
    /// The headline that ended the stanza before.
    next: Option<Stanza>,
    first_reading: bool,
}

impl Stanzas {
    /// Opens the file of a job. What is wrong with a line as such is told where this
    /// is the first reading.
    pub fn open(job: &Job<'_>, first_reading: bool) -> Result<Stanzas, LoadError> {
        Ok(Stanzas {
            lines: job.lines()?,
            next: Some(Stanza {
                kind: Kind::Header,
                line: 1,
                start: 0,
                clauses: Vec::new(),
            }),
            first_reading,
        })
    }

    /// The next stanza; none at the end.
    pub fn next(&mut self, job: &mut Job<'_>) -> Result<Option<Stanza>, LoadError> {
        let Some(mut stanza) = self.next.take() else {
            return Ok(None);
        };
        while let Some(line) = self.lines.next()? {
            job.tick(line.end)?;
            job.report.lines += u64::from(self.first_reading);
            let text = match self.first_reading {
                true => job.text(&line)?,
                false => line.text.ok(),
            };
            let Some(text) = text else {
                continue;
            };
            let trimmed = text.trim();
            if trimmed.is_empty() || trimmed.starts_with('!') {
                continue;
            }
            if let Some(kind) = headline(trimmed) {
                self.next = Some(Stanza {
                    kind,
                    line: line.number,
                    start: line.start,
                    clauses: Vec::new(),
                });
                return Ok(Some(stanza));
            }
            let indentation = text.len() - text.trim_start().len();
            let start = line.start + indentation as u64;
            stanza.clauses.push(Clause {
                text: trimmed.to_owned(),
                line: line.number,
                start,
                end: start + trimmed.len() as u64,
            });
        }
        Ok(Some(stanza))
    }
}

/// The kind of the stanza that a line begins.
fn headline(text: &str) -> Option<Kind> {
    let rest = text.strip_prefix('[')?;
    let (name, behind) = rest.split_once(']')?;
    let behind = behind.trim_start();
    (behind.is_empty() || behind.starts_with('!')).then_some(match name.trim() {
        "Term" => Kind::Term,
        "Typedef" => Kind::Typedef,
        "Instance" => Kind::Instance,
        _ => Kind::Other,
    })
}
