//! Patterns for the wordings that words for dimensions do not explain, and all of it
//! as LQ.

use super::align::{Sample, f1};
use super::associate::{Meant, Words};
use super::path::Path;
use crate::ask::planner::{Planner, Understood};
use crate::ask::vocabulary::Vocabulary;
use crate::engine::{self, Budget};
use crate::lattice::Lattice;
use crate::syntax::print::{print_word, quote};
use crate::syntax::tree::Query;
use crate::syntax::{Diagnostic, canonical, format_text};
use crate::verdict::Outcome;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The vocabulary, as LQ.
    pub text: String,
    /// How many wordings the examples have.
    pub wordings: usize,
    /// How many of them a path through the lattice explains.
    pub explained: usize,
    /// How many patterns were written.
    pub patterns: usize,
    /// How many words for dimensions.
    pub words: usize,
}

/// A pattern is learned if so much of what its wording was seen to mean is this.
const AGREED: f64 = 0.6;

/// The words of a pattern; `None` is its hole.
type Wording = Vec<Option<String>>;

/// A pattern that would explain some wordings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Support {
    wordings: usize,
    questions: usize,
    fit: f64,
}

pub(super) fn induce(
    lattice: &Lattice,
    meant: &[Meant<'_>],
    wordings: usize,
    words: &Words,
    known: &Vocabulary,
    planner: &mut Planner,
) -> Result<Learned, Vec<Diagnostic>> {
    let text = spoken(words, lattice);
    let mut writing = Writing {
        lattice,
        vocabulary: known.clone().and(Vocabulary::read(&text)?),
        text,
        known: Vec::new(),
        patterns: 0,
    };
    planner.set_vocabulary(&writing.vocabulary);
    let open = not_understood(meant.iter().collect(), lattice, planner);
    let mut numbers: BTreeSet<*const Meant<'_>> = BTreeSet::new();
    numbers.extend(open.iter().map(|one| std::ptr::from_ref(*one)));
    writing.known = meant
        .iter()
        .filter(|one| !numbers.contains(&std::ptr::from_ref(*one)))
        .collect();
    // What is left of several wordings when a part that is understood is taken out.
    let mut rest = writing.add(shared(&open, lattice, planner), open, planner)?;
    // Then whole wordings, the plainest first.
    rest.sort_by(|a, b| {
        let key = |one: &Meant<'_>| (one.path.steps.len(), one.aligned.wording.words.len());
        key(a)
            .cmp(&key(b))
            .then(b.aligned.wording.count.cmp(&a.aligned.wording.count))
            .then(a.aligned.wording.words.cmp(&b.aligned.wording.words))
    });
    let whole = rest.iter().filter(|one| is_kept(one, planner)).map(|one| {
        let support = Support {
            wordings: 1,
            questions: one.aligned.wording.count,
            fit: one.fit,
        };
        let trimmed = planner.trimmed(&one.aligned.wording.words).to_vec();
        let words = match trimmed.len() {
            0 | 1 => one.aligned.wording.words.clone(),
            _ => trimmed,
        };
        (words, one.path.clone(), support)
    });
    let whole: Vec<(Wording, Path, Support)> = whole.collect();
    writing.add(whole, rest, planner)?;
    Ok(Learned {
        text: format_text(&writing.text)?,
        wordings,
        explained: meant.len(),
        patterns: writing.patterns,
        words: words.dimensions.len(),
    })
}

/// Whether a wording that is not explained otherwise is to be kept as it is. One that was
/// seen once may mean any path that happens to reach its answer; it is kept only if no
/// other path does, or if it has a word that nothing else tells of.
fn is_kept(one: &Meant<'_>, planner: &Planner) -> bool {
    one.aligned.wording.count > 1
        || one.aligned.candidates.len() == 1
        || planner.has_unknown(&one.aligned.wording.words)
}

/// A pattern is tried on so many wordings that are understood without it.
const TRIED: usize = 200;

/// A vocabulary being written.
struct Writing<'l, 'm, 'a> {
    lattice: &'l Lattice,
    /// What is understood so far.
    known: Vec<&'m Meant<'a>>,
    vocabulary: Vocabulary,
    text: String,
    patterns: usize,
}

impl<'m, 'a> Writing<'_, 'm, 'a> {
    /// Adds those patterns that explain more than they spoil; gives what still is not
    /// understood.
    fn add(
        &mut self,
        patterns: Vec<(Wording, Path, Support)>,
        mut open: Vec<&'m Meant<'a>>,
        planner: &mut Planner,
    ) -> Result<Vec<&'m Meant<'a>>, Vec<Diagnostic>> {
        for (wording, path, support) in patterns {
            let concerned = |one: &&&Meant<'_>| has_words(&one.aligned.wording.words, &wording);
            let (concerned, others): (Vec<_>, Vec<_>) = open.iter().partition(|one| concerned(one));
            if concerned.is_empty() {
                continue;
            }
            let statement = statement(&wording, &path, support, self.lattice);
            let more = self.vocabulary.clone().and(Vocabulary::read(&statement)?);
            planner.set_vocabulary(&more);
            let before = concerned.clone();
            let still = not_understood(concerned, self.lattice, planner);
            let gained = before.len() - still.len();
            if gained == 0 || gained <= self.spoiled(&wording, planner) {
                planner.set_vocabulary(&self.vocabulary);
                continue;
            }
            let left: BTreeSet<_> = still.iter().map(|one| std::ptr::from_ref(*one)).collect();
            let now_known = before.into_iter();
            self.known
                .extend(now_known.filter(|one| !left.contains(&std::ptr::from_ref(*one))));
            self.vocabulary = more;
            self.text.push_str(&statement);
            self.patterns += 1;
            open = others.into_iter().chain(still).collect();
        }
        Ok(open)
    }
}

impl Writing<'_, '_, '_> {
    /// How many wordings that were understood no longer are, of some that have the words
    /// of a new pattern.
    fn spoiled(&self, wording: &Wording, planner: &Planner) -> usize {
        let concerned = self.known.iter().copied();
        let concerned: Vec<&Meant<'_>> = concerned
            .filter(|one| has_words(&one.aligned.wording.words, wording))
            .collect();
        let stride = concerned.len().div_ceil(TRIED).max(1);
        let some: Vec<&Meant<'_>> = concerned.into_iter().step_by(stride).collect();
        not_understood(some, self.lattice, planner).len() * stride
    }
}

/// Whether all words of a pattern stand in a wording, in order.
fn has_words(wording: &Wording, pattern: &Wording) -> bool {
    let mut words = wording.iter().flatten();
    pattern
        .iter()
        .flatten()
        .all(|word| words.any(|other| other == word))
}

fn not_understood<'m, 'a>(
    all: Vec<&'m Meant<'a>>,
    lattice: &Lattice,
    planner: &Planner,
) -> Vec<&'m Meant<'a>> {
    let flags: Vec<bool> = all
        .par_iter()
        .map(|one| understood(one, lattice, planner))
        .collect();
    let pairs = all.into_iter().zip(flags);
    pairs
        .filter(|(_, known)| !known)
        .map(|(one, _)| one)
        .collect()
}

/// Whether the questions of a wording are answered as well as its path does.
fn understood(one: &Meant<'_>, lattice: &Lattice, planner: &Planner) -> bool {
    one.aligned.wording.samples.iter().all(|sample: &Sample| {
        let Understood::Readings(readings) = planner.read(&sample.question) else {
            return false;
        };
        let [reading] = readings.as_slice() else {
            return false;
        };
        let reached = one.path.reach(lattice, &sample.topic).names(lattice);
        answer(&reading.query, lattice).is_some_and(|found| {
            f1(&found, &sample.answers) >= f1(&reached, &sample.answers) - 1e-9
        })
    })
}

/// The patterns that remain of wordings when a part that is understood becomes the
/// hole, those that most wordings share first.
fn shared(
    open: &[&Meant<'_>],
    lattice: &Lattice,
    planner: &Planner,
) -> Vec<(Wording, Path, Support)> {
    let remains: Vec<Vec<(Wording, Path)>> = open
        .par_iter()
        .map(|one| remains(one, lattice, planner))
        .collect();
    let mut found: BTreeMap<Wording, BTreeMap<Path, Support>> = BTreeMap::new();
    for (one, remains) in open.iter().zip(remains) {
        for (wording, path) in remains {
            let paths = found.entry(wording).or_default();
            let support = paths.entry(path).or_default();
            let before = support.fit * support.wordings as f64;
            support.wordings += 1;
            support.questions += one.aligned.wording.count;
            support.fit = (before + one.fit) / support.wordings as f64;
        }
    }
    let mut patterns: Vec<(Wording, Path, Support)> = Vec::new();
    for (wording, paths) in found {
        let total: usize = paths.values().map(|support| support.wordings).sum();
        let best = paths.into_iter().max_by(|a, b| {
            a.1.wordings
                .cmp(&b.1.wordings)
                .then(b.0.steps.len().cmp(&a.0.steps.len()))
                .then(b.0.cmp(&a.0))
        });
        if let Some((path, support)) = best
            && support.wordings > 1
            && support.wordings as f64 >= AGREED * total as f64
        {
            patterns.push((wording, path, support));
        }
    }
    patterns.sort_by(|a, b| (b.2.wordings, a.0.len(), &a.0).cmp(&(a.2.wordings, b.0.len(), &b.0)));
    patterns
}

/// What remains of a wording, and of its path, when a part that is understood is taken
/// out.
fn remains(one: &Meant<'_>, lattice: &Lattice, planner: &Planner) -> Vec<(Wording, Path)> {
    let wording = &one.aligned.wording;
    let Some(sample) = wording.samples.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let trimmed = planner.trimmed(&wording.words);
    if trimmed.len() > 1 {
        found.push((trimmed.to_vec(), one.path.clone()));
    }
    for part in planner.parts_around(&sample.question, &sample.words) {
        let Some(names) = answer(&part.query, lattice) else {
            continue;
        };
        for taken in 1..one.path.steps.len() {
            let Some((head, tail)) = one.path.steps.split_at_checked(taken) else {
                continue;
            };
            let prefix = Path {
                steps: head.to_vec(),
                drop: one.path.drop,
            };
            if prefix.reach(lattice, &sample.topic).names(lattice) != names {
                continue;
            }
            // The name is one word of the wording and may be several of the question.
            let more = sample.words.len().saturating_sub(1);
            let mut words: Wording = wording.words.clone();
            let end = part.span.end.saturating_sub(more).min(words.len());
            words.splice(part.span.start.min(end)..end, [None]);
            let tail = Path {
                steps: tail.to_vec(),
                drop: false,
            };
            // Words at its ends that may be passed over make a pattern narrower.
            let trimmed = planner.trimmed(&words);
            for words in [trimmed.to_vec(), words] {
                if words.len() > 1 {
                    found.push((words, tail.clone()));
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn statement(wording: &Wording, path: &Path, support: Support, lattice: &Lattice) -> String {
    let words: Vec<&str> = wording
        .iter()
        .map(|word| word.as_deref().unwrap_or("{x}"))
        .collect();
    let many = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    format!(
        "-- {}, {}, fit {:.2}\nPATTERN QUESTION {} =>\n  {}\n",
        many(support.wordings, "wording"),
        many(support.questions, "question"),
        support.fit,
        quote(&words.join(" ")),
        path.query(lattice),
    )
}

/// Words for dimensions and words that say nothing, as LQ.
fn spoken(words: &Words, lattice: &Lattice) -> String {
    let mut text = String::new();
    let mut by_dimension: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for (d, word, count) in &words.dimensions {
        let name = lattice.dimension(*d).name.as_str();
        by_dimension.entry(name).or_default().push((word, *count));
    }
    for (dimension, words) in by_dimension {
        let counts: Vec<String> = words.iter().map(|(w, n)| format!("{w} {n}")).collect();
        let quoted: Vec<String> = words.iter().map(|(word, _)| quote(word)).collect();
        let _ = writeln!(
            text,
            "-- wordings: {}\nDIMENSION {} AKA {}",
            counts.join(", "),
            print_word(dimension),
            quoted.join(", ")
        );
    }
    if !words.nothing.is_empty() {
        let counts: Vec<String> = words
            .nothing
            .iter()
            .map(|(w, n)| format!("{w} {n}"))
            .collect();
        let all: Vec<&str> = words
            .nothing
            .iter()
            .map(|(word, _)| word.as_str())
            .collect();
        let _ = writeln!(
            text,
            "-- words that say nothing; wordings: {}\n\
             PATTERN QUESTION \"({}) {{x}}\" => MEET name = {{x}}",
            counts.join(", "),
            all.join("|")
        );
    }
    text
}

/// The names that answer a query.
fn answer(query: &Query, lattice: &Lattice) -> Option<Vec<String>> {
    let query = canonical(query, &BTreeMap::new(), &BTreeMap::new()).ok()?;
    let verdict = engine::answer(lattice, &query, &Budget::unlimited()).ok()?;
    match &verdict.outcome {
        Outcome::Answer(found) => Some(found.names(lattice)),
        Outcome::Abstention(_) => None,
    }
}
