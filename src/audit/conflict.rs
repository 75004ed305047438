//! Conflicts: constraints of one dimension that no value could satisfy.

use super::audit::Audit;
use super::facts::Column;
use super::meet::source_of;
use super::order::Edges;
use super::query::{Bound, Condition, Element, Literal, Test, What};
use super::spans::Region;
use crate::lattice::DimensionId;
use crate::syntax::print_constraint;
use crate::verdict::ConflictIn;
use std::collections::{BTreeMap, HashSet};

/// The values that one constraint denotes.
enum Denoted {
    Nodes(HashSet<u32>),
    /// In one of these.
    Regions(Vec<Region>),
}

impl Audit<'_> {
    /// The conflicts of an AND-list; none if it has none.
    pub(super) fn conflicts(&self, list: &[Condition]) -> Option<Vec<ConflictIn>> {
        let mut flat = Vec::new();
        flatten(list, &mut flat);
        let mut by_dimension: BTreeMap<DimensionId, Vec<&Test>> = BTreeMap::new();
        let mut found: Vec<ConflictIn> = Vec::new();
        for condition in flat {
            match condition {
                Condition::Test(test) if self.takes_part(test) => {
                    let d = test.path.dimensions.first().copied();
                    by_dimension.entry(d?).or_default().push(test);
                }
                Condition::Any(branches, _) => {
                    let branches: Option<Vec<Vec<ConflictIn>>> = branches
                        .iter()
                        .map(|branch| self.conflicts(std::slice::from_ref(branch)))
                        .collect();
                    found.extend(branches.into_iter().flatten().flatten());
                }
                _ => {}
            }
        }
        for (d, tests) in by_dimension {
            let Some(column) = self.facts.column(d) else {
                continue;
            };
            if self.nothing_denoted(column, &tests) {
                let mut constraints: Vec<String> = tests
                    .iter()
                    .flat_map(|test| &test.source)
                    .map(print_constraint)
                    .collect();
                constraints.sort();
                constraints.dedup();
                found.push(ConflictIn {
                    dimension: column.name.clone(),
                    constraints,
                });
            }
        }
        found.sort();
        found.dedup();
        (!found.is_empty()).then_some(found)
    }

    /// Whether a test is one step on a ONE dimension over a closed order, with
    /// literal values.
    pub(super) fn takes_part(&self, test: &Test) -> bool {
        let [d] = test.path.dimensions.as_slice() else {
            return false;
        };
        let literal = match &test.what {
            What::Among { .. } | What::Below(_) => true,
            What::Bounds(bounds) => bounds.iter().all(|b| matches!(b, Bound::Literal(_))),
            What::Has | What::In(_) => false,
        };
        let column = self.facts.column(*d);
        literal && !test.path.name && column.is_some_and(Column::has_sides)
    }

    fn nothing_denoted(&self, column: &Column, tests: &[&Test]) -> bool {
        let mut common: Option<Denoted> = None;
        for test in tests {
            let denoted = denoted(column, test);
            common = Some(match common {
                None => denoted,
                Some(before) => both(before, denoted),
            });
        }
        match common {
            None => false,
            Some(Denoted::Nodes(nodes)) => nodes.is_empty(),
            Some(Denoted::Regions(regions)) => regions.is_empty(),
        }
    }
}

pub(super) fn flatten<'a>(list: &'a [Condition], flat: &mut Vec<&'a Condition>) {
    for condition in list {
        match condition {
            Condition::All(inner, _) => flatten(inner, flat),
            other => {
                debug_assert!(source_of(other).is_some());
                flat.push(other);
            }
        }
    }
}

fn denoted(column: &Column, test: &Test) -> Denoted {
    let with_points = |regions: Vec<Region>| {
        let full = regions.into_iter().filter(Region::has_points);
        Denoted::Regions(full.collect())
    };
    match &test.what {
        What::Bounds(bounds) => {
            let mut region = Region::everything();
            for bound in bounds {
                if let Bound::Literal(other) = bound {
                    region = region.meet(other);
                }
            }
            with_points(vec![region])
        }
        What::Among { elements, .. } if column.is_measured() => {
            let regions = elements.iter().filter_map(|e| match &e.literal {
                Literal::Points(region) => Some(region.clone()),
                Literal::Node(_) => None,
            });
            with_points(regions.collect())
        }
        What::Among { elements, .. } => Denoted::Nodes(below(column, elements, false)),
        What::Below(elements) => Denoted::Nodes(below(column, elements, true)),
        What::Has | What::In(_) => Denoted::Regions(vec![Region::everything()]),
    }
}

pub(super) fn below(column: &Column, elements: &[Element], strict: bool) -> HashSet<u32> {
    let mut all = HashSet::new();
    for element in elements {
        let Literal::Node(node) = element.literal else {
            continue;
        };
        let mut down = column.graph.down([node], Edges::All);
        if strict {
            let same = column.graph.up([node], Edges::Certain(0.0));
            down.retain(|v| !same.contains(v));
        }
        all.extend(down);
    }
    all
}

fn both(a: Denoted, b: Denoted) -> Denoted {
    match (a, b) {
        (Denoted::Nodes(mut a), Denoted::Nodes(b)) => {
            a.retain(|v| b.contains(v));
            Denoted::Nodes(a)
        }
        (Denoted::Regions(a), Denoted::Regions(b)) => {
            let mut common: Vec<Region> = a
                .iter()
                .flat_map(|x| b.iter().map(move |y| x.meet(y)))
                .filter(Region::has_points)
                .collect();
            common.sort();
            common.dedup();
            Denoted::Regions(common)
        }
        (a, _) => a,
    }
}
