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
    pub answers: Vec<String>,
}

/// A wording with what it means.
#[derive(Clone, Debug)]
pub(super) struct Aligned {
    pub wording: Wording,
    pub path: Path,
    /// The mean F1 of the path's sets with the answers, over the samples.
    pub fit: f64,
}

/// So many questions of a wording are looked at.
const SAMPLES: usize = 240;
/// So many of them are searched for paths; the others only tell which is best.
const SEARCHED: usize = 3;
/// Paths have at most so many steps.
const LONGEST: usize = 3;
/// The mean F1 of a path must be so high.
const GOOD: f64 = 0.6;

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
            let Some(wording) = all.get_mut(at) else { continue };
            wording.count += 1;
            if wording.samples.len() < SAMPLES {
                wording.samples.push(Sample {
                    question: example.question.clone(),
                    topic: topic.instances.iter().map(|i| i.0).collect(),
                    answers: example.answers.clone(),
                });
            }
        }
    }
    all
}

/// The path that explains the answers of a wording best, if one does.
pub(super) fn align(wording: Wording, lattice: &Lattice) -> Option<Aligned> {
    let mut candidates: BTreeSet<Path> = BTreeSet::new();
    for sample in wording.samples.iter().take(SEARCHED) {
        search(sample, lattice, &mut candidates);
    }
    let mut best: Option<(f64, usize, Path)> = None;
    for path in candidates {
        let fits = wording.samples.iter().map(|sample| {
            let reached = path.reach(lattice, &sample.topic);
            f1(&reached.names(lattice), &sample.answers)
        });
        let fit = fits.sum::<f64>() / wording.samples.len().max(1) as f64;
        let length = path.steps.len() * 2 + usize::from(path.drop);
        let better = best.as_ref().is_none_or(|(known, short, _)| {
            fit > known + 1e-9 || (fit > known - 1e-9 && length < *short)
        });
        if better {
            best = Some((fit, length, path));
        }
    }
    let (fit, _, path) = best?;
    (fit >= GOOD).then_some(Aligned { wording, path, fit })
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
