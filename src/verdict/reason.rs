//! Why a query has no answer: one variant per code of the language page.

use crate::lattice::InstanceId;
use serde::Serialize;

/// A refusal with its structural reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Abstention {
    /// The first class that applies, with all of that class.
    pub reason: Reason,
}

/// A word that the lattice lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unknown {
    /// The word.
    pub word: String,
    /// For a value: the dimension it was sought in.
    pub dimension: Option<String>,
    /// Nearest words, best first.
    pub nearest: Vec<String>,
}

/// Two things that do not go together, printed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Contrast {
    /// What cannot be, in a few words.
    pub what: String,
    /// One side.
    pub left: String,
    /// The other.
    pub right: String,
}

/// One reading of an ambiguous word, or of a question: an instance, a value of a
/// dimension, or a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// An instance.
    Instance(InstanceId),
    /// A value, printed, and its dimension.
    Value(String, String),
    /// A plan of a question, printed, and what it answers: each member or row, or its
    /// one word; sorted.
    Plan {
        /// The plan.
        plan: String,
        /// Its answer.
        answer: Vec<String>,
    },
}

/// A word with several readings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ambiguity {
    /// The word or the printed query.
    pub word: String,
    /// The readings, sorted.
    pub readings: Vec<Who>,
}

/// Constraints of one dimension that have no common lower bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ConflictIn {
    /// The dimension.
    pub dimension: String,
    /// Its constraints, printed canonically, sorted.
    pub constraints: Vec<String>,
}

/// A constraint of an irreducible unsatisfiable set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// The constraint, printed canonically.
    pub constraint: String,
    /// How many hits the rest of the set has without it.
    pub hits_without: u64,
}

/// Why a count is not a plain look-up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Derivation {
    /// So many instances are merely possible.
    Possible(u64),
    /// A dimension on the way is not COMPLETE.
    Open(String),
    /// A value on the way is contested.
    Contested,
}

/// The reason of an abstention.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No plan was found for a question.
    NotUnderstood {
        /// The part that could not be read.
        text: String,
    },
    /// Nothing has been loaded.
    EmptyLattice,
    /// Words that name no dimension.
    UnknownDimension(Vec<Unknown>),
    /// Words that name no value of a dimension.
    UnknownValue(Vec<Unknown>),
    /// Words that name no instance.
    UnknownName(Vec<Unknown>),
    /// A dimension cannot take a value, operator, step or unit.
    Mismatch(Vec<Contrast>),
    /// Words or sets with several readings.
    Ambiguous(Vec<Ambiguity>),
    /// Instances (or operands) without the value asked.
    Missing {
        /// The path, printed.
        path: String,
        /// Which instances, ascending; all hits of a MEET.
        instances: Vec<InstanceId>,
    },
    /// Neither side can be preferred.
    Incomparable {
        /// The path, printed.
        path: String,
        /// Whether a contested coordinate is why.
        contested: bool,
        /// Each side: who, and its values printed, sorted.
        sides: Vec<(Who, Vec<String>)>,
    },
    /// One dimension's constraints have no common lower bound.
    Conflict(Vec<ConflictIn>),
    /// No instance satisfies all.
    Empty {
        /// An irreducible unsatisfiable set, canonical.
        constraints: Vec<Needed>,
    },
    /// The value would have to be computed.
    Derived {
        /// What is asked, printed.
        what: String,
        /// What stands in the way, sorted.
        from: Vec<Derivation>,
    },
    /// Retrieved passages do not support an answer.
    Unsupported {
        /// The passages.
        passages: Vec<String>,
    },
    /// The plan says so itself.
    Declined {
        /// Its words.
        words: String,
    },
}

impl Reason {
    /// The stable code of the language page.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::NotUnderstood { .. } => "not-understood",
            Reason::EmptyLattice => "empty-lattice",
            Reason::UnknownDimension(_) => "unknown-dimension",
            Reason::UnknownValue(_) => "unknown-value",
            Reason::UnknownName(_) => "unknown-name",
            Reason::Mismatch(_) => "mismatch",
            Reason::Ambiguous(_) => "ambiguous",
            Reason::Missing { .. } => "missing",
            Reason::Incomparable { .. } => "incomparable",
            Reason::Conflict(_) => "conflict",
            Reason::Empty { .. } => "empty",
            Reason::Derived { .. } => "derived",
            Reason::Unsupported { .. } => "unsupported",
            Reason::Declined { .. } => "declined",
        }
    }

    /// Of several reasons the one of the first class, with all of that class;
    /// `None` if there is none.
    pub fn first_class(reasons: Vec<Reason>) -> Option<Reason> {
        let rank = reasons.iter().map(Reason::rank).min()?;
        let mut class = reasons.into_iter().filter(|reason| reason.rank() == rank);
        let first = class.next()?;
        Some(class.fold(first, Reason::merge))
    }

    /// Two reasons of one class as one. Classes that carry a list have it
    /// joined, sorted and freed of repetitions; of others the first stays.
    fn merge(self, other: Reason) -> Reason {
        fn join<T: Ord>(mut a: Vec<T>, b: Vec<T>) -> Vec<T> {
            a.extend(b);
            a.sort();
            a.dedup();
            a
        }
        match (self, other) {
            (Reason::UnknownDimension(a), Reason::UnknownDimension(b)) => {
                Reason::UnknownDimension(join(a, b))
            }
            (Reason::UnknownValue(a), Reason::UnknownValue(b)) => Reason::UnknownValue(join(a, b)),
            (Reason::UnknownName(a), Reason::UnknownName(b)) => Reason::UnknownName(join(a, b)),
            (Reason::Mismatch(a), Reason::Mismatch(b)) => Reason::Mismatch(join(a, b)),
            (Reason::Ambiguous(a), Reason::Ambiguous(b)) => Reason::Ambiguous(join(a, b)),
            (Reason::Conflict(a), Reason::Conflict(b)) => Reason::Conflict(join(a, b)),
            (first, _) => first,
        }
    }

    /// The rank of the class: of several, the smallest is the reason.
    pub fn rank(&self) -> u8 {
        match self {
            Reason::NotUnderstood { .. } => 0,
            Reason::EmptyLattice => 1,
            Reason::UnknownDimension(_) => 2,
            Reason::UnknownValue(_) => 3,
            Reason::UnknownName(_) => 4,
            Reason::Mismatch(_) => 5,
            Reason::Ambiguous(_) => 6,
            Reason::Missing { .. } => 7,
            Reason::Incomparable { .. } => 8,
            Reason::Conflict(_) => 9,
            Reason::Empty { .. } => 10,
            Reason::Derived { .. } => 11,
            Reason::Unsupported { .. } => 12,
            Reason::Declined { .. } => 13,
        }
    }
}
