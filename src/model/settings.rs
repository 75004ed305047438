//! Which model, of which server, within which bounds.

use super::meter::Budget;
use super::record::{Recorded, Recording};
use super::{CONTEXT, DryRun, MAX_TOKENS, Message, Metered, Model, ModelError, Request, TIMEOUT};
use serde::Deserialize;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The port that Ollama listens on unless told otherwise.
#[cfg(feature = "models")]
const OLLAMA_PORT: &str = ":11434";

/// The protocol of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Ollama's own.
    Ollama,
    /// OpenAI's chat completions, which many servers offer.
    OpenAi,
}

impl FromStr for Api {
    type Err = String;

    fn from_str(text: &str) -> Result<Api, String> {
        match text.to_ascii_lowercase().as_str() {
            "ollama" => Ok(Api::Ollama),
            "openai" => Ok(Api::OpenAi),
            _ => Err("it is ollama or openai".to_owned()),
        }
    }
}

/// How a server takes the grammar that its replies have to follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrammarStyle {
    /// As llama.cpp does where the protocol is OpenAI's, and not at all with Ollama's.
    #[default]
    Auto,
    /// As `grammar`: llama.cpp.
    Gbnf,
    /// As `guided_grammar`: vLLM before version 0.12.
    Guided,
    /// As `structured_outputs`: vLLM from then on.
    Structured,
    /// As `ebnf`: SGLang.
    Ebnf,
    /// Not at all; nor is anything else sent that OpenAI's protocol does not have.
    None,
}

/// What proves to a server who asks. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key.
    pub fn new(text: impl Into<String>) -> Key {
        Key(text.into())
    }

    #[cfg(feature = "models")]
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.len();
        write!(f, "Key({length} bytes)")
    }
}

/// Which model is asked, where, and within which bounds. What is absent has a default,
/// except the model and the server: nothing is asked that was not named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// What the server calls the model.
    pub model: Option<String>,
    /// The address of the server.
    pub server: Option<String>,
    /// The protocol; where absent, Ollama's on Ollama's port and OpenAI's elsewhere.
    pub api: Option<Api>,
    /// The key of the server.
    pub key: Option<Key>,
    /// How many tokens prompt and reply may have together. Ollama is told so; of other
    /// servers it is only known.
    pub context: Option<u32>,
    /// How many tokens a reply may have.
    pub max_tokens: Option<u32>,
    /// How long an exchange may take, its repetitions included.
    pub timeout: Option<Duration>,
    /// How the grammar is sent.
    pub grammar: GrammarStyle,
    /// Where exchanges are kept.
    pub record: Option<PathBuf>,
    /// Where exchanges are read from, in place of a server.
    pub playback: Option<PathBuf>,
    /// Whether requests are counted and not sent.
    pub dry_run: bool,
    /// How much may be asked in all.
    pub budget: Budget,
}

impl Settings {
    /// What is set here, and where nothing is, what is set there.
    #[must_use]
    pub fn or(self, other: Settings) -> Settings {
        let grammar = match self.grammar {
            GrammarStyle::Auto => other.grammar,
            named => named,
        };
        Settings {
            model: self.model.or(other.model),
            server: self.server.or(other.server),
            api: self.api.or(other.api),
            key: self.key.or(other.key),
            context: self.context.or(other.context),
            max_tokens: self.max_tokens.or(other.max_tokens),
            timeout: self.timeout.or(other.timeout),
            grammar,
            record: self.record.or(other.record),
            playback: self.playback.or(other.playback),
            dry_run: self.dry_run || other.dry_run,
            budget: Budget {
                calls: self.budget.calls.or(other.budget.calls),
                tokens: self.budget.tokens.or(other.budget.tokens),
                time: self.budget.time.or(other.budget.time),
            },
        }
    }

    /// The protocol that is spoken.
    pub fn protocol(&self) -> Api {
        let named = self.api;
        #[cfg(feature = "models")]
        let named = named.or_else(|| {
            let server = self.server.as_deref()?.trim_end_matches('/');
            server.ends_with(OLLAMA_PORT).then_some(Api::Ollama)
        });
        named.unwrap_or(Api::OpenAi)
    }

    /// Whether a grammar reaches the server.
    pub fn takes_grammar(&self) -> bool {
        self.protocol() == Api::OpenAi && self.grammar != GrammarStyle::None
    }

    /// A request with these bounds, at temperature 0 and with the seed of this room.
    pub fn request(&self, messages: Vec<Message>) -> Request {
        Request {
            max_tokens: self.max_tokens.unwrap_or(MAX_TOKENS),
            context: self.context,
            timeout: self.timeout.unwrap_or(TIMEOUT),
            ..Request::new(messages)
        }
    }

    /// The model that is meant, ready to be asked. Nothing is sent yet. `None` if
    /// neither a model nor a record to play back is named.
    ///
    /// # Errors
    ///
    /// [`ModelError::Settings`] if what is set does not go together or is not enough;
    /// [`ModelError::Record`] if a record cannot be read or written.
    pub fn connect(mut self) -> Result<Option<Metered>, ModelError> {
        if self.playback.is_some() && self.record.is_some() {
            let why = "--playback and --record exclude each other: what is played back is recorded";
            return Err(ModelError::Settings(why.to_owned()));
        }
        if let Some(file) = &self.playback {
            let recorded = Recorded::open(file, self.model.as_deref())?;
            self.play(&recorded);
            return Ok(Some(Metered::new(Box::new(recorded), self)));
        }
        let Some(model) = self.model.clone() else {
            return match &self.server {
                Some(server) => Err(ModelError::Settings(format!(
                    "the server {server} is named and no model of it; name one with --model"
                ))),
                None => Ok(None),
            };
        };
        if self.protocol() == Api::Ollama {
            self.context.get_or_insert(CONTEXT);
        }
        let inner: Box<dyn Model> = if self.dry_run {
            Box::new(DryRun::new(model))
        } else {
            self.at_server(model)?
        };
        let inner: Box<dyn Model> = match &self.record {
            // A dry run writes nothing, and counts what the record does not have.
            Some(file) if !self.dry_run || file.exists() => Box::new(Recording::new(inner, file)?),
            _ => inner,
        };
        Ok(Some(Metered::new(inner, self)))
    }

    /// A record is played with the bounds that it was made with, unless others are named.
    fn play(&mut self, recorded: &Recorded) {
        self.model = Some(recorded.name().to_owned());
        self.context = self.context.or_else(|| recorded.context().flatten());
        self.max_tokens = self.max_tokens.or_else(|| recorded.max_tokens());
        if !recorded.is_empty() {
            let grammar = recorded.has_grammar();
            self.api.get_or_insert(Api::OpenAi);
            if !grammar {
                self.grammar = GrammarStyle::None;
            }
        }
    }

    #[cfg(feature = "models")]
    fn at_server(&self, model: String) -> Result<Box<dyn Model>, ModelError> {
        let address = self.server.as_deref().ok_or_else(|| {
            let why = "is named and no server; name its address with --server, such as \
                       http://127.0.0.1:11434, or a record with --playback";
            ModelError::Settings(format!("the model \"{model}\" {why}"))
        })?;
        let server = super::Server::new(address, self.key.clone())?;
        Ok(match self.protocol() {
            Api::Ollama if !matches!(self.grammar, GrammarStyle::Auto | GrammarStyle::None) => {
                let why = "Ollama takes no grammar; leave --grammar out, or name the protocol \
                           with --api openai";
                return Err(ModelError::Settings(why.to_owned()));
            }
            Api::Ollama => Box::new(super::Ollama::new(server, model)),
            Api::OpenAi => Box::new(super::OpenAi::new(server, model, self.grammar)),
        })
    }

    #[cfg(not(feature = "models"))]
    fn at_server(&self, _: String) -> Result<Box<dyn Model>, ModelError> {
        let why = "this program was built without models; build it with `--features models`, or \
                   play back a record with --playback";
        Err(ModelError::Settings(why.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(model: Option<&str>, server: Option<&str>) -> Settings {
        Settings {
            model: model.map(str::to_owned),
            server: server.map(str::to_owned),
            ..Settings::default()
        }
    }

    #[test]
    fn what_is_named_first_counts() {
        let both = named(Some("a"), None).or(named(Some("b"), Some("http://h")));
        assert_eq!(both, named(Some("a"), Some("http://h")));
    }

    #[test]
    fn nothing_is_asked_that_was_not_named() {
        assert!(named(None, None).connect().unwrap().is_none());
        for lacking in [named(Some("a"), None), named(None, Some("http://h"))] {
            let error = lacking.connect().map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("name"), "{error}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let settings = Settings {
            key: Some(Key::new("sesame")),
            ..Settings::default()
        };
        assert!(!format!("{settings:?}").contains("sesame"));
    }

    #[cfg(feature = "models")]
    #[test]
    fn the_protocol_follows_the_port() {
        let ollama = named(Some("a"), Some("http://127.0.0.1:11434/"));
        assert_eq!(ollama.protocol(), Api::Ollama);
        assert!(!ollama.takes_grammar());
        let other = named(Some("a"), Some("http://127.0.0.1:8080"));
        assert_eq!(other.protocol(), Api::OpenAi);
        assert!(other.takes_grammar());
        let model = ollama.connect().unwrap().unwrap();
        assert_eq!(model.request(Vec::new()).context, Some(CONTEXT));
    }
}
