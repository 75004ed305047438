//! SQLite in this process, its file mapped into memory, its statements prepared.
//!
//! Of `taxa` the taxonomies are preorder numbers with the intervals below each
//! value, and each column has a partial index that covers all others. Of the
//! constraints of a query the one that the fewest instances meet leads. Of `hops`
//! there is one table of edges in both directions, and duplicates are removed
//! after every hop.

use super::intervals::Intervals;
use crate::bench::hops::{self, Hops};
use crate::bench::measure::{Contestant, FIRST, Given, Level};
use crate::bench::reference::{Truth, first_wrong, shown_rows};
use crate::bench::taxa::{COLUMNS, Constraint, TAXONOMIES, Taxa, YEAR};
use crate::bench::workload::Signature;
use crate::bench::{BenchError, Watcher, tick};
use rusqlite::{Connection, Row, params_from_iter};
use std::path::Path;

/// What is set for building.
const FOR_BUILDING: &str = "PRAGMA page_size = 8192; PRAGMA journal_mode = off; \
    PRAGMA synchronous = off; PRAGMA cache_size = -1000000; PRAGMA temp_store = memory;";
/// What is set for asking.
const FOR_ASKING: &str = "PRAGMA mmap_size = 8000000000; PRAGMA cache_size = -1000000; \
    PRAGMA temp_store = memory;";
/// So many statements are kept prepared: all of them.
const STATEMENTS: usize = 1 << 16;

/// The statements of one query, and their values.
struct Statements {
    /// Counts the hits.
    count: String,
    /// Gives their ids.
    ids: String,
    /// Gives what the first hits are shown from.
    first: First,
    values: Vec<i64>,
}

/// What the first hits are shown from.
enum First {
    /// Rows of a name and a line.
    Rows(String),
    /// Rows of a hit and the other end of an edge of this relation that leads to it, for
    /// some hits several; names and lines are looked up when there are enough hits.
    Edges(String, u32),
}

/// Makes the statements of a query from its words.
trait Maker {
    fn statements(&self, connection: &Connection, query: usize) -> Result<Statements, BenchError>;
}

/// SQLite on a workload.
pub struct Sqlite<'t> {
    connection: Connection,
    truth: &'t dyn Truth,
    maker: Box<dyn Maker + 't>,
    statements: Vec<Statements>,
}

impl<'t> Sqlite<'t> {
    /// Opens the database of [`build_taxa`].
    ///
    /// # Errors
    /// If it is none.
    pub fn taxa(
        path: &Path,
        taxa: &'t Taxa,
        intervals: &'t [Intervals],
        truth: &'t dyn Truth,
    ) -> Result<Sqlite<'t>, BenchError> {
        let maker = Box::new(TaxaMaker::new(taxa, intervals));
        Sqlite::open(path, taxa.queries.len(), maker, truth)
    }

    /// Opens the database of [`build_hops`].
    ///
    /// # Errors
    /// If it is none.
    pub fn hops(
        path: &Path,
        hops: &'t Hops,
        truth: &'t dyn Truth,
    ) -> Result<Sqlite<'t>, BenchError> {
        Sqlite::open(
            path,
            hops.queries.len(),
            Box::new(HopsMaker { hops }),
            truth,
        )
    }

    fn open(
        path: &Path,
        queries: usize,
        maker: Box<dyn Maker + 't>,
        truth: &'t dyn Truth,
    ) -> Result<Sqlite<'t>, BenchError> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.execute_batch(FOR_ASKING)?;
        let statements: Result<Vec<Statements>, BenchError> = (0..queries)
            .map(|query| maker.statements(&connection, query))
            .collect();
        Ok(Sqlite {
            statements: statements?,
            connection,
            truth,
            maker,
        })
    }

    /// Passes the rows of a statement on until one is enough.
    fn rows(
        &self,
        text: &str,
        values: &[i64],
        mut each: impl FnMut(&Row<'_>) -> Result<bool, BenchError>,
    ) -> Result<(), BenchError> {
        let mut statement = self.connection.prepare_cached(text)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            if !each(row)? {
                break;
            }
        }
        Ok(())
    }

    /// The first hits that edges lead to, each with its name and the line of one edge.
    fn edges(
        &self,
        text: &str,
        relation: u32,
        values: &[i64],
        given: &mut Given,
    ) -> Result<(), BenchError> {
        let mut from = Vec::with_capacity(FIRST);
        let seen = &mut given.ids;
        self.rows(text, values, |row| {
            let hit = row.get_ref(0)?.as_i64()? as u32;
            if !seen.contains(&hit) {
                seen.push(hit);
                from.push(row.get_ref(1)?.as_i64()?);
            }
            Ok(seen.len() < FIRST)
        })?;
        let looked_up =
            "SELECT name, line FROM thing, said WHERE id = ?3 AND r = ?1 AND s = ?2 AND o = ?3";
        for (hit, from) in given.ids.iter().zip(from) {
            let values = [i64::from(relation), from, i64::from(*hit)];
            self.rows(looked_up, &values, |row| {
                for (column, end) in [(0, '\t'), (1, '\n')] {
                    given.shown.push_str(row.get_ref(column)?.as_str()?);
                    given.shown.push(end);
                }
                Ok(false)
            })?;
        }
        Ok(())
    }
}

impl Contestant for Sqlite<'_> {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    fn offers(&self, level: Level) -> bool {
        level != Level::Certificate
    }

    fn ask(&mut self, query: usize, level: Level, given: &mut Given) -> Result<(), BenchError> {
        if level == Level::Text {
            let statements = self.maker.statements(&self.connection, query)?;
            let prepared = self.connection.prepare(&statements.ids)?;
            std::hint::black_box((prepared.column_count(), statements.values));
            return Ok(());
        }
        let Some(statements) = self.statements.get(query) else {
            return Ok(());
        };
        match (level, &statements.first) {
            (Level::Names, First::Rows(text)) => self.rows(text, &statements.values, |row| {
                for (column, end) in [(0, '\t'), (1, '\n')] {
                    given.shown.push_str(row.get_ref(column)?.as_str()?);
                    given.shown.push(end);
                }
                Ok(true)
            }),
            (Level::Names, First::Edges(text, relation)) => {
                self.edges(text, *relation, &statements.values, given)
            }
            (Level::Set, _) => self.rows(&statements.count, &statements.values, |row| {
                given.count = row.get_ref(0)?.as_i64()? as u64;
                Ok(true)
            }),
            _ => self.rows(&statements.ids, &statements.values, |row| {
                given.ids.push(row.get_ref(0)?.as_i64()? as u32);
                Ok(true)
            }),
        }
    }

    fn differs(&self, query: usize, level: Level, given: &Given) -> Option<String> {
        let truth = self.truth.signature(query)?;
        let wrong = match level {
            Level::Set => (given.count != truth.0).then(|| format!("{} hits", given.count)),
            Level::Ids => {
                let found = Signature::of(&mut given.ids.clone());
                (found != truth).then(|| format!("{found:?}"))
            }
            Level::Names => first_wrong(self.truth, query, shown_rows(&given.shown)),
            Level::Text | Level::Certificate => None,
        };
        let text = self.statements.get(query).map_or("", |s| s.ids.as_str());
        wrong.map(|wrong| format!("query {query}: {wrong}; {text}"))
    }
}

/// The column of each constraint: of a taxonomy its preorder number.
const KEYS: [&str; 6] = ["p1", "p2", "p3", "c1", "c2", "y"];

/// So many intervals are written out as alternatives; more are looked up row by row.
const WRITTEN_OUT: usize = 12;

/// After so many rows it is looked whether to go on.
const EVERY: u32 = 10_000;

/// Makes statements for `taxa`.
struct TaxaMaker<'t> {
    taxa: &'t Taxa,
    /// By column and value: how many instances meet it. Of the year: how many are
    /// of an earlier one.
    totals: Vec<Vec<u64>>,
}

impl<'t> TaxaMaker<'t> {
    fn new(taxa: &'t Taxa, intervals: &[Intervals]) -> TaxaMaker<'t> {
        let cells = |column: usize| taxa.rows.iter().filter_map(move |row| *row.get(column)?);
        let totals = (0..COLUMNS.len()).map(|column| match intervals.get(column) {
            Some(intervals) => intervals.totals(cells(column)),
            None => {
                let mut counts = vec![0; cells(column).max().map_or(0, |most| most as usize + 2)];
                let shift = usize::from(column == YEAR);
                for cell in cells(column) {
                    if let Some(count) = counts.get_mut(cell as usize + shift) {
                        *count += 1;
                    }
                }
                if column == YEAR {
                    let mut sum = 0;
                    for count in &mut counts {
                        sum += *count;
                        *count = sum;
                    }
                }
                counts
            }
        });
        TaxaMaker {
            taxa,
            totals: totals.collect(),
        }
    }

    fn total(&self, constraint: &Constraint) -> u64 {
        let Some(totals) = self.totals.get(constraint.column()) else {
            return 0;
        };
        let last = totals.last().copied().unwrap_or(0);
        match constraint {
            Constraint::Value { value, .. } => totals.get(*value as usize).copied().unwrap_or(0),
            Constraint::Years { low, high, .. } => {
                let before = |year: u32| totals.get(year as usize).copied().unwrap_or(last);
                before(high + 1) - before(*low)
            }
        }
    }
}

impl Maker for TaxaMaker<'_> {
    fn statements(&self, connection: &Connection, query: usize) -> Result<Statements, BenchError> {
        let mut constraints: Vec<&Constraint> = Vec::new();
        if let Some(query) = self.taxa.queries.get(query) {
            constraints.extend(&query.constraints);
        }
        constraints.sort_by_key(|constraint| self.total(constraint));
        let mut made = Made::default();
        for (at, constraint) in constraints.into_iter().enumerate() {
            made.add(connection, constraint, at == 0)?;
        }
        Ok(made.finish())
    }
}

/// A statement for `taxa` as it is put together.
#[derive(Default)]
struct Made {
    from: String,
    conditions: Vec<String>,
    values: Vec<i64>,
}

impl Made {
    /// Adds a constraint. The unary plus keeps all but the leading one from an index.
    fn add(
        &mut self,
        connection: &Connection,
        constraint: &Constraint,
        leads: bool,
    ) -> Result<(), BenchError> {
        let column = constraint.column();
        let key = KEYS.get(column).copied().unwrap_or("y");
        let cell = if leads {
            self.from = format!("inst INDEXED BY cov_{key}");
            key.to_owned()
        } else {
            format!("+{key}")
        };
        match constraint {
            Constraint::Years { low, high, .. } => {
                self.conditions.push(format!("{cell} BETWEEN ? AND ?"));
                self.values.extend([i64::from(*low), i64::from(*high)]);
            }
            Constraint::Value { value, .. } if column >= TAXONOMIES => {
                self.conditions.push(format!("{cell} = ?"));
                self.values.push(i64::from(*value));
            }
            Constraint::Value { value, .. } => {
                let value = i64::from(*value);
                let ranges = ranges(connection, column as i64, value)?;
                if leads && ranges.len() > 1 {
                    self.from = format!("iv CROSS JOIN inst INDEXED BY cov_{key}");
                    self.conditions.push(format!(
                        "iv.dim = {column} AND iv.anc = ? AND {key} BETWEEN iv.lo AND iv.hi"
                    ));
                    self.values.push(value);
                } else if ranges.len() <= WRITTEN_OUT {
                    let one = format!("{cell} BETWEEN ? AND ?");
                    let all = vec![one; ranges.len()].join(" OR ");
                    self.conditions.push(format!("({all})"));
                    self.values.extend(ranges.into_iter().flatten());
                } else {
                    self.conditions.push(format!(
                        "EXISTS (SELECT 1 FROM iv x WHERE x.dim = {column} AND x.anc = ? \
                         AND x.lo <= inst.{key} AND x.hi >= inst.{key})"
                    ));
                    self.values.push(value);
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Statements {
        let rest = format!("FROM {} WHERE {}", self.from, self.conditions.join(" AND "));
        Statements {
            count: format!("SELECT count(*) {rest}"),
            ids: format!("SELECT inst.id {rest}"),
            first: First::Rows(format!(
                "SELECT said.name, said.line FROM (SELECT inst.id AS hit {rest} LIMIT {FIRST}) \
                 CROSS JOIN said ON said.id = hit"
            )),
            values: self.values,
        }
    }
}

/// The intervals below a value, as the application looks them up.
fn ranges(connection: &Connection, column: i64, value: i64) -> Result<Vec<[i64; 2]>, BenchError> {
    let mut statement =
        connection.prepare_cached("SELECT lo, hi FROM iv WHERE dim = ? AND anc = ?")?;
    let rows = statement.query_map([column, value], |row| Ok([row.get(0)?, row.get(1)?]))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes the database for `taxa`.
///
/// # Errors
/// If it cannot be written, or the work is stopped.
pub fn build_taxa(
    path: &Path,
    taxa: &Taxa,
    intervals: &[Intervals],
    watcher: &mut dyn Watcher,
) -> Result<(), BenchError> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(FOR_BUILDING)?;
    connection.execute_batch(
        "CREATE TABLE inst (id INTEGER PRIMARY KEY, p1, p2, p3, c1, c2, y);
         CREATE TABLE said (id INTEGER PRIMARY KEY, name TEXT, line TEXT);
         CREATE TABLE iv (dim, anc, lo, hi);",
    )?;
    let transaction = connection.transaction()?;
    {
        let mut row = transaction.prepare("INSERT INTO inst VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        let mut said = transaction.prepare("INSERT INTO said VALUES (?, ?, ?)")?;
        for (id, cells) in (0u32..).zip(&taxa.rows) {
            if id % EVERY == 0 {
                tick(watcher, &format!("SQLite: {id} rows"))?;
            }
            let mut cells = *cells;
            for (cell, intervals) in cells.iter_mut().zip(intervals) {
                *cell = cell.and_then(|value| intervals.place.get(value as usize).copied());
            }
            let [p1, p2, p3, c1, c2, y] = cells;
            row.execute((id, p1, p2, p3, c1, c2, y))?;
            said.execute((id, id.to_string(), taxa.line(id)))?;
        }
        let mut interval = transaction.prepare("INSERT INTO iv VALUES (?, ?, ?, ?)")?;
        for (column, intervals) in (0i64..).zip(intervals) {
            for (value, ranges) in (0i64..).zip(&intervals.ranges) {
                for (low, high) in ranges {
                    interval.execute((column, value, low, high))?;
                }
            }
        }
    }
    transaction.commit()?;
    connection.execute_batch("CREATE INDEX ix_iv ON iv (dim, anc, lo, hi);")?;
    for key in KEYS {
        tick(watcher, &format!("SQLite: index {key}"))?;
        let others = KEYS.into_iter().filter(|other| *other != key);
        let others = others.collect::<Vec<_>>().join(", ");
        connection.execute_batch(&format!(
            "CREATE INDEX cov_{key} ON inst ({key}, {others}) WHERE {key} IS NOT NULL;"
        ))?;
    }
    connection.execute_batch("ANALYZE;")?;
    Ok(())
}

/// Makes statements for `hops`.
struct HopsMaker<'h> {
    hops: &'h Hops,
}

impl Maker for HopsMaker<'_> {
    fn statements(&self, _: &Connection, query: usize) -> Result<Statements, BenchError> {
        let query = self.hops.queries.get(query);
        let (start, path) = query.map_or((0, &[][..]), |q: &hops::Query| (q.start, &q.path[..]));
        let mut ids = "SELECT o FROM edge WHERE r = ? AND s = ?".to_owned();
        let mut edges = "SELECT o, s FROM edge WHERE r = ? AND s = ?".to_owned();
        let mut values = Vec::with_capacity(path.len() + 1);
        for (at, relation) in path.iter().enumerate() {
            values.push(i64::from(*relation));
            if at == 0 {
                values.push(i64::from(start));
                continue;
            }
            let hop = format!("FROM ({ids}) x CROSS JOIN edge e ON e.r = ? AND e.s = x.o");
            ids = format!("SELECT DISTINCT e.o {hop}");
            edges = format!("SELECT e.o, e.s {hop}");
        }
        Ok(Statements {
            count: format!("SELECT count(*) FROM ({ids})"),
            ids,
            first: First::Edges(edges, path.last().copied().unwrap_or(0)),
            values,
        })
    }
}

/// Writes the database for `hops`.
///
/// # Errors
/// If it cannot be written.
pub fn build_hops(path: &Path, hops: &Hops) -> Result<(), BenchError> {
    let mut edges: Vec<(u32, u32, u32, Option<String>)> = Vec::new();
    for &(s, r, o) in &hops.triples {
        let line = hops.line((s, r, o));
        edges.extend([(r, s, o, line.clone()), (hops.inverse(r), o, s, line)]);
    }
    edges.sort_unstable();
    edges.dedup();
    let mut connection = Connection::open(path)?;
    connection.execute_batch(FOR_BUILDING)?;
    connection.execute_batch(
        "CREATE TABLE edge (r INTEGER, s INTEGER, o INTEGER, PRIMARY KEY (r, s, o)) WITHOUT ROWID;
         CREATE TABLE said (r INTEGER, s INTEGER, o INTEGER, line TEXT, PRIMARY KEY (r, s, o))
             WITHOUT ROWID;
         CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT);",
    )?;
    let transaction = connection.transaction()?;
    {
        let mut edge = transaction.prepare("INSERT INTO edge VALUES (?, ?, ?)")?;
        let mut said = transaction.prepare("INSERT INTO said VALUES (?, ?, ?, ?)")?;
        for (r, s, o, line) in edges {
            edge.execute((r, s, o))?;
            said.execute((r, s, o, line))?;
        }
        let mut thing = transaction.prepare("INSERT INTO thing VALUES (?, ?)")?;
        for id in 0..hops.things as u32 {
            thing.execute((id, id.to_string()))?;
        }
    }
    transaction.commit()?;
    connection.execute_batch("ANALYZE;")?;
    Ok(())
}
