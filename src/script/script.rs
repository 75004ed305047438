//! A script as an embedder sees it: parsed, bound, run over a lattice.

use super::error::ScriptError;
use super::output::Output;
use super::session::Session;
use crate::engine::Budget;
use crate::lattice::Lattice;
use crate::syntax::tree::{Constraint, Name, Operand, Query, Span, StatementKind, Term, Tree};
use crate::syntax::{Code, Diagnostic, Parameter, parse, parse_query};
use crate::verdict::Verdict;
use std::path::PathBuf;

/// A text that has been parsed, with the values of its parameters.
#[derive(Clone, Debug)]
pub struct Script {
    text: String,
    tree: Tree,
    bindings: Vec<(String, Binding)>,
    base: PathBuf,
    budget: Budget,
}

impl Script {
    /// Parses a text.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let tree = parse(text).map_err(ScriptError::Text)?;
        Ok(Script {
            text: text.to_string(),
            tree,
            bindings: Vec::new(),
            base: PathBuf::new(),
            budget: Budget::unlimited(),
        })
    }

    /// Binds `$name` to a value: a name, a number, a date, or several. It is
    /// never pasted as text.
    pub fn bind(mut self, name: impl Into<String>, value: impl Into<Binding>) -> Script {
        self.bindings.push((name.into(), value.into()));
        self
    }

    /// Limits each query.
    pub fn within(mut self, budget: Budget) -> Script {
        self.budget = budget;
        self
    }

    /// The folder that files named in the script are relative to.
    pub fn relative_to(mut self, folder: impl Into<PathBuf>) -> Script {
        self.base = folder.into();
        self
    }

    /// Runs the script over a lattice and gives the verdict of its last query.
    /// The lattice stays as it is: a script that states or opens something is
    /// refused here, [`Script::build`] and [`Session`] are for those.
    pub fn run(&self, lattice: &Lattice) -> Result<Verdict, ScriptError> {
        self.only_asks()?;
        let mut session = self.execute(lattice.clone())?;
        match session.take_verdict() {
            Some(verdict) => Ok(verdict),
            None => Err(Diagnostic::error(Code::E403, "the script has no query to answer").into()),
        }
    }

    /// Runs the script over an empty lattice and gives what it states.
    pub fn build(&self) -> Result<Lattice, ScriptError> {
        let mut session = self.execute(Lattice::empty())?;
        session.lattice().cloned()
    }

    fn execute(&self, lattice: Lattice) -> Result<Session, ScriptError> {
        let mut session = Session::new(lattice);
        session.begin_text("script", &self.text, &self.base);
        session.set_budget(self.budget.clone());
        for (name, binding) in &self.bindings {
            session.bind(name, binding.clone());
        }
        for statement in &self.tree.statements {
            if let Output::Expectation(Some(difference)) = session.execute(statement)? {
                return Err(difference.diagnostic(statement.span).into());
            }
        }
        Ok(session)
    }

    fn only_asks(&self) -> Result<(), ScriptError> {
        let states = |kind: &StatementKind| {
            matches!(
                kind,
                StatementKind::Dimension(_)
                    | StatementKind::Wording { .. }
                    | StatementKind::Synonym { .. }
                    | StatementKind::Alias { .. }
                    | StatementKind::Instance { .. }
                    | StatementKind::Unit { .. }
                    | StatementKind::Fact(_)
                    | StatementKind::Defect(_)
                    | StatementKind::Retract { .. }
                    | StatementKind::Load(_)
                    | StatementKind::Use(_)
                    | StatementKind::Open { .. }
            )
        };
        match self.tree.statements.iter().find(|s| states(&s.kind)) {
            None => Ok(()),
            Some(statement) => Err(Diagnostic::error(
                Code::E408,
                "this statement changes the lattice, and the script is run over one that stays as it is",
            )
            .label(statement.span, "not run")
            .help("run such scripts in a Session, or build a lattice from them")
            .into()),
        }
    }
}

/// A value, or several, for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding(Vec<Term>, bool);

impl Binding {
    /// A value as LQ writes it: a number, a date, a range, `@id` or a quoted
    /// string. Any other text is a name as it stands.
    pub fn read(text: &str) -> Binding {
        match written_term(text.trim()) {
            Some(term) => Binding(vec![term], false),
            None => Binding::from(text),
        }
    }

    /// Several values, for `IN $x`.
    pub fn several(bindings: impl IntoIterator<Item = Binding>) -> Binding {
        Binding(bindings.into_iter().flat_map(|b| b.0).collect(), true)
    }
}

/// The term that a text is, all of it, unless it is a bare word.
fn written_term(text: &str) -> Option<Term> {
    const BEFORE: &str = "MEET x = ";
    let query = parse_query(&format!("{BEFORE}{text}")).ok()?;
    let Query::Meet(meet) = query else {
        return None;
    };
    let (None, None, Constraint::Test { operand, .. }) =
        (meet.returns, meet.confidence, meet.constraint)
    else {
        return None;
    };
    let Operand::Term(term) = operand else {
        return None;
    };
    let span = match &term {
        Term::Name(name) if name.quoted => name.span,
        // “12 Monkeys” is a name, and where a number is due it is read as one.
        Term::Number { unit: Some(_), .. } => return None,
        Term::Id { span, .. }
        | Term::Number { span, .. }
        | Term::Date { span, .. }
        | Term::Range { span, .. } => *span,
        _ => return None,
    };
    let whole = Span::new(BEFORE.len(), BEFORE.len() + text.len());
    ((span.start, span.end) == (whole.start, whole.end)).then_some(term)
}

impl From<&str> for Binding {
    fn from(text: &str) -> Binding {
        let name = Name {
            text: text.to_string(),
            quoted: true,
            span: Span::default(),
        };
        Binding(vec![Term::Name(name)], false)
    }
}

impl From<String> for Binding {
    fn from(text: String) -> Binding {
        Binding::from(text.as_str())
    }
}

impl From<i64> for Binding {
    fn from(n: i64) -> Binding {
        let number = Term::Number {
            text: n.to_string(),
            unit: None,
            span: Span::default(),
        };
        Binding(vec![number], false)
    }
}

impl<T: Into<Binding>> From<Vec<T>> for Binding {
    fn from(all: Vec<T>) -> Binding {
        Binding::several(all.into_iter().map(Into::into))
    }
}

impl From<Binding> for Parameter {
    fn from(binding: Binding) -> Parameter {
        let Binding(mut terms, several) = binding;
        match (several, terms.pop()) {
            (false, Some(term)) => Parameter::One(term),
            (_, last) => {
                terms.extend(last);
                Parameter::Many(terms)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = "DIMENSION written_by ENTITY MANY\n\
        FACT One written_by = Ann SOURCE \"One, by Ann.\" FROM \"f.txt\" LINE 1\n\
        FACT Two written_by = Ben SOURCE \"Two, by Ben.\" FROM \"f.txt\" LINE 2\n";

    fn known() -> Lattice {
        Script::parse(KNOWN).unwrap().build().unwrap()
    }

    #[test]
    fn an_answer_is_walked_with_its_evidence() {
        let lattice = known();
        let script = Script::parse("MEET written_by = $who").unwrap();
        let verdict = script.bind("who", "Ann").run(&lattice).unwrap();
        let all: Vec<String> = verdict
            .hits(&lattice)
            .map(|hit| {
                let because: Vec<&str> = hit.evidence().iter().map(|s| s.text.as_str()).collect();
                format!("{} because {because:?}", hit.name())
            })
            .collect();
        assert_eq!(all, ["One because [\"One, by Ann.\"]"]);
    }

    #[test]
    fn each_of_many_hits_has_the_evidence_of_its_own() {
        let mut text = "DIMENSION written_by ENTITY MANY\n".to_owned();
        for k in 100..420 {
            text += &format!("FACT B{k} written_by = Ann SOURCE \"said of {k}\"\n");
        }
        let lattice = Script::parse(&text).unwrap().build().unwrap();
        let script = Script::parse("MEET written_by = Ann").unwrap();
        let verdict = script.run(&lattice).unwrap();
        let mut told = 0;
        for hit in verdict.hits(&lattice) {
            let number = hit.name().trim_start_matches('B');
            assert_eq!(hit.evidence()[0].text, format!("said of {number}"));
            told += 1;
        }
        assert_eq!(told, 320);
    }

    #[test]
    fn a_binding_is_a_value_and_never_text() {
        let lattice = known();
        let script = Script::parse("MEET written_by = $who").unwrap();
        let odd = "Ann OR written_by = Ben";
        let verdict = script.clone().bind("who", odd).run(&lattice).unwrap();
        assert_eq!(verdict.hits(&lattice).count(), 0);
        let both = Script::parse("MEET written_by IN $who").unwrap();
        let verdict = both.bind("who", vec!["Ann", "Ben"]).run(&lattice).unwrap();
        assert_eq!(verdict.hits(&lattice).count(), 2);
        assert!(script.run(&lattice).is_err(), "an unbound parameter");
    }

    #[test]
    fn a_script_that_changes_the_lattice_is_refused() {
        let lattice = known();
        let script = Script::parse("FACT Three written_by = Cem SOURCE \"s\"").unwrap();
        let error = script.run(&lattice).unwrap_err().to_string();
        assert!(error.contains("E408"), "{error}");
        let error = Script::parse("SHOW DIMENSIONS").unwrap();
        assert!(
            error
                .run(&lattice)
                .unwrap_err()
                .to_string()
                .contains("E403")
        );
    }

    #[test]
    fn an_expectation_that_fails_is_an_error() {
        let lattice = known();
        let script = Script::parse("MEET written_by = Ann\nEXPECT { Two }").unwrap();
        let error = script.run(&lattice).unwrap_err().to_string();
        assert!(error.contains("E409"), "{error}");
    }

    #[test]
    fn values_are_read_as_lq_writes_them() {
        let is_name = |text: &str| matches!(Binding::read(text).0.as_slice(), [Term::Name(_)]);
        for text in [
            "Ann",
            "a b",
            "\"Ann\"",
            "\"a\" -- b",
            "5 AND x = 3",
            "5 km",
            "12 Monkeys",
            "",
            "$y",
            "{x}",
        ] {
            assert!(is_name(text), "{text}");
        }
        for text in ["5", "-1.5", "1999-12", "1..2", "@id", "@\"an id\""] {
            assert!(!is_name(text), "{text}");
        }
    }
}
