//! How many tokens a text has at least, without its tokenizer; and whether a server
//! read all that it was sent.

#[cfg(feature = "models")]
use super::{ModelError, Reply, Request};

/// How many tokens a text has at least.
///
/// Tokenizers of language models split at white space before anything else, so every
/// word is a token or more. Writing without white space has no words; of its letters,
/// each of two bytes or more in UTF-8, a token covers a few, and never so many as six.
///
/// The bound is for noticing that a server read less than it was sent. It is not a
/// prediction: texts have a third more tokens, or many times as many.
pub fn least_tokens(text: &str) -> u64 {
    let words = text.split_whitespace().count();
    let wide = text.chars().filter(|letter| !letter.is_ascii()).count();
    words.max(wide / 6) as u64
}

/// Whether the messages can fit into the context at all.
#[cfg(feature = "models")]
pub(super) fn check_room(request: &Request) -> Result<(), ModelError> {
    let sent = request.least_tokens();
    match request.context.map(u64::from) {
        Some(context) if sent >= context => Err(ModelError::Truncated {
            read: None,
            sent,
            context: Some(context),
        }),
        _ => Ok(()),
    }
}

/// Whether the server read the messages whole. A prompt that is too long is cut without
/// a word by some servers; only the number of tokens that they read tells.
#[cfg(feature = "models")]
pub(super) fn check_read(request: &Request, reply: &Reply) -> Result<(), ModelError> {
    let sent = request.least_tokens();
    let context = request.context.map(u64::from);
    let cut = |read: u64| read < sent || context.is_some_and(|context| read >= context);
    match reply.prompt_tokens {
        Some(read) if cut(read) => Err(ModelError::Truncated {
            read: Some(read),
            sent,
            context,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_wide_letters_count() {
        assert_eq!(least_tokens(""), 0);
        assert_eq!(least_tokens(" one  two\nthree "), 3);
        assert_eq!(least_tokens(&"鯨".repeat(60)), 10);
    }
}
