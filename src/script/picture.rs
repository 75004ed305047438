//! Pictures of a lattice: the order of a dimension, and what an answer follows from.

use super::words;
use crate::draw::{self, Mark, Node, Picture, View};
use crate::lattice::{DimensionId, InstanceId, Kind, Lattice, ValueId};
use crate::order::{Dag, components};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// Synonyms that are written below a value.
const MOST_SYNONYMS: usize = 3;
/// Names of one set of equal instances that are written.
const MOST_EQUAL: usize = 4;

/// The part of an order that is to be drawn: all that lies above a value, and so many levels
/// below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around<'a> {
    /// The value, by a word for it.
    pub value: &'a str,
    /// Levels below it; all if absent.
    pub levels: Option<u32>,
}

/// Why there is nothing to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// The values of the dimension have no order that edges show.
    NotOrdered {
        /// The dimension.
        dimension: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The dimension has no value.
    Nothing {
        /// The dimension.
        dimension: String,
    },
    /// No value is called so.
    UnknownValue {
        /// The dimension.
        dimension: String,
        /// The word.
        word: String,
        /// Words that resemble it.
        near: Vec<String>,
    },
    /// Several values are called so.
    Ambiguous {
        /// The dimension.
        dimension: String,
        /// The word.
        word: String,
        /// The values.
        values: Vec<String>,
    },
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::NotOrdered { dimension, kind } => write!(
                f,
                "{dimension} cannot be drawn: it is a dimension of kind {kind}, and no edges order its values"
            ),
            PictureError::Nothing { dimension } => {
                write!(f, "{dimension} has no value that could be drawn")
            }
            PictureError::UnknownValue {
                dimension, word, ..
            } => write!(f, "{dimension} has no value “{word}”"),
            PictureError::Ambiguous {
                dimension, word, ..
            } => write!(f, "“{word}” stands for several values of {dimension}"),
        }
    }
}

impl std::error::Error for PictureError {}

impl PictureError {
    /// What to do.
    pub fn help(&self) -> Option<String> {
        match self {
            PictureError::NotOrdered { .. } => Some(
                "draw a TAXONOMY, or an ENTITY dimension that is ordered WITHIN a relation"
                    .to_string(),
            ),
            PictureError::Nothing { .. } => None,
            PictureError::UnknownValue { near, .. } if near.is_empty() => None,
            PictureError::UnknownValue { near, .. } => {
                let near: Vec<String> = near.iter().map(|word| format!("“{word}”")).collect();
                Some(format!("did you mean {}?", words::either(&near)))
            }
            PictureError::Ambiguous { values, .. } => {
                let values: Vec<String> = values.iter().map(|v| format!("“{v}”")).collect();
                Some(format!("name one of {}", words::both(&values)))
            }
        }
    }
}

/// The order of a TAXONOMY, or of an ENTITY dimension that is ordered WITHIN a relation: the edges
/// as recorded, where instances that lie in a circle are one node. Whole, or around a value.
///
/// # Errors
/// [`PictureError`]
pub fn dimension(
    lattice: &Lattice,
    d: DimensionId,
    around: Option<Around<'_>>,
) -> Result<Picture, PictureError> {
    let order = Order::of(lattice, d)?;
    let name = &lattice.dimension(d).name;
    if order.dag.is_empty() {
        return Err(PictureError::Nothing {
            dimension: name.clone(),
        });
    }
    let centre = around.map(|a| order.find(lattice, a.value)).transpose()?;
    let view = match (centre, around) {
        (Some(centre), Some(around)) => draw::around(&order.dag, centre, around.levels),
        _ => draw::whole(&order.dag),
    };
    let title = match centre {
        None => name.clone(),
        Some(centre) => format!("{name} around {}", order.node(lattice, centre).label),
    };
    Ok(drawn(lattice, &order, &view, centre, title))
}

fn drawn(
    lattice: &Lattice,
    order: &Order<'_>,
    view: &View,
    centre: Option<u32>,
    title: String,
) -> Picture {
    let mut picture = Picture::new(title);
    for (&member, &left_out) in view.members.iter().zip(&view.left_out) {
        let mut node = order.node(lattice, member);
        if centre == Some(member) {
            node.mark = Mark::Focus;
        } else if node.mark == Mark::Plain && order.dag.parents(member).is_empty() {
            node.mark = Mark::Root;
        }
        if left_out > 0 {
            let told = format!("+ {left_out} below");
            node.detail = Some(match node.detail {
                Some(detail) => format!("{detail} {told}"),
                None => told,
            });
        }
        picture.nodes.push(node);
    }
    picture.edges.clone_from(&view.edges);
    picture
}

/// The order of a dimension as numbered nodes.
struct Order<'l> {
    d: DimensionId,
    dag: Cow<'l, Dag>,
    /// The instances of each node; none for a taxonomy, whose nodes are its values.
    instances: Option<Vec<Vec<InstanceId>>>,
}

impl<'l> Order<'l> {
    fn of(lattice: &'l Lattice, d: DimensionId) -> Result<Order<'l>, PictureError> {
        let dimension = lattice.dimension(d);
        if let Some(taxonomy) = lattice.taxonomy(d) {
            return Ok(Order {
                d,
                dag: Cow::Borrowed(taxonomy.dag()),
                instances: None,
            });
        }
        if let Some(relation) = dimension.within() {
            return Ok(Order::within(lattice, d, relation));
        }
        Err(PictureError::NotOrdered {
            dimension: dimension.name.clone(),
            kind: match dimension.kind {
                Kind::Taxonomy => "TAXONOMY",
                Kind::Entity { .. } => "ENTITY",
                Kind::Number { .. } => "NUMBER",
                Kind::Date => "DATE",
                Kind::Text => "TEXT",
            },
        })
    }

    /// The closure of a relation between instances: what is recorded as a value, or stands in
    /// the relation.
    fn within(lattice: &'l Lattice, d: DimensionId, relation: DimensionId) -> Order<'l> {
        let recorded = lattice.positive(relation);
        let mut present: BTreeSet<u32> = lattice.recorded_values(d).iter().copied().collect();
        present.extend(recorded.subjects());
        present.extend(recorded.distinct_values());
        let present: Vec<u32> = present.into_iter().collect();
        let place = |i: &u32| present.binary_search(i).ok().map(|at| at as u32);
        let mut edges = Vec::new();
        for (lower, &i) in (0u32..).zip(&present) {
            let row = recorded.of(InstanceId(i));
            let above = row.values().iter();
            edges.extend(above.filter_map(place).map(|upper| (upper, lower)));
        }
        let components = components(present.len() as u32, &edges);
        let of = |node: u32| components.of(node).unwrap_or(0);
        let between: Vec<(u32, u32)> = edges
            .iter()
            .map(|&(a, b)| (of(a), of(b)))
            .filter(|(a, b)| a != b)
            .collect();
        let instance = |&at: &u32| present.get(at as usize).map(|&i| InstanceId(i));
        let instances = (0..components.len() as u32)
            .map(|c| components.members(c).iter().filter_map(instance).collect())
            .collect();
        // What is left between components has no cycle.
        let dag = Dag::new(components.len() as u32, &between).unwrap_or_default();
        Order {
            d,
            dag: Cow::Owned(dag),
            instances: Some(instances),
        }
    }

    /// The node of a word.
    fn find(&self, lattice: &Lattice, word: &str) -> Result<u32, PictureError> {
        let dimension = || lattice.dimension(self.d).name.clone();
        let (found, near) = match (&self.instances, lattice.taxonomy(self.d)) {
            (Some(all), _) => {
                let called = match lattice.by_id(word.strip_prefix('@').unwrap_or(word)) {
                    Some(i) => vec![i],
                    None => lattice.called(word).instances,
                };
                let is_called = |node: &Vec<InstanceId>| node.iter().any(|i| called.contains(i));
                let found = (0u32..).zip(all).filter(|(_, node)| is_called(node));
                let found: Vec<u32> = found.map(|(node, _)| node).collect();
                (found, lattice.nearest_names(word))
            }
            (None, Some(taxonomy)) => {
                let found = taxonomy.find(word).into_iter().map(|v| v.0).collect();
                (found, taxonomy.nearest(word))
            }
            (None, None) => (Vec::new(), Vec::new()),
        };
        match found.as_slice() {
            &[one] => Ok(one),
            [] => Err(PictureError::UnknownValue {
                dimension: dimension(),
                word: word.to_string(),
                near,
            }),
            several => Err(PictureError::Ambiguous {
                dimension: dimension(),
                word: word.to_string(),
                values: several.iter().map(|&n| self.word(lattice, n)).collect(),
            }),
        }
    }

    /// What a node is called so that it is found again.
    fn word(&self, lattice: &Lattice, node: u32) -> String {
        match &self.instances {
            None => words::value_cell(lattice, self.d, ValueId(node)),
            Some(all) => {
                let first = all.get(node as usize).and_then(|members| members.first());
                first.map_or(String::new(), |&i| format!("@{}", lattice.id(i)))
            }
        }
    }

    /// A node with its label: a value by the name of the instance that has it as id, where there
    /// is one, and equal instances together.
    fn node(&self, lattice: &Lattice, node: u32) -> Node {
        if let Some(all) = &self.instances {
            let members = all.get(node as usize).map_or(&[][..], Vec::as_slice);
            return equals(lattice, members);
        }
        let Some(taxonomy) = lattice.taxonomy(self.d) else {
            return Node::default();
        };
        let value = taxonomy.name(ValueId(node));
        let titled = lattice.by_id(value).map(|i| lattice.name(i));
        if let Some(name) = titled.filter(|&name| name != value) {
            return Node::new(name).with_detail(value);
        }
        let mut synonyms = taxonomy.synonyms(ValueId(node)).to_vec();
        if synonyms.is_empty() {
            return Node::new(value);
        }
        if synonyms.len() > MOST_SYNONYMS {
            synonyms.truncate(MOST_SYNONYMS);
            synonyms.push("…".to_string());
        }
        Node::new(value).with_detail(synonyms.join(", "))
    }
}

/// Instances that lie in a circle of the relation, and are equal in its order.
fn equals(lattice: &Lattice, members: &[InstanceId]) -> Node {
    let names = members.iter().take(MOST_EQUAL).map(|&i| lattice.name(i));
    let label = names.collect::<Vec<_>>().join(" = ");
    match members.len() {
        0 => Node::default(),
        1 => {
            let id = members.first().map_or("", |&i| lattice.id(i));
            let told = (id != label).then(|| format!("@{id}"));
            Node {
                label,
                detail: told,
                mark: Mark::Plain,
            }
        }
        n if n <= MOST_EQUAL => Node::new(label).marked(Mark::Contested),
        n => Node::new(format!("{label} = {} more", n - MOST_EQUAL)).marked(Mark::Contested),
    }
}
