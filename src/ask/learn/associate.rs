//! Which words stand for which step, and so which of several paths a wording means.
//!
//! Words and steps are aligned as in Brown et al., "The Mathematics of Statistical
//! Machine Translation" (1993): each step of a path is said by one unit of the wording,
//! each unit says one step or nothing, and what units say is estimated from the best
//! alignments of all wordings, in turns. A path that reaches the right answer by chance
//! is one that the words of other wordings do not speak for.

use super::align::Aligned;
use super::path::{Path, Step};
use crate::ask::planner::{Planner, Unit};
use crate::lattice::{DimensionId, Lattice};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What words stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Words {
    /// Words for dimensions: the dimension, the word, in how many wordings it stands.
    pub dimensions: Vec<(DimensionId, String, usize)>,
    /// Words that say nothing, and in how many wordings they stand.
    pub nothing: Vec<(String, usize)>,
}

/// A wording with the path that its words speak for most.
pub(super) struct Meant<'a> {
    pub aligned: &'a Aligned,
    pub path: &'a Path,
    /// The mean F1 of the path's sets with the answers.
    pub fit: f64,
}

/// So often alignment and estimation take turns.
const ROUNDS: usize = 12;
/// A word stands for a dimension, or for nothing, if this much of it does.
const CLEAR: f64 = 0.6;
/// What a step costs that no unit says, and a unit that says another step than its own.
const UNSAID: f64 = -9.0;
/// What a step more costs: of paths that are said equally well the shorter is meant.
const LENGTH: f64 = -0.5;
/// Added to every count, so that what has not been seen is not impossible.
const UNSEEN: f64 = 0.05;
/// Each step is tried with so many units, the likeliest.
const TRIED: usize = 5;

/// What a unit says: how likely each step is, and nothing.
#[derive(Clone, Debug, Default)]
struct Says {
    steps: BTreeMap<Step, f64>,
    nothing: f64,
    /// How much of what it says is said for another step too, which nothing else says.
    alone: f64,
}

type Table = BTreeMap<String, Says>;

/// The units of a wording.
struct Bag {
    units: Vec<Unit>,
}

/// The words of all wordings, and of each wording the path that is meant.
pub(super) fn associate<'a>(
    aligned: &'a [Aligned],
    planner: &Planner,
    lattice: &Lattice,
) -> (Words, Vec<Meant<'a>>) {
    let bags: Vec<Bag> = aligned
        .iter()
        .map(|one| Bag {
            units: planner.units(&one.wording.words),
        })
        .collect();
    let mut table = first(aligned, &bags);
    let mut chosen: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
    for _ in 0..ROUNDS {
        let pairs: Vec<(&Aligned, &Bag)> = aligned.iter().zip(&bags).collect();
        chosen = pairs
            .par_iter()
            .map(|(one, bag)| best(one, bag, &table))
            .collect();
        table = estimated(aligned, &bags, &chosen);
    }
    let words = words(aligned, &bags, &chosen, &table, planner, lattice);
    let meant = aligned.iter().zip(chosen).filter_map(|(aligned, (at, _))| {
        let (path, fit) = aligned.candidates.get(at)?;
        Some(Meant {
            aligned,
            path,
            fit: *fit,
        })
    });
    (words, meant.collect())
}

/// Before anything is aligned: every word of a wording says every step of its paths.
fn first(aligned: &[Aligned], bags: &[Bag]) -> Table {
    let mut table = Table::new();
    for (one, bag) in aligned.iter().zip(bags) {
        let weight = 1.0 / one.candidates.len().max(1) as f64;
        for unit in &bag.units {
            let Unit::Word { stem, .. } = unit else {
                continue;
            };
            let says = table.entry(stem.clone()).or_default();
            for (path, _) in &one.candidates {
                let steps: BTreeSet<&Step> = path.steps.iter().collect();
                for step in steps {
                    *says.steps.entry(*step).or_default() += weight;
                }
            }
            says.nothing += 0.5;
        }
    }
    normalised(table)
}

fn normalised(mut table: Table) -> Table {
    for says in table.values_mut() {
        let total: f64 = says.steps.values().sum::<f64>() + says.nothing;
        says.steps.values_mut().for_each(|share| *share /= total);
        says.nothing /= total;
        says.alone /= total;
    }
    table
}

/// How likely a unit says a step, and nothing; logarithms.
fn likely(unit: &Unit, step: &Step, table: &Table) -> f64 {
    match unit {
        Unit::Dimension(d) if *d == step.dimension => -0.1,
        Unit::Dimension(_) => UNSAID,
        Unit::Word { stem, .. } => {
            let share = table.get(stem).and_then(|says| says.steps.get(step));
            share.map_or(UNSAID, |share| share.ln().max(UNSAID))
        }
    }
}

fn silent(unit: &Unit, table: &Table) -> f64 {
    match unit {
        Unit::Dimension(_) => UNSAID / 3.0,
        Unit::Word { stem, .. } => table
            .get(stem)
            .map_or(UNSAID, |says| says.nothing.ln().max(UNSAID)),
    }
}

/// The candidate that the units speak for most, and which unit says which step.
fn best(one: &Aligned, bag: &Bag, table: &Table) -> (usize, Vec<Option<usize>>) {
    let silence: Vec<f64> = bag.units.iter().map(|unit| silent(unit, table)).collect();
    let quiet: f64 = silence.iter().sum();
    let mut best = (f64::NEG_INFINITY, 0, Vec::new());
    for (at, (path, fit)) in one.candidates.iter().enumerate() {
        let gains: Vec<Vec<(f64, usize)>> = path
            .steps
            .iter()
            .map(|step| {
                let gains = bag.units.iter().zip(&silence).enumerate();
                let mut gains: Vec<(f64, usize)> = gains
                    .map(|(at, (unit, silence))| (likely(unit, step, table) - silence, at))
                    .collect();
                gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                gains.truncate(TRIED);
                gains
            })
            .collect();
        let (gain, said) = assigned(&gains, &mut Vec::new());
        let score = quiet + gain + LENGTH * path.steps.len() as f64 + fit * 10.0;
        if score > best.0 + 1e-9 {
            best = (score, at, said);
        }
    }
    (best.1, best.2)
}

/// The best way to say each step by a unit of its own.
fn assigned(gains: &[Vec<(f64, usize)>], taken: &mut Vec<usize>) -> (f64, Vec<Option<usize>>) {
    let Some((first, rest)) = gains.split_first() else {
        return (0.0, Vec::new());
    };
    let mut best: Option<(f64, Vec<Option<usize>>)> = None;
    let unsaid = std::iter::once((UNSAID, None));
    let said = first.iter().map(|(gain, unit)| (*gain, Some(*unit)));
    for (gain, unit) in said.chain(unsaid) {
        if unit.is_some_and(|unit| taken.contains(&unit)) {
            continue;
        }
        taken.extend(unit);
        let (more, mut all) = assigned(rest, taken);
        if unit.is_some() {
            taken.pop();
        }
        if best
            .as_ref()
            .is_none_or(|(known, _)| gain + more > *known + 1e-9)
        {
            all.insert(0, unit);
            best = Some((gain + more, all));
        }
    }
    best.unwrap_or_default()
}

/// What units say, counted over the best alignments.
fn estimated(aligned: &[Aligned], bags: &[Bag], chosen: &[(usize, Vec<Option<usize>>)]) -> Table {
    let mut table = Table::new();
    for ((one, bag), (at, said)) in aligned.iter().zip(bags).zip(chosen) {
        let Some((path, _)) = one.candidates.get(*at) else {
            continue;
        };
        for (number, unit) in bag.units.iter().enumerate() {
            let Unit::Word { stem, .. } = unit else {
                continue;
            };
            let says = table.entry(stem.clone()).or_default();
            let step = said.iter().position(|unit| *unit == Some(number));
            match step.and_then(|step| path.steps.get(step)) {
                Some(step) => {
                    *says.steps.entry(*step).or_insert(UNSEEN) += 1.0;
                    says.alone += f64::from(u8::from(said.contains(&None)));
                }
                None => says.nothing += 1.0,
            }
            says.nothing = says.nothing.max(UNSEEN);
        }
    }
    normalised(table)
}

/// A word that says nothing itself belongs to a dimension if it stands in no wordings
/// but such of it.
const LOYAL: f64 = 0.95;
/// And no dimension that is more often meant than this can be told from chance so.
const RARE: f64 = 0.5;

/// A word's forms and where it stands.
#[derive(Default)]
struct Seen {
    forms: BTreeMap<String, usize>,
    wordings: usize,
    /// In how many wordings that mean a dimension.
    beside: BTreeMap<DimensionId, usize>,
}

impl Seen {
    /// The dimension that the word stands beside most: which, and how much of the word.
    fn most_beside(&self, rate: impl Fn(DimensionId) -> f64) -> Option<(DimensionId, f64)> {
        let shares = self.beside.iter().map(|(d, count)| {
            let share = *count as f64 / self.wordings.max(1) as f64;
            (*d, share)
        });
        shares.max_by(|a, b| {
            let by_rate = rate(b.0).total_cmp(&rate(a.0));
            a.1.total_cmp(&b.1).then(by_rate).then(b.0.cmp(&a.0))
        })
    }
}

fn words(
    aligned: &[Aligned],
    bags: &[Bag],
    chosen: &[(usize, Vec<Option<usize>>)],
    table: &Table,
    planner: &Planner,
    lattice: &Lattice,
) -> Words {
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    let mut meant: BTreeMap<DimensionId, usize> = BTreeMap::new();
    for ((one, bag), (at, _)) in aligned.iter().zip(bags).zip(chosen) {
        let steps = one.candidates.get(*at).into_iter();
        let dimensions: BTreeSet<DimensionId> = steps
            .flat_map(|(path, _)| path.steps.iter().map(|step| step.dimension))
            .collect();
        for d in &dimensions {
            *meant.entry(*d).or_default() += 1;
        }
        let mut once = BTreeSet::new();
        for unit in &bag.units {
            let Unit::Word { stem, form } = unit else {
                continue;
            };
            let entry = seen.entry(stem).or_default();
            *entry.forms.entry(form.clone()).or_default() += 1;
            if once.insert(stem.as_str()) {
                entry.wordings += 1;
                for d in &dimensions {
                    *entry.beside.entry(*d).or_default() += 1;
                }
            }
        }
    }
    let rate = |d: DimensionId| {
        let count = meant.get(&d).copied().unwrap_or(0);
        count as f64 / aligned.len().max(1) as f64
    };
    let mut words = Words::default();
    for (stem, seen) in &seen {
        let Some(says) = table.get(*stem) else {
            continue;
        };
        let forms = seen.forms.iter();
        let form = forms.max_by_key(|(form, n)| (**n, std::cmp::Reverse(*form)));
        let Some((form, _)) = form else { continue };
        let mut of: BTreeMap<DimensionId, f64> = BTreeMap::new();
        for (step, share) in &says.steps {
            *of.entry(step.dimension).or_default() += share;
        }
        let best = of
            .iter()
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        match best {
            // A word that says two steps at once is no word for either.
            Some((_, share)) if says.alone * 2.0 > *share => {}
            Some((d, share)) if *share >= CLEAR => {
                if !planner.names_dimension(form, *d) {
                    words.dimensions.push((*d, form.clone(), seen.wordings));
                }
            }
            _ => match seen.most_beside(rate) {
                Some((d, share)) if share >= LOYAL => {
                    let told = rate(d) <= RARE && !planner.names_dimension(form, d);
                    words
                        .dimensions
                        .extend(told.then(|| (d, form.clone(), seen.wordings)));
                }
                _ if says.nothing >= CLEAR && seen.wordings >= 3 => {
                    words.nothing.push((form.clone(), seen.wordings));
                }
                _ => {}
            },
        }
    }
    words.dimensions.sort_by(|a, b| {
        let name = |d: DimensionId| &lattice.dimension(d).name;
        (name(a.0), std::cmp::Reverse(a.2), &a.1).cmp(&(name(b.0), std::cmp::Reverse(b.2), &b.1))
    });
    words
        .nothing
        .sort_by(|a, b| (std::cmp::Reverse(a.1), &a.0).cmp(&(std::cmp::Reverse(b.1), &b.0)));
    words
}
