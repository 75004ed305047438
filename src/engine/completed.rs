//! The meets and joins that no single value is, so that an answer rests on the
//! Dedekind–MacNeille completion: they are told with it.

use super::RunError;
use super::bound::Asked;
use super::order::Edges;
use super::run::Run;
use crate::lattice::{DimensionId, Value, ValueId};
use crate::plan::{Condition, Plan, QueryId, StepKind, Test};
use crate::syntax::print_constraint;
use crate::syntax::tree::Operation;
use crate::verdict::{Completed, Members};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// A constraint on an ordered ONE dimension: at or below one of some nodes.
struct Lowered {
    text: String,
    /// What lies below each of its nodes.
    below: Vec<RoaringBitmap>,
}

impl Lowered {
    fn all(&self) -> RoaringBitmap {
        self.below
            .iter()
            .fold(RoaringBitmap::new(), |all, set| all | set)
    }

    /// Whether one of its nodes is above both.
    fn has_above(&self, a: u32, b: u32) -> bool {
        let above = |set: &RoaringBitmap| set.contains(a) && set.contains(b);
        self.below.iter().any(above)
    }
}

/// What the completion supplied for a plan that was run: sorted, each once.
pub(super) fn completed(run: &Run<'_>, plan: &Plan) -> Result<Vec<Completed>, RunError> {
    let mut found = Vec::new();
    for (k, step) in plan.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Meet(meet) => in_list(run, &meet.conditions, &mut found)?,
            StepKind::Compare(compare) => {
                if let Some(asked) = Asked::of(compare) {
                    found.extend(of_bound(run, asked, QueryId(k))?);
                }
            }
            StepKind::Decline(_) => {}
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Those of an AND-list, and of the branches of each OR in it.
pub(super) fn in_list(
    run: &Run<'_>,
    conditions: &[Condition],
    found: &mut Vec<Completed>,
) -> Result<(), RunError> {
    let mut by_dimension: BTreeMap<DimensionId, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        match condition {
            Condition::Walk {
                path,
                test: Test::Nodes { .. },
                ..
            } => {
                if let [d] = path.as_slice() {
                    by_dimension.entry(*d).or_default().push(condition);
                }
            }
            Condition::Any(branches, _) => {
                for branch in branches {
                    match branch {
                        Condition::All(list, _) => in_list(run, list, found)?,
                        single => in_list(run, std::slice::from_ref(single), found)?,
                    }
                }
            }
            _ => {}
        }
    }
    for (d, conditions) in by_dimension {
        if conditions.len() > 1 && run.lattice.dimension(d).is_one() {
            found.extend(of_constraints(run, d, &conditions)?);
        }
    }
    Ok(())
}

/// The meet of the constraints of one dimension, if it is no single value, and none of
/// the sets that they denote themselves.
fn of_constraints(
    run: &Run<'_>,
    d: DimensionId,
    conditions: &[&Condition],
) -> Result<Option<Completed>, RunError> {
    let order = run.order(d, 0.0);
    if order.is_flat() || !order.is_closed() {
        return Ok(None);
    }
    let mut lowered = Vec::new();
    for condition in conditions {
        if let Condition::Walk {
            test: Test::Nodes { elements, strict },
            ..
        } = condition
        {
            let mut below = Vec::new();
            for &node in elements.iter().flat_map(|element| &element.nodes) {
                run.meter.tick()?;
                below.push(order.lower(node, *strict, Edges::All));
            }
            lowered.push(Lowered {
                text: print_constraint(condition.source()),
                below,
            });
        }
    }
    let sets: Vec<RoaringBitmap> = lowered.iter().map(Lowered::all).collect();
    let Some((first, rest)) = sets.split_first() else {
        return Ok(None);
    };
    let common = rest.iter().fold(first.clone(), |all, set| all & set);
    if sets.contains(&common) {
        return Ok(None);
    }
    let tops = order.tops(&common, Edges::All);
    if !needs_completion(run, &lowered, &tops)? {
        return Ok(None);
    }
    let mut of: Vec<String> = lowered.into_iter().map(|l| l.text).collect();
    of.sort();
    Ok(Some(Completed {
        dimension: run.lattice.dimension(d).name.clone(),
        operation: Operation::Meet,
        of,
        members: named(run, d, tops.concat()),
    }))
}

/// Whether two maximal values are both below one value of every constraint: these
/// values then have no greatest lower bound. (Maximal values below different elements of
/// braces are the single meets of these elements.)
fn needs_completion(
    run: &Run<'_>,
    lowered: &[Lowered],
    tops: &[Vec<u32>],
) -> Result<bool, RunError> {
    let tops: Vec<u32> = tops
        .iter()
        .filter_map(|class| class.first().copied())
        .collect();
    // Pairs are sought below one node of the constraint that has the most: there are
    // the fewest of them.
    let Some(finest) = lowered.iter().max_by_key(|l| l.below.len()) else {
        return Ok(false);
    };
    for set in &finest.below {
        let here: Vec<u32> = tops
            .iter()
            .copied()
            .filter(|&top| set.contains(top))
            .collect();
        for (k, &a) in here.iter().enumerate() {
            for &b in here.iter().skip(k + 1) {
                run.meter.tick()?;
                if lowered.iter().all(|l| l.has_above(a, b)) {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The members of a COMPARE MEET OF or JOIN OF, if they are no single value.
fn of_bound(run: &Run<'_>, asked: Asked<'_>, id: QueryId) -> Result<Option<Completed>, RunError> {
    let d = asked.by.dimension();
    let evaluated = run.evaluated(id)?;
    let (Members::Instances(set) | Members::Values(_, set)) = evaluated.certain() else {
        return Ok(None);
    };
    let order = run.order(d, 0.0);
    let Some(first) = set.min() else {
        return Ok(None);
    };
    let equal = |v: u32| order.le(first, v) && order.le(v, first);
    if run.is_measured(d) || set.iter().all(equal) {
        return Ok(None);
    }
    Ok(Some(Completed {
        dimension: run.lattice.dimension(d).name.clone(),
        operation: asked.operation,
        of: asked.texts.to_vec(),
        members: named(run, d, set.iter().collect()),
    }))
}

/// Values of a dimension, sorted by their names.
pub(super) fn named(run: &Run<'_>, d: DimensionId, nodes: Vec<u32>) -> Vec<Value> {
    let mut values: Vec<Value> = nodes
        .into_iter()
        .map(|v| run.lattice.value(d, ValueId(v)))
        .collect();
    values.sort_by_cached_key(|value| {
        (
            crate::verdict::print_value(run.lattice, value),
            value.clone(),
        )
    });
    values
}
