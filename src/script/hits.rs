//! Walking an answer with its evidence.

use super::because::{Reasons, Saying};
use crate::lattice::{InstanceId, Lattice};
use crate::syntax::tree::Query;
use crate::verdict::{Answer, Members, Outcome, Verdict};
use std::sync::Arc;

/// An instance that answers a query.
#[derive(Clone)]
pub struct Hit<'a> {
    lattice: &'a Lattice,
    query: Arc<Query>,
    instance: InstanceId,
    possibly: bool,
}

impl Hit<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.lattice.name(self.instance)
    }
    /// Its id.
    pub fn id(&self) -> &str {
        self.lattice.id(self.instance)
    }
    /// Its number in this lattice.
    pub fn instance(&self) -> InstanceId {
        self.instance
    }
    /// What the sources say that make it a hit.
    pub fn evidence(&self) -> Vec<Saying> {
        Reasons::default().of_instance(self.lattice, &self.query, self.instance)
    }
    /// Whether it is a hit only thanks to POSSIBLY.
    pub fn is_possible(&self) -> bool {
        self.possibly
    }
}

/// The hits of an answer, in canonical order.
pub struct Hits<'a> {
    lattice: &'a Lattice,
    verdict: &'a Verdict,
    members: roaring::bitmap::Iter<'a>,
}

impl Verdict {
    /// The instances that answer the query, each with its evidence. None for an
    /// abstention, and for answers that are no set of instances.
    pub fn hits<'a>(&'a self, lattice: &'a Lattice) -> Hits<'a> {
        static NOBODY: std::sync::LazyLock<roaring::RoaringBitmap> =
            std::sync::LazyLock::new(roaring::RoaringBitmap::new);
        let members = match &self.outcome {
            Outcome::Answer(Answer::Set(set)) => match &set.members {
                Members::Instances(all) => all.iter(),
                _ => NOBODY.iter(),
            },
            _ => NOBODY.iter(),
        };
        Hits {
            lattice,
            verdict: self,
            members,
        }
    }
}

impl<'a> Iterator for Hits<'a> {
    type Item = Hit<'a>;

    fn next(&mut self) -> Option<Hit<'a>> {
        let i = self.members.next()?;
        let possibly = match &self.verdict.outcome {
            Outcome::Answer(Answer::Set(set)) => set.possibly.contains(i),
            _ => false,
        };
        Some(Hit {
            lattice: self.lattice,
            query: self.verdict.query.clone(),
            instance: InstanceId(i),
            possibly,
        })
    }
}
