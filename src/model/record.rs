//! Exchanges kept in a file, and played back from it.
//!
//! A record is JSON Lines, one exchange to a line: the key of the request, the request,
//! the reply. It holds no times, addresses or keys of servers. Finished, it is sorted by
//! key, so that the same exchanges make the same bytes whatever order they came in.

use super::{Message, Model, ModelError, Reply, Request};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What of a request decides on its reply. The fields are sorted by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    context: Option<u32>,
    /// The hash of the grammar: the text would be the greatest part of a record.
    grammar: Option<String>,
    max_tokens: u32,
    messages: Vec<Message>,
    model: String,
    seed: u32,
    temperature: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    key: String,
    reply: Reply,
    request: Asked,
}

impl Asked {
    fn new(model: &str, request: &Request) -> Asked {
        Asked {
            context: request.context,
            grammar: request.grammar.as_deref().map(|text| hash(text.as_bytes())),
            max_tokens: request.max_tokens,
            messages: request.messages.clone(),
            model: model.to_owned(),
            seed: request.seed,
            temperature: request.temperature,
        }
    }

    fn key(&self) -> Result<String, ModelError> {
        let text = serde_json::to_vec(self);
        let text = text.map_err(|error| ModelError::Machine(error.to_string()))?;
        Ok(hash(&text))
    }
}

fn hash(bytes: &[u8]) -> String {
    format!("b3:{}", blake3::hash(bytes).to_hex())
}

/// The key under which the reply of a model to a request is kept: the BLAKE3 hash of
/// model, messages, grammar, bounds of tokens, temperature and seed. Neither the server
/// nor the time that it may take is part of it.
///
/// # Errors
///
/// [`ModelError::Machine`] if the request cannot be written as JSON.
pub fn exchange_key(model: &str, request: &Request) -> Result<String, ModelError> {
    Asked::new(model, request).key()
}

/// The exchanges of a file, by key.
#[derive(Debug, Default)]
struct Book {
    exchanges: BTreeMap<String, Exchange>,
    /// How many bytes the whole lines have: less than the file where the writing of the
    /// last line was interrupted.
    sound: u64,
}

impl Book {
    fn read(file: &Path) -> Result<Book, ModelError> {
        let bytes = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
        let mut book = Book::default();
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if !line.ends_with(b"\n") {
                break;
            }
            book.sound += line.len() as u64;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let exchange = read_line(line).map_err(|why| {
                let why = format!("is damaged in line {}: {why}; remove the line", number + 1);
                fault(file, why)
            })?;
            // The first reply counts, as it did when it was given.
            book.exchanges
                .entry(exchange.key.clone())
                .or_insert(exchange);
        }
        Ok(book)
    }

    fn reply(&self, key: &str) -> Option<Reply> {
        let mut reply = self.exchanges.get(key)?.reply.clone();
        reply.recorded = true;
        Some(reply)
    }

    /// What is the same in all of its requests.
    fn shared<T: PartialEq>(&self, what: impl Fn(&Asked) -> T) -> Option<T> {
        let mut all = self.exchanges.values().map(|one| what(&one.request));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }
}

fn read_line(line: &[u8]) -> Result<Exchange, String> {
    let exchange: Exchange =
        serde_json::from_slice(line).map_err(|error| format!("it is no exchange ({error})"))?;
    let key = exchange.request.key().map_err(|error| error.to_string())?;
    if key == exchange.key {
        Ok(exchange)
    } else {
        Err("its key does not fit its request".to_owned())
    }
}

fn fault(file: &Path, why: String) -> ModelError {
    let file = file.to_owned();
    ModelError::Record { file, why }
}

fn unreadable(file: &Path, error: &io::Error) -> ModelError {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "does not exist; check the path".to_owned(),
        io::ErrorKind::IsADirectory => "is a folder; name a file".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read; check its permissions".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    fault(file, why)
}

fn unwritable(file: &Path, error: &io::Error) -> ModelError {
    fault(file, format!("cannot be written: {error}"))
}

/// A model that says what a record says, and needs no server.
#[derive(Debug)]
pub struct Recorded {
    file: PathBuf,
    book: Book,
    model: String,
}

impl Recorded {
    /// Opens a record. Without a name it plays the one model that it holds.
    ///
    /// # Errors
    ///
    /// [`ModelError::Record`] if the file cannot be read or is damaged;
    /// [`ModelError::Settings`] if it holds several models and none is named.
    pub fn open(file: &Path, model: Option<&str>) -> Result<Recorded, ModelError> {
        let book = Book::read(file)?;
        let model = match model {
            Some(model) => model.to_owned(),
            None if book.exchanges.is_empty() => String::new(),
            None => book.shared(|asked| asked.model.clone()).ok_or_else(|| {
                let file = file.display();
                ModelError::Settings(format!(
                    "the record {file} holds several models; name one with --model"
                ))
            })?,
        };
        Ok(Recorded {
            file: file.to_owned(),
            book,
            model,
        })
    }

    /// How many exchanges it holds.
    pub fn len(&self) -> usize {
        self.book.exchanges.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.book.exchanges.is_empty()
    }

    /// The context that its requests have in common, if they do.
    pub fn context(&self) -> Option<Option<u32>> {
        self.book.shared(|asked| asked.context)
    }

    /// The number of tokens for a reply that its requests have in common, if they do.
    pub fn max_tokens(&self) -> Option<u32> {
        self.book.shared(|asked| asked.max_tokens)
    }

    /// Whether any of its requests had a grammar.
    pub fn has_grammar(&self) -> bool {
        let mut all = self.book.exchanges.values();
        all.any(|one| one.request.grammar.is_some())
    }
}

impl Model for Recorded {
    fn name(&self) -> &str {
        &self.model
    }

    fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        let key = exchange_key(&self.model, request)?;
        self.book.reply(&key).ok_or_else(|| {
            let last = request.messages.last().map_or("", |message| &message.text);
            let begins = last.split_whitespace().collect::<Vec<_>>().join(" ");
            ModelError::NotRecorded {
                file: self.file.clone(),
                key,
                begins: begins.chars().take(60).collect(),
            }
        })
    }
}

/// A model whose exchanges are kept in a file.
///
/// A request that the file has already is answered from it, so that an interrupted run
/// goes on where it stopped, and one run never has two replies to one request. Failed
/// exchanges are not kept.
pub struct Recording<M: Model> {
    inner: M,
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    book: Book,
    /// Open for appending; other programs that record there are kept out by its lock.
    out: File,
    /// Whether lines were appended since the file was last sorted.
    appended: bool,
}

impl<M: Model> Recording<M> {
    /// Keeps the exchanges of a model in a file, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`ModelError::Record`] if the file cannot be read or written, is damaged, or is
    /// being written by another program.
    pub fn new(inner: M, file: &Path) -> Result<Recording<M>, ModelError> {
        let mut options = OpenOptions::new();
        let options = options.create(true).append(true).read(true);
        let out = options.open(file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => fault(file, "lies in a folder that does not exist".into()),
            io::ErrorKind::IsADirectory => unreadable(file, &error),
            _ => unwritable(file, &error),
        })?;
        if out.try_lock().is_err() {
            let why = "is being written by another program; wait for it, or name another file";
            return Err(fault(file, why.to_owned()));
        }
        let book = Book::read(file)?;
        // What an interrupted run left of its last line.
        out.set_len(book.sound)
            .map_err(|error| unwritable(file, &error))?;
        Ok(Recording {
            inner,
            file: file.to_owned(),
            state: Mutex::new(State {
                book,
                out,
                appended: false,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an exchange, unless another thread was first; gives the reply that counts.
    fn keep(&self, key: String, asked: Asked, reply: Reply) -> Result<Reply, ModelError> {
        let mut state = self.state();
        if let Some(earlier) = state.book.reply(&key) {
            return Ok(earlier);
        }
        let exchange = Exchange {
            key: key.clone(),
            reply,
            request: asked,
        };
        let line = line_of(&exchange)?;
        // In one write: a reader, or a run that follows an interruption, finds whole
        // lines and at most one that has no end.
        let written = state.out.write_all(&line).and_then(|()| state.out.flush());
        written.map_err(|error| unwritable(&self.file, &error))?;
        state.appended = true;
        let reply = exchange.reply.clone();
        state.book.exchanges.insert(key, exchange);
        Ok(reply)
    }

    /// Sorts the file. Dropping the model does so too, and tells no error.
    ///
    /// # Errors
    ///
    /// [`ModelError::Record`] if the file cannot be replaced; it is whole then, and not
    /// sorted.
    pub fn finish(&self) -> Result<(), ModelError> {
        let mut state = self.state();
        if !state.appended {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for exchange in state.book.exchanges.values() {
            bytes.extend(line_of(exchange)?);
        }
        let unwritable = |error: io::Error| unwritable(&self.file, &error);
        let folder = match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut sorted = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
        sorted.write_all(&bytes).map_err(unwritable)?;
        let permissions = state.out.metadata().map_err(unwritable)?.permissions();
        sorted
            .as_file()
            .set_permissions(permissions)
            .map_err(unwritable)?;
        sorted.as_file().sync_all().map_err(unwritable)?;
        sorted
            .persist(&self.file)
            .map_err(|error| unwritable(error.error))?;
        // What is appended from here on goes to the file that is there now.
        let out = OpenOptions::new()
            .append(true)
            .open(&self.file)
            .map_err(unwritable)?;
        let _ = out.try_lock();
        state.out = out;
        state.appended = false;
        Ok(())
    }
}

fn line_of(exchange: &Exchange) -> Result<Vec<u8>, ModelError> {
    let line = serde_json::to_vec(exchange);
    let mut line = line.map_err(|error| ModelError::Machine(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

impl<M: Model> Model for Recording<M> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        let asked = Asked::new(self.inner.name(), request);
        let key = asked.key()?;
        if let Some(reply) = self.state().book.reply(&key) {
            return Ok(reply);
        }
        let reply = self.inner.ask(request)?;
        self.keep(key, asked, reply)
    }
}

impl<M: Model> Drop for Recording<M> {
    fn drop(&mut self) {
        // Unsorted the record is as good to play back; there is nobody to tell.
        let _ = self.finish();
    }
}
