//! The meets and joins that are no single value, found by trying every pair.

use super::audit::Audit;
use super::conflict::{below, flatten};
use super::facts::Column;
use super::order::Edges;
use super::query::{Asked, Compare, Condition, Form, Test, What};
use crate::lattice::{DimensionId, Value, ValueId};
use crate::syntax::print_constraint;
use crate::syntax::tree::Operation;
use crate::verdict::{Answer, Completed, Members, Outcome};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

impl Audit<'_> {
    /// What the completion supplied for a query and for those in it.
    pub(super) fn completed(&self, asked: &Arc<Asked>) -> Vec<Completed> {
        let mut order = Vec::new();
        super::certificate::in_order(asked, &mut HashSet::new(), &mut order);
        let mut found = BTreeSet::new();
        for asked in order {
            match &asked.form {
                Form::Meet(meet) => self.completed_in(&meet.list, &mut found),
                Form::Compare(Compare::Bound(bound)) => {
                    let Outcome::Answer(Answer::Set(set)) = self.outcome(&asked) else {
                        continue;
                    };
                    let Some((d, column)) = self.last_of(&bound.by) else {
                        continue;
                    };
                    let nodes: Vec<u32> = match set.members {
                        Members::Instances(set) | Members::Values(_, set) => set.iter().collect(),
                        _ => continue,
                    };
                    let edges = Edges::Certain(0.0);
                    let le = |a: u32, b: u32| column.graph.at_or_below(a, b, edges);
                    let one = nodes
                        .iter()
                        .all(|&a| nodes.iter().take(1).all(|&b| le(a, b) && le(b, a)));
                    if !one {
                        found.insert(Completed {
                            dimension: column.name.clone(),
                            operation: bound.operation,
                            of: bound.texts.clone(),
                            members: self.by_name(d, nodes),
                        });
                    }
                }
                _ => {}
            }
        }
        found.into_iter().collect()
    }

    fn completed_in(&self, list: &[Condition], found: &mut BTreeSet<Completed>) {
        let mut flat = Vec::new();
        flatten(list, &mut flat);
        let mut by_dimension: BTreeMap<DimensionId, Vec<&Test>> = BTreeMap::new();
        for condition in flat {
            match condition {
                Condition::Test(test) if self.takes_part(test) => {
                    let d = test.path.dimensions.first().copied();
                    by_dimension
                        .entry(d.unwrap_or(DimensionId(0)))
                        .or_default()
                        .push(test);
                }
                Condition::Any(branches, _) => {
                    for branch in branches {
                        self.completed_in(std::slice::from_ref(branch), found);
                    }
                }
                _ => {}
            }
        }
        for (d, tests) in by_dimension {
            if let Some(column) = self.facts.column(d)
                && !column.is_measured()
                && tests.len() > 1
            {
                found.extend(self.completed_by(d, column, &tests));
            }
        }
    }

    fn completed_by(&self, d: DimensionId, column: &Column, tests: &[&Test]) -> Option<Completed> {
        // One set for each element of each constraint.
        let sets: Vec<Vec<HashSet<u32>>> = tests
            .iter()
            .map(|test| match &test.what {
                What::Among { elements, .. } => {
                    let each = elements.iter();
                    each.map(|e| below(column, std::slice::from_ref(e), false))
                        .collect()
                }
                What::Below(elements) => {
                    let each = elements.iter();
                    each.map(|e| below(column, std::slice::from_ref(e), true))
                        .collect()
                }
                _ => Vec::new(),
            })
            .collect();
        let whole = |sets: &Vec<HashSet<u32>>| sets.iter().flatten().copied().collect();
        let denoted: Vec<BTreeSet<u32>> = sets.iter().map(whole).collect();
        let mut common = denoted.first()?.clone();
        common.retain(|v| denoted.iter().all(|set| set.contains(v)));
        if denoted.contains(&common) {
            return None;
        }
        let tops = column.graph.tops(&common, Edges::All);
        let together = |a: u32, b: u32| {
            sets.iter()
                .all(|one| one.iter().any(|set| set.contains(&a) && set.contains(&b)))
        };
        let firsts: Vec<u32> = tops
            .iter()
            .filter_map(|class| class.first().copied())
            .collect();
        let needed = firsts
            .iter()
            .any(|&a| firsts.iter().any(|&b| a != b && together(a, b)));
        if !needed {
            return None;
        }
        let mut of: Vec<String> = tests
            .iter()
            .flat_map(|test| &test.source)
            .map(print_constraint)
            .collect();
        of.sort();
        Some(Completed {
            dimension: column.name.clone(),
            operation: Operation::Meet,
            of,
            members: self.by_name(d, tops.into_iter().flatten().collect()),
        })
    }

    /// Values of a dimension, sorted by how they are printed.
    fn by_name(&self, d: DimensionId, nodes: Vec<u32>) -> Vec<Value> {
        let mut named: Vec<(String, Value)> = nodes
            .into_iter()
            .map(|v| self.lattice.value(d, ValueId(v)))
            .map(|value| (self.printed_value(&value), value))
            .collect();
        named.sort();
        named.into_iter().map(|(_, value)| value).collect()
    }
}
