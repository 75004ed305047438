//! The second reading of a table: its facts.

use super::plan::{Plan, Role};
use super::rows::{Cell, Row, Rows};
use crate::lattice::{BuildError, DimKey, FactValue, InstKey, KindSpec, SourceKey, ValueKey, Who};
use crate::load::job::Job;
use crate::load::{LoadError, names, values};
use hashbrown::HashMap;
use std::borrow::Cow;

/// So many cells of a column are remembered with what they say.
const MOST_REMEMBERED: usize = 1 << 16;
/// The longest cell that is remembered, in bytes.
const LONGEST_REMEMBERED: usize = 64;

/// For so many names room is made before they are read.
const MOST_EXPECTED: usize = 1 << 25;

/// A value of a row, read but not recorded.
enum Planned<'a> {
    /// With the cell that says it.
    Value(DimKey, values::Read<'a>, Cell<'a>, Option<String>),
    /// As a cell before said it.
    Known(DimKey, ValueKey),
    Named(DimKey, Cow<'a, str>),
    /// With the column that names it.
    Entity(DimKey, &'a str, Cow<'a, str>, usize),
    Alias(Cow<'a, str>),
}

/// What the cells of a column have said, so that none is read and looked up again.
#[derive(Default)]
struct Remembered {
    cells: HashMap<Box<str>, (ValueKey, Option<Box<str>>)>,
}

/// What is kept from row to row.
#[derive(Default)]
struct Memory {
    columns: Vec<Remembered>,
    /// The values of the dimension that tells the tables.
    kinds: HashMap<String, ValueKey>,
}

impl Memory {
    fn keep(&mut self, cell: Cell<'_>, value: ValueKey, unclear: Option<String>) {
        if let Some(column) = self.columns.get_mut(cell.column)
            && column.cells.len() < MOST_REMEMBERED
            && cell.text.len() <= LONGEST_REMEMBERED
        {
            let unclear = unclear.map(String::into_boxed_str);
            column.cells.insert(cell.text.into(), (value, unclear));
        }
    }
}

/// Reads all rows and records what they say.
pub(super) fn fill(
    job: &mut Job<'_>,
    rows: &mut dyn Rows,
    plan: &Plan,
    count: u64,
) -> Result<(), LoadError> {
    // An id and a name of each row.
    let strings = usize::try_from(count).unwrap_or(0).saturating_mul(2);
    job.builder.expect_strings(strings.min(MOST_EXPECTED));
    let (mut row, mut id) = (Row::default(), String::new());
    let mut memory = Memory::default();
    memory
        .columns
        .resize_with(plan.roles.len(), Remembered::default);
    while rows.next(job, &mut row)? {
        let columns = rows.columns();
        if !plan.key.id(&row, &plan.table, &mut id) {
            let key = plan.key.shown(columns);
            let reason = format!("the key {key} is empty or holds several values; give it one");
            job.bad(row.line, row.start, reason)?;
            continue;
        }
        let planned = match read(job, plan, columns, &row, &memory) {
            Ok(planned) => planned,
            Err(reason) => {
                job.bad(row.line, row.start, reason)?;
                continue;
            }
        };
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        let named = references(&planned);
        match record(job, plan, &row, &id, planned, &mut memory) {
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
    memory: &Memory,
) -> Result<Vec<Planned<'a>>, String> {
    let mut planned = Vec::with_capacity(plan.roles.len());
    for cell in row.cells() {
        let role = plan.roles.get(cell.column).unwrap_or(&Role::Skip);
        let name = || names::clean(cell.text).ok_or("a cell holds nothing but quotes; empty it");
        planned.push(match role {
            Role::Skip => continue,
            Role::Name => Planned::Alias(name()?),
            Role::Entity { dimension, table } => {
                Planned::Entity(*dimension, table, name()?, cell.column)
            }
            Role::Values(d) => {
                let column = columns.get(cell.column).map_or("", String::as_str);
                let known = memory.columns.get(cell.column);
                if let Some((value, unclear)) = known.and_then(|known| known.cells.get(cell.text)) {
                    if let Some(why) = unclear {
                        job.unclear(column, row.line, why);
                    }
                    planned.push(Planned::Known(*d, *value));
                    continue;
                }
                let (value, unclear) = values::read(job.builder, *d, cell.text)
                    .map_err(|reason| format!("column \"{column}\": {reason}"))?;
                let decimal = plan.decimals.get(cell.column) == Some(&true);
                let settled = decimal && !cell.text.contains(',');
                let unclear = unclear.filter(|_| !settled);
                if let Some(why) = &unclear {
                    job.unclear(column, row.line, why);
                }
                match value {
                    values::Read::Name(_) => Planned::Named(*d, name()?),
                    value => Planned::Value(*d, value, cell, unclear),
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
    memory: &mut Memory,
) -> Result<(), BuildError> {
    let first = plan.key.first();
    let key_cell = first.and_then(|column| row.of_column(column).next());
    let key_name = key_cell.and_then(|cell| names::clean(cell.text));
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
        record_kind(job, subject, kind, &plan.table, source, memory)?;
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
                    record_kind(job, object, kind, table, source, memory)?;
                }
                job.fact(subject, d, FactValue::Instance(object), source)?;
            }
            Planned::Known(d, value) => job.fact_of(subject, d, value, source)?,
            Planned::Value(d, value, cell, unclear) => {
                if let Some(value) = value.fact_value(None) {
                    let value = job.builder.value(d, value)?;
                    job.fact_of(subject, d, value, source)?;
                    memory.keep(cell, value, unclear);
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
    memory: &mut Memory,
) -> Result<(), BuildError> {
    let value = match memory.kinds.get(table) {
        Some(value) => *value,
        None => {
            let text = job.builder.spec(kind).kind == KindSpec::Text;
            let value = if text {
                FactValue::Text(table)
            } else {
                FactValue::Term(table)
            };
            let value = job.builder.value(kind, value)?;
            memory.kinds.insert(table.to_owned(), value);
            value
        }
    };
    job.fact_of(instance, kind, value, source)
}
