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

mod change;
mod context;
pub mod cxt;
mod documents;
mod dump;
mod edges;
mod error;
mod files;
mod in_place;
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

pub use change::{Change, ChangeError, Changed, Means, Outcome, change};
pub use documents::Settings;
pub use dump::{DumpError, dump};
pub use error::{BadLine, LoadError, NotText};
pub use lines::LONGEST_LINE;
pub use report::{InferredColumn, Report};

use crate::lattice::{Builder, Cycles};
use crate::syntax::tree::{Load, LoadForm};
use files::Files;
use job::Job;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What happens at a line that cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// What happens at a line that cannot be used. Where it does not stop the load,
    /// the members of a cycle in a taxonomy become one value.
    pub on_error: OnError,
    /// Relations or columns that have one value, in every file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one: Vec<String>,
    /// The key columns, in every table that has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<String>,
    /// Relations that order a taxonomy; those of the form if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<String>,
    /// The language of names, where labels have several; English if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

impl Form {
    /// What it is called where a form is named.
    pub fn word(self) -> &'static str {
        match self {
            Form::Triples => "triples",
            Form::NTriples => "ntriples",
            Form::Table => "table",
            Form::JsonLines => "jsonl",
            Form::Context => "context",
            Form::Lq => "lq",
            Form::Obo => "obo",
            Form::Rdf => "rdf",
            Form::WordNet => "wordnet",
            Form::Edges => "edges",
        }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnRequest {
    /// The header.
    pub column: String,
    /// The dimension that it fills; the header if absent.
    pub dimension: Option<String>,
    /// The table whose instances its cells name.
    pub entity: Option<String>,
}

/// One file to load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Where it lies.
    #[serde(skip_serializing_if = "is_unnamed")]
    pub path: PathBuf,
    /// The name that its evidence carries: the path as given.
    #[serde(skip)]
    pub document: String,
    /// Its form; from its ending if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// The name of the table or taxonomy; from the file's name if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The key columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<String>,
    /// Columns with another dimension or an entity table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnRequest>,
    /// Columns to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omit: Vec<String>,
    /// Relations or columns that have one value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one: Vec<String>,
    /// Relations that order the taxonomy; those of the form if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<String>,
    /// The language of the names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether it holds declarations that come before all other files.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub schema: bool,
}

fn is_unnamed(path: &Path) -> bool {
    path.as_os_str().is_empty()
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
            schema: false,
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

/// Loads one file, a document. On an error nothing of it is said. If all that the builder
/// knows is from documents, it keeps this one and the files that it loads, so that it can
/// be loaded again ([`KeptDocument`](crate::lattice::KeptDocument)).
pub fn load(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, LoadError> {
    documents::load(builder, request, options, progress)
}

/// Loads a file that the files in `open` load.
fn load_nested(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
    files: &Files,
    open: Vec<PathBuf>,
) -> Result<Report, LoadError> {
    let done = whole(builder, request, options, progress, files, open);
    or_set_aside(done, request, options)
}

/// Loads a file, or takes back what was loaded of it.
fn whole(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
    files: &Files,
    open: Vec<PathBuf>,
) -> Result<Report, LoadError> {
    let form = request.form()?;
    let cycles = builder.cycles();
    if options.on_error != OnError::Stop {
        builder.set_cycles(Cycles::Merge);
    }
    let checkpoint = builder.checkpoint();
    let done = if form == Form::Lq {
        let mut report = Report::default();
        lq::load(
            builder,
            request,
            options,
            progress,
            files,
            open,
            &mut report,
        )
        .map(|()| report)
    } else {
        of_form(
            form,
            &mut Job::new(builder, request, options, progress, files),
        )
    };
    match done {
        Ok(_) => builder.release(checkpoint),
        Err(_) => {
            builder.rollback(checkpoint);
            builder.set_cycles(cycles);
        }
    }
    done
}

/// Loads a file that is no LQ.
fn of_form(form: Form, job: &mut Job<'_>) -> Result<Report, LoadError> {
    job.keep()?;
    match form {
        Form::Triples => triples::load(job),
        Form::NTriples | Form::Rdf => rdf::load(job),
        Form::JsonLines => table::load_json_lines(job),
        Form::Context => context::load(job),
        Form::Table | Form::Lq => table::load_csv(job),
        #[cfg(feature = "obo")]
        Form::Obo => obo::load(job),
        #[cfg(not(feature = "obo"))]
        Form::Obo => Err(job.not_compiled("OBO", "obo")),
        Form::WordNet => wordnet::load(job),
        Form::Edges => edges::load(job),
    }?;
    Ok(job.take_report())
}

/// A file whose content is wrong is set aside, if that was asked for.
fn or_set_aside(
    done: Result<Report, LoadError>,
    request: &Request,
    options: &Options,
) -> Result<Report, LoadError> {
    done.or_else(|error| {
        if options.on_error != OnError::Quarantine || !error.is_content() {
            return Err(error);
        }
        Ok(Report {
            quarantined: vec![(request.document.clone(), error.to_string())],
            ..Report::default()
        })
    })
}
