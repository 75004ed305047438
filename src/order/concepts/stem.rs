//! The stem basis: the fewest implications from which all others follow.

use super::Context;
use super::bits;
use super::enumerate::{Ended, Limits, Outcome};
use super::implications::{Implication, Implications};
use super::ranked::Ranked;
use std::ops::ControlFlow;

/// No witness.
const NONE: u32 = u32::MAX;

/// Visits the implications `P → P''` of the stem basis (Guigues and Duquenne, 1986) whose
/// premise `P` has at least `support` objects: `P` is a pseudo-intent, no intent, and holds
/// the closure of each smaller pseudo-intent in it. Every implication of the context
/// whose premise has so many objects follows from them, and from no fewer.
///
/// The sets closed under the basis are the intents and pseudo-intents; they are walked
/// in lectic order by Close-by-One over the implications found so far (LinCbO:
/// Janoštík, Konečný and Krajča, 2021), so the order is the lectic order of the premises, where
/// attributes rank from the rarest to the most frequent and ties go by number. `tick`
/// is asked after each such set whether to go on: a context can have many intents and
/// few implications.
pub fn implications(
    context: &Context,
    support: u64,
    limits: Limits,
    tick: impl FnMut() -> ControlFlow<()>,
    visit: impl FnMut(&Implication) -> ControlFlow<()>,
) -> Outcome {
    let ranked = Ranked::with_single_attributes(context);
    let mut search = Search::new(&ranked, support, limits, tick, visit);
    let _ = search.run();
    search.outcome
}

/// The stem basis, as far as `limits` allow: by falling support, then by premise as
/// an ascending list.
pub fn stem_basis(
    context: &Context,
    support: u64,
    limits: Limits,
    tick: impl FnMut() -> ControlFlow<()>,
) -> (Implications, Outcome) {
    let mut list = Vec::new();
    let outcome = implications(context, support, limits, tick, |implication| {
        list.push(implication.clone());
        ControlFlow::Continue(())
    });
    list.sort_unstable_by(|a, b| {
        let by_support = b.support.cmp(&a.support);
        by_support.then_with(|| a.premise.cmp(&b.premise))
    });
    (Implications::new(context.attributes(), list), outcome)
}

/// The implications found so far, over ranks.
#[derive(Default)]
struct Known {
    offsets: Vec<usize>,
    /// The premise, then the conclusion of each implication.
    items: Vec<u32>,
    splits: Vec<usize>,
    /// The implications whose premise holds an attribute.
    uses: Vec<Vec<u32>>,
}

impl Known {
    fn add(&mut self, premise: &[u64], closure: &[u64]) {
        let number = self.splits.len() as u32;
        for attribute in bits::numbers(premise) {
            self.uses[attribute].push(number);
            self.items.push(attribute as u32);
        }
        self.splits.push(self.items.len());
        for (k, (new, old)) in closure.iter().zip(premise).enumerate() {
            let added = bits::numbers(std::slice::from_ref(new));
            let added = added.filter(|bit| old >> bit & 1 == 0);
            self.items.extend(added.map(|bit| (k * 64 + bit) as u32));
        }
        self.offsets.push(self.items.len());
    }

    /// Adds to the set all that follows from the attributes in `new`. An attribute before
    /// `first` ends this, and is told.
    fn close(&self, set: &mut [u64], new: &mut Vec<u32>, first: u32) -> Option<u32> {
        while let Some(attribute) = new.pop() {
            for &number in &self.uses[attribute as usize] {
                let number = number as usize;
                let (start, split) = (self.offsets[number], self.splits[number]);
                let holds = |a: &u32| bits::contains(set, *a as usize);
                if !self.items[start..split].iter().all(holds) {
                    continue;
                }
                for &added in &self.items[split..self.offsets[number + 1]] {
                    if bits::contains(set, added as usize) {
                        continue;
                    }
                    if added < first {
                        return Some(added);
                    }
                    bits::insert(set, added as usize);
                    new.push(added);
                }
            }
        }
        None
    }
}

/// An attribute to try, and an earlier one that followed from it.
#[derive(Clone, Copy)]
struct Candidate {
    /// [`NONE`] once the support was too small.
    attribute: u32,
    witness: u32,
}

/// One set of the path that the search is on. Its attributes and its extent have their
/// place by its depth.
struct Level {
    /// Its candidates, the last attribute first.
    candidates: usize,
    /// The next one to try.
    next: usize,
}

struct Search<'a, T, V> {
    ranked: &'a Ranked,
    support: u64,
    limits: Limits,
    outcome: Outcome,
    tick: T,
    visit: V,
    blocks: usize,
    object_blocks: usize,
    known: Known,
    levels: Vec<Level>,
    sets: Vec<u64>,
    extents: Vec<u64>,
    candidates: Vec<Candidate>,
    set: Vec<u64>,
    closure: Vec<u64>,
    new: Vec<u32>,
}

impl<'a, T, V> Search<'a, T, V>
where
    T: FnMut() -> ControlFlow<()>,
    V: FnMut(&Implication) -> ControlFlow<()>,
{
    fn new(ranked: &'a Ranked, support: u64, limits: Limits, tick: T, visit: V) -> Self {
        let attributes = ranked.attributes.len();
        let blocks = bits::blocks(attributes);
        Search {
            ranked,
            support,
            limits,
            outcome: Outcome {
                found: 0,
                ended: Ended::Whole,
            },
            tick,
            visit,
            blocks,
            object_blocks: bits::blocks(ranked.objects.len()),
            known: Known {
                offsets: vec![0],
                uses: vec![Vec::new(); attributes],
                ..Known::default()
            },
            levels: Vec::new(),
            sets: Vec::new(),
            extents: Vec::new(),
            candidates: Vec::new(),
            set: vec![0; blocks],
            closure: Vec::new(),
            new: Vec::new(),
        }
    }

    fn run(&mut self) -> ControlFlow<()> {
        let objects = self.ranked.objects.len();
        self.extents.resize(self.object_blocks, 0);
        bits::fill(&mut self.extents, objects);
        if self.ranked.support(&self.extents) < self.support {
            return ControlFlow::Continue(());
        }
        if self.enter(0)? {
            let attributes = (0..self.ranked.attributes.len() as u32).rev();
            let set = &self.sets;
            let outside = attributes.filter(|a| !bits::contains(set, *a as usize));
            self.candidates.extend(outside.map(|attribute| Candidate {
                attribute,
                witness: NONE,
            }));
            self.levels.push(Level {
                candidates: 0,
                next: 0,
            });
        }
        while let Some(level) = self.levels.last_mut() {
            let (place, first) = (level.next, level.candidates);
            level.next += 1;
            if place < self.candidates.len() {
                self.attempt(first, place)?;
            } else {
                self.candidates.truncate(first);
                self.levels.pop();
                let depth = self.levels.len();
                self.sets.truncate(depth * self.blocks);
                self.extents.truncate(depth * self.object_blocks);
            }
        }
        ControlFlow::Continue(())
    }

    /// Tries one candidate of the present set, and enters the set that it gives.
    fn attempt(&mut self, first: usize, place: usize) -> ControlFlow<()> {
        let Candidate { attribute, witness } = self.candidates[place];
        let present = &self.sets[self.sets.len() - self.blocks..];
        if attribute == NONE || (witness != NONE && !bits::contains(present, witness as usize)) {
            return ControlFlow::Continue(());
        }
        self.set.copy_from_slice(present);
        bits::insert(&mut self.set, attribute as usize);
        self.new.clear();
        self.new.push(attribute);
        let failed = self.known.close(&mut self.set, &mut self.new, attribute);
        self.candidates[place].witness = failed.unwrap_or(NONE);
        if failed.is_some() {
            return ControlFlow::Continue(());
        }
        let start = self.extents.len();
        self.extents
            .extend_from_within(start - self.object_blocks..);
        let extent = &mut self.extents[start..];
        bits::intersect(extent, self.ranked.columns.row(attribute as usize));
        if self.support > 0 && self.ranked.support(extent) < self.support {
            self.extents.truncate(start);
            self.candidates[place].attribute = NONE;
            return ControlFlow::Continue(());
        }
        if !self.enter(attribute)? {
            self.extents.truncate(start);
            return ControlFlow::Continue(());
        }
        let set = &self.sets[self.sets.len() - self.blocks..];
        let candidates = self.candidates.len();
        for place in first..place {
            let candidate = self.candidates[place];
            if candidate.attribute != NONE && !bits::contains(set, candidate.attribute as usize) {
                self.candidates.push(candidate);
            }
        }
        self.levels.push(Level {
            candidates,
            next: candidates,
        });
        ControlFlow::Continue(())
    }

    /// Judges the set with the last extent: an intent, or a pseudo-intent, which is
    /// visited and replaced by its closure. False if nothing lies below it: all sets
    /// below hold the closure, and that adds an attribute before `first`.
    fn enter(&mut self, first: u32) -> ControlFlow<(), bool> {
        let extent = &self.extents[self.extents.len() - self.object_blocks..];
        self.closure.clear();
        self.closure.extend_from_slice(&self.set);
        close(self.ranked, extent, &mut self.closure);
        let mut below = true;
        if self.closure != self.set {
            self.report()?;
            self.known.add(&self.set, &self.closure);
            let added = bits::numbers(&self.closure);
            let added = added.filter(|a| !bits::contains(&self.set, *a)).min();
            below = added.is_none_or(|added| added as u32 >= first);
        }
        if let ControlFlow::Break(()) = (self.tick)() {
            self.outcome.ended = Ended::Stopped;
            return ControlFlow::Break(());
        }
        if below {
            self.sets.extend_from_slice(&self.closure);
        }
        ControlFlow::Continue(below)
    }

    /// Visits the implication from the set to its closure.
    fn report(&mut self) -> ControlFlow<()> {
        if !self.limits.allow(self.outcome.found) {
            self.outcome.ended = Ended::AtLimit;
            return ControlFlow::Break(());
        }
        self.outcome.found += 1;
        let extent = &self.extents[self.extents.len() - self.object_blocks..];
        let (mut premise, mut conclusion) = (Vec::new(), Vec::new());
        let attributes = &self.ranked.attributes;
        attributes.expand(bits::numbers(&self.set), &mut premise);
        let added = bits::numbers(&self.closure);
        let added = added.filter(|a| !bits::contains(&self.set, *a));
        attributes.expand(added, &mut conclusion);
        let flow = (self.visit)(&Implication {
            premise,
            conclusion,
            support: self.ranked.support(extent),
        });
        if flow.is_break() {
            self.outcome.ended = Ended::Stopped;
        }
        flow
    }
}

/// Adds to a set of attributes those that all objects of an extent have.
fn close(ranked: &Ranked, extent: &[u64], set: &mut [u64]) {
    let mut common = vec![0; set.len()];
    bits::fill(&mut common, ranked.attributes.len());
    for (block, known) in common.iter_mut().zip(set.iter()) {
        *block &= !known;
    }
    super::walk::common_rows(ranked, |local| local, extent, &mut common);
    for attribute in bits::numbers(&common) {
        if bits::is_subset(extent, ranked.columns.row(attribute)) {
            bits::insert(set, attribute);
        }
    }
}
