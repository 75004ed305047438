//! Walking an answer with its evidence.

use super::because::{self, Reasons, Saying};
use crate::engine::Budget;
use crate::lattice::{InstanceId, Lattice};
use crate::verdict::{Answer, Members, Outcome, SetAnswer, Verdict};
use std::cell::OnceCell;
use std::rc::Rc;

/// The first hits whose evidence is looked up together: what a page shows. Each batch
/// after it has twice as many as the one before.
const FIRST_BATCH: usize = 20;

/// No batch has more. What a query has inside is evaluated once for each.
const BATCH: usize = 256;

/// The hits of an answer, in canonical order.
pub struct Hits<'a> {
    lattice: &'a Lattice,
    verdict: &'a Verdict,
    /// Hits that have not been given out; none for another kind of answer.
    rest: Option<roaring::bitmap::Iter<'a>>,
    batch: Rc<Batch>,
    next: usize,
}

/// Some hits, and their evidence once one of them is asked for it.
#[derive(Default)]
struct Batch {
    members: Vec<InstanceId>,
    evidence: OnceCell<Vec<Vec<Saying>>>,
}

/// An instance that answers a query.
#[derive(Clone)]
pub struct Hit<'a> {
    lattice: &'a Lattice,
    verdict: &'a Verdict,
    instance: InstanceId,
    batch: Rc<Batch>,
    place: usize,
}

impl<'a> Hit<'a> {
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.lattice.name(self.instance)
    }

    /// Its id.
    pub fn id(&self) -> &'a str {
        self.lattice.id(self.instance)
    }

    /// Its number in this lattice.
    pub fn instance(&self) -> InstanceId {
        self.instance
    }

    /// Whether it is a hit only thanks to POSSIBLY.
    pub fn is_possible(&self) -> bool {
        set_of(self.verdict).is_some_and(|set| set.possibly.contains(self.instance.0))
    }

    /// What the sources say that make it a hit, each once.
    pub fn evidence(&self) -> &[Saying] {
        let all = self.batch.evidence.get_or_init(|| {
            let plan = because::plan(self.lattice, self.verdict);
            let budget = Budget::unlimited();
            let reasons = Reasons::of(self.lattice, self.verdict, plan.as_ref(), &budget);
            let members = self.batch.members.iter();
            members
                .map(|i| reasons.of_instance(self.lattice, *i))
                .collect()
        });
        all.get(self.place).map_or(&[], Vec::as_slice)
    }
}

fn set_of(verdict: &Verdict) -> Option<&SetAnswer> {
    match &verdict.outcome {
        Outcome::Answer(Answer::Set(set)) => Some(set),
        _ => None,
    }
}

impl Verdict {
    /// The instances that answer the query, each with its evidence. None for an
    /// abstention, and for answers that are no set of instances.
    pub fn hits<'a>(&'a self, lattice: &'a Lattice) -> Hits<'a> {
        let rest = set_of(self).and_then(|set| match &set.members {
            Members::Instances(all) => Some(all.iter()),
            _ => None,
        });
        Hits {
            lattice,
            verdict: self,
            rest,
            batch: Rc::default(),
            next: 0,
        }
    }
}

impl<'a> Iterator for Hits<'a> {
    type Item = Hit<'a>;

    fn next(&mut self) -> Option<Hit<'a>> {
        if self.next >= self.batch.members.len() {
            let rest = self.rest.as_mut()?;
            let size = match self.batch.members.len() {
                0 => FIRST_BATCH,
                before => (2 * before).min(BATCH),
            };
            self.batch = Rc::new(Batch {
                members: rest.take(size).map(InstanceId).collect(),
                evidence: OnceCell::new(),
            });
            self.next = 0;
        }
        let place = self.next;
        let instance = *self.batch.members.get(place)?;
        self.next += 1;
        Some(Hit {
            lattice: self.lattice,
            verdict: self.verdict,
            instance,
            batch: self.batch.clone(),
            place,
        })
    }
}
