//! All concepts of a context, one after another.

use super::Context;
use super::ranked::Ranked;
use super::walk::{self, Node, Walk};
use std::ops::ControlFlow;

/// Where a search ends before it has found all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// After so many finds; never if absent.
    pub most: Option<u64>,
}

impl Limits {
    /// At most so many finds.
    pub fn most(most: u64) -> Limits {
        Limits { most: Some(most) }
    }

    /// Whether there is room for one more after so many finds.
    pub(super) fn allow(&self, found: u64) -> bool {
        self.most.is_none_or(|most| found < most)
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All were found.
    Whole,
    /// The limit was reached, and there are more.
    AtLimit,
    /// The visitor ended it.
    Stopped,
}

/// What a search found: how much, and whether that is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many were found; those after the limit are not among them.
    pub found: u64,
    /// How it ended.
    pub ended: Ended,
}

impl Outcome {
    /// Whether all were found.
    pub fn is_whole(&self) -> bool {
        self.ended == Ended::Whole
    }
}

/// A concept that a search has just found. Its extent and intent are written out only where
/// they are asked for.
pub struct ConceptRef<'a> {
    node: &'a Node<'a>,
}

impl<'a> ConceptRef<'a> {
    pub(super) fn new(node: &'a Node<'a>) -> ConceptRef<'a> {
        ConceptRef { node }
    }

    /// How many objects the extent has.
    pub fn support(&self) -> u64 {
        self.node.support()
    }

    /// The extent: the objects, ascending.
    pub fn extent(&self) -> Vec<u32> {
        let mut extent = Vec::new();
        self.write_extent(&mut extent);
        extent
    }

    /// The intent: the attributes, ascending.
    pub fn intent(&self) -> Vec<u32> {
        let mut intent = Vec::new();
        self.write_intent(&mut intent);
        intent
    }

    /// Writes the extent over what the list holds.
    pub fn write_extent(&self, into: &mut Vec<u32>) {
        self.node.ranked.objects.expand(self.node.objects(), into);
    }

    /// Writes the intent over what the list holds.
    pub fn write_intent(&self, into: &mut Vec<u32>) {
        let classes = super::bits::numbers(self.node.intent);
        self.node.ranked.attributes.expand(classes, into);
    }
}

/// Visits all formal concepts whose extent has at least `support` objects (0: all; the
/// others are an iceberg, Stumme et al., 2002), until the visitor says `Break` or
/// `limits` are reached.
///
/// The order depends on the context alone: the lectic order of the intents (Ganter,
/// 1984), where attributes rank from the rarest to the most frequent and ties go by
/// number. The first concept has all objects. Memory does not grow with the number of
/// concepts.
pub fn enumerate(
    context: &Context,
    support: u64,
    limits: Limits,
    mut visit: impl FnMut(&ConceptRef<'_>) -> ControlFlow<()>,
) -> Outcome {
    let ranked = Ranked::new(context);
    let mut outcome = Outcome {
        found: 0,
        ended: Ended::Whole,
    };
    let _ = walk::walk(&ranked, support, |node| {
        if !limits.allow(outcome.found) {
            outcome.ended = Ended::AtLimit;
            return ControlFlow::Break(());
        }
        outcome.found += 1;
        let flow = visit(&ConceptRef::new(node));
        if flow.is_break() {
            outcome.ended = Ended::Stopped;
        }
        flow
    });
    outcome
}

/// How many formal concepts have at least `support` objects; no intent is written.
/// `tick` is asked after each concept or two whether to go on.
///
/// Without a support the smaller side of the context is walked: objects and attributes
/// may change places.
pub fn count(
    context: &Context,
    support: u64,
    limits: Limits,
    mut tick: impl FnMut() -> ControlFlow<()>,
) -> Outcome {
    let ranked = match support == 0 && context.objects() < context.attributes() {
        true => Ranked::new(&context.transposed()),
        false => Ranked::new(context),
    };
    let mut outcome = Outcome {
        found: 0,
        ended: Ended::Whole,
    };
    let mut walk = Walk::new(&ranked, support);
    let mut more = walk.begin();
    while more && limits.allow(outcome.found) {
        outcome.found += 1 + u64::from(walk.take_leaf());
        if tick().is_break() {
            outcome.ended = Ended::Stopped;
            break;
        }
        more = walk.advance();
    }
    if outcome.ended == Ended::Stopped {
        more = false;
    } else if !more && support == 0 && walk::has_empty_extent(&ranked) {
        outcome.found += 1;
    }
    if let Some(most) = limits.most
        && (more || outcome.found > most)
    {
        outcome.found = outcome.found.min(most);
        outcome.ended = Ended::AtLimit;
    }
    outcome
}
