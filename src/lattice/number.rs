//! Exact decimals and closed intervals of them.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::{One, ToPrimitive, Zero};
use std::fmt;
use std::str::FromStr;

/// The most digits that a number token may have.
pub const MOST_DIGITS: usize = 400;
/// The most digits that a computed number may have.
const MOST_COMPUTED_DIGITS: u64 = 4000;

/// Why a text is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// It is not of the form `[+-]digits[.digits]`.
    #[error(
        "`{text}` is not a number: write it like -12.5, with digits on both sides of the point"
    )]
    Form {
        /// What was written.
        text: String,
    },
    /// It has more than [`MOST_DIGITS`] digits.
    #[error("a number of {digits} digits is too long: at most {MOST_DIGITS} digits are read")]
    TooLong {
        /// How many it has.
        digits: usize,
    },
    /// The lower end lies above the upper one.
    #[error("the range {low}..{high} is empty: its lower end lies above its upper end")]
    Reversed {
        /// Lower end.
        low: String,
        /// Upper end.
        high: String,
    },
    /// It says that it is not exact.
    #[error("`{text}` is approximate: write the range that is meant, as 4..6")]
    Approximate {
        /// What was written.
        text: String,
    },
    /// It can be read in several ways, none of which is the usual one.
    #[error("`{text}` can be read in several ways: {why}")]
    Unclear {
        /// What was written.
        text: String,
        /// The readings.
        why: String,
    },
}

/// An exact decimal, kept without trailing zeros.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(BigDecimal);

impl Decimal {
    /// Reads an LQ token: `[+-]?digits[.digits]`, at most [`MOST_DIGITS`] digits,
    /// no exponent.
    pub fn parse(text: &str) -> Result<Decimal, NumberError> {
        let form = || NumberError::Form { text: shown(text) };
        let body = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = match body.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (body, None),
        };
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !fraction.is_none_or(digits) {
            return Err(form());
        }
        let count = whole.len() + fraction.map_or(0, str::len);
        if count > MOST_DIGITS {
            return Err(NumberError::TooLong { digits: count });
        }
        let number = BigDecimal::from_str(text).map_err(|_| form())?;
        Ok(Decimal::from_big(number))
    }

    /// The whole number `n`.
    pub fn from_i64(n: i64) -> Decimal {
        Decimal::from_big(BigDecimal::from(n))
    }

    /// Zero.
    pub fn zero() -> Decimal {
        Decimal::from_i64(0)
    }

    /// One.
    pub fn one() -> Decimal {
        Decimal::from_i64(1)
    }

    /// Whether it lies above zero.
    pub fn is_positive(&self) -> bool {
        self.0 > BigDecimal::zero()
    }

    /// The product, unless it has absurdly many digits.
    pub fn checked_mul(&self, other: &Decimal) -> Option<Decimal> {
        let product = Decimal::from_big(&self.0 * &other.0);
        product.is_printable().then_some(product)
    }

    /// The quotient, where it is a finite decimal that can be written down.
    pub fn checked_div(&self, other: &Decimal) -> Option<Decimal> {
        if other.0.is_zero() {
            return None;
        }
        let (dividend, dividend_scale) = self.0.as_bigint_and_exponent();
        let (divisor, divisor_scale) = other.0.as_bigint_and_exponent();
        let common = greatest_common_divisor(dividend.clone(), divisor.clone());
        let mut numerator = dividend / &common;
        let mut denominator = divisor / &common;
        let mut scale = dividend_scale.checked_sub(divisor_scale)?;
        for (prime, partner) in [(2u8, 5u8), (5, 2)] {
            let prime = BigInt::from(prime);
            while (&denominator % &prime).is_zero() {
                denominator /= &prime;
                numerator *= partner;
                scale = scale.checked_add(1)?;
            }
        }
        let minus_one = -BigInt::one();
        if denominator == minus_one {
            numerator = -numerator;
        } else if !denominator.is_one() {
            return None;
        }
        let quotient = Decimal::from_big(BigDecimal::new(numerator, scale));
        quotient.is_printable().then_some(quotient)
    }

    /// The nearest float; infinite where it is out of reach.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::NAN)
    }

    /// The number times ten to the power `exponent`.
    pub(crate) fn shifted(&self, exponent: i64) -> Option<Decimal> {
        let (digits, scale) = self.0.as_bigint_and_exponent();
        let moved = Decimal::from_big(BigDecimal::new(digits, scale.checked_sub(exponent)?));
        moved.is_printable().then_some(moved)
    }

    fn from_big(number: BigDecimal) -> Decimal {
        Decimal(number.normalized())
    }

    fn is_printable(&self) -> bool {
        let scale = self.0.fractional_digit_count().unsigned_abs();
        scale <= MOST_COMPUTED_DIGITS && self.0.digits() <= MOST_COMPUTED_DIGITS
    }
}

fn greatest_common_divisor(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    if a.is_zero() { BigInt::one() } else { a }
}

/// What was written, cut to a length that fits a message.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(LONGEST).collect();
    cut.push('…');
    cut
}

/// Canonical: no exponent, no trailing zeros, no `-0`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_plain_string())
    }
}

impl FromStr for Decimal {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Decimal::parse(text)
    }
}

/// A closed interval of exact decimals; a number is `[n, n]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberInterval {
    /// The lower end.
    pub low: Decimal,
    /// The upper end, not below the lower one.
    pub high: Decimal,
}

impl NumberInterval {
    /// The interval from `low` to `high`; an error if `low` lies above `high`.
    pub fn new(low: Decimal, high: Decimal) -> Result<NumberInterval, NumberError> {
        if low > high {
            return Err(NumberError::Reversed {
                low: shown(&low.to_string()),
                high: shown(&high.to_string()),
            });
        }
        Ok(NumberInterval { low, high })
    }

    /// The number `n` alone.
    pub fn point(n: Decimal) -> NumberInterval {
        NumberInterval {
            low: n.clone(),
            high: n,
        }
    }

    /// Reads `5` or `5..8`, both ends as [`Decimal::parse`] reads them.
    pub fn parse(text: &str) -> Result<NumberInterval, NumberError> {
        match text.split_once("..") {
            Some((low, high)) => NumberInterval::new(Decimal::parse(low)?, Decimal::parse(high)?),
            None => Decimal::parse(text).map(NumberInterval::point),
        }
    }

    /// Whether it is a single number.
    pub fn is_point(&self) -> bool {
        self.low == self.high
    }

    /// Whether all of `other` lies within.
    pub fn contains(&self, other: &NumberInterval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// What both share, if anything.
    pub fn intersect(&self, other: &NumberInterval) -> Option<NumberInterval> {
        let low = (&self.low).max(&other.low);
        let high = (&self.high).min(&other.high);
        (low <= high).then(|| NumberInterval {
            low: low.clone(),
            high: high.clone(),
        })
    }

    /// The least interval that contains both.
    pub fn hull(&self, other: &NumberInterval) -> NumberInterval {
        NumberInterval {
            low: (&self.low).min(&other.low).clone(),
            high: (&self.high).max(&other.high).clone(),
        }
    }
}

/// `5` or `5..8`.
impl fmt::Display for NumberInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_point() {
            return self.low.fmt(f);
        }
        f.pad(&format!("{}..{}", self.low, self.high))
    }
}

/// As its canonical text.
impl serde::Serialize for Decimal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal() -> impl Strategy<Value = Decimal> {
        "[+-]?[0-9]{1,12}(\\.[0-9]{1,8})?".prop_map(|t| Decimal::parse(&t).unwrap())
    }

    fn interval() -> impl Strategy<Value = NumberInterval> {
        (decimal(), decimal())
            .prop_map(|(a, b)| NumberInterval::point(a).hull(&NumberInterval::point(b)))
    }

    #[test]
    fn display_is_canonical() {
        for (text, canonical) in [
            ("-0", "0"),
            ("+0.00", "0"),
            ("007.500", "7.5"),
            ("1200000000000000000000", "1200000000000000000000"),
            ("-0.000000000000001", "-0.000000000000001"),
            ("100", "100"),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn refused_tokens() {
        for text in [
            "", "-", ".5", "5.", "1e6", "1,200", "--5", "5 ", "٣", "1.2.3", "+-1",
        ] {
            assert!(Decimal::parse(text).is_err(), "{text}");
        }
        assert!(Decimal::parse(&"9".repeat(400)).is_ok());
        assert!(matches!(
            Decimal::parse(&"9".repeat(401)),
            Err(NumberError::TooLong { digits: 401 })
        ));
    }

    #[test]
    fn quotients_are_exact_or_absent() {
        let d = |t: &str| Decimal::parse(t).unwrap();
        assert_eq!(d("1").checked_div(&d("8")), Some(d("0.125")));
        assert_eq!(d("-3").checked_div(&d("-0.0006")), Some(d("5000")));
        assert_eq!(d("1").checked_div(&d("3")), None);
        assert_eq!(d("9").checked_div(&d("3")), Some(d("3")));
        assert_eq!(d("0").checked_div(&d("3")), Some(d("0")));
        assert_eq!(d("1").checked_div(&d("0")), None);
    }

    proptest! {
        #[test]
        fn display_then_parse_is_the_identity(n in interval()) {
            prop_assert_eq!(NumberInterval::parse(&n.to_string()).unwrap(), n);
        }
        #[test]
        fn equal_numbers_look_and_hash_alike(n in decimal()) {
            use std::collections::HashSet;
            let again = Decimal::parse(&format!("{n}{}0", if n.to_string().contains('.') { "" } else { "." })).unwrap();
            prop_assert_eq!(again.to_string(), n.to_string());
            prop_assert!(HashSet::from([n]).contains(&again));
        }
        #[test]
        fn intersection_is_the_greatest_lower_bound(a in interval(), b in interval(), c in interval()) {
            match a.intersect(&b) {
                Some(m) => {
                    prop_assert!(a.contains(&m) && b.contains(&m));
                    prop_assert_eq!(m.contains(&c), a.contains(&c) && b.contains(&c));
                }
                None => prop_assert!(!(a.contains(&c) && b.contains(&c))),
            }
            let h = a.hull(&b);
            prop_assert!(h.contains(&a) && h.contains(&b));
            prop_assert_eq!(c.contains(&h), c.contains(&a) && c.contains(&b));
        }
        #[test]
        fn product_and_quotient_agree(a in decimal(), b in decimal()) {
            let product = a.checked_mul(&b).unwrap();
            if b != Decimal::zero() {
                prop_assert_eq!(product.checked_div(&b), Some(a));
            }
        }
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = NumberInterval::parse(&text);
        }
    }
}
