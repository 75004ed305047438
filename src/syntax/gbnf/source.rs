//! The rules that the grammar of plans is made from.

use super::GbnfError;
use pest_meta::ast::{Expr, Rule};
use pest_meta::parser;
use std::collections::{BTreeMap, BTreeSet};

const LANGUAGE: &str = include_str!("../../../grammar/lq.pest");
const PLANS: &str = include_str!("../../../grammar/plan.pest");

/// Rules that no plan uses: answers to other languages, and what is not asked for.
fn is_left_out(name: &str) -> bool {
    name.starts_with("foreign") || matches!(name, "read" | "parameter" | "hole" | "trailing_comma")
}

/// The rules of LQ, those of plans in the place of their namesakes.
#[derive(Debug)]
pub(super) struct Source {
    rules: BTreeMap<String, Rule>,
    /// The rules that nest, or that name a LET.
    nesting: BTreeSet<String>,
}

impl Source {
    pub(super) fn read() -> Result<Source, GbnfError> {
        let mut rules = BTreeMap::new();
        for text in [LANGUAGE, PLANS] {
            for rule in read(text)? {
                rules.insert(rule.name.clone(), rule);
            }
        }
        let mut source = Source {
            rules,
            nesting: BTreeSet::new(),
        };
        source.nesting = source.nesting();
        Ok(source)
    }

    pub(super) fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.get(name).filter(|_| !is_left_out(name))
    }

    pub(super) fn is_left_out(&self, name: &str) -> bool {
        is_left_out(name)
    }

    /// Whether what follows from a rule depends on depth and scope.
    pub(super) fn nests(&self, name: &str) -> bool {
        self.nesting.contains(name)
    }

    fn nesting(&self) -> BTreeSet<String> {
        let mut nesting: BTreeSet<String> = ["group", "parenthesised", "given_let"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        loop {
            let more: Vec<String> = self
                .rules
                .values()
                .filter(|rule| !nesting.contains(&rule.name) && !is_left_out(&rule.name))
                .filter(|rule| {
                    let mut names = rule.expr.iter_top_down();
                    names.any(|part| matches!(part, Expr::Ident(name) if nesting.contains(&name)))
                })
                .map(|rule| rule.name.clone())
                .collect();
            if more.is_empty() {
                return nesting;
            }
            nesting.extend(more);
        }
    }
}

fn read(text: &str) -> Result<Vec<Rule>, GbnfError> {
    let unread = |error: String| GbnfError(format!("a grammar file cannot be read: {error}"));
    let pairs = parser::parse(parser::Rule::grammar_rules, text)
        .map_err(|error| unread(error.to_string()))?;
    parser::consume_rules(pairs).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        unread(errors.join("\n"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_plans_narrow_is_there() {
        let source = Source::read().unwrap();
        for name in [
            "query",
            "constraint",
            "factor",
            "set",
            "candidates",
            "order",
        ] {
            let language = read(LANGUAGE).unwrap();
            assert!(language.iter().any(|rule| rule.name == name), "{name}");
            assert!(source.rule(name).is_some(), "{name}");
        }
        assert!(source.nests("meet") && source.nests("comparison"));
        assert!(!source.nests("path") && !source.nests("returns"));
    }
}
