//! Queries as sets: their certain members, their possible ones, and whether an
//! unknown value may belong to them.

use super::RunError;
use super::bound::Asked;
use super::returns::plain_set;
use super::run::Run;
use super::step::Alternative;
use super::truth::Ask;
use crate::lattice::{Decimal, DimensionId, InstanceId, Kind, Lattice, NumberInterval, Value};
use crate::plan::{
    By, Compare, DateRegion, Meet, NO_NODE, NumberRegion, QueryId, Region, ReturnPath, Returns,
    SetOperand, StepKind,
};
use crate::syntax::tree::Operator;
use crate::verdict::{Abstention, Answer, Caveat, Members, Outcome, Reason};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a query of the plan gave.
pub(super) struct Evaluated {
    /// Its answer or its reason.
    pub outcome: Outcome,
    /// The certain hits of a MEET, before RETURN; the winners of an extremum. None if
    /// they are what the answer has: a large set is there once.
    hits: Option<RoaringBitmap>,
    /// The certain members of the set that it is. None as with the hits.
    certain: Option<Members>,
    /// Whether an abstention is only a set without certain members for the
    /// MEET around it.
    pub empty_set: bool,
}

static NOTHING: LazyLock<RoaringBitmap> = LazyLock::new(RoaringBitmap::new);
static NOBODY: LazyLock<Members> = LazyLock::new(|| Members::Instances(RoaringBitmap::new()));

impl Evaluated {
    /// An answer that is its hits.
    pub(super) fn found(hits: RoaringBitmap) -> Self {
        Evaluated {
            outcome: Outcome::Answer(Answer::Set(plain_set(Members::Instances(hits)))),
            hits: None,
            certain: None,
            empty_set: false,
        }
    }

    pub(super) fn answered(answer: Answer, hits: RoaringBitmap, certain: Members) -> Self {
        Evaluated {
            outcome: Outcome::Answer(answer),
            hits: Some(hits),
            certain: Some(certain),
            empty_set: false,
        }
    }

    pub(super) fn abstained(reason: Reason, hits: RoaringBitmap, from_return: bool) -> Self {
        let empty_set = match &reason {
            Reason::Empty { .. } | Reason::Conflict(_) | Reason::Missing { .. } => true,
            Reason::Incomparable { .. } => from_return,
            _ => false,
        };
        Evaluated {
            outcome: Outcome::Abstention(Abstention { reason }),
            hits: Some(hits),
            certain: Some(Members::Instances(RoaringBitmap::new())),
            empty_set,
        }
    }

    /// The certain hits of a MEET, before RETURN; the winners of an extremum.
    pub(super) fn hits(&self) -> &RoaringBitmap {
        match (&self.hits, self.certain()) {
            (Some(hits), _) | (None, Members::Instances(hits)) => hits,
            _ => &NOTHING,
        }
    }

    /// The certain members of the set that it is.
    pub(super) fn certain(&self) -> &Members {
        match (&self.certain, &self.outcome) {
            (Some(members), _) => members,
            (None, Outcome::Answer(Answer::Set(set))) => &set.members,
            _ => &NOBODY,
        }
    }

    pub(super) fn declined(words: &str) -> Self {
        let reason = Reason::Declined {
            words: words.to_owned(),
        };
        Evaluated::abstained(reason, RoaringBitmap::new(), false)
    }

    /// The reason that a query around this one takes over.
    pub(super) fn passed_on(&self) -> Option<&Reason> {
        match &self.outcome {
            Outcome::Abstention(abstention) if !self.empty_set => Some(&abstention.reason),
            _ => None,
        }
    }

    /// The reason, if there is one.
    pub(super) fn reason(&self) -> Option<&Reason> {
        match &self.outcome {
            Outcome::Abstention(abstention) => Some(&abstention.reason),
            Outcome::Answer(_) => None,
        }
    }
}

/// The members of a set as things that a value of dimension `d` may be.
pub(super) fn members_as_alternatives(
    lattice: &Lattice,
    d: DimensionId,
    members: &Members,
) -> Vec<Alternative> {
    let node = |node: u32| Alternative::Node {
        node,
        strict: false,
    };
    let text = |text: &str| node(lattice.find_text(d, text).map_or(NO_NODE, |v| v.0));
    match members {
        Members::Instances(set) => set.iter().map(node).collect(),
        Members::Texts(set) => set.iter().map(|word| text(word)).collect(),
        Members::Interval(e, value) => match value {
            Value::Number(interval) => vec![Alternative::Region(number_region(
                lattice,
                d,
                *e,
                interval,
                Operator::Is,
            ))],
            Value::Date(interval) => vec![Alternative::Region(Region::Date(DateRegion::of(
                Operator::Is,
                interval,
            )))],
            _ => Vec::new(),
        },
        Members::Values(e, set) => match lattice.dimension(*e).kind {
            Kind::Number { .. } => {
                let list = lattice.numbers(*e);
                set.iter()
                    .filter_map(|v| list.get(v as usize))
                    .map(|interval| {
                        Alternative::Region(number_region(lattice, d, *e, interval, Operator::Is))
                    })
                    .collect()
            }
            Kind::Date => {
                let list = lattice.dates(*e);
                set.iter()
                    .filter_map(|v| list.get(v as usize))
                    .map(|interval| {
                        Alternative::Region(Region::Date(DateRegion::of(Operator::Is, interval)))
                    })
                    .collect()
            }
            Kind::Text if d != *e => set
                .iter()
                .map(|v| match lattice.value(*e, crate::lattice::ValueId(v)) {
                    Value::Text(word) => text(&word),
                    _ => node(NO_NODE),
                })
                .collect(),
            _ => set.iter().map(node).collect(),
        },
    }
}

/// What `operator interval` denotes on `d`, for an interval of `e`.
pub(super) fn number_region(
    lattice: &Lattice,
    d: DimensionId,
    e: DimensionId,
    interval: &NumberInterval,
    operator: Operator,
) -> Region {
    let interval = in_base(lattice, e, interval);
    Region::Number(NumberRegion::of(operator, &interval, factor(lattice, d)))
}

/// What the numbers of a dimension are multiplied by to be in the base unit;
/// `None` for 1.
pub(super) fn factor(lattice: &Lattice, d: DimensionId) -> Option<Decimal> {
    let Kind::Number { unit: Some(unit) } = &lattice.dimension(d).kind else {
        return None;
    };
    let (factor, _) = lattice.units().to_base(&Decimal::one(), unit)?;
    (factor != Decimal::one()).then_some(factor)
}

/// An interval of a dimension in the base unit.
pub(super) fn in_base(
    lattice: &Lattice,
    d: DimensionId,
    interval: &NumberInterval,
) -> NumberInterval {
    let Some(factor) = factor(lattice, d) else {
        return interval.clone();
    };
    match (
        interval.low.checked_mul(&factor),
        interval.high.checked_mul(&factor),
    ) {
        (Some(low), Some(high)) => NumberInterval { low, high },
        _ => interval.clone(),
    }
}

impl<'l> Run<'l> {
    /// The instances that are in a set, or called as its texts say.
    pub(super) fn called_as(&self, members: &Members) -> Result<RoaringBitmap, RunError> {
        let called = |word: &str| self.lattice.called(word).instances;
        let mut set = RoaringBitmap::new();
        match members {
            Members::Instances(instances) => set = instances.clone(),
            // Nothing is called by an interval.
            Members::Interval(..) => {}
            Members::Texts(words) => {
                for word in words {
                    self.meter.tick()?;
                    set.extend(called(word).into_iter().map(|i| i.0));
                }
            }
            Members::Values(d, values) => {
                for v in values {
                    self.meter.tick()?;
                    if let Value::Text(word) = self.lattice.value(*d, crate::lattice::ValueId(v)) {
                        set.extend(called(&word).into_iter().map(|i| i.0));
                    }
                }
            }
        }
        Ok(set)
    }

    /// The ends of a path as members of a set.
    pub(super) fn members_at(
        &self,
        path: &ReturnPath,
        ends: RoaringBitmap,
    ) -> Result<Members, RunError> {
        if path.name {
            return Ok(Members::Texts(self.names_of(&ends)?));
        }
        Ok(match path.steps.last() {
            Some(&d) if !self.lattice.dimension(d).is_entity() => Members::Values(d, ends),
            _ => Members::Instances(ends),
        })
    }

    /// The instances that a MEET neither certainly has nor excludes.
    pub(super) fn possible_hits(
        &self,
        meet: &Meet,
        hits: &RoaringBitmap,
    ) -> Result<RoaringBitmap, RunError> {
        let ask = Ask {
            confidence: meet.confidence,
        };
        let mut out = RoaringBitmap::new();
        for condition in &meet.conditions {
            out |= self.excluded(condition, ask, None)?;
        }
        Ok(self.universe(None) - out - hits)
    }

    /// The possible members of a query's set.
    pub(super) fn possible_members(&self, id: QueryId) -> Result<Members, RunError> {
        let none = Members::Instances(RoaringBitmap::new());
        let evaluated = self.evaluated(id)?;
        let (possible, returns) = match self.plan.step(id).map(|step| &step.kind) {
            Some(StepKind::Meet(meet)) => {
                (self.possible_hits(meet, evaluated.hits())?, &meet.returns)
            }
            Some(StepKind::Compare(compare)) => match compare.as_ref() {
                Compare::Extremum {
                    of, by, returns, ..
                } => (self.possible_winners(of, by, &evaluated)?, returns),
                _ => return Ok(none),
            },
            _ => return Ok(none),
        };
        match returns {
            Returns::Instances => Ok(Members::Instances(possible)),
            Returns::Path(path) => {
                self.possible_values(path, &(possible | evaluated.hits()), evaluated.certain())
            }
            Returns::Rows(_) | Returns::Count(_) => Ok(none),
        }
    }

    /// The values at the end of a path along every positive, contested or not,
    /// printed and sorted.
    pub(super) fn printed_ends(
        &self,
        steps: &[DimensionId],
        name: bool,
        x: InstanceId,
    ) -> Result<Vec<String>, RunError> {
        let ends = self.all_ends(steps, &RoaringBitmap::from_iter([x.0]))?;
        let mut texts: Vec<String> = match steps.last() {
            Some(&d) if !name => ends
                .iter()
                .map(|v| {
                    let value = self.lattice.value(d, crate::lattice::ValueId(v));
                    crate::verdict::print_value(self.lattice, &value)
                })
                .collect(),
            _ => self.names_of(&ends)?.into_iter().collect(),
        };
        texts.sort();
        texts.dedup();
        Ok(texts)
    }

    /// The values at the end of a path along every positive.
    fn all_ends(
        &self,
        steps: &[DimensionId],
        from: &RoaringBitmap,
    ) -> Result<RoaringBitmap, RunError> {
        let mut frontier = from.clone();
        for &d in steps {
            let relation = self.lattice.positive(d);
            let mut next = RoaringBitmap::new();
            for x in &frontier {
                self.meter.tick()?;
                next.extend(relation.of(InstanceId(x)).values());
            }
            frontier = next;
        }
        Ok(frontier)
    }

    /// Every positive at the end of a path, contested or not, that is not a
    /// certain value.
    fn possible_values(
        &self,
        path: &ReturnPath,
        from: &RoaringBitmap,
        certain: &Members,
    ) -> Result<Members, RunError> {
        let frontier = self.all_ends(&path.steps, from)?;
        if path.name {
            let mut texts = self.names_of(&frontier)?;
            if let Members::Texts(known) = certain {
                texts.retain(|text| !known.contains(text));
            }
            return Ok(Members::Texts(texts));
        }
        let known = match certain {
            Members::Instances(set) | Members::Values(_, set) => set.clone(),
            Members::Texts(_) | Members::Interval(..) => RoaringBitmap::new(),
        };
        let left = frontier - known;
        Ok(match path.steps.last() {
            Some(&d) if !self.lattice.dimension(d).is_entity() => Members::Values(d, left),
            _ => Members::Instances(left),
        })
    }

    /// The names and aliases of some instances.
    pub(super) fn names_of(&self, set: &RoaringBitmap) -> Result<BTreeSet<String>, RunError> {
        let mut texts = BTreeSet::new();
        for x in set {
            self.meter.tick()?;
            let x = InstanceId(x);
            for name in std::iter::once(self.lattice.name(x)).chain(self.lattice.aliases(x)) {
                if texts.insert(name.to_owned()) {
                    let bytes = name.len() + std::mem::size_of::<String>();
                    self.meter.spend(bytes as u64)?;
                }
            }
        }
        Ok(texts)
    }

    /// Whether no unknown value may belong to a query's set.
    pub(super) fn is_closed(&self, id: QueryId) -> Result<bool, RunError> {
        self.is_known(id, false)
    }

    /// Whether no unknown value may belong to a query's set but a more exact one in
    /// place of one that is recorded at the end of its path (`inexact`).
    pub(super) fn is_known(&self, id: QueryId, inexact: bool) -> Result<bool, RunError> {
        match self.plan.step(id).map(|step| &step.kind) {
            Some(StepKind::Meet(meet)) => match &meet.returns {
                Returns::Path(path) => {
                    let hits = self.evaluated(id)?.hits().clone();
                    let all = self.possible_hits(meet, &hits)? | hits;
                    self.known_completely(&path.steps, &all, inexact)
                }
                _ => Ok(true),
            },
            Some(StepKind::Compare(compare)) => match compare.as_ref() {
                Compare::Extremum {
                    of,
                    by,
                    returns: Returns::Path(path),
                    ..
                } => {
                    let evaluated = self.evaluated(id)?;
                    let all = self.possible_winners(of, by, &evaluated)? | evaluated.hits();
                    self.known_completely(&path.steps, &all, inexact)
                }
                compare => match Asked::of(compare) {
                    Some(asked) => self.is_firm_bound(asked),
                    None => Ok(true),
                },
            },
            _ => Ok(true),
        }
    }

    /// Who may win an extremum besides its winners: every candidate, certain
    /// or possible, where there is no winner or something unrecorded could
    /// change the result; else those that could change the result.
    pub(super) fn possible_winners(
        &self,
        of: &SetOperand,
        by: &By,
        evaluated: &Evaluated,
    ) -> Result<RoaringBitmap, RunError> {
        if let Some(caveat) = caveat_of(evaluated)
            && self.is_settled(of, by)?
        {
            return Ok(caveat.could_change.clone());
        }
        Ok(self.all_candidates(of)? - evaluated.hits())
    }

    /// Whether a path is known completely for every one of some instances; if
    /// `inexact`, but for how exact its last values are.
    pub(super) fn known_completely(
        &self,
        steps: &[DimensionId],
        from: &RoaringBitmap,
        inexact: bool,
    ) -> Result<bool, RunError> {
        let mut frontier = from.clone();
        for (k, &d) in steps.iter().enumerate() {
            let inexact = inexact && k + 1 == steps.len();
            let scale = self.scale(d, 0.0);
            let dimension = self.lattice.dimension(d);
            let sides = dimension.is_one() && scale.is_closed();
            if !dimension.complete && !sides {
                return Ok(frontier.is_empty());
            }
            let mut next = RoaringBitmap::new();
            for x in &frontier {
                self.meter.tick()?;
                let c = self.coordinate(d, InstanceId(x));
                let fixed = |value: u32| inexact || scale.is_fixed(value);
                let complete = dimension.complete && c.positives.iter().all(|r| fixed(r.value));
                let one = match &c.shape {
                    super::coordinate::Shape::Sides(sides) => sides
                        .iter()
                        .all(|side| c.counting(side, 0.0).any(|r| fixed(r.value))),
                    super::coordinate::Shape::Loose { .. } => false,
                };
                if !complete && !one {
                    return Ok(false);
                }
                next.extend(c.positives.iter().map(|r| r.value));
            }
            frontier = next;
        }
        Ok(true)
    }
}

/// What an extremum said with its winners; none if it has none.
pub(super) fn caveat_of(evaluated: &Evaluated) -> Option<&Caveat> {
    match &evaluated.outcome {
        Outcome::Answer(Answer::Set(set)) => Some(&set.caveat),
        Outcome::Answer(Answer::Rows(rows)) => Some(&rows.caveat),
        _ => None,
    }
}
