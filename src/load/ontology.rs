//! The terms of an ontology: what the loaders of taxonomies have in common.
//!
//! A term becomes a value, and an instance of that id at that value, called by its
//! label. Label and synonyms are words for the value too.

use super::LoadError;
use super::job::Job;
use crate::lattice::{
    BuildError, DimKey, DimensionSpec, FactValue, InstKey, KindSpec, Multiplicity, SourceKey, Who,
};
use std::collections::{BTreeMap, HashSet};

/// What a term is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label<'a> {
    /// The file says so.
    Given(&'a str),
    /// It is taken from the id.
    Derived(&'a str),
    /// It has an id and no label.
    None,
}

impl<'a> Label<'a> {
    /// A label that the file gives, if it does.
    pub fn given(label: Option<&'a str>) -> Label<'a> {
        label.map_or(Label::None, Label::Given)
    }

    /// The instance of this id that is called so.
    pub fn who(self, id: &'a str) -> Who<'a> {
        let (name, given) = match self {
            Label::None => return Who::Id(id),
            Label::Given(name) => (name, true),
            Label::Derived(name) => (name, false),
        };
        Who::Listed { name, id, given }
    }
}

/// The taxonomy that a file fills.
pub(super) struct Ontology {
    /// Its dimension.
    pub d: DimKey,
    /// The terms that the file defines.
    defined: HashSet<String>,
    /// Those of them that may yet be taken back.
    latest: Vec<String>,
    /// The parents that it names and is to define, each with a term and the line
    /// that name it first, if it is known.
    parents: BTreeMap<String, (String, Option<u64>)>,
}

impl Ontology {
    /// Declares the taxonomy, unless it is declared before.
    pub fn declare(job: &mut Job<'_>, name: String) -> Result<Ontology, LoadError> {
        let mut spec = DimensionSpec::new(name.clone(), KindSpec::Taxonomy);
        spec.multiplicity = job.is_one(&name).then_some(Multiplicity::One);
        let d = job.infer(spec, Some(Multiplicity::Many))?;
        let spec = job.builder.spec(d);
        if spec.kind != KindSpec::Taxonomy {
            return Err(job.table_error(format!(
                "the terms of this file make a taxonomy, and dimension \"{name}\" is declared as another kind; load it AS another name"
            )));
        }
        Ok(Ontology {
            d,
            defined: HashSet::new(),
            latest: Vec::new(),
            parents: BTreeMap::new(),
        })
    }

    /// A term that the file defines: a value, and an instance at it.
    pub fn define(
        &mut self,
        job: &mut Job<'_>,
        id: &str,
        label: Label<'_>,
        source: SourceKey,
    ) -> Result<InstKey, BuildError> {
        job.builder.add_value(self.d, id)?;
        let instance = job.builder.instance(label.who(id))?;
        job.fact(instance, self.d, FactValue::Term(id), source)?;
        if let Label::Given(word) | Label::Derived(word) = label {
            job.builder.add_synonym(self.d, id, word)?;
        }
        if !self.defined.contains(id) {
            self.defined.insert(id.to_owned());
            self.latest.push(id.to_owned());
        }
        Ok(instance)
    }

    /// Ends a line or stanza of whose terms the builder keeps all or nothing.
    pub fn settle(&mut self, kept: bool) {
        for id in self.latest.drain(..) {
            if !kept {
                self.defined.remove(&id);
            }
        }
    }

    /// Whether the file has defined the term so far.
    pub fn has(&self, id: &str) -> bool {
        self.defined.contains(id)
    }

    /// Another word for a term and its value.
    pub fn call(
        &self,
        job: &mut Job<'_>,
        id: &str,
        instance: InstKey,
        word: &str,
    ) -> Result<(), BuildError> {
        job.builder.add_synonym(self.d, id, word)?;
        job.builder.add_alias(instance, word)
    }

    /// Places one value directly below another.
    pub fn order(
        &self,
        job: &mut Job<'_>,
        upper: &str,
        lower: &str,
        source: SourceKey,
    ) -> Result<(), BuildError> {
        job.builder.add_edge_of(self.d, upper, lower, Some(source))
    }

    /// Places a term directly below a parent, which is to be defined somewhere.
    pub fn place(
        &mut self,
        job: &mut Job<'_>,
        upper: &str,
        lower: &str,
        source: SourceKey,
        line: Option<u64>,
    ) -> Result<(), BuildError> {
        self.order(job, upper, lower, source)?;
        self.expect(job, upper, lower, source, line)
    }

    /// Says that a term, which another one names, is to be defined somewhere.
    pub fn expect(
        &mut self,
        job: &mut Job<'_>,
        term: &str,
        user: &str,
        source: SourceKey,
        line: Option<u64>,
    ) -> Result<(), BuildError> {
        job.builder.note_parent(self.d, term, user, Some(source))?;
        if !self.parents.contains_key(term) {
            let first = (user.to_owned(), line);
            self.parents.insert(term.to_owned(), first);
        }
        Ok(())
    }

    /// Warns of the parents that the file does not define.
    pub fn finish(self, job: &mut Job<'_>) {
        let parents = self.parents.iter();
        let mut undefined = parents.filter(|(parent, _)| !self.defined.contains(*parent));
        let Some((first, (user, line))) = undefined.next() else {
            return;
        };
        let count = undefined.count() + 1;
        let (parents, are) = match count {
            1 => ("parent is", "it is a value"),
            _ => ("parents are", "they are values"),
        };
        let line = line.map_or(String::new(), |line| format!(" in line {line}"));
        job.warn(format_args!(
            "{count} {parents} not defined in this file, and {are} without an instance until some file defines {them}; \"{first}\" is named by \"{user}\"{line}",
            them = if count == 1 { "it" } else { "them" }
        ));
    }
}

/// The name that the request gives, else the file's name without its ending.
pub(super) fn taxonomy_name(job: &Job<'_>) -> String {
    let stem = job.request.path.file_stem().and_then(|stem| stem.to_str());
    match (&job.request.table, stem) {
        (Some(name), _) => name.clone(),
        (None, Some(stem)) if !stem.trim().is_empty() => stem.to_owned(),
        _ => "taxonomy".to_owned(),
    }
}
