//! `latweave ask` and `latweave plan`: a question in English, its plan, its verdict.

use super::args::{Ask, Asking, Format, Plan, QuestionPart};
use super::render::{self, FIRST_ROWS, Manner, Question};
use super::run::budget;
use super::source::{Source, open, write_whole};
use super::terminal::{Exit, Failure, Terminal, plain};
use crate::ask::plans::{
    self, Asked, Cache, EMBEDDED, Head, Kept, PlanError, PlanFile, one_line, vocabulary_hash,
};
use crate::ask::{Part, Planner, Understood, Vocabulary};
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::verdict::Outcome;
use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

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
                return Err(Failure::with_help(
                    format!("{} is no vocabulary", plain(&path.display().to_string())),
                    "a vocabulary is LQ: DIMENSION … AKA and PATTERN QUESTION statements",
                ));
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

/// The vocabulary that stands beside a lattice, if there is one.
pub fn beside(lattice: &Path) -> Option<PathBuf> {
    let path = lattice.with_extension("vocabulary.lq");
    path.is_file().then_some(path)
}

/// A question with all that it is read with.
struct Read {
    lattice: Lattice,
    vocabulary: Vocabulary,
    head: Head,
    verbose: bool,
}

impl Read {
    fn new(asking: &Asking, terminal: &Terminal) -> Result<Read, Failure> {
        let lattice = open(Some(&asking.lattice))?;
        let mut files: Vec<PathBuf> = beside(&asking.lattice).into_iter().collect();
        files.extend(asking.vocabulary.iter().cloned());
        let vocabulary = vocabulary(&files, terminal)?;
        let read = Read::of(&asking.question, lattice, vocabulary, asking.verbose)?;
        for file in &files {
            read.tell(&format!("vocabulary: {}", file.display()));
        }
        Ok(read)
    }

    fn of(
        question: &str,
        lattice: Lattice,
        vocabulary: Vocabulary,
        verbose: bool,
    ) -> Result<Read, Failure> {
        let question = one_line(question);
        if question.is_empty() {
            return Err(Failure::with_help(
                "the question is empty",
                "ask something, such as: who directed Jaws",
            ));
        }
        let head = Head {
            question,
            planner: EMBEDDED.to_owned(),
            vocabulary: vocabulary_hash(&vocabulary),
            lattice: lattice.content_hash().to_string(),
            ..Head::default()
        };
        Ok(Read {
            lattice,
            vocabulary,
            head,
            verbose,
        })
    }

    fn tell(&self, line: &str) {
        if self.verbose {
            eprintln!("{}", plain(line));
        }
    }

    /// The plan of the question, or the part of it that was not understood.
    fn plan(&self) -> Result<PlanFile, String> {
        let planner = Planner::new(&self.lattice, &self.vocabulary);
        match planner.read(&self.head.question) {
            Understood::Readings(readings) => {
                Ok(PlanFile::of_readings(self.head.clone(), &readings))
            }
            Understood::Not(part) => Err(part),
        }
    }

    /// What the question gets: by the plan that is kept, else by a new one, which is kept.
    /// That a question is not understood is never kept.
    fn ask(&self, cache: Option<&Cache>, budget: &Budget) -> Result<Asked, PlanError> {
        if let Some(plan) = cache.and_then(|cache| self.kept(cache)) {
            return plans::answer(&self.lattice, plan, budget);
        }
        let plan = match self.plan() {
            Ok(plan) => plan,
            Err(part) => return Ok(plans::not_understood(&self.head.question, &part)),
        };
        let asked = plans::answer(&self.lattice, plan, budget)?;
        let answered = asked.plan_with_answers(&self.lattice);
        // What turned out to be damaged is no ground for anything that is kept.
        if let (Some(cache), Some(plan), Ok(())) = (cache, answered, self.lattice.intact()) {
            match cache.put(&plan) {
                Ok(path) => self.tell(&format!("plan: new, kept as {}", path.display())),
                Err(error) => {
                    eprintln!("note: the plan was not kept: {}", plain(&error.to_string()))
                }
            }
        }
        Ok(asked)
    }

    /// The plan that is kept for the question.
    fn kept(&self, cache: &Cache) -> Option<PlanFile> {
        match cache.get(&self.head) {
            Ok(Kept::Plan(plan)) => {
                let path = cache.path(&self.head);
                self.tell(&format!("plan: kept in {}", path.display()));
                Some(*plan)
            }
            Ok(Kept::Altered(path)) => {
                let path = plain(&path.display().to_string());
                eprintln!(
                    "note: {path} was altered since it was kept; the question is planned anew \
                     (`latweave replay` runs an edited plan)"
                );
                None
            }
            Ok(Kept::Nothing) => None,
            Err(error) => {
                let error = plain(&error.to_string());
                eprintln!("note: {error}; the question is planned anew");
                None
            }
        }
    }
}

/// What a question gets, with nothing kept.
pub fn put(
    question: &str,
    lattice: &Lattice,
    vocabulary: &Vocabulary,
    budget: &Budget,
) -> Result<Result<Asked, PlanError>, Failure> {
    let read = Read::of(question, lattice.clone(), vocabulary.clone(), false)?;
    Ok(read.ask(None, budget))
}

/// Runs `latweave plan`.
pub fn plan(arguments: &Plan, terminal: &Terminal) -> Result<Exit, Failure> {
    let read = Read::new(&arguments.asking, terminal)?;
    let plan = read.plan().map_err(|part| {
        Failure::with_help(
            format!("no plan was found for “{}”", plain(&part)),
            "use names and dimensions of the lattice (latweave show FILE lists them), or add \
             words for them to a vocabulary (DIMENSION … AKA, PATTERN QUESTION)",
        )
    })?;
    let text = plan.text();
    match &arguments.output {
        Some(path) => write_whole(path, |out| Ok(out.write_all(text.as_bytes())?))?,
        None => io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(Exit::Done)
}

/// Runs `latweave ask`.
pub fn ask(arguments: &Ask, terminal: &Terminal) -> Result<Exit, Failure> {
    let started = Instant::now();
    let read = Read::new(&arguments.asking, terminal)?;
    let cache = match arguments.no_cache {
        true => None,
        false => folder(arguments.cache.as_deref(), &|name| env::var_os(name)).map(Cache::new),
    };
    let budget = budget(&arguments.limits, terminal);
    let asked = {
        let _busy = terminal.interrupt.begin();
        read.ask(cache.as_ref(), &budget)
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(error) => return Ok(wrong("<plan>", "", &error, terminal)),
    };
    let plan = asked.plan.as_ref().map(queries);
    let question = Question {
        text: &read.head.question,
        plan: plan.as_deref(),
        moved: None,
    };
    let time = terminal.interactive.then(|| started.elapsed());
    let mut out = BufWriter::new(io::stdout().lock());
    let manner = manner(arguments.format, arguments.all, terminal);
    let verdict = &asked.verdict;
    render::asked(
        &mut out,
        &manner,
        &read.lattice,
        &question,
        verdict,
        time,
        &budget,
    )?;
    out.flush()?;
    let abstained = matches!(verdict.outcome, Outcome::Abstention(_));
    Ok(match arguments.exit_abstain && abstained {
        true => Exit::Abstained,
        false => Exit::Done,
    })
}

/// The statements of a plan, without what they are expected to give.
pub fn queries(plan: &PlanFile) -> String {
    let Ok(tree) = crate::syntax::parse(plan.source()) else {
        return plan.statements.clone();
    };
    let expects = |kind: &_| matches!(kind, crate::syntax::tree::StatementKind::Expect(_));
    let asking = tree.statements.iter().filter(|s| !expects(&s.kind));
    let text = |span: crate::syntax::tree::Span| plan.source().get(span.start..span.end);
    let words: Vec<&str> = asking.filter_map(|s| text(s.span)).collect();
    words.join("\n")
}

/// Tells why a plan gave no verdict.
pub fn wrong(name: &str, text: &str, error: &PlanError, terminal: &Terminal) -> Exit {
    let source = Source::typed(name, text);
    match error {
        PlanError::Script(error) => source.tell_error(terminal, error),
        PlanError::Drift(diagnostic) => {
            source.tell(terminal, std::slice::from_ref(diagnostic));
            Exit::Failed
        }
    }
}

/// How verdicts of questions are printed.
pub fn manner(format: Format, all: bool, terminal: &Terminal) -> Manner {
    Manner {
        format,
        paint: terminal.paint,
        width: terminal.width,
        limit: (terminal.interactive && !all).then_some(FIRST_ROWS),
        repl: false,
    }
}

/// The folder that plans are kept in. `None` if there is no place for one.
fn folder(named: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let caches = || {
        let stated = path("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        stated.or_else(|| Some(path("HOME")?.join(".cache")))
    };
    named
        .map(Path::to_path_buf)
        .or_else(|| path("LATWEAVE_CACHE"))
        .or_else(|| Some(caches()?.join("latweave").join("plans")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_where_flags_and_variables_say() {
        let of = |named: Option<&str>, variables: &[(&str, &str)]| {
            let value = |name: &str| {
                let found = variables.iter().find(|(n, _)| *n == name);
                found.map(|(_, value)| OsString::from(value))
            };
            folder(named.map(Path::new), &value)
        };
        let all = [
            ("LATWEAVE_CACHE", "/l"),
            ("XDG_CACHE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        assert_eq!(of(Some("/n"), &all), Some("/n".into()));
        assert_eq!(of(None, &all), Some("/l".into()));
        assert_eq!(of(None, &all[1..]), Some("/x/latweave/plans".into()));
        assert_eq!(of(None, &all[2..]), Some("/h/.cache/latweave/plans".into()));
        let relative = [("XDG_CACHE_HOME", "x"), ("HOME", "/h")];
        assert_eq!(of(None, &relative), Some("/h/.cache/latweave/plans".into()));
        assert_eq!(of(None, &[]), None);
    }
}
