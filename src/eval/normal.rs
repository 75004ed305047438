//! One normalisation of text for all that is compared as text.
//!
//! As SQuAD's evaluation does it (Rajpurkar et al. 2016): lower case, punctuation and
//! articles taken out, white space folded; and numbers as decimals, so that `61,572` is
//! `61572` and `591000.0` is `591000`.

use unicode_normalization::UnicodeNormalization;

/// Text without case, repeated white space and the forms of numbers: what the names of
/// a question set that was not made from the lattice are compared by.
pub(super) fn folded(text: &str) -> String {
    let lower: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words = lower.split_whitespace();
    words
        .map(|word| decimal(word).unwrap_or_else(|| word.to_owned()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The words of a text that EM and F1 look at.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = folded.split(' ').filter_map(|word| {
        if decimal(word).is_some() {
            return Some(word.to_owned());
        }
        let kept: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let says = !kept.is_empty() && !matches!(kept.as_str(), "a" | "an" | "the");
        says.then_some(kept)
    });
    words.collect()
}

/// A number in one form: no thousands separators, no needless zeros; none if the word
/// is no number.
fn decimal(word: &str) -> Option<String> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = ungrouped(whole)?;
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(&whole) || !all_digits(fraction) || digits.ends_with('.') {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    };
    Some(match fraction.trim_end_matches('0') {
        "" if whole == "0" => "0".to_owned(),
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    })
}

/// Digits without commas between groups of three; none if commas stand elsewhere.
fn ungrouped(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut all = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.is_empty() || first.len() > 3 {
            return None;
        }
        all += group;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        for (text, form) in [
            ("61,572", "61572"),
            ("591000.0", "591000"),
            ("-0.50", "-0.5"),
            ("007", "7"),
            ("0.0", "0"),
            ("1,23", "1,23"),
            ("3.", "3."),
            ("1.2.3", "1.2.3"),
            ("Salt  Lake\tCity", "salt lake city"),
        ] {
            assert_eq!(folded(text), form);
        }
    }

    #[test]
    fn articles_and_punctuation_say_nothing() {
        assert_eq!(words("The St. Louis, a \"city\""), ["st", "louis", "city"]);
        assert_eq!(words("1,000.50 km"), ["1000.5", "km"]);
        assert!(words("The -").is_empty());
    }
}
