//! The content of a lattice as elements of its hash: names and values as they are
//! written, never their numbers.

use super::evidence::Piece;
use super::hash::{Element, LtHash};
use super::snapshot::Lattice;
use super::{
    DateInterval, Defect, Dimension, DimensionId, EvidenceId, InstanceId, Kind, Multiplicity,
    Relation, Row, Units, Value, ValueId,
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
    add_units(lattice.units(), &mut element, &mut state);
    let dimensions = lattice.dimensions();
    for (d, dimension) in (0u16..).map(DimensionId).zip(dimensions) {
        add_dimension(dimensions, dimension, &mut element, &mut state);
        if let Some(taxonomy) = lattice.taxonomy(d) {
            for v in (0..taxonomy.len() as u32).map(ValueId) {
                let synonyms = taxonomy.synonyms(v).iter().map(String::as_str);
                let parents = taxonomy.dag().parents(v.0);
                let parents = parents.iter().map(|&parent| taxonomy.name(ValueId(parent)));
                term(
                    &dimension.name,
                    taxonomy.name(v),
                    synonyms,
                    parents,
                    &mut element,
                );
                state.add(&element);
            }
        }
        for defect in lattice.defects(d) {
            let piece = defect.evidence.and_then(&source);
            add_defect(
                &dimension.name,
                defect,
                piece.as_ref(),
                &mut element,
                &mut state,
            );
        }
    }
    add_instances(lattice, source, &mut element, &mut state);
    state
}

pub(super) fn add_units(units: &Units, element: &mut Element, state: &mut LtHash) {
    for (name, factor, base) in units.iter() {
        element.start("unit");
        element.texts([name, &factor.to_string(), base].into_iter());
        state.add(element);
    }
}

/// A declaration; `dimensions` are all that there are.
pub(super) fn add_dimension(
    dimensions: &[Dimension],
    dimension: &Dimension,
    element: &mut Element,
    state: &mut LtHash,
) {
    let name = |d: Option<DimensionId>| {
        let found = dimensions.get(d?.index())?;
        Some(found.name.as_str())
    };
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
    state.add(element);
    if dimension.strict {
        element.start("strict");
        element.text(&dimension.name);
        state.add(element);
    }
}

/// The element of a taxonomy's value, with its synonyms and parents in order.
pub(super) fn term<'t>(
    dimension: &str,
    name: &str,
    synonyms: impl ExactSizeIterator<Item = &'t str>,
    parents: impl ExactSizeIterator<Item = &'t str>,
    element: &mut Element,
) {
    element.start("value");
    element.text(dimension);
    element.text(name);
    element.texts(synonyms);
    element.texts(parents);
}

pub(super) fn add_defect(
    dimension: &str,
    defect: &Defect,
    piece: Option<&Piece<'_>>,
    element: &mut Element,
    state: &mut LtHash,
) {
    element.start("defect");
    element.text(dimension);
    element.text(defect.fault.word());
    element.texts(defect.fault.terms().into_iter());
    element.flag(defect.evidence.is_some());
    if let Some(piece) = piece {
        add_piece(piece, element);
    }
    state.add(element);
}

/// What states a fact, but for how sure it is.
pub(super) fn add_piece(piece: &Piece<'_>, element: &mut Element) {
    element.text(piece.document);
    element.flag(piece.range.is_some());
    let (start, end) = piece.range.unwrap_or((0, 0));
    element.number(start);
    element.number(end);
    element.flag(piece.line.is_some());
    element.number(piece.line.unwrap_or(0));
    element.text(piece.text);
}

/// The beginning of the element of an instance; the rows of all dimensions follow.
pub(super) fn instance<'t>(
    id: &str,
    name: &str,
    aliases: impl ExactSizeIterator<Item = &'t str>,
    declared: bool,
    element: &mut Element,
) {
    element.start("instance");
    element.text(id);
    element.text(name);
    element.texts(aliases);
    element.flag(declared);
}

/// The beginning of a row of so many values.
pub(super) fn row(dimension: &str, denied: bool, values: usize, element: &mut Element) {
    element.text(dimension);
    element.flag(denied);
    element.number(values as u64);
}

pub(super) fn date(date: &DateInterval, element: &mut Element) {
    element.number(date.first as u64);
    element.number(date.last as u64);
}

/// Whether the facts of a dimension count: a fact and its inverse are one, and that of
/// the smaller name does.
pub(super) fn counts(d: DimensionId, dimension: &Dimension) -> bool {
    dimension.inverse.is_none_or(|inverse| inverse >= d)
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
        if !counts(dimension, of) {
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
        let aliases = lattice.aliases(i).into_iter();
        instance(
            lattice.id(i),
            lattice.name(i),
            aliases,
            lattice.is_declared(i),
            element,
        );
        while let Some(&Reverse((subject, k))) = heap.peek().filter(|Reverse((s, _))| *s == i.0) {
            heap.pop();
            let Some(reading) = readings.get_mut(k) else {
                continue;
            };
            debug_assert_eq!(subject, i.0);
            if let Some((_, row)) = reading.rows.next() {
                let of = (reading.dimension, reading.denied, &reading.relation);
                add_row(lattice, of, &row, &source, element);
            }
            if let Some(subject) = next(reading) {
                heap.push(Reverse((subject, k)));
            }
        }
        state.add(element);
    }
}

/// The element of one instance: the same as in the sum over all.
pub(super) fn instance_element<'a>(
    lattice: &Lattice,
    i: InstanceId,
    source: &impl Fn(EvidenceId) -> Option<Piece<'a>>,
    element: &mut Element,
) {
    let aliases = lattice.aliases(i).into_iter();
    let declared = lattice.is_declared(i);
    instance(lattice.id(i), lattice.name(i), aliases, declared, element);
    for (dimension, of) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
        if !counts(dimension, of) {
            continue;
        }
        for (denied, relation) in [
            (false, lattice.positive(dimension)),
            (true, lattice.negative(dimension)),
        ] {
            let row = relation.of(i);
            if !row.is_empty() {
                let of = (dimension, denied, &relation);
                add_row(lattice, of, &row, source, element);
            }
        }
    }
}

fn add_row<'a>(
    lattice: &Lattice,
    (d, denied, relation): (DimensionId, bool, &Relation<'_>),
    found: &Row<'_>,
    source: &impl Fn(EvidenceId) -> Option<Piece<'a>>,
    element: &mut Element,
) {
    let dimension = &lattice.dimension(d).name;
    row(dimension, denied, found.len(), element);
    // By value's text: the order of values is that of their numbers, which is the
    // canonical order of the kind and so does not depend on the rest.
    for (k, &v) in found.values().iter().enumerate() {
        add_value(lattice, lattice.value(d, ValueId(v)), element);
        let sources = relation.sources(found.predicate(k));
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
        Value::Date(of) => date(&of, element),
        Value::Text(text) => element.text(&text),
    }
}
