//! The laws of the language page, over random lattices and queries.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::generate::{
    DIMENSIONS, Shown, Sketch, bound_strategy, cases, closed, constraint_strategy,
    lattice_strategy, shown_query_strategy, sized_lattice_strategy,
};
use latweave::audit::{Facts, evaluate};
use latweave::lattice::{DimensionId, Lattice};
use latweave::syntax::tree::{Constraint, Query};
use latweave::syntax::{parse_query, print_query};
use latweave::verdict::{Answer, Members, Outcome, Reason, Verdict};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

fn ask(lattice: &Lattice, query: &Query) -> Verdict {
    let facts = Facts::read(lattice).unwrap();
    evaluate(&facts, lattice, query).unwrap()
}

fn ask_text(lattice: &Lattice, text: &str) -> Verdict {
    ask(lattice, &closed(text).unwrap_or_else(|| panic!("{text}")))
}

/// The certain hits of a constraint, by id; none if its words do not fit.
fn hits(lattice: &Lattice, constraint: &str) -> Option<BTreeSet<String>> {
    match ask_text(lattice, &format!("MEET {constraint}")).outcome {
        Outcome::Answer(Answer::Set(set)) => match set.members {
            Members::Instances(all) => Some(
                all.iter()
                    .map(|i| lattice.id(latweave::lattice::InstanceId(i)).to_owned())
                    .collect(),
            ),
            _ => None,
        },
        Outcome::Abstention(abstention) => match abstention.reason {
            Reason::Empty { .. } | Reason::Conflict(_) => Some(BTreeSet::new()),
            _ => None,
        },
        Outcome::Answer(_) => None,
    }
}

/// What a verdict says, apart from the numbers of one lattice.
fn json(lattice: &Lattice, verdict: &Verdict) -> String {
    verdict.to_json(lattice).to_string()
}

fn is_answer(verdict: &Verdict) -> bool {
    matches!(verdict.outcome, Outcome::Answer(_))
}

/// Whether COMPARE stands in a query, or a set serves as a bound: to these the
/// law of monotone abstention does not apply.
fn is_lawful(query: &str) -> bool {
    let bounded = ["< (", "<= (", "> (", ">= (", "= ("];
    !query.contains("COMPARE") && !bounded.iter().any(|sign| query.contains(sign))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn determinism(sketch in lattice_strategy(), query in shown_query_strategy()) {
        let lattice = sketch.lattice();
        prop_assert_eq!(ask(&lattice, &query.0), ask(&lattice, &query.0));
        prop_assert_eq!(ask(&lattice, &query.0), ask(&sketch.lattice(), &query.0));
    }

    #[test]
    fn a_query_prints_and_reads_back(query in shown_query_strategy()) {
        let text = print_query(&query.0);
        prop_assert_eq!(&parse_query(&text).unwrap(), &query.0);
        prop_assert_eq!(&closed(&text).unwrap(), &query.0);
    }

    #[test]
    fn order_of_declaration_and_loading_changes_nothing(
        sketch in lattice_strategy(),
        query in shown_query_strategy(),
        turn in any::<Index>(),
    ) {
        let lattice = sketch.lattice();
        let mut other = sketch.clone();
        other.facts.reverse();
        if !other.facts.is_empty() {
            let by = turn.index(other.facts.len());
            other.facts.rotate_left(by);
        }
        // The first declaration of a dimension stays before those that add to it.
        other.declarations.sort_by_key(|line| line.contains(" > "));
        let other = other.lattice();
        prop_assert_eq!(lattice.content_hash(), other.content_hash());
        prop_assert_eq!(ask(&lattice, &query.0), ask(&other, &query.0));
    }

    #[test]
    fn and_is_associative_commutative_and_idempotent(
        sketch in lattice_strategy(),
        a in constraint_strategy(true),
        b in constraint_strategy(true),
        c in constraint_strategy(true),
    ) {
        let lattice = sketch.lattice();
        let say = |text: String| {
            let verdict = ask_text(&lattice, &format!("MEET {text}"));
            json(&lattice, &verdict)
        };
        let plain = say(format!("{a} AND {b} AND {c}"));
        prop_assert_eq!(&plain, &say(format!("({a} AND {b}) AND {c}")));
        prop_assert_eq!(&plain, &say(format!("{c} AND ({b} AND {a})")));
        prop_assert_eq!(&plain, &say(format!("{b} AND {a} AND {c} AND {a}")));
    }

    #[test]
    fn narrowing_turns_no_abstention_into_an_answer(
        sketch in lattice_strategy(),
        a in constraint_strategy(true),
        b in constraint_strategy(true),
        low in prop::sample::select(vec!["", " CONFIDENCE >= 0.4", " CONFIDENCE >= 0.5"]),
    ) {
        prop_assume!(is_lawful(&a) && is_lawful(&b));
        let lattice = sketch.lattice();
        let wide = ask_text(&lattice, &format!("MEET {a}{low}"));
        // Words that are not there, and operands that are several things, are
        // outside the law.
        let known = |verdict: &Verdict| match &verdict.outcome {
            Outcome::Answer(_) => true,
            Outcome::Abstention(abstention) => abstention.reason.rank() > 6,
        };
        let narrower = [
            format!("MEET {a} AND {b}{low}"),
            format!("MEET {a} AND NOT ({b}){low}"),
            format!("MEET {a} CONFIDENCE >= 0.95"),
        ];
        for narrow in narrower {
            let narrow = ask_text(&lattice, &narrow);
            if known(&wide) && known(&narrow) && is_answer(&narrow) {
                prop_assert!(is_answer(&wide), "{:?}", narrow.outcome);
            }
        }
    }

    #[test]
    fn certain_and_excluded_part(sketch in lattice_strategy(), a in constraint_strategy(true)) {
        let lattice = sketch.lattice();
        let (yes, no) = (hits(&lattice, &a), hits(&lattice, &format!("NOT ({a})")));
        if let (Some(yes), Some(no)) = (yes, no) {
            prop_assert!(yes.is_disjoint(&no));
            let maybe = hits(&lattice, &format!("POSSIBLY ({a})")).unwrap();
            prop_assert!(yes.is_subset(&maybe));
            prop_assert!(no.is_disjoint(&maybe));
        }
    }

    #[test]
    fn a_let_and_the_same_written_inline_agree(sketch in lattice_strategy(), a in constraint_strategy(false)) {
        let lattice = sketch.lattice();
        let inline = common::query(&format!("MEET knows IN (MEET {a})"));
        let by_let = common::query(&format!("LET s = MEET {a}; MEET knows IN s"));
        prop_assert_eq!(ask(&lattice, &inline), ask(&lattice, &by_let));
    }
}

/// The lattice with one more fact.
fn with_fact(sketch: &Sketch, fact: &str) -> Sketch {
    let mut more = sketch.clone();
    more.facts.push(fact.to_owned());
    more
}

/// Facts that could be true besides those recorded, where nothing is denied (nor
/// along the order that they make) and the dimension is not COMPLETE: anything on MANY ones; on ONE ones what says
/// something of the silent, or more exactly what is recorded already.
fn additions(sketch: &Sketch) -> Vec<String> {
    let lattice = sketch.lattice();
    let mut all = Vec::new();
    for (name, _) in DIMENSIONS {
        let declared = |line: &&String| line.starts_with(&format!("DIMENSION {name} "));
        let Some(declaration) = sketch.declarations.iter().find(declared) else {
            continue;
        };
        if declaration.contains("COMPLETE") || denies_along(sketch, name) {
            continue;
        }
        let values: &[&str] = match name {
            "species" => &["animal", "whale", "stone", "bird"],
            "role" => &["maker", "poet"],
            "size" | "mass" => &["2", "3", "1..3"],
            "born" => &["1914", "1914-12-14", "1915"],
            "tag" => &["\"red\"", "\"x\""],
            _ => &["@i0", "@i2", "@i4", "@i5"],
        };
        for who in ["i0", "i2", "i5"] {
            let recorded: Vec<&String> = sketch
                .facts
                .iter()
                .filter(|line| line.starts_with(&format!("FACT @{who} {name} ")))
                .collect();
            if recorded.iter().any(|line| line.contains("!=")) {
                continue;
            }
            let one = declaration.contains(" ONE");
            for value in values {
                let finer = |line: &&String| is_finer(&lattice, name, value, line);
                if !one || recorded.iter().all(finer) {
                    all.push(format!(
                        "FACT @{who} {name} = {value} SOURCE \"later\" FROM \"later\""
                    ));
                }
            }
        }
    }
    all
}

/// Whether something is denied that an edge of the relation could contest.
fn denies_along(sketch: &Sketch, relation: &str) -> bool {
    DIMENSIONS.iter().any(|(name, _)| {
        let mut lines = sketch.declarations.iter();
        let ordered = lines.any(|line| {
            line.starts_with(&format!("DIMENSION {name} "))
                && line.contains(&format!(" WITHIN {relation}"))
        });
        let denial = |line: &String| line.contains(&format!(" {name} != "));
        ordered && sketch.facts.iter().any(denial)
    })
}

/// Whether a value lies in the one that a fact records.
fn is_finer(lattice: &Lattice, dimension: &str, value: &str, fact: &str) -> bool {
    let recorded = fact
        .split(" = ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let Some(recorded) = recorded else {
        return false;
    };
    let taxonomy = (0u16..)
        .zip(lattice.dimensions())
        .find(|(_, known)| known.name == dimension)
        .and_then(|(d, _)| lattice.taxonomy(DimensionId(d)));
    if let Some(taxonomy) = taxonomy {
        return match (&*taxonomy.find(value), &*taxonomy.find(recorded)) {
            ([a], [b]) => taxonomy.dag().le(a.0, b.0),
            _ => false,
        };
    }
    matches!(
        (recorded, value),
        ("1..3", "2" | "3") | ("1914", "1914-12-14") | ("1914-12", "1914-12-14")
    )
}

proptest! {
    #![proptest_config(cases(150))]

    /// Soundness over possible worlds, one fact at a time: what is certain stays
    /// so, and what is excluded stays so, whatever is learnt that contradicts
    /// nothing.
    #[test]
    fn what_is_decided_stays_so_in_every_completion(
        sketch in sized_lattice_strategy(10),
        a in claim(),
        picks in prop::collection::vec(any::<Index>(), 5),
    ) {
        stays_decided(sketch, &a, &picks)?;
    }

    /// The same where a set decides: its members, a bound, the winners.
    #[test]
    fn what_a_set_decides_stays_so_in_every_completion(
        sketch in sized_lattice_strategy(14),
        a in set_claim(),
        picks in prop::collection::vec(any::<Index>(), 5),
    ) {
        stays_decided(sketch, &a, &picks)?;
    }
}

/// A constraint that claims something about the world. What is possible may turn
/// out otherwise: POSSIBLY claims nothing.
fn claim() -> impl Strategy<Value = String> {
    constraint_strategy(true).prop_filter("it claims nothing", |a| !a.contains("POSSIBLY"))
}

/// A constraint that a set decides.
fn set_claim() -> impl Strategy<Value = String> {
    let who = prop::sample::select(vec!["@i0", "@i2", "@i5"]);
    let bound = bound_strategy();
    let inner = prop_oneof![
        who.prop_map(|who| format!("name = {who}")),
        claim(),
        Just("HAS size".to_owned()),
        Just("HAS born".to_owned()),
    ];
    let end = prop::sample::select(vec!["MAX", "MIN"]);
    let by = prop::sample::select(vec!["size", "born", "knows.size", "COUNT knows"]);
    (
        inner,
        end,
        by,
        0..7u8,
        prop::sample::select(DIMENSIONS.to_vec()),
        bound,
    )
        .prop_map(|(inner, end, by, form, (d, _), bound)| match form {
            5 | 6 => {
                let path = bound.rsplit(' ').next().unwrap_or_default();
                let last = path.rsplit('.').next().unwrap_or(path);
                match form {
                    5 => format!("{last} IN ({bound})"),
                    _ if last == "lives" => format!("name IN ({bound})"),
                    _ if last == "size" => format!("size >= ({bound})"),
                    _ => format!("NOT ({last} IN ({bound}))"),
                }
            }
            0 => format!("{d} IN (MEET {inner} RETURN {d})"),
            1 => format!("size >= (MEET {inner} RETURN size)"),
            2 => format!("born <= (MEET {inner} RETURN born)"),
            3 => format!("name IN (COMPARE {end} OF (MEET {inner}) BY {by})"),
            _ => format!("{d} IN (COMPARE {end} OF (MEET {inner}) BY {by} RETURN {d})"),
        })
}

fn stays_decided(sketch: Sketch, a: &str, picks: &[Index]) -> Result<(), TestCaseError> {
    let before = sketch.lattice();
    let not = format!("NOT ({a})");
    let decided = [(a, hits(&before, a)), (not.as_str(), hits(&before, &not))];
    let mut world = sketch;
    for pick in picks {
        let more = additions(&world);
        if more.is_empty() {
            break;
        }
        let fact = pick.get(&more);
        world = with_fact(&world, fact);
        let after = world.lattice();
        for (constraint, decided) in &decided {
            if let (Some(decided), Some(now)) = (decided, hits(&after, constraint)) {
                prop_assert!(
                    decided.is_subset(&now),
                    "{} held for {:?} before {}, and then for {:?}",
                    constraint,
                    decided,
                    fact,
                    now
                );
            }
        }
    }
    Ok(())
}

#[test]
fn canonical_queries_keep_their_constraints() {
    let query = closed("MEET species = whale AND (tag = x AND species = whale)").unwrap();
    let Query::Meet(meet) = &query else {
        panic!("{query:?}")
    };
    assert!(matches!(&meet.constraint, Constraint::And(list, _) if list.len() == 2));
    assert_eq!(
        format!("{:?}", Shown(query)),
        "MEET species = whale AND tag = x"
    );
}
