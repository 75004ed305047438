//! JSON, written piece by piece in one canonical form.

use std::io::{self, Write};

/// A writer of compact JSON that knows where commas belong.
pub(super) struct Json<'w> {
    out: &'w mut dyn Write,
    /// For each open bracket, whether something stands in it.
    open: Vec<bool>,
    /// Whether a key has just been written.
    after_key: bool,
}

impl<'w> Json<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Json<'w> {
        Json {
            out,
            open: Vec::new(),
            after_key: false,
        }
    }

    fn item(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.after_key) {
            return Ok(());
        }
        match self.open.last_mut() {
            Some(filled) if *filled => self.out.write_all(b","),
            Some(filled) => {
                *filled = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn begin(&mut self, bracket: char) -> io::Result<()> {
        self.item()?;
        self.open.push(false);
        write!(self.out, "{bracket}")
    }

    pub(super) fn end(&mut self, bracket: char) -> io::Result<()> {
        self.open.pop();
        write!(self.out, "{bracket}")
    }

    pub(super) fn key(&mut self, key: &str) -> io::Result<()> {
        self.text(key)?;
        self.after_key = true;
        self.out.write_all(b":")
    }

    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.item()?;
        serde_json::to_writer(&mut *self.out, text).map_err(io::Error::from)
    }

    /// Something that prints as JSON itself: a number, `true`, `null`.
    pub(super) fn plain(&mut self, item: impl std::fmt::Display) -> io::Result<()> {
        self.item()?;
        write!(self.out, "{item}")
    }

    /// `"key":"text"`.
    pub(super) fn pair(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.key(key)?;
        self.text(text)
    }

    /// An item that somebody else writes.
    pub(super) fn written(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.item()?;
        write(self.out)
    }
}
