//! Every stretch of a question with all that it can mean: a chart parser.
//!
//! Patterns are the rules of a grammar in which every hole is a stretch that has a
//! meaning itself. A reading costs what its pieces cost (see [`cost`]); of each
//! stretch the cheapest readings are kept. Earley (1970) is the scheme: for each
//! beginning, from right to left, wordings are followed word by word, and a hole takes
//! every stretch that has already been read.

use super::extents::{Extent, Extents, Fits};
use super::lexicon::{Accept, DIMENSIONS, Lexicon, MAX_HOLES, QUESTIONS, Symbol, UNKNOWN};
use super::names::{Link, Names};
use super::sorts::{Filled, Misfit, Sort};
use super::words::{Words, question};
use crate::lattice::{DimensionId, Lattice, ValueId};
use std::rc::Rc;

/// What a piece of a reading costs. A reading of few pieces that matches its words
/// letter by letter is better than one of many that does not.
pub(super) mod cost {
    /// A pattern.
    pub const PATTERN: u32 = 100;
    /// A pattern that leaves its hole as it is.
    pub const IDENTITY: u32 = 10;
    /// Words for a dimension.
    pub const DIMENSION: u32 = 20;
    /// The same dimension named once more.
    pub const AGAIN: u32 = 8;
    /// A name.
    pub const NAME: u32 = 12;
    /// A name that is spelled otherwise in the lattice.
    pub const RESPELLED: u32 = 4;
    /// A name that consists of words that questions are made of.
    pub const COMMON: u32 = 40;
    /// A word of which only the stem fits.
    pub const STEM: u32 = 5;
    /// A word of the question that is passed over.
    pub const PASSED: u32 = 3;
    /// What belongs to the nearer thing said of the farther: `[the largest city] in
    /// Ohio` for `the largest [city in Ohio]`.
    pub const EARLY: u32 = 1;
    /// An owner that is more than the name before `'s`: `[the son of Ada]'s wife`.
    pub const FAR: u32 = 60;
}

/// So many readings are kept of each stretch.
const KEPT: usize = 8;
/// A question is followed for so many steps, then it counts as not understood.
const MAX_STEPS: u32 = 2_000_000;
/// A question may have so many words.
pub(super) const MAX_WORDS: usize = 96;

/// What stands in a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Filler {
    /// A reading of a stretch.
    Item(u32),
    /// A dimension.
    Dimension(DimensionId),
    /// The word with this number, a number.
    Number(u32),
}

/// What a reading consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A name: an index into the links.
    Name(usize),
    /// A value of a taxonomy, as the set of what is at it.
    Value(DimensionId, ValueId),
    /// A pattern, and its holes by number.
    Pattern(u32, [Option<Filler>; MAX_HOLES]),
}

/// A reading of a stretch.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub meaning: Meaning,
    pub sort: Rc<Sort>,
    pub cost: u32,
    /// Whether it ends with a thing that it says something of.
    pub open: bool,
}

/// A wording that has been followed up to some word.
#[derive(Clone, Copy)]
struct Edge {
    node: u32,
    cost: u32,
    fillers: [Option<Filler>; MAX_HOLES],
}

/// A question being read.
pub(super) struct Chart<'a> {
    lexicon: &'a Lexicon,
    extents: &'a Extents,
    lattice: &'a Lattice,
    fits: Fits,
    pub words: Words,
    symbols: Vec<(Symbol, Symbol)>,
    links: Vec<Link>,
    items: Vec<Item>,
    /// By beginning and end.
    cells: Vec<Vec<u32>>,
    dimensions: Vec<Vec<(DimensionId, u32)>>,
    steps: u32,
}

impl<'a> Chart<'a> {
    /// Reads a question.
    pub(super) fn read(
        text: &str,
        lexicon: &'a Lexicon,
        names: &Names,
        extents: &'a Extents,
        lattice: &'a Lattice,
    ) -> Chart<'a> {
        let mut words = question(text);
        words.words.truncate(MAX_WORDS);
        let symbols = words.words.iter().map(|word| match word.fence {
            None => lexicon.symbols(&word.text),
            Some(_) => (UNKNOWN, UNKNOWN),
        });
        let symbols: Vec<_> = symbols.collect();
        let size = words.words.len() + 1;
        let mut chart = Chart {
            lexicon,
            extents,
            lattice,
            fits: Fits::default(),
            words,
            symbols,
            links: Vec::new(),
            items: Vec::new(),
            cells: vec![Vec::new(); size * size],
            dimensions: vec![Vec::new(); size * size],
            steps: 0,
        };
        chart.link(text, names);
        chart.name_dimensions();
        for start in (0..chart.len()).rev() {
            chart.begin_at(start);
        }
        chart
    }

    pub(super) fn len(&self) -> usize {
        self.words.words.len()
    }

    pub(super) fn lattice(&self) -> &'a Lattice {
        self.lattice
    }

    pub(super) fn lexicon(&self) -> &'a Lexicon {
        self.lexicon
    }

    pub(super) fn name(&self, link: usize) -> Option<&Link> {
        self.links.get(link)
    }

    pub(super) fn item(&self, item: u32) -> Option<&Item> {
        self.items.get(item as usize)
    }

    pub(super) fn sort(&self, item: u32) -> Sort {
        self.item(item)
            .map_or(Sort::Final, |item| Sort::clone(&item.sort))
    }

    /// The readings of a stretch, the cheapest first.
    pub(super) fn cell(&self, start: usize, end: usize) -> &[u32] {
        let at = start * (self.len() + 1) + end;
        self.cells.get(at).map_or(&[], Vec::as_slice)
    }

    fn cell_mut(&mut self, start: usize, end: usize) -> Option<&mut Vec<u32>> {
        let at = start * (self.len() + 1) + end;
        self.cells.get_mut(at)
    }

    fn dimensions_at(&self, start: usize, end: usize) -> &[(DimensionId, u32)] {
        let at = start * (self.len() + 1) + end;
        self.dimensions.get(at).map_or(&[], Vec::as_slice)
    }

    /// Whether a word may be passed over.
    pub(super) fn is_transparent(&self, at: usize) -> bool {
        let symbol = self.symbols.get(at).map_or(UNKNOWN, |(_, stem)| *stem);
        self.lexicon.is_transparent(symbol)
    }

    /// Whether the words of a stretch are all those that questions are made of.
    fn is_common(&self, start: usize, end: usize) -> bool {
        let stretch = self.symbols.get(start..end).unwrap_or_default();
        stretch.iter().all(|(word, _)| *word != UNKNOWN)
    }

    /// The words that neither a name nor the vocabulary has.
    pub(super) fn unknown_words(&self) -> Vec<&str> {
        let mut named = vec![false; self.len()];
        for start in 0..self.len() {
            for end in start + 1..=self.len() {
                if !self.cell(start, end).is_empty() {
                    named
                        .iter_mut()
                        .take(end)
                        .skip(start)
                        .for_each(|slot| *slot = true);
                }
            }
        }
        let words = self.words.words.iter().zip(&self.symbols).zip(named);
        words
            .filter(|((_, (_, stem)), named)| *stem == UNKNOWN && !named)
            .map(|((word, _), _)| word.text.as_str())
            .collect()
    }

    pub(super) fn fit(&mut self, a: Extent, b: Extent) -> Result<(), Misfit> {
        match self.extents.fit(a, b, &mut self.fits) {
            true => Ok(()),
            false => Err(Misfit),
        }
    }

    /// Whether something of this name stands in an extent. A name in brackets that the
    /// lattice lacks may stand anywhere: that it is unknown is then what is answered.
    pub(super) fn fit_named(&mut self, link: usize, extent: Extent) -> Result<(), Misfit> {
        let Some(link) = self.links.get(link) else {
            return Err(Misfit);
        };
        let mut instances = link.instances.iter();
        let stands = instances.any(|i| self.extents.has(extent, *i, &mut self.fits));
        match stands || link.is_unknown() {
            true => Ok(()),
            false => Err(Misfit),
        }
    }

    // ------------------------------------------------------------------ names

    fn link(&mut self, text: &str, names: &Names) {
        let fences = self.words.fences.clone();
        for (number, span) in fences.into_iter().enumerate() {
            let inside = |word: &super::words::Word| word.fence == Some(number);
            let all = &self.words.words;
            let Some(start) = all.iter().position(inside) else {
                continue;
            };
            let count = all.iter().filter(|word| inside(word)).count();
            let link = names.fenced(
                text.get(span).unwrap_or_default().trim(),
                &joined(all, start, start + count),
            );
            self.admit_link(link, start, start + count);
        }
        for start in 0..self.len() {
            let furthest = (start + names.longest()).min(self.len());
            for end in start + 1..=furthest {
                let all = &self.words.words;
                if all.get(end - 1).is_none_or(|word| word.fence.is_some()) {
                    break;
                }
                let written = all.get(start).zip(all.get(end - 1));
                let span = written.map(|(first, last)| first.span.start..last.span.end);
                let raw = span.and_then(|span| text.get(span)).unwrap_or_default();
                if let Some(link) = names.find(&joined(all, start, end), raw) {
                    self.admit_link(link, start, end);
                }
            }
        }
    }

    fn admit_link(&mut self, link: Link, start: usize, end: usize) {
        let mut cost = cost::NAME;
        if !link.exact {
            cost += cost::RESPELLED;
        }
        for (d, v) in &link.values {
            self.items.push(Item {
                meaning: Meaning::Value(*d, *v),
                sort: Rc::new(Sort::Instances(vec![Extent::Below(*d, *v)])),
                cost,
                open: false,
            });
            let item = self.items.len() as u32 - 1;
            self.cell_mut(start, end)
                .into_iter()
                .for_each(|cell| cell.push(item));
        }
        if !link.fenced && link.values.is_empty() && self.is_common(start, end) {
            cost += cost::COMMON;
        }
        let number = self.links.len();
        self.links.push(link);
        self.items.push(Item {
            meaning: Meaning::Name(number),
            sort: Rc::new(Sort::Named(number)),
            cost,
            open: false,
        });
        let item = self.items.len() as u32 - 1;
        self.cell_mut(start, end)
            .into_iter()
            .for_each(|cell| cell.push(item));
    }

    // ------------------------------------------------------------- dimensions

    /// The stretches that name a dimension; the same dimension named twice in a row is
    /// named once.
    fn name_dimensions(&mut self) {
        let size = self.len() + 1;
        for start in (0..self.len()).rev() {
            let mut found: Vec<Vec<(DimensionId, u32)>> = vec![Vec::new(); size];
            self.follow_dimension(DIMENSIONS, start, cost::DIMENSION, &mut found);
            for end in start + 1..size {
                let here = found.get(end).cloned().unwrap_or_default();
                for (d, cost) in here {
                    for further in end + 1..size {
                        let again = self.dimensions_at(end, further).iter();
                        let again = again.filter(|(other, _)| *other == d);
                        let costs = again.map(|(_, more)| {
                            cost + more.saturating_sub(cost::DIMENSION) + cost::AGAIN
                        });
                        let costs: Vec<u32> = costs.collect();
                        if let Some(slot) = found.get_mut(further) {
                            slot.extend(costs.into_iter().map(|cost| (d, cost)));
                        }
                    }
                }
            }
            for (end, mut all) in found.into_iter().enumerate() {
                all.sort_unstable();
                all.dedup_by_key(|(d, _)| *d);
                if let Some(slot) = self.dimensions.get_mut(start * size + end) {
                    *slot = all;
                }
            }
        }
    }

    fn follow_dimension(
        &self,
        node: u32,
        at: usize,
        cost: u32,
        found: &mut [Vec<(DimensionId, u32)>],
    ) {
        let Some(here) = self.lexicon.nodes.get(node as usize) else {
            return;
        };
        for accept in &here.accepts {
            if let (Accept::Dimension(d), Some(slot)) = (accept, found.get_mut(at)) {
                slot.push((*d, cost));
            }
        }
        let Some(&(word, stem)) = self.symbols.get(at) else {
            return;
        };
        if stem == UNKNOWN {
            return;
        }
        let first = here.branches.partition_point(|branch| branch.stem < stem);
        let branches = here.branches.get(first..).unwrap_or_default();
        for branch in branches.iter().take_while(|branch| branch.stem == stem) {
            let more = if branch.word == word { 0 } else { cost::STEM };
            self.follow_dimension(branch.node, at + 1, cost + more, found);
        }
    }

    // --------------------------------------------------------------- patterns

    fn begin_at(&mut self, start: usize) {
        let mut agenda: Vec<Vec<Edge>> = vec![Vec::new(); self.len() + 1];
        if let Some(first) = agenda.get_mut(start) {
            first.push(Edge {
                node: QUESTIONS,
                cost: cost::PATTERN,
                fillers: [None; MAX_HOLES],
            });
        }
        // Wordings that begin with a hole wait for what stands in it.
        let waiting = self.drain(start, start, &mut agenda);
        for end in start + 1..=self.len() {
            let mut found = self
                .cell_mut(start, end)
                .map(std::mem::take)
                .unwrap_or_default();
            for edge in self.drain(start, end, &mut agenda) {
                self.accept(&edge, &mut found);
            }
            self.keep(&mut found);
            for edge in &waiting {
                let Some(hole) = self.node(edge.node).and_then(|node| node.thing) else {
                    continue;
                };
                for &item in &found {
                    let cost = self.item(item).map_or(0, |item| item.cost);
                    let edge = filled(*edge, hole, Filler::Item(item), cost);
                    if let (Some(edge), Some(slot)) = (edge, agenda.get_mut(end)) {
                        slot.push(edge);
                    }
                }
            }
            if let Some(cell) = self.cell_mut(start, end) {
                *cell = found;
            }
            self.drain(start, end, &mut agenda);
        }
    }

    /// Follows every edge that has come to a word, and gives them back.
    fn drain(&mut self, start: usize, at: usize, agenda: &mut [Vec<Edge>]) -> Vec<Edge> {
        let mut edges = agenda.get_mut(at).map(std::mem::take).unwrap_or_default();
        let mut next = 0;
        while let Some(edge) = edges.get(next).copied() {
            next += 1;
            self.follow(start, at, edge, agenda);
            if let Some(more) = agenda.get_mut(at) {
                edges.append(more);
            }
        }
        edges
    }

    fn node(&self, node: u32) -> Option<&'a super::lexicon::Node> {
        self.lexicon.nodes.get(node as usize)
    }

    /// One step on from an edge: by the next word, past it, or into a hole.
    fn follow(&mut self, start: usize, at: usize, edge: Edge, agenda: &mut [Vec<Edge>]) {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return;
        }
        let Some(node) = self.node(edge.node) else {
            return;
        };
        let mut put = |at: usize, edge: Edge| {
            if let Some(slot) = agenda.get_mut(at) {
                slot.push(edge);
            }
        };
        if at >= self.len() {
            return;
        }
        let (word, stem) = self.symbols.get(at).copied().unwrap_or((UNKNOWN, UNKNOWN));
        if stem != UNKNOWN {
            let first = node.branches.partition_point(|branch| branch.stem < stem);
            let branches = node.branches.get(first..).unwrap_or_default();
            for branch in branches.iter().take_while(|branch| branch.stem == stem) {
                let more = if branch.word == word { 0 } else { cost::STEM };
                put(
                    at + 1,
                    Edge {
                        node: branch.node,
                        cost: edge.cost + more,
                        ..edge
                    },
                );
            }
        }
        if at > start && self.is_transparent(at) {
            put(
                at + 1,
                Edge {
                    cost: edge.cost + cost::PASSED,
                    ..edge
                },
            );
        }
        if let Some(hole) = node.dimension {
            for end in at + 1..=self.len() {
                for &(d, cost) in self.dimensions_at(at, end) {
                    if let Some(edge) = filled(edge, hole, Filler::Dimension(d), cost) {
                        put(end, edge);
                    }
                }
            }
        }
        if let Some(hole) = node.number {
            let is_number = self
                .words
                .words
                .get(at)
                .is_some_and(|word| word.text.bytes().all(|b| b.is_ascii_digit()));
            if is_number
                && let Some(edge) = filled(edge, hole, Filler::Number(at as u32), cost::NAME)
            {
                put(at + 1, edge);
            }
        }
        // At the beginning the hole waits for the stretch to be read.
        if at > start
            && let Some(hole) = node.thing
        {
            for end in at + 1..=self.len() {
                for &item in self.cell(at, end) {
                    let cost = self.item(item).map_or(0, |item| item.cost);
                    if let Some(edge) = filled(edge, hole, Filler::Item(item), cost) {
                        put(end, edge);
                    }
                }
            }
        }
    }

    /// The patterns that end with an edge, as readings.
    fn accept(&mut self, edge: &Edge, found: &mut Vec<u32>) {
        let lexicon = self.lexicon;
        let Some(node) = self.node(edge.node) else {
            return;
        };
        for accept in &node.accepts {
            let Accept::Pattern {
                number,
                order,
                owned,
                begins,
                open,
            } = accept
            else {
                continue;
            };
            let Some(pattern) = lexicon.patterns.get(*number as usize) else {
                continue;
            };
            let Some(fillers) = by_number(&edge.fillers, order) else {
                continue;
            };
            let filled = Filled { pattern, fillers };
            let Ok(sort) = filled.sort(self) else {
                continue;
            };
            let loose = match edge.fillers.first() {
                Some(Some(Filler::Item(item))) => self.item(*item).is_some_and(|item| item.open),
                _ => false,
            };
            let far = match (loose, owned, begins) {
                (true, true, _) => cost::FAR,
                (true, false, true) => cost::EARLY,
                _ => 0,
            };
            let identity = pattern.identity().is_some();
            self.items.push(Item {
                meaning: Meaning::Pattern(*number, fillers),
                sort: Rc::new(sort),
                cost: far
                    + match identity {
                        true => edge.cost - cost::PATTERN + cost::IDENTITY,
                        false => edge.cost,
                    },
                open: *open,
            });
            found.push(self.items.len() as u32 - 1);
        }
    }

    /// Keeps the cheapest readings, those found first where several cost the same.
    fn keep(&self, found: &mut Vec<u32>) {
        found.sort_by_key(|item| (self.item(*item).map_or(0, |item| item.cost), *item));
        let mut kept: Vec<u32> = Vec::new();
        for item in found.drain(..) {
            let meaning = self.item(item).map(|item| &item.meaning);
            let known = |other: &u32| self.item(*other).map(|item| &item.meaning) == meaning;
            if kept.len() < KEPT && !kept.iter().any(known) {
                kept.push(item);
            }
        }
        *found = kept;
    }
}

fn filled(mut edge: Edge, node: u32, filler: Filler, cost: u32) -> Option<Edge> {
    let slot = edge.fillers.iter_mut().find(|slot| slot.is_none())?;
    *slot = Some(filler);
    edge.node = node;
    edge.cost += cost;
    Some(edge)
}

/// Fillers in the order of the wording → by number of the hole. None if a hole that
/// stands twice is filled in two ways.
fn by_number(
    fillers: &[Option<Filler>; MAX_HOLES],
    order: &[u8],
) -> Option<[Option<Filler>; MAX_HOLES]> {
    let mut numbered = [None; MAX_HOLES];
    for (filler, hole) in fillers.iter().zip(order) {
        let slot = numbered.get_mut(usize::from(*hole))?;
        match *slot {
            None => *slot = *filler,
            same if same == *filler => {}
            _ => return None,
        }
    }
    Some(numbered)
}

fn joined(words: &[super::words::Word], start: usize, end: usize) -> String {
    let stretch = words.get(start..end).unwrap_or_default();
    let texts: Vec<&str> = stretch.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}
