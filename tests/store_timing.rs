//! How long a file of triples (`subject|relation|object` a line) takes to freeze, save
//! and open: `TRIPLES=kb.txt cargo test --release --test store_timing -- --ignored --nocapture`.

use latweave::lattice::{Builder, DimensionSpec, FactValue, KindSpec, Lattice, Who};
use std::time::Instant;

#[test]
#[ignore = "measures; needs a file named by TRIPLES"]
fn triples() -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(std::env::var("TRIPLES")?)?;
    let start = Instant::now();
    let mut builder = Builder::new();
    let mut offset = 0;
    for (number, line) in (1u64..).zip(text.lines()) {
        let end = offset + line.len() as u64;
        let mut fields = line.splitn(3, '|');
        let (Some(subject), Some(relation), Some(object)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let dimension = match builder.dimension(relation) {
            Some(dimension) => dimension,
            None => builder.declare_dimension(DimensionSpec {
                inverse: Some(format!("{relation}_of")),
                ..DimensionSpec::new(relation, KindSpec::Entity { within: None })
            })?,
        };
        let subject = builder.instance(Who::Name(subject))?;
        let object = FactValue::Instance(builder.instance(Who::Name(object))?);
        let source = builder.source(line, "kb.txt", Some((offset, end)), Some(number))?;
        builder.add_fact(subject, dimension, object, false, 1.0, source)?;
        offset = end + 1;
    }
    let added = start.elapsed();
    let start = Instant::now();
    let lattice = builder.freeze()?;
    let frozen = start.elapsed();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("kb.lattice");
    let start = Instant::now();
    lattice.save(&path)?;
    let saved = start.elapsed();
    let start = Instant::now();
    let opened = Lattice::open(&path)?;
    let mapped = start.elapsed();
    opened.verify_all()?;
    let verified = start.elapsed();
    println!("{:?}", lattice.counts());
    println!("{} bytes", std::fs::metadata(&path)?.len());
    println!("add {added:?}, freeze {frozen:?}, save {saved:?}");
    println!("open {mapped:?}, with all text {verified:?}");
    for word in ["Kismt", "william dieterle", "The Matrx Reloaded"] {
        let start = Instant::now();
        let near = opened.nearest_names(word);
        println!("nearest {word:?}: {near:?} in {:?}", start.elapsed());
    }
    let start = Instant::now();
    let again = Builder::from_lattice(&opened)?;
    println!("to a builder {:?}", start.elapsed());
    assert_eq!(again.freeze()?.content_hash(), lattice.content_hash());
    Ok(())
}

/// The greatest memory so far, in MB, where the system tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("VmHWM: unknown").to_owned()
}

#[test]
#[ignore = "measures; takes about 2 GB and a minute"]
fn seven_million_facts() -> Result<(), Box<dyn std::error::Error>> {
    let rows: u64 = std::env::var("ROWS").map_or(Ok(1_000_000), |rows| rows.parse())?;
    let mut builder = Builder::new();
    let mut dimensions = Vec::new();
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        dimensions.push(builder.declare_dimension(DimensionSpec::new(name, KindSpec::Text))?);
    }
    let start = Instant::now();
    for row in 0..rows {
        let who = builder.instance(Who::Name(&format!("Instance number {row}")))?;
        let line = format!("{row},one field,another field,{},{}", row % 1000, row % 77);
        let source = builder.source(
            &line,
            "table.csv",
            Some((row * 40, row * 40 + 39)),
            Some(row),
        )?;
        for (k, d) in (1u64..).zip(&dimensions) {
            let value = format!("value {}", row % (k * 997));
            builder.add_fact(who, *d, FactValue::Text(&value), false, 1.0, source)?;
        }
    }
    println!("add {:?}, {}", start.elapsed(), peak());
    let start = Instant::now();
    let lattice = builder.freeze()?;
    println!("freeze {:?}, {}", start.elapsed(), peak());
    println!("{:?}", lattice.counts());
    drop(builder);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.lattice");
    let start = Instant::now();
    lattice.save(&path)?;
    println!(
        "save {:?}, {} bytes",
        start.elapsed(),
        std::fs::metadata(&path)?.len()
    );
    drop(lattice);
    let start = Instant::now();
    let opened = Lattice::open(&path)?;
    println!("open {:?}", start.elapsed());
    for word in [
        "Instnce number 77",
        "Instance nmber 123456",
        "something else",
    ] {
        let start = Instant::now();
        let near = opened.nearest_names(word);
        println!("nearest {word:?}: {near:?} in {:?}", start.elapsed());
    }
    Ok(())
}
