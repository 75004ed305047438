//! Collects facts in any order.

use super::borrowed::Borrowed;
use super::defect::Note;
use super::documents::Documents;
use super::fact_store::Facts;
use super::fold::one_space;
use super::intern::{Interner, NONE, StringKey};
use super::mentions::Uncounted;
use super::merge::{Cycles, Edge};
use super::roles::Roles;
use super::room::Room;
use super::sources::Sources;
use super::spec::{DimensionSpec, KindSpec};
use super::undo::{Mark, Undo};
use super::{BuildError, DateInterval, Decimal, Multiplicity, NumberInterval, Units};
use std::collections::HashMap;

/// The longest text of a source, in bytes.
pub const LONGEST_SOURCE: usize = 16 << 20;

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(super) u32);
    };
}

key!(
    /// A dimension of one builder.
    DimKey
);
key!(
    /// An instance of one builder.
    InstKey
);
key!(
    /// A source of one builder.
    SourceKey
);
key!(
    /// A value of one dimension of one builder.
    ValueKey
);

/// How an instance is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who<'a> {
    /// By its name, exactly.
    Name(&'a str),
    /// By its id.
    Id(&'a str),
    /// By its id, with the name that it has or is to have.
    Both {
        /// The name.
        name: &'a str,
        /// The id.
        id: &'a str,
    },
    /// By its id, as a list that goes by ids names it. Of several such names those
    /// that are given come before those that are not, and then the least is the
    /// name; the others are aliases, and all are if [`Who::Both`] names it.
    Listed {
        /// The name.
        name: &'a str,
        /// The id.
        id: &'a str,
        /// Whether the list gives this name, and it is not derived from the id.
        given: bool,
    },
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue<'a> {
    /// A taxonomy's value, by its name.
    Term(&'a str),
    /// An instance.
    Instance(InstKey),
    /// A number, in the dimension's unit.
    Number(NumberInterval),
    /// A date.
    Date(DateInterval),
    /// A string.
    Text(&'a str),
}

impl FactValue<'_> {
    pub(super) fn wording(&self) -> String {
        match self {
            FactValue::Term(name) => format!("the word \"{name}\""),
            FactValue::Instance(_) => "an instance".to_owned(),
            FactValue::Number(n) => format!("the number {n}"),
            FactValue::Date(d) => format!("the date {d}"),
            FactValue::Text(text) => format!("the string {text:?}"),
        }
    }
}

#[derive(Clone, PartialEq)]
pub(super) struct Dim {
    pub(super) spec: DimensionSpec,
    /// False while it is only known as the inverse of another.
    pub(super) declared: bool,
    /// Whether only files have shown what it is, and nobody has declared it.
    pub(super) inferred: bool,
    /// The multiplicity that files have shown: MANY if one of them has.
    pub(super) shown: Option<Multiplicity>,
}

impl Dim {
    /// The declaration that adds up from this one and another.
    fn declared_as(&self, decl: &DimensionSpec) -> Result<DimensionSpec, BuildError> {
        if self.inferred && self.spec.kind.merged(&decl.kind).is_none() {
            return Err(BuildError::DeclaredLate {
                dimension: decl.name.clone(),
                inferred: self.spec.kind.word(),
                declared: decl.wording(),
            });
        }
        self.spec.merged(decl)
    }

    /// The declaration that adds up from what two files show.
    fn inferred_as(&self, decl: &DimensionSpec) -> Result<DimensionSpec, BuildError> {
        if self.spec.kind.merged(&decl.kind).is_none() {
            let mut kinds = [self.spec.kind.word(), decl.kind.word()];
            kinds.sort_unstable();
            return Err(BuildError::Inferred {
                dimension: decl.name.clone(),
                kinds,
            });
        }
        self.spec.merged(decl)
    }

    /// What is declared, else what files have shown, if they alone speak of it.
    pub(super) fn multiplicity(&self) -> Option<Multiplicity> {
        let shown = self.shown.filter(|_| self.inferred);
        self.spec.multiplicity.or(shown)
    }
}

/// Where an instance has its name from; a later one comes before an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Naming {
    /// It is no instance of its own yet: whatever is called so.
    Symbol,
    /// It has an id and no name.
    Id,
    /// A list names it by its id.
    Derived,
    /// A list gives the name.
    Given,
    /// It is called so.
    Stated,
}

#[derive(Clone, Copy)]
pub(super) struct Inst {
    pub(super) name: StringKey,
    pub(super) id: StringKey,
    pub(super) naming: Naming,
    pub(super) alive: bool,
    /// How many documents speak of it: four counters of two bits.
    pub(super) counts: u8,
    /// What the present document has done to it, a bit for each counter.
    pub(super) seen: u8,
}

/// That an instance goes by a name.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    pub(super) instance: u32,
    pub(super) name: StringKey,
}

/// A predicate from one source.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) confidence: f64,
    pub(super) subject: u32,
    /// A term, an instance, a number, a date or a string, by the dimension's kind.
    pub(super) value: u32,
    pub(super) source: u32,
    pub(super) dimension: u16,
    pub(super) denied: bool,
}

/// What a list is about to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// Instances, each with an id and a name, and a source of its own.
    pub(crate) named: usize,
    /// Bytes of ids and names.
    pub(crate) names: usize,
    /// Bytes of the sources.
    pub(crate) said: usize,
}

/// Takes dimensions, instances and facts in any order and freezes them into a
/// [`super::Lattice`] that does not depend on the order. A fact takes 12 bytes, a
/// source its text and about 12.
#[derive(Clone, Default)]
pub struct Builder {
    pub(super) strings: Interner,
    pub(super) dims: Vec<Dim>,
    pub(super) dim_by_name: HashMap<String, u32>,
    pub(super) units: Units,
    /// The values of all taxonomies: dimension and name.
    pub(super) terms: Vec<(u32, StringKey)>,
    pub(super) term_by_name: HashMap<(u32, StringKey), u32>,
    pub(super) edges: Vec<Edge>,
    pub(super) cycles: Cycles,
    pub(super) notes: Vec<Note>,
    /// Term and word.
    pub(super) synonyms: Vec<(u32, StringKey)>,
    pub(super) instances: Vec<Inst>,
    pub(super) claims: Vec<Claim>,
    /// Of a claim to a name that had one, the claim before it.
    pub(super) claims_before: HashMap<u32, u32>,
    /// By string: the latest claim to this name, the instance of this id, and what
    /// stands for whatever has this name.
    pub(super) roles: Roles,
    pub(super) aliases: Vec<(u32, StringKey)>,
    pub(super) numbers: Vec<NumberInterval>,
    pub(super) number_keys: HashMap<NumberInterval, u32>,
    pub(super) dates: Vec<DateInterval>,
    pub(super) date_keys: HashMap<DateInterval, u32>,
    pub(super) sources: Sources,
    pub(super) facts: Facts,
    pub(super) documents: Documents,
    pub(super) borrowed: Borrowed,
    pub(super) uncounted: Uncounted,
    pub(super) undo: Vec<Undo>,
    /// The open checkpoints, outermost first.
    pub(super) marks: Vec<Mark>,
    /// How much memory there is; without it no end of it.
    pub(super) room: Option<Room>,
}

pub(super) fn too_many(what: &'static str) -> BuildError {
    BuildError::TooMany {
        what,
        found: u64::from(u32::MAX),
        limit: u64::from(u32::MAX - 1),
    }
}

/// The number that the next element of an array of this length gets.
pub(super) fn next_key(length: usize, what: &'static str) -> Result<u32, BuildError> {
    u32::try_from(length)
        .ok()
        .filter(|&key| key < NONE)
        .ok_or_else(|| too_many(what))
}

/// A name with its white space folded; an error if nothing is left.
pub(super) fn named<'a>(
    what: &'static str,
    text: &'a str,
) -> Result<std::borrow::Cow<'a, str>, BuildError> {
    let name = one_space(text);
    if name.is_empty() {
        return Err(BuildError::EmptyName { what });
    }
    Ok(name)
}

impl Builder {
    /// A builder that knows nothing.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Makes room for what is to come, so that nothing is moved while it grows.
    pub(crate) fn expect(&mut self, expected: Expected) {
        let Expected { named, names, said } = expected;
        self.strings.expect(2 * named, names);
        self.instances.reserve(named);
        self.claims.reserve(named);
        self.roles.reserve(2 * named);
        let most = self.room.as_ref().map_or(usize::MAX, Room::most_unspilled);
        self.sources.reserve(named, said.min(most));
    }

    pub(super) fn string(&mut self, text: &str) -> Result<StringKey, BuildError> {
        self.strings.intern(text).ok_or_else(|| too_many("names"))
    }
}

/// Dimensions, taxonomies and units.
impl Builder {
    /// Declares a dimension. Declaring it again adds what was left open; the
    /// inverse that it names is declared with it.
    ///
    /// # Errors
    /// If the name is empty or reserved, an inverse does not fit, or another
    /// declaration says otherwise.
    pub fn declare_dimension(&mut self, decl: DimensionSpec) -> Result<DimKey, BuildError> {
        let decl = tidied(decl)?;
        let merged = match self.dim_by_name.get(&decl.name) {
            Some(&key) => self.dim(key)?.declared_as(&decl)?,
            None => decl,
        };
        self.put_with_inverse(merged, false, None)
    }

    /// Takes a dimension for what a file shows it to be, unless it is declared:
    /// then only a multiplicity that `decl` has is added where there is none. Of
    /// the multiplicities that are merely `shown`, MANY outweighs ONE.
    ///
    /// # Errors
    /// If another file shows another kind, or the declaration is wrong as such.
    pub fn infer_dimension(
        &mut self,
        decl: DimensionSpec,
        shown: Option<Multiplicity>,
    ) -> Result<DimKey, BuildError> {
        let decl = tidied(decl)?;
        let Some(&key) = self.dim_by_name.get(&decl.name) else {
            return self.put_with_inverse(decl, true, shown);
        };
        let dim = self.dim(key)?;
        if dim.inferred {
            let merged = dim.inferred_as(&decl)?;
            let many = [dim.shown, shown].contains(&Some(Multiplicity::Many));
            let shown = if many {
                Some(Multiplicity::Many)
            } else {
                dim.shown.or(shown)
            };
            return self.put_with_inverse(merged, true, shown);
        }
        let mut spec = dim.spec.clone();
        spec.multiplicity = spec.multiplicity.or(decl.multiplicity);
        let dim = Dim {
            spec,
            ..dim.clone()
        };
        self.put_dimension(dim).map(DimKey)
    }

    /// Whether only files have shown what the dimension is.
    pub fn is_inferred(&self, d: DimKey) -> bool {
        self.dims.get(d.0 as usize).is_some_and(|dim| dim.inferred)
    }

    /// The multiplicity that is declared or that files have shown.
    pub fn multiplicity(&self, d: DimKey) -> Option<Multiplicity> {
        self.dims.get(d.0 as usize)?.multiplicity()
    }

    fn put_with_inverse(
        &mut self,
        merged: DimensionSpec,
        inferred: bool,
        shown: Option<Multiplicity>,
    ) -> Result<DimKey, BuildError> {
        let inverse = match &merged.inverse {
            Some(inverse) if *inverse != merged.name => {
                let implied = DimensionSpec {
                    inverse: Some(merged.name.clone()),
                    complete: merged.complete,
                    ..DimensionSpec::new(inverse.clone(), KindSpec::Entity { within: None })
                };
                // Checked before anything is changed, so that an error changes nothing.
                let dim = match self.dim_by_name.get(inverse) {
                    Some(&other) => {
                        let other = self.dim(other)?;
                        Dim {
                            spec: other.spec.merged(&implied)?,
                            inferred: other.inferred && inferred,
                            ..other.clone()
                        }
                    }
                    None => Dim {
                        spec: implied,
                        declared: false,
                        inferred,
                        shown: None,
                    },
                };
                Some(dim)
            }
            _ => None,
        };
        let key = self.put_dimension(Dim {
            spec: merged,
            declared: true,
            inferred,
            shown,
        })?;
        if let Some(dim) = inverse {
            self.put_dimension(dim)?;
        }
        Ok(DimKey(key))
    }

    /// Adds a dimension, or puts it in the place of the one of its name.
    pub(super) fn put_dimension(&mut self, dim: Dim) -> Result<u32, BuildError> {
        if let Some(&key) = self.dim_by_name.get(&dim.spec.name) {
            let logged = !self.marks.is_empty();
            if let Some(slot) = self.dims.get_mut(key as usize)
                && *slot != dim
            {
                let before = std::mem::replace(slot, dim);
                self.documents.changes += 1;
                if logged {
                    self.undo.push(Undo::Dimension(key, Box::new(before)));
                }
            }
            return Ok(key);
        }
        let limit = u64::from(u16::MAX);
        let found = self.dims.len() as u64 + 1;
        if found > limit {
            let what = "dimensions";
            return Err(BuildError::TooMany { what, found, limit });
        }
        let key = next_key(self.dims.len(), "dimensions")?;
        self.dim_by_name.insert(dim.spec.name.clone(), key);
        self.dims.push(dim);
        self.note_change();
        Ok(key)
    }

    pub(super) fn dim(&self, key: u32) -> Result<&Dim, BuildError> {
        let what = "dimension";
        self.dims
            .get(key as usize)
            .ok_or(BuildError::UnknownKey { what, key })
    }

    /// The dimension of this name, exactly.
    pub fn dimension(&self, name: &str) -> Option<DimKey> {
        self.dim_by_name.get(name).copied().map(DimKey)
    }

    /// All that has been declared about a dimension.
    /// A key of another builder stands for a nameless one.
    pub fn spec(&self, d: DimKey) -> &DimensionSpec {
        static NAMELESS: DimensionSpec = DimensionSpec {
            name: String::new(),
            kind: KindSpec::Text,
            multiplicity: None,
            complete: false,
            inverse: None,
            strict: false,
            aka: Vec::new(),
        };
        self.dims
            .get(d.0 as usize)
            .map_or(&NAMELESS, |dim| &dim.spec)
    }

    /// Every dimension, in the order of declaration.
    pub fn dimensions(&self) -> impl Iterator<Item = (DimKey, &DimensionSpec)> {
        (0u32..)
            .map(DimKey)
            .zip(self.dims.iter().map(|dim| &dim.spec))
    }

    /// Adds a value to a taxonomy.
    ///
    /// # Errors
    /// If the dimension is no taxonomy or the name is empty.
    pub fn add_value(&mut self, d: DimKey, name: &str) -> Result<(), BuildError> {
        let term = self.term(d, name)?;
        if let Some(&(_, name)) = self.terms.get(term as usize) {
            self.note_term(d.0, name);
        }
        Ok(())
    }

    /// The values that a taxonomy has so far.
    pub(crate) fn values_of(&self, d: DimKey) -> impl Iterator<Item = (&str, ValueKey)> {
        let all = (0u32..).zip(&self.terms).filter(move |(_, of)| of.0 == d.0);
        all.map(|(term, of)| (self.strings.get(of.1), ValueKey(term)))
    }

    /// Whether a taxonomy has a value of this name.
    pub fn has_value(&self, d: DimKey, name: &str) -> bool {
        self.find_term(d, name).is_some() || self.can_borrow(d, name)
    }

    fn find_term(&self, d: DimKey, name: &str) -> Option<u32> {
        let name = self.strings.find(&one_space(name))?;
        self.term_by_name.get(&(d.0, name)).copied()
    }

    pub(super) fn term(&mut self, d: DimKey, name: &str) -> Result<u32, BuildError> {
        self.expect_taxonomy(d)?;
        let name = named("a taxonomy's value", name)?;
        let name = self.string(&name)?;
        if let Some(&term) = self.term_by_name.get(&(d.0, name)) {
            return Ok(term);
        }
        let term = next_key(self.terms.len(), "values")?;
        if self.can_borrow(d, self.strings.get(name)) {
            self.borrowed.take(term);
        }
        self.terms.push((d.0, name));
        self.term_by_name.insert((d.0, name), term);
        Ok(term)
    }

    pub(super) fn expect_taxonomy(&self, d: DimKey) -> Result<(), BuildError> {
        let spec = &self.dim(d.0)?.spec;
        match spec.kind {
            KindSpec::Taxonomy => Ok(()),
            _ => Err(BuildError::WrongKind {
                dimension: spec.name.clone(),
                expected: spec.kind.takes(),
                found: "a value of a TAXONOMY".to_owned(),
            }),
        }
    }

    /// Gives a taxonomy's value another word.
    ///
    /// # Errors
    /// If there is no such value.
    pub fn add_synonym(&mut self, d: DimKey, value: &str, word: &str) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        self.note_order(d.0);
        let term = self.known_term(d, value)?;
        let word = named("a synonym", word)?;
        let word = self.string(&word)?;
        if self.terms.get(term as usize) != Some(&(d.0, word)) {
            self.synonyms.push((term, word));
        }
        Ok(())
    }

    pub(super) fn known_term(&mut self, d: DimKey, value: &str) -> Result<u32, BuildError> {
        match self.find_term(d, value) {
            Some(term) => Ok(term),
            None if self.can_borrow(d, value) => self.term(d, value),
            None => Err(BuildError::UnknownValue {
                dimension: self.dim(d.0)?.spec.name.clone(),
                value: value.to_owned(),
            }),
        }
    }

    /// Declares that one `name` is `factor` times `base`.
    ///
    /// # Errors
    /// If that contradicts what is declared.
    pub fn add_unit(&mut self, name: &str, factor: Decimal, base: &str) -> Result<(), BuildError> {
        let mut units = self.units.clone();
        units.define(name, factor, base)?;
        if units != self.units {
            let before = std::mem::replace(&mut self.units, units);
            self.note_change();
            if !self.marks.is_empty() {
                self.undo.push(Undo::Units(before));
            }
        }
        Ok(())
    }

    /// The units declared so far.
    pub fn units(&self) -> &Units {
        &self.units
    }
}

/// The declaration with its names' white space folded, checked on its own.
fn tidied(mut decl: DimensionSpec) -> Result<DimensionSpec, BuildError> {
    decl.name = dimension_name(&decl.name)?;
    if let Some(inverse) = &decl.inverse {
        if !matches!(decl.kind, KindSpec::Entity { .. }) {
            return Err(BuildError::InverseOfValues {
                dimension: decl.name,
                kind: decl.kind.word(),
            });
        }
        decl.inverse = Some(dimension_name(inverse)?);
    }
    if decl.strict && decl.kind != KindSpec::Taxonomy {
        return Err(BuildError::StrictValues {
            dimension: decl.name,
            kind: decl.kind.word(),
        });
    }
    if let KindSpec::Entity { within } = &mut decl.kind
        && let Some(relation) = within
    {
        *relation = dimension_name(relation)?;
    }
    let mut aka = Vec::with_capacity(decl.aka.len());
    for word in &decl.aka {
        let word = named("another wording of a dimension", word)?;
        if word != decl.name {
            aka.push(word.into_owned());
        }
    }
    aka.sort();
    aka.dedup();
    decl.aka = aka;
    Ok(decl)
}

fn dimension_name(text: &str) -> Result<String, BuildError> {
    let name = named("a dimension", text)?;
    if name == "name" {
        return Err(BuildError::ReservedName);
    }
    Ok(name.into_owned())
}
