//! Ontologies in OBO format: terms, words, relations, and what is wrong with them.
#![cfg(feature = "obo")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::ontology::{
    Files, abstains, data, defects, figures, keeps_everything, names, parents, taxonomy,
};
use latweave::lattice::Fault;
use latweave::load::Request;

const ANATOMY: &str = r#"format-version: 1.2
ontology: bones
default-namespace: anatomy ! of a made-up animal

[Term]
id: B:1
name: bone
def: "A hard \"organ\"." [B:me]
synonym: "osseous element" EXACT []
synonym: "skeleton part" BROAD [B:me]
xref: FMA:5018 "bone organ"

[Term]
id: B:2
name: long bone
is_a: B:1 {source="B:me"} ! bone
relationship: part_of B:5 ! limb
alt_id: B:22
subset: slim
comment: Longer than wide.
creation_date: 2009-07-14T04:08:10Z
created_by: someone
property_value: B:weight "12" xsd:integer
property_value: seeAlso B:1
intersection_of: B:1
intersection_of: part_of B:5

[Term]
id: B:3
name: obsolete marrow
is_a: B:1
is_obsolete: true
replaced_by: B:2
consider: B:1

[Term]
id: B:5
name: limb
namespace: regions
synonym: "extremity" RELATED []
home_made: yes

[Typedef]
id: part_of
name: part of
inverse_of: has_part
is_transitive: true

[Typedef]
id: RO:0002503
name: towards

[Instance]
id: B:femur1
name: the femur of Lucy
instance_of: B:2
relationship: RO:0002503 B:5
"#;

#[test]
fn a_term_is_a_value_and_an_instance_with_all_its_words() {
    let (lattice, report) = Files::new().lattice("bones.obo", ANATOMY);
    assert_eq!(figures(&lattice, "bones"), (4, 1, 3, 0));
    let is = |query: &str, expected: &[&str]| {
        assert_eq!(names(&lattice, query), expected, "{query}");
    };
    is(
        "MEET bones <= bone",
        &["bone", "long bone", "the femur of Lucy"],
    );
    is("MEET bones < \"B:1\"", &["long bone", "the femur of Lucy"]);
    is(
        "MEET bones = \"osseous element\"",
        &["bone", "long bone", "the femur of Lucy"],
    );
    // An alternative id names the same term.
    is("MEET bones = \"B:22\"", &["long bone", "the femur of Lucy"]);
    // A synonym that means more or something else is a text, and no word for it.
    assert_eq!(
        abstains(&lattice, "MEET bones = \"skeleton part\""),
        "unknown-value"
    );
    is("MEET broad_synonym = \"skeleton part\"", &["bone"]);
    is("MEET related_synonym = extremity", &["limb"]);
    is("MEET exact_synonym = \"osseous element\"", &["bone"]);
    // Facts.
    is("MEET name = bone RETURN definition", &["A hard \"organ\"."]);
    is("MEET xref = \"FMA:5018\"", &["bone"]);
    is("MEET part_of = limb", &["long bone"]);
    is("MEET name = limb RETURN has_part", &["long bone"]);
    is("MEET towards = limb", &["the femur of Lucy"]);
    is(
        "MEET namespace = anatomy",
        &["bone", "long bone", "obsolete marrow", "the femur of Lucy"],
    );
    is("MEET namespace = regions", &["limb"]);
    is(
        "MEET subset = slim AND creation_date = 2009-07-14",
        &["long bone"],
    );
    is(
        "MEET \"B:weight\" = \"12\" AND seeAlso = bone",
        &["long bone"],
    );
    is(
        "MEET created_by = someone RETURN comment",
        &["Longer than wide."],
    );
    // An obsolete term is found, and lies below nothing.
    is("MEET bones = \"B:3\"", &["obsolete marrow"]);
    is("MEET obsolete = true RETURN replaced_by", &["long bone"]);
    is("MEET obsolete = true RETURN consider", &["bone"]);
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("1 edges of obsolete terms"), "{warnings}");
    assert!(
        warnings.contains("1 of home_made, 2 of intersection_of"),
        "{warnings}"
    );
    assert!(report.is_whole());
}

#[test]
fn the_source_of_a_fact_is_its_own_line() {
    let (lattice, _) = Files::new().lattice("bones.obo", ANATOMY);
    let verdict = latweave::Script::parse("MEET part_of = limb").unwrap();
    let verdict = verdict.run(&lattice).unwrap();
    let hit = verdict.hits(&lattice).next().unwrap();
    let evidence = &hit.evidence()[0];
    assert_eq!(evidence.text, "relationship: part_of B:5 ! limb");
    assert_eq!(evidence.place, "bones.obo:17");
    // Byte for byte what stands in the document.
    for e in 0..lattice.counts().evidence as u32 {
        let evidence = lattice.evidence(latweave::lattice::EvidenceId(e)).unwrap();
        let (start, end) = evidence.range.unwrap();
        assert_eq!(&ANATOMY[start as usize..end as usize], evidence.text);
        let before = ANATOMY[..start as usize].matches('\n').count() as u64;
        assert_eq!(evidence.line, Some(before + 1));
    }
}

#[test]
fn other_relations_may_order_the_values() {
    let files = Files::new();
    files.put("bones.obo", ANATOMY);
    let with = |edges: &[&str]| {
        let ask = |request: &mut Request| {
            request.table = Some("bone".to_owned());
            request.edges = edges.iter().map(|e| (*e).to_owned()).collect();
        };
        let (builder, _) = files.load(&["bones.obo"], ask).unwrap();
        builder.freeze().unwrap()
    };
    assert_eq!(
        parents(&with(&["is_a", "part_of"]), "bone", "B:2"),
        ["B:1", "B:5"]
    );
    let only = with(&["part_of"]);
    assert_eq!(parents(&only, "bone", "B:2"), ["B:5"]);
    assert_eq!(
        names(&only, "MEET is_a = bone"),
        ["long bone", "obsolete marrow"]
    );
    assert_eq!(names(&only, "MEET part_of = limb"), ["long bone"]);
}

/// Case 19: cycles of one, of two relations, and one that no root reaches.
const CIRCLES: &str = "[Term]\nid: GO:0045257\nname: succinate dehydrogenase complex (ubiquinone)\n\
is_a: GO:0045281 ! succinate dehydrogenase complex\n\n[Term]\nid: GO:0045281\n\
name: succinate dehydrogenase complex\nrelationship: part_of GO:0045257\n\n\
[Term]\nid: 3\nis_a: 3\n\n[Term]\nid: 4\nis_a: GO:0045281\n";

#[test]
fn a_cycle_stops_the_load_or_its_members_become_one_value() {
    let files = Files::new();
    files.put("go.obo", CIRCLES);
    let orders = |request: &mut Request| {
        request.edges = vec!["is_a".to_owned(), "part_of".to_owned()];
    };
    // A term that is its own parent is a cycle like others, told with its line.
    let (builder, _) = files.load(&["go.obo"], orders).unwrap();
    assert_eq!(
        builder.freeze().err().unwrap().to_string(),
        "taxonomy \"go\" has a cycle: \"3\" > \"3\" (go.obo:13); remove that edge"
    );
    files.put("go.obo", &CIRCLES.replace("is_a: 3\n", ""));
    let (builder, _) = files.load(&["go.obo"], orders).unwrap();
    let error = builder.freeze().err().unwrap().to_string();
    assert!(
        error.contains("\"GO:0045257\" > \"GO:0045281\" > \"GO:0045257\" (go.obo:9, go.obo:4)"),
        "{error}"
    );

    let files = Files::skipping();
    files.put("go.obo", CIRCLES);
    let (builder, report) = files.load(&["go.obo"], orders).unwrap();
    let lattice = builder.freeze().unwrap();
    keeps_everything(&lattice);
    assert_eq!(report.cycles.len(), 2);
    assert!(!report.is_whole());
    let edge = |upper: &str, lower: &str| Fault::CycleEdge {
        upper: upper.to_owned(),
        lower: lower.to_owned(),
    };
    assert_eq!(
        defects(&lattice, "go"),
        [
            (edge("3", "3"), Some(13)),
            (edge("GO:0045257", "GO:0045281"), Some(9)),
            (edge("GO:0045281", "GO:0045257"), Some(4)),
        ]
    );
    // MEET of members is defined, and what lies below one lies below all.
    let complexes = [
        "4",
        "succinate dehydrogenase complex",
        "succinate dehydrogenase complex (ubiquinone)",
    ];
    for word in [
        "GO:0045257",
        "GO:0045281",
        "succinate dehydrogenase complex",
    ] {
        assert_eq!(names(&lattice, &format!("MEET go = \"{word}\"")), complexes);
    }
    assert_eq!(names(&lattice, "MEET go = 3"), ["3"]);
    assert_eq!(
        names(&lattice, "MEET go = \"GO:0045257\" AND go = \"GO:0045281\""),
        complexes
    );
}

/// Case 20: an undefined parent, five parents, several roots.
#[test]
fn an_undefined_parent_is_a_stub_until_some_file_defines_it() {
    let files = Files::new();
    files.put(
        "mondo.obo",
        "[Term]\nid: MONDO:0021125\nname: disease characteristic\nis_a: PATO:0000001\n\n\
         [Term]\nid: MONDO:0000001\nname: disease\n",
    );
    files.put("quality.obo", "[Term]\nid: PATO:0000001\nname: quality\n");
    let ask = |request: &mut Request| request.table = Some("term".to_owned());
    let (builder, report) = files.load(&["mondo.obo"], ask).unwrap();
    assert!(
        report.warnings[0].contains("\"PATO:0000001\""),
        "{:?}",
        report.warnings
    );
    let stub = builder.freeze().unwrap();
    keeps_everything(&stub);
    assert_eq!(figures(&stub, "term"), (3, 1, 2, 1));
    let fault = Fault::Undefined {
        term: "PATO:0000001".to_owned(),
        user: "MONDO:0021125".to_owned(),
    };
    assert_eq!(defects(&stub, "term"), [(fault, Some(4))]);
    assert_eq!(stub.by_id("PATO:0000001"), None);
    assert_eq!(
        names(&stub, "MEET term <= \"PATO:0000001\""),
        ["disease characteristic"]
    );
    // Two roots without a common descendant.
    let two = "MEET term <= \"PATO:0000001\" AND term <= \"MONDO:0000001\"";
    assert_eq!(abstains(&stub, two), "empty");
    // Defined before or after, at once or later: the same lattice.
    let orders: [&[&str]; 2] = [&["mondo.obo", "quality.obo"], &["quality.obo", "mondo.obo"]];
    let lattices = orders.map(|order| files.load(order, ask).unwrap().0.freeze().unwrap());
    assert_eq!(lattices[0].content_hash(), lattices[1].content_hash());
    assert_eq!(figures(&lattices[0], "term"), (3, 1, 2, 0));
}

#[test]
fn roots_of_a_dimension_of_one_value_conflict() {
    let files = Files::new();
    files.put(
        "a.obo",
        "[Term]\nid: R:1\n\n[Term]\nid: R:2\n\n[Term]\nid: R:3\nis_a: R:1\n",
    );
    let ask = |request: &mut Request| request.one = vec!["a".to_owned()];
    let lattice = files.load(&["a.obo"], ask).unwrap().0.freeze().unwrap();
    assert_eq!(
        abstains(&lattice, "MEET a = \"R:1\" AND a = \"R:2\""),
        "conflict"
    );
}

#[test]
fn five_parents_meet_in_the_term_once() {
    let star = (1..=5).map(|k| format!("[Term]\nid: P:{k}\nname: kind {k}\n\n"));
    let parents: String = (1..=5).map(|k| format!("is_a: P:{k}\n")).collect();
    let text: String = star.collect();
    let text = format!("{text}[Term]\nid: P:6\nname: Beta Cepheid variable stars\n{parents}");
    let (lattice, _) = Files::new().lattice("uat.obo", &text);
    let conditions: Vec<String> = (1..=5).map(|k| format!("uat <= \"kind {k}\"")).collect();
    let query = format!("MEET {}", conditions.join(" AND "));
    assert_eq!(names(&lattice, &query), ["Beta Cepheid variable stars"]);
}

#[test]
fn a_term_that_is_defined_twice_says_what_both_stanzas_say() {
    let text = "[Term]\nid: X:1\nname: one\nis_a: X:9\n\n[Term]\nid: X:9\n\n\
                [Term]\nid: X:1\nname: uno\nxref: Y:1\n";
    let (lattice, report) = Files::new().lattice("x.obo", text);
    let fault = Fault::Duplicate {
        term: "X:1".to_owned(),
    };
    assert_eq!(defects(&lattice, "x"), [(fault, Some(10))]);
    assert!(
        report.warnings[0].contains("\"X:1\" in line 10"),
        "{:?}",
        report.warnings
    );
    assert_eq!(
        names(&lattice, "MEET name = uno AND xref = \"Y:1\""),
        ["one"]
    );
    assert_eq!(parents(&lattice, "x", "uno"), ["X:9"]);
}

#[test]
fn a_bad_line_costs_itself_and_is_told_with_its_place() {
    let text = "format-version: 1.2\n\n[Term]\nid: X:1\nname: one\ndef: no quotes\nis_a: X:2\n\n\
                [Term]\nname: without id\n\n[Strange]\nid: X:7\n\n[Term]\nid: X:2\nxref: \n";
    let files = Files::new();
    files.put("x.obo", text);
    let error = files.load(&["x.obo"], |_| {}).err().unwrap().to_string();
    assert!(error.starts_with("x.obo:6: from column 6"), "{error}");
    let (lattice, report) = Files::skipping().lattice("x.obo", text);
    let lines: Vec<u64> = report.skipped.iter().map(|bad| bad.line).collect();
    assert_eq!(lines, [6, 9, 12, 17]);
    assert_eq!(figures(&lattice, "x"), (2, 1, 1, 0));
    assert_eq!(names(&lattice, "MEET x <= \"X:2\""), ["X:2", "one"]);
    let (_, report) = Files::new().lattice("nothing.obo", "\n! only a comment\n");
    assert!(
        report.warnings[0].contains("empty"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn loading_twice_or_in_parts_changes_nothing() {
    let (once, _) = Files::new().lattice("bones.obo", ANATOMY);
    let files = Files::new();
    files.put("bones.obo", ANATOMY);
    let (builder, _) = files.load(&["bones.obo", "bones.obo"], |_| {}).unwrap();
    assert_eq!(
        builder.freeze().unwrap().content_hash(),
        once.content_hash()
    );
}

#[test]
fn published_ontologies_load_whole() {
    for (file, dimension, expected) in [
        ("obo/pato.obo", "pato", (2785, 2227, 899, 0)),
        ("obo/goslim_generic.obo", "goslim_generic", (149, 148, 3, 0)),
    ] {
        let Some(path) = data(file) else { continue };
        let text = std::fs::read_to_string(path).unwrap();
        let name = file.rsplit('/').next().unwrap();
        let started = std::time::Instant::now();
        let files = Files::new();
        files.put(name, &text);
        let (builder, report) = files.load(&[name], |_| {}).unwrap();
        let lattice = builder.freeze().unwrap();
        println!(
            "{file}: {:?} in {:?}",
            figures(&lattice, dimension),
            started.elapsed()
        );
        assert!(report.is_whole() && report.skipped_count == 0);
        assert_eq!(figures(&lattice, dimension), expected, "{file}");
        // As many terms as a plain count of stanzas and parents finds.
        let stanzas = text.matches("\n[Term]\n").count();
        assert_eq!(taxonomy(&lattice, dimension).1.len(), stanzas);
    }
}
