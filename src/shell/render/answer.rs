//! Answers for people: a table with the evidence, and a line that says what was
//! found, where from, and in what time.

use super::super::args::Format;
use super::super::terminal::{count_of, plain, spent};
use super::advice::{self, Asked};
use super::{Heading, Manner, Paint, Refusal, Row, Sheet, print_sheet};
use crate::engine::Budget;
use crate::lattice::{DimensionId, InstanceId, Lattice, Value};
use crate::script::expect::{member_cells, order_word};
use crate::script::{Reasons, Saying, because, words};
use crate::syntax::tree::{Operation, Query, Return};
use crate::verdict::{Answer, Caveat, Completed, Members, Outcome, RowsAnswer, SetAnswer, Verdict};
use roaring::RoaringBitmap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

/// Names listed before "and so many more".
const LISTED: usize = 5;

/// Prints a verdict.
pub fn print(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    verdict: &Verdict,
    time: Option<Duration>,
    budget: &Budget,
) -> io::Result<()> {
    let answer = match &verdict.outcome {
        Outcome::Answer(answer) => answer,
        Outcome::Abstention(abstention) => {
            let asked = Asked {
                lattice,
                query: &verdict.query,
                budget,
            };
            let refusal = Refusal::of(asked, &abstention.reason);
            return match manner.format {
                // The rows of an abstention are none; standard error says why.
                Format::Csv | Format::Tsv => refusal.print(&mut io::stderr().lock(), Paint::PLAIN),
                Format::Md => refusal.markdown(out),
                _ => {
                    refusal.print(out, manner.paint)?;
                    notes(out, manner, lattice, verdict)
                }
            };
        }
    };
    if matches!(manner.format, Format::Csv | Format::Tsv) {
        for remark in remarks(lattice, &verdict.query, answer) {
            writeln!(io::stderr().lock(), "note: {}", plain(&remark))?;
        }
        for completed in &verdict.completed {
            let line = through_completion(lattice, completed);
            writeln!(io::stderr().lock(), "note: {}", plain(&line))?;
        }
        return print_sheet(
            out,
            manner,
            marked(machine_sheet(lattice, verdict, answer), answer),
        );
    }
    let documents = RefCell::new(BTreeSet::new());
    let plan = because::plan(lattice, verdict);
    let reasons = Reasons::of(lattice, verdict, plan.as_ref(), budget);
    match answer {
        Answer::Set(set) => {
            let sheet = set_sheet(lattice, verdict, set, &reasons, &documents);
            print_sheet(out, manner, sheet)?;
        }
        Answer::Rows(rows) => {
            let mut sheet = rows_sheet(lattice, rows);
            if !reasons.are_silent() {
                sheet.headings.push(Heading::new("source"));
                let sourced = sheet.rows.enumerate().map(|(k, mut row)| {
                    row.push(quoted(reasons.of_row(k), &documents).1);
                    row
                });
                sheet.rows = Box::new(sourced);
            }
            print_sheet(out, manner, sheet)?;
        }
        _ => single(out, manner, lattice, answer, &reasons, &documents)?,
    }
    let line = summary(answer, &documents.borrow(), time);
    if !line.is_empty() {
        writeln!(out, "\n{}", manner.paint.faint(&line))?;
    }
    for remark in remarks(lattice, &verdict.query, answer) {
        writeln!(out, "{} {}", manner.paint.notice("note:"), plain(&remark))?;
    }
    notes(out, manner, lattice, verdict)
}

/// The answer as a program reads it: names, ids and values, no evidence.
fn machine_sheet<'a>(lattice: &'a Lattice, verdict: &'a Verdict, answer: &'a Answer) -> Sheet<'a> {
    let one = |titles: &[&str], cells: Vec<String>| {
        let headings = titles.iter().map(|t| Heading::new(*t)).collect();
        Sheet::of(headings, vec![cells.into_iter().map(Some).collect()])
    };
    let cells = |values: &[Value]| {
        let all: Vec<String> = values.iter().map(|v| words::cell(lattice, v)).collect();
        all.join(", ")
    };
    match answer {
        Answer::Rows(rows) => rows_sheet(lattice, rows),
        Answer::Count { count, .. } => one(&["count"], vec![count.to_string()]),
        Answer::Truth { value, .. } => one(&["value"], vec![value.to_string()]),
        Answer::Order {
            word, join, meet, ..
        } => one(
            &["order", "join", "meet"],
            vec![order_word(*word).to_lowercase(), cells(join), cells(meet)],
        ),
        Answer::Set(set) => match &set.members {
            Members::Instances(all) => Sheet {
                headings: vec![Heading::new("name"), Heading::new("id")],
                total: all.len(),
                rows: Box::new(all.iter().map(|i| {
                    let i = InstanceId(i);
                    vec![
                        Some(lattice.name(i).to_string()),
                        Some(lattice.id(i).to_string()),
                    ]
                })),
            },
            members => Sheet {
                headings: vec![Heading::new(title(lattice, verdict, members))],
                total: members.len(),
                rows: Box::new(member_cells(lattice, members).map(|c| vec![Some(c)])),
            },
        },
    }
}

/// The sheet with a column of marks, where an answer has any: `derived`,
/// `possible`, `as recorded`.
fn marked<'a>(mut sheet: Sheet<'a>, answer: &'a Answer) -> Sheet<'a> {
    let nobody = RoaringBitmap::new();
    let (derived, possibly, caveat) = match answer {
        Answer::Set(set) => (false, &set.possibly, Some(&set.caveat)),
        Answer::Rows(rows) => (false, &rows.possibly, Some(&rows.caveat)),
        Answer::Count { possibly, .. } => (true, possibly, None),
        Answer::Truth { caveat, .. } | Answer::Order { caveat, .. } => {
            (false, &nobody, Some(caveat))
        }
    };
    let recorded = caveat.is_some_and(Caveat::as_recorded);
    if !derived && !recorded && possibly.is_empty() {
        return sheet;
    }
    // Of instances each can be told; of values only that some hit behind them is.
    let each: Option<Vec<bool>> = match answer {
        Answer::Set(SetAnswer {
            members: Members::Instances(all),
            ..
        }) if possibly.is_subset(all) => Some(all.iter().map(|i| possibly.contains(i)).collect()),
        _ => None,
    };
    let some = !possibly.is_empty();
    sheet.headings.push(Heading::new("marks"));
    let rows = sheet.rows.enumerate().map(move |(k, mut row)| {
        let mut marks = Vec::new();
        if derived {
            marks.push("derived");
        }
        match &each {
            Some(each) if each.get(k) == Some(&true) => marks.push("possible"),
            None if some => marks.push("partly possible"),
            _ => {}
        }
        if recorded {
            marks.push("as recorded");
        }
        row.push((!marks.is_empty()).then(|| marks.join(", ")));
        row
    });
    sheet.rows = Box::new(rows);
    sheet
}

/// What the members of a set are called.
fn title(lattice: &Lattice, verdict: &Verdict, members: &Members) -> String {
    let path = returned(&verdict.query);
    match members {
        Members::Instances(_) => path.unwrap_or_else(|| "instance".to_string()),
        Members::Texts(_) => path.unwrap_or_else(|| "name".to_string()),
        Members::Values(d, _) | Members::Interval(d, _) => {
            let path = path.unwrap_or_else(|| lattice.dimension(*d).name.clone());
            words::with_unit(lattice, &path, Some(*d))
        }
    }
}

/// The members of a set, each with the words that say so.
fn set_sheet<'a>(
    lattice: &'a Lattice,
    verdict: &'a Verdict,
    set: &'a SetAnswer,
    reasons: &'a Reasons<'_>,
    documents: &'a RefCell<BTreeSet<String>>,
) -> Sheet<'a> {
    let hits = returned(&verdict.query).is_none();
    let rows: Box<dyn Iterator<Item = Row> + 'a> = match &set.members {
        Members::Instances(all) => Box::new(all.iter().map(move |i| {
            let possibly = hits && set.possibly.contains(i);
            let mark = if possibly { " (possibly)" } else { "" };
            let i = InstanceId(i);
            let sayings = reasons.of_instance(lattice, i);
            let (because, source) = quoted(&sayings, documents);
            vec![
                Some(format!("{}{mark}", words::instance(lattice, i))),
                because,
                source,
            ]
        })),
        members => Box::new(member_cells(lattice, members).map(move |cell| {
            let (because, source) = quoted(reasons.of_value(&cell), documents);
            vec![Some(cell), because, source]
        })),
    };
    let mut headings = vec![Heading::new(title(lattice, verdict, &set.members))];
    if !reasons.are_silent() {
        headings.push(Heading::text("because"));
        headings.push(Heading::new("source"));
    }
    Sheet {
        headings,
        total: set.members.len(),
        rows,
    }
}

/// The path of a RETURN with one path, as printed.
fn returned(query: &Query) -> Option<String> {
    let paths = match query {
        Query::Meet(meet) => match &meet.returns {
            Some(Return::Paths(paths)) => paths.as_slice(),
            _ => return None,
        },
        Query::Compare(crate::syntax::tree::Compare::Extremum {
            returns: Some(paths),
            ..
        }) => paths.as_slice(),
        _ => return None,
    };
    match paths {
        [path] => {
            let steps: Vec<&str> = path.steps.iter().map(|s| s.text.as_str()).collect();
            Some(steps.join("."))
        }
        _ => None,
    }
}

/// The first words that say so, and their place.
fn quoted(
    sayings: &[Saying],
    documents: &RefCell<BTreeSet<String>>,
) -> (Option<String>, Option<String>) {
    let Some(first) = sayings.first() else {
        return (None, None);
    };
    let all = sayings.iter().map(|s| s.document.clone());
    documents.borrow_mut().extend(all.filter(|d| !d.is_empty()));
    let more = match sayings.len() {
        1 => String::new(),
        n => format!(" +{}", n - 1),
    };
    (
        Some(format!("“{}”", first.text)),
        Some(format!("{}{more}", first.place)),
    )
}

fn rows_sheet<'a>(lattice: &'a Lattice, rows: &'a RowsAnswer) -> Sheet<'a> {
    let headings = rows
        .columns
        .iter()
        .map(|c| Heading::new(words::with_unit(lattice, &c.path, c.dimension)))
        .collect();
    let cells = rows.rows.iter().map(|row| {
        row.iter()
            .map(|cell| cell.as_ref().map(|v| words::cell(lattice, v)))
            .collect()
    });
    Sheet {
        headings,
        total: rows.rows.len() as u64,
        rows: Box::new(cells),
    }
}

/// TRUE, FALSE, an order or a count: no table.
fn single(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    answer: &Answer,
    reasons: &Reasons<'_>,
    documents: &RefCell<BTreeSet<String>>,
) -> io::Result<()> {
    let paint = manner.paint;
    word(out, paint, lattice, answer)?;
    let sayings = reasons.of_whole();
    for saying in sayings.iter().take(LISTED) {
        let place = paint.faint(&plain(&saying.place));
        writeln!(out, "  “{}”  {place}", plain(&saying.text))?;
    }
    if sayings.len() > LISTED {
        quoted(sayings, documents);
        let more = sayings.len() - LISTED;
        writeln!(
            out,
            "  {}",
            paint.faint(&format!(
                "and {more} more {}",
                if more == 1 { "source" } else { "sources" }
            ))
        )?;
    }
    Ok(())
}

fn word(out: &mut dyn Write, paint: Paint, lattice: &Lattice, answer: &Answer) -> io::Result<()> {
    match answer {
        Answer::Truth { value: true, .. } => writeln!(out, "{}", paint.good("true")),
        Answer::Truth { value: false, .. } => writeln!(out, "{}", paint.bad("false")),
        Answer::Count { count, of, .. } => {
            writeln!(out, "{} {}", paint.good(&count.to_string()), plain(of))
        }
        Answer::Order {
            word,
            join,
            meet,
            dimension,
            ..
        } => {
            writeln!(out, "{}", paint.good(&order_word(*word).to_lowercase()))?;
            for (what, values) in [("least above both", join), ("greatest below both", meet)] {
                if !values.is_empty() {
                    let cells: Vec<String> = values
                        .iter()
                        .map(|v| in_unit(lattice, v, *dimension))
                        .collect();
                    writeln!(out, "  {what}: {}", plain(&cells.join(", ")))?;
                }
            }
            Ok(())
        }
        Answer::Set(_) | Answer::Rows(_) => Ok(()),
    }
}

fn in_unit(lattice: &Lattice, value: &Value, d: Option<DimensionId>) -> String {
    let cell = words::cell(lattice, value);
    match d.map(|d| &lattice.dimension(d).kind) {
        Some(crate::lattice::Kind::Number { unit: Some(unit) }) => format!("{cell} {unit}"),
        _ => cell,
    }
}

/// `2 instances, from moby.txt and bats.txt, in 0.4 ms`.
fn summary(answer: &Answer, documents: &BTreeSet<String>, time: Option<Duration>) -> String {
    let mut parts = Vec::new();
    match answer {
        Answer::Set(set) => parts.push(match &set.members {
            Members::Instances(all) => count_of(all.len(), "instance", "instances"),
            Members::Values(..) | Members::Interval(..) => {
                count_of(set.members.len(), "value", "values")
            }
            Members::Texts(all) => count_of(all.len() as u64, "name", "names"),
        }),
        Answer::Rows(rows) => parts.push(count_of(rows.rows.len() as u64, "row", "rows")),
        Answer::Count { .. } => parts.push("derived by counting".to_string()),
        Answer::Truth { .. } | Answer::Order { .. } => {}
    }
    if !documents.is_empty() {
        let named: Vec<String> = documents.iter().take(3).map(|d| plain(d)).collect();
        let rest = documents.len() - named.len();
        parts.push(match rest {
            1 => format!("from {} and 1 more document", named.join(", ")),
            0 => format!("from {}", words::both(&named)),
            n => format!("from {} and {n} more documents", named.join(", ")),
        });
    }
    if let Some(time) = time {
        parts.push(format!("in {}", spent(time)));
    }
    parts.join(", ")
}

/// What a reader has to know to read the answer rightly.
fn remarks(lattice: &Lattice, query: &Query, answer: &Answer) -> Vec<String> {
    let mut all = Vec::new();
    let (possibly, without, contested, caveat) = match answer {
        Answer::Set(set) => (
            Some(&set.possibly),
            set.without_value,
            Some(&set.contested),
            Some(&set.caveat),
        ),
        Answer::Rows(rows) => (
            Some(&rows.possibly),
            rows.without_value,
            Some(&rows.contested),
            None,
        ),
        Answer::Count { possibly, .. } => (Some(possibly), 0, None, None),
        Answer::Truth { caveat, .. } | Answer::Order { caveat, .. } => {
            (None, 0, None, Some(caveat))
        }
    };
    if let Some(set) = possibly.filter(|set| !set.is_empty()) {
        all.push(format!(
            "{} only possibly: {}",
            count_of(set.len(), "hit is so", "hits are so"),
            names(lattice, set)
        ));
    }
    if without > 0 {
        all.push(format!(
            "{} no value for RETURN",
            count_of(without, "hit has", "hits have")
        ));
    }
    if let Some(set) = contested.filter(|set| !set.is_empty()) {
        all.push(format!(
            "contested values were left out: {}",
            names(lattice, set)
        ));
    }
    if let Some(caveat) = caveat.filter(|c| c.as_recorded()) {
        all.push(as_recorded(lattice, query, caveat));
    }
    all
}

fn as_recorded(lattice: &Lattice, query: &Query, caveat: &Caveat) -> String {
    let mut why = Vec::new();
    if !caveat.open.is_empty() {
        let open: Vec<String> = caveat
            .open
            .iter()
            .map(|d| lattice.dimension(*d).name.clone())
            .collect();
        let verb = if open.len() == 1 { "is" } else { "are" };
        why.push(format!("{} {verb} not COMPLETE", words::both(&open)));
    }
    if !caveat.could_change.is_empty() {
        let mut told = format!(
            "it could change through {}",
            names(lattice, &caveat.could_change)
        );
        if let Some(by) = advice::extremum_by(query)
            && advice::all_without(lattice, by, &caveat.could_change)
        {
            let verb = if caveat.could_change.len() == 1 {
                "has"
            } else {
                "have"
            };
            told.push_str(&format!(
                ", which may belong to the candidates and {verb} no recorded {}; a further \
                 condition that rules out what is not meant narrows this",
                crate::syntax::print::print_path(&by.path)
            ));
        }
        why.push(told);
    }
    if caveat.equal_as_recorded {
        why.push("values taken as equal are not known more precisely".to_string());
    }
    if caveat.unclosed {
        why.push("an unknown value may belong to a set".to_string());
    }
    format!("so only as recorded: {}", why.join("; "))
}

fn names(lattice: &Lattice, set: &RoaringBitmap) -> String {
    let mut named: Vec<String> = set
        .iter()
        .take(LISTED)
        .map(|i| words::instance(lattice, InstanceId(i)))
        .collect();
    let rest = set.len() - named.len() as u64;
    if rest > 0 {
        named.push(format!("{rest} more"));
    }
    words::both(&named)
}

/// Words that stand for several instances, and what the completion supplied.
fn notes(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    verdict: &Verdict,
) -> io::Result<()> {
    for called in &verdict.called {
        let set = called.instances.iter().map(|i| i.0).collect();
        let line = format!(
            "{} called “{}”, and all were meant: {}",
            count_of(
                called.instances.len() as u64,
                "instance is",
                "instances are"
            ),
            called.word,
            names(lattice, &set)
        );
        writeln!(out, "{} {}", manner.paint.notice("note:"), plain(&line))?;
    }
    for completed in &verdict.completed {
        let line = through_completion(lattice, completed);
        writeln!(out, "{}", manner.paint.faint(&plain(&line)))?;
    }
    Ok(())
}

/// `species: flyer ∧ mammal is no single value; through the completion {bat, colugo}`.
fn through_completion(lattice: &Lattice, completed: &Completed) -> String {
    let sign = match completed.operation {
        Operation::Meet => " ∧ ",
        Operation::Join => " ∨ ",
    };
    let mut members: Vec<String> = completed
        .members
        .iter()
        .take(LISTED)
        .map(|value| words::cell(lattice, value))
        .collect();
    let rest = completed.members.len() - members.len();
    if rest > 0 {
        members.push(format!("and {rest} more"));
    }
    format!(
        "{}: {} is no single value; through the completion {{{}}}",
        completed.dimension,
        completed.of.join(sign),
        members.join(", ")
    )
}
