//! A taxonomy's declared edges, and the partial order that they make.
//!
//! Edges may run in circles. Values that lie below each other are the same value:
//! the one of the smallest name, which the others' names and synonyms stand for too.
//! So the order is one, and it does not depend on the order of the declarations.

use super::BuildError;
use super::builder::{Builder, DimKey, SourceKey};
use super::fold::one_space;
use super::intern::NONE;
use super::resolve::Resolved;
use super::strict::go_live;
use crate::order::{Cycle, Dag, components, cycle_of_each};
use std::collections::{BTreeMap, HashMap};

/// What is done where a taxonomy's edges run in a circle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cycles {
    /// The lattice is refused.
    #[default]
    Stop,
    /// The members become one value, and the edges are kept as defects.
    Merge,
}

/// A declared edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) upper: u32,
    pub(super) lower: u32,
    /// [`NONE`] if nobody says.
    pub(super) source: u32,
    /// Whether it is said to lie on a cycle, which is therefore no news.
    pub(super) admitted: bool,
}

/// A closed chain of declared edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclePath {
    /// The taxonomy.
    pub dimension: String,
    /// Its values, each declared above the next; the first is repeated at the end.
    pub path: Vec<String>,
    /// Where the edges are declared, as `document:line`, in the order of the path,
    /// as far as that is known.
    pub places: Vec<String>,
}

impl std::fmt::Display for CyclePath {
    /// A long path is shortened.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, between, last) = ends(&self.path);
        let quoted = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("\"{name}\"")).collect()
        };
        let mut names = quoted(first);
        if between > 0 {
            names.push(format!("… {between} more …"));
        }
        names.extend(quoted(last));
        write!(
            f,
            "taxonomy \"{}\" has a cycle: {}",
            self.dimension,
            names.join(" > ")
        )?;
        match ends(&self.places) {
            ([], _, _) => Ok(()),
            (places, 0, _) => write!(f, " ({})", places.join(", ")),
            (first, between, last) => write!(
                f,
                " ({}, … {between} more …, {})",
                first.join(", "),
                last.join(", ")
            ),
        }
    }
}

impl CyclePath {
    /// What to do about it.
    pub(super) fn remedy(&self) -> &'static str {
        match self.path.len() {
            0..=2 => "remove that edge",
            _ => "remove one of these edges",
        }
    }
}

/// The first and the last steps of a path that are shown to people, and how many lie
/// between. A short path is whole in the first part.
pub fn ends<T>(path: &[T]) -> (&[T], usize, &[T]) {
    const MOST: usize = 12;
    const LAST: usize = 3;
    if path.len() <= MOST {
        return (path, 0, &[]);
    }
    let (first, rest) = path.split_at(MOST - LAST);
    let (between, last) = rest.split_at(rest.len() - LAST);
    (first, between.len(), last)
}

/// The terms of one taxonomy by name, and the value that each is.
pub(super) struct Order<'a> {
    /// The values' names, sorted.
    pub(super) names: Vec<&'a str>,
    pub(super) synonyms: Vec<Vec<&'a str>>,
    /// Upper and lower value, ascending.
    pub(super) edges: Vec<(u32, u32)>,
    /// The value of a term.
    pub(super) values: HashMap<u32, u32>,
    /// The edges between terms that are one value.
    pub(super) inner: Vec<Edge>,
}

/// The terms of one taxonomy and what is declared of them, numbered by name.
struct Declared<'a> {
    builder: &'a Builder,
    names: Vec<&'a str>,
    ranks: HashMap<u32, u32>,
    /// Each with its ends as ranks.
    edges: Vec<(u32, u32, Edge)>,
}

impl<'a> Declared<'a> {
    fn of(builder: &'a Builder, mut terms: Vec<u32>) -> Declared<'a> {
        terms.sort_by_key(|&term| builder.term_name(term));
        let ranks: HashMap<u32, u32> = terms.iter().copied().zip(0u32..).collect();
        let rank = |term: u32| ranks.get(&term).copied();
        let edges = builder.edges.iter();
        Declared {
            names: terms.iter().map(|&term| builder.term_name(term)).collect(),
            edges: edges
                .filter_map(|edge| Some((rank(edge.upper)?, rank(edge.lower)?, *edge)))
                .collect(),
            ranks,
            builder,
        }
    }

    fn count(&self) -> u32 {
        self.names.len() as u32
    }

    /// By rank, the smallest member of its component along the edges that `taken`
    /// keeps.
    fn least_members(&self, taken: impl Fn(&Edge) -> bool) -> Vec<u32> {
        let taken = self.edges.iter().filter(|(_, _, edge)| taken(edge));
        let edges: Vec<(u32, u32)> = taken.map(|&(upper, lower, _)| (upper, lower)).collect();
        if edges.is_empty() {
            return (0..self.count()).collect();
        }
        let components = components(self.count(), &edges);
        let least = |rank: u32| {
            let component = components.of(rank)?;
            components.members(component).first().copied()
        };
        (0..self.count())
            .map(|rank| least(rank).unwrap_or(rank))
            .collect()
    }

    /// The edges between components that admitted edges make, which must not run in
    /// a circle unless cycles are merged. Ends are smallest members.
    fn news(&self, admitted: &[u32]) -> Vec<(u32, u32)> {
        let least = |rank: u32| admitted.get(rank as usize).copied().unwrap_or(rank);
        let edges = self.edges.iter().filter_map(|&(upper, lower, edge)| {
            let (a, b) = (least(upper), least(lower));
            let new_self_edge = upper == lower && !edge.admitted && a == upper;
            (a != b || new_self_edge).then_some((a, b))
        });
        edges.collect()
    }

    /// Whether an edge leads from a term of a value to one of the same.
    fn is_inner(least: &[u32], upper: u32, lower: u32) -> bool {
        least.get(upper as usize) == least.get(lower as usize)
    }

    fn path(&self, dimension: &str, cycle: &[u32]) -> CyclePath {
        let name = |v: &u32| self.names.get(*v as usize).map(|&name| name.to_owned());
        let closed: Vec<u32> = cycle.iter().chain(cycle.first()).copied().collect();
        let pairs = closed.windows(2).filter_map(|pair| match pair {
            [upper, lower] => Some((*upper, *lower)),
            _ => None,
        });
        let wanted: HashMap<(u32, u32), usize> = pairs.zip(0..).collect();
        // Of several sources of one edge the first in canonical order is shown.
        let mut places: BTreeMap<usize, (&str, u64)> = BTreeMap::new();
        let mut reader = self.builder.sources.reader();
        for (upper, lower, edge) in &self.edges {
            let Some(&at) = wanted.get(&(*upper, *lower)) else {
                continue;
            };
            let Ok(Some(source)) = reader.get(edge.source) else {
                continue;
            };
            let document = self.builder.strings.get(source.document);
            let place = (document, source.line.unwrap_or(0));
            let kept = places.entry(at).or_insert(place);
            *kept = place.min(*kept);
        }
        CyclePath {
            dimension: dimension.to_owned(),
            path: closed.iter().filter_map(name).collect(),
            places: places
                .into_values()
                .map(|(document, line)| match line {
                    0 => document.to_owned(),
                    line => format!("{document}:{line}"),
                })
                .collect(),
        }
    }

    /// A closed chain through each component of several members, or of one that lies
    /// below itself: a shortest one through its first edge.
    fn cycles(&self, dimension: &str, edges: &[(u32, u32)]) -> Vec<CyclePath> {
        let paths = cycle_of_each(self.count(), edges);
        let paths = paths.iter();
        paths.map(|path| self.path(dimension, path)).collect()
    }
}

impl<'a> Order<'a> {
    /// The order of these terms of a dimension.
    pub(super) fn of(
        builder: &'a Builder,
        dimension: &str,
        terms: Vec<u32>,
    ) -> Result<Order<'a>, BuildError> {
        let declared = Declared::of(builder, terms);
        let least = match builder.cycles {
            Cycles::Merge => declared.least_members(|_| true),
            Cycles::Stop => {
                let admitted = declared.least_members(|edge| edge.admitted);
                if let Err(Cycle(cycle)) = Dag::new(declared.count(), &declared.news(&admitted)) {
                    return Err(BuildError::Cycle(declared.path(dimension, &cycle)));
                }
                admitted
            }
        };
        Ok(Order::merged(&declared, &least))
    }

    fn merged(declared: &Declared<'a>, least: &[u32]) -> Order<'a> {
        let mut order = Order {
            names: Vec::new(),
            synonyms: Vec::new(),
            edges: Vec::with_capacity(declared.edges.len()),
            values: HashMap::with_capacity(declared.names.len()),
            inner: Vec::new(),
        };
        // The value of each rank; the smallest member comes first.
        let mut value: Vec<u32> = Vec::with_capacity(least.len());
        for ((rank, &smallest), &name) in (0u32..).zip(least).zip(&declared.names) {
            if smallest == rank {
                value.push(order.names.len() as u32);
                order.names.push(name);
                order.synonyms.push(Vec::new());
                continue;
            }
            let of = value.get(smallest as usize).copied().unwrap_or(NONE);
            value.push(of);
            if let Some(words) = order.synonyms.get_mut(of as usize) {
                words.push(name);
            }
        }
        let of = |rank: u32| value.get(rank as usize).copied().unwrap_or(NONE);
        for &(upper, lower, edge) in &declared.edges {
            if Declared::is_inner(least, upper, lower) {
                order.inner.push(edge);
            } else {
                order.edges.push((of(upper), of(lower)));
            }
        }
        order.edges.sort_unstable();
        order.edges.dedup();
        let terms = declared.ranks.iter();
        order.values = terms.map(|(&term, &rank)| (term, of(rank))).collect();
        order.add_synonyms(declared.builder);
        order
    }

    fn add_synonyms(&mut self, builder: &'a Builder) {
        for (term, word) in &builder.synonyms {
            let value = self.values.get(term).copied();
            if let Some(words) = value.and_then(|v| self.synonyms.get_mut(v as usize)) {
                words.push(builder.strings.get(*word));
            }
        }
        for (words, name) in self.synonyms.iter_mut().zip(&self.names) {
            words.sort_unstable();
            words.dedup();
            words.retain(|word| word != name);
        }
    }
}

impl Builder {
    /// Places `lower` directly below `upper`, adding both if they are new.
    ///
    /// # Errors
    /// If the dimension is no taxonomy, or both are the same and cycles are not
    /// merged. A longer cycle is found by [`Builder::freeze`].
    pub fn add_edge(&mut self, d: DimKey, upper: &str, lower: &str) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        if self.cycles == Cycles::Stop && one_space(upper) == one_space(lower) {
            return Err(BuildError::SelfEdge {
                dimension: self.dim(d.0)?.spec.name.clone(),
                value: one_space(upper).into_owned(),
            });
        }
        self.push_edge(d, upper, lower, None, false)
    }

    /// As [`Builder::add_edge`], with the words that state it. They are kept if the
    /// edge turns out to lie on a cycle. As they tell its place, [`Builder::freeze`]
    /// refuses an edge from a value to itself like other cycles.
    ///
    /// # Errors
    /// If the dimension is no taxonomy, a name is empty, or the source belongs to another
    /// builder.
    pub fn add_edge_of(
        &mut self,
        d: DimKey,
        upper: &str,
        lower: &str,
        source: Option<SourceKey>,
    ) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        self.push_edge(d, upper, lower, source, false)
    }

    /// Adds an edge that is known to lie on a cycle: with others such it makes its
    /// ends one value, whatever [`Builder::set_cycles`] says. Where it lies on no
    /// cycle it is an edge like others.
    ///
    /// # Errors
    /// If the dimension is no taxonomy, a name is empty, or the source belongs to
    /// another builder.
    pub fn admit_cycle_edge(
        &mut self,
        d: DimKey,
        upper: &str,
        lower: &str,
        source: Option<SourceKey>,
    ) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        self.push_edge(d, upper, lower, source, true)
    }

    fn push_edge(
        &mut self,
        d: DimKey,
        upper: &str,
        lower: &str,
        source: Option<SourceKey>,
        admitted: bool,
    ) -> Result<(), BuildError> {
        self.note_order(d.0);
        let source = self.source_number(source)?;
        let (upper, lower) = (self.term(d, upper)?, self.term(d, lower)?);
        self.edges.push(Edge {
            upper,
            lower,
            source,
            admitted,
        });
        Ok(())
    }

    /// Says what is done where a taxonomy's edges run in a circle.
    pub fn set_cycles(&mut self, cycles: Cycles) {
        if cycles != self.cycles {
            self.note_change();
        }
        self.cycles = cycles;
    }

    /// What is done where a taxonomy's edges run in a circle.
    pub fn cycles(&self) -> Cycles {
        self.cycles
    }

    /// The cycles of all taxonomies that nobody has admitted (as DEFECT does), by
    /// dimension: of the members that become one value, a shortest chain through the
    /// one of the smallest name.
    pub fn cycle_paths(&self) -> Vec<CyclePath> {
        let mut dimensions: Vec<(&str, u32)> = (0u32..)
            .zip(&self.dims)
            .map(|(key, dim)| (dim.spec.name.as_str(), key))
            .collect();
        dimensions.sort_unstable();
        let mut terms: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (term, &(dimension, _)) in (0u32..).zip(&self.terms) {
            terms.entry(dimension).or_default().push(term);
        }
        let paths = dimensions.into_iter().flat_map(|(name, key)| {
            let declared = Declared::of(self, terms.remove(&key).unwrap_or_default());
            let admitted = declared.least_members(|edge| edge.admitted);
            declared.cycles(name, &declared.news(&admitted))
        });
        paths.collect()
    }

    pub(super) fn term_name(&self, term: u32) -> &str {
        match self.terms.get(term as usize) {
            Some(&(_, name)) => self.strings.get(name),
            None => "",
        }
    }
}

/// The order of each taxonomy; none for dimensions of other kinds.
pub(super) fn orders<'a>(
    builder: &'a Builder,
    resolved: &Resolved,
) -> Result<Vec<Option<Order<'a>>>, BuildError> {
    let mut terms: Vec<Vec<u32>> = vec![Vec::new(); resolved.dimensions.len()];
    for (term, &(dimension, _)) in (0u32..).zip(&builder.terms) {
        if let Some(terms) = terms.get_mut(resolved.id(dimension)) {
            terms.push(term);
        }
    }
    let all = resolved.dimensions.iter().zip(terms);
    all.map(|(dimension, terms)| match dimension.kind {
        super::Kind::Taxonomy => {
            let order = Order::of(builder, &dimension.name, terms)?;
            if dimension.strict {
                go_live(&dimension.name, &order)?;
            }
            Ok(Some(order))
        }
        _ => Ok(None),
    })
    .collect()
}
