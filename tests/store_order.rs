//! Order of declaration and of loading changes nothing: the same statements or files
//! in any order give the same bytes, or an error in every order.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::*;
use latweave::load::{Options, Request, Silent, load};
use proptest::prelude::*;
use std::path::Path;

const NAMES: [&str; 4] = ["texas", "ada", "q1", "Ada"];
const IDS: [&str; 5] = ["texas", "state/texas", "city/texas", "q1", "q2"];

/// How a statement names an instance.
#[derive(Clone, Debug)]
enum Called {
    Name(usize),
    Id(usize),
    Both(usize, usize),
    Listed(usize, usize, bool),
}

impl Called {
    fn who(&self) -> Who<'static> {
        match *self {
            Called::Name(n) => Who::Name(NAMES[n]),
            Called::Id(i) => Who::Id(IDS[i]),
            Called::Both(n, i) => Who::Both {
                name: NAMES[n],
                id: IDS[i],
            },
            Called::Listed(n, i, given) => Who::Listed {
                name: NAMES[n],
                id: IDS[i],
                given,
            },
        }
    }
}

#[derive(Clone, Debug)]
enum Statement {
    Fact(Called, u64),
    Relation(Called, Called, bool),
    Alias(Called, usize),
    Instance(Called),
}

fn called() -> impl Strategy<Value = Called> {
    let (name, id) = (0..NAMES.len(), 0..IDS.len());
    prop_oneof![
        4 => name.clone().prop_map(Called::Name),
        1 => id.clone().prop_map(Called::Id),
        1 => (name.clone(), id.clone()).prop_map(|(n, i)| Called::Both(n, i)),
        2 => (name, id, any::<bool>()).prop_map(|(n, i, given)| Called::Listed(n, i, given)),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    prop_oneof![
        3 => (called(), 0u64..4).prop_map(|(who, line)| Statement::Fact(who, line)),
        2 => (called(), called(), any::<bool>()).prop_map(|(a, b, d)| Statement::Relation(a, b, d)),
        1 => (called(), 0..NAMES.len()).prop_map(|(who, word)| Statement::Alias(who, word)),
        1 => called().prop_map(Statement::Instance),
    ]
}

fn dimensions() -> Builder {
    let mut b = Builder::new();
    b.declare_dimension(DimensionSpec::new("note", KindSpec::Text))
        .unwrap();
    b.declare_dimension(DimensionSpec {
        inverse: Some("of".into()),
        ..DimensionSpec::new("to", KindSpec::Entity { within: None })
    })
    .unwrap();
    b
}

fn tell(b: &mut Builder, statement: &Statement) -> Result<(), BuildError> {
    let (note, to) = (b.dimension("note").unwrap(), b.dimension("to").unwrap());
    match statement {
        Statement::Fact(who, line) => {
            let who = b.instance(who.who())?;
            let source = b.source("says so", "d0", None, Some(*line))?;
            let text = FactValue::Text("n");
            b.add_fact(who, note, text, false, 1.0, source)
        }
        Statement::Relation(who, other, denied) => {
            let who = b.instance(who.who())?;
            let other = FactValue::Instance(b.instance(other.who())?);
            let source = b.source("relates them", "d1", None, None)?;
            b.add_fact(who, to, other, *denied, 0.5, source)
        }
        Statement::Alias(who, word) => {
            let who = b.instance(who.who())?;
            b.add_alias(who, NAMES[*word])
        }
        Statement::Instance(who) => b.declare_instance(who.who()).map(|_| ()),
    }
}

fn told(statements: &[Statement]) -> Result<Lattice, BuildError> {
    let mut b = dimensions();
    for statement in statements {
        tell(&mut b, statement)?;
    }
    b.freeze()
}

/// A short form that tells any difference.
fn print(lattice: &Lattice) -> (String, blake3::Hash) {
    let hash = lattice.content_hash().to_string();
    (hash, blake3::hash(lattice.as_bytes()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statements_in_any_order(
        (statements, shuffled) in prop::collection::vec(statement(), 0..7)
            .prop_flat_map(|s| (Just(s.clone()), Just(s).prop_shuffle())),
    ) {
        let (one, other) = (told(&statements), told(&shuffled));
        prop_assert_eq!(one.is_ok(), other.is_ok(), "{:?} {:?}", one, other);
        if let (Ok(one), Ok(other)) = (one, other) {
            prop_assert_eq!(print(&one), print(&other));
            let again = Builder::from_lattice(&one).unwrap().freeze().unwrap();
            prop_assert_eq!(print(&one), print(&again));
            one.verify_all().unwrap();
        }
    }

    #[test]
    fn what_is_rolled_back_leaves_no_trace(
        kept in prop::collection::vec(statement(), 0..5),
        dropped in prop::collection::vec(statement(), 0..6),
        more in prop::collection::vec(statement(), 0..4),
        retracts in any::<bool>(),
    ) {
        let mut b = dimensions();
        let kept: Vec<Statement> = kept.into_iter().filter(|s| {
            let before = b.checkpoint();
            let done = tell(&mut b, s);
            match done {
                Ok(()) => b.release(before),
                Err(_) => b.rollback(before),
            }
            done.is_ok()
        }).collect();
        let before = b.checkpoint();
        dropped.iter().for_each(|s| { let _ = tell(&mut b, s); });
        if retracts {
            b.retract_document("d1");
            more.iter().for_each(|s| { let _ = tell(&mut b, s); });
            b.retract_document("d0");
        }
        b.rollback(before);
        let both = |b: &Builder| b.freeze().map(|l| print(&l)).map_err(|e| e.to_string());
        prop_assert_eq!(both(&b), told(&kept).map(|l| print(&l)).map_err(|e| e.to_string()));
        for s in &more {
            let before = b.checkpoint();
            let done = tell(&mut b, s);
            match done {
                Ok(()) => b.release(before),
                Err(_) => b.rollback(before),
            }
        }
        let mut fresh = dimensions();
        for s in kept.iter().chain(&more) {
            let before = fresh.checkpoint();
            let done = tell(&mut fresh, s);
            match done {
                Ok(()) => fresh.release(before),
                Err(_) => fresh.rollback(before),
            }
        }
        prop_assert_eq!(both(&b), both(&fresh));
    }

    #[test]
    fn writing_it_down_in_between_changes_no_retraction(statements in prop::collection::vec(statement(), 0..7)) {
        // Where an instance is named by its name alone, which id that name has is
        // settled when it is written down; before, it went with what gave the id.
        let settled = |who: &Called| !matches!(who, Called::Name(_));
        let spoken = |who: &Called| matches!(who, Called::Id(_));
        let statements: Vec<Statement> = statements.into_iter().filter(|s| match s {
            Statement::Fact(a, _) => spoken(a),
            Statement::Relation(a, b, _) => spoken(a) && spoken(b),
            Statement::Alias(a, _) | Statement::Instance(a) => settled(a),
        }).collect();
        let mut straight = dimensions();
        if statements.iter().any(|s| tell(&mut straight, s).is_err()) {
            return Ok(());
        }
        let Ok(lattice) = straight.freeze() else {
            return Ok(());
        };
        let mut reopened = Builder::from_lattice(&Lattice::from_bytes(lattice.as_bytes()).unwrap()).unwrap();
        for document in ["d1", "d0"] {
            // A fact that was told twice is one once it is written down.
            let told = straight.retract_document(document);
            prop_assert!(reopened.retract_document(document) <= told);
            let both = [&straight, &reopened].map(|b| b.freeze().map(|l| print(&l)).map_err(|e| e.to_string()));
            prop_assert_eq!(&both[0], &both[1]);
        }
    }

    #[test]
    fn a_retracted_document_was_never_there(statements in prop::collection::vec(statement(), 0..7)) {
        // What names an instance without declaring it, or names it otherwise, is not
        // taken back with a document.
        let lasting = |who: &Called| matches!(who, Called::Name(_) | Called::Id(_));
        let statements: Vec<Statement> = statements.into_iter().filter(|s| match s {
            Statement::Fact(a, _) => lasting(a),
            Statement::Relation(a, b, _) => lasting(a) && lasting(b),
            Statement::Alias(..) => false,
            Statement::Instance(_) => true,
        }).collect();
        let mut b = dimensions();
        if statements.iter().any(|s| tell(&mut b, s).is_err()) {
            return Ok(());
        }
        b.retract_document("d1");
        let rest: Vec<Statement> = statements.into_iter()
            .filter(|s| !matches!(s, Statement::Relation(..))).collect();
        let both = [b.freeze(), told(&rest)].map(|l| l.map(|l| print(&l)).map_err(|e| e.to_string()));
        prop_assert_eq!(&both[0], &both[1]);
    }
}

/// All orders of `0..n`.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for k in 0..n {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=k).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, k);
                    longer
                })
            })
            .collect();
    }
    all
}

fn put(folder: &Path, name: &str, text: &str) -> Request {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    Request {
        document: name.to_owned(),
        ..Request::new(path)
    }
}

/// What the files say, in every order; an error is its sentence.
fn in_every_order(files: &[(&str, &str)]) -> Vec<Result<Lattice, String>> {
    let folder = tempfile::tempdir().unwrap();
    let requests: Vec<Request> = files
        .iter()
        .map(|(name, text)| put(folder.path(), name, text))
        .collect();
    let build = |order: &Vec<usize>| {
        let mut b = Builder::new();
        for &at in order {
            load(&mut b, &requests[at], &Options::default(), &mut Silent)
                .map_err(|error| error.to_string())?;
        }
        b.freeze().map_err(|error| error.to_string())
    };
    orders(files.len()).iter().map(build).collect()
}

/// The one lattice that the files give in every order.
fn alike(files: &[(&str, &str)]) -> Lattice {
    let all = in_every_order(files);
    let all: Vec<Lattice> = all.into_iter().map(|l| l.unwrap()).collect();
    // The documents are kept in the order in which they were loaded.
    let said = |lattice: &Lattice| {
        let alone = Builder::from_lattice(lattice).unwrap().freeze().unwrap();
        (lattice.content_hash(), print(&alone))
    };
    for other in &all {
        assert_eq!(said(other), said(&all[0]));
    }
    all[0].clone()
}

const STATES: (&str, &str) = ("state.csv", "state,capital\ntexas,austin\noregon,salem\n");

#[test]
fn a_name_joins_the_row_of_a_table_that_comes_later() {
    let lattice = alike(&[
        STATES,
        (
            "borders.txt",
            "texas|borders|oregon\nmexico|borders|texas\n",
        ),
        (
            "more.lq",
            "DIMENSION motto TEXT\nFACT \"texas\" motto = \"Friendship\" SOURCE \"Friendship\"\nALIAS \"Lone Star State\" = \"texas\"\n",
        ),
    ]);
    let ids: Vec<&str> = (0..lattice.instance_count())
        .map(|i| lattice.id(InstanceId(i)))
        .collect();
    assert_eq!(ids, ["mexico", "state/oregon", "state/texas"]);
    let texas = lattice.by_id("state/texas").unwrap();
    assert_eq!(lattice.aliases(texas), ["Lone Star State"]);
    let borders = lattice.find_dimension("borders").unwrap();
    assert_eq!(lattice.positive(borders).of(texas).len(), 1);
}

#[test]
fn a_name_of_two_is_an_error_in_every_order() {
    let files = [
        STATES,
        ("ship.csv", "ship,built\ntexas,1912\n"),
        ("borders.txt", "oregon|borders|texas\n"),
    ];
    for result in in_every_order(&files) {
        let text = result.unwrap_err();
        assert!(
            text.contains("2 instances are called \"texas\"")
                && text.contains("@\"ship/texas\", @\"state/texas\"")
                && text.contains("borders.txt"),
            "{text}"
        );
    }
    // An instance that is declared by its name alone is another one.
    let files = [
        STATES,
        ("a.lq", "INSTANCE \"texas\""),
        ("b.txt", "oregon|borders|texas\n"),
    ];
    for result in in_every_order(&files) {
        assert!(result.unwrap_err().contains("@\"state/texas\", @\"texas\""));
    }
    assert_eq!(alike(&files[..2]).instance_count(), 3);
}

#[test]
fn the_better_name_of_an_id_is_its_name_in_every_order() {
    let lattice = alike(&[
        ("issue.csv", "id,name,label\n7,Crash,bug\n"),
        ("issue.tsv", "id\topened\n7\t2020-01-02\n"),
        ("c.lq", "INSTANCE @\"issue/7\" AKA \"the crash\""),
        ("links.nt", "<u:a/x> <u:p> <u:a/y> .\n"),
    ]);
    let issue = lattice.by_id("issue/7").unwrap();
    assert_eq!(lattice.name(issue), "Crash");
    assert_eq!(lattice.aliases(issue), ["7", "the crash"]);
    let lattice = alike(&[
        ("issue.csv", "id,name,label\n7,Crash,bug\n"),
        ("c.lq", "INSTANCE \"The crash\" @\"issue/7\""),
        ("f.txt", "Crash|blocks|release\n"),
    ]);
    let issue = lattice.by_id("issue/7").unwrap();
    assert_eq!(lattice.name(issue), "The crash");
    assert_eq!(lattice.aliases(issue), ["Crash"]);
    assert_eq!(lattice.instance_count(), 2);
}

#[test]
fn several_values_in_one_table_make_a_column_many_in_every_order() {
    let files = [
        ("a.csv", "who,tag\nx,1\ny,2\n"),
        ("b.csv", "who,tag\nx,1\nx,2\n"),
        ("c.csv", "who,tag\nz,1\n"),
    ];
    let multiplicity = |lattice: &Lattice| {
        lattice
            .dimension(lattice.find_dimension("tag").unwrap())
            .multiplicity
    };
    assert_eq!(multiplicity(&alike(&files)), Multiplicity::Many);
    // That two tables disagree is no sign of it.
    assert_eq!(
        multiplicity(&alike(&[files[0], ("a.tsv", "who\ttag\nx\t9\n")])),
        Multiplicity::One
    );
}

#[test]
fn another_kind_in_another_file_asks_for_a_declaration_in_every_order() {
    for files in [
        [("a.csv", "who,tag\nx,1\n"), ("b.csv", "who,tag\nx,one\n")],
        [
            ("a.csv", "who,at\nx,1914\n"),
            ("b.csv", "who,at\nx,1914-12\n"),
        ],
        [("a.csv", "who,at\nx,London\n"), ("b.txt", "x|at|London\n")],
        [
            ("a.csv", "who,at\nx,1\n"),
            ("b.nt", "<u:x> <u:at> \"one\" .\n"),
        ],
    ] {
        for result in in_every_order(&files) {
            let text = result.unwrap_err();
            assert!(text.contains("declare it before"), "{text}");
        }
    }
    // What is declared is read as declared.
    let schema = "DIMENSION at TEXT ONE\n";
    let folder = tempfile::tempdir().unwrap();
    let mut b = Builder::new();
    for (name, text) in [
        ("s.lq", schema),
        ("a.csv", "who,at\nx,1914\n"),
        ("b.txt", "x|at|London\n"),
    ] {
        let request = put(folder.path(), name, text);
        load(&mut b, &request, &Options::default(), &mut Silent).unwrap();
    }
    assert_eq!(b.freeze().unwrap().counts().predicates, 3);
    // A late declaration that contradicts a file says so.
    let mut b = Builder::new();
    for (name, text) in [("a.csv", "who,at\nx,1914\n"), ("s.lq", schema)] {
        let request = put(folder.path(), name, text);
        let done = load(&mut b, &request, &Options::default(), &mut Silent);
        if name == "s.lq" {
            let text = done.unwrap_err().to_string();
            assert!(text.contains("was taken for NUMBER"), "{text}");
        }
    }
}

#[test]
fn a_declared_instance_outlives_what_is_said_of_it() {
    let mut b = dimensions();
    let declared = b.declare_instance(Who::Name("texas")).unwrap();
    assert_eq!(b.find(Who::Id("texas")), Some(declared));
    for name in ["texas", "ada"] {
        tell(&mut b, &Statement::Fact(Called::Name(0), 1)).unwrap();
        let who = b.instance(Who::Name(name)).unwrap();
        let source = b.source("s", "d0", None, None).unwrap();
        let note = b.dimension("note").unwrap();
        b.add_fact(who, note, FactValue::Text("x"), false, 1.0, source)
            .unwrap();
    }
    assert_eq!(b.freeze().unwrap().instance_count(), 2);
    b.retract_document("d0");
    let lattice = b.freeze().unwrap();
    assert_eq!(lattice.instance_count(), 1);
    assert_eq!(lattice.id(InstanceId(0)), "texas");
}
