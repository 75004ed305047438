//! The plans of questions about the repository's own examples: a snapshot for each, of
//! what is asked and what it gives.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::ask::plans::{self, EMBEDDED, Head, PlanFile, one_line};
use latweave::ask::{Planner, Understood, Vocabulary};
use latweave::engine::Budget;
use latweave::{Lattice, Script};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn folder(story: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(story)
}

fn read(story: &str, file: &str) -> String {
    std::fs::read_to_string(folder(story).join(file)).unwrap()
}

fn lattice(story: &str) -> Lattice {
    let load = format!("LOAD LQ \"{story}.lq\"");
    let script = Script::parse(&load).unwrap().relative_to(folder(story));
    script.build().unwrap()
}

fn questions(text: &str) -> Vec<String> {
    let lines = text.lines().map(one_line).filter(|line| !line.is_empty());
    lines.collect()
}

/// The plans of a story's questions with what they give; a question that is not
/// understood has none.
fn planned(story: &str, vocabulary: Option<&str>, text: &str) -> (Lattice, Vec<PlanFile>) {
    let lattice = lattice(story);
    let mut words = Vocabulary::english().unwrap();
    if let Some(file) = vocabulary {
        words = words.and(Vocabulary::read(&read(story, file)).unwrap());
    }
    let planner = Planner::new(&lattice, &words);
    let plan = |question: String| {
        let head = Head {
            question: question.clone(),
            planner: EMBEDDED.to_owned(),
            vocabulary: plans::vocabulary_hash(&words),
            lattice: lattice.content_hash().to_string(),
            ..Head::default()
        };
        match planner.read(&question) {
            Understood::Not(_) => None,
            Understood::Readings(readings) => {
                let plan = PlanFile::of_readings(head, &readings);
                let asked = plans::answer(&lattice, plan, &Budget::unlimited()).unwrap();
                asked.plan_with_answers(&lattice)
            }
        }
    };
    let all = questions(text).into_iter().filter_map(plan).collect();
    (lattice, all)
}

/// The name of a snapshot: the words of the question.
fn slug(story: &str, question: &str) -> String {
    let lower = question.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{story}_{}", words.join("_"))
}

/// A plan without hashes: those change with the file format and the standard library.
fn shown(plan: &PlanFile) -> String {
    let hashed = |line: &&str| {
        !["-- vocabulary", "-- lattice", "-- seal"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let text = plan.text();
    let lines: Vec<&str> = text.lines().filter(hashed).collect();
    lines.join("\n")
}

const STORIES: [(&str, Option<&str>, usize); 3] = [
    ("films", Some("vocabulary.lq"), 50),
    ("animals", Some("vocabulary.lq"), 35),
    ("geography", None, 15),
];

fn text_of(story: &str) -> String {
    read(story, "questions.txt")
}

#[test]
fn every_plan_is_as_it_was() {
    let mut names = BTreeSet::new();
    for (story, vocabulary, least) in STORIES {
        let (_, all) = planned(story, vocabulary, &text_of(story));
        assert!(all.len() >= least, "{story}: {} plans", all.len());
        for plan in &all {
            let name = slug(story, &plan.head.question);
            insta::with_settings!({
                snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/plans"),
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                insta::assert_snapshot!(name.clone(), shown(plan));
            });
            assert!(names.insert(name), "{} is asked twice", plan.head.question);
        }
    }
    assert!(names.len() >= 100, "{} plans", names.len());
    let kept = std::fs::read_dir("snapshots/plans").unwrap();
    let stale: Vec<String> = kept
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter_map(|file| Some(file.strip_suffix(".snap")?.to_owned()))
        .filter(|name| !names.contains(name))
        .collect();
    assert!(stale.is_empty(), "no question has these plans: {stale:?}");
}

/// A plan is a script: it reads, it is in canonical form, and what it expects holds.
#[test]
fn every_plan_is_a_script_that_holds() {
    for (story, vocabulary, _) in STORIES {
        let (lattice, all) = planned(story, vocabulary, &text_of(story));
        for plan in all {
            let text = plan.text();
            assert_eq!(latweave::syntax::format_text(&text).unwrap(), text);
            let again = PlanFile::read(&text);
            assert!(again.is_sealed());
            let asked = plans::answer(&lattice, again, &Budget::unlimited()).unwrap();
            assert!(asked.expects && asked.differences.is_empty(), "{text}");
            if plan.readings == 1 {
                let verdict = Script::parse(&text).unwrap().run(&lattice).unwrap();
                assert_eq!(verdict, asked.verdict, "{text}");
            }
        }
    }
}

/// Planning is a function of question, vocabulary and lattice.
#[test]
fn planning_again_gives_the_same_bytes() {
    let texts = || {
        let (_, all) = planned("films", Some("vocabulary.lq"), &text_of("films"));
        all.iter().map(PlanFile::text).collect::<Vec<_>>()
    };
    assert_eq!(texts(), texts());
}

/// Replaying calls no planner, so it takes next to nothing. The bound is wide: the
/// machine may be busy and the program is built for debugging.
#[test]
fn many_plans_are_replayed_at_once() {
    let (lattice, all) = planned("films", Some("vocabulary.lq"), &text_of("films"));
    let texts: Vec<String> = all.iter().map(PlanFile::text).collect();
    let started = Instant::now();
    let mut replayed = 0;
    for text in texts.iter().cycle().take(1258) {
        let plan = PlanFile::read(text);
        plans::refuse_drift(&plan, &lattice).unwrap();
        let asked = plans::answer(&lattice, plan, &Budget::unlimited()).unwrap();
        assert!(asked.differences.is_empty());
        replayed += 1;
    }
    println!("{replayed} plans in {:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(60));
}
