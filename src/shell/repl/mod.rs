//! The REPL: a session at a prompt.

mod commands;
mod complete;
mod helper;
mod history;
mod tokens;

use super::args::{Format, Limits};
use super::ask::{self, beside, vocabulary};
use super::batch::execute;
use super::render::{self, FIRST_ROWS, Manner};
use super::run::{budget, certificate};
use super::source::{Source, open, write_whole};
use super::terminal::{Exit, Failure, Terminal, count_of, plain};
use super::{explain, report};
use crate::engine;
use crate::lattice::Lattice;
use crate::script::listing::Listing;
use crate::script::{Output, Session};
use crate::syntax::tree::StatementKind;
use crate::syntax::{is_incomplete, parse_lenient};
use complete::Knowledge;
use helper::LineHelper;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config, Editor};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PROMPT: &str = "lq> ";
const CONTINUED: &str = "..> ";
/// Up to so many instances what is stated is made part of the lattice at once,
/// so that a mistake is told where it was made.
const SETTLED_AT_ONCE: u32 = 100_000;

/// Whether the session goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Quit,
}

/// Runs the REPL.
pub fn run(lattice: Option<&Path>, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut repl = Repl::new(open(lattice)?, terminal);
    repl.file = lattice.map(Path::to_path_buf);
    repl.greet(lattice)?;
    let mut editor = repl.editor()?;
    let history = history::path();
    if let Some(path) = &history {
        // A first session has no history yet.
        let _ = editor.load_history(path);
    }
    let exit = repl.converse(&mut editor, history.as_deref());
    if let Some(path) = &history {
        history::save(&mut editor, path);
    }
    exit
}

struct Repl<'t> {
    session: Session,
    terminal: &'t Terminal,
    format: Format,
    timer: bool,
    last: Option<(Output, Lattice)>,
    once: Option<PathBuf>,
    /// The file of the lattice; beside it may be words for questions.
    file: Option<PathBuf>,
}

impl<'t> Repl<'t> {
    fn new(lattice: Lattice, terminal: &'t Terminal) -> Repl<'t> {
        let mut session = Session::new(lattice);
        session.set_budget(budget(&Limits::default(), terminal));
        Repl {
            session,
            terminal,
            format: Format::Table,
            timer: true,
            last: None,
            once: None,
            file: None,
        }
    }

    fn greet(&self, path: Option<&Path>) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let version = env!("CARGO_PKG_VERSION");
        let what = match path {
            None => "an empty session".to_string(),
            Some(path) => {
                let counts = self.session.settled().counts();
                let facts = count_of(counts.predicates, "fact", "facts");
                format!("{}, {facts}", plain(&path.display().to_string()))
            }
        };
        writeln!(
            out,
            "latweave {version}, {what}; `.help` helps, Ctrl-D ends"
        )?;
        Ok(())
    }

    fn editor(&self) -> Result<Editor<LineHelper, FileHistory>, Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .color_mode(if self.terminal.paint.on() {
                ColorMode::Forced
            } else {
                ColorMode::Disabled
            })
            .build();
        let mut editor = Editor::<LineHelper, FileHistory>::with_config(config)
            .map_err(|error| Failure::new(format!("the terminal cannot be used: {error}")))?;
        let _ = editor.set_max_history_size(10_000);
        editor.set_helper(Some(LineHelper::new(self.knowledge(), self.terminal.paint)));
        Ok(editor)
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge {
            lattice: self.session.settled().clone(),
            lets: self.session.let_names().map(String::from).collect(),
        }
    }

    /// Reads and runs until the end.
    fn converse(
        &mut self,
        editor: &mut Editor<LineHelper, FileHistory>,
        history: Option<&Path>,
    ) -> Result<Exit, Failure> {
        loop {
            let text = match read(editor) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(ReadlineError::Eof) => return Ok(Exit::Done),
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    self.terminal
                        .warn("what was typed is no UTF-8 text; the line was dropped");
                    continue;
                }
                Err(error) => {
                    return Err(Failure::new(format!(
                        "the terminal cannot be read: {error}"
                    )));
                }
            };
            if text.trim().is_empty() {
                continue;
            }
            // What was typed stays in reach even where it is wrong.
            let _ = editor.add_history_entry(text.trim_end());
            if let Some(path) = history {
                history::append(editor, path);
            }
            let next = match text.trim().strip_prefix('.') {
                Some(_) => self.dot(text.trim()),
                None => match commands::meant(&text) {
                    Some(command) => Err(Failure::with_help(
                        format!("`{}` is no statement", plain(text.trim())),
                        format!("did you mean `{command}`?"),
                    )),
                    None => self.lq(&text),
                },
            };
            match next {
                Ok(Next::Go) => {}
                Ok(Next::Quit) => return Ok(Exit::Done),
                Err(Failure::Pipe) => return Ok(Exit::Done),
                Err(failure) => {
                    self.terminal.tell(failure);
                }
            }
            if let Some(helper) = editor.helper_mut() {
                helper.knowledge = self.knowledge();
            }
        }
    }

    /// Runs statements that were typed.
    fn lq(&mut self, text: &str) -> Result<Next, Failure> {
        let source = Source::typed("<input>", text);
        self.source(&source)?;
        Ok(Next::Go)
    }

    fn source(&mut self, source: &Source) -> Result<(), Failure> {
        let (tree, diagnostics) = parse_lenient(&source.text);
        if source.tell(self.terminal, &diagnostics) {
            return Ok(());
        }
        self.session
            .begin_text(&source.name, &source.text, &source.folder);
        for statement in &tree.statements {
            let started = Instant::now();
            let done = execute(&mut self.session, statement, self.terminal);
            let output = match done {
                Ok(output) => output,
                Err(error) => {
                    source.tell_error(self.terminal, &error);
                    return Ok(());
                }
            };
            let time = started.elapsed();
            if let Output::Expectation(Some(difference)) = &output {
                source.tell(self.terminal, &[difference.diagnostic(statement.span)]);
            }
            if let Output::Loaded(told) = &output {
                report::warnings(told, self.terminal);
            }
            let lattice = match (&output, self.session.verdict()) {
                (Output::Verdict(_), Some((_, lattice))) => lattice.clone(),
                _ => self.session.settled().clone(),
            };
            self.result(output, lattice, time)?;
        }
        if self.session.settled().instance_count() <= SETTLED_AT_ONCE
            && let Err(error) = self.session.settle()
        {
            source.tell_error(self.terminal, &error);
        }
        Ok(())
    }

    fn manner(&self, whole: bool) -> Manner {
        Manner {
            format: self.format,
            paint: self.terminal.paint,
            width: self.terminal.width,
            limit: (self.terminal.interactive && !whole).then_some(FIRST_ROWS),
            repl: true,
        }
    }

    /// Prints a result, or writes it to the file that `.once` named.
    fn result(&mut self, output: Output, lattice: Lattice, time: Duration) -> Result<(), Failure> {
        let budget = budget(&Limits::default(), self.terminal);
        if render::is_result(&output)
            && let Some(path) = self.once.take()
        {
            let manner = Manner::whole(commands::mode_of(&path).unwrap_or(self.format));
            write_whole(&path, |out| {
                render::print(out, &manner, &lattice, &output, None, &budget)
                    .map_err(|error| super::source::unwritable(&path, &error))
            })?;
            println_quietly(&format!(
                "written to {}",
                plain(&path.display().to_string())
            ))?;
        } else {
            let time = self.timer.then_some(time);
            self.print(false, &lattice, &output, time)?;
        }
        if render::is_result(&output) {
            self.last = Some((output, lattice));
        }
        Ok(())
    }

    /// Prints a result. Ctrl-C ends that, and not the session.
    fn print(
        &self,
        whole: bool,
        lattice: &Lattice,
        output: &Output,
        time: Option<Duration>,
    ) -> Result<(), Failure> {
        let budget = budget(&Limits::default(), self.terminal);
        let _busy = self.terminal.interrupt.begin();
        let stdout = io::stdout().lock();
        let mut out = BufWriter::new(self.terminal.interrupt.heeded(stdout));
        let manner = self.manner(whole);
        let printed =
            render::print(&mut out, &manner, lattice, output, time, &budget).and_then(|()| {
                let spaced = matches!(self.format, Format::Table | Format::Md);
                if spaced && render::is_result(output) {
                    writeln!(out)?;
                }
                out.flush()
            });
        if printed.is_err() && self.terminal.interrupt.asked() {
            let _ = out.into_parts();
            return Err(Failure::new("interrupted"));
        }
        Ok(printed?)
    }

    /// Runs a dot command.
    fn dot(&mut self, line: &str) -> Result<Next, Failure> {
        let (name, argument) = match line.split_once(char::is_whitespace) {
            Some((name, argument)) => (name, argument.trim()),
            None => (line, ""),
        };
        let file = || -> Result<PathBuf, Failure> {
            match argument.trim_matches('"') {
                "" => Err(Failure::new(format!("{name} needs the name of a file"))),
                path => Ok(PathBuf::from(path)),
            }
        };
        match name {
            ".quit" | ".exit" | ".q" => return Ok(Next::Quit),
            ".help" | ".h" | ".?" => {
                let mut out = io::stdout().lock();
                commands::help(&mut out, argument, self.terminal.paint)?;
            }
            ".mode" => self.mode(argument)?,
            ".timer" => match argument {
                "on" => self.timer = true,
                "off" => self.timer = false,
                _ => return Err(Failure::new("`.timer` takes on or off")),
            },
            ".open" => self.open(&file()?)?,
            ".read" => self.source(&Source::read(&file()?)?)?,
            ".save" => self.save(&file()?)?,
            ".once" => self.once = Some(file()?),
            ".certificate" => {
                let path = file()?;
                certificate(&self.session, &path, self.terminal)?;
                println_quietly(&format!(
                    "written to {}",
                    plain(&path.display().to_string())
                ))?;
            }
            ".all" => self.all()?,
            ".ask" => self.ask(argument)?,
            ".schema" => self.schema(argument)?,
            ".explain" => self.explain(argument)?,
            _ => return Err(unknown(name)),
        }
        Ok(Next::Go)
    }

    fn mode(&mut self, argument: &str) -> Result<(), Failure> {
        if argument.is_empty() {
            return println_quietly(commands::mode_name(self.format));
        }
        self.format = commands::mode(argument).ok_or_else(|| {
            Failure::with_help(
                format!("there is no form “{}”", plain(argument)),
                format!("the forms are {}", commands::MODES.join(", ")),
            )
        })?;
        Ok(())
    }

    fn open(&mut self, path: &Path) -> Result<(), Failure> {
        let lattice = Lattice::open(path).map_err(Failure::new)?;
        if self.session.is_changed() {
            self.terminal.warn("what was stated and not saved is gone");
        }
        self.session.replace(lattice.clone());
        self.file = Some(path.to_path_buf());
        let output = Output::Opened {
            path: path.to_path_buf(),
            hash: lattice.content_hash(),
            counts: lattice.counts(),
        };
        self.result(output, lattice, Duration::ZERO)
    }

    /// Puts a question in English: its plan, and what that gives.
    fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let started = Instant::now();
        let lattice = self.session.lattice().map_err(Failure::new)?.clone();
        let files: Vec<PathBuf> = self.file.as_deref().and_then(beside).into_iter().collect();
        let vocabulary = vocabulary(&files, self.terminal)?;
        let asked = {
            let _busy = self.terminal.interrupt.begin();
            let budget = budget(&Limits::default(), self.terminal);
            ask::put(question, &lattice, &vocabulary, &budget)?
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => {
                ask::wrong("<plan>", "", &error, self.terminal);
                return Ok(());
            }
        };
        let text = asked.plan.as_ref().map(ask::queries).unwrap_or_default();
        for line in text.lines() {
            println_quietly(&self.terminal.paint.faint(&plain(line)))?;
        }
        let output = Output::Verdict(Box::new(asked.verdict));
        self.result(output, lattice, started.elapsed())
    }

    fn save(&mut self, path: &Path) -> Result<(), Failure> {
        let lattice = self.session.lattice().map_err(Failure::new)?;
        lattice.save(path).map_err(Failure::new)?;
        let hash = lattice.content_hash();
        self.session.mark_saved();
        println_quietly(&format!("{}: {hash}", plain(&path.display().to_string())))
    }

    fn all(&mut self) -> Result<(), Failure> {
        let Some((output, lattice)) = &self.last else {
            return Err(Failure::new("there is no result yet"));
        };
        self.print(true, lattice, output, None)
    }

    fn schema(&mut self, argument: &str) -> Result<(), Failure> {
        let lattice = self.session.lattice().map_err(Failure::new)?.clone();
        let listing = match argument.trim_matches('"') {
            "" => Listing::Dimensions,
            word => match lattice.find_dimension(word) {
                Some(d) => Listing::Values(d),
                None => {
                    let near = lattice.nearest_dimensions(word);
                    let text = format!("no dimension is called “{}”", plain(word));
                    return Err(if near.is_empty() {
                        Failure::new(text)
                    } else {
                        Failure::with_help(text, format!("near it: {}", near.join(", ")))
                    });
                }
            },
        };
        self.result(Output::Listing(listing), lattice, Duration::ZERO)
    }

    fn explain(&mut self, argument: &str) -> Result<(), Failure> {
        if !argument.is_empty() {
            return match explain::story(argument) {
                Some(story) => println_quietly(story.trim_end()),
                None => Err(Failure::new(format!(
                    "there is no code “{}”",
                    plain(argument)
                ))),
            };
        }
        let Some((verdict, lattice)) = self.session.verdict() else {
            return Err(Failure::new("there is no query yet"));
        };
        let explanation = engine::explain(lattice, &verdict.query).map_err(Failure::new)?;
        println_quietly(explanation.to_string().trim_end())
    }
}

fn unknown(name: &str) -> Failure {
    let near = commands::ALL
        .iter()
        .map(|c| (strsim::damerau_levenshtein(name, c.name), c.name))
        .min();
    let help = match near {
        Some((distance, near)) if distance <= 2 => format!("did you mean `{near}`?"),
        _ => "`.help` lists the commands".to_string(),
    };
    Failure::with_help(format!("there is no command `{}`", plain(name)), help)
}

/// A line for a person; nobody there is no error but the end.
fn println_quietly(line: &str) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{line}")?;
    Ok(())
}

/// One input: a line, or as many as its statement needs. `None` if it was
/// cleared by Ctrl-C.
fn read(editor: &mut Editor<LineHelper, FileHistory>) -> Result<Option<String>, ReadlineError> {
    let mut text = match editor.readline(PROMPT) {
        Ok(line) => line,
        Err(ReadlineError::Interrupted) => return Ok(None),
        Err(error) => return Err(error),
    };
    if text.trim_start().starts_with('.') || commands::meant(&text).is_some() {
        return Ok(Some(text));
    }
    while wants_more(&text) {
        match editor.readline(CONTINUED) {
            Ok(line) if line.trim().is_empty() => break,
            Ok(line) => {
                text.push('\n');
                text.push_str(&line);
            }
            Err(ReadlineError::Interrupted) => return Ok(None),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(Some(text))
}

/// Whether a statement goes on in the next line: it is not complete, or it is a
/// taxonomy (whose lines follow) or a fact still without its source.
fn wants_more(text: &str) -> bool {
    if text.trim().is_empty() || text.trim_end().ends_with(';') {
        return false;
    }
    if is_incomplete(text) {
        return true;
    }
    let (tree, diagnostics) = parse_lenient(text);
    if !diagnostics.is_empty() {
        return false;
    }
    match tree.statements.last().map(|s| &s.kind) {
        Some(StatementKind::Dimension(declaration)) => matches!(
            declaration.kind,
            crate::syntax::tree::KindDeclaration::Taxonomy
        ),
        Some(StatementKind::Fact(fact)) => fact.source.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_decides_whether_a_statement_goes_on() {
        assert!(wants_more("MEET species ="));
        assert!(wants_more("MEET (species = whale OR"));
        assert!(wants_more("DIMENSION species TAXONOMY ONE"));
        assert!(wants_more("FACT \"A\" species = whale"));
        assert!(!wants_more("MEET species = whale"));
        assert!(!wants_more("DIMENSION species TAXONOMY ONE;"));
        assert!(!wants_more("MEET ) species"));
        assert!(!wants_more(""));
    }
}
