//! latweave's formal concepts beside a plain bitset Close-by-One counter, in one process.
//!
//! ```text
//! cargo run --release --manifest-path benches/concepts/Cargo.toml -- mushroom.cxt
//! ```

mod plain;

use clap::Parser;
use cpu_time::ThreadTime;
use latweave::load::cxt::{FormalContext, read_cxt};
use latweave::order::concepts::{ConceptLattice, Context, Limits, count, enumerate, stem_basis};
use plain::Plain;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Times latweave's formal concepts beside a plain Close-by-One counter.
#[derive(Parser)]
struct Arguments {
    /// Contexts in Burmeister's form
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Each task is timed so often, and its median counts
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: usize,
    /// Write concepts into nothing instead of a temporary file
    #[arg(long)]
    sink: bool,
    /// Compare the covers with a plain reading of their definition
    #[arg(long)]
    check: bool,
}

type Failure = Box<dyn Error>;

/// The tasks, the baseline first.
const TASKS: [&str; 5] = [
    "plain count",
    "count",
    "write all",
    "covers",
    "implications",
];

/// What each task finds.
const FINDS: [&str; 5] = ["concepts", "concepts", "bytes", "covers", "implications"];

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    for file in &arguments.files {
        bench(file, &arguments)?;
    }
    Ok(())
}

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn bench(file: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let formal = read_cxt(&std::fs::read(file)?)?;
    let context = context(&formal)?;
    let plain = Plain::new(formal.attributes.len(), &formal.rows);
    println!(
        "{}: {} objects, {} attributes, {} crosses",
        file.display(),
        context.objects(),
        context.attributes(),
        context.crosses()
    );
    let found = agree(&context, &plain, arguments.check)?;
    let mut times = vec![Vec::new(); TASKS.len()];
    let mut told = [0; TASKS.len()];
    for _ in 0..arguments.rounds.max(1) {
        for (task, times) in times.iter_mut().enumerate() {
            let start = ThreadTime::now();
            told[task] = run(task, &context, &plain, arguments.sink)?;
            times.push(start.elapsed());
        }
    }
    if told[0] != found || told[1] != found {
        return Err("the counts differ".into());
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    for (task, name) in TASKS.iter().enumerate() {
        println!(
            "  {name:<13} {:>10.3} ms  {:>7.3} of the plain count   {}",
            medians[task].as_secs_f64() * 1e3,
            medians[task].as_secs_f64() / medians[0].as_secs_f64(),
            format_args!("{} {}", told[task], FINDS[task]),
        );
    }
    Ok(())
}

fn context(formal: &FormalContext) -> Result<Context, Failure> {
    let crosses = formal.rows.iter().zip(0u32..);
    let crosses = crosses.flat_map(|(row, object)| row.iter().map(move |a| (object, *a)));
    let (objects, attributes) = (formal.objects.len(), formal.attributes.len());
    let (objects, attributes) = (u32::try_from(objects)?, u32::try_from(attributes)?);
    Ok(Context::new(objects, attributes, crosses, 4 << 30)?)
}

/// One task, and how much it found.
fn run(task: usize, context: &Context, plain: &Plain, sink: bool) -> Result<u64, Failure> {
    let all = Limits::default();
    Ok(match task {
        0 => plain.count(),
        1 => count(context, 0, all, go_on).found,
        2 if sink => write_all(context, io::sink())?,
        2 => write_all(context, tempfile::tempfile()?)?,
        3 => lattice(context)?.covers() as u64,
        _ => stem_basis(context, 0, all, go_on).1.found,
    })
}

fn lattice(context: &Context) -> Result<ConceptLattice, Failure> {
    let lattice = ConceptLattice::new(context, 0, Limits::default(), go_on);
    lattice.map_err(|outcome| format!("stopped after {} concepts", outcome.found).into())
}

/// Writes every concept as a line: its objects, `|`, its attributes. How many bytes.
fn write_all(context: &Context, file: impl Write) -> Result<u64, Failure> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let most = context.objects().max(context.attributes());
    let words: Vec<String> = (0..most).map(|number| format!("{number} ")).collect();
    let (mut extent, mut intent, mut line) = (Vec::new(), Vec::new(), Vec::new());
    let mut written = 0;
    let mut failed = None;
    enumerate(context, 0, Limits::default(), |concept| {
        concept.write_extent(&mut extent);
        concept.write_intent(&mut intent);
        line.clear();
        for &object in &extent {
            line.extend_from_slice(words[object as usize].as_bytes());
        }
        line.push(b'|');
        for &attribute in &intent {
            line.push(b' ');
            let word = words[attribute as usize].as_bytes();
            line.extend_from_slice(&word[..word.len() - 1]);
        }
        line.push(b'\n');
        written += line.len() as u64;
        match out.write_all(&line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    match failed {
        Some(error) => Err(error.into()),
        None => {
            out.flush()?;
            Ok(written)
        }
    }
}

/// Compares the answers, and tells how many concepts there are.
fn agree(context: &Context, plain: &Plain, covers: bool) -> Result<u64, Failure> {
    let (mut expected, mut expected_sum) = (0u64, 0u64);
    plain.each(&mut |extent, intent| {
        expected += 1;
        let size: u32 = extent.iter().map(|block| block.count_ones()).sum();
        expected_sum = expected_sum.wrapping_add(mix(hash(numbers(intent)), u64::from(size)));
    });
    let mut sum = 0u64;
    let outcome = enumerate(context, 0, Limits::default(), |concept| {
        let hash = hash(concept.intent().into_iter());
        sum = sum.wrapping_add(mix(hash, concept.extent().len() as u64));
        ControlFlow::Continue(())
    });
    if (outcome.found, sum) != (expected, expected_sum) {
        return Err(format!("{expected} plain concepts and {} others", outcome.found).into());
    }
    let (basis, _) = stem_basis(context, 0, Limits::default(), go_on);
    if let Some(implication) = basis.first_false(context) {
        return Err(format!("{implication:?} does not hold").into());
    }
    if covers {
        agree_on_covers(context, plain)?;
    }
    Ok(expected)
}

fn agree_on_covers(context: &Context, plain: &Plain) -> Result<(), Failure> {
    let (mut expected, mut sum) = (0u64, 0u64);
    let start = ThreadTime::now();
    plain.each_cover(&mut |upper, lower| {
        expected += 1;
        sum = sum.wrapping_add(mix(hash(numbers(upper)), hash(numbers(lower))));
    });
    let time = start.elapsed();
    let lattice = lattice(context)?;
    let hashes: Vec<u64> = (0..lattice.len() as u32)
        .map(|concept| hash(lattice.intent(concept).iter().copied()))
        .collect();
    for concept in 0..lattice.len() {
        for &upper in lattice.upper(concept as u32) {
            sum = sum.wrapping_sub(mix(hashes[upper as usize], hashes[concept]));
        }
    }
    if (lattice.covers() as u64, sum) != (expected, 0) {
        return Err(format!("{expected} plain covers and {} others", lattice.covers()).into());
    }
    println!(
        "  covers agree with a plain search of {:.1} s",
        time.as_secs_f64()
    );
    Ok(())
}

fn numbers(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    let all = 0..set.len() as u32 * 64;
    all.filter(|n| set[*n as usize / 64] >> (n % 64) & 1 != 0)
}

/// FNV-1a over numbers.
fn hash(numbers: impl Iterator<Item = u32>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    numbers.fold(start, |hash, n| mix(hash, u64::from(n)))
}

fn mix(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
    mixed ^ (mixed >> 29)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
