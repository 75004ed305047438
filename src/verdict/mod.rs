//! What a query ends in: an answer or an abstention. Plain data; the meaning of
//! every field is fixed in the book's page "Exact meaning".
//!
//! The engine makes verdicts, the checker makes its own and compares. Both use
//! these types and nothing else in common.

mod ids;
mod json;
mod reason;

pub use ids::IdWriter;
pub use json::{Cell, InstanceCell, order_word, print_value};
pub use reason::{
    Abstention, Ambiguity, ConflictIn, Contrast, Derivation, Needed, Reason, Unknown, Who,
};

use crate::lattice::{DimensionId, InstanceId, Lattice, Value, ValueId};
use crate::syntax::tree::{Operation, OrderWord, Query};
use roaring::RoaringBitmap;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a query ends in.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The canonical query: LETs written out, parameters bound.
    pub query: Arc<Query>,
    /// Answer or abstention.
    pub outcome: Outcome,
    /// Words that several things are called by, sorted by word.
    pub called: Vec<CalledSo>,
    /// The meets and joins that no single value is, so that the completion had to
    /// supply them: sorted, each once.
    pub completed: Vec<Completed>,
}

impl Verdict {
    /// Reads the names and strings that the answer speaks of, so that
    /// [`Lattice::intact`] tells whether they can be shown.
    pub fn read_words(&self, lattice: &Lattice) {
        let word = |i: u32| {
            let i = InstanceId(i);
            (lattice.name(i), lattice.id(i))
        };
        match &self.outcome {
            Outcome::Answer(Answer::Set(set)) => match &set.members {
                Members::Instances(instances) => instances.iter().for_each(|i| {
                    let _ = word(i);
                }),
                Members::Values(d, values) => values.iter().for_each(|v| {
                    let _ = lattice.value(*d, ValueId(v));
                }),
                Members::Texts(_) | Members::Interval(..) => {}
            },
            Outcome::Answer(Answer::Rows(rows)) => {
                for value in rows.rows.iter().flatten().flatten() {
                    if let Value::Instance(i) = value {
                        let _ = word(i.0);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A meet or a join that no single value is: an element of the Dedekind–MacNeille
/// completion that the order itself lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completed {
    /// The dimension.
    pub dimension: String,
    /// Which bound.
    pub operation: Operation,
    /// What it is a bound of, printed, sorted: the constraints of an AND-list, or the
    /// operands of a COMPARE.
    pub of: Vec<String>,
    /// The maximal values at or below it, sorted by their names: they name it.
    pub members: Vec<Value>,
}

/// An answer or an abstention; there is no third thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The query has an answer.
    Answer(Answer),
    /// The query has none, for a structural reason.
    Abstention(Abstention),
}

/// A word that stands for several instances, all of which were meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CalledSo {
    /// The word.
    pub word: String,
    /// The instances, ascending.
    pub instances: Vec<InstanceId>,
}

/// The members of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    /// Instances, by number.
    Instances(RoaringBitmap),
    /// Values of a TAXONOMY, NUMBER, DATE or TEXT dimension, by number.
    Values(DimensionId, RoaringBitmap),
    /// Names (of `RETURN name`).
    Texts(BTreeSet<String>),
    /// One interval of a NUMBER or DATE dimension that nothing records: the
    /// intersection or the hull of others, in the dimension's unit.
    Interval(DimensionId, Value),
}

impl Members {
    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            Members::Instances(set) | Members::Values(_, set) => set.len(),
            Members::Texts(set) => set.len() as u64,
            Members::Interval(..) => 1,
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A set that answers a MEET, an extremum or a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct SetAnswer {
    /// The complete set.
    pub members: Members,
    /// Hits that hold only thanks to POSSIBLY. For a RETURN set: the hits, not
    /// the values, that are so.
    pub possibly: RoaringBitmap,
    /// Hits without a value for RETURN.
    pub without_value: u64,
    /// Hits with contested values that were left out of RETURN.
    pub contested: RoaringBitmap,
    /// For an extremum or a bound: what could change it.
    pub caveat: Caveat,
}

/// One column of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowColumn {
    /// The path as printed.
    pub path: String,
    /// The dimension of its last step; none for `name`.
    pub dimension: Option<DimensionId>,
}

/// Rows that answer a MEET with several RETURN paths.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsAnswer {
    /// One per path.
    pub columns: Vec<RowColumn>,
    /// Distinct rows, sorted; `None` is a missing leg.
    pub rows: Vec<Vec<Option<Value>>>,
    /// As in [`SetAnswer`].
    pub possibly: RoaringBitmap,
    /// As in [`SetAnswer`].
    pub without_value: u64,
    /// As in [`SetAnswer`].
    pub contested: RoaringBitmap,
    /// As in [`SetAnswer`].
    pub caveat: Caveat,
}

/// Why an answer holds only as recorded. Empty: it cannot change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caveat {
    /// Open steps (neither ONE nor COMPLETE), ascending.
    pub open: Vec<DimensionId>,
    /// Merely possible members that could change it.
    pub could_change: RoaringBitmap,
    /// Values that were taken as equal though they are wide or not the most
    /// specific.
    pub equal_as_recorded: bool,
    /// A set is not closed: an unknown value may belong to it.
    pub unclosed: bool,
}

impl Caveat {
    /// Whether the answer holds only as recorded.
    pub fn as_recorded(&self) -> bool {
        !self.open.is_empty()
            || !self.could_change.is_empty()
            || self.equal_as_recorded
            || self.unclosed
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A complete set.
    Set(SetAnswer),
    /// Complete rows.
    Rows(RowsAnswer),
    /// A derived count.
    Count {
        /// The number.
        count: u64,
        /// What was counted, printed: `instances` or the path.
        of: String,
        /// As in [`SetAnswer`].
        possibly: RoaringBitmap,
    },
    /// True or false.
    Truth {
        /// Which.
        value: bool,
        /// What could change it.
        caveat: Caveat,
    },
    /// How two operands lie.
    Order {
        /// The word.
        word: OrderWord,
        /// The least values above both.
        join: Vec<Value>,
        /// The greatest values below both.
        meet: Vec<Value>,
        /// The dimension of the values.
        dimension: Option<DimensionId>,
        /// What could change it.
        caveat: Caveat,
    },
}

impl Answer {
    /// The answer as names: members or first cells, a count as its number, a truth as
    /// `true` or `false`, an order as its word. Sorted, each once.
    pub fn names(&self, lattice: &Lattice) -> Vec<String> {
        let printed = |value: &Value| print_value(lattice, value);
        let mut names: Vec<String> = match self {
            Answer::Set(set) => match &set.members {
                Members::Instances(all) => all
                    .iter()
                    .map(|i| lattice.name(InstanceId(i)).to_owned())
                    .collect(),
                Members::Values(d, all) => all
                    .iter()
                    .map(|v| printed(&lattice.value(*d, ValueId(v))))
                    .collect(),
                Members::Interval(_, value) => vec![printed(value)],
                Members::Texts(texts) => texts.iter().cloned().collect(),
            },
            Answer::Rows(rows) => rows
                .rows
                .iter()
                .filter_map(|row| row.first()?.as_ref().map(printed))
                .collect(),
            Answer::Count { count, .. } => vec![count.to_string()],
            Answer::Truth { value, .. } => vec![value.to_string()],
            Answer::Order { word, .. } => vec![order_word(*word).to_owned()],
        };
        names.sort();
        names.dedup();
        names
    }
}
