//! A lattice as it is read.
//!
//! The bytes are the lattice: arrays are read where they lie. Each section is
//! checked once, its hash and its shape, when it is first needed; after that its
//! indices are known to be in place.
#![deny(clippy::indexing_slicing)]

use super::columns::{self, Bounds, Summary};
use super::defect::Defect;
use super::evidence::{self, Cache, Piece};
use super::format::{Image, NO_DIMENSION, Part, Wrong};
use super::hash::content_hash_of;
use super::names::{AliasesView, IdsView, IndexView};
use super::nearest::Sorted;
use super::pack::Strings;
use super::tables::{self, Catalogue};
use super::words::DimensionWords;
use super::{
    Builder, ContentHash, DateInterval, DimensionId, EvidenceId, InstanceId, Kind, NumberInterval,
    Relation, StoreError, Taxonomy, Units, Value, ValueId,
};
use std::path::Path;
use std::sync::{Arc, LazyLock, OnceLock};

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

impl Counts {
    /// Whether there is no instance, no predicate and no value.
    pub fn is_empty(&self) -> bool {
        self.instances == 0 && self.predicates == 0 && self.values == 0
    }
}

/// An immutable snapshot of a lattice. Cloning it is cheap.
///
/// A lattice from a file is to be checked by [`Lattice::ensure`] before it is
/// asked: until then a damaged section reads as an empty one.
#[derive(Clone)]
pub struct Lattice(Arc<Inner>);

struct Inner {
    image: Image,
    catalogue: Catalogue,
    content_hash: ContentHash,
    by_word: OnceLock<DimensionWords>,
    names: Checked<()>,
    ids: Checked<()>,
    aliases: Checked<()>,
    name_index: Checked<()>,
    evidence: Checked<usize>,
    dimensions: Vec<Cells>,
    cache: Cache,
    ensured: OnceLock<Result<(), StoreError>>,
}

/// What a section holds once it has been checked; nothing if it is damaged.
type Checked<T> = OnceLock<Result<T, Wrong>>;

/// The sections of one dimension.
#[derive(Default)]
struct Cells {
    values: Checked<Values>,
    positive: Checked<Option<Summary>>,
    negative: Checked<Option<Summary>>,
    defects: Checked<Vec<Defect>>,
}

enum Values {
    Terms(Box<Taxonomy>),
    /// The instances.
    Entities,
    Numbers(Vec<NumberInterval>),
    Dates(Vec<DateInterval>),
    /// So many strings, read in place.
    Texts(usize),
}

impl Lattice {
    /// A lattice in which there is nothing.
    pub fn empty() -> Lattice {
        static EMPTY: LazyLock<Option<Lattice>> = LazyLock::new(|| Builder::new().freeze().ok());
        match &*EMPTY {
            Some(lattice) => lattice.clone(),
            // An empty builder freezes; a test says so.
            None => Lattice(Arc::new(Inner::nothing())),
        }
    }

    /// Opens a lattice file. Reads its header, table of contents and catalogue; the
    /// rest is read where a question needs it.
    ///
    /// # Errors
    /// If there is no such file, or it is not a whole lattice of this format.
    pub fn open(path: &Path) -> Result<Lattice, StoreError> {
        Lattice::from_image(Image::open(path)?)
    }

    /// A lattice from the bytes of a file.
    ///
    /// # Errors
    /// If they are not those of a whole lattice of this format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Lattice, StoreError> {
        Lattice::from_image(Image::from_bytes(bytes)?)
    }

    pub(super) fn from_image(image: Image) -> Result<Lattice, StoreError> {
        let damaged = |part: Part| image.damaged(image.described(part, None));
        let section = |part: Part| match image.section(part, NO_DIMENSION) {
            Ok(Some(bytes)) => Ok(bytes),
            _ => Err(damaged(part)),
        };
        let content_hash = content_hash_of(section(Part::ContentHash)?);
        let catalogue =
            Catalogue::unpack(section(Part::Catalogue)?).ok_or_else(|| damaged(Part::Catalogue))?;
        Ok(Lattice(Arc::new(Inner::new(
            image,
            catalogue,
            content_hash,
        ))))
    }

    pub(super) fn image(&self) -> &Image {
        &self.0.image
    }

    pub(super) fn by_word(&self) -> &OnceLock<DimensionWords> {
        &self.0.by_word
    }

    pub(super) fn cache(&self) -> &Cache {
        &self.0.cache
    }

    pub(super) fn catalogue(&self) -> &Catalogue {
        &self.0.catalogue
    }

    /// Checks everything but the source texts, which are checked when they are
    /// read. The work is done once.
    ///
    /// # Errors
    /// If a section is damaged.
    pub fn ensure(&self) -> Result<(), StoreError> {
        self.0.ensured.get_or_init(|| self.check_all()).clone()
    }

    /// Checks everything, source texts too.
    ///
    /// # Errors
    /// If anything is damaged.
    pub fn verify_all(&self) -> Result<(), StoreError> {
        self.verify_sections()?;
        if !self.image().header_is_whole() {
            return Err(self.image().damaged("header"));
        }
        self.check_content_hash()
    }

    /// Checks every section, the evidence too, against its hash and its form.
    pub(super) fn verify_sections(&self) -> Result<(), StoreError> {
        self.ensure()?;
        let image = self.image();
        let damaged = |_| image.damaged(image.described(Part::EvidenceBlocks, None));
        image
            .section(Part::EvidenceBlocks, NO_DIMENSION)
            .map_err(damaged)?;
        self.check_evidence().map_err(damaged)
    }

    /// Whether the recorded hash is that of what the lattice says, computed anew.
    /// A file whose checksums all fit can still lie about this.
    fn check_content_hash(&self) -> Result<(), StoreError> {
        let image = self.image();
        let wrong = || image.damaged(image.described(Part::ContentHash, None));
        let count = self.evidence_count().map_err(|_| wrong())?;
        let count = u32::try_from(count).map_err(|_| wrong())?;
        let mut all = Vec::new();
        for e in 0..count {
            all.push(self.evidence(EvidenceId(e))?);
        }
        let piece = |e: EvidenceId| {
            all.get(e.index()).map(|evidence| Piece {
                document: &evidence.document,
                range: evidence.range,
                line: evidence.line,
                text: &evidence.text,
            })
        };
        let state = super::content::state(self, piece).to_bytes();
        if content_hash_of(&state) == self.content_hash() {
            Ok(())
        } else {
            Err(wrong())
        }
    }

    fn check_all(&self) -> Result<(), StoreError> {
        let image = self.image();
        let global = [
            (Part::Names, self.check_names().is_ok()),
            (Part::Ids, self.check_ids().is_ok()),
            (Part::Aliases, self.check_aliases().is_ok()),
            (Part::NameIndex, self.check_name_index().is_ok()),
            (Part::EvidenceIndex, self.evidence_count().is_ok()),
        ];
        for (part, sound) in global {
            if !sound {
                return Err(image.damaged(image.described(part, None)));
            }
        }
        for (d, dimension) in (0u16..).map(DimensionId).zip(self.dimensions()) {
            let parts = [
                (
                    values_part(&dimension.kind).unwrap_or(Part::Names),
                    self.values(d).is_some(),
                ),
                (Part::Positive, self.summary(d, Part::Positive).is_ok()),
                (Part::Negative, self.summary(d, Part::Negative).is_ok()),
                (Part::Defects, self.defects_of(d).is_some()),
            ];
            for (part, sound) in parts {
                if !sound {
                    return Err(image.damaged(image.described(part, Some(&dimension.name))));
                }
            }
        }
        Ok(())
    }

    /// The hash of all that the lattice says.
    pub fn content_hash(&self) -> ContentHash {
        self.0.content_hash
    }

    /// Whether nothing has been loaded: no instance, no predicate and no value.
    pub fn is_empty(&self) -> bool {
        self.counts().is_empty()
    }

    /// How much there is of everything.
    pub fn counts(&self) -> Counts {
        self.0.catalogue.counts
    }
}

/// Sections of the whole lattice.
impl Lattice {
    /// The bytes of a section whose hash is right; there is none of some parts.
    fn bytes(&self, part: Part, dimension: u32) -> Result<&[u8], Wrong> {
        self.image().section(part, dimension)?.ok_or(Wrong)
    }

    fn instances(&self) -> usize {
        self.0.catalogue.counts.instances as usize
    }

    fn check_names(&self) -> Result<(), Wrong> {
        let check = || {
            let names = tables::texts(self.bytes(Part::Names, NO_DIMENSION)?).ok_or(Wrong)?;
            let sorted = || (1..names.len()).all(|at| names.get(at - 1) <= names.get(at));
            let sound = names.len() == self.instances() && names.is_sound() && sorted();
            if sound { Ok(()) } else { Err(Wrong) }
        };
        *self.0.names.get_or_init(check)
    }

    fn check_ids(&self) -> Result<(), Wrong> {
        let check = || {
            let ids = IdsView::of(self.bytes(Part::Ids, NO_DIMENSION)?).ok_or(Wrong)?;
            if ids.is_sound(self.instances()) {
                Ok(())
            } else {
                Err(Wrong)
            }
        };
        *self.0.ids.get_or_init(check)
    }

    fn check_aliases(&self) -> Result<(), Wrong> {
        let check = || {
            let aliases = AliasesView::of(self.bytes(Part::Aliases, NO_DIMENSION)?).ok_or(Wrong)?;
            if aliases.is_sound(self.instances()) {
                Ok(())
            } else {
                Err(Wrong)
            }
        };
        *self.0.aliases.get_or_init(check)
    }

    fn check_name_index(&self) -> Result<(), Wrong> {
        let check = || {
            let index = IndexView::of(self.bytes(Part::NameIndex, NO_DIMENSION)?).ok_or(Wrong)?;
            if index.is_sound(self.instances()) {
                Ok(())
            } else {
                Err(Wrong)
            }
        };
        *self.0.name_index.get_or_init(check)
    }

    /// The number of pieces of evidence.
    pub(super) fn evidence_count(&self) -> Result<usize, Wrong> {
        let check = || {
            let section = self.bytes(Part::EvidenceIndex, NO_DIMENSION)?;
            let index = evidence::IndexView::of(section).ok_or(Wrong)?;
            let blocks = self.image().unchecked(Part::EvidenceBlocks).ok_or(Wrong)?;
            if index.is_sound(blocks.len()) {
                Ok(index.count())
            } else {
                Err(Wrong)
            }
        };
        *self.0.evidence.get_or_init(check)
    }

    pub(super) fn names(&self) -> Strings<'_> {
        let names = self
            .check_names()
            .ok()
            .and_then(|()| tables::texts(self.bytes(Part::Names, NO_DIMENSION).ok()?));
        names.unwrap_or(Strings::EMPTY)
    }

    pub(super) fn ids(&self) -> Option<IdsView<'_>> {
        self.check_ids().ok()?;
        IdsView::of(self.bytes(Part::Ids, NO_DIMENSION).ok()?)
    }

    pub(super) fn alias_table(&self) -> Option<AliasesView<'_>> {
        self.check_aliases().ok()?;
        AliasesView::of(self.bytes(Part::Aliases, NO_DIMENSION).ok()?)
    }

    pub(super) fn name_index(&self) -> Option<IndexView<'_>> {
        self.check_name_index().ok()?;
        IndexView::of(self.bytes(Part::NameIndex, NO_DIMENSION).ok()?)
    }

    pub(super) fn evidence_index(&self) -> Option<evidence::IndexView<'_>> {
        self.evidence_count().ok()?;
        evidence::IndexView::of(self.bytes(Part::EvidenceIndex, NO_DIMENSION).ok()?)
    }
}

/// Values and relations.
impl Lattice {
    fn cells(&self, d: DimensionId) -> Option<&Cells> {
        self.0.dimensions.get(d.index())
    }

    fn values(&self, d: DimensionId) -> Option<&Values> {
        let cell = &self.cells(d)?.values;
        cell.get_or_init(|| self.read_values(d)).as_ref().ok()
    }

    fn read_values(&self, d: DimensionId) -> Result<Values, Wrong> {
        let kind = &self.dimension(d).kind;
        let section = match values_part(kind) {
            Some(part) => self.bytes(part, u32::from(d.0))?,
            None => return self.check_names().map(|()| Values::Entities),
        };
        let values = match kind {
            Kind::Taxonomy => tables::taxonomy(section).map(|terms| Values::Terms(Box::new(terms))),
            Kind::Number { .. } => tables::numbers(section).map(Values::Numbers),
            Kind::Date => tables::dates(section).map(Values::Dates),
            Kind::Text => tables::texts(section)
                .filter(Strings::is_sorted_set)
                .map(|texts| Values::Texts(texts.len())),
            Kind::Entity { .. } => Some(Values::Entities),
        };
        values.ok_or(Wrong)
    }

    pub(super) fn defects_of(&self, d: DimensionId) -> Option<&[Defect]> {
        let cell = &self.cells(d)?.defects;
        let defects = cell.get_or_init(|| self.read_defects(d));
        defects.as_ref().ok().map(Vec::as_slice)
    }

    fn texts(&self, d: DimensionId) -> Strings<'_> {
        let texts = match self.values(d) {
            Some(Values::Texts(_)) => self
                .bytes(Part::Texts, u32::from(d.0))
                .ok()
                .and_then(tables::texts),
            _ => None,
        };
        texts.unwrap_or(Strings::EMPTY)
    }

    /// The number of values of a dimension that are numbered: a taxonomy's, all
    /// instances, or the distinct recorded or denied ones.
    pub fn value_count(&self, d: DimensionId) -> usize {
        match self.values(d) {
            Some(Values::Terms(taxonomy)) => taxonomy.len(),
            Some(Values::Entities) => self.instances(),
            Some(Values::Numbers(numbers)) => numbers.len(),
            Some(Values::Dates(dates)) => dates.len(),
            Some(Values::Texts(count)) => *count,
            None => 0,
        }
    }

    /// The taxonomy of a dimension; none for other kinds.
    pub fn taxonomy(&self, d: DimensionId) -> Option<&Taxonomy> {
        match self.values(d)? {
            Values::Terms(taxonomy) => Some(taxonomy),
            _ => None,
        }
    }

    /// The numbers of a NUMBER dimension, ascending; a [`ValueId`] is an index.
    pub fn numbers(&self, d: DimensionId) -> &[NumberInterval] {
        match self.values(d) {
            Some(Values::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The dates of a DATE dimension, ascending; a [`ValueId`] is an index.
    pub fn dates(&self, d: DimensionId) -> &[DateInterval] {
        match self.values(d) {
            Some(Values::Dates(dates)) => dates,
            _ => &[],
        }
    }

    /// The string of a TEXT dimension.
    pub fn text(&self, d: DimensionId, v: ValueId) -> &str {
        self.texts(d).get(v.index())
    }

    /// The value of a TEXT dimension that is this string.
    pub fn find_text(&self, d: DimensionId, text: &str) -> Option<ValueId> {
        self.texts(d).find(text).map(|at| ValueId(at as u32))
    }

    /// A value, decoded; an empty string if there is none of this number.
    pub fn value(&self, d: DimensionId, v: ValueId) -> Value {
        let value = match self.values(d) {
            Some(Values::Terms(taxonomy)) => Some(Value::Term(taxonomy.name(v).to_owned())),
            Some(Values::Entities) => Some(Value::Instance(InstanceId(v.0))),
            Some(Values::Numbers(numbers)) => numbers.get(v.index()).cloned().map(Value::Number),
            Some(Values::Dates(dates)) => dates.get(v.index()).copied().map(Value::Date),
            _ => None,
        };
        value.unwrap_or_else(|| Value::Text(self.text(d, v).to_owned()))
    }

    /// The distinct values that some instance is recorded to have, ascending.
    pub fn recorded_values(&self, d: DimensionId) -> &[u32] {
        self.positive(d).distinct_values()
    }

    /// What is recorded in a dimension.
    pub fn positive(&self, d: DimensionId) -> Relation<'_> {
        self.relation(d, Part::Positive)
    }

    /// What is denied in a dimension.
    pub fn negative(&self, d: DimensionId) -> Relation<'_> {
        self.relation(d, Part::Negative)
    }

    fn relation(&self, d: DimensionId, part: Part) -> Relation<'_> {
        let read = || {
            let summary = self.summary(d, part).ok()??;
            let columns = columns::unpack(self.bytes(part, u32::from(d.0)).ok()?)?;
            let (multiple, least) = (&summary.multiple, summary.least);
            Some(Relation {
                columns,
                multiple,
                least,
            })
        };
        read().unwrap_or_else(Relation::empty)
    }

    fn summary(&self, d: DimensionId, part: Part) -> Result<Option<&Summary>, Wrong> {
        let cells = self.cells(d).ok_or(Wrong)?;
        let cell = match part {
            Part::Negative => &cells.negative,
            _ => &cells.positive,
        };
        let read = || {
            let Some(section) = self.image().section(part, u32::from(d.0))? else {
                return Ok(None);
            };
            self.values(d).ok_or(Wrong)?;
            let bounds = Bounds {
                instances: self.instances(),
                values: self.value_count(d),
                evidence: self.evidence_count()?,
            };
            let columns = columns::unpack(section).ok_or(Wrong)?;
            columns::check(&columns, bounds).map(Some).ok_or(Wrong)
        };
        match cell.get_or_init(read) {
            Ok(summary) => Ok(summary.as_ref()),
            Err(wrong) => Err(*wrong),
        }
    }
}

/// Where the values of a dimension are written; instances have no table.
fn values_part(kind: &Kind) -> Option<Part> {
    match kind {
        Kind::Taxonomy => Some(Part::Terms),
        Kind::Number { .. } => Some(Part::Numbers),
        Kind::Date => Some(Part::Dates),
        Kind::Text => Some(Part::Texts),
        Kind::Entity { .. } => None,
    }
}

impl Inner {
    fn new(image: Image, catalogue: Catalogue, content_hash: ContentHash) -> Inner {
        Inner {
            dimensions: catalogue
                .dimensions
                .iter()
                .map(|_| Cells::default())
                .collect(),
            image,
            catalogue,
            content_hash,
            by_word: OnceLock::new(),
            names: OnceLock::new(),
            ids: OnceLock::new(),
            aliases: OnceLock::new(),
            name_index: OnceLock::new(),
            evidence: OnceLock::new(),
            cache: Cache::default(),
            ensured: OnceLock::new(),
        }
    }

    /// A lattice without sections, which reads as an empty one.
    fn nothing() -> Inner {
        let catalogue = Catalogue {
            counts: Counts::default(),
            dimensions: Vec::new(),
            stated: Vec::new(),
            units: Units::new(),
        };
        Inner::new(Image::nothing(), catalogue, content_hash_of(&[]))
    }
}

impl std::fmt::Debug for Lattice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lattice")
            .field("content_hash", &self.content_hash())
            .field("counts", &self.counts())
            .finish()
    }
}
