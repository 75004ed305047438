//! RDF: N-Triples, and through their parsers Turtle, RDF/XML and JSON-LD. The file is
//! read twice: first for what kind of objects each predicate has, which nodes are
//! terms and what they are called, then for the facts.
//!
//! Where a file has classes or concepts, they are the terms of a taxonomy:
//! `rdfs:subClassOf`, `skos:broader` and `skos:narrower` order them, and a type that
//! is a term is a value in that taxonomy. Everything else is a fact.
//!
//! A predicate with both nodes and literals has two dimensions, and the one that is
//! declared first has its name; so has the first of two predicates whose IRIs end
//! alike. Where such a predicate is spread over several files, their order matters;
//! a declaration before them settles it.

mod dimensions;
#[cfg(feature = "rdf")]
mod entities;
mod names;
mod source;
mod survey;

use super::job::Job;
use super::ontology::{Label, Ontology, taxonomy_name};
use super::{LoadError, values};
use crate::lattice::{BuildError, DimKey, FactValue, InstKey, SourceKey, Who};
use dimensions::{Dimensions, declare};
use names::{last_segment, local_names};
use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};
use source::{Next, Source, Stated};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use survey::{LiteralKind, Rules, Survey, TYPE, is_top, literal_kind, survey};

/// The loading of one file.
struct Loader {
    rules: Rules,
    survey: Survey,
    dimensions: HashMap<String, Dimensions>,
    /// The taxonomy, if the file has terms.
    ontology: Option<Ontology>,
}

/// Loads the file of a job.
pub(super) fn load(job: &mut Job<'_>) -> Result<(), LoadError> {
    let rules = Rules::of(job);
    let survey = survey(job, &rules)?;
    let ontology = match !survey.terms.is_empty() || job.request.table.is_some() {
        true => {
            let name = taxonomy_name(job);
            Some(Ontology::declare(job, name)?)
        }
        false => None,
    };
    if survey.predicates.is_empty() && survey.terms.is_empty() {
        job.warn("the file is empty: no line says anything");
    }
    let mut loader = Loader {
        dimensions: HashMap::new(),
        rules,
        survey,
        ontology,
    };
    let names = local_names(loader.survey.predicates.keys());
    for ((iri, objects), name) in loader.survey.predicates.iter().zip(names) {
        let only_names = !loader.rules.tagged && loader.rules.is_label(iri) && !objects.nodes;
        if !only_names {
            let found = declare(job, iri, &name, objects)?;
            loader.dimensions.insert(iri.clone(), found);
        }
    }
    loader.record_all(job)?;
    if let Some(ontology) = loader.ontology {
        // A stub is found by the end of its id as the others are.
        for term in &loader.survey.terms {
            if !ontology.has(term) && job.builder.has_value(ontology.d, term) {
                let done = job
                    .builder
                    .add_synonym(ontology.d, term, &last_segment(term));
                done.map_err(|error| job.refused(error))?;
            }
        }
        ontology.finish(job);
    }
    Ok(())
}

impl Loader {
    /// The second reading: the facts.
    fn record_all(&mut self, job: &mut Job<'_>) -> Result<(), LoadError> {
        let mut source = Source::open(job)?;
        let mut languages = BTreeSet::new();
        while let Some(next) = source.next(job, true)? {
            let stated = match next {
                Next::Triple(stated) => stated,
                Next::Bad(line, offset, reason) => {
                    job.bad(line, offset, reason)?;
                    continue;
                }
            };
            if !self.rules.tagged
                && let Term::Literal(literal) = &stated.triple.object
                && let Some(language) = literal.language()
                && !languages.contains(language)
            {
                languages.insert(language.to_owned());
            }
            let checkpoint = job.builder.checkpoint();
            let facts = job.report.facts;
            let done = self.record(job, &stated);
            if let Some(ontology) = &mut self.ontology {
                ontology.settle(done.is_ok());
            }
            match done {
                Ok(()) => job.builder.release(checkpoint),
                Err(reason) => {
                    job.builder.rollback(checkpoint);
                    job.report.facts = facts;
                    let (line, offset) = (stated.line, stated.range.map(|range| range.0));
                    let reason = match line {
                        Some(_) => reason,
                        None => format!("{} {reason}", shortened(&stated.text)),
                    };
                    job.bad(line.unwrap_or(0), offset.unwrap_or(0), reason)?;
                }
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

    fn record(&mut self, job: &mut Job<'_>, stated: &Stated) -> Result<(), String> {
        let refused = |error: BuildError| error.to_string();
        let triple = &stated.triple;
        self.define(job, stated).map_err(refused)?;
        if let Some((upper, lower)) = self.rules.edge(triple) {
            return self.edge(job, upper, lower, stated).map_err(refused);
        }
        if let Some((d, term)) = self.kind(job, triple) {
            let subject = self.node(job, &triple.subject).map_err(refused)?;
            let source = source_of(job, stated).map_err(refused)?;
            let value = FactValue::Term(&term);
            return job.fact(subject, d, value, source).map_err(refused);
        }
        let label = match &triple.object {
            Term::Literal(literal) if self.rules.is_label(triple.predicate.as_str()) => {
                let word = super::names::clean(literal.value());
                Some(word.ok_or("the label is empty; fill it in")?.into_owned())
            }
            _ => None,
        };
        if let Some(word) = label {
            self.call(job, &triple.subject, &word).map_err(refused)?;
            if !self.rules.tagged {
                return Ok(());
            }
        }
        self.fact(job, stated)
    }

    /// Makes a term of the subject, at the first triple that says something of it.
    fn define(&mut self, job: &mut Job<'_>, stated: &Stated) -> Result<(), BuildError> {
        let (Some(ontology), NamedOrBlankNode::NamedNode(subject)) =
            (&mut self.ontology, &stated.triple.subject)
        else {
            return Ok(());
        };
        let iri = subject.as_str();
        if !self.survey.terms.contains(iri) || ontology.has(iri) {
            return Ok(());
        }
        let source = source_of(job, stated)?;
        let short = last_segment(iri);
        let label = self.survey.labels.get(iri);
        let label = label.and_then(|label| super::names::clean(label));
        let label = label.as_deref();
        let label = label.map_or(Label::Derived(&short), Label::Given);
        ontology.define(job, iri, label, source)?;
        job.builder.add_synonym(ontology.d, iri, &short)
    }

    fn edge(
        &mut self,
        job: &mut Job<'_>,
        upper: &str,
        lower: &str,
        stated: &Stated,
    ) -> Result<(), BuildError> {
        let Some(ontology) = &mut self.ontology else {
            return Ok(());
        };
        if is_top(upper) || is_top(lower) {
            return Ok(());
        }
        let source = source_of(job, stated)?;
        ontology.order(job, upper, lower, source)?;
        // The subject is defined by this very triple.
        let (object, subject) = match &stated.triple.object {
            Term::NamedNode(node) if node.as_str() == lower => (lower, upper),
            _ => (upper, lower),
        };
        ontology.expect(job, object, subject, source, stated.line)
    }

    /// The value that a type is, if it is a term of this file or of the taxonomy.
    fn kind(&self, job: &Job<'_>, triple: &Triple) -> Option<(DimKey, String)> {
        let ontology = self.ontology.as_ref()?;
        let Term::NamedNode(object) = &triple.object else {
            return None;
        };
        let term = object.as_str();
        let is_term = triple.predicate.as_str() == TYPE
            && (self.survey.terms.contains(term) || job.builder.has_value(ontology.d, term));
        is_term.then(|| (ontology.d, term.to_owned()))
    }

    /// Gives a subject a name; a term's value another word.
    fn call(
        &self,
        job: &mut Job<'_>,
        subject: &NamedOrBlankNode,
        word: &str,
    ) -> Result<(), BuildError> {
        let instance = self.node(job, subject)?;
        match (&self.ontology, subject) {
            (Some(ontology), NamedOrBlankNode::NamedNode(node))
                if self.survey.terms.contains(node.as_str()) =>
            {
                ontology.call(job, node.as_str(), instance, word)
            }
            _ => job.builder.add_alias(instance, word),
        }
    }

    /// Records a triple as a fact.
    fn fact(&self, job: &mut Job<'_>, stated: &Stated) -> Result<(), String> {
        let refused = |error: BuildError| error.to_string();
        let triple = &stated.triple;
        let predicate = triple.predicate.as_str();
        let found = self.dimensions.get(predicate);
        let found = found.ok_or("the predicate has no dimension")?;
        let word = match &triple.object {
            Term::Literal(literal) => Some(literal_text(literal)),
            _ => None,
        };
        let (d, value) = match (&triple.object, &word) {
            (Term::Literal(literal), Some(word)) => {
                let tag = literal.language().filter(|_| self.rules.tagged);
                let own = tag.and_then(|tag| found.languages.get(tag).copied());
                let d = own.or(found.literals);
                let d = d.ok_or("no dimension takes this literal")?;
                let (value, unclear) = values::read(job.builder, d, word)?;
                if let Some(why) = unclear {
                    job.unclear(predicate, stated.line.unwrap_or(0), &why);
                }
                (d, Some(value))
            }
            _ => (found.nodes.ok_or("no dimension takes this node")?, None),
        };
        let subject = self.node(job, &triple.subject).map_err(refused)?;
        let instance = match (&value, &triple.object) {
            (Some(values::Read::Name(name)), _) => {
                Some(job.builder.instance(Who::Name(name)).map_err(refused)?)
            }
            (None, Term::NamedNode(object)) => {
                let object = NamedOrBlankNode::from(object.clone());
                Some(self.node(job, &object).map_err(refused)?)
            }
            (None, Term::BlankNode(object)) => {
                let object = NamedOrBlankNode::from(object.clone());
                Some(self.node(job, &object).map_err(refused)?)
            }
            _ => None,
        };
        let value = value.unwrap_or(values::Read::Name(""));
        let source = source_of(job, stated).map_err(refused)?;
        match value.fact_value(instance) {
            Some(value) => job.fact(subject, d, value, source).map_err(refused),
            None => Err("the object is neither an IRI nor a blank node nor a literal".to_owned()),
        }
    }

    /// The instance of an IRI, called by its label or last segment, or of a blank
    /// node of this file.
    fn node(&self, job: &mut Job<'_>, node: &NamedOrBlankNode) -> Result<InstKey, BuildError> {
        match node {
            NamedOrBlankNode::NamedNode(node) => {
                let iri = node.as_str();
                let named = self.rules.tagged || self.survey.terms.contains(iri);
                let label = self.survey.labels.get(iri).filter(|_| named);
                let label = label.and_then(|label| super::names::clean(label));
                let short = last_segment(iri);
                let label = label.as_deref();
                let label = label.map_or(Label::Derived(&short), Label::Given);
                job.builder.instance(label.who(iri))
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
}

/// The words of a triple as a source.
fn source_of(job: &mut Job<'_>, stated: &Stated) -> Result<SourceKey, BuildError> {
    let document = &job.request.document;
    job.builder
        .source(&stated.text, document, stated.range, stated.line)
}

/// What is read of a literal: of a date with a time zone only the date.
fn literal_text(literal: &Literal) -> Cow<'_, str> {
    let text = literal.value();
    if literal_kind(literal) != LiteralKind::Date {
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

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}
