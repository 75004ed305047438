//! `latweave show` and `latweave dump`: what is inside a lattice.

use super::args::{Dump, Format, Limits, Show};
use super::batch::execute;
use super::documents;
use super::draw;
use super::render::{self, FIRST_ROWS, Manner};
use super::run::budget;
use super::source::{Source, not_one_of, open, unwritable, write_whole};
use super::terminal::{Exit, Failure, Terminal, count_of, plain};
use crate::engine::Budget;
use crate::lattice::{DimensionId, InstanceId, Lattice};
use crate::load;
use crate::script::listing::{self, Description, Listing};
use crate::script::{Output, Session, words};
use crate::syntax::tree::StatementKind;
use crate::syntax::{parse_lenient, print_word};
use crate::theory;
use std::io::{self, BufWriter, Write};

/// Runs `latweave show`.
pub fn run(arguments: &Show, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    let asked = asked(arguments);
    if let Some(out) = &arguments.draw {
        let form = draw::form(arguments.drawing, out)?;
        not_one_of(out, [arguments.lattice.as_path()])?;
        match asked {
            None => draw::dimension(arguments, &lattice, out, form, terminal)?,
            Some(source) => {
                let mut session = session(lattice, terminal);
                ask(&mut session, &source, terminal)?;
                draw::chain(&session, out, form, &Limits::default(), terminal)?;
            }
        }
        return Ok(Exit::Done);
    }
    let manner = Manner {
        format: arguments.format,
        paint: terminal.paint,
        width: terminal.width,
        limit: (terminal.interactive && !arguments.all).then_some(FIRST_ROWS),
        repl: false,
    };
    if arguments.documents {
        let mut out = BufWriter::new(io::stdout().lock());
        documents::print(&mut out, &manner, &lattice)?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    let output = match (&asked, &arguments.what) {
        (Some(source), _) => ask(&mut session(lattice.clone(), terminal), source, terminal)?,
        (None, None) => Output::Listing(Listing::Dimensions),
        (None, Some(word)) => named(&lattice, word)?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let is_whole = asked.is_none() && arguments.what.is_none();
    if is_whole && matches!(manner.format, Format::Table | Format::Md) {
        head(&mut out, arguments, &lattice, terminal)?;
    }
    let budget = budget(&Limits::default(), terminal);
    render::print(&mut out, &manner, &lattice, &output, None, &budget)?;
    out.flush()?;
    Ok(Exit::Done)
}

/// The question that the flags put, as LQ; none if they name a dimension or an instance.
fn asked(arguments: &Show) -> Option<Source> {
    if let Some(query) = &arguments.query {
        return Some(Source::typed("--query", query));
    }
    let names = arguments.concepts.iter().map(|name| print_word(name));
    let names: Vec<String> = names.collect();
    let support = arguments.support.map(|n| format!(" SUPPORT {n}"));
    let text = format!(
        "CONCEPTS {}{}",
        names.join(", "),
        support.unwrap_or_default()
    );
    (!names.is_empty()).then(|| Source::typed("--concepts", &text))
}

fn session(lattice: Lattice, terminal: &Terminal) -> Session {
    let mut session = Session::new(lattice);
    session.set_budget(budget(&Limits::default(), terminal));
    session
}

/// Asks one question; what is wrong with it is told.
fn ask(session: &mut Session, source: &Source, terminal: &Terminal) -> Result<Output, Failure> {
    let (tree, diagnostics) = parse_lenient(&source.text);
    let told = |exit: Exit| Err(Failure::Told(exit));
    if source.tell(terminal, &diagnostics) {
        return told(Exit::Failed);
    }
    let [statement] = tree.statements.as_slice() else {
        return Err(no_question(&source.name));
    };
    if !matches!(
        statement.kind,
        StatementKind::Query(_) | StatementKind::Concepts(_)
    ) {
        return Err(no_question(&source.name));
    }
    session.begin_text(&source.name, &source.text, &source.folder);
    execute(session, statement, terminal).or_else(|error| told(source.tell_error(terminal, &error)))
}

fn no_question(flag: &str) -> Failure {
    Failure::with_help(
        format!("{flag} takes one query"),
        "a query is MEET, COMPARE or ABSTAIN; `latweave run -l FILE -c …` runs other statements",
    )
}

fn head(
    out: &mut dyn Write,
    arguments: &Show,
    lattice: &Lattice,
    terminal: &Terminal,
) -> io::Result<()> {
    let counts = lattice.counts();
    let path = plain(&arguments.lattice.display().to_string());
    writeln!(out, "{}", terminal.paint.strong(&path))?;
    writeln!(
        out,
        "{}, {}, {} from {}",
        count_of(counts.instances, "instance", "instances"),
        count_of(counts.predicates, "fact", "facts"),
        count_of(counts.evidence, "source text", "source texts"),
        count_of(counts.documents, "document", "documents"),
    )?;
    writeln!(out, "{}\n", lattice.content_hash())
}

/// A dimension's values, or everything about an instance.
fn named(lattice: &Lattice, word: &str) -> Result<Output, Failure> {
    if let Some(i) = by_printed_id(lattice, word) {
        let portrait = listing::portrait(lattice, i).map_err(Failure::new)?;
        return Ok(Output::Description(Box::new(Description::Instances(vec![
            portrait,
        ]))));
    }
    let called = lattice.called(word).instances;
    if let Some(d) = lattice.find_dimension(word)
        && called.is_empty()
    {
        return Ok(Output::Listing(Listing::Values(d)));
    }
    if called.is_empty() {
        let mut near = lattice.nearest_dimensions(word);
        near.extend(lattice.nearest_names(word));
        near.truncate(5);
        let text = format!("no dimension and no instance is called “{}”", plain(word));
        let quoted: Vec<String> = near.iter().map(|n| format!("“{}”", plain(n))).collect();
        return Err(if quoted.is_empty() {
            Failure::new(text)
        } else {
            Failure::with_help(text, format!("did you mean {}?", words::either(&quoted)))
        });
    }
    let portraits = called.into_iter().map(|i| listing::portrait(lattice, i));
    let portraits = portraits.collect::<Result<_, _>>().map_err(Failure::new)?;
    Ok(Output::Description(Box::new(Description::Instances(
        portraits,
    ))))
}

/// What is wrong with a word for a dimension.
pub fn no_dimension(lattice: &Lattice, word: &str) -> Failure {
    let text = format!("no dimension is called “{}”", plain(word));
    let near = lattice.nearest_dimensions(word);
    let quoted: Vec<String> = near.iter().map(|n| format!("“{}”", plain(n))).collect();
    if quoted.is_empty() {
        Failure::with_help(text, "`latweave show FILE` lists the dimensions")
    } else {
        Failure::with_help(text, format!("did you mean {}?", words::either(&quoted)))
    }
}

/// An instance by its id as it is printed: `@id`, `@"an id"`, `name (@"an id")`.
fn by_printed_id(lattice: &Lattice, word: &str) -> Option<InstanceId> {
    let id = match word.strip_prefix('@') {
        Some(id) => id,
        None => word.strip_suffix(')')?.rsplit_once(" (@")?.1,
    };
    let quoted = id.strip_prefix('"').and_then(|q| q.strip_suffix('"'));
    let unquoted = quoted.map(|q| q.replace("\\\"", "\"").replace("\\\\", "\\"));
    lattice.by_id(id).or_else(|| lattice.by_id(&unquoted?))
}

/// Runs `latweave dump`.
pub fn dump(arguments: &Dump) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    if !arguments.context.is_empty() {
        return dump_context(&lattice, arguments);
    }
    match &arguments.output {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            load::dump(&lattice, &mut out).map_err(dump_error)?;
            out.flush()?;
        }
        Some(path) => {
            not_one_of(path, [arguments.lattice.as_path()])?;
            write_whole(path, |out| {
                load::dump(&lattice, out).map_err(|error| match error {
                    load::DumpError::Write(error) => unwritable(path, &error),
                    other => Failure::new(other),
                })
            })?;
        }
    }
    Ok(Exit::Done)
}

/// Writes a formal context.
fn dump_context(lattice: &Lattice, arguments: &Dump) -> Result<Exit, Failure> {
    let dimension = |word: &String| {
        let found = lattice.find_dimension(word);
        found.ok_or_else(|| no_dimension(lattice, word))
    };
    let dimensions: Result<Vec<DimensionId>, Failure> =
        arguments.context.iter().map(dimension).collect();
    let found = theory::context(lattice, &dimensions?, &Budget::unlimited());
    let context = found.map_err(Failure::new)?;
    let text = load::cxt::write_cxt(&context).map_err(Failure::new)?;
    match &arguments.output {
        None => io::stdout().lock().write_all(text.as_bytes())?,
        Some(path) => {
            not_one_of(path, [arguments.lattice.as_path()])?;
            write_whole(path, |out| {
                out.write_all(text.as_bytes())
                    .map_err(|error| unwritable(path, &error))
            })?;
        }
    }
    Ok(Exit::Done)
}

fn dump_error(error: load::DumpError) -> Failure {
    match error {
        load::DumpError::Write(error) => Failure::from(error),
        other => Failure::new(other),
    }
}
