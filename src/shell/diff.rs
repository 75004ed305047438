//! `latweave diff`: what two lattices say differently.

use super::args::{Diff, Findings};
use super::source::open;
use super::terminal::{Exit, Failure, Terminal, count_of, plain};
use crate::lattice::{InstanceId, Lattice, StoreError, ValueId};
use crate::script::listing::{Portrait, Said, dimension_line, portrait};
use crate::script::words;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// One thing that one of the two says and the other does not.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    /// Whether the new one says it.
    added: bool,
    /// `dimension`, `value`, `defect`, `unit`, `instance`, `alias`, `predicate` or `source`.
    what: &'static str,
    /// It in words.
    words: String,
}

/// Runs `latweave diff`. Both outcomes are verdicts: the exit status is 0.
pub fn run(arguments: &Diff, terminal: &Terminal) -> Result<Exit, Failure> {
    let old = open(Some(&arguments.old))?;
    let new = open(Some(&arguments.new))?;
    // All of both is read; what is damaged would pass for not said.
    for lattice in [&old, &new] {
        lattice.verify_all().map_err(Failure::new)?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut tally = Tally::default();
    let (before, after) = (old.content_hash(), new.content_hash());
    let same = before == after;
    if arguments.format == Findings::Json {
        let mut all = Vec::new();
        if !same {
            changes(&old, &new, &mut |change| {
                all.push(json!({
                    "change": if change.added { "added" } else { "removed" },
                    "what": change.what,
                    "words": change.words,
                }));
                Ok(())
            })?;
        }
        let value: Value = json!({
            "changes": all, "new": after.to_string(), "old": before.to_string(), "same": same,
        });
        serde_json::to_writer_pretty(&mut out, &value).map_err(io::Error::from)?;
        writeln!(out)?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    if same {
        writeln!(out, "both say the same: {before}")?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    let paint = terminal.paint;
    changes(&old, &new, &mut |change| {
        let line = format!("{} {}", change.what, plain(&change.words));
        let line = if change.added {
            paint.good(&format!("+ {line}"))
        } else {
            paint.bad(&format!("- {line}"))
        };
        tally.count(&change);
        writeln!(out, "{line}")?;
        Ok(())
    })?;
    writeln!(
        out,
        "\n{} added, {} removed",
        count_of(tally.added, "thing", "things"),
        tally.removed
    )?;
    out.flush()?;
    Ok(Exit::Done)
}

#[derive(Default)]
struct Tally {
    added: u64,
    removed: u64,
}

impl Tally {
    fn count(&mut self, change: &Change) {
        if change.added {
            self.added += 1;
        } else {
            self.removed += 1;
        }
    }
}

type Told<'a> = dyn FnMut(Change) -> Result<(), Failure> + 'a;

/// Tells every difference: dimensions, values, units, instances by id, and of
/// those that both have aliases, predicates and sources.
fn changes(old: &Lattice, new: &Lattice, told: &mut Told<'_>) -> Result<(), Failure> {
    lines(told, "dimension", dimensions(old), dimensions(new))?;
    lines(told, "value", terms(old), terms(new))?;
    lines(told, "defect", defects(old)?, defects(new)?)?;
    lines(told, "unit", units(old), units(new))?;
    let (mut a, mut b) = (
        by_id(old).into_iter().peekable(),
        by_id(new).into_iter().peekable(),
    );
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((x, _)), Some((y, _))) => x.cmp(y),
        };
        match order {
            std::cmp::Ordering::Less => {
                if let Some((_, i)) = a.next() {
                    alone(old, i, false, told)?;
                }
            }
            std::cmp::Ordering::Greater => {
                if let Some((_, i)) = b.next() {
                    alone(new, i, true, told)?;
                }
            }
            std::cmp::Ordering::Equal => {
                if let (Some((_, i)), Some((_, j))) = (a.next(), b.next()) {
                    instance(&seen(old, i)?, &seen(new, j)?, told)?;
                }
            }
        }
    }
}

fn seen(lattice: &Lattice, i: InstanceId) -> Result<Portrait, Failure> {
    portrait(lattice, i).map_err(|error: StoreError| Failure::new(error))
}

/// Sorted by id.
fn by_id(lattice: &Lattice) -> BTreeMap<&str, InstanceId> {
    (0..lattice.instance_count())
        .map(InstanceId)
        .map(|i| (lattice.id(i), i))
        .collect()
}

/// Lines of the one that are not among those of the other.
fn lines(
    told: &mut Told<'_>,
    what: &'static str,
    old: Vec<String>,
    new: Vec<String>,
) -> Result<(), Failure> {
    use std::collections::BTreeSet;
    let old: BTreeSet<String> = old.into_iter().collect();
    let new: BTreeSet<String> = new.into_iter().collect();
    for words in old.difference(&new).cloned() {
        told(Change {
            added: false,
            what,
            words,
        })?;
    }
    for words in new.difference(&old).cloned() {
        told(Change {
            added: true,
            what,
            words,
        })?;
    }
    Ok(())
}

fn dimensions(lattice: &Lattice) -> Vec<String> {
    words::dimension_ids(lattice)
        .map(|d| {
            let line = dimension_line(lattice, d);
            let aka = match line.aka.as_slice() {
                [] => String::new(),
                all => format!(" AKA {}", all.join(", ")),
            };
            format!("{}{aka}", super::render::dimension_in_words(&line))
        })
        .collect()
}

fn terms(lattice: &Lattice) -> Vec<String> {
    let mut all = Vec::new();
    for d in words::dimension_ids(lattice) {
        let Some(taxonomy) = lattice.taxonomy(d) else {
            continue;
        };
        let name = &lattice.dimension(d).name;
        for v in 0..taxonomy.len() as u32 {
            let word = taxonomy.name(ValueId(v));
            all.push(format!("{name}: {word}"));
            for upper in taxonomy.dag().parents(v) {
                let upper = taxonomy.name(ValueId(*upper));
                all.push(format!("{name}: {upper} > {word}"));
            }
            for synonym in taxonomy.synonyms(ValueId(v)) {
                all.push(format!("{name}: {synonym} = {word}"));
            }
        }
    }
    all
}

fn defects(lattice: &Lattice) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for d in words::dimension_ids(lattice) {
        let name = &lattice.dimension(d).name;
        for defect in lattice.defects(d) {
            let source = match defect.evidence {
                None => String::new(),
                Some(e) => {
                    let evidence = lattice.evidence(e).map_err(Failure::new)?;
                    format!(": {} “{}”", words::place(&evidence), evidence.text)
                }
            };
            all.push(format!("{name} {}{source}", defect.fault));
        }
    }
    Ok(all)
}

fn units(lattice: &Lattice) -> Vec<String> {
    lattice
        .units()
        .iter()
        .map(|(name, factor, base)| format!("{name} = {factor} {base}"))
        .collect()
}

fn alone(
    lattice: &Lattice,
    i: InstanceId,
    added: bool,
    told: &mut Told<'_>,
) -> Result<(), Failure> {
    let portrait = seen(lattice, i)?;
    told(Change {
        added,
        what: "instance",
        words: words::instance(lattice, i),
    })?;
    for said in &portrait.predicates {
        told(Change {
            added,
            what: "predicate",
            words: predicate(&portrait, said),
        })?;
    }
    Ok(())
}

fn instance(old: &Portrait, new: &Portrait, told: &mut Told<'_>) -> Result<(), Failure> {
    if old == new {
        return Ok(());
    }
    let names = |p: &Portrait| {
        let mut all = vec![format!("@{} \"{}\"", words::quoted_id(&p.id), p.name)];
        all.extend(p.aka.iter().map(|a| format!("{} = {a}", p.name)));
        all
    };
    lines(told, "name", names(old), names(new))?;
    let predicates = |p: &Portrait| p.predicates.iter().map(|s| predicate(p, s)).collect();
    lines(told, "predicate", predicates(old), predicates(new))?;
    // Sources of a predicate that only one of them has are told with it.
    let known = |s: &Said, other: &Portrait| {
        other
            .predicates
            .iter()
            .any(|o| (&o.dimension, &o.value, o.denied) == (&s.dimension, &s.value, s.denied))
    };
    let sources = |p: &Portrait, other: &Portrait| {
        let both = p.predicates.iter().filter(|s| known(s, other));
        both.flat_map(|s| {
            let said = predicate(p, s);
            s.sources
                .iter()
                .map(move |source| format!("{said}: {} “{}”", source.place(), source.text))
        })
        .collect()
    };
    lines(told, "source", sources(old, new), sources(new, old))
}

/// `Moby Dick: species = whale`.
fn predicate(portrait: &Portrait, said: &Said) -> String {
    let sign = if said.denied { "!=" } else { "=" };
    let confidence = if said.confidence < 1.0 {
        format!(" CONFIDENCE {}", said.confidence)
    } else {
        String::new()
    };
    format!(
        "{}: {} {sign} {}{confidence}",
        portrait.name, said.dimension, said.value
    )
}
