//! From pest's expressions to GBNF's.

use super::form::{Form, in_class};
use super::source::Source;
use super::words::other_words;
use super::{GbnfError, LETS, Vocabulary, WordKind, dimension_word};
use crate::syntax::print::quote;
use crate::syntax::words::is_bare_unit;
use pest_meta::ast::{Expr, RuleType};
use std::collections::{BTreeMap, BTreeSet};

/// Where in a plan a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    /// How much deeper queries and groups may nest.
    depth: usize,
    /// How many LETs are in scope.
    scope: usize,
    /// Whether white space between tokens is left out.
    atomic: bool,
}

impl State {
    pub(super) fn outermost(depth: usize, scope: usize) -> State {
        State {
            depth,
            scope,
            atomic: false,
        }
    }
}

/// Makes rules as they are needed. A rule that cannot be followed, because a word that
/// it needs is not at hand, is none.
pub(super) struct Translator<'s> {
    source: &'s Source,
    words: &'s Vocabulary,
    rules: BTreeMap<String, Form>,
    /// The forms that stand for rules, by their names in the output.
    known: BTreeMap<String, Option<Form>>,
    depth_of_calls: usize,
}

/// What instances are called is no dimension of the lattice, and has its own rule.
const NAME: &str = "name";
/// No rule of plans calls others so deeply; where one does, it calls itself.
const MOST_CALLS: usize = 200;

impl<'s> Translator<'s> {
    pub(super) fn new(source: &'s Source, words: &'s Vocabulary) -> Translator<'s> {
        Translator {
            source,
            words,
            rules: BTreeMap::new(),
            known: BTreeMap::new(),
            depth_of_calls: 0,
        }
    }

    /// All rules that were needed.
    pub(super) fn finish(self) -> BTreeMap<String, Form> {
        self.rules
    }

    /// A rule that there is whatever the words are.
    pub(super) fn required(&mut self, name: &str, state: State) -> Result<Form, GbnfError> {
        let form = self.rule(name, state)?;
        form.ok_or_else(|| GbnfError(format!("nothing follows from `{name}`")))
    }

    fn rule(&mut self, name: &str, state: State) -> Result<Option<Form>, GbnfError> {
        if self.source.is_left_out(name) {
            return Ok(None);
        }
        if let Some(form) = built_in(name) {
            return Ok(Some(form));
        }
        if name.starts_with("given_") {
            return self.given(name, state);
        }
        let Some(rule) = self.source.rule(name) else {
            return Err(GbnfError(format!("there is no rule `{name}`")));
        };
        let Some(inside) = self.inside(name, rule.ty, state) else {
            return Ok(None);
        };
        let output = self.output_name(name, inside);
        if let Some(known) = self.known.get(&output) {
            return Ok(known.clone());
        }
        self.depth_of_calls += 1;
        if self.depth_of_calls > MOST_CALLS {
            return Err(GbnfError(format!("`{name}` calls itself at one depth")));
        }
        let form = self.expression(&rule.expr, inside)?;
        self.depth_of_calls -= 1;
        let form = form.map(|form| match form {
            // What is short is written where it stands.
            Form::Literal(_) | Form::Rule(_) | Form::Class(_) => form,
            long => {
                self.rules.insert(output.clone(), long);
                Form::Rule(output.clone())
            }
        });
        self.known.insert(output, form.clone());
        Ok(form)
    }

    /// The state inside a rule; none where nesting has come to its end.
    fn inside(&self, name: &str, kind: RuleType, state: State) -> Option<State> {
        let deeper = usize::from(matches!(name, "group" | "parenthesised"));
        let atomic = match kind {
            RuleType::Atomic | RuleType::CompoundAtomic => true,
            RuleType::NonAtomic => false,
            RuleType::Normal | RuleType::Silent => state.atomic,
        };
        let depth = state.depth.checked_sub(deeper)?;
        Some(State {
            depth,
            atomic,
            ..state
        })
    }

    fn output_name(&self, name: &str, state: State) -> String {
        let mut output = name.replace('_', "-");
        if self.source.nests(name) {
            output.push_str(&format!("-{}", state.depth));
            output.extend(LETS.iter().take(state.scope).copied());
        }
        if state.atomic {
            output.push_str("-t");
        }
        output
    }

    fn expression(&mut self, expression: &Expr, state: State) -> Result<Option<Form>, GbnfError> {
        Ok(match expression {
            Expr::Str(text) => Some(Form::Literal(text.clone())),
            Expr::Insens(text) => Some(Form::Literal(text.to_ascii_uppercase())),
            Expr::Range(first, last) => Some(Form::Class(range(first, last)?)),
            Expr::Ident(name) => self.rule(name, state)?,
            Expr::PosPred(_) | Expr::NegPred(_) => Some(Form::EMPTY),
            Expr::Seq(..) => self.sequence(expression, state)?,
            Expr::Choice(..) => {
                let mut ways = Vec::new();
                for way in parts(expression, true) {
                    ways.extend(self.expression(way, state)?);
                }
                Some(Form::choice(ways)).filter(|form| *form != Form::Choice(Vec::new()))
            }
            Expr::Opt(inner) => self.repeated(inner, 0, Some(1), state)?,
            Expr::Rep(inner) => self.repeated(inner, 0, None, state)?,
            Expr::RepOnce(inner) => self.repeated(inner, 1, None, state)?,
            Expr::RepExact(inner, count) => self.repeated(inner, *count, Some(*count), state)?,
            Expr::RepMin(inner, least) => self.repeated(inner, *least, None, state)?,
            Expr::RepMax(inner, most) => self.repeated(inner, 0, Some(*most), state)?,
            Expr::RepMinMax(inner, least, most) => {
                self.repeated(inner, *least, Some(*most), state)?
            }
            other => return Err(GbnfError(format!("`{other}` has no counterpart"))),
        })
    }

    /// A repetition on its own. Between its turns is white space, as in a sequence.
    fn repeated(
        &mut self,
        inner: &Expr,
        least: u32,
        most: Option<u32>,
        state: State,
    ) -> Result<Option<Form>, GbnfError> {
        let Some(form) = self.expression(inner, state)? else {
            return Ok(Some(Form::EMPTY).filter(|_| least == 0));
        };
        let gap = gap(&form, &form, state);
        if gap.is_empty() || most == Some(1) {
            return Ok(Some(form.repeat(least, most)));
        }
        let more = Form::sequence(vec![gap, form.clone()]);
        let most = most.map(|most| most.saturating_sub(1));
        let more = more.repeat(least.saturating_sub(1), most);
        let all = Form::sequence(vec![form, more]);
        Ok(Some(all.repeat(least.min(1), Some(1))))
    }

    fn sequence(&mut self, whole: &Expr, state: State) -> Result<Option<Form>, GbnfError> {
        let list = parts(whole, false);
        let mut forms = Vec::new();
        let mut at = 0;
        while let Some(part) = list.get(at) {
            at += 1;
            if let (Expr::NegPred(excluded), Some(next)) = (part, list.get(at))
                && let Some(form) = self.except(excluded, next, state)?
            {
                at += 1;
                forms.push(form);
                continue;
            }
            match self.expression(part, state)? {
                Some(form) if form.is_empty() => {}
                Some(form) => forms.push(form),
                None => return Ok(None),
            }
        }
        Ok(Some(spaced(forms, state)))
    }

    /// `!excluded ~ next` where that is a set of characters or of words. `None` where
    /// the look-ahead only guards where a token ends.
    fn except(
        &mut self,
        excluded: &Expr,
        next: &Expr,
        state: State,
    ) -> Result<Option<Form>, GbnfError> {
        let Expr::Ident(name) = next else {
            return Ok(None);
        };
        if name == "ANY" {
            let mut class = String::from("^");
            for part in parts(excluded, true) {
                class.push_str(&match part {
                    Expr::Str(text) => text.chars().map(in_class).collect::<String>(),
                    Expr::Range(first, last) => range(first, last)?,
                    _ => return Ok(None),
                });
            }
            return Ok(Some(Form::Class(class)));
        }
        let (Expr::Ident(list), "any_word") = (excluded, name.as_str()) else {
            return Ok(None);
        };
        let mut words = BTreeSet::new();
        if let Some(rule) = self.source.rule(list) {
            words.extend(rule.expr.iter_top_down().filter_map(|part| match part {
                Expr::Insens(word) => Some(word.to_ascii_uppercase()),
                _ => None,
            }));
        }
        let name = self.output_name(
            "other_word",
            State {
                atomic: false,
                ..state
            },
        );
        self.rules.extend(other_words(&name, &words));
        Ok(Some(Form::Rule(name)))
    }

    /// The words at hand that a place takes.
    fn given(&mut self, name: &str, state: State) -> Result<Option<Form>, GbnfError> {
        use WordKind::{Date, Entity, Number, Taxonomy, Text};
        let kinds: &[WordKind] = match name {
            "given_let" => {
                let lets = LETS.iter().take(state.scope);
                return Ok(one_of(lets.map(|word| (*word).to_owned())));
            }
            "given_name" if self.words.names.is_empty() => return self.rule("text", state),
            "given_name" => {
                let names = self.words.names.iter().map(|name| quote(name));
                return Ok(self.list("given-name", one_of(names)));
            }
            "given_id" => {
                let ids = self.words.ids.iter().map(|id| format!("@{}", quote(id)));
                return Ok(self.list("given-id", one_of(ids)));
            }
            "given_unit" => {
                let units = self
                    .words
                    .units
                    .iter()
                    .map(|unit| match is_bare_unit(unit) {
                        true => unit.clone(),
                        false => quote(unit),
                    });
                return Ok(self.list("given-unit", one_of(units)));
            }
            "given_dimension" => &[Taxonomy, Entity, Number, Date, Text],
            "given_relation" => &[Entity],
            "given_word" => &[Taxonomy, Entity],
            "given_text" => &[Text],
            "given_number" => &[Number],
            "given_date" => &[Date],
            _ => return Err(GbnfError(format!("nothing is given as `{name}`"))),
        };
        if self.words.dimensions.is_empty() {
            let ways = [self.rule("word", state)?, self.rule("text", state)?];
            return Ok(Some(Form::choice(ways.into_iter().flatten().collect())));
        }
        let dimensions = self.words.dimensions.iter();
        let fitting = dimensions
            .filter(|(name, kind)| kinds.contains(kind) && name != NAME)
            .map(|(name, _)| dimension_word(name));
        let mut fitting: BTreeSet<String> = fitting.collect();
        if name == "given_dimension" {
            fitting.insert(NAME.to_owned());
        }
        let form = one_of(fitting.into_iter());
        Ok(self.list(&name.replace('_', "-"), form))
    }

    /// A list of words gets a rule of its own: it stands in many places.
    fn list(&mut self, name: &str, form: Option<Form>) -> Option<Form> {
        let form = form?;
        self.rules.insert(name.to_owned(), form);
        Some(Form::Rule(name.to_owned()))
    }
}

fn one_of(words: impl Iterator<Item = String>) -> Option<Form> {
    let words: Vec<Form> = words.map(Form::Literal).collect();
    Some(Form::choice(words)).filter(|form| *form != Form::Choice(Vec::new()))
}

/// The parts of nested sequences or choices, in order.
fn parts(expression: &Expr, of_choice: bool) -> Vec<&Expr> {
    match expression {
        Expr::Choice(left, right) if of_choice => {
            let mut all = parts(left, true);
            all.extend(parts(right, true));
            all
        }
        Expr::Seq(left, right) if !of_choice => {
            let mut all = parts(left, false);
            all.extend(parts(right, false));
            all
        }
        other => vec![other],
    }
}

/// Characters from one to another, as a class writes them.
fn range(first: &str, last: &str) -> Result<String, GbnfError> {
    match (first.chars().next(), last.chars().next()) {
        (Some(first), Some(last)) => Ok(format!("{}-{}", in_class(first), in_class(last))),
        _ => Err(GbnfError("a range of characters has no end".to_owned())),
    }
}

/// Characters that pest knows by name.
fn built_in(name: &str) -> Option<Form> {
    Some(match name {
        "ASCII_DIGIT" => Form::Class("0-9".to_owned()),
        "boundary" | "SOI" | "EOI" => Form::EMPTY,
        _ => return None,
    })
}

/// What stands between two parts.
fn gap(before: &Form, after: &Form, state: State) -> Form {
    if state.atomic || before.opens() || after.closes() {
        Form::EMPTY
    } else {
        Form::Literal(" ".to_owned())
    }
}

/// Parts one after another with their gaps. A part that may be absent takes its gap
/// along: the gap before it, or behind it where nothing before it is certain.
fn spaced(forms: Vec<Form>, state: State) -> Form {
    let certain = forms.iter().position(|form| !form.may_be_empty());
    let mut out: Vec<Form> = Vec::new();
    for (number, form) in forms.iter().enumerate() {
        let leads = certain.is_some_and(|certain| number < certain);
        if leads {
            let gap = forms
                .get(number + 1)
                .map_or(Form::EMPTY, |next| gap(form, next, state));
            out.push(with_gap(form, gap, false));
        } else if Some(number) == certain {
            out.push(form.clone());
        } else {
            let before = number.checked_sub(1).and_then(|before| forms.get(before));
            let gap = before.map_or(Form::EMPTY, |before| gap(before, form, state));
            out.push(with_gap(form, gap, true));
        }
    }
    Form::sequence(out)
}

/// A part with its gap, both or none of them.
fn with_gap(form: &Form, gap: Form, before: bool) -> Form {
    let joined = |form: &Form| {
        let both = match before {
            true => vec![gap.clone(), form.clone()],
            false => vec![form.clone(), gap.clone()],
        };
        Form::sequence(both)
    };
    match form {
        _ if gap.is_empty() => form.clone(),
        // What was repeated with gaps between its turns is one optional part here.
        Form::Repeat(inner, 0, Some(1)) => joined(inner).repeat(0, Some(1)),
        Form::Repeat(inner, least, most) if form.may_be_empty() => {
            joined(inner).repeat(*least, *most)
        }
        _ if form.may_be_empty() => joined(form).repeat(0, Some(1)),
        _ => joined(form),
    }
}
