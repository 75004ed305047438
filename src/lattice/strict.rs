//! STRICT: a taxonomy that fails its check does not go live (paper, section 3.1).

use super::BuildError;
use super::merge::Order;
use crate::order::{Dag, check};

/// Refuses the order of a STRICT taxonomy that is not legitimate, or could not be
/// shown to be.
///
/// # Errors
/// [`BuildError::Illegitimate`], with what shows it.
pub(super) fn go_live(dimension: &str, order: &Order<'_>) -> Result<(), BuildError> {
    let refused = |why: String| {
        Err(BuildError::Illegitimate {
            dimension: dimension.to_owned(),
            why,
        })
    };
    // `merged` leaves no cycle; an order without values is legitimate.
    let Ok(dag) = Dag::new(order.names.len() as u32, &order.edges) else {
        return refused("its edges run in a circle".to_owned());
    };
    let Some(found) = check(&dag, &mut || false) else {
        return refused("the check was stopped".to_owned());
    };
    let name = |node: u32| order.names.get(node as usize).copied().unwrap_or("");
    if let Some(first) = &found.meets.first {
        let maximal: Vec<String> = first
            .maximal
            .iter()
            .map(|&node| format!("\"{}\"", name(node)))
            .collect();
        return refused(format!(
            "\"{}\" and \"{}\" have no single meet, but {{{}}}",
            name(first.a),
            name(first.b),
            maximal.join(", ")
        ));
    }
    if let Some(first) = &found.law.first {
        return refused(format!(
            "the distributive law fails for \"{}\", \"{}\" and \"{}\": \"{}\" is not \"{}\"",
            name(first.x),
            name(first.y),
            name(first.z),
            name(first.left),
            name(first.right)
        ));
    }
    match (found.meets_unique(), found.distributive()) {
        (Some(true), Some(true)) => Ok(()),
        (Some(false), _) | (_, Some(false)) => refused("the distributive law fails".to_owned()),
        _ => refused("whether it is legitimate could not be decided within the limit".to_owned()),
    }
}
