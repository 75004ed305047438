//! What a builder refuses, and what it makes of repeated and scattered statements.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::*;

fn entity() -> KindSpec {
    KindSpec::Entity { within: None }
}

fn spec(name: &str, kind: KindSpec) -> DimensionSpec {
    DimensionSpec::new(name, kind)
}

fn with_inverse(name: &str, inverse: &str) -> DimensionSpec {
    DimensionSpec {
        inverse: Some(inverse.into()),
        ..spec(name, entity())
    }
}

fn dimension<'a>(lattice: &'a Lattice, name: &str) -> &'a Dimension {
    lattice.dimension(lattice.find_dimension(name).unwrap())
}

/// One or two sentences that say what to do, without addressing anyone.
fn sentence<T: std::fmt::Debug>(result: Result<T, BuildError>) -> String {
    let error = result.unwrap_err();
    let text = error.to_string();
    assert!(!text.contains(" you") && !text.ends_with('.'), "{text}");
    text
}

#[test]
fn declarations_add_up_and_do_not_contradict() {
    let mut b = Builder::new();
    let d = b.declare_dimension(spec("born", KindSpec::Date)).unwrap();
    let one = DimensionSpec {
        multiplicity: Some(Multiplicity::One),
        aka: vec!["date of birth".into(), "born".into()],
        ..spec(" born ", KindSpec::Date)
    };
    assert_eq!(b.declare_dimension(one).unwrap(), d);
    assert_eq!(b.spec(d).aka, ["date of birth"]);
    let text = sentence(b.declare_dimension(spec("born", KindSpec::Text)));
    assert_eq!(
        text,
        "dimension \"born\" is declared as DATE ONE and as TEXT; keep one of them"
    );
    let many = DimensionSpec {
        multiplicity: Some(Multiplicity::Many),
        ..spec("born", KindSpec::Date)
    };
    sentence(b.declare_dimension(many));
    sentence(b.declare_dimension(spec("", KindSpec::Text)));
    sentence(b.declare_dimension(spec(" name", KindSpec::Text)));
    let inverse = DimensionSpec {
        inverse: Some("x".into()),
        ..spec("note", KindSpec::Text)
    };
    sentence(b.declare_dimension(inverse));
    assert!(b.dimension("note").is_none() && b.dimension("x").is_none());
    let unit = |unit: &str| {
        spec(
            "size",
            KindSpec::Number {
                unit: Some(unit.into()),
            },
        )
    };
    b.declare_dimension(unit("km")).unwrap();
    sentence(b.declare_dimension(unit("mi")));
    let lattice = b.freeze().unwrap();
    assert_eq!(dimension(&lattice, "born").multiplicity, Multiplicity::One);
    assert_eq!(dimension(&lattice, "Date of Birth").name, "born");
    assert!(lattice.units().knows("km"));
    assert_eq!(lattice.nearest_dimensions("bron"), ["born"]);
}

#[test]
fn an_inverse_is_declared_with_its_dimension() {
    let mut b = Builder::new();
    let complete = DimensionSpec {
        complete: true,
        ..with_inverse("directed_by", "directed")
    };
    b.declare_dimension(complete).unwrap();
    let lattice = b.freeze().unwrap();
    let (by, of) = (
        dimension(&lattice, "directed_by"),
        dimension(&lattice, "directed"),
    );
    assert!(by.primary && !of.primary && of.complete && of.is_entity());
    assert_eq!(of.multiplicity, Multiplicity::Many);
    assert_eq!(lattice.dimension(by.inverse.unwrap()).name, "directed");
    assert_eq!(lattice.dimension(of.inverse.unwrap()).name, "directed_by");
    // A later declaration of the other side is judged as if it had come first.
    let mut b = Builder::from_lattice(&lattice).unwrap();
    let one = DimensionSpec {
        multiplicity: Some(Multiplicity::One),
        ..spec("directed", entity())
    };
    b.declare_dimension(one.clone()).unwrap();
    let mut first = Builder::new();
    first.declare_dimension(one).unwrap();
    let complete = DimensionSpec {
        complete: true,
        ..with_inverse("directed_by", "directed")
    };
    first.declare_dimension(complete).unwrap();
    let (a, b) = (b.freeze().unwrap(), first.freeze().unwrap());
    assert_eq!(a.content_hash(), b.content_hash());
    assert_eq!(a.dimensions(), b.dimensions());
    assert!(dimension(&a, "directed").primary && !dimension(&a, "directed_by").primary);

    let mut b = Builder::new();
    b.declare_dimension(spec("note", KindSpec::Text)).unwrap();
    sentence(b.declare_dimension(with_inverse("noted_by", "note")));
    assert!(
        b.dimension("noted_by").is_none(),
        "a refused declaration leaves nothing"
    );
    b.declare_dimension(with_inverse("a", "b")).unwrap();
    sentence(b.declare_dimension(with_inverse("c", "b")));
    sentence(b.declare_dimension(spec("b", KindSpec::Date)));
}

#[test]
fn within_is_checked_when_all_is_declared() {
    let within = spec(
        "born_in",
        KindSpec::Entity {
            within: Some("located_in".into()),
        },
    );
    let mut b = Builder::new();
    b.declare_dimension(within).unwrap();
    let text = sentence(b.freeze());
    assert!(text.contains("not declared"), "{text}");
    b.declare_dimension(spec("located_in", KindSpec::Text))
        .unwrap();
    assert!(sentence(b.freeze()).contains("which is TEXT"));
    let mut b = Builder::new();
    b.declare_dimension(spec(
        "born_in",
        KindSpec::Entity {
            within: Some("located_in".into()),
        },
    ))
    .unwrap();
    b.declare_dimension(spec("located_in", entity())).unwrap();
    let lattice = b.freeze().unwrap();
    let within = dimension(&lattice, "born_in").within().unwrap();
    assert_eq!(lattice.dimension(within).name, "located_in");
}

#[test]
fn a_cycle_is_told_with_its_whole_path() {
    // Case 19: real ontologies have these.
    let mut b = Builder::new();
    let d = b.declare_dimension(spec("go", KindSpec::Taxonomy)).unwrap();
    let text = sentence(b.add_edge(d, "3", " 3"));
    assert_eq!(
        text,
        "taxonomy \"go\" declares \"3\" > \"3\"; remove that edge"
    );
    b.add_edge(d, "root", "GO:0045257").unwrap();
    b.add_edge(d, "GO:0045281", "GO:0045257").unwrap();
    b.add_edge(d, "GO:0045257", "GO:0045281").unwrap();
    let text = sentence(b.freeze());
    assert!(
        text.contains("\"GO:0045257\" > \"GO:0045281\" > \"GO:0045257\""),
        "{text}"
    );
}

#[test]
fn instances_are_told_apart_by_id() {
    let mut b = Builder::new();
    let ada = b.instance(Who::Name("Ada\n Lovelace ")).unwrap();
    assert_eq!(b.instance(Who::Name("Ada Lovelace")).unwrap(), ada);
    assert_eq!(
        (b.instance_name(ada), b.instance_id(ada)),
        ("Ada Lovelace", "Ada Lovelace")
    );
    assert_eq!(b.find(Who::Id("Ada Lovelace")), Some(ada));
    sentence(b.instance(Who::Name(" \u{a0}")));
    sentence(b.instance(Who::Id("")));
    b.instance(Who::Both {
        name: "The 39 Steps",
        id: "m1",
    })
    .unwrap();
    let called = b.instance(Who::Name("The 39 Steps")).unwrap();
    assert_eq!(b.instance_id(called), "m1");
    assert_eq!(b.freeze().unwrap().instance_count(), 2);
    let before = b.checkpoint();
    b.instance(Who::Both {
        name: "The 39 Steps",
        id: "m2",
    })
    .unwrap();
    let text = sentence(b.instance(Who::Name("The 39 Steps")));
    assert!(text.contains("@\"m1\", @\"m2\""), "{text}");
    assert_eq!(b.find(Who::Name("The 39 Steps")), None);
    sentence(b.instance(Who::Both {
        name: "Other",
        id: "m1",
    }));
    let text = sentence(b.freeze());
    assert!(text.contains("@\"m1\", @\"m2\""), "{text}");
    b.rollback(before);
    // A name that is the id of something else would be two things under one id.
    let before = b.checkpoint();
    b.instance(Who::Name("m1")).unwrap();
    let text = sentence(b.freeze());
    assert!(text.contains("@\"m1\" is called"), "{text}");
    b.rollback(before);
    b.instance(Who::Both {
        name: "The 40 Steps",
        id: "m2",
    })
    .unwrap();
    sentence(b.add_alias(ada, " "));
    b.add_alias(ada, "Ada Lovelace").unwrap();
    let lattice = b.freeze().unwrap();
    let names: Vec<&str> = (0..lattice.instance_count())
        .map(|i| lattice.id(InstanceId(i)))
        .collect();
    assert_eq!(names, ["Ada Lovelace", "m1", "m2"]);
    assert!(lattice.aliases(InstanceId(0)).is_empty());
}

#[test]
fn an_ambiguous_alias_lists_all() {
    // Case 12.
    let mut b = Builder::new();
    for name in ["Sherlock Holmes", "Mycroft Holmes", "Dr. Watson"] {
        let who = b.instance(Who::Name(name)).unwrap();
        if name.ends_with("Holmes") {
            b.add_alias(who, "Holmes").unwrap();
        }
    }
    let lattice = b.freeze().unwrap();
    let called = lattice.called("holmes");
    let names: Vec<&str> = called.instances.iter().map(|&i| lattice.name(i)).collect();
    assert_eq!(
        (called.level, names),
        (Level::Alias, vec!["Mycroft Holmes", "Sherlock Holmes"])
    );
}

#[test]
fn a_fact_needs_a_fitting_value_a_source_and_a_confidence() {
    let mut b = Builder::new();
    let d = b
        .declare_dimension(spec("species", KindSpec::Taxonomy))
        .unwrap();
    let size = b
        .declare_dimension(spec("size", KindSpec::Number { unit: None }))
        .unwrap();
    let i = b.instance(Who::Name("Moby Dick")).unwrap();
    b.add_value(d, "whale").unwrap();
    sentence(b.add_value(size, "whale"));
    sentence(b.add_edge(size, "a", "b"));
    sentence(b.add_synonym(d, "orca", "killer whale"));
    for blank in ["", " \n"] {
        sentence(b.source(blank, "moby.txt", None, None));
    }
    sentence(b.source("x", "moby.txt", Some((2, 1)), None));
    sentence(b.source(&"x".repeat(LONGEST_SOURCE + 1), "moby.txt", None, None));
    let source = b.source("a whale", "moby.txt", Some((0, 0)), None).unwrap();
    assert_eq!(
        b.source("a whale", "moby.txt", Some((0, 0)), None).unwrap(),
        source
    );
    let whale = FactValue::Term("whale");
    for confidence in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        sentence(b.add_fact(i, d, whale.clone(), false, confidence, source));
    }
    sentence(b.add_fact(i, d, FactValue::Term("orca"), false, 1.0, source));
    sentence(b.add_fact(i, d, FactValue::Text("whale"), false, 1.0, source));
    sentence(b.add_fact(i, size, FactValue::Instance(i), false, 1.0, source));
    let long = NumberInterval::point(Decimal::parse(&"9".repeat(300)).unwrap());
    b.add_fact(
        i,
        size,
        FactValue::Number(long.clone()),
        false,
        -0.0,
        source,
    )
    .unwrap();
    let longer = long.low.checked_mul(&long.low).unwrap();
    sentence(b.add_fact(
        i,
        size,
        FactValue::Number(NumberInterval::point(longer)),
        false,
        1.0,
        source,
    ));
    assert_eq!(b.freeze().unwrap().counts().predicates, 1);
}

#[test]
fn both_sides_of_a_relation_are_one_predicate() {
    let mut b = Builder::new();
    let by = b
        .declare_dimension(with_inverse("directed_by", "directed"))
        .unwrap();
    let of = b.dimension("directed").unwrap();
    let film = b.instance(Who::Name("Film")).unwrap();
    let ann = b.instance(Who::Name("Ann")).unwrap();
    let source = b.source("Film by Ann", "a", None, None).unwrap();
    b.add_fact(film, by, FactValue::Instance(ann), false, 0.5, source)
        .unwrap();
    b.add_fact(ann, of, FactValue::Instance(film), false, 0.75, source)
        .unwrap();
    let lattice = b.freeze().unwrap();
    assert_eq!(lattice.counts().predicates, 1);
    for d in [DimensionId(0), DimensionId(1)] {
        let relation = lattice.positive(d);
        assert_eq!(relation.len(), 1);
        let (_, row) = relation.rows().next().unwrap();
        assert_eq!(relation.sources(row.predicate(0)), [(EvidenceId(0), 0.75)]);
    }
}

#[test]
fn copies_are_two_sources_of_one_fact() {
    // Case 18: the same content under two names, and the same name in two folders.
    let mut b = Builder::new();
    let d = b.declare_dimension(spec("note", KindSpec::Text)).unwrap();
    let i = b.instance(Who::Name("x")).unwrap();
    for document in ["a.txt", "copy.txt", "x/readme.md", "y/readme.md"] {
        let source = b.source("the same line", document, None, None).unwrap();
        b.add_fact(i, d, FactValue::Text("n"), false, 1.0, source)
            .unwrap();
    }
    let lattice = b.freeze().unwrap();
    assert_eq!(
        (lattice.counts().predicates, lattice.counts().documents),
        (1, 4)
    );
    let relation = lattice.positive(DimensionId(0));
    assert_eq!(relation.sources(PredicateId(0)).len(), 4);
    assert_eq!(b.retract_document("x/readme.md"), 1);
    assert_eq!(b.retract_document("x/readme.md"), 0);
    let names: Vec<String> = b
        .freeze()
        .unwrap()
        .documents()
        .into_iter()
        .map(|d| d.name)
        .collect();
    assert_eq!(names, ["a.txt", "copy.txt", "y/readme.md"]);
}

#[test]
fn keys_of_others_are_refused() {
    let mut a = Builder::new();
    let d = a.declare_dimension(spec("note", KindSpec::Text)).unwrap();
    let i = a.instance(Who::Name("x")).unwrap();
    let source = a.source("s", "a", None, None).unwrap();
    let mut b = Builder::new();
    sentence(b.add_alias(i, "y"));
    sentence(b.add_value(d, "y"));
    sentence(b.add_fact(i, d, FactValue::Text("n"), false, 1.0, source));
    assert_eq!(b.spec(d).name, "");
    assert_eq!(b.instance_name(i), "");
    a.add_fact(i, d, FactValue::Text("n"), false, 1.0, source)
        .unwrap();
    a.retract_document("a");
    sentence(a.add_alias(i, "y"));
    let again = a.instance(Who::Name("x")).unwrap();
    assert_ne!(again, i);
}

#[test]
fn unusual_names_survive() {
    // Case 8.
    let names = [
        "O'Connor",
        "\"Weird Al\" Yankovic",
        "a\\b",
        "#29",
        "Adastra (UK)",
        "]})",
        "日本語",
        "é",
    ];
    let mut b = Builder::new();
    names.iter().for_each(|name| {
        b.instance(Who::Name(name)).unwrap();
    });
    let lattice = b.freeze().unwrap();
    for name in names {
        let called = lattice.called(name);
        assert_eq!(
            (called.level, called.instances.len()),
            (Level::Exact, 1),
            "{name}"
        );
        assert_eq!(lattice.by_id(name), Some(called.instances[0]));
    }
    assert_eq!(lattice.names_with_prefix("A", 9), ["a\\b", "Adastra (UK)"]);
    assert_eq!(lattice.names_with_prefix("", 3).len(), 3);
}
