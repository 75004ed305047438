//! Work on all processors, or on this one thread where the system gives no more.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Does work that may divide itself (with rayon): among the threads of the pool that
/// the caller is in, else among as many as there are processors. Where the system gives
/// no threads, for memory or their number is limited, this one does it all.
pub(super) fn divided<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match pool() {
        Some(pool) => pool.install(work),
        None => {
            let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
            match alone.build() {
                Ok(pool) => pool.install(work),
                Err(_) => work(),
            }
        }
    }
}

/// Does work on another thread, if there is one, beside that of this one.
pub(crate) fn beside<R>(there: impl FnOnce() + Send, here: impl FnOnce() -> R) -> R {
    if rayon::current_thread_index().is_some() {
        return rayon::in_place_scope(|scope| {
            scope.spawn(|_| there());
            here()
        });
    }
    match pool() {
        Some(pool) => pool.in_place_scope(|scope| {
            scope.spawn(|_| there());
            here()
        }),
        None => {
            there();
            here()
        }
    }
}

/// As many threads as there are processors; none where the system gives none.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let pool = POOL.get_or_init(|| ThreadPoolBuilder::new().build().ok());
    pool.as_ref()
}
