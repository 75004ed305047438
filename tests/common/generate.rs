//! Random small lattices and random queries over them.
//!
//! A [`Sketch`] is written down as LQ statements, so that what failed can be
//! read, and so that the order of its statements can be changed.

use super::lattice;
use latweave::lattice::Lattice;
use latweave::syntax::parse_query;
use latweave::syntax::tree::Query;
use latweave::syntax::{canonical, print_query};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// What kind of values a dimension has, and the words for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Taxonomy,
    Entity,
    Number,
    Date,
    Text,
}

/// The dimensions that every sketch declares; their flags are random.
pub const DIMENSIONS: [(&str, Sort); 9] = [
    ("species", Sort::Taxonomy),
    ("role", Sort::Taxonomy),
    ("lives", Sort::Entity),
    ("part", Sort::Entity),
    ("knows", Sort::Entity),
    ("size", Sort::Number),
    ("mass", Sort::Number),
    ("born", Sort::Date),
    ("tag", Sort::Text),
];

const TERMS: [&str; 6] = ["animal", "mammal", "bird", "whale", "bat", "stone"];
const ROLES: [&str; 4] = ["maker", "writer", "poet", "player"];
const INSTANCES: [(&str, &str); 6] = [
    ("i0", "Ann"),
    ("i1", "Bob"),
    ("i2", "Cy"),
    ("i3", "Bob"),
    ("i4", "Dee Dee"),
    ("i5", "1935"),
];
const NUMBERS: [&str; 8] = ["1", "2", "3", "2.5", "1..3", "2..4", "-1..2", "3..3"];
const DATES: [&str; 7] = [
    "1914",
    "1914-12",
    "1914-12-14",
    "1914-12-15",
    "1915",
    "1914..1915",
    "1900-01-01",
];
const TEXTS: [&str; 3] = ["red", "deep blue", "x"];
const CONFIDENCES: [&str; 3] = ["", " CONFIDENCE 0.9", " CONFIDENCE 0.4"];

/// A random small lattice.
#[derive(Clone, PartialEq)]
pub struct Sketch {
    /// Statements that declare: order among them is free.
    pub declarations: Vec<String>,
    /// Statements that record: order among them is free.
    pub facts: Vec<String>,
}

impl Sketch {
    /// The sketch as LQ.
    pub fn text(&self) -> String {
        let all = self.declarations.iter().chain(&self.facts);
        all.map(|line| format!("{line}\n")).collect()
    }

    /// The sketch as a lattice.
    pub fn lattice(&self) -> Lattice {
        lattice(&self.text())
    }
}

impl fmt::Debug for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.text())
    }
}

/// What may be said of a dimension.
#[derive(Clone, Debug)]
struct Flags {
    one: bool,
    complete: bool,
    within: u8,
    inverse: bool,
}

fn flags() -> impl Strategy<Value = Flags> {
    (any::<bool>(), any::<bool>(), 0..4u8, any::<bool>()).prop_map(
        |(one, complete, within, inverse)| Flags {
            one,
            complete,
            within,
            inverse,
        },
    )
}

fn declaration(name: &str, sort: Sort, flags: &Flags, edges: &[(usize, usize)]) -> Vec<String> {
    let many = if flags.one { " ONE" } else { "" };
    let complete = if flags.complete { " COMPLETE" } else { "" };
    let kind = match sort {
        Sort::Taxonomy => "TAXONOMY".to_owned(),
        Sort::Entity => {
            // 0 and 1: flat; 2: within `part`; 3: within itself.
            let within = match (flags.within, name) {
                (2, "part") | (3, _) => format!(" WITHIN {name}"),
                (2, _) => " WITHIN part".to_owned(),
                _ => String::new(),
            };
            format!("ENTITY{within}")
        }
        Sort::Number if name == "size" => "NUMBER UNIT km".to_owned(),
        Sort::Number => "NUMBER".to_owned(),
        Sort::Date => "DATE".to_owned(),
        Sort::Text => "TEXT".to_owned(),
    };
    let inverse = match (sort, flags.inverse, name) {
        (Sort::Entity, true, "knows") => " INVERSE known_by",
        _ => "",
    };
    let mut lines = vec![format!("DIMENSION {name} {kind}{many}{complete}{inverse}")];
    let terms: &[&str] = match name {
        "species" => &TERMS,
        "role" => &ROLES,
        _ => &[],
    };
    if let Some(first) = lines.first_mut()
        && !terms.is_empty()
    {
        first.push(' ');
        first.push_str(&terms.join(", "));
    }
    for (upper, lower) in edges {
        let (upper, lower) = (upper % terms.len().max(1), lower % terms.len().max(1));
        if upper < lower {
            lines.push(format!(
                "DIMENSION {name} TAXONOMY {} > {}",
                terms[upper], terms[lower]
            ));
        }
    }
    lines
}

fn value_of(sort: Sort, name: &str, pick: usize) -> String {
    match sort {
        Sort::Taxonomy if name == "role" => ROLES[pick % ROLES.len()].to_owned(),
        Sort::Taxonomy => TERMS[pick % TERMS.len()].to_owned(),
        Sort::Entity => format!("@{}", INSTANCES[pick % INSTANCES.len()].0),
        Sort::Number => NUMBERS[pick % NUMBERS.len()].to_owned(),
        Sort::Date => DATES[pick % DATES.len()].to_owned(),
        Sort::Text => format!("{:?}", TEXTS[pick % TEXTS.len()]),
    }
}

/// Random small lattices: all kinds, ONE and MANY, COMPLETE, WITHIN, denials,
/// confidences, several sources, aliases and shared names.
pub fn lattice_strategy() -> impl Strategy<Value = Sketch> {
    sized_lattice_strategy(28)
}

/// As [`lattice_strategy`], with fewer than so many facts.
pub fn sized_lattice_strategy(most: usize) -> impl Strategy<Value = Sketch> {
    let dimensions = prop::collection::vec(flags(), DIMENSIONS.len());
    let edges = prop::collection::vec((0..6usize, 0..6usize), 0..8);
    let facts = prop::collection::vec(
        (
            0..INSTANCES.len(),
            0..DIMENSIONS.len(),
            0..8usize,
            prop::bool::weighted(0.2),
            0..CONFIDENCES.len(),
            0..3usize,
        ),
        0..most,
    );
    let aliases = prop::collection::vec((0..INSTANCES.len(), 0..3usize), 0..3);
    (dimensions, edges, facts, aliases, any::<bool>()).prop_map(
        |(flags, edges, facts, aliases, crossed)| {
            let edges = if crossed { crossing(edges) } else { edges };
            let mut declarations = vec!["UNIT km = 1000 m".to_owned()];
            for ((name, sort), flags) in DIMENSIONS.iter().zip(&flags) {
                let edges = match sort {
                    Sort::Taxonomy => edges.as_slice(),
                    _ => &[],
                };
                declarations.extend(declaration(name, *sort, flags, edges));
            }
            for (id, name) in INSTANCES {
                declarations.push(format!("INSTANCE {name:?} @{id}"));
            }
            declarations.push("SYNONYM cetacean = whale IN species".to_owned());
            for (who, alias) in aliases {
                let alias = ["Bobby", "Ann", "ANN"][alias];
                declarations.push(format!("ALIAS {alias:?} = @{}", INSTANCES[who].0));
            }
            let facts = facts
                .into_iter()
                .map(|(who, d, value, denied, confidence, source)| {
                    let (name, sort) = DIMENSIONS[d];
                    let sign = if denied { "!=" } else { "=" };
                    format!(
                        "FACT @{} {name} {sign} {}{} SOURCE \"text {source}\" FROM \"d{source}\"",
                        INSTANCES[who].0,
                        value_of(sort, name, value),
                        CONFIDENCES[confidence],
                    )
                })
                .collect();
            Sketch {
                declarations,
                facts,
            }
        },
    )
}

/// The edges with `animal` and `mammal` both above `whale` and `bat`, and neither pair
/// comparable: a meet and a join that only the completion has.
fn crossing(edges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let inside = |(a, b): &(usize, usize)| ![0, 1, 3, 4].contains(a) || ![0, 1, 3, 4].contains(b);
    let across = [(0, 3), (0, 4), (1, 3), (1, 4)];
    edges
        .into_iter()
        .filter(|e| inside(e) && e.0 < 5)
        .chain(across)
        .collect()
}

fn bare(word: &str) -> String {
    format!("{word:?}")
}

/// A path, as text, and the sort at its end; none for `name`.
fn path() -> impl Strategy<Value = (String, String, Option<Sort>)> + Clone {
    let relations = ["lives", "part", "knows"];
    (
        prop::collection::vec(0..relations.len(), 0..3),
        0..DIMENSIONS.len() + 1,
    )
        .prop_map(move |(steps, last)| {
            let mut words: Vec<&str> = steps
                .into_iter()
                .filter_map(|k| relations.get(k).copied())
                .collect();
            // Long paths are rarer than short ones.
            if words.len() == 2 && last % 2 == 0 {
                words.clear();
            }
            let (name, sort) = match DIMENSIONS.get(last) {
                Some((name, sort)) => (*name, Some(*sort)),
                None => ("name", None),
            };
            words.push(name);
            (words.join("."), name.to_owned(), sort)
        })
}

fn term(sort: Option<Sort>, name: &str, pick: usize) -> String {
    let names = ["Ann", "Bob", "@i2", "bobby", "\"Dee Dee\"", "1935", "@i3"];
    match sort {
        None | Some(Sort::Entity) => names[pick % names.len()].to_owned(),
        Some(Sort::Number) if name == "size" && pick % 5 == 4 => "2000 m".to_owned(),
        Some(sort @ (Sort::Taxonomy | Sort::Number | Sort::Date | Sort::Text)) => {
            value_of(sort, name, pick)
        }
    }
}

/// A single test.
fn test() -> impl Strategy<Value = String> {
    (path(), 0..9u8, 0..16usize, 0..16usize).prop_map(|((path, name, sort), form, a, b)| {
        let one = |pick| term(sort, &name, pick);
        let point = |pick: usize| match sort {
            Some(Sort::Number) => ["1", "2", "3", "4"][pick % 4],
            _ => ["1914", "1914-12", "1914-12-14", "1915"][pick % 4],
        };
        let measured = matches!(sort, Some(Sort::Number | Sort::Date));
        let ordered = matches!(sort, Some(Sort::Taxonomy | Sort::Entity));
        match form {
            0 | 1 => format!("{path} = {}", one(a)),
            2 => format!("{path} != {}", one(a)),
            3 => format!("{path} IN {{{}, {}}}", one(a), one(b)),
            4 => format!("HAS {path}"),
            5 | 6 if measured => {
                let sign = ["<", "<=", ">", ">="][b % 4];
                format!("{path} {sign} {}", one(a))
            }
            7 if measured => match b % 3 {
                // A range from a later to an earlier end is no query.
                0 => format!(
                    "{path} IN {}..{}",
                    point((a % 4) & (b % 4)),
                    point((a % 4) | (b % 4))
                ),
                1 => format!("{path} IN ..{}", point(a)),
                _ => format!("{path} IN {}..", point(a)),
            },
            5 | 6 if ordered => {
                let sign = ["<", "<="][b % 2];
                format!("{path} {sign} {}", one(a))
            }
            _ => format!("{path} = {}", one(b)),
        }
    })
}

/// A condition, without or with inner queries.
pub fn constraint_strategy(inner: bool) -> BoxedStrategy<String> {
    let leaf = match inner {
        false => prop_oneof![8 => test(), 1 => together()].boxed(),
        true => prop_oneof![8 => test(), 1 => together(), 2 => membership()].boxed(),
    };
    leaf.prop_recursive(3, 10, 3, |inside| {
        prop_oneof![
            3 => prop::collection::vec(inside.clone(), 2..4)
                .prop_map(|list| format!("({})", list.join(" AND "))),
            2 => prop::collection::vec(inside.clone(), 2..3)
                .prop_map(|list| format!("({})", list.join(" OR "))),
            1 => inside.clone().prop_map(|c| format!("NOT ({c})")),
            1 => inside.prop_map(|c| format!("POSSIBLY ({c})")),
        ]
    })
    .boxed()
}

/// `d IN (query)` and bounds by a query.
fn membership() -> BoxedStrategy<String> {
    let meet = (constraint_strategy(false), confidence());
    let relation = prop::sample::select(vec!["lives", "part", "knows"]);
    prop_oneof![
        3 => in_bound(),
        1 => (meet.clone(), relation.clone()).prop_map(|((c, t), d)| format!("{d} IN (MEET {c}{t})")),
        1 => (meet.clone(), relation.clone(), relation.clone())
            .prop_map(|((c, t), d, e)| format!("{d} IN (MEET {c}{t} RETURN {e})")),
        1 => meet.clone()
            .prop_map(|(c, t)| format!("name IN (MEET {c}{t})")),
        1 => meet.clone()
            .prop_map(|(c, t)| format!("name IN (MEET {c}{t} RETURN name)")),
        1 => (
            meet.clone(),
            prop::sample::select(vec![
                ("species", "species"),
                ("role", "role"),
                ("size", "lives.size"),
                ("born", "born"),
                ("tag", "tag"),
                ("tag", "knows.name"),
                ("name", "tag"),
            ])
        )
            .prop_map(|((c, t), (d, e))| format!("{d} IN (MEET {c}{t} RETURN {e})")),
        1 => (
            meet.clone(),
            prop::sample::select(vec!["size", "born", "mass", "lives.born"]),
            prop::sample::select(vec!["<", "<=", ">", ">=", "="])
        )
            .prop_map(|((c, t), d, sign)| {
                let e = d.rsplit('.').next().unwrap_or(d);
                format!("{d} {sign} (MEET {c}{t} RETURN {e})")
            }),
        1 => (
            meet,
            relation,
            prop::sample::select(vec!["size", "born", "COUNT knows"])
        )
            .prop_map(|((c, t), d, by)| format!("{d} IN (COMPARE MAX OF (MEET {c}{t}) BY {by})")),
    ]
    .boxed()
}

fn confidence() -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(vec!["", "", "", " CONFIDENCE >= 0.5", " CONFIDENCE >= 1"])
}

fn returns() -> impl Strategy<Value = String> {
    let path = || path().prop_map(|(path, ..)| path);
    prop_oneof![
        4 => Just(String::new()),
        3 => path().prop_map(|p| format!(" RETURN {p}")),
        1 => (path(), path()).prop_map(|(p, q)| format!(" RETURN {p}, {q}")),
        1 => (path(), path(), path()).prop_map(|(p, q, r)| format!(" RETURN {p}, {q}, {r}")),
        1 => Just(" RETURN COUNT".to_owned()),
        1 => path().prop_map(|p| format!(" RETURN COUNT {p}")),
    ]
}

/// Random MEETs as text.
pub fn meet_strategy() -> impl Strategy<Value = String> {
    (constraint_strategy(true), confidence(), returns())
        .prop_map(|(c, t, r)| format!("MEET {c}{t}{r}"))
}

fn operand(name: &str, sort: Option<Sort>, pick: usize) -> String {
    let names = ["Ann", "@i1", "@i2", "\"Dee Dee\"", "@i3", "@i0"];
    match pick % 4 {
        0..=2 => names[pick % names.len()].to_owned(),
        _ => match term(sort, name, pick) {
            word if word == "Bob" => bare("Ann"),
            word => word,
        },
    }
}

/// Meets and joins of values of one dimension, of instances, or of both.
pub fn bound_strategy() -> impl Strategy<Value = String> {
    let along = prop::sample::select(vec![
        ("species", Sort::Taxonomy),
        ("species", Sort::Taxonomy),
        ("role", Sort::Taxonomy),
        ("lives", Sort::Entity),
        ("size", Sort::Number),
        ("born", Sort::Date),
        ("tag", Sort::Text),
        ("knows.species", Sort::Taxonomy),
        ("lives.size", Sort::Number),
    ]);
    (
        prop::sample::select(vec!["MEET", "JOIN"]),
        along,
        prop::collection::vec((0..16usize, prop::bool::weighted(0.25)), 1..4),
    )
        .prop_map(|(operation, (by, sort), picks)| {
            let name = by.rsplit('.').next().unwrap_or(by);
            let operands: Vec<String> = picks
                .into_iter()
                .map(|(pick, instance)| match instance {
                    true => operand(name, Some(sort), pick % 3),
                    false => term(Some(sort), name, pick),
                })
                .collect();
            format!("COMPARE {operation} OF {} BY {by}", operands.join(", "))
        })
}

/// `d IN` a meet or a join of values of `d`.
fn in_bound() -> impl Strategy<Value = String> {
    bound_strategy().prop_map(|bound| {
        let path = bound.rsplit(' ').next().unwrap_or_default();
        let d = path.rsplit('.').next().unwrap_or(path);
        format!("{d} IN ({bound})")
    })
}

/// Two or three constraints on one taxonomy.
fn together() -> impl Strategy<Value = String> {
    prop::collection::vec((0..6usize, 0..6usize, 0..6u8), 2..4).prop_map(|list| {
        let list: Vec<String> = list
            .into_iter()
            .map(|(a, b, form)| match form {
                0 => format!("species < {}", TERMS[a]),
                1 => format!("species IN {{{}, {}}}", TERMS[a], TERMS[b]),
                _ => format!("species = {}", TERMS[a]),
            })
            .collect();
        format!("({})", list.join(" AND "))
    })
}

/// Random COMPAREs as text.
pub fn compare_strategy() -> impl Strategy<Value = String> {
    let count = prop::sample::select(vec!["", "", "", "COUNT "]);
    let by = (path(), count).prop_map(|((p, n, s), count)| (format!("{count}{p}"), n, s));
    let two = (0..16usize, 0..16usize);
    let sign = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">=", "OVERLAPS"]);
    let set = (constraint_strategy(true), 0..4u8).prop_map(|(c, form)| match form {
        0 => format!("(MEET {c} RETURN lives)"),
        1 => "{Ann, @i2}".to_owned(),
        _ => format!("(MEET {c})"),
    });
    let field = prop_oneof![
        Just("@i0, @i2, @i4".to_owned()),
        Just("@i0, @i1".to_owned()),
        constraint_strategy(true).prop_map(|c| format!("(MEET {c})")),
    ];
    let along = prop::sample::select(vec![
        "size",
        "born",
        "mass",
        "lives.born",
        "knows.size",
        "COUNT knows",
        "COUNT part.tag",
    ]);
    prop_oneof![
        3 => (by.clone(), two.clone(), sign.clone()).prop_map(|((p, n, s), (a, b), sign)| {
            format!("COMPARE {} {sign} {} BY {p}", operand(&n, s, a), operand(&n, s, b))
        }),
        2 => (by, two).prop_map(|((p, n, s), (a, b))| {
            format!("COMPARE {}, {} BY {p}", operand(&n, s, a), operand(&n, s, b))
        }),
        2 => (0..16usize, test()).prop_map(|(a, test)| {
            format!("COMPARE {} BY {test}", operand("name", None, a))
        }),
        2 => (prop::sample::select(vec!["MAX", "MIN"]), field, along, returns()).prop_map(
            |(end, of, by, returns)| match returns.contains("COUNT") {
                true => format!("COMPARE {end} OF {of} BY {by}"),
                false => format!("COMPARE {end} OF {of} BY {by}{returns}"),
            }
        ),
        3 => bound_strategy(),
        2 => (set.clone(), sign, set).prop_map(|(a, sign, b)| format!("COMPARE {a} {sign} {b}")),
    ]
}

/// How many cases a law is tried on (`LATWEAVE_CASES` times as many where that
/// is set); what failed is told, not kept in files.
pub fn cases(cases: u32) -> ProptestConfig {
    let times = std::env::var("LATWEAVE_CASES").ok();
    let times: u32 = times.and_then(|text| text.parse().ok()).unwrap_or(1);
    ProptestConfig {
        cases: cases.saturating_mul(times),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

/// The canonical query of a text; none if the grammar refuses it.
pub fn closed(text: &str) -> Option<Query> {
    let query = parse_query(text).ok()?;
    canonical(&query, &BTreeMap::new(), &BTreeMap::new()).ok()
}

/// Random queries of all kinds, canonical.
pub fn query_strategy() -> impl Strategy<Value = Query> {
    prop_oneof![3 => meet_strategy().boxed(), 2 => compare_strategy().boxed()]
        .prop_filter_map("the grammar refuses it", |text| closed(&text))
}

/// A query that prints as LQ where it failed.
#[derive(Clone)]
pub struct Shown(pub Query);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_query(&self.0))
    }
}

/// Random queries that print as LQ.
pub fn shown_query_strategy() -> impl Strategy<Value = Shown> {
    query_strategy().prop_map(Shown)
}
