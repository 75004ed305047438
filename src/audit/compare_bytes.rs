//! A writer that compares what is written with what a reader gives, and knows
//! where in the JSON the first difference stands.

use std::io::{self, BufRead, Write};

/// How many bytes of a difference are kept.
const KEPT: usize = 100;

/// The first difference.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) position: u64,
    pub(super) pointer: String,
    /// What the reader gave; none where it ended.
    pub(super) certificate: Option<Vec<u8>>,
    pub(super) lattice: Vec<u8>,
}

/// Compares what is written with a reader.
pub(super) struct Comparing<R> {
    /// Bytes that have been read before.
    head: Vec<u8>,
    /// How many of these have been compared.
    compared: usize,
    reader: R,
    position: u64,
    place: Place,
    difference: Option<Difference>,
}

impl<R: BufRead> Comparing<R> {
    pub(super) fn new(head: Vec<u8>, reader: R) -> Comparing<R> {
        Comparing {
            head,
            compared: 0,
            reader,
            position: 0,
            place: Place::default(),
            difference: None,
        }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn difference(&self) -> Option<Difference> {
        self.difference.clone()
    }

    /// What has not been compared, up to `most` bytes.
    pub(super) fn rest(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        while rest.len() < most
            && let Some(byte) = self.peek()?
        {
            rest.push(byte);
            self.step();
        }
        Ok(rest)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if let Some(byte) = self.head.get(self.compared) {
            return Ok(Some(*byte));
        }
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn step(&mut self) {
        if self.compared < self.head.len() {
            self.compared += 1;
        } else {
            self.reader.consume(1);
        }
    }

    fn differs(&mut self) -> io::Result<()> {
        let position = self.position;
        let before = self.place.token.clone();
        let found = self.rest(KEPT)?;
        let with_token = |rest: &[u8]| [before.as_slice(), rest].concat();
        self.difference = Some(Difference {
            position,
            pointer: self.place.pointer(),
            certificate: (!found.is_empty()).then(|| with_token(&found)),
            lattice: before.clone(),
        });
        Ok(())
    }
}

impl<R: BufRead> Write for Comparing<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (k, byte) in bytes.iter().enumerate() {
            if self.difference.is_none() {
                if self.peek()? == Some(*byte) {
                    self.step();
                    self.position += 1;
                    self.place.take(*byte);
                    continue;
                }
                self.differs()?;
            }
            if let Some(difference) = &mut self.difference {
                if difference.lattice.len() > 2 * KEPT {
                    return Err(io::Error::other("the certificate differs"));
                }
                let more = bytes.get(k..).unwrap_or_default();
                difference.lattice.extend(more.iter().take(KEPT));
                return Ok(bytes.len());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where in a JSON text one is.
#[derive(Default)]
struct Place {
    open: Vec<Level>,
    quoted: bool,
    escaped: bool,
    /// The key or value that is being read.
    token: Vec<u8>,
}

enum Level {
    Object { key: Vec<u8>, at_key: bool },
    Array { index: usize },
}

impl Place {
    fn take(&mut self, byte: u8) {
        if self.quoted {
            self.push(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.quoted = true;
                self.push(byte);
            }
            b'{' => self.open_level(Level::Object {
                key: Vec::new(),
                at_key: true,
            }),
            b'[' => self.open_level(Level::Array { index: 0 }),
            b'}' | b']' => {
                self.token.clear();
                self.open.pop();
            }
            b':' => {
                let token = std::mem::take(&mut self.token);
                if let Some(Level::Object { key, at_key }) = self.open.last_mut() {
                    *key = token;
                    *at_key = false;
                }
            }
            b',' => {
                self.token.clear();
                match self.open.last_mut() {
                    Some(Level::Object { key, at_key }) => {
                        key.clear();
                        *at_key = true;
                    }
                    Some(Level::Array { index }) => *index += 1,
                    None => {}
                }
            }
            _ => self.push(byte),
        }
    }

    fn open_level(&mut self, level: Level) {
        self.token.clear();
        self.open.push(level);
    }

    fn push(&mut self, byte: u8) {
        if self.token.len() >= KEPT {
            self.token.drain(..KEPT / 2);
        }
        self.token.push(byte);
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for level in &self.open {
            match level {
                Level::Array { index } => pointer.push_str(&format!("/{index}")),
                Level::Object { at_key: true, .. } => {}
                Level::Object { key, .. } => {
                    let key = String::from_utf8_lossy(key);
                    let key = key.trim_matches('"').replace('~', "~0");
                    pointer.push('/');
                    pointer.push_str(&key.replace('/', "~1"));
                }
            }
        }
        match pointer.is_empty() {
            true => "the outermost object".to_owned(),
            false => pointer,
        }
    }
}
