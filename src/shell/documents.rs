//! `latweave show FILE --documents`: the documents that a lattice keeps.

use super::args::Format;
use super::render::{Heading, Manner, Row, Sheet, print_sheet};
use super::terminal::{Failure, count_of, grouped};
use crate::lattice::{KeptDocument, Lattice};
use crate::load::Settings;
use serde::Serialize;
use std::io::{self, Write};

/// A document, for a program that reads.
#[derive(Serialize)]
struct Line<'d> {
    name: &'d str,
    form: &'static str,
    /// Of its own file.
    bytes: u64,
    blake3: String,
    /// What its lines state, by how often they state it.
    statements: u64,
    /// The files that it loads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loads: Vec<&'d str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    schema: bool,
}

impl<'d> Line<'d> {
    fn of(document: &'d KeptDocument) -> Line<'d> {
        let settings = Settings::of(document).unwrap_or_default();
        let form = settings.form(&document.name);
        let (own, loads) = match document.files.split_first() {
            Some((own, loads)) => (Some(&own.bytes), loads),
            None => (None, document.files.as_slice()),
        };
        let hash = own.map_or([0; 32], |bytes| bytes.hash());
        Line {
            name: &document.name,
            form: form.map_or("", |form| form.word()),
            bytes: own.map_or(0, |bytes| bytes.length()),
            blake3: blake3::Hash::from(hash).to_hex().to_string(),
            statements: document.statements,
            loads: loads.iter().map(|file| file.name.as_str()).collect(),
            schema: settings.request.schema,
        }
    }

    fn row(&self) -> Row {
        let short = self.blake3.get(..16).unwrap_or_default();
        let form = match self.schema {
            true => format!("{} (schema)", self.form),
            false => self.form.to_owned(),
        };
        vec![
            Some(self.name.to_owned()),
            Some(form),
            Some(grouped(self.bytes)),
            Some(grouped(self.statements)),
            Some(short.to_owned()),
        ]
    }
}

/// Lists them in the order in which they were loaded.
pub fn print(out: &mut dyn Write, manner: &Manner, lattice: &Lattice) -> Result<(), Failure> {
    let documents = lattice.kept_documents().map_err(Failure::new)?;
    let lines: Vec<Line<'_>> = documents.iter().map(Line::of).collect();
    match manner.format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &lines).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Jsonl => {
            for line in &lines {
                serde_json::to_writer(&mut *out, line).map_err(io::Error::from)?;
                writeln!(out)?;
            }
        }
        _ if !lattice.keeps_documents() => writeln!(
            out,
            "it keeps no documents: it was not built from files, but saved by a session or a program"
        )?,
        _ => {
            let headings = vec![
                Heading::new("document"),
                Heading::new("form"),
                Heading::number("bytes"),
                Heading::number("statements"),
                Heading::new("blake3"),
            ];
            let rows = lines.iter().map(Line::row).collect();
            print_sheet(out, manner, Sheet::of(headings, rows))?;
            if !matches!(manner.format, Format::Csv | Format::Tsv) {
                let count = count_of(lines.len() as u64, "document", "documents");
                writeln!(out, "\n{}", manner.paint.faint(&count))?;
            }
        }
    }
    Ok(())
}
