//! The embedded planner: a question becomes LQ by the words of a vocabulary.

use super::chart::{Chart, Meaning};
use super::compose;
use super::extents::Extents;
use super::lexicon::{Lexicon, UNKNOWN};
use super::names::Names;
use super::sorts::Sort;
use super::vocabulary::Vocabulary;
use super::words::stem;
use crate::lattice::{DimensionId, InstanceId, Lattice};
use crate::syntax::print_query;
use crate::syntax::tree::Query;
use std::ops::Range;

/// A reading of a question, with what it costs; less is better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What is asked.
    pub query: Query,
    /// What its pieces cost; see the book.
    pub cost: u32,
}

/// What a planner makes of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Understood {
    /// The best readings: one, or several that are equally good.
    Readings(Vec<Reading>),
    /// The part that it could not read.
    Not(String),
}

/// What a question may be about.
pub(super) struct Topic {
    /// The words of the question; `None` for the name.
    pub words: Vec<Option<String>>,
    /// What the name names.
    pub instances: Vec<InstanceId>,
    /// Its words, by number.
    pub span: Range<usize>,
}

/// What a part of a question means.
pub(super) struct PartRead {
    /// Its words, by number.
    pub span: Range<usize>,
    /// The set that it names.
    pub query: Query,
}

/// What may say something in a wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Words for a dimension.
    Dimension(DimensionId),
    /// A word, by its stem.
    Word {
        /// The stem.
        stem: String,
        /// The word.
        form: String,
    },
}

/// Reads questions about one lattice with one vocabulary.
pub struct Planner {
    lattice: Lattice,
    lexicon: Lexicon,
    names: Names,
    extents: Extents,
}

impl Planner {
    /// A planner for a lattice. Its names are gone through once.
    pub fn new(lattice: &Lattice, vocabulary: &Vocabulary) -> Planner {
        Planner {
            lattice: lattice.clone(),
            lexicon: Lexicon::new(vocabulary, lattice),
            names: Names::new(lattice),
            extents: Extents::new(lattice),
        }
    }

    /// Takes another vocabulary.
    pub fn set_vocabulary(&mut self, vocabulary: &Vocabulary) {
        self.lexicon = Lexicon::new(vocabulary, &self.lattice);
    }

    /// What a question may be about: the name in brackets or quotation marks, else each
    /// name that is part of no longer one.
    pub(super) fn topics(&self, text: &str) -> Vec<Topic> {
        let chart = self.chart(text);
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for start in 0..chart.len() {
            for end in start + 1..=chart.len() {
                let items = chart.cell(start, end).iter();
                let names = items.filter_map(|item| match chart.item(*item)?.meaning {
                    Meaning::Name(link) => Some(link),
                    _ => None,
                });
                found.extend(names.map(|link| (start, end, link)));
            }
        }
        let fenced = |link: usize| chart.name(link).is_some_and(|link| link.fenced);
        if found.iter().any(|(_, _, link)| fenced(*link)) {
            found.retain(|(_, _, link)| fenced(*link));
        }
        let all = found.clone();
        found.retain(|(start, end, _)| {
            let within = |(a, b, _): &(usize, usize, usize)| a <= start && end <= b;
            all.iter().filter(|other| within(other)).count() == 1
        });
        let topic = |(start, end, link): (usize, usize, usize)| {
            let link = chart.name(link)?;
            let words = chart.words.words.iter().map(|word| Some(word.text.clone()));
            let mut words: Vec<Option<String>> = words.collect();
            words.splice(start..end, [None]);
            Some(Topic {
                words,
                instances: link.instances.clone(),
                span: start..end,
            })
        };
        let topics = found.into_iter().filter_map(topic);
        topics.filter(|topic| !topic.instances.is_empty()).collect()
    }

    /// What the parts of a question around some of its words mean, where they are sets;
    /// of each part the best reading.
    pub(super) fn parts_around(&self, text: &str, words: &Range<usize>) -> Vec<PartRead> {
        let chart = self.chart(text);
        let mut parts = Vec::new();
        for start in 0..=words.start {
            for end in words.end..=chart.len() {
                let is_whole = start == 0 && end == chart.len();
                if is_whole || end - start <= words.len() {
                    continue;
                }
                let readings = chart.cell(start, end).iter();
                let set = readings
                    .copied()
                    .find(|item| matches!(chart.sort(*item), Sort::Instances(_)));
                if let Some(query) = set.and_then(|item| compose::query(&chart, item)) {
                    parts.push(PartRead {
                        span: start..end,
                        query,
                    });
                }
            }
        }
        parts
    }

    /// Whether a wording has a word that the vocabulary lacks.
    pub(super) fn has_unknown(&self, wording: &[Option<String>]) -> bool {
        let mut words = wording.iter().flatten();
        words.any(|word| self.lexicon.symbols(word).1 == UNKNOWN)
    }

    /// A wording without the words at its ends that may be passed over.
    pub(super) fn trimmed<'w>(&self, wording: &'w [Option<String>]) -> &'w [Option<String>] {
        let passed = |word: &&Option<String>| {
            let stem = word.as_ref().map(|word| self.lexicon.symbols(word).1);
            stem.is_some_and(|stem| self.lexicon.is_transparent(stem))
        };
        let first = wording.iter().take_while(passed).count();
        let rest = wording.get(first..).unwrap_or_default();
        let last = rest.iter().rev().take_while(passed).count();
        rest.get(..rest.len() - last).unwrap_or_default()
    }

    /// What may say something in a wording: words for dimensions, and the words that
    /// no pattern has.
    pub(super) fn units(&self, wording: &[Option<String>]) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut at = 0;
        while let Some(word) = wording.get(at) {
            let rest = wording.get(at..).unwrap_or_default();
            if let Some((d, count)) = self.lexicon.dimension_at(rest) {
                units.push(Unit::Dimension(d));
                at += count;
                continue;
            }
            if let Some(word) = word
                && !self.lexicon.is_function_word(word)
            {
                units.push(Unit::Word {
                    stem: stem(word),
                    form: word.clone(),
                });
            }
            at += 1;
        }
        units
    }

    /// Whether a word already stands for a dimension.
    pub(super) fn names_dimension(&self, word: &str, d: DimensionId) -> bool {
        self.lexicon.names_dimension(word, d)
    }

    /// Reads a question.
    pub fn read(&self, text: &str) -> Understood {
        let chart = self.chart(text);
        let mut readings = whole(&chart);
        readings.sort_by_key(|(item, cost)| (*cost, *item));
        let mut best: Vec<Reading> = Vec::new();
        for (item, cost) in readings {
            if best.first().is_some_and(|first| first.cost < cost) {
                break;
            }
            if let Some(query) = compose::query(&chart, item)
                && best.iter().all(|other| other.query != query)
            {
                best.push(Reading { query, cost });
            }
        }
        match best.is_empty() {
            true => Understood::Not(unread(&chart, text)),
            false => Understood::Readings(best),
        }
    }

    fn chart(&self, text: &str) -> Chart<'_> {
        Chart::read(
            text,
            &self.lexicon,
            &self.names,
            &self.extents,
            &self.lattice,
        )
    }
}

/// The readings of the whole question, whatever may be passed over at its ends.
fn whole(chart: &Chart<'_>) -> Vec<(u32, u32)> {
    let count = chart.len();
    let passed = |at: &usize| chart.is_transparent(*at);
    let first = (0..count).take_while(passed).count();
    let last = (0..count).rev().take_while(passed).count();
    let mut found = Vec::new();
    for start in 0..=first {
        for end in (count - last).max(start + 1)..=count {
            for &item in chart.cell(start, end) {
                let Some(reading) = chart.item(item) else {
                    continue;
                };
                // A name alone asks nothing.
                let asks = !matches!(*reading.sort, Sort::Named(_))
                    && !matches!(reading.meaning, Meaning::Name(_));
                if asks {
                    let skipped = (start + count - end) as u32;
                    found.push((item, reading.cost + skipped * super::chart::cost::PASSED));
                }
            }
        }
    }
    found
}

/// The part that could not be read: the words that nothing knows, else all of it.
fn unread(chart: &Chart<'_>, text: &str) -> String {
    let unknown = chart.unknown_words();
    match unknown.is_empty() {
        true => text.trim().to_owned(),
        false => unknown.join(" "),
    }
}

impl Reading {
    /// The reading as LQ.
    pub fn plan(&self) -> String {
        print_query(&self.query)
    }
}
