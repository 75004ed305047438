//! The facts of a lattice in their plainest form: who records what, with which
//! confidence, and which edges are declared.

use super::order::{Edge, Graph};
use super::spans::Span;
use crate::lattice::{Decimal, DimensionId, Kind, Lattice, PredicateId, Relation, StoreError};
use std::collections::{BTreeMap, HashSet};

/// A recorded predicate of one instance on one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) value: u32,
    pub(super) confidence: f64,
    pub(super) predicate: PredicateId,
}

/// One dimension with all that is recorded on it.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) one: bool,
    pub(super) complete: bool,
    /// Positive predicates by instance, ascending by value.
    pub(super) positive: BTreeMap<u32, Vec<Fact>>,
    /// Denials by instance, ascending by value.
    pub(super) negative: BTreeMap<u32, Vec<Fact>>,
    /// The values that some instance records.
    pub(super) recorded: HashSet<u32>,
    /// NUMBER (in the base unit) and DATE: the interval of each value.
    pub(super) spans: Vec<Span>,
    /// NUMBER: what the dimension's unit is in the base unit.
    pub(super) factor: Option<Decimal>,
    /// The order; without edges for NUMBER, DATE and TEXT.
    pub(super) graph: Graph,
}

impl Column {
    pub(super) fn positives(&self, x: u32) -> &[Fact] {
        self.positive.get(&x).map_or(&[], Vec::as_slice)
    }

    pub(super) fn negatives(&self, x: u32) -> &[Fact] {
        self.negative.get(&x).map_or(&[], Vec::as_slice)
    }

    /// Whether values are intervals.
    pub(super) fn is_measured(&self) -> bool {
        matches!(self.kind, Kind::Number { .. } | Kind::Date)
    }

    pub(super) fn is_entity(&self) -> bool {
        matches!(self.kind, Kind::Entity { .. })
    }

    /// The relation that orders the values.
    pub(super) fn within(&self) -> Option<DimensionId> {
        match self.kind {
            Kind::Entity { within } => within,
            _ => None,
        }
    }

    /// ONE over a closed order: an instance has a coordinate with sides.
    pub(super) fn has_sides(&self) -> bool {
        self.one && self.graph.closed
    }

    /// The interval of a value of a measured dimension.
    pub(super) fn span(&self, value: u32) -> Option<&Span> {
        self.spans.get(value as usize)
    }

    /// The value that an interval is, if something records it.
    pub(super) fn value_of(&self, span: &Span) -> Option<u32> {
        let at = self.spans.iter().position(|own| own == span)?;
        u32::try_from(at).ok()
    }

    /// Whether `value` could not turn out to be a more specific one.
    pub(super) fn is_fixed(&self, value: u32) -> bool {
        match self.kind {
            Kind::Number { .. } | Kind::Date => self.span(value).is_some_and(Span::is_point),
            Kind::Text => true,
            Kind::Taxonomy | Kind::Entity { .. } => {
                self.graph.closed && !self.graph.has_below(value)
            }
        }
    }

    /// Every instance of which anything is recorded here, ascending.
    pub(super) fn mentioned(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self
            .positive
            .keys()
            .chain(self.negative.keys())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// All predicates and edges of a lattice, read once.
#[derive(Debug)]
pub struct Facts {
    pub(super) columns: Vec<Column>,
    pub(super) instances: u32,
}

impl Facts {
    /// Reads a lattice into plain maps, from its predicates and edges alone.
    ///
    /// # Errors
    /// What the store says if the file is damaged.
    pub fn read(lattice: &Lattice) -> Result<Facts, StoreError> {
        let mut columns: Vec<Column> = (0u16..)
            .zip(lattice.dimensions())
            .map(|(d, _)| read_column(lattice, DimensionId(d)))
            .collect();
        order_within(&mut columns);
        lattice.intact()?;
        Ok(Facts {
            columns,
            instances: lattice.instance_count(),
        })
    }

    /// The column of a dimension of this lattice.
    pub(super) fn column(&self, d: DimensionId) -> Option<&Column> {
        self.columns.get(d.index())
    }
}

fn read_column(lattice: &Lattice, d: DimensionId) -> Column {
    let dimension = lattice.dimension(d);
    let factor = match &dimension.kind {
        Kind::Number { unit: Some(unit) } => factor_of(lattice, unit),
        _ => None,
    };
    let spans = match dimension.kind {
        Kind::Number { .. } => lattice
            .numbers(d)
            .iter()
            .map(|n| in_base(&Span::of_number(n), factor.as_ref()))
            .collect(),
        Kind::Date => lattice.dates(d).iter().map(Span::of_date).collect(),
        _ => Vec::new(),
    };
    let graph = match lattice.taxonomy(d) {
        Some(taxonomy) => {
            let mut graph = Graph::new(true);
            let count = u32::try_from(taxonomy.len()).unwrap_or(u32::MAX);
            for lower in 0..count {
                for &upper in taxonomy.dag().parents(lower) {
                    graph.add(lower, upper, Edge::declared());
                }
            }
            graph
        }
        None => Graph::new(true),
    };
    let positive = read_rows(&lattice.positive(d));
    let recorded = positive.values().flatten().map(|fact| fact.value);
    Column {
        name: dimension.name.clone(),
        kind: dimension.kind.clone(),
        one: dimension.is_one(),
        complete: dimension.complete,
        recorded: recorded.collect(),
        positive,
        negative: read_rows(&lattice.negative(d)),
        spans,
        factor,
        graph,
    }
}

/// What one of `unit` is in its base unit; none where that is the same.
pub(super) fn factor_of(lattice: &Lattice, unit: &str) -> Option<Decimal> {
    let (factor, _) = lattice.units().to_base(&Decimal::one(), unit)?;
    (factor != Decimal::one()).then_some(factor)
}

/// The interval times a factor. A product of too many digits stays as it is.
pub(super) fn in_base(span: &Span, factor: Option<&Decimal>) -> Span {
    let Some(factor) = factor else {
        return span.clone();
    };
    match (span.low.checked_mul(factor), span.high.checked_mul(factor)) {
        (Some(low), Some(high)) => Span { low, high },
        _ => span.clone(),
    }
}

fn read_rows(relation: &Relation<'_>) -> BTreeMap<u32, Vec<Fact>> {
    let mut rows = BTreeMap::new();
    for (subject, row) in relation.rows() {
        let facts = row
            .values()
            .iter()
            .enumerate()
            .map(|(k, &value)| {
                let predicate = row.predicate(k);
                Fact {
                    value,
                    confidence: relation.confidence(predicate),
                    predicate,
                }
            })
            .collect();
        rows.insert(subject.0, facts);
    }
    rows
}

/// Gives every `ENTITY WITHIN r` the order that the predicates of `r` record.
/// First all recorded edges; then, with them, which edges are contested.
fn order_within(columns: &mut [Column]) {
    let within = Column::within;
    let all: Vec<Graph> = columns
        .iter()
        .map(|column| {
            let Some(edges) = within(column).and_then(|r| columns.get(r.index())) else {
                return column.graph.clone();
            };
            let mut graph = Graph::new(edges.complete);
            for (&from, facts) in &edges.positive {
                for fact in facts {
                    graph.add(from, fact.value, Edge::recorded(fact, false));
                }
            }
            graph
        })
        .collect();
    for (column, graph) in columns.iter_mut().zip(all) {
        column.graph = graph;
    }
    let marked: Vec<Option<Graph>> = columns
        .iter()
        .map(|column| {
            let edges = within(column).and_then(|r| columns.get(r.index()))?;
            let mut graph = Graph::new(edges.complete);
            for (&from, facts) in &edges.positive {
                let contested = super::coordinate::contested_edges(edges, from);
                for (fact, contested) in facts.iter().zip(contested) {
                    graph.add(from, fact.value, Edge::recorded(fact, contested));
                }
            }
            Some(graph)
        })
        .collect();
    for (column, graph) in columns.iter_mut().zip(marked) {
        if let Some(graph) = graph {
            column.graph = graph;
        }
    }
}
