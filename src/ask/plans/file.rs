//! The text of a plan: a head of comments, then the statements.

use crate::ask::Reading;
use crate::ask::vocabulary::Vocabulary;
use crate::ask::wording::Piece;
use crate::syntax::tree::Span;
use crate::syntax::{format_text, print_query};
use std::fmt::Write;

/// The planner that is part of this program. Another version may read a question
/// otherwise, so the version is part of its name.
pub const EMBEDDED: &str = concat!("embedded ", env!("CARGO_PKG_VERSION"));

/// What a plan was written for, and by whom. Two plans with the same head are the same
/// plan: this is what a plan is kept under.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The question, in one line.
    pub question: String,
    /// Who wrote the plan.
    pub planner: String,
    /// The model that the planner asked; empty for none.
    pub model: String,
    /// The settings of the model; empty for none.
    pub settings: String,
    /// The hash of the vocabulary; empty for none.
    pub vocabulary: String,
    /// The content hash of the lattice.
    pub lattice: String,
}

impl Head {
    /// The lines of the head: what stands before the colon, and what behind it.
    fn lines(&self) -> [(&'static str, &str); 6] {
        [
            ("question", &self.question),
            ("planner", &self.planner),
            ("model", &self.model),
            ("settings", &self.settings),
            ("vocabulary", &self.vocabulary),
            ("lattice", &self.lattice),
        ]
    }

    fn line(&mut self, key: &str) -> Option<&mut String> {
        Some(match key {
            "question" => &mut self.question,
            "planner" => &mut self.planner,
            "model" => &mut self.model,
            "settings" => &mut self.settings,
            "vocabulary" => &mut self.vocabulary,
            "lattice" => &mut self.lattice,
            _ => return None,
        })
    }

    /// One hash for all of it, in hexadecimal digits.
    pub fn key(&self) -> String {
        let mut hash = Hash::new("latweave v1 key of a plan");
        for (key, value) in self.lines() {
            hash.add(key);
            hash.add(value);
        }
        hash.end()
    }
}

/// A plan: the head, and LQ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// What it was written for.
    pub head: Head,
    /// How many readings of the question the statements are: 1, or so many as there are
    /// queries. Of several, none is preferred.
    pub readings: usize,
    /// The statements, as they stand in the file.
    pub statements: String,
    /// The seal that the file bears; none if it has just been made.
    seal: Option<String>,
    /// Where the head names the lattice, in [`PlanFile::source`].
    pub lattice_span: Option<Span>,
    /// The text that was read; none if it has just been made.
    read: Option<String>,
}

impl PlanFile {
    /// The plan that readings of a question are.
    pub fn of_readings(head: Head, readings: &[Reading]) -> PlanFile {
        let plans: Vec<String> = readings.iter().map(Reading::plan).collect();
        PlanFile::new(head, readings.len().max(1), &plans.join("\n"))
    }

    /// A plan of these statements.
    pub fn new(head: Head, readings: usize, statements: &str) -> PlanFile {
        // What cannot be formatted is kept as it is; running it says what is wrong.
        let text = format_text(statements).unwrap_or_else(|_| statements.to_owned());
        PlanFile {
            head,
            readings,
            statements: text.trim().to_owned() + "\n",
            seal: None,
            lattice_span: None,
            read: None,
        }
    }

    /// The text that spans in diagnostics about the plan speak of: all that was read, or
    /// the statements of a plan that has just been made.
    pub fn source(&self) -> &str {
        self.read.as_deref().unwrap_or(&self.statements)
    }

    /// Reads the text of a plan. Every text is one; a head without lines says nothing.
    pub fn read(text: &str) -> PlanFile {
        let mut plan = PlanFile {
            head: Head::default(),
            readings: 1,
            statements: String::new(),
            seal: None,
            lattice_span: None,
            read: Some(text.to_owned()),
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let Some(comment) = line.strip_prefix("-- ") else {
                break;
            };
            if let Some((key, value)) = comment.split_once(": ") {
                let value = value.trim();
                match key {
                    "seal" => plan.seal = Some(value.to_owned()),
                    "readings" => plan.readings = value.parse().unwrap_or(1),
                    _ => {
                        if let Some(kept) = plan.head.line(key) {
                            value.clone_into(kept);
                        }
                    }
                }
                if key == "lattice" {
                    let start = at + "-- lattice: ".len();
                    let end = at + line.trim_end().len();
                    plan.lattice_span = Some(Span { start, end });
                }
            }
            at += line.len();
        }
        let rest = text.get(at..).unwrap_or_default();
        rest.trim_start_matches(['\r', '\n'])
            .clone_into(&mut plan.statements);
        plan
    }

    /// The head and the statements, without the seal.
    fn unsealed(&self) -> (String, String) {
        let mut head = String::new();
        for (key, value) in self.head.lines() {
            if !value.is_empty() {
                // Writing to a string does not fail.
                let _ = writeln!(head, "-- {key}: {value}");
            }
        }
        if self.readings > 1 {
            let _ = writeln!(head, "-- readings: {}", self.readings);
        }
        (head, format!("\n{}", self.statements))
    }

    fn sealed_with(&self) -> String {
        let (head, statements) = self.unsealed();
        let mut hash = Hash::new("latweave v1 seal of a plan");
        hash.add(&head);
        hash.add(&statements);
        format!("b3:{}", hash.end())
    }

    /// The text of the plan, sealed.
    pub fn text(&self) -> String {
        let (head, statements) = self.unsealed();
        format!("{head}-- seal: {}\n{statements}", self.sealed_with())
    }

    /// Whether the plan is as a program wrote it: it bears a seal, and the seal is that
    /// of its text. The seal tells damage and edits, not ill will.
    pub fn is_sealed(&self) -> bool {
        self.seal.as_ref() == Some(&self.sealed_with())
    }
}

/// A question in one line: white space is folded, and control characters are white space.
pub fn one_line(question: &str) -> String {
    let between = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = question.split(between).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// The hash of all that a vocabulary says, in its order.
pub fn vocabulary_hash(vocabulary: &Vocabulary) -> String {
    let mut hash = Hash::new("latweave v1 hash of a vocabulary");
    for pattern in &vocabulary.patterns {
        hash.add("pattern");
        for hole in &pattern.wording.holes {
            hash.add(&hole.name);
            hash.add(&format!("{:?}", hole.kind));
        }
        for way in &pattern.wording.ways {
            hash.add("way");
            for piece in way {
                match piece {
                    Piece::Word(word) => hash.add(word),
                    Piece::Hole(number) => hash.add(&format!("{{{number}}}")),
                }
            }
        }
        hash.add(&print_query(&pattern.query));
    }
    for (dimension, word) in &vocabulary.aka {
        hash.add("aka");
        hash.add(dimension);
        hash.add(word);
    }
    format!("b3:{}", hash.end())
}

/// A hash of texts, each with its length, so that no two lists of texts are one.
struct Hash(blake3::Hasher);

impl Hash {
    fn new(context: &str) -> Hash {
        Hash(blake3::Hasher::new_derive_key(context))
    }

    fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn end(self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            question: "what is: it".into(),
            planner: EMBEDDED.into(),
            vocabulary: "b3:01".into(),
            lattice: "b3:02".into(),
            ..Head::default()
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let plan = PlanFile::new(head(), 2, "MEET a = b MEET a = c");
        let read = PlanFile::read(&plan.text());
        assert_eq!(read.head, plan.head);
        assert_eq!(read.statements, "MEET a = b\nMEET a = c\n");
        assert_eq!(read.readings, 2);
        assert!(read.is_sealed());
        let span = read.lattice_span.unwrap();
        assert_eq!(&plan.text()[span.start..span.end], "b3:02");
    }

    #[test]
    fn a_seal_tells_every_edit() {
        let text = PlanFile::new(head(), 1, "MEET a = b").text();
        let edits = [
            text.replace("a = b", "a = c"),
            text.replace("b3:02", "b3:03"),
            text.replace("what is: it", "what was it"),
            text.replace("-- seal", "-- sale"),
            format!("{text}MEET a = c\n"),
        ];
        for edited in edits {
            assert!(!PlanFile::read(&edited).is_sealed(), "{edited}");
        }
    }

    #[test]
    fn every_line_of_the_head_is_part_of_the_key() {
        let mut keys = vec![head().key()];
        for line in [
            "question",
            "planner",
            "model",
            "settings",
            "vocabulary",
            "lattice",
        ] {
            let mut other = head();
            other.line(line).unwrap().push('x');
            keys.push(other.key());
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 7);
    }

    #[test]
    fn a_vocabulary_has_one_hash_and_another_has_another() {
        let hash = |text: &str| vocabulary_hash(&Vocabulary::read(text).unwrap());
        let one = "PATTERN QUESTION \"who made {x}\" => MEET made = {x}";
        assert_eq!(hash(one), hash(&format!("-- a comment\n{one}")));
        assert_ne!(hash(one), hash(&one.replace("who", "what")));
        assert_ne!(hash(one), hash(&one.replace("MEET made", "MEET built")));
        assert_ne!(
            hash("DIMENSION made AKA \"built\""),
            hash("DIMENSION built AKA \"made\"")
        );
    }
}
