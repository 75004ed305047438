//! Benchmarks with the embedded planner over a small film set: what is counted, what is
//! hidden, what is frozen, and how a run goes on. One test looks at real questions where
//! they are at hand (`$LATWEAVE_DATA`, else `../shared/data`).

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::ask::{Part, Vocabulary};
use latweave::engine::Budget;
use latweave::eval::{Benchmark, Embedded, EvalError, Miss, PlannerKind, Report, Task, run};
use latweave::lattice::{Builder, InstanceId, Lattice, ValueId};
use latweave::load::{Options, Request, Silent, load};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn films() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/films")
}

fn lattice_of(kb: &Path) -> Lattice {
    let mut builder = Builder::new();
    load(
        &mut builder,
        &Request::new(kb),
        &Options::default(),
        &mut Silent,
    )
    .unwrap();
    builder.freeze().unwrap()
}

fn embedded(text: &str) -> PlannerKind {
    let vocabulary = Vocabulary::english().unwrap();
    let vocabulary = vocabulary.and(Vocabulary::read(text).unwrap());
    PlannerKind::Embedded(Box::new(Embedded::new(vocabulary, [text])))
}

fn run_quietly(task: &Task, lattice: &Lattice) -> Result<Report, EvalError> {
    run(task, lattice, &Budget::unlimited(), &mut |_, _| {})
}

/// A task over a file of questions, which is written into a folder.
fn asked(folder: &Path, lines: &[&str], vocabulary: &str) -> Task {
    let path = folder.join("questions.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    Task {
        questions: vec![path],
        planner: embedded(vocabulary),
        ..Task::new(Benchmark::Qa, "", "")
    }
}

const DIRECTED: &str =
    "PATTERN QUESTION \"who directed {x}\" => MEET name = {x} RETURN directed_by";

#[test]
fn a_view_hides_predicates_and_nothing_else() {
    let lattice = lattice_of(&films().join("kb.txt"));
    let one = |name: &str| lattice.called(name).instances[0];
    let d = lattice.find_dimension("starred_actors").unwrap();
    let inverse = lattice.dimension(d).inverse.unwrap();
    let (film, actor, other) = (
        one("The Glass Orchard"),
        one("Tomas Reyl"),
        one("Ines Calder"),
    );
    let hidden: BTreeSet<_> = [(d, film, ValueId(actor.0))].into();
    let view = lattice.hiding(&hidden).unwrap();

    let cast = |lattice: &Lattice, i: InstanceId| lattice.positive(d).of(i).values().to_vec();
    assert_eq!(cast(&view, film), [other.0]);
    assert!(cast(&lattice, film).contains(&actor.0));
    let before = lattice.positive(inverse).of(actor).len();
    assert_eq!(view.positive(inverse).of(actor).len(), before - 1);
    assert!(
        !view
            .positive(d)
            .holders(ValueId(actor.0))
            .to_set()
            .contains(film.0)
    );
    assert!(
        view.positive(d)
            .holders(ValueId(other.0))
            .to_set()
            .contains(film.0)
    );
    // Names, numbers and all else stay.
    assert_eq!(view.called("Tomas Reyl").instances, [actor]);
    assert_eq!(view.value_count(d), lattice.value_count(d));
    assert_eq!(view.counts().instances, lattice.counts().instances);
    assert_eq!(view.counts().predicates + 1, lattice.counts().predicates);
    assert_ne!(view.content_hash(), lattice.content_hash());
    let genre = lattice.find_dimension("has_genre").unwrap();
    assert_eq!(
        view.positive(genre).of(film).values(),
        lattice.positive(genre).of(film).values()
    );
    // A view of a view hides both.
    let also: BTreeSet<_> = [(d, film, ValueId(other.0))].into();
    assert!(cast(&view.hiding(&also).unwrap(), film).is_empty());
}

#[test]
fn without_support_nothing_is_answered() {
    let lattice = lattice_of(&films().join("kb.txt"));
    let mut task = Task::new(Benchmark::MetaQa, films(), "dev");
    assert_eq!(run_quietly(&task, &lattice).unwrap().leak, None);
    task.remove_support = true;
    let report = run_quietly(&task, &lattice).unwrap();
    let removed = report.support_removed.as_ref().unwrap();
    // One question has no answer in the lattice that anything could rest on.
    assert_eq!((removed.removed.n, removed.not_removable), (13, 1));
    assert_eq!(
        (removed.removed.abstention_accuracy, removed.removed.leak),
        (1.0, 0.0)
    );
    assert_eq!(
        (report.leak, removed.intact.n, removed.intact.resolved),
        (Some(0.0), 13, 1.0)
    );
    let by_hops: Vec<_> = removed
        .hops
        .iter()
        .map(|(hops, of)| (*hops, of.n))
        .collect();
    assert_eq!(by_hops, [(1, 6), (2, 4), (3, 3)]);
    assert!(report.leaks.is_empty());
}

/// A plan that gives the right answer for the wrong reason leaks.
#[test]
fn what_rests_on_something_else_leaks() {
    let lattice = lattice_of(&films().join("kb.txt"));
    let wrong = "PATTERN QUESTION \"who directed {x}\" => MEET name = {x} RETURN written_by";
    for (vocabulary, leak) in [(DIRECTED, 0.0), (wrong, 1.0)] {
        let task = Task {
            hops: Some(1),
            remove_support: true,
            planner: embedded(vocabulary),
            ..Task::new(Benchmark::MetaQa, films(), "dev")
        };
        let report = run_quietly(&task, &lattice).unwrap();
        let directed = |text: &str| text == "who directed [Salt, and After]";
        assert!(
            report.differences.iter().all(|d| !directed(&d.question)),
            "{:#?}",
            report.differences
        );
        let leaks = report.leaks.iter().filter(|leak| directed(&leak.question));
        assert_eq!(leaks.count() as f64, leak, "{:#?}", report.leaks);
    }
}

#[test]
fn each_miss_has_one_class() {
    let folder = tempfile::tempdir().unwrap();
    let lattice = lattice_of(&films().join("kb.txt"));
    let vocabulary = format!(
        "{DIRECTED}\n\
         PATTERN QUESTION \"who narrates {{x}}\" => MEET name = \"Nobody\" RETURN directed_by\n\
         PATTERN QUESTION \"who scored {{x}}\" => ABSTAIN \"no scores here\"\n\
         PATTERN QUESTION \"who plays in {{x}}\" => MEET name = {{x}} RETURN starred_actors"
    );
    let lines = [
        r#"{"question":"who directed [Salt, and After]","answer":" ola  BRANDT "}"#,
        r#"{"question":"why is [Salt, and After]","answer":"x"}"#,
        r#"{"question":"who narrates [Salt, and After]","answer":"x"}"#,
        r#"{"question":"who scored [Salt, and After]","answer":"x"}"#,
        r#"{"question":"who directed [Salt, and After]","answer":"Mira Solveig"}"#,
        r#"{"question":"who plays in [Salt, and After]","answers":["Ines Calder","x"]}"#,
        r#"{"question":"who directed [[SIC]]","answers":[]}"#,
        r#"{"question":"why is [[SIC]]","answers":[]}"#,
    ];
    let task = Task {
        remove_support: true,
        ..asked(folder.path(), &lines, &vocabulary)
    };
    let report = run_quietly(&task, &lattice).unwrap();
    let misses: Vec<(Miss, u64)> = report.misses.clone().into_iter().collect();
    let expected = [1, 0, 1, 0, 0, 0, 1, 1, 1];
    assert_eq!(
        misses,
        Miss::ALL.into_iter().zip(expected).collect::<Vec<_>>(),
        "{:#?}",
        report.differences
    );
    assert_eq!((report.all.n, report.all.equal), (6, 1));
    let refused = report.unanswerable.as_ref().unwrap();
    assert_eq!((refused.n, refused.leak), (2, 0.5));
    // Of those whose support was hidden none is answered, of the two without answer one.
    let removed = report.support_removed.as_ref().unwrap();
    assert_eq!((removed.removed.n, removed.removed.leak), (3, 0.0));
    assert_eq!((removed.not_removable, report.leak), (3, Some(0.2)));

    // By the benchmark's own plans.
    let oracle = Task::new(Benchmark::MetaQa, films(), "dev");
    let misses = |lattice: &Lattice| run_quietly(&oracle, lattice).unwrap().misses;
    let own = misses(&lattice);
    assert_eq!((own[&Miss::NoHitInLattice], own[&Miss::PartialHit]), (1, 1));
    assert_eq!(own.values().sum::<u64>(), 2);
    let people = misses(&lattice_of(
        &films().with_file_name("people").join("kb.txt"),
    ));
    assert_eq!((people[&Miss::Dimension], people.values().sum()), (14, 14));
}

#[test]
fn baselines_stand_beside() {
    let lattice = lattice_of(&films().join("kb.txt"));
    let task = Task {
        baselines: true,
        planner: embedded(DIRECTED),
        ..Task::new(Benchmark::MetaQa, films(), "dev")
    };
    let report = run_quietly(&task, &lattice).unwrap();
    let oracle = run_quietly(&Task::new(Benchmark::MetaQa, films(), "dev"), &lattice).unwrap();
    assert_eq!(report.ceiling.as_ref(), Some(&oracle.all));
    let keywords = Task {
        planner: PlannerKind::Keywords,
        ..Task::new(Benchmark::MetaQa, films(), "dev")
    };
    let keywords = run_quietly(&keywords, &lattice).unwrap();
    assert_eq!(report.keywords.as_ref(), Some(&keywords.all));
    assert!(keywords.all.any_hit > 0.2 && keywords.all.any_hit < oracle.all.any_hit);
    assert!(report.all.resolved < oracle.all.resolved);
}

/// Many questions: each of the film set's, asked about it again and again.
fn many() -> (tempfile::TempDir, PathBuf) {
    let kept = tempfile::tempdir().unwrap();
    for hops in 1..=3 {
        let level = format!("{hops}-hop");
        fs::create_dir(kept.path().join(&level)).unwrap();
        for (file, spaced) in [("qa_dev.txt", true), ("qa_dev_qtype.txt", false)] {
            let text = fs::read_to_string(films().join(&level).join(file)).unwrap();
            let mut all = String::new();
            for k in 0..40 {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    // Other words, so that the split has something to tell apart.
                    let prefix = if spaced {
                        format!("{k}: ")
                    } else {
                        String::new()
                    };
                    writeln!(all, "{prefix}{line}").unwrap();
                }
            }
            fs::write(kept.path().join(&level).join(file), all).unwrap();
        }
    }
    let path = kept.path().to_path_buf();
    (kept, path)
}

#[test]
fn an_interrupted_run_goes_on() {
    let (kept, data) = many();
    let lattice = lattice_of(&films().join("kb.txt"));
    let resume = kept.path().join("run.part");
    let whole = Task {
        remove_support: true,
        ..Task::new(Benchmark::MetaQa, &data, "dev")
    };
    let expected = run_quietly(&whole, &lattice).unwrap();
    let task = Task {
        resume: Some(resume.clone()),
        threads: Some(1),
        ..whole
    };
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_cancel(Arc::clone(&stop));
    let stopped = run(&task, &lattice, &budget, &mut |_, _| {
        stop.store(true, Ordering::Relaxed);
    });
    assert!(matches!(stopped, Err(EvalError::Cancelled)));
    // A line that was cut off is done again.
    let mut text = fs::read_to_string(&resume).unwrap();
    let lines = text.lines().count();
    assert!(lines >= 2, "{lines}");
    text.push_str("{\"portion\":3,\"gra");
    fs::write(&resume, &text).unwrap();
    let mut first = None;
    let report = run(&task, &lattice, &Budget::unlimited(), &mut |done, total| {
        first.get_or_insert((done, total));
    })
    .unwrap();
    let (done, total) = first.unwrap();
    assert!(
        done as usize >= (lines - 1) * 64 && total == 560,
        "{done} of {total}"
    );
    assert_eq!(report.to_json(), expected.to_json());
    assert_eq!(report.differences, expected.differences);
    // What is done is not done again.
    let again = run(&task, &lattice, &Budget::unlimited(), &mut |done, _| {
        panic!("{done} were done again");
    });
    assert_eq!(again.unwrap().to_json(), expected.to_json());
    // Another run is refused.
    let other = Task {
        remove_support: false,
        ..task
    };
    let refused = run_quietly(&other, &lattice).unwrap_err().to_string();
    assert!(refused.contains("is not from this run"), "{refused}");
}

#[test]
fn a_frozen_configuration_is_the_same_on_both_parts() {
    let (kept, data) = many();
    let lattice = lattice_of(&films().join("kb.txt"));
    let task = |part, vocabulary: &str| Task {
        part,
        planner: embedded(vocabulary),
        ..Task::new(Benchmark::MetaQa, &data, "dev")
    };
    let all = run_quietly(&task(Part::All, DIRECTED), &lattice).unwrap();
    let training = run_quietly(&task(Part::Training, DIRECTED), &lattice).unwrap();
    let path = kept.path().join("training.json");
    fs::write(&path, training.to_json()).unwrap();
    let held = |vocabulary| {
        let task = Task {
            frozen: Some(path.clone()),
            ..task(Part::Held, vocabulary)
        };
        run_quietly(&task, &lattice)
    };
    let frozen = held(DIRECTED).unwrap();
    assert_eq!(frozen.configuration, training.configuration);
    assert_eq!(frozen.all.n + training.all.n, all.all.n);
    let (parts, both) = (frozen.parts.unwrap(), all.parts.unwrap());
    assert_eq!(parts.held, both.held);
    assert_eq!(both.training, training.all);
    let drift = parts.held.any_hit - parts.training.any_hit;
    assert!((parts.drift["any_hit"] - drift).abs() < 1e-12);
    let refused = held("-- another\n").unwrap_err().to_string();
    assert!(refused.contains("the vocabulary changed"), "{refused}");
    fs::write(&path, "{}").unwrap();
    assert!(
        held(DIRECTED)
            .unwrap_err()
            .to_string()
            .contains("is no report")
    );
}

#[test]
fn folds_learn_on_other_templates() {
    let folder = tempfile::tempdir().unwrap();
    let lattice = lattice_of(&films().join("kb.txt"));
    let mut lines = String::new();
    let pairs = [
        ("The Glass Orchard", "Mira Solveig"),
        ("Nine Lanterns", "Mira Solveig"),
        ("Salt, and After", "Ola Brandt"),
        ("[SIC]", "Petra Holm"),
    ];
    for (k, wording) in [
        "who directed",
        "name the director of",
        "who is it that made",
    ]
    .iter()
    .enumerate()
    {
        for (film, director) in pairs {
            let line = serde_json::json!({
                "question": format!("{wording} \"{film}\""),
                "answers": [director],
                "sql": format!("SELECT d{k} FROM film WHERE name = \"{film}\""),
            });
            writeln!(lines, "{line}").unwrap();
        }
    }
    fs::write(folder.path().join("questions_train.jsonl"), &lines).unwrap();
    fs::write(folder.path().join("questions_dev.jsonl"), "").unwrap();
    let task = Task {
        folds: Some(3),
        planner: embedded("DIMENSION directed_by AKA \"director\""),
        ..Task::new(Benchmark::GeoQuery, folder.path(), "all")
    };
    let report = run_quietly(&task, &lattice).unwrap();
    assert_eq!((report.all.n, report.configuration.folds), (12, Some(3)));
    // "made" is heard in one template only, so that no other fold can teach it.
    let unread = |d: &latweave::eval::Difference| d.question.contains("made");
    assert_eq!(report.differences.iter().filter(|d| unread(d)).count(), 4);
    assert_eq!(
        report.to_json(),
        run_quietly(&task, &lattice).unwrap().to_json()
    );
    let refused = |task: Task| run_quietly(&task, &lattice).unwrap_err().to_string();
    let one = Task {
        folds: Some(1),
        ..task.clone()
    };
    assert!(refused(one).starts_with("1 folds cannot be made"));
    let oracle = Task {
        planner: PlannerKind::Oracle,
        folds: None,
        ..task.clone()
    };
    assert!(refused(oracle).starts_with("GeoQuery has no oracle plans"));
    let nothing = Task::new(Benchmark::Qa, "", "");
    let nothing = Task {
        planner: PlannerKind::Keywords,
        ..nothing
    };
    assert!(refused(nothing).starts_with("no questions are named"));
}

#[test]
fn the_program_writes_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("words.lq"), DIRECTED).unwrap();
    fs::write(
        at("questions.jsonl"),
        "{\"question\":\"who directed [Salt, and After]\",\"answer\":\"Ola Brandt\"}\n\
         {\"question\":\"why is [Salt, and After]\",\"answer\":\"x\"}\n",
    )
    .unwrap();
    let latweave = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_latweave"));
        let output = command.current_dir(folder.path()).args(arguments).output();
        output.unwrap()
    };
    let kb = films().join("kb.txt");
    let built = latweave(&["build", "-o", "films.lattice", kb.to_str().unwrap()]);
    assert!(built.status.success(), "{built:?}");
    let done = latweave(&[
        "eval",
        "qa",
        "--questions",
        "questions.jsonl",
        "-l",
        "films.lattice",
        "--vocabulary",
        "words.lq",
        "--remove-support",
        "--baselines",
        "--report",
        "r.json",
        "--markdown",
        "r.md",
        "--misses",
        "m.jsonl",
        "--resume",
        "r.part",
    ]);
    assert!(done.status.success(), "{done:?}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at("r.json")).unwrap()).unwrap();
    assert_eq!(report["all"]["set_equal"], 0.5);
    assert_eq!(report["abstained"], 0.5);
    assert_eq!(report["leak"], 0.0);
    assert_eq!(report["misses"]["not_understood"], 1);
    assert_eq!(report["support_removed"]["not_removable"], 1);
    assert_eq!(report["keywords"]["n"], 2);
    assert!(
        report["configuration"]["hash"]
            .as_str()
            .unwrap()
            .starts_with("b3:")
    );
    assert_eq!(
        fs::read_to_string(at("m.jsonl")).unwrap().lines().count(),
        1
    );
    let markdown = fs::read_to_string(at("r.md")).unwrap();
    assert!(
        markdown.contains("| support removed | 1 | 1.0000 | 0.0000 |"),
        "{markdown}"
    );
    let refused = latweave(&["eval", "metaqa", "--questions", "x", "-l", "films.lattice"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("the benchmark's folder is wanted"), "{said}");
}

/// On real questions: with the support of its answer hidden nothing is answered.
#[test]
fn metaqa_abstains_without_support() {
    let data = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let folder = data.join("metaqa");
    if !folder.exists() {
        println!(
            "skipped: {} is not there; set LATWEAVE_DATA",
            folder.display()
        );
        return;
    }
    let lattice = lattice_of(&folder.join("kb.txt"));
    let kept = tempfile::tempdir().unwrap();
    let every = if cfg!(debug_assertions) { 100 } else { 1 };
    for hops in 1..=3 {
        let level = format!("{hops}-hop");
        fs::create_dir(kept.path().join(&level)).unwrap();
        for file in ["qa_dev.txt", "qa_dev_qtype.txt"] {
            let text = fs::read_to_string(folder.join(&level).join(file)).unwrap();
            let lines: Vec<&str> = text.lines().step_by(every).collect();
            fs::write(kept.path().join(&level).join(file), lines.join("\n")).unwrap();
        }
    }
    let task = Task {
        remove_support: true,
        ..Task::new(Benchmark::MetaQa, kept.path(), "dev")
    };
    let report = run_quietly(&task, &lattice).unwrap();
    println!("{report}");
    let removed = report.support_removed.unwrap();
    assert!(removed.removed.n + 2 >= report.all.n, "{removed:?}");
    assert!(removed.removed.abstention_accuracy >= 0.98, "{removed:?}");
    assert!(removed.intact.any_hit >= 0.98, "{removed:?}");
}
