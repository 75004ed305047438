//! JSON Lines: an object a line, its fields as columns, its arrays as several
//! values.

use super::rows::{Cell, Cells, Row, Rows};
use crate::load::job::Job;
use crate::load::lines::Lines;
use crate::load::{LoadError, names};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The fields of an object in their order, as they stand there.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsFields;
        impl<'de> Visitor<'de> for AsFields {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object, as in {\"name\": \"Ada\"}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(AsFields)
    }
}

/// The rows of a JSON Lines file.
pub(super) struct JsonRows {
    lines: Lines,
    columns: Vec<String>,
    numbers: HashMap<String, usize>,
    first_reading: bool,
}

impl JsonRows {
    /// Opens the file of a job.
    pub fn open(job: &Job<'_>) -> Result<JsonRows, LoadError> {
        Ok(JsonRows {
            lines: job.lines()?,
            columns: Vec::new(),
            numbers: HashMap::new(),
            first_reading: true,
        })
    }
}

impl Rows for JsonRows {
    fn next(&mut self, job: &mut Job<'_>, row: &mut Row) -> Result<bool, LoadError> {
        while let Some(line) = self.lines.next()? {
            job.tick(line.end)?;
            job.report.lines += u64::from(self.first_reading);
            let text = match line.text {
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => text,
                Err(fault) => {
                    if self.first_reading {
                        job.fault(fault, line.number, line.start)?;
                    }
                    continue;
                }
            };
            row.text.clear();
            row.text.push_str(text);
            (row.line, row.start, row.end) = (line.number, line.start, line.end);
            let (text, into) = row.parts();
            match cells(text, &mut self.columns, &mut self.numbers, into) {
                Ok(()) => return Ok(true),
                Err(reason) if self.first_reading => job.bad(line.number, line.start, reason)?,
                Err(_) => {}
            }
        }
        Ok(false)
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn rewind(&mut self, job: &Job<'_>) -> Result<(), LoadError> {
        self.lines = job.lines()?;
        self.first_reading = false;
        Ok(())
    }
}

fn cells(
    text: &str,
    columns: &mut Vec<String>,
    numbers: &mut HashMap<String, usize>,
    cells: &mut Cells,
) -> Result<(), String> {
    cells.clear();
    let Fields(fields) =
        serde_json::from_str(text).map_err(|error| format!("no JSON object: {error}"))?;
    let mut seen = HashSet::new();
    let mut read = Vec::with_capacity(fields.len());
    for (field, value) in fields {
        let field = names::fold_spaces(&field).into_owned();
        if field.is_empty() {
            return Err("a field has an empty name; give it one".to_owned());
        }
        if !seen.insert(field.clone()) {
            return Err(format!(
                "field \"{field}\" stands twice; keep one, or use an array"
            ));
        }
        let scalars = scalars(value.get()).map_err(|what| {
            format!("field \"{field}\" holds {what}; only strings, numbers, true, false, null and arrays of them are loaded")
        })?;
        let array = value.get().starts_with('[');
        read.push((field, scalars, array));
    }
    for (field, scalars, array) in read {
        let column = match numbers.get(&field) {
            Some(column) => *column,
            None => {
                numbers.insert(field.clone(), columns.len());
                columns.push(field);
                columns.len() - 1
            }
        };
        for (text, string) in scalars {
            cells.push(Cell {
                column,
                text: &text,
                string,
                array,
            });
        }
    }
    Ok(())
}

/// The scalars of a value, and whether each is a string; an error names what is
/// none. Numbers keep their digits.
fn scalars(raw: &str) -> Result<Vec<(String, bool)>, &'static str> {
    let nothing = "what cannot be read";
    match raw.as_bytes().first() {
        Some(b'n') => Ok(Vec::new()),
        Some(b'{') => Err("an object"),
        Some(b'"') => {
            let text: String = serde_json::from_str(raw).map_err(|_| nothing)?;
            if text.contains('\0') {
                return Err("a NUL character");
            }
            Ok(vec![(text, true)])
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(raw).map_err(|_| nothing)?;
            let mut all = Vec::with_capacity(elements.len());
            for element in elements {
                if element.get().starts_with('[') {
                    return Err("an array in an array");
                }
                all.extend(scalars(element.get())?);
            }
            Ok(all)
        }
        Some(b't' | b'f') => Ok(vec![(raw.to_owned(), true)]),
        _ => Ok(vec![(raw.to_owned(), false)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String, bool)>, String> {
        let mut columns = Vec::new();
        let mut row = Row::default();
        cells(text, &mut columns, &mut HashMap::new(), row.parts().1)?;
        let named = row
            .cells()
            .map(|c| (columns[c.column].clone(), c.text.to_owned(), c.string));
        Ok(named.collect())
    }

    #[test]
    fn fields_keep_order_and_digits() {
        let cell = |c: &str, t: &str, s| (c.to_owned(), t.to_owned(), s);
        assert_eq!(
            read(r#"{"z": "A \u00e9", "a": [1.10, null, "x"], "n": 12345678901234567890.12, "b": true, "e": ""}"#).unwrap(),
            [
                cell("z", "A é", true),
                cell("a", "1.10", false),
                cell("a", "x", true),
                cell("n", "12345678901234567890.12", false),
                cell("b", "true", true),
            ]
        );
    }

    #[test]
    fn what_is_no_row_is_told() {
        for text in [
            "[1]",
            "1",
            "{",
            "{\"a\": {\"b\": 1}}",
            "{\"a\": [[1]]}",
            "{\"a\": [{}]}",
            "{\"a\": 1, \"a\": 2}",
            "{\"\": 1}",
            "{\"a\": \"\\ud800\"}",
            "{\"a\": \"\\u0000\"}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
