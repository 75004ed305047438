//! Cross-validation: each question is answered with a vocabulary that was learned on
//! questions of other templates.

use super::question::Question;
use super::{Embedded, EvalError};
use crate::ask::{Example, Planner, SEED, Vocabulary, learn};
use crate::lattice::Lattice;
use std::collections::{BTreeMap, BTreeSet};

/// A planner for each fold, and the fold of each question.
pub(super) struct Folds {
    planners: Vec<Planner>,
    of: Vec<usize>,
}

impl Folds {
    /// Deals the questions to folds and learns for each on the others, beside what is
    /// known before.
    pub fn new(
        count: usize,
        questions: &[Question],
        known: &Embedded,
        lattice: &Lattice,
    ) -> Result<Folds, EvalError> {
        let of = dealt(count, questions);
        let mut planners = Vec::with_capacity(count);
        for fold in 0..count {
            let others = questions.iter().zip(&of).filter(|(_, of)| **of != fold);
            let examples: Vec<Example> = others
                .map(|(question, _)| Example {
                    question: question.text.clone(),
                    answers: question.gold.clone(),
                })
                .collect();
            let learned = learn(lattice, &examples, &known.vocabulary);
            let learned = learned.and_then(|learned| Vocabulary::read(&learned.text));
            let learned = learned.map_err(|_| EvalError::Learned { fold: fold + 1 })?;
            let vocabulary = known.vocabulary.clone().and(learned);
            planners.push(Planner::new(lattice, &vocabulary));
        }
        Ok(Folds { planners, of })
    }

    /// The planner of the question with a number.
    pub fn planner(&self, question: usize) -> Option<&Planner> {
        self.planners.get(*self.of.get(question)?)
    }
}

/// The fold of each question. Questions of one template are in one fold: they ask the
/// same about other things. Templates are dealt in the order of their hashes.
fn dealt(count: usize, questions: &[Question]) -> Vec<usize> {
    let template = |question: &Question| {
        let text = question.template.as_ref().unwrap_or(&question.text);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&SEED.to_le_bytes());
        hasher.update(text.as_bytes());
        *hasher.finalize().as_bytes()
    };
    let templates: BTreeSet<[u8; 32]> = questions.iter().map(template).collect();
    let folds = templates.into_iter().zip((0..count.max(1)).cycle());
    let folds: BTreeMap<[u8; 32], usize> = folds.collect();
    let fold = |question| folds.get(&template(question)).copied().unwrap_or(0);
    questions.iter().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_in_one_fold() {
        let question = |k: usize| Question {
            text: format!("question {k}"),
            template: (!k.is_multiple_of(3)).then(|| format!("template {}", k % 7)),
            ..Question::default()
        };
        let questions: Vec<Question> = (0..60).map(question).collect();
        let folds = dealt(4, &questions);
        assert_eq!(folds.iter().collect::<BTreeSet<_>>().len(), 4);
        for (a, x) in questions.iter().zip(&folds) {
            for (b, y) in questions.iter().zip(&folds) {
                assert!(a.template.is_none() || a.template != b.template || x == y);
            }
        }
    }
}
