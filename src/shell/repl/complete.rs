//! What may stand where the cursor is.

use super::commands;
use super::tokens::{Kind, Token, keywords, tokens};
use crate::lattice::{DimensionId, Lattice, ValueId, fold};
use crate::script::words;
use crate::shell::explain;
use crate::syntax::tree::{Name, Span};
use crate::syntax::{Code, print_name};
use rustyline::completion::{FilenameCompleter, Pair};
use std::collections::BTreeSet;

/// Suggestions of one kind at most.
const MOST: usize = 200;

/// What completion knows of the session.
#[derive(Clone)]
pub struct Knowledge {
    /// The lattice.
    pub lattice: Lattice,
    /// The names of LETs.
    pub lets: Vec<String>,
}

/// Where the suggestions start, and what they are.
///
/// `at_every_key` leaves out what would take long in a large lattice.
pub fn complete(
    line: &str,
    pos: usize,
    knowledge: &Knowledge,
    files: &FilenameCompleter,
    at_every_key: bool,
) -> (usize, Vec<Pair>) {
    let before = line.get(..pos).unwrap_or(line);
    if before.starts_with('.') {
        return command(before, knowledge, files);
    }
    let all = tokens(before);
    let (typed, start) = match all.last() {
        Some(last) if last.span.end == pos && last.kind != Kind::Sign => {
            (Some(last.clone()), last.span.start)
        }
        _ => (None, pos),
    };
    if typed.as_ref().is_some_and(|t| t.kind == Kind::Comment) {
        return (pos, Vec::new());
    }
    let earlier = match &typed {
        Some(_) => all.get(..all.len().saturating_sub(1)).unwrap_or(&[]),
        None => all.as_slice(),
    };
    let quoted = matches!(typed.as_ref().map(|t| t.kind), Some(Kind::Quoted(_)));
    let word = typed.as_ref().map_or("", |t| t.text(before));
    if quoted && wants_file(before, earlier) {
        return files.complete_path(before, pos).unwrap_or_default();
    }
    let mut found = BTreeSet::new();
    if let Some(path) = path_before(before, earlier) {
        if !at_every_key || is_small(&path, knowledge) {
            values(&path, word, knowledge, &mut found);
        }
    } else if !quoted {
        vocabulary(word, before, earlier, knowledge, &mut found);
    }
    if quoted && found.is_empty() {
        names(word, knowledge, &mut found);
    }
    let pairs = found.into_iter().take(MOST).map(|text| Pair {
        display: text.clone(),
        replacement: text,
    });
    (start, pairs.collect())
}

/// A dot command and its argument.
fn command(before: &str, knowledge: &Knowledge, files: &FilenameCompleter) -> (usize, Vec<Pair>) {
    let pair = |text: &str| Pair {
        display: text.to_string(),
        replacement: text.to_string(),
    };
    let Some(space) = before.find(' ') else {
        let all = commands::ALL.iter().map(|c| c.name);
        let found = all.filter(|name| name.starts_with(before));
        return (0, found.map(pair).collect());
    };
    let (name, start) = (before.get(..space).unwrap_or(""), space + 1);
    let typed = before.get(start..).unwrap_or("");
    let choose = |all: Vec<String>| -> Vec<Pair> {
        let found = all.iter().filter(|one| one.starts_with(typed));
        found.take(MOST).map(|one| pair(one)).collect()
    };
    let texts = |all: &[&str]| all.iter().map(|t| (*t).to_string()).collect();
    match name {
        ".open" | ".read" | ".save" | ".once" | ".certificate" => files
            .complete_path(before, before.len())
            .unwrap_or_default(),
        ".mode" => (start, choose(texts(commands::MODES))),
        ".timer" => (start, choose(texts(&["on", "off"]))),
        ".help" => (
            start,
            choose(commands::ALL.iter().map(|c| c.name.to_string()).collect()),
        ),
        ".schema" => {
            let dimensions = knowledge.lattice.dimensions().iter();
            (start, choose(dimensions.map(|d| d.name.clone()).collect()))
        }
        ".explain" => {
            let codes = explain::abstention_codes().map(String::from);
            let codes = codes.chain(Code::ALL.iter().map(|c| c.name().to_string()));
            (start, choose(codes.collect()))
        }
        _ => (start, Vec::new()),
    }
}

/// Whether a text in quotes here is the name of a file.
fn wants_file(line: &str, earlier: &[Token]) -> bool {
    let words: Vec<String> = earlier
        .iter()
        .rev()
        .take(2)
        .map(|t| t.text(line).to_ascii_uppercase())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        ["OPEN" | "LOAD", ..]
            | [
                "TRIPLES"
                    | "NTRIPLES"
                    | "TABLE"
                    | "JSONL"
                    | "CONTEXT"
                    | "LQ"
                    | "OBO"
                    | "RDF"
                    | "WORDNET"
                    | "EDGES",
                "LOAD",
                ..
            ]
    )
}

/// The path that a value is being typed for: `species` in `species = wh`, in
/// `species IN {whale, o` and in `BY species = `.
fn path_before(line: &str, earlier: &[Token]) -> Option<String> {
    let mut rest = earlier;
    // Back over the elements of a set.
    if let Some(open) = rest.iter().rposition(|t| t.text(line) == "{") {
        let closed = rest.iter().skip(open).any(|t| t.text(line) == "}");
        if !closed {
            rest = rest.get(..open)?;
        }
    }
    let (sign, before) = rest.split_last()?;
    let text = sign.text(line);
    let relates = matches!(text, "=" | "!=" | "<" | "<=" | ">" | ">=");
    if !relates && !text.eq_ignore_ascii_case("IN") {
        return None;
    }
    let path = before.last()?;
    match path.kind {
        Kind::Word => Some(path.text(line).to_string()),
        Kind::Quoted(true) => Some(path.text(line).trim_matches('"').to_string()),
        _ => None,
    }
}

/// Whether the values of a path can be looked through at every key.
fn is_small(path: &str, knowledge: &Knowledge) -> bool {
    const SMALL: usize = 5_000;
    let last = path.rsplit('.').next().unwrap_or(path);
    let found = knowledge.lattice.find_dimension(last);
    let taxonomy = found.and_then(|d| knowledge.lattice.taxonomy(d));
    taxonomy.is_none_or(|taxonomy| taxonomy.len() <= SMALL)
}

/// Values of the last dimension of a path.
fn values(path: &str, typed: &str, knowledge: &Knowledge, found: &mut BTreeSet<String>) {
    let lattice = &knowledge.lattice;
    let last = path.rsplit('.').next().unwrap_or(path);
    if last.eq_ignore_ascii_case("name") {
        return names(typed, knowledge, found);
    }
    let Some(d) = lattice.find_dimension(last) else {
        return;
    };
    let wanted = fold(typed.trim_matches('"'));
    let quoted = typed.starts_with('"');
    let mut take = |word: &str| {
        if fold(word).starts_with(&wanted) && found.len() < MOST {
            found.insert(written(word, quoted));
        }
    };
    if let Some(taxonomy) = lattice.taxonomy(d) {
        for v in 0..taxonomy.len() as u32 {
            take(taxonomy.name(ValueId(v)));
            taxonomy.synonyms(ValueId(v)).iter().for_each(|s| take(s));
        }
    } else if lattice.dimension(d).is_entity() {
        entities(d, typed, knowledge, found);
    } else {
        let recorded = lattice.recorded_values(d).iter().take(MOST * 10);
        for v in recorded {
            take(&words::value_cell(lattice, d, ValueId(*v)));
        }
    }
    if !quoted {
        lets(typed, knowledge, found);
    }
}

/// Instances that are a value of the dimension; any instance where they are many.
fn entities(d: DimensionId, typed: &str, knowledge: &Knowledge, found: &mut BTreeSet<String>) {
    let lattice = &knowledge.lattice;
    let recorded = lattice.recorded_values(d);
    if recorded.len() > MOST * 10 {
        return names(typed, knowledge, found);
    }
    let wanted = fold(typed.trim_matches('"'));
    for v in recorded {
        let name = lattice.name(crate::lattice::InstanceId(*v));
        if fold(name).starts_with(&wanted) {
            found.insert(written(name, typed.starts_with('"')));
        }
    }
}

/// Names of instances, in quotes.
fn names(typed: &str, knowledge: &Knowledge, found: &mut BTreeSet<String>) {
    let prefix = typed.trim_matches('"');
    let quoted = typed.starts_with('"');
    for name in knowledge.lattice.names_with_prefix(prefix, MOST) {
        found.insert(written(name.as_ref(), quoted));
    }
}

/// Keywords, dimensions and LETs.
fn vocabulary(
    typed: &str,
    line: &str,
    earlier: &[Token],
    knowledge: &Knowledge,
    found: &mut BTreeSet<String>,
) {
    let lower = typed.chars().next().is_some_and(char::is_lowercase);
    let upper = typed.to_ascii_uppercase();
    for keyword in keywords().filter(|k| k.starts_with(&upper)) {
        let text = if lower {
            keyword.to_ascii_lowercase()
        } else {
            keyword.to_string()
        };
        found.insert(text);
    }
    if earlier.is_empty() {
        return;
    }
    // The last step of a path is completed, the steps before it are kept.
    let (steps, last) = match typed.rsplit_once('.') {
        Some((steps, last)) => (format!("{steps}."), last),
        None => (String::new(), typed),
    };
    let wanted = fold(last);
    for dimension in knowledge.lattice.dimensions() {
        if fold(&dimension.name).starts_with(&wanted) {
            found.insert(format!("{steps}{}", written(&dimension.name, false)));
        }
    }
    lets(typed, knowledge, found);
    let asks_for_an_instance = earlier.last().is_some_and(|t| {
        let word = t.text(line).to_ascii_uppercase();
        matches!(
            word.as_str(),
            "DESCRIBE" | "COMPARE" | "OF" | "FACT" | "ALIAS"
        )
    });
    if asks_for_an_instance && !typed.is_empty() {
        names(typed, knowledge, found);
    }
}

fn lets(typed: &str, knowledge: &Knowledge, found: &mut BTreeSet<String>) {
    let all = knowledge.lets.iter().filter(|name| name.starts_with(typed));
    found.extend(all.cloned());
}

/// A name as it is written: in quotes where it needs them, or where a quote was
/// typed already.
fn written(name: &str, quoted: bool) -> String {
    print_name(&Name {
        text: name.to_string(),
        quoted,
        span: Span::default(),
    })
}
