//! Pictures of lattices: dimensions, answers, formal concepts, and those of the book.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/pictures.rs"]
mod pictures;

use latweave::draw::{Mark, Node, Picture, TreeStyle};
use pictures::assert_lawful;

#[test]
fn the_animals_as_a_tree_and_as_dot() {
    let picture = animals();
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("draw_animals_tree", picture.tree(&TreeStyle::default()).unwrap());
        insta::assert_snapshot!("draw_animals_dot", picture.dot().unwrap());
    });
}

/// The lattice of the animals example.
fn example() -> latweave::Lattice {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("examples/animals/animals.lq")).unwrap();
    lattice_of(&text)
}

/// Its species.
fn animals() -> Picture {
    let lattice = example();
    let species = lattice.find_dimension("species").unwrap();
    latweave::script::picture::dimension(&lattice, species, None).unwrap()
}

/// The lattice of one file of the ontology example.
fn ontology(file: &str, dimension: &str) -> latweave::Lattice {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ontology");
    let mut builder = latweave::lattice::Builder::new();
    let mut request = latweave::load::Request::new(folder.join(file));
    request.table = Some(dimension.to_owned());
    let options = latweave::load::Options::default();
    latweave::load::load(
        &mut builder,
        &request,
        &options,
        &mut latweave::load::Silent,
    )
    .unwrap();
    builder.freeze().unwrap()
}

/// A term of the generic slim of the Gene Ontology, and what is near it.
fn around(value: &str, levels: Option<u32>) -> Picture {
    let lattice = ontology("goslim_generic.obo", "go");
    let go = lattice.find_dimension("go").unwrap();
    let around = latweave::script::picture::Around { value, levels };
    latweave::script::picture::dimension(&lattice, go, Some(around)).unwrap()
}

/// The concepts of "live in water".
fn water() -> Picture {
    let lattice = ontology("liveinwater.cxt", "attribute");
    let attribute = lattice.find_dimension("attribute").unwrap();
    let budget = latweave::engine::Budget::unlimited();
    let found = latweave::theory::concepts(&lattice, &[attribute], 0, &budget).unwrap();
    assert_eq!(found.found, 19);
    found.picture()
}

/// The observed joint order of two columns of the zoo.
fn joint() -> Picture {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/animals");
    let mut builder = latweave::lattice::Builder::new();
    let request = latweave::load::Request::new(folder.join("zoo.csv"));
    let options = latweave::load::Options::default();
    latweave::load::load(
        &mut builder,
        &request,
        &options,
        &mut latweave::load::Silent,
    )
    .unwrap();
    let lattice = builder.freeze().unwrap();
    let d = |name| lattice.find_dimension(name).unwrap();
    let budget = latweave::engine::Budget::unlimited();
    latweave::theory::joint_order(&lattice, d("type"), d("backbone"), &budget).unwrap()
}

/// What the first wider query that SUGGEST writes down for the animals finds, and why.
fn suggested() -> Picture {
    use latweave::theory::Report;
    let lattice = example();
    let mut session = latweave::script::Session::new(lattice.clone());
    let tree = latweave::syntax::parse("SUGGEST MEET species = whale").unwrap();
    session.execute(&tree.statements[0]).unwrap();
    let Some(Report::Suggest(found)) = session.report() else {
        panic!("nothing is suggested");
    };
    answered(&lattice, &found.suggestions[0].query)
}

/// What the answer of a query follows from.
fn answered(lattice: &latweave::Lattice, query: &str) -> Picture {
    let verdict = latweave::Script::parse(query)
        .unwrap()
        .run(lattice)
        .unwrap();
    let budget = latweave::engine::Budget::unlimited();
    latweave::script::chain::chain(lattice, &verdict, &budget)
        .unwrap()
        .unwrap()
}

/// The pictures in the book are those that the program draws today.
/// `LATWEAVE_BOOK=write` writes them, to be looked at and committed.
#[test]
fn the_pictures_of_the_book_are_fresh() {
    let answer = answered(&example(), "MEET species = mammal AND habitat = aquatic");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/pictures");
    let write = std::env::var("LATWEAVE_BOOK").is_ok_and(|word| word == "write");
    for (name, picture) in [
        ("species.svg", animals()),
        ("answer.svg", answer),
        ("go-translation.svg", around("translation", Some(0))),
        ("go-organelle.svg", around("organelle", Some(1))),
        ("live-in-water.svg", water()),
        ("zoo-type-backbone.svg", joint()),
        ("suggested.svg", suggested()),
    ] {
        let (path, svg) = (folder.join(name), picture.svg().unwrap());
        if write {
            std::fs::write(&path, &svg).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == svg,
            "{name} is old: LATWEAVE_BOOK=write cargo test --test draw_lattice writes it anew"
        );
    }
}

/// The context “live in water” (Ganter and Wille, 1999): 19 concepts.
#[test]
fn a_concept_lattice_is_drawn() {
    use latweave::draw::concept_picture;
    use latweave::order::concepts::{ConceptLattice, Context, Limits};
    let attributes = [
        "needs water",
        "lives in water",
        "lives on land",
        "needs chlorophyll",
        "two seed leaves",
        "one seed leaf",
        "can move",
        "has limbs",
        "suckles",
    ];
    let objects = [
        ("leech", "abg"),
        ("bream", "abgh"),
        ("frog", "abcgh"),
        ("dog", "acghi"),
        ("spike-weed", "abdf"),
        ("reed", "abcdf"),
        ("bean", "acde"),
        ("maize", "acdf"),
    ];
    let crosses = (0u32..)
        .zip(&objects)
        .flat_map(|(object, (_, has))| has.bytes().map(move |b| (object, u32::from(b - b'a'))));
    let context = Context::new(8, 9, crosses, 1 << 20).unwrap();
    let go = || std::ops::ControlFlow::Continue(());
    let lattice = ConceptLattice::new(&context, 0, Limits::default(), go).unwrap();
    let names = attributes.map(String::from);
    let called = objects.map(|(name, _)| name.to_string());
    let drawn = concept_picture(&lattice, &context, &called, &names);
    assert_eq!(drawn.nodes.len(), 19);
    assert_eq!(drawn.edges.len(), lattice.covers());
    assert_eq!(drawn.title, "19 concepts of 8 objects and 9 attributes");
    // Every name stands once.
    let all = |of: &dyn Fn(&Node) -> String| -> Vec<String> {
        let texts: Vec<String> = drawn.nodes.iter().map(of).collect();
        let mut all: Vec<String> = texts
            .iter()
            .flat_map(|t| t.split(", "))
            .filter(|t| !t.is_empty())
            .map(String::from)
            .collect();
        all.sort();
        all
    };
    let mut sorted = names.to_vec();
    sorted.sort();
    assert_eq!(all(&|node| node.label.clone()), sorted);
    let mut sorted = called.to_vec();
    sorted.sort();
    assert_eq!(all(&|node| node.detail.clone().unwrap_or_default()), sorted);
    // The highest has what all have; a dog suckles, and nothing else does.
    let top = &drawn.nodes[0];
    assert_eq!((top.label.as_str(), top.mark), ("needs water", Mark::Root));
    let dog = drawn.nodes.iter().find(|n| n.label == "suckles").unwrap();
    assert_eq!(dog.detail.as_deref(), Some("dog"));
    assert_lawful(
        &drawn,
        &drawn.layout().unwrap(),
        Some(&drawn.edges.iter().copied().collect()),
    );
    // Names beyond the fourth are counted, missing ones numbered.
    let few = concept_picture(&lattice, &context, &[], &[]);
    assert_eq!(few.nodes[0].label, "0");
}

fn lattice_of(text: &str) -> latweave::Lattice {
    latweave::Script::parse(text).unwrap().build().unwrap()
}

#[test]
fn a_part_of_a_dimension_says_what_it_leaves_out() {
    use latweave::script::picture::{Around, PictureError, dimension};
    let lattice = lattice_of(
        "DIMENSION go TAXONOMY ONE
           \"GO:1\" > \"GO:2\", \"GO:3\"
           \"GO:2\" > \"GO:4\", \"GO:5\"
         SYNONYM \"powerhouse\" = \"GO:3\" IN go
         INSTANCE \"cell part\" @\"GO:2\"
         DIMENSION born DATE ONE",
    );
    let go = lattice.find_dimension("go").unwrap();
    let around = |value, levels| dimension(&lattice, go, Some(Around { value, levels }));
    let style = TreeStyle::default();
    let drawn = around("GO:2", Some(0)).unwrap();
    assert_eq!(drawn.title, "go around cell part");
    assert_eq!(
        drawn.tree(&style).unwrap(),
        "GO:1\n└─ cell part  GO:2 + 2 below  (asked)\n"
    );
    let whole = around("GO:1", None).unwrap().tree(&style).unwrap();
    assert_eq!(
        whole,
        "GO:1  (asked)\n├─ cell part  GO:2\n│  ├─ GO:4\n│  └─ GO:5\n└─ GO:3  powerhouse\n"
    );
    assert_eq!(around("Powerhouse", None).unwrap().nodes.len(), 2);
    let error = around("powerhose", None).unwrap_err();
    assert_eq!(error.help().as_deref(), Some("did you mean “powerhouse”?"));
    let born = lattice.find_dimension("born").unwrap();
    let error = dimension(&lattice, born, None).unwrap_err();
    assert!(matches!(
        error,
        PictureError::NotOrdered { kind: "DATE", .. }
    ));
}

#[test]
fn an_entity_dimension_is_drawn_by_its_relation() {
    use latweave::script::picture::{Around, dimension};
    let lattice = lattice_of(
        "DIMENSION located_in ENTITY MANY
         DIMENSION born_in ENTITY ONE WITHIN located_in
         FACT Ulm located_in = Bavaria SOURCE \"s\" FROM \"d\" LINE 1
         FACT Bavaria located_in = Germany SOURCE \"s\" FROM \"d\" LINE 2
         FACT Ulm located_in = Germany SOURCE \"s\" FROM \"d\" LINE 3
         FACT Here located_in = There SOURCE \"s\" FROM \"d\" LINE 4
         FACT There located_in = Here SOURCE \"s\" FROM \"d\" LINE 5
         FACT Einstein born_in = Ulm SOURCE \"s\" FROM \"d\" LINE 6
         FACT Alice born_in = Wonderland SOURCE \"s\" FROM \"d\" LINE 7",
    );
    let born_in = lattice.find_dimension("born_in").unwrap();
    let whole = dimension(&lattice, born_in, None).unwrap();
    let circle = whole
        .nodes
        .iter()
        .find(|n| n.label == "Here = There")
        .unwrap();
    assert_eq!(circle.mark, Mark::Contested);
    let around = Some(Around {
        value: "Bavaria",
        levels: None,
    });
    let part = dimension(&lattice, born_in, around).unwrap();
    assert_eq!(
        part.tree(&TreeStyle::default()).unwrap(),
        "Germany\n└─ Bavaria  (asked)\n   └─ Ulm\n"
    );
    assert_eq!(whole.nodes.len(), 5, "{whole:?}");
}

/// What an answer follows from, from the constraints to the hits.
#[test]
fn the_chain_of_an_answer() {
    use latweave::engine::Budget;
    use latweave::script::chain::{MOST_HITS, chain};
    let mut text = String::from(
        "DIMENSION species TAXONOMY ONE animal > mammal > whale, dog
         DIMENSION habitat TAXONOMY MANY aquatic, terrestrial
         DIMENSION kept_at ENTITY MANY
         DIMENSION in_country ENTITY MANY
         FACT Zoo in_country = France SOURCE \"in France\" FROM \"z\" LINE 9\n",
    );
    for k in 0..15 {
        text.push_str(&format!(
            "FACT \"w{k:02}\" species = whale, habitat = aquatic, kept_at = Zoo SOURCE \"whale {k}\" FROM \"d\" LINE {}\n",
            k + 1
        ));
    }
    let lattice = lattice_of(&text);
    let drawn = |query: &str| {
        let verdict = latweave::Script::parse(query)
            .unwrap()
            .run(&lattice)
            .unwrap();
        chain(&lattice, &verdict, &Budget::unlimited()).unwrap()
    };
    let labels = |picture: &Picture, mark: Mark| -> Vec<String> {
        let marked = picture.nodes.iter().filter(|n| n.mark == mark);
        marked.map(|n| n.label.clone()).collect()
    };
    let picture = drawn("MEET species = mammal AND species = whale AND habitat = aquatic").unwrap();
    let mut asked = labels(&picture, Mark::Focus);
    asked.sort();
    assert_eq!(
        asked,
        ["habitat = aquatic", "species = mammal", "species = whale"]
    );
    let hits = labels(&picture, Mark::Answer);
    assert_eq!(hits.len(), MOST_HITS + 1);
    assert_eq!(
        (hits[0].as_str(), hits[MOST_HITS].as_str()),
        ("w00", "and 3 more")
    );
    let place = |label: &str, detail: Option<&str>| {
        let same = |n: &Node| n.label == label && n.detail.as_deref() == detail;
        picture
            .nodes
            .iter()
            .position(same)
            .unwrap_or_else(|| panic!("{label}")) as u32
    };
    // constraint > meet > recorded value with its source > hit
    let way = [
        place("species = mammal", None),
        place("species = whale", Some("their meet")),
        place("species = whale", Some("d:1: “whale 0”")),
        place("w00", None),
    ];
    for pair in way.windows(2) {
        assert!(picture.edges.contains(&(pair[0], pair[1])), "{pair:?}");
    }
    assert_lawful(&picture, &picture.layout().unwrap(), None);

    let path = drawn("MEET kept_at.in_country = France AND name = \"w01\"").unwrap();
    assert_eq!(
        path.tree(&TreeStyle::default()).unwrap(),
        "name = w01  (asked)\n\
         └─ w01  (answer)\n\
         kept_at.in_country = France  (asked)\n\
         └─ Zoo: in_country = France  z:9: “in France”\n   \
            └─ kept_at = Zoo  d:2: “whale 1”\n      \
               └─ ↑ w01 (above)\n"
    );
    let returned = drawn("MEET name IN {\"w01\", \"w02\"} RETURN kept_at").unwrap();
    assert_eq!(labels(&returned, Mark::Answer), ["Zoo"]);

    let conflict = drawn("MEET species = whale AND species = dog").unwrap();
    assert_eq!(labels(&conflict, Mark::Contested), ["species", "nothing"]);
    let empty = drawn("MEET species = whale AND habitat = terrestrial").unwrap();
    let tree = empty.tree(&TreeStyle::default()).unwrap();
    assert!(tree.contains("nothing  empty"), "{tree}");
    // Nothing is met where a word is unknown, and a COMPARE meets nothing.
    assert_eq!(drawn("MEET species = unicorn"), None);
    assert_eq!(drawn("COMPARE whale, dog BY species"), None);
}
