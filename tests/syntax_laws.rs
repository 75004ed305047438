//! Laws over generated trees and over random token soup.

// Tests may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use latweave::syntax::tree::*;
use latweave::syntax::{
    canonical, format, format_text, is_incomplete, parse, parse_lenient, parse_query, print_query,
    print_statement, words,
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};

fn span() -> Span {
    Span::default()
}

/// Any text: control characters, quotes, other scripts.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,6}",
        1 => any::<String>(),
        1 => "[\\PC\n\t\"\\\\]{0,12}",
        1 => prop::sample::select(vec![
            "O'Connor", "\"Weird Al\" Yankovic", "a\\b", "#29", "]})", "", "Medical Condition",
            "Adastra (UK)", "--", "a -- b", "日本語型名", "🐋", "check", "IN", "\u{2028}", "\u{feff}x",
            "12 Monkeys", "1914", "null", "count", "one", "ONE", "source", "dimensions", "\r\n", "\0",
        ]).prop_map(str::to_owned),
    ]
}

fn bare() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z][a-z0-9_]{0,5}(-[a-z]{1,3})?",
        1 => prop::sample::select(vec!["日本語", "é2", "sci--fi", "aka", "max", "from", "of", "date", "text"])
            .prop_map(str::to_owned),
    ]
    .prop_filter("bare words", |word| words::is_bare(word))
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        bare().prop_map(|text| Name {
            text,
            quoted: false,
            span: span()
        }),
        text().prop_map(|text| Name {
            text,
            quoted: true,
            span: span()
        }),
    ]
}

/// A word that is read as no keyword anywhere.
fn plain() -> impl Strategy<Value = Name> {
    prop_oneof![
        "x[a-z0-9_]{0,5}".prop_map(|text| Name {
            text,
            quoted: false,
            span: span()
        }),
        text().prop_map(|text| Name {
            text,
            quoted: true,
            span: span()
        }),
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("m1".to_owned()),
        Just("42".to_owned()),
        Just("city/springfield".to_owned()),
        text()
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "[+-]?[1-9][0-9]{0,8}",
        "[+-]?[1-9][0-9]{0,3}\\.[0-9]{1,4}",
        Just("0".to_owned())
    ]
}

fn date() -> impl Strategy<Value = String> {
    prop_oneof![
        "[+-]?[0-9]{4}-(0[1-9]|1[0-2])",
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
        "[+-]?0[0-9]{3}"
    ]
}

fn number_term(unit: Option<Name>) -> impl Strategy<Value = Term> {
    number().prop_map(move |text| Term::Number {
        text,
        unit: unit.clone(),
        span: span(),
    })
}

fn range() -> impl Strategy<Value = Term> {
    let unit = prop::option::of(plain());
    let numbers = (0i64..1000, 0i64..1000, unit, 0u8..3).prop_map(|(low, more, unit, ends)| {
        let end = |value: i64| {
            Some(Box::new(Term::Number {
                text: value.to_string(),
                unit: unit.clone(),
                span: span(),
            }))
        };
        Term::Range {
            low: if ends == 1 { None } else { end(low) },
            high: if ends == 2 { None } else { end(low + more) },
            span: span(),
        }
    });
    let dates = (date(), any::<bool>()).prop_map(|(text, low)| {
        let end = Some(Box::new(Term::Date { text, span: span() }));
        if low {
            Term::Range {
                low: end,
                high: None,
                span: span(),
            }
        } else {
            Term::Range {
                low: None,
                high: end,
                span: span(),
            }
        }
    });
    prop_oneof![numbers, dates]
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        6 => name().prop_map(Term::Name),
        1 => id().prop_map(|id| Term::Id { id, span: span() }),
        1 => (name(), id()).prop_map(|(name, id)| Term::Named { name, id, span: span() }),
        2 => prop::option::of(plain()).prop_flat_map(number_term),
        1 => date().prop_map(|text| Term::Date { text, span: span() }),
        1 => range(),
        1 => "[a-z]{1,3}".prop_map(|name| Term::Parameter { name, span: span() }),
    ]
}

/// An instance: a name, an id, both, or a parameter.
fn subject() -> impl Strategy<Value = Term> {
    prop_oneof![
        2 => name().prop_map(Term::Name),
        1 => id().prop_map(|id| Term::Id { id, span: span() }),
        1 => (name(), id()).prop_map(|(name, id)| Term::Named { name, id, span: span() }),
        1 => "[a-z]{1,3}".prop_map(|name| Term::Parameter { name, span: span() }),
    ]
}

fn path() -> impl Strategy<Value = Path> {
    prop::collection::vec(plain(), 1..3).prop_map(|steps| Path {
        steps,
        span: span(),
    })
}

fn set(query: BoxedStrategy<Query>) -> impl Strategy<Value = SetExpression> {
    prop_oneof![
        prop::collection::vec(term(), 1..5).prop_map(|elements| SetExpression::Elements {
            elements,
            span: span()
        }),
        bare().prop_map(|text| SetExpression::Variable(Name {
            text,
            quoted: false,
            span: span()
        })),
        query.prop_map(|query| SetExpression::Query {
            query: Box::new(query),
            span: span()
        }),
        range().prop_map(SetExpression::Range),
        "[a-z]{1,3}".prop_map(|name| SetExpression::Parameter { name, span: span() }),
    ]
}

fn operator() -> impl Strategy<Value = Operator> {
    prop::sample::select(vec![
        Operator::Is,
        Operator::IsNot,
        Operator::Less,
        Operator::AtMost,
        Operator::Greater,
        Operator::AtLeast,
    ])
}

fn atom(query: BoxedStrategy<Query>) -> impl Strategy<Value = Constraint> {
    let operand = prop_oneof![
        4 => term().prop_map(Operand::Term),
        1 => query.clone().prop_map(|query| Operand::Query { query: Box::new(query), span: span() }),
    ];
    prop_oneof![
        3 => (path(), operator(), operand).prop_map(|(path, operator, operand)| Constraint::Test { path, operator, operand, span: span() }),
        2 => (path(), set(query)).prop_map(|(path, set)| Constraint::In { path, set, span: span() }),
        1 => path().prop_map(|path| Constraint::Has { path, span: span() }),
    ]
}

fn constraint(query: BoxedStrategy<Query>) -> BoxedStrategy<Constraint> {
    atom(query)
        .prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 2..5)
                    .prop_map(|list| Constraint::And(list, span())),
                prop::collection::vec(inner.clone(), 2..5)
                    .prop_map(|list| Constraint::Or(list, span())),
                inner
                    .clone()
                    .prop_map(|inner| Constraint::Not(Box::new(inner), span())),
                inner.prop_map(|inner| Constraint::Possibly(Box::new(inner), span())),
            ]
        })
        .boxed()
}

fn meet(query: BoxedStrategy<Query>) -> impl Strategy<Value = Query> {
    let returns = prop_oneof![
        prop::collection::vec(path(), 1..4).prop_map(Return::Paths),
        prop::option::of(path()).prop_map(Return::Count),
    ];
    let confidence = prop::option::of(prop_oneof![Just("0.8".to_owned()), Just("1".to_owned())]);
    (constraint(query), confidence, prop::option::of(returns)).prop_map(
        |(constraint, confidence, returns)| {
            Query::Meet(Meet {
                constraint,
                confidence,
                returns,
                span: span(),
            })
        },
    )
}

fn by() -> impl Strategy<Value = By> {
    (any::<bool>(), path()).prop_map(|(count, path)| By {
        count,
        path,
        span: span(),
    })
}

fn compare(query: BoxedStrategy<Query>) -> impl Strategy<Value = Query> {
    let braces = prop::collection::vec(term(), 1..4).prop_map(|elements| SetExpression::Elements {
        elements,
        span: span(),
    });
    let nested = query.clone().prop_map(|query| SetExpression::Query {
        query: Box::new(query),
        span: span(),
    });
    let closed = prop_oneof![braces, nested].boxed();
    let side =
        prop_oneof![3 => term().prop_map(Side::Term), 1 => closed.clone().prop_map(Side::Set)]
            .boxed();
    let relation = prop::sample::select(vec![
        Relation::Equal,
        Relation::Unequal,
        Relation::Less,
        Relation::AtMost,
        Relation::Greater,
        Relation::AtLeast,
        Relation::Overlaps,
    ]);
    let of = prop_oneof![
        prop::collection::vec(term(), 1..4).prop_map(Candidates::Terms),
        closed.prop_map(Candidates::Set),
    ];
    let extreme = prop::sample::select(vec![Extreme::Max, Extreme::Min]);
    prop_oneof![
        (side.clone(), relation, side, prop::option::of(by())).prop_map(
            |(left, relation, right, by)| Compare::Relate {
                left,
                relation,
                right,
                by,
                span: span()
            }
        ),
        (term(), atom(query)).prop_map(|(subject, constraint)| Compare::Holds {
            subject,
            constraint,
            span: span()
        }),
        (
            extreme,
            of,
            by(),
            prop::option::of(prop::collection::vec(path(), 1..3))
        )
            .prop_map(|(extreme, of, by, returns)| Compare::Extremum {
                extreme,
                of,
                by,
                returns,
                span: span()
            }),
        (
            prop::sample::select(vec![Operation::Meet, Operation::Join]),
            prop::collection::vec(term(), 1..4),
            path()
        )
            .prop_map(|(operation, of, path)| Compare::Bound {
                operation,
                of,
                by: By {
                    count: false,
                    path,
                    span: span()
                },
                span: span()
            }),
        (term(), term(), by()).prop_map(|(left, right, by)| Compare::Order {
            left,
            right,
            by,
            span: span()
        }),
    ]
    .prop_map(Query::Compare)
}

fn read() -> impl Strategy<Value = Query> {
    let record = (text(), text(), text()).prop_map(|(answer, from, quote)| ReadRecord {
        answer,
        from,
        quote,
    });
    (
        text(),
        prop::option::of("[1-9][0-9]?"),
        prop::option::of(record),
    )
        .prop_map(|(question, top, record)| {
            Query::Read(Read {
                question,
                top,
                record,
                span: span(),
            })
        })
}

fn query() -> BoxedStrategy<Query> {
    let leaf = prop_oneof![
        text().prop_map(|words| Query::Abstain {
            words,
            span: span()
        }),
        read(),
        (path(), term()).prop_map(|(path, value)| Query::Meet(Meet {
            constraint: Constraint::Test {
                path,
                operator: Operator::Is,
                operand: Operand::Term(value),
                span: span()
            },
            confidence: None,
            returns: None,
            span: span(),
        })),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        prop_oneof![meet(inner.clone().boxed()), compare(inner.boxed())]
    })
    .boxed()
}

fn chains() -> impl Strategy<Value = Vec<Chain>> {
    let flat = prop::collection::vec(plain(), 1..5).prop_map(|last| Chain {
        upper: vec![],
        last,
        span: span(),
    });
    let chain = (
        prop::collection::vec(plain(), 1..4),
        prop::collection::vec(plain(), 1..6),
    )
        .prop_map(|(upper, last)| Chain {
            upper,
            last,
            span: span(),
        });
    (prop::option::of(flat), prop::collection::vec(chain, 0..4))
        .prop_map(|(flat, chains)| flat.into_iter().chain(chains).collect())
}

fn dimension() -> impl Strategy<Value = StatementKind> {
    let kind = prop_oneof![
        Just(KindDeclaration::Taxonomy),
        prop::option::of(name()).prop_map(|within| KindDeclaration::Entity { within }),
        prop::option::of(name()).prop_map(|unit| KindDeclaration::Number { unit }),
        Just(KindDeclaration::Date),
        Just(KindDeclaration::Text),
    ];
    let flags = (
        prop::option::of(any::<bool>()),
        (any::<bool>(), any::<bool>()),
        prop::option::of(name()),
        prop::collection::vec(name(), 0..4),
    );
    (name(), kind, flags, chains()).prop_map(
        |(name, kind, (one, (complete, strict), inverse, aka), chains)| {
            let chains = if kind == KindDeclaration::Taxonomy {
                chains
            } else {
                vec![]
            };
            let inverse = if matches!(kind, KindDeclaration::Entity { .. }) {
                inverse
            } else {
                None
            };
            let strict = strict && kind == KindDeclaration::Taxonomy;
            StatementKind::Dimension(DimensionDeclaration {
                name,
                kind,
                one,
                complete,
                strict,
                inverse,
                aka,
                chains,
            })
        },
    )
}

fn source() -> impl Strategy<Value = Source> {
    (
        text(),
        prop::option::of(text()),
        prop::option::of((0u64..100, 100u64..200)),
        prop::option::of(0u64..100),
    )
        .prop_map(|(text, from, at, line)| Source {
            text,
            from,
            at,
            line,
        })
}

fn defect() -> impl Strategy<Value = StatementKind> {
    let kind = prop_oneof![
        (name(), name()).prop_map(|(upper, lower)| DefectKind::Cycle { upper, lower }),
        (name(), name()).prop_map(|(term, user)| DefectKind::Undefined { term, user }),
        name().prop_map(|term| DefectKind::Duplicate { term }),
    ];
    (name(), kind, prop::option::of(source())).prop_map(|(dimension, kind, source)| {
        StatementKind::Defect(Defect {
            dimension,
            kind,
            source,
        })
    })
}

fn fact() -> impl Strategy<Value = Fact> {
    let assignment = (name(), any::<bool>(), prop::collection::vec(term(), 1..4)).prop_map(
        |(dimension, denied, values)| Assignment {
            dimension,
            denied,
            values,
        },
    );
    let confidence = prop::option::of(Just("0.25".to_owned()));
    (
        subject(),
        prop::collection::vec(assignment, 1..4),
        confidence,
        prop::option::of(source()),
    )
        .prop_map(|(subject, assignments, confidence, source)| Fact {
            subject,
            assignments,
            confidence,
            source,
        })
}

fn names(least: usize) -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(name(), least..5)
}

fn expectation() -> impl Strategy<Value = Expectation> {
    prop_oneof![
        prop::collection::vec(term(), 0..5).prop_map(Expectation::Set),
        prop::collection::vec(prop::collection::vec(prop::option::of(term().prop_filter("NULL", |term| {
            !matches!(term, Term::Name(name) if !name.quoted && name.text.eq_ignore_ascii_case("null"))
        })), 1..4), 0..4).prop_map(Expectation::Rows),
        "[0-9]{1,4}".prop_map(Expectation::Count),
        any::<bool>().prop_map(Expectation::Truth),
        prop::sample::select(vec![OrderWord::Less, OrderWord::Greater, OrderWord::Equal, OrderWord::Incomparable])
            .prop_map(Expectation::Order),
        prop::option::of(name()).prop_map(Expectation::Abstain),
    ]
}

fn load() -> impl Strategy<Value = StatementKind> {
    let form = prop::option::of(prop::sample::select(vec![
        LoadForm::Triples,
        LoadForm::NTriples,
        LoadForm::Table,
        LoadForm::JsonLines,
        LoadForm::Lq,
        LoadForm::Obo,
        LoadForm::Rdf,
        LoadForm::WordNet,
        LoadForm::Edges,
    ]));
    let column = (name(), prop::option::of(name()), prop::option::of(name())).prop_map(
        |(name, dimension, entity)| Column {
            name,
            dimension,
            entity,
        },
    );
    (
        form,
        text(),
        prop::option::of(name()),
        names(0),
        prop::collection::vec(column, 0..4),
        names(0),
        names(0),
        (names(0), prop::option::of(name())),
    )
        .prop_map(
            |(form, file, table, key, columns, omit, one, (edges, language))| {
                StatementKind::Load(Load {
                    form,
                    file,
                    table,
                    key,
                    columns,
                    omit,
                    one,
                    edges,
                    language,
                    file_span: span(),
                })
            },
        )
}

fn across() -> impl Strategy<Value = Across> {
    (names(1), prop::option::of("[1-9][0-9]{0,3}")).prop_map(|(dimensions, support)| Across {
        dimensions,
        support,
    })
}

fn statement() -> impl Strategy<Value = StatementKind> {
    prop_oneof![
        4 => query().prop_map(StatementKind::Query),
        2 => (name(), query()).prop_map(|(name, query)| StatementKind::Let { name, query }),
        1 => query().prop_map(StatementKind::Explain),
        3 => dimension(),
        2 => fact().prop_map(StatementKind::Fact),
        2 => expectation().prop_map(StatementKind::Expect),
        1 => load(),
        1 => (names(1), name(), name()).prop_map(|(words, value, dimension)| StatementKind::Synonym { words, value, dimension }),
        1 => (names(1), subject()).prop_map(|(words, instance)| StatementKind::Alias { words, instance }),
        1 => (subject(), names(0)).prop_map(|(instance, aka)| StatementKind::Instance { instance, aka }),
        1 => (name(), number(), name()).prop_map(|(name, factor, base)| StatementKind::Unit { name, factor, base }),
        1 => text().prop_map(|from| StatementKind::Retract { from }),
        1 => defect(),
        1 => name().prop_map(StatementKind::Check),
        1 => name().prop_map(StatementKind::Width),
        1 => (name(), name()).prop_map(|(a, b)| StatementKind::Independence(a, b)),
        1 => across().prop_map(StatementKind::Concepts),
        1 => across().prop_map(StatementKind::Implications),
        1 => query().prop_map(StatementKind::Suggest),
        1 => prop_oneof![
            Just(Showing::Dimensions), Just(Showing::Instances), Just(Showing::Documents),
            plain().prop_map(Showing::Dimension),
        ].prop_map(StatementKind::Show),
        1 => subject().prop_map(StatementKind::Describe),
        1 => (text(), prop::option::of(text())).prop_map(|(file, at)| StatementKind::Open { file, at, file_span: span() }),
        1 => path().prop_map(StatementKind::Use),
        1 => (text(), query()).prop_map(|(wording, query)| StatementKind::PatternQuestion { wording, query }),
    ]
    .prop_filter("inside PATTERN braces after `=` are holes", no_pattern_braces)
}

/// Sets in braces stand only behind IN in a PATTERN; `MAX OF {a}` would be a hole.
fn no_pattern_braces(kind: &StatementKind) -> bool {
    let StatementKind::PatternQuestion { query, .. } = kind else {
        return true;
    };
    !print_query(query).contains("OF {")
        && !print_query(query).contains("COMPARE {")
        && !print_query(query).contains("= {")
        && !print_query(query).contains("< {")
        && !print_query(query).contains("> {")
        && !print_query(query).contains("OVERLAPS {")
}

fn tree() -> impl Strategy<Value = Tree> {
    prop::collection::vec(statement(), 0..6).prop_map(|kinds| Tree {
        statements: kinds
            .into_iter()
            .map(|kind| Statement { kind, span: span() })
            .collect(),
        comments: vec![],
    })
}

fn shown(text: &str) -> String {
    parse_lenient(text)
        .1
        .iter()
        .map(|diagnostic| diagnostic.render("t", text, false))
        .collect()
}

/// Checks a law on a stack that the generator's own types fit.
fn law<S: Strategy>(strategy: fn() -> S, check: fn(S::Value) -> TestCaseResult) {
    let work = move || {
        let cases = std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|cases| cases.parse().ok())
            .unwrap_or(256);
        let config = ProptestConfig {
            cases,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        if let Err(fault) = TestRunner::new(config).run(&strategy(), check) {
            panic!("{fault}");
        }
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap();
    });
}

#[test]
fn what_is_formatted_parses_back() {
    law(tree, |tree| {
        let text = format(&tree);
        let back = parse(&text);
        prop_assert!(back.is_ok(), "{}\n{}", text, shown(&text));
        let back = back.unwrap();
        prop_assert_eq!(&back, &tree, "{}", text);
        prop_assert_eq!(format(&back), text.clone());
        prop_assert_eq!(format_text(&text).unwrap(), text.clone());
        prop_assert!(!is_incomplete(&text));
        Ok(())
    });
}

#[test]
fn what_is_printed_parses_back() {
    law(statement, |kind| {
        let text = print_statement(&kind);
        let back = parse(&text);
        prop_assert!(back.is_ok(), "{}\n{}", text, shown(&text));
        prop_assert_eq!(&back.unwrap().statements[0].kind, &kind);
        Ok(())
    });
}

#[test]
fn queries_on_one_line_parse_back() {
    law(query, |query| {
        let text = print_query(&query);
        prop_assert!(!text.contains('\n'));
        let back = parse_query(&text);
        prop_assert!(back.is_ok(), "{}\n{}", text, shown(&text));
        prop_assert_eq!(back.unwrap(), query);
        Ok(())
    });
}

#[test]
fn canonical_is_idempotent_and_blind_to_order() {
    law(query, |query| {
        let (lets, parameters) = (BTreeMap::new(), BTreeMap::new());
        if let Ok(normal) = canonical(&query, &lets, &parameters) {
            prop_assert_eq!(
                canonical(&normal, &lets, &parameters).unwrap(),
                normal.clone()
            );
            prop_assert_eq!(parse_query(&print_query(&normal)).unwrap(), normal.clone());
            prop_assert_eq!(
                canonical(&turned(&query), &lets, &parameters).unwrap(),
                normal
            );
        }
        Ok(())
    });
}

type Places = Vec<(prop::sample::Index, bool, String)>;

fn places() -> impl Strategy<Value = Places> {
    prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            any::<bool>(),
            "[a-z;\"(]{0,5}",
        ),
        0..8,
    )
}

#[test]
fn comments_are_kept_wherever_they_stand() {
    law(
        || (tree(), places()),
        |(tree, places)| {
            let text = commented(&format(&tree), &places);
            let parsed = parse(&text);
            prop_assert!(parsed.is_ok(), "{}\n{}", text, shown(&text));
            let parsed = parsed.unwrap();
            prop_assert_eq!(&parsed.statements, &tree.statements);
            let texts = |tree: &Tree| {
                tree.comments
                    .iter()
                    .map(|comment| comment.text.clone())
                    .collect::<Vec<_>>()
            };
            for once in [format(&parsed), format_text(&text).unwrap()] {
                let again = parse(&once);
                prop_assert!(again.is_ok(), "{}\n→\n{}\n{}", text, once, shown(&once));
                let again = again.unwrap();
                prop_assert_eq!(&again.statements, &tree.statements);
                prop_assert_eq!(texts(&again), texts(&parsed), "{}\n→\n{}", text, once);
            }
            let once = format(&parsed);
            prop_assert_eq!(
                format(&parse(&once).unwrap()),
                once.clone(),
                "from\n{}",
                text
            );
            let once = format_text(&text).unwrap();
            prop_assert_eq!(format_text(&once).unwrap(), once.clone(), "from\n{}", text);
            Ok(())
        },
    );
}

#[test]
fn token_soup_never_panics() {
    law(
        || prop::collection::vec(token(), 0..30),
        |tokens| {
            check(&tokens.concat());
            Ok(())
        },
    );
}

#[test]
fn any_text_never_panics() {
    law(any::<String>, |text| {
        check(&text);
        Ok(())
    });
}

/// The same query with the operands of every list turned round.
fn turned(query: &Query) -> Query {
    fn turn(constraint: &Constraint) -> Constraint {
        match constraint {
            Constraint::And(list, span) => {
                Constraint::And(list.iter().rev().map(turn).collect(), *span)
            }
            Constraint::Or(list, span) => {
                Constraint::Or(list.iter().rev().chain(list).map(turn).collect(), *span)
            }
            Constraint::Not(inner, span) => Constraint::Not(Box::new(turn(inner)), *span),
            Constraint::In {
                path,
                set:
                    SetExpression::Elements {
                        elements,
                        span: braces,
                    },
                span,
            } => Constraint::In {
                path: path.clone(),
                set: SetExpression::Elements {
                    elements: elements.iter().rev().chain(elements).cloned().collect(),
                    span: *braces,
                },
                span: *span,
            },
            other => other.clone(),
        }
    }
    match query {
        Query::Meet(meet) => Query::Meet(Meet {
            constraint: turn(&meet.constraint),
            ..meet.clone()
        }),
        other => other.clone(),
    }
}

/// Puts comments behind spaces of the text that are outside of strings and chains.
fn commented(text: &str, places: &[(prop::sample::Index, bool, String)]) -> String {
    let mut spots = vec![];
    let (mut quoted, mut escaped) = (false, false);
    let mut chain = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '\n' if !quoted => {
                chain = text[at + 1..].starts_with("  ");
                spots.push(at);
            }
            // A line break would end a chain, move a unit, or open a range.
            ' ' if !quoted
                && !chain
                && !text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.') =>
            {
                spots.push(at)
            }
            _ => {}
        }
    }
    let dimensions = text.contains("TAXONOMY");
    let mut cuts: Vec<(usize, String)> = places
        .iter()
        .filter(|_| !spots.is_empty() && !dimensions)
        .map(|(index, own, words)| {
            let lead = if *own { "\n  " } else { " " };
            (*index.get(&spots), format!("{lead}-- {words}\n"))
        })
        .collect();
    cuts.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut text = text.to_owned();
    for (at, comment) in cuts {
        text.insert_str(at, &comment);
    }
    text
}

fn token() -> impl Strategy<Value = String> {
    let keywords: Vec<&'static str> =
        [words::STARTERS, words::CONNECTIVES, words::CONTEXTUAL].concat();
    prop_oneof![
        3 => prop::sample::select(keywords).prop_map(|word| format!("{word} ")),
        3 => prop::sample::select(vec![
            "(", ")", "{", "}", "[", "]", "=", "==", "!=", "<", "<=", ">", ">=", "=>", "->", "..", ".", ",", ";",
            "\"", "\"a\"", "'b'", "“c”", "`d`", "--", " -- x\n", "//", "/*", "#", "\n", "\r\n", " ", "\t", "$x", "@y",
            "?z", "!", "&&", "||", "1", "1..2", "1,200", "1914-12", "5--3", "−5", "12 km", "x", "y ", "a.b ",
            "SELECT ", "FIND ", "MATCH ", "LIKE ", "WHERE ", "IS NULL ", "\\", "日本", "🐋", "\u{301}", "\u{feff}",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

/// No panic, spans in bounds and on boundaries, everything renders; what parses
/// obeys the laws.
fn check(text: &str) {
    let (tree, diagnostics) = parse_lenient(text);
    is_incomplete(text);
    for diagnostic in &diagnostics {
        for span in diagnostic
            .labels
            .iter()
            .map(|label| label.span)
            .chain(diagnostic.fix.iter().map(|fix| fix.span))
        {
            assert!(
                span.start <= span.end && text.get(span.start..span.end).is_some(),
                "{diagnostic:?}\n{text:?}"
            );
        }
        assert_ne!(diagnostic.code.name(), "E099", "{text:?}");
        diagnostic.render("t", text, false);
    }
    for statement in &tree.statements {
        assert!(
            text.get(statement.span.start..statement.span.end).is_some(),
            "{text:?}"
        );
    }
    if let Ok(tree) = parse(text) {
        let once = format(&tree);
        let back = parse(&once).unwrap_or_else(|_| panic!("{text:?}\n{once}\n{}", shown(&once)));
        assert_eq!(back.statements, tree.statements, "{text:?}\n{once}");
        assert_eq!(format(&back), once, "{text:?}");
    }
}
