//! What a query may use, and the word to stop.

use super::RunError;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits on one query. Running out of one is an error, never an abstention.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    time: Option<Duration>,
    memory: Option<u64>,
    cancel: Vec<Arc<AtomicBool>>,
}

impl Budget {
    /// No limit and no way to cancel.
    pub fn unlimited() -> Self {
        Budget::default()
    }
    /// At most so much time.
    pub fn with_time(mut self, limit: Duration) -> Self {
        self.time = Some(limit);
        self
    }
    /// At most so many bytes of intermediate results, as the engine accounts
    /// for them.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }
    /// Stop when the flag becomes true; of several flags, when one does.
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel.push(flag);
        self
    }
    /// Whether a flag has become true.
    pub fn is_cancelled(&self) -> bool {
        let mut flags = self.cancel.iter();
        flags.any(|flag| flag.load(Ordering::Relaxed))
    }
}

/// A budget being used.
pub struct Meter {
    budget: Budget,
    started: Instant,
    used: Cell<u64>,
    ticks: Cell<u32>,
}

/// How many ticks pass between two looks at the clock.
const TICKS: u32 = 1024;

impl Meter {
    /// Starts the clock.
    pub fn new(budget: &Budget) -> Self {
        Meter {
            budget: budget.clone(),
            started: Instant::now(),
            used: Cell::new(0),
            ticks: Cell::new(0),
        }
    }

    /// Called in every loop whose length depends on the data.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn tick(&self) -> Result<(), RunError> {
        let ticks = self.ticks.get().wrapping_add(1);
        self.ticks.set(ticks);
        if ticks.is_multiple_of(TICKS) {
            self.check()
        } else {
            Ok(())
        }
    }

    /// Looks at the flag and the clock now.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn check(&self) -> Result<(), RunError> {
        if self.budget.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        match self.budget.time {
            Some(limit) if self.started.elapsed() > limit => Err(RunError::OutOfTime { limit }),
            _ => Ok(()),
        }
    }

    /// Accounts for bytes of an intermediate result.
    ///
    /// # Errors
    /// If they are more than the budget allows.
    pub fn spend(&self, bytes: u64) -> Result<(), RunError> {
        let used = self.used.get().saturating_add(bytes);
        self.used.set(used);
        match self.budget.memory {
            Some(limit) if used > limit => Err(RunError::OutOfMemory { limit }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_several_flags_stops() {
        let flags = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let budget = flags
            .iter()
            .fold(Budget::unlimited(), |b, flag| b.with_cancel(flag.clone()));
        let meter = Meter::new(&budget);
        for flag in &flags {
            assert!(meter.check().is_ok());
            flag.store(true, Ordering::Relaxed);
            assert!(matches!(meter.check(), Err(RunError::Cancelled)));
            flag.store(false, Ordering::Relaxed);
        }
    }
}
