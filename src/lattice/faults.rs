//! What is wrong with taxonomies, once everything has been said.

use super::EvidenceId;
use super::builder::{Builder, Fact};
use super::defect::{Defect, Fault};
use super::fact_store::FactView;
use super::intern::{NONE, StringKey};
use super::merge::Order;
use super::ranks::{Instances, Ranks};
use super::resolve::Resolved;
use std::collections::{BTreeSet, HashSet};
use std::io;

/// The faults of each dimension, with the keys of their sources or [`NONE`]. Where
/// some source shows a fault, that it is also said without one is left out.
pub(super) fn faults(
    builder: &Builder,
    facts: &FactView,
    resolved: &Resolved,
    orders: &[Option<Order<'_>>],
    instances: &Instances,
) -> io::Result<Vec<Vec<(Fault, u32)>>> {
    let mut all: Vec<Vec<(Fault, u32)>> = vec![Vec::new(); orders.len()];
    for (faults, order) in all.iter_mut().zip(orders) {
        let inner = order.iter().flat_map(|order| &order.inner);
        faults.extend(inner.map(|edge| {
            let fault = Fault::CycleEdge {
                upper: builder.term_name(edge.upper).to_owned(),
                lower: builder.term_name(edge.lower).to_owned(),
            };
            (fault, edge.source)
        }));
    }
    let defined = defined(builder, facts, resolved, orders, instances)?;
    for note in &builder.notes {
        let term = builder.strings.get(note.term).to_owned();
        let fault = match note.user {
            Some(_) if defined.contains(&(note.dimension, note.term)) => continue,
            Some(user) => Fault::Undefined {
                term,
                user: builder.strings.get(user).to_owned(),
            },
            None => Fault::Duplicate { term },
        };
        if let Some(faults) = all.get_mut(resolved.id(note.dimension)) {
            faults.push((fault, note.source));
        }
    }
    for faults in &mut all {
        faults.sort_unstable();
        faults.dedup();
        // NONE is the greatest key: it stands last.
        let mut before: Option<Fault> = None;
        faults.retain(|(fault, source)| {
            let told = *source == NONE && before.as_ref() == Some(fault);
            before = Some(fault.clone());
            !told
        });
    }
    Ok(all)
}

/// Of the terms that are noted as parents, those that are defined: an instance of
/// this id is at this value.
fn defined(
    builder: &Builder,
    facts: &FactView,
    resolved: &Resolved,
    orders: &[Option<Order<'_>>],
    instances: &Instances,
) -> io::Result<HashSet<(u32, StringKey)>> {
    let notes = builder.notes.iter();
    let asked: HashSet<(u32, StringKey)> = notes
        .filter(|note| note.user.is_some())
        .map(|note| (note.dimension, note.term))
        .collect();
    let mut defined = HashSet::new();
    let dimensions: BTreeSet<u32> = asked.iter().map(|(dimension, _)| *dimension).collect();
    for dimension in dimensions {
        let order = orders.get(resolved.id(dimension)).and_then(Option::as_ref);
        let value = |term: &u32| order.and_then(|order| order.values.get(term));
        let mut look = |fact: &Fact| {
            let home = instances.home(fact.subject);
            let inst = home.and_then(|key| builder.instances.get(key as usize))?;
            let term = Some((dimension, inst.id)).filter(|term| asked.contains(term))?;
            let own = value(builder.term_by_name.get(&term)?)?;
            (Some(own) == value(&fact.value)).then(|| defined.insert(term))
        };
        let key = u16::try_from(dimension).map_err(io::Error::other)?;
        facts.each(Some(key), |columns| {
            if !columns.denied {
                columns.iter().for_each(|fact| {
                    look(&fact);
                });
            }
        })?;
    }
    Ok(defined)
}

/// Faults with the numbers of their evidence, sorted.
pub(super) fn defects(faults: &[(Fault, u32)], ranks: &Ranks) -> Vec<Defect> {
    let mut defects: Vec<Defect> = faults
        .iter()
        .map(|(fault, source)| {
            let rank = ranks.source(*source);
            Defect {
                fault: fault.clone(),
                evidence: (rank != NONE).then_some(EvidenceId(rank)),
            }
        })
        .collect();
    defects.sort_unstable();
    defects.dedup();
    defects
}
