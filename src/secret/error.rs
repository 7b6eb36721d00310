//! Why a source gave no secret.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::{HexError, Source};

/// A source that gave no secret. Neither the message nor the fields hold any part of one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no terminal to ask on.
    #[error("there is no terminal to ask on")]
    NoTerminal {
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The terminal could not be read, or the person broke off.
    #[error("nothing could be read from the terminal")]
    Prompt {
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Bytes typed that are not the terminal's encoding: the secret would not be what was typed.
    #[error("what was typed is not UTF-8")]
    Encoding,
    /// The second input of a new secret differs from the first.
    #[error("the two inputs differ")]
    Mismatch,
    /// A stream is asked for a second secret.
    #[error("{origin} gives one secret only, and it has been read; name another source")]
    Consumed {
        /// The stream.
        origin: Source,
    },
    /// The stream is a terminal, which would show what is typed.
    #[error("{origin} is a terminal, which would show what is typed; use prompt")]
    Terminal {
        /// The stream.
        origin: Source,
    },
    /// The serial number of the drive would be no plain word in the place of `{serial}`.
    #[error("the drive's serial number cannot stand in {origin}: it is no plain word")]
    Serial {
        /// The source as it was written.
        origin: Source,
    },
    /// The source could not be opened or read.
    #[error("{origin} could not be read")]
    Read {
        /// The source.
        origin: Source,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// Others may read the file.
    #[error("{path} may be read by others (mode {mode:04o})")]
    OpenFile {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Neither a file nor a pipe.
    #[error("{path} is neither a file nor a pipe")]
    FileType {
        /// The path as it was given.
        path: PathBuf,
    },
    /// No service manager passed credentials.
    #[error("{origin}: no credentials were passed to this process")]
    NoCredentials {
        /// The source.
        origin: Source,
    },
    /// The kernel's user keyring does not give the key.
    #[error("{origin} could not be read from the user keyring")]
    Keyring {
        /// The source.
        origin: Source,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The helper could not be started.
    #[error("the helper could not be started")]
    Start {
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The helper failed; it has said why on standard error.
    #[error("the helper failed with {status}")]
    Helper {
        /// How it ended.
        status: ExitStatus,
    },
    /// The helper took too long and was killed.
    #[error("the helper did not end within {limit:?}")]
    HelperTimedOut {
        /// The time that it had.
        limit: Duration,
    },
    /// More than a secret can have.
    #[error("{origin} gives more than {limit} bytes")]
    TooLong {
        /// The source.
        origin: Source,
        /// The most that is read.
        limit: usize,
    },
    /// Nothing but, at most, a line end.
    #[error("{origin} gives an empty secret")]
    Empty {
        /// The source.
        origin: Source,
    },
    /// The bytes are not hexadecimal.
    #[error("{origin} is not hexadecimal")]
    Hex {
        /// The source.
        origin: Source,
        /// What is wrong.
        #[source]
        source: HexError,
    },
}

impl SourceError {
    /// Whether the command line is at fault, rather than the source.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Consumed { .. } | Self::Terminal { .. })
    }
}
