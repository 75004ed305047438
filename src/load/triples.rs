//! `head|relation|tail` and `subject TAB relation TAB object [TAB source]`.

use super::job::Job;
use super::lines::Line;
use super::{LoadError, names, values};
use crate::lattice::{BuildError, DimKey, DimensionSpec, KindSpec, Multiplicity, Who};
use std::collections::{HashMap, HashSet};

/// What a relation's objects become.
#[derive(Clone, Copy)]
enum Relation {
    /// Values of this dimension, which are instances or are not.
    Dimension(DimKey, bool),
    /// `name` is built in: other names of the subject.
    Name,
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let mut lines = job.lines()?;
    let mut separator = None;
    let mut relations = HashMap::new();
    let mut seen = HashSet::new();
    let mut named = 0u64;
    while let Some(line) = lines.next()? {
        job.report.lines += 1;
        job.tick(line.end)?;
        let Some(text) = job.text(&line)? else {
            continue;
        };
        let separator = *separator.get_or_insert_with(|| separator_of(text));
        if !seen.insert(digest(text)) {
            job.report.repeated += 1;
            continue;
        }
        match triple(job, &mut relations, separator, text, &line)? {
            Taken::Fact => {}
            Taken::Name => named += 1,
            Taken::Bad(reason) => job.bad(line.number, line.start, reason)?,
        }
    }
    if separator.is_none() {
        job.warn("the file is empty: no line says anything");
    }
    if named > 0 {
        job.warn(format_args!(
            "{named} triples of relation `name` became aliases of their subjects, since `name` is built in"
        ));
    }
    Ok(())
}

enum Taken {
    Fact,
    Name,
    Bad(String),
}

/// TAB where the line has one, else `|` where it has that.
fn separator_of(text: &str) -> Option<char> {
    ['\t', '|'].into_iter().find(|c| text.contains(*c))
}

/// Enough of a hash to tell that a line has been there before.
fn digest(text: &str) -> u128 {
    let hash = blake3::hash(text.as_bytes());
    let bytes = hash.as_bytes().first_chunk::<16>();
    bytes.map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

/// One triple. Names and values are checked before anything is recorded.
fn triple(
    job: &mut Job<'_>,
    relations: &mut HashMap<String, Relation>,
    separator: Option<char>,
    text: &str,
    line: &Line<'_>,
) -> Result<Taken, LoadError> {
    let fields = match fields(text, separator) {
        Ok(fields) => fields,
        Err(reason) => return Ok(Taken::Bad(reason)),
    };
    let names = (
        names::clean(fields.subject),
        names::clean(fields.relation),
        names::clean(fields.object),
    );
    let (Some(subject), Some(relation), Some(object)) = names else {
        let reason = "a name is empty, or nothing but quotes; fill it in".to_owned();
        return Ok(Taken::Bad(reason));
    };
    let found = match relations.get(relation.as_ref()) {
        Some(found) => *found,
        None => {
            let found = declare(job, &relation)?;
            relations.insert(relation.to_string(), found);
            found
        }
    };
    let value = match found {
        Relation::Name => None,
        Relation::Dimension(d, true) => Some((d, values::Read::Name(&object))),
        Relation::Dimension(d, false) => match values::read(job.builder, d, &object) {
            Ok((value, unclear)) => {
                if let Some(why) = unclear {
                    job.unclear(&relation, line.number, &why);
                }
                Some((d, value))
            }
            Err(reason) => return Ok(Taken::Bad(reason)),
        },
    };
    let checkpoint = job.builder.checkpoint();
    match record(job, &subject, value, &object, &fields, line) {
        Ok(taken) => {
            job.builder.release(checkpoint);
            Ok(taken)
        }
        Err(error) => {
            job.builder.rollback(checkpoint);
            Ok(Taken::Bad(error.to_string()))
        }
    }
}

fn record(
    job: &mut Job<'_>,
    subject: &str,
    value: Option<(DimKey, values::Read<'_>)>,
    object: &str,
    fields: &Fields<'_>,
    line: &Line<'_>,
) -> Result<Taken, BuildError> {
    let subject = job.builder.instance(Who::Name(subject))?;
    let Some((d, value)) = value else {
        job.builder.add_alias(subject, object)?;
        return Ok(Taken::Name);
    };
    let instance = match value {
        values::Read::Name(name) => Some(job.builder.instance(Who::Name(name))?),
        _ => None,
    };
    let start = line.start + fields.source_offset as u64;
    let range = Some((start, start + fields.source.len() as u64));
    let document = &job.request.document;
    let source = job
        .builder
        .source(fields.source, document, range, Some(line.number))?;
    if let Some(value) = value.fact_value(instance) {
        job.fact(subject, d, value, source)?;
    }
    Ok(Taken::Fact)
}

/// The fields of a line, and the words that state it: the fourth field, else all
/// of the line.
struct Fields<'a> {
    subject: &'a str,
    relation: &'a str,
    object: &'a str,
    source: &'a str,
    source_offset: usize,
}

/// Without a separator the file's first line has none, and no line can be read.
fn fields(text: &str, separator: Option<char>) -> Result<Fields<'_>, String> {
    let (separator, shown, most) = match separator {
        Some('|') => ('|', "|, as the file's first line is", 3),
        Some(_) => ('\t', "TAB, as the file's first line is", 4),
        None => ('\t', "TAB or |", 4),
    };
    let count = text.split(separator).count();
    let mut parts = text.splitn(4, separator);
    let (Some(subject), Some(relation), Some(object)) = (parts.next(), parts.next(), parts.next())
    else {
        let table = match text.matches(',').count() {
            0 => "",
            _ => "; a table with commas is named .csv, or built with --form table",
        };
        return Err(format!(
            "{count} of 3 fields; write subject, relation and object separated by {shown}{table}"
        ));
    };
    if count > most {
        let shown = if separator == '\t' { "TAB" } else { "|" };
        return Err(format!(
            "{count} fields separated by {shown}, where a line has at most {most}; take {shown} out of the names"
        ));
    }
    let fourth = parts.next().map_or("", str::trim);
    let (source, source_offset) = if fourth.is_empty() {
        (text, 0)
    } else {
        let offset = fourth.as_ptr() as usize - text.as_ptr() as usize;
        (fourth, offset)
    };
    Ok(Fields {
        subject,
        relation,
        object,
        source,
        source_offset,
    })
}

/// A relation's dimension: as declared before, else ENTITY with an inverse, which
/// other files must not contradict.
fn declare(job: &mut Job<'_>, relation: &str) -> Result<Relation, LoadError> {
    if relation == "name" {
        return Ok(Relation::Name);
    }
    if let Some(d) = job.builder.dimension(relation)
        && !job.builder.is_inferred(d)
    {
        let spec = job.builder.spec(d);
        let entity = matches!(spec.kind, KindSpec::Entity { .. });
        return Ok(Relation::Dimension(d, entity));
    }
    let d = declare_relation(job, relation, Vec::new())?;
    Ok(Relation::Dimension(d, true))
}

/// Declares a new ENTITY dimension with its inverse, and reports it.
pub(super) fn declare_relation(
    job: &mut Job<'_>,
    relation: &str,
    aka: Vec<String>,
) -> Result<DimKey, LoadError> {
    let one = job.is_one(relation);
    let inverse = format!("{relation}_inverse");
    let mut spec = DimensionSpec::new(relation, KindSpec::Entity { within: None });
    spec.multiplicity = one.then_some(Multiplicity::One);
    spec.inverse = Some(inverse.clone());
    spec.aka = aka;
    let known = job.builder.dimension(relation).is_some();
    let key = job.infer(spec, Some(Multiplicity::Many))?;
    if !known {
        job.report
            .relations
            .push((relation.to_owned(), Some(inverse)));
    }
    Ok(key)
}
