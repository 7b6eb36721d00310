//! What can go wrong between the host and a TPer, before any method is answered.

use std::fmt;
use std::io;

/// A transport error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The drive answered the interface command with an error.
    #[error("the drive refused {command}: {status}")]
    Interface {
        /// The command as the interface's standard calls it.
        command: &'static str,
        /// What the drive said.
        status: InterfaceStatus,
    },
    /// The kernel could not carry out the command.
    #[error("{command} could not be issued")]
    Io {
        /// The command as the interface's standard calls it.
        command: &'static str,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The device node could not be opened.
    #[error("{path} could not be opened")]
    Open {
        /// The path as it was given.
        path: String,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The node is no drive, or its interface cannot carry security commands.
    #[error("{path} has no security send and receive commands")]
    NotSupported {
        /// The path as it was given.
        path: String,
    },
    /// A test's or a recording's expectation was not met.
    #[error("the dialogue differs from the script at command {index}: {difference}")]
    Script {
        /// Index of the command, from 0.
        index: usize,
        /// "got …, expected …".
        difference: String,
    },
    /// More data was offered than the interface can carry.
    #[error("{length} bytes exceed the {limit} bytes that the interface carries")]
    TooLong {
        /// Bytes offered.
        length: usize,
        /// Bytes that the interface carries.
        limit: usize,
    },
}

/// The status of a refused interface command: the SIIS class, and the interface's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterfaceStatus {
    /// The drive does not know the security protocol, the transfer length or another parameter.
    InvalidParameter,
    /// A command came out of turn: a response is still waiting, or none is.
    SequenceError,
    /// The media is locked.
    DataProtection,
    /// The command is not allowed now.
    OperationDenied,
    /// An NVMe status code.
    Nvme {
        /// Status code type.
        code_type: u8,
        /// Status code.
        code: u8,
    },
    /// SCSI sense data.
    Sense {
        /// Sense key.
        key: u8,
        /// Additional sense code.
        asc: u8,
        /// Additional sense code qualifier.
        ascq: u8,
    },
    /// An ATA error register.
    Ata {
        /// Status register.
        status: u8,
        /// Error register.
        error: u8,
    },
}

impl fmt::Display for InterfaceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidParameter => f.write_str("invalid protocol, length or parameter"),
            Self::SequenceError => f.write_str("synchronous protocol violation"),
            Self::DataProtection => f.write_str("data protection error"),
            Self::OperationDenied => f.write_str("operation denied"),
            Self::Nvme { code_type, code } => {
                write!(f, "NVMe status type {code_type:x}h code {code:02x}h")
            }
            Self::Sense { key, asc, ascq } => write!(f, "sense {key:x}/{asc:02x}/{ascq:02x}"),
            Self::Ata { status, error } => write!(f, "ATA status {status:02x}h error {error:02x}h"),
        }
    }
}
