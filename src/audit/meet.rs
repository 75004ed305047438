//! MEET: hits, conflicts, the irreducible set of an empty one.

use super::audit::Audit;
use super::judged::Judged;
use super::query::{Asked, Condition, Form, Meet, Returns};
use super::truth::Truth;
use crate::lattice::InstanceId;
use crate::syntax::print_constraint;
use crate::syntax::tree::Constraint;
use crate::verdict::{Abstention, Answer, Caveat, Members, Needed, Outcome, Reason, SetAnswer};
use roaring::RoaringBitmap;
use std::rc::Rc;
use std::sync::Arc;

/// What looking at every instance gave.
#[derive(Debug)]
pub(super) struct MeetRun {
    /// The members of the outermost AND-list, bounds on one path joined.
    pub(super) members: Vec<Judged>,
    /// Certain hits, ascending; none where the list is in conflict.
    pub(super) hits: Vec<u32>,
    /// Instances that are neither certain hits nor excluded, ascending.
    pub(super) possible: Vec<u32>,
}

impl Audit<'_> {
    /// Judges every instance.
    ///
    /// # Errors
    /// The reason of an inner query that is the whole query's.
    pub(super) fn run(&self, asked: &Arc<Asked>, meet: &Meet) -> Result<Rc<MeetRun>, Reason> {
        if let Some(known) = self.meets.borrow().get(&asked.text) {
            return known.clone();
        }
        let found = self.run_now(meet).map(Rc::new);
        let mut meets = self.meets.borrow_mut();
        meets.insert(asked.text.clone(), found.clone());
        found
    }

    fn run_now(&self, meet: &Meet) -> Result<MeetRun, Reason> {
        let members = self.judge_list(&meet.list, meet.confidence)?;
        let truths = self.together(&members, |of| Truth::all(of.iter().copied()));
        let conflicts = self.conflicts(&meet.list).unwrap_or_default();
        let those = |wanted: Truth| {
            (0u32..)
                .zip(&truths)
                .filter(|(_, truth)| **truth == wanted)
                .map(|(x, _)| x)
                .collect::<Vec<u32>>()
        };
        Ok(MeetRun {
            hits: match conflicts.is_empty() {
                true => those(Truth::Certain),
                false => Vec::new(),
            },
            possible: those(Truth::Possible),
            members,
        })
    }

    /// What a MEET ends in.
    pub(super) fn meet_outcome(&self, asked: &Arc<Asked>, meet: &Meet) -> Outcome {
        match self.meet_answer(asked, meet) {
            Ok(answer) => Outcome::Answer(answer),
            Err(reason) => Outcome::Abstention(Abstention { reason }),
        }
    }

    fn meet_answer(&self, asked: &Arc<Asked>, meet: &Meet) -> Result<Answer, Reason> {
        let conflict = self.conflicts(&meet.list).map(Reason::Conflict);
        let run = match self.run(asked, meet) {
            Ok(run) => run,
            Err(inner) => {
                let all: Vec<Reason> = [inner].into_iter().chain(conflict).collect();
                let first = Reason::first_class(all);
                return Err(first.unwrap_or(Reason::EmptyLattice));
            }
        };
        if let Some(conflict) = conflict {
            return Err(conflict);
        }
        if run.hits.is_empty() {
            return Err(self.empty(meet));
        }
        let possibly = self.marked(asked, &run.hits);
        match &meet.returns {
            Returns::Instances => Ok(Answer::Set(SetAnswer {
                members: Members::Instances(bitmap(&run.hits)),
                possibly,
                without_value: 0,
                contested: RoaringBitmap::new(),
                caveat: Caveat::default(),
            })),
            Returns::Paths(paths) => self.returned(
                paths,
                &run.hits,
                meet.confidence,
                possibly,
                Caveat::default(),
            ),
            Returns::Count(path) => self.counted(path.as_ref(), &run, meet.confidence, possibly),
        }
    }

    /// The hits that are none once every POSSIBLY is read as its constraint
    /// alone.
    pub(super) fn marked(&self, asked: &Arc<Asked>, hits: &[u32]) -> RoaringBitmap {
        if !asked.says_possibly() {
            return RoaringBitmap::new();
        }
        let plain = asked.without_possibly();
        let firm: Vec<u32> = match &plain.form {
            Form::Meet(meet) => match self.run(&plain, meet) {
                Ok(run) => run.hits.clone(),
                Err(_) => Vec::new(),
            },
            Form::Compare(_) => match self.extremum(&plain) {
                Ok(decided) => decided.winners.into_iter().collect(),
                Err(_) => Vec::new(),
            },
            Form::Decline(_) => Vec::new(),
        };
        bitmap(hits) - bitmap(&firm)
    }

    /// An irreducible set of constraints without a common hit: each is dropped
    /// in turn if what remains still has none.
    fn empty(&self, meet: &Meet) -> Reason {
        let mut needed: Vec<Condition> = meet.list.clone();
        let mut at = 0;
        while at < needed.len() {
            let mut rest = needed.clone();
            rest.remove(at);
            match self.hits_of(&rest, meet.confidence) {
                0 => needed = rest,
                _ => at += 1,
            }
        }
        let constraints = (0..needed.len()).filter_map(|k| {
            let mut rest = needed.clone();
            let dropped = rest.remove(k);
            Some(Needed {
                constraint: print_constraint(source_of(&dropped)?),
                hits_without: self.hits_of(&rest, meet.confidence),
            })
        });
        Reason::Empty {
            constraints: constraints.collect(),
        }
    }

    fn hits_of(&self, list: &[Condition], t: f64) -> u64 {
        match self.judge_list(list, t) {
            Ok(members) => {
                let truths = self.together(&members, |of| Truth::all(of.iter().copied()));
                truths.iter().filter(|t| **t == Truth::Certain).count() as u64
            }
            Err(_) => 0,
        }
    }
}

/// A condition as written; the first of several joined ones.
pub(super) fn source_of(condition: &Condition) -> Option<&Constraint> {
    match condition {
        Condition::All(_, source)
        | Condition::Any(_, source)
        | Condition::Not(_, source)
        | Condition::Possibly(_, source) => Some(source),
        Condition::Test(test) => test.source.first(),
    }
}

pub(super) fn bitmap(instances: &[u32]) -> RoaringBitmap {
    instances.iter().copied().collect()
}

/// Instances as their own type.
pub(super) fn instance_ids(instances: &[u32]) -> Vec<InstanceId> {
    instances.iter().map(|&i| InstanceId(i)).collect()
}
