//! The generated parser, and what its rules are called among people.

// The generated enum cannot carry doc comments of its own.
#![allow(missing_docs)]

use pest_derive::Parser;

#[derive(Parser)]
#[grammar = "../grammar/lq.pest"]
pub(crate) struct LqParser;

pub(crate) type Pair<'t> = pest::iterators::Pair<'t, Rule>;

/// The keyword that a rule `k_…` stands for.
pub(crate) fn keyword(rule: Rule) -> Option<String> {
    let name = format!("{rule:?}");
    name.strip_prefix("k_").map(str::to_uppercase)
}

/// What a rule is called in a message; `None` where it is better left out.
pub(crate) fn in_words(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::word
        | Rule::any_word
        | Rule::name
        | Rule::string
        | Rule::literal
        | Rule::foreign_quoted => return name_in_words(rule),
        Rule::term
        | Rule::amount
        | Rule::called
        | Rule::operand
        | Rule::value
        | Rule::quantity
        | Rule::hole => "a value",
        Rule::numeric | Rule::digits => "a number",
        Rule::subject => "the name or id of an instance",
        Rule::path => "a dimension",
        Rule::operator
        | Rule::foreign_operator
        | Rule::tail
        | Rule::in_tail
        | Rule::operator_tail => "an operator such as `=` or IN",
        Rule::factor | Rule::test | Rule::group | Rule::has | Rule::prefix | Rule::constraint => {
            "a condition"
        }
        Rule::connective => "AND or OR",
        Rule::query | Rule::meet | Rule::compare => "a query (MEET, COMPARE, READ or ABSTAIN)",
        Rule::parenthesised => "a query in parentheses",
        Rule::braces | Rule::set => "a set such as `{a, b}`",
        Rule::side | Rule::candidates => "something to compare",
        Rule::statement | Rule::fact | Rule::EOI => "the end of the statement",
        Rule::kind => "a kind: TAXONOMY, ENTITY, NUMBER, DATE or TEXT",
        Rule::chains | Rule::chain => "the values of the taxonomy",
        Rule::by => "BY and a dimension",
        Rule::returns | Rule::return_paths => "RETURN",
        Rule::expectation => {
            "`{…}`, TRUE, FALSE, LESS, GREATER, EQUAL, INCOMPARABLE, COUNT, ROWS or ABSTAIN"
        }
        Rule::relate => "an operator such as `=` or OVERLAPS",
        Rule::order => "a comma and a second operand",
        Rule::condition => "BY and a condition",
        Rule::row => "a row such as `(a, b)`",
        Rule::record => "`->` and the recorded answer",
        Rule::byte_range => "a byte range such as `0..49`",
        Rule::dots => "`..`",
        Rule::unit => "a unit",
        Rule::assignment => "`dimension = value`",
        Rule::parameter => "a parameter such as `$x`",
        _ => return None,
    })
}

fn name_in_words(rule: Rule) -> Option<&'static str> {
    match rule {
        Rule::string | Rule::literal => Some("a text in double quotes"),
        Rule::word | Rule::any_word | Rule::name => Some("a name"),
        _ => None,
    }
}

/// The keywords that a rule begins with, where pest reports the rule in their place.
pub(crate) fn keywords_of(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::kind => &["TAXONOMY", "ENTITY", "NUMBER", "DATE", "TEXT"],
        Rule::flag => &[
            "ONE", "MANY", "COMPLETE", "STRICT", "INVERSE", "WITHIN", "UNIT", "AKA",
        ],
        Rule::connective => &["AND", "OR"],
        Rule::returns | Rule::return_paths => &["RETURN"],
        Rule::least_confidence | Rule::confidence => &["CONFIDENCE"],
        Rule::source => &["SOURCE"],
        Rule::source_from => &["FROM"],
        Rule::source_line => &["LINE"],
        Rule::query => &["MEET", "COMPARE", "READ", "ABSTAIN"],
        Rule::defect_cycle => &["CYCLE"],
        Rule::defect_undefined => &["UNDEFINED"],
        Rule::defect_duplicate => &["DUPLICATE"],
        Rule::form => &[
            "TRIPLES", "NTRIPLES", "TABLE", "JSONL", "CONTEXT", "OBO", "RDF", "WORDNET", "EDGES",
        ],
        Rule::load_clause => &["KEY", "COLUMN", "OMIT", "ONE", "EDGES", "LANGUAGE"],
        Rule::relate => &["OVERLAPS"],
        Rule::expectation => &[
            "TRUE",
            "FALSE",
            "LESS",
            "GREATER",
            "EQUAL",
            "INCOMPARABLE",
            "COUNT",
            "ROWS",
            "ABSTAIN",
        ],
        Rule::pattern_question => &["QUESTION"],
        _ => &[],
    }
}
