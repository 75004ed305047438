//! WordNet's data files: names, words, both edges, relations, and WordNet 3.0 itself.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::ontology::{Files, data, defects, figures, names, parents};
use latweave::lattice::Fault;
use latweave::load::{Form, LoadError};

/// A made-up excerpt in WordNet's layout.
const NOUNS: &str = "  1 This is no licence, but stands where one does.\n\
00000010 03 n 01 entity 0 002 ~ 00000020 n 0000 ~ 00000030 n 0000 | what is  \n\
00000020 03 n 02 dog 0 domestic_dog 0 003 @ 00000010 n 0000 #m 00000030 n 0000 + 00000099 v 0101 | it barks; \"the dog barked\"  \n\
00000030 03 n 01 pack 0 001 @ 00000010 n 0000 | a group  \n\
00000040 03 n 01 dog 1 001 @ 00000010 n 0000 | an unpleasant person  \n\
00000050 03 n 01 Rex 0 001 @i 00000020 n 0000 | a dog by name  \n";

const INDEX: &str = "  1 This is no licence, but stands where one does.\n\
dog n 2 1 @ 2 1 00000040 00000020  \ndomestic_dog n 1 1 @ 1 0 00000020  \n\
entity n 1 0 1 1 00000010  \npack n 1 0 1 1 00000030  \nrex n 1 1 @i 1 0 00000050  \n";

fn excerpt() -> Files {
    let files = Files::new();
    files.put("data.noun", NOUNS);
    files.put("index.noun", INDEX);
    files
}

#[test]
fn a_synset_is_a_value_with_its_words() {
    let files = excerpt();
    let (builder, report) = files.load(&["data.noun"], |_| {}).unwrap();
    let lattice = builder.freeze().unwrap();
    common::ontology::keeps_everything(&lattice);
    assert_eq!(figures(&lattice, "wordnet"), (5, 4, 1, 0));
    // Numbered by the index, both kinds of hypernyms are edges.
    assert_eq!(parents(&lattice, "wordnet", "rex.n.01"), ["dog.n.02"]);
    let is = |query: &str, expected: &[&str]| {
        assert_eq!(names(&lattice, query), expected, "{query}");
    };
    is("MEET wordnet = \"domestic dog\"", &["Rex", "dog"]);
    is("MEET wordnet = \"dog.n.01\"", &["dog"]);
    // A word of several synsets stands for all of them.
    is("MEET wordnet = dog", &["Rex", "dog", "dog"]);
    is(
        "MEET name = \"domestic dog\" RETURN gloss",
        &["it barks; \"the dog barked\""],
    );
    is("MEET name = pack RETURN member_meronym", &["dog"]);
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("1 of `+`"), "{warnings}");
    let verdict = latweave::Script::parse("MEET wordnet = pack").unwrap();
    let verdict = verdict.run(&lattice).unwrap();
    let hit = verdict.hits(&lattice).next().unwrap();
    assert_eq!(hit.evidence()[0].place, "data.noun:4");
}

#[test]
fn without_an_index_names_end_in_offsets() {
    let files = Files::new();
    files.put("nouns.txt", NOUNS);
    let ask = |request: &mut latweave::load::Request| request.form = Some(Form::WordNet);
    let (builder, report) = files.load(&["nouns.txt"], ask).unwrap();
    let lattice = builder.freeze().unwrap();
    assert_eq!(
        parents(&lattice, "wordnet", "rex.n.00000050"),
        ["dog.n.00000020"]
    );
    assert!(
        report.warnings[0].contains("no index"),
        "{:?}",
        report.warnings
    );
}

/// Case 19: restrain.v.01 and inhibit.v.04 lie below each other.
#[test]
fn verbs_that_lie_below_each_other_are_one_value() {
    let verbs = "00000001 41 v 01 inhibit 3 001 @ 00000002 v 0000 01 + 08 00 | hold back  \n\
                 00000002 41 v 01 restrain 0 001 @ 00000001 v 0000 01 + 08 00 | keep in check  \n\
                 00000003 41 v 01 curb 0 001 @ 00000002 v 0000 01 + 08 00 | lessen  \n";
    let index = "inhibit v 4 1 @ 4 0 00000007 00000008 00000009 00000001  \n\
                 restrain v 1 1 @ 1 0 00000002  \ncurb v 1 1 @ 1 0 00000003  \n";
    let files = Files::new();
    files.put("data.verb", verbs);
    files.put("index.verb", index);
    let (builder, _) = files.load(&["data.verb"], |_| {}).unwrap();
    let error = builder.freeze().err().unwrap().to_string();
    assert!(
        error.contains(
            "\"inhibit.v.04\" > \"restrain.v.01\" > \"inhibit.v.04\" (data.verb:2, data.verb:1)"
        ),
        "{error}"
    );
    let files = Files::skipping();
    files.put("data.verb", verbs);
    files.put("index.verb", index);
    let (builder, report) = files.load(&["data.verb"], |_| {}).unwrap();
    let lattice = builder.freeze().unwrap();
    assert_eq!(report.cycles.len(), 1);
    let faults: Vec<Fault> = defects(&lattice, "wordnet")
        .into_iter()
        .map(|d| d.0)
        .collect();
    assert_eq!(faults.len(), 2);
    assert_eq!(
        names(&lattice, "MEET wordnet = \"restrain.v.01\""),
        ["curb", "inhibit", "restrain"]
    );
}

#[test]
fn a_bad_line_a_repeated_one_and_a_parent_that_is_not_there() {
    let text = format!(
        "{NOUNS}00000060 03 n 01 cut\n00000030 03 n 01 pack 0 000 | again  \n\
         00000070 03 n 01 stray 0 001 @ 00000098 n 0000 | lost  \n"
    );
    let files = excerpt();
    files.put("data.noun", &text);
    match files.load(&["data.noun"], |_| {}) {
        Err(LoadError::BadLine(bad)) => assert_eq!(bad.line, 7),
        other => panic!("{:?}", other.err()),
    }
    let files = Files::skipping();
    files.put("data.noun", &text);
    files.put("index.noun", INDEX);
    let (builder, report) = files.load(&["data.noun"], |_| {}).unwrap();
    assert_eq!(report.skipped_count, 1);
    let lattice = builder.freeze().unwrap();
    assert_eq!(
        defects(&lattice, "wordnet"),
        [
            (
                Fault::Undefined {
                    term: "00000098.n".to_owned(),
                    user: "stray.n.00000070".to_owned()
                },
                Some(9)
            ),
            (
                Fault::Duplicate {
                    term: "pack.n.01".to_owned()
                },
                Some(8)
            ),
        ]
    );
}

#[test]
fn the_nouns_of_wordnet_3_load_whole() {
    let Some(path) = data("wordnet-3.0/data.noun") else {
        return;
    };
    let started = std::time::Instant::now();
    let mut builder = latweave::lattice::Builder::new();
    let report = latweave::load::load(
        &mut builder,
        &latweave::load::Request::new(path),
        &latweave::load::Options::default(),
        &mut latweave::load::Silent,
    )
    .unwrap();
    let lattice = builder.freeze().unwrap();
    println!(
        "{:?} in {:?}",
        figures(&lattice, "wordnet"),
        started.elapsed()
    );
    assert!(report.is_whole());
    assert_eq!(figures(&lattice, "wordnet"), (82_115, 84_427, 1, 0));
    let dogs = names(&lattice, "MEET wordnet = \"domestic dog\"");
    assert_eq!(dogs.len(), 190);
    assert_eq!(
        parents(&lattice, "wordnet", "dog.n.01"),
        ["canine.n.02", "domestic_animal.n.01"]
    );
}
