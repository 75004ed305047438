//! MetaQA: questions about films, and the types of their hops.
//!
//! `{1,2,3}-hop/qa_SPLIT.txt`: `question TAB answer|answer|…`, the topic of the
//! question in `[ ]`. `qa_SPLIT_qtype.txt`, line by line: `actor_to_movie_to_year`.

use super::files::{At, read};
use super::question::{Hop, Question, answer_set};
use super::{EvalError, Task};

/// The word of a hop type, and the relation from a film to what it names.
const RELATIONS: [(&str, &str); 11] = [
    ("actor", "starred_actors"),
    ("director", "directed_by"),
    ("genre", "has_genre"),
    ("imdbrating", "has_imdb_rating"),
    ("imdbvotes", "has_imdb_votes"),
    ("language", "in_language"),
    ("tag", "has_tags"),
    ("tags", "has_tags"),
    ("votes", "has_imdb_votes"),
    ("writer", "written_by"),
    ("year", "release_year"),
];

/// The questions of a split, of one number of hops or of all.
pub(super) fn questions(task: &Task) -> Result<Vec<Question>, EvalError> {
    let levels: &[u8] = match task.hops {
        None => &[1, 2, 3],
        Some(1) => &[1],
        Some(2) => &[2],
        Some(3) => &[3],
        Some(hops) => {
            return Err(EvalError::NoSuchHops {
                benchmark: task.benchmark,
                hops,
                known: "1, 2 and 3",
            });
        }
    };
    let mut questions = Vec::new();
    for &hops in levels {
        level(task, hops, &mut questions)?;
    }
    Ok(questions)
}

fn level(task: &Task, hops: u8, questions: &mut Vec<Question>) -> Result<(), EvalError> {
    let folder = task.data.join(format!("{hops}-hop"));
    let path = folder.join(format!("qa_{}.txt", task.split));
    let other = folder.join(format!("qa_{}_qtype.txt", task.split));
    let hint = "MetaQA's folder has 1-hop, 2-hop and 3-hop, each with qa_SPLIT.txt and \
                qa_SPLIT_qtype.txt; check --data and --split";
    let (lines, types) = (read(&path, hint)?, read(&other, hint)?);
    let (left, right) = (lines.lines().count(), types.lines().count());
    if left != right {
        return Err(EvalError::Uneven {
            path,
            other,
            left,
            right,
        });
    }
    for (k, (line, kind)) in lines.lines().zip(types.lines()).enumerate() {
        if line.trim().is_empty() && kind.trim().is_empty() {
            continue;
        }
        let (path, line_number) = (path.as_path(), k + 1);
        let at = At {
            path,
            line: line_number,
        };
        let path = hops_of(kind.trim()).map_err(|reason| {
            At {
                path: &other,
                line: line_number,
            }
            .bad(reason)
        })?;
        questions.push(question(line, path, hops, at)?);
    }
    Ok(())
}

fn question(line: &str, path: Vec<Hop>, hops: u8, at: At<'_>) -> Result<Question, EvalError> {
    let (text, answers) = line
        .split_once('\t')
        .ok_or_else(|| at.bad("a question and its answers, separated by TAB, are wanted"))?;
    // A name may itself have brackets.
    let topic = text
        .split_once('[')
        .and_then(|(_, rest)| rest.rsplit_once(']'))
        .map(|(topic, _)| topic)
        .ok_or_else(|| at.bad("the question's topic is wanted in [ ]"))?;
    let gold = answer_set(answers.split('|'));
    if gold.is_empty() {
        return Err(at.bad("the question has no answer"));
    }
    Ok(Question {
        hops,
        text: text.to_owned(),
        topic: topic.to_owned(),
        path,
        drop_topic: hops > 1,
        gold,
        template: None,
    })
}

/// The path that a type such as `actor_to_movie_to_year` names.
fn hops_of(kind: &str) -> Result<Vec<Hop>, String> {
    let words: Vec<&str> = kind.split("_to_").collect();
    let steps = words.iter().zip(words.iter().skip(1));
    let path = steps.map(|step| match step {
        (&"movie", to) => hop(to, false),
        (from, &"movie") => hop(from, true),
        (from, to) => Err(format!(
            "no relation leads from {from} to {to}: one of the two is to be movie"
        )),
    });
    let path: Vec<Hop> = path.collect::<Result<_, _>>()?;
    if path.is_empty() {
        return Err(format!(
            "`{kind}` is no type; types look like actor_to_movie_to_year"
        ));
    }
    Ok(path)
}

fn hop(word: &str, backward: bool) -> Result<Hop, String> {
    let found = RELATIONS.iter().find(|(known, _)| *known == word);
    let (_, relation) = found.ok_or_else(|| {
        let known: Vec<&str> = RELATIONS.iter().map(|(known, _)| *known).collect();
        format!(
            "`{word}` is no word of a type; known are movie, {}",
            known.join(", ")
        )
    })?;
    Ok(Hop {
        relation: (*relation).to_owned(),
        backward,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn types_are_paths() {
        let path = hops_of("actor_to_movie_to_director").unwrap();
        let shown: Vec<_> = path
            .iter()
            .map(|h| (h.relation.as_str(), h.backward))
            .collect();
        assert_eq!(shown, [("starred_actors", true), ("directed_by", false)]);
        assert_eq!(
            hops_of("movie_to_tags").unwrap(),
            hops_of("movie_to_tag").unwrap()
        );
        for wrong in [
            "",
            "movie",
            "actor_to_director",
            "movie_to_",
            "film_to_year",
        ] {
            assert!(hops_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_topic_may_have_brackets() {
        let at = At {
            path: Path::new("qa.txt"),
            line: 7,
        };
        let asked = |line| question(line, Vec::new(), 2, at);
        let found = asked("who wrote [[REC]]\tB|A|B").unwrap();
        assert_eq!(found.topic, "[REC]");
        assert_eq!(found.gold, ["A", "B"]);
        assert!(found.drop_topic);
        for wrong in ["who wrote [X]", "who wrote X\tA", "who wrote [X]\t"] {
            let error = asked(wrong).unwrap_err().to_string();
            assert!(error.starts_with("qa.txt:7: "), "{error}");
        }
    }
}
