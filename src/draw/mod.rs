//! Pictures: a labelled order → a Hasse diagram as SVG, as DOT, and as a text tree.
//!
//! This room knows nodes with labels and edges `(upper, lower)`; it knows no lattice and
//! no file. What lies above is more general.
//!
//! ```
//! use latweave::draw::{Mark, Node, Picture, TreeStyle};
//!
//! let mut picture = Picture::new("What an animal is");
//! for label in ["animal", "mammal", "swimmer", "whale"] {
//!     picture.nodes.push(Node::new(label));
//! }
//! // The edge from animal to whale says nothing new and is not drawn.
//! picture.edges = vec![(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)];
//! picture.nodes[3].mark = Mark::Focus;
//! let tree = picture.tree(&TreeStyle::default()).unwrap();
//! assert_eq!(tree, "\
//! animal
//! ├─ mammal
//! │  └─ whale  (asked)
//! └─ swimmer
//!    └─ ↑ whale (above)
//! ");
//! assert!(picture.svg().unwrap().starts_with("<svg "));
//! assert!(picture.dot().unwrap().starts_with("digraph "));
//! ```
//!
//! # How it is drawn
//!
//! The layered drawing of Sugiyama, Tagawa and Toda (1981), in the steps that Gansner,
//! Koutsofios, North and Vo (1993) made of it: `layout::ranks` puts each node on a level below all
//! that is above it, and a bend on every level that an edge passes; `layout::crossings` orders
//! the levels; `layout::place` finds the coordinates; `layout::stacks` hangs the many leaves of one
//! node below it as a list where a row of them would be too wide; `layout::pack` sets
//! what hangs not together side by side.
//!
//! By construction, not by luck: boxes are disjoint, every edge goes down, and no edge runs
//! through the box of another node. An edge passes a level upright in a slot of its own, and
//! slants only between the levels, where no box is.
//!
//! Same picture, same bytes; the order in which the edges are given does not matter.

mod concepts;
mod dot;
mod layout;
mod reduced;
mod svg;
mod text;
mod tree;
mod view;

pub use concepts::{concept_node, concept_picture};
pub use layout::{Frame, Layout, Route};
pub use text::columns;
pub use tree::TreeStyle;
pub use view::{View, around, whole};

use std::fmt;

/// The most nodes of an SVG. More are no picture to look at; a part is.
pub const MOST_NODES: usize = 2_000;

/// The most bends of an SVG: one for each level that an edge passes.
pub const MOST_BENDS: usize = 100_000;

/// The nodes of a cycle that an error names.
const MOST_OF_CYCLE: usize = 8;

/// The size of a label in an SVG, in pixels at natural size.
pub const LABEL_SIZE: f64 = 13.0;

/// The size of a detail in an SVG, in pixels at natural size.
pub const DETAIL_SIZE: f64 = 11.0;

/// A labelled order that is to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// What it shows, in a few words.
    pub title: String,
    /// The nodes, numbered from 0.
    pub nodes: Vec<Node>,
    /// The edges `(upper, lower)`, in any order. What follows from others is not drawn.
    pub edges: Vec<(u32, u32)>,
}

/// A node of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name; without one it is drawn as a dot.
    pub label: String,
    /// What is written below the name, in small.
    pub detail: Option<String>,
    /// What it is in this picture.
    pub mark: Mark,
}

/// What a node is in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// One among others.
    #[default]
    Plain,
    /// The top of the order, or what stands for it.
    Root,
    /// What was asked about.
    Focus,
    /// What answers.
    Answer,
    /// Where sources or the order contradict themselves.
    Contested,
}

impl Mark {
    /// The word that a text says after the label; none for plain nodes and roots.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Mark::Plain | Mark::Root => None,
            Mark::Focus => Some("asked"),
            Mark::Answer => Some("answer"),
            Mark::Contested => Some("contested"),
        }
    }
}

impl Node {
    /// A plain node.
    pub fn new(label: impl Into<String>) -> Node {
        Node {
            label: label.into(),
            ..Node::default()
        }
    }

    /// The same with a mark.
    pub fn marked(self, mark: Mark) -> Node {
        Node { mark, ..self }
    }

    /// The same with a detail.
    pub fn with_detail(self, detail: impl Into<String>) -> Node {
        Node {
            detail: Some(detail.into()),
            ..self
        }
    }
}

impl Picture {
    /// A picture without nodes.
    pub fn new(title: impl Into<String>) -> Picture {
        Picture {
            title: title.into(),
            ..Picture::default()
        }
    }

    /// Where its boxes and edges lie.
    ///
    /// # Errors
    /// A [`DrawError`] if the edges are no order, or it is too large.
    pub fn layout(&self) -> Result<Layout, DrawError> {
        layout::layout(self)
    }

    /// The picture as an SVG document of its own: no script, no font from elsewhere, light
    /// and dark as the reader's screen is.
    ///
    /// # Errors
    /// A [`DrawError`] if the edges are no order, or it is too large.
    pub fn svg(&self) -> Result<String, DrawError> {
        Ok(svg::write(self, &self.layout()?))
    }

    /// The picture in the language of Graphviz.
    ///
    /// # Errors
    /// A [`DrawError`] if the edges are no order.
    pub fn dot(&self) -> Result<String, DrawError> {
        Ok(dot::write(self, &reduced::Reduced::of(self)?))
    }

    /// The picture as a tree of text lines. A node with several parents is shown in full
    /// once; where it belongs as well, a line refers to it.
    ///
    /// # Errors
    /// A [`DrawError`] if the edges are no order.
    pub fn tree(&self, style: &TreeStyle) -> Result<String, DrawError> {
        Ok(tree::write(self, &reduced::Reduced::of(self)?, style))
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawError {
    /// The edges have a cycle: the labels along it, from the upper to the lower.
    Cycle(Vec<String>),
    /// An edge leads to a node that is not there.
    NoSuchNode {
        /// The number of the node.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// More nodes than [`MOST_NODES`].
    TooManyNodes {
        /// How many there are.
        nodes: usize,
    },
    /// More bends than [`MOST_BENDS`].
    TooManyBends,
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawError::Cycle(labels) => {
                write!(f, "the edges are no order, they lead in a circle: ")?;
                let most = labels.iter().take(MOST_OF_CYCLE);
                let shown: Vec<&str> = most.map(String::as_str).collect();
                let more = if labels.len() > MOST_OF_CYCLE {
                    " > …"
                } else {
                    ""
                };
                let back = labels.first().map_or("", String::as_str);
                write!(f, "{}{more} > {back}", shown.join(" > "))
            }
            DrawError::NoSuchNode { node, nodes } => write!(
                f,
                "an edge leads to node {node}, and there are {nodes}, numbered from 0"
            ),
            DrawError::TooManyNodes { nodes } => write!(
                f,
                "{nodes} nodes are too many for one picture of boxes; {MOST_NODES} are the most"
            ),
            DrawError::TooManyBends => write!(
                f,
                "its edges pass more than {MOST_BENDS} levels, too many for one picture of boxes"
            ),
        }
    }
}

impl std::error::Error for DrawError {}
