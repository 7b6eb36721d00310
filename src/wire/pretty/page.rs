//! Indented text that can't grow without bound.

use std::fmt::{self, Write};

/// Most lines of one text.
pub(super) const MAX_LINES: usize = 4000;

/// A text that grows by lines.
#[derive(Default)]
pub(super) struct Page {
    text: String,
    depth: usize,
    lines: usize,
}

impl Page {
    /// Adds a line at the current depth; nothing beyond [`MAX_LINES`] but a note.
    pub(super) fn line(&mut self, line: fmt::Arguments<'_>) {
        self.lines += 1;
        let width = 2 * self.depth;
        // Writing to a string can't fail.
        let _ = match self.lines {
            ..MAX_LINES => writeln!(self.text, "{:width$}{line}", ""),
            MAX_LINES => writeln!(self.text, "… the rest is left out"),
            _ => Ok(()),
        };
    }

    /// Adds what `write` writes, one level deeper.
    pub(super) fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}
