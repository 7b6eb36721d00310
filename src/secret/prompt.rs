//! Asks a person at the terminal.

use std::fs::OpenOptions;

use rpassword::ConfigBuilder;
use zeroize::Zeroizing;

use super::{Secret, SourceError};

/// Whoever can be asked for a secret.
pub trait Prompter {
    /// Shows `text` and returns what is typed, without its line end.
    ///
    /// # Errors
    /// [`SourceError::NoTerminal`], [`SourceError::Prompt`] or [`SourceError::Encoding`].
    fn ask(&mut self, text: &str) -> Result<Secret, SourceError>;
}

/// The controlling terminal, whatever standard input and output are. Shows nothing of what is
/// typed.
#[derive(Debug)]
pub struct TerminalPrompter {
    path: String,
}

impl TerminalPrompter {
    /// The terminal from which the program was started.
    #[must_use]
    pub fn new() -> Self {
        Self {
            path: "/dev/tty".to_owned(),
        }
    }
}

impl Default for TerminalPrompter {
    fn default() -> Self {
        Self::new()
    }
}

impl Prompter for TerminalPrompter {
    fn ask(&mut self, text: &str) -> Result<Secret, SourceError> {
        let terminal = OpenOptions::new().read(true).write(true).open(&self.path);
        terminal.map_err(|source| SourceError::NoTerminal { source })?;
        let config = ConfigBuilder::new()
            .input_file_path(self.path.as_str())
            .output_file_path(self.path.as_str())
            .build();
        let typed = rpassword::prompt_password_with_config(text, config)
            .map_err(|source| SourceError::Prompt { source })?;
        let typed = Zeroizing::new(typed);
        // What stands for bytes that could not be decoded.
        if typed.contains(char::REPLACEMENT_CHARACTER) {
            return Err(SourceError::Encoding);
        }
        Ok(Secret::from_slice(typed.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{ErrorKind, Read, Write};
    use std::os::fd::AsRawFd;

    use nix::pty::openpty;

    use super::*;

    /// Types `keys` at a terminal that asks, and returns what it got and what it showed.
    fn type_in(keys: &[u8]) -> (Result<Secret, SourceError>, String) {
        let terminal = openpty(None, None).unwrap();
        let path = format!("/proc/self/fd/{}", terminal.slave.as_raw_fd());
        let path = std::fs::read_link(path)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let mut person = File::from(terminal.master);
        person.write_all(keys).unwrap();
        let typed = TerminalPrompter { path }.ask("PIN: ");
        // With nobody left at the other end, reading ends in an error behind the last byte.
        drop(terminal.slave);
        let mut shown = Vec::new();
        let _ = person.read_to_end(&mut shown);
        (typed, String::from_utf8_lossy(&shown).into_owned())
    }

    #[test]
    fn what_is_typed_is_the_secret() {
        let (typed, shown) = type_in(b" p\xc3\xa4ss w\xc3\xb6rd \n");
        assert_eq!(typed.unwrap().expose(), " päss wörd ".as_bytes());
        assert!(shown.contains("PIN: "), "{shown}");
    }

    #[test]
    fn an_empty_line_is_an_empty_secret() {
        assert!(type_in(b"\n").0.unwrap().is_empty());
    }

    #[test]
    fn bytes_that_are_no_utf8_are_refused() {
        let error = type_in(b"p\xe4ss\n").0.unwrap_err();
        assert!(matches!(error, SourceError::Encoding), "{error:?}");
    }

    #[test]
    fn without_a_terminal_the_kernel_s_error_is_told() {
        let mut prompter = TerminalPrompter {
            path: "/nonexistent/tty".to_owned(),
        };
        let error = prompter.ask("PIN: ").unwrap_err();
        let SourceError::NoTerminal { source } = error else {
            panic!("{error:?}")
        };
        assert_eq!(source.kind(), ErrorKind::NotFound);
    }
}
