//! The second reading of a table: its facts.

use super::batch::{Batch, Looking, Work};
use super::csv::Splitter;
use super::digest::{Digest, Known, KnownRow};
use super::plan::{Plan, Role};
use super::rows::{Cell, Row, Rows};
use crate::lattice::{
    BuildError, DimKey, Expected, FactValue, InstKey, KindSpec, SourceKey, ValueKey, Who,
};
use crate::load::job::Job;
use crate::load::{LoadError, names, values};
use hashbrown::HashMap;
use std::borrow::Cow;

/// For so many rows room is made before they are read.
const MOST_EXPECTED: usize = 1 << 24;
/// The bytes of a row's key, twice, and of what its source takes besides its text.
const KEY: usize = 16;

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

/// What is kept of what rows have said.
struct Filling<'p> {
    plan: &'p Plan,
    /// What cells have said that is not yet known where rows are looked at.
    fresh: Known,
    /// The values of the dimension that tells the tables.
    kinds: HashMap<String, ValueKey>,
}

/// Reads all rows and records what they say.
pub(super) fn fill(
    job: &mut Job<'_>,
    rows: &mut dyn Rows,
    plan: &Plan,
    count: u64,
) -> Result<(), LoadError> {
    let rows_expected = usize::try_from(count).unwrap_or(0).min(MOST_EXPECTED);
    let bytes = std::fs::metadata(&job.request.path).map_or(0, |file| file.len());
    job.builder.expect(Expected {
        named: rows_expected,
        names: rows_expected * (plan.table.len() + KEY),
        said: usize::try_from(bytes).unwrap_or(0) + rows_expected * KEY,
    });
    let mut known = Known::of(plan);
    known.keep_taxonomies(job.builder, plan, rows_expected);
    let mut filling = Filling {
        plan,
        fresh: Known::of(plan),
        kinds: HashMap::new(),
    };
    let columns = rows.columns().to_vec();
    if let Some(batches) = rows.in_batches() {
        let mut known = Reading {
            plan: plan.clone(),
            cells: known,
        };
        let mut work = Digesting {
            splitter: batches.splitter(),
            filling,
            columns,
            row: Row::default(),
        };
        return batches.work(job, &mut known, &mut work);
    }
    let (mut row, mut id) = (Row::default(), String::new());
    while rows.next(job, &mut row)? {
        filling.row(job, &columns, &row, &known, &mut id)?;
        known.absorb(&mut filling.fresh);
    }
    Ok(())
}

/// What looking at rows goes by.
struct Reading {
    plan: Plan,
    cells: Known,
}

/// Takes in what was found in batches.
struct Digesting<'p> {
    filling: Filling<'p>,
    columns: Vec<String>,
    splitter: Splitter,
    row: Row,
}

impl Work for Digesting<'_> {
    type Found = Digest;
    type Known = Reading;

    fn look(known: &Reading, rows: &mut Looking<'_>) -> Digest {
        Digest::of(&known.plan, &known.cells, rows)
    }

    fn take(
        &mut self,
        job: &mut Job<'_>,
        known: &Reading,
        batch: &Batch,
        digest: Digest,
    ) -> Result<(), LoadError> {
        let mut id = String::new();
        for digested in digest.rows() {
            let (_, _, end) = batch.place(digested.at);
            job.tick(end)?;
            match digested.known {
                Some(known) => self.filling.known(job, batch, digested.at, &known)?,
                None => {
                    let cells = batch.row(digested.at, &mut self.splitter, &mut self.row);
                    cells.map_err(|reason| job.table_error(reason))?;
                    let (columns, cells) = (&self.columns, &known.cells);
                    self.filling.row(job, columns, &self.row, cells, &mut id)?;
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, known: &mut Reading) {
        known.cells.absorb(&mut self.filling.fresh);
    }
}

impl Filling<'_> {
    /// Records what a row says.
    fn row(
        &mut self,
        job: &mut Job<'_>,
        columns: &[String],
        row: &Row,
        known: &Known,
        id: &mut String,
    ) -> Result<(), LoadError> {
        let plan = self.plan;
        if !plan.key.id(row, &plan.table, id) {
            let key = plan.key.shown(columns);
            let reason = format!("the key {key} is empty or holds several values; give it one");
            return job.bad(row.line, row.start, reason);
        }
        let planned = match read(job, plan, columns, row, [known, &self.fresh]) {
            Ok(planned) => planned,
            Err(reason) => return job.bad(row.line, row.start, reason),
        };
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        let named = references(&planned);
        match self.record(job, row, id, planned) {
            Ok(()) => {
                job.builder.release(checkpoint);
                let document = &job.request.document;
                let seen = &mut job.report.seen;
                seen.row(&plan.table, id);
                for (column, table, id) in named {
                    let column = columns.get(column).map_or("", String::as_str);
                    seen.reference(document, column, table, &id);
                }
                Ok(())
            }
            Err(error) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                job.bad(row.line, row.start, error.to_string())
            }
        }
    }

    /// Records what a row says whose every cell is known.
    fn known(
        &mut self,
        job: &mut Job<'_>,
        batch: &Batch,
        at: usize,
        row: &KnownRow<'_>,
    ) -> Result<(), LoadError> {
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        match self.record_known(job, batch, at, row) {
            Ok(()) => {
                job.builder.release(checkpoint);
                job.report.seen.row(&self.plan.table, row.id);
                Ok(())
            }
            Err(error) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                let (line, start, _) = batch.place(at);
                job.bad(line, start, error.to_string())
            }
        }
    }

    fn record_known(
        &mut self,
        job: &mut Job<'_>,
        batch: &Batch,
        at: usize,
        row: &KnownRow<'_>,
    ) -> Result<(), BuildError> {
        let subject = job.builder.instance(Who::Listed {
            name: row.name,
            id: row.id,
            given: false,
        })?;
        let (line, start, end) = batch.place(at);
        let (document, range) = (&job.request.document, Some((start, end)));
        let text = batch.text(at);
        let source = job.builder.source(text, document, range, Some(line))?;
        if let Some(kind) = self.plan.kind {
            self.record_kind(job, subject, kind, &self.plan.table, source)?;
        }
        for &(d, value) in row.values {
            job.fact_of(subject, d, value, source)?;
        }
        Ok(())
    }
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
    known: [&Known; 2],
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
                if let Some((value, unclear)) = known.iter().find_map(|known| known.get(&cell)) {
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

impl Filling<'_> {
    fn record(
        &mut self,
        job: &mut Job<'_>,
        row: &Row,
        id: &str,
        planned: Vec<Planned<'_>>,
    ) -> Result<(), BuildError> {
        let plan = self.plan;
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
            self.record_kind(job, subject, kind, &plan.table, source)?;
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
                        self.record_kind(job, object, kind, table, source)?;
                    }
                    job.fact(subject, d, FactValue::Instance(object), source)?;
                }
                Planned::Known(d, value) => job.fact_of(subject, d, value, source)?,
                Planned::Value(d, value, cell, unclear) => {
                    if let Some(value) = value.fact_value(None) {
                        let value = job.builder.value(d, value)?;
                        job.fact_of(subject, d, value, source)?;
                        self.fresh.keep(cell, value, unclear);
                    }
                }
            }
        }
        Ok(())
    }

    /// Says of which table an instance is.
    fn record_kind(
        &mut self,
        job: &mut Job<'_>,
        instance: InstKey,
        kind: DimKey,
        table: &str,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        let value = match self.kinds.get(table) {
            Some(value) => *value,
            None => {
                let text = job.builder.spec(kind).kind == KindSpec::Text;
                let value = if text {
                    FactValue::Text(table)
                } else {
                    FactValue::Term(table)
                };
                let value = job.builder.value(kind, value)?;
                self.kinds.insert(table.to_owned(), value);
                value
            }
        };
        job.fact_of(instance, kind, value, source)
    }
}
