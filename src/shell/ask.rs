//! `latweave ask`, `plan` and `learn`.

use super::args::{Ask, Learn, Plan, QuestionPart, Run};
use super::run;
use super::source::{Source, open, unwritable};
use super::terminal::{Exit, Failure, Terminal};
use crate::ask::{self, Part, Planner, Understood, Vocabulary};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The vocabulary of English and of files.
pub fn vocabulary(files: &[PathBuf], terminal: &Terminal) -> Result<Vocabulary, Failure> {
    let mut all = Vocabulary::english().map_err(|_| {
        Failure::new("the standard library's English cannot be read, which is a defect")
    })?;
    for path in files {
        let source = Source::read(path)?;
        match Vocabulary::read(&source.text) {
            Ok(more) => all = all.and(more),
            Err(diagnostics) => {
                source.tell(terminal, &diagnostics);
                return Err(Failure::new(format!("{} is no vocabulary", path.display())));
            }
        }
    }
    Ok(all)
}

/// The part that an argument names.
pub fn part(part: QuestionPart) -> Part {
    match part {
        QuestionPart::All => Part::All,
        QuestionPart::Training => Part::Training,
        QuestionPart::Held => Part::Held,
    }
}

fn read(asking: &super::args::Asking, terminal: &Terminal) -> Result<Understood, Failure> {
    let lattice = open(Some(&asking.lattice))?;
    let vocabulary = vocabulary(&asking.vocabulary, terminal)?;
    Ok(Planner::new(&lattice, &vocabulary).read(&asking.question))
}

/// Runs `latweave plan`.
pub fn plan(arguments: &Plan, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    match read(&arguments.asking, terminal)? {
        Understood::Readings(readings) => {
            for reading in readings {
                writeln!(out, "{}", reading.plan())?;
            }
        }
        Understood::Not(part) => writeln!(out, "-- not understood: {part}")?,
    }
    Ok(Exit::Done)
}

/// Runs `latweave ask`.
pub fn ask(arguments: &Ask, terminal: &Terminal) -> Result<Exit, Failure> {
    let understood = read(&arguments.asking, terminal)?;
    let Understood::Readings(readings) = understood else {
        return Ok(Exit::Done);
    };
    let run = Run {
        scripts: Vec::new(),
        text: readings.iter().map(ask::Reading::plan).collect(),
        lattice: Some(arguments.asking.lattice.clone()),
        parameters: Vec::new(),
        format: arguments.format,
        all: arguments.all,
        certificate: None,
        draw: None,
        exit_abstain: arguments.exit_abstain,
        threads: None,
        limits: arguments.limits,
    };
    run::run(&run, terminal)
}

/// Runs `latweave learn`.
pub fn learn(arguments: &Learn, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    let known = vocabulary(&arguments.vocabulary, terminal)?;
    let mut examples = Vec::new();
    for path in &arguments.questions {
        let all = ask::read_examples(path).map_err(Failure::new)?;
        examples.extend(ask::examples_of(all, part(arguments.part)));
    }
    let learned = ask::learn(&lattice, &examples, &known)
        .map_err(|_| Failure::new("what was learned is no LQ, which is a defect"))?;
    write(arguments.output.as_deref(), &learned.text)?;
    eprintln!(
        "{} questions, {} wordings, {} explained by a path; {} words, {} patterns",
        examples.len(),
        learned.wordings,
        learned.explained,
        learned.words,
        learned.patterns
    );
    Ok(Exit::Done)
}

fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) => fs::write(path, text).map_err(|error| unwritable(path, &error)),
        None => Ok(io::stdout().lock().write_all(text.as_bytes())?),
    }
}
