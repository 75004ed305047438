//! Proofs as data, and their JSON (the book's page "Certificates").

use super::RunError;
use crate::lattice::{DimensionId, InstanceId, Lattice, PredicateId, Value, ValueId};
use crate::verdict::Cell;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A recorded predicate, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PredicateRef {
    /// Its dimension.
    pub dimension: DimensionId,
    /// Whether it denies its value.
    pub denied: bool,
    /// Its number in the table of its dimension and polarity.
    pub predicate: PredicateId,
}

/// A recorded predicate with all its sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// Whom it speaks of.
    pub instance: InstanceId,
    /// Its dimension.
    pub dimension: DimensionId,
    /// Its value.
    pub value: Value,
    /// Whether it denies the value.
    pub denied: bool,
    /// The largest confidence among its sources.
    pub confidence: f64,
    /// Its sources, in canonical order.
    pub sources: Vec<SourceText>,
}

/// What says a predicate, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceText {
    /// The words.
    pub text: String,
    /// The document.
    pub document: String,
    /// Half-open byte range.
    pub range: Option<(u64, u64)>,
    /// Line number, from 1.
    pub line: Option<u64>,
    /// How sure this source is.
    pub confidence: f64,
}

/// Reads a predicate with its sources.
///
/// # Errors
/// [`RunError::Store`] if its evidence is damaged.
pub fn read_predicate(lattice: &Lattice, of: PredicateRef) -> Result<Predicate, RunError> {
    let relation = if of.denied {
        lattice.negative(of.dimension)
    } else {
        lattice.positive(of.dimension)
    };
    let value = relation.value(of.predicate).map_or(0, |v| v.0);
    let mut sources = Vec::new();
    for (evidence, confidence) in relation.sources(of.predicate) {
        let evidence = lattice.evidence(evidence)?;
        sources.push(SourceText {
            text: evidence.text,
            document: evidence.document,
            range: evidence.range,
            line: evidence.line,
            confidence,
        });
    }
    Ok(Predicate {
        instance: relation.subject(of.predicate).unwrap_or(InstanceId(0)),
        dimension: of.dimension,
        value: lattice.value(of.dimension, ValueId(value)),
        denied: of.denied,
        confidence: relation.confidence(of.predicate),
        sources,
    })
}

/// What a proof shows of its constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It holds for certain.
    Certain,
    /// It is excluded.
    Excluded,
    /// It is possible (only below POSSIBLY).
    Possible,
}

/// Why a constraint is certain or excluded for one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// What is shown.
    pub shown: Shown,
    /// The constraint, printed.
    pub text: String,
    /// What bounds by sets came to.
    pub bounds: Vec<Value>,
    /// What shows it.
    pub by: By,
}

/// What shows a constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// Nothing need be said.
    Nothing,
    /// Every member.
    All(Vec<Proof>),
    /// One member.
    One(Box<Proof>),
    /// The opposite of the constraint inside.
    Not(Box<Proof>),
    /// What is inside POSSIBLY.
    So(Box<Proof>),
    /// The names of the instance.
    Called(Vec<String>),
    /// Membership in a set, by its text.
    Among(String),
    /// Recorded values.
    Sides {
        /// The text of the set of which `element` is a member.
        among: Option<String>,
        /// The element of braces or of a set that holds, printed.
        element: Option<String>,
        /// One, or one per side of a contested coordinate.
        sides: Vec<SideProof>,
    },
    /// The dimension is known completely, and nothing is recorded.
    Nowhere(DimensionId),
    /// The dimension is known completely, and this is all that is recorded.
    Complete {
        /// The dimension.
        dimension: DimensionId,
        /// Every positive, with a proof of the rest of a path behind it.
        recorded: Vec<SideProof>,
        /// Whether each has a rest.
        each: bool,
    },
}

/// What one side of a coordinate says.
#[derive(Clone, Debug, PartialEq)]
pub struct SideProof {
    /// The predicates.
    pub by: Vec<Predicate>,
    /// The order path from the value up to the constraint's.
    pub path: Vec<Value>,
    /// The predicates that are the edges of the path.
    pub edges: Vec<Predicate>,
    /// The proof of the rest of a path, at the value.
    pub then: Option<Box<Proof>>,
}

impl SideProof {
    pub(super) fn of(by: Vec<Predicate>) -> Self {
        SideProof {
            by,
            path: Vec::new(),
            edges: Vec::new(),
            then: None,
        }
    }
}

impl Proof {
    /// Every predicate that the proof rests on, in order of mention.
    pub fn predicates(&self) -> Vec<&Predicate> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Predicate>) {
        match &self.by {
            By::Nothing | By::Called(_) | By::Among(_) | By::Nowhere(_) => {}
            By::All(list) => list.iter().for_each(|proof| proof.collect(found)),
            By::One(proof) | By::Not(proof) | By::So(proof) => proof.collect(found),
            By::Sides { sides, .. }
            | By::Complete {
                recorded: sides, ..
            } => {
                for side in sides {
                    found.extend(&side.by);
                    found.extend(&side.edges);
                    if let Some(then) = &side.then {
                        then.collect(found);
                    }
                }
            }
        }
    }

    /// The proof as JSON.
    pub fn to_json(&self, lattice: &Lattice) -> serde_json::Value {
        let mut value = serde_json::to_value(InLattice(lattice, self)).unwrap_or_default();
        value.sort_all_objects();
        value
    }
}

/// Something of a proof together with the lattice that it speaks of.
pub(super) struct InLattice<'a, T>(pub &'a Lattice, pub &'a T);

/// A list of such.
pub(super) struct Listed<'a, T>(pub &'a Lattice, pub &'a [T]);

impl<'a, T> Serialize for Listed<'a, T>
where
    InLattice<'a, T>: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|item| InLattice(self.0, item)))
    }
}

/// A confidence in its shortest form: `1`, not `1.0`.
pub(super) struct Shortest(pub f64);

impl Serialize for Shortest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == 1.0 {
            serializer.serialize_u8(1)
        } else if self.0 == 0.0 {
            serializer.serialize_u8(0)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl Serialize for InLattice<'_, Predicate> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.0.id(self.1.instance))?;
        map.serialize_entry("dimension", &self.0.dimension(self.1.dimension).name)?;
        map.serialize_entry("value", &Cell(self.0, &self.1.value))?;
        if self.1.denied {
            map.serialize_entry("denied", &true)?;
        }
        map.serialize_entry("confidence", &Shortest(self.1.confidence))?;
        map.serialize_entry("sources", &Listed(self.0, &self.1.sources))?;
        map.end()
    }
}

impl Serialize for InLattice<'_, SourceText> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("text", &self.1.text)?;
        map.serialize_entry("document", &self.1.document)?;
        if let Some((start, end)) = self.1.range {
            map.serialize_entry("at", &[start, end])?;
        }
        if let Some(line) = self.1.line {
            map.serialize_entry("line", &line)?;
        }
        if self.1.confidence != 1.0 {
            map.serialize_entry("confidence", &Shortest(self.1.confidence))?;
        }
        map.end()
    }
}

/// A list of values.
struct Cells<'a>(&'a Lattice, &'a [Value]);

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|value| Cell(self.0, value)))
    }
}

impl Serialize for InLattice<'_, SideProof> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("by", &Listed(self.0, &self.1.by))?;
        if self.1.path.len() > 1 {
            map.serialize_entry("path", &Cells(self.0, &self.1.path))?;
        }
        if !self.1.edges.is_empty() {
            map.serialize_entry("edges", &Listed(self.0, &self.1.edges))?;
        }
        if let Some(then) = &self.1.then {
            map.serialize_entry("then", &InLattice(self.0, then.as_ref()))?;
        }
        map.end()
    }
}

impl Serialize for InLattice<'_, Proof> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let key = match self.1.shown {
            Shown::Certain => "certain",
            Shown::Excluded => "excluded",
            Shown::Possible => "possible",
        };
        map.serialize_entry(key, &self.1.text)?;
        if !self.1.bounds.is_empty() {
            map.serialize_entry("bounds", &Cells(self.0, &self.1.bounds))?;
        }
        match &self.1.by {
            By::Nothing => {}
            By::All(list) => map.serialize_entry("all", &Listed(self.0, list))?,
            By::One(proof) => map.serialize_entry("one", &InLattice(self.0, proof.as_ref()))?,
            By::Not(proof) => map.serialize_entry("not", &InLattice(self.0, proof.as_ref()))?,
            By::So(proof) => map.serialize_entry("so", &InLattice(self.0, proof.as_ref()))?,
            By::Called(names) => map.serialize_entry("called", names)?,
            By::Among(set) => map.serialize_entry("among", set)?,
            By::Sides {
                among,
                element,
                sides,
            } => {
                if let Some(among) = among {
                    map.serialize_entry("among", among)?;
                }
                if let Some(element) = element {
                    map.serialize_entry("element", element)?;
                }
                map.serialize_entry("sides", &Listed(self.0, sides))?;
            }
            By::Nowhere(dimension) => {
                map.serialize_entry("complete", &self.0.dimension(*dimension).name)?;
            }
            By::Complete {
                dimension,
                recorded,
                each,
            } => {
                map.serialize_entry("complete", &self.0.dimension(*dimension).name)?;
                if *each {
                    map.serialize_entry("each", &Listed(self.0, recorded))?;
                } else {
                    let all: Vec<&Predicate> = recorded.iter().flat_map(|side| &side.by).collect();
                    let list: Vec<InLattice<'_, Predicate>> =
                        all.into_iter().map(|p| InLattice(self.0, p)).collect();
                    map.serialize_entry("recorded", &list)?;
                }
            }
        }
        map.end()
    }
}

/// One hit of a MEET with the proof of each conjunct.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Who.
    pub instance: InstanceId,
    /// Why, one per constraint of the outermost AND-list.
    pub because: Vec<Proof>,
}

impl Serialize for InLattice<'_, Hit> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.0.id(self.1.instance))?;
        map.serialize_entry("name", self.0.name(self.1.instance))?;
        map.serialize_entry("because", &Listed(self.0, &self.1.because))?;
        map.end()
    }
}

/// A value that RETURN gave, with the first walk to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    /// The value.
    pub value: Value,
    /// The hit that the walk starts from.
    pub hit: InstanceId,
    /// The predicates of the walk.
    pub walk: Vec<Predicate>,
}

impl Serialize for InLattice<'_, Returned> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &Cell(self.0, &self.1.value))?;
        map.serialize_entry("hit", self.0.id(self.1.hit))?;
        map.serialize_entry("walk", &Listed(self.0, &self.1.walk))?;
        map.end()
    }
}

/// A row with the walks of its legs.
#[derive(Clone, Debug, PartialEq)]
pub struct RowProof {
    /// The cells.
    pub cells: Vec<Option<Value>>,
    /// The hit that the walks start from.
    pub hit: InstanceId,
    /// Per leg the predicates of its walk.
    pub walks: Vec<Option<Vec<Predicate>>>,
}

impl Serialize for InLattice<'_, RowProof> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let cells: Vec<Option<Cell<'_>>> = self
            .1
            .cells
            .iter()
            .map(|cell| cell.as_ref().map(|value| Cell(self.0, value)))
            .collect();
        map.serialize_entry("cells", &cells)?;
        map.serialize_entry("hit", self.0.id(self.1.hit))?;
        let walks: Vec<Option<Listed<'_, Predicate>>> = self
            .1
            .walks
            .iter()
            .map(|walk| walk.as_ref().map(|list| Listed(self.0, list.as_slice())))
            .collect();
        map.serialize_entry("walks", &walks)?;
        map.end()
    }
}

/// A chain of values, from a lower to an upper one.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The values, both ends included.
    pub path: Vec<Value>,
    /// The predicates that are its edges, of a WITHIN relation.
    pub edges: Vec<Predicate>,
}

impl Serialize for InLattice<'_, Chain> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &Cells(self.0, &self.1.path))?;
        if !self.1.edges.is_empty() {
            map.serialize_entry("edges", &Listed(self.0, &self.1.edges))?;
        }
        map.end()
    }
}

/// A value of a bound, with the chains that show where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounding {
    /// The value.
    pub value: Value,
    /// The chains.
    pub chains: Vec<Chain>,
}

impl Serialize for InLattice<'_, Bounding> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &Cell(self.0, &self.1.value))?;
        map.serialize_entry("chains", &Listed(self.0, &self.1.chains))?;
        map.end()
    }
}

/// What shows a meet or a join.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundProof {
    /// Of a join the minimal common upper bounds, each with chains from the operands.
    pub upper: Vec<Bounding>,
    /// The maximal members, each with chains up to the operands, or to the upper bounds.
    pub members: Vec<Bounding>,
}

/// What an operand of a COMPARE reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingProof {
    /// The instance, or the printed value.
    pub of: Result<InstanceId, String>,
    /// The values.
    pub values: Vec<Value>,
    /// All walks to them.
    pub walks: Vec<Vec<Predicate>>,
}

impl Serialize for InLattice<'_, ReadingProof> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.1.of {
            Ok(instance) => map.serialize_entry("of", self.0.id(*instance))?,
            Err(printed) => map.serialize_entry("of", printed)?,
        }
        map.serialize_entry("values", &Cells(self.0, &self.1.values))?;
        let walks: Vec<Listed<'_, Predicate>> = self
            .1
            .walks
            .iter()
            .map(|walk| Listed(self.0, walk.as_slice()))
            .collect();
        map.serialize_entry("walks", &walks)?;
        map.end()
    }
}
