//! Documents that are added and taken out in place: after every step the lattice reads as
//! one that is built from the same documents at once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::lattice::{
    Builder, DimensionId, EvidenceId, Gathering, InstanceId, Kind, Lattice, Relation, Value,
    ValueId,
};
use latweave::load::{Change, Means, Options, Outcome, Request, Silent, change, dump, load};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const SCHEMA: &str = "
DIMENSION sort TAXONOMY ONE
  thing > animal > mammal > whale, dog
  thing > plant > tree
DIMENSION place TAXONOMY MANY land, sea
DIMENSION part_of ENTITY MANY INVERSE has_part
DIMENSION likes ENTITY MANY WITHIN part_of
DIMENSION weight NUMBER ONE
DIMENSION born DATE
DIMENSION note TEXT MANY
";

const NAMES: [&str; 8] = ["Ada", "ada", "Bo", "Café", "Cy", "Dee", "Eve", "Zoë"];
const WORDS: [&str; 6] = ["Ada", "ADA", "cafe", "Bo", "a2", "Eva"];
const QUERIES: [&str; 7] = [
    "MEET sort <= animal",
    "MEET NOT sort = whale AND place = sea",
    "MEET weight > 2 AND weight < 9",
    "MEET part_of.part_of = Ada",
    "MEET born < 1950 RETURN born, note",
    "COMPARE Ada, Bo BY weight",
    "MEET likes = Bo",
];

/// How a document names an instance.
#[derive(Clone, Debug)]
enum Who {
    Name(usize),
    Id(usize),
    Both(usize, usize),
}

impl Who {
    fn lq(&self) -> String {
        match self {
            Who::Name(name) => format!("\"{}\"", NAMES[*name]),
            Who::Id(id) => format!("@a{id}"),
            Who::Both(name, id) => format!("\"{}\" @a{id}", NAMES[*name]),
        }
    }
}

#[derive(Clone, Debug)]
struct Said {
    who: Who,
    what: (usize, usize),
    other: Who,
    denied: bool,
    confidence: Option<u8>,
    from: Option<usize>,
}

impl Said {
    fn lq(&self) -> String {
        let (dimension, value) = self.what;
        let (dimension, value) = match dimension {
            0 => (
                "sort",
                ["whale", "dog", "tree", "mammal"][value % 4].to_owned(),
            ),
            1 => ("place", ["land", "sea"][value % 2].to_owned()),
            2 => ("part_of", self.other.lq()),
            3 => ("likes", self.other.lq()),
            4 => ("weight", format!("{}.{}", value, value % 3)),
            5 => ("born", format!("{}", 1900 + 10 * value)),
            6 => ("has_part", self.other.lq()),
            _ => ("note", format!("\"note {value}\"")),
        };
        let sign = if self.denied { "!=" } else { "=" };
        let mut text = format!("FACT {} {dimension} {sign} {value}", self.who.lq());
        if let Some(confidence) = self.confidence {
            write!(text, " CONFIDENCE 0.{confidence}").unwrap();
        }
        write!(text, " SOURCE \"So it says of {dimension}.\"").unwrap();
        if let Some(from) = self.from {
            write!(text, " FROM \"text{from}.txt\" LINE {}", value.len()).unwrap();
        }
        text
    }
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![
        6 => (0..NAMES.len()).prop_map(Who::Name),
        1 => (0usize..4).prop_map(Who::Id),
        // Mostly the same name for an id.
        2 => (0usize..4, prop::bool::weighted(0.05)).prop_map(|(id, odd)| {
            Who::Both(if odd { 7 } else { id + 2 }, id)
        }),
    ]
}

fn said() -> impl Strategy<Value = Said> {
    (
        who(),
        (0usize..8, 0usize..8),
        who(),
        prop::bool::weighted(0.15),
        prop::option::weighted(0.2, 1u8..9),
        prop::option::weighted(0.15, 0usize..3),
    )
        .prop_map(|(who, what, other, denied, confidence, from)| Said {
            who,
            what,
            other,
            denied,
            confidence,
            from,
        })
}

#[derive(Clone, Debug)]
enum Content {
    Facts(Vec<Said>),
    Table(Vec<(usize, usize, usize)>),
    Declares(usize),
    Names(usize),
}

impl Content {
    fn text(&self) -> String {
        match self {
            Content::Facts(all) => all.iter().map(|said| said.lq() + "\n").collect(),
            Content::Table(rows) => {
                let mut text = "id,name,weight,note\n".to_owned();
                for (id, weight, note) in rows {
                    writeln!(text, "a{id},{},{weight},n{note}", NAMES[id % NAMES.len()]).unwrap();
                }
                text
            }
            Content::Declares(k) => format!(
                "DIMENSION place TAXONOMY land > field{k}\nINSTANCE \"{}\"\n",
                NAMES[k % NAMES.len()]
            ),
            Content::Names(k) => format!("ALIAS \"also {k}\" = \"{}\"\n", NAMES[k % NAMES.len()]),
        }
    }

    fn ending(&self) -> &'static str {
        match self {
            Content::Table(_) => "csv",
            _ => "lq",
        }
    }
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        12 => prop::collection::vec(said(), 1..6).prop_map(Content::Facts),
        2 => prop::collection::vec((0usize..4, 0usize..9, 0usize..3), 1..4)
            .prop_map(Content::Table),
        1 => (0usize..4).prop_map(Content::Declares),
        1 => (0usize..4).prop_map(Content::Names),
    ]
}

/// A step: what is put into which document, or that it is taken out.
type Step = (usize, Option<Content>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0usize..6, prop::option::weighted(0.7, content())), 1..9)
}

struct Files {
    folder: tempfile::TempDir,
    /// The documents of the lattice, in their order.
    documents: Vec<PathBuf>,
}

impl Files {
    fn lattice(&self) -> PathBuf {
        self.folder.path().join("now.lattice")
    }

    fn fresh(&self) -> Result<Lattice, String> {
        self.builder()?.freeze().map_err(|error| error.to_string())
    }

    fn save(&self) {
        let builder = self.builder().unwrap();
        builder.save(&self.lattice(), &|| false).unwrap();
    }

    fn builder(&self) -> Result<Builder, String> {
        let mut builder = Builder::new();
        for path in &self.documents {
            load(
                &mut builder,
                &Request::new(path),
                &Options::default(),
                &mut Silent,
            )
            .map_err(|error| error.to_string())?;
        }
        Ok(builder)
    }

    fn change(&self, wanted: &Change) -> Result<(Lattice, bool, Outcome), String> {
        let means = Means {
            memory: 1 << 30,
            threads: Some(1),
            stopped: &|| false,
        };
        let done = change(&self.lattice(), wanted, means, &mut Silent);
        let done = done.map_err(|error| error.to_string())?;
        let lattice = Lattice::open(&self.lattice()).map_err(|error| error.to_string())?;
        assert_eq!(done.content_hash, lattice.content_hash());
        assert_eq!(done.after, lattice.counts());
        Ok((lattice, done.built.is_none(), done.documents[0].1))
    }
}

static IN_PLACE: AtomicUsize = AtomicUsize::new(0);
static ANEW: AtomicUsize = AtomicUsize::new(0);

fn run(steps: &[Step]) {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.lq");
    std::fs::write(&schema, SCHEMA).unwrap();
    let mut files = Files {
        folder,
        documents: vec![schema],
    };
    files.save();
    for (k, content) in steps {
        let ending = content.as_ref().map_or("lq", Content::ending);
        let path = files.folder.path().join(format!("d{k}.{ending}"));
        let before = files.documents.clone();
        let wanted = match content {
            Some(content) => {
                std::fs::write(&path, content.text()).unwrap();
                if !files.documents.contains(&path) {
                    files.documents.push(path.clone());
                }
                Change {
                    add: vec![Request::new(&path)],
                    ..Change::default()
                }
            }
            None if files.documents.contains(&path) => {
                files.documents.retain(|there| *there != path);
                Change {
                    remove: vec![path.display().to_string()],
                    ..Change::default()
                }
            }
            None => continue,
        };
        let old = std::fs::read(files.lattice()).unwrap();
        let fresh = files.fresh();
        match (files.change(&wanted), fresh) {
            (Ok((now, in_place, outcome)), Ok(fresh)) => {
                if outcome != Outcome::Unchanged {
                    let counter = if in_place { &IN_PLACE } else { &ANEW };
                    counter.fetch_add(1, Ordering::Relaxed);
                }
                reads_the_same(&now, &fresh);
                now.verify_all().unwrap();
            }
            (Err(told), Err(expected)) => {
                assert!(told.contains(&expected) || expected.contains(&told) || !told.is_empty());
                assert_eq!(old, std::fs::read(files.lattice()).unwrap());
                // What was refused is not there.
                files.documents = before;
                return;
            }
            (Ok(_), Err(error)) => panic!("a fresh build is refused: {error}"),
            (Err(error), Ok(_)) => panic!("the change is refused: {error}"),
        }
    }
}

fn reads_the_same(now: &Lattice, fresh: &Lattice) {
    assert_eq!(dumped(now), dumped(fresh));
    assert_eq!(now.counts(), fresh.counts());
    assert_eq!(now.documents(), fresh.documents());
    assert_eq!(now.dimensions(), fresh.dimensions());
    for i in (0..fresh.instance_count()).map(InstanceId) {
        assert_eq!(now.name(i), fresh.name(i));
        assert_eq!(now.id(i), fresh.id(i));
        assert_eq!(now.aliases(i), fresh.aliases(i));
        assert_eq!(now.is_declared(i), fresh.is_declared(i), "{}", fresh.id(i));
        assert_eq!(now.mentions(i), fresh.mentions(i), "{}", fresh.id(i));
        assert_eq!(now.by_id(fresh.id(i)), Some(i));
    }
    for word in WORDS.iter().chain(&NAMES) {
        assert_eq!(now.called_by_level(word), fresh.called_by_level(word));
        assert_eq!(now.nearest_names(word), fresh.nearest_names(word));
        assert_eq!(
            now.names_with_prefix(&word[..1], 9),
            fresh.names_with_prefix(&word[..1], 9)
        );
        assert_eq!(now.by_id(word), fresh.by_id(word));
    }
    for e in (0..fresh.counts().evidence as u32).map(EvidenceId) {
        assert_eq!(now.evidence(e).unwrap(), fresh.evidence(e).unwrap());
    }
    for d in (0..fresh.dimensions().len() as u16).map(DimensionId) {
        assert_eq!(now.value_count(d), fresh.value_count(d));
        assert_eq!(now.numbers(d), fresh.numbers(d));
        assert_eq!(now.dates(d), fresh.dates(d));
        assert_eq!(now.are_points(d), fresh.are_points(d));
        for v in (0..fresh.value_count(d) as u32).map(ValueId) {
            assert_eq!(now.value(d, v), fresh.value(d, v));
            if let Value::Text(text) = fresh.value(d, v)
                && fresh.dimension(d).kind == Kind::Text
            {
                assert_eq!(now.find_text(d, &text), Some(v));
            }
        }
        relations_are_the_same(now, fresh, d, now.positive(d), fresh.positive(d));
        relations_are_the_same(now, fresh, d, now.negative(d), fresh.negative(d));
    }
    for query in QUERIES {
        let ask = |lattice: &Lattice| {
            let verdict = latweave::Script::parse(query).unwrap().run(lattice);
            let verdict = verdict.map_err(|error| error.to_string());
            verdict.map(|verdict| serde_json::to_string(&verdict.to_json(lattice)).unwrap())
        };
        assert_eq!(ask(now), ask(fresh), "{query}");
    }
}

fn relations_are_the_same(
    now: &Lattice,
    fresh: &Lattice,
    d: DimensionId,
    a: Relation<'_>,
    b: Relation<'_>,
) {
    assert_eq!(a.len(), b.len());
    assert_eq!(a.subject_count(), b.subject_count());
    assert_eq!(a.subjects(), b.subjects());
    assert_eq!(a.multiple(), b.multiple());
    assert_eq!(a.has_multiple(), b.has_multiple());
    assert!(a.least_confidence() <= b.least_confidence());
    assert_eq!(a.distinct_values(), b.distinct_values());
    let rows = |relation: &Relation<'_>| -> Vec<_> {
        let rows = relation.rows();
        rows.map(|(i, row)| {
            let predicates = (0..row.len()).map(|k| row.predicate(k));
            let facts = predicates.map(|p| {
                assert_eq!(relation.subject(p), Some(i));
                (
                    relation.value(p),
                    relation.confidence(p),
                    relation.sources(p),
                )
            });
            (i, row.values().to_vec(), facts.collect::<Vec<_>>())
        })
        .collect()
    };
    assert_eq!(rows(&a), rows(&b));
    for i in (0..fresh.instance_count()).map(InstanceId) {
        assert_eq!(a.of(i).values(), b.of(i).values());
    }
    for v in (0..fresh.value_count(d) as u32).map(ValueId) {
        assert_eq!(a.holders(v).to_vec(), b.holders(v).to_vec());
        assert_eq!(a.holder_count(v), b.holder_count(v));
        assert_eq!(a.holders(v).first(), b.holders(v).first());
        if let (Some(mine), Some(taxonomy)) = (now.taxonomy(d), fresh.taxonomy(d)) {
            for strict in [false, true] {
                let gathered = |relation: &Relation<'_>, dag| {
                    let mut gathering = Gathering::among(fresh.instance_count());
                    relation.gather_below(dag, v.0, strict, &mut gathering);
                    gathering.into_set()
                };
                assert_eq!(gathered(&a, mine.dag()), gathered(&b, taxonomy.dag()));
            }
        }
    }
    if matches!(fresh.dimension(d).kind, Kind::Number { .. } | Kind::Date) {
        let count = b.distinct_values().len();
        for start in 0..=count {
            for end in start..=count {
                let gathered = |relation: &Relation<'_>| {
                    let mut gathering = Gathering::among(fresh.instance_count());
                    relation.gather_range(start..end, &mut gathering);
                    gathering.into_set()
                };
                assert_eq!(gathered(&a), gathered(&b), "{start}..{end} of {count}");
            }
        }
    }
}

fn dumped(lattice: &Lattice) -> String {
    let mut text = Vec::new();
    dump(lattice, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn what_is_changed_in_place_reads_as_what_is_built_at_once() {
    let cases = std::env::var("LATWEAVE_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        ..ProptestConfig::default()
    });
    runner
        .run(&steps(), |steps| {
            run(&steps);
            Ok(())
        })
        .unwrap();
    let (in_place, anew) = (
        IN_PLACE.load(Ordering::Relaxed),
        ANEW.load(Ordering::Relaxed),
    );
    println!("{in_place} changes in place, {anew} lattices built anew");
    // Most of these documents concern nothing that others say.
    assert!(in_place > anew / 2, "{in_place} in place, {anew} anew");
}

/// Not one step of these may need a lattice to be built anew.
#[test]
fn documents_of_facts_are_put_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| -> PathBuf {
        let path: &Path = folder.path();
        let path = path.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let schema = write("schema.lq", SCHEMA);
    let base = write(
        "base.csv",
        "id,name,weight\nx1,Moby,9\nx2,Laika,4\nx3,Keiko,7\nx4,Flipper,7\n",
    );
    let documents = [
        (
            "one.lq",
            "FACT Moby place = sea, note = \"white\" SOURCE \"a\"\nFACT \"Aa\" weight = 3 SOURCE \"b\"\n",
        ),
        (
            "two.lq",
            "FACT Keiko part_of = Moby SOURCE \"a\"\nFACT Zed likes = Laika, born = 1953 SOURCE \"b\"\n",
        ),
        ("three.csv", "id,name,weight\nx5,Nemo,1.5\nx6,Dory,8\n"),
        (
            "four.lq",
            "FACT Nemo sort = whale SOURCE \"So.\" FROM \"else.txt\" LINE 3\n",
        ),
        (
            "copy.lq",
            "FACT Moby place = sea, note = \"white\" SOURCE \"a\"\nFACT \"Aa\" weight = 3 SOURCE \"b\"\n",
        ),
    ];
    let mut files = Files {
        documents: vec![schema, base],
        folder: tempfile::tempdir().unwrap(),
    };
    files.save();
    let paths: Vec<PathBuf> = documents
        .iter()
        .map(|(name, text)| write(name, text))
        .collect();
    let check = |files: &Files, wanted: &Change| {
        let (now, in_place, _) = files.change(wanted).unwrap();
        assert!(in_place, "{wanted:?}");
        reads_the_same(&now, &files.fresh().unwrap());
        now.verify_all().unwrap();
    };
    for path in &paths {
        files.documents.push(path.clone());
        let add = vec![Request::new(path)];
        check(
            &files,
            &Change {
                add,
                ..Change::default()
            },
        );
    }
    for path in [&paths[0], &paths[3], &paths[2], &paths[4], &paths[1]] {
        files.documents.retain(|there| there != path);
        let remove = vec![path.display().to_string()];
        check(
            &files,
            &Change {
                remove,
                ..Change::default()
            },
        );
    }
}

/// Whatever byte of a changed file is altered or cut off: what is read is what was
/// written, or it is told that it is not.
#[test]
fn no_altered_byte_of_a_changed_file_makes_a_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.lq");
    std::fs::write(&schema, SCHEMA).unwrap();
    let mut files = Files {
        documents: vec![schema],
        folder,
    };
    files.save();
    for (k, name) in NAMES.iter().enumerate().take(3) {
        let path = files.folder.path().join(format!("d{k}.lq"));
        let text = format!(
            "FACT \"{name}\" weight = {k}, likes = Bo, note = \"n{k}\" SOURCE \"It says {k}.\"\n"
        );
        std::fs::write(&path, text).unwrap();
        files.documents.push(path.clone());
        let add = vec![Request::new(&path)];
        let (_, in_place, _) = files
            .change(&Change {
                add,
                ..Change::default()
            })
            .unwrap();
        assert!(in_place);
    }
    let bytes = std::fs::read(files.lattice()).unwrap();
    let said = dumped(&Lattice::from_bytes(&bytes).unwrap());
    let read = |bytes: &[u8]| -> Option<String> {
        let lattice = Lattice::from_bytes(bytes).ok()?;
        let mut text = Vec::new();
        let dumped = dump(&lattice, &mut text);
        (dumped.is_ok() && lattice.intact().is_ok()).then(|| String::from_utf8(text).unwrap())
    };
    let mut told = 0;
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        match read(&altered) {
            Some(text) => assert_eq!(text, said, "byte {at}"),
            None => told += 1,
        }
    }
    assert!(told > bytes.len() / 4, "{told} of {}", bytes.len());
    let whole = Lattice::from_bytes(&bytes).unwrap().as_bytes().len();
    for length in (0..whole).step_by(3) {
        assert_eq!(read(&bytes[..length]), None, "{length}");
    }
}
