//! What grows with what: the workload `taxa` in several sizes, the lattice alone.

use super::latweave::{Latweave, Store};
use super::measure::{Check, Level, Spread, measure};
use super::peers::duckdb;
use super::reference::TaxaTruth;
use super::taxa::{self, Taxa};
use super::{BenchError, Data, INSTANCES, Task, Watcher, taxa_store, tick};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What was found at each size.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Growth {
    /// From the smallest on.
    pub sizes: Vec<Size>,
}

/// A size.
#[derive(Clone, Debug, Serialize)]
pub struct Size {
    /// The lattice, and how it was built.
    pub store: Store,
    /// The time in which DuckDB loads the same CSV, in seconds, if it is there.
    pub load: Option<f64>,
    /// How many queries there are.
    pub queries: usize,
    /// The answers that were compared with what is true.
    pub check: Check,
    /// By level: the times of all queries, in milliseconds of CPU time.
    pub times: BTreeMap<Level, Spread>,
}

/// Measures a tenth of the instances that are asked for, these, and ten times as many.
///
/// # Errors
/// [`BenchError`]; answers that differ are in what is found.
pub fn growth(task: &Task, watcher: &mut dyn Watcher) -> Result<Growth, BenchError> {
    let Data::Made {
        instances,
        queries,
        seed,
    } = task.data
    else {
        return Err(BenchError::NotMade);
    };
    let middle = instances.unwrap_or(INSTANCES);
    let mut growth = Growth::default();
    for instances in [middle / 10, middle, 10 * middle] {
        let folder = task.folder.join(instances.to_string());
        std::fs::create_dir_all(&folder).map_err(BenchError::at(&folder))?;
        let data = Data::Made {
            instances: Some(instances),
            queries,
            seed,
        };
        let task = Task {
            data,
            folder,
            ..task.clone()
        };
        growth.sizes.push(size(&task, watcher)?);
    }
    Ok(growth)
}

fn size(task: &Task, watcher: &mut dyn Watcher) -> Result<Size, BenchError> {
    let data = task.files("taxa", watcher)?;
    let lattice = task.folder.join("taxa.lattice");
    // Before the rows are read, whose memory would count.
    let store = taxa_store(task, &data, &lattice, watcher)?;
    let mut load = None;
    if task.duckdb && duckdb::absence().is_none() {
        let loading = duckdb::loading(task, &data.join("inst.csv"));
        load = loading.run(watcher)?.load;
    }
    let taxa = Taxa::read(&data)?;
    let truth = TaxaTruth::new(&taxa);
    let texts = taxa.queries.iter().map(taxa::Query::text).collect();
    let mut ours = Latweave::open(&lattice, texts, &truth)?;
    let queries = taxa.queries.len();
    let measured = measure(&mut [&mut ours], queries, task.rounds, &mut |what| {
        tick(watcher, what)
    })?;
    let kinds = taxa.kinds();
    let times = measured
        .times
        .into_iter()
        .filter_map(|((level, _), times)| {
            let all = times.by_kind(&kinds);
            Some((level, *all.get(super::measure::ALL_KINDS)?))
        });
    let times = times.collect();
    let checks = measured.checks.into_values();
    Ok(Size {
        store,
        load,
        queries,
        check: checks.fold(Check::default(), |_, check| check),
        times,
    })
}

/// A figure, and what it is at a size.
type Figure = (&'static str, fn(&Size) -> Option<f64>);

/// The figures in their order.
const FIGURES: [Figure; 15] = [
    ("CSV, MB", |size| Some(size.store.table? as f64 / 1e6)),
    ("building, s", |size| Some(size.store.built.as_ref()?.wall)),
    ("building, s of CPU time", |size| {
        Some(size.store.built.as_ref()?.cpu)
    }),
    ("DuckDB loading the same CSV, s", |size| size.load),
    ("building / DuckDB loading", |size| {
        Some(size.store.built.as_ref()?.wall / size.load?)
    }),
    ("most memory while building, MB", |size| {
        Some(size.store.built.as_ref()?.peak? as f64 / 1e6)
    }),
    ("file, MB", |size| Some(size.store.file as f64 / 1e6)),
    ("file / CSV", |size| {
        Some(size.store.file as f64 / size.store.table? as f64)
    }),
    ("opening, ms", |size| Some(size.store.open * 1e3)),
    ("parsing and resolving, p50, ms", |size| {
        Some(size.times.get(&Level::Text)?.p50)
    }),
    ("set only, p50, ms", |size| {
        Some(size.times.get(&Level::Set)?.p50)
    }),
    ("ids written out, p50, ms", |size| {
        Some(size.times.get(&Level::Ids)?.p50)
    }),
    ("ids written out, p95, ms", |size| {
        Some(size.times.get(&Level::Ids)?.p95)
    }),
    ("names and source text, p50, ms", |size| {
        Some(size.times.get(&Level::Names)?.p50)
    }),
    ("certificate, p50, ms", |size| {
        Some(size.times.get(&Level::Certificate)?.p50)
    }),
];

impl Growth {
    /// Whether every answer is true.
    pub fn agrees(&self) -> bool {
        self.sizes.iter().all(|size| size.check.differing == 0)
    }

    /// What was found as JSON, with a line break at its end.
    pub fn to_json(&self) -> String {
        // Nothing in it can fail to be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The power of the number of instances with which a figure grows from one size to the
/// next.
fn power(before: &Size, after: &Size, figure: fn(&Size) -> Option<f64>) -> Option<f64> {
    let instances = after.store.instances as f64 / before.store.instances as f64;
    let grown = figure(after)? / figure(before)?;
    Some(grown.ln() / instances.ln()).filter(|power| power.is_finite())
}

fn told(figure: Option<f64>) -> String {
    match figure {
        None => "–".to_owned(),
        Some(figure) if figure < 10.0 => format!("{figure:.3}"),
        Some(figure) if figure < 1000.0 => format!("{figure:.1}"),
        Some(figure) => format!("{figure:.0}"),
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<34}", "instances")?;
        for size in &self.sizes {
            write!(f, "{:>12}", size.store.instances)?;
        }
        writeln!(f, "  grows with the power")?;
        for (name, figure) in FIGURES {
            if self.sizes.iter().all(|size| figure(size).is_none()) {
                continue;
            }
            write!(f, "{name:<34}")?;
            for size in &self.sizes {
                write!(f, "{:>12}", told(figure(size)))?;
            }
            let pairs = self.sizes.iter().zip(self.sizes.iter().skip(1));
            let powers = pairs.map(|(before, after)| power(before, after, figure));
            let powers: Vec<String> = powers
                .map(|power| power.map_or("–".to_owned(), |power| format!("{power:.2}")))
                .collect();
            writeln!(f, "  {}", powers.join(", "))?;
        }
        writeln!(f)?;
        for size in &self.sizes {
            let (instances, check) = (size.store.instances, &size.check);
            match check.differing {
                0 => writeln!(
                    f,
                    "{instances:>10}: all {} answers are true",
                    check.compared
                )?,
                n => writeln!(
                    f,
                    "{instances:>10}: {n} of {} answers are not",
                    check.compared
                )?,
            }
        }
        Ok(())
    }
}
