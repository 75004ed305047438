//! Latweave in a program of one's own: build a lattice, ask it with parameters, and
//! walk the answer with the words that it rests on.
//!
//! ```text
//! cargo run --example embed
//! ```

use latweave::Script;
use latweave::verdict::Outcome;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let animals = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/animals");
    // A program that has a file of a lattice opens it: `Lattice::open(path)?`.
    let lattice = Script::parse("LOAD LQ \"animals.lq\"")?
        .relative_to(animals)
        .build()?;
    let question = Script::parse("MEET species = $kind AND habitat = $place")?;
    for (kind, place) in [("mammal", "aquatic"), ("whale", "terrestrial")] {
        let verdict = question
            .clone()
            .bind("kind", kind)
            .bind("place", place)
            .run(&lattice)?;
        println!("{kind}, {place}:");
        for hit in verdict.hits(&lattice) {
            for saying in hit.evidence() {
                println!("  {}: “{}” ({})", hit.name(), saying.text, saying.place);
            }
        }
        if let Outcome::Abstention(refused) = &verdict.outcome {
            println!("  refused: {}", refused.reason.code());
        }
    }
    Ok(())
}
