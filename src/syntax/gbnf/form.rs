//! Expressions of GBNF.

use std::collections::{BTreeMap, BTreeSet};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// These characters.
    Literal(String),
    /// One character of a class, as GBNF writes it between brackets.
    Class(String),
    /// A rule, by its name in the output.
    Rule(String),
    /// One after another; nothing if there is none.
    Sequence(Vec<Form>),
    /// One of these.
    Choice(Vec<Form>),
    /// So often, at least and at most.
    Repeat(Box<Form>, u32, Option<u32>),
}

impl Form {
    /// Nothing at all.
    pub(super) const EMPTY: Form = Form::Sequence(Vec::new());

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Form::Sequence(parts) if parts.is_empty())
    }

    /// Parts that follow each other; literals that meet are one.
    pub(super) fn sequence(parts: Vec<Form>) -> Form {
        let mut flat: Vec<Form> = Vec::new();
        for part in parts {
            let inner = match part {
                Form::Sequence(inner) => inner,
                other => vec![other],
            };
            for part in inner {
                match (flat.last_mut(), part) {
                    (Some(Form::Literal(before)), Form::Literal(after)) => before.push_str(&after),
                    (_, part) => flat.push(part),
                }
            }
        }
        match flat.len() {
            1 => flat.pop().unwrap_or(Form::EMPTY),
            _ => Form::Sequence(flat),
        }
    }

    /// Alternatives, each once, in their order.
    pub(super) fn choice(parts: Vec<Form>) -> Form {
        let mut flat: Vec<Form> = Vec::new();
        for part in parts {
            let inner = match part {
                Form::Choice(inner) => inner,
                other => vec![other],
            };
            for part in inner {
                if !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        match flat.len() {
            1 => flat.pop().unwrap_or(Form::EMPTY),
            _ => Form::Choice(flat),
        }
    }

    pub(super) fn repeat(self, least: u32, most: Option<u32>) -> Form {
        match (self.is_empty(), least, most) {
            (true, ..) | (_, _, Some(0)) => Form::EMPTY,
            (_, 1, Some(1)) => self,
            _ => Form::Repeat(Box::new(self), least, most),
        }
    }

    /// Whether it may be nothing. Rules are taken for something: those of LQ are.
    pub(super) fn may_be_empty(&self) -> bool {
        match self {
            Form::Literal(text) => text.is_empty(),
            Form::Class(_) | Form::Rule(_) => false,
            Form::Sequence(parts) => parts.iter().all(Form::may_be_empty),
            Form::Choice(parts) => parts.iter().any(Form::may_be_empty),
            Form::Repeat(inner, least, _) => *least == 0 || inner.may_be_empty(),
        }
    }

    /// Whether what it begins with stands directly behind what is before it.
    pub(super) fn closes(&self) -> bool {
        match self {
            Form::Literal(text) => text.starts_with([')', '}', ',']),
            Form::Class(_) | Form::Rule(_) => false,
            Form::Sequence(parts) => parts.first().is_some_and(Form::closes),
            Form::Choice(parts) => parts.iter().all(Form::closes),
            Form::Repeat(inner, ..) => inner.closes(),
        }
    }

    /// Whether what follows it stands directly behind.
    pub(super) fn opens(&self) -> bool {
        match self {
            Form::Literal(text) => text.ends_with(['(', '{']),
            Form::Class(_) | Form::Rule(_) => false,
            Form::Sequence(parts) => parts.last().is_some_and(Form::opens),
            Form::Choice(parts) => parts.iter().all(Form::opens),
            Form::Repeat(inner, ..) => inner.opens(),
        }
    }
}

/// The rules that the root leads to. Others were made for a rule that came to nothing.
pub(super) fn needed(root: &Form, mut rules: BTreeMap<String, Form>) -> BTreeMap<String, Form> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    names(root, &mut open);
    let mut kept = BTreeMap::new();
    while let Some(name) = open.pop_first() {
        if let Some(form) = rules.remove(&name) {
            names(&form, &mut open);
            kept.insert(name, form);
        }
    }
    kept
}

fn names(form: &Form, out: &mut BTreeSet<String>) {
    match form {
        Form::Literal(_) | Form::Class(_) => {}
        Form::Rule(name) => {
            out.insert(name.clone());
        }
        Form::Sequence(parts) | Form::Choice(parts) => {
            parts.iter().for_each(|part| names(part, out));
        }
        Form::Repeat(inner, ..) => names(inner, out),
    }
}

/// The whole grammar as text: the root, then the rules by name.
pub(super) fn print(root: &Form, rules: &BTreeMap<String, Form>) -> String {
    let mut out = format!("root ::= {}\n", alternatives(root));
    for (name, form) in rules {
        out.push_str(&format!("{name} ::= {}\n", alternatives(form)));
    }
    out
}

fn alternatives(form: &Form) -> String {
    match form {
        Form::Choice(parts) => joined(parts, " | ", one_after_another),
        other => one_after_another(other),
    }
}

fn one_after_another(form: &Form) -> String {
    match form {
        Form::Sequence(parts) if parts.is_empty() => "\"\"".to_owned(),
        Form::Sequence(parts) => joined(parts, " ", unit),
        other => unit(other),
    }
}

fn joined(parts: &[Form], between: &str, print: fn(&Form) -> String) -> String {
    parts.iter().map(print).collect::<Vec<_>>().join(between)
}

fn unit(form: &Form) -> String {
    match form {
        Form::Literal(text) => literal(text),
        Form::Class(class) => format!("[{class}]"),
        Form::Rule(name) => name.clone(),
        Form::Sequence(_) | Form::Choice(_) => format!("({})", alternatives(form)),
        Form::Repeat(inner, least, most) => {
            let sign = match (least, most) {
                (0, Some(1)) => "?".to_owned(),
                (0, None) => "*".to_owned(),
                (1, None) => "+".to_owned(),
                (least, None) => format!("{{{least},}}"),
                (least, Some(most)) if least == most => format!("{{{least}}}"),
                (least, Some(most)) => format!("{{{least},{most}}}"),
            };
            match **inner {
                // A sign behind a sign would be read as one.
                Form::Repeat(..) => format!("({}){sign}", unit(inner)),
                _ => format!("{}{sign}", unit(inner)),
            }
        }
    }
}

fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A character between the brackets of a class.
pub(super) fn in_class(letter: char) -> String {
    match letter {
        '\\' | ']' | '[' | '^' | '-' => format!("\\x{:02X}", u32::from(letter)),
        ' '..='~' => letter.to_string(),
        _ if u32::from(letter) < 0x100 => format!("\\x{:02X}", u32::from(letter)),
        _ if u32::from(letter) < 0x1_0000 => format!("\\u{:04X}", u32::from(letter)),
        _ => format!("\\U{:08X}", u32::from(letter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_written_as_gbnf_reads_them() {
        let word = |text: &str| Form::Literal(text.to_owned());
        let both = Form::sequence(vec![word("a\""), word("\\b\n")]);
        assert_eq!(unit(&both), r#""a\"\\b\n""#);
        let many = Form::choice(vec![word("a"), Form::Class("0-9".into()), word("a")]);
        assert_eq!(unit(&many.clone().repeat(0, Some(1))), r#"("a" | [0-9])?"#);
        assert_eq!(
            unit(&word("a").repeat(2, Some(2)).repeat(0, None)),
            r#"("a"{2})*"#
        );
        assert_eq!(in_class('-'), "\\x2D");
        assert_eq!(in_class('é'), "\\xE9");
    }
}
