//! The walk over all concepts: Close-by-One, with what later authors added to it.
//!
//! A concept's children are the concepts that one more attribute gives, if their
//! closure adds no earlier attribute (Kuznetsov, 1993). What makes it fast:
//! - an attribute that all objects of an extent have is found by the same
//!   intersection that tries it, so no closure is computed (In-Close: Andrews, 2009);
//! - an attribute that failed because of an earlier one fails below too, until that
//!   one is in the intent (FCbO: Outrata and Vychodil, 2012; here one witness for
//!   each attribute in place of a set);
//! - attributes that no object of an extent has are not tried below it;
//! - a test first intersects a few rows, which nearly always decides it, and looks
//!   only at the columns that are left;
//! - where an extent is small against the set of objects its bits range over, the walk goes
//!   on in a frame that has its objects alone.
//!
//! The walk keeps its own stack, of at most one level for each attribute, and tries
//! the last attribute first: concepts come in lectic order of their intents (Ganter,
//! 1984), the attributes ranked from the rarest to the most frequent.

use super::bits;
use super::ranked::Ranked;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// So many rows are intersected before columns are looked at.
const ROWS: usize = 8;

/// No witness.
const NONE: u32 = u32::MAX;

/// The objects that the bits of an extent stand for, and their columns.
struct Frame<'a> {
    objects: Vec<u32>,
    blocks: usize,
    columns: Cow<'a, [u64]>,
}

impl Frame<'_> {
    fn column(&self, attribute: usize) -> &[u64] {
        &self.columns[attribute * self.blocks..(attribute + 1) * self.blocks]
    }
}

/// An attribute that may give a child, and an earlier one that kept it from that.
#[derive(Clone, Copy)]
struct Candidate {
    attribute: u32,
    witness: u32,
}

/// One concept of the path that the walk is on. Its extent, intent, candidates and
/// children not yet visited are the last ones of the walk's stacks from these places.
struct Level {
    frame: usize,
    extent: usize,
    candidates: usize,
    children: usize,
}

/// A concept as the walk sees it: in classes of objects and attributes.
pub(super) struct Node<'a> {
    pub ranked: &'a Ranked,
    frame: Option<&'a Frame<'a>>,
    extent: &'a [u64],
    /// The attribute classes.
    pub intent: &'a [u64],
}

impl Node<'_> {
    /// The object classes, ascending.
    pub fn objects(&self) -> impl Iterator<Item = usize> + '_ {
        let objects = self.frame.map_or(&[][..], |frame| &frame.objects);
        bits::numbers(self.extent).map(|local| objects[local] as usize)
    }

    /// How many objects there are.
    pub fn support(&self) -> u64 {
        if self.ranked.objects.are_single() {
            return bits::size(self.extent);
        }
        self.objects().map(|c| self.ranked.objects.weight(c)).sum()
    }

    /// The set of objects, over the bits of [`Node::column`].
    pub fn extent(&self) -> &[u64] {
        self.extent
    }

    /// The objects with an attribute that is not in the intent, of those that the
    /// extent's bits stand for.
    pub fn column(&self, attribute: usize) -> &[u64] {
        self.frame.map_or(&[][..], |frame| frame.column(attribute))
    }

    /// How many objects a part of the extent stands for.
    pub fn weight(&self, part: &[u64]) -> u64 {
        weight(self.ranked, self.frame, part)
    }

    /// Adds to a set of attributes those that all objects of a non-empty part of the
    /// extent have.
    pub fn close(&self, part: &[u64], intent: &mut [u64], scratch: &mut Vec<u64>) {
        let Some(frame) = self.frame else { return };
        scratch.clear();
        scratch.extend(intent.iter().map(|block| !block));
        common_rows(
            self.ranked,
            |local| frame.objects[local] as usize,
            part,
            scratch,
        );
        for attribute in bits::numbers(scratch) {
            if bits::is_subset(part, frame.column(attribute)) {
                bits::insert(intent, attribute);
            }
        }
    }
}

/// How many objects a set of a frame stands for.
fn weight(ranked: &Ranked, frame: Option<&Frame<'_>>, set: &[u64]) -> u64 {
    match frame {
        Some(frame) if !ranked.objects.are_single() => bits::numbers(set)
            .map(|local| ranked.objects.weight(frame.objects[local] as usize))
            .sum(),
        _ => bits::size(set),
    }
}

/// Takes out of a set of attributes what a few of the objects lack. `object` tells
/// which class a bit of the extent stands for.
pub(super) fn common_rows(
    ranked: &Ranked,
    object: impl Fn(usize) -> usize,
    extent: &[u64],
    attributes: &mut [u64],
) {
    let mut left = ROWS;
    let mut skip = 0;
    while left > 0 {
        let mut found = false;
        for (k, &block) in extent.iter().enumerate() {
            let mut rest = block;
            for _ in 0..skip {
                rest &= rest.wrapping_sub(1);
            }
            if rest == 0 {
                continue;
            }
            found = true;
            let local = k * 64 + rest.trailing_zeros() as usize;
            let row = ranked.rows.row(object(local));
            let mut any = 0;
            for (a, b) in attributes.iter_mut().zip(row) {
                *a &= b;
                any |= *a;
            }
            left -= 1;
            if any == 0 || left == 0 {
                return;
            }
        }
        if !found {
            return;
        }
        skip += 1;
    }
}

/// The walk.
pub(super) struct Walk<'a> {
    ranked: &'a Ranked,
    minimum: u64,
    blocks: usize,
    frames: Vec<Frame<'a>>,
    levels: Vec<Level>,
    extents: Vec<u64>,
    intents: Vec<u64>,
    candidates: Vec<Candidate>,
    /// Places in `candidates`.
    children: Vec<usize>,
    trial: Vec<u64>,
    earlier: Vec<u64>,
}

impl<'a> Walk<'a> {
    /// A walk over the concepts that have at least so many objects, and one.
    pub fn new(ranked: &'a Ranked, minimum: u64) -> Walk<'a> {
        let objects = ranked.objects.len();
        let frame = Frame {
            objects: (0..objects as u32).collect(),
            blocks: bits::blocks(objects),
            columns: Cow::Borrowed(ranked.columns.all()),
        };
        let blocks = bits::blocks(ranked.attributes.len());
        Walk {
            ranked,
            minimum: minimum.max(1),
            blocks,
            trial: vec![0; frame.blocks],
            frames: vec![frame],
            levels: Vec::new(),
            extents: Vec::new(),
            intents: Vec::new(),
            candidates: Vec::new(),
            children: Vec::new(),
            earlier: vec![0; blocks],
        }
    }

    /// Goes to the first concept, which has all objects; false if there is none.
    pub fn begin(&mut self) -> bool {
        let objects = self.ranked.objects.len();
        self.extents.resize(bits::blocks(objects), 0);
        bits::fill(&mut self.extents, objects);
        if self.ranked.support(&self.extents) < self.minimum {
            return false;
        }
        let attributes = 0..self.ranked.attributes.len() as u32;
        self.candidates
            .extend(attributes.map(|attribute| Candidate {
                attribute,
                witness: NONE,
            }));
        self.intents.resize(self.blocks, 0);
        self.enter(0, 0, 0);
        true
    }

    /// Goes to the next concept; false after the last one.
    pub fn advance(&mut self) -> bool {
        while let Some(level) = self.levels.last() {
            if self.children.len() == level.children {
                self.leave();
                continue;
            }
            let (frame, extent) = (level.frame, level.extent);
            let Some(place) = self.children.pop() else {
                return false;
            };
            let attribute = self.candidates[place].attribute as usize;
            let start = self.extents.len();
            let blocks = self.frames[frame].blocks;
            self.extents.extend_from_within(extent..extent + blocks);
            bits::intersect(
                &mut self.extents[start..],
                self.frames[frame].column(attribute),
            );
            let intent = self.intents.len() - self.blocks;
            self.intents.extend_from_within(intent..);
            let intent = self.intents.len() - self.blocks;
            bits::insert(&mut self.intents[intent..], attribute);
            self.enter(frame, start, place + 1);
            return true;
        }
        false
    }

    /// Takes the last child of the present concept from the walk if nothing can lie below
    /// it, and tells whether it did.
    pub fn take_leaf(&mut self) -> bool {
        let Some(level) = self.levels.last() else {
            return false;
        };
        if self.children.len() > level.children
            && self.children.last().map(|place| place + 1) == Some(self.candidates.len())
        {
            self.children.pop();
            return true;
        }
        false
    }

    /// The present concept.
    pub fn node(&self) -> Node<'_> {
        let (frame, extent) = match self.levels.last() {
            Some(level) => (self.frames.get(level.frame), &self.extents[level.extent..]),
            None => (None, &[][..]),
        };
        let intent = self.intents.len().saturating_sub(self.blocks);
        Node {
            ranked: self.ranked,
            frame,
            extent,
            intent: &self.intents[intent..],
        }
    }

    fn leave(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        self.extents.truncate(level.extent);
        self.intents.truncate(self.intents.len() - self.blocks);
        self.candidates.truncate(level.candidates);
        let frames = self.levels.last().map_or(1, |above| above.frame + 1);
        self.frames.truncate(frames);
    }

    /// Makes the concept whose extent lies last the present one. Its candidates are those
    /// of the concept above, from a place on.
    fn enter(&mut self, frame: usize, extent: usize, inherited: usize) {
        let level = Level {
            frame,
            extent,
            candidates: self.candidates.len(),
            children: self.children.len(),
        };
        for place in inherited..level.candidates {
            self.attempt(&level, place);
        }
        self.levels.push(level);
        self.narrow();
    }

    /// Tries one inherited candidate.
    fn attempt(&mut self, level: &Level, place: usize) {
        let candidate = self.candidates[place];
        let attribute = candidate.attribute as usize;
        let start = self.intents.len() - self.blocks;
        let intent = &mut self.intents[start..];
        if candidate.witness != NONE && !bits::contains(intent, candidate.witness as usize) {
            self.candidates.push(candidate);
            return;
        }
        let frame = &self.frames[level.frame];
        let extent = &self.extents[level.extent..];
        let trial = &mut self.trial[..frame.blocks];
        let (mut any, mut lost) = (0, 0);
        for ((new, old), column) in trial.iter_mut().zip(extent).zip(frame.column(attribute)) {
            *new = old & column;
            any |= *new;
            lost |= *new ^ old;
        }
        if any == 0 {
            return;
        }
        if lost == 0 {
            bits::insert(intent, attribute);
            return;
        }
        if self.minimum > 1 && weight(self.ranked, Some(frame), trial) < self.minimum {
            return;
        }
        let earlier = &mut self.earlier[..attribute / 64 + 1];
        for (block, old) in earlier.iter_mut().zip(intent.iter()) {
            *block = !old;
        }
        earlier[attribute / 64] &= (1 << (attribute % 64)) - 1;
        common_rows(
            self.ranked,
            |local| frame.objects[local] as usize,
            trial,
            earlier,
        );
        let witness = bits::numbers(earlier).find(|a| bits::is_subset(trial, frame.column(*a)));
        if witness.is_none() {
            self.children.push(self.candidates.len());
        }
        self.candidates.push(Candidate {
            attribute: candidate.attribute,
            witness: witness.map_or(NONE, |witness| witness as u32),
        });
    }

    /// Goes on in a frame of the present extent alone, where that is much smaller.
    fn narrow(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let frame = &self.frames[level.frame];
        if frame.blocks < 4 || self.children.len() < level.children + 2 {
            return;
        }
        let extent = &self.extents[level.extent..];
        let size = bits::size(extent) as usize;
        if size * 3 > frame.objects.len() {
            return;
        }
        let start = self.intents.len() - self.blocks;
        let intent = &self.intents[start..];
        let objects: Vec<u32> = bits::numbers(extent)
            .map(|local| frame.objects[local])
            .collect();
        let blocks = bits::blocks(size);
        let mut columns = vec![0; self.ranked.attributes.len() * blocks];
        for (local, &object) in objects.iter().enumerate() {
            for (k, (row, known)) in self
                .ranked
                .rows
                .row(object as usize)
                .iter()
                .zip(intent)
                .enumerate()
            {
                for bit in bits::numbers(&[row & !known]) {
                    let at = (k * 64 + bit) * blocks;
                    columns[at + local / 64] |= 1 << (local % 64);
                }
            }
        }
        level.frame = self.frames.len();
        self.extents.truncate(level.extent + blocks);
        bits::fill(&mut self.extents[level.extent..], size);
        self.frames.push(Frame {
            objects,
            blocks,
            columns: Cow::Owned(columns),
        });
    }
}

/// Visits every concept with at least so many objects. The one without objects comes
/// last, with all attributes.
pub(super) fn walk(
    ranked: &Ranked,
    minimum: u64,
    mut visit: impl FnMut(&Node<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut walk = Walk::new(ranked, minimum);
    let mut more = walk.begin();
    while more {
        visit(&walk.node())?;
        more = walk.advance();
    }
    if minimum == 0 && has_empty_extent(ranked) {
        let mut intent = vec![0; bits::blocks(ranked.attributes.len())];
        bits::fill(&mut intent, ranked.attributes.len());
        visit(&Node {
            ranked,
            frame: None,
            extent: &[],
            intent: &intent,
        })?;
    }
    ControlFlow::Continue(())
}

/// Whether no object has all attributes, so that a concept has no objects.
pub(super) fn has_empty_extent(ranked: &Ranked) -> bool {
    let attributes = ranked.attributes.len();
    let mut rows = (0..ranked.objects.len()).map(|object| ranked.rows.row(object));
    !rows.any(|row| bits::size(row) == attributes as u64)
}
