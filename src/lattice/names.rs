//! What instances are called, and how they are found by name.
#![deny(clippy::indexing_slicing)]

use super::InstanceId;
use super::fold::fold;
use super::nearest::{Sorted, nearest};
use super::pack::{Packer, Strings, Unpacker, are_offsets, is_set_below};
use super::relation::row_of;
use super::snapshot::Lattice;

/// Marks a member of a group that is called so by an alias only.
const ALIAS: u32 = 1 << 31;
/// More instances cannot be told from aliases.
pub(super) const MOST_INSTANCES: usize = ALIAS as usize;

/// How well a name fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The name, exactly.
    Exact,
    /// The name, folded.
    Folded,
    /// An alias: exactly, else folded.
    Alias,
    /// Nothing is called so.
    None,
}

/// The instances that are called something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The first level at which any fits.
    pub level: Level,
    /// All that fit at that level, ascending.
    pub instances: Vec<InstanceId>,
}

/// Ids that differ from the name, by instance.
#[derive(Clone, Copy)]
pub(super) struct IdsView<'a> {
    instances: &'a [u32],
    ids: Strings<'a>,
    /// The places of `ids` in their byte order.
    order: &'a [u32],
    /// The declared instances, whether they have an id of their own or not.
    declared: &'a [u32],
}

impl<'a> IdsView<'a> {
    pub(super) fn of(section: &'a [u8]) -> Option<IdsView<'a>> {
        let mut unpacker = Unpacker::new(section);
        let (instances, ids) = (unpacker.array()?, unpacker.strings()?);
        let view = IdsView {
            instances,
            ids,
            order: unpacker.array()?,
            declared: unpacker.array()?,
        };
        unpacker.is_done().then_some(view)
    }

    pub(super) fn is_sound(&self, instances: usize) -> bool {
        let count = self.instances.len();
        let id = |at: u32| self.ids.get(at as usize);
        is_set_below(self.instances, instances)
            && is_set_below(self.declared, instances)
            && self.ids.is_sound()
            && self.ids.len() == count
            && self.order.len() == count
            && self.order.iter().all(|&at| (at as usize) < count)
            && self.order.is_sorted_by(|&a, &b| id(a) < id(b))
    }

    fn id(&self, i: u32) -> Option<&'a str> {
        let at = self.instances.binary_search(&i).ok()?;
        Some(self.ids.get(at))
    }

    fn find(&self, id: &str) -> Option<u32> {
        let at = self
            .order
            .binary_search_by(|&at| self.ids.get(at as usize).cmp(id))
            .ok()?;
        let at = self.order.get(at).copied()?;
        self.instances.get(at as usize).copied()
    }
}

/// The section of ids, from the instances that have one of their own, ascending, what
/// it is, and the declared instances, ascending.
pub(super) fn pack_ids<'a>(
    instances: &[u32],
    id: impl Fn(u32) -> &'a str,
    declared: &[u32],
) -> Option<Vec<u8>> {
    let of_place = |at: u32| instances.get(at as usize).map_or("", |&i| id(i));
    let mut order: Vec<u32> = (0..instances.len() as u32).collect();
    // Each has an id of its own.
    order.sort_unstable_by_key(|&at| of_place(at));
    let mut packer = Packer::default();
    packer
        .array(instances)
        .strings(instances.iter().map(|&i| id(i)))?;
    packer.array(&order).array(declared);
    Some(packer.finish())
}

/// Aliases by instance.
#[derive(Clone, Copy)]
pub(super) struct AliasesView<'a> {
    instances: &'a [u32],
    offsets: &'a [u32],
    words: Strings<'a>,
}

impl<'a> AliasesView<'a> {
    pub(super) fn of(section: &'a [u8]) -> Option<AliasesView<'a>> {
        let mut unpacker = Unpacker::new(section);
        let (instances, offsets) = (unpacker.array()?, unpacker.array()?);
        let view = AliasesView {
            instances,
            offsets,
            words: unpacker.strings()?,
        };
        unpacker.is_done().then_some(view)
    }

    pub(super) fn is_sound(&self, instances: usize) -> bool {
        is_set_below(self.instances, instances)
            && self.offsets.len() == self.instances.len() + 1
            && are_offsets(self.offsets, self.words.len())
            && self.words.is_sound()
    }

    fn of_instance(&self, i: u32) -> impl Iterator<Item = &'a str> + use<'a> {
        let (offsets, words) = (self.offsets, self.words);
        let range =
            self.instances.binary_search(&i).ok().and_then(|rank| {
                Some(*offsets.get(rank)? as usize..*offsets.get(rank + 1)? as usize)
            });
        range.unwrap_or(0..0).map(move |at| words.get(at))
    }
}

/// The section of aliases, from distinct (instance, alias) in ascending order.
pub(super) fn pack_aliases(aliases: &[(u32, &str)]) -> Option<Vec<u8>> {
    let (mut instances, mut offsets) = (Vec::new(), Vec::new());
    for (at, &(i, _)) in (0u32..).zip(aliases) {
        if instances.last() != Some(&i) {
            instances.push(i);
            offsets.push(at);
        }
    }
    offsets.push(aliases.len() as u32);
    let mut packer = Packer::default();
    packer.array(&instances).array(&offsets);
    packer.strings(aliases.iter().map(|(_, word)| *word))?;
    Some(packer.finish())
}

/// Folded names and aliases, each with those called so: instances by name
/// ascending, then instances by alias ascending.
#[derive(Clone, Copy)]
pub(super) struct IndexView<'a> {
    keys: Strings<'a>,
    offsets: &'a [u32],
    members: &'a [u32],
}

impl<'a> IndexView<'a> {
    pub(super) fn of(section: &'a [u8]) -> Option<IndexView<'a>> {
        let mut unpacker = Unpacker::new(section);
        let (keys, offsets) = (unpacker.strings()?, unpacker.array()?);
        let view = IndexView {
            keys,
            offsets,
            members: unpacker.array()?,
        };
        unpacker.is_done().then_some(view)
    }

    pub(super) fn is_sound(&self, instances: usize) -> bool {
        self.keys.is_sorted_set()
            && self.offsets.len() == self.keys.len() + 1
            && are_offsets(self.offsets, self.members.len())
            && self
                .members
                .iter()
                .all(|m| ((m & !ALIAS) as usize) < instances)
            && (0..self.keys.len()).all(|at| self.group(at).is_sorted_by(|a, b| a < b))
    }

    fn group(&self, at: usize) -> &'a [u32] {
        row_of(self.offsets, self.members, at)
    }
}

/// The section of the index, from names in order and (instance, alias).
pub(super) fn pack_index<'a>(
    names: impl Iterator<Item = &'a str>,
    aliases: &[(u32, &str)],
) -> Option<Vec<u8>> {
    let names = (0u32..).zip(names).map(|(i, name)| (fold(name), i));
    let aliases = aliases.iter().map(|(i, word)| (fold(word), i | ALIAS));
    let mut all: Vec<(String, u32)> = names.chain(aliases).collect();
    all.sort_unstable();
    all.dedup();
    let members: Vec<u32> = all.iter().map(|(_, member)| *member).collect();
    let mut offsets = Vec::new();
    let mut keys: Vec<&str> = Vec::new();
    for (at, (key, _)) in (0u32..).zip(&all) {
        if keys.last() != Some(&key.as_str()) {
            keys.push(key);
            offsets.push(at);
        }
    }
    offsets.push(all.len() as u32);
    let mut packer = Packer::default();
    packer.strings(keys.into_iter())?;
    packer.array(&offsets).array(&members);
    Some(packer.finish())
}

impl Lattice {
    /// The number of instances; their numbers are below it.
    pub fn instance_count(&self) -> u32 {
        self.names().len() as u32
    }

    /// The name of an instance; empty if there is none of this number.
    pub fn name(&self, i: InstanceId) -> &str {
        self.names().get(i.index())
    }

    /// The id of an instance; empty if there is none of this number.
    pub fn id(&self, i: InstanceId) -> &str {
        match self.ids().and_then(|ids| ids.id(i.0)) {
            Some(id) => id,
            None => self.name(i),
        }
    }

    /// Whether the instance is there by itself, and not only because facts speak of
    /// it: it was declared, has aliases, or nothing is said of it. It stays when the
    /// facts go.
    pub fn is_declared(&self, i: InstanceId) -> bool {
        self.ids()
            .is_some_and(|ids| ids.declared.binary_search(&i.0).is_ok())
    }

    /// The aliases of an instance, sorted.
    pub fn aliases(&self, i: InstanceId) -> Vec<&str> {
        match self.alias_table() {
            Some(aliases) => aliases.of_instance(i.0).collect(),
            None => Vec::new(),
        }
    }

    /// The instance of this id, exactly.
    pub fn by_id(&self, id: &str) -> Option<InstanceId> {
        let ids = self.ids()?;
        if let Some(i) = ids.find(id) {
            return Some(InstanceId(i));
        }
        self.named(id).into_iter().find(|i| ids.id(i.0).is_none())
    }

    /// The instances of this name, exactly.
    fn named(&self, name: &str) -> Vec<InstanceId> {
        let names = self.names();
        let first = names.place(name);
        (first..names.len())
            .take_while(|&at| names.get(at) == name)
            .map(|at| InstanceId(at as u32))
            .collect()
    }

    /// The instances that are called `name`, at the first level that has any:
    /// exactly, else folded, else by alias.
    pub fn called(&self, name: &str) -> Called {
        let levels = [Level::Exact, Level::Folded, Level::Alias];
        let found = levels.into_iter().zip(self.called_by_level(name));
        found
            .into_iter()
            .find(|(_, instances)| !instances.is_empty())
            .map_or(
                Called {
                    level: Level::None,
                    instances: Vec::new(),
                },
                |(level, instances)| Called { level, instances },
            )
    }

    /// The instances that are called `name` at each level: exactly; folded; by
    /// alias (exactly, else folded). Ascending.
    pub fn called_by_level(&self, name: &str) -> [Vec<InstanceId>; 3] {
        let exact = self.named(name);
        let Some(index) = self.name_index() else {
            return [exact, Vec::new(), Vec::new()];
        };
        let Some(at) = index.keys.find(&fold(name)) else {
            return [exact, Vec::new(), Vec::new()];
        };
        let group = index.group(at);
        let (names, aliases) = group.split_at(group.partition_point(|&m| m < ALIAS));
        let folded = names.iter().map(|&i| InstanceId(i)).collect();
        let alike: Vec<InstanceId> = aliases.iter().map(|&m| InstanceId(m & !ALIAS)).collect();
        let same: Vec<InstanceId> = alike
            .iter()
            .copied()
            .filter(|&i| self.aliases(i).contains(&name))
            .collect();
        [exact, folded, if same.is_empty() { alike } else { same }]
    }

    /// At most five names or aliases that resemble a word, nearest first; then
    /// those that begin with it.
    pub fn nearest_names(&self, word: &str) -> Vec<String> {
        match self.name_index() {
            Some(index) => nearest(&index.keys, word, |at| self.wordings(&index, at)),
            None => Vec::new(),
        }
    }

    /// At most `limit` names and aliases that begin with a text, folded, in the
    /// order of their folded forms.
    pub fn names_with_prefix(&self, prefix: &str, limit: usize) -> Vec<String> {
        let Some(index) = self.name_index() else {
            return Vec::new();
        };
        let prefix = fold(prefix);
        (index.keys.place(&prefix)..index.keys.len())
            .take_while(|&at| index.keys.get(at).starts_with(&prefix))
            .flat_map(|at| self.wordings(&index, at))
            .take(limit)
            .collect()
    }

    /// Every name and alias behind a folded one, sorted.
    fn wordings(&self, index: &IndexView<'_>, at: usize) -> Vec<String> {
        let key = index.keys.get(at);
        let mut words: Vec<String> = Vec::new();
        for &member in index.group(at) {
            let i = InstanceId(member & !ALIAS);
            match member < ALIAS {
                true => words.push(self.name(i).to_owned()),
                false => {
                    let aliases = self.aliases(i);
                    words.extend(
                        aliases
                            .iter()
                            .filter(|a| fold(a) == key)
                            .map(|&a| a.to_owned()),
                    );
                }
            }
        }
        words.sort();
        words.dedup();
        words
    }
}
