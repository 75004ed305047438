//! Names as they come out of files.

use std::borrow::Cow;

/// The named character references that are decoded, besides the numeric ones.
const REFERENCES: [(&str, char); 40] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("hellip", '…'),
    ("middot", '·'),
    ("deg", '°'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("ecirc", 'ê'),
    ("euml", 'ë'),
    ("aacute", 'á'),
    ("agrave", 'à'),
    ("acirc", 'â'),
    ("auml", 'ä'),
    ("aring", 'å'),
    ("aelig", 'æ'),
    ("ccedil", 'ç'),
    ("iacute", 'í'),
    ("icirc", 'î'),
    ("iuml", 'ï'),
    ("ntilde", 'ñ'),
    ("oacute", 'ó'),
    ("ocirc", 'ô'),
    ("ouml", 'ö'),
    ("oslash", 'ø'),
    ("szlig", 'ß'),
    ("uacute", 'ú'),
    ("ucirc", 'û'),
    ("uuml", 'ü'),
    ("Eacute", 'É'),
    ("Ouml", 'Ö'),
];

/// A name with HTML's character references decoded and white space folded to
/// single spaces; none if nothing but quotes and blanks is left.
pub(super) fn clean(text: &str) -> Option<Cow<'_, str>> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Some(Cow::Borrowed(text));
    }
    let decoded = if text.contains('&') {
        Cow::Owned(decode(text))
    } else {
        Cow::Borrowed(text)
    };
    let folded = match decoded {
        Cow::Borrowed(text) => fold_spaces(text),
        Cow::Owned(text) => Cow::Owned(fold_spaces(&text).into_owned()),
    };
    let says_something = folded.chars().any(|c| !is_blank_or_quote(c));
    says_something.then_some(folded)
}

/// White space at the ends removed, and inside folded to single spaces.
pub(super) fn fold_spaces(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let text = text.trim();
    let mut last_blank = false;
    let plain = text.chars().all(|c| {
        let blank = c.is_whitespace();
        let fine = !blank || (c == ' ' && !last_blank);
        last_blank = blank;
        fine
    });
    if plain {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_blank_or_quote(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '“'
                | '”'
                | '„'
                | '‟'
                | '‘'
                | '’'
                | '‚'
                | '‛'
                | '«'
                | '»'
                | '‹'
                | '›'
        )
        || matches!(
            c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
}

fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        decoded.push_str(before);
        let reference = behind
            .split_once(';')
            .and_then(|(name, after)| Some((character(name)?, after)));
        match reference {
            Some((character, after)) => {
                decoded.push(character);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = behind;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    let known = REFERENCES.iter().find(|(known, _)| *known == name);
    known.map(|(_, character)| *character)
}

/// At most five words that resemble `word`, the most similar first.
pub(super) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = word.to_lowercase();
    let reach = if wanted.chars().count() < 5 { 1 } else { 2 };
    let mut near: Vec<(usize, &str)> = words
        .map(|word| {
            (
                strsim::damerau_levenshtein(&word.to_lowercase(), &wanted),
                word,
            )
        })
        .filter(|(distance, _)| *distance <= reach)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter()
        .take(5)
        .map(|(_, word)| word.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_10_names() {
        for (text, name) in [
            ("Ada\nLovelace", "Ada Lovelace"),
            ("  Ada \t Lovelace ", "Ada Lovelace"),
            ("&quot;Al&quot;", "\"Al\""),
            ("R&amp;D", "R&D"),
            ("AT&T; Co", "AT&T; Co"),
            ("&#39;x&#x27;", "'x'"),
            ("&amp;lt;", "&lt;"),
            ("#29", "#29"),
            ("]})", "]})"),
            ("O'Connor", "O'Connor"),
        ] {
            assert_eq!(clean(text).as_deref(), Some(name), "{text}");
        }
        for empty in [
            "",
            " ",
            "“ ”",
            "\"\"",
            "&nbsp;",
            "&quot; &quot;",
            "\u{200b}",
        ] {
            assert_eq!(clean(empty), None, "{empty}");
        }
    }

    proptest! {
        #[test]
        fn without_references_cleaning_twice_changes_nothing(text in "[^&]{0,20}") {
            if let Some(name) = clean(&text) {
                let again = clean(&name).map(Cow::into_owned);
                prop_assert_eq!(again, Some(name.clone().into_owned()));
            }
        }
    }
}
