//! What can go wrong while a lattice is built, opened or saved.

use super::{CyclePath, NumberError, UnitError};
use std::io;
use std::path::{Path, PathBuf};

/// A name as a statement of LQ can have it, whatever it is: in quotes.
fn in_lq(name: &str) -> String {
    let mut quoted = String::from("\"");
    for character in name.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted.extend(control.escape_unicode()),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Why a statement or a whole build is refused. Every message says what, where
/// and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A name is empty, or empty once white space is trimmed.
    #[error("{what} has an empty name; give it one")]
    EmptyName {
        /// What was to be named.
        what: &'static str,
    },
    /// A dimension may not be called `name`, which stands for what things are called.
    #[error("`name` is built in and cannot be declared as a dimension; choose another word for it")]
    ReservedName,
    /// A dimension is declared twice and differently.
    #[error("dimension \"{dimension}\" is declared as {first} and as {second}; keep one of them")]
    Redeclared {
        /// The dimension.
        dimension: String,
        /// The earlier declaration.
        first: String,
        /// The later one.
        second: String,
    },
    /// Files show different kinds for a dimension that nobody has declared.
    #[error(
        "dimension \"{dimension}\" is taken for {} by one file and for {} by another; declare it before they are loaded, as in DIMENSION {} TEXT",
        kinds[0], kinds[1], in_lq(dimension)
    )]
    Inferred {
        /// The dimension.
        dimension: String,
        /// The kinds, sorted.
        kinds: [&'static str; 2],
    },
    /// A dimension is declared to be something else than a file was read by.
    #[error(
        "dimension \"{dimension}\" was taken for {inferred} when a file was loaded, and is declared as {declared}; declare it before the file is loaded"
    )]
    DeclaredLate {
        /// The dimension.
        dimension: String,
        /// The kind that the file shows.
        inferred: &'static str,
        /// The declaration.
        declared: String,
    },
    /// A dimension whose values are no instances names an inverse.
    #[error(
        "dimension \"{dimension}\" is {kind} and has no inverse; only an ENTITY dimension has one"
    )]
    InverseOfValues {
        /// The dimension.
        dimension: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The relation that orders an ENTITY dimension is not a relation.
    #[error(
        "dimension \"{dimension}\" is ordered WITHIN \"{within}\", which is {found}; declare \"{within}\" as ENTITY"
    )]
    NotARelation {
        /// The dimension.
        dimension: String,
        /// What it names.
        within: String,
        /// What that is.
        found: &'static str,
    },
    /// A value of another kind.
    #[error("dimension \"{dimension}\" takes {expected}, not {found}")]
    WrongKind {
        /// The dimension.
        dimension: String,
        /// What it takes.
        expected: &'static str,
        /// What it was given.
        found: String,
    },
    /// A taxonomy does not have this value.
    #[error(
        "taxonomy \"{dimension}\" has no value \"{value}\"; declare it, as in DIMENSION {} TAXONOMY {}",
        in_lq(dimension),
        in_lq(value)
    )]
    UnknownValue {
        /// The taxonomy.
        dimension: String,
        /// The word.
        value: String,
    },
    /// A value is declared to lie above itself.
    #[error("taxonomy \"{dimension}\" declares \"{value}\" > \"{value}\"; remove that edge")]
    SelfEdge {
        /// The taxonomy.
        dimension: String,
        /// The value.
        value: String,
    },
    /// The edges of a taxonomy run in a circle.
    #[error("{path}; {remedy}", path = .0, remedy = .0.remedy())]
    Cycle(CyclePath),
    /// A STRICT taxonomy fails its check.
    #[error(
        "taxonomy \"{dimension}\" is STRICT and does not go live: {why}; mend its edges, or take STRICT out to use it through its completion"
    )]
    Illegitimate {
        /// The taxonomy.
        dimension: String,
        /// What shows it.
        why: String,
    },
    /// A dimension that is no taxonomy is declared STRICT.
    #[error(
        "dimension \"{dimension}\" is {kind}, and only a TAXONOMY is checked; take STRICT out of its declaration"
    )]
    StrictValues {
        /// The dimension.
        dimension: String,
        /// Its kind.
        kind: &'static str,
    },
    /// Several instances have this name.
    #[error(
        "{} instances are called \"{name}\"{place}: {}; name the one that is meant by its id",
        ids.len(),
        listed(ids)
    )]
    Ambiguous {
        /// The name.
        name: String,
        /// Their ids, sorted.
        ids: Vec<String>,
        /// Where the name is used, if that is not where the error is told.
        place: String,
    },
    /// An id stands for two names.
    #[error(
        "@\"{id}\" is called \"{first}\" and \"{second}\"{place}; make the second one an alias, or give it an id of its own"
    )]
    Renamed {
        /// The id.
        id: String,
        /// The earlier name.
        first: String,
        /// The later one.
        second: String,
        /// Where the later one is used, if that is not where the error is told.
        place: String,
    },
    /// A predicate without source text.
    #[error(
        "a source of document \"{document}\" has no text, and a fact is not admitted without it; quote the words that state it"
    )]
    EmptySource {
        /// The document.
        document: String,
    },
    /// A source text beyond the limit.
    #[error(
        "a source text of document \"{document}\" has {length} bytes; the limit is {limit}, so quote a part of it"
    )]
    SourceTooLong {
        /// The document.
        document: String,
        /// The length of the text in bytes.
        length: usize,
        /// The greatest length in bytes.
        limit: usize,
    },
    /// A byte range that ends before it starts.
    #[error(
        "the byte range {start}..{end} in document \"{document}\" ends before it starts; swap its ends"
    )]
    Range {
        /// The document.
        document: String,
        /// First byte.
        start: u64,
        /// The byte after the last.
        end: u64,
    },
    /// A confidence that is no number from 0 to 1.
    #[error("confidence {found} is not between 0 and 1; write one such as 0.9")]
    Confidence {
        /// What was given.
        found: String,
    },
    /// A number that cannot be kept.
    #[error("dimension \"{dimension}\": {source}")]
    Number {
        /// The dimension.
        dimension: String,
        /// Why.
        source: NumberError,
    },
    /// A unit that cannot be defined.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// A key of another builder, or of an instance that has been retracted.
    #[error("{what} key {key} does not belong to this builder; look it up again")]
    UnknownKey {
        /// Instance, dimension or source.
        what: &'static str,
        /// The key.
        key: u32,
    },
    /// A limit of the format.
    #[error(
        "there are {found} {what}, and one lattice holds at most {limit}; split it into several"
    )]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// What did not fit into memory could not be kept in a temporary file.
    #[error(
        "a temporary file could not be written or read: {message}; free some space on the disk, or give more memory"
    )]
    Spill {
        /// The system's words.
        message: String,
    },
    /// Evidence could not be compressed or the sections not be laid out.
    #[error("the lattice could not be laid out: {why}; this is a defect, please report it")]
    Layout {
        /// What failed.
        why: String,
    },
}

/// Why what a builder has been told is not in a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SaveError {
    /// It makes no lattice.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The file could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The caller has asked to stop.
    #[error("stopped; nothing was written")]
    Stopped,
}

fn listed(ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text: Vec<String> = ids
        .iter()
        .take(SHOWN)
        .map(|id| format!("@\"{id}\""))
        .collect();
    if ids.len() > SHOWN {
        text.push(format!("{} more", ids.len() - SHOWN));
    }
    text.join(", ")
}

/// Why a lattice file cannot be opened, read or saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No such file, or no such folder to save into.
    #[error("{} does not exist; check the path, or build a lattice with `latweave build`", .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// A folder in place of a file.
    #[error("{} is a folder; name a lattice file in it", .path.display())]
    IsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses access.
    #[error("{} may not be accessed; check its permissions and its owner", .path.display())]
    Permission {
        /// The path.
        path: PathBuf,
    },
    /// A file that nobody may write, and so nobody may replace.
    #[error("{} is read-only; make it writable, or save under another name", .path.display())]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// A file of no bytes.
    #[error("{} is empty; build it again, or restore a copy", .path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// Some other file.
    #[error("{} is not a lattice: it does not begin as one; build one with `latweave build`", .path.display())]
    NotALattice {
        /// The path.
        path: PathBuf,
    },
    /// A lattice of another format.
    #[error("{} has format {found}, and this program reads format {expected}; build it again with this program", .path.display())]
    OtherVersion {
        /// The path.
        path: PathBuf,
        /// The file's format version.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// A file that ends too early.
    #[error("{} is cut off: {found} of {expected} bytes are there; restore a copy, or build it again", .path.display())]
    Truncated {
        /// The path.
        path: PathBuf,
        /// The length it should have, in bytes.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// Bytes that are not those that were written.
    #[error("{} is damaged in its {section}; restore a copy, or build it again", .path.display())]
    Damaged {
        /// The path.
        path: PathBuf,
        /// The part that is damaged.
        section: String,
    },
    /// Another program is writing the file.
    #[error("{} is being written by another program; wait until it has finished, and save again", .path.display())]
    Busy {
        /// The path.
        path: PathBuf,
    },
    /// No space left.
    #[error("{} could not be saved: the disk is full; free some space and save again (the file is as it was)", .path.display())]
    Full {
        /// The path.
        path: PathBuf,
    },
    /// Anything else that the system reports.
    #[error("{} could not be read or written: {message}", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's words.
        message: String,
    },
}

impl StoreError {
    /// The variant that fits a system error at `path`.
    pub(super) fn from_io(path: &Path, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::NotFound => StoreError::NotFound { path },
            io::ErrorKind::IsADirectory => StoreError::IsDirectory { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::Permission { path }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            _ => StoreError::Io {
                path,
                message: error.to_string(),
            },
        }
    }
}
