//! Documents added to a lattice file, replaced and taken out, in any order: what the file
//! says is what a build of the same documents says.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{Builder, InstanceId, Lattice, Mentions};
use latweave::load::{
    Change, ChangeError, Changed, Means, OnError, Options, Outcome, Request, Silent, change, dump,
    load,
};
use latweave::{Script, Verdict};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const NAMES: [&str; 10] = [
    "first.lq",
    "second.lq",
    "third.lq",
    "loads.lq",
    "a.txt",
    "copy.txt",
    "sub/a.txt",
    "table.csv",
    "other.csv",
    "keyed.csv",
];
/// A file that `loads.lq` loads.
const NESTED: &str = "nested/n.txt";

const DECLARED: &str = "DIMENSION colour TAXONOMY MANY red > dark, light\n\
    DIMENSION knows ENTITY MANY INVERSE known_by\nDIMENSION size NUMBER ONE\n";

const STATEMENTS: [&str; 18] = [
    "FACT \"Ann\" colour = red SOURCE \"Ann is red\"",
    "FACT @a1 knows = \"Bob\" SOURCE \"Ann knows Bob\" FROM \"notes.txt\" LINE 2",
    "FACT \"Cy\" knows = \"Ann\" SOURCE \"Cy knows Ann\" FROM \"a.txt\" LINE 9",
    "FACT \"Cy\" colour != dark SOURCE \"Cy is not dark\"",
    "FACT @b knows = @b CONFIDENCE 0.5 SOURCE \"perhaps\"",
    "FACT @a2 size = 3 SOURCE \"three\"",
    "FACT @a2 size = 4..5 SOURCE \"more\" FROM \"notes.txt\"",
    "FACT \"Dee\" @d colour = light SOURCE \"Dee\"",
    "INSTANCE \"Ann\" @a1",
    "INSTANCE \"Ann\" @a2",
    "INSTANCE \"Bob\" @b AKA \"Bobby\"",
    "ALIAS \"Nan\" = @a1",
    "INSTANCE \"Cy\"",
    "SYNONYM \"rot\" = red IN colour",
    "DIMENSION colour TAXONOMY dark > navy",
    "DIMENSION colour TAXONOMY navy > red",
    "RETRACT FROM \"notes.txt\"",
    "FACT \"Eve\" nowhere = 1 SOURCE \"x\"",
];

const TRIPLES: [&str; 7] = [
    "Ann\tknows\tBob",
    "Cy\tknows\tAnn",
    "Eve\tlives in\tOslo",
    "Oslo\tlives in\tNorway",
    "Bob\tname\tBobby",
    "Ann\tknows\tBob\tnotes.txt",
    "too few",
];

const ROWS: [&str; 6] = [
    "a1,Ann,3",
    "a2,Ann,4",
    "b,Bob,",
    "c,Cy,7",
    "a1,Ann,3",
    "d,Dee,2,too,many",
];

const QUESTIONS: [&str; 8] = [
    "MEET colour = red",
    "MEET NOT colour = dark",
    "MEET knows = \"Ann\"",
    "MEET knows = @b RETURN name, size",
    "MEET size >= 3",
    "MEET name = \"Bobby\"",
    "MEET \"lives in\" = Norway",
    "COMPARE \"Ann\", \"Cy\" BY size",
];

/// What is in a document, without its name.
#[derive(Clone, Debug, PartialEq)]
struct Content {
    declares: bool,
    lines: Vec<usize>,
    nested: Vec<usize>,
}

fn lines_of(all: &[&str], lines: &[usize]) -> String {
    let lines = lines.iter().map(|at| all[at % all.len()]);
    lines.map(|line| format!("{line}\n")).collect()
}

/// The files of a document, its own first.
fn files(name: &str, content: &Content) -> Vec<(String, String)> {
    let text = match Path::new(name).extension().unwrap().to_str().unwrap() {
        "lq" => {
            let declared = if content.declares { DECLARED } else { "" };
            let load = if name == "loads.lq" {
                "LOAD \"nested/n.txt\"\n"
            } else {
                ""
            };
            format!("{declared}{load}{}", lines_of(&STATEMENTS, &content.lines))
        }
        "txt" => lines_of(&TRIPLES, &content.lines),
        _ => format!("id,name,size\n{}", lines_of(&ROWS, &content.lines)),
    };
    let mut files = vec![(name.to_owned(), text)];
    if name == "loads.lq" {
        files.push((NESTED.to_owned(), lines_of(&TRIPLES, &content.nested)));
    }
    files
}

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(usize, Content)>, OnError),
    Remove(Vec<usize>),
}

fn content() -> impl Strategy<Value = Content> {
    let lines = || prop::collection::vec(0..STATEMENTS.len(), 0..6);
    // What is wrong comes last in the lists, and should be rare.
    let usual = prop::collection::vec(0..STATEMENTS.len() - 3, 0..6);
    let lines = prop_oneof![4 => usual, 1 => lines()];
    let nested = prop::collection::vec(0..TRIPLES.len() - 1, 0..3);
    let declares = prop::bool::weighted(0.9);
    (declares, lines, nested).prop_map(|(declares, lines, nested)| Content {
        declares,
        lines,
        nested,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let on_error = prop_oneof![
        3 => Just(OnError::Stop),
        2 => Just(OnError::Skip),
        1 => Just(OnError::Quarantine),
    ];
    let documents = prop::collection::vec((0..NAMES.len(), content()), 1..3);
    prop_oneof![
        3 => (documents, on_error).prop_map(|(documents, on_error)| Step::Add(documents, on_error)),
        1 => prop::collection::vec(0..NAMES.len(), 1..3).prop_map(Step::Remove),
    ]
}

/// A document as it was loaded.
#[derive(Clone, Debug)]
struct Loaded {
    name: &'static str,
    content: Content,
    options: Options,
}

fn options(name: &str, on_error: OnError) -> Options {
    let key = if name == "keyed.csv" {
        vec!["id".to_owned()]
    } else {
        Vec::new()
    };
    Options {
        on_error,
        key,
        ..Options::default()
    }
}

fn request(folder: &Path, name: &str, content: &Content) -> Request {
    for (name, text) in files(name, content) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Request {
        document: name.to_owned(),
        ..Request::new(folder.join(name))
    }
}

fn means() -> Means<'static> {
    Means {
        memory: 1 << 30,
        threads: None,
        stopped: &|| false,
    }
}

fn changed(path: &Path, asked: &Change) -> Result<Changed, ChangeError> {
    change(path, asked, means(), &mut Silent)
}

/// A lattice file, and the documents that it should be made of.
struct World {
    folder: TempDir,
    documents: Vec<Loaded>,
}

impl World {
    fn new() -> World {
        let world = World {
            folder: TempDir::new().unwrap(),
            documents: Vec::new(),
        };
        Lattice::empty().save(&world.path()).unwrap();
        world
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("x.lattice")
    }

    /// A build of documents; none if it fails. Those that are set aside are taken from
    /// the list, and no other may be than those that are `new`.
    fn built(&self, documents: &mut Vec<Loaded>, new: &[&str]) -> Option<Lattice> {
        let mut builder = Builder::new();
        let mut aside = Vec::new();
        for document in &*documents {
            let folder = self.folder.path().join("fresh");
            let request = request(&folder, document.name, &document.content);
            let done = load(&mut builder, &request, &document.options, &mut Silent).ok()?;
            if done
                .quarantined
                .iter()
                .any(|(name, _)| name == document.name)
            {
                if !new.contains(&document.name) {
                    return None;
                }
                aside.push(document.name);
            }
        }
        documents.retain(|document| !aside.contains(&document.name));
        builder.freeze().ok()
    }

    /// Does a step with the file and with the list, and compares.
    fn take(&mut self, step: &Step) {
        let before = fs::read(self.path()).unwrap();
        let mut documents = self.documents.clone();
        let mut asked = Change::default();
        let mut known = true;
        let mut new = Vec::new();
        match step {
            Step::Add(added, on_error) => {
                let keyed = added.iter().any(|(at, _)| NAMES[*at] == "keyed.csv");
                // Options hold for all that is added together.
                asked.options = options(if keyed { "keyed.csv" } else { "" }, *on_error);
                let folder = self.folder.path().join("disk");
                for (at, content) in added {
                    let name = NAMES[*at];
                    if new.contains(&name) {
                        continue;
                    }
                    new.push(name);
                    asked.add.push(request(&folder, name, content));
                    let loaded = Loaded {
                        name,
                        content: content.clone(),
                        options: asked.options.clone(),
                    };
                    match documents.iter_mut().find(|d| d.name == name) {
                        Some(there) => *there = loaded,
                        None => documents.push(loaded),
                    }
                }
            }
            Step::Remove(names) => {
                for at in names {
                    let name = NAMES[*at];
                    known &= self.documents.iter().any(|d| d.name == name);
                    asked.remove.push(name.to_owned());
                    documents.retain(|d| d.name != name);
                }
            }
        }
        let fresh = match known {
            true => self.built(&mut documents, &new),
            false => None,
        };
        let done = changed(&self.path(), &asked);
        match (fresh, done) {
            (Some(fresh), Ok(_)) => {
                self.documents = documents;
                self.compare(&fresh);
            }
            // A wish may be refused that a build by hand does not look at.
            (Some(_), Err(error)) => {
                assert!(matches!(error, ChangeError::Wish(_)), "{error} at {step:?}");
                assert!(fs::read(self.path()).unwrap() == before);
            }
            (None, Err(_)) => assert!(fs::read(self.path()).unwrap() == before),
            (None, Ok(_)) => panic!("no build makes this: {step:?}"),
        }
    }

    fn compare(&self, fresh: &Lattice) {
        let lattice = Lattice::open(&self.path()).unwrap();
        lattice.verify_all().unwrap();
        assert_eq!(dumped(&lattice), dumped(fresh));
        assert_eq!(lattice.content_hash(), fresh.content_hash());
        assert_eq!(lattice.counts(), fresh.counts());
        for question in QUESTIONS {
            assert_eq!(answer(&lattice, question), answer(fresh, question));
        }
        assert_eq!(mentions(&lattice), mentions(fresh));
        let names: Vec<&str> = self
            .documents
            .iter()
            .map(|document| document.name)
            .collect();
        assert_eq!(lattice.kept_names().collect::<Vec<_>>(), names);
        for (at, name) in names.iter().enumerate() {
            assert_eq!(lattice.find_kept_document(name), Some(at));
        }
    }
}

fn dumped(lattice: &Lattice) -> String {
    let mut text = Vec::new();
    dump(lattice, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn answer(lattice: &Lattice, question: &str) -> serde_json::Value {
    let verdict: Verdict = Script::parse(question).unwrap().run(lattice).unwrap();
    verdict.to_json(lattice)
}

fn mentions(lattice: &Lattice) -> Vec<(String, Mentions)> {
    let all = (0..lattice.counts().instances as u32).map(InstanceId);
    all.map(|i| (lattice.id(i).to_owned(), lattice.mentions(i)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Case 23: after any adds, edits, removals and re-adds the lattice is the one that a
    /// build of the documents makes.
    #[test]
    fn a_changed_lattice_is_a_lattice_built_anew(steps in prop::collection::vec(step(), 1..10)) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
        }
        let names: Vec<String> = world.documents.iter().map(|d| d.name.to_owned()).collect();
        if !names.is_empty() {
            changed(&world.path(), &Change { remove: names, ..Change::default() }).unwrap();
        }
        let lattice = Lattice::open(&world.path()).unwrap();
        prop_assert_eq!(lattice.content_hash(), Lattice::empty().content_hash());
    }
}

fn plain(lines: &[usize]) -> Content {
    Content {
        declares: true,
        lines: lines.to_vec(),
        nested: vec![0],
    }
}

fn add(world: &World, name: &str, content: &Content) -> Changed {
    let asked = Change {
        add: vec![request(&world.folder.path().join("disk"), name, content)],
        ..Change::default()
    };
    changed(&world.path(), &asked).unwrap()
}

fn outcome(changed: &Changed) -> Outcome {
    changed.documents[0].1
}

/// What is there already is told, and nothing is written; a file that a document loads is
/// a part of it.
#[test]
fn the_same_again_changes_nothing() {
    let world = World::new();
    assert_eq!(
        outcome(&add(&world, "loads.lq", &plain(&[0, 1]))),
        Outcome::Added
    );
    let written = fs::metadata(world.path()).unwrap().modified().unwrap();
    let again = add(&world, "loads.lq", &plain(&[0, 1]));
    assert_eq!(outcome(&again), Outcome::Unchanged);
    assert!(again.built.is_none());
    assert_eq!(
        fs::metadata(world.path()).unwrap().modified().unwrap(),
        written
    );
    let nested = Content {
        nested: vec![1],
        ..plain(&[0, 1])
    };
    assert_eq!(
        outcome(&add(&world, "loads.lq", &nested)),
        Outcome::Replaced
    );
}

/// Case 18: the same content under two names is one fact with two sources, and a name is
/// a path.
#[test]
fn copies_are_sources_of_one_fact() {
    let world = World::new();
    for name in ["a.txt", "copy.txt", "sub/a.txt"] {
        add(&world, name, &plain(&[0]));
    }
    let lattice = Lattice::open(&world.path()).unwrap();
    assert_eq!(
        (lattice.counts().predicates, lattice.counts().evidence),
        (1, 3)
    );
    let without = |names: &[&str]| {
        let remove = names.iter().map(|name| (*name).to_owned()).collect();
        let done = changed(
            &world.path(),
            &Change {
                remove,
                ..Change::default()
            },
        );
        done.unwrap().after
    };
    let after = without(&["a.txt"]);
    assert_eq!((after.predicates, after.evidence), (1, 2));
    let after = without(&["copy.txt", "sub/a.txt"]);
    assert_eq!((after.predicates, after.instances), (0, 0));
}

/// A lattice that keeps no documents is not changed, and says what to do.
#[test]
fn without_documents_nothing_is_added() {
    let world = World::new();
    add(&world, "a.txt", &plain(&[0]));
    let lattice = Lattice::open(&world.path()).unwrap();
    let thawed = Builder::from_lattice(&lattice).unwrap().freeze().unwrap();
    assert!(!thawed.keeps_documents());
    assert_eq!(thawed.content_hash(), lattice.content_hash());
    thawed.save(&world.path()).unwrap();
    let asked = Change {
        remove: vec!["a.txt".to_owned()],
        ..Change::default()
    };
    let error = changed(&world.path(), &asked).unwrap_err();
    assert!(matches!(error, ChangeError::NoDocuments { .. }), "{error}");
    assert!(error.to_string().contains("latweave build"));
}

/// A document without which another cannot be loaded stays.
#[test]
fn what_others_need_is_not_taken_out() {
    let world = World::new();
    add(&world, "first.lq", &plain(&[]));
    let needs = Content {
        declares: false,
        ..plain(&[0])
    };
    add(&world, "second.lq", &needs);
    let asked = Change {
        remove: vec!["first.lq".to_owned()],
        ..Change::default()
    };
    let error = changed(&world.path(), &asked).unwrap_err();
    assert!(
        matches!(&error, ChangeError::Again { document, .. } if document == "second.lq"),
        "{error}"
    );
    let unknown = Change {
        remove: vec!["firts.lq".to_owned()],
        ..Change::default()
    };
    let error = changed(&world.path(), &unknown).unwrap_err();
    assert!(
        error.to_string().contains("did you mean \"first.lq\"?"),
        "{error}"
    );
    assert_eq!(
        Lattice::open(&world.path()).unwrap().kept_document_count(),
        2
    );
}

/// Every byte of a file that is built with documents is covered: what is altered is found.
#[test]
fn altered_documents_are_found() {
    let world = World::new();
    let mut builder = Builder::new();
    for name in ["loads.lq", "a.txt", "copy.txt"] {
        let folder = world.folder.path().join("disk");
        let request = request(&folder, name, &plain(&[0, 1, 2]));
        load(&mut builder, &request, &Options::default(), &mut Silent).unwrap();
    }
    builder.save(&world.path(), &|| false).unwrap();
    let bytes = fs::read(world.path()).unwrap();
    Lattice::from_bytes(&bytes).unwrap().verify_all().unwrap();
    for at in (0..bytes.len()).step_by(3) {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        let found = Lattice::from_bytes(&altered).and_then(|lattice| lattice.verify_all());
        assert!(found.is_err(), "byte {at}");
    }
    // The last section is that of the documents' bytes.
    let at = bytes.len() - bytes.len() / 8;
    let ends = (at..bytes.len()).rev().find(|&at| {
        let mut altered = bytes.clone();
        altered[at] ^= 1;
        let Ok(lattice) = Lattice::from_bytes(&altered) else {
            return false;
        };
        lattice
            .verify_all()
            .unwrap_err()
            .to_string()
            .contains("kept documents")
    });
    let mut altered = bytes.clone();
    altered[ends.unwrap()] ^= 1;
    fs::write(world.path(), &altered).unwrap();
    // A declaration concerns what other documents say, which are therefore loaded again.
    let declares = world.folder.path().join("declares.lq");
    fs::write(&declares, "DIMENSION quite_new TEXT\n").unwrap();
    let asked = Change {
        add: vec![Request::new(declares)],
        ..Change::default()
    };
    let error = changed(&world.path(), &asked).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    assert!(fs::read(world.path()).unwrap() == altered);
}

/// Whatever fails of a document leaves nothing of it, and what is loaded in a session is no
/// document.
#[test]
fn documents_say_all_or_none_are_kept() {
    let folder = TempDir::new().unwrap();
    let mut builder = Builder::new();
    let good = request(folder.path(), "first.lq", &plain(&[0]));
    let bad = request(folder.path(), "second.lq", &plain(&[17]));
    load(&mut builder, &good, &Options::default(), &mut Silent).unwrap();
    load(&mut builder, &bad, &Options::default(), &mut Silent).unwrap_err();
    let names = |builder: &Builder| -> Option<Vec<String>> {
        let lattice = builder.freeze().unwrap();
        let names = lattice.kept_names().map(str::to_owned).collect();
        lattice.keeps_documents().then_some(names)
    };
    assert_eq!(names(&builder), Some(vec!["first.lq".to_owned()]));
    // The same document once more is the same document.
    load(&mut builder, &good, &Options::default(), &mut Silent).unwrap();
    assert_eq!(names(&builder), Some(vec!["first.lq".to_owned()]));
    let mut told = builder.clone();
    told.declare_instance(latweave::lattice::Who::Name("Zoe"))
        .unwrap();
    assert_eq!(names(&told), None);
    let more = request(folder.path(), "a.txt", &plain(&[0]));
    load(&mut told, &more, &Options::default(), &mut Silent).unwrap();
    assert_eq!(names(&told), None);
    load(&mut builder, &more, &Options::default(), &mut Silent).unwrap();
    assert_eq!(names(&builder).unwrap().len(), 2);
}
