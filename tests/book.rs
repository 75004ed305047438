//! The book and the README say what the program does: every LQ block is run, every
//! printed session is compared with what the program prints, and the page of codes
//! with the table of codes.
//!
//! Blocks of one page share a session, in order. After the three backticks:
//!
//! | first line | what is done |
//! | --- | --- |
//! | `lq` | run; an expectation that fails, or a query that abstains and has no EXPECT, is a fault |
//! | `lq fresh` | the same in a new session |
//! | `lq error E012` | something in it must be refused with this code |
//! | `lq who="Moby Dick"` | run with a parameter |
//! | `… file=NAME` | written to a file, for the blocks behind it; LQ is also run, alone |
//! | `console`, `console exit=1` | each `$ latweave …` is run and its output compared |
//! | `console lines=1..8,22..30` | the same, of these lines of the output; `…` for the others |
//!
//! `LATWEAVE_BOOK=write cargo test --test book` writes the output that the program
//! prints into the pages, to be looked at and committed.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::Lattice;
use latweave::script::{Binding, Output, ScriptError, Session};
use latweave::syntax::tree::StatementKind;
use latweave::syntax::{Code, Diagnostic, parse};
use latweave::verdict::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fenced block of a page.
struct Block {
    line: usize,
    words: Vec<String>,
    body: String,
}

impl Block {
    fn kind(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The value behind `key=`.
    fn value(&self, key: &str) -> Option<&str> {
        let mut pairs = self.words.iter().filter_map(|word| word.split_once('='));
        pairs.find(|(k, _)| *k == key).map(|(_, value)| value)
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }
}

/// A page: what is between its blocks, and its blocks.
struct Page {
    path: PathBuf,
    text: String,
    blocks: Vec<Block>,
}

impl Page {
    fn read(path: &Path) -> Page {
        let text = fs::read_to_string(path).unwrap();
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let fence = line.starts_with("```");
            match open.take() {
                Some(block) if fence => blocks.push(block),
                Some(mut block) => {
                    block.body.push_str(line);
                    block.body.push('\n');
                    open = Some(block);
                }
                None if fence => {
                    open = Some(Block {
                        line: number,
                        words: split(line.trim_start_matches('`')),
                        body: String::new(),
                    });
                }
                None => {}
            }
        }
        let name = path.display();
        assert!(open.is_none(), "{name}: a block is not closed");
        // No block hides behind an indent, a quotation or a longer fence.
        let fences = text.matches("```").count();
        assert_eq!(fences, 2 * blocks.len(), "{name}: a block is not seen");
        assert!(!text.contains("~~~"), "{name}: write fences as backticks");
        Page {
            path: path.to_path_buf(),
            text,
            blocks,
        }
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Puts other bodies in the place of some blocks.
    fn rewrite(&self, bodies: &BTreeMap<usize, String>) {
        let mut written = String::new();
        let mut inside: Option<usize> = None;
        for (number, line) in (1..).zip(self.text.lines()) {
            match inside {
                Some(_) if line.starts_with("```") => inside = None,
                Some(block) if bodies.contains_key(&block) => continue,
                Some(_) => {}
                None if line.starts_with("```") => {
                    inside = Some(number);
                    written.push_str(line);
                    written.push('\n');
                    written.push_str(bodies.get(&number).map_or("", String::as_str));
                    continue;
                }
                None => {}
            }
            written.push_str(line);
            written.push('\n');
        }
        fs::write(&self.path, written).unwrap();
    }
}

/// Words separated by blanks; quotes keep blanks inside a word.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn is_writing() -> bool {
    std::env::var_os("LATWEAVE_BOOK").is_some_and(|value| value == "write")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(root().join("docs/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    all.sort();
    all.push(root().join("README.md"));
    all
}

/// A folder with the files that blocks name: the book's data, the examples.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("docs/src/data"), folder.path());
    copy(&root().join("examples"), &folder.path().join("examples"));
    folder
}

fn copy(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else {
        return;
    };
    fs::create_dir_all(to).unwrap();
    for entry in entries {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Runs LQ in a session. What is wrong first: a code if there is one, and a story.
fn run(
    session: &mut Session,
    name: &str,
    text: &str,
    folder: &Path,
) -> Result<(), (Option<Code>, String)> {
    let told = |diagnostics: &[Diagnostic]| {
        let code = diagnostics.first().map(|d| d.code);
        let stories = diagnostics.iter().map(|d| d.render(name, text, false));
        (code, stories.collect::<String>())
    };
    let tree = parse(text).map_err(|diagnostics| told(&diagnostics))?;
    session.begin_text(name, text, folder);
    for (k, statement) in tree.statements.iter().enumerate() {
        let next = tree.statements.get(k + 1).map(|s| &s.kind);
        match session.execute(statement) {
            Ok(Output::Expectation(Some(difference))) => {
                return Err(told(&[difference.diagnostic(statement.span)]));
            }
            Ok(Output::Verdict(verdict))
                if matches!(verdict.outcome, Outcome::Abstention(_))
                    && !matches!(next, Some(StatementKind::Expect(_))) =>
            {
                let shown = text.get(statement.span.start..statement.span.end);
                let story = format!("{} abstains without EXPECT", shown.unwrap_or_default());
                return Err((None, story));
            }
            Ok(_) => {}
            Err(ScriptError::Text(all)) => return Err(told(&all)),
            Err(ScriptError::Loaded { diagnostics, .. }) => return Err(told(&diagnostics)),
            Err(error) => return Err((None, error.to_string())),
        }
    }
    match session.settle() {
        Ok(()) => Ok(()),
        Err(ScriptError::Text(all)) => Err(told(&all)),
        Err(error) => Err((None, error.to_string())),
    }
}

/// Runs one block of LQ; `None` if all is as it should be.
fn fault(session: &mut Session, page: &str, block: &Block, folder: &Path) -> Option<String> {
    let name = Path::new(page).file_name().unwrap().to_string_lossy();
    if block.has("fresh") {
        *session = Session::new(Lattice::empty());
    }
    for (key, value) in block.words.iter().filter_map(|word| word.split_once('=')) {
        if key != "file" {
            session.bind(key, Binding::read(value));
        }
    }
    let done = match block.value("file") {
        Some(file) => {
            let mut alone = Session::new(Lattice::empty());
            run(&mut alone, file, &block.body, folder)
        }
        None => run(session, &name, &block.body, folder),
    };
    let expected = block.has("error").then(|| {
        let code = block
            .words
            .last()
            .and_then(|word| word.parse::<Code>().ok());
        code.unwrap_or_else(|| panic!("{page}:{}: error needs a code", block.line))
    });
    match (done, expected) {
        (Ok(()), None) => None,
        (Ok(()), Some(code)) => Some(format!("nothing was refused, and {code} was expected")),
        (Err((Some(found), _)), Some(code)) if found == code => None,
        (Err((_, story)), _) => Some(story),
    }
}

/// What a command prints, and its exit status.
fn printed(command: &str, folder: &Path) -> Result<(String, i32), String> {
    let mut words = split(command);
    if words.starts_with(&["cargo", "run", "--release", "--"].map(String::from)) {
        words.splice(..4, ["latweave".to_string()]);
    }
    match words.split_first() {
        Some((program, rest)) if program == "latweave" => {
            let done = Command::new(env!("CARGO_BIN_EXE_latweave"))
                .args(rest)
                .current_dir(folder)
                .env("COLUMNS", "90")
                .env_remove("NO_COLOR")
                .env_remove("CLICOLOR_FORCE")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let mut text = String::from_utf8(done.stdout).unwrap();
            text.push_str(&String::from_utf8(done.stderr).unwrap());
            Ok((text, done.status.code().unwrap_or(-1)))
        }
        Some((program, [file])) if program == "cat" => {
            let text = fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
            Ok((text, 0))
        }
        _ => Err(format!("`{command}` is no command that the book runs")),
    }
}

fn trimmed(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Some lines of a text, as in `1..8,22..30`, and `…` where there are others.
fn excerpt(text: &str, ranges: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    let mut end = 0;
    for range in ranges.split(',') {
        let (first, last) = range.split_once("..").unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        if first > end + 1 {
            shown.push_str("…\n");
        }
        for line in lines.iter().take(last).skip(first - 1) {
            shown.push_str(line);
            shown.push('\n');
        }
        end = last;
    }
    if end < lines.len() {
        shown.push_str("…\n");
    }
    shown
}

/// The block as the program would print it.
fn console(block: &Block, folder: &Path) -> Result<String, String> {
    let mut written = String::new();
    let status: i32 = block.value("exit").map_or(0, |n| n.parse().unwrap());
    let mut status_seen = 0;
    let mut lines = block.body.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else {
            continue;
        };
        let mut command = first.to_string();
        written.push_str(line);
        written.push('\n');
        while command.ends_with('\\') {
            command.pop();
            let more = lines.next().unwrap_or_default();
            command.push_str(more);
            written.push_str(more);
            written.push('\n');
        }
        let (text, code) = printed(&command, folder)?;
        status_seen = code;
        match block.value("lines") {
            Some(ranges) => written.push_str(&excerpt(&trimmed(&text), ranges)),
            None => written.push_str(&trimmed(&text)),
        }
        if lines.clone().any(|line| line.starts_with("$ ")) {
            written.push('\n');
        }
    }
    if status_seen != status {
        return Err(format!(
            "exit status {status_seen}, expected {status}:\n{written}"
        ));
    }
    Ok(trimmed(&written))
}

#[test]
fn every_block_does_what_the_page_says() {
    let mut faults = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in pages() {
        let page = Page::read(&path);
        let folder = folder();
        let mut session = Session::new(Lattice::empty());
        let mut bodies = BTreeMap::new();
        for block in &page.blocks {
            *counts.entry(block.kind().to_string()).or_default() += 1;
            let mut tell = |story: String| {
                faults.push(format!("{}:{}\n{story}", page.name(), block.line));
            };
            if let Some(file) = block.value("file") {
                fs::write(folder.path().join(file), &block.body).unwrap();
            }
            match block.kind() {
                "lq" => {
                    if let Some(story) = fault(&mut session, &page.name(), block, folder.path()) {
                        tell(story);
                    }
                }
                "console" => match console(block, folder.path()) {
                    Ok(text) if text == block.body => {}
                    Ok(text) if is_writing() => {
                        bodies.insert(block.line, text);
                    }
                    Ok(text) => tell(format!("prints\n{text}\nand the page says\n{}", block.body)),
                    Err(story) => tell(story),
                },
                // Run by rustdoc, or not run because nothing could run them.
                "rust" | "toml" | "text" | "sh" | "json" | "csv" | "yaml" => {}
                other => tell(format!("`{other}` is no kind of block that the book has")),
            }
        }
        if !bodies.is_empty() {
            page.rewrite(&bodies);
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    assert!(count("lq") >= 60, "the book has LQ blocks: {counts:?}");
    assert!(count("console") >= 15, "and printed sessions: {counts:?}");
    println!("{counts:?}");
}

/// The page of codes, made from the program's own tables.
fn codes() -> String {
    let mut page = String::from(
        "# Codes\n\n\
         <!-- Written by `LATWEAVE_BOOK=write cargo test --test book` from the program's \
         tables. -->\n\n\
         `latweave explain CODE` tells each of these stories at the command line, and \
         `.explain CODE` in\nthe shell.\n\n\
         ## Abstentions\n\n\
         An abstention is a verdict, not an error. The first class that applies, in this \
         order, is the\nreason.\n",
    );
    let folder = Path::new(".");
    let explain = |word: &str| {
        let done = printed(&format!("latweave explain {word}"), folder).unwrap();
        assert_eq!(done.1, 0, "{word}: {}", done.0);
        done.0
    };
    let is_abstention = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let list = explain("");
    let words = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let abstentions: Vec<&str> = words.filter(is_abstention).collect();
    assert!(abstentions.len() >= 14, "{list}");
    for code in abstentions {
        let story = explain(code);
        let (title, rest) = story.split_once('\n').unwrap();
        let title = title.strip_prefix(&format!("{code}: ")).unwrap();
        let rest = rest.replace("An abstention: a verdict, not an error.\n", "");
        let (words, example) = match rest.split_once("Example:") {
            Some((words, example)) => (words, Some(example.trim())),
            None => (rest.as_str(), None),
        };
        let words = words.trim();
        page.push_str(&format!("\n### `{code}`: {title}\n\n{words}\n"));
        if let Some(example) = example {
            page.push_str(&format!("\n```text\n{example}\n```\n"));
        }
    }
    page.push_str(
        "\n## Errors and warnings\n\n\
         Errors say what is wrong with a text, a file or the machine; E001 to E099 with the \
         text itself,\nE200 to E299 with what is stated or loaded, E300 to E399 with lattice \
         files, E400 to E499 with\nrunning. Warnings begin with W.\n",
    );
    for code in Code::ALL {
        let story = code.story();
        let head = format!("{}: {}\n\n", code.name(), code.title());
        let words = story.strip_prefix(&head).unwrap();
        let words = words.split("\n\nWrong:").next().unwrap();
        page.push_str(&format!(
            "\n### {}: {}\n\n{words}\n",
            code.name(),
            code.title()
        ));
        for (title, text) in [("Wrong", code.wrong()), ("Right", code.right())] {
            if !text.is_empty() {
                page.push_str(&format!("\n{title}:\n\n```text\n{text}\n```\n"));
            }
        }
    }
    page
}

#[test]
fn the_page_of_codes_is_the_table_of_codes() {
    let path = root().join("docs/src/codes.md");
    let page = codes();
    if is_writing() {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap();
    assert!(
        found == page,
        "codes.md differs from the table; `LATWEAVE_BOOK=write cargo test --test book` writes it"
    );
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let folder = root().join("docs/src");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for path in pages() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name != "README.md" && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "{name}");
        }
        let text = fs::read_to_string(&path).unwrap();
        let beside = path.parent().unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(beside.join(file).exists(), "{}: {link}", path.display());
            }
        }
    }
}

/// The keywords of the grammar: the rules `k_…`, and the reserved words.
fn keywords() -> BTreeSet<String> {
    let grammar = fs::read_to_string(root().join("grammar/lq.pest")).unwrap();
    let quoted = |line: &str| -> Vec<String> {
        let pieces = line.split("^\"").skip(1);
        pieces
            .filter_map(|piece| piece.split('"').next())
            .map(str::to_string)
            .collect()
    };
    let mut words: BTreeSet<String> = BTreeSet::new();
    for line in grammar.lines().filter(|line| line.starts_with("k_")) {
        words.extend(quoted(line));
    }
    let (_, reserved) = grammar.split_once("\nreserved ").unwrap();
    words.extend(quoted(reserved.split_once("boundary").unwrap().0));
    assert!(words.len() > 70, "{words:?}");
    words
}

#[test]
fn editors_know_the_keywords_and_the_reference_the_reserved_ones() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let words_of = |text: &str| -> BTreeSet<String> {
        let is_word = |c: char| c.is_ascii_alphabetic();
        text.split(|c| !is_word(c)).map(str::to_string).collect()
    };
    let keywords = keywords();
    for path in [
        "editors/vim/syntax/lq.vim",
        "editors/textmate/lq.tmLanguage.json",
        "docs/src/language.md",
    ] {
        let words = words_of(&read(path));
        let missing: Vec<&String> = keywords.difference(&words).collect();
        assert!(missing.is_empty(), "{path} lacks {missing:?}");
    }
    let grammar = read("editors/textmate/lq.tmLanguage.json");
    assert!(serde_json::from_str::<serde_json::Value>(&grammar).is_ok());
}

#[test]
fn a_page_is_taken_apart_and_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.md");
    let text = "a\n```lq who=\"A B\" fresh\nMEET x = y\n```\nb\n```console\n$ x\nold\n```\n";
    fs::write(&path, text).unwrap();
    let page = Page::read(&path);
    assert_eq!(page.blocks.len(), 2);
    assert_eq!(page.blocks[0].value("who"), Some("A B"));
    assert!(page.blocks[0].has("fresh"));
    assert_eq!(page.blocks[1].line, 6);
    page.rewrite(&BTreeMap::from([(6, "$ x\nnew\n".to_string())]));
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text.replace("old", "new")
    );
}

#[test]
fn a_fault_in_a_block_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let find = |info: &str, body: &str| {
        let block = Block {
            line: 1,
            words: split(info),
            body: body.to_string(),
        };
        let mut session = Session::new(Lattice::empty());
        fault(&mut session, "page.md", &block, folder.path())
    };
    let stated = "DIMENSION d TEXT\nFACT A d = x SOURCE \"A is x.\"\n";
    let say = |rest: &str| format!("{stated}{rest}");
    assert_eq!(find("lq", &say("MEET d = x\nEXPECT {A}")), None);
    assert_eq!(find("lq v=x", &say("MEET d = $v\nEXPECT {A}")), None);
    assert_eq!(find("lq error E409", &say("MEET d = x\nEXPECT {B}")), None);
    assert_eq!(find("lq error E012", "MEET a = b AND c = d OR e = f"), None);
    assert!(find("lq", &say("MEET d = x\nEXPECT {B}")).is_some());
    assert!(find("lq", &say("MEET d = z")).is_some());
    assert!(find("lq", "MEET d =").is_some());
    assert!(find("lq error E012", &say("MEET d = x")).is_some());
    assert!(find("lq error E012", "MEET d =").is_some());
}
