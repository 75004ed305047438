//! Ontologies in OBO format 1.4 (and 1.2), read by fastobo clause by clause, so that
//! a bad line costs one line.
//!
//! A term's stanza makes a value and an instance of that id. `is_a` orders the
//! values, other relationships are facts, and order them too where the request says
//! so. The label, EXACT synonyms and alternative ids are words for the value: what is
//! certain of the one is certain of the other. A BROAD, NARROW or RELATED synonym
//! means something else, and is a text. An obsolete term is a value without edges.
//! The source of a fact is its own line.

mod clause;
mod relations;
mod stanza;

use super::job::Job;
use super::ontology::{Label, Ontology, taxonomy_name};
use super::{LoadError, names, values};
use crate::lattice::{BuildError, FactValue, InstKey, SourceKey, Who};
use clause::Said;
use fastobo::parser::Cache;
use relations::Dimensions;
use stanza::{Clause, Kind, Stanza, Stanzas};
use std::collections::BTreeMap;

/// The relation that orders an ontology, if the request names no other.
const IS_A: &str = "is_a";

/// The loading of one file.
struct Loader {
    ontology: Ontology,
    dimensions: Dimensions,
    cache: Cache,
    /// The relations that order the values.
    edges: Vec<String>,
    /// The header's line that gives terms without a namespace theirs.
    namespace: Option<(String, Clause)>,
    /// Clauses that are not loaded, by tag.
    others: BTreeMap<String, u64>,
    /// Terms defined a second time: how many, and the first with its line.
    twice: Option<(u64, String, u64)>,
    /// Edges of obsolete terms, which are left out.
    obsolete_edges: u64,
}

/// A clause that was understood.
struct Taken<'s> {
    said: Said,
    clause: &'s Clause,
}

/// Why a stanza or a clause is not taken.
enum Refused {
    /// The clause is at fault.
    Clause(String),
    /// The file cannot be loaded.
    File(LoadError),
}

impl From<LoadError> for Refused {
    fn from(error: LoadError) -> Refused {
        Refused::File(error)
    }
}

impl From<BuildError> for Refused {
    fn from(error: BuildError) -> Refused {
        Refused::Clause(error.to_string())
    }
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let cache = Cache::new();
    let dimensions = Dimensions::survey(job, &cache)?;
    let name = taxonomy_name(job);
    let asked = match job.request.edges.as_slice() {
        [] => job.options.edges.clone(),
        edges => edges.to_vec(),
    };
    let mut loader = Loader {
        ontology: Ontology::declare(job, name)?,
        dimensions,
        cache,
        edges: if asked.is_empty() {
            vec![IS_A.to_owned()]
        } else {
            asked
        },
        namespace: None,
        others: BTreeMap::new(),
        twice: None,
        obsolete_edges: 0,
    };
    let mut stanzas = Stanzas::open(job, true)?;
    let mut empty = true;
    while let Some(stanza) = stanzas.next(job)? {
        empty &= stanza.clauses.is_empty();
        match stanza.kind {
            Kind::Header => loader.header(job, &stanza)?,
            Kind::Term | Kind::Instance => loader.stanza(job, &stanza)?,
            Kind::Typedef => {}
            Kind::Other => {
                let reason = "OBO has no such stanza; it has [Term], [Typedef] and [Instance]";
                job.bad(stanza.line, stanza.start, reason.to_owned())?;
            }
        }
    }
    if empty {
        job.warn("the file is empty: no line says anything");
    }
    loader.finish(job);
    Ok(())
}

impl Loader {
    /// The lines before the first stanza: what they say of the terms.
    fn header(&mut self, job: &mut Job<'_>, header: &Stanza) -> Result<(), LoadError> {
        for clause in &header.clauses {
            let Some((tag, value)) = clause.text.split_once(':') else {
                let reason = "this is no line of an OBO header, which has a tag and a colon";
                job.bad(clause.line, clause.start, reason.to_owned())?;
                continue;
            };
            let value = value.split('!').next().unwrap_or("").trim();
            match tag.trim() {
                "default-namespace" if !value.is_empty() => {
                    self.namespace = Some((value.to_owned(), clause.clone()));
                }
                "import" => job.warn(format_args!(
                    "line {}: what is imported is not fetched; load {value} too, if it is needed",
                    clause.line
                )),
                _ => {}
            }
        }
        Ok(())
    }

    /// A stanza: its clauses are read first, since what comes last may say that the
    /// term is obsolete.
    fn stanza(&mut self, job: &mut Job<'_>, stanza: &Stanza) -> Result<(), LoadError> {
        let mut ids = stanza
            .clauses
            .iter()
            .filter(|c| clause::tag(&c.text) == "id");
        let Some(id_clause) = ids.next() else {
            let reason = "the stanza has no id; give it one, as in id: X:0000001";
            return job.bad(stanza.line, stanza.start, reason.to_owned());
        };
        let id = match clause::id(&id_clause.text, &self.cache) {
            Ok(id) => id,
            Err(reason) => return job.bad(id_clause.line, id_clause.start, reason),
        };
        let mut taken = Vec::with_capacity(stanza.clauses.len());
        for clause in &stanza.clauses {
            let tag = clause::tag(&clause.text);
            if tag == "id" {
                continue;
            }
            if !tag.is_empty() && !clause::is_known(tag) {
                *self.others.entry(tag.to_owned()).or_default() += 1;
                continue;
            }
            let said = match stanza.kind {
                Kind::Instance => clause::instance(&clause.text, &self.cache),
                _ => clause::term(&clause.text, &self.cache),
            };
            match said {
                Ok(said) => taken.push(Taken { said, clause }),
                Err(reason) => job.bad(clause.line, clause.start, reason)?,
            }
        }
        let label = taken.iter().find_map(|t| match &t.said {
            Said::Name(name) => Some((names::clean(name)?, t.clause)),
            _ => None,
        });
        let checkpoint = job.builder.checkpoint();
        let done = self.subject(job, stanza.kind, &id, id_clause, label);
        self.ontology.settle(done.is_ok());
        let instance = match done {
            Ok(instance) => {
                job.builder.release(checkpoint);
                instance
            }
            Err(refused) => {
                job.builder.rollback(checkpoint);
                return match refused {
                    Refused::File(error) => Err(error),
                    Refused::Clause(reason) => job.bad(id_clause.line, id_clause.start, reason),
                };
            }
        };
        let obsolete = taken.iter().any(|t| t.said == Said::Obsolete);
        let mut namespace = false;
        for one in &taken {
            namespace |= matches!(one.said, Said::Text("namespace", _));
            self.clause(job, &id, instance, obsolete, one)?;
        }
        if let Some((namespace, clause)) = self.namespace.clone().filter(|_| !namespace) {
            let said = Said::Text("namespace", namespace);
            let one = Taken {
                said,
                clause: &clause,
            };
            self.clause(job, &id, instance, obsolete, &one)?;
        }
        Ok(())
    }

    /// The instance of a stanza; a term is also a value, which it is at.
    fn subject(
        &mut self,
        job: &mut Job<'_>,
        kind: Kind,
        id: &str,
        clause: &Clause,
        label: Option<(std::borrow::Cow<'_, str>, &Clause)>,
    ) -> Result<InstKey, Refused> {
        let name = label.as_ref().map(|(name, _)| name.as_ref());
        if kind == Kind::Instance {
            return Ok(job.builder.instance(Label::given(name).who(id))?);
        }
        // The line of the name belongs to the source where it follows.
        let both = label
            .as_ref()
            .map(|(_, name)| name)
            .filter(|name| name.line == clause.line + 1 && name.start == clause.end + 1);
        let source = match both {
            None => source(job, clause)?,
            Some(name) => {
                let text = format!("{}\n{}", clause.text, name.text);
                let range = Some((clause.start, name.end));
                let document = &job.request.document;
                let line = Some(clause.line);
                job.builder.source(&text, document, range, line)?
            }
        };
        if self.ontology.has(id) {
            let d = self.ontology.d;
            job.builder.note_duplicate(d, id, Some(source))?;
            match &mut self.twice {
                Some((count, ..)) => *count += 1,
                None => self.twice = Some((1, id.to_owned(), clause.line)),
            }
        }
        Ok(self.ontology.define(job, id, Label::given(name), source)?)
    }

    /// Records a clause, whole or not at all.
    fn clause(
        &mut self,
        job: &mut Job<'_>,
        id: &str,
        instance: InstKey,
        obsolete: bool,
        taken: &Taken<'_>,
    ) -> Result<(), LoadError> {
        let checkpoint = job.builder.checkpoint();
        let facts = job.report.facts;
        match self.said(job, id, instance, obsolete, taken) {
            Ok(()) => {
                job.builder.release(checkpoint);
                Ok(())
            }
            Err(refused) => {
                job.builder.rollback(checkpoint);
                job.report.facts = facts;
                match refused {
                    Refused::File(error) => Err(error),
                    Refused::Clause(reason) => {
                        job.bad(taken.clause.line, taken.clause.start, reason)
                    }
                }
            }
        }
    }

    fn said(
        &mut self,
        job: &mut Job<'_>,
        id: &str,
        instance: InstKey,
        obsolete: bool,
        taken: &Taken<'_>,
    ) -> Result<(), Refused> {
        match &taken.said {
            Said::Name(_) | Said::Nothing => Ok(()),
            Said::AltId(word) => self.word(job, id, instance, word),
            Said::Synonym(word, scope) => {
                if *scope == clause::Scope::Exact {
                    self.word(job, id, instance, word)?;
                }
                self.text(job, instance, scope.dimension(), word, taken.clause)
            }
            Said::IsA(parent) if self.edges.iter().any(|edge| edge == IS_A) => {
                self.edge(job, parent, id, obsolete, taken.clause)
            }
            Said::IsA(parent) => self.relation(job, id, instance, (IS_A, parent), obsolete, taken),
            Said::InstanceOf(term) => {
                let source = source(job, taken.clause)?;
                let d = self.ontology.d;
                job.builder.add_value(d, term)?;
                Ok(job.fact(instance, d, FactValue::Term(term), source)?)
            }
            Said::Obsolete => self.text(job, instance, "obsolete", "true", taken.clause),
            Said::Text(dimension, text) => self.text(job, instance, dimension, text, taken.clause),
            Said::Literal(property, text) => self.text(job, instance, property, text, taken.clause),
            Said::Relation(relation, other) => {
                self.relation(job, id, instance, (relation, other), obsolete, taken)
            }
            Said::Other(tag) => {
                *self.others.entry((*tag).to_owned()).or_default() += 1;
                Ok(())
            }
        }
    }

    /// Another word for a term; an instance that is no term has it as an alias.
    fn word(
        &mut self,
        job: &mut Job<'_>,
        id: &str,
        instance: InstKey,
        word: &str,
    ) -> Result<(), Refused> {
        let Some(word) = names::clean(word) else {
            return Err(Refused::Clause("the word is empty; fill it in".to_owned()));
        };
        if self.ontology.has(id) {
            self.ontology.call(job, id, instance, &word)?;
        } else {
            job.builder.add_alias(instance, &word)?;
        }
        Ok(())
    }

    fn text(
        &mut self,
        job: &mut Job<'_>,
        instance: InstKey,
        dimension: &str,
        text: &str,
        clause: &Clause,
    ) -> Result<(), Refused> {
        if text.trim().is_empty() {
            // `def: "" []` is how some editors write that there is none.
            return Ok(());
        }
        let d = self.dimensions.text(job, dimension)?;
        let (value, unclear) = values::read(job.builder, d, text).map_err(Refused::Clause)?;
        if let Some(why) = unclear {
            job.unclear(dimension, clause.line, &why);
        }
        let other = match value {
            values::Read::Name(name) => Some(job.builder.instance(Who::Name(name))?),
            _ => None,
        };
        let source = source(job, clause)?;
        match value.fact_value(other) {
            Some(value) => Ok(job.fact(instance, d, value, source)?),
            None => Ok(()),
        }
    }

    fn edge(
        &mut self,
        job: &mut Job<'_>,
        upper: &str,
        lower: &str,
        obsolete: bool,
        clause: &Clause,
    ) -> Result<(), Refused> {
        if obsolete {
            self.obsolete_edges += 1;
            return Ok(());
        }
        let source = source(job, clause)?;
        let line = Some(clause.line);
        Ok(self.ontology.place(job, upper, lower, source, line)?)
    }

    fn relation(
        &mut self,
        job: &mut Job<'_>,
        id: &str,
        instance: InstKey,
        (relation, other): (&str, &str),
        obsolete: bool,
        taken: &Taken<'_>,
    ) -> Result<(), Refused> {
        let d = self.dimensions.relation(job, relation)?;
        let name = self.dimensions.name(relation);
        let orders = self
            .edges
            .iter()
            .any(|edge| *edge == relation || *edge == name);
        if orders && self.ontology.has(id) {
            self.edge(job, other, id, obsolete, taken.clause)?;
        }
        let source = source(job, taken.clause)?;
        let other = job.builder.instance(Who::Id(other))?;
        Ok(job.fact(instance, d, FactValue::Instance(other), source)?)
    }

    fn finish(self, job: &mut Job<'_>) {
        if let Some((count, id, line)) = &self.twice {
            let stanzas = match count {
                1 => "stanza defines a term".to_owned(),
                _ => "stanzas define terms".to_owned(),
            };
            job.warn(format_args!(
                "{count} {stanzas} a second time, and what all stanzas say is kept; the first is \"{id}\" in line {line}"
            ));
        }
        if self.obsolete_edges > 0 {
            job.warn(format_args!(
                "{} edges of obsolete terms are left out",
                self.obsolete_edges
            ));
        }
        if !self.others.is_empty() {
            let shown: Vec<String> = self
                .others
                .iter()
                .map(|(tag, count)| format!("{count} of {tag}"))
                .collect();
            job.warn(format_args!(
                "clauses that are not loaded: {}",
                shown.join(", ")
            ));
        }
        self.ontology.finish(job);
    }
}

/// The line of a clause as a source.
fn source(job: &mut Job<'_>, clause: &Clause) -> Result<SourceKey, BuildError> {
    let range = Some((clause.start, clause.end));
    let document = &job.request.document;
    job.builder
        .source(&clause.text, document, range, Some(clause.line))
}
