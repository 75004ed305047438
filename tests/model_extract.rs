//! What is cut out of a model's reply: for any reply something or nothing, and for a
//! plan in usual company the plan itself.
#![cfg(feature = "models")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/gbnf.rs"]
mod reading;

use latweave::model::extract::{plan, without_thinking};
use latweave::syntax::gbnf::{Vocabulary, gbnf};
use proptest::prelude::*;
use reading::Grammar;
use std::sync::OnceLock;

/// A plan, drawn from the grammar of plans.
fn drawn(seed: u64) -> String {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    let grammar = GRAMMAR.get_or_init(|| Grammar::read(&gbnf(&Vocabulary::default()).unwrap()));
    grammar.draw(seed)
}

/// What models put around a plan.
const COMPANY: [(&str, &str); 12] = [
    ("", ""),
    ("", "\nThis finds them."),
    (
        "Sure! Here is the query:\n\n",
        "\n\nLet me know if it helps.",
    ),
    ("```lq\n", "\n```"),
    ("```\n", ""),
    (
        "Compare the two first.\n```sql\n",
        "\n```\nIt reads what is recorded.",
    ),
    ("~~~LQ\n", "\n~~~\n"),
    ("<think>MEET nothing = \"yet\"\n```", "</think>"),
    (
        "I should look. MEET HAS x?</think>\n",
        "\n<think>was it right?",
    ),
    ("> ", "\n"),
    ("- ", "\n- that is all"),
    ("Meet them all.\n\nQuery: ", "\n"),
];

/// Pieces that replies are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<think>"),
        Just("</think>"),
        Just("```"),
        Just("```lq"),
        Just("~~~"),
        Just("`"),
        Just("\n"),
        Just("\n\n"),
        Just(" "),
        Just("MEET"),
        Just("meet "),
        Just("LET x = "),
        Just("COMPARE \"a\""),
        Just("ABSTAIN \""),
        Just("a = b"),
        Just("AND"),
        Just("\""),
        Just("("),
        Just(")"),
        Just("{"),
        Just("}"),
        Just("\\"),
        Just(": "),
        Just("> "),
        Just("1. "),
        Just("-- "),
        Just("\u{e9}"),
        Just("鯨"),
        Just("{\"lq\":"),
        Just("prose"),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_plan_in_company_is_found_whole(seed in any::<u64>(), which in 0..COMPANY.len()) {
        let written = drawn(seed);
        let (before, after) = COMPANY[which];
        // A think block goes before the plan, whatever it holds.
        let reply = match before.starts_with("<think>") {
            true => format!("{before}{after}{written}"),
            false => format!("{before}{written}{after}"),
        };
        prop_assert_eq!(plan(&reply), Some(written));
    }

    #[test]
    fn any_reply_gives_something_or_nothing(reply in prop_oneof![any::<String>(), pieces()]) {
        let first = plan(&reply);
        prop_assert_eq!(&first, &plan(&reply));
        if let Some(text) = first {
            let word: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
            let starters = ["LET", "MEET", "COMPARE", "ABSTAIN", "READ"];
            prop_assert!(starters.contains(&word.to_uppercase().as_str()), "{}", text);
            prop_assert_eq!(plan(&text), Some(text));
        }
    }

    #[test]
    fn thinking_is_left_out_once_and_for_all(reply in pieces()) {
        let spoken = without_thinking(&reply);
        prop_assert!(!spoken.contains("<think>") && !spoken.contains("</think>"));
        prop_assert_eq!(without_thinking(&spoken), spoken);
    }
}
