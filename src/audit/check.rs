//! A certificate, accepted or refused: it is derived anew and compared byte by
//! byte, so nothing of it need be held in memory but its plan.

use super::compare_bytes::{Comparing, Difference};
use super::{AuditError, Facts, certificate};
use crate::lattice::{Lattice, StoreError};
use crate::syntax::print::print_query;
use crate::syntax::stack::{SHALLOW, query_depth, with_room};
use crate::syntax::tree::Query;
use crate::syntax::{canonical, parse_query};
use crate::verdict::Verdict;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// The most bytes that the plan of a certificate may have.
const LONGEST_PLAN: usize = 16 << 20;
/// How much of an odd beginning is shown.
const SHOWN: usize = 80;

/// A certificate that was accepted.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its plan.
    pub plan: String,
    /// Its verdict, as derived here.
    pub verdict: Verdict,
    /// How many bytes it has.
    pub bytes: u64,
}

/// Why a certificate is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It does not begin as a certificate does.
    #[error(
        "this is no certificate: it begins with `{found}`, and a certificate begins with `{{\"certificate\":1,`"
    )]
    NotACertificate {
        /// How it begins.
        found: String,
    },
    /// It is of another version.
    #[error("the certificate is of version {found}, and this program checks version 1")]
    OtherVersion {
        /// The version it gives.
        found: String,
    },
    /// Its head is damaged.
    #[error("the certificate is damaged at byte {position}: {what}")]
    Damaged {
        /// Where.
        position: u64,
        /// What is wrong there.
        what: String,
    },
    /// It speaks of another lattice.
    #[error(
        "the certificate is about the lattice {certificate}, and this lattice is {lattice}; check it against the one it was made from"
    )]
    OtherLattice {
        /// The hash in the certificate.
        certificate: String,
        /// The hash of the lattice at hand.
        lattice: String,
    },
    /// Its plan is no query.
    #[error("the plan of the certificate is not a query: {why}")]
    NotAQuery {
        /// What the parser says.
        why: String,
    },
    /// Its plan is not in canonical form.
    #[error(
        "the plan of the certificate is not in its canonical form: it says `{certificate}`, and the canonical form is `{canonical}`"
    )]
    NotCanonical {
        /// The plan as it stands there.
        certificate: String,
        /// The plan as it should stand there.
        canonical: String,
    },
    /// Its plan asks something that is not checked.
    #[error("the plan of the certificate cannot be checked: {0}")]
    NotEvaluated(AuditError),
    /// It differs from what the lattice says.
    #[error(
        "the certificate differs from the lattice at byte {position} ({pointer}): it says `{certificate}`, and the lattice says `{lattice}`"
    )]
    Differs {
        /// Where, as a number of bytes from the start.
        position: u64,
        /// Where, as a JSON pointer.
        pointer: String,
        /// What the certificate says there.
        certificate: String,
        /// What the lattice says.
        lattice: String,
    },
    /// It ends too early.
    #[error(
        "the certificate ends at byte {position} ({pointer}), where the lattice goes on with `{lattice}`"
    )]
    Ends {
        /// Where.
        position: u64,
        /// Where, as a JSON pointer.
        pointer: String,
        /// What is missing.
        lattice: String,
    },
    /// Something stands behind its end.
    #[error("something stands behind the end of the certificate, at byte {position}: `{found}`")]
    GoesOn {
        /// Where.
        position: u64,
        /// What.
        found: String,
    },
    /// It cannot be read.
    #[error("the certificate cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The lattice cannot be read.
    #[error(transparent)]
    Lattice(#[from] StoreError),
}

/// Accepts or refuses a certificate.
///
/// # Errors
/// The first reason to refuse it.
pub fn check(lattice: &Lattice, certificate: impl BufRead) -> Result<Checked, Refused> {
    let mut head = Head {
        reader: certificate,
        read: Vec::new(),
    };
    let plan = head.read(lattice)?;
    let query = query_of(&plan)?;
    let facts = Facts::read(lattice)?;
    if query_depth(&query) <= SHALLOW {
        return compared(lattice, &facts, plan, &query, head);
    }
    // On a stack of its own, and so of bytes that another thread may read.
    let mut rest = Vec::new();
    head.reader.read_to_end(&mut rest)?;
    let head = Head {
        reader: rest.as_slice(),
        read: head.read,
    };
    let work = || compared(lattice, &facts, plan, &query, head);
    with_room(query_depth(&query), work).unwrap_or(Err(Refused::NotEvaluated(AuditError::NoRoom)))
}

fn compared<R: BufRead>(
    lattice: &Lattice,
    facts: &Facts,
    plan: String,
    query: &Query,
    head: Head<R>,
) -> Result<Checked, Refused> {
    let mut comparing = Comparing::new(head.read, head.reader);
    let derived = certificate::certificate(facts, lattice, query, &mut comparing);
    if let Some(difference) = comparing.difference() {
        return Err(refusal(difference));
    }
    let verdict = match derived {
        Ok(verdict) => verdict,
        Err(AuditError::Store(error)) => return Err(Refused::Lattice(error)),
        Err(AuditError::Write(error)) => return Err(Refused::Read(error)),
        Err(error) => return Err(Refused::NotEvaluated(error)),
    };
    let bytes = comparing.position();
    let rest = comparing.rest(SHOWN)?;
    if !rest.is_empty() {
        return Err(Refused::GoesOn {
            position: bytes,
            found: shown(&rest),
        });
    }
    Ok(Checked {
        plan,
        verdict,
        bytes,
    })
}

fn refusal(difference: Difference) -> Refused {
    let Difference {
        position,
        pointer,
        certificate,
        lattice,
    } = difference;
    let lattice = shown(&lattice);
    match certificate {
        Some(certificate) => Refused::Differs {
            position,
            pointer,
            certificate: shown(&certificate),
            lattice,
        },
        None => Refused::Ends {
            position,
            pointer,
            lattice,
        },
    }
}

/// The plan as a query, if its text is canonical.
fn query_of(plan: &str) -> Result<Query, Refused> {
    let not_a_query = |diagnostics: Vec<crate::syntax::Diagnostic>| Refused::NotAQuery {
        why: diagnostics
            .first()
            .map_or_else(String::new, |diagnostic| diagnostic.message.clone()),
    };
    let query = parse_query(plan).map_err(not_a_query)?;
    let canonical = canonical(&query, &BTreeMap::new(), &BTreeMap::new())
        .map_err(|diagnostic| not_a_query(vec![diagnostic]))?;
    let text = print_query(&canonical);
    if text != plan {
        return Err(Refused::NotCanonical {
            certificate: shown(plan.as_bytes()),
            canonical: shown(text.as_bytes()),
        });
    }
    Ok(canonical)
}

/// Reads the beginning of a certificate, up to its plan.
struct Head<R> {
    reader: R,
    /// All bytes read so far.
    read: Vec<u8>,
}

impl<R: BufRead> Head<R> {
    fn read(&mut self, lattice: &Lattice) -> Result<String, Refused> {
        self.begin()?;
        let version = self.number()?;
        if version != "1" {
            return Err(Refused::OtherVersion { found: version });
        }
        self.expect(",\"lattice\":")?;
        let hash = self.string(SHOWN)?;
        let own = lattice.content_hash().to_string();
        if hash != own {
            return Err(Refused::OtherLattice {
                certificate: shown(hash.as_bytes()),
                lattice: own,
            });
        }
        self.expect(",\"plan\":")?;
        self.string(LONGEST_PLAN)
    }

    fn position(&self) -> u64 {
        self.read.len() as u64
    }

    fn damaged<T>(&self, what: &str) -> Result<T, Refused> {
        Err(Refused::Damaged {
            position: self.position(),
            what: what.to_owned(),
        })
    }

    /// The next byte, without taking it.
    fn peek(&mut self) -> Result<Option<u8>, Refused> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn take(&mut self, byte: u8) {
        self.reader.consume(1);
        self.read.push(byte);
    }

    fn begin(&mut self) -> Result<(), Refused> {
        for expected in b"{\"certificate\":" {
            match self.peek()? {
                Some(byte) if byte == *expected => self.take(byte),
                _ => {
                    while self.read.len() < SHOWN
                        && let Some(byte) = self.peek()?
                    {
                        self.take(byte);
                    }
                    return Err(Refused::NotACertificate {
                        found: shown(&self.read),
                    });
                }
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<String, Refused> {
        let mut digits = String::new();
        while let Some(byte) = self.peek()?
            && byte.is_ascii_digit()
            && digits.len() < SHOWN
        {
            self.take(byte);
            digits.push(char::from(byte));
        }
        match digits.is_empty() {
            true => self.damaged("the number of its version is missing"),
            false => Ok(digits),
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), Refused> {
        for expected in text.bytes() {
            match self.peek()? {
                Some(byte) if byte == expected => self.take(byte),
                Some(_) => return self.damaged(&format!("`{text}` should stand there")),
                None => return self.damaged(&format!("it ends where `{text}` should stand")),
            }
        }
        Ok(())
    }

    /// A JSON string of at most so many bytes.
    fn string(&mut self, most: usize) -> Result<String, Refused> {
        self.expect("\"")?;
        let start = self.read.len().saturating_sub(1);
        let mut escaped = false;
        loop {
            let Some(byte) = self.peek()? else {
                return self.damaged("it ends within a text in quotes");
            };
            self.take(byte);
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => break,
                _ => {}
            }
            if self.read.len() - start > most {
                return self.damaged(&format!("a text there has more than {most} bytes"));
            }
        }
        let written = self.read.get(start..).unwrap_or_default();
        match serde_json::from_slice(written) {
            Ok(text) => Ok(text),
            Err(_) => self.damaged("the text in quotes before it is no JSON"),
        }
    }
}

/// Bytes for a message: cut, and in one line.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut cut: String = text
        .chars()
        .map(|c| if c.is_control() { '␣' } else { c })
        .take(SHOWN)
        .collect();
    if text.chars().count() > SHOWN {
        cut.push('…');
    }
    cut
}
