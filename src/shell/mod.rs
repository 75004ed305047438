//! The program: arguments, commands, the REPL, and everything that is printed.

#![deny(clippy::indexing_slicing)]

pub mod args;
mod ask;
mod batch;
#[cfg(feature = "bench")]
mod bench;
mod build;
mod change;
mod check;
mod diff;
mod documents;
mod draw;
mod eval;
mod explain;
mod fmt;
mod grammar;
mod learn;
mod progress;
mod render;
mod repl;
mod replay;
mod report;
mod results;
mod run;
mod show;
mod source;
mod terminal;
mod test;
mod threads;
mod verify;

pub use terminal::Exit;

use args::{Arguments, Command};
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use terminal::{Failure, Terminal};

/// Runs the program with its arguments, its own name first.
pub fn main(words: impl IntoIterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.into_iter().collect();
    let arguments = match parsed(&words) {
        Ok(arguments) => arguments,
        Err(exit) => return exit,
    };
    let terminal = Terminal::new(arguments.color);
    match perform(arguments, &terminal) {
        Ok(exit) => exit,
        Err(failure) => terminal.tell(failure),
    }
}

/// The arguments, or the end of the program: help, version, wrong usage.
fn parsed(words: &[OsString]) -> Result<Arguments, Exit> {
    let command = Arguments::command().color(colour_of_help(words));
    let matches = command.try_get_matches_from(words).and_then(|matches| {
        let mut matches = matches;
        Arguments::from_arg_matches_mut(&mut matches)
    });
    matches.map_err(|error| {
        // Where nobody reads the help there is nobody to tell.
        let _ = error.print();
        if error.kind() == clap::error::ErrorKind::InvalidSubcommand
            && let Some(tip) = meant(words)
        {
            eprintln!("\n{tip}");
        }
        if error.use_stderr() {
            Exit::Usage
        } else {
            Exit::Done
        }
    })
}

/// What a file in place of a command was meant for.
fn meant(words: &[OsString]) -> Option<String> {
    let mut files = words.iter().skip(1).filter_map(|w| w.to_str());
    let file = files.find(|w| w.ends_with(".lattice") || w.ends_with(".lq"))?;
    let file = terminal::plain(file);
    Some(if file.ends_with(".lq") {
        format!("  tip: `latweave run {file}` runs it")
    } else {
        format!("  tip: `latweave -l {file}` opens it; `latweave run -l {file} -c '…'` asks it")
    })
}

/// `--color` has to hold for help and usage too, which are printed before the
/// arguments are known.
fn colour_of_help(words: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = words.iter().filter_map(|w| w.to_str()).collect();
    let after = words.windows(2).find_map(|pair| match pair {
        ["--color", when] => Some(*when),
        _ => None,
    });
    let joined = words.iter().find_map(|w| w.strip_prefix("--color="));
    match after.or(joined) {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

fn perform(arguments: Arguments, terminal: &Terminal) -> Result<Exit, Failure> {
    let Arguments {
        lattice, command, ..
    } = arguments;
    match command {
        None if io::stdin().is_terminal() => repl::run(lattice.as_deref(), terminal),
        None => run::run_standard_input(lattice.as_deref(), terminal),
        Some(Command::Run(mut a)) => {
            a.lattice = a.lattice.or(lattice);
            run::run(&a, terminal)
        }
        Some(Command::Build(a)) => build::run(&a, terminal),
        Some(Command::Add(a)) => change::add(&a, terminal),
        Some(Command::Remove(a)) => change::remove(&a, terminal),
        Some(Command::Test(mut a)) => {
            a.lattice = a.lattice.or(lattice);
            test::run(&a, terminal)
        }
        Some(Command::Check(mut a)) => {
            a.lattice = a.lattice.or(lattice);
            check::run(&a, terminal)
        }
        Some(Command::Fmt(a)) => fmt::run(&a, terminal),
        Some(Command::Verify(a)) => verify::run(&a, terminal),
        Some(Command::Show(a)) => show::run(&a, terminal),
        Some(Command::Dump(a)) => show::dump(&a),
        Some(Command::Diff(a)) => diff::run(&a, terminal),
        Some(Command::Explain(a)) => explain::run(&a, terminal),
        Some(Command::Ask(a)) => ask::ask(&a, terminal),
        Some(Command::Plan(a)) => ask::plan(&a, terminal),
        Some(Command::Replay(a)) => replay::run(&a, terminal),
        Some(Command::Learn(a)) => learn::run(&a, terminal),
        Some(Command::Grammar(a)) => grammar::run(&a),
        Some(Command::Eval(a)) => eval::run(&a, terminal),
        #[cfg(feature = "bench")]
        Some(Command::Bench(a)) => bench::run(&a, terminal),
        Some(Command::Completions { shell }) => completions(shell),
        Some(Command::Man) => man(),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "latweave", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(Exit::Done)
}

fn man() -> Result<Exit, Failure> {
    let mut text = Vec::new();
    let command = Arguments::command();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for sub in command.get_subcommands() {
        let title = format!("latweave {}", sub.get_name());
        clap_mangen::Man::new(sub.clone().bin_name(&title).display_name(title))
            .render(&mut text)?;
    }
    io::stdout().lock().write_all(&text)?;
    Ok(Exit::Done)
}
