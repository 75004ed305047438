//! What was probably meant where the grammar failed: each function knows one slip.

use super::{Expected, Found, flags, near, nearest};
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::tree::Span;
use crate::syntax::words::{
    continues_word, is_blank, is_reserved, is_starter, starts_word, word_length,
};
use crate::syntax::{foreign, print};

/// What was probably meant, if anything gives it away.
pub(super) fn meant(source: &str, found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    sign(found)
        .or_else(|| support(source, found))
        .or_else(|| nothing_to_compare(source, found))
        .or_else(|| reserved(found, expected))
        .or_else(|| misspelled(found, expected))
        .or_else(|| flag_before(source, found))
        .or_else(|| bare_condition(found, expected))
        .or_else(|| worded_operator(source, found, expected))
        .or_else(|| words_of_fact(source, found, expected))
        .or_else(|| several_words(found, expected))
        .or_else(|| character(found))
}

/// Whether the statement begins with this word.
fn begins_with(source: &str, word: &str) -> bool {
    let source = source.trim_start_matches(is_blank);
    let first = source.get(..word_length(source)).unwrap_or("");
    first.eq_ignore_ascii_case(word)
}

/// Signs that give away what was meant.
fn sign(found: &Found<'_>) -> Option<Diagnostic> {
    let behind = found
        .before
        .chars()
        .next_back()
        .filter(|last| !is_blank(*last));
    let span = found.span;
    Some(match found.text {
        "--" => Diagnostic::error(Code::E043, "white space stands before a comment")
            .label(span, "glued to what stands before it")
            .help("put a space before `--`")
            .fix_described(
                Span::new(span.start, span.start),
                " ",
                "put a space before `--`",
            ),
        "'" | "’" if behind.is_some() => return Some(apostrophe(found)),
        "?" => foreign::variable(word_after(found.rest, 1), span),
        ".." => Diagnostic::error(Code::E016, "`..` makes a range between numbers or dates")
            .label(span, "no range here")
            .help("a range is written without white space: `1914..1920`, `..5`, `5..`"),
        _ => return None,
    })
}

/// `CONCEPTS d SUPPORT 1.5`: instances are counted.
fn support(source: &str, found: &Found<'_>) -> Option<Diagnostic> {
    if !begins_with(source, "CONCEPTS") && !begins_with(source, "IMPLICATIONS")
        || is_reserved(found.text)
    {
        return None;
    }
    // The grammar may have taken the beginning of what was written.
    let start = found.before.trim_end_matches(|c| !is_blank(c)).len();
    let before = found.before.get(..start)?.trim_end_matches(is_blank);
    let (others, word) = before.rsplit_once(is_blank)?;
    let has_dimension = others.trim_matches(is_blank).contains(is_blank);
    if !word.eq_ignore_ascii_case("SUPPORT") || !has_dimension {
        return None;
    }
    let length = found.rest.find(is_blank).unwrap_or(found.rest.len());
    let base = found.span.start - found.before.len();
    let written = format!(
        "{}{}",
        found.before.get(start..)?,
        found.rest.get(..length)?
    );
    let message = format!("SUPPORT takes a whole number, and `{written}` is none");
    Some(
        Diagnostic::error(Code::E001, message)
            .label(
                Span::new(base + start, found.span.start + length),
                "no whole number",
            )
            .help("SUPPORT counts instances: `SUPPORT 2` keeps what at least two of them have"),
    )
}

/// `COMPARE MEET OF BY d`: what is compared is missing.
fn nothing_to_compare(source: &str, found: &Found<'_>) -> Option<Diagnostic> {
    if !begins_with(source, "COMPARE") || !found.text.eq_ignore_ascii_case("BY") {
        return None;
    }
    let mut words = found.before.split_whitespace().rev();
    if !words.next()?.eq_ignore_ascii_case("OF") {
        return None;
    }
    let operation = words.next()?.to_uppercase();
    let what = match operation.as_str() {
        "MEET" | "JOIN" => "the values",
        "MAX" | "MIN" => "the instances",
        _ => return None,
    };
    let message = format!("nothing stands between {operation} OF and BY");
    Some(
        Diagnostic::error(Code::E025, message)
            .label(found.span, format!("{what} to compare come before it"))
            .help(format!(
                "name {what}, as in COMPARE {operation} OF a, b BY d"
            )),
    )
}

/// The sign and word at the start.
fn word_after(rest: &str, sign: usize) -> &str {
    let word = rest.get(sign..).map_or(0, word_length);
    rest.get(..sign + word).unwrap_or("?")
}

/// `O'Connor`: the whole of it is a name.
fn apostrophe(found: &Found<'_>) -> Diagnostic {
    let start = found
        .before
        .trim_end_matches(|c: char| !is_blank(c) && !"={,(".contains(c))
        .len();
    let head = found.before.get(start..).unwrap_or("");
    let tail_end = found.rest.find(|c: char| is_blank(c) || ",)}".contains(c));
    let tail = found
        .rest
        .get(..tail_end.unwrap_or(found.rest.len()))
        .unwrap_or("");
    let base = found.span.start - found.before.len();
    let span = Span::new(base + start, found.span.start + tail.len());
    let quoted = print::quote(&format!("{head}{tail}"));
    Diagnostic::error(Code::E010, "a name with an apostrophe is quoted")
        .label(span, "one name?")
        .help(format!("write {quoted}"))
        .fix(span, quoted)
}

/// A reserved word where a name should be.
fn reserved(found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    if !expected.name || !is_reserved(found.text) {
        return None;
    }
    let word = found.text.to_uppercase();
    let quoted = format!("\"{}\"", found.text);
    let diagnostic = Diagnostic::error(
        Code::E009,
        format!(
            "the keyword `{word}` stands where {} should be",
            expected.sentence()
        ),
    )
    .label(found.span, "a keyword")
    .help(format!("if a name is meant, quote it: {quoted}"));
    // Whether the name is meant is certain only for words that join nothing.
    Some(if is_starter(found.text) {
        diagnostic.fix(found.span, quoted)
    } else {
        diagnostic
    })
}

fn misspelled(found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    if !found.text.chars().next().is_some_and(starts_word) {
        return None;
    }
    let near = near(found.text, &expected.hints);
    let diagnostic = Diagnostic::error(Code::E011, format!("`{}` is no keyword", found.text));
    match near.as_slice() {
        [] => None,
        [meant] => {
            let diagnostic = diagnostic
                .label(found.span, format!("`{meant}` is meant?"))
                .help(format!("did you mean `{meant}`?"));
            // One letter too many, of the same case, may be a slip or a name that
            // was glued on.
            let glued = found.text.to_uppercase().starts_with(meant);
            let upper = |c: &char| c.is_uppercase();
            let (first, last) = (found.text.chars().next(), found.text.chars().next_back());
            let alike = first.as_ref().map(upper) == last.as_ref().map(upper);
            Some(if glued && alike && found.text.len() == meant.len() + 1 {
                diagnostic
            } else {
                diagnostic.fix(found.span, apart(found.text, meant))
            })
        }
        several => Some(
            diagnostic
                .label(found.span, "which keyword is meant?")
                .help(format!("did you mean one of {}?", several.join(", "))),
        ),
    }
}

/// The keyword, and what was glued to it: `ANDc` is `AND c`.
fn apart(found: &str, meant: &str) -> String {
    match found.get(meant.len()..) {
        Some(rest) if !rest.is_empty() && found.to_uppercase().starts_with(meant) => {
            format!("{meant} {}", rest.trim_start_matches('-'))
        }
        _ => meant.to_owned(),
    }
}

/// A line that begins like a condition, where a statement should.
fn bare_condition(found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    let line = found.before.rsplit(['\n', '\r']).next().unwrap_or("");
    let word = found.text.chars().next().is_some_and(starts_word) || found.text.starts_with('"');
    if !expected.starts || !word || !line.trim_matches(is_blank).is_empty() {
        return None;
    }
    let after = found
        .rest
        .get(found.text.len()..)
        .unwrap_or("")
        .trim_start_matches(is_blank);
    after
        .starts_with(['=', '<', '>', '!'])
        .then(|| foreign::bare_condition(found.rest, found.span))
}

/// `DIMENSION d DATE AKKA "x"`: the word before was a misspelled flag, read as a
/// value.
fn flag_before(source: &str, found: &Found<'_>) -> Option<Diagnostic> {
    if !begins_with(source, "DIMENSION") {
        return None;
    }
    let before = found.before.trim_end_matches(is_blank);
    let word = before.rsplit(is_blank).next().unwrap_or("");
    let meant = nearest(word, &flags())?;
    let end = found.span.start - (found.before.len() - before.len());
    let span = Span::new(end - word.len(), end);
    Some(
        Diagnostic::error(Code::E011, format!("`{word}` is no flag of DIMENSION"))
            .label(span, format!("`{meant}` is meant?"))
            .help(format!("did you mean `{meant}`?"))
            .fix(span, meant),
    )
}

/// Operators in words, each before those that it begins with.
const WORDED: &[(&[&str], &str)] = &[
    (&["greater", "than", "or", "equal", "to"], ">="),
    (&["less", "than", "or", "equal", "to"], "<="),
    (&["greater", "than"], ">"),
    (&["larger", "than"], ">"),
    (&["more", "than"], ">"),
    (&["less", "than"], "<"),
    (&["smaller", "than"], "<"),
    (&["fewer", "than"], "<"),
    (&["at", "least"], ">="),
    (&["at", "most"], "<="),
    (&["equal", "to"], "="),
    (&["equals"], "="),
    (&["is", "not"], "!="),
    (&["is"], "="),
];

/// The bytes of a phrase at the start of a text, if it stands there.
fn phrase(text: &str, words: &[&str]) -> Option<usize> {
    let mut length = 0;
    for (k, word) in words.iter().enumerate() {
        let rest = text.get(length..)?;
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = rest.get(gap..)?;
        let here = rest.get(..word_length(rest))?;
        if (k > 0) != (gap > 0) || !here.eq_ignore_ascii_case(word) {
            return None;
        }
        length += gap + here.len();
    }
    Some(length)
}

/// `kind is state`, `length greater than 5`: an operator in words.
fn worded_operator(source: &str, found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    if expected.name {
        return None;
    }
    let ahead = WORDED
        .iter()
        .find_map(|(words, sign)| Some((phrase(found.rest, words)?, *sign)));
    // The grammar takes `is` for the beginning of IS NULL.
    let before = found.before.trim_end_matches([' ', '\t']);
    let (words, taken) = ["is not", "is"]
        .into_iter()
        .find_map(|words| {
            let at = before.len().checked_sub(words.len())?;
            let tail = before.get(at..)?;
            let head = before.get(..at)?;
            let apart = head.ends_with([' ', '\t']) && before.len() < found.before.len();
            (apart && tail.eq_ignore_ascii_case(words)).then_some((words, found.before.len() - at))
        })
        .filter(|_| !begins_with(source, "FACT"))
        .unwrap_or(("", 0));
    let (length, sign) = match (words, ahead) {
        ("is not", _) => (0, "!="),
        (_, Some((length, sign))) => (length, sign),
        ("is", None) => (0, "="),
        _ => return None,
    };
    let end = match length {
        0 => found.span.start - (found.before.len() - before.len()),
        length => found.span.start + length,
    };
    let span = Span::new(found.span.start - taken, end);
    let base = found.span.start - found.before.len();
    let written = source.get(span.start - base..span.end - base)?;
    Some(
        Diagnostic::error(Code::E030, format!("`{written}` is no operator of LQ"))
            .label(span, "unknown operator")
            .help(format!("LQ writes `{sign}`"))
            .fix(span, sign),
    )
}

/// `FACT Joe Strummer instrument = guitar`: which words are the name, and which
/// the dimension? Names begin with capitals.
fn words_of_fact(source: &str, found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    if expected.name || !begins_with(source, "FACT") {
        return None;
    }
    let base = found.span.start - found.before.len();
    let mut words: Vec<Span> = Vec::new();
    let mut at = source.len() - source.trim_start_matches(is_blank).len() + "FACT".len();
    loop {
        let rest = source.get(at..)?;
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let length = rest.get(gap..).map_or(0, word_length);
        let word = rest.get(gap..gap + length)?;
        if gap == 0 || length == 0 || is_reserved(word) || word == "SOURCE" {
            break;
        }
        words.push(Span::new(base + at + gap, base + at + gap + length));
        at += gap + length;
    }
    // The place of the failure is among these words, with nothing else before.
    if words.len() < 3 || !words.iter().any(|span| span.start == found.span.start) {
        return None;
    }
    let text = |span: Span| source.get(span.start - base..span.end - base).unwrap_or("");
    let joined = |of: &[Span]| {
        let span = of.first()?.to(*of.last()?);
        Some(match of {
            [_] => text(span).to_owned(),
            _ => print::quote(text(span)),
        })
    };
    let sign = source.get(at..)?.trim_start_matches([' ', '\t']);
    if !sign.starts_with(['=', '!']) {
        let [subject, dimension, value] = words.as_slice() else {
            return None;
        };
        let written = format!("{} {} = {}", text(*subject), text(*dimension), text(*value));
        return Some(
            Diagnostic::error(Code::E010, "no `=` stands between dimension and value")
                .label(found.span, "a value?")
                .help(format!("write FACT {written}"))
                .fix(subject.to(*value), written),
        );
    }
    let capital = |span: &Span| text(*span).chars().next().is_some_and(char::is_uppercase);
    let capitals = words.iter().take_while(|span| capital(span)).count();
    let subject = match capitals {
        0 => words.len() - 1,
        n => n.min(words.len() - 1),
    };
    let (subject, dimension) = words.split_at_checked(subject)?;
    let written = format!("{} {}", joined(subject)?, joined(dimension)?);
    let all = words.first()?.to(*words.last()?);
    let several = if subject.len() > 1 {
        subject
    } else {
        dimension
    };
    let several = several.first()?.to(*several.last()?);
    Some(
        Diagnostic::error(
            Code::E010,
            format!(
                "`{}` follows a name without a sign between them",
                found.text
            ),
        )
        .label(several, "one name?")
        .help(format!(
            "a name of several words is quoted: {}",
            print::quote(text(several))
        ))
        .fix(all, written),
    )
}

/// `killer whale`: two bare words, or a number and words, on one line.
fn several_words(found: &Found<'_>, expected: &Expected) -> Option<Diagnostic> {
    let wordy = |text: &str| text.chars().next().is_some_and(continues_word);
    if expected.name || !wordy(found.text) || is_reserved(found.text) {
        return None;
    }
    let line = found.before.rsplit(['\n', '\r']).next().unwrap_or("");
    let trimmed = line.trim_end_matches(is_blank);
    if trimmed.len() == line.len() {
        return None;
    }
    let start = trimmed.len() - last_words(trimmed);
    let head = trimmed.get(start..).unwrap_or("");
    if head.is_empty() || is_reserved(head.split_whitespace().last().unwrap_or("")) {
        return None;
    }
    let mut length = found.text.len();
    // Further bare words belong to it.
    while let Some(rest) = found.rest.get(length..) {
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let word = rest.get(gap..).map_or(0, word_length);
        let text = rest.get(gap..gap + word).unwrap_or("");
        let keyword =
            is_reserved(text) || expected.hints.iter().any(|k| k.eq_ignore_ascii_case(text));
        if gap == 0 || word == 0 || keyword {
            break;
        }
        length += gap + word;
    }
    let base = found.span.start - found.before.len();
    let head_start = found.before.len() - line.len() + start;
    let span = Span::new(base + head_start, found.span.start + length);
    let quoted = format!("\"{} {}\"", head, found.rest.get(..length).unwrap_or(""));
    Some(
        Diagnostic::error(
            Code::E010,
            format!(
                "`{}` follows a name without a sign between them",
                found.text
            ),
        )
        .label(span, "one name?")
        .help(format!("a name of several words is quoted: {quoted}"))
        .fix(span, quoted),
    )
}

/// The bytes of the bare words and the number at the end of a line: the last word,
/// and a number before it that took it as its unit.
fn last_words(line: &str) -> usize {
    let word = |text: &str| {
        let start = text.rfind(|c: char| !continues_word(c) && c != '-');
        text.len()
            - start.map_or(0, |at| {
                at + text
                    .get(at..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(1, char::len_utf8)
            })
    };
    let last = word(line);
    let before = line.get(..line.len() - last).unwrap_or("");
    let gapless = before.trim_end_matches([' ', '\t']);
    let number = word(gapless);
    let numeric = gapless
        .get(gapless.len() - number..)
        .is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    if numeric && gapless.len() < before.len() {
        line.len() - (gapless.len() - number)
    } else {
        last
    }
}

/// A character that LQ does not use outside quotes.
fn character(found: &Found<'_>) -> Option<Diagnostic> {
    let first = found.text.chars().next()?;
    let used = "\"{}()=<>!.,;@$-+".contains(first) || continues_word(first);
    if used {
        return None;
    }
    let shown =
        if first.is_control() || !first.is_ascii() && first.len_utf8() > 2 && is_invisible(first) {
            format!("the character U+{:04X}", u32::from(first))
        } else {
            format!("`{first}`")
        };
    Some(
        Diagnostic::error(Code::E006, format!("{shown} has no meaning outside quotes"))
            .label(found.span, "not a sign of LQ")
            .help("names with such characters are quoted"),
    )
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2064}')
}
