//! The first reading: the kinds of objects that each predicate has, which nodes are
//! terms of a taxonomy, and what nodes are called.

use super::source::{Next, Source};
use crate::lattice::KindSpec;
use crate::load::job::Job;
use crate::load::{Form, LoadError, names};
use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
pub(super) const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// The predicates whose literals are names of their subjects, those that are given
/// before others first.
const NAMES: [&str; 3] = [
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://xmlns.com/foaf/0.1/name",
];
const OTHER_NAMES: [&str; 2] = [
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://www.w3.org/2004/02/skos/core#hiddenLabel",
];

/// The kinds of objects that a predicate has.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    pub nodes: bool,
    numbers: bool,
    dates: bool,
    texts: bool,
    /// The languages of its texts, where these have dimensions of their own.
    pub languages: BTreeSet<String>,
}

impl Objects {
    /// The kind of its literals without a language of their own, if it has any.
    pub fn literals(&self) -> Option<KindSpec> {
        match (self.numbers, self.dates, self.texts) {
            (false, false, false) => None,
            (true, false, false) => Some(KindSpec::Number { unit: None }),
            (false, true, false) => Some(KindSpec::Date),
            _ => Some(KindSpec::Text),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralKind {
    Number,
    Date,
    Text,
}

pub(super) fn literal_kind(literal: &Literal) -> LiteralKind {
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

/// How a file is taken.
pub(super) struct Rules {
    /// Predicates that order the taxonomy, by IRI or last segment; those of RDFS and
    /// SKOS if empty.
    edges: Vec<String>,
    /// The language of names.
    language: String,
    /// Whether texts with a language have dimensions of their own, and labels are
    /// texts too. Of N-Triples neither is so.
    pub tagged: bool,
}

impl Rules {
    pub fn of(job: &Job<'_>) -> Rules {
        let (request, options) = (&job.request, &job.options);
        let edges = match request.edges.as_slice() {
            [] => options.edges.clone(),
            edges => edges.to_vec(),
        };
        let language = request.language.as_ref().or(options.language.as_ref());
        let by_line = match request.form {
            Some(form) => form == Form::NTriples,
            None => Form::of_ending(&request.path) == Some(Form::NTriples),
        };
        Rules {
            edges,
            language: language.map_or_else(|| "en".to_owned(), |tag| tag.to_lowercase()),
            tagged: !by_line,
        }
    }

    /// Whether the predicate leads from the lower value up, or down; none if it does
    /// not order values.
    fn leads_up(&self, predicate: &str) -> Option<bool> {
        let down = predicate.strip_prefix(SKOS) == Some("narrower");
        if self.edges.is_empty() {
            let orders = down
                || predicate.strip_prefix(SKOS) == Some("broader")
                || predicate.strip_prefix(RDFS) == Some("subClassOf");
            return orders.then_some(!down);
        }
        let short = super::names::last_segment(predicate);
        let asked = |edge: &String| *edge == predicate || *edge == short;
        self.edges.iter().any(asked).then_some(!down)
    }

    /// The upper and lower value that a triple orders, if it does.
    pub fn edge<'t>(&self, triple: &'t Triple) -> Option<(&'t str, &'t str)> {
        let up = self.leads_up(triple.predicate.as_str())?;
        let (NamedOrBlankNode::NamedNode(subject), Term::NamedNode(object)) =
            (&triple.subject, &triple.object)
        else {
            return None;
        };
        Some(match up {
            true => (object.as_str(), subject.as_str()),
            false => (subject.as_str(), object.as_str()),
        })
    }

    /// Whether a predicate's literals name its subject.
    pub fn is_label(&self, predicate: &str) -> bool {
        let hidden = predicate.strip_prefix(SKOS) == Some("hiddenLabel");
        (NAMES.contains(&predicate) || OTHER_NAMES.contains(&predicate)) && (self.tagged || !hidden)
    }

    /// The rank of a label as a name, a smaller one first: in the wished language or
    /// a variant of it, without language, in another one.
    fn rank<'t>(&self, predicate: &str, literal: &'t Literal) -> Option<LabelRank<'t>> {
        let kind = NAMES.iter().position(|name| *name == predicate)?;
        let tag = literal.language().unwrap_or("");
        let is_variant = tag
            .strip_prefix(self.language.as_str())
            .is_some_and(|rest| rest.starts_with('-'));
        let language = match tag {
            "" => 2,
            tag if tag == self.language => 0,
            _ if is_variant => 1,
            _ => 3,
        };
        Some((language, kind, tag, literal.value()))
    }
}

/// Language, predicate, tag and text.
type LabelRank<'t> = (u8, usize, &'t str, &'t str);

/// ⊤ is implicit, and no value.
pub(super) fn is_top(iri: &str) -> bool {
    iri.strip_prefix(OWL) == Some("Thing") || iri.strip_prefix(RDFS) == Some("Resource")
}

fn is_class_of_terms(iri: &str) -> bool {
    iri.strip_prefix(OWL) == Some("Class")
        || iri.strip_prefix(RDFS) == Some("Class")
        || iri.strip_prefix(SKOS) == Some("Concept")
}

/// What the first reading finds.
#[derive(Default)]
pub(super) struct Survey {
    pub predicates: BTreeMap<String, Objects>,
    /// The nodes that are values of the taxonomy.
    pub terms: HashSet<String>,
    /// The name of a node by its labels.
    pub labels: HashMap<String, String>,
    /// What is told to be a type.
    types: BTreeSet<String>,
}

/// Language, predicate, tag and text of the best label so far.
type Label = (u8, usize, String, String);

/// Reads the file of a job for the first time.
pub(super) fn survey(job: &mut Job<'_>, rules: &Rules) -> Result<Survey, LoadError> {
    let mut survey = Survey::default();
    let mut labels: HashMap<String, Label> = HashMap::new();
    let mut source = Source::open(job)?;
    while let Some(next) = source.next(job, false)? {
        // What is wrong is told at the second reading.
        let Next::Triple(stated) = next else { continue };
        survey.note(rules, &stated.triple);
        label(rules, &stated.triple, &mut labels);
    }
    survey.labels = labels
        .into_iter()
        .map(|(iri, (_, _, _, text))| (iri, text))
        .collect();
    // Types that are no terms are instances as elsewhere.
    let types = std::mem::take(&mut survey.types);
    if types.iter().any(|iri| !survey.terms.contains(iri)) {
        let objects = survey.predicates.entry(TYPE.to_owned()).or_default();
        objects.nodes = true;
    }
    Ok(survey)
}

impl Survey {
    fn note(&mut self, rules: &Rules, triple: &Triple) {
        if let Some((upper, lower)) = rules.edge(triple) {
            for term in [upper, lower] {
                if !is_top(term) && !self.terms.contains(term) {
                    self.terms.insert(term.to_owned());
                }
            }
            return;
        }
        let predicate = triple.predicate.as_str();
        if predicate == TYPE
            && let Term::NamedNode(object) = &triple.object
        {
            if let NamedOrBlankNode::NamedNode(subject) = &triple.subject
                && is_class_of_terms(object.as_str())
                && !is_top(subject.as_str())
            {
                self.terms.insert(subject.as_str().to_owned());
            }
            if !self.types.contains(object.as_str()) {
                self.types.insert(object.as_str().to_owned());
            }
            return;
        }
        let objects = match self.predicates.get_mut(predicate) {
            Some(objects) => objects,
            None => self.predicates.entry(predicate.to_owned()).or_default(),
        };
        match &triple.object {
            Term::Literal(literal) => match (literal.language(), literal_kind(literal)) {
                (Some(tag), _) if rules.tagged => {
                    if !objects.languages.contains(tag) {
                        objects.languages.insert(tag.to_owned());
                    }
                }
                (_, LiteralKind::Number) => objects.numbers = true,
                (_, LiteralKind::Date) => objects.dates = true,
                (_, LiteralKind::Text) => objects.texts = true,
            },
            _ => objects.nodes = true,
        }
    }
}

fn label(rules: &Rules, triple: &Triple, labels: &mut HashMap<String, Label>) {
    let (NamedOrBlankNode::NamedNode(subject), Term::Literal(literal)) =
        (&triple.subject, &triple.object)
    else {
        return;
    };
    let Some(rank) = rules.rank(triple.predicate.as_str(), literal) else {
        return;
    };
    if names::clean(rank.3).is_none() {
        return;
    }
    let owned = |(language, kind, tag, text): LabelRank<'_>| {
        (language, kind, tag.to_owned(), text.to_owned())
    };
    match labels.get_mut(subject.as_str()) {
        Some(best) if (best.0, best.1, best.2.as_str(), best.3.as_str()) <= rank => {}
        Some(best) => *best = owned(rank),
        None => {
            labels.insert(subject.as_str().to_owned(), owned(rank));
        }
    }
}
