//! COMPARE MEET OF and JOIN OF: the bound of several values in the completion of
//! their order, as the set of values that names it; and the paths that show it.

use super::RunError;
use super::order::{Edges, Order};
use super::proof::{BoundProof, Bounding, Chain};
use super::reading::{Point, Reading};
use super::run::Run;
use super::sets::Evaluated;
use crate::lattice::{DimensionId, Kind, Value, ValueId};
use crate::order::{Bound, Cut, join_of, meet_of};
use crate::plan::{By, Compare, Operand, StepKind};
use crate::syntax::tree::Operation;
use crate::verdict::{Answer, Caveat, ConflictIn, Members, Reason, Who};
use roaring::RoaringBitmap;

/// A bound that is asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'p> {
    pub operation: Operation,
    pub of: &'p [Operand],
    /// The operands, printed.
    pub texts: &'p [String],
    pub by: &'p By,
}

impl<'p> Asked<'p> {
    /// The bound that a COMPARE asks for, if it does.
    pub(super) fn of(compare: &'p Compare) -> Option<Asked<'p>> {
        match compare {
            Compare::Bound {
                operation,
                of,
                texts,
                by,
            } => Some(Asked {
                operation: *operation,
                of,
                texts,
                by,
            }),
            _ => None,
        }
    }
}

/// What the values of a bound are, before they are members of a set.
enum Found {
    /// Nodes of an order, ascending; never none.
    Nodes(Vec<u32>),
    /// An interval.
    Interval(Point),
}

impl<'l> Run<'l> {
    /// Runs `COMPARE MEET OF … BY …` or `COMPARE JOIN OF … BY …`.
    pub(super) fn bound(&self, asked: Asked<'_>) -> Result<Evaluated, RunError> {
        let found = match self.bound_readings(asked)? {
            Ok(readings) => self.bound_found(asked, &readings)?,
            Err(reason) => Err(reason),
        };
        let members = match found {
            Ok(found) => self.bound_members(asked.by, found),
            Err(reason) => Err(reason),
        };
        Ok(match members {
            Ok(members) => {
                let mut set = super::returns::plain_set(members.clone());
                set.caveat = self.bound_caveat(asked)?;
                Evaluated::answered(Answer::Set(set), RoaringBitmap::new(), members)
            }
            Err(reason) => Evaluated::abstained(reason, RoaringBitmap::new(), false),
        })
    }

    /// What each operand reads: a single value that nothing contests.
    fn bound_readings(&self, asked: Asked<'_>) -> Result<Result<Vec<Reading>, Reason>, RunError> {
        let by = asked.by;
        let mut reasons = Vec::new();
        let mut readings = Vec::new();
        for operand in asked.of {
            self.meter.tick()?;
            let reading = self.read(operand, by)?;
            reasons.extend(self.two_meanings(operand, &reading, by));
            readings.push(reading);
        }
        let lacking = readings.iter().filter(|reading| reading.values.is_empty());
        let lacking: Vec<_> = lacking.filter_map(Reading::instance).collect();
        if !lacking.is_empty() {
            reasons.push(self.missing(by, lacking));
        }
        let unclear: Vec<&Reading> = readings
            .iter()
            .filter(|reading| reading.contested || reading.values.len() > 1)
            .collect();
        if !unclear.is_empty() {
            reasons.push(self.incomparable(by, &unclear));
        }
        Ok(match Reason::first_class(reasons) {
            Some(reason) => Err(reason),
            None => Ok(readings),
        })
    }

    fn bound_found(
        &self,
        asked: Asked<'_>,
        readings: &[Reading],
    ) -> Result<Result<Found, Reason>, RunError> {
        let d = asked.by.dimension();
        let points: Vec<&Point> = readings.iter().flat_map(|r| &r.values).collect();
        let nodes: Option<Vec<u32>> = points
            .iter()
            .map(|point| match point {
                Point::Node(v) => Some(*v),
                _ => None,
            })
            .collect();
        let Some(nodes) = nodes else {
            let interval = super::compare::hull_and_meet(points.into_iter());
            let interval = interval.and_then(|(hull, meet)| match asked.operation {
                Operation::Meet => meet,
                Operation::Join => hull,
            });
            return Ok(match interval {
                Some(point) => Ok(Found::Interval(point)),
                None => Err(self.no_meet(asked)),
            });
        };
        let order = self.order(d, 0.0);
        let found = self.extremal(&order, asked.operation, &nodes)?;
        if !found.is_empty() {
            return Ok(Ok(Found::Nodes(found)));
        }
        let excluded = asked.operation == Operation::Meet
            && order.is_closed()
            && common(&order, &nodes, Operation::Meet, Edges::All).is_empty();
        Ok(Err(match excluded {
            true => self.no_meet(asked),
            false => self.incomparable(asked.by, &readings.iter().collect::<Vec<_>>()),
        }))
    }

    /// The maximal members of the lower set of a bound of nodes, ascending; none where
    /// there is no common lower, or no common upper one.
    fn extremal(
        &self,
        order: &Order<'_>,
        operation: Operation,
        nodes: &[u32],
    ) -> Result<Vec<u32>, RunError> {
        if let Order::Dag(dag) = order {
            return Ok(match operation {
                Operation::Meet => meet_of(dag, nodes).members().to_vec(),
                Operation::Join => match join_of(dag, nodes) {
                    Bound::None => Vec::new(),
                    Bound::Unique(only) => vec![only],
                    Bound::Cut(_) => Cut::join_of(dag, nodes).maximal().to_vec(),
                },
            });
        }
        let lower = match operation {
            Operation::Meet => common(order, nodes, Operation::Meet, Edges::Certain),
            Operation::Join => {
                let upper: Vec<u32> = common(order, nodes, Operation::Join, Edges::Certain)
                    .iter()
                    .collect();
                common(order, &upper, Operation::Meet, Edges::Certain)
            }
        };
        self.meter.spend(lower.serialized_size() as u64)?;
        let mut tops = order.tops(&lower, Edges::Certain).concat();
        tops.sort_unstable();
        Ok(tops)
    }

    fn no_meet(&self, asked: Asked<'_>) -> Reason {
        Reason::Conflict(vec![ConflictIn {
            dimension: self.lattice.dimension(asked.by.dimension()).name.clone(),
            constraints: asked.texts.to_vec(),
        }])
    }

    /// A bound as the members of a set. An interval that something records is that
    /// value.
    fn bound_members(&self, by: &By, found: Found) -> Result<Members, Reason> {
        let d = by.dimension();
        let point = match found {
            Found::Nodes(nodes) => {
                let nodes = nodes.into_iter().collect();
                return Ok(match self.lattice.dimension(d).is_entity() {
                    true => Members::Instances(nodes),
                    false => Members::Values(d, nodes),
                });
            }
            Found::Interval(point) => point,
        };
        let Some(value) = self.exact_value(d, &point) else {
            return Err(Reason::Derived {
                what: by.text.clone(),
                from: Vec::new(),
            });
        };
        let recorded = match &value {
            Value::Number(interval) => self.lattice.numbers(d).iter().position(|i| i == interval),
            Value::Date(interval) => self.lattice.dates(d).iter().position(|i| i == interval),
            _ => None,
        };
        Ok(match recorded.and_then(|v| u32::try_from(v).ok()) {
            Some(v) => Members::Values(d, RoaringBitmap::from_iter([v])),
            None => Members::Interval(d, value),
        })
    }

    fn bound_caveat(&self, asked: Asked<'_>) -> Result<Caveat, RunError> {
        let walks = asked
            .of
            .iter()
            .any(|operand| matches!(operand, Operand::Instance { .. }));
        Ok(Caveat {
            open: match walks {
                true => self.unsure_steps(asked.by),
                false => Vec::new(),
            },
            unclosed: !self.is_firm_bound(asked)?,
            ..Caveat::default()
        })
    }

    /// Whether a bound is the same in every completion of the facts: its operands
    /// could not be more specific ones, and no edge can be learned or lost.
    pub(super) fn is_firm_bound(&self, asked: Asked<'_>) -> Result<bool, RunError> {
        let order = self.order(asked.by.dimension(), 0.0);
        if !order.is_settled() {
            return Ok(false);
        }
        for operand in asked.of {
            if let Operand::Instance { instance, .. } = operand {
                let start = RoaringBitmap::from_iter([instance.0]);
                if !self.known_completely(&asked.by.steps, &start, false)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What shows a bound: of a meet chains from each member up to the operands; of a
    /// join chains from the operands up to each minimal common upper bound, and from each
    /// member up to those.
    pub(super) fn bound_proof(
        &self,
        asked: Asked<'_>,
        members: &Members,
    ) -> Result<BoundProof, RunError> {
        let d = asked.by.dimension();
        let mut proof = BoundProof::default();
        let nodes = match members {
            Members::Instances(set) | Members::Values(_, set) => set.iter().collect::<Vec<u32>>(),
            Members::Interval(_, value) => {
                proof.members.push(bare(value.clone()));
                return Ok(proof);
            }
            Members::Texts(_) => return Ok(proof),
        };
        let value = |v: u32| self.lattice.value(d, ValueId(v));
        if self.is_measured(d) {
            proof.members = nodes.into_iter().map(|v| bare(value(v))).collect();
            return Ok(proof);
        }
        let mut operands = Vec::new();
        for operand in asked.of {
            let reading = self.read(operand, asked.by)?;
            operands.extend(reading.values.iter().filter_map(|point| match point {
                Point::Node(v) => Some(*v),
                _ => None,
            }));
        }
        let order = self.order(d, 0.0);
        let chains = |pairs: Vec<(u32, u32)>| -> Result<Vec<Chain>, RunError> {
            let all = pairs
                .into_iter()
                .map(|(low, high)| self.chain(d, &order, low, high));
            all.collect()
        };
        let mut above = operands.clone();
        if asked.operation == Operation::Join {
            above = minimal_common_upper(&order, &operands);
            for &u in &above {
                proof.upper.push(Bounding {
                    value: value(u),
                    chains: chains(operands.iter().map(|&v| (v, u)).collect())?,
                });
            }
        }
        for m in nodes {
            proof.members.push(Bounding {
                value: value(m),
                chains: chains(above.iter().map(|&u| (m, u)).collect())?,
            });
        }
        Ok(proof)
    }

    fn chain(
        &self,
        d: DimensionId,
        order: &Order<'_>,
        low: u32,
        high: u32,
    ) -> Result<Chain, RunError> {
        self.meter.tick()?;
        let path = order.path_up(low, high).unwrap_or_default();
        Ok(Chain {
            edges: self.edges(d, &path)?,
            path: path
                .into_iter()
                .map(|v| self.lattice.value(d, ValueId(v)))
                .collect(),
        })
    }

    /// Whether a dimension has intervals for values.
    pub(super) fn is_measured(&self, d: DimensionId) -> bool {
        matches!(
            self.lattice.dimension(d).kind,
            Kind::Number { .. } | Kind::Date
        )
    }

    /// The operands of the whole plan that are an instance and a value too and do not read
    /// the same: a matter of its words, and so before all that its queries end in.
    pub(super) fn ambiguous_operands(&self) -> Result<Option<Reason>, RunError> {
        let mut reasons = Vec::new();
        for step in &self.plan.steps {
            let StepKind::Compare(compare) = &step.kind else {
                continue;
            };
            let (operands, by): (Vec<&Operand>, &By) = match compare.as_ref() {
                Compare::Relate {
                    left, right, by, ..
                }
                | Compare::Order { left, right, by } => (vec![left, right], by),
                Compare::Bound { of, by, .. } => (of.iter().collect(), by),
                _ => continue,
            };
            for operand in operands {
                if let Operand::Instance { also: Some(_), .. } = operand {
                    let reading = self.read(operand, by)?;
                    reasons.extend(self.two_meanings(operand, &reading, by));
                }
            }
        }
        Ok(Reason::first_class(reasons))
    }

    /// The readings of an operand that is an instance and a value too, where they
    /// differ.
    pub(super) fn two_meanings(
        &self,
        operand: &Operand,
        reading: &Reading,
        by: &By,
    ) -> Option<Reason> {
        let Operand::Instance {
            instance,
            also: Some((term, literal)),
        } = operand
        else {
            return None;
        };
        let alone = super::reading::point_of(literal).into_iter().collect();
        if reading.values == alone {
            return None;
        }
        let mut readings = vec![
            Who::Instance(*instance),
            self.who_value(by.dimension(), literal),
        ];
        readings.sort();
        Some(Reason::Ambiguous(vec![crate::verdict::Ambiguity {
            word: crate::plan::terms::word_of(term)
                .map_or_else(|| crate::syntax::print_term(term), str::to_owned),
            readings,
        }]))
    }
}

/// The nodes at or below all of some (for MEET), or at or above all (for JOIN).
fn common(order: &Order<'_>, of: &[u32], operation: Operation, edges: Edges) -> RoaringBitmap {
    let reach = |v: u32| match operation {
        Operation::Meet => order.down(v, edges),
        Operation::Join => order.up(v, edges),
    };
    let mut sets = of.iter().map(|&v| reach(v));
    let Some(first) = sets.next() else {
        return RoaringBitmap::new();
    };
    sets.fold(first.as_ref().clone(), |all, set| all & set.as_ref())
}

fn minimal_common_upper(order: &Order<'_>, of: &[u32]) -> Vec<u32> {
    order.minimal(&common(order, of, Operation::Join, Edges::Certain))
}

/// A value that lies where intervals show it to lie.
fn bare(value: Value) -> Bounding {
    Bounding {
        value,
        chains: Vec::new(),
    }
}
