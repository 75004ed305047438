//! Where the program's words go: colours, widths, interrupts and exit statuses.

use super::args::Color;
use crate::engine::RunError;
use crate::lattice::StoreError;
use colored::Colorize;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A verdict was reached; all is well.
    Done,
    /// A script, expectation or input is wrong.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The last verdict was an abstention (only on request).
    Abstained,
    /// Done in part, as asked.
    Partly,
    /// A limit of time or memory was reached.
    Spent,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The exit status.
    pub fn status(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Abstained => 3,
            Exit::Partly => 4,
            Exit::Spent => 5,
            Exit::Interrupted => 130,
        }
    }
}

/// What ends a command before its time.
#[derive(Debug)]
pub enum Failure {
    /// It was told already.
    Told(Exit),
    /// One sentence that says what is wrong, and perhaps one that helps.
    Message {
        /// What is wrong.
        text: String,
        /// What to do.
        help: Option<String>,
        /// How the program ends.
        exit: Exit,
    },
    /// Nobody reads the output any more: no reason to say anything.
    Pipe,
}

impl Failure {
    /// A failure with its sentence.
    pub fn new(text: impl ToString) -> Failure {
        Failure::Message {
            text: text.to_string(),
            help: None,
            exit: Exit::Failed,
        }
    }

    /// The same, with what to do.
    pub fn with_help(text: impl ToString, help: impl ToString) -> Failure {
        Failure::Message {
            text: text.to_string(),
            help: Some(help.to_string()),
            exit: Exit::Failed,
        }
    }

    /// Ctrl-C was pressed; what that left undone.
    pub fn interrupted(undone: impl fmt::Display) -> Failure {
        Failure::Message {
            text: format!("interrupted; {undone}"),
            help: None,
            exit: Exit::Interrupted,
        }
    }
}

/// A query that reached no verdict.
impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let exit = match error {
            RunError::OutOfTime { .. } | RunError::OutOfMemory { .. } => Exit::Spent,
            RunError::Cancelled => Exit::Interrupted,
            _ => Exit::Failed,
        };
        Failure::Message {
            text: error.to_string(),
            help: None,
            exit,
        }
    }
}

/// An error while writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::Pipe
        } else if let Some(damage) = error.get_ref().and_then(|e| e.downcast_ref::<StoreError>()) {
            Failure::new(damage)
        } else {
            Failure::new(format!("the output cannot be written: {error}"))
        }
    }
}

/// Colours text, or leaves it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint(bool);

impl Paint {
    /// No colours at all.
    pub const PLAIN: Paint = Paint(false);

    /// Whether there are colours.
    pub fn on(self) -> bool {
        self.0
    }
    fn with(self, text: &str, style: impl Fn(&str) -> colored::ColoredString) -> String {
        if self.0 && !text.is_empty() {
            style(text).to_string()
        } else {
            text.to_string()
        }
    }
    /// A title.
    pub fn strong(self, text: &str) -> String {
        self.with(text, |t| t.bold())
    }
    /// What matters less.
    pub fn faint(self, text: &str) -> String {
        self.with(text, |t| t.dimmed())
    }
    /// What went well.
    pub fn good(self, text: &str) -> String {
        self.with(text, |t| t.green().bold())
    }
    /// What went wrong.
    pub fn bad(self, text: &str) -> String {
        self.with(text, |t| t.red().bold())
    }
    /// What needs attention: an abstention, a warning.
    pub fn notice(self, text: &str) -> String {
        self.with(text, |t| t.yellow().bold())
    }
    /// A keyword of LQ.
    pub fn keyword(self, text: &str) -> String {
        self.with(text, |t| t.blue().bold())
    }
    /// A string of LQ, a quotation.
    pub fn quotation(self, text: &str) -> String {
        self.with(text, |t| t.green())
    }
    /// A number of LQ, a dimension in a table.
    pub fn number(self, text: &str) -> String {
        self.with(text, |t| t.cyan())
    }
}

/// The streams of the program and what they can do.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Whether standard output is a terminal.
    pub interactive: bool,
    /// Whether standard error is a terminal.
    pub error_interactive: bool,
    /// Colours of standard output.
    pub paint: Paint,
    /// Colours of standard error.
    pub error_paint: Paint,
    /// Columns of standard output, where it is a terminal.
    pub width: Option<usize>,
    /// Ctrl-C.
    pub interrupt: Interrupt,
}

impl Terminal {
    /// Looks at the streams and the environment.
    pub fn new(color: Color) -> Terminal {
        colored::control::set_override(true);
        let interactive = io::stdout().is_terminal();
        let error_interactive = io::stderr().is_terminal();
        Terminal {
            interactive,
            error_interactive,
            paint: Paint(wants_colour(color, interactive)),
            error_paint: Paint(wants_colour(color, error_interactive)),
            width: if interactive { columns() } else { None },
            interrupt: Interrupt::install(),
        }
    }

    /// Tells a failure on standard error and gives the program's end.
    pub fn tell(&self, failure: Failure) -> Exit {
        match failure {
            Failure::Told(exit) => exit,
            Failure::Pipe => Exit::Done,
            Failure::Message { text, help, exit } => {
                eprintln!("{} {text}", self.error_paint.bad("error:"));
                if let Some(help) = help {
                    eprintln!("{} {help}", self.error_paint.strong("help:"));
                }
                exit
            }
        }
    }

    /// Tells something that does not stop the work.
    pub fn warn(&self, text: &str) {
        eprintln!("{} {text}", self.error_paint.notice("warning:"));
    }
}

fn wants_colour(color: Color, terminal: bool) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
            terminal && !set("NO_COLOR") && !dumb
        }
    }
}

/// The columns of the terminal; COLUMNS where the terminal does not say.
fn columns() -> Option<usize> {
    let told = console_columns().filter(|n| *n > 0);
    let set = std::env::var("COLUMNS").ok().and_then(|n| n.parse().ok());
    Some(told.or(set).unwrap_or(80).clamp(20, 500))
}

fn console_columns() -> Option<usize> {
    comfy_table::Table::new().width().map(usize::from)
}

/// Ctrl-C: while something runs that can be stopped, it asks that to stop; at
/// other times it ends the program.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// How many pieces of work, one within the other, can be stopped.
    busy: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Listens for Ctrl-C. Only the first call in a process does; later ones
    /// share it.
    pub fn install() -> Interrupt {
        static ONLY: OnceLock<Interrupt> = OnceLock::new();
        ONLY.get_or_init(|| {
            let interrupt = Interrupt::default();
            let heard = interrupt.clone();
            // Without a handler Ctrl-C ends the program, which is no worse.
            let _ = ctrlc::set_handler(move || {
                if heard.busy.load(Ordering::SeqCst) > 0 {
                    heard.asked.store(true, Ordering::SeqCst);
                } else {
                    std::process::exit(i32::from(Exit::Interrupted.status()));
                }
            });
            interrupt
        })
        .clone()
    }

    /// The flag that is set when work has to stop.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }

    /// Whether Ctrl-C was pressed since [`Interrupt::begin`].
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Begins work that can be stopped. Within other such work it is a part of that.
    pub fn begin(&self) -> Busy {
        if self.busy.fetch_add(1, Ordering::SeqCst) == 0 {
            self.asked.store(false, Ordering::SeqCst);
        }
        Busy(self.busy.clone())
    }

    /// A writer that takes no more once Ctrl-C was pressed.
    pub fn heeded<W: Write>(&self, writer: W) -> Heeded<W> {
        Heeded {
            writer,
            interrupt: self.clone(),
        }
    }
}

/// While it lives, Ctrl-C asks the work to stop.
#[derive(Debug)]
pub struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Takes no more once Ctrl-C was pressed.
#[derive(Debug)]
pub struct Heeded<W> {
    writer: W,
    interrupt: Interrupt,
}

impl<W> Heeded<W> {
    /// What is written to.
    pub fn into_inner(self) -> W {
        self.writer
    }
}

impl<W: Write> Write for Heeded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.asked() {
            return Err(io::Error::other("interrupted"));
        }
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Makes text from files safe for a terminal: control characters are shown as
/// escapes, so that no name can move the cursor or hide what follows.
pub fn plain(text: &str) -> String {
    if text.chars().any(unsafe_on_a_terminal) {
        text.chars().fold(String::new(), |mut all, c| {
            match c {
                '\n' => all.push_str("\\n"),
                '\t' => all.push_str("\\t"),
                c if unsafe_on_a_terminal(c) => {
                    all.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
                }
                c => all.push(c),
            }
            all
        })
    } else {
        text.to_string()
    }
}

fn unsafe_on_a_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `1 instance`, `2 instances`, `1,200 values`.
pub fn count_of(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// `1234567` as `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A span of time for people: `0.4 ms`, `1.2 s`, `3 min 5 s`.
pub fn spent(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(plain("日本語"), "日本語");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn colours_only_where_wanted() {
        assert!(wants_colour(Color::Always, false));
        assert!(!wants_colour(Color::Never, true));
        assert!(!wants_colour(Color::Auto, false));
    }
}
