//! Which way the data of a command go, and how many they are.

use super::command::{Command, DataPointer};
use super::outcome::Status;

/// Bytes of the host's memory page by which MDTS counts (CAP.MPSMIN 0).
const PAGE: usize = 4096;
/// Maximum Data Transfer Size: pages, as a power of two.
pub(super) const MDTS: u8 = 5;
/// The most bytes that a command may transfer.
pub(crate) const MAX_TRANSFER: usize = PAGE << MDTS;
/// The most bytes of data in a command capsule, of any queue.
pub(crate) const IN_CAPSULE: usize = 8192;

/// The data of a command, by the room that the host has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// None.
    Nothing,
    /// From the host to the controller.
    FromHost(usize),
    /// From the controller to the host.
    ToHost(usize),
}

/// How long the SGL's data must be, by the command's own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// So many bytes.
    Exactly(u64),
    /// So many bytes or more.
    AtLeast(u64),
}

impl Flow {
    /// Data from the host, in the capsule or by the transport.
    pub(super) fn from_host(command: &Command, length: Length) -> Result<Self, Status> {
        within_mdts(length)?;
        let (given, limit) = match command.data_pointer() {
            DataPointer::Transport { length } => (length, MAX_TRANSFER),
            DataPointer::Capsule { offset: 0, length } => (length, IN_CAPSULE),
            DataPointer::Capsule { .. } => return Err(Status::SGL_OFFSET_INVALID),
            DataPointer::Unknown { .. } => return Err(Status::SGL_TYPE_INVALID),
        };
        Ok(Self::FromHost(length.check(given, limit)?))
    }

    /// Data to the host, which travel by the transport.
    pub(super) fn to_host(command: &Command, length: Length) -> Result<Self, Status> {
        within_mdts(length)?;
        match command.data_pointer() {
            DataPointer::Transport { length: given } => {
                Ok(Self::ToHost(length.check(given, MAX_TRANSFER)?))
            }
            _ => Err(Status::SGL_TYPE_INVALID),
        }
    }

    /// Bytes that the host awaits.
    pub(super) const fn room(self) -> usize {
        match self {
            Self::ToHost(room) => room,
            Self::Nothing | Self::FromHost(_) => 0,
        }
    }
}

impl Length {
    const fn bytes(self) -> u64 {
        match self {
            Self::Exactly(bytes) | Self::AtLeast(bytes) => bytes,
        }
    }

    /// Takes the length of an SGL that suits the command and is within a limit.
    fn check(self, given: u32, limit: usize) -> Result<usize, Status> {
        let suits = match self {
            Self::Exactly(bytes) => u64::from(given) == bytes,
            Self::AtLeast(bytes) => u64::from(given) >= bytes,
        };
        let given = usize::try_from(given).ok().filter(|given| *given <= limit);
        given.filter(|_| suits).ok_or(Status::SGL_LENGTH_INVALID)
    }
}

/// What exceeds MDTS is an Invalid Field, whatever the SGL says.
fn within_mdts(length: Length) -> Result<(), Status> {
    match usize::try_from(length.bytes()) {
        Ok(bytes) if bytes <= MAX_TRANSFER => Ok(()),
        _ => Err(Status::INVALID_FIELD),
    }
}
