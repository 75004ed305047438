//! Ollama's own protocol, `/api/chat`.
//!
//! The request is written with the types of `ollama-rs`, whose client is not used:
//! it gives an error's text without status and headers, so that a busy server cannot be
//! told from a missing model; it drops a piece of a stream that ends within a letter;
//! and it bounds neither the time nor the size of a reply. What is sent and read goes
//! over the HTTP client that `ollama-rs` brings.

use super::error::ModelError;
use super::http::{Intake, Limits, Server};
use super::lines::Lines;
use super::tokens::{check_read, check_room};
use super::{Finish, Message, Model, Reply, Request, Role};
use ollama_rs::generation::chat::request::ChatMessageRequest;
use ollama_rs::generation::chat::{ChatMessage, MessageRole};
use ollama_rs::models::ModelOptions;
use serde::Deserialize;
use serde_json::Value;

/// A model of an Ollama server.
#[derive(Debug)]
pub struct Ollama {
    server: Server,
    model: String,
}

impl Ollama {
    /// A model of a server; nothing is sent yet.
    pub fn new(server: Server, model: impl Into<String>) -> Ollama {
        Ollama {
            server,
            model: model.into(),
        }
    }

    /// The body of a request. Temperature and seed have to stand in `options`: Ollama
    /// ignores them elsewhere. A grammar is not sent, since Ollama takes none.
    fn body(&self, request: &Request) -> Result<Vec<u8>, ModelError> {
        let messages = request.messages.iter().map(message).collect();
        let whole = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let mut options = ModelOptions::default()
            .temperature(request.temperature)
            .seed(whole(request.seed))
            .num_predict(whole(request.max_tokens));
        if let Some(context) = request.context {
            options = options.num_ctx(u64::from(context));
        }
        let chat = ChatMessageRequest::new(self.model.clone(), messages).options(options);
        let unwritten = |error: serde_json::Error| ModelError::Machine(error.to_string());
        let mut body = serde_json::to_value(chat).map_err(unwritten)?;
        // As a stream, so that a reply that does not end is noticed while it comes.
        if let Some(object) = body.as_object_mut() {
            object.insert("stream".to_owned(), Value::Bool(true));
        }
        serde_json::to_vec(&body).map_err(unwritten)
    }
}

fn message(message: &Message) -> ChatMessage {
    let role = match message.role {
        Role::System => MessageRole::System,
        Role::User => MessageRole::User,
        Role::Assistant => MessageRole::Assistant,
    };
    ChatMessage::new(role, message.text.clone())
}

impl Model for Ollama {
    fn name(&self) -> &str {
        &self.model
    }

    fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        check_room(request)?;
        let limits = Limits {
            model: &self.model,
            timeout: request.timeout,
            max_tokens: request.max_tokens,
        };
        let body = self.body(request)?;
        let reply = self
            .server
            .post("api/chat", &body, limits, Stream::default)?;
        check_read(request, &reply)?;
        Ok(reply)
    }
}

/// One object of the stream; all of it may be absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    message: Option<Said>,
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<String>,
}

/// What a model thinks comes under another name, and is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    content: String,
}

#[derive(Debug, Default)]
struct Stream {
    lines: Lines,
    gathered: Gathered,
}

#[derive(Debug, Default)]
struct Gathered {
    text: String,
    last: Option<Part>,
}

impl Gathered {
    /// Whether the reply is complete with this object.
    fn add(&mut self, object: Value) -> Result<bool, String> {
        let part: Part = serde_json::from_value(object)
            .map_err(|error| format!("it has another form than Ollama's ({error})"))?;
        if let Some(error) = part.error {
            return Err(format!(
                "the server reports \"{}\"",
                super::error::shown(&error)
            ));
        }
        if let Some(said) = &part.message {
            self.text.push_str(&said.content);
        }
        let done = part.done;
        if done {
            self.last = Some(part);
        }
        Ok(done)
    }
}

impl Intake for Stream {
    type Output = Reply;

    fn take(&mut self, piece: &[u8]) -> Result<bool, String> {
        let gathered = &mut self.gathered;
        self.lines.take(piece, &mut |object| gathered.add(object))
    }

    fn finish(mut self) -> Result<Reply, String> {
        let gathered = &mut self.gathered;
        if gathered.last.is_none() {
            self.lines.end(&mut |object| gathered.add(object))?;
        }
        let Gathered { text, last } = self.gathered;
        let last = last.ok_or("it ends before its last object (`\"done\": true`)")?;
        Ok(Reply {
            text,
            prompt_tokens: last.prompt_eval_count,
            output_tokens: last.eval_count,
            finish: match last.done_reason.as_deref() {
                Some("stop") => Finish::Stop,
                Some("length") => Finish::Length,
                _ => Finish::Unknown,
            },
            recorded: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_a_reply_stands_in_the_options() {
        let server = Server::new("http://127.0.0.1:9", None).unwrap();
        let model = Ollama::new(server, "m");
        let mut request = Request::new(vec![Message::system("a"), Message::user("b")]);
        request.context = Some(4096);
        let body: Value = serde_json::from_slice(&model.body(&request).unwrap()).unwrap();
        assert_eq!(body["model"], "m");
        assert_eq!(body["options"]["temperature"], 0.0);
        assert_eq!(body["options"]["seed"], 88);
        assert_eq!(body["options"]["num_ctx"], 4096);
        assert_eq!(body["options"]["num_predict"], 512);
        assert_eq!(body["messages"][0]["role"], "system");
        assert_eq!(body["messages"][1]["content"], "b");
    }
}
