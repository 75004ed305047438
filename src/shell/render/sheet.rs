//! Columns and rows, and the five forms they are printed in.

use super::super::terminal::{Paint, grouped, plain};
use comfy_table::{
    Attribute, Cell as TableCell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle,
    Row as TableRow, Table, TableStyle, Width,
};
use std::io::{self, Write};

/// Rows on a terminal unless all are asked for.
pub const FIRST_ROWS: usize = 40;
/// Rows that are laid out at once, so that memory does not grow with an answer.
const BATCH: usize = 1_000;

/// A column's heading and how its cells stand.
#[derive(Clone, Debug)]
pub struct Heading {
    /// Its title.
    pub title: String,
    /// Whether cells are numbers and stand to the right.
    pub right: bool,
    /// Whether cells may be cut where the terminal is too narrow.
    pub may_shrink: bool,
}

impl Heading {
    /// A column of names or values, shown whole.
    pub fn new(title: impl Into<String>) -> Heading {
        Heading {
            title: title.into(),
            right: false,
            may_shrink: false,
        }
    }
    /// A column of numbers.
    pub fn number(title: impl Into<String>) -> Heading {
        Heading {
            right: true,
            ..Heading::new(title)
        }
    }
    /// A column of running text.
    pub fn text(title: impl Into<String>) -> Heading {
        Heading {
            may_shrink: true,
            ..Heading::new(title)
        }
    }
}

/// One row; `None` is a missing cell.
pub type Row = Vec<Option<String>>;

/// Columns and rows. Rows are made when they are needed.
pub struct Sheet<'a> {
    /// The columns.
    pub headings: Vec<Heading>,
    /// How many rows there are.
    pub total: u64,
    /// The rows.
    pub rows: Box<dyn Iterator<Item = Row> + 'a>,
}

impl<'a> Sheet<'a> {
    /// A sheet of rows that exist already.
    pub fn of(headings: Vec<Heading>, rows: Vec<Row>) -> Sheet<'a> {
        Sheet {
            headings,
            total: rows.len() as u64,
            rows: Box::new(rows.into_iter()),
        }
    }

    /// Prints an aligned table; at most `limit` rows where there is one. Gives
    /// the number of rows that were left out.
    pub fn table(
        mut self,
        out: &mut dyn Write,
        paint: Paint,
        width: Option<usize>,
        limit: Option<usize>,
    ) -> io::Result<u64> {
        let limit = limit.unwrap_or(usize::MAX);
        let mut widths: Vec<u16> = Vec::new();
        let mut printed = 0_usize;
        loop {
            let wanted = BATCH.min(limit - printed);
            let batch: Vec<Row> = self.rows.by_ref().take(wanted).collect();
            if batch.is_empty() && printed > 0 {
                break;
            }
            let count = batch.len();
            let mut table = layout(&self.headings, batch, paint, width, printed == 0);
            widen(&mut table, &mut widths);
            for line in table.lines() {
                writeln!(out, "{}", line.trim_end())?;
            }
            printed += count;
            if count < wanted || printed >= limit {
                break;
            }
        }
        Ok(self.total.saturating_sub(printed as u64))
    }

    /// Prints comma- or tab-separated values with a heading line. In TSV a tab, line
    /// break or backslash within a cell is written `\t`, `\n`, `\\`.
    pub fn separated(self, out: &mut dyn Write, tabs: bool) -> io::Result<()> {
        if tabs {
            let titles: Vec<String> = self.headings.iter().map(|h| escaped(&h.title)).collect();
            writeln!(out, "{}", titles.join("\t"))?;
            for row in self.rows {
                let cells: Vec<String> = row
                    .iter()
                    .map(|c| c.as_deref().map(escaped).unwrap_or_default())
                    .collect();
                writeln!(out, "{}", cells.join("\t"))?;
            }
            return Ok(());
        }
        let mut writer = csv::WriterBuilder::new().from_writer(out);
        let titles = self.headings.iter().map(|h| h.title.as_str());
        writer.write_record(titles).map_err(io::Error::from)?;
        for row in self.rows {
            let cells = row.iter().map(|c| c.as_deref().unwrap_or_default());
            writer.write_record(cells).map_err(io::Error::from)?;
        }
        writer.flush()
    }

    /// Prints a Markdown table.
    pub fn markdown(self, out: &mut dyn Write) -> io::Result<()> {
        let cell = |text: &str| plain(text).replace('\\', "\\\\").replace('|', "\\|");
        let titles: Vec<String> = self.headings.iter().map(|h| cell(&h.title)).collect();
        writeln!(out, "| {} |", titles.join(" | "))?;
        let rules: Vec<&str> = self
            .headings
            .iter()
            .map(|h| if h.right { "---:" } else { "---" })
            .collect();
        writeln!(out, "| {} |", rules.join(" | "))?;
        for row in self.rows {
            let cells: Vec<String> = row
                .iter()
                .map(|c| c.as_deref().map(cell).unwrap_or_default())
                .collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }
}

/// The line under a table that was cut.
pub fn more_rows(left_out: u64, repl: bool) -> String {
    let rows = if left_out == 1 { "row" } else { "rows" };
    let how = if repl { "`.all`" } else { "`--all`" };
    format!(
        "{} more {rows}; {how} or a pipe shows them",
        grouped(left_out)
    )
}

fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

fn layout(
    headings: &[Heading],
    rows: Vec<Row>,
    paint: Paint,
    width: Option<usize>,
    first: bool,
) -> Table {
    const STYLE: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut table = Table::new();
    table.load_style(STYLE);
    if paint.on() {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    if first {
        let titles = headings.iter().map(|h| {
            let cell = TableCell::new(plain(&h.title));
            if paint.on() {
                cell.add_attribute(Attribute::Bold)
            } else {
                cell
            }
        });
        table.set_header(titles.collect::<Vec<_>>());
    }
    for row in rows {
        let cells = row.into_iter().zip(headings).map(|(cell, heading)| {
            let cell = match cell {
                Some(text) => TableCell::new(plain(&text)),
                None => TableCell::new("–"),
            };
            if heading.right {
                cell.set_alignment(CellAlignment::Right)
            } else {
                cell
            }
        });
        let mut line = TableRow::from(cells.collect::<Vec<_>>());
        if width.is_some() {
            line.max_height(1);
        }
        table.add_row(line);
    }
    if width.is_some() && headings.iter().any(|h| h.may_shrink) {
        keep_names_whole(&mut table, headings, width);
    }
    table
}

/// On a terminal running text is cut before names are: a column of names keeps
/// its width as long as that is at most half of the terminal.
fn keep_names_whole(table: &mut Table, headings: &[Heading], width: Option<usize>) {
    let Some(width) = width else { return };
    let contents = table.column_max_content_widths();
    for (k, heading) in headings.iter().enumerate() {
        let content = contents.get(k).copied().unwrap_or(0);
        if !heading.may_shrink
            && usize::from(content) <= width / 2
            && let Some(column) = table.column_mut(k)
        {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// Makes the columns of a later batch at least as wide as those before it.
fn widen(table: &mut Table, widths: &mut Vec<u16>) {
    let contents = table.column_max_content_widths();
    widths.resize(contents.len().max(widths.len()), 0);
    for (k, (known, content)) in widths.iter_mut().zip(contents).enumerate() {
        if content <= *known {
            if let Some(column) = table.column_mut(k) {
                let whole = known.saturating_add(2);
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(whole)));
            }
        } else {
            *known = content;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet<'static> {
        Sheet::of(
            vec![Heading::new("name"), Heading::number("length")],
            vec![
                vec![Some("a|b".into()), Some("1".into())],
                vec![Some("c\td".into()), None],
            ],
        )
    }

    fn printed(print: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn separators_within_cells_are_kept_apart() {
        let tsv = printed(|out| sheet().separated(out, true));
        assert_eq!(tsv, "name\tlength\na|b\t1\nc\\td\t\n");
        let csv = printed(|out| sheet().separated(out, false));
        assert_eq!(csv, "name,length\na|b,1\nc\td,\n");
        let markdown = printed(|out| sheet().markdown(out));
        assert!(markdown.contains("| a\\|b | 1 |"), "{markdown}");
    }

    #[test]
    fn a_long_table_is_printed_whole_in_batches() {
        let rows = (0..2_500).map(|k| vec![Some(k.to_string())]).collect();
        let sheet = Sheet::of(vec![Heading::new("n")], rows);
        let mut out = Vec::new();
        let left = sheet.table(&mut out, Paint::PLAIN, None, None).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(left, 0);
        assert_eq!(text.lines().count(), 2_502);
    }

    #[test]
    fn a_terminal_shows_the_first_rows() {
        let rows = (0..100).map(|k| vec![Some(k.to_string())]).collect();
        let sheet = Sheet::of(vec![Heading::new("n")], rows);
        let mut out = Vec::new();
        let left = sheet
            .table(&mut out, Paint::PLAIN, Some(40), Some(40))
            .unwrap();
        assert_eq!(left, 60);
    }
}
