//! What instances are called, where some have been added or are gone.
#![deny(clippy::indexing_slicing)]

use super::overlay::Over;
use super::renumber::Origin;
use crate::lattice::nearest::{Sorted, resembling};
use crate::lattice::{InstanceId, Mentions, fold};

/// The folded names of added instances.
struct Folded<'a>(&'a [(String, u32)]);

impl Sorted for Folded<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn key(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |(key, _)| key)
    }
}

impl Over {
    fn origin(&self, i: InstanceId) -> Origin {
        self.overlay.instances.renumbering.origin(i.0)
    }

    /// Instances of the base by their present numbers, without those that are gone.
    fn present(&self, of_base: Vec<InstanceId>) -> Vec<InstanceId> {
        let numbering = &self.overlay.instances.renumbering;
        let present = of_base.into_iter().filter_map(|i| numbering.present(i.0));
        present.map(InstanceId).collect()
    }

    /// The added instances of which something holds.
    fn added(&self, holds: impl Fn(u32) -> bool) -> impl Iterator<Item = InstanceId> {
        let numbering = &self.overlay.instances.renumbering;
        let all = 0..self.overlay.instances.elements.len() as u32;
        let found = all.filter(move |&k| holds(k));
        found.filter_map(|k| numbering.of_added(k).map(InstanceId))
    }

    fn added_name(&self, k: u32) -> &str {
        let known = self.overlay.instances.elements.get(k as usize);
        known.map_or("", |known| &known.name)
    }

    pub(in crate::lattice) fn name(&self, i: InstanceId) -> &str {
        match self.origin(i) {
            Origin::Base(base) => self.base.name(InstanceId(base)),
            Origin::Added(k) => self.added_name(k),
        }
    }

    pub(in crate::lattice) fn id(&self, i: InstanceId) -> &str {
        match self.origin(i) {
            Origin::Base(base) => self.base.id(InstanceId(base)),
            Origin::Added(k) => {
                let known = self.overlay.instances.elements.get(k as usize);
                known.map_or("", |known| &known.id)
            }
        }
    }

    pub(in crate::lattice) fn is_declared(&self, i: InstanceId) -> bool {
        match (self.flags(i), self.origin(i)) {
            (Some(flags), _) => flags.declared,
            (None, Origin::Base(base)) => self.base.is_declared(InstanceId(base)),
            (None, Origin::Added(_)) => false,
        }
    }

    pub(in crate::lattice) fn mentions(&self, i: InstanceId) -> Mentions {
        match (self.flags(i), self.origin(i)) {
            (Some(flags), _) => Mentions::of_byte(flags.mentions),
            (None, Origin::Base(base)) => self.base.mentions(InstanceId(base)),
            (None, Origin::Added(_)) => Mentions::default(),
        }
    }

    pub(in crate::lattice) fn aliases(&self, i: InstanceId) -> Vec<&str> {
        match self.origin(i) {
            Origin::Base(base) => self.base.aliases(InstanceId(base)),
            // A document with aliases is not laid over a base.
            Origin::Added(_) => Vec::new(),
        }
    }

    pub(in crate::lattice) fn by_id(&self, id: &str) -> Option<InstanceId> {
        let numbering = &self.overlay.instances.renumbering;
        let base = self.base.by_id(id);
        let base = base.and_then(|i| numbering.present(i.0)).map(InstanceId);
        let is_of = |k: u32| {
            let known = self.overlay.instances.elements.get(k as usize);
            known.is_some_and(|known| known.id == id)
        };
        base.or_else(|| self.added(is_of).next())
    }

    pub(in crate::lattice) fn named(&self, name: &str) -> Vec<InstanceId> {
        let mut all = self.present(self.base.named(name));
        all.extend(self.added(|k| self.added_name(k) == name));
        all.sort_unstable();
        all
    }

    pub(in crate::lattice) fn called_by_level(&self, name: &str) -> [Vec<InstanceId>; 3] {
        let [exact, folded, alias] = self.base.called_by_level(name);
        let [mut exact, mut folded, alias] = [exact, folded, alias].map(|of| self.present(of));
        exact.extend(self.added(|k| self.added_name(k) == name));
        let key = fold(name);
        folded.extend(self.added(|k| fold(self.added_name(k)) == key));
        exact.sort_unstable();
        folded.sort_unstable();
        [exact, folded, alias]
    }

    /// The names and aliases that resemble a folded word, each with how far it is off.
    pub(in crate::lattice) fn close_names(&self, word: &str) -> Vec<(u8, String)> {
        let mut close = self.base.close_names(word, &self.overlay.gone);
        let folded = Folded(&self.overlay.folded);
        let found = resembling(&folded, word).into_iter();
        close.extend(found.filter_map(|(distance, at)| {
            let (_, k) = self.overlay.folded.get(at)?;
            Some((distance, self.added_name(*k).to_owned()))
        }));
        close
    }

    /// The names and aliases whose folded form begins with a folded text, in the order of
    /// these forms.
    pub(in crate::lattice) fn beginning(&self, prefix: String) -> impl Iterator<Item = String> {
        let start = Folded(&self.overlay.folded).place(&prefix);
        let begins = prefix.clone();
        let added = self.overlay.folded.iter().skip(start);
        let added = added.take_while(move |(key, _)| key.starts_with(&begins));
        let mut added = added
            .map(|(key, k)| (key.clone(), self.added_name(*k).to_owned()))
            .peekable();
        let mut base = self
            .base
            .groups_beginning(prefix, &self.overlay.gone)
            .peekable();
        let groups = std::iter::from_fn(move || {
            let key = match (base.peek(), added.peek()) {
                (Some((a, _)), Some((b, _))) => a.min(b).clone(),
                (Some((key, _)), None) => key.clone(),
                (None, key) => key?.0.clone(),
            };
            let mut words = match base.next_if(|(a, _)| *a == key) {
                Some((_, words)) => words,
                None => Vec::new(),
            };
            while let Some((_, name)) = added.next_if(|(b, _)| *b == key) {
                words.push(name);
            }
            words.sort();
            words.dedup();
            Some(words)
        });
        groups.flatten()
    }
}
