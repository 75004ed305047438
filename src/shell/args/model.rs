//! Arguments that say which language model is asked, and where.

use super::values::duration;
use crate::model::{Api, Budget, GrammarStyle, Key, Metered, ModelError, Settings};
use crate::shell::terminal::Failure;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// The protocol of a model's server.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelApi {
    /// Ollama's own
    Ollama,
    /// OpenAI's chat completions: llama.cpp, vLLM, SGLang, LM Studio
    Openai,
}

/// How a model's server takes the grammar of plans.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelGrammar {
    /// As llama.cpp takes it; not at all with Ollama
    #[default]
    Auto,
    /// As `grammar`: llama.cpp
    Gbnf,
    /// As `guided_grammar`: vLLM before 0.12
    Guided,
    /// As `structured_outputs`: vLLM from 0.12 on
    Structured,
    /// As `ebnf`: SGLang
    Ebnf,
    /// Not at all, nor any other setting that OpenAI's protocol lacks
    None,
}

/// Which model is asked, where, and how much. What is absent here is taken from the
/// environment, then from the file of settings.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Models")]
pub struct Models {
    /// What the server calls the model; else LATWEAVE_MODEL. Without one no model is asked
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// The address of the server, such as http://127.0.0.1:11434; else LATWEAVE_MODEL_SERVER
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub server: Option<String>,

    /// The protocol; else LATWEAVE_MODEL_API, else Ollama's on port 11434 and OpenAI's
    /// elsewhere
    #[arg(long, value_enum, value_name = "API")]
    pub api: Option<ModelApi>,

    /// Tokens that prompt and reply may have together
    #[arg(long, value_name = "N")]
    pub context: Option<u32>,

    /// Tokens that a reply may have; 512 if absent
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,

    /// Longest time for one reply, such as 30s or 2m; 2m if absent
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// How the grammar of plans is sent
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub grammar: ModelGrammar,

    /// Keep every exchange in a file; what it has already is not asked again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,

    /// Take every reply from a file of --record, and ask no server
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "record")]
    pub playback: Option<PathBuf>,

    /// Count what would be asked, and send nothing
    #[arg(long, conflicts_with = "playback")]
    pub dry_run: bool,

    /// Calls to models in all; not bounded if absent
    #[arg(long, value_name = "N")]
    pub model_calls: Option<u64>,

    /// Tokens of prompts and replies in all; not bounded if absent
    #[arg(long, value_name = "N")]
    pub model_tokens: Option<u64>,

    /// Time with models in all, from the first call on; not bounded if absent
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub model_time: Option<Duration>,
}

impl Models {
    /// The model that is meant, ready to be asked; `None` if none is named anywhere.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments, the environment, the file of settings, or a
    /// record, in one sentence.
    pub fn connect(&self) -> Result<Option<Metered>, Failure> {
        let environment = |name: &str| std::env::var(name).ok();
        let settings = self.settings(&environment);
        let connected = settings.and_then(Settings::connect);
        connected.map_err(Failure::new)
    }

    /// What the arguments say, else the environment, else the file.
    ///
    /// # Errors
    ///
    /// [`ModelError::Settings`] if the environment or the file cannot be understood.
    pub fn settings(
        &self,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Settings, ModelError> {
        let named = self.named().or(from_environment(environment)?);
        // A record that is played needs no file that says where a server is.
        if named.playback.is_some() {
            return Ok(named);
        }
        #[cfg(feature = "models")]
        let named = named.or(crate::model::config::read(environment)?);
        Ok(named)
    }

    fn named(&self) -> Settings {
        Settings {
            model: self.model.clone(),
            server: self.server.clone(),
            api: self.api.map(|api| match api {
                ModelApi::Ollama => Api::Ollama,
                ModelApi::Openai => Api::OpenAi,
            }),
            key: None,
            context: self.context,
            max_tokens: self.max_tokens,
            timeout: self.timeout,
            grammar: match self.grammar {
                ModelGrammar::Auto => GrammarStyle::Auto,
                ModelGrammar::Gbnf => GrammarStyle::Gbnf,
                ModelGrammar::Guided => GrammarStyle::Guided,
                ModelGrammar::Structured => GrammarStyle::Structured,
                ModelGrammar::Ebnf => GrammarStyle::Ebnf,
                ModelGrammar::None => GrammarStyle::None,
            },
            record: self.record.clone(),
            playback: self.playback.clone(),
            dry_run: self.dry_run,
            budget: Budget {
                calls: self.model_calls,
                tokens: self.model_tokens,
                time: self.model_time,
            },
        }
    }
}

/// The key stands only here: arguments are seen by others, files are copied.
fn from_environment(environment: &dyn Fn(&str) -> Option<String>) -> Result<Settings, ModelError> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    let api = match set("LATWEAVE_MODEL_API") {
        None => None,
        Some(text) => Some(text.parse::<Api>().map_err(|why| {
            ModelError::Settings(format!("LATWEAVE_MODEL_API is \"{text}\"; {why}"))
        })?),
    };
    Ok(Settings {
        model: set("LATWEAVE_MODEL"),
        server: set("LATWEAVE_MODEL_SERVER"),
        api,
        key: set("LATWEAVE_MODEL_KEY").map(Key::new),
        ..Settings::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(models: &Models, pairs: &[(&str, &str)]) -> Result<Settings, ModelError> {
        models.settings(&|name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn arguments_come_before_the_environment() {
        let models = Models {
            model: Some("a".to_owned()),
            ..Models::default()
        };
        let pairs = [
            ("LATWEAVE_MODEL", "b"),
            ("LATWEAVE_MODEL_SERVER", "http://h"),
            ("LATWEAVE_MODEL_API", "ollama"),
            ("LATWEAVE_MODEL_KEY", "sesame"),
        ];
        let found = settings(&models, &pairs).unwrap();
        assert_eq!(found.model.as_deref(), Some("a"));
        assert_eq!(found.server.as_deref(), Some("http://h"));
        assert_eq!(found.api, Some(Api::Ollama));
        assert_eq!(found.key, Some(Key::new("sesame")));
        let wrong = settings(&models, &[("LATWEAVE_MODEL_API", "grpc")]);
        assert!(wrong.unwrap_err().to_string().contains("ollama or openai"));
    }

    #[cfg(feature = "models")]
    #[test]
    fn the_environment_comes_before_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "[models]\nmodel = \"c\"\nserver = \"http://f\"\n").unwrap();
        let file = file.to_str().unwrap();
        let pairs = [("LATWEAVE_CONFIG", file), ("LATWEAVE_MODEL", "b")];
        let found = settings(&Models::default(), &pairs).unwrap();
        assert_eq!(found.model.as_deref(), Some("b"));
        assert_eq!(found.server.as_deref(), Some("http://f"));
        let absent = settings(
            &Models::default(),
            &[("LATWEAVE_CONFIG", "/nowhere/at/all")],
        );
        assert!(absent.unwrap_err().to_string().contains("LATWEAVE_CONFIG"));
    }
}
