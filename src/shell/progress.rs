//! How far long work is: a line that moves on a terminal, a new line every few
//! seconds elsewhere, nothing where it is short.

use super::terminal::{Terminal, grouped};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// How often a line is written where there is no terminal.
pub const LINE_EVERY: Duration = Duration::from_secs(5);
/// Work that ends within this time shows nothing.
const SHORT: Duration = Duration::from_millis(500);

/// Watches the loading of files that statements ask for.
pub struct Watch {
    bar: ProgressBar,
    terminal: bool,
    started: Instant,
    last_line: Instant,
    bytes: u64,
}

impl Watch {
    /// Nothing is shown yet.
    pub fn new(terminal: &Terminal) -> Watch {
        Watch {
            bar: ProgressBar::hidden(),
            terminal: terminal.error_interactive,
            started: Instant::now(),
            last_line: Instant::now(),
            bytes: 0,
        }
    }

    /// So many bytes of a file have been read, with so many facts in them.
    pub fn tick(&mut self, bytes: u64, facts: u64) {
        if bytes < self.bytes {
            self.started = Instant::now();
        }
        self.bytes = bytes;
        let told = format!("{} MB read, {} facts", bytes / 1_000_000, grouped(facts));
        if !self.terminal {
            if self.last_line.elapsed() >= LINE_EVERY {
                self.last_line = Instant::now();
                eprintln!("{told}");
            }
            return;
        }
        if self.bar.is_hidden() {
            if self.started.elapsed() < SHORT {
                return;
            }
            self.bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                self.bar.set_style(style);
            }
        }
        self.bar.set_message(told);
        self.bar.tick();
    }

    /// The statement has ended: what was shown goes.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
        self.bar = ProgressBar::hidden();
        self.started = Instant::now();
        self.last_line = Instant::now();
        self.bytes = 0;
    }
}
