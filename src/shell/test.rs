//! `latweave test`: scripts with EXPECT as a test suite.

use super::args::{Report, Test};
use super::run::budget;
use super::source::{Source, open, unreadable};
use super::terminal::{Exit, Failure, Terminal, count_of, plain, spent};
use super::threads::Threads;
use crate::lattice::Lattice;
use crate::script::{Output, ScriptError, Session};
use crate::syntax::tree::StatementKind;
use crate::syntax::{Diagnostic, Severity, parse_lenient};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

/// How a script fared.
struct Case {
    name: String,
    expectations: usize,
    /// What went wrong: a line, and the whole story.
    faults: Vec<(String, String)>,
    time: Duration,
}

/// Runs `latweave test`.
pub fn run(arguments: &Test, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut scripts = BTreeSet::new();
    for path in &arguments.paths {
        collect(path, true, &mut scripts)?;
    }
    let lattice = open(arguments.lattice.as_deref())?;
    let mut out = io::stdout().lock();
    let mut report = Reporter::new(arguments.format, terminal);
    let suite = Suite {
        lattice: &lattice,
        arguments,
        terminal,
        stop: Arc::default(),
    };
    let interrupted = suite.run(&scripts, &mut |case| report.one(&mut out, case))?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    report.close(&mut out)?;
    if report.cases.is_empty() {
        return Err(Failure::with_help(
            "no script with EXPECT was found",
            "a test is an .lq file with a query and EXPECT behind it",
        ));
    }
    let failed = report.cases.iter().any(|c| !c.faults.is_empty());
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// The .lq files at or below a path, sorted.
fn collect(path: &Path, named: bool, all: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(path, &error))?;
            // A link to a folder could lead in a circle.
            let is_link = entry.file_type().is_ok_and(|t| t.is_symlink());
            if !(is_link && entry.path().is_dir()) {
                collect(&entry.path(), false, all)?;
            }
        }
        return Ok(());
    }
    if named && !path.exists() {
        return Err(unreadable(path, &io::ErrorKind::NotFound.into()));
    }
    if named
        || path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("lq"))
    {
        all.insert(path.to_path_buf());
    }
    Ok(())
}

/// Scripts that are run beside each other, each in a session of its own.
struct Suite<'a> {
    lattice: &'a Lattice,
    arguments: &'a Test,
    terminal: &'a Terminal,
    /// Nobody waits for what is still being run.
    stop: Arc<AtomicBool>,
}

/// How a script fared, if it is a test; an error if Ctrl-C came first.
type Fared = Result<Option<Case>, ScriptError>;

impl Suite<'_> {
    /// Runs all of them, and tells how each fared in their order. Whether Ctrl-C came.
    fn run(
        &self,
        scripts: &BTreeSet<PathBuf>,
        tell: &mut dyn FnMut(Case) -> io::Result<()>,
    ) -> Result<bool, Failure> {
        let Some(threads) = Threads::new(self.arguments.threads, scripts.len()) else {
            for path in scripts {
                let busy = self.terminal.interrupt.begin();
                let fared = self.case(path);
                drop(busy);
                match fared {
                    Ok(case) => case.map_or(Ok(()), &mut *tell)?,
                    Err(_) => return Ok(true),
                }
            }
            return Ok(false);
        };
        threads.pool.in_place_scope_fifo(|scope| {
            let mut begun = VecDeque::new();
            let mut scripts = scripts.iter();
            let ended = loop {
                while begun.len() < threads.window
                    && let Some(path) = scripts.next()
                {
                    let (sender, receiver) = sync_channel(1);
                    scope.spawn_fifo(move |_| {
                        // Nobody may wait for it any more.
                        let _ = sender.send(self.case(path));
                    });
                    begun.push_back(receiver);
                }
                let Some(next) = begun.pop_front() else {
                    break Ok(false);
                };
                match self.taken(&next) {
                    Some(Ok(None)) => {}
                    Some(Ok(Some(case))) => {
                        if let Err(error) = tell(case) {
                            break Err(error.into());
                        }
                    }
                    Some(Err(_)) | None => break Ok(true),
                }
            };
            self.stop.store(true, Ordering::Relaxed);
            ended
        })
    }

    /// How the next script fared; `None` if Ctrl-C came.
    fn taken(&self, next: &Receiver<Fared>) -> Option<Fared> {
        let _busy = self.terminal.interrupt.begin();
        let fared = next.recv().ok();
        fared.filter(|_| !self.terminal.interrupt.asked())
    }

    fn case(&self, path: &Path) -> Fared {
        let started = Instant::now();
        let name = path.display().to_string();
        let mut case = Case {
            name: name.clone(),
            expectations: 0,
            faults: Vec::new(),
            time: Duration::ZERO,
        };
        let source = match Source::read(path) {
            Ok(source) => source,
            Err(failure) => {
                let text = match failure {
                    Failure::Message { text, .. } => text,
                    _ => format!("{name} could not be read"),
                };
                case.faults.push((text.clone(), text));
                return Ok(Some(case));
            }
        };
        let (tree, diagnostics) = parse_lenient(&source.text);
        let colour = self.terminal.paint.on() && self.arguments.format == Report::Text;
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        case.faults = errors.map(|d| fault(d, &source, colour)).collect();
        let expects = |kind: &StatementKind| matches!(kind, StatementKind::Expect(_));
        case.expectations = tree.statements.iter().filter(|s| expects(&s.kind)).count();
        if case.expectations == 0 && case.faults.is_empty() {
            return Ok(None);
        }
        if case.faults.is_empty() {
            let mut session = Session::new(self.lattice.clone());
            session.begin_text(&source.name, &source.text, &source.folder);
            let budget = budget(&self.arguments.limits, self.terminal);
            session.set_budget(budget.with_cancel(Arc::clone(&self.stop)));
            for statement in &tree.statements {
                match session.execute(statement) {
                    Ok(Output::Expectation(Some(difference))) => {
                        let diagnostic = difference.diagnostic(statement.span);
                        case.faults.push(fault(&diagnostic, &source, colour));
                    }
                    Ok(_) => {}
                    Err(ScriptError::Cancelled) => return Err(ScriptError::Cancelled),
                    Err(error) => {
                        case.faults.extend(stories(&error, &source, colour));
                        break;
                    }
                }
            }
        }
        case.time = started.elapsed();
        Ok(Some(case))
    }
}

fn stories(error: &ScriptError, source: &Source, colour: bool) -> Vec<(String, String)> {
    match error {
        ScriptError::Text(all) => all.iter().map(|d| fault(d, source, colour)).collect(),
        ScriptError::Loaded {
            name,
            text,
            diagnostics,
        } => {
            let loaded = Source::typed(name, text);
            diagnostics
                .iter()
                .map(|d| fault(d, &loaded, colour))
                .collect()
        }
        ScriptError::Cancelled => Vec::new(),
    }
}

/// `animals.lq:7: expected TRUE, found FALSE`, and the same drawn.
fn fault(diagnostic: &Diagnostic, source: &Source, colour: bool) -> (String, String) {
    let place = match diagnostic.span() {
        Some(span) => {
            let before = source.text.get(..span.start).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            format!("{}:{line}", source.name)
        }
        None => source.name.clone(),
    };
    (
        format!("{place}: {}", diagnostic.message),
        diagnostic.render(&source.name, &source.text, colour),
    )
}

struct Reporter<'t> {
    format: Report,
    terminal: &'t Terminal,
    cases: Vec<Case>,
    started: Instant,
}

impl<'t> Reporter<'t> {
    fn new(format: Report, terminal: &'t Terminal) -> Reporter<'t> {
        Reporter {
            format,
            terminal,
            cases: Vec::new(),
            started: Instant::now(),
        }
    }

    /// One script has been run.
    fn one(&mut self, out: &mut dyn Write, case: Case) -> io::Result<()> {
        match self.format {
            Report::Text => self.text(out, &case)?,
            Report::Tap => self.tap(out, &case)?,
            Report::Junit => {}
        }
        out.flush()?;
        self.cases.push(case);
        Ok(())
    }

    fn text(&self, out: &mut dyn Write, case: &Case) -> io::Result<()> {
        let paint = self.terminal.paint;
        let name = plain(&case.name);
        if case.faults.is_empty() {
            let held = count_of(case.expectations as u64, "expectation", "expectations");
            return writeln!(out, "{} {name} {}", paint.good("pass"), paint.faint(&held));
        }
        writeln!(out, "{} {name}", paint.bad("FAIL"))?;
        for (_, story) in &case.faults {
            for line in story.trim_end().lines() {
                writeln!(out, "     {line}")?;
            }
        }
        Ok(())
    }

    fn tap(&self, out: &mut dyn Write, case: &Case) -> io::Result<()> {
        let number = self.cases.len() + 1;
        if number == 1 {
            writeln!(out, "TAP version 14")?;
        }
        let name = plain(&case.name).replace('#', "\\#");
        if case.faults.is_empty() {
            return writeln!(out, "ok {number} - {name}");
        }
        writeln!(out, "not ok {number} - {name}")?;
        for (line, _) in &case.faults {
            writeln!(out, "# {}", plain(line))?;
        }
        Ok(())
    }

    /// All scripts have been run.
    fn close(&self, out: &mut dyn Write) -> io::Result<()> {
        let failed = self.cases.iter().filter(|c| !c.faults.is_empty()).count();
        let passed = self.cases.len() - failed;
        match self.format {
            Report::Text => {
                if self.cases.is_empty() {
                    return Ok(());
                }
                let line = format!("{passed} passed, {failed} failed");
                let paint = self.terminal.paint;
                let line = if failed > 0 {
                    paint.bad(&line)
                } else {
                    paint.good(&line)
                };
                let time = match self.terminal.interactive {
                    true => paint.faint(&format!(", in {}", spent(self.started.elapsed()))),
                    false => String::new(),
                };
                writeln!(out, "\n{line}{time}")
            }
            Report::Tap => writeln!(out, "1..{}", self.cases.len()),
            Report::Junit => self.junit(out, failed),
        }
    }

    fn junit(&self, out: &mut dyn Write, failed: usize) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        let all = self.cases.len();
        writeln!(
            out,
            "<testsuite name=\"latweave\" tests=\"{all}\" failures=\"{failed}\">"
        )?;
        for case in &self.cases {
            let name = xml(&case.name);
            let seconds = case.time.as_secs_f64();
            write!(out, "  <testcase name=\"{name}\" time=\"{seconds:.3}\"")?;
            if case.faults.is_empty() {
                writeln!(out, "/>")?;
                continue;
            }
            writeln!(out, ">")?;
            for (line, story) in &case.faults {
                let (line, story) = (xml(line), xml(story));
                writeln!(out, "    <failure message=\"{line}\">{story}</failure>")?;
            }
            writeln!(out, "  </testcase>")?;
        }
        writeln!(out, "</testsuite>")
    }
}

/// Text for XML: what XML cannot hold is left out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_well_formed_whatever_the_text() {
        assert_eq!(xml("a<b & \"c\"\u{1b}"), "a&lt;b &amp; &quot;c&quot;");
    }
}
