//! Random small lattices and queries, as LQ text, for tests that compare.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use latweave::lattice::{Builder, Lattice};
use latweave::load::{Options, Report, Silent, lq};
use latweave::syntax;
use std::fmt::Write;
use std::path::Path;

/// A source of choices, the same on every machine: bytes as long as there are some,
/// then the last of the choices; or, without bytes, a seed (xorshift64*).
pub struct Dice(Source);

enum Source {
    Seed(u64),
    Bytes(std::vec::IntoIter<u8>),
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(Source::Seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1))
    }
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Dice(Source::Bytes(bytes.into_iter()))
    }
    pub fn roll(&mut self, sides: usize) -> usize {
        let sides = sides.max(1);
        match &mut self.0 {
            Source::Seed(state) => {
                *state ^= *state >> 12;
                *state ^= *state << 25;
                *state ^= *state >> 27;
                (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
            }
            Source::Bytes(bytes) => bytes.next().map_or(sides - 1, |b| usize::from(b) % sides),
        }
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.roll(list.len())]
    }
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for k in (1..list.len()).rev() {
            list.swap(k, self.roll(k + 1));
        }
    }
}

/// What a random lattice is about.
pub struct World {
    /// Declarations, in an order that they need.
    pub declarations: Vec<String>,
    /// Facts, in any order.
    pub facts: Vec<String>,
}

impl World {
    pub fn text(&self) -> String {
        let mut text = self.declarations.join("\n");
        text.push('\n');
        text.push_str(&self.facts.join("\n"));
        text.push('\n');
        text
    }
}

const VALUES: [&str; 7] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6"];
const NAMES: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];

fn flags(dice: &mut Dice) -> String {
    let mut text = String::from(if dice.chance(50) { "ONE" } else { "MANY" });
    if dice.chance(35) {
        text.push_str(" COMPLETE");
    }
    text
}

pub fn world(dice: &mut Dice) -> World {
    let mut declarations = vec!["UNIT m = 1 m\nUNIT km = 1000 m".to_owned()];
    let mut taxonomy = format!(
        "DIMENSION tax TAXONOMY {}\n  t0, t1, t2, t3, t4, t5, t6",
        flags(dice)
    );
    // In many worlds t0 and t1 are both above t2 and t3, and neither pair has a bound of
    // its own: a meet and a join that only the completion has.
    let crossed = dice.chance(60);
    for low in 1..VALUES.len() {
        for high in 0..low {
            let edge = match (crossed, high, low) {
                (true, 0, 1) | (true, 2, 3) => false,
                (true, 0 | 1, 2 | 3) => true,
                (true, ..) => dice.chance(15),
                (false, ..) => dice.chance(30),
            };
            if edge {
                write!(taxonomy, "\n  t{high} > t{low}").unwrap();
            }
        }
    }
    declarations.push(taxonomy);
    declarations.push(format!("DIMENSION num NUMBER UNIT m {}", flags(dice)));
    declarations.push(format!("DIMENSION far NUMBER UNIT km {}", flags(dice)));
    declarations.push(format!("DIMENSION day DATE {}", flags(dice)));
    declarations.push(format!("DIMENSION txt TEXT {}", flags(dice)));
    declarations.push(format!("DIMENSION rel ENTITY {}", flags(dice)));
    declarations.push(format!(
        "DIMENSION pair ENTITY {} INVERSE riap",
        flags(dice)
    ));
    let part = flags(dice);
    let inside = if dice.chance(50) { " WITHIN part" } else { "" };
    declarations.push(format!("DIMENSION part ENTITY {part}{inside}"));
    declarations.push(format!("DIMENSION loc ENTITY {} WITHIN part", flags(dice)));
    if dice.chance(30) {
        declarations.push("SYNONYM tee = t1 IN tax".to_owned());
    }
    for name in NAMES {
        declarations.push(format!("INSTANCE {name}"));
    }
    if dice.chance(40) {
        declarations.push("INSTANCE A @a2".to_owned());
    }
    if dice.chance(40) {
        declarations.push("ALIAS Ay = B".to_owned());
    }
    let count = 4 + dice.roll(22);
    let facts = (0..count).map(|k| fact(dice, k)).collect();
    World {
        declarations,
        facts,
    }
}

fn fact(dice: &mut Dice, k: usize) -> String {
    let subject = name(dice);
    let dimension = *dice.pick(&[
        "tax", "tax", "num", "far", "day", "txt", "rel", "pair", "part", "part", "loc",
    ]);
    let operator = if dice.chance(15) { "!=" } else { "=" };
    let value = value(dice, dimension);
    let confidence = if dice.chance(20) {
        " CONFIDENCE 0.5"
    } else {
        ""
    };
    let source = if dice.chance(50) { k } else { dice.roll(3) };
    format!(
        "FACT {subject} {dimension} {operator} {value}{confidence} SOURCE \"s{source}\" FROM \"d{}\"",
        dice.roll(2)
    )
}

/// An instance that has one meaning in facts.
fn name(dice: &mut Dice) -> String {
    match *dice.pick(&NAMES) {
        "A" => "@A".to_owned(),
        other => other.to_owned(),
    }
}

fn number(dice: &mut Dice) -> String {
    (dice.roll(6) as i32 - 1).to_string()
}

fn value(dice: &mut Dice, dimension: &str) -> String {
    match dimension {
        "tax" => dice.pick(&VALUES).to_string(),
        "num" | "far" if dice.chance(30) => {
            let low = dice.roll(5);
            format!("{low}..{}", low + dice.roll(3))
        }
        "num" | "far" => number(dice),
        "day" => dice
            .pick(&[
                "1914",
                "1914-03",
                "1914-03-05",
                "1915",
                "1915-01-01",
                "1914-02..1915-03",
                "1916",
            ])
            .to_string(),
        "txt" => dice.pick(&["\"x\"", "\"y\"", "\"z\""]).to_string(),
        _ => name(dice),
    }
}

const DIMENSIONS: [&str; 9] = [
    "tax", "num", "far", "day", "txt", "rel", "pair", "part", "loc",
];
const STEPS: [&str; 5] = ["rel", "pair", "riap", "part", "loc"];

fn path(dice: &mut Dice) -> (String, &'static str) {
    let mut steps: Vec<&str> = Vec::new();
    while dice.chance(25) && steps.len() < 2 {
        steps.push(*dice.pick(&STEPS));
    }
    let last = *dice.pick(&DIMENSIONS);
    steps.push(last);
    (steps.join("."), last)
}

/// A random canonicalisable query.
pub fn query(dice: &mut Dice) -> String {
    match dice.roll(10) {
        0..=6 => meet(dice, 2, true),
        _ => compare(dice),
    }
}

pub fn meet(dice: &mut Dice, depth: usize, outermost: bool) -> String {
    let mut text = format!("MEET {}", condition(dice, depth, 0));
    if dice.chance(12) {
        text.push_str(" CONFIDENCE >= 0.8");
    }
    if outermost && dice.chance(12) {
        text.push_str(" RETURN COUNT");
        if dice.chance(50) {
            write!(text, " {}", path(dice).0).unwrap();
        }
    } else if outermost && dice.chance(12) {
        let (a, b) = (path(dice).0, path(dice).0);
        write!(text, " RETURN {a}, {b}").unwrap();
    } else if dice.chance(35) {
        write!(text, " RETURN {}", path(dice).0).unwrap();
        if dice.chance(8) {
            text = format!("MEET {} RETURN rel.name", condition(dice, depth, 0));
        }
    }
    text
}

pub fn condition(dice: &mut Dice, depth: usize, nested: usize) -> String {
    if nested < 2 && dice.chance(45) {
        let word = if dice.chance(70) { "AND" } else { "OR" };
        let list: Vec<String> = (0..2 + dice.roll(2))
            .map(|_| {
                let inner = condition(dice, depth, nested + 1);
                if inner.contains(" AND ") || inner.contains(" OR ") {
                    format!("({inner})")
                } else {
                    inner
                }
            })
            .collect();
        return list.join(&format!(" {word} "));
    }
    match dice.roll(12) {
        0 => format!("NOT ({})", condition(dice, depth, 2)),
        1 => format!("POSSIBLY ({})", condition(dice, depth, 2)),
        2 => format!("HAS {}", path(dice).0),
        3 => match dice.roll(4) {
            0 => format!("name = {}", dice.pick(&NAMES)),
            1 => format!("name != {}", dice.pick(&NAMES)),
            2 => format!("name IN {{{}, {}}}", dice.pick(&NAMES), dice.pick(&NAMES)),
            _ if depth > 0 => format!("name IN ({})", set(dice, depth - 1, "rel")),
            _ => "name = Ay".to_owned(),
        },
        _ if dice.chance(15) => together(dice),
        _ => test(dice, depth),
    }
}

fn test(dice: &mut Dice, depth: usize) -> String {
    let (path, last) = path(dice);
    let literal = |dice: &mut Dice| {
        if last == "num" && dice.chance(15) {
            return "0.001 km".to_owned();
        }
        match last {
            "rel" | "pair" | "part" | "loc" => dice.pick(&NAMES).to_string(),
            _ => value(dice, last),
        }
    };
    match dice.roll(10) {
        0 | 1 if depth > 0 => format!("{path} IN ({})", set(dice, depth - 1, last)),
        2 => {
            let (a, b) = (literal(dice), literal(dice));
            format!("{path} IN {{{a}, {b}}}")
        }
        3 if last == "num" => format!("{path} IN {}..{}", dice.roll(3), 2 + dice.roll(3)),
        3 if last == "day" => format!("{path} IN 1914..1915-06"),
        4..=6 if matches!(last, "num" | "far" | "day") => {
            let operator = *dice.pick(&["<", "<=", ">", ">="]);
            if depth > 0 && dice.chance(25) {
                return format!("{path} {operator} ({})", set(dice, depth - 1, last));
            }
            format!("{path} {operator} {}", literal(dice))
        }
        4 | 5 if matches!(last, "tax" | "loc" | "part") => {
            let operator = *dice.pick(&["<", "<="]);
            format!("{path} {operator} {}", literal(dice))
        }
        6 => format!("{path} != {}", literal(dice)),
        _ => format!("{path} = {}", literal(dice)),
    }
}

/// Several constraints on one ordered dimension, which are met before anything else.
fn together(dice: &mut Dice) -> String {
    let last = *dice.pick(&["tax", "tax", "tax", "loc", "part"]);
    let literal = |dice: &mut Dice| match last {
        "tax" if dice.chance(60) => dice.pick(&["t0", "t1"]).to_string(),
        "tax" => value(dice, last),
        _ => dice.pick(&NAMES).to_string(),
    };
    let list: Vec<String> = (0..2 + dice.roll(2))
        .map(|_| match dice.roll(8) {
            0 => format!("{last} < {}", literal(dice)),
            1 => format!("{last} <= {}", literal(dice)),
            2 => format!("{last} IN {{{}, {}}}", literal(dice), literal(dice)),
            _ => format!("{last} = {}", literal(dice)),
        })
        .collect();
    format!("({})", list.join(" AND "))
}

/// A query whose members can be values of a dimension.
fn set(dice: &mut Dice, depth: usize, last: &str) -> String {
    if dice.chance(8) {
        return format!("COMPARE MAX OF ({}) BY num", bare(dice, depth));
    }
    if dice.chance(30) && !matches!(last, "rel" | "pair" | "txt") {
        return bound_by(dice, last);
    }
    match last {
        "rel" | "pair" | "part" | "loc" if dice.chance(50) => bare(dice, depth),
        "rel" | "pair" | "part" | "loc" => {
            format!("{} RETURN {}", bare(dice, depth), dice.pick(&STEPS))
        }
        _ => format!("{} RETURN {last}", bare(dice, depth)),
    }
}

fn bare(dice: &mut Dice, depth: usize) -> String {
    format!("MEET {}", condition(dice, depth, 1))
}

fn compare(dice: &mut Dice) -> String {
    let (a, b) = (*dice.pick(&NAMES), *dice.pick(&NAMES));
    let (path, last) = path(dice);
    let relation = *dice.pick(&["=", "!=", "<", "<=", ">", ">=", "OVERLAPS"]);
    let ordered = *dice.pick(&["num", "far", "day", "rel.num", "part.day"]);
    match dice.roll(10) {
        8 | 9 => bound(dice),
        0 | 1 => format!("COMPARE {a} {relation} {b} BY {path}"),
        2 => format!("COMPARE {a}, {b} BY {path}"),
        3 => format!("COMPARE {} OF {a}, {b}, G BY {ordered}", extreme(dice)),
        4 => {
            let of = bare(dice, 1);
            let mut text = format!("COMPARE {} OF ({of}) BY {ordered}", extreme(dice));
            if dice.chance(40) {
                write!(text, " RETURN {}", path).unwrap();
            } else if dice.chance(30) {
                text = format!("COMPARE {} OF ({of}) BY COUNT {path}", extreme(dice));
            }
            text
        }
        5 => format!(
            "COMPARE ({}) {relation} ({})",
            set(dice, 1, last),
            set(dice, 1, last)
        ),
        6 if dice.chance(20) => {
            let wrong = *dice.pick(&["3 km", "3 kg", "1..2", "1914..1915"]);
            format!("COMPARE {a} {relation} {wrong} BY {last}")
        }
        6 => format!("COMPARE {a} {relation} {} BY {last}", value(dice, last)),
        _ => {
            if dice.chance(20) {
                format!("COMPARE {a} BY HAS {path}")
            } else {
                format!("COMPARE {a} BY {}", test(dice, 1))
            }
        }
    }
}

/// A meet or a join of values of one dimension, of instances, or of both.
fn bound(dice: &mut Dice) -> String {
    let by = match dice.chance(75) {
        true => *dice.pick(&["tax", "tax", "tax", "num", "far", "day", "loc", "txt"]),
        false => *dice.pick(&["rel.tax", "part.tax", "loc", "rel.num", "pair.loc", "part"]),
    };
    bound_by(dice, by)
}

fn bound_by(dice: &mut Dice, by: &str) -> String {
    let last = by.rsplit('.').next().unwrap_or(by);
    let operation = if dice.chance(55) { "MEET" } else { "JOIN" };
    let operands: Vec<String> = (0..1 + dice.roll(3))
        .map(|_| match last {
            "part" | "loc" | "rel" => dice.pick(&NAMES).to_string(),
            "far" if dice.chance(20) => "1500 m".to_owned(),
            _ if dice.chance(20) => dice.pick(&NAMES).to_string(),
            "tax" if dice.chance(60) => dice.pick(&["t0", "t1", "t2", "t3"]).to_string(),
            _ => value(dice, last),
        })
        .collect();
    format!("COMPARE {operation} OF {} BY {by}", operands.join(", "))
}

fn extreme(dice: &mut Dice) -> &'static str {
    if dice.chance(50) { "MAX" } else { "MIN" }
}

/// The lattice that a text describes.
pub fn build(text: &str) -> Lattice {
    try_build(text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The lattice that a text describes, or what is wrong with the text.
pub fn try_build(text: &str) -> Result<Lattice, String> {
    let tree = syntax::parse(text).map_err(|errors| {
        let texts: Vec<String> = errors
            .iter()
            .map(|e| e.render("test.lq", text, false))
            .collect();
        texts.join("\n")
    })?;
    let mut builder = Builder::new();
    let options = Options::default();
    let mut report = Report::default();
    let mut quiet = Silent;
    let mut context = lq::Context::new(
        "test.lq",
        text,
        Path::new("."),
        &options,
        &mut quiet,
        &mut report,
    );
    for statement in &tree.statements {
        lq::apply(&mut builder, statement, &mut context).map_err(|e| format!("{e:?}"))?;
    }
    builder.freeze().map_err(|e| e.to_string())
}

/// The canonical form of a query.
pub fn canonical(text: &str) -> syntax::tree::Query {
    let query = syntax::parse_query(text).unwrap_or_else(|errors| {
        let texts: Vec<String> = errors
            .iter()
            .map(|e| e.render("query", text, false))
            .collect();
        panic!("{text}\n{}", texts.join("\n"))
    });
    syntax::canonical(&query, &Default::default(), &Default::default())
        .unwrap_or_else(|e| panic!("{}", e.render("query", text, false)))
}
