//! The words that questions are read with, as LQ: `PATTERN QUESTION` statements and
//! `DIMENSION … AKA …`.

use super::wording::{self, HoleKind, Wording};
use crate::syntax::tree::{Constraint, Operand, Operator, Query, StatementKind, Term};
use crate::syntax::{Code, Diagnostic, parse};

/// English: what the structure of questions means, whatever they are about.
const ENGLISH: &str = include_str!("../../stdlib/questions.en.lq");

/// A way to ask, and what it asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// How it is worded.
    pub wording: Wording,
    /// What it means, with the same holes.
    pub query: Query,
}

impl Pattern {
    /// The hole that the pattern leaves as it is, if it says nothing else:
    /// `MEET name = {x}`.
    pub(super) fn identity(&self) -> Option<usize> {
        let Query::Meet(meet) = &self.query else {
            return None;
        };
        let (
            None,
            None,
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            },
        ) = (&meet.returns, &meet.confidence, &meet.constraint)
        else {
            return None;
        };
        let (Operator::Is, Operand::Term(Term::Hole { name, .. }), [step]) =
            (operator, operand, path.steps.as_slice())
        else {
            return None;
        };
        let hole = |hole: &wording::Hole| hole.name == *name && hole.kind == HoleKind::Thing;
        (step.text == "name")
            .then(|| self.wording.holes.iter().position(hole))
            .flatten()
    }
}

/// Words and what they mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Ways to ask, in the order in which they were stated.
    pub patterns: Vec<Pattern>,
    /// Dimensions, and what else they are called.
    pub aka: Vec<(String, String)>,
}

impl Vocabulary {
    /// The standard library's English.
    ///
    /// # Errors
    /// None, unless the library itself is wrong; a test reads it.
    pub fn english() -> Result<Vocabulary, Vec<Diagnostic>> {
        Vocabulary::read(ENGLISH)
    }

    /// The vocabulary that a text in LQ states. Its other statements are about the
    /// world, and passed over.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<Vocabulary, Vec<Diagnostic>> {
        let tree = parse(text)?;
        let mut vocabulary = Vocabulary::default();
        let mut wrong = Vec::new();
        for statement in &tree.statements {
            match &statement.kind {
                StatementKind::PatternQuestion { wording, query } => match wording::read(wording) {
                    Ok(wording) => vocabulary.patterns.push(Pattern {
                        wording,
                        query: query.clone(),
                    }),
                    Err(reason) => wrong.push(
                        Diagnostic::error(Code::E411, "this wording cannot be read")
                            .label(statement.span, reason),
                    ),
                },
                StatementKind::Wording { dimension, aka } => {
                    let words = aka.iter().map(|word| word.text.clone());
                    let pairs = words.map(|word| (dimension.text.clone(), word));
                    vocabulary.aka.extend(pairs);
                }
                StatementKind::Dimension(declared) => {
                    let words = declared.aka.iter().map(|word| word.text.clone());
                    let pairs = words.map(|word| (declared.name.text.clone(), word));
                    vocabulary.aka.extend(pairs);
                }
                _ => {}
            }
        }
        match wrong.is_empty() {
            true => Ok(vocabulary),
            false => Err(wrong),
        }
    }

    /// Both.
    #[must_use]
    pub fn and(mut self, other: Vocabulary) -> Vocabulary {
        self.patterns.extend(other.patterns);
        self.aka.extend(other.aka);
        self
    }
}
