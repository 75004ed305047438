//! Inner queries as sets: certain members, possible members, and whether a
//! value that nobody recorded might belong to them.

use super::audit::Audit;
use super::coordinate::Coordinate;
use super::query::{Asked, Compare, Form, Meet, Members, Returns, SetKind, Steps};
use super::resolve_sets::kind_of_set;
use crate::lattice::{DimensionId, InstanceId};
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
    pub(super) closed: bool,
}

impl SetValue {
    pub(super) fn instances(certain: BTreeSet<u32>, possible: BTreeSet<u32>) -> SetValue {
        SetValue {
            kind: SetKind::Instances,
            certain,
            possible,
            texts: BTreeSet::new(),
            possible_texts: BTreeSet::new(),
            closed: true,
        }
    }

    fn certain_count(&self) -> usize {
        self.certain.len() + self.texts.len()
    }

    fn has_possible(&self) -> bool {
        !self.possible.is_empty() || !self.possible_texts.is_empty()
    }
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
                of, by, returns, ..
            }) => self.extremum_set(asked, of, by, returns),
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
        set.closed = starts.iter().all(|&x| self.knows(x, path));
        if path.name {
            set.texts = self.names_of(&found);
            let all = self.names_of(&all);
            set.possible_texts = all.difference(&set.texts).cloned().collect();
        } else {
            set.possible = all.difference(&found).copied().collect();
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

    /// Whether a path is known completely for an instance.
    fn knows(&self, x: u32, path: &Steps) -> bool {
        let mut at = BTreeSet::from([x]);
        for column in path.dimensions.iter().filter_map(|&d| self.facts.column(d)) {
            let mut next = BTreeSet::new();
            for &y in &at {
                let coordinate = Coordinate::new(column, y);
                let fixed = |value: u32| column.is_fixed(value);
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

    /// Winners are certain; those that could win are possible.
    fn extremum_set(
        &self,
        asked: &Arc<Asked>,
        of: &Members,
        by: &Steps,
        returns: &Returns,
    ) -> Result<SetValue, Reason> {
        let candidates = match of {
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
        let decided = self.extremum(asked);
        let (winners, possible) = match decided {
            Ok(decided) => {
                let open = !self.open_steps(by).is_empty();
                let rest: BTreeSet<u32> = match open {
                    true => all.difference(&decided.winners).copied().collect(),
                    false => decided.could_change.iter().copied().collect(),
                };
                (decided.winners, rest)
            }
            Err(reason) if is_no_member(&reason) => (BTreeSet::new(), all),
            Err(reason) => return Err(reason),
        };
        Ok(match returns {
            Returns::Paths(paths) => match paths.as_slice() {
                [path] => self.returned_set(path, &winners, &possible, 0.0),
                _ => nothing(SetKind::None),
            },
            _ => SetValue::instances(winners, possible),
        })
    }

    /// The only member of a set that is to be a bound, as a value of its own
    /// dimension; none if there is none, or if others are possible.
    pub(super) fn only_member(
        &self,
        asked: &Arc<Asked>,
    ) -> Result<Option<(DimensionId, u32)>, Reason> {
        let set = self.set(asked)?;
        let SetKind::Values(d) = set.kind else {
            return Ok(None);
        };
        if set.certain_count() > 1 {
            return Err(Reason::Ambiguous(vec![Ambiguity {
                word: asked.text.clone(),
                readings: self.readings_of(&set),
            }]));
        }
        match set.certain.first() {
            Some(&value) if !set.has_possible() => Ok(Some((d, value))),
            _ => Ok(None),
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
