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

/// The name and the aliases of an instance, the name first.
pub(super) fn names(lattice: &Lattice, instance: u32) -> Vec<String> {
    let instance = InstanceId(instance);
    let mut all: Vec<String> = vec![lattice.name(instance).to_owned()];
    all.extend(lattice.aliases(instance).into_iter().map(str::to_owned));
    all
}
