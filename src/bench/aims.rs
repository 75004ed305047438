//! What the speed is to be beside the peers, as ratios within one run.

use super::Report;
use super::latweave::Store;
use super::measure::{ALL_KINDS, Level, Spread};
use super::report::Aim;

/// A percentile of a spread.
type Share = (&'static str, fn(&Spread) -> f64);

const P50: Share = ("p50", |spread| spread.p50);
const P95: Share = ("p95", |spread| spread.p95);

/// The times of one side of a ratio.
type Side = (&'static str, Level);

/// One side, the other, the kind of query, the percentile, and the most that the
/// ratio is to be.
type Wanted = (Side, Side, &'static str, Share, f64);

const TAXA: [Wanted; 4] = [
    (
        ours(Level::Ids),
        ("SQLite", Level::Ids),
        "narrow",
        P50,
        1.0 / 3.0,
    ),
    (
        ours(Level::Ids),
        ("SQLite", Level::Ids),
        ALL_KINDS,
        P50,
        1.0 / 8.0,
    ),
    (
        ours(Level::Ids),
        ("DuckDB", Level::Ids),
        ALL_KINDS,
        P95,
        1.0 / 6.0,
    ),
    (
        ours(Level::Set),
        ("DuckDB", Level::Set),
        ALL_KINDS,
        P95,
        1.0 / 15.0,
    ),
];

const HOPS: [Wanted; 3] = [
    (
        ours(Level::Ids),
        ("SQLite", Level::Ids),
        ALL_KINDS,
        P50,
        1.0 / 2.0,
    ),
    (
        ours(Level::Ids),
        ("SQLite", Level::Ids),
        ALL_KINDS,
        P95,
        1.0 / 10.0,
    ),
    (
        ours(Level::Text),
        ("SQLite", Level::Ids),
        ALL_KINDS,
        P50,
        2.0,
    ),
];

/// Building is to take at most so many times what DuckDB takes to load the same CSV.
const BUILDING: f64 = 8.0;

/// The file is to be at most so many times as large as the CSV.
const FILE: f64 = 4.0;
/// Opening is to take at most so many milliseconds.
const OPENING: f64 = 20.0;

const fn ours(level: Level) -> Side {
    ("latweave", level)
}

/// The aims of a report for which both sides were measured.
pub(super) fn of(report: &Report) -> Vec<Aim> {
    let wanted: &[Wanted] = match report.workload {
        "taxa" => &TAXA,
        _ => &HOPS,
    };
    let mut aims: Vec<Aim> = wanted.iter().filter_map(|w| aim(report, w)).collect();
    let loads = report.peers.iter().find_map(|peer| peer.load);
    if let Some((built, load)) = report.store.built.as_ref().zip(loads) {
        aims.push(Aim {
            what: "building / DuckDB loading the same CSV, time that passed".to_owned(),
            reached: built.wall / load,
            most: BUILDING,
        });
    }
    aims.extend(of_store(&report.store));
    aims
}

/// What the file and the memory are to be, whoever else is there.
fn of_store(store: &Store) -> Vec<Aim> {
    let mut aims = Vec::new();
    let Some(table) = store.table else {
        return aims;
    };
    aims.push(Aim {
        what: "size of the file, source text included / size of the CSV".to_owned(),
        reached: store.file as f64 / table as f64,
        most: FILE,
    });
    aims.push(Aim {
        what: "opening, in ms".to_owned(),
        reached: store.open * 1e3,
        most: OPENING,
    });
    let built = store.built.as_ref();
    if let Some((built, peak)) = built.and_then(|built| Some((built, built.peak?))) {
        aims.push(Aim {
            what: "most memory while building / its budget".to_owned(),
            reached: peak as f64 / built.memory as f64,
            most: 1.0,
        });
    }
    aims
}

fn aim(report: &Report, wanted: &Wanted) -> Option<Aim> {
    let ((name, level), (other, others), kind, (share, of), most) = *wanted;
    let reached = of(report.spread(level, name, kind)?) / of(report.spread(others, other, kind)?);
    let beside = match level == others {
        true => other.to_owned(),
        false => format!("{other}, {}", word(others)),
    };
    Some(Aim {
        what: format!("{}, {kind} {share} / {beside}", word(level)),
        reached,
        most,
    })
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Text => "parsing and resolving",
        Level::Set => "set only",
        Level::Ids => "ids written out",
        Level::Names => "names and source text",
        Level::Certificate => "certificate",
    }
}
