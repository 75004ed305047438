//! Reports from the field, each for its whole kind, from the file to the verdict.
//! What concerns one room alone is tested there: reading files in
//! `load_files.rs`, damage in `store_faults.rs`, and the four refusals, negative
//! facts, ties and counts in `suite/field_*.lq`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cli_support;

use cli_support::Place;
use latweave::engine::Budget;
use latweave::script::ScriptError;
use latweave::{Lattice, Script};
use std::fmt::Write;
use std::time::Duration;

fn verdict(lattice: &Lattice, text: &str) -> serde_json::Value {
    let verdict = Script::parse(text).unwrap().run(lattice).unwrap();
    verdict.to_json(lattice)
}

fn members(lattice: &Lattice, text: &str) -> Vec<String> {
    let json = verdict(lattice, text);
    let list = json["members"]
        .as_array()
        .unwrap_or_else(|| panic!("{json}"));
    list.iter()
        .map(|cell| match cell {
            serde_json::Value::String(text) => text.clone(),
            cell => cell["name"].as_str().unwrap().to_owned(),
        })
        .collect()
}

fn built(place: &Place, files: &[&str]) -> Lattice {
    let mut arguments = vec!["build", "-o", "out.lattice"];
    arguments.extend(files);
    let done = place.run(&arguments);
    assert_eq!(done.status, 0, "{}", done.text());
    Lattice::open(&place.path("out.lattice")).unwrap()
}

/// 8: any string is a name, in files, in queries, in what is printed.
#[test]
fn any_string_is_a_name() {
    let names = [
        "O'Connor",
        "\"Weird Al\" Yankovic",
        "a\\b",
        "#29",
        "Medical Condition",
        "Adastra (UK)",
        "]})",
        "MEET",
        "--",
        "日本語型名",
        "1,200",
        "$x",
        "@home",
        "a..b",
    ];
    let place = Place::new();
    let lines: Vec<String> = names
        .iter()
        .map(|name| format!("{name}\tknows\tMe\n"))
        .collect();
    place.write("names.tsv.txt", lines.concat());
    let lattice = built(&place, &["names.tsv.txt"]);
    for name in names {
        // As a parameter it is a value and never read as text.
        let asked = Script::parse("MEET name = $who AND knows = Me").unwrap();
        let asked = asked.bind("who", name).run(&lattice).unwrap();
        assert_eq!(asked.hits(&lattice).count(), 1, "{name}");
        // What is printed can be read again.
        let printed = asked.to_json(&lattice)["query"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(members(&lattice, &printed), [name]);
    }
    let dumped = place.run(&["dump", "out.lattice", "-o", "dump.lq"]);
    assert_eq!(dumped.status, 0, "{}", dumped.text());
    let again = built(&place, &["dump.lq"]);
    assert_eq!(again.content_hash(), lattice.content_hash());
}

/// 9: depth is an error, and a caret finds its column.
#[test]
fn depth_and_width_of_text() {
    let place = Place::new();
    let deep = format!("MEET {}x = y", "(".repeat(100_000));
    let done = place.run_with(&["run", "-"], deep);
    assert_eq!(done.status, 1);
    assert!(done.stderr.contains("E0"), "{}", done.text());
    let done = place.run(&["run", "-c", "MEET 日本語型名 = "]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(done.stderr.contains("日本語型名"), "{}", done.text());
}

/// 13: a separator inside a name splits no answer; machine output is an array.
#[test]
fn separators_inside_names() {
    let place = Place::new();
    place.write("kb.txt", "Film\tset_in\tParis, Texas\nFilm\tset_in\tA|B\n");
    let lattice = built(&place, &["kb.txt"]);
    assert_eq!(
        members(&lattice, "MEET name = Film RETURN set_in"),
        ["A|B", "Paris, Texas"]
    );
    let done = place.run(&[
        "run",
        "-l",
        "out.lattice",
        "--format",
        "csv",
        "-c",
        "MEET name = Film RETURN set_in",
    ]);
    assert!(done.stdout.contains("\"Paris, Texas\""), "{}", done.text());
}

/// 14: one bad file is set aside by name, the rest is built and is there.
#[test]
fn bad_bytes_do_not_spoil_the_rest() {
    let place = Place::new();
    place.write("good.txt", b"\xEF\xBB\xBFa\tis\tb\r\nc\tis\td\r\n");
    place.write("bad.txt", [0x41, 0xFF, 0x42]);
    place.write("nul.txt", b"A\0B\tis\tx\n");
    let files = ["good.txt", "bad.txt", "nul.txt"];
    let mut arguments = vec!["build", "-o", "out.lattice", "--on-error", "quarantine"];
    arguments.extend(files);
    let done = place.run(&arguments);
    assert_eq!(done.status, 4, "{}", done.text());
    assert!(
        done.stderr.contains("bad.txt") && done.stderr.contains("nul.txt"),
        "{}",
        done.text()
    );
    let lattice = Lattice::open(&place.path("out.lattice")).unwrap();
    assert_eq!(members(&lattice, "MEET is IN {b, d}"), ["a", "c"]);
    // By default nothing is committed at all.
    let done = place.run(&["build", "-o", "none.lattice", "good.txt", "bad.txt"]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(!place.files().contains(&"none.lattice".to_owned()));
}

/// 15: nothing loaded is another answer than nothing found.
#[test]
fn an_empty_lattice_is_not_an_empty_answer() {
    let reason = |text: &str, lattice: &Lattice| verdict(lattice, text)["reason"].clone();
    assert_eq!(reason("MEET name = x", &Lattice::empty()), "empty-lattice");
    let place = Place::new();
    place.write("kb.txt", "a\tis\tb\nc\tis\td\n");
    let lattice = built(&place, &["kb.txt"]);
    assert_eq!(reason("MEET is = b AND is = d", &lattice), "empty");
}

/// 16: dates keep their precision, and what overlaps is not decided.
#[test]
fn dates_are_intervals() {
    let place = Place::new();
    place.write(
        "people.csv",
        "who,born\nA,1990\nB,1990-06-01\nC,20th century\nD,-0012-11-29\n",
    );
    place.write("schema.lq", "DIMENSION born DATE ONE\n");
    let lattice = built(&place, &["schema.lq", "people.csv"]);
    assert_eq!(
        verdict(&lattice, "COMPARE A < B BY born")["reason"],
        "incomparable"
    );
    assert_eq!(verdict(&lattice, "COMPARE D < A BY born")["value"], true);
    assert_eq!(
        verdict(&lattice, "COMPARE C, D BY born")["order"],
        "greater"
    );
    assert_eq!(members(&lattice, "MEET born < 1900"), ["D"]);
    assert_eq!(members(&lattice, "MEET born = 1990"), ["A", "B"]);
}

/// 17: numbers as people write them.
#[test]
fn numbers_as_people_write_them() {
    let place = Place::new();
    let rows = "who\tsize\na\t950\nb\t1,200\nc\t1.2 million\nd\t−5\ne\t-4–1\n";
    place.write("sizes.tsv", rows);
    place.write("schema.lq", "DIMENSION size NUMBER ONE\n");
    let lattice = built(&place, &["schema.lq", "sizes.tsv"]);
    for (less, more) in [("d", "a"), ("a", "b"), ("b", "c")] {
        let asked = format!("COMPARE {less} < {more} BY size");
        assert_eq!(verdict(&lattice, &asked)["value"], true, "{asked}");
    }
    assert_eq!(
        verdict(&lattice, "COMPARE e BY size < 0")["reason"],
        "incomparable"
    );
    place.write("unclear.tsv", "who\tsize\nf\t1.200\n");
    let done = place.run(&["build", "-o", "f.lattice", "schema.lq", "unclear.tsv"]);
    assert!(done.stderr.contains("1.200"), "{}", done.text());
}

/// 21: what branches much is walked once; a time-out is an error.
#[test]
fn walks_visit_once_and_time_out_as_errors() {
    let place = Place::new();
    let mut star = String::new();
    for leaf in 0..50_000 {
        writeln!(star, "hub\tlink\tleaf {leaf}").unwrap();
    }
    place.write("star.txt", star);
    let mut clique = String::new();
    for a in 0..30 {
        for b in 0..30 {
            writeln!(clique, "n{a}\tedge\tn{b}").unwrap();
        }
    }
    place.write("clique.txt", clique);
    let lattice = built(&place, &["star.txt", "clique.txt"]);
    assert_eq!(
        members(&lattice, "MEET name = hub RETURN link").len(),
        50_000
    );
    let around = "MEET name = hub RETURN link.link_inverse.link.link_inverse";
    assert_eq!(members(&lattice, around), ["hub"]);
    assert_eq!(
        members(&lattice, "MEET name = n0 RETURN edge.edge.edge.edge").len(),
        30
    );
    for (limit, code) in [
        ("--time-limit=50ms", "E405"),
        ("--memory-limit=1MB", "E406"),
    ] {
        let slow = "MEET name = hub RETURN link, link.link_inverse.link";
        let arguments = [
            "run",
            "-l",
            "out.lattice",
            "--exit-abstain",
            limit,
            "-c",
            slow,
        ];
        let done = place.run(&arguments);
        // An exit status of its own, neither an answer's nor an abstention's.
        assert_eq!(done.status, 5, "{}", done.text());
        assert_eq!(done.stdout, "");
        assert!(done.stderr.contains(code), "{}", done.text());
    }
    let slow = Script::parse("MEET name = hub RETURN link, link.link_inverse.link").unwrap();
    let hurried = slow
        .clone()
        .within(Budget::unlimited().with_time(Duration::from_millis(20)));
    match hurried.run(&lattice) {
        Err(ScriptError::Text(why)) => assert!(why[0].to_string().contains("time"), "{why:?}"),
        other => panic!("{other:?}"),
    }
    let names = Script::parse("MEET HAS name RETURN name").unwrap();
    let tight = names.within(Budget::unlimited().with_memory(1 << 10));
    match tight.run(&lattice) {
        Err(ScriptError::Text(why)) => assert!(why[0].to_string().contains("memory"), "{why:?}"),
        other => panic!("{other:?}"),
    }
    let small = slow.within(Budget::unlimited().with_memory(1 << 20));
    assert!(small.run(&lattice).is_err());
}

/// 24: what is cut, zeroed or altered is named, and the last good file stays.
#[test]
fn damage_is_named() {
    let place = Place::with_animals();
    let whole = std::fs::read(place.path("animals.lattice")).unwrap();
    place.write("cut.lattice", &whole[..whole.len() / 2]);
    place.write("zero.lattice", vec![0; whole.len()]);
    for (name, word) in [("cut", "cut off"), ("zero", "not a lattice")] {
        let file = format!("{name}.lattice");
        let done = place.run(&["run", "-l", &file, "-c", "MEET species = whale"]);
        assert_eq!(done.status, 1, "{}", done.text());
        assert!(done.stderr.contains(&file) && done.stderr.contains(word));
        assert!(!done.stdout.contains("Moby"), "{}", done.text());
    }
    // An altered byte is named wherever it is read, and harmless elsewhere; a check
    // reads everything.
    let ask = |file: &str| place.run(&["run", "-l", file, "-c", "MEET species = whale"]);
    let right = ask("animals.lattice");
    let mut named = 0;
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        place.write("flipped.lattice", &flipped);
        let done = ask("flipped.lattice");
        match done.status {
            0 => assert_eq!(done.stdout, right.stdout),
            _ => {
                assert!(done.stderr.contains("flipped.lattice"), "{}", done.text());
                assert!(!done.stdout.contains("Moby"), "{}", done.text());
                named += 1;
            }
        }
        let checked = place.run(&["check", "flipped.lattice"]);
        assert_eq!(checked.status, 1, "{at}: {}", checked.text());
    }
    assert!(named > 0);
    place.write("broken.lq", "FACT x species = whale SOURCE");
    let done = place.run(&["build", "-o", "animals.lattice", "broken.lq"]);
    assert_eq!(done.status, 1);
    assert_eq!(std::fs::read(place.path("animals.lattice")).unwrap(), whole);
}

/// 34: exit codes keep ok, partial, failed and abstain apart.
#[test]
fn exit_codes_tell_what_happened() {
    let place = Place::with_animals();
    let ask = |query: &str, more: &[&str]| {
        let mut arguments = vec!["run", "-l", "animals.lattice", "-c", query];
        arguments.extend(more);
        place.run(&arguments).status
    };
    assert_eq!(ask("MEET species = whale", &[]), 0);
    assert_eq!(ask("MEET species = bird", &[]), 0);
    assert_eq!(ask("MEET species = bird", &["--exit-abstain"]), 3);
    assert_eq!(ask("MEET species = whale EXPECT {Laika}", &[]), 1);
    assert_eq!(ask("MEET", &[]), 1);
    assert_eq!(place.run(&["run", "--nonsense"]).status, 2);
    // A large answer is whole where a program reads it.
    let mut many = String::new();
    for k in 0..8_333 {
        writeln!(many, "node {k}\tin\tgraph").unwrap();
    }
    place.write("many.txt", many);
    built(&place, &["many.txt"]);
    let done = place.run(&[
        "run",
        "-l",
        "out.lattice",
        "-c",
        "MEET \"in\" = graph",
        "--format",
        "csv",
    ]);
    assert_eq!(
        done.stdout.trim_end().lines().count(),
        8_334,
        "with its header"
    );
}

/// The three stanzas of case 19; with `part_of` beside `is_a` the first two are a cycle.
#[cfg(feature = "obo")]
const STANZAS: &str = "[Term]\nid: GO:0045257\nname: succinate dehydrogenase complex (ubiquinone)\n\
is_a: GO:0045281\n\n[Term]\nid: GO:0045281\nname: succinate dehydrogenase complex\n\
relationship: part_of GO:0045257\n\n[Term]\nid: 3\nis_a: 3\n";

/// 19: an ontology with cycles loads as it is asked to, the report gives the whole
/// path, queries end, and MEET of the members is defined; whatever the form.
#[cfg(feature = "obo")]
#[test]
fn cycles_of_real_ontologies() {
    let place = Place::new();
    place.write("go.obo", STANZAS);
    place.write("self.obo", "[Term]\nid: 3\nis_a: 3\n");
    place.write(
        "two.obo",
        STANZAS.split("\n\n[Term]\nid: 3").next().unwrap(),
    );
    place.write(
        "verbs.csv",
        "child,parent\ninhibit,restrain\nrestrain,inhibit\ncurb,inhibit\n",
    );
    place.write(
        "verbs.ttl",
        "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://v.example/> .\n\
         :inhibit s:broader :restrain .\n:restrain s:broader :inhibit .\n",
    );
    let build = |arguments: &[&str]| {
        let mut all = vec!["build", "-o", "out.lattice"];
        all.extend(arguments);
        place.run(&all)
    };
    // By default the build stops, tells the whole path, and writes nothing.
    for (arguments, path) in [
        (
            &["--edges", "is_a,part_of", "two.obo"][..],
            "\"GO:0045257\" > \"GO:0045281\" > \"GO:0045257\" (two.obo:9, two.obo:4)",
        ),
        (
            &["self.obo"],
            "taxonomy \"self\" has a cycle: \"3\" > \"3\" (self.obo:3); remove that edge",
        ),
        (
            &["--form=edges", "verbs.csv"],
            "\"inhibit\" > \"restrain\" > \"inhibit\" (verbs.csv:3, verbs.csv:2)",
        ),
    ] {
        let done = build(arguments);
        assert_eq!(done.status, 1, "{}", done.text());
        assert!(done.text().contains(path), "{}", done.text());
        assert!(!place.path("out.lattice").exists());
    }
    // is_a alone runs in no circle.
    assert_eq!(build(&["--on-error=skip", "two.obo"]).status, 0);
    // Asked to go on, the members become one value, and the program says so (exit 4).
    let done = build(&["--on-error=skip", "--edges=is_a,part_of", "go.obo"]);
    assert_eq!(done.status, 4, "{}", done.text());
    let path = "\"GO:0045257\" > \"GO:0045281\" > \"GO:0045257\" (go.obo:9, go.obo:4)";
    assert!(done.text().contains(path), "{}", done.text());
    assert!(
        done.text().contains("2 cycles made one value"),
        "{}",
        done.text()
    );
    let lattice = Lattice::open(&place.path("out.lattice")).unwrap();
    let both = [
        "succinate dehydrogenase complex",
        "succinate dehydrogenase complex (ubiquinone)",
    ];
    for query in [
        "MEET go = \"GO:0045257\"",
        "MEET go <= \"GO:0045281\"",
        "MEET go = \"GO:0045257\" AND go = \"GO:0045281\"",
    ] {
        assert_eq!(members(&lattice, query), both, "{query}");
    }
    assert_eq!(members(&lattice, "MEET go = 3"), ["3"]);
    // The dump says it all again, and is built without being asked to merge.
    let dump = place.run(&["dump", "out.lattice", "-o", "dump.lq"]);
    assert_eq!(dump.status, 0, "{}", dump.text());
    let again = built(&place, &["dump.lq"]);
    assert_eq!(again.content_hash(), lattice.content_hash());
    for file in [&["--form=edges", "verbs.csv"][..], &["verbs.ttl"]] {
        let mut arguments = vec!["--on-error=skip"];
        arguments.extend(file);
        assert_eq!(
            build(&arguments).status,
            if cfg!(feature = "rdf") { 4 } else { 1 }
        );
        let lattice = Lattice::open(&place.path("out.lattice")).unwrap();
        assert!(members(&lattice, "MEET verbs = restrain").contains(&"inhibit".to_owned()));
    }
}

/// 20: an undefined parent is a stub and a warning; of five parents the term is the
/// one meet; two roots without a common descendant abstain.
#[cfg(feature = "obo")]
#[test]
fn parents_of_real_ontologies() {
    let place = Place::new();
    let parents: String = (1..=5)
        .map(|k| format!("[Term]\nid: UAT:{k}\nname: kind {k}\n\n"))
        .collect();
    let edges: String = (1..=5).map(|k| format!("is_a: UAT:{k}\n")).collect();
    place.write(
        "terms.obo",
        format!(
            "[Term]\nid: MONDO:0021125\nname: disease characteristic\nis_a: PATO:0000001\n\n{parents}\
             [Term]\nid: UAT:6\nname: Beta Cepheid variable stars\n{edges}"
        ),
    );
    place.write("schema.lq", "DIMENSION terms TAXONOMY ONE\n");
    let done = place.run(&[
        "build",
        "-o",
        "out.lattice",
        "--schema",
        "schema.lq",
        "terms.obo",
    ]);
    assert_eq!(done.status, 0, "{}", done.text());
    let warning = "\"PATO:0000001\" is named by \"MONDO:0021125\" in line 4";
    assert!(done.text().contains(warning), "{}", done.text());
    let lattice = Lattice::open(&place.path("out.lattice")).unwrap();
    assert_eq!(
        members(&lattice, "MEET terms <= \"PATO:0000001\""),
        ["disease characteristic"]
    );
    let five: Vec<String> = (1..=5).map(|k| format!("terms <= \"kind {k}\"")).collect();
    let query = format!("MEET {}", five.join(" AND "));
    assert_eq!(members(&lattice, &query), ["Beta Cepheid variable stars"]);
    let roots = "MEET terms <= \"PATO:0000001\" AND terms <= \"UAT:1\"";
    assert_eq!(verdict(&lattice, roots)["reason"], "conflict");
}

/// 18: the same content under two names is one fact of two sources; identity is the path.
#[test]
fn a_copy_is_a_second_source_and_a_name_is_a_path() {
    let place = Place::new();
    for name in ["a.txt", "copy.txt", "x/readme.md", "y/readme.md"] {
        place.write(name, "Ann\tlives in\tOslo\n");
    }
    place.write("y/readme.md", "Bob\tlives in\tOslo\n");
    built(&place, &["a.txt", "copy.txt"]);
    let readmes = ["x/readme.md", "y/readme.md"];
    let done = place.run(&[&["add", "out.lattice", "--form", "triples"], &readmes[..]].concat());
    assert_eq!(done.status, 0, "{}", done.text());
    let at = || Lattice::open(&place.path("out.lattice")).unwrap();
    let asked = "MEET \"lives in\" = Oslo";
    assert_eq!(members(&at(), asked), ["Ann", "Bob"]);
    let counts = at().counts();
    assert_eq!((counts.predicates, counts.evidence), (2, 4));
    // One of two files of a name goes, and the other stays.
    assert_eq!(
        place.run(&["remove", "out.lattice", "y/readme.md"]).status,
        0
    );
    assert_eq!(members(&at(), asked), ["Ann"]);
    let documents: Vec<String> = at().documents().into_iter().map(|d| d.name).collect();
    assert_eq!(documents, ["a.txt", "copy.txt", "x/readme.md"]);
    assert_eq!(place.run(&["remove", "out.lattice", "a.txt"]).status, 0);
    assert_eq!(members(&at(), asked), ["Ann"]);
    let unknown = place.run(&["remove", "out.lattice", "readme.md"]);
    assert_eq!(unknown.status, 1);
    assert!(unknown.stderr.contains("x/readme.md"), "{}", unknown.stderr);
}

/// 22: what could not be answered is answered once a document says it, and no longer when
/// the document is gone.
#[test]
fn an_abstention_ends_with_the_document_that_answers() {
    let place = Place::new();
    place.write("a.txt", "Ann\tknows\tBob\n");
    place.write("b.txt", "Ann\tlives in\tOslo\n");
    built(&place, &["a.txt"]);
    let ask = || {
        let asked = [
            "run",
            "-l",
            "out.lattice",
            "--exit-abstain",
            "--format",
            "json",
        ];
        place.run(&[&asked[..], &["-c", "MEET \"lives in\" = Oslo RETURN knows"]].concat())
    };
    let before = ask();
    assert_eq!(before.status, 3, "{}", before.text());
    assert_eq!(place.run(&["add", "out.lattice", "b.txt"]).status, 0);
    let between = ask();
    assert_eq!(between.status, 0, "{}", between.text());
    assert!(between.stdout.contains("Bob"), "{}", between.stdout);
    assert_eq!(place.run(&["remove", "out.lattice", "b.txt"]).status, 0);
    assert_eq!(ask().text(), before.text());
}

/// 23: after adding A, B and C, taking out B and editing C, what is there is what a build of
/// the same files makes.
#[test]
fn a_changed_lattice_is_a_fresh_build() {
    let place = Place::new();
    place.write("a.txt", "Ann\tknows\tBob\n");
    place.write("b.txt", "Bob\tknows\tCy\nAnn\tknows\tBob\n");
    place.write("c.txt", "Cy\tlives in\tOslo\n");
    built(&place, &["a.txt"]);
    let step = |arguments: &[&str]| {
        let done = place.run(arguments);
        assert_eq!(done.status, 0, "{}", done.text());
    };
    step(&["add", "out.lattice", "b.txt", "c.txt"]);
    step(&["remove", "out.lattice", "b.txt"]);
    place.write("c.txt", "Cy\tlives in\tRome\n");
    step(&["add", "out.lattice", "c.txt"]);
    step(&["build", "-o", "fresh.lattice", "a.txt", "c.txt"]);
    let open = |name: &str| Lattice::open(&place.path(name)).unwrap();
    let (changed, fresh) = (open("out.lattice"), open("fresh.lattice"));
    changed.verify_all().unwrap();
    assert_eq!(changed.content_hash(), fresh.content_hash());
    let dumped = ["out.lattice", "fresh.lattice"].map(|name| place.run(&["dump", name]).text());
    assert_eq!(dumped[0], dumped[1]);
    assert!(
        !dumped[0].contains("b.txt") && !dumped[0].contains("Oslo"),
        "{}",
        dumped[0]
    );
}
