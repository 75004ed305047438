//! How long each stage of building takes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long each stage took that makes a lattice of what a builder has been told. Some
/// run at the same time, so that their sum may be more than the time that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Ordering and writing names.
    pub names: Duration,
    /// Sorting facts, values and sources.
    pub sorting: Duration,
    /// Laying out facts by instance and by value.
    pub postings: Duration,
    /// Compressing source texts.
    pub evidence: Duration,
    /// The content hash.
    pub hashing: Duration,
    /// Writing the file.
    pub writing: Duration,
}

/// A stage of building.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    Names,
    Sorting,
    Postings,
    Evidence,
    Hashing,
    Writing,
}

/// Adds up times.
#[derive(Debug, Default)]
pub(super) struct Clock(Mutex<Timings>);

impl Clock {
    /// Does something, and takes its time down.
    pub(super) fn time<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        let mut timings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match stage {
            Stage::Names => &mut timings.names,
            Stage::Sorting => &mut timings.sorting,
            Stage::Postings => &mut timings.postings,
            Stage::Evidence => &mut timings.evidence,
            Stage::Hashing => &mut timings.hashing,
            Stage::Writing => &mut timings.writing,
        };
        *slot += start.elapsed();
        done
    }

    pub(super) fn timings(&self) -> Timings {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
