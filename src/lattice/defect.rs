//! What is wrong with a taxonomy as its sources state it, and is kept with it.
#![deny(clippy::indexing_slicing)]

use super::builder::{Builder, DimKey, SourceKey, named};
use super::format::{Part, Wrong};
use super::intern::{NONE, StringKey};
use super::pack::{Packer, Unpacker};
use super::snapshot::Lattice;
use super::{BuildError, DimensionId, EvidenceId};

/// A fault of a taxonomy, in the words of its sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// A declared edge that lies on a cycle, all of whose members are one value.
    CycleEdge {
        /// The upper end.
        upper: String,
        /// The lower end; the same where a value is declared to lie below itself.
        lower: String,
    },
    /// A parent that no source defines.
    Undefined {
        /// The parent.
        term: String,
        /// A term that names it.
        user: String,
    },
    /// A term that is defined twice in one document.
    Duplicate {
        /// The term.
        term: String,
    },
}

impl Fault {
    fn kind(&self) -> u8 {
        match self {
            Fault::CycleEdge { .. } => 0,
            Fault::Undefined { .. } => 1,
            Fault::Duplicate { .. } => 2,
        }
    }

    /// The keyword in LQ.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Fault::CycleEdge { .. } => "cycle",
            Fault::Undefined { .. } => "undefined",
            Fault::Duplicate { .. } => "duplicate",
        }
    }

    /// The terms that it names, in the order of its fields.
    pub fn terms(&self) -> [&str; 2] {
        match self {
            Fault::CycleEdge { upper, lower } => [upper, lower],
            Fault::Undefined { term, user } => [term, user],
            Fault::Duplicate { term } => [term, ""],
        }
    }

    fn of(kind: u8, first: &str, second: &str) -> Option<Fault> {
        let (first, second) = (first.to_owned(), second.to_owned());
        Some(match kind {
            0 => Fault::CycleEdge {
                upper: first,
                lower: second,
            },
            1 => Fault::Undefined {
                term: first,
                user: second,
            },
            2 if second.is_empty() => Fault::Duplicate { term: first },
            _ => return None,
        })
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::CycleEdge { upper, lower } => write!(f, "CYCLE \"{upper}\" > \"{lower}\""),
            Fault::Undefined { term, user } => write!(f, "UNDEFINED \"{term}\" BY \"{user}\""),
            Fault::Duplicate { term } => write!(f, "DUPLICATE \"{term}\""),
        }
    }
}

/// A fault, with the words that show it where they are known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Defect {
    /// What is wrong.
    pub fault: Fault,
    /// The source text that shows it.
    pub evidence: Option<EvidenceId>,
}

/// The section of a taxonomy's defects, sorted.
pub(super) fn pack(defects: &[Defect]) -> Option<Vec<u8>> {
    let kinds: Vec<u8> = defects.iter().map(|defect| defect.fault.kind()).collect();
    let evidence: Vec<u32> = defects
        .iter()
        .map(|defect| defect.evidence.map_or(NONE, |e| e.0))
        .collect();
    let mut packer = Packer::default();
    packer.array(&kinds).array(&evidence);
    packer.strings(defects.iter().flat_map(|defect| defect.fault.terms()))?;
    Some(packer.finish())
}

/// The defects in a section; `None` if it is not what [`pack`] writes for so many
/// pieces of evidence.
pub(super) fn unpack(section: &[u8], evidence_count: usize) -> Option<Vec<Defect>> {
    let mut unpacker = Unpacker::of_bytes(section);
    let kinds: &[u8] = unpacker.slice()?;
    let evidence: &[u32] = unpacker.slice()?;
    let words = unpacker.strings()?;
    let shaped = unpacker.is_done()
        && words.is_sound()
        && evidence.len() == kinds.len()
        && words.len() == 2 * kinds.len();
    if !shaped {
        return None;
    }
    let defect = |(at, (&kind, &e)): (usize, (&u8, &u32))| {
        let known = e == NONE || (e as usize) < evidence_count;
        Some(Defect {
            fault: Fault::of(kind, words.get(2 * at), words.get(2 * at + 1))?,
            evidence: known.then_some((e != NONE).then_some(EvidenceId(e)))?,
        })
    };
    let defects: Option<Vec<Defect>> = kinds.iter().zip(evidence).enumerate().map(defect).collect();
    defects.filter(|defects| defects.is_sorted_by(|a, b| a < b))
}

impl Lattice {
    /// What is wrong with a taxonomy as its sources state it, sorted; empty for
    /// other kinds. Several roots and ambiguous meets are no faults of a source and
    /// not among them.
    pub fn defects(&self, d: DimensionId) -> &[Defect] {
        self.defects_of(d).unwrap_or(&[])
    }

    pub(super) fn read_defects(&self, d: DimensionId) -> Result<Vec<Defect>, Wrong> {
        let Some(section) = self.image().section(Part::Defects, u32::from(d.0))? else {
            return Ok(Vec::new());
        };
        let evidence = self.counts().evidence as usize;
        unpack(section, evidence).ok_or_else(|| {
            self.image().report(Part::Defects, u32::from(d.0));
            Wrong
        })
    }
}

/// What a loader notes about a term, and what becomes a defect unless it turns out
/// to be none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) dimension: u32,
    pub(super) term: StringKey,
    /// The term that names it as its parent; none where it is defined twice.
    pub(super) user: Option<StringKey>,
    /// [`NONE`] if nobody says.
    pub(super) source: u32,
}

impl Builder {
    /// Notes that `user` names `term` as its parent. That is a defect, and kept as
    /// such, unless the term is defined in the end: unless an instance of that id is
    /// at the value of that name.
    ///
    /// # Errors
    /// If the dimension is no taxonomy or a name is empty.
    pub fn note_parent(
        &mut self,
        d: DimKey,
        term: &str,
        user: &str,
        source: Option<SourceKey>,
    ) -> Result<(), BuildError> {
        let user = named("a taxonomy's value", user)?;
        let user = self.string(&user)?;
        self.note(d, term, Some(user), source)
    }

    /// Notes that a document defines a term a second time.
    ///
    /// # Errors
    /// If the dimension is no taxonomy or the name is empty.
    pub fn note_duplicate(
        &mut self,
        d: DimKey,
        term: &str,
        source: Option<SourceKey>,
    ) -> Result<(), BuildError> {
        self.note(d, term, None, source)
    }

    fn note(
        &mut self,
        d: DimKey,
        term: &str,
        user: Option<StringKey>,
        source: Option<SourceKey>,
    ) -> Result<(), BuildError> {
        // A defect names values of its taxonomy; a stub is one.
        self.note_order(d.0);
        self.term(d, term)?;
        let term = named("a taxonomy's value", term)?;
        let note = Note {
            dimension: d.0,
            term: self.string(&term)?,
            user,
            source: self.source_number(source)?,
        };
        self.notes.push(note);
        Ok(())
    }

    /// The number of a source; [`NONE`] for none.
    pub(super) fn source_number(&self, source: Option<SourceKey>) -> Result<u32, BuildError> {
        match source {
            None => Ok(NONE),
            Some(SourceKey(key)) if (key as usize) < self.sources.len() => Ok(key),
            Some(SourceKey(key)) => Err(BuildError::UnknownKey {
                what: "source",
                key,
            }),
        }
    }
}
