//! Threads for work whose results are taken in order.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::thread;

/// More threads than this are never made.
const MOST: usize = 64;

/// So many pieces of work are begun for each thread before the first is taken: the
/// others go on while one takes long, and what waits is bounded.
const AHEAD: usize = 8;

/// Room for whatever the limits of the language allow. Only what is touched costs
/// memory.
const STACK: usize = 64 << 20;

/// Threads, and how many pieces of work may be begun and not yet taken.
pub struct Threads {
    /// What the work is given to.
    pub pool: ThreadPool,
    /// At least one.
    pub window: usize,
}

impl Threads {
    /// So many threads, one for each core if that is not said, and no more than there
    /// are pieces of work. `None` if one suffices, or if the machine gives no more: the
    /// work is then done piece by piece.
    pub fn new(wanted: Option<NonZeroUsize>, pieces: usize) -> Option<Threads> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = wanted.map_or_else(cores, usize::from).min(MOST).min(pieces);
        if threads < 2 {
            return None;
        }
        let builder = ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK);
        Some(Threads {
            pool: builder.build().ok()?,
            window: threads * AHEAD,
        })
    }
}
