//! COMPARE MEET OF and JOIN OF, by plain sets of values; and the proof of either.

use super::AuditError;
use super::audit::Audit;
use super::facts::Column;
use super::json::Json;
use super::meet::instance_ids;
use super::order::Edges;
use super::query::{Operand, SetKind, Steps};
use super::reading::{Read, Reading, reading_of};
use super::sets::SetValue;
use super::spans::Span;
use crate::lattice::{DimensionId, ValueId};
use crate::syntax::tree::Operation;
use crate::verdict::{Answer, Caveat, ConflictIn, Members, Reason, SetAnswer};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// A bound that is asked for.
#[derive(Clone, Debug)]
pub(super) struct BoundOf {
    pub(super) operation: Operation,
    pub(super) of: Vec<Operand>,
    /// The operands, printed.
    pub(super) texts: Vec<String>,
    pub(super) by: Steps,
}

/// What a bound is.
pub(super) enum FoundBound {
    /// The maximal values at or below it.
    Nodes(BTreeSet<u32>),
    /// In the base unit.
    Interval(Span),
}

const CERTAIN: Edges = Edges::Certain(0.0);

impl Audit<'_> {
    pub(super) fn bound_answer(&self, asked: &BoundOf) -> Result<Answer, Reason> {
        let (d, column) = self.last_of(&asked.by).ok_or(Reason::EmptyLattice)?;
        let found = self.bound(asked)?;
        let members = match found {
            FoundBound::Nodes(nodes) if column.is_entity() => {
                Members::Instances(nodes.into_iter().collect())
            }
            FoundBound::Nodes(nodes) => Members::Values(d, nodes.into_iter().collect()),
            FoundBound::Interval(span) => match column.value_of(&span) {
                Some(value) => Members::Values(d, RoaringBitmap::from_iter([value])),
                None => {
                    let value = self.span_value(column, &span);
                    Members::Interval(d, value.ok_or(Reason::EmptyLattice)?)
                }
            },
        };
        let walks = asked.of.iter().any(|o| matches!(o, Operand::Instance(_)));
        let caveat = Caveat {
            open: match walks {
                true => self.open_steps(&asked.by),
                false => Vec::new(),
            },
            unclosed: !self.is_firm_bound(asked, column),
            ..Caveat::default()
        };
        Ok(Answer::Set(SetAnswer {
            members,
            possibly: RoaringBitmap::new(),
            without_value: 0,
            contested: RoaringBitmap::new(),
            caveat,
        }))
    }

    /// The bound as a set for the query around it.
    ///
    /// # Errors
    /// Why there is none, unless that leaves a set without members.
    pub(super) fn bound_set(&self, asked: &BoundOf) -> Result<SetValue, Reason> {
        let (d, column) = self.last_of(&asked.by).ok_or(Reason::EmptyLattice)?;
        let kind = match column.is_entity() {
            true => SetKind::Instances,
            false => SetKind::Values(d),
        };
        let mut set = SetValue::of_kind(kind, self.is_firm_bound(asked, column));
        match self.bound(asked) {
            Ok(FoundBound::Nodes(nodes)) => set.certain = nodes,
            Ok(FoundBound::Interval(span)) => match column.value_of(&span) {
                Some(value) => set.certain = BTreeSet::from([value]),
                None => set.interval = Some(span),
            },
            Err(Reason::Missing { .. } | Reason::Conflict(_)) => {}
            Err(reason) => return Err(reason),
        }
        Ok(set)
    }

    fn bound(&self, asked: &BoundOf) -> Result<FoundBound, Reason> {
        let by = &asked.by;
        let (_, column) = self.last_of(by).ok_or(Reason::EmptyLattice)?;
        let readings = self.single_readings(asked)?;
        let all = || readings.iter().flat_map(|(_, reading)| &reading.values);
        if column.is_measured() {
            let mut bound: Option<Span> = None;
            for value in all() {
                let Read::Span(span) = value else { continue };
                bound = match (bound, asked.operation) {
                    (None, _) => Some(span.clone()),
                    (Some(bound), Operation::Join) => Some(bound.hull(span)),
                    (Some(bound), Operation::Meet) => match bound.meet(span) {
                        Some(common) => Some(common),
                        None => return Err(self.no_meet(asked, column)),
                    },
                };
            }
            let bound = bound.ok_or(Reason::EmptyLattice)?;
            return match self.span_value(column, &bound) {
                Some(_) => Ok(FoundBound::Interval(bound)),
                None => Err(Reason::Derived {
                    what: by.text.clone(),
                    from: Vec::new(),
                }),
            };
        }
        let nodes = nodes_of(all());
        let lower = match asked.operation {
            Operation::Meet => common(column, &nodes, false),
            Operation::Join => {
                let upper = common(column, &nodes, true);
                common(column, &upper.into_iter().collect::<Vec<u32>>(), false)
            }
        };
        if !lower.is_empty() {
            let tops = column.graph.tops(&lower, CERTAIN);
            return Ok(FoundBound::Nodes(tops.into_iter().flatten().collect()));
        }
        let none = column.graph.closed && column.graph.common_lower(&nodes).is_empty();
        if asked.operation == Operation::Meet && none {
            return Err(self.no_meet(asked, column));
        }
        Err(self.sides(by, &readings))
    }

    /// What the operands read, if each is a single value that nothing contests.
    fn single_readings<'a>(
        &self,
        asked: &'a BoundOf,
    ) -> Result<Vec<(&'a Operand, Reading)>, Reason> {
        let by = &asked.by;
        let read = asked.of.iter().map(|o| (o, reading_of(self.facts, o, by)));
        let readings: Vec<(&Operand, Reading)> = read.collect();
        let mut without: Vec<u32> = readings
            .iter()
            .filter(|(_, reading)| reading.values.is_empty())
            .filter_map(|(operand, _)| match operand {
                Operand::Instance(x) => Some(*x),
                _ => None,
            })
            .collect();
        without.sort_unstable();
        without.dedup();
        if !without.is_empty() {
            return Err(Reason::Missing {
                path: by.text.clone(),
                instances: instance_ids(&without),
            });
        }
        let single = |reading: &Reading| reading.single().is_some();
        if readings.iter().all(|(_, reading)| single(reading)) {
            return Ok(readings);
        }
        let unclear: Vec<(&Operand, Reading)> = readings
            .into_iter()
            .filter(|(_, reading)| !single(reading))
            .collect();
        Err(self.sides(by, &unclear))
    }

    fn sides(&self, by: &Steps, readings: &[(&Operand, Reading)]) -> Reason {
        Reason::Incomparable {
            path: by.text.clone(),
            contested: readings.iter().any(|(_, reading)| reading.contested),
            sides: readings
                .iter()
                .map(|(operand, reading)| {
                    (self.who(operand, by), self.printed_reading(by, reading))
                })
                .collect(),
        }
    }

    fn no_meet(&self, asked: &BoundOf, column: &Column) -> Reason {
        Reason::Conflict(vec![ConflictIn {
            dimension: column.name.clone(),
            constraints: asked.texts.clone(),
        }])
    }

    /// Whether nothing that is not recorded could make it another bound.
    fn is_firm_bound(&self, asked: &BoundOf, column: &Column) -> bool {
        let settled = match column.within() {
            None => true,
            Some(r) => {
                let exact = self.facts.column(r).is_some_and(|r| r.within().is_none());
                column.graph.closed && exact && !column.graph.has_contested()
            }
        };
        settled
            && asked.of.iter().all(|operand| match operand {
                Operand::Instance(x) => self.knows(*x, &asked.by, false),
                _ => true,
            })
    }

    /// The proof of a bound: chains that show where its members lie.
    pub(super) fn bound_told(&self, out: &mut Json<'_>, asked: &BoundOf) -> Result<(), AuditError> {
        let (Some((d, column)), Ok(found)) = (self.last_of(&asked.by), self.bound(asked)) else {
            return Ok(());
        };
        let readings: Vec<Reading> = asked
            .of
            .iter()
            .map(|operand| reading_of(self.facts, operand, &asked.by))
            .collect();
        let operands = nodes_of(readings.iter().flat_map(|reading| &reading.values));
        let mut above = operands.clone();
        if asked.operation == Operation::Join && !column.is_measured() {
            let upper = common(column, &operands, true).into_iter().collect();
            above = column.graph.extremes(&upper, true);
            out.key("upper")?;
            out.begin('[')?;
            for &u in &above {
                let ends: Vec<(u32, u32)> = operands.iter().map(|&v| (v, u)).collect();
                self.bounding_told(out, d, u, &ends)?;
            }
            out.end(']')?;
        }
        out.key("members")?;
        out.begin('[')?;
        match found {
            FoundBound::Interval(span) => {
                out.begin('{')?;
                out.pair("value", &self.printed_read(d, &Read::Span(span)))?;
                out.key("chains")?;
                out.begin('[')?;
                out.end(']')?;
                out.end('}')?;
            }
            FoundBound::Nodes(members) => {
                for m in members {
                    let ends: Vec<(u32, u32)> = above.iter().map(|&u| (m, u)).collect();
                    self.bounding_told(out, d, m, &ends)?;
                }
            }
        }
        out.end(']')?;
        Ok(())
    }

    fn bounding_told(
        &self,
        out: &mut Json<'_>,
        d: DimensionId,
        value: u32,
        ends: &[(u32, u32)],
    ) -> Result<(), AuditError> {
        out.begin('{')?;
        out.key("value")?;
        self.cell(out, &self.lattice.value(d, ValueId(value)))?;
        out.key("chains")?;
        out.begin('[')?;
        for &(low, high) in ends {
            out.begin('{')?;
            self.chain_told(out, d, low, high, CERTAIN)?;
            out.end('}')?;
        }
        out.end(']')?;
        out.end('}')?;
        Ok(())
    }
}

fn nodes_of<'r>(values: impl Iterator<Item = &'r Read>) -> Vec<u32> {
    values
        .filter_map(|value| match value {
            Read::Node(node) => Some(*node),
            Read::Span(_) => None,
        })
        .collect()
}

/// The values above all of some, or below all; none where there are none of these.
fn common(column: &Column, of: &[u32], up: bool) -> BTreeSet<u32> {
    let Some((first, rest)) = of.split_first() else {
        return BTreeSet::new();
    };
    let reach = |v: u32| match up {
        true => column.graph.up([v], CERTAIN),
        false => column.graph.down([v], CERTAIN),
    };
    let mut all: BTreeSet<u32> = reach(*first).into_iter().collect();
    for &v in rest {
        let other = reach(v);
        all.retain(|w| other.contains(w));
    }
    all
}
