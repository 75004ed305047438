//! The lines of a statement: where it breaks when it is long or holds comments.
//!
//! Every line knows the byte of the source that its first token came from, so
//! that a comment finds the line it stood at.

mod declare;
mod query;

use crate::syntax::print::{
    self, assignment_head, meet_clauses, name_unless, names, print_by, print_factor, print_name,
    print_path, print_query, print_term, quote, relation,
};
use crate::syntax::tree::{
    Across, Candidates, Chain, Comment, Compare, Constraint, DimensionDeclaration, Expectation,
    Fact, KindDeclaration, Load, Meet, Operand, OrderWord, Query, Return, SetExpression, Showing,
    Side, Span, StatementKind, Term,
};

/// The width that lines keep to where they can.
pub(crate) const WIDTH: usize = 88;

/// A line of a statement.
pub(crate) struct Line {
    pub indent: usize,
    pub text: String,
    /// Where its first token stood.
    pub start: usize,
}

/// A statement without comments, in canonical layout.
pub(crate) fn print(kind: &StatementKind) -> String {
    let lines = lines(kind, Span::default(), &[]);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", line.indent));
        }
        out.push_str(&line.text);
    }
    out
}

/// The lines of a statement that holds these comments.
pub(crate) fn lines(kind: &StatementKind, span: Span, comments: &[Comment]) -> Vec<Line> {
    let mut writer = Writer {
        lines: Vec::new(),
        comments,
    };
    writer.statement(kind, span);
    writer.lines
}

struct Writer<'c> {
    lines: Vec<Line>,
    comments: &'c [Comment],
}

/// A piece of a line that may break.
enum Piece<'t> {
    Text(String),
    /// `( query )`
    Query(&'t Query, Span),
    /// `{ a, b }`
    List(&'t [Term], Span),
}

impl Piece<'_> {
    fn flat(&self) -> String {
        match self {
            Piece::Text(text) => text.clone(),
            Piece::Query(query, _) => format!("({})", print_query(query)),
            Piece::List(list, _) => format!("{{{}}}", print::terms(list)),
        }
    }
}

pub(crate) fn span_of(term: &Term) -> Span {
    match term {
        Term::Name(name) => name.span,
        Term::Id { span, .. }
        | Term::Named { span, .. }
        | Term::Number { span, .. }
        | Term::Date { span, .. }
        | Term::Range { span, .. }
        | Term::Parameter { span, .. }
        | Term::Hole { span, .. } => *span,
    }
}

pub(crate) fn span_of_constraint(constraint: &Constraint) -> Span {
    match constraint {
        Constraint::And(_, span)
        | Constraint::Or(_, span)
        | Constraint::Not(_, span)
        | Constraint::Possibly(_, span)
        | Constraint::Test { span, .. }
        | Constraint::In { span, .. }
        | Constraint::Has { span, .. } => *span,
    }
}

pub(crate) fn span_of_query(query: &Query) -> Span {
    match query {
        Query::Meet(meet) => meet.span,
        Query::Abstain { span, .. } => *span,
        Query::Read(read) => read.span,
        Query::Compare(
            Compare::Relate { span, .. }
            | Compare::Holds { span, .. }
            | Compare::Extremum { span, .. }
            | Compare::Bound { span, .. }
            | Compare::Order { span, .. },
        ) => *span,
    }
}

fn fits(indent: usize, text: &str) -> bool {
    // Counting bytes first saves counting characters most of the time.
    text.len() + 2 * indent <= WIDTH || text.chars().count() + 2 * indent <= WIDTH
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: impl Into<String>, start: usize) {
        self.lines.push(Line {
            indent,
            text: text.into(),
            start,
        });
    }

    /// Whether a comment stands inside.
    fn commented(&self, span: Span) -> bool {
        let first = self
            .comments
            .partition_point(|comment| comment.span.start < span.start);
        self.comments
            .get(first)
            .is_some_and(|comment| comment.span.start < span.end)
    }

    fn statement(&mut self, kind: &StatementKind, span: Span) {
        match kind {
            StatementKind::Dimension(declared) => self.dimension(declared, span),
            StatementKind::Wording { dimension, aka } => {
                let head = format!("DIMENSION {} AKA ", print_name(dimension));
                self.listed(&head, aka, "", 0, span);
            }
            StatementKind::Synonym {
                words,
                value,
                dimension,
            } => {
                let tail = format!("= {} IN {}", print_name(value), print_name(dimension));
                self.listed("SYNONYM ", words, &tail, value.span.start, span);
            }
            StatementKind::Alias { words, instance } => {
                let tail = format!("= {}", print_term(instance));
                self.listed("ALIAS ", words, &tail, span_of(instance).start, span);
            }
            StatementKind::Instance { instance, aka } if aka.is_empty() => {
                self.line(0, format!("INSTANCE {}", print_term(instance)), span.start);
            }
            StatementKind::Instance { instance, aka } => {
                self.listed(
                    &format!("INSTANCE {} AKA ", print_term(instance)),
                    aka,
                    "",
                    0,
                    span,
                );
            }
            StatementKind::Fact(fact) => self.fact(fact, 0, "", span),
            StatementKind::Let { name, query } => {
                self.query(
                    &format!("LET {} = ", print_name(name)),
                    query,
                    0,
                    span.start,
                );
            }
            StatementKind::Query(query) => self.query("", query, 0, span.start),
            StatementKind::Explain(query) => self.query("EXPLAIN ", query, 0, span.start),
            StatementKind::Expect(expected) => self.expectation(expected, span),
            StatementKind::Concepts(across) => self.across("CONCEPTS ", across, span),
            StatementKind::Implications(across) => self.across("IMPLICATIONS ", across, span),
            StatementKind::Suggest(query) => self.query("SUGGEST ", query, 0, span.start),
            StatementKind::Load(load) => self.load(load, span),
            StatementKind::Defect(defect) => self.defect(defect, span),
            StatementKind::PatternQuestion { wording, query } => {
                let head = format!("PATTERN QUESTION {} =>", quote(wording));
                let flat = format!("{head} {}", print_query(query));
                if fits(0, &flat) && !self.commented(span) {
                    self.line(0, flat, span.start);
                } else {
                    self.line(0, head, span.start);
                    self.query("", query, 1, span_of_query(query).start);
                }
            }
            StatementKind::PatternText { wording, facts } => self.pattern(wording, facts, span),
            other => self.line(0, simple(other), span.start),
        }
    }

    fn across(&mut self, head: &str, across: &Across, span: Span) {
        let support = across.support.as_ref();
        let tail = support.map_or(String::new(), |n| format!(" SUPPORT {n}"));
        self.listed(head, &across.dimensions, &tail, 0, span);
    }

    /// `HEAD a, b, c TAIL`, filled over several lines if need be.
    fn listed(
        &mut self,
        head: &str,
        list: &[crate::syntax::tree::Name],
        tail: &str,
        at: usize,
        span: Span,
    ) {
        let flat = format!("{head}{} {tail}", names(list));
        let flat = flat.trim_end();
        if fits(0, flat) && !self.commented(span) {
            self.line(0, flat, span.start);
            return;
        }
        let items = list
            .iter()
            .map(|name| (print_name(name), name.span.start))
            .collect();
        self.fill(head.to_owned(), items, 0, span);
        if !tail.is_empty() {
            self.line(1, tail, at);
        }
    }

    /// Items with commas, as many on a line as fit; one on each beside comments.
    fn fill(&mut self, head: String, items: Vec<(String, usize)>, indent: usize, span: Span) {
        let apart = self.commented(span);
        let (mut current, mut start, mut depth) = (head, span.start, indent);
        let mut filled = false;
        let count = items.len();
        for (index, (item, place)) in items.into_iter().enumerate() {
            let comma = if index + 1 < count { "," } else { "" };
            let gap = if filled { " " } else { "" };
            if filled && (apart || !fits(depth, &format!("{current}{gap}{item}{comma}"))) {
                self.line(depth, std::mem::take(&mut current), start);
                (depth, start) = (indent + 1, place);
                current = format!("{item}{comma}");
            } else {
                current = format!("{current}{gap}{item}{comma}");
            }
            filled = true;
        }
        self.line(depth, current.trim_end().to_owned(), start);
    }

    fn expectation(&mut self, expected: &Expectation, span: Span) {
        match expected {
            Expectation::Set(list) => {
                let pieces = vec![Piece::Text("EXPECT ".to_owned()), Piece::List(list, span)];
                self.pieces(pieces, 0, span.start);
            }
            Expectation::Rows(rows) => self.rows(rows, span),
            Expectation::Count(count) => self.line(0, format!("EXPECT COUNT {count}"), span.start),
            Expectation::Truth(truth) => {
                self.line(
                    0,
                    if *truth {
                        "EXPECT TRUE"
                    } else {
                        "EXPECT FALSE"
                    },
                    span.start,
                );
            }
            Expectation::Order(word) => {
                let word = match word {
                    OrderWord::Less => "LESS",
                    OrderWord::Greater => "GREATER",
                    OrderWord::Equal => "EQUAL",
                    OrderWord::Incomparable => "INCOMPARABLE",
                };
                self.line(0, format!("EXPECT {word}"), span.start);
            }
            Expectation::Abstain(code) => {
                let code = code
                    .as_ref()
                    .map_or(String::new(), |code| format!(" {}", print_name(code)));
                self.line(0, format!("EXPECT ABSTAIN{code}"), span.start);
            }
        }
    }

    fn rows(&mut self, rows: &[Vec<Option<Term>>], span: Span) {
        let shown: Vec<String> = rows.iter().map(|row| print_row(row)).collect();
        let flat = format!("EXPECT ROWS {{{}}}", shown.join(", "));
        if fits(0, &flat) && !self.commented(span) {
            self.line(0, flat, span.start);
            return;
        }
        self.line(0, "EXPECT ROWS {", span.start);
        let mut start = span.start;
        for (index, (row, text)) in rows.iter().zip(shown).enumerate() {
            let comma = if index + 1 < rows.len() { "," } else { "" };
            let first = row.iter().flatten().next();
            start = first.map_or(start, |term| span_of(term).start);
            self.line(1, format!("{text}{comma}"), start);
        }
        self.line(0, "}", span.end.saturating_sub(1));
    }
}

fn print_row(row: &[Option<Term>]) -> String {
    let cells: Vec<String> = row
        .iter()
        .map(|cell| match cell {
            None => "NULL".to_owned(),
            Some(Term::Name(name)) => name_unless(name, |word| word.eq_ignore_ascii_case("NULL")),
            Some(term) => print_term(term),
        })
        .collect();
    format!("({})", cells.join(", "))
}

/// Statements that never break.
fn simple(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Unit { name, factor, base } => {
            format!("UNIT {} = {factor} {}", print_name(name), print_name(base))
        }
        StatementKind::Retract { from } => format!("RETRACT FROM {}", quote(from)),
        StatementKind::Check(name) => format!("CHECK {}", print_name(name)),
        StatementKind::Width(name) => format!("WIDTH {}", print_name(name)),
        StatementKind::Independence(a, b) => {
            format!("INDEPENDENCE {}, {}", print_name(a), print_name(b))
        }
        StatementKind::Show(showing) => match showing {
            Showing::Dimensions => "SHOW DIMENSIONS".to_owned(),
            Showing::Instances => "SHOW INSTANCES".to_owned(),
            Showing::Documents => "SHOW DOCUMENTS".to_owned(),
            Showing::Dimension(name) => {
                let listed = ["DIMENSIONS", "INSTANCES", "DOCUMENTS"];
                let keyword = |word: &str| listed.iter().any(|l| l.eq_ignore_ascii_case(word));
                format!("SHOW {}", name_unless(name, keyword))
            }
        },
        StatementKind::Describe(term) => format!("DESCRIBE {}", print_term(term)),
        StatementKind::Open { file, at, .. } => {
            let at = at
                .as_ref()
                .map_or(String::new(), |at| format!(" AT {}", quote(at)));
            format!("OPEN {}{at}", quote(file))
        }
        StatementKind::Use(path) => format!("USE {}", print_path(path)),
        StatementKind::Explain(query) | StatementKind::Query(query) => print_query(query),
        _ => String::new(),
    }
}
