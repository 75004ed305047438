//! A formal context as a lattice: each object an instance, each attribute a value,
//! each cross a fact.

use super::cxt::{self, CxtError, Line, Placed};
use super::job::Job;
use super::lines::whole_text;
use super::{BadLine, LoadError, names};
use crate::lattice::{BuildError, DimKey, DimensionSpec, FactValue, KindSpec, Multiplicity, Who};
use std::borrow::Cow;
use std::collections::HashSet;

/// What the attributes' dimension is called where `COLUMN attribute AS d` does not say.
const DIMENSION: &str = "attribute";

/// Loads the file of a job. A context says everything about its objects: the dimension is
/// `COMPLETE` unless it was declared before.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let text = whole_text(job.files, &job.request.path, &job.request.document)?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let skipped = (text.len() - body.len()) as u64;
    let placed = cxt::parse(body).map_err(|error| wrong(job, error, skipped))?;
    let dimension = declare(job)?;
    let attributes = attributes(job, &placed, dimension, skipped)?;
    let mut seen = HashSet::new();
    for (object, row) in placed.objects.iter().zip(&placed.rows) {
        job.report.lines += 1;
        let (start, end) = (row.start as u64 + skipped, row.end() as u64 + skipped);
        job.tick(end)?;
        if let Some(reason) = cxt::wrong_row(row, placed.attributes.len()) {
            let reason = format!("the row of \"{}\" {reason}", object.text);
            job.bad(row.number, start, reason)?;
            continue;
        }
        let Some(name) = name(job, object, "object", &mut seen, skipped)? else {
            continue;
        };
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        match record(job, &name, row, dimension, &attributes, (start, end)) {
            Ok(()) => job.builder.release(checkpoint),
            Err(error) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                job.bad(row.number, start, error.to_string())?;
            }
        }
    }
    if placed.rows.is_empty() {
        job.warn("the context has no objects: no line says anything");
    }
    Ok(())
}

/// A context as a whole that cannot be read.
fn wrong(job: &Job<'_>, error: CxtError, skipped: u64) -> LoadError {
    LoadError::BadLine(BadLine {
        document: job.request.document.clone(),
        line: error.line,
        offset: error.offset + skipped,
        reason: error.reason,
    })
}

/// The attributes' dimension.
fn declare(job: &mut Job<'_>) -> Result<DimKey, LoadError> {
    let mut columns = job.request.columns.iter();
    let asked = columns.find(|column| column.column == DIMENSION);
    let asked = asked.and_then(|column| column.dimension.as_deref());
    let dimension = asked.unwrap_or(DIMENSION).to_owned();
    let before = job.builder.dimension(&dimension);
    if before.is_some_and(|d| job.builder.is_inferred(d)) {
        job.warn(format_args!(
            "dimension \"{dimension}\" holds what another file says as well, and is COMPLETE: an object has no attribute that its own context does not give it; to keep them apart say COLUMN attribute AS another_name"
        ));
    }
    let mut spec = DimensionSpec::new(dimension, KindSpec::Taxonomy);
    spec.complete = true;
    let key = job.infer(spec, Some(Multiplicity::Many))?;
    let spec = job.builder.spec(key);
    if spec.kind != KindSpec::Taxonomy {
        let reason = format!(
            "dimension \"{}\" is declared, and is no TAXONOMY, so attributes cannot be values of it; declare it as TAXONOMY MANY, or say COLUMN attribute AS another_name",
            spec.name
        );
        return Err(job.table_error(reason));
    }
    Ok(key)
}

/// The attributes as values; none where a name is bad and passed over.
fn attributes<'a>(
    job: &mut Job<'_>,
    placed: &Placed<'a>,
    dimension: DimKey,
    skipped: u64,
) -> Result<Vec<Option<Cow<'a, str>>>, LoadError> {
    let mut seen = HashSet::new();
    let mut attributes = Vec::with_capacity(placed.attributes.len());
    for line in &placed.attributes {
        let mut attribute = name(job, line, "attribute", &mut seen, skipped)?;
        if let Some(name) = &attribute
            && let Err(error) = job.builder.add_value(dimension, name)
        {
            job.bad(line.number, line.start as u64 + skipped, error.to_string())?;
            attribute = None;
        }
        attributes.push(attribute);
    }
    Ok(attributes)
}

/// The name in a line, which no line before has; none if it is bad and passed over.
fn name<'a>(
    job: &mut Job<'_>,
    line: &Line<'a>,
    what: &str,
    seen: &mut HashSet<String>,
    skipped: u64,
) -> Result<Option<Cow<'a, str>>, LoadError> {
    let offset = line.start as u64 + skipped;
    let Some(name) = names::clean(line.text) else {
        let reason = format!("the {what}'s name is empty, or nothing but quotes; fill it in");
        job.bad(line.number, offset, reason)?;
        return Ok(None);
    };
    if !seen.insert(name.to_string()) {
        let reason = format!("a second {what} is called \"{name}\"; rename one of the two");
        job.bad(line.number, offset, reason)?;
        return Ok(None);
    }
    Ok(Some(name))
}

/// An object and its crosses.
fn record(
    job: &mut Job<'_>,
    name: &str,
    row: &Line<'_>,
    dimension: DimKey,
    attributes: &[Option<Cow<'_, str>>],
    range: (u64, u64),
) -> Result<(), BuildError> {
    let object = job.builder.instance(Who::Name(name))?;
    let mut source = None;
    for attribute in cxt::crosses(row) {
        let Some(Some(attribute)) = attributes.get(attribute as usize) else {
            continue;
        };
        let source = match source {
            Some(source) => source,
            None => {
                let document = &job.request.document;
                let text = row.text.trim_end();
                let made = job
                    .builder
                    .source(text, document, Some(range), Some(row.number))?;
                *source.insert(made)
            }
        };
        job.fact(object, dimension, FactValue::Term(attribute), source)?;
    }
    Ok(())
}
