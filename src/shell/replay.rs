//! `latweave replay`: plans that were kept, run without a planner.

use super::args::{Format, Replay};
use super::ask::{manner, queries, wrong};
use super::render::{self, Manner, Question};
use super::run::{budget, worse};
use super::source::{Source, open, unreadable};
use super::terminal::{Exit, Failure, Terminal, count_of, plain};
use crate::ask::plans::{self, Asked, PlanError, PlanFile, refuse_drift};
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::script::expect::Difference;
use crate::verdict::Outcome;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Runs `latweave replay`.
pub fn run(arguments: &Replay, terminal: &Terminal) -> Result<Exit, Failure> {
    let files = files(&arguments.plans)?;
    if files.len() > 1 && !one_by_one(arguments.format) {
        return Err(Failure::with_help(
            "several plans have several answers, and this form holds one",
            "use --format jsonl, or replay one plan",
        ));
    }
    let lattice = open(Some(&arguments.lattice))?;
    let mut replaying = Replaying {
        lattice,
        manner: manner(arguments.format, arguments.all, terminal),
        budget: budget(&arguments.limits, terminal),
        drift: arguments.drift,
        terminal,
        tally: Tally::default(),
        several: files.len() > 1,
    };
    let mut exit = Exit::Done;
    let mut out = BufWriter::new(io::stdout().lock());
    let _busy = terminal.interrupt.begin();
    for file in &files {
        let ended = replaying.one(file, &mut out)?;
        exit = worse(exit, ended);
        if exit == Exit::Interrupted {
            break;
        }
    }
    out.flush()?;
    if replaying.several {
        eprintln!("{}", replaying.tally.line());
    }
    if exit == Exit::Done && arguments.exit_abstain && replaying.tally.last_abstained {
        exit = Exit::Abstained;
    }
    Ok(exit)
}

fn one_by_one(format: Format) -> bool {
    matches!(format, Format::Table | Format::Jsonl | Format::Md)
}

/// The plans that arguments name; those of a folder sorted by name.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let told = |error| unreadable(path, &error);
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(told)? {
            let file = entry.map_err(told)?.path();
            if file.extension().is_some_and(|ending| ending == "lq") && file.is_file() {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(Failure::with_help(
                format!("no plan is in {}", plain(&path.display().to_string())),
                "plans are files that end in .lq",
            ));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// What is told of several plans at the end.
#[derive(Default)]
struct Tally {
    answered: u64,
    abstained: u64,
    moved: u64,
    refused: u64,
    last_abstained: bool,
}

impl Tally {
    fn line(&self) -> String {
        let all = self.answered + self.abstained + self.refused;
        let mut line = format!(
            "{}: {} answered, {} abstained",
            count_of(all, "plan", "plans"),
            self.answered,
            self.abstained
        );
        for (count, word) in [(self.moved, "moved"), (self.refused, "refused")] {
            if count > 0 {
                line += &format!(", {count} {word}");
            }
        }
        line
    }
}

struct Replaying<'t> {
    lattice: Lattice,
    manner: Manner,
    budget: Budget,
    drift: bool,
    terminal: &'t Terminal,
    tally: Tally,
    several: bool,
}

impl Replaying<'_> {
    fn one(&mut self, file: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
        let source = Source::read(file)?;
        let plan = PlanFile::read(&source.text);
        let drifted = refuse_drift(&plan, &self.lattice).err();
        let asked = match &drifted {
            Some(diagnostic) if !self.drift || plan.head.lattice.is_empty() => {
                Err(PlanError::Drift(Box::new(diagnostic.clone())))
            }
            _ => plans::answer(&self.lattice, plan.clone(), &self.budget),
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => {
                out.flush()?;
                self.tally.refused += 1;
                return Ok(wrong(&source.name, &source.text, &error, self.terminal));
            }
        };
        self.print(&plan, &asked, drifted.is_some(), out)?;
        let abstained = matches!(asked.verdict.outcome, Outcome::Abstention(_));
        self.tally.last_abstained = abstained;
        match abstained {
            true => self.tally.abstained += 1,
            false => self.tally.answered += 1,
        }
        if asked.differences.is_empty() {
            return Ok(Exit::Done);
        }
        self.tally.moved += 1;
        if drifted.is_some() {
            return Ok(Exit::Done);
        }
        // On the lattice that it was written for a plan gives what it gave, unless it
        // was edited.
        out.flush()?;
        let name = plain(&source.name);
        eprintln!("{name}: the answer is not what the plan expects:");
        for line in asked.differences.iter().flat_map(lines) {
            eprintln!("  {}", plain(&line));
        }
        Ok(Exit::Failed)
    }

    fn print(
        &self,
        plan: &PlanFile,
        asked: &Asked,
        drifted: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let text = queries(plan);
        let moved = drifted.then(|| moved(plan, asked, &self.lattice));
        let question = Question {
            text: &plan.head.question,
            plan: Some(&text),
            moved: moved.as_ref(),
        };
        let paint = self.manner.paint;
        let for_people = matches!(self.manner.format, Format::Table | Format::Md);
        if self.several && for_people {
            writeln!(out, "{}", paint.strong(&plain(&plan.head.question)))?;
        }
        render::asked(
            out,
            &self.manner,
            &self.lattice,
            &question,
            &asked.verdict,
            None,
            &self.budget,
        )?;
        if drifted && !matches!(self.manner.format, Format::Json | Format::Jsonl) {
            for line in told(asked) {
                match for_people {
                    true => writeln!(out, "{}", plain(&line))?,
                    false => eprintln!("{}", plain(&line)),
                }
            }
        }
        if self.several && for_people {
            writeln!(out)?;
        }
        Ok(())
    }
}

/// How the answer of a plan has moved with its lattice, for people.
fn told(asked: &Asked) -> Vec<String> {
    if !asked.expects {
        return vec!["the lattice has changed; the plan does not say what it gave before".into()];
    }
    if asked.differences.is_empty() {
        return vec!["the lattice has changed; the answer has not".into()];
    }
    let mut all = vec!["the lattice has changed, and the answer with it:".to_owned()];
    all.extend(asked.differences.iter().flat_map(lines));
    all
}

/// The lines of a difference: what was lost, and what was gained.
fn lines(difference: &Difference) -> Vec<String> {
    let lost = difference.missing.iter().map(|name| format!("- {name}"));
    let gained = difference.unexpected.iter().map(|name| format!("+ {name}"));
    let all: Vec<String> = lost.chain(gained).collect();
    match all.is_empty() {
        true => vec![format!(
            "was {}, is {}",
            difference.expected, difference.found
        )],
        false => all,
    }
}

/// The same for programs.
fn moved(plan: &PlanFile, asked: &Asked, lattice: &Lattice) -> Value {
    let differences: Vec<Value> = asked
        .differences
        .iter()
        .map(|d| json!({ "was": d.expected, "is": d.found, "lost": d.missing, "gained": d.unexpected }))
        .collect();
    json!({
        "planned_over": plan.head.lattice,
        "run_over": lattice.content_hash().to_string(),
        "differences": asked.expects.then_some(differences),
    })
}
