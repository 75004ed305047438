//! The program `latweave`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(latweave::shell::main(std::env::args_os()).status())
}
