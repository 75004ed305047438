//! Texts from files, standard input and the command line, and what is told
//! about them.

use super::terminal::{Exit, Failure, Interrupt, Terminal, plain};
use crate::lattice::Lattice;
use crate::script::ScriptError;
use crate::syntax::{Code, Diagnostic, Severity};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Diagnostics drawn of one text; more would leave the screen.
const MOST_TOLD: usize = 5;

/// A text with its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// What diagnostics call it.
    pub name: String,
    /// The text, without a byte order mark.
    pub text: String,
    /// The folder that files named in it are relative to.
    pub folder: PathBuf,
}

impl Source {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &Path) -> Result<Source, Failure> {
        if path == Path::new("-") {
            return Source::standard_input();
        }
        let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
        Ok(Source {
            name: path.display().to_string(),
            text: decoded(&path.display().to_string(), bytes)?,
            folder: path.parent().map(Path::to_path_buf).unwrap_or_default(),
        })
    }

    /// Reads standard input to its end.
    pub fn standard_input() -> Result<Source, Failure> {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::new(format!("standard input cannot be read: {error}")))?;
        Ok(Source {
            text: decoded("standard input", bytes)?,
            ..Source::typed("<stdin>", "")
        })
    }

    /// Text from the command line or the prompt.
    pub fn typed(name: &str, text: &str) -> Source {
        Source {
            name: name.to_string(),
            text: text.to_string(),
            folder: PathBuf::new(),
        }
    }

    /// Tells diagnostics on standard error. Whether there was an error among them.
    pub fn tell(&self, terminal: &Terminal, diagnostics: &[Diagnostic]) -> bool {
        let shown = diagnostics.get(..MOST_TOLD).unwrap_or(diagnostics);
        tell(terminal, &self.name, &self.text, shown);
        if diagnostics.len() > MOST_TOLD {
            let more = diagnostics.len() - MOST_TOLD;
            eprintln!("and {more} more; `latweave check` lists all");
        }
        diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Tells all of them.
    pub fn tell_all(&self, terminal: &Terminal, diagnostics: &[Diagnostic]) {
        tell(terminal, &self.name, &self.text, diagnostics);
    }

    /// Tells why a script stopped.
    pub fn tell_error(&self, terminal: &Terminal, error: &ScriptError) -> Exit {
        match error {
            ScriptError::Cancelled => {
                eprintln!("{}", terminal.error_paint.notice("interrupted"));
                return Exit::Interrupted;
            }
            ScriptError::Text(diagnostics) => {
                self.tell(terminal, diagnostics);
                let spent = |d: &Diagnostic| matches!(d.code, Code::E405 | Code::E406);
                if diagnostics.iter().any(spent) {
                    return Exit::Spent;
                }
            }
            ScriptError::Loaded {
                name,
                text,
                diagnostics,
            } => {
                Source {
                    text: text.clone(),
                    ..Source::typed(name, "")
                }
                .tell(terminal, diagnostics);
            }
        }
        Exit::Failed
    }
}

fn tell(terminal: &Terminal, name: &str, text: &str, diagnostics: &[Diagnostic]) {
    let mut err = io::stderr().lock();
    let colour = terminal.error_paint.on();
    for diagnostic in diagnostics {
        let report = if drawable(diagnostic, text) {
            diagnostic.render(name, text, colour)
        } else {
            undrawn(diagnostic, name, text, terminal)
        };
        // Where standard error is gone there is nobody to tell.
        let _ = err.write_all(report.as_bytes());
    }
}

/// Whether the lines that a diagnostic points into fit on a screen.
fn drawable(diagnostic: &Diagnostic, text: &str) -> bool {
    const WIDEST: usize = 400;
    let line_fits = |at: usize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let (before, after) = text.split_at(at);
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        let end = after.find('\n').map_or(text.len(), |n| at + n);
        end - start <= WIDEST
    };
    let mut spans = diagnostic.labels.iter().map(|label| label.span);
    diagnostic.span().is_some() && spans.all(|span| line_fits(span.start) && line_fits(span.end))
}

/// A diagnostic in words: of a very long line there is nothing to see.
fn undrawn(diagnostic: &Diagnostic, name: &str, text: &str, terminal: &Terminal) -> String {
    let word = match diagnostic.severity {
        Severity::Error => terminal.error_paint.bad("Error:"),
        Severity::Warning => terminal.error_paint.notice("Warning:"),
    };
    let mut told = format!(
        "[{}] {word} {}\n",
        diagnostic.code,
        plain(&diagnostic.message)
    );
    if let Some(span) = diagnostic.span() {
        let (line, column) = position(text, span.start);
        told.push_str(&format!("   at {}:{line}:{column}\n", plain(name)));
    }
    if let Some(help) = &diagnostic.help {
        told.push_str(&format!("   Help: {}\n", plain(help)));
    }
    told
}

/// Line and column, from 1, of a byte; columns count characters.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
    (line, column)
}

/// The sentence for a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            Failure::with_help(format!("{path} does not exist"), "check the path")
        }
        io::ErrorKind::IsADirectory => Failure::with_help(
            format!("{path} is a folder"),
            "name a file in it (`latweave test` takes folders)",
        ),
        io::ErrorKind::PermissionDenied => Failure::with_help(
            format!("{path} may not be read"),
            "check its permissions and its owner",
        ),
        _ => Failure::new(format!("{path} could not be read: {error}")),
    }
}

/// The sentence for a file that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::with_help(
            format!("{path} could not be written: its folder does not exist"),
            "make the folder first",
        ),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Failure::with_help(
            format!("{path} may not be written"),
            "check the permissions of the file and its folder",
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::with_help(
            format!("{path} could not be written: the disk is full"),
            "free some space; the file is as it was",
        ),
        _ => Failure::new(format!("{path} could not be written: {error}")),
    }
}

/// Refuses to write over a file that is being read.
pub fn not_one_of<'p>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let Ok(target) = fs::canonicalize(output) else {
        return Ok(());
    };
    let same = |input: &&Path| fs::canonicalize(input).is_ok_and(|input| input == target);
    match inputs.into_iter().find(same) {
        None => Ok(()),
        Some(_) => Err(Failure::with_help(
            format!(
                "{} is read here, and would be written over",
                output.display()
            ),
            "name another file to write",
        )),
    }
}

/// Writes a file whole or leaves the old one as it was, also where Ctrl-C is pressed
/// before the end.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let told = |error: &io::Error| unwritable(path, error);
    if path.is_dir() {
        return Err(Failure::with_help(
            format!("{} is a folder", path.display()),
            "name a file in it",
        ));
    }
    // A device or a pipe takes what is written; it is not to be replaced.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        let mut out = io::BufWriter::new(fs::File::create(path).map_err(|e| told(&e))?);
        write(&mut out)?;
        return out.flush().map_err(|e| told(&e));
    }
    // Its folder may let it be replaced; it was protected all the same.
    if fs::metadata(path).is_ok_and(|there| there.permissions().readonly()) {
        return Err(told(&io::ErrorKind::PermissionDenied.into()));
    }
    let name = plain(&path.display().to_string());
    // A link stays a link, to the new content.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = target.as_path();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let interrupt = Interrupt::install();
    let _busy = interrupt.begin();
    let file =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(|e| told(&e))?;
    let mut out = io::BufWriter::new(interrupt.heeded(file));
    let written = write(&mut out);
    if interrupt.asked() {
        // What is still in the buffer is not to be written as it goes.
        let _ = out.into_parts();
        return Err(Failure::interrupted(format_args!("{name} was not written")));
    }
    written?;
    let file = out.into_inner().map_err(|e| told(e.error()))?.into_inner();
    file.as_file().sync_all().map_err(|e| told(&e))?;
    let before = fs::metadata(path).map(|m| m.permissions()).ok();
    let file = file.persist(path).map_err(|e| told(&e.error))?;
    // A temporary file is its owner's alone; the result is as any other file.
    if let Some(permissions) = before.or_else(usual_permissions) {
        let _ = file.set_permissions(permissions);
    }
    Ok(())
}

#[cfg(unix)]
fn usual_permissions() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<fs::Permissions> {
    None
}

/// A byte order mark is dropped; what is no UTF-8 is refused with its place.
fn decoded(name: &str, mut bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::with_help(
            format!("{name} is no UTF-8 text: byte {at} belongs to no character"),
            "convert it to UTF-8",
        )
    })
}

/// Opens the lattice that a flag names; an empty one if none does.
pub fn open(path: Option<&Path>) -> Result<Lattice, Failure> {
    match path {
        None => Ok(Lattice::empty()),
        Some(path) => Lattice::open(path).map_err(Failure::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        assert_eq!(position("日本\n語x", 0), (1, 1));
        assert_eq!(position("日本\n語x", 10), (2, 2));
        assert_eq!(position("日本", 99), (1, 3));
    }
}
