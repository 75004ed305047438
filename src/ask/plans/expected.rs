//! What a plan gave, as the EXPECT that holds of it.

use crate::lattice::{InstanceId, Lattice, Value, ValueId};
use crate::script::expect::{self, order_word};
use crate::script::words::quoted_id;
use crate::syntax::parse;
use crate::syntax::print::{print_word, quote};
use crate::syntax::tree::StatementKind;
use crate::verdict::{Answer, Members, Outcome, Verdict, print_value};

/// Of a larger set or of more rows only the number is expected.
pub const MOST_EXPECTED: u64 = 1000;

/// The EXPECT that holds of a verdict: its members if they are not too many, else their
/// number. `None` if LQ has no words for it.
pub fn expected(lattice: &Lattice, verdict: &Verdict) -> Option<String> {
    let mut all = Vec::new();
    match &verdict.outcome {
        Outcome::Abstention(abstention) => {
            all.push(format!("EXPECT ABSTAIN {}", abstention.reason.code()));
        }
        Outcome::Answer(answer) => match answer {
            Answer::Truth { value, .. } => all.push(format!("EXPECT {value}").to_uppercase()),
            Answer::Order { word, .. } => all.push(format!("EXPECT {}", order_word(*word))),
            Answer::Count { count, .. } => all.push(format!("EXPECT COUNT {count}")),
            Answer::Set(set) => {
                if set.members.len() <= MOST_EXPECTED {
                    let members = members(lattice, &set.members).join(", ");
                    all.push(format!("EXPECT {{{members}}}"));
                }
                all.push(format!("EXPECT COUNT {}", set.members.len()));
            }
            Answer::Rows(rows) => {
                let count = rows.rows.len() as u64;
                if count <= MOST_EXPECTED {
                    let each = rows.rows.iter().map(|row| {
                        let cells = row.iter().map(|cell| match cell {
                            Some(value) => term(lattice, value),
                            None => "NULL".to_owned(),
                        });
                        format!("({})", cells.collect::<Vec<_>>().join(", "))
                    });
                    let rows: Vec<String> = each.collect();
                    all.push(format!("EXPECT ROWS {{{}}}", rows.join(", ")));
                }
                all.push(format!("EXPECT COUNT {count}"));
            }
        },
    }
    all.into_iter().find(|text| holds(lattice, verdict, text))
}

/// Whether a text is an EXPECT that a verdict meets.
fn holds(lattice: &Lattice, verdict: &Verdict, text: &str) -> bool {
    let Ok(tree) = parse(text) else {
        return false;
    };
    match tree.statements.as_slice() {
        [only] => match &only.kind {
            StatementKind::Expect(expected) => {
                expect::compare(lattice, expected, verdict).is_none()
            }
            _ => false,
        },
        _ => false,
    }
}

/// The members as LQ writes them, sorted, each once.
fn members(lattice: &Lattice, members: &Members) -> Vec<String> {
    let mut all: Vec<String> = match members {
        Members::Instances(set) => set
            .iter()
            .map(|i| term(lattice, &Value::Instance(InstanceId(i))))
            .collect(),
        Members::Values(d, set) => set
            .iter()
            .map(|v| term(lattice, &lattice.value(*d, ValueId(v))))
            .collect(),
        Members::Texts(set) => set.iter().map(|text| quote(text)).collect(),
        Members::Interval(_, value) => vec![term(lattice, value)],
    };
    all.sort();
    all.dedup();
    all
}

/// A value as LQ writes it.
fn term(lattice: &Lattice, value: &Value) -> String {
    match value {
        // A name that several things share names none of them.
        Value::Instance(i) => match lattice.called(lattice.name(*i)).instances.as_slice() {
            [_] => print_word(lattice.name(*i)),
            _ => format!("@{}", quoted_id(lattice.id(*i))),
        },
        Value::Term(name) => print_word(name),
        Value::Text(text) => quote(text),
        Value::Number(_) | Value::Date(_) => print_value(lattice, value),
    }
}
