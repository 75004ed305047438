//! Where a builder keeps its facts: in chunks, each sorted by dimension, that lie in
//! memory or in a temporary file.

use super::builder::Fact;
use super::spill::Spill;
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Facts in a full chunk.
const CHUNK: usize = 1 << 18;
/// The bytes that a fact of confidence 1 takes in memory while it is not sealed.
const BYTES: usize = 16;

/// Facts in the order in which they came, as far as anybody can go back to.
#[derive(Clone, Default)]
pub(super) struct Facts {
    sealed: Vec<Arc<Chunk>>,
    /// How many facts the sealed chunks hold.
    sealed_count: usize,
    open: Open,
}

/// Facts that are not sealed yet: by dimension and polarity, and of each fact where it is.
#[derive(Clone, Default)]
struct Open {
    groups: Vec<OpenGroup>,
    /// By fact, in the order in which they came, its group.
    order: Vec<u32>,
}

/// Those of one dimension and polarity, as columns.
#[derive(Clone, Default)]
struct OpenGroup {
    dimension: u16,
    denied: bool,
    subjects: Vec<u32>,
    values: Vec<u32>,
    sources: Vec<u32>,
    /// One for each; none if all are 1.
    confidences: Vec<f64>,
}

impl OpenGroup {
    fn push(&mut self, fact: Fact) {
        if fact.confidence != 1.0 && self.confidences.is_empty() {
            self.confidences.resize(self.subjects.len(), 1.0);
        }
        self.subjects.push(fact.subject);
        self.values.push(fact.value);
        self.sources.push(fact.source);
        if fact.confidence != 1.0 || !self.confidences.is_empty() {
            self.confidences.push(fact.confidence);
        }
    }

    fn pop(&mut self) {
        self.subjects.pop();
        self.values.pop();
        self.sources.pop();
        self.confidences.pop();
    }

    fn iter(&self) -> impl Iterator<Item = Fact> {
        let all = self.subjects.iter().zip(&self.values).zip(&self.sources);
        all.enumerate()
            .map(|(at, ((&subject, &value), &source))| Fact {
                confidence: self.confidences.get(at).copied().unwrap_or(1.0),
                subject,
                value,
                source,
                dimension: self.dimension,
                denied: self.denied,
            })
    }
}

impl Open {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn push(&mut self, fact: Fact) {
        let is_of =
            |group: &OpenGroup| group.dimension == fact.dimension && group.denied == fact.denied;
        // What is said of one instance after another is said in the same order.
        let next = self.order.last().map_or(0, |&last| last as usize + 1);
        let next = if next < self.groups.len() { next } else { 0 };
        let at = match self.groups.get(next) {
            Some(group) if is_of(group) => Some(next),
            _ => self.groups.iter().position(is_of),
        };
        let at = at.unwrap_or_else(|| {
            self.groups.push(OpenGroup {
                dimension: fact.dimension,
                denied: fact.denied,
                ..OpenGroup::default()
            });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(at) {
            group.push(fact);
            self.order.push(at as u32);
        }
    }

    fn truncate(&mut self, kept: usize) {
        for at in self.order.drain(kept.min(self.order.len())..) {
            if let Some(group) = self.groups.get_mut(at as usize) {
                group.pop();
            }
        }
    }

    /// Leaves nothing but room.
    fn clear(&mut self) {
        self.order.clear();
        for group in &mut self.groups {
            group.subjects.clear();
            group.values.clear();
            group.sources.clear();
            group.confidences.clear();
        }
    }

    /// The facts of a range as a chunk; `from` tells where it starts in each group, and
    /// then where it ends.
    fn chunk(&self, range: Range<usize>, from: &mut Vec<usize>) -> Chunk {
        from.resize(self.groups.len(), 0);
        let mut counts = vec![0; self.groups.len()];
        for &at in self.order.get(range.clone()).unwrap_or(&[]) {
            if let Some(count) = counts.get_mut(at as usize) {
                *count += 1;
            }
        }
        let (mut groups, mut words) = (Vec::new(), Vec::new());
        let all = self.groups.iter().zip(from).zip(counts);
        for ((open, from), count) in all.filter(|(_, count)| *count > 0) {
            let confidences = open.confidences.get(*from..*from + count).unwrap_or(&[]);
            let weighted = confidences.iter().any(|confidence| *confidence != 1.0);
            groups.push(Group {
                dimension: open.dimension,
                denied: open.denied,
                weighted,
                start: words.len(),
                count,
            });
            for column in [&open.subjects, &open.values, &open.sources] {
                words.extend_from_slice(column.get(*from..*from + count).unwrap_or(&[]));
            }
            if weighted {
                let bits = confidences.iter().map(|confidence| confidence.to_bits());
                words.extend(bits.flat_map(|bits| [bits as u32, (bits >> 32) as u32]));
            }
            *from += count;
        }
        Chunk {
            count: range.len(),
            groups,
            data: Data::Memory(words),
        }
    }

    /// All facts as a chunk.
    fn whole(&self) -> Chunk {
        self.chunk(0..self.len(), &mut Vec::new())
    }
}

/// Facts that stay as they are.
pub(super) struct Chunk {
    count: usize,
    groups: Vec<Group>,
    data: Data,
}

/// The facts of a chunk in one dimension and polarity: all subjects, all values, all
/// sources and, unless all are 1, all confidences, which take two words each.
#[derive(Clone, Copy)]
struct Group {
    dimension: u16,
    denied: bool,
    weighted: bool,
    start: usize,
    count: usize,
}

impl Group {
    fn words(&self) -> usize {
        self.count * if self.weighted { 5 } else { 3 }
    }
}

enum Data {
    Memory(Vec<u32>),
    File(Arc<Spill>, u64),
}

/// Facts of one dimension and polarity, by the builder's keys.
pub(super) struct Columns<'a> {
    pub(super) dimension: u16,
    pub(super) denied: bool,
    count: usize,
    words: Cow<'a, [u32]>,
}

impl Columns<'_> {
    fn column(&self, at: usize) -> &[u32] {
        let range = at * self.count..(at + 1) * self.count;
        self.words.get(range).unwrap_or(&[])
    }

    pub(super) fn subjects(&self) -> &[u32] {
        self.column(0)
    }

    pub(super) fn values(&self) -> &[u32] {
        self.column(1)
    }

    pub(super) fn sources(&self) -> &[u32] {
        self.column(2)
    }

    /// The facts one by one.
    pub(super) fn iter(&self) -> impl Iterator<Item = Fact> {
        let weights = self.words.get(3 * self.count..).unwrap_or(&[]);
        let (weights, _) = weights.as_chunks::<2>();
        let all = self.subjects().iter().zip(self.values());
        let all = all.zip(self.sources()).enumerate();
        all.map(|(at, ((&subject, &value), &source))| Fact {
            confidence: weights.get(at).map_or(1.0, |&[low, high]| {
                f64::from_bits(u64::from(low) | u64::from(high) << 32)
            }),
            subject,
            value,
            source,
            dimension: self.dimension,
            denied: self.denied,
        })
    }
}

impl Chunk {
    fn columns(&self, group: &Group) -> io::Result<Columns<'_>> {
        let words = match &self.data {
            Data::Memory(words) => {
                let range = group.start..group.start + group.words();
                Cow::Borrowed(words.get(range).unwrap_or(&[]))
            }
            Data::File(spill, at) => {
                let mut words = vec![0u32; group.words()];
                let bytes = bytemuck::cast_slice_mut(&mut words);
                spill.read(bytes, at + 4 * group.start as u64)?;
                Cow::Owned(words)
            }
        };
        Ok(Columns {
            dimension: group.dimension,
            denied: group.denied,
            count: group.count,
            words,
        })
    }

    /// The bytes that it takes in memory.
    fn size(&self) -> usize {
        match &self.data {
            Data::Memory(words) => 4 * words.len(),
            Data::File(..) => 0,
        }
    }

    /// The same chunk in a file.
    fn spilled(&self, spill: &Arc<Spill>) -> io::Result<Option<Chunk>> {
        let Data::Memory(words) = &self.data else {
            return Ok(None);
        };
        let at = spill.put(bytemuck::cast_slice(words))?;
        Ok(Some(Chunk {
            count: self.count,
            groups: self.groups.clone(),
            data: Data::File(spill.clone(), at),
        }))
    }
}

impl Facts {
    pub(super) fn len(&self) -> usize {
        self.sealed_count + self.open.len()
    }

    pub(super) fn push(&mut self, fact: Fact) {
        self.open.push(fact);
    }

    /// Whether it is time for [`Facts::seal`].
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= CHUNK
    }

    /// Puts the facts in chunks. No chunk reaches over a mark: facts can be cut off
    /// there, and in what is not sealed yet.
    pub(super) fn seal(&mut self, marks: impl Iterator<Item = usize>) {
        let mut cuts: Vec<usize> = marks
            .filter_map(|mark| mark.checked_sub(self.sealed_count))
            .filter(|&cut| cut > 0 && cut < self.open.len())
            .collect();
        cuts.push(self.open.len());
        cuts.sort_unstable();
        let (mut start, mut from) = (0, Vec::new());
        for cut in cuts {
            if start < cut {
                self.sealed
                    .push(Arc::new(self.open.chunk(start..cut, &mut from)));
            }
            start = cut;
        }
        self.sealed_count += self.open.len();
        self.open.clear();
    }

    /// Cuts off all facts but the first `kept`, which is their number or a mark.
    pub(super) fn truncate(&mut self, kept: usize) {
        while self.sealed_count > kept {
            let Some(chunk) = self.sealed.pop() else {
                break;
            };
            self.sealed_count -= chunk.count;
            self.open.clear();
        }
        self.open.truncate(kept.saturating_sub(self.sealed_count));
    }

    /// The bytes that they take in memory.
    pub(super) fn size(&self) -> usize {
        let sealed: usize = self.sealed.iter().map(|chunk| chunk.size()).sum();
        sealed + self.open.len() * BYTES
    }

    /// Moves the sealed chunks to a file.
    pub(super) fn spill(&mut self, spill: &Arc<Spill>) -> io::Result<()> {
        for chunk in &mut self.sealed {
            if let Some(spilled) = chunk.spilled(spill)? {
                *chunk = Arc::new(spilled);
            }
        }
        Ok(())
    }

    /// All facts as they are now, to be read several times.
    pub(super) fn view(&self) -> FactView {
        let open = (self.open.len() > 0).then(|| Arc::new(self.open.whole()));
        FactView {
            chunks: self.sealed.iter().cloned().chain(open).collect(),
        }
    }

    /// Takes out the facts for which `gone` holds, and gives them.
    pub(super) fn take(&mut self, gone: impl Fn(&Fact) -> bool) -> io::Result<Vec<Fact>> {
        let mut taken = Vec::new();
        let mut kept = Facts::default();
        for chunk in &self.sealed {
            let before = taken.len();
            let mut left = Open::default();
            for group in &chunk.groups {
                for fact in chunk.columns(group)?.iter() {
                    match gone(&fact) {
                        true => taken.push(fact),
                        false => left.push(fact),
                    }
                }
            }
            kept.sealed_count += left.len();
            if taken.len() == before {
                kept.sealed.push(chunk.clone());
            } else if left.len() > 0 {
                kept.sealed.push(Arc::new(left.whole()));
            }
        }
        for fact in self.open.groups.iter().flat_map(OpenGroup::iter) {
            match gone(&fact) {
                true => taken.push(fact),
                false => kept.open.push(fact),
            }
        }
        *self = kept;
        Ok(taken)
    }
}

/// The facts of a builder at some moment.
pub(super) struct FactView {
    chunks: Vec<Arc<Chunk>>,
}

impl FactView {
    /// Reads the facts of one dimension, or of all, in any order.
    pub(super) fn each(
        &self,
        dimension: Option<u16>,
        mut read: impl FnMut(&Columns<'_>),
    ) -> io::Result<()> {
        for chunk in &self.chunks {
            for group in &chunk.groups {
                if dimension.is_none_or(|d| d == group.dimension) {
                    read(&chunk.columns(group)?);
                }
            }
        }
        Ok(())
    }

    /// The number of facts that are recorded in a dimension, or denied.
    pub(super) fn count(&self, dimension: u16, denied: bool) -> usize {
        let groups = self.chunks.iter().flat_map(|chunk| &chunk.groups);
        groups
            .filter(|group| (group.dimension, group.denied) == (dimension, denied))
            .map(|group| group.count)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(n: u32) -> Fact {
        Fact {
            confidence: if n.is_multiple_of(5) { 0.5 } else { 1.0 },
            subject: n,
            value: n + 1,
            source: n + 2,
            dimension: (n % 3) as u16,
            denied: n.is_multiple_of(7),
        }
    }

    fn subjects(facts: &Facts) -> Vec<u32> {
        let mut all = Vec::new();
        let read = |columns: &Columns<'_>| {
            for fact in columns.iter() {
                let expected = self::fact(fact.subject);
                assert_eq!(fact.confidence, expected.confidence);
                assert_eq!((fact.value, fact.source), (expected.value, expected.source));
                assert_eq!(fact.dimension, expected.dimension);
                assert_eq!(fact.denied, expected.denied);
                all.push(fact.subject);
            }
        };
        facts.view().each(None, read).unwrap();
        all.sort_unstable();
        all
    }

    #[test]
    fn facts_come_back_from_memory_and_file_and_go_where_they_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::create(folder.path()).unwrap();
        let mut facts = Facts::default();
        (0..100).for_each(|n| facts.push(fact(n)));
        facts.seal([40, 70].into_iter());
        (100..120).for_each(|n| facts.push(fact(n)));
        assert_eq!(subjects(&facts), (0..120).collect::<Vec<_>>());
        let view = facts.view();
        assert_eq!((view.count(1, false), view.count(1, true)), (34, 6));
        facts.spill(&spill).unwrap();
        assert_eq!(subjects(&facts), (0..120).collect::<Vec<_>>());
        let before = facts.clone();
        let taken = facts.take(|fact| fact.subject % 2 == 0).unwrap();
        assert_eq!((taken.len(), facts.len()), (60, 60));
        assert!(subjects(&facts).iter().all(|n| n % 2 == 1));
        facts = before;
        for kept in [110, 100, 70, 40, 0] {
            facts.truncate(kept);
            assert_eq!(subjects(&facts), (0..kept as u32).collect::<Vec<_>>());
            assert_eq!(facts.len(), kept);
        }
    }
}
