//! The lines of a statement: where it breaks when it is long or holds comments.
//!
//! Every line knows the byte of the source that its first token came from, so
//! that a comment finds the line it stood at.

use super::print::{
    self, assignment_head, meet_clauses, name_unless, names, print_by, print_factor, print_name,
    print_path, print_query, print_term, quote, relation,
};
use super::tree::{
    Candidates, Chain, Comment, Compare, Constraint, DimensionDeclaration, Expectation, Fact,
    KindDeclaration, Load, Meet, Operand, OrderWord, Query, Return, SetExpression, Showing, Side,
    Span, StatementKind, Term,
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
            StatementKind::Concepts(list) => self.listed("CONCEPTS ", list, "", 0, span),
            StatementKind::Load(load) => self.load(load, span),
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

    /// `HEAD a, b, c TAIL`, filled over several lines if need be.
    fn listed(
        &mut self,
        head: &str,
        list: &[super::tree::Name],
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

    fn query(&mut self, lead: &str, query: &Query, indent: usize, start: usize) {
        self.query_within(lead, query, indent, start, span_of_query(query));
    }

    /// A query that breaks if a comment stands in `span`: its own, or that of the
    /// parentheses around it, so that a comment moved to their end breaks it still.
    fn query_within(&mut self, lead: &str, query: &Query, indent: usize, start: usize, span: Span) {
        let flat = format!("{lead}{}", print_query(query));
        let whole = matches!(query, Query::Read(_) | Query::Abstain { .. });
        if fits(indent, &flat) && (whole || !self.commented(span)) {
            self.line(indent, flat, start);
            return;
        }
        match query {
            Query::Meet(meet) => self.meet(lead, meet, indent, start),
            Query::Compare(compare) => self.compare(lead, compare, indent, start),
            Query::Abstain { .. } => self.line(indent, flat, start),
            Query::Read(read) => {
                let (head, record) = print::read_parts(read);
                self.line(indent, format!("{lead}{head}"), start);
                if let Some(record) = record {
                    self.line(indent + 1, record, start);
                }
            }
        }
    }

    fn meet(&mut self, lead: &str, meet: &Meet, indent: usize, start: usize) {
        let lead = format!("{lead}MEET ");
        match &meet.constraint {
            Constraint::And(list, _) => self.joined(&lead, list, "AND ", indent, start),
            Constraint::Or(list, _) => self.joined(&lead, list, "OR ", indent, start),
            other => self.factor(&lead, other, indent, start),
        }
        let clauses = meet_clauses(meet);
        if !clauses.is_empty() {
            // On one line: only what RETURN names knows where it stood.
            let last = meet.span.end.saturating_sub(1);
            let place = match &meet.returns {
                Some(Return::Paths(list)) => list.first().map_or(last, |path| path.span.start),
                Some(Return::Count(Some(path))) => path.span.start,
                _ => last,
            };
            self.line(indent + 1, clauses.join(" "), place);
        }
    }

    fn joined(&mut self, lead: &str, list: &[Constraint], word: &str, indent: usize, start: usize) {
        for (index, part) in list.iter().enumerate() {
            if index == 0 {
                self.factor(lead, part, indent, start);
            } else {
                self.factor(word, part, indent + 1, span_of_constraint(part).start);
            }
        }
    }

    fn factor(&mut self, lead: &str, constraint: &Constraint, indent: usize, start: usize) {
        let flat = format!("{lead}{}", print_factor(constraint));
        if fits(indent, &flat) && !self.commented(span_of_constraint(constraint)) {
            self.line(indent, flat, start);
            return;
        }
        match constraint {
            Constraint::And(list, span) => self.group(lead, list, "AND ", *span, indent, start),
            Constraint::Or(list, span) => self.group(lead, list, "OR ", *span, indent, start),
            Constraint::Not(inner, _) => self.factor(&format!("{lead}NOT "), inner, indent, start),
            Constraint::Possibly(inner, _) => {
                self.factor(&format!("{lead}POSSIBLY "), inner, indent, start);
            }
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            } => {
                let head = format!("{lead}{} {} ", print_path(path), print::operator(*operator));
                let piece = match operand {
                    Operand::Query { query, span } => Piece::Query(query, *span),
                    Operand::Term(term) => Piece::Text(print_term(term)),
                };
                self.pieces(vec![Piece::Text(head), piece], indent, start);
            }
            Constraint::In { path, set, .. } => {
                let head = format!("{lead}{} IN ", print_path(path));
                self.pieces(vec![Piece::Text(head), set_piece(set)], indent, start);
            }
            Constraint::Has { .. } => self.line(indent, flat, start),
        }
    }

    fn group(
        &mut self,
        lead: &str,
        list: &[Constraint],
        word: &str,
        span: Span,
        indent: usize,
        start: usize,
    ) {
        self.line(indent, format!("{lead}("), start);
        for (index, part) in list.iter().enumerate() {
            let lead = if index == 0 { "" } else { word };
            self.factor(lead, part, indent + 1, span_of_constraint(part).start);
        }
        self.line(indent, ")", span.end.saturating_sub(1));
    }

    /// Pieces one after another; queries and lists break where they must.
    fn pieces(&mut self, pieces: Vec<Piece<'_>>, indent: usize, start: usize) {
        let (mut current, mut start) = (String::new(), start);
        for piece in pieces {
            let flat = piece.flat();
            let span = match &piece {
                Piece::Text(_) => None,
                Piece::Query(_, span) | Piece::List(_, span) => Some(*span),
            };
            let breaks = span.is_some_and(|span| {
                self.commented(span) || !fits(indent, &format!("{current}{flat}"))
            });
            if !breaks {
                current.push_str(&flat);
                continue;
            }
            match &piece {
                Piece::Query(query, _) => {
                    self.line(indent, format!("{current}("), start);
                    let start = span_of_query(query).start;
                    self.query_within("", query, indent + 1, start, span.unwrap_or_default());
                    current = ")".to_owned();
                }
                Piece::List(list, _) => {
                    self.line(indent, format!("{current}{{"), start);
                    for (index, term) in list.iter().enumerate() {
                        let comma = if index + 1 < list.len() { "," } else { "" };
                        let text = format!("{}{comma}", print_term(term));
                        self.line(indent + 1, text, span_of(term).start);
                    }
                    current = "}".to_owned();
                }
                Piece::Text(_) => {}
            }
            start = span.map_or(start, |span| span.end.saturating_sub(1));
        }
        self.line(indent, current, start);
    }

    fn compare(&mut self, lead: &str, compare: &Compare, indent: usize, start: usize) {
        let text = |text: String| Piece::Text(text);
        let pieces = match compare {
            Compare::Relate {
                left,
                relation: sign,
                right,
                by,
                ..
            } => {
                let mut pieces = vec![text(format!("{lead}COMPARE ")), side_piece(left)];
                pieces.push(text(format!(" {} ", relation(*sign))));
                pieces.push(side_piece(right));
                pieces.extend(by.as_ref().map(|by| text(format!(" {}", print_by(by)))));
                pieces
            }
            Compare::Holds {
                subject,
                constraint,
                ..
            } => {
                let lead = format!("{lead}COMPARE {} BY ", print_term(subject));
                self.factor(&lead, constraint, indent, start);
                return;
            }
            Compare::Extremum {
                extreme,
                of,
                by,
                returns,
                ..
            } => {
                let of = match of {
                    Candidates::Set(set) => set_piece(set),
                    Candidates::Terms(list) => text(print::terms(list)),
                };
                let head = format!("{lead}COMPARE {} OF ", print::extreme(*extreme));
                let mut pieces = vec![text(head), of, text(format!(" {}", print_by(by)))];
                let shown = |list: &Vec<super::tree::Path>| {
                    let list: Vec<String> = list.iter().map(print_path).collect();
                    text(format!(" RETURN {}", list.join(", ")))
                };
                pieces.extend(returns.as_ref().map(shown));
                pieces
            }
            Compare::Order {
                left, right, by, ..
            } => vec![text(format!(
                "{lead}COMPARE {}, {} {}",
                print_term(left),
                print_term(right),
                print_by(by)
            ))],
        };
        self.pieces(pieces, indent, start);
    }

    fn fact(&mut self, fact: &Fact, indent: usize, end: &str, span: Span) {
        let head = format!("FACT {}", print_term(&fact.subject));
        let assignments: Vec<String> = fact.assignments.iter().map(flat_assignment).collect();
        let mut tail = Vec::new();
        tail.extend(
            fact.confidence
                .as_ref()
                .map(|confidence| format!("CONFIDENCE {confidence}")),
        );
        tail.extend(fact.source.as_ref().map(print::source));
        let tail = tail.join(" ");
        let gap = if tail.is_empty() { "" } else { " " };
        let commented = self.commented(span);
        let first = format!("{head} {}", assignments.join(", "));
        let flat = format!("{first}{gap}{tail}{end}");
        if !commented && (tail.is_empty() && fits(indent, &first) || fits(indent, &flat)) {
            self.line(indent, flat, span.start);
            return;
        }
        if !commented && fits(indent, &first) {
            self.line(indent, first, span.start);
        } else {
            self.line(indent, head, span.start);
            let end = if tail.is_empty() { end } else { "" };
            self.assignments(fact, indent + 1, end, span);
        }
        if !tail.is_empty() {
            let last = span.end.saturating_sub(1);
            self.line(indent + 1, format!("{tail}{end}"), last);
        }
    }

    fn assignments(&mut self, fact: &Fact, indent: usize, end: &str, span: Span) {
        for (index, assignment) in fact.assignments.iter().enumerate() {
            let next = fact.assignments.get(index + 1);
            let comma = if next.is_some() { "," } else { end };
            let start = assignment.dimension.span.start;
            let flat = format!("{}{comma}", flat_assignment(assignment));
            if fits(indent, &flat) || assignment.values.len() < 2 {
                self.line(indent, flat, start);
                continue;
            }
            self.line(indent, format!("{}{{", assignment_head(assignment)), start);
            for (index, term) in assignment.values.iter().enumerate() {
                let comma = if index + 1 < assignment.values.len() {
                    ","
                } else {
                    ""
                };
                let text = format!("{}{comma}", print_term(term));
                self.line(indent + 1, text, span_of(term).start);
            }
            // The brace has no span of its own: it stands before what follows.
            let limit = next.map_or(span.end, |next| next.dimension.span.start);
            self.line(indent, format!("}}{comma}"), limit.saturating_sub(1));
        }
    }

    fn pattern(&mut self, wording: &str, facts: &[Fact], span: Span) {
        let head = format!("PATTERN TEXT {} =>", quote(wording));
        let mut inner = Writer {
            lines: Vec::new(),
            comments: &[],
        };
        for (index, fact) in facts.iter().enumerate() {
            let end = if index + 1 < facts.len() { "," } else { "" };
            let start = span_of(&fact.subject).start;
            let next = facts.get(index + 1);
            let limit = next.map_or(span.end, |next| span_of(&next.subject).start);
            inner.fact(fact, 1, end, Span::new(start, limit));
        }
        if let [only] = inner.lines.as_slice()
            && fits(0, &format!("{head} {}", only.text))
            && !self.commented(span)
        {
            self.line(0, format!("{head} {}", only.text), span.start);
            return;
        }
        self.line(0, head, span.start);
        self.lines.append(&mut inner.lines);
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

    fn dimension(&mut self, declared: &DimensionDeclaration, span: Span) {
        let head = dimension_head(declared);
        let aka = match declared.aka.as_slice() {
            [] => String::new(),
            list => format!("AKA {}", names(list)),
        };
        let flat = format!("{head} {aka}");
        if let [only] = declared.chains.as_slice()
            && only.upper.is_empty()
            && aka.is_empty()
            && !self.commented(span)
        {
            let text = format!("{head} {}", chain_flat(only, true));
            if fits(0, &text) {
                self.line(0, text, span.start);
                return;
            }
        }
        if fits(0, flat.trim_end()) || aka.is_empty() {
            self.line(0, flat.trim_end(), span.start);
        } else {
            self.line(0, head, span.start);
            let first = declared
                .aka
                .first()
                .map_or(span.start, |name| name.span.start);
            self.line(1, aka, first);
        }
        for (index, chain) in declared.chains.iter().enumerate() {
            self.chain(chain, index == 0);
        }
    }

    fn chain(&mut self, chain: &Chain, first: bool) {
        let flat = chain_flat(chain, first);
        let apart = self.commented(chain.span);
        if fits(1, &flat) && !apart {
            self.line(1, flat, chain.span.start);
            return;
        }
        let uppers = chain.upper.len();
        let count = uppers + chain.last.len();
        let (mut current, mut start, mut depth) = (String::new(), chain.span.start, 1);
        for (index, name) in chain.upper.iter().chain(&chain.last).enumerate() {
            let sign = match index {
                _ if index < uppers => " >",
                _ if index + 1 < count => ",",
                _ => "",
            };
            let item = format!("{}{sign}", chain_name(name, first && index == 0));
            if current.is_empty() {
                current = item;
            } else if apart || !fits(depth, &format!("{current} {item}")) {
                self.line(depth, std::mem::replace(&mut current, item), start);
                (depth, start) = (2, name.span.start);
            } else {
                current = format!("{current} {item}");
            }
        }
        self.line(depth, current, start);
    }

    fn load(&mut self, load: &Load, span: Span) {
        let head = print::load_head(load);
        let mut clauses: Vec<(String, usize)> = Vec::new();
        let at = |list: &[super::tree::Name]| list.first().map_or(0, |name| name.span.start);
        if !load.key.is_empty() {
            clauses.push((format!("KEY {}", names(&load.key)), at(&load.key)));
        }
        for (index, column) in load.columns.iter().enumerate() {
            let comma = if index + 1 < load.columns.len() {
                ","
            } else {
                ""
            };
            let lead = if index == 0 { "COLUMN " } else { "  " };
            clauses.push((
                format!("{lead}{}{comma}", print::column(column)),
                column.name.span.start,
            ));
        }
        if !load.omit.is_empty() {
            clauses.push((format!("OMIT {}", names(&load.omit)), at(&load.omit)));
        }
        if !load.one.is_empty() {
            clauses.push((format!("ONE {}", names(&load.one)), at(&load.one)));
        }
        let texts: Vec<&str> = clauses.iter().map(|(text, _)| text.trim_start()).collect();
        let flat = format!("{head} {}", texts.join(" "));
        if fits(0, flat.trim_end()) && !self.commented(span) {
            self.line(0, flat.trim_end(), span.start);
            return;
        }
        self.line(0, head, span.start);
        // Clauses may have stood in another order; comments follow the latest.
        let mut latest = span.start;
        for (text, start) in clauses {
            latest = latest.max(start);
            self.line(1, text, latest);
        }
    }
}

fn set_piece(set: &SetExpression) -> Piece<'_> {
    match set {
        SetExpression::Elements { elements, span } => Piece::List(elements, *span),
        SetExpression::Query { query, span } => Piece::Query(query, *span),
        other => Piece::Text(print::print_set(other)),
    }
}

fn side_piece(side: &Side) -> Piece<'_> {
    match side {
        Side::Term(term) => Piece::Text(print_term(term)),
        Side::Set(set) => set_piece(set),
    }
}

fn flat_assignment(assignment: &super::tree::Assignment) -> String {
    let values = match assignment.values.as_slice() {
        [only] => print_term(only),
        list => format!("{{{}}}", print::terms(list)),
    };
    format!("{}{values}", assignment_head(assignment))
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

fn dimension_head(declared: &DimensionDeclaration) -> String {
    let mut words = vec![format!("DIMENSION {}", print_name(&declared.name))];
    match &declared.kind {
        KindDeclaration::Taxonomy => words.push("TAXONOMY".to_owned()),
        KindDeclaration::Entity { within } => {
            words.push("ENTITY".to_owned());
            words.extend(
                within
                    .as_ref()
                    .map(|name| format!("WITHIN {}", print_name(name))),
            );
        }
        KindDeclaration::Number { unit } => {
            words.push("NUMBER".to_owned());
            words.extend(
                unit.as_ref()
                    .map(|name| format!("UNIT {}", print_name(name))),
            );
        }
        KindDeclaration::Date => words.push("DATE".to_owned()),
        KindDeclaration::Text => words.push("TEXT".to_owned()),
    }
    words.extend(declared.one.map(|one| {
        if one {
            "ONE".to_owned()
        } else {
            "MANY".to_owned()
        }
    }));
    if declared.complete {
        words.push("COMPLETE".to_owned());
    }
    words.extend(
        declared
            .inverse
            .as_ref()
            .map(|name| format!("INVERSE {}", print_name(name))),
    );
    words.join(" ")
}

/// The first word of the first chain must not read as a flag.
fn chain_name(name: &super::tree::Name, first: bool) -> String {
    let flags = super::failure::flags();
    name_unless(name, |word| {
        first && flags.iter().any(|flag| flag.eq_ignore_ascii_case(word))
    })
}

fn chain_flat(chain: &Chain, first: bool) -> String {
    let single = chain.upper.is_empty() && chain.last.len() == 1;
    let mut out = String::new();
    for (index, name) in chain.upper.iter().enumerate() {
        out.push_str(&chain_name(name, first && index == 0 && single));
        out.push_str(" > ");
    }
    let last = chain
        .last
        .iter()
        .map(|name| chain_name(name, first && single));
    out.push_str(&last.collect::<Vec<_>>().join(", "));
    out
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
