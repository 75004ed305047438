//! RDF, one triple a line. The file is read twice: first for what kind of
//! objects each predicate has, then for the facts.
//!
//! A predicate with both nodes and literals has two dimensions, and the one that is
//! declared first has its name; so has the first of two predicates whose IRIs end
//! alike. Where such a predicate is spread over several files, their order matters;
//! a declaration before them settles it.

use super::job::Job;
use super::lines::{Line, Lines};
use super::triples::declare_relation;
use super::{LoadError, names, values};
use crate::lattice::{BuildError, DimKey, DimensionSpec, InstKey, KindSpec, Multiplicity, Who};
use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};
use oxttl::NTriplesParser;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The predicates whose literals are names of their subjects.
const LABELS: [&str; 4] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://xmlns.com/foaf/0.1/name",
];

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// The kinds of objects that a predicate has.
#[derive(Clone, Copy, Debug, Default)]
struct Objects {
    nodes: bool,
    numbers: bool,
    dates: bool,
    texts: bool,
}

impl Objects {
    fn note(&mut self, object: &Term) {
        match object {
            Term::Literal(literal) => match literal_kind(literal) {
                LiteralKind::Number => self.numbers = true,
                LiteralKind::Date => self.dates = true,
                LiteralKind::Text => self.texts = true,
            },
            _ => self.nodes = true,
        }
    }

    /// The kind of its literals, if it has any.
    fn literals(self) -> Option<KindSpec> {
        match (self.numbers, self.dates, self.texts) {
            (false, false, false) => None,
            (true, false, false) => Some(KindSpec::Number { unit: None }),
            (false, true, false) => Some(KindSpec::Date),
            _ => Some(KindSpec::Text),
        }
    }
}

#[derive(Clone, Copy)]
enum LiteralKind {
    Number,
    Date,
    Text,
}

fn literal_kind(literal: &Literal) -> LiteralKind {
    match literal.datatype().as_str().strip_prefix(XSD) {
        Some(
            "integer" | "decimal" | "double" | "float" | "long" | "int" | "short" | "byte"
            | "nonNegativeInteger" | "positiveInteger" | "nonPositiveInteger" | "negativeInteger"
            | "unsignedLong" | "unsignedInt" | "unsignedShort" | "unsignedByte",
        ) => LiteralKind::Number,
        Some("date" | "dateTime" | "dateTimeStamp" | "gYear" | "gYearMonth") => LiteralKind::Date,
        _ => LiteralKind::Text,
    }
}

/// The dimensions of one predicate.
#[derive(Clone, Copy, Default)]
struct Dimensions {
    nodes: Option<DimKey>,
    literals: Option<DimKey>,
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let predicates = survey(job)?;
    if predicates.is_empty() {
        job.warn("the file is empty: no line says anything");
    }
    let mut dimensions = HashMap::new();
    for ((iri, objects), name) in predicates.iter().zip(local_names(&predicates)) {
        if LABELS.contains(&iri.as_str()) && !objects.nodes {
            continue;
        }
        let found = declare(job, iri, &name, *objects)?;
        dimensions.insert(iri.clone(), found);
    }
    record_all(job, &dimensions)
}

/// The first reading: each predicate with the kinds of its objects.
fn survey(job: &mut Job<'_>) -> Result<BTreeMap<String, Objects>, LoadError> {
    let mut predicates: BTreeMap<String, Objects> = BTreeMap::new();
    let mut lines = Lines::open(&job.request.path)?;
    while let Some(line) = lines.next()? {
        job.tick(line.end)?;
        // What is wrong with a line is told at the second reading.
        let Some(Ok(triple)) = line.text.ok().and_then(parsed) else {
            continue;
        };
        let objects = predicates
            .entry(triple.predicate.as_str().to_owned())
            .or_default();
        objects.note(&triple.object);
    }
    Ok(predicates)
}

/// The triple of a line; none in a blank line or a comment.
fn parsed(text: &str) -> Option<Result<Triple, String>> {
    let mut parser = NTriplesParser::new().for_slice(text);
    match parser.next()? {
        Ok(triple) => Some(match parser.next() {
            None => Ok(triple),
            Some(_) => Err("more than one triple in the line; write one a line".to_owned()),
        }),
        Err(error) => Some(Err(format!(
            "{}; write <subject> <predicate> <object> .",
            error.message()
        ))),
    }
}

/// A name for each predicate: its IRI's last segment, or all of the IRI where two
/// share the segment.
fn local_names(predicates: &BTreeMap<String, Objects>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for iri in predicates.keys() {
        *seen.entry(last_segment(iri).into_owned()).or_default() += 1;
    }
    let name = |iri: &String| {
        let short = last_segment(iri);
        let alone = seen.get(short.as_ref()) == Some(&1);
        if alone && short != "name" {
            short.into_owned()
        } else {
            iri.clone()
        }
    };
    predicates.keys().map(name).collect()
}

/// What stands behind the last `#` or `/` (or `:`), percent-decoded.
fn last_segment(iri: &str) -> Cow<'_, str> {
    let trimmed = iri.trim_end_matches(['#', '/']);
    let segment = trimmed.rsplit(['#', '/', ':']).next().unwrap_or(trimmed);
    let decoded = percent_decoded(segment);
    match names::clean(&decoded) {
        Some(name) => Cow::Owned(name.into_owned()),
        None => Cow::Borrowed(iri),
    }
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| behind.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains('\0') => Cow::Owned(decoded),
        _ => Cow::Borrowed(text),
    }
}

/// Declares the dimensions of a predicate: as declared before under its name, else
/// ENTITY for nodes and the common kind for literals; both, if it has both.
fn declare(
    job: &mut Job<'_>,
    iri: &str,
    name: &str,
    objects: Objects,
) -> Result<Dimensions, LoadError> {
    let name = if is_taken(job, iri, name) { iri } else { name };
    let aka: Vec<String> = (name != iri).then(|| iri.to_owned()).into_iter().collect();
    let known = job.builder.dimension(name);
    let known_kind = known.map(|d| job.builder.spec(d).kind.clone());
    let mut found = Dimensions::default();
    match (known, known_kind) {
        (Some(d), Some(KindSpec::Entity { .. })) => found.nodes = Some(d),
        (Some(d), Some(_)) => found.literals = Some(d),
        _ => {}
    }
    if objects.nodes && found.nodes.is_none() {
        let own = match found.literals {
            Some(_) => format!("{name}_entity"),
            None => name.to_owned(),
        };
        found.nodes = Some(match job.builder.dimension(&own) {
            Some(d) => d,
            None => declare_relation(job, &own, aka.clone())?,
        });
    }
    if let (Some(kind), None) = (objects.literals(), found.literals) {
        let own = match found.nodes {
            Some(_) => format!("{name}_text"),
            None => name.to_owned(),
        };
        let mut spec = DimensionSpec::new(own.clone(), kind);
        spec.multiplicity = job.is_one(&own).then_some(Multiplicity::One);
        if found.nodes.is_none() {
            spec.aka = aka;
        }
        if job.builder.dimension(&own).is_none() {
            job.report.relations.push((own, None));
        }
        found.literals = Some(job.infer(spec, Some(Multiplicity::Many))?);
    } else if let (Some(kind), Some(d)) = (objects.literals(), found.literals)
        && job.builder.is_inferred(d)
    {
        // Another file shows the same kind, or it is to be declared.
        let name = job.builder.spec(d).name.clone();
        job.infer(DimensionSpec::new(name, kind), Some(Multiplicity::Many))?;
    }
    Ok(found)
}

/// Whether the short name stands for another predicate already.
fn is_taken(job: &Job<'_>, iri: &str, name: &str) -> bool {
    let spec = job.builder.dimension(name).map(|d| job.builder.spec(d));
    spec.is_some_and(|spec| {
        let mut iris = spec.aka.iter().filter(|word| word.contains("://"));
        iris.clone().next().is_some() && !iris.any(|word| word == iri)
    })
}

/// The second reading: the facts.
fn record_all(
    job: &mut Job<'_>,
    dimensions: &HashMap<String, Dimensions>,
) -> Result<(), LoadError> {
    let mut lines = Lines::open(&job.request.path)?;
    let mut languages = BTreeSet::new();
    while let Some(line) = lines.next()? {
        job.report.lines += 1;
        job.tick(line.end)?;
        let Some(text) = job.text(&line)? else {
            continue;
        };
        let triple = match parsed(text) {
            None => continue,
            Some(Err(reason)) => {
                job.bad(line.number, line.start, reason)?;
                continue;
            }
            Some(Ok(triple)) => triple,
        };
        if let Term::Literal(literal) = &triple.object
            && let Some(language) = literal.language()
        {
            languages.insert(language.to_owned());
        }
        let found = dimensions.get(triple.predicate.as_str());
        if let Err(reason) = record(job, found, &triple, text, &line) {
            job.bad(line.number, line.start, reason)?;
        }
    }
    if !languages.is_empty() {
        let tags: Vec<String> = languages.into_iter().collect();
        job.warn(format_args!(
            "the languages of texts ({}) are kept in their sources only",
            tags.join(", ")
        ));
    }
    Ok(())
}

fn record(
    job: &mut Job<'_>,
    dimensions: Option<&Dimensions>,
    triple: &Triple,
    text: &str,
    line: &Line<'_>,
) -> Result<(), String> {
    let refused = |error: BuildError| error.to_string();
    let literal_value = match &triple.object {
        Term::Literal(literal) => Some(literal_text(literal)),
        _ => None,
    };
    let (d, value) = match (dimensions, &triple.object, &literal_value) {
        (None, Term::Literal(_), Some(word)) => {
            let word = names::clean(word).ok_or("the label is empty")?.into_owned();
            let subject = node(job, triple.subject.clone()).map_err(refused)?;
            return job.builder.add_alias(subject, &word).map_err(refused);
        }
        (Some(found), Term::Literal(_), Some(word)) => {
            let d = found.literals.ok_or("no dimension takes this literal")?;
            let (value, unclear) = values::read(job.builder, d, word)?;
            if let Some(why) = unclear {
                job.unclear(triple.predicate.as_str(), line.number, why);
            }
            (d, Some(value))
        }
        (Some(found), _, _) => (found.nodes.ok_or("no dimension takes this node")?, None),
        (None, _, _) => return Err("the predicate has no dimension".to_owned()),
    };
    let subject = node(job, triple.subject.clone()).map_err(refused)?;
    let instance = match (&value, &triple.object) {
        (Some(values::Read::Name(name)), _) => {
            Some(job.builder.instance(Who::Name(name)).map_err(refused)?)
        }
        (None, Term::NamedNode(object)) => {
            let object = NamedOrBlankNode::from(object.clone());
            Some(node(job, object).map_err(refused)?)
        }
        (None, Term::BlankNode(object)) => {
            let object = NamedOrBlankNode::from(object.clone());
            Some(node(job, object).map_err(refused)?)
        }
        _ => None,
    };
    let value = value.unwrap_or(values::Read::Name(""));
    let range = Some((line.start, line.end));
    let document = &job.request.document;
    let source = job
        .builder
        .source(text, document, range, Some(line.number))
        .map_err(refused)?;
    match value.fact_value(instance) {
        Some(value) => job.fact(subject, d, value, source).map_err(refused),
        None => Err("the object is neither an IRI nor a blank node nor a literal".to_owned()),
    }
}

/// The instance of an IRI, or of a blank node of this file.
fn node(job: &mut Job<'_>, node: NamedOrBlankNode) -> Result<InstKey, BuildError> {
    match node {
        NamedOrBlankNode::NamedNode(node) => {
            let iri = node.as_str();
            let name = last_segment(iri);
            job.builder.instance(Who::Listed {
                name: &name,
                id: iri,
                given: false,
            })
        }
        NamedOrBlankNode::BlankNode(node) => {
            let name = format!("_:{}", node.as_str());
            let id = format!("{name} of {}", job.request.document);
            job.builder.instance(Who::Both {
                name: &name,
                id: &id,
            })
        }
    }
}

/// What is read of a literal: of a date with a time zone only the date.
fn literal_text(literal: &Literal) -> Cow<'_, str> {
    let text = literal.value();
    if !matches!(literal_kind(literal), LiteralKind::Date) {
        return Cow::Borrowed(text);
    }
    let day = text.split('T').next().unwrap_or(text);
    let day = day.strip_suffix('Z').unwrap_or(day);
    let zone = day
        .len()
        .checked_sub(6)
        .and_then(|at| day.split_at_checked(at));
    match zone {
        Some((day, zone)) if zone.starts_with(['+', '-']) && zone.contains(':') => {
            Cow::Borrowed(day)
        }
        _ => Cow::Borrowed(day),
    }
}
