//! The program `latweave`.

use std::process::ExitCode;
use std::thread;

/// Enough for whatever the limits of the language allow, however small the stack
/// is that the shell gives. Only what is touched costs memory.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let work = || latweave::shell::main(std::env::args_os());
    let ended = thread::Builder::new()
        .stack_size(STACK)
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
