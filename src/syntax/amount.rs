//! Tokens that begin like a number: what they are, and what is wrong with them.

use std::cmp::Ordering;

use super::diagnostic::{Code, Diagnostic};
use super::tree::Span;

/// What a token turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Amount {
    Number(String),
    Date(String),
}

/// A day of the calendar with a year of any size.
type Day = (i64, u32, u32);

/// Reads one token of the rule `numeric`.
pub(crate) fn classify(token: &str, span: Span) -> Result<Amount, Box<Diagnostic>> {
    if let Some(rest) = token.strip_prefix(['\u{2212}', '\u{2013}']) {
        let diagnostic =
            Diagnostic::error(Code::E029, format!("`{token}` begins with a typeset dash"))
                .label(span, "not a minus sign")
                .help("the sign of a number is the hyphen of the keyboard, `-`");
        return Err(Box::new(diagnostic.fix(span, format!("-{rest}"))));
    }
    if token.contains(['\u{2212}', '\u{2013}']) {
        let parts: Vec<&str> = token.split(['\u{2212}', '\u{2013}']).collect();
        let diagnostic =
            Diagnostic::error(Code::E029, format!("`{token}` is joined by a typeset dash"))
                .label(span, "not a range")
                .help(format!(
                    "a range is written `{}`; a code is quoted",
                    parts.join("..")
                ));
        return Err(Box::new(diagnostic));
    }
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(unsigned) {
        // Nobody writes the number 12 as 0012: this is a year.
        if unsigned.len() >= 4 && unsigned.starts_with('0') {
            return Ok(Amount::Date(token.to_owned()));
        }
        return Ok(Amount::Number(token.to_owned()));
    }
    if let Some((whole, fraction)) = unsigned.split_once('.')
        && digits(whole)
        && digits(fraction)
    {
        return Ok(Amount::Number(token.to_owned()));
    }
    if unsigned.contains('-') || unsigned.contains(':') {
        return date(token, span);
    }
    Err(Box::new(not_a_number(token, span)))
}

fn not_a_number(token: &str, span: Span) -> Diagnostic {
    let digits = token.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let exponent = digits.strip_prefix(['e', 'E']);
    let diagnostic = Diagnostic::error(Code::E014, format!("`{token}` is not a number"))
        .label(span, "read as one token");
    if exponent.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())) {
        diagnostic.help("there are no exponents: write the digits out")
    } else if digits.chars().all(char::is_alphabetic) && !digits.is_empty() {
        let number = token.strip_suffix(digits).unwrap_or(token);
        diagnostic.help(format!(
            "a unit stands behind a space, `{number} {digits}`; a name is quoted, `\"{token}\"`"
        ))
    } else {
        diagnostic.help(format!(
            "a name that begins with a digit is quoted: `\"{token}\"`"
        ))
    }
}

fn date(token: &str, span: Span) -> Result<Amount, Box<Diagnostic>> {
    let fault = match day_of(token, false) {
        Ok(_) => return Ok(Amount::Date(token.to_owned())),
        Err(fault) => fault,
    };
    let diagnostic = Diagnostic::error(Code::E013, format!("`{token}` is not a date"));
    let diagnostic = diagnostic.label(span, fault);
    if token.contains(':') {
        return Err(Box::new(
            diagnostic.help("dates go down to the day: `1914-12-14`"),
        ));
    }
    if let Some(padded) = padded(token) {
        let help = format!("month and day have two digits: `{padded}`");
        return Err(Box::new(diagnostic.help(help).fix(span, padded)));
    }
    let shape = "a date is `YYYY-MM` or `YYYY-MM-DD`";
    let help = format!("{shape}; a code or telephone number is quoted: `\"{token}\"`");
    Err(Box::new(diagnostic.help(help)))
}

/// `1914-1-5` with its zeros, if that is a date.
fn padded(token: &str) -> Option<String> {
    let (sign, rest) = match token.strip_prefix(['+', '-']) {
        Some(rest) => (token.get(..1)?, rest),
        None => ("", token),
    };
    let mut parts = rest.split('-');
    let year = parts.next().filter(|year| year.len() >= 4)?;
    let mut text = format!("{sign}{year}");
    for part in parts {
        text.push_str(&format!("-{part:0>2}"));
    }
    (text != token && day_of(&text, false).is_ok()).then_some(text)
}

/// The first or last day of a date or year token, or what is wrong with it.
pub(crate) fn day_of(token: &str, last: bool) -> Result<Day, &'static str> {
    let (negative, rest) = match token.strip_prefix(['+', '-']) {
        Some(rest) => (token.starts_with('-'), rest),
        None => (false, token),
    };
    let parts: Vec<&str> = rest.split('-').collect();
    if !parts
        .iter()
        .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Err("a date has only digits and hyphens");
    }
    let (year, month, day) = match parts.as_slice() {
        [year] => (*year, None, None),
        [year, month] => (*year, Some(*month), None),
        [year, month, day] => (*year, Some(*month), Some(*day)),
        _ => return Err("a date has at most three parts"),
    };
    if !(4..=9).contains(&year.len()) {
        return Err("a year has four digits");
    }
    let year: i64 = year.parse().map_err(|_| "a year has four digits")?;
    let year = if negative { -year } else { year };
    let two = |text: Option<&str>, fault: &'static str| match text {
        Some(text) if text.len() == 2 => text.parse::<u32>().map(Some).map_err(|_| fault),
        Some(_) => Err(fault),
        None => Ok(None),
    };
    let month = two(month, "a month has two digits")?;
    let day = two(day, "a day has two digits")?;
    if month.is_some_and(|month| !(1..=12).contains(&month)) {
        return Err("there is no such month");
    }
    let month_or = month.unwrap_or(if last { 12 } else { 1 });
    let days = days_in(year, month_or);
    if day.is_some_and(|day| day < 1 || day > days) {
        return Err("this month has no such day");
    }
    Ok((year, month_or, day.unwrap_or(if last { days } else { 1 })))
}

fn days_in(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a number token may also be a year.
pub(crate) fn may_be_year(token: &str) -> bool {
    day_of(token, false).is_ok()
}

/// A decimal without sign `+`, superfluous zeros and a signed zero: `+1.50` is
/// `1.5`, `-0` is `0`.
pub(crate) fn normal_decimal(token: &str) -> String {
    let negative = token.starts_with('-');
    let rest = token.strip_prefix(['+', '-']).unwrap_or(token);
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if negative && !(whole == "0" && fraction.is_empty()) {
        "-"
    } else {
        ""
    };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// The order of two decimal tokens, exactly.
pub(crate) fn compare_decimals(left: &str, right: &str) -> Ordering {
    let (left, right) = (normal_decimal(left), normal_decimal(right));
    match (left.strip_prefix('-'), right.strip_prefix('-')) {
        (Some(left), Some(right)) => magnitude(right, left),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => magnitude(&left, &right),
    }
}

fn magnitude(left: &str, right: &str) -> Ordering {
    let (left_whole, left_fraction) = left.split_once('.').unwrap_or((left, ""));
    let (right_whole, right_fraction) = right.split_once('.').unwrap_or((right, ""));
    let whole = left_whole
        .len()
        .cmp(&right_whole.len())
        .then(left_whole.cmp(right_whole));
    // Without trailing zeros fractions compare like words.
    whole.then(left_fraction.cmp(right_fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(token: &str) -> Option<Code> {
        classify(token, Span::default())
            .err()
            .map(|diagnostic| diagnostic.code)
    }

    #[test]
    fn tokens() {
        for number in ["5", "-5", "+5.50", "1914", "12345", "-1000", "007"] {
            assert_eq!(
                classify(number, Span::default()),
                Ok(Amount::Number(number.into()))
            );
        }
        for date in [
            "1914-12",
            "-0012-11-29",
            "2000-02-29",
            "0012",
            "-0044",
            "12345-01",
        ] {
            assert_eq!(
                classify(date, Span::default()),
                Ok(Amount::Date(date.into()))
            );
        }
        for wrong in [
            "1914-13",
            "1914-1-5",
            "555-1234",
            "5--3",
            "1900-02-29",
            "12:30",
            "1-2-3-4",
        ] {
            assert_eq!(code(wrong), Some(Code::E013), "{wrong}");
        }
        for wrong in ["1e3", "12km", "2nd", "1.2.3", "12_monkeys"] {
            assert_eq!(code(wrong), Some(Code::E014), "{wrong}");
        }
        assert_eq!(code("−5"), Some(Code::E029));
        assert_eq!(code("1914–18"), Some(Code::E029));
    }

    #[test]
    fn decimals_order_exactly() {
        let ascending = [
            "-1200", "-5", "-0.5", "0", "0.25", "0.3", "5", "9.99", "10", "950", "1200",
        ];
        for (index, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(
                    compare_decimals(left, right),
                    index.cmp(&other),
                    "{left} {right}"
                );
            }
        }
        assert_eq!(compare_decimals("+1.50", "1.5"), Ordering::Equal);
        assert_eq!(normal_decimal("-0.00"), "0");
        assert_eq!(normal_decimal("-00.50"), "-0.5");
    }
}
