//! The relations and texts of an OBO file, as dimensions.

use super::clause::{Typed, id, tag, typedef};
use super::stanza::{Kind, Stanzas};
use crate::lattice::{DimKey, DimensionSpec, KindSpec, Multiplicity};
use crate::load::LoadError;
use crate::load::job::Job;
use fastobo::parser::Cache;
use std::collections::{BTreeMap, HashMap};

/// What the typedefs say of a relation.
#[derive(Default)]
struct Typedef {
    name: Option<String>,
    inverse_of: Option<String>,
    symmetric: bool,
}

/// The dimensions of a file, declared at their first use.
pub(super) struct Dimensions {
    /// By id.
    typedefs: BTreeMap<String, Typedef>,
    /// The inverse of a relation, both ways.
    inverses: HashMap<String, String>,
    /// The dimension that each relation is called.
    names: HashMap<String, String>,
    relations: HashMap<String, DimKey>,
    texts: HashMap<String, DimKey>,
}

impl Dimensions {
    /// The first reading of a file: its typedefs, which may stand behind their uses.
    pub fn survey(job: &mut Job<'_>, cache: &Cache) -> Result<Dimensions, LoadError> {
        let mut typedefs: BTreeMap<String, Typedef> = BTreeMap::new();
        let mut stanzas = Stanzas::open(job, false)?;
        while let Some(stanza) = stanzas.next(job)? {
            if stanza.kind != Kind::Typedef {
                continue;
            }
            let mut ids = stanza.clauses.iter().filter(|c| tag(&c.text) == "id");
            let Some(Ok(id)) = ids.next().map(|clause| id(&clause.text, cache)) else {
                continue;
            };
            let relation = typedefs.entry(id).or_default();
            for clause in &stanza.clauses {
                match typedef(&clause.text, cache) {
                    Typed::Name(name) => relation.name = Some(name),
                    Typed::InverseOf(other) => relation.inverse_of = Some(other),
                    Typed::Symmetric => relation.symmetric = true,
                    Typed::Nothing => {}
                }
            }
        }
        Ok(Dimensions {
            names: names(&typedefs),
            inverses: inverses(&typedefs),
            typedefs,
            relations: HashMap::new(),
            texts: HashMap::new(),
        })
    }

    /// What a relation is called in the lattice.
    pub fn name(&self, relation: &str) -> String {
        let known = self.names.get(relation);
        known.map_or_else(|| relation.to_owned(), String::clone)
    }

    /// The dimension of a relation between instances.
    pub fn relation(&mut self, job: &mut Job<'_>, relation: &str) -> Result<DimKey, LoadError> {
        if let Some(&d) = self.relations.get(relation) {
            return Ok(d);
        }
        let mut name = self.name(relation);
        let kind = |job: &Job<'_>, name: &str| {
            let d = job.builder.dimension(name)?;
            Some((d, job.builder.spec(d).kind.clone()))
        };
        if let Some((_, kind)) = kind(job, &name)
            && !matches!(kind, KindSpec::Entity { .. })
        {
            name = format!("{name}_entity");
        }
        let declared = kind(job, &name).filter(|(d, _)| !job.builder.is_inferred(*d));
        let d = match declared {
            Some((d, KindSpec::Entity { .. })) => d,
            _ => self.declare(job, relation, &name)?,
        };
        self.relations.insert(relation.to_owned(), d);
        Ok(d)
    }

    fn declare(&self, job: &mut Job<'_>, relation: &str, name: &str) -> Result<DimKey, LoadError> {
        let typedef = self.typedefs.get(relation);
        let inverse = match self.inverses.get(relation) {
            Some(other) => self.name(other),
            None => format!("{name}_inverse"),
        };
        let mut spec = DimensionSpec::new(name, KindSpec::Entity { within: None });
        spec.multiplicity = job.is_one(name).then_some(Multiplicity::One);
        spec.inverse = Some(inverse.clone());
        let words = [Some(relation), typedef.and_then(|t| t.name.as_deref())];
        spec.aka = words
            .into_iter()
            .flatten()
            .filter(|word| *word != name)
            .map(str::to_owned)
            .collect();
        let known = job.builder.dimension(name).is_some();
        let d = job.infer(spec, Some(Multiplicity::Many))?;
        if !known {
            let told = (name.to_owned(), Some(inverse));
            job.report.relations.push(told);
        }
        Ok(d)
    }

    /// The dimension of texts of this name, or of a property of this id.
    pub fn text(&mut self, job: &mut Job<'_>, property: &str) -> Result<DimKey, LoadError> {
        if let Some(&d) = self.texts.get(property) {
            return Ok(d);
        }
        let mut name = self.name(property);
        let known = job.builder.dimension(&name);
        if known.is_some_and(|d| self.relations.values().any(|other| *other == d)) {
            name = format!("{name}_text");
        }
        let known = job.builder.dimension(&name);
        let d = match known.filter(|d| !job.builder.is_inferred(*d)) {
            Some(d) => d,
            None => {
                let kind = match property {
                    "creation_date" => KindSpec::Date,
                    _ => KindSpec::Text,
                };
                let mut spec = DimensionSpec::new(name.clone(), kind);
                spec.multiplicity = job.is_one(&name).then_some(Multiplicity::One);
                if known.is_none() {
                    job.report.relations.push((name, None));
                }
                job.infer(spec, Some(Multiplicity::Many))?
            }
        };
        self.texts.insert(property.to_owned(), d);
        Ok(d)
    }
}

/// A relation is called by its id where that is a word, and else by its name, if no
/// other relation is called so: `part_of`, and `has_characteristic` for RO:0000053.
fn names(typedefs: &BTreeMap<String, Typedef>) -> HashMap<String, String> {
    let word = |id: &str, typedef: &Typedef| match &typedef.name {
        Some(name) if id.contains(':') => name.split_whitespace().collect::<Vec<_>>().join("_"),
        _ => id.to_owned(),
    };
    let mut uses: HashMap<String, usize> = HashMap::new();
    for (id, typedef) in typedefs {
        *uses.entry(word(id, typedef)).or_default() += 1;
    }
    let name = |(id, typedef): (&String, &Typedef)| {
        let word = word(id, typedef);
        let own = uses.get(&word) == Some(&1) && word != "name";
        (id.clone(), if own { word } else { id.clone() })
    };
    typedefs.iter().map(name).collect()
}

/// The inverse of each relation that has one, the same for both.
fn inverses(typedefs: &BTreeMap<String, Typedef>) -> HashMap<String, String> {
    let mut inverses: HashMap<String, String> = HashMap::new();
    for (id, typedef) in typedefs {
        if typedef.symmetric {
            inverses.insert(id.clone(), id.clone());
        }
    }
    for (id, typedef) in typedefs {
        if let Some(other) = &typedef.inverse_of
            && !inverses.contains_key(id)
            && !inverses.contains_key(other)
        {
            inverses.insert(id.clone(), other.clone());
            inverses.insert(other.clone(), id.clone());
        }
    }
    inverses
}
