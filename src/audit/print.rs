//! Values as they are printed in reasons and certificates.

use super::audit::Audit;
use super::facts::Column;
use super::reading::Read;
use super::spans::Span;
use crate::lattice::{
    DateInterval, Decimal, DimensionId, InstanceId, Kind, NumberInterval, Value, ValueId,
};

impl Audit<'_> {
    /// A value of a dimension, printed: instances by name.
    pub(super) fn printed(&self, d: DimensionId, value: u32) -> String {
        self.printed_value(&self.lattice.value(d, ValueId(value)))
    }

    pub(super) fn printed_value(&self, value: &Value) -> String {
        match value {
            Value::Term(name) | Value::Text(name) => name.clone(),
            Value::Instance(instance) => self.lattice.name(*instance).to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Date(date) => date.to_string(),
        }
    }

    pub(super) fn printed_read(&self, d: DimensionId, value: &Read) -> String {
        match value {
            Read::Node(node) => self.printed(d, *node),
            Read::Span(span) => {
                let column = self.facts.column(d);
                let value = column.and_then(|column| span_value(column, span));
                match value {
                    Some(value) => self.printed_value(&value),
                    None => format!("{}..{}", span.low, span.high),
                }
            }
        }
    }

    /// A value of a reading, as a value of its dimension.
    pub(super) fn read_value(&self, d: DimensionId, value: &Read) -> Option<Value> {
        match value {
            Read::Node(node) => Some(self.lattice.value(d, ValueId(*node))),
            Read::Span(span) => span_value(self.facts.column(d)?, span),
        }
    }

    pub(super) fn dimension_name(&self, d: DimensionId) -> String {
        self.facts
            .column(d)
            .map_or_else(String::new, |column| column.name.clone())
    }

    /// Where an instance stands, by its id.
    pub(super) fn id(&self, instance: u32) -> &str {
        self.lattice.id(InstanceId(instance))
    }
}

/// An interval in the base unit as a value of its dimension, in the
/// dimension's own unit; none where that has no finite decimal.
pub(super) fn span_value(column: &Column, span: &Span) -> Option<Value> {
    if column.kind == Kind::Date {
        let day = |at: &Decimal| at.to_string().parse::<i32>().ok();
        let date = DateInterval::new(day(&span.low)?, day(&span.high)?);
        return date.ok().map(Value::Date);
    }
    let in_unit = |at: &Decimal| match &column.factor {
        None => Some(at.clone()),
        Some(factor) => at.checked_div(factor),
    };
    let number = NumberInterval::new(in_unit(&span.low)?, in_unit(&span.high)?);
    number.ok().map(Value::Number)
}
