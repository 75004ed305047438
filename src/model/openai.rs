//! The protocol of OpenAI's `/v1/chat/completions`, as llama.cpp, vLLM, SGLang and LM
//! Studio serve it.

use super::error::ModelError;
use super::http::{Intake, Limits, Server};
use super::settings::GrammarStyle;
use super::tokens::{check_read, check_room};
use super::{Finish, Model, Reply, Request};
use serde::Deserialize;
use serde_json::{Value, json};

/// A model of a server that is compatible with OpenAI's.
#[derive(Debug)]
pub struct OpenAi {
    server: Server,
    model: String,
    style: GrammarStyle,
}

impl OpenAi {
    /// A model of a server, and how the server takes a grammar; nothing is sent yet.
    pub fn new(server: Server, model: impl Into<String>, style: GrammarStyle) -> OpenAi {
        OpenAi {
            server,
            model: model.into(),
            style,
        }
    }

    fn body(&self, request: &Request) -> Value {
        let messages: Vec<Value> = request
            .messages
            .iter()
            .map(|message| json!({ "role": message.role.word(), "content": message.text }))
            .collect();
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
            "stream": false,
        });
        let grammar = request.grammar.as_deref();
        let settings: Vec<(&str, Value)> = match (self.style, grammar) {
            // What llama.cpp keeps of earlier prompts changes the last digits of what it
            // computes, and with them now and then a word.
            (GrammarStyle::Auto | GrammarStyle::Gbnf, None) => vec![("cache_prompt", json!(false))],
            (GrammarStyle::Auto | GrammarStyle::Gbnf, Some(grammar)) => {
                vec![("cache_prompt", json!(false)), ("grammar", json!(grammar))]
            }
            (GrammarStyle::Guided, Some(grammar)) => vec![("guided_grammar", json!(grammar))],
            (GrammarStyle::Structured, Some(grammar)) => {
                vec![("structured_outputs", json!({ "grammar": grammar }))]
            }
            (GrammarStyle::Ebnf, Some(grammar)) => vec![("ebnf", json!(grammar))],
            (_, None) | (GrammarStyle::None, _) => Vec::new(),
        };
        if let Some(object) = body.as_object_mut() {
            object.extend(
                settings
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
        }
        body
    }

    /// The address may be written with `/v1` or without.
    fn path(&self) -> &'static str {
        if self.server.address().ends_with("/v1") {
            "chat/completions"
        } else {
            "v1/chat/completions"
        }
    }
}

impl Model for OpenAi {
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
        let body = self.body(request).to_string();
        let sent = self
            .server
            .post(self.path(), body.as_bytes(), limits, Whole::default);
        let reply = sent.map_err(|error| no_room(error, request))?;
        check_read(request, &reply)?;
        Ok(reply)
    }
}

/// Servers refuse a prompt that is longer than their context.
fn no_room(error: ModelError, request: &Request) -> ModelError {
    match &error {
        ModelError::Refused { said, .. } if said.to_lowercase().contains("context") => {
            ModelError::Truncated {
                read: None,
                sent: request.least_tokens(),
                context: request.context.map(u64::from),
            }
        }
        _ => error,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    choices: Vec<Choice>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    message: Said,
    finish_reason: Option<String>,
}

/// What a model thinks comes under another name, and is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    content: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// A reply that comes as one object.
#[derive(Debug, Default)]
struct Whole(Vec<u8>);

impl Intake for Whole {
    type Output = Reply;

    fn take(&mut self, piece: &[u8]) -> Result<bool, String> {
        self.0.extend_from_slice(piece);
        Ok(false)
    }

    fn finish(self) -> Result<Reply, String> {
        let answer: Answer = serde_json::from_slice(&self.0)
            .map_err(|error| format!("it is no completion of a chat ({error})"))?;
        if let Some(error) = answer.error {
            let error = super::error::shown(&error.to_string());
            return Err(format!("the server reports {error}"));
        }
        let usage = answer.usage.unwrap_or_default();
        let choice = answer
            .choices
            .into_iter()
            .next()
            .ok_or("it has no choices")?;
        Ok(Reply {
            text: choice.message.content.unwrap_or_default(),
            prompt_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            finish: match choice.finish_reason.as_deref() {
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
    use crate::model::Message;

    fn body(style: GrammarStyle, grammar: bool) -> Value {
        let server = Server::new("http://127.0.0.1:9", None).unwrap();
        let mut request = Request::new(vec![Message::user("b")]);
        if grammar {
            request = request.with_grammar("root ::= \"x\"");
        }
        OpenAi::new(server, "m", style).body(&request)
    }

    #[test]
    fn each_server_takes_the_grammar_its_own_way() {
        let words = "root ::= \"x\"";
        assert_eq!(body(GrammarStyle::Auto, true)["grammar"], words);
        assert_eq!(body(GrammarStyle::Gbnf, true)["cache_prompt"], false);
        assert_eq!(body(GrammarStyle::Guided, true)["guided_grammar"], words);
        let structured = body(GrammarStyle::Structured, true);
        assert_eq!(structured["structured_outputs"]["grammar"], words);
        assert_eq!(body(GrammarStyle::Ebnf, true)["ebnf"], words);
        assert!(!body(GrammarStyle::None, true).to_string().contains("root"));
        assert_eq!(body(GrammarStyle::Auto, false)["cache_prompt"], false);
        assert_eq!(body(GrammarStyle::None, false).get("cache_prompt"), None);
    }
}
