//! Numbers and dates as people write them.

mod date;
mod number;

pub use date::date_from_text;
pub use number::number_from_text;

/// What a text was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading<T> {
    /// The value.
    pub value: T,
    /// The unit behind a number, as written.
    pub unit: Option<String>,
    /// Why another reading is possible.
    pub unclear: Option<String>,
}

impl<T> Reading<T> {
    fn clear(value: T) -> Reading<T> {
        Reading {
            value,
            unit: None,
            unclear: None,
        }
    }
}
