//! GBNF read back: what follows from a grammar, drawn at random, and whether a text
//! follows from it. It shares nothing with the code that writes grammars.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An expression.
#[derive(Clone, Debug)]
enum Part {
    Text(Vec<char>),
    Class(bool, Vec<(char, char)>),
    Rule(String),
    All(Vec<Part>),
    One(Vec<Part>),
    Times(Box<Part>, usize, Option<usize>),
}

/// A grammar.
pub struct Grammar {
    rules: BTreeMap<String, Part>,
}

impl Grammar {
    /// Reads one rule to a line.
    pub fn read(text: &str) -> Grammar {
        let mut rules = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let (name, body) = line.split_once(" ::= ").expect("a rule");
            assert!(
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "{name}"
            );
            let letters: Vec<char> = body.chars().collect();
            let mut reader = Reader { letters, at: 0 };
            let part = reader.alternatives();
            assert_eq!(reader.at, reader.letters.len(), "{line}");
            assert!(
                rules.insert(name.to_owned(), part).is_none(),
                "{name} twice"
            );
        }
        let grammar = Grammar { rules };
        grammar.check();
        grammar
    }

    /// Every rule that is named is there, and every rule that is there is named.
    fn check(&self) {
        let mut seen = BTreeSet::from(["root".to_owned()]);
        let mut open = vec!["root".to_owned()];
        while let Some(name) = open.pop() {
            let part = self
                .rules
                .get(&name)
                .unwrap_or_else(|| panic!("no rule {name}"));
            part.names(&mut |name| {
                if seen.insert(name.to_owned()) {
                    open.push(name.to_owned());
                }
            });
        }
        let all: BTreeSet<String> = self.rules.keys().cloned().collect();
        assert_eq!(
            all.difference(&seen).collect::<Vec<_>>(),
            Vec::<&String>::new()
        );
    }

    /// A text that follows from the grammar.
    pub fn draw(&self, seed: u64) -> String {
        let mut out = String::new();
        let mut chance = Chance(seed);
        self.draw_part(&self.rules["root"], &mut chance, &mut out);
        out
    }

    fn draw_part(&self, part: &Part, chance: &mut Chance, out: &mut String) {
        match part {
            Part::Text(letters) => out.extend(letters),
            Part::Class(inverted, ranges) => out.push(chance.letter(*inverted, ranges)),
            Part::Rule(name) => self.draw_part(&self.rules[name], chance, out),
            Part::All(parts) => parts
                .iter()
                .for_each(|part| self.draw_part(part, chance, out)),
            Part::One(parts) => self.draw_part(&parts[chance.below(parts.len())], chance, out),
            Part::Times(part, least, most) => {
                // Few turns mostly, and sometimes as many as there may be.
                let most = most.unwrap_or(least + 8);
                let turns = match chance.below(4) {
                    0 => chance.below(most - least + 1),
                    _ => chance.below((most - least).min(1) + 1),
                };
                for _ in 0..least + turns {
                    self.draw_part(part, chance, out);
                }
            }
        }
    }

    /// Whether a text follows from the grammar.
    pub fn accepts(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().collect();
        let mut known = HashMap::new();
        let ends = self.ends(&self.rules["root"], 0, &letters, &mut known);
        ends.contains(&letters.len())
    }

    /// Where a part may end that begins at a place.
    fn ends(
        &self,
        part: &Part,
        at: usize,
        letters: &[char],
        known: &mut HashMap<(String, usize), BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        match part {
            Part::Text(text) if letters[at..].starts_with(text) => [at + text.len()].into(),
            Part::Text(_) => BTreeSet::new(),
            Part::Class(inverted, ranges) => match letters.get(at) {
                Some(letter) if within(*letter, ranges) != *inverted => [at + 1].into(),
                _ => BTreeSet::new(),
            },
            Part::Rule(name) => {
                let key = (name.clone(), at);
                if let Some(ends) = known.get(&key) {
                    return ends.clone();
                }
                let ends = self.ends(&self.rules[name], at, letters, known);
                known.insert(key, ends.clone());
                ends
            }
            Part::All(parts) => parts.iter().fold([at].into(), |starts, part| {
                let each = starts.iter().map(|at| self.ends(part, *at, letters, known));
                each.fold(BTreeSet::new(), |all, more| &all | &more)
            }),
            Part::One(parts) => parts
                .iter()
                .map(|part| self.ends(part, at, letters, known))
                .fold(BTreeSet::new(), |all, more| &all | &more),
            Part::Times(part, least, most) => {
                let mut all = BTreeSet::new();
                let mut starts = BTreeSet::from([at]);
                for turn in 0..=most.unwrap_or(letters.len()) {
                    if turn >= *least {
                        all.extend(&starts);
                    }
                    let each = starts.iter().map(|at| self.ends(part, *at, letters, known));
                    let next = each.fold(BTreeSet::new(), |all, more| &all | &more);
                    if next.is_empty() || (turn >= *least && next.is_subset(&all)) {
                        break;
                    }
                    starts = next;
                }
                all
            }
        }
    }
}

impl Part {
    fn names(&self, each: &mut dyn FnMut(&str)) {
        match self {
            Part::Text(_) | Part::Class(..) => {}
            Part::Rule(name) => each(name),
            Part::All(parts) | Part::One(parts) => parts.iter().for_each(|p| p.names(each)),
            Part::Times(part, ..) => part.names(each),
        }
    }
}

fn within(letter: char, ranges: &[(char, char)]) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&letter))
}

/// Numbers that look random (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn letter(&mut self, inverted: bool, ranges: &[(char, char)]) -> char {
        if inverted {
            let some = [
                'a', ' ', '-', '\'', '(', '}', '鯨', '🐋', '\u{200B}', ';', '–',
            ];
            let fitting: Vec<char> = some.into_iter().filter(|c| !within(*c, ranges)).collect();
            return fitting[self.below(fitting.len())];
        }
        let (first, last) = ranges[self.below(ranges.len())];
        let width = last as u32 - first as u32 + 1;
        char::from_u32(first as u32 + self.below(width as usize) as u32).unwrap()
    }
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> char {
        self.at += 1;
        self.letters[self.at - 1]
    }

    fn spaces(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn alternatives(&mut self) -> Part {
        let mut ways = vec![self.sequence()];
        while self.peek() == Some('|') {
            self.at += 1;
            ways.push(self.sequence());
        }
        Part::One(ways)
    }

    fn sequence(&mut self) -> Part {
        let mut parts = Vec::new();
        loop {
            self.spaces();
            match self.peek() {
                None | Some('|' | ')') => return Part::All(parts),
                Some(_) => {
                    let part = self.unit();
                    parts.push(self.times(part));
                }
            }
        }
    }

    fn unit(&mut self) -> Part {
        match self.next() {
            '"' => {
                let mut letters = Vec::new();
                while self.peek() != Some('"') {
                    letters.push(self.letter());
                }
                self.at += 1;
                Part::Text(letters)
            }
            '[' => {
                let inverted = self.peek() == Some('^');
                self.at += usize::from(inverted);
                let mut ranges = Vec::new();
                while self.peek() != Some(']') {
                    let first = self.letter();
                    let last = match self.peek() {
                        Some('-') => {
                            self.at += 1;
                            self.letter()
                        }
                        _ => first,
                    };
                    ranges.push((first, last));
                }
                self.at += 1;
                Part::Class(inverted, ranges)
            }
            '(' => {
                let part = self.alternatives();
                assert_eq!(self.next(), ')');
                part
            }
            first => {
                let mut name = first.to_string();
                while let Some(letter) = self.peek().filter(|c| c.is_alphanumeric() || *c == '-') {
                    name.push(letter);
                    self.at += 1;
                }
                Part::Rule(name)
            }
        }
    }

    fn letter(&mut self) -> char {
        match self.next() {
            '\\' => match self.next() {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => self.code(2),
                'u' => self.code(4),
                'U' => self.code(8),
                other => other,
            },
            letter => letter,
        }
    }

    fn code(&mut self, digits: usize) -> char {
        let text: String = (0..digits).map(|_| self.next()).collect();
        char::from_u32(u32::from_str_radix(&text, 16).unwrap()).unwrap()
    }

    fn times(&mut self, part: Part) -> Part {
        let (least, most) = match self.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                let end = self.at
                    + self.letters[self.at..]
                        .iter()
                        .position(|c| *c == '}')
                        .unwrap();
                let inside: String = self.letters[self.at + 1..end].iter().collect();
                self.at = end;
                match inside.split_once(',') {
                    None => (inside.parse().unwrap(), Some(inside.parse().unwrap())),
                    Some((least, "")) => (least.parse().unwrap(), None),
                    Some((least, most)) => (least.parse().unwrap(), Some(most.parse().unwrap())),
                }
            }
            _ => return part,
        };
        self.at += 1;
        Part::Times(Box::new(part), least, most)
    }
}
