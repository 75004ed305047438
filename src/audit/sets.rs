//! Inner queries as sets: certain members, possible members, and whether a
//! value that nobody recorded might belong to them.

use super::audit::Audit;
use super::coordinate::Coordinate;
use super::query::{Asked, Compare, Form, Meet, Members, Returns, SetKind, Steps};
use super::reading::{Read, legs};
use super::resolve_sets::kind_of_set;
use super::spans::Span;
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::verdict::{Ambiguity, Outcome, Reason, Who};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The members of a set.
#[derive(Clone, Debug)]
pub(super) struct SetValue {
    pub(super) kind: SetKind,
    /// Instances, or values by number.
    pub(super) certain: BTreeSet<u32>,
    pub(super) possible: BTreeSet<u32>,
    /// Members that are names.
    pub(super) texts: BTreeSet<String>,
    pub(super) possible_texts: BTreeSet<String>,
    /// An interval that is no recorded value, in the base unit: the only member of a bound.
    pub(super) interval: Option<Span>,
    pub(super) possible_interval: Option<Span>,
    pub(super) closed: bool,
    /// Whether it is closed but for how exact its recorded values are.
    known: bool,
    /// Uncontested values that RETURN leaves out because a more specific one is
    /// recorded beside them; among the possible members.
    less_specific: BTreeSet<u32>,
    less_specific_texts: BTreeSet<String>,
    /// Whether its certain members are so in every completion of the facts, and
    /// not merely as recorded, as winners are that another could still beat.
    firm: bool,
}

impl SetValue {
    pub(super) fn instances(certain: BTreeSet<u32>, possible: BTreeSet<u32>) -> SetValue {
        SetValue {
            kind: SetKind::Instances,
            certain,
            possible,
            texts: BTreeSet::new(),
            possible_texts: BTreeSet::new(),
            interval: None,
            possible_interval: None,
            closed: true,
            known: true,
            less_specific: BTreeSet::new(),
            less_specific_texts: BTreeSet::new(),
            firm: true,
        }
    }

    /// A set without members yet, that is known completely or not at all.
    pub(super) fn of_kind(kind: SetKind, firm: bool) -> SetValue {
        SetValue {
            closed: firm,
            known: firm,
            firm,
            ..nothing(kind)
        }
    }

    /// The set as a constraint takes it. Every recorded value is a member: one
    /// that a more specific value displaces from the answer would else be lost
    /// by learning more. Members as recorded only are possible ones.
    fn firmly(&self) -> SetValue {
        let mut set = self.clone();
        if set.firm {
            set.possible.retain(|v| !self.less_specific.contains(v));
            set.certain.append(&mut set.less_specific);
            let lost = |text: &String| !self.less_specific_texts.contains(text);
            set.possible_texts.retain(lost);
            set.texts.append(&mut set.less_specific_texts);
        } else {
            set.possible.append(&mut set.certain);
            set.possible_texts.append(&mut set.texts);
            set.possible_interval = set.interval.take();
        }
        set
    }

    fn certain_count(&self) -> usize {
        self.certain.len() + self.texts.len() + usize::from(self.interval.is_some())
    }
}

/// What an extremum is asked of.
struct Extremum<'a> {
    of: &'a Members,
    by: &'a Steps,
    count: bool,
    returns: &'a Returns,
}

impl Audit<'_> {
    /// An inner query of a MEET as a set. `empty`, `conflict`, `missing`, and
    /// `incomparable` that came from RETURN leave a set without certain
    /// members.
    ///
    /// # Errors
    /// Any other reason of the inner query, which is the whole query's.
    pub(super) fn set(&self, asked: &Arc<Asked>) -> Result<Rc<SetValue>, Reason> {
        if let Some(known) = self.sets.borrow().get(&asked.text) {
            return known.clone();
        }
        let found = match &asked.form {
            Form::Meet(meet) => self.meet_set(asked, meet),
            Form::Compare(Compare::Extremum {
                of,
                by,
                count,
                returns,
                ..
            }) => {
                let extremum = Extremum {
                    of,
                    by,
                    count: *count,
                    returns,
                };
                self.extremum_set(asked, &extremum)
            }
            Form::Compare(Compare::Bound(bound)) => self.bound_set(bound),
            Form::Compare(_) => Ok(nothing(SetKind::None)),
            Form::Decline(words) => Err(Reason::Declined {
                words: words.clone(),
            }),
        };
        let found = found.map(Rc::new);
        let mut sets = self.sets.borrow_mut();
        sets.insert(asked.text.clone(), found.clone());
        found
    }

    fn meet_set(&self, asked: &Arc<Asked>, meet: &Meet) -> Result<SetValue, Reason> {
        let run = self.run(asked, meet)?;
        let hits: BTreeSet<u32> = run.hits.iter().copied().collect();
        let possible: BTreeSet<u32> = run.possible.iter().copied().collect();
        Ok(match &meet.returns {
            Returns::Paths(paths) => match paths.as_slice() {
                [path] => self.returned_set(path, &hits, &possible, meet.confidence),
                _ => nothing(SetKind::None),
            },
            _ => SetValue::instances(hits, possible),
        })
    }

    /// The values that a path gives from certain and possible hits.
    pub(super) fn returned_set(
        &self,
        path: &Steps,
        hits: &BTreeSet<u32>,
        possible: &BTreeSet<u32>,
        t: f64,
    ) -> SetValue {
        let found = self.ends(&path.dimensions, hits, t);
        let starts: BTreeSet<u32> = hits.union(possible).copied().collect();
        let all = self.all_ends(&path.dimensions, &starts);
        let kind = match (path.name, path.dimensions.last()) {
            (true, _) => SetKind::Texts,
            (false, Some(&d)) if self.facts.column(d).is_some_and(|c| c.is_entity()) => {
                SetKind::Instances
            }
            (false, Some(&d)) => SetKind::Values(d),
            (false, None) => SetKind::None,
        };
        let mut set = nothing(kind);
        set.closed = starts.iter().all(|&x| self.knows(x, path, false));
        set.known = starts.iter().all(|&x| self.knows(x, path, true));
        let recorded = self.follow(&path.dimensions, hits, |coordinate| {
            coordinate.recorded(t).map(|fact| fact.value).collect()
        });
        if path.name {
            set.texts = self.names_of(&found);
            let of = |ends: &BTreeSet<u32>| -> BTreeSet<String> {
                let names = self.names_of(ends);
                names.difference(&set.texts).cloned().collect()
            };
            (set.possible_texts, set.less_specific_texts) = (of(&all), of(&recorded));
        } else {
            set.possible = all.difference(&found).copied().collect();
            set.less_specific = recorded.difference(&found).copied().collect();
            set.certain = found;
        }
        set
    }

    fn names_of(&self, instances: &BTreeSet<u32>) -> BTreeSet<String> {
        instances
            .iter()
            .flat_map(|&i| super::names::names(self.lattice, i))
            .collect()
    }

    /// The values at the end of a path, from certain hits.
    fn ends(&self, steps: &[DimensionId], from: &BTreeSet<u32>, t: f64) -> BTreeSet<u32> {
        self.follow(steps, from, |coordinate| {
            coordinate.step(t).iter().map(|fact| fact.value).collect()
        })
    }

    /// The values at the end of a path, along every positive predicate.
    pub(super) fn all_ends(&self, steps: &[DimensionId], from: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.follow(steps, from, |coordinate| {
            coordinate.positives.iter().map(|fact| fact.value).collect()
        })
    }

    fn follow(
        &self,
        steps: &[DimensionId],
        from: &BTreeSet<u32>,
        values: impl Fn(&Coordinate<'_>) -> Vec<u32>,
    ) -> BTreeSet<u32> {
        let mut at = from.clone();
        for column in steps.iter().filter_map(|&d| self.facts.column(d)) {
            let next = at.iter().flat_map(|&x| values(&Coordinate::new(column, x)));
            at = next.collect();
        }
        at
    }

    /// Whether a path is known completely for an instance; if `inexact`, but for
    /// how exact its last values are.
    pub(super) fn knows(&self, x: u32, path: &Steps, inexact: bool) -> bool {
        let mut at = BTreeSet::from([x]);
        let last = path.dimensions.len().saturating_sub(1);
        let columns = path.dimensions.iter().enumerate();
        for (k, column) in columns.filter_map(|(k, &d)| Some((k, self.facts.column(d)?))) {
            let inexact = inexact && k == last && !path.name;
            let mut next = BTreeSet::new();
            for &y in &at {
                let coordinate = Coordinate::new(column, y);
                let fixed = |value: u32| inexact || column.is_fixed(value);
                let complete =
                    column.complete && coordinate.positives.iter().all(|fact| fixed(fact.value));
                let by_sides = column.has_sides()
                    && coordinate.sides.iter().all(|side| {
                        let firm = coordinate.of_side(side, f64::NEG_INFINITY);
                        firm.iter().any(|fact| fixed(fact.value))
                    });
                if !complete && !by_sides {
                    return false;
                }
                next.extend(coordinate.positives.iter().map(|fact| fact.value));
            }
            at = next;
        }
        true
    }

    /// An inner query as the set of a constraint.
    ///
    /// # Errors
    /// As for [`Audit::set`].
    pub(super) fn constraint_set(&self, asked: &Arc<Asked>) -> Result<SetValue, Reason> {
        Ok(self.set(asked)?.firmly())
    }

    /// Winners are certain; those that could win are possible. The winners are
    /// firm if no other candidate, value or refinement can change who wins.
    fn extremum_set(
        &self,
        asked: &Arc<Asked>,
        extremum: &Extremum<'_>,
    ) -> Result<SetValue, Reason> {
        let candidates = match extremum.of {
            Members::Listed(listed) => {
                SetValue::instances(listed.iter().copied().collect(), BTreeSet::new())
            }
            Members::Asked(inner) => self.set(inner)?.as_ref().clone(),
        };
        let all: BTreeSet<u32> = candidates
            .certain
            .union(&candidates.possible)
            .copied()
            .collect();
        let settled = candidates.firm
            && (extremum.count || self.open_steps(extremum.by).is_empty())
            && self.is_fixed_way(&all, extremum);
        let (winners, possible, firm) = match self.extremum(asked) {
            Ok(decided) if settled => {
                let firm = decided.could_change.is_empty() && !decided.equal_as_recorded;
                (decided.winners, decided.could_change, firm)
            }
            Ok(decided) => {
                let rest = all.difference(&decided.winners).copied().collect();
                (decided.winners, rest, false)
            }
            Err(reason) if is_no_member(&reason) => (BTreeSet::new(), all, true),
            Err(reason) => return Err(reason),
        };
        let set = match extremum.returns {
            Returns::Paths(paths) => match paths.as_slice() {
                [path] => self.returned_set(path, &winners, &possible, 0.0),
                _ => nothing(SetKind::None),
            },
            _ => SetValue::instances(winners, possible),
        };
        Ok(SetValue { firm, ..set })
    }

    /// Whether all values that the readings of candidates pass through are fixed,
    /// and those that are counted.
    fn is_fixed_way(&self, candidates: &BTreeSet<u32>, extremum: &Extremum<'_>) -> bool {
        let steps = &extremum.by.dimensions;
        let through = match extremum.count {
            true => steps.len(),
            false => steps.len().saturating_sub(1),
        };
        let mut at = candidates.clone();
        for column in steps
            .iter()
            .take(through)
            .filter_map(|&d| self.facts.column(d))
        {
            let mut next = BTreeSet::new();
            for &x in &at {
                let coordinate = Coordinate::new(column, x);
                next.extend(legs(&coordinate).iter().map(|fact| fact.value));
            }
            if !next.iter().all(|&value| column.is_fixed(value)) {
                return false;
            }
            at = next;
        }
        true
    }

    /// The only member of a set that is to be a bound, with its interval in the base unit;
    /// none if there is none, or if others are possible or may be
    /// unrecorded.
    pub(super) fn only_member(&self, asked: &Arc<Asked>) -> Result<Option<(Value, Span)>, Reason> {
        let set = self.set(asked)?;
        let SetKind::Values(d) = set.kind else {
            return Ok(None);
        };
        if !set.firm {
            return Ok(None);
        }
        if set.certain_count() > 1 {
            return Err(Reason::Ambiguous(vec![Ambiguity {
                word: asked.text.clone(),
                readings: self.readings_of(&set),
            }]));
        }
        let alone = set.possible.is_subset(&set.less_specific) && set.known;
        match set.certain.first() {
            Some(&value) if alone => {
                let span = self.facts.column(d).and_then(|column| column.span(value));
                Ok(span.map(|span| (self.lattice.value(d, ValueId(value)), span.clone())))
            }
            _ => {
                let interval = set.interval.clone().filter(|_| alone);
                Ok(interval
                    .and_then(|span| Some((self.read_value(d, &Read::Span(span.clone()))?, span))))
            }
        }
    }

    fn readings_of(&self, set: &SetValue) -> Vec<Who> {
        let mut readings: Vec<Who> = set
            .certain
            .iter()
            .map(|&v| match set.kind {
                SetKind::Values(d) => Who::Value(self.printed(d, v), self.dimension_name(d)),
                _ => Who::Instance(InstanceId(v)),
            })
            .collect();
        readings.sort();
        readings
    }

    /// The members of a COMPARE's operand.
    ///
    /// # Errors
    /// The operand's own reason, whichever it is.
    pub(super) fn operand_set(&self, members: &Members) -> Result<Rc<SetValue>, Reason> {
        match members {
            Members::Listed(listed) => {
                let certain = listed.iter().copied().collect();
                Ok(Rc::new(SetValue::instances(certain, BTreeSet::new())))
            }
            Members::Asked(asked) => match self.outcome(asked) {
                Outcome::Abstention(abstention) => Err(abstention.reason),
                Outcome::Answer(_) => self.set(asked),
            },
        }
    }

    /// The kind of an inner query's members.
    pub(super) fn kind_of(&self, members: &Members) -> SetKind {
        match members {
            Members::Listed(_) => SetKind::Instances,
            Members::Asked(asked) => kind_of_set(self.facts, asked),
        }
    }
}

/// Whether a reason leaves a set without certain members inside a MEET; an
/// `incomparable` of COMPARE does not come here.
fn is_no_member(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Empty { .. } | Reason::Conflict(_) | Reason::Missing { .. }
    )
}

fn nothing(kind: SetKind) -> SetValue {
    SetValue {
        kind,
        ..SetValue::instances(BTreeSet::new(), BTreeSet::new())
    }
}
