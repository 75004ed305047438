//! Constraints of one ONE dimension that no value satisfies: found before any
//! instance is looked at.

use super::RunError;
use super::order::{Edges, Order};
use super::run::Run;
use crate::lattice::DimensionId;
use crate::plan::{BoundPart, Condition, Region, Test};
use crate::syntax::print_constraint;
use crate::syntax::tree;
use crate::verdict::ConflictIn;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// What the constraints of one dimension denote together.
pub(super) enum Denoted {
    /// Values of an ordered dimension.
    Nodes(RoaringBitmap),
    /// Points of NUMBER or DATE, as disjoint or overlapping regions.
    Regions(Vec<Region>),
}

impl Denoted {
    fn is_empty(&self) -> bool {
        match self {
            Denoted::Nodes(set) => set.is_empty(),
            Denoted::Regions(list) => list.iter().all(Region::is_empty),
        }
    }

    fn intersect(self, other: Denoted) -> Denoted {
        match (self, other) {
            (Denoted::Nodes(a), Denoted::Nodes(b)) => Denoted::Nodes(a & b),
            (Denoted::Regions(a), Denoted::Regions(b)) => Denoted::Regions(
                a.iter()
                    .flat_map(|x| b.iter().filter_map(|y| x.intersect(y)))
                    .filter(|region| !region.is_empty())
                    .collect(),
            ),
            (first, _) => first,
        }
    }
}

/// The conflicts of an AND-list, by dimension, sorted.
pub(super) fn conflicts(
    run: &Run<'_>,
    conditions: &[Condition],
) -> Result<Vec<ConflictIn>, RunError> {
    let mut found = Vec::new();
    let doubtful = doubtful(run, conditions);
    for (d, (denoted, sources)) in denoted(run, &doubtful)? {
        if denoted.is_empty() {
            found.push(conflict_in(run, d, &sources));
        }
    }
    for condition in conditions {
        if let Condition::Any(branches, _) = condition {
            let mut in_branches = Vec::new();
            for branch in branches {
                let list = match branch {
                    Condition::All(list, _) => conflicts(run, list)?,
                    single => conflicts(run, std::slice::from_ref(single))?,
                };
                if list.is_empty() {
                    in_branches.clear();
                    break;
                }
                in_branches.extend(list);
            }
            found.extend(in_branches);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The conditions without those that alone speak of their dimension and plainly denote
/// something: what lies below a value need not be listed to know that.
fn doubtful<'c>(run: &Run<'_>, conditions: &'c [Condition]) -> Vec<&'c Condition> {
    let mut times: BTreeMap<DimensionId, usize> = BTreeMap::new();
    let dimension = |condition: &Condition| match condition {
        Condition::Walk { path, .. } => match path.as_slice() {
            [d] => Some(*d),
            _ => None,
        },
        _ => None,
    };
    for d in conditions.iter().filter_map(dimension) {
        *times.entry(d).or_default() += 1;
    }
    let plain = |condition: &Condition| match condition {
        Condition::Walk {
            test: Test::Nodes { elements, strict },
            ..
        } => dimension(condition).is_some_and(|d| {
            let order = run.order(d, 0.0);
            let mut nodes = elements.iter().flat_map(|element| &element.nodes);
            times.get(&d) == Some(&1) && nodes.any(|&node| order.has_lower(node, *strict))
        }),
        _ => false,
    };
    conditions.iter().filter(|c| !plain(c)).collect()
}

fn conflict_in(run: &Run<'_>, d: DimensionId, sources: &[&tree::Constraint]) -> ConflictIn {
    let mut constraints: Vec<String> = sources.iter().map(|c| print_constraint(c)).collect();
    constraints.sort();
    constraints.dedup();
    ConflictIn {
        dimension: run.lattice.dimension(d).name.clone(),
        constraints,
    }
}

/// Per ONE dimension over a closed order: what its positive one-step
/// constraints with literal values denote together, and which they are.
pub(super) fn denoted<'c>(
    run: &Run<'_>,
    conditions: &[&'c Condition],
) -> Result<BTreeMap<DimensionId, (Denoted, Vec<&'c tree::Constraint>)>, RunError> {
    let mut all: BTreeMap<DimensionId, (Denoted, Vec<&tree::Constraint>)> = BTreeMap::new();
    for &condition in conditions {
        let Condition::Walk {
            path,
            test,
            sources,
        } = condition
        else {
            continue;
        };
        let [d] = path.as_slice() else { continue };
        run.meter.tick()?;
        if !run.lattice.dimension(*d).is_one() || !run.scale(*d, 0.0).is_closed() {
            continue;
        }
        let Some((next, literal)) = denotes(&run.order(*d, 0.0), test, sources) else {
            continue;
        };
        let entry = match all.remove(d) {
            None => (next, literal),
            Some((before, mut texts)) => {
                texts.extend(literal);
                (before.intersect(next), texts)
            }
        };
        all.insert(*d, entry);
    }
    Ok(all)
}

/// What one test denotes, with the sources that say so.
fn denotes<'c>(
    order: &Order<'_>,
    test: &Test,
    sources: &'c [tree::Constraint],
) -> Option<(Denoted, Vec<&'c tree::Constraint>)> {
    match test {
        Test::Nodes { elements, strict } => {
            let mut set = RoaringBitmap::new();
            for &node in elements.iter().flat_map(|element| &element.nodes) {
                set |= order.lower(node, *strict, Edges::All);
            }
            Some((Denoted::Nodes(set), sources.iter().collect()))
        }
        Test::Regions(list) => Some((
            Denoted::Regions(list.iter().map(|(_, region)| region.clone()).collect()),
            sources.iter().collect(),
        )),
        Test::Bounds(parts) => {
            let mut region: Option<Region> = None;
            let mut texts = Vec::new();
            for (part, source) in parts.iter().zip(sources) {
                if let BoundPart::Literal(next) = part {
                    region = Some(match region {
                        None => next.clone(),
                        Some(region) => region.intersect(next).unwrap_or(region),
                    });
                    texts.push(source);
                }
            }
            Some((Denoted::Regions(vec![region?]), texts))
        }
        Test::In(_) | Test::Has | Test::Name(_) => None,
    }
}
