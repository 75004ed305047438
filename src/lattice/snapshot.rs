//! A lattice as it is read.
//!
//! The bytes are the lattice: arrays are read where they lie. Each section is
//! checked once, its hash and its shape, when it is first needed; after that its
//! indices are known to be in place.
#![deny(clippy::indexing_slicing)]

use super::columns::{self, Layout};
use super::defect::Defect;
use super::evidence::{self, Cache};
use super::format::{Image, NO_DIMENSION, Part, Wrong};
use super::hash::content_hash_of;
use super::laid::{Delta, Over, Overlay};
use super::names::{AliasesView, IdsView, IndexView};
use super::nearest::Sorted;
use super::pack::{Strings, Unpacker};
use super::relation::Stored;
use super::tables::{self, Catalogue};
use super::words::DimensionWords;
use super::{
    Builder, ContentHash, DateInterval, DimensionId, InstanceId, Kind, NumberInterval, Relation,
    StoreError, Taxonomy, Units, Value, ValueId,
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
/// A file is checked where it is read, page by page. What is damaged reads as nothing,
/// and [`Lattice::intact`] tells so afterwards.
#[derive(Clone)]
pub struct Lattice(Arc<Inner>);

struct Inner {
    image: Arc<Image>,
    /// What has changed since the base was written, if anything has; then all is read
    /// through it, and the rest of this is that of the base.
    over: Option<Box<Over>>,
    catalogue: Arc<Catalogue>,
    content_hash: ContentHash,
    by_word: OnceLock<DimensionWords>,
    dimensions: Vec<Cells>,
    cache: Cache,
}

/// What a section holds once it has been checked; nothing if it is damaged.
type Checked<T> = OnceLock<Result<T, Wrong>>;

/// The sections of one dimension.
#[derive(Default)]
struct Cells {
    values: Checked<Values>,
    positive: Checked<Option<Layout>>,
    negative: Checked<Option<Layout>>,
    defects: Checked<Vec<Defect>>,
}

enum Values {
    Terms(Box<Taxonomy>),
    /// The instances.
    Entities,
    /// Ascending; and whether each is a point.
    Numbers(Vec<NumberInterval>, bool),
    Dates(Vec<DateInterval>, bool),
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

    /// The same lattice, of which nothing has been read: what is damaged in it comes out
    /// anew, where it is read.
    ///
    /// # Errors
    /// If what is needed to read it at all is damaged.
    pub fn afresh(&self) -> Result<Lattice, StoreError> {
        match self.image().is_made_here() {
            true => Ok(self.clone()),
            false => Lattice::from_image(self.image().afresh()?),
        }
    }

    pub(super) fn from_image(image: Image) -> Result<Lattice, StoreError> {
        let image = Arc::new(image);
        let base = Lattice::base_of(image.clone())?;
        match image.section(Part::Delta, NO_DIMENSION) {
            Ok(None) => Ok(base),
            Ok(Some(bytes)) => match Delta::unpack(bytes) {
                Some(delta) => base.laid_under(delta),
                None => Err(base.damaged(Part::Delta, NO_DIMENSION)),
            },
            Err(Wrong) => Err(base.damaged(Part::Delta, NO_DIMENSION)),
        }
    }

    /// What the sections of an image say but for what has changed since.
    fn base_of(image: Arc<Image>) -> Result<Lattice, StoreError> {
        let damaged = |part: Part| image.damaged(image.described(part, None));
        let section = |part: Part| match image.section(part, NO_DIMENSION) {
            Ok(Some(bytes)) => Ok(bytes),
            _ => Err(damaged(part)),
        };
        let content_hash = content_hash_of(section(Part::ContentHash)?);
        let catalogue =
            Catalogue::unpack(section(Part::Catalogue)?).ok_or_else(|| damaged(Part::Catalogue))?;
        let inner = Inner::new(image.clone(), Arc::new(catalogue), content_hash);
        let lattice = Lattice(Arc::new(inner));
        // What loops over all of something goes by the catalogue's counts.
        let evidence = lattice.evidence_index().map(|index| index.count() as u64);
        let counted = lattice.names().len() == lattice.instances()
            && evidence == Some(lattice.counts().evidence);
        match counted {
            true => Ok(lattice),
            false => Err(lattice.damaged(Part::Catalogue, NO_DIMENSION)),
        }
    }

    /// This base under what has changed since.
    ///
    /// # Errors
    /// If the changes are none of this base.
    pub(super) fn laid_under(&self, delta: Delta) -> Result<Lattice, StoreError> {
        let wrong = || self.damaged(Part::Delta, NO_DIMENSION);
        let overlay = Overlay::of(delta, self).ok_or_else(wrong)?;
        let over = Over::new(self.clone(), overlay);
        if !over.fits() {
            return Err(wrong());
        }
        let inner = Inner {
            content_hash: over.content_hash(),
            over: Some(Box::new(over)),
            ..Inner::new(
                self.0.image.clone(),
                self.0.catalogue.clone(),
                self.0.content_hash,
            )
        };
        Ok(Lattice(Arc::new(inner)))
    }

    /// What has changed since the base was written, if anything has.
    #[inline]
    pub(super) fn over(&self) -> Option<&Over> {
        self.0.over.as_deref()
    }

    /// The base; the lattice itself if nothing has changed since it was written.
    pub(super) fn base(&self) -> &Lattice {
        self.over().map_or(self, Over::base)
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

    /// Whether nothing that has been read so far was damaged. What is damaged reads as
    /// nothing: whoever has read something asks this before using what came of it.
    ///
    /// # Errors
    /// If something was damaged.
    pub fn intact(&self) -> Result<(), StoreError> {
        match self.image().first_damaged() {
            Some((part, dimension)) => Err(self.damaged(part, dimension)),
            None => Ok(()),
        }
    }

    pub(super) fn damaged(&self, part: Part, dimension: u32) -> StoreError {
        let dimension = part.is_of_a_dimension().then_some(dimension as usize);
        let dimension = dimension.and_then(|d| self.dimensions().get(d));
        let image = self.image();
        image.damaged(image.described(part, dimension.map(|d| d.name.as_str())))
    }

    /// The hash of all that the lattice says.
    pub fn content_hash(&self) -> ContentHash {
        self.0.content_hash
    }

    /// The state of the content hash, to which elements can be added.
    pub(super) fn hash_state(&self) -> &[u8] {
        let image = self.image();
        let section = image.section(Part::ContentHash, NO_DIMENSION);
        section.ok().flatten().unwrap_or(&[])
    }

    /// Whether nothing has been loaded: no instance, no predicate and no value.
    pub fn is_empty(&self) -> bool {
        self.counts().is_empty()
    }

    /// How much there is of everything.
    pub fn counts(&self) -> Counts {
        match self.over() {
            None => self.0.catalogue.counts,
            Some(over) => over.counts(),
        }
    }
}

/// Sections of the whole lattice. One that does not have its form reads as nothing.
impl Lattice {
    /// The bytes of a section, all checked; there is none of some parts.
    fn bytes(&self, part: Part, dimension: u32) -> Result<&[u8], Wrong> {
        self.image().section(part, dimension)?.ok_or(Wrong)
    }

    /// What reads from a section whose pages are checked when they are read.
    pub(super) fn view<'a, T>(
        &'a self,
        part: Part,
        dimension: u32,
        read: impl FnOnce(Unpacker<'a>) -> Option<T>,
    ) -> Option<T> {
        let pages = self.image().pages(part, dimension).ok()??;
        let view = read(Unpacker::new(pages));
        if view.is_none() {
            self.image().report(part, dimension);
        }
        view
    }

    fn instances(&self) -> usize {
        self.0.catalogue.counts.instances as usize
    }

    pub(super) fn names(&self) -> Strings<'_> {
        let names = self.view(Part::Names, NO_DIMENSION, |mut unpacker| {
            let names = unpacker.strings()?;
            (names.len() == self.instances()).then_some(names)
        });
        names.unwrap_or(Strings::empty())
    }

    pub(super) fn ids(&self) -> Option<IdsView<'_>> {
        self.view(Part::Ids, NO_DIMENSION, IdsView::of)
    }

    pub(super) fn alias_table(&self) -> Option<AliasesView<'_>> {
        self.view(Part::Aliases, NO_DIMENSION, AliasesView::of)
    }

    pub(super) fn name_index(&self) -> Option<IndexView<'_>> {
        self.view(Part::NameIndex, NO_DIMENSION, IndexView::of)
    }

    pub(super) fn evidence_index(&self) -> Option<evidence::IndexView<'_>> {
        self.view(Part::EvidenceIndex, NO_DIMENSION, evidence::IndexView::of)
    }
}

/// Values and relations.
impl Lattice {
    fn cells(&self, d: DimensionId) -> Option<&Cells> {
        self.0.dimensions.get(d.index())
    }

    /// The values in the base.
    fn values(&self, d: DimensionId) -> Option<&Values> {
        if let Some(over) = self.over() {
            return over.base().values(d);
        }
        let cell = &self.cells(d)?.values;
        cell.get_or_init(|| self.read_values(d)).as_ref().ok()
    }

    fn read_values(&self, d: DimensionId) -> Result<Values, Wrong> {
        let kind = &self.dimension(d).kind;
        let section = match values_part(kind) {
            Some(part) => self.bytes(part, u32::from(d.0))?,
            None => return Ok(Values::Entities),
        };
        let values = match kind {
            Kind::Taxonomy => tables::taxonomy(section).map(|terms| Values::Terms(Box::new(terms))),
            Kind::Number { .. } => tables::numbers(section).map(|numbers| {
                let points = numbers.iter().all(NumberInterval::is_point);
                Values::Numbers(numbers, points)
            }),
            Kind::Date => tables::dates(section).map(|dates| {
                let points = dates.iter().all(|date| date.first == date.last);
                Values::Dates(dates, points)
            }),
            Kind::Text => tables::texts(section).map(|texts| Values::Texts(texts.len())),
            Kind::Entity { .. } => Some(Values::Entities),
        };
        if values.is_none() {
            let part = values_part(kind).unwrap_or(Part::Names);
            self.image().report(part, u32::from(d.0));
        }
        values.ok_or(Wrong)
    }

    /// Whether the values of a dimension can be read.
    pub(super) fn has_values(&self, d: DimensionId) -> bool {
        self.values(d).is_some()
    }

    pub(super) fn defects_of(&self, d: DimensionId) -> Option<&[Defect]> {
        if let Some(over) = self.over() {
            return over.defects(d);
        }
        let cell = &self.cells(d)?.defects;
        let defects = cell.get_or_init(|| self.read_defects(d));
        defects.as_ref().ok().map(Vec::as_slice)
    }

    fn texts(&self, d: DimensionId) -> Strings<'_> {
        let texts = match self.values(d) {
            Some(Values::Texts(_)) => self.view(Part::Texts, u32::from(d.0), |mut unpacker| {
                unpacker.strings()
            }),
            _ => None,
        };
        texts.unwrap_or(Strings::empty())
    }

    /// The number of values of a dimension that are numbered: a taxonomy's, all
    /// instances, or the distinct recorded or denied ones.
    pub fn value_count(&self, d: DimensionId) -> usize {
        if let Some(over) = self.over() {
            return over.value_count(d);
        }
        match self.values(d) {
            Some(Values::Terms(taxonomy)) => taxonomy.len(),
            Some(Values::Entities) => self.instances(),
            Some(Values::Numbers(numbers, _)) => numbers.len(),
            Some(Values::Dates(dates, _)) => dates.len(),
            Some(Values::Texts(count)) => *count,
            None => 0,
        }
    }

    /// The taxonomy of a dimension; none for other kinds.
    pub fn taxonomy(&self, d: DimensionId) -> Option<&Taxonomy> {
        if let Some(over) = self.over() {
            return over.taxonomy(d);
        }
        match self.values(d)? {
            Values::Terms(taxonomy) => Some(taxonomy),
            _ => None,
        }
    }

    /// The numbers of a NUMBER dimension, ascending; a [`ValueId`] is an index.
    pub fn numbers(&self, d: DimensionId) -> &[NumberInterval] {
        if let Some(over) = self.changed_values(d) {
            return &over.numbers(d).0;
        }
        match self.values(d) {
            Some(Values::Numbers(numbers, _)) => numbers,
            _ => &[],
        }
    }

    /// The dates of a DATE dimension, ascending; a [`ValueId`] is an index.
    pub fn dates(&self, d: DimensionId) -> &[DateInterval] {
        if let Some(over) = self.changed_values(d) {
            return &over.dates(d).0;
        }
        match self.values(d) {
            Some(Values::Dates(dates, _)) => dates,
            _ => &[],
        }
    }

    /// Whether every number or date of a dimension is a point, and no wider interval.
    pub fn are_points(&self, d: DimensionId) -> bool {
        if let Some(over) = self.changed_values(d) {
            return match self.dimension(d).kind {
                Kind::Number { .. } => over.numbers(d).1,
                Kind::Date => over.dates(d).1,
                _ => false,
            };
        }
        matches!(
            self.values(d),
            Some(Values::Numbers(_, true) | Values::Dates(_, true))
        )
    }

    /// What has changed, if that concerns the values of a dimension.
    fn changed_values(&self, d: DimensionId) -> Option<&Over> {
        self.over().filter(|over| over.has_own_values(d))
    }

    /// The string of a TEXT dimension.
    pub fn text(&self, d: DimensionId, v: ValueId) -> &str {
        match self.changed_values(d) {
            None => self.texts(d).get(v.index()),
            Some(over) => over.text(d, v),
        }
    }

    /// The value of a TEXT dimension that is this string.
    pub fn find_text(&self, d: DimensionId, text: &str) -> Option<ValueId> {
        match self.changed_values(d) {
            None => self.texts(d).find(text).map(|at| ValueId(at as u32)),
            Some(over) => over.find_text(d, text),
        }
    }

    /// A value, decoded; an empty string if there is none of this number.
    pub fn value(&self, d: DimensionId, v: ValueId) -> Value {
        if let Some(over) = self.changed_values(d) {
            return over.value(d, v);
        }
        let value = match self.values(d) {
            Some(Values::Terms(taxonomy)) => Some(Value::Term(taxonomy.name(v).to_owned())),
            Some(Values::Entities) => Some(Value::Instance(InstanceId(v.0))),
            Some(Values::Numbers(numbers, _)) => numbers.get(v.index()).cloned().map(Value::Number),
            Some(Values::Dates(dates, _)) => dates.get(v.index()).copied().map(Value::Date),
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
        let stored = self.base().stored(d, part).unwrap_or(Stored::empty());
        match self.over() {
            None => Relation::new(stored, None),
            Some(over) => over.laid(d, part == Part::Negative, stored),
        }
    }

    fn stored(&self, d: DimensionId, part: Part) -> Option<Stored<'_>> {
        let layout = self.layout(d, part)?;
        let pages = self.image().pages(part, u32::from(d.0)).ok()??;
        Some(Stored::new(pages, layout, self.image()))
    }

    fn layout(&self, d: DimensionId, part: Part) -> Option<&Layout> {
        let cells = self.cells(d)?;
        let cell = match part {
            Part::Negative => &cells.negative,
            _ => &cells.positive,
        };
        let read = || {
            let Some(pages) = self.image().pages(part, u32::from(d.0))? else {
                return Ok(None);
            };
            let layout = columns::layout(pages);
            if layout.is_none() {
                self.image().report(part, u32::from(d.0));
            }
            layout.map(Some).ok_or(Wrong)
        };
        cell.get_or_init(read).as_ref().ok()?.as_ref()
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
    fn new(image: Arc<Image>, catalogue: Arc<Catalogue>, content_hash: ContentHash) -> Inner {
        Inner {
            over: None,
            dimensions: catalogue
                .dimensions
                .iter()
                .map(|_| Cells::default())
                .collect(),
            image,
            catalogue,
            content_hash,
            by_word: OnceLock::new(),
            cache: Cache::default(),
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
        let nothing = Arc::new(Image::nothing());
        Inner::new(nothing, Arc::new(catalogue), content_hash_of(&[]))
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
