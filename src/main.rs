//! The program `latweave`.

mod memory;

use std::process::ExitCode;
use std::thread;

/// Enough for whatever the limits of the language allow, however small the stack
/// is that the shell gives. Only what is touched costs memory.
const STACK: usize = 256 << 20;
/// Where memory is limited the stack, touched or not, may take this part of it.
const PART: u64 = 8;

fn main() -> ExitCode {
    let work = || latweave::shell::main(std::env::args_os());
    let part = memory::limit().map_or(u64::MAX, |limit| limit / PART);
    let stack = usize::try_from(part).map_or(STACK, |part| part.min(STACK));
    let ended = thread::Builder::new()
        .stack_size(stack)
        .spawn(work)
        .map(thread::JoinHandle::join);
    match ended {
        Ok(Ok(exit)) => ExitCode::from(exit.status()),
        // Its own message has been printed.
        Ok(Err(_)) => ExitCode::from(1),
        // No thread is to be had: the stack that is there must do.
        Err(_) => ExitCode::from(work().status()),
    }
}
