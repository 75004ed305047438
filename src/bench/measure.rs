//! CPU time per query: rounds over all queries, and what is counted of them.
//!
//! The time is that of all threads of the process, so that work done elsewhere counts;
//! nothing else is going on in it.

use super::BenchError;
use super::workload::shuffled;
use cpu_time::ProcessTime;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hint::black_box;

/// How much of an answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The text of the query, parsed and resolved; nothing is run.
    Text,
    /// The set, handed over as such. Of a peer: its count.
    Set,
    /// Every id, as a 32-bit number in a buffer that is used again.
    Ids,
    /// The names of the first hits, and what their sources say.
    Names,
    /// The first hits as they stand in a certificate, with their proofs.
    Certificate,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 5] = [
        Level::Text,
        Level::Set,
        Level::Ids,
        Level::Names,
        Level::Certificate,
    ];
}

/// So many hits are shown with names, texts and proofs.
pub const FIRST: usize = 20;

/// What a query gave. Buffers are used again from query to query.
#[derive(Debug, Default)]
pub struct Given {
    /// How many hits there are.
    pub count: u64,
    /// The ids, at [`Level::Ids`], in the contestant's own numbering.
    pub ids: Vec<u32>,
    /// Names and source texts, at [`Level::Names`], each ended by a line break.
    pub shown: String,
    /// The JSON, at [`Level::Certificate`].
    pub json: Vec<u8>,
}

impl Given {
    /// Empties the buffers, whose room stays.
    pub fn clear(&mut self) {
        self.count = 0;
        self.ids.clear();
        self.shown.clear();
        self.json.clear();
    }
}

/// Someone who answers the queries of a workload, by their numbers.
pub trait Contestant {
    /// What it is called in the report.
    fn name(&self) -> &'static str;
    /// Whether it has this to give.
    fn offers(&self, level: Level) -> bool;
    /// Answers a query.
    ///
    /// # Errors
    /// If it cannot.
    fn ask(&mut self, query: usize, level: Level, given: &mut Given) -> Result<(), BenchError>;
    /// Compares what a query gave with what is true, and says what differs.
    fn differs(&self, query: usize, level: Level, given: &Given) -> Option<String>;
}

/// What 50, 95 and 99 in 100 queries take at most, in milliseconds of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
}

impl Spread {
    /// The percentiles of some times, which are sorted on the way. None of nothing.
    pub fn of(times: &mut [f64]) -> Option<Spread> {
        times.sort_by(f64::total_cmp);
        Some(Spread {
            p50: percentile(times, 0.50)?,
            p95: percentile(times, 0.95)?,
            p99: percentile(times, 0.99)?,
        })
    }

    /// This spread as multiples of another.
    pub fn over(&self, other: &Spread) -> Spread {
        Spread {
            p50: self.p50 / other.p50,
            p95: self.p95 / other.p95,
            p99: self.p99 / other.p99,
        }
    }
}

/// The value below which a share of some sorted values lies, between the two
/// nearest of them in proportion.
pub fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = *sorted.get(place.floor() as usize)?;
    let above = *sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

/// The times of one contestant at one level: per query, one for each round.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Vec<f64>>);

impl Times {
    /// For so many queries.
    pub fn new(queries: usize) -> Times {
        Times(vec![Vec::new(); queries])
    }

    /// By query: its times, in milliseconds.
    pub fn of(times: Vec<Vec<f64>>) -> Times {
        Times(times)
    }

    /// Adds a time of a query, in milliseconds.
    pub fn push(&mut self, query: usize, time: f64) {
        if let Some(times) = self.0.get_mut(query) {
            times.push(time);
        }
    }

    /// The spread of the medians of each query, for all queries and for each kind.
    pub fn by_kind(&self, kinds: &[String]) -> BTreeMap<String, Spread> {
        let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (times, kind) in self.0.iter().zip(kinds) {
            let mut times = times.clone();
            times.sort_by(f64::total_cmp);
            let Some(median) = percentile(&times, 0.5) else {
                continue;
            };
            groups.entry(kind).or_default().push(median);
            groups.entry(ALL_KINDS).or_default().push(median);
        }
        let spreads = groups.into_iter();
        spreads
            .filter_map(|(kind, mut times)| Some((kind.to_owned(), Spread::of(&mut times)?)))
            .collect()
    }
}

/// The name of the group of all queries.
pub const ALL_KINDS: &str = "all";

/// What measuring gave.
#[derive(Debug, Default)]
pub struct Measured {
    /// By level and contestant.
    pub times: BTreeMap<(Level, &'static str), Times>,
    /// By contestant: how many answers were compared, and what differed.
    pub checks: BTreeMap<&'static str, Check>,
}

/// How answers agree with the truth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Check {
    /// So many answers were compared, over all levels.
    pub compared: u64,
    /// So many differed.
    pub differing: u64,
    /// The first that differed, one sentence each.
    pub examples: Vec<String>,
}

/// So many answers that differ are told.
const MOST_EXAMPLES: usize = 5;

impl Check {
    /// Counts an answer, and what is wrong with it.
    pub fn count(&mut self, wrong: Option<String>) {
        self.compared += 1;
        if let Some(wrong) = wrong {
            self.differing += 1;
            if self.examples.len() < MOST_EXAMPLES {
                self.examples.push(wrong);
            }
        }
    }
}

/// The most memory that this process has had at any time since [`forget_peak_memory`],
/// in bytes; none where the
/// system does not tell.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Begins anew with [`peak_memory`], where the system lets us.
pub fn forget_peak_memory() {
    // Where it does not, the peak is that of all of the process's life.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// What the clock itself takes of each time, in milliseconds: the median of many
/// times of nothing.
pub fn clock() -> f64 {
    let mut times: Vec<f64> = (0..1001)
        .map(|_| ProcessTime::now().elapsed().as_secs_f64() * 1e3)
        .collect();
    times.sort_by(f64::total_cmp);
    percentile(&times, 0.5).unwrap_or(0.0)
}

/// Compares every answer of every contestant once, which warms everything up, and
/// then times them: in each round all contestants one after the other, each over
/// all queries in an order of its own.
///
/// # Errors
/// If a contestant cannot answer, or the work is stopped.
pub fn measure(
    contestants: &mut [&mut dyn Contestant],
    queries: usize,
    rounds: usize,
    progress: &mut dyn FnMut(&str) -> Result<(), BenchError>,
) -> Result<Measured, BenchError> {
    let mut measured = Measured::default();
    let mut given = Given::default();
    for contestant in contestants.iter_mut() {
        let check = measured.checks.entry(contestant.name()).or_default();
        for level in Level::ALL {
            if !contestant.offers(level) {
                continue;
            }
            for query in 0..queries {
                progress(&format!("{}: answers", contestant.name()))?;
                given.clear();
                contestant.ask(query, level, &mut given)?;
                check.count(contestant.differs(query, level, &given));
            }
        }
    }
    for round in 0..rounds.max(1) {
        for level in Level::ALL {
            for contestant in contestants.iter_mut().filter(|c| c.offers(level)) {
                let name = contestant.name();
                let times = measured
                    .times
                    .entry((level, name))
                    .or_insert_with(|| Times::new(queries));
                for query in shuffled(queries, round as u64 + 1) {
                    progress(&format!("{name}: round {} of {rounds}", round + 1))?;
                    given.clear();
                    let start = ProcessTime::now();
                    contestant.ask(query, level, &mut given)?;
                    let time = start.elapsed();
                    black_box(&given);
                    times.push(query, time.as_secs_f64() * 1e3);
                }
            }
        }
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_the_nearest_values() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(percentile(&values, 0.0), Some(1.0));
        assert_eq!(percentile(&values, 0.5), Some(3.0));
        assert_eq!(percentile(&values, 0.95), Some(4.8));
        assert_eq!(percentile(&values, 1.0), Some(5.0));
        assert_eq!(percentile(&[7.0], 0.99), Some(7.0));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn of_the_times_of_one_query_the_median_counts() {
        let mut times = Times::new(3);
        for (query, time) in [(0, 9.0), (0, 1.0), (0, 2.0), (1, 4.0), (2, 6.0)] {
            times.push(query, time);
        }
        let kinds = ["a", "b", "b"].map(str::to_owned);
        let spreads = times.by_kind(&kinds);
        assert_eq!(spreads["a"].p50, 2.0);
        assert_eq!(spreads["b"].p50, 5.0);
        assert_eq!(spreads[ALL_KINDS].p50, 4.0);
        assert_eq!(spreads["b"].over(&spreads["a"]).p50, 2.5);
    }

    #[test]
    fn answers_that_differ_are_counted_and_the_first_are_told() {
        let mut check = Check::default();
        check.count(None);
        for k in 0..8 {
            check.count(Some(format!("query {k}")));
        }
        assert_eq!((check.compared, check.differing), (9, 8));
        assert_eq!(check.examples.len(), MOST_EXAMPLES);
        assert_eq!(check.examples[0], "query 0");
    }
}
