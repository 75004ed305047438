//! Tables and JSON Lines. The file is read twice: first for the kinds of its
//! columns and what differs within a key, then for the facts.
//!
//! A dimension that nobody declares is what the files show it to be, in whatever
//! order they are loaded: MANY if some file has several values for one key, and of
//! the one kind that all of them show, else it is to be declared first. What order
//! does matter for: a declaration counts for the files that come after it (one that
//! contradicts an earlier file is refused), and saving a lattice settles what was
//! inferred.

mod batch;
mod csv;
mod digest;
mod fill;
mod json;
mod merged;
mod plan;
mod rows;
mod survey;

pub(super) use csv::CsvRows;
pub(super) use rows::{Row, Rows};

use super::LoadError;
use super::job::Job;
use plan::{Key, Plan};
use survey::Survey;

/// Loads the CSV or TSV file of a job.
pub(super) fn load_csv(job: &mut Job<'_>) -> Result<(), LoadError> {
    match csv::CsvRows::open(job)? {
        Some(mut rows) => {
            let key = Key::of_header(job, rows.columns())?;
            let header = rows.columns().to_vec();
            load(job, &mut rows, Some((key, &header)))
        }
        None => {
            job.warn("the file is empty: no line says anything");
            Ok(())
        }
    }
}

/// Loads the JSON Lines file of a job.
pub(super) fn load_json_lines(job: &mut Job<'_>) -> Result<(), LoadError> {
    let mut rows = json::JsonRows::open(job)?;
    load(job, &mut rows, None)
}

fn load(
    job: &mut Job<'_>,
    rows: &mut dyn Rows,
    header: Option<(Key, &[String])>,
) -> Result<(), LoadError> {
    let (key, survey) = match header {
        Some((key, header)) => {
            let mut survey = Survey::of_header(header);
            survey.read(job, rows, Some(&key))?;
            if survey.header_is_a_triple() && key.defaulted && job.request.form.is_none() {
                job.warn(
                    "its first line looks like a triple, and was taken for the names of columns: --form triples (or LOAD TRIPLES) reads it as one",
                );
            }
            (key, survey)
        }
        None => {
            // Which field names the rows shows only when all of them are read.
            let mut survey = Survey::new();
            survey.read(job, rows, None)?;
            let key = Key::of_fields(job, rows.columns(), &survey)?;
            rows.rewind(job)?;
            match key {
                Some(key) => {
                    let mut survey = Survey::new();
                    survey.read(job, rows, Some(&key))?;
                    (key, survey)
                }
                None => (Key::none(), survey),
            }
        }
    };
    if survey.rows == 0 {
        job.warn("the file has no row that says anything");
        job.report.seen.columns.push(rows.columns().to_vec());
        return Ok(());
    }
    let plan = Plan::new(job, rows.columns(), &survey, key)?;
    job.report.seen.columns.push(rows.columns().to_vec());
    rows.rewind(job)?;
    merged::warn(job, rows, &plan, &survey)?;
    fill::fill(job, rows, &plan, survey.rows)
}
