//! What instances are called, and how they are found by name.
#![deny(clippy::indexing_slicing)]

use super::InstanceId;
use super::fold::fold;
use super::nearest::{Sorted, resembling, suggested};
use super::pack::{Arrays, Packer, Strings, Unpacker};
use super::pages::Array;
use super::snapshot::Lattice;
use rayon::prelude::*;

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
    instances: Array<'a, u32>,
    ids: Strings<'a>,
    /// The places of `ids` in their byte order.
    order: Array<'a, u32>,
    /// The declared instances, whether they have an id of their own or not.
    declared: Array<'a, u32>,
}

impl<'a> IdsView<'a> {
    pub(super) fn of(mut unpacker: Unpacker<'a>) -> Option<IdsView<'a>> {
        let view = IdsView {
            instances: unpacker.array()?,
            ids: unpacker.strings()?,
            order: unpacker.array()?,
            declared: unpacker.array()?,
        };
        let count = view.instances.len();
        let shaped = unpacker.is_done() && view.ids.len() == count && view.order.len() == count;
        shaped.then_some(view)
    }

    /// Every instance with an id of its own, with it.
    pub(super) fn all(&self) -> Vec<(u32, &'a str)> {
        let instances = self.instances.all().iter();
        instances.copied().zip(self.ids.iter()).collect()
    }

    fn id(&self, i: u32) -> Option<&'a str> {
        let at = self.instances.find(i)?;
        Some(self.ids.get(at))
    }

    fn find(&self, id: &str) -> Option<u32> {
        let before = |&at: &u32| self.ids.get(at as usize) < id;
        let at = self.order.get(self.order.partition_point(before))?;
        let found = self.ids.get(at as usize) == id;
        found.then(|| self.instances.get(at as usize)).flatten()
    }
}

/// Writes the section of ids, from the instances that have one of their own, ascending,
/// what it is, and the declared instances, ascending.
pub(super) fn write_ids<'a>(
    section: &mut impl Arrays,
    instances: &[u32],
    id: impl Fn(u32) -> &'a str + Sync,
    declared: &[u32],
) -> Option<()> {
    let of_place = |at: u32| instances.get(at as usize).map_or("", |&i| id(i));
    let order = ordered((0..instances.len() as u32).collect(), of_place);
    section.array_of(instances);
    let ids = || instances.iter().map(|&i| id(i));
    section.strings_of(instances.len(), ids)?;
    section.array_of(&order);
    section.array_of(declared);
    Some(())
}

/// Numbers in the order of their texts, which are distinct.
fn ordered<'a>(mut numbers: Vec<u32>, text: impl Fn(u32) -> &'a str + Sync) -> Vec<u32> {
    numbers.par_sort_unstable_by(|&a, &b| text(a).cmp(text(b)));
    numbers
}

/// Aliases by instance.
#[derive(Clone, Copy)]
pub(super) struct AliasesView<'a> {
    instances: Array<'a, u32>,
    offsets: Array<'a, u32>,
    words: Strings<'a>,
}

impl<'a> AliasesView<'a> {
    pub(super) fn of(mut unpacker: Unpacker<'a>) -> Option<AliasesView<'a>> {
        let view = AliasesView {
            instances: unpacker.array()?,
            offsets: unpacker.array()?,
            words: unpacker.strings()?,
        };
        let shaped = unpacker.is_done() && view.offsets.len() == view.instances.len() + 1;
        shaped.then_some(view)
    }

    fn of_instance(&self, i: u32) -> impl Iterator<Item = &'a str> + use<'a> {
        let words = self.words;
        let rank = self.instances.find(i);
        let range = rank.map_or(0..0, |rank| self.offsets.row(rank));
        // Whatever the offsets say, there are no more words than that.
        let range = range.start..range.end.min(words.len());
        range.map(move |at| words.get(at))
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
/// ascending, then instances by alias ascending. A name that is its own folded form is
/// found among the names, and not here.
#[derive(Clone, Copy)]
pub(super) struct IndexView<'a> {
    keys: Strings<'a>,
    offsets: Array<'a, u32>,
    members: Array<'a, u32>,
}

impl<'a> IndexView<'a> {
    pub(super) fn of(mut unpacker: Unpacker<'a>) -> Option<IndexView<'a>> {
        let view = IndexView {
            keys: unpacker.strings()?,
            offsets: unpacker.array()?,
            members: unpacker.array()?,
        };
        let shaped = unpacker.is_done() && view.offsets.len() == view.keys.len() + 1;
        shaped.then_some(view)
    }

    fn group(&self, at: usize) -> &'a [u32] {
        self.members.range(self.offsets.row(at))
    }
}

/// The section of the index, from names in order and (instance, alias).
pub(super) fn pack_index<'a>(
    names: impl Iterator<Item = &'a str>,
    aliases: &[(u32, &str)],
) -> Option<Vec<u8>> {
    let names = (0u32..)
        .zip(names)
        .filter(|(_, name)| !is_plain(name))
        .map(|(i, name)| (name, fold(name), i))
        .filter(|(name, key, _)| name != key)
        .map(|(_, key, i)| (key, i));
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

/// Whether a name is its own folded form, as far as that can be seen at once.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase();
    name.bytes().all(plain)
}

impl Lattice {
    /// The number of instances; their numbers are below it.
    pub fn instance_count(&self) -> u32 {
        self.counts().instances as u32
    }

    /// The name of an instance; empty if there is none of this number.
    pub fn name(&self, i: InstanceId) -> &str {
        match self.over() {
            None => self.names().get(i.index()),
            Some(over) => over.name(i),
        }
    }

    /// The id of an instance; empty if there is none of this number.
    pub fn id(&self, i: InstanceId) -> &str {
        if let Some(over) = self.over() {
            return over.id(i);
        }
        match self.ids().and_then(|ids| ids.id(i.0)) {
            Some(id) => id,
            None => self.name(i),
        }
    }

    /// Whether the instance is there by itself, and not only because facts speak of
    /// it: it was declared, has aliases, or nothing is said of it. It stays when the
    /// facts go.
    pub fn is_declared(&self, i: InstanceId) -> bool {
        match self.over() {
            Some(over) => over.is_declared(i),
            None => self
                .ids()
                .is_some_and(|ids| ids.declared.find(i.0).is_some()),
        }
    }

    /// The aliases of an instance, sorted.
    pub fn aliases(&self, i: InstanceId) -> Vec<&str> {
        if let Some(over) = self.over() {
            return over.aliases(i);
        }
        match self.alias_table() {
            Some(aliases) => aliases.of_instance(i.0).collect(),
            None => Vec::new(),
        }
    }

    /// The instance of this id, exactly.
    pub fn by_id(&self, id: &str) -> Option<InstanceId> {
        if let Some(over) = self.over() {
            return over.by_id(id);
        }
        let ids = self.ids()?;
        if let Some(i) = ids.find(id) {
            return Some(InstanceId(i));
        }
        self.named(id).into_iter().find(|i| ids.id(i.0).is_none())
    }

    /// The instances of this name, exactly.
    pub(super) fn named(&self, name: &str) -> Vec<InstanceId> {
        if let Some(over) = self.over() {
            return over.named(name);
        }
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
        if let Some(over) = self.over() {
            return over.called_by_level(name);
        }
        let exact = self.named(name);
        let Some(index) = self.name_index() else {
            return [exact, Vec::new(), Vec::new()];
        };
        let key = fold(name);
        let group = index.keys.find(&key).map_or(&[][..], |at| index.group(at));
        let (names, aliases) = group.split_at(group.partition_point(|&m| m < ALIAS));
        let mut folded = self.named(&key);
        folded.extend(names.iter().map(|&i| InstanceId(i)));
        folded.sort_unstable();
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
        let word = fold(word);
        let close = match self.over() {
            None => self.close_names(&word, &[]),
            Some(over) => over.close_names(&word),
        };
        match word.is_empty() {
            true => suggested(close, std::iter::empty()),
            false => suggested(close, self.beginning(word)),
        }
    }

    /// The names and aliases that resemble a folded word, each with how far it is off.
    /// Instances that are `gone` (ascending) have none.
    pub(super) fn close_names(&self, word: &str, gone: &[u32]) -> Vec<(u8, String)> {
        let Some(index) = self.name_index() else {
            return Vec::new();
        };
        let names = self.names();
        let folded = resembling(&index.keys, word).into_iter();
        let mut close: Vec<(u8, String)> = folded
            .flat_map(|(distance, at)| {
                let wordings = self.wordings(&index, at, gone).into_iter();
                wordings.map(move |name| (distance, name))
            })
            .collect();
        let plain = resembling(&names, word).into_iter();
        close.extend(
            plain
                .filter(|(_, at)| gone.binary_search(&(*at as u32)).is_err())
                .map(|(distance, at)| (distance, names.get(at)))
                .filter(|(_, name)| fold(name) == *name)
                .map(|(distance, name)| (distance, name.to_owned())),
        );
        close
    }

    /// At most `limit` names and aliases that begin with a text, folded, in the
    /// order of their folded forms.
    pub fn names_with_prefix(&self, prefix: &str, limit: usize) -> Vec<String> {
        self.beginning(fold(prefix)).take(limit).collect()
    }

    /// The names and aliases whose folded form begins with a folded text, in the order
    /// of these forms.
    fn beginning(&self, prefix: String) -> Box<dyn Iterator<Item = String> + '_> {
        match self.over() {
            None => Box::new(
                self.groups_beginning(prefix, &[])
                    .flat_map(|(_, words)| words),
            ),
            Some(over) => Box::new(over.beginning(prefix)),
        }
    }

    /// The folded forms that begin with a folded text, ascending, each with the names and
    /// aliases behind it: from the index and from among the names.
    pub(super) fn groups_beginning<'a>(
        &'a self,
        prefix: String,
        gone: &'a [u32],
    ) -> Box<dyn Iterator<Item = (String, Vec<String>)> + 'a> {
        let Some(index) = self.name_index() else {
            return Box::new(std::iter::empty());
        };
        let names = self.names();
        let (mut folded, mut plain) = (index.keys.place(&prefix), names.place(&prefix));
        Box::new(std::iter::from_fn(move || {
            let begins = |word: &&str| word.starts_with(&prefix);
            // Names that are not their own folded form are in the index.
            let is_own = |at: usize| {
                let name = names.get(at);
                fold(name) == name && gone.binary_search(&(at as u32)).is_err()
            };
            while names.get(plain).starts_with(&prefix) && plain < names.len() && !is_own(plain) {
                plain += 1;
            }
            let in_index = (folded < index.keys.len())
                .then(|| index.keys.get(folded))
                .filter(begins);
            let in_names = (plain < names.len())
                .then(|| names.get(plain))
                .filter(begins);
            let key = match (in_index, in_names) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b)?,
            };
            let mut words = Vec::new();
            if in_index == Some(key) {
                words = self.wordings(&index, folded, gone);
                folded += 1;
            }
            if in_names == Some(key) {
                words.push(key.to_owned());
                while plain < names.len() && names.get(plain) == key {
                    plain += 1;
                }
            }
            words.sort();
            words.dedup();
            Some((key.to_owned(), words))
        }))
    }

    /// Every name and alias behind a folded one of the index, sorted, but for those of
    /// instances that are gone.
    fn wordings(&self, index: &IndexView<'_>, at: usize, gone: &[u32]) -> Vec<String> {
        let key = index.keys.get(at);
        let mut words: Vec<String> = Vec::new();
        for &member in index.group(at) {
            let i = InstanceId(member & !ALIAS);
            if gone.binary_search(&i.0).is_ok() {
                continue;
            }
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
