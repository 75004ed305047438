//! A query with its words looked up, in the checker's own form.

use super::bound::BoundOf;
use super::spans::{Region, Span};
use crate::lattice::DimensionId;
use crate::syntax::tree::{Constraint, Extreme, Operator, Query, Relation, Term};
use std::sync::Arc;

/// A query and what it says.
#[derive(Debug)]
pub(super) struct Asked {
    /// Its canonical text.
    pub(super) text: String,
    pub(super) query: Query,
    pub(super) form: Form,
    /// The queries directly in it, in the order in which they are read.
    pub(super) inner: Vec<Arc<Asked>>,
}

#[derive(Debug)]
pub(super) enum Form {
    Meet(Meet),
    Compare(Compare),
    Decline(String),
}

#[derive(Debug)]
pub(super) struct Meet {
    /// The outermost AND-list.
    pub(super) list: Vec<Condition>,
    pub(super) confidence: f64,
    pub(super) returns: Returns,
}

#[derive(Clone, Debug)]
pub(super) enum Returns {
    Instances,
    Paths(Vec<Steps>),
    Count(Option<Steps>),
}

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) dimensions: Vec<DimensionId>,
    /// Whether `name` follows.
    pub(super) name: bool,
    /// As printed.
    pub(super) text: String,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    All(Vec<Condition>, Constraint),
    Any(Vec<Condition>, Constraint),
    Not(Box<Condition>, Constraint),
    Possibly(Box<Condition>, Constraint),
    Test(Test),
}

/// A test of the values at the end of a path.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) path: Steps,
    pub(super) what: What,
    /// As written; several where bounds on one path were joined.
    pub(super) source: Vec<Constraint>,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Has,
    /// `=` and `IN {…}`, `<=` where values are named.
    Among {
        elements: Vec<Element>,
        /// Whether the elements are to be told in a proof.
        listed: bool,
    },
    /// `<` where values are named.
    Below(Vec<Element>),
    /// Bounds and ranges on NUMBER and DATE.
    Bounds(Vec<Bound>),
    /// A member of a set.
    In(Arc<Asked>),
}

/// One alternative.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) literal: Literal,
    /// As it is written, or `@id` for one of several so called.
    pub(super) term: Term,
    /// The word that several are called by, this one among them.
    pub(super) shared: Option<Term>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    /// A value of a TAXONOMY, ENTITY or TEXT dimension, or an instance.
    Node(u32),
    /// Points of a NUMBER or DATE dimension.
    Points(Region),
}

/// A text that no instance records. Those that a query names count down from
/// here, so that different texts stay different.
pub(super) const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) enum Bound {
    Literal(Region),
    /// The only member of a set.
    Only(Operator, Arc<Asked>),
}

#[derive(Debug)]
pub(super) enum Compare {
    Relate {
        left: Operand,
        relation: Relation,
        right: Operand,
        by: Steps,
    },
    Sets {
        left: Members,
        relation: Relation,
        right: Members,
    },
    Holds {
        subject: u32,
        condition: Condition,
    },
    Extremum {
        extreme: Extreme,
        of: Members,
        by: Steps,
        count: bool,
        returns: Returns,
    },
    Order {
        left: Operand,
        right: Operand,
        by: Steps,
    },
    Bound(BoundOf),
    /// `BY COUNT`: how many values two instances have.
    RelateCounts {
        left: u32,
        relation: Relation,
        right: u32,
        by: Steps,
    },
    OrderCounts {
        left: u32,
        right: u32,
        by: Steps,
    },
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Instance(u32),
    Node(u32),
    Span(Span),
}

/// A set to compare or to choose from.
#[derive(Clone, Debug)]
pub(super) enum Members {
    Asked(Arc<Asked>),
    Listed(Vec<u32>),
}

/// What the members of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetKind {
    Instances,
    Values(DimensionId),
    Texts,
    None,
}

impl Condition {
    /// The condition with every POSSIBLY read as its constraint alone.
    pub(super) fn without_possibly(&self) -> Condition {
        let all = |list: &[Condition]| list.iter().map(Condition::without_possibly).collect();
        match self {
            Condition::All(list, source) => Condition::All(all(list), source.clone()),
            Condition::Any(list, source) => Condition::Any(all(list), source.clone()),
            Condition::Not(inner, source) => {
                Condition::Not(Box::new(inner.without_possibly()), source.clone())
            }
            Condition::Possibly(inner, _) => inner.without_possibly(),
            Condition::Test(test) => {
                let mut test = test.clone();
                match &mut test.what {
                    What::In(asked) => *asked = asked.without_possibly(),
                    What::Bounds(bounds) => {
                        for bound in bounds {
                            if let Bound::Only(_, asked) = bound {
                                *asked = asked.without_possibly();
                            }
                        }
                    }
                    _ => {}
                }
                Condition::Test(test)
            }
        }
    }

    /// Whether a POSSIBLY stands in it, or in a query in it.
    fn says_possibly(&self) -> bool {
        match self {
            Condition::All(list, _) | Condition::Any(list, _) => {
                list.iter().any(Condition::says_possibly)
            }
            Condition::Not(inner, _) => inner.says_possibly(),
            Condition::Possibly(..) => true,
            Condition::Test(test) => match &test.what {
                What::In(asked) => asked.says_possibly(),
                What::Bounds(bounds) => bounds.iter().any(|bound| match bound {
                    Bound::Only(_, asked) => asked.says_possibly(),
                    Bound::Literal(_) => false,
                }),
                _ => false,
            },
        }
    }
}

/// Prefixed to the text of a query without its POSSIBLY, which is no LQ.
const PLAIN: &str = "plain: ";

impl Asked {
    /// Whether a POSSIBLY stands anywhere in it.
    pub(super) fn says_possibly(&self) -> bool {
        match &self.form {
            Form::Meet(meet) => meet.list.iter().any(Condition::says_possibly),
            Form::Compare(Compare::Extremum {
                of: Members::Asked(asked),
                ..
            }) => asked.says_possibly(),
            _ => false,
        }
    }

    /// The query with every POSSIBLY in it read as its constraint alone. Only
    /// sets have hits that could be marked.
    pub(super) fn without_possibly(self: &Arc<Asked>) -> Arc<Asked> {
        if !self.says_possibly() {
            return Arc::clone(self);
        }
        let form = match &self.form {
            Form::Meet(meet) => Form::Meet(Meet {
                list: meet.list.iter().map(Condition::without_possibly).collect(),
                confidence: meet.confidence,
                returns: meet.returns.clone(),
            }),
            Form::Compare(Compare::Extremum {
                extreme,
                of: Members::Asked(asked),
                by,
                count,
                returns,
            }) => Form::Compare(Compare::Extremum {
                extreme: *extreme,
                of: Members::Asked(asked.without_possibly()),
                by: by.clone(),
                count: *count,
                returns: returns.clone(),
            }),
            _ => return Arc::clone(self),
        };
        Arc::new(Asked {
            text: format!("{PLAIN}{}", self.text),
            query: self.query.clone(),
            form,
            inner: self.inner.iter().map(Asked::without_possibly).collect(),
        })
    }
}

/// The members of an AND-list: nested lists flattened, and all bounds on one
/// path joined, at the place of the first of them.
pub(super) fn joined<'a>(list: impl IntoIterator<Item = &'a Condition>) -> Vec<Condition> {
    let mut flat: Vec<Condition> = Vec::new();
    for condition in list {
        match condition {
            Condition::All(inner, _) => flat.extend(joined(inner)),
            other => flat.push(other.clone()),
        }
    }
    let mut members: Vec<Condition> = Vec::new();
    for condition in flat {
        match join_into(&mut members, &condition) {
            true => {}
            false => members.push(condition),
        }
    }
    members
}

fn join_into(members: &mut [Condition], condition: &Condition) -> bool {
    let Condition::Test(test) = condition else {
        return false;
    };
    let What::Bounds(more) = &test.what else {
        return false;
    };
    for member in members {
        if let Condition::Test(earlier) = member
            && earlier.path.dimensions == test.path.dimensions
            && let What::Bounds(bounds) = &mut earlier.what
        {
            bounds.extend(more.iter().cloned());
            earlier.source.extend(test.source.iter().cloned());
            return true;
        }
    }
    false
}
