//! Documents: what is loaded, kept so that it can be loaded again.

use super::files::Files;
use super::{Form, LoadError, Options, Progress, Report, Request};
use crate::lattice::{Builder, KeptDocument};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How a document was loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// What was asked for, but for the document's own name.
    #[serde(skip_serializing_if = "is_usual")]
    pub request: Request,
    /// How it was loaded.
    #[serde(skip_serializing_if = "is_usual")]
    pub options: Options,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Settings {
    /// How a file is to be loaded. Of its path only the file's name counts, and that only
    /// where the document's says something else.
    pub fn new(request: &Request, options: &Options) -> Settings {
        let file = request.path.file_name();
        let told = Path::new(&request.document).file_name() == file;
        let file = file.filter(|_| !told).unwrap_or_default();
        Settings {
            request: Request {
                path: PathBuf::from(file.to_string_lossy().into_owned()),
                document: String::new(),
                ..request.clone()
            },
            options: options.clone(),
        }
    }

    /// How a document was loaded; none if it was kept by who knows whom.
    pub fn of(document: &KeptDocument) -> Option<Settings> {
        serde_json::from_str(&document.settings).ok()
    }

    /// The form of the document.
    pub fn form(&self, document: &str) -> Option<Form> {
        self.request
            .form
            .or_else(|| Form::of_ending(&self.path(document)))
    }

    /// A path whose file name is that of the document's file.
    fn path(&self, document: &str) -> PathBuf {
        match super::is_unnamed(&self.request.path) {
            true => PathBuf::from(document),
            false => self.request.path.clone(),
        }
    }
}

/// Loads one file and, if all that the builder knows is from documents, keeps it with the
/// files that it loads. On an error nothing of it is kept.
pub(super) fn load(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report, LoadError> {
    let files = builder.keeper().map(Files::keeping).unwrap_or_default();
    let done = loaded(builder, request, options, progress, &files);
    if let Some(keeper) = files.into_keeper() {
        builder.put_back(keeper);
    }
    super::or_set_aside(done, request, options)
}

/// Loads a document again that was kept.
pub(super) fn load_again(
    builder: &mut Builder,
    document: &KeptDocument,
    progress: &mut dyn Progress,
) -> Result<Report, LoadError> {
    let malformed = || LoadError::Table {
        document: document.name.clone(),
        reason: "how it was loaded is not known to this program".to_owned(),
    };
    let settings = Settings::of(document).ok_or_else(malformed)?;
    let request = Request {
        path: settings.path(&document.name),
        document: document.name.clone(),
        ..settings.request
    };
    let files = Files::kept(document.files.clone());
    loaded(builder, &request, &settings.options, progress, &files)
}

fn loaded(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
    files: &Files,
) -> Result<Report, LoadError> {
    builder.begin_document();
    let done = super::whole(builder, request, options, progress, files, Vec::new());
    match &done {
        Ok(report) => {
            let kept = files.files();
            let kept = (!kept.is_empty()).then(|| KeptDocument {
                name: request.document.clone(),
                settings: serde_json::to_string(&Settings::new(request, options))
                    .unwrap_or_default(),
                files: kept,
                plain: false,
                evidence: Vec::new(),
                more_evidence: false,
                terms: Vec::new(),
                orders: Vec::new(),
                statements: report.facts,
                skipped: report.skipped_count,
            });
            builder.end_document(kept);
        }
        Err(_) => builder.abandon_document(),
    }
    done
}
