//! What can go wrong between a request and its reply: each in one sentence that says
//! what happened and what to do.

use std::path::PathBuf;
use std::time::Duration;

/// Why there is no reply. No variant carries the key of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody listens there.
    #[error("no server answers at {server} ({reason}); start it, or name another with --server")]
    Down {
        /// Its address.
        server: String,
        /// What the system said.
        reason: String,
    },
    /// The server is there and the model is not.
    #[error(
        "the server at {server} has no model \"{model}\" ({said}); load it there (Ollama: \
         `ollama pull {model}`), or name another with --model"
    )]
    ModelMissing {
        /// Its address.
        server: String,
        /// The model.
        model: String,
        /// What the server said.
        said: String,
    },
    /// The server has no such interface.
    #[error("{url} does not exist on the server; check --server and --api (ollama or openai)")]
    NoSuchInterface {
        /// The address that was asked.
        url: String,
    },
    /// The time was over before the reply was.
    #[error(
        "the model at {server} did not finish its reply within {}; allow more with --timeout, \
         or take a smaller model", in_seconds(.after)
    )]
    Silent {
        /// Its address.
        server: String,
        /// How long was waited.
        after: Duration,
    },
    /// The server is too busy, and stayed so.
    #[error(
        "the server at {server} asks to come back later (status {status}), and the time allowed \
         does not suffice; try again, or allow more with --timeout"
    )]
    Throttled {
        /// Its address.
        server: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server knows no such key, or no such right.
    #[error(
        "the server at {server} refuses the request (status {status}: {said}); if it wants a key, \
         put it into the environment variable LATWEAVE_MODEL_KEY"
    )]
    Forbidden {
        /// Its address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The server does not take the request.
    #[error(
        "the server at {server} does not take the request (status {status}: {said}); a setting \
         that it does not know may be left out with --grammar none"
    )]
    Refused {
        /// Its address.
        server: String,
        /// The HTTP status.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The connection ended within the reply, each time.
    #[error("the server at {server} closed the connection within its reply; look at its log")]
    Closed {
        /// Its address.
        server: String,
    },
    /// What came is no reply of this protocol.
    #[error(
        "the reply of {server} cannot be read: {why}; check --api, or look at the server's log"
    )]
    BadReply {
        /// Its address.
        server: String,
        /// What is wrong with it.
        why: String,
    },
    /// The model saw only a part of the prompt.
    #[error(
        "the prompt was cut by the server: {}; enlarge the context with --context (and in the \
         server), or ask less at once", truncation(.read, .sent, .context)
    )]
    Truncated {
        /// Tokens that the server read, where it says so.
        read: Option<u64>,
        /// Tokens that were sent, at least.
        sent: u64,
        /// The size of the context, where it is known.
        context: Option<u64>,
    },
    /// No more may be asked.
    #[error(
        "the budget for models is spent ({spent}); allow more with --model-calls, --model-tokens \
         or --model-time"
    )]
    Spent {
        /// Which bound was reached.
        spent: String,
    },
    /// Counted, as a dry run does, and not sent.
    #[error("not sent: this is a dry run")]
    NotSent,
    /// The record has no such exchange.
    #[error(
        "{} has no reply to request {key}, which begins \"{begins}\"; record it with --record and \
         a server", .file.display()
    )]
    NotRecorded {
        /// The record.
        file: PathBuf,
        /// The key of the request.
        key: String,
        /// The beginning of its last message.
        begins: String,
    },
    /// The record cannot be read or written.
    #[error("the record {} {why}", .file.display())]
    Record {
        /// The record.
        file: PathBuf,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// What was set does not go together, or is not there.
    #[error("{0}")]
    Settings(String),
    /// The machine cannot do what is needed.
    #[error("the machine cannot open a connection: {0}")]
    Machine(String),
}

impl ModelError {
    /// Whether another request may well succeed where this one failed: the fault lies
    /// in this exchange, not in the settings or the server.
    pub fn is_of_this_request(&self) -> bool {
        matches!(
            self,
            ModelError::Silent { .. }
                | ModelError::Closed { .. }
                | ModelError::BadReply { .. }
                | ModelError::Truncated { .. }
                | ModelError::NotSent
                | ModelError::NotRecorded { .. }
        )
    }
}

fn in_seconds(time: &Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn truncation(read: &Option<u64>, sent: &u64, context: &Option<u64>) -> String {
    let room = context.map_or(String::new(), |context| {
        format!(" in a context of {context} tokens")
    });
    match read {
        Some(read) => format!("it read {read} tokens of at least {sent}{room}"),
        None => format!("it has at least {sent} tokens{room}"),
    }
}

/// The first line of what a server said, shortened: it is shown, never parsed.
#[cfg(feature = "models")]
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = text.split(['\n', '\r']).map(str::trim);
    let line = line.into_iter().find(|line| !line.is_empty()).unwrap_or("");
    let mut short: String = line
        .chars()
        .filter(|letter| !letter.is_control())
        .take(LONGEST)
        .collect();
    if line.chars().count() > LONGEST {
        short.push('…');
    }
    if short.is_empty() {
        "it gives no reason".to_owned()
    } else {
        short
    }
}
