//! Collects facts in any order.

use super::fold::one_space;
use super::intern::{HashIndex, Interner, NONE, StringKey};
use super::spec::{DimensionSpec, KindSpec};
use super::undo::Undo;
use super::{BuildError, DateInterval, Decimal, NumberInterval, Units};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

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
    fn wording(&self) -> String {
        match self {
            FactValue::Term(name) => format!("the word \"{name}\""),
            FactValue::Instance(_) => "an instance".to_owned(),
            FactValue::Number(n) => format!("the number {n}"),
            FactValue::Date(d) => format!("the date {d}"),
            FactValue::Text(text) => format!("the string {text:?}"),
        }
    }
}

#[derive(Clone)]
pub(super) struct Dim {
    pub(super) spec: DimensionSpec,
    /// False while it is only known as the inverse of another.
    pub(super) declared: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Inst {
    pub(super) name: StringKey,
    pub(super) id: StringKey,
    /// The next instance of the same name.
    pub(super) next: u32,
    pub(super) alive: bool,
}

/// A source; its text lies in the builder's buffer of source texts.
#[derive(Clone, Copy)]
pub(super) struct Source {
    start: u64,
    end: u64,
    line: u64,
    at: usize,
    length: u32,
    pub(super) document: StringKey,
}

impl Source {
    /// A range that cannot occur, and a line that does not: "none".
    const NO_RANGE: (u64, u64) = (u64::MAX, 0);
    const NO_LINE: u64 = u64::MAX;

    pub(super) fn range(&self) -> Option<(u64, u64)> {
        (self.start <= self.end).then_some((self.start, self.end))
    }
    pub(super) fn line(&self) -> Option<u64> {
        (self.line != Self::NO_LINE).then_some(self.line)
    }
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

/// Takes dimensions, instances and facts in any order and freezes them into a
/// [`super::Lattice`] that does not depend on the order. A fact takes 24 bytes, a
/// source its text and about 60.
#[derive(Clone, Default)]
pub struct Builder {
    pub(super) strings: Interner,
    pub(super) dims: Vec<Dim>,
    pub(super) dim_by_name: HashMap<String, u32>,
    pub(super) units: Units,
    /// The values of all taxonomies: dimension and name.
    pub(super) terms: Vec<(u32, StringKey)>,
    pub(super) term_by_name: HashMap<(u32, StringKey), u32>,
    /// Upper and lower term.
    pub(super) edges: Vec<(u32, u32)>,
    /// Term and word.
    pub(super) synonyms: Vec<(u32, StringKey)>,
    pub(super) instances: Vec<Inst>,
    /// By string: the first instance of this name, the instance of this id.
    pub(super) first_named: Vec<u32>,
    pub(super) with_id: Vec<u32>,
    pub(super) aliases: Vec<(u32, StringKey)>,
    pub(super) numbers: Vec<NumberInterval>,
    number_keys: HashMap<NumberInterval, u32>,
    pub(super) dates: Vec<DateInterval>,
    date_keys: HashMap<DateInterval, u32>,
    pub(super) sources: Vec<Source>,
    source_texts: String,
    source_index: HashIndex,
    source_hasher: RandomState,
    pub(super) facts: Vec<Fact>,
    pub(super) undo: Vec<Undo>,
    pub(super) open_checkpoints: usize,
}

fn too_many(what: &'static str) -> BuildError {
    BuildError::TooMany {
        what,
        found: u64::from(u32::MAX),
        limit: u64::from(u32::MAX - 1),
    }
}

/// The number that the next element of an array of this length gets.
fn next_key(length: usize, what: &'static str) -> Result<u32, BuildError> {
    u32::try_from(length)
        .ok()
        .filter(|&key| key < NONE)
        .ok_or_else(|| too_many(what))
}

/// A name with its white space folded; an error if nothing is left.
fn named<'a>(what: &'static str, text: &'a str) -> Result<std::borrow::Cow<'a, str>, BuildError> {
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
        let key = self.dim_by_name.get(&decl.name).copied();
        let merged = match key {
            Some(key) => self.dim(key)?.spec.merged(&decl)?,
            None => decl,
        };
        let inverse = match &merged.inverse {
            Some(inverse) if *inverse != merged.name => {
                let implied = DimensionSpec {
                    inverse: Some(merged.name.clone()),
                    complete: merged.complete,
                    ..DimensionSpec::new(inverse.clone(), KindSpec::Entity { within: None })
                };
                // Checked before anything is changed, so that an error changes nothing.
                let spec = match self.dim_by_name.get(inverse) {
                    Some(&other) => self.dim(other)?.spec.merged(&implied)?,
                    None => implied,
                };
                Some(spec)
            }
            _ => None,
        };
        let key = self.put_dimension(merged, true)?;
        if let Some(spec) = inverse {
            self.put_dimension(spec, false)?;
        }
        Ok(DimKey(key))
    }

    pub(super) fn put_dimension(
        &mut self,
        spec: DimensionSpec,
        declared: bool,
    ) -> Result<u32, BuildError> {
        if let Some(&key) = self.dim_by_name.get(&spec.name) {
            let logged = self.open_checkpoints > 0;
            if let Some(dim) = self.dims.get_mut(key as usize) {
                let declared = dim.declared || declared;
                if dim.spec != spec || dim.declared != declared {
                    let before = std::mem::replace(dim, Dim { spec, declared });
                    if logged {
                        self.undo.push(Undo::Dimension(key, Box::new(before)));
                    }
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
        self.dim_by_name.insert(spec.name.clone(), key);
        self.dims.push(Dim { spec, declared });
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
        self.term(d, name).map(|_| ())
    }

    /// Whether a taxonomy has a value of this name.
    pub fn has_value(&self, d: DimKey, name: &str) -> bool {
        self.find_term(d, name).is_some()
    }

    fn find_term(&self, d: DimKey, name: &str) -> Option<u32> {
        let name = self.strings.find(&one_space(name))?;
        self.term_by_name.get(&(d.0, name)).copied()
    }

    fn term(&mut self, d: DimKey, name: &str) -> Result<u32, BuildError> {
        self.expect_taxonomy(d)?;
        let name = named("a taxonomy's value", name)?;
        let name = self.string(&name)?;
        if let Some(&term) = self.term_by_name.get(&(d.0, name)) {
            return Ok(term);
        }
        let term = next_key(self.terms.len(), "values")?;
        self.terms.push((d.0, name));
        self.term_by_name.insert((d.0, name), term);
        Ok(term)
    }

    fn expect_taxonomy(&self, d: DimKey) -> Result<(), BuildError> {
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

    /// Places `lower` directly below `upper`, adding both if they are new.
    ///
    /// # Errors
    /// If both are the same, or the dimension is no taxonomy. A longer cycle is
    /// found by [`Builder::freeze`].
    pub fn add_edge(&mut self, d: DimKey, upper: &str, lower: &str) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        if one_space(upper) == one_space(lower) {
            return Err(BuildError::SelfEdge {
                dimension: self.dim(d.0)?.spec.name.clone(),
                value: one_space(upper).into_owned(),
            });
        }
        let edge = (self.term(d, upper)?, self.term(d, lower)?);
        self.edges.push(edge);
        Ok(())
    }

    /// Gives a taxonomy's value another word.
    ///
    /// # Errors
    /// If there is no such value.
    pub fn add_synonym(&mut self, d: DimKey, value: &str, word: &str) -> Result<(), BuildError> {
        self.expect_taxonomy(d)?;
        let term = self.known_term(d, value)?;
        let word = named("a synonym", word)?;
        let word = self.string(&word)?;
        if self.terms.get(term as usize) != Some(&(d.0, word)) {
            self.synonyms.push((term, word));
        }
        Ok(())
    }

    fn known_term(&self, d: DimKey, value: &str) -> Result<u32, BuildError> {
        match self.find_term(d, value) {
            Some(term) => Ok(term),
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
            if self.open_checkpoints > 0 {
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

/// Instances.
impl Builder {
    /// The instance that is meant, which is created if it is absent.
    ///
    /// # Errors
    /// If the name is empty, stands for several, or does not go with the id.
    pub fn instance(&mut self, who: Who<'_>) -> Result<InstKey, BuildError> {
        match who {
            Who::Name(name) => {
                let name = named("an instance", name)?;
                match self.sole_named(&name)? {
                    Some(key) => Ok(InstKey(key)),
                    None => self.instance_of(&name, &name),
                }
            }
            Who::Id(id) => {
                let id = named("an instance", id)?;
                match self.find_id(&id) {
                    Some(key) => Ok(InstKey(key)),
                    None => self.instance_of(&id, &id),
                }
            }
            Who::Both { name, id } => {
                let (name, id) = (named("an instance", name)?, named("an id", id)?);
                self.instance_of(&name, &id)
            }
        }
    }

    /// The instance that is meant; none if it is absent or the name stands for
    /// several.
    pub fn find(&self, who: Who<'_>) -> Option<InstKey> {
        let key = match who {
            Who::Name(name) => self.sole_named(&one_space(name)).ok()?,
            Who::Id(id) => self.find_id(&one_space(id)),
            Who::Both { name, id } => self
                .find_id(&one_space(id))
                .filter(|&key| self.name_of(key) == one_space(name)),
        };
        key.map(InstKey)
    }

    /// The name of an instance; empty for a key of another builder.
    pub fn instance_name(&self, i: InstKey) -> &str {
        self.name_of(i.0)
    }

    /// The id of an instance; empty for a key of another builder.
    pub fn instance_id(&self, i: InstKey) -> &str {
        match self.instances.get(i.0 as usize) {
            Some(inst) => self.strings.get(inst.id),
            None => "",
        }
    }

    fn name_of(&self, key: u32) -> &str {
        match self.instances.get(key as usize) {
            Some(inst) => self.strings.get(inst.name),
            None => "",
        }
    }

    fn find_id(&self, id: &str) -> Option<u32> {
        let id = self.strings.find(id)?;
        let key = self.with_id.get(id.0 as usize).copied()?;
        (key != NONE).then_some(key)
    }

    /// The only instance of a name.
    fn sole_named(&self, name: &str) -> Result<Option<u32>, BuildError> {
        let Some(string) = self.strings.find(name) else {
            return Ok(None);
        };
        let mut at = self
            .first_named
            .get(string.0 as usize)
            .copied()
            .unwrap_or(NONE);
        let mut keys = Vec::new();
        while let Some(inst) = self.instances.get(at as usize) {
            keys.push(at);
            at = inst.next;
        }
        if keys.len() > 1 {
            let mut ids: Vec<String> = keys
                .iter()
                .map(|&key| self.instance_id(InstKey(key)).to_owned())
                .collect();
            ids.sort();
            return Err(BuildError::Ambiguous {
                name: name.to_owned(),
                ids,
            });
        }
        Ok(keys.first().copied())
    }

    /// The instance of this id, which is created if absent and must have this name.
    fn instance_of(&mut self, name: &str, id: &str) -> Result<InstKey, BuildError> {
        if let Some(key) = self.find_id(id) {
            if self.name_of(key) != name {
                return Err(BuildError::Renamed {
                    id: id.to_owned(),
                    first: self.name_of(key).to_owned(),
                    second: name.to_owned(),
                });
            }
            return Ok(InstKey(key));
        }
        let key = next_key(self.instances.len(), "instances")?;
        let (name, id) = (self.string(name)?, self.string(id)?);
        self.instances.push(Inst {
            name,
            id,
            next: NONE,
            alive: false,
        });
        self.link(key);
        Ok(InstKey(key))
    }

    /// Lets an instance be found.
    pub(super) fn link(&mut self, key: u32) {
        self.first_named.resize(self.strings.len(), NONE);
        self.with_id.resize(self.strings.len(), NONE);
        if let Some(inst) = self.instances.get_mut(key as usize) {
            inst.alive = true;
            if let Some(first) = self.first_named.get_mut(inst.name.0 as usize) {
                inst.next = std::mem::replace(first, key);
            }
            if let Some(slot) = self.with_id.get_mut(inst.id.0 as usize) {
                *slot = key;
            }
        }
    }

    /// Lets an instance not be found any more.
    pub(super) fn unlink(&mut self, key: u32) {
        let Some(&inst) = self.instances.get(key as usize) else {
            return;
        };
        // While a retraction is rolled back, an earlier instance may have its id again.
        if let Some(slot) = self.with_id.get_mut(inst.id.0 as usize)
            && *slot == key
        {
            *slot = NONE;
        }
        let name = inst.name.0 as usize;
        let mut at = self.first_named.get(name).copied().unwrap_or(NONE);
        if at == key {
            if let Some(first) = self.first_named.get_mut(name) {
                *first = inst.next;
            }
        } else {
            while let Some(before) = self.instances.get_mut(at as usize) {
                if before.next == key {
                    before.next = inst.next;
                    break;
                }
                at = before.next;
            }
        }
        if let Some(inst) = self.instances.get_mut(key as usize) {
            inst.alive = false;
            inst.next = NONE;
        }
    }

    fn living(&self, i: InstKey) -> Result<&Inst, BuildError> {
        let (what, key) = ("instance", i.0);
        self.instances
            .get(i.0 as usize)
            .filter(|inst| inst.alive)
            .ok_or(BuildError::UnknownKey { what, key })
    }

    /// Gives an instance another name.
    ///
    /// # Errors
    /// If the word is empty.
    pub fn add_alias(&mut self, i: InstKey, word: &str) -> Result<(), BuildError> {
        let name = self.living(i)?.name;
        let word = named("an alias", word)?;
        let word = self.string(&word)?;
        if word != name {
            self.aliases.push((i.0, word));
        }
        Ok(())
    }
}

/// Sources and facts.
impl Builder {
    /// A piece of source text, byte for byte as it stands in the document, with
    /// its half-open range of bytes and its line, if known.
    ///
    /// # Errors
    /// If the text is blank or too long, or the range ends before it starts.
    pub fn source(
        &mut self,
        text: &str,
        document: &str,
        range: Option<(u64, u64)>,
        line: Option<u64>,
    ) -> Result<SourceKey, BuildError> {
        if text.trim().is_empty() {
            let document = document.to_owned();
            return Err(BuildError::EmptySource { document });
        }
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        if text.len() > LONGEST_SOURCE {
            return Err(BuildError::SourceTooLong {
                document: document.to_owned(),
                length: text.len(),
                limit: LONGEST_SOURCE,
            });
        }
        if let Some((start, end)) = range.filter(|(start, end)| start > end) {
            let document = document.to_owned();
            return Err(BuildError::Range {
                document,
                start,
                end,
            });
        }
        let document = self.string(document)?;
        let (start, end) = range.unwrap_or(Source::NO_RANGE);
        let line = line.unwrap_or(Source::NO_LINE);
        let source = Source {
            start,
            end,
            line,
            at: self.source_texts.len(),
            length,
            document,
        };
        let place = (start, end, line, document.0);
        let hash = self.source_hasher.hash_one((text, place));
        let same = |key: u32| {
            self.sources.get(key as usize).is_some_and(|s| {
                (s.start, s.end, s.line, s.document.0) == place && self.text_of(s) == text
            })
        };
        if let Some(key) = self.source_index.find(hash, same) {
            return Ok(SourceKey(key));
        }
        let key = self
            .source_index
            .push(hash)
            .ok_or_else(|| too_many("sources"))?;
        self.source_texts.push_str(text);
        self.sources.push(source);
        Ok(SourceKey(key))
    }

    pub(super) fn text_of(&self, source: &Source) -> &str {
        self.source_texts
            .get(source.at..source.at + source.length as usize)
            .unwrap_or("")
    }

    /// Records, or denies, that an instance has a value. The same fact from
    /// several sources is one predicate.
    ///
    /// # Errors
    /// If the value does not fit the dimension, or the confidence is not from 0 to 1.
    pub fn add_fact(
        &mut self,
        subject: InstKey,
        dimension: DimKey,
        value: FactValue<'_>,
        denied: bool,
        confidence: f64,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        if !(0.0..=1.0).contains(&confidence) {
            let found = confidence.to_string();
            return Err(BuildError::Confidence { found });
        }
        self.living(subject)?;
        if self.sources.get(source.0 as usize).is_none() {
            let (what, key) = ("source", source.0);
            return Err(BuildError::UnknownKey { what, key });
        }
        next_key(self.facts.len(), "facts")?;
        let value = self.value_key(dimension, value)?;
        self.facts.push(Fact {
            // Zero has two signs, which would be two confidences.
            confidence: confidence + 0.0,
            subject: subject.0,
            value,
            source: source.0,
            dimension: u16::try_from(dimension.0).map_err(|_| too_many("dimensions"))?,
            denied,
        });
        Ok(())
    }

    fn value_key(&mut self, d: DimKey, value: FactValue<'_>) -> Result<u32, BuildError> {
        let spec = &self.dim(d.0)?.spec;
        match (&spec.kind, value) {
            (KindSpec::Taxonomy, FactValue::Term(name)) => self.known_term(d, name),
            (KindSpec::Entity { .. }, FactValue::Instance(i)) => {
                self.living(i)?;
                Ok(i.0)
            }
            (KindSpec::Number { .. }, FactValue::Number(number)) => self.number_key(d, number),
            (KindSpec::Date, FactValue::Date(date)) => self.date_key(date),
            (KindSpec::Text, FactValue::Text(text)) => Ok(self.string(text)?.0),
            (kind, value) => Err(BuildError::WrongKind {
                dimension: spec.name.clone(),
                expected: kind.takes(),
                found: value.wording(),
            }),
        }
    }

    fn number_key(&mut self, d: DimKey, number: NumberInterval) -> Result<u32, BuildError> {
        if let Some(&key) = self.number_keys.get(&number) {
            return Ok(key);
        }
        // A computed number may be longer than one that can be read again.
        if let Err(source) = NumberInterval::parse(&number.to_string()) {
            let dimension = self.dim(d.0)?.spec.name.clone();
            return Err(BuildError::Number { dimension, source });
        }
        let key = next_key(self.numbers.len(), "numbers")?;
        self.numbers.push(number.clone());
        self.number_keys.insert(number, key);
        Ok(key)
    }

    fn date_key(&mut self, date: DateInterval) -> Result<u32, BuildError> {
        if let Some(&key) = self.date_keys.get(&date) {
            return Ok(key);
        }
        let key = next_key(self.dates.len(), "dates")?;
        self.dates.push(date);
        self.date_keys.insert(date, key);
        Ok(key)
    }
}
