//! What stands behind a verdict: how the query is run, what the verdict is as JSON,
//! and a certificate that a separate checker accepts.
//!
//! ```text
//! cargo run --example explain
//! ```

use latweave::engine::{self, Budget};
use latweave::syntax::{canonical, parse_query};
use latweave::{Script, audit};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let geography = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/geography");
    let load = Script::parse("LOAD LQ \"geography.lq\"")?;
    let lattice = load.relative_to(geography).build()?;
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));

    for (text, told, forged) in [
        (
            "MEET borders = texas AND population > 4000000",
            "louisiana",
            "oklahoma",
        ),
        (
            "MEET kind = state AND borders = texas AND borders = california",
            "without\":4",
            "without\":3",
        ),
    ] {
        // The one spelling of this question: LETs written out, conditions in order.
        let query = parse_query(text).map_err(|told| told[0].to_string())?;
        let query = canonical(&query, &BTreeMap::new(), &BTreeMap::new())
            .map_err(|told| told.to_string())?;
        print!("{}", engine::explain(&lattice, &query)?);

        let mut certificate = Vec::new();
        let verdict = engine::certify(&lattice, &query, &budget, &mut certificate)?;
        println!("verdict {}", verdict.to_json(&lattice));

        // The checker shares no code with the engine. It takes nothing but the lattice
        // and the certificate, and refuses one that was tampered with.
        audit::check(&lattice, certificate.as_slice())?;
        println!("checked {} bytes of certificate", certificate.len());
        let forged = String::from_utf8(certificate)?.replace(told, forged);
        match audit::check(&lattice, forged.as_bytes()) {
            Ok(_) => return Err("a forged certificate was accepted".into()),
            Err(refused) => println!("forged: {refused}\n"),
        }
    }
    Ok(())
}
