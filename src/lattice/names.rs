//! What instances are called.

use super::InstanceId;

/// How well a name fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The name, exactly.
    Exact,
    /// The name, folded.
    Folded,
    /// An alias: exactly, else folded.
    Alias,
    /// Nothing is called so.
    None,
}

/// The instances that are called something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The first level at which any fits.
    pub level: Level,
    /// All that fit at that level, ascending.
    pub instances: Vec<InstanceId>,
}
