//! Source text.

/// A piece of source text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evidence {
    /// The document, as it was named when it was loaded.
    pub document: String,
    /// Half-open range of bytes in the document, if known.
    pub range: Option<(u64, u64)>,
    /// Line in the document, if known.
    pub line: Option<u64>,
    /// The text, byte for byte.
    pub text: String,
}

/// A document that evidence comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// How many pieces of evidence it gives.
    pub evidence_count: u32,
}
