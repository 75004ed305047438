//! Abstentions in plain words: one sentence, the details, and what may help.

use crate::lattice::{InstanceId, Lattice};
use crate::script::words;
use crate::syntax::tree::Operation;
use crate::verdict::{Ambiguity, ConflictIn, Contrast, Derivation, Needed, Reason, Unknown, Who};

use super::super::terminal::{Paint, count_of, plain};
use super::advice::Asked;
use std::io::{self, Write};

/// Things listed before "and so many more".
const LISTED: usize = 10;

/// Characters of one detail; the JSON form has all of it.
const LONGEST: usize = 300;

/// An abstention as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code.
    pub code: &'static str,
    /// What is the matter, in one sentence.
    pub sentence: String,
    /// The sides, constraints or words it is about: each with a remark.
    pub details: Vec<(String, Option<String>)>,
    /// What may help.
    pub hint: Option<String>,
}

impl Refusal {
    fn new(reason: &Reason, sentence: impl Into<String>) -> Refusal {
        Refusal {
            code: reason.code(),
            sentence: sentence.into(),
            details: Vec::new(),
            hint: None,
        }
    }
    fn details(mut self, details: Vec<(String, Option<String>)>) -> Refusal {
        self.details = details;
        self
    }
    fn hint(mut self, hint: impl Into<String>) -> Refusal {
        self.hint = Some(hint.into());
        self
    }

    /// Puts a reason into words.
    pub fn of(asked: Asked<'_>, reason: &Reason) -> Refusal {
        let lattice = asked.lattice;
        match reason {
            Reason::NotUnderstood { text } => {
                Refusal::new(reason, format!("No plan was found for “{text}”.")).hint(
                    "use names and dimensions of the lattice (latweave show FILE lists them), or \
                     add words for them to a vocabulary (DIMENSION … AKA, PATTERN QUESTION)",
                )
            }
            Reason::EmptyLattice => {
                Refusal::new(reason, "Nothing has been loaded, so nothing is known.")
                    .hint("state facts with FACT, load a file with LOAD, or open a lattice")
            }
            Reason::UnknownDimension(words) => unknown(reason, words, "dimension"),
            Reason::UnknownValue(words) => unknown(reason, words, "value"),
            Reason::UnknownName(words) => {
                let mut refusal = unknown(reason, words, "instance");
                if let [word] = words.as_slice()
                    && let Some(hint) = asked.value_instead(&word.word)
                {
                    refusal = refusal.hint(hint);
                }
                refusal
            }
            Reason::Mismatch(pairs) => mismatch(asked, reason, pairs),
            Reason::Ambiguous(words) => ambiguous(lattice, reason, words),
            Reason::Missing { path, instances } => missing(asked, reason, path, instances),
            Reason::Incomparable {
                path,
                contested,
                sides,
            } => incomparable(asked, reason, path, *contested, sides),
            Reason::Conflict(conflicts) => conflict(asked, reason, conflicts),
            Reason::Empty { constraints } => {
                let refusal = empty(reason, constraints);
                match asked.nothing_excluded(constraints) {
                    Some(hint) => refusal.hint(hint),
                    None => refusal,
                }
            }
            Reason::Derived { what, from } => derived(asked, reason, what, from),
            Reason::Unsupported { passages } => {
                Refusal::new(reason, "The passages found do not support an answer:")
                    .details(passages.iter().map(|p| (p.clone(), None)).collect())
            }
            Reason::Declined { words } => {
                Refusal::new(reason, format!("The script itself declines: {words}"))
            }
        }
    }

    /// Prints it for a person.
    pub fn print(&self, out: &mut dyn Write, paint: Paint) -> io::Result<()> {
        let code = format!("abstain: {}", self.code);
        writeln!(out, "{}", paint.notice(&code))?;
        writeln!(out, "  {}", plain(&self.sentence))?;
        let widest = self.details.iter().map(|(d, _)| d.chars().count()).max();
        let widest = widest.unwrap_or(0).min(60);
        for (detail, remark) in &self.details {
            let detail = plain(&words::shortened(detail, LONGEST));
            match remark {
                None => writeln!(out, "    {detail}")?,
                Some(remark) => {
                    let gap = widest.saturating_sub(detail.chars().count()) + 3;
                    let remark = paint.faint(&plain(remark));
                    writeln!(out, "    {detail}{}{remark}", " ".repeat(gap))?;
                }
            }
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "  {} {}", paint.strong("hint:"), plain(hint))?;
        }
        Ok(())
    }

    /// Prints it as Markdown.
    pub fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "**abstain: {}** {}", self.code, plain(&self.sentence))?;
        for (k, (detail, remark)) in self.details.iter().enumerate() {
            if k == 0 {
                writeln!(out)?;
            }
            match remark {
                None => writeln!(out, "- `{}`", plain(detail))?,
                Some(remark) => writeln!(out, "- `{}` ({})", plain(detail), plain(remark))?,
            }
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "\nHint: {}", plain(hint))?;
        }
        Ok(())
    }
}

fn push_rest(details: &mut Vec<(String, Option<String>)>, all: usize) {
    if all > LISTED {
        details.push((format!("and {} more", all - LISTED), None));
    }
}

fn unknown(reason: &Reason, words: &[Unknown], what: &str) -> Refusal {
    let near = |word: &Unknown| {
        let quoted: Vec<String> = word.nearest.iter().map(|n| format!("“{n}”")).collect();
        format!("did you mean {}?", words::either(&quoted))
    };
    let told = |word: &Unknown| match &word.dimension {
        Some(dimension) => format!("“{}” in {dimension}", word.word),
        None => format!("“{}”", word.word),
    };
    if let [word] = words {
        let sentence = match &word.dimension {
            Some(dimension) if what == "value" => {
                format!("{dimension} has no value “{}”.", word.word)
            }
            _ => format!("No {what} is called “{}”.", word.word),
        };
        let refusal = Refusal::new(reason, sentence);
        return match word.nearest.as_slice() {
            [] => refusal,
            nearest => {
                let quoted: Vec<String> = nearest.iter().map(|n| format!("“{n}”")).collect();
                refusal.hint(format!("did you mean {}?", words::either(&quoted)))
            }
        };
    }
    let details = words
        .iter()
        .map(|word| {
            let remark = (!word.nearest.is_empty()).then(|| near(word));
            (told(word), remark)
        })
        .collect();
    let sentence = format!("The lattice lacks {} {what}s:", words.len());
    Refusal::new(reason, sentence).details(details)
}

fn missing(asked: Asked<'_>, reason: &Reason, path: &str, instances: &[InstanceId]) -> Refusal {
    if let Some(sentence) = asked.undecided(instances) {
        return Refusal::new(reason, sentence);
    }
    let mut details: Vec<_> = instances
        .iter()
        .take(LISTED)
        .map(|i| (words::instance(asked.lattice, *i), None))
        .collect();
    if let (Some(first), Some(i)) = (details.first_mut(), instances.first()) {
        first.1 = asked.broken_at(path, *i);
    }
    push_rest(&mut details, instances.len());
    let (sentence, hint) = match asked.candidates(path, instances.len()) {
        Some(told) => told,
        None => {
            let sentence = match instances {
                [_] => format!("{path} is not recorded for:"),
                all => format!(
                    "{path} is not recorded for any of {}:",
                    count_of(all.len() as u64, "instance", "instances")
                ),
            };
            (sentence, None)
        }
    };
    let refusal = Refusal::new(reason, sentence).details(details);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

fn mismatch(asked: Asked<'_>, reason: &Reason, pairs: &[Contrast]) -> Refusal {
    let refusal = contrasted(reason, pairs);
    match pairs.iter().find_map(|pair| asked.fitting(pair)) {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

fn contrasted(reason: &Reason, pairs: &[Contrast]) -> Refusal {
    if let [one] = pairs {
        let sentence = match one.what.as_str() {
            "operator" => "The dimension does not take this operator:",
            "value" => "The dimension cannot have this value:",
            "unit" if one.right.ends_with(" has no unit") => "There is no unit to compare in:",
            "unit" => "This unit does not measure what the dimension measures:",
            "path step" | "step by" => "The path cannot be followed:",
            "no order" => "There is no order to compare by:",
            _ => "These do not go together:",
        };
        let details = vec![(one.left.clone(), None), (one.right.clone(), None)];
        return Refusal::new(reason, sentence).details(details);
    }
    let all = pairs
        .iter()
        .map(|p| (p.left.clone(), Some(p.right.clone())));
    Refusal::new(reason, "These do not go together:").details(all.collect())
}

fn ambiguous(lattice: &Lattice, reason: &Reason, all: &[Ambiguity]) -> Refusal {
    let reading = |who: &Who| match who {
        Who::Instance(i) => {
            let remark = words::first_words(lattice, *i);
            (format!("@{}", words::quoted_id(lattice.id(*i))), remark)
        }
        Who::Value(value, dimension) => (value.clone(), Some(format!("a value of {dimension}"))),
        Who::Plan { plan, answer } => (plan.clone(), Some(answers(answer))),
    };
    let mut details = Vec::new();
    for one in all {
        if all.len() > 1 {
            details.push((format!("“{}”:", one.word), None));
        }
        details.extend(one.readings.iter().take(LISTED).map(reading));
        push_rest(&mut details, one.readings.len());
    }
    let plans = |one: &Ambiguity| matches!(one.readings.as_slice(), [Who::Plan { .. }, ..]);
    if let [one] = all
        && plans(one)
    {
        let count = one.readings.len();
        let sentence =
            format!("The question can be read in {count} ways, which answer differently:");
        return Refusal::new(reason, sentence).details(details).hint(
            "ask in other words, or run the plan that is meant: latweave run -l FILE -c 'MEET …'",
        );
    }
    let sentence = match all {
        [one] => format!(
            "“{}” stands for {} things here:",
            one.word,
            one.readings.len()
        ),
        _ => "These stand for several things here:".to_string(),
    };
    Refusal::new(reason, sentence)
        .details(details)
        .hint("write the one that is meant by its id, as in @\"…\"")
}

/// What a reading of a question answers, in one line.
fn answers(answer: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut shown: Vec<String> = answer.iter().take(SHOWN).cloned().collect();
    if answer.len() > SHOWN {
        shown.push(format!("{} more", answer.len() - SHOWN));
    }
    shown.join(", ")
}

fn incomparable(
    asked: Asked<'_>,
    reason: &Reason,
    path: &str,
    contested: bool,
    sides: &[(Who, Vec<String>)],
) -> Refusal {
    let sentence = if contested {
        format!("Sources contradict each other about {path}, and neither side is preferred:")
    } else {
        let several = sides.iter().any(|(_, values)| values.len() > 1);
        match asked.operation() {
            None => format!("Neither can be placed above the other by {path}:"),
            Some(_) if several => {
                format!("Bounds are those of single values, and by {path} there are several:")
            }
            Some(Operation::Join) => format!("Nothing lies above all of these by {path}:"),
            Some(Operation::Meet) => {
                format!("Nothing is known to lie below all of these by {path}:")
            }
        }
    };
    let mut details: Vec<_> = sides
        .iter()
        .take(LISTED)
        .map(|(who, values)| {
            let who = words::who(asked.lattice, who);
            (format!("{who}: {}", values.join(", ")), None)
        })
        .collect();
    push_rest(&mut details, sides.len());
    let refusal = Refusal::new(reason, sentence).details(details);
    if contested {
        refusal.hint("DESCRIBE shows every source of both sides")
    } else {
        refusal
    }
}

fn conflict(asked: Asked<'_>, reason: &Reason, conflicts: &[ConflictIn]) -> Refusal {
    let details = conflicts
        .iter()
        .flat_map(|c| c.constraints.iter().map(|text| (text.clone(), None)))
        .collect();
    let dimensions: Vec<String> = conflicts.iter().map(|c| c.dimension.clone()).collect();
    let dimensions = words::both(&dimensions);
    let sentence = match asked.operation() {
        Some(_) => format!("No value of {dimensions} lies below all of these:"),
        None => {
            format!("One thing has one {dimensions}, and no value can be all of these at once:")
        }
    };
    Refusal::new(reason, sentence).details(details)
}

fn empty(reason: &Reason, constraints: &[Needed]) -> Refusal {
    if let [one] = constraints {
        return Refusal::new(reason, "No instance is certain to satisfy this:")
            .details(vec![(one.constraint.clone(), None)]);
    }
    let details = constraints
        .iter()
        .map(|needed| {
            let hits = count_of(needed.hits_without, "hit", "hits");
            (
                needed.constraint.clone(),
                Some(format!("without it: {hits}")),
            )
        })
        .collect();
    Refusal::new(
        reason,
        "No instance is certain to satisfy all of these at once:",
    )
    .details(details)
}

fn derived(asked: Asked<'_>, reason: &Reason, what: &str, from: &[Derivation]) -> Refusal {
    let why = |d: &Derivation| match d {
        Derivation::Possible(n) => {
            let may = format!(
                "{} may belong to it too",
                count_of(*n, "instance", "instances")
            );
            match asked.possible(*n) {
                Some(names) => format!("{may}: {names}"),
                None => may,
            }
        }
        Derivation::Open(dimension) => {
            format!("{dimension} is not COMPLETE: what is not recorded may still be so")
        }
        Derivation::Contested => "a value on the way is contested".to_string(),
    };
    let sentence = match what {
        "instances" => "How many instances these are is not certain:".to_string(),
        path => format!("How many values of {path} there are is not certain:"),
    };
    let details = from.iter().map(|d| (why(d), None)).collect();
    let refusal = Refusal::new(reason, sentence).details(details);
    match asked.countable(from) {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}
