//! Forms of other languages: each is recognised only to be answered with the way
//! LQ says it, and with a repair where that is certain.

use super::diagnostic::{Code, Diagnostic};
use super::scan::ForeignComment;
use super::tree::{Operator, Span};

/// The operator that a sign of another language means, and the telling of it.
pub(crate) fn operator(sign: &str, span: Span) -> (Operator, Diagnostic) {
    let (meant, written) = match sign {
        "<>" | "≠" | "~=" => (Operator::IsNot, "!="),
        "≤" | "=<" | "⩽" | "⊑" => (Operator::AtMost, "<="),
        "≥" | "⩾" => (Operator::AtLeast, ">="),
        _ => (Operator::Is, "="),
    };
    if matches!(sign, "=~" | "~") {
        return (meant, partial_text(sign, span));
    }
    let diagnostic = Diagnostic::error(Code::E030, format!("`{sign}` is no operator of LQ"))
        .label(span, "unknown operator")
        .help(format!("LQ writes `{written}`"))
        .fix(span, written);
    (meant, diagnostic)
}

/// LIKE, CONTAINS, `=~` and their kin.
pub(crate) fn partial_text(sign: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::E036,
        format!("`{sign}` would look at parts of a text, which LQ does not"),
    )
    .label(span, "no search in texts")
    .help("`name = \"…\"` compares whole names, aliases included; READ asks a reader of passages")
}

/// `&&`, `||`, `,` between conditions. The boolean: whether AND is meant.
pub(crate) fn connective(sign: &str, span: Span) -> (bool, Diagnostic) {
    let and = matches!(sign, "&&" | "&" | "∧" | ",");
    let word = if and { "AND" } else { "OR" };
    let replacement = if sign == "," { " AND" } else { word };
    let diagnostic = Diagnostic::error(Code::E031, format!("`{sign}` does not join conditions"))
        .label(span, format!("`{word}` is meant"))
        .help(format!("LQ writes `{word}`"))
        .fix(span, replacement);
    (and, diagnostic)
}

/// `!x`.
pub(crate) fn not(sign: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::E031, format!("`{sign}` does not negate"))
        .label(span, "`NOT` is meant")
        .help("LQ writes `NOT`")
        .fix(span, "NOT ")
}

/// `'x'`, `` `x` ``, `“x”`. The text inside, and the telling.
pub(crate) fn quoted(token: &str, span: Span) -> (String, Diagnostic) {
    let mut inside = token.chars();
    let first = inside.next();
    inside.next_back();
    let text = inside.as_str().to_owned();
    let kind = match first {
        Some('\'') => "single quotes",
        Some('`') => "backticks",
        _ => "typeset quotes",
    };
    let straight = super::print::quote(&text);
    let diagnostic = Diagnostic::error(Code::E032, format!("{kind} do not quote"))
        .label(span, "straight double quotes are needed")
        .help(format!("LQ writes `{straight}`"))
        .fix(span, straight);
    (text, diagnostic)
}

/// `?x`.
pub(crate) fn variable(token: &str, span: Span) -> Diagnostic {
    let name = token.trim_start_matches('?');
    Diagnostic::error(
        Code::E041,
        format!("`{token}` is a variable, and LQ has none to bind"),
    )
    .label(span, "no variables")
    .help(format!(
        "RETURN gives back what a dimension leads to (`MEET … RETURN dimension`); a value \
             from the caller is `${name}`"
    ))
}

/// `x NOT IN s`: the path's bytes, the bytes up to and with IN.
pub(crate) fn not_in(path: &str, head: Span, word: Span) -> Diagnostic {
    Diagnostic::error(Code::E038, "NOT stands before the condition it negates")
        .label(word, "too late")
        .help(format!("LQ writes `NOT {path} IN …`"))
        .fix(head, format!("NOT {path} IN"))
}

/// `x IS NULL`, `x IS NOT NULL`.
pub(crate) fn null(path: &str, negated: bool, span: Span) -> Diagnostic {
    let meant = if negated {
        format!("HAS {path}")
    } else {
        format!("NOT HAS {path}")
    };
    Diagnostic::error(Code::E039, "there is no NULL in a lattice")
        .label(span, "a question for what is recorded")
        .help(format!("LQ writes `{meant}`"))
        .fix(span, meant)
}

/// `x BETWEEN a AND b`; the repair where both ends are plain numbers or dates.
pub(crate) fn between(word: Span, ends: Option<(Span, String)>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::E047, "BETWEEN is written as a range")
        .label(word, "IN and a range are meant");
    match ends {
        Some((span, range)) => diagnostic
            .help(format!("LQ writes `IN {range}`; both ends belong to it"))
            .fix(span, format!("IN {range}")),
        None => diagnostic.help("LQ writes `IN a..b`; both ends belong to it"),
    }
}

/// WHERE between MEET and its conditions.
pub(crate) fn where_word(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::E034,
        "WHERE is not needed: conditions follow MEET at once",
    )
    .label(span, "superfluous")
    .help("LQ writes `MEET condition AND …`")
    .fix_described(span, "", "remove `WHERE`")
}

/// WHERE behind the conditions.
pub(crate) fn where_clause(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E034, "WHERE does not add conditions")
        .label(span, "`AND` is meant")
        .help("further conditions follow with AND, before RETURN")
        .fix(span, "AND")
}

/// LIMIT, TOP, OFFSET.
pub(crate) fn limit(word: &str, span: Span) -> Diagnostic {
    let word = word.to_uppercase();
    Diagnostic::error(
        Code::E037,
        format!("LQ has no {word}: a MEET returns every hit"),
    )
    .label(span, "no first n")
    .help("the largest or smallest is asked with `COMPARE MAX OF (MEET …) BY dimension`")
    .fix_described(span, "", "remove it: the answer is the complete set")
}

/// ORDER BY, GROUP BY.
pub(crate) fn order(word: &str, span: Span) -> Diagnostic {
    let word = word.to_uppercase();
    Diagnostic::error(
        Code::E037,
        format!("LQ has no {word} BY: an answer is a set"),
    )
    .label(span, "sets have no order")
    .help("the largest or smallest is asked with `COMPARE MAX OF (MEET …) BY dimension`")
}

/// AS OF.
pub(crate) fn as_of(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E044, "LQ keeps no versions to ask AS OF a moment")
        .label(span, "no versions")
        .help("narrow a DATE dimension instead: `AND since IN ..2023-09-21`")
}

/// A trailing comma.
pub(crate) fn comma(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E045, "nothing follows this comma")
        .label(span, "the last comma")
        .help("remove it, or add what is missing")
        .fix_described(span, "", "remove the comma")
}

/// A comment of another language.
pub(crate) fn comment(text: &str, comment: &ForeignComment) -> Diagnostic {
    let ForeignComment { span, mark } = comment;
    let inside = text.get(span.start + mark.len()..span.end).unwrap_or("");
    let inside = inside.strip_suffix("*/").unwrap_or(inside);
    let diagnostic = Diagnostic::error(Code::E043, format!("`{mark}` does not begin a comment"))
        .label(*span, "not a comment of LQ")
        .help("a comment begins with `--` and runs to the end of its line");
    if *mark == "/*" {
        return diagnostic;
    }
    diagnostic.fix_described(*span, format!("--{inside}"), "begin the comment with `--`")
}

/// A condition where a statement should begin.
pub(crate) fn bare_condition(text: &str, span: Span) -> Diagnostic {
    let start = Span::new(span.start, span.start);
    Diagnostic::error(Code::E048, "a condition begins with MEET")
        .label(
            Span::new(span.start, span.start + first_line(text)),
            "MEET is missing",
        )
        .help("MEET asks for all instances for which the condition is certain")
        .fix_described(start, "MEET ", "write `MEET` before it")
}

/// A whole statement of another language, by the name of its grammar rule.
pub(crate) fn statement(rule: &str, text: &str, span: Span) -> Diagnostic {
    let word = text.split_whitespace().next().unwrap_or("").to_uppercase();
    let head = Span::new(span.start, span.start + word.len());
    match rule {
        "foreign_find" => find(text, &word, head),
        "foreign_match" => Diagnostic::error(Code::E035, "LQ has no graph patterns")
            .label(head, "MATCH is another language's")
            .help("write `MEET condition RETURN dimension.dimension`: a path is joined by dots"),
        "foreign_prefix" => Diagnostic::error(Code::E042, "LQ has no prefixes")
            .label(head, "no declarations of prefixes")
            .help("write ids whole: `@\"http://example.org/moby\"`"),
        "foreign_rule" => Diagnostic::error(Code::E040, "LQ has no rules and goals")
            .label(Span::new(span.start, span.start + first_line(text)), "this reads as Datalog")
            .help("write `MEET condition RETURN dimension`, and LET to name an answer"),
        _ => Diagnostic::error(Code::E033, format!("LQ has no {word}"))
            .label(head, "a statement of SQL or SPARQL")
            .help("a question is `MEET condition AND … RETURN dimension`; a statement of fact is `FACT`"),
    }
}

fn find(text: &str, word: &str, head: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::E034,
        format!("a question begins with MEET, not {word}"),
    )
    .label(head, "`MEET` is meant")
    .help("LQ writes `MEET condition AND …`");
    // Certain only if a condition follows at once.
    let rest = text.get(word.len()..).unwrap_or("");
    if rest
        .split(['=', '<', '>'])
        .next()
        .is_some_and(|path| path.split_whitespace().count() == 1)
    {
        diagnostic.fix(head, "MEET")
    } else {
        diagnostic
    }
}

fn first_line(text: &str) -> usize {
    text.lines().next().unwrap_or("").trim_end().len()
}
