//! What a run found: times, sizes, and whether every answer is true.

use super::latweave::{Built, Store};
use super::measure::{ALL_KINDS, Check, FIRST, Level, Measured, Spread, Times};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What a run found. Times per query are milliseconds of CPU time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The name of the workload.
    pub workload: &'static str,
    /// What it consists of.
    pub data: String,
    /// How often each query was timed; of its times the median counts.
    pub rounds: usize,
    /// What the clock itself takes of each time.
    pub clock: f64,
    /// The lattice.
    pub store: Store,
    /// The databases of the peers.
    pub peers: Vec<Peer>,
    /// Peers that were left out, and why.
    pub absent: Vec<(&'static str, String)>,
    /// The answers that were compared with what is true, by contestant.
    pub checks: BTreeMap<&'static str, Check>,
    /// The times.
    pub levels: Vec<Figures>,
    /// What is aimed at, and what was reached.
    pub aims: Vec<Aim>,
}

/// A ratio that is aimed at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aim {
    /// What is compared.
    pub what: String,
    /// The ratio of the run.
    pub reached: f64,
    /// What it is to be at most.
    pub most: f64,
}

/// The database of a peer.
#[derive(Clone, Debug, Serialize)]
pub struct Peer {
    /// The peer.
    pub name: &'static str,
    /// Its version.
    pub version: String,
    /// The time that building passed, in seconds; none if the database was there.
    pub wall: Option<f64>,
    /// The size of its file in bytes.
    pub file: u64,
    /// Of DuckDB: the time in which it loads `inst.csv` as it is, in seconds, with all
    /// its threads and a checkpoint.
    pub load: Option<f64>,
    /// The CPU time of that.
    pub load_cpu: Option<f64>,
    /// Of DuckDB: the most memory that its process had, in bytes.
    pub peak: Option<u64>,
}

/// The times at one level.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// What was asked for.
    pub level: Level,
    /// By kind of query: how many there are.
    pub queries: BTreeMap<String, usize>,
    /// By contestant and kind: the times.
    pub times: BTreeMap<&'static str, BTreeMap<String, Spread>>,
}

/// All contestants, the lattice first.
const ORDER: [&str; 3] = ["latweave", "SQLite", "DuckDB"];

impl Report {
    /// Takes in what measuring gave.
    pub fn take(&mut self, measured: Measured, kinds: &[String]) {
        for (name, check) in measured.checks {
            self.checks.insert(name, check);
        }
        for ((level, name), times) in measured.times {
            self.add(level, name, &times, kinds);
        }
    }

    /// Takes in the times of a contestant at a level.
    pub fn add(&mut self, level: Level, name: &'static str, times: &Times, kinds: &[String]) {
        let known = self
            .levels
            .iter()
            .position(|figures| figures.level == level);
        let at = known.unwrap_or_else(|| {
            let mut queries = BTreeMap::from([(ALL_KINDS.to_owned(), kinds.len())]);
            for kind in kinds {
                *queries.entry(kind.clone()).or_default() += 1;
            }
            self.levels.push(Figures {
                level,
                queries,
                times: BTreeMap::new(),
            });
            self.levels.len() - 1
        });
        if let Some(figures) = self.levels.get_mut(at) {
            figures.times.insert(name, times.by_kind(kinds));
        }
        self.levels.sort_by_key(|figures| figures.level);
    }

    /// The spread of a contestant's times at a level, of a kind of query.
    pub(super) fn spread(&self, level: Level, name: &str, kind: &str) -> Option<&Spread> {
        let figures = self.levels.iter().find(|figures| figures.level == level)?;
        figures.times.get(name)?.get(kind)
    }

    /// Whether every answer of everyone is true.
    pub fn agrees(&self) -> bool {
        self.checks.values().all(|check| check.differing == 0)
    }

    /// The report as JSON, with a line break at its end.
    pub fn to_json(&self) -> String {
        // Nothing in a report can fail to be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.workload, self.data)?;
        write!(f, "\n{}", self.store)?;
        for peer in &self.peers {
            write!(f, "{}", peer.told(self.store.built.as_ref()))?;
        }
        for (name, why) in &self.absent {
            writeln!(f, "{name:<10}left out: {why}")?;
        }
        writeln!(
            f,
            "\nCPU time per query in ms, p50 / p95 / p99 over the queries; one thread, warm, \
             from files;\nof {} times of each query the median counts; the clock itself takes {:.4} ms",
            self.rounds, self.clock
        )?;
        for figures in &self.levels {
            writeln!(f)?;
            figures.table(f)?;
        }
        writeln!(f, "\naims, as ratios of this run")?;
        for aim in &self.aims {
            let met = if aim.reached <= aim.most {
                "met"
            } else {
                "not met"
            };
            let most = format!("at most {:.3}", aim.most);
            writeln!(f, "{:<62}{:>9.3}  {most:<15}{met}", aim.what, aim.reached)?;
        }
        writeln!(f)?;
        for name in ORDER {
            let Some(check) = self.checks.get(name) else {
                continue;
            };
            match check.differing {
                0 => writeln!(f, "{name:<10}all {} answers are true", check.compared)?,
                n => writeln!(
                    f,
                    "{name:<10}{n} of {} answers are not true:",
                    check.compared
                )?,
            }
            for example in &check.examples {
                writeln!(f, "          {example}")?;
            }
        }
        Ok(())
    }
}

impl Figures {
    fn title(&self) -> String {
        match self.level {
            Level::Text => {
                "parsing and resolving the text (SQLite: compiling the statement)".to_owned()
            }
            Level::Set => "set only (the set handed over; of a peer count(*))".to_owned(),
            Level::Ids => "ids written out".to_owned(),
            Level::Names => format!("names and source text of the first {FIRST} hits"),
            Level::Certificate => format!("certificate of the first {FIRST} hits"),
        }
    }

    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        let contestants: Vec<&str> = ORDER
            .into_iter()
            .filter(|name| self.times.contains_key(name))
            .collect();
        write!(f, "{:<8}{:>6}", "kind", "n")?;
        for name in &contestants {
            write!(f, "{name:>27}")?;
        }
        let peers = contestants.iter().filter(|name| **name != "latweave");
        for name in peers {
            write!(f, "{:>24}", format!("latweave / {name}"))?;
        }
        writeln!(f)?;
        let last = self.queries.get_key_value(ALL_KINDS);
        let kinds = self.queries.iter().filter(|(kind, _)| *kind != ALL_KINDS);
        for (kind, n) in kinds.chain(last) {
            write!(f, "{kind:<8}{n:>6}")?;
            let spread = |name: &str| self.times.get(name)?.get(kind);
            for name in &contestants {
                let told = spread(name).map_or(String::new(), times);
                write!(f, "{told:>27}")?;
            }
            let ours = spread("latweave");
            for name in contestants.iter().filter(|name| **name != "latweave") {
                let ratio = ours.zip(spread(name)).map(|(a, b)| a.over(b));
                let told = ratio.as_ref().map_or(String::new(), ratios);
                write!(f, "{told:>24}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn times(spread: &Spread) -> String {
    let each = [spread.p50, spread.p95, spread.p99].map(|ms| match ms {
        ms if ms < 10.0 => format!("{ms:.4}"),
        ms if ms < 1000.0 => format!("{ms:.2}"),
        ms => format!("{ms:.0}"),
    });
    each.join(" / ")
}

fn ratios(spread: &Spread) -> String {
    let each = [spread.p50, spread.p95, spread.p99].map(|ratio| match ratio {
        ratio if ratio < 10.0 => format!("{ratio:.3}"),
        ratio => format!("{ratio:.0}"),
    });
    each.join(" / ")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<10}{} instances, {} facts: file {}, opened in {:.3} ms",
            "latweave",
            self.instances,
            self.facts,
            megabytes(self.file),
            self.open * 1e3
        )?;
        match &self.built {
            Some(built) => write!(f, "{built}"),
            None => writeln!(f, "          not built: the file was there"),
        }
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "          {}", self.command)?;
        write!(f, "          in {:.2} s ({:.2} s CPU)", self.wall, self.cpu)?;
        if let Some(peak) = self.peak {
            write!(f, ", at most {} of memory", megabytes(peak))?;
        }
        let parts = self.parts.iter();
        let parts: Vec<String> = parts.map(|(name, s)| format!("{name} {s:.2} s")).collect();
        writeln!(f, ": {}", parts.join(", "))
    }
}

impl Peer {
    fn told(&self, built: Option<&Built>) -> String {
        let size = megabytes(self.file);
        let mut told = format!("{:<10}{}: file {size}", self.name, self.version);
        if let Some(wall) = self.wall {
            told += &format!(", prepared in {wall:.2} s");
        }
        told.push('\n');
        if let (Some(load), Some(cpu)) = (self.load, self.load_cpu) {
            told += &format!("          loads the same CSV in {load:.2} s ({cpu:.2} s CPU)");
            if let Some(peak) = self.peak {
                told += &format!(", at most {} of memory", megabytes(peak));
            }
            if let Some(built) = built {
                let (wall, cpu) = (built.wall / load, built.cpu / cpu);
                told += &format!("; latweave / {}: {wall:.2} (CPU {cpu:.2})", self.name);
            }
            told.push('\n');
        }
        told
    }
}
