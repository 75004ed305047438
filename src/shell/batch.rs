//! The statements of a text, run and printed in their order. Those that ask are run on
//! several threads, and what each gives is printed when all before it has been: the
//! words are the same, however many threads there are.

use super::progress::Watch;
use super::render::{self, Manner};
use super::report;
use super::results::Results;
use super::source::Source;
use super::terminal::{Exit, Failure, Terminal};
use super::threads::Threads;
use crate::engine::Budget;
use crate::script::{Inquiry, Output, ScriptError, Session};
use crate::syntax::parse_lenient;
use crate::syntax::tree::{Statement, StatementKind};
use rayon::ScopeFifo;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Runs one text to its end, or to its first error.
pub fn run_source(
    session: &mut Session,
    source: &Source,
    results: &mut Results,
    threads: Option<NonZeroUsize>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let (tree, diagnostics) = parse_lenient(&source.text);
    if source.tell(terminal, &diagnostics) {
        results.stop(&source.name, &source.text, &diagnostics);
        return Ok(Exit::Failed);
    }
    session.begin_text(&source.name, &source.text, &source.folder);
    let inquiries = tree.statements.iter().filter(|s| Inquiry::is_made_of(s));
    let mut text = Text {
        session,
        source,
        results,
        terminal,
        exit: Exit::Done,
    };
    let ended = match Threads::new(threads, inquiries.take(MANY).count()) {
        None => text.one_by_one(&tree.statements),
        Some(threads) => text.on(&threads, &tree.statements),
    };
    match ended {
        Ok(()) => {}
        Err(End::Error(error)) => return Ok(text.fail(&error)),
        Err(End::Failure(failure)) => return Err(failure),
        // It is read anew where it is told.
        Err(End::Damage(_)) => {}
    }
    if let Err(error) = text.session.settle() {
        return Ok(text.fail(&error));
    }
    Ok(text.exit)
}

/// More inquiries than this need no counting.
const MANY: usize = 1024;

/// Why a text is not run to its end.
enum End {
    /// A statement is wrong.
    Error(ScriptError),
    /// What it gave cannot be printed.
    Failure(Failure),
    /// Something that was begun has come upon damage, so that nothing more can be said of
    /// this reading of the lattice. So many bytes of what is next have been printed.
    Damage(usize),
}

impl From<ScriptError> for End {
    fn from(error: ScriptError) -> End {
        End::Error(error)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Failure(failure)
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Failure(error.into())
    }
}

/// A text that is being run.
struct Text<'a> {
    session: &'a mut Session,
    source: &'a Source,
    results: &'a mut Results,
    terminal: &'a Terminal,
    exit: Exit,
}

impl Text<'_> {
    fn fail(&mut self, error: &ScriptError) -> Exit {
        self.results.stop_at(self.source, error);
        self.source.tell_error(self.terminal, error)
    }

    fn one_by_one(&mut self, statements: &[Statement]) -> Result<(), End> {
        statements.iter().try_for_each(|s| self.one(s))
    }

    /// Runs a statement and prints what it gave.
    fn one(&mut self, statement: &Statement) -> Result<(), End> {
        let started = Instant::now();
        let output = execute(self.session, statement, self.terminal)?;
        let time = self.terminal.interactive.then(|| started.elapsed());
        if let Output::Expectation(Some(difference)) = &output {
            let diagnostic = difference.diagnostic(statement.span);
            self.source.tell(self.terminal, &[diagnostic]);
            self.exit = Exit::Failed;
        }
        if let Output::Loaded(told) = &output {
            report::warnings(told, self.terminal);
        }
        let lattice = match &output {
            Output::Verdict(_) => self.session.verdict().map(|(_, l)| l.clone()),
            _ => None,
        };
        let lattice = lattice.unwrap_or_else(|| self.session.settled().clone());
        self.results.take(output, &lattice, time)?;
        Ok(())
    }

    fn on(&mut self, threads: &Threads, statements: &[Statement]) -> Result<(), End> {
        let aside = Aside {
            print: self
                .results
                .come_one_by_one()
                .then_some(self.results.manner),
            budget: self.results.budget.clone(),
            timed: self.terminal.interactive,
            stop: Arc::default(),
        };
        let window = threads.window;
        threads.pool.in_place_scope_fifo(|scope| {
            let ended = self.in_scope(scope, &aside, window, statements);
            // What was begun and is not wanted any more ends too.
            aside.stop.store(true, Ordering::Relaxed);
            ended
        })
    }

    fn in_scope<'s>(
        &mut self,
        scope: &ScopeFifo<'s>,
        aside: &'s Aside,
        window: usize,
        statements: &'s [Statement],
    ) -> Result<(), End> {
        let mut begun: VecDeque<Begun<'s>> = VecDeque::new();
        let mut rest = statements.iter();
        let ended = loop {
            let Some(statement) = rest.next() else {
                break self.take_all(&mut begun, 0);
            };
            let done = self.begin(scope, aside, statement, &mut begun);
            if let Err(end) = done.and_then(|()| self.take_all(&mut begun, window)) {
                break Err(end);
            }
        };
        match ended {
            Err(End::Damage(printed)) => {
                aside.stop.store(true, Ordering::Relaxed);
                self.session.refresh().map_err(Failure::new)?;
                self.results.skip(printed);
                let mut again = begun.iter().map(Begun::statement).chain(rest);
                again.try_for_each(|statement| self.one(statement))
            }
            ended => ended,
        }
    }

    /// Begins a statement, or runs it where it has to wait for all before it.
    fn begin<'s>(
        &mut self,
        scope: &ScopeFifo<'s>,
        aside: &'s Aside,
        statement: &'s Statement,
        begun: &mut VecDeque<Begun<'s>>,
    ) -> Result<(), End> {
        match &statement.kind {
            // It speaks of the verdict before it, which may not be there yet.
            StatementKind::Expect(_) => begun.push_back(Begun::Later(statement)),
            // It changes nothing that was begun before it; that it is wrong is told in
            // its place.
            StatementKind::Let { .. } => {
                if let Err(error) = self.session.execute(statement) {
                    begun.push_back(Begun::Wrong(statement, error));
                }
            }
            _ => match self.session.inquiry(statement) {
                Ok(Some(inquiry)) => begun.push_back(aside.begin(scope, inquiry)),
                Err(error) => begun.push_back(Begun::Wrong(statement, error)),
                Ok(None) => {
                    begun.push_back(Begun::Later(statement));
                    self.take_all(begun, 0)?;
                }
            },
        }
        Ok(())
    }

    /// Takes what was begun until no more than so much is left.
    fn take_all(&mut self, begun: &mut VecDeque<Begun<'_>>, left: usize) -> Result<(), End> {
        while begun.len() > left {
            let taken = match begun.front() {
                None => break,
                Some(Begun::Asked(inquiry, pieces)) => self.take(inquiry, pieces),
                _ if self.session.settled().intact().is_err() => Err(End::Damage(0)),
                Some(Begun::Later(statement)) => self.one(statement),
                Some(Begun::Wrong(_, error)) => Err(error.clone().into()),
            };
            taken?;
            begun.pop_front();
        }
        Ok(())
    }

    /// Takes what an inquiry gave: prints it as it comes, up to what was found.
    fn take(&mut self, inquiry: &Inquiry<'_>, pieces: &Receiver<Piece>) -> Result<(), End> {
        let mut next = {
            let _busy = self.terminal.interrupt.begin();
            let first = pieces.recv();
            // Others may have been stopped by it already.
            if self.terminal.interrupt.asked() {
                return Err(ScriptError::Cancelled.into());
            }
            first
        };
        let mut out = BufWriter::new(io::stdout().lock());
        let mut is_begun = false;
        let mut printed = 0;
        let damaged = || inquiry.lattice().intact().is_err();
        loop {
            match next {
                Ok(Piece::Printed(bytes)) => {
                    if !is_begun {
                        self.results.separate(&mut out)?;
                    }
                    is_begun = true;
                    printed += bytes.len();
                    out.write_all(&bytes)?;
                }
                Ok(Piece::Failed(_) | Piece::Found(Err(_), _)) if damaged() => {
                    out.flush()?;
                    return Err(End::Damage(printed));
                }
                Ok(Piece::Failed(error)) => {
                    out.flush()?;
                    return Err(error.into());
                }
                Ok(Piece::Found(found, time)) => {
                    out.flush()?;
                    self.session.conclude(inquiry, &found);
                    let output = found?;
                    if !is_begun {
                        self.results.take(output, inquiry.lattice(), time)?;
                    }
                    return Ok(());
                }
                // The thread is gone; what ended it ends the program.
                Err(_) => return Err(ScriptError::Cancelled.into()),
            }
            next = pieces.recv();
        }
    }
}

/// What was begun and is to be taken in its turn.
enum Begun<'s> {
    /// It is run when its turn comes.
    Later(&'s Statement),
    /// It cannot be run.
    Wrong(&'s Statement, ScriptError),
    /// It is being run.
    Asked(Box<Inquiry<'s>>, Receiver<Piece>),
}

impl<'s> Begun<'s> {
    fn statement(&self) -> &'s Statement {
        match self {
            Begun::Later(statement) | Begun::Wrong(statement, _) => statement,
            Begun::Asked(inquiry, _) => inquiry.statement(),
        }
    }
}

/// What comes from a thread: what is printed, then what was found.
enum Piece {
    Printed(Vec<u8>),
    Failed(io::Error),
    Found(Result<Output, ScriptError>, Option<Duration>),
}

/// How inquiries are run beside each other.
struct Aside {
    /// How results are printed, where each one is.
    print: Option<Manner>,
    /// What looking up the evidence may take.
    budget: Budget,
    /// Whether the time is told.
    timed: bool,
    /// Nobody waits for what is still being run.
    stop: Arc<AtomicBool>,
}

impl Aside {
    fn begin<'s>(&'s self, scope: &ScopeFifo<'s>, inquiry: Inquiry<'s>) -> Begun<'s> {
        let inquiry = inquiry.with_cancel(Arc::clone(&self.stop));
        let (sender, receiver) = sync_channel(PIECES);
        let asked = inquiry.clone();
        scope.spawn_fifo(move |_| self.run(&asked, &sender));
        Begun::Asked(Box::new(inquiry), receiver)
    }

    /// Runs an inquiry and sends what it gave. Where nobody takes it any more, the rest
    /// is left.
    fn run(&self, inquiry: &Inquiry<'_>, sender: &SyncSender<Piece>) {
        let started = Instant::now();
        let found = inquiry.run();
        let time = self.timed.then(|| started.elapsed());
        let last = match (&self.print, &found) {
            (Some(manner), Ok(output)) => match self.print(inquiry, output, manner, time, sender) {
                Ok(()) => Piece::Found(found, time),
                Err(error) => Piece::Failed(error),
            },
            _ => Piece::Found(found, time),
        };
        let _ = sender.send(last);
    }

    fn print(
        &self,
        inquiry: &Inquiry<'_>,
        output: &Output,
        manner: &Manner,
        time: Option<Duration>,
        sender: &SyncSender<Piece>,
    ) -> io::Result<()> {
        let budget = self.budget.clone().with_cancel(Arc::clone(&self.stop));
        let mut pieces = Pieces {
            sender,
            held: Vec::new(),
        };
        let lattice = inquiry.lattice();
        let printed = render::print(&mut pieces, manner, lattice, output, time, &budget);
        // What was printed before an error stands before it.
        pieces.flush().and(printed)
    }
}

/// So many pieces wait to be printed.
const PIECES: usize = 4;
/// The length of a piece, in bytes.
const PIECE: usize = 1 << 16;

/// A writer that sends what it is given to the thread that prints.
struct Pieces<'a> {
    sender: &'a SyncSender<Piece>,
    held: Vec<u8>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let piece = Piece::Printed(std::mem::take(&mut self.held));
        let sent = self.sender.send(piece);
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Runs one statement; Ctrl-C stops it, and the loading of a file is shown.
pub fn execute(
    session: &mut Session,
    statement: &Statement,
    terminal: &Terminal,
) -> Result<Output, ScriptError> {
    let _busy = terminal.interrupt.begin();
    if !matches!(statement.kind, StatementKind::Load(_)) {
        return session.execute(statement);
    }
    let watch = Rc::new(RefCell::new(Watch::new(terminal)));
    let watcher = watch.clone();
    session.set_watcher(Box::new(move |bytes, facts| {
        watcher.borrow_mut().tick(bytes, facts);
    }));
    let done = session.execute(statement);
    session.set_watcher(Box::new(|_, _| {}));
    watch.borrow_mut().clear();
    done
}
