//! The lines of queries and conditions.

use super::*;

impl Writer<'_> {
    pub(super) fn query(&mut self, lead: &str, query: &Query, indent: usize, start: usize) {
        self.query_within(lead, query, indent, start, span_of_query(query));
    }

    /// A query that breaks if a comment stands in `span`: its own, or that of the
    /// parentheses around it, so that a comment moved to their end breaks it still.
    pub(super) fn query_within(
        &mut self,
        lead: &str,
        query: &Query,
        indent: usize,
        start: usize,
        span: Span,
    ) {
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

    pub(super) fn meet(&mut self, lead: &str, meet: &Meet, indent: usize, start: usize) {
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

    pub(super) fn joined(
        &mut self,
        lead: &str,
        list: &[Constraint],
        word: &str,
        indent: usize,
        start: usize,
    ) {
        for (index, part) in list.iter().enumerate() {
            if index == 0 {
                self.factor(lead, part, indent, start);
            } else {
                self.factor(word, part, indent + 1, span_of_constraint(part).start);
            }
        }
    }

    pub(super) fn factor(
        &mut self,
        lead: &str,
        constraint: &Constraint,
        indent: usize,
        start: usize,
    ) {
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

    pub(super) fn group(
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
    pub(super) fn pieces(&mut self, pieces: Vec<Piece<'_>>, indent: usize, start: usize) {
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

    pub(super) fn compare(&mut self, lead: &str, compare: &Compare, indent: usize, start: usize) {
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
                let shown = |list: &Vec<crate::syntax::tree::Path>| {
                    let list: Vec<String> = list.iter().map(print_path).collect();
                    text(format!(" RETURN {}", list.join(", ")))
                };
                pieces.extend(returns.as_ref().map(shown));
                pieces
            }
            Compare::Bound {
                operation, of, by, ..
            } => vec![text(format!(
                "{lead}COMPARE {} OF {} {}",
                print::operation(*operation),
                print::terms(of),
                print_by(by)
            ))],
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
