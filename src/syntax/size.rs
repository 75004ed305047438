//! How large a query is, for the bound on LETs written out.

use super::tree::{Candidates, Compare, Constraint, Operand, Query, SetExpression, Side};

/// How many parts a query has.
pub(crate) fn size_of(query: &Query) -> usize {
    1 + match query {
        Query::Meet(meet) => constraint_size(&meet.constraint),
        Query::Compare(compare) => match compare {
            Compare::Relate { left, right, .. } => side_size(left) + side_size(right),
            Compare::Holds { constraint, .. } => constraint_size(constraint),
            Compare::Extremum {
                of: Candidates::Set(set),
                ..
            } => set_size(set),
            Compare::Extremum {
                of: Candidates::Terms(list),
                ..
            } => list.len(),
            Compare::Bound { of, .. } => of.len(),
            Compare::Order { .. } => 1,
        },
        Query::Abstain { .. } | Query::Read(_) => 0,
    }
}

fn side_size(side: &Side) -> usize {
    match side {
        Side::Term(_) => 1,
        Side::Set(set) => set_size(set),
    }
}

fn set_size(set: &SetExpression) -> usize {
    match set {
        SetExpression::Elements { elements, .. } => elements.len(),
        SetExpression::Query { query, .. } => size_of(query),
        _ => 1,
    }
}

fn constraint_size(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::And(list, _) | Constraint::Or(list, _) => {
            list.iter().map(constraint_size).sum()
        }
        Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => constraint_size(inner),
        Constraint::Test {
            operand: Operand::Query { query, .. },
            ..
        } => 1 + size_of(query),
        Constraint::In { set, .. } => 1 + set_size(set),
        Constraint::Test { .. } | Constraint::Has { .. } => 1,
    }
}
