//! How words are compared where they are not equal byte for byte.

use caseless::Caseless;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The form under which spellings count as the same: Unicode NFKC, full case
/// folding, each run of white space one space, none at the ends. Folding what is
/// folded changes nothing.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = one_space(text).into_owned();
        folded.make_ascii_lowercase();
        return folded;
    }
    // Unicode D146: folding can undo a normal form and the other way round, so
    // each is applied until neither changes anything.
    let folded: String = text
        .chars()
        .nfd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .nfkc()
        .collect();
    one_space(&folded).into_owned()
}

/// The text with each run of white space as one space and none at the ends.
pub(super) fn one_space(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let mut after_space = true;
    let tidy = text.chars().all(|c| {
        let fine = !c.is_whitespace() || (c == ' ' && !after_space);
        after_space = c.is_whitespace();
        fine
    });
    if tidy && (text.is_empty() || !after_space) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_meet() {
        assert_eq!(fold("  Ada\n Lovelace "), "ada lovelace");
        assert_eq!(fold("Straße"), "strasse");
        assert_eq!(fold("ＡＢＣ"), "abc");
        assert_eq!(fold("e\u{301}"), "é");
        assert_eq!(fold("\u{a0}x\u{a0}\u{2003}y"), "x y");
        assert_eq!(one_space("a b"), "a b");
        assert_eq!(one_space(" "), "");
        assert_eq!(one_space("a "), "a");
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,12}|[ \\t\\n\u{345}\u{3a3}\u{3c2}\u{df}\u{130}\u{1fc3}\u{2126}a-c]{0,8}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once.clone());
            prop_assert_eq!(fold(&one_space(&text)), once);
        }
    }
}
