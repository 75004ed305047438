//! Names, aliases and values, found in a question by their words.

use super::words::{key, stem};
use crate::lattice::{DimensionId, InstanceId, Lattice, ValueId};
use rayon::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// An instance.
    Instance(u32),
    /// A value of a taxonomy.
    Value(DimensionId, u32),
}

/// All that a stretch of words names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    /// The words as asked.
    pub text: String,
    /// The instances called so, ascending.
    pub instances: Vec<InstanceId>,
    /// The values of taxonomies called so.
    pub values: Vec<(DimensionId, ValueId)>,
    /// Whether the name is given by brackets or quotation marks.
    pub fenced: bool,
    /// Whether some of it is called exactly so, letter by letter.
    pub exact: bool,
}

impl Link {
    pub(super) fn is_unknown(&self) -> bool {
        self.instances.is_empty() && self.values.is_empty()
    }
}

/// The names of a lattice by their words. Built once; 16 bytes a name.
pub(super) struct Names {
    lattice: Lattice,
    /// Sorted by hash.
    entries: Vec<(u64, Named)>,
    /// How many words the longest name has.
    longest: usize,
}

impl Names {
    pub(super) fn new(lattice: &Lattice) -> Names {
        let instances = (0..lattice.instance_count()).into_par_iter();
        let mut entries: Vec<(u64, Named, usize)> = instances
            .flat_map_iter(|i| {
                let id = InstanceId(i);
                let aliases = lattice.aliases(id);
                let names = std::iter::once(lattice.name(id)).chain(aliases);
                let keys: Vec<String> = names.map(key).collect();
                entries_of(keys, Named::Instance(i))
            })
            .collect();
        for (d, _) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
            let Some(taxonomy) = lattice.taxonomy(d) else {
                continue;
            };
            for v in 0..taxonomy.len() as u32 {
                let value = ValueId(v);
                let mut keys = vec![key(taxonomy.name(value))];
                keys.extend(taxonomy.synonyms(value).iter().map(|word| key(word)));
                // Values are common nouns, which have a plural; names have none.
                let stems: Vec<String> = keys.iter().map(|key| stems(key)).collect();
                keys.extend(stems);
                entries.extend(entries_of(keys, Named::Value(d, v)));
            }
        }
        entries.par_sort_unstable();
        entries.dedup();
        let longest = entries.iter().map(|(_, _, words)| *words).max();
        Names {
            lattice: lattice.clone(),
            longest: longest.unwrap_or(0),
            entries: entries.into_iter().map(|(h, n, _)| (h, n)).collect(),
        }
    }

    /// How many words the longest name has.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// What these words name. `text` is how they were written.
    pub(super) fn find(&self, words: &str, text: &str) -> Option<Link> {
        let mut link = Link {
            text: text.to_owned(),
            ..Link::default()
        };
        for named in self.at(words) {
            match named {
                Named::Instance(i) => self.admit(InstanceId(i), words, text, &mut link),
                Named::Value(d, v) => {
                    let name = self.lattice.taxonomy(d).map(|t| t.name(ValueId(v)));
                    link.exact |= name == Some(text);
                    link.values.push((d, ValueId(v)));
                }
            }
        }
        if link.values.is_empty() {
            let values = self.at(&stems(words)).filter_map(|named| match named {
                Named::Value(d, v) => Some((d, ValueId(v))),
                Named::Instance(_) => None,
            });
            link.values.extend(values);
        }
        (!link.is_unknown()).then_some(link)
    }

    /// What is kept under the hash of these words.
    fn at(&self, words: &str) -> impl Iterator<Item = Named> + use<'_> {
        let hash = hashed(words);
        let first = self.entries.partition_point(|(other, _)| *other < hash);
        let found = self.entries.get(first..).unwrap_or_default().iter();
        found
            .take_while(move |(other, _)| *other == hash)
            .map(|(_, named)| *named)
    }

    /// A hash may be shared by chance, so the name itself is looked at.
    fn admit(&self, i: InstanceId, words: &str, text: &str, link: &mut Link) {
        let aliases = self.lattice.aliases(i);
        for name in std::iter::once(self.lattice.name(i)).chain(aliases) {
            if key(name) == words {
                link.exact |= name == text;
                if link.instances.last() != Some(&i) {
                    link.instances.push(i);
                }
            }
        }
    }

    /// What a name in brackets or quotation marks names: as the lattice itself finds
    /// it, else by its words.
    pub(super) fn fenced(&self, text: &str, words: &str) -> Link {
        let called = self.lattice.called(text).instances;
        let by_words = self.find(words, text).unwrap_or_default();
        Link {
            text: text.to_owned(),
            exact: true,
            fenced: true,
            instances: match called.is_empty() {
                true => by_words.instances,
                false => called,
            },
            values: by_words.values,
        }
    }
}

fn entries_of(keys: Vec<String>, named: Named) -> impl Iterator<Item = (u64, Named, usize)> {
    let keys = keys.into_iter().filter(|key| !key.is_empty());
    keys.map(move |key| (hashed(&key), named, key.split(' ').count()))
}

/// The stems of folded words.
fn stems(words: &str) -> String {
    let stems: Vec<String> = words.split(' ').map(stem).collect();
    stems.join(" ")
}

/// Stable within a process, which is all that is asked of it.
fn hashed(words: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
