//! The second reading of a table: its facts.

use super::plan::{Plan, Role};
use super::rows::{Row, Rows};
use crate::lattice::{BuildError, DimKey, FactValue, InstKey, KindSpec, SourceKey, Who};
use crate::load::job::Job;
use crate::load::{LoadError, names, values};
use std::borrow::Cow;

/// A value of a row, read but not recorded.
enum Planned<'a> {
    Value(DimKey, values::Read<'a>),
    Named(DimKey, Cow<'a, str>),
    /// With the column that names it.
    Entity(DimKey, &'a str, Cow<'a, str>, usize),
    Alias(Cow<'a, str>),
}

/// Reads all rows and records what they say.
pub(super) fn fill(job: &mut Job<'_>, rows: &mut dyn Rows, plan: &Plan) -> Result<(), LoadError> {
    while let Some(row) = rows.next(job)? {
        let columns = rows.columns();
        let Some(id) = plan.key.id(&row, &plan.table) else {
            let key = plan.key.shown(columns);
            let reason = format!("the key {key} is empty or holds several values; give it one");
            job.bad(row.line, row.start, reason)?;
            continue;
        };
        let planned = match read(job, plan, columns, &row) {
            Ok(planned) => planned,
            Err(reason) => {
                job.bad(row.line, row.start, reason)?;
                continue;
            }
        };
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        let named = references(&planned);
        match record(job, plan, &row, &id, planned) {
            Ok(()) => {
                job.builder.release(checkpoint);
                let document = &job.request.document;
                let seen = &mut job.report.seen;
                seen.row(&plan.table, &id);
                for (column, table, id) in named {
                    let column = rows.columns().get(column).map_or("", String::as_str);
                    seen.reference(document, column, table, &id);
                }
            }
            Err(error) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                job.bad(row.line, row.start, error.to_string())?;
            }
        }
    }
    Ok(())
}

/// The instances that a row names: the column, the table and the id of each.
fn references<'p>(planned: &[Planned<'p>]) -> Vec<(usize, &'p str, String)> {
    let named = planned.iter().filter_map(|planned| match planned {
        Planned::Entity(_, table, name, column) => {
            Some((*column, *table, format!("{table}/{name}")))
        }
        _ => None,
    });
    named.collect()
}

/// What a row says, as its dimensions read it.
fn read<'a>(
    job: &mut Job<'_>,
    plan: &'a Plan,
    columns: &[String],
    row: &'a Row,
) -> Result<Vec<Planned<'a>>, String> {
    let mut planned = Vec::with_capacity(row.cells.len());
    for cell in &row.cells {
        let role = plan.roles.get(cell.column).unwrap_or(&Role::Skip);
        let name = || names::clean(&cell.text).ok_or("a cell holds nothing but quotes; empty it");
        planned.push(match role {
            Role::Skip => continue,
            Role::Name => Planned::Alias(name()?),
            Role::Entity { dimension, table } => {
                Planned::Entity(*dimension, table, name()?, cell.column)
            }
            Role::Values(d) => {
                let column = columns.get(cell.column).map_or("", String::as_str);
                let (value, unclear) = values::read(job.builder, *d, &cell.text)
                    .map_err(|reason| format!("column \"{column}\": {reason}"))?;
                let decimal = plan.decimals.get(cell.column) == Some(&true);
                let settled = decimal && !cell.text.contains(',');
                if let Some(why) = unclear.filter(|_| !settled) {
                    job.unclear(column, row.line, why);
                }
                match value {
                    values::Read::Name(_) => Planned::Named(*d, name()?),
                    value => Planned::Value(*d, value),
                }
            }
        });
    }
    Ok(planned)
}

fn record(
    job: &mut Job<'_>,
    plan: &Plan,
    row: &Row,
    id: &str,
    planned: Vec<Planned<'_>>,
) -> Result<(), BuildError> {
    let first = plan.key.first();
    let key_cell = row.cells.iter().find(|cell| Some(cell.column) == first);
    let key_name = key_cell.and_then(|cell| names::clean(&cell.text));
    let mut given = planned.iter().filter_map(|planned| match planned {
        Planned::Alias(name) => Some(name.as_ref()),
        _ => None,
    });
    let given = given.next();
    let name = given.or(key_name.as_deref()).unwrap_or(id);
    let subject = job.builder.instance(Who::Listed {
        name,
        id,
        given: given.is_some(),
    })?;
    let range = Some((row.start, row.end));
    let document = &job.request.document;
    let source = job
        .builder
        .source(&row.text, document, range, Some(row.line))?;
    if let Some(kind) = plan.kind {
        record_kind(job, subject, kind, &plan.table, source)?;
    }
    for planned in planned {
        match planned {
            Planned::Alias(name) => job.builder.add_alias(subject, &name)?,
            Planned::Named(d, name) => {
                let object = job.builder.instance(Who::Name(&name))?;
                job.fact(subject, d, FactValue::Instance(object), source)?;
            }
            Planned::Entity(d, table, name, _) => {
                let object = job.builder.instance(Who::Listed {
                    name: &name,
                    id: &format!("{table}/{name}"),
                    given: false,
                })?;
                if let Some(kind) = job.builder.dimension("kind") {
                    record_kind(job, object, kind, table, source)?;
                }
                job.fact(subject, d, FactValue::Instance(object), source)?;
            }
            Planned::Value(d, value) => {
                if let Some(value) = value.fact_value(None) {
                    job.fact(subject, d, value, source)?;
                }
            }
        }
    }
    Ok(())
}

/// Says of which table an instance is.
fn record_kind(
    job: &mut Job<'_>,
    instance: InstKey,
    kind: DimKey,
    table: &str,
    source: SourceKey,
) -> Result<(), BuildError> {
    let text = job.builder.spec(kind).kind == KindSpec::Text;
    let value = if text {
        FactValue::Text(table)
    } else {
        FactValue::Term(table)
    };
    job.fact(instance, kind, value, source)
}
