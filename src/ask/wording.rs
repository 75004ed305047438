//! Wordings: the left side of `PATTERN QUESTION`.
//!
//! A wording is words, holes `{x}` or `{r:DIMENSION}`, alternatives `(a|b c)` and
//! options `[the]`. Case and punctuation count for nothing.

use super::words::words;

/// What may stand in a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoleKind {
    /// `{x}`: a name, or words that name a set.
    Thing,
    /// `{r:DIMENSION}`: words for a dimension. In the query the hole's name stands
    /// for the dimension.
    Dimension,
    /// `{n:NUMBER}`: a number, with its unit if it has one.
    Number,
}

/// A hole of a wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its name.
    pub name: String,
    /// What may stand in it.
    pub kind: HoleKind,
}

/// A piece of a wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A folded word.
    Word(String),
    /// A hole, by its number.
    Hole(usize),
}

/// A wording that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The holes, each once.
    pub holes: Vec<Hole>,
    /// Every way to write it, alternatives and options written out.
    pub ways: Vec<Vec<Piece>>,
}

/// A wording may be written out in at most so many ways.
const MAX_WAYS: usize = 4096;

/// Reads a wording.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub fn read(text: &str) -> Result<Wording, String> {
    let mut reader = Reader {
        text,
        at: 0,
        holes: Vec::new(),
    };
    let ways = reader.alternatives(None)?;
    if ways.iter().any(|way| way.is_empty()) {
        return Err("a wording needs a word or a hole, in every way to write it".to_owned());
    }
    Ok(Wording {
        holes: reader.holes,
        ways,
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    holes: Vec<Hole>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Sequences parted by `|`, up to the sign that closes them.
    fn alternatives(&mut self, close: Option<char>) -> Result<Vec<Vec<Piece>>, String> {
        let mut all = Vec::new();
        let mut current: Vec<Vec<Piece>> = vec![Vec::new()];
        loop {
            let Some(c) = self.rest().chars().next() else {
                if let Some(close) = close {
                    return Err(format!("`{close}` is missing"));
                }
                all.append(&mut current);
                return Ok(all);
            };
            if Some(c) == close {
                self.at += c.len_utf8();
                all.append(&mut current);
                return Ok(all);
            }
            match c {
                '|' if close.is_some() => {
                    self.at += 1;
                    all.append(&mut current);
                    current = vec![Vec::new()];
                }
                '(' | '[' => {
                    self.at += 1;
                    let inner = self.alternatives(Some(if c == '(' { ')' } else { ']' }))?;
                    let mut ways = inner;
                    if c == '[' {
                        ways.push(Vec::new());
                    }
                    current = joined(&current, &ways)?;
                }
                '{' => {
                    let hole = self.hole()?;
                    current
                        .iter_mut()
                        .for_each(|way| way.push(Piece::Hole(hole)));
                }
                ')' | ']' | '}' => return Err(format!("`{c}` closes nothing")),
                _ => {
                    let rest = self.rest();
                    let end = rest.find(['(', ')', '[', ']', '{', '}', '|']);
                    let end = end.unwrap_or(rest.len()).max(c.len_utf8());
                    let found = words(rest.get(..end).unwrap_or_default());
                    self.at += end;
                    for way in &mut current {
                        let pieces = found.iter().map(|word| Piece::Word(word.text.clone()));
                        way.extend(pieces);
                    }
                }
            }
        }
    }

    /// `{name}` or `{name:KIND}`.
    fn hole(&mut self) -> Result<usize, String> {
        let rest = self.rest();
        let end = rest.find('}').ok_or("`}` is missing")?;
        let inner = rest.get(1..end).unwrap_or_default();
        let (name, kind) = match inner.split_once(':') {
            None => (inner.trim(), HoleKind::Thing),
            Some((name, kind)) => {
                let kind = match kind.trim().to_ascii_uppercase().as_str() {
                    "DIMENSION" => HoleKind::Dimension,
                    "NUMBER" => HoleKind::Number,
                    other => {
                        return Err(format!(
                            "`{other}` is no kind of hole in a question; DIMENSION and NUMBER are"
                        ));
                    }
                };
                (name.trim(), kind)
            }
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(format!(
                "`{{{inner}}}` is no hole: a hole has a name, as in {{x}}"
            ));
        }
        let name = name.to_owned();
        self.at += end + 1;
        if let Some(at) = self.holes.iter().position(|hole| hole.name == name) {
            return match self.holes.get(at).map(|hole| hole.kind) == Some(kind) {
                true => Ok(at),
                false => Err(format!("the hole {{{name}}} has two kinds")),
            };
        }
        self.holes.push(Hole { name, kind });
        Ok(self.holes.len() - 1)
    }
}

fn joined(left: &[Vec<Piece>], right: &[Vec<Piece>]) -> Result<Vec<Vec<Piece>>, String> {
    if left.len().saturating_mul(right.len()) > MAX_WAYS {
        return Err(format!(
            "it can be written in more than {MAX_WAYS} ways; several patterns are plainer"
        ));
    }
    let pairs = left
        .iter()
        .flat_map(|a| right.iter().map(move |b| [a.as_slice(), b].concat()));
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(text: &str) -> Vec<String> {
        let wording = read(text).unwrap();
        let shown = |piece: &Piece| match piece {
            Piece::Word(word) => word.clone(),
            Piece::Hole(at) => format!("{{{}}}", wording.holes[*at].name),
        };
        let way = |way: &Vec<Piece>| way.iter().map(shown).collect::<Vec<_>>().join(" ");
        wording.ways.iter().map(way).collect()
    }

    #[test]
    fn alternatives_and_options_are_written_out() {
        assert_eq!(ways("Who directed {f}?"), ["who directed {f}"]);
        assert_eq!(
            ways("(films|movies) [that] {r:DIMENSION} {x}"),
            [
                "films that {r} {x}",
                "films {r} {x}",
                "movies that {r} {x}",
                "movies {r} {x}"
            ]
        );
        assert_eq!(
            ways("{x}'s (place of birth|home)"),
            ["{x} 's place of birth", "{x} 's home"]
        );
        assert_eq!(ways("{d} of {x} and {d}"), ["{d} of {x} and {d}"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, part) in [
            ("", "needs a word"),
            ("[the]", "needs a word"),
            ("(a", "`)` is missing"),
            ("a]", "closes nothing"),
            ("{x", "`}` is missing"),
            ("{}", "no hole"),
            ("{x:PLACE}", "no kind"),
            ("{x} {x:NUMBER}", "two kinds"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let many = "(a|b)".repeat(20);
        assert!(read(&many).unwrap_err().contains("ways"));
    }
}
