//! The text in a model's reply that may be LQ: without thinking, fences and prose.
//!
//! Nothing is read here. What comes out begins like a plan, and is parsed and checked
//! before it is anything more; a reply without such a beginning gives nothing.

use serde_json::Value;

/// Words that a plan begins with.
const STARTERS: [&str; 5] = ["LET", "MEET", "COMPARE", "ABSTAIN", "READ"];
/// Words that a line of a plan goes on with.
const CONNECTIVES: [&str; 12] = [
    "AND",
    "OR",
    "NOT",
    "POSSIBLY",
    "HAS",
    "IN",
    "RETURN",
    "BY",
    "CONFIDENCE",
    "OVERLAPS",
    "OF",
    "TOP",
];
/// Marks between which models think.
const THOUGHTS: [(&str, &str); 3] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
];

/// The plan in a reply, as text that is to be parsed; `None` if nothing in it begins
/// like one.
///
/// Thinking is left out, also where its mark is never closed or was opened before the
/// reply. Of fenced blocks the first counts that begins like a plan, one that is marked
/// as LQ before others. Outside of blocks a plan begins a line, behind the mark of a list
/// or a quotation at most, or stands behind a colon or in back quotes; it goes on as long
/// as lines continue it.
///
/// ```
/// use latweave::model::extract::plan;
///
/// let reply = "<think>hm</think>The plan:\n```lq\nMEET name = \"III\" RETURN by\n```\nDone.";
/// assert_eq!(plan(reply).as_deref(), Some("MEET name = \"III\" RETURN by"));
/// assert_eq!(plan("The homepage is http://x.example"), None);
/// ```
pub fn plan(reply: &str) -> Option<String> {
    let text = without_thinking(reply);
    if let Some(inner) = in_json(&text) {
        return in_prose(&inner);
    }
    let (blocks, prose) = fenced(&text);
    let mut tagged: Vec<&Block> = blocks.iter().filter(|block| block.is_lq()).collect();
    tagged.extend(blocks.iter().filter(|block| !block.is_lq()));
    let mut candidates = tagged.iter().map(|block| block.text.as_str());
    candidates.find_map(in_prose).or_else(|| in_prose(&prose))
}

/// A reply without what the model thought.
pub fn without_thinking(reply: &str) -> String {
    let mut rest = reply;
    let mut out = String::new();
    loop {
        let open = THOUGHTS
            .iter()
            .filter_map(|(open, close)| find(rest, open).map(|at| (at, at + open.len(), *close)));
        let shut = THOUGHTS
            .iter()
            .filter_map(|(_, close)| find(rest, close).map(|at| (at, at + close.len())));
        let (open, shut) = (open.min(), shut.min());
        match (open, shut) {
            // Opened before the reply, by the template of the model.
            (_, Some((at, end))) if open.is_none_or(|(start, ..)| at < start) => {
                out.clear();
                rest = rest.get(end..).unwrap_or("");
            }
            (Some((at, end, close)), _) => {
                out.push_str(rest.get(..at).unwrap_or(""));
                out.push('\n');
                let thought = rest.get(end..).unwrap_or("");
                rest = match find(thought, close) {
                    Some(at) => thought.get(at + close.len()..).unwrap_or(""),
                    None => "",
                };
            }
            (None, _) => {
                out.push_str(rest);
                return out;
            }
        }
    }
}

/// Where a mark of ASCII letters stands, in any case.
fn find(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes()
        .windows(mark.len())
        .position(|window| window.eq_ignore_ascii_case(mark.as_bytes()))
}

/// The plan in a reply that is JSON: itself a text, or the first text in an object.
fn in_json(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let begins = |text: &&String| in_prose(text).is_some();
    match &value {
        Value::String(text) => Some(text).filter(begins).cloned(),
        Value::Object(fields) => {
            // By name, so that the order in the reply does not matter.
            let mut named: Vec<(&String, &Value)> = fields.iter().collect();
            named.sort_by_key(|(name, _)| *name);
            let mut texts = named.into_iter().filter_map(|(_, value)| match value {
                Value::String(text) => Some(text),
                _ => None,
            });
            texts.find(begins).cloned()
        }
        _ => None,
    }
}

struct Block {
    mark: String,
    text: String,
}

impl Block {
    fn is_lq(&self) -> bool {
        self.mark.eq_ignore_ascii_case("lq")
    }
}

/// The fenced blocks, and what stands around them. An open block ends with the reply.
fn fenced(text: &str) -> (Vec<Block>, String) {
    let (mut blocks, mut prose): (Vec<Block>, String) = (Vec::new(), String::new());
    let mut open: Option<Block> = None;
    for line in text.lines() {
        let fence = fence(line);
        match (&mut open, fence) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, Some(mark)) => {
                // A block of one line may be closed in it.
                let (mark, text) = match mark.strip_suffix("```") {
                    Some(whole) => whole.split_once(' ').unwrap_or(("", whole)),
                    None => (mark, ""),
                };
                let block = Block {
                    mark: mark.split_whitespace().next().unwrap_or("").to_owned(),
                    text: text.to_owned(),
                };
                if text.is_empty() {
                    open = Some(block);
                } else {
                    blocks.push(block);
                }
                prose.push('\n');
            }
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    blocks.extend(open);
    (blocks, prose)
}

/// What stands behind the mark of a fence.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line
        .strip_prefix("```")
        .or_else(|| line.strip_prefix("~~~"))?;
    Some(rest.trim_start_matches(['`', '~']).trim())
}

/// The first plan among lines that may be prose.
fn in_prose(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| fence(line).is_none()).collect();
    let mut numbered = lines.iter().enumerate();
    let (number, first) = numbered.find_map(|(number, line)| {
        let start = at_start(line).or_else(|| behind_mark(line));
        start.map(|start| (number, start))
    })?;
    let mut plan = Plan::default();
    plan.add(first);
    for line in lines.get(number + 1..).unwrap_or_default() {
        if !plan.goes_on_with(line) {
            break;
        }
        plan.add(line);
    }
    Some(plan.text.trim_end().to_owned())
}

/// The line from its first word on, if that begins a plan. Marks of lists, quotations
/// and headings are passed over.
fn at_start(line: &str) -> Option<&str> {
    let marks = |letter: char| letter.is_whitespace() || ">-*#+•".contains(letter);
    let line = line.trim_start_matches(marks);
    let numbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let line = match numbered.strip_prefix(['.', ')']) {
        Some(rest) if numbered.len() < line.len() => rest.trim_start(),
        _ => line,
    };
    Some(line.trim_end()).filter(|line| begins(line))
}

/// The plan in a line of prose: in back quotes, or behind a colon.
fn behind_mark(line: &str) -> Option<&str> {
    // In prose the words of LQ are also spoken of.
    let begins = |text: &str| begins(text) && (signs(text) || text.contains('"') || has(text));
    let mut quoted = line.split('`').skip(1).step_by(2).map(str::trim);
    let colons = line.match_indices(": ").map(|(at, _)| at + 2);
    quoted.find(|part| begins(part)).or_else(|| {
        let mut rests = colons.filter_map(|at| line.get(at..)).map(|rest| {
            rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '*')
        });
        rests.find(|rest| begins(rest)).map(str::trim_end)
    })
}

/// Whether the text begins like a plan. Words that English has too are taken for LQ
/// where they are written as LQ writes them, or stand beside its signs.
fn begins(text: &str) -> bool {
    let word = first_word(text);
    let Some(starter) = STARTERS
        .iter()
        .find(|starter| starter.eq_ignore_ascii_case(word))
    else {
        return false;
    };
    let rest = text.get(word.len()..).unwrap_or("").trim_start();
    match *starter {
        "LET" => rest.contains('='),
        "ABSTAIN" | "READ" => rest.starts_with('"'),
        _ => word == *starter || signs(rest),
    }
}

fn has(text: &str) -> bool {
    text.split_whitespace().any(|word| word == "HAS")
}

fn signs(text: &str) -> bool {
    text.contains(['=', '<', '>', '(', '{'])
}

fn first_word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or("")
}

/// The lines of a plan so far, and whether they are complete.
#[derive(Default)]
struct Plan {
    text: String,
    open_brackets: usize,
    in_string: bool,
    /// The last token asks for another.
    unfinished: bool,
}

impl Plan {
    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line.trim_end());
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if self.in_string => {
                    letters.next();
                }
                '"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                '(' | '{' => self.open_brackets += 1,
                ')' | '}' => self.open_brackets = self.open_brackets.saturating_sub(1),
                _ => {}
            }
        }
        if !line.trim().is_empty() {
            let last = line.split_whitespace().next_back().unwrap_or("");
            self.unfinished = last.ends_with([',', '=', '<', '>', '(', '{'])
                || STARTERS.contains(&last)
                || CONNECTIVES.contains(&last);
        }
    }

    /// Whether a line belongs to the plan: something is open, or it begins with a word
    /// or sign that continues a plan. Empty lines do not end it.
    fn goes_on_with(&self, line: &str) -> bool {
        let line = line.trim();
        let word = first_word(line);
        line.is_empty()
            || self.in_string
            || self.open_brackets > 0
            || self.unfinished
            || line.starts_with("--")
            || line.starts_with(['(', ')', '{', '}', ',', '.', '=', '<', '>', '!', ';'])
            || CONNECTIVES.contains(&word)
            || (CONNECTIVES
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
                && signs(line))
            || begins(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LQ: &str = "MEET name = \"III\" RETURN performer";

    #[track_caller]
    fn gives(reply: &str, wanted: &str) {
        assert_eq!(plan(reply).as_deref(), Some(wanted), "{reply}");
    }

    #[test]
    fn a_plan_is_cut_out_of_what_surrounds_it() {
        for reply in [
            "{}",
            "  {}  \n",
            "```lq\n{}\n```",
            "```\n{}",
            "```sql\n{}\n```\nIt finds the performer.",
            "Sure! Here:\n~~~ LQ\n{}\n~~~",
            "```lq {}```",
            "<think>maybe MEET a = b {y}</think>{}",
            "hidden MEET a = b</think>\n{}",
            "<THINK>a</THINK><think>b</think>\n\n{}",
            "{}\n<think>was that right?",
            "Here is the plan:\n\n{}\n\nIt finds the performer.",
            "{}\nThis finds the performer.",
            "Plan: {}",
            "**LQ**: {}",
            "The query is `{}`, I think.",
            "> {}",
            "1. {}",
            "Meet the band first.\n{}",
            "Note: MEET is an operator.\n{}",
            "Let me think. Compare them?\n{}",
            "```json\n{\"answer\":1}\n```\n```lq\n{}\n```",
        ] {
            gives(&reply.replace("{}", LQ), LQ);
        }
        gives(&format!("{{\"a\": 1, \"lq\": {LQ:?}}}"), LQ);
        gives(&format!("{LQ:?}"), LQ);
    }

    #[test]
    fn a_plan_of_many_lines_stays_whole() {
        let long = "LET a = MEET by = \"x\"\n\nMEET name IN a\n  AND (year > 1990\n    OR year = 1980)\n  \
                    -- narrowed\n  RETURN\n  film";
        gives(&format!("```lq\n{long}\n```"), long);
        gives(&format!("Here:\n{long}\nDone."), long);
        gives(
            "meet a = b\nand c = d\nAnd this is all.",
            "meet a = b\nand c = d",
        );
        gives(
            "MEET a = \"one\n`two`\nthree\"",
            "MEET a = \"one\n`two`\nthree\"",
        );
        gives("ABSTAIN \"no opinion\"\nSorry.", "ABSTAIN \"no opinion\"");
    }

    #[test]
    fn prose_is_no_plan() {
        for reply in [
            "",
            "The homepage is http://x.example",
            "Judge by the displayed value",
            "Let me compare the two.",
            "Meet the band",
            "Compare both and abstain.",
            "<think>MEET a = b",
            "Read the manual",
            "```",
            "{\"facts\":[]}",
            "[1, 2]",
        ] {
            assert_eq!(plan(reply), None, "{reply}");
        }
    }

    #[test]
    fn what_was_cut_out_is_cut_out_again_unchanged() {
        for reply in [
            "x: MEET a = b\n\n- AND c = d\nend",
            "`MEET a = b`\n`b",
            "1) MEET\n\n\n(a = b)",
        ] {
            let once = plan(reply).unwrap();
            assert_eq!(plan(&once), Some(once.clone()), "{reply}");
        }
    }
}
