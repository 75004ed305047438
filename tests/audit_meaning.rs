//! What queries mean, on small lattices, with expectations worked out by hand
//! from the language reference.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{lattice, query};
use latweave::audit::{AuditError, Facts, evaluate};
use latweave::lattice::Lattice;
use latweave::lattice::ValueId;
use latweave::syntax::tree::Operation;
use latweave::verdict::{Answer, Caveat, Members, Outcome, Reason, Verdict, Who, print_value};

fn verdict(lattice: &Lattice, text: &str) -> Verdict {
    let facts = Facts::read(lattice).unwrap();
    evaluate(&facts, lattice, &query(text)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn reason(lattice: &Lattice, text: &str) -> Reason {
    match verdict(lattice, text).outcome {
        Outcome::Abstention(abstention) => abstention.reason,
        Outcome::Answer(answer) => panic!("{text}: {answer:?}"),
    }
}

fn members(lattice: &Lattice, members: &Members) -> String {
    let list: Vec<String> = match members {
        Members::Instances(set) => set
            .iter()
            .map(|i| lattice.name(latweave::lattice::InstanceId(i)).to_owned())
            .collect(),
        Members::Values(d, set) => set
            .iter()
            .map(|v| print_value(lattice, &lattice.value(*d, ValueId(v))))
            .collect(),
        Members::Texts(set) => set.iter().cloned().collect(),
        Members::Interval(_, value) => vec![print_value(lattice, value)],
    };
    list.join(", ")
}

/// A verdict in a few words: members, `possibly` ones behind a bar, `*` where it
/// holds only as recorded; or the code of the reason.
fn says(lattice: &Lattice, text: &str) -> String {
    let star = |caveat: &Caveat| if caveat.as_recorded() { "*" } else { "" };
    match verdict(lattice, text).outcome {
        Outcome::Abstention(abstention) => abstention.reason.code().to_owned(),
        Outcome::Answer(Answer::Set(set)) => {
            let possibly = members(lattice, &Members::Instances(set.possibly.clone()));
            let bar = if possibly.is_empty() { "" } else { " | " };
            let list = members(lattice, &set.members);
            format!("{list}{bar}{possibly}{}", star(&set.caveat))
        }
        Outcome::Answer(Answer::Rows(rows)) => {
            let row = |row: &Vec<Option<latweave::lattice::Value>>| {
                let cells = row.iter().map(|cell| match cell {
                    Some(value) => print_value(lattice, value),
                    None => "-".to_owned(),
                });
                cells.collect::<Vec<_>>().join("/")
            };
            rows.rows.iter().map(row).collect::<Vec<_>>().join(", ")
        }
        Outcome::Answer(Answer::Count { count, .. }) => format!("#{count}"),
        Outcome::Answer(Answer::Truth { value, caveat }) => format!("{value}{}", star(&caveat)),
        Outcome::Answer(Answer::Order {
            word,
            join,
            meet,
            caveat,
            ..
        }) => {
            let list = |values: &[latweave::lattice::Value]| {
                let all = values.iter().map(|value| print_value(lattice, value));
                all.collect::<Vec<_>>().join(" ")
            };
            let (join, meet) = (list(&join), list(&meet));
            format!("{word:?} [{join}] [{meet}]{}", star(&caveat))
        }
    }
}

#[track_caller]
fn expect(lattice: &Lattice, cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(&says(lattice, text), wanted, "{text}");
    }
}

const ANIMALS: &str = r#"
DIMENSION species TAXONOMY ONE
  animal > mammal > whale, orca, dog, bat
  animal > bird, fish
DIMENSION habitat TAXONOMY MANY aquatic, terrestrial, amphibious
DIMENSION born DATE ONE AKA "date of birth"
SYNONYM "killer whale" = orca IN species
FACT "Moby Dick" species = whale, habitat = aquatic SOURCE "s1" FROM "d"
FACT Keiko species = orca, habitat = aquatic, born = 1976 SOURCE "s2" FROM "d"
FACT Rex species = dog, habitat = terrestrial, born = 1990-05-01 SOURCE "s3" FROM "d"
FACT Some species = mammal SOURCE "s4" FROM "d"
FACT Nemo species = fish, habitat = aquatic SOURCE "s5" FROM "d"
FACT Mute habitat = aquatic SOURCE "s6" FROM "d"
"#;

#[test]
fn values_and_what_lies_below_them() {
    let animals = lattice(ANIMALS);
    expect(
        &animals,
        &[
            ("MEET species = whale", "Moby Dick"),
            ("MEET species <= mammal", "Keiko, Moby Dick, Rex, Some"),
            ("MEET species < mammal", "Keiko, Moby Dick, Rex"),
            ("MEET species = \"Killer  Whale\"", "Keiko"),
            (
                "MEET species <= mammal AND habitat = aquatic",
                "Keiko, Moby Dick",
            ),
            // Recorded only as mammal is no certain hit; nothing recorded neither.
            ("MEET species != whale", "Keiko, Nemo, Rex"),
            ("MEET NOT species <= mammal", "Nemo"),
            (
                "MEET POSSIBLY species = whale",
                "Moby Dick, Mute, Some | Mute, Some",
            ),
            // A denied or undeclared habitat is possible in a MANY dimension.
            ("MEET habitat != aquatic", "empty"),
            ("MEET species IN {dog, fish}", "Nemo, Rex"),
            ("MEET HAS born", "Keiko, Rex"),
            ("MEET NOT HAS born", "empty"),
            ("MEET \"Date of Birth\" < 1980", "Keiko"),
            (
                "MEET species = animal RETURN habitat",
                "aquatic, terrestrial",
            ),
            (
                "MEET HAS species RETURN species, born",
                "dog/1990-05-01, fish/-, mammal/-, orca/1976, whale/-",
            ),
            ("MEET species = whale RETURN born", "missing"),
            ("MEET species = whale RETURN COUNT", "derived"),
            ("MEET name IN {Rex, Nemo} RETURN COUNT", "#2"),
            ("MEET name = Rex RETURN COUNT habitat", "derived"),
        ],
    );
}

#[test]
fn dates_are_intervals() {
    let animals = lattice(ANIMALS);
    expect(
        &animals,
        &[
            ("MEET born = 1990", "Rex"),
            ("MEET born = 1990-05", "Rex"),
            // 1976 as a whole is no day of it.
            ("MEET born = 1976-05-01", "empty"),
            ("MEET born < 1976", "empty"),
            ("MEET born <= 1976", "Keiko"),
            ("MEET born > 1976", "Rex"),
            ("MEET born >= 1976-05-01", "Rex"),
            ("MEET born IN 1970..1980", "Keiko"),
            ("MEET NOT born = 1976", "Rex"),
            ("MEET NOT born >= 1976-05-01", "empty"),
            (
                "MEET POSSIBLY born = 1976-05-01 AND HAS born",
                "Keiko | Keiko",
            ),
            ("COMPARE Keiko < Rex BY born", "true"),
            ("COMPARE Keiko = Rex BY born", "false"),
            ("COMPARE MAX OF Keiko, Rex BY born", "Rex"),
            // Someone without a recorded birth may be older.
            (
                "COMPARE MIN OF (MEET HAS born) BY born RETURN species",
                "orca*",
            ),
            ("COMPARE MIN OF Keiko, Nemo BY born", "missing"),
            ("COMPARE Keiko, Rex BY born", "Less [1976..1990-05-01] []"),
            ("COMPARE Keiko = Keiko BY born", "true*"),
            ("COMPARE Rex = Rex BY born", "true"),
            ("COMPARE Keiko < \"1976-03\" BY born", "incomparable"),
        ],
    );
}

#[test]
fn every_reason_to_abstain() {
    let animals = lattice(ANIMALS);
    expect(
        &animals,
        &[
            ("MEET colour = red", "unknown-dimension"),
            (
                "MEET colour = red AND species = unicorn",
                "unknown-dimension",
            ),
            ("MEET species = unicorn OR name = Nobody", "unknown-value"),
            ("MEET name = Nobody OR species > dog", "unknown-name"),
            ("MEET species > dog", "mismatch"),
            ("MEET species.born = 1900", "mismatch"),
            ("MEET born = dog", "mismatch"),
            ("COMPARE Keiko < Rex BY name", "mismatch"),
            ("COMPARE MAX OF Keiko, Rex BY species", "mismatch"),
            ("COMPARE Keiko = Mute BY born", "missing"),
            ("COMPARE Keiko = Some BY species", "incomparable"),
            ("MEET species = whale AND species = bird", "conflict"),
            ("MEET species < whale", "conflict"),
            (
                "MEET (species = dog AND species = bird) OR (species = fish AND species = bat)",
                "conflict",
            ),
            (
                "MEET (species = dog AND species = bird) OR species = fish",
                "Nemo",
            ),
            (
                "MEET POSSIBLY (species = dog AND species = bird) AND name = Rex",
                "empty",
            ),
            ("MEET born > 1990 AND born < 1980", "conflict"),
            ("MEET habitat = aquatic AND habitat = terrestrial", "empty"),
            ("ABSTAIN \"I cannot tell\"", "declined"),
        ],
    );
    let empty = Lattice::empty();
    expect(
        &empty,
        &[
            ("MEET a = b", "empty-lattice"),
            ("ABSTAIN \"no\"", "declined"),
        ],
    );
    match reason(
        &animals,
        "MEET habitat = terrestrial AND species = bird AND HAS born",
    ) {
        Reason::Empty { constraints } => {
            let told: Vec<(String, u64)> = constraints
                .into_iter()
                .map(|needed| (needed.constraint, needed.hits_without))
                .collect();
            assert_eq!(told, [("species = bird".to_owned(), 6)]);
        }
        other => panic!("{other:?}"),
    }
    let read = query("READ \"who?\" TOP 3");
    let facts = Facts::read(&animals).unwrap();
    assert!(matches!(
        evaluate(&facts, &animals, &read),
        Err(AuditError::Reading)
    ));
}

#[test]
fn a_contested_coordinate_serves_where_all_sides_agree() {
    let contested = lattice(
        r#"
DIMENSION species TAXONOMY ONE animal > mammal > whale, dog
  animal > bird
DIMENSION size NUMBER ONE
FACT X species = whale SOURCE "a" FROM "a"
FACT X species = bird SOURCE "b" FROM "b"
FACT Y species = mammal SOURCE "a" FROM "a"
FACT Y species = whale SOURCE "b" FROM "b"
FACT Z species = whale SOURCE "a" FROM "a"
FACT Z species != whale SOURCE "b" FROM "b"
FACT W species = animal SOURCE "a" FROM "a"
FACT W species != bird SOURCE "b" FROM "b"
FACT X size = 1..3, size = 2..5 SOURCE "a" FROM "a"
FACT Y size = 1, size = 2 SOURCE "a" FROM "a"
"#,
    );
    expect(
        &contested,
        &[
            ("MEET species = animal", "W, X, Y"),
            ("MEET species = whale", "Y"),
            ("MEET species = whale RETURN species", "whale"),
            // Every side of X excludes dog; a denial excludes what is below it.
            ("MEET species != dog", "X, Y"),
            ("MEET species != bird", "W, Y"),
            ("MEET species != whale", "empty"),
            ("MEET name = X RETURN species", "incomparable"),
            ("COMPARE X BY species = animal", "true"),
            ("COMPARE X BY species = dog", "false"),
            ("COMPARE X BY species = whale", "incomparable"),
            ("COMPARE W BY species = whale", "incomparable"),
            // The true size of X lies in 2..3; Y is contested.
            ("MEET size IN 2..3", "X"),
            ("MEET size = 2..3", "X"),
            ("MEET size > 3", "empty"),
            ("MEET NOT size > 3", "X, Y"),
            ("MEET size IN 1..2", "Y"),
            ("COMPARE X, 7 BY size", "Less [2..7] []"),
            ("COMPARE Y = Y BY size", "incomparable"),
        ],
    );
}

#[test]
fn many_values_and_one_range() {
    let many = lattice(
        r#"
DIMENSION year DATE MANY
DIMENSION score NUMBER MANY COMPLETE
FACT A year = 1900, year = 2000, score = 1, score = 9 SOURCE "a" FROM "a"
FACT B year = 1950, score = 5 SOURCE "a" FROM "a"
INSTANCE C
"#,
    );
    expect(
        &many,
        &[
            // One value must lie in the whole range.
            ("MEET year > 1940 AND year < 1960", "B"),
            ("MEET year IN 1940..1960", "B"),
            ("MEET (year > 1940) AND (year < 1960)", "B"),
            // Not so for separate conditions that are no bounds.
            ("MEET year IN {1900} AND year = 2000", "A"),
            ("MEET NOT year IN 1940..1960", "empty"),
            ("MEET NOT score IN 3..6", "A, C"),
            ("MEET NOT score > 3", "C"),
            ("MEET NOT HAS score", "C"),
            ("MEET score > 0 RETURN COUNT score", "#3"),
            ("MEET HAS score RETURN COUNT", "#2"),
            ("COMPARE A < B BY score", "incomparable"),
            ("COMPARE C < B BY score", "missing"),
            ("COMPARE MAX OF A, B BY score", "incomparable"),
            ("COMPARE MAX OF A, B BY COUNT score", "A"),
            ("COMPARE MIN OF A, B, C BY COUNT score", "C"),
            ("COMPARE MAX OF A, B BY COUNT year", "derived"),
            ("COMPARE B OVERLAPS A BY year", "false*"),
            ("COMPARE B OVERLAPS A BY score", "false"),
            ("COMPARE A = B BY score", "false"),
            ("COMPARE A = B BY year", "false*"),
        ],
    );
}

#[test]
fn a_sourced_denial_is_a_no_and_silence_is_none() {
    // babelscape/rebel #66: "Lee never played for China. Lee plays for Peru."
    let teams = lattice(
        r#"
DIMENSION plays_for ENTITY MANY INVERSE team_of
INSTANCE Chile
FACT Lee plays_for != China SOURCE "Lee never played for China." FROM "t"
FACT Lee plays_for = Peru SOURCE "Lee plays for Peru." FROM "t"
FACT Kim plays_for = Peru SOURCE "Kim plays for Peru." FROM "t"
FACT Kim plays_for != Peru SOURCE "Kim never did." FROM "u"
"#,
    );
    expect(
        &teams,
        &[
            ("COMPARE Lee BY plays_for = China", "false"),
            ("COMPARE Lee BY plays_for = Peru", "true"),
            ("COMPARE Lee BY plays_for = Chile", "missing"),
            ("COMPARE Kim BY plays_for = Peru", "incomparable"),
            ("MEET plays_for = Peru", "Lee"),
            ("MEET plays_for != China", "Lee"),
            ("MEET POSSIBLY plays_for = Peru AND HAS plays_for", "Lee"),
            ("MEET name = Kim RETURN plays_for", "incomparable"),
            ("MEET name IN {Kim, Lee} RETURN plays_for", "Peru"),
            ("MEET team_of = Lee", "Peru"),
            ("MEET NOT team_of = Lee", "China"),
        ],
    );
}

#[test]
fn within_a_relation() {
    let open = lattice(
        r#"
DIMENSION located_in ENTITY MANY
DIMENSION born_in ENTITY ONE WITHIN located_in
FACT Paris located_in = France SOURCE "a" FROM "a"
FACT France located_in = Europe CONFIDENCE 0.5 SOURCE "b" FROM "a"
FACT Peru located_in = America SOURCE "c" FROM "a"
FACT Ada born_in = Paris SOURCE "d" FROM "a"
FACT Lua born_in = Peru SOURCE "e" FROM "a"
FACT Eve born_in != France SOURCE "f" FROM "a"
"#,
    );
    expect(
        &open,
        &[
            ("MEET born_in = Europe", "Ada"),
            ("MEET born_in < France", "Ada"),
            ("MEET born_in = Europe CONFIDENCE >= 0.9", "empty"),
            ("MEET born_in = France CONFIDENCE >= 0.9", "Ada"),
            // Nobody says that nothing else lies in Europe.
            ("MEET born_in != Europe", "empty"),
            // A denial of France denies Paris.
            ("MEET born_in != Paris", "Eve"),
            ("MEET born_in = Europe AND born_in = America", "empty"),
            ("COMPARE Ada = Lua BY born_in", "incomparable"),
            ("COMPARE Ada, Lua BY born_in", "Incomparable [] []"),
        ],
    );
    let text = r#"
DIMENSION located_in ENTITY MANY COMPLETE
DIMENSION born_in ENTITY ONE WITHIN located_in
DIMENSION big TEXT ONE
FACT Paris located_in = France, big = yes SOURCE "a" FROM "a"
FACT France located_in = Europe SOURCE "b" FROM "a"
FACT Peru located_in = America, big = no SOURCE "c" FROM "a"
FACT Ada born_in = Paris SOURCE "d" FROM "a"
FACT Lua born_in = Peru SOURCE "e" FROM "a"
FACT Bea born_in = France SOURCE "f" FROM "a"
FACT Twi born_in = One SOURCE "g" FROM "a"
FACT One located_in = Two SOURCE "h" FROM "a"
FACT Two located_in = One SOURCE "i" FROM "a"
"#;
    let closed = lattice(text);
    expect(
        &closed,
        &[
            ("MEET born_in != Europe", "Lua, Twi"),
            ("MEET born_in = Europe AND born_in = America", "conflict"),
            ("MEET born_in = Two", "Twi"),
            // One and Two are equal, and nothing lies below them.
            ("MEET born_in < Two", "conflict"),
            ("COMPARE Ada = Lua BY born_in", "false"),
            ("COMPARE Ada < Bea BY born_in", "true"),
            ("COMPARE Ada, Bea BY born_in", "Less [France] [Paris]"),
            ("MEET born_in.big = yes", "Ada"),
            // Paris is as precise as it gets, France is not.
            ("MEET born_in.big != yes", "Lua"),
        ],
    );
}

#[test]
fn sets_in_sets() {
    let films = lattice(
        r#"
DIMENSION directed_by ENTITY MANY COMPLETE INVERSE directed
DIMENSION starring ENTITY MANY
DIMENSION year NUMBER ONE
FACT Jaws directed_by = Steven, starring = Roy, year = 1975 SOURCE "a" FROM "a"
FACT Duel directed_by = Steven, year = 1971 SOURCE "b" FROM "a"
FACT Alien directed_by = Ridley, starring = Sigourney, year = 1979 SOURCE "c" FROM "a"
FACT Twin directed_by = Ridley, starring = Roy SOURCE "d" FROM "a"
ALIAS Spielberg = Steven
"#,
    );
    expect(
        &films,
        &[
            ("MEET directed_by = Spielberg", "Duel, Jaws"),
            ("MEET directed_by IN (MEET directed = Jaws)", "Duel, Jaws"),
            (
                "LET roy = MEET starring = Roy; MEET name IN roy RETURN directed_by",
                "Ridley, Steven",
            ),
            (
                "MEET directed_by IN (MEET starring = Roy RETURN directed_by) AND name != Jaws",
                "Alien, Duel, Twin",
            ),
            (
                "MEET NOT directed_by IN (MEET name = Duel RETURN directed_by) AND HAS directed_by",
                "Alien, Twin",
            ),
            ("MEET year > (MEET name = Jaws RETURN year)", "Alien"),
            (
                "MEET year > (MEET directed_by = Steven RETURN year)",
                "ambiguous",
            ),
            ("MEET year > (MEET name = Twin RETURN year)", "empty"),
            (
                "MEET name = Twin OR year > (MEET name = Twin RETURN year)",
                "Twin",
            ),
            (
                "MEET directed_by IN (COMPARE MAX OF \"Alien\", \"Jaws\" BY year RETURN directed_by)",
                "Alien, Twin",
            ),
            (
                // Twin may have a year, and win.
                "MEET directed_by IN (COMPARE MAX OF (MEET HAS year) BY year RETURN directed_by)",
                "empty",
            ),
            (
                "MEET POSSIBLY directed_by IN (COMPARE MAX OF (MEET HAS year) BY year RETURN directed_by) AND year > 1975",
                "Alien | Alien",
            ),
            (
                "MEET name IN (MEET directed_by = Steven AND directed_by = Ridley)",
                "empty",
            ),
            (
                "COMPARE (MEET directed_by = Steven) <= (MEET HAS directed_by)",
                "true",
            ),
            ("COMPARE (MEET directed_by = Steven) = {Duel, Jaws}", "true"),
            (
                "COMPARE (MEET starring = Roy) OVERLAPS (MEET directed_by = Steven)",
                "true",
            ),
            (
                "COMPARE (MEET starring = Roy) = (MEET directed_by = Steven)",
                "false",
            ),
            (
                "COMPARE {Twin} OVERLAPS (MEET starring = Sigourney)",
                "false*",
            ),
            (
                "COMPARE (MEET HAS year) = (MEET HAS year RETURN year)",
                "mismatch",
            ),
            (
                "COMPARE (MEET name = Twin RETURN year) = {Jaws}",
                "mismatch",
            ),
            ("COMPARE (MEET starring = Steven) <= {Jaws}", "empty"),
            (
                "MEET HAS year RETURN directed_by, starring",
                "Ridley/Sigourney, Steven/-, Steven/Roy",
            ),
            (
                "MEET name = Jaws RETURN directed_by.name",
                "Spielberg, Steven",
            ),
            ("MEET HAS directed RETURN directed.year", "1971, 1975, 1979"),
        ],
    );
}

#[test]
fn names_and_operands() {
    let names = lattice(
        r#"
UNIT km = 1000 m
DIMENSION kind TAXONOMY ONE tool > hammer, saw
DIMENSION size NUMBER UNIT km ONE
DIMENSION owner ENTITY MANY
INSTANCE Bob @b1
INSTANCE Bob @b2
INSTANCE hammer
FACT hammer kind = saw SOURCE "odd" FROM "a"
FACT saw kind = saw, size = 2 SOURCE "fine" FROM "a"
FACT box size = 2000..3000, owner = @b1 SOURCE "fine" FROM "a"
FACT pen owner = @b2, size = 0.5 SOURCE "fine" FROM "a"
"#,
    );
    expect(
        &names,
        &[
            ("MEET owner = Bob", "box, pen"),
            ("MEET owner = @b1", "box"),
            ("MEET name = bob", "Bob, Bob"),
            ("COMPARE Bob = saw BY kind", "ambiguous"),
            ("COMPARE hammer = saw BY kind", "ambiguous"),
            ("COMPARE saw = tool BY kind", "incomparable"),
            ("COMPARE saw < tool BY kind", "true"),
            ("COMPARE saw = nothing BY kind", "unknown-name"),
            ("MEET size = 2000 m", "saw"),
            ("MEET size > 2500 m", "box"),
            ("MEET size = 2 kg", "mismatch"),
            ("COMPARE saw = 2000 m BY size", "true"),
            ("COMPARE saw, 500 m BY size", "Greater [0.5..2] []"),
        ],
    );
    let noted = verdict(&names, "MEET owner = Bob");
    assert_eq!(noted.called.len(), 1);
    assert_eq!(noted.called[0].word, "Bob");
    match reason(&names, "COMPARE hammer = saw BY kind") {
        Reason::Ambiguous(all) => {
            assert_eq!(all.len(), 1);
            assert!(
                all[0]
                    .readings
                    .contains(&Who::Value("hammer".into(), "kind".into()))
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn confidence_keeps_witnesses_and_loses_no_counter_evidence() {
    let lattice = lattice(
        r#"
DIMENSION kind TAXONOMY ONE a > b, c
DIMENSION tag TEXT MANY
FACT X kind = b SOURCE "s" FROM "1"
FACT X kind = c CONFIDENCE 0.2 SOURCE "t" FROM "2"
FACT Y kind = b CONFIDENCE 0.3 SOURCE "s" FROM "1"
FACT Y kind = b CONFIDENCE 0.8 SOURCE "t" FROM "2"
FACT Z tag != red CONFIDENCE 0.4 SOURCE "t" FROM "2"
"#,
    );
    expect(
        &lattice,
        &[
            // X stays contested although its counter-evidence is weak.
            ("MEET kind = b CONFIDENCE >= 0.9", "empty"),
            ("MEET kind = b", "Y"),
            ("MEET kind = b CONFIDENCE >= 0.8", "Y"),
            ("MEET kind = b CONFIDENCE >= 0.81", "empty"),
            ("MEET kind = a", "X, Y"),
            ("MEET kind = a CONFIDENCE >= 0.5", "Y"),
            ("MEET tag != red", "Z"),
            ("MEET tag != red CONFIDENCE >= 0.5", "empty"),
            // Not inherited by inner queries.
            ("MEET name IN (MEET tag != red) CONFIDENCE >= 0.9", "Z"),
        ],
    );
}

/// What a verdict says of the completion, in a few words; by the engine the same.
fn completed(lattice: &Lattice, text: &str) -> Vec<String> {
    let verdict = verdict(lattice, text);
    let by_engine = latweave::engine::answer(
        lattice,
        &query(text),
        &latweave::engine::Budget::unlimited(),
    );
    assert_eq!(by_engine.unwrap(), verdict, "{text}");
    verdict
        .completed
        .iter()
        .map(|told| {
            let sign = match told.operation {
                Operation::Meet => " & ",
                Operation::Join => " | ",
            };
            let members = told.members.iter().map(|v| print_value(lattice, v));
            let members = members.collect::<Vec<_>>().join(" ");
            format!("{}: {} [{members}]", told.dimension, told.of.join(sign))
        })
        .collect()
}

const CROSSED: &str = r#"
DIMENSION kind TAXONOMY ONE top, stone
  top > a, b, side
  a > x, y
  b > x, y
  x > low
  side > z
DIMENSION many TAXONOMY MANY
  a > x, y
  b > x, y
DIMENSION len NUMBER UNIT km ONE
DIMENSION day DATE ONE
DIMENSION tag TEXT ONE
DIMENSION friend ENTITY ONE
UNIT km = 1000 m
FACT Lo kind = low, len = 2..3, tag = red, friend = Hi SOURCE "s" FROM "d"
FACT Hi kind = a, len = 2.5, tag = red SOURCE "s" FROM "d"
FACT Zed kind = z, len = 7, friend = Lo SOURCE "s" FROM "d"
FACT Two many = x, many = y SOURCE "s" FROM "d"
FACT Torn kind = x, kind = z SOURCE "s" FROM "d"
INSTANCE b
FACT @b kind = b SOURCE "s" FROM "d"
INSTANCE y
FACT @y kind = z SOURCE "s" FROM "d"
"#;

#[test]
fn a_meet_that_no_value_is_says_so() {
    let lattice = lattice(CROSSED);
    let told = |text: &str| completed(&lattice, text);
    let none: [&str; 0] = [];
    let cut = "kind: kind = a & kind = b [x y]";
    assert_eq!(told("MEET kind = b AND kind = a"), [cut]);
    // Nested by AND it is one list; in an OR each branch is a list of its own.
    assert_eq!(told("MEET (kind = a AND HAS len) AND kind = b"), [cut]);
    assert_eq!(told("MEET (kind = a AND kind = b) OR tag = red"), [cut]);
    assert_eq!(told("MEET kind = a AND (kind = b OR tag = red)"), none);
    // Inner queries too, each once; and whatever comes of the query.
    assert_eq!(
        told("MEET friend IN (MEET kind = a AND kind = b) AND kind = a AND kind = b"),
        [cut]
    );
    assert_eq!(told("MEET kind = a AND kind = b AND len = 100"), [cut]);
    // Strictly below too; three of them. (Here all below `a` is below `b`: no meet is made.)
    assert_eq!(
        told("MEET kind < top AND kind = a AND kind <= b"),
        ["kind: kind < top & kind <= b & kind = a [x y]"]
    );
    assert_eq!(told("MEET kind < a AND kind <= b"), none);
    assert_eq!(
        told("MEET kind = a AND kind = b AND kind = top"),
        ["kind: kind = a & kind = b & kind = top [x y]"]
    );
    // Comparable values, a single meet, braces that say it, no list, no literal.
    for plain in [
        "MEET kind = a AND kind = top",
        "MEET kind = a AND kind < top",
        "MEET kind = x AND kind = b",
        "MEET kind IN {x, y} AND kind = a",
        "MEET kind IN {x, z} AND kind IN {x, z, low}",
        "MEET kind IN {a, side} AND kind IN {x, z}",
        "MEET kind IN {x, stone} AND kind IN {y, low, stone}",
        "MEET NOT (kind = a AND kind = b)",
        "MEET POSSIBLY (kind = a AND kind = b)",
        "MEET many = a AND many = b",
        "MEET kind = a AND kind = side",
    ] {
        assert_eq!(told(plain), none, "{plain}");
    }
    // Beside values that are single meets, all maximal ones are told.
    assert_eq!(
        told("MEET kind IN {a, z} AND kind IN {b, side}"),
        ["kind: kind IN {a, z} & kind IN {b, side} [x y z]"]
    );
}

#[test]
fn meets_and_joins_are_sets_of_values() {
    let lattice = lattice(CROSSED);
    expect(
        &lattice,
        &[
            ("COMPARE MEET OF a, @b BY kind", "x, y*"),
            ("COMPARE MEET OF a BY kind", "a"),
            ("COMPARE MEET OF a, top, x BY kind", "x"),
            ("COMPARE MEET OF a, side BY kind", "conflict"),
            ("COMPARE JOIN OF x, z BY kind", "top"),
            ("COMPARE JOIN OF low, \"y\" BY kind", "ambiguous"),
            ("COMPARE JOIN OF low, x BY kind", "x"),
            ("COMPARE JOIN OF a, stone BY kind", "incomparable"),
            // `b` is an instance too, and reads the same.
            ("COMPARE MEET OF a, b BY kind", "x, y*"),
            ("COMPARE MEET OF a, y BY kind", "ambiguous"),
            (
                "MEET kind IN (COMPARE MEET OF a, y BY kind) OR kind = a",
                "ambiguous",
            ),
            ("COMPARE MEET OF Torn, a BY kind", "incomparable"),
            ("COMPARE JOIN OF Two, a BY many", "incomparable"),
            ("COMPARE JOIN OF Two, Hi BY len", "missing"),
            ("COMPARE MEET OF 1..3, 2..5, 0..10 BY len", "2..3"),
            ("COMPARE MEET OF 1, 2 BY len", "conflict"),
            ("COMPARE JOIN OF 1, 2000 m BY len", "1..2"),
            ("COMPARE JOIN OF Lo, Hi BY len", "2..3*"),
            ("COMPARE MEET OF Lo, Hi BY len", "2.5*"),
            ("COMPARE JOIN OF 1914, 1915-06 BY day", "1914..1915-06"),
            // Flat orders: equal or nothing.
            ("COMPARE MEET OF Lo, Hi BY tag", "red"),
            ("COMPARE JOIN OF red, Lo BY tag", "red"),
            ("COMPARE MEET OF Lo, Zed BY friend", "conflict"),
            ("COMPARE JOIN OF Lo, Zed BY friend", "incomparable"),
            ("COMPARE MEET OF Zed BY friend.tag", "red"),
        ],
    );
    let members = |text: &str| says(&lattice, text);
    // The set names the element: what lies below its members lies below it.
    assert_eq!(
        members("MEET kind IN (COMPARE MEET OF a, top BY kind)"),
        "Hi, Lo"
    );
    assert_eq!(
        members("MEET kind IN (COMPARE JOIN OF x, \"low\" BY kind)"),
        "Lo"
    );
    assert_eq!(
        members("MEET len IN (COMPARE MEET OF 1..4, 2..5 BY len)"),
        "Hi, Lo"
    );
    assert_eq!(
        members("MEET len > (COMPARE MEET OF 1..4, 4..5 BY len)"),
        "Zed"
    );
    assert_eq!(
        members("MEET len >= (COMPARE JOIN OF 1, 2.5 BY len)"),
        "Hi, Zed"
    );
    assert_eq!(
        members("COMPARE (COMPARE JOIN OF 1, 2 BY len) = (COMPARE JOIN OF 2, 1..1.5 BY len)"),
        "true"
    );
    assert_eq!(
        members("COMPARE (COMPARE JOIN OF 1, 2 BY len) OVERLAPS (MEET HAS tag RETURN len)"),
        "false*"
    );
    assert_eq!(
        members("COMPARE (COMPARE JOIN OF 2, 3 BY len) <= (MEET HAS tag RETURN len)"),
        "true"
    );
    // An operand that could be more specific decides nothing for certain.
    assert_eq!(
        members("MEET kind IN (COMPARE JOIN OF Hi, x BY kind)"),
        "empty"
    );
    assert_eq!(
        members("MEET kind IN (COMPARE JOIN OF Lo, x BY kind)"),
        "Lo"
    );
    // No meet: no member, and each is excluded.
    assert_eq!(
        members("MEET kind IN (COMPARE MEET OF a, z BY kind)"),
        "empty"
    );
    assert_eq!(
        members("MEET HAS tag AND NOT kind IN (COMPARE MEET OF a, z BY kind)"),
        "Hi, Lo"
    );
    // A join with nothing above is the whole query's reason.
    assert_eq!(
        members("MEET kind IN (COMPARE JOIN OF a, stone BY kind)"),
        "incomparable"
    );
    assert_eq!(
        completed(
            &lattice,
            "MEET kind IN (COMPARE JOIN OF x, \"y\", Lo BY kind) OR HAS tag"
        ),
        [""; 0]
    );
}

/// Engine and checker once read these differently.
#[test]
fn what_compare_reads() {
    let lattice = lattice(
        r#"
DIMENSION part ENTITY MANY COMPLETE
DIMENSION inside ENTITY MANY
DIMENSION knows ENTITY ONE WITHIN inside
DIMENSION kind TAXONOMY ONE thing > animal
DIMENSION mass NUMBER ONE COMPLETE
DIMENSION size NUMBER ONE
DIMENSION known DATE
FACT Ann knows = Bob SOURCE "a" FROM "a"
FACT Ann knows != Bob SOURCE "b" FROM "a"
FACT Bob kind = animal SOURCE "c" FROM "a"
FACT Cy knows = Bob SOURCE "d" FROM "a"
FACT Box part = Cog, part = Rod SOURCE "e" FROM "a"
FACT Bag part = Cog SOURCE "e" FROM "a"
FACT Cog mass = 2..4 SOURCE "f" FROM "a"
FACT Cog mass = -1..2 SOURCE "g" FROM "a"
FACT Rod mass = 3 SOURCE "h" FROM "a"
FACT Old size = 1, known = 1914 SOURCE "i" FROM "a"
FACT New size = 1 SOURCE "j" FROM "a"
FACT Tiny size = 0.5 SOURCE "k" FROM "a"
"#,
    );
    expect(
        &lattice,
        &[
            // A denied value of a ONE step is contested, over an open order too: it
            // is followed, and decides nothing.
            ("COMPARE Ann, Cy BY knows.kind", "incomparable"),
            ("COMPARE Ann = Cy BY knows.kind", "incomparable"),
            // What two sources say of one number is what they have in common, at
            // the end of a path as well.
            ("COMPARE Bag = 2 BY part.mass", "true"),
            ("COMPARE Bag < Rod BY part.mass", "missing"),
            ("COMPARE Bag < 3 BY part.mass", "true"),
            ("COMPARE MAX OF Bag, Box BY part.mass", "incomparable"),
            ("COMPARE MAX OF Bag, Box BY COUNT part.mass", "Box"),
            ("COMPARE Cog, Rod BY COUNT mass", "Equal [1] [1]"),
            // Any two instances have numbers of values.
            ("COMPARE Bag < Box BY COUNT part", "true"),
            ("COMPARE Bag, Box BY COUNT part", "Less [1..2] []"),
            ("COMPARE Bag = Box BY COUNT inside", "derived"),
            ("COMPARE Bag = Cy BY COUNT part", "false"),
            ("COMPARE Bag = 1 BY COUNT part", "unknown-name"),
            // Whoever would tie with the winner would win as well; who is smaller
            // would not.
            (
                "COMPARE MAX OF (MEET HAS known AND name IN {Old, New}) BY size",
                "Old*",
            ),
            (
                "COMPARE MAX OF (MEET HAS known AND name IN {Old, Tiny}) BY size",
                "Old",
            ),
            (
                "MEET name IN {New, Tiny} AND NOT name IN (COMPARE MAX OF (MEET HAS known) BY size)",
                "Tiny",
            ),
        ],
    );
}

/// What a reading passes through may turn out to be something more specific.
#[test]
fn winners_are_certain_where_their_way_is_fixed() {
    let facts = r#"
DIMENSION part ENTITY MANY
DIMENSION knows ENTITY MANY COMPLETE WITHIN
DIMENSION size NUMBER ONE
FACT Ann knows = Bob, knows = Cy SOURCE "a" FROM "a"
FACT Cy size = 1 SOURCE "b" FROM "a"
"#;
    let winner = "MEET name IN (COMPARE MAX OF Ann BY knows.size)";
    let flat = lattice(&facts.replace(" WITHIN", ""));
    expect(&flat, &[(winner, "Ann")]);
    let open = lattice(&facts.replace("WITHIN", "WITHIN part"));
    // Bob may be part of Cy: then Ann knows Bob, whose size nobody told.
    expect(&open, &[(winner, "empty")]);
    let learnt = format!("{facts}FACT Bob part = Cy SOURCE \"c\" FROM \"a\"");
    let learnt = lattice(&learnt.replace("WITHIN", "WITHIN part"));
    expect(
        &learnt,
        &[
            ("COMPARE MAX OF Ann BY knows.size", "missing"),
            (winner, "empty"),
        ],
    );
}
