//! What can go wrong between the host and a TPer, before any method is answered.

use std::fmt;
use std::io;

use super::{ata, nvme, scsi, sense};

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
    /// The node is a partition, and security commands act on the whole drive.
    #[error("{path} is a partition of {disk}")]
    Partition {
        /// The path as it was given.
        path: String,
        /// The whole drive's node.
        disk: String,
    },
    /// The kernel keeps ATA TRUSTED commands from the drive.
    #[error("the kernel blocks {command} (libata.allow_tpm is 0)")]
    Blocked {
        /// The command as the interface's standard calls it.
        command: &'static str,
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

/// The status of a refused interface command: the SIIS class, or the interface's own words.
///
/// A drive reached without an interface of its own (a virtual one, or a script) answers with the
/// classes; real interfaces keep their code, whose class [`InterfaceStatus::class`] tells.
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
    /// A SCSI status without sense data.
    Scsi {
        /// Status byte.
        status: u8,
    },
    /// An ATA error register.
    Ata {
        /// Status register.
        status: u8,
        /// Error register.
        error: u8,
    },
}

/// What a refusal means, whatever the interface (\[SIIS\] 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InterfaceClass {
    /// Invalid Security Protocol ID, Invalid Transfer Length, or Other Invalid Command Parameter.
    InvalidParameter,
    /// Synchronous Protocol Violation.
    SequenceError,
    /// Data Protection Error.
    DataProtection,
    /// Operation denied.
    OperationDenied,
}

impl InterfaceStatus {
    /// The class, where the code has one.
    ///
    /// ATA has one error for all of them, so an ATA status has none.
    #[must_use]
    pub const fn class(self) -> Option<InterfaceClass> {
        match self {
            Self::InvalidParameter => Some(InterfaceClass::InvalidParameter),
            Self::SequenceError => Some(InterfaceClass::SequenceError),
            Self::DataProtection => Some(InterfaceClass::DataProtection),
            Self::OperationDenied => Some(InterfaceClass::OperationDenied),
            Self::Nvme { code_type, code } => nvme::class(code_type, code),
            Self::Sense { key, asc, ascq } => sense::class(key, asc, ascq),
            Self::Scsi { .. } | Self::Ata { .. } => None,
        }
    }
}

impl fmt::Display for InterfaceClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidParameter => "invalid protocol, length or parameter",
            Self::SequenceError => "synchronous protocol violation",
            Self::DataProtection => "data protection error",
            Self::OperationDenied => "operation denied",
        })
    }
}

impl fmt::Display for InterfaceStatus {
    /// Prints the class, and the interface's own code and words in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.class(), *self) {
            (Some(class), status) if status.has_code() => {
                write!(f, "{class} ({})", Code(status))
            }
            (Some(class), _) => write!(f, "{class}"),
            (None, status) => write!(f, "{}", Code(status)),
        }
    }
}

impl InterfaceStatus {
    /// True for the variants that hold an interface's own code.
    const fn has_code(self) -> bool {
        matches!(
            self,
            Self::Nvme { .. } | Self::Sense { .. } | Self::Scsi { .. } | Self::Ata { .. }
        )
    }
}

/// Prints the interface's own code and words.
struct Code(InterfaceStatus);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            InterfaceStatus::Nvme { code_type, code } => {
                write!(f, "NVMe status {code_type:x}/{code:02x}h")?;
                words(f, nvme::words(code_type, code))
            }
            InterfaceStatus::Sense { key, asc, ascq } => {
                write!(
                    f,
                    "sense {key:x}/{asc:02x}/{ascq:02x}, {}",
                    sense::key_words(key)
                )?;
                words(f, sense::words(asc, ascq))
            }
            InterfaceStatus::Scsi { status } => {
                write!(f, "SCSI status {status:02x}h")?;
                words(f, scsi::status_words(status))
            }
            InterfaceStatus::Ata { status, error } => {
                write!(f, "ATA status {status:02x}h error {error:02x}h")?;
                words(f, ata::error_words(error))
            }
            _ => Ok(()),
        }
    }
}

fn words(f: &mut fmt::Formatter<'_>, words: Option<&str>) -> fmt::Result {
    match words {
        Some(words) => write!(f, ", {words}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(status: InterfaceStatus) -> String {
        status.to_string()
    }

    #[test]
    fn class_and_the_interfaces_own_words_are_shown() {
        assert_eq!(
            text(InterfaceStatus::SequenceError),
            "synchronous protocol violation"
        );
        let nvme = InterfaceStatus::Nvme {
            code_type: 0,
            code: 0x0c,
        };
        assert_eq!(
            text(nvme),
            "synchronous protocol violation (NVMe status 0/0ch, Command Sequence Error)"
        );
        let sense = InterfaceStatus::Sense {
            key: 5,
            asc: 0x24,
            ascq: 0,
        };
        assert_eq!(
            text(sense),
            "invalid protocol, length or parameter (sense 5/24/00, ILLEGAL REQUEST, \
             INVALID FIELD IN CDB)"
        );
    }

    #[test]
    fn codes_without_a_class_are_shown_as_they_are() {
        let nvme = InterfaceStatus::Nvme {
            code_type: 7,
            code: 0xff,
        };
        assert_eq!(text(nvme), "NVMe status 7/ffh");
        let sense = InterfaceStatus::Sense {
            key: 4,
            asc: 0x44,
            ascq: 0x55,
        };
        assert_eq!(text(sense), "sense 4/44/55, HARDWARE ERROR");
        let scsi = InterfaceStatus::Scsi { status: 0x18 };
        assert_eq!(text(scsi), "SCSI status 18h, RESERVATION CONFLICT");
        let ata = InterfaceStatus::Ata {
            status: 0x51,
            error: 0x04,
        };
        assert_eq!(text(ata), "ATA status 51h error 04h, command aborted");
    }

    #[test]
    fn statuses_of_tcg_interface_errors_have_their_class() {
        let nvme = |code_type, code| InterfaceStatus::Nvme { code_type, code }.class();
        let sense = |key, asc, ascq| InterfaceStatus::Sense { key, asc, ascq }.class();
        assert_eq!(nvme(0, 0x02), Some(InterfaceClass::InvalidParameter));
        assert_eq!(nvme(0, 0x0c), Some(InterfaceClass::SequenceError));
        assert_eq!(nvme(2, 0x86), Some(InterfaceClass::DataProtection));
        assert_eq!(nvme(0, 0x15), Some(InterfaceClass::OperationDenied));
        assert_eq!(nvme(0, 0x06), None);
        assert_eq!(sense(5, 0x24, 0), Some(InterfaceClass::InvalidParameter));
        assert_eq!(sense(5, 0x2c, 0), Some(InterfaceClass::SequenceError));
        assert_eq!(sense(7, 0x20, 2), Some(InterfaceClass::DataProtection));
        // A locked SATA drive behind a host adapter that translates.
        assert_eq!(sense(5, 0x74, 0x71), Some(InterfaceClass::DataProtection));
        assert_eq!(sense(5, 0x20, 0), None);
        assert_eq!(
            InterfaceStatus::Ata {
                status: 0x51,
                error: 4
            }
            .class(),
            None
        );
    }
}
