//! What is told about a text: a code, a place, what was found, what to type.

use ariadne::{Config, IndexType, Report, ReportKind, Source};
use serde::{Deserialize, Serialize};

pub use super::codes::Code;
use super::tree::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The text does not stand.
    Error,
    /// The text stands, and may not mean what was meant.
    Warning,
}

/// A place in the text, with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The bytes.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// A change that certainly repairs the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// The bytes to replace; empty to insert.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
    /// The change in words.
    pub description: String,
}

/// One thing to tell. Its first label is where it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence: what was found, and what was expected.
    pub message: String,
    /// Where.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// The repair, where it is certain.
    pub fix: Option<Box<Fix>>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, message: String) -> Self {
        Diagnostic {
            code,
            severity,
            message,
            labels: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    /// Points at a place. The first label is the main one.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Gives the repair; its description is made from the replacement.
    pub fn fix(self, span: Span, replacement: impl Into<String>) -> Self {
        let replacement = replacement.into();
        let description = match replacement.trim() {
            "" => "remove it".to_owned(),
            text => format!("write `{text}`"),
        };
        self.fix_described(span, replacement, description)
    }

    /// Gives the repair and says it in words.
    pub fn fix_described(
        mut self,
        span: Span,
        replacement: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.fix = Some(Box::new(Fix {
            span,
            replacement: replacement.into(),
            description: description.into(),
        }));
        self
    }

    /// Where it happened: the first label's span.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// The diagnostic as a person reads it, with the lines it is about.
    ///
    /// Spans beyond the text or inside a character are moved to the nearest
    /// sound place.
    pub fn render(&self, source_name: &str, text: &str, colour: bool) -> String {
        let kind = match self.severity {
            Severity::Error => ReportKind::Error,
            Severity::Warning => ReportKind::Warning,
        };
        let place = |span: Span| {
            let span = snap(text, span);
            (source_name.to_owned(), span.start..span.end)
        };
        let config = Config::default()
            .with_index_type(IndexType::Byte)
            .with_color(colour)
            .with_tab_width(4);
        let mut report = Report::build(kind, place(self.span().unwrap_or_default()))
            .with_config(config)
            .with_code(self.code)
            .with_message(&self.message);
        for (order, label) in self.labels.iter().enumerate() {
            let shade = if order == 0 {
                ariadne::Color::Red
            } else {
                ariadne::Color::Blue
            };
            let mut drawn = ariadne::Label::new(place(label.span)).with_color(shade);
            if !label.text.is_empty() {
                drawn = drawn.with_message(&label.text);
            }
            report = report.with_label(drawn);
        }
        if let Some(help) = &self.help {
            report = report.with_help(help);
        }
        // A help that shows the replacement says enough.
        let shown = |fix: &&Fix| {
            let text = fix.replacement.trim();
            let said = self.help.as_ref().is_some_and(|help| help.contains(text));
            text.is_empty() || !said
        };
        if let Some(fix) = self.fix.as_deref().filter(shown) {
            report = report.with_note(format!("fix: {}", fix.description));
        }
        let mut out = Vec::new();
        let sources = (source_name.to_owned(), Source::from(text));
        match report.finish().write(sources, &mut out) {
            Ok(()) => String::from_utf8_lossy(&out).into_owned(),
            Err(_) => format!("[{}] {}\n", self.code, self.message),
        }
    }

    /// The diagnostic as a program reads it. The shape is stable: `code`,
    /// `severity`, `message`, `labels` (`span` with `start` and `end` in bytes,
    /// `text`), `help`, `fix` (`span`, `replacement`, `description`).
    pub fn to_json(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(self).unwrap_or(serde_json::Value::Null);
        value.sort_all_objects();
        value
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "[{}] {}", self.code, self.message)?;
        match &self.help {
            Some(help) => write!(formatter, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Moves a span into the text and onto character boundaries. An empty span
/// covers the character behind it, so that there is something to underline.
pub(crate) fn snap(text: &str, span: Span) -> Span {
    let mut start = span.start.min(text.len());
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if start == end
        && let Some(next) = text.get(start..).and_then(|rest| rest.chars().next())
        && next != '\n'
        && next != '\r'
    {
        end += next.len_utf8();
    }
    Span::new(start, end)
}
