//! SHOW and DESCRIBE: what is inside a lattice, as data.

use super::words;
use crate::engine;
use crate::lattice::{
    DimensionId, Evidence, InstanceId, Kind, Lattice, PredicateId, StoreError, Value, ValueId,
};
use serde::Serialize;

/// What SHOW lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// All dimensions.
    Dimensions,
    /// All instances.
    Instances,
    /// All documents.
    Documents,
    /// The values of one dimension.
    Values(DimensionId),
}

/// What DESCRIBE tells.
#[derive(Clone, Debug)]
pub enum Description {
    /// Of every instance called so.
    Instances(Vec<Portrait>),
    /// Of a dimension.
    Dimension(Box<DimensionLine>),
}

/// A dimension in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DimensionLine {
    /// Its name.
    pub name: String,
    /// Its kind with what belongs to it: `ENTITY WITHIN located_in`.
    pub kind: String,
    /// ONE or MANY.
    pub multiplicity: &'static str,
    /// Whether it is COMPLETE.
    pub complete: bool,
    /// Whether it is STRICT.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The inverse dimension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inverse: Option<String>,
    /// Other wordings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aka: Vec<String>,
    /// Values: declared ones of a taxonomy, recorded ones of others.
    pub values: u64,
    /// Instances with a value.
    pub instances: u64,
    /// Recorded predicates.
    pub predicates: u64,
    /// Recorded denials.
    #[serde(skip_serializing_if = "is_zero")]
    pub denials: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Everything that is recorded of an instance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Portrait {
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// Other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aka: Vec<String>,
    /// What is recorded, by dimension and value.
    pub predicates: Vec<Said>,
}

/// One recorded predicate with its sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// The dimension.
    pub dimension: String,
    /// The value, printed.
    pub value: String,
    /// Whether it is denied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
    /// Whether sources contradict each other here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contested: bool,
    /// The largest confidence among the sources.
    pub confidence: f64,
    /// Where it is said.
    pub sources: Vec<SaidIn>,
}

/// A source text and its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SaidIn {
    /// The words.
    pub text: String,
    /// The document.
    pub document: String,
    /// Byte range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<(u64, u64)>,
    /// Line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl SaidIn {
    /// `moby.txt:1`.
    pub fn place(&self) -> String {
        words::place(&Evidence {
            text: String::new(),
            document: self.document.clone(),
            range: self.at,
            line: self.line,
        })
    }
}

/// A dimension in one line.
pub fn dimension_line(lattice: &Lattice, d: DimensionId) -> DimensionLine {
    let dimension = lattice.dimension(d);
    let positive = lattice.positive(d);
    let name_of = |d: DimensionId| lattice.dimension(d).name.clone();
    let kind = match &dimension.kind {
        Kind::Taxonomy => "TAXONOMY".to_string(),
        Kind::Entity { within: None } => "ENTITY".to_string(),
        Kind::Entity { within: Some(r) } => format!("ENTITY WITHIN {}", name_of(*r)),
        Kind::Number { unit: None } => "NUMBER".to_string(),
        Kind::Number { unit: Some(unit) } => format!("NUMBER UNIT {unit}"),
        Kind::Date => "DATE".to_string(),
        Kind::Text => "TEXT".to_string(),
    };
    let values = match lattice.taxonomy(d) {
        Some(taxonomy) => taxonomy.len(),
        None => lattice.recorded_values(d).len(),
    };
    DimensionLine {
        name: dimension.name.clone(),
        kind,
        multiplicity: if dimension.is_one() { "ONE" } else { "MANY" },
        complete: dimension.complete,
        strict: dimension.strict,
        inverse: dimension.inverse.map(name_of),
        aka: dimension.aka.clone(),
        values: values as u64,
        instances: positive.subject_count() as u64,
        predicates: positive.len() as u64,
        denials: lattice.negative(d).len() as u64,
    }
}

/// Every predicate of an instance, with its sources.
pub fn portrait(lattice: &Lattice, i: InstanceId) -> Result<Portrait, StoreError> {
    let mut predicates = Vec::new();
    for d in words::dimension_ids(lattice) {
        // Only where something is recorded twice, or denied, can it be contested.
        let quiet = lattice.positive(d).of(i).len() < 2 && lattice.negative(d).of(i).is_empty();
        let (holds, denies) = match quiet {
            true => (Vec::new(), Vec::new()),
            false => engine::contested(lattice, d, i),
        };
        predicates.extend(said(lattice, i, d, false, &holds)?);
        predicates.extend(said(lattice, i, d, true, &denies)?);
    }
    Ok(Portrait {
        name: lattice.name(i).to_string(),
        id: lattice.id(i).to_string(),
        aka: lattice.aliases(i).into_iter().map(String::from).collect(),
        predicates,
    })
}

fn said(
    lattice: &Lattice,
    i: InstanceId,
    d: DimensionId,
    denied: bool,
    contested: &[PredicateId],
) -> Result<Vec<Said>, StoreError> {
    let relation = if denied {
        lattice.negative(d)
    } else {
        lattice.positive(d)
    };
    let row = relation.of(i);
    let mut all = Vec::new();
    for (k, v) in row.values().iter().enumerate() {
        let p: PredicateId = row.predicate(k);
        let mut sources = Vec::new();
        for (source, _) in relation.sources(p) {
            let evidence = lattice.evidence(source)?;
            sources.push(SaidIn {
                text: evidence.text,
                document: evidence.document,
                at: evidence.range,
                line: evidence.line,
            });
        }
        all.push(Said {
            dimension: lattice.dimension(d).name.clone(),
            value: printed(lattice, d, ValueId(*v)),
            denied,
            contested: contested.contains(&p),
            confidence: relation.confidence(p),
            sources,
        });
    }
    Ok(all)
}

/// A value with its unit.
fn printed(lattice: &Lattice, d: DimensionId, v: ValueId) -> String {
    let value = lattice.value(d, v);
    let cell = words::cell(lattice, &value);
    match (&value, &lattice.dimension(d).kind) {
        (Value::Number(_), Kind::Number { unit: Some(unit) }) => format!("{cell} {unit}"),
        _ => cell,
    }
}
