//! Exact decimals and closed intervals of them.

use bigdecimal::BigDecimal;

/// An exact decimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(BigDecimal);

/// A closed interval of exact decimals; a number is `[n, n]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberInterval {
    /// The lower end.
    pub low: Decimal,
    /// The upper end, not below the lower one.
    pub high: Decimal,
}
