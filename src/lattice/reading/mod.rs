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

/// How a text begins that says it is not exact.
const APPROXIMATE: [&str; 15] = [
    "~", "≈", "∼", "±", "c. ", "ca. ", "ca ", "circa ", "about ", "around ", "approx", "nearly ",
    "almost ", "roughly ", "c.1",
];

/// The text with one kind of minus and one kind of space, none at its ends and no
/// two in a row.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.extend(word.chars().map(|c| match c {
            '\u{2212}' | '\u{2010}' | '\u{2011}' => '-',
            other => other,
        }));
    }
    plain
}
