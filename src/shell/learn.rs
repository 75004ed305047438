//! `latweave learn`: a vocabulary from questions and their answers.

use super::args::Learn;
use super::ask::{part, vocabulary};
use super::source::{not_one_of, open, write_whole};
use super::terminal::{Exit, Failure, Terminal, count_of};
use crate::ask;
use std::io::{self, Write};

/// Runs `latweave learn`.
pub fn run(arguments: &Learn, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Some(output) = &arguments.output {
        let files = arguments.questions.iter().chain(&arguments.vocabulary);
        let inputs = files.chain([&arguments.lattice]);
        not_one_of(output, inputs.map(|path| path.as_path()))?;
    }
    let lattice = open(Some(&arguments.lattice))?;
    let known = vocabulary(&arguments.vocabulary, terminal)?;
    let mut examples = Vec::new();
    for path in &arguments.questions {
        let all = ask::read_examples(path).map_err(Failure::new)?;
        examples.extend(ask::examples_of(all, part(arguments.part)));
    }
    let questions = count_of(examples.len() as u64, "question", "questions");
    eprintln!("learning from {questions} …");
    let learned = ask::learn(&lattice, &examples, &known)
        .map_err(|_| Failure::new("what was learned is no LQ, which is a defect"))?;
    match &arguments.output {
        Some(path) => write_whole(path, |out| Ok(out.write_all(learned.text.as_bytes())?))?,
        None => io::stdout().lock().write_all(learned.text.as_bytes())?,
    }
    eprintln!(
        "{questions}, {}, {} explained by a path; {}, {}",
        count_of(learned.wordings as u64, "wording", "wordings"),
        learned.explained,
        count_of(learned.words as u64, "word", "words"),
        count_of(learned.patterns as u64, "pattern", "patterns"),
    );
    Ok(Exit::Done)
}
