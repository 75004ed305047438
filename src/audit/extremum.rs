//! COMPARE MAX and MIN: whom none of the others beats.

use super::audit::Audit;
use super::meet::instance_ids;
use super::query::{Asked, Compare, Form, Operand, Returns, Steps};
use super::reading::{Read, Reading, is_fixed, reading_of};
use super::spans::Span;
use crate::lattice::{InstanceId, Value};
use crate::syntax::tree::Extreme;
use crate::verdict::{Answer, Caveat, Members, Reason, SetAnswer, Who};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who won.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    pub(super) winners: BTreeSet<u32>,
    /// Possible candidates that are not certainly beaten.
    pub(super) could_change: BTreeSet<u32>,
    /// Tied winners whose intervals are wide.
    pub(super) equal_as_recorded: bool,
}

impl Audit<'_> {
    pub(super) fn extremum_answer(&self, asked: &Arc<Asked>) -> Result<Answer, Reason> {
        let Form::Compare(Compare::Extremum {
            by, count, returns, ..
        }) = &asked.form
        else {
            return Err(Reason::EmptyLattice);
        };
        let decided = self.extremum(asked)?;
        let winners: Vec<u32> = decided.winners.iter().copied().collect();
        let caveat = Caveat {
            open: match count {
                true => Vec::new(),
                false => self.open_steps(by),
            },
            could_change: decided.could_change.iter().copied().collect(),
            equal_as_recorded: decided.equal_as_recorded,
            unclosed: false,
        };
        let possibly = self.marked(asked, &winners);
        match returns {
            Returns::Paths(paths) => self.returned(paths, &winners, 0.0, possibly, caveat),
            _ => Ok(Answer::Set(SetAnswer {
                members: Members::Instances(winners.iter().copied().collect()),
                possibly,
                without_value: 0,
                contested: RoaringBitmap::new(),
                caveat,
            })),
        }
    }

    /// Decides an extremum.
    ///
    /// # Errors
    /// Why there is no winner.
    pub(super) fn extremum(&self, asked: &Arc<Asked>) -> Result<Decided, Reason> {
        let Form::Compare(Compare::Extremum {
            extreme,
            of,
            by,
            count,
            ..
        }) = &asked.form
        else {
            return Err(Reason::EmptyLattice);
        };
        let set = self.operand_set(of)?;
        if *count {
            return self.by_count(*extreme, &set.certain, &set.possible, by);
        }
        self.by_value(*extreme, &set.certain, &set.possible, by)
    }

    fn by_value(
        &self,
        extreme: Extreme,
        certain: &BTreeSet<u32>,
        possible: &BTreeSet<u32>,
        by: &Steps,
    ) -> Result<Decided, Reason> {
        let read = |x: u32| reading_of(self.facts, &Operand::Instance(x), by);
        let readings: BTreeMap<u32, Reading> = certain.iter().map(|&x| (x, read(x))).collect();
        let missing: Vec<u32> = readings
            .iter()
            .filter(|(_, reading)| reading.values.is_empty())
            .map(|(x, _)| *x)
            .collect();
        if !missing.is_empty() {
            return Err(Reason::Missing {
                path: by.text.clone(),
                instances: instance_ids(&missing),
            });
        }
        let field: Vec<(u32, Contender)> = readings
            .iter()
            .filter_map(|(&x, reading)| Some((x, Contender::new(extreme, reading)?)))
            .collect();
        let best = Best::of(&field);
        let winners: BTreeSet<u32> = field
            .iter()
            .filter(|(x, contender)| best.leaves_winning(*x, contender, &field))
            .map(|(x, _)| *x)
            .collect();
        if winners.is_empty() {
            return Err(self.no_winner(&readings, &field, &best, by));
        }
        let winning: Vec<&Contender> = field
            .iter()
            .filter(|(x, _)| winners.contains(x))
            .map(|(_, contender)| contender)
            .collect();
        let could_change = possible.iter().copied().filter(|&m| {
            let reading = read(m);
            match Contender::new(extreme, &reading) {
                Some(contender) if !reading.contested => {
                    !winning.iter().any(|winner| winner.beats(&contender))
                }
                _ => true,
            }
        });
        let wide = match (self.last_of(by), winning.first()) {
            (Some((_, column)), Some(winner)) => winner
                .single
                .as_ref()
                .is_some_and(|span| !is_fixed(column, &Read::Span(span.clone()))),
            _ => false,
        };
        Ok(Decided {
            could_change: could_change.collect(),
            equal_as_recorded: winners.len() > 1 && wide,
            winners,
        })
    }

    /// Names those that none of the others certainly beats.
    fn no_winner(
        &self,
        readings: &BTreeMap<u32, Reading>,
        field: &[(u32, Contender)],
        best: &Best,
        by: &Steps,
    ) -> Reason {
        let mut contested = false;
        let mut sides = Vec::new();
        for (x, contender) in field {
            let Some(reading) = readings
                .get(x)
                .filter(|_| !best.beats(*x, contender, field))
            else {
                continue;
            };
            contested |= reading.contested;
            sides.push((
                Who::Instance(InstanceId(*x)),
                self.printed_reading(by, reading),
            ));
        }
        Reason::Incomparable {
            path: by.text.clone(),
            contested,
            sides,
        }
    }

    fn by_count(
        &self,
        extreme: Extreme,
        certain: &BTreeSet<u32>,
        possible: &BTreeSet<u32>,
        by: &Steps,
    ) -> Result<Decided, Reason> {
        let counts = self.counts(certain.iter().copied(), possible.len(), by)?;
        let numbers = counts.values().copied();
        let best = match extreme {
            Extreme::Max => numbers.max(),
            Extreme::Min => numbers.min(),
        };
        let winners = counts.iter().filter(|(_, count)| Some(**count) == best);
        Ok(Decided {
            winners: winners.map(|(x, _)| *x).collect(),
            could_change: BTreeSet::new(),
            equal_as_recorded: false,
        })
    }

    /// An interval in the base unit as a value of its dimension.
    pub(super) fn span_value(&self, column: &super::facts::Column, span: &Span) -> Option<Value> {
        super::print::span_value(column, span)
    }
}

/// A candidate: its span, turned so that more is better, and its single value.
struct Contender {
    span: Span,
    extreme: Extreme,
    single: Option<Span>,
}

impl Contender {
    fn new(extreme: Extreme, reading: &Reading) -> Option<Contender> {
        let spans = reading.spans();
        let (first, rest) = spans.split_first()?;
        let span = rest
            .iter()
            .fold((*first).clone(), |hull, span| hull.hull(span));
        let single = match reading.single() {
            Some(Read::Span(span)) => Some(span.clone()),
            _ => None,
        };
        Some(Contender {
            span,
            extreme,
            single,
        })
    }

    fn beats(&self, other: &Contender) -> bool {
        match self.extreme {
            Extreme::Max => self.span.low > other.span.high,
            Extreme::Min => self.span.high < other.span.low,
        }
    }

    fn ties(&self, other: &Contender) -> bool {
        self.single.is_some() && self.single == other.single
    }
}

/// Whoever cannot be beaten by anyone but itself: it decides quickly for most
/// of a large field whether they are beaten.
struct Best {
    /// The candidate whose worse end is best.
    ahead: Option<u32>,
}

impl Best {
    fn of(field: &[(u32, Contender)]) -> Best {
        let mut ahead: Option<&(u32, Contender)> = None;
        for candidate in field {
            let better = match (ahead, candidate.1.extreme) {
                (None, _) => true,
                (Some(best), Extreme::Max) => candidate.1.span.low > best.1.span.low,
                (Some(best), Extreme::Min) => candidate.1.span.high < best.1.span.high,
            };
            if better {
                ahead = Some(candidate);
            }
        }
        Best {
            ahead: ahead.map(|(x, _)| *x),
        }
    }

    /// Whether some other candidate beats this one: if any does, the one ahead
    /// does.
    fn beats(&self, x: u32, contender: &Contender, field: &[(u32, Contender)]) -> bool {
        let ahead = field.iter().find(|(y, _)| Some(*y) == self.ahead);
        ahead.is_some_and(|(y, best)| *y != x && best.beats(contender))
    }

    /// Whether this one beats or ties with every other.
    fn leaves_winning(&self, x: u32, contender: &Contender, field: &[(u32, Contender)]) -> bool {
        !self.beats(x, contender, field)
            && field
                .iter()
                .all(|(y, other)| *y == x || contender.beats(other) || contender.ties(other))
    }
}
