//! Pictures: `latweave show --draw`, `latweave run --draw`.

use super::args::{Drawing, Limits, Show};
use super::run::budget;
use super::show::no_dimension;
use super::source::{unwritable, write_whole};
use super::terminal::{Failure, Terminal, plain};
use crate::draw::{DrawError, Picture, TreeStyle};
use crate::engine::{Budget, RunError};
use crate::lattice::Lattice;
use crate::script::picture::{self, Around, PictureError};
use crate::script::{Session, chain as chains};
use crate::theory::{self, Report};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Draws the order of a dimension.
pub fn dimension(
    arguments: &Show,
    lattice: &Lattice,
    out: &Path,
    form: Drawing,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let word = arguments.what.as_deref().unwrap_or_default();
    let found = lattice.find_dimension(word);
    lattice.intact().map_err(Failure::new)?;
    let Some(d) = found else {
        return Err(no_dimension(lattice, word));
    };
    let around = arguments.around.as_deref().map(|value| Around {
        value,
        levels: arguments.levels,
    });
    let picture = picture::dimension(lattice, d, around).map_err(untold);
    // What is damaged would be left out in silence.
    lattice.intact().map_err(Failure::new)?;
    let picture = picture?;
    let name = plain(&lattice.dimension(d).name);
    let advice = format!(
        "draw a part of it (--around VALUE --levels 2), or write DOT or a tree (latweave show {} \
         {name} --draw {name}.dot)",
        plain(&arguments.lattice.display().to_string()),
    );
    put(&picture, form, out, terminal, &advice)
}

/// Draws what the last verdict of a session follows from, or the concepts that were
/// asked for after it.
pub fn chain(
    session: &Session,
    out: &Path,
    form: Drawing,
    limits: &Limits,
    terminal: &Terminal,
) -> Result<(), Failure> {
    if let Some(report) = session.report() {
        let picture = found(report, session.settled(), &budget(limits, terminal))?;
        session.settled().intact().map_err(Failure::new)?;
        let advice = "ask with SUPPORT or of less, or write DOT (--draw OUT.dot)";
        return put(&picture, form, out, terminal, advice);
    }
    let Some((verdict, lattice)) = session.verdict() else {
        return Err(Failure::with_help(
            "there is no verdict to draw",
            "run a query first",
        ));
    };
    let busy = terminal.interrupt.begin();
    let picture = match chains::chain(lattice, verdict, &budget(limits, terminal)) {
        Ok(Some(picture)) => picture,
        Ok(None) => {
            return Err(Failure::with_help(
                "this verdict cannot be drawn: nothing was met",
                "draw the answer of a MEET whose words are all known",
            ));
        }
        Err(RunError::Cancelled) => return Err(Failure::interrupted("nothing was drawn")),
        Err(error) => return Err(error.into()),
    };
    lattice.intact().map_err(Failure::new)?;
    // The layout looks at no flag: from here on Ctrl-C ends the program.
    drop(busy);
    let advice = "ask for less, or write DOT (--draw OUT.dot)";
    put(&picture, form, out, terminal, advice)
}

/// What a statement about whole dimensions found, as a picture: of CHECK and WIDTH the
/// dimension, of INDEPENDENCE the observed joint order, of CONCEPTS their lattice.
fn found(report: &Report, lattice: &Lattice, budget: &Budget) -> Result<Picture, Failure> {
    let dimension = |name: &String| {
        lattice
            .find_dimension(name)
            .ok_or_else(|| no_dimension(lattice, name))
    };
    let order = |name: &String| {
        let d = dimension(name)?;
        picture::dimension(lattice, d, None).map_err(untold)
    };
    match report {
        Report::Check(found) => order(&found.dimension),
        Report::Width(found) => order(&found.dimension),
        Report::Independence(found) => {
            let [a, b] = &found.dimensions;
            theory::joint_order(lattice, dimension(a)?, dimension(b)?, budget).map_err(Failure::new)
        }
        Report::Concepts(found) if found.whole => Ok(found.picture()),
        Report::Concepts(_) => Err(Failure::with_help(
            "there are too many concepts to draw",
            "ask with SUPPORT, or of fewer dimensions",
        )),
        Report::Implications(_) => Err(Failure::with_help(
            "implications are read off the lattice of concepts",
            "draw that: CONCEPTS of the same dimensions, --draw OUT",
        )),
        Report::Suggest(_) => Err(Failure::with_help(
            "a suggestion has no picture before it is asked",
            "run the wider query with --draw OUT",
        )),
    }
}

/// The form of a picture: as asked; of what goes to standard output, a tree; else by the
/// ending of its file.
pub fn form(asked: Option<Drawing>, out: &Path) -> Result<Drawing, Failure> {
    match asked {
        Some(form) => Ok(form),
        None if out == Path::new("-") => Ok(Drawing::Tree),
        None => form_of(out),
    }
}

/// The form of a picture by the ending of its file.
pub fn form_of(out: &Path) -> Result<Drawing, Failure> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or("");
    match ending.to_lowercase().as_str() {
        "svg" => Ok(Drawing::Svg),
        "dot" | "gv" => Ok(Drawing::Dot),
        "txt" => Ok(Drawing::Tree),
        _ => Err(Failure::with_help(
            format!(
                "{} does not say what to draw",
                plain(&out.display().to_string())
            ),
            "name a file that ends in .svg, .dot or .txt",
        )),
    }
}

/// Writes a picture to a file, whole or not at all, or to standard output for `-`.
fn put(
    picture: &Picture,
    form: Drawing,
    out: &Path,
    terminal: &Terminal,
    advice: &str,
) -> Result<(), Failure> {
    let printed = out == Path::new("-");
    let text = match form {
        Drawing::Svg => picture.svg(),
        Drawing::Dot => picture.dot(),
        Drawing::Tree => picture.tree(&TreeStyle {
            width: (printed && terminal.interactive)
                .then_some(terminal.width)
                .flatten(),
            ascii: false,
        }),
    };
    let text = text.map_err(|error| match error {
        DrawError::TooManyNodes { .. } | DrawError::TooManyBends => {
            Failure::with_help(error, advice)
        }
        other => Failure::new(other),
    })?;
    if printed {
        let mut stdout = BufWriter::new(io::stdout().lock());
        match form {
            // A label may hold what a terminal would obey.
            Drawing::Tree => {
                for line in text.lines() {
                    writeln!(stdout, "{}", plain(line))?;
                }
            }
            _ => stdout.write_all(text.as_bytes())?,
        }
        return Ok(stdout.flush()?);
    }
    write_whole(out, |file| {
        file.write_all(text.as_bytes())
            .map_err(|error| unwritable(out, &error))
    })
}

fn untold(error: PictureError) -> Failure {
    match error.help() {
        Some(help) => Failure::with_help(plain(&error.to_string()), plain(&help)),
        None => Failure::new(plain(&error.to_string())),
    }
}
