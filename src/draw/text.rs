//! How much room a text takes, and how it is broken into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes in a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// About how wide a text is in a sans-serif font of so many pixels. The figures are those of a
/// wide font (Verdana, DejaVu Sans), so that a label fits its box in a narrower one as well.
pub fn width(text: &str, size: f64) -> f64 {
    let units: u32 = text.chars().map(units).sum();
    f64::from(units) * size / 100.0
}

/// The width of a character in hundredths of the font's size.
fn units(c: char) -> u32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 30,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'I' | '/' | '\\' => 34,
        'f' | 't' | '(' | ')' | '[' | ']' | '-' | '·' => 40,
        'r' | '"' | '*' | '`' => 46,
        's' | 'z' | 'c' | 'k' | 'v' | 'x' | 'y' | '_' | '?' => 58,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 100,
        '=' | '+' | '<' | '>' | '~' | '≤' | '≥' | '∧' | '&' | '#' => 84,
        'a'..='z' | '0'..='9' | '$' => 64,
        'O' | 'Q' | 'G' | 'D' | 'H' | 'N' | 'U' => 79,
        'A'..='Z' => 70,
        other => match other.width() {
            Some(0) | None => 0,
            Some(1) => 72,
            Some(_) => 104,
        },
    }
}

/// The text as it may stand in a line: control characters and breaks become spaces.
pub fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_control() => ' ',
            '\u{2028}' | '\u{2029}' => ' ',
            '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
            c => c,
        })
        .collect()
}

/// The text in at most so many columns; what is cut ends in an ellipsis.
pub fn cut(text: &str, most: usize, ellipsis: &str) -> String {
    if text.width() <= most {
        return text.to_string();
    }
    let room = most.saturating_sub(ellipsis.width());
    let (kept, _) = split(text, room, false);
    format!("{}{ellipsis}", kept.trim_end())
}

/// The text broken into at most `lines` lines of at most `most` columns, where it can
/// between words. The last line ends in an ellipsis if there was more.
pub fn wrap(text: &str, most: usize, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!current.is_empty());
        if current.width() + gap + word.width() <= most {
            if gap == 1 {
                current.push(' ');
            }
            current.push_str(word);
            continue;
        }
        if !current.is_empty() {
            wrapped.push(std::mem::take(&mut current));
        }
        let mut rest = word;
        while rest.width() > most {
            let (head, tail) = split(rest, most, true);
            wrapped.push(head.to_string());
            rest = tail;
        }
        current = rest.to_string();
        // What lies beyond the last line is not looked at.
        if wrapped.len() > lines {
            break;
        }
    }
    if !current.is_empty() {
        wrapped.push(current);
    }
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        if let Some(last) = wrapped.last_mut() {
            *last = cut(&format!("{last}…"), most, "…");
            if !last.ends_with('…') {
                last.push('…');
            }
        }
    }
    wrapped
}

/// The longest beginning of so many columns, but at least one character with its marks, and
/// the rest; at `joints` after a sign that joins two words, where one is near the end.
fn split(text: &str, most: usize, joints: bool) -> (&str, &str) {
    let (mut used, mut end, mut joint) = (0, text.len(), None);
    for (at, c) in text.char_indices() {
        let wide = c.width().unwrap_or(0);
        if used + wide > most && at > 0 {
            end = at;
            break;
        }
        used += wide;
        if joints && matches!(c, '-' | '_' | '/' | '.' | ':') && used * 2 > most {
            joint = Some(at + c.len_utf8());
        }
    }
    let end = match joint {
        Some(joint) if end < text.len() => joint,
        _ => end,
    };
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "regulation of the mitochondrial electron transport chain";
        let lines = wrap(text, 24, 3);
        assert_eq!(
            lines,
            [
                "regulation of the",
                "mitochondrial electron",
                "transport chain"
            ]
        );
        assert_eq!(wrap(text, 24, 2).last().unwrap(), "mitochondrial electron…");
        assert!(wrap("", 24, 3).is_empty());
    }

    #[test]
    fn long_words_are_broken_where_they_are_joined() {
        assert_eq!(
            wrap("electro-cardiogram", 12, 3),
            ["electro-", "cardiogram"]
        );
        assert_eq!(wrap("abcdefghij", 4, 3), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(wrap("鯨類と海牛類", 6, 3), ["鯨類と", "海牛類"]);
        assert_eq!(cut("鯨類と海牛類", 6, "…"), "鯨類…");
        assert!(width("鯨", 10.0) > width("m", 10.0));
        // A mark stays with its letter.
        assert_eq!(wrap("e\u{301}e\u{301}", 1, 2), ["e\u{301}", "e\u{301}"]);
        assert_eq!(width("e\u{301}", 10.0), width("e", 10.0));
    }

    #[test]
    fn a_line_has_no_breaks() {
        assert_eq!(line("a\nb\u{0}c\u{FFFE}"), "a b c\u{FFFD}");
    }
}
