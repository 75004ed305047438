//! Edge lists: CSV or TSV, a row an edge of a taxonomy.
//!
//! Two columns say which value lies below which. Where the lower one is called `id`,
//! each value has rows of its own, and a parent without any is a defect; elsewhere
//! a row speaks of both of its values.

use super::job::Job;
use super::ontology::{Label, Ontology, taxonomy_name};
use super::table::{CsvRows, Row, Rows};
use super::{LoadError, names};
use crate::lattice::BuildError;

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The value that the row is about.
    Lower,
    /// The value that lies directly above it; several are separated by `|`.
    Upper,
    /// What it is called.
    Label,
    /// Other words for it, separated by `|`.
    Synonyms,
}

/// The headers of each role, folded.
const HEADERS: [(Role, &[&str]); 4] = [
    (
        Role::Lower,
        &["child", "narrower", "lower", "subclass", "hyponym", "id"],
    ),
    (
        Role::Upper,
        &[
            "parent",
            "parents",
            "broader",
            "upper",
            "superclass",
            "hypernym",
        ],
    ),
    (Role::Label, &["label", "name", "preflabel"]),
    (
        Role::Synonyms,
        &["synonyms", "synonym", "altlabel", "altlabels", "aliases"],
    ),
];

/// The column of each role.
#[derive(Debug)]
struct Columns {
    lower: usize,
    upper: usize,
    label: Option<usize>,
    synonyms: Option<usize>,
    /// Whether the lower one is called `id`.
    by_id: bool,
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let Some(mut rows) = CsvRows::open(job)? else {
        job.warn("the file is empty: no line says anything");
        return Ok(());
    };
    let columns = columns(job, rows.columns())?;
    let name = taxonomy_name(job);
    let mut ontology = Ontology::declare(job, name)?;
    let mut row = Row::default();
    while rows.next(job, &mut row)? {
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        let done = record(job, &mut ontology, &columns, &row);
        ontology.settle(done.is_ok());
        match done {
            Ok(()) => job.builder.release(checkpoint),
            Err(reason) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                job.bad(row.line, row.start, reason)?;
            }
        }
    }
    ontology.finish(job);
    Ok(())
}

/// The columns by their headers, or as the request names them.
fn columns(job: &mut Job<'_>, header: &[String]) -> Result<Columns, LoadError> {
    let wished = |column: &String| {
        let mut requests = job.request.columns.iter();
        let found = requests.find(|request| request.column == *column)?;
        found.dimension.clone()
    };
    if let Some(request) = job
        .request
        .columns
        .iter()
        .find(|request| !header.contains(&request.column))
    {
        let reason = format!(
            "there is no column \"{}\"; the header has {}",
            request.column,
            header.join(", ")
        );
        return Err(job.table_error(reason));
    }
    let mut found: [Option<usize>; 4] = [None; 4];
    let mut by_id = false;
    let mut unused = Vec::new();
    for (at, column) in header.iter().enumerate() {
        let word = wished(column).unwrap_or_else(|| column.clone());
        let word = word.to_lowercase();
        let role = HEADERS
            .iter()
            .position(|(_, words)| words.contains(&word.as_str()));
        match role.and_then(|role| found.get_mut(role)) {
            Some(slot) if slot.is_none() => {
                *slot = Some(at);
                by_id |= word == "id";
            }
            _ => unused.push(column.as_str()),
        }
    }
    let [Some(lower), Some(upper), label, synonyms] = found else {
        let reason = format!(
            "an edge list needs a column `child` (or narrower, lower, id) and one `parent` (or broader, upper), and the header has {}; name them, as in COLUMN {} AS child",
            header.join(", "),
            header.first().map_or("c", String::as_str),
        );
        return Err(job.table_error(reason));
    };
    let unused = unused.join(", ");
    if !unused.is_empty() {
        job.warn(format_args!(
            "columns that say nothing about edges are left out: {unused}"
        ));
    }
    Ok(Columns {
        lower,
        upper,
        label,
        synonyms,
        by_id,
    })
}

fn record(
    job: &mut Job<'_>,
    ontology: &mut Ontology,
    columns: &Columns,
    row: &Row,
) -> Result<(), String> {
    let cell = |column: usize| {
        let found = row.of_column(column).next();
        found.map_or("", |cell| cell.text)
    };
    let Some(lower) = names::clean(cell(columns.lower)) else {
        return Err("the row names no value; fill in its first column of the edge".to_owned());
    };
    let label = columns.label.and_then(|column| names::clean(cell(column)));
    let refused = |error: BuildError| error.to_string();
    let range = Some((row.start, row.end));
    let document = &job.request.document;
    let source = job
        .builder
        .source(&row.text, document, range, Some(row.line))
        .map_err(refused)?;
    let instance = ontology
        .define(job, &lower, Label::given(label.as_deref()), source)
        .map_err(refused)?;
    let synonyms = columns.synonyms.map_or("", cell);
    for word in synonyms.split('|').filter_map(names::clean) {
        ontology
            .call(job, &lower, instance, &word)
            .map_err(refused)?;
    }
    for upper in cell(columns.upper).split('|').filter_map(names::clean) {
        let placed = match columns.by_id {
            true => ontology.place(job, &upper, &lower, source, Some(row.line)),
            false => ontology
                .define(job, &upper, Label::None, source)
                .and_then(|_| ontology.order(job, &upper, &lower, source)),
        };
        placed.map_err(refused)?;
    }
    Ok(())
}
