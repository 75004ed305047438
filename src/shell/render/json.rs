//! Results for programs.

use crate::lattice::{InstanceId, Lattice, ValueId};
use crate::script::listing::{Description, Listing, dimension_line};
use crate::script::{Output, words};
use crate::verdict::Verdict;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints a result as JSON: over several lines where a person may look at it, in
/// one line otherwise. What is no result prints nothing.
pub fn print(
    out: &mut dyn Write,
    lattice: &Lattice,
    output: &Output,
    pretty: bool,
) -> io::Result<()> {
    if pretty {
        let mut indented = Indented::new(out);
        compact(&mut indented, lattice, output)?;
        return indented.end();
    }
    if compact(out, lattice, output)? {
        writeln!(out)?;
    }
    Ok(())
}

/// A verdict with the question that it is about.
#[derive(Serialize)]
struct Asked<'a, V> {
    question: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<&'a Value>,
    #[serde(flatten)]
    verdict: V,
}

/// Prints the verdict of a question as JSON: that of the verdict, with the question, its
/// plan, and how the answer has moved.
pub fn asked(
    out: &mut dyn Write,
    lattice: &Lattice,
    question: &super::Question<'_>,
    verdict: &Verdict,
    pretty: bool,
) -> io::Result<()> {
    let asked = Asked {
        question: question.text,
        plan: question.plan,
        moved: question.moved,
        verdict: verdict.in_lattice(lattice),
    };
    if pretty {
        let mut indented = Indented::new(out);
        serde_json::to_writer(&mut indented, &asked)?;
        return indented.end();
    }
    serde_json::to_writer(&mut *out, &asked)?;
    writeln!(out)
}

/// Whether there was something to print.
fn compact(out: &mut dyn Write, lattice: &Lattice, output: &Output) -> io::Result<bool> {
    let mut value = match output {
        Output::Verdict(verdict) => {
            verdict.write_json(lattice, out)?;
            return Ok(true);
        }
        Output::Listing(listing) => list(lattice, *listing),
        Output::Description(description) => match description.as_ref() {
            Description::Instances(portraits) => json!({ "instances": portraits }),
            Description::Dimension(line) => json!({ "dimension": line }),
        },
        Output::Explanation(explanation) => json!({ "explanation": explanation }),
        Output::Report(report) => json!(report),
        _ => return Ok(false),
    };
    // Whatever order serde_json is built to keep.
    value.sort_all_objects();
    serde_json::to_writer(out, &value)?;
    Ok(true)
}

/// Lays compact JSON out over lines as it passes through: keys keep their order,
/// and nothing is held in memory.
struct Indented<'w> {
    out: &'w mut dyn Write,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// An opening bracket has passed, and nothing since.
    opened: bool,
    any: bool,
}

impl<'w> Indented<'w> {
    fn new(out: &'w mut dyn Write) -> Indented<'w> {
        Indented {
            out,
            depth: 0,
            in_text: false,
            escaped: false,
            opened: false,
            any: false,
        }
    }

    fn line(&mut self) -> io::Result<()> {
        write!(self.out, "\n{:width$}", "", width = self.depth * 2)
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        self.any = true;
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return self.out.write_all(&[byte]);
        }
        let closes = matches!(byte, b'}' | b']');
        if self.opened && !closes {
            self.line()?;
        }
        if closes {
            self.depth = self.depth.saturating_sub(1);
            if !self.opened {
                self.line()?;
            }
        }
        self.opened = matches!(byte, b'{' | b'[');
        if self.opened {
            self.depth += 1;
        }
        self.in_text = byte == b'"';
        self.out.write_all(&[byte])?;
        match byte {
            b',' => self.line(),
            b':' => self.out.write_all(b" "),
            _ => Ok(()),
        }
    }

    fn end(self) -> io::Result<()> {
        if self.any {
            writeln!(self.out)?;
        }
        Ok(())
    }
}

impl Write for Indented<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().try_for_each(|byte| self.byte(*byte))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn list(lattice: &Lattice, listing: Listing) -> Value {
    match listing {
        Listing::Dimensions => {
            let all: Vec<_> = words::dimension_ids(lattice)
                .map(|d| dimension_line(lattice, d))
                .collect();
            json!({ "dimensions": all })
        }
        Listing::Instances => {
            let all: Vec<_> = (0..lattice.instance_count())
                .map(InstanceId)
                .map(|i| json!({ "id": lattice.id(i), "name": lattice.name(i) }))
                .collect();
            json!({ "instances": all })
        }
        Listing::Documents => {
            let all: Vec<_> = lattice
                .documents()
                .into_iter()
                .map(|d| json!({ "document": d.name, "sources": d.evidence_count }))
                .collect();
            json!({ "documents": all })
        }
        Listing::Values(d) => {
            let holders = |v: u32| lattice.positive(d).holders(ValueId(v)).len();
            let all: Vec<_> = super::listing::values(lattice, d)
                .map(|v| json!({ "value": words::value_cell(lattice, d, ValueId(v)), "instances": holders(v) }))
                .collect();
            json!({ "dimension": dimension_line(lattice, d), "values": all })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_keeps_order_and_text() {
        let compact = r#"{"b":[],"a":[1,{"x":"a:{,\"\\"}],"c":{}}"#;
        let mut out = Vec::new();
        let mut indented = Indented::new(&mut out);
        indented.write_all(compact.as_bytes()).unwrap();
        indented.end().unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "{\n  \"b\": [],\n  \"a\": [\n    1,\n    {\n      \"x\": \"a:{,\\\"\\\\\"\n    }\n  ],\n  \"c\": {}\n}\n";
        assert_eq!(text, expected);
    }
}
