//! What an RDF/XML file may define in its DOCTYPE. A few kilobytes of entities that are
//! made of entities would stand for more text than any machine holds.

use std::io::Read;

/// How much of a file its DOCTYPE may take.
const LONGEST_DOCTYPE: u64 = 1 << 20;
/// How long the text of an entity may be: enough for an IRI.
const LONGEST_ENTITY: usize = 4096;

/// Why the entities of a file are not expanded; none if they may be. Reads the
/// beginning of the file.
pub(super) fn refused(file: impl Read) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    file.take(LONGEST_DOCTYPE).read_to_end(&mut head)?;
    Ok(why(&String::from_utf8_lossy(&head)))
}

fn why(head: &str) -> Option<String> {
    let doctype = head.get(head.find("<!DOCTYPE")?..)?;
    let mut rest = doctype;
    while let Some(at) = rest.find("<!ENTITY") {
        rest = rest.get(at + "<!ENTITY".len()..)?;
        // The text stands between the first quotes of either kind.
        let open = rest.find(['"', '\''])?;
        let name = rest.get(..open).unwrap_or("").trim();
        let quote = rest.get(open..=open)?;
        let text = rest.get(open + 1..)?;
        let Some(close) = text.find(quote) else {
            return Some(format!("entity \"{name}\" in its DOCTYPE does not end"));
        };
        let value = text.get(..close).unwrap_or("");
        let nested = value.split('&').skip(1).any(|part| !part.starts_with('#'));
        if nested {
            return Some(format!(
                "entity \"{name}\" in its DOCTYPE is made of other entities, which could stand for any amount of text; write its text out"
            ));
        }
        if value.len() > LONGEST_ENTITY {
            return Some(format!(
                "entity \"{name}\" in its DOCTYPE has {} bytes; up to {LONGEST_ENTITY} are read",
                value.len()
            ));
        }
        rest = text.get(close..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::why;

    #[test]
    fn namespaces_may_be_entities_and_bombs_may_not() {
        let doctype =
            |entities: &str| format!("<?xml version=\"1.0\"?><!DOCTYPE r [{entities}]><r/>");
        assert_eq!(why("<r/>"), None);
        let plain = "<!ENTITY owl \"http://www.w3.org/2002/07/owl#\" ><!ENTITY a 'b'>";
        assert_eq!(why(&doctype(plain)), None);
        let nested = "<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">";
        assert!(why(&doctype(nested)).is_some_and(|why| why.contains("\"b\"")));
        let mixed = "<!ENTITY a \"aaaa\"><!ENTITY b \"&#38;&a;&a;\">";
        assert!(why(&doctype(mixed)).is_some());
        let long = format!("<!ENTITY a \"{}\">", "a".repeat(5000));
        assert!(why(&doctype(&long)).is_some_and(|why| why.contains("5000 bytes")));
    }
}
