//! What a run depends on but for its questions, and its hash.
//!
//! What is tuned is tuned on one part of the questions; then the configuration is
//! frozen, and the other part is run once. The hash says that both ran with the same.

use super::report::{Figures, Parts};
use super::{EvalError, PlannerKind, Task};
use crate::ask::SEED;
use crate::lattice::Lattice;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The English that every vocabulary begins with.
const ENGLISH: &str = include_str!("../../stdlib/questions.en.lq");

/// What a run depends on but for its questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// The hash of the rest of this.
    #[serde(default)]
    pub hash: String,
    /// The version of this program.
    pub version: String,
    /// Where the plans come from.
    pub planner: String,
    /// The content hash of the lattice.
    pub lattice: String,
    /// The hash of the standard library's English.
    pub english: String,
    /// The hash of the vocabulary's files; none without a vocabulary.
    pub vocabulary: Option<String>,
    /// The seed of the split.
    pub seed: u64,
    /// Whether brackets around names stay in the questions.
    pub brackets: bool,
    /// By how many folds a vocabulary is learned; none if it is not.
    pub folds: Option<usize>,
}

impl Configuration {
    pub(super) fn of(task: &Task, lattice: &Lattice) -> Configuration {
        let mut configuration = Configuration {
            hash: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            planner: task.planner.word().to_owned(),
            lattice: lattice.content_hash().to_string(),
            english: hash(ENGLISH.as_bytes()),
            vocabulary: match &task.planner {
                PlannerKind::Embedded(embedded) => embedded.hash.clone(),
                PlannerKind::Oracle | PlannerKind::Keywords => None,
            },
            seed: SEED,
            brackets: !task.no_brackets,
            folds: task.folds,
        };
        // Plain data can always be written.
        let text = serde_json::to_string(&configuration).unwrap_or_default();
        configuration.hash = hash(text.as_bytes());
        configuration
    }
}

/// A hash as it is shown.
pub(super) fn hash(bytes: &[u8]) -> String {
    format!("b3:{}", blake3::hash(bytes).to_hex())
}

/// A report of the part that was tuned on.
#[derive(Deserialize)]
struct Before {
    configuration: Configuration,
    all: Figures,
}

/// What a frozen configuration did on the part that it was frozen with, beside what it
/// did here.
pub(super) fn against(
    path: &Path,
    configuration: &Configuration,
    held: &Figures,
) -> Result<Parts, EvalError> {
    let text = super::files::read(path, "give the report of the run that froze it")?;
    let before: Before = serde_json::from_str(&text).map_err(|error| EvalError::NoReport {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    if before.configuration.hash != configuration.hash {
        return Err(EvalError::Thawed {
            path: path.to_path_buf(),
            frozen: before.configuration.hash.clone(),
            present: configuration.hash.clone(),
            changed: changed(&before.configuration, configuration),
        });
    }
    Ok(Parts::new(before.all, held.clone()))
}

/// What differs between two configurations.
fn changed(before: &Configuration, now: &Configuration) -> String {
    let fields = [
        ("the version", before.version != now.version),
        ("the planner", before.planner != now.planner),
        ("the lattice", before.lattice != now.lattice),
        ("the English", before.english != now.english),
        ("the vocabulary", before.vocabulary != now.vocabulary),
        ("the seed", before.seed != now.seed),
        ("the brackets", before.brackets != now.brackets),
        ("the folds", before.folds != now.folds),
    ];
    let changed = fields.iter().filter(|(_, differs)| *differs);
    let names: Vec<&str> = changed.map(|(name, _)| *name).collect();
    names.join(", ")
}
