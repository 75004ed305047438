//! A question of a benchmark, as far as an oracle needs it.

/// One step from a set of things to what they are related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    /// The relation, as the facts name it.
    pub relation: String,
    /// Whether it is walked from its object to its subject.
    pub backward: bool,
}

/// A question with the path to its answer, and the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// How many hops its file says it takes.
    pub hops: u8,
    /// Its words.
    pub text: String,
    /// Where the path begins.
    pub topic: String,
    /// The path.
    pub path: Vec<Hop>,
    /// Whether the topic is taken out of what each hop reaches.
    pub drop_topic: bool,
    /// The names that answer it, sorted, each once.
    pub gold: Vec<String>,
}

pub(super) use crate::ask::answer_set;
