//! Texts as words: questions, names and wordings are all cut by the same rules, so
//! that what is written one way is found when it is asked another way.

use caseless::Caseless;
use rust_stemmers::{Algorithm, Stemmer};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word of a text, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, folded: no case, no width, no diacritics.
    pub text: String,
    /// The bytes it was written in.
    pub span: Range<usize>,
    /// The brackets or quotation marks that it stands in, if any: an index into
    /// [`Words::fences`].
    pub fence: Option<usize>,
}

/// A text as words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The words, in order.
    pub words: Vec<Word>,
    /// What stands between brackets or quotation marks, without them: whoever asks
    /// says that this is one name.
    pub fences: Vec<Range<usize>>,
}

/// English marks an owner with it, so it is a word of its own.
pub(super) const OWNER: &str = "'s";

/// The words of a text, without regard to brackets and quotation marks.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    cut(text, 0..text.len(), None, &mut found);
    found
}

/// The words of a question, and what stands in brackets or quotation marks in it.
pub fn question(text: &str) -> Words {
    let mut found = Words::default();
    let mut from = 0;
    while let Some((fence, inner)) = next_fence(text, from) {
        cut(text, from..fence.start, None, &mut found.words);
        let number = found.fences.len();
        let before = found.words.len();
        cut(text, inner.clone(), Some(number), &mut found.words);
        if found.words.len() == before {
            // A name of signs alone: one word, spelled as it is.
            found.words.push(Word {
                text: text.get(inner.clone()).unwrap_or_default().to_owned(),
                span: inner.clone(),
                fence: Some(number),
            });
        }
        found.fences.push(inner);
        from = fence.end;
    }
    cut(text, from..text.len(), None, &mut found.words);
    found
}

/// The next stretch in brackets or quotation marks: with them, and without.
fn next_fence(text: &str, from: usize) -> Option<(Range<usize>, Range<usize>)> {
    const PAIRS: [(char, char); 4] = [('[', ']'), ('"', '"'), ('“', '”'), ('«', '»')];
    let rest = text.get(from..)?;
    for (at, c) in rest.char_indices() {
        let Some((open, close)) = PAIRS.iter().find(|(open, _)| *open == c) else {
            continue;
        };
        let inner = from + at + open.len_utf8();
        let Some(length) = closing(text.get(inner..)?, *open, *close) else {
            continue;
        };
        let is_blank = text
            .get(inner..inner + length)
            .is_none_or(|text| text.trim().is_empty());
        if is_blank {
            continue;
        }
        let end = inner + length + close.len_utf8();
        return Some((from + at..end, inner..inner + length));
    }
    None
}

/// Where the sign stands that closes what was opened before `text`. A name may itself
/// have brackets, in pairs.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == close && depth == 0 {
            return Some(at);
        }
        match c {
            _ if c == close => depth -= 1,
            _ if c == open => depth += 1,
            _ => {}
        }
    }
    None
}

fn cut(text: &str, part: Range<usize>, fence: Option<usize>, found: &mut Vec<Word>) {
    let Some(stretch) = text.get(part.clone()) else {
        return;
    };
    let mut begun: Option<usize> = None;
    let mut letters = stretch.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let place = part.start + at;
        if c.is_alphanumeric() || (begun.is_some() && is_combining_mark(c)) {
            begun.get_or_insert(place);
            continue;
        }
        let after = place + c.len_utf8();
        push(text, begun.take(), place, fence, found);
        if is_apostrophe(c) && is_owner(text.get(after..part.end).unwrap_or_default()) {
            found.push(Word {
                text: OWNER.to_owned(),
                span: place..after + 1,
                fence,
            });
            letters.next();
        }
    }
    push(text, begun, part.end, fence, found);
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '`' | '´')
}

/// Whether an `s` comes next, and nothing behind it that belongs to it.
fn is_owner(rest: &str) -> bool {
    let mut letters = rest.chars();
    matches!(letters.next(), Some('s' | 'S')) && letters.next().is_none_or(|c| !c.is_alphanumeric())
}

fn push(text: &str, begun: Option<usize>, end: usize, fence: Option<usize>, found: &mut Vec<Word>) {
    let Some(start) = begun else { return };
    let word = folded(text.get(start..end).unwrap_or_default());
    // Marks alone are no word.
    if !word.is_empty() {
        found.push(Word {
            text: word,
            span: start..end,
            fence,
        });
    }
}

/// A word without case, width and diacritics.
fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    // A compatible form may have signs in it (¼ is 1⁄4), and folding case may make marks.
    word.nfkd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .filter(|c| c.is_alphanumeric() && !is_combining_mark(*c))
        .collect()
}

/// The words of a name, joined by single spaces: what names are compared by.
pub fn key(name: &str) -> String {
    let words = words(name);
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// The stem of a folded English word (Porter, "Snowball", 2001).
pub fn stem(word: &str) -> String {
    thread_local! {
        static ENGLISH: Stemmer = Stemmer::create(Algorithm::English);
    }
    ENGLISH.with(|english| english.stem(word).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<String> {
        let found = question(text).words;
        found.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn spellings_of_one_name_have_one_key() {
        assert_eq!(key("Peter Franzén"), "peter franzen");
        assert_eq!(key("anna_of_holstein-gottorp"), "anna of holstein gottorp");
        assert_eq!(key("O’Connor"), key("O'Connor"));
        assert_eq!(key("Ｃhild's  Play"), "child 's play");
        assert_eq!(key("!!!"), "");
    }

    #[test]
    fn an_owner_is_a_word_of_its_own() {
        assert_eq!(texts("Ada's mother"), ["ada", "'s", "mother"]);
        assert_eq!(texts("X 's sons"), ["x", "'s", "sons"]);
        assert_eq!(texts("the actors' films"), ["the", "actors", "films"]);
        assert_eq!(texts("it 'so' be"), ["it", "so", "be"]);
    }

    #[test]
    fn what_is_fenced_is_one_name() {
        let text = "who wrote [[REC] 2] and \"M\" or [!]";
        let found = question(text);
        let fenced: Vec<&str> = found.fences.iter().map(|f| &text[f.clone()]).collect();
        assert_eq!(fenced, ["[REC] 2", "M", "!"]);
        assert_eq!(
            texts(text),
            ["who", "wrote", "rec", "2", "and", "m", "or", "!"]
        );
        assert_eq!(question("5\" and [ ] or [").fences, Vec::new());
    }

    proptest! {
        #[test]
        fn every_word_stands_where_it_says(text in "\\PC{0,20}|[a-c'’\\[\\]\" é]{0,16}") {
            let found = question(&text);
            let mut last = 0;
            for word in &found.words {
                prop_assert!(word.span.start >= last);
                last = word.span.end;
                prop_assert!(text.get(word.span.clone()).is_some());
            }
        }

        #[test]
        fn a_key_is_its_own_key(text in "\\PC{0,20}") {
            let once = key(&text);
            prop_assert_eq!(key(&once), once);
        }
    }
}
