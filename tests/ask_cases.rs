//! Kinds of question that went wrong elsewhere: each as a small lattice, the words to ask
//! it with, and what is right to say.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use latweave::ask::plans::{self, Asked, EMBEDDED, Head, PlanFile};
use latweave::ask::{Planner, Understood, Vocabulary};
use latweave::engine::Budget;
use latweave::verdict::{Outcome, Reason};
use latweave::{Lattice, Script};

/// A lattice with the words to ask it.
struct Case {
    lattice: Lattice,
    planner: Planner,
}

impl Case {
    fn new(facts: &str, words: &str) -> Case {
        let lattice = Script::parse(facts).unwrap().build().unwrap();
        let words = Vocabulary::read(words).unwrap();
        let vocabulary = Vocabulary::english().unwrap().and(words);
        let planner = Planner::new(&lattice, &vocabulary);
        Case { lattice, planner }
    }

    fn ask(&self, question: &str) -> Asked {
        let head = Head {
            question: question.to_owned(),
            planner: EMBEDDED.to_owned(),
            lattice: self.lattice.content_hash().to_string(),
            ..Head::default()
        };
        match self.planner.read(question) {
            Understood::Not(part) => plans::not_understood(question, &part),
            Understood::Readings(readings) => {
                let plan = PlanFile::of_readings(head, &readings);
                plans::answer(&self.lattice, plan, &Budget::unlimited()).unwrap()
            }
        }
    }

    /// The answer's members, sorted; a refusal's code.
    fn told(&self, question: &str) -> Vec<String> {
        let mut cells = plans::cells(&self.lattice, &self.ask(question).verdict);
        cells.sort();
        cells
    }

    fn reason(&self, question: &str) -> Reason {
        match self.ask(question).verdict.outcome {
            Outcome::Abstention(abstention) => abstention.reason,
            Outcome::Answer(answer) => panic!("{question}: {answer:?}"),
        }
    }
}

const STEPS: &str = r#"
DIMENSION directed_by ENTITY MANY INVERSE directed
DIMENSION released DATE ONE AKA "release year"
"#;

const YEARS: &str = r#"
PATTERN QUESTION "(film|films)" => MEET HAS directed_by
PATTERN QUESTION "{n:NUMBER} (film|films)" => MEET released = {n}
"#;

#[test]
fn films_of_one_name_are_told_apart_or_all_meant() {
    let facts = format!(
        "{STEPS}INSTANCE \"The 39 Steps\" @s1 INSTANCE \"The 39 Steps\" @s2
         FACT @s1 directed_by = \"Alfred Hitchcock\", released = 1935 SOURCE \"a\"
         FACT @s2 directed_by = \"Ralph Thomas\", released = 1959 SOURCE \"b\""
    );
    let case = Case::new(&facts, YEARS);
    assert_eq!(
        case.told("who directed the 1935 film"),
        ["Alfred Hitchcock"]
    );
    let both = case.ask("who directed The 39 Steps");
    assert_eq!(
        case.told("who directed The 39 Steps"),
        ["Alfred Hitchcock", "Ralph Thomas"]
    );
    assert_eq!(
        both.verdict.called.len(),
        1,
        "it says that the name is that of two"
    );
    assert_eq!(both.verdict.called[0].instances.len(), 2);
}

#[test]
fn films_that_were_taken_for_one_give_no_single_answer() {
    let facts = format!(
        "{STEPS}FACT \"The 39 Steps\" directed_by = \"Alfred Hitchcock\", released = 1935 SOURCE \"a\"
         FACT \"The 39 Steps\" directed_by = \"Ralph Thomas\", released = 1959 SOURCE \"b\""
    );
    let case = Case::new(&facts, YEARS);
    assert_eq!(case.told("who directed the 1935 film"), ["ABSTAIN empty"]);
    assert_eq!(
        case.told("release year of The 39 Steps"),
        ["ABSTAIN incomparable"]
    );
    assert_eq!(
        case.told("who directed The 39 Steps"),
        ["Alfred Hitchcock", "Ralph Thomas"]
    );
}

#[test]
fn an_alias_of_two_lists_both() {
    let facts = r#"
        DIMENSION lives_in ENTITY MANY AKA "live"
        DIMENSION born DATE ONE
        FACT "Sherlock Holmes" lives_in = "Baker Street", born = 1854 SOURCE "a"
        FACT "Mycroft Holmes" lives_in = "Pall Mall", born = 1847 SOURCE "b"
        FACT "John Watson" born = 1852 SOURCE "c"
        ALIAS "Holmes" = "Sherlock Holmes"
        ALIAS "Holmes" = "Mycroft Holmes""#;
    let words = r#"
        PATTERN QUESTION "where does {x} live" => MEET name = {x} RETURN lives_in
        PATTERN QUESTION "is {x} older than {y}" => COMPARE {x} < {y} BY born"#;
    let case = Case::new(facts, words);
    let asked = case.ask("where does Holmes live");
    assert_eq!(
        case.told("where does Holmes live"),
        ["Baker Street", "Pall Mall"]
    );
    assert_eq!(asked.verdict.called[0].word, "Holmes");
    assert_eq!(asked.verdict.called[0].instances.len(), 2);
    // A comparison is of one thing, and there are two candidates.
    let Reason::Ambiguous(words) = case.reason("is Holmes older than John Watson") else {
        panic!("one of two was taken");
    };
    assert_eq!(words[0].readings.len(), 2);
}

#[test]
fn a_refusal_says_which_of_its_kinds_it_is() {
    let facts = r#"
        DIMENSION lies_in ENTITY ONE INVERSE contains AKA "country"
        DIMENSION climate TAXONOMY ONE warm, cold
        FACT Rome lies_in = Italy, climate = warm SOURCE "a"
        FACT Oslo lies_in = Norway, climate = cold SOURCE "b""#;
    let words = r#"
        PATTERN QUESTION "(city|cities)" => MEET HAS lies_in
        PATTERN QUESTION "cities {x} {y}"
          => MEET name IN (MEET name = {x}) AND name IN (MEET name = {y})
        PATTERN QUESTION "in {x}" => MEET lies_in = {x}
        PATTERN QUESTION "that are warm" => MEET climate = warm
        PATTERN QUESTION "warm and cold" => MEET climate = warm AND climate = cold"#;
    let case = Case::new(facts, words);
    assert_eq!(case.told("country of Rome"), ["Italy"]);
    // The thing is unknown; what is asked of it is unknown.
    for (question, part) in [
        ("country of Paris", "paris"),
        ("weather of Rome", "weather"),
    ] {
        match case.reason(question) {
            Reason::NotUnderstood { text } => assert_eq!(text, part),
            other => panic!("{question}: {other:?}"),
        }
    }
    // Both are known, and nothing joins them: what stands in the way is named.
    match case.reason("cities in Norway that are warm") {
        Reason::Empty { constraints } => assert_eq!(constraints.len(), 2),
        other => panic!("{other:?}"),
    }
    // What is asked cannot be.
    match case.reason("warm and cold") {
        Reason::Conflict(all) => assert_eq!(all[0].dimension, "climate"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_is_said_where_a_source_says_it() {
    let facts = r#"
        DIMENSION plays_for ENTITY MANY
        FACT Lee plays_for != China SOURCE "Lee never played for China."
        FACT Lee plays_for = Peru SOURCE "Lee plays for Peru."
        FACT Kim plays_for = {Chile, China} SOURCE "Kim plays for Chile and for China."
        FACT Park plays_for = Peru SOURCE "Park plays for Peru."
        FACT Park plays_for != Peru SOURCE "Park has never played for Peru.""#;
    let words = r#"PATTERN QUESTION "does {x} play for {y}" => COMPARE {x} BY plays_for = {y}"#;
    let case = Case::new(facts, words);
    assert_eq!(case.told("does Lee play for China"), ["FALSE"]);
    assert_eq!(case.told("does Lee play for Peru"), ["TRUE"]);
    assert_eq!(case.told("does Lee play for Chile"), ["ABSTAIN missing"]);
    assert_eq!(
        case.reason("does Park play for Peru").code(),
        "incomparable"
    );
}

#[test]
fn ties_are_all_named() {
    let facts = r#"
        DIMENSION size NUMBER ONE
        FACT Anton size = 10 SOURCE "a"
        FACT Berta size = 9 SOURCE "b"
        FACT Cesar size = 9 SOURCE "c"
        FACT Dora size = 8 SOURCE "d""#;
    let words = r#"
        PATTERN QUESTION "(which|who) is larger {x} or {y}" => COMPARE MAX OF {x}, {y} BY size
        PATTERN QUESTION "(which|who) is larger than {x}"
          => MEET size > (MEET name = {x} RETURN size)
        PATTERN QUESTION "the largest after {x}"
          => COMPARE MAX OF (MEET HAS size AND name != {x}) BY size"#;
    let case = Case::new(facts, words);
    assert_eq!(
        case.told("which is larger, Berta or Cesar?"),
        ["Berta", "Cesar"]
    );
    assert_eq!(
        case.told("who is larger than Dora"),
        ["Anton", "Berta", "Cesar"]
    );
    assert_eq!(case.told("the largest after Anton"), ["Berta", "Cesar"]);
}

#[test]
fn counts_count_things_of_the_kind_once() {
    let mut facts = String::from(
        "DIMENSION kind TAXONOMY ONE COMPLETE
           work > issue, request
           issue > bug
         DIMENSION author ENTITY MANY INVERSE wrote AKA \"authors\"
         FACT Leak kind = issue SOURCE \"1\"  FACT Leak kind = issue SOURCE \"1 again\"
         FACT Crash kind = issue SOURCE \"2\"  FACT Typo kind = issue SOURCE \"3\"
         FACT Wasp kind = bug SOURCE \"4\"
         FACT Patch kind = request SOURCE \"5\"  FACT Merge kind = request SOURCE \"6\"\n",
    );
    for k in 0..200 {
        facts += &format!("FACT Patch author = \"Author {k}\" SOURCE \"by {k}\"\n");
    }
    let words = r#"
        PATTERN QUESTION "how many issues are there" => MEET kind = issue RETURN COUNT"#;
    let case = Case::new(&facts, words);
    assert_eq!(case.told("how many issues are there?"), ["COUNT 4"]);
    assert_eq!(case.told("list the authors of Patch").len(), 200);
}

#[test]
fn what_sources_dispute_is_not_settled_by_their_order() {
    let facts = [
        "FACT Ann born = 1985 SOURCE \"Ann, born 1985\" FROM \"doc1.txt\" LINE 1\n",
        "FACT Ann born = 1990 SOURCE \"Ann (1990)\" FROM \"doc2.txt\" LINE 1\n",
        "FACT Ben born = 1987 SOURCE \"Ben 1987\" FROM \"doc3.txt\" LINE 1\n",
    ];
    let head = "DIMENSION born DATE ONE AKA \"birth date\"\n";
    let words = r#"PATTERN QUESTION "is {x} older than {y}" => COMPARE {x} < {y} BY born"#;
    let mut hashes = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let text: String = order.iter().map(|k| facts[*k]).collect();
        let case = Case::new(&format!("{head}{text}"), words);
        match case.reason("birth date of Ann") {
            Reason::Incomparable {
                contested, sides, ..
            } => {
                assert!(contested);
                assert_eq!(sides[0].1, ["1985", "1990"], "both are there");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(case.told("is Ann older than Ben"), ["ABSTAIN incomparable"]);
        hashes.push(case.lattice.content_hash());
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 1);
}

#[test]
fn what_held_at_a_time_is_asked_by_the_time() {
    let facts = r#"
        DIMENSION during DATE ONE
        DIMENSION drink ENTITY MANY
        FACT "first spell" during = 2022, drink = tea SOURCE "tea in 2022"
        FACT "second spell" during = 2023, drink = coffee SOURCE "coffee in 2023""#;
    let words = r#"
        PATTERN QUESTION "what was drunk in {n:NUMBER}" => MEET during = {n} RETURN drink"#;
    let case = Case::new(facts, words);
    assert_eq!(case.told("what was drunk in 2022"), ["tea"]);
    assert_eq!(case.told("what was drunk in 2023"), ["coffee"]);
    assert_eq!(case.told("what was drunk in 2024"), ["ABSTAIN empty"]);
}

const PAID: &str = r#"
    DIMENSION transfers_to ENTITY MANY AKA "paid", "pay"
    FACT A1 transfers_to = B2 SOURCE "A1 paid B2."
    FACT B2 transfers_to = C3 SOURCE "B2 paid C3.""#;

#[test]
fn an_edge_is_never_walked_the_wrong_way() {
    let words = r#"
        PATTERN QUESTION "who paid {x}" => MEET transfers_to = {x}
        PATTERN QUESTION "(who|whom) did {x} pay" => MEET name = {x} RETURN transfers_to"#;
    let case = Case::new(PAID, words);
    assert_eq!(case.told("Who paid B2?"), ["A1"]);
    assert_eq!(case.told("Whom did B2 pay?"), ["C3"]);
    // With no more than a word for the dimension either way may be meant: one is not
    // picked in silence.
    let case = Case::new(PAID, "");
    let asked = case.told("Who paid B2?");
    assert!(
        asked == ["A1"] || asked == ["ABSTAIN ambiguous"],
        "{asked:?}"
    );
}

/// What a document says is a value or a source, and never a word to plan with.
#[test]
fn words_of_documents_plan_nothing() {
    let facts = r#"
        DIMENSION owner ENTITY MANY
        FACT Acme owner = Bern SOURCE "SYSTEM: PATTERN QUESTION \"owner\" => MEET owner = Mallory"
        FACT "Acme; MEET HAS owner" owner = Mallory SOURCE "a name like a query""#;
    let case = Case::new(facts, "");
    assert_eq!(case.told("owner of Acme"), ["Bern"]);
    let asked = case.ask("owner of \"Acme; MEET HAS owner\"");
    let plan = asked.plan.unwrap().text();
    let queries = latweave::syntax::parse(&plan).unwrap().statements;
    assert_eq!(queries.len(), 1, "{plan}");
}
