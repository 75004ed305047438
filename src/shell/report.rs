//! What loading did, for people.

use super::render::{Heading, Row, Sheet};
use super::terminal::{Terminal, count_of, grouped, plain};
use crate::lattice::Multiplicity;
use crate::load::Report;
use std::io::{self, Write};

/// Lines told one by one; the rest are counted.
const TOLD: usize = 10;

/// Tells on standard error what was skipped, set aside or is to be looked at.
pub fn warnings(report: &Report, terminal: &Terminal) {
    for line in report.skipped.iter().take(TOLD) {
        terminal.warn(&format!("{} (skipped)", plain(&line.to_string())));
    }
    rest(report.skipped_count, "bad line", "bad lines", terminal);
    for (document, reason) in report.quarantined.iter().take(TOLD) {
        let reason = plain(reason);
        terminal.warn(&format!("{} is set aside: {reason}", plain(document)));
    }
    rest(report.quarantined.len() as u64, "file", "files", terminal);
    for cycle in report.cycles.iter().take(TOLD) {
        let cycle = plain(&cycle.to_string());
        terminal.warn(&format!("{cycle}; its members are one value"));
    }
    rest(report.cycles.len() as u64, "cycle", "cycles", terminal);
    for warning in report.warnings.iter().take(TOLD) {
        terminal.warn(&plain(warning));
    }
    rest(report.warning_count, "warning", "warnings", terminal);
}

fn rest(all: u64, one: &str, many: &str, terminal: &Terminal) {
    let more = all.saturating_sub(TOLD as u64);
    if more > 0 {
        terminal.warn(&format!(
            "and {} more {}",
            grouped(more),
            if more == 1 { one } else { many }
        ));
    }
}

/// What columns became, as a table.
pub fn inferred(report: &Report, out: &mut dyn Write, terminal: &Terminal) -> io::Result<()> {
    if report.inferred.is_empty() {
        return Ok(());
    }
    let rows: Vec<Row> = report
        .inferred
        .iter()
        .map(|c| {
            let times = match c.multiplicity {
                Multiplicity::One => "ONE",
                Multiplicity::Many => "MANY",
            };
            let declared = if c.declared { ", declared" } else { "" };
            let times = format!("{times}{declared}");
            [&c.table, &c.column, &c.dimension, c.kind, &times]
                .into_iter()
                .map(|cell: &str| Some(cell.to_string()))
                .collect()
        })
        .collect();
    let headings = ["table", "column", "dimension", "kind", "values"];
    let sheet = Sheet::of(headings.iter().map(|h| Heading::new(*h)).collect(), rows);
    sheet.table(out, terminal.paint, terminal.width, None)?;
    writeln!(out)
}

/// `134,741 statements from 134,741 lines`: several may state one fact.
pub fn in_short(report: &Report) -> String {
    let mut parts = vec![format!(
        "{} from {}",
        count_of(report.facts, "statement", "statements"),
        count_of(report.lines, "line", "lines")
    )];
    if report.repeated > 0 {
        parts.push(count_of(report.repeated, "line repeats", "lines repeat") + " an earlier one");
    }
    if report.skipped_count > 0 {
        parts.push(count_of(report.skipped_count, "bad line", "bad lines") + " skipped");
    }
    if !report.cycles.is_empty() {
        let cycles = report.cycles.len() as u64;
        parts.push(count_of(cycles, "cycle", "cycles") + " made one value");
    }
    if !report.quarantined.is_empty() {
        let files = report.quarantined.len() as u64;
        parts.push(count_of(files, "file", "files") + " set aside");
    }
    parts.join(", ")
}
