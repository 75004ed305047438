//! What is shown of a lattice is held back until it is known that nothing that was
//! read for it was damaged: a damaged name or source text reads as nothing.

use crate::lattice::Lattice;
use std::io::{self, Write};

/// So much is held back at most, in bytes.
const HELD: usize = 1 << 16;

/// A writer that passes on what it is given as long as the lattice is intact.
pub struct Sound<'a> {
    out: &'a mut dyn Write,
    lattice: &'a Lattice,
    held: Vec<u8>,
}

impl<'a> Sound<'a> {
    /// In front of a writer.
    pub fn new(out: &'a mut dyn Write, lattice: &'a Lattice) -> Sound<'a> {
        Sound {
            out,
            lattice,
            held: Vec::new(),
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.lattice.intact().map_err(io::Error::other)?;
        self.out.write_all(&self.held)?;
        self.held.clear();
        Ok(())
    }
}

impl Write for Sound<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= HELD {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()
    }
}
