//! Language models behind one small trait: a request goes in, a text comes out.
//!
//! ```text
//! Request ─ Metered ─ Recording ─ Ollama | OpenAi ─► Reply ─ extract::plan ─► text that may be LQ
//!           budget     JSON Lines   HTTP, bounded            no prose, fences, thinking
//! ```
//!
//! What a model writes is data: this room cuts it out and counts what it cost. It is
//! parsed, resolved and checked elsewhere, like any other text.
//!
//! Nothing is sent anywhere but to the server that [`Settings`] name: no proxy of the
//! environment is used, and no redirection is followed. [`Recorded`] needs no server.

#![deny(clippy::indexing_slicing)]

#[cfg(feature = "models")]
pub mod config;
mod error;
pub mod extract;
#[cfg(feature = "models")]
mod http;
#[cfg(feature = "models")]
mod lines;
mod meter;
#[cfg(feature = "models")]
mod ollama;
#[cfg(feature = "models")]
mod openai;
mod record;
mod settings;
mod tokens;

pub use error::ModelError;
#[cfg(feature = "models")]
pub use http::Server;
pub use meter::{Budget, Cost, DryRun, Metered};
#[cfg(feature = "models")]
pub use ollama::Ollama;
#[cfg(feature = "models")]
pub use openai::OpenAi;
pub use record::{Recorded, Recording, exchange_key};
pub use settings::{Api, GrammarStyle, Key, Settings};
pub use tokens::least_tokens;

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The seed of every request, unless the caller sets another.
pub const SEED: u32 = 88;
/// How many tokens a reply may have, unless set otherwise.
pub const MAX_TOKENS: u32 = 512;
/// How many tokens Ollama keeps room for, unless set otherwise.
pub const CONTEXT: u32 = 8192;
/// How long one request may take, its repetitions included, unless set otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions that hold for the whole exchange.
    System,
    /// What is asked.
    User,
    /// What the model said before.
    Assistant,
}

impl Role {
    /// The word of the chat protocols.
    pub fn word(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// One turn of the exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub text: String,
}

impl Message {
    /// Instructions.
    pub fn system(text: impl Into<String>) -> Message {
        Message::new(Role::System, text)
    }

    /// A question.
    pub fn user(text: impl Into<String>) -> Message {
        Message::new(Role::User, text)
    }

    /// An earlier reply.
    pub fn assistant(text: impl Into<String>) -> Message {
        Message::new(Role::Assistant, text)
    }

    fn new(role: Role, text: impl Into<String>) -> Message {
        Message {
            role,
            text: text.into(),
        }
    }
}

/// What a model is asked. Two equal requests get one reply where they are recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The turns so far, the last one to be answered.
    pub messages: Vec<Message>,
    /// A grammar in GBNF that the reply has to follow, where the server can.
    pub grammar: Option<String>,
    /// How many tokens the reply may have.
    pub max_tokens: u32,
    /// How freely tokens are drawn; 0 takes the likeliest.
    pub temperature: f32,
    /// The seed of what is drawn.
    pub seed: u32,
    /// How many tokens prompt and reply may have together, where that is known.
    pub context: Option<u32>,
    /// How long the exchange may take, its repetitions included.
    pub timeout: Duration,
}

impl Request {
    /// A request at temperature 0 with the defaults of this room.
    pub fn new(messages: Vec<Message>) -> Request {
        Request {
            messages,
            grammar: None,
            max_tokens: MAX_TOKENS,
            temperature: 0.0,
            seed: SEED,
            context: None,
            timeout: TIMEOUT,
        }
    }

    /// The same, to be decoded by a grammar in GBNF.
    #[must_use]
    pub fn with_grammar(mut self, grammar: impl Into<String>) -> Request {
        self.grammar = Some(grammar.into());
        self
    }

    /// How many tokens the messages have at least, whatever the tokenizer.
    pub fn least_tokens(&self) -> u64 {
        self.messages
            .iter()
            .map(|message| least_tokens(&message.text))
            .sum()
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// The model, or the grammar, ended it.
    Stop,
    /// It reached the number of tokens it may have: the text is cut.
    Length,
    /// The server does not say.
    Unknown,
}

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text as it came.
    pub text: String,
    /// Tokens of the prompt, as the server counted them.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the reply, as the server counted them.
    pub output_tokens: Option<u64>,
    /// Why it ended.
    pub finish: Finish,
    /// Whether it was read from a record and not asked for.
    #[serde(skip)]
    pub recorded: bool,
}

impl Reply {
    /// Whether the text ends before the model had said all.
    pub fn is_cut(&self) -> bool {
        self.finish == Finish::Length
    }
}

/// A language model.
///
/// # Errors
///
/// `ask` fails with one sentence that says what happened and what to do; a reply is
/// never made up in its place.
pub trait Model: Send + Sync {
    /// What the server calls the model.
    fn name(&self) -> &str;

    /// Asks, and waits for the reply.
    ///
    /// # Errors
    ///
    /// See [`ModelError`].
    fn ask(&self, request: &Request) -> Result<Reply, ModelError>;
}

impl<M: Model + ?Sized> Model for Box<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        (**self).ask(request)
    }
}
