//! From a lattice back to a builder, to add to it.

use super::builder::{Builder, Dim, DimKey, FactValue, InstKey, SourceKey, Who};
use super::format::Part;
use super::snapshot::Lattice;
use super::spec::{DimensionSpec, KindSpec};
use super::{
    BuildError, Dimension, DimensionId, EvidenceId, Fault, InstanceId, Kind, Relation, StoreError,
    Value, ValueId,
};

impl Builder {
    /// A builder that has been told all that a lattice says. Freezing it gives the
    /// same bytes. What was said only by name, or inferred, is settled: every
    /// instance has its id, and every dimension its kind and multiplicity.
    ///
    /// # Errors
    /// If the lattice is damaged.
    pub fn from_lattice(lattice: &Lattice) -> Result<Builder, StoreError> {
        let mut builder = Builder::new();
        let image = lattice.image();
        let malformed = |_: BuildError| image.damaged(image.described(Part::Catalogue, None));
        builder.units = lattice.units().clone();
        let dimensions = builder.tell_dimensions(lattice).map_err(malformed)?;
        let instances = builder.tell_instances(lattice).map_err(malformed)?;
        let mut sources = Vec::new();
        for e in (0..lattice.counts().evidence as u32).map(EvidenceId) {
            let piece = lattice.evidence(e)?;
            let source = builder
                .source(&piece.text, &piece.document, piece.range, piece.line)
                .map_err(malformed)?;
            sources.push(source);
        }
        let keys = Keys {
            dimensions,
            instances,
            sources,
        };
        builder.tell_facts(lattice, &keys).map_err(malformed)?;
        builder.tell_defects(lattice, &keys).map_err(malformed)?;
        lattice.intact()?;
        Ok(builder)
    }

    fn tell_dimensions(&mut self, lattice: &Lattice) -> Result<Vec<DimKey>, BuildError> {
        let stated = &lattice.catalogue().stated;
        let mut keys = Vec::new();
        for (dimension, stated) in lattice.dimensions().iter().zip(stated) {
            let mut spec = spec_of(lattice, dimension);
            if !stated.multiplicity {
                spec.multiplicity = None;
            }
            let dim = Dim {
                spec,
                declared: stated.dimension,
                inferred: false,
                shown: None,
            };
            keys.push(DimKey(self.put_dimension(dim)?));
        }
        for (d, &key) in (0u16..).map(DimensionId).zip(&keys) {
            let Some(taxonomy) = lattice.taxonomy(d) else {
                continue;
            };
            let name = |v: u32| taxonomy.name(ValueId(v));
            for v in 0..taxonomy.len() as u32 {
                self.add_value(key, name(v))?;
            }
            for v in 0..taxonomy.len() as u32 {
                for &parent in taxonomy.dag().parents(v) {
                    self.add_edge(key, name(parent), name(v))?;
                }
                for word in taxonomy.synonyms(ValueId(v)) {
                    self.add_synonym(key, name(v), word)?;
                }
            }
        }
        Ok(keys)
    }

    /// What was merged is told as it was declared, so that it is merged again and
    /// each of its words still stands for a value.
    fn tell_defects(&mut self, lattice: &Lattice, keys: &Keys) -> Result<(), BuildError> {
        let dimensions = (0u16..).map(DimensionId).zip(&keys.dimensions);
        for (d, &key) in dimensions {
            for defect in lattice.defects(d) {
                let source = match defect.evidence {
                    None => None,
                    Some(e) => {
                        Some(*keys.sources.get(e.index()).ok_or(BuildError::UnknownKey {
                            what: "source",
                            key: e.0,
                        })?)
                    }
                };
                match &defect.fault {
                    Fault::CycleEdge { upper, lower } => {
                        self.admit_cycle_edge(key, upper, lower, source)?;
                    }
                    Fault::Undefined { term, user } => {
                        self.note_parent(key, term, user, source)?;
                    }
                    Fault::Duplicate { term } => self.note_duplicate(key, term, source)?,
                }
            }
        }
        Ok(())
    }

    fn tell_instances(&mut self, lattice: &Lattice) -> Result<Vec<InstKey>, BuildError> {
        let mut keys = Vec::with_capacity(lattice.instance_count() as usize);
        for i in (0..lattice.instance_count()).map(InstanceId) {
            let (name, id) = (lattice.name(i), lattice.id(i));
            let who = Who::Both { name, id };
            let key = match lattice.is_declared(i) {
                true => self.declare_instance(who)?,
                false => self.instance(who)?,
            };
            for word in lattice.aliases(i) {
                self.add_alias(key, word)?;
            }
            keys.push(key);
        }
        Ok(keys)
    }

    fn tell_facts(&mut self, lattice: &Lattice, keys: &Keys) -> Result<(), BuildError> {
        for (d, dimension) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
            if dimension.primary {
                self.tell_relation(lattice, d, &lattice.positive(d), false, keys)?;
                self.tell_relation(lattice, d, &lattice.negative(d), true, keys)?;
            }
        }
        Ok(())
    }

    fn tell_relation(
        &mut self,
        lattice: &Lattice,
        d: DimensionId,
        relation: &Relation<'_>,
        denied: bool,
        keys: &Keys,
    ) -> Result<(), BuildError> {
        let unknown = |what: &'static str, key: u32| BuildError::UnknownKey { what, key };
        let dimension = u32::from(d.0);
        let key = keys
            .dimensions
            .get(d.index())
            .ok_or_else(|| unknown("dimension", dimension))?;
        let instance = |i: u32| {
            let key = keys.instances.get(i as usize).copied();
            key.ok_or_else(|| unknown("instance", i))
        };
        for (i, row) in relation.rows() {
            let subject = instance(i.0)?;
            for (k, &v) in row.values().iter().enumerate() {
                let value = lattice.value(d, ValueId(v));
                let value = match &value {
                    Value::Term(name) => FactValue::Term(name),
                    Value::Instance(i) => FactValue::Instance(instance(i.0)?),
                    Value::Number(number) => FactValue::Number(number.clone()),
                    Value::Date(date) => FactValue::Date(*date),
                    Value::Text(text) => FactValue::Text(text),
                };
                for (e, confidence) in relation.sources(row.predicate(k)) {
                    let source = keys
                        .sources
                        .get(e.index())
                        .ok_or_else(|| unknown("source", e.0))?;
                    self.add_fact(subject, *key, value.clone(), denied, confidence, *source)?;
                }
            }
        }
        Ok(())
    }
}

/// The builder's keys for a lattice's numbers.
struct Keys {
    dimensions: Vec<DimKey>,
    instances: Vec<InstKey>,
    sources: Vec<SourceKey>,
}

/// A dimension as it could have been declared.
fn spec_of(lattice: &Lattice, dimension: &Dimension) -> DimensionSpec {
    let name = |d: DimensionId| lattice.dimension(d).name.clone();
    DimensionSpec {
        name: dimension.name.clone(),
        kind: match &dimension.kind {
            Kind::Taxonomy => KindSpec::Taxonomy,
            Kind::Entity { within } => KindSpec::Entity {
                within: within.map(name),
            },
            Kind::Number { unit } => KindSpec::Number { unit: unit.clone() },
            Kind::Date => KindSpec::Date,
            Kind::Text => KindSpec::Text,
        },
        multiplicity: Some(dimension.multiplicity),
        complete: dimension.complete,
        inverse: dimension.inverse.map(name),
        strict: dimension.strict,
        aka: dimension.aka.clone(),
    }
}
