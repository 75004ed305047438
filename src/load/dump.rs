//! A whole lattice as LQ. Building it again gives a lattice of the same content
//! hash.

use crate::lattice::{
    Dimension, DimensionId, EvidenceId, Fault, InstanceId, Kind, Lattice, Relation, Row,
    StoreError, Value, ValueId,
};
use crate::syntax::print::{print_word, quote};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::iter::Peekable;

/// Why a dump ended early.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// The lattice cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text cannot be written.
    #[error("the dump could not be written: {0}; make room, or write it elsewhere")]
    Write(#[from] io::Error),
}

/// Writes all that a lattice says as LQ, in an order that depends on nothing else.
/// Of each pair of inverse dimensions one side is written.
///
/// # Errors
/// If the lattice is damaged or the text cannot be written.
pub fn dump(lattice: &Lattice, out: &mut dyn Write) -> Result<(), DumpError> {
    let mut said = false;
    for (name, factor, base) in lattice.units().iter() {
        writeln!(
            out,
            "UNIT {} = {factor} {}",
            print_word(name),
            print_word(base)
        )?;
        said = true;
    }
    for (d, dimension) in dimensions(lattice) {
        if !dimension.primary && !says_more(lattice, dimension) {
            continue;
        }
        paragraph(out, &mut said)?;
        write_dimension(lattice, d, dimension, out)?;
        write_defects(lattice, d, dimension, out)?;
    }
    let mut declared = false;
    for i in instances(lattice).filter(|&i| lattice.is_declared(i)) {
        if !declared {
            paragraph(out, &mut said)?;
            declared = true;
        }
        write_instance(lattice, i, out)?;
    }
    write_facts(lattice, &mut readings(lattice), &mut said, out)?;
    Ok(lattice.intact()?)
}

fn paragraph(out: &mut dyn Write, said: &mut bool) -> io::Result<()> {
    if *said {
        writeln!(out)?;
    }
    *said = true;
    Ok(())
}

fn dimensions(lattice: &Lattice) -> impl Iterator<Item = (DimensionId, &Dimension)> {
    (0u16..).map(DimensionId).zip(lattice.dimensions())
}

fn instances(lattice: &Lattice) -> impl Iterator<Item = InstanceId> + use<> {
    (0..lattice.instance_count()).map(InstanceId)
}

fn quoted_list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(quote).collect::<Vec<_>>().join(", ")
}

/// Whether the other side of a pair says more than that it is the inverse.
fn says_more(lattice: &Lattice, dimension: &Dimension) -> bool {
    let complete = dimension.inverse.map(|d| lattice.dimension(d).complete);
    dimension.is_one()
        || dimension.within().is_some()
        || !dimension.aka.is_empty()
        || complete != Some(dimension.complete)
}

fn write_dimension(
    lattice: &Lattice,
    d: DimensionId,
    dimension: &Dimension,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "DIMENSION {}", print_word(&dimension.name))?;
    match &dimension.kind {
        Kind::Taxonomy => write!(out, " TAXONOMY")?,
        Kind::Entity { within: None } => write!(out, " ENTITY")?,
        Kind::Entity { within: Some(r) } => {
            write!(
                out,
                " ENTITY WITHIN {}",
                print_word(&lattice.dimension(*r).name)
            )?;
        }
        Kind::Number { unit: None } => write!(out, " NUMBER")?,
        Kind::Number { unit: Some(unit) } => write!(out, " NUMBER UNIT {}", print_word(unit))?,
        Kind::Date => write!(out, " DATE")?,
        Kind::Text => write!(out, " TEXT")?,
    }
    write!(out, "{}", if dimension.is_one() { " ONE" } else { " MANY" })?;
    if dimension.complete {
        write!(out, " COMPLETE")?;
    }
    if dimension.strict {
        write!(out, " STRICT")?;
    }
    if let Some(inverse) = dimension.inverse {
        write!(
            out,
            " INVERSE {}",
            print_word(&lattice.dimension(inverse).name)
        )?;
    }
    if !dimension.aka.is_empty() {
        let aka = dimension.aka.iter().map(String::as_str);
        write!(out, "\n  AKA {}", quoted_list(aka))?;
    }
    writeln!(out)?;
    write_taxonomy(lattice, d, &dimension.name, out)
}

/// The values that stand alone in one list, then each value with those below it.
fn write_taxonomy(
    lattice: &Lattice,
    d: DimensionId,
    dimension: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(taxonomy) = lattice.taxonomy(d) else {
        return Ok(());
    };
    let dag = taxonomy.dag();
    let values = || (0..).take(taxonomy.len());
    let name = |v: u32| taxonomy.name(ValueId(v));
    let alone = values().filter(|v| dag.children(*v).is_empty() && dag.parents(*v).is_empty());
    let alone = quoted_list(alone.map(name));
    if !alone.is_empty() {
        writeln!(out, "  {alone}")?;
    }
    for v in values() {
        let mut below: Vec<&str> = dag.children(v).iter().map(|c| name(*c)).collect();
        if below.is_empty() {
            continue;
        }
        below.sort_unstable();
        writeln!(
            out,
            "  {} > {}",
            quote(name(v)),
            quoted_list(below.into_iter())
        )?;
    }
    for v in values() {
        let synonyms = taxonomy.synonyms(ValueId(v));
        if !synonyms.is_empty() {
            let words = quoted_list(synonyms.iter().map(String::as_str));
            let (value, dimension) = (quote(name(v)), print_word(dimension));
            writeln!(out, "SYNONYM {words} = {value} IN {dimension}")?;
        }
    }
    Ok(())
}

fn write_instance(lattice: &Lattice, i: InstanceId, out: &mut dyn Write) -> io::Result<()> {
    let (name, id) = (lattice.name(i), lattice.id(i));
    write!(out, "INSTANCE ")?;
    if id != name {
        write!(out, "{} @{}", quote(name), quote(id))?;
    } else if is_sole(lattice, i) {
        write!(out, "{}", quote(name))?;
    } else {
        write!(out, "@{}", quote(id))?;
    }
    let aliases = lattice.aliases(i);
    if !aliases.is_empty() {
        write!(out, " AKA {}", quoted_list(aliases.into_iter()))?;
    }
    writeln!(out)
}

/// Whether no other instance has its name. Equal names stand side by side.
fn is_sole(lattice: &Lattice, i: InstanceId) -> bool {
    let name = lattice.name(i);
    let before = i.0.checked_sub(1).map(InstanceId);
    let after = InstanceId(i.0 + 1);
    let same = |j: InstanceId| lattice.name(j) == name;
    !(before.is_some_and(same) || after.0 < lattice.instance_count() && same(after))
}

/// The instance as facts name it: by its name where that is enough, else by its
/// id; with both where no other statement joins them.
fn reference(lattice: &Lattice, i: InstanceId) -> String {
    let (name, id) = (lattice.name(i), lattice.id(i));
    if id != name && !lattice.is_declared(i) {
        format!("{} @{}", quote(name), quote(id))
    } else if id == name && is_sole(lattice, i) {
        quote(name)
    } else {
        format!("@{}", quote(id))
    }
}

/// A relation, read row by row.
struct Reading<'a> {
    dimension: DimensionId,
    denied: bool,
    relation: Relation<'a>,
    rows: Peekable<Box<dyn Iterator<Item = (InstanceId, Row<'a>)> + 'a>>,
}

impl Reading<'_> {
    fn subject(&mut self) -> Option<u32> {
        self.rows.peek().map(|(i, _)| i.0)
    }
}

fn readings(lattice: &Lattice) -> Vec<Reading<'_>> {
    let mut readings = Vec::new();
    for (dimension, _) in dimensions(lattice).filter(|(_, of)| of.primary) {
        for denied in [false, true] {
            let relation = match denied {
                false => lattice.positive(dimension),
                true => lattice.negative(dimension),
            };
            readings.push(Reading {
                dimension,
                denied,
                relation,
                rows: (Box::new(relation.rows()) as Box<dyn Iterator<Item = _>>).peekable(),
            });
        }
    }
    readings
}

/// A predicate from one source; sorted, those of one source stand together.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Said {
    source: EvidenceId,
    confidence: f64,
    dimension: DimensionId,
    denied: bool,
    value: u32,
}

fn write_facts(
    lattice: &Lattice,
    readings: &mut [Reading<'_>],
    said: &mut bool,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    let first = readings.iter_mut().enumerate();
    let mut heap: BinaryHeap<Reverse<(u32, usize)>> = first
        .filter_map(|(k, reading)| Some(Reverse((reading.subject()?, k))))
        .collect();
    while let Some(Reverse((subject, _))) = heap.peek().copied() {
        let mut all: Vec<Said> = Vec::new();
        while let Some(Reverse((_, k))) = heap.peek().filter(|r| r.0.0 == subject).copied() {
            heap.pop();
            let Some(reading) = readings.get_mut(k) else {
                continue;
            };
            if let Some((i, row)) = reading.rows.next() {
                collect(lattice, reading, i.0, row, &mut all);
            }
            if let Some(next) = reading.subject() {
                heap.push(Reverse((next, k)));
            }
        }
        all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        if all.is_empty() {
            continue;
        }
        paragraph(out, said)?;
        for group in all.chunk_by(|a, b| a.source == b.source && a.confidence == b.confidence) {
            write_fact(lattice, InstanceId(subject), group, out)?;
        }
    }
    Ok(())
}

fn collect(
    lattice: &Lattice,
    reading: &Reading<'_>,
    subject: u32,
    row: Row<'_>,
    all: &mut Vec<Said>,
) {
    // A symmetric relation has every fact twice; the side of the smaller instance
    // is written.
    let symmetric = lattice.dimension(reading.dimension).inverse == Some(reading.dimension);
    for (k, value) in row.values().iter().enumerate() {
        if symmetric && *value < subject {
            continue;
        }
        for (source, confidence) in reading.relation.sources(row.predicate(k)) {
            all.push(Said {
                source,
                confidence,
                dimension: reading.dimension,
                denied: reading.denied,
                value: *value,
            });
        }
    }
}

fn write_fact(
    lattice: &Lattice,
    subject: InstanceId,
    group: &[Said],
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    let Some(first) = group.first() else {
        return Ok(());
    };
    write!(out, "FACT {}", reference(lattice, subject))?;
    let same = |a: &Said, b: &Said| a.dimension == b.dimension && a.denied == b.denied;
    for (k, assigned) in group.chunk_by(same).enumerate() {
        let comma = if k == 0 { "" } else { "," };
        write!(out, "{comma} {}", assignment(lattice, assigned))?;
    }
    if first.confidence != 1.0 {
        write!(out, " CONFIDENCE {}", first.confidence)?;
    }
    write_source(lattice, first.source, out)
}

fn write_source(
    lattice: &Lattice,
    source: EvidenceId,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    let evidence = lattice.evidence(source)?;
    let (text, document) = (quote(&evidence.text), quote(&evidence.document));
    write!(out, "\n  SOURCE {text} FROM {document}")?;
    if let Some((start, end)) = evidence.range {
        write!(out, " AT {start}..{end}")?;
    }
    if let Some(line) = evidence.line {
        write!(out, " LINE {line}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_defects(
    lattice: &Lattice,
    d: DimensionId,
    dimension: &Dimension,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    for defect in lattice.defects(d) {
        write!(out, "DEFECT {} ", print_word(&dimension.name))?;
        match &defect.fault {
            Fault::CycleEdge { upper, lower } => {
                write!(out, "CYCLE {} > {}", quote(upper), quote(lower))?;
            }
            Fault::Undefined { term, user } => {
                write!(out, "UNDEFINED {} BY {}", quote(term), quote(user))?;
            }
            Fault::Duplicate { term } => write!(out, "DUPLICATE {}", quote(term))?,
        }
        match defect.evidence {
            Some(e) => write_source(lattice, e, out)?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

fn assignment(lattice: &Lattice, assigned: &[Said]) -> String {
    let Some(first) = assigned.first() else {
        return String::new();
    };
    let name = print_word(&lattice.dimension(first.dimension).name);
    let operator = if first.denied { "!=" } else { "=" };
    let values = assigned.iter();
    let shown: Vec<String> = values
        .map(|said| value(lattice, lattice.value(said.dimension, ValueId(said.value))))
        .collect();
    match shown.as_slice() {
        [one] => format!("{name} {operator} {one}"),
        several => format!("{name} {operator} {{{}}}", several.join(", ")),
    }
}

fn value(lattice: &Lattice, value: Value) -> String {
    match value {
        Value::Term(text) | Value::Text(text) => quote(&text),
        Value::Instance(i) => reference(lattice, i),
        Value::Number(number) => number.to_string(),
        Value::Date(date) => date.to_string(),
    }
}
