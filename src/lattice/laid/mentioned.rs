//! How many documents mention an instance, and how.

use crate::lattice::Mentions;

/// Four counters, each 0, 1, 2, or 3 for three or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters([u8; 4]);

/// The places of the counters.
const DECLARED: usize = 0;
const NAMED: usize = 1;
const MENTIONED: usize = 2;
const USED: usize = 3;
/// The count that stands for more as well.
const MANY: u8 = 3;

impl Counters {
    pub(super) fn of(mentions: Mentions) -> Counters {
        let Mentions {
            declared,
            named,
            mentioned,
            used,
        } = mentions;
        Counters([declared, named, mentioned, used])
    }

    /// As a byte, as they are stored.
    pub(super) fn byte(self) -> u8 {
        let Counters(counts) = self;
        counts.iter().rev().fold(0, |byte, count| byte << 2 | count)
    }

    fn counts(self, which: usize) -> bool {
        self.0.get(which).is_some_and(|&count| count > 0)
    }

    /// Whether some document declares it.
    pub(super) fn is_declared(self) -> bool {
        self.counts(DECLARED)
    }

    /// Whether some document claims a name for it.
    pub(super) fn is_named(self) -> bool {
        self.counts(NAMED)
    }

    /// Whether some document mentions it by its id.
    pub(super) fn is_mentioned(self) -> bool {
        self.counts(MENTIONED)
    }

    /// Whether some document names it by its id in a fact.
    pub(super) fn is_used(self) -> bool {
        self.counts(USED)
    }

    fn zipped(self, other: Counters, with: impl Fn(u8, u8) -> u8) -> Counters {
        let Counters([a, b, c, d]) = self;
        let Counters([e, f, g, h]) = other;
        Counters([with(a, e), with(b, f), with(c, g), with(d, h)])
    }

    /// What one document does in either way.
    pub(super) fn either(self, other: Counters) -> Counters {
        self.zipped(other, u8::max)
    }

    /// With those of one more document.
    pub(super) fn plus(self, other: Counters) -> Counters {
        self.zipped(other, |all, own| (all + own.min(1)).min(MANY))
    }

    /// Without those of one document; none if that cannot be told.
    pub(super) fn minus(self, other: Counters) -> Option<Counters> {
        let Counters(all) = self;
        let Counters(own) = other;
        let pairs = all.iter().zip(own);
        let known = pairs
            .clone()
            .all(|(&all, own)| own == 0 || (1..MANY).contains(&all));
        known.then(|| self.zipped(other, |all, own| all - own.min(1)))
    }
}
