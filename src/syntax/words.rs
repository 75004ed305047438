//! The words of the language: which are reserved, and which a bare name may be.

use pest::unicode::{XID_CONTINUE, XID_START};

/// Words that start a statement; reserved everywhere.
pub const STARTERS: &[&str] = &[
    "DIMENSION",
    "SYNONYM",
    "ALIAS",
    "INSTANCE",
    "UNIT",
    "FACT",
    "DEFECT",
    "RETRACT",
    "LET",
    "MEET",
    "COMPARE",
    "ABSTAIN",
    "READ",
    "EXPLAIN",
    "EXPECT",
    "CHECK",
    "WIDTH",
    "INDEPENDENCE",
    "CONCEPTS",
    "IMPLICATIONS",
    "SUGGEST",
    "SHOW",
    "DESCRIBE",
    "OPEN",
    "USE",
    "LOAD",
    "PATTERN",
];

/// Words that join the parts of a query; reserved everywhere.
pub const CONNECTIVES: &[&str] = &["AND", "OR", "NOT", "IN", "HAS", "POSSIBLY", "RETURN", "BY"];

/// Words that are keywords only where they stand.
pub const CONTEXTUAL: &[&str] = &[
    "AKA",
    "AS",
    "AT",
    "COLUMN",
    "COMPLETE",
    "CONFIDENCE",
    "CONTEXT",
    "COUNT",
    "CYCLE",
    "DATE",
    "DIMENSIONS",
    "DOCUMENTS",
    "DUPLICATE",
    "EDGES",
    "ENTITY",
    "EQUAL",
    "FALSE",
    "FROM",
    "GREATER",
    "INCOMPARABLE",
    "INSTANCES",
    "INVERSE",
    "JOIN",
    "JSONL",
    "KEY",
    "LANGUAGE",
    "LESS",
    "LINE",
    "LQ",
    "MANY",
    "MAX",
    "MIN",
    "NTRIPLES",
    "NULL",
    "NUMBER",
    "OBO",
    "OF",
    "OMIT",
    "ONE",
    "OVERLAPS",
    "QUESTION",
    "QUOTE",
    "RDF",
    "ROWS",
    "SOURCE",
    "STRICT",
    "SUPPORT",
    "TABLE",
    "TAXONOMY",
    "TEXT",
    "TOP",
    "TRIPLES",
    "TRUE",
    "UNDEFINED",
    "WITHIN",
    "WORDNET",
];

/// Words that may follow a number and so are no unit unless quoted.
pub(crate) const NO_UNIT: &[&str] = &[
    "CONFIDENCE",
    "SOURCE",
    "OVERLAPS",
    "AKA",
    "WHERE",
    "LIMIT",
    "ORDER",
    "GROUP",
    "TOP",
    "AS",
];

fn listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// Whether the word starts a statement, in any case of letters.
pub fn is_starter(word: &str) -> bool {
    listed(STARTERS, word)
}

/// Whether the word is reserved, in any case of letters.
pub fn is_reserved(word: &str) -> bool {
    listed(CONNECTIVES, word) || is_starter(word)
}

/// Whether the text, written without quotes, is read as a name.
pub fn is_bare(text: &str) -> bool {
    is_any_word(text) && !is_reserved(text)
}

/// Whether the text, written without quotes behind a number, is read as a unit.
pub(crate) fn is_bare_unit(text: &str) -> bool {
    is_bare(text) && !listed(NO_UNIT, text)
}

/// Whether the text, written without quotes behind `@`, is read as an id.
pub(crate) fn is_bare_id(text: &str) -> bool {
    !text.is_empty() && word_length(text) == text.len()
}

/// Whether the text has the form of a word, reserved or not.
pub(crate) fn is_any_word(text: &str) -> bool {
    text.chars().next().is_some_and(starts_word) && word_length(text) == text.len()
}

pub(crate) fn starts_word(character: char) -> bool {
    character == '_' || XID_START(character)
}

pub(crate) fn continues_word(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => true,
        _ if character.is_ascii() => false,
        _ => XID_CONTINUE(character),
    }
}

/// The bytes of the word at the start of the text: word characters, and hyphens
/// that a word character follows.
pub(crate) fn word_length(text: &str) -> usize {
    let mut end = 0;
    for (index, character) in text.char_indices() {
        if continues_word(character) {
            end = index + character.len_utf8();
        } else if character != '-' {
            break;
        }
    }
    end
}

/// White space as the grammar has it: Unicode's, and the byte order mark.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_words() {
        for word in ["a", "_x", "sci-fi", "sci--fi", "日本語", "one", "é2"] {
            assert!(is_bare(word), "{word}");
        }
        for word in [
            "", "-a", "a-", "2nd", "a b", "Check", "in", "O'Connor", "a.b", "🐋",
        ] {
            assert!(!is_bare(word), "{word}");
        }
    }
}
