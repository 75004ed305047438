//! Adding documents to a lattice file, and taking documents out of it: each one transaction,
//! after which the file is what a build from the documents would have made.

use super::documents::{Settings, load_again};
use super::in_place::in_place;
use super::{LoadError, Options, Progress, Report, Request, load, names};
use crate::lattice::{
    Builder, Built, ContentHash, Counts, CyclePath, DimensionId, Fault, KeptDocument, Lattice,
    SaveError, StoreError, WriteLock,
};
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What is to be done with the documents of a lattice file.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The documents to add. One that is there already is replaced if it is another now,
    /// and keeps its place.
    pub add: Vec<Request>,
    /// How they are loaded.
    pub options: Options,
    /// The names of the documents to take out.
    pub remove: Vec<String>,
}

/// What a change may take.
#[derive(Clone, Copy)]
pub struct Means<'m> {
    /// The memory to build in, as far as that can be bounded.
    pub memory: u64,
    /// How many threads work; as many as there are processors if absent.
    pub threads: Option<u16>,
    /// Whether to stop, which leaves everything as it was.
    pub stopped: &'m (dyn Fn() -> bool + Sync),
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was not there, and is now.
    Added,
    /// It was there as something else.
    Replaced,
    /// It was there already as it is.
    Unchanged,
    /// It was there, and is no more.
    Removed,
    /// It is set aside, since its content is wrong. If it was there before, it is no more.
    SetAside,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Each document that was to be added or taken out, and what became of it.
    pub documents: Vec<(String, Outcome)>,
    /// What loading the added ones did.
    pub report: Report,
    /// How much there was of everything before.
    pub before: Counts,
    /// How much there is of everything now.
    pub after: Counts,
    /// The hash of all that the lattice says now.
    pub content_hash: ContentHash,
    /// What was built anew; none if there was nothing to change, or the documents concern
    /// nothing that others say and were put in place.
    pub built: Option<Built>,
}

/// Why a lattice file was not changed. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A document that was to be added could not be loaded.
    #[error(transparent)]
    Load(LoadError),
    /// A document of the lattice could not be loaded again.
    #[error("document \"{document}\" of the lattice cannot be loaded any more: {error}")]
    Again {
        /// The document.
        document: String,
        /// Why.
        error: Box<LoadError>,
    },
    /// The documents make no lattice, or it could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// No document is called so.
    #[error("no document of {} is called \"{name}\"{}", .path.display(), hint(.near))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
        /// Names that resemble it.
        near: Vec<String>,
    },
    /// The lattice was made without documents.
    #[error(
        "{} does not keep the documents that it was made from; build it anew from its sources with `latweave build`, and then add and remove",
        .path.display()
    )]
    NoDocuments {
        /// The file.
        path: PathBuf,
    },
    /// A wish of the options that fits no file.
    #[error("{0}")]
    Wish(String),
    /// The system gives no threads.
    #[error("there are no threads to work with: {0}")]
    Threads(String),
}

fn hint(near: &[String]) -> String {
    let quoted: Vec<String> = near.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [] => "; `latweave show FILE --documents` lists them".to_owned(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// Changes the documents of a lattice file. For another writer of it this waits half a
/// minute; readers are not hindered, and see it as it was until all is done.
///
/// # Errors
/// If anything is wrong, and then the file is as it was.
pub fn change(
    path: &Path,
    change: &Change,
    means: Means<'_>,
    progress: &mut dyn Progress,
) -> Result<Changed, ChangeError> {
    let lock = WriteLock::wait(path)?;
    let lattice = Lattice::open(path)?;
    let plan = Plan::of(path, &lattice, change)?;
    let (before, content_hash) = (lattice.counts(), lattice.content_hash());
    if plan.changes_nothing() {
        return Ok(Changed {
            documents: plan.outcomes,
            report: Report::default(),
            before,
            after: before,
            content_hash,
            built: None,
        });
    }
    let done = changed(&lattice, lock, plan, change, means, progress)?;
    Ok(Changed {
        documents: done.documents,
        report: done.report,
        before,
        after: done.after,
        content_hash: done.content_hash,
        built: done.built,
    })
}

/// What was written.
struct Done {
    documents: Vec<(String, Outcome)>,
    report: Report,
    after: Counts,
    content_hash: ContentHash,
    built: Option<Built>,
}

/// Does what is planned.
fn changed(
    lattice: &Lattice,
    mut lock: WriteLock,
    plan: Plan,
    change: &Change,
    means: Means<'_>,
    progress: &mut dyn Progress,
) -> Result<Done, ChangeError> {
    if let Some(done) = in_place(lattice, &plan, change, progress)?
        && done.write(&mut lock)?
    {
        return Ok(Done {
            documents: plan.outcomes,
            after: done.lattice.counts(),
            content_hash: done.lattice.content_hash(),
            report: done.report,
            built: None,
        });
    }
    built_anew(lattice, lock, plan, change, means, progress)
}

/// What is to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The document at this place of the lattice.
    Keep(usize),
    /// The document of this request.
    Load(usize),
}

/// The documents that the lattice is to have, in their order.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// Where each document that was asked for stands, and what becomes of it.
    pub(super) outcomes: Vec<(String, Outcome)>,
}

impl Plan {
    /// The places of the documents of the lattice that stay as they are.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| match step {
            Step::Keep(at) => Some(*at),
            Step::Load(_) => None,
        })
    }

    fn of(path: &Path, lattice: &Lattice, change: &Change) -> Result<Plan, ChangeError> {
        let keeps = lattice.keeps_documents();
        let nothing = lattice.is_empty() && lattice.dimensions().is_empty();
        let may_begin = nothing && change.remove.is_empty();
        if !(keeps || may_begin) {
            let path = path.to_path_buf();
            return Err(ChangeError::NoDocuments { path });
        }
        let names: Vec<&str> = lattice.kept_names().collect();
        lattice.intact()?;
        let mut plan = Plan {
            steps: (0..names.len()).map(Step::Keep).collect(),
            outcomes: Vec::new(),
        };
        for name in &change.remove {
            if !names.contains(&name.as_str()) {
                return Err(ChangeError::Unknown {
                    path: path.to_path_buf(),
                    name: name.clone(),
                    near: resembling(name, &names),
                });
            }
            plan.remove(name, &names);
        }
        for (at, request) in change.add.iter().enumerate() {
            plan.add(at, request, change, lattice, &names)?;
        }
        Ok(plan)
    }

    fn remove(&mut self, name: &str, names: &[&str]) {
        let is_named = |step: &Step| matches!(step, Step::Keep(k) if names.get(*k) == Some(&name));
        self.steps.retain(|step| !is_named(step));
        if !self.outcomes.iter().any(|(told, _)| told == name) {
            self.outcomes.push((name.to_owned(), Outcome::Removed));
        }
    }

    fn add(
        &mut self,
        at: usize,
        request: &Request,
        change: &Change,
        lattice: &Lattice,
        names: &[&str],
    ) -> Result<(), ChangeError> {
        let name = request.document.as_str();
        if self.outcomes.iter().any(|(told, _)| told == name) {
            return Ok(());
        }
        let found = self.steps.iter().position(|step| match step {
            Step::Keep(k) => names.get(*k) == Some(&name),
            Step::Load(_) => false,
        });
        let there = found.and_then(|found| Some((found, *self.steps.get(found)?)));
        let outcome = match there {
            None => {
                self.steps.push(Step::Load(at));
                Outcome::Added
            }
            Some((_, Step::Keep(k)))
                if is_the_same(&lattice.kept_document(k)?, request, &change.options)? =>
            {
                Outcome::Unchanged
            }
            Some((found, _)) => {
                if let Some(step) = self.steps.get_mut(found) {
                    *step = Step::Load(at);
                }
                // Where it was loaded twice, in two ways.
                self.steps.retain(|step| match step {
                    Step::Keep(k) => names.get(*k) != Some(&name),
                    Step::Load(_) => true,
                });
                Outcome::Replaced
            }
        };
        self.outcomes.push((name.to_owned(), outcome));
        Ok(())
    }

    fn changes_nothing(&self) -> bool {
        let mut outcomes = self.outcomes.iter();
        outcomes.all(|(_, outcome)| *outcome == Outcome::Unchanged)
    }
}

/// At most five names that resemble a word, those of the same file in other folders
/// among them.
fn resembling(word: &str, all: &[&str]) -> Vec<String> {
    let mut near = names::nearest(word, all.iter().copied());
    let file = Path::new(word).file_name();
    let same = all
        .iter()
        .filter(|name| Path::new(name).file_name() == file);
    for name in same {
        if !near.iter().any(|told| told == name) {
            near.push((*name).to_owned());
        }
    }
    near.truncate(5);
    near
}

/// Whether a document is on the disk as it is in the lattice, and is to be loaded in the
/// same way.
fn is_the_same(
    document: &KeptDocument,
    request: &Request,
    options: &Options,
) -> Result<bool, ChangeError> {
    let asked = Settings::new(request, options);
    let same_way = Settings::of(document).is_some_and(|kept| {
        let schema = asked.request.schema;
        let request = Request {
            schema,
            ..kept.request
        };
        request == asked.request && kept.options == asked.options
    });
    if !same_way {
        return Ok(false);
    }
    for file in &document.files {
        let path = path_of(&file.name, request);
        let on_disk = std::fs::metadata(&path);
        let Ok(on_disk) = on_disk else {
            // Loading it tells what is wrong.
            return Ok(false);
        };
        if !on_disk.is_file() || on_disk.len() != file.bytes.length() {
            return Ok(false);
        }
        let hash = hash_of(&path).map_err(|error| LoadError::from_io(&path, &error));
        if hash.map_err(ChangeError::Load)? != file.bytes.hash() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where a file lies that a document loads, from what it is called.
fn path_of(name: &str, request: &Request) -> PathBuf {
    if name == request.document {
        return request.path.clone();
    }
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    match Path::new(name).strip_prefix(folder(Path::new(&request.document))) {
        Ok(beside) => folder(&request.path).join(beside),
        Err(_) => PathBuf::from(name),
    }
}

fn hash_of(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(*hasher.finalize().as_bytes())
}

/// Builds the lattice anew from its documents, which is right whatever they say.
fn built_anew(
    lattice: &Lattice,
    lock: WriteLock,
    mut plan: Plan,
    change: &Change,
    means: Means<'_>,
    progress: &mut dyn Progress,
) -> Result<Done, ChangeError> {
    let folder = lock.path().parent().filter(|p| !p.as_os_str().is_empty());
    let mut builder = Builder::within(means.memory, folder.unwrap_or(Path::new(".")));
    let mut along = Along {
        progress,
        before: (0, 0),
        now: (0, 0),
    };
    let mut report = Report::default();
    for step in &plan.steps {
        match *step {
            Step::Keep(at) => {
                let document = lattice.kept_document(at)?;
                again(&mut builder, &document, &mut along, &mut report)?;
            }
            Step::Load(at) => {
                let Some(request) = change.add.get(at) else {
                    continue;
                };
                let done = load(&mut builder, request, &change.options, &mut along);
                let done = done.map_err(ChangeError::Load)?;
                plan_aside(&mut plan.outcomes, &request.document, &done);
                report.absorb(done);
            }
        }
        along.next();
    }
    lattice.intact()?;
    if !change.add.is_empty()
        && let Some(wrong) = report.wish_without_file(&change.options, &builder)
    {
        return Err(ChangeError::Wish(wrong));
    }
    report.warn_of_references();
    report.note_cycles(&builder);
    let before = cycle_edges(lattice);
    report
        .cycles
        .retain(|cycle| !before.contains(&first_edge(cycle)));
    let built = saved(builder, lock, means)?;
    Ok(Done {
        documents: plan.outcomes,
        report,
        after: built.counts,
        content_hash: built.content_hash,
        built: Some(built),
    })
}

/// Loads a document of the lattice again. Where other lines of it are passed over now than
/// before, that is told.
fn again(
    builder: &mut Builder,
    document: &KeptDocument,
    progress: &mut dyn Progress,
    report: &mut Report,
) -> Result<(), ChangeError> {
    let name = &document.name;
    let done = load_again(builder, document, progress).map_err(|error| match error {
        LoadError::Cancelled => ChangeError::Load(error),
        error => ChangeError::Again {
            document: name.clone(),
            error: Box::new(error),
        },
    })?;
    let (now, before) = (done.skipped_count, document.skipped);
    if now != before {
        report.warn(format!(
            "{name}: {now} of its lines are passed over now, and {before} were before"
        ));
    }
    Ok(())
}

/// The edges of cycles that a lattice keeps as defects: dimension, upper and lower end.
fn cycle_edges(lattice: &Lattice) -> HashSet<(String, String, String)> {
    let dimensions = (0u16..).map(DimensionId).zip(lattice.dimensions());
    let edges = dimensions.flat_map(|(d, dimension)| {
        let faults = lattice.defects(d).iter().map(|defect| &defect.fault);
        faults.filter_map(|fault| match fault {
            Fault::CycleEdge { upper, lower } => {
                Some((dimension.name.clone(), upper.clone(), lower.clone()))
            }
            _ => None,
        })
    });
    edges.collect()
}

fn first_edge(cycle: &CyclePath) -> (String, String, String) {
    let mut path = cycle.path.iter().cloned();
    let (upper, lower) = (path.next(), path.next());
    let dimension = cycle.dimension.clone();
    (
        dimension,
        upper.unwrap_or_default(),
        lower.unwrap_or_default(),
    )
}

/// Tells whether a document has been set aside.
fn plan_aside(outcomes: &mut [(String, Outcome)], name: &str, report: &Report) {
    let aside = report.quarantined.iter().any(|(told, _)| told == name);
    if let Some((_, outcome)) = outcomes.iter_mut().find(|(told, _)| told == name)
        && aside
    {
        *outcome = Outcome::SetAside;
    }
}

fn saved(builder: Builder, lock: WriteLock, means: Means<'_>) -> Result<Built, ChangeError> {
    let save = || builder.save_locked(lock, means.stopped);
    let saved = match means.threads {
        None => save(),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
            let pool = pool.build();
            pool.map_err(|error| ChangeError::Threads(error.to_string()))?
                .install(save)
        }
    };
    Ok(saved?)
}

/// Tells how far the work is of all documents.
struct Along<'p> {
    progress: &'p mut dyn Progress,
    /// The bytes and facts of the documents before this one.
    before: (u64, u64),
    now: (u64, u64),
}

impl Along<'_> {
    fn next(&mut self) {
        self.before.0 += self.now.0;
        self.before.1 += self.now.1;
        self.now = (0, 0);
    }
}

impl Progress for Along<'_> {
    fn tick(&mut self, bytes_done: u64, facts: u64) -> ControlFlow<()> {
        self.now = (self.now.0.max(bytes_done), facts);
        let (bytes, before) = self.before;
        self.progress.tick(bytes + bytes_done, before + facts)
    }
}
