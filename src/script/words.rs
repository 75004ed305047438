//! How the things of a lattice are called when people read of them.

use crate::lattice::{DimensionId, Evidence, InstanceId, Kind, Lattice, Value, ValueId};
use crate::verdict::Who;

/// The name of an instance; with its id where that says more.
pub fn instance(lattice: &Lattice, i: InstanceId) -> String {
    let (name, id) = (lattice.name(i), lattice.id(i));
    if name == id {
        name.to_string()
    } else {
        format!("{name} (@{})", quoted_id(id))
    }
}

/// An id as it is written after `@`: quoted unless it is a plain word.
pub fn quoted_id(id: &str) -> String {
    let is_plain = id.chars().next().is_some_and(char::is_alphabetic)
        && id.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_plain {
        id.to_string()
    } else {
        format!("\"{}\"", id.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// An instance or a value that an operand may stand for.
pub fn who(lattice: &Lattice, who: &Who) -> String {
    match who {
        Who::Instance(i) => instance(lattice, *i),
        Who::Value(value, _) => value.clone(),
        Who::Plan { plan, .. } => plan.clone(),
    }
}

/// A value in a cell of a table.
pub fn cell(lattice: &Lattice, value: &Value) -> String {
    match value {
        Value::Term(name) => name.clone(),
        Value::Instance(i) => instance(lattice, *i),
        Value::Number(n) => n.to_string(),
        Value::Date(d) => d.to_string(),
        Value::Text(text) => text.clone(),
    }
}

/// A value by its number.
pub fn value_cell(lattice: &Lattice, d: DimensionId, v: ValueId) -> String {
    cell(lattice, &lattice.value(d, v))
}

/// `length` or `length [m]`: a dimension with the unit that its numbers are in.
pub fn with_unit(lattice: &Lattice, path: &str, d: Option<DimensionId>) -> String {
    match d.map(|d| &lattice.dimension(d).kind) {
        Some(Kind::Number { unit: Some(unit) }) => format!("{path} [{unit}]"),
        _ => path.to_string(),
    }
}

/// The place of a source: `moby.txt:1`, `moby.txt 0..49`.
pub fn place(evidence: &Evidence) -> String {
    let document = &evidence.document;
    match (evidence.line, evidence.range) {
        (Some(line), _) if document.is_empty() => format!("line {line}"),
        (Some(line), _) => format!("{document}:{line}"),
        (None, Some((start, end))) if document.is_empty() => format!("bytes {start}..{end}"),
        (None, Some((start, end))) => format!("{document} {start}..{end}"),
        (None, None) => document.clone(),
    }
}

/// The first source text that is recorded about an instance: enough to tell it
/// from others of the same name.
pub fn first_words(lattice: &Lattice, i: InstanceId) -> Option<String> {
    first_evidence(lattice, i).map(|evidence| shortened(&evidence.text, 80))
}

/// The first source that is recorded about an instance; where there is none, the
/// first that names it as a value.
pub fn first_evidence(lattice: &Lattice, i: InstanceId) -> Option<Evidence> {
    let about = || {
        dimension_ids(lattice).find_map(|d| {
            let relation = lattice.positive(d);
            let row = relation.of(i);
            (!row.is_empty()).then(|| (relation, row.predicate(0)))
        })
    };
    let naming = || {
        let entity = dimension_ids(lattice).filter(|d| lattice.dimension(*d).is_entity());
        entity.into_iter().find_map(|d| {
            let relation = lattice.positive(d);
            let holder = relation.holders(ValueId(i.0)).first()?;
            let predicate = relation.of(InstanceId(holder)).find(ValueId(i.0))?;
            Some((relation, predicate))
        })
    };
    let (relation, predicate) = about().or_else(naming)?;
    let (source, _) = *relation.sources(predicate).first()?;
    lattice.evidence(source).ok()
}

/// The numbers of all dimensions.
pub fn dimension_ids(lattice: &Lattice) -> impl Iterator<Item = DimensionId> {
    (0..lattice.dimensions().len()).filter_map(|k| u16::try_from(k).ok().map(DimensionId))
}

/// The first `most` characters, with an ellipsis where more follow.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text).trim_end()),
    }
}

fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// `a, b or c`.
pub fn either(words: &[String]) -> String {
    listed(words, "or")
}

/// `a, b and c`.
pub fn both(words: &[String]) -> String {
    listed(words, "and")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_people_write_them() {
        let words = |n: usize| {
            ["a", "b", "c"]
                .map(String::from)
                .into_iter()
                .take(n)
                .collect::<Vec<_>>()
        };
        assert_eq!(either(&words(1)), "a");
        assert_eq!(both(&words(2)), "a and b");
        assert_eq!(either(&words(3)), "a, b or c");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shortened("日本語", 2), "日本…");
        assert_eq!(shortened("日本", 2), "日本");
    }

    #[test]
    fn ids_are_quoted_where_they_need_it() {
        assert_eq!(quoted_id("Q42"), "Q42");
        assert_eq!(quoted_id("city/a\"b"), "\"city/a\\\"b\"");
    }
}
