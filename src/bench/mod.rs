//! Speed beside peers, every answer checked: workloads → contestants → times → report.
//!
//! ```text
//! files ── taxa, hops ──► queries, truth
//!       ── latweave ──► lattice file ──┐
//!       ── peers::* ──► their files  ──┴─ measure ──► Report
//! ```
//!
//! Everyone answers the same queries from the same rows, on one thread, from a file
//! that is in the system's cache. A time counts only beside the others of its run.

#![deny(clippy::indexing_slicing)]

mod aims;
mod error;
pub mod generate;
pub mod growth;
pub mod hops;
pub mod latweave;
pub mod measure;
pub mod peers;
pub mod reference;
pub mod report;
pub mod taxa;
pub mod workload;

pub use error::BenchError;
pub use growth::{Growth, growth};
pub use report::Report;

use crate::load::{Form, Progress, Request};
use hops::Hops;
use latweave::{Latweave, Store};
use measure::{Contestant, measure};
use peers::duckdb;
use peers::intervals::Intervals;
use peers::sqlite::{self, Sqlite};
use reference::{HopsTruth, TaxaTruth, Truth};
use report::Peer;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use taxa::{COLUMNS, Taxa};

/// What is to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Where the workload comes from.
    pub data: Data,
    /// The folder for the lattice and the peers' databases.
    pub folder: PathBuf,
    /// Whether a workload that was made, a lattice and databases that are in the folder
    /// are used as they are.
    pub reuse: bool,
    /// How often each query is timed.
    pub rounds: usize,
    /// Whether DuckDB is asked too, where it is installed.
    pub duckdb: bool,
}

/// Where a workload comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The files of a folder.
    Folder(PathBuf),
    /// It is made from a seed.
    Made {
        /// So many instances, or films of `hops`; the full size if absent.
        instances: Option<usize>,
        /// So many queries, of `hops` for each length.
        queries: usize,
        /// The seed.
        seed: u64,
    },
}

/// The instances of `taxa` in full size.
pub const INSTANCES: usize = 1_200_000;

impl Task {
    /// The folder with the workload's files, which are made first if asked for.
    fn files(&self, name: &str, watcher: &mut dyn Watcher) -> Result<PathBuf, BenchError> {
        let (instances, queries, seed) = match &self.data {
            Data::Folder(folder) => return Ok(folder.clone()),
            Data::Made {
                instances,
                queries,
                seed,
            } => (instances, *queries, *seed),
        };
        let folder = self.folder.join(name);
        if self.reuse && folder.join("truth.json").exists() {
            return Ok(folder);
        }
        tick(watcher, "making the workload")?;
        std::fs::create_dir_all(&folder).map_err(BenchError::at(&folder))?;
        if name == "taxa" {
            let instances = instances.unwrap_or(INSTANCES);
            generate::taxa(instances, queries, seed, watcher)?.write(&folder)?;
        } else {
            let films = instances.unwrap_or(generate::FILMS);
            generate::hops(films, queries, seed).write(&folder)?;
        }
        Ok(folder)
    }
}

/// Is told what is being done, and may end it.
pub trait Watcher {
    /// `what` is being done. `Break` ends the work with [`BenchError::Cancelled`].
    fn tick(&mut self, what: &str) -> ControlFlow<()>;
}

/// Passes the progress of loading on.
struct Loading<'w>(&'w mut dyn Watcher);

impl Progress for Loading<'_> {
    fn tick(&mut self, bytes: u64, facts: u64) -> ControlFlow<()> {
        let read = format!("latweave: {} MB read, {facts} facts", bytes / 1_000_000);
        self.0.tick(&read)
    }
}

fn tick(watcher: &mut dyn Watcher, what: &str) -> Result<(), BenchError> {
    match watcher.tick(what) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BenchError::Cancelled),
    }
}

/// Measures the workload `taxa`.
///
/// # Errors
/// [`BenchError`]; answers that differ are in the report.
pub fn taxa(task: &Task, watcher: &mut dyn Watcher) -> Result<Report, BenchError> {
    let data = task.files("taxa", watcher)?;
    let lattice = task.folder.join("taxa.lattice");
    // Before the rows are read, whose memory would count.
    let store = taxa_store(task, &data, &lattice, watcher)?;
    let taxa = Taxa::read(&data)?;
    let intervals: Result<Vec<Intervals>, BenchError> = taxa
        .taxonomies
        .iter()
        .zip(COLUMNS)
        .map(|(edges, name)| Intervals::new(edges, name))
        .collect();
    let intervals = intervals?;
    let database = task.folder.join("taxa.sqlite");
    let peer = peer(task, &database, watcher, |watcher| {
        sqlite::build_taxa(&database, &taxa, &intervals, watcher)
    })?;
    let truth = TaxaTruth::new(&taxa);
    let texts = taxa.queries.iter().map(taxa::Query::text).collect();
    let mut ours = Latweave::open(&lattice, texts, &truth)?;
    let mut theirs = Sqlite::taxa(&database, &taxa, &intervals, &truth)?;
    let mut report = Report {
        workload: "taxa",
        data: format!(
            "{} instances, {} queries of {}",
            taxa.rows.len(),
            taxa.queries.len(),
            data.display()
        ),
        store,
        peers: vec![peer],
        ..Report::default()
    };
    contest(
        task,
        &mut [&mut ours, &mut theirs],
        &taxa.kinds(),
        &mut report,
        watcher,
    )?;
    beside_duckdb(task, &mut report, &taxa.kinds(), &truth, watcher, || {
        duckdb::taxa(task, &data, &taxa, &intervals)
    })?;
    report.aims = aims::of(&report);
    Ok(report)
}

/// Builds the lattice of `taxa` from the files of a folder.
fn taxa_store(
    task: &Task,
    data: &Path,
    lattice: &Path,
    watcher: &mut dyn Watcher,
) -> Result<Store, BenchError> {
    let schema = task.folder.join("taxa.lq");
    Taxa::read_taxonomies(data)?.write_schema(&schema)?;
    let table = data.join("inst.csv");
    let requests = [
        Request::new(&schema),
        Request {
            key: vec!["id".to_owned()],
            ..Request::new(&table)
        },
    ];
    let command = "latweave build -o taxa.lattice --schema taxa.lq --key id inst.csv";
    let store = build(task, &requests, lattice, command, watcher)?;
    let size = std::fs::metadata(&table).map_err(BenchError::at(&table))?;
    Ok(Store {
        table: Some(size.len()),
        ..store
    })
}

/// Measures the workload `hops`.
///
/// # Errors
/// [`BenchError`]; answers that differ are in the report.
pub fn hops(task: &Task, watcher: &mut dyn Watcher) -> Result<Report, BenchError> {
    let data = task.files("hops", watcher)?;
    let lattice = task.folder.join("hops.lattice");
    let hops = Hops::read(&data)?;
    let triples = task.folder.join("triples.txt");
    hops.write_triples(&triples)?;
    let request = Request {
        form: Some(Form::Triples),
        ..Request::new(&triples)
    };
    let command = "latweave build -o hops.lattice triples.txt";
    let store = build(task, &[request], &lattice, command, watcher)?;
    let database = task.folder.join("hops.sqlite");
    let peer = peer(task, &database, watcher, |_| {
        sqlite::build_hops(&database, &hops)
    })?;
    let truth = HopsTruth::new(&hops);
    let texts = hops.queries.iter().filter_map(|query| hops.text(query));
    let mut ours = Latweave::open(&lattice, texts.collect(), &truth)?;
    let mut theirs = Sqlite::hops(&database, &hops, &truth)?;
    let mut report = Report {
        workload: "hops",
        data: format!(
            "{} triples, {} queries of {}",
            hops.triples.len(),
            hops.queries.len(),
            data.display()
        ),
        store,
        peers: vec![peer],
        ..Report::default()
    };
    contest(
        task,
        &mut [&mut ours, &mut theirs],
        &hops.kinds(),
        &mut report,
        watcher,
    )?;
    beside_duckdb(task, &mut report, &hops.kinds(), &truth, watcher, || {
        duckdb::hops(task, &data, &hops)
    })?;
    report.aims = aims::of(&report);
    Ok(report)
}

/// Asks DuckDB the same, or says why not.
fn beside_duckdb(
    task: &Task,
    report: &mut Report,
    kinds: &[String],
    truth: &dyn Truth,
    watcher: &mut dyn Watcher,
    prepare: impl FnOnce() -> Result<duckdb::Task, BenchError>,
) -> Result<(), BenchError> {
    let absence = match task.duckdb {
        true => duckdb::absence(),
        false => Some("not asked for".to_owned()),
    };
    if let Some(why) = absence {
        report.absent.push(("DuckDB", why));
        return Ok(());
    }
    let found = prepare()?.run(watcher)?;
    report.checks.insert("DuckDB", found.check(truth));
    for (level, times) in found.times() {
        report.add(level, "DuckDB", &times, kinds);
    }
    report.peers.push(Peer {
        name: "DuckDB",
        version: found.version,
        wall: found.build,
        file: found.file,
        load: found.load,
        load_cpu: found.load_cpu,
        peak: found.peak,
    });
    Ok(())
}

/// Lets everyone answer.
fn contest(
    task: &Task,
    contestants: &mut [&mut dyn Contestant],
    kinds: &[String],
    report: &mut Report,
    watcher: &mut dyn Watcher,
) -> Result<(), BenchError> {
    report.rounds = task.rounds.max(1);
    report.clock = measure::clock();
    let measured = measure(contestants, kinds.len(), task.rounds, &mut |what| {
        tick(watcher, what)
    })?;
    report.take(measured, kinds);
    Ok(())
}

/// Builds the lattice, or takes the one that is there.
fn build(
    task: &Task,
    requests: &[Request],
    path: &Path,
    command: &'static str,
    watcher: &mut dyn Watcher,
) -> Result<Store, BenchError> {
    let mut built = None;
    if !(task.reuse && path.exists()) {
        tick(watcher, "latweave: building")?;
        built = Some(latweave::build(
            requests,
            path,
            command,
            &mut Loading(watcher),
        )?);
    }
    latweave::store(path, built)
}

/// Builds SQLite's database, or takes the one that is there.
fn peer(
    task: &Task,
    path: &Path,
    watcher: &mut dyn Watcher,
    build: impl FnOnce(&mut dyn Watcher) -> Result<(), BenchError>,
) -> Result<Peer, BenchError> {
    let mut wall = None;
    if !(task.reuse && path.exists()) {
        tick(watcher, "SQLite: building")?;
        if path.exists() {
            std::fs::remove_file(path).map_err(BenchError::at(path))?;
        }
        let start = Instant::now();
        build(watcher)?;
        wall = Some(start.elapsed().as_secs_f64());
    }
    Ok(Peer {
        name: "SQLite",
        version: rusqlite::version().to_owned(),
        wall,
        file: std::fs::metadata(path).map_err(BenchError::at(path))?.len(),
        load: None,
        load_cpu: None,
        peak: None,
    })
}
