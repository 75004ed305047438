//! Questions with their answers, read from files.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A question and the names that answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The question.
    pub question: String,
    /// The answers, sorted, each once.
    pub answers: Vec<String>,
}

/// Why a file of questions was not read.
#[derive(Debug, thiserror::Error)]
pub enum ExamplesError {
    /// The file cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A line is no question.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// A line of JSON: `question` with `answers` (a list) or `answer`, and perhaps `sql`.
#[derive(Deserialize)]
pub(crate) struct Written {
    pub question: String,
    #[serde(default)]
    answers: Option<Vec<String>>,
    #[serde(default)]
    answer: Option<Answer>,
    /// The query that the answers were made with.
    #[serde(default)]
    pub sql: Option<String>,
}

impl Written {
    /// The answers as they are written. None if the line has none, which is not the
    /// same as an empty list.
    pub fn take_answers(&mut self) -> Option<Vec<String>> {
        match (self.answers.take(), self.answer.take()) {
            (Some(answers), _) | (None, Some(Answer::Many(answers))) => Some(answers),
            (None, Some(Answer::One(answer))) => Some(vec![answer]),
            (None, None) => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    One(String),
    Many(Vec<String>),
}

/// Reads a file: JSON Lines with `question` and `answers` or `answer`; else lines of
/// `question TAB answer|answer`, or `question TAB answer(answer/answer/) TAB …`.
///
/// # Errors
/// [`ExamplesError`], at the first line that is neither.
pub fn read(path: &Path) -> Result<Vec<Example>, ExamplesError> {
    let text = std::fs::read_to_string(path).map_err(|error| ExamplesError::Read {
        path: path.to_owned(),
        error,
    })?;
    let mut examples = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let example = if line.trim_start().starts_with('{') {
            from_json(line)
        } else {
            from_columns(line)
        };
        examples.push(example.map_err(|reason| ExamplesError::Line {
            path: path.to_owned(),
            line: number + 1,
            reason,
        })?);
    }
    Ok(examples)
}

fn from_json(line: &str) -> Result<Example, String> {
    let mut written: Written = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let answers = written.take_answers();
    let answers = answers.ok_or("`answers` or `answer` is missing")?;
    Ok(Example {
        question: written.question,
        answers: answer_set(answers.iter().map(String::as_str)),
    })
}

fn from_columns(line: &str) -> Result<Example, String> {
    let mut columns = line.split('\t');
    let (Some(question), Some(answers)) = (columns.next(), columns.next()) else {
        return Err("a question and its answers, separated by TAB, are wanted".to_owned());
    };
    let listed = listed(answers);
    Ok(Example {
        question: question.to_owned(),
        answers: match (listed, columns.next()) {
            (Some(listed), Some(_)) => answer_set(listed.split('/')),
            _ => answer_set(answers.split('|')),
        },
    })
}

/// The list in `first(first/second/)`, where names may themselves have parentheses.
pub(crate) fn listed(answer: &str) -> Option<&str> {
    let list = answer.strip_suffix("/)")?;
    let mut starts = list.match_indices('(');
    let whole = starts.find_map(|(k, _)| {
        let (first, rest) = (list.get(..k)?, list.get(k + 1..)?);
        (rest == first || rest.starts_with(&format!("{first}/"))).then_some(rest)
    });
    whole.or_else(|| list.split_once('(').map(|(_, rest)| rest))
}

/// Names as an answer: white space folded as lattices fold it, sorted, each once.
pub fn answer_set<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut set: Vec<String> = names
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|name| !name.is_empty())
        .collect();
    set.sort();
    set.dedup();
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let json = from_json(r#"{"question":"q","answer":" a  b "}"#).unwrap();
        assert_eq!(json.answers, ["a b"]);
        let json = from_json(r#"{"question":"q","answers":["b","a","b"]}"#).unwrap();
        assert_eq!(json.answers, ["a", "b"]);
        assert_eq!(from_columns("q\tb|a").unwrap().answers, ["a", "b"]);
        assert_eq!(from_columns("q\ta(a/b/)\tx#y").unwrap().answers, ["a", "b"]);
        assert_eq!(from_columns("q\tM (film/)").unwrap().answers, ["M (film/)"]);
        let named = from_columns("q\tx_(y)(x_(y)/a/)\tx#y").unwrap();
        assert_eq!(named.answers, ["a", "x_(y)"]);
        for wrong in ["q", ""] {
            assert!(from_columns(wrong).is_err());
        }
        assert!(from_json(r#"{"question":"q"}"#).is_err());
    }
}
