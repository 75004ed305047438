//! What models cost, and how much they may.

use super::settings::Settings;
use super::{Message, Model, ModelError, Reply, Request};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much may be asked in all. What is absent is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Exchanges.
    pub calls: Option<u64>,
    /// Tokens of prompts and replies together.
    pub tokens: Option<u64>,
    /// Time since the first exchange.
    pub time: Option<Duration>,
}

/// What was asked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Exchanges with a server, failed ones too.
    pub calls: u64,
    /// Exchanges read from a record.
    pub recorded: u64,
    /// Exchanges of `calls` that gave no reply.
    pub failed: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Whether a number of tokens is a lower bound, because a server did not count.
    pub estimated: bool,
    /// Whether nothing was sent.
    pub dry: bool,
}

impl Cost {
    /// Tokens of both kinds.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.output_tokens)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = |count: u64| if count == 1 { "call" } else { "calls" };
        if self.dry {
            return write!(
                f,
                "dry run, nothing sent: {} {}, at least {} tokens of prompts, at most {} of replies",
                self.calls,
                calls(self.calls),
                self.prompt_tokens,
                self.output_tokens
            );
        }
        write!(f, "{} {} to a model", self.calls, calls(self.calls))?;
        if self.failed > 0 {
            write!(f, " ({} failed)", self.failed)?;
        }
        if self.calls > 0 {
            let least = if self.estimated { "at least " } else { "" };
            write!(
                f,
                ", {least}{} tokens of prompts, {} of replies",
                self.prompt_tokens, self.output_tokens
            )?;
        }
        if self.recorded > 0 {
            write!(f, ", {} from the record", self.recorded)?;
        }
        Ok(())
    }
}

/// A model whose cost is counted and bounded.
pub struct Metered {
    inner: Box<dyn Model>,
    settings: Settings,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cost: Cost,
    since: Option<Instant>,
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("model", &self.inner.name())
            .field("settings", &self.settings)
            .field("cost", &self.cost())
            .finish()
    }
}

impl Metered {
    /// Counts what is asked of a model, and holds it to the budget of the settings.
    pub fn new(inner: Box<dyn Model>, settings: Settings) -> Metered {
        Metered {
            inner,
            settings,
            state: Mutex::default(),
        }
    }

    /// A request with the settings' bounds, at temperature 0.
    pub fn request(&self, messages: Vec<Message>) -> Request {
        self.settings.request(messages)
    }

    /// Whether a grammar reaches the server, so that writing one is worth it.
    pub fn takes_grammar(&self) -> bool {
        self.settings.takes_grammar()
    }

    /// What was set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was asked so far.
    pub fn cost(&self) -> Cost {
        self.state().cost
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the next exchange may take, or which bound was reached.
    fn left(&self, request: &Request) -> Result<Duration, ModelError> {
        let budget = self.settings.budget;
        let mut state = self.state();
        let since = *state.since.get_or_insert_with(Instant::now);
        let spent = |spent: String| Err(ModelError::Spent { spent });
        let cost = state.cost;
        if let Some(most) = budget.calls.filter(|most| cost.calls >= *most) {
            return spent(format!("{most} calls"));
        }
        let next = cost.tokens().saturating_add(request.least_tokens());
        if let Some(most) = budget.tokens.filter(|most| next >= *most) {
            return spent(format!("{} of {most} tokens", cost.tokens()));
        }
        let Some(most) = budget.time else {
            return Ok(request.timeout);
        };
        match most.checked_sub(since.elapsed()) {
            Some(left) if !left.is_zero() => Ok(left.min(request.timeout)),
            _ => spent(format!("{} s", most.as_secs_f64())),
        }
    }

    fn count(&self, request: &Request, outcome: &Result<Reply, ModelError>) {
        let cost = &mut self.state().cost;
        match outcome {
            Ok(reply) if reply.recorded => cost.recorded += 1,
            Ok(reply) => {
                cost.calls += 1;
                cost.estimated |= reply.prompt_tokens.is_none() || reply.output_tokens.is_none();
                let prompt = reply
                    .prompt_tokens
                    .unwrap_or_else(|| request.least_tokens());
                let output = reply
                    .output_tokens
                    .unwrap_or_else(|| super::least_tokens(&reply.text));
                cost.prompt_tokens = cost.prompt_tokens.saturating_add(prompt);
                cost.output_tokens = cost.output_tokens.saturating_add(output);
            }
            Err(ModelError::NotSent) => {
                cost.calls += 1;
                cost.dry = true;
                cost.prompt_tokens = cost.prompt_tokens.saturating_add(request.least_tokens());
                let output = u64::from(request.max_tokens);
                cost.output_tokens = cost.output_tokens.saturating_add(output);
            }
            Err(ModelError::NotRecorded { .. } | ModelError::Record { .. }) => {}
            // What failed may have been read and paid for, and nobody counted it.
            Err(_) => {
                cost.calls += 1;
                cost.failed += 1;
                cost.estimated = true;
                cost.prompt_tokens = cost.prompt_tokens.saturating_add(request.least_tokens());
            }
        }
    }
}

impl Model for Metered {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut bounded = request.clone();
        bounded.timeout = self.left(request)?;
        let outcome = self.inner.ask(&bounded);
        self.count(request, &outcome);
        outcome
    }
}

/// Stands in a model's place and sends nothing.
#[derive(Clone, Debug)]
pub struct DryRun {
    model: String,
}

impl DryRun {
    /// In the place of a model.
    pub fn new(model: impl Into<String>) -> DryRun {
        DryRun {
            model: model.into(),
        }
    }
}

impl Model for DryRun {
    fn name(&self) -> &str {
        &self.model
    }

    /// Always [`ModelError::NotSent`].
    fn ask(&self, _: &Request) -> Result<Reply, ModelError> {
        Err(ModelError::NotSent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Finish;

    struct Parrot;

    impl Model for Parrot {
        fn name(&self) -> &str {
            "parrot"
        }

        fn ask(&self, request: &Request) -> Result<Reply, ModelError> {
            Ok(Reply {
                text: request
                    .messages
                    .first()
                    .map_or(String::new(), |m| m.text.clone()),
                prompt_tokens: Some(10),
                output_tokens: Some(5),
                finish: Finish::Stop,
                recorded: false,
            })
        }
    }

    fn metered(budget: Budget) -> Metered {
        let settings = Settings {
            budget,
            ..Settings::default()
        };
        Metered::new(Box::new(Parrot), settings)
    }

    fn ask(model: &Metered) -> Result<Reply, ModelError> {
        model.ask(&model.request(vec![Message::user("two words")]))
    }

    #[test]
    fn cost_adds_up_and_calls_are_bounded() {
        let model = metered(Budget {
            calls: Some(2),
            ..Budget::default()
        });
        assert!(ask(&model).is_ok() && ask(&model).is_ok());
        assert!(matches!(ask(&model), Err(ModelError::Spent { .. })));
        assert_eq!(model.cost().calls, 2);
        assert_eq!(
            model.cost().to_string(),
            "2 calls to a model, 20 tokens of prompts, 10 of replies"
        );
    }

    #[test]
    fn tokens_are_bounded_before_they_are_spent() {
        let model = metered(Budget {
            tokens: Some(17),
            ..Budget::default()
        });
        assert!(ask(&model).is_ok());
        assert!(matches!(ask(&model), Err(ModelError::Spent { .. })));
    }

    #[test]
    fn time_is_bounded() {
        let model = metered(Budget {
            time: Some(Duration::ZERO),
            ..Budget::default()
        });
        assert!(matches!(ask(&model), Err(ModelError::Spent { .. })));
        assert_eq!(model.cost(), Cost::default());
    }

    #[test]
    fn a_dry_run_counts_and_says_so() {
        let model = Metered::new(Box::new(DryRun::new("m")), Settings::default());
        assert_eq!(ask(&model), Err(ModelError::NotSent));
        assert_eq!(
            model.cost().to_string(),
            "dry run, nothing sent: 1 call, at least 2 tokens of prompts, at most 512 of replies"
        );
    }
}
