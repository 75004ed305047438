//! Room for deep texts: nesting is bounded, and what nests up to the bound is
//! worked on with a stack that certainly suffices, whatever the caller's has.

use super::tree::{
    Candidates, Compare, Constraint, Operand, Query, SetExpression, Side, StatementKind,
};

/// Up to this nesting any stack suffices.
const SHALLOW: usize = 16;
/// The stack for what nests more deeply; only what is touched costs memory.
const ROOM: usize = 64 << 20;

/// Does the work, on a stack of its own if it nests deeply. `None` if the machine
/// has no room for that.
pub(crate) fn with_room<T: Send>(depth: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SHALLOW {
        return Some(work());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(ROOM);
        let handle = thread.spawn_scoped(scope, work).ok()?;
        handle.join().ok()
    })
}

/// How deep the queries and conditions of a statement nest.
pub(crate) fn statement_depth(kind: &StatementKind) -> usize {
    match kind {
        StatementKind::Let { query, .. }
        | StatementKind::Query(query)
        | StatementKind::Explain(query)
        | StatementKind::PatternQuestion { query, .. } => query_depth(query),
        _ => 0,
    }
}

/// How deep a query nests.
pub(crate) fn query_depth(query: &Query) -> usize {
    1 + match query {
        Query::Meet(meet) => constraint_depth(&meet.constraint),
        Query::Compare(compare) => compare_depth(compare),
        Query::Abstain { .. } | Query::Read(_) => 0,
    }
}

fn compare_depth(compare: &Compare) -> usize {
    let side = |side: &Side| match side {
        Side::Set(set) => set_depth(set),
        Side::Term(_) => 0,
    };
    match compare {
        Compare::Relate { left, right, .. } => side(left).max(side(right)),
        Compare::Holds { constraint, .. } => constraint_depth(constraint),
        Compare::Extremum {
            of: Candidates::Set(set),
            ..
        } => set_depth(set),
        Compare::Extremum { .. } | Compare::Order { .. } => 0,
    }
}

fn set_depth(set: &SetExpression) -> usize {
    match set {
        SetExpression::Query { query, .. } => query_depth(query),
        _ => 0,
    }
}

/// How deep a condition nests.
pub(crate) fn constraint_depth(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::And(list, _) | Constraint::Or(list, _) => {
            1 + list.iter().map(constraint_depth).max().unwrap_or(0)
        }
        Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => 1 + constraint_depth(inner),
        Constraint::Test {
            operand: Operand::Query { query, .. },
            ..
        } => query_depth(query),
        Constraint::In { set, .. } => set_depth(set),
        Constraint::Test { .. } | Constraint::Has { .. } => 0,
    }
}
