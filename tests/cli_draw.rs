//! `show --draw` and `run --draw`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;

use cli_support::Place;

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap()
}

#[test]
fn a_dimension_is_drawn_in_every_form() {
    let place = Place::with_animals();
    let show = |more: &[&str]| place.run(&[&["show", "animals.lattice", "species"], more].concat());
    let tree = "animal\n├─ bird\n├─ fish\n└─ mammal\n   ├─ dog\n   └─ whale\n      ├─ orca\n      └─ sperm whale\n";
    for printed in [
        &["--draw"][..],
        &["--draw", "-"],
        &["--draw", "--as", "tree"],
    ] {
        let done = show(printed);
        assert_eq!(
            (done.status, done.stdout.as_str()),
            (0, tree),
            "{}",
            done.text()
        );
    }
    for (file, start) in [
        ("a.svg", "<svg "),
        ("a.dot", "digraph {"),
        ("a.txt", "animal\n"),
    ] {
        let done = show(&["--draw", file]);
        assert_eq!((done.status, done.text().as_str()), (0, "status: 0\n"));
        assert!(read(&place, file).starts_with(start));
    }
    assert_eq!(
        show(&["--draw", "--as", "svg"]).stdout,
        read(&place, "a.svg")
    );
    assert_eq!(
        show(&["--draw", "--as", "dot"]).stdout,
        read(&place, "a.dot")
    );
    let done = show(&["--draw", "any.name", "--as", "tree"]);
    assert_eq!((done.status, read(&place, "any.name").as_str()), (0, tree));
    let done = show(&["--draw", "--around", "mammal", "--levels", "1"]);
    assert_eq!(
        done.stdout,
        "animal\n└─ mammal  (asked)\n   ├─ dog\n   └─ whale  + 2 below\n"
    );
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let place = Place::with_animals();
    let show = |more: &[&str]| place.run(&[&["show", "animals.lattice"], more].concat());
    for (arguments, status, told) in [
        (&["born", "--draw"][..], 1, "a dimension of kind DATE"),
        (&["Keiko", "--draw"], 1, "no dimension is called “Keiko”"),
        (&["specie", "--draw"], 1, "did you mean “species”?"),
        (
            &["species", "--draw", "--around", "orka"],
            1,
            "did you mean “orca”?",
        ),
        (
            &["species", "--draw", "a.png"],
            1,
            "ends in .svg, .dot or .txt",
        ),
        (
            &["species", "--draw", "no/a.svg"],
            1,
            "its folder does not exist",
        ),
        (
            &["species", "--draw", "animals.lattice", "--as", "svg"],
            1,
            "would be written over",
        ),
        (&["--draw"], 2, "required"),
        (
            &["--concepts", "specie", "--draw"],
            1,
            "did you mean “species”?",
        ),
        (
            &["--concepts", "species,", "--draw"],
            1,
            "no dimension is called “”",
        ),
        (
            &["--concepts", "species", "--query", "MEET x = y"],
            2,
            "cannot be used with",
        ),
        (
            &["--concepts", "species", "habitat"],
            2,
            "cannot be used with",
        ),
        (&["species", "--support", "2"], 2, "cannot be used with"),
        (&["--query", "MEET species =", "--draw"], 1, "--query:1:"),
        (
            &["--query", "WIDTH species", "--draw"],
            1,
            "--query takes one query",
        ),
        (
            &[
                "--query",
                "MEET species = dog MEET species = whale",
                "--draw",
            ],
            1,
            "--query takes one query",
        ),
        (&["--query", "", "--draw"], 1, "--query takes one query"),
        (
            &["--query", "COMPARE dog, orca BY species", "--draw"],
            1,
            "cannot be drawn",
        ),
        (
            &["--query", "MEET species = unicorn", "--draw"],
            1,
            "cannot be drawn",
        ),
        (
            &["--query", "MEET species = dog", "--draw", "a.png"],
            1,
            "ends in .svg, .dot or .txt",
        ),
        (
            &["--query", "MEET species = dog", "--draw", "animals.lattice"],
            1,
            "ends in .svg, .dot or .txt",
        ),
        (
            &[
                "--query",
                "MEET species = dog",
                "--draw",
                "animals.lattice",
                "--as",
                "svg",
            ],
            1,
            "would be written over",
        ),
        (
            &["--concepts", "species", "--draw", "--around", "dog"],
            2,
            "cannot be used with",
        ),
        (&["species", "--around", "orca"], 2, "--draw"),
        (&["species", "--draw", "--levels", "2"], 2, "--around"),
        (
            &["species", "--draw", "--format", "json"],
            2,
            "cannot be used with",
        ),
    ] {
        let done = show(arguments);
        assert_eq!(done.status, status, "{arguments:?}: {}", done.text());
        assert!(done.stderr.contains(told), "{arguments:?}: {}", done.text());
        assert_eq!(done.stdout, "", "{arguments:?}");
    }
}

/// `show` draws what `run` draws: the same bytes.
#[test]
fn show_draws_concepts_and_answers_as_run_does() {
    let place = Place::with_animals();
    let show = |more: &[&str]| place.run(&[&["show", "animals.lattice"], more].concat());
    let conflict = "MEET species = whale AND species = dog";
    let meet = "MEET species = mammal AND habitat = aquatic";
    let concepts = &["--concepts", "species,habitat", "--support", "1"][..];
    for (flags, query) in [
        (concepts, "CONCEPTS species, habitat SUPPORT 1"),
        (&["--concepts", "habitat"], "CONCEPTS habitat"),
        (&["--query", meet], meet),
        (&["--query", conflict], conflict),
    ] {
        for file in ["a.svg", "a.dot", "a.txt"] {
            let done = show(&[flags, &["--draw", file]].concat());
            assert_eq!(done.text(), "status: 0\n", "{flags:?} {file}");
            let shown = read(&place, file);
            let run = ["run", "-l", "animals.lattice", "-c", query, "--draw", file];
            assert_eq!(place.run(&run).status, 0);
            assert_eq!(read(&place, file), shown, "{flags:?} {file}");
        }
        let tree = show(&[flags, &["--draw"]].concat());
        assert_eq!((tree.status, tree.stdout), (0, read(&place, "a.txt")));
        // Without a picture it is the table of `run`, or what --format says.
        for format in ["table", "json", "csv"] {
            let shown = show(&[flags, &["--format", format]].concat());
            let run = [
                "run",
                "-l",
                "animals.lattice",
                "-c",
                query,
                "--format",
                format,
            ];
            assert_eq!(shown.text(), place.run(&run).text(), "{flags:?} {format}");
            assert_eq!(shown.status, 0);
        }
    }
    let done = show(&["--query", meet, "--draw", "any.name", "--as", "dot"]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(read(&place, "any.name").starts_with("digraph {"));
}

/// A dimension is a name on the command line, whatever LQ would make of the word.
#[test]
fn concepts_of_a_dimension_with_any_name_are_shown() {
    let place = Place::new();
    let lq = "DIMENSION \"a \\\"b\\\" AND\" TAXONOMY ONE x > y\n\
              FACT A \"a \\\"b\\\" AND\" = y SOURCE \"s\" FROM \"d\" LINE 1\n";
    place.write("d.lq", lq);
    let built = place.run(&["build", "-o", "d.lattice", "d.lq"]);
    assert_eq!(built.status, 0, "{}", built.text());
    let done = place.run(&["show", "d.lattice", "--concepts", "a \"b\" AND", "--draw"]);
    assert_eq!(done.text(), "status: 0\n--- stdout\nx, y  A\n");
}

/// Too large for boxes: the error says so and what to do; DOT and trees have no limit.
#[test]
fn a_large_dimension_is_drawn_in_part() {
    let place = Place::new();
    let values: Vec<String> = (0..2_100).map(|k| format!("v{k}")).collect();
    let lq = format!("DIMENSION d TAXONOMY ONE top > {}\n", values.join(", "));
    place.write("d.lq", lq);
    assert_eq!(place.run(&["build", "-o", "d.lattice", "d.lq"]).status, 0);
    place.write("d.svg", "old");
    let done = place.run(&["show", "d.lattice", "d", "--draw", "d.svg"]);
    assert_eq!(done.status, 1);
    assert!(
        done.stderr.contains("2101 nodes are too many"),
        "{}",
        done.text()
    );
    assert!(done.stderr.contains("--around VALUE"), "{}", done.text());
    assert_eq!(read(&place, "d.svg"), "old");
    let done = place.run(&["show", "d.lattice", "d", "--draw"]);
    assert_eq!((done.status, done.stdout.lines().count()), (0, 2_101));
    let part = [
        "show",
        "d.lattice",
        "d",
        "--draw",
        "d.svg",
        "--around",
        "v7",
    ];
    assert_eq!(place.run(&part).status, 0);
    assert!(read(&place, "d.svg").contains(">v7<"));
}

#[test]
fn an_answer_is_drawn() {
    let place = Place::with_animals();
    let run = |query: &str, out: &str| {
        place.run(&["run", "-l", "animals.lattice", "-c", query, "--draw", out])
    };
    let done = run("MEET species = mammal AND habitat = aquatic", "a.txt");
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(done.stdout.contains("2 instances"), "{}", done.text());
    let tree = read(&place, "a.txt");
    assert!(
        tree.contains("species = orca  keiko.txt:1: “Keiko was an orca, born in 1976.”"),
        "{tree}"
    );
    assert_eq!(run("MEET species = mammal", "a.svg").status, 0);
    assert!(read(&place, "a.svg").contains("lw-answer"));
    for (query, out, told) in [
        ("COMPARE dog, orca BY species", "b.svg", "cannot be drawn"),
        ("MEET species = unicorn", "b.svg", "cannot be drawn"),
        ("SHOW DIMENSIONS", "b.svg", "no verdict to draw"),
        (
            "MEET species = mammal",
            "b.gif",
            "ends in .svg, .dot or .txt",
        ),
    ] {
        let done = run(query, out);
        assert_eq!(done.status, 1, "{query}: {}", done.text());
        assert!(done.stderr.contains(told), "{query}: {}", done.text());
        assert!(!place.path(out).exists());
    }
}
