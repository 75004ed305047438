//! A question of a benchmark, with what its authors say about it.

/// One step from a set of things to what they are related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    /// The relation, as the facts name it.
    pub relation: String,
    /// Whether it is walked from its object to its subject.
    pub backward: bool,
}

/// A question with its answer, and the path to it where the benchmark gives one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// How many hops its file says it takes; 0 where it says nothing.
    pub hops: u8,
    /// Its words.
    pub text: String,
    /// Where the path begins.
    pub topic: String,
    /// The path; empty where the benchmark gives none.
    pub path: Vec<Hop>,
    /// Whether the topic is taken out of what each hop reaches.
    pub drop_topic: bool,
    /// The names that answer it, sorted, each once. None: it has no answer, and an
    /// abstention is right.
    pub gold: Vec<String>,
    /// What questions of one template share; cross-validation keeps them together.
    pub template: Option<String>,
}

pub(super) use crate::ask::answer_set;
