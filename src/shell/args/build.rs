//! The arguments of what builds lattices and changes them.

use super::values::size;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// What a build does with a bad input.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Commit nothing
    #[default]
    Stop,
    /// Leave out the line
    Skip,
    /// Leave out the whole file
    Quarantine,
}

/// The form of what is built from.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceForm {
    /// subject, relation and object, separated by TAB or |
    Triples,
    /// RDF, one triple a line
    Ntriples,
    /// Rows separated by commas or TAB; the first line names the columns
    Table,
    /// A JSON object a line
    Jsonl,
    /// Objects and attributes in Burmeister's form
    Context,
    /// Statements
    Lq,
    /// An ontology in OBO format
    Obo,
    /// RDF with classes or concepts: Turtle, N-Triples, RDF/XML or JSON-LD by its ending
    Rdf,
    /// A data file of WordNet, with its index beside it
    Wordnet,
    /// A table whose rows are edges of a taxonomy: child and parent
    Edges,
}

/// `latweave build`.
#[derive(Args, Debug)]
pub struct Build {
    /// The lattice file to write; the old one stays if the build fails
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,

    /// Files: triples (.txt), tables with a header (.csv, .tsv), .jsonl, .nt, .cxt, .lq, .obo,
    /// .ttl, .rdf, .owl, .jsonld, WordNet's data.noun; with --form any name
    #[arg(value_name = "SOURCE", required = true, value_hint = ValueHint::FilePath)]
    pub sources: Vec<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub loading: Loading,

    /// A script with declarations, run before the files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub schema: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub working: Working,
}

/// How files are loaded.
#[derive(Args, Debug)]
pub struct Loading {
    /// The form of every SOURCE, whatever it is called; told by the ending if absent
    #[arg(long, value_enum, value_name = "FORM")]
    pub form: Option<SourceForm>,

    /// What a bad line does; unless it stops the build, the members of a cycle in a
    /// taxonomy become one value
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_error: OnError,

    /// Relations that order a taxonomy: is_a (OBO), subClassOf, broader and narrower
    /// (RDF) if absent
    #[arg(long, value_name = "RELATION,…", value_delimiter = ',')]
    pub edges: Vec<String>,

    /// The language of names, where labels have several (RDF); en if absent
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,

    /// Relations or columns of which an instance has one value
    #[arg(long, value_name = "RELATION", num_args = 1.., value_delimiter = ',')]
    pub one: Vec<String>,

    /// Columns that together identify a row of a table; a table that has not all of
    /// them is identified by its first column
    #[arg(long, value_name = "COLUMN", num_args = 1.., value_delimiter = ',')]
    pub key: Vec<String>,
}

/// What the work may take.
#[derive(Args, Debug, Clone, Copy)]
pub struct Working {
    /// Memory to build in, as far as that can be bounded: facts and source texts that
    /// do not fit go to a temporary file beside the lattice
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1GiB")]
    pub memory: u64,

    /// Threads to build with; as many as there are processors if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Tell how long each stage took
    #[arg(long)]
    pub timings: bool,
}

/// `latweave add`.
#[derive(Args, Debug)]
#[command(after_help = "\
A document is known by its path as it is given here. One that is in the lattice already is \
replaced if the file, or how it is to be loaded, is another now; else nothing is changed. \
Either everything is done or the file stays as it was. What comes of it is what `latweave build` \
would make of the documents.

Examples:
  latweave add films.lattice new.txt
  latweave add films.lattice --form table --key title,year data/*.csv
  latweave show films.lattice --documents")]
pub struct Add {
    /// The lattice file, which `latweave build` has made
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// Files: triples (.txt), tables with a header (.csv, .tsv), .jsonl, .nt, .cxt, .lq, .obo,
    /// .ttl, .rdf, .owl, .jsonld, WordNet's data.noun; with --form any name
    #[arg(value_name = "SOURCE", required = true, value_hint = ValueHint::FilePath)]
    pub sources: Vec<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub loading: Loading,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub working: Working,
}

/// `latweave remove`.
#[derive(Args, Debug)]
#[command(after_help = "\
A document is known by its path as it was given when it was built from or added; the file itself \
is not needed. What only it says goes, and what others say too stays.

Examples:
  latweave show films.lattice --documents
  latweave remove films.lattice old.txt data/1999.csv")]
pub struct Remove {
    /// The lattice file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lattice: PathBuf,

    /// Documents, by the names that `latweave show FILE --documents` lists
    #[arg(value_name = "SOURCE", required = true, value_hint = ValueHint::FilePath)]
    pub sources: Vec<String>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub working: Working,
}
