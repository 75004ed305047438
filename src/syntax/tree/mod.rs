//! The tree of an LQ text: what was written, with the bytes it was written in.
//!
//! Nothing here knows a lattice: names are text, numbers and dates are tokens
//! that passed the grammar but keep their spelling. Two trees are equal when
//! they say the same, wherever they say it: spans do not take part in equality.

mod query;
mod statement;

pub use query::{
    By, Candidates, Compare, Constraint, Extreme, Meet, Operand, Operation, Operator, Query, Read,
    ReadRecord, Relation, Return, SetExpression, Side,
};
pub use statement::{
    Across, Assignment, Chain, Column, Defect, DefectKind, DimensionDeclaration, Expectation, Fact,
    KindDeclaration, Load, LoadForm, OrderWord, Showing, Source, StatementKind,
};

use serde::{Deserialize, Serialize};

/// A half-open byte range `start..end` of the source text.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Spans say where, never what: all of them are equal.
impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Span {}
impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Span {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }
    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Self {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A comment, from `--` to the end of its line, without the line break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The text after `--`, trimmed at its end.
    pub text: String,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
    /// Where it stands.
    pub span: Span,
}

/// A whole text: statements in order, and every comment in order of position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The comments, in order; the formatter weaves them back by position.
    pub comments: Vec<Comment>,
}

/// One statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Its bytes, without the `;` that may end it.
    pub span: Span,
}

/// A word that names something: a dimension, a value, a variable, a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// The text, unescaped.
    pub text: String,
    /// Whether it was quoted. A bare word names a LET first, where one is in
    /// scope; otherwise the two are the same.
    pub quoted: bool,
    /// Where it stands.
    pub span: Span,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Term {
    /// A bare or quoted name.
    Name(Name),
    /// `@id` or `@"an id"`: exactly one instance.
    Id {
        /// The id, without `@`.
        id: String,
        /// Where it stands.
        span: Span,
    },
    /// `"springfield" @"city/springfield"`: a name together with its id, which
    /// FACT and INSTANCE use to create an instance under a chosen id.
    Named {
        /// The name.
        name: Name,
        /// The id, without `@`.
        id: String,
        /// Where both stand.
        span: Span,
    },
    /// A decimal as typed, `-12.50`, with the unit word behind it if any
    /// (`12.5 km`). Four digits may also be a year: the dimension decides.
    Number {
        /// The token.
        text: String,
        /// The unit as written.
        unit: Option<Name>,
        /// Where number and unit stand.
        span: Span,
    },
    /// A date token with at least a month, `1914-12` or `-0012-11-29`, or a
    /// signed or five-digit year. It has passed the calendar check.
    Date {
        /// The token.
        text: String,
        /// Where it stands.
        span: Span,
    },
    /// `a..b`, `..b`, `a..`: a closed interval. At least one end is there; both
    /// ends are numbers or both are dates.
    Range {
        /// The lower end.
        low: Option<Box<Term>>,
        /// The upper end.
        high: Option<Box<Term>>,
        /// Where it stands.
        span: Span,
    },
    /// `$x`: bound by the caller, as a value.
    Parameter {
        /// The name without `$`.
        name: String,
        /// Where it stands.
        span: Span,
    },
    /// `{x}` inside a PATTERN, with the kind after a colon if any.
    Hole {
        /// The name of the hole.
        name: String,
        /// `DATE` in `{d:DATE}`.
        kind: Option<String>,
        /// Where it stands.
        span: Span,
    },
}

/// Dimension names joined by dots: `directed_by.born`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path {
    /// One or more steps. A single step `name` is the built-in dimension.
    pub steps: Vec<Name>,
    /// Where it stands.
    pub span: Span,
}
