//! A lattice as it is read.

use super::*;
use std::path::Path;
use std::sync::Arc;

/// How much there is of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Dimensions, inverses too.
    pub dimensions: u64,
    /// Instances.
    pub instances: u64,
    /// Distinct values of all dimensions but ENTITY ones.
    pub values: u64,
    /// Predicates, recorded or denied; a fact and its inverse are one.
    pub predicates: u64,
    /// Pieces of source text.
    pub evidence: u64,
    /// Documents.
    pub documents: u64,
}

/// An immutable snapshot of a lattice. Cloning it is cheap.
#[derive(Clone)]
pub struct Lattice(Arc<()>);

#[allow(unused_variables, missing_docs, clippy::missing_errors_doc)]
impl Lattice {
    pub fn empty() -> Lattice {
        Lattice(Arc::new(()))
    }
    pub fn open(path: &Path) -> Result<Lattice, StoreError> {
        Err(StoreError::NotFound {
            path: path.to_path_buf(),
        })
    }
    /// Checks every section but the source texts, once.
    pub fn ensure(&self) -> Result<(), StoreError> {
        Ok(())
    }
    pub fn verify_all(&self) -> Result<(), StoreError> {
        Ok(())
    }
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        Ok(())
    }
    pub fn content_hash(&self) -> ContentHash {
        hash::LtHash::default().finish()
    }
    pub fn is_empty(&self) -> bool {
        true
    }
    pub fn counts(&self) -> Counts {
        Counts::default()
    }
    pub fn dimensions(&self) -> &[Dimension] {
        &[]
    }
    pub fn dimension(&self, d: DimensionId) -> &Dimension {
        static NAMELESS: Dimension = Dimension {
            name: String::new(),
            kind: Kind::Text,
            multiplicity: Multiplicity::Many,
            complete: false,
            inverse: None,
            primary: true,
            aka: Vec::new(),
        };
        &NAMELESS
    }
    pub fn find_dimension(&self, word: &str) -> Option<DimensionId> {
        None
    }
    pub fn nearest_dimensions(&self, word: &str) -> Vec<String> {
        Vec::new()
    }
    pub fn units(&self) -> &Units {
        static NONE: std::sync::LazyLock<Units> = std::sync::LazyLock::new(Units::new);
        &NONE
    }
    pub fn taxonomy(&self, d: DimensionId) -> Option<&Taxonomy> {
        None
    }
    pub fn instance_count(&self) -> u32 {
        0
    }
    pub fn name(&self, i: InstanceId) -> &str {
        ""
    }
    pub fn id(&self, i: InstanceId) -> &str {
        ""
    }
    pub fn aliases(&self, i: InstanceId) -> Vec<&str> {
        Vec::new()
    }
    pub fn by_id(&self, id: &str) -> Option<InstanceId> {
        None
    }
    pub fn called(&self, name: &str) -> Called {
        Called {
            level: Level::None,
            instances: Vec::new(),
        }
    }
    pub fn nearest_names(&self, word: &str) -> Vec<String> {
        Vec::new()
    }
    pub fn names_with_prefix(&self, prefix: &str, limit: usize) -> Vec<String> {
        Vec::new()
    }
    pub fn recorded_values(&self, d: DimensionId) -> &[u32] {
        &[]
    }
    pub fn value(&self, d: DimensionId, v: ValueId) -> Value {
        Value::Text(String::new())
    }
    pub fn numbers(&self, d: DimensionId) -> &[NumberInterval] {
        &[]
    }
    pub fn dates(&self, d: DimensionId) -> &[DateInterval] {
        &[]
    }
    pub fn find_text(&self, d: DimensionId, text: &str) -> Option<ValueId> {
        None
    }
    pub fn positive(&self, d: DimensionId) -> Relation<'_> {
        Relation::empty()
    }
    pub fn negative(&self, d: DimensionId) -> Relation<'_> {
        Relation::empty()
    }
    pub fn evidence(&self, e: EvidenceId) -> Result<Evidence, StoreError> {
        Ok(Evidence {
            document: String::new(),
            range: None,
            line: None,
            text: String::new(),
        })
    }
    pub fn documents(&self) -> Vec<Document> {
        Vec::new()
    }
}

#[allow(missing_docs, clippy::missing_errors_doc)]
impl Builder {
    pub fn from_lattice(_: &Lattice) -> Result<Builder, StoreError> {
        Ok(Builder::new())
    }
    pub fn freeze(&self) -> Result<Lattice, BuildError> {
        Ok(Lattice::empty())
    }
}
