//! Values as people see them, apart from the numbers that stand for them.

use super::{DateInterval, InstanceId, NumberInterval};

/// A value of some dimension, decoded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A taxonomy's value, by its name.
    Term(String),
    /// An instance.
    Instance(InstanceId),
    /// A closed interval of decimals, in the dimension's unit.
    Number(NumberInterval),
    /// A closed interval of days.
    Date(DateInterval),
    /// A string.
    Text(String),
}
