//! DuckDB where Python has it: a process of its own with one thread, which measures
//! its own CPU time.
//!
//! Of `taxa` there is one table, sorted by the preorder numbers of the first two
//! taxonomies, with narrow types; a constraint with up to eight intervals is written
//! as such, another as a set of values from a table of all pairs. Of `hops` there is
//! a table with an index for each relation and direction.

use super::intervals::Intervals;
use crate::bench::hops::Hops;
use crate::bench::measure::{Check, Level, Times};
use crate::bench::reference::{Truth, first_wrong};
use crate::bench::taxa::{COLUMNS, Constraint, TAXONOMIES, Taxa};
use crate::bench::workload::{Signature, write};
use crate::bench::{BenchError, Watcher, tick};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program that asks.
const PROGRAM: &str = include_str!("ask_duckdb.py");

/// So many intervals are written out as alternatives.
const WRITTEN_OUT: usize = 8;

/// What the program is to do.
#[derive(Serialize)]
pub struct Task {
    load: Option<PathBuf>,
    folder: PathBuf,
    database: PathBuf,
    reuse: bool,
    setup: Vec<String>,
    rounds: usize,
    queries: Vec<Query>,
}

/// A query as SQL.
#[derive(Serialize)]
struct Query {
    set: String,
    ids: String,
    names: Option<String>,
}

/// What the program found.
#[derive(Deserialize)]
pub struct Found {
    /// DuckDB's version.
    pub version: String,
    /// Seconds in which it loads the CSV.
    pub load: Option<f64>,
    /// The CPU time of that.
    pub load_cpu: Option<f64>,
    /// Seconds in which it made its tables.
    pub build: Option<f64>,
    /// The size of its file in bytes.
    pub file: u64,
    /// The most memory that its process had when it had loaded the CSV, in bytes.
    pub peak: Option<u64>,
    answers: Answers,
    times: BTreeMap<String, Vec<Vec<f64>>>,
}

#[derive(Deserialize)]
struct Answers {
    set: Vec<u64>,
    ids: Vec<Signature>,
    names: Option<Vec<Vec<(String, String)>>>,
}

/// Why DuckDB cannot be asked here; nothing if it can.
pub fn absence() -> Option<String> {
    let mut python = Command::new("python3");
    let tried = python.args(["-c", "import duckdb, numpy"]).output();
    match tried {
        Ok(done) if done.status.success() => None,
        Ok(_) => {
            Some("python3 lacks it; `pip install duckdb numpy` installs what is used".to_owned())
        }
        Err(error) => Some(format!("python3 cannot be run: {error}")),
    }
}

/// The task for `taxa`. Writes the files that its tables are made from.
///
/// # Errors
/// If these cannot be written.
pub fn taxa(
    task: &crate::bench::Task,
    data: &Path,
    taxa: &Taxa,
    intervals: &[Intervals],
) -> Result<Task, BenchError> {
    let csv = data.join("inst.csv");
    let mut setup = Vec::new();
    for (intervals, name) in intervals.iter().zip(COLUMNS) {
        let places = task.folder.join(format!("{name}_places.csv"));
        write(&places, |out| write_places(intervals, out))?;
        setup.push(format!(
            "CREATE TEMP TABLE place_{name} AS SELECT * FROM read_csv({})",
            text(&places)
        ));
        let below = task.folder.join(format!("{name}_below.csv"));
        write(&below, |out| write_below(intervals, out))?;
        setup.push(format!(
            "CREATE TABLE below_{name} AS SELECT upper::INT upper, lower::INT lower \
             FROM read_csv({}) ORDER BY upper",
            text(&below)
        ));
    }
    let line = COLUMNS.map(|c| format!("coalesce({c}::VARCHAR, '')"));
    setup.push(format!(
        "CREATE TABLE inst AS SELECT id::INT id, t1::INT t1, t2::INT t2, t3::SMALLINT t3, \
         c1::TINYINT c1, c2::SMALLINT c2, y::SMALLINT y, p1.place::INT p1, p2.place::INT p2, \
         p3.place::SMALLINT p3, id::VARCHAR AS name, concat_ws(',', id, {}) line \
         FROM read_csv({}) LEFT JOIN place_t1 p1 ON t1 = p1.v LEFT JOIN place_t2 p2 ON t2 = p2.v \
         LEFT JOIN place_t3 p3 ON t3 = p3.v ORDER BY p1, p2",
        line.join(", "),
        text(&csv)
    ));
    let queries = taxa.queries.iter().map(|query| {
        let all = query.constraints.iter().map(|c| condition(c, intervals));
        let rest = format!("FROM inst WHERE {}", all.collect::<Vec<_>>().join(" AND "));
        Query {
            set: format!("SELECT count(*) {rest}"),
            ids: format!("SELECT id {rest}"),
            names: Some(format!(
                "SELECT name, line {rest} LIMIT {}",
                crate::bench::measure::FIRST
            )),
        }
    });
    Ok(Task {
        queries: queries.collect(),
        load: Some(csv),
        ..Task::new(task, "taxa", setup)
    })
}

/// The task to load a CSV and do nothing else.
pub fn loading(task: &crate::bench::Task, csv: &Path) -> Task {
    Task {
        load: Some(csv.to_owned()),
        ..Task::new(task, "nothing", Vec::new())
    }
}

/// The task for `hops`. Writes the file that its tables are made from.
///
/// # Errors
/// If it cannot be written.
pub fn hops(task: &crate::bench::Task, data: &Path, hops: &Hops) -> Result<Task, BenchError> {
    let csv = text(&data.join("triples.csv"));
    let mut setup = Vec::new();
    let relations = hops.relations.len();
    for relation in 0..relations {
        for (k, columns) in [(relation, "s, o"), (relation + relations, "o s, s o")] {
            setup.push(format!(
                "CREATE TABLE e{k} AS SELECT {columns} FROM (SELECT DISTINCT s::INT s, r, o::INT o \
                 FROM read_csv({csv})) WHERE r = {relation} ORDER BY s"
            ));
            setup.push(format!("CREATE INDEX ix{k} ON e{k} (s)"));
        }
    }
    let queries = hops.queries.iter().map(|query| {
        let mut ids = String::new();
        for (at, relation) in query.path.iter().enumerate() {
            ids = match at {
                0 => format!("SELECT o FROM e{relation} WHERE s = {}", query.start),
                _ => format!("SELECT DISTINCT e.o FROM e{relation} e WHERE e.s IN ({ids})"),
            };
        }
        Query {
            set: format!("SELECT count(*) FROM ({ids})"),
            ids,
            names: None,
        }
    });
    Ok(Task {
        queries: queries.collect(),
        ..Task::new(task, "hops", setup)
    })
}

impl Task {
    fn new(task: &crate::bench::Task, name: &str, setup: Vec<String>) -> Task {
        Task {
            load: None,
            folder: task.folder.clone(),
            database: task.folder.join(format!("{name}.duckdb")),
            reuse: task.reuse,
            setup,
            rounds: task.rounds.max(1),
            queries: Vec::new(),
        }
    }

    /// Runs the program, which is told how far it is.
    ///
    /// # Errors
    /// If it fails, or the work is stopped.
    pub fn run(&self, watcher: &mut dyn Watcher) -> Result<Found, BenchError> {
        let path = |name: &str| self.folder.join(name);
        let (program, task, result) = (
            path("ask_duckdb.py"),
            path("duckdb.json"),
            path("duckdb-result.json"),
        );
        write(&program, |out| out.write_all(PROGRAM.as_bytes()))?;
        write(&task, |out| Ok(serde_json::to_writer(out, self)?))?;
        let failed = |error: io::Error| BenchError::DuckDb(error.to_string());
        let mut child = Command::new("python3")
            .args([&program, &task, &result])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let told = follow(&mut child, watcher);
        if told.is_err() {
            // It need not be alive any more.
            let _ = child.kill();
        }
        let mut error = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut error).map_err(failed)?;
        }
        let status = child.wait().map_err(failed)?;
        told?;
        if !status.success() {
            let last = error.trim().lines().last().unwrap_or("it ended early");
            return Err(BenchError::DuckDb(last.to_owned()));
        }
        let found = File::open(&result).map_err(BenchError::at(&result))?;
        serde_json::from_reader(BufReader::new(found))
            .map_err(|error| BenchError::DuckDb(error.to_string()))
    }
}

/// Passes on what the program says until it says no more.
fn follow(child: &mut Child, watcher: &mut dyn Watcher) -> Result<(), BenchError> {
    let Some(stdout) = child.stdout.take() else {
        return Ok(());
    };
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(|error| BenchError::DuckDb(error.to_string()))?;
        tick(watcher, &format!("DuckDB: {line}"))?;
    }
    Ok(())
}

impl Found {
    /// Compares all answers with what is true.
    pub fn check(&self, truth: &dyn Truth) -> Check {
        let mut check = Check::default();
        for (query, count) in self.answers.set.iter().enumerate() {
            let due = truth.signature(query).map(|signature| signature.0);
            let wrong = (Some(*count) != due).then(|| format!("query {query}: {count} hits"));
            check.count(wrong);
        }
        for (query, ids) in self.answers.ids.iter().enumerate() {
            let wrong =
                (Some(*ids) != truth.signature(query)).then(|| format!("query {query}: {ids:?}"));
            check.count(wrong);
        }
        for (query, rows) in self.answers.names.iter().flatten().enumerate() {
            let rows = rows
                .iter()
                .map(|(name, line)| (name.as_str(), line.as_str()));
            let wrong = first_wrong(truth, query, rows);
            check.count(wrong.map(|wrong| format!("query {query}: {wrong}")));
        }
        check
    }

    /// The times by level.
    pub fn times(&self) -> Vec<(Level, Times)> {
        let levels = [
            ("set", Level::Set),
            ("ids", Level::Ids),
            ("names", Level::Names),
        ];
        let levels = levels.into_iter();
        levels
            .filter_map(|(name, level)| Some((level, Times::of(self.times.get(name)?.clone()))))
            .collect()
    }
}

/// A constraint as SQL.
fn condition(constraint: &Constraint, intervals: &[Intervals]) -> String {
    let column = constraint.column();
    let (name, value) = match constraint {
        Constraint::Years { low, high, .. } => return format!("y BETWEEN {low} AND {high}"),
        Constraint::Value { column, value } => (column, value),
    };
    let ranges = intervals
        .get(column)
        .and_then(|intervals| intervals.ranges.get(*value as usize));
    let Some(ranges) = ranges.filter(|_| column < TAXONOMIES) else {
        return format!("{name} = {value}");
    };
    if ranges.len() > WRITTEN_OUT {
        return format!("{name} IN (SELECT lower FROM below_{name} WHERE upper = {value})");
    }
    let key = format!("p{}", column + 1);
    let all = ranges.iter().map(|(low, high)| match low == high {
        true => format!("{key} = {low}"),
        false => format!("{key} BETWEEN {low} AND {high}"),
    });
    format!("({})", all.collect::<Vec<_>>().join(" OR "))
}

fn write_places(intervals: &Intervals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "v,place")?;
    for (value, place) in intervals.place.iter().enumerate() {
        writeln!(out, "{value},{place}")?;
    }
    Ok(())
}

/// All pairs of a value and one at or below it.
fn write_below(intervals: &Intervals, out: &mut dyn Write) -> io::Result<()> {
    let mut at = vec![0; intervals.place.len()];
    for (value, place) in intervals.place.iter().enumerate() {
        if let Some(slot) = at.get_mut(*place as usize) {
            *slot = value;
        }
    }
    writeln!(out, "upper,lower")?;
    for (upper, ranges) in intervals.ranges.iter().enumerate() {
        for (low, high) in ranges {
            let lower = at.get(*low as usize..=*high as usize);
            for lower in lower.into_iter().flatten() {
                writeln!(out, "{upper},{lower}")?;
            }
        }
    }
    Ok(())
}

/// A path as an SQL string.
fn text(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}
