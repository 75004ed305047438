//! Closed intervals of days.

/// A closed interval of days, numbered from 1970-01-01 = 0 in the proleptic
/// Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateInterval {
    /// The first day.
    pub first: i32,
    /// The last day, not before the first.
    pub last: i32,
}
