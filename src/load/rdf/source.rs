//! Triples one after another: N-Triples line by line, which have places, and the
//! other forms of RDF through their parser.

use crate::load::LoadError;
use crate::load::job::Job;
use crate::load::lines::Lines;
use oxrdf::Triple;
use oxttl::NTriplesParser;
#[cfg(feature = "rdf")]
use stream::Stream;

/// A triple, and the words that state it.
pub(super) struct Stated {
    pub triple: Triple,
    /// Its line, or the triple as N-Triples have it.
    pub text: String,
    pub line: Option<u64>,
    pub range: Option<(u64, u64)>,
}

/// What comes next.
pub(super) enum Next {
    Triple(Box<Stated>),
    /// Something that cannot be read, at this line and byte.
    Bad(u64, u64, String),
}

/// A file of triples.
pub(super) enum Source {
    Lines(Lines),
    #[cfg(feature = "rdf")]
    Stream(Box<Stream>),
}

impl Source {
    /// Opens the file of a job.
    pub fn open(job: &Job<'_>) -> Result<Source, LoadError> {
        let path = &job.request.path;
        let ending = path.extension().and_then(|ending| ending.to_str());
        let ending = ending.unwrap_or("").to_ascii_lowercase();
        let by_line = job.request.form == Some(crate::load::Form::NTriples);
        if by_line || matches!(ending.as_str(), "nt" | "ntriples") {
            return job.lines().map(Source::Lines);
        }
        #[cfg(feature = "rdf")]
        return Stream::open(job, &ending).map(|stream| Source::Stream(Box::new(stream)));
        #[cfg(not(feature = "rdf"))]
        Err(job.not_compiled("RDF other than N-Triples", "rdf"))
    }

    /// The next triple, or what is there in its place; none at the end. Lines that
    /// are no text are told if this is the `last` reading.
    pub fn next(&mut self, job: &mut Job<'_>, last: bool) -> Result<Option<Next>, LoadError> {
        match self {
            Source::Lines(lines) => next_line(lines, job, last),
            #[cfg(feature = "rdf")]
            Source::Stream(stream) => stream.next(job, last),
        }
    }
}

fn next_line(lines: &mut Lines, job: &mut Job<'_>, last: bool) -> Result<Option<Next>, LoadError> {
    while let Some(line) = lines.next()? {
        job.report.lines += u64::from(last);
        job.tick(line.end)?;
        let text = match last {
            true => job.text(&line)?,
            false => line.text.ok(),
        };
        match text.and_then(parsed) {
            None => {}
            Some(Ok(triple)) => {
                return Ok(Some(Next::Triple(Box::new(Stated {
                    triple,
                    text: text.unwrap_or("").to_owned(),
                    line: Some(line.number),
                    range: Some((line.start, line.end)),
                }))));
            }
            Some(Err(reason)) => {
                return Ok(Some(Next::Bad(line.number, line.start, reason)));
            }
        }
    }
    Ok(None)
}

/// The triple of a line; none in a blank line or a comment.
fn parsed(text: &str) -> Option<Result<Triple, String>> {
    let mut parser = NTriplesParser::new().for_slice(text);
    match parser.next()? {
        Ok(triple) => Some(match parser.next() {
            None => Ok(triple),
            Some(_) => Err("more than one triple in the line; write one a line".to_owned()),
        }),
        Err(error) => Some(Err(format!(
            "{}; write <subject> <predicate> <object> .",
            error.message()
        ))),
    }
}

#[cfg(feature = "rdf")]
mod stream {
    //! Turtle, RDF/XML and JSON-LD.

    use super::super::entities;
    use super::{Next, Stated};
    use crate::load::LoadError;
    use crate::load::files::{Files, Input};
    use crate::load::job::Job;
    use oxrdf::{BlankNode, NamedOrBlankNode, Term, Triple};
    use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParseError, RdfParser, ReaderQuadParser};
    use std::cell::Cell;
    use std::collections::HashMap;
    use std::io::{BufRead, BufReader, ErrorKind, Read};
    use std::path::PathBuf;
    use std::rc::Rc;

    /// The longest token that the parsers hold, in Turtle with what stands before it in its
    /// line.
    const LONGEST_TOKEN: u64 = 16 << 20;

    /// Counts the bytes that a parser has taken, and the line breaks among them.
    struct Counted {
        file: BufReader<Input>,
        bytes: Rc<Cell<u64>>,
        lines: Rc<Cell<u64>>,
    }

    impl Read for Counted {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let read = self.file.read(into)?;
            self.bytes.set(self.bytes.get() + read as u64);
            let bytes = into.get(..read).unwrap_or_default();
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
            self.lines.set(self.lines.get() + lines as u64);
            Ok(read)
        }
    }

    /// The triples of a file, streamed.
    pub(in crate::load::rdf) struct Stream {
        parser: ReaderQuadParser<Counted>,
        files: Files,
        path: PathBuf,
        document: String,
        bytes: Rc<Cell<u64>>,
        lines: Rc<Cell<u64>>,
        /// Blank nodes are numbered as they come: a parser's own labels differ from
        /// one reading to the next.
        blank: HashMap<String, usize>,
        /// Whether the parser goes on behind an error.
        recovers: bool,
        ended: bool,
    }

    impl Stream {
        pub fn open(job: &Job<'_>, ending: &str) -> Result<Stream, LoadError> {
            let path = job.request.path.clone();
            let failed = |error: std::io::Error| LoadError::from_io(&path, &error);
            let format = match ending {
                "rdf" | "owl" | "xml" => RdfFormat::RdfXml,
                "jsonld" | "json" => RdfFormat::JsonLd {
                    profile: JsonLdProfileSet::empty(),
                },
                "trig" => RdfFormat::TriG,
                "nq" => RdfFormat::NQuads,
                _ => RdfFormat::Turtle,
            };
            if format == RdfFormat::RdfXml {
                let refused = entities::refused(job.open()?).map_err(failed)?;
                if let Some(reason) = refused {
                    return Err(LoadError::Table {
                        document: job.request.document.clone(),
                        reason,
                    });
                }
            }
            let mut parser = RdfParser::from_format(format);
            // A relative IRI names something of the file, wherever it lies.
            let name = path.file_name().and_then(|name| name.to_str());
            let base = format!("file:///{}", name.unwrap_or("").replace(' ', "%20"));
            if let Ok(based) = parser.clone().with_base_iri(base) {
                parser = based;
            }
            let (bytes, lines) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
            let counted = Counted {
                file: BufReader::with_capacity(1 << 16, job.open()?),
                bytes: bytes.clone(),
                lines: lines.clone(),
            };
            Ok(Stream {
                parser: parser.for_reader(counted),
                files: job.files.clone(),
                path,
                document: job.request.document.clone(),
                bytes,
                lines,
                blank: HashMap::new(),
                recovers: matches!(
                    format,
                    RdfFormat::Turtle | RdfFormat::TriG | RdfFormat::NQuads
                ),
                ended: false,
            })
        }

        pub fn next(&mut self, job: &mut Job<'_>, last: bool) -> Result<Option<Next>, LoadError> {
            job.tick(self.bytes.get())?;
            if self.ended {
                job.report.lines += if last { self.lines.take() } else { 0 };
                return Ok(None);
            }
            let error = match self.parser.next() {
                None => {
                    self.ended = true;
                    return self.next(job, last);
                }
                Some(Ok(quad)) => {
                    let triple = self.renamed(Triple::from(quad));
                    let text = format!("{triple} .");
                    return Ok(Some(Next::Triple(Box::new(Stated {
                        triple,
                        text,
                        line: None,
                        range: None,
                    }))));
                }
                Some(Err(error)) => error,
            };
            match error {
                RdfParseError::Io(error) if error.kind() == ErrorKind::OutOfMemory => {
                    self.too_long()
                }
                RdfParseError::Io(error) => Err(LoadError::from_io(&self.path, &error)),
                RdfParseError::Syntax(error) => {
                    self.ended = !self.recovers;
                    let place = error.location().map(|range| range.start);
                    let line = place.as_ref().map_or(1, |place| place.line + 1);
                    let offset = place.as_ref().map_or(0, |place| place.offset);
                    let rest = match self.recovers {
                        true => "",
                        false => "; what follows is not read",
                    };
                    Ok(Some(Next::Bad(line, offset, format!("{error}{rest}"))))
                }
            }
        }

        /// A token does not fit into what the parser holds, which begins with the token's
        /// line. It cannot go on behind it.
        fn too_long(&mut self) -> Result<Option<Next>, LoadError> {
            self.ended = true;
            let failed = |error: std::io::Error| LoadError::from_io(&self.path, &error);
            let start = self.bytes.get().saturating_sub(LONGEST_TOKEN);
            let mut before =
                BufReader::new(self.files.open(&self.path, &self.document)?).take(start);
            let mut line = 1;
            loop {
                let bytes = before.fill_buf().map_err(failed)?;
                let read = bytes.len();
                if read == 0 {
                    break;
                }
                line += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
                before.consume(read);
            }
            let reason = format!(
                "a text that begins here is longer than {} MiB, and what follows is not read; shorten it, or take its statement out",
                LONGEST_TOKEN >> 20
            );
            Ok(Some(Next::Bad(line, start, reason)))
        }

        fn renamed(&mut self, mut triple: Triple) -> Triple {
            if let NamedOrBlankNode::BlankNode(node) = &triple.subject {
                triple.subject = self.number(node).into();
            }
            if let Term::BlankNode(node) = &triple.object {
                triple.object = self.number(node).into();
            }
            triple
        }

        fn number(&mut self, node: &BlankNode) -> BlankNode {
            let next = self.blank.len() + 1;
            let number = *self.blank.entry(node.as_str().to_owned()).or_insert(next);
            BlankNode::new(format!("b{number}")).unwrap_or_default()
        }
    }
}
