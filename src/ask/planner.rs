//! The embedded planner: a question becomes LQ by the words of a vocabulary.

use super::chart::{Chart, Meaning};
use super::compose;
use super::extents::Extents;
use super::lexicon::Lexicon;
use super::names::Names;
use super::sorts::Sort;
use super::vocabulary::Vocabulary;
use crate::lattice::{DimensionId, InstanceId, Lattice};
use crate::syntax::print_query;
use crate::syntax::tree::Query;

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
            })
        };
        let topics = found.into_iter().filter_map(topic);
        topics.filter(|topic| !topic.instances.is_empty()).collect()
    }

    /// Whether a word belongs to how questions are put, and not to what they are about.
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        self.lexicon.is_function_word(word)
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
        Chart::read(text, &self.lexicon, &self.names, &self.extents, &self.lattice)
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
