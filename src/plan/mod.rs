//! A query with every word resolved against one lattice: typed, plain data.
//!
//! A word that the lattice lacks cannot stand in a [`Plan`]: [`resolve`] gives a
//! plan or the reason why there is none. Inner queries come before outer ones
//! and each distinct one is there once, so the steps of a plan are its order of
//! execution and of its certificate.

mod region;
pub(crate) mod resolve;
mod resolve_compare;
pub(crate) mod terms;
#[cfg(feature = "models")]
mod vocabulary;

pub use region::{DateRegion, NumberRegion, Region};
pub use resolve::resolve;
#[cfg(feature = "models")]
pub use vocabulary::vocabulary;

use crate::lattice::{DimensionId, InstanceId};
use crate::syntax::print_query;
use crate::syntax::tree::{self, Extreme, Query};
use crate::verdict::CalledSo;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// The number of a query in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct QueryId(pub usize);

/// A resolved query. It prints as the LQ it came from.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// The canonical query.
    pub query: Arc<Query>,
    /// The queries in it, inner before outer; the last is the whole.
    pub steps: Vec<Step>,
    /// Words that several instances are called by.
    pub called: Vec<CalledSo>,
}

impl Plan {
    /// The step with a number.
    pub fn step(&self, id: QueryId) -> Option<&Step> {
        self.steps.get(id.0)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_query(&self.query))
    }
}

/// One query of a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Its canonical form.
    pub query: Arc<Query>,
    /// What to do.
    pub kind: StepKind,
}

impl Step {
    /// Its canonical text.
    pub fn text(&self) -> String {
        print_query(&self.query)
    }

    /// Whether its answer is of certain instances: a MEET or an extremum.
    pub fn has_hits(&self) -> bool {
        match &self.kind {
            StepKind::Meet(_) => true,
            StepKind::Compare(compare) => matches!(**compare, Compare::Extremum { .. }),
            StepKind::Decline(_) => false,
        }
    }
}

/// What a step does.
#[derive(Clone, Debug, Serialize)]
pub enum StepKind {
    /// Intersect constraints.
    Meet(Meet),
    /// Compare along the order.
    Compare(Box<Compare>),
    /// Decline with these words.
    Decline(String),
}

/// A resolved MEET.
#[derive(Clone, Debug, Serialize)]
pub struct Meet {
    /// The conjuncts of its outermost AND-list, canonical.
    pub conjuncts: Vec<Conjunct>,
    /// The same as conditions, bounds on one path joined.
    pub conditions: Vec<Condition>,
    /// The least confidence of a witness; 0 if none was asked.
    pub confidence: f64,
    /// What is given back.
    pub returns: Returns,
    /// The inner queries that its constraints use, ascending.
    pub inner: Vec<QueryId>,
}

/// A member of an AND-list before bounds on one path are joined.
#[derive(Clone, Debug, Serialize)]
pub enum Conjunct {
    /// A bound or range on NUMBER or DATE.
    Bound {
        /// The path, its last step included.
        path: Vec<DimensionId>,
        /// The bound.
        part: BoundPart,
        /// As written.
        source: tree::Constraint,
    },
    /// Anything else.
    Other(Condition),
}

impl Conjunct {
    /// As written, canonically.
    pub fn source(&self) -> &tree::Constraint {
        match self {
            Conjunct::Bound { source, .. } => source,
            Conjunct::Other(condition) => condition.source(),
        }
    }
}

/// The conditions of an AND-list: bounds on one path joined into one region,
/// at the place of the first of them.
pub fn join_bounds<'a>(conjuncts: impl IntoIterator<Item = &'a Conjunct>) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    for conjunct in conjuncts {
        match conjunct {
            Conjunct::Other(condition) => conditions.push(condition.clone()),
            Conjunct::Bound { path, part, source } => {
                let joined = conditions.iter_mut().find_map(|condition| match condition {
                    Condition::Walk {
                        path: other,
                        test: Test::Bounds(parts),
                        sources,
                    } if other == path => Some((parts, sources)),
                    _ => None,
                });
                match joined {
                    Some((parts, sources)) => {
                        parts.push(part.clone());
                        sources.push(source.clone());
                    }
                    None => conditions.push(Condition::Walk {
                        path: path.clone(),
                        test: Test::Bounds(vec![part.clone()]),
                        sources: vec![source.clone()],
                    }),
                }
            }
        }
    }
    conditions
}

/// A bound on NUMBER or DATE.
#[derive(Clone, Debug, Serialize)]
pub enum BoundPart {
    /// Of a literal.
    Literal(Region),
    /// Of the only member of a set.
    Set {
        /// `<`, `<=`, `>` or `>=`.
        operator: tree::Operator,
        /// The set.
        set: QueryId,
    },
}

/// A condition on an instance.
#[derive(Clone, Debug, Serialize)]
pub enum Condition {
    /// All hold.
    All(Vec<Condition>, tree::Constraint),
    /// One holds.
    Any(Vec<Condition>, tree::Constraint),
    /// It is excluded.
    Not(Box<Condition>, tree::Constraint),
    /// It is not excluded.
    Possibly(Box<Condition>, tree::Constraint),
    /// A test of the instance's own name.
    Name {
        /// The test.
        test: NameTest,
        /// As written.
        source: tree::Constraint,
    },
    /// A test of the values at the end of a path.
    Walk {
        /// The path; the last step is the dimension tested. Where the test is
        /// a [`Test::Name`], all steps lead to the instance named.
        path: Vec<DimensionId>,
        /// The test.
        test: Test,
        /// As written; several where bounds were joined.
        sources: Vec<tree::Constraint>,
    },
}

impl Condition {
    /// As written, canonically; the first of several joined bounds.
    pub fn source(&self) -> &tree::Constraint {
        match self {
            Condition::All(_, source)
            | Condition::Any(_, source)
            | Condition::Not(_, source)
            | Condition::Possibly(_, source)
            | Condition::Name { source, .. } => source,
            Condition::Walk { sources, .. } => match sources.first() {
                Some(source) => source,
                None => &NOTHING,
            },
        }
    }
}

/// Stands for the source of a walk that has none, which no resolver makes.
static NOTHING: tree::Constraint =
    tree::Constraint::And(Vec::new(), tree::Span { start: 0, end: 0 });

/// A test of a name.
#[derive(Clone, Debug, Serialize)]
pub enum NameTest {
    /// One of these instances.
    Called(Vec<InstanceId>),
    /// A member of a set of instances, or called as a member of a set of texts.
    In(QueryId),
    /// Has a name: always.
    Has,
}

/// A test of a value.
#[derive(Clone, Debug, Serialize)]
pub enum Test {
    /// At or below one of these nodes of a TAXONOMY, ENTITY or TEXT dimension.
    Nodes {
        /// The alternatives, one element of the text each; several nodes in
        /// one element are called alike.
        elements: Vec<Element>,
        /// `<` instead of `=`.
        strict: bool,
    },
    /// In one of these regions of a NUMBER or DATE dimension.
    Regions(Vec<(tree::Term, Region)>),
    /// Within all of these bounds.
    Bounds(Vec<BoundPart>),
    /// At or below a member of a set.
    In(QueryId),
    /// Some value is recorded.
    Has,
    /// The instance at the end of the path has a name like this.
    Name(NameTest),
}

/// One element of a set of nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Element {
    /// As written.
    pub term: tree::Term,
    /// The nodes that it names: one, several that are called alike, or
    /// [`NO_NODE`] for a text that is nowhere recorded.
    pub nodes: Vec<u32>,
}

/// The last of the nodes that are in no order: TEXT values that nothing records.
pub const NO_NODE: u32 = u32::MAX;

/// What a MEET gives back.
#[derive(Clone, Debug, Serialize)]
pub enum Returns {
    /// The instances.
    Instances,
    /// The values of one path.
    Path(ReturnPath),
    /// Rows.
    Rows(Vec<ReturnPath>),
    /// The number of instances, or of distinct values of a path.
    Count(Option<ReturnPath>),
}

/// A path to give back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReturnPath {
    /// The steps.
    pub steps: Vec<DimensionId>,
    /// Whether `name` follows them.
    pub name: bool,
    /// As printed.
    pub text: String,
}

/// What a COMPARE compares along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct By {
    /// The steps, at least one.
    pub steps: Vec<DimensionId>,
    /// Whether their values are counted.
    pub count: bool,
    /// The path as printed.
    pub text: String,
}

impl By {
    /// The dimension whose order compares.
    pub fn dimension(&self) -> DimensionId {
        self.steps.last().copied().unwrap_or(DimensionId(0))
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize)]
pub enum Operand {
    /// An instance; also a value of the dimension, if that reads the same.
    Instance {
        /// The instance.
        instance: InstanceId,
        /// The word, if it also names a value.
        also: Option<(tree::Term, Literal)>,
    },
    /// A value of the BY dimension.
    Value(tree::Term, Literal),
}

/// A value written in a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Literal {
    /// A node of a TAXONOMY, ENTITY or TEXT dimension.
    Node(u32),
    /// An interval, as a region, of a NUMBER or DATE dimension.
    Region(Region),
}

/// A set to compare.
#[derive(Clone, Debug, Serialize)]
pub enum SetOperand {
    /// What a query gives.
    Query(QueryId),
    /// Instances named one by one.
    Instances(Vec<InstanceId>),
}

/// A resolved COMPARE.
#[derive(Clone, Debug, Serialize)]
pub enum Compare {
    /// Two operands by a path.
    Relate {
        /// Left.
        left: Operand,
        /// The relation asked.
        relation: tree::Relation,
        /// Right.
        right: Operand,
        /// Along what.
        by: By,
    },
    /// Two sets.
    Sets {
        /// Left.
        left: SetOperand,
        /// The relation asked.
        relation: tree::Relation,
        /// Right.
        right: SetOperand,
    },
    /// The truth of one condition.
    Holds {
        /// The instance.
        subject: InstanceId,
        /// The condition.
        condition: Condition,
        /// The inner queries that it uses.
        inner: Vec<QueryId>,
    },
    /// The largest or smallest.
    Extremum {
        /// Which end.
        extreme: Extreme,
        /// Whom.
        of: SetOperand,
        /// Along what.
        by: By,
        /// Paths of the winners.
        returns: Returns,
    },
    /// The greatest lower or the least upper bound.
    Bound {
        /// Which.
        operation: tree::Operation,
        /// Of what, in the order of the text.
        of: Vec<Operand>,
        /// The operands as printed.
        texts: Vec<String>,
        /// Along what.
        by: By,
    },
    /// How two operands lie.
    Order {
        /// First.
        left: Operand,
        /// Second.
        right: Operand,
        /// Along what.
        by: By,
    },
}
