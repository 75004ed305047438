//! Taxonomies from files, and what they look like.

use latweave::lattice::{Builder, DimensionId, Fault, Lattice, Taxonomy, ValueId};
use latweave::load::{self, LoadError, OnError, Options, Report, Request, Silent};
use latweave::{Answer, Script, Verdict};
use std::path::PathBuf;

/// A folder with one file, and how it is loaded.
pub struct Files {
    pub folder: tempfile::TempDir,
    pub options: Options,
}

impl Files {
    pub fn new() -> Files {
        Files {
            folder: tempfile::tempdir().unwrap(),
            options: Options::default(),
        }
    }

    /// The same with bad lines skipped and cycles merged.
    pub fn skipping() -> Files {
        let mut files = Files::new();
        files.options.on_error = OnError::Skip;
        files
    }

    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Loads these files, in this order, by the requests that `ask` makes of their
    /// names.
    pub fn load(
        &self,
        names: &[&str],
        ask: impl Fn(&mut Request),
    ) -> Result<(Builder, Report), LoadError> {
        let mut builder = Builder::new();
        let mut whole = Report::default();
        for name in names {
            let mut request = Request::new(self.folder.path().join(name));
            request.document = (*name).to_owned();
            ask(&mut request);
            whole.absorb(load::load(
                &mut builder,
                &request,
                &self.options,
                &mut Silent,
            )?);
        }
        whole.note_cycles(&builder);
        Ok((builder, whole))
    }

    /// The lattice of one file.
    pub fn lattice(&self, name: &str, text: &str) -> (Lattice, Report) {
        self.put(name, text);
        let (builder, report) = self.load(&[name], |_| {}).unwrap();
        let lattice = builder.freeze().unwrap();
        keeps_everything(&lattice);
        (lattice, report)
    }
}

/// A lattice that is dumped and built, or told to a builder and frozen, says the same.
pub fn keeps_everything(lattice: &Lattice) {
    let mut text = Vec::new();
    load::dump(lattice, &mut text).unwrap();
    let files = Files::new();
    files.put("dump.lq", &String::from_utf8(text).unwrap());
    let (builder, _) = files.load(&["dump.lq"], |_| {}).unwrap();
    let built = builder.freeze().unwrap();
    assert_eq!(built.content_hash(), lattice.content_hash());
    let thawed = Builder::from_lattice(lattice).unwrap().freeze().unwrap();
    assert_eq!(thawed.content_hash(), lattice.content_hash());
}

/// The names that a MEET gives, sorted.
pub fn names(lattice: &Lattice, query: &str) -> Vec<String> {
    let verdict = Script::parse(query).unwrap().run(lattice).unwrap();
    match verdict.answer() {
        Some(Answer::Set(_)) => {}
        _ => return vec![format!("abstain: {}", code(&verdict))],
    }
    let mut names: Vec<String> = match verdict.hits(lattice).next() {
        Some(_) => verdict
            .hits(lattice)
            .map(|hit| hit.name().to_owned())
            .collect(),
        None => values(&verdict, lattice),
    };
    names.sort();
    names
}

fn values(verdict: &Verdict, lattice: &Lattice) -> Vec<String> {
    let json = verdict.to_json(lattice);
    let members = json["members"].as_array().cloned().unwrap_or_default();
    members
        .iter()
        .map(|cell| match cell {
            serde_json::Value::String(text) => text.clone(),
            cell => cell["name"].as_str().unwrap_or("").to_owned(),
        })
        .collect()
}

fn code(verdict: &Verdict) -> &'static str {
    verdict.abstention().map_or("none", |a| a.reason.code())
}

/// The code of the abstention; empty for an answer.
pub fn abstains(lattice: &Lattice, query: &str) -> String {
    let verdict = Script::parse(query).unwrap().run(lattice).unwrap();
    verdict
        .abstention()
        .map_or(String::new(), |a| a.reason.code().to_owned())
}

pub fn taxonomy<'l>(lattice: &'l Lattice, name: &str) -> (DimensionId, &'l Taxonomy) {
    let d = lattice.find_dimension(name).unwrap();
    (d, lattice.taxonomy(d).unwrap())
}

/// Values, edges, roots and defects.
pub fn figures(lattice: &Lattice, name: &str) -> (usize, usize, usize, usize) {
    let (d, taxonomy) = taxonomy(lattice, name);
    let values = 0..taxonomy.len() as u32;
    let parents = |v: u32| taxonomy.dag().parents(v).len();
    (
        taxonomy.len(),
        values.clone().map(parents).sum(),
        values.filter(|v| parents(*v) == 0).count(),
        lattice.defects(d).len(),
    )
}

/// The parents of a value, by name.
pub fn parents(lattice: &Lattice, dimension: &str, value: &str) -> Vec<String> {
    let (_, taxonomy) = taxonomy(lattice, dimension);
    let v = taxonomy.find(value)[0];
    let parents = taxonomy.dag().parents(v.0).iter();
    parents
        .map(|p| taxonomy.name(ValueId(*p)).to_owned())
        .collect()
}

/// The defects with the lines that show them.
pub fn defects(lattice: &Lattice, dimension: &str) -> Vec<(Fault, Option<u64>)> {
    let (d, _) = taxonomy(lattice, dimension);
    let line = |defect: &latweave::lattice::Defect| {
        let evidence = lattice.evidence(defect.evidence?).unwrap();
        evidence.line
    };
    let defects = lattice.defects(d).iter();
    defects
        .map(|defect| (defect.fault.clone(), line(defect)))
        .collect()
}

/// The folder of shared data, if this machine has it.
pub fn data(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let file = folder.join(path);
    if file.exists() {
        return Some(file);
    }
    println!("skipped: {} is not there", file.display());
    None
}
