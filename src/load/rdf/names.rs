//! Names for IRIs.

use crate::load::names;
use std::borrow::Cow;
use std::collections::HashMap;

/// A name for each predicate: its IRI's last segment, or all of the IRI where two
/// share the segment.
pub(super) fn local_names<'a>(iris: impl Iterator<Item = &'a String> + Clone) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for iri in iris.clone() {
        *seen.entry(last_segment(iri).into_owned()).or_default() += 1;
    }
    let name = |iri: &String| {
        let short = last_segment(iri);
        let alone = seen.get(short.as_ref()) == Some(&1);
        if alone && short != "name" {
            short.into_owned()
        } else {
            iri.clone()
        }
    };
    iris.map(name).collect()
}

/// What stands behind the last `#` or `/` (or `:`), percent-decoded.
pub(super) fn last_segment(iri: &str) -> Cow<'_, str> {
    let trimmed = iri.trim_end_matches(['#', '/']);
    let segment = trimmed.rsplit(['#', '/', ':']).next().unwrap_or(trimmed);
    let decoded = percent_decoded(segment);
    match names::clean(&decoded) {
        Some(name) => Cow::Owned(name.into_owned()),
        None => Cow::Borrowed(iri),
    }
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| behind.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains('\0') => Cow::Owned(decoded),
        _ => Cow::Borrowed(text),
    }
}
