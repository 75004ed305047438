//! What the order theory found, for people.

use super::super::args::Format;
use super::super::terminal::{count_of, grouped, plain};
use super::{Heading, Manner, Row, Sheet, print_sheet};
use crate::lattice::ends;
use crate::theory::{
    Checked, Concepts, Implications, IndependenceReport, Legitimacy, Named, Report, Suggestions,
    Valued, WidthReport,
};
use std::io::{self, Write};

/// How many values of a long list stand in one line.
const IN_A_LINE: usize = 12;

/// Prints a report.
pub fn print(out: &mut dyn Write, manner: &Manner, report: &Report) -> io::Result<()> {
    let (sheet, last) = match report {
        Report::Check(found) => (check(found), String::new()),
        Report::Width(found) => width(found),
        Report::Independence(found) => (independence(found), String::new()),
        Report::Concepts(found) => concepts(found),
        Report::Implications(found) => implications(found),
        Report::Suggest(found) => suggestions(found),
    };
    if sheet.total > 0 {
        print_sheet(out, manner, sheet)?;
    }
    if last.is_empty() || matches!(manner.format, Format::Csv | Format::Tsv) {
        return Ok(());
    }
    writeln!(out, "{}", manner.paint.faint(&plain(&last)))
}

fn listed<'a>(values: impl ExactSizeIterator<Item = &'a Named>) -> String {
    let count = values.len();
    let mut shown: Vec<String> = values.take(IN_A_LINE).map(Named::to_string).collect();
    if count > IN_A_LINE {
        let more = (count - IN_A_LINE) as u64;
        shown.push(format!("and {} more", grouped(more)));
    }
    shown.join(", ")
}

/// Values with their dimensions, unless all are of one that is told elsewhere.
fn valued(values: &[Valued], dimensions: &[String]) -> String {
    let shown: Vec<String> = values
        .iter()
        .map(|valued| match dimensions {
            [_] => valued.value.to_string(),
            _ => valued.to_string(),
        })
        .collect();
    shown.join(", ")
}

fn chain<'a>(values: impl Iterator<Item = &'a Named>) -> String {
    let shown: Vec<String> = values.map(Named::to_string).collect();
    shown.join(" > ")
}

/// The values of a cycle; of a long one the first and the last.
fn path(cycle: &[Named]) -> String {
    let (first, between, last) = ends(cycle);
    match between {
        0 => chain(first.iter()),
        between => format!(
            "{} > … {} more … > {}",
            chain(first.iter()),
            grouped(between as u64),
            chain(last.iter())
        ),
    }
}

/// A count, said to be a least one where it is.
fn at_least(count: u64, exact: bool) -> String {
    match exact {
        true => grouped(count),
        false => format!("at least {}", grouped(count)),
    }
}

fn pairs(rows: Vec<(&'static str, String)>) -> Sheet<'static> {
    let rows = rows
        .into_iter()
        .map(|(what, found)| -> Row { vec![Some(what.to_owned()), Some(found)] })
        .collect();
    Sheet::of(vec![Heading::new("what"), Heading::text("found")], rows)
}

fn check(found: &Checked) -> Sheet<'static> {
    let mut rows = vec![
        ("dimension", format!("{} {}", found.dimension, found.kind)),
        (
            "order",
            format!(
                "{}, {}, longest chain {}, {}",
                count_of(found.values, "value", "values"),
                count_of(found.edges, "edge", "edges"),
                grouped(found.depth),
                count_of(
                    found.several_parents,
                    "value with several parents",
                    "values with several parents"
                ),
            ),
        ),
        (
            "roots",
            format!(
                "{}: {}",
                grouped(found.roots.len() as u64),
                listed(found.roots.iter())
            ),
        ),
    ];
    for cycle in &found.cycles {
        rows.push(("cycle", path(cycle)));
    }
    if let Some(uncovered) = &found.uncovered {
        let text = format!(
            "{} and {} on cycles, and on none of these: there are too many to list",
            count_of(uncovered.edges, "more edge", "more edges"),
            count_of(uncovered.values, "more value", "more values")
        );
        rows.push(("not listed", text));
    }
    let at = |place: &Option<String>| {
        let place = place.as_ref();
        place.map_or(String::new(), |place| format!(" ({place})"))
    };
    for parent in &found.undefined {
        let text = format!(
            "{}, named by {}{}",
            parent.term,
            parent.by,
            at(&parent.place)
        );
        rows.push(("undefined parent", text));
    }
    for twice in &found.duplicates {
        rows.push((
            "defined twice",
            format!("{}{}", twice.term, at(&twice.place)),
        ));
    }
    let meets = &found.meets;
    rows.push((
        "meets",
        match (meets.unique, &meets.first) {
            (Some(true), _) => "unique".to_owned(),
            (None, _) => "not known: the search reached its limit".to_owned(),
            (Some(false), first) => {
                let pairs = match (meets.ambiguous, meets.exact) {
                    (1, true) => "1 pair".to_owned(),
                    (count, exact) => format!("{} pairs", at_least(count, exact)),
                };
                let first = first.as_ref().map_or(String::new(), |first| {
                    let [a, b] = &first.pair;
                    let maximal = listed(first.maximal.iter());
                    format!("; first {a} ∧ {b} = {{{maximal}}}")
                });
                format!("ambiguous for {pairs}{first}")
            }
        },
    ));
    rows.push(("law", law(found)));
    rows.push((
        "verdict",
        match (found.verdict, found.strict) {
            (Legitimacy::Legitimate, _) => "legitimate: it may go live as it is".to_owned(),
            (Legitimacy::Completed, _) => {
                "not legitimate: it is used through its completion".to_owned()
            }
            (Legitimacy::Undecided, _) => "undecided: a limit was reached".to_owned(),
        },
    ));
    pairs(rows)
}

fn law(found: &Checked) -> String {
    let law = &found.law;
    let compared = match (law.checked, law.skipped) {
        (Some(checked), Some(skipped)) => format!(
            " ({}{} compared, {} without a unique meet or join skipped)",
            if law.all {
                ""
            } else {
                "of what several parents let fail, "
            },
            count_of(checked, "triple", "triples"),
            grouped(skipped)
        ),
        _ => String::new(),
    };
    match law.holds {
        Some(true) => format!("distributive{compared}"),
        None => "not known: the search reached its limit".to_owned(),
        Some(false) => {
            let triples = match (law.violated, law.exact) {
                (1, true) => "1 triple".to_owned(),
                (count, exact) => format!("{} triples", at_least(count, exact)),
            };
            let mut text = format!("broken by {triples}{compared}");
            if let Some(first) = &law.first {
                text += &format!(
                    "; first {x} ∧ ({y} ∨ {z}) = {left}, ({x} ∧ {y}) ∨ ({x} ∧ {z}) = {right}",
                    x = first.x,
                    y = first.y,
                    z = first.z,
                    left = first.left,
                    right = first.right
                );
                if let (Some(shape), [bottom, middle @ .., top]) =
                    (first.shape, first.sublattice.as_slice())
                {
                    let middle = listed(middle.iter());
                    text += &format!("; {shape}: {bottom} < {middle} < {top}");
                }
            }
            text
        }
    }
}

fn width(found: &WidthReport) -> (Sheet<'_>, String) {
    let of = |node: &Named| -> Row { vec![Some(node.to_string())] };
    let sheet = Sheet {
        headings: vec![Heading::text("largest antichain")],
        total: found.antichain.len() as u64,
        rows: Box::new(found.antichain.iter().map(of)),
    };
    let longest = found.chains.iter().map(Vec::len).max().unwrap_or(0);
    let last = format!(
        "{}: width {}; {} cover {}, the longest has {}",
        found.dimension,
        grouped(found.width),
        count_of(found.chains.len() as u64, "chain", "chains"),
        count_of(found.values, "value", "values"),
        grouped(longest as u64)
    );
    (sheet, last)
}

fn independence(found: &IndependenceReport) -> Sheet<'static> {
    let [a, b] = &found.dimensions;
    let value = match found.independence {
        Some(value) => format!("{value:.4}"),
        None => match found.case {
            "empty" => "no measure: nothing has a value on both".to_owned(),
            _ => "no measure: one of them has one value only".to_owned(),
        },
    };
    let [left, right] = found.values.map(grouped);
    let [upright, reversed] = found.joint;
    let joint =
        |[observed, product]: [u64; 2]| format!("{} of {}", grouped(observed), grouped(product));
    pairs(vec![
        ("dimensions", format!("{a}, {b}")),
        ("independence", value),
        (
            "observed",
            format!(
                "{} on both, {} of {left} × {right} values",
                count_of(found.instances, "instance", "instances"),
                count_of(found.pairs, "pair", "pairs")
            ),
        ),
        (
            "widths",
            format!(
                "{} and {}",
                grouped(found.widths[0]),
                grouped(found.widths[1])
            ),
        ),
        (
            "joint width",
            format!(
                "{}; with {b} upside down {}",
                joint(upright),
                joint(reversed)
            ),
        ),
    ])
}

fn concepts(found: &Concepts) -> (Sheet<'_>, String) {
    let row = |(k, line): (usize, &crate::theory::ConceptLine)| -> Row {
        let above: Vec<String> = line.neighbours.above.iter().map(u32::to_string).collect();
        vec![
            Some(k.to_string()),
            Some(grouped(line.support)),
            Some(valued(&line.values, &found.dimensions)),
            Some(above.join(" ")),
            Some(listed(line.own.iter())),
        ]
    };
    let sheet = Sheet {
        headings: vec![
            Heading::number("concept"),
            Heading::number("instances"),
            Heading::text("values"),
            Heading::new("below"),
            Heading::text("no more than these"),
        ],
        total: found.concepts.len() as u64,
        rows: Box::new(found.concepts.iter().enumerate().map(row)),
    };
    let context = format!(
        "{} × {}",
        count_of(found.instances, "instance", "instances"),
        count_of(found.values, "value", "values")
    );
    let last = match found.whole {
        true => format!(
            "{}: {} of {context}",
            found.dimensions.join(", "),
            count_of(found.found, "concept", "concepts")
        ),
        false => format!(
            "more than {} concepts of {context}: none is listed; ask with SUPPORT, or of fewer dimensions",
            grouped(found.found)
        ),
    };
    (sheet, last)
}

fn implications(found: &Implications) -> (Sheet<'_>, String) {
    let row = |line: &crate::theory::ImplicationLine| -> Row {
        let premise = match line.premise.is_empty() {
            true => "(always)".to_owned(),
            false => valued(&line.premise, &found.dimensions),
        };
        vec![
            Some(grouped(line.support)),
            Some(premise),
            Some(valued(&line.conclusion, &found.dimensions)),
        ]
    };
    let sheet = Sheet {
        headings: vec![
            Heading::number("instances"),
            Heading::text("what has"),
            Heading::text("has, as recorded"),
        ],
        total: found.implications.len() as u64,
        rows: Box::new(found.implications.iter().map(row)),
    };
    let by_order = found.basis - found.implications.len() as u64;
    let mut last = format!(
        "{}: {} over {} × {}; {} more say what the orders say",
        found.dimensions.join(", "),
        count_of(
            found.implications.len() as u64,
            "implication",
            "implications"
        ),
        count_of(found.instances, "instance", "instances"),
        count_of(found.values, "value", "values"),
        grouped(by_order)
    );
    if !found.whole {
        last += "; the search reached its limit, and there are more: ask with SUPPORT";
    }
    (sheet, last)
}

fn suggestions(found: &Suggestions) -> (Sheet<'_>, String) {
    let row = |line: &crate::theory::Suggestion| -> Row {
        vec![
            Some(line.constraint.clone()),
            Some(line.with.to_string()),
            Some(grouped(line.together)),
            Some(grouped(line.more)),
            Some(line.query.clone()),
        ]
    };
    let sheet = Sheet {
        headings: vec![
            Heading::text("instead of"),
            Heading::text("occurs only with it"),
            Heading::number("together"),
            Heading::number("more hits"),
            Heading::text("the wider query"),
        ],
        total: found.suggestions.len() as u64,
        rows: Box::new(found.suggestions.iter().map(row)),
    };
    let last = match (found.refused, found.suggestions.len()) {
        (Some("no-meet"), _) => "only a MEET can be widened".to_owned(),
        (Some(code), _) => format!("the query abstains ({code}): run it to see why"),
        (None, 0) => format!(
            "{}; no value of another dimension occurs only together with one asked for",
            count_of(found.hits, "hit", "hits")
        ),
        (None, _) => format!(
            "{}; nothing was applied: run a wider query to use it",
            count_of(found.hits, "hit", "hits")
        ),
    };
    (sheet, last)
}
