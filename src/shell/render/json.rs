//! Results for programs.

use crate::lattice::{InstanceId, Lattice, ValueId};
use crate::script::listing::{Description, Listing, dimension_line};
use crate::script::{Output, words};
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
    let value = match output {
        Output::Verdict(verdict) if !pretty => {
            verdict.write_json(lattice, out)?;
            return writeln!(out);
        }
        Output::Verdict(verdict) => verdict.to_json(lattice),
        Output::Listing(listing) => list(lattice, *listing),
        Output::Description(description) => match description.as_ref() {
            Description::Instances(portraits) => json!({ "instances": portraits }),
            Description::Dimension(line) => json!({ "dimension": line }),
        },
        Output::Explanation(explanation) => {
            json!({ "explanation": explanation })
        }
        _ => return Ok(()),
    };
    if pretty {
        serde_json::to_writer_pretty(&mut *out, &value)?;
    } else {
        serde_json::to_writer(&mut *out, &value)?;
    }
    writeln!(out)
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
