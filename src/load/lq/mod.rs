//! LQ statements that say something: declarations, facts, files to load.

mod facts;
mod modules;
mod refusal;

pub use modules::{MODULES, module};
pub use refusal::Refusal;

use super::files::Files;
use super::{LoadError, OnError, Options, Progress, Report, Request};
use crate::lattice::{Builder, Decimal, DimensionSpec, InstKey, KindSpec, Multiplicity, Who};
use crate::syntax::Diagnostic;
use crate::syntax::Statements;
use crate::syntax::codes::Code;
use crate::syntax::tree::{
    Chain, DimensionDeclaration, KindDeclaration, Name, Span, Statement, StatementKind, Term,
};
use refusal::{declaration, refused};
use std::path::{Path, PathBuf};

/// How deeply files may load each other.
const DEEPEST: usize = 32;

/// Where statements stand, and what they may do.
pub struct Context<'a> {
    document: &'a str,
    text: &'a str,
    folder: &'a Path,
    options: &'a Options,
    progress: &'a mut dyn Progress,
    report: &'a mut Report,
    files: Files,
    /// The files that are being loaded, outermost first.
    open: Vec<PathBuf>,
    lines: LineCount<'a>,
}

impl<'a> Context<'a> {
    /// The statements of `text`, which lies in `folder` (LOAD starts there).
    /// `document` is the name that evidence carries where a SOURCE has no FROM.
    pub fn new(
        document: &'a str,
        text: &'a str,
        folder: &'a Path,
        options: &'a Options,
        progress: &'a mut dyn Progress,
        report: &'a mut Report,
    ) -> Context<'a> {
        Context {
            document,
            text,
            folder,
            options,
            progress,
            report,
            files: Files::default(),
            open: Vec::new(),
            lines: LineCount::new(text),
        }
    }

    /// Counts lines from a place whose line is known, so that statements which
    /// are applied one by one need not each count from the start.
    pub fn from_line(mut self, at: usize, line: u64) -> Context<'a> {
        self.lines.at = at;
        self.lines.line = line;
        self
    }

    /// What was done so far.
    pub fn report(&self) -> &Report {
        self.report
    }
}

/// Does what a statement says: DIMENSION, SYNONYM, ALIAS, INSTANCE, UNIT, FACT, DEFECT,
/// RETRACT, LOAD and USE. A refused statement changes nothing.
pub fn apply(
    builder: &mut Builder,
    statement: &Statement,
    context: &mut Context<'_>,
) -> Result<(), Refusal> {
    let checkpoint = builder.checkpoint();
    let facts = context.report.facts;
    let done = applied(builder, statement, context);
    match done {
        Ok(()) => builder.release(checkpoint),
        Err(_) => {
            builder.rollback(checkpoint);
            context.report.facts = facts;
        }
    }
    done
}

/// Whether [`apply`] takes this kind of statement.
pub fn is_knowledge(kind: &StatementKind) -> bool {
    use StatementKind as S;
    matches!(
        kind,
        S::Dimension(_)
            | S::Wording { .. }
            | S::Synonym { .. }
            | S::Alias { .. }
            | S::Instance { .. }
            | S::Unit { .. }
            | S::Fact(_)
            | S::Defect(_)
            | S::Retract { .. }
            | S::Load(_)
            | S::Use(_)
    )
}

fn applied(
    builder: &mut Builder,
    statement: &Statement,
    context: &mut Context<'_>,
) -> Result<(), Refusal> {
    let span = statement.span;
    match &statement.kind {
        StatementKind::Dimension(decl) => dimension(builder, decl, span),
        StatementKind::Wording { dimension, aka } => {
            let d = facts::dimension(builder, dimension)?;
            let mut spec = builder.spec(d).clone();
            spec.aka.extend(aka.iter().map(|word| word.text.clone()));
            builder
                .declare_dimension(spec)
                .map_err(|error| refused(&error, dimension.span))?;
            Ok(())
        }
        StatementKind::Synonym {
            words,
            value,
            dimension,
        } => {
            let d = facts::dimension(builder, dimension)?;
            for word in words {
                builder
                    .add_synonym(d, &value.text, &word.text)
                    .map_err(|error| refused(&error, value.span))?;
            }
            Ok(())
        }
        StatementKind::Alias { words, instance } => {
            let key = facts::instance(builder, instance)?;
            aliases(builder, key, words)
        }
        StatementKind::Instance { instance, aka } => {
            let key = facts::declared_instance(builder, instance)?;
            aliases(builder, key, aka)
        }
        StatementKind::Unit { name, factor, base } => {
            let factor = Decimal::parse(factor).map_err(|error| {
                let message = error.to_string();
                Diagnostic::error(Code::E204, message).label(span, "this factor")
            })?;
            builder
                .add_unit(&name.text, factor, &base.text)
                .map_err(|error| refused(&error, name.span).into())
        }
        StatementKind::Fact(fact) => facts::fact(builder, fact, span, context),
        StatementKind::Defect(defect) => facts::defect(builder, defect, span, context),
        StatementKind::Retract { from } => {
            if builder.retract_document(from) == 0 {
                let document = context.document;
                let warning = format!("{document}: nothing stems from document \"{from}\"");
                context.report.warn(warning);
            }
            Ok(())
        }
        StatementKind::Load(load) => {
            let request = Request::of_statement(load, context.folder, context.document);
            let options = context.options;
            let (files, open) = (context.files.clone(), context.open.clone());
            let done =
                super::load_nested(builder, &request, options, context.progress, &files, open);
            context.report.absorb(done?);
            Ok(())
        }
        StatementKind::Use(path) => {
            let words: Vec<&str> = path.steps.iter().map(|step| step.text.as_str()).collect();
            use_module(builder, &words.join("."), path.span, context)
        }
        _ => Err(not_knowledge(span).into()),
    }
}

fn not_knowledge(span: Span) -> Diagnostic {
    Diagnostic::error(Code::E207, "this statement asks or checks, and adds nothing to a lattice")
        .label(span, "not for building")
        .help("`latweave run` runs scripts with queries; `latweave build` takes declarations, facts and LOAD")
}

fn aliases(builder: &mut Builder, key: InstKey, words: &[Name]) -> Result<(), Refusal> {
    for word in words {
        builder
            .add_alias(key, &word.text)
            .map_err(|error| refused(&error, word.span))?;
    }
    Ok(())
}

fn dimension(
    builder: &mut Builder,
    decl: &DimensionDeclaration,
    span: Span,
) -> Result<(), Refusal> {
    let text = |name: &Option<Name>| name.as_ref().map(|name| name.text.clone());
    let kind = match &decl.kind {
        KindDeclaration::Taxonomy => KindSpec::Taxonomy,
        KindDeclaration::Entity { within } => KindSpec::Entity {
            within: text(within),
        },
        KindDeclaration::Number { unit } => KindSpec::Number { unit: text(unit) },
        KindDeclaration::Date => KindSpec::Date,
        KindDeclaration::Text => KindSpec::Text,
    };
    let spec = DimensionSpec {
        name: decl.name.text.clone(),
        kind,
        multiplicity: decl.one.map(|one| match one {
            true => Multiplicity::One,
            false => Multiplicity::Many,
        }),
        complete: decl.complete,
        strict: decl.strict,
        inverse: text(&decl.inverse),
        aka: decl.aka.iter().map(|name| name.text.clone()).collect(),
    };
    let d = builder
        .declare_dimension(spec)
        .map_err(|error| declaration(&error, decl.name.span, span))?;
    for chain in &decl.chains {
        add_chain(builder, d, chain)?;
    }
    Ok(())
}

fn add_chain(
    builder: &mut Builder,
    d: crate::lattice::DimKey,
    chain: &Chain,
) -> Result<(), Refusal> {
    let failed = |error| refused(&error, chain.span);
    for pair in chain.upper.windows(2) {
        if let [upper, lower] = pair {
            builder
                .add_edge(d, &upper.text, &lower.text)
                .map_err(failed)?;
        }
    }
    for value in &chain.last {
        match chain.upper.last() {
            Some(upper) => builder.add_edge(d, &upper.text, &value.text),
            None => builder.add_value(d, &value.text),
        }
        .map_err(failed)?;
    }
    Ok(())
}

fn use_module(
    builder: &mut Builder,
    name: &str,
    span: Span,
    context: &mut Context<'_>,
) -> Result<(), Refusal> {
    let Some(text) = module(name) else {
        let near = super::names::nearest(name, MODULES.iter().map(|(name, _)| *name));
        let all: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
        let help = match near.first() {
            Some(near) => format!("the nearest is `{near}`"),
            None => format!("there are {}", all.join(", ")),
        };
        let message = format!("there is no module `{name}`");
        let refusal = Diagnostic::error(Code::E208, message).label(span, "not compiled in");
        return Err(refusal.help(help).into());
    };
    let mut inner = Context::new(
        name,
        text,
        context.folder,
        context.options,
        &mut *context.progress,
        &mut *context.report,
    );
    inner.files = context.files.clone();
    inner.open.clone_from(&context.open);
    for parsed in Statements::new(text) {
        for statement in &parsed.statements {
            apply(builder, statement, &mut inner).map_err(|refusal| at(refusal, name, span))?;
        }
    }
    Ok(())
}

/// What is refused inside a module is told where the module is used.
fn at(refusal: Refusal, module: &str, span: Span) -> Refusal {
    match refusal {
        Refusal::Statement(inner) => {
            let message = format!("module `{module}`: {}", inner.message);
            let outer = Diagnostic::error(inner.code, message).label(span, "used here");
            match inner.help {
                Some(help) => outer.help(help).into(),
                None => outer.into(),
            }
        }
        file => file,
    }
}

/// Loads a whole LQ file.
pub(super) fn load(
    builder: &mut Builder,
    request: &Request,
    options: &Options,
    progress: &mut dyn Progress,
    files: &Files,
    open: Vec<PathBuf>,
    report: &mut Report,
) -> Result<(), LoadError> {
    let open = with_file(open, files, &request.path, &request.document)?;
    files.keep(request, progress)?;
    let text = super::lines::whole_text(files, &request.path, &request.document)?;
    if text.trim().is_empty() {
        let document = &request.document;
        report.warn(format!(
            "{document}: the file is empty: no line says anything"
        ));
    }
    let folder = request.path.parent().unwrap_or(Path::new(""));
    let mut told = Vec::new();
    let document = &request.document;
    let mut context = Context::new(document, &text, folder, options, progress, report);
    context.files = files.clone();
    context.open = open;
    let mut ticked = 0;
    let mut lines = LineCount::new(&text);
    for parsed in Statements::new(&text) {
        let done = parsed.span.end as u64;
        if done >= ticked + super::job::TICK {
            ticked = done;
            if context.progress.tick(done, context.report.facts).is_break() {
                return Err(LoadError::Cancelled);
            }
        }
        let mut refusals: Vec<Diagnostic> = errors(parsed.diagnostics).collect();
        for statement in &parsed.statements {
            match apply(builder, statement, &mut context) {
                Ok(()) => {}
                Err(Refusal::Statement(diagnostic)) => refusals.push(*diagnostic),
                Err(Refusal::File(error)) => return Err(error),
            }
        }
        if options.on_error != OnError::Skip {
            told.extend(refusals);
            continue;
        }
        for refusal in refusals {
            let offset = refusal.span().map_or(parsed.span.start, |span| span.start);
            context.report.skip(super::BadLine {
                document: request.document.clone(),
                line: lines.line_of(offset),
                offset: offset as u64,
                reason: refusal.to_string(),
            });
        }
    }
    context.report.lines += lines.line_of(text.len());
    if told.is_empty() {
        return Ok(());
    }
    Err(LoadError::Script {
        document: request.document.clone(),
        text,
        diagnostics: told,
    })
}

fn errors(diagnostics: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    let is_error = |d: &Diagnostic| d.severity == crate::syntax::Severity::Error;
    diagnostics.into_iter().filter(is_error)
}

/// The files being loaded with one more; an error if it is among them already.
fn with_file(
    mut open: Vec<PathBuf>,
    files: &Files,
    path: &Path,
    document: &str,
) -> Result<Vec<PathBuf>, LoadError> {
    let real = files.real(path)?;
    if open.contains(&real) || open.len() >= DEEPEST {
        open.push(real);
        let chain: Vec<String> = open.iter().map(|p| p.display().to_string()).collect();
        return Err(LoadError::Circle {
            document: document.to_owned(),
            chain: chain.join(" > "),
        });
    }
    open.push(real);
    Ok(open)
}

/// Counts lines up to ascending places of a text.
pub(super) struct LineCount<'t> {
    text: &'t str,
    at: usize,
    line: u64,
}

impl<'t> LineCount<'t> {
    pub fn new(text: &'t str) -> LineCount<'t> {
        LineCount {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The number of the line that a byte stands in.
    pub fn line_of(&mut self, offset: usize) -> u64 {
        if offset < self.at {
            *self = LineCount::new(self.text);
        }
        let between = self.text.as_bytes().get(self.at..offset);
        let between = between.unwrap_or_default();
        self.line += between.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at += between.len();
        self.line
    }
}

/// The instance that a term names; used for subjects and values alike.
fn who(term: &Term) -> Option<Who<'_>> {
    match term {
        Term::Name(name) => Some(Who::Name(&name.text)),
        Term::Id { id, .. } => Some(Who::Id(id)),
        Term::Named { name, id, .. } => Some(Who::Both {
            name: &name.text,
            id,
        }),
        _ => None,
    }
}
