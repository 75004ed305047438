//! The dimensions of a predicate.

use super::survey::Objects;
use crate::lattice::{DimKey, DimensionSpec, KindSpec, Multiplicity};
use crate::load::LoadError;
use crate::load::job::Job;
use crate::load::triples::declare_relation;
use std::collections::BTreeMap;

/// The dimensions of one predicate.
#[derive(Clone, Default)]
pub(super) struct Dimensions {
    pub nodes: Option<DimKey>,
    pub literals: Option<DimKey>,
    /// By language.
    pub languages: BTreeMap<String, DimKey>,
}

/// Declares the dimensions of a predicate: as declared before under its name, else
/// ENTITY for nodes and the common kind for literals; both, if it has both. Texts of
/// a language have a dimension of their own.
pub(super) fn declare(
    job: &mut Job<'_>,
    iri: &str,
    name: &str,
    objects: &Objects,
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
    for tag in &objects.languages {
        let own = format!("{name}_{tag}");
        let mut spec = DimensionSpec::new(own.clone(), KindSpec::Text);
        spec.multiplicity = job.is_one(&own).then_some(Multiplicity::One);
        spec.aka = vec![format!("{iri}@{tag}")];
        if job.builder.dimension(&own).is_none() {
            job.report.relations.push((own, None));
        }
        let d = job.infer(spec, Some(Multiplicity::Many))?;
        found.languages.insert(tag.clone(), d);
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
