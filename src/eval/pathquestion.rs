//! PathQuestion: questions about people, with the path to their answers.
//!
//! `PQ-2H.txt`, `PQ-3H.txt`: `question TAB answer(a/b/) TAB
//! topic#relation#thing#relation#answer#<end>#answer`. The gold sets are what all
//! walks along the relations reach, the topic included where one returns to it.

use super::files::{At, read};
use super::question::{Hop, Question, answer_set};
use super::{EvalError, Task};
use crate::ask::listed;
use crate::lattice::Lattice;

/// The questions of one number of hops, else of those files whose topics the
/// lattice knows, else of all.
pub(super) fn questions(task: &Task, lattice: &Lattice) -> Result<Vec<Question>, EvalError> {
    match task.hops {
        Some(hops @ (2 | 3)) => level(task, hops),
        Some(hops) => Err(EvalError::NoSuchHops {
            benchmark: task.benchmark,
            hops,
            known: "2 and 3",
        }),
        None => {
            let levels = [level(task, 2)?, level(task, 3)?];
            let knows = |questions: &Vec<Question>| {
                let mut topics = questions.iter().map(|question| &question.topic);
                topics.all(|topic| !lattice.called(topic).instances.is_empty())
            };
            let known: Vec<bool> = levels.iter().map(knows).collect();
            let all = !known.contains(&true);
            let kept = levels.into_iter().zip(known);
            Ok(kept
                .filter(|(_, known)| all || *known)
                .flat_map(|(questions, _)| questions)
                .collect())
        }
    }
}

fn level(task: &Task, hops: u8) -> Result<Vec<Question>, EvalError> {
    let path = task.data.join(format!("PQ-{hops}H.txt"));
    let hint = "PathQuestion's folder has PQ-2H.txt and PQ-3H.txt; check --data";
    let text = read(&path, hint)?;
    let mut questions = Vec::new();
    for (k, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let at = At {
            path: &path,
            line: k + 1,
        };
        questions.push(question(line, hops, at)?);
    }
    Ok(questions)
}

fn question(line: &str, hops: u8, at: At<'_>) -> Result<Question, EvalError> {
    let mut fields = line.split('\t');
    let (Some(text), Some(answer), Some(path), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(at.bad("a question, its answer and its path, separated by TAB, are wanted"));
    };
    let gold = listed(answer);
    let gold = answer_set(gold.unwrap_or_default().split('/'));
    if gold.is_empty() {
        return Err(at.bad("the answer is wanted as `first(first/second/)`"));
    }
    let mut steps = path.split('#');
    let topic = steps.next().unwrap_or_default();
    let mut walked = Vec::new();
    while let Some(relation) = steps.next().filter(|word| *word != "<end>") {
        if steps.next().is_none() {
            return Err(at.bad(format!("the path ends after relation `{relation}`")));
        }
        walked.push(Hop {
            relation: relation.to_owned(),
            backward: false,
        });
    }
    if topic.is_empty() || walked.is_empty() {
        return Err(at.bad("the path is wanted as `topic#relation#thing#…#<end>#answer`"));
    }
    Ok(Question {
        hops,
        text: text.to_owned(),
        topic: topic.to_owned(),
        path: walked,
        drop_topic: false,
        gold,
        template: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_line_is_read() {
        let at = At {
            path: Path::new("PQ-2H.txt"),
            line: 1,
        };
        let asked = |line| question(line, 2, at);
        let found = asked("who ?\tx_(y)(x_(y)/a/)\tt#r#m#s#a#<end>#a").unwrap();
        assert_eq!(found.gold, ["a", "x_(y)"]);
        assert_eq!(found.topic, "t");
        let relations: Vec<_> = found.path.iter().map(|h| h.relation.as_str()).collect();
        assert_eq!(relations, ["r", "s"]);
        assert!(!found.drop_topic);
        for wrong in [
            "who ?\ta(a/)",
            "who ?\ta\tt#r#a",
            "who ?\ta(a/)\tt#r",
            "?\ta(a/)\tt",
        ] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }
}
