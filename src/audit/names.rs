//! What instances are called.

use crate::lattice::{InstanceId, Lattice};

/// The instances called `word`, one list per level at which any is.
pub(super) fn levels(lattice: &Lattice, word: &str) -> Vec<Vec<u32>> {
    lattice
        .called_by_level(word)
        .into_iter()
        .map(|level| level.into_iter().map(|i| i.0).collect())
        .collect()
}

/// The name and the aliases of an instance, the name first, each once.
pub(super) fn names(lattice: &Lattice, instance: u32) -> Vec<String> {
    let instance = InstanceId(instance);
    let name = lattice.name(instance).to_owned();
    let aliases = lattice.aliases(instance);
    let mut all: Vec<String> = vec![name];
    for alias in aliases {
        if !all.iter().any(|known| known == alias) {
            all.push(alias.to_owned());
        }
    }
    all
}
