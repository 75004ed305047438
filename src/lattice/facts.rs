//! Sources and facts of a builder.

use super::builder::{
    Builder, DimKey, Fact, FactValue, InstKey, LONGEST_SOURCE, SourceKey, ValueKey, next_key,
    too_many,
};
use super::mentions::USED;
use super::room::LOOK;
use super::sources::Source;
use super::spec::KindSpec;
use super::{BuildError, DateInterval, NumberInterval};

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
        // Many sources of one document follow one another.
        let latest = self.sources.latest_document;
        let document = match latest.filter(|&latest| self.strings.get(latest) == document) {
            Some(latest) => latest,
            None => self.string(document)?,
        };
        self.note_evidence(document);
        let source = Source {
            document,
            range,
            line,
            text,
        };
        let key = self.sources.push(source);
        if self.sources.len().is_multiple_of(LOOK) {
            self.make_room();
        }
        key.map(SourceKey).ok_or_else(|| too_many("sources"))
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
        self.check_fact(subject, confidence, source)?;
        let value = self.value(dimension, value)?;
        self.put_fact(subject, dimension, value, denied, confidence, source)
    }

    /// As [`Builder::add_fact`], with a value that [`Builder::value`] gave for the same
    /// dimension.
    ///
    /// # Errors
    /// As [`Builder::add_fact`], but for those of the value.
    pub(crate) fn add_fact_of(
        &mut self,
        subject: InstKey,
        dimension: DimKey,
        value: ValueKey,
        denied: bool,
        confidence: f64,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        self.check_fact(subject, confidence, source)?;
        self.put_fact(subject, dimension, value, denied, confidence, source)
    }

    fn check_fact(
        &self,
        subject: InstKey,
        confidence: f64,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        if !(0.0..=1.0).contains(&confidence) {
            let found = confidence.to_string();
            return Err(BuildError::Confidence { found });
        }
        self.living(subject)?;
        if source.0 as usize >= self.sources.len() {
            let (what, key) = ("source", source.0);
            return Err(BuildError::UnknownKey { what, key });
        }
        next_key(self.facts.len(), "facts").map(|_| ())
    }

    fn put_fact(
        &mut self,
        subject: InstKey,
        dimension: DimKey,
        value: ValueKey,
        denied: bool,
        confidence: f64,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        self.see(subject.0, USED);
        let dimension = u16::try_from(dimension.0).map_err(|_| too_many("dimensions"))?;
        if self.is_entity(dimension) {
            self.see(value.0, USED);
        }
        self.facts.push(Fact {
            // Zero has two signs, which would be two confidences.
            confidence: confidence + 0.0,
            subject: subject.0,
            value: value.0,
            source: source.0,
            dimension,
            denied,
        });
        if self.facts.is_full() {
            self.facts.seal(self.marks.iter().map(|mark| mark.facts));
        }
        if self.facts.len().is_multiple_of(LOOK) {
            self.make_room();
        }
        Ok(())
    }

    /// The key of a value in a dimension. It stands for the value until a checkpoint
    /// from before is rolled back, and that of a number, a date or a string for good.
    ///
    /// # Errors
    /// If the value does not fit the dimension.
    pub(crate) fn value(
        &mut self,
        dimension: DimKey,
        value: FactValue<'_>,
    ) -> Result<ValueKey, BuildError> {
        self.value_key(dimension, value).map(ValueKey)
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
