//! The end of memory: a sentence and an exit status, where a signal would say nothing.
//! What was being written is as it was, as after any other sudden end.

use std::alloc::{GlobalAlloc, Layout, System};

/// What is said; nothing may be allocated to say it.
const SENTENCE: &str = "error: the machine, or the limit set for it, gives the program no more memory\n\
    help: raise the limit (ulimit -v), ask for less at once (--threads 1, --memory-limit), or build in parts; \
    files are as they were\n";

/// The system's memory, which is there or ends the program.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

// SAFETY: each call goes on to the system as it came, and what the system gives goes back
// as it is, unless it is nothing: then there is no way back.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        there(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        there(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        there(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

fn there(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        exhausted();
    }
    memory
}

#[cold]
fn exhausted() -> ! {
    tell(SENTENCE);
    std::process::exit(i32::from(latweave::shell::Exit::Spent.status()))
}

/// Writes to standard error past the lock and the buffers of the library, which whoever
/// asked for memory may hold.
#[cfg(unix)]
fn tell(sentence: &str) {
    // Where standard error is gone there is nobody to tell.
    let _ = rustix::io::write(rustix::stdio::stderr(), sentence.as_bytes());
}

#[cfg(not(unix))]
fn tell(_sentence: &str) {}

/// The limit of the memory that the program may map, in bytes.
#[cfg(unix)]
pub fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
pub fn limit() -> Option<u64> {
    None
}
