//! Colours, hints and completion while a line is typed.

use super::complete::{Knowledge, complete};
use super::tokens::{Kind, is_keyword, tokens};
use crate::shell::terminal::Paint;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;

/// What rustyline asks while a line is typed.
pub struct LineHelper {
    /// What completion knows.
    pub knowledge: Knowledge,
    paint: Paint,
    files: FilenameCompleter,
    history: HistoryHinter,
}

impl LineHelper {
    /// A helper that knows a lattice.
    pub fn new(knowledge: Knowledge, paint: Paint) -> LineHelper {
        LineHelper {
            knowledge,
            paint,
            files: FilenameCompleter::new(),
            history: HistoryHinter::new(),
        }
    }
}

impl Helper for LineHelper {}
impl Validator for LineHelper {}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(complete(line, pos, &self.knowledge, &self.files, false))
    }
}

impl Hinter for LineHelper {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        if pos < line.len() || line.trim().is_empty() {
            return None;
        }
        if let Some(hint) = self.history.hint(line, pos, context) {
            return Some(hint);
        }
        // The only way to go on is shown; of several none is.
        let (start, found) = complete(line, pos, &self.knowledge, &self.files, true);
        let typed = line.get(start..pos)?;
        match found.as_slice() {
            [only] if typed.len() >= 2 => {
                let rest = only.replacement.strip_prefix(typed)?;
                (!rest.is_empty()).then(|| rest.to_string())
            }
            _ => None,
        }
    }
}

impl Highlighter for LineHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if !self.paint.on() {
            return Cow::Borrowed(line);
        }
        if line.starts_with('.') {
            return Cow::Owned(self.paint.keyword(line));
        }
        let mut out = String::with_capacity(line.len() * 2);
        let mut at = 0;
        for token in tokens(line) {
            out.push_str(line.get(at..token.span.start).unwrap_or(""));
            let text = token.text(line);
            out.push_str(&match token.kind {
                Kind::Word if is_keyword(text) => self.paint.keyword(text),
                Kind::Quoted(_) => self.paint.quotation(text),
                Kind::Number | Kind::Sigil => self.paint.number(text),
                Kind::Comment => self.paint.faint(text),
                Kind::Word | Kind::Sign => text.to_string(),
            });
            at = token.span.end;
        }
        out.push_str(line.get(at..).unwrap_or(""));
        Cow::Owned(out)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.paint.faint(hint))
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.paint.on()
    }
}
