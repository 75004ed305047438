//! The content hash of what is being frozen, from the sorted facts.

use super::builder::Builder;
use super::content;
use super::defect::Defect;
use super::evidence::Piece;
use super::freeze::Frozen;
use super::hash::{Adding, Element, LtHash};
use super::sorted::{Arrays, BATCH, Sorted};
use super::sources::{Reader, Source};
use super::value_tables::Table;
use super::{DateInterval, DimensionId};
use rayon::prelude::*;
use std::io;

/// The sum over everything that the frozen facts say.
pub(super) fn state(builder: &Builder, frozen: &Frozen<'_>) -> io::Result<LtHash> {
    let mut state = frame(builder, frozen)?;
    let lists: Vec<List<'_>> = lists(frozen);
    let count = frozen.ranks.instances.len() as u32;
    let batches = count.div_ceil(BATCH);
    let sums = (0..batches).into_par_iter().map(|batch| {
        let mut hashing = Hashing::of(builder, frozen, &lists, batch)?;
        hashing.until(count.min((batch + 1) * BATCH))?;
        Ok::<LtHash, io::Error>(hashing.state.finish())
    });
    let sum = sums.try_reduce(LtHash::default, |a, b| Ok(a.plus(&b)));
    state = state.plus(&sum?);
    Ok(state)
}

/// What is said but for the instances.
fn frame(builder: &Builder, frozen: &Frozen<'_>) -> io::Result<LtHash> {
    let (mut state, mut element) = (LtHash::default(), Element::default());
    let dimensions = &frozen.resolved.dimensions;
    content::add_units(&frozen.resolved.units, &mut element, &mut state);
    let all = dimensions.iter().zip(&frozen.values.tables);
    for ((dimension, table), defects) in all.zip(&frozen.defects) {
        content::add_dimension(dimensions, dimension, &mut element, &mut state);
        if let Table::Terms(terms) = table {
            let mut parents: Vec<Vec<&str>> = vec![Vec::new(); terms.names.len()];
            for &(upper, lower) in &terms.edges {
                let upper = terms.names.get(upper as usize);
                if let Some((list, upper)) = parents.get_mut(lower as usize).zip(upper) {
                    list.push(upper);
                }
            }
            let all = terms.names.iter().zip(&terms.synonyms).zip(&parents);
            for ((name, synonyms), parents) in all {
                let (synonyms, parents) = (synonyms.iter().copied(), parents.iter().copied());
                content::term(&dimension.name, name, synonyms, parents, &mut element);
                state.add(&element);
            }
        }
        let mut reader = builder.sources.reader();
        for defect in defects {
            let source = source_of(frozen, defect, &mut reader)?;
            let piece = source.map(|source| builder.piece(source));
            let piece = piece.as_ref();
            content::add_defect(&dimension.name, defect, piece, &mut element, &mut state);
        }
    }
    Ok(state)
}

fn source_of<'r>(
    frozen: &Frozen<'_>,
    defect: &Defect,
    reader: &'r mut Reader<'_>,
) -> io::Result<Option<Source<'r>>> {
    let rank = defect.evidence.map(|evidence| evidence.index());
    match rank.and_then(|rank| frozen.ranks.sources.get(rank)) {
        Some(&key) => reader.get(key),
        None => Ok(None),
    }
}

/// The facts of a dimension and polarity.
struct List<'f> {
    dimension: &'f str,
    denied: bool,
    sorted: &'f Sorted,
    values: Texts<'f>,
}

/// The values of a dimension as they are hashed.
enum Texts<'f> {
    Ids,
    Names(&'f [&'f str]),
    Owned(Vec<String>),
    Dates(&'f [DateInterval]),
}

fn lists<'f>(frozen: &'f Frozen<'_>) -> Vec<List<'f>> {
    let texts = |table: &'f Table<'_>| match table {
        Table::Terms(terms) => Texts::Names(&terms.names),
        Table::Entities => Texts::Ids,
        Table::Numbers(numbers) => Texts::Owned(numbers.iter().map(|n| n.to_string()).collect()),
        Table::Dates(dates) => Texts::Dates(dates),
        Table::Texts(texts) => Texts::Names(texts),
    };
    let mut lists = Vec::new();
    let dimensions = (0u16..).map(DimensionId).zip(&frozen.resolved.dimensions);
    let all = dimensions.zip(&frozen.values.tables).zip(&frozen.relations);
    for (((d, dimension), table), relations) in all {
        if !content::counts(d, dimension) {
            continue;
        }
        for (denied, sorted) in [(false, &relations.positive), (true, &relations.negative)] {
            if !sorted.is_empty() {
                lists.push(List {
                    dimension: &dimension.name,
                    denied,
                    sorted,
                    values: texts(table),
                });
            }
        }
    }
    lists
}

/// The hashing of a batch of instances in their order.
struct Hashing<'f> {
    builder: &'f Builder,
    frozen: &'f Frozen<'f>,
    lists: &'f [List<'f>],
    /// The facts of each list, and which of them is the next.
    facts: Vec<(Arrays<'f>, usize)>,
    instance: u32,
    reader: Reader<'f>,
    /// The source hashed last, and its bytes: what is said of one instance often
    /// stands in one source.
    source: Option<u32>,
    piece: Element,
    state: Adding,
}

impl<'f> Hashing<'f> {
    fn of(
        builder: &'f Builder,
        frozen: &'f Frozen<'f>,
        lists: &'f [List<'f>],
        batch: u32,
    ) -> io::Result<Hashing<'f>> {
        let facts = lists.iter().map(|list| Ok((list.sorted.batch(batch)?, 0)));
        Ok(Hashing {
            builder,
            frozen,
            lists,
            facts: facts.collect::<io::Result<_>>()?,
            instance: batch * BATCH,
            reader: builder.sources.reader(),
            source: None,
            piece: Element::default(),
            state: Adding::default(),
        })
    }

    fn until(&mut self, end: u32) -> io::Result<()> {
        let mut element = Element::default();
        let frozen = self.frozen;
        let mut declared = frozen
            .named
            .declared
            .partition_point(|&i| i < self.instance);
        let mut aliases = frozen
            .named
            .aliases
            .partition_point(|a| a.0 < self.instance);
        while self.instance < end {
            let i = self.instance;
            let key = frozen.ranks.instances.get(i as usize).copied();
            let (name, id) = self.builder.name_and_id(key.unwrap_or(u32::MAX));
            let of = frozen.named.aliases.get(aliases..).unwrap_or(&[]);
            let length = of.iter().take_while(|(of, _)| *of == i).count();
            let of = of.get(..length).unwrap_or(&[]);
            aliases += of.len();
            let is_declared = frozen.named.declared.get(declared) == Some(&i);
            declared += usize::from(is_declared);
            let words = of.iter().map(|(_, word)| *word);
            content::instance(id, name, words, is_declared, &mut element);
            let mut facts = std::mem::take(&mut self.facts);
            for (list, (facts, place)) in self.lists.iter().zip(&mut facts) {
                *place = self.add_row(list, facts, *place, &mut element)?;
            }
            self.facts = facts;
            self.state.add(&element);
            self.instance += 1;
        }
        Ok(())
    }

    /// Adds what a list says of the present instance, which starts at a place if it
    /// says anything; where it ends.
    fn add_row(
        &mut self,
        list: &List<'_>,
        facts: &Arrays<'_>,
        start: usize,
        element: &mut Element,
    ) -> io::Result<usize> {
        let subjects = facts.subjects.get(start..).unwrap_or(&[]);
        let length = subjects.iter().take_while(|&&i| i == self.instance).count();
        let end = start + length;
        let values = facts.values.get(start..end).unwrap_or(&[]);
        if values.is_empty() {
            return Ok(end);
        }
        let distinct = values.chunk_by(|a, b| a == b);
        content::row(
            list.dimension,
            list.denied,
            distinct.clone().count(),
            element,
        );
        let mut place = start;
        for same in distinct {
            self.add_value(list, same.first().copied().unwrap_or(0), element);
            element.number(same.len() as u64);
            for at in place..place + same.len() {
                element.number(facts.confidence(at).to_bits());
                let source = facts.sources.get(at).copied();
                self.add_source(source.unwrap_or(u32::MAX), element)?;
            }
            place += same.len();
        }
        Ok(end)
    }

    fn add_value(&self, list: &List<'_>, value: u32, element: &mut Element) {
        let at = value as usize;
        match &list.values {
            Texts::Ids => {
                let key = self.frozen.ranks.instances.get(at).copied();
                element.text(self.builder.name_and_id(key.unwrap_or(u32::MAX)).1);
            }
            Texts::Names(names) => element.text(names.get(at).copied().unwrap_or("")),
            Texts::Owned(texts) => element.text(texts.get(at).map_or("", String::as_str)),
            Texts::Dates(dates) => {
                if let Some(date) = dates.get(at) {
                    content::date(date, element);
                }
            }
        }
    }

    fn add_source(&mut self, rank: u32, element: &mut Element) -> io::Result<()> {
        if self.source != Some(rank) {
            self.piece.clear();
            let key = self.frozen.ranks.sources.get(rank as usize);
            if let Some(source) = key.map(|&key| self.reader.get(key)).transpose()?.flatten() {
                let piece: Piece<'_> = self.builder.piece(source);
                content::add_piece(&piece, &mut self.piece);
            }
            self.source = Some(rank);
        }
        element.part(&self.piece);
        Ok(())
    }
}
