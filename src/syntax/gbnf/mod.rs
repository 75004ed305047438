//! The grammar of plans for decoders that take one: `grammar/lq.pest`, narrowed by
//! `grammar/plan.pest` and to the words at hand, written as GBNF.
//!
//! GBNF is what llama.cpp reads, and vLLM and SGLang through xgrammar. It is a
//! context-free grammar without look-ahead, and pest's is not. So:
//!
//! - Keywords are written in capitals, although LQ reads them in any case.
//! - White space between tokens is one space, and none inside brackets; where a token
//!   ends is then plain, and look-ahead that guards it (`boundary`) is dropped, as is all
//!   positive look-ahead.
//! - `!reserved ~ any_word` becomes the words that are not reserved, spelled out as the
//!   tree of their letters; `!(…) ~ ANY` becomes a class of the other characters.
//! - Rules that exist only to be answered (`foreign…`), READ, parameters and holes are left
//!   out. A plan asks what the words at hand can say.
//! - Nesting is bounded by a copy of each rule that nests for each depth, and the names
//!   of LETs by a copy for each scope.
//!
//! What follows from this grammar is a plan that parses; a test holds it to that.

mod form;
mod source;
mod translate;
mod words;

use form::Form;
use source::Source;
use translate::{State, Translator};

use super::print::quote;
use super::words::{CONTEXTUAL, is_bare};
use std::collections::BTreeSet;

/// What a grammar for plans could not be made from; it is the program's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the grammar of plans cannot be written: {0}; this is a fault of the program")]
pub struct GbnfError(String);

/// What a dimension takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// Named values in an order: `TAXONOMY`.
    Taxonomy,
    /// Instances, which have dimensions themselves: `ENTITY`.
    Entity,
    /// `NUMBER`.
    Number,
    /// `DATE`.
    Date,
    /// `TEXT`.
    Text,
}

/// The words that a plan may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The dimensions. If there are none, any word may be one, of any kind.
    pub dimensions: BTreeSet<(String, WordKind)>,
    /// The units that numbers may have.
    pub units: BTreeSet<String>,
    /// The values and names of instances. If there are none, any text may be one.
    pub names: BTreeSet<String>,
    /// The ids of instances that names do not tell apart, without `@`.
    pub ids: BTreeSet<String>,
}

/// How deep queries and groups nest, the outermost not counted.
const DEPTH: usize = 3;
/// What the LETs of a plan are called.
const LETS: [&str; 2] = ["x", "y"];

/// The grammar of plans that use these words, as GBNF. Its first rule is `root`.
///
/// # Errors
///
/// [`GbnfError`] if the grammar files do not fit each other.
///
/// ```
/// # #[cfg(feature = "models")] {
/// use latweave::syntax::gbnf::{Vocabulary, WordKind, gbnf};
///
/// let mut words = Vocabulary::default();
/// words.dimensions.insert(("directed_by".into(), WordKind::Entity));
/// let grammar = gbnf(&words).unwrap();
/// assert!(grammar.starts_with("root ::= "));
/// assert!(grammar.contains("\"directed_by\""));
/// # }
/// ```
pub fn gbnf(vocabulary: &Vocabulary) -> Result<String, GbnfError> {
    let source = Source::read()?;
    let mut translator = Translator::new(&source, vocabulary);
    let innermost = State::outermost(DEPTH, LETS.len());
    let mut root = translator.required("query", innermost)?;
    // From the last LET to the first: each stands before what may use it.
    for (scope, name) in LETS.iter().enumerate().rev() {
        let body = translator.required("inner", State::outermost(DEPTH - 1, scope))?;
        let bare = translator.required("query", State::outermost(DEPTH, scope))?;
        let binding = Form::Literal(format!("LET {name} = "));
        let next = Form::Literal("\n".to_owned());
        let with = Form::sequence(vec![binding, body, next, root]);
        root = Form::choice(vec![bare, with]);
    }
    Ok(form::print(
        &root,
        &form::needed(&root, translator.finish()),
    ))
}

/// A dimension as a plan writes it: bare where that cannot be read otherwise.
pub(super) fn dimension_word(name: &str) -> String {
    let keyword = |word: &&str| word.eq_ignore_ascii_case(name);
    let elsewhere = ["IS", "WHERE", "LIKE", "LIMIT", "ORDER", "GROUP", "NAME"];
    let bare = is_bare(name) && !CONTEXTUAL.iter().chain(&elsewhere).any(keyword);
    if bare { name.to_owned() } else { quote(name) }
}
