//! Closed intervals of days.

use super::number::shown;
use jiff::SignedDuration;
use jiff::civil::Date;
use std::fmt;
use std::str::FromStr;

const EPOCH: Date = Date::constant(1970, 1, 1);
const DAY: i64 = 86_400;

/// Why a text is no date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DateError {
    /// It does not look like a date.
    #[error("`{text}` is not a date: write it like 1914, 1914-12 or 1914-12-14 (12 BC is -0011)")]
    Form {
        /// What was written.
        text: String,
    },
    /// It looks like a date that the calendar does not have.
    #[error("`{text}` is not in the calendar: {why}")]
    Calendar {
        /// What was written.
        text: String,
        /// What does not exist.
        why: String,
    },
    /// Its year is too far away.
    #[error("the year of `{text}` is out of reach: years from -9999 to 9999 are read")]
    OutOfReach {
        /// What was written.
        text: String,
    },
    /// It ends before it begins.
    #[error("the range {first}..{last} is empty: it ends before it begins")]
    Reversed {
        /// Its first end.
        first: String,
        /// Its last end.
        last: String,
    },
    /// It says that it is not exact.
    #[error("`{text}` is approximate: write the range that is meant, as 1910..1918")]
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

/// How finely a date is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// One day.
    Day,
    /// One calendar month.
    Month,
    /// One calendar year.
    Year,
    /// Any other interval.
    Span,
}

/// A closed interval of days, numbered from 1970-01-01 = 0 in the proleptic
/// Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateInterval {
    /// The first day.
    pub first: i32,
    /// The last day, not before the first.
    pub last: i32,
}

impl DateInterval {
    /// The first day that can be written, -9999-01-01.
    pub const EARLIEST: i32 = -4_371_587;
    /// The last day that can be written, 9999-12-31.
    pub const LATEST: i32 = 2_932_896;

    /// The days from `first` to `last`; an error if there are none, or if one of
    /// them cannot be written.
    pub fn new(first: i32, last: i32) -> Result<DateInterval, DateError> {
        let interval = DateInterval { first, last };
        if first > last {
            return Err(DateError::Reversed {
                first: day_text(first),
                last: day_text(last),
            });
        }
        if first < Self::EARLIEST || last > Self::LATEST {
            return Err(DateError::OutOfReach {
                text: interval.to_string(),
            });
        }
        Ok(interval)
    }

    /// Reads an LQ token: `1914`, `1914-12`, `1914-12-14`, `-0012-11-29`; and a
    /// range of two, `1914..1918`.
    pub fn parse(text: &str) -> Result<DateInterval, DateError> {
        let Some((low, high)) = text.split_once("..") else {
            return token(text);
        };
        let (low, high) = (token(low)?, token(high)?);
        DateInterval::new(low.first, high.last)
    }

    /// One day of the calendar.
    pub fn day(year: i16, month: i8, day: i8) -> Result<DateInterval, DateError> {
        calendar_day(year, month, day).map(|d| DateInterval { first: d, last: d })
    }

    /// One month of the calendar.
    pub fn month(year: i16, month: i8) -> Result<DateInterval, DateError> {
        let first = calendar_date(year, month, 1)?;
        Ok(DateInterval {
            first: number_of(first),
            last: number_of(first.last_of_month()),
        })
    }

    /// The years from `first` to `last`.
    pub fn years(first: i16, last: i16) -> Result<DateInterval, DateError> {
        DateInterval::new(calendar_day(first, 1, 1)?, calendar_day(last, 12, 31)?)
    }

    /// Whether all of `other` lies within.
    pub fn contains(&self, other: &DateInterval) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// What both share, if anything.
    pub fn intersect(&self, other: &DateInterval) -> Option<DateInterval> {
        let first = self.first.max(other.first);
        let last = self.last.min(other.last);
        (first <= last).then_some(DateInterval { first, last })
    }

    /// The least interval that contains both.
    pub fn hull(&self, other: &DateInterval) -> DateInterval {
        DateInterval {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }

    /// Whether it is a day, a month, a year, or something else.
    pub fn precision(&self) -> Precision {
        if self.first == self.last {
            return Precision::Day;
        }
        let (Some(first), Some(last)) = (date_of(self.first), date_of(self.last)) else {
            return Precision::Span;
        };
        if first.day() != 1 || first.year() != last.year() {
            Precision::Span
        } else if last == first.last_of_month() {
            Precision::Month
        } else if first.month() == 1 && last == first.last_of_year() {
            Precision::Year
        } else {
            Precision::Span
        }
    }
}

/// The shortest token, or two shortest tokens joined by `..`.
impl fmt::Display for DateInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (date_of(self.first), date_of(self.last)) else {
            return f.pad(&format!(
                "{}..{}",
                day_text(self.first),
                day_text(self.last)
            ));
        };
        let text = match self.precision() {
            Precision::Day => written(first, Precision::Day),
            Precision::Month => written(first, Precision::Month),
            Precision::Year => written(first, Precision::Year),
            Precision::Span => {
                let low = match (first.month(), first.day()) {
                    (1, 1) => Precision::Year,
                    (_, 1) => Precision::Month,
                    _ => Precision::Day,
                };
                let high = if last == last.last_of_year() {
                    Precision::Year
                } else if last == last.last_of_month() {
                    Precision::Month
                } else {
                    Precision::Day
                };
                format!("{}..{}", written(first, low), written(last, high))
            }
        };
        f.pad(&text)
    }
}

impl FromStr for DateInterval {
    type Err = DateError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DateInterval::parse(text)
    }
}

fn written(date: Date, precision: Precision) -> String {
    let sign = if date.year() < 0 { "-" } else { "" };
    let year = format!("{sign}{:04}", date.year().unsigned_abs());
    match precision {
        Precision::Day => format!("{year}-{:02}-{:02}", date.month(), date.day()),
        Precision::Month => format!("{year}-{:02}", date.month()),
        Precision::Year | Precision::Span => year,
    }
}

fn day_text(day: i32) -> String {
    match date_of(day) {
        Some(date) => written(date, Precision::Day),
        None => format!("day {day}"),
    }
}

fn date_of(day: i32) -> Option<Date> {
    let since_epoch = SignedDuration::from_secs(i64::from(day) * DAY);
    EPOCH.checked_add(since_epoch).ok()
}

fn number_of(date: Date) -> i32 {
    // Within ±4.4 million, so it fits.
    i32::try_from(date.duration_since(EPOCH).as_secs() / DAY).unwrap_or(i32::MAX)
}

fn calendar_date(year: i16, month: i8, day: i8) -> Result<Date, DateError> {
    let text = || format!("{year:04}-{month:02}-{day:02}");
    if !(-9999..=9999).contains(&year) {
        return Err(DateError::OutOfReach { text: text() });
    }
    Date::new(year, month, day).map_err(|_| DateError::Calendar {
        text: text(),
        why: if (1..=12).contains(&month) {
            format!("month {month} of that year has no day {day}")
        } else {
            format!("there is no month {month}")
        },
    })
}

fn calendar_day(year: i16, month: i8, day: i8) -> Result<i32, DateError> {
    calendar_date(year, month, day).map(number_of)
}

/// `[+-]YYYY[-MM[-DD]]`, with two digits each for month and day.
fn token(text: &str) -> Result<DateInterval, DateError> {
    let form = || DateError::Form { text: shown(text) };
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut parts = body.split('-');
    let year = parts.next().unwrap_or_default();
    let (month, day) = (parts.next(), parts.next());
    let digits =
        |part: &str, count: usize| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    let well_formed = year.len() >= 4
        && digits(year, year.len())
        && month.is_none_or(|m| digits(m, 2))
        && day.is_none_or(|d| digits(d, 2))
        && parts.next().is_none();
    if !well_formed {
        return Err(form());
    }
    let magnitude: i16 = year
        .parse()
        .ok()
        .filter(|y| *y <= 9999)
        .ok_or_else(|| DateError::OutOfReach { text: shown(text) })?;
    let year = if negative { -magnitude } else { magnitude };
    let small = |part: &str| part.parse::<i8>().map_err(|_| form());
    match (month, day) {
        (None, _) => DateInterval::years(year, year),
        (Some(month), None) => DateInterval::month(year, small(month)?),
        (Some(month), Some(day)) => DateInterval::day(year, small(month)?, small(day)?),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = DateInterval> {
        (
            DateInterval::EARLIEST..=DateInterval::LATEST,
            prop_oneof![0..40i32, 0..800i32, 0..4_000_000i32],
        )
            .prop_map(|(first, length)| DateInterval {
                first,
                last: (first + length).min(DateInterval::LATEST),
            })
    }

    fn near() -> impl Strategy<Value = DateInterval> {
        (-300..300i32, 0..200i32).prop_map(|(first, length)| DateInterval {
            first,
            last: first + length,
        })
    }

    #[test]
    fn bounds_are_the_calendar() {
        let all = DateInterval::parse("-9999..9999").unwrap();
        assert_eq!(all.first, DateInterval::EARLIEST);
        assert_eq!(all.last, DateInterval::LATEST);
        assert_eq!(all.to_string(), "-9999..9999");
    }

    #[test]
    fn tokens() {
        for (text, first, last, precision) in [
            ("1970-01-01", 0, 0, Precision::Day),
            ("1970-01", 0, 30, Precision::Month),
            ("1970", 0, 364, Precision::Year),
            ("1968-02-29", -672, -672, Precision::Day),
            ("1969-12-31..1970-01-01", -1, 0, Precision::Span),
            ("1969..1970-01", -365, 30, Precision::Span),
        ] {
            let date = DateInterval::parse(text).unwrap();
            assert_eq!((date.first, date.last), (first, last), "{text}");
            assert_eq!(date.precision(), precision, "{text}");
            assert_eq!(date.to_string(), text);
        }
        for same in [
            "-0012-11-29",
            "0000",
            "-0012",
            "9999-12-31",
            "0001-02",
            "-0001",
        ] {
            assert_eq!(DateInterval::parse(same).unwrap().to_string(), same);
        }
        assert_eq!(DateInterval::parse("+1914").unwrap().to_string(), "1914");
    }

    #[test]
    fn refused_tokens() {
        for text in [
            "",
            "914",
            "1914-1-5",
            "1914-",
            "555-1234",
            "1914-02-30x",
            "1914-12-14-1",
            "--1914",
        ] {
            assert!(
                matches!(DateInterval::parse(text), Err(DateError::Form { .. })),
                "{text}"
            );
        }
        for text in [
            "1914-13",
            "1914-00",
            "1914-02-30",
            "1900-02-29",
            "1914-01-00",
        ] {
            assert!(
                matches!(DateInterval::parse(text), Err(DateError::Calendar { .. })),
                "{text}"
            );
        }
        for text in ["+12345", "10000", "-10000", "99999999999999999999"] {
            assert!(
                matches!(DateInterval::parse(text), Err(DateError::OutOfReach { .. })),
                "{text}"
            );
        }
        assert!(matches!(
            DateInterval::parse("1918..1914"),
            Err(DateError::Reversed { .. })
        ));
        assert!(DateInterval::new(0, i32::MAX).is_err());
    }

    proptest! {
        #[test]
        fn display_then_parse_is_the_identity(d in interval()) {
            prop_assert_eq!(DateInterval::parse(&d.to_string()).unwrap(), d);
        }
        #[test]
        fn months_and_years_print_short(y in -9999..=9999i16, m in 1..=12i8) {
            let month = DateInterval::month(y, m).unwrap();
            prop_assert_eq!(month.precision(), Precision::Month);
            let year = DateInterval::years(y, y).unwrap();
            prop_assert_eq!(year.precision(), Precision::Year);
            prop_assert!(year.contains(&month));
            prop_assert_eq!(DateInterval::parse(&month.to_string()).unwrap(), month);
        }
        #[test]
        fn intersection_is_the_greatest_lower_bound(a in near(), b in near(), c in near()) {
            match a.intersect(&b) {
                Some(m) => {
                    prop_assert!(a.contains(&m) && b.contains(&m));
                    prop_assert_eq!(m.contains(&c), a.contains(&c) && b.contains(&c));
                }
                None => prop_assert!(!(a.contains(&c) && b.contains(&c))),
            }
            let h = a.hull(&b);
            prop_assert_eq!(c.contains(&h), c.contains(&a) && c.contains(&b));
        }
        #[test]
        fn any_text_is_read_or_refused(text in "[-+0-9.]{0,14}") {
            if let Ok(date) = DateInterval::parse(&text) {
                prop_assert_eq!(DateInterval::parse(&date.to_string()).unwrap(), date);
            }
        }
        #[test]
        fn any_interval_can_be_shown(first: i32, last: i32) {
            let _ = DateInterval { first, last }.to_string();
        }
    }
}
