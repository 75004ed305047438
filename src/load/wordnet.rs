//! A data file of WordNet (`data.noun`), with the index beside it.
//!
//! A synset is a term, named as is customary by its first word, its part of speech
//! and the number of that word's sense, which the index tells: `dog.n.01`. Its words
//! are synonyms of the value and names of the instance. The file is read twice:
//! first for the names, since synsets refer to each other by their offsets.
//!
//! The layout is that of wndb(5WN), WordNet 3.0.

use super::job::Job;
use super::lines::{Line, Lines};
use super::ontology::{Label, Ontology};
use super::{LoadError, names};
use crate::lattice::{
    BuildError, DimKey, DimensionSpec, FactValue, KindSpec, Multiplicity, SourceKey, Who,
};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Pointers that become relations: symbol, relation, and its inverse.
const RELATIONS: [(&str, &str, &str); 10] = [
    ("#m", "member_holonym", "member_meronym"),
    ("#s", "substance_holonym", "substance_meronym"),
    ("#p", "part_holonym", "part_meronym"),
    ("%m", "member_meronym", "member_holonym"),
    ("%s", "substance_meronym", "substance_holonym"),
    ("%p", "part_meronym", "part_holonym"),
    ("*", "entails", "entails_inverse"),
    (">", "causes", "causes_inverse"),
    ("$", "verb_group", "verb_group"),
    ("&", "similar_to", "similar_to"),
];

/// A synset as its line states it.
#[derive(Debug, PartialEq, Eq)]
struct Synset<'a> {
    offset: u32,
    /// `n`, `v`, `a`, `s` or `r`.
    part: char,
    words: Vec<&'a str>,
    pointers: Vec<Pointer<'a>>,
    gloss: &'a str,
}

#[derive(Debug, PartialEq, Eq)]
struct Pointer<'a> {
    symbol: &'a str,
    offset: u32,
    part: char,
}

/// What is known before the facts are read.
struct Names {
    by_offset: HashMap<u32, String>,
    relations: HashMap<&'static str, DimKey>,
    gloss: DimKey,
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let senses = match index_beside(&job.request.path) {
        Some(index) => senses(job, &index)?,
        None => None,
    };
    if senses.is_none() {
        job.warn("no index file lies beside it, so the names of synsets end in their offsets");
    }
    let by_offset = by_offset(job, senses.as_ref())?;
    drop(senses);
    if by_offset.is_empty() {
        job.warn("the file is empty: no line describes a synset");
    }
    let name = match &job.request.table {
        Some(name) => name.clone(),
        None => "wordnet".to_owned(),
    };
    let mut ontology = Ontology::declare(job, name)?;
    let spec = DimensionSpec::new("gloss", KindSpec::Text);
    let mut names = Names {
        by_offset,
        relations: HashMap::new(),
        gloss: job.infer(spec, Some(Multiplicity::Many))?,
    };
    record_all(job, &mut ontology, &mut names)?;
    ontology.finish(job);
    Ok(())
}

/// What `index.noun` beside `data.noun` is called.
fn index_beside(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let part = name.strip_prefix("data.")?;
    Some(format!("index.{part}"))
}

/// By word, the offsets of its senses in their order; none if the index is not there.
fn senses(job: &Job<'_>, index: &str) -> Result<Option<HashMap<String, Vec<u32>>>, LoadError> {
    let path = job.request.path.with_file_name(index);
    let document = Path::new(&job.request.document).with_file_name(index);
    let document = document.display().to_string();
    if !job.files.is_there(&path, &document) {
        return Ok(None);
    }
    let mut senses = HashMap::new();
    let mut lines = Lines::open(job.files, &path, &document)?;
    while let Some(line) = lines.next()? {
        // What is no entry is the licence; a damaged one costs only its number.
        let Some(text) = line.text.ok().filter(|text| !text.starts_with(' ')) else {
            continue;
        };
        let mut fields = text.split_ascii_whitespace();
        let (Some(word), Some(_part), Some(count)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let Ok(count) = count.parse::<usize>() else {
            continue;
        };
        let fields: Vec<&str> = fields.collect();
        let offsets = fields.get(fields.len().saturating_sub(count)..);
        let offsets: Option<Vec<u32>> = offsets
            .unwrap_or_default()
            .iter()
            .map(|o| o.parse().ok())
            .collect();
        senses.insert(word.to_owned(), offsets.unwrap_or_default());
    }
    Ok(Some(senses))
}

/// The first reading: the name of each synset.
fn by_offset(
    job: &mut Job<'_>,
    senses: Option<&HashMap<String, Vec<u32>>>,
) -> Result<HashMap<u32, String>, LoadError> {
    let mut by_offset = HashMap::new();
    let mut lines = job.lines()?;
    let mut unnumbered = 0u64;
    while let Some(line) = lines.next()? {
        job.tick(line.end)?;
        // What is wrong with a line is told at the second reading.
        let Some(Ok(synset)) = line.text.ok().and_then(synset) else {
            continue;
        };
        let word = synset.words.first().map_or("", |word| word).to_lowercase();
        let sense = senses.and_then(|senses| {
            let offsets = senses.get(&word)?;
            offsets.iter().position(|offset| *offset == synset.offset)
        });
        let name = match sense {
            Some(at) => format!("{word}.{}.{:02}", synset.part, at + 1),
            None => {
                unnumbered += u64::from(senses.is_some());
                format!("{word}.{}.{:08}", synset.part, synset.offset)
            }
        };
        by_offset.entry(synset.offset).or_insert(name);
    }
    if unnumbered > 0 {
        job.warn(format_args!(
            "{unnumbered} synsets are not in the index, so their names end in their offsets"
        ));
    }
    Ok(by_offset)
}

/// The second reading: the facts.
fn record_all(
    job: &mut Job<'_>,
    ontology: &mut Ontology,
    names: &mut Names,
) -> Result<(), LoadError> {
    let mut lines = job.lines()?;
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(line) = lines.next()? {
        job.report.lines += 1;
        job.tick(line.end)?;
        let Some(text) = job.text(&line)? else {
            continue;
        };
        let synset = match synset(text) {
            None => continue,
            Some(Ok(synset)) => synset,
            Some(Err(reason)) => {
                job.bad(line.number, line.start, reason)?;
                continue;
            }
        };
        for pointer in &synset.pointers {
            declare_relation(job, names, pointer, synset.part)?;
            if !matches!(pointer.symbol, "@" | "@i" | "~" | "~i")
                && relation(names, pointer, synset.part).is_none()
            {
                *others.entry(pointer.symbol.to_owned()).or_default() += 1;
            }
        }
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        let done = record(job, ontology, names, &synset, text, &line);
        ontology.settle(done.is_ok());
        match done {
            Ok(()) => job.builder.release(checkpoint),
            Err(error) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                job.bad(line.number, line.start, error.to_string())?;
            }
        }
    }
    if !others.is_empty() {
        let shown: Vec<String> = others
            .iter()
            .map(|(symbol, count)| format!("{count} of `{symbol}`"))
            .collect();
        job.warn(format_args!(
            "pointers between words, to other files and of other kinds are not loaded: {}",
            shown.join(", ")
        ));
    }
    Ok(())
}

/// Declares the relation that a pointer states, at its first use.
fn declare_relation(
    job: &mut Job<'_>,
    names: &mut Names,
    pointer: &Pointer<'_>,
    part: char,
) -> Result<(), LoadError> {
    let found = RELATIONS
        .iter()
        .find(|(symbol, ..)| *symbol == pointer.symbol);
    let Some((_, relation, inverse)) = found.filter(|_| is_same_file(part, pointer.part)) else {
        return Ok(());
    };
    if names.relations.contains_key(relation) {
        return Ok(());
    }
    let mut spec = DimensionSpec::new(*relation, KindSpec::Entity { within: None });
    spec.inverse = Some((*inverse).to_owned());
    let known = job.builder.dimension(relation).is_some();
    let d = job.infer(spec, Some(Multiplicity::Many))?;
    if !known {
        let told = ((*relation).to_owned(), Some((*inverse).to_owned()));
        job.report.relations.push(told);
    }
    names.relations.insert(relation, d);
    Ok(())
}

/// The relation that a pointer within the file states.
fn relation(names: &Names, pointer: &Pointer<'_>, part: char) -> Option<DimKey> {
    let found = RELATIONS
        .iter()
        .find(|(symbol, ..)| *symbol == pointer.symbol);
    let (_, relation, _) = found.filter(|_| is_same_file(part, pointer.part))?;
    names.relations.get(relation).copied()
}

/// Satellites stand in the file of adjectives.
fn is_same_file(a: char, b: char) -> bool {
    let file = |part| if part == 's' { 'a' } else { part };
    file(a) == file(b)
}

fn record(
    job: &mut Job<'_>,
    ontology: &mut Ontology,
    names: &Names,
    synset: &Synset<'_>,
    text: &str,
    line: &Line<'_>,
) -> Result<(), BuildError> {
    let document = &job.request.document;
    let range = Some((line.start, line.end));
    let source = job
        .builder
        .source(text, document, range, Some(line.number))?;
    let id = name_of(names, synset.offset, synset.part);
    if ontology.has(&id) {
        let d = ontology.d;
        job.builder.note_duplicate(d, &id, Some(source))?;
        let place = line.number;
        job.warn(format_args!(
            "line {place} describes \"{id}\" a second time; both are kept as one"
        ));
    }
    let words: Vec<String> = synset
        .words
        .iter()
        .map(|word| word.replace('_', " "))
        .collect();
    let label = words.first().map(String::as_str);
    let instance = ontology.define(job, &id, Label::given(label), source)?;
    for word in words.iter().skip(1) {
        ontology.call(job, &id, instance, word)?;
    }
    if !synset.gloss.is_empty() {
        job.fact(instance, names.gloss, FactValue::Text(synset.gloss), source)?;
    }
    for pointer in &synset.pointers {
        point(
            job,
            ontology,
            names,
            (synset, pointer),
            &id,
            source,
            line.number,
        )?;
    }
    Ok(())
}

fn point(
    job: &mut Job<'_>,
    ontology: &mut Ontology,
    names: &Names,
    (synset, pointer): (&Synset<'_>, &Pointer<'_>),
    id: &str,
    source: SourceKey,
    line: u64,
) -> Result<(), BuildError> {
    let other = name_of(names, pointer.offset, pointer.part);
    if matches!(pointer.symbol, "@" | "@i") && is_same_file(synset.part, pointer.part) {
        return ontology.place(job, &other, id, source, Some(line));
    }
    let Some(d) = relation(names, pointer, synset.part) else {
        return Ok(());
    };
    let instance = job.builder.instance(Who::Id(id))?;
    let other = job.builder.instance(Who::Id(&other))?;
    job.fact(instance, d, FactValue::Instance(other), source)
}

/// The name of a synset; of one that the file does not describe, its offset.
fn name_of(names: &Names, offset: u32, part: char) -> String {
    match names.by_offset.get(&offset) {
        Some(name) => name.clone(),
        None => format!("{offset:08}.{part}"),
    }
}

/// The synset of a line; none in the lines of the licence, which begin with a blank.
fn synset(text: &str) -> Option<Result<Synset<'_>, String>> {
    if text.starts_with(' ') || text.trim().is_empty() {
        return None;
    }
    Some(fields(text).ok_or_else(|| {
        "this is no synset; a line has offset, file number, part of speech, words, pointers and, behind `|`, a gloss".to_owned()
    }))
}

fn fields(text: &str) -> Option<Synset<'_>> {
    let (data, gloss) = text.split_once('|').unwrap_or((text, ""));
    let mut fields = data.split_ascii_whitespace();
    let offset = offset(fields.next()?)?;
    let _file_number = fields.next()?;
    let part = part_of(fields.next()?)?;
    let count = usize::from_str_radix(fields.next()?, 16).ok()?;
    let mut words = Vec::new();
    for _ in 0..count {
        let word = fields.next()?;
        // Where an adjective may stand: `galore(ip)`.
        let word = word.split_once('(').map_or(word, |(word, _)| word);
        words.push(word);
        let _sense = fields.next()?;
    }
    let count: usize = fields.next()?.parse().ok()?;
    let mut pointers = Vec::new();
    for _ in 0..count {
        let symbol = fields.next()?;
        let target = fields.next()?;
        let pointer = Pointer {
            symbol,
            offset: self::offset(target)?,
            part: part_of(fields.next()?)?,
        };
        let _words = fields.next()?;
        pointers.push(pointer);
    }
    let named = words.iter().all(|word| names::clean(word).is_some());
    (!words.is_empty() && named).then_some(Synset {
        offset,
        part,
        words,
        pointers,
        gloss: gloss.trim(),
    })
}

fn offset(field: &str) -> Option<u32> {
    field
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| field.parse().ok())?
}

fn part_of(field: &str) -> Option<char> {
    let mut characters = field.chars();
    let part = characters.next().filter(|c| "nvasr".contains(*c))?;
    characters.next().is_none().then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_the_manual_has_it() {
        let line = "00000010 03 n 02 hot_dog 0 frank(p) 0 002 @ 00000001 n 0000 #p 00000002 n 0101 | a thing; \"it\"  ";
        let synset = synset(line).unwrap().unwrap();
        assert_eq!(synset.words, ["hot_dog", "frank"]);
        assert_eq!((synset.offset, synset.part), (10, 'n'));
        assert_eq!(synset.pointers.len(), 2);
        assert_eq!(synset.gloss, "a thing; \"it\"");
        assert_eq!(super::synset("  1 This software"), None);
        for bad in [
            "00000010 03 n 02 a 0 b",
            "x 03 n 01 a 0 000",
            "00000010 03 q 01 a 0 000 |",
        ] {
            assert!(super::synset(bad).unwrap().is_err(), "{bad}");
        }
    }
}
