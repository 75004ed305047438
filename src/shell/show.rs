//! `latweave show` and `latweave dump`: what is inside a lattice.

use super::args::{Dump, Format, Show};
use super::draw;
use super::render::{self, FIRST_ROWS, Manner};
use super::source::{not_one_of, open, unwritable, write_whole};
use super::terminal::{Exit, Failure, Terminal, count_of, plain};
use crate::engine::Budget;
use crate::lattice::{DimensionId, InstanceId, Lattice};
use crate::load;
use crate::script::listing::{self, Description, Listing};
use crate::script::{Output, words};
use crate::theory;
use std::io::{self, BufWriter, Write};

/// Runs `latweave show`.
pub fn run(arguments: &Show, terminal: &Terminal) -> Result<Exit, Failure> {
    let lattice = open(Some(&arguments.lattice))?;
    if let Some(out) = &arguments.draw {
        return draw::dimension(arguments, &lattice, out, terminal);
    }
    let manner = Manner {
        format: arguments.format,
        paint: terminal.paint,
        width: terminal.width,
        limit: (terminal.interactive && !arguments.all).then_some(FIRST_ROWS),
        repl: false,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let output = match &arguments.what {
        None => {
            if matches!(manner.format, Format::Table | Format::Md) {
                head(&mut out, arguments, &lattice, terminal)?;
            }
            Output::Listing(Listing::Dimensions)
        }
        Some(word) => named(&lattice, word)?,
    };
    render::print(
        &mut out,
        &manner,
        &lattice,
        &output,
        None,
        &Budget::unlimited(),
    )?;
    out.flush()?;
    Ok(Exit::Done)
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
        lattice.find_dimension(word).ok_or_else(|| {
            let near = lattice.nearest_dimensions(word).join(", ");
            let help = match near.is_empty() {
                true => "`latweave show FILE` lists the dimensions".to_owned(),
                false => format!("did you mean {}?", plain(&near)),
            };
            Failure::with_help(format!("no dimension is called \"{}\"", plain(word)), &help)
        })
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
