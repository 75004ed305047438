//! The lines of facts and declarations.

use super::*;

impl Writer<'_> {
    pub(super) fn fact(&mut self, fact: &Fact, indent: usize, end: &str, span: Span) {
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

    pub(super) fn assignments(&mut self, fact: &Fact, indent: usize, end: &str, span: Span) {
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

    pub(super) fn pattern(&mut self, wording: &str, facts: &[Fact], span: Span) {
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

    pub(super) fn dimension(&mut self, declared: &DimensionDeclaration, span: Span) {
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

    pub(super) fn chain(&mut self, chain: &Chain, first: bool) {
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

    pub(super) fn defect(&mut self, defect: &crate::syntax::tree::Defect, span: Span) {
        let head = print::defect_head(defect);
        let tail = defect.source.as_ref().map_or(String::new(), print::source);
        let flat = format!("{head} {tail}");
        if (fits(0, flat.trim_end()) && !self.commented(span)) || tail.is_empty() {
            self.line(0, flat.trim_end(), span.start);
            return;
        }
        self.line(0, head, span.start);
        self.line(1, tail, span.end.saturating_sub(1));
    }

    pub(super) fn load(&mut self, load: &Load, span: Span) {
        let head = print::load_head(load);
        let mut clauses: Vec<(String, usize)> = Vec::new();
        let at =
            |list: &[crate::syntax::tree::Name]| list.first().map_or(0, |name| name.span.start);
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
        if !load.edges.is_empty() {
            clauses.push((format!("EDGES {}", names(&load.edges)), at(&load.edges)));
        }
        if let Some(language) = &load.language {
            let text = format!("LANGUAGE {}", print_name(language));
            clauses.push((text, language.span.start));
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

fn flat_assignment(assignment: &crate::syntax::tree::Assignment) -> String {
    let values = match assignment.values.as_slice() {
        [only] => print_term(only),
        list => format!("{{{}}}", print::terms(list)),
    };
    format!("{}{values}", assignment_head(assignment))
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
    if declared.strict {
        words.push("STRICT".to_owned());
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
fn chain_name(name: &crate::syntax::tree::Name, first: bool) -> String {
    let flags = crate::syntax::failure::flags();
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
