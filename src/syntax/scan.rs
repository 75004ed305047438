//! The light scanner: cuts a text into chunks of about one statement, finds the
//! comments, and refuses what the grammar should never see (unclosed strings and
//! brackets, nesting without bound).
//!
//! It knows strings, comments, brackets and words, and nothing else. It looks at
//! every byte once, so a text of any length costs linear time and one chunk of
//! memory.

use super::tree::{Comment, Span};
use super::words::{continues_word, is_blank, is_starter, starts_word, word_length};
use super::{MAX_DEPTH, MAX_STRING};

/// What the scanner refuses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    /// A string that no quote ends; where it opens.
    OpenString(usize),
    /// A bracket that nothing closes.
    OpenBracket(char, usize),
    /// A closing bracket that fits none, and the open one before it if any.
    StrayBracket(char, usize, Option<(char, usize)>),
    /// Nesting past the bound, at this byte.
    TooDeep(usize),
    /// A string past the bound.
    LongString(Span),
}

/// A comment of another language.
#[derive(Clone, Debug)]
pub(crate) struct ForeignComment {
    pub span: Span,
    /// `#`, `//` or `/*`.
    pub mark: &'static str,
}

/// About one statement: the bytes up to a `;` or to a line that starts the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    pub span: Span,
    pub comments: Vec<Comment>,
    pub foreign: Vec<ForeignComment>,
    pub problem: Option<Problem>,
    /// Whether anything but white space and comments is in it.
    pub filled: bool,
    /// Whether a `;` ended it.
    pub ended: bool,
    /// The deepest nesting.
    pub depth: usize,
    /// The first string that runs over a line end, if any.
    pub broken_string: Option<usize>,
}

/// The last token, as far as cutting needs it.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Start,
    Opening,
    Comma,
    Equals,
    Arrow,
    BeforeQuery,
    /// COMPARE: the MEET of `COMPARE MEET OF` begins no statement.
    Compare,
    Expect,
    Other,
}

/// Cuts a text into chunks, in order.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    position: usize,
    /// Whether only white space stands between the line's start and `position`.
    fresh: bool,
    done: bool,
}

/// The state within one chunk.
struct Walk {
    chunk: Chunk,
    at: usize,
    last: Last,
    /// White space, or the chunk's start, stands before `at`.
    spaced: bool,
    brackets: Vec<(char, usize, usize)>,
    depth: usize,
    /// How many NOT and POSSIBLY stand directly before `at`.
    prefixes: usize,
    pattern: bool,
    dimension: bool,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Scanner {
            text,
            position: 0,
            fresh: true,
            done: false,
        }
    }

    /// Goes on at this byte, a line's first word.
    pub(crate) fn resume(&mut self, at: usize) {
        self.position = at;
        self.fresh = true;
        self.done = false;
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or("")
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// One step; `true` when the chunk is complete.
    fn step(&mut self, walk: &mut Walk) -> bool {
        let at = walk.at;
        let next = self.byte(at + 1);
        match self.byte(at) {
            b'\n' | b'\r' => {
                self.fresh = true;
                walk.spaced = true;
                walk.at += 1;
            }
            b' ' | b'\t' => {
                walk.spaced = true;
                walk.at += 1;
            }
            b';' => {
                walk.chunk.ended = true;
                return true;
            }
            b'-' if next == b'-' && walk.spaced => self.comment(walk),
            b'#' if walk.spaced && (self.fresh || matches!(next, b' ' | b'\t' | b'!' | 0)) => {
                self.foreign_line(walk, "#");
            }
            b'/' if next == b'/' && walk.spaced => self.foreign_line(walk, "//"),
            b'/' if next == b'*' => self.foreign_block(walk),
            b'"' => self.string(walk),
            b'(' | b'{' => self.open(walk),
            b')' | b'}' => self.close(walk),
            b'=' if next == b'>' => self.token(walk, 2, Last::Arrow),
            b'=' => self.token(walk, 1, Last::Equals),
            b',' => self.token(walk, 1, Last::Comma),
            b'!' if next != b'=' => self.prefix(walk, 1),
            byte if byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'_' => {
                self.token(walk, 1, Last::Other);
            }
            _ => return self.wide(walk),
        }
        false
    }

    /// A word, a number, or a character outside ASCII.
    fn wide(&mut self, walk: &mut Walk) -> bool {
        let rest = self.rest(walk.at);
        let Some(character) = rest.chars().next() else {
            return true;
        };
        if is_blank(character) {
            walk.spaced = true;
            walk.at += character.len_utf8();
        } else if character == '¬' {
            self.prefix(walk, character.len_utf8());
        } else if continues_word(character) {
            return self.word(walk, starts_word(character));
        } else {
            self.token(walk, character.len_utf8(), Last::Other);
        }
        false
    }

    fn word(&mut self, walk: &mut Walk, alphabetic: bool) -> bool {
        let rest = self.rest(walk.at);
        let length = word_length(rest).max(1);
        let word = rest.get(..length).unwrap_or("");
        if alphabetic && self.fresh && walk.chunk.filled && self.cuts(walk, word) {
            return true;
        }
        if !walk.chunk.filled {
            walk.pattern = word.eq_ignore_ascii_case("PATTERN");
            walk.dimension = word.eq_ignore_ascii_case("DIMENSION");
        }
        if word.eq_ignore_ascii_case("NOT") || word.eq_ignore_ascii_case("POSSIBLY") {
            self.prefix(walk, length);
        } else if ["EXPLAIN", "SUGGEST"]
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w))
        {
            self.token(walk, length, Last::BeforeQuery);
        } else if word.eq_ignore_ascii_case("COMPARE") {
            self.token(walk, length, Last::Compare);
        } else if word.eq_ignore_ascii_case("EXPECT") {
            self.token(walk, length, Last::Expect);
        } else {
            self.token(walk, length, Last::Other);
        }
        false
    }

    /// Whether a word that begins a line starts the next statement here.
    fn cuts(&self, walk: &Walk, word: &str) -> bool {
        if !is_starter(word) {
            return false;
        }
        match word.to_ascii_uppercase().as_str() {
            "MEET" if walk.last == Last::Compare => false,
            "MEET" | "COMPARE" | "READ" => !matches!(
                walk.last,
                Last::Opening | Last::Equals | Last::Arrow | Last::BeforeQuery
            ),
            "ABSTAIN" => !matches!(
                walk.last,
                Last::Opening | Last::Equals | Last::Arrow | Last::BeforeQuery | Last::Expect
            ),
            "FACT" => !(walk.last == Last::Arrow || walk.pattern && walk.last == Last::Comma),
            // `UNIT u` is a flag of DIMENSION; `UNIT u = …` is a statement.
            "UNIT" => !walk.dimension || self.declares_unit(walk.at + word.len()),
            _ => true,
        }
    }

    fn declares_unit(&self, at: usize) -> bool {
        let rest = self.rest(at).trim_start_matches(is_blank);
        let after = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map_or("", |(_, after)| after),
            None => rest.get(word_length(rest)..).unwrap_or(""),
        };
        after.trim_start_matches(is_blank).starts_with('=')
    }

    fn token(&mut self, walk: &mut Walk, length: usize, last: Last) {
        walk.at += length;
        walk.last = last;
        walk.spaced = false;
        walk.prefixes = 0;
        walk.chunk.filled = true;
        self.fresh = false;
    }

    fn prefix(&mut self, walk: &mut Walk, length: usize) {
        let prefixes = walk.prefixes + 1;
        let at = walk.at;
        self.token(walk, length, Last::Other);
        walk.prefixes = prefixes;
        walk.deepen(walk.depth + prefixes, at);
    }

    fn open(&mut self, walk: &mut Walk) {
        let character = if self.byte(walk.at) == b'(' { '(' } else { '{' };
        let added = walk.prefixes + 1;
        let at = walk.at;
        if walk.depth <= MAX_DEPTH {
            walk.brackets.push((character, at, added));
            walk.depth += added;
            walk.deepen(walk.depth, at);
        }
        self.token(walk, 1, Last::Opening);
    }

    fn close(&mut self, walk: &mut Walk) {
        let character = if self.byte(walk.at) == b')' { ')' } else { '}' };
        let opening = if character == ')' { '(' } else { '{' };
        match walk.brackets.last().copied() {
            Some((open, _, added)) if open == opening => {
                walk.brackets.pop();
                walk.depth = walk.depth.saturating_sub(added);
            }
            other => {
                let open = other.map(|(open, at, _)| (open, at));
                walk.refuse(Problem::StrayBracket(character, walk.at, open));
            }
        }
        self.token(walk, 1, Last::Other);
    }

    fn string(&mut self, walk: &mut Walk) {
        let start = walk.at;
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                0 if at >= self.text.len() => {
                    walk.refuse(Problem::OpenString(start));
                    at = self.text.len();
                    break;
                }
                b'"' => {
                    at += 1;
                    break;
                }
                b'\\' => at += 2,
                b'\n' | b'\r' => {
                    walk.chunk.broken_string.get_or_insert(start);
                    at += 1;
                }
                _ => at += 1,
            }
        }
        let end = at.min(self.text.len());
        if end - start > MAX_STRING {
            walk.refuse(Problem::LongString(Span::new(start, end)));
        }
        self.token(walk, end - start, Last::Other);
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.rest(at);
        at + rest.find(['\n', '\r']).unwrap_or(rest.len())
    }

    fn comment(&mut self, walk: &mut Walk) {
        let end = self.line_end(walk.at);
        let text = self.text.get(walk.at + 2..end).unwrap_or("");
        walk.chunk.comments.push(Comment {
            text: text.trim_end().to_owned(),
            own_line: self.fresh,
            span: Span::new(walk.at, walk.at + 2 + text.trim_end().len()),
        });
        walk.at = end;
    }

    fn foreign_line(&mut self, walk: &mut Walk, mark: &'static str) {
        let end = self.line_end(walk.at);
        let span = Span::new(walk.at, end);
        walk.chunk.foreign.push(ForeignComment { span, mark });
        walk.spaced = true;
        walk.at = end;
    }

    fn foreign_block(&mut self, walk: &mut Walk) {
        let rest = self.rest(walk.at);
        let length = rest.find("*/").map_or(rest.len(), |found| found + 2);
        let span = Span::new(walk.at, walk.at + length);
        walk.chunk.foreign.push(ForeignComment { span, mark: "/*" });
        walk.spaced = true;
        walk.at += length;
    }
}

impl Walk {
    fn refuse(&mut self, problem: Problem) {
        self.chunk.problem.get_or_insert(problem);
    }

    fn deepen(&mut self, depth: usize, at: usize) {
        self.chunk.depth = self.chunk.depth.max(depth);
        if depth > MAX_DEPTH && !matches!(self.chunk.problem, Some(Problem::TooDeep(_))) {
            self.chunk.problem = Some(Problem::TooDeep(at));
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.done {
            return None;
        }
        let mut walk = Walk {
            chunk: Chunk::default(),
            at: self.position,
            last: Last::Start,
            spaced: true,
            brackets: Vec::new(),
            depth: 0,
            prefixes: 0,
            pattern: false,
            dimension: false,
        };
        let mut cut = false;
        while walk.at < self.text.len() && !cut {
            cut = self.step(&mut walk);
        }
        walk.chunk.span = Span::new(self.position, walk.at.min(self.text.len()));
        if let Some((open, at, _)) = walk.brackets.first().copied() {
            walk.refuse(Problem::OpenBracket(open, at));
        }
        if cut {
            self.position = walk.at + usize::from(walk.chunk.ended);
        } else {
            self.done = true;
        }
        // The quote that is missing is that of the first string over a line's end.
        if let Some(Problem::OpenString(last)) = walk.chunk.problem {
            let start = walk.chunk.broken_string.unwrap_or(last).min(last);
            walk.chunk.problem = Some(Problem::OpenString(start));
            if let Some(at) = next_starter_line(self.text, start) {
                self.resume(at);
                walk.chunk.span.end = at;
                walk.chunk
                    .comments
                    .retain(|comment| comment.span.start < at);
                walk.chunk.foreign.retain(|comment| comment.span.start < at);
            }
        }
        Some(walk.chunk)
    }
}

/// The first word of the next line after `from` that starts a statement.
pub(crate) fn next_starter_line(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        at += rest.find(['\n', '\r'])? + 1;
        let line = text.get(at..)?;
        let trimmed = line.trim_start_matches([' ', '\t']);
        let word = trimmed.get(..word_length(trimmed)).unwrap_or("");
        if is_starter(word) {
            return Some(at + (line.len() - trimmed.len()));
        }
    }
}

/// How deep a text nests, as the bound counts it.
pub(crate) fn depth_of(text: &str) -> usize {
    Scanner::new(text)
        .map(|chunk| chunk.depth)
        .max()
        .unwrap_or(0)
}
