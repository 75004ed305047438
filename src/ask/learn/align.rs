//! Wordings with the paths that lead from the thing they name to their answers.

use super::path::{Path, Reached, Step, steps};
use crate::ask::examples::Example;
use crate::ask::planner::Planner;
use crate::lattice::Lattice;
use std::collections::{BTreeMap, BTreeSet};

/// Questions that are worded alike, but for the thing that they name.
#[derive(Clone, Debug)]
pub(super) struct Wording {
    /// The words; `None` is the thing.
    pub words: Vec<Option<String>>,
    /// So many questions are worded so.
    pub count: usize,
    /// Some of them.
    pub samples: Vec<Sample>,
}

/// A question, as far as it is looked at.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub question: String,
    pub topic: Vec<u32>,
    /// The words of the question that name it.
    pub words: std::ops::Range<usize>,
    pub answers: Vec<String>,
}

/// A wording with what it may mean.
#[derive(Clone, Debug)]
pub(super) struct Aligned {
    pub wording: Wording,
    /// The paths that explain the answers about equally well, the shorter first, each
    /// with the mean F1 of its sets with the answers over the samples.
    pub candidates: Vec<(Path, f64)>,
}

/// So many questions of a wording are looked at.
const SAMPLES: usize = 240;
/// So many of them are searched for paths; the others only tell which is best.
const SEARCHED: usize = 3;
/// Paths have at most so many steps.
const LONGEST: usize = 3;
/// The mean F1 of a path must be so high.
const GOOD: f64 = 0.6;
/// A path that is worse than the best by no more than this may be what is meant.
const CLOSE: f64 = 0.02;
/// So many paths of a wording are kept.
const KEPT: usize = 48;

/// The wordings of examples, in the order in which they first stand there.
pub(super) fn wordings(examples: &[Example], planner: &Planner) -> Vec<Wording> {
    let mut order: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    let mut all: Vec<Wording> = Vec::new();
    for example in examples {
        for topic in planner.topics(&example.question) {
            let at = *order.entry(topic.words.clone()).or_insert_with(|| {
                all.push(Wording {
                    words: topic.words.clone(),
                    count: 0,
                    samples: Vec::new(),
                });
                all.len() - 1
            });
            let Some(wording) = all.get_mut(at) else {
                continue;
            };
            wording.count += 1;
            if wording.samples.len() < SAMPLES {
                wording.samples.push(Sample {
                    question: example.question.clone(),
                    topic: topic.instances.iter().map(|i| i.0).collect(),
                    words: topic.span.clone(),
                    answers: example.answers.clone(),
                });
            }
        }
    }
    all
}

/// The paths that explain the answers of a wording, if any do.
pub(super) fn align(wording: Wording, lattice: &Lattice) -> Option<Aligned> {
    let mut found: BTreeSet<Path> = BTreeSet::new();
    for sample in wording.samples.iter().take(SEARCHED) {
        search(sample, lattice, &mut found);
    }
    let fit = |path: &Path| {
        let fits = wording.samples.iter().map(|sample| {
            let reached = path.reach(lattice, &sample.topic);
            f1(&reached.names(lattice), &sample.answers)
        });
        fits.sum::<f64>() / wording.samples.len().max(1) as f64
    };
    let mut candidates: Vec<(Path, f64)> = found
        .into_iter()
        .map(|path| {
            let fit = fit(&path);
            (path, fit)
        })
        .collect();
    let best = candidates.iter().map(|(_, fit)| *fit).fold(0.0, f64::max);
    if best < GOOD {
        return None;
    }
    candidates.retain(|(_, fit)| *fit >= best - CLOSE);
    candidates.sort_by(|(a, left), (b, right)| {
        let length = |path: &Path| (path.steps.len(), path.drop);
        length(a)
            .cmp(&length(b))
            .then(right.total_cmp(left))
            .then(a.cmp(b))
    });
    candidates.truncate(KEPT);
    Some(Aligned {
        wording,
        candidates,
    })
}

/// Every path to a set that has much in common with the answers.
fn search(sample: &Sample, lattice: &Lattice, found: &mut BTreeSet<Path>) {
    for drop in [false, true] {
        let mut here: Vec<(Vec<Step>, Vec<u32>)> = vec![(Vec::new(), sample.topic.clone())];
        for length in 1..=LONGEST {
            let mut next = Vec::new();
            for (before, from) in &here {
                for (step, reached) in steps(lattice, from) {
                    let mut path = before.clone();
                    path.push(step);
                    let reached = match reached {
                        Reached::Instances(mut all) => {
                            if drop {
                                all.retain(|i| !sample.topic.contains(i));
                            }
                            Reached::Instances(all)
                        }
                        other => other,
                    };
                    if alike(&reached, sample, lattice) && (!drop || length > 1) {
                        found.insert(Path {
                            steps: path.clone(),
                            drop,
                        });
                    }
                    match reached {
                        Reached::Instances(all) if length < LONGEST && !all.is_empty() => {
                            next.push((path, all));
                        }
                        _ => {}
                    }
                }
            }
            here = next;
        }
    }
}

fn alike(reached: &Reached, sample: &Sample, lattice: &Lattice) -> bool {
    let (a, b) = (reached.len(), sample.answers.len());
    // F1 can be no better than this.
    if a == 0 || b == 0 || 2 * a.min(b) < (a + b) / 2 {
        return false;
    }
    f1(&reached.names(lattice), &sample.answers) >= 0.5
}

/// The harmonic mean of precision and recall of two sorted sets.
pub(super) fn f1(found: &[String], gold: &[String]) -> f64 {
    let common = found.iter().filter(|name| gold.binary_search(name).is_ok());
    match found.len() + gold.len() {
        0 => 0.0,
        all => 2.0 * common.count() as f64 / all as f64,
    }
}
