//! From text to tree, one chunk at a time.

use std::borrow::Cow;

use pest::Parser;

use super::build::Builder;
use super::diagnostic::{Code, Diagnostic, Severity};
use super::failure;
use super::foreign;
use super::grammar::{LqParser, Rule};
use super::scan::{Chunk, Problem, Scanner, next_starter_line};
use super::stack::with_room;
use super::tree::{Comment, Query, Span, Statement, StatementKind, Tree};
use super::{MAX_DEPTH, MAX_ERRORS, MAX_STATEMENTS, MAX_STRING, MAX_TEXT};

/// Reads a whole text.
///
/// # Errors
///
/// Every error found, statement by statement, in order of position (with the
/// warnings between them).
pub fn parse(text: &str) -> Result<Tree, Vec<Diagnostic>> {
    let (tree, diagnostics) = parse_lenient(text);
    if diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
    {
        Err(diagnostics)
    } else {
        Ok(tree)
    }
}

/// Reads what can be read: the sound statements, and what is to tell about the
/// others. Reading goes on at the next statement after an error.
pub fn parse_lenient(text: &str) -> (Tree, Vec<Diagnostic>) {
    let mut tree = Tree::default();
    let mut diagnostics = Vec::new();
    for mut parsed in Statements::new(text) {
        tree.statements.append(&mut parsed.statements);
        tree.comments.append(&mut parsed.comments);
        diagnostics.append(&mut parsed.diagnostics);
    }
    (tree, diagnostics)
}

/// Reads exactly one query.
///
/// # Errors
///
/// The errors of the text, or E028 if it is anything but one query.
pub fn parse_query(text: &str) -> Result<Query, Vec<Diagnostic>> {
    let tree = parse(text)?;
    let count = tree.statements.len();
    let mut statements = tree.statements.into_iter();
    let fault = match (statements.next(), count) {
        (
            Some(Statement {
                kind: StatementKind::Query(query),
                ..
            }),
            1,
        ) => return Ok(query),
        (Some(statement), 1) => (statement.span, "this is no query"),
        (Some(_), _) => match statements.next() {
            Some(second) => (second.span, "a second statement"),
            None => (Span::default(), "a second statement"),
        },
        (None, _) => (Span::new(text.len(), text.len()), "nothing to ask"),
    };
    let diagnostic = Diagnostic::error(Code::E028, "exactly one query is wanted here");
    let help = "a query is MEET, COMPARE, READ or ABSTAIN";
    Err(vec![diagnostic.label(fault.0, fault.1).help(help)])
}

/// Whether the text is the beginning of something longer: its only error is that
/// it ends. A shell then asks for another line.
pub fn is_incomplete(text: &str) -> bool {
    let mut incomplete = false;
    for parsed in Statements::new(text) {
        let failed = parsed
            .diagnostics
            .iter()
            .any(|told| told.severity == Severity::Error);
        if failed && !parsed.incomplete {
            return false;
        }
        incomplete |= parsed.incomplete;
    }
    incomplete
}

/// What one chunk of a text gave.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The sound statements, most often one.
    pub statements: Vec<Statement>,
    /// The comments in it.
    pub comments: Vec<Comment>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The bytes it covers.
    pub span: Span,
    /// Whether its only error is that the text ends.
    pub incomplete: bool,
}

/// The statements of a text, read one after another: memory is bounded by the
/// longest statement, whatever the length of the text.
///
/// A statement that cannot be read does not end the iteration; after
/// [`MAX_ERRORS`] errors or [`MAX_STATEMENTS`] statements it ends.
pub struct Statements<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    errors: usize,
    statements: usize,
    ended: bool,
}

impl<'t> Statements<'t> {
    /// The statements of `text`. Spans count from its start.
    pub fn new(text: &'t str) -> Self {
        Statements {
            text,
            scanner: Scanner::new(text),
            errors: 0,
            statements: 0,
            ended: false,
        }
    }

    fn too_long(&mut self, limit: &str, at: usize) -> Parsed {
        self.ended = true;
        let span = Span::new(at, at);
        let diagnostic = Diagnostic::error(Code::E008, format!("the text has more than {limit}"))
            .label(span, "the limit")
            .help("split the text, or load data with LOAD");
        Parsed {
            diagnostics: vec![diagnostic],
            span,
            ..Parsed::default()
        }
    }
}

impl Iterator for Statements<'_> {
    type Item = Parsed;

    fn next(&mut self) -> Option<Parsed> {
        if self.ended {
            return None;
        }
        if self.text.len() > MAX_TEXT {
            return Some(self.too_long(&format!("{MAX_TEXT} bytes"), MAX_TEXT));
        }
        let chunk = self.scanner.next()?;
        let start = chunk.span.start;
        let mut parsed = read_chunk(self.text, &chunk);
        // A quote that is missing in one line swallows the lines that follow; go
        // on at the first of them that begins a statement.
        if !parsed.diagnostics.is_empty()
            && chunk.problem.is_none()
            && let Some(string) = chunk.broken_string
            && parsed
                .diagnostics
                .iter()
                .any(|told| told.span().is_some_and(|span| span.start >= string))
            && let Some(at) = next_starter_line(self.text, string).filter(|at| *at < chunk.span.end)
        {
            self.scanner.resume(at);
            parsed.statements.clear();
            parsed.diagnostics = vec![failure::open_string(string)];
            parsed.comments.retain(|comment| comment.span.start < at);
            parsed.span.end = at;
            parsed.incomplete = false;
        }
        self.errors += parsed.diagnostics.len();
        self.statements += parsed.statements.len();
        if self.errors >= MAX_ERRORS {
            self.ended = true;
        }
        if self.statements > MAX_STATEMENTS {
            return Some(self.too_long(&format!("{MAX_STATEMENTS} statements"), start));
        }
        Some(parsed)
    }
}

fn read_chunk(text: &str, chunk: &Chunk) -> Parsed {
    let mut parsed = Parsed {
        comments: chunk.comments.clone(),
        span: chunk.span,
        diagnostics: chunk
            .foreign
            .iter()
            .map(|found| foreign::comment(text, found))
            .collect(),
        ..Parsed::default()
    };
    let at_end = !chunk.ended && chunk.span.end >= text.len();
    if let Some(problem) = &chunk.problem {
        parsed.incomplete = match problem {
            Problem::OpenString(_) => true,
            Problem::OpenBracket(..) => at_end,
            _ => false,
        };
        parsed.diagnostics.push(refuse(problem));
        return parsed;
    }
    if !chunk.filled {
        return parsed;
    }
    let work = || read_source(text, chunk, at_end, &mut parsed);
    if with_room(chunk.depth, work).is_none() {
        parsed.statements.clear();
        parsed.diagnostics.push(failure::no_stack(chunk.span));
    }
    parsed
}

fn read_source(text: &str, chunk: &Chunk, at_end: bool, parsed: &mut Parsed) {
    let source = masked(text, chunk);
    match LqParser::parse(Rule::chunk, &source) {
        Ok(mut pairs) => {
            let mut builder = Builder::new(&source, chunk);
            if let Some(pair) = pairs.next() {
                parsed.statements = builder.chunk(pair);
            }
            parsed.diagnostics.append(&mut builder.diagnostics);
        }
        Err(error) => {
            let (diagnostic, reached_end) = failure::explain(&source, chunk, &error);
            parsed.incomplete = at_end && reached_end && parsed.diagnostics.is_empty();
            parsed.diagnostics.push(diagnostic);
        }
    }
}

/// The bytes of a chunk, with comments of other languages blanked out.
fn masked<'t>(text: &'t str, chunk: &Chunk) -> Cow<'t, str> {
    let source = text.get(chunk.span.start..chunk.span.end).unwrap_or("");
    if chunk.foreign.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for comment in &chunk.foreign {
        let start = comment.span.start.saturating_sub(chunk.span.start);
        let end = comment.span.end.saturating_sub(chunk.span.start);
        out.push_str(source.get(at..start).unwrap_or(""));
        for byte in source.get(start..end).unwrap_or("").bytes() {
            out.push(if byte == b'\n' { '\n' } else { ' ' });
        }
        at = end;
    }
    out.push_str(source.get(at..).unwrap_or(""));
    Cow::Owned(out)
}

fn refuse(problem: &Problem) -> Diagnostic {
    match problem {
        Problem::OpenString(at) => failure::open_string(*at),
        Problem::OpenBracket(bracket, at) => {
            let closing = if *bracket == '(' { ')' } else { '}' };
            Diagnostic::error(Code::E004, format!("this `{bracket}` is never closed"))
                .label(Span::new(*at, at + 1), "opened here")
                .help(format!(
                    "a `{closing}` is missing before the statement ends"
                ))
        }
        Problem::StrayBracket(bracket, at, open) => {
            let diagnostic =
                Diagnostic::error(Code::E004, format!("this `{bracket}` closes nothing"))
                    .label(Span::new(*at, at + 1), "nothing of its kind is open");
            match open {
                Some((open, place)) => {
                    diagnostic.label(Span::new(*place, place + 1), format!("`{open}` is open"))
                }
                None => diagnostic.help("remove it, or open it where it belongs"),
            }
        }
        Problem::TooDeep(at) => {
            Diagnostic::error(Code::E007, format!("nested more than {MAX_DEPTH} deep"))
                .label(Span::new(*at, at + 1), "the limit is reached here")
                .help("AND and OR are lists of any length; LET names an inner query")
        }
        Problem::LongString(span) => Diagnostic::error(
            Code::E008,
            format!("a text in quotes has more than {MAX_STRING} bytes"),
        )
        .label(*span, "too long")
        .help("is a quote missing at its end?"),
    }
}
