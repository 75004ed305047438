//! A reply that comes as objects of JSON, one to a line, in pieces of any size.

use serde_json::{Deserializer, Value};

/// So much white space in a row is no reply: some servers never end one.
const MOST_BLANK: usize = 64 << 10;

/// Collects bytes and gives the objects that are complete.
///
/// Bytes are cut at newlines and decoded then, so that a letter whose bytes come in two
/// pieces is one letter.
#[derive(Debug, Default)]
pub(super) struct Lines {
    waiting: Vec<u8>,
    blank: usize,
}

impl Lines {
    /// Takes a piece; what is complete with it is given to `each`, which says whether
    /// it has enough. Then the rest is left alone.
    pub(super) fn take(
        &mut self,
        piece: &[u8],
        each: &mut dyn FnMut(Value) -> Result<bool, String>,
    ) -> Result<bool, String> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.count_blank(part)?;
            self.waiting.extend_from_slice(part);
            if part.ends_with(b"\n") && self.line(each)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same for what stands behind the last newline.
    pub(super) fn end(
        &mut self,
        each: &mut dyn FnMut(Value) -> Result<bool, String>,
    ) -> Result<bool, String> {
        self.line(each)
    }

    fn count_blank(&mut self, part: &[u8]) -> Result<(), String> {
        if part.iter().all(u8::is_ascii_whitespace) {
            self.blank += part.len();
        } else {
            self.blank = 0;
        }
        if self.blank > MOST_BLANK {
            Err(format!("more than {MOST_BLANK} bytes of white space"))
        } else {
            Ok(())
        }
    }

    /// A line may hold several objects.
    fn line(
        &mut self,
        each: &mut dyn FnMut(Value) -> Result<bool, String>,
    ) -> Result<bool, String> {
        let line = std::mem::take(&mut self.waiting);
        for object in Deserializer::from_slice(&line).into_iter::<Value>() {
            let object = object.map_err(|error| format!("it is no JSON ({error})"))?;
            if each(object)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<Value>, String> {
        let (mut lines, mut all) = (Lines::default(), Vec::new());
        let mut each = |object| {
            all.push(object);
            Ok(false)
        };
        for piece in pieces {
            lines.take(piece, &mut each)?;
        }
        lines.end(&mut each)?;
        Ok(all)
    }

    #[test]
    fn pieces_end_anywhere() {
        let text = "{\"a\":\"é\"}\n\n{\"a\":2}{\"a\":3}\n{\"a\":4}".as_bytes();
        let whole = read(&[text]).unwrap();
        assert_eq!(whole.len(), 4);
        for cut in 0..text.len() {
            assert_eq!(
                read(&[&text[..cut], &text[cut..]]),
                Ok(whole.clone()),
                "{cut}"
            );
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(&bytes), Ok(whole));
    }

    #[test]
    fn white_space_without_end_is_refused() {
        let blank = vec![b'\n'; MOST_BLANK + 1];
        assert!(read(&[b"{}", &blank]).unwrap_err().contains("white space"));
        let spaces = vec![b' '; 1000];
        let many: Vec<&[u8]> = std::iter::repeat_n(spaces.as_slice(), 100).collect();
        assert!(read(&many).unwrap_err().contains("white space"));
    }

    #[test]
    fn half_an_object_is_told() {
        assert!(read(&[b"{\"a\":"]).unwrap_err().contains("no JSON"));
    }
}
