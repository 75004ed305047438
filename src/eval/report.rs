//! What a run found, as figures.

use super::Benchmark;
use super::configuration::Configuration;
use super::grade::{Graded, Support};
use super::miss::Miss;
use super::question::Question;
use super::score::Score;
use crate::ask::stratum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures over a number of questions. All but `n` are rates between 0 and 1;
/// `precision`, `recall` and the F1s are means over all questions, in which an
/// abstention counts 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many questions there are.
    pub n: u64,
    /// How many were answered rather than refused.
    pub resolved: f64,
    /// How many were refused.
    pub abstained: f64,
    /// How many answers have a name that is gold.
    pub any_hit: f64,
    /// The share of an answer that is gold.
    pub precision: f64,
    /// The share of the gold that is in the answer.
    pub recall: f64,
    /// How many answers have all of the gold.
    pub complete_recall: f64,
    /// The harmonic mean of precision and recall of each question.
    pub f1: f64,
    /// How many answers are exactly the gold set.
    pub set_equal: f64,
    /// How many were answered, and not with the gold set.
    pub wrong: f64,
    /// How many answers are the gold set under the normalisation of text.
    pub em: f64,
    /// F1 of the normalised words.
    pub token_f1: f64,
    /// The greater of the two, of each question.
    pub f1_star: f64,
    /// How many answers are exactly the gold set, as a count.
    #[serde(skip)]
    pub equal: u64,
}

impl Figures {
    pub(super) fn of<'a>(scores: impl Iterator<Item = &'a Score>) -> Figures {
        let mut sum = Figures::default();
        let one = |holds: bool| f64::from(u8::from(holds));
        for score in scores {
            sum.n += 1;
            sum.resolved += one(score.resolved);
            sum.abstained += one(!score.resolved);
            sum.any_hit += one(score.any_hit());
            sum.precision += score.names.precision();
            sum.recall += score.names.recall();
            sum.complete_recall += one(score.complete());
            sum.f1 += score.names.f1();
            sum.wrong += one(score.resolved && !score.set_equal);
            sum.em += one(score.em);
            sum.token_f1 += score.words.f1();
            sum.f1_star += score.f1_star();
            sum.equal += u64::from(score.set_equal);
        }
        sum.set_equal = sum.equal as f64;
        if sum.n > 0 {
            let n = sum.n as f64;
            sum.rates_mut().into_iter().for_each(|rate| *rate /= n);
        }
        sum
    }

    fn rates_mut(&mut self) -> [&mut f64; 12] {
        [
            &mut self.resolved,
            &mut self.abstained,
            &mut self.any_hit,
            &mut self.precision,
            &mut self.recall,
            &mut self.complete_recall,
            &mut self.f1,
            &mut self.set_equal,
            &mut self.wrong,
            &mut self.em,
            &mut self.token_f1,
            &mut self.f1_star,
        ]
    }
}

/// A question whose answer is not the gold set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// How many hops the question takes; 0 where the benchmark does not say.
    pub hops: u8,
    /// The question.
    pub question: String,
    /// The plan, as LQ.
    pub plan: String,
    /// The code of the abstention, if it was one.
    pub refused: Option<String>,
    /// Names in the answer that are not gold.
    pub extra: Vec<String>,
    /// Gold names that the answer lacks.
    pub lacking: Vec<String>,
}

/// A question that was answered although what its answer rests on was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// How many hops the question takes; 0 where the benchmark does not say.
    pub hops: u8,
    /// The question.
    pub question: String,
    /// The plan, as LQ.
    pub plan: String,
    /// What was answered.
    pub leaked: Vec<String>,
}

/// How a run does on questions that are not to be answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Refusals {
    /// How many such questions there are.
    pub n: u64,
    /// The share that was refused: the accuracy of abstaining.
    pub abstention_accuracy: f64,
    /// The share that was answered.
    pub leak: f64,
}

impl Refusals {
    fn of(n: u64, answered: u64) -> Refusals {
        let share = |count: u64| match n {
            0 => 0.0,
            n => count as f64 / n as f64,
        };
        Refusals {
            n,
            abstention_accuracy: share(n - answered),
            leak: share(answered),
        }
    }
}

/// How a run does where the last hop of each answer is hidden, beside the same
/// questions intact.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SupportRemoved {
    /// The questions with the last hop hidden.
    pub removed: Refusals,
    /// How many questions have nothing that could be hidden; they are not asked.
    pub not_removable: u64,
    /// The same questions as in `removed`, intact.
    pub intact: Figures,
    /// By number of hops.
    pub hops: BTreeMap<u8, Refusals>,
}

/// Both parts of a split, and how far the second is from the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// The part that a vocabulary is learned on.
    pub training: Figures,
    /// The part that is held back.
    pub held: Figures,
    /// The figures of the held part less those of the other.
    pub drift: BTreeMap<&'static str, f64>,
}

impl Parts {
    pub(super) fn new(training: Figures, held: Figures) -> Parts {
        let drift = [
            ("resolved", held.resolved - training.resolved),
            ("any_hit", held.any_hit - training.any_hit),
            ("precision", held.precision - training.precision),
            ("recall", held.recall - training.recall),
            ("f1", held.f1 - training.f1),
            ("set_equal", held.set_equal - training.set_equal),
            ("em", held.em - training.em),
        ];
        Parts {
            training,
            held,
            drift: drift.into_iter().collect(),
        }
    }
}

/// What a run found. As JSON it is the same byte for byte whenever lattice, questions
/// and configuration are the same; printed, it is a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The split; `all` where the benchmark has none.
    pub split: String,
    /// The part of the split: `all`, `training` or `held`.
    pub part: &'static str,
    /// The content hash of the lattice.
    pub lattice: String,
    /// Where the plans come from.
    pub plans: &'static str,
    /// What the run depends on but for its questions.
    pub configuration: Configuration,
    /// The figures over all questions that have an answer.
    pub all: Figures,
    /// The figures by number of hops.
    pub hops: BTreeMap<u8, Figures>,
    /// The figures by the number of gold names: `1`, `2`, `3-5`, `6-10`, `11+`.
    pub sizes: BTreeMap<&'static str, Figures>,
    /// The share of the questions with an answer that was refused.
    pub abstained: f64,
    /// The share of the questions without one (whose support is hidden, or that have no
    /// answer) that was answered; none if there are none.
    pub leak: Option<f64>,
    /// How many misses are of each class.
    pub misses: BTreeMap<Miss, u64>,
    /// Questions that have no answer in the benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswerable: Option<Refusals>,
    /// Questions with the support of their answers hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_removed: Option<SupportRemoved>,
    /// The benchmark's own plans on the same questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Figures>,
    /// A keyword search on the same questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keywords: Option<Figures>,
    /// Both parts of the split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// The questions whose answers are not the gold sets, in order.
    #[serde(skip)]
    pub differences: Vec<Difference>,
    /// The questions that were answered without support, in order.
    #[serde(skip)]
    pub leaks: Vec<Leak>,
}

impl Report {
    /// The report as JSON, with a line break at its end.
    pub fn to_json(&self) -> String {
        // Nothing in a report can fail to be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// What is counted from graded questions.
pub(super) struct Counted {
    pub all: Figures,
    pub hops: BTreeMap<u8, Figures>,
    pub sizes: BTreeMap<&'static str, Figures>,
    pub leak: Option<f64>,
    pub misses: BTreeMap<Miss, u64>,
    pub unanswerable: Option<Refusals>,
    pub support_removed: Option<SupportRemoved>,
    pub ceiling: Option<Figures>,
    pub keywords: Option<Figures>,
    pub leaks: Vec<Leak>,
}

/// Counts graded questions.
pub(super) fn counted(questions: &[Question], graded: &[Graded]) -> Counted {
    let pairs = || questions.iter().zip(graded);
    let answerable = || pairs().filter(|(question, _)| !question.gold.is_empty());
    let hops = answerable().filter(|(question, _)| question.hops > 0);
    let mut misses: BTreeMap<Miss, u64> = Miss::ALL.iter().map(|miss| (*miss, 0)).collect();
    for miss in graded.iter().filter_map(|graded| graded.miss) {
        *misses.entry(miss).or_default() += 1;
    }
    let none = pairs().filter(|(question, _)| question.gold.is_empty());
    let resolved: Vec<bool> = none.map(|(_, graded)| graded.score.resolved).collect();
    let answered = resolved.iter().filter(|resolved| **resolved).count() as u64;
    let unanswerable = Refusals::of(resolved.len() as u64, answered);
    let leaks: Vec<Leak> = graded
        .iter()
        .filter_map(|graded| match &graded.support {
            Some(Support::Answered(leak)) => Some(leak.clone()),
            _ => None,
        })
        .collect();
    let support_removed = support_removed(questions, graded);
    let hidden = support_removed.as_ref().map_or(0, |s| s.removed.n);
    let unanswered = unanswerable.n + hidden;
    let some = |scores: Vec<&Score>| (!scores.is_empty()).then(|| Figures::of(scores.into_iter()));
    Counted {
        all: Figures::of(answerable().map(|(_, graded)| &graded.score)),
        hops: grouped(hops.map(|(question, graded)| (question.hops, &graded.score))),
        sizes: grouped(answerable().map(|(q, graded)| (bucket(q.gold.len()), &graded.score))),
        leak: (unanswered > 0).then(|| (leaks.len() as u64 + answered) as f64 / unanswered as f64),
        misses,
        unanswerable: (unanswerable.n > 0).then_some(unanswerable),
        support_removed,
        ceiling: some(
            answerable()
                .filter_map(|(_, g)| g.ceiling.as_ref())
                .collect(),
        ),
        keywords: some(
            answerable()
                .filter_map(|(_, g)| g.keywords.as_ref())
                .collect(),
        ),
        leaks,
    }
}

fn support_removed(questions: &[Question], graded: &[Graded]) -> Option<SupportRemoved> {
    let pairs = questions.iter().zip(graded);
    let asked: Vec<(&Question, &Graded, &Support)> = pairs
        .filter_map(|(question, graded)| Some((question, graded, graded.support.as_ref()?)))
        .collect();
    if asked.is_empty() {
        return None;
    }
    let is_hidden = |support: &Support| !matches!(support, Support::NotRemovable);
    let hidden = || asked.iter().filter(|(.., support)| is_hidden(support));
    let mut hops: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    let mut all = (0, 0);
    for (question, _, support) in hidden() {
        let answered = u64::from(matches!(support, Support::Answered(_)));
        let of_hops = hops.entry(question.hops).or_default();
        *of_hops = (of_hops.0 + 1, of_hops.1 + answered);
        all = (all.0 + 1, all.1 + answered);
    }
    Some(SupportRemoved {
        removed: Refusals::of(all.0, all.1),
        not_removable: asked.len() as u64 - all.0,
        intact: Figures::of(hidden().map(|(_, graded, _)| &graded.score)),
        hops: hops
            .into_iter()
            .filter(|(hops, _)| *hops > 0)
            .map(|(hops, (n, answered))| (hops, Refusals::of(n, answered)))
            .collect(),
    })
}

fn grouped<'a, K: Ord>(scores: impl Iterator<Item = (K, &'a Score)>) -> BTreeMap<K, Figures> {
    let mut groups: BTreeMap<K, Vec<&Score>> = BTreeMap::new();
    for (key, score) in scores {
        groups.entry(key).or_default().push(score);
    }
    let figures = |(key, scores): (K, Vec<&'a Score>)| (key, Figures::of(scores.into_iter()));
    groups.into_iter().map(figures).collect()
}

/// The bucket of a number of gold names, which is its stratum in words.
fn bucket(answers: usize) -> &'static str {
    match stratum(answers) {
        0 | 1 => "1",
        2 => "2",
        3 => "3-5",
        6 => "6-10",
        _ => "11+",
    }
}
