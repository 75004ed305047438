//! Numbers as people write them: `1,200`, `3.8 billion`, `−5`, `-4–1`, `5 to 8 km`.

use super::{APPROXIMATE, Reading, plain};
use crate::lattice::number::{Decimal, MOST_DIGITS, NumberError, NumberInterval, shown};

/// The most characters that a number in words may have, besides its digits.
const LONGEST: usize = MOST_DIGITS + 200;

const SCALES: [(&str, i64); 4] = [
    ("thousand", 3),
    ("million", 6),
    ("billion", 9),
    ("trillion", 12),
];

const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

/// Reads a number, or a range of two, as people write them, with a unit behind it
/// if any. What can also be read otherwise says so in [`Reading::unclear`].
pub fn number_from_text(text: &str) -> Result<Reading<NumberInterval>, NumberError> {
    if let Some(number) = whole(text) {
        return Ok(Reading::clear(NumberInterval::point(Decimal::from_i64(
            number,
        ))));
    }
    let form = || NumberError::Form { text: shown(text) };
    if text.len() > 4 * LONGEST {
        return Err(form());
    }
    let plain = plain(text);
    let lower = plain.to_lowercase();
    if APPROXIMATE.iter().any(|word| lower.starts_with(word)) {
        return Err(NumberError::Approximate { text: shown(text) });
    }
    if let Some((low, high, why)) = split_range(&plain) {
        return range(low, high, why).map_err(|error| error.unwrap_or_else(form));
    }
    let part = part(&plain).ok_or_else(form)?;
    Ok(Reading {
        value: NumberInterval::point(part.scaled().ok_or_else(form)?),
        unit: part.unit,
        unclear: part.unclear,
    })
}

/// A whole number of a few digits and nothing else, which needs no closer look.
fn whole(text: &str) -> Option<i64> {
    const DIGITS: usize = 18;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let short = digits.len() <= DIGITS;
    (plain && short).then(|| text.parse().ok()).flatten()
}

/// One end: a signed number, a scale word, a unit.
struct Part {
    number: Decimal,
    scale: Option<i64>,
    unit: Option<String>,
    unclear: Option<String>,
}

impl Part {
    fn scaled(&self) -> Option<Decimal> {
        self.number.shifted(self.scale.unwrap_or(0))
    }
}

fn range(
    low: &str,
    high: &str,
    why: Option<String>,
) -> Result<Reading<NumberInterval>, Option<NumberError>> {
    let mut low = part(low).ok_or(None)?;
    let high = part(high).ok_or(None)?;
    low.scale = low.scale.or(high.scale);
    if low.unit.is_some() && high.unit.is_some() && low.unit != high.unit {
        return Err(None);
    }
    let value = NumberInterval::new(low.scaled().ok_or(None)?, high.scaled().ok_or(None)?)?;
    Ok(Reading {
        value,
        unit: high.unit.or(low.unit),
        unclear: why.or(low.unclear).or(high.unclear),
    })
}

/// Where a text is a range, its two ends, and why that is not sure.
fn split_range(text: &str) -> Option<(&str, &str, Option<String>)> {
    let lower = text.to_ascii_lowercase();
    for (opening, middle) in [("between ", " and "), ("from ", " to ")] {
        if lower.starts_with(opening) {
            let at = lower.find(middle)?;
            let low = text.get(opening.len()..at)?;
            return Some((low, text.get(at + middle.len()..)?, None));
        }
    }
    if let Some(at) = lower.find(" to ") {
        return Some((text.get(..at)?, text.get(at + 4..)?, None));
    }
    for dash in ["..", "–", "—"] {
        if let Some((low, high)) = text.split_once(dash)
            && !low.trim().is_empty()
        {
            return Some((low.trim(), high.trim(), None));
        }
    }
    hyphen_range(text)
}

/// `5-8`: a range, though a hyphen may also be a minus. `-4-1` stays unread.
fn hyphen_range(text: &str) -> Option<(&str, &str, Option<String>)> {
    let starts = |c: char| c.is_ascii_digit() || CURRENCIES.contains(&c);
    if !text.starts_with(starts) {
        return None;
    }
    let (low, high) = text.split_once('-')?;
    let (low, high) = (low.trim_end(), high.trim_start());
    let ends_in_digit = low.ends_with(|c: char| c.is_ascii_digit());
    (ends_in_digit && high.starts_with(starts)).then(|| {
        let why = format!("`{text}` is read as the range {low}..{high}");
        (low, high, Some(why))
    })
}

fn part(text: &str) -> Option<Part> {
    let (currency, text) = leading_currency(text.trim());
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (inner, body) = leading_currency(body);
    let (digits, rest) = body.split_at(digits_end(body));
    let (exponent, rest) = exponent(rest)?;
    let (token, unclear) = ungrouped(digits)?;
    let token = if negative { format!("-{token}") } else { token };
    let number = Decimal::parse(&token).ok()?.shifted(exponent)?;
    let (scale, rest) = scale(rest.trim());
    let unit = unit(rest)?;
    let before = currency.or(inner);
    if before.is_some() && unit.is_some() {
        return None;
    }
    Some(Part {
        number,
        scale,
        unit: unit.or(before),
        unclear,
    })
}

fn leading_currency(text: &str) -> (Option<String>, &str) {
    match text.chars().next().filter(|c| CURRENCIES.contains(c)) {
        Some(c) => (
            Some(c.to_string()),
            text.get(c.len_utf8()..).unwrap_or_default(),
        ),
        None => (None, text),
    }
}

/// Where the digits end; points, commas, apostrophes and single spaces between
/// digits belong to them.
fn digits_end(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if c.is_ascii_digit() {
            end = at + 1;
            continue;
        }
        let followed = characters.peek().is_some_and(|(_, n)| n.is_ascii_digit());
        let space_in_groups = c != ' '
            || text.get(at + 1..at + 4).is_some_and(|group| {
                group.bytes().all(|b| b.is_ascii_digit())
                    && !text
                        .get(at + 4..)
                        .unwrap_or_default()
                        .starts_with(|c: char| c.is_ascii_digit())
            });
        if !(matches!(c, '.' | ',' | '\'' | '’' | ' ') && followed && space_in_groups && end > 0)
        {
            break;
        }
    }
    end
}

/// The power of ten that `e6` behind the digits stands for, and what follows it.
fn exponent(rest: &str) -> Option<(i64, &str)> {
    let Some(behind) = rest.strip_prefix(['e', 'E']) else {
        return Some((0, rest));
    };
    let signless = behind.strip_prefix(['+', '-']).unwrap_or(behind);
    let length = signless
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(signless.len());
    if length == 0 {
        return Some((0, rest));
    }
    let sign_length = behind.len() - signless.len();
    let (token, rest) = behind.split_at_checked(sign_length + length)?;
    let exponent = token.parse::<i64>().ok()?;
    (exponent.unsigned_abs() <= MOST_DIGITS as u64).then_some((exponent, rest))
}

/// The digits as an LQ token, and why they might mean another number.
fn ungrouped(digits: &str) -> Option<(String, Option<String>)> {
    let marks: Vec<char> = digits.chars().filter(|c| !c.is_ascii_digit()).collect();
    let first = match marks.first() {
        None => return (!digits.is_empty()).then(|| (digits.to_owned(), None)),
        Some(first) => *first,
    };
    let last = marks.last().copied().unwrap_or(first);
    let same = marks.iter().all(|m| *m == first);
    let (groups, fraction) = match (same, marks.len(), first) {
        (true, 1, '.') => {
            let group = is_grouped(digits, '.') && !digits.starts_with('0');
            let why = || {
                format!(
                    "`{digits}` is read as a decimal; it may be {} with a point between thousands",
                    digits.replace('.', "")
                )
            };
            return Some((digits.to_owned(), group.then(why)));
        }
        (true, 1, ',') if !is_grouped(digits, ',') => {
            let token = digits.replace(',', ".");
            let why = format!("`{digits}` is read as {token}, with a decimal comma");
            return Some((token, Some(why)));
        }
        (true, _, _) => (digits, None),
        (false, _, _) if matches!(last, '.' | ',') => {
            let (groups, fraction) = digits.rsplit_once(last)?;
            (groups, Some(fraction))
        }
        _ => return None,
    };
    if !is_grouped(groups, first) || fraction.is_some_and(|f| f.is_empty()) {
        return None;
    }
    let mut token: String = groups.chars().filter(char::is_ascii_digit).collect();
    if let Some(fraction) = fraction {
        token.push('.');
        token.push_str(fraction);
    }
    Some((token, None))
}

/// Whether the digits stand in groups of three behind one to three.
fn is_grouped(digits: &str, mark: char) -> bool {
    let mut groups = digits.split(mark);
    let all_digits = |g: &str| g.bytes().all(|b| b.is_ascii_digit());
    let head = groups.next().unwrap_or_default();
    (1..=3).contains(&head.len())
        && all_digits(head)
        && groups.all(|g| g.len() == 3 && all_digits(g))
}

/// A scale word at the start of what stands behind the digits.
fn scale(text: &str) -> (Option<i64>, &str) {
    for (word, exponent) in SCALES {
        let behind = text
            .get(..word.len())
            .filter(|start| start.eq_ignore_ascii_case(word))
            .and(text.get(word.len()..));
        if let Some(rest) = behind
            && !rest.starts_with(char::is_alphanumeric)
        {
            return (Some(exponent), rest.trim_start());
        }
    }
    (None, text)
}

/// A unit, or `None` inside where there is nothing; `None` outside where what
/// stands there cannot be a unit.
#[allow(clippy::option_option)]
fn unit(text: &str) -> Option<Option<String>> {
    if text.is_empty() {
        return Some(None);
    }
    let fits = text.chars().count() <= 32 && text.split(' ').count() <= 3;
    let starts = text.starts_with(|c: char| c.is_alphabetic() || "%°'\"′″µ$€£¥".contains(c));
    let later_words = text.split(' ').skip(1);
    let no_number = later_words
        .into_iter()
        .all(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let made_of = text
        .chars()
        .all(|c| c.is_alphanumeric() || " %°'\"′″/^²³·$€£¥.-".contains(c));
    (fits && starts && no_number && made_of).then(|| Some(text.to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (String, Option<String>, bool) {
        let reading = number_from_text(text).unwrap();
        (
            reading.value.to_string(),
            reading.unit,
            reading.unclear.is_some(),
        )
    }

    #[test]
    fn numbers_from_the_field() {
        for (text, value) in [
            ("950", "950"),
            ("1,200", "1200"),
            ("7,825", "7825"),
            ("1.2 million", "1200000"),
            ("3.8 billion", "3800000000"),
            ("−5", "-5"),
            ("-4–1", "-4..1"),
            ("−4–−1", "-4..-1"),
            ("5 to 8", "5..8"),
            ("between 5 and 8", "5..8"),
            ("5..8", "5..8"),
            ("1e6", "1000000"),
            ("1.5E-3", "0.0015"),
            ("1,234,567.89", "1234567.89"),
            ("1.234.567,89", "1234567.89"),
            ("1.200.000", "1200000"),
            ("1 200 000", "1200000"),
            ("1\u{202f}200", "1200"),
            ("12'345", "12345"),
            ("1.2–1.4 million", "1200000..1400000"),
            ("0.200", "0.2"),
            ("+7", "7"),
            ("  42 ", "42"),
        ] {
            assert_eq!(read(text), (value.to_owned(), None, false), "{text}");
        }
    }

    #[test]
    fn unclear_ones_say_so() {
        for (text, value) in [("1.200", "1.2"), ("1,5", "1.5"), ("5-8", "5..8")] {
            assert_eq!(read(text), (value.to_owned(), None, true), "{text}");
        }
    }

    #[test]
    fn units_stand_behind_and_currencies_before() {
        for (text, value, unit) in [
            ("5 km", "5", "km"),
            ("5km", "5", "km"),
            ("5–8 km", "5..8", "km"),
            ("1,200 m²", "1200", "m²"),
            ("$1.2 million", "1200000", "$"),
            ("-$5", "-5", "$"),
            ("5%", "5", "%"),
            ("12 Monkeys", "12", "Monkeys"),
            ("3 million km", "3000000", "km"),
            ("5 eV", "5", "eV"),
            ("2e", "2", "e"),
        ] {
            assert_eq!(
                read(text),
                (value.to_owned(), Some(unit.to_owned()), false),
                "{text}"
            );
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "km",
            "~5",
            "c. 5",
            "about 5",
            "-4-1",
            "8 to 5",
            "5 km to 8 m",
            "1,20,0",
            "1..",
            "..",
            "–",
            "1,200,30",
            "12 1",
            "1.2.3",
            "5 of the 7",
            "$5 km",
            "١٢",
        ] {
            assert!(number_from_text(text).is_err(), "{text}");
        }
        assert!(matches!(
            number_from_text("~5"),
            Err(NumberError::Approximate { .. })
        ));
        assert!(matches!(
            number_from_text("8 to 5"),
            Err(NumberError::Reversed { .. })
        ));
        assert!(number_from_text(&"9".repeat(100_000)).is_err());
        assert!(number_from_text("1e999999999999").is_err());
    }

    #[test]
    fn case_17_orders() {
        let value = |text: &str| number_from_text(text).unwrap().value;
        let ascending = ["−5", "950", "1,200", "1.2 million"].map(value);
        assert!(
            ascending
                .iter()
                .zip(ascending.iter().skip(1))
                .all(|(a, b)| a.high < b.low)
        );
        assert!(value("-4–1").intersect(&value("0")).is_some());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,24}") {
            let _ = number_from_text(&text);
        }
        #[test]
        fn number_like_text_is_read_or_refused(text in "[-–−+~ .,'0-9e%km]{0,12}") {
            let _ = number_from_text(&text);
        }
        #[test]
        fn tokens_read_as_themselves(text in "-?[0-9]{1,9}(\\.[0-9]{1,9})?") {
            let value = NumberInterval::parse(&text).unwrap();
            prop_assert_eq!(number_from_text(&text).unwrap().value, value);
        }
    }
}
