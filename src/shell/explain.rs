//! `latweave explain`: the story of a code.

use super::args::Explain;
use super::terminal::{Exit, Failure, Terminal};
use crate::syntax;
use std::io::{self, Write};

/// An abstention's code and its story.
struct Story {
    code: &'static str,
    title: &'static str,
    story: &'static str,
    example: &'static str,
}

/// Every abstention, in the order in which the first that applies is the reason.
const ABSTENTIONS: &[Story] = &[
    Story {
        code: "not-understood",
        title: "no plan was found for a question",
        story: "A planner turns a question into LQ. It found no reading of this one, and \
guesses none. The part that could not be read is told.",
        example: "",
    },
    Story {
        code: "empty-lattice",
        title: "nothing has been loaded",
        story: "There is no dimension with values, no instance and no fact. That is not the \
same as finding nothing: load a file, state facts or open a lattice.",
        example: "MEET species = whale",
    },
    Story {
        code: "unknown-dimension",
        title: "a word names no dimension of the lattice",
        story: "Words are looked up exactly, then after folding of case, width and white space, \
then as AKA. They are never guessed; near ones are suggested. A query stays a query on every \
lattice, so this is an abstention and no error; `latweave check -l FILE` warns of it beforehand.",
        example: "MEET specis = whale",
    },
    Story {
        code: "unknown-value",
        title: "a word names no value of a dimension",
        story: "The dimension is there, and has no such value, neither by name nor by synonym.",
        example: "MEET species = wale",
    },
    Story {
        code: "unknown-name",
        title: "a word names no instance",
        story: "Nothing is called so, by name, alias or id. That is not the same as knowing the \
thing and finding nothing recorded about it, which is `missing`.",
        example: "COMPARE \"Moby Dik\" BY species = whale",
    },
    Story {
        code: "mismatch",
        title: "a dimension cannot take this value, operator, step or unit",
        story: "A taxonomy has no `>`, a text has no order, a length is not measured in seconds, \
a path leads on only from instances. Both sides are told.",
        example: "MEET species > mammal",
    },
    Story {
        code: "ambiguous",
        title: "an operand names several things",
        story: "COMPARE, and a set taken as a bound, need exactly one thing. Several are called \
so; they are listed with their ids. Write the one that is meant as @id. A question is ambiguous if its \
best readings answer differently; their plans are listed with what each gives.",
        example: "COMPARE \"Springfield\" = \"Springfield\" BY located_in",
    },
    Story {
        code: "missing",
        title: "the value asked for is not recorded",
        story: "The instances are known, and of none of them the value is recorded. In a \
comparison one operand without value is enough; narrow the candidates with HAS.",
        example: "COMPARE \"Moby Dick\" < \"Keiko\" BY born",
    },
    Story {
        code: "incomparable",
        title: "neither side can be preferred",
        story: "Values lie side by side in their order, intervals overlap, or sources contradict \
each other (the coordinate is contested). Both sides are told, and none is chosen.",
        example: "COMPARE \"A\" < \"B\" BY born",
    },
    Story {
        code: "conflict",
        title: "one dimension's constraints have no common lower bound",
        story: "An instance has one value in a ONE dimension, and no value satisfies all that is \
asked of it. This holds for every possible instance; none was looked at.",
        example: "MEET species = bird AND species = mammal",
    },
    Story {
        code: "empty",
        title: "no instance is certain to satisfy everything",
        story: "The words are known and do not contradict each other; nothing recorded satisfies \
all of them. Told is an irreducible set of constraints: no two or more of them can all be met, and \
dropping any one leaves so many hits. Where silence is no evidence, POSSIBLY asks for what may be so.",
        example: "MEET species = whale AND habitat = terrestrial",
    },
    Story {
        code: "derived",
        title: "the value would have to be computed from what is not fully known",
        story: "A count is an answer only where nothing may be missing: no merely possible \
instance, and every dimension on the way COMPLETE. Otherwise the number recorded is no number of \
things.",
        example: "MEET HAS acted_in RETURN COUNT acted_in",
    },
    Story {
        code: "unsupported",
        title: "retrieved passages do not support an answer",
        story: "READ found passages, and none of them says what an answer would need.",
        example: "",
    },
    Story {
        code: "declined",
        title: "the script itself declines",
        story: "The last query is ABSTAIN with the reason in words: a plan may refuse a question.",
        example: "ABSTAIN \"the question asks for an opinion\"",
    },
];

/// Runs `latweave explain`.
pub fn run(arguments: &Explain, terminal: &Terminal) -> Result<Exit, Failure> {
    let out = &mut io::stdout().lock();
    let Some(code) = &arguments.code else {
        list(out, terminal)?;
        return Ok(Exit::Done);
    };
    if let Some(story) = story(code) {
        out.write_all(story.as_bytes())?;
        return Ok(Exit::Done);
    }
    let near = nearest(code);
    Err(if near.is_empty() {
        Failure::with_help(
            format!("there is no code \"{code}\""),
            "`latweave explain` without a code lists all of them",
        )
    } else {
        Failure::with_help(
            format!("there is no code \"{code}\""),
            format!("near it: {}", near.join(", ")),
        )
    })
}

/// The story of an error, warning or abstention code.
pub fn story(code: &str) -> Option<String> {
    let code = code.trim();
    if let Some(story) = syntax::explain(code) {
        return Some(story.to_string());
    }
    let one = ABSTENTIONS
        .iter()
        .find(|s| s.code.eq_ignore_ascii_case(code))?;
    let example = match one.example {
        "" => String::new(),
        text => format!("\nExample:\n\n{text}\n"),
    };
    let text = wrapped(one.story, 88);
    Some(format!(
        "{}: {}\n\nAn abstention: a verdict, not an error.\n\n{text}\n{example}",
        one.code, one.title
    ))
}

/// The abstention codes, in order.
pub fn abstention_codes() -> impl Iterator<Item = &'static str> {
    ABSTENTIONS.iter().map(|s| s.code)
}

fn list(out: &mut dyn Write, terminal: &Terminal) -> io::Result<()> {
    for story in ABSTENTIONS {
        let code = format!("{:<18}", story.code);
        writeln!(out, "{} {}", terminal.paint.strong(&code), story.title)?;
    }
    for code in syntax::Code::ALL {
        let name = format!("{:<18}", code.name());
        writeln!(out, "{} {}", terminal.paint.strong(&name), code.title())?;
    }
    Ok(())
}

fn nearest(code: &str) -> Vec<String> {
    let wanted = code.trim().to_ascii_lowercase();
    let errors = syntax::Code::ALL.iter().map(|c| c.name().to_string());
    let mut all: Vec<(usize, String)> = abstention_codes()
        .map(String::from)
        .chain(errors)
        .map(|c| {
            (
                strsim::damerau_levenshtein(&wanted, &c.to_ascii_lowercase()),
                c,
            )
        })
        .filter(|(distance, c)| *distance <= 2.max(c.len() / 3) && *distance < c.len())
        .collect();
    all.sort();
    all.into_iter().take(3).map(|(_, c)| c).collect()
}

/// Breaks a paragraph into lines.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_abstention_has_its_story() {
        let told: Vec<&str> = ABSTENTIONS.iter().map(|story| story.code).collect();
        assert_eq!(told, crate::script::expect::ABSTENTIONS);
    }

    #[test]
    fn every_abstention_has_a_story() {
        for code in abstention_codes() {
            assert!(story(code).is_some_and(|s| s.contains(code)), "{code}");
        }
    }

    #[test]
    fn a_near_code_is_suggested() {
        assert_eq!(nearest("conflct"), ["conflict"]);
        assert!(nearest("E01").contains(&"E011".to_string()));
        assert!(nearest("nothing at all like it").is_empty());
    }
}
