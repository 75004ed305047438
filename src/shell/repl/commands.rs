//! The commands of the REPL that are no LQ: they begin with a dot.

use crate::shell::args::Format;
use crate::shell::terminal::Paint;
use std::io::{self, Write};
use std::path::Path;

/// A dot command.
pub struct DotCommand {
    /// Its name, with the dot.
    pub name: &'static str,
    /// What stands behind it.
    pub takes: &'static str,
    /// What it does.
    pub does: &'static str,
}

const fn command(name: &'static str, takes: &'static str, does: &'static str) -> DotCommand {
    DotCommand { name, takes, does }
}

/// All dot commands, sorted.
pub const ALL: &[DotCommand] = &[
    command(".all", "", "print the last result with all its rows"),
    command(
        ".ask",
        "QUESTION",
        "ask in English: the plan of the question, and what it gives",
    ),
    command(
        ".certificate",
        "FILE",
        "write the certificate of the last verdict to a file",
    ),
    command(
        ".explain",
        "[CODE]",
        "how the last query is run; the story of a code",
    ),
    command(
        ".help",
        "[PATTERN]",
        "these commands; those that match a pattern, and keywords",
    ),
    command(
        ".mode",
        "[FORM]",
        "the form of results: table, json, jsonl, csv, tsv, md",
    ),
    command(
        ".once",
        "FILE",
        "write the next result to a file, all of it, in the form of its ending",
    ),
    command(".open", "FILE", "open a lattice in place of this one"),
    command(".quit", "", "end the session (as Ctrl-D does)"),
    command(".read", "FILE", "run a script"),
    command(".save", "FILE", "save the lattice with all that was stated"),
    command(
        ".schema",
        "[DIMENSION]",
        "the dimensions; the values of one",
    ),
    command(".timer", "on|off", "tell the time that a query took"),
];

/// The names of all forms.
pub const MODES: &[&str] = &["table", "json", "jsonl", "csv", "tsv", "md"];

/// A form by its name.
pub fn mode(name: &str) -> Option<Format> {
    Some(match name {
        "table" => Format::Table,
        "json" => Format::Json,
        "jsonl" => Format::Jsonl,
        "csv" => Format::Csv,
        "tsv" => Format::Tsv,
        "md" => Format::Md,
        _ => return None,
    })
}

/// The name of a form.
pub fn mode_name(format: Format) -> &'static str {
    match format {
        Format::Table => "table",
        Format::Json => "json",
        Format::Jsonl => "jsonl",
        Format::Csv => "csv",
        Format::Tsv => "tsv",
        Format::Md => "md",
    }
}

/// What a keyword begins, with an example each.
const STATEMENTS: &[(&str, &str, &str)] = &[
    (
        "MEET",
        "ask for the instances that satisfy all conditions",
        "MEET species <= mammal AND habitat = aquatic",
    ),
    (
        "COMPARE",
        "compare along an order",
        "COMPARE \"A\" < \"B\" BY born",
    ),
    (
        "LET",
        "name the answer of a query",
        "LET films = MEET written_by = \"Quentin Tarantino\"",
    ),
    (
        "EXPLAIN",
        "show how a query is run",
        "EXPLAIN MEET species = whale",
    ),
    (
        "EXPECT",
        "check the verdict before it",
        "EXPECT { \"Moby Dick\" }",
    ),
    ("SHOW", "list what there is", "SHOW DIMENSIONS"),
    (
        "DESCRIBE",
        "tell all about an instance or a dimension",
        "DESCRIBE \"Moby Dick\"",
    ),
    (
        "DIMENSION",
        "declare a dimension",
        "DIMENSION born DATE ONE",
    ),
    (
        "FACT",
        "state something with its source",
        "FACT \"Moby Dick\" species = whale SOURCE \"Moby Dick is a white whale.\"",
    ),
    (
        "SYNONYM",
        "give a value another name",
        "SYNONYM \"killer whale\" = orca IN species",
    ),
    (
        "ALIAS",
        "give an instance another name",
        "ALIAS \"Robert Zimmerman\" = \"Bob Dylan\"",
    ),
    (
        "INSTANCE",
        "name an instance of which nothing else need be said",
        "INSTANCE \"Springfield\" @\"il/springfield\"",
    ),
    ("UNIT", "declare a unit", "UNIT km = 1000 m"),
    (
        "RETRACT",
        "take back what a document says",
        "RETRACT FROM \"moby.txt\"",
    ),
    ("LOAD", "load a file", "LOAD TABLE \"films.csv\""),
    ("OPEN", "open a lattice", "OPEN \"films.lattice\""),
    (
        "USE",
        "use a module that comes with the program",
        "USE std.units",
    ),
    (
        "ABSTAIN",
        "decline, with the reason in words",
        "ABSTAIN \"this asks for an opinion\"",
    ),
];

/// Words within statements, with an example each.
const WORDS: &[(&str, &str, &str)] = &[
    (
        "AND",
        "both hold",
        "MEET species = whale AND habitat = aquatic",
    ),
    (
        "BY",
        "the dimension that COMPARE goes along",
        "COMPARE \"A\" < \"B\" BY born",
    ),
    (
        "CONFIDENCE",
        "how sure a source has to be",
        "MEET species = whale CONFIDENCE >= 0.8",
    ),
    (
        "COUNT",
        "how many there are, in place of which",
        "MEET species = whale RETURN COUNT",
    ),
    ("HAS", "some value is recorded", "MEET HAS born"),
    (
        "IN",
        "one of several values, a range, or the answer of a query",
        "MEET species IN {whale, bat}",
    ),
    (
        "JOIN",
        "what is above all of these and below all else that is",
        "COMPARE JOIN OF whale, bat BY species",
    ),
    (
        "MAX",
        "those with the greatest value",
        "COMPARE MAX OF (MEET HAS length) BY length",
    ),
    (
        "MIN",
        "those with the least value",
        "COMPARE MIN OF (MEET HAS length) BY length",
    ),
    (
        "NOT",
        "it is excluded: by another value, a denial, or a COMPLETE dimension",
        "MEET HAS species AND NOT species = mammal",
    ),
    (
        "OR",
        "at least one holds; beside AND it stands in parentheses",
        "MEET species = whale OR species = bat",
    ),
    (
        "POSSIBLY",
        "what is recorded does not rule it out",
        "MEET species = whale AND POSSIBLY habitat = aquatic",
    ),
    (
        "RETURN",
        "give values in place of instances",
        "MEET species = whale RETURN name, born",
    ),
];

/// What a word without a dot was meant for, where it stands alone.
pub fn meant(text: &str) -> Option<&'static str> {
    match text.trim().trim_end_matches(';').to_lowercase().as_str() {
        "help" | "?" | "h" | "\\h" | "\\?" => Some(".help"),
        "quit" | "exit" | "q" | "bye" | "\\q" => Some(".quit"),
        _ => None,
    }
}

/// The form that the ending of a file asks for.
pub fn mode_of(path: &Path) -> Option<Format> {
    mode(&path.extension()?.to_str()?.to_lowercase()).filter(|form| *form != Format::Table)
}

/// Prints the commands and keywords that match.
pub fn help(out: &mut dyn Write, pattern: &str, paint: Paint) -> io::Result<()> {
    let wanted = pattern.trim().to_lowercase();
    let fits = |texts: &[&str]| {
        wanted.is_empty() || texts.iter().any(|t| t.to_lowercase().contains(&wanted))
    };
    if let Some((word, does, example)) = WORDS.iter().find(|w| w.0.to_lowercase() == wanted) {
        writeln!(out, "{}{does}", paint.strong(&format!("{word:<26}")))?;
        return writeln!(out, "{:<26}{}", "", paint.faint(example));
    }
    let mut any = false;
    for one in ALL.iter().filter(|c| fits(&[c.name, c.does])) {
        any = true;
        let head = format!("{:<26}", format!("{} {}", one.name, one.takes));
        writeln!(out, "{}{}", paint.strong(&head), one.does)?;
    }
    let statements = STATEMENTS.iter().filter(|s| fits(&[s.0, s.1]));
    for (k, (word, does, example)) in statements.enumerate() {
        if k == 0 && any {
            writeln!(out)?;
        }
        any = true;
        writeln!(out, "{}{does}", paint.strong(&format!("{word:<26}")))?;
        if !wanted.is_empty() {
            writeln!(out, "{:<26}{}", "", paint.faint(example))?;
        }
    }
    if !any {
        writeln!(
            out,
            "nothing matches “{}”; `.help` alone lists everything",
            pattern.trim()
        )?;
    } else if wanted.is_empty() {
        writeln!(
            out,
            "\nEnter runs a statement that is complete; one that is not goes on in the next line. A \
             taxonomy, and\na fact without its source, go on until an empty line or `;`. Ctrl-C \
             stops a query, `.help WORD` shows\nan example."
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    #[test]
    fn every_example_can_be_read() {
        for (word, _, example) in STATEMENTS {
            assert!(parse(example).is_ok(), "{word}: {example}");
            assert!(example.starts_with(word));
        }
        for (word, _, example) in WORDS {
            assert!(parse(example).is_ok(), "{word}: {example}");
            assert!(example.contains(word));
        }
        assert!(WORDS.is_sorted_by_key(|w| w.0));
    }

    #[test]
    fn commands_are_sorted_and_modes_have_names() {
        assert!(ALL.is_sorted_by_key(|c| c.name));
        for name in MODES {
            assert_eq!(mode(name).map(mode_name), Some(*name));
        }
    }
}
