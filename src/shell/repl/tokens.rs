//! Words of a line that is being typed: enough for colours and completion. The
//! line may be unfinished and need not be right.

use crate::syntax::words::{CONNECTIVES, CONTEXTUAL, STARTERS};
use std::ops::Range;

/// What a piece of the line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bare word.
    Word,
    /// A text in quotes; `false` if the closing quote is missing.
    Quoted(bool),
    /// A number or date.
    Number,
    /// A comment.
    Comment,
    /// `$x` or `@id`.
    Sigil,
    /// `=`, `!=`, `<`, `,`, `(` and so on.
    Sign,
}

/// A piece of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub span: Range<usize>,
}

impl Token {
    /// Its text.
    pub fn text<'l>(&self, line: &'l str) -> &'l str {
        line.get(self.span.clone()).unwrap_or("")
    }
}

/// The pieces of a line, white space left out.
pub fn tokens(line: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = line.get(at..).unwrap_or("");
        let (kind, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c == '"' {
            quoted(rest)
        } else if rest.starts_with("--") && starts_a_comment(line, at) {
            (Kind::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if c.is_ascii_digit() {
            (Kind::Number, word(rest))
        } else if c == '$' || c == '@' {
            (Kind::Sigil, 1 + word(rest.get(1..).unwrap_or("")))
        } else if is_word(c) {
            (Kind::Word, word(rest))
        } else {
            let two = rest
                .get(..2)
                .is_some_and(|t| matches!(t, "!=" | "<=" | ">=" | "->" | "=>"));
            (Kind::Sign, if two { 2 } else { c.len_utf8() })
        };
        let span = at..at + length;
        at = span.end;
        all.push(Token { kind, span });
    }
    all
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn starts_a_comment(line: &str, at: usize) -> bool {
    line.get(..at)
        .and_then(|before| before.chars().next_back())
        .is_none_or(char::is_whitespace)
}

/// The length of a word: letters, digits, `_`, and `-` and `.` inside.
fn word(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inside = matches!(c, '-' | '.')
            && end > 0
            && chars.peek().is_some_and(|(_, next)| is_word(*next));
        if !(is_word(c) || inside) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

fn quoted(text: &str) -> (Kind, usize) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (Kind::Quoted(true), at + 1),
            _ => {}
        }
    }
    (Kind::Quoted(false), text.len())
}

/// Whether a bare word is a keyword somewhere.
pub fn is_keyword(word: &str) -> bool {
    keywords().any(|k| k.eq_ignore_ascii_case(word))
}

/// All keywords.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    STARTERS
        .iter()
        .chain(CONNECTIVES)
        .chain(CONTEXTUAL)
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<(Kind, &str)> {
        tokens(line)
            .into_iter()
            .map(|t| (t.kind, line.get(t.span).unwrap_or("")))
            .collect()
    }

    #[test]
    fn a_line_falls_into_words() {
        assert_eq!(
            kinds("MEET a.b >= 5.5 -- \"x"),
            [
                (Kind::Word, "MEET"),
                (Kind::Word, "a.b"),
                (Kind::Sign, ">="),
                (Kind::Number, "5.5"),
                (Kind::Comment, "-- \"x"),
            ]
        );
        assert_eq!(kinds("\"a \\\" b")[0].0, Kind::Quoted(false));
        assert_eq!(kinds("tag = sci--fi")[2], (Kind::Word, "sci"));
    }

    #[test]
    fn any_text_falls_into_words() {
        for text in ["日本 = \"語", "\u{1f40b}", "\\", "\"", "..", "-", "@", "$"] {
            let all = tokens(text);
            assert!(all.iter().all(|t| text.get(t.span.clone()).is_some()));
        }
    }
}
