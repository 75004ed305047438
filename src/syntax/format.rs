//! The canonical layout of a text, with all its comments.

use super::diagnostic::Diagnostic;
use super::layout::{self, Line};
use super::stack::{statement_depth, with_room};
use super::tree::{Comment, Statement, StatementKind, Tree};

/// The canonical text of a tree, comments included.
///
/// Blank lines stand between groups of statements, by their kind. The text parses
/// to the same statements, and formatting it again changes nothing.
pub fn format(tree: &Tree) -> String {
    settled(tree, weave_deep(tree, &Blanks::Kinds), |_| Blanks::Kinds)
}

/// The canonical layout of a text, with the blank lines that its author set (one
/// at most between two statements).
///
/// # Errors
///
/// The errors of the text; a text with errors is not changed.
pub fn format_text(text: &str) -> Result<String, Vec<Diagnostic>> {
    let tree = super::parse(text)?;
    let woven = weave_deep(&tree, &Blanks::Text(text));
    Ok(settled(&tree, woven, |text| Blanks::Text(text)))
}

/// A comment within a statement moves to an end of its line, and there may make
/// another part break: such texts are laid out again until nothing moves.
fn settled(tree: &Tree, woven: String, blanks: for<'t> fn(&'t str) -> Blanks<'t>) -> String {
    let within = |comment: &Comment| {
        let at = comment.span.start;
        let before = tree
            .statements
            .partition_point(|statement| statement.span.start <= at);
        let statement = before
            .checked_sub(1)
            .and_then(|index| tree.statements.get(index));
        statement.is_some_and(|statement| at < statement.span.end)
    };
    let mut woven = woven;
    if !tree.comments.iter().any(within) {
        return woven;
    }
    for _ in 0..MAX_ROUNDS {
        let Ok(tree) = super::parse(&woven) else {
            break;
        };
        let next = weave_deep(&tree, &blanks(&woven));
        if next == woven {
            break;
        }
        woven = next;
    }
    woven
}

/// More rounds than comments have been seen to move.
const MAX_ROUNDS: usize = 8;

/// Where blank lines come from.
enum Blanks<'t> {
    /// From the kinds of the statements around.
    Kinds,
    /// From the source text.
    Text(&'t str),
}

struct Weaver<'t> {
    out: String,
    blanks: &'t Blanks<'t>,
    /// Where the last thing written ended in the source.
    end: usize,
    /// Whether the line before carries a comment already.
    taken: bool,
    previous: Option<&'t Statement>,
}

fn weave_deep(tree: &Tree, blanks: &Blanks<'_>) -> String {
    let depths = tree
        .statements
        .iter()
        .map(|statement| statement_depth(&statement.kind));
    let depth = depths.max().unwrap_or(0);
    with_room(depth, || weave(tree, blanks)).unwrap_or_else(|| weave(tree, blanks))
}

fn weave(tree: &Tree, blanks: &Blanks<'_>) -> String {
    let mut weaver = Weaver {
        out: String::new(),
        blanks,
        end: 0,
        taken: true,
        previous: None,
    };
    let mut comments = tree.comments.as_slice();
    // Comments from inside a statement that found no line to stand before.
    let mut behind: Vec<&Comment> = Vec::new();
    for statement in &tree.statements {
        let before = comments.partition_point(|comment| comment.span.start < statement.span.start);
        let (leading, rest) = comments.split_at(before);
        let inside = rest.partition_point(|comment| comment.span.start < statement.span.end);
        let (inner, rest) = rest.split_at(inside);
        comments = rest;
        let carried = std::mem::take(&mut behind);
        weaver.leading(carried.into_iter().chain(leading), Some(statement));
        behind = weaver.statement(statement, inner);
    }
    weaver.leading(behind.into_iter().chain(comments), None);
    weaver.out
}

impl<'t> Weaver<'t> {
    /// Comments between statements: those at a line's end stay at the line before.
    fn leading<'c>(
        &mut self,
        comments: impl Iterator<Item = &'c Comment>,
        next: Option<&'t Statement>,
    ) {
        let mut parted = false;
        for comment in comments {
            if !comment.own_line && !self.taken {
                self.attach(comment);
            } else {
                self.part(comment.span.start, next, &mut parted);
                self.out.push_str(&written(comment));
                self.out.push('\n');
                self.taken = true;
            }
            self.end = self.end.max(comment.span.end);
        }
        if let Some(statement) = next {
            self.part(statement.span.start, next, &mut parted);
        }
    }

    /// A blank line, if one belongs between what was written and what follows.
    fn part(&mut self, start: usize, next: Option<&Statement>, parted: &mut bool) {
        let blank = match self.blanks {
            Blanks::Text(text) => {
                let gap = text.get(self.end..start).unwrap_or("");
                gap.bytes().filter(|byte| *byte == b'\n').count() > 1
            }
            Blanks::Kinds => {
                let apart = match (self.previous, next) {
                    (Some(before), Some(after)) => set_apart(before, after),
                    (before, after) => before.is_some() && after.is_none(),
                };
                apart && !std::mem::replace(parted, true)
            }
        };
        if blank && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Puts a comment at the end of the line before.
    fn attach(&mut self, comment: &Comment) {
        self.out.truncate(self.out.trim_end_matches('\n').len());
        self.out.push(' ');
        self.out.push_str(&written(comment));
        self.out.push('\n');
        self.taken = true;
    }

    /// Writes a statement, and hands back the comments that stand behind it.
    fn statement<'c>(
        &mut self,
        statement: &'t Statement,
        comments: &'c [Comment],
    ) -> Vec<&'c Comment> {
        let mut lines = layout::lines(&statement.kind, statement.span, comments);
        let mut places = assign(&lines, comments);
        // Comments that all land behind the last line need no breaking.
        if places.iter().all(|place| *place >= lines.len()) {
            lines = layout::lines(&statement.kind, statement.span, &[]);
            places = comments.iter().map(|_| lines.len()).collect();
        }
        let mut pending = comments.iter().zip(places).peekable();
        for (index, line) in lines.iter().enumerate() {
            // Own-line comments that stand before this line.
            while let Some((comment, _)) = pending.next_if(|(_, place)| *place == index) {
                if !comment.own_line && !self.taken {
                    self.attach(comment);
                } else {
                    self.indent(line.indent);
                    self.out.push_str(&written(comment));
                    self.out.push('\n');
                    self.taken = true;
                }
            }
            self.indent(line.indent);
            self.out.push_str(&line.text);
            self.out.push('\n');
            self.taken = false;
        }
        self.end = statement.span.end;
        self.previous = Some(statement);
        pending.map(|(comment, _)| comment).collect()
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n("  ", indent));
    }
}

/// For each comment the line that it stands before: the first line whose first
/// token comes after it, or the number of lines.
fn assign(lines: &[Line], comments: &[Comment]) -> Vec<usize> {
    comments
        .iter()
        .map(|comment| lines.partition_point(|line| line.start <= comment.span.start))
        .collect()
}

fn written(comment: &Comment) -> String {
    format!("--{}", comment.text.replace(['\n', '\r'], " ").trim_end())
}

/// The groups that a blank line parts.
fn group(kind: &StatementKind) -> u8 {
    match kind {
        StatementKind::Open { .. } | StatementKind::Use(_) | StatementKind::Load(_) => 0,
        StatementKind::Dimension(_) => 1,
        StatementKind::Unit { .. } => 2,
        StatementKind::Wording { .. }
        | StatementKind::Synonym { .. }
        | StatementKind::Defect(_) => 3,
        StatementKind::Alias { .. } | StatementKind::Instance { .. } => 4,
        StatementKind::Fact(_) | StatementKind::Retract { .. } => 5,
        StatementKind::PatternQuestion { .. } | StatementKind::PatternText { .. } => 6,
        StatementKind::Let { .. }
        | StatementKind::Query(_)
        | StatementKind::Explain(_)
        | StatementKind::Expect(_) => 7,
        StatementKind::Check(_)
        | StatementKind::Width(_)
        | StatementKind::Independence(..)
        | StatementKind::Concepts(_)
        | StatementKind::Implications(_)
        | StatementKind::Suggest(_)
        | StatementKind::Show(_)
        | StatementKind::Describe(_) => 8,
    }
}

fn set_apart(before: &Statement, after: &Statement) -> bool {
    match (&before.kind, &after.kind) {
        (_, StatementKind::Expect(_)) => false,
        (StatementKind::Dimension(a), StatementKind::Dimension(b)) => {
            a.chains.len() > 1 || b.chains.len() > 1
        }
        (StatementKind::Let { .. }, after) if group(after) == 7 => false,
        (before, after) if group(before) == 7 && group(after) == 7 => true,
        (before, after) => group(before) != group(after),
    }
}
