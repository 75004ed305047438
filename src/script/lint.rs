//! What may be wrong with a script that can be read.

use super::error::ScriptError;
use super::expect::ABSTENTIONS;
use super::session::Session;
use crate::lattice::Lattice;
use crate::load::lq::is_knowledge;
use crate::syntax::tree::{Expectation, Name, Query, Span, Statement, StatementKind, Tree};
use crate::syntax::{Code, Diagnostic, Parameter, print_statement};
use crate::verdict::{Outcome, Reason, Unknown, Verdict};
use std::path::Path;

/// What can be said of a script alone.
pub fn script(tree: &Tree) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    let mut asked = false;
    for (k, statement) in tree.statements.iter().enumerate() {
        match &statement.kind {
            StatementKind::Query(_) => asked = true,
            StatementKind::Expect(_) if !asked => all.push(
                Diagnostic::error(Code::E402, "there is no query that EXPECT could check")
                    .label(statement.span, "no query stands before it")
                    .help("write the query before EXPECT"),
            ),
            StatementKind::Let { name, .. } => {
                let after = tree.statements.get(k + 1..).unwrap_or(&[]);
                if !after.iter().any(|s| names_let(s, &name.text)) {
                    all.push(
                        Diagnostic::warning(
                            Code::W103,
                            format!("nothing after it uses LET {}", name.text),
                        )
                        .label(name.span, "never used"),
                    );
                }
            }
            StatementKind::Expect(Expectation::Abstain(Some(code))) => {
                all.extend(unknown_code(code));
            }
            _ => {}
        }
    }
    all
}

/// What a script that nothing is loaded into is certain to be refused for: facts
/// without their source and, where it declares its dimensions itself, words that
/// it does not declare.
pub fn knowledge(tree: &Tree, text: &str) -> Vec<Diagnostic> {
    let kinds = || tree.statements.iter().map(|s| &s.kind);
    let declares = kinds().any(|kind| matches!(kind, StatementKind::Dimension(_)));
    let reads = |kind| matches!(kind, &StatementKind::Open { .. } | &StatementKind::Load(_));
    let closed = declares && !kinds().any(reads);
    let mut all = Vec::new();
    let mut session = Session::new(Lattice::empty());
    session.begin_text("script", text, Path::new(""));
    for statement in &tree.statements {
        let sourceless =
            matches!(&statement.kind, StatementKind::Fact(fact) if fact.source.is_none());
        if sourceless || (closed && is_knowledge(&statement.kind)) {
            bind_all(&mut session, statement, text);
            take(session.execute(statement).map(|_| ()), &mut all);
        }
    }
    all.retain(|d| matches!(d.code, Code::E200 | Code::E201 | Code::E202));
    all
}

/// A code that no abstention has.
fn unknown_code(code: &Name) -> Option<Diagnostic> {
    let word = code.text.to_lowercase();
    if ABSTENTIONS.contains(&word.as_str()) {
        return None;
    }
    let near = ABSTENTIONS
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&word, known), *known))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    let error = Diagnostic::error(
        Code::E409,
        format!("no abstention has the code “{}”", code.text),
    )
    .label(code.span, "no such code");
    Some(match near {
        Some((_, known)) => error
            .help(format!("did you mean {known}?"))
            .fix(code.span, known),
        None => error.help(format!("the codes are {}", ABSTENTIONS.join(", "))),
    })
}

/// Whether a bare word of a statement is the name of a LET.
fn names_let(statement: &Statement, name: &str) -> bool {
    let text = print_statement(&statement.kind);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '"';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// What the words of a script mean in a lattice: unknown ones are warnings. The
/// check ends where the script opens or loads something, which is not read here.
pub fn names(tree: &Tree, text: &str, lattice: &Lattice) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    let mut session = Session::new(lattice.clone());
    session.begin_text("script", text, Path::new(""));
    for statement in &tree.statements {
        bind_all(&mut session, statement, text);
        match &statement.kind {
            StatementKind::Open { .. } | StatementKind::Load(_) => break,
            StatementKind::Let { query, .. } => {
                all.extend(words(&mut session, query, statement.span, text));
                take(session.execute(statement).map(|_| ()), &mut all);
            }
            kind if is_knowledge(kind) => {
                take(session.execute(statement).map(|_| ()), &mut all);
            }
            StatementKind::Query(query)
            | StatementKind::Explain(query)
            | StatementKind::Suggest(query) => {
                all.extend(words(&mut session, query, statement.span, text));
            }
            _ => {}
        }
    }
    take(session.settle(), &mut all);
    all
}

fn take(done: Result<(), ScriptError>, all: &mut Vec<Diagnostic>) {
    if let Err(ScriptError::Text(diagnostics)) = done {
        all.extend(diagnostics);
    }
}

/// Parameters have no value yet: each stands for a word that is never told.
const UNBOUND: &str = "\u{fffc}";

fn bind_all(session: &mut Session, statement: &Statement, text: &str) {
    let words = text
        .get(statement.span.start..statement.span.end)
        .unwrap_or("");
    for part in words.split('$').skip(1) {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = part.get(..end.unwrap_or(part.len())).unwrap_or("");
        session.bind(name, Parameter::from(super::Binding::from(UNBOUND)));
    }
}

/// Warnings about the words of one query.
fn words(session: &mut Session, query: &Query, span: Span, text: &str) -> Vec<Diagnostic> {
    let verdict = match session.resolve(query, span) {
        Ok(None) | Err(ScriptError::Cancelled | ScriptError::Loaded { .. }) => return Vec::new(),
        Ok(Some(verdict)) => verdict,
        Err(ScriptError::Text(diagnostics)) => return diagnostics,
    };
    let Verdict {
        outcome: Outcome::Abstention(abstention),
        ..
    } = verdict
    else {
        return Vec::new();
    };
    let unknown = |what: &str, all: &[Unknown]| {
        all.iter()
            .filter(|one| one.word != UNBOUND)
            .map(|one| unknown_word(what, one, span, text))
            .collect()
    };
    match &abstention.reason {
        Reason::UnknownDimension(all) => unknown("dimension", all),
        Reason::UnknownValue(all) => unknown("value", all),
        Reason::UnknownName(all) => unknown("instance", all),
        Reason::Mismatch(pairs) => pairs
            .iter()
            .filter(|p| !p.left.contains(UNBOUND) && !p.right.contains(UNBOUND))
            .map(|p| {
                let message = format!("{}: {} / {}", p.what, p.left, p.right);
                Diagnostic::warning(Code::W102, message).label(span, "it would abstain: mismatch")
            })
            .collect(),
        Reason::Ambiguous(all) => all
            .iter()
            .map(|one| {
                let message = format!("“{}” stands for several things", one.word);
                Diagnostic::warning(Code::W102, message)
                    .label(place(&one.word, span, text), "it would abstain: ambiguous")
                    .help("write the one that is meant by its id")
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn unknown_word(what: &str, one: &Unknown, span: Span, text: &str) -> Diagnostic {
    let message = match &one.dimension {
        Some(dimension) => format!("{dimension} has no {what} “{}” in this lattice", one.word),
        None => format!("no {what} is called “{}” in this lattice", one.word),
    };
    let warning =
        Diagnostic::warning(Code::W101, message).label(place(&one.word, span, text), "unknown");
    if one.nearest.is_empty() {
        return warning;
    }
    let near: Vec<String> = one.nearest.iter().map(|n| format!("“{n}”")).collect();
    warning.help(format!("did you mean {}?", super::words::either(&near)))
}

/// Where a word stands in its statement; the whole statement if it is spelled
/// otherwise there.
fn place(word: &str, span: Span, text: &str) -> Span {
    let statement = text.get(span.start..span.end).unwrap_or("");
    match statement.find(word) {
        Some(at) if !word.is_empty() => Span::new(span.start + at, span.start + at + word.len()),
        _ => span,
    }
}
