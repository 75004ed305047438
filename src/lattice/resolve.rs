//! From declarations to dimensions: names become numbers, and what one
//! declaration says about another is carried over.

use super::builder::{Builder, Dim};
use super::tables::Stated;
use super::{BuildError, Dimension, DimensionId, Kind, KindSpec, Multiplicity, Units};
use std::collections::HashMap;

/// The dimensions in canonical order.
pub(super) struct Resolved {
    pub(super) dimensions: Vec<Dimension>,
    pub(super) stated: Vec<Stated>,
    pub(super) units: Units,
    /// By key of the builder.
    ids: Vec<usize>,
    /// The builder's key of each dimension.
    keys: Vec<u16>,
}

impl Resolved {
    /// The index of the dimension of a key; one past the last if there is none.
    pub(super) fn id(&self, key: u32) -> usize {
        let none = self.dimensions.len();
        self.ids.get(key as usize).copied().unwrap_or(none)
    }

    /// The builder's key of a dimension.
    pub(super) fn key(&self, d: usize) -> Option<u16> {
        self.keys.get(d).copied()
    }
}

pub(super) fn resolve(builder: &Builder) -> Result<Resolved, BuildError> {
    let mut order: Vec<(&str, usize)> = builder
        .dims
        .iter()
        .enumerate()
        .map(|(key, dim)| (dim.spec.name.as_str(), key))
        .collect();
    order.sort_unstable();
    let ids: HashMap<&str, DimensionId> = (0u16..)
        .zip(&order)
        .map(|(d, (name, _))| (*name, DimensionId(d)))
        .collect();
    let by_name = |name: &str| builder.dims.get(*builder.dim_by_name.get(name)? as usize);
    let mut resolved = Resolved {
        dimensions: Vec::with_capacity(order.len()),
        stated: Vec::with_capacity(order.len()),
        units: builder.units().clone(),
        ids: vec![order.len(); order.len()],
        keys: Vec::with_capacity(order.len()),
    };
    for (d, &(name, key)) in order.iter().enumerate() {
        let Some(dim) = by_name(name) else { continue };
        if let Some(slot) = resolved.ids.get_mut(key) {
            *slot = d;
        }
        resolved.keys.push(key as u16);
        if let KindSpec::Number { unit: Some(unit) } = &dim.spec.kind {
            resolved.units.ensure(unit);
        }
        let inverse = dim.spec.inverse.as_deref().and_then(by_name);
        resolved.dimensions.push(Dimension {
            name: name.to_owned(),
            kind: kind_of(dim, &ids, by_name)?,
            multiplicity: dim.multiplicity().unwrap_or(Multiplicity::Many),
            complete: dim.spec.complete || inverse.is_some_and(|other| other.spec.complete),
            inverse: dim
                .spec
                .inverse
                .as_deref()
                .and_then(|name| ids.get(name).copied()),
            primary: inverse.is_none_or(|other| is_primary(dim, other)),
            strict: dim.spec.strict,
            aka: dim.spec.aka.clone(),
        });
        resolved.stated.push(Stated {
            dimension: dim.declared,
            multiplicity: dim.multiplicity().is_some(),
        });
    }
    Ok(resolved)
}

/// The declared one of a pair, the one of the smaller name if both are.
fn is_primary(dim: &Dim, other: &Dim) -> bool {
    match (dim.declared, other.declared) {
        (true, false) => true,
        (false, true) => false,
        _ => dim.spec.name <= other.spec.name,
    }
}

fn kind_of<'a>(
    dim: &Dim,
    ids: &HashMap<&str, DimensionId>,
    by_name: impl Fn(&str) -> Option<&'a Dim>,
) -> Result<Kind, BuildError> {
    Ok(match &dim.spec.kind {
        KindSpec::Taxonomy => Kind::Taxonomy,
        KindSpec::Number { unit } => Kind::Number { unit: unit.clone() },
        KindSpec::Date => Kind::Date,
        KindSpec::Text => Kind::Text,
        KindSpec::Entity { within: None } => Kind::Entity { within: None },
        KindSpec::Entity { within: Some(name) } => {
            let found = match by_name(name).map(|dim| &dim.spec.kind) {
                Some(KindSpec::Entity { .. }) => {
                    let within = ids.get(name.as_str()).copied();
                    return Ok(Kind::Entity { within });
                }
                Some(kind) => kind.word(),
                None => "not declared",
            };
            return Err(BuildError::NotARelation {
                dimension: dim.spec.name.clone(),
                within: name.clone(),
                found,
            });
        }
    })
}
