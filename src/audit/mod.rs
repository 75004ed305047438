//! The independent checker: verdicts and certificates derived from predicates
//! and edges, by plain sets and scans, with code of its own.

#[allow(clippy::module_inception)]
mod audit;
mod bound;
mod certificate;
mod check;
mod compare;
mod compare_bytes;
mod completed;
mod conflict;
mod coordinate;
mod counts;
mod extremum;
mod facts;
mod json;
mod judged;
mod meet;
mod names;
mod order;
mod print;
mod proof;
mod proof_text;
mod query;
mod reading;
mod resolve;
mod resolve_compare;
mod resolve_sets;
mod returns;
mod set_compare;
mod sets;
mod spans;
mod truth;
mod words;

pub use certificate::certificate;
pub use check::{Checked, Refused, check};
pub use facts::Facts;

use crate::lattice::{Lattice, StoreError};
use crate::syntax::stack::{query_depth, with_room};
use crate::syntax::tree::Query;
use crate::verdict::{Abstention, Outcome, Reason, Verdict};
use audit::Audit;
use query::{Asked, Form};
use resolve::{Resolved, resolve};
use std::sync::Arc;

/// Why a query cannot be evaluated at all.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// A READ asks a model.
    #[error("READ is not evaluated by the checker in this version")]
    Reading,
    /// A LET or a parameter is left in the query.
    #[error("the query still has a variable or a parameter; bind them before it is evaluated")]
    NotClosed,
    /// The query nests so deeply that the machine has no stack for it.
    #[error("the query nests too deeply for the memory at hand")]
    NoRoom,
    /// A path has too many steps.
    #[error("a path has more than {0} steps, which the checker does not follow")]
    LongPath(usize),
    /// The lattice cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The certificate cannot be written.
    #[error("the certificate cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// Evaluates a closed canonical query, straight from the page "Exact meaning".
///
/// # Errors
/// The query asks something that the checker does not evaluate.
pub fn evaluate(facts: &Facts, lattice: &Lattice, query: &Query) -> Result<Verdict, AuditError> {
    with_room(query_depth(query), || evaluated(facts, lattice, query))
        .unwrap_or(Err(AuditError::NoRoom))
}

fn evaluated(facts: &Facts, lattice: &Lattice, query: &Query) -> Result<Verdict, AuditError> {
    let query_of = || Arc::new(query.clone());
    Ok(match resolve(lattice, facts, query)? {
        Resolved::Refused(reason) => Verdict {
            query: query_of(),
            outcome: Outcome::Abstention(Abstention { reason }),
            called: Vec::new(),
            completed: Vec::new(),
        },
        Resolved::Asked(asked, called) => {
            let audit = Audit::new(facts, lattice);
            Verdict {
                query: query_of(),
                outcome: audit.outcome(&asked),
                called,
                completed: audit.completed(&asked),
            }
        }
    })
}

impl Audit<'_> {
    /// What a query ends in.
    fn outcome(&self, asked: &Arc<Asked>) -> Outcome {
        match &asked.form {
            Form::Meet(meet) => self.meet_outcome(asked, meet),
            Form::Compare(compare) => self.compare_outcome(asked, compare),
            Form::Decline(words) => Outcome::Abstention(Abstention {
                reason: Reason::Declined {
                    words: words.clone(),
                },
            }),
        }
    }
}
