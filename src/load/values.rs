//! Cells and fields as their dimension reads them.

use crate::lattice::{
    Builder, DateInterval, DimKey, FactValue, InstKey, KindSpec, NumberInterval, Reading, Units,
    date_from_text, number_from_text,
};

/// A value read from text, before anything is recorded.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read<'a> {
    /// A taxonomy's value.
    Term(&'a str),
    /// The name of an instance.
    Name(&'a str),
    /// A number, in the dimension's unit.
    Number(NumberInterval),
    /// A date.
    Date(DateInterval),
    /// A string.
    Text(&'a str),
}

impl<'a> Read<'a> {
    /// The value of a fact; `instance` is the one that a name stands for.
    pub fn fact_value(self, instance: Option<InstKey>) -> Option<FactValue<'a>> {
        Some(match self {
            Read::Term(name) => FactValue::Term(name),
            Read::Name(_) => FactValue::Instance(instance?),
            Read::Number(number) => FactValue::Number(number),
            Read::Date(date) => FactValue::Date(date),
            Read::Text(text) => FactValue::Text(text),
        })
    }
}

/// Reads a text as dimension `d` takes it: the value, and why it may mean another
/// one. An error is a sentence that says what is wrong and what to do.
pub(super) fn read<'a>(
    builder: &Builder,
    d: DimKey,
    text: &'a str,
) -> Result<(Read<'a>, Option<String>), String> {
    let spec = builder.spec(d);
    let dimension = &spec.name;
    let of = |reason: String| format!("dimension \"{dimension}\": {reason}");
    match &spec.kind {
        KindSpec::Text => Ok((Read::Text(text), None)),
        KindSpec::Entity { .. } => Ok((Read::Name(text), None)),
        KindSpec::Taxonomy if builder.has_value(d, text) => Ok((Read::Term(text), None)),
        KindSpec::Taxonomy => Err(of(format!(
            "there is no value \"{text}\" in this taxonomy; declare it, or its synonym"
        ))),
        KindSpec::Date => match date_from_text(text) {
            Ok(Reading { value, unclear, .. }) => Ok((Read::Date(value), unclear)),
            Err(error) => Err(of(error.to_string())),
        },
        KindSpec::Number { unit } => {
            let reading = number_from_text(text).map_err(|error| of(error.to_string()))?;
            let unclear = reading.unclear.clone();
            let number = in_unit(builder.units(), reading, unit.as_deref()).map_err(of)?;
            Ok((Read::Number(number), unclear))
        }
    }
}

/// A number in the dimension's unit.
fn in_unit(
    units: &Units,
    reading: Reading<NumberInterval>,
    unit: Option<&str>,
) -> Result<NumberInterval, String> {
    match (reading.unit.as_deref(), unit) {
        (None, _) => Ok(reading.value),
        (Some(from), Some(to)) if from == to => Ok(reading.value),
        (Some(from), Some(to)) => units
            .convert(&reading.value, from, to)
            .map_err(|error| error.to_string()),
        (Some(from), None) => Err(format!(
            "the number has the unit `{from}`, and the dimension has none; declare it with UNIT"
        )),
    }
}
