//! Why a script could not be run to its end.

use crate::syntax::Diagnostic;

/// Why a script, or a statement of it, could not be run. An abstention is no
/// error, and an expectation that does not hold is none here either.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScriptError {
    /// Something is wrong with the text, or with a file that it names.
    #[error("{}", first(.0))]
    Text(Vec<Diagnostic>),
    /// Something is wrong with a script that was loaded.
    #[error("{name}: {}", first(.diagnostics))]
    Loaded {
        /// The loaded script.
        name: String,
        /// Its text, which the diagnostics point into.
        text: String,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// Ctrl-C, or the caller's flag.
    #[error("interrupted")]
    Cancelled,
}

fn first(diagnostics: &[Diagnostic]) -> String {
    match diagnostics.split_first() {
        None => "the text cannot be run".to_string(),
        Some((one, [])) => one.to_string(),
        Some((one, rest)) => format!("{one} (and {} more)", rest.len()),
    }
}

impl From<Diagnostic> for ScriptError {
    fn from(diagnostic: Diagnostic) -> ScriptError {
        ScriptError::Text(vec![diagnostic])
    }
}
