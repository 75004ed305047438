//! A lattice as it would be if some of its predicates had never been recorded.
#![deny(clippy::indexing_slicing)]

use super::editor::Editor;
use crate::lattice::snapshot::Lattice;
use crate::lattice::{DimensionId, InstanceId, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// A recorded predicate, by its numbers: the dimension, the instance, the value.
pub type Recorded = (DimensionId, InstanceId, ValueId);

impl Lattice {
    /// A view of this lattice in which some recorded predicates are hidden, of an inverse
    /// too. Names, values, dimensions and evidence stay as they are, with their numbers.
    /// It costs what the rows of these instances cost, not what the lattice costs.
    ///
    /// A view is for asking. Its content hash is its own and that of no file; it is not to
    /// be written or changed. None if the changes do not fit the lattice, which is damaged
    /// then.
    pub fn hiding(&self, predicates: &BTreeSet<Recorded>) -> Option<Lattice> {
        let mut hidden: BTreeMap<(DimensionId, InstanceId), BTreeSet<u32>> = BTreeMap::new();
        for &(d, i, v) in predicates {
            hidden.entry((d, i)).or_default().insert(v.0);
            if let Some(inverse) = self.dimension(d).inverse {
                let from = (inverse, InstanceId(v.0));
                hidden.entry(from).or_default().insert(i.0);
            }
        }
        let mut editor = Editor::new(self);
        for ((d, i), values) in &hidden {
            let relation = self.positive(*d);
            let row = relation.of(*i);
            let numbers: Vec<u32> = row.values().to_vec();
            let said = editor.said(*d, &relation, &row);
            let all = numbers.iter().zip(said);
            let kept: Vec<_> = all
                .filter(|(v, _)| !values.contains(v))
                .map(|(_, said)| said)
                .collect();
            if self.dimension(*d).primary {
                let gone = (numbers.len() - kept.len()) as u64;
                let predicates = &mut editor.delta.counts.predicates;
                *predicates = predicates.saturating_sub(gone);
            }
            editor.set_row(*d, false, editor.instance(*i), kept);
        }
        // Longer than the state of any file's hash, so that nothing can be added to it.
        for (d, i, v) in predicates {
            editor.delta.state.extend(d.0.to_le_bytes());
            editor.delta.state.extend(i.0.to_le_bytes());
            editor.delta.state.extend(v.0.to_le_bytes());
        }
        self.base().laid_under(editor.delta).ok()
    }
}
