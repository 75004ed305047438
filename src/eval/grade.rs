//! One question: answered, compared, and asked again without what its answer rests on.

use super::answer::{Answered, Answerer, Asked, Found};
use super::miss::Miss;
use super::question::Question;
use super::report::{Difference, Leak};
use super::score::{Score, score};
use super::support::{Unsupported, without_support};
use super::{EvalError, Task};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How one question went. It is what an interrupted run keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Graded {
    pub score: Score,
    /// Why the answer is not the gold set, if it is not; of questions that have one.
    pub miss: Option<Miss>,
    pub difference: Option<Difference>,
    /// Without the support of the answer, where that was asked for.
    pub support: Option<Support>,
    /// The benchmark's own plan, where that was asked for and there is one.
    pub ceiling: Option<Score>,
    /// The keyword search, where that was asked for.
    pub keywords: Option<Score>,
}

/// What came of a question without the support of its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Support {
    NotRemovable,
    Abstained,
    Answered(Leak),
}

/// Who answers a question, and what is run beside.
#[derive(Clone, Copy)]
pub(super) struct Contestants<'a> {
    pub answerer: Answerer<'a>,
    pub keywords: Option<Answerer<'a>>,
}

pub(super) fn grade(
    task: &Task,
    asked: Asked<'_>,
    contestants: Contestants<'_>,
    question: &Question,
) -> Result<Graded, EvalError> {
    let Answered { plans, found } = asked.answer(contestants.answerer, question)?;
    let score = scored(&found, question);
    let is_right = match question.gold.is_empty() {
        true => found.is_err(),
        false => score.set_equal,
    };
    let has_gold = !question.gold.is_empty();
    let support = match task.remove_support && has_gold {
        true => Some(support(asked, question, &plans)?),
        false => None,
    };
    let beside = |answerer: Answerer<'_>| -> Result<Score, EvalError> {
        Ok(scored(&asked.answer(answerer, question)?.found, question))
    };
    let ceiling = task.baselines && !question.path.is_empty();
    Ok(Graded {
        miss: (!is_right && has_gold)
            .then(|| Miss::of(&found, &score, &question.gold, asked.lattice)),
        difference: (!is_right).then(|| difference(question, &plans, &found)),
        support,
        ceiling: ceiling.then(|| beside(Answerer::Oracle)).transpose()?,
        keywords: contestants.keywords.map(beside).transpose()?,
        score,
    })
}

fn scored(found: &Found, question: &Question) -> Score {
    score(found.as_deref().ok(), &question.gold)
}

fn support(asked: Asked<'_>, question: &Question, plans: &[String]) -> Result<Support, EvalError> {
    Ok(match without_support(asked, question, plans)? {
        Unsupported::NotRemovable => Support::NotRemovable,
        Unsupported::Asked(Err(_)) => Support::Abstained,
        Unsupported::Asked(Ok(names)) => Support::Answered(Leak {
            hops: question.hops,
            question: question.text.clone(),
            plan: plans.join("; "),
            leaked: names,
        }),
    })
}

fn difference(question: &Question, plans: &[String], found: &Found) -> Difference {
    let names = found.as_deref().unwrap_or_default();
    Difference {
        hops: question.hops,
        question: question.text.clone(),
        plan: plans.join("; "),
        refused: found.as_ref().err().map(|code| (*code).to_owned()),
        extra: without(names, &question.gold),
        lacking: without(&question.gold, names),
    }
}

fn without(names: &[String], others: &[String]) -> Vec<String> {
    let others: BTreeSet<&String> = others.iter().collect();
    let rest = names.iter().filter(|name| !others.contains(name));
    rest.cloned().collect()
}
