//! Files to facts: triples, N-Triples, tables, JSON Lines, formal
//! contexts and LQ, through a
//! [`Builder`]; and back, a whole lattice as LQ.
//!
//! ```text
//! file ── lines ──► rows or statements ── values ──► Builder
//!           text only, bounded     as their dimension reads them
//! ```
//!
//! Every fact carries the line that states it. A file is taken whole or not at
//! all, but for the lines that [`OnError::Skip`] passes over and lists.

#![deny(clippy::indexing_slicing)]

mod context;
pub mod cxt;
mod dump;
mod edges;
mod error;
mod job;
mod lines;
pub mod lq;
mod names;
#[cfg(feature = "obo")]
mod obo;
mod ontology;
mod rdf;
mod report;
mod seen;
mod table;
mod triples;
mod values;
mod wordnet;

pub use dump::{DumpError, dump};
pub use error::{BadLine, LoadError, NotText};
pub use lines::LONGEST_LINE;
pub use report::{InferredColumn, Report};

use crate::lattice::{Builder, Cycles};
use crate::syntax::tree::{Load, LoadForm};
use job::Job;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What happens at a line that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The load stops, and nothing is kept.
    #[default]
    Stop,
    /// The line is listed and passed over.
    Skip,
    /// The file is listed and set aside as a whole.
    Quarantine,
}

/// How to load.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What happens at a line that cannot be used. Where it does not stop the load,
    /// the members of a cycle in a taxonomy become one value.
    pub on_error: OnError,
    /// Relations or columns that have one value, in every file.
    pub one: Vec<String>,
    /// The key columns, in every table that has them.
    pub key: Vec<String>,
    /// Relations that order a taxonomy; those of the form if empty.
    pub edges: Vec<String>,
    /// The language of names, where labels have several; English if absent.
    pub language: Option<String>,
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `head|relation|tail`, or separated by TAB, with a source as fourth field.
    Triples,
    /// RDF, one triple a line.
    NTriples,
    /// CSV or TSV with a header.
    Table,
    /// A JSON object a line.
    JsonLines,
    /// A formal context in Burmeister's form.
    Context,
    /// Statements.
    Lq,
    /// An ontology in OBO format.
    Obo,
    /// RDF with classes or concepts: Turtle, N-Triples, RDF/XML or JSON-LD.
    Rdf,
    /// A data file of WordNet, such as `data.noun`.
    WordNet,
    /// CSV or TSV, a row an edge of a taxonomy.
    Edges,
}

impl Form {
    /// The form that a file's name tells.
    pub fn of_ending(path: &Path) -> Option<Form> {
        let name = path.file_name()?.to_str()?;
        if let "data.noun" | "data.verb" | "data.adj" | "data.adv" = name {
            return Some(Form::WordNet);
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "txt" | "triples" => Form::Triples,
            "nt" | "ntriples" => Form::NTriples,
            "csv" | "tsv" | "tab" => Form::Table,
            "jsonl" | "ndjson" => Form::JsonLines,
            "cxt" => Form::Context,
            "lq" => Form::Lq,
            "obo" => Form::Obo,
            "ttl" | "rdf" | "owl" | "jsonld" => Form::Rdf,
            _ => return None,
        })
    }
}

impl From<LoadForm> for Form {
    fn from(form: LoadForm) -> Form {
        match form {
            LoadForm::Triples => Form::Triples,
            LoadForm::NTriples => Form::NTriples,
            LoadForm::Table => Form::Table,
            LoadForm::JsonLines => Form::JsonLines,
            LoadForm::Context => Form::Context,
            LoadForm::Lq => Form::Lq,
            LoadForm::Obo => Form::Obo,
            LoadForm::Rdf => Form::Rdf,
            LoadForm::WordNet => Form::WordNet,
            LoadForm::Edges => Form::Edges,
        }
    }
}

/// A column with another dimension, or whose cells name instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnRequest {
    /// The header.
    pub column: String,
    /// The dimension that it fills; the header if absent.
    pub dimension: Option<String>,
    /// The table whose instances its cells name.
    pub entity: Option<String>,
}

/// One file to load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Where it lies.
    pub path: PathBuf,
    /// The name that its evidence carries: the path as given.
    pub document: String,
    /// Its form; from its ending if absent.
    pub form: Option<Form>,
    /// The name of the table or taxonomy; from the file's name if absent.
    pub table: Option<String>,
    /// The key columns.
    pub key: Vec<String>,
    /// Columns with another dimension or an entity table.
    pub columns: Vec<ColumnRequest>,
    /// Columns to leave out.
    pub omit: Vec<String>,
    /// Relations or columns that have one value.
    pub one: Vec<String>,
    /// Relations that order the taxonomy; those of the form if empty.
    pub edges: Vec<String>,
    /// The language of the names.
    pub language: Option<String>,
}

impl Request {
    /// A file of which nothing is said but its path.
    pub fn new(path: impl Into<PathBuf>) -> Request {
        let path = path.into();
        Request {
            document: path.display().to_string(),
            path,
            ..Request::default()
        }
    }

    /// What a LOAD statement asks for. `folder` is where the script lies, and
    /// `document` what its own evidence is called: the file is named beside it, so
    /// that two files of one name in two folders stay apart.
    pub fn of_statement(load: &Load, folder: &Path, document: &str) -> Request {
        let texts = |names: &[crate::syntax::tree::Name]| -> Vec<String> {
            names.iter().map(|name| name.text.clone()).collect()
        };
        let columns = load.columns.iter().map(|column| ColumnRequest {
            column: column.name.text.clone(),
            dimension: column.dimension.as_ref().map(|name| name.text.clone()),
            entity: column.entity.as_ref().map(|name| name.text.clone()),
        });
        Request {
            path: folder.join(&load.file),
            document: beside(document, &load.file),
            form: load.form.map(Form::from),
            table: load.table.as_ref().map(|name| name.text.clone()),
            key: texts(&load.key),
            columns: columns.collect(),
            omit: texts(&load.omit),
            one: texts(&load.one),
            edges: texts(&load.edges),
            language: load.language.as_ref().map(|name| name.text.clone()),
        }
    }

    fn form(&self) -> Result<Form, LoadError> {
        let form = self.form.or_else(|| Form::of_ending(&self.path));
        form.ok_or_else(|| LoadError::UnknownForm {
            path: self.path.clone(),
        })
    }
}

/// A file's name, seen from where the document is seen from.
fn beside(document: &str, file: &str) -> String {
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    folder.join(file).display().to_string()
}

/// Is told how far the work is, and may end it.
pub trait Progress {
    /// Called every 64 KiB or so with the bytes read of the present file and the
    /// facts found in it. A file that is read twice counts its bytes twice. `Break` ends the work with [`LoadError::Cancelled`].
    fn tick(&mut self, bytes_done: u64, facts: u64) -> ControlFlow<()>;
}

/// Tells nobody, and never ends the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn tick(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Loads one file. On an error nothing of it is kept.
pub fn load(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, LoadError> {
    load_nested(builder, request, options, progress, Vec::new())
}

/// Loads a file that the files in `open` load.
fn load_nested(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
    open: Vec<PathBuf>,
) -> Result<Report, LoadError> {
    let form = request.form()?;
    if options.on_error != OnError::Stop {
        builder.set_cycles(Cycles::Merge);
    }
    let checkpoint = builder.checkpoint();
    let done = if form == Form::Lq {
        let mut report = Report::default();
        lq::load(builder, request, options, progress, open, &mut report).map(|()| report)
    } else {
        let mut job = Job::new(builder, request, options, progress);
        let done = match form {
            Form::Triples => triples::load(&mut job),
            Form::NTriples | Form::Rdf => rdf::load(&mut job),
            Form::JsonLines => table::load_json_lines(&mut job),
            Form::Context => context::load(&mut job),
            Form::Table | Form::Lq => table::load_csv(&mut job),
            #[cfg(feature = "obo")]
            Form::Obo => obo::load(&mut job),
            #[cfg(not(feature = "obo"))]
            Form::Obo => Err(job.not_compiled("OBO", "obo")),
            Form::WordNet => wordnet::load(&mut job),
            Form::Edges => edges::load(&mut job),
        };
        done.map(|()| job.into_report())
    };
    match done {
        Ok(report) => {
            builder.release(checkpoint);
            Ok(report)
        }
        Err(error) => {
            builder.rollback(checkpoint);
            if options.on_error != OnError::Quarantine || !error.is_content() {
                return Err(error);
            }
            Ok(Report {
                quarantined: vec![(request.document.clone(), error.to_string())],
                ..Report::default()
            })
        }
    }
}
