//! The engine against the checker's evaluator, which was written apart from it
//! from the same page: on random lattices and queries both must reach the same
//! verdict, and the checker must accept the engine's certificate.

#![allow(clippy::unwrap_used, clippy::panic)]

mod world;

use latweave::audit;
use latweave::engine::{self, Budget};
use world::{Dice, build, canonical, query, world};

fn seeds() -> std::ops::Range<u64> {
    let from = std::env::var("LATWEAVE_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1);
    let count = std::env::var("LATWEAVE_SEEDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(150);
    from..from + count
}

#[test]
fn engine_and_checker_agree() {
    let mut differences = Vec::new();
    let mut completed = [0; 2];
    let mut verdicts = std::collections::BTreeMap::<String, usize>::new();
    for seed in seeds() {
        let mut dice = Dice::new(seed);
        let world = world(&mut dice);
        let text = world.text();
        let lattice = build(&text);
        let facts = audit::Facts::read(&lattice).unwrap();
        for _ in 0..40 {
            let asked = query(&mut dice);
            let query = canonical(&asked);
            let got = engine::answer(&lattice, &query, &Budget::unlimited()).unwrap();
            let wanted = audit::evaluate(&facts, &lattice, &query).unwrap();
            let kind = got.abstention().map_or("answer", |a| a.reason.code());
            *verdicts.entry(kind.to_owned()).or_default() += 1;
            for told in &got.completed {
                let join = told.operation == latweave::syntax::tree::Operation::Join;
                completed[usize::from(join)] += 1;
            }
            if got != wanted {
                differences.push((
                    seed,
                    asked,
                    got.to_json(&lattice),
                    wanted.to_json(&lattice),
                    text.clone(),
                ));
            }
        }
    }
    println!("{verdicts:?}; through the completion: {completed:?}");
    assert!(
        completed.iter().all(|&times| times > 0),
        "no meet and no join was made that only the completion has: {completed:?}"
    );
    if std::env::var("LATWEAVE_SHOW").is_ok() {
        for (seed, asked, got, wanted, _) in differences.iter().take(40) {
            println!("\n{seed} {asked}\n  E {got}\n  C {wanted}");
        }
    }
    if let Some((seed, asked, got, wanted, text)) =
        differences.iter().min_by_key(|d| d.1.len() + d.4.len() / 8)
    {
        panic!(
            "{} differences; the smallest, seed {seed}:\n{text}\n{asked}\nengine:  {got}\nchecker: {wanted}",
            differences.len()
        );
    }
}

#[test]
fn the_checker_accepts_what_the_engine_certifies() {
    let mut refused = Vec::new();
    for seed in seeds() {
        let mut dice = Dice::new(seed.wrapping_add(77_000));
        let text = world(&mut dice).text();
        let lattice = build(&text);
        for _ in 0..15 {
            let asked = query(&mut dice);
            let mut certificate = Vec::new();
            engine::certify(
                &lattice,
                &canonical(&asked),
                &Budget::unlimited(),
                &mut certificate,
            )
            .unwrap();
            if let Err(why) = audit::check(&lattice, certificate.as_slice()) {
                refused.push((seed, asked, why.to_string(), text.clone()));
            }
        }
    }
    if std::env::var("LATWEAVE_SHOW").is_ok() {
        for (seed, asked, why, _) in refused.iter().take(40) {
            println!("\n{seed} {asked}\n  {why}");
        }
    }
    if let Some((seed, asked, why, text)) = refused.iter().min_by_key(|r| r.1.len() + r.3.len() / 8)
    {
        panic!(
            "{} refused; the smallest, seed {seed}:\n{text}\n{asked}\n{why}",
            refused.len()
        );
    }
}
