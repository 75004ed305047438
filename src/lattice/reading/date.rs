//! Dates as people write them: `14 December 1914`, `20th century`, `44 BC`.

use super::{APPROXIMATE, Reading, plain};
use crate::lattice::date::{DateError, DateInterval};
use crate::lattice::number::shown;

/// The most characters that a date in words may have.
const LONGEST: usize = 100;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A reading, or nothing where the form is another one, or an error that says
/// what is wrong with a date of this form.
type Attempt = Result<Option<Reading<DateInterval>>, DateError>;

/// Reads a date, or a span of two, as people write them. What can also be read
/// otherwise says so in [`Reading::unclear`], or is refused where no reading is
/// the usual one (`03/04/2001`).
pub fn date_from_text(text: &str) -> Result<Reading<DateInterval>, DateError> {
    let form = || DateError::Form { text: shown(text) };
    if text.chars().count() > LONGEST {
        return Err(form());
    }
    let plain = plain(text).to_lowercase();
    if APPROXIMATE.iter().any(|word| plain.starts_with(word)) {
        return Err(DateError::Approximate { text: shown(text) });
    }
    let read = match abbreviated_span(&plain)? {
        Some(reading) => Some(reading),
        None => match token(&plain)? {
            Some(reading) => Some(reading),
            None => match split_span(&plain) {
                Some((first, last)) => span(first, last)?,
                None => one(&plain)?,
            },
        },
    };
    read.ok_or_else(form)
}

fn one(text: &str) -> Attempt {
    let text = text.strip_prefix("the ").unwrap_or(text);
    for form in [token, century, decade, numeric, timestamp, words] {
        if let Some(reading) = form(text)? {
            return Ok(Some(reading));
        }
    }
    Ok(None)
}

fn token(text: &str) -> Attempt {
    match DateInterval::parse(text) {
        Ok(date) => Ok(Some(Reading::clear(date))),
        Err(DateError::Form { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `1914–18`, and `1914-18`, which cannot be a month.
fn abbreviated_span(text: &str) -> Attempt {
    let Some((year, end)) = text.split_once(['-', '–']) else {
        return Ok(None);
    };
    let two_digits = end.len() == 2 && all_digits(end) && year.len() == 4 && all_digits(year);
    let hyphen = text.contains('-');
    let (Some(first), Ok(tail)) = (year_number(year), end.parse::<i16>()) else {
        return Ok(None);
    };
    if !two_digits || (hyphen && tail <= 12) {
        return Ok(None);
    }
    let last = first - first % 100 + tail;
    if last <= first {
        return Ok(None);
    }
    Ok(Some(Reading {
        value: DateInterval::years(first, last)?,
        unit: None,
        unclear: Some(format!("`{text}` is read as {first}..{last}")),
    }))
}

/// The two ends of a span in words or with a dash.
fn split_span(text: &str) -> Option<(&str, &str)> {
    for (opening, middle) in [("between ", " and "), ("from ", " to ")] {
        if let Some(rest) = text.strip_prefix(opening) {
            return rest.split_once(middle);
        }
    }
    for middle in [" to ", "..", " - ", "–", "—"] {
        if let Some((first, last)) = text.split_once(middle) {
            return Some((first.trim(), last.trim()));
        }
    }
    let (first, last) = text.split_once('-')?;
    let year = |part: &str| part.len() == 4 && all_digits(part);
    let year_and_era = |part: &str| part.split(' ').next().is_some_and(year);
    (year(first) && year_and_era(last)).then_some((first, last))
}

fn span(first: &str, last: &str) -> Attempt {
    let trailing = last
        .split(' ')
        .next_back()
        .filter(|word| era(word).is_some());
    let has_own = |text: &str| text.split(' ').any(|word| era(word).is_some());
    let first = match trailing {
        Some(word) if !has_own(first) => one(&format!("{first} {word}"))?,
        _ => one(first)?,
    };
    let (Some(first), Some(last)) = (first, one(last)?) else {
        return Ok(None);
    };
    Ok(Some(Reading {
        value: DateInterval::new(first.value.first, last.value.last)?,
        unit: None,
        unclear: first.unclear.or(last.unclear),
    }))
}

/// `20th century`, `1st century BC`.
fn century(text: &str) -> Attempt {
    let text = text.replace('-', " ");
    let mut words = text.split(' ');
    let Some(number) = words.next().and_then(ordinal) else {
        return Ok(None);
    };
    if words.next() != Some("century") || !(1..=99).contains(&number) {
        return Ok(None);
    }
    let before = match words.next() {
        None => false,
        Some(word) => match era(word) {
            Some(before) => before,
            None => return Ok(None),
        },
    };
    if words.next().is_some() {
        return Ok(None);
    }
    let (first, last) = if before {
        (1 - 100 * number, -100 * (number - 1))
    } else {
        (100 * (number - 1) + 1, 100 * number)
    };
    DateInterval::years(first, last).map(|d| Some(Reading::clear(d)))
}

/// `1990s`; of `1900s` it says that the whole century may be meant.
fn decade(text: &str) -> Attempt {
    let year = text
        .strip_suffix("'s")
        .or_else(|| text.strip_suffix("’s"))
        .or_else(|| text.strip_suffix('s'));
    let Some(first) = year.filter(|y| y.len() == 4).and_then(year_number) else {
        return Ok(None);
    };
    if first % 10 != 0 {
        return Ok(None);
    }
    let unclear = (first % 100 == 0).then(|| {
        format!(
            "`{text}` is read as the decade; it may be all of {first}..{}",
            first + 99
        )
    });
    Ok(Some(Reading {
        value: DateInterval::years(first, first + 9)?,
        unit: None,
        unclear,
    }))
}

/// `13/04/2001`, `4/13/2001`, `2001/04/13`, `13.04.2001`.
fn numeric(text: &str) -> Attempt {
    let mark = if text.contains('/') { '/' } else { '.' };
    let parts: Vec<&str> = text.split(mark).collect();
    let [a, b, c] = parts.as_slice() else {
        return Ok(None);
    };
    let small = |part: &str| (part.len() <= 2).then(|| part.parse::<i8>().ok()).flatten();
    let year = |part: &str| (part.len() == 4).then(|| year_number(part)).flatten();
    if let (Some(year), Some(month), Some(day)) = (year(a), small(b), small(c)) {
        return DateInterval::day(year, month, day).map(|d| Some(Reading::clear(d)));
    }
    let (Some(first), Some(second), Some(year)) = (small(a), small(b), year(c)) else {
        return Ok(None);
    };
    if first <= 12 && second <= 12 && first != second {
        return Err(DateError::Unclear {
            text: shown(text),
            why: format!(
                "day and month may stand either way; write {year:04}-{second:02}-{first:02} or {year:04}-{first:02}-{second:02}"
            ),
        });
    }
    let (day, month) = if second > 12 && mark == '/' {
        (second, first)
    } else {
        (first, second)
    };
    DateInterval::day(year, month, day).map(|d| Some(Reading::clear(d)))
}

/// `1914-12-14T05:00:00Z`, read as its day.
fn timestamp(text: &str) -> Attempt {
    let Some((day, time)) = text.split_once(['t', ' ']) else {
        return Ok(None);
    };
    let clock = time.contains(':')
        && time
            .bytes()
            .all(|b| b.is_ascii_digit() || b":.+-z".contains(&b));
    if !clock { Ok(None) } else { token(day) }
}

/// `14 December 1914`, `December 14, 1914`, `Dec 1914`, `44 BC`, `AD 79`.
fn words(text: &str) -> Attempt {
    let mut date = Words::default();
    for word in text.split([' ', ',']).filter(|w| !w.is_empty()) {
        if date.take(word).is_none() {
            return Ok(None);
        }
    }
    date.finish(text)
}

#[derive(Default)]
struct Words {
    numbers: Vec<(i16, bool)>,
    month: Option<i8>,
    before: Option<bool>,
}

impl Words {
    fn take(&mut self, word: &str) -> Option<()> {
        if word == "of" && !self.numbers.is_empty() {
            return Some(());
        }
        if let Some(before) = era(word) {
            return self.before.replace(before).is_none().then_some(());
        }
        if let Some(month) = month(word) {
            return self.month.replace(month).is_none().then_some(());
        }
        let only_day = ordinal(word);
        let number = only_day.or_else(|| all_digits(word).then(|| word.parse().ok()).flatten())?;
        self.numbers
            .push((number, only_day.is_some() || word.len() <= 2));
        (self.numbers.len() <= 2).then_some(())
    }

    fn finish(self, text: &str) -> Attempt {
        let year = |number: i16| match self.before {
            Some(true) if number > 0 => Some(1 - number),
            Some(true) => None,
            Some(false) => (number > 0).then_some(number),
            None => (number > 99).then_some(number),
        };
        let date = match (self.month, self.numbers.as_slice()) {
            (None, [(number, _)]) if self.before.is_some() => {
                year(*number).map(|y| DateInterval::years(y, y))
            }
            (None, [(number, _)]) if *number < 1000 => {
                return Err(DateError::Unclear {
                    text: shown(text),
                    why: format!(
                        "a year of fewer than four digits, or a mere number; write {number:04} or AD {number}"
                    ),
                });
            }
            (Some(month), [(number, _)]) => year(*number).map(|y| DateInterval::month(y, month)),
            (Some(month), [(day, true), (number, _)]) => i8::try_from(*day)
                .ok()
                .zip(year(*number))
                .map(|(day, y)| DateInterval::day(y, month, day)),
            _ => None,
        };
        date.transpose().map(|date| date.map(Reading::clear))
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn year_number(text: &str) -> Option<i16> {
    all_digits(text).then(|| text.parse().ok()).flatten()
}

/// Whether an era is before year 1.
fn era(word: &str) -> Option<bool> {
    match word.replace('.', "").as_str() {
        "bc" | "bce" => Some(true),
        "ad" | "ce" => Some(false),
        _ => None,
    }
}

fn month(word: &str) -> Option<i8> {
    let word = word.strip_suffix('.').unwrap_or(word);
    let found = MONTHS.iter().position(|name| {
        *name == word
            || (word.len() == 3 && name.starts_with(word))
            || (word == "sept" && *name == "september")
    })?;
    i8::try_from(found + 1).ok()
}

/// `20th` is 20.
fn ordinal(word: &str) -> Option<i16> {
    let digits = word
        .strip_suffix("st")
        .or_else(|| word.strip_suffix("nd"))
        .or_else(|| word.strip_suffix("rd"))
        .or_else(|| word.strip_suffix("th"))?;
    (digits.len() <= 2).then(|| year_number(digits)).flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (String, bool) {
        let reading = date_from_text(text).unwrap();
        (reading.value.to_string(), reading.unclear.is_some())
    }

    #[test]
    fn dates_from_the_field() {
        for (text, date) in [
            ("2002", "2002"),
            ("1990-06-01", "1990-06-01"),
            ("20th century", "1901..2000"),
            ("the 20th century", "1901..2000"),
            ("19th-century", "1801..1900"),
            ("1st century BC", "-0099..0000"),
            ("2nd century BCE", "-0199..-0100"),
            ("-0012-11-29", "-0012-11-29"),
            ("−0012-11-29", "-0012-11-29"),
            ("1990s", "1990..1999"),
            ("1990's", "1990..1999"),
            ("12 BC", "-0011"),
            ("44 B.C.", "-0043"),
            ("AD 79", "0079"),
            ("79 CE", "0079"),
            ("100–44 BC", "-0099..-0043"),
            ("15 March 44 BC", "-0043-03-15"),
            ("14 December 1914", "1914-12-14"),
            ("14th of December, 1914", "1914-12-14"),
            ("December 14, 1914", "1914-12-14"),
            ("Dec. 14 1914", "1914-12-14"),
            ("Dec 1914", "1914-12"),
            ("Sept. 1914", "1914-09"),
            ("1914-1918", "1914..1918"),
            ("1914 – 1918", "1914..1918"),
            ("from 1914 to May 1918", "1914..1918-05"),
            ("between 1914 and 1918", "1914..1918"),
            (
                "14 December 1914 – 3 January 1915",
                "1914-12-14..1915-01-03",
            ),
            ("13/04/2001", "2001-04-13"),
            ("04/13/2001", "2001-04-13"),
            ("4/4/2001", "2001-04-04"),
            ("2001/04/03", "2001-04-03"),
            ("13.04.2001", "2001-04-13"),
            ("1914-12-14T05:00:00Z", "1914-12-14"),
        ] {
            assert_eq!(read(text), (date.to_owned(), false), "{text}");
        }
    }

    #[test]
    fn unclear_ones_say_so() {
        for (text, date) in [
            ("1900s", "1900..1909"),
            ("1914–18", "1914..1918"),
            ("1914-18", "1914..1918"),
        ] {
            assert_eq!(read(text), (date.to_owned(), true), "{text}");
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "c. 1914",
            "circa 1914",
            "~1914",
            "about 1914",
            "03/04/2001",
            "79",
            "yesterday",
            "0 BC",
            "30 February 1914",
            "1918-1914",
            "14 14 1914",
            "December",
            "14 December",
            "0th century",
            "25/25/2001",
            "1914-13",
            "May 99",
            "99999",
            "14th",
        ] {
            assert!(date_from_text(text).is_err(), "{text}");
        }
        assert!(matches!(
            date_from_text("c. 1914"),
            Err(DateError::Approximate { .. })
        ));
        assert!(matches!(
            date_from_text("03/04/2001"),
            Err(DateError::Unclear { .. })
        ));
        assert!(matches!(
            date_from_text("30 February 1914"),
            Err(DateError::Calendar { .. })
        ));
    }

    #[test]
    fn case_16_precision_is_kept() {
        let value = |text: &str| date_from_text(text).unwrap().value;
        let (a, b, c, d) = (
            value("1990"),
            value("1990-06-01"),
            value("20th century"),
            value("-0012-11-29"),
        );
        assert!(a.intersect(&b).is_some());
        assert!(c.contains(&a) && a.contains(&b));
        assert!(d.last < a.first);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,24}") {
            let _ = date_from_text(&text);
        }
        #[test]
        fn date_like_text_is_read_or_refused(text in "([0-9]{1,5}|[-–/., ]|bc|ad|may|dec|th|s|century){0,7}") {
            if let Ok(reading) = date_from_text(&text) {
                prop_assert!(reading.value.first <= reading.value.last);
            }
        }
        #[test]
        fn tokens_read_as_themselves(first in -200_000..200_000i32, length in 0..800i32) {
            let date = DateInterval::new(first, first + length).unwrap();
            prop_assert_eq!(date_from_text(&date.to_string()).unwrap().value, date);
        }
    }
}
