//! Statements that look at whole dimensions.

use super::error::ScriptError;
use super::session::{run_error, unknown};
use crate::engine::Budget;
use crate::lattice::{DimensionId, Lattice};
use crate::syntax::tree::{Across, Name, Query, Span};
use crate::syntax::{Code, Diagnostic};
use crate::theory::{self, Report, TheoryError};

/// What is looked at.
pub(super) enum Look<'t> {
    Check(&'t Name),
    Width(&'t Name),
    Independence(&'t Name, &'t Name),
    Concepts(&'t Across),
    Implications(&'t Across),
    Suggest(&'t Query),
}

impl Look<'_> {
    /// Looks.
    pub(super) fn at(
        &self,
        lattice: &Lattice,
        budget: &Budget,
        span: Span,
    ) -> Result<Report, ScriptError> {
        lattice
            .intact()
            .map_err(|error| super::session::store_error(&error, span))?;
        let one = |name: &Name| dimension(lattice, name);
        let failed = |error: TheoryError| theory_error(error, span);
        Ok(match self {
            Look::Check(name) => {
                let found = theory::check(lattice, one(name)?, budget);
                Report::Check(Box::new(found.map_err(failed)?))
            }
            Look::Width(name) => {
                Report::Width(theory::width(lattice, one(name)?, budget).map_err(failed)?)
            }
            Look::Independence(a, b) => Report::Independence(
                theory::independence(lattice, one(a)?, one(b)?, budget).map_err(failed)?,
            ),
            Look::Concepts(across) => {
                let (dimensions, support) = all(lattice, across, 0)?;
                let found = theory::concepts(lattice, &dimensions, support, budget);
                Report::Concepts(found.map_err(failed)?)
            }
            Look::Implications(across) => {
                // What holds of nothing would be most of it.
                let (dimensions, support) = all(lattice, across, 1)?;
                let found = theory::implications(lattice, &dimensions, support, budget);
                Report::Implications(found.map_err(failed)?)
            }
            Look::Suggest(query) => {
                Report::Suggest(theory::suggest(lattice, query, budget).map_err(failed)?)
            }
        })
    }
}

fn dimension(lattice: &Lattice, name: &Name) -> Result<DimensionId, ScriptError> {
    lattice.find_dimension(&name.text).ok_or_else(|| {
        let near = lattice.nearest_dimensions(&name.text);
        unknown(&name.text, "dimension", near, name.span)
    })
}

/// The dimensions without repetitions, and the least support.
fn all(
    lattice: &Lattice,
    across: &Across,
    unless_said: u64,
) -> Result<(Vec<DimensionId>, u64), ScriptError> {
    let mut dimensions = Vec::new();
    for name in &across.dimensions {
        let d = dimension(lattice, name)?;
        if !dimensions.contains(&d) {
            dimensions.push(d);
        }
    }
    // More digits than a number holds ask for more than there is.
    let support = across.support.as_ref();
    let support = support.map_or(unless_said, |digits| digits.parse().unwrap_or(u64::MAX));
    Ok((dimensions, support))
}

fn theory_error(error: TheoryError, span: Span) -> ScriptError {
    match error {
        TheoryError::Run(error) => run_error(error, span),
        TheoryError::NoOrder(error) => Diagnostic::error(Code::E412, error.to_string())
            .label(span, "its order is inclusion")
            .into(),
        TheoryError::TooLarge(why) => Diagnostic::error(Code::E413, why)
            .label(span, "too large")
            .help("ask about fewer dimensions, or about a part")
            .into(),
    }
}
