//! Questions with answers and nothing else, and GeoQuery, whose SQL gives templates.
//!
//! JSON Lines: `question` with `answers` (a list) or `answer`, and optionally `sql`. A
//! question with an empty list of answers has none; an abstention is right then.
//! GeoQuery: `questions_SPLIT.jsonl`; the split `all` is `train` and `dev`.

use super::files::{At, read};
use super::normal::folded;
use super::question::{Question, answer_set};
use super::{EvalError, Task};
use crate::ask::Written;
use std::path::{Path, PathBuf};

/// The questions of the files that the task names.
pub(super) fn questions(task: &Task) -> Result<Vec<Question>, EvalError> {
    let mut questions = Vec::new();
    for path in &task.questions {
        file(path, "check --questions", &mut questions)?;
    }
    Ok(questions)
}

/// The questions of a split of GeoQuery.
pub(super) fn geoquery(task: &Task) -> Result<Vec<Question>, EvalError> {
    let hint = "GeoQuery's folder has questions_train.jsonl and questions_dev.jsonl; \
                check --data and --split (train, dev or all)";
    let splits: &[&str] = match task.split.as_str() {
        "all" => &["train", "dev"],
        split => &[split],
    };
    let mut questions = Vec::new();
    for split in splits {
        let path: PathBuf = task.data.join(format!("questions_{split}.jsonl"));
        file(&path, hint, &mut questions)?;
    }
    Ok(questions)
}

fn file(path: &Path, hint: &str, questions: &mut Vec<Question>) -> Result<(), EvalError> {
    let text = read(path, hint)?;
    for (k, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        questions.push(question(line, At { path, line: k + 1 })?);
    }
    Ok(())
}

fn question(line: &str, at: At<'_>) -> Result<Question, EvalError> {
    let mut written: Written =
        serde_json::from_str(line).map_err(|error| at.bad(error.to_string()))?;
    let answers = written.take_answers();
    let answers = answers.ok_or_else(|| at.bad("`answers` or `answer` is wanted"))?;
    let folded: Vec<String> = answers.iter().map(|answer| folded(answer)).collect();
    Ok(Question {
        text: written.question,
        gold: answer_set(folded.iter().map(String::as_str)),
        template: written.sql.as_deref().map(template),
        ..Question::default()
    })
}

/// SQL with its literals taken out.
fn template(sql: &str) -> String {
    let mut template = String::with_capacity(sql.len());
    let mut chars = sql.chars().peekable();
    let mut within_word = false;
    while let Some(c) = chars.next() {
        if c == '"' || c == '\'' {
            chars.by_ref().find(|other| *other == c);
            template.push('?');
        } else if c.is_ascii_digit() && !within_word {
            while chars.next_if(|c| c.is_ascii_digit() || *c == '.').is_some() {}
            template.push('?');
        } else {
            template.push(c);
        }
        within_word = c.is_alphanumeric() || c == '_';
    }
    template.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_no_literals() {
        assert_eq!(
            template(
                "SELECT a.CITY FROM CITY AS  CITYalias0 WHERE x > 150000.5 AND n = \"new york\""
            ),
            "SELECT a.CITY FROM CITY AS CITYalias0 WHERE x > ? AND n = ?"
        );
        assert_eq!(template("x = 'it"), "x = ?");
    }

    #[test]
    fn answers_may_be_none() {
        let at = At {
            path: Path::new("q.jsonl"),
            line: 3,
        };
        let asked = |line| question(line, at);
        let found = asked(r#"{"question":"q","answers":["B","1,000.0","b"]}"#).unwrap();
        assert_eq!(found.gold, ["1000", "b"]);
        assert!(
            asked(r#"{"question":"q","answers":[]}"#)
                .unwrap()
                .gold
                .is_empty()
        );
        assert_eq!(
            asked(r#"{"question":"q","answer":"x"}"#).unwrap().gold,
            ["x"]
        );
        for wrong in ["{", r#"{"question":"q"}"#, r#"{"answers":["a"]}"#] {
            let error = asked(wrong).unwrap_err().to_string();
            assert!(error.starts_with("q.jsonl:3: "), "{error}");
        }
    }
}
