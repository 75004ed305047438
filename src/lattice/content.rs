//! The content of a lattice as elements of its hash: names and values as they are
//! written, never their numbers.

use super::evidence::Piece;
use super::hash::{Element, LtHash};
use super::snapshot::Lattice;
use super::{
    Dimension, DimensionId, EvidenceId, InstanceId, Kind, Multiplicity, Relation, Row, Value,
    ValueId,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;

/// The sum over everything that a lattice says. `source` gives a piece of evidence.
pub(super) fn state<'a>(
    lattice: &Lattice,
    source: impl Fn(EvidenceId) -> Option<Piece<'a>>,
) -> LtHash {
    let mut state = LtHash::default();
    let mut element = Element::default();
    for (name, factor, base) in lattice.units().iter() {
        element.start("unit");
        element.texts([name, &factor.to_string(), base].into_iter());
        state.add(&element);
    }
    for (d, dimension) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
        add_dimension(lattice, dimension, &mut element);
        state.add(&element);
        if dimension.strict {
            element.start("strict");
            element.text(&dimension.name);
            state.add(&element);
        }
        add_terms(lattice, d, &mut element, &mut state);
        add_defects(lattice, d, &source, &mut element, &mut state);
    }
    add_instances(lattice, source, &mut element, &mut state);
    state
}

fn add_dimension(lattice: &Lattice, dimension: &Dimension, element: &mut Element) {
    let name = |d: Option<DimensionId>| d.map(|d| lattice.dimension(d).name.as_str());
    let (kind, more) = match &dimension.kind {
        Kind::Taxonomy => ("taxonomy", None),
        Kind::Entity { within } => ("entity", name(*within)),
        Kind::Number { unit } => ("number", unit.as_deref()),
        Kind::Date => ("date", None),
        Kind::Text => ("text", None),
    };
    element.start("dimension");
    element.text(&dimension.name);
    element.text(kind);
    element.optional(more);
    element.flag(dimension.multiplicity == Multiplicity::One);
    element.flag(dimension.complete);
    element.optional(name(dimension.inverse));
    element.texts(dimension.aka.iter().map(String::as_str));
}

fn add_terms(lattice: &Lattice, d: DimensionId, element: &mut Element, state: &mut LtHash) {
    let Some(taxonomy) = lattice.taxonomy(d) else {
        return;
    };
    for v in (0..taxonomy.len() as u32).map(ValueId) {
        element.start("value");
        element.text(&lattice.dimension(d).name);
        element.text(taxonomy.name(v));
        element.texts(taxonomy.synonyms(v).iter().map(String::as_str));
        let parents = taxonomy.dag().parents(v.0);
        element.texts(parents.iter().map(|&parent| taxonomy.name(ValueId(parent))));
        state.add(element);
    }
}

fn add_defects<'a>(
    lattice: &Lattice,
    d: DimensionId,
    source: &impl Fn(EvidenceId) -> Option<Piece<'a>>,
    element: &mut Element,
    state: &mut LtHash,
) {
    for defect in lattice.defects(d) {
        element.start("defect");
        element.text(&lattice.dimension(d).name);
        element.text(defect.fault.word());
        element.texts(defect.fault.terms().into_iter());
        element.flag(defect.evidence.is_some());
        if let Some(piece) = defect.evidence.and_then(source) {
            add_piece(&piece, element);
        }
        state.add(element);
    }
}

fn add_piece(piece: &Piece<'_>, element: &mut Element) {
    element.text(piece.document);
    element.flag(piece.range.is_some());
    let (start, end) = piece.range.unwrap_or((0, 0));
    element.number(start);
    element.number(end);
    element.flag(piece.line.is_some());
    element.number(piece.line.unwrap_or(0));
    element.text(piece.text);
}

/// A relation and the rest of its rows.
struct Reading<'a> {
    dimension: DimensionId,
    denied: bool,
    relation: Relation<'a>,
    rows: Peekable<Box<dyn Iterator<Item = (InstanceId, Row<'a>)> + 'a>>,
}

/// One element per instance, with all that is said about it.
fn add_instances<'a>(
    lattice: &Lattice,
    source: impl Fn(EvidenceId) -> Option<Piece<'a>>,
    element: &mut Element,
    state: &mut LtHash,
) {
    let mut readings: Vec<Reading<'_>> = Vec::new();
    for (dimension, of) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
        // A fact and its inverse are one: that of the smaller name counts.
        if of.inverse.is_some_and(|inverse| inverse < dimension) {
            continue;
        }
        for (denied, relation) in [
            (false, lattice.positive(dimension)),
            (true, lattice.negative(dimension)),
        ] {
            readings.push(Reading {
                dimension,
                denied,
                relation,
                rows: (Box::new(relation.rows()) as Box<dyn Iterator<Item = _>>).peekable(),
            });
        }
    }
    let next = |reading: &mut Reading<'_>| reading.rows.peek().map(|(i, _)| i.0);
    let mut heap: BinaryHeap<Reverse<(u32, usize)>> = readings
        .iter_mut()
        .enumerate()
        .filter_map(|(k, reading)| next(reading).map(|i| Reverse((i, k))))
        .collect();
    for i in (0..lattice.instance_count()).map(InstanceId) {
        element.start("instance");
        element.text(lattice.id(i));
        element.text(lattice.name(i));
        element.texts(lattice.aliases(i).into_iter());
        element.flag(lattice.is_declared(i));
        while let Some(&Reverse((subject, k))) = heap.peek().filter(|Reverse((s, _))| *s == i.0) {
            heap.pop();
            let Some(reading) = readings.get_mut(k) else {
                continue;
            };
            debug_assert_eq!(subject, i.0);
            if let Some((_, row)) = reading.rows.next() {
                add_row(lattice, reading, row, &source, element);
            }
            if let Some(subject) = next(reading) {
                heap.push(Reverse((subject, k)));
            }
        }
        state.add(element);
    }
}

fn add_row<'a>(
    lattice: &Lattice,
    reading: &Reading<'_>,
    row: Row<'_>,
    source: &impl Fn(EvidenceId) -> Option<Piece<'a>>,
    element: &mut Element,
) {
    element.text(&lattice.dimension(reading.dimension).name);
    element.flag(reading.denied);
    element.number(row.len() as u64);
    // By value's text: the order of values is that of their numbers, which is the
    // canonical order of the kind and so does not depend on the rest.
    for (k, &v) in row.values().iter().enumerate() {
        add_value(
            lattice,
            lattice.value(reading.dimension, ValueId(v)),
            element,
        );
        let sources = reading.relation.sources(row.predicate(k));
        element.number(sources.len() as u64);
        for (e, confidence) in sources {
            element.number(confidence.to_bits());
            let Some(piece) = source(e) else { continue };
            add_piece(&piece, element);
        }
    }
}

fn add_value(lattice: &Lattice, value: Value, element: &mut Element) {
    match value {
        Value::Term(name) => element.text(&name),
        Value::Instance(i) => element.text(lattice.id(i)),
        Value::Number(number) => element.text(&number.to_string()),
        Value::Date(date) => {
            element.number(date.first as u64);
            element.number(date.last as u64);
        }
        Value::Text(text) => element.text(&text),
    }
}
