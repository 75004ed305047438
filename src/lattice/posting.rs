//! Postings: which instances have a value, or one of several.
//!
//! A posting is a list of numbers, or a roaring bitmap where that is smaller. Values
//! have one each; what a question often unites has one more, so that no answer walks
//! a whole taxonomy or a whole scale: see [`Grouped`].
#![deny(clippy::indexing_slicing)]

use super::bits;
use super::blocks::{members, set_of, set_of_words};
use super::pack::{Packer, Unpacker};
use super::pages::{Array, Pages, Span};
use crate::order::Dag;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// A group of a scale has so many members of the level below it.
const FAN: u32 = 16;
/// As many nodes may be looked at for one value before their union is kept.
const NEAR: u64 = 8;
/// So many unions may be kept one above the other whatever they add; more than that
/// only if each has twice what is below it. So a taxonomy of any depth takes no more
/// than (`LEVELS` + log n) n.
const LEVELS: u32 = 24;
/// Rows with one instance for so many words of bits are united as bits.
const FEW: usize = 8;

/// Some instances.
#[derive(Clone, Debug)]
pub enum Posting<'a> {
    /// Their numbers, ascending.
    List(&'a [u32]),
    /// A serialized bitmap, and how many there are.
    Bitmap(&'a [u8], u32),
    /// A set that is stored nowhere.
    Set(RoaringBitmap),
}

impl Posting<'_> {
    /// How many instances.
    pub fn len(&self) -> usize {
        match self {
            Posting::List(list) => list.len(),
            Posting::Bitmap(_, count) => *count as usize,
            Posting::Set(set) => set.len() as usize,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instances as a set.
    pub fn to_set(&self) -> RoaringBitmap {
        match self {
            Posting::List(list) => list.iter().copied().collect(),
            Posting::Bitmap(bytes, _) => {
                RoaringBitmap::deserialize_from(*bytes).unwrap_or_default()
            }
            Posting::Set(set) => set.clone(),
        }
    }

    /// The instances, ascending.
    pub fn to_vec(&self) -> Vec<u32> {
        match self {
            Posting::List(list) => list.to_vec(),
            Posting::Bitmap(..) => self.to_set().iter().collect(),
            Posting::Set(set) => set.iter().collect(),
        }
    }

    /// The least instance.
    pub fn first(&self) -> Option<u32> {
        match self {
            Posting::List(list) => list.first().copied(),
            Posting::Bitmap(..) => self.to_set().min(),
            Posting::Set(set) => set.min(),
        }
    }
}

/// Where the arrays of postings by key lie.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PostingLayout {
    keys: Span,
    counts: Span,
    offsets: Span,
    lists: Span,
    places: Span,
    ends: Span,
    bitmaps: Span,
}

impl PostingLayout {
    pub(super) fn of(unpacker: &mut Unpacker<'_>) -> Option<PostingLayout> {
        let layout = PostingLayout {
            keys: unpacker.span::<u32>()?,
            counts: unpacker.span::<u32>()?,
            offsets: unpacker.span::<u32>()?,
            lists: unpacker.span::<u32>()?,
            places: unpacker.span::<u32>()?,
            ends: unpacker.span::<u64>()?,
            bitmaps: unpacker.span::<u8>()?,
        };
        let shaped = layout.counts.length == layout.keys.length
            && layout.offsets.length == layout.keys.length + 1
            && layout.ends.length == layout.places.length;
        shaped.then_some(layout)
    }
}

/// Postings by key, in a section.
#[derive(Clone, Copy)]
pub(super) struct PostingTable<'a> {
    pages: Pages<'a>,
    layout: &'a PostingLayout,
}

impl<'a> PostingTable<'a> {
    pub(super) fn new(pages: Pages<'a>, layout: &'a PostingLayout) -> PostingTable<'a> {
        PostingTable { pages, layout }
    }

    /// The keys, ascending.
    pub(super) fn keys(&self) -> Array<'a, u32> {
        Array::at(self.pages, self.layout.keys)
    }

    fn counts(&self) -> Array<'a, u32> {
        Array::at(self.pages, self.layout.counts)
    }

    /// How many keys have a posting.
    pub(super) fn len(&self) -> usize {
        self.layout.keys.length
    }

    /// The posting of a key; none if it has none.
    pub(super) fn of(&self, key: u32) -> Option<Posting<'a>> {
        self.keys().find(key).map(|k| self.at(k))
    }

    /// How many instances a key has; none if it has no posting.
    pub(super) fn count(&self, key: u32) -> Option<u32> {
        self.keys().find(key).and_then(|k| self.counts().get(k))
    }

    /// How many instances the `k`th key has.
    pub(super) fn count_at(&self, k: usize) -> Option<u32> {
        self.counts().get(k)
    }

    /// The posting of the `k`th key. Its list is a row of `lists`; where that is empty,
    /// its bitmap has a place among `places`.
    pub(super) fn at(&self, k: usize) -> Posting<'a> {
        let offsets: Array<'a, u32> = Array::at(self.pages, self.layout.offsets);
        let lists: Array<'a, u32> = Array::at(self.pages, self.layout.lists);
        let list = lists.range(offsets.row(k));
        if !list.is_empty() || self.layout.places.length == 0 {
            return Posting::List(list);
        }
        let places: Array<'a, u32> = Array::at(self.pages, self.layout.places);
        let Some(place) = u32::try_from(k).ok().and_then(|k| places.find(k)) else {
            return Posting::List(&[]);
        };
        let ends: Array<'a, u64> = Array::at(self.pages, self.layout.ends);
        let start = match place.checked_sub(1) {
            Some(before) => ends.get(before).unwrap_or(0),
            None => 0,
        };
        let end = ends.get(place).unwrap_or(start).max(start);
        let bitmaps: Array<'a, u8> = Array::at(self.pages, self.layout.bitmaps);
        let bytes = bitmaps.range(start as usize..end as usize);
        Posting::Bitmap(bytes, self.counts().get(k).unwrap_or(0))
    }
}

/// Postings as they are collected.
#[derive(Default)]
pub(super) struct PostingWriter {
    keys: Vec<u32>,
    counts: Vec<u32>,
    offsets: Vec<u32>,
    lists: Vec<u32>,
    places: Vec<u32>,
    ends: Vec<u64>,
    bitmaps: Vec<u8>,
}

impl PostingWriter {
    /// Adds the posting of the next key, ascending instances.
    pub(super) fn push(&mut self, key: u32, instances: &[u32]) {
        // Below this a bitmap's headers are never worth it.
        let set = (instances.len() >= 8).then(|| set_of(instances));
        let is_set = set.is_some_and(|mut set| self.push_bitmap(key, &mut set));
        if !is_set {
            self.push_list(key, instances);
        }
    }

    /// The same of a set.
    fn push_set(&mut self, key: u32, mut set: RoaringBitmap) {
        if !self.push_bitmap(key, &mut set) {
            self.push_list(key, &members(&set));
        }
    }

    fn push_list(&mut self, key: u32, instances: &[u32]) {
        self.head(key, instances.len());
        self.lists.extend_from_slice(instances);
    }

    fn head(&mut self, key: u32, count: usize) {
        self.keys.push(key);
        self.counts.push(count as u32);
        self.offsets.push(self.lists.len() as u32);
    }

    /// Adds a posting as a bitmap; false if a list is smaller.
    fn push_bitmap(&mut self, key: u32, set: &mut RoaringBitmap) -> bool {
        set.optimize();
        let count = set.len() as usize;
        if set.serialized_size() >= count * size_of::<u32>() {
            return false;
        }
        self.places.push(self.keys.len() as u32);
        self.head(key, count);
        // Writing to a Vec does not fail.
        let _ = set.serialize_into(&mut self.bitmaps);
        self.ends.push(self.bitmaps.len() as u64);
        true
    }

    pub(super) fn pack(mut self, packer: &mut Packer) {
        self.offsets.push(self.lists.len() as u32);
        packer
            .array(&self.keys)
            .array(&self.counts)
            .array(&self.offsets)
            .array(&self.lists)
            .array(&self.places)
            .array(&self.ends)
            .array(&self.bitmaps);
    }
}

/// Which unions of postings are kept.
#[derive(Clone, Copy)]
pub(super) enum Grouped<'a> {
    /// None: equality is all that is asked.
    Not,
    /// Of a taxonomy: those of what lies below a value, where that is far.
    Below(&'a Dag),
    /// Of a scale: those of 16 neighbours, of 16 such groups, and so on.
    Scale,
}

/// The key of a group: its level, from 1, and its number.
pub(super) fn group_key(level: u32, group: u32) -> u32 {
    (level << 28) | group
}

/// Up to so many prefixes of a scale are kept.
const PREFIXES: usize = 32;

/// The unions of the postings from the first value on, each up to a place among the
/// values: so that about as many instances lie between one and the next. Where no
/// instance has two values a range is the difference of two of them, and the rest at
/// its ends.
pub(super) fn prefixes<'r>(
    grouped: Grouped<'_>,
    multiple: bool,
    (instances, count): (usize, usize),
    row: impl Fn(usize) -> &'r [u32],
) -> PostingWriter {
    let mut writer = PostingWriter::default();
    if !matches!(grouped, Grouped::Scale) || multiple || count <= FAN as usize {
        return writer;
    }
    let total: usize = (0..count).map(|k| row(k).len()).sum();
    let share = total.div_ceil(PREFIXES).max(1);
    let mut words = vec![0; instances.div_ceil(64)];
    let (mut seen, mut next) = (0, share);
    for k in 0..count {
        bits::put(&mut words, row(k));
        seen += row(k).len();
        if seen >= next {
            writer.push_set(k as u32 + 1, set_of_words(&words));
            next = seen + share;
        }
    }
    writer
}

/// The unions of the postings of `heads`, whose instances are the rows of `postings`.
pub(super) fn groups<'r>(
    grouped: Grouped<'_>,
    instances: usize,
    heads: &[u32],
    row: impl Fn(usize) -> &'r [u32],
) -> PostingWriter {
    let mut writer = PostingWriter::default();
    let mut uniting = Uniting {
        words: vec![0; instances.div_ceil(64)],
    };
    match grouped {
        Grouped::Not => {}
        Grouped::Below(dag) => {
            let counts: Vec<u32> = (0..heads.len()).map(|k| row(k).len() as u32).collect();
            for value in kept(dag, heads, &counts) {
                let below = dag.down(value);
                let rows: Vec<&[u32]> = within(heads, &below).into_iter().map(&row).collect();
                uniting.push(value, &rows, &mut writer);
            }
        }
        Grouped::Scale => {
            // The rows of a group of any level lie beside one another.
            let (mut level, mut width) = (1, FAN as usize);
            let places: Vec<usize> = (0..heads.len()).collect();
            while heads.len() > width {
                for (group, places) in (0u32..).zip(places.chunks(width)) {
                    let rows: Vec<&[u32]> = places.iter().map(|k| row(*k)).collect();
                    uniting.push(group_key(level, group), &rows, &mut writer);
                }
                level += 1;
                width *= FAN as usize;
            }
        }
    }
    writer
}

/// The places in `heads` of the values of a set.
fn within(heads: &[u32], set: &RoaringBitmap) -> Vec<usize> {
    if set.len() * 16 < heads.len() as u64 {
        return set
            .iter()
            .filter_map(|value| heads.binary_search(&value).ok())
            .collect();
    }
    heads
        .iter()
        .enumerate()
        .filter(|(_, value)| set.contains(**value))
        .map(|(k, _)| k)
        .collect()
}

/// Unites rows of instances.
struct Uniting {
    /// A bit per instance, all zero between unions.
    words: Vec<u64>,
}

impl Uniting {
    /// Adds the union of some rows.
    fn push(&mut self, key: u32, rows: &[&[u32]], writer: &mut PostingWriter) {
        let total: usize = rows.iter().map(|row| row.len()).sum();
        // A walk over all bits takes as long as putting a few in order.
        if total * FEW < self.words.len() {
            let mut all = rows.concat();
            all.sort_unstable();
            all.dedup();
            return writer.push(key, &all);
        }
        rows.iter().for_each(|row| bits::put(&mut self.words, row));
        writer.push_set(key, set_of_words(&self.words));
        self.words.fill(0);
    }
}

/// What is known of the part of a taxonomy below a value.
#[derive(Clone, Copy, Default)]
struct Part {
    /// Nodes to look at for its instances, capped.
    nodes: u64,
    /// Instances, each counted as often as there are ways to it, capped.
    size: u64,
    /// The greatest union kept below.
    largest: u64,
    /// Unions kept one above the other.
    levels: u32,
    kept: bool,
}

/// The values whose union is kept, ascending.
fn kept(dag: &Dag, heads: &[u32], counts: &[u32]) -> Vec<u32> {
    let own: BTreeMap<u32, u32> = heads.iter().copied().zip(counts.iter().copied()).collect();
    let mut parts = vec![Part::default(); dag.len()];
    for value in dag.lower_first() {
        let mut part = Part {
            nodes: 1,
            size: own.get(&value).copied().unwrap_or(0).into(),
            ..Part::default()
        };
        for &child in dag.children(value) {
            let below = parts.get(child as usize).copied().unwrap_or_default();
            let nodes = if below.kept { 1 } else { below.nodes };
            part.nodes = part.nodes.saturating_add(nodes).min(u64::from(u32::MAX));
            part.size = part
                .size
                .saturating_add(below.size)
                .min(u64::from(u32::MAX));
            part.largest = part.largest.max(below.largest);
            part.levels = part.levels.max(below.levels);
        }
        let adds = part.levels < LEVELS || part.size >= part.largest.saturating_mul(2);
        if part.nodes > NEAR && adds {
            part.kept = true;
            part.levels += 1;
            part.largest = part.size;
        }
        if let Some(slot) = parts.get_mut(value as usize) {
            *slot = part;
        }
    }
    (0u32..)
        .zip(&parts)
        .filter(|(_, part)| part.kept)
        .map(|(value, _)| value)
        .collect()
}
