//! How many documents speak of an instance, and how: what says whether it is still there
//! once a document is taken out.
//!
//! An instance has four counters of two bits: 0, 1, 2, and 3 for three or more. Each counts
//! a document once. The section keeps a byte per instance, but for groups of instances
//! whose bytes are all the same, which have one.
#![deny(clippy::indexing_slicing)]

use super::InstanceId;
use super::builder::{Builder, Inst, Naming};
use super::format::{NO_DIMENSION, Part};
use super::pack::{Packer, Unpacker};
use super::pages::Array;
use super::snapshot::Lattice;

/// It is declared.
pub(super) const DECLARED: u8 = 1;
/// A name is claimed for it.
pub(super) const NAMED: u8 = 2;
/// It is mentioned by its id.
pub(super) const MENTIONED: u8 = 4;
/// A fact names it by its id.
pub(super) const USED: u8 = 8;

/// How many instances have one byte if it is the same for all.
const GROUP: usize = 1 << 10;
/// What stands for a group with one byte.
const ALIKE: u32 = u32::MAX;

/// How many documents do what to an instance; 3 is three or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Declare it.
    pub declared: u8,
    /// Claim a name for it.
    pub named: u8,
    /// Mention it by its id.
    pub mentioned: u8,
    /// Name it by its id in a fact.
    pub used: u8,
}

impl Mentions {
    pub(super) fn of_byte(byte: u8) -> Mentions {
        Mentions {
            declared: byte & 3,
            named: byte >> 2 & 3,
            mentioned: byte >> 4 & 3,
            used: byte >> 6,
        }
    }
}

/// Bits that a document has set first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched {
    key: u32,
    bits: u8,
}

/// What is not yet counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Uncounted {
    /// By the present document, or within a checkpoint.
    pub(super) touched: Vec<Touched>,
    /// Whether something is that no document does.
    loose: bool,
}

impl Inst {
    /// Whether it is there even if nothing is said of it.
    pub(super) fn is_declared(&self) -> bool {
        self.counts & 3 != 0 || self.seen & DECLARED != 0
    }

    /// The counters with what is seen and not yet counted.
    pub(super) fn counted(&self) -> u8 {
        let mut counts = self.counts;
        for k in 0..4u8 {
            let count = counts >> (2 * k) & 3;
            if self.seen >> k & 1 == 1 && count < 3 {
                counts += 1 << (2 * k);
            }
        }
        counts
    }
}

impl Builder {
    /// Sees an instance; whatever is only a name has no counters.
    pub(super) fn see(&mut self, key: u32, bits: u8) {
        let Some(inst) = self.instances.get_mut(key as usize) else {
            return;
        };
        let new = bits & !inst.seen;
        if new == 0 || inst.naming == Naming::Symbol {
            return;
        }
        inst.seen |= new;
        let logged = match &self.documents.open {
            // Those that the document has made are looked through at its end.
            Some(open) => key < open.first || self.marks.len() > open.marks,
            None => {
                self.uncounted.loose = true;
                !self.marks.is_empty()
            }
        };
        if logged {
            self.uncounted.touched.push(Touched { key, bits: new });
        }
    }

    /// Counts what has been seen since the last time.
    pub(super) fn count_mentions(&mut self) {
        self.each_seen(|inst| {
            inst.counts = inst.counted();
            inst.seen = 0;
        });
    }

    /// Forgets what has been seen since the last time.
    pub(super) fn forget_mentions(&mut self) {
        self.each_seen(|inst| inst.seen = 0);
    }

    fn each_seen(&mut self, done: impl Fn(&mut Inst)) {
        let uncounted = std::mem::take(&mut self.uncounted);
        let first = match &self.documents.open {
            Some(open) => open.first as usize,
            None if uncounted.loose => 0,
            None => self.instances.len(),
        };
        for touched in uncounted.touched {
            if let Some(inst) = self.instances.get_mut(touched.key as usize) {
                done(inst);
            }
        }
        self.instances.iter_mut().skip(first).for_each(done);
    }

    /// Takes back what was seen since there were so many entries in the log.
    pub(super) fn unsee(&mut self, kept: usize) {
        while self.uncounted.touched.len() > kept {
            if let Some(Touched { key, bits }) = self.uncounted.touched.pop()
                && let Some(inst) = self.instances.get_mut(key as usize)
            {
                inst.seen &= !bits;
            }
        }
    }

    /// A checkpoint of so many entries is released: what the document at large can take
    /// back without the log goes from it.
    pub(super) fn shorten_log(&mut self, kept: usize) {
        let Some(open) = &self.documents.open else {
            if self.marks.is_empty() {
                self.uncounted.touched.clear();
            }
            return;
        };
        if self.marks.len() != open.marks {
            return;
        }
        let (first, touched) = (open.first, &mut self.uncounted.touched);
        let mut at = kept;
        for k in kept..touched.len() {
            if let Some(&entry) = touched.get(k)
                && entry.key < first
                && let Some(slot) = touched.get_mut(at)
            {
                *slot = entry;
                at += 1;
            }
        }
        touched.truncate(at.max(kept));
    }

    /// The bytes of the instances, in their order.
    pub(super) fn mentions(&self, order: &[u32]) -> Vec<u8> {
        let instances = order.iter().map(|&key| self.instances.get(key as usize));
        instances
            .map(|inst| inst.map_or(0, Inst::counted))
            .collect()
    }
}

/// The section of these bytes.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    let (mut alike, mut starts, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for group in bytes.chunks(GROUP) {
        let first = group.first().copied().unwrap_or(0);
        alike.push(first);
        if group.iter().all(|&byte| byte == first) {
            starts.push(ALIKE);
        } else {
            starts.push(rest.len() as u32);
            rest.extend_from_slice(group);
        }
    }
    let mut packer = Packer::default();
    packer.array(&alike).array(&starts).array(&rest);
    packer.finish()
}

/// The bytes in place.
struct View<'a> {
    alike: Array<'a, u8>,
    starts: Array<'a, u32>,
    rest: Array<'a, u8>,
}

impl<'a> View<'a> {
    fn of(mut unpacker: Unpacker<'a>) -> Option<View<'a>> {
        let view = View {
            alike: unpacker.array()?,
            starts: unpacker.array()?,
            rest: unpacker.array()?,
        };
        (unpacker.is_done() && view.alike.len() == view.starts.len()).then_some(view)
    }

    fn byte(&self, i: usize) -> Option<u8> {
        match self.starts.get(i / GROUP)? {
            ALIKE => self.alike.get(i / GROUP),
            start => self.rest.get(start as usize + i % GROUP),
        }
    }
}

impl Lattice {
    /// How many of the documents that it keeps speak of an instance; none of a lattice that
    /// keeps none.
    pub fn mentions(&self, i: InstanceId) -> Mentions {
        if let Some(over) = self.over() {
            return over.mentions(i);
        }
        let view = self.view(Part::Mentions, NO_DIMENSION, View::of);
        let byte = view.and_then(|view| view.byte(i.index()));
        Mentions::of_byte(byte.unwrap_or(0))
    }

    /// Whether the section is as its content would be written.
    pub(super) fn mentions_are_sound(&self) -> bool {
        let section = self.image().section(Part::Mentions, NO_DIMENSION);
        let Ok(Some(section)) = section else {
            return matches!(section, Ok(None));
        };
        let Some(view) = View::of(Unpacker::of_bytes(section)) else {
            return false;
        };
        let count = self.instance_count() as usize;
        let bytes: Option<Vec<u8>> = (0..count).map(|i| view.byte(i)).collect();
        bytes.is_some_and(|bytes| pack(&bytes) == section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_four_counters() {
        for byte in 0..=u8::MAX {
            let counted = Mentions::of_byte(byte);
            let pairs = [
                counted.declared,
                counted.named,
                counted.mentioned,
                counted.used,
            ];
            let again = pairs.iter().rev().fold(0, |byte, pair| byte << 2 | pair);
            assert_eq!(again, byte);
        }
    }

    #[test]
    fn groups_alike_take_a_byte() {
        let mut bytes = vec![7; 3 * GROUP + 5];
        let short = pack(&bytes);
        assert!(short.len() < 100);
        if let Some(byte) = bytes.get_mut(GROUP + 1) {
            *byte = 8;
        }
        let long = pack(&bytes);
        let words: Vec<u64> = super::super::pack::copied(&long);
        let view = View::of(Unpacker::of_bytes(bytemuck::cast_slice(&words))).unwrap();
        for (at, byte) in bytes.iter().enumerate() {
            assert_eq!(view.byte(at), Some(*byte));
        }
        assert_eq!(view.byte(4 * GROUP), None);
    }
}
