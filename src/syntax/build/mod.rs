//! From the grammar's pairs to the tree, with the checks a grammar cannot make.
//!
//! A method returns `None` only after an error was reported, or where the grammar
//! and this code disagree; the caller reports that as a fault of the program.

mod constraint;
mod fact;
mod query;
mod statement;
mod term;

use super::MAX_DEPTH;
use super::diagnostic::{Code, Diagnostic};
use super::foreign;
use super::grammar::{Pair, Rule};
use super::scan::Chunk;
use super::tree::{Name, Path, Span, Statement};
use super::words::is_blank;

/// Builds the tree of one chunk.
pub(crate) struct Builder<'t> {
    /// Where the chunk begins in the text.
    base: usize,
    /// The chunk's bytes, as the grammar read them.
    text: &'t str,
    chunk: &'t Chunk,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Within PATTERN, where braces are holes.
    in_pattern: bool,
    /// Within a list of values, where a comma parts them.
    in_list: bool,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(text: &'t str, chunk: &'t Chunk) -> Self {
        Builder {
            base: chunk.span.start,
            text,
            chunk,
            diagnostics: Vec::new(),
            in_pattern: false,
            in_list: false,
        }
    }

    /// The statements of a chunk, those with errors left out.
    pub(crate) fn chunk(&mut self, chunk: Pair<'_>) -> Vec<Statement> {
        let mut statements = Vec::new();
        for pair in chunk.into_inner() {
            match pair.as_rule() {
                Rule::statement => {}
                Rule::foreign_condition => {
                    let span = self.span(&pair);
                    self.report(foreign::bare_condition(pair.as_str(), span));
                    continue;
                }
                _ => continue,
            }
            let span = self.span(&pair);
            let before = self.errors();
            self.in_pattern = false;
            let kind = pair
                .into_inner()
                .next()
                .and_then(|inner| self.statement(inner));
            let sound = self.errors() == before;
            match kind {
                Some(kind) if sound => statements.push(Statement { kind, span }),
                None if sound => self.report(
                    Diagnostic::error(Code::E099, "the grammar accepts what the tree cannot hold")
                        .label(span, "in this statement"),
                ),
                _ => {}
            }
        }
        statements
    }

    fn errors(&self) -> usize {
        let error = super::diagnostic::Severity::Error;
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == error)
            .count()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The bytes of a pair without the white space and comments behind it, which
    /// pest leaves inside where an optional part is absent.
    fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        let (start, mut end) = (span.start(), span.end());
        loop {
            let text = self.text.get(start..end).unwrap_or("");
            end = start + text.trim_end_matches(is_blank).len();
            let absolute = self.base + end;
            let comments = &self.chunk.comments;
            match comments.binary_search_by(|comment| comment.span.end.cmp(&absolute)) {
                Ok(found) => match comments.get(found) {
                    Some(comment) if comment.span.start > self.base + start => {
                        end = comment.span.start - self.base;
                    }
                    _ => break,
                },
                Err(_) => break,
            }
        }
        Span::new(self.base + start, self.base + end)
    }

    /// The text of a span, on one line.
    fn text_of(&self, span: Span) -> &'t str {
        let start = span.start.saturating_sub(self.base);
        let end = span.end.saturating_sub(self.base);
        self.text.get(start..end).unwrap_or("")
    }

    fn name(&mut self, pair: Pair<'_>) -> Option<Name> {
        let span = self.span(&pair);
        let inner = match pair.as_rule() {
            Rule::word | Rule::any_word | Rule::string => pair,
            _ => pair.into_inner().next()?,
        };
        let (text, quoted) = match inner.as_rule() {
            Rule::string | Rule::foreign_quoted => (self.literal_text(&inner)?, true),
            _ => (inner.as_str().to_owned(), false),
        };
        Some(Name { text, quoted, span })
    }

    /// The text in quotes of a `literal`.
    fn literal(&mut self, pair: Pair<'_>) -> Option<String> {
        let inner = pair.into_inner().next()?;
        self.literal_text(&inner)
    }

    fn literal_text(&mut self, pair: &Pair<'_>) -> Option<String> {
        let span = self.span(pair);
        let token = pair.as_str();
        if pair.as_rule() == Rule::foreign_quoted {
            let (text, diagnostic) = foreign::quoted(token, span);
            self.report(diagnostic);
            return Some(text);
        }
        let inside = token.strip_prefix('"')?.strip_suffix('"')?;
        Some(self.unescape(inside, span.start + 1))
    }

    fn unescape(&mut self, inside: &str, start: usize) -> String {
        if !inside.contains('\\') {
            return inside.to_owned();
        }
        let mut out = String::with_capacity(inside.len());
        let mut rest = inside;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            out.push_str(before);
            let place = start + (inside.len() - escape.len());
            let (character, length) = self.escape(escape, place);
            out.extend(character);
            rest = escape.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        out
    }

    /// One escape at the start of `text`: its character, and its bytes.
    fn escape(&mut self, text: &str, place: usize) -> (Option<char>, usize) {
        let kind = text.chars().nth(1);
        match kind {
            Some('"' | '\\') => return (kind, 2),
            Some('n') => return (Some('\n'), 2),
            Some('u') => {
                if let Some(end) = text.find('}')
                    && let Some(digits) = text.get(..end).and_then(|head| head.strip_prefix("\\u{"))
                    && (1..=6).contains(&digits.len())
                    && let Ok(number) = u32::from_str_radix(digits, 16)
                    && let Some(character) = char::from_u32(number)
                {
                    return (Some(character), end + 1);
                }
            }
            _ => {}
        }
        let length = 1 + kind.map_or(0, char::len_utf8);
        let span = Span::new(place, place + length);
        let shown = text.get(..length).unwrap_or("\\");
        let mut diagnostic = Diagnostic::error(Code::E005, format!("`{shown}` is no escape"))
            .label(span, "unknown escape")
            .help(
                "the escapes are `\\\"`, `\\\\`, `\\n` and `\\u{…}`; a backslash itself is `\\\\`",
            );
        diagnostic = match kind {
            Some('t') => diagnostic.fix(span, "\\u{9}"),
            Some('r') => diagnostic.fix(span, "\\u{d}"),
            Some(plain @ ('\'' | '/' | '`')) => diagnostic.fix(span, plain),
            _ => diagnostic,
        };
        self.report(diagnostic);
        (kind, length)
    }

    fn path(&mut self, pair: Pair<'_>) -> Option<Path> {
        let span = self.span(&pair);
        let steps: Option<Vec<Name>> = pair.into_inner().map(|step| self.name(step)).collect();
        let steps = steps?;
        if steps.len() > MAX_DEPTH {
            self.report(
                Diagnostic::error(
                    Code::E007,
                    format!("a path of {} steps, more than {MAX_DEPTH}", steps.len()),
                )
                .label(span, "this path is too long")
                .help(
                    "walk it in parts: name the values of one part with LET, and go on from there",
                ),
            );
            return None;
        }
        Some(Path { steps, span })
    }

    fn names(&mut self, list: Pair<'_>) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        for pair in list.into_inner() {
            match pair.as_rule() {
                Rule::trailing_comma => self.trailing_comma(&pair),
                _ => names.push(self.name(pair)?),
            }
        }
        Some(names)
    }

    fn paths(&mut self, list: Pair<'_>) -> Option<Vec<Path>> {
        let mut paths = Vec::new();
        for pair in list.into_inner() {
            match pair.as_rule() {
                Rule::trailing_comma => self.trailing_comma(&pair),
                _ => paths.push(self.path(pair)?),
            }
        }
        Some(paths)
    }

    fn trailing_comma(&mut self, pair: &Pair<'_>) {
        let span = self.span(pair);
        self.report(foreign::comma(span));
    }

    /// A confidence token: a decimal from 0 to 1.
    fn confidence_token(&mut self, pair: &Pair<'_>) -> Option<String> {
        use super::amount::{Amount, classify, compare_decimals};
        let span = self.span(pair);
        match classify(pair.as_str(), span) {
            Ok(Amount::Number(text)) if !text.starts_with(['-', '+']) => {
                if compare_decimals(&text, "1").is_gt() {
                    self.report(confidence_fault(&text, span));
                }
                Some(text)
            }
            Ok(Amount::Number(text) | Amount::Date(text)) => {
                self.report(confidence_fault(&text, span));
                Some(text)
            }
            Err(diagnostic) => {
                self.report(*diagnostic);
                Some("1".to_owned())
            }
        }
    }

    fn whole_number(&mut self, pair: &Pair<'_>, text: &str) -> Option<u64> {
        let number = text.parse::<u64>().ok();
        if number.is_none() {
            let span = self.span(pair);
            self.report(
                Diagnostic::error(Code::E014, format!("`{text}` is too large here"))
                    .label(span, "more than 64 bits"),
            );
        }
        number
    }
}

fn confidence_fault(text: &str, span: Span) -> Diagnostic {
    let help = match text.parse::<u8>() {
        Ok(percent @ 2..=100) => {
            format!("{percent} percent is `{}`", f64::from(percent) / 100.0)
        }
        _ => "a confidence is a decimal from 0 to 1, such as `0.8`".to_owned(),
    };
    Diagnostic::error(
        Code::E017,
        format!("the confidence `{text}` does not lie between 0 and 1"),
    )
    .label(span, "not from 0 to 1")
    .help(help)
}
