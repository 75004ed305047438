//! RDF as taxonomies: the four syntaxes, languages, blank nodes, types, defects.
#![cfg(feature = "rdf")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::ontology::{Files, data, defects, figures, keeps_everything, names, parents};
use latweave::Lattice;
use latweave::lattice::Fault;
use latweave::load::{LoadError, Report, Request};

const THESAURUS: &str = r#"@prefix : <http://t.example/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:c1 a skos:Concept ;
  skos:prefLabel "animal"@en , "Tier"@de ;
  skos:narrower :c2 , :c3 .
:c2 a skos:Concept ;
  skos:prefLabel "baleine"@fr , "whale"@en-GB , "Wal"@de ;
  skos:altLabel "cetacean"@en ;
  skos:hiddenLabel "wahle" ;
  skos:broader :c1 ;
  skos:scopeNote "Lebt im Meer."@de ;
  skos:exactMatch <http://other.example/9> .
:c3 skos:prefLabel "dog" ; owl:deprecated true .
:c4 skos:broader :c1 .
"#;

fn loaded(name: &str, text: &str, ask: impl Fn(&mut Request)) -> (Lattice, Report) {
    let files = Files::new();
    files.put(name, text);
    let (builder, report) = files.load(&[name], ask).unwrap();
    (builder.freeze().unwrap(), report)
}

#[test]
fn concepts_are_values_and_labels_their_words() {
    let (lattice, report) = loaded("t.ttl", THESAURUS, |_| {});
    keeps_everything(&lattice);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_eq!(figures(&lattice, "t"), (4, 3, 1, 0));
    assert_eq!(
        parents(&lattice, "t", "http://t.example/c2"),
        ["http://t.example/c1"]
    );
    let is = |query: &str, expected: &[&str]| {
        assert_eq!(names(&lattice, query), expected, "{query}");
    };
    // Named in English or a variant of it, else without language, else by the id.
    is("MEET t < animal", &["c4", "dog", "whale"]);
    // Every label is a word for the value, whatever its language; the id's end too.
    for word in ["whale", "baleine", "Wal", "cetacean", "wahle", "c2"] {
        is(&format!("MEET t = {word}"), &["whale"]);
        if word != "c2" {
            is(&format!("MEET name = {word}"), &["whale"]);
        }
    }
    // The language of a text is kept in its dimension.
    is("MEET prefLabel_fr = baleine", &["whale"]);
    is("MEET name = whale RETURN altLabel_en", &["cetacean"]);
    is("MEET scopeNote_de = \"Lebt im Meer.\"", &["whale"]);
    is(
        "MEET hiddenLabel = wahle AND exactMatch = \"9\"",
        &["whale"],
    );
    is("MEET deprecated = true", &["dog"]);
}

#[test]
fn the_language_of_names_may_be_chosen() {
    let with = |tag: &str| {
        let ask = |request: &mut Request| request.language = Some(tag.to_owned());
        names(&loaded("t.ttl", THESAURUS, ask).0, "MEET t = c2")
    };
    assert_eq!(with("fr"), ["baleine"]);
    assert_eq!(with("de"), ["Wal"]);
    // Of languages that nobody asked for the first by tag.
    assert_eq!(with("es"), ["Wal"]);
}

/// The same small ontology in each syntax says the same.
#[test]
fn all_syntaxes_say_the_same() {
    let turtle = "@prefix : <http://o.example/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        @prefix owl: <http://www.w3.org/2002/07/owl#> .\n:Animal a owl:Class ; rdfs:label \"animal\"@en .\n\
        :Dog a owl:Class ; rdfs:subClassOf :Animal , owl:Thing .\n:rex a :Dog ; :age 7 .\n";
    let rdf_xml = r#"<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://o.example/"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">
  <owl:Class rdf:about="http://o.example/Animal"><rdfs:label xml:lang="en">animal</rdfs:label></owl:Class>
  <owl:Class rdf:about="http://o.example/Dog">
    <rdfs:subClassOf rdf:resource="http://o.example/Animal"/>
    <rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/>
  </owl:Class>
  <Dog rdf:about="http://o.example/rex"><age rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">7</age></Dog>
</rdf:RDF>
"#;
    let json = r#"{"@context": {"@vocab": "http://o.example/", "owl": "http://www.w3.org/2002/07/owl#",
  "rdfs": "http://www.w3.org/2000/01/rdf-schema#", "rdfs:subClassOf": {"@type": "@id"}},
 "@graph": [
  {"@id": "http://o.example/Animal", "@type": "owl:Class", "rdfs:label": {"@value": "animal", "@language": "en"}},
  {"@id": "http://o.example/Dog", "@type": "owl:Class", "rdfs:subClassOf": ["http://o.example/Animal", "owl:Thing"]},
  {"@id": "http://o.example/rex", "@type": "Dog", "age": 7}]}
"#;
    let lines = "<http://o.example/Animal> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> .\n\
<http://o.example/Animal> <http://www.w3.org/2000/01/rdf-schema#label> \"animal\"@en .\n\
<http://o.example/Dog> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#Class> .\n\
<http://o.example/Dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://o.example/Animal> .\n\
<http://o.example/Dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://www.w3.org/2002/07/owl#Thing> .\n\
<http://o.example/rex> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://o.example/Dog> .\n\
<http://o.example/rex> <http://o.example/age> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n";
    for (file, text) in [
        ("o.ttl", turtle),
        ("o.owl", rdf_xml),
        ("o.jsonld", json),
        ("o.nt", lines),
    ] {
        let (lattice, _) = loaded(file, text, |_| {});
        assert_eq!(figures(&lattice, "o"), (2, 1, 1, 0), "{file}");
        // A type that is a class of the file is a value in the taxonomy; ⊤ is none.
        assert_eq!(
            names(&lattice, "MEET o <= animal"),
            ["Dog", "animal", "rex"],
            "{file}"
        );
        assert_eq!(
            names(&lattice, "MEET o = Dog AND age = 7"),
            ["rex"],
            "{file}"
        );
        assert_eq!(
            names(&lattice, "MEET type = Class"),
            ["Dog", "animal"],
            "{file}"
        );
    }
}

#[test]
fn nodes_without_a_name_are_numbered_as_they_come() {
    let text = "@prefix : <http://o.example/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        @prefix owl: <http://www.w3.org/2002/07/owl#> .\n\
        :Dog rdfs:subClassOf :Animal , [ a owl:Restriction ; owl:onProperty :eats ] .\n:x :sees [ :age 3 ] .\n";
    let hash = || loaded("o.ttl", text, |_| {}).0.content_hash();
    assert_eq!(hash(), hash());
    let (lattice, _) = loaded("o.ttl", text, |_| {});
    // A class expression is no value; what is said of it is kept.
    assert_eq!(figures(&lattice, "o").0, 2);
    assert_eq!(
        names(&lattice, "MEET name = Dog RETURN subClassOf.onProperty"),
        ["eats"]
    );
    assert_eq!(names(&lattice, "MEET sees.age = 3"), ["x"]);
}

#[test]
fn parents_that_nothing_describes_and_cycles_are_defects() {
    let text = "@prefix : <http://o.example/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        :a rdfs:subClassOf :b .\n:b rdfs:subClassOf :a , :stub .\n:s rdfs:subClassOf :s .\n";
    let files = Files::skipping();
    files.put("o.ttl", text);
    let (builder, report) = files.load(&["o.ttl"], |_| {}).unwrap();
    let lattice = builder.freeze().unwrap();
    keeps_everything(&lattice);
    assert_eq!(report.cycles.len(), 2);
    let faults: Vec<Fault> = defects(&lattice, "o").into_iter().map(|d| d.0).collect();
    assert_eq!(faults.len(), 4);
    assert_eq!(
        faults[3],
        Fault::Undefined {
            term: "http://o.example/stub".to_owned(),
            user: "http://o.example/b".to_owned()
        }
    );
    assert_eq!(names(&lattice, "MEET o <= stub"), ["a", "b"]);
    let files = Files::new();
    files.put("o.ttl", text);
    let (builder, _) = files.load(&["o.ttl"], |_| {}).unwrap();
    assert!(builder.freeze().is_err());
}

#[test]
fn bad_syntax_is_told_with_its_line() {
    let text = "@prefix : <http://o.example/> .\n:a :p :b .\n:c :p \n  nonsense .\n:d :p :e .\n";
    let files = Files::new();
    files.put("o.ttl", text);
    match files.load(&["o.ttl"], |_| {}) {
        Err(LoadError::BadLine(bad)) => assert_eq!(bad.line, 4, "{bad}"),
        other => panic!("{:?}", other.err()),
    }
    let files = Files::skipping();
    files.put("o.ttl", text);
    let (builder, report) = files.load(&["o.ttl"], |_| {}).unwrap();
    assert!(report.skipped_count >= 1);
    assert_eq!(report.lines, 5);
    let lattice = builder.freeze().unwrap();
    assert_eq!(names(&lattice, "MEET p = b"), ["a"]);
    // XML has no place to go on from.
    files.put(
        "o.rdf",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n<a></b>",
    );
    let (_, report) = files.load(&["o.rdf"], |_| {}).unwrap();
    assert_eq!(report.skipped_count, 1);
    assert!(
        report.skipped[0].reason.contains("not read"),
        "{:?}",
        report.skipped
    );
}

/// A triple that is refused takes nothing with it that a later one says.
#[test]
fn a_term_whose_first_triple_is_bad_is_defined_by_the_next() {
    let files = Files::skipping();
    files.put("schema.lq", "DIMENSION size NUMBER ONE\n");
    files.put(
        "o.ttl",
        "@prefix : <http://o.example/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :a :size \"huge\" .\n:a rdfs:subClassOf :b .\n:b rdfs:label \"b\" .\n",
    );
    let (builder, report) = files.load(&["schema.lq", "o.ttl"], |_| {}).unwrap();
    assert_eq!(report.skipped_count, 1, "{:?}", report.skipped);
    let lattice = builder.freeze().unwrap();
    assert_eq!(names(&lattice, "MEET o <= b"), ["a", "b"]);
    assert_eq!(figures(&lattice, "o"), (2, 1, 1, 0));
}

#[test]
fn the_unesco_thesaurus_loads_whole() {
    let Some(path) = data("skos/unesco-thesaurus.ttl") else {
        return;
    };
    let started = std::time::Instant::now();
    let mut builder = latweave::lattice::Builder::new();
    let mut request = Request::new(path);
    request.table = Some("unesco".to_owned());
    let report = latweave::load::load(
        &mut builder,
        &request,
        &latweave::load::Options::default(),
        &mut latweave::load::Silent,
    )
    .unwrap();
    let lattice = builder.freeze().unwrap();
    println!(
        "{:?} in {:?}",
        figures(&lattice, "unesco"),
        started.elapsed()
    );
    assert!(report.is_whole());
    // 4,421 concepts; the 4,422nd line with `a skos:Concept` is that of the scheme.
    assert_eq!(figures(&lattice, "unesco"), (4_421, 4_264, 585, 0));
    assert_eq!(names(&lattice, "MEET unesco = Talent").len(), 1);
}

/// What no parser holds is a bad line, told where it begins, in a text of one line and of many.
#[test]
fn a_text_longer_than_a_parser_holds_is_told_with_its_line() {
    let head = "@prefix : <http://o.example/> .\n:a :p \"x\" .\n\n# next\n:b\n  :p ";
    let long = "y".repeat(17 << 20);
    let lines = "y y y y y y y y\n".repeat(17 << 16);
    for literal in [format!("\"{long}\""), format!("\"\"\"{lines}\"\"\"")] {
        let text = format!("{head}{literal} .\n:c :p \"z\" .\n");
        let files = Files::skipping();
        files.put("o.ttl", &text);
        let (builder, report) = files.load(&["o.ttl"], |_| {}).unwrap();
        assert_eq!(builder.freeze().unwrap().counts().predicates, 1);
        assert_eq!(report.skipped_count, 1);
        let told = "o.ttl:6: a text that begins here is longer than 16 MiB, and what follows is \
                    not read; shorten it, or take its statement out";
        assert_eq!(report.skipped[0].to_string(), told);
        let files = Files::new();
        files.put("o.ttl", &text);
        let stopped = files.load(&["o.ttl"], |_| {}).err().unwrap();
        assert!(matches!(stopped, LoadError::BadLine(_)));
        assert_eq!(stopped.to_string(), told);
    }
}
