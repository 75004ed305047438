//! Twenty questions to a real model, where there is one: `scripts/model-server.sh`
//! starts it, and LATWEAVE_MODEL_URL says where. Without that these tests ask nothing,
//! and say so.
#![cfg(feature = "models")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/gbnf.rs"]
mod reading;

use latweave::model::{Message, Metered, Model, Reply, Settings, extract};
use latweave::syntax::gbnf::{Vocabulary, WordKind, gbnf};
use latweave::syntax::parse;
use std::time::Duration;

const QUESTIONS: [&str; 20] = [
    "Which whales are there?",
    "Where does Keiko live?",
    "When was Laika born?",
    "Is Keiko an orca?",
    "How many dogs are there?",
    "Who was born first, Laika or Keiko?",
    "Which animals live on land?",
    "Which mammals are aquatic?",
    "Which animals are longer than 10 m?",
    "What is the longest whale?",
    "Which animals were born after 1950?",
    "Is Moby Dick older than Keiko?",
    "Which animals are not aquatic?",
    "Which birds or fish are there?",
    "What species is Moby Dick?",
    "How long is Moby Dick?",
    "Do Keiko and Moby Dick live in the same place?",
    "Which animals have the same species as Keiko?",
    "Who is the nicest animal?",
    "Which orcas were born before 1980?",
];

const INSTRUCTIONS: &str = "Write each question as one query in LQ. The dimensions are species, \
habitat, born and length.";

const EXAMPLES: [(&str, &str); 7] = [
    ("Which dogs are there?", "MEET species = \"dog\""),
    (
        "When was Lassie born?",
        "MEET name = \"Lassie\" RETURN born",
    ),
    (
        "Who is older, Rex or Lassie?",
        "COMPARE MIN OF \"Rex\", \"Lassie\" BY born",
    ),
    ("Is Rex a dog?", "COMPARE \"Rex\" BY species = \"dog\""),
    (
        "Which dogs are shorter than 1 m?",
        "MEET species = \"dog\" AND length < 1 m",
    ),
    (
        "How many aquatic dogs are there?",
        "MEET species = \"dog\" AND habitat = \"aquatic\" RETURN COUNT",
    ),
    ("Who is kind?", "ABSTAIN \"kindness is not recorded\""),
];

/// The model, or why there is none.
fn model() -> Option<Metered> {
    let Ok(server) = std::env::var("LATWEAVE_MODEL_URL") else {
        println!(
            "skipped: LATWEAVE_MODEL_URL names no server (scripts/model-server.sh starts one)"
        );
        return None;
    };
    let settings = Settings {
        model: Some(std::env::var("LATWEAVE_MODEL").unwrap_or_else(|_| "smollm2".to_owned())),
        server: Some(server),
        timeout: Some(Duration::from_secs(120)),
        max_tokens: Some(400),
        ..Settings::default()
    };
    settings.connect().unwrap()
}

fn grammar() -> String {
    let dimension = |name: &str, kind| (name.to_owned(), kind);
    let all = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    let words = Vocabulary {
        dimensions: [
            dimension("species", WordKind::Taxonomy),
            dimension("habitat", WordKind::Taxonomy),
            dimension("born", WordKind::Date),
            dimension("length", WordKind::Number),
        ]
        .into(),
        units: all(&["m"]),
        names: all(&[
            "Moby Dick",
            "Keiko",
            "Laika",
            "whale",
            "orca",
            "dog",
            "mammal",
            "bird",
            "fish",
            "aquatic",
            "terrestrial",
        ]),
        ids: all(&[]),
    };
    gbnf(&words).unwrap()
}

fn ask(model: &Metered, question: &str, grammar: Option<&str>) -> Reply {
    let mut messages = vec![Message::system(INSTRUCTIONS)];
    for (asked, plan) in EXAMPLES {
        messages.extend([Message::user(asked), Message::assistant(plan)]);
    }
    messages.push(Message::user(question));
    let mut request = model.request(messages);
    request.grammar = grammar.map(str::to_owned);
    model.ask(&request).unwrap()
}

/// Whether there is a plan in the reply, and it parses.
fn parses(reply: &Reply) -> bool {
    extract::plan(&reply.text).is_some_and(|plan| parse(&plan).is_ok())
}

#[test]
fn under_the_grammar_every_plan_parses_and_is_the_same_again() {
    let Some(model) = model() else { return };
    let grammar = grammar();
    for question in QUESTIONS {
        let first = ask(&model, question, Some(&grammar));
        println!("{question}\n  {}", first.text);
        assert!(parses(&first), "{question}: {first:?}");
        assert_eq!(
            extract::plan(&first.text).as_deref(),
            Some(first.text.as_str())
        );
        for _ in 0..2 {
            assert_eq!(ask(&model, question, Some(&grammar)), first, "{question}");
        }
    }
    println!("{}", model.cost());
}

/// What a model without a grammar writes may be anything; reading it never fails.
#[test]
fn without_the_grammar_replies_are_read_and_the_same_again() {
    let Some(model) = model() else { return };
    let (mut parsed, mut fitting) = (0, 0);
    let grammar = reading::Grammar::read(&grammar());
    for question in QUESTIONS {
        let first = ask(&model, question, None);
        let fit = parses(&first);
        println!(
            "{question}\n  {} {:?}",
            if fit { "parses:" } else { "does not:" },
            first.text
        );
        parsed += usize::from(fit);
        fitting += usize::from(grammar.accepts(&first.text));
        assert_eq!(ask(&model, question, None), first, "{question}");
    }
    let all = QUESTIONS.len();
    println!("without the grammar {parsed} of {all} parse, and {fitting} use only words at hand");
}
