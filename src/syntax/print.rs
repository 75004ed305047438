//! Parts of a tree on one line, without comments: for plans, verdicts, dumps.
//!
//! What is printed parses back to the same tree, whatever the names are.

use std::fmt::Write as _;

use super::tree::{
    Assignment, By, Candidates, Column, Compare, Constraint, Defect, DefectKind, Extreme, Load,
    LoadForm, Meet, Name, Operand, Operation, Operator, Path, Query, Read, Relation, Return,
    SetExpression, Side, Source, StatementKind, Term,
};
use super::words::{is_bare, is_bare_id, is_bare_unit};

/// A text in double quotes, escaped so that it reads back as it is.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            _ if hidden(character) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A name as LQ writes it: bare where it can be, else quoted.
pub fn print_word(text: &str) -> String {
    if is_bare(text) {
        text.to_owned()
    } else {
        quote(text)
    }
}

/// Characters that a reader would not see, or that would reorder the line.
fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
        )
}

/// A name, bare where it was bare and can be.
pub fn print_name(name: &Name) -> String {
    name_unless(name, |_| false)
}

/// A name that is quoted also where `keyword` says that the bare word would be
/// read otherwise.
pub(crate) fn name_unless(name: &Name, keyword: impl Fn(&str) -> bool) -> String {
    if !name.quoted && is_bare(&name.text) && !keyword(&name.text) {
        name.text.clone()
    } else {
        quote(&name.text)
    }
}

/// Names with commas.
pub(crate) fn names(list: &[Name]) -> String {
    join(list, print_name)
}

fn join<T>(list: &[T], print: impl Fn(&T) -> String) -> String {
    list.iter().map(print).collect::<Vec<_>>().join(", ")
}

fn id(id: &str) -> String {
    if is_bare_id(id) {
        format!("@{id}")
    } else {
        format!("@{}", quote(id))
    }
}

fn unit(name: &Name) -> String {
    if !name.quoted && is_bare_unit(&name.text) {
        name.text.clone()
    } else {
        quote(&name.text)
    }
}

/// A value.
pub fn print_term(term: &Term) -> String {
    match term {
        Term::Name(name) => print_name(name),
        Term::Id { id: text, .. } => id(text),
        Term::Named { name, id: text, .. } => format!("{} {}", print_name(name), id(text)),
        Term::Number {
            text, unit: None, ..
        }
        | Term::Date { text, .. } => text.clone(),
        Term::Number {
            text,
            unit: Some(name),
            ..
        } => format!("{text} {}", unit(name)),
        Term::Range { low, high, .. } => range(low.as_deref(), high.as_deref()),
        Term::Parameter { name, .. } => format!("${name}"),
        Term::Hole {
            name, kind: None, ..
        } => format!("{{{name}}}"),
        Term::Hole {
            name,
            kind: Some(kind),
            ..
        } => format!("{{{name}:{kind}}}"),
    }
}

/// The unit of a range stands once, behind it.
fn range(low: Option<&Term>, high: Option<&Term>) -> String {
    let end = |term: Option<&Term>| match term {
        Some(Term::Number { text, .. }) => text.clone(),
        Some(other) => print_term(other),
        None => String::new(),
    };
    let unit_of = |term: Option<&Term>| match term {
        Some(Term::Number {
            unit: Some(name), ..
        }) => Some(unit(name)),
        _ => None,
    };
    let shown = format!("{}..{}", end(low), end(high));
    match unit_of(low).or_else(|| unit_of(high)) {
        Some(unit) => format!("{shown} {unit}"),
        None => shown,
    }
}

pub(crate) fn terms(list: &[Term]) -> String {
    join(list, print_term)
}

/// A path.
pub fn print_path(path: &Path) -> String {
    path.steps
        .iter()
        .map(print_name)
        .collect::<Vec<_>>()
        .join(".")
}

pub(crate) fn paths(list: &[Path]) -> String {
    // `RETURN count` alone would count.
    let first = |path: &Path| match path.steps.as_slice() {
        [only] => name_unless(only, |word| word.eq_ignore_ascii_case("COUNT")),
        _ => print_path(path),
    };
    match list {
        [only] => first(only),
        _ => join(list, print_path),
    }
}

pub(crate) fn operator(operator: Operator) -> &'static str {
    match operator {
        Operator::Is => "=",
        Operator::IsNot => "!=",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
    }
}

pub(crate) fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::Unequal => "!=",
        Relation::Less => "<",
        Relation::AtMost => "<=",
        Relation::Greater => ">",
        Relation::AtLeast => ">=",
        Relation::Overlaps => "OVERLAPS",
    }
}

/// A set.
pub fn print_set(set: &SetExpression) -> String {
    match set {
        SetExpression::Elements { elements, .. } => format!("{{{}}}", terms(elements)),
        SetExpression::Variable(name) => print_name(name),
        SetExpression::Query { query, .. } => format!("({})", print_query(query)),
        SetExpression::Range(term) => print_term(term),
        SetExpression::Parameter { name, .. } => format!("${name}"),
    }
}

/// A condition.
pub fn print_constraint(constraint: &Constraint) -> String {
    match constraint {
        Constraint::And(list, _) => parts(list, " AND "),
        Constraint::Or(list, _) => parts(list, " OR "),
        Constraint::Not(inner, _) => format!("NOT {}", print_factor(inner)),
        Constraint::Possibly(inner, _) => format!("POSSIBLY {}", print_factor(inner)),
        Constraint::Test {
            path,
            operator: sign,
            operand,
            ..
        } => {
            let right = match operand {
                Operand::Term(term) => print_term(term),
                Operand::Query { query, .. } => format!("({})", print_query(query)),
            };
            format!("{} {} {right}", print_path(path), operator(*sign))
        }
        Constraint::In { path, set, .. } => format!("{} IN {}", print_path(path), print_set(set)),
        Constraint::Has { path, .. } => format!("HAS {}", print_path(path)),
    }
}

fn parts(list: &[Constraint], word: &str) -> String {
    list.iter().map(print_factor).collect::<Vec<_>>().join(word)
}

/// A condition as a part of another: lists in parentheses.
pub(crate) fn print_factor(constraint: &Constraint) -> String {
    match constraint {
        Constraint::And(..) | Constraint::Or(..) => format!("({})", print_constraint(constraint)),
        _ => print_constraint(constraint),
    }
}

/// A query on one line.
pub fn print_query(query: &Query) -> String {
    match query {
        Query::Meet(meet) => print_meet(meet),
        Query::Compare(compare) => print_compare(compare),
        Query::Abstain { words, .. } => format!("ABSTAIN {}", quote(words)),
        Query::Read(read) => {
            let (head, record) = read_parts(read);
            format!(
                "{head}{}",
                record.map_or(String::new(), |record| format!(" {record}"))
            )
        }
    }
}

fn print_meet(meet: &Meet) -> String {
    let mut out = format!("MEET {}", print_constraint(&meet.constraint));
    for clause in meet_clauses(meet) {
        out.push(' ');
        out.push_str(&clause);
    }
    out
}

/// CONFIDENCE and RETURN.
pub(crate) fn meet_clauses(meet: &Meet) -> Vec<String> {
    let mut clauses = Vec::new();
    if let Some(confidence) = &meet.confidence {
        clauses.push(format!("CONFIDENCE >= {confidence}"));
    }
    match &meet.returns {
        Some(Return::Paths(list)) => clauses.push(format!("RETURN {}", paths(list))),
        Some(Return::Count(None)) => clauses.push("RETURN COUNT".to_owned()),
        Some(Return::Count(Some(path))) => {
            clauses.push(format!("RETURN COUNT {}", print_path(path)))
        }
        None => {}
    }
    clauses
}

/// The head of a READ, and its record.
pub(crate) fn read_parts(read: &Read) -> (String, Option<String>) {
    let mut head = format!("READ {}", quote(&read.question));
    if let Some(top) = &read.top {
        let _ = write!(head, " TOP {top}");
    }
    let record = read.record.as_ref().map(|record| {
        let (answer, from, words) = (
            quote(&record.answer),
            quote(&record.from),
            quote(&record.quote),
        );
        format!("-> {answer} FROM {from} QUOTE {words}")
    });
    (head, record)
}

/// `BY p` or `BY COUNT p`.
pub(crate) fn print_by(by: &By) -> String {
    let count = if by.count { "COUNT " } else { "" };
    format!("BY {count}{}", print_path(&by.path))
}

pub(crate) fn extreme(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Max => "MAX",
        Extreme::Min => "MIN",
    }
}

pub(crate) fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Meet => "MEET",
        Operation::Join => "JOIN",
    }
}

fn print_side(side: &Side) -> String {
    match side {
        Side::Term(term) => print_term(term),
        Side::Set(set) => print_set(set),
    }
}

fn print_compare(compare: &Compare) -> String {
    match compare {
        Compare::Relate {
            left,
            relation: sign,
            right,
            by,
            ..
        } => {
            let by = by
                .as_ref()
                .map_or(String::new(), |by| format!(" {}", print_by(by)));
            let (left, right) = (print_side(left), print_side(right));
            format!("COMPARE {left} {} {right}{by}", relation(*sign))
        }
        Compare::Holds {
            subject,
            constraint,
            ..
        } => {
            format!(
                "COMPARE {} BY {}",
                print_term(subject),
                print_constraint(constraint)
            )
        }
        Compare::Extremum {
            extreme: end,
            of,
            by,
            returns,
            ..
        } => {
            let of = match of {
                Candidates::Terms(list) => terms(list),
                Candidates::Set(set) => print_set(set),
            };
            let returns = returns.as_ref().map_or(String::new(), |list| {
                format!(" RETURN {}", join(list, print_path))
            });
            format!(
                "COMPARE {} OF {of} {}{returns}",
                extreme(*end),
                print_by(by)
            )
        }
        Compare::Bound {
            operation: which,
            of,
            by,
            ..
        } => format!(
            "COMPARE {} OF {} {}",
            operation(*which),
            terms(of),
            print_by(by)
        ),
        Compare::Order {
            left, right, by, ..
        } => {
            format!(
                "COMPARE {}, {} {}",
                print_term(left),
                print_term(right),
                print_by(by)
            )
        }
    }
}

/// A statement in canonical layout: one line where it fits, without a final line
/// break. The chains of a taxonomy always have lines of their own.
pub fn print_statement(kind: &StatementKind) -> String {
    super::layout::print(kind)
}

pub(crate) fn assignment_head(assignment: &Assignment) -> String {
    let sign = if assignment.denied { "!=" } else { "=" };
    format!("{} {sign} ", print_name(&assignment.dimension))
}

pub(crate) fn source(source: &Source) -> String {
    let mut out = format!("SOURCE {}", quote(&source.text));
    if let Some(from) = &source.from {
        let _ = write!(out, " FROM {}", quote(from));
    }
    if let Some((start, end)) = source.at {
        let _ = write!(out, " AT {start}..{end}");
    }
    if let Some(line) = source.line {
        let _ = write!(out, " LINE {line}");
    }
    out
}

/// A DEFECT without its SOURCE.
pub(crate) fn defect_head(defect: &Defect) -> String {
    let what = match &defect.kind {
        DefectKind::Cycle { upper, lower } => {
            format!("CYCLE {} > {}", print_name(upper), print_name(lower))
        }
        DefectKind::Undefined { term, user } => {
            format!("UNDEFINED {} BY {}", print_name(term), print_name(user))
        }
        DefectKind::Duplicate { term } => format!("DUPLICATE {}", print_name(term)),
    };
    format!("DEFECT {} {what}", print_name(&defect.dimension))
}

pub(crate) fn load_head(load: &Load) -> String {
    let form = match load.form {
        None => "",
        Some(LoadForm::Triples) => "TRIPLES ",
        Some(LoadForm::NTriples) => "NTRIPLES ",
        Some(LoadForm::Table) => "TABLE ",
        Some(LoadForm::JsonLines) => "JSONL ",
        Some(LoadForm::Context) => "CONTEXT ",
        Some(LoadForm::Lq) => "LQ ",
        Some(LoadForm::Obo) => "OBO ",
        Some(LoadForm::Rdf) => "RDF ",
        Some(LoadForm::WordNet) => "WORDNET ",
        Some(LoadForm::Edges) => "EDGES ",
    };
    let table = load
        .table
        .as_ref()
        .map_or(String::new(), |name| format!(" AS {}", print_name(name)));
    format!("LOAD {form}{}{table}", quote(&load.file))
}

pub(crate) fn column(column: &Column) -> String {
    let mut out = print_name(&column.name);
    if let Some(dimension) = &column.dimension {
        let _ = write!(out, " AS {}", print_name(dimension));
    }
    if let Some(entity) = &column.entity {
        let _ = write!(out, " ENTITY {}", print_name(entity));
    }
    out
}
