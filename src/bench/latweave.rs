//! The lattice in the contest: built by the loaders that `latweave build` uses, opened
//! from its file, asked by the calls that an embedder has.

use super::BenchError;
use super::measure::{Contestant, FIRST, Given, Level, forget_peak_memory, peak_memory};
use super::reference::{Truth, first_wrong, shown_rows};
use super::workload::Signature;
use crate::engine::{self, Budget};
use crate::lattice::{Builder, InstanceId, Lattice};
use crate::load::{Options, Progress, Request, load};
use crate::plan::Plan;
use crate::syntax::tree::Query;
use crate::syntax::{canonical, parse_query};
use crate::verdict::{Answer, IdWriter, Members, Outcome, Verdict};
use cpu_time::ProcessTime;
use roaring::RoaringBitmap;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// A lattice file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Store {
    /// Instances.
    pub instances: u64,
    /// Distinct facts.
    pub facts: u64,
    /// Its size in bytes.
    pub file: u64,
    /// Opening it, in seconds: the median of several times.
    pub open: f64,
    /// The size of the table that it was built from, in bytes, if there is just one.
    pub table: Option<u64>,
    /// How it was built; none where one was used that was there.
    pub built: Option<Built>,
}

/// How a lattice was built. Times are seconds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Built {
    /// The command that builds the same.
    pub command: &'static str,
    /// Time that passed.
    pub wall: f64,
    /// CPU time of all threads.
    pub cpu: f64,
    /// The parts of the time that passed, in their order. Evidence is compressed beside
    /// postings, so that their sum may be more.
    pub parts: Vec<(String, f64)>,
    /// The most memory that the process had meanwhile, in bytes.
    pub peak: Option<u64>,
    /// The budget of memory that it was to keep to, in bytes.
    pub memory: u64,
}

/// So often a lattice is opened to be timed.
const OPENINGS: usize = 20;

/// The memory that a build keeps to, as that of `latweave build` does: 1 GiB.
pub const MEMORY: u64 = 1 << 30;

/// Builds a lattice from files as `latweave build` does, and times it.
///
/// # Errors
/// If a file cannot be loaded or the lattice not be written.
pub fn build(
    requests: &[Request],
    path: &Path,
    command: &'static str,
    progress: &mut dyn Progress,
) -> Result<Built, BenchError> {
    forget_peak_memory();
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = Builder::within(MEMORY, folder);
    for request in requests {
        load(&mut builder, request, &Options::default(), progress)?;
    }
    let reading = started.elapsed();
    let timings = builder.save(path, &|| false)?.timings;
    let (wall, cpu) = (started.elapsed(), cpu.elapsed());
    let parts = [
        ("reading", reading),
        ("names", timings.names),
        ("sorting", timings.sorting),
        ("postings", timings.postings),
        ("evidence", timings.evidence),
        ("hashing", timings.hashing),
        ("writing", timings.writing),
    ];
    let parts = parts.map(|(name, time)| (name.to_owned(), time.as_secs_f64()));
    Ok(Built {
        command,
        wall: wall.as_secs_f64(),
        cpu: cpu.as_secs_f64(),
        parts: parts.to_vec(),
        peak: peak_memory(),
        memory: MEMORY,
    })
}

/// Looks at a lattice file, and times opening it.
///
/// # Errors
/// If it cannot be opened.
pub fn store(path: &Path, built: Option<Built>) -> Result<Store, BenchError> {
    let counts = Lattice::open(path)?.counts();
    Ok(Store {
        instances: counts.instances,
        facts: counts.predicates,
        file: std::fs::metadata(path).map_err(BenchError::at(path))?.len(),
        open: openings(path)?.as_secs_f64(),
        table: None,
        built,
    })
}

/// The median time of opening a lattice.
fn openings(path: &Path) -> Result<Duration, BenchError> {
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        let start = Instant::now();
        let lattice = Lattice::open(path)?;
        times.push(start.elapsed());
        drop(lattice);
    }
    times.sort();
    Ok(times.get(OPENINGS / 2).copied().unwrap_or_default())
}

/// A query as it is kept between its runs.
enum Prepared {
    /// Resolved.
    Plan(Plan),
    /// A word of it means nothing here: there is no plan, only the reason.
    Unknown(Box<Query>),
}

/// A lattice that is asked the queries of a workload.
pub struct Latweave<'t> {
    lattice: Lattice,
    truth: &'t dyn Truth,
    texts: Vec<String>,
    queries: Vec<Prepared>,
    budget: Budget,
    writer: IdWriter,
}

impl<'t> Latweave<'t> {
    /// Opens a lattice and prepares queries.
    ///
    /// # Errors
    /// If the lattice cannot be opened or a query not be read.
    pub fn open(
        path: &Path,
        texts: Vec<String>,
        truth: &'t dyn Truth,
    ) -> Result<Latweave<'t>, BenchError> {
        let lattice = Lattice::open(path)?;
        let mut queries = Vec::new();
        for text in &texts {
            let query = read(text)?;
            queries.push(match engine::prepare(&lattice, &query)? {
                Ok(plan) => Prepared::Plan(plan),
                Err(_) => Prepared::Unknown(Box::new(query)),
            });
        }
        Ok(Latweave {
            lattice,
            truth,
            texts,
            queries,
            budget: Budget::unlimited(),
            writer: IdWriter::default(),
        })
    }

    /// The text of a query.
    fn text(&self, query: usize) -> &str {
        self.texts.get(query).map_or("", String::as_str)
    }

    fn verdict(&self, query: &Prepared) -> Result<Verdict, BenchError> {
        Ok(match query {
            Prepared::Plan(plan) => engine::run(&self.lattice, plan, &self.budget)?,
            Prepared::Unknown(query) => engine::answer(&self.lattice, query, &self.budget)?,
        })
    }

    /// The id in the workload of an instance.
    fn id(&self, instance: u32) -> Option<u32> {
        self.lattice.name(InstanceId(instance)).parse().ok()
    }

    /// What is wrong with the proofs of the first hits.
    fn proofs_wrong(&self, query: usize, given: &Given) -> Option<String> {
        let Ok(hits) = serde_json::from_slice::<Vec<Proved<'_>>>(&given.json) else {
            return Some("the proofs are no JSON array of hits".to_owned());
        };
        let wrong = hits.iter().find(|hit| {
            let id = hit.name.parse().ok();
            !id.is_some_and(|id| self.truth.is_hit(query, id))
        });
        match wrong {
            Some(hit) => Some(format!("{} is no hit", hit.name)),
            None => wrong_count(hits.len(), given.count),
        }
    }
}

/// A hit in a certificate.
#[derive(serde::Deserialize)]
struct Proved<'a> {
    name: &'a str,
    #[serde(borrow, rename = "because")]
    _because: Vec<&'a RawValue>,
}

fn wrong_count(shown: usize, count: u64) -> Option<String> {
    let due = count.min(FIRST as u64);
    (shown as u64 != due).then(|| format!("{shown} hits are shown in place of {due}"))
}

/// The canonical query of a text.
fn read(text: &str) -> Result<Query, BenchError> {
    let wrong = |reason: String| BenchError::Query {
        text: text.to_owned(),
        reason,
    };
    let query = parse_query(text).map_err(|told| wrong(format!("{told:?}")))?;
    canonical(&query, &BTreeMap::new(), &BTreeMap::new()).map_err(|told| wrong(told.message))
}

/// The set of an answer; of an abstention the empty one.
fn set(verdict: &Verdict) -> Option<&RoaringBitmap> {
    match &verdict.outcome {
        Outcome::Answer(Answer::Set(set)) => match &set.members {
            Members::Instances(members) => Some(members),
            _ => None,
        },
        _ => None,
    }
}

impl Contestant for Latweave<'_> {
    fn name(&self) -> &'static str {
        "latweave"
    }

    fn offers(&self, _: Level) -> bool {
        true
    }

    fn ask(&mut self, query: usize, level: Level, given: &mut Given) -> Result<(), BenchError> {
        if level == Level::Text {
            let query = read(self.text(query))?;
            std::hint::black_box(engine::prepare(&self.lattice, &query)?.is_ok());
            return Ok(());
        }
        let Some(prepared) = self.queries.get(query) else {
            return Ok(());
        };
        let verdict = self.verdict(prepared)?;
        let set = set(&verdict);
        given.count = set.map_or(0, RoaringBitmap::len);
        match (level, set) {
            (Level::Ids, Some(set)) => self.writer.write(set, &mut given.ids),
            (Level::Names, Some(_)) => {
                for hit in verdict.hits(&self.lattice).take(FIRST) {
                    given.shown.push_str(hit.name());
                    for said in hit.evidence().iter().take(1) {
                        let _ = write!(given.shown, "\t{}", said.text);
                    }
                    given.shown.push('\n');
                }
            }
            (Level::Certificate, Some(set)) => {
                if let Prepared::Plan(plan) = prepared {
                    let first = set.iter().take(FIRST).map(InstanceId);
                    engine::certify_hits(
                        &self.lattice,
                        plan,
                        first,
                        &self.budget,
                        &mut given.json,
                    )?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn differs(&self, query: usize, level: Level, given: &Given) -> Option<String> {
        let truth = self.truth.signature(query)?;
        let wrong = match level {
            Level::Text => None,
            Level::Set => (given.count != truth.0)
                .then(|| format!("{} hits in place of {}", given.count, truth.0)),
            Level::Ids => {
                let ids = given.ids.iter().map(|id| self.id(*id));
                let mut ids: Vec<u32> = ids.map(|id| id.unwrap_or(u32::MAX)).collect();
                let found = Signature::of(&mut ids);
                (found != truth).then(|| format!("{found:?} in place of {truth:?}"))
            }
            Level::Names => first_wrong(self.truth, query, shown_rows(&given.shown)),
            Level::Certificate if given.count == 0 => None,
            Level::Certificate => self.proofs_wrong(query, given),
        };
        wrong.map(|wrong| format!("{}: {wrong}", self.text(query)))
    }
}
