//! Certificates that have been altered: the checker accepts one only if it is,
//! byte for byte, the one it would write itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use latweave::audit::{Facts, Refused, certificate, check};
use latweave::lattice::Lattice;

const KNOWLEDGE: &str = r#"
UNIT km = 1000 m
DIMENSION species TAXONOMY ONE
  animal > mammal > whale, bat, dog
  animal > bird
  flyer > bat, gull
  bird > gull
  mammal > colugo
  flyer > colugo
DIMENSION habitat TAXONOMY MANY aquatic, terrestrial
DIMENSION located_in ENTITY MANY COMPLETE
DIMENSION lives ENTITY ONE WITHIN located_in
DIMENSION eats ENTITY MANY COMPLETE INVERSE eaten_by
DIMENSION size NUMBER UNIT km ONE
DIMENSION born DATE ONE
DIMENSION tag TEXT MANY
INSTANCE "Bob" @b1
INSTANCE "Bob" @b2
ALIAS "Mobby" = "Moby Dick"
FACT "Moby Dick" species = whale, habitat = aquatic, size = 20 CONFIDENCE 0.9 SOURCE "a white whale" FROM "moby" AT 0..13 LINE 1
FACT "Moby Dick" species = mammal SOURCE "it gives milk \"\\ \u{e9}" FROM "school"
FACT Bat species = bat, habitat = terrestrial, size = 0.001..0.002 SOURCE "a bat" FROM "school"
FACT Odd species = whale SOURCE "whale, they say" FROM "a"
FACT Odd species = bird SOURCE "bird, they say" FROM "b"
FACT Bat species != whale SOURCE "no whale" FROM "school"
FACT Sea located_in = Earth SOURCE "sea on earth" FROM "geo"
FACT "Moby Dick" lives = Sea SOURCE "sails the sea" FROM "moby"
FACT "Moby Dick" eats = @b1, born = 1851 SOURCE "eats Bob" FROM "moby" LINE 7
FACT Bat eats = @b2, born = 1851-10 SOURCE "bites Bob" FROM "moby"
FACT Bat tag = "night", tag = "wing" SOURCE "tags" FROM "t"
"#;

const QUERIES: [&str; 22] = [
    "MEET species <= mammal",
    "MEET species = animal AND NOT species = bird AND POSSIBLY habitat = aquatic",
    "MEET lives = Earth RETURN size",
    "MEET eats = Bob RETURN name, eats.name, habitat",
    "MEET NOT eats = Bob",
    "MEET species IN {whale, bird} OR tag = night",
    "MEET size > 0.0001 AND size < 30000 m AND born = 1851",
    "MEET eats IN (MEET eaten_by.species = bat) RETURN species",
    "MEET name IN {Bat, Mobby} RETURN COUNT eats",
    "MEET species = whale AND species = bird",
    "MEET habitat = aquatic AND habitat = terrestrial",
    "MEET species = unicorn",
    "COMPARE \"Moby Dick\" > Bat BY size",
    "COMPARE MAX OF (MEET HAS size) BY size RETURN species",
    "COMPARE \"Moby Dick\", Bat BY species",
    "MEET species = mammal AND species <= flyer",
    "COMPARE JOIN OF bat, colugo BY species",
    "COMPARE JOIN OF \"Moby Dick\", bird BY species",
    "MEET size IN (COMPARE JOIN OF Bat, \"Moby Dick\", 0..1 BY size)",
    "COMPARE Odd BY species = animal",
    "COMPARE (MEET species <= mammal) <= (MEET HAS species)",
    "ABSTAIN \"no idea\"",
];

fn made(lattice: &Lattice, query: &str) -> Vec<u8> {
    let facts = Facts::read(lattice).unwrap();
    let mut bytes = Vec::new();
    certificate(&facts, lattice, &common::query(query), &mut bytes).unwrap();
    bytes
}

/// With the digest that the altered bytes would have.
fn with_new_digest(bytes: &[u8]) -> Option<Vec<u8>> {
    let marker = b",\"digest\"";
    let at = bytes
        .windows(marker.len())
        .rposition(|window| window == marker)?;
    let digest = blake3::hash(&bytes[..at]);
    let mut altered = bytes[..at].to_vec();
    altered.extend(format!(",\"digest\":\"b3:{digest}\"}}\n").bytes());
    Some(altered)
}

fn refused(lattice: &Lattice, original: &[u8], altered: &[u8]) {
    for candidate in [Some(altered.to_vec()), with_new_digest(altered)] {
        let Some(candidate) = candidate else { continue };
        match check(lattice, candidate.as_slice()) {
            Ok(_) => assert_eq!(
                String::from_utf8_lossy(&candidate),
                String::from_utf8_lossy(original),
                "accepted though altered"
            ),
            Err(refusal) => assert!(refusal.to_string().len() > 20, "{refusal:?}"),
        }
    }
}

/// A JSON text as it stands: keys in their order, atoms as written.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Atom(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn read(text: &[u8], at: &mut usize) -> Json {
        match text[*at] {
            b'[' => {
                let mut list = Vec::new();
                *at += 1;
                while text[*at] != b']' {
                    list.push(Json::read(text, at));
                    *at += usize::from(text[*at] == b',');
                }
                *at += 1;
                Json::Array(list)
            }
            b'{' => {
                let mut pairs = Vec::new();
                *at += 1;
                while text[*at] != b'}' {
                    let key = atom(text, at);
                    *at += 1;
                    pairs.push((key, Json::read(text, at)));
                    *at += usize::from(text[*at] == b',');
                }
                *at += 1;
                Json::Object(pairs)
            }
            _ => Json::Atom(atom(text, at)),
        }
    }

    fn write(&self) -> String {
        match self {
            Json::Atom(text) => text.clone(),
            Json::Array(list) => {
                let list: Vec<String> = list.iter().map(Json::write).collect();
                format!("[{}]", list.join(","))
            }
            Json::Object(pairs) => {
                let pairs: Vec<String> = pairs
                    .iter()
                    .map(|(key, value)| format!("{key}:{}", value.write()))
                    .collect();
                format!("{{{}}}", pairs.join(","))
            }
        }
    }
}

fn atom(text: &[u8], at: &mut usize) -> String {
    let start = *at;
    let quoted = text[start] == b'"';
    loop {
        match text[*at] {
            b'\\' => *at += 1,
            b'"' if quoted && *at > start => {
                *at += 1;
                break;
            }
            b',' | b'}' | b']' if !quoted => break,
            _ => {}
        }
        *at += 1;
    }
    String::from_utf8(text[start..*at].to_vec()).unwrap()
}

/// Every way in which one place of a JSON text is changed.
fn mutants(json: &Json) -> Vec<Json> {
    match json {
        Json::Atom(text) => atoms(text).into_iter().map(Json::Atom).collect(),
        Json::Array(list) => {
            let mut all: Vec<Json> = changed_lists(list).into_iter().map(Json::Array).collect();
            for (k, item) in list.iter().enumerate() {
                for mutant in mutants(item) {
                    let mut altered = list.clone();
                    altered[k] = mutant;
                    all.push(Json::Array(altered));
                }
            }
            all
        }
        Json::Object(pairs) => {
            let mut all: Vec<Json> = changed_lists(pairs).into_iter().map(Json::Object).collect();
            for (k, (key, value)) in pairs.iter().enumerate() {
                let mut renamed = pairs.clone();
                renamed[k].0 = format!("\"x{}", &key[1..]);
                all.push(Json::Object(renamed));
                for mutant in mutants(value) {
                    let mut altered = pairs.clone();
                    altered[k].1 = mutant;
                    all.push(Json::Object(altered));
                }
            }
            all
        }
    }
}

fn atoms(text: &str) -> Vec<String> {
    let mut all = vec!["null".to_owned(), "0".to_owned(), "[]".to_owned()];
    if let Some(inner) = text.strip_prefix('"') {
        let inner = inner.strip_suffix('"').unwrap();
        all.push("\"\"".to_owned());
        all.push(format!("\"{inner} \""));
        all.push(format!("\"{}\"", inner.to_uppercase()));
        all.push(format!("\"{}\"", inner.replacen('e', "\\u0065", 1)));
    } else {
        all.push(format!("\"{text}\""));
        all.push(format!("{text}0"));
        all.push(format!("{text}.0"));
        all.push(format!(" {text}"));
    }
    all
}

/// One left out, one doubled, two swapped.
fn changed_lists<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for k in 0..list.len() {
        let mut without = list.to_vec();
        let one = without.remove(k);
        all.push(without);
        let mut doubled = list.to_vec();
        doubled.insert(k, one);
        all.push(doubled);
        if k > 0 {
            let mut swapped = list.to_vec();
            swapped.swap(k - 1, k);
            all.push(swapped);
        }
    }
    all
}

#[test]
fn what_was_written_is_accepted() {
    let lattice = common::lattice(KNOWLEDGE);
    for query in QUERIES {
        let bytes = made(&lattice, query);
        let checked = check(&lattice, bytes.as_slice()).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(checked.bytes, bytes.len() as u64);
    }
}

#[test]
fn every_changed_value_is_refused() {
    let lattice = common::lattice(KNOWLEDGE);
    for query in QUERIES {
        let bytes = made(&lattice, query);
        let json = Json::read(&bytes, &mut 0);
        assert_eq!(json.write() + "\n", String::from_utf8_lossy(&bytes));
        let mutants = mutants(&json);
        // Large certificates have thousands: a fixed share of them is tried.
        let step = mutants.len() / 300 + 1;
        for mutant in mutants.iter().step_by(step) {
            let altered = mutant.write() + "\n";
            refused(&lattice, &bytes, altered.as_bytes());
        }
    }
}

#[test]
fn every_changed_byte_is_refused() {
    let lattice = common::lattice(KNOWLEDGE);
    for query in ["COMPARE Odd BY species = animal", "MEET species = unicorn"] {
        let bytes = made(&lattice, query);
        for at in 0..bytes.len() {
            for flip in [0x01, 0x20, 0x80] {
                let mut altered = bytes.clone();
                altered[at] ^= flip;
                refused(&lattice, &bytes, &altered);
            }
            let mut shorter = bytes.clone();
            shorter.remove(at);
            refused(&lattice, &bytes, &shorter);
            let mut spaced = bytes.clone();
            spaced.insert(at, b' ');
            refused(&lattice, &bytes, &spaced);
            refused(&lattice, &bytes, &bytes[..at]);
        }
        for more in [" ", "\n", "{}", "\0"] {
            let mut longer = bytes.clone();
            longer.extend(more.bytes());
            assert!(matches!(
                check(&lattice, longer.as_slice()),
                Err(Refused::GoesOn { .. })
            ));
        }
    }
}

#[test]
fn a_certificate_of_another_plan_is_another_certificate() {
    let lattice = common::lattice(KNOWLEDGE);
    let all: Vec<Vec<u8>> = QUERIES.iter().map(|query| made(&lattice, query)).collect();
    for (a, from) in all.iter().zip(QUERIES) {
        for to in QUERIES {
            let (from, to) = [from, to]
                .map(|text| latweave::syntax::print_query(&common::query(text)))
                .into();
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            let text = String::from_utf8_lossy(a).replace(&quoted(&from), &quoted(&to));
            if text.as_bytes() != a.as_slice() {
                refused(&lattice, a, text.as_bytes());
            }
        }
    }
}

#[test]
fn each_refusal_has_its_own_sentence() {
    let lattice = common::lattice(KNOWLEDGE);
    let bytes = made(&lattice, "MEET species <= mammal");
    let text = String::from_utf8(bytes).unwrap();
    let says = |altered: &str| check(&lattice, altered.as_bytes()).unwrap_err().to_string();
    assert!(says("").starts_with("this is no certificate"));
    assert!(says("{\"certificates\":1}").starts_with("this is no certificate"));
    assert!(says("[1,2]").starts_with("this is no certificate"));
    assert!(says(&text.replacen("\":1", "\":2", 1)).contains("version 2"));
    assert!(says(&text.replacen(",\"plan\"", ",\"plam\"", 1)).contains("damaged at byte"));
    assert!(says("{\"certificate\":1,\"lattice\":\"b3:").contains("within a text in quotes"));
    let other = common::lattice("DIMENSION species TAXONOMY mammal\nINSTANCE a");
    assert!(
        check(&other, text.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("is about the lattice")
    );
    let plan = "\"plan\":\"MEET species <= mammal\"";
    assert!(text.contains(plan));
    let with_plan = |new: &str| text.replacen(plan, &format!("\"plan\":{new}"), 1);
    assert!(says(&with_plan("\"MEET\"")).contains("is not a query"));
    assert!(says(&with_plan("\"MEET species  <=  mammal\"")).contains("canonical form"));
    assert!(says(&with_plan("\"MEET species IN $x\"")).contains("is not a query"));
    assert!(says(&with_plan("\"READ \\\"who?\\\" TOP 5\"")).contains("cannot be checked"));
    let deep = format!("\"MEET {}a = b{}\"", "(".repeat(5000), ")".repeat(5000));
    assert!(says(&with_plan(&deep)).contains("is not a query"));
    let long = format!("\"MEET {}name = b\"", "lives.".repeat(5000));
    assert!(says(&with_plan(&long)).contains("steps"));
    assert!(says(&with_plan("\"\\ud800\"")).contains("damaged"));
    let denied = text.replacen("\"name\":\"Bat\"", "\"name\":\"Rat\"", 1);
    let refusal = says(&denied);
    assert!(refusal.contains("/steps/0/hits/0/name"), "{refusal}");
    assert!(
        refusal.contains("Rat") && refusal.contains("Bat"),
        "{refusal}"
    );
    assert!(says(&text[..text.len() - 30]).contains("ends at byte"));
}
