//! `latweave ask`, `plan`, `replay` and `learn`: what they print, keep and refuse.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod cli_support;

use cli_support::{Done, Place};
use serde_json::Value;
use std::path::PathBuf;

const FILMS: &str = r#"DIMENSION directed_by ENTITY MANY INVERSE directed AKA "director"
DIMENSION written_by ENTITY MANY INVERSE wrote AKA "writer"
DIMENSION released DATE ONE AKA "release year"
FACT "Jaws" directed_by = "Steven Spielberg", written_by = "Peter Benchley", released = 1975
  SOURCE "Jaws (1975) was directed by Steven Spielberg and written by Peter Benchley." FROM "films.txt" LINE 1
FACT "True Romance" directed_by = "Tony Scott", written_by = "Quentin Tarantino"
  SOURCE "True Romance was directed by Tony Scott from a script by Quentin Tarantino." FROM "films.txt" LINE 2
FACT "Pulp Fiction" directed_by = "Quentin Tarantino", written_by = "Quentin Tarantino"
  SOURCE "Quentin Tarantino wrote and directed Pulp Fiction." FROM "films.txt" LINE 3
"#;

const MORE: &str = r#"FACT "From Dusk till Dawn" directed_by = "Robert Rodriguez", written_by = "Quentin Tarantino"
  SOURCE "Robert Rodriguez directed From Dusk till Dawn, which Quentin Tarantino wrote." FROM "more.txt" LINE 1
"#;

const QUESTION: &str = "who directed the films written by Quentin Tarantino";

const WORDS: &str = "PATTERN QUESTION \"(film|films) {x}\" => MEET name IN (MEET name = {x})\n";

fn build(place: &Place, lattice: &str, text: &str) {
    place.write("source.lq", text);
    let done = place.run(&["build", "-o", lattice, "source.lq"]);
    assert_eq!(done.status, 0, "{}", done.text());
}

fn films() -> Place {
    let place = Place::new();
    build(&place, "films.lattice", FILMS);
    place.write("films.vocabulary.lq", WORDS);
    place
}

fn ask(place: &Place, question: &str) -> Done {
    place.run(&["ask", question, "-l", "films.lattice", "--cache", "plans"])
}

fn json(place: &Place, question: &str, more: &[&str]) -> Value {
    let mut arguments = vec![
        "ask",
        question,
        "-l",
        "films.lattice",
        "--cache",
        "plans",
        "--format",
        "json",
    ];
    arguments.extend(more);
    let done = place.run(&arguments);
    serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{}", done.text()))
}

fn kept(place: &Place) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(place.path("plans")) else {
        return Vec::new();
    };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn names(verdict: &Value) -> Vec<&str> {
    let members = verdict["members"].as_array().unwrap();
    let name = |member: &'_ Value| member.get("name").is_some();
    assert!(members.iter().all(name), "{verdict}");
    members
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_question_gets_the_whole_set_its_evidence_and_its_plan() {
    let place = films();
    snapshot!("cli_ask", ask(&place, QUESTION).text());
    let verdict = json(&place, QUESTION, &[]);
    assert_eq!(verdict["question"], QUESTION);
    assert_eq!(verdict["verdict"], "answer");
    assert!(
        verdict["plan"].as_str().unwrap().starts_with("MEET "),
        "{verdict}"
    );
    assert_eq!(names(&verdict), ["Quentin Tarantino", "Tony Scott"]);
}

#[test]
fn what_is_not_understood_is_an_abstention_that_names_the_part() {
    let place = films();
    let question = "who flombered Jaws";
    snapshot!("cli_ask_not_understood", ask(&place, question).text());
    let verdict = json(&place, question, &[]);
    assert_eq!(verdict["verdict"], "abstain");
    assert_eq!(verdict["reason"], "not-understood");
    assert_eq!(verdict["text"], "flombered");
    assert!(verdict.get("plan").is_none());
    let lattice = ["ask", question, "-l", "films.lattice", "--exit-abstain"];
    assert_eq!(place.run(&lattice).status, 3);
    let done = place.run(&["plan", question, "-l", "films.lattice"]);
    assert_eq!((done.status, done.stdout.as_str()), (1, ""));
    assert_eq!(kept(&place), Vec::<PathBuf>::new(), "nothing is kept");
}

/// Two ways to read a question, neither better than the other.
const TWO_WAYS: &str = "PATTERN QUESTION \"who made {x}\" => MEET name = {x} RETURN directed_by\n\
    PATTERN QUESTION \"who made {x}\" => MEET name = {x} RETURN written_by\n";

#[test]
fn readings_that_answer_differently_are_no_answer() {
    let place = films();
    place.write("films.vocabulary.lq", TWO_WAYS);
    let done = ask(&place, "who made Jaws");
    snapshot!("cli_ask_ambiguous", done.text());
    let fresh = json(&place, "who made Jaws", &[]);
    assert_eq!(fresh["reason"], "ambiguous");
    let readings = fresh["ambiguous"][0]["readings"].as_array().unwrap();
    assert_eq!(readings.len(), 2);
    let of = |k: usize| readings[k]["answer"][0].as_str().unwrap();
    let mut answers = [of(0), of(1)];
    answers.sort_unstable();
    assert_eq!(answers, ["Peter Benchley", "Steven Spielberg"]);
    // The plan that was kept says the same again, and so does a replay.
    assert_eq!(ask(&place, "who made Jaws").stdout, done.stdout);
    let replayed = place.run(&["replay", "plans", "-l", "films.lattice", "--format", "json"]);
    let replayed: Value = serde_json::from_str(&replayed.stdout).unwrap();
    assert_eq!(replayed["ambiguous"], fresh["ambiguous"]);
}

#[test]
fn readings_that_agree_are_an_answer() {
    let place = films();
    place.write("films.vocabulary.lq", TWO_WAYS);
    let verdict = json(&place, "who made Pulp Fiction", &[]);
    assert_eq!(names(&verdict), ["Quentin Tarantino"]);
}

#[test]
fn a_plan_is_kept_and_served_only_for_what_it_was_written_for() {
    let place = films();
    let first = ask(&place, QUESTION);
    let after_one = kept(&place);
    assert_eq!(after_one.len(), 1);
    let again = place.run(&[
        "ask",
        QUESTION,
        "-l",
        "films.lattice",
        "--cache",
        "plans",
        "--verbose",
    ]);
    assert_eq!(again.stdout, first.stdout);
    assert!(again.stderr.contains("plan: kept in"), "{}", again.stderr);
    assert_eq!(kept(&place), after_one);
    // White space makes no other question.
    ask(&place, &format!("  {} ", QUESTION.replace(' ', "  ")));
    assert_eq!(kept(&place), after_one);

    build(&place, "films.lattice", &format!("{FILMS}{MORE}"));
    let verdict = json(&place, QUESTION, &[]);
    assert_eq!(
        names(&verdict),
        ["Quentin Tarantino", "Robert Rodriguez", "Tony Scott"]
    );
    assert_eq!(kept(&place).len(), 2, "another lattice, another plan");
    place.write("films.vocabulary.lq", format!("{WORDS}{TWO_WAYS}"));
    ask(&place, QUESTION);
    assert_eq!(kept(&place).len(), 3, "another vocabulary, another plan");
    ask(&place, "who directed Jaws");
    assert_eq!(kept(&place).len(), 4);
}

#[test]
fn what_was_not_known_is_known_once_it_is_stated() {
    let place = films();
    let unknown = "who directed From Dusk till Dawn";
    assert_eq!(json(&place, unknown, &[])["reason"], "not-understood");
    let nothing = "films written by Tony Scott";
    let before = json(&place, nothing, &[]);
    assert_eq!(before["verdict"], "abstain", "{before}");
    let script = "FACT \"Loving Memory\" written_by = \"Tony Scott\" SOURCE \"s\"\n";
    build(&place, "films.lattice", &format!("{FILMS}{MORE}{script}"));
    assert_eq!(names(&json(&place, unknown, &[])), ["Robert Rodriguez"]);
    assert_eq!(names(&json(&place, nothing, &[])), ["Loving Memory"]);
    // A vocabulary that knows a word is another one.
    let word = "who penned Jaws";
    assert_eq!(json(&place, word, &[])["reason"], "not-understood");
    place.write("more.lq", "DIMENSION written_by AKA \"penned\"\n");
    let verdict = json(&place, word, &["--vocabulary", "more.lq"]);
    assert_eq!(names(&verdict), ["Peter Benchley"]);
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be() {
    let place = films();
    place.run(&["ask", QUESTION, "-l", "films.lattice", "--no-cache"]);
    assert_eq!(
        place.files(),
        ["films.lattice", "films.vocabulary.lq", "source.lq"]
    );
    let mut by_variable = place.command(&["ask", QUESTION, "-l", "films.lattice"]);
    let folder = place.path("elsewhere");
    assert!(
        by_variable
            .env("LATWEAVE_CACHE", &folder)
            .output()
            .unwrap()
            .status
            .success()
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    // Where nothing can be kept the answer is there all the same.
    place.write("plans", "a file, no folder");
    let done = ask(&place, QUESTION);
    assert_eq!(done.status, 0);
    assert!(done.stdout.contains("Tony Scott"));
    assert!(done.stderr.contains("note: "), "{}", done.stderr);
}

#[test]
fn a_plan_that_was_altered_is_not_served() {
    let place = films();
    let first = ask(&place, QUESTION);
    let file = kept(&place).remove(0);
    let whole = std::fs::read(&file).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let mut altered: Vec<Vec<u8>> = vec![
        Vec::new(),
        whole[..whole.len() / 2].to_vec(),
        text.replace("Quentin", "Steven").into_bytes(),
        text.replace("MEET directed", "MEET wrote").into_bytes(),
        vec![0xff; 40],
    ];
    let mut flipped = whole.clone();
    flipped[whole.len() - 5] ^= 1;
    altered.push(flipped);
    for bytes in altered {
        std::fs::write(&file, &bytes).unwrap();
        let done = ask(&place, QUESTION);
        assert_eq!(done.stdout, first.stdout);
        assert!(done.stderr.contains("was altered"), "{}", done.stderr);
        assert_eq!(std::fs::read(&file).unwrap(), whole, "it is kept anew");
    }
}

#[test]
fn a_plan_is_a_script() {
    let place = films();
    let done = place.run(&["plan", QUESTION, "-l", "films.lattice", "-o", "plan.lq"]);
    assert_eq!((done.status, done.stdout.as_str()), (0, ""));
    let printed = place.run(&["plan", QUESTION, "-l", "films.lattice"]);
    snapshot!("cli_plan", without_version(&printed.stdout));
    assert_eq!(place.run(&["fmt", "--check", "plan.lq"]).status, 0);
    let done = place.run(&["run", "plan.lq", "-l", "films.lattice", "--format", "csv"]);
    assert!(done.stdout.contains("Tony Scott"), "{}", done.text());
    ask(&place, QUESTION);
    let file = kept(&place).remove(0);
    let done = place.run(&["test", "-l", "films.lattice", file.to_str().unwrap()]);
    assert_eq!(done.status, 0, "{}", done.text());
}

/// The seal covers the hashes, which change with the file format.
fn without_version(text: &str) -> String {
    let stays = |line: &&str| !line.starts_with("-- seal");
    let lines: Vec<&str> = text.lines().filter(stays).collect();
    lines.join("\n")
}

#[test]
fn a_replay_refuses_another_lattice_or_shows_how_the_answer_moved() {
    let place = films();
    ask(&place, QUESTION);
    std::fs::copy(kept(&place).remove(0), place.path("plan.lq")).unwrap();
    let replay = |more: &[&str]| {
        let mut arguments = vec!["replay", "plan.lq", "-l", "films.lattice"];
        arguments.extend(more);
        place.run(&arguments)
    };
    let same = replay(&[]);
    assert_eq!(same.status, 0, "{}", same.text());
    assert_eq!(same.stdout, ask(&place, QUESTION).stdout);

    build(&place, "films.lattice", &format!("{FILMS}{MORE}"));
    let refused = replay(&[]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("E302"), "{}", refused.stderr);
    snapshot!("cli_replay_drift", replay(&["--drift"]).text());
    let moved: Value =
        serde_json::from_str(&replay(&["--drift", "--format", "json"]).stdout).unwrap();
    let differences = &moved["moved"]["differences"];
    assert_eq!(
        differences[0]["gained"],
        serde_json::json!(["Robert Rodriguez"])
    );
    assert_eq!(differences[0]["lost"], serde_json::json!([]));

    build(
        &place,
        "films.lattice",
        &FILMS.replace("Tony Scott", "Tony S."),
    );
    let moved: Value =
        serde_json::from_str(&replay(&["--drift", "--format", "json"]).stdout).unwrap();
    let differences = &moved["moved"]["differences"];
    assert_eq!(differences[0]["gained"], serde_json::json!(["Tony S."]));
    assert_eq!(
        differences[0]["lost"],
        serde_json::json!(["\"Tony Scott\""])
    );
}

#[test]
fn an_edited_plan_is_replayed_and_what_it_expects_is_checked() {
    let place = films();
    ask(&place, QUESTION);
    let text = std::fs::read_to_string(kept(&place).remove(0)).unwrap();
    let edited = text.replace(
        "written_by = \"Quentin Tarantino\"",
        "written_by = \"Peter Benchley\"",
    );
    assert_ne!(edited, text);
    place.write("edited.lq", &edited);
    let done = place.run(&["replay", "edited.lq", "-l", "films.lattice"]);
    assert_eq!(done.status, 1);
    assert!(done.stdout.contains("Steven Spielberg"), "{}", done.text());
    assert!(
        done.stderr.contains("not what the plan expects"),
        "{}",
        done.text()
    );
    let silent: Vec<&str> = edited
        .lines()
        .filter(|l| !l.starts_with("EXPECT"))
        .collect();
    place.write("edited.lq", silent.join("\n"));
    let done = place.run(&["replay", "edited.lq", "-l", "films.lattice"]);
    assert_eq!(
        (done.status, done.stderr.as_str()),
        (0, ""),
        "{}",
        done.text()
    );
}

#[test]
fn what_is_no_plan_is_not_replayed() {
    let place = films();
    let head = "-- question: q\n-- lattice: b3:00\n";
    let hash = place.run(&["plan", QUESTION, "-l", "films.lattice", "-o", "plan.lq"]);
    assert_eq!(hash.status, 0);
    let plan = place.read("plan.lq");
    let lattice = plan.lines().find(|l| l.starts_with("-- lattice")).unwrap();
    for (text, told) in [
        ("MEET released = 1975\n".to_owned(), "E302"),
        (format!("{head}MEET released = 1975\n"), "E302"),
        (
            format!("{lattice}\nFACT Jaws released = 1976 SOURCE \"s\"\n"),
            "E408",
        ),
        (format!("{lattice}\nOPEN \"films.lattice\"\n"), "E408"),
        (format!("{lattice}\nSHOW DIMENSIONS\n"), "E408"),
        (format!("{lattice}\n"), "E403"),
        (format!("{lattice}\nMEET released =\n"), "E002"),
    ] {
        place.write("wrong.lq", &text);
        for drift in [&[][..], &["--drift"]] {
            let mut arguments = vec!["replay", "wrong.lq", "-l", "films.lattice"];
            arguments.extend(drift);
            let done = place.run(&arguments);
            let runs = told == "E302" && text.starts_with(head) && !drift.is_empty();
            assert_eq!(done.status, i32::from(!runs), "{text}{}", done.text());
            assert!(runs || done.stderr.contains(told), "{text}{}", done.text());
        }
    }
    let done = place.run(&["replay", "nothing.lq", "-l", "films.lattice"]);
    assert_eq!(done.status, 1);
    assert!(done.stderr.contains("does not exist"));
}

#[test]
fn a_folder_of_plans_is_replayed_in_the_order_of_names() {
    let place = films();
    for question in [
        QUESTION,
        "who directed Jaws",
        "writer of Jaws",
        "release year of Jaws",
    ] {
        ask(&place, question);
    }
    assert_eq!(kept(&place).len(), 4);
    let done = place.run(&[
        "replay",
        "plans",
        "-l",
        "films.lattice",
        "--format",
        "jsonl",
    ]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert_eq!(done.stderr, "4 plans: 4 answered, 0 abstained\n");
    let verdicts: Vec<Value> = done
        .stdout
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(verdicts.len(), 4);
    assert!(verdicts.iter().all(|v| v["plan"].is_string()));
    let done = place.run(&["replay", "plans", "-l", "films.lattice", "--format", "json"]);
    assert_eq!(done.status, 1, "one document holds one verdict");
}

#[test]
fn learning_twice_gives_the_same_bytes() {
    let place = films();
    place.write(
        "questions.txt",
        "who directed Jaws\tSteven Spielberg\nwho directed True Romance\tTony Scott\n\
         who directed Pulp Fiction\tQuentin Tarantino\nwho penned Jaws\tPeter Benchley\n\
         who penned True Romance\tQuentin Tarantino\nwho penned Pulp Fiction\tQuentin Tarantino\n",
    );
    let learn = |output: &str| {
        let done = place.run(&[
            "learn",
            "-l",
            "films.lattice",
            "--questions",
            "questions.txt",
            "-o",
            output,
        ]);
        assert_eq!(
            (done.status, done.stdout.as_str()),
            (0, ""),
            "{}",
            done.text()
        );
        place.read(output)
    };
    let first = learn("a.lq");
    assert!(!first.is_empty());
    assert_eq!(first, learn("b.lq"));
    let wrong = place.run(&[
        "learn",
        "-l",
        "films.lattice",
        "--questions",
        "questions.txt",
        "-o",
        "questions.txt",
    ]);
    assert_eq!(wrong.status, 1, "what is read is not written over");
}
