//! What is asked: conditions, sets, comparisons, and what is returned.

use super::{Name, Path, Span, Term};
use serde::{Deserialize, Serialize};

/// The operator between a path and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operator {
    /// `=`: the value is this or more specific.
    Is,
    /// `!=`: NOT of `=`.
    IsNot,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A set as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SetExpression {
    /// `{a, b}`; may be empty only in EXPECT.
    Elements {
        /// The elements, as written.
        elements: Vec<Term>,
        /// Where the braces stand.
        span: Span,
    },
    /// A bare word that should name a LET.
    Variable(Name),
    /// `(MEET …)` or `(COMPARE MAX …)`.
    Query {
        /// The query inside the parentheses.
        query: Box<Query>,
        /// Where the parentheses stand.
        span: Span,
    },
    /// `a..b` after IN.
    Range(Term),
    /// `$x` after IN: bound by the caller, to one value or to several.
    Parameter {
        /// The name without `$`.
        name: String,
        /// Where it stands.
        span: Span,
    },
}

/// What stands right of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// A value. A bare name that is a LET in scope is a set.
    Term(Term),
    /// `(MEET …)` or `(COMPARE MAX …)`: its only member is taken as the bound.
    Query {
        /// The query inside the parentheses.
        query: Box<Query>,
        /// Where the parentheses stand.
        span: Span,
    },
}

/// A condition on an instance. AND and OR are n-ary lists of two or more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Constraint {
    /// All hold.
    And(Vec<Constraint>, Span),
    /// At least one holds.
    Or(Vec<Constraint>, Span),
    /// It is excluded.
    Not(Box<Constraint>, Span),
    /// It is certain or possible; hits that need this are marked.
    Possibly(Box<Constraint>, Span),
    /// `path operator operand`.
    Test {
        /// Left side.
        path: Path,
        /// The operator.
        operator: Operator,
        /// Right side.
        operand: Operand,
        /// All of it.
        span: Span,
    },
    /// `path IN set`.
    In {
        /// Left side.
        path: Path,
        /// Right side.
        set: SetExpression,
        /// All of it.
        span: Span,
    },
    /// `HAS path`.
    Has {
        /// The path.
        path: Path,
        /// All of it.
        span: Span,
    },
}

/// What a MEET gives back besides its instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Return {
    /// `RETURN p, q`: one path a set, several paths rows.
    Paths(Vec<Path>),
    /// `RETURN COUNT` (instances) or `RETURN COUNT p` (distinct values of `p`).
    Count(Option<Path>),
}

/// `MEET … [CONFIDENCE >= t] [RETURN …]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Meet {
    /// The condition.
    pub constraint: Constraint,
    /// The least confidence of a witness, a decimal token from 0 to 1.
    pub confidence: Option<String>,
    /// What is given back; the instances if absent.
    pub returns: Option<Return>,
    /// All of it.
    pub span: Span,
}

/// What COMPARE compares along.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct By {
    /// Whether the values of the path are counted (`BY COUNT p`).
    pub count: bool,
    /// The path.
    pub path: Path,
    /// All of it, from `BY`.
    pub span: Span,
}

/// The operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `OVERLAPS`: a shared value or member.
    Overlaps,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// An instance or a value of the BY dimension. A bare name that is a LET in
    /// scope is a set.
    Term(Term),
    /// A set in braces or parentheses.
    Set(SetExpression),
}

/// Which end of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Extreme {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// Which bound of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// The greatest lower bound.
    Meet,
    /// The least upper bound.
    Join,
}

/// The five forms of COMPARE.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Compare {
    /// `COMPARE "A" = "B" BY p` (two instances) or, without BY,
    /// `COMPARE films <= others` (two sets).
    Relate {
        /// Left side.
        left: Side,
        /// The relation asked.
        relation: Relation,
        /// Right side.
        right: Side,
        /// What to compare along; absent between sets.
        by: Option<By>,
        /// All of it.
        span: Span,
    },
    /// `COMPARE "Moby Dick" BY species = mammal`: the truth of one constraint.
    Holds {
        /// The instance.
        subject: Term,
        /// A `Test`, `In` or `Has` on it.
        constraint: Constraint,
        /// All of it.
        span: Span,
    },
    /// `COMPARE MAX OF … BY p [RETURN q, …]`.
    Extremum {
        /// Which end.
        extreme: Extreme,
        /// The candidates.
        of: Candidates,
        /// What to compare along.
        by: By,
        /// Paths of the winners to give back.
        returns: Option<Vec<Path>>,
        /// All of it.
        span: Span,
    },
    /// `COMPARE MEET OF a, b, … BY p` and `COMPARE JOIN OF …`: the element of the
    /// completion, as the set of values that names it.
    Bound {
        /// Which bound.
        operation: Operation,
        /// The operands: values, or instances that have one.
        of: Vec<Term>,
        /// What to compare along; never a count.
        by: By,
        /// All of it.
        span: Span,
    },
    /// `COMPARE "A", "B" BY p`: less, greater, equal or incomparable.
    Order {
        /// First operand.
        left: Term,
        /// Second operand.
        right: Term,
        /// What to compare along.
        by: By,
        /// All of it.
        span: Span,
    },
}

/// Whom an extremum is sought among.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Candidates {
    /// Listed one by one; a single bare name may be a LET.
    Terms(Vec<Term>),
    /// A set in parentheses.
    Set(SetExpression),
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Query {
    /// Intersect constraints.
    Meet(Meet),
    /// Compare along the order.
    Compare(Compare),
    /// `ABSTAIN "…"`: the plan itself declines.
    Abstain {
        /// The words.
        words: String,
        /// All of it.
        span: Span,
    },
    /// `READ "…" TOP n [-> "answer" FROM "passage" QUOTE "…"]`.
    Read(Read),
}

/// A question to a reader of passages, with its record if it has run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Read {
    /// The question; `{x}` in it inserts LET `x`.
    pub question: String,
    /// How many passages, as typed.
    pub top: Option<String>,
    /// The recorded answer.
    pub record: Option<ReadRecord>,
    /// All of it.
    pub span: Span,
}

/// What a READ answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReadRecord {
    /// The answer.
    pub answer: String,
    /// The passage.
    pub from: String,
    /// The words of the passage that say it.
    pub quote: String,
}
