//! From the failure of a grammar to a sentence: what was found, what was expected,
//! and what was probably meant.

mod meant;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::diagnostic::{Code, Diagnostic};
use super::grammar::{Rule, in_words, keyword, keywords_of};
use super::scan::Chunk;
use super::tree::Span;
use super::words::{is_blank, is_reserved, is_starter, word_length};

/// The flags of DIMENSION.
pub(crate) fn flags() -> Vec<String> {
    [
        "ONE", "MANY", "COMPLETE", "STRICT", "INVERSE", "WITHIN", "UNIT", "AKA",
    ]
    .map(String::from)
    .to_vec()
}

/// The one candidate that a word is a misspelling of, if there is exactly one.
pub(crate) fn nearest(word: &str, candidates: &[String]) -> Option<String> {
    let mut near = near(word, candidates);
    if near.len() == 1 { near.pop() } else { None }
}

/// The candidates nearest to a word; those with its first letter go before others.
fn near(word: &str, candidates: &[String]) -> Vec<String> {
    let word = word.to_uppercase();
    let allowed = match word.chars().count() {
        0..=2 => return Vec::new(),
        3..=4 => 1,
        _ => 2,
    };
    let mut found: Vec<(usize, bool, &String)> = candidates
        .iter()
        .filter(|candidate| candidate.len() > 2)
        .map(|candidate| {
            let other = word.chars().next() != candidate.chars().next();
            (
                strsim::damerau_levenshtein(&word, candidate),
                other,
                candidate,
            )
        })
        .filter(|(distance, ..)| *distance > 0 && *distance <= allowed)
        .collect();
    found.sort();
    let Some((distance, other, _)) = found.first().copied() else {
        return Vec::new();
    };
    let best = found
        .into_iter()
        .filter(|entry| (entry.0, entry.1) == (distance, other));
    best.map(|(.., candidate)| candidate.clone()).collect()
}

/// An unclosed text in quotes.
pub(crate) fn open_string(at: usize) -> Diagnostic {
    Diagnostic::error(Code::E003, "this text in quotes is never closed")
        .label(Span::new(at, at + 1), "opened here")
        .help("end it with `\"`; a quote inside is written `\\\"`")
}

/// The machine has no stack left for a deep text.
pub(crate) fn no_stack(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E007, "nested too deeply for the memory at hand")
        .label(Span::new(span.start, span.start), "in this statement")
        .help("AND and OR are lists of any length; LET names an inner query")
}

/// What stands where the grammar failed.
struct Found<'t> {
    text: &'t str,
    /// The chunk up to the place.
    before: &'t str,
    /// The chunk from the place on.
    rest: &'t str,
    /// The token, in bytes of the whole text.
    span: Span,
}

/// The diagnostic of a grammar failure, and whether it lies at the chunk's end.
pub(crate) fn explain(source: &str, chunk: &Chunk, error: &Error<Rule>) -> (Diagnostic, bool) {
    let place = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        let at = chunk.span.start + place;
        return (no_stack(Span::new(at, at)), false);
    };
    let found = found(source, chunk, place);
    let expected = Expected::new(positives);
    if found.text.is_empty() {
        return (ended(&found, &expected), true);
    }
    let meant = meant::meant(source, &found, &expected);
    let diagnostic = meant.unwrap_or_else(|| plain(&found, &expected));
    (diagnostic, false)
}

/// Skips white space and comments, and takes one token.
fn found<'t>(source: &'t str, chunk: &Chunk, place: usize) -> Found<'t> {
    let base = chunk.span.start;
    let mut at = place;
    loop {
        let rest = source.get(at..).unwrap_or("");
        at += rest.len() - rest.trim_start_matches(is_blank).len();
        let comment = chunk
            .comments
            .iter()
            .find(|comment| comment.span.start == base + at);
        match comment {
            Some(comment) if comment.span.end > base + at => at = comment.span.end - base,
            _ => break,
        }
    }
    let rest = source.get(at..).unwrap_or("");
    let length = token_length(rest);
    Found {
        text: rest.get(..length).unwrap_or(""),
        before: source.get(..at).unwrap_or(""),
        rest,
        span: Span::new(base + at, base + at + length),
    }
}

fn token_length(rest: &str) -> usize {
    let Some(first) = rest.chars().next() else {
        return 0;
    };
    if first == '"' {
        let mut escaped = false;
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                '"' if !escaped => return at + 1,
                '\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        return rest.len();
    }
    let word = word_length(rest);
    if word > 0 && first != '-' {
        return word;
    }
    let pair = [
        "->", "=>", "==", "!=", "<=", ">=", "..", ":-", "&&", "||", "--", "<>",
    ];
    match pair.iter().find(|pair| rest.starts_with(**pair)) {
        Some(pair) => pair.len(),
        None => first.len_utf8(),
    }
}

/// What could stand at the place.
struct Expected {
    words: Vec<&'static str>,
    keywords: Vec<String>,
    /// These, and those that the other rules begin with.
    hints: Vec<String>,
    /// Whether a name could.
    name: bool,
    /// Whether a statement may begin.
    starts: bool,
}

impl Expected {
    fn new(positives: &[Rule]) -> Self {
        let mut words: Vec<&'static str> = Vec::new();
        let (mut keywords, mut hints) = (Vec::new(), Vec::new());
        for rule in positives {
            if let Some(word) = in_words(*rule).filter(|word| !words.contains(word)) {
                words.push(word);
            }
            keywords.extend(keyword(*rule));
            hints.extend(keywords_of(*rule).iter().map(|word| (*word).to_owned()));
        }
        // A statement may begin: its rule stands for all the starters.
        let starts = positives.iter().any(|rule| {
            matches!(
                rule,
                Rule::statement | Rule::EOI | Rule::k_dimension | Rule::chunk
            )
        });
        if starts {
            hints.extend(super::words::STARTERS.iter().map(|word| (*word).to_owned()));
        }
        keywords.sort();
        keywords.dedup();
        hints.extend(keywords.iter().cloned());
        hints.sort();
        hints.dedup();
        let name = positives.iter().any(|rule| {
            matches!(
                rule,
                Rule::word
                    | Rule::subject
                    | Rule::name
                    | Rule::term
                    | Rule::path
                    | Rule::called
                    | Rule::string
                    | Rule::operand
                    | Rule::value
                    | Rule::factor
                    | Rule::test
                    | Rule::constraint
                    | Rule::set
                    | Rule::chain
                    | Rule::chains
                    | Rule::side
                    | Rule::candidates
                    | Rule::name_list
                    | Rule::path_list
                    | Rule::term_list
            )
        });
        Expected {
            words,
            keywords,
            hints,
            name,
            starts,
        }
    }

    /// `a value, AND or OR, or the end of the statement`.
    fn sentence(&self) -> String {
        let mut parts: Vec<String> = self.words.iter().map(|word| (*word).to_owned()).collect();
        let starts = self.starts;
        if starts {
            parts.retain(|part| !part.starts_with("a query (") && !part.starts_with("the end"));
        }
        let shown = |word: &&String| !(starts && is_starter(word));
        let keywords: Vec<&String> = self.keywords.iter().filter(shown).collect();
        if keywords.len() <= 6 {
            parts.extend(keywords.into_iter().cloned());
        }
        if starts {
            parts.push("the next statement".to_owned());
        }
        match parts.split_last() {
            None => "the end of the statement".to_owned(),
            Some((only, [])) => only.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}

fn shown(found: &Found<'_>) -> String {
    let first: String = found.text.chars().take(40).collect();
    let more = if first.len() < found.text.len() {
        "…"
    } else {
        ""
    };
    match found.text.chars().next() {
        Some('"') => format!("the text {first}{more}").replace('\n', " "),
        _ if is_reserved(found.text) => format!("the keyword `{}`", found.text.to_uppercase()),
        _ => format!("`{first}{more}`"),
    }
}

fn ended(found: &Found<'_>, expected: &Expected) -> Diagnostic {
    let written = found.before.trim_end_matches(is_blank).len();
    let base = found.span.start - found.before.len();
    let end = Span::new(base + written, base + written);
    Diagnostic::error(Code::E002, "the statement ends before it is complete")
        .label(end, "more is needed here")
        .help(format!("expected {}", expected.sentence()))
}

fn plain(found: &Found<'_>, expected: &Expected) -> Diagnostic {
    Diagnostic::error(Code::E001, format!("{} cannot stand here", shown(found)))
        .label(found.span, "unexpected")
        .help(format!("expected {}", expected.sentence()))
}
