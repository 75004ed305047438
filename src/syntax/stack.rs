//! Room for deep texts: nesting is bounded, and what nests up to the bound is
//! worked on with a stack that certainly suffices, whatever the caller's has.

use super::tree::{
    By, Candidates, Compare, Constraint, Operand, Path, Query, Return, SetExpression, Side,
    StatementKind,
};

/// Up to this nesting any stack suffices.
pub(crate) const SHALLOW: usize = 16;
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
        | StatementKind::Suggest(query)
        | StatementKind::PatternQuestion { query, .. } => query_depth(query),
        _ => 0,
    }
}

/// How deep a query nests.
pub(crate) fn query_depth(query: &Query) -> usize {
    1 + match query {
        Query::Meet(meet) => constraint_depth(&meet.constraint).max(match &meet.returns {
            Some(Return::Paths(paths)) => longest(paths),
            Some(Return::Count(Some(path))) => path.steps.len(),
            Some(Return::Count(None)) | None => 0,
        }),
        Query::Compare(compare) => compare_depth(compare),
        Query::Abstain { .. } | Query::Read(_) => 0,
    }
}

fn compare_depth(compare: &Compare) -> usize {
    let side = |side: &Side| match side {
        Side::Set(set) => set_depth(set),
        Side::Term(_) => 0,
    };
    let along = |by: &By| by.path.steps.len();
    match compare {
        Compare::Relate {
            left, right, by, ..
        } => side(left)
            .max(side(right))
            .max(by.as_ref().map_or(0, along)),
        Compare::Holds { constraint, .. } => constraint_depth(constraint),
        Compare::Extremum {
            of, by, returns, ..
        } => {
            let of = match of {
                Candidates::Set(set) => set_depth(set),
                Candidates::Terms(_) => 0,
            };
            of.max(along(by))
                .max(returns.as_ref().map_or(0, |paths| longest(paths)))
        }
        Compare::Bound { by, .. } | Compare::Order { by, .. } => along(by),
    }
}

/// A path is walked step by step, each on top of the one before.
fn longest(paths: &[Path]) -> usize {
    paths.iter().map(|path| path.steps.len()).max().unwrap_or(0)
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
        Constraint::Test { path, operand, .. } => path.steps.len().max(match operand {
            Operand::Query { query, .. } => query_depth(query),
            Operand::Term(_) => 0,
        }),
        Constraint::In { path, set, .. } => path.steps.len().max(set_depth(set)),
        Constraint::Has { path, .. } => path.steps.len(),
    }
}
