//! A vocabulary compiled for one lattice: wordings as a tree of words, in which those
//! that begin alike share their beginning.

use super::vocabulary::{Pattern, Vocabulary};
use super::wording::{HoleKind, Piece};
use super::words::{OWNER, stem, words};
use crate::lattice::{DimensionId, Lattice};
use crate::syntax::tree::{
    Candidates, Compare, Constraint, Name, Operand, Path, Query, Return, SetExpression, Side,
};
use std::collections::HashMap;

/// A word or stem that the vocabulary has.
pub(super) type Symbol = u32;
/// A word or stem that no vocabulary has.
pub(super) const UNKNOWN: Symbol = u32::MAX;
/// A pattern may have so many holes, repeated ones counted again.
pub(super) const MAX_HOLES: usize = 6;

/// A word of the tree, under its stem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub stem: Symbol,
    pub word: Symbol,
    pub node: u32,
}

/// The end of a wording.
#[derive(Clone, Debug)]
pub(super) enum Accept {
    /// A pattern.
    Pattern {
        /// Which.
        number: u32,
        /// Which of its holes the holes on the way are.
        order: Vec<u8>,
        /// Whether the wording is a thing and what it owns: `{x}'s …`.
        owned: bool,
        /// Whether the wording begins with a thing.
        begins: bool,
        /// Whether the wording ends with a thing: what comes behind it may belong to it.
        open: bool,
    },
    /// Words for a dimension.
    Dimension(DimensionId),
}

/// A place in the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// By stem.
    pub branches: Vec<Branch>,
    pub thing: Option<u32>,
    pub dimension: Option<u32>,
    pub number: Option<u32>,
    pub accepts: Vec<Accept>,
}

/// The compiled vocabulary.
pub(super) struct Lexicon {
    symbols: HashMap<String, Symbol>,
    stems: HashMap<String, Symbol>,
    /// By stem: whether words of it may be passed over.
    transparent: Vec<bool>,
    /// By symbol: whether the word stands in a pattern.
    in_patterns: Vec<bool>,
    pub nodes: Vec<Node>,
    pub patterns: Vec<Pattern>,
}

/// Where wordings of questions begin, and where words for dimensions do.
pub(super) const QUESTIONS: u32 = 0;
pub(super) const DIMENSIONS: u32 = 1;

impl Lexicon {
    /// Compiles; patterns that speak of dimensions that the lattice lacks are left out.
    pub(super) fn new(vocabulary: &Vocabulary, lattice: &Lattice) -> Lexicon {
        let mut lexicon = Lexicon {
            symbols: HashMap::new(),
            stems: HashMap::new(),
            transparent: Vec::new(),
            in_patterns: Vec::new(),
            nodes: vec![Node::default(), Node::default()],
            patterns: Vec::new(),
        };
        for (d, dimension) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
            lexicon.call(&dimension.name, d);
            for aka in &dimension.aka {
                lexicon.call(aka, d);
            }
        }
        for (dimension, aka) in &vocabulary.aka {
            if let Some(d) = lattice.find_dimension(dimension) {
                lexicon.call(aka, d);
            }
        }
        for pattern in &vocabulary.patterns {
            if usable(pattern, lattice) {
                lexicon.admit(pattern);
            }
        }
        for node in &mut lexicon.nodes {
            node.branches
                .sort_by_key(|branch| (branch.stem, branch.word));
        }
        lexicon
    }

    /// The symbols of a word of a question: of itself, and of its stem.
    pub(super) fn symbols(&self, word: &str) -> (Symbol, Symbol) {
        let symbol = self.symbols.get(word).copied().unwrap_or(UNKNOWN);
        let stem = self.stems.get(&stem(word)).copied().unwrap_or(UNKNOWN);
        (symbol, stem)
    }

    /// Whether words of a stem may be passed over.
    pub(super) fn is_transparent(&self, stem: Symbol) -> bool {
        let known = self.transparent.get(stem as usize);
        known.copied().unwrap_or(false)
    }

    /// Whether a word may be passed over, or stands in a pattern.
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        let (symbol, _) = self.symbols(word);
        let known = self.in_patterns.get(symbol as usize);
        known.copied().unwrap_or(false)
    }

    /// Whether a word alone already names a dimension.
    pub(super) fn names_dimension(&self, word: &str, d: DimensionId) -> bool {
        let (_, stem) = self.symbols(word);
        let Some(root) = self.nodes.get(DIMENSIONS as usize) else {
            return false;
        };
        let branches = root.branches.iter().filter(|branch| branch.stem == stem);
        let nodes = branches.filter_map(|branch| self.nodes.get(branch.node as usize));
        nodes
            .flat_map(|node| &node.accepts)
            .any(|accept| matches!(accept, Accept::Dimension(other) if *other == d))
    }

    /// The longest words for a dimension that a wording begins with, and how many they
    /// are. None where several dimensions are called so.
    pub(super) fn dimension_at(&self, wording: &[Option<String>]) -> Option<(DimensionId, usize)> {
        let mut node = self.nodes.get(DIMENSIONS as usize)?;
        let mut found = None;
        for (count, word) in (1..).zip(wording) {
            let Some(word) = word else { return found };
            let (symbol, stem) = self.symbols(word);
            let exact = node.branches.iter().find(|branch| branch.word == symbol);
            let alike = || node.branches.iter().find(|branch| branch.stem == stem);
            let Some(branch) = exact.or_else(alike) else {
                return found;
            };
            let Some(next) = self.nodes.get(branch.node as usize) else {
                return found;
            };
            node = next;
            if let [Accept::Dimension(d)] = node.accepts.as_slice() {
                found = Some((*d, count));
            }
        }
        found
    }

    fn symbol(&mut self, word: &str) -> (Symbol, Symbol) {
        let next = self.symbols.len() as Symbol;
        let symbol = *self.symbols.entry(word.to_owned()).or_insert(next);
        if symbol == next {
            self.in_patterns.push(false);
        }
        let next = self.stems.len() as Symbol;
        let stem = *self.stems.entry(stem(word)).or_insert(next);
        if stem == next {
            self.transparent.push(false);
        }
        (symbol, stem)
    }

    fn call(&mut self, wording: &str, d: DimensionId) {
        let found = words(wording);
        if found.is_empty() {
            return;
        }
        let mut node = DIMENSIONS;
        for word in found {
            node = self.down(node, &word.text);
        }
        if let Some(node) = self.nodes.get_mut(node as usize) {
            let known = |accept: &Accept| matches!(accept, Accept::Dimension(other) if *other == d);
            if !node.accepts.iter().any(known) {
                node.accepts.push(Accept::Dimension(d));
            }
        }
    }

    fn admit(&mut self, pattern: &Pattern) {
        let number = self.patterns.len() as u32;
        let mut used = false;
        for way in &pattern.wording.ways {
            for piece in way {
                if let Piece::Word(word) = piece {
                    let (symbol, _) = self.symbol(word);
                    if let Some(slot) = self.in_patterns.get_mut(symbol as usize) {
                        *slot = true;
                    }
                }
            }
            if let (
                Some(_),
                [Piece::Word(word), Piece::Hole(_)] | [Piece::Hole(_), Piece::Word(word)],
            ) = (pattern.identity(), way.as_slice())
            {
                let (_, stem) = self.symbol(word);
                if let Some(slot) = self.transparent.get_mut(stem as usize) {
                    *slot = true;
                }
                continue;
            }
            let holes = way.iter().filter(|piece| matches!(piece, Piece::Hole(_)));
            if holes.count() > MAX_HOLES {
                continue;
            }
            let mut node = QUESTIONS;
            let mut order = Vec::new();
            for piece in way {
                node = match piece {
                    Piece::Word(word) => self.down(node, word),
                    Piece::Hole(hole) => {
                        order.push(*hole as u8);
                        let kind = pattern.wording.holes.get(*hole).map(|hole| hole.kind);
                        self.down_hole(node, kind.unwrap_or(HoleKind::Thing))
                    }
                };
            }
            if let Some(node) = self.nodes.get_mut(node as usize) {
                let thing = |piece: Option<&Piece>| match piece {
                    Some(Piece::Hole(at)) => {
                        let hole = pattern.wording.holes.get(*at);
                        hole.is_some_and(|hole| hole.kind == HoleKind::Thing)
                    }
                    _ => false,
                };
                let owner = matches!(way.get(1), Some(Piece::Word(word)) if word == OWNER);
                node.accepts.push(Accept::Pattern {
                    number,
                    order,
                    owned: thing(way.first()) && owner,
                    begins: thing(way.first()),
                    open: thing(way.last()),
                });
                used = true;
            }
        }
        if used {
            self.patterns.push(pattern.clone());
        }
    }

    fn down(&mut self, node: u32, word: &str) -> u32 {
        let (symbol, stem) = self.symbol(word);
        let next = self.nodes.len() as u32;
        let Some(here) = self.nodes.get_mut(node as usize) else {
            return node;
        };
        if let Some(known) = here.branches.iter().find(|branch| branch.word == symbol) {
            return known.node;
        }
        here.branches.push(Branch {
            stem,
            word: symbol,
            node: next,
        });
        self.nodes.push(Node::default());
        next
    }

    fn down_hole(&mut self, node: u32, kind: HoleKind) -> u32 {
        let next = self.nodes.len() as u32;
        let Some(here) = self.nodes.get_mut(node as usize) else {
            return node;
        };
        let slot = match kind {
            HoleKind::Thing => &mut here.thing,
            HoleKind::Dimension => &mut here.dimension,
            HoleKind::Number => &mut here.number,
        };
        if let Some(known) = *slot {
            return known;
        }
        *slot = Some(next);
        self.nodes.push(Node::default());
        next
    }
}

/// Whether all dimensions of a pattern are there, or are holes.
fn usable(pattern: &Pattern, lattice: &Lattice) -> bool {
    let known = |name: &Name| {
        let holes = &pattern.wording.holes;
        name.text == "name"
            || holes
                .iter()
                .any(|hole| hole.kind == HoleKind::Dimension && hole.name == name.text)
            || lattice.find_dimension(&name.text).is_some()
    };
    let mut all = true;
    paths_of(&pattern.query, &mut |path| {
        all &= path.steps.iter().all(known)
    });
    all
}

/// Every path of a query.
pub(super) fn paths_of(query: &Query, told: &mut dyn FnMut(&Path)) {
    match query {
        Query::Meet(meet) => {
            paths_of_constraint(&meet.constraint, told);
            match &meet.returns {
                Some(Return::Paths(paths)) => paths.iter().for_each(told),
                Some(Return::Count(Some(path))) => told(path),
                _ => {}
            }
        }
        Query::Compare(compare) => paths_of_compare(compare, told),
        Query::Abstain { .. } | Query::Read(_) => {}
    }
}

fn paths_of_compare(compare: &Compare, told: &mut dyn FnMut(&Path)) {
    match compare {
        Compare::Relate {
            left, right, by, ..
        } => {
            for side in [left, right] {
                if let Side::Set(set) = side {
                    paths_of_set(set, told);
                }
            }
            by.iter().for_each(|by| told(&by.path));
        }
        Compare::Holds { constraint, .. } => paths_of_constraint(constraint, told),
        Compare::Extremum {
            of, by, returns, ..
        } => {
            if let Candidates::Set(set) = of {
                paths_of_set(set, told);
            }
            told(&by.path);
            returns.iter().flatten().for_each(told);
        }
        Compare::Bound { by, .. } | Compare::Order { by, .. } => told(&by.path),
    }
}

fn paths_of_set(set: &SetExpression, told: &mut dyn FnMut(&Path)) {
    if let SetExpression::Query { query, .. } = set {
        paths_of(query, told);
    }
}

fn paths_of_constraint(constraint: &Constraint, told: &mut dyn FnMut(&Path)) {
    match constraint {
        Constraint::And(all, _) | Constraint::Or(all, _) => {
            all.iter().for_each(|one| paths_of_constraint(one, told));
        }
        Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => {
            paths_of_constraint(inner, told);
        }
        Constraint::Test { path, operand, .. } => {
            told(path);
            if let Operand::Query { query, .. } = operand {
                paths_of(query, told);
            }
        }
        Constraint::In { path, set, .. } => {
            told(path);
            paths_of_set(set, told);
        }
        Constraint::Has { path, .. } => told(path),
    }
}
