//! latweave beside SQLite, in one process, on 1, 2 and 3 hops over a file of
//! triples such as MetaQA's `kb.txt`.
//!
//! Both answer the same questions from the same ids with the same sets: a query
//! whose answers differ ends the program. SQLite is set up as an expert would:
//! a covering primary key in both directions, memory-mapped, statements prepared,
//! duplicates removed after every hop. The figures are CPU time of one thread,
//! warm, ids written out; only the ratio means something on another machine.
//!
//! ```text
//! cargo run --release --manifest-path benches/hops/Cargo.toml -- --kb kb.txt [--questions DIR]
//! ```

mod chains;
mod figures;
mod peer;

use chains::Chain;
use clap::Parser;
use cpu_time::ProcessTime;
use figures::{Spread, millions, ms};
use latweave::engine::{self, Budget};
use latweave::lattice::{Builder, Lattice};
use latweave::load::{Form, Options, Request, Silent, load};
use latweave::plan::Plan;
use latweave::syntax::{canonical, parse_query, tree::Query};
use latweave::verdict::{Answer, Members, Outcome, Verdict};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Times latweave beside SQLite on hops over triples.
#[derive(Parser)]
struct Arguments {
    /// Triples, as in MetaQA's kb.txt
    #[arg(long, value_name = "PATH")]
    kb: PathBuf,
    /// MetaQA's folder: its dev questions are asked; without it, chains drawn from the triples
    #[arg(long, value_name = "DIR")]
    questions: Option<PathBuf>,
    /// So many chains of each length
    #[arg(long, default_value_t = 1000, value_name = "N")]
    chains: usize,
    /// Each query is timed so often, and its median counts
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Run the prepared 3-hop plans over and over for so many seconds, for a profiler
    #[arg(long, value_name = "SECONDS")]
    profile: Option<u64>,
}

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let lattice = build(&arguments, &folder.path().join("films.lattice"))?;
    let chains = match &arguments.questions {
        Some(data) => chains::of_questions(data, arguments.chains, &lattice)?,
        None => chains::drawn(arguments.chains, &lattice),
    };
    if let Some(chain) = chains.iter().find(|chain| chain.hops() == 3) {
        let text = chain.text(&lattice);
        let start = Instant::now();
        let fresh = Lattice::open(&folder.path().join("films.lattice"))?;
        let found = ids(&engine::answer(
            &fresh,
            &query(&text)?,
            &Budget::unlimited(),
        )?)
        .len();
        println!(
            "first     {} wall: opened, and one 3-hop plan from its text ({found} answers)",
            ms(start.elapsed())
        );
    }
    if let Some(seconds) = arguments.profile {
        return profile(&lattice, &chains, Duration::from_secs(seconds));
    }
    let peer = peer::Peer::build(&lattice, &folder.path().join("films.sqlite"))?;
    println!(
        "sqlite    built in {} CPU from the lattice's ids; file {}; version {}\n",
        ms(peer.cpu),
        millions(peer.bytes),
        rusqlite::version()
    );
    println!(
        "CPU time per query in ms, p50 / p95; {} rounds",
        arguments.rounds
    );
    println!(
        "{:<5}{:>6}{:>9}{:>20}{:>20}{:>20}{:>16}",
        "hops", "n", "answers", "latweave, prepared", "latweave, text", "SQLite, prepared", "ratio"
    );
    for hops in 1..=3 {
        let chains: Vec<&Chain> = chains.iter().filter(|chain| chain.hops() == hops).collect();
        level(hops, &chains, &lattice, &peer, arguments.rounds)?;
    }
    println!("\nratio: latweave, prepared / SQLite, prepared; all answers agree");
    Ok(())
}

/// Builds and saves the lattice, opens it, and prints how long that took.
fn build(arguments: &Arguments, path: &std::path::Path) -> Result<Lattice, Failure> {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let mut builder = Builder::new();
    let request = Request {
        form: Some(Form::Triples),
        ..Request::new(&arguments.kb)
    };
    let report = load(&mut builder, &request, &Options::default(), &mut Silent)?;
    let loaded = wall.elapsed();
    let lattice = builder.freeze()?;
    let frozen = wall.elapsed();
    lattice.save(path)?;
    let saved = wall.elapsed();
    println!(
        "build     {} wall ({} CPU): load {}, freeze {}, save {}; {} facts, file {}",
        ms(saved),
        ms(cpu.elapsed()),
        ms(loaded),
        ms(frozen - loaded),
        ms(saved - frozen),
        report.facts,
        millions(std::fs::metadata(path)?.len()),
    );
    drop((lattice, builder));
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        let lattice = Lattice::open(path)?;
        times.push(start.elapsed());
        drop(lattice);
    }
    times.sort();
    println!(
        "open      {} least, {} median of 20 (wall)",
        ms(times[0]),
        ms(times[10])
    );
    let start = Instant::now();
    let lattice = Lattice::open(path)?;
    lattice.verify_all()?;
    println!(
        "verify    {} wall: every byte against its hash",
        ms(start.elapsed())
    );
    Ok(lattice)
}

/// The canonical query of a text, as the script room makes it.
fn query(text: &str) -> Result<Query, Failure> {
    let query = parse_query(text).map_err(|told| format!("{text}: {told:?}"))?;
    canonical(&query, &BTreeMap::new(), &BTreeMap::new())
        .map_err(|told| format!("{text}: {told:?}").into())
}

/// The ids of an answer, written out; an abstention has none.
fn ids(verdict: &Verdict) -> Vec<u32> {
    match &verdict.outcome {
        Outcome::Answer(Answer::Set(set)) => match &set.members {
            Members::Instances(ids) => ids.iter().collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn level(
    hops: usize,
    chains: &[&Chain],
    lattice: &Lattice,
    peer: &peer::Peer,
    rounds: usize,
) -> Result<(), Failure> {
    let budget = Budget::unlimited();
    let mut plans = Vec::new();
    let mut answers = 0;
    for chain in chains {
        let text = chain.text(lattice);
        let plan = match engine::prepare(lattice, &query(&text)?)? {
            Ok(plan) => plan,
            Err(verdict) => return Err(format!("{text}: {:?}", verdict.outcome).into()),
        };
        let ours = ids(&engine::run(lattice, &plan, &budget)?);
        let mut theirs = peer.ask(chain)?;
        theirs.sort_unstable();
        if ours != theirs {
            return Err(format!("{text}: latweave {ours:?}, SQLite {theirs:?}").into());
        }
        answers += ours.len();
        plans.push((text, plan));
    }
    let prepared = Spread::of(rounds, &plans, |(_, plan): &(String, Plan)| {
        Ok(ids(&engine::run(lattice, plan, &budget)?).len())
    })?;
    let text = Spread::of(rounds, &plans, |(text, _)| {
        Ok(ids(&engine::answer(lattice, &query(text)?, &budget)?).len())
    })?;
    let sqlite = Spread::of(rounds, chains, |chain| Ok(peer.ask(chain)?.len()))?;
    println!(
        "{hops:<5}{:>6}{:>9.1}{:>20}{:>20}{:>20}{:>16}",
        chains.len(),
        answers as f64 / chains.len().max(1) as f64,
        prepared.to_string(),
        text.to_string(),
        sqlite.to_string(),
        format!(
            "{:.2} / {:.2}",
            prepared.p50 / sqlite.p50,
            prepared.p95 / sqlite.p95
        ),
    );
    Ok(())
}

fn profile(lattice: &Lattice, chains: &[Chain], time: Duration) -> Result<(), Failure> {
    let budget = Budget::unlimited();
    let mut plans = Vec::new();
    for chain in chains.iter().filter(|chain| chain.hops() == 3) {
        plans.extend(engine::prepare(lattice, &query(&chain.text(lattice))?)?.ok());
    }
    let start = Instant::now();
    let mut runs = 0u64;
    while start.elapsed() < time {
        for plan in &plans {
            std::hint::black_box(ids(&engine::run(lattice, plan, &budget)?));
            runs += 1;
        }
    }
    println!("{runs} runs of {} plans", plans.len());
    Ok(())
}
