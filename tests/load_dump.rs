//! What is dumped as LQ and built again is the same lattice.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{
    Builder, DateInterval, Decimal, DimKey, DimensionSpec, FactValue, InstKey, KindSpec, Lattice,
    Multiplicity, NumberInterval, Who,
};
use latweave::load::{Form, OnError, Options, Report, Request, Silent, dump, load};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn dumped(lattice: &Lattice) -> String {
    let mut out = Vec::new();
    dump(lattice, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn built(text: &str) -> Lattice {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.lq");
    std::fs::write(&path, text).unwrap();
    let mut builder = Builder::new();
    let request = Request::new(path);
    let loaded = load(&mut builder, &request, &Options::default(), &mut Silent);
    loaded.unwrap_or_else(|error| panic!("{error}\n{text}"));
    builder.freeze().unwrap()
}

fn same(lattice: &Lattice) {
    let text = dumped(lattice);
    let again = built(&text);
    assert_eq!(
        lattice.content_hash(),
        again.content_hash(),
        "{text}\n---\n{}",
        dumped(&again)
    );
    assert_eq!(text, dumped(&again));
}

/// What a random builder is told, in small numbers.
#[derive(Clone, Debug)]
struct Told {
    names: Vec<String>,
    aliases: Vec<(usize, String)>,
    ids: Vec<(usize, String)>,
    edges: Vec<(usize, usize)>,
    synonyms: Vec<(usize, String)>,
    aka: Vec<(usize, String)>,
    facts: Vec<(usize, usize, usize, i32, bool, u8, usize)>,
    texts: Vec<String>,
}

fn told() -> impl Strategy<Value = Told> {
    let name = || "[a-c ]?[A-Za-z0-9 '\"\\\\#{}\\[\\]()=<>,;:@$./é日\n-]{1,6}";
    let visible = |text: &String| !text.trim().is_empty();
    (
        prop::collection::vec(name().prop_filter("blank", visible), 2..9),
        prop::collection::vec((0..9usize, name().prop_filter("blank", visible)), 0..4),
        prop::collection::vec((0..9usize, name().prop_filter("blank", visible)), 0..4),
        prop::collection::vec((0..6usize, 0..6usize), 0..8),
        prop::collection::vec((0..6usize, name().prop_filter("blank", visible)), 0..3),
        prop::collection::vec((0..9usize, name().prop_filter("blank", visible)), 0..3),
        prop::collection::vec(
            (
                0..9usize,
                0..9usize,
                0..9usize,
                -3000..3000i32,
                any::<bool>(),
                0..4u8,
                0..5usize,
            ),
            0..30,
        ),
        prop::collection::vec("\\PC{0,8}|[\"\\\\\n\t\r\u{0}\u{feff}]{1,4}|--|;|FACT x", 5),
    )
        .prop_map(
            |(names, aliases, ids, edges, synonyms, aka, facts, texts)| Told {
                names,
                aliases,
                ids,
                edges,
                synonyms,
                aka,
                facts,
                texts,
            },
        )
}

fn dims(builder: &mut Builder, told: &Told) -> Vec<DimKey> {
    let entity = || KindSpec::Entity { within: None };
    let mut specs = vec![
        DimensionSpec::new("species", KindSpec::Taxonomy),
        DimensionSpec::new("habitat of", KindSpec::Taxonomy),
        DimensionSpec::new("born", KindSpec::Date),
        DimensionSpec::new(
            "size",
            KindSpec::Number {
                unit: Some("m".to_owned()),
            },
        ),
        DimensionSpec::new("Count", KindSpec::Number { unit: None }),
        DimensionSpec::new("note", KindSpec::Text),
        DimensionSpec::new("zz_directed", entity()),
        DimensionSpec::new("borders", entity()),
        DimensionSpec::new(
            "in",
            KindSpec::Entity {
                within: Some("in".to_owned()),
            },
        ),
    ];
    specs[0].multiplicity = Some(Multiplicity::One);
    specs[2].multiplicity = Some(Multiplicity::One);
    specs[6].inverse = Some("directed_by".to_owned());
    specs[6].complete = told.names.len().is_multiple_of(2);
    specs[7].inverse = Some("borders".to_owned());
    for (d, word) in &told.aka {
        specs[*d].aka.push(word.clone());
    }
    let keys = specs
        .into_iter()
        .map(|spec| builder.declare_dimension(spec).unwrap())
        .collect();
    if told.names.len().is_multiple_of(3) {
        let mut other = DimensionSpec::new("directed_by", entity());
        other.multiplicity = Some(Multiplicity::One);
        builder.declare_dimension(other).unwrap();
    }
    keys
}

const TERMS: [&str; 6] = ["animal", "ONE", "killer whale", "complete", "a>b", "1914"];

fn frozen(told: &Told) -> Lattice {
    let mut builder = Builder::new();
    builder
        .add_unit("km", "1000".parse().unwrap(), "m")
        .unwrap();
    builder
        .add_unit("°", "0.5".parse().unwrap(), "turn")
        .unwrap();
    let dims = dims(&mut builder, told);
    for term in TERMS {
        builder.add_value(dims[0], term).unwrap();
        builder.add_value(dims[1], term).unwrap();
    }
    for (a, b) in &told.edges {
        if a < b {
            builder.add_edge(dims[0], TERMS[*a], TERMS[*b]).unwrap();
        }
    }
    for (v, word) in &told.synonyms {
        builder.add_synonym(dims[0], TERMS[*v], word).unwrap();
    }
    let mut keys: Vec<InstKey> = Vec::new();
    for (k, name) in told.names.iter().enumerate() {
        let own = told.ids.iter().find(|(of, _)| *of == k);
        let key = match own {
            Some((_, id)) => builder.instance(Who::Both { name, id }),
            None => builder.instance(Who::Id(name)),
        };
        keys.extend(key);
    }
    for (k, alias) in &told.aliases {
        if let Some(key) = keys.get(*k) {
            builder.add_alias(*key, alias).unwrap();
        }
    }
    for fact in &told.facts {
        add_fact(&mut builder, told, &dims, &keys, fact);
    }
    builder.freeze().unwrap()
}

fn add_fact(
    builder: &mut Builder,
    told: &Told,
    dims: &[DimKey],
    keys: &[InstKey],
    (subject, d, object, number, denied, confidence, source): &(
        usize,
        usize,
        usize,
        i32,
        bool,
        u8,
        usize,
    ),
) {
    let (Some(subject), Some(object_key)) = (keys.get(*subject), keys.get(*object)) else {
        return;
    };
    let decimal = |n: i32| Decimal::parse(&format!("{}.{}", n, n.unsigned_abs() % 100)).unwrap();
    let text = &told.texts[*source];
    let value = match d {
        0 | 1 => FactValue::Term(TERMS[object % 6]),
        2 => FactValue::Date(
            DateInterval::new(number * 400, number * 400 + *object as i32 * 31).unwrap(),
        ),
        3 | 4 => {
            let (a, b) = (decimal(*number), decimal(number * 7));
            FactValue::Number(NumberInterval::point(a).hull(&NumberInterval::point(b)))
        }
        5 => FactValue::Text(text),
        _ => FactValue::Instance(*object_key),
    };
    let words = format!("words {text}");
    let start = number.unsigned_abs() as u64;
    let range = (*object % 2 == 0).then_some((start, start + 9));
    let line = (*object % 3 == 0).then_some(start);
    let source = builder
        .source(&words, &told.texts[(source + 1) % 5], range, line)
        .unwrap();
    let confidence = [1.0, 0.5, 0.1 + 0.2, 0.0][*confidence as usize];
    builder
        .add_fact(*subject, dims[*d], value, *denied, confidence, source)
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn dump_then_build_is_the_identity(told in told()) {
        same(&frozen(&told));
    }
}

/// Bytes that look like files, more or less.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-c]{1,2}".prop_map(String::into_bytes),
        "[|\t,;\"\n\r{}\\[\\]:<>._@=%&# -]".prop_map(String::into_bytes),
        "[0-9]{1,5}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "a|r|b\n",
            "k,v\n",
            "{\"a\": 1}\n",
            "<u:a> <u:p> <u:b> .\n",
            "FACT a d = x SOURCE \"s\"\n",
            "DIMENSION d TEXT\n",
            "[Term]\nid: a\n",
            "name: b\nis_a: a\n",
            "synonym: \"c\" EXACT []\n",
            "relationship: b a\n",
            "<u:a> <http://www.w3.org/2004/02/skos/core#broader> <u:b> .\n",
            "<u:b> a <http://www.w3.org/2000/01/rdf-schema#Class> .\n",
            "00000001 03 n 01 a 0 001 @ 00000002 n 0000 | b\n",
            "00000002 03 n 01 b 0 000 | c\n",
            "child,parent\n",
            "B\n\n1\n2\n\na\nb\nc\nX.\n",
            "\u{feff}",
            "&quot;",
            "1914-12",
            "é",
            "\u{2212}5",
            "\0",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::sample::select(vec![vec![0xFFu8], vec![0xED, 0xA0, 0x80]]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A file of each form.
const NAMES: [&str; 13] = [
    "x.txt",
    "x.nt",
    "x.csv",
    "x.tsv",
    "x.jsonl",
    "x.lq",
    "x.obo",
    "x.ttl",
    "x.rdf",
    "x.jsonld",
    "data.noun",
    "x.edges",
    "x.cxt",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_bytes_are_taken_or_refused(bytes in bytes(), form in 0..NAMES.len(), mode in 0..3usize) {
        let folder = tempfile::tempdir().unwrap();
        let name = NAMES[form];
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let mut builder = Builder::new();
        let before = builder.freeze().unwrap().content_hash();
        let on_error = [OnError::Stop, OnError::Skip, OnError::Quarantine][mode];
        let options = Options { on_error, ..Options::default() };
        let mut request = Request { document: name.to_owned(), ..Request::new(path) };
        request.form = (name == "x.edges").then_some(Form::Edges);
        let done = load(&mut builder, &request, &options, &mut Silent);
        let lattice = builder.freeze();
        match done {
            Err(_) => prop_assert_eq!(lattice.unwrap().content_hash(), before),
            Ok(_) => if let Ok(lattice) = lattice { same(&lattice) },
        }
    }
}

#[test]
fn an_empty_lattice_dumps_to_nothing() {
    assert_eq!(dumped(&Lattice::empty()), "");
    same(&Lattice::empty());
}

#[test]
fn a_dump_is_readable() {
    let lattice = built(
        "UNIT km = 1000 m\nDIMENSION species TAXONOMY ONE\n  animal > mammal > whale, orca\nDIMENSION directed_by ENTITY MANY INVERSE directed\nDIMENSION length NUMBER UNIT m\nFACT \"Moby Dick\" species = whale, length = 0.02 km, species != orca CONFIDENCE 0.9\n  SOURCE \"Moby Dick is a whale.\" FROM \"moby.txt\" AT 0..21 LINE 1\nINSTANCE \"Springfield\" @\"city/springfield\" AKA \"Spfd\"\nFACT \"Jaws\" directed_by = \"S. S.\" SOURCE \"By S. S.\" FROM \"j.txt\"\n",
    );
    let expected = r#"UNIT km = 1000 m
UNIT m = 1 m

DIMENSION directed_by ENTITY MANY INVERSE directed

DIMENSION length NUMBER UNIT m MANY

DIMENSION species TAXONOMY ONE
  "animal" > "mammal"
  "mammal" > "orca", "whale"

INSTANCE "Springfield" @"city/springfield" AKA "Spfd"

FACT "Jaws" directed_by = "S. S."
  SOURCE "By S. S." FROM "j.txt"

FACT "Moby Dick" length = 20, species = "whale", species != "orca" CONFIDENCE 0.9
  SOURCE "Moby Dick is a whale." FROM "moby.txt" AT 0..21 LINE 1
"#;
    assert_eq!(dumped(&lattice), expected);
    same(&lattice);
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn take(builder: &mut Builder, path: PathBuf, change: impl Fn(&mut Request)) -> Report {
    let mut request = Request::new(path);
    change(&mut request);
    load(builder, &request, &Options::default(), &mut Silent).unwrap()
}

#[test]
fn tables_survive_the_way_to_lq_and_back() {
    let mut builder = Builder::new();
    take(&mut builder, fixture("animals.csv"), |_| {});
    take(&mut builder, fixture("classes.tsv"), |request| {
        request.table = Some("class".to_owned())
    });
    take(&mut builder, fixture("sightings.jsonl"), |_| {});
    take(&mut builder, fixture("links.nt"), |_| {});
    same(&builder.freeze().unwrap());
}

/// Real inputs, where they are at hand.
fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    println!(
        "skipped: {} is not there; set LATWEAVE_DATA",
        path.display()
    );
    None
}

#[test]
fn geography_survives_the_way_to_lq_and_back() {
    let Some(folder) = data("geoquery") else {
        return;
    };
    let mut builder = Builder::new();
    for name in [
        "state",
        "city",
        "river",
        "lake",
        "mountain",
        "highlow",
        "border_info",
    ] {
        take(
            &mut builder,
            folder.join(format!("{name}.csv")),
            |request| match name {
                "city" => request.key = vec!["city_name".to_owned(), "state_name".to_owned()],
                "highlow" | "border_info" => request.table = Some("state".to_owned()),
                _ => {}
            },
        );
    }
    let lattice = builder.freeze().unwrap();
    let kind = lattice.find_dimension("kind").unwrap();
    let states = lattice.taxonomy(kind).unwrap().find("state")[0];
    assert_eq!(lattice.positive(kind).holders(states).len(), 51);
    same(&lattice);
}

#[test]
fn metaqa_is_loaded_whole() {
    let Some(path) = data("metaqa/kb.txt") else {
        return;
    };
    let started = std::time::Instant::now();
    let mut builder = Builder::new();
    let request = Request {
        document: "kb.txt".to_owned(),
        form: Some(Form::Triples),
        ..Request::new(path)
    };
    let report = load(&mut builder, &request, &Options::default(), &mut Silent).unwrap();
    let loaded = started.elapsed();
    let lattice = builder.freeze().unwrap();
    let frozen = started.elapsed();
    println!("{report:?}");
    assert_eq!(report.facts, 133_582);
    assert_eq!(lattice.instance_count(), 43_234);
    assert_eq!(lattice.dimensions().len(), 18);
    if cfg!(debug_assertions) {
        println!("skipped: the way to LQ and back; run with --release");
        return;
    }
    let text = dumped(&lattice);
    let written = started.elapsed();
    let again = built(&text);
    println!(
        "load {loaded:?}, frozen at {frozen:?}, dumped ({} bytes) at {written:?}, built at {:?}",
        text.len(),
        started.elapsed()
    );
    assert_eq!(lattice.content_hash(), again.content_hash());
}
